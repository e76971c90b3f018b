"""A piece of a collection → its rows: read, solved in batches, certified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pipeline.batch import Batch, masks_of, solve_batch
from pipeline.chain import solve_problem
from pipeline.evidence import disagreement
from pipeline.parse import Entry, Piece
from pipeline.problem import PuzzleProblem
from pipeline.puzzle import Geometry, Grid
from pipeline.reading import Source, problem_of
from pipeline.result import Result, Stopwatch
from pipeline.rows import Rows, joined, one_line
from pipeline.settings import Settings
from pipeline.solvers import Solvers
from pipeline.solving import LARGEST_SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NINE = Geometry(3, 3)


def solve_piece(piece: Piece, source: Source, solvers: Solvers, settings: Settings) -> Rows:
    """Read the puzzles of a piece, solve and certify them. Raises EnvironmentFailure."""
    entries = _entries(piece, source, settings)
    results: dict[int, Result[Grid]] = {}
    for geometry, places, masks in _batches(entries):
        own = [entries[place] for place in places]
        batch = Batch(geometry, masks, partial(_problem_at, own))
        results |= zip(places, solve_batch(batch, solvers, settings, explain=False), strict=True)
    for place, entry in enumerate(entries):
        if place not in results:
            results[place] = _alone(entry, solvers, settings)
        results[place] = _compared(results[place], entry)
    return joined(entries, [results[place] for place in range(len(entries))], source)


def failed_piece(piece: Piece, source: Source, settings: Settings, why: str) -> Rows:
    """The rows of puzzles that could not be computed, without computing them."""
    entries = _entries(piece, source, settings)
    return joined(entries, [Result("failed", message=why)] * len(entries), source)


def _entries(piece: Piece, source: Source, settings: Settings) -> list[Entry]:
    found = source.detected
    return found.entries(piece, source.name, settings.reading)


def _batches(
    entries: Sequence[Entry],
) -> Iterable[tuple[Geometry, list[int], NDArray[np.uint64]]]:
    """Group the puzzles by geometry, with their places and masks."""
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
    masks = np.full(256, _NINE.all_values, np.uint64)
    for value in range(1, 10):
        masks[ord(str(value))] = 1 << (value - 1)
    return masks[np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, 81)]


def _problem_at(entries: Sequence[Entry], place: int) -> PuzzleProblem:
    return problem_of(entries[place])


def _alone(entry: Entry, solvers: Solvers, settings: Settings) -> Result[Grid]:
    if entry.puzzle is None:
        return Result("invalid", message=entry.error)
    return solve_problem(problem_of(entry), solvers, settings, Stopwatch(), explain=False)


def _compared(result: Result[Grid], entry: Entry) -> Result[Grid]:
    """Add what is wrong with the solution beside the puzzle, if anything is."""
    if entry.claimed is None or result.status in ("invalid", "failed"):
        return result
    if any(entry.claimed == one_line(grid.values, entry.signs) for grid in result.solutions):
        return result
    puzzle, found = problem_of(entry).puzzle, result.solutions
    why = disagreement(entry.claimed, puzzle, entry.signs, found, complete=result.complete)
    return replace(result, disagreement=why) if why else result
