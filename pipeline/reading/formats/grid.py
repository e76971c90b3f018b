"""The format `grid`: n rows of n cells, for n = 4, 6, 8, 9. The collection `stacked`: many grids.

    53..7....        2.*.*.47.         | 5 3 . | . 7 . | . . . |
    6..195...        7**..**..         |-------+-------+-------|
    …                …                 …

The blank is one of `. 0 _ - x ? *`; if both `*` and `.` occur, they mark even and odd cells.
Spaces, commas, bars and border lines may separate the cells and the rows.

Stacked grids follow each other, with or without titles or empty lines between them; rows of 16 and
25 characters are allowed too. A title is a line that begins with a word, preferably the same word
in all titles, or a number in a line of its own. Without titles and empty lines, each n rows are a
grid, so a missing row makes all later grids wrong.
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
from pipeline.reading.formats.around import add_unread_texts, chunk_may_name_rule, title_and_unread
from pipeline.reading.formats.base import Format, ManyFormat, SourceHead
from pipeline.reading.formats.borders import draws_usual_boxes
from pipeline.reading.formats.cells import (
    ALL_GEOMETRIES,
    BLANKS,
    CELL_CHARACTERS,
    GEOMETRIES,
    check_unmarked,
    render_cells,
    split_into_rows,
    text_in_lines,
)
from pipeline.reading.formats.frames import Frame, frame_of_cells, parser
from pipeline.reading.formats.jigsaws import NO_REGION_MAP, find_region_map, is_region_map
from pipeline.reading.formats.parsed import MAX_TITLE_LENGTH, Entry, TextChunk, title_of
from pipeline.reading.formats.records import (
    Reader,
    cut_chunks,
    decoded_text,
    has_value_above_four,
    is_damaged_row,
    is_plain,
    is_row,
    is_too_long,
    last_end,
    plain_entry,
    with_plain_blanks,
)
from pipeline.reading.formats.text import (
    COMMENTS,
    NEWLINE,
    Text,
    cells_of,
    count_lines,
    is_border,
    is_significant,
    significant_lines,
)

WITH_BORDERS = "ss"
"""The notation of Simple Sudoku, with bars and borders around boxes."""


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
    """Write n lines of n characters; the notation `ss` has bars and borders around boxes.

    Raises ValueError with a noun phrase for the first property that the format cannot express. The
    notation `ss` cannot express marks of even and odd cells.
    """
    cells, geometry = render_cells(puzzle), puzzle.geometry
    if notation != WITH_BORDERS:
        return text_in_lines(cells, geometry.side)
    check_unmarked(puzzle)
    bars = [
        f"|{'|'.join(split_into_rows(row, geometry.width))}|\n"
        for row in split_into_rows(cells, geometry.side)
    ]
    inner_border = f"|{'+'.join(['-' * geometry.width] * geometry.height)}|\n"
    outer_border = f"*{'-' * (len(inner_border) - 3)}*\n"
    bands = (
        bars[start : start + geometry.height] for start in range(0, geometry.side, geometry.height)
    )
    return outer_border + inner_border.join(map("".join, bands)) + outer_border


_MAX_RECORDS = 64
"""Maximum number of records to read in order to compare separators."""

_TITLE_WORD = re.compile(r"[ \t]{0,100}([\"'(\[<]?[^\W\d_]{2,30})")
"""The first word of a title, with the quote or bracket before it."""

_ANY_WORD = r"""[ \t]{0,100}["'(\[<]?(?![xX]{2})[A-Za-z\x80-\xff]{2}"""
"""A title that begins with any word, except `xx`, which may be two blanks."""

_LINE_END = r"[ \t]{0,20}(?:[\r\n]|\Z)"
"""The end of a line, and the spaces before it."""

_NUMBER = r"[\[(<>=:]{0,5}[ \t]?[0-9]{1,6}[ \t]?[\])<>=:.]{0,5}" + _LINE_END
"""A title that is a number, perhaps in brackets."""

_EMPTY_LINE = r"(?:\n|\r(?!\n))[ \t]{0,100}(?:\r\n?|\n)"
"""The end of a line, and an empty line after it."""

_SPACES = "".join(
    chr(code) for code in range(0x3001) if chr(code).isspace() and code not in (10, 13)
)
"""All characters that count as space, except line ends."""

_SPACE_RUN = b"(?:" + b"|".join(space.encode() for space in _SPACES) + b")*+"
"""Any number of spaces."""

_COMMENT = b"(?:" + "|".join(COMMENTS).encode() + rb")[^\r\n]*"
_BORDER = (
    rb"(?=[^\r\n]*\+)[-+|*= \t]+|\*[ \t]*-[- \t]*\*[ \t]*"
    rb"|(?=(?:[ \t|]*=){3})(?=[=| \t]*[\r\n])[=| \t]+"
)
_IGNORED_LINES = re.compile(
    rb"(?:\xef\xbb\xbf)?+(?:%b(?:%b|%b|)(?:\r\n?|\n))*+" % (_SPACE_RUN, _COMMENT, _BORDER)
)
"""Lines that are neither rows nor titles; `_split_record` drops them too."""

_SEPARATOR_BYTES = b" \t,|\r\n"
"""The characters that may be between cells."""

_CELL_BYTES = "".join(sorted(CELL_CHARACTERS)).encode()
_MAX_BYTES_BETWEEN_GRIDS = 16 * 1024
"""Maximum size of the text between two grids, which may contain titles and rules."""

_ROW = re.compile(rb"(?>%b[^\r\n]++(?:\r\n?|\n))" % _IGNORED_LINES.pattern)
"""A line that may be a row, and the ignored lines before it."""

_INCOMPLETE_LINE_BYTES = 100
"""Number of bytes of an incomplete line that suffice to recognise a row."""

_TYPICAL_RECORD = re.compile(
    r"((?:[A-WYZa-wyz][^\r\n]*|[0-9]{1,6}[.):]?)(?:\r\n?|\n))?((?:[0-9.]{9}(?:\r\n?|\n)){8}[0-9.]{9})\s*"
)
"""A typical record: a title or none, and nine lines of nine digits and blanks."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The layout of a source: the side of its grids, and their separator.

    `separator` is a pattern for titles, each of which begins a record, or _EMPTY_LINE, which ends
    one. If it is None, a record ends after its n-th row.
    """

    side: int
    separator: str | None

    @property
    def reason(self) -> str:
        separators = {None: "one below the other", _EMPTY_LINE: "separated by empty lines"}
        return f"grids of {self.side} rows, {separators.get(self.separator, 'under titles')}"


_NumberedLines = list[tuple[int, str]]
"""Lines of text with their numbers."""


def recognise_stacked(head: SourceHead) -> tuple[Stack, str] | None:
    if head.is_single:
        return None
    side = _likely_side(head)
    if side is None:
        return (Stack(9, None), "the format was specified") if head.is_declared else None
    if _may_have_drawn_borders(head, side) and not head.is_declared:
        return None
    counts = [(stack, *_count_grids(head, stack)) for stack in _possible_stacks(head, side)]
    most_whole = max(whole for _, whole, _, _ in counts)
    stack, whole, damaged, other = next(count for count in counts if count[1] * 2 >= most_whole)
    has_enough = whole >= head.minimum or (whole + damaged >= 2 and stack.separator is not None)
    is_collection = whole > 0 and has_enough and whole + damaged > other
    may_be_lines = side == 16 and stack.separator is None and head.has_all_lines
    is_ambiguous = may_be_lines and not any(map(has_value_above_four, head.lines))
    if head.is_declared or (is_collection and not is_ambiguous):
        return stack, stack.reason
    return None


def _likely_side(head: SourceHead) -> int | None:
    """The most frequent length of lines of which enough are rows of cells for a grid, or None."""
    for side, _ in Counter(len(cells_of(line)) for line in head.lines).most_common():
        if side in ALL_GEOMETRIES and sum(is_row(line, side) for line in head.lines) >= side:
            return side
    return None


def _may_have_drawn_borders(head: SourceHead, side: int) -> bool:
    """Whether lines of n dashes may be borders between rows or grids, instead of rows of blanks.

    They are borders if other rows have blanks, and none of these blanks is such a dash. They may be
    borders if the number of rows is not a multiple of n, and every (n + 1)-th row, from the first
    row or from the row after the first grid, consists of dashes.
    """
    rows = [row for row in map(cells_of, head.lines) if is_row(row, side)]
    dashes = {dash for dash in "-_" if dash * side in rows}
    if not dashes:
        return False
    blanks = {*"".join(row for row in rows if {*row} - dashes)} & {*BLANKS}
    if blanks and blanks.isdisjoint(dashes):
        return True
    has_extra_rows = len(rows) % side > 0 if head.has_all_lines else len(rows) > 3 * side
    between = (rows[start :: side + 1] for start in (0, side) if len(rows) > side)
    return has_extra_rows and any({*"".join(lines)} <= dashes for lines in between)


def _possible_stacks(head: SourceHead, side: int) -> Iterator[Stack]:
    """The layouts to try, with the most reliable separator first."""
    other_lines = [line for line in head.lines if not is_row(line, side)]
    words = Counter(match[1] for line in other_lines if (match := _TITLE_WORD.match(line)))
    for word, count in words.most_common(1):
        if count > 1:
            yield Stack(side, rf"[ \t]{{0,100}}{re.escape(word)}")
    if words:
        yield Stack(side, _ANY_WORD)
    if any(re.fullmatch(_NUMBER, line.strip()) for line in other_lines):
        yield Stack(side, rf"[ \t]{{0,100}}+(?!\S{{{side}}}{_LINE_END}){_NUMBER}")
    yield Stack(side, _EMPTY_LINE)
    yield Stack(side, None)


def _count_grids(head: SourceHead, stack: Stack) -> tuple[int, int, int]:
    """Count the whole grids, the damaged grids and the other records among the first records."""
    whole = damaged = other = 0
    records = islice(_records(TextChunk(1, head.sample), stack), _MAX_RECORDS)
    texts = [text for _, text in records]
    is_all = head.is_complete and head.sample == head.data and len(texts) < _MAX_RECORDS
    for text in texts if is_all else texts[:-1]:
        _, rows, _ = _split_record(text, 1, stack.side)
        intact = sum(is_row(line, stack.side) for _, line in rows)
        if len(rows) == stack.side == intact:
            whole += 1
        elif intact * 2 >= stack.side and (
            len(rows) <= stack.side + 1 or _are_several_grids(rows, stack.side)
        ):
            damaged += 1
        elif rows:
            other += 1
    return whole, damaged, other


def cut_grids(stream: BinaryIO, stack: Stack, size: int) -> Iterator[TextChunk]:
    boundary = partial(_boundary, stack)
    if stack.separator is None:
        return cut_chunks(stream, size, boundary, _digest)
    return cut_chunks(stream, size, boundary)


def _boundary(stack: Stack, data: bytes, limit: int, known: int) -> int:
    """The `Boundary` of the records of a stack."""
    return last_end(_record_ends(data, stack), limit, known)


def _record_ends(data: bytes, stack: Stack) -> Iterator[int]:
    """Yield the offsets at which records end.

    A record ends after the rows of its grid if the rows of another grid follow. So text between two
    grids belongs to the second one, and text below all grids to the last one.
    """
    start = last = seen = 0  # the start of the record, the end of its rows, the last separator
    for offset in _separator_offsets(data, stack):
        rows_end = (
            offset if stack.separator is None else _end_of_rows(data, seen, offset, stack.side)
        )
        seen = offset
        if rows_end:
            if last:
                yield last
                start = last
            last = rows_end
        elif offset - (last or start) > _MAX_BYTES_BETWEEN_GRIDS:
            yield offset
            start, last = offset, 0
    if last and _end_of_rows(data, seen, len(data), stack.side):
        yield last


def _separator_offsets(data: bytes, stack: Stack) -> Iterator[int]:
    """Yield the offsets of the separators: before titles, after empty lines, or after n rows."""
    pattern, start = _separator_pattern(stack), 0
    if stack.separator is not None:
        yield from (match.end() for match in pattern.finditer(data))
        return
    while match := pattern.match(data, start):
        start = match.end()
        yield start


def _end_of_rows(data: bytes, start: int, end: int, side: int) -> int:
    """The end of the last row between two offsets, and of the borders below it; 0 without rows."""
    part = data[start:end]
    row = part[part.rstrip().rfind(b"\n") + 1 :].translate(None, _SEPARATOR_BYTES)
    if len(row) == side and not row.translate(None, _CELL_BYTES):  # a quick test for most grids
        return end
    lines = part.splitlines(keepends=True)
    texts = [line.decode(errors="surrogateescape").rstrip("\r\n") for line in lines]
    rows = [index for index, text in enumerate(texts) if _is_any_row(text, side)]
    if not rows:
        return 0
    lines_below = rows[-1] + 1
    while lines_below < len(lines) and (
        not texts[lines_below].strip() or is_border(texts[lines_below])
    ):
        lines_below += 1
    return start + sum(map(len, lines[:lines_below]))


def _is_any_row(text: str, side: int) -> bool:
    """Whether a line is a row, even a damaged one."""
    if not is_significant(text) or is_border(text):
        return False
    return is_row(text, side) or is_damaged_row(text, side)


@lru_cache(maxsize=16)
def _separator_pattern(stack: Stack) -> re.Pattern[bytes]:
    if stack.separator is None:
        return re.compile(rb"%b{%d}" % (_ROW.pattern, stack.side))
    if stack.separator == _EMPTY_LINE:
        return re.compile(_EMPTY_LINE.encode())
    return re.compile(rb"(?:\n|\r(?!\n))(?=%b)" % stack.separator.encode())


def _digest(beginning: bytes) -> bytes:
    """The `Digest` of a record that ends after its n-th row.

    The digest is a dummy line for each whole row, and the first 100 bytes of the incomplete line.
    """
    count, end = 0, 0
    while match := _ROW.match(beginning, end):
        count, end = count + 1, match.end()
    ignored = _IGNORED_LINES.match(beginning, end)
    line = ignored.end() if ignored else end
    return b"x\n" * count + beginning[line : line + _INCOMPLETE_LINE_BYTES]


def _records(chunk: TextChunk, stack: Stack) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line of each record, and the text of the record."""
    data, start, line = chunk.data, 0, chunk.first_line
    for end in (*_record_ends(data, stack), len(data)):
        record = data[start:end]
        yield line, decoded_text(record, line)
        line += count_lines(record)
        start = end


def _split_record(
    text: str, first_line: int, side: int
) -> tuple[_NumberedLines, _NumberedLines, _NumberedLines]:
    """Split a record into the lines above its rows, the rows, and the lines below them.

    If there is no row, all lines are above.
    """
    numbered = enumerate(NEWLINE.split(text), first_line)
    lines = [
        (number, line) for number, line in numbered if is_significant(line) and not is_border(line)
    ]
    start, end = 0, len(lines)
    while start < end and _is_outside_grid(lines[start][1], side, end - start):
        start += 1
    while start < end and _is_outside_grid(lines[end - 1][1], side, end - start):
        end -= 1
    return lines[:start], lines[start:end], lines[end:]


def _is_outside_grid(line: str, side: int, count: int) -> bool:
    """Whether a line, the first or the last of `count` lines, is not a row of the grid.

    If there are at most `side` lines, a damaged row counts as a row.
    """
    return not is_row(line, side) and (count > side or not is_damaged_row(line, side))


def _are_several_grids(rows: _NumberedLines, side: int) -> bool:
    """Whether the rows form several grids without a separator."""
    count, remainder = divmod(len(rows), side)
    return count > 1 and not remainder and all(is_row(line, side) for _, line in rows)


def entries_of_grids(chunk: TextChunk, stack: Stack, reader: Reader) -> list[Entry]:
    has_rules = chunk_may_name_rule(chunk.data)
    records = _records(chunk, stack)
    return [
        entry
        for first_line, record in records
        for entry in _entries(record, first_line, stack.side, reader, has_rules)
    ]


def _entries(text: str, first_line: int, side: int, reader: Reader, has_rules: bool) -> list[Entry]:
    """The entries of a record: one for each grid in it.

    `has_rules`: the text around the grid may name a rule.
    """
    if is_too_long(text):
        return [reader.too_long(first_line, text)]
    typical = _TYPICAL_RECORD.fullmatch(text) if side == 9 and reader.takes_plain else None
    if typical and is_plain(joined := NEWLINE.sub("", typical[2])) and not is_region_map(joined):
        if has_rules and typical[1]:
            title, unread = title_and_unread([(first_line, typical[1])], ())
            return [plain_entry(first_line + 1, joined, None, title, unread)]
        title = " ".join(typical[1].split()) if typical[1] else ""
        if len(title) > MAX_TITLE_LENGTH or not title.isprintable():
            title = title_of([title])
        return [plain_entry(first_line + bool(typical[1]), joined, None, title)]
    lines_above, rows, lines_below = _split_record(text, first_line, side)
    # a map of letters, or in one line, is not in `rows`; only a long record can contain one
    lines = text.split("\n")
    is_long = max(len(lines), text.count("\r")) >= 2 * side or max(map(len, lines)) >= side * side
    if not rows or is_long:
        cells = [cells_of(line) for line in significant_lines(text) if not is_border(line)]
        if is_region_map("".join(cells)) or find_region_map(cells):
            return [reader.refuse(first_line, 1, NO_REGION_MAP, "one", text)]
    grids = [rows]
    if _are_several_grids(rows, side):
        grids = [rows[start : start + side] for start in range(0, len(rows), side)]
    borders = _borders_in(text, first_line)
    entries = [_entry(grid, borders, side, reader) for grid in grids if grid]
    if entries and (lines_above or lines_below):
        entries[0] = _add_surrounding_text(
            entries[0], lines_above, lines_below if len(entries) == 1 else ()
        )
    if len(entries) > 1 and lines_below:
        entries[-1] = _add_surrounding_text(entries[-1], (), lines_below)
    return entries


def _add_surrounding_text(
    entry: Entry, lines_above: Sequence[tuple[int, str]], lines_below: Sequence[tuple[int, str]]
) -> Entry:
    """The entry with the title and the unread text around its grid; unchanged if it is invalid."""
    if entry.error is not None:
        return entry
    title, unread = title_and_unread(lines_above, lines_below)
    return entry._replace(title=title, unread=add_unread_texts(entry.unread, unread))


def _borders_in(text: str, first_line: int) -> _NumberedLines:
    if "+" not in text and "*" not in text and "=" not in text:
        return []
    return [
        (number, line)
        for number, line in enumerate(NEWLINE.split(text), first_line)
        if is_border(line)
    ]


def _entry(rows: _NumberedLines, borders: _NumberedLines, side: int, reader: Reader) -> Entry:
    cells = [cells_of(line) for _, line in rows]
    if is_region_map("".join(cells)):
        return reader.refuse(rows[0][0], 1, NO_REGION_MAP, "one", rows[0][1])
    inside = [border for border in borders if rows[0][0] < border[0] < rows[-1][0]]
    rows = sorted((*rows, *inside)) if inside else rows
    if side == 9 and reader.takes_plain and [len(row) for row in cells] == [9] * 9:
        plain = with_plain_blanks("".join(cells))
        if plain and draws_usual_boxes("\n".join(line for _, line in rows), side):
            return plain_entry(rows[0][0], plain)
    numbers, lines = zip(*rows, strict=True)
    return reader.read("\n".join(lines), numbers)


STACKED = ManyFormat("stacked", recognise_stacked, cut_grids, entries_of_grids)
GRID = Format("grid", recognise_grid, parse_grid, render_grid, many=STACKED, has_solutions=True)
