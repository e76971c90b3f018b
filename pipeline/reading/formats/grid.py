"""Grid: n rows of n cells for n = 4, 6, 8, 9, as people draw them; and stacked: many of them.

    53..7....        2.*.*.47.         | 5 3 . | . 7 . | . . . |
    6..195...        7**..**..         |-------+-------+-------|
    …                …                 …

Blanks are one of `. 0 _ - x ? *`; with both `*` and `.` they mark even and odd cells. Spaces,
commas, bars and border lines may stand between.

Stacked grids stand one below the other, with or without titles or empty lines between them; they
may have 16 or 25 characters a row too. Titles are lines that begin with a word, the same for all if
most share one, or numbers. If neither titles nor empty lines tell where a grid begins, rows are
counted, and a missing row spoils what follows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import BinaryIO

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import digits
from pipeline.reading.formats.around import chunk_may_name_rule, more_unread, title_and_unread
from pipeline.reading.formats.base import Format, ManyFormat, SourceHead
from pipeline.reading.formats.borders import draws_usual_boxes
from pipeline.reading.formats.cells import (
    ALL_GEOMETRIES,
    GEOMETRIES,
    KNOWN,
    check_unmarked,
    in_lines,
    in_rows,
    render_cells,
)
from pipeline.reading.formats.frames import Frame, frame_of_cells, parser
from pipeline.reading.formats.jigsaws import NO_REGION_MAP, find_region_map, is_region_map
from pipeline.reading.formats.parsed import LONGEST_TITLE, Entry, TextChunk, title_of
from pipeline.reading.formats.records import (
    Reader,
    cut_chunks,
    decoded_text,
    is_above_four,
    is_damaged_row,
    is_plain,
    is_row,
    is_too_long,
    last_end,
    plain_entry,
    plain_of,
)
from pipeline.reading.formats.text import (
    COMMENTS,
    NEWLINE,
    Text,
    cells_of,
    count_lines,
    is_border,
    says_something,
    significant_lines,
)

FRAMED = "ss"
"""The notation of Simple Sudoku's files."""


def recognise_grid(text: Text) -> str | None:
    rows = text.rows
    side = len(rows)
    if side in GEOMETRIES and all(len(row.cells) == side for row in rows):
        return f"{side} rows of {side} cells"
    return None


def _frame(text: Text) -> Frame:
    return frame_of_cells(text, text.rows, GEOMETRIES, text.lines)


parse_grid = parser(_frame, digits)


def render_grid(puzzle: Puzzle, notation: str) -> str:
    """Write n lines of n characters; in the notation `ss` with bars and borders around boxes.

    `ss` has no marks of even and odd cells. Raises ValueError naming what it cannot express.
    """
    cells, geometry = render_cells(puzzle), puzzle.geometry
    if notation != FRAMED:
        return in_lines(cells, geometry.side)
    check_unmarked(puzzle)
    bars = [
        f"|{'|'.join(in_rows(row, geometry.width))}|\n" for row in in_rows(cells, geometry.side)
    ]
    between = f"|{'+'.join(['-' * geometry.width] * geometry.height)}|\n"
    edge = f"*{'-' * (len(between) - 3)}*\n"
    bands = (
        bars[start : start + geometry.height] for start in range(0, geometry.side, geometry.height)
    )
    return edge + between.join(map("".join, bands)) + edge


_MOST_RECORDS = 64
_TITLE_WORD = re.compile(r"[ \t]{0,100}([\"'(\[<]?[^\W\d_]{2,30})")
_ANY_WORD = r"""[ \t]{0,100}["'(\[<]?(?![xX]{2})[A-Za-z\x80-\xff]{2}"""
_END = r"[ \t]{0,20}(?:[\r\n]|\Z)"
_NUMBER = r"[\[(<>=:]{0,5}[ \t]?[0-9]{1,6}[ \t]?[\])<>=:.]{0,5}" + _END
_EMPTY_LINE = r"(?:\n|\r(?!\n))[ \t]{0,100}(?:\r\n?|\n)"
"""An empty line after another line."""

_SPACES = "".join(
    chr(code) for code in range(0x3001) if chr(code).isspace() and code not in (10, 13)
)
_SPACE = b"(?:" + b"|".join(space.encode() for space in _SPACES) + b")*+"
_COMMENT = b"(?:" + "|".join(COMMENTS).encode() + rb")[^\r\n]*"
_BORDER = (
    rb"(?=[^\r\n]*\+)[-+|*= \t]+|\*[ \t]*-[- \t]*\*[ \t]*"
    rb"|(?=(?:[ \t|]*=){3})(?=[=| \t]*[\r\n])[=| \t]+"
)
_SILENT = re.compile(
    rb"(?:\xef\xbb\xbf)?+(?:%b(?:%b|%b|)(?:\r\n?|\n))*+" % (_SPACE, _COMMENT, _BORDER)
)
"""Lines that are neither rows nor titles, as `_rows_in` drops them."""

_BETWEEN_CELLS, _IN_ROWS = b" \t,|\r\n", "".join(sorted(KNOWN)).encode()
_FAR = 16 * 1024
"""Bytes around a grid that may contain its title and rules."""

_ROW = re.compile(rb"(?>%b[^\r\n]++(?:\r\n?|\n))" % _SILENT.pattern)
_LINE_BEGIN = 100

_REGULAR = re.compile(
    r"((?:[A-WYZa-wyz][^\r\n]*|[0-9]{1,6}[.):]?)(?:\r\n?|\n))?((?:[0-9.]{9}(?:\r\n?|\n)){8}[0-9.]{9})\s*"
)
"""A typical record: perhaps a title, and nine lines of nine digits and blanks."""


@dataclass(frozen=True, slots=True)
class Stack:
    """How a source is made up: the side of its grids, and what stands between them.

    `title` is a regular expression: a record begins at each line that matches it. If it is
    _EMPTY_LINE, a record ends with an empty line; if it is None, with its n-th row.
    """

    side: int
    title: str | None

    @property
    def reason(self) -> str:
        between = {None: "one below the other", _EMPTY_LINE: "with empty lines between"}
        return f"grids of {self.side} rows, {between.get(self.title, 'under titles')}"


_Numbered = list[tuple[int, str]]


def recognise_stacked(head: SourceHead) -> tuple[Stack, str] | None:
    if head.is_single:
        return None
    side = _side_meant(head)
    if side is None:
        return (Stack(9, None), "it is declared") if head.declared else None
    ways = [(stack, *_judged(head, stack)) for stack in _stacks(head, side)]
    best = max(good for _, good, _, _ in ways)
    stack, good, near, bad = next(way for way in ways if way[1] * 2 >= best)
    several = good >= head.minimum or (good + near >= 2 and stack.title is not None)
    is_collection = good > 0 and several and good + near > bad
    may_be_lines = side == 16 and stack.title is None and head.is_whole
    undecided = may_be_lines and not any(map(is_above_four, head.lines))
    if head.declared or (is_collection and not undecided):
        return stack, stack.reason
    return None


def _side_meant(head: SourceHead) -> int | None:
    for side, _ in Counter(len(cells_of(line)) for line in head.lines).most_common():
        if side in ALL_GEOMETRIES and sum(is_row(line, side) for line in head.lines) >= side:
            return side
    return None


def _stacks(head: SourceHead, side: int) -> Iterator[Stack]:
    """Possible separators of the grids, the most reliable first."""
    outside = [line for line in head.lines if not is_row(line, side)]
    words = Counter(match[1] for line in outside if (match := _TITLE_WORD.match(line)))
    for word, times in words.most_common(1):
        if times > 1:
            yield Stack(side, rf"[ \t]{{0,100}}{re.escape(word)}")
    if words:
        yield Stack(side, _ANY_WORD)
    if any(re.fullmatch(_NUMBER, line.strip()) for line in outside):
        yield Stack(side, rf"[ \t]{{0,100}}+(?!\S{{{side}}}{_END}){_NUMBER}")
    yield Stack(side, _EMPTY_LINE)
    yield Stack(side, None)


def _judged(head: SourceHead, stack: Stack) -> tuple[int, int, int]:
    """How many of the records are grids, damaged grids, and neither."""
    good = near = bad = 0
    records = islice(_records(TextChunk(1, head.sample), stack), _MOST_RECORDS)
    texts = [text for _, text in records]
    is_all = head.complete and head.sample == head.data and len(texts) < _MOST_RECORDS
    for text in texts if is_all else texts[:-1]:
        _, rows, _ = _rows_in(text, 1, stack.side)
        right = sum(is_row(line, stack.side) for _, line in rows)
        if len(rows) == stack.side == right:
            good += 1
        elif right * 2 >= stack.side and (
            len(rows) <= stack.side + 1 or _is_several(rows, stack.side)
        ):
            near += 1
        elif rows:
            bad += 1
    return good, near, bad


def chunks(stream: BinaryIO, stack: Stack, size: int) -> Iterator[TextChunk]:
    boundary = partial(_boundary, stack)
    if stack.title is None:
        return cut_chunks(stream, size, boundary, _rows_begun)
    return cut_chunks(stream, size, boundary)


def _boundary(stack: Stack, data: bytes, limit: int, known: int) -> int:
    return last_end(_ends(data, stack), limit, known)


def _ends(data: bytes, stack: Stack) -> Iterator[int]:
    """The ends of records: after the rows of a grid, if there are rows after the next mark.

    So text between two grids belongs to the second one, and text below the last grid to the last.
    """
    start = last = seen = 0  # start of the record, end of its rows, start of the unseen rest
    for mark in _marks(data, stack):
        rows_end = mark if stack.title is None else _end_of_rows(data, seen, mark, stack.side)
        seen = mark
        if rows_end:
            if last:
                yield last
                start = last
            last = rows_end
        elif mark - (last or start) > _FAR:
            yield mark
            start, last = mark, 0
    if last and _end_of_rows(data, seen, len(data), stack.side):
        yield last


def _marks(data: bytes, stack: Stack) -> Iterator[int]:
    """The places before titles, after empty lines, or after n rows."""
    pattern, start = _pattern(stack), 0
    if stack.title is not None:
        yield from (match.end() for match in pattern.finditer(data))
        return
    while match := pattern.match(data, start):
        start = match.end()
        yield start


def _end_of_rows(data: bytes, start: int, end: int, side: int) -> int:
    """The end of the last row between two offsets, with the borders below it; 0 without rows."""
    part = data[start:end]
    row = part[part.rstrip().rfind(b"\n") + 1 :].translate(None, _BETWEEN_CELLS)
    if len(row) == side and not row.translate(None, _IN_ROWS):  # quick, and right for most
        return end
    lines = part.splitlines(keepends=True)
    texts = [line.decode(errors="surrogateescape").rstrip("\r\n") for line in lines]
    rows = [index for index, text in enumerate(texts) if _is_any_row(text, side)]
    if not rows:
        return 0
    below = rows[-1] + 1
    while below < len(lines) and (not texts[below].strip() or is_border(texts[below])):
        below += 1
    return start + sum(map(len, lines[:below]))


def _is_any_row(text: str, side: int) -> bool:
    """Whether a line is a row, perhaps a damaged one."""
    if not says_something(text) or is_border(text):
        return False
    return is_row(text, side) or is_damaged_row(text, side)


@lru_cache(maxsize=16)
def _pattern(stack: Stack) -> re.Pattern[bytes]:
    if stack.title is None:
        return re.compile(rb"%b{%d}" % (_ROW.pattern, stack.side))
    if stack.title == _EMPTY_LINE:
        return re.compile(_EMPTY_LINE.encode())
    return re.compile(rb"(?:\n|\r(?!\n))(?=%b)" % stack.title.encode())


def _rows_begun(begun: bytes) -> bytes:
    """Shorten a record's beginning: as many rows, and the start of the line that is cut."""
    count, end = 0, 0
    while match := _ROW.match(begun, end):
        count, end = count + 1, match.end()
    silent = _SILENT.match(begun, end)
    line = silent.end() if silent else end
    return b"x\n" * count + begun[line : line + _LINE_BEGIN]


def _records(chunk: TextChunk, stack: Stack) -> Iterator[tuple[int, str]]:
    """The number of the first line of each record, and its text."""
    data, start, line = chunk.data, 0, chunk.first_line
    for end in (*_ends(data, stack), len(data)):
        record = data[start:end]
        yield line, decoded_text(record, line)
        line += count_lines(record)
        start = end


def _rows_in(text: str, first: int, side: int) -> tuple[_Numbered, _Numbered, _Numbered]:
    """The rows of a record, after the lines above and before those below that are no rows.

    If there is no row, all lines are above.
    """
    numbered = enumerate(NEWLINE.split(text), first)
    lines = [
        (number, line) for number, line in numbered if says_something(line) and not is_border(line)
    ]
    start, end = 0, len(lines)
    while start < end and _is_beside(lines[start][1], side, end - start):
        start += 1
    while start < end and _is_beside(lines[end - 1][1], side, end - start):
        end -= 1
    return lines[:start], lines[start:end], lines[end:]


def _is_beside(line: str, side: int, count: int) -> bool:
    """Whether the first or last of `count` lines is no row, not even a damaged one."""
    return not is_row(line, side) and (count > side or not is_damaged_row(line, side))


def _is_several(rows: _Numbered, side: int) -> bool:
    """Whether the rows form several grids without a separator."""
    count, more = divmod(len(rows), side)
    return count > 1 and not more and all(is_row(line, side) for _, line in rows)


def entries(chunk: TextChunk, stack: Stack, reader: Reader) -> list[Entry]:
    has_rules = chunk_may_name_rule(chunk.data)
    records = _records(chunk, stack)
    return [
        entry
        for first, record in records
        for entry in _entries(record, first, stack.side, reader, has_rules)
    ]


def _entries(text: str, first: int, side: int, reader: Reader, has_rules: bool) -> list[Entry]:
    """The entry of a record, or several if it contains several grids.

    `has_rules`: the text around a grid may name a rule.
    """
    if is_too_long(text):
        return [reader.too_long(first, text)]
    regular = _REGULAR.fullmatch(text) if side == 9 and reader.takes_plain else None
    if regular and is_plain(joined := NEWLINE.sub("", regular[2])) and not is_region_map(joined):
        if has_rules and regular[1]:
            title, unread = title_and_unread([(first, regular[1])], ())
            return [plain_entry(first + 1, joined, None, title, unread)]
        title = " ".join(regular[1].split()) if regular[1] else ""
        if len(title) > LONGEST_TITLE or not title.isprintable():
            title = title_of([title])
        return [plain_entry(first + bool(regular[1]), joined, None, title)]
    above, rows, below = _rows_in(text, first, side)
    # `rows` lack a map of letters or in one line; other records are too short to have one
    lines = text.split("\n")
    is_long = max(len(lines), text.count("\r")) >= 2 * side or max(map(len, lines)) >= side * side
    if not rows or is_long:
        cells = [cells_of(line) for line in significant_lines(text) if not is_border(line)]
        if is_region_map("".join(cells)) or find_region_map(cells):
            return [reader.refuse(first, 1, NO_REGION_MAP, "one", text)]
    grids = [rows]
    if _is_several(rows, side):
        grids = [rows[start : start + side] for start in range(0, len(rows), side)]
    borders = _borders_in(text, first)
    entries = [_entry(grid, borders, side, reader) for grid in grids if grid]
    if entries and (above or below):
        entries[0] = _with_text(entries[0], above, below if len(entries) == 1 else ())
    if len(entries) > 1 and below:
        entries[-1] = _with_text(entries[-1], (), below)
    return entries


def _with_text(
    entry: Entry, above: Sequence[tuple[int, str]], below: Sequence[tuple[int, str]]
) -> Entry:
    """The entry of a grid, with the text around it; an invalid one as it is."""
    if entry.error is not None:
        return entry
    title, unread = title_and_unread(above, below)
    return entry._replace(title=title, unread=more_unread(entry.unread, unread))


def _borders_in(text: str, first: int) -> _Numbered:
    if "+" not in text and "*" not in text and "=" not in text:
        return []
    return [
        (number, line) for number, line in enumerate(NEWLINE.split(text), first) if is_border(line)
    ]


def _entry(rows: _Numbered, borders: _Numbered, side: int, reader: Reader) -> Entry:
    cells = [cells_of(line) for _, line in rows]
    if is_region_map("".join(cells)):
        return reader.refuse(rows[0][0], 1, NO_REGION_MAP, "one", rows[0][1])
    inside = [border for border in borders if rows[0][0] < border[0] < rows[-1][0]]
    rows = sorted((*rows, *inside)) if inside else rows
    if side == 9 and reader.takes_plain and [len(row) for row in cells] == [9] * 9:
        plain = plain_of("".join(cells))
        if plain and draws_usual_boxes("\n".join(line for _, line in rows), side):
            return plain_entry(rows[0][0], plain)
    numbers, lines = zip(*rows, strict=True)
    return reader.read("\n".join(lines), numbers)


STACKED = ManyFormat("stacked", recognise_stacked, chunks, entries)
GRID = Format("grid", recognise_grid, parse_grid, render_grid, many=STACKED, has_solutions=True)
