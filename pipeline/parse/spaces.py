"""Spaces: n rows of up to n characters, in which a space is an empty cell, for n = 4, 6, 8, 9.

    53  7
    6  195
     98    6
    …

What editors cut off at the end of a line is blank, and so is an empty line between the others.
The digits of a row may also stand in every second column, `5 3     7`. Where they stand decides
which it is; what can be read in both ways is not read.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import DIGITS, GEOMETRIES, written_cells
from pipeline.parse.grid import recognise_grid
from pipeline.parse.text import Line, Text, decode_text, either, quote
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_SIGNS = frozenset(DIGITS + " ")
_WIDE = "   "
_FEWEST = 3


def recognise_spaces(text: Text) -> str | None:
    if not any(" " in line.text for line in text.lines) or recognise_grid(text):
        return None
    rows = _rows(text)
    written = [row for row in rows if row.text.strip()]
    clean = [row for row in written if _SIGNS.issuperset(row.text)]
    side, step = _layout(rows, clean)
    if side is None or len(written) < _FEWEST or len(clean) * 4 < len(written) * 3:
        return None
    return f"{len(rows)} rows in which a space is a blank" if _is_decided(clean, step) else None


def parse_spaces(text: Text, _reading: Reading) -> Found:
    rows = _rows(text)
    side, step = _layout(rows, rows)
    if side is None:
        first = text.lines[0]
        raise text.at_line(first, f"{either(GEOMETRIES)} rows", counted(len(rows), "row"))
    values = [value for index in range(len(rows)) for value in _values(text, rows, index, side)]
    if len(rows) < side:
        raise text.at_end(f"{side} rows", counted(len(rows), "row"))
    return Found(Puzzle.of_values(GEOMETRIES[side], values))
