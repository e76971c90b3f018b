"""Solvers and lanes that lie, and what must be true of all that is published nonetheless."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal

import numpy as np
from support.lanes import replace_lanes
from support.oracle import is_solution, solutions

from pipeline.certify.many import Verdict
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.solving.cnf import Answer, Sat, Unsat
from pipeline.solving.compiled import BatchSolutions
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solver

Lie = Literal["unsat", "wrong model", "repeated model"]
LIES: tuple[Lie, ...] = ("unsat", "wrong model", "repeated model")
Plan = Callable[[int], Lie | None]
"""The lie in place of an answer, by its number; answers of all sessions count from 1."""

MOST = 9
"""More solutions than any of the puzzles has of which all are to be found."""


def in_answer(number: int, lie: Lie) -> Plan:
    """That lie once."""
    return lambda at: lie if at == number else None


def from_answer(number: int, lie: Lie) -> Plan:
    """That lie, and no answer after it but the same."""
    return lambda at: lie if at >= number else None


def at_random(seed: int, lies: tuple[Lie, ...] = LIES, share: float = 0.5) -> Plan:
    generator = random.Random(seed)
    return lambda _: generator.choice(lies) if generator.random() < share else None


class Liar:
    """An honest solver's answers, but where a plan has a lie for them."""

    version = None

    def __init__(self, honest: Solver, plan: Plan, name: str = "minisat") -> None:
        self.name = name
        self._honest = honest
        self._plan = plan
        self._answers = 0

    @contextmanager
    def open(self, cnf, limits) -> Iterator[_LyingSession]:
        with self._honest.open(cnf, limits) as session:
            yield _LyingSession(session, self._next)

    def _next(self) -> Lie | None:
        self._answers += 1
        return self._plan(self._answers)

    def warm(self, limits):
        """Nothing."""

    def close(self):
        """Nothing: the honest one is another's."""


class _LyingSession:
    def __init__(self, honest, lie: Callable[[], Lie | None]) -> None:
        self._honest = honest
        self._lie = lie
        self._last: Answer = Unsat()

    def add(self, clause):
        self._honest.add(clause)

    def solve(self) -> Answer:
        lie = self._lie()
        if lie == "unsat":
            return Unsat()
        if lie == "repeated model" and isinstance(self._last, Sat):
            return self._last
        self._last = self._honest.solve()
        if lie == "wrong model" and isinstance(self._last, Sat):
            return Sat(frozenset(-literal for literal in self._last.model))
        return self._last


LaneLie = Callable[[BatchSolutions, np.random.Generator], None]
"""Makes a lie of what lanes have found, in place."""


def drop_one(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Leave out the last solution of some."""
    some = (found.counts > 0) & (generator.random(len(found.counts)) < 0.5)
    found.counts[some] -= 1


def drop_first(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Leave out the first of several solutions."""
    for place in np.flatnonzero(found.counts > 1):
        found.grids[:-1, place] = found.grids[1:, place]
        found.counts[place] -= 1


def keep_one(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Leave out all but the first solution."""
    np.minimum(found.counts, 1, out=found.counts)


def drop_all(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Say that there is no solution at all."""
    found.counts[:] = 0


def change_cells(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Change a cell of each grid."""
    cells = generator.integers(0, found.grids.shape[2], found.grids.shape[:2])
    for (rank, place), cell in np.ndenumerate(cells):
        found.grids[rank, place, cell] = generator.integers(0, 256)


def swap_puzzles(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Give each puzzle what was found for the next one."""
    found.counts[:] = np.roll(found.counts, 1)
    found.grids[:] = np.roll(found.grids, 1, axis=1)


def repeat(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Give the first solution once more."""
    some = (found.counts > 0) & (found.counts < len(found.grids))
    for place in np.flatnonzero(some):
        found.grids[found.counts[place], place] = found.grids[0, place]
        found.counts[place] += 1


def invent(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Say that there is one more solution, with a grid of nothing."""
    found.counts[found.counts < len(found.grids)] += 1


def give_up(found: BatchSolutions, generator: np.random.Generator) -> None:
    """Say of some that there was no time, and of others that there was."""
    found.counts[::3] = 0
    found.decided[::2] = False


LANE_LIES = (
    drop_one, drop_first, drop_all, change_cells, swap_puzzles, repeat, invent, give_up
)  # fmt: skip


def lying_lanes(monkeypatch, lie: LaneLie, seed: int = 0) -> None:
    """Have lanes lie."""
    generator = np.random.default_rng(seed)
    replace_lanes(monkeypatch, lambda found: lie(found, generator))


def undecided(geometry, masks, *_rest):
    """A replacement of `search_all_of_batch` that never has time."""
    return np.full(len(masks), Verdict.UNDECIDED, np.uint8), np.zeros(len(masks), np.int64)


@lru_cache
def solutions_of(puzzle: Puzzle) -> list[Grid]:
    """All of them, by brute force."""
    return solutions(puzzle, MOST)


def check_true(puzzle: Puzzle, result: Result[Grid], limit: int = MOST) -> None:
    """Nothing that the result says of the puzzle is wrong."""
    known = solutions_of(puzzle)
    shown = result.solutions
    assert all(is_solution(puzzle, grid) for grid in shown)
    assert len(set(shown)) == len(shown) <= limit
    if result.complete:
        assert list(shown) == known
        assert result.status == ("unsolvable", "unique", "multiple")[min(len(known), 2)]
        assert result.told_certificate in ("exhaustion", "lrat")
    else:
        assert result.told_certificate == ""
        assert result.status in ("multiple", "unknown")
        assert result.status == "unknown" or len(known) > 1


def check_found_out(puzzle: Puzzle, result: Result[Grid], limit: int = MOST) -> None:
    """The result is right, and as many solutions are published as were asked for."""
    check_true(puzzle, result, limit)
    known = solutions_of(puzzle)
    assert result.complete == (len(known) <= limit)
    assert len(result.solutions) == min(limit, len(known))
