"""A compiled SAT solver for variants: it confirms the result of the search, and finds conflicts.

PySAT takes clauses one by one. For most variants, that alone takes longer than this solver needs.
The solver runs in this process, and the sizes of its arrays limit its memory. If it is not
compiled, PySAT takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import inf

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import LimitReached
from pipeline.limits import NO_TIME_LIMIT, Deadline, Limits
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.clauses import Clause, PackedClauses, clause_bounds
from pipeline.solving.cdcl import kernel as K
from pipeline.solving.cnf import Cnf, Unknown
from pipeline.solving.cores import CoreAnswer, UnsatCore, shrink_core
from pipeline.version import __version__

PROGRAM = Program(
    "cdcl", "search", ("pipeline.solving.cdcl.kernel",), "pipeline.solving.cdcl.check_cdcl"
)
loader = ProgramLoader(PROGRAM)
"""Loads, or compiles, the machine code of `kernel.search`."""

VISITS_PER_CALL = 1_000_000
"""Number of visits between two checks of the clock: some tens of milliseconds."""

LEARNED_CLAUSES, LEARNED_LITERALS = 8_000, 200_000
"""Initial room for learned clauses and for their literals. Smaller rooms make it restart to grow
them, and room that is not used costs nothing.
"""

CONFLICTS_PER_SLICE, FIRST_CORE_SLICES = 200, 30
"""Number of conflicts of a slice (see `CoreQuery`), and the maximum number of slices for the first
core. Of 311 variants without solution, 8 needed more, 5 of these more than five times as many.
"""

MAX_ENTRIES = 2**31 - 1
"""Maximum length of an array: its indices are stored as 32-bit numbers."""

_GROWING_ARRAYS = ("literals", "starts", "lbds", "has_improved", "next_watch", "blockers")
"""The fields of `State` that hold clauses."""


class Cdcl:
    """The solver. `compiled_search`: the machine code of `kernel.search`."""

    name = "cdcl"
    version = __version__

    def __init__(self, compiled_search: Callable[..., int]) -> None:
        self._search = compiled_search

    def confirm(
        self, cnf: Cnf, solutions: Sequence[Sequence[int]], limits: Limits, max_conflicts: int
    ) -> bool | Unknown:
        """Whether these are the only solutions of the clauses, as in `Pysat.confirm`."""
        deadline = Deadline.of(limits)
        clauses = [family.clauses for family in cnf.families]
        try:
            session = CdclSession(self._search, clauses, cnf.variables, limits)
            for literals in solutions:
                is_solution = session.solve(deadline, max_conflicts, literals)
                if not is_solution:
                    return self._unknown(max_conflicts) if is_solution is None else False
            for literals in solutions:
                session.add([-literal for literal in literals])
            has_others = session.solve(deadline, max_conflicts)
            return self._unknown(max_conflicts) if has_others is None else not has_others
        except LimitReached as error:
            return Unknown(str(error))

    def find_core(
        self, clauses: PackedClauses, assumptions: Sequence[int], limits: Limits
    ) -> UnsatCore | None:
        """The last core of `shrinking_cores` within the limits.

        Returns None if the limits or FIRST_CORE_SLICES are too low for any core. Raises Satisfiable
        if all assumptions can hold.
        """
        deadline = Deadline.of(limits)
        variables = int(np.abs(clauses.array).max(initial=0))
        variables = max(variables, *map(abs, assumptions), 0)

        def ask(literals: Sequence[int], slices: int) -> CoreAnswer:
            max_conflicts = session.conflicts + slices * CONFLICTS_PER_SLICE
            holds = session.solve(deadline, max_conflicts, literals)
            if holds is None:
                return "hard"
            return "holds" if holds else {*session.core()}

        with suppress(LimitReached):
            session = CdclSession(self._search, [clauses], variables, limits)
            return shrink_core(ask, assumptions, FIRST_CORE_SLICES)
        return None

    def _unknown(self, max_conflicts: int) -> Unknown:
        return Unknown(f"{self.name} needs more than {max_conflicts:,} conflicts")


def machine_code() -> Cdcl | None:
    """The compiled solver; None if it is not compiled yet."""
    compiled_search = loader.get(at_once=True)
    return Cdcl(compiled_search) if compiled_search else None


class CdclSession:
    """A formula that can be solved under assumptions, extended by clauses, and solved again."""

    def __init__(
        self,
        compiled_search: Callable[..., int],
        clauses: Iterable[Iterable[Clause]],
        variables: int,
        limits: Limits = NO_TIME_LIMIT,
    ) -> None:
        """Load the clauses.

        Raises LimitReached if the arrays exceed the memory limit, and ValueError for a literal that
        is not among the variables, which are numbered from 1: machine code checks no index.
        """
        self._search = compiled_search
        self._limits = limits
        self._variables = variables
        self._added: list[int] = []
        numbers = _dimacs(clauses)
        if len(numbers):
            self._check_variable(max(int(numbers.max()), -int(numbers.min())))
        self._state = _new_state(numbers, variables, limits)
        self._is_refuted = self._search(self._state, 0, 0) == K.UNSATISFIABLE

    @property
    def conflicts(self) -> int:
        """The number of conflicts of all queries."""
        return int(self._state.numbers[K.CONFLICTS])

    def add(self, clause: Iterable[int]) -> None:
        """Add a clause for later queries. Raises ValueError for a literal without a variable."""
        self._added += (*self._checked(clause), 0)

    def solve(
        self, deadline: Deadline, max_conflicts: float = inf, assumptions: Sequence[int] = ()
    ) -> bool | None:
        """Whether the clauses are satisfiable under assumptions; None after `max_conflicts`.

        `max_conflicts` limits the conflicts of all queries together. The answer depends on earlier
        queries, but not on the speed of the machine. Raises LimitReached, and ValueError for an
        assumption without a variable.
        """
        distinct = dict.fromkeys(self._checked(assumptions))  # there is room for 2·V levels
        literals = [2 * abs(literal) - 2 + (literal < 0) for literal in distinct]
        self._state = self._state._replace(
            input=np.array(self._added, np.int32), assumptions=np.array(literals, np.int32)
        )
        while not self._has_room(len(self._added)):
            self._grow()
        self._state.numbers[K.IS_NEW_QUERY] = 1
        last_conflict = int(min(max_conflicts, np.iinfo(np.int64).max))
        while not self._is_refuted:
            deadline.check()
            last_visit = int(self._state.numbers[K.VISITS]) + VISITS_PER_CALL
            outcome = self._search(self._state, last_conflict, last_visit)
            self._added = []  # not before: an earlier exception would lose them
            if outcome == K.FULL:
                self._grow()
            elif outcome != K.INTERRUPTED:
                self._is_refuted = outcome == K.UNSATISFIABLE
                return outcome == K.SATISFIABLE
            elif self.conflicts >= max_conflicts:
                return None
        return False

    def core(self) -> list[int]:
        """Assumptions that cannot all hold, after `solve` has returned False."""
        if self._is_refuted:
            return []
        failed = self._state.learned[: self._state.numbers[K.LEARNED_LENGTH]].tolist()
        return [*map(_number, failed)]

    def model(self) -> list[int]:
        """The true literals after `solve` has returned True."""
        return [*map(_number, np.flatnonzero(self._state.values == 1).tolist())]

    def _checked(self, literals: Iterable[int]) -> list[int]:
        """The literals as a list. Raises ValueError unless each has a variable."""
        checked = [*literals]
        if 0 in checked:
            raise ValueError("expected literals, found 0")
        self._check_variable(max(map(abs, checked), default=0))
        return checked

    def _check_variable(self, variable: int) -> None:
        if variable > self._variables:
            raise ValueError(f"expected {self._variables:,} variables, found {variable:,}")

    def _has_room(self, literals: int) -> bool:
        """Whether clauses with this number of literals can be added."""
        state, clauses = self._state, int(self._state.numbers[K.CLAUSES])
        has_room = int(state.starts[clauses]) + literals <= len(state.literals)
        return has_room and clauses + literals <= len(state.lbds)

    def _grow(self) -> None:
        """Double the room for clauses. Raises LimitReached."""
        state = self._state
        arrays = {name: getattr(state, name) for name in _GROWING_ARRAYS}
        self._limits.check_memory(2 * sum(array.nbytes for array in state))
        _check_length(2 * max(map(len, arrays.values())))
        more = {name: np.concatenate((old, np.zeros_like(old))) for name, old in arrays.items()}
        self._state = state._replace(**more)


def _number(literal: int) -> int:
    """The DIMACS number of a literal of `kernel`."""
    return -(literal // 2 + 1) if literal & 1 else literal // 2 + 1


def _dimacs(clauses: Iterable[Iterable[Clause]]) -> NDArray[np.int32]:
    """All clauses as one array of DIMACS literals, with a 0 after each clause."""
    packed = [
        part if isinstance(part, PackedClauses) else PackedClauses.of(part) for part in clauses
    ]
    arrays = [part.array for part in packed]
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)


def _check_length(length: int) -> None:
    if length > MAX_ENTRIES:
        raise LimitReached(f"there are more than {MAX_ENTRIES:,} literals")


def _new_state(numbers: NDArray[np.int32], variables: int, limits: Limits) -> K.State:
    """The state before the clauses in `numbers` are loaded. Raises LimitReached."""
    starts, ends = clause_bounds(numbers)
    sizes = ends - starts
    is_long = sizes > 2
    clauses = int(is_long.sum()) + LEARNED_CLAUSES
    literals = int(sizes[is_long].sum()) + variables + LEARNED_LITERALS
    binaries = int((sizes == 2).sum())
    _check_length(max(literals, 2 * clauses, 2 * binaries))
    # memory that is not written takes none; what `empty` returns is written before it is read
    limits.check_memory(numbers.nbytes + 26 * clauses + 4 * literals + 80 * variables)
    return K.State(
        input=numbers,
        assumptions=np.zeros(0, np.int32),
        literals=np.empty(literals, np.int32),
        starts=np.zeros(clauses + 1, np.int32),
        lbds=np.zeros(clauses, np.int32),
        has_improved=np.zeros(clauses, np.int8),
        next_watch=np.empty(2 * clauses, np.int32),
        blockers=np.empty(2 * clauses, np.int32),
        first_watch=np.full(2 * variables, K.NULL, np.int32),
        implied_starts=np.zeros(2 * variables + 2, np.int32),
        implied=np.zeros(2 * binaries, np.int32),
        values=np.zeros(2 * variables, np.int8),
        levels=np.zeros(variables, np.int32),
        reasons=np.zeros(variables, np.int32),
        trail=np.zeros(variables, np.int32),
        level_starts=np.zeros(2 * variables + 1, np.int32),
        phases=np.zeros(variables, np.int8),
        activities=np.zeros(variables, np.float64),
        heap=np.zeros(variables, np.int32),
        heap_positions=np.zeros(variables, np.int32),
        roles=np.zeros(variables, np.int8),
        marked=np.zeros(variables, np.int32),
        learned=np.zeros(variables + 1, np.int32),
        stack=np.zeros(variables, np.int32),
        stamps=np.zeros(2 * variables + 1, np.int64),
        numbers=np.zeros(K.NUMBERS, np.int64),
        reals=np.zeros(K.REALS, np.float64),
    )


def check_cdcl(compiled_search: Callable[..., int]) -> None:
    """Test the compiled `kernel.search` with pigeonhole formulas.

    Raises RuntimeError unless five pigeons fit into five holes, and not into four.
    """
    for holes in (4, 5):
        variable = {(p, h): p * holes + h + 1 for p in range(5) for h in range(holes)}
        clauses: list[Clause] = [tuple(variable[p, h] for h in range(holes)) for p in range(5)]
        clauses += [
            (-variable[p, h], -variable[q, h])
            for h in range(holes)
            for p in range(5)
            for q in range(p)
        ]
        session = CdclSession(compiled_search, [clauses], 5 * holes)
        if session.solve(Deadline(inf)) != (holes == 5):
            raise RuntimeError("compiled code answers a pigeonhole formula wrongly")
