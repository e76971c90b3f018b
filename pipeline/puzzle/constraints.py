"""The constraints that rules consist of. A constraint checks values and encodes itself as clauses.

Constraints are plain data (cells, numbers and module-level functions), so they can be compared,
hashed, pickled and compiled. A constraint holds for an assignment of its cells if and only if its
clauses are satisfiable together with that assignment.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, dataclass_transform

from pipeline.puzzle.encodings import (
    encode_chosen_line,
    encode_less,
    encode_pair,
    encode_paths,
)

if TYPE_CHECKING:
    from pipeline.puzzle.builder import ClauseBuilder

Cell = int
Cells = tuple[Cell, ...]
CellPairs = tuple[tuple[Cell, Cell], ...]
Values = tuple[int, ...]
"""Types of the fields of constraints. Cells are numbered from 0."""


@dataclass_transform(frozen_default=True)
class Constraint(ABC):
    """A constraint on the values of some cells; each subclass becomes a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    cells: Cells

    def scope(self) -> Iterable[int]:
        """The cells on whose values the constraint depends; cells may repeat."""
        return self.cells

    @abstractmethod
    def holds(self, values: Sequence[int]) -> bool:
        """Whether the constraint holds for these values, one for each cell of the grid."""

    @abstractmethod
    def encode(self, clauses: ClauseBuilder) -> None:
        """Add clauses that are equivalent to the constraint."""


class Allowed(Constraint):
    """The cell holds one of the values."""

    cell: int
    values: tuple[int, ...] | range

    def scope(self) -> Iterable[int]:
        return (self.cell,)

    def holds(self, values: Sequence[int]) -> bool:
        return values[self.cell] in self.values

    def encode(self, clauses: ClauseBuilder) -> None:
        for value in clauses.values:
            if value not in self.values:
                clauses.add(-clauses.literal(self.cell, value))


class Pairs(Constraint):
    """For each pair of cells, `relation(u, v, *numbers)` is true of their values u and v."""

    pairs: tuple[tuple[int, int], ...]
    relation: Callable[..., bool]
    numbers: tuple[Any, ...] = ()

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(self.pairs)

    def holds(self, values: Sequence[int]) -> bool:
        relation, numbers = self.relation, self.numbers
        return all(relation(values[a], values[b], *numbers) for a, b in self.pairs)

    def encode(self, clauses: ClauseBuilder) -> None:
        clauses.count_steps(clauses.side**2)
        parameters = self.relation, self.numbers
        pairs = [pair for pair in self.pairs if pair[0] != pair[1]]
        clauses.encode_cached_all(encode_pair, pairs, parameters)
        equal = [(a,) for a, b in self.pairs if a == b]
        clauses.encode_cached_all(encode_pair, equal, parameters)


class Equivalent(Constraint):
    """In each pair of facts (cell, value), both facts are true or both are false."""

    facts: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    def scope(self) -> Iterable[int]:
        return (cell for pair in self.facts for cell, _ in pair)

    def holds(self, values: Sequence[int]) -> bool:
        return all((values[a] == u) == (values[b] == v) for (a, u), (b, v) in self.facts)

    def encode(self, clauses: ClauseBuilder) -> None:
        for first, second in self.facts:
            first_literal, second_literal = clauses.literal(*first), clauses.literal(*second)
            clauses.add(-first_literal, second_literal)
            clauses.add(first_literal, -second_literal)


class OutsideRange(Constraint):
    """Each of the cells holds less than the cell `low` or more than the cell `high`."""

    cells: Cells
    low: int
    high: int

    def scope(self) -> Iterable[int]:
        return (self.low, *self.cells, self.high)

    def holds(self, values: Sequence[int]) -> bool:
        low, high = values[self.low], values[self.high]
        return all(values[cell] < low or values[cell] > high for cell in self.cells)

    def encode(self, clauses: ClauseBuilder) -> None:
        triples = [(self.low, cell, self.high) for cell in self.cells]
        clauses.encode_cached_all(_encode_outside_range, triples)


def _encode_outside_range(clauses: ClauseBuilder, cells: Cells, _literals: Sequence[int]) -> None:
    low, cell, high = cells
    values = clauses.values
    for value in values:
        above = [clauses.literal(low, v) for v in values if v > value]
        below = [clauses.literal(high, v) for v in values if v < value]
        clauses.add(-clauses.literal(cell, value), *above, *below)


class AllDifferent(Constraint):
    """No value repeats in the cells, so n cells hold all n values. The cells must be distinct."""

    cells: Cells

    def holds(self, values: Sequence[int]) -> bool:
        return len({values[cell] for cell in self.cells}) == len(self.cells)

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.cells) > clauses.side:
            clauses.add()
            return
        if len(self.cells) == clauses.side:
            clauses.encode_cached(_encode_all_values, self.cells)
        peers = clauses.unit_peers
        pairs = combinations(self.cells, 2)
        apart = [(cell, other) for cell, other in pairs if not peers[cell] >> other & 1]
        clauses.encode_cached_all(_encode_different, apart)


def _encode_all_values(clauses: ClauseBuilder, cells: Cells, _literals: Sequence[int]) -> None:
    """Encode that each value is in one of the cells."""
    for value in clauses.values:
        clauses.add(*(clauses.literal(cell, value) for cell in cells))


def _encode_different(clauses: ClauseBuilder, cells: Cells, _literals: Sequence[int]) -> None:
    a, b = cells
    for value in clauses.values:
        clauses.add(-clauses.literal(a, value), -clauses.literal(b, value))


class AtLeast(Constraint):
    """At least `minimum` of the cells hold the value.

    The cells must be distinct, and few: there is a clause for each subset of one size.
    """

    cells: Cells
    value: int
    minimum: int

    def holds(self, values: Sequence[int]) -> bool:
        return sum(values[cell] == self.value for cell in self.cells) >= self.minimum

    def encode(self, clauses: ClauseBuilder) -> None:
        if self.minimum <= 0:
            return
        if self.value not in clauses.values or self.minimum > len(self.cells):
            clauses.add()
            return
        for subset in combinations(self.cells, len(self.cells) - self.minimum + 1):
            clauses.add(*(clauses.literal(cell, self.value) for cell in subset))


class OneOfSets(Constraint):
    """The set of values in the cells is one of `sets`. Values may repeat in the cells."""

    cells: Cells
    sets: tuple[tuple[int, ...] | range, ...]

    def holds(self, values: Sequence[int]) -> bool:
        held = {values[cell] for cell in self.cells}
        return any(held == {*values} for values in self.sets)

    def encode(self, clauses: ClauseBuilder) -> None:
        peers = clauses.common_peers(self.cells) if clauses.has_room else ()
        parameters = self.sets, len(self.cells)
        clauses.encode_cached(encode_one_of_sets, (*self.cells, *peers), parameters=parameters)


def encode_one_of_sets(
    clauses: ClauseBuilder,
    cells_and_peers: Cells,
    _literals: Sequence[int],
    value_sets: tuple[tuple[int, ...] | range, ...],
    count: int,
) -> None:
    """Encode that the set of values in the first `count` cells is one of these sets.

    The other cells are peers of all these cells, so they hold no value of the set.
    """
    cells, peers = cells_and_peers[:count], cells_and_peers[count:]
    sets = [{*values} for values in value_sets if {*values}.issubset(clauses.values)]
    if not sets:
        clauses.add()
        return
    possible, certain = set.union(*sets), set.intersection(*sets)
    for cell in cells:
        Allowed(cell, tuple(possible)).encode(clauses)
    for value in sorted(certain):
        clauses.add(*(clauses.literal(cell, value) for cell in cells))
        for peer in peers:
            clauses.add(-clauses.literal(peer, value))
    if possible != certain:
        optional = sorted(possible - certain)
        literals = {value: clauses.define_any_cell(cells, value) for value in optional}
        clauses.require_one_of_sets(literals, sets)
        for value, literal in literals.items():
            for peer in peers:
                clauses.add(-literal, -clauses.literal(peer, value))


class HoldsEachPart(Constraint):
    """Some cell holds a value of each part. The parts are disjoint sets of values."""

    cells: Cells
    parts: tuple[tuple[int, ...] | range, ...]

    def holds(self, values: Sequence[int]) -> bool:
        return all(any(values[cell] in part for cell in self.cells) for part in self.parts)

    def encode(self, clauses: ClauseBuilder) -> None:
        for part in self.parts:
            AnyOf(tuple(Allowed(cell, part) for cell in self.cells)).encode(clauses)


class Automaton(Constraint):
    """A deterministic automaton accepts the values of the cells, in order.

    `step(state, value, *numbers)` returns the next state, or None to reject the value.
    """

    cells: Cells
    start: Hashable
    step: Callable[..., Hashable | None]
    accepted: frozenset[Hashable]
    numbers: tuple[Any, ...] = ()

    def holds(self, values: Sequence[int]) -> bool:
        state: Hashable | None = self.start
        for cell in self.cells:
            state = self.step(state, values[cell], *self.numbers)
            if state is None:
                return False
        return state in self.accepted

    def encode(self, clauses: ClauseBuilder) -> None:
        clauses.require_automaton(self.cells, self.start, self.step, self.accepted, self.numbers)


class NondeterministicAutomaton(Constraint):
    """A nondeterministic automaton accepts the values of the cells, in order.

    `moves` has the next states for each state and each value from 0 on.
    """

    cells: Cells
    moves: tuple[tuple[tuple[int, ...], ...], ...]
    starts: tuple[int, ...]
    accepted: frozenset[int]

    def holds(self, values: Sequence[int]) -> bool:
        states = {*self.starts}
        for cell in self.cells:
            states = {after for state in states for after in self.moves[state][values[cell]]}
        return not states.isdisjoint(self.accepted)

    def encode(self, clauses: ClauseBuilder) -> None:
        """Encode each state before or after a cell as a variable. True variables form a path."""
        parameters = self.moves, self.starts, self.accepted
        clauses.encode_cached(encode_paths, self.cells, parameters=parameters)


class Ranked(Constraint):
    """The line begins with `first`, and is greater than exactly `rank` of the others that do.

    Lines have the same length and are compared lexicographically. `may_tie`: other lines may be
    equal to the line.
    """

    line: Cells
    other_lines: tuple[Cells, ...]
    first: int
    rank: int
    may_tie: bool

    def scope(self) -> Iterable[int]:
        return chain(self.line, *self.other_lines)

    def holds(self, values: Sequence[int]) -> bool:
        own = [values[cell] for cell in self.line]
        other_lines = [[values[cell] for cell in line] for line in self.other_lines]
        same = [line for line in other_lines if line[0] == self.first]
        return (
            own[0] == self.first
            and sum(line < own for line in same) == self.rank
            and (self.may_tie or own not in same)
        )

    def encode(self, clauses: ClauseBuilder) -> None:
        if self.first not in clauses.values:
            clauses.add()
            return
        clauses.add(clauses.literal(self.line[0], self.first))
        less = [*self._define_all_less(clauses)]
        at_least = clauses.define_counter(less, self.rank + 1)
        if self.rank > len(less):
            clauses.add()
        elif self.rank:
            clauses.add(at_least[self.rank - 1])
        if self.rank < len(less):
            clauses.add(-at_least[self.rank])

    def _define_all_less(self, clauses: ClauseBuilder) -> Iterator[int]:
        """Define variables of which as many are true as other lines are less than the line.

        These lines begin with `first`. If lines begin at each cell of a unit with all values, just
        one of them does: its values get variables, which all ranks share, and only this line is
        compared. That takes a third of the clauses of comparing each.
        """
        lines = tuple(sorted((self.line, *self.other_lines)))
        edges = _edges(lines, tuple(unit for unit in clauses.groups if len(unit) == clauses.side))
        for edge in edges:
            at_start = [line for line in edge if line[0] == self.line[0] and line != self.line]
            if len(edge) == 1 or at_start:
                for line in at_start or edge:
                    if line != self.line:
                        yield self._define_less(clauses, line)
            elif self.line not in edge:
                key = self.first, edge
                if key not in clauses.chosen_lines:
                    clauses.chosen_lines[key] = clauses.encode_cached(
                        encode_chosen_line,
                        [*chain.from_iterable(edge)],
                        parameters=(self.first, len(self.line)),
                    )
                chosen = clauses.chosen_lines[key]
                parameters = (self.may_tie,)
                yield from clauses.encode_cached(encode_less, self.line[1:], chosen, parameters)

    def _define_less(self, clauses: ClauseBuilder, other_line: Cells) -> int:
        """Define a variable for "the other line begins with `first` and is less than the line"."""
        values, literal = clauses.values, clauses.literal
        pairs = zip(self.line[1:], other_line[1:], strict=True)
        compared = [(cell, other) for cell, other in pairs if cell != other]
        literals = [literal(other, value) for _, other in compared for value in values]
        if other_line[0] != self.line[0]:
            literals.append(literal(other_line[0], self.first))
        own_cells = [cell for cell, _ in compared]
        (less,) = clauses.encode_cached(encode_less, own_cells, literals, (self.may_tie,))
        return less


@lru_cache(maxsize=16)
def _edges(lines: tuple[Cells, ...], units: tuple[Cells, ...]) -> tuple[tuple[Cells, ...], ...]:
    """Partition the lines into edges, with a line from each cell of a unit, and single lines."""
    remaining, edges = dict.fromkeys(lines), list[tuple[Cells, ...]]()
    for unit in units:
        from_cell: dict[Cell, Cells] = {}
        for line in remaining:
            if line[0] in unit:
                from_cell.setdefault(line[0], line)
        if len(from_cell) == len(unit):
            edges.append(tuple(from_cell.values()))
            for line in edges[-1]:
                del remaining[line]
    return (*edges, *((line,) for line in remaining))


class _Compound(Constraint):
    """A constraint that consists of other constraints."""

    parts: tuple[Constraint, ...]

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(part.scope() for part in self.parts)


class AllOf(_Compound):
    """All parts hold."""

    def holds(self, values: Sequence[int]) -> bool:
        return all(part.holds(values) for part in self.parts)

    def encode(self, clauses: ClauseBuilder) -> None:
        for part in self.parts:
            part.encode(clauses)


def conjuncts(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """Yield the constraints, with its parts in place of each AllOf."""
    for constraint in constraints:
        if isinstance(constraint, AllOf):
            yield from conjuncts(constraint.parts)
        else:
            yield constraint


class AnyOf(_Compound):
    """At least one part holds. Without parts, the constraint never holds."""

    def holds(self, values: Sequence[int]) -> bool:
        return any(part.holds(values) for part in self.parts)

    def encode(self, clauses: ClauseBuilder) -> None:
        facts = [part for part in self.parts if isinstance(part, Allowed)]
        if len(facts) == len(self.parts):  # all parts are `Allowed`, so one clause suffices
            allowed = ((f.cell, v) for f in facts for v in clauses.values if v in f.values)
            clauses.add(*dict.fromkeys(clauses.literal(cell, value) for cell, value in allowed))
            return
        for literal, part in zip(clauses.new_selectors(len(self.parts)), self.parts, strict=True):
            with clauses.condition(literal):
                part.encode(clauses)


class ValueSwitch(Constraint):
    """If the cell holds v, then `parts[v - lowest]` holds. Each value has a part."""

    cell: int
    parts: tuple[Constraint, ...]
    lowest: int = 1

    def scope(self) -> Iterable[int]:
        return chain((self.cell,), *(part.scope() for part in self.parts))

    def holds(self, values: Sequence[int]) -> bool:
        return self.parts[values[self.cell] - self.lowest].holds(values)

    def encode(self, clauses: ClauseBuilder) -> None:
        for value, part in enumerate(self.parts, start=self.lowest):
            with clauses.condition(clauses.literal(self.cell, value)):
                part.encode(clauses)
