"""Constraints that rules are made of: each says what it means of values, and the same in clauses.

Constraints are plain data: cells, numbers and functions of modules, so that they can be compared,
hashed, pickled and compiled. The clauses of a constraint can be extended to an assignment of its
cells exactly if the constraint holds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, Any, dataclass_transform

if TYPE_CHECKING:
    from pipeline.puzzle.clauses import ClauseBuilder

Cell = int
Cells = tuple[Cell, ...]
CellPairs = tuple[tuple[Cell, Cell], ...]
Values = tuple[int, ...]


@dataclass_transform(frozen_default=True)
class Constraint(ABC):
    """Something that the values of some cells have to be; each subclass is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    cells: Cells

    def scope(self) -> Iterable[int]:
        """The cells whose values decide whether it holds, perhaps some of them twice."""
        return self.cells

    @abstractmethod
    def holds(self, values: Sequence[int]) -> bool:
        """Whether it holds of these values, one for each cell of the grid."""

    @abstractmethod
    def encode(self, clauses: ClauseBuilder) -> None:
        """Add clauses that say the same."""


class Allowed(Constraint):
    """A cell holds one of the values."""

    cell: int
    values: tuple[int, ...] | range

    def scope(self) -> Iterable[int]:
        return (self.cell,)

    def holds(self, values: Sequence[int]) -> bool:
        return values[self.cell] in self.values

    def encode(self, clauses: ClauseBuilder) -> None:
        for value in clauses.values:
            if value not in self.values:
                clauses.add(-clauses.at(self.cell, value))


class Pairs(Constraint):
    """The values u and v of each pair of cells are related: `relation(u, v, *numbers)` is true."""

    pairs: tuple[tuple[int, int], ...]
    relation: Callable[..., bool]
    numbers: tuple[Any, ...] = ()

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(self.pairs)

    def holds(self, values: Sequence[int]) -> bool:
        relation, numbers = self.relation, self.numbers
        return all(relation(values[a], values[b], *numbers) for a, b in self.pairs)

    def encode(self, clauses: ClauseBuilder) -> None:
        values, at, add = clauses.values, clauses.at, clauses.add
        clauses.spend(clauses.side**2)
        related = {(u, v) for u in values for v in values if self.relation(u, v, *self.numbers)}
        after = {u: [v for v in values if (u, v) in related] for u in values}
        before = {v: [u for u in values if (u, v) in related] for v in values}
        forbidden = [(u, v) for u in values for v in values if (u, v) not in related]
        one_to_one = all(len(each) == 1 for each in (*after.values(), *before.values()))
        most = (2 if one_to_one else 3) * clauses.side
        for a, b in self.pairs:
            if a == b:
                for value in values:
                    if (value, value) not in related:
                        add(-at(a, value))
            elif len(forbidden) <= most:
                for u, v in forbidden:
                    add(-at(a, u), -at(b, v))
            else:  # what supports each value: fewer clauses, which propagate more
                for value in values:
                    add(-at(a, value), *(at(b, v) for v in after[value]))
                    add(-at(b, value), *(at(a, u) for u in before[value]))


class Equivalent(Constraint):
    """Of each pair of facts (cell, value) either both are true or neither."""

    facts: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    def scope(self) -> Iterable[int]:
        return (cell for pair in self.facts for cell, _ in pair)

    def holds(self, values: Sequence[int]) -> bool:
        return all((values[a] == u) == (values[b] == v) for (a, u), (b, v) in self.facts)

    def encode(self, clauses: ClauseBuilder) -> None:
        for one, other in self.facts:
            here, there = clauses.at(*one), clauses.at(*other)
            clauses.add(-here, there)
            clauses.add(here, -there)


class EqualToSome(Constraint):
    """A cell holds the same value as at least one of the others."""

    cell: int
    others: Cells

    def scope(self) -> Iterable[int]:
        return (self.cell, *self.others)

    def holds(self, values: Sequence[int]) -> bool:
        return values[self.cell] in {values[other] for other in self.others}

    def encode(self, clauses: ClauseBuilder) -> None:
        clauses.add(*(clauses.same(self.cell, other) for other in self.others))


class Beyond(Constraint):
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
        values = clauses.values
        for cell in self.cells:
            for value in values:
                above = [clauses.at(self.low, v) for v in values if v > value]
                below = [clauses.at(self.high, v) for v in values if v < value]
                clauses.add(-clauses.at(cell, value), *above, *below)


class AllDifferent(Constraint):
    """No value repeats in the cells, each named once; n cells hold all n values."""

    cells: Cells

    def holds(self, values: Sequence[int]) -> bool:
        return len({values[cell] for cell in self.cells}) == len(self.cells)

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.cells) > clauses.side:
            clauses.add()
            return
        apart = clauses.apart
        pairs = [
            (index, other)
            for (index, cell), (other, there) in combinations(enumerate(self.cells), 2)
            if not apart[cell] >> there & 1
        ]
        for value in clauses.values:
            literals = [clauses.at(cell, value) for cell in self.cells]
            if len(literals) == clauses.side:
                clauses.add(*literals)
            for index, other in pairs:
                clauses.add(-literals[index], -literals[other])


class AtLeast(Constraint):
    """At least `times` of the cells hold the value; for a few cells, each named once."""

    cells: Cells
    value: int
    times: int

    def holds(self, values: Sequence[int]) -> bool:
        return sum(values[cell] == self.value for cell in self.cells) >= self.times

    def encode(self, clauses: ClauseBuilder) -> None:
        if self.times <= 0:
            return
        if self.value not in clauses.values or self.times > len(self.cells):
            clauses.add()
            return
        for some in combinations(self.cells, len(self.cells) - self.times + 1):
            clauses.add(*(clauses.at(cell, self.value) for cell in some))


class OneOfSets(Constraint):
    """The set of the values that the cells hold, however often, is one of the sets."""

    cells: Cells
    sets: tuple[tuple[int, ...] | range, ...]

    def holds(self, values: Sequence[int]) -> bool:
        held = {values[cell] for cell in self.cells}
        return any(held == {*each} for each in self.sets)

    def encode(self, clauses: ClauseBuilder) -> None:
        sets = [{*each} for each in self.sets if {*each}.issubset(clauses.values)]
        if not sets:
            clauses.add()
            return
        possible, certain = set.union(*sets), set.intersection(*sets)
        for cell in self.cells:
            Allowed(cell, tuple(possible)).encode(clauses)
        for value in sorted(certain):
            clauses.add(*(clauses.at(cell, value) for cell in self.cells))
        if possible != certain:
            doubtful = sorted(possible - certain)
            literals = {value: clauses.holding(self.cells, value) for value in doubtful}
            clauses.chosen(literals, sets)


class Automaton(Constraint):
    """The values of the cells, in turn, lead from the start to an accepted state.

    `step(state, value, *numbers)` is the next state, None a dead end.
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
        clauses.automaton(self.cells, self.start, self._step, self.accepted.__contains__)

    def _step(self, _: int, state: Hashable, value: int) -> Hashable | None:
        return self.step(state, value, *self.numbers)


class DifferentPairs(Constraint):
    """No two of the pairs of cells hold the same two values; each cell is named once."""

    pairs: CellPairs

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(self.pairs)

    def holds(self, values: Sequence[int]) -> bool:
        return len({(values[a], values[b]) for a, b in self.pairs}) == len(self.pairs)

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.pairs) > clauses.side**2:
            clauses.add()
            return
        for u, v in product(clauses.values, repeat=2):
            both = []
            for a, b in self.pairs:
                here = clauses.new()
                clauses.define(-here, clauses.at(a, u))
                clauses.define(-here, clauses.at(b, v))
                clauses.define(here, -clauses.at(a, u), -clauses.at(b, v))
                both.append(here)
            clauses.most_one(both)
            if len(self.pairs) == clauses.side**2:
                clauses.add(*both)


class Connected(Constraint):
    """The cells that hold one of the values form one region: not empty, and of the size, if any.

    Neighbours are the two cells of each of the pairs `beside`, which are pairs of the cells.
    """

    cells: Cells
    beside: CellPairs
    values: tuple[int, ...]
    size: int | None = None

    def holds(self, values: Sequence[int]) -> bool:
        members = {cell for cell in self.cells if values[cell] in self.values}
        if not members or self.size not in (None, len(members)):
            return False
        near = self.neighbours()
        waiting = [next(iter(members))]
        reached = {*waiting}
        for cell in waiting:
            found = members.intersection(near[cell]) - reached
            reached |= found
            waiting += found
        return reached == members

    def neighbours(self) -> dict[int, list[int]]:
        """Those of each cell."""
        near: dict[int, list[int]] = {cell: [] for cell in self.cells}
        for a, b in self.beside:
            near[a].append(b)
            near[b].append(a)
        return near

    def encode(self, clauses: ClauseBuilder) -> None:
        """Each member is reached from the first one, in as many steps as there may be."""
        held = [value for value in self.values if value in clauses.values]
        if not held or (self.size is not None and not 0 < self.size <= len(self.cells)):
            clauses.add()
            return
        member = {
            cell: clauses.either([clauses.at(cell, value) for value in held]) for cell in self.cells
        }
        clauses.add(*member.values())
        reached, earlier = dict[int, int](), 0
        for cell, inside in member.items():
            first = clauses.new()
            clauses.define(-first, inside)
            some = clauses.new()
            clauses.define(-inside, some)
            if earlier:
                clauses.define(-first, -earlier)
                clauses.define(-earlier, some)
            reached[cell], earlier = first, some
        near = self.neighbours()
        for _ in range((self.size or len(self.cells)) - 1):
            after = {cell: clauses.new() for cell in self.cells}
            for cell, here in after.items():
                clauses.define(-here, member[cell])
                clauses.define(-here, reached[cell], *(reached[other] for other in near[cell]))
            reached = after
        for cell, inside in member.items():
            clauses.add(-inside, reached[cell])
        if self.size is not None:
            _encode_nearness(clauses, member, near, self.size)
            clauses.automaton(self.cells, 0, self._count, self.size.__eq__)

    def _count(self, index: int, so_far: int, value: int) -> int | None:
        """How many cells are inside, if they can still become as many as there must be."""
        after = so_far + (value in self.values)
        left = len(self.cells) - 1 - index
        return after if self.size is not None and after <= self.size <= after + left else None


class Ranked(Constraint):
    """The line begins with `first`, and of the others that do exactly `smaller` are less than it.

    Lines are compared like words: the first difference decides. Unless `tied`, none of the others
    is equal. All lines have the same length.
    """

    line: Cells
    others: tuple[Cells, ...]
    first: int
    smaller: int
    tied: bool

    def scope(self) -> Iterable[int]:
        return chain(self.line, *self.others)

    def holds(self, values: Sequence[int]) -> bool:
        own = [values[cell] for cell in self.line]
        others = [[values[cell] for cell in other] for other in self.others]
        same = [other for other in others if other[0] == self.first]
        return (
            own[0] == self.first
            and sum(other < own for other in same) == self.smaller
            and (self.tied or own not in same)
        )

    def encode(self, clauses: ClauseBuilder) -> None:
        if self.first not in clauses.values:
            clauses.add()
            return
        clauses.add(clauses.at(self.line[0], self.first))
        less = [self._less(clauses, other) for other in self.others]
        reached = clauses.counted(less, self.smaller + 1)
        if self.smaller > len(less):
            clauses.add()
        elif self.smaller:
            clauses.add(reached[self.smaller - 1])
        if self.smaller < len(less):
            clauses.add(-reached[self.smaller])

    def _less(self, clauses: ClauseBuilder, other: Cells) -> int:
        """A variable that is true exactly if the other begins with `first` and is less."""
        at, add, values = clauses.at, clauses.add, clauses.values
        less, equal, begins = clauses.new(), clauses.new(), at(other[0], self.first)
        add(-equal, begins)
        add(-begins, equal)
        add(equal, -less)
        for here, there in zip(self.line[1:], other[1:], strict=True):
            if here == there:
                continue
            clauses.spend(len(values))
            still = clauses.new()  # equal up to these cells too
            add(equal, -still)
            for value in values:
                own = -at(here, value)
                add(-equal, own, less, *(at(there, v) for v in values if v >= value))
                add(-equal, own, -less, *(at(there, v) for v in values if v <= value))
                add(-equal, own, -at(there, value), still)
                add(-still, own, at(there, value))
            equal = still
        add(-equal, -less)
        if not self.tied:
            add(-equal)
        return less


class _Parts(Constraint):
    parts: tuple[Constraint, ...]

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(part.scope() for part in self.parts)


class Every(_Parts):
    """All parts hold."""

    def holds(self, values: Sequence[int]) -> bool:
        return all(part.holds(values) for part in self.parts)

    def encode(self, clauses: ClauseBuilder) -> None:
        for part in self.parts:
            part.encode(clauses)


class Either(_Parts):
    """At least one of the parts holds; without parts it never does."""

    def holds(self, values: Sequence[int]) -> bool:
        return any(part.holds(values) for part in self.parts)

    def encode(self, clauses: ClauseBuilder) -> None:
        facts = [part for part in self.parts if isinstance(part, Allowed)]
        if len(facts) == len(self.parts):  # one clause says it
            allowed = ((each.cell, v) for each in facts for v in clauses.values if v in each.values)
            clauses.add(*dict.fromkeys(clauses.at(cell, value) for cell, value in allowed))
            return
        for literal, part in zip(clauses.pick(len(self.parts)), self.parts, strict=True):
            with clauses.under(literal):
                part.encode(clauses)


class ByValue(Constraint):
    """If the cell holds v, the v-th of the parts holds; there is one for each value.

    Values are counted from the `lowest`.
    """

    cell: int
    parts: tuple[Constraint, ...]
    lowest: int = 1

    def scope(self) -> Iterable[int]:
        return chain((self.cell,), *(part.scope() for part in self.parts))

    def holds(self, values: Sequence[int]) -> bool:
        return self.parts[values[self.cell] - self.lowest].holds(values)

    def encode(self, clauses: ClauseBuilder) -> None:
        for value, part in enumerate(self.parts, start=self.lowest):
            with clauses.under(clauses.at(self.cell, value)):
                part.encode(clauses)


def _encode_nearness(
    clauses: ClauseBuilder,
    member: Mapping[Cell, int],
    near: Mapping[Cell, Sequence[Cell]],
    size: int,
) -> None:
    """Each member of a region has another beside it, and none is farther than its size allows.

    `member` are literals. That follows from how the region is reached, but solvers are far quicker
    with it.
    """
    for cell, inside in member.items():
        if size > 1:
            clauses.add(-inside, *(member[other] for other in near[cell]))
        steps, waiting = {cell: 0}, [cell]
        for each in waiting:
            if steps[each] < size - 1:
                found = [other for other in near[each] if other not in steps]
                steps |= dict.fromkeys(found, steps[each] + 1)
                waiting += dict.fromkeys(found)
        clauses.spend(len(member))
        for other in member:
            if other > cell and other not in steps:
                clauses.add(-inside, -member[other])
