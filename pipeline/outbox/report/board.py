"""Draw a puzzle and its result as SVG."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import ceil, sqrt

from pipeline.errors import counted, printable
from pipeline.outbox.report.outlines import CELL, borders, inner_lines
from pipeline.outbox.report.shaped import BOARD_STYLE, RuleShapes, style_of
from pipeline.puzzle.geometry import Geometry, unit_name, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.shapes import Place

MAX_DRAWN_SIDE = 25
TOO_LARGE = f"not drawn: more than {MAX_DRAWN_SIDE}×{MAX_DRAWN_SIDE} cells"
_BASELINE = 15
_MARGIN = 2
_PADDING = 1
"""The distance between the lines around a cell and its candidates."""
_SMALL_SIDE = 6
_RING = "M{x} {y}m2 10a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"
_DASHED = "M{x} {y}m2.5 2.5h15v15h-15z"
_SQUARE = "M{x} {y}h20v20h-20z"

_MAX_RULES_TEXT = 1_000
"""The most characters of a list of rules in a description."""


@dataclass(frozen=True)
class Board:
    """The content of a drawing: a puzzle, a solution, or both, with the same geometry.

    puzzle: without it, the solution's given values are unknown.
    conflict, difference: cells to mark.
    signs: the characters of the values 1, 2, …; empty for numbers.
    rules_in_conflict: indices of the puzzle's rules.
    unread: unread parts of the source, as in `Parsed`, which are not drawn.

    Raises ValueError without puzzle and grid, or if their geometries differ.
    """

    puzzle: Puzzle | None
    grid: Grid | None = None
    conflict: Collection[Place] = ()
    difference: Collection[Place] = ()
    signs: str = ""
    rules_in_conflict: Collection[int] = ()
    unread: Collection[str] = ()

    def __post_init__(self) -> None:
        drawn = {part.geometry for part in (self.puzzle, self.grid) if part is not None}
        if len(drawn) != 1:
            raise ValueError("a board needs a puzzle, a grid, or both with the same geometry")

    @property
    def geometry(self) -> Geometry:
        part = self.puzzle or self.grid
        assert part is not None  # noqa: S101 - the constructor checks it
        return part.geometry

    @property
    def is_drawable(self) -> bool:
        """Whether it is small enough to draw."""
        return max(self.geometry.extent) <= MAX_DRAWN_SIDE

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the drawing, in its units."""
        _, _, width, height = _bounds(self)
        return width, height

    @property
    def span(self) -> float:
        """The larger side of the drawing, in cells."""
        return (max(self.size) - 2 * _MARGIN) / CELL

    @cached_property
    def rule_shapes(self) -> RuleShapes:
        """The shapes of the puzzle's rules."""
        if self.puzzle is None:
            return RuleShapes(self.geometry.extent, {})
        return RuleShapes.of(self.puzzle, frozenset(self.rules_in_conflict))

    @cached_property
    def givens(self) -> dict[int, int]:
        """Maps cells to given values."""
        return dict(self.puzzle.givens()) if self.puzzle else {}

    @cached_property
    def solved(self) -> dict[int, int]:
        """Maps the other cells to the values of the solution."""
        values = enumerate(self.grid.values) if self.grid else ()
        return {cell: value for cell, value in values if cell not in self.givens}

    @cached_property
    def candidates(self) -> dict[int, list[int]]:
        """Maps each cell with pencil marks to its candidates.

        Empty if all marks are even or odd: these are drawn in grey instead.
        """
        geometry = self.geometry
        usual = {geometry.all_values, geometry.even_values, geometry.odd_values}
        cells = self.puzzle.cells if self.puzzle else ()
        if all(mask in usual or not mask & (mask - 1) for mask in cells):
            return {}
        return {
            cell: [*values_of(mask, geometry.lowest)]
            for cell, mask in enumerate(cells)
            if mask & (mask - 1) and mask != geometry.all_values
        }

    def even_cells(self) -> list[int]:
        """The cells to draw in grey: those known to be even, if there are even or odd marks."""
        geometry = self.geometry
        marks = {geometry.even_values, geometry.odd_values}
        cells = self.puzzle.cells if self.puzzle else ()
        if self.candidates or not any(mask in marks and mask & (mask - 1) for mask in cells):
            return []
        return [cell for cell, mask in enumerate(cells) if not mask & ~geometry.even_values]

    @property
    def is_parity_known(self) -> bool:
        """Whether every cell is known to be even or known to be odd."""
        even, odd = self.geometry.even_values, self.geometry.odd_values
        cells = self.puzzle.cells if self.puzzle else ()
        return all(not (mask & even and mask & odd) for mask in cells)

    def odd_cells(self) -> list[int]:
        """The cells marked as odd; empty if every cell that is not grey is odd."""
        odd = self.geometry.odd_values
        is_other = self.puzzle is None or self.candidates or self.is_parity_known
        cells = self.puzzle.cells if self.puzzle and not is_other else ()
        return [cell for cell, mask in enumerate(cells) if mask == odd and mask & (mask - 1)]

    def sign(self, value: int) -> str:
        """The character or number of a value."""
        return (self.signs[value - 1 : value] if self.signs else "") or str(value)


def board_summary(board: Board) -> str:
    """A short description of a board: `9×9 cells in boxes of 3×3, 30 givens`."""
    geometry = board.geometry
    n, grids = geometry.side, len(geometry.grids)
    cells = f"{n}×{n} cells"
    if free := geometry.free_grid:
        cells = (
            f"{free.rows}×{free.columns} cells, values {geometry.lowest} to {geometry.values[-1]}"
        )
        if outside := geometry.size - geometry.grid_size:
            cells += f", {counted(outside, 'cell')} outside"
    elif geometry.has_boxes:
        cells += f" in boxes of {geometry.height}×{geometry.width}"
    parts = [f"{counted(grids, 'grid')} of {cells}" if grids else cells]
    if board.puzzle:
        parts.append(counted(len(board.givens), "given"))
        if rules := board.puzzle.rules:
            parts.append(counted(len(rules), "rule"))
    if even := board.even_cells():
        parts.append(counted(len(even), "even cell"))
    if odd := board.odd_cells():
        parts.append(counted(len(odd), "odd cell"))
    if marked := board.candidates:
        parts.append(f"candidates in {counted(len(marked), 'cell')}")
    return ", ".join(parts)


def board_svg(board: Board, title: str, key: str, *, standalone: bool = False) -> str:
    """The board as an SVG element whose ids begin with `key`.

    `standalone`: as the content of an SVG file, with style and size.

    Raises ValueError for more than 25×25 cells.
    """
    if not board.is_drawable:
        raise ValueError(f"{TOO_LARGE}")
    left, top, width, height = _bounds(board)
    own = (
        f' xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{2 * height}"'
        if standalone
        else ""
    )
    few = " few" if max(board.geometry.extent) <= _SMALL_SIDE else ""
    head = (
        f'<svg{own} class="board{few}" viewBox="{left} {top} {width} {height}" role="img" '
        f'aria-labelledby="{key}t {key}d">'
        f'<title id="{key}t">{escape(printable(title))}</title>'
        f'<desc id="{key}d">{escape(_description(board))}</desc>'
    )
    style = f"<style>{BOARD_STYLE}{style_of(board.rule_shapes.kinds)}</style>" if standalone else ""
    return "".join((head, style, *_elements(board), "</svg>"))


def picture(puzzle: Puzzle, grid: Grid | None, kind: str) -> bytes:
    """The board as a file. Raises ValueError if it is too large, UsageError without the extra."""
    from pipeline.outbox.report.typeset import picture_of  # noqa: PLC0415 - an extra

    board = Board(puzzle, grid)
    return picture_of([board_svg(board, board_summary(board), "b", standalone=True)], kind)


def board_image(puzzle: Puzzle | None, grid: Grid | None) -> str | None:
    """The board as an HTML image, which keeps its style separate; None if it is too large."""
    board = Board(puzzle, grid)
    if not board.is_drawable:
        return None
    words = board_summary(board)
    source = b64encode(board_svg(board, words, "b", standalone=True).encode()).decode()
    return f'<img alt="{escape(words)}" src="data:image/svg+xml;base64,{source}">'


def _bounds(board: Board) -> tuple[int, int, int, int]:
    """Left, top, width and height of the drawing."""
    rows, columns = board.geometry.extent
    top, right, bottom, left = board.rule_shapes.margins
    left, top = left + _MARGIN, top + _MARGIN
    return (
        -left,
        -top,
        left + columns * CELL + right + _MARGIN,
        top + rows * CELL + bottom + _MARGIN,
    )


def _elements(board: Board) -> Iterator[str]:
    geometry, shaped = board.geometry, board.rule_shapes
    left, top, width, height = _bounds(board)
    yield f'<path class="paper" d="M{left}{top}h{width}v{height}h-{width}z"/>'
    cells = {geometry.place(cell) for cell in range(geometry.size)}
    yield _path("even", map(geometry.place, board.even_cells()), _SQUARE)
    yield _path("even odd", map(geometry.place, board.odd_cells()), _RING)
    yield from shaped.elements_below()
    yield _path("conflict", sorted({*board.conflict} & cells), _RING)
    yield _path("difference", sorted({*board.difference} & cells), _DASHED)
    yield f'<path class="thin" d="{inner_lines(geometry)}"/>'
    yield f'<path class="thick" d="{borders(geometry, shaped.regions)}"/>'
    yield from shaped.elements_above()
    yield _group_names(geometry)
    yield _digits("given", board.givens, board)
    yield _digits("solved", board.solved, board)
    yield _candidates(board)


def _group_names(geometry: Geometry) -> str:
    """The names of groups of cells outside the grid, written above them."""
    spans = []
    for name, _ in geometry.free_grid.groups if geometry.free_grid else ():
        assert geometry.free_grid  # noqa: S101 - it has groups
        row, _ = geometry.place(geometry.free_grid.cells_of_group(name)[0])
        spans.append(f'<tspan x="1" y="{(row - 1) * CELL - 3}">{escape(name)}</tspan>')
    return f'<text class="group">{"".join(spans)}</text>' if spans else ""


def _path(name: str, places: Iterable[Place], shape: str) -> str:
    """Draw the same shape in some cells."""
    corners = (((column - 1) * CELL, (row - 1) * CELL) for row, column in places)
    path = "".join(shape.format(x=x, y=y) for x, y in corners)
    return f'<path class="{name}" d="{path}"/>' if path else ""


def _digits(name: str, values: dict[int, int], board: Board) -> str:
    """Values in their cells; single characters are one text with many positions."""
    if not values:
        return ""
    corners = ((r - 1, c - 1) for r, c in map(board.geometry.place, values))
    places = [(c * CELL + CELL // 2, r * CELL + _BASELINE) for r, c in corners]
    signs = [board.sign(value) for value in values.values()]
    if all(len(sign) == 1 for sign in signs):
        xs, ys = (" ".join(map(str, axis)) for axis in zip(*places, strict=True))
        return f'<text class="{name}" x="{xs}" y="{ys}">{escape("".join(signs))}</text>'
    spans = (
        f'<tspan x="{x}" y="{y}">{escape(sign)}</tspan>'
        for (x, y), sign in zip(places, signs, strict=True)
    )
    return f'<text class="{name} small">{"".join(spans)}</text>'


def _candidates(board: Board) -> str:
    """The candidates of the cells without a value; each value has its own position in a cell."""
    side = board.geometry.side
    columns = ceil(sqrt(side))
    step = (CELL - 2 * _PADDING) / columns
    spans = []
    for cell, values in board.candidates.items():
        if cell in board.solved:
            continue
        row, column = board.geometry.place(cell)
        for value in values:
            down, across = divmod(value - board.geometry.lowest, columns)
            x = (column - 1) * CELL + _PADDING + (across + 0.5) * step
            y = (row - 1) * CELL + _PADDING + (down + 0.8) * step
            spans.append(f'<tspan x="{x:.4g}" y="{y:.4g}">{escape(board.sign(value))}</tspan>')
    return f'<text class="candidates by-{columns}">{"".join(spans)}</text>' if spans else ""


def _description(board: Board) -> str:
    """A description of the drawing for screen readers."""
    geometry = board.geometry
    values = board.givens | board.solved
    words = [f"{board_summary(board)}."]
    rules = board.puzzle.rules if board.puzzle else ()
    if rules:
        words.append(f"Rules: {_listing(rule.describe(geometry) for rule in rules)}.")
    for name, row in _lines(geometry):
        shown = (board.sign(values[cell]) if cell in values else "–" for cell in row)
        words.append(f"{name[:1].upper()}{name[1:]}: {' '.join(shown)}.")
    if blank := [cell for cell in board.candidates if cell not in board.solved]:
        marks = (
            f"{geometry.name_of(cell)} {' '.join(map(board.sign, board.candidates[cell]))}"
            for cell in blank
        )
        words.append(f"Candidates: {_listing(marks)}.")
    for label, places in (("In conflict", board.conflict), ("Different", board.difference)):
        if places:
            named = (f"row {row} column {column}" for row, column in sorted(places))
            words.append(f"{label}: {', '.join(named)}.")
    broken = sorted({*board.rules_in_conflict} & {*range(len(rules))})
    if broken:
        names = _listing(rules[index].describe(geometry) for index in broken)
        words.append(f"Rules in conflict: {names}.")
    return " ".join(words)


def _lines(geometry: Geometry) -> Iterator[tuple[str, Sequence[int]]]:
    """The names and cells of the rows, and of groups of cells outside the grid."""
    if geometry.free_grid:
        return geometry.free_grid.rows_and_groups()
    return ((unit_name(geometry, index), row) for index, row in enumerate(geometry.rows()))


def _listing(names: Iterable[str]) -> str:
    """Names with commas, up to _MAX_RULES_TEXT characters, and the number of further ones."""
    shown, more, room = list[str](), 0, _MAX_RULES_TEXT
    for name in names:
        room -= len(name)
        if room >= 0:
            shown.append(name)
        else:
            more += 1
    return ", ".join(shown) + (f" and {more} more" if more else "")
