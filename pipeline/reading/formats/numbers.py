"""Numbers in a spreadsheet (n lines of n fields), or in JSON (a list of n lists of n cells).

    5,3,,,7,,,,          [[5, 3, 0, 0, 7, 0, 0, 0, 0],
    6,,,1,9,5,,,          [6, null, "", "1", …
    …                     …

n is 4, 6, 8, 9, 16 or 25. Fields are separated by commas, semicolons or tabs, and may be quoted. A
blank is an empty field, null or "" in JSON, or 0 if no field is empty. In JSON, a row may also be a
string, as in "53..7....", whose characters are cells as in a grid.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import Alphabet, digits, numbers
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import (
    ALL_GEOMETRIES,
    BLANKS,
    GEOMETRIES,
    SIDES_WITH_BOXES,
    number_of,
    numbers_up_to,
    shape_in_words,
    split_into_rows,
    written_cells,
)
from pipeline.reading.formats.frames import Frame, TokenRow, frame_of_rows, parser
from pipeline.reading.formats.line import CSV
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.tables import (
    MAX_TABLE_ROWS,
    TABLE_DELIMITERS,
    parse_table,
    recognise_table,
)
from pipeline.reading.formats.text import DECODED_BYTES, Text, TextLine, Word, cells_of, quote
from pipeline.settings import Reading

_MAX_SIDE = max(ALL_GEOMETRIES)


def _shape_of(text: Text) -> tuple[int, bool] | None:
    """The likely side n, and whether the text is n lines of n numbers; None for other texts."""
    delimiter = _delimiter_of(text)
    if delimiter not in text.lines[0].text or len(text.lines) > MAX_TABLE_ROWS:
        return None
    lines = _lines_of(text, delimiter)
    side = _likely_side([line.text.count(delimiter) + 1 for line in lines])
    if side is None or len(lines) > 2 * side:
        return None
    fields = [field for line in lines for field in _fields_of(line, delimiter).tokens]
    cells = sum(not field or number_of(field, _MAX_SIDE) is not None for field in fields)
    if len(lines) == side and cells == len(fields) == side * side:
        return side, True
    return (side, False) if "" in fields and cells * 4 > len(fields) * 3 else None


def _likely_side(widths: Sequence[int]) -> int | None:
    """The most common width that can be a side; None if fewer than half of the rows have it."""
    for length, count in Counter(widths).most_common():
        if length in SIDES_WITH_BOXES and count * 2 >= len(widths):
            return length
    return None


def _delimiter_of(text: Text) -> str:
    return max(TABLE_DELIMITERS, key=text.lines[0].text.count)


def _lines_of(text: Text, delimiter: str) -> list[TextLine]:
    """The first MAX_TABLE_ROWS + 1 lines. Lines of only tabs are rows too."""
    lines = text.uncommented_lines() if delimiter == "\t" else text.lines
    return [*islice((line for line in lines if line.text.strip(" ")), MAX_TABLE_ROWS + 1)]


def _fields_of(line: TextLine, delimiter: str) -> TokenRow:
    """The fields of a line, at most one more than the largest side.

    A valid field contains at most a number, so a delimiter in quotes need not be considered.
    """
    words, column = [], 1
    for written in line.text.split(delimiter, _MAX_SIDE + 1)[: _MAX_SIDE + 1]:
        stripped = written.strip()
        is_quoted = len(stripped) > 1 and stripped[0] == stripped[-1] == '"'
        indent = len(written) - len(written.lstrip()) if stripped else 0
        token = stripped[1:-1].strip() if is_quoted else stripped
        words.append(Word(line.number, column + indent, token))
        column += len(written) + 1
    return TokenRow(words, line.number, len(line.text) + 1, line.text.count(delimiter) + 1)


def _spreadsheet_frame(text: Text) -> Frame:
    delimiter = _delimiter_of(text)
    rows = [_fields_of(line, delimiter) for line in _lines_of(text, delimiter)]
    return frame_of_rows(
        text, [row.tokens for row in rows], lambda: rows, SIDES_WITH_BOXES, noun="field"
    )


def render_spreadsheet(puzzle: Puzzle, _notation: str) -> str:
    """Write n lines of n fields, separated by commas. Raises ValueError as `render_json` does."""
    return "".join(f"{','.join(row)}\n" for row in _number_rows(puzzle, ""))


def _number_rows(puzzle: Puzzle, blank: str) -> list[list[str]]:
    """The values of a puzzle as rows of numbers, with `blank` for a blank.

    Raises ValueError as `render_json` does.
    """
    side = puzzle.geometry.side
    if ALL_GEOMETRIES.get(side) != puzzle.geometry:
        raise ValueError(shape_in_words(puzzle.geometry))
    return split_into_rows(written_cells(puzzle, numbers_up_to(side), blank), side)


_parse_numbers = parser(_spreadsheet_frame, numbers({"", "0"}, ", or an empty field"))


def recognise_spreadsheet(text: Text) -> str | None:
    shape = _shape_of(text)
    if not _is_plain_table(shape) and (reason := recognise_table(text)):
        return reason
    return f"{f'{shape[0]} ' if shape[1] else ''}lines of {shape[0]} fields" if shape else None


def _is_plain_table(shape: tuple[int, bool] | None) -> bool:
    """Whether a spreadsheet has n lines of n numbers, where n is a side with a default geometry.

    A spreadsheet with another n is a table with labels, such as 10 lines of 10 fields.
    """
    return shape is not None and shape[1] and shape[0] in ALL_GEOMETRIES


def _parse_spreadsheet(text: Text, reading: Reading) -> Parsed:
    try:
        return _parse_numbers(text, reading)
    except InvalidPuzzle:
        table = None if _is_plain_table(_shape_of(text)) else parse_table(text, reading)
        if table is None:
            raise
        return table


SPREADSHEET = Format(
    "spreadsheet",
    recognise_spreadsheet,
    _parse_spreadsheet,
    render_spreadsheet,
    many=CSV,
)


_JSON_BEGIN = re.compile(r'\[\s*(?:$|[\["\d]|-1\b|null\b)')
LIST_BEGINS = re.compile(r'\s*\[\s*(?:\[\s*(?:"?\d{1,2}"?|""|-1|null)\s*[,\]]|"[0-9.*_x?]{4})')
_CELL_TYPES = {int, str, type(None)}
"""The usual types of cells in JSON. `_is_cell` also accepts 5.0, NaN and false."""

_SCALAR = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s\[\],]+')
_EXPECTED = "a list of rows in JSON, '[[5, 3, 0, …'"
_BLANK_CHARACTERS = frozenset(BLANKS) - {"0"}
_SIDES_BY_SIZE = {side * side: side for side in SIDES_WITH_BOXES}
_NUMBERS = numbers({"", "0", "-1"}, ", or 0 or null for a blank")


def recognise_json(text: Text) -> str | None:
    first = text.lines[0].text.lstrip()
    return "it begins as a list in JSON" if _JSON_BEGIN.match(first) else None


def is_flat_list(value: object) -> bool:
    """Whether a value is a list of n² cells."""
    if not isinstance(value, list) or len(value) not in _SIDES_BY_SIZE:
        return False
    return _are_cells(value) and all(len(_token(cell)) < 3 for cell in value)


def is_list_of_rows(value: object) -> bool:
    """Whether a value is a list of rows, each of which is a list of cells or a string."""
    if (
        not isinstance(value, list)
        or len(value) < min(SIDES_WITH_BOXES)
        or len(value) > MAX_TABLE_ROWS
    ):
        return False
    widths = [len(row) for row in value if isinstance(row, list | str)]
    if widths != [len(value)] * len(value) and _likely_side(widths) is None:
        return False
    cells = [cell for row in value if isinstance(row, list) for cell in row]
    return len(widths) == len(value) and _are_cells(cells)


def _json_frame(text: Text) -> Frame:
    """The frame of a JSON list of lists of cells, of strings of cells, or of n² cells."""
    written = text.without_comments()
    rows = _parse_json_list(text, written)
    if is_flat_list(rows):
        rows = split_into_rows(rows, _SIDES_BY_SIZE[len(rows)])
    locate = partial(_located_rows, text, written, rows)
    are_strings = {*map(type, rows)} == {str}
    if not are_strings and not _are_lists_of_cells(rows):
        locate()  # raises InvalidPuzzle
    tokens = [cells_of(row) if are_strings else [*map(_token, row)] for row in rows]
    has_characters = are_strings or not _BLANK_CHARACTERS.isdisjoint(chain.from_iterable(tokens))
    sides = GEOMETRIES if has_characters else SIDES_WITH_BOXES
    lines = []
    if are_strings and "|" in written:
        pairs = zip(locate(), rows, strict=True)
        lines = [TextLine.of_text(row.line, cells) for row, cells in pairs]
    return frame_of_rows(text, tokens, locate, sides, lines)


def _are_lists_of_cells(rows: Sequence[Any]) -> bool:
    return {*map(type, rows)} == {list} and _are_cells([*chain.from_iterable(rows)])


def _are_cells(values: Sequence[Any]) -> bool:
    return _CELL_TYPES.issuperset(map(type, values)) or all(map(_is_cell, values))


def _is_cell(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer() or value != value  # noqa: PLR0124 - NaN
    return type(value) in _CELL_TYPES or value is False


def _token(cell: float | str | bool | None) -> str:
    """Convert a cell to a token: null, false and NaN to "", and 5.0 to "5"."""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else str(cell).replace("nan", "")
    return "" if cell is None or cell is False else str(cell).strip()


def _located_rows(text: Text, written: str, rows: Sequence[Any]) -> list[TokenRow]:
    """The rows with the positions of their cells.

    All rows must be lists of cells, or all must be strings. Otherwise raises InvalidPuzzle.
    """
    scalars = (
        (number, match.start() + 1, match.end() + 1)
        for number, line in enumerate(written.split("\n"), 1)
        for match in _SCALAR.finditer(line)
    )
    position = (text.lines[-1].number, 1, 1)  # the line, column and end of the last scalar
    located: list[TokenRow] = []
    for row in rows:
        if type(row) not in (list, str) or type(row) is not type(rows[0]):
            line, column, _ = next(scalars, position)
            expected = "a row: a list of cells or a string, like the first row"
            raise text.error(line, column, expected, quote(json.dumps(row)))
        words: list[Word] = []
        for cell in [row] if isinstance(row, str) else row:
            line, column, _ = position = next(scalars, position)
            if not _is_cell(cell):
                expected = "a cell: a number, a string, or null for a blank"
                raise text.error(line, column, expected, quote(json.dumps(cell)))
            words.append(Word(line, column, _token(cell)))
        if isinstance(row, str):
            cells = TextLine.of_text(position[0], row).placed_cells()
            words = [Word(line, position[1] + column, cell) for line, column, cell in cells]
        located.append(TokenRow(words, position[0], position[2], len(words)))
    return located


def _numbers_or_digits(tokens: Sequence[str], side: int, reading: Reading) -> Sequence[Alphabet]:
    if _BLANK_CHARACTERS.isdisjoint(tokens):
        return _NUMBERS(tokens, side, reading)
    return digits(tokens, side, reading)


def _parse_json_list(text: Text, written: str) -> list[Any]:
    if len(written) > DECODED_BYTES:
        raise text.error(None, None, f"at most {DECODED_BYTES} characters", f"{len(written)}")
    try:
        rows = json.loads(written)
    except json.JSONDecodeError as error:
        rest = written[error.pos :].rstrip()
        found = quote(rest) if rest else "the end of the file"
        raise text.error(error.lineno, error.colno, _EXPECTED, found) from None
    except (RecursionError, ValueError):  # ValueError: a number of thousands of digits
        rows = None
    if not isinstance(rows, list) or not rows:
        raise text.at_line(text.lines[0], _EXPECTED)
    return rows


def render_json(puzzle: Puzzle, _notation: str) -> str:
    """Write a list of n lists of n numbers, 0 for a blank.

    Raises ValueError, whose message names the part of the puzzle that cannot be written, such as
    unusual boxes.
    """
    rows = (f"[{', '.join(row)}]" for row in _number_rows(puzzle, "0"))
    return "[{}]\n".format(",\n ".join(rows))


parse_list = parser(_json_frame, _numbers_or_digits)
