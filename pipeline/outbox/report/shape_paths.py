"""Draw shapes as SVG elements, one for each style."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import dist
from typing import Any, Final

from pipeline.errors import printable, shortened
from pipeline.outbox.report.outlines import CELL, outline
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

RING_RADIUS, DIAMOND_RADIUS, _BULB_RADIUS, _ODD_RADIUS = 7.6, 9.2, 6.6, 7.5
"""Sizes of shapes; all lengths are in SVG units, CELL to a cell."""

_EVEN_INSET = 3
"""The distance between an even mark and the sides of its cell."""

_CAGE_INSETS: Final = (1.7, 3.2, 4.7)
"""The insets of outlines that share cells. They differ, so that no outline hides another."""

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


def css_class(shape: type[Shape], kind: str = "") -> str:
    """The CSS class of a class of shapes, or of one of its kinds: `line`, `renban-line`."""
    return "-".join(filter(None, (kind, shape.__name__.lower())))


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


def draw_shapes(style: ShapeStyle, shapes: Sequence[Any]) -> Iterator[str]:
    """Draw shapes that all have this style."""
    yield from _DRAWERS[style.shape](style, shapes)


def svg_path(css_classes: str, commands: Iterable[str]) -> str:
    """A path element with these path commands; empty without commands."""
    data = "".join(commands)
    return f'<path class="{css_classes}" d="{data}"/>' if data else ""


def _draw_tints(style: ShapeStyle, shapes: Sequence[Tint]) -> Iterator[str]:
    cells = [place for shape in shapes for place in shape.cells]
    if style.kind == "odd":
        yield svg_path(style.css_classes, (_disc(_xy(place), _ODD_RADIUS) for place in cells))
    elif style.kind == "even":
        yield svg_path(style.css_classes, (outline([place], _EVEN_INSET) for place in cells))
    else:
        yield svg_path(style.css_classes, (outline(shape.cells, 0) for shape in shapes))


def _draw_lines(style: ShapeStyle, shapes: Sequence[Line]) -> Iterator[str]:
    drawn = svg_path(style.css_classes, (_line_data(shape) for shape in shapes))
    bulbs = [_disc(_xy(shape.points[0]), _BULB_RADIUS) for shape in shapes if shape.has_bulb]
    # Lines and bulbs are one `g` element, so that their common opacity can be set.
    yield (
        f'<g class="bulbs">{drawn}{svg_path(style.with_flags("bulb"), bulbs)}</g>'
        if bulbs
        else drawn
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
    """The point on the line from `begin` to `end` at a distance of `gap` before `end`."""
    share = gap / max(dist(begin, end), 2 * gap)
    (x, y), (to_x, to_y) = begin, end
    return to_x + (x - to_x) * share, to_y + (y - to_y) * share


def _head_size(line: Line) -> float:
    return _ARROW_HEAD_SIZES.get(line.kind, _ARROW_HEAD_SIZE)


def _arrow_head(begin: Point, tip: Point, size: float) -> str:
    """The path of an arrow head at `tip`, for a line that comes from `begin`."""
    length = dist(begin, tip) or 1
    x, y = ((a - b) / length * size for a, b in zip(begin, tip, strict=True))
    ends = (
        (tip[0] + x - side * y, tip[1] + y + side * x) for side in (-0.7, 0.7)
    )  # 35° to either side
    first, second = map(_coordinates, ends)
    return f"M{first}L{_coordinates(tip)} {second}"


def _draw_outlines(style: ShapeStyle, shapes: Sequence[Outline]) -> Iterator[str]:
    depths: defaultdict[Place, int] = defaultdict(int)
    drawn = []
    for shape in filter(lambda shape: shape.cells, shapes):
        depth = max(depths[place] for place in shape.cells)
        drawn.append(outline(shape.cells, _CAGE_INSETS[min(depth, len(_CAGE_INSETS) - 1)]))
        for place in shape.cells:
            depths[place] = depth + 1
    yield svg_path(style.css_classes, drawn)


def _draw_rings(style: ShapeStyle, shapes: Sequence[Ring]) -> Iterator[str]:
    yield svg_path(
        style.css_classes, map(_diamond if style.kind == "lockout" else _capsule, shapes)
    )


def _capsule(ring: Ring) -> str:
    """A circle, or a capsule around the first and the last point of a ring."""
    begin, end = _xy(ring.points[0]), _xy(ring.points[-1])
    length = dist(begin, end)
    if not length:
        return _disc(begin, RING_RADIUS)
    x, y = ((b - a) / length * RING_RADIUS for a, b in zip(begin, end, strict=True))
    arc = f"A{RING_RADIUS} {RING_RADIUS} 0 0 1 "
    around = (begin[0] - y, begin[1] + x), (begin[0] + y, begin[1] - x)
    back = (end[0] + y, end[1] - x), (end[0] - y, end[1] + x)
    first, second, third, fourth = map(_coordinates, (*around, *back))
    return f"M{first}{arc}{second}L{third}{arc}{fourth}z"


def _diamond(ring: Ring) -> str:
    x, y = _xy(ring.points[0])
    size = DIAMOND_RADIUS
    return f"M{_coordinates((x - size, y))}l{size}-{size} {size} {size}-{size} {size}z"


def _draw_dots(style: ShapeStyle, shapes: Sequence[Dot]) -> Iterator[str]:
    size = _DOT_RADII[style.kind]
    places = [_xy(shape.point) for shape in shapes]
    sizes = (max(size, _MIN_TEXT_RADIUS if shape.text else 0) for shape in shapes)
    yield svg_path(style.css_classes, map(_disc, places, sizes))
    texts = (
        ((x, y + below), line)
        for (x, y), shape in zip(places, shapes, strict=True)
        for line, below in _split_lines(shape.text)
    )
    yield svg_texts(f"inside in-{style.kind}", texts)


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
    is_between_cells = style.kind == "xv"
    below = 2.9 if is_between_cells else 3.4
    places = ((x, y + below) for x, y in (_xy(shape.point) for shape in shapes))
    names = style.css_classes if is_between_cells else f"{style.css_classes} clue"
    yield svg_texts(names, zip(places, (shape.text for shape in shapes), strict=True))


def _draw_chevrons(style: ShapeStyle, shapes: Sequence[Label]) -> Iterator[str]:
    """Draw chevrons between cells, such as `<`. The border has a gap at chevrons of `greater`."""
    chevrons = [(_xy(label.point), _DIRECTIONS[label.text]) for label in shapes]
    if style.kind == "greater":
        yield svg_path("gap", (_gap(*chevron) for chevron in chevrons))
    yield svg_path(
        style.css_classes, (_chevron(*chevron, _CHEVRON_SIZES[style.kind]) for chevron in chevrons)
    )


def _gap(point: Point, direction: tuple[int, int]) -> str:
    x, y = point
    return f"M{_coordinates((x, y - 4))}v8" if direction[0] else f"M{_coordinates((x - 4, y))}h8"


def _chevron(point: Point, direction: tuple[int, int], size: float) -> str:
    (x, y), (right, down) = point, direction
    depth = size * 0.55
    tip = (x + right * depth, y + down * depth)
    ends = (
        (x - right * depth + side * down * size, y - down * depth + side * right * size)
        for side in (-1, 1)
    )
    first, second = map(_coordinates, ends)
    return f"M{first}L{_coordinates(tip)} {second}"


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


def svg_texts(css_classes: str, texts: Iterable[tuple[Point, str]]) -> str:
    """Write texts at their positions, as one SVG element."""
    spans = []
    for (x, y), text in texts:
        shown = shortened(printable(text), _MAX_LABEL_CHARACTERS)
        spans.append(f'<tspan x="{round(x, 2):g}" y="{round(y, 2):g}">{escape(shown)}</tspan>')
    return f'<text class="{css_classes}">{"".join(spans)}</text>' if spans else ""
