"""The format boards: a collection of printed boards or grids.

    Puzzle 1                         | 5 3 . | . 7 . | . . . |
    | 5 3 . | . 7 . | . . . |        …
    …                                ---
    Puzzle 2                         | . . 1 | 7 . . | . . 2 |
    …                                …

Boards are separated by titles, numbers, comments, empty lines, or lines such as `---` or `=====`
that are not borders of boards. Boards without separators end after n rows and the border below
them. One kind of separator is used for the whole collection. The kinds are tried in a fixed order;
a later kind is preferred if it yields more than twice as many boards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from typing import BinaryIO, NamedTuple, Protocol

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import add_unread_texts, title_and_unread
from pipeline.reading.formats.base import ManyFormat, SourceHead
from pipeline.reading.formats.boards import (
    BOARD_SIDES,
    line_kind,
    side_of_board,
    to_ascii,
    widths_of,
)
from pipeline.reading.formats.jigsaws import NO_REGION_MAP, is_region_map
from pipeline.reading.formats.parsed import Entry, Parsed, TextChunk
from pipeline.reading.formats.pencilmarks import render_pencil_marks
from pipeline.reading.formats.records import Reader, cut_chunks, decoded_text, is_too_long, last_end
from pipeline.reading.formats.text import (
    COMMENTS,
    LINE_END,
    NEWLINE,
    Text,
    TextLine,
    cells_of,
    count_lines,
    is_significant,
)

_MAX_RECORDS = 16
"""Maximum number of records to read in order to compare separators."""

_MAX_MARKS = 4
"""Maximum number of different lines of punctuation, such as `---`, to try as separators."""

_CUT_LINE_BYTES = 100
"""Number of bytes of an incomplete line that suffice to recognise a row."""

TITLE = re.compile(
    r"\s{0,100}(?:[0-9]{1,6}[.):]?\s{1,5})?[\"'(\[<]?"
    r"(?![xX]{2}|(?i:puzzle size))([^\W\d_]{2,})"
)
"""The beginning of a title, with its first word as group 1."""

_NUMBER = re.compile(
    r"\s*(?:[0-9]{1,3}|[0-9]{1,2}\.|[0-9]{1,6}[):]|[\[(<][0-9]{1,6}[\])>][.:]?)\s*"
)
"""The number of a board, which cannot be a row of four cells."""

SEPARATOR_LINE = re.compile(r"\s*([-=_*~])(?:\s*\1){2,}\s*")
"""A line that repeats one character three times or more, such as `---`."""

_BORDER_SIGNS = frozenset("|=+")
"""Signs of a drawn board. Lines without them may be puzzles in one line each."""

_REASONS = {
    "title": "under titles",
    "number": "under numbers",
    "comment": "under comments",
    "mark": "separated by lines of punctuation",
    "empty": "separated by empty lines",
    "rows": "one below the other",
}
"""Descriptions of the separators, by kind."""


class RecordLayout(Protocol):
    """The layout of a source whose records are found by separators or by the number of rows."""

    @property
    def row_count(self) -> int:
        """The number of rows in each record; 0 if separators end the records."""
        ...

    def is_separator(self, line: str, /) -> bool:
        """Whether a line separates two records."""

    def is_row(self, line: str, /) -> bool:
        """Whether a line is a row of a board."""

    def is_text(self, line: str, /) -> bool:
        """Whether a line is a title or a note, and not part of a board."""

    def expectation(self, lines: Sequence[str], /) -> str:
        """The expected lines, for an error; empty if the lines of a record may be a board."""


class BoardLayout(NamedTuple):
    """The layout of a source.

    - `separator`: the kind of separator, a key of `_REASONS`.
    - `mark`: the first word of each title, or the line that separates boards.
    - `row_count`: the number of rows of each board; 0 if separators end the boards.
    """

    separator: str
    mark: str = ""
    row_count: int = 0

    @property
    def reason(self) -> str:
        return f"printed boards, {_REASONS[self.separator]}"

    def is_separator(self, line: str) -> bool:
        """Whether a line separates two boards."""
        match self.separator:
            case "title":
                title = TITLE.match(line)
                return title is not None and self.mark in ("", title[1])
            case "number":
                return _NUMBER.fullmatch(line) is not None
            case "comment":
                return line.lstrip().startswith(COMMENTS)
            case "mark":
                return line.strip() == self.mark
        return self.separator == "empty" and not line.strip()

    def is_text(self, line: str) -> bool:
        """Whether a line is a title or the number of a board."""
        is_number = self.separator == "number" and _NUMBER.fullmatch(line)
        return TITLE.match(line) is not None or bool(is_number)

    def expectation(self, _lines: Sequence[str]) -> str:
        """Return an empty text: any lines may be a board."""
        return ""

    def is_row(self, line: str) -> bool:
        """Whether a line is a row of a board."""
        return is_significant(line) and _kind(line) == "row" and not self.is_text(line)


def _kind(line: str) -> str:
    """Return the kind of a line that may have box-drawing characters, as `line_kind` does."""
    return line_kind(to_ascii(line))


def recognise_boards(head: SourceHead) -> tuple[BoardLayout, str] | None:
    """Return the layout of a collection of boards and the reason for it, or None."""
    if head.is_single:
        return None
    best, best_count = BoardLayout("empty"), 0
    rows = [line for line in head.lines if _kind(line) == "row" and not TITLE.match(line)]
    dashes = [line for line in head.lines if _kind(line) == "either"]
    if len(rows) + len(dashes) >= head.minimum * BOARD_SIDES[0]:
        for layout in _layouts(head, rows, {*"".join(dashes)} & {*"-_"}):
            board_count, are_all_boards = _count_boards(head, layout)
            if board_count >= head.minimum and board_count > 2 * best_count:
                best, best_count = layout, board_count
                if are_all_boards:
                    break
    if best_count:
        return best, best.reason
    return (best, "the format was specified") if head.is_declared else None


def _layouts(
    head: SourceHead, rows: Sequence[str], dashes: AbstractSet[str]
) -> Iterator[BoardLayout]:
    """Yield the layouts to try, with the most reliable separator first.

    `dashes` are the signs of lines that may be rows of blanks or borders.
    """
    lines = NEWLINE.split(head.sample.decode("utf-8-sig", errors="replace"))
    words = Counter(match[1] for line in lines if (match := TITLE.match(line)))
    yield from (BoardLayout("title", word) for word, times in words.most_common(1) if times > 1)
    for layout in map(BoardLayout, ("title", "number", "comment")):
        if any(map(layout.is_separator, lines)):
            yield layout
    marks = Counter(line.strip() for line in lines if SEPARATOR_LINE.fullmatch(line))
    widths = Counter(width for row in rows for width in widths_of(row))
    blanks = {*"".join(rows)}
    for mark, _ in marks.most_common()[: -_MAX_MARKS - 1 : -1]:
        if mark[0] not in blanks or len(cells_of(mark)) not in widths:  # it is not a row of blanks
            yield BoardLayout("mark", mark)
    yield BoardLayout("empty")
    is_drawn = any(to_ascii(line) != line or not _BORDER_SIGNS.isdisjoint(line) for line in lines)
    if (is_drawn or dashes) and dashes.isdisjoint(blanks):
        yield from (BoardLayout("rows", row_count=side) for side, _ in widths.most_common(2))


def _count_boards(head: SourceHead, layout: BoardLayout) -> tuple[int, bool]:
    """Count the boards of the most frequent side among the first records.

    Returns the count, or 0 if fewer than half of the records are such boards, and whether all
    records are such boards.
    """
    all_sides = [_side(text, layout) for text in first_records(head, layout)]
    sides = [side for side in all_sides if side is not None]
    board_count = max(Counter(filter(None, sides)).values(), default=0)
    return board_count if board_count * 2 > len(sides) else 0, board_count == len(sides)


def _side(text: str, layout: BoardLayout) -> int | None:
    """Return the side of the board in a record: 0 for a damaged board, None without any row."""
    _, body, _ = split_record(text, 1, layout)
    lines = [TextLine.of_text(number, line) for number, line in body if is_significant(line)]
    if not any(_kind(line.text) == "row" for line in lines):
        return None
    board = Text("", tuple(lines), "\n".join(line.text for line in lines).encode(errors="replace"))
    return side_of_board(board)


def cut_boards(stream: BinaryIO, layout: RecordLayout, size: int) -> Iterator[TextChunk]:
    """Cut a stream into chunks of whole records, of about `size` bytes."""

    def boundary(data: bytes, limit: int, known: int) -> int:
        return last_end(_ends(data, layout), limit, known)

    def digest(beginning: bytes) -> bytes:
        """The `Digest` of a record: a dummy row for each row, and part of the incomplete line."""
        *lines, last = LINE_END.split(beginning)
        count = sum(layout.is_row(line.decode(errors="replace")) for line in lines)
        return b"1\n" * min(count, layout.row_count) + last[:_CUT_LINE_BYTES]

    return cut_chunks(stream, size, boundary, digest)


def _ends(data: bytes, layout: RecordLayout) -> Iterator[int]:
    """Yield the offsets at which records end.

    A record ends before the separator below its board, if the row of another board follows. So text
    between two boards belongs to the second one, and text below all boards to the last one.
    """
    start = rows = 0
    end: int | None = None
    for stop in chain((match.end() for match in LINE_END.finditer(data)), (len(data),)):
        line = data[start:stop].decode("utf-8-sig", errors="surrogateescape").rstrip("\r\n")
        if layout.is_separator(line):
            if rows and end is None:
                end = start
        elif layout.is_row(line):
            if end is not None:
                yield end
                rows, end = 0, None
            rows += 1
            if rows == layout.row_count:
                end = stop
        elif end is not None and rows == layout.row_count and _kind(line) != "row":
            end, rows = stop, rows + 1  # the border below the board
        start = stop


def records_of(chunk: TextChunk, layout: RecordLayout) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line of each record, and the text of the record."""
    start, line = 0, chunk.first_line
    for end in chain(_ends(chunk.data, layout), (len(chunk.data),)):
        record = chunk.data[start:end]
        yield line, decoded_text(record, line)
        line += count_lines(record)
        start = end


def first_records(head: SourceHead, layout: RecordLayout) -> list[str]:
    """Return the texts of the first records of a source, without one that may be cut off."""
    records = islice(records_of(TextChunk(1, head.sample), layout), _MAX_RECORDS)
    texts = [text for _, text in records]
    is_whole = head.is_complete and head.sample == head.data and len(texts) < _MAX_RECORDS
    return texts if is_whole else texts[:-1]


_Numbered = list[tuple[int, str]]
"""Lines with their numbers."""


def _fits_widths(line: str, widths: AbstractSet[int]) -> bool:
    """Whether a line has as many cells as a row (`widths`), in words of equal length."""
    words = line.replace("|", " ").split()
    return len("".join(words)) in widths and len({*map(len, words)}) == 1


def split_record(
    text: str, first: int, layout: RecordLayout
) -> tuple[_Numbered, _Numbered, _Numbered]:
    """Split a record into the lines above the board, its own lines, and the lines below it."""
    lines = [
        (number, line)
        for number, line in enumerate(NEWLINE.split(text), first)
        if not (layout.is_separator(line) and SEPARATOR_LINE.fullmatch(line))
    ]
    is_board = [is_significant(line) and not layout.is_text(line) for _, line in lines]
    if not any(is_board):
        return lines, [], []
    start, stop = is_board.index(True), len(lines) - is_board[::-1].index(True)
    outside = [*range(start), *range(stop, len(lines))]
    rows = [line for _, line in lines[start:stop] if layout.is_row(line)]
    widths = {len(cells_of(row)) for row in rows if any(map(str.isalpha, row))}
    numbers = [index for index in outside if _NUMBER.fullmatch(lines[index][1])]
    # if numbers separate the boards, the first one is the number of this board
    possible_rows = numbers[1:] if layout.is_separator("1") else []
    possible_rows += [index for index in numbers if index >= stop]
    possible_rows += [index for index in outside if _fits_widths(lines[index][1], widths)]
    start, stop = min((start, *possible_rows)), max((stop, *(index + 1 for index in possible_rows)))
    return lines[:start], lines[start:stop], lines[stop:]


def entries_of_boards(chunk: TextChunk, layout: RecordLayout, reader: Reader) -> list[Entry]:
    """Read the records of a chunk, one entry for each board."""
    entries = []
    for first, text in records_of(chunk, layout):
        above, body, below = split_record(text, first, layout)
        if is_too_long(text):
            entries.append(reader.too_long(first, text))
        elif body and (expected := layout.expectation([line for _, line in body])):
            number, line = body[0]
            entries.append(reader.refuse(number, 1, expected, "rows that do not fit", line))
        elif body:
            entry = _entry(body, reader)
            if entry.error is None:
                title, unread = title_and_unread(_significant(above), _significant(below))
                entry = entry._replace(title=title, unread=add_unread_texts(entry.unread, unread))
            entries.append(entry)
    return entries


def _significant(lines: _Numbered) -> _Numbered:
    """Return the lines that are neither empty nor comments."""
    return [(number, line) for number, line in lines if is_significant(line)]


def _entry(body: _Numbered, reader: Reader) -> Entry:
    """Read the lines of a board as an entry; a region map is an error."""
    numbers, lines = zip(*body, strict=True)
    entry = reader.read("\n".join(lines), numbers)
    puzzle = entry.puzzle
    if puzzle is None or not puzzle.is_plain:
        return entry
    givens = "".join(str(value) for _, value in puzzle.givens())
    if len(givens) == len(puzzle.cells) and is_region_map(givens):
        return reader.refuse(numbers[0], 1, NO_REGION_MAP, "one", lines[0])
    return _with_candidates(entry, puzzle, reader, lines[0])


def _with_candidates(entry: Entry, puzzle: Puzzle, reader: Reader, line: str) -> Entry:
    """Write a board with candidates as pencil marks; other entries are returned unchanged."""
    values, geometry = {1 << value - 1 for value in puzzle.geometry.values}, puzzle.geometry
    marks = {geometry.all_values, geometry.even_values, geometry.odd_values}
    if {*puzzle.cells} <= values | marks:
        return entry
    try:
        text = render_pencil_marks(puzzle, "").strip()
    except ValueError as error:
        expected = "boards without candidates (put such a board into a file of its own)"
        return reader.refuse(entry.line, 1, expected, str(error), line)
    return entry._replace(text=text, parsed=Parsed(puzzle, "pencil-marks", claimed=entry.claimed))


BOARDS = ManyFormat("boards", recognise_boards, cut_boards, entries_of_boards)
