"""How many solutions many puzzles have, certified from the rules, and which givens are redundant.

Whether a given is needed is one question: is there a solution that has another value in its cell?
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from pipeline.catalogue.puzzles import Flags, MaskArray
from pipeline.certify import certify_lists
from pipeline.certify.many import Verdict, search_all_of_batch
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.puzzle import NINE, Geometry, Puzzle
from pipeline.reading.formats import parsed_from
from pipeline.settings import Settings
from pipeline.solving.compiled import BatchSolutions, machine_code
from pipeline.solving.one import solve_problem
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers

QUESTIONS = 1 << 20
"""Cells of the puzzles that are solved together: enough to keep lanes full."""

DAY = 24 * 3600.0
STARTING = 5.0
"""Seconds that each puzzle may take of those left: the first one waits for PySAT to start."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of P puzzles.

    counts: (P,) how many solutions were found, at most as many as were asked for. grids: (most, P,
    n²) these. certain: (P,) whether the grids are solutions, and all of them if they are fewer than
    asked for; the other fields mean nothing elsewhere. nodes: (P,) of the search that has shown it.
    """

    counts: NDArray[np.int64]
    grids: NDArray[np.uint8]
    certain: Flags
    nodes: NDArray[np.int64]

    @property
    def unique(self) -> Flags:
        """Which have one solution, if two were asked for."""
        unique: Flags = self.certain & (self.counts == 1)
        return unique


def solutions_of(geometry: Geometry, masks: MaskArray, most: int, seconds: float = inf) -> Known:
    """Find `most` solutions of each puzzle (P, n²), or all if there are fewer, and certify that.

    `seconds` are for all of them. Raises EnvironmentFailure if no solver can work.
    """
    end = time.monotonic() + seconds
    found = found_in(geometry, masks, most, seconds)
    certain, nodes = found.decided.copy(), np.zeros(len(masks), np.int64)
    few = np.flatnonzero(certain & (found.counts < most))
    if len(few):
        claim = masks[few], found.counts[few], found.grids[:, few]
        left = max(0.0, end - time.monotonic())
        verdicts, nodes[few] = search_all_of_batch(geometry, *claim, left)
        certain[few] = verdicts == Verdict.COMPLETE
    listed = np.where(found.counts < most, 0, found.counts)
    certain &= certify_lists(geometry, masks, listed, found.grids)
    return Known(found.counts, found.grids, certain, nodes)


def found_in(
    geometry: Geometry,
    masks: MaskArray,
    most: int,
    seconds: float = inf,
    solvers: Solvers | None = None,
) -> BatchSolutions:
    """As `solutions_of`, but not certified: found by lanes, or by PySAT, in `solvers` if given."""
    search = machine_code(len(masks), at_once=True) if geometry == NINE else None
    if search:
        return search(masks, most, Deadline.of(Limits(seconds)))
    deadline, count = Deadline.of(Limits(seconds)), len(masks)
    counts, decided = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    grids = np.zeros((most, *masks.shape), np.uint8)
    with nullcontext(solvers) if solvers else Solvers("pysat") as used:
        for place, cells in enumerate((masks & geometry.all_values).tolist()):
            left = min(DAY, deadline.left())
            if left < 1e-3:
                break
            left = min(left, max(STARTING, left / (count - place)))
            problem = PuzzleProblem(parsed_from(Puzzle(geometry, tuple(cells))))
            settings = Settings(solver="pysat", max_solutions=most, timeout=left, trust_solver=True)
            result = solve_problem(problem, used, settings, Stopwatch(), explain=False)
            solutions = sorted(result.solutions)
            counts[place] = len(solutions)
            decided[place] = bool(result.complete) or len(solutions) == most
            for rank, grid in enumerate(solutions):
                grids[rank, place] = grid.values
    return BatchSolutions(counts, decided, grids)


@dataclass(frozen=True, slots=True)
class Redundant:
    """The givens that can be left out of P puzzles, each alone: the others stay.

    cells: (P, n²) where they are. certain: (P,) whether that is known of all givens of a puzzle.
    """

    cells: Flags
    certain: Flags


def redundant_givens(geometry: Geometry, masks: MaskArray, seconds: float = inf) -> Redundant:
    """Find them in puzzles with one solution, whose masks are (P, n²).

    A given is a cell with a single value; left out, it may have any. Other marks stay. A minimal
    puzzle has no redundant givens. `seconds` are for all puzzles.
    """
    return _redundant(geometry, masks, masks & (masks - np.uint8(1)) == 0, seconds)


def redundant_clues(geometry: Geometry, masks: MaskArray, seconds: float = inf) -> Redundant:
    """As `redundant_givens`, of givens and marks: of all cells that exclude some value."""
    return _redundant(geometry, masks, masks != geometry.all_values, seconds)


def _redundant(geometry: Geometry, masks: MaskArray, clues: Flags, seconds: float) -> Redundant:
    end = time.monotonic() + seconds
    places, cells = np.nonzero(clues)
    found = Redundant(np.zeros(masks.shape, np.bool_), np.ones(len(masks), np.bool_))
    at_once = max(1, QUESTIONS // masks.shape[1])
    for start in range(0, len(places), at_once):
        some = slice(start, start + at_once)
        asked, at = masks[places[some]], (np.arange(len(places[some])), cells[some])
        asked[at] ^= asked.dtype.type(geometry.all_values)
        known = solutions_of(geometry, asked, 1, max(0.0, end - time.monotonic()))
        found.cells[places[some], cells[some]] = known.counts == 0
        found.certain[places[some][~known.certain]] = False
    return found
