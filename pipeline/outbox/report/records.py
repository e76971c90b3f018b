"""What a report reads: records, and samples of tables. A broken one is a row that says so."""

from __future__ import annotations

import heapq
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import chain, count, islice, repeat
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, TypeVar

from msgspec import Struct
from msgspec.structs import astuple
from msgspec.structs import replace as with_fields

from pipeline import solving
from pipeline.errors import in_words, printable
from pipeline.files import descriptor_of
from pipeline.outbox import (
    ENDING,
    ManyRecord,
    NoRecord,
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
    added_names,
    also_in,
    columns,
    has_titles,
    row_of,
    with_columns,
    with_title,
)
from pipeline.outbox.traits import added_fields, also_in_record
from pipeline.puzzle.puzzle import MAX_SIDE, MIN_SIDE
from pipeline.puzzle.shapes import Place
from pipeline.reading.unread import unread_of_many
from pipeline.settings import Reading, is_declaration

UNREADABLE: Final = "unreadable"
"""The status of a file that is named like a record but is not one."""

STATUSES: Final = (*(status for status in schema.STATUSES if status not in OF_MANY), UNREADABLE)
"""The statuses of puzzles, in the order in which they are shown."""

NOT_WELL: Final = solving.NOT_WELL | {schema.REFUSED, UNREADABLE}
UNRECOGNISED: Final = "unrecognised"
_LONGEST_NAME, _LONGEST_TEXT = 255, 600
_MOST_PLACES, _MOST_FILES = MAX_SIDE * MAX_SIDE, 100_000
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
_CLAIMED = re.compile(r"(\d{8}T\d{6})-", re.ASCII)
_ESCAPED = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|U0010[0-9a-f]{4})")
_LONGEST_SHOWN = 16 * 1024
"""Bytes of a line of which more than the beginning is shown."""
_RANKS = {"collection": 1, "unsolvable": 2, "multiple": 3}
"""Where a row comes in a sample: failures before it, and all others behind."""

R = TypeVar("R", PuzzleRow, MemberRow)


class JobSummary(Struct, frozen=True):
    """A job according to its record, as far as that is legible.

    `stem` is the name of the record without its ending. `started` and `finished` are seconds
    since 1970. `totals` counts the puzzles by status, `known` those whose solutions are proved, or
    claimed, to be all; `seconds` are those of the stages. `rules_in_conflict` count from 0. `added`
    is what `--traits` adds, by column.
    """

    stem: str
    source: str
    status: str
    totals: Mapping[str, int]
    format: str = ""
    message: str = ""
    title: str = ""
    box: tuple[int, int] | None = None
    solutions: int | None = None
    complete: bool = False
    sha256: str | None = None
    member: int | None = None
    solver: str = ""
    evidence: str = ""
    checked_by: str = ""
    started: float | None = None
    finished: float | None = None
    seconds: Mapping[str, float] = {}
    known: Mapping[str, int] = {}
    files: tuple[str, ...] = ()
    reading: Reading = Reading()
    conflict: tuple[Place, ...] = ()
    rules_in_conflict: tuple[int, ...] = ()
    difference: tuple[Place, ...] = ()
    added: Mapping[str, str] = {}

    @property
    def is_many(self) -> bool:
        return self.status in OF_MANY

    @property
    def puzzles(self) -> int:
        return sum(self.totals.values())

    @property
    def rated(self) -> str:
        """How hard it is for a person, if `--traits rating` says so: `hard, score 1204`."""
        return rated_in(self.added)

    @property
    def is_well(self) -> bool:
        """Whether nothing of it is invalid, unknown, failed or unreadable."""
        return self.status not in NOT_WELL and not NOT_WELL & self.totals.keys()


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
        why = in_words(cause) if isinstance(cause, OSError) else str(error)
        message = f"the record cannot be read: {_shown(why)}"
        return JobSummary(stem, stem, UNREADABLE, {UNREADABLE: 1}, message=message)


def _job(stem: str, record: Record) -> JobSummary:
    seconds, finished = record.seconds or {}, _moment(record.finished)
    declared = or_none(record.declared) or {}
    known = {name: word for name, word in declared.items() if is_declaration(name, word)}
    job = JobSummary(
        stem,
        record.source or stem,
        known_status(record.status),
        _totals(record),
        format=_shown(record.format or ""),
        sha256=record.sha256,
        member=or_none(record.member),
        started=_started(record.job, finished, seconds.get("total")),
        finished=finished,
        seconds=seconds,
        known=record.known,
        files=tuple(n for n in file_names(record)[:_MOST_FILES] if len(n) <= _LONGEST_NAME),
        reading=Reading()._replace(**known) if known else Reading(),  # type: ignore[arg-type] # checked
    )
    if isinstance(record, ManyRecord):
        unread = unread_of_many(or_none(record.unread) or {})
        return with_fields(job, message=_shown(unread))
    certificate, difference = or_none(record.certificate), or_none(record.difference)
    box, also = record.box, also_in_record(record)
    return with_fields(
        job,
        message=_shown(record.message or ""),
        title=_shown(or_none(record.title) or ""),
        box=box if box and MIN_SIDE <= box[0] * box[1] <= MAX_SIDE else None,
        solutions=record.solutions,
        complete=record.complete is True,
        solver=_shown(record.solver.name) if record.solver else "",
        evidence=_shown((certificate and certificate.complete) or ""),
        checked_by=_shown((certificate and certificate.by) or ""),
        conflict=_places(or_none(record.conflict) or ()),
        rules_in_conflict=tuple(r.number - 1 for r in or_none(record.conflict_rules) or ()),
        difference=_places(difference.cells if difference else ()),
        added=dict(zip(added_names(also), added_fields(record, also), strict=True)),
    )


def _totals(record: Record) -> dict[str, int]:
    """Puzzles by known status, without the counts of puzzles that are counted already."""
    totals: Counter[str] = Counter()
    for name, puzzles in record.totals.items():
        if name not in ASIDE and puzzles:
            totals[known_status(name)] += puzzles
    return totals


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
    unescaped = _ESCAPED.sub(  # as `printable` wrote it
        lambda found: found[0].encode().decode("unicode_escape"), row.member
    )
    for name in dict.fromkeys((row.member, unescaped)):
        path = PurePosixPath(name)
        folder = tree / path.parent
        if ".." in path.parts or not path.name or not is_within(folder, outbox):
            continue
        for stem in islice(stems_for(path.name), MOST_LIKELY):
            member = read_job(folder / f"{stem}{ENDING}")
            if member is not None and member.member == place:
                return folder, member
    return tree, None


def _places(cells: Sequence[Cell]) -> tuple[Place, ...]:
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


def rated_in(added: Mapping[str, str]) -> str:
    """The level and the score in fields that `--traits rating` adds; empty if there are none."""
    level = added.get("level", "")
    return (
        f"{level}, score {shortened(added.get('rating', ''), 20)}"
        if level in solving.LEVELS
        else ""
    )


def sample_table(
    table: Path,
    kind: type[R],
    most: int,
    others: Path | None = None,
    on_added: Callable[[bytes, Sequence[str]], None] = lambda _line, _names: None,
) -> tuple[list[tuple[int, R, str]], int]:
    """Some rows of a table, failures first, and how many it has.

    Each has its place in the table, from 0, and its second solution if the file `others` has one.
    `on_added` gets each line that has columns of `--traits`, and their names. Raises OSError.
    """
    places = count()
    with ExitStack() as stack:
        lines = _lines(stack.enter_context(_opened(table)))
        beside = _lines(stack.enter_context(_opened(others))) if others else iter(())
        first = next(lines, b"").decode("ascii", errors="replace").rstrip("\r\n")
        also = also_in(first, kind) or ()
        whole, names = with_columns(kind, also), added_names(also)
        untitled = None if has_titles(first, kind) else len(names)
        column = columns(kind).index("status")

        def ranked() -> Iterator[tuple[int, int, R | bytes, bytes]]:
            for line, other, place in zip(lines, chain(beside, repeat(b"")), places, strict=False):
                if names:
                    on_added(line, names)
                status = _status_at(column, line)
                is_kept = status and len(line) <= _LONGEST_SHOWN
                row = None if is_kept else _row(place, line, whole, untitled)
                status = row.status if row else status
                rank = 0 if status in NOT_WELL else _RANKS.get(status, 4)
                yield rank, place, row or line, other if len(other) <= _LONGEST_SHOWN else b""

        best = heapq.nsmallest(most, ranked())
    rows = []
    for _, place, row, other in best:
        second = other.decode(errors="replace").strip()
        told = _row(place, row, whole, untitled) if isinstance(row, bytes) else row
        rows.append((place, told, second if second.strip(".") else ""))
    return rows, next(places)


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


def _status_at(column: int, line: bytes) -> str:
    """The status in a row, found fast; empty if quotes are in the way."""
    parts = line.split(b",", column + 1)
    if len(parts) < column + 2 or b'"' in line:
        return ""
    return parts[column].decode(errors="replace")


def _row(place: int, line: bytes, kind: type[R], untitled: int | None) -> R:
    """The row in a line, cut if it is long; a malformed one is a row that says so.

    `untitled`: how many columns of `--traits` it has, if it was written without a title.
    """
    text = line.decode(errors="replace").rstrip("\r\n")
    try:
        row = row_of(text if untitled is None else with_title(text, untitled), kind)
    except ValueError:
        first, *_ = names = columns(kind)
        told = {first: str(place + 1), "status": UNREADABLE, "message": "the row cannot be read"}
        return kind(**(dict.fromkeys(names, "") | told))
    if len(line) > _LONGEST_SHOWN:
        row = kind(*(shortened(each, _LONGEST_TEXT) for each in astuple(row)))
    said = shortened(row.message, _LONGEST_TEXT)
    return with_fields(row, status=known_status(row.status), message=said)
