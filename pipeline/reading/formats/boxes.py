"""The formats `boxes` and `bordered`: the size of a box, then numbers, for sides of 2 to 256.

    c easy                  experiment: 2x2
    3 3                     puzzle size: 2x2
    5 3 0  0 7 0  0 0 0     +-----+-----+
    …                       | 1 _ | _ _ |
                            | _ _ | 3 _ |
                            +-----+-----+
                            …

Boxes: optional comment lines beginning with `c`, the height and the width of a box, and then
(height · width)² integers, row by row, 0 for a blank, separated by any white space.

Bordered: lines `name: value`, the last of which is `puzzle size: HxW`, the height and the width of
a box. Blanks are underscores. A 0 is a blank too if the value n occurs, which shows that values
count from 1. The project farif/SATSudoku uses this format, whose puzzles have sides up to 225.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, dropwhile, islice

from pipeline.errors import counted
from pipeline.puzzle.geometry import MAX_SIDE, MIN_SIDE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import Alphabet, numbers, without_leading_zeros
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import (
    GEOMETRIES,
    numbers_up_to,
    split_into_rows,
    written_cells,
)
from pipeline.reading.formats.frames import Frame, frame_of_numbers, parser
from pipeline.reading.formats.text import Text, TextLine, Word
from pipeline.settings import Reading

_BOXES_BEGIN = re.compile(
    r"\s*c(?:[ \t].*)?(?:\n|\Z)|\s*[1-9]\d{0,2}[ \t]+[1-9]\d{0,2}[ \t]*(?:\n|\Z)"
)
"""A comment line or the size of a box."""

_COMMENT = re.compile(r"\s*c(\s|\Z)")
_BOX_DIMENSION = re.compile(r"[1-9][0-9]{0,2}")


def _lines_after_comments(text: Text) -> list[TextLine]:
    """The lines after the comment lines at the beginning."""
    return [*dropwhile(lambda line: line.text.lstrip().startswith("c"), text.lines)]


def recognise_boxes(text: Text) -> str | None:
    body = _lines_after_comments(text)
    if len(body) < len(text.lines) and _COMMENT.match(text.lines[0].text):
        return "it begins with a comment line 'c …'"
    words = chain.from_iterable(map(TextLine.words, body))
    header = [word.text for word in islice(words, 2)]
    if len(header) < 2 or not all(map(_BOX_DIMENSION.fullmatch, header)):
        return None
    side = int(header[0]) * int(header[1])
    if side > MAX_SIDE and min(map(len, header)) > 1 and len(body) > 2:
        return None  # too large for the size of a box, so it is a row of a grid with a gap
    if len(body[0].text.split()) == 2 and not _is_likely_row(text, side):
        return "its first line is the size of a box"
    cell_count = side * side
    if side <= MAX_SIDE and sum(1 for _ in islice(words, cell_count + 1)) == cell_count:
        return f"the size of a box and {cell_count} numbers"
    return None


def _is_likely_row(text: Text, product: int) -> bool:
    """Whether a first line of two numbers, `12 34`, is more likely a row of single cells.

    It is a row if most lines have the length of a row of some side, this side is not the `product`
    of the two numbers, and there are at most twice as many lines as a grid of this side has.
    """
    lengths = [len(row.cells) for row in text.rows]
    side, occurrences = Counter(lengths).most_common(1)[0]
    is_other_side = side in GEOMETRIES and side != product
    return is_other_side and len(lengths) <= 2 * side and occurrences > len(lengths) / 2


def _boxes_frame(text: Text) -> Frame:
    words = chain.from_iterable(map(TextLine.words, _lines_after_comments(text)))
    geometry = _header_geometry(text, list(islice(words, 2)))
    size, fault = geometry.size, None
    cells = [*islice(words, size)]
    if len(cells) < size:
        expected = f"{size} numbers after the size of the boxes"
        fault = text.at_end(expected, counted(len(cells), "number"))
    elif (extra := next(words, None)) is not None:
        fault = text.at_word(extra, f"the end after {size} numbers")
    return Frame.of_words(cells, geometry, fault)


def _header_geometry(text: Text, header: Sequence[Word]) -> Geometry:
    expected = f"height and width of a box, with a product from {MIN_SIDE} to {MAX_SIDE}"
    for word in header:
        if not _BOX_DIMENSION.fullmatch(word.text):
            raise text.at_word(word, expected)
    if len(header) < 2:
        raise text.at_end(expected, "the end of the file")
    first, second = header
    try:
        return Geometry(int(first.text), int(second.text))
    except ValueError:
        raise text.at_word(first, expected, f"{first.text} and {second.text}") from None


def render_boxes(puzzle: Puzzle, _notation: str) -> str:
    """Write the header line and n lines of n numbers.

    Raises ValueError for rules, and for a cell that is neither given nor blank.
    """
    geometry, n = puzzle.geometry, puzzle.geometry.side
    rows = split_into_rows(written_cells(puzzle, numbers_up_to(n), "0"), n)
    lines = (" ".join(row) + "\n" for row in rows)
    return f"{geometry.height} {geometry.width}\n" + "".join(lines)


BOXES = Format(
    "boxes",
    recognise_boxes,
    parser(_boxes_frame, numbers("0", ", or 0 for a blank")),
    render_boxes,
    begins=_BOXES_BEGIN,
    has_solutions=True,
    has_other_text=True,
    states_boxes=True,
)


_BORDERED_BEGIN = re.compile(r"(?i)(?:\s*[a-z][a-z ]*:.*\n){0,9}\s*puzzle size\s*:")
"""Lines `name: value`, and the beginning of `puzzle size:`."""

_SIZE = re.compile(r"puzzle size\s*:\s*([0-9]{1,3})\s*x\s*([0-9]{1,3})", re.IGNORECASE)
_SIZE_BEGINS = re.compile(r"puzzle size\s*:", re.IGNORECASE)

_NAMED_VALUE = re.compile(r"[A-Za-z][A-Za-z ]*:")
"""The name in a line `name: value`."""

_FIRST_NAMES = ("experiment:", "number of tasks:", "task:", "puzzle size:")
"""Names with which the first line of a text in this format begins."""

_EXPECTED_SIZE = f"'puzzle size: HxW', the size of a box, H · W from {MIN_SIDE} to {MAX_SIDE}"


def recognise_bordered(text: Text) -> str | None:
    first = text.lines[0].text.strip().lower()
    name = next((name for name in _FIRST_NAMES if first.startswith(name)), None)
    if name is not None:
        return f"it begins with '{name}'"
    if len(text.lines) == 1 and any(name.startswith(first) for name in _FIRST_NAMES):
        return "its line is the beginning of 'puzzle size:' or 'number of tasks:'"
    return None


def _bordered_frame(text: Text) -> Frame:
    geometry, lines = _bordered_size(text)
    frame = frame_of_numbers(text, lines, [geometry.side])._replace(geometry=geometry)
    if frame.fault:
        return frame
    first, last = (line.text.count("+") * line.is_border for line in (lines[0], lines[-1]))
    fault = text.at_end("a border like the one above the first row", "the end of the file")
    return frame if first <= last else frame._replace(fault=fault)


def _bordered_size(text: Text) -> tuple[Geometry, tuple[TextLine, ...]]:
    """The geometry in the line `puzzle size:`, and the lines after it. Raises InvalidPuzzle."""
    for index, line in enumerate(text.lines):
        content = line.text.strip()
        if match := _SIZE.fullmatch(content):
            try:
                geometry = Geometry(int(match[1]), int(match[2]))
            except ValueError:
                raise text.at_line(line, _EXPECTED_SIZE) from None
            return geometry, text.lines[index + 1 :]
        if _SIZE_BEGINS.match(content) or not _NAMED_VALUE.match(content):
            raise text.at_line(line, _EXPECTED_SIZE)
    raise text.at_end(_EXPECTED_SIZE, "the end of the file")


def _numbers_or_underscores(
    tokens: Sequence[str], side: int, reading: Reading
) -> Sequence[Alphabet]:
    """The alphabet of numbers, with underscores for blanks, and 0 too if the value n occurs."""
    blanks, restriction = ["_", "0"], ""
    if str(side) not in map(without_leading_zeros, tokens):  # the values may be 0 to n - 1
        blanks, restriction = ["_"], f", but not 0, because {side} does not occur"
    (alphabet,) = numbers("_", f", or __ for a blank{restriction}")(tokens, side, reading)

    def fold(token: str) -> str:
        return without_leading_zeros(token) if all(map(token.strip, blanks)) else "_"

    return [alphabet._replace(fold=fold)]


def render_bordered(puzzle: Puzzle, _notation: str) -> str:
    """Write the size of a box, and n rows between borders.

    Raises ValueError for rules, and for a cell that is neither given nor blank.
    """
    height, width, n = puzzle.geometry.height, puzzle.geometry.width, puzzle.geometry.side
    digit_count = len(str(n))
    padded_numbers = [number.rjust(digit_count) for number in numbers_up_to(n)]
    cells = written_cells(puzzle, padded_numbers, "_" * digit_count)
    segments = [" ".join(segment) for segment in split_into_rows(cells, width)]
    rows = [f"| {' | '.join(row)} |\n" for row in split_into_rows(segments, height)]
    border = "+" + ("-" * (len(segments[0]) + 2) + "+") * height + "\n"
    bands = ["".join(band) for band in split_into_rows(rows, height)]
    return f"puzzle size: {height}x{width}\n{border}{border.join(bands)}{border}"


BORDERED = Format(
    "bordered",
    recognise_bordered,
    parser(_bordered_frame, _numbers_or_underscores),
    render_bordered,
    begins=_BORDERED_BEGIN,
    has_solutions=True,
    has_other_text=True,
    states_boxes=True,
)
