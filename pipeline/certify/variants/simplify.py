"""Reduce the constraints of a variant to the kinds that the search supports.

Nested alternatives are expanded. The units and peers of recent geometries are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, reduce
from itertools import chain, combinations, pairwise, product
from operator import eq, or_
from typing import Any, NamedTuple

from pipeline.certify.variants.line_propagators import MAX_SEGMENT_TOTAL
from pipeline.certify.variants.unit_numbers import Unit
from pipeline.certify.variants.value_tables import (
    MAX_VALUES_WITH_SETS,
    RelationTables,
    TooLarge,
    relation_tables,
)
from pipeline.puzzle.connected import DifferentPairs
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
from pipeline.puzzle.geometry import Geometry, bits_of, units_of
from pipeline.puzzle.line_sums import SegmentSums, SumBetweenExtremes
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.sums import (
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

_MAX_PARTS = 5
"""Maximum number of parts of a HoldsEachPart constraint that are propagated together, with all
unions of parts. If there are more, each part becomes an AnyOf of its values."""


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


def _root(parents: list[int], cell: int) -> int:
    """Return the representative of the cells that equal this one, in a union-find."""
    while parents[cell] != cell:
        cell = parents[cell]
    return cell


def _merge(parents: list[int], a: int, b: int) -> None:
    """Record in a union-find that two cells are equal."""
    parents[_root(parents, a)] = _root(parents, b)


def _add_peers(cells: Sequence[int], peers: list[int]) -> None:
    """Make these distinct cells peers of each other."""
    cell_set = bits_of(cells)
    for cell in cells:
        peers[cell] |= cell_set ^ 1 << cell


# All cells of a free grid may be restricted to some of the values, such as 1 to 9 of 0 to 10.
# Without the unused values, rows of nine cells are units of the search, and its tables are smaller.
def searched_values(puzzle: Puzzle) -> range:
    """Return the values from the lowest to the highest that some cell may hold.

    These are all values unless the puzzle is a free grid: other units hold all values.
    """
    values = puzzle.geometry.values
    if not puzzle.geometry.free_grid:
        return values
    masks = reduce(or_, puzzle.cells)
    return values[(masks & -masks).bit_length() - 1 : masks.bit_length()]


class SimplifiedConstraints:
    """The simplified constraints of a puzzle.

    - `masks`: the candidates of each cell. Bit 0 is the first of `values`.
    - `peers`: for each cell, the cells that must differ from it, as bits.
    - `values`: the values of the search; see `searched_values`.
    - `units`: units that hold all values, which rules add to the units of the geometry.
    - `choices`: lists of alternatives. An alternative is a list of constraints. All constraints of
      at least one alternative of each list must hold.
    - `constraints`: the constraints without alternatives.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.geometry_units = _geometry_units(puzzle.geometry)
        self.geometry = puzzle.geometry
        self.values = searched_values(puzzle)
        shift = self.values[0] - puzzle.geometry.lowest
        self.masks = [mask >> shift for mask in puzzle.cells]
        self.peers = [*self.geometry_units.peers]
        self.units: list[tuple[int, ...]] = []
        self._groups: list[Cells] = []
        self.constraints: list[Constraint] = []
        self.choices: list[list[list[Constraint]]] = []
        self._known_units = {frozenset(unit) for unit in self.geometry_units.units}
        self._known_different = set[Cells]()
        self._equal = [*range(puzzle.geometry.size)]  # a union-find of the cells equal by rule

    # No two pairs hold the same two values. So if the second cells of some pairs are equal by rule,
    # their first cells differ, and vice versa. In a chaos construction, cells with equal labels
    # differ.
    def separate_pairs(self) -> None:
        """Add what DIFFERENT_PAIRS implies for cells that are equal by rule. Raises NoSolution."""
        groups: dict[tuple[int, bool, int], list[int]] = {}
        for index, constraint in enumerate(self.constraints):
            if isinstance(constraint, DifferentPairs):
                for a, b in constraint.pairs:
                    groups.setdefault((index, False, _root(self._equal, b)), []).append(a)
                    groups.setdefault((index, True, _root(self._equal, a)), []).append(b)
        for cells in groups.values():
            if len(cells) > 1:
                self.add_different(AllDifferent(tuple(cells)))

    def rings_of_equal(self, cells: Sequence[int]) -> list[int]:
        """Return for each cell the next one that is equal by rule; itself if there is none.

        Equal cells form a ring: the first one comes after the last one.
        """
        first, last = dict[int, int](), dict[int, int]()
        following = dict(zip(cells, cells, strict=True))
        for cell in cells:
            root = _root(self._equal, cell)
            following[last.get(root, cell)] = cell
            following[cell] = first.setdefault(root, cell)
            last[root] = cell
        return [following[cell] for cell in cells]

    def whole_units(self) -> tuple[Cells, ...]:
        """Return the units of the geometry and of rules. Each holds all values of the puzzle."""
        return (*self.geometry_units.units, *self.units)

    # Some cells of a free grid may have fewer values than others: for example 1 to 6 in a grid of
    # six rows, and 0 to 9 in cells beside it. k different cells that have k values hold all of
    # these, so the rows of the grid are units too.
    def all_units(self) -> tuple[Unit, ...]:
        """Return the units with their values: units of all values, then units of some values.

        Call it after `add`. Raises NoSolution if cells that differ have too few values.
        """
        units = dict.fromkeys(self.whole_units(), (1 << len(self.values)) - 1)
        for cells in self._groups:
            values = reduce(or_, [self.masks[cell] for cell in cells], 0)
            if values.bit_count() < len(cells):
                raise NoSolution
            if values.bit_count() == len(cells) > 1:
                units[cells] = values
        return tuple([Unit(cells, values) for cells, values in units.items()])

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
        if cells in self._known_different:
            return
        self._known_different.add(cells)
        if len({*cells}) < len(cells) or len(cells) > len(self.values):
            raise NoSolution
        if len(cells) == len(self.values):
            if frozenset(cells) in self._known_units:
                return
            self._known_units.add(frozenset(cells))
            self.units.append(tuple(cells))
        elif self.geometry.free_grid:
            self._groups.append(tuple(cells))
        _add_peers(cells, self.peers)

    def add_pairs(self, constraint: Pairs) -> None:
        related = self.relation(constraint)
        for a, b in constraint.pairs:
            if a == b:
                self.masks[a] &= related.self_related
            elif constraint.relation is eq:
                _merge(self._equal, a, b)
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
        # the first comparison decides most cases
        if values == self.values or all(value in values for value in self.values):
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
                    for value in self.values
                    for alternative in self._alternatives(
                        constraint.parts[value - constraint.lowest]
                    )
                ]
            case _:
                parts = self._simplify(constraint)
                if parts is None:
                    return [[constraint]]
                return self._alternatives(AllOf(tuple(parts)))
        _check_alternatives(len(alternatives))
        return alternatives


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


def _outside_range_step(ends: tuple[int, ...], value: int) -> tuple[int, ...] | None:
    """Return the next state of the automaton of `OutsideRange`.

    The automaton reads the two ends first, then the values. Returns None for a value between the
    ends or equal to one.
    """
    if len(ends) < 2:
        return (*ends, value)
    return ends if value < ends[0] or value > ends[1] else None
