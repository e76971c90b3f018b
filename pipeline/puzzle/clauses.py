"""Clauses of rules, from a dozen primitives.

A variable is "cell c holds v", numbered c·n + v, or one that a primitive needs and that no other
one knows; these are numbered after all candidates. Each primitive says exactly what its docstring
says: an assignment of its cells can be extended to its own variables if, and only if, that holds.
Every cell is taken to hold one value, which other clauses say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate, combinations
from typing import NamedTuple, TypeVar

from pipeline.errors import LimitReached

Clause = tuple[int, ...]
S = TypeVar("S", bound=Hashable)


class Most(NamedTuple):
    """How much the rules of a puzzle may take: what is more raises LimitReached.

    Wide grids have clauses of hundreds of literals; many steps add no clause. Sums are chosen
    from sets of values, unless these are too many: those of 16 values with the same sum are fewer.
    """

    clauses: int = 3_000_000
    literals: int = 12_000_000
    steps: int = 10_000_000
    sets: int = 1000


_MOST = Most()

_CLAUSE_BYTES, _LITERAL_BYTES = 80, 24
"""Memory of a clause, and of each of its literals, of which many are numbers of their own."""

_CHECKED_CLAUSES, _CHECKED_STEPS = 4096, 1 << 14
"""How many are made or taken between two looks at the limits."""


class Clauses:
    """Collects clauses over the candidates of a grid of so many cells, values being 1 … side.

    `made` are the clauses so far, `variables` the highest variable. Whatever makes more clauses
    or takes more steps than `most` says raises LimitReached. `check` is called now and then with
    the bytes that are needed, to raise it too.
    """

    def __init__(
        self,
        side: int,
        cells: int,
        most: Most = _MOST,
        check: Callable[[int], None] | None = None,
    ) -> None:
        self.side = side
        self.most = most
        self.candidates = side * cells
        self.variables = self.candidates
        self.made: list[Clause] = []
        self._conditions: Clause = ()
        self._literals = 0
        self._steps = self._checked = 0
        self._check = check

    @property
    def auxiliary(self) -> int:
        """How many variables are no candidates."""
        return self.variables - self.candidates

    def at(self, cell: int, value: int) -> int:
        """The literal that a cell holds a value, 1 to the side."""
        assert 1 <= value <= self.side  # noqa: S101 - a rule's own fault
        return cell * self.side + value

    def new(self) -> int:
        """A further variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """One clause: one of these is true, unless a condition is false (see `under`)."""
        self._make((*self._conditions, *literals))

    def _make(self, clause: Clause) -> None:
        self._literals += len(clause)
        if len(self.made) >= self.most.clauses or self._literals > self.most.literals:
            raise LimitReached(f"the rules are more than {len(self.made):,} clauses")
        self.made.append(clause)
        if not len(self.made) % _CHECKED_CLAUSES:
            self._look()

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > self.most.steps:
            raise LimitReached("the rules take too long to be put into clauses")
        if self._steps - self._checked >= _CHECKED_STEPS:
            self._checked = self._steps
            self._look()

    def _look(self) -> None:
        if self._check:
            self._check(_CLAUSE_BYTES * len(self.made) + _LITERAL_BYTES * self._literals)

    @contextmanager
    def under(self, *literals: int) -> Iterator[None]:
        """What is added inside holds only where all of these are true."""
        before = self._conditions
        self._conditions = (*before, *(-literal for literal in literals))
        try:
            yield
        finally:
            self._conditions = before

    def pick(self, number: int) -> list[int]:
        """So many selectors, at least one of which is true: to be used with `under`."""
        selectors = [self.new() for _ in range(number)]
        self.add(*selectors)
        return selectors

    def allow(self, cell: int, values: Collection[int]) -> None:
        """A cell holds one of the values."""
        for value in range(1, self.side + 1):
            if value not in values:
                self.add(-self.at(cell, value))

    def pair(self, a: int, b: int, goes: Callable[[int, int], bool]) -> None:
        """The values of two cells go together; of a cell with itself, its value does."""
        self.pairs([(a, b)], goes)

    def pairs(self, cells: Iterable[tuple[int, int]], goes: Callable[[int, int], bool]) -> None:
        """The values of each pair of cells go together; of a cell with itself, its value does."""
        values = range(1, self.side + 1)
        self._spend(self.side**2)
        after = {u: [v for v in values if goes(u, v)] for u in values}
        before: dict[int, list[int]] = {v: [] for v in values}
        for u, fitting in after.items():
            for v in fitting:
                before[v].append(u)
        forbidden = [(u, v) for u in values for v in sorted({*values}.difference(after[u]))]
        for a, b in cells:
            if a == b:
                self.allow(a, [value for value in values if value in after[value]])
            elif len(forbidden) <= 3 * self.side:
                for u, v in forbidden:
                    self.add(-self.at(a, u), -self.at(b, v))
            else:  # what supports each value: fewer clauses, which pass on more
                for value in values:
                    self.add(-self.at(a, value), *(self.at(b, v) for v in after[value]))
                    self.add(-self.at(b, value), *(self.at(a, u) for u in before[value]))

    def same(self, a: int, b: int) -> None:
        """Two cells hold the same value."""
        if a == b:
            return
        for value in range(1, self.side + 1):
            self.add(-self.at(a, value), self.at(b, value))
            self.add(self.at(a, value), -self.at(b, value))

    def distinct(self, cells: Sequence[int]) -> None:
        """No two of the cells, named once each, hold the same value."""
        if len(cells) > self.side:
            self.add()
            return
        for value in range(1, self.side + 1):
            for a, b in combinations(cells, 2):
                self.add(-self.at(a, value), -self.at(b, value))

    def unit(self, cells: Sequence[int]) -> None:
        """As many cells as there are values hold each value once."""
        for value in range(1, self.side + 1):
            self.add(*(self.at(cell, value) for cell in cells))
        self.distinct(cells)

    def least(self, cells: Sequence[int], value: int, times: int) -> None:
        """At least so many of the cells hold the value; few cells, as the clauses are binomial."""
        if times > len(cells):
            self.add()
            return
        for some in combinations(cells, len(cells) - times + 1) if times > 0 else ():
            self.add(*(self.at(cell, value) for cell in some))

    def most_one(self, literals: Sequence[int]) -> None:
        """At most one of the literals is true."""
        before = 0
        for literal in literals:
            so_far = self.new()
            self.add(-literal, so_far)
            if before:
                self.add(-before, so_far)
                self.add(-before, -literal)
            before = so_far

    def holding(self, cells: Sequence[int], value: int) -> int:
        """A variable that is true exactly if one of the cells holds the value.

        It is so whatever the conditions are.
        """
        held = self.new()
        for cell in cells:
            self._make((-self.at(cell, value), held))
        self._make((-held, *(self.at(cell, value) for cell in cells)))
        return held

    def chosen(self, literals: Mapping[int, int], sets: Sequence[Collection[int]]) -> None:
        """The values whose literals are true are those of one of the sets, and all of them."""
        if not sets:
            self.add()
            return
        selectors = self.pick(len(sets))
        for selector, values in zip(selectors, sets, strict=True):
            for value, literal in literals.items():
                self.add(-selector, literal if value in values else -literal)
        for value, literal in literals.items():
            fitting = (s for s, each in zip(selectors, sets, strict=True) if value in each)
            self.add(-literal, *fitting)

    def among(self, cells: Sequence[int], sets: Sequence[Collection[int]]) -> None:
        """The values that the cells hold, however often, are those of one of the sets."""
        values = range(1, self.side + 1)
        self.chosen({value: self.holding(cells, value) for value in values}, sets)

    def sets(self, values: Iterable[int], size: int, total: int) -> list[Clause] | None:
        """The sets of so many of the values that have the sum; None if they are too many."""
        ascending = sorted({*values})
        sums = [0, *accumulate(ascending)]
        found: list[Clause] = []
        # the values chosen, the greatest first; how many others are smaller; what is missing
        waiting: list[tuple[Clause, int, int]] = [((), len(ascending), total)]
        while waiting:
            some, below, missing = waiting.pop()
            self._spend(1)
            wanted = size - len(some)
            if not wanted:
                found += [some] if not missing else []
                if len(found) > self.most.sets:
                    return None
                continue
            for index in range(wanted - 1, below):
                value = ascending[index]
                least = value + sums[wanted - 1]
                most = sums[index + 1] - sums[index + 1 - wanted]
                if least <= missing <= most:
                    waiting.append(((*some, value), index, missing - value))
        return found

    def combo(self, cells: Sequence[int], total: int) -> None:
        """The cells, named once each, hold different values that sum to the total."""
        self.distinct(cells)
        if len(cells) > self.side:
            return
        sets = self.sets(range(1, self.side + 1), len(cells), total)
        if sets is None:
            self.total([(cell, 1) for cell in cells], [total])
        else:
            self.among(cells, sets)

    def window(self, cells: Sequence[int]) -> None:
        """The cells, named once each, hold consecutive values in any order, each once."""
        self.distinct(cells)
        if len(cells) > self.side:
            return
        starts = range(1, self.side - len(cells) + 2)
        self.among(cells, [range(start, start + len(cells)) for start in starts])

    def automaton(
        self,
        cells: Sequence[int],
        start: S,
        step: Callable[[int, S, int], S | None],
        accepts: Callable[[S], bool],
    ) -> None:
        """The cells' values, in turn, lead from the start to an accepted state.

        `step(index, state, value)` is the state after the cell of that index, None for a dead end.
        A cell may be named more than once.
        """
        layers = self._layers(len(cells), start, step, accepts)
        if not layers:
            self.add()
            return
        self._walk(cells, start, step, layers, {})

    def total(self, terms: Sequence[tuple[int, int]], totals: Collection[int]) -> None:
        """The cells' values, each times its weight, sum to one of the totals.

        Terms are (cell, weight); a cell may have several.
        """
        if not totals:
            self.add()
            return
        weights: dict[int, int] = {}
        for cell, weight in terms:
            weights[cell] = weights.get(cell, 0) + weight
        self._spend(len(weights) * self.side)
        # those of the greatest weight first: fewer sums are possible in between
        cells = sorted(weights, key=lambda cell: -abs(weights[cell]))
        worths = [[weights[cell] * value for value in range(1, self.side + 1)] for cell in cells]
        step = _adding(worths, min(totals), max(totals))
        self.automaton(cells, 0, step, lambda reached: reached in totals)

    def equal(
        self, parts: Sequence[Sequence[int]], worth: Callable[[int], int] = lambda value: value
    ) -> None:
        """The sums of what the cells' values are worth are the same for each of the parts.

        A part may name a cell more than once.
        """
        worths = [worth(value) for value in range(1, self.side + 1)]
        lowest = max(len(part) * min(worths) for part in parts)
        highest = min(len(part) * max(worths) for part in parts)
        self._spend(max(highest - lowest, 0))
        ends = {reached: self.new() for reached in range(lowest, highest + 1)}
        self.most_one(list(ends.values()))
        for part in parts:
            self._spend(len(part))
            step = _adding([worths] * len(part), lowest, highest)
            layers = self._layers(len(part), 0, step, ends.__contains__)
            if not layers:
                self.add()
                return
            self._walk(part, 0, step, layers, ends)

    def _walk(
        self,
        cells: Sequence[int],
        start: S,
        step: Callable[[int, S, int], S | None],
        layers: list[list[S]],
        ends: Mapping[S, int],
    ) -> None:
        """The cells' values lead from layer to layer, and to a last state whose literal is true."""
        here = {start: 0}
        for index, cell in enumerate(cells):
            last = index == len(cells) - 1
            after = {s: ends[s] if last and ends else self.new() for s in layers[index + 1]}
            self._advance(cell, here, after, partial(step, index))
            here = after

    def _advance(
        self,
        cell: int,
        here: Mapping[S, int],
        after: Mapping[S, int],
        step: Callable[[S, int], S | None],
    ) -> None:
        """A cell's value leads from the state that holds here (literal 0: it does) to one after.

        That would be enough. The other directions, from two of state, value and next state to the
        third, make proofs of hard puzzles several times shorter.
        """
        before: dict[S, dict[int, list[int]]] = {state: {} for state in after}
        for state, reached in here.items():
            begins = (-reached,) if reached else ()
            leading: dict[S, list[int]] = {}
            for value in range(1, self.side + 1):
                following = step(state, value)
                if following is None or following not in after:
                    self.add(*begins, -self.at(cell, value))
                    continue
                self.add(*begins, -self.at(cell, value), after[following])
                leading.setdefault(following, []).append(value)
                before[following].setdefault(value, []).append(reached)
            self.add(*begins, *(after[following] for following in leading))
            for following, values in leading.items():
                self.add(*begins, -after[following], *(self.at(cell, v) for v in values))
        if 0 in here.values():
            return
        for following, ways in before.items():
            for value, reached_by in ways.items():
                self.add(-after[following], -self.at(cell, value), *reached_by)
            every = dict.fromkeys(reached for some in ways.values() for reached in some)
            self.add(-after[following], *every)

    def _layers(
        self,
        length: int,
        start: S,
        step: Callable[[int, S, int], S | None],
        accepts: Callable[[S], bool],
    ) -> list[list[S]]:
        """The states before and after each cell on ways to acceptance; [] if there are none."""
        values = range(1, self.side + 1)
        reached: list[dict[S, None]] = [{start: None}]
        for index in range(length):
            after: dict[S, None] = {}
            for state in reached[-1]:
                self._spend(self.side)
                following = (step(index, state, value) for value in values)
                after.update((each, None) for each in following if each is not None)
            reached.append(after)
        layers = [[state for state in reached[-1] if accepts(state)]]
        for index in reversed(range(length)):
            good = {*layers[-1]}
            layers.append(
                [
                    state
                    for state in reached[index]
                    if any(step(index, state, value) in good for value in values)
                ]
            )
        layers.reverse()
        return layers if all(layers) else []


def _adding(
    worths: Sequence[Sequence[int]], lowest: int, highest: int
) -> Callable[[int, int, int], int | None]:
    """Steps of an automaton that sums up what values are worth, given for each index.

    What can no longer come to lie from the lowest to the highest is a dead end.
    """
    least, most = [0], [0]
    for worth in reversed(worths):
        least.append(least[-1] + min(worth))
        most.append(most[-1] + max(worth))
    least.reverse()
    most.reverse()

    def step(index: int, so_far: int, value: int) -> int | None:
        after = so_far + worths[index][value - 1]
        fits = after + least[index + 1] <= highest and after + most[index + 1] >= lowest
        return after if fits else None

    return step
