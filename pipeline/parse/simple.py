"""Simple Sudoku: the `.ss` files of that program.

    *-----------*
    |.3.|4..|...|
    …
    |---+---+---|
    …
    *-----------*

The grid format reads these lines too. This one exists so that solutions are written as Simple
Sudoku opens them; any other drawing is left to the grid format.
"""

from __future__ import annotations

import re

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import NINE, in_rows, render_cells
from pipeline.parse.grid import parse_grid
from pipeline.parse.text import Text
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_EDGE, _RULE = "*-----------*\n", "|---+---+---|\n"
_BAND = r"(\|[^|]{3}\|[^|]{3}\|[^|]{3}\|\n){3}"
_DRAWN = re.compile(re.escape(_EDGE) + re.escape(_RULE).join([_BAND] * 3) + re.escape(_EDGE))
_LINES = 13


def recognise_simple(text: Text) -> str | None:
    if len(text.lines) != _LINES:
        return None
    drawn = "".join(line.text.strip() + "\n" for line in text.lines)
    return "9 rows in the frame that Simple Sudoku draws" if _DRAWN.fullmatch(drawn) else None


def parse_simple(text: Text, reading: Reading) -> Found:
    found = parse_grid(text, reading)
    if found.puzzle.geometry != NINE:
        rows = counted(found.puzzle.geometry.side, "row")
        raise text.error(text.lines[0].number, 1, "9 rows of 9 cells", rows)
    return found


def render_simple(puzzle: Puzzle) -> str:
    """Write the frame and 9 rows in it; raises ValueError for other sides."""
    if puzzle.geometry != NINE:
        raise ValueError("Simple Sudoku has 9 rows of 9 cells")
    rows = [f"|{'|'.join(in_rows(row, 3))}|\n" for row in in_rows(render_cells(puzzle), 9)]
    return _EDGE + _RULE.join("".join(band) for band in in_rows(rows, 3)) + _EDGE


SIMPLE = Format("simple-sudoku", recognise_simple, parse_simple, render_simple)
