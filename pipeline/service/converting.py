"""Sources → their puzzles, or the solutions of these, in another notation, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from pipeline.errors import InputError, InvalidPuzzle, printable
from pipeline.outbox import ENDING
from pipeline.outbox.names import DONE
from pipeline.outbox.originals import Originals
from pipeline.puzzle.puzzle import NINE, Geometry, Grid, Puzzle
from pipeline.reading.formats import HEAD_BYTES, Layout, parsed_from, read_text
from pipeline.reading.formats.cells import shape_in_words
from pipeline.reading.formats.formula import NO_PUZZLE
from pipeline.reading.formats.parsed import Notes
from pipeline.reading.formats.targets import (
    NAMES,
    PICTURES,
    SINGLE,
    TARGETS,
    File,
    item_text,
    target_of,
)
from pipeline.service.solving import solve_problems
from pipeline.settings import USUAL, Settings
from pipeline.solving.items import Item, Part, groups, parts_of
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.outbox.report import Printed

__all__ = ["NAMES", "Converted", "convert", "endings_of", "file_of", "items_in"]

_PAGES: Final = File(most=1_000)
"""A PDF is laid out in memory, as a sheet is."""

Source = tuple[Path | Puzzle, str]
"""What lies at a path, or a puzzle; and its name in messages."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A puzzle of a source in another notation, or the reason why it is not.

    `name` is that of the source, or of the member of an archive; `line` is where the puzzle begins
    in a collection, from 1. `data` is what a file with it alone holds; it is empty if it becomes a
    page of a PDF of all. `unread` names what is left to people, such as rules in prose, which is
    not converted.
    """

    name: str
    line: int | None
    data: bytes | None
    reason: str | None = None
    unread: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name


@dataclass(frozen=True, slots=True)
class _Taken:
    """A puzzle to be converted, and its solution if that is wanted; else the reason why not.

    A plain puzzle may be only its `cells`, 81 digits and blanks.
    """

    name: str
    line: int | None
    puzzle: Puzzle | None
    cells: str = ""
    grid: Grid | None = None
    reason: str | None = None
    signs: str = ""
    unread: tuple[str, ...] = ()
    notes: Notes = ()


def endings_of(to: str) -> tuple[str, ...]:
    """The endings of file names that show that target."""
    return (f".{to}",) if to in PICTURES else target_of(to).endings


def file_of(to: str, *, solutions: bool) -> File:
    """How files of that target hold puzzles."""
    if to in PICTURES:
        return _PAGES if to == "pdf" else SINGLE
    return target_of(to).holding(solutions=solutions)


def convert(
    sources: Iterable[Source],
    to: str,
    settings: Settings,
    *,
    solutions: bool = False,
    kept: BinaryIO | None = None,
) -> Iterator[Converted]:
    """Convert all puzzles of the sources, as `api.convert` says."""
    file = file_of(to, solutions=solutions)
    write = _drawn if to in PICTURES else _written
    keeper = _Keeper(kept, file, to) if kept else None
    originals = Originals.of([settings.inbox / DONE])
    takes_cells = to in TARGETS and TARGETS[to].plain is not None
    for what, name in sources:
        taken = None if isinstance(what, Puzzle) else _published(what, originals, solutions)
        if taken is None and solutions:
            taken = _solved(items_in(what, name, settings), settings)
        for each in taken or _unsolved(what, name, settings, takes_cells=takes_cells):
            item, reason = None, each.reason
            try:
                item = write(each, to) if each.puzzle or each.cells else None
                if keeper and item is not None:
                    keeper.add(item, each)
            except ValueError as error:
                item, reason = None, str(error)
            if item is None:
                yield Converted(each.name, each.line, None, reason)
                continue
            data = b"" if keeper and to == "pdf" else _bound([item], file, to)
            yield Converted(each.name, each.line, data, None, _lost(each, to))
    if keeper:
        keeper.end()


def _item(part: Item | Part, name: str) -> Item:
    """The item of a source; one of an archive with its name before that of the member."""
    item = part.item() if isinstance(part, Part) else part
    return item if item.name == name else replace(item, name=f"{name}/{item.name}")


def items_in(what: Path | Puzzle, name: str, settings: Settings) -> Iterator[Item]:
    """The items of a source; those of an archive with its name before that of the member."""
    return (_item(part, name) for part in _parts(what, name, settings))


def _parts(what: Path | Puzzle, name: str, settings: Settings) -> Iterator[Item | Part]:
    if isinstance(what, Puzzle):
        return iter((Item(name, None, PuzzleProblem(parsed_from(what))),))
    return parts_of(what, name, settings)


def _unsolved(
    what: Path | Puzzle, name: str, settings: Settings, *, takes_cells: bool
) -> Iterator[_Taken]:
    """The puzzles of a source; if the target takes cells, those of plain ones as they are."""
    for part in _parts(what, name, settings):
        if takes_cells and isinstance(part, Part) and part.entry.plain:
            where = name if part.name == name else f"{name}/{part.name}"
            entry = part.entry
            yield _Taken(where, entry.line, None, cells=entry.text, unread=entry.unread)
        else:
            yield _puzzle_of(_item(part, name))


def _bound(items: list[bytes], file: File, to: str) -> bytes:
    """The file of these items."""
    if to in PICTURES:
        from pipeline.outbox.report.typeset import picture_of  # noqa: PLC0415 - slow to load

        return picture_of([item.decode() for item in items], to)
    return file.head.encode() + file.between.encode().join(items) + file.end.encode()


class _Keeper:
    """Writes items to a file; one that holds few is written when it is known that all fit."""

    def __init__(self, stream: BinaryIO, file: File, to: str) -> None:
        self._stream, self._file, self._to = stream, file, to
        self._first: Geometry | None = None
        self._held: list[bytes] = []
        self._head, self._count = bytearray(), 0

    def add(self, item: bytes, taken: _Taken) -> None:
        """Raises ValueError for a puzzle unlike the others, InputError for one too many."""
        file = self._file
        geometry = taken.puzzle.geometry if taken.puzzle else NINE
        first = self._first or geometry
        if file.most and len(self._held) == file.most:
            most = "one" if file.most == 1 else f"{file.most:,}"
            raise InputError(
                f"{printable(taken.name)}: there are many puzzles, and a file of {self._to} holds "
                f"{most}; -o FOLDER/ takes a file for each"
            )
        if file.alike and geometry != first:
            one, other = map(shape_in_words, (geometry, first))
            raise ValueError(f"a file of {self._to} cannot hold {one} beside {other}")
        if file.most:
            self._held.append(item)
        else:
            self._write((file.between if self._first else file.head).encode() + item)
        self._first = first
        self._count += 1

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._head += data[: HEAD_BYTES - len(self._head)]

    def end(self) -> None:
        """Raises InputError if the file would not be read as what was written to it."""
        if self._held:
            self._stream.write(_bound(self._held, self._file, self._to))
        elif self._first:
            self._write(self._file.end.encode())
            self._check_read_back()

    def _check_read_back(self) -> None:
        source, head = f"a file of {self._to} cannot hold all of them", bytes(self._head)
        what = read_text(head, len(head) < HEAD_BYTES, source, USUAL)
        if self._count == 1 or isinstance(what, Layout):
            return
        if isinstance(what, InvalidPuzzle):
            raise InputError(f"{what}; -o FOLDER/ takes a file for each")
        raise InputError(f"{source}: it would be read as one puzzle")


def _written(taken: _Taken, to: str) -> bytes:
    plain = TARGETS[to].plain
    if taken.cells and plain:
        return plain(taken.cells).encode()
    assert taken.puzzle  # noqa: S101 - the caller sees to it
    return item_text(taken.puzzle, to, taken.grid, taken.notes).encode()


def _lost(taken: _Taken, to: str) -> tuple[str, ...]:
    """What is left to people, and not written for them."""
    is_noted = to in TARGETS and TARGETS[to].noted is not None
    written = {key for key, _ in taken.notes} if is_noted else set()
    return tuple(each for each in taken.unread if each not in written)


def _drawn(taken: _Taken, _to: str) -> bytes:
    from pipeline.outbox.report import Board, board_svg  # noqa: PLC0415 - slow to load

    board = Board(taken.puzzle, taken.grid, signs=taken.signs, unread=taken.unread)
    title = f"{taken.name}, line {taken.line}" if taken.line else taken.name
    return board_svg(board, title, "b", alone=True).encode()


def _puzzle_of(item: Item) -> _Taken:
    """The puzzle of an item, or the reason why it has none."""
    problem = item.problem
    if isinstance(problem, PuzzleProblem):
        puzzle, unread = problem.puzzle, problem.unread
        notes = problem.parsed.notes
        return _Taken(item.name, item.line, puzzle, signs=item.signs, unread=unread, notes=notes)
    reason = item.reason or NO_PUZZLE
    return _Taken(item.name, item.line, None, reason=reason)


def _solved(items: Iterable[Item], settings: Settings) -> Iterator[_Taken]:
    """The puzzles with their solutions, those of collections as `run` solves them."""
    once = replace(settings, max_solutions=1)  # a second only shows that there are several
    with Solvers(settings.solver, settings.minisat) as solvers:
        for some in groups(items):
            chosen = once if some[0].line is None else once.of_many()
            taken = [*map(_puzzle_of, some)]
            problems = [
                item.problem
                for item, each in zip(some, taken, strict=True)
                if item.problem and each.puzzle
            ]
            results = iter(solve_problems(problems, solvers, chosen))
            for each in taken:
                yield _with_solution(each, next(results)) if each.puzzle else each


def _with_solution(taken: _Taken, result: Result) -> _Taken:
    """The puzzle with its only solution, or why it has none."""
    if result.status == "unique" and isinstance(grid := result.solutions[0], Grid):
        return replace(taken, grid=grid)
    return replace(taken, puzzle=None, reason=_why_none(result.status, result.said or ""))


def _why_none(status: str, said: str) -> str:
    if status == "multiple":
        return "it has more than one solution"
    return f"{status}: {said}" if said else status


def _published(path: Path, originals: Originals, solutions: bool) -> Iterator[_Taken] | None:
    """The puzzles of an outbox, a record or a table; None for anything else."""
    if not (path.is_dir() or path.suffix in (ENDING, ".csv")):
        return None
    from pipeline.outbox.report import is_published, puzzles_at  # noqa: PLC0415 - as above

    if not is_published(path):
        return None
    return (_taken_from(each, solutions=solutions) for each in puzzles_at(path, originals))


def _taken_from(printed: Printed | InputError, *, solutions: bool) -> _Taken:
    if isinstance(printed, InputError):
        return _Taken("", None, None, reason=str(printed))
    board = printed.board
    taken = _Taken(printed.where, None, board.puzzle, signs=board.signs, unread=tuple(board.unread))
    if not solutions:
        return taken
    if printed.status == "unique" and board.grid:
        return replace(taken, grid=board.grid)
    return replace(taken, puzzle=None, reason=_why_none(printed.status, printed.message or ""))
