"""Find puzzles that are equivalent to earlier puzzles, or to puzzles of another collection.

Sources are read as streams: memory use does not grow with the size of a collection. They are read
in batches of a few thousand classic 9×9 puzzles, each with its position.
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
from pipeline.catalogue.classes import ABSENT, LIMIT_BYTES, Classes, Keys, keys_of
from pipeline.catalogue.puzzle_arrays import (
    Flags,
    ValueArray,
    are_classic,
    masks_of_values,
    text_lines,
    values_of_masks,
)
from pipeline.catalogue.solutions import certified_solutions
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import Layout, TextChunk
from pipeline.settings import Settings
from pipeline.solving.items import Item, item_of, sources_at
from pipeline.solving.problem import PuzzleProblem

CHUNK_BYTES = 256 * 1024
"""Number of bytes of a collection that are read at once."""

BATCH_PUZZLES = 4096
"""Minimum number of items in each batch except the last: enough to fill the batch solver."""

NamedPath = tuple[Path, str]
"""The path of a source, and its name in results."""

_LINE_BITS = 36
"""The number of lower bits of a position, which contain the line. The upper bits are the source."""

_NOT_CLASSIC = "it is not a classic 9×9 puzzle"
_UNDECIDED = "the number of its solutions is not known"
"""Reasons why an item is skipped."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A puzzle that is equivalent to an earlier puzzle, the first of its class.

    Lines count from 1. A line is None if its source is a single puzzle.
    """

    source: str
    line: int | None
    first_source: str
    first_line: int | None


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """An item that was skipped, and the reason; `line` is None if the source is a single puzzle."""

    source: str
    line: int | None
    reason: str


@dataclass(slots=True)
class Tally:
    """Counts of compared puzzles, of their classes, of copies, and of skipped items.

    `on_batch` is called after each batch.
    """

    puzzles: int = 0
    classes: int = 0
    copies: int = 0
    skipped: int = 0
    on_batch: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ClassicBatch:
    """Classic puzzles (P, 81), where 0 is a blank, their positions (P,), and the skipped items."""

    puzzles: ValueArray
    positions: NDArray[np.int64]
    skipped: list[SkippedItem]


@dataclass(slots=True)
class PositionMap:
    """Maps the source and the line of a puzzle to an integer, its position, and back.

    Positions increase in reading order.
    """

    names: list[str] = field(default_factory=list)

    def start_source(self, name: str) -> None:
        """Start a source or a member of an archive. It becomes the source of `positions_of`."""
        self.names.append(name)

    def positions_of(self, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of lines of the current source. Line 0 is a single puzzle."""
        return (len(self.names) - 1 << _LINE_BITS) + lines

    def locate(self, position: int) -> tuple[str, int | None]:
        """Return the name of the source, and the line or, for a single puzzle, None."""
        number, line = divmod(position, 1 << _LINE_BITS)
        return self.names[number], line or None


def find_copies(
    sources: Sequence[NamedPath],
    settings: Settings,
    output: BinaryIO | None = None,
    tally: Tally | None = None,
    limit_bytes: int = LIMIT_BYTES,
) -> Generator[Copy | SkippedItem]:
    """Yield, in reading order, a `Copy` for each puzzle that is equivalent to an earlier one.

    The first puzzle of each class is written to `output`, one per line. Items other than classic
    9×9 puzzles, and puzzles whose number of solutions is not certified, are skipped: each is
    yielded as a `SkippedItem` before the copies of its batch, and is not written. `limit_bytes`
    limits the memory for classes. Raises OSError if the environment fails.
    """
    positions, counted = PositionMap(), tally or Tally()
    with Classes(limit_bytes) as classes:
        for batch, keys in _keyed_batches(sources, positions, settings, counted):
            yield from batch.skipped
            first_positions = classes.add(keys, batch.positions)
            is_first = first_positions == batch.positions
            if output:
                output.write(text_lines(batch.puzzles[is_first]))
            counted.classes += int(is_first.sum())
            counted.copies += int((~is_first).sum())
            copies = batch.positions[~is_first], first_positions[~is_first]
            for position, first in zip(*copies, strict=True):
                yield Copy(*positions.locate(int(position)), *positions.locate(int(first)))


def find_overlap(
    known_sources: Sequence[NamedPath],
    sources: Sequence[NamedPath],
    settings: Settings,
    output: BinaryIO | None = None,
    tallies: tuple[Tally, Tally] | None = None,
    limit_bytes: int = LIMIT_BYTES,
) -> Generator[Copy | SkippedItem]:
    """Yield a `Copy` for each puzzle of `sources` that is equivalent to a known puzzle.

    The `Copy` names the first known puzzle of the class. Puzzles of `sources` that are equivalent
    to no known puzzle are written to `output`, one per line. The first tally counts the puzzles of
    `known_sources`. The second tally counts the puzzles of `sources`, and its `copies` count the
    yielded `Copy` objects. `limit_bytes` limits the memory for classes. Raises OSError if the
    environment fails.
    """
    positions, (known_tally, tally) = PositionMap(), tallies or (Tally(), Tally())
    with Classes(limit_bytes) as classes:
        for batch, keys in _keyed_batches(known_sources, positions, settings, known_tally):
            yield from batch.skipped
            classes.add(keys, batch.positions)
            known_tally.classes = len(classes)
        known_tally.copies = known_tally.puzzles - known_tally.classes
        for batch, keys in _keyed_batches(sources, positions, settings, tally):
            yield from batch.skipped
            first_positions = classes.find(keys)
            if output:
                output.write(text_lines(batch.puzzles[first_positions == ABSENT]))
            tally.copies += int((first_positions != ABSENT).sum())
            pairs = zip(batch.positions.tolist(), first_positions.tolist(), strict=True)
            for position, first in pairs:
                if first != ABSENT:
                    yield Copy(*positions.locate(position), *positions.locate(first))


def _keyed_batches(
    sources: Sequence[NamedPath], positions: PositionMap, settings: Settings, tally: Tally
) -> Iterator[tuple[ClassicBatch, Keys]]:
    """Yield batches of puzzles with the keys of their classes, and update the tally.

    Puzzles whose number of solutions is not certified are skipped.
    """
    for batch in classic_batches(sources, positions, settings):
        forms, certified = forms_of(batch.puzzles)
        undecided = batch.positions[~certified].tolist()
        skipped = [*batch.skipped]
        skipped += [SkippedItem(*positions.locate(position), _UNDECIDED) for position in undecided]
        compared = ClassicBatch(batch.puzzles[certified], batch.positions[certified], skipped)
        tally.puzzles += len(compared.puzzles)
        tally.skipped += len(compared.skipped)
        yield compared, keys_of(forms[certified])
        tally.on_batch()


def forms_of(puzzles: ValueArray) -> tuple[ValueArray, Flags]:
    """Return the canonical forms (P, 81) of 9×9 puzzles, and flags (P,) of the certain forms."""
    solved = certified_solutions(NINE_BY_NINE, masks_of_values(NINE_BY_NINE, puzzles), 2)
    return canonical_forms(puzzles, solved.unique, solved.grids[0]), solved.certified


def classic_batches(
    sources: Sequence[NamedPath], positions: PositionMap, settings: Settings
) -> Iterator[ClassicBatch]:
    """Yield the puzzles of files, folders and archives in batches, and add sources to `positions`.

    Only the names of sources and members stay in memory. Raises OSError if the environment fails.
    """
    return _merge_batches(
        chain.from_iterable(_batches_at(*source, positions, settings) for source in sources)
    )


def _merge_batches(batches: Iterable[ClassicBatch]) -> Iterator[ClassicBatch]:
    """Merge consecutive batches until each has at least BATCH_PUZZLES items."""
    waiting: list[ClassicBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += len(batch.puzzles) + len(batch.skipped)
        if count >= BATCH_PUZZLES:
            yield _concatenate(waiting)
            waiting, count = [], 0
    if waiting:
        yield _concatenate(waiting)


def _concatenate(batches: list[ClassicBatch]) -> ClassicBatch:
    return ClassicBatch(
        np.concatenate([batch.puzzles for batch in batches]),
        np.concatenate([batch.positions for batch in batches]),
        [item for batch in batches for item in batch.skipped],
    )


def _batches_at(
    path: Path, name: str, positions: PositionMap, settings: Settings
) -> Iterator[ClassicBatch]:
    """Yield the puzzles of a file, folder or archive in batches of any size."""
    for source_name, source in sources_at(path, name, settings, f"{name}/"):
        positions.start_source(source_name)
        if isinstance(source, tuple):
            yield from _batches_of_collection(*source, positions, settings)
        else:
            yield _batch_of_puzzle(item_of(source, source_name, settings), positions)


def _batch_of_puzzle(item: Item, positions: PositionMap) -> ClassicBatch:
    problem = item.problem
    cells = classic_values(problem.puzzle) if isinstance(problem, PuzzleProblem) else None
    if cells is None:
        return _skipped_batch(SkippedItem(item.name, None, item.reason or _NOT_CLASSIC))
    return ClassicBatch(cells[None], positions.positions_of(np.zeros(1, np.int64)), [])


def _batches_of_collection(
    layout: Layout, stream: PeekableStream, positions: PositionMap, settings: Settings
) -> Iterator[ClassicBatch]:
    for chunk in layout.chunks(stream, CHUNK_BYTES):
        yield _batch_of_chunk(chunk, layout, positions, settings)
    if stream.error:
        yield _skipped_batch(SkippedItem(positions.names[-1], None, str(stream.error)))


def _skipped_batch(item: SkippedItem) -> ClassicBatch:
    return ClassicBatch(np.zeros((0, 81), np.uint8), np.zeros(0, np.int64), [item])


def _batch_of_chunk(
    chunk: TextChunk, layout: Layout, positions: PositionMap, settings: Settings
) -> ClassicBatch:
    """Read the puzzles of a chunk of a collection."""
    contents = layout.contents(chunk, settings.reading)
    cells, is_classic = np.zeros((len(contents), 81), np.uint8), np.zeros(len(contents), np.bool_)
    lines, skipped = np.zeros(len(contents), np.int64), []
    lines[contents.plain_indices] = contents.plain.numbers
    plain_rows, plain = contents.plain_cells()
    cells[plain_rows], is_classic[plain_rows] = _values_of(plain), True
    for index, entry in contents.entries():
        lines[index] = entry.line
        if entry.plain:
            continue
        values = classic_values(entry.puzzle) if entry.puzzle else None
        if values is None:
            skipped.append(
                SkippedItem(positions.names[-1], entry.line, entry.error or _NOT_CLASSIC)
            )
        else:
            cells[index], is_classic[index] = values, True
    return ClassicBatch(cells[is_classic], positions.positions_of(lines[is_classic]), skipped)


def _values_of(characters: NDArray[np.uint8]) -> ValueArray:
    """Return the values of characters: 1 to 9 for these digits, 0 for any other character."""
    values = characters - np.uint8(ord("0"))
    values[values > 9] = 0
    return values


def classic_values(puzzle: Puzzle) -> ValueArray | None:
    """Return the values (81,) of a classic 9×9 puzzle (0 is a blank); None for other puzzles."""
    if puzzle.geometry != NINE_BY_NINE or not puzzle.is_plain:
        return None
    masks = np.array([puzzle.cells], np.uint16)
    return values_of_masks(masks)[0] if are_classic(masks)[0] else None
