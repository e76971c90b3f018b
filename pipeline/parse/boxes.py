"""Boxes: a header with the size of the boxes, then numbers, for sides of 2 to 256.

    c easy
    3 3
    5 3 0  0 7 0  0 0 0
    …

Lines beginning with `c` come first; then height and width of a box; then (height · width)²
integers, row by row, 0 for a blank, in any white space.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, dropwhile, islice

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import GEOMETRIES, in_rows, number_of, numbers_up_to, written_cells
from pipeline.parse.text import Line, Text, Word
from pipeline.puzzle import MAX_SIDE, MIN_SIDE, Geometry, Puzzle
from pipeline.settings import Reading

_BEGINS = re.compile(r"\s*c(?:[ \t].*)?(?:\n|\Z)|\s*[1-9]\d{0,2}[ \t]+[1-9]\d{0,2}[ \t]*(?:\n|\Z)")
_COMMENT = re.compile(r"\s*c(\s|\Z)")
_SIZE = re.compile(r"[1-9][0-9]{0,2}")


def _body(text: Text) -> list[Line]:
    """The lines after the comments."""
    return [*dropwhile(lambda line: line.text.lstrip().startswith("c"), text.lines)]


def recognise_boxes(text: Text) -> str | None:
    body = _body(text)
    if len(body) < len(text.lines) and _COMMENT.match(text.lines[0].text):
        return "it begins with a comment line 'c …'"
    words = chain.from_iterable(map(Line.words, body))
    header = [word.text for word in islice(words, 2)]
    if len(header) < 2 or not all(map(_SIZE.fullmatch, header)):
        return None
    side = int(header[0]) * int(header[1])
    if side > MAX_SIDE and min(map(len, header)) > 1 and len(body) > 2:
        return None  # too large to be meant as a size: a row of a grid with a gap in it
    if len(body[0].text.split()) == 2 and not _like_grid_row(text, side):
        return "its first line is the size of a box"
    enough = side * side
    if side <= MAX_SIDE and sum(1 for _ in islice(words, enough + 1)) == enough:
        return f"the size of a box and {enough} numbers"
    return None


def _like_grid_row(text: Text, product: int) -> bool:
    """Whether a first line of two numbers, `12 34`, is more likely a row of single cells.

    It is if most lines have as many characters as a row, other than the size would need, and
    there are about as many lines.
    """
    lengths = [len(row.cells) for row in text.rows]
    side, times = Counter(lengths).most_common(1)[0]
    meant = side in GEOMETRIES and side != product
    return meant and len(lengths) <= 2 * side and times > len(lengths) / 2


def parse_boxes(text: Text, _reading: Reading) -> Found:
    words = chain.from_iterable(map(Line.words, _body(text)))
    geometry = _geometry(text, list(islice(words, 2)))
    n = geometry.side
    values = [_value(text, word, n) for word in islice(words, n * n)]
    if len(values) < n * n:
        expected = f"{n * n} numbers after the size of the boxes"
        raise text.at_end(expected, counted(len(values), "number"))
    extra = next(words, None)
    if extra is not None:
        raise text.at_word(extra, f"the end after {n * n} numbers")
    return Found(Puzzle.of_values(geometry, values))


def _geometry(text: Text, header: Sequence[Word]) -> Geometry:
    expected = f"height and width of a box, their product {MIN_SIDE} to {MAX_SIDE}"
    for word in header:
        if not _SIZE.fullmatch(word.text):
            raise text.at_word(word, expected)
    if len(header) < 2:
        raise text.at_end(expected, "the end of the file")
    first, second = header
    try:
        return Geometry(int(first.text), int(second.text))
    except ValueError:
        last, found = text.lines[-1], f"{first.text} and {second.text}"
        ends = second.column + len(second.text) > len(last.text.rstrip())
        cut_off = second.line == last.number and ends
        raise text.error(first.line, first.column, expected, found, truncated=cut_off) from None


def _value(text: Text, word: Word, side: int) -> int:
    value = number_of(word.text, side)
    if value is None:
        raise text.at_word(word, f"a number from 1 to {side}, or 0 for a blank")
    return value


def render_boxes(puzzle: Puzzle) -> str:
    """Write the header line and n lines of n numbers.

    Raises ValueError for cells that allow neither one value nor all: they have no sign.
    """
    geometry, n = puzzle.geometry, puzzle.geometry.side
    rows = in_rows(written_cells(puzzle, numbers_up_to(n), "0"), n)
    lines = (" ".join(row) + "\n" for row in rows)
    return f"{geometry.height} {geometry.width}\n" + "".join(lines)


BOXES = Format("boxes", recognise_boxes, parse_boxes, render_boxes, begins=_BEGINS)
