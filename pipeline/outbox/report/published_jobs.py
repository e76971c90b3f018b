"""Read records and samples of tables for the report.

A record or row that cannot be read gets the status UNREADABLE, and a message.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, count, repeat
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

from msgspec.structs import astuple
from msgspec.structs import replace as with_fields

from pipeline import solving
from pipeline.errors import in_words, printable
from pipeline.outbox import (
    RECORD_SUFFIX,
    CollectionRecord,
    NoRecord,
    PuzzleRecord,
    load_record,
    schema,
)
from pipeline.outbox.archive_rows import UNREADABLE, archive_table, member_summaries
from pipeline.outbox.names import likely_stems
from pipeline.outbox.published import Published
from pipeline.outbox.schema import (
    EXTRA_COUNTS,
    SCHEMA,
    WITH_TOTALS,
    RecordedCell,
    or_none,
    recorded_time,
)
from pipeline.outbox.tables import MemberRow, PuzzleRow, Table, columns, lines_of
from pipeline.outbox.traits import RatingColumns
from pipeline.puzzle.geometry import MAX_SIDE
from pipeline.puzzle.shapes import Place
from pipeline.reading.unread import unread_summary
from pipeline.settings import Reading, Settings, is_declaration, with_declared

STATUSES: Final = (*(status for status in schema.STATUSES if status not in WITH_TOTALS), UNREADABLE)
"""The statuses of puzzles, in display order."""

ERROR_STATUSES: Final = solving.ERROR_STATUSES | {schema.REFUSED, UNREADABLE}
"""The statuses that the report shows as failures."""

UNRECOGNISED: Final = "unrecognised"
"""Replaces a status that this version does not know."""

_MAX_NAME_CHARACTERS, _MAX_TEXT_CHARACTERS = 255, 600
"""Maximum lengths of names and of other texts in the report."""

_MAX_CELLS = MAX_SIDE * MAX_SIDE
"""Maximum number of cells of a list in a record that are used."""

_EARLIEST_TIME = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
"""Earlier times in records are ignored."""

_CLAIM_TIME = re.compile(r"(\d{8}T\d{6})-", re.ASCII)
"""Matches the time at the beginning of the id of a job."""

_ESCAPE = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|U0010[0-9a-f]{4})")
"""Matches an escape sequence of `printable`."""

_MAX_LINE_CHARACTERS = 16 * 1024
"""The fields of longer lines of a table are shortened."""

_STATUS_RANKS = {"collection": 1, "unsolvable": 2, "multiple": 3}
"""Ranks of the rows in a sample, by status. Failures have rank 0, and all other statuses rank 4."""

_R = TypeVar("_R", PuzzleRow, MemberRow)


@dataclass(frozen=True)
class PublishedJob(Published):
    """A record, whose texts and statuses are made printable and limited in length for display."""

    @property
    def source(self) -> str:
        """The name of the source; the stem if the record has none."""
        return self.record.source or self.stem

    @property
    def status(self) -> str:
        return display_status(self.record.status)

    @property
    def puzzle(self) -> PuzzleRecord | None:
        """The record of a puzzle or formula; None for a collection or archive."""
        return None if isinstance(self.record, CollectionRecord) else self.record

    @property
    def has_many_puzzles(self) -> bool:
        return self.puzzle is None

    @cached_property
    def totals(self) -> dict[str, int]:
        """The numbers of puzzles by status, without the EXTRA_COUNTS."""
        totals: Counter[str] = Counter()
        for name, puzzles in self.record.totals.items():
            if name not in EXTRA_COUNTS and puzzles:
                totals[display_status(name)] += puzzles
        return totals

    @property
    def puzzles(self) -> int:
        return sum(self.totals.values())

    @property
    def has_no_failures(self) -> bool:
        """Whether neither the job nor any of its puzzles has a status in ERROR_STATUSES."""
        return self.status not in ERROR_STATUSES and not ERROR_STATUSES & self.totals.keys()

    @property
    def format(self) -> str:
        return display_text(self.record.format)

    @property
    def message(self) -> str:
        """The message; for a collection or archive, a sentence about its unread parts."""
        if isinstance(self.record, CollectionRecord):
            return display_text(unread_summary(or_none(self.record.unread) or {}))
        return display_text(self.record.message)

    @property
    def solutions(self) -> int | None:
        return self.puzzle.solutions if self.puzzle else None

    @property
    def seconds(self) -> Mapping[str, float]:
        """Maps each stage to its seconds."""
        return self.record.seconds or {}

    @cached_property
    def finished(self) -> float | None:
        """The time when the job finished, in seconds since 1970; None if it is unknown."""
        return _parse_time(self.record.finished)

    @property
    def started(self) -> float | None:
        """The time when the job was claimed, in seconds since 1970; None if it is unknown.

        The time is part of the job's id. If the id has no time, it is computed from the total time.
        """
        match, finished = _CLAIM_TIME.match(self.record.job), self.finished
        claimed = _parse_time(match[1]) if match else None
        total = self.seconds.get("total")
        if claimed is None and finished is not None and total is not None:
            claimed = finished - total
        if claimed is None or finished is None or not math.isfinite(claimed):
            return None
        return min(max(claimed, _EARLIEST_TIME), finished)

    @property
    def reading(self) -> Reading:
        """The options for reading the source in the declared notation."""
        known = {
            name: value for name, value in self.declared.items() if is_declaration(name, value)
        }
        return with_declared(Settings(), known).reading

    @property
    def rating_text(self) -> str:
        """The rating of a puzzle, such as `hard, score 1204`; empty without one."""
        if self.puzzle is None:
            return ""
        score, level, *_ = RatingColumns.texts(RatingColumns.record_value(self.puzzle))
        return rating_text(level, score)


def read_job(path: Path) -> PublishedJob | None:
    """Read the job with the record at `path`. Returns None if the file is missing.

    If the record cannot be read, the job has the status UNREADABLE, and its message says why.
    """
    try:
        return PublishedJob(path, load_record(path))
    except FileNotFoundError:
        return None
    except NoRecord as error:
        cause = error.__cause__
        reason = in_words(cause) if isinstance(cause, OSError) else str(error)
        message = f"the record cannot be read: {display_text(reason)}"
        placeholder = PuzzleRecord(job="", source="", status=UNREADABLE, message=message, files=())
        return PublishedJob(path, placeholder)


def display_text(text: str | None) -> str:
    """Make a text printable and limit its length. None becomes an empty text."""
    return shorten(text or "", _MAX_TEXT_CHARACTERS)


def shorten(text: str, max_length: int = _MAX_NAME_CHARACTERS) -> str:
    """Make a text printable, and shorten it to `max_length` characters."""
    shown = printable(text[: max_length + 1])
    return shown if len(shown) <= max_length else shown[: max_length - 1] + "…"


def display_status(status: str | None) -> str:
    """Return a known status unchanged; return UNRECOGNISED for any other."""
    return status if status in STATUSES or status in WITH_TOTALS else UNRECOGNISED


def is_within(folder: Path, top: Path) -> bool:
    """Whether the path of `folder`, a folder in `top`, has no links below `top`."""
    try:
        return folder.resolve() == top.resolve() / folder.relative_to(top)
    except (OSError, RuntimeError, ValueError):
        return False


def job_of_member(archive: PublishedJob, index: int, row: MemberRow) -> PublishedJob | None:
    """Find the job of an archive's member. `index`: the index of the member's row, from 0.

    Returns None if the member has no record.
    """
    outbox = archive.path.parent
    unescaped = _ESCAPE.sub(  # undo `printable`
        lambda match: match[0].encode().decode("unicode_escape"), row.member
    )
    for name in dict.fromkeys((row.member, unescaped)):
        path = PurePosixPath(name)
        folder = outbox / archive.stem / path.parent
        if ".." in path.parts or not path.name or not is_within(folder, outbox):
            continue
        for stem in likely_stems(path.name):
            member = read_job(folder / f"{stem}{RECORD_SUFFIX}")
            if member is not None and or_none(member.record.member) == index:
                return member
    return None


def places_of(cells: Sequence[RecordedCell]) -> tuple[Place, ...]:
    """The places of cells, without those after the first _MAX_CELLS."""
    return tuple(cell.place for cell in cells[:_MAX_CELLS])


def _parse_time(text: str | None) -> float | None:
    """Convert an ISO 8601 time to seconds since 1970; None if it is invalid or before 2000."""
    moment = recorded_time(text)
    try:
        seconds = moment.timestamp() if moment else None
    except OverflowError:
        return None
    return seconds if seconds is not None and seconds >= _EARLIEST_TIME else None


def rating_text(level: str, score: str) -> str:
    """Format a level and a score, such as `hard, score 1204`; empty for an unknown level."""
    return f"{level}, score {shorten(score, 20)}" if level in solving.LEVELS else ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Some rows of a table, failures first.

    - `rows`: the index of each row, from 0; the row; and its second solution, or an empty text.
    - `count`: the number of rows of the table.
    - `levels`: the levels of difficulty of all rows of the table.
    """

    rows: list[tuple[int, PuzzleRow, str]]
    count: int
    levels: set[str]


def sample_members(
    path: Path, max_rows: int, *, schema: int = SCHEMA
) -> tuple[list[tuple[int, MemberRow]], set[str]]:
    """Summarise at most `max_rows` members of an archive, failures first. Raises InputError.

    Returns the index of each member, from 0, with its summary, and the levels of difficulty of all
    rows of the archive's table.
    """
    table, levels = archive_table(path, schema, truncates=True), set[str]()
    members = map(_display_fields, member_summaries(table, _collecting_levels(table, levels)))
    ranked = ((_rank(row.status), index, row) for index, row in enumerate(members))
    best = heapq.nsmallest(max_rows, ranked, key=lambda member: member[:2])
    return [(index, row) for _, index, row in best], levels


def _rank(status: str) -> int:
    return 0 if status in ERROR_STATUSES else _STATUS_RANKS.get(status, 4)


def _collecting_levels(table: Table[Any], levels: set[str]) -> Iterator[str]:
    """Yield the lines of a table, and add their levels of difficulty to `levels`."""
    traits = table.trait_columns
    if "level" not in traits:
        yield from table
        return
    level_index = len(traits) - traits.index("level")  # from the end
    for line in table:
        if len(fields := line.rsplit(",", level_index)) > level_index:
            levels.add(fields[1])
        yield line


def sample_table(
    path: Path, max_rows: int, second_path: Path | None = None, *, schema: int = SCHEMA
) -> Sample:
    """Read a sample of at most `max_rows` rows. Raises InputError.

    `second_path`: the file of second solutions; None if no puzzle has one.
    """
    table, levels, indexes = Table(path, PuzzleRow, schema, truncates=True), set[str](), count()
    status_index = columns(PuzzleRow).index("status")
    second_lines = lines_of(second_path, truncates=True) if second_path else iter(())

    def ranked_rows() -> Iterator[tuple[int, int, PuzzleRow | str, str]]:
        """Yield the rank and index of each row, the row or its line, and its second solution.

        A line is parsed later, if its row is in the sample.
        """
        for line, other, index in zip(
            _collecting_levels(table, levels),
            chain(second_lines, repeat("")),
            indexes,
            strict=False,
        ):
            fields = line.split(",", status_index + 1)
            is_unquoted = len(fields) > status_index + 1 and '"' not in line
            is_short = len(line) <= _MAX_LINE_CHARACTERS
            row = line if is_unquoted and is_short else _display_row(table, index, line)
            status = fields[status_index] if isinstance(row, str) else row.status
            yield _rank(status), index, row, other if len(other) <= _MAX_LINE_CHARACTERS else ""

    best = heapq.nsmallest(max_rows, ranked_rows())
    rows = [
        (index, _display_row(table, index, row) if isinstance(row, str) else row, other.strip())
        for _, index, row, other in best
    ]
    sample = [(index, row, other if other.strip(".") else "") for index, row, other in rows]
    return Sample(sample, next(indexes), levels)


def _display_row(table: Table[PuzzleRow], index: int, line: str) -> PuzzleRow:
    """Parse a line for display. A malformed line becomes a row with the status UNREADABLE."""
    try:
        row = table.row(line)
    except ValueError:
        first, *_ = names = columns(table.row_class)
        fields = {first: str(index + 1), "status": UNREADABLE, "message": "the row cannot be read"}
        return table.row_class(**(dict.fromkeys(names, "") | fields))
    if len(line) > _MAX_LINE_CHARACTERS:
        row = table.row_class(*map(display_text, astuple(row)))
    return _display_fields(row)


def _display_fields(row: _R) -> _R:
    """A copy of a row, with a known status and a message that can be shown."""
    return with_fields(row, status=display_status(row.status), message=display_text(row.message))
