"""Cut the stream of a collection into chunks of whole records, and read records as entries.

This module also has functions that test whether a line or a field is a puzzle or a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from pipeline.errors import InvalidPuzzle, RefusalCode, printable
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.cells import (
    BLANKS,
    CELL_CHARACTERS,
    DIGITS,
    EVEN,
    LARGER_CELL_CHARACTERS,
    ODD,
    SIDES,
    has_default_boxes,
    line_with_box_size,
    render_cells,
    symbols_of,
)
from pipeline.reading.formats.parsed import Entry, Parsed, TextChunk, TextPosition
from pipeline.reading.formats.text import (
    LINE_END,
    NEWLINE,
    cells_of,
    count_lines,
    has_no_significant_line,
    is_border,
    is_significant,
)
from pipeline.settings import Reading

MAX_RECORD_BYTES = 64 * 1024
"""Maximum size of a record. A longer record is skipped, and becomes an entry with an error."""

LOOKAHEAD = 256
"""Number of bytes after a record that may be needed to recognise its end."""

Boundary = Callable[[bytes, int, int], int]
"""A function that finds the end of a record: (data, limit, known) → offset.

The data begins with a record. The offset is the last end of a record in the first `limit` bytes. If
no record ends there, it is the first end in the first `known` bytes, or 0 without such an end.
"""

Digest = Callable[[bytes], bytes]
"""A function that shortens the beginning of a long record, in which its end is searched.

It returns fewer than LOOKAHEAD bytes, which a Boundary can read instead of the beginning.
"""


def last_end(ends: Iterator[int], limit: int, known: int) -> int:
    """Choose the offset that a Boundary returns. `ends`: the ends of all records, ascending."""
    last = 0
    for end in ends:
        if end > known:
            break
        if end > limit:
            return last or end
        last = end
    return last


def _line_boundary(data: bytes, limit: int, known: int) -> int:
    """The Boundary of lines. A lone CR counts as a line end only if there is no LF.

    The offset is before the comments at the end of the chunk, so that the next chunk has them. A
    chunk of only comments keeps them.
    """
    end, line_end = data.rfind(b"\n", 0, limit) + 1, b"\n"
    if not end:
        ends = (match.end() for match in LINE_END.finditer(data))
        end, line_end = last_end(ends, limit, known), b"\r"
    position = end
    while 0 < position <= limit:
        start = data.rfind(line_end, 0, position - 1) + 1
        if not has_no_significant_line(data[start:position]):
            return position
        position = start
    return end


def cut_lines(stream: BinaryIO, _layout: Any, size: int) -> Iterator[TextChunk]:
    """Cut chunks of whole lines.

    Comments are in the same chunk as the puzzle below them, or in the last chunk.
    """
    pending = comments = None
    max_bytes = 2 * max(size, MAX_RECORD_BYTES)
    for chunk in cut_chunks(stream, size, _line_boundary):
        if has_no_significant_line(chunk.data):
            comments = _join_comments(comments, chunk, MAX_RECORD_BYTES)
            continue
        if pending:
            yield pending
        pending, comments = _join_comments(comments, chunk, max_bytes), None
    if comments:
        pending = _join_comments(pending, comments, max_bytes)
    if pending:
        yield pending


def _join_comments(chunk: TextChunk | None, next_chunk: TextChunk, max_bytes: int) -> TextChunk:
    """Join a chunk and the chunk of comments before or after it.

    If the two are longer than `max_bytes`, or one is the beginning of a record that is too long,
    the comments are dropped.
    """
    if chunk is None:
        return next_chunk
    are_cut = [
        len(x.data) > MAX_RECORD_BYTES and not count_lines(x.data) for x in (chunk, next_chunk)
    ]
    if not any(are_cut) and len(chunk.data) + len(next_chunk.data) <= max_bytes:
        return TextChunk(chunk.first_line, chunk.data + next_chunk.data, next_chunk.end)
    return next_chunk if has_no_significant_line(chunk.data) else chunk


class _Window:
    """The next bytes of a stream, from which chunks are taken."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.data = b""
        self.taken = 0
        """The number of bytes of the stream before `data`."""
        self.is_last = False

    def fill(self, size: int) -> bool:
        """Read until `data` has `size` bytes or the stream ends. Returns whether it has bytes."""
        parts, missing = [self.data], size - len(self.data)
        while missing > 0 and not self.is_last:
            parts.append(self._stream.read(missing))
            missing -= len(parts[-1])
            self.is_last = not parts[-1]
        self.data = b"".join(parts)
        return bool(self.data)

    @property
    def known_size(self) -> int:
        """The number of bytes of `data` in which every end of a record can be recognised."""
        return len(self.data) if self.is_last else len(self.data) - LOOKAHEAD

    def end(self, size: int, boundary: Boundary) -> int:
        """The end in `data` of the next chunk of about `size` bytes; 0 if `data` is too short."""
        rest = len(self.data)
        if self.is_last and rest <= size:
            return rest
        return boundary(self.data, size, self.known_size) or (rest if self.is_last else 0)

    def take(self, size: int) -> bytes:
        taken, self.data = self.data[:size], self.data[size:]
        self.taken += len(taken)
        return taken

    def skip(self, boundary: Boundary, digest: Digest) -> int:
        """Drop the next record. Returns the number of line ends in it."""
        dropped = self.take(MAX_RECORD_BYTES)
        prefix, lines = digest(dropped), count_lines(dropped)
        while True:
            self.fill(MAX_RECORD_BYTES + LOOKAHEAD)
            end = boundary(prefix + self.data, 0, len(prefix) + self.known_size) - len(prefix)
            is_split = dropped.endswith(b"\r") and self.data.startswith(b"\n")
            dropped = self.take(end if end > 0 else self.known_size)
            lines += count_lines(dropped) - is_split
            if end > 0 or self.is_last:
                return lines
            prefix = digest(prefix + dropped)


def cut_chunks(
    stream: BinaryIO, size: int, boundary: Boundary, digest: Digest = lambda _beginning: b""
) -> Iterator[TextChunk]:
    """Cut chunks of whole records, of at most `size` bytes unless a single record is longer.

    If a record is longer than MAX_RECORD_BYTES, its first MAX_RECORD_BYTES + 1 bytes are a chunk,
    and the rest is skipped.
    """
    window, line = _Window(stream), 1
    max_bytes = max(size, MAX_RECORD_BYTES)
    while window.fill(size + LOOKAHEAD):
        end = window.end(size, boundary)
        if not end:
            window.fill(max_bytes + LOOKAHEAD)
            end = window.end(size, boundary)
        if end and end <= max_bytes:
            data, first = window.take(end), line
            line += count_lines(data)
        else:
            data, first = window.data[: MAX_RECORD_BYTES + 1], line
            line += window.skip(boundary, digest)
        yield TextChunk(first, data, TextPosition(window.taken, line))


PLAIN = r"[1-9.]{81}|[0-9]{81}"
FULL = r"[1-9]{81}"
_PLAIN, _FULL = re.compile(PLAIN), re.compile(FULL)

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNREAD_LINE = re.compile(r"^line ([0-9]+)")
"""The line number at the beginning of an unread text."""

_MIN_DAMAGED_LENGTH = 12
"""Minimum length of a field that counts as a possible damaged puzzle."""

_DELETE_CELL_CHARACTERS = {ord(character): None for character in CELL_CHARACTERS}
_MAX_SHOWN = 100
"""Number of characters of an invalid record that its entry contains."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the records of one source.

    - `source`: the name of the source in messages.
    - `parse`: reads a single puzzle in any format.
    - `needs_its_text`: whether the text of a puzzle has information besides its cells.
    - `raises`: whether invalid records raise InvalidPuzzle instead of becoming entries.
    """

    source: str
    reading: Reading
    parse: Callable[[bytes, str, Reading], Parsed]
    needs_its_text: Callable[[Parsed], bool]
    raises: bool = False

    @property
    def takes_plain(self) -> bool:
        """Whether a text of 81 characters of 1-9, `.` and `0` is taken as a classic puzzle."""
        return self.reading.takes_plain

    def read(
        self,
        text: str,
        lines: Sequence[int],
        shift: int | None = 0,
        claimed: str | None = None,
    ) -> Entry:
        """Read a record.

        - `lines`: the numbers of its lines in the source, at least one.
        - `shift`: the number of characters before the record in its first line; None if messages
          should not name a column.
        - `claimed`: the solution beside the record, such as the one in a column of solutions.
        """
        data = text.encode(errors="surrogateescape")
        try:
            parsed = self.parse(data, self.source, self.reading)
        except InvalidPuzzle as error:
            index = 0 if error.line is None else min(error.line, len(lines)) - 1
            column = None if shift is None else error.column
            if shift and column is not None and index == 0:
                column += shift
            texts = NEWLINE.split(text)
            located = replace(error, line=lines[index], column=column)
            return self._invalid_entry(lines[0], texts[min(index, len(texts) - 1)], located)
        claimed = claimed or parsed.claimed
        puzzle, symbols = parsed.puzzle, symbols_of(parsed.format)
        with_claim = replace(parsed, claimed=claimed)
        if self.needs_its_text(parsed):
            entry = Entry(lines[0], text.strip(), puzzle, None, claimed, False, parsed=with_claim)
        elif has_default_boxes(puzzle.geometry):
            cells = _cells_in_one_line(text, puzzle)
            entry = Entry(lines[0], cells, puzzle, None, claimed, False, symbols)
        else:  # the cells alone do not show the boxes
            cells = line_with_box_size(puzzle)
            entry = Entry(lines[0], cells, puzzle, None, claimed, False, symbols, with_claim)
        unread = (
            _UNREAD_LINE.sub(lambda m: f"line {lines[min(int(m[1]), len(lines)) - 1]}", remark)
            for remark in parsed.unread
        )
        return entry._replace(title=parsed.title, unread=tuple(unread))

    def refuse(
        self,
        line: int,
        column: int,
        expected: str,
        found: str,
        text: str,
        code: RefusalCode = "not-a-puzzle",
    ) -> Entry:
        """The entry of a record that is refused without being parsed."""
        error = InvalidPuzzle(self.source, line, column, expected, found, code=code)
        return self._invalid_entry(line, text, error)

    def too_long(self, line: int, text: str) -> Entry:
        expected = f"a puzzle of at most {MAX_RECORD_BYTES} bytes"
        return self.refuse(line, 1, expected, "more", text, "too-large")

    def _invalid_entry(self, line: int, text: str, error: InvalidPuzzle) -> Entry:
        """The entry of an invalid record: its printable beginning and the error."""
        if self.raises:
            raise error
        shown = printable(text[:_MAX_SHOWN].strip()) + ("…" if len(text) > _MAX_SHOWN else "")
        return Entry(line, shown, None, str(error), None, plain=False, code=error.code)


def _cells_in_one_line(text: str, puzzle: Puzzle) -> str:
    """Write the cells of a puzzle in one line, with `.` for blanks.

    The line has the characters of the source if these are n². Otherwise `render_cells` writes it
    or, if it cannot, the line has numbers separated by spaces, with 0 for blanks.
    """
    cells = "".join(cells_of(line) for line in text.split("\n") if not is_border(line))
    if len(cells) == len(puzzle.cells):
        blank = puzzle.geometry.all_values
        both = zip(cells, puzzle.cells, strict=True)
        return "".join("." if mask == blank else character for character, mask in both)
    try:
        return render_cells(puzzle)
    except ValueError:
        givens = dict(puzzle.givens())
        return " ".join(str(givens.get(cell, 0)) for cell in range(len(puzzle.cells)))


def entries_of_lines(
    chunk: TextChunk, reader: Reader, entry: Callable[[str, int, Reader], Entry]
) -> list[Entry]:
    """Read each significant line of a chunk as an entry."""
    lines = NEWLINE.split(decoded_text(chunk.data, chunk.first_line))
    return [
        reader.too_long(number, line) if is_too_long(line) else entry(line, number, reader)
        for number, line in enumerate(lines, chunk.first_line)
        if is_significant(line)
    ]


def decoded_text(data: bytes, line: int) -> str:
    """Decode text whose first line has the number `line`; invalid bytes become lone surrogates."""
    text = data.decode(errors="surrogateescape")
    return text.removeprefix("\ufeff") if line == 1 else text


def is_text(text: str) -> bool:
    """Whether a decoded text has neither NULs nor invalid bytes."""
    return (text.isascii() or not _SURROGATE.search(text)) and "\0" not in text


def is_too_long(text: str) -> bool:
    """Whether a record is larger than MAX_RECORD_BYTES."""
    return (
        len(text) * 4 > MAX_RECORD_BYTES
        and len(text.encode(errors="surrogateescape")) > MAX_RECORD_BYTES
    )


def plain_entry(
    line: int,
    cells: str,
    claimed: str | None = None,
    title: str = "",
    unread: tuple[str, ...] = (),
) -> Entry:
    """The entry of a plain puzzle. `cells`: 81 characters of 1-9 and `.` or `0`."""
    text = cells.replace("0", ".")
    return Entry(line, text, None, None, claimed, plain=True, title=title, unread=unread)


def is_plain(cells: str) -> bool:
    """Whether a text is 81 characters of 1-9 and at most one kind of blank, `.` or `0`."""
    return len(cells) == 81 and _PLAIN.fullmatch(cells) is not None


def with_plain_blanks(cells: str) -> str | None:
    """Replace the blank of 81 digits and blanks by `.` unless it is `0`; None for other texts."""
    if is_plain(cells):
        return cells
    blanks = set(cells) - set(DIGITS) if len(cells) == 81 else set()
    blank = blanks.pop() if len(blanks) == 1 else ""
    return cells.replace(blank, ".") if blank and blank in BLANKS else None


def is_full(cells: str, side: int = 9) -> bool:
    """Whether the cells are n² digits from 1 to n, for n up to 9."""
    if side == 9:
        return len(cells) == 81 and _FULL.fullmatch(cells) is not None
    return len(cells) == side * side and set(DIGITS[:side]).issuperset(cells)


def split_solution(cells: str) -> tuple[str, str | None]:
    """Split a field into a puzzle and its solution, or return the field and None."""
    middle, odd = divmod(len(cells), 2)
    side = SIDES.get(middle, 16)
    if not odd and side <= 9 and is_full(cells[middle:], side):
        return cells[:middle], cells[middle:]
    return cells, None


def side_of(field: str) -> int | None:
    """The side of the puzzle in a field; None if the field is not a puzzle."""
    if is_plain(field):
        return 9
    if len(field) < min(SIDES):
        return None
    cells = split_solution(cells_of(field))[0]
    side = SIDES.get(len(cells))
    if side is None or side > 9:
        return side if LARGER_CELL_CHARACTERS.issuperset(cells) else None
    blanks = set(cells) - set(DIGITS[:side])
    has_one_blank = len(blanks) <= 1 and blanks <= set(BLANKS)
    return side if has_one_blank or blanks == {EVEN, ODD} else None


def has_blanks(field: str) -> bool:
    """Whether the puzzle in a field has blanks."""
    return not set(BLANKS).isdisjoint(split_solution(cells_of(field))[0])


def may_be_damaged_puzzle(field: str) -> bool:
    """Whether a field may be a damaged puzzle: it is long, and most characters are of cells."""
    return len(field) >= _MIN_DAMAGED_LENGTH and _are_mostly_cell_characters(field)


def is_row(line: str, side: int) -> bool:
    """Whether a line is a row of `side` cells."""
    known = CELL_CHARACTERS if side <= 9 else LARGER_CELL_CHARACTERS
    cells = cells_of(line)
    return len(cells) == side and known.issuperset(cells)


def is_damaged_row(line: str, side: int) -> bool:
    """Whether a line may be a damaged row: at least half as long, mostly characters of cells."""
    cells = cells_of(line.strip())
    return len(cells) * 2 >= side and _are_mostly_cell_characters(cells)


def _are_mostly_cell_characters(cells: str) -> bool:
    return len(cells.translate(_DELETE_CELL_CHARACTERS)) * 4 <= len(cells)


def has_value_above_four(cells: str) -> bool:
    """Whether cells contain a value above 4, which a 4×4 puzzle cannot have."""
    return any(character.isalnum() and character not in "01234xX" for character in cells)
