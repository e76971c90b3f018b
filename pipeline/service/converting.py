"""Convert the puzzles of sources, or their solutions, to another notation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from pipeline.errors import InputError, InvalidPuzzle, counted, printable, shortened
from pipeline.outbox import RECORD_SUFFIX
from pipeline.outbox.names import DONE
from pipeline.outbox.originals import Originals
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import HEAD_BYTES, Layout, Parsed, read_text
from pipeline.reading.formats.cells import shape_in_words
from pipeline.reading.formats.targets import (
    NAMES,
    ONE_ITEM,
    PICTURES,
    TARGETS,
    File,
    item_text,
    target_of,
)
from pipeline.service.solving import solve_groups
from pipeline.settings import DETECTED, Settings
from pipeline.solving.items import Item, group_items, items_of, reject_formulas
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.outbox.report import SheetPuzzle
    from pipeline.solving.result import Status

__all__ = ["NAMES", "Converted", "convert", "endings_of", "file_of"]

_PDF: Final = File(max_items=1_000)
"""The layout of a PDF. Its length is limited because PDFs are laid out in memory."""

NamedSource = tuple[Path | Puzzle, str]
"""A path or a puzzle, and its name for messages."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted puzzle, or the `reason` why it cannot be converted.

    - `name`: the source, or the archive member.
    - `line`: the first line of the puzzle in a collection, from 1.
    - `data`: the content of a file with only this puzzle; empty if the puzzle is a page of a PDF
      with all puzzles; None if it cannot be converted.
    - `unread`: parts that are not converted, such as rules in prose.
    """

    name: str
    line: int | None
    data: bytes | None
    reason: str | None = None
    unread: tuple[str, ...] = ()

    def __repr__(self) -> str:
        summary = self.reason if self.data is None else counted(len(self.data), "byte", ",")
        return f"<Converted {shortened(f'{printable(self.where)}: {summary}')}>"

    @property
    def where(self) -> str:
        return f"{self.name}:{self.line}" if self.line else self.name


def endings_of(notation: str) -> tuple[str, ...]:
    """The file name endings of a target notation."""
    return (f".{notation}",) if notation in PICTURES else target_of(notation).endings


def file_of(notation: str, *, solutions: bool) -> File:
    """The layout of a file in a target notation."""
    if notation in PICTURES:
        return _PDF if notation == "pdf" else ONE_ITEM
    return target_of(notation).file_for(solutions=solutions)


def convert(
    sources: Iterable[NamedSource],
    notation: str,
    settings: Settings,
    *,
    solutions: bool = False,
    kept: BinaryIO | None = None,
) -> Iterator[Converted]:
    """Convert all puzzles of the sources, as described in `api.convert`."""
    file = file_of(notation, solutions=solutions)
    target_file = _TargetFile(kept, file, notation) if kept else None
    originals = Originals.of([settings.inbox / DONE])
    for source, name in sources:
        for item, result in _items_with_results(source, name, settings, originals, solutions):
            try:
                data = _text_of_item(item, result if solutions else None, notation)
                if target_file:
                    target_file.add(data, item)
            except ValueError as error:
                yield Converted(item.name, item.line, None, str(error))
                continue
            data = b"" if target_file and notation == "pdf" else _join_items([data], file, notation)
            yield Converted(item.name, item.line, data, None, _lost_parts(item, notation))
    if target_file:
        target_file.end()


def _items_with_results(
    source: Path | Puzzle, name: str, settings: Settings, originals: Originals, solutions: bool
) -> Iterator[tuple[Item, Result | None]]:
    """Yield the items of a source, each with its result.

    A published puzzle has its published result. The result of another item is computed if
    `solutions`, else it is None.
    """
    if isinstance(source, Path) and (source.is_dir() or source.suffix in (RECORD_SUFFIX, ".csv")):
        from pipeline.outbox.report import is_published, puzzles_at  # noqa: PLC0415 - slow to load

        if is_published(source):
            yield from map(_item_of_published, puzzles_at(source, originals))
            return
    items = reject_formulas(items_of(source, name, settings))
    if not solutions:
        yield from ((item, None) for item in items)
        return
    first_only = replace(settings, max_solutions=1)  # uniqueness is certified in any case
    with Solvers(settings.solver, settings.minisat) as solvers:
        yield from solve_groups(group_items(items), solvers, first_only)


def _item_of_published(published: SheetPuzzle | InputError) -> tuple[Item, Result | None]:
    """Convert a published puzzle, or the error that replaces it, to an item with its result."""
    if isinstance(published, InputError):
        return Item("", None, str(published)), None
    board, status = published.board, cast("Status", published.status)
    assert board.puzzle  # noqa: S101 - `puzzles_at` always has a puzzle
    problem = PuzzleProblem(Parsed(board.puzzle, unread=tuple(board.unread)))
    grids = (board.grid,) if board.grid else ()
    return (
        Item(published.where, None, problem, board.symbols),
        Result(status, grids, message=published.message),
    )


def _join_items(items: list[bytes], file: File, notation: str) -> bytes:
    """The content of a file with these items."""
    if notation in PICTURES:
        from pipeline.outbox.report.typeset import typeset_picture  # noqa: PLC0415 - slow to load

        return typeset_picture([item.decode() for item in items], notation)
    return file.head.encode() + file.between.encode().join(items) + file.end.encode()


class _TargetFile:
    """Writes the file with all converted items.

    If the layout limits the number of items, the file is written at the end.
    """

    def __init__(self, stream: BinaryIO, file: File, notation: str) -> None:
        self._stream, self._file, self._notation = stream, file, notation
        self._geometry: Geometry | None = None
        self._items: list[bytes] = []
        self._head, self._count = bytearray(), 0

    def add(self, data: bytes, item: Item) -> None:
        """Add an item.

        Raises ValueError if the file cannot contain grids of different shapes, InputError if the
        file is full.
        """
        file = self._file
        geometry = NINE_BY_NINE if item.plain else _puzzle_of(item).geometry
        first = self._geometry or geometry
        if file.max_items and len(self._items) == file.max_items:
            limit = "one" if file.max_items == 1 else f"{file.max_items:,}"
            raise InputError(
                f"{printable(item.name)}: too many puzzles: a {self._notation} file can contain "
                f"{limit}; -o FOLDER/ writes one file per puzzle"
            )
        if file.one_geometry and geometry != first:
            shapes = " and ".join(map(shape_in_words, (geometry, first)))
            raise ValueError(f"a {self._notation} file cannot contain both {shapes}")
        if file.max_items:
            self._items.append(data)
        else:
            self._write((file.between if self._geometry else file.head).encode() + data)
        self._geometry = first
        self._count += 1

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._head += data[: HEAD_BYTES - len(self._head)]

    def end(self) -> None:
        """Finish the file. Raises InputError if the puzzles would be read back differently."""
        if self._items:
            self._stream.write(_join_items(self._items, self._file, self._notation))
        elif self._geometry:
            self._write(self._file.end.encode())
            self._check_read_back()

    def _check_read_back(self) -> None:
        """Check that the file is read as several puzzles if it contains several."""
        source, head = f"a {self._notation} file cannot contain all puzzles", bytes(self._head)
        content = read_text(head, len(head) < HEAD_BYTES, source, DETECTED)
        if self._count == 1 or isinstance(content, Layout):
            return
        if isinstance(content, InvalidPuzzle):
            raise InputError(f"{content}; -o FOLDER/ writes one file per puzzle")
        raise InputError(
            f"{source}: it would be read as one puzzle; -o FOLDER/ writes one file per puzzle"
        )


def _text_of_item(item: Item, result: Result | None, notation: str) -> bytes:
    """Write an item's puzzle in a notation or, if `result` is given, its unique solution.

    Raises ValueError if there is no puzzle or no unique solution, or if the notation cannot express
    it.
    """
    grid = None
    if item.reason is not None:
        raise ValueError(item.reason)
    if result:
        if result.status != "unique" or not result.solutions:
            raise ValueError(_why_not_unique(result))
        grid = result.solutions[0]
    target = TARGETS.get(notation)
    if item.plain and grid is None and target and target.plain:
        return target.plain(item.plain).encode()
    puzzle = _puzzle_of(item)
    if target:
        return item_text(puzzle, notation, grid, item.notes).encode()
    from pipeline.outbox.report import Board, board_svg  # noqa: PLC0415 - slow to load

    board = Board(puzzle, grid, symbols=item.symbols, unread=item.unread, has_caption=True)
    title = f"{item.name}, line {item.line}" if item.line else item.name
    return board_svg(board, title, "b", standalone=True).encode()


def _puzzle_of(item: Item) -> Puzzle:
    assert isinstance(item.problem, PuzzleProblem)  # noqa: S101 - an item without a puzzle has a reason
    return item.problem.puzzle


def _why_not_unique(result: Result) -> str:
    """The reason why a result does not contain a unique solution."""
    if result.status == "multiple":
        return "it has more than one solution"
    return f"{result.status}: {result.full_message}" if result.full_message else result.status


def _lost_parts(item: Item, notation: str) -> tuple[str, ...]:
    """The unread parts of an item that the target notation does not contain."""
    has_notes = notation in TARGETS and TARGETS[notation].annotated is not None
    written = {key for key, _ in item.notes} if item.unread and has_notes else set()
    return tuple(text for text in item.unread if text not in written)
