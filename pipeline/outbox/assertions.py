"""Read assertions from an outbox, each with its problem and solutions, so that it can be proved.

An assertion says that all solutions of a problem are listed. The problem is read from the original;
the solutions are read from the outbox and certified.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, InvalidPuzzle, UsageError, counted, printable
from pipeline.outbox import RECORD_SUFFIX, NoRecord
from pipeline.outbox.audit.findings import AuditOptions, Findings
from pipeline.outbox.audit.single import read_grid, read_models
from pipeline.outbox.consistency import contradiction
from pipeline.outbox.originals import Originals, enclosing_archive
from pipeline.outbox.published import PublishedCollection, PublishedPuzzle, load_published
from pipeline.outbox.schema import ARCHIVE, CollectionRecord, or_none
from pipeline.outbox.tables import PuzzleRow, parse_grid_line, rows_with_solutions, yes_or_no
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
from pipeline.reading.formats import Entry, Layout, parse_source, symbols_of
from pipeline.reading.read import COLLECTION_CHUNK_BYTES, source_at, source_of_member
from pipeline.settings import Settings, with_declared
from pipeline.solving.items import problem_of
from pipeline.solving.problem import FormulaProblem, Problem, PuzzleProblem, S, read_problem

MAX_ROWS = 1000
"""Maximum number of complete rows of a table that are read without INDEX arguments."""

_TABLE_SUFFIX = ".csv"
_COMPLETE_TEXT = yes_or_no(True)
"""The value of `complete` in a row that lists all solutions."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion that a problem has no solutions other than `solutions`.

    - `name`: the name of the record, or the name of the table and the row, for messages.
    - `stem`: the stem of the names of files about the assertion.
    - `solutions`: certified solutions of the problem.
    - `doubt`: why `problem` may differ from the problem that was dropped; empty if `problem` was
      read from the original.
    """

    name: str
    stem: str
    status: str
    problem: Problem
    solutions: tuple[object, ...]
    doubt: str = ""


def load_published_set(path: Path) -> PublishedPuzzle | PublishedCollection:
    """Read the published set to which a record or table belongs.

    Raises UsageError for other files, and InputError if the record cannot be read or does not list
    the table.
    """
    if path.suffix not in (RECORD_SUFFIX, _TABLE_SUFFIX):
        raise UsageError(
            f"{_printable_path(path)}: expected a record, NAME.json, or a table, NAME.csv"
        )
    record = path.with_suffix(RECORD_SUFFIX)
    try:
        published = load_published(record.parent.resolve() / record.name)
    except FileNotFoundError:
        raise InputError(f"{_printable_path(record)}: no such record") from None
    except NoRecord as error:
        raise InputError(f"{_printable_path(record)}: {error}") from error
    if path.suffix == _TABLE_SUFFIX and path.name not in published.files:
        raise InputError(f"{_printable_path(path)}: its record does not list this table")
    return published


def assertions_in(
    published: PublishedPuzzle | PublishedCollection,
    indices: Sequence[int],
    folders: Sequence[Path],
    settings: Settings,
) -> Iterator[Assertion | InputError]:
    """Yield the assertion of a record, or of each row of its table.

    `indices` selects rows; if it is empty, all complete rows are read. `folders` contain originals,
    for example `inbox/done`. For a row without a valid assertion, yields an InputError. Raises
    InputError if nothing can be read, and UsageError for an archive's record, for a wrong index and
    for too many rows. Also raises OSError.
    """
    name = printable(published.path.name)
    settings = with_declared(settings, published.declared)
    finder = _OriginalFinder(published, Originals.of(folders), settings)
    if isinstance(published, PublishedPuzzle):
        if indices:
            raise UsageError(f"{name} is a single puzzle; leave out INDEX")
        try:
            yield _puzzle_assertion(published, finder, settings)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    elif published.record.status == ARCHIVE:
        inside = f"{printable(published.stem)}/"
        raise UsageError(
            f"{name} belongs to an archive; give the record or table of a member in {inside}"
        )
    else:
        yield from _row_assertions(published, indices, finder, settings)


def enclosing_folders(published: PublishedPuzzle | PublishedCollection) -> Iterator[Path]:
    """Yield the folder of a set and, for a member of an archive, its parents up to the outbox."""
    archive = _archive_of(published)
    for folder in published.path.parents:
        yield folder
        if archive is None or folder == archive[0].parent:
            return


def _printable_path(path: Path) -> str:
    return printable(str(path))


def _archive_of(
    published: PublishedPuzzle | PublishedCollection,
) -> tuple[Path, CollectionRecord] | None:
    """Find the record of the archive that has this set as a member.

    Returns the path of the record, and the record; None if the set does not belong to an archive.
    """
    is_member = or_none(published.record.member) is not None
    return enclosing_archive(published.path) if is_member else None


class _OriginalFinder:
    """Finds and reads the original of a set. The original of a member is its archive.

    - `paths`: the originals that have the name of the source.
    - `not_found`: the message if `paths` is empty.
    """

    def __init__(
        self,
        published: PublishedPuzzle | PublishedCollection,
        originals: Originals,
        settings: Settings,
    ) -> None:
        self._record = published.record
        self._archive = _archive_of(published)
        self._settings = settings
        self._dropped = dropped = self._archive[1] if self._archive else published.record
        is_archive_missing = or_none(self._record.member) is not None and self._archive is None
        self._originals = originals
        self.paths = [] if is_archive_missing else originals.find(dropped.source)
        self.not_found = f"its original {printable(dropped.source)!r} was not found"

    def read_problem_bytes(self) -> bytes:
        """Read the original of a single puzzle or formula. Raises InputError and OSError."""
        for content in self._candidates():
            match content:
                case Unreadable(data=None):
                    raise InputError(f"the original cannot be read: {content.reason}")
                case (
                    SinglePuzzle(data=data)
                    | SingleFormula(data=data)
                    | Unreadable(data=bytes(data))
                ):
                    if self._archive is None or sha256(data).hexdigest() == self._record.sha256:
                        return data
        raise self._mismatch()

    def read_entries(self, indices: Sequence[int]) -> Mapping[int, Entry]:
        """Read the entries of a collection with these indices. Raises InputError and OSError."""
        for content in self._candidates():
            if isinstance(content, tuple):
                entries, stream = _find_entries(*content, indices, self._settings), content[1]
                if self._archive is None:
                    return entries
                drain(stream)
                if stream.digest == self._record.sha256:
                    return entries
        raise self._mismatch()

    def _mismatch(self) -> InputError:
        """The error if no original has the hash of the record."""
        return InputError(f"{_printable_path(self.paths[0])} is not the original of this record")

    def _candidates(self) -> Iterator[OneProblem | tuple[Layout, PeekableStream]]:
        """Yield the content of each original with the name and, if known, the hash of the source.

        If the set belongs to a member of an archive, the originals are archives: yield the content
        of the member in each of them.
        """
        if not self.paths:
            raise InputError(f"{self.not_found}; give its folder with --originals")
        settings, limits = self._settings, UnpackLimits.of(self._settings)
        number = or_none(self._record.member)
        for path in self._originals.find_matching(self._dropped, settings.max_bytes, limits):
            source = source_at(path, self._record.source, settings)
            if isinstance(source, Archive):
                with closing(walk(path, limits)) as members:
                    for member in islice(members, number, number + 1) if number is not None else ():
                        yield source_of_member(member, settings)
            elif self._archive is None and isinstance(source, Collection):
                with PeekableStream(open_unpacked(path, limits)) as stream:
                    yield source.layout, stream
            elif self._archive is None and not isinstance(source, Collection):
                yield source


def _find_entries(
    layout: Layout, stream: PeekableStream, indices: Sequence[int], settings: Settings
) -> dict[int, Entry]:
    """Map indices to the entries of a collection. `indices` are ascending, and count from 1."""
    by_index: dict[int, Entry] = {}
    entries_before, remaining = 0, [*reversed(indices)]
    for chunk in layout.chunks(stream, COLLECTION_CHUNK_BYTES):
        entries = layout.entries(chunk, settings.reading)
        while remaining and remaining[-1] <= entries_before + len(entries):
            index = remaining.pop()
            by_index[index] = entries[index - entries_before - 1]
        entries_before += len(entries)
        if not remaining:
            break
    return by_index


def _puzzle_assertion(
    published: PublishedPuzzle, finder: _OriginalFinder, settings: Settings
) -> Assertion:
    """Read the assertion in the record of a puzzle or formula. Raises InputError and OSError."""
    record = published.record
    _check_status(record.status, len(published.solution_files), record.complete)
    problem = read_problem(finder.read_problem_bytes(), record.source, settings)
    report = Findings(AuditOptions(settings), is_current_build=published.is_current_build)
    if isinstance(problem, FormulaProblem):
        solutions: list[object] = [*read_models(published, problem.parsed, report)]
    else:
        names, puzzle = published.solution_files, problem.puzzle
        solutions = [read_grid(published, name, puzzle, report) for name in names]
    for fault in report.finding(published.stem, record.status).problems:
        raise InputError(fault)
    if None in solutions or not len(solutions) == len(published.solution_files) == record.solutions:
        raise InputError(
            f"the record counts {counted(record.solutions or 0, 'solution')}, "
            f"found {len(solutions) - solutions.count(None)}"
        )
    by_name: dict[str, Any] = dict(zip(published.solution_files, solutions, strict=True))
    certified = _certify(problem, by_name)
    return Assertion(
        printable(published.path.name), published.stem, record.status, problem, certified
    )


def _check_status(status: str, solutions: int, complete: bool | None) -> None:
    """Raise InputError unless these values assert that all solutions are listed."""
    if not complete:
        raise InputError(
            "nothing to prove: the record does not state that all solutions are listed (status "
            f"{status})"
        )
    if fault := contradiction(status, solutions, complete):
        raise InputError(fault)


def _certify(problem: Problem[S], solutions: Mapping[str, S]) -> tuple[S, ...]:
    """Certify solutions. Raises InputError if one is wrong, or if two are equal.

    `solutions` maps the name of each file to its solution.
    """
    first: dict[S, str] = {}
    for name, solution in solutions.items():
        if fault := problem.fault(solution, name):
            raise InputError(fault)
        if (other := first.setdefault(solution, name)) != name:
            raise InputError(f"{other} and {name} have the same {problem.noun}")
    return tuple(first)


def _row_assertions(
    published: PublishedCollection,
    indices: Sequence[int],
    finder: _OriginalFinder,
    settings: Settings,
) -> Iterator[Assertion | InputError]:
    """Yield the assertion of each selected row, or an InputError if it has no valid assertion."""
    rows = _select_rows(published, indices)
    entries = finder.read_entries([*rows]) if finder.paths else {}
    table = printable(f"{published.stem}{_TABLE_SUFFIX}")
    doubt = (
        "" if finder.paths else f"{table}: {finder.not_found}: the puzzles were read from the table"
    )
    for index, (row, lines) in rows.items():
        name = f"{table}: row {index}"
        try:
            _check_status(row.status, len(lines), row.complete == _COMPLETE_TEXT)
            problem, symbols = _problem_of_row(row, entries.get(index), finder, settings)
            grids = _certified_grids(problem, symbols, row, lines)
        except InputError as error:
            yield InputError(f"{name}: {error}")
            continue
        stem = f"{published.stem}_{index}"
        yield Assertion(name, stem, row.status, problem, grids, doubt)


def _select_rows(
    published: PublishedCollection, indices: Sequence[int]
) -> dict[int, tuple[PuzzleRow, dict[str, str]]]:
    """Select the rows with these indices or, if there are no indices, all complete rows.

    Maps the index of each row to the row and its solutions; solutions are a map from the name of a
    file to a line. Raises UsageError and InputError.
    """
    name, selected = printable(f"{published.stem}{_TABLE_SUFFIX}"), {*indices}
    if selected and min(selected) < 1:
        raise UsageError(f"INDEX: expected 1 or more, found {min(selected)}")
    last = min(max(selected), sys.maxsize) if selected else None
    rows_by_index: dict[int, tuple[PuzzleRow, dict[str, str]]] = {}
    rows = rows_with_solutions(
        *(published.path.parent, published.stem, published.solution_files), published.record.schema
    )
    count = complete = 0
    for count, (row, lines) in enumerate(islice(rows, last), 1):
        complete += row.complete == _COMPLETE_TEXT
        if count in selected or (
            not selected and row.complete == _COMPLETE_TEXT and complete <= MAX_ROWS
        ):
            rows_by_index[count] = row, lines
    if missing := sorted(selected - rows_by_index.keys()):
        raise UsageError(f"{name} has no row {missing[0]}: it has {counted(count, 'row')}")
    if complete > MAX_ROWS and not selected:
        raise UsageError(
            f"{name}: {complete:,} rows are complete, more than the {MAX_ROWS:,} allowed at once; "
            "give some INDEX arguments"
        )
    if not rows_by_index:
        raise InputError(f"{name}: no row is marked complete, so there is nothing to prove")
    return rows_by_index


def _problem_of_row(
    row: PuzzleRow, entry: Entry | None, finder: _OriginalFinder, settings: Settings
) -> tuple[PuzzleProblem, str]:
    """Read the puzzle of a row from the original, or from the table if no original was found.

    Returns the problem, and the characters of its values (empty for digits). Raises InputError.
    """
    if not finder.paths:
        text = row.puzzle.encode(errors="surrogateescape")
        try:
            parsed = parse_source(text, "the table", settings.reading._replace(format="auto"))
        except InvalidPuzzle as error:
            raise InputError(
                f"{finder.not_found}, and the table has no readable puzzle: {error}"
            ) from error
        return PuzzleProblem(parsed), symbols_of(parsed.format)
    if entry is None or entry.error is not None:
        raise InputError("the original has no puzzle at this row")
    if printable(entry.text) != row.puzzle:
        raise InputError(
            f"the original has a different puzzle at this row: {printable(entry.text)[:100]!r}"
        )
    return problem_of(entry), entry.symbols


def _certified_grids(
    problem: PuzzleProblem, symbols: str, row: PuzzleRow, lines: Mapping[str, str]
) -> tuple[Grid, ...]:
    """Read and certify the solutions of a row. Raises InputError.

    `symbols` are the characters of the values; `lines` maps files to the lines of the solutions.
    """
    if row.solutions != str(len(lines)):
        raise InputError(
            f"the table says {row.solutions[:20]} solutions, the solution files have {len(lines)}"
        )
    grids: dict[str, Grid] = {}
    for name, line in lines.items():
        if (grid := parse_grid_line(line, symbols, problem.puzzle.geometry)) is None:
            raise InputError(f"{name}: {line[:100]!r} is not a grid of the puzzle's size")
        grids[name] = grid
    return _certify(problem, grids)
