"""A puzzle and its result, drawn as SVG in the style of print."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from html import escape

from pipeline.errors import counted, printable
from pipeline.puzzle import Geometry, Grid, Puzzle

LARGEST_DRAWN = 25
_CELL = 20
_BASELINE = 15
_MARGIN = 2
_FEW = 6
_RING = "M{x} {y}m2 10a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"
_DASHED = "M{x} {y}m2.5 2.5h15v15h-15z"
_SQUARE = "M{x} {y}h20v20h-20z"

BOARD_STYLE = """\
.board .paper { fill: var(--paper, #fff); }
.board .even { fill: var(--even, #dfdedb); }
.board .thin { fill: none; stroke: var(--thin, #a9a7a2); stroke-width: .7; }
.board .thick { fill: none; stroke: var(--thick, #1f2023); stroke-width: 1.9; \
stroke-linecap: square; }
.board text { font: 13.5px Charter, "Bitstream Charter", "Liberation Serif", \
Georgia, Cambria, serif; text-anchor: middle; }
.board .small { font-size: 10.5px; }
.board .given { fill: var(--given, #131417); font-weight: 700; }
.board .solved { fill: var(--solved, #5b6472); }
.board .conflict { fill: var(--conflict-tint, #f9d9d4); stroke: var(--conflict, #b3261e); \
stroke-width: 1.4; }
.board .difference { fill: none; stroke: var(--difference, #1d5fae); \
stroke-width: 1.1; stroke-dasharray: 2.2 1.6; }
"""

Place = tuple[int, int]
"""Row and column, from 1."""


@dataclass(frozen=True, slots=True)
class Board:
    """What is drawn: the puzzle, a solution of it, or both, of one geometry.

    Without the puzzle it is not known which values were given. `conflict` and `difference` are
    cells to mark. `signs` are those of the values 1, 2, … if they are not numbers. Raises
    ValueError if there is nothing to draw, or if the two do not match.
    """

    puzzle: Puzzle | None
    grid: Grid | None = None
    conflict: Collection[Place] = ()
    difference: Collection[Place] = ()
    signs: str = ""

    def __post_init__(self) -> None:
        drawn = {part.geometry for part in (self.puzzle, self.grid) if part is not None}
        if len(drawn) != 1:
            raise ValueError("a board is of a puzzle, of a grid, or of both of one geometry")

    @property
    def geometry(self) -> Geometry:
        part = self.puzzle or self.grid
        assert part is not None  # noqa: S101 - the constructor sees to it
        return part.geometry

    @property
    def is_drawable(self) -> bool:
        """Whether it is small enough to draw."""
        return self.geometry.side <= LARGEST_DRAWN

    def givens(self) -> dict[int, int]:
        """Cell → given value."""
        return dict(self.puzzle.givens()) if self.puzzle else {}

    def solved(self) -> dict[int, int]:
        """Cell → found value."""
        givens = self.givens()
        values = enumerate(self.grid.values) if self.grid else ()
        return {cell: value for cell, value in values if cell not in givens}

    def even_cells(self) -> list[int]:
        """The grey cells: if there are marks, all cells known to be even."""
        geometry = self.geometry
        marks = {geometry.even_values, geometry.odd_values}
        cells = self.puzzle.cells if self.puzzle else ()
        if not any(mask in marks and mask & (mask - 1) for mask in cells):
            return []
        return [cell for cell, mask in enumerate(cells) if not mask & ~geometry.even_values]

    def sign(self, value: int) -> str:
        return self.signs[value - 1 : value] or str(value)


def in_words(board: Board) -> str:
    """A short description of a board."""
    n = board.geometry.side
    parts = [f"{n}×{n} cells in boxes of {board.geometry.height}×{board.geometry.width}"]
    if board.puzzle:
        parts.append(counted(len(board.givens()), "given"))
    if even := board.even_cells():
        parts.append(counted(len(even), "even cell"))
    return ", ".join(parts)


def board_svg(board: Board, title: str, key: str, *, alone: bool = False) -> str:
    """The board as an SVG element whose ids begin with `key`; `alone`: as a file of its own.

    Raises ValueError for more than 25×25 cells.
    """
    if not board.is_drawable:
        raise ValueError(f"more than {LARGEST_DRAWN}×{LARGEST_DRAWN} cells are not drawn")
    side = board.geometry.side * _CELL + 2 * _MARGIN
    spread = f"{-_MARGIN} {-_MARGIN} {side} {side}"
    own = (
        f' xmlns="http://www.w3.org/2000/svg" width="{2 * side}" height="{2 * side}"'
        if alone
        else ""
    )
    few = " few" if board.geometry.side <= _FEW else ""
    head = (
        f'<svg{own} class="board{few}" viewBox="{spread}" role="img" '
        f'aria-labelledby="{key}t {key}d">'
        f'<title id="{key}t">{escape(printable(title))}</title>'
        f'<desc id="{key}d">{escape(_described(board))}</desc>'
    )
    style = f"<style>{BOARD_STYLE}</style>" if alone else ""
    return "".join((head, style, *_drawn(board), "</svg>"))


def _drawn(board: Board) -> Iterator[str]:
    geometry = board.geometry
    n = geometry.side
    length = n * _CELL
    yield f'<path class="paper" d="M-2-2h{length + 4}v{length + 4}h-{length + 4}z"/>'
    cells = {place: cell for cell, place in enumerate(map(geometry.place, range(n * n)))}
    conflict = sorted(cells[place] for place in {*board.conflict} & cells.keys())
    difference = sorted(cells[place] for place in {*board.difference} & cells.keys())
    yield _path("even", board.even_cells(), n, _SQUARE)
    yield _path("conflict", conflict, n, _RING)
    yield _path("difference", difference, n, _DASHED)
    yield _lines("thin", length, range(_CELL, length, _CELL), range(_CELL, length, _CELL))
    across, down = geometry.height * _CELL, geometry.width * _CELL
    yield _lines("thick", length, range(0, length + 1, across), range(0, length + 1, down))
    yield _digits("given", board.givens(), board)
    yield _digits("solved", board.solved(), board)


def _path(name: str, cells: Iterable[int], n: int, shape: str) -> str:
    """Draw the same shape in some cells."""
    drawn = (shape.format(x=cell % n * _CELL, y=cell // n * _CELL) for cell in cells)
    path = "".join(drawn)
    return f'<path class="{name}" d="{path}"/>' if path else ""


def _lines(name: str, length: int, across: Iterable[int], down: Iterable[int]) -> str:
    drawn = [f"M0 {y}h{length}" for y in across] + [f"M{x} 0v{length}" for x in down]
    return f'<path class="{name}" d="{"".join(drawn)}"/>'


def _digits(name: str, values: dict[int, int], board: Board) -> str:
    """The values in their cells; single letters and digits as one text with many positions."""
    if not values:
        return ""
    n = board.geometry.side
    places = [(c % n * _CELL + _CELL // 2, c // n * _CELL + _BASELINE) for c in values]
    signs = [board.sign(value) for value in values.values()]
    if all(len(sign) == 1 for sign in signs):
        xs, ys = (" ".join(map(str, axis)) for axis in zip(*places, strict=True))
        return f'<text class="{name}" x="{xs}" y="{ys}">{escape("".join(signs))}</text>'
    spans = (
        f'<tspan x="{x}" y="{y}">{escape(sign)}</tspan>'
        for (x, y), sign in zip(places, signs, strict=True)
    )
    return f'<text class="{name} small">{"".join(spans)}</text>'


def _described(board: Board) -> str:
    """A description of what can be seen, for screen readers."""
    geometry = board.geometry
    values = board.givens() | board.solved()
    words = [f"{in_words(board)}."]
    for number, row in enumerate(geometry.rows(), 1):
        shown = (board.sign(values[cell]) if cell in values else "–" for cell in row)
        words.append(f"Row {number}: {' '.join(shown)}.")
    for said, places in (("In conflict", board.conflict), ("Different", board.difference)):
        if places:
            named = (f"row {row} column {column}" for row, column in sorted(places))
            words.append(f"{said}: {', '.join(named)}.")
    return " ".join(words)
