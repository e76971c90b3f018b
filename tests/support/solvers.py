"""Solvers: which ones a test is run with, and some that are made up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.needs import needs_minisat

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parsed_from
from pipeline.service.solving import solve_one, solve_source
from pipeline.settings import Settings
from pipeline.solving.encode import ENCODINGS
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers

MINISAT = pytest.param("minisat", marks=needs_minisat)
both_solvers = pytest.mark.parametrize("solver", [MINISAT, "pysat"])
every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)


_HAND: dict[tuple[str, str | None], Solvers] = {}


def at_hand(solver: str, minisat: str | None = None) -> Solvers:
    """Solvers whose processes are there for all tests: none may spoil them for the next."""
    if (solver, minisat) not in _HAND:
        _HAND[solver, minisat] = Solvers(solver, minisat)
    return _HAND[solver, minisat]


def put_away() -> None:
    """End what is at hand."""
    while _HAND:
        _HAND.popitem()[1].close()


def solve_at_hand(what: Puzzle | str | bytes, **settings: Any) -> Result:
    """Solve as `solve` does, with solvers that are at hand."""
    chosen = Settings(**settings)
    solvers = at_hand(chosen.solver, chosen.minisat)
    if isinstance(what, Puzzle):
        return solve_one(PuzzleProblem(parsed_from(what)), solvers, chosen, Stopwatch())
    data = what.encode() if isinstance(what, str) else what
    return solve_source(data, "puzzle", solvers, chosen)


class Scripted:
    """A solver and its session, whose answers are made up; an exception among them is raised.

    `limits` are those of its sessions.
    """

    version = None

    def __init__(self, *script, name="scripted"):
        self.name = name
        self.limits = []
        self._script = iter(script)

    @contextmanager
    def open(self, cnf, limits):
        self.limits.append(limits)
        yield self

    def solve(self):
        answer = next(self._script)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def add(self, clause):
        """Nothing."""

    def warm(self, limits):
        """Nothing."""

    def close(self):
        """Nothing."""


@contextmanager
def chain_of(*chain) -> Iterator[Solvers]:
    """These solvers, each the fallback of the one before; a prover is at hand for them.

    Who made them closes them.
    """
    solvers = Solvers("pysat")
    solvers.chain, solvers._shared = chain, at_hand("pysat")._shared
    yield solvers
