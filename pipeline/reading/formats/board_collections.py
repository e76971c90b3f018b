"""Boards: a collection of printed boards or grids.

    Puzzle 1                         | 5 3 . | . 7 . | . . . |
    | 5 3 . | . 7 . | . . . |        …
    …                                ---
    Puzzle 2                         | . . 1 | 7 . . | . . 2 |
    …                                …

Between two boards there is a title, a number, a comment, an empty line, or a line of signs such as
`---` or `=====` that is no border of the boards; or each board has n rows, and its borders. The
first of these that yields the most boards is used for the whole collection.
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
"""Number of records that are read to compare separators."""

_MAX_MARKS = 4
"""Number of different lines of signs that are tried as separators."""

_KEPT_OF_CUT_LINE = 100
"""Number of bytes of an incomplete line that are kept to recognise a row."""

TITLE = re.compile(
    r"\s{0,100}(?:[0-9]{1,6}[.):]?\s{1,5})?[\"'(\[<]?"
    r"(?![xX]{2}|(?i:puzzle size))([^\W\d_]{2,})"
)
_NUMBER = re.compile(
    r"\s*(?:[0-9]{1,3}|[0-9]{1,2}\.|[0-9]{1,6}[):]|[\[(<][0-9]{1,6}[\])>][.:]?)\s*"
)
"""A number that cannot be a row of four cells."""

MARK = re.compile(r"\s*([-=_*~])(?:\s*\1){2,}\s*")
_SIGNS = frozenset("|=+")
"""Without these or box-drawing characters, rows may as well be puzzles."""

_REASONS = {
    "title": "under titles",
    "number": "under numbers",
    "comment": "under comments",
    "mark": "separated by lines of punctuation",
    "empty": "separated by empty lines",
    "rows": "one below the other",
}


class Separated(Protocol):
    """The layout of a source; `side` is the number of rows of each record, 0 if they may differ."""

    @property
    def side(self) -> int: ...

    def is_between(self, line: str, /) -> bool:
        """Whether a line is between two records."""

    def is_row(self, line: str, /) -> bool: ...

    def is_text(self, line: str, /) -> bool:
        """Whether a line is no part of a board, so a title or a note."""

    def expected_of(self, lines: Sequence[str], /) -> str:
        """What is expected instead of these lines of a record; empty if they may be one."""


class Boards(NamedTuple):
    """The layout of a source: what is between two boards.

    `mark` is the first word of each title, or the line of signs; `side` the number of rows.
    """

    between: str
    mark: str = ""
    side: int = 0

    @property
    def reason(self) -> str:
        return f"printed boards, {_REASONS[self.between]}"

    def is_between(self, line: str) -> bool:
        match self.between:
            case "title":
                found = TITLE.match(line)
                return found is not None and self.mark in ("", found[1])
            case "number":
                return _NUMBER.fullmatch(line) is not None
            case "comment":
                return line.lstrip().startswith(COMMENTS)
            case "mark":
                return line.strip() == self.mark
        return self.between == "empty" and not line.strip()

    def is_text(self, line: str) -> bool:
        """Whether a line is no part of a board, so a title or a note."""
        is_number = self.between == "number" and _NUMBER.fullmatch(line)
        return TITLE.match(line) is not None or bool(is_number)

    def expected_of(self, _lines: Sequence[str]) -> str:
        return ""

    def is_row(self, line: str) -> bool:
        return is_significant(line) and _kind(line) == "row" and not self.is_text(line)


def _kind(line: str) -> str:
    return line_kind(to_ascii(line))


def recognise_boards(head: SourceHead) -> tuple[Boards, str] | None:
    if head.is_single:
        return None
    best, most = Boards("empty"), 0
    rows = [line for line in head.lines if _kind(line) == "row" and not TITLE.match(line)]
    dashes = [line for line in head.lines if _kind(line) == "either"]
    if len(rows) + len(dashes) >= head.minimum * BOARD_SIDES[0]:
        for boards in _layouts(head, rows, {*"".join(dashes)} & {*"-_"}):
            good, is_all = _count_boards(head, boards)
            if good >= head.minimum and good > 2 * most:
                best, most = boards, good
                if is_all:
                    break
    if most:
        return best, best.reason
    return (best, "it is declared") if head.is_declared else None


def _layouts(head: SourceHead, rows: Sequence[str], dashes: AbstractSet[str]) -> Iterator[Boards]:
    """The layouts to try, with the most reliable separator first.

    `dashes` are the signs of lines that may be rows of blanks, or lines between rows.
    """
    lines = NEWLINE.split(head.sample.decode("utf-8-sig", errors="replace"))
    words = Counter(match[1] for line in lines if (match := TITLE.match(line)))
    yield from (Boards("title", word) for word, times in words.most_common(1) if times > 1)
    for boards in (Boards("title"), Boards("number"), Boards("comment")):
        if any(map(boards.is_between, lines)):
            yield boards
    marks = Counter(line.strip() for line in lines if MARK.fullmatch(line))
    widths = Counter(width for row in rows for width in widths_of(row))
    blanks = {*"".join(rows)}
    for mark, _ in marks.most_common()[: -_MAX_MARKS - 1 : -1]:
        if mark[0] not in blanks or len(cells_of(mark)) not in widths:  # no row of blanks
            yield Boards("mark", mark)
    yield Boards("empty")
    is_drawn = any(to_ascii(line) != line or not _SIGNS.isdisjoint(line) for line in lines)
    if (is_drawn or dashes) and dashes.isdisjoint(blanks):
        yield from (Boards("rows", side=side) for side, _ in widths.most_common(2))


def _count_boards(head: SourceHead, boards: Boards) -> tuple[int, bool]:
    """The number of boards of one side among the first records, 0 unless these are most.

    Also whether these are all records.
    """
    records = [*islice(records_of(TextChunk(1, head.sample), boards), _MAX_RECORDS)]
    is_whole = head.is_complete and head.sample == head.data and len(records) < _MAX_RECORDS
    found = [_side(text, boards) for _, text in (records if is_whole else records[:-1])]
    sides = [side for side in found if side is not None]
    good = max(Counter(filter(None, sides)).values(), default=0)
    return good if good * 2 > len(sides) else 0, good == len(sides)


def _side(text: str, boards: Boards) -> int | None:
    """The side of the board in a record; 0 if it is damaged, None if it has no row."""
    _, body, _ = split_record(text, 1, boards)
    lines = [TextLine.of_text(number, line) for number, line in body if is_significant(line)]
    if not any(_kind(line.text) == "row" for line in lines):
        return None
    board = Text("", tuple(lines), "\n".join(line.text for line in lines).encode(errors="replace"))
    return side_of_board(board)


def cut_boards(stream: BinaryIO, boards: Separated, size: int) -> Iterator[TextChunk]:
    def boundary(data: bytes, limit: int, known: int) -> int:
        return last_end(_ends(data, boards), limit, known)

    def shortened(beginning: bytes) -> bytes:
        """A stand-in for the beginning of a cut record, with a short line for each row."""
        *lines, last = LINE_END.split(beginning)
        count = sum(boards.is_row(line.decode(errors="replace")) for line in lines)
        return b"1\n" * min(count, boards.side) + last[:_KEPT_OF_CUT_LINE]

    return cut_chunks(stream, size, boundary, shortened)


def _ends(data: bytes, boards: Separated) -> Iterator[int]:
    """Yield where records end: before what is between two boards, once a row of the next is found.

    So text between two boards belongs to the second one, and text below all to the last one.
    """
    start = rows = 0
    end: int | None = None
    for stop in chain((match.end() for match in LINE_END.finditer(data)), (len(data),)):
        line = data[start:stop].decode("utf-8-sig", errors="surrogateescape").rstrip("\r\n")
        if boards.is_between(line):
            if rows and end is None:
                end = start
        elif boards.is_row(line):
            if end is not None:
                yield end
                rows, end = 0, None
            rows += 1
            if rows == boards.side:
                end = stop
        elif end is not None and rows == boards.side and _kind(line) != "row":
            end, rows = stop, rows + 1  # the border below the board
        start = stop


def records_of(chunk: TextChunk, boards: Separated) -> Iterator[tuple[int, str]]:
    """The number of the first line of each record, and its text."""
    start, line = 0, chunk.first_line
    for end in chain(_ends(chunk.data, boards), (len(chunk.data),)):
        record = chunk.data[start:end]
        yield line, decoded_text(record, line)
        line += count_lines(record)
        start = end


_Numbered = list[tuple[int, str]]
"""Lines with their numbers."""


def _is_as_wide(line: str, widths: AbstractSet[int]) -> bool:
    """Whether a line has the width of a row, in words of one length."""
    words = line.replace("|", " ").split()
    return len("".join(words)) in widths and len({*map(len, words)}) == 1


def split_record(
    text: str, first: int, boards: Separated
) -> tuple[_Numbered, _Numbered, _Numbered]:
    """The text above the board, the lines of the board, and the text below it."""
    lines = [
        (number, line)
        for number, line in enumerate(NEWLINE.split(text), first)
        if not (boards.is_between(line) and MARK.fullmatch(line))
    ]
    is_board = [is_significant(line) and not boards.is_text(line) for _, line in lines]
    if not any(is_board):
        return lines, [], []
    start, stop = is_board.index(True), len(lines) - is_board[::-1].index(True)
    outside = [*range(start), *range(stop, len(lines))]
    rows = [line for _, line in lines[start:stop] if boards.is_row(line)]
    widths = {len(cells_of(row)) for row in rows if any(map(str.isalpha, row))}
    numbers = [index for index in outside if _NUMBER.fullmatch(lines[index][1])]
    may_be_rows = numbers[1:] if boards.is_between("1") else []  # one number, above the board
    may_be_rows += [index for index in numbers if index >= stop]
    may_be_rows += [index for index in outside if _is_as_wide(lines[index][1], widths)]
    start, stop = min((start, *may_be_rows)), max((stop, *(index + 1 for index in may_be_rows)))
    return lines[:start], lines[start:stop], lines[stop:]


def entries_of_boards(chunk: TextChunk, boards: Separated, reader: Reader) -> list[Entry]:
    found = []
    for first, text in records_of(chunk, boards):
        above, body, below = split_record(text, first, boards)
        if is_too_long(text):
            found.append(reader.too_long(first, text))
        elif body and (expected := boards.expected_of([line for _, line in body])):
            found.append(reader.refuse(body[0][0], 1, expected, "rows that do not fit", body[0][1]))
        elif body:
            entry = _entry(body, reader)
            if entry.error is None:
                title, unread = title_and_unread(_that_say(above), _that_say(below))
                entry = entry._replace(title=title, unread=add_unread_texts(entry.unread, unread))
            found.append(entry)
    return found


def _that_say(lines: _Numbered) -> _Numbered:
    return [(number, line) for number, line in lines if is_significant(line)]


def _entry(body: _Numbered, reader: Reader) -> Entry:
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
    """The entry in pencil marks if its cells have candidates, which one sign cannot express."""
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
