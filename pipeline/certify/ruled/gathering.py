"""The constraints of a puzzle with rules, sorted by what a search does with them.

What is the same for all puzzles of a geometry is cached. An alternative holds constraints without
further alternatives, so nested ones are multiplied out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise, product
from typing import NamedTuple

from pipeline.certify.ruled.tables import Relation, TooLarge, relation
from pipeline.puzzle.formulas import (
    AllDifferent,
    Allowed,
    Automaton,
    Beyond,
    ByValue,
    Constraint,
    Either,
    Equivalent,
    Every,
    Pairs,
    SameTotals,
    SetTotal,
    Total,
    TotalBetween,
)
from pipeline.puzzle.puzzle import Geometry, Puzzle, units_of

MOST_ALTERNATIVES = 500

_FEW = 6
"""Parts with the same sum of which all pairs are stated, not only neighbours."""

_FEWEST_CAGES, _MOST_LEFT = 4, 5
"""Cages that are looked at together, and cells that they leave over in whole rows, columns or boxes
for a constraint on these."""

Terms = dict[int, int]
"""Cells and their weights."""


class NoSolution(Exception):
    """The rules contradict each other, as they stand."""


class Base(NamedTuple):
    """Units of a geometry, the peers of each cell, and parts of units that hold the same values."""

    units: tuple[tuple[int, ...], ...]
    apart: tuple[int, ...]
    crossing: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


@lru_cache(maxsize=16)
def _base(geometry: Geometry) -> Base:
    units = tuple({frozenset(unit): unit for unit in units_of(geometry)}.values())
    apart = [0] * geometry.size
    for unit in units:
        _separate(unit, apart)
    return Base(units, tuple(apart), tuple(crossing((), units)))


def _separate(group: Sequence[int], apart: list[int]) -> None:
    together = set_of(group)
    for cell in group:
        apart[cell] |= together ^ 1 << cell


def set_of(cells: Iterable[int]) -> int:
    return sum([1 << cell for cell in cells])


def members(cells: int) -> Iterator[int]:
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


def crossing(
    known: Sequence[Sequence[int]], units: Sequence[Sequence[int]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """What two units, not both known, have apart, if they share several cells."""
    sets = [set_of(unit) for unit in (*known, *units)]
    for index, one in enumerate(sets[len(known) :], len(known)):
        for other in sets[:index]:
            if (one & other).bit_count() > 1:
                yield tuple(members(one & ~other)), tuple(members(other & ~one))


class Gathered:
    """The constraints of a puzzle: what the cells may hold, which differ, and all others."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.base = _base(puzzle.geometry)
        self.geometry = puzzle.geometry
        self.values = range(1, puzzle.geometry.side + 1)
        self.masks = [*puzzle.cells]
        self.apart = [*self.base.apart]
        self.units: list[tuple[int, ...]] = []
        self.others: list[Constraint] = []
        self.choices: list[list[list[Constraint]]] = []
        self._known = {frozenset(unit) for unit in self.base.units}

    def mask(self, values: Collection[int]) -> int:
        return sum([1 << index for index, value in enumerate(self.values) if value in values])

    def relation(self, pairs: Pairs) -> Relation:
        return relation(pairs.relation, pairs.numbers, self.values)

    def add(self, constraint: Constraint) -> None:
        """Take a constraint that has to hold. Raises NoSolution and TooLarge."""
        match constraint:
            case Every():
                for part in constraint.parts:
                    self.add(part)
            case Either() | ByValue():
                self._add_choice(self._alternatives(constraint))
            case Allowed():
                self.masks[constraint.cell] &= self.mask(constraint.values)
            case AllDifferent():
                self._add_different(constraint.cells)
            case Pairs():
                self._add_pairs(constraint)
            case _:
                simpler = self._simpler(constraint)
                if simpler == [constraint]:
                    self.others.append(constraint)
                else:
                    self.add(Every(tuple(simpler)))

    def _add_choice(self, alternatives: list[list[Constraint]]) -> None:
        if len(alternatives) == 1:
            self.add(Every(tuple(alternatives[0])))
        else:
            self.choices.append(alternatives)

    def _add_different(self, cells: Sequence[int]) -> None:
        if len({*cells}) < len(cells) or len(cells) > len(self.values):
            raise NoSolution
        if len(cells) == len(self.values):
            if frozenset(cells) in self._known:
                return
            self._known.add(frozenset(cells))
            self.units.append(tuple(cells))
        _separate(cells, self.apart)

    def _add_pairs(self, constraint: Pairs) -> None:
        related = self.relation(constraint)
        for a, b in constraint.pairs:
            if a == b:
                self.masks[a] &= related.equal
            elif related.differ:
                self.apart[a] |= 1 << b
                self.apart[b] |= 1 << a
        if not (related.is_unequal or related.is_trivial):
            self.others.append(constraint)

    def _simpler(self, constraint: Constraint) -> list[Constraint]:
        """The same, made of kinds that the search has."""
        match constraint:
            case SetTotal():
                return [
                    *self._allowed(constraint.cells, constraint.values),
                    AllDifferent(constraint.cells),
                    Total(tuple((cell, 1) for cell in constraint.cells), constraint.total),
                ]
            case TotalBetween():
                cells, n = constraint.cells, len(constraint.cells)
                numbers = n, constraint.total
                between = Automaton(cells, -1, _between_ends, frozenset((-2,)), numbers)
                return [*self._allowed(cells, range(1, n + 1)), AllDifferent(cells), between]
            case Beyond():
                cells = constraint.low, constraint.high, *constraint.cells
                return [Automaton(cells, (), _beyond, frozenset(product(self.values, repeat=2)))]
            case Equivalent():
                return [
                    Pairs(((one[0], other[0]),), _both_or_neither, (one[1], other[1]))
                    for one, other in constraint.facts
                ]
            case SameTotals(counted=None):
                parts = constraint.parts
                pairs = combinations(parts, 2) if len(parts) <= _FEW else pairwise(parts)
                return [
                    Total((*((c, 1) for c in one), *((c, -1) for c in other)), 0)
                    for one, other in (combinations(parts, 2) if len(parts) <= _FEW else pairs)
                ]
        return [constraint]

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
                found = [self._simpler(constraint)]
        _check_number(len(found))
        return found


def innies(of: Gathered) -> Iterator[tuple[Terms, int]]:
    """Totals of the few cells that stand out of, or are left over by, cages in whole units.

    Units, and several rows or columns side by side, have a known total.
    """
    cages, used = list[tuple[int, int]](), 0
    sums = (
        (set_of(cell for cell, _ in each.terms), each.total)
        for each in of.others
        if isinstance(each, Total) and all(weight == 1 for _, weight in each.terms)
    )
    for cells, total in sorted(sums, key=lambda cage: cage[0].bit_count()):
        if not cells & used:
            used |= cells
            cages.append((cells, total))
    if len(cages) < _FEWEST_CAGES:
        return
    for times, band in _bands(of.geometry, (*of.base.units, *of.units)):
        inside, outside, total = band, 0, times * sum(of.values)
        for cage, cage_total in cages:
            here = cage & band
            if here and 2 * here.bit_count() > cage.bit_count():
                inside &= ~here
                outside |= cage & ~band
                total -= cage_total
        most = _MOST_LEFT if times > 1 else len(of.values) - 2
        if 0 < (inside | outside).bit_count() <= most:
            yield dict.fromkeys(members(inside), 1) | dict.fromkeys(members(outside), -1), total


@lru_cache(maxsize=16)
def _bands(geometry: Geometry, units: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    """How often each value is in some sets of cells, and these."""
    bands = {set_of(unit): 1 for unit in units}
    side = geometry.side
    for lines in (tuple(geometry.rows()), tuple(geometry.columns())):
        for start in range(0, len(lines), side):
            grid = [set_of(line) for line in lines[start : start + side]]
            for first, last in combinations(range(side), 2):
                if last - first < side - 1:
                    bands[sum(grid[first : last + 1])] = last - first + 1
    return [(times, cells) for cells, times in bands.items()]


def _check_number(alternatives: int) -> None:
    if alternatives > MOST_ALTERNATIVES:
        raise TooLarge(f"a rule has more than {MOST_ALTERNATIVES} alternatives")


def _both_or_neither(u: int, v: int, x: int, y: int) -> bool:
    return (u == x) == (v == y)


def _between_ends(passed: int, value: int, most: int, total: int) -> int | None:
    """The sum passed since 1 or the highest value: -1 before the first, -2 after the second."""
    if value in (1, most):
        if passed == -1:
            return 0
        return -2 if passed == total else None
    if passed < 0:
        return passed
    return passed + value if passed + value <= total else None


def _beyond(ends: tuple[int, ...], value: int) -> tuple[int, ...] | None:
    """The values of the low and the high cell, which come first; no other is between them."""
    if len(ends) < 2:
        return (*ends, value)
    return ends if value < ends[0] or value > ends[1] else None
