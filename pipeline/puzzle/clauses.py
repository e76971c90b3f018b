"""A collector of clauses, and the few constructions that several constraints share.

Variable c·n + v is "cell c holds the v-th value"; variables that a constraint needs for itself come
after all candidates. Other clauses say that every cell holds exactly one value.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pipeline.errors import LimitReached

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Clause = tuple[int, ...]
S = TypeVar("S", bound=Hashable)

_PIECE = 1 << 16
"""Numbers of packed clauses that are unpacked together."""


def clauses_of(numbers: Sequence[int]) -> Iterator[Clause]:
    """The clauses whose literals are in one list, with a 0 after each clause."""
    literals = [*numbers]
    step = literals.index(0) + 1 if literals else 1
    zeros = literals[step - 1 :: step]
    if step > 1 and not any(zeros) and literals.count(0) * step == len(literals):
        yield from zip(*(literals[place::step] for place in range(step - 1)), strict=True)
        return  # all have the same length, as pairs do
    start = 0
    while start < len(literals):
        end = literals.index(0, start)
        yield tuple(literals[start:end])
        start = end + 1


class Most(NamedTuple):
    """Limits on the clauses of a puzzle's rules; beyond them LimitReached is raised.

    Wide grids have clauses of hundreds of literals, and many steps add no clause. Above the limit
    of sets, totals are added up instead; sets of up to 16 values with one total stay below it.
    """

    clauses: int = 3_000_000
    literals: int = 12_000_000
    steps: int = 10_000_000
    sets: int = 1000


@dataclass(frozen=True, slots=True)
class PackedClauses(Iterable[Clause]):
    """Clauses as signed 32-bit integers, a 0 after each; tuples are made when they are needed."""

    data: bytes

    @property
    def numbers(self) -> array[int]:
        """The literals and zeros."""
        return array("i", self.data)

    @property
    def size(self) -> int:
        """The number of literals."""
        return len(self.data) // array("i").itemsize - len(self)

    def __len__(self) -> int:
        return self.numbers.count(0)

    def __iter__(self) -> Iterator[Clause]:
        return chain.from_iterable(map(clauses_of, self.pieces()))

    def pieces(self, least: int = _PIECE) -> Iterator[array[int]]:
        """The numbers of whole clauses, at least so many at a time, the last ones excepted."""
        numbers, start = self.numbers, 0
        while start < len(numbers):
            end = numbers.index(0, min(start + least, len(numbers)) - 1) + 1
            yield numbers[start:end]
            start = end

    @property
    def array(self) -> NDArray[np.int32]:
        """The literals and zeros, as an array of numpy."""
        import numpy as np  # noqa: PLC0415 - slow to load

        return np.frombuffer(self.data, np.int32)

    def assigned(self, number: NDArray[np.int32], true: int) -> PackedClauses:
        """The clauses with the number of each literal in place of it; see `_any` for negative ones.

        `true` is the number of a literal that holds: clauses with it and literals that deny it are
        left out.
        """
        import numpy as np  # noqa: PLC0415 - as above

        renamed = number[self.array]
        satisfied, lengths = self._any(renamed == true)
        kept = renamed[(renamed != -true) & ~np.repeat(satisfied, lengths)]
        return PackedClauses(kept.tobytes())

    def hold_in(self, is_true: NDArray[np.bool_]) -> bool:
        """Whether each clause has a literal for which there is True, see `_any`."""
        return bool(self._any(is_true[self.array])[0].all())

    def _any(self, marked: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Whether anything is marked in each clause, and how many numbers each has.

        What is said of literals is an array: of 0, of the variables 1 … n, then of -n … -1.
        """
        import numpy as np  # noqa: PLC0415 - as above

        ends = np.flatnonzero(self.array == 0)
        lengths = np.diff(ends, prepend=-1)
        some = np.logical_or.reduceat(marked, ends - lengths + 1) if len(ends) else marked[:0]
        return some, lengths


@dataclass(frozen=True, slots=True, eq=False)
class RuleClauses(PackedClauses):
    """The clauses of a puzzle's rules, which the encoder and the proof share.

    `facts` are the clauses of one literal. `variables` counts all, `auxiliary` those that are not
    candidates.
    """

    facts: tuple[int, ...]
    variables: int
    auxiliary: int


_MOST = Most()

_CLAUSE_BYTES, _LITERAL_BYTES = 80, 24
"""Memory of a clause and of each of its literals, many of which are separate numbers."""

_CHECKED_CLAUSES, _CHECKED_STEPS = 4096, 1 << 14
"""Clauses or steps between two looks at the limits."""


@lru_cache(maxsize=16)
def _apart(cells: int, units: tuple[tuple[int, ...], ...]) -> list[int]:
    apart = [0] * cells
    for unit in units:
        together = sum(1 << cell for cell in unit)
        for cell in unit:
            apart[cell] |= together
    return apart


class ClauseBuilder:
    """Collects clauses over the candidates of a grid with `cells` cells and `side` values.

    The values are 1 … side unless another one is the `lowest`.
    `units` are sets of cells that hold different values by other clauses: those of a rule may rely
    on that. `numbers` are the literals of the clauses so far, with a 0 after each clause, `facts`
    the clauses of one literal. `variables` is the highest variable. Raises LimitReached beyond the
    limits `most`. `check` is called now and then with the bytes needed, and may raise it too.
    """

    def __init__(
        self,
        side: int,
        cells: int,
        most: Most = _MOST,
        check: Callable[[int], None] | None = None,
        lowest: int = 1,
        units: Sequence[Sequence[int]] = (),
    ) -> None:
        self.side = side
        self.units = units
        self.values = range(lowest, lowest + side)
        self._before = 1 - lowest
        self.most = most
        self.candidates = side * cells
        self.variables = self.candidates
        self.numbers: list[int] = []
        self.facts: list[int] = []
        self._made = 0
        self._most_clauses, self._most_literals = most.clauses, most.literals
        self._conditions: Clause = ()
        self._steps = self._checked = 0
        self._check = check
        self._same: dict[tuple[int, int], int] = {}

    @property
    def auxiliary(self) -> int:
        """The number of variables that are no candidates."""
        return self.variables - self.candidates

    def __len__(self) -> int:
        return self._made

    @property
    def made(self) -> list[Clause]:
        """The clauses so far."""
        return [*clauses_of(self.numbers)]

    def frozen(self) -> RuleClauses:
        """The clauses so far, as a value that nobody can change."""
        data = array("i", self.numbers).tobytes()
        return RuleClauses(data, tuple(self.facts), self.variables, self.auxiliary)

    def at(self, cell: int, value: int) -> int:
        """The literal that a cell holds a value, one of `values`."""
        place = value + self._before
        assert 1 <= place <= self.side  # noqa: S101 - a rule's own fault
        return cell * self.side + place

    def new(self) -> int:
        """A further variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add a clause; it need not hold where a condition is false (see `under`)."""
        self._make(self._conditions + literals)

    def _make(self, clause: Clause) -> None:
        numbers, made = self.numbers, self._made
        if made >= self._most_clauses or len(numbers) - made + len(clause) > self._most_literals:
            raise LimitReached(f"the rules are more than {made:,} clauses")
        numbers += clause
        numbers.append(0)
        self._made = made = made + 1
        if len(clause) == 1:
            self.facts += clause
        if not made % _CHECKED_CLAUSES:
            self._look()

    def spend(self, steps: int) -> None:
        """Count steps that may add no clause. Raises LimitReached."""
        self._steps += steps
        if self._steps > self.most.steps:
            raise LimitReached("the rules take too long to be put into clauses")
        if self._steps - self._checked >= _CHECKED_STEPS:
            self._checked = self._steps
            self._look()

    def _look(self) -> None:
        if self._check:
            literals = len(self.numbers) - self._made
            self._check(_CLAUSE_BYTES * self._made + _LITERAL_BYTES * literals)

    @contextmanager
    def under(self, *literals: int) -> Iterator[None]:
        """Clauses added inside hold only where all these literals are true."""
        before = self._conditions
        self._conditions = (*before, *(-literal for literal in literals))
        try:
            yield
        finally:
            self._conditions = before

    def pick(self, number: int) -> list[int]:
        """New variables, at least one of which is true: conditions to be used with `under`."""
        selectors = [self.new() for _ in range(number)]
        self.add(*selectors)
        return selectors

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

        Conditions do not apply to its definition.
        """
        held = self.new()
        literals = [self.at(cell, value) for cell in cells]
        for literal in literals:
            self._make((-literal, held))
        self._make((-held, *literals))
        return held

    def either(self, literals: Sequence[int]) -> int:
        """A literal that is true exactly if one of these is. Conditions do not apply."""
        if len(literals) == 1:
            return literals[0]
        some = self.new()
        for literal in literals:
            self._make((-literal, some))
        self._make((-some, *literals))
        return some

    def same(self, a: int, b: int) -> int:
        """A variable that is true exactly if two different cells hold the same value.

        It is made once for all constraints. Conditions do not apply to its definition.
        """
        pair = (a, b) if a < b else (b, a)
        if pair not in self._same:
            same = self._same[pair] = self.new()
            for value in self.values:
                here, there = self.at(a, value), self.at(b, value)
                self._make((-here, -there, same))
                self._make((-same, -here, there))
                self._make((-same, here, -there))
        return self._same[pair]

    @cached_property
    def apart(self) -> Sequence[int]:
        """For each cell the bits of the cells that are in one of its units."""
        return _apart(self.candidates // self.side, tuple(map(tuple, self.units)))

    def define(self, *literals: int) -> None:
        """Add a clause about new variables, to which conditions do not apply."""
        self._make(literals)

    def counted(self, literals: Sequence[int], most: int) -> list[int]:
        """Variables, the k-th of which is true exactly if at least k of the literals are.

        There are `most` of them, at most one for each literal. Conditions do not apply.
        """
        before: list[int] = []
        for literal in literals:
            after = [self.new() for _ in range(min(most, len(before) + 1))]
            for index, reached in enumerate(after):
                earlier = before[index] if index < len(before) else 0
                fewer = before[index - 1] if index else 0
                step = (literal, fewer) if fewer else (literal,)
                self._make((-reached, literal, *filter(None, (earlier,))))
                if fewer:
                    self._make((-reached, fewer))
                if earlier:
                    self._make((-earlier, reached))
                self._make((*(-each for each in step), reached))
            before = after
        return before

    def chosen(self, literals: Mapping[int, int], sets: Sequence[Collection[int]]) -> None:
        """The values whose literals are true form one of the sets."""
        if not sets:
            self.add()
            return
        selectors = self.pick(len(sets))
        for selector, values in zip(selectors, sets, strict=True):
            for value, literal in literals.items():
                self.add(-selector, literal if value in values else -literal)
        for value, literal in literals.items():
            fitting = [s for s, each in zip(selectors, sets, strict=True) if value in each]
            self.add(-literal, *fitting)

    def sets(self, values: Collection[int], size: int, total: int) -> list[Clause] | None:
        """The sets of `size` of the values with that sum; None if they are too many."""
        ascending = sorted(values)
        sums = [0, *accumulate(ascending)]
        found: list[Clause] = []
        # the values chosen so far, the greatest first, the number of smaller ones, the missing sum
        waiting: list[tuple[Clause, int, int]] = [((), len(ascending), total)]
        while waiting:
            some, below, missing = waiting.pop()
            self.spend(1)
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

    def automaton(
        self,
        cells: Sequence[int],
        start: S,
        step: Callable[[int, S, int], S | None],
        accepts: Callable[[S], bool],
        ends: Mapping[S, int] | None = None,
    ) -> None:
        """The cells' values, in turn, lead from the start to an accepted state.

        `step(index, state, value)` is the state after the cell of that index, None a dead end.
        A cell may be named more than once. `ends` are literals that name the last state.
        """
        layers = self._layers(len(cells), start, step, accepts)
        if not layers:
            self.add()
            return
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
        """The value of a cell leads from the state here (literal 0: it is certain) to one after.

        The clauses from state and value to the next state would do. Those from the next state back
        make proofs of hard puzzles several times shorter.
        """
        before: dict[S, dict[int, list[int]]] = {state: {} for state in after}
        for state, reached in here.items():
            begins = (-reached,) if reached else ()
            leading: dict[S, list[int]] = {}
            for value in self.values:
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
        """The states before and after each cell that can lead to acceptance; [] if none can."""
        reached = [[start]]
        for index in range(length):
            self.spend(self.side * len(reached[-1]))
            after = (step(index, state, value) for state in reached[-1] for value in self.values)
            reached.append([*dict.fromkeys(state for state in after if state is not None)])
        layers = [[state for state in reached[-1] if accepts(state)]]
        for index in reversed(range(length)):
            good = {*layers[-1]}
            here = partial(step, index)
            layers.append(
                [s for s in reached[index] if any(here(s, v) in good for v in self.values)]
            )
        layers.reverse()
        return layers if all(layers) else []
