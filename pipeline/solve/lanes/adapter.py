"""The solver `lanes` for a single Cnf, as the other solvers take it: one puzzle at a time.

It is there so that lanes can be asked whatever the others are asked, and compared with them;
batches go to `solve_lanes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from pipeline.cnf import Answer, Clause, Cnf, Sat, Unknown, Unsat
from pipeline.limits import MIB, Deadline, Limits
from pipeline.solve.lanes.reading import Formula
from pipeline.solve.lanes.search import Masks, solve_lanes

CLAUSE_BYTES = 64
"""What a clause takes while it is checked."""

CELL_BYTES = 16
"""What a cell of a grid takes that was found."""

MORE = 4
"""How many times as many grids are sought when none of those found will do."""


class Lanes:
    """numpy, in this process."""

    name = "lanes"

    @property
    def version(self) -> str:
        return f"numpy {np.__version__}"

    @contextmanager
    def open(self, cnf: Cnf, limits: Limits) -> Iterator[LanesSession]:
        """Raises SolverError for a Cnf that is not a puzzle's."""
        yield LanesSession(cnf, limits)

    def warm(self, limits: Limits) -> None:
        """Nothing: what it takes is loaded."""

    def close(self) -> None:
        """Nothing is kept."""


class LanesSession:
    """A puzzle, the grids found of it so far, and clauses to choose among them."""

    def __init__(self, cnf: Cnf, limits: Limits) -> None:
        self._cnf, self._limits = cnf, limits
        self._deadline = Deadline.of(limits)
        self._formula = Formula(cnf)
        self._clauses: list[Clause] = []
        self._too_large = self._bytes(1) > limits.megabytes * MIB
        self._masks = None if self._too_large else self._formula.masks(self._deadline)
        self._forget()

    def solve(self) -> Answer:
        """The first grid, of those found or still to find, that satisfies the added clauses."""
        if self._too_large:
            return Unknown(self._limits.out_of_memory)
        while self._masks is not None and self._deadline.left():
            if self._grids:
                model = self._model(self._grids[-1])
                if not any(model.isdisjoint(clause) for clause in self._clauses):
                    return Sat(model)
                self._grids.pop()
            elif self._complete:
                return Unsat()
            elif self._bytes(self._most) > self._limits.megabytes * MIB:
                return Unknown(self._limits.out_of_memory)
            else:
                self._search(self._masks)
        return Unknown(self._limits.out_of_time)

    def add(self, clause: Clause) -> None:
        """Raises SolverError for a variable that has no candidate."""
        places = [self._formula.place(self._formula.candidate(literal)) for literal in clause]
        if len(clause) > 1:
            self._clauses.append(clause)
        elif self._masks is not None:
            if not clause:
                self._masks[:] = 0
            for literal, (cell, bit) in zip(clause, places, strict=True):
                self._masks[cell] &= bit if literal > 0 else ~bit
            self._forget()

    def _forget(self) -> None:
        self._most = 2
        self._grids: list[list[int]] = []
        self._complete = False

    def _search(self, masks: Masks) -> None:
        left = self._deadline.left()
        found = solve_lanes(self._cnf.geometry, masks[None], self._most, left)
        count = int(found.counts[0])
        self._complete = bool(found.decided[0]) and count < self._most
        self._grids = found.grids[:count, 0].tolist()
        self._most *= MORE

    def _model(self, grid: list[int]) -> frozenset[int]:
        side = self._cnf.geometry.side
        return frozenset(
            variable if grid[(row - 1) * side + column - 1] == value else -variable
            for variable, (row, column, value) in self._cnf.candidates.items()
        )

    def _bytes(self, grids: int) -> int:
        """About what it takes to check the clauses and to find so many grids."""
        cells = self._cnf.geometry.side**2
        return self._cnf.size * CLAUSE_BYTES + grids * cells * CELL_BYTES
