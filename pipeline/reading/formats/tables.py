"""Tables of numbers as spreadsheets and data frames write them: with labels, gaps or blank words.

    sep=;           ,0,1,2,3,4,…        5.0,3.0,,,7.0,,,,       5,-1,NaN,…
    5;3;;;7;;;;     0,5,3,,,7,…         6.0,,,1.0,9.0,5.0,,,

A line `sep=;` names the delimiter. A header row and an index column are left out if their labels
are 0, 1, …, or 1, 2, …, or A, B, …. Whole numbers may end in `.0`. A puzzle uses one kind of blank:
`-1`, `NaN`, `None`, `null`, `NA`, an empty field, 0 or another character for blanks. Empty rows or
columns may separate the boxes or surround the table. Quoted fields may contain line breaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import NamedTuple

from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats.alphabets import numbers, without_leading_zeros
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, SIDES_WITH_BOXES
from pipeline.reading.formats.frames import TokenRow, frame_of_rows, puzzle_of_frame
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import DECODED_BYTES, DELIMITER_LINE, Text, Word
from pipeline.settings import Reading

TABLE_DELIMITERS = ",;\t"

_PRINTED_HEADER = re.compile(r"\s+0(?:\s+\d{1,2}){3,24}\s*")
"""The header of a data frame as pandas prints it."""

_QUOTED = r'"((?:[^"]|"")*+)"'
_FIELD_PATTERNS = {
    delimiter: re.compile(rf' *+(?:{_QUOTED}|([^"\n{delimiter}]*+)) *+([{delimiter}\n]|\Z)')
    for delimiter in f"{TABLE_DELIMITERS}|"
}
"""Delimiter → pattern of a field and the character after it."""

_FLOAT = re.compile(r"(-?\d{1,9})\.0+")
_BLANK_WORDS = frozenset(("-1", "nan", "none", "null", "na", "<na>", "n/a"))
_BLANKS = frozenset(BLANKS) | _BLANK_WORDS | {""}
_CORNER_LABELS = ("", "index", "row", "rows", "r", "unnamed: 0")
_COUNTED_LABEL = re.compile(r"(\D{0,12})(\d{1,2})")
_MAX_SIDE = max(ALL_GEOMETRIES)
MAX_TABLE_ROWS = 2 * _MAX_SIDE
"""Maximum number of rows of a table, with labels, gaps and margins."""

_Rows = list[list[Word]]


class _Table(NamedTuple):
    """The cells of a table.

    - `reason`: the reason to read the text as a table, for messages; may be empty.
    - `geometry`: the geometry, if empty rows or columns show the boxes.
    """

    rows: _Rows
    reason: str
    geometry: Geometry | None = None


def recognise_table(text: Text) -> str | None:
    table = _find_table(text)
    return table.reason if table else None


def parse_table(text: Text, reading: Reading) -> Parsed | None:
    """The puzzle of a table; None for a text without a table. Raises InvalidPuzzle."""
    table = _find_table(text)
    if table is None:
        return None
    rows, geometry = table.rows, table.geometry
    placed = [
        TokenRow(row, row[0].line, row[-1].column + len(row[-1].text), len(row)) for row in rows
    ]
    frame = frame_of_rows(
        text, [row.tokens for row in placed], lambda: placed, SIDES_WITH_BOXES, (), "field"
    )
    return puzzle_of_frame(text, frame._replace(geometry=geometry), _ALPHABETS, reading)


def normalise_token(token: str) -> str:
    """Remove leading zeros and a final `.0` from a number, and convert a word to lower case."""
    number = _FLOAT.fullmatch(token)
    return without_leading_zeros(number[1] if number else token.lower())


_ALPHABETS = numbers(_BLANKS, ", or one symbol for all blanks", normalise_token)


def _find_table(text: Text) -> _Table | None:
    """Find the table in a text; None if the text is only plain rows of numbers, or no table."""
    lines = text.lines
    if not 4 <= len(lines) <= MAX_TABLE_ROWS or len(text.data) > DECODED_BYTES:
        return None
    first, separator_line = lines[0].text, DELIMITER_LINE.fullmatch(lines[0].text)
    if first.count('"') % 2:
        first += lines[1].text
    if separator_line:
        rows = _split_rows(text, separator_line[1], lines[0].number)
    elif any(map(first.count, TABLE_DELIMITERS)):
        rows = _split_rows(text, max(TABLE_DELIMITERS, key=first.count), 0)
    elif _PRINTED_HEADER.fullmatch(first):
        rows = [[*line.words()] for line in lines]
        rows[0].insert(0, Word(lines[0].number, 1, ""))
    else:
        return None
    table = _table_of(rows)
    if table is None:
        return None
    tokens = [word.text for row in table.rows for word in row]
    known = [token for token in tokens if _is_cell(token)]
    if len(known) * 4 < len(tokens) * 3:
        return None
    has_breaks = any(line.text.count('"') % 2 for line in lines)
    if table.reason or separator_line or has_breaks or any(map(_is_typical_of_tables, tokens)):
        reason = "a line names the delimiter" if separator_line else "a table of numbers"
        return table._replace(reason=table.reason or reason)
    return None


def _is_cell(token: str) -> bool:
    return token.isdigit() or normalise_token(token) in _BLANKS or _is_float(token)


def _is_float(token: str) -> bool:
    return _FLOAT.fullmatch(token) is not None


def _is_typical_of_tables(token: str) -> bool:
    """Whether a cell is `NaN`, `-1`, `5.0` or the like, which people do not write."""
    return token.lower() in _BLANK_WORDS or _is_float(token)


def _split_rows(text: Text, delimiter: str, separator_line: int) -> _Rows:
    """Split the lines after line `separator_line` into fields. Empty lines are left out.

    Returns no rows if a line has a single field, or if a quote is not closed.
    """
    lines = {
        line.number: line.text for line in text.uncommented_lines() if line.number > separator_line
    }
    whole = "\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1))
    rows: _Rows = []
    row: list[Word] = []
    position, number, begin = 0, 1, 0
    while len(rows) <= MAX_TABLE_ROWS and len(row) <= MAX_TABLE_ROWS:
        match = _FIELD_PATTERNS[delimiter].match(whole, position)
        if match is None:
            return []
        written = match[1] if match[1] is not None else match[2]
        start = max(match.start(1), match.start(2)) - begin + 1
        body = written.strip()
        indent = written.find(body) if "\n" not in written else 0
        row.append(Word(number, start + indent, body))
        breaks = whole.count("\n", position, match.end())
        position = match.end()
        if breaks:
            number, begin = number + breaks, whole.rfind("\n", 0, position) + 1
        if match[3] != delimiter:
            if len(row) > 1:
                rows.append(row)
            elif body:
                return []
            row = []
        if not match[3]:
            return rows
    return []


def _table_of(rows: _Rows) -> _Table | None:
    """Find a table of n×n cells: the rows without labels, gaps and margins; None if not possible.

    If rows have different lengths, but most have the length of a side, all rows are returned, and
    parsing them reports the row with a wrong length.
    """
    widths = Counter(map(len, rows))
    if not widths:
        return None
    width, occurrences = widths.most_common(1)[0]
    if len(widths) > 1:
        is_damaged = occurrences * 2 > len(rows) and width in ALL_GEOMETRIES
        return _Table(rows, "") if is_damaged else None
    if len(rows) == width in ALL_GEOMETRIES:
        return _Table(rows, "")
    return (
        _without_labels(rows)
        or _without_gaps(rows)
        or _without_margins(rows)
        or (
            _Table(rows, "")
            if width in SIDES_WITH_BOXES and len(rows) in (width - 1, width)
            else None
        )
    )


def _without_labels(rows: _Rows) -> _Table | None:
    """Remove a header row, an index column, or both. Returns None if the rows have neither."""
    height, width = len(rows), len(rows[0])
    has_header, has_index = height >= width, width >= height
    side = height - has_header
    if width - has_index != side or side > _MAX_SIDE:
        return None
    header = [word.text for word in rows[0][has_index:]] if has_header else []
    index = [row[0].text for row in rows[has_header:]] if has_index else []
    corner = rows[0][0].text.lower() if has_header and has_index else ""
    if side not in SIDES_WITH_BOXES or corner not in _CORNER_LABELS:
        return None
    if not all(_are_labels(labels) for labels in (header, index) if labels):
        return None
    nouns = ["a header row"] * has_header + ["an index column"] * has_index
    cells = [row[has_index:] for row in rows[has_header:]]
    return _Table(cells, f"numbers with {' and '.join(nouns)}")


def _are_labels(words: Sequence[str]) -> bool:
    """Whether words are 0, 1, 2, … or 1, 2, 3, …, perhaps after the same name, or A, B, C, …."""
    if "".join(words).lower() == ascii_lowercase[: len(words)]:
        return True
    parts = [
        _COUNTED_LABEL.fullmatch(normalise_token(word) if _is_float(word) else word)
        for word in words
    ]
    names = {part[1] for part in parts if part}
    numbers = [int(part[2]) for part in parts if part]
    return len(names) == 1 and numbers in ([*range(len(words))], [*range(1, len(words) + 1)])


def _without_gaps(rows: _Rows) -> _Table | None:
    """Remove the empty rows or columns that separate boxes. Returns None if there are none."""
    height, width = len(rows), len(rows[0])
    if height == width + 1 and width in ALL_GEOMETRIES:  # a damaged table with one empty row
        return None
    for side in sorted(SIDES_WITH_BOXES, key=lambda side: side not in ALL_GEOMETRIES):
        for box in _possible_boxes(side):
            bands, stacks = side // box.height - 1, side // box.width - 1
            has_rows, has_columns = height == side + bands, width == side + stacks
            if not (has_rows or height == side) or not (has_columns or width == side):
                continue
            gap_rows = {*range(box.height, height, box.height + 1)} if has_rows else set[int]()
            gap_columns = {*range(box.width, width, box.width + 1)} if has_columns else set[int]()
            gaps = [
                word.text
                for number, row in enumerate(rows)
                for column, word in enumerate(row)
                if number in gap_rows or column in gap_columns
            ]
            if gaps and not any(gaps):
                cells = [
                    [word for column, word in enumerate(row) if column not in gap_columns]
                    for number, row in enumerate(rows)
                    if number not in gap_rows
                ]
                return _Table(cells, "empty rows or columns separate its boxes", box)
    return None


def _possible_boxes(side: int) -> Iterator[Geometry]:
    return (Geometry(n, side // n) for n in range(2, side // 2 + 1) if side % n == 0)


def _without_margins(rows: _Rows) -> _Table | None:
    """Remove the empty rows and columns around the cells. Returns None if no column is empty."""
    filled_rows = [number for number, row in enumerate(rows) if any(word.text for word in row)]
    filled_columns = [column for row in rows for column, word in enumerate(row) if word.text]
    if not filled_rows or not filled_columns:
        return None
    top, bottom = filled_rows[0], filled_rows[-1] + 1
    left, right = min(filled_columns), max(filled_columns) + 1
    height, width = len(rows), len(rows[0])
    possible_sides = [
        side
        for side in ALL_GEOMETRIES
        if bottom - top <= side <= height and right - left <= side <= width
    ]
    if possible_sides != [right - left] or bottom - top != right - left or right - left == width:
        return None
    return _Table([row[left:right] for row in rows[top:bottom]], "numbers in a larger table")
