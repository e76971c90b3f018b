"""Shapes of one kind → SVG elements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import dist
from typing import Any, Final

from pipeline.errors import printable
from pipeline.outbox.report.outlines import CELL, outline
from pipeline.outbox.report.styles import name_of
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Place, Point, Ring, Shape, Tint

_RADIUS, _DIAMOND, _BULB, _ODD = 7.6, 9.2, 6.6, 7.5
_EVEN_INSET = 3
_CAGE_INSETS: Final = (1.7, 3.2, 4.7)
"""Of outlines that share cells, so that none hides another."""

_CORNER: Final = (2.4, 6.1)
"""Where a text in the corner of a cell begins."""

_DISCS: Final = {"white": 2.6, "black": 2.6, "quadruple": 5.4}
_WITH_TEXT = 3.8
_HEADS: Final = {"little-killer": 2.6}
_HEAD = 4.0
_POINTING: Final = {"<": (-1, 0), ">": (1, 0), "∧": (0, -1), "∨": (0, 1)}
"""Where a sign points: x and y."""

_SIGNS: Final = {"greater": 3.4, "minimum": 2.2, "maximum": 2.2}
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class Look:
    """The look of elements of one kind; `broken`: their rules are in conflict."""

    shape: type[Shape]
    kind: str
    broken: bool

    @property
    def names(self) -> str:
        return self.named(name_of(self.shape), name_of(self.shape, self.kind))

    def named(self, *names: str) -> str:
        return " ".join((*names, "broken") if self.broken else names)


def elements(look: Look, shapes: Sequence[Any]) -> Iterator[str]:
    """Draw shapes that all have this look."""
    yield from filter(None, _DRAWERS[look.shape](look, shapes))


def radius(ring: Ring) -> float:
    """How far from its point a line to a ring ends, in units."""
    return _DIAMOND if ring.kind == "lockout" else _RADIUS


def path(names: str, drawn: Iterable[str]) -> str:
    """The element for this data; nothing without any."""
    data = "".join(drawn)
    return f'<path class="{names}" d="{data}"/>' if data else ""


def _tints(look: Look, shapes: Sequence[Tint]) -> Iterator[str]:
    cells = [place for each in shapes for place in each.cells]
    if look.kind == "odd":
        yield path(look.names, (_disc(_at(place), _ODD) for place in cells))
    elif look.kind == "even":
        yield path(look.names, (outline([place], _EVEN_INSET) for place in cells))
    else:
        yield path(look.names, (outline(each.cells, 0) for each in shapes))


def _lines(look: Look, shapes: Sequence[Line]) -> Iterator[str]:
    drawn = path(look.names, (_line(each) for each in shapes))
    bulbs = [_disc(_at(each.points[0]), _BULB) for each in shapes if each.bulb]
    # a group, since the colour of both together is half transparent
    yield f'<g class="bulbs">{drawn}{path(look.named("bulb"), bulbs)}</g>' if bulbs else drawn


def _line(line: Line) -> str:
    places = [_at(point) for point in line.points]
    if len(places) < 2:
        return f"M{_pair(places[0])}h0"
    drawn = f"M{_pair(places[0])}L{' '.join(map(_pair, places[1:]))}"
    return drawn + _head(places[-2], places[-1], _HEADS.get(line.kind, _HEAD)) * line.head


def _head(begin: Point, tip: Point, size: float) -> str:
    """The head of an arrow."""
    length = dist(begin, tip) or 1
    x, y = ((there - here) / length * size for there, here in zip(begin, tip, strict=True))
    one, other = (
        (tip[0] + x - side * y, tip[1] + y + side * x) for side in (-0.7, 0.7)
    )  # 35° to either side
    return f"M{_pair(one)}L{_pair(tip)} {_pair(other)}"


def _outlines(look: Look, shapes: Sequence[Outline]) -> Iterator[str]:
    depths: defaultdict[Place, int] = defaultdict(int)
    corners: defaultdict[Place, list[str]] = defaultdict(list)
    drawn = []
    for each in filter(lambda each: each.cells, shapes):
        depth = max(depths[place] for place in each.cells)
        drawn.append(outline(each.cells, _CAGE_INSETS[min(depth, len(_CAGE_INSETS) - 1)]))
        for place in each.cells:
            depths[place] = depth + 1
        if each.text:
            corners[min(each.cells)].append(each.text)
    yield path(look.names, drawn)
    x, y = _CORNER
    places = (((column - 1) * CELL + x, (row - 1) * CELL + y) for row, column in corners)
    texts = map("/".join, corners.values())
    yield _texts(look.named("corner"), zip(places, texts, strict=True))


def _rings(look: Look, shapes: Sequence[Ring]) -> Iterator[str]:
    yield path(look.names, map(_diamond if look.kind == "lockout" else _pill, shapes))


def _pill(ring: Ring) -> str:
    """A circle, or what a circle covers on its way from the first point to the last."""
    begin, end = _at(ring.points[0]), _at(ring.points[-1])
    length = dist(begin, end)
    if not length:
        return _disc(begin, _RADIUS)
    x, y = ((there - here) / length * _RADIUS for here, there in zip(begin, end, strict=True))
    arc = f"A{_RADIUS} {_RADIUS} 0 0 1 "
    around = (begin[0] - y, begin[1] + x), (begin[0] + y, begin[1] - x)
    back = (end[0] + y, end[1] - x), (end[0] - y, end[1] + x)
    first, second, third, fourth = map(_pair, (*around, *back))
    return f"M{first}{arc}{second}L{third}{arc}{fourth}z"


def _diamond(ring: Ring) -> str:
    x, y = _at(ring.points[0])
    size = _DIAMOND
    return f"M{_pair((x - size, y))}l{size}-{size} {size} {size}-{size} {size}z"


def _dots(look: Look, shapes: Sequence[Dot]) -> Iterator[str]:
    size = _DISCS[look.kind]
    places = [_at(each.point) for each in shapes]
    sizes = (max(size, _WITH_TEXT if each.text else 0) for each in shapes)
    yield path(look.names, map(_disc, places, sizes))
    texts = (
        ((x, y + below), line)
        for (x, y), each in zip(places, shapes, strict=True)
        for line, below in _in_lines(each.text)
    )
    yield _texts(f"inside in-{look.kind}", texts)


def _in_lines(text: str) -> Iterator[tuple[str, float]]:
    """The lines of a text in a disc, and how far they are below its middle."""
    words = text.split()
    if len(words) > 2:
        half = (len(words) + 1) // 2
        yield " ".join(words[:half]), -0.5
        yield " ".join(words[half:]), 4.2
    elif words:
        yield " ".join(words), 1.8


def _labels(look: Look, shapes: Sequence[Label]) -> Iterator[str]:
    if look.kind in _SIGNS:
        yield from _signs(look, shapes)
        return
    between = look.kind == "xv"
    below = 2.7 if between else 3.4
    places = ((x, y + below) for x, y in (_at(each.point) for each in shapes))
    names = look.names if between else f"{look.names} clue"
    yield _texts(names, zip(places, (each.text for each in shapes), strict=True))


def _signs(look: Look, shapes: Sequence[Label]) -> Iterator[str]:
    """Signs that stand on a border, which makes room for large ones."""
    signs = [(_at(each.point), _POINTING[each.text]) for each in shapes]
    if look.kind == "greater":
        yield path("gap", (_gap(*each) for each in signs))
    yield path(look.names, (_sign(*each, _SIGNS[look.kind]) for each in signs))


def _gap(at: Point, towards: tuple[int, int]) -> str:
    x, y = at
    return f"M{_pair((x, y - 4))}v8" if towards[0] else f"M{_pair((x - 4, y))}h8"


def _sign(at: Point, towards: tuple[int, int], size: float) -> str:
    (x, y), (right, down) = at, towards
    deep = size * 0.55
    tip = (x + right * deep, y + down * deep)
    one, other = (
        (x - right * deep + side * down * size, y - down * deep + side * right * size)
        for side in (-1, 1)
    )
    return f"M{_pair(one)}L{_pair(tip)} {_pair(other)}"


_DRAWERS: Final[Mapping[type[Shape], Any]] = {
    Tint: _tints,
    Line: _lines,
    Outline: _outlines,
    Ring: _rings,
    Dot: _dots,
    Label: _labels,
}


def _at(point: Point) -> Point:
    """X and y of a point, in units."""
    return (point[1] - 0.5) * CELL, (point[0] - 0.5) * CELL


def _pair(point: Point) -> str:
    x, y = (f"{round(each, 2):g}" for each in point)
    return f"{x} {y}"


def _disc(at: Point, size: float) -> str:
    arc = f"a{size:g} {size:g} 0 1 0 "
    return f"M{_pair((at[0] - size, at[1]))}{arc}{2 * size:g} 0{arc}-{2 * size:g} 0z"


def _texts(names: str, texts: Iterable[tuple[Point, str]]) -> str:
    """Texts at their places as one element."""
    spans = []
    for (x, y), text in texts:
        said = printable(text)
        said = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
        spans.append(f'<tspan x="{round(x, 2):g}" y="{round(y, 2):g}">{escape(said)}</tspan>')
    return f'<text class="{names}">{"".join(spans)}</text>' if spans else ""
