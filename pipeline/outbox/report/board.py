"""Draw a puzzle and its result as SVG."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import ceil, sqrt
from textwrap import wrap
from typing import TYPE_CHECKING

from pipeline.errors import counted, printable
from pipeline.outbox.report import step_shapes
from pipeline.outbox.report.outlines import CELL, borders, inner_lines
from pipeline.outbox.report.published_jobs import shorten
from pipeline.outbox.report.rule_shapes import BOARD_STYLE, RuleShapes, style_sheet_for
from pipeline.puzzle.boards import value_text
from pipeline.puzzle.geometry import Geometry, unit_name, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle, Rule
from pipeline.puzzle.rules import LineRule
from pipeline.puzzle.rules.free import GROUP_TITLES, DrawnRegions, Unit, drawn_regions
from pipeline.puzzle.shapes import Place

if TYPE_CHECKING:
    from pipeline.steps.presentation.picture import Picture

MAX_DRAWN_SIDE = 25
"""The number of rows or columns of the largest boards that are drawn."""

TOO_LARGE = f"not drawn: more than {MAX_DRAWN_SIDE}×{MAX_DRAWN_SIDE} cells"
"""The message for a board that is too large to draw."""

_BASELINE_OFFSET, _LOW_BASELINE_OFFSET = 15, 16.2
"""The distance from the top of a cell to the baseline of its digit: usually, and on boards with
texts in the corners of cells, whose digits are also smaller."""
_MARGIN = 2
"""The distance between the grid and the edge of the drawing."""
_PADDING = 1
"""The distance between the sides of a cell and its candidates."""
_SMALL_SIDE = 6
"""The number of rows or columns of the largest boards that are styled as small."""
_CIRCLE_PATH = "M{x} {y}m2 10a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"
_INNER_SQUARE_PATH = "M{x} {y}m2.5 2.5h15v15h-15z"
_SQUARE_PATH = "M{x} {y}h20v20h-20z"
"""Templates of the paths of shapes in the cell whose top left corner is x, y."""

_CAPTION_LINE, _CAPTION_CHARACTERS, _MAX_CAPTION_CHARACTERS = 10, 5, 300
"""The height of a line of the text below a board, the number of its characters per column of the
grid, and the maximum length of the text."""

_MAX_LIST_CHARACTERS = 1_000
"""Maximum number of characters in a list of rules or candidates in a description."""


@dataclass(frozen=True)
class Board:
    """The content of a drawing: a puzzle, a solution, or both with the same geometry.

    - `puzzle`: the puzzle; if it is None, no value of `grid` is drawn as a given.
    - `grid`: the solution.
    - `conflict`: the cells of clues that contradict each other.
    - `difference`: the cells in which the solutions differ.
    - `symbols`: the characters of the values 1, 2, …; empty for numbers.
    - `rules_in_conflict`: the indices of the puzzle's rules that are part of the conflict.
    - `unread`: the parts of the source that were not read, as in `Parsed`. They are not drawn.
    - `step`: a step through the puzzle, which is drawn instead of a solution: the values and
      candidates before it, its pattern and its conclusions.
    - `order`: candidates (cell, value) of the step that are placed one after the other; they are
      drawn as values, each with a letter.
    - `hides_candidates`: draw only those candidates that are part of the step.
    - `has_caption`: write below the board which of its rules, or of their numbers, are not drawn.

    Raises ValueError if both puzzle and grid are missing, or if their geometries differ.
    """

    puzzle: Puzzle | None
    grid: Grid | None = None
    conflict: Collection[Place] = ()
    difference: Collection[Place] = ()
    symbols: str = ""
    rules_in_conflict: Collection[int] = ()
    unread: Collection[str] = ()
    step: Picture | None = None
    order: Sequence[tuple[int, int]] = ()
    hides_candidates: bool = False
    has_caption: bool = False

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
        """Whether the board is small enough to draw."""
        return max(self.drawn_geometry.extent) <= MAX_DRAWN_SIDE

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the drawing, in SVG units."""
        _, _, width, height = _bounds(self)
        return width, height

    @property
    def span(self) -> float:
        """The larger of the width and height of the drawing without margins, in cells."""
        return (max(self.size) - 2 * _MARGIN) / CELL

    @cached_property
    def _chaos(self) -> DrawnRegions | None:
        """The regions of a chaos construction, if they are drawn as borders."""
        values = self.grid.values if self.grid else ()
        return drawn_regions(self.puzzle, values) if self.puzzle else None

    @property
    def drawn_geometry(self) -> Geometry:
        """The geometry without the cells that only number regions."""
        return self._chaos.geometry if self._chaos else self.geometry

    @property
    def regions(self) -> tuple[tuple[Place, ...], ...]:
        """The cells of each region with a border, of a jigsaw or of a solved chaos construction."""
        return self.rule_shapes.regions + (self._chaos.regions if self._chaos else ())

    @cached_property
    def rule_shapes(self) -> RuleShapes:
        """The shapes of the puzzle's rules."""
        extent = self.drawn_geometry.extent
        if self.puzzle is None:
            return RuleShapes(extent, {})
        return RuleShapes.of(self.puzzle, frozenset(self.rules_in_conflict), extent)

    @cached_property
    def caption(self) -> list[str]:
        """The lines of text below the board: names of rules."""
        rules = self.puzzle.rules if self.puzzle and self.has_caption else ()
        names = dict.fromkeys(rule.caption() for rule in rules if not self._is_drawn(rule))
        columns = self.drawn_geometry.extent[1]
        text = shorten(", ".join(map(printable, names)), _MAX_CAPTION_CHARACTERS)
        return wrap(text, int(columns * _CAPTION_CHARACTERS))

    def _is_drawn(self, rule: Rule) -> bool:
        """Whether the drawing shows a rule, with its number if it has one."""
        if isinstance(rule, Unit):
            return True
        if isinstance(rule, LineRule) and rule.bounded_field:
            return False
        return any(True for _ in rule.draw(self.geometry))

    @cached_property
    def givens(self) -> dict[int, int]:
        """Maps the cells with a given to its value."""
        return dict(self.puzzle.givens()) if self.puzzle else {}

    @cached_property
    def solved(self) -> dict[int, int]:
        """Maps the cells without a given value to the values of the solution, or before a step."""
        if self.step:
            before = self.step.before.values
            return {c: value for c, value in enumerate(before) if value and c not in self.givens}
        values = enumerate(self.grid.values) if self.grid else ()
        return {cell: value for cell, value in values if cell not in self.givens}

    @cached_property
    def candidates(self) -> dict[int, list[int]]:
        """Maps each cell with a mark to its candidates.

        Empty if all marks are even or odd: such marks are drawn in grey instead.
        """
        geometry = self.geometry
        usual = {geometry.all_values, geometry.even_values, geometry.odd_values}
        cells = self.puzzle.cells if self.puzzle else ()
        if self.step or all(mask in usual or not mask & (mask - 1) for mask in cells):
            return {}
        return {
            cell: [*values_of(mask, geometry.lowest)]
            for cell, mask in enumerate(cells)
            if mask & (mask - 1) and mask != geometry.all_values
        }

    def even_cells(self) -> list[int]:
        """The cells to draw in grey: all cells known to be even, if there are even or odd marks."""
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
        """The cells to mark as odd; empty if every cell that is not grey is known to be odd."""
        odd = self.geometry.odd_values
        is_unmarked = self.puzzle is None or self.candidates or self.is_parity_known
        cells = self.puzzle.cells if self.puzzle and not is_unmarked else ()
        return [cell for cell, mask in enumerate(cells) if mask == odd and mask & (mask - 1)]

    def value_text(self, value: int) -> str:
        """The character of a value, or else the value as a number."""
        return value_text(value, self.symbols)

    @property
    def is_wide(self) -> bool:
        """Whether a value is written by more than one character."""
        return any(len(self.value_text(value)) > 1 for value in self.geometry.values)

    @property
    def candidate_layout(self) -> tuple[int, float]:
        """The number of columns of candidates in a cell, and the distance between candidates."""
        columns = ceil(sqrt(self.geometry.side))
        return columns, (CELL - 2 * _PADDING) / columns


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
    """Draw a board as an SVG element whose ids begin with `key`.

    `standalone`: include style and size, so that the element is the content of an SVG file.
    Raises ValueError if the board is too large.
    """
    if not board.is_drawable:
        raise ValueError(TOO_LARGE)
    left, top, width, height = _bounds(board)
    attributes = (
        f' xmlns="http://www.w3.org/2000/svg" width="{2 * width}" height="{2 * height}"'
        if standalone
        else ""
    )
    few = " few" if max(board.drawn_geometry.extent) <= _SMALL_SIDE else ""
    head = (
        f'<svg{attributes} class="board{few}" viewBox="{left} {top} {width} {height}" role="img" '
        f'aria-labelledby="{key}t {key}d">'
        f'<title id="{key}t">{escape(printable(title))}</title>'
        f'<desc id="{key}d">{escape(_description(board))}</desc>'
    )
    style = ""
    if standalone:
        style = f"<style>{BOARD_STYLE}{style_sheet_for(board.rule_shapes.kinds)}"
        style += f"{step_shapes.STEP_STYLE if board.step else ''}</style>"
    return "".join((head, style, *_draw_parts(board), "</svg>"))


def picture(puzzle: Puzzle, grid: Grid | None, kind: str) -> bytes:
    """Draw a puzzle as the content of a file of this kind: `svg`, `png` or `pdf`.

    Raises ValueError if the puzzle is too large, and UsageError if the extra is not installed.
    """
    from pipeline.outbox.report.typeset import typeset_picture  # noqa: PLC0415 - an extra

    board = Board(puzzle, grid, has_caption=True)
    return typeset_picture([board_svg(board, board_summary(board), "b", standalone=True)], kind)


def board_image(puzzle: Puzzle | None, grid: Grid | None) -> str | None:
    """Draw a puzzle as an HTML image, which the style of the page does not affect.

    Returns None if it is too large.
    """
    board = Board(puzzle, grid, has_caption=True)
    if not board.is_drawable:
        return None
    words = board_summary(board)
    source = b64encode(board_svg(board, words, "b", standalone=True).encode()).decode()
    return f'<img alt="{escape(words)}" src="data:image/svg+xml;base64,{source}">'


def _bounds(board: Board) -> tuple[int, int, int, int]:
    """The left, top, width and height of the drawing, in SVG units."""
    rows, columns = board.drawn_geometry.extent
    top, right, bottom, left = board.rule_shapes.margins
    left, top = left + _MARGIN, top + _MARGIN
    return (
        -left,
        -top,
        left + columns * CELL + right + _MARGIN,
        top + rows * CELL + bottom + _MARGIN + _CAPTION_LINE * len(board.caption),
    )


def _draw_parts(board: Board) -> Iterator[str]:
    """Yield the SVG elements of the drawing, from bottom to top. Some may be empty."""
    geometry, rule_shapes = board.drawn_geometry, board.rule_shapes
    left, top, width, height = _bounds(board)
    yield f'<path class="paper" d="M{left}{top}h{width}v{height}h-{width}z"/>'
    if board.step:
        yield from step_shapes.shades(board)
    cells = {geometry.place(cell) for cell in range(geometry.size)}
    yield _draw_in_cells("even", map(geometry.place, board.even_cells()), _SQUARE_PATH)
    yield _draw_in_cells("even odd", map(geometry.place, board.odd_cells()), _CIRCLE_PATH)
    yield from rule_shapes.elements_below()
    yield _draw_in_cells("conflict", sorted({*board.conflict} & cells), _CIRCLE_PATH)
    yield _draw_in_cells("difference", sorted({*board.difference} & cells), _INNER_SQUARE_PATH)
    yield f'<path class="thin" d="{inner_lines(geometry)}"/>'
    if board.regions and geometry.has_boxes:
        yield f'<path class="boxes" d="{borders(geometry)}"/>'
    yield f'<path class="thick" d="{borders(geometry, board.regions)}"/>'
    has_candidates = bool(board.step or board.candidates.keys() - board.solved.keys())
    yield from rule_shapes.elements_above(has_candidates=has_candidates)
    yield _draw_group_names(geometry)
    yield _draw_values("given", board.givens, board)
    yield _draw_values("solved", board.solved, board)
    yield from step_shapes.marks(board) if board.step else (_draw_candidates(board),)
    yield _draw_caption(board)


def _draw_caption(board: Board) -> str:
    """Write the names of rules below the board."""
    _, top, _, height = _bounds(board)
    first = top + height - _CAPTION_LINE * (len(board.caption) - 1) - 2 * _MARGIN
    spans = (
        f'<tspan x="0" y="{first + _CAPTION_LINE * index}">{escape(line)}</tspan>'
        for index, line in enumerate(board.caption)
    )
    return f'<text class="note">{"".join(spans)}</text>' if board.caption else ""


def _draw_group_names(geometry: Geometry) -> str:
    """Write the name of each group of cells outside the grid above the group."""
    spans = []
    for name, _ in geometry.free_grid.groups if geometry.free_grid else ():
        assert geometry.free_grid  # noqa: S101 - it has groups
        row, _ = geometry.place(geometry.free_grid.cells_of_group(name)[0])
        text = f"{name}: {GROUP_TITLES[name]}" if name in GROUP_TITLES else name
        spans.append(f'<tspan x="1" y="{(row - 1) * CELL - 3}">{escape(text)}</tspan>')
    return f'<text class="group">{"".join(spans)}</text>' if spans else ""


def _draw_in_cells(css_class: str, places: Iterable[Place], path_template: str) -> str:
    """Draw the same shape in all these cells."""
    corners = (((column - 1) * CELL, (row - 1) * CELL) for row, column in places)
    path = "".join(path_template.format(x=x, y=y) for x, y in corners)
    return f'<path class="{css_class}" d="{path}"/>' if path else ""


def _draw_values(css_class: str, values: dict[int, int], board: Board) -> str:
    """Write values in their cells.

    If all values are single characters, a single text element has the positions of all of them.
    """
    drawn = {cell: value for cell, value in values.items() if cell < board.drawn_geometry.size}
    if not drawn:
        return ""
    baseline: float = _BASELINE_OFFSET
    if board.rule_shapes.has_corner_texts:
        css_class, baseline = f"{css_class} low", _LOW_BASELINE_OFFSET
    corners = ((r - 1, c - 1) for r, c in map(board.geometry.place, drawn))
    places = [(c * CELL + CELL // 2, f"{r * CELL + baseline:g}") for r, c in corners]
    texts = [board.value_text(value) for value in drawn.values()]
    if all(len(text) == 1 for text in texts):
        xs, ys = (" ".join(map(str, axis)) for axis in zip(*places, strict=True))
        return f'<text class="{css_class}" x="{xs}" y="{ys}">{escape("".join(texts))}</text>'
    spans = (
        f'<tspan x="{x}" y="{y}">{escape(text)}</tspan>'
        for (x, y), text in zip(places, texts, strict=True)
    )
    return f'<text class="{css_class} small">{"".join(spans)}</text>'


def _draw_candidates(board: Board) -> str:
    """Write the candidates of the cells without a value, each at the position for its value."""
    columns, step = board.candidate_layout
    spans = []
    for cell, values in board.candidates.items():
        if cell in board.solved:
            continue
        row, column = board.geometry.place(cell)
        for value in values:
            down, across = divmod(value - board.geometry.lowest, columns)
            x = (column - 1) * CELL + _PADDING + (across + 0.5) * step
            y = (row - 1) * CELL + _PADDING + (down + 0.8) * step
            spans.append(
                f'<tspan x="{x:.4g}" y="{y:.4g}">{escape(board.value_text(value))}</tspan>'
            )
    return f'<text class="candidates by-{columns}">{"".join(spans)}</text>' if spans else ""


def _description(board: Board) -> str:
    """A description of the drawing for screen readers."""
    geometry = board.geometry
    values = board.givens | board.solved
    words = [f"{board_summary(board)}."]
    rules = board.puzzle.rules if board.puzzle else ()
    if rules:
        words.append(f"Rules: {_join_names(rule.describe(geometry) for rule in rules)}.")
    for name, row in _named_rows(geometry):
        shown = (board.value_text(values[cell]) if cell in values else "–" for cell in row)
        words.append(f"{name[:1].upper()}{name[1:]}: {' '.join(shown)}.")
    if blank := [cell for cell in board.candidates if cell not in board.solved]:
        marks = (
            f"{geometry.name_of(cell)} {' '.join(map(board.value_text, board.candidates[cell]))}"
            for cell in blank
        )
        words.append(f"Candidates: {_join_names(marks)}.")
    if board.step:
        words.append(step_shapes.step_words(board))
    for label, places in (("In conflict", board.conflict), ("Different", board.difference)):
        if places:
            named = (f"row {row} column {column}" for row, column in sorted(places))
            words.append(f"{label}: {', '.join(named)}.")
    broken = sorted({*board.rules_in_conflict} & {*range(len(rules))})
    if broken:
        names = _join_names(rules[index].describe(geometry) for index in broken)
        words.append(f"Rules in conflict: {names}.")
    return " ".join(words)


def _named_rows(geometry: Geometry) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield the name and cells of each row, and of each group of cells outside the grid."""
    if geometry.free_grid:
        return geometry.free_grid.rows_and_groups()
    return ((unit_name(geometry, index), row) for index, row in enumerate(geometry.rows()))


def _join_names(names: Iterable[str]) -> str:
    """Join names with commas, up to _MAX_LIST_CHARACTERS, and append how many were omitted."""
    shown, more, room = list[str](), 0, _MAX_LIST_CHARACTERS
    for name in names:
        room -= len(name)
        if room >= 0:
            shown.append(name)
        else:
            more += 1
    return ", ".join(shown) + (f" and {more} more" if more else "")
