"""Draw the rules of a puzzle as SVG, below and above the lines of its grid.

`board.css` is the style sheet of boards, and `shapes.css` has a CSS rule for each kind of shape.
Colours of shapes have medium lightness and are half transparent, to suit light and dark
backgrounds. A line of the kind `renban` has the classes `line` and `renban-line`; other shapes have
similar classes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import dist
from pathlib import Path
from typing import Any, Final

from pipeline.errors import printable
from pipeline.outbox.report.outlines import CELL, outline
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

_RING_RADIUS, _DIAMOND_RADIUS, _BULB_RADIUS, _ODD_RADIUS = 7.6, 9.2, 6.6, 7.5
"""Sizes of shapes; all lengths are in SVG units, CELL to a cell."""

_EVEN_INSET = 3
"""The distance between an even mark and the sides of its cell."""

_CAGE_INSETS: Final = (1.7, 3.2, 4.7)
"""The insets of outlines that share cells. They differ, so that no outline hides another."""

_CORNER_TEXT_POINT: Final = (1.8, 6.4)
_TIGHT_CORNER_TEXT_POINT: Final = (1.5, 4.7)
"""The x and y, in a cell, of a text in the corner of the cell: usually, and above candidates."""

_MAX_CORNER_CHARACTERS = 5
"""Maximum length of a text in a corner; longer ones are written in smaller letters."""

_CORNER_TEXT_SHIFT = 5.8
"""How far a text in a corner is moved to the right if a large dot covers the corner."""

_DOT_RADII: Final = {"white": 2.9, "black": 2.9, "quadruple": 6.8}
"""The radius of a dot without text, by the kind of the dot."""

_MIN_TEXT_RADIUS = 4.3
"""The minimum radius of a dot with a text."""

_ARROW_HEAD_SIZES: Final = {"little-killer": 3.2}
_ARROW_HEAD_SIZE = 4.0
"""Sizes of arrow heads: for some kinds of lines, and for all others."""

_ARROW_GAP = 5.5
"""The distance between the tip of an arrow in the grid and the centre of its last cell, where the
digit is."""

_DIRECTIONS: Final = {"<": (-1, 0), ">": (1, 0), "∧": (0, -1), "∨": (0, 1)}
"""Maps the text of a chevron to the direction in which it points: x and y."""

_CHEVRON_SIZES: Final = {"greater": 3.4, "minimum": 2.6, "maximum": 2.6}
"""Half the width of a chevron, by the kind of its label."""

_MAX_LABEL_CHARACTERS = 12
"""Maximum length of a text on a board."""

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


def css_class(shape: type[Shape], kind: str = "") -> str:
    """The CSS class of a class of shapes, or of one of its kinds: `line`, `renban-line`."""
    return "-".join(filter(None, (kind, shape.__name__.lower())))


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


@dataclass(frozen=True, slots=True)
class ShapeStyle:
    """The style of shapes of one kind.

    - `is_broken`: whether the rules of the shapes are in conflict.
    - `is_faint`: whether these rules are alternatives, of which not all need to be satisfied.
    """

    shape: type[Shape]
    kind: str
    is_broken: bool
    is_faint: bool = False

    @property
    def css_classes(self) -> str:
        """The CSS classes of the shapes, separated by spaces."""
        return self.with_flags(css_class(self.shape), css_class(self.shape, self.kind))

    def with_flags(self, *names: str) -> str:
        """Append the CSS classes `broken` and `faint` to `names`, if they apply."""
        return " ".join((*names, *["broken"] * self.is_broken, *["faint"] * self.is_faint))


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
        yield _path("tint broken", (outline(region.cells, 0) for region in broken))
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
        """Whether a cell has a text in its top left corner."""
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
            used = styles[row, column]
            broken = any(style.is_broken for style in used)
            faint = all(style.is_faint for style in used)
            text = "/".join(parts)
            size = "tight" if is_tight else "long" if len(text) > _MAX_CORNER_CHARACTERS else ""
            names = filter(None, ("corner", size))
            classes = ShapeStyle(Outline, "", broken, faint).with_flags(*names)
            point = ((column - 1) * CELL + x, (row - 1) * CELL + y)
            by_class[classes].append((point, text))
        for classes, placed in by_class.items():
            yield _texts(classes, placed)

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
        point: (_DIAMOND_RADIUS if shape.kind == "lockout" else _RING_RADIUS) / CELL
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


def draw_shapes(style: ShapeStyle, shapes: Sequence[Any]) -> Iterator[str]:
    """Draw shapes that all have this style."""
    yield from _DRAWERS[style.shape](style, shapes)


def _path(css_classes: str, commands: Iterable[str]) -> str:
    """A path element with these path commands; empty without commands."""
    data = "".join(commands)
    return f'<path class="{css_classes}" d="{data}"/>' if data else ""


def _draw_tints(style: ShapeStyle, shapes: Sequence[Tint]) -> Iterator[str]:
    cells = [place for shape in shapes for place in shape.cells]
    if style.kind == "odd":
        yield _path(style.css_classes, (_disc(_xy(place), _ODD_RADIUS) for place in cells))
    elif style.kind == "even":
        yield _path(style.css_classes, (outline([place], _EVEN_INSET) for place in cells))
    else:
        yield _path(style.css_classes, (outline(shape.cells, 0) for shape in shapes))


def _draw_lines(style: ShapeStyle, shapes: Sequence[Line]) -> Iterator[str]:
    drawn = _path(style.css_classes, (_line_data(shape) for shape in shapes))
    bulbs = [_disc(_xy(shape.points[0]), _BULB_RADIUS) for shape in shapes if shape.has_bulb]
    # Lines and bulbs are one `g` element, so that their common opacity can be set.
    yield (
        f'<g class="bulbs">{drawn}{_path(style.with_flags("bulb"), bulbs)}</g>' if bulbs else drawn
    )


def _line_data(line: Line) -> str:
    """The path of a line, with its arrow head if it has one."""
    places = [_xy(point) for point in line.points]
    if len(places) < 2:
        return f"M{_coordinates(places[0])}h0"
    if line.has_arrowhead and line.kind != "little-killer":
        places[-1] = _before(places[-2], places[-1], _ARROW_GAP)
    drawn = f"M{_coordinates(places[0])}L{' '.join(map(_coordinates, places[1:]))}"
    return drawn + _arrow_head(places[-2], places[-1], _head_size(line)) * line.has_arrowhead


def _before(begin: Point, end: Point, gap: float) -> Point:
    """The point on the line from `begin` at a distance of `gap` before `end`."""
    part = gap / max(dist(begin, end), 2 * gap)
    (x, y), (to_x, to_y) = begin, end
    return to_x + (x - to_x) * part, to_y + (y - to_y) * part


def _head_size(line: Line) -> float:
    return _ARROW_HEAD_SIZES.get(line.kind, _ARROW_HEAD_SIZE)


def _arrow_head(begin: Point, tip: Point, size: float) -> str:
    """The path of an arrow head at `tip`, for a line that comes from `begin`."""
    length = dist(begin, tip) or 1
    x, y = ((a - b) / length * size for a, b in zip(begin, tip, strict=True))
    one, other = (
        (tip[0] + x - side * y, tip[1] + y + side * x) for side in (-0.7, 0.7)
    )  # 35° to either side
    return f"M{_coordinates(one)}L{_coordinates(tip)} {_coordinates(other)}"


def _draw_outlines(style: ShapeStyle, shapes: Sequence[Outline]) -> Iterator[str]:
    depths: defaultdict[Place, int] = defaultdict(int)
    drawn = []
    for shape in filter(lambda shape: shape.cells, shapes):
        depth = max(depths[place] for place in shape.cells)
        drawn.append(outline(shape.cells, _CAGE_INSETS[min(depth, len(_CAGE_INSETS) - 1)]))
        for place in shape.cells:
            depths[place] = depth + 1
    yield _path(style.css_classes, drawn)


def _draw_rings(style: ShapeStyle, shapes: Sequence[Ring]) -> Iterator[str]:
    yield _path(style.css_classes, map(_diamond if style.kind == "lockout" else _capsule, shapes))


def _capsule(ring: Ring) -> str:
    """A circle, or a capsule around the first and the last point of a ring."""
    begin, end = _xy(ring.points[0]), _xy(ring.points[-1])
    length = dist(begin, end)
    if not length:
        return _disc(begin, _RING_RADIUS)
    x, y = ((b - a) / length * _RING_RADIUS for a, b in zip(begin, end, strict=True))
    arc = f"A{_RING_RADIUS} {_RING_RADIUS} 0 0 1 "
    around = (begin[0] - y, begin[1] + x), (begin[0] + y, begin[1] - x)
    back = (end[0] + y, end[1] - x), (end[0] - y, end[1] + x)
    first, second, third, fourth = map(_coordinates, (*around, *back))
    return f"M{first}{arc}{second}L{third}{arc}{fourth}z"


def _diamond(ring: Ring) -> str:
    x, y = _xy(ring.points[0])
    size = _DIAMOND_RADIUS
    return f"M{_coordinates((x - size, y))}l{size}-{size} {size} {size}-{size} {size}z"


def _draw_dots(style: ShapeStyle, shapes: Sequence[Dot]) -> Iterator[str]:
    size = _DOT_RADII[style.kind]
    places = [_xy(shape.point) for shape in shapes]
    sizes = (max(size, _MIN_TEXT_RADIUS if shape.text else 0) for shape in shapes)
    yield _path(style.css_classes, map(_disc, places, sizes))
    texts = (
        ((x, y + below), line)
        for (x, y), shape in zip(places, shapes, strict=True)
        for line, below in _split_lines(shape.text)
    )
    yield _texts(f"inside in-{style.kind}", texts)


def _split_lines(text: str) -> Iterator[tuple[str, float]]:
    """Yield the lines of a text in a disc, each with its distance below the centre."""
    words = text.split()
    if len(words) > 2:
        half = (len(words) + 1) // 2
        yield " ".join(words[:half]), -0.4
        yield " ".join(words[half:]), 5
    elif words:
        yield " ".join(words), 2.2


def _draw_labels(style: ShapeStyle, shapes: Sequence[Label]) -> Iterator[str]:
    if style.kind in _CHEVRON_SIZES:
        yield from _draw_chevrons(style, shapes)
        return
    between = style.kind == "xv"
    below = 2.9 if between else 3.4
    places = ((x, y + below) for x, y in (_xy(shape.point) for shape in shapes))
    names = style.css_classes if between else f"{style.css_classes} clue"
    yield _texts(names, zip(places, (shape.text for shape in shapes), strict=True))


def _draw_chevrons(style: ShapeStyle, shapes: Sequence[Label]) -> Iterator[str]:
    """Draw chevrons between cells, such as `<`. The border has a gap at chevrons of `greater`."""
    chevrons = [(_xy(label.point), _DIRECTIONS[label.text]) for label in shapes]
    if style.kind == "greater":
        yield _path("gap", (_gap(*chevron) for chevron in chevrons))
    yield _path(
        style.css_classes, (_chevron(*chevron, _CHEVRON_SIZES[style.kind]) for chevron in chevrons)
    )


def _gap(point: Point, direction: tuple[int, int]) -> str:
    x, y = point
    return f"M{_coordinates((x, y - 4))}v8" if direction[0] else f"M{_coordinates((x - 4, y))}h8"


def _chevron(point: Point, direction: tuple[int, int], size: float) -> str:
    (x, y), (right, down) = point, direction
    depth = size * 0.55
    tip = (x + right * depth, y + down * depth)
    one, other = (
        (x - right * depth + side * down * size, y - down * depth + side * right * size)
        for side in (-1, 1)
    )
    return f"M{_coordinates(one)}L{_coordinates(tip)} {_coordinates(other)}"


_DRAWERS: Final[Mapping[type[Shape], Any]] = {
    Tint: _draw_tints,
    Line: _draw_lines,
    Outline: _draw_outlines,
    Ring: _draw_rings,
    Dot: _draw_dots,
    Label: _draw_labels,
}


def _xy(point: Point) -> Point:
    """Convert a point from row and column to x and y in SVG units."""
    return (point[1] - 0.5) * CELL, (point[0] - 0.5) * CELL


def _coordinates(point: Point) -> str:
    x, y = (f"{round(coordinate, 2):g}" for coordinate in point)
    return f"{x} {y}"


def _disc(center: Point, radius: float) -> str:
    arc = f"a{radius:g} {radius:g} 0 1 0 "
    left = _coordinates((center[0] - radius, center[1]))
    return f"M{left}{arc}{2 * radius:g} 0{arc}-{2 * radius:g} 0z"


def _texts(css_classes: str, texts: Iterable[tuple[Point, str]]) -> str:
    """Write texts at their positions, as one SVG element."""
    spans = []
    for (x, y), text in texts:
        shown = printable(text)
        if len(shown) > _MAX_LABEL_CHARACTERS:
            shown = f"{shown[: _MAX_LABEL_CHARACTERS - 1]}…"
        spans.append(f'<tspan x="{round(x, 2):g}" y="{round(y, 2):g}">{escape(shown)}</tspan>')
    return f'<text class="{css_classes}">{"".join(spans)}</text>' if spans else ""
