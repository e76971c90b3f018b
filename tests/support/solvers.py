"""Solvers: which ones a test is run with, and some that are made up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from needs import needs_minisat

from pipeline.encode import ENCODINGS
from pipeline.solvers import Solvers

MINISAT = pytest.param("minisat", marks=needs_minisat)
both_solvers = pytest.mark.parametrize("solver", [MINISAT, "pysat"])
every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)


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
    """These solvers, each the fallback of the one before."""
    with Solvers("pysat") as solvers:
        solvers.chain = chain
        yield solvers
