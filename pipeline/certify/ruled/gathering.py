"""The constraints of a puzzle with rules, sorted by what a search does with them.

The parts that all puzzles of a geometry share are cached. An alternative holds constraints without
further alternatives, so nested ones are multiplied out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise, product
from operator import eq
from typing import Any, NamedTuple

from pipeline.certify.ruled.tables import Related, TooLarge, relation
from pipeline.puzzle.connected import EqualToSome
from pipeline.puzzle.formulas import (
    AllDifferent,
    Allowed,
    Automaton,
    Beyond,
    ByValue,
    Cells,
    Constraint,
    Either,
    Equivalent,
    Every,
    Pairs,
)
from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.sums import (
    CountOfValues,
    SameTotals,
    SetTotal,
    Total,
    TotalBetween,
    between_ends,
)

MOST_ALTERNATIVES = 500

_FEW = 6
"""Parts with the same sum of which all pairs are stated, not only neighbours."""

_FEWEST_CAGES, _MOST_LEFT = 4, 5
"""Cages that are looked at together, and cells that they leave over in whole rows, columns or boxes
for a constraint on these."""

_MOST_COUNTED = 9
"""Values of which any set may be held by cells whose different values are counted."""

Terms = dict[int, int]
"""Cells and their weights."""


class NoSolution(Exception):
    """The rules contradict each other, as they stand."""


class Base(NamedTuple):
    """Units of a geometry, and the peers of each cell."""

    units: tuple[Cells, ...]
    apart: tuple[int, ...]


@lru_cache(maxsize=16)
def _base(geometry: Geometry) -> Base:
    units = tuple({frozenset(unit): unit for unit in units_of(geometry)}.values())
    apart = [0] * geometry.size
    for unit in units:
        _separate(unit, apart)
    return Base(units, tuple(apart))


def _separate(group: Sequence[int], apart: list[int]) -> None:
    together = set_of(group)
    for cell in group:
        apart[cell] |= together ^ 1 << cell


def set_of(cells: Iterable[int]) -> int:
    """The bits of cells, each named once."""
    return sum([1 << cell for cell in cells])


def members(cells: int) -> Iterator[int]:
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


def weights_of(total: Total) -> Terms:
    """The weight of each cell: the sum of all that it has."""
    weights: Terms = {}
    for cell, weight in total.terms:
        weights[cell] = weights.get(cell, 0) + weight
    return weights


class Gathered:
    """The constraints of a puzzle: what the cells may hold, which differ, and all others.

    masks, apart: of each cell, the values that it may hold, and the set of cells that hold another.
    units: those that rules add to those of the geometry. choices: for each the alternatives, of one
    of which everything holds. others: constraints without alternatives.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.base = _base(puzzle.geometry)
        self.geometry = puzzle.geometry
        self.values = puzzle.geometry.values
        self.masks = [*puzzle.cells]
        self.apart = [*self.base.apart]
        self.units: list[tuple[int, ...]] = []
        self.others: list[Constraint] = []
        self.choices: list[list[list[Constraint]]] = []
        self._known = {frozenset(unit) for unit in self.base.units}

    def mask(self, values: Collection[int]) -> int:
        return sum([1 << index for index, value in enumerate(self.values) if value in values])

    def relation(self, pairs: Pairs) -> Related:
        return relation(pairs.relation, pairs.numbers, self.values)

    def add(self, constraint: Constraint) -> None:
        """Take a constraint that has to hold. Raises NoSolution and TooLarge."""
        add = _ADD.get(type(constraint))
        if add:
            add(self, constraint)
            return
        parts = self._simpler(constraint)
        if parts is None:
            self.others.append(constraint)
        else:
            for part in parts:
                self.add(part)

    def _simpler(self, constraint: Constraint) -> list[Constraint] | None:
        """The same, made of kinds that the search has; None if it has this one."""
        simplify = _SIMPLER.get(type(constraint))
        return simplify(self, constraint) if simplify else None

    def add_all(self, constraint: Every) -> None:
        for part in constraint.parts:
            self.add(part)

    def add_choice(self, constraint: Either | ByValue) -> None:
        alternatives = self._alternatives(constraint)
        if len(alternatives) == 1:
            self.add_all(Every(tuple(alternatives[0])))
        else:
            self.choices.append(alternatives)

    def add_allowed(self, constraint: Allowed) -> None:
        self.masks[constraint.cell] &= self.mask(constraint.values)

    def add_different(self, constraint: AllDifferent) -> None:
        cells = constraint.cells
        if len({*cells}) < len(cells) or len(cells) > len(self.values):
            raise NoSolution
        if len(cells) == len(self.values):
            if frozenset(cells) in self._known:
                return
            self._known.add(frozenset(cells))
            self.units.append(tuple(cells))
        _separate(cells, self.apart)

    def add_pairs(self, constraint: Pairs) -> None:
        related = self.relation(constraint)
        for a, b in constraint.pairs:
            if a == b:
                self.masks[a] &= related.equal
            elif related.differ:
                self.apart[a] |= 1 << b
                self.apart[b] |= 1 << a
        if not (related.is_unequal or related.is_trivial):
            self.others.append(constraint)

    def simpler_set_total(self, constraint: SetTotal) -> list[Constraint]:
        cells, total = constraint.cells, constraint.total
        allowed = self._allowed(cells, constraint.values)
        return [*allowed, AllDifferent(cells), Total(tuple((cell, 1) for cell in cells), total)]

    def simpler_total_between(self, constraint: TotalBetween) -> list[Constraint]:
        cells, n = constraint.cells, len(constraint.cells)
        between = Automaton(cells, -1, between_ends, frozenset((-2,)), (n, constraint.total))
        return [*self._allowed(cells, range(1, n + 1)), AllDifferent(cells), between]

    def simpler_beyond(self, constraint: Beyond) -> list[Constraint]:
        cells = constraint.low, constraint.high, *constraint.cells
        return [Automaton(cells, (), _beyond, frozenset(product(self.values, repeat=2)))]

    def simpler_count_of_values(self, constraint: CountOfValues) -> list[Constraint]:
        if len(self.values) > _MOST_COUNTED:
            raise TooLarge(f"different values of more than {_MOST_COUNTED} are not counted")
        cells = constraint.counter, *constraint.cells
        accepted = [(seen.bit_count(), seen) for seen in range(1 << self.values[-1] + 1)]
        return [Automaton(cells, (), _different, frozenset(accepted))]

    def simpler_equal_to_some(self, constraint: EqualToSome) -> list[Constraint]:
        cell, others = constraint.cell, constraint.others
        return [Either(tuple(Pairs(((cell, other),), eq) for other in others))]

    def simpler_equivalent(self, constraint: Equivalent) -> list[Constraint]:
        return [
            Pairs(((one[0], other[0]),), _both_or_neither, (one[1], other[1]))
            for one, other in constraint.facts
        ]

    def simpler_same_totals(self, constraint: SameTotals) -> list[Constraint] | None:
        parts = constraint.parts
        if constraint.counted is not None:
            return None
        pairs = combinations(parts, 2) if len(parts) <= _FEW else pairwise(parts)
        return [
            Total((*((cell, 1) for cell in one), *((cell, -1) for cell in other)), 0)
            for one, other in pairs
        ]

    def _allowed(self, cells: Iterable[int], values: Collection[int]) -> list[Constraint]:
        if all(value in values for value in self.values):
            return []
        return [Allowed(cell, tuple(values)) for cell in cells]

    def _alternatives(self, constraint: Constraint) -> list[list[Constraint]]:
        """Lists of constraints without alternatives: all of one of these lists have to hold."""
        match constraint:
            case Every():
                several = [[*some] for some in map(self._alternatives, constraint.parts)]
                size = 1
                for some in several:
                    size *= len(some)
                    _check_number(size)
                return [[*chain.from_iterable(some)] for some in product(*several)]
            case Either():
                found = [each for part in constraint.parts for each in self._alternatives(part)]
            case ByValue():
                found = [
                    [Allowed(constraint.cell, (value,)), *each]
                    for value, part in zip(self.values, constraint.parts, strict=True)
                    for each in self._alternatives(part)
                ]
            case _:
                parts = self._simpler(constraint)
                if parts is None:
                    return [[constraint]]
                return self._alternatives(Every(tuple(parts)))
        _check_number(len(found))
        return found


def innies(of: Gathered) -> Iterator[tuple[Terms, int]]:
    """Totals of the few cells that stand out of, or are left over by, cages in whole units.

    Units, and several rows or columns side by side, have a known total.
    """
    cages, used = list[tuple[int, int, int]](), 0
    totals = ((weights_of(each), each.total) for each in of.others if isinstance(each, Total))
    sums = [(set_of(terms), total) for terms, total in totals if {*terms.values()} == {1}]
    for cells, total in sorted(sums, key=lambda cage: cage[0].bit_count()):
        if not cells & used:
            used |= cells
            cages.append((cells, cells.bit_count() // 2, total))
    if len(cages) < _FEWEST_CAGES:
        return
    of_unit = sum(of.values)
    for times, band in _bands(of.geometry, (*of.base.units, *of.units)):
        mostly_inside, total = 0, times * of_unit
        for cage, half, cage_total in cages:
            if (cage & band).bit_count() > half:
                mostly_inside |= cage
                total -= cage_total
        left_over, standing_out = band & ~mostly_inside, mostly_inside & ~band
        most = _MOST_LEFT if times > 1 else len(of.values) - 2
        if 0 < (left_over | standing_out).bit_count() <= most:
            positive = dict.fromkeys(members(left_over), 1)
            yield positive | dict.fromkeys(members(standing_out), -1), total


@lru_cache(maxsize=16)
def _bands(geometry: Geometry, units: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    """How often each value is in some sets of cells, and these."""
    bands = {set_of(unit): 1 for unit in units}
    side = geometry.side
    if geometry.free:
        return [(times, cells) for cells, times in bands.items()]
    for lines in (tuple(geometry.rows()), tuple(geometry.columns())):
        for start in range(0, len(lines), side):
            grid = [set_of(line) for line in lines[start : start + side]]
            for first, last in combinations(range(side), 2):
                if last - first < side - 1:
                    bands[sum(grid[first : last + 1])] = last - first + 1
    return [(times, cells) for cells, times in bands.items()]


_ADD: dict[type[Constraint], Callable[[Gathered, Any], None]] = {
    Every: Gathered.add_all,
    Either: Gathered.add_choice,
    ByValue: Gathered.add_choice,
    Allowed: Gathered.add_allowed,
    AllDifferent: Gathered.add_different,
    Pairs: Gathered.add_pairs,
}
_SIMPLER: dict[type[Constraint], Callable[[Gathered, Any], list[Constraint] | None]] = {
    SetTotal: Gathered.simpler_set_total,
    TotalBetween: Gathered.simpler_total_between,
    Beyond: Gathered.simpler_beyond,
    CountOfValues: Gathered.simpler_count_of_values,
    EqualToSome: Gathered.simpler_equal_to_some,
    Equivalent: Gathered.simpler_equivalent,
    SameTotals: Gathered.simpler_same_totals,
}


def _check_number(alternatives: int) -> None:
    if alternatives > MOST_ALTERNATIVES:
        raise TooLarge(f"a rule has more than {MOST_ALTERNATIVES} alternatives")


def _both_or_neither(u: int, v: int, x: int, y: int) -> bool:
    return (u == x) == (v == y)


def _different(seen: tuple[int, ...], value: int) -> tuple[int, ...] | None:
    """The number of different values, which comes first, and the set of those so far."""
    if not seen:
        return value, 0
    number, values = seen
    values |= 1 << value
    return (number, values) if values.bit_count() <= number else None


def _beyond(ends: tuple[int, ...], value: int) -> tuple[int, ...] | None:
    """The values of the low and the high cell, which come first; no other is between them."""
    if len(ends) < 2:
        return (*ends, value)
    return ends if value < ends[0] or value > ends[1] else None
