"""Sources as lots of classic 9×9 puzzles with their places, in the order in which they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.symmetries import Cells
from pipeline.catalogue.values import are_classic, values_of_masks
from pipeline.errors import printable
from pipeline.puzzle.puzzle import NINE, Puzzle
from pipeline.reading.archives.limits import UnpackLimits
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.archives.walk import opened, walk
from pipeline.reading.formats import Piece
from pipeline.reading.read import contents_of, contents_of_member
from pipeline.reading.source import Archive, Collection, Single, Source
from pipeline.settings import Settings
from pipeline.solving.items import item_of
from pipeline.solving.problem import PuzzleProblem

PIECE_BYTES = 256 * 1024
AT_ONCE = 4096
"""Puzzles that are compared together: enough to keep lanes full."""

_LINE_BITS = 36
_NOT_CLASSIC = "it is not a classic puzzle of 9×9"


@dataclass(frozen=True, slots=True)
class Left:
    """What was not compared, where, and why; `line` is None if the source is one puzzle."""

    source: str
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Lot:
    """Some puzzles (P, 81), 0 for a blank, their places (P,), and what is left out."""

    puzzles: Cells
    places: NDArray[np.int64]
    left: list[Left]


@dataclass(slots=True)
class Places:
    """Places of puzzles as numbers that grow in the order of reading: a source and a line."""

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


def lots_of(paths: Sequence[Path], places: Places, settings: Settings) -> Iterator[Lot]:
    """The puzzles of files, folders and archives, some thousands at once; notes their places.

    In memory that does not grow with them, but for the names of members. Raises OSError if the
    environment fails.
    """
    return _in_large_lots(chain.from_iterable(_lots_at(path, places, settings) for path in paths))


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


def _lots_at(path: Path, places: Places, settings: Settings) -> Iterator[Lot]:
    room, name = UnpackLimits(settings.max_total_bytes), printable(str(path))
    match contents_of(path, name, settings):
        case Archive():
            for member in walk(path, room):
                places.begin(f"{name}/{member.name}")
                found = contents_of_member(member, settings)
                if isinstance(found, Single):
                    yield _single(found, places, settings)
                else:
                    yield from _collection(*found, places, settings)
        case Collection(source):
            places.begin(name)
            with PeekableStream(opened(path, room)) as stream:
                yield from _collection(source, stream, places, settings)
        case Single() as single:
            places.begin(name)
            yield _single(single, places, settings)


def _single(single: Single, places: Places, settings: Settings) -> Lot:
    item = item_of(single, settings)
    problem = item.problem
    cells = classic_cells(problem.puzzle) if isinstance(problem, PuzzleProblem) else None
    if cells is None:
        return _left_out(Left(places.names[-1], None, item.reason or _NOT_CLASSIC))
    return Lot(cells[None], places.of(np.zeros(1, np.int64)), [])


def _collection(
    source: Source, stream: PeekableStream, places: Places, settings: Settings
) -> Iterator[Lot]:
    for piece in source.detected.pieces(stream, PIECE_BYTES):
        yield _of_piece(piece, source, places, settings)
    if stream.error:
        yield _left_out(Left(places.names[-1], None, str(stream.error)))


def _left_out(left: Left) -> Lot:
    return Lot(np.zeros((0, 81), np.uint8), np.zeros(0, np.int64), [left])


def _of_piece(piece: Piece, source: Source, places: Places, settings: Settings) -> Lot:
    contents = source.detected.contents(piece, source.name, settings.reading)
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


def _values_of(characters: NDArray[np.uint8]) -> Cells:
    """0 to 9 of characters 1-9 and blanks."""
    values = characters - np.uint8(ord("0"))
    values[values > 9] = 0
    return values


def classic_cells(puzzle: Puzzle) -> Cells | None:
    """The values (81,), 0 for a blank, of a classic puzzle of 9×9; None for any other."""
    if puzzle.geometry != NINE or not puzzle.is_plain:
        return None
    masks = np.array([puzzle.cells], np.uint16)
    return values_of_masks(masks)[0] if are_classic(masks)[0] else None
