"""Read assertions of completeness from an outbox.

The problem is read from the original. The solutions are read from the published files, and
certified.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, InvalidPuzzle, UsageError, counted, printable
from pipeline.outbox import ENDING, NoRecord
from pipeline.outbox.audit.sets import AuditOptions, Findings
from pipeline.outbox.audit.single import grid_of, models_of
from pipeline.outbox.fits import misfit
from pipeline.outbox.originals import Originals, archive_above
from pipeline.outbox.published import PublishedCollection, PublishedPuzzle, load_published
from pipeline.outbox.schema import ARCHIVE, CollectionRecord, or_none
from pipeline.outbox.tables import PuzzleRow, grid_in, rows_with_solutions, yes_or_no
from pipeline.puzzle.puzzle import Grid
from pipeline.reading import (
    Archive,
    Collection,
    OneProblem,
    SingleFormula,
    SinglePuzzle,
    Unreadable,
)
from pipeline.reading.archives import UnpackLimits
from pipeline.reading.archives.streams import PeekableStream, drain
from pipeline.reading.archives.walk import open_unpacked, walk
from pipeline.reading.formats import Entry, Layout, parse_source, signs_of
from pipeline.reading.read import COLLECTION_CHUNK_BYTES, source_at, source_of_member
from pipeline.settings import Settings
from pipeline.solving.items import problem_of
from pipeline.solving.problem import FormulaProblem, Problem, PuzzleProblem, S, read_problem

MOST_ROWS = 1000
"""Maximum number of rows of a table that are read if no index is given."""

_TABLE = ".csv"
_YES = yes_or_no(True)


@dataclass(frozen=True, slots=True)
class Statement:
    """The assertion that a problem has no other solutions than these, which are certified.

    `name` is the record or row, `stem` the prefix of file names for it. `doubt` is the reason why
    this may not be the problem that was dropped, or empty.
    """

    name: str
    stem: str
    status: str
    problem: Problem
    solutions: tuple[object, ...]
    doubt: str = ""


def set_at(path: Path) -> PublishedPuzzle | PublishedCollection:
    """The set of a record or a table. Raises UsageError for any other file, and InputError."""
    if path.suffix not in (ENDING, _TABLE):
        raise UsageError(f"{_shown(path)}: expected a record, NAME.json, or a table, NAME.csv")
    record = path.with_suffix(ENDING)
    try:
        published = load_published(record.parent.resolve() / record.name)
    except FileNotFoundError:
        raise InputError(f"{_shown(record)}: there is no such record") from None
    except NoRecord as error:
        raise InputError(f"{_shown(record)}: {error}") from error
    if path.suffix == _TABLE and path.name not in published.files:
        raise InputError(f"{_shown(path)}: its record does not list it")
    return published


def statements_in(
    published: PublishedPuzzle | PublishedCollection,
    indices: Sequence[int],
    folders: Sequence[Path],
    settings: Settings,
) -> Iterator[Statement | InputError]:
    """The assertions of a record, or of a table's rows with these indices, by default all.

    `folders` contain originals, such as `inbox/done`. A faulty row is yielded as an InputError.
    Raises InputError if nothing can be read, UsageError for the record of an archive, an invalid
    index or too many rows, and OSError.
    """
    name = printable(published.path.name)
    settings = replace(settings, **published.declared)  # type: ignore[arg-type] # checked
    sought = _Sought(published, Originals.of(folders), settings)
    if isinstance(published, PublishedPuzzle):
        if indices:
            raise UsageError(f"{name} is about one puzzle, which has no index")
        try:
            yield _statement_of(published, sought, settings)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    elif published.record.status == ARCHIVE:
        inside = f"{printable(published.stem)}/"
        raise UsageError(
            f"{name} is an archive's; name the record or table of a member in {inside}"
        )
    else:
        yield from _statements_of_rows(published, indices, sought, settings)


def folders_of(published: PublishedPuzzle | PublishedCollection) -> Iterator[Path]:
    """The folder of a set; for a member of an archive, also its parents up to the outbox."""
    top = _archive_of(published)
    for folder in published.path.parents:
        yield folder
        if top is None or folder == top[0].parent:
            return


def _shown(path: Path) -> str:
    return printable(str(path))


def _archive_of(
    published: PublishedPuzzle | PublishedCollection,
) -> tuple[Path, CollectionRecord] | None:
    """The path and the record of the archive that contains the set, if any."""
    is_member = or_none(published.record.member) is not None
    return archive_above(published.path) if is_member else None


class _Sought:
    """The original of a set, which is searched for in the folders of originals."""

    def __init__(
        self,
        published: PublishedPuzzle | PublishedCollection,
        originals: Originals,
        settings: Settings,
    ) -> None:
        self._record = published.record
        self._top = _archive_of(published)
        self._settings = settings
        self._dropped = dropped = self._top[1] if self._top else published.record
        is_lost = or_none(self._record.member) is not None and self._top is None
        self._originals = originals
        self.named = [] if is_lost else originals.named(dropped.source)
        self.gone = f"its original {printable(dropped.source)!r} is gone"

    def data(self) -> bytes:
        """The bytes of one puzzle or formula. Raises InputError, OSError."""
        for path in self._fitting():
            match path:
                case Unreadable(data=None):
                    raise InputError(f"the original cannot be read: {path.reason}")
                case (
                    SinglePuzzle(data=data)
                    | SingleFormula(data=data)
                    | Unreadable(data=bytes(data))
                ):
                    if self._top is None or sha256(data).hexdigest() == self._record.sha256:
                        return data
        raise self._other()

    def entries(self, wanted: Sequence[int]) -> Mapping[int, Entry]:
        """The puzzles of a collection with the wanted indices, by index.

        Raises InputError, OSError.
        """
        for path in self._fitting():
            if isinstance(path, tuple):
                entries, stream = _entries_in(*path, wanted, self._settings), path[1]
                if self._top is None:
                    return entries
                drain(stream)
                if stream.digest == self._record.sha256:
                    return entries
        raise self._other()

    def _other(self) -> InputError:
        return InputError(f"{_shown(self.named[0])} is not the original of this record")

    def _fitting(self) -> Iterator[OneProblem | tuple[Layout, PeekableStream]]:
        """The content of each file that may be the original, by its name.

        It must have the hash of the dropped file, unless a folder was dropped. For an archive, this
        yields the content of the member.
        """
        if not self.named:
            raise InputError(f"{self.gone}: --originals names the folder that it is in")
        settings, room = self._settings, UnpackLimits.of(self._settings)
        number = or_none(self._record.member)
        for path in self._originals.fitting(self._dropped, settings.max_bytes, room):
            source = source_at(path, self._record.source, settings)
            if isinstance(source, Archive):
                with closing(walk(path, room)) as members:
                    for member in islice(members, number, number + 1) if number is not None else ():
                        yield source_of_member(member, settings)
            elif self._top is None and isinstance(source, Collection):
                with PeekableStream(open_unpacked(path, room)) as stream:
                    yield source.layout, stream
            elif self._top is None and not isinstance(source, Collection):
                yield source


def _entries_in(
    layout: Layout, stream: PeekableStream, wanted: Sequence[int], settings: Settings
) -> dict[int, Entry]:
    by_index: dict[int, Entry] = {}
    before, left = 0, [*reversed(wanted)]
    for chunk in layout.chunks(stream, COLLECTION_CHUNK_BYTES):
        entries = layout.entries(chunk, settings.reading)
        while left and left[-1] <= before + len(entries):
            index = left.pop()
            by_index[index] = entries[index - before - 1]
        before += len(entries)
        if not left:
            break
    return by_index


def _statement_of(published: PublishedPuzzle, sought: _Sought, settings: Settings) -> Statement:
    """The assertion of a record. Raises InputError, OSError."""
    record = published.record
    _check_status(record.status, len(published.numbered), record.complete)
    problem = read_problem(sought.data(), record.source, settings)
    report = Findings(AuditOptions(settings), is_ours=published.is_ours)
    if isinstance(problem, FormulaProblem):
        solutions: list[object] = [*models_of(published, problem.parsed, report)]
    else:
        names, puzzle = published.numbered, problem.puzzle
        solutions = [grid_of(published, name, puzzle, report) for name in names]
    for fault in report.finding(published.stem, record.status).problems:
        raise InputError(fault)
    if None in solutions or not len(solutions) == len(published.numbered) == record.solutions:
        raise InputError(f"of {counted(record.solutions or 0, 'solution')} not all are there")
    by_name: dict[str, Any] = dict(zip(published.numbered, solutions, strict=True))
    certified = _certified(problem, by_name)
    return Statement(
        printable(published.path.name), published.stem, record.status, problem, certified
    )


def _check_status(status: str, solutions: int, complete: bool | None) -> None:
    """Raise InputError unless these fields assert that the solutions are complete."""
    if not complete:
        raise InputError(f"it does not assert that its solutions are all: its status is {status!r}")
    if fault := misfit(status, solutions, complete):
        raise InputError(fault)


def _certified(problem: Problem[S], solutions: Mapping[str, S]) -> tuple[S, ...]:
    """The solutions, by file name. Raises InputError if one breaks the rules."""
    first: dict[S, str] = {}
    for name, solution in solutions.items():
        if fault := problem.fault(solution, name):
            raise InputError(fault)
        if (other := first.setdefault(solution, name)) != name:
            raise InputError(f"{other} and {name} hold the same {problem.noun}")
    return tuple(first)


def _statements_of_rows(
    published: PublishedCollection, indices: Sequence[int], sought: _Sought, settings: Settings
) -> Iterator[Statement | InputError]:
    rows = _rows(published, indices)
    entries = sought.entries([*rows]) if sought.named else {}
    table = printable(f"{published.stem}{_TABLE}")
    doubt = "" if sought.named else f"{table}: {sought.gone}: the puzzles are the table's"
    for index, (row, lines) in rows.items():
        name = f"{table}: row {index}"
        try:
            _check_status(row.status, len(lines), row.complete == _YES)
            problem, signs = _problem_of_row(row, entries.get(index), sought, settings)
            grids = _grids(problem, signs, row, lines)
        except InputError as error:
            yield InputError(f"{name}: {error}")
            continue
        stem = f"{published.stem}_{index}"
        yield Statement(name, stem, row.status, problem, grids, doubt)


def _rows(
    published: PublishedCollection, indices: Sequence[int]
) -> dict[int, tuple[PuzzleRow, dict[str, str]]]:
    """The rows with these indices, by default all complete ones, in order, with solutions."""
    name, wanted = printable(f"{published.stem}{_TABLE}"), {*indices}
    if wanted and min(wanted) < 1:
        raise UsageError(f"{min(wanted)} is not an index: rows count from 1")
    last = min(max(wanted), sys.maxsize) if wanted else None
    asserting: dict[int, tuple[PuzzleRow, dict[str, str]]] = {}
    rows = rows_with_solutions(
        *(published.path.parent, published.stem, published.numbered), published.record.schema
    )
    count = complete = 0
    for count, (row, lines) in enumerate(islice(rows, last), 1):
        complete += row.complete == _YES
        if count in wanted or (not wanted and row.complete == _YES and complete <= MOST_ROWS):
            asserting[count] = row, lines
    if missing := sorted(wanted - asserting.keys()):
        raise UsageError(f"{name} has no row {missing[0]}: it has {counted(count, 'row')}")
    if complete > MOST_ROWS and not wanted:
        raise UsageError(
            f"{name}: {complete:,} rows are complete, more than the limit of {MOST_ROWS:,}; "
            "select some by their indices"
        )
    if not asserting:
        raise InputError(f"{name}: no row is complete")
    return asserting


def _problem_of_row(
    row: PuzzleRow, entry: Entry | None, sought: _Sought, settings: Settings
) -> tuple[PuzzleProblem, str]:
    """The puzzle of a row in the original, or in the table if the original is gone.

    Also returns the signs of its values, if they are letters. Raises InputError.
    """
    if not sought.named:
        text = row.puzzle.encode(errors="surrogateescape")
        try:
            parsed = parse_source(text, "the table", settings.reading._replace(format="auto"))
        except InvalidPuzzle as error:
            raise InputError(f"{sought.gone}, and without it: {error}") from error
        return PuzzleProblem(parsed), signs_of(parsed.format)
    if entry is None or entry.error is not None:
        raise InputError("the original holds no puzzle there")
    if printable(entry.text) != row.puzzle:
        raise InputError(f"the original has another puzzle there: {printable(entry.text)[:100]!r}")
    return problem_of(entry), entry.signs


def _grids(
    problem: PuzzleProblem, signs: str, row: PuzzleRow, lines: Mapping[str, str]
) -> tuple[Grid, ...]:
    """The solutions of a row, certified. Raises InputError."""
    if row.solutions != str(len(lines)):
        has = counted(len(lines), "line")
        raise InputError(
            f"{row.solutions[:20]} solutions in the table, the solution files have {has}"
        )
    grids: dict[str, Grid] = {}
    for name, line in lines.items():
        if (grid := grid_in(line, signs, problem.puzzle.geometry)) is None:
            raise InputError(f"{name}: {line[:100]!r} is not a grid of the puzzle's size")
        grids[name] = grid
    return _certified(problem, grids)
