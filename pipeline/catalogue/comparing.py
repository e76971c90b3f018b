"""Which puzzles of collections are equivalent: to an earlier one, or to one of another collection.

Both stream, in memory that does not grow with the collections. Sources are read as lots of some
thousand classic 9×9 puzzles, each with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.canonical import canonical_forms
from pipeline.catalogue.classes import LIMIT_BYTES, NOWHERE, Classes, Keys, keys_of
from pipeline.catalogue.puzzles import (
    Flags,
    ValueArray,
    are_classic,
    lines_of,
    masks_of_values,
    values_of_masks,
)
from pipeline.catalogue.solutions import solutions_of
from pipeline.puzzle.puzzle import NINE, Puzzle
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import Layout, Piece
from pipeline.settings import Settings
from pipeline.solving.items import Item, item_of, sources_at
from pipeline.solving.problem import PuzzleProblem

PIECE_BYTES = 256 * 1024
AT_ONCE = 4096
"""Puzzles that are compared together: enough to keep lanes full."""

NamedSource = tuple[Path, str]
"""A path, and the name of what lies there."""

_LINE_BITS = 36
_NOT_CLASSIC = "it is not a classic puzzle of 9×9"
_UNDECIDED = "the number of its solutions is not known"


@dataclass(frozen=True, slots=True)
class Copy:
    """A puzzle that is equivalent to another, the first of its class.

    A line is None if the source is one puzzle.
    """

    source: str
    line: int | None
    first_source: str
    first_line: int | None


@dataclass(frozen=True, slots=True)
class Left:
    """Something that was not compared, and why; `line` is None if the source is one puzzle."""

    source: str
    line: int | None
    reason: str


@dataclass(slots=True)
class Tally:
    """How many puzzles were compared or left out, and the classes and copies among them.

    `on_lot` is called after each lot.
    """

    puzzles: int = 0
    classes: int = 0
    copies: int = 0
    left: int = 0
    on_lot: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Lot:
    """Some puzzles (P, 81), 0 for a blank, their places (P,), and what is left out."""

    puzzles: ValueArray
    places: NDArray[np.int64]
    left: list[Left]


@dataclass(slots=True)
class SourceLines:
    """SourceLines of puzzles as numbers that grow in the order of reading: a source and a line."""

    names: list[str] = field(default_factory=list)

    def begin(self, name: str) -> None:
        """Those noted from now on are in this source, or member of an archive."""
        self.names.append(name)

    def of(self, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        return (len(self.names) - 1 << _LINE_BITS) + lines

    def told(self, place: int) -> tuple[str, int | None]:
        """The source, and the line, None if it is one puzzle."""
        number, line = divmod(place, 1 << _LINE_BITS)
        return self.names[number], line or None


def dedupe(
    sources: Sequence[NamedSource],
    settings: Settings,
    kept: BinaryIO | None = None,
    tally: Tally | None = None,
    limit: int = LIMIT_BYTES,
) -> Generator[Copy | Left]:
    """Tell which puzzles are equivalent to an earlier one, in the order in which they stand.

    The first of each class is written to `kept`, one a line. Other things than classic puzzles of
    9×9 are yielded as `Left`, before the copies of their lot, and not written. Raises OSError if
    the environment fails.
    """
    places, counted = SourceLines(), tally or Tally()
    with Classes(limit) as classes:
        for lot, keys in _keyed_lots(sources, places, settings, counted):
            yield from lot.left
            firsts = classes.meet(keys, lot.places)
            is_first = firsts == lot.places
            if kept:
                kept.write(lines_of(lot.puzzles[is_first]))
            counted.classes += int(is_first.sum())
            counted.copies += int((~is_first).sum())
            for place, first in zip(lot.places[~is_first], firsts[~is_first], strict=True):
                yield Copy(*places.told(int(place)), *places.told(int(first)))


def overlap(
    known: Sequence[NamedSource],
    asked: Sequence[NamedSource],
    settings: Settings,
    kept: BinaryIO | None = None,
    tallies: tuple[Tally, Tally] | None = None,
    limit: int = LIMIT_BYTES,
) -> Generator[Copy | Left]:
    """Find the puzzles of `asked` that are equivalent to one of `known`.

    Each comes with the first known one of its class; the puzzles that `known` lacks are written to
    `kept`, one a line. The tallies count the known puzzles, and those asked about, whose `copies`
    are the puzzles that both have. Raises OSError if the environment fails.
    """
    places, (theirs, ours) = SourceLines(), tallies or (Tally(), Tally())
    with Classes(limit) as classes:
        for lot, keys in _keyed_lots(known, places, settings, theirs):
            yield from lot.left
            classes.meet(keys, lot.places)
            theirs.classes = len(classes)
        theirs.copies = theirs.puzzles - theirs.classes
        for lot, keys in _keyed_lots(asked, places, settings, ours):
            yield from lot.left
            firsts = classes.find(keys)
            if kept:
                kept.write(lines_of(lot.puzzles[firsts == NOWHERE]))
            ours.copies += int((firsts != NOWHERE).sum())
            for place, first in zip(lot.places.tolist(), firsts.tolist(), strict=True):
                if first != NOWHERE:
                    yield Copy(*places.told(place), *places.told(first))


def _keyed_lots(
    sources: Sequence[NamedSource], places: SourceLines, settings: Settings, tally: Tally
) -> Iterator[tuple[Lot, Keys]]:
    """The puzzles that can be compared, with their keys; counts them, and what is left out."""
    for lot in lots_of(sources, places, settings):
        forms, certain = forms_of(lot.puzzles)
        unsure = [Left(*places.told(at), _UNDECIDED) for at in lot.places[~certain].tolist()]
        compared = Lot(lot.puzzles[certain], lot.places[certain], [*lot.left, *unsure])
        tally.puzzles += len(compared.puzzles)
        tally.left += len(compared.left)
        yield compared, keys_of(forms[certain])
        tally.on_lot()


def forms_of(puzzles: ValueArray) -> tuple[ValueArray, Flags]:
    """The canonical forms (P, 81) of 9×9 puzzles (P, 81), and which are certain; see `Known`."""
    known = solutions_of(NINE, masks_of_values(NINE, puzzles), 2)
    return canonical_forms(puzzles, known.unique, known.grids[0]), known.certain


def lots_of(
    sources: Sequence[NamedSource], places: SourceLines, settings: Settings
) -> Iterator[Lot]:
    """The puzzles of files, folders and archives, some thousands at once; notes their places.

    Only the names of members stay in memory. Raises OSError if the environment fails.
    """
    return _in_large_lots(
        chain.from_iterable(_lots_at(*source, places, settings) for source in sources)
    )


def _in_large_lots(lots: Iterable[Lot]) -> Iterator[Lot]:
    waiting: list[Lot] = []
    count = 0
    for lot in lots:
        waiting.append(lot)
        count += len(lot.puzzles) + len(lot.left)
        if count >= AT_ONCE:
            yield _joined(waiting)
            waiting, count = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(lots: list[Lot]) -> Lot:
    return Lot(
        np.concatenate([lot.puzzles for lot in lots]),
        np.concatenate([lot.places for lot in lots]),
        [left for lot in lots for left in lot.left],
    )


def _lots_at(path: Path, name: str, places: SourceLines, settings: Settings) -> Iterator[Lot]:
    for where, found in sources_at(path, name, settings, f"{name}/"):
        places.begin(where)
        if isinstance(found, tuple):
            yield from _collection(*found, places, settings)
        else:
            yield _single(item_of(found, where, settings), places)


def _single(item: Item, places: SourceLines) -> Lot:
    problem = item.problem
    cells = classic_cells(problem.puzzle) if isinstance(problem, PuzzleProblem) else None
    if cells is None:
        return _left_out(Left(item.name, None, item.reason or _NOT_CLASSIC))
    return Lot(cells[None], places.of(np.zeros(1, np.int64)), [])


def _collection(
    layout: Layout, stream: PeekableStream, places: SourceLines, settings: Settings
) -> Iterator[Lot]:
    for piece in layout.pieces(stream, PIECE_BYTES):
        yield _of_piece(piece, layout, places, settings)
    if stream.error:
        yield _left_out(Left(places.names[-1], None, str(stream.error)))


def _left_out(left: Left) -> Lot:
    return Lot(np.zeros((0, 81), np.uint8), np.zeros(0, np.int64), [left])


def _of_piece(piece: Piece, layout: Layout, places: SourceLines, settings: Settings) -> Lot:
    contents = layout.contents(piece, settings.reading)
    cells, is_classic = np.zeros((len(contents), 81), np.uint8), np.zeros(len(contents), np.bool_)
    lines, left = np.zeros(len(contents), np.int64), []
    lines[contents.places_of_plain] = contents.plain.numbers
    at, plain = contents.plain_cells()
    cells[at], is_classic[at] = _values_of(plain), True
    for place, entry in contents.entries():
        lines[place] = entry.line
        if entry.plain:
            continue
        values = classic_cells(entry.puzzle) if entry.puzzle else None
        if values is None:
            left.append(Left(places.names[-1], entry.line, entry.error or _NOT_CLASSIC))
        else:
            cells[place], is_classic[place] = values, True
    return Lot(cells[is_classic], places.of(lines[is_classic]), left)


def _values_of(characters: NDArray[np.uint8]) -> ValueArray:
    """0 to 9 of characters 1-9 and blanks."""
    values = characters - np.uint8(ord("0"))
    values[values > 9] = 0
    return values


def classic_cells(puzzle: Puzzle) -> ValueArray | None:
    """The values (81,), 0 for a blank, of a classic puzzle of 9×9; None for any other."""
    if puzzle.geometry != NINE or not puzzle.is_plain:
        return None
    masks = np.array([puzzle.cells], np.uint16)
    return values_of_masks(masks)[0] if are_classic(masks)[0] else None
