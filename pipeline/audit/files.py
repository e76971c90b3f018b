"""The files of a set: there, with the hashes that the record tells, and no others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import file_digest
from itertools import islice, zip_longest
from pathlib import Path

from pipeline.audit.findings import Report
from pipeline.audit.records import Record
from pipeline.errors import counted, in_words
from pipeline.published.names import stems_for
from pipeline.unpack.streams import opened_regular

_SOLUTION, _PROOF = (
    r"_[1-9][0-9]*\.solution|\.log",
    r"(?:_count|\.proof)?\.cnf|\.proof\.drat(?:\.xz)?",
)
_SINGLE = re.compile(rf"{_SOLUTION}|{_PROOF}")
_MANY = {
    "collection": re.compile(rf"{_SOLUTION}|\.csv|\.proofs\.(?:xz|csv)"),
    "archive": re.compile(r"\.csv|\.log"),
}
"""What the names of a set have behind the stem, for jobs of many puzzles by their status."""

_MOST_STEMS = 1000

ONLY_CLAIMED = "that there is a second solution is only claimed: no more than one was asked for"


def digest_of(path: Path) -> str:
    """The SHA-256 of a regular file, no link. Raises OSError."""
    with opened_regular(path) as file:
        return file_digest(file, "sha256").hexdigest()


def audit_stem(record: Record, source: str, report: Report) -> None:
    """Whether a set of that stem may be one of the source's, a file name."""
    if record.stem not in islice(stems_for(source), _MOST_STEMS):
        preferred = next(stems_for(source))
        report.bad(f"the source is {source!r}: its set would be called {preferred!r}")


def audit_files(record: Record, beside: Sequence[str], report: Report) -> None:
    """Whether what is listed is there and as it was, and nothing else `beside` it.

    A log may be gone: old ones are deleted.
    """
    own = _MANY.get(record.status, _SINGLE)
    if record.status in _MANY and f"{record.stem}.csv" not in record.files:
        report.bad(f"{record.stem}.csv is not listed")
    for name, told in record.files.items():
        if not name.startswith(record.stem) or not own.fullmatch(name[len(record.stem) :]):
            report.bad(f"{name} is listed, and is none of this job's names")
        elif fault := _fault_in_file(record.path.with_name(name), told):
            report.bad(f"{name}{fault}")
    for name in beside:
        if name not in record.files:
            report.bad(f"{name} is there, and is not listed")
    audit_numbers(record, report)


def _fault_in_file(path: Path, told: str) -> str | None:
    """What is wrong with a file that is listed with that hash, to be read behind its name."""
    try:
        hashed = digest_of(path)
    except FileNotFoundError:
        return None if path.suffix == ".log" else " is listed, and is not there"
    except OSError as error:
        return f": cannot be read: {in_words(error)}"
    return None if hashed == told else f": its sha256 is {hashed[:12]}…, listed as {told[:12]}…"


def audit_text(name: str, data: bytes, expected: str, report: Report) -> None:
    """Whether a file is written as we would write what is in it, byte for byte."""
    lines = data.splitlines(keepends=True), expected.encode().splitlines(keepends=True)
    for number, (found, wanted) in enumerate(zip_longest(*lines, fillvalue=b""), 1):
        if found != wanted:
            said = f"expected {wanted[:80]!r}, found {found[:80]!r}"
            report.bad(f"{name}:{number}: it is written otherwise: {said}")
            return


def audit_numbers(record: Record, report: Report) -> None:
    """Whether the solution files are numbered from 1, with none left out, and as many as told."""
    names = record.numbered()
    for number, name in enumerate(names, 1):
        expected = f"{record.stem}_{number}.solution"
        if name != expected:
            report.bad(f"{expected} is not listed, but {name} is")
            break
    if record.solutions is not None and record.solutions != len(names):
        report.bad(
            f"{counted(record.solutions, 'solution')} in the record, "
            f"{counted(len(names), 'solution file')} listed"
        )


def fault_in_status(status: str, solutions: int, complete: bool | None) -> str | None:
    """Why a status does not go with a number of solutions and whether these are all."""
    match status:
        case "invalid" | "other" | "failed":
            fits = solutions == 0 and complete is None
        case "unsolvable":
            fits = solutions == 0 and complete is True
        case "unique":
            fits = solutions == 1 and complete is True
        case "multiple":
            fits = complete is not None and solutions >= (2 if complete else 1)
        case "unknown":
            fits = solutions <= 1 and complete is False
        case "solved":
            fits = solutions >= 1 and complete is not True
        case _:
            return f"the status {status!r} is unknown"
    said = "null" if complete is None else str(complete).lower()
    what = f"the status {status!r} does not go with {counted(solutions, 'solution')}"
    return None if fits else f"{what} and complete: {said}"
