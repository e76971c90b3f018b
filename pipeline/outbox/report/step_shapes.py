"""Draw a step on a board as SVG: its candidates, its pattern, its conclusions and its links.

`step.css` is the style sheet. Each role of a candidate has a shape of its own, so that a board can
be read without colours: a disc for the pattern, a square for its second part, a diamond for a fin,
a stroke for an elimination, and a white digit on a dark disc for a placed value. Strong links are
solid lines, weak links are dashed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import hypot
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from pipeline.outbox.report.outlines import CELL, outline
from pipeline.outbox.report.rule_shapes import BOARD_STYLE
from pipeline.puzzle.geometry import values_of

if TYPE_CHECKING:  # `pipeline.steps` loads numpy, which other boards do not need
    from pipeline.outbox.report.board import Board
    from pipeline.steps.presentation.picture import Link

STEP_STYLE: Final = Path(__file__).with_name("step.css").read_text(encoding="utf-8")
"""The style sheet for steps."""

_RADIUS, _BASELINE = 0.47, 0.34
"""Radius of a mark, and distance from the centre of a candidate to its baseline, as parts of the
distance between candidates."""

_TIGHT_PITCH, _TIGHT_RIGHT, _TIGHT_BELOW = 0.76, 2.5, 2.4
"""The layout of candidates in puzzles with rules: a factor of their distance, and the margins on
the right and below. Sums are written in the upper left corner of a cell, and the outlines of cages
are drawn along its sides."""

_FRAME_INSET = 1.2
"""The distance between the frame around cells and their sides."""

_BULGE, _MAX_BULGE, _MIN_BULGE, _SHORT = 0.12, 9.0, 0.8, 2.3
"""How far the control point of a link is from its line: this part of its length, at most so much.

A link shorter than `_SHORT` radii of both ends together is bent by `_MIN_BULGE` of its length, as
its marks leave no room between them."""

_ORDERED_RADIUS, _ORDERED_BASELINE = 6.6, 4.7
"""The radius of the disc around a lettered value, and the baseline below the centre."""

_ORDERED_POINTS: Final = {False: ((11.4, 11.5), (3.1, 5.2)), True: ((8.9, 11.7), (16.1, 6.2))}
"""The centre of the disc and the point of the letter in a cell. Puzzles with rules (True) have the
letter on the right, because sums are written on the left."""

ROLE_WORDS: Final = {
    "PATTERN": "pattern",
    "SECOND": "second part of the pattern",
    "FIN": "fin",
    "ELIMINATED": "eliminated",
    "PLACED": "placed",
}
"""Maps the names of the roles of candidates to words."""

_CLASSES: Final = {
    "": "in-step",
    "PATTERN": "in-mark",
    "SECOND": "in-mark",
    "FIN": "in-mark",
    "ELIMINATED": "is-eliminated",
    "PLACED": "is-placed",
}
"""Maps the names of roles to CSS classes; the empty name is for a candidate without a role."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of the candidates in a cell.

    - `columns`: the number of candidates in a row.
    - `pitch`: the distance between candidates, in SVG units.
    - `left`, `top`: the distance between the candidates and the sides of the cell.
    - `is_tight`: whether the candidates leave room for a text in the corner of the cell.
    """

    board: Board
    columns: int
    pitch: float
    left: float
    top: float
    is_tight: bool

    @classmethod
    def of(cls, board: Board) -> Self:
        columns, pitch = board.candidate_layout
        rows = -(-board.geometry.side // columns)
        is_tight = bool(board.puzzle and board.puzzle.rules)
        pitch *= _TIGHT_PITCH if is_tight else 1
        left, top = CELL - columns * pitch, CELL - rows * pitch
        if is_tight:
            return cls(board, columns, pitch, left - _TIGHT_RIGHT, top - _TIGHT_BELOW, is_tight)
        return cls(board, columns, pitch, left / 2, top / 2, is_tight)

    def centre(self, cell: int, value: int) -> tuple[float, float]:
        """The x and y of the centre of a candidate."""
        row, column = self.board.geometry.place(cell)
        down, across = divmod(value - self.board.geometry.lowest, self.columns)
        x, y = (column - 1) * CELL + self.left, (row - 1) * CELL + self.top
        return x + (across + 0.5) * self.pitch, y + (down + 0.5) * self.pitch

    @property
    def css_class(self) -> str:
        """The class that sets the font size."""
        return f"columns-{self.columns}{' tight' * self.is_tight}"

    def centre_of_all(self, cells: Sequence[int], value: int) -> tuple[float, float]:
        """The centre of the candidates of a value in several cells."""
        xs, ys = zip(*(self.centre(cell, value) for cell in cells), strict=True)
        return sum(xs) / len(xs), sum(ys) / len(ys)

    @property
    def radius(self) -> float:
        return _RADIUS * self.pitch


def shades(board: Board) -> Iterator[str]:
    """Yield the SVG elements below the lines of the grid: shaded cells, nodes of several cells.

    Puzzles with rules also have the framed cells shaded, because a frame alone looks like a cage.
    """
    picture = board.step
    assert picture is not None  # noqa: S101 - `board_svg` asks only for boards with a step
    places = board.geometry.place
    shaded = {cell for unit in picture.units for cell in picture.before.units[unit]}
    if board.puzzle and board.puzzle.rules:
        shaded |= picture.cells
    if shaded:
        corners = (
            ((column - 1) * CELL, (row - 1) * CELL) for row, column in map(places, sorted(shaded))
        )
        path = "".join(f"M{x} {y}h{CELL}v{CELL}h-{CELL}z" for x, y in corners)
        yield f'<path class="unit-shade" d="{path}"/>'
    yield from _groups(picture.links, _Layout.of(board))


def marks(board: Board) -> Iterator[str]:
    """Yield the SVG elements above the lines of the grid: frames, marks, links and candidates."""
    picture = board.step
    assert picture is not None  # noqa: S101 - as above
    layout = _Layout.of(board)
    by_role = _candidates_by_role(board)
    if picture.cells:
        frame = outline(map(board.geometry.place, sorted(picture.cells)), _FRAME_INSET)
        yield f'<path class="cell-frame{" solid" * layout.is_tight}" d="{frame}"/>'
    for role in ("PATTERN", "SECOND", "FIN", "PLACED"):
        if candidates := by_role[role]:
            path = "".join(
                _mark(role, *layout.centre(*candidate), layout.radius) for candidate in candidates
            )
            yield f'<path class="mark-{role.lower()}" d="{path}"/>'
    yield from _links(picture.links, layout)
    for role, css_class in _CLASSES.items():
        if candidates := by_role[role]:
            yield _texts(css_class, candidates, layout)
    if eliminated := by_role["ELIMINATED"]:
        yield f'<path class="stroke" d="{_strokes(eliminated, layout)}"/>'
    if board.order:
        yield from _ordered(board)


def _candidates_by_role(board: Board) -> defaultdict[str, list[tuple[int, int]]]:
    """Map the names of roles to candidates; the empty name to those without a role.

    Cells with a lettered value have no candidates.
    """
    picture, ordered = board.step, {cell for cell, _ in board.order}
    assert picture is not None  # noqa: S101 - as above
    by_role: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for cell, mask in enumerate(picture.before.candidates):
        for value in values_of(mask, board.geometry.lowest) if cell not in ordered else ():
            role = picture.roles.get((cell, value))
            if role or not board.hides_candidates:
                by_role[role.name if role else ""].append((cell, value))
    return by_role


def _groups(links: Iterable[Link], layout: _Layout) -> Iterator[str]:
    """Connect the candidates of each node that consists of several cells."""
    nodes = dict.fromkeys(node for link in links for node in (link.start, link.end))
    for node in nodes:
        if len(node.cells) > 1:
            points = [layout.centre(cell, node.value) for cell in node.cells]
            path = "L".join(f"{x:.4g} {y:.4g}" for x, y in points)
            width = f"{2 * layout.radius:.3g}"
            yield f'<path class="mark-group" stroke-width="{width}" d="M{path}"/>'


def _mark(role: str, x: float, y: float, r: float) -> str:
    """The path of the shape of a role around a point."""
    if role == "SECOND":
        side = 1.76 * r
        return f"M{x - side / 2:.4g} {y - side / 2:.4g}h{side:.4g}v{side:.4g}h-{side:.4g}z"
    if role == "FIN":
        d = 1.22 * r
        return f"M{x:.4g} {y - d:.4g}l{d:.4g} {d:.4g}l-{d:.4g} {d:.4g}l-{d:.4g} -{d:.4g}z"
    return (
        f"M{x - r:.4g} {y:.4g}a{r:.4g} {r:.4g} 0 1 0 {2 * r:.4g} 0"
        f"a{r:.4g} {r:.4g} 0 1 0 -{2 * r:.4g} 0z"
    )


def _links(links: Iterable[Link], layout: _Layout) -> Iterator[str]:
    """Draw links as curves between the marks at their ends: first the weak, then the strong."""
    strong, weak = list[str](), list[str]()
    for link in links:
        start = layout.centre_of_all(link.start.cells, link.start.value)
        end = layout.centre_of_all(link.end.cells, link.end.value)
        if start != end:
            (strong if link.is_strong else weak).append(_curve(start, end, layout.radius))
    if weak:
        yield f'<path class="link weak" d="{"".join(weak)}"/>'
    if strong:
        yield f'<path class="link strong" d="{"".join(strong)}"/>'


def _curve(start: tuple[float, float], end: tuple[float, float], radius: float) -> str:
    """A slightly bent line between two marks, which leaves room for their digits."""
    (x, y), (to_x, to_y) = start, end
    length = hypot(to_x - x, to_y - y)
    is_short = length < 2 * _SHORT * radius
    bulge = _MIN_BULGE * length if is_short else min(_BULGE * length, _MAX_BULGE)
    bend_x = (x + to_x) / 2 + bulge * (to_y - y) / length
    bend_y = (y + to_y) / 2 - bulge * (to_x - x) / length
    points = []
    for from_x, from_y in (start, end):
        distance = hypot(bend_x - from_x, bend_y - from_y)
        part = radius / distance
        points.append((from_x + part * (bend_x - from_x), from_y + part * (bend_y - from_y)))
    (x, y), (to_x, to_y) = points
    return f"M{x:.4g} {y:.4g}Q{bend_x:.4g} {bend_y:.4g} {to_x:.4g} {to_y:.4g}"


def _texts(css_class: str, candidates: Iterable[tuple[int, int]], layout: _Layout) -> str:
    """Write candidates of one role."""
    spans = []
    for cell, value in candidates:
        x, y = layout.centre(cell, value)
        text = escape(layout.board.value_text(value))
        spans.append(f'<tspan x="{x:.4g}" y="{y + _BASELINE * layout.pitch:.4g}">{text}</tspan>')
    return f'<text class="{css_class} {layout.css_class}">{"".join(spans)}</text>'


def _strokes(candidates: Iterable[tuple[int, int]], layout: _Layout) -> str:
    """The path of a stroke through each candidate, which leaves its digit readable."""
    r, path = 0.86 * layout.radius, ""
    for candidate in candidates:
        x, y = layout.centre(*candidate)
        path += f"M{x - r:.4g} {y + r:.4g}l{2 * r:.4g} -{2 * r:.4g}"
    return path


def _ordered(board: Board) -> Iterator[str]:
    """Draw values that are placed one after the other, each with a letter for its position."""
    discs, values, letters = "", "", ""
    (right, down), letter = _ORDERED_POINTS[_Layout.of(board).is_tight]
    for index, (cell, value) in enumerate(board.order):
        row, column = board.geometry.place(cell)
        x, y = (column - 1) * CELL, (row - 1) * CELL
        discs += _mark("PLACED", x + right, y + down, _ORDERED_RADIUS)
        text = escape(board.value_text(value))
        baseline = y + down + _ORDERED_BASELINE
        values += f'<tspan x="{x + right:g}" y="{baseline:g}">{text}</tspan>'
        letter_x, letter_y = x + letter[0], y + letter[1]
        letters += f'<tspan x="{letter_x:g}" y="{letter_y:g}">{ordinal(index)}</tspan>'
    yield f'<path class="mark-ordered" d="{discs}"/>'
    yield f'<text class="in-mark{" small" * board.is_wide}">{values}</text>'
    yield f'<text class="is-ordinal">{letters}</text>'


def ordinal(index: int) -> str:
    """The letter of a placed value: `a` for index 0; after `z`, `a2` and so on."""
    turn, letter = divmod(index, 26)
    return "abcdefghijklmnopqrstuvwxyz"[letter] + (str(turn + 1) if turn else "")


def step_words(board: Board) -> str:
    """Describe the marks of a step for screen readers."""
    picture = board.step
    assert picture is not None  # noqa: S101 - as above
    by_role: defaultdict[str, list[str]] = defaultdict(list)
    for (cell, value), role in sorted(picture.roles.items(), key=itemgetter(0)):
        name = board.geometry.name_of(cell)
        by_role[role.name].append(f"{board.value_text(value)} in {name}")
    return " ".join(
        f"{words[0].upper()}{words[1:]}: {', '.join(by_role[name])}."
        for name, words in ROLE_WORDS.items()
        if by_role[name]
    )


_LEGEND_CELL, _LEGEND_COLUMN, _LEGEND_TEXT = 10, 86, 9
"""The height of a line of a legend, the width of a column, and where its text begins."""


def legend_svg(*, columns: int = 4, standalone: bool = False) -> str:
    """Draw the legend of marks and lines, in columns.

    `standalone`: include style and size, so that the element is the content of an SVG file.
    """
    r, parts = 2.8, list[str]()
    items = [*((name, words) for name, words in ROLE_WORDS.items()), ("strong", ""), ("weak", "")]
    for index, (name, words) in enumerate(items):
        down, across = divmod(index, columns)
        x, y = 4 + across * _LEGEND_COLUMN, 5 + down * _LEGEND_CELL
        if name in ("strong", "weak"):
            text = f"{name} link"
            parts.append(f'<path class="link {name}" d="M{x - 3} {y}h8"/>')
        else:
            text = words
            if name != "ELIMINATED":
                parts.append(f'<path class="mark-{name.lower()}" d="{_mark(name, x, y, r)}"/>')
            classes = f"{_CLASSES[name]} columns-3"
            parts.append(f'<text class="{classes}" x="{x}" y="{y + 2}">5</text>')
            if name == "ELIMINATED":
                parts.append(f'<path class="stroke" d="M{x - 2.4} {y + 2.4}l4.8-4.8"/>')
        parts.append(f'<text class="legend" x="{x + _LEGEND_TEXT - 3}" y="{y + 2}">{text}</text>')
    width, height = columns * _LEGEND_COLUMN, -(-len(items) // columns) * _LEGEND_CELL
    size = f' xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{2 * height}"'
    style = f"<style>{BOARD_STYLE}{STEP_STYLE}</style>" if standalone else ""
    return (
        f'<svg{size if standalone else ""} class="board legend" viewBox="0 0 {width} {height}" '
        f'aria-hidden="true">{style}{"".join(parts)}</svg>'
    )
