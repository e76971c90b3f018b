"""Check proofs: that they refute the right formula, and that every step follows."""

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
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.published import PublishedPuzzle
from pipeline.outbox.schema import PuzzleCertificate, PuzzleRecord, or_none

_MEMORY = 64 * 1024 * 1024
_FIELDS = {
    ("proved", "exhaustive-search"): {"nodes"},
    ("proved", "drat"): {"solver", "checker", "steps"},
    ("proved", "lrat"): {"solver", "checker", "steps"},
    ("unverified", None): set(),
    ("no", None): set(),
}
"""The fields of a certificate except the reason, by its `complete` and `by`."""
_ALL_FIELDS = sorted(set().union(*_FIELDS.values()))
_PROPAGATION = "unit propagation"
"""Solvers of proofs whose only step is the empty clause."""
_KINDS = {"drat": ("cnf", "drat"), "lrat": ("cnf", "drat", "lrat")}
"""The files of a proof by the certificate; only earlier versions wrote `drat` alone."""
_SLACK = 1024 * 1024

MakeFormula = Callable[[], Formula]
"""Makes the formula to be refuted. Raises ValueError or PipelineError if it is unknown."""


def audit_certificate(record: PuzzleRecord, report: Findings) -> str:
    """Check that the fields of a certificate agree with each other and with the record.

    Return its `complete`: `proved`, `unverified` or `no`.
    """
    report, recorded = report.within("certificate"), or_none(record.certificate)
    word, by = (recorded.complete or "no", recorded.by) if recorded else ("no", None)
    if all(word != complete for complete, _ in _FIELDS):
        report.bad(f"complete is {word[:40]!r}")
        return "no"
    if (word == "no") == bool(record.complete):
        published = str(record.complete).lower()
        report.bad(f"complete is {word!r}, where the record says {published}")
    fields = _FIELDS.get((word, by))
    if fields is None:
        report.bad(f"complete is {word!r}, by {'nothing' if by is None else repr(by[:40])}")
        return word
    label = f"{word} by {by}" if by else word
    for name in _ALL_FIELDS:
        if (getattr(recorded, name, None) is not None) != (name in fields):
            is_told = "is missing" if name in fields else "is unexpected"
            report.bad(f"{name} {is_told}, where the certificate says {label}")
    if recorded and by == "lrat" and recorded.checker != f"sudoku-pipeline {record.version}":
        report.bad(f"the checker is {(recorded.checker or '')[:60]!r}, of version {record.version}")
    if recorded and report.is_ours:
        _audit_ours(recorded, report)
    return word


def _audit_ours(recorded: PuzzleCertificate, report: Findings) -> None:
    """Check what this version does not write."""
    if recorded.complete is None:
        report.bad("complete is missing")
    if recorded.by == "lrat" and (recorded.solver == _PROPAGATION) != (recorded.steps == 1):
        report.bad(f"{recorded.steps} steps are not what {(recorded.solver or '')[:40]!r} proves")
    if recorded.by == "drat":
        report.bad("by is 'drat', as only earlier versions have it")


def audit_proof(
    published: PublishedPuzzle,
    make: MakeFormula | None,
    report: Findings,
) -> bool:
    """Check the proof of a result, if any; return whether it shows that no solution is missing.

    `make` is None if the puzzle is unknown.
    """
    there = _files_of(published, report)
    if not there or make is None:
        return False
    name = there["cnf"]
    try:
        formula = make()
    except (ValueError, PipelineError) as error:
        report.bad(f"{name}: cannot be made again: {error}")
        return False
    if fault := _compared(published.beside(name), formula):
        report.rewritten(f"{name}: {fault}")
        if not report.is_ours:
            return False
    return _check(published, there, formula, report)


def _files_of(published: PublishedPuzzle, report: Findings) -> dict[str, str]:
    """The files of a proof by kind; empty if there is no proof, or if a file is not listed."""
    recorded = or_none(published.record.certificate)
    word = (recorded.by or recorded.complete or "no") if recorded else "no"
    names = {kind: f"{published.stem}.proof.{kind}" for kind in ("cnf", "drat", "lrat")}
    there = [
        packed
        for name in names.values()
        for packed in (name, f"{name}.xz")
        if packed in published.files
    ]
    wanted = _KINDS.get(word, ())
    expected = [names[kind] for kind in wanted]
    if not wanted:
        for name in there:
            report.bad(f"{name} is listed, where the certificate says {word[:40]!r}")
    elif there[:1] != expected[:1] or [name.removesuffix(".xz") for name in there] != expected:
        listed = " and ".join(there) or "nothing"
        report.bad(f"proved by {' and '.join(expected)}, but {listed} is listed")
    else:
        return dict(zip(wanted, there, strict=True))
    return {}


def _compared(path: Path, formula: Formula) -> str | None:
    """The fault of a file that should contain the formula; None if it is right or missing."""
    expected = "".join(formula.text())
    max_bytes = 2 * len(expected) + _SLACK
    try:
        data = read_regular(path, max_bytes)
    except OSError as error:
        is_reported = isinstance(error, FileNotFoundError)
        return None if is_reported else f"cannot be read: {in_words(error)}"
    if data == expected.encode("ascii"):
        return None
    if len(data) > max_bytes:
        return f"has more than {max_bytes} bytes; its formula has {len(expected)}"
    try:
        published_formula = read_formula(data.decode("ascii", errors="backslashreplace"))
    except ValueError as error:
        return str(error)
    return _difference(formula, published_formula)


def _check(
    published: PublishedPuzzle, there: Mapping[str, str], formula: Formula, report: Findings
) -> bool:
    """Whether a proof, given as files by kind, shows that the formula is unsatisfiable.

    In DRAT proofs, which earlier versions wrote, only the needed steps are checked. If there is an
    LRAT proof too, both must have the same steps.
    """
    *_, (kind, name) = there.items()
    report, deadline = report.within(name), Deadline.of(Limits(report.terms.seconds))
    texts = [_read(published.beside(file), report) for file in there.values()][1:]
    if None in texts:
        return False
    text = texts[-1] or ""
    try:
        if kind == "lrat":
            steps = check_lrat(formula, text, deadline, MAX_LRAT_CHARACTERS)
            report.terms.confirm(formula.text(), text, deadline)
        else:
            lrat_of(core_of(formula), text, deadline)
            steps = sum(not line.startswith("d") for line in text.splitlines())
    except (LimitReached, EnvironmentFailure) as error:
        late = "; increase --timeout" if isinstance(error, LimitReached) else ""
        report.gap(f"it was not checked: {error}{late}")
        return False
    except PipelineError as error:
        report.bad(str(error))
        return False
    recorded = or_none(published.record.certificate)
    if recorded and recorded.steps != steps:
        report.bad(f"the proof has {steps} steps, where {recorded.steps} are told")
    if kind == "lrat" and texts[0] != drat_of(text):
        report.bad(f"{there['drat']} holds other steps")
    return True


def _read(path: Path, report: Findings) -> str | None:
    """The unpacked text of a proof, of at most one character more than allowed.

    None if it cannot be read. That is reported here, unless the file is missing, which is reported
    elsewhere.
    """
    try:
        data = read_regular(path, MAX_LRAT_CHARACTERS)
        if path.name.endswith(".xz"):
            engine = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
            data = engine.decompress(data, MAX_LRAT_CHARACTERS + 1)
            if len(data) <= MAX_LRAT_CHARACTERS and (not engine.eof or engine.unused_data):
                report.bad("it is not one whole stream of xz")
                return None
    except FileNotFoundError:
        return None
    except OSError as error:
        report.bad(f"cannot be read: {in_words(error)}")
        return None
    except lzma.LZMAError as error:
        report.bad(str(error))
        return None
    return data.decode("ascii", errors="backslashreplace")


def _difference(expected: Formula, published: Formula) -> str:
    """The first difference between two formulas; clauses are numbered from 1."""
    if expected.variables != published.variables:
        return f"it has {published.variables} variables instead of {expected.variables}"
    pairs = enumerate(zip_longest(expected.clauses, published.clauses), 1)
    first = next((number for number, (here, there) in pairs if here != there), None)
    return "its layout differs" if first is None else f"the formula differs at clause {first}"
