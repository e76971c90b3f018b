"""Tables as spreadsheets and data frames write them: more than n lines of n numbers.

    sep=;           ,0,1,2,3,4,…        5.0,3.0,,,7.0,,,,       5,-1,NaN,…
    5;3;;;7;;;;     0,5,3,,,7,…         6.0,,,1.0,9.0,5.0,,,

A line `sep=;` names the delimiter. A header row and an index column are left out if they count
from 0 or 1, or are letters from A. Whole numbers may end in `.0`. All blanks of a puzzle are one of
`-1`, `NaN`, `None`, `null`, `NA`, an empty field, 0 or a sign for blanks. Empty rows or columns may
separate the boxes or surround the table. Quoted fields may have line breaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import NamedTuple

from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats.alphabets import numbers, unpadded
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, SIDES_WITH_BOXES
from pipeline.reading.formats.frames import Row, frame_of_rows, puzzle_of_frame
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import DECODED_BYTES, Text, Word
from pipeline.settings import Reading

DELIMITERS = ",;\t"
_SEPARATOR_LINE = re.compile(r"\s*sep=([,;\t|])\s*", re.IGNORECASE)
_PRINTED = re.compile(r"\s+0(?:\s+\d{1,2}){3,24}\s*")
"""The header of a data frame as it is printed."""

_QUOTED = r'"((?:[^"]|"")*+)"'
_FIELDS = {
    sign: re.compile(rf' *+(?:{_QUOTED}|([^"\n{sign}]*+)) *+([{sign}\n]|\Z)')
    for sign in f"{DELIMITERS}|"
}
_FLOAT = re.compile(r"(-?\d{1,9})\.0+")
_WORDS = frozenset(("-1", "nan", "none", "null", "na", "<na>", "n/a"))
_BLANKS = frozenset(BLANKS) | _WORDS | {""}
_CORNERS = ("", "index", "row", "rows", "r", "unnamed: 0")
_COUNTED = re.compile(r"(\D{0,12})(\d{1,2})")
_LARGEST = max(ALL_GEOMETRIES)
MOST_ROWS = 2 * _LARGEST

_Rows = list[list[Word]]


class _Table(NamedTuple):
    """The rows of cells, and the boxes if empty rows or columns separate them."""

    rows: _Rows
    reason: str
    geometry: Geometry | None = None


def recognise_table(text: Text) -> str | None:
    table = _table_in(text)
    return table.reason if table else None


def parse_table(text: Text, reading: Reading) -> Parsed | None:
    """The puzzle of a table; None for other texts. Raises InvalidPuzzle."""
    table = _table_in(text)
    if table is None:
        return None
    rows, geometry = table.rows, table.geometry
    placed = [Row(row, row[0].line, row[-1].column + len(row[-1].text), len(row)) for row in rows]
    frame = frame_of_rows(
        text, [row.tokens for row in placed], lambda: placed, SIDES_WITH_BOXES, (), "field"
    )
    return puzzle_of_frame(text, frame._replace(geometry=geometry), _ALPHABETS, reading)


def folded(token: str) -> str:
    """A number without `.0` behind it and zeros before it, a word in lower case."""
    number = _FLOAT.fullmatch(token)
    return unpadded(number[1] if number else token.lower())


_ALPHABETS = numbers(_BLANKS, ", or one symbol for all blanks", folded)


def _table_in(text: Text) -> _Table | None:
    lines = text.lines
    if not 4 <= len(lines) <= MOST_ROWS or len(text.data) > DECODED_BYTES:
        return None
    first, is_named = lines[0].text, _SEPARATOR_LINE.fullmatch(lines[0].text)
    if first.count('"') % 2:
        first += lines[1].text
    if is_named:
        rows = _rows_in(text, is_named[1], lines[0].number)
    elif any(map(first.count, DELIMITERS)):
        rows = _rows_in(text, max(DELIMITERS, key=first.count), 0)
    elif _PRINTED.fullmatch(first):
        rows = [[*line.words()] for line in lines]
        rows[0].insert(0, Word(lines[0].number, 1, ""))
    else:
        return None
    table = _judged(rows)
    if table is None:
        return None
    tokens = [word.text for row in table.rows for word in row]
    known = [token for token in tokens if _is_cell(token)]
    if len(known) * 4 < len(tokens) * 3:
        return None
    has_breaks = any(line.text.count('"') % 2 for line in lines)
    if table.reason or is_named or has_breaks or any(map(_is_word, tokens)):
        reason = "a line names the delimiter" if is_named else "a table of numbers"
        return table._replace(reason=table.reason or reason)
    return None


def _is_cell(token: str) -> bool:
    return token.isdigit() or folded(token) in _BLANKS or _is_float(token)


def _is_float(token: str) -> bool:
    return _FLOAT.fullmatch(token) is not None


def _is_word(token: str) -> bool:
    """Whether only a data frame writes a cell so."""
    return token.lower() in _WORDS or _is_float(token)


def _rows_in(text: Text, delimiter: str, skipped: int) -> _Rows:
    """The fields of all lines but empty ones; none if a line has a single field, or odd quotes."""
    lines = {line.number: line.text for line in text.written() if line.number > skipped}
    whole = "\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1))
    rows: _Rows = []
    row: list[Word] = []
    position, number, begin = 0, 1, 0
    while len(rows) <= MOST_ROWS and len(row) <= MOST_ROWS:
        match = _FIELDS[delimiter].match(whole, position)
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


def _judged(rows: _Rows) -> _Table | None:
    """The cells in these rows; None unless they are n×n, with labels, gaps or margins or without.

    Rows of different lengths are kept as they are, for messages, if most have the length of a side.
    """
    widths = Counter(map(len, rows))
    if not widths:
        return None
    width, times = widths.most_common(1)[0]
    if len(widths) > 1:
        damaged = times * 2 > len(rows) and width in ALL_GEOMETRIES
        return _Table(rows, "") if damaged else None
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
    """The cells below a header row and beside an index column."""
    height, width = len(rows), len(rows[0])
    below, beside = height > width or height == width, width >= height
    if (height - below, width - beside) != (min(_LARGEST, height - below),) * 2:
        return None
    header = [word.text for word in rows[0][beside:]] if below else []
    index = [row[0].text for row in rows[below:]] if beside else []
    corner = rows[0][0].text.lower() if below and beside else ""
    if height - below not in SIDES_WITH_BOXES or corner not in _CORNERS:
        return None
    if not all(_are_labels(labels) for labels in (header, index) if labels):
        return None
    names = [name for name, has in (("a header row", below), ("an index column", beside)) if has]
    cells = [row[beside:] for row in rows[below:]]
    return _Table(cells, f"numbers with {' and '.join(names)}")


def _are_labels(words: Sequence[str]) -> bool:
    """Whether words count from 0 or 1, perhaps with a name before each, or are letters from A."""
    if "".join(words).lower() == ascii_lowercase[: len(words)]:
        return True
    parts = [_COUNTED.fullmatch(folded(word) if _is_float(word) else word) for word in words]
    names = {part[1] for part in parts if part}
    numbers = [int(part[2]) for part in parts if part]
    return len(names) == 1 and numbers in ([*range(len(words))], [*range(1, len(words) + 1)])


def _without_gaps(rows: _Rows) -> _Table | None:
    """The cells of boxes that empty rows or columns separate."""
    height, width = len(rows), len(rows[0])
    if height == width + 1 and width in ALL_GEOMETRIES:  # n rows and a gap are a damaged table
        return None
    for side in sorted(SIDES_WITH_BOXES, key=lambda side: side not in ALL_GEOMETRIES):
        for box in _boxes_of(side):
            bands, stacks = side // box.height - 1, side // box.width - 1
            has_rows, has_columns = height == side + bands, width == side + stacks
            if not (has_rows or height == side) or not (has_columns or width == side):
                continue
            down = {*range(box.height, height, box.height + 1)} if has_rows else set[int]()
            across = {*range(box.width, width, box.width + 1)} if has_columns else set[int]()
            gaps = [
                word.text
                for number, row in enumerate(rows)
                for column, word in enumerate(row)
                if number in down or column in across
            ]
            if gaps and not any(gaps):
                cells = [
                    [word for column, word in enumerate(row) if column not in across]
                    for number, row in enumerate(rows)
                    if number not in down
                ]
                return _Table(cells, "empty rows or columns separate its boxes", box)
    return None


def _boxes_of(side: int) -> Iterator[Geometry]:
    return (Geometry(n, side // n) for n in range(2, side // 2 + 1) if side % n == 0)


def _without_margins(rows: _Rows) -> _Table | None:
    """The cells inside empty columns, and perhaps empty rows, around a table."""
    down = [number for number, row in enumerate(rows) if any(word.text for word in row)]
    across = [column for row in rows for column, word in enumerate(row) if word.text]
    if not down or not across:
        return None
    top, bottom, left, right = down[0], down[-1] + 1, min(across), max(across) + 1
    height, width = len(rows), len(rows[0])
    fitting = [
        side
        for side in ALL_GEOMETRIES
        if bottom - top <= side <= height and right - left <= side <= width
    ]
    if fitting != [right - left] or bottom - top != right - left or right - left == width:
        return None
    return _Table([row[left:right] for row in rows[top:bottom]], "numbers in a larger table")
