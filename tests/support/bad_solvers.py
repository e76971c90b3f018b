"""Solvers that give wrong answers, and what must be true of results all the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Literal

from support.oracle import is_solution, solutions
from support.puzzles import EVEN_ODD_SIX, NINE, NINE_TWO, NONE, SIX, TWO, UNIQUE
from support.solvers import at_hand

from pipeline.certify.exhaustive import SearchResult
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.cnf import Answer, Sat, Unsat
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solver

FOUR = [parse_puzzle(text) for text in (UNIQUE, TWO, SIX, NONE)]
NINES = [parse_puzzle(text) for text in (NINE, NINE_TWO, EVEN_ODD_SIX, "531" + NINE[3:])]
ALL = [*FOUR, *NINES]
"""Of both sizes: with one, two, six and no solutions."""
Lie = Literal["unsat", "wrong model", "repeated model"]
LIES: tuple[Lie, ...] = ("unsat", "wrong model", "repeated model")
Plan = Callable[[int], Lie | None]
"""The lie in place of an answer, by its number; answers of all sessions count from 1."""

MOST = 9
"""More solutions than any of the puzzles has of which all are to be found."""


def at_random(seed: int, lies: tuple[Lie, ...] = LIES, share: float = 0.5) -> Plan:
    generator = random.Random(seed)
    return lambda _: generator.choice(lies) if generator.random() < share else None


def honest() -> Solver:
    return at_hand("pysat").chain[0]


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
        assert result.certificate_label in ("exhaustive-search", "lrat")
    else:
        assert result.certificate_label == ""
        assert result.status in ("multiple", "unknown")
        assert result.status == "unknown" or len(known) > 1


def check_found_out(puzzle: Puzzle, result: Result[Grid], limit: int = MOST) -> None:
    """The result is right, and as many solutions are published as were asked for."""
    check_true(puzzle, result, limit)
    known = solutions_of(puzzle)
    assert result.complete == (len(known) <= limit)
    assert len(result.solutions) == min(limit, len(known))


def cut_short(puzzle: Puzzle, known: Sequence[Grid], **_: object) -> SearchResult:
    """A replacement of `find_missing` that has no time left once it has found a solution."""
    others = [grid for grid in solutions_of(puzzle) if grid not in known]
    found = (others[0],) if len(known) == 1 else ()
    return SearchResult(found, 1, "time ran out" if others else None)
