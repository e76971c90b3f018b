"""A piece of a collection → its rows: read, solved in batches, certified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pipeline.batches import LARGEST_SIDE, Answers, masks_of, solve_batch
from pipeline.certify import certifier
from pipeline.errors import InvalidPuzzle
from pipeline.parse import made, parse_source
from pipeline.parse.collections import Entry, Piece
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.rows import Row, Rows, Source, joined
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.stages import Stopwatch, solve_parsed

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NINE = Geometry(3, 3)


def solve_piece(piece: Piece, source: Source, solvers: Solvers, settings: Settings) -> Rows:
    """Read the puzzles of a piece, solve and certify them. Raises EnvironmentFailure."""
    entries = _entries(piece, source, settings)
    rows: list[Row | None] = [None] * len(entries)
    for geometry, places, masks in _batches(entries):
        answers = solve_batch(geometry, masks, solvers, settings)
        texts = _texts(answers, geometry)
        for at, place in enumerate(places):
            found = [rank[at] for rank in texts[: int(answers.counts[at])]]
            complete = bool(answers.complete[at])
            message = answers.messages.get(at)
            entry, status = entries[place], answers.status[at]
            rows[place] = Row(entry, status, found, complete, message, geometry.side**2)
    for place, entry in enumerate(entries):
        if rows[place] is None:
            rows[place] = _alone(entry, solvers, settings)
    whole = [row for row in rows if row]
    for row in whole:
        if row.entry.claimed is not None:
            row.disagreement = _disagreement(row, settings)
    return joined(whole, source)


def failed_piece(piece: Piece, source: Source, settings: Settings, why: str) -> Rows:
    """The rows of puzzles that could not be computed, without computing them."""
    entries = _entries(piece, source, settings)
    return joined([Row(entry, "failed", message=why) for entry in entries], source)


def _entries(piece: Piece, source: Source, settings: Settings) -> list[Entry]:
    found = source.detected
    return found.format.entries(piece, found.layout, source.name, settings.reading)


def _batches(
    entries: Sequence[Entry],
) -> Iterable[tuple[Geometry, list[int], NDArray[np.uint64]]]:
    """The puzzles by geometry: their places and masks."""
    plain = [place for place, entry in enumerate(entries) if entry.plain]
    if plain:
        yield _NINE, plain, _plain_masks([entries[place].text for place in plain])
    others: dict[Geometry, list[int]] = {}
    for place, entry in enumerate(entries):
        if entry.puzzle is not None and entry.puzzle.geometry.side <= LARGEST_SIDE:
            others.setdefault(entry.puzzle.geometry, []).append(place)
    for geometry, places in others.items():
        puzzles = [puzzle for place in places if (puzzle := entries[place].puzzle)]
        yield geometry, places, masks_of(puzzles)


def _plain_masks(texts: Sequence[str]) -> NDArray[np.uint64]:
    """The masks of 9×9 puzzles of 81 digits and blanks."""
    masks = np.full(256, _NINE.all_values, np.uint64)
    for value in range(1, 10):
        masks[ord(str(value))] = 1 << (value - 1)
    return masks[np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, 81)]


def _texts(answers: Answers, geometry: Geometry) -> list[list[str]]:
    """For each rank that is needed, the grids as lines without their ends."""
    ranks = int(answers.counts.max(initial=0))
    if geometry.side > 9:
        return [[one_line(values.tolist()) for values in grids] for grids in answers.grids[:ranks]]
    cells = geometry.side**2
    texts = [(grids + ord("0")).tobytes().decode("ascii") for grids in answers.grids[:ranks]]
    return [[text[at : at + cells] for at in range(0, len(text), cells)] for text in texts]


def one_line(values: Iterable[int]) -> str:
    """A grid of any size in one line: digits, or numbers with blanks between."""
    words = [str(value) for value in values]
    return (" " if len(words) > 81 else "").join(words)


def _alone(entry: Entry, solvers: Solvers, settings: Settings) -> Row:
    if entry.puzzle is None:
        return Row(entry, "invalid", message=entry.error)
    result = solve_parsed(made(entry.puzzle), solvers, settings, Stopwatch())
    lines = [one_line(grid.values) for grid in result.solutions]
    cells = len(entry.puzzle.cells)
    return Row(entry, result.status, lines, result.complete, result.message, cells)


def _disagreement(row: Row, settings: Settings) -> str | None:
    """What is wrong with the solution that stands beside a puzzle."""
    claimed = row.entry.claimed or ""
    if row.status in ("invalid", "failed") or claimed in row.solutions:
        return None
    puzzle = row.entry.puzzle or _puzzle_of(row.entry.text)
    grid = _grid_of(claimed, puzzle.geometry, settings)
    if grid and (one_line(grid.values) in row.solutions or certifier(puzzle, grid)):
        return None
    return f"the solution beside it is {'another one' if row.complete else 'none'}"


def _puzzle_of(text: str) -> Puzzle:
    return Puzzle.of_values(_NINE, [int(sign) if sign.isdigit() else 0 for sign in text])


def _grid_of(text: str, geometry: Geometry, settings: Settings) -> Grid | None:
    """The grid that a solution in one line is, if it is one."""
    try:
        if geometry.side > 9:  # in the signs of an alphabet
            puzzle = parse_source(text.encode(), "", *settings.reading).puzzle
            return Grid(geometry, tuple(value for _, value in puzzle.givens()))
        return Grid(geometry, tuple(map(int, text)))
    except (ValueError, InvalidPuzzle):
        return None
