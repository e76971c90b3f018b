"""Puzzles and lines of files in plain text, with what matters marked."""

from __future__ import annotations

import codecs
import io
import unicodedata
from collections.abc import Collection
from itertools import accumulate, islice

from pipeline.errors import printable
from pipeline.puzzle import Puzzle

_EVEN, _ODD, _OTHER = "*", ".", "?"
_NARROWEST = 20
_CUT = "…"


def marked_grid(puzzle: Puzzle, cells: Collection[tuple[int, int]]) -> str:
    """The puzzle between box lines, with these cells (row, column from 1) in brackets.

    Even marks are `*` and odd ones `.`, as in files. Blanks are `.`, or `_` among marks. No
    newline at the end.
    """
    geometry = puzzle.geometry
    n, box = geometry.side, geometry.width
    signs = {1 << value - 1: str(value) for value in range(1, n + 1)}
    marks = {geometry.even_values: _EVEN, geometry.odd_values: _ODD}
    marks = {mask: sign for mask, sign in marks.items() if mask not in signs}
    signs |= marks
    blank = "." if {*puzzle.cells} <= signs.keys() - marks.keys() | {geometry.all_values} else "_"
    signs[geometry.all_values] = blank
    size = len(str(n))
    border = "+".join(["-" * ((size + 2) * box)] * (n // box))
    marked = frozenset(cells)
    lines: list[str] = []
    for row in range(n):
        if row and row % geometry.height == 0:
            lines.append(border)
        drawn = [
            f"[{sign:>{size}}]" if (row + 1, column + 1) in marked else f" {sign:>{size}} "
            for column in range(n)
            for sign in [signs.get(puzzle.cells[row * n + column], _OTHER)]
        ]
        boxes = ("".join(drawn[start : start + box]) for start in range(0, n, box))
        lines.append("|".join(boxes).rstrip())
    return "\n".join(lines)


def line_at(data: bytes, number: int) -> str | None:
    """A line (from 1) of a source's bytes, as an InvalidPuzzle counts; None if it has fewer.

    What is not UTF-8 becomes U+FFFD.
    """
    text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    line = next(islice(io.StringIO(text, newline=None), number - 1, None), None)
    return None if line is None else line.rstrip("\n")


def caret(line: str, column: int, width: int = 100) -> str:
    """The line, and below it a caret under its column (from 1; one past the end is allowed).

    No more than `width` (at least 20) columns of a terminal are used: what lies far from the
    caret gives way to a `…`. A tab is one space. What is not printable, or has no place and
    width of its own, is escaped. No newline at the end.
    """
    width = max(width, _NARROWEST)
    line = line.rstrip("\r\n")
    at = min(max(column, 1), len(line) + 1) - 1
    before = [_shown(character) for character in line[max(0, at - width) : at]]
    here = _shown(line[at : at + 1])
    after = [_shown(character) for character in line[at + 1 : at + 1 + width]]
    room = width - max(1, _columns(here))
    if _columns("".join(before + after)) > room:
        room -= 2 * len(_CUT)
        on_the_right = min(_columns("".join(after)), room // 2)
        on_the_left = min(_columns("".join(before)), room - on_the_right)
        before = _fitting(before[::-1], on_the_left)[::-1]
        after = _fitting(after, room - on_the_left)
    left = "".join(before)
    return f"{left}{here}{''.join(after)}\n{' ' * _columns(left)}^"


def _shown(character: str) -> str:
    """What is printed for a character, or for none."""
    if character == "\t":
        return " "
    if character and _strays(character):
        return ascii(character)[1:-1]
    return printable(character)


def _strays(character: str) -> bool:
    """Whether it stands upon another character, or not where it comes in the line."""
    is_mark = unicodedata.category(character).startswith("M")
    return is_mark or unicodedata.bidirectional(character) in ("R", "AL", "AN")


def _columns(shown: str) -> int:
    """The columns that a text takes on a terminal."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in shown)


def _fitting(shown: list[str], room: int) -> list[str]:
    """As many of these as there is room for; where some are left out, `…` says so."""
    ends = accumulate(map(_columns, shown))
    kept = sum(end <= room for end in ends)
    return shown[:kept] + [_CUT] * (kept < len(shown))
