"""The grid of a text: shape, values, boxes, jigsaw regions, and cells outside the grid."""

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
    usual_boxes,
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
from pipeline.reading.formats.iss.machines import Work
from pipeline.reading.formats.iss.phrases import Arguments, Context, Phrase
from pipeline.reading.formats.variants import RowColumn, groups_of

MAX_SIZE = 16
"""Maximum number of rows, columns and values."""

_SIZE = re.compile(r"([1-9]\d?)x([1-9]\d?)", re.ASCII)
_VALUES = re.compile(r"(?:([01])-)?(\d{1,2})", re.ASCII)
_ROWS_COLUMNS = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})", re.ASCII)
_PREFIX = re.compile(r"[A-Z]{1,8}", re.ASCII)
_RAW = "Raw"
_USUAL_TIES = "only-unclued"
_MISSING = ("DGC", "DGR", "DGB")
"""The groups of extra cells for the values that rows, columns and boxes lack."""

Areas = tuple[tuple[int, ...], ...]


class GridLayout(NamedTuple):
    """The geometry of a text, its boxes, its jigsaw regions, and their rules.

    `phrases` are the phrases outside of groups.
    """

    phrases: Sequence[Phrase]
    geometry: Geometry
    boxes: Areas
    jigsaw_regions: Areas
    rules: list[Rule]

    def contexts(self, work: Work) -> tuple[Context, Context]:
        """The contexts of phrases outside groups and inside groups."""
        ties_args = _single_arguments(self.phrases, "FullRankTies")
        ties = ties_of(ties_args) if ties_args else _USUAL_TIES
        is_free = self.geometry.free_grid is not None
        has_units = not is_free or any(isinstance(rule, Unit) for rule in self.rules)
        has_known_regions = not any(_arguments_of(self.phrases, "ChaosConstruction"))
        regions = (self.boxes or self.jigsaw_regions) if has_known_regions else ()
        outside = Context(self.geometry, self._with_remaining(regions), ties, work, has_units)
        if not any(isinstance(rule, Windoku | ExtraRegion) for rule in self.rules):
            for args in _arguments_of(self.phrases, "Windoku"):
                outside.unread[args.type.line, f".{args.phrase.name}"] = None  # it has no windows
        has_region_size = any(_arguments_of(self.phrases, "RegionSize"))
        regions = self.boxes if has_known_regions and not has_region_size else ()
        known_ties = ties if ties == _USUAL_TIES else None
        return outside, replace(outside, regions=self._with_remaining(regions), ties=known_ties)

    def _with_remaining(self, areas: Areas) -> Areas:
        """These areas, and all other cells, also those outside the grid, as one more area."""
        remaining = {*range(self.geometry.size)}.difference(*areas)
        return (*areas, tuple(sorted(remaining))) if areas and remaining else areas


class _Group(NamedTuple):
    """A group of cells outside the grid.

    `width` is the number of its columns; 0 if it has as many as the grid.
    """

    name: str
    size: int
    width: int = 0


class _Shape(NamedTuple):
    rows: int
    columns: int
    lowest: int
    number: int
    is_raw: bool

    @property
    def largest(self) -> int:
        return max(self.rows, self.columns)


def layout_of(phrases: Sequence[Phrase]) -> GridLayout:
    """The layout that the phrases outside groups declare. Raises InvalidPuzzle."""
    for args in _arguments_of(phrases, "NoBoxes"):
        args.check_ended()
    shape = _parse_shape(phrases)
    size = _parse_region_size(phrases, shape)
    has_boxes = not any(_arguments_of(phrases, "NoBoxes")) and not shape.is_raw
    boxes = tuple(_boxes(shape, size)) if has_boxes else ()
    extra = [*_groups(phrases, shape, boxes)]
    groups = tuple((group.name, group.size) for group in extra)
    plain = _Shape(shape.largest, shape.largest, 1, shape.largest, is_raw=False)
    if shape == plain and size == shape.largest and not groups:
        usual = usual_boxes(shape.largest)
        geometry = usual if has_boxes else Geometry(1, usual.side)
        units, rules = [], list[Rule]()
    else:
        widths = tuple(
            (group.name, group.width) for group in extra if group.width not in (0, shape.columns)
        )
        free = FreeGrid(shape.rows, shape.columns, shape.lowest, groups, widths)
        geometry = Geometry(1, shape.number, free_grid=free)
        units = [] if shape.is_raw else [*_units(geometry, boxes)]
        rules = [*units]
    _check_rows(phrases, shape)
    regions = tuple(_jigsaw_regions(phrases, shape, size))
    rules += map(Region, regions)
    for args in _arguments_of(phrases, "RegionSameValues"):
        args.check_ended()
        areas = [*regions, *(unit.group for unit in units)]
        largest_size = max(map(len, areas), default=0)
        largest = tuple(area for area in areas if len(area) == largest_size)
        if 0 < largest_size < shape.number and len(largest) > 1:
            rules.append(SameRegions(largest))
    rules += _windows(phrases, shape, size)
    rules += _disjoint_groups(phrases, geometry, shape, boxes)
    rules += _region_group_rules(phrases, geometry, boxes, size)
    return GridLayout(phrases, geometry, boxes, regions, rules)


def _arguments_of(phrases: Sequence[Phrase], name: str) -> Iterator[Arguments]:
    """The arguments of each phrase of that type."""
    return (Arguments(phrase, Context()) for phrase in phrases if phrase.name == name)


def _single_arguments(phrases: Sequence[Phrase], name: str) -> Arguments | None:
    """The arguments of the phrase of that type, or None. Raises InvalidPuzzle for several."""
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
    lowest, number = 1, max(rows, columns)
    if values and values.text:
        ends = _VALUES.fullmatch(values.text)
        lowest = int(ends[1] or 1) if ends else 1
        number = int(ends[2]) - (lowest - 1 if ends[1] else 0) if ends else 0
        minimum = MIN_SIDE if is_raw else max(rows, columns)
        if not minimum <= number <= MAX_SIZE:
            expected = (
                f"the number of values, {minimum} to {MAX_SIZE}, or the first and the last, '0-9'"
            )
            raise args.wrong(values, expected)
    return _Shape(rows, columns, lowest, number, is_raw)


def _parse_region_size(phrases: Sequence[Phrase], shape: _Shape) -> int:
    args = _single_arguments(phrases, "RegionSize")
    if args is None:
        return shape.largest
    size = args.number(1, shape.number)
    args.check_ended()
    return size


def _groups(phrases: Sequence[Phrase], shape: _Shape, boxes: Areas) -> Iterator[_Group]:
    """The groups of cells outside the grid."""
    total, names = 0, set[str]()
    for args in _arguments_of(phrases, "Var"):
        group = _variables(args, names)
        names.add(group.name)
        total += group.size
        if total > MAX_EXTRA_CELLS:
            raise args.wrong(
                args.type, f"at most {MAX_EXTRA_CELLS} cells outside the grid in total"
            )
        yield group
    if _single_arguments(phrases, "ChaosConstruction"):
        yield _Group(REGIONS, shape.rows * shape.columns)
    if _single_arguments(phrases, "Doppelganger"):
        yield from (_Group(name, shape.largest) for name in _MISSING[:2])
        if boxes:
            columns = {cell % shape.columns for cell in boxes[0]}
            yield _Group(_MISSING[2], shape.largest, len(columns))


def _variables(args: Arguments, names: Collection[str]) -> _Group:
    """The cells that a `.Var` declares: one, a number of them, or rows and columns.

    `names` are those of earlier groups.
    """
    expected = "a name in letters that no other '.Var' has"
    word = args.next(expected)
    name = f"V{word.text}"
    if _PREFIX.fullmatch(word.text) is None or name in names:
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
    return _Group(name, size, width)


def _boxes(shape: _Shape, size: int) -> Iterator[tuple[int, ...]]:
    """The boxes of `size` cells that fill the grid, if any."""
    if box := _box_shape(shape, size):
        for corner in product(range(0, shape.rows, box[0]), range(0, shape.columns, box[1])):
            yield _rectangle(shape, corner, box)


def _box_shape(shape: _Shape, size: int) -> tuple[int, int] | None:
    """Rows and columns of a box: as square as possible, preferably wide; None if no box fits."""
    for small in range(isqrt(size), 1, -1):
        large, rest = divmod(size, small)
        for height, width in ((small, large), (large, small)):
            if not (rest or shape.rows % height or shape.columns % width):
                return height, width
    return None


def _rectangle(shape: _Shape, corner: RowColumn, extent: RowColumn) -> tuple[int, ...]:
    """The cells of a rectangle; its corner counts from 0."""
    (top, left), (height, width) = corner, extent
    return tuple(
        row * shape.columns + column
        for row in range(top, top + height)
        for column in range(left, left + width)
    )


def _windows(phrases: Sequence[Phrase], shape: _Shape, size: int) -> Iterator[Rule]:
    """The windows of `.Windoku`: as large as boxes, one cell apart; none if no box fits."""
    for args in _arguments_of(phrases, "Windoku"):
        is_usual = size != shape.largest or shape.number == shape.largest
        if shape.is_raw or shape.rows != shape.columns or not is_usual:
            expected = "a square grid with rows and columns, and as many values as rows"
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
    for args in _arguments_of(phrases, "DisjointSets"):
        if shape.rows != shape.columns or not boxes:
            raise args.wrong(args.type, "a square grid with boxes")
        yield DisjointGroups(boxes if geometry.free_grid else ())


def _units(geometry: Geometry, boxes: Areas) -> Iterator[Unit]:
    """The rows, columns and boxes of more than one cell."""
    kinds = {"row": geometry.rows(), "column": geometry.columns(), "box": iter(boxes)}
    for kind, areas in kinds.items():
        yield from (Unit(area, kind) for area in areas if len(area) > 1)


def _check_rows(phrases: Sequence[Phrase], shape: _Shape) -> None:
    """Raise InvalidPuzzle for rules about neighbours in a grid without rows and columns.

    In such grids, the ISS program treats equal neighbours differently from its documentation.
    """
    for name in ("AntiKing", "AntiConsecutive") if shape.is_raw else ():
        for args in _arguments_of(phrases, name):
            raise args.wrong(args.type, "a grid with rows and columns")


def _jigsaw_regions(
    phrases: Sequence[Phrase], shape: _Shape, size: int
) -> Iterator[tuple[int, ...]]:
    """The regions of all jigsaws; cells outside the regions share one character."""
    number = shape.rows * shape.columns
    for args in _arguments_of(phrases, "Jigsaw"):
        if size > shape.number:
            raise args.wrong(args.type, f"'.RegionSize' with at most {shape.number} cells")
        expected = f"{number} characters, {size} for each region"
        signs = args.next(expected)
        if args.has_more():  # older texts begin with the shape
            name = f"{shape.rows}x{shape.columns}"
            if signs.text != name:
                raise args.wrong(signs, f"'{name}', or {expected}")
            signs = args.next(expected)
        args.check_ended()
        if len(signs.text) != number:
            raise args.wrong(signs, expected)
        groups = groups_of(signs.text)
        irregular = [group for group in groups if len(group) != size]
        misfits = [group for group in irregular if shape.largest <= len(group) <= shape.number]
        if len(groups) > 1 and (len(irregular) > 1 or misfits):
            raise args.wrong(signs, f"{expected}; all other cells share one character")
        yield from (group for group in groups if len(group) == size)


def _region_group_rules(
    phrases: Sequence[Phrase], geometry: Geometry, boxes: Areas, size: int
) -> Iterator[Rule]:
    if args := _single_arguments(phrases, "ChaosConstruction"):
        args.check_ended()
        assert geometry.free_grid  # noqa: S101 - it has the region labels
        number, rest = divmod(geometry.grid_size, size)
        if size < 2 or rest or max(number, size) > geometry.side:
            expected = (
                f"a grid that divides into regions of {size} cells, at most {geometry.side} regions"
                f"{' and cells' if size > geometry.side else ''}"
            )
            raise args.wrong(args.type, expected)
        yield ChaosConstruction(tuple(geometry.free_grid.cells_of_group(REGIONS)), size)
    if args := _single_arguments(phrases, "Doppelganger"):
        args.check_ended()
        assert geometry.free_grid  # noqa: S101 - it has the cells for missing values
        n = geometry.side - 1
        if (
            geometry.lowest
            or not n == geometry.free_grid.rows == geometry.free_grid.columns == size
        ):
            raise args.wrong(args.type, "a square grid of n×n cells with the values 0 to n")
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
