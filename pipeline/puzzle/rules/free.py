"""Rules of free grids: rows, columns, boxes, and regions that the solver has to find."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from pipeline.puzzle.arguments import CellField, CellsField, GroupsField
from pipeline.puzzle.connected import Connected, DifferentPairs, EqualToAny
from pipeline.puzzle.constraints import (
    AllDifferent,
    AllOf,
    Allowed,
    Automaton,
    Cells,
    Constraint,
    ValueSwitch,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.rules import adjacent_pairs, check_cells, places
from pipeline.puzzle.rules.cages import SameMultiset
from pipeline.puzzle.rules.regions import AllDifferentRule
from pipeline.puzzle.shapes import Line, Outline, Place, Ring, Shape
from pipeline.puzzle.sums import CountOfEqual

REGIONS = "CC"
"""The name of the group of extra cells that hold the region numbers of a chaos construction."""

GROUP_TITLES = {
    REGIONS: "regions",
    "DGC": "missing in columns",
    "DGR": "missing in rows",
    "DGB": "missing in boxes",
}
"""Name of a group of extra cells → what the cells hold."""

UNIT_KINDS = ("row", "column", "box")
"""The kinds of a `Unit`."""


class Unit(AllDifferentRule):
    """Values do not repeat in the row, column or box of a free grid; n cells contain each value."""

    name = "row, column or box"

    kind: str

    def check(self) -> None:
        AllDifferentRule.check(self)
        if self.kind not in UNIT_KINDS:
            raise ValueError(f"{self.name}: unknown kind {self.kind!r}")

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        if self.kind == "box":
            return (Outline(places(geometry, self.cells), "region"),)
        return ()

    def title(self) -> str:
        return self.kind

    def caption(self) -> str:
        return self.kind

    def describe(self, geometry: Geometry) -> str:
        """The description, such as `row 3`, `column 3` or `box at r1c4`."""
        row, column = geometry.place(self.cells[0])
        if self.kind == "box":
            return f"{self.kind} at {geometry.name_of(self.cells[0])}"
        return f"{self.kind} {row if self.kind == 'row' else column}"


@dataclass(frozen=True, slots=True)
class DrawnRegions:
    """The geometry without the cells that number regions, and the cells of each known region."""

    geometry: Geometry
    regions: tuple[tuple[Place, ...], ...]


class SameRegions(SameMultiset):
    """All these rows, columns, boxes or regions contain the same set of values.

    Each region has fewer cells than there are values, and no value repeats in it.
    """

    name, preposition = "same values in all regions", ""

    def scope(self, geometry: Geometry) -> Cells:
        return tuple(sorted({cell for part in self.parts for cell in part}))

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return ()


class ConnectedValues(Rule):
    """The cells of the group that hold one of the values form one region, connected by sides.

    The region has exactly `size` cells or, if `size` is 0, any number of cells above 0. The group
    is the grid, or a group of extra cells.
    """

    name, preposition = "connected values", "from"

    cells: CellsField
    values: tuple[int, ...]
    size: int = 0

    def check(self) -> None:
        check_cells(self.name, self.cells, no_repeats=True)
        if not self.values:
            raise ValueError(f"{self.name}: must have at least one value")

    def constraints(self, geometry: Geometry) -> Constraint:
        adjacent = adjacent_pairs(geometry, self.cells)
        return Connected(self.cells, adjacent, self.values, self.size or None)

    def title(self) -> str:
        size = f" in {self.size} cells" if self.size else ""
        return f"{self.name} {' '.join(map(str, self.values))}{size}"

    def caption(self) -> str:
        return self.title()


class ChaosConstruction(Rule):
    """The grid divides into unknown regions of `size` cells, in which no value repeats.

    The cells of a region are connected by their sides. `regions` are extra cells, one for each cell
    of the grid, and hold the number of its region. Regions are numbered from the lowest value, in
    the order of their first cells, so each division into regions counts once.
    """

    name = "chaos construction"

    regions: CellsField
    size: int

    def check(self) -> None:
        check_cells(self.name, self.regions, no_repeats=True)
        if self.size < 2 or len(self.regions) % self.size:
            raise ValueError(
                f"{self.name}: {len(self.regions)} cells cannot be divided into regions of "
                f"{self.size} cells"
            )

    def scope(self, geometry: Geometry) -> Cells:
        return (*range(geometry.grid_size), *self.regions)

    def constraints(self, geometry: Geometry) -> Constraint:
        number, grid_cells = len(self.regions) // self.size, range(geometry.grid_size)
        if len(self.regions) != len(grid_cells) or number > geometry.side:
            raise ValueError(f"{self.name}: the number of regions does not fit the grid")
        labels = geometry.values[:number]
        adjacent = adjacent_pairs(geometry, self.regions)
        first, last = labels[0] - 1, labels[-1]
        order = Automaton(self.regions, first, _next_label, frozenset((last,)), (last,))
        parts = [Connected(self.regions, adjacent, (label,), self.size) for label in labels]
        no_repeats = DifferentPairs(tuple(zip(grid_cells, self.regions, strict=True)))
        neighbours = parts[0].neighbours()
        with_neighbour = (EqualToAny(cell, tuple(neighbours[cell])) for cell in self.regions)
        return AllOf((order, *parts, no_repeats, *with_neighbour))

    def caption(self) -> str:
        return f"{self.name} of regions of {self.size} cells"


class ChaosArrow(Rule):
    """The control cell counts the cells along the arms that are in the start's region.

    All arms begin with the start, which counts once. An arm ends before its first cell of another
    region. The count is the control's value plus `offset`. The `arms` consist of the cells that
    number the regions of a chaos construction.
    """

    name, preposition = "chaos arrow", "at"

    control: CellField
    arms: GroupsField
    offset: int = 0

    def check(self) -> None:
        if not self.arms:
            raise ValueError(f"{self.name}: must have at least one arm")
        for arm in self.arms:
            check_cells(f"{self.name}: an arm", arm, no_repeats=True)
        if len({arm[0] for arm in self.arms}) > 1:
            raise ValueError(f"{self.name}: all arms must begin with the same cell")

    def scope(self, geometry: Geometry) -> Cells:
        return tuple(dict.fromkeys((self.control, *(cell for arm in self.arms for cell in arm))))

    def constraints(self, geometry: Geometry) -> Constraint:
        arms = tuple(arm[1:] for arm in self.arms)
        return CountOfEqual(self.control, self.arms[0][0], arms, self.offset, unbroken=True)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        yield Ring((geometry.place(self.control),), "chaos-arrow")
        for arm in self.arms:
            points = places(geometry, (_cell_of(geometry, cell) for cell in arm[:2]))
            if len(points) > 1:
                yield Line(points, "chaos-arrow", has_arrowhead=True)

    def caption(self) -> str:
        return f"{self.name} + {self.offset}" if self.offset else self.name


class ChaosCount(Rule):
    """The control cell counts the listed cells that are in the region of the first listed cell.

    The first listed cell counts too. The count is the control's value plus `offset`. The `counted`
    cells number the regions of a chaos construction.
    """

    name, preposition = "chaos count", "at"

    control: CellField
    counted: CellsField
    offset: int = 0

    def check(self) -> None:
        check_cells(self.name, self.counted, no_repeats=True)

    def scope(self, geometry: Geometry) -> Cells:
        return tuple(dict.fromkeys((self.control, *self.counted)))

    def constraints(self, geometry: Geometry) -> Constraint:
        first, *rest = self.counted
        return CountOfEqual(self.control, first, (tuple(rest),), self.offset, unbroken=False)

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return (Ring((geometry.place(self.control),), "chaos-count"),)

    def caption(self) -> str:
        return f"{self.name} + {self.offset}" if self.offset else self.name


class Doppelganger(Rule):
    """Each row, column and box of n cells contains 0 and all but one of the values 1 … n.

    No two rows lack the same value, nor do two columns or two boxes. The row, column and box of a 0
    lack three different values. `missing` has an extra cell for each of the `units`, which holds
    the value that the unit lacks. `kinds` are the numbers of rows, columns and boxes among the
    units.
    """

    name = "doppelganger"

    units: GroupsField
    missing: CellsField
    kinds: tuple[int, ...]

    def check(self) -> None:
        check_cells(self.name, self.missing, no_repeats=True)
        if not len(self.units) == len(self.missing) == sum(self.kinds):
            raise ValueError(f"{self.name}: each unit needs one cell for its missing value")

    def scope(self, geometry: Geometry) -> Cells:
        return (*range(geometry.grid_size), *self.missing)

    def constraints(self, geometry: Geometry) -> Constraint:
        grid = geometry.free_grid
        if not grid or grid.lowest or not grid.rows == grid.columns == geometry.side - 1:
            raise ValueError(f"{self.name}: the values of n×n cells must be 0 to n")
        pairs = [*zip(self.units, self.missing, strict=True)]
        parts: list[Constraint] = [Allowed(cell, geometry.values[1:]) for cell in self.missing]
        parts += (AllDifferent((*unit, cell)) for unit, cell in pairs)
        for end, size in zip(accumulate(self.kinds), self.kinds, strict=True):
            parts.append(AllDifferent(self.missing[end - size : end]))
        always_true = [AllOf(())] * (geometry.side - 1)
        for zero in range(geometry.grid_size):
            lacking = AllDifferent(tuple(cell for unit, cell in pairs if zero in unit))
            parts.append(ValueSwitch(zero, (lacking, *always_true), 0))
        return AllOf(tuple(parts))


def drawn_regions(puzzle: Puzzle, values: Sequence[int] = ()) -> DrawnRegions | None:
    """The regions of a chaos construction, to draw as borders instead of as numbers.

    `values`: the values of all cells in a solution; without one, no region is known. Returns None
    without a chaos construction, and if the numbers must be drawn: because one of them is given, is
    in a rule of another kind, or is not among the last cells.
    """
    geometry, free_grid = puzzle.geometry, puzzle.geometry.free_grid
    labels = next((r.regions for r in puzzle.rules if isinstance(r, ChaosConstruction)), ())
    first = geometry.size - len(labels)
    if not labels or not free_grid or labels != tuple(geometry.group_of(geometry.size - 1)):
        return None
    chaos = (ChaosConstruction, ChaosArrow, ChaosCount)
    other_rules = (rule for rule in puzzle.rules if not isinstance(rule, chaos))
    if any(max(rule.scope(geometry), default=0) >= first for rule in other_rules):
        return None
    if any(mask != geometry.all_values for mask in puzzle.cells[first:]):
        return None
    places = defaultdict[int, list[Place]](list)
    for cell, label in enumerate(values[first:]):
        places[label].append(geometry.place(cell))
    *groups, (name, _) = free_grid.groups
    widths = tuple(width for width in free_grid.widths if width[0] != name)
    without_labels = replace(free_grid, groups=tuple(groups), widths=widths)
    return DrawnRegions(
        replace(geometry, free_grid=without_labels), tuple(map(tuple, places.values()))
    )


def _cell_of(geometry: Geometry, extra_cell: int) -> int:
    """The cell of the grid to which an extra cell of a chaos construction belongs."""
    return extra_cell - geometry.group_of(extra_cell).start


def _next_label(highest: int, value: int, last: int) -> int | None:
    """The highest label so far; None if the value skips a label."""
    return max(highest, value) if value <= min(highest + 1, last) else None
