"""Clauses of rules, from a dozen primitives.

A variable is "cell c holds v", numbered c·n + v, or one that a primitive needs and that no other
one knows; these are numbered after all candidates. Each primitive says exactly what its docstring
says: an assignment of its cells can be extended to its own variables if, and only if, that holds.
Every cell is taken to hold one value, which other clauses say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations, product
from math import comb
from typing import TypeVar

from pipeline.errors import LimitReached

Clause = tuple[int, ...]
S = TypeVar("S", bound=Hashable)

MOST = 3_000_000
"""Clauses of all rules of a puzzle."""

MOST_SETS = 50_000
"""Sets of values that a sum of distinct ones is chosen from: of 16 values 12,870 at most."""


class Clauses:
    """Collects clauses over the candidates of a grid of so many cells, values being 1 … side.

    `made` are the clauses so far, `variables` the highest variable. Whatever makes more than
    `MOST` clauses raises LimitReached.
    """

    def __init__(self, side: int, cells: int) -> None:
        self.side = side
        self.candidates = side * cells
        self.variables = self.candidates
        self.made: list[Clause] = []
        self._conditions: Clause = ()

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
        if len(self.made) >= MOST:
            raise LimitReached(f"the rules are more than {MOST:,} clauses")
        self.made.append((*self._conditions, *literals))

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
        values = range(1, self.side + 1)
        if a == b:
            self.allow(a, [value for value in values if goes(value, value)])
            return
        self.pairs([(a, b)], goes)

    def pairs(self, cells: Iterable[tuple[int, int]], goes: Callable[[int, int], bool]) -> None:
        """The values of each pair of different cells go together."""
        values = range(1, self.side + 1)
        forbidden = [(u, v) for u, v in product(values, values) if not goes(u, v)]
        for a, b in cells:
            for u, v in forbidden:
                self.add(-self.at(a, u), -self.at(b, v))

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

    def holding(self, cells: Sequence[int], value: int) -> int:
        """A variable that is true exactly if one of the cells holds the value."""
        held = self.new()
        for cell in cells:
            self.made.append((-self.at(cell, value), held))
        self.made.append((-held, *(self.at(cell, value) for cell in cells)))
        return held

    def among(self, cells: Sequence[int], sets: Sequence[Collection[int]]) -> None:
        """The cells, distinct, hold the values of one of the sets, each of as many values."""
        self.distinct(cells)
        if not sets:
            self.add()
            return
        values = range(1, self.side + 1)
        held = {value: self.holding(cells, value) for value in values}
        selectors = self.pick(len(sets))
        for selector, values_of_set in zip(selectors, sets, strict=True):
            for value in values:
                self.add(-selector, held[value] if value in values_of_set else -held[value])
        for value in values:
            fitting = (s for s, each in zip(selectors, sets, strict=True) if value in each)
            self.add(-held[value], *fitting)

    def combo(
        self, cells: Sequence[int], totals: Collection[int], values: Iterable[int] = ()
    ) -> None:
        """The cells, distinct, sum to one of the totals, with these values (all, if none)."""
        chosen = sorted(values) or range(1, self.side + 1)
        if comb(len(chosen), len(cells)) > MOST_SETS:
            raise LimitReached(f"a sum of {len(cells)} values has too many sets of them")
        sets = [each for each in combinations(chosen, len(cells)) if sum(each) in totals]
        self.among(cells, sets)

    def window(self, cells: Sequence[int]) -> None:
        """The cells hold consecutive values in any order, each once."""
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
        layers = _layers(len(cells), self.side, start, step, accepts)
        if not layers:
            self.add()
            return
        here = {start: 0}
        for index, cell in enumerate(cells):
            after = {state: self.new() for state in layers[index + 1]}
            for state, reached in here.items():
                for value in range(1, self.side + 1):
                    following = step(index, state, value)
                    ends = () if following not in after else (after[following],)
                    begins = (-reached,) if reached else ()
                    self.add(*begins, -self.at(cell, value), *ends)
            here = after

    def total(self, terms: Sequence[tuple[int, int]], totals: Collection[int]) -> None:
        """The cells' values, each times its weight, sum to one of the totals.

        Terms are (cell, weight). Those of the greatest weight first make the fewest variables.
        """
        weights = [weight for _, weight in terms]
        self.automaton(
            [cell for cell, _ in terms],
            0,
            lambda index, sum_so_far, value: sum_so_far + weights[index] * value,
            lambda state: state in totals,
        )


def _layers(
    length: int,
    side: int,
    start: S,
    step: Callable[[int, S, int], S | None],
    accepts: Callable[[S], bool],
) -> list[list[S]]:
    """The states before and after each cell on ways to acceptance; [] if there is none."""
    values = range(1, side + 1)
    reached: list[dict[S, None]] = [{start: None}]
    for index in range(length):
        after = (step(index, state, value) for state in reached[-1] for value in values)
        reached.append(dict.fromkeys(state for state in after if state is not None))
    alive = [state for state in reached[-1] if accepts(state)]
    layers = [alive]
    for index in reversed(range(length)):
        good = set(layers[-1])
        layers.append(
            [
                state
                for state in reached[index]
                if any(step(index, state, value) in good for value in values)
            ]
        )
    layers.reverse()
    return layers if all(layers) else []
