"""The layout that an ISS constraint string declares.

These are its shape, values, boxes, jigsaw regions, and cells outside the grid.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import isqrt
from typing import NamedTuple

from pipeline.puzzle.geometry import (
    MAX_EXTRA_CELLS,
    MAX_SIDE,
    MIN_SIDE,
    FreeGrid,
    Geometry,
    default_geometry,
)
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules.free import (
    REGIONS,
    ChaosConstruction,
    Doppelganger,
    SameRegions,
    Unit,
)
from pipeline.puzzle.rules.regions import DisjointGroups, ExtraRegion, Region, Windoku
from pipeline.reading.formats.iss.codecs import ties_of
from pipeline.reading.formats.iss.machines import MachineReader
from pipeline.reading.formats.iss.phrases import Arguments, Context, Phrase
from pipeline.reading.formats.variants import RowColumn, groups_of

MAX_SIZE = 16
"""Maximum number of rows, columns and values."""

_SIZE = re.compile(r"([1-9]\d?)x([1-9]\d?)", re.ASCII)
_VALUES = re.compile(r"(?:([01])-)?(\d{1,2})", re.ASCII)
_ROWS_COLUMNS = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})", re.ASCII)
_VAR_NAME = re.compile(r"[A-Z]{1,8}", re.ASCII)
_RAW = "Raw"
_DEFAULT_TIES = "only-unclued"
"""The argument of `.FullRankTies` if the constraint string has none."""

_MISSING = ("DGC", "DGR", "DGB")
"""The groups of extra cells for the values that rows (`DGC`), columns (`DGR`) and boxes lack.

ISS uses the same letters.
"""

Areas = tuple[tuple[int, ...], ...]
"""The cells of each box, or of each region."""


class GridLayout(NamedTuple):
    """The geometry that a constraint string declares, and its rules.

    - `phrases`: the constraints that are not inside `.Or`, `.And` or `.Replicate`.
    - `rules`: the rules of units, jigsaw regions and other constraints about the whole grid.
    """

    phrases: Sequence[Phrase]
    geometry: Geometry
    boxes: Areas
    jigsaw_regions: Areas
    rules: list[Rule]

    def contexts(self, machine_reader: MachineReader) -> tuple[Context, Context]:
        """The contexts of phrases outside and inside `.Or`, `.And` and `.Replicate`."""
        ties_args = _single_arguments(self.phrases, "FullRankTies")
        ties = ties_of(ties_args) if ties_args else _DEFAULT_TIES
        is_free = self.geometry.free_grid is not None
        has_units = not is_free or any(isinstance(rule, Unit) for rule in self.rules)
        has_known_regions = not any(_arguments_of(self.phrases, "ChaosConstruction"))
        regions = (self.boxes or self.jigsaw_regions) if has_known_regions else ()
        outside = Context(
            self.geometry, self._with_remaining(regions), ties, machine_reader, has_units
        )
        if not any(isinstance(rule, Windoku | ExtraRegion) for rule in self.rules):
            for args in _arguments_of(self.phrases, "Windoku"):
                outside.unread[args.type.line, f".{args.phrase.name}"] = None  # it has no windows
        has_region_size = any(_arguments_of(self.phrases, "RegionSize"))
        regions = self.boxes if has_known_regions and not has_region_size else ()
        inner_ties = ties if ties == _DEFAULT_TIES else None
        return outside, replace(outside, regions=self._with_remaining(regions), ties=inner_ties)

    def _with_remaining(self, areas: Areas) -> Areas:
        """These areas, and all other cells, also those outside the grid, as one more area."""
        remaining = {*range(self.geometry.size)}.difference(*areas)
        return (*areas, tuple(sorted(remaining))) if areas and remaining else areas


class _ExtraGroup(NamedTuple):
    """A group of cells outside the grid.

    `width`: the number of columns of the group; 0 if it is as wide as the grid.
    """

    name: str
    size: int
    width: int = 0


class _Shape(NamedTuple):
    """The arguments of `.Shape`: the size of the grid, its values, and whether it is raw.

    In a raw grid, rows and columns may repeat values.
    """

    rows: int
    columns: int
    lowest: int
    value_count: int
    is_raw: bool

    @property
    def longer_side(self) -> int:
        return max(self.rows, self.columns)


def layout_of(phrases: Sequence[Phrase]) -> GridLayout:
    """Return the layout that phrases declare. Raises InvalidPuzzle.

    `phrases`: the constraints that are not inside `.Or`, `.And` or `.Replicate`.
    """
    for args in _arguments_of(phrases, "NoBoxes"):
        args.check_ended()
    shape = _parse_shape(phrases)
    size = _parse_region_size(phrases, shape)
    has_boxes = not any(_arguments_of(phrases, "NoBoxes")) and not shape.is_raw
    boxes = tuple(_boxes(shape, size)) if has_boxes else ()
    extra = [*_extra_groups(phrases, shape, boxes)]
    groups = tuple((group.name, group.size) for group in extra)
    square = _Shape(shape.longer_side, shape.longer_side, 1, shape.longer_side, is_raw=False)
    if shape == square and size == shape.longer_side and not groups:
        with_boxes = default_geometry(shape.longer_side)
        geometry = with_boxes if has_boxes else Geometry(1, with_boxes.side)
        units, rules = [], list[Rule]()
    else:
        widths = tuple(
            (group.name, group.width) for group in extra if group.width not in (0, shape.columns)
        )
        free = FreeGrid(shape.rows, shape.columns, shape.lowest, groups, widths)
        geometry = Geometry(1, shape.value_count, free_grid=free)
        units = [] if shape.is_raw else [*_units(geometry, boxes)]
        rules = [*units]
    _check_raw_grid(phrases, shape)
    regions = tuple(_jigsaw_regions(phrases, shape, size))
    rules += map(Region, regions)
    for args in _arguments_of(phrases, "RegionSameValues"):
        args.check_ended()
        areas = [*regions, *(unit.cells for unit in units)]
        largest_size = max(map(len, areas), default=0)
        largest = tuple(area for area in areas if len(area) == largest_size)
        if 0 < largest_size < shape.value_count and len(largest) > 1:
            rules.append(SameRegions(largest))
    rules += _windows(phrases, shape, size)
    rules += _disjoint_groups(phrases, geometry, shape, boxes)
    rules += _extra_cell_rules(phrases, geometry, boxes, size)
    return GridLayout(phrases, geometry, boxes, regions, rules)


def _arguments_of(phrases: Sequence[Phrase], name: str) -> Iterator[Arguments]:
    """The arguments of each phrase whose type is `name`."""
    return (Arguments(phrase, Context()) for phrase in phrases if phrase.name == name)


def _single_arguments(phrases: Sequence[Phrase], name: str) -> Arguments | None:
    """The arguments of the phrase whose type is `name`, or None.

    Raises InvalidPuzzle if there are several.
    """
    matches = [*_arguments_of(phrases, name)]
    for another in matches[1:]:
        raise another.wrong(another.type, f"a single '.{name}'")
    return matches[0] if matches else None


def _parse_shape(phrases: Sequence[Phrase]) -> _Shape:
    args = _single_arguments(phrases, "Shape")
    if args is None:
        return _Shape(9, 9, 1, 9, is_raw=False)
    expected = f"rows and columns, '1x2' to '{MAX_SIZE}x{MAX_SIZE}'"
    size = args.next(expected)
    match = _SIZE.fullmatch(size.text)
    rows, columns = map(int, match.groups()) if match else (0, 0)
    if match is None or not 2 <= max(rows, columns) <= MAX_SIZE:
        raise args.wrong(size, expected)
    values = args.next("values") if args.has_more() else None
    is_raw = args.has_more()
    if is_raw and (word := args.next(_RAW)).text != _RAW:
        raise args.wrong(word, f"'{_RAW}' or the end")
    args.check_ended()
    lowest, value_count = 1, max(rows, columns)
    if values and values.text:
        ends = _VALUES.fullmatch(values.text)
        lowest = int(ends[1] or 1) if ends else 1
        value_count = int(ends[2]) - (lowest - 1 if ends[1] else 0) if ends else 0
        minimum = MIN_SIDE if is_raw else max(rows, columns)
        if not minimum <= value_count <= MAX_SIZE:
            expected = (
                f"a number of values, {minimum} to {MAX_SIZE}, "
                "or the first and last value, such as '0-9'"
            )
            raise args.wrong(values, expected)
    return _Shape(rows, columns, lowest, value_count, is_raw)


def _parse_region_size(phrases: Sequence[Phrase], shape: _Shape) -> int:
    args = _single_arguments(phrases, "RegionSize")
    if args is None:
        return shape.longer_side
    size = args.number(1, shape.value_count)
    args.check_ended()
    return size


def _extra_groups(phrases: Sequence[Phrase], shape: _Shape, boxes: Areas) -> Iterator[_ExtraGroup]:
    """Yield the groups of cells outside the grid."""
    total, names = 0, set[str]()
    for args in _arguments_of(phrases, "Var"):
        group = _parse_var(args, names)
        names.add(group.name)
        total += group.size
        if total > MAX_EXTRA_CELLS:
            raise args.wrong(
                args.type, f"at most {MAX_EXTRA_CELLS} cells outside the grid in total"
            )
        yield group
    if _single_arguments(phrases, "ChaosConstruction"):
        yield _ExtraGroup(REGIONS, shape.rows * shape.columns)
    if _single_arguments(phrases, "Doppelganger"):
        yield from (_ExtraGroup(name, shape.longer_side) for name in _MISSING[:2])
        if boxes:
            columns = {cell % shape.columns for cell in boxes[0]}
            yield _ExtraGroup(_MISSING[2], shape.longer_side, len(columns))


def _parse_var(args: Arguments, names: Collection[str]) -> _ExtraGroup:
    """Parse a `.Var`, which declares one cell, a number of cells, or rows and columns of cells.

    `names`: the names of the groups that earlier `.Var` phrases declare.
    """
    expected = "a name of 1 to 8 letters A-Z that no other '.Var' has"
    word = args.next(expected)
    name = f"V{word.text}"
    if _VAR_NAME.fullmatch(word.text) is None or name in names:
        raise args.wrong(word, expected)
    size, width = 1, 0
    if args.has_more():
        args.next("a label")
    if args.has_more():
        number = args.next("a number")
        if match := _ROWS_COLUMNS.fullmatch(number.text):
            rows, width = map(int, match.groups())
            size = rows * width
            if size > MAX_EXTRA_CELLS or width > MAX_SIDE:
                expected = f"at most {MAX_SIDE} columns and {MAX_EXTRA_CELLS} cells"
                raise args.wrong(number, expected)
        else:
            size = args.number_in(number, 1, MAX_EXTRA_CELLS)
    args.check_ended()
    return _ExtraGroup(name, size, width)


def _boxes(shape: _Shape, size: int) -> Iterator[tuple[int, ...]]:
    """Yield the boxes of `size` cells that fill the grid; none if no box fits."""
    if box := _box_shape(shape, size):
        for corner in product(range(0, shape.rows, box[0]), range(0, shape.columns, box[1])):
            yield _rectangle(shape, corner, box)


def _box_shape(shape: _Shape, size: int) -> tuple[int, int] | None:
    """The height and width of boxes of `size` cells; None if no box fits.

    Boxes are as square as possible, and preferably wider than tall.
    """
    for small in range(isqrt(size), 1, -1):
        large, rest = divmod(size, small)
        for height, width in ((small, large), (large, small)):
            if not (rest or shape.rows % height or shape.columns % width):
                return height, width
    return None


def _rectangle(shape: _Shape, corner: RowColumn, extent: RowColumn) -> tuple[int, ...]:
    """The cells of a rectangle.

    - `corner`: the row and column of its top left cell, counted from 0.
    - `extent`: its height and width.
    """
    (top, left), (height, width) = corner, extent
    return tuple(
        row * shape.columns + column
        for row in range(top, top + height)
        for column in range(left, left + width)
    )


def _windows(phrases: Sequence[Phrase], shape: _Shape, size: int) -> Iterator[Rule]:
    """Yield the rules of `.Windoku`; none if no box fits.

    Its windows are as large as boxes, and one cell apart.
    """
    for args in _arguments_of(phrases, "Windoku"):
        is_allowed_size = size != shape.longer_side or shape.value_count == shape.longer_side
        if shape.is_raw or shape.rows != shape.columns or not is_allowed_size:
            expected = "a square grid that is not 'Raw', with as many values as rows"
            raise args.wrong(args.type, expected)
        box = _box_shape(shape, size)
        if shape.rows == 9 and box == (3, 3):
            yield Windoku()
        elif box:
            height, width = box
            lefts = range(1, shape.columns - width, width + 1)
            for left, top in product(lefts, range(1, shape.rows - height, height + 1)):
                yield ExtraRegion(_rectangle(shape, (top, left), box))


def _disjoint_groups(
    phrases: Sequence[Phrase], geometry: Geometry, shape: _Shape, boxes: Areas
) -> Iterator[Rule]:
    """Yield the rule of `.DisjointSets`."""
    for args in _arguments_of(phrases, "DisjointSets"):
        if shape.rows != shape.columns or not boxes:
            raise args.wrong(args.type, "a square grid with boxes")
        yield DisjointGroups(boxes if geometry.free_grid else ())


def _units(geometry: Geometry, boxes: Areas) -> Iterator[Unit]:
    """Yield a rule for each row, column and box of more than one cell."""
    kinds = {"row": geometry.rows(), "column": geometry.columns(), "box": iter(boxes)}
    for kind, areas in kinds.items():
        yield from (Unit(area, kind) for area in areas if len(area) > 1)


def _check_raw_grid(phrases: Sequence[Phrase], shape: _Shape) -> None:
    """Raise InvalidPuzzle for rules about neighbours in a raw grid.

    Rows and columns of a raw grid may repeat values. In such a grid, the ISS program treats equal
    neighbours differently from its documentation.
    """
    for name in ("AntiKing", "AntiConsecutive") if shape.is_raw else ():
        for args in _arguments_of(phrases, name):
            raise args.wrong(args.type, "a grid whose '.Shape' is not 'Raw'")


def _jigsaw_regions(
    phrases: Sequence[Phrase], shape: _Shape, size: int
) -> Iterator[tuple[int, ...]]:
    """Yield the regions of all `.Jigsaw` phrases, each of `size` cells.

    In a jigsaw, all cells outside its regions share one character.
    """
    cell_count = shape.rows * shape.columns
    for args in _arguments_of(phrases, "Jigsaw"):
        if size > shape.value_count:
            raise args.wrong(args.type, f"'.RegionSize' with at most {shape.value_count} cells")
        expected = f"{cell_count} characters, {size} for each region"
        labels = args.next(expected)
        if args.has_more():  # older constraint strings begin with the shape
            name = f"{shape.rows}x{shape.columns}"
            if labels.text != name:
                raise args.wrong(labels, f"'{name}', or {expected}")
            labels = args.next(expected)
        args.check_ended()
        if len(labels.text) != cell_count:
            raise args.wrong(labels, expected)
        groups = groups_of(labels.text)
        irregular = [group for group in groups if len(group) != size]
        misfits = [
            group for group in irregular if shape.longer_side <= len(group) <= shape.value_count
        ]
        if len(groups) > 1 and (len(irregular) > 1 or misfits):
            raise args.wrong(labels, f"{expected}; all other cells share one character")
        yield from (group for group in groups if len(group) == size)


def _extra_cell_rules(
    phrases: Sequence[Phrase], geometry: Geometry, boxes: Areas, size: int
) -> Iterator[Rule]:
    """Yield the rules of `.ChaosConstruction` and `.Doppelganger`, which add extra cells."""
    if args := _single_arguments(phrases, "ChaosConstruction"):
        args.check_ended()
        assert geometry.free_grid  # noqa: S101 - with extra cells, the grid is free
        region_count, rest = divmod(geometry.grid_size, size)
        if size < 2 or rest or max(region_count, size) > geometry.side:
            expected = f"a grid that divides into at most {geometry.side} regions of {size} cells"
            if size > geometry.side:
                expected = f"'.RegionSize' with at most {geometry.side} cells"
            raise args.wrong(args.type, expected)
        yield ChaosConstruction(tuple(geometry.free_grid.cells_of_group(REGIONS)), size)
    if args := _single_arguments(phrases, "Doppelganger"):
        args.check_ended()
        assert geometry.free_grid  # noqa: S101 - with extra cells, the grid is free
        n = geometry.side - 1
        if (
            geometry.lowest
            or not n == geometry.free_grid.rows == geometry.free_grid.columns == size
        ):
            expected = "a grid of n×n cells with regions of n cells and the values 0 to n"
            raise args.wrong(args.type, expected)
        kinds = [[*geometry.rows()], [*geometry.columns()], [*boxes]]
        missing = [
            geometry.free_grid.cells_of_group(name)
            for name, _ in geometry.free_grid.groups
            if name in _MISSING
        ]
        yield Doppelganger(
            tuple(unit for kind in kinds for unit in kind),
            tuple(cell for group in missing for cell in group),
            tuple(len(kind) for kind in kinds if kind),
        )
