"""Lanes against PySAT's minisat22, uniqueness proved by both, on one core.

    python bench/lanes.py [FILE…]

FILE holds one 9×9 puzzle a line; without one the benchmark makes its own. The baseline is kept
alive: the rules are loaded once, givens are assumptions, a clause blocks the first solution, and
only its solving counts. Of lanes everything between masks and solutions counts. They take
turns; the best of some rounds counts, and the ratio of the two is what to look at.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from puzzles import puzzles
from pysat.solvers import Solver

from pipeline.certify import certify_many
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.compiled import solve_masks
from pipeline.solving.encode import encode_puzzle

GEOMETRY = Geometry(3, 3)
MADE, ALL = 1000, 1_000_000
SMALL = 1024
ROUNDS = 3
MOST = 2
HOUR = 3600.0


def main() -> None:
    for path in sys.argv[1:]:
        compare(path, puzzles([path], ALL))
    if not sys.argv[1:]:
        compare("made puzzles", puzzles([], MADE))


def compare(name: str, lines: list[bytes]) -> None:
    """Print the microseconds per puzzle of both, of small batches, and of certifying."""
    given = [parse_puzzle(line.decode()) for line in lines]
    masks = np.array([puzzle.cells for puzzle in given], np.uint64)
    found = solve_masks(masks, MOST, HOUR)
    assert certify_many(GEOMETRY, masks, found.grids[0])[found.counts > 0].all()
    ways: dict[str, Callable[[], float]] = {
        "baseline": lambda: baseline(given) / len(given),
        "batch": lambda: timed(lambda: in_batches(masks, len(masks))) / len(masks),
        "lanes, 64 at a time": lambda: timed(lambda: in_batches(masks[:SMALL], 64)) / SMALL,
        "certify_many": lambda: (
            timed(lambda: certify_many(GEOMETRY, masks, found.grids[0])) / len(masks)
        ),
    }
    seconds = dict.fromkeys(ways, np.inf)
    for _ in range(ROUNDS):
        for way, measure in ways.items():
            seconds[way] = min(seconds[way], measure())
    print(f"{name}: {len(given)} puzzles with {np.unique(found.counts).tolist()} solutions")
    for way, least in seconds.items():
        ratio = seconds["baseline"] / least
        print(f"  {way:20} {1e6 * least:8.1f} µs a puzzle, {ratio:7.1f} × as fast")


def timed(work: Callable[[], object]) -> float:
    """Its seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_batches(masks: NDArray[np.uint64], size: int) -> None:
    for start in range(0, len(masks), size):
        solve_masks(masks[start : start + size], MOST, HOUR)


def baseline(given: list[Puzzle]) -> float:
    """Seconds in the solver."""
    rules = encode_puzzle(Puzzle.empty(GEOMETRY), "extended")
    spent = 0.0
    with Solver("minisat22", bootstrap_with=[list(clause) for clause in rules.clauses()]) as solver:
        for blocked, puzzle in enumerate(given, rules.variables + 1):
            givens = [cell * GEOMETRY.side + value for cell, value in puzzle.givens()]
            spent += timed(partial(solver.solve, assumptions=givens))
            model = solver.get_model()
            if model:
                chosen = [-literal for literal in model[: rules.variables] if literal > 0]
                solver.add_clause([*chosen, blocked])
                spent += timed(partial(solver.solve, assumptions=[*givens, -blocked]))
                solver.add_clause([blocked])
    return spent


if __name__ == "__main__":
    main()
