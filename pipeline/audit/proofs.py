"""The proof of a single result: that its formula is the right one, and that every step holds."""

from __future__ import annotations

import lzma
import os
from collections.abc import Callable
from pathlib import Path

from pipeline.audit.findings import Report
from pipeline.audit.formulas import difference
from pipeline.audit.proofs_file import XzStream
from pipeline.audit.records import Record
from pipeline.audit.terms import Terms
from pipeline.certify.formula import Formula, read_formula
from pipeline.certify.proof import MAX_CHARACTERS, ProofRejected, ProofTimeout, check_refutation
from pipeline.errors import PipelineError, in_words
from pipeline.files import read_regular
from pipeline.puzzle import Geometry
from pipeline.unpack import Room, UnpackError, opened
from pipeline.unpack.streams import opened_regular

_WORDS = ("proved", "claimed", "no")
_SLACK = 1024 * 1024
PROOF_LIMITS = Room(MAX_CHARACTERS + 1, members=1)

MakeFormula = Callable[[], Formula]
"""What should have been refuted. Raises ValueError or PipelineError where that is not known."""


def completeness(record: Record, report: Report) -> str:
    """What the certificate says, `proved`, `claimed` or `no`, checked against the rest.

    Older records have none: theirs are claims.
    """
    told = record.certificate
    word = (told and told.complete) or ("claimed" if record.complete else "no")
    if word not in _WORDS:
        report.bad(f"certificate: complete is {word[:40]!r}")
        return "no"
    if (word == "no") == bool(record.complete):
        said = str(record.complete).lower()
        report.bad(f"certificate: complete is {word!r}, where the record says {said}")
    return word


def audit_proof(
    record: Record,
    make: MakeFormula | None,
    geometry: Geometry | None,
    terms: Terms,
    report: Report,
) -> str:
    """Check the proof of a result, if it has one; whether it is `proved`, `claimed` or neither.

    `make` is None where the puzzle is not known.
    """
    word = completeness(record, report)
    formula_name = f"{record.stem}.proof.cnf"
    names = [f"{record.stem}.proof.drat", f"{record.stem}.proof.drat.xz"]
    there = [name for name in (formula_name, *names) if name in record.files]
    if word != "proved":
        for name in there:
            report.bad(f"{name} is listed, where the certificate says {word!r}")
        return word
    if formula_name not in there or len(there) != 2:
        listed = " and ".join(there) or "nothing"
        report.bad(f"proved by {formula_name} and {names[0]}, but {listed} is listed")
        return word
    if make is None:
        return word
    try:
        formula = make()
    except (ValueError, PipelineError) as error:
        report.bad(f"{formula_name}: cannot be made again: {error}")
        return word
    _compare(record.path.with_name(formula_name), formula, geometry, report)
    _check(record, there[-1], formula, terms, report)
    return word


def _compare(path: Path, formula: Formula, geometry: Geometry | None, report: Report) -> None:
    """Whether a file holds the formula."""
    expected = "".join(formula.text())
    most = 2 * len(expected) + _SLACK
    try:
        data = read_regular(path, most)
    except OSError as error:
        if not isinstance(error, FileNotFoundError):  # that was said
            report.bad(f"{path.name}: cannot be read: {in_words(error)}")
        return
    if data == expected.encode("ascii"):
        return
    if len(data) > most:
        report.bad(f"{path.name}: has more than {most} bytes; its formula has {len(expected)}")
        return
    try:
        found = read_formula(data.decode("ascii", errors="backslashreplace"))
    except ValueError as error:
        report.bad(f"{path.name}: {error}")
        return
    report.bad(f"{path.name}: {difference(formula, found, geometry) or 'it is written otherwise'}")


def _check(record: Record, name: str, formula: Formula, terms: Terms, report: Report) -> None:
    """Whether a file holds a proof of the formula, of as many steps as the record tells."""
    try:
        text = read_proof(record.path.with_name(name))
    except FileNotFoundError:
        return
    except OSError as error:
        report.bad(f"{name}: cannot be read: {in_words(error)}")
        return
    except UnpackError as error:
        report.bad(f"{name}: {error}")
        return
    steps = record.certificate.steps if record.certificate else None
    check_steps(formula, text, steps, terms, report.within(name))


def read_proof(path: Path) -> str:
    """The text of a proof, unpacked, one character more than is allowed at most.

    Raises OSError and UnpackError.
    """
    if path.suffix != ".xz":
        data = read_regular(path, MAX_CHARACTERS)
    else:
        with opened(path, PROOF_LIMITS) as stream:
            data = stream.read(MAX_CHARACTERS + 1)
        _check_end(path, len(data))
    return data.decode("ascii", errors="backslashreplace")


def _check_end(path: Path, size: int) -> None:
    """Raise UnpackError unless a file is one stream of xz, of that size, and nothing else."""
    with opened_regular(path) as file:
        stream = XzStream(file, 0)
        try:
            stream.cut(0, size)
            is_all = stream.end() == os.fstat(file.fileno()).st_size
        except (lzma.LZMAError, EOFError) as error:
            raise UnpackError(f"it is no single stream of xz: {error}") from error
    if not is_all:
        raise UnpackError("it goes on behind the stream of xz that holds the proof")


def check_steps(
    formula: Formula, text: str, steps: int | None, terms: Terms, report: Report
) -> None:
    """Whether a text refutes the formula in that many steps."""
    try:
        checked = check_refutation(formula, text, terms.seconds)
    except ProofRejected as error:
        report.bad(str(error))
    except ProofTimeout as error:
        report.gap(f"{error}; --timeout gives it longer")
    else:
        if checked.steps != steps:
            report.bad(f"the proof has {checked.steps} steps, where {steps} are told")
