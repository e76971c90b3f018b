"""Simple Sudoku: the `.ss` files of that program.

    *-----------*
    |.3.|4..|...|
    …
    |---+---+---|
    …
    *-----------*

The grid format reads these lines as well. This one has a name of its own to write solutions so
that Simple Sudoku opens them; whatever is drawn otherwise is left to the grid format.
"""

from __future__ import annotations

import re

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import render_cells
from pipeline.parse.grid import parse_grid
from pipeline.parse.text import Text
from pipeline.puzzle import Geometry, Puzzle
from pipeline.settings import Reading

_GEOMETRY = Geometry(3, 3)
_EDGE, _RULE = "*-----------*", "|---+---+---|"
_BAND = r"(\|[^|]{3}\|[^|]{3}\|[^|]{3}\|\n){3}"
_DRAWN = re.compile(
    f"{re.escape(_EDGE)}\n({_BAND}{re.escape(_RULE)}\n){{2}}{_BAND}{re.escape(_EDGE)}\n"
)
_LINES = 13


def recognise_simple(text: Text) -> str | None:
    if len(text.lines) != _LINES:
        return None
    drawn = "".join(line.text.strip() + "\n" for line in text.lines)
    return "9 rows in the frame that Simple Sudoku draws" if _DRAWN.fullmatch(drawn) else None


def parse_simple(text: Text, reading: Reading) -> Found:
    found = parse_grid(text, reading)
    if found.puzzle.geometry != _GEOMETRY:
        rows = counted(found.puzzle.geometry.side, "row")
        raise text.error(text.lines[0].number, 1, "9 rows of 9 cells", rows)
    return found


def render_simple(puzzle: Puzzle) -> str:
    """The frame and 9 rows in it; raises ValueError for other sides."""
    if puzzle.geometry != _GEOMETRY:
        raise ValueError("Simple Sudoku has 9 rows of 9 cells")
    cells = render_cells(puzzle)
    parts = [cells[start : start + 3] for start in range(0, 81, 3)]
    rows = [f"|{'|'.join(parts[start : start + 3])}|" for start in range(0, 27, 3)]
    drawn = [_EDGE, *rows[:3], _RULE, *rows[3:6], _RULE, *rows[6:], _EDGE]
    return "".join(line + "\n" for line in drawn)


SIMPLE = Format("simple-sudoku", recognise_simple, parse_simple, render_simple)
