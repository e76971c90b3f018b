"""A puzzle with rules as the arrays that `search` takes.

The constraints of the rules' formulas become constraints over masks. What is the same for all
puzzles of a geometry is cached. An alternative holds constraints without further alternatives, so
nested ones are multiplied out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.ruled import layout
from pipeline.certify.ruled.layout import (
    ALLOWED,
    AT_LEAST,
    CELLS,
    CELLS_IN_WORD,
    COUNTS,
    DATA,
    DISTINCT,
    EITHER,
    KIND,
    LATE,
    LENGTH,
    NORMAL,
    NOTHING,
    ONE_SET,
    PAIR,
    PATHS,
    QUEUES,
    SAME,
    SCOPE,
    SOON,
    TOTAL,
    UNIT,
)
from pipeline.certify.ruled.tables import (
    LARGEST_WITH_SETS,
    Numbers,
    Relation,
    Step,
    TooLarge,
    automaton,
    bit_tables,
    relation,
    sets_by_sum,
)
from pipeline.puzzle.formulas import (
    AllDifferent,
    Allowed,
    AtLeast,
    Automaton,
    Beyond,
    ByValue,
    Constraint,
    Either,
    Equivalent,
    Every,
    OneOfSets,
    Pairs,
    SameTotals,
    SetTotal,
    Total,
    TotalBetween,
)
from pipeline.puzzle.puzzle import Geometry, Puzzle, units_of

LARGEST_SIDE = 36
MOST_CELLS = 1000
MOST_ALTERNATIVES = 500
MOST_NUMBERS = 2_000_000
MOST_SUM = 1 << 40
"""Limits; beyond them TooLarge is raised."""

_PART = NOTHING
"""In place of a queue: the constraint is part of an alternative."""

_FEW_PAIRS = 6
_MOST_LEFT = 5
_LONG = 9
"""Parts of which all pairs have the same sum, not only neighbours; cells that cages leave over in
whole units, for a constraint on these; cells of a total in which units are looked for."""

Terms = dict[int, int]
"""Cells and their weights."""


class Stated(NamedTuple):
    """The arrays of a search that has not begun."""

    w: Numbers
    d: Numbers
    weights: NDArray[np.float64]


class NoSolution(Exception):
    """The rules contradict each other, as they stand."""


def stated(puzzle: Puzzle) -> Stated:
    """The arrays of a search for all solutions. Raises TooLarge and NoSolution."""
    geometry = puzzle.geometry
    if geometry.side > LARGEST_SIDE or geometry.size > MOST_CELLS:
        raise TooLarge(f"sides above {LARGEST_SIDE} with rules are not searched")
    gathered = _Gathered(puzzle)
    for rule in puzzle.rules:
        gathered.add(rule.formula(geometry))
    if not all(gathered.masks):
        raise NoSolution
    return _Arrays(gathered).made()


class _Base(NamedTuple):
    """What a geometry states: its units, for each cell the set of its peers, and those parts of
    two units that hold the same values."""

    units: tuple[tuple[int, ...], ...]
    apart: tuple[int, ...]
    crossing: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


@lru_cache(maxsize=16)
def _base(geometry: Geometry) -> _Base:
    units = tuple({frozenset(unit): unit for unit in units_of(geometry)}.values())
    apart = [0] * geometry.size
    for unit in units:
        _separate(unit, apart)
    return _Base(units, tuple(apart), tuple(_crossing((), units)))


def _separate(group: Sequence[int], apart: list[int]) -> None:
    together = _set_of(group)
    for cell in group:
        apart[cell] |= together ^ 1 << cell


def _set_of(cells: Iterable[int]) -> int:
    return sum([1 << cell for cell in cells])


def _members(cells: int) -> Iterator[int]:
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


def _crossing(
    known: Sequence[Sequence[int]], units: Sequence[Sequence[int]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """What two units, not both known, have apart, if they share several cells."""
    sets = [_set_of(unit) for unit in (*known, *units)]
    for index, one in enumerate(sets[len(known) :], len(known)):
        for other in sets[:index]:
            if (one & other).bit_count() > 1:
                yield tuple(_members(one & ~other)), tuple(_members(other & ~one))


class _Gathered:
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
                return [Automaton(cells, (), _beyond, self._value_pairs())]
            case Equivalent():
                return [
                    Pairs(((one[0], other[0]),), _both_or_neither, (one[1], other[1]))
                    for one, other in constraint.facts
                ]
            case SameTotals(counted=None):
                parts = constraint.parts
                pairs = zip(parts, parts[1:], strict=False)
                return [
                    Total((*((c, 1) for c in one), *((c, -1) for c in other)), 0)
                    for one, other in (combinations(parts, 2) if len(parts) <= _FEW_PAIRS else pairs)
                ]
        return [constraint]

    def _allowed(self, cells: Iterable[int], values: Collection[int]) -> list[Constraint]:
        if all(value in values for value in self.values):
            return []
        return [Allowed(cell, tuple(values)) for cell in cells]

    def _value_pairs(self) -> frozenset[tuple[int, int]]:
        return frozenset(product(self.values, repeat=2))

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


class _Arrays:
    """The arrays that state what was gathered."""

    def __init__(self, gathered: _Gathered) -> None:
        self._of = gathered
        self._blocks: list[Numbers] = [_bit_tables()]
        self._block_at: dict[int, int] = {}
        self._free = DATA  # the place in `d` behind all blocks
        self._numbers: list[int] = []  # of all constraints
        self._woken: list[tuple[int, int]] = []  # the place and the queue of each that is woken
        self._longest = self._widest = 1  # the most states, and the most cells in alternatives
        self._totals: set[tuple[tuple[tuple[int, int], ...], int]] = set()
        self._sets = NOTHING

    def made(self) -> Stated:
        """All arrays. Raises NoSolution and TooLarge."""
        of, base = self._of, self._of.base
        units = *base.units, *of.units
        for unit in units:
            self._add(UNIT, SOON, unit)
        for one, other in (*base.crossing, *_crossing(base.units, of.units)):
            self._add(SAME, LATE, (*one, *other), len(one))
        for constraint in of.others:
            self._state(constraint, NORMAL)
        for terms, total in _innies(of.geometry, units, of.others):
            self._state_total(terms, total, LATE)
        for alternatives in of.choices:
            self._state_choice(alternatives)
        return self._packed(len(units))

    def _add(self, kind: int, queue: int, cells: Sequence[int], *numbers: int) -> int:
        """Add a constraint; its place."""
        place = len(self._numbers)
        self._numbers += (kind, len(cells), *cells, *numbers)
        if queue != _PART:
            self._woken.append((place, queue))
        if len(self._numbers) > MOST_NUMBERS:
            raise TooLarge("the rules take too much memory")
        return place

    def _block(self, numbers: Numbers) -> int:
        """The place of numbers that constraints share."""
        place = self._block_at.get(id(numbers))
        if place is None:
            place = self._block_at[id(numbers)] = self._free
            self._blocks.append(numbers)
            self._free += len(numbers)
            if self._free > MOST_NUMBERS:
                raise TooLarge("the rules take too much memory")
        return place

    def _state(self, constraint: Constraint, queue: int) -> list[int]:
        """Add a constraint without alternatives; the places of its parts.

        Raises NoSolution if it can never hold, and TooLarge.
        """
        of = self._of
        match constraint:
            case Pairs():
                return self._state_pairs(constraint, queue)
            case Total():
                terms: Terms = {}
                for cell, weight in constraint.terms:
                    terms[cell] = terms.get(cell, 0) + weight
                return self._state_total(terms, constraint.total, queue)
            case SameTotals():
                parts, bits = constraint.parts, of.mask((constraint.counted,))
                if len(parts) < 2 or not bits:
                    return []
                lengths = map(len, parts)
                cells = [*chain.from_iterable(parts)]
                return [self._add(COUNTS, queue, cells, bits, len(parts), *lengths)]
            case OneOfSets():
                return self._state_sets(constraint, queue)
            case AtLeast():
                bit, times = of.mask((constraint.value,)), constraint.times
                if times <= 0:
                    return []
                if not bit or times > len(constraint.cells):
                    raise NoSolution
                return [self._add(AT_LEAST, queue, constraint.cells, bit, times)]
            case Automaton():
                return self._state_automaton(constraint, queue)
            case Allowed():
                cell, mask = constraint.cell, of.mask(constraint.values)
                if not mask & of.masks[cell]:
                    raise NoSolution
                return [self._add(ALLOWED, queue, (cell,), mask)]
            case AllDifferent():
                cells = constraint.cells
                if len({*cells}) < len(cells) or len(cells) > len(of.values):
                    raise NoSolution
                return [self._add(DISTINCT, queue, cells)]
        raise TooLarge(f"{type(constraint).__name__} is not searched")

    def _state_pairs(self, constraint: Pairs, queue: int) -> list[int]:
        related = self._of.relation(constraint)
        if related.is_trivial:
            return []
        tables = self._block(related.forwards), self._block(related.backwards)
        soon = SOON if queue == NORMAL else queue
        found = []
        for a, b in constraint.pairs:
            if a != b:
                found.append(self._add(PAIR, soon, (a, b), *tables))
            else:
                found.append(self._add(ALLOWED, queue, (a,), related.equal))
        return found

    def _state_sets(self, constraint: OneOfSets, queue: int) -> list[int]:
        cells = tuple(dict.fromkeys(constraint.cells))
        masks = [
            mask
            for mask, each in ((self._of.mask(each), each) for each in constraint.sets)
            if 0 < mask.bit_count() == len({*each}) <= len(cells)
        ]
        if not cells and any(not each for each in constraint.sets):
            return []
        if not masks:
            raise NoSolution
        begin = self._block(np.array(masks, np.int64))
        return [self._add(ONE_SET, queue, cells, begin, begin + len(masks))]

    def _state_automaton(self, constraint: Automaton, queue: int) -> list[int]:
        cells = constraint.cells
        step = Step(constraint.start, constraint.step, constraint.accepted, constraint.numbers)
        layers = automaton(step, len(cells), self._of.values)
        if layers is None:
            raise NoSolution
        if not cells:
            return []
        self._longest = max(self._longest, int(layers[0]))
        return [self._add(PATHS, queue, cells, self._block(layers))]

    def _state_total(self, terms: Terms, total: int, queue: int) -> list[int]:
        """Add a weighted sum of values, as one of their indices."""
        terms = {cell: weight for cell, weight in sorted(terms.items()) if weight}
        if not terms:
            if total:
                raise NoSolution
            return []
        most = sum(map(abs, terms.values())) * max(map(abs, self._of.values))
        if max(most, abs(total)) > MOST_SUM:
            raise TooLarge("a sum has too large numbers")
        if queue != _PART:
            key = tuple(terms.items()), total
            if key in self._totals:
                return []
            self._totals.add(key)
        total -= self._of.values[0] * sum(terms.values())
        groups = self._groups(terms)
        numbers = []
        for weight, cells in groups:
            numbers += len(cells), weight, self._has_sets(len(cells), len(groups))
        cells = [cell for _, cells in groups for cell in cells]
        return [self._add(TOTAL, queue, cells, total, len(groups), *numbers)]

    def _has_sets(self, length: int, groups: int) -> int:
        """Whether the sets that a group of cells may hold are worth a look; they are then there."""
        count = len(self._of.values)
        if length == 1 or count > (_LONG if groups > 1 else LARGEST_WITH_SETS):
            return 0
        if self._sets == NOTHING:
            masks, begins = sets_by_sum(count)
            self._sets = self._block(begins + self._block(masks))
        return 1

    def _groups(self, terms: Terms) -> list[tuple[int, list[int]]]:
        """Weights and cells of groups of different cells, the greatest weights first."""
        groups: list[tuple[int, int, list[int]]] = []  # with all that differ from all its cells
        apart, left = self._of.apart, dict(terms)
        units = (*self._of.base.units, *self._of.units)
        while len(left) > _LONG:
            size, weight, cells = max(
                (len(cells), weight, cells)
                for unit in units
                for weight in {*left.values()}
                if (cells := [cell for cell in unit if left.get(cell) == weight]) or weight
            )
            if size < 2:
                break
            common = NOTHING
            for cell in cells:
                common &= apart[cell]
                del left[cell]
            groups.append((weight, common, cells))
        for cell, weight in left.items():
            for index, (by, common, cells) in enumerate(groups):
                if by == weight and common >> cell & 1:
                    cells.append(cell)
                    groups[index] = by, common & apart[cell], cells
                    break
            else:
                groups.append((weight, apart[cell], [cell]))
        groups.sort(key=lambda group: -abs(group[0]))
        return [(weight, cells) for weight, _, cells in groups]

    def _state_choice(self, alternatives: list[list[Constraint]]) -> None:
        numbers: list[int] = []
        scope: dict[int, None] = {}
        count = 0
        for parts in alternatives:
            ordered = sorted(parts, key=lambda part: not isinstance(part, Allowed))
            try:
                places = [place for part in ordered for place in self._state(part, _PART)]
            except NoSolution:
                continue
            for place in places:
                first = place + SCOPE
                scope |= dict.fromkeys(self._numbers[first : first + self._numbers[place + LENGTH]])
            numbers += len(places), *places
            count += 1
            if not places:
                return  # it always holds
        if not count:
            raise NoSolution
        self._widest = max(self._widest, len(scope))
        self._add(EITHER, NORMAL, tuple(scope), count, *numbers)

    def _packed(self, units: int) -> Stated:
        """The arrays; parts of what is made here are not looked at again."""
        of = self._of
        size, words = len(of.masks), -(-len(of.masks) // CELLS_IN_WORD)
        one_word = (1 << CELLS_IN_WORD) - 1
        apart = [
            cells >> shift & one_word
            for cells in of.apart
            for shift in range(0, words * CELLS_IN_WORD, CELLS_IN_WORD)
        ]
        places, queues = np.array(self._woken, np.int64).T
        begins, woken = self._wakes()
        head = np.zeros(DATA, np.int64)
        stated = self._free
        parts = [
            (layout.STATED, np.array(self._numbers, np.int64)),
            (layout.PLACES, places + stated),
            (layout.PRIORITIES, queues),
            (layout.APART, np.array(apart, np.int64)),
            (NOTHING, woken),
        ]
        at = stated
        for name, numbers in parts:
            if name != NOTHING:
                head[name] = at
            at += len(numbers)
        head[layout.WOKEN] = at
        parts.append((layout.WOKEN, begins + (at - len(woken))))
        d = np.concatenate([*self._blocks, *(numbers for _, numbers in parts)])
        constraints, count = len(self._woken), len(of.values)
        for name, number in (
            (layout.SIZE, size),
            (layout.VALUES, count),
            (layout.CONSTRAINTS, constraints),
            (layout.UNITS, units),
            (layout.WORDS, words),
            (layout.WIDTH, count * (count - 1) // 2 + 2),
            (layout.SETS, self._sets),
        ):
            head[name] = number
        at = CELLS + size
        for name, length in (
            (layout.STACK, size),
            (layout.QUEUED, constraints),
            (layout.RINGS, QUEUES * constraints),
            (layout.SAVED, size * (size + 1)),
            (layout.CHOSEN, 2 * (size + 1)),
            (layout.STATES, self._longest),
            (layout.KEPT, 2 * self._widest),
        ):
            head[name] = at
            at += length
        d[: layout.LOWEST] = head[: layout.LOWEST]
        w = np.zeros(at, np.int64)
        w[CELLS : CELLS + size] = of.masks
        return Stated(w, d, self._weights())

    def _wakes(self) -> tuple[Numbers, Numbers]:
        """For each cell the places in a list of constraints, see `layout`; and this list."""
        cells: list[int] = []
        lengths: list[int] = []
        for place, _ in self._woken:
            length = self._numbers[place + LENGTH]
            cells += self._numbers[place + SCOPE : place + SCOPE + length]
            lengths.append(length)
        late = np.array([queue == LATE for _, queue in self._woken])
        constraints = np.repeat(np.arange(len(lengths)), lengths)
        keys = 2 * np.array(cells, np.int64) + late[constraints]
        order = np.argsort(keys, kind="stable")
        begins = np.searchsorted(keys[order], np.arange(2 * len(self._of.masks) + 1))
        return begins, constraints[order]

    def _weights(self) -> NDArray[np.float64]:
        """How much each cell is preferred at first: by the constraints that it is in."""
        weights = [1.0] * len(self._of.masks)
        numbers, count = self._numbers, len(self._of.values)
        for place, queue in self._woken:
            kind, length = numbers[place + KIND], numbers[place + LENGTH]
            if queue == LATE and kind == SAME:
                continue
            weight = length
            if kind == TOTAL:
                weight = max(2 * count - length, count)
            elif kind == COUNTS:
                weight = 2 * length
            for cell in numbers[place + SCOPE : place + SCOPE + length]:
                weights[cell] += weight
        return np.array(weights)


@lru_cache(maxsize=1)
def _bit_tables() -> Numbers:
    return bit_tables()


def _innies(
    geometry: Geometry, units: Sequence[Sequence[int]], others: Iterable[Constraint]
) -> list[tuple[Terms, int]]:
    """Totals of the few cells that stand out of, or are left over by, cages in whole units.

    Units, and several rows or columns side by side, have a known total.
    """
    sums = [
        (_set_of(cell for cell, _ in each.terms), each.total)
        for each in others
        if isinstance(each, Total) and all(weight == 1 for _, weight in each.terms)
    ]
    cages: list[tuple[int, int]] = []
    used = 0
    for cells, total in sorted(sums, key=lambda cage: cage[0].bit_count()):
        if not cells & used:
            used |= cells
            cages.append((cells, total))
    if len(cages) < 4:
        return []
    found = []
    each_total = geometry.side * (geometry.side + 1) // 2
    for width, cells in _bands(geometry, tuple(map(tuple, units))):
        inside, outside, total = cells, 0, width * each_total
        for cage, cage_total in cages:
            here = cage & cells
            if here and 2 * here.bit_count() > cage.bit_count():
                inside &= ~here
                outside |= cage & ~cells
                total -= cage_total
        most = _MOST_LEFT if width > 1 else geometry.side - 2
        if 0 < inside.bit_count() + outside.bit_count() <= most:
            terms = dict.fromkeys(_members(inside), 1) | dict.fromkeys(_members(outside), -1)
            found.append((terms, total))
    return found


@lru_cache(maxsize=16)
def _bands(geometry: Geometry, units: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, int], ...]:
    """Sets of cells that hold each value equally often, and how often."""
    bands = {_set_of(unit): 1 for unit in units}
    side = geometry.side
    for lines in (tuple(geometry.rows()), tuple(geometry.columns())):
        for start in range(0, len(lines), side):
            grid = [_set_of(line) for line in lines[start : start + side]]
            for first, last in combinations(range(side), 2):
                if last - first < side - 1:
                    bands[sum(grid[first : last + 1])] = last - first + 1
    return tuple((width, cells) for cells, width in bands.items())


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
