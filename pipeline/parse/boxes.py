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
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from pipeline.errors import counted
from pipeline.parse.base import Format, Found
from pipeline.parse.cells import GEOMETRIES, number_of, written_cells
from pipeline.parse.text import Line, Text, quote
from pipeline.puzzle import MAX_SIDE, MIN_SIDE, Geometry, Puzzle
from pipeline.settings import Reading

_WORD = re.compile(r"\S+")
_BEGINS = re.compile(r"\s*c(?:[ \t].*)?(?:\n|\Z)|\s*[1-9]\d{0,2}[ \t]+[1-9]\d{0,2}[ \t]*(?:\n|\Z)")
_COMMENT = re.compile(r"\s*c(\s|\Z)")
_SIZE = re.compile(r"[1-9][0-9]{0,2}")


class _Word(NamedTuple):
    line: int
    column: int
    text: str


def _body(text: Text) -> tuple[Line, ...]:
    """The lines behind the comments."""
    lines = text.lines
    start = next(
        (i for i, line in enumerate(lines) if not line.text.lstrip().startswith("c")), len(lines)
    )
    return lines[start:]


def _words(lines: tuple[Line, ...]) -> Iterator[_Word]:
    for line in lines:
        for match in _WORD.finditer(line.text):
            yield _Word(line.number, match.start() + 1, match[0])


def recognise_boxes(text: Text) -> str | None:
    body = _body(text)
    if len(body) < len(text.lines) and _COMMENT.match(text.lines[0].text):
        return "it begins with a comment line 'c …'"
    header = [word.text for word in islice(_words(body), 2)]
    if len(header) < 2 or not all(_SIZE.fullmatch(word) for word in header):
        return None
    side = int(header[0]) * int(header[1])
    if side > MAX_SIDE and min(map(len, header)) > 1 and len(body) > 2:
        return None  # nobody writes such a size: it is a row of a grid with a gap in it
    if len(body[0].text.split()) == 2 and not _like_grid_row(text, side):
        return "its first line is the size of a box"
    enough = side * side + 2
    if side <= MAX_SIDE and sum(1 for _ in islice(_words(body), enough + 1)) == enough:
        return f"the size of a box and {side * side} numbers"
    return None


def _like_grid_row(text: Text, product: int) -> bool:
    """Whether a first line of two numbers, `12 34`, rather is a row of single cells.

    It is one if most lines have as many characters as a row, which is not what the numbers say,
    and there are about as many lines.
    """
    lengths = [len(line.cells) for line in text.lines if not line.is_border]
    side, times = Counter(lengths).most_common(1)[0]
    meant = side in GEOMETRIES and side != product
    return meant and len(lengths) <= 2 * side and times > len(lengths) / 2


def parse_boxes(text: Text, _reading: Reading) -> Found:
    words = _words(_body(text))
    geometry = _geometry(text, list(islice(words, 2)))
    n = geometry.side
    values = [_value(text, word, n) for word in islice(words, n * n)]
    if len(values) < n * n:
        raise text.at_end(
            f"{n * n} numbers after the size of the boxes", counted(len(values), "number")
        )
    extra = next(words, None)
    if extra is not None:
        raise text.error(
            extra.line, extra.column, f"the end after {n * n} numbers", quote(extra.text)
        )
    return Found(Puzzle.of_values(geometry, values))


def _geometry(text: Text, header: list[_Word]) -> Geometry:
    expected = f"height and width of a box, their product {MIN_SIDE} to {MAX_SIDE}"
    for word in header:
        if not _SIZE.fullmatch(word.text):
            raise text.error(word.line, word.column, expected, quote(word.text))
    if len(header) < 2:
        raise text.at_end(expected, "the end of the file")
    height, width = (int(word.text) for word in header)
    try:
        return Geometry(height, width)
    except ValueError:
        first, second = header
        last = text.lines[-1]
        ends = second.column + len(second.text) > len(last.text.rstrip())
        raise text.error(
            first.line,
            first.column,
            expected,
            f"{height} and {width}",
            truncated=second.line == last.number and ends,
        ) from None


def _value(text: Text, word: _Word, side: int) -> int:
    """The number that a word is, 0 to the side."""
    value = number_of(word.text, side)
    if value is not None:
        return value
    expected = f"a number from 1 to {side}, or 0 for a blank"
    raise text.error(word.line, word.column, expected, quote(word.text))


def render_boxes(puzzle: Puzzle) -> str:
    """The header line and n lines of n numbers.

    Raises ValueError for cells that allow neither one value nor all: there is no sign for them.
    """
    geometry = puzzle.geometry
    n = geometry.side
    cells = written_cells(puzzle, [str(value) for value in range(1, n + 1)], "0")
    rows = (" ".join(cells[start : start + n]) + "\n" for start in range(0, n * n, n))
    return f"{geometry.height} {geometry.width}\n" + "".join(rows)


BOXES = Format("boxes", recognise_boxes, parse_boxes, render_boxes, begins=_BEGINS)
