"""Examples of rules of free grids, and of others in such grids; and what these rules mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules.cages import Cage, SameMultiset, Sum
from pipeline.puzzle.rules.free import (
    ChaosArrow,
    ChaosConstruction,
    ChaosCount,
    ConnectedValues,
    Doppelganger,
    SameRegions,
    Unit,
)
from pipeline.puzzle.rules.lines import Renban, ValueIndexer
from pipeline.puzzle.rules.outside import Sandwich, Skyscraper, XSum
from pipeline.puzzle.rules.pairs import AntiKing, AntiKnight, Indexer, NegativeKropki, Parity
from pipeline.puzzle.rules.regions import Diagonal

Values = Sequence[int]

ZERO = Geometry(1, 3, free=FreeGrid(2, 2, 0))
WIDE = Geometry(1, 4, free=FreeGrid(2, 3))
HIGH = Geometry(1, 3, free=FreeGrid(3, 2))
WITH_OTHERS = Geometry(1, 2, free=FreeGrid(2, 2, 1, (("VA", 5), ("VB", 1))))
CHAOS = Geometry(1, 2, free=FreeGrid(2, 2, 1, (("CC", 4),)))
CHAOS_OF_THREE = Geometry(1, 3, free=FreeGrid(2, 3, 0, (("CC", 6),)))
TWO_MISS = Geometry(1, 3, free=FreeGrid(2, 2, 0, (("DGC", 2), ("DGR", 2))))
FOUR_MISS = Geometry(1, 5, free=FreeGrid(4, 4, 0, (("DGC", 4), ("DGR", 4), ("DGB", 4))))

_TWO_UNITS = ((0, 1), (2, 3), (0, 2), (1, 3))
_FOUR_UNITS = (
    *(tuple(range(at, at + 4)) for at in range(0, 16, 4)),
    *(tuple(range(at, 16, 4)) for at in range(4)),
    *((at, at + 1, at + 4, at + 5) for at in (0, 2, 8, 10)),
)

FREE: list[tuple[Geometry, Rule]] = [
    (ZERO, Unit((0, 1), "row")),
    (WIDE, Unit((3, 4, 5), "row")),
    (HIGH, Unit((1, 3, 5), "column")),
    (Geometry(1, 4, free=FreeGrid(2, 2)), Unit((0, 1, 2, 3), "box")),
    (WIDE, Unit((0, 1, 2, 3, 4), "box")),  # cannot be filled
    (WIDE, SameRegions(((0, 1, 2), (3, 4, 5)))),
    (HIGH, SameRegions(((0, 1), (2, 3), (4, 5)))),
    (WIDE, ConnectedValues((0, 1, 2, 3, 4, 5), (1,))),
    (WIDE, ConnectedValues((0, 1, 2, 3, 4, 5), (1, 4), 3)),
    (WIDE, ConnectedValues((0, 1, 2, 3, 4, 5), (2,), 6)),
    (ZERO, ConnectedValues((0, 1, 2, 3), (0, 2))),
    (WITH_OTHERS, ConnectedValues((4, 5, 6, 7, 8), (2,))),
    (WITH_OTHERS, ConnectedValues((4, 5, 6, 7, 8), (1,), 2)),
    (WITH_OTHERS, ConnectedValues((9,), (1,))),
    (Geometry(1, 3), ConnectedValues(tuple(range(9)), (2, 3))),
    (ZERO, ConnectedValues((0, 1, 2, 3), (7,))),  # cannot be filled, as the next
    (ZERO, ConnectedValues((0, 1), (1,), 3)),
    (CHAOS, ChaosConstruction((4, 5, 6, 7), 2)),
    (CHAOS_OF_THREE, ChaosConstruction(tuple(range(6, 12)), 3)),
    (CHAOS_OF_THREE, ChaosConstruction(tuple(range(6, 12)), 2)),
    (CHAOS, ChaosArrow(0, ((4, 5),))),
    (CHAOS, ChaosArrow(3, ((7, 5), (7, 6)))),
    (CHAOS, ChaosArrow(3, ((7,), (7, 6)), 1)),
    (CHAOS_OF_THREE, ChaosArrow(1, ((7, 6), (7, 8), (7, 10)), 1)),
    (CHAOS_OF_THREE, ChaosArrow(0, ((6, 7, 8),), 0)),
    (CHAOS, ChaosCount(0, (4, 5, 6))),
    (CHAOS_OF_THREE, ChaosCount(1, (7, 6, 8, 10), 1)),
    (TWO_MISS, Doppelganger(_TWO_UNITS, (4, 5, 6, 7), (2, 2))),
    (FOUR_MISS, Doppelganger(_FOUR_UNITS, tuple(range(16, 28)), (4, 4, 4))),
    # others, where values begin with 0 or lines are short
    (ZERO, Cage((0, 1, 2), 3)),
    (ZERO, Cage((0, 1), 1)),
    (ZERO, Sum(((0, 1), (1, -2)), 0)),
    (ZERO, SameMultiset(((0, 1), (2, 3)))),
    (ZERO, Renban((0, 1))),
    (ZERO, Renban((0, 1, 2, 3))),  # cannot be filled
    (ZERO, Skyscraper((0, 1), 1)),
    (ZERO, XSum((0, 1), 2)),
    (WIDE, XSum((0, 1, 2), 4)),
    (ZERO, Sandwich((0, 1), 0)),
    (WIDE, Sandwich((0, 1, 2), 3)),
    (ZERO, Parity(0, odd=False)),
    (WIDE, AntiKnight()),
    (WITH_OTHERS, AntiKing()),
    (ZERO, NegativeKropki((1,), (2,), ())),
    (WITH_OTHERS, Diagonal(rising=True)),
    (HIGH, Indexer(2, row=True)),
    (ZERO, ValueIndexer((0, 1, 2, 3))),
]


def connected(cells: Sequence[int], geometry: Geometry) -> bool:
    """Whether one can go from each cell to each other, over sides."""
    groups: list[set[tuple[int, int]]] = []
    for row, column in map(geometry.place, cells):
        near = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        joined = {(row, column)}.union(*(group for group in groups if group & near))
        groups = [group for group in groups if not group & near] + [joined]
    return len(groups) == 1


def connected_values(rule: ConnectedValues, geometry: Geometry, values: Values) -> bool:
    inside = [cell for cell in rule.group if values[cell] in rule.values]
    return connected(inside, geometry) and rule.size in (0, len(inside))


def chaos_construction(rule: ChaosConstruction, geometry: Geometry, values: Values) -> bool:
    region = [values[cell] for cell in rule.regions]
    first = [*dict.fromkeys(region)]
    if first != list(range(geometry.lowest, geometry.lowest + len(region) // rule.size)):
        return False
    for each in first:
        cells = [cell for cell, of in enumerate(region) if of == each]
        if len(cells) != rule.size or len({values[cell] for cell in cells}) != rule.size:
            return False
        if not connected([rule.regions[cell] for cell in cells], geometry):
            return False
    return True


def chaos_arrow(rule: ChaosArrow, _: Geometry, values: Values) -> bool:
    counted = 1
    for start, *others in rule.arms:
        for cell in others:
            if values[cell] != values[start]:
                break
            counted += 1
    return values[rule.control] + rule.offset == counted


def chaos_count(rule: ChaosCount, _: Geometry, values: Values) -> bool:
    counted = Counter(values[cell] for cell in rule.counted)[values[rule.counted[0]]]
    return values[rule.control] == counted - rule.offset


def doppelganger(rule: Doppelganger, geometry: Geometry, values: Values) -> bool:
    digits = set(range(1, geometry.side))
    told = dict(zip(rule.missing, rule.units, strict=True))
    for cell, unit in told.items():
        held = [values[each] for each in unit]
        if sorted([*held, values[cell]]) != [0, *sorted(digits)] or values[cell] == 0:
            return False
    cells = iter(rule.missing)
    for size in rule.kinds:
        if {values[next(cells)] for _ in range(size)} != digits:
            return False
    for zero in range(geometry.grid_size):
        missed = [values[cell] for cell, unit in told.items() if zero in unit]
        if values[zero] == 0 and len({*missed}) < len(missed):
            return False
    return True


MEANS_FREE: dict[type[Rule], Callable[[Any, Geometry, Values], bool]] = {
    Unit: lambda rule, _, values: len({values[c] for c in rule.group}) == len(rule.group),
    SameRegions: lambda rule, _, values: (
        len({tuple(sorted(values[cell] for cell in part)) for part in rule.parts}) == 1
    ),
    ConnectedValues: connected_values,
    ChaosConstruction: chaos_construction,
    ChaosArrow: chaos_arrow,
    ChaosCount: chaos_count,
    Doppelganger: doppelganger,
}
