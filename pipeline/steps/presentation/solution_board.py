"""Draw a solution of a variant as text for a terminal, with its regions and cages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from pipeline.puzzle.boards import value_text
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules.free import drawn_regions
from pipeline.puzzle.shapes import Outline, Place
from pipeline.solving.drawing import PLAIN_BOARD, BoardStyle
from pipeline.steps.presentation.cell_borders import (
    CellBorders,
    Junction,
    ascii_junction,
    box_drawing_junction,
    outlines_of,
    straight,
)


def has_areas(puzzle: Puzzle) -> bool:
    """Whether `solution_board` draws more than the borders of boxes: regions or cages."""
    return bool(outlines_of(puzzle.geometry, puzzle.rules) or drawn_regions(puzzle))


def solution_board(
    puzzle: Puzzle,
    grid: Grid,
    symbols: str = "",
    style: BoardStyle = PLAIN_BOARD,
    *,
    marked: Collection[int] = (),
) -> str:
    """Draw a solution of a puzzle with regions or cages. Returns text without a newline at the end.

    Boxes and regions have solid borders. Cages have dashed borders, with the sum above the first
    cell; then the borders of boxes and regions are heavy, unless `style` is ASCII. The regions of a
    chaos construction are drawn.

    - `symbols`: the characters of the values 1, 2, …; empty for numbers.
    - `marked`: cells to mark.
    """
    chaos = drawn_regions(puzzle, grid.values)
    geometry = chaos.geometry if chaos else puzzle.geometry
    outlines = outlines_of(puzzle.geometry, puzzle.rules)
    outlines += [Outline(places, "region") for places in chaos.regions] if chaos else []
    borders = CellBorders(geometry, outlines, has_frame=True)
    texts = [value_text(value, symbols) for value in grid.values[: geometry.size]]
    width = max(map(len, texts))
    givens = {cell for cell, _ in puzzle.givens()}
    cells = dict[Place, str]()
    for cell, text in enumerate(texts):
        is_marked = cell in marked
        padded = style.cell_text(f"{text:>{width}}", is_given=cell in givens, is_marked=is_marked)
        has_brackets = is_marked and not style.has_colours
        cells[geometry.place(cell)] = f"[{padded}]" if has_brackets else f" {padded} "
    junction = ascii_junction if style.is_ascii else box_drawing_junction(borders)
    return "\n".join(_lines(borders, cells, geometry.extent, width + 2, junction))


def _lines(
    borders: CellBorders,
    cells: Mapping[Place, str],
    extent: tuple[int, int],
    min_width: int,
    junction: Junction,
) -> Iterator[str]:
    """Yield the lines of a board: rows of cells, and the borders between them.

    - `cells`: the texts of cells, `min_width` characters wide without escape sequences.
    - `extent`: the numbers of rows and columns.
    """
    rows, columns = extent
    widths = [min_width] * columns
    for (_, column), text in borders.texts.items():
        widths[column - 1] = max(widths[column - 1], len(text))
    has_border = [
        any(borders.between((row, column), (row, column + 1)) for row in range(1, rows + 1))
        for column in range(columns + 1)
    ]
    for row in range(rows + 1):
        edges = [borders.between((row, column), (row + 1, column)) for column in range(columns + 2)]
        beside = [
            [borders.between((r, column), (r, column + 1)) for column in range(columns + 1)]
            for r in (row, row + 1)
        ]
        if any(edges):
            meetings = map(junction, *beside, edges, edges[1:])
            parts = [
                borders.texts.get((row + 1, column), "").ljust(
                    width, straight(junction, edges[column])[0]
                )
                for column, width in enumerate(widths, 1)
            ]
            yield _joined(parts, meetings, has_border)
        if row < rows:
            signs = (straight(junction, kind)[1] for kind in beside[1])
            parts = [
                cells.get((row + 1, column), " " * min_width) + " " * (width - min_width)
                for column, width in enumerate(widths, 1)
            ]
            yield _joined(parts, signs, has_border)


def _joined(parts: Sequence[str], signs: Iterable[str], has_border: Sequence[bool]) -> str:
    """Join the parts of a line, with signs between columns that have a border."""
    shown = [sign if has else "" for sign, has in zip(signs, has_border, strict=True)]
    return "".join(chain.from_iterable(zip(shown, (*parts, ""), strict=True))).rstrip()
