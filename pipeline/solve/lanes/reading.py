"""Cnf → masks: read a puzzle back from its clauses, and refuse all that is not one.

Lanes know rules, not clauses. So they may only answer for formulas whose models are the
solutions of a puzzle; that is checked here, clause by clause, whoever wrote them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pipeline.cnf import Clause, Cnf
from pipeline.errors import SolverError
from pipeline.limits import Deadline
from pipeline.puzzle import Candidate
from pipeline.solve.lanes.planes import LARGEST_SIDE

KINDS = CELL, ROW, COLUMN, BOX = (0, 1, 2, 3)
LINES = (ROW, COLUMN, BOX)
STATED = {
    "textbook": (LINES, (CELL,)),
    "minimal": ((CELL,), LINES),
    "extended": (KINDS, KINDS),
    "reduced": (KINDS, KINDS),
}
"""For each encoding the kinds of groups that it says `at least one` and `at most one` of. That
is enough for exactly one of every kind: a line has as many cells as values."""

CLAUSES_PER_LOOK = 4096

Kinds = tuple[int, ...]

Group = tuple[int, int, int]
"""A kind, and two of row, column, box and value."""


class Formula:
    """What the clauses of a puzzle's Cnf say, in the terms of its rules."""

    def __init__(self, cnf: Cnf) -> None:
        if cnf.encoding not in STATED:
            raise SolverError(f"lanes solve puzzles, not the formula {cnf.encoding!r}")
        if cnf.geometry.side > LARGEST_SIDE:
            raise SolverError(f"lanes take sides up to {LARGEST_SIDE}, not {cnf.geometry.side}")
        self._cnf = cnf
        self._contradictory = False
        self._units: list[int] = []
        self._at_least: set[Clause] = set()
        self._pairs = array("q")

    def masks(self, deadline: Deadline) -> NDArray[np.uint64] | None:
        """The values that each cell may hold; None where the time was up.

        All masks are 0 where a clause is empty. Raises SolverError for clauses that are not,
        together, what some puzzle has.
        """
        for number, clause in enumerate(self._cnf.clauses()):
            if number % CLAUSES_PER_LOOK == 0 and not deadline.left():
                return None
            self._read(clause)
        masks = np.zeros(self._cnf.geometry.side**2, np.uint64)
        if self._contradictory:
            return masks
        self._check()
        for candidate in chain(self._cnf.candidates.values(), self._cnf.fixed):
            cell, bit = self.place(candidate)
            masks[cell] |= bit
        for literal in self._units:
            cell, bit = self.place(self.candidate(literal))
            masks[cell] &= bit if literal > 0 else ~bit
        return masks

    def candidate(self, literal: int) -> Candidate:
        """What a literal is about. Raises SolverError where that is no candidate."""
        try:
            return self._cnf.candidates[abs(literal)]
        except KeyError:
            raise SolverError(f"lanes know no candidate of variable {abs(literal)}") from None

    def place(self, candidate: Candidate) -> tuple[int, np.uint64]:
        """The index of the cell, and the bit of the value."""
        cell = (candidate.row - 1) * self._cnf.geometry.side + candidate.column - 1
        return cell, np.uint64(1 << candidate.value - 1)

    def _read(self, clause: Clause) -> None:
        if len(clause) < 2:
            self._units += clause
            self._contradictory |= not clause
        if clause and min(clause) > 0:
            self._at_least.add(tuple(sorted(clause)))
        elif len(clause) == 2 and max(clause) < 0:
            self._pairs.extend(sorted(clause))
        elif len(clause) > 1:
            raise SolverError(f"no puzzle has the clause {clause}")

    def _check(self) -> None:
        candidates = [*self._cnf.candidates.values(), *self._cnf.fixed]
        side = self._cnf.geometry.side
        if not all(1 <= number <= side for candidate in candidates for number in candidate):
            raise SolverError(f"a candidate has a number that is not among 1 to {side}")
        if len({*candidates}) != len(candidates):
            raise SolverError("a candidate has two variables")
        members: dict[Group, list[int]] = {}
        for variable, candidate in self._cnf.candidates.items():
            for group in self._groups(candidate):
                members.setdefault(group, []).append(variable)
        decided = [group for candidate in self._cnf.fixed for group in self._groups(candidate)]
        if len({*decided, *members}) != len(decided) + len(members):
            raise SolverError("a group has a fixed candidate and another one beside it")
        if len(decided) + len(members) != len(KINDS) * self._cnf.geometry.side**2:
            raise SolverError("a group has no candidate, and no clause says so")
        at_least, at_most = STATED[self._cnf.encoding]
        self._check_at_least(members, at_least)
        self._check_at_most(members, at_most)

    def _check_at_least(self, members: dict[Group, list[int]], kinds: Kinds) -> None:
        clauses = {group: tuple(sorted(variables)) for group, variables in members.items()}
        if not {clause for clause in self._at_least if len(clause) > 1} <= {*clauses.values()}:
            raise SolverError("a clause wants one of candidates that are no group")
        if not {clauses[group] for group in clauses if group[0] in kinds} <= self._at_least:
            raise SolverError("no clause wants one of some group")

    def _check_at_most(self, members: dict[Group, list[int]], kinds: Kinds) -> None:
        """Pairs are compared as numbers: the lesser variable times a base, plus the greater."""
        base = max(self._cnf.candidates, default=0) + 1
        stated = np.frombuffer(self._pairs, np.int64).reshape(-1, 2)
        stated = np.unique(-stated[:, 1] * base - stated[:, 0])
        known = np.zeros(len(stated), np.bool_)
        for kind in KINDS:
            pairs = np.concatenate([*_pairs(members, kind, base), np.zeros(0, np.int64)])
            if kind in kinds and not np.isin(pairs, stated).all():
                raise SolverError("no clause forbids some two of a group")
            known |= np.isin(stated, pairs)
        if not known.all():
            raise SolverError("a clause forbids two candidates that are in no group together")

    def _groups(self, candidate: Candidate) -> tuple[Group, ...]:
        row, column, value = candidate
        cell, _ = self.place(candidate)
        box = self._cnf.geometry.box_of(cell)
        return (CELL, row, column), (ROW, row, value), (COLUMN, column, value), (BOX, box, value)


def _pairs(members: dict[Group, list[int]], kind: int, base: int) -> Iterator[NDArray[np.int64]]:
    for group, variables in members.items():
        if group[0] == kind:
            sorted_variables = np.array(sorted(variables), np.int64)
            lesser, greater = np.triu_indices(len(variables), 1)
            yield sorted_variables[lesser] * base + sorted_variables[greater]
