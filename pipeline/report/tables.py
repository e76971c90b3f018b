"""The tables of collections and archives: the rows to show, out of up to a million."""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from pipeline.files import descriptor_of
from pipeline.report.records import NOT_WELL, UNREADABLE, known_status, shortened

_LONGEST_LINE = 1024 * 1024
_LONGEST_SHOWN = 16 * 1024
_LONGEST_TEXT = 600
_STEP = 64 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """A puzzle of a collection; `other` is its second solution, if one is published."""

    index: str
    line: str
    puzzle: str
    status: str
    solutions: str
    solution: str
    message: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of an archive; `number` is its place there, from 0."""

    number: int
    name: str
    format: str
    status: str
    message: str


@dataclass(frozen=True, slots=True)
class Sample(Generic[T]):
    """Some of many rows, the most important first; `of` is how many there are."""

    rows: tuple[T, ...]
    of: int


def sample_collection(
    table: Path, others: Path | None, most: int
) -> Generator[str, None, Sample[Row]]:
    """Rows of a collection's table, failures first; `others` is the file of second solutions.

    Yields now and then. Raises OSError.
    """
    return _sample(table, others, most, _status_in_row, _row)


def sample_archive(table: Path, most: int) -> Generator[str, None, Sample[MemberRow]]:
    """Rows of an archive's table, failures first, as in `sample_collection`."""
    return _sample(table, None, most, lambda line: _member(0, line, b"").status, _member)


def _sample(
    table: Path,
    others: Path | None,
    most: int,
    status_in: Callable[[bytes], str],
    make: Callable[[int, bytes, bytes], T],
) -> Generator[str, None, Sample[T]]:
    kept: list[list[T]] = [[], [], [], [], []]
    count = unpaused = 0
    with ExitStack() as stack:
        lines = _lines(stack.enter_context(_opened(table)))
        beside = _lines(stack.enter_context(_opened(others))) if others else iter(())
        next(lines, None)
        for line in lines:
            other = next(beside, b"")
            rank = kept[_rank(status_in(line))]
            if len(rank) < most:
                short = len(line) <= _LONGEST_SHOWN and len(other) <= _LONGEST_SHOWN
                rank.append(make(count, line, other if short else b""))
            count += 1
            unpaused += len(line)
            if unpaused > _STEP:
                unpaused = 0
                yield ""
    return Sample(tuple(row for rank in kept for row in rank)[:most], count)


def _rank(status: str) -> int:
    """Failures first, then collections, puzzles without a solution, and with several."""
    if status in NOT_WELL:
        return 0
    return {"collection": 1, "unsolvable": 2, "multiple": 3}.get(status, 4)


def _opened(path: Path) -> BinaryIO:
    return open(descriptor_of(path), "rb")  # noqa: PTH123 - the caller closes it


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines; only the beginning of one that is too long."""
    while line := file.readline(_LONGEST_LINE):
        yield line
        while not line.endswith(b"\n"):
            line = file.readline(_LONGEST_LINE)
            if not line:
                return


def _status_in_row(line: bytes) -> str:
    """The status in a row of a collection; fast if there are no quotes."""
    parts = line.split(b",", 4)
    if len(parts) == 5 and not parts[2].startswith(b'"'):
        return parts[3].decode(errors="replace")
    return _row(0, line, b"").status


def _fields(line: bytes, count: int) -> list[str] | None:
    """The fields of a line of CSV, if their number is right."""
    try:
        (fields,) = csv.reader([line.decode(errors="replace").rstrip("\r\n")], strict=True)
    except (csv.Error, ValueError):
        return None
    return fields if len(fields) == count else None


def _row(place: int, line: bytes, other: bytes) -> Row:
    fields = _fields(line, 9) or _fields(line, 8)  # earlier versions wrote one column less
    if fields is None:
        return Row(str(place + 1), "", "", UNREADABLE, "", "", "the row cannot be read")
    index, at, puzzle, status, solutions, _, solution, message = fields[:8]
    if len(line) > _LONGEST_SHOWN:
        puzzle = solution = ""
    second = other.decode(errors="replace").strip()
    index, at, solutions = (shortened(each, 20) for each in (index, at, solutions))
    said = shortened(message, _LONGEST_TEXT)
    second = second if second.strip(".") else ""
    return Row(index, at, puzzle, known_status(status), solutions, solution, said, second)


def _member(place: int, line: bytes, _other: bytes) -> MemberRow:
    fields = _fields(line, 6)
    if fields is None:
        return MemberRow(place, "?", "", UNREADABLE, "the row cannot be read")
    name, form, status, _, _, message = fields
    texts = shortened(form, 60), known_status(status), shortened(message, _LONGEST_TEXT)
    return MemberRow(place, name if len(line) <= _LONGEST_SHOWN else shortened(name), *texts)
