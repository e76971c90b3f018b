"""A builder of clauses, with the encodings that several constraints share.

Variable c·n + v is a candidate: it means "cell c holds the v-th value". Auxiliary variables come
after all candidates. The clauses of rules assume that every cell holds exactly one value, which the
clauses of the grid require.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain
from typing import NamedTuple, TypeVar

from pipeline.errors import LimitReached
from pipeline.puzzle.clauses import Clause, RuleClauses, clauses_of

_State = TypeVar("_State", bound=Hashable)


class ClauseLimits(NamedTuple):
    """Limits on the clauses of a puzzle's rules. A builder that exceeds one raises LimitReached.

    - `clauses`: maximum number of clauses.
    - `literals`: maximum number of literals. A clause of a wide grid may have hundreds.
    - `steps`: maximum number of steps of work, many of which add no clause.
    - `sets`: maximum number of sets of values that have a given total. With more sets, the total is
      encoded as a running sum. Grids of up to 16 values never reach this limit.
    """

    clauses: int = 3_000_000
    literals: int = 12_000_000
    steps: int = 10_000_000
    sets: int = 1000


_DEFAULT_LIMITS = ClauseLimits()

_CLAUSE_BYTES, _LITERAL_BYTES = 80, 24
"""Estimated memory, in bytes, of a clause and of each of its literals."""

_CLAUSES_PER_CHECK, _STEPS_PER_CHECK = 4096, 1 << 14
"""Number of clauses, and number of steps, between two calls of `check`."""


@lru_cache(maxsize=16)
def _peer_masks(cells: int, units: tuple[tuple[int, ...], ...]) -> list[int]:
    """For each cell, a bit mask of the cells in its units, itself included."""
    peers = [0] * cells
    for unit in units:
        members = sum(1 << cell for cell in unit)
        for cell in unit:
            peers[cell] |= members
    return peers


class ClauseBuilder:
    """Builds clauses over the candidates of a grid with `cells` cells and `side` values.

    - `lowest`: the lowest value; the values are consecutive.
    - `units`: the cells of each unit, which other clauses require to hold different values. The
      clauses of rules may rely on that.
    - `check`: called regularly with the estimated memory in bytes.

    `numbers` contains the literals of the clauses so far, with a 0 after each clause. `facts`
    contains the literals of unit clauses. `variables` is the highest variable. `sums` contains the
    literals of the sums of groups of cells, which constraints share. Methods that add clauses raise
    LimitReached if `limits` are exceeded, or if `check` raises it.
    """

    def __init__(
        self,
        side: int,
        cells: int,
        limits: ClauseLimits = _DEFAULT_LIMITS,
        check: Callable[[int], None] | None = None,
        lowest: int = 1,
        units: Sequence[Sequence[int]] = (),
    ) -> None:
        self.side = side
        self.units = units
        self.values = range(lowest, lowest + side)
        self._offset = 1 - lowest
        self.limits = limits
        self.candidates = side * cells
        self.variables = self.candidates
        self.numbers: list[int] = []
        self.facts: list[int] = []
        self._clause_count = 0
        self._max_clauses, self._max_literals = limits.clauses, limits.literals
        self._conditions: Clause = ()
        self._steps = self._checked_steps = 0
        self._check = check
        self._equal: dict[tuple[int, int], int] = {}
        self.sums: dict[frozenset[int], list[int]] = {}

    @property
    def auxiliary(self) -> int:
        """The number of variables that are not candidates."""
        return self.variables - self.candidates

    def __len__(self) -> int:
        return self._clause_count

    @property
    def clauses(self) -> list[Clause]:
        """The clauses so far, as tuples."""
        return [*clauses_of(self.numbers)]

    def build(self) -> RuleClauses:
        """Pack the clauses so far."""
        data = array("i", self.numbers).tobytes()
        return RuleClauses(data, tuple(self.facts), self.variables, self.auxiliary)

    def literal(self, cell: int, value: int) -> int:
        """The literal for "the cell holds the value". The value must be one of `values`."""
        position = value + self._offset
        assert 1 <= position <= self.side  # noqa: S101 - a bug in a rule
        return cell * self.side + position

    def new_variable(self) -> int:
        """Create an auxiliary variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add a clause that applies under the current conditions (see `condition`)."""
        self._append_clause(self._conditions + literals)

    def _append_clause(self, clause: Clause) -> None:
        numbers, clause_count = self.numbers, self._clause_count
        if (
            clause_count >= self._max_clauses
            or len(numbers) - clause_count + len(clause) > self._max_literals
        ):
            raise LimitReached(f"the rules need more than {clause_count:,} clauses")
        numbers += clause
        numbers.append(0)
        self._clause_count = clause_count = clause_count + 1
        if len(clause) == 1:
            self.facts += clause
        if not clause_count % _CLAUSES_PER_CHECK:
            self._check_memory()

    def count_steps(self, steps: int) -> None:
        """Count steps of work, even steps that add no clause. Raises LimitReached."""
        self._steps += steps
        if self._steps > self.limits.steps:
            raise LimitReached("the rules take too long to encode")
        if self._steps - self._checked_steps >= _STEPS_PER_CHECK:
            self._checked_steps = self._steps
            self._check_memory()

    def _check_memory(self) -> None:
        if self._check:
            literals = len(self.numbers) - self._clause_count
            self._check(_CLAUSE_BYTES * self._clause_count + _LITERAL_BYTES * literals)

    @contextmanager
    def condition(self, *literals: int) -> Iterator[None]:
        """Context manager: clauses added inside apply only if all these literals are true."""
        outer_conditions = self._conditions
        self._conditions = (*outer_conditions, *(-literal for literal in literals))
        try:
            yield
        finally:
            self._conditions = outer_conditions

    def new_selectors(self, number: int) -> list[int]:
        """Create variables of which at least one is true, for use with `condition`."""
        variables = [self.new_variable() for _ in range(number)]
        self.add(*variables)
        return variables

    def require_at_most_one(self, literals: Sequence[int]) -> None:
        """Require that at most one of the literals is true (sequential encoding)."""
        any_before = 0
        for literal in literals:
            any_true = self.new_variable()
            self.add(-literal, any_true)
            if any_before:
                self.add(-any_before, any_true)
                self.add(-any_before, -literal)
            any_before = any_true

    def define_any_cell(self, cells: Sequence[int], value: int) -> int:
        """Create a variable for "one of the cells holds the value", with unconditional clauses."""
        any_cell = self.new_variable()
        literals = [self.literal(cell, value) for cell in cells]
        for literal in literals:
            self._append_clause((-literal, any_cell))
        self._append_clause((-any_cell, *literals))
        return any_cell

    def define_disjunction(self, literals: Sequence[int]) -> int:
        """A literal for "one of these literals is true". Its clauses are unconditional."""
        if len(literals) == 1:
            return literals[0]
        disjunction = self.new_variable()
        for literal in literals:
            self._append_clause((-literal, disjunction))
        self._append_clause((-disjunction, *literals))
        return disjunction

    def define_equal(self, a: int, b: int) -> int:
        """The variable for "the cells a and b hold the same value"; a and b must differ.

        The first call creates the variable, which all constraints share. Its clauses are
        unconditional.
        """
        pair = (a, b) if a < b else (b, a)
        if pair not in self._equal:
            equal = self._equal[pair] = self.new_variable()
            for value in self.values:
                a_holds, b_holds = self.literal(a, value), self.literal(b, value)
                self._append_clause((-a_holds, -b_holds, equal))
                self._append_clause((-equal, -a_holds, b_holds))
                self._append_clause((-equal, a_holds, -b_holds))
        return self._equal[pair]

    @cached_property
    def peers(self) -> Sequence[int]:
        """For each cell, a bit mask of the cells in its units, itself included."""
        return _peer_masks(self.candidates // self.side, tuple(map(tuple, self.units)))

    def define(self, *literals: int) -> None:
        """Add an unconditional clause, which defines new variables."""
        self._append_clause(literals)

    def define_counter(self, literals: Sequence[int], maximum: int) -> list[int]:
        """Create a unary counter that counts to `maximum` or to the number of literals.

        Returns variables: the k-th is equivalent to "at least k of the literals are true". Their
        clauses are unconditional.
        """
        counts: list[int] = []
        for literal in literals:
            new_counts = [self.new_variable() for _ in range(min(maximum, len(counts) + 1))]
            for index, reached in enumerate(new_counts):
                earlier = counts[index] if index < len(counts) else 0
                fewer = counts[index - 1] if index else 0
                step = (literal, fewer) if fewer else (literal,)
                self._append_clause((-reached, literal, *filter(None, (earlier,))))
                if fewer:
                    self._append_clause((-reached, fewer))
                if earlier:
                    self._append_clause((-earlier, reached))
                self._append_clause((*(-condition for condition in step), reached))
            counts = new_counts
        return counts

    def require_one_of_sets(
        self, literals: Mapping[int, int], sets: Sequence[Collection[int]]
    ) -> None:
        """Require that the values with true literals form one of the sets.

        `literals`: the literal of each value.
        """
        if not sets:
            self.add()
            return
        selectors = self.new_selectors(len(sets))
        for selector, values in zip(selectors, sets, strict=True):
            for value, literal in literals.items():
                self.add(-selector, literal if value in values else -literal)
        for value, literal in literals.items():
            choices = [s for s, values in zip(selectors, sets, strict=True) if value in values]
            self.add(-literal, *choices)

    def sets_with_total(
        self, values: Collection[int], size: int, total: int
    ) -> list[tuple[int, ...]] | None:
        """The sets of `size` values that sum to `total`; None if there are too many."""
        ascending = sorted(values)
        sums = [0, *accumulate(ascending)]
        complete: list[tuple[int, ...]] = []
        # (the chosen values in descending order, the number of smaller values, the missing sum)
        waiting: list[tuple[tuple[int, ...], int, int]] = [((), len(ascending), total)]
        while waiting:
            chosen, below, missing = waiting.pop()
            self.count_steps(1)
            missing_values = size - len(chosen)
            if not missing_values:
                complete += [chosen] if not missing else []
                if len(complete) > self.limits.sets:
                    return None
                continue
            for index in range(missing_values - 1, below):
                value = ascending[index]
                minimum = value + sums[missing_values - 1]
                maximum = sums[index + 1] - sums[index + 1 - missing_values]
                if minimum <= missing <= maximum:
                    waiting.append(((*chosen, value), index, missing - value))
        return complete

    def require_automaton(
        self,
        cells: Sequence[int],
        start: _State,
        step: Callable[[int, _State, int], _State | None],
        accepts: Callable[[_State], bool],
        ends: Mapping[_State, int] | None = None,
    ) -> None:
        """Require that an automaton accepts the values of the cells.

        - `cells`: may list a cell more than once.
        - `step(index, state, value)`: returns the state after the cell at that index, or None to
          reject the value.
        - `ends`: maps each state after the last cell to its literal; by default, these literals are
          new variables.
        """
        layers = self._layers(len(cells), start, step, accepts)
        if not layers:
            self.add()
            return
        states_before = {start: 0}
        for index, cell in enumerate(cells):
            is_last = index == len(cells) - 1
            states_after = {
                s: ends[s] if is_last and ends else self.new_variable() for s in layers[index + 1]
            }
            self._encode_step(cell, states_before, states_after, partial(step, index))
            states_before = states_after

    def _encode_step(
        self,
        cell: int,
        states_before: Mapping[_State, int],
        states_after: Mapping[_State, int],
        step: Callable[[_State, int], _State | None],
    ) -> None:
        """Encode one step, from the states before the cell to the states after it.

        `states_before` and `states_after` map states to literals; literal 0 marks the only state
        before the first cell. Clauses that derive the next state from state and value would
        suffice; the clauses in the other direction make proofs of hard puzzles several times
        shorter.
        """
        # following state → {value: the literals of the states before}
        ways: dict[_State, dict[int, list[int]]] = {state: {} for state in states_after}
        for state, reached in states_before.items():
            begins = (-reached,) if reached else ()
            leading: dict[_State, list[int]] = {}
            for value in self.values:
                following = step(state, value)
                if following is None or following not in states_after:
                    self.add(*begins, -self.literal(cell, value))
                    continue
                self.add(*begins, -self.literal(cell, value), states_after[following])
                leading.setdefault(following, []).append(value)
                ways[following].setdefault(value, []).append(reached)
            self.add(*begins, *(states_after[following] for following in leading))
            for following, values in leading.items():
                self.add(
                    *begins, -states_after[following], *(self.literal(cell, v) for v in values)
                )
        if 0 in states_before.values():
            return
        for following, sources_by_value in ways.items():
            for value, value_sources in sources_by_value.items():
                self.add(-states_after[following], -self.literal(cell, value), *value_sources)
            sources = dict.fromkeys(chain.from_iterable(sources_by_value.values()))
            self.add(-states_after[following], *sources)

    def _layers(
        self,
        length: int,
        start: _State,
        step: Callable[[int, _State, int], _State | None],
        accepts: Callable[[_State], bool],
    ) -> list[list[_State]]:
        """The useful states before the first cell and after each cell.

        A state is useful if it can be reached, and an accepted state can be reached from it.
        Returns an empty list if the automaton accepts no line.
        """
        reached = [[start]]
        for index in range(length):
            self.count_steps(self.side * len(reached[-1]))
            next_states = (
                step(index, state, value) for state in reached[-1] for value in self.values
            )
            reached.append([*dict.fromkeys(state for state in next_states if state is not None)])
        layers = [[state for state in reached[-1] if accepts(state)]]
        for index in reversed(range(length)):
            good = {*layers[-1]}
            step_at = partial(step, index)
            layers.append(
                [s for s in reached[index] if any(step_at(s, v) in good for v in self.values)]
            )
        layers.reverse()
        return layers if all(layers) else []
