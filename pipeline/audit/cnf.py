"""A formula's set: each model against the clauses, and the proof that there is none."""

from __future__ import annotations

from pipeline.audit.encodings import compare_size
from pipeline.audit.files import audit_text
from pipeline.audit.findings import Report
from pipeline.audit.proofs import audit_proof
from pipeline.audit.records import Record
from pipeline.audit.terms import Terms
from pipeline.certify import certify_model
from pipeline.certify.formula import Formula
from pipeline.errors import InputError, InvalidPuzzle, in_words
from pipeline.files import read_regular
from pipeline.parse.formula import (
    Model,
    ParsedFormula,
    parse_formula,
    proof_clauses,
    read_model,
)

_WIDTH = 78
_BYTES_EACH = 16
_SLACK = 64 * 1024


def audit_cnf(record: Record, data: bytes | None, terms: Terms, report: Report) -> str:
    """Audit a formula's result against the bytes of its original; what it claims."""
    parsed: ParsedFormula | None = None
    if data is not None:
        try:
            parsed = parse_formula(data, record.source, terms.reading.max_bytes)
        except InvalidPuzzle as error:
            report.bad(f"the original is no formula: {error}")
    models: list[Model] = []
    if parsed:
        models = _models(record, parsed, report)
        if record.encoding is None or record.encoding.name is not None:
            report.bad("encoding: expected one of a formula, which has no name")
        size = parsed.variables, len(parsed.clauses)
        compare_size(record, *size, report.within("encoding"))

    def formula() -> Formula:
        if parsed is None or len(models) != len(record.numbered()):
            raise InputError("its models cannot be read")
        return Formula(*proof_clauses(parsed, models))

    proved = audit_proof(record, formula if parsed else None, None, terms, report)
    return f"{record.status}, {proved}" if record.complete else record.status


def _models(record: Record, parsed: ParsedFormula, report: Report) -> list[Model]:
    """The models in the solution files, those that are not right reported."""
    models: list[Model] = []
    first: dict[Model, str] = {}
    for name in record.numbered():
        most = _BYTES_EACH * parsed.variables + _SLACK
        try:
            data = read_regular(record.path.with_name(name), most)
            if len(data) > most:
                raise InputError(f"has more than {most} bytes")  # noqa: TRY301
            model = read_model(data, parsed.variables)
        except FileNotFoundError:  # that was said
            continue
        except OSError as error:
            report.bad(f"{name}: cannot be read: {in_words(error)}")
            continue
        except InputError as error:
            report.bad(f"{name}: {error}")
            continue
        if (index := certify_model(parsed.written, model)) is not None:
            report.bad(f"{name}: clause {index + 1} of the original is not satisfied")
        if first.setdefault(model, name) != name:
            report.bad(f"{name} holds the same model as {first[model]}")
        audit_text(name, data, _written(model), report)
        models.append(model)
    return models


def _written(model: Model) -> str:
    """A model in the notation of the SAT competitions, in lines as long as may be."""
    lines = ["s SATISFIABLE", "v"]
    for word in (*map(str, model), "0"):
        if len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("v")
        lines[-1] += f" {word}"
    return "\n".join(lines) + "\n"
