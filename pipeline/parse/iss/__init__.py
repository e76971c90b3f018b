"""iss: the constraint texts of the Interactive Sudoku Solver.

    .Thermo~R9C4~R8C3~R7C2.~R1C2_4~R2C5_1_2

Each constraint is a dot, its type and its arguments; one without a type tells values of cells.
Rows and columns are single signs, 1-9 and a-g. White space means nothing. A type that is not
known is refused by its name. Sides are 4 to 16.
"""

from __future__ import annotations

import re

from pipeline.parse.base import Format, Found
from pipeline.parse.ruled import LEAST_SIDE, MOST_SIDE, usual_boxes
from pipeline.parse.text import Text
from pipeline.puzzle import Puzzle, values_of
from pipeline.settings import Reading

_TYPES = r"(?:[XV]|NFA)\s*~|[A-Z][A-Za-z]*[a-z]"
_BEGINS = re.compile(rf"\s*\.(?:\s*\.)*\s*(?:~|{_TYPES})", re.ASCII)
_ENOUGH = 400
"""Characters that are looked at: no type is so long."""


def recognise_iss(text: Text) -> str | None:
    """Recognise a type or a tilde after a dot: no grid has either, even one with letters."""
    begun = "\n".join(line.text[:_ENOUGH] for line in text.lines[:_ENOUGH])
    return "it begins as a constraint, '.Type~'" if _BEGINS.match(begun) else None


def parse_iss(text: Text, _reading: Reading) -> Found:
    from pipeline.parse.iss.reading import read  # noqa: PLC0415 - with all rules

    return read(text)


def render_iss(puzzle: Puzzle, _notation: str) -> str:
    """Write the shape, and the values of each cell that does not allow all, a line for each.

    Raises ValueError for rules, which a text cannot be made of, and for unusual boxes.
    """
    from pipeline.parse.iss.grammar import cell_name  # noqa: PLC0415 - as the rest

    geometry, n = puzzle.geometry, puzzle.geometry.side
    if not LEAST_SIDE <= n <= MOST_SIDE or geometry != usual_boxes(n) or not puzzle.is_plain:
        raise ValueError("no constraint text for such boxes or rules")
    lines = [f".Shape~{n}x{n}"]
    for cell, mask in enumerate(puzzle.cells):
        if mask != geometry.all_values:
            values = "_".join(map(str, values_of(mask)))
            lines.append(f".~{cell_name(*geometry.place(cell))}_{values}")
    return "\n".join(lines) + "\n"


ISS = Format("iss", recognise_iss, parse_iss, render_iss, begins=_BEGINS)
