"""Collections in JSON: lists of objects, strings or grids, and JSON Lines.

    [{"puzzle": "53..7…", "solution": "534678…"}, {"puzzle": "..8.1…"}]
    {"newboard": {"grids": [{"value": [[5, 3, …], …]}, …]}}
    ["53..7…", "..8.1…"]
    {"puzzle": "53..7…"}⏎{"puzzle": "..8.1…"}⏎

In a list, a record is a value and the comma before it; in JSON Lines, a record is a line. A list of
about 16 strings of 16 cells may be a grid, so it is not a collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import BinaryIO

from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading.formats.base import Format, ManyFormat, SourceHead
from pipeline.reading.formats.cells import BLANKS
from pipeline.reading.formats.fpuzzles.document import Misread, parse_json
from pipeline.reading.formats.json_objects import (
    GRID_NAMES,
    OtherMembers,
    cells_of_grid,
    find_grid,
    kind_of_puzzle,
    may_be_rows,
    other_members,
    parse_objects,
    read_other_members,
    recognise_objects,
)
from pipeline.reading.formats.numbers import LIST_BEGINS, render_json
from pipeline.reading.formats.parsed import Entry, TextChunk, title_of
from pipeline.reading.formats.records import (
    LOOKAHEAD,
    Reader,
    cut_chunks,
    cut_lines,
    decoded_text,
    entries_of_lines,
    is_full,
    is_text,
    is_too_long,
    last_end,
    plain_entry,
    with_plain_blanks,
)
from pipeline.reading.formats.text import END_OF_FILE, NEWLINE, count_lines, quote

_SAMPLE_BYTES = 64 * 1024
"""Size of the beginning of a source that is examined to recognise a list."""

_MAX_RECORDS = 20
"""Maximum number of records or lines to parse in order to recognise a collection."""

_OPENING = re.compile(
    rb'(?:\xef\xbb\xbf)?\s{0,99}(?:\{\s{0,99}"\w{1,20}"\s{0,99}:\s{0,99}){0,3}'
    rb'\[\s{0,99}(?=[{"\[])'
)
"""The beginning of a list of puzzles, which may be nested in objects."""

_TOKEN = re.compile(rb'"(?:[^"\\\r\n]|\\.?)*+("?)|[\[\]{}]')
"""A bracket or a string. A string without its closing quote ends at the end of its line."""

_FLAT_OBJECT = re.compile(rb'\s*,?\s*\{[^{}\[\]"]*+(?:"[^"\\\r\n]*+"[^{}\[\]"]*+)*+\}')
"""An object without nested values and escapes, which one match covers, for speed."""

_COMMA = re.compile(rb"\s*,\s*")
_TAIL = re.compile(rf"\s*\][\s\]}}{END_OF_FILE}]*")
"""The end of a document: a bracket that closes the list, and further closing brackets."""

_EXPECTED_LIST = "a list of puzzles in JSON, with ',' between them and ']' at the end"


def _record_end(data: bytes, start: int) -> tuple[int, bytes]:
    """Find the end of the record that begins at `start`.

    Returns the end and b"", or, if the record is incomplete or the list has ended, -1 and the
    brackets and the quote that are still open.
    """
    if flat := _FLAT_OBJECT.match(data, start):
        return flat.end(), b""
    opening = _OPENING.match(data, start)
    open_marks = bytearray()
    for match in _TOKEN.finditer(data, opening.end() if opening else start):
        mark = match[0][:1]
        if mark in b"[{":
            open_marks += mark
        elif mark in b"]}":
            if not open_marks:
                break  # the end of the list
            open_marks.pop()
        elif not match[1] and match.end() == len(data):
            open_marks += b'"'
        if not open_marks and (mark != b'"' or match[1]):
            return match.end(), b""
    return -1, bytes(open_marks)


def _record_ends(data: bytes) -> Iterator[int]:
    """Yield the ends of all records."""
    end = _record_end(data, 0)[0]
    while end >= 0:
        yield end
        end = _record_end(data, end)[0]


def _boundary(data: bytes, limit: int, known: int) -> int:
    """The `Boundary` of records in a list."""
    return last_end(_record_ends(data), limit, known)


def _digest(beginning: bytes) -> bytes:
    """The `Digest` of a record in a list: a comma, and the brackets and the quote still open."""
    return b"," + _record_end(beginning, 0)[1][: LOOKAHEAD - 2]


def cut_records(stream: BinaryIO, is_list: bool, size: int) -> Iterator[TextChunk]:
    return cut_chunks(stream, size, _boundary, _digest) if is_list else cut_lines(stream, 0, size)


def recognise_records(head: SourceHead) -> tuple[bool, str] | None:
    """Recognise a list of puzzles in JSON or JSON Lines.

    Returns whether the source is a list, and the reason; None for any other source.
    """
    data = head.data[:_SAMPLE_BYTES]
    if opening := _OPENING.match(data):
        starts = [opening.end(), *islice(_record_ends(data), _MAX_RECORDS)]
        values = [
            _parsed_or_none(data[start:end].strip(b", \t\r\n").decode(errors="replace"))
            for start, end in pairwise(starts)
        ]
        is_list = len(values) > 1 and not may_be_rows(values)
        if is_list and _are_mostly_puzzles(values, head.minimum) and not _is_cut_off(head):
            return True, "it is a list of puzzles in JSON"
    if not head.lines or head.lines[0].lstrip()[:1] not in ("{", "[") or head.is_single:
        return None
    lines = head.lines[:_MAX_RECORDS]
    if len(lines) == 2 and lines[1].lstrip()[:1] not in ("{", "["):
        return None  # the source is a damaged object
    are_puzzles = _are_mostly_puzzles([*map(_parsed_or_none, lines)], head.minimum)
    return (False, "its lines are puzzles in JSON") if are_puzzles else None


def _is_cut_off(head: SourceHead) -> bool:
    """Whether the source is complete but the list in it is not."""
    return head.is_complete and b"]" not in head.data[max(_record_ends(head.data)) :]


def _are_mostly_puzzles(values: Sequence[object], minimum: int) -> bool:
    """Whether most values are puzzles of one kind, or one of two is an object with a grid."""
    kinds = [*filter(None, map(kind_of_puzzle, values))]
    has_enough = len(kinds) * 2 > len(values) >= minimum
    return len({*kinds}) == 1 and (has_enough or (kinds == ["object"] and len(values) == 2))


def _parsed_or_none(record: str) -> object:
    """The JSON value of a record; None if the record is not valid JSON."""
    try:
        return parse_json(record)
    except Misread:
        return None


def entries_of_records(chunk: TextChunk, is_list: bool, reader: Reader) -> list[Entry]:
    """Read the records of a chunk; text between or after the records becomes invalid entries."""
    if not is_list:
        return entries_of_lines(chunk, reader, _entry)
    data, line = chunk.data, chunk.first_line
    entries, position, counted_to = list[Entry](), 0, 0
    for end in _record_ends(data):
        prefix = _OPENING.match(data, position) or _COMMA.match(data, position)
        begin = prefix.end() if prefix else position
        line, counted_to = line + count_lines(data, counted_to, begin), begin
        record = decoded_text(data[begin:end], 0)
        indent = NEWLINE.split(decoded_text(prefix[0], 0))[1:] if prefix else []
        entries += [
            _entry(record, line, reader, len(indent[-1]) if indent else None)
            if prefix
            else reader.refuse(line, 1, _EXPECTED_LIST, quote(record.strip()), record)
        ]
        position = end
    begin = len(data) - len(data[position:].lstrip())
    rest, line = decoded_text(data[begin:], 0), line + count_lines(data, counted_to, begin)
    if is_too_long(rest):
        entries.append(reader.too_long(line, rest))
    elif rest and not _TAIL.fullmatch(rest) and not _has_no_rules(rest):
        entries.append(reader.refuse(line, 1, _EXPECTED_LIST, quote(rest), rest))
    return entries


def _has_no_rules(tail: str) -> bool:
    """Whether the members after a list of puzzles, up to the end of the document, have no rules.

    The list may be nested in one to three objects. Returns False if `tail` is not a valid end of
    these objects.
    """
    for depth in range(1, 4):
        document = _parsed_or_none('{"list":' * depth + "[" + tail)
        if document is not None:
            path = ("list",) * depth
            try:
                return not read_other_members([*other_members(document, path)], NINE_BY_NINE).unread
            except Misread:
                return False
    return False


def _entry(record: str, line: int, reader: Reader, shift: int | None = 0) -> Entry:
    """Read a record, a JSON value; `shift` is as in `Reader.read`."""
    if is_too_long(record):
        return reader.too_long(line, record)
    value = _parsed_or_none(record) if is_text(record) else None
    if isinstance(value, str):
        if not is_text(value):
            return reader.refuse(line, 1, "the cells of a puzzle", quote(value), record)
        plain = with_plain_blanks(value) if reader.takes_plain else None
        return plain_entry(line, plain) if plain else reader.read(value, (line,), None)
    entry = _plain_entry(value, line) if reader.takes_plain and value is not None else None
    if entry is None:
        entry = reader.read(
            record, range(line, line + record.count("\n") + record.count("\r") + 1), shift
        )
    return entry._replace(text=NEWLINE.sub(" ", entry.text))


def _plain_entry(value: object, line: int) -> Entry | None:
    """The entry of a classic 9×9 puzzle without marks; None for any other value."""
    try:
        located = find_grid(value)
        plain = with_plain_blanks(cells_of_grid(located.grid))
        members = read_other_members(located.members, NINE_BY_NINE) if plain else OtherMembers()
    except Misread:
        return None
    if plain is None or (members.claimed and not is_full(members.claimed)):
        return None
    title = title_of([dict(members.notes).get("title", "")])
    return plain_entry(line, plain, members.claimed, title, members.unread)


_GRID_BEGINS = re.compile(
    rf'\s*[\[{{](?s:.{{0,2000}}?)"(?:{"|".join(GRID_NAMES)})"\s*:\s*'
    rf'(?:"[1-9{re.escape(BLANKS)}]{{9}}|\[\s*\[?(?:\s*(?:"?\d?"?|null|-1)\s*,){{3}})'
    rf"|{LIST_BEGINS.pattern}"
)
"""The beginning of a JSON text, up to the first cells of a grid."""

_JSON_RECORDS = ManyFormat("json", recognise_records, cut_records, entries_of_records)
JSON = Format(
    "json", recognise_objects, parse_objects, render_json, begins=_GRID_BEGINS, many=_JSON_RECORDS
)
