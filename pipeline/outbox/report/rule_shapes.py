"""Draw the rules of a puzzle as SVG, below and above the lines of its grid.

`board.css` is the style sheet of boards, and `shapes.css` has a CSS rule for each kind of shape.
Colours of shapes have medium lightness and are half transparent, to suit light and dark
backgrounds. A line of the kind `renban` has the classes `line` and `renban-line`; other shapes have
similar classes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import dist
from pathlib import Path
from typing import Any, Final

from pipeline.outbox.report.outlines import CELL, outline
from pipeline.outbox.report.shape_paths import (
    DIAMOND_RADIUS,
    RING_RADIUS,
    ShapeStyle,
    css_class,
    draw_shapes,
    svg_path,
    svg_texts,
)
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

_CORNER_TEXT_POINT: Final = (1.8, 6.4)
_TIGHT_CORNER_TEXT_POINT: Final = (1.5, 4.7)
"""The x and y, in a cell, of a text in the corner of the cell: usually, and above candidates."""

_MAX_CORNER_CHARACTERS = 5
"""Maximum length of a text in a corner; longer ones are written in smaller letters."""

_CORNER_TEXT_SHIFT = 5.8
"""How far a text in a corner is moved to the right if a large dot covers the corner."""

_CLUE_RADIUS = 8
"""The distance from the point of a clue to the edge of its text."""

_MAX_STACKED_CLUES = 3
"""Maximum number of clues outside one border cell. Each is placed farther out than the one before;
further clues cover the last one."""

ShapeKind = tuple[type[Shape], str]
"""A class of shapes, and a kind of this class, such as `renban` for lines."""

_SHAPES: Final[tuple[type[Shape], ...]] = (Tint, Line, Outline, Ring, Dot, Label)
_FOLDER = Path(__file__).parent
_CSS_RULES: Final = (_FOLDER / "shapes.css").read_text(encoding="utf-8").splitlines(keepends=True)
_CSS_CLASS = re.compile(r"\.board \.([\w-]+) \{")
"""Matches the start of a CSS rule, with the class to which the rule applies."""

BOARD_STYLE: Final = (_FOLDER / "board.css").read_text(encoding="utf-8")
"""The style sheet for boards without shapes."""


def _read_shape_kinds() -> list[ShapeKind]:
    """Read the kinds of shapes from `shapes.css`, in the order of its rules."""
    names = [match[1] for rule in _CSS_RULES if (match := _CSS_CLASS.match(rule))]
    return [
        (shape, name.removesuffix(f"-{css_class(shape)}"))
        for name in names
        for shape in _SHAPES
        if name.endswith(f"-{css_class(shape)}")
    ]


SHAPE_KINDS: Final = _read_shape_kinds()
"""The kinds of all shapes, in drawing order."""


def style_sheet_for(kinds: Collection[ShapeKind]) -> str:
    """The CSS rules for shapes of these kinds; empty without kinds."""
    used, known = (
        {
            name
            for kind in styles
            for name in (css_class(kind[0]), css_class(*kind), f"in-{kind[1]}")
        }
        for styles in (kinds, SHAPE_KINDS)
    )
    rules = []
    for rule in _CSS_RULES if kinds else ():
        match = _CSS_CLASS.match(rule)
        if not rule.endswith("{ }\n") and (not match or match[1] in used or match[1] not in known):
            rules.append(rule)
    return "".join(rules)


SHAPES_STYLE: Final = style_sheet_for(SHAPE_KINDS)
"""The style sheet for shapes of all kinds."""


_REGION, _BROKEN_REGION = (ShapeStyle(Outline, "region", broken) for broken in (False, True))
"""The styles of the borders of regions, for regions without and with conflict. The grid draws these
borders."""
_STYLES: Final = [
    ShapeStyle(shape, kind, broken, faint)
    for shape, kind in SHAPE_KINDS
    for broken in (False, True)
    for faint in (True, False)
]
"""All styles, in drawing order."""


@dataclass(frozen=True, slots=True)
class RuleShapes:
    """The shapes of a puzzle's rules by style, and the `extent` of the drawn grid."""

    extent: tuple[int, int]
    shapes: Mapping[ShapeStyle, Sequence[Any]]

    @classmethod
    def of(
        cls, puzzle: Puzzle, in_conflict: Collection[int], extent: tuple[int, int]
    ) -> RuleShapes:
        """Draw a puzzle's rules as shapes. `in_conflict`: the indices of the rules in conflict."""
        shapes: defaultdict[ShapeStyle, list[Shape]] = defaultdict(list)
        used_points = set[Point]()
        for index, rule in enumerate(puzzle.rules):
            for shape in _clip_to_rings([*rule.draw(puzzle.geometry)]):
                moved = shape
                if isinstance(shape, Label):
                    moved = replace(shape, point=_take_point(shape.point, extent, used_points))
                broken = index in in_conflict
                shapes[ShapeStyle(type(shape), shape.kind, broken, rule.is_faint)].append(moved)
        return cls(extent, shapes)

    @property
    def kinds(self) -> set[ShapeKind]:
        return {(style.shape, style.kind) for style in self.shapes}

    @property
    def regions(self) -> tuple[tuple[Place, ...], ...]:
        """The cells of each region whose border is drawn like the border of a box."""
        styles = (_REGION, _BROKEN_REGION)
        return tuple(shape.cells for style in styles for shape in self.shapes.get(style, ()))

    @property
    def margins(self) -> tuple[int, int, int, int]:
        """The space for clues above, right of, below and left of the grid, in SVG units."""
        styles = (style for style in self.shapes if style.shape is Label)
        points = [shape.point for style in styles for shape in self.shapes[style]] or [(1, 1)]
        rows, columns = zip(*points, strict=True)
        height, width = self.extent
        right, below = max(columns) - width, max(rows) - height
        return _margin(1 - min(rows)), _margin(right), _margin(below), _margin(1 - min(columns))

    def elements_below(self) -> Iterator[str]:
        """Yield the SVG elements that are drawn before the lines of the grid."""
        broken = self.shapes.get(_BROKEN_REGION, ())
        yield svg_path("tint broken", (outline(region.cells, 0) for region in broken))
        yield from self._elements(Tint, Line)

    def elements_above(self, *, has_candidates: bool = False) -> Iterator[str]:
        """Yield the SVG elements that are drawn after the lines of the grid.

        `has_candidates`: keep texts in corners small, because cells have candidates.
        """
        yield from self._elements(Outline, Ring)
        yield from self._corner_texts(is_tight=has_candidates)
        yield from self._elements(Dot, Label)

    @property
    def has_corner_texts(self) -> bool:
        """Whether any cell has a text in its top left corner."""
        return any(True for _ in self._outlines_with_text())

    def _outlines_with_text(self) -> Iterator[tuple[ShapeStyle, Outline]]:
        for style in _STYLES:
            if style.shape is Outline:
                for shape in self.shapes.get(style, ()):
                    if shape.text and shape.cells:
                        yield style, shape

    def _corner_texts(self, *, is_tight: bool) -> Iterator[str]:
        """Write the texts of outlines, each in the first cell of its outline.

        Texts in one cell are joined. A text gives way to a large dot at the corner of its cell.
        """
        texts: defaultdict[Place, list[str]] = defaultdict(list)
        styles: defaultdict[Place, list[ShapeStyle]] = defaultdict(list)
        for style, shape in self._outlines_with_text():
            texts[min(shape.cells)].append(shape.text)
            styles[min(shape.cells)].append(style)
        dots = {
            shape.point
            for style, shapes in self.shapes.items()
            if style.kind == "quadruple"
            for shape in shapes
        }
        by_class: defaultdict[str, list[tuple[Point, str]]] = defaultdict(list)
        for (row, column), parts in texts.items():
            x, y = _TIGHT_CORNER_TEXT_POINT if is_tight else _CORNER_TEXT_POINT
            x += _CORNER_TEXT_SHIFT if (row - 0.5, column - 0.5) in dots else 0
            styles_here = styles[row, column]
            broken = any(style.is_broken for style in styles_here)
            faint = all(style.is_faint for style in styles_here)
            text = "/".join(parts)
            size = "tight" if is_tight else "long" if len(text) > _MAX_CORNER_CHARACTERS else ""
            names = filter(None, ("corner", size))
            classes = ShapeStyle(Outline, "", broken, faint).with_flags(*names)
            point = ((column - 1) * CELL + x, (row - 1) * CELL + y)
            by_class[classes].append((point, text))
        for classes, placed in by_class.items():
            yield svg_texts(classes, placed)

    def _elements(self, *types: type[Shape]) -> Iterator[str]:
        """Yield the SVG elements of all shapes of these classes, except regions."""
        for style in _STYLES:
            if style in self.shapes and style.shape in types and style.kind != "region":
                yield from draw_shapes(style, self.shapes[style])


def _margin(cells: float) -> int:
    """The width of a margin for clues up to `cells` cells outside the grid, in SVG units."""
    return round((cells - 0.5) * CELL) + _CLUE_RADIUS if cells > 0.5 else 0


def _clip_to_rings(shapes: Sequence[Shape]) -> Iterator[Shape]:
    """Yield the shapes of a rule, with its lines cut off where they enter its rings."""
    rings = {
        point: (DIAMOND_RADIUS if shape.kind == "lockout" else RING_RADIUS) / CELL
        for shape in shapes
        if isinstance(shape, Ring)
        for point in shape.points
    }
    for shape in shapes:
        if rings and isinstance(shape, Line):
            turned = _clip_start(shape.points, rings)[::-1]
            yield replace(shape, points=_clip_start(turned, rings)[::-1])
        else:
            yield shape


def _clip_start(points: tuple[Point, ...], rings: Mapping[Point, float]) -> tuple[Point, ...]:
    """Cut off the part of a line inside the ring in which the line begins.

    `rings` maps the centre of each ring to its radius, in cells.
    """
    while len(points) > 2 and points[0] in rings and points[1] in rings:
        points = points[1:]
    if len(points) < 2 or points[0] not in rings or points[0] == points[1]:
        return points
    (row, column), (next_row, next_column) = points[:2]
    part = rings[points[0]] / dist(*points[:2])
    return ((row + (next_row - row) * part, column + (next_column - column) * part), *points[1:])


def _take_point(point: Point, extent: tuple[int, int], used_points: set[Point]) -> Point:
    """Choose the point where a clue is drawn, and add it to `used_points`.

    A clue inside the grid stays at `point`. A clue outside the grid moves outwards while its point
    is used, by up to _MAX_STACKED_CLUES - 1 cells.
    """
    down, right = (
        (coordinate > length + 0.5) - (coordinate < 0.5)
        for coordinate, length in zip(point, extent, strict=True)
    )
    for _ in range(_MAX_STACKED_CLUES - 1):
        if not (down or right) or point not in used_points:
            break
        point = (point[0] + down, point[1] + right)
    used_points.add(point)
    return point
