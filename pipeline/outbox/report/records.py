"""What a report reads: records, and samples of tables. A broken one is a row that says so."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, Generic, TypeVar, cast

from msgspec.structs import astuple
from msgspec.structs import replace as with_fields

from pipeline.errors import in_words, printable
from pipeline.files import descriptor_of
from pipeline.outbox import (
    ENDING,
    ManyRecord,
    NoRecord,
    PuzzleRecord,
    Record,
    file_names,
    load_record,
    schema,
)
from pipeline.outbox.names import MOST_LIKELY, stems_for
from pipeline.outbox.schema import ASIDE, OF_MANY, Cell, or_none
from pipeline.outbox.tables import (
    LONGEST_LINE,
    MemberRow,
    PuzzleRow,
    added_fields,
    added_names,
    also_in,
    also_in_record,
    columns,
    row_of,
    with_columns,
)
from pipeline.puzzle.puzzle import MAX_SIDE, MIN_SIDE
from pipeline.reading.formats import DECLARABLE
from pipeline.settings import Reading
from pipeline.solving import facts

UNREADABLE: Final = "unreadable"
"""The status of a file that is named like a record but is not one."""

STATUSES: Final = (*(status for status in schema.STATUSES if status not in OF_MANY), UNREADABLE)
"""The statuses of puzzles, in the order in which they are shown."""

NOT_WELL: Final = facts.NOT_WELL | {schema.REFUSED, UNREADABLE}
UNRECOGNISED: Final = "unrecognised"
_LONGEST_NAME, _LONGEST_TEXT = 255, 600
_MOST_PLACES, _MOST_FILES = MAX_SIDE * MAX_SIDE, 100_000
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
_CLAIMED = re.compile(r"(\d{8}T\d{6})-", re.ASCII)
_ESCAPED = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|U0010[0-9a-f]{4})")
_LONGEST_SHOWN = 16 * 1024
"""Bytes of a line of which more than the beginning is shown."""

R = TypeVar("R", PuzzleRow, MemberRow)


@dataclass(frozen=True, slots=True)
class JobSummary:
    """A job according to its record, as far as that is legible.

    `stem` is the name of the record without its ending. `started` and `finished` are seconds
    since 1970. `totals` counts the puzzles by status, `known` those whose solutions are proved, or
    claimed, to be all; `seconds` are those of the stages. `rules_in_conflict` count from 0. `added`
    is what `--also` adds, by column.
    """

    stem: str
    source: str
    status: str
    format: str = ""
    message: str = ""
    box: tuple[int, int] | None = None
    solutions: int | None = None
    complete: bool = False
    sha256: str | None = None
    member: int | None = None
    solver: str = ""
    evidence: str = ""
    started: float | None = None
    finished: float | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    declared: Mapping[str, str] = field(default_factory=dict)
    conflict: tuple[tuple[int, int], ...] = ()
    rules_in_conflict: tuple[int, ...] = ()
    difference: tuple[tuple[int, int], ...] = ()
    added: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_many(self) -> bool:
        return self.status in OF_MANY

    @property
    def puzzles(self) -> int:
        return sum(self.totals.values())

    @property
    def is_well(self) -> bool:
        """Whether nothing of it is invalid, unknown, failed or unreadable."""
        return self.status not in NOT_WELL and not NOT_WELL & self.totals.keys()

    @property
    def reading(self) -> Reading:
        return Reading()._replace(**cast("dict[str, Any]", self.declared))


def read_job(path: Path) -> JobSummary | None:
    """The job that a record is about; None if the file is gone.

    One that cannot be read is a job that says so.
    """
    stem = path.name.removesuffix(ENDING)
    try:
        return _job(stem, load_record(path))
    except FileNotFoundError:
        return None
    except NoRecord as error:
        cause = error.__cause__
        return _unreadable(stem, in_words(cause) if isinstance(cause, OSError) else str(error))


def _unreadable(stem: str, why: str) -> JobSummary:
    message = f"the record cannot be read: {_shown(why)}"
    return JobSummary(stem, stem, UNREADABLE, message=message, totals={UNREADABLE: 1})


def _job(stem: str, record: Record) -> JobSummary:
    seconds = record.seconds or {}
    finished = _moment(record.finished)
    common = JobSummary(
        stem,
        record.source or stem,
        known_status(record.status),
        format=_shown(record.format or ""),
        sha256=record.sha256,
        member=or_none(record.member),
        started=_started(record.job, finished, seconds.get("total")),
        finished=finished,
        seconds=seconds,
        totals=_totals(record.totals),
        known=record.known,
        files=tuple(n for n in file_names(record)[:_MOST_FILES] if len(n) <= _LONGEST_NAME),
        declared=_declared(or_none(record.declared) or {}),
    )
    if isinstance(record, ManyRecord):
        return common
    certificate, difference = or_none(record.certificate), or_none(record.difference)
    return replace(
        common,
        message=_shown(record.message or ""),
        box=_box(record.box),
        solutions=record.solutions,
        complete=record.complete is True,
        solver=_shown(record.solver.name) if record.solver else "",
        evidence=_shown((certificate and certificate.complete) or ""),
        conflict=_places(or_none(record.conflict) or ()),
        rules_in_conflict=tuple(r.number - 1 for r in or_none(record.conflict_rules) or ()),
        difference=_places(difference.cells if difference else ()),
        added=_added(record),
    )


def _added(record: PuzzleRecord) -> dict[str, str]:
    also = also_in_record(record)
    return dict(zip(added_names(also), added_fields(record, also), strict=True))


def _shown(text: str) -> str:
    """A text made printable and short enough to show."""
    return shortened(text, _LONGEST_TEXT)


def shortened(text: str, most: int = _LONGEST_NAME) -> str:
    """A text made printable, in at most so many characters."""
    shown = printable(text[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def known_status(status: str | None) -> str:
    """The status if it is a known one."""
    return status if status in STATUSES or status in OF_MANY else UNRECOGNISED


def _totals(told: Mapping[str, int]) -> dict[str, int]:
    """Puzzles by known status; counts of puzzles that are counted already are left out."""
    totals: dict[str, int] = {}
    for name, count in told.items():
        if name not in ASIDE and count:
            status = known_status(name)
            totals[status] = totals.get(status, 0) + count
    return totals


def is_within(folder: Path, top: Path) -> bool:
    """Whether a path below a folder really lies there, rather than behind a link."""
    try:
        return folder.resolve() == top.resolve() / folder.relative_to(top)
    except (OSError, RuntimeError, ValueError):
        return False


def job_of_member(
    outbox: Path, archive: JobSummary, place: int, row: MemberRow
) -> tuple[Path, JobSummary | None]:
    """The folder with the record of an archive's member, and the member's job.

    `place` is that of its row in the archive's table, from 0.
    """
    tree = outbox / archive.stem
    for name in dict.fromkeys((row.member, _unescaped(row.member))):
        path = PurePosixPath(name)
        folder = tree / path.parent
        if ".." in path.parts or not path.name or not is_within(folder, outbox):
            continue
        for stem in islice(stems_for(path.name), MOST_LIKELY):
            member = read_job(folder / f"{stem}{ENDING}")
            if member is not None and member.member == place:
                return folder, member
    return tree, None


def _unescaped(name: str) -> str:
    """Undo the escapes of `printable`."""
    return _ESCAPED.sub(lambda found: found[0].encode().decode("unicode_escape"), name)


def _declared(declared: Mapping[str, str]) -> dict[str, str]:
    known = (name for name in DECLARABLE if declared.get(name) in DECLARABLE[name])
    return {name: declared[name] for name in known}


def _box(box: tuple[int, int] | None) -> tuple[int, int] | None:
    return box if box and MIN_SIDE <= box[0] * box[1] <= MAX_SIDE else None


def _places(cells: Sequence[Cell]) -> tuple[tuple[int, int], ...]:
    return tuple(cell.place for cell in cells[:_MOST_PLACES])


def _moment(text: str | None) -> float | None:
    """Seconds since 1970 of an ISO 8601 time in this millennium."""
    try:
        moment = datetime.fromisoformat(text or "")
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds >= _EARLIEST else None


def _started(job: str | None, finished: float | None, total: float | None) -> float | None:
    """When a job was claimed: according to its id, else by the seconds that it took."""
    match = _CLAIMED.match(job or "")
    claimed = _moment(match[1]) if match else None
    if claimed is None and finished is not None and total is not None:
        claimed = finished - total
    if claimed is None or finished is None or not math.isfinite(claimed):
        return None
    return min(max(claimed, _EARLIEST), finished)


@dataclass(frozen=True, slots=True)
class Sampled(Generic[R]):
    """A row, its place in the table, from 0, and its second solution if one is published."""

    place: int
    row: R
    other: str


@dataclass(frozen=True, slots=True)
class Sample(Generic[R]):
    """Some of many rows, the most important first; `of` is how many there are."""

    rows: tuple[Sampled[R], ...]
    of: int


def sample_table(
    table: Path,
    kind: type[R],
    most: int,
    others: Path | None = None,
    on_added: Callable[[bytes, Sequence[str]], None] = lambda _line, _names: None,
) -> Sample[R]:
    """Rows of a table, failures first; `others` is the file of second solutions.

    `on_added` gets each line that has columns of `--also`, and their names. Raises OSError.
    """
    kept: list[list[Sampled[R]]] = [[], [], [], [], []]
    count = 0
    column = columns(kind).index("status")
    with ExitStack() as stack:
        lines = _lines(stack.enter_context(_opened(table)))
        beside = _lines(stack.enter_context(_opened(others))) if others else iter(())
        first = next(lines, b"").decode("ascii", errors="replace").rstrip("\r\n")
        also = also_in(first, kind) or ()
        kind, names = with_columns(kind, also), added_names(also)
        for line in lines:
            other = next(beside, b"")
            if names:
                on_added(line, names)
            rank = kept[_rank(_status_at(column, line) or _row(count, line, kind).status)]
            if len(rank) < most:
                second = other.decode(errors="replace").strip()
                has_second = len(other) <= _LONGEST_SHOWN and second.strip(".")
                row = _row(count, line, kind)
                rank.append(Sampled(count, row, second if has_second else ""))
            count += 1
    return Sample(tuple(row for rank in kept for row in rank)[:most], count)


def _opened(path: Path) -> BinaryIO:
    return os.fdopen(descriptor_of(path), "rb")


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines; only the beginning of one that is too long."""
    while line := file.readline(LONGEST_LINE):
        yield line
        while not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)
            if not line:
                return


def _rank(status: str) -> int:
    """Failures first, then collections, puzzles without a solution, and with several."""
    if status in NOT_WELL:
        return 0
    return {"collection": 1, "unsolvable": 2, "multiple": 3}.get(status, 4)


def _status_at(column: int, line: bytes) -> str:
    """The status in a row, found fast; empty if quotes are in the way."""
    parts = line.split(b",", column + 1)
    if len(parts) < column + 2 or b'"' in line:
        return ""
    return parts[column].decode(errors="replace")


def _row(place: int, line: bytes, kind: type[R]) -> R:
    """The row in a line, cut if it is long; a malformed one is a row that says so."""
    try:
        row = row_of(line.decode(errors="replace").rstrip("\r\n"), kind)
    except ValueError:
        first, *_ = names = columns(kind)
        told = {first: str(place + 1), "status": UNREADABLE, "message": "the row cannot be read"}
        return kind(**(dict.fromkeys(names, "") | told))
    if len(line) > _LONGEST_SHOWN:
        row = kind(*(shortened(each, _LONGEST_TEXT) for each in astuple(row)))
    said = shortened(row.message, _LONGEST_TEXT)
    return with_fields(row, status=known_status(row.status), message=said)
