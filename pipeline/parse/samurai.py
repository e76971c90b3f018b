"""Samurai: five grids of 9×9, one a line, that share the boxes in the corners of the third.

    the upper left, the upper right, the middle, the lower left and the lower right grid

Five puzzles one a line are a collection, unless they agree in all shared cells, not all blank.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import BLANKS, DIGITS
from pipeline.parse.ruled import given_masks
from pipeline.parse.text import Text, Word, quote
from pipeline.puzzle import Geometry, Puzzle
from pipeline.settings import Reading

SAMURAI_GEOMETRY = Geometry(3, 3, ((0, 0), (0, 12), (6, 6), (12, 0), (12, 12)))
"""The grids in the order of the lines."""

_SIDE = SAMURAI_GEOMETRY.side
_GRIDS = len(SAMURAI_GEOMETRY.grids)


def recognise_samurai(text: Text) -> str | None:
    rows = text.rows
    if len(rows) != _GRIDS or any(len(row.cells) != _SIDE**2 for row in rows):
        return None
    held: dict[int, str] = {}
    shared = ""
    for cell, sign in _placed("".join(row.cells for row in rows)):
        if cell in held:
            if held[cell] != sign:
                return None
            shared += sign
        held[cell] = sign
    agree = not set(DIGITS).isdisjoint(shared)
    return "5 lines of 81 cells that agree where the grids share boxes" if agree else None


def _placed(signs: str) -> Iterator[tuple[int, str]]:
    """Each sign with its cell, grid by grid and row by row."""
    cells = (cell for row in SAMURAI_GEOMETRY.rows() for cell in row)
    return zip(cells, signs, strict=True)


def parse_samurai(text: Text, _reading: Reading) -> Found:
    rows = text.rows or text.lines
    for row in rows:
        if len(row.cells) != _SIDE**2:
            found = counted(len(row.cells), "cell")
            may_go_on = row is rows[-1] and len(row.cells) < _SIDE**2
            column = len(row.text) + 1
            raise text.error(row.number, column, "81 cells", found, truncated=may_go_on)
    if len(rows) < _GRIDS:
        raise text.at_end("5 lines of 81 cells", counted(len(rows), "line"))
    if len(rows) > _GRIDS:
        found = counted(len(rows), "line")
        raise text.at_line(rows[_GRIDS], "5 lines of 81 cells", found, may_go_on=False)
    given = _given(text, [cell for row in rows for cell in row.placed_cells()])
    masks, contradicting = given_masks(SAMURAI_GEOMETRY, given)
    return Found(Puzzle(SAMURAI_GEOMETRY, masks, tuple(contradicting)), "rules")


def _given(text: Text, words: list[Word]) -> Iterator[tuple[int, int]]:
    """The given cells with their masks; a shared one may be given in one grid or in both."""
    blank = ""
    cells = (cell for row in SAMURAI_GEOMETRY.rows() for cell in row)
    for cell, word in zip(cells, words, strict=True):
        if word.text in (blank or BLANKS):
            blank = word.text
            continue
        value = DIGITS.find(word.text) + 1
        if not value:
            expected = f"a digit or {quote(blank) if blank else 'a blank'}"
            raise text.at_word(word, expected)
        yield cell, 1 << value - 1


SAMURAI = Format("samurai", recognise_samurai, parse_samurai, render=None)
