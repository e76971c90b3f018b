"""The grid of a text: shape, values, boxes, jigsaw regions, and cells outside the grid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isqrt
from typing import NamedTuple

from pipeline.puzzle.geometry import MAX_EXTRA_CELLS, FreeGrid, Geometry, usual_boxes
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules.free import (
    REGIONS,
    ChaosConstruction,
    Doppelganger,
    SameRegions,
    Unit,
)
from pipeline.puzzle.rules.regions import Region
from pipeline.reading.formats.iss.codecs import ties_of
from pipeline.reading.formats.iss.machines import Work
from pipeline.reading.formats.iss.phrases import Arguments, Context, Phrase
from pipeline.reading.formats.variants import groups_of

LARGEST = 16
"""Maximum number of rows, columns and values."""

_SIZE = re.compile(r"([1-9]\d?)x([1-9]\d?)", re.ASCII)
_VALUES = re.compile(r"(?:([01])-)?(\d{1,2})", re.ASCII)
_PREFIX = re.compile(r"[A-Z]{1,8}", re.ASCII)
_RAW = "Raw"
_USUAL_TIES = "only-unclued"
_MISSING = ("DGC", "DGR", "DGB")
"""The groups of extra cells for the values missing from rows, columns and boxes."""

Areas = tuple[tuple[int, ...], ...]


class GridLayout(NamedTuple):
    """The geometry of a text, its boxes, its jigsaw regions, and the rules of both.

    `phrases` are the phrases outside of groups.
    """

    phrases: Sequence[Phrase]
    geometry: Geometry
    boxes: Areas
    chunks: Areas
    rules: list[Rule]

    def contexts(self, work: Work) -> tuple[Context, Context]:
        """The contexts of phrases outside and inside of groups."""
        remaining = {*range(self.geometry.grid_size)}.difference(*self.chunks)
        around = (*self.chunks, tuple(remaining)) if self.chunks and remaining else self.chunks
        ties = _USUAL_TIES
        for args in _of(self.phrases, "FullRankTies"):
            ties = ties_of(args)
        regions = () if self.chunks and self.boxes else self.boxes or around
        outside = Context(self.geometry, regions, ties, work)
        has_boxes = not self.chunks and not any(_of(self.phrases, "RegionSize"))
        regions = self.boxes if has_boxes else ()
        known_ties = ties if ties == _USUAL_TIES else None
        return outside, replace(outside, regions=regions, ties=known_ties)


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
    """The layout given by the phrases outside of groups. Raises InvalidPuzzle."""
    for args in _of(phrases, "NoBoxes"):
        args.check_ended()
    shape = _shape(phrases)
    size = _region_size(phrases, shape)
    has_boxes = not any(_of(phrases, "NoBoxes")) and not shape.is_raw
    boxes = tuple(_boxes(shape, size)) if has_boxes else ()
    groups = tuple(_groups(phrases, shape, has_boxes=bool(boxes)))
    plain = _Shape(shape.largest, shape.largest, 1, shape.largest, is_raw=False)
    if shape == plain and size == shape.largest and not groups:
        usual = usual_boxes(shape.largest)
        geometry = usual if has_boxes else Geometry(1, usual.side)
        units, rules = [], list[Rule]()
    else:
        free = FreeGrid(shape.rows, shape.columns, shape.lowest, groups)
        geometry = Geometry(1, shape.number, free=free)
        units = [] if shape.is_raw else [*_units(geometry, boxes)]
        rules = [*units]
    _check_rows(phrases, shape)
    chunks = tuple(_jigsaw_regions(phrases, shape, size))
    rules += map(Region, chunks)
    for args in _of(phrases, "RegionSameValues"):
        args.check_ended()
        areas = [*chunks, *(unit.group for unit in units)]
        largest_size = max(map(len, areas), default=0)
        largest = tuple(area for area in areas if len(area) == largest_size)
        if 0 < largest_size < shape.number and len(largest) > 1:
            rules.append(SameRegions(largest))
    rules += _about_regions(phrases, geometry, boxes, size)
    return GridLayout(phrases, geometry, boxes, chunks, rules)


def _of(phrases: Sequence[Phrase], name: str) -> Iterator[Arguments]:
    """The arguments of each phrase of that type."""
    return (Arguments(phrase, Context()) for phrase in phrases if phrase.name == name)


def _only(phrases: Sequence[Phrase], name: str) -> Arguments | None:
    """The arguments of the phrase of that type, or None. Raises InvalidPuzzle for several."""
    matches = [*_of(phrases, name)]
    for another in matches[1:]:
        raise another.wrong(another.type, f"a single '.{name}'")
    return matches[0] if matches else None


def _shape(phrases: Sequence[Phrase]) -> _Shape:
    args = _only(phrases, "Shape")
    if args is None:
        return _Shape(9, 9, 1, 9, is_raw=False)
    expected = f"rows and columns, '1x2' to '{LARGEST}x{LARGEST}'"
    size = args.next(expected)
    match = _SIZE.fullmatch(size.text)
    rows, columns = map(int, match.groups()) if match else (0, 0)
    if match is None or not 2 <= max(rows, columns) <= LARGEST:
        raise args.wrong(size, expected)
    lowest, number = 1, max(rows, columns)
    if args.has_more() and (word := args.next("values")).text:
        values = _VALUES.fullmatch(word.text)
        lowest = int(values[1] or 1) if values else 1
        number = int(values[2]) - (lowest - 1 if values[1] else 0) if values else 0
        if not max(rows, columns) <= number <= LARGEST:
            minimum, maximum = max(rows, columns), LARGEST
            expected = (
                f"the number of values, {minimum} to {maximum}, or the first and the last, '0-9'"
            )
            raise args.wrong(word, expected)
    is_raw = args.has_more()
    if is_raw and (word := args.next(_RAW)).text != _RAW:
        raise args.wrong(word, f"'{_RAW}' or the end")
    args.check_ended()
    return _Shape(rows, columns, lowest, number, is_raw)


def _region_size(phrases: Sequence[Phrase], shape: _Shape) -> int:
    args = _only(phrases, "RegionSize")
    if args is None:
        return shape.largest
    size = args.number(1, shape.number)
    args.check_ended()
    return size


def _groups(
    phrases: Sequence[Phrase], shape: _Shape, *, has_boxes: bool
) -> Iterator[tuple[str, int]]:
    """Names and sizes of the groups of cells outside the grid."""
    total, names = 0, set[str]()
    for args in _of(phrases, "Var"):
        expected = "a name of letters that no other '.Var' has"
        word = args.next(expected)
        name = f"V{word.text}"
        if _PREFIX.fullmatch(word.text) is None or name in names:
            raise args.wrong(word, expected)
        names.add(name)
        if args.has_more():
            args.next("a label")
        size = args.number(1, MAX_EXTRA_CELLS) if args.has_more() else 1
        args.check_ended()
        total += size
        if total > MAX_EXTRA_CELLS:
            raise args.wrong(args.type, f"at most {MAX_EXTRA_CELLS} cells outside the grid")
        yield name, size
    if _only(phrases, "ChaosConstruction"):
        yield REGIONS, shape.rows * shape.columns
    if _only(phrases, "Doppelganger"):
        yield from ((name, shape.largest) for name in _MISSING[: 3 if has_boxes else 2])


def _boxes(shape: _Shape, size: int) -> Iterator[tuple[int, ...]]:
    """The boxes of `size` cells that fill the grid: the squarest ones, wide rather than high."""
    rows, columns = shape.rows, shape.columns
    for small in range(isqrt(size), 1, -1):
        large, rest = divmod(size, small)
        for height, width in ((small, large), (large, small)):
            if rest or rows % height or columns % width:
                continue
            for top in range(0, rows, height):
                for left in range(0, columns, width):
                    yield tuple(
                        row * columns + column
                        for row in range(top, top + height)
                        for column in range(left, left + width)
                    )
            return


def _units(geometry: Geometry, boxes: Areas) -> Iterator[Unit]:
    """The rows, columns and boxes of more than one cell."""
    kinds = {"row": geometry.rows(), "column": geometry.columns(), "box": iter(boxes)}
    for kind, areas in kinds.items():
        yield from (Unit(area, kind) for area in areas if len(area) > 1)


def _check_rows(phrases: Sequence[Phrase], shape: _Shape) -> None:
    """Raise InvalidPuzzle for types about neighbours in a grid without rows and columns.

    In such grids, the ISS program treats equal neighbours differently from its documentation.
    """
    for name in ("AntiKing", "AntiConsecutive") if shape.is_raw else ():
        for args in _of(phrases, name):
            raise args.wrong(args.type, "a grid with rows and columns")


def _jigsaw_regions(
    phrases: Sequence[Phrase], shape: _Shape, size: int
) -> Iterator[tuple[int, ...]]:
    """The regions of all jigsaws; cells outside of regions share one sign."""
    number = shape.rows * shape.columns
    for args in _of(phrases, "Jigsaw"):
        expected = f"{number} signs, {size} for each region"
        signs = args.next(expected)
        if args.has_more():  # an old text, with the shape
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
            raise args.wrong(signs, f"{expected}, and other cells of one sign")
        yield from (group for group in groups if len(group) == size)


def _about_regions(
    phrases: Sequence[Phrase], geometry: Geometry, boxes: Areas, size: int
) -> Iterator[Rule]:
    if args := _only(phrases, "ChaosConstruction"):
        args.check_ended()
        assert geometry.free  # noqa: S101 - it has the region labels
        if size < 2 or geometry.grid_size % size or geometry.grid_size // size > geometry.side:
            expected = f"cells that make up regions of {size}, at most {geometry.side} regions"
            raise args.wrong(args.type, expected)
        yield ChaosConstruction(tuple(geometry.free.group(REGIONS)), size)
    if args := _only(phrases, "Doppelganger"):
        args.check_ended()
        assert geometry.free  # noqa: S101 - it has the cells for missing values
        n = geometry.side - 1
        if geometry.lowest or not n == geometry.free.rows == geometry.free.columns == size:
            raise args.wrong(args.type, "a square grid of n×n cells with the values 0 to n")
        kinds = [[*geometry.rows()], [*geometry.columns()], [*boxes]]
        missing = [
            geometry.free.group(name) for name, _ in geometry.free.groups if name in _MISSING
        ]
        yield Doppelganger(
            tuple(unit for kind in kinds for unit in kind),
            tuple(cell for group in missing for cell in group),
            tuple(len(kind) for kind in kinds if kind),
        )
