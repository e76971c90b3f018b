"""Check certificates and proofs: the fields, the formula of a proof, and each of its steps."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path

from pipeline.certify.formula import Formula, core_of, read_formula
from pipeline.certify.lrat import MAX_LRAT_CHARACTERS, check_lrat, drat_of
from pipeline.certify.proof import lrat_of
from pipeline.errors import EnvironmentFailure, LimitReached, PipelineError, in_words
from pipeline.files import read_regular
from pipeline.limits import Deadline, Limits
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.published import PublishedPuzzle
from pipeline.outbox.schema import PuzzleCertificate, PuzzleRecord, or_none

_MAX_XZ_MEMORY = 64 * 1024 * 1024
"""Maximum number of bytes of memory for decompressing a proof."""

_CERTIFICATE_FIELDS = {
    ("proved", "exhaustive-search"): {"nodes"},
    ("proved", "drat"): {"solver", "checker", "steps"},
    ("proved", "lrat"): {"solver", "checker", "steps"},
    ("unverified", None): set(),
    ("no", None): set(),
}
"""Maps `complete` and `by` of a certificate to its other required fields. `reason` is optional."""

_ALL_CERTIFICATE_FIELDS = sorted(set().union(*_CERTIFICATE_FIELDS.values()))
_PROPAGATION_SOLVER = "unit propagation"
"""The recorded solver of a proof whose only step is the empty clause."""

_PROOF_KINDS = {"drat": ("cnf", "drat"), "lrat": ("cnf", "drat", "lrat")}
"""Maps `by` of a certificate to the kinds of its proof files. Only earlier versions wrote `drat`
without `lrat`."""

_MAX_EXTRA_BYTES = 1024 * 1024
"""A formula's file may be larger than twice the expected size by this number of bytes."""

MakeFormula = Callable[[], Formula]
"""A function that makes the formula that a proof refutes. Raises ValueError or PipelineError."""


def audit_certificate(record: PuzzleRecord, report: Findings) -> str:
    """Check the fields of a certificate against each other and against the record.

    Returns `complete` of the certificate: `proved`, `unverified` or `no`.
    """
    report, recorded = report.section("certificate"), or_none(record.certificate)
    completeness, by = (recorded.complete or "no", recorded.by) if recorded else ("no", None)
    if all(completeness != complete for complete, _ in _CERTIFICATE_FIELDS):
        report.add_problem(
            f"complete: expected proved, unverified or no, found {completeness[:40]!r}"
        )
        return "no"
    if (completeness == "no") == bool(record.complete):
        recorded_value = str(record.complete).lower()
        report.add_problem(
            f"complete is {completeness!r}, but the record's complete is {recorded_value}"
        )
    fields = _CERTIFICATE_FIELDS.get((completeness, by))
    if fields is None:
        by_text = "null" if by is None else repr(by[:40])
        report.add_problem(f"certificate: complete: {completeness!r} contradicts by: {by_text}")
        return completeness
    label = f"{completeness} by {by}" if by else completeness
    for name in _ALL_CERTIFICATE_FIELDS:
        if (getattr(recorded, name, None) is not None) != (name in fields):
            problem = "is missing" if name in fields else "is not allowed"
            report.add_problem(f"{name} {problem} in a certificate that is {label}")
    if recorded and by == "lrat" and recorded.checker != f"sudoku-pipeline {record.version}":
        report.add_problem(
            f"the checker is {(recorded.checker or '')[:60]!r}, "
            f"but the record's version is {record.version}"
        )
    if recorded and report.is_current_build:
        _audit_current_certificate(recorded, report)
    return completeness


def _audit_current_certificate(recorded: PuzzleCertificate, report: Findings) -> None:
    """Check the requirements that only certificates of this version meet."""
    if recorded.complete is None:
        report.add_problem("complete is missing")
    if recorded.by == "lrat" and (recorded.solver == _PROPAGATION_SOLVER) != (recorded.steps == 1):
        report.add_problem(
            f"steps must be 1 exactly when the solver is {_PROPAGATION_SOLVER}; "
            f"found {recorded.steps} and {(recorded.solver or '')[:40]!r}"
        )
    if recorded.by == "drat":
        report.add_problem("by: 'drat' is written only by earlier versions")


def audit_proof(
    published: PublishedPuzzle,
    make_formula: MakeFormula | None,
    report: Findings,
) -> bool:
    """Check the proof of a result. Returns True if there is a proof and it is accepted.

    `make_formula` is None if the puzzle or formula is unknown.
    """
    files = _find_proof_files(published, report)
    if not files or make_formula is None:
        return False
    name = files["cnf"]
    try:
        formula = make_formula()
    except (ValueError, PipelineError) as error:
        report.add_problem(f"{name}: cannot be recomputed: {error}")
        return False
    if fault := _formula_fault(published.sibling(name), formula):
        report.add_difference(f"{name}: {fault}")
        if not report.is_current_build:
            return False
    return _check_proof(published, files, formula, report)


def _find_proof_files(published: PublishedPuzzle, report: Findings) -> dict[str, str]:
    """Map the kinds of a proof's files to their names; empty if there is no complete proof."""
    recorded = or_none(published.record.certificate)
    method = (recorded.by or recorded.complete or "no") if recorded else "no"
    names = {kind: f"{published.stem}.proof.{kind}" for kind in ("cnf", "drat", "lrat")}
    files = [
        file_name
        for name in names.values()
        for file_name in (name, f"{name}.xz")
        if file_name in published.files
    ]
    kinds = _PROOF_KINDS.get(method, ())
    expected = [names[kind] for kind in kinds]
    if not kinds:
        for name in files:
            report.add_problem(
                f"{name} is listed, but the certificate is {method[:40]!r}, "
                "which has no proof files"
            )
    elif files[:1] != expected[:1] or [name.removesuffix(".xz") for name in files] != expected:
        listed = " and ".join(files) or "nothing"
        report.add_problem(f"expected the proof files {' and '.join(expected)}, found {listed}")
    else:
        return dict(zip(kinds, files, strict=True))
    return {}


def _formula_fault(path: Path, formula: Formula) -> str | None:
    """Compare a file with its formula. Returns the fault, or None. A missing file has no fault."""
    expected = "".join(formula.text())
    max_bytes = 2 * len(expected) + _MAX_EXTRA_BYTES
    try:
        data = read_regular(path, max_bytes)
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError)  # `audit_files` reports it
        return None if is_missing else f"cannot be read: {in_words(error)}"
    if data == expected.encode("ascii"):
        return None
    if len(data) > max_bytes:
        return f"has more than {max_bytes} bytes; the expected formula has {len(expected)}"
    try:
        published_formula = read_formula(data.decode("ascii", errors="backslashreplace"))
    except ValueError as error:
        return str(error)
    return _first_difference(formula, published_formula)


def _check_proof(
    published: PublishedPuzzle, files: Mapping[str, str], formula: Formula, report: Findings
) -> bool:
    """Check a proof that a formula is unsatisfiable. Returns whether the proof is accepted.

    `files` maps kinds to names. The DRAT and LRAT files of a proof must have the same steps.
    Earlier versions wrote no LRAT file; then only the steps that the refutation needs are checked.
    """
    *_, (kind, name) = files.items()
    report, deadline = report.section(name), Deadline.of(Limits(report.options.seconds))
    texts = [_read_proof(published.sibling(file), report) for file in files.values()][1:]
    if None in texts:
        return False
    text = texts[-1] or ""
    try:
        if kind == "lrat":
            steps = check_lrat(formula, text, deadline, MAX_LRAT_CHARACTERS)
            report.options.confirm(formula.text(), text, deadline)
        else:
            lrat_of(core_of(formula), text, deadline)
            steps = sum(not line.startswith("d") for line in text.splitlines())
    except (LimitReached, EnvironmentFailure) as error:
        advice = "; raise --timeout" if isinstance(error, LimitReached) else ""
        report.add_gap(f"not checked: {error}{advice}")
        return False
    except PipelineError as error:
        report.add_problem(str(error))
        return False
    recorded = or_none(published.record.certificate)
    if recorded and recorded.steps != steps:
        report.add_problem(f"has {steps} steps, the record says {recorded.steps}")
    if kind == "lrat" and texts[0] != drat_of(text):
        report.add_problem(f"{files['drat']} does not have the same steps as {files['lrat']}")
    return True


def _read_proof(path: Path, report: Findings) -> str | None:
    """Read and decompress a proof, up to one character more than MAX_LRAT_CHARACTERS.

    Reports a file that cannot be read, and returns None. Returns None for a missing file too:
    `audit_files` reports it.
    """
    try:
        data = read_regular(path, MAX_LRAT_CHARACTERS)
        if path.name.endswith(".xz"):
            decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_XZ_MEMORY)
            data = decompressor.decompress(data, MAX_LRAT_CHARACTERS + 1)
            if len(data) <= MAX_LRAT_CHARACTERS and (
                not decompressor.eof or decompressor.unused_data
            ):
                report.add_problem("is not exactly one complete xz stream")
                return None
    except FileNotFoundError:
        return None
    except OSError as error:
        report.add_problem(f"cannot be read: {in_words(error)}")
        return None
    except lzma.LZMAError as error:
        report.add_problem(str(error))
        return None
    return data.decode("ascii", errors="backslashreplace")


def _first_difference(expected: Formula, published: Formula) -> str:
    """Describe the first difference between two formulas. Clauses are numbered from 1."""
    if expected.variables != published.variables:
        return f"it has {published.variables} variables instead of {expected.variables}"
    pairs = enumerate(zip_longest(expected.clauses, published.clauses), 1)
    first = next((number for number, (clause, other) in pairs if clause != other), None)
    return (
        "it has the same formula, but different text"
        if first is None
        else f"the formula differs at clause {first}"
    )
