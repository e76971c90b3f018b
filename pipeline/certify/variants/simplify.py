"""Reduce the constraints of a variant to the kinds that the search supports.

Nested alternatives are expanded. The units and peers of recent geometries are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise, product
from operator import eq
from typing import Any, NamedTuple

from pipeline.certify.variants.line_propagators import MAX_SEGMENT_TOTAL
from pipeline.certify.variants.value_tables import (
    MAX_VALUES_WITH_SETS,
    RelationTables,
    TooLarge,
    relation_tables,
)
from pipeline.puzzle.connected import EqualToAny
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    AnyOf,
    Automaton,
    Cells,
    Constraint,
    Equivalent,
    HoldsEachPart,
    OutsideRange,
    Pairs,
    ValueSwitch,
)
from pipeline.puzzle.geometry import Geometry, bits_of, indices_of, units_of
from pipeline.puzzle.line_sums import SegmentSums, SumBetweenExtremes
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.sums import (
    CountOfValues,
    SameTotals,
    SetTotal,
    Total,
    TotalBetween,
    sum_between_ends,
)

MAX_ALTERNATIVES = 500
"""Maximum number of alternatives of a rule. TooLarge is raised if there are more."""

_MAX_PAIRED_PARTS = 6
"""Maximum number of parts with equal sums for which every pair of parts gets a constraint. If there
are more parts, only consecutive parts are compared."""

_MIN_CAGES, _MAX_INNIES = 4, 5
"""Innies and outies are computed if there are at least _MIN_CAGES cages. A band of several lines
may have at most _MAX_INNIES of them."""

_MAX_PARTS = 5
"""Maximum number of parts of which all unions are propagated together. More parts are alternatives
of values, one by one."""

_MAX_COUNTED_VALUES = 9
"""Maximum number of values of a puzzle whose rules count different values: the automaton that
counts them has a state for each set of values."""

Terms = dict[int, int]
"""The weight of each cell of a sum."""


class NoSolution(Exception):
    """The constraints contradict each other."""


class GeometryUnits(NamedTuple):
    """The distinct units of a geometry, and the peers of each cell, as bits."""

    units: tuple[Cells, ...]
    peers: tuple[int, ...]


@lru_cache(maxsize=16)
def _geometry_units(geometry: Geometry) -> GeometryUnits:
    """Compute the units and the peers of a geometry."""
    units = tuple({frozenset(unit): unit for unit in units_of(geometry)}.values())
    peers = [0] * geometry.size
    for unit in units:
        _add_peers(unit, peers)
    return GeometryUnits(units, tuple(peers))


def _add_peers(cells: Sequence[int], peers: list[int]) -> None:
    """Make these distinct cells peers of each other."""
    cell_set = bits_of(cells)
    for cell in cells:
        peers[cell] |= cell_set ^ 1 << cell


class SimplifiedConstraints:
    """The simplified constraints of a puzzle.

    - `masks`: the candidates of each cell.
    - `peers`: for each cell, the cells that must differ from it, as bits.
    - `units`: the units that rules add to the units of the geometry.
    - `choices`: lists of alternatives. An alternative is a list of constraints. All constraints of
      at least one alternative of each list must hold.
    - `constraints`: the constraints without alternatives.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.geometry_units = _geometry_units(puzzle.geometry)
        self.geometry = puzzle.geometry
        self.values = puzzle.geometry.values
        self.masks = [*puzzle.cells]
        self.peers = [*self.geometry_units.peers]
        self.units: list[tuple[int, ...]] = []
        self.constraints: list[Constraint] = []
        self.choices: list[list[list[Constraint]]] = []
        self._known_units = {frozenset(unit) for unit in self.geometry_units.units}

    def mask(self, values: Collection[int]) -> int:
        """Return the mask of `values`. Values that the puzzle does not have are ignored."""
        return sum([1 << index for index, value in enumerate(self.values) if value in values])

    def relation(self, pairs: Pairs) -> RelationTables:
        return relation_tables(pairs.relation, pairs.numbers, self.values)

    def add(self, constraint: Constraint) -> None:
        """Add a constraint that must hold. Raises NoSolution and TooLarge."""
        add = _ADDERS.get(type(constraint))
        if add:
            add(self, constraint)
            return
        parts = self._simplify(constraint)
        if parts is None:
            self.constraints.append(constraint)
        else:
            for part in parts:
                self.add(part)

    def _simplify(self, constraint: Constraint) -> list[Constraint] | None:
        """Return equivalent constraints of simpler kinds; None if this kind has no simpler form."""
        simplify = _SIMPLIFIERS.get(type(constraint))
        return simplify(self, constraint) if simplify else None

    def add_all(self, constraint: AllOf) -> None:
        for part in constraint.parts:
            self.add(part)

    def add_choice(self, constraint: AnyOf | ValueSwitch) -> None:
        alternatives = self._alternatives(constraint)
        if len(alternatives) == 1:
            self.add_all(AllOf(tuple(alternatives[0])))
        else:
            self.choices.append(alternatives)

    def add_allowed(self, constraint: Allowed) -> None:
        self.masks[constraint.cell] &= self.mask(constraint.values)

    def add_different(self, constraint: AllDifferent) -> None:
        cells = constraint.cells
        if len({*cells}) < len(cells) or len(cells) > len(self.values):
            raise NoSolution
        if len(cells) == len(self.values):
            if frozenset(cells) in self._known_units:
                return
            self._known_units.add(frozenset(cells))
            self.units.append(tuple(cells))
        _add_peers(cells, self.peers)

    def add_pairs(self, constraint: Pairs) -> None:
        related = self.relation(constraint)
        for a, b in constraint.pairs:
            if a == b:
                self.masks[a] &= related.self_related
            elif related.is_irreflexive:
                self.peers[a] |= 1 << b
                self.peers[b] |= 1 << a
        if not (related.is_inequality or related.is_trivial):
            self.constraints.append(constraint)

    def simplify_set_total(self, constraint: SetTotal) -> list[Constraint]:
        cells, total = constraint.cells, constraint.total
        allowed = self._allowed_constraints(cells, constraint.values)
        return [*allowed, AllDifferent(cells), Total(tuple((cell, 1) for cell in cells), total)]

    def simplify_total_between(self, constraint: TotalBetween) -> list[Constraint]:
        cells, n, total = constraint.cells, len(constraint.cells), constraint.total
        allowed = self._allowed_constraints(cells, range(1, n + 1))
        between: Constraint = SumBetweenExtremes(cells, total)
        if len(self.values) > MAX_VALUES_WITH_SETS:
            between = Automaton(cells, -1, sum_between_ends, frozenset((-2,)), (n, total))
        return [*allowed, AllDifferent(cells), between]

    def simplify_sum_between(self, constraint: SumBetweenExtremes) -> list[Constraint] | None:
        return [constraint.by_ends()] if len(self.values) > MAX_VALUES_WITH_SETS else None

    def simplify_segment_sums(self, constraint: SegmentSums) -> list[Constraint] | None:
        if constraint.total <= MAX_SEGMENT_TOTAL:
            return None
        return [constraint.by_starts(self.values)]

    def simplify_each_part(self, constraint: HoldsEachPart) -> list[Constraint] | None:
        if len(constraint.parts) <= _MAX_PARTS:
            return None
        return [
            AnyOf(tuple(Allowed(cell, part) for cell in constraint.cells))
            for part in constraint.parts
        ]

    def simplify_outside_range(self, constraint: OutsideRange) -> list[Constraint]:
        cells = constraint.low, constraint.high, *constraint.cells
        accepted = frozenset(product(self.values, repeat=2))
        return [Automaton(cells, (), _outside_range_step, accepted)]

    def simplify_count_of_values(self, constraint: CountOfValues) -> list[Constraint]:
        if len(self.values) > _MAX_COUNTED_VALUES:
            raise TooLarge(
                "rules that count different values are searched only in grids of up to "
                f"{_MAX_COUNTED_VALUES} values"
            )
        cells = constraint.counter, *constraint.cells
        accepted = [(values.bit_count(), values) for values in range(1 << self.values[-1] + 1)]
        return [Automaton(cells, (), _count_different_step, frozenset(accepted))]

    def simplify_equal_to_any(self, constraint: EqualToAny) -> list[Constraint]:
        cell, other_cells = constraint.cell, constraint.other_cells
        return [AnyOf(tuple(Pairs(((cell, other),), eq) for other in other_cells))]

    def simplify_equivalent(self, constraint: Equivalent) -> list[Constraint]:
        return [
            Pairs(((one[0], other[0]),), _match_both_or_neither, (one[1], other[1]))
            for one, other in constraint.facts
        ]

    def simplify_same_totals(self, constraint: SameTotals) -> list[Constraint] | None:
        parts = constraint.parts
        if constraint.counted_value is not None:
            return None
        pairs = combinations(parts, 2) if len(parts) <= _MAX_PAIRED_PARTS else pairwise(parts)
        return [
            Total((*((cell, 1) for cell in one), *((cell, -1) for cell in other)), 0)
            for one, other in pairs
        ]

    def _allowed_constraints(
        self, cells: Iterable[int], values: Collection[int]
    ) -> list[Constraint]:
        """Return constraints that restrict the cells to these values; none if they may have any."""
        if all(value in values for value in self.values):
            return []
        return [Allowed(cell, tuple(values)) for cell in cells]

    def _alternatives(self, constraint: Constraint) -> list[list[Constraint]]:
        """Return the alternatives of a constraint. An alternative is a list of constraints.

        Raises TooLarge if there are too many alternatives.
        """
        match constraint:
            case AllOf():
                choices = [self._alternatives(part) for part in constraint.parts]
                size = 1
                for choice in choices:
                    size *= len(choice)
                    _check_alternatives(size)
                return [[*chain.from_iterable(combined)] for combined in product(*choices)]
            case AnyOf():
                alternatives = [*chain.from_iterable(map(self._alternatives, constraint.parts))]
            case ValueSwitch():
                alternatives = [
                    [Allowed(constraint.cell, (value,)), *alternative]
                    for value, part in zip(self.values, constraint.parts, strict=True)
                    for alternative in self._alternatives(part)
                ]
            case _:
                parts = self._simplify(constraint)
                if parts is None:
                    return [[constraint]]
                return self._alternatives(AllOf(tuple(parts)))
        _check_alternatives(len(alternatives))
        return alternatives


# Each unit, and each band of adjacent lines, has a known total. Subtract the totals of the cages
# that have more than half of their cells inside. The result is the total of the inside cells that
# these cages miss (innies), minus the total of the cages' cells outside (outies). A cage that
# overlaps a smaller cage is skipped, so no cell counts twice.
def innies(simplified: SimplifiedConstraints) -> Iterator[tuple[Terms, int]]:
    """Yield innies and outies: sums of the few cells by which cages miss or overlap whole units.

    A sum consists of the weights of its cells and its total.
    """
    cages, used = list[tuple[int, int, int]](), 0
    totals = (
        (constraint.weights(), constraint.total)
        for constraint in simplified.constraints
        if isinstance(constraint, Total)
    )
    sums = [(bits_of(terms), total) for terms, total in totals if {*terms.values()} == {1}]
    for cells, total in sorted(sums, key=lambda cage: cage[0].bit_count()):
        if not cells & used:
            used |= cells
            cages.append((cells, cells.bit_count() // 2, total))
    if len(cages) < _MIN_CAGES:
        return
    unit_total = sum(simplified.values)
    units = *simplified.geometry_units.units, *simplified.units
    for multiplicity, band in _bands(simplified.geometry, units):
        inside, total = 0, multiplicity * unit_total
        for cage, half, cage_total in cages:
            if (cage & band).bit_count() > half:
                inside |= cage
                total -= cage_total
        missed, outside = band & ~inside, inside & ~band
        max_cells = _MAX_INNIES if multiplicity > 1 else len(simplified.values) - 2
        if 0 < (missed | outside).bit_count() <= max_cells:
            positive = dict.fromkeys(indices_of(missed), 1)
            yield positive | dict.fromkeys(indices_of(outside), -1), total


@lru_cache(maxsize=16)
def _bands(geometry: Geometry, units: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    """Return the units and the bands of adjacent lines.

    Each is a pair: how often it holds each value, and its cells as bits.
    """
    bands = {bits_of(unit): 1 for unit in units}
    side = geometry.side
    if geometry.free_grid:
        return [(multiplicity, cells) for cells, multiplicity in bands.items()]
    for lines in (tuple(geometry.rows()), tuple(geometry.columns())):
        for start in range(0, len(lines), side):
            grid = [bits_of(line) for line in lines[start : start + side]]
            for first, last in combinations(range(side), 2):
                if last - first < side - 1:
                    bands[sum(grid[first : last + 1])] = last - first + 1
    return [(multiplicity, cells) for cells, multiplicity in bands.items()]


_ADDERS: dict[type[Constraint], Callable[[SimplifiedConstraints, Any], None]] = {
    AllOf: SimplifiedConstraints.add_all,
    AnyOf: SimplifiedConstraints.add_choice,
    ValueSwitch: SimplifiedConstraints.add_choice,
    Allowed: SimplifiedConstraints.add_allowed,
    AllDifferent: SimplifiedConstraints.add_different,
    Pairs: SimplifiedConstraints.add_pairs,
}
"""The method that adds each kind of constraint that is not kept as it is."""

_SIMPLIFIERS: dict[
    type[Constraint], Callable[[SimplifiedConstraints, Any], list[Constraint] | None]
] = {
    SetTotal: SimplifiedConstraints.simplify_set_total,
    TotalBetween: SimplifiedConstraints.simplify_total_between,
    SumBetweenExtremes: SimplifiedConstraints.simplify_sum_between,
    SegmentSums: SimplifiedConstraints.simplify_segment_sums,
    HoldsEachPart: SimplifiedConstraints.simplify_each_part,
    OutsideRange: SimplifiedConstraints.simplify_outside_range,
    CountOfValues: SimplifiedConstraints.simplify_count_of_values,
    EqualToAny: SimplifiedConstraints.simplify_equal_to_any,
    Equivalent: SimplifiedConstraints.simplify_equivalent,
    SameTotals: SimplifiedConstraints.simplify_same_totals,
}
"""The method that simplifies each kind of constraint that has a simpler form."""


def _check_alternatives(alternatives: int) -> None:
    """Raise TooLarge if there are too many alternatives."""
    if alternatives > MAX_ALTERNATIVES:
        raise TooLarge(f"a rule has more than {MAX_ALTERNATIVES} alternatives")


def _match_both_or_neither(u: int, v: int, x: int, y: int) -> bool:
    """Whether u = x if and only if v = y."""
    return (u == x) == (v == y)


def _count_different_step(state: tuple[int, ...], value: int) -> tuple[int, ...] | None:
    """Return the next state of the automaton that counts different values.

    The automaton reads the count first, then collects the values of the other cells. Returns None
    if there are more different values than the count.
    """
    if not state:
        return value, 0
    number, values = state
    values |= 1 << value
    return (number, values) if values.bit_count() <= number else None


def _outside_range_step(ends: tuple[int, ...], value: int) -> tuple[int, ...] | None:
    """Return the next state of the automaton of `OutsideRange`.

    The automaton reads the two ends first, then the values. Returns None for a value between the
    ends or equal to one.
    """
    if len(ends) < 2:
        return (*ends, value)
    return ends if value < ends[0] or value > ends[1] else None
