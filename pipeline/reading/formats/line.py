"""The format `line`: one puzzle of 16, 36, 64 or 81 cells in one line.

The collections `lines` and `csv` have many such puzzles.

    # easy
    53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
    53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79 1.2 name

A line of a collection may have further fields after the puzzle, or a digest (checksum) before it.
Fields are separated by white space, commas, semicolons or bars. A field of 162 characters is a
puzzle and its solution.

In CSV, fields may be quoted, a header may name the column of puzzles, and a column of solutions is
compared with the results. The first lines decide which column has the puzzles.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isqrt

from pipeline.errors import counted
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import digits
from pipeline.reading.formats.around import (
    add_unread_texts,
    chunk_may_name_rule,
    is_rule_column,
    unread_field,
)
from pipeline.reading.formats.base import Format, ManyFormat, SourceHead
from pipeline.reading.formats.borders import draws_usual_boxes
from pipeline.reading.formats.cells import EVEN, GEOMETRIES, ODD, render_cells
from pipeline.reading.formats.frames import Frame, frame_of_line, parser
from pipeline.reading.formats.jigsaws import JIGSAW_HINT, is_region_map
from pipeline.reading.formats.parsed import Entry, TextChunk
from pipeline.reading.formats.records import (
    FULL,
    MAX_RECORD_BYTES,
    PLAIN,
    Reader,
    cut_lines,
    decoded_text,
    has_blanks,
    has_value_above_four,
    is_full,
    is_plain,
    is_text,
    is_too_long,
    may_be_damaged_puzzle,
    plain_entry,
    side_of,
    split_solution,
    with_plain_blanks,
)
from pipeline.reading.formats.region_maps import misfit_of
from pipeline.reading.formats.text import (
    COMMENTS,
    DELIMITER_LINE,
    NEWLINE,
    Text,
    cells_of,
    is_border,
    is_significant,
    iterate_lines,
    quote,
)

_LENGTHS = tuple(side * side for side in GEOMETRIES)
_EXPECTED = "a line of 16, 36, 64 or 81 cells"
_MAX_ROW_LENGTH = max(GEOMETRIES)

DELIMITERS = (",", ";", "\t", "|")
_WORD = re.compile(r"[^ \t,;|]+")

_MAX_FIELDS = 40
"""Maximum number of fields of a line to search for puzzles."""

_INDEX_AFTER_DIGEST = 1
"""The index of the puzzle in lines that begin with a digest (checksum)."""


def recognise_line(text: Text) -> str | None:
    lengths = [len(row.cells) for row in text.rows]
    if len(lengths) == 1 and lengths[0] > _MAX_ROW_LENGTH:
        return f"one line of {lengths[0]} cells"
    if sum(length in _LENGTHS for length in lengths) > len(lengths) / 2:
        return "one whole puzzle per line"
    return None


def _frame(text: Text) -> Frame:
    first, *rest = text.rows or text.lines
    if rest:
        commands = "`solve`, `encode -o FOLDER/` or `run`; in Python, `read`"
        expected = f"a single puzzle (for collections, use {commands})"
        found = f"{len(rest) + 1} lines"
        raise text.error(rest[0].number, 1, expected, found, code="several-puzzles")
    return frame_of_line(text, first, GEOMETRIES, _EXPECTED)


def render_line(puzzle: Puzzle, _notation: str) -> str:
    return render_cells(puzzle) + "\n"


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """The layout of the lines of a source: how to split them, and the meaning of fields.

    - `delimiter`: separates the fields, as in CSV; None if white space, `,`, `;` and `|` do.
    - `column`: the index of the field with the puzzle; None if the puzzle is the whole line.
    - `solution`: the index of the field with the solution, or None.
    - `header`: the number of the header line, or 0.
    - `maps`: the indices of fields that may be region maps, each with its name in messages.
    - `names`: the field names in the header.
    """

    delimiter: str | None = None
    column: int | None = 0
    solution: int | None = None
    header: int = 0
    maps: tuple[tuple[int, str], ...] = ()
    names: tuple[str, ...] = ()

    @property
    def may_have_rules(self) -> bool:
        """Whether the header names a column of rules."""
        return any(map(is_rule_column, self.names))


@dataclass(frozen=True, slots=True)
class ScoredLayout:
    """A layout, and how well it fits the lines of a source.

    - `puzzle_count`: the number of lines that have a puzzle in its place.
    - `damaged_count`: the number of lines that may have a damaged puzzle there.
    - `line_count`: the number of all lines.
    """

    fields: FieldLayout
    puzzle_count: int = 0
    damaged_count: int = 0
    line_count: int = 0

    def is_collection(self, minimum: int) -> bool:
        """Whether `minimum` lines or more have a puzzle, and most lines may have one."""
        puzzles, damaged = self.puzzle_count, self.damaged_count
        has_enough = puzzles >= minimum or (puzzles == damaged == 1 and self.line_count == 2)
        return has_enough and (puzzles + damaged) * 2 > self.line_count


class NotCsv(Exception):
    """The error for a line that is not a CSV record; the message completes "found …"."""


def split_fields(line: str, fields: FieldLayout) -> list[tuple[int, str]]:
    """Split a line into pairs of offset and field. Raises NotCsv."""
    if fields.column is None:
        body = line.strip()
        return [(line.find(body), body)]
    if fields.delimiter is None:
        return [(match.start(), match[0]) for match in _WORD.finditer(line)]
    texts = line.split(fields.delimiter)
    if '"' in line:
        rows = csv.reader([line], delimiter=fields.delimiter, strict=True, skipinitialspace=True)
        try:
            texts = next(rows)
        except csv.Error as error:
            is_open = str(error) == "unexpected end of data"
            found = (
                "a quote that is not closed on this line"
                if is_open
                else "text after a closing quote"
            )
            raise NotCsv(found) from None
    located_fields, end = [], 0
    for body in map(str.strip, texts):
        position = max(line.find(body, end), end)
        located_fields.append((position, body))
        end = position + len(body) + 1
    return located_fields


def names_delimiter(line: str) -> bool:
    """Whether a line names the delimiter, as in `sep=;`, which spreadsheets write above a table."""
    return DELIMITER_LINE.fullmatch(line.removeprefix("\ufeff")) is not None


def texts_in(line: str, fields: FieldLayout) -> list[str]:
    """The fields of a line; an empty list if the line is not a CSV record."""
    try:
        return [text for _, text in split_fields(line, fields)]
    except NotCsv:
        return []


@lru_cache(maxsize=1)  # recognise_csv and recognise_lines call it for the same source
def find_fields(head: SourceHead) -> ScoredLayout:
    """Find the layout that reads the most lines as puzzles.

    In a tie, the first layout in `layouts` wins. So a delimiter wins a tie only if two or more
    fields precede the puzzle; one of them may be a digest.
    """
    lines = head.lines
    if all(map(is_plain, lines)):  # a quick test for the usual case
        return ScoredLayout(FieldLayout(), puzzle_count=len(lines), line_count=len(lines))
    if not head.is_declared and may_be_rows_of_16(lines, is_whole_source=head.has_all_lines):
        return ScoredLayout(FieldLayout())
    delimiters = [sep for sep in DELIMITERS if any(sep in line for line in lines)]
    words = [texts_in(line, FieldLayout()) for line in lines]
    if not delimiters and all(len(row) == 1 for row in words):
        return survey_fields(words, FieldLayout())
    layouts = [
        (FieldLayout(), _INDEX_AFTER_DIGEST),
        (FieldLayout(column=None), _MAX_FIELDS),
        *((FieldLayout(delimiter=delimiter), _MAX_FIELDS) for delimiter in delimiters),
        (FieldLayout(), _MAX_FIELDS),
    ]
    surveys = [
        survey_fields([texts_in(line, layout) for line in lines], layout, max_index)
        for layout, max_index in layouts
    ]
    return max(surveys, key=lambda survey: survey.puzzle_count)


def score_layout(fields: FieldLayout, texts: Sequence[str], line_count: int) -> ScoredLayout:
    """Score a layout by the texts in its column of puzzles."""
    invalid = [text for text in texts if not side_of(text)]
    damaged_count = sum(map(may_be_damaged_puzzle, invalid))
    return ScoredLayout(fields, len(texts) - len(invalid), damaged_count, line_count)


def may_be_rows_of_16(lines: Sequence[str], *, is_whole_source: bool) -> bool:
    """Whether lines of 16 cells may be the rows of 16×16 puzzles, not 4×4 puzzles.

    `is_whole_source`: the lines are all lines of the source.
    """
    cells = list(map(cells_of, lines))
    rows = [row for row in cells if len(row) == 16]
    damaged = sum(len(row) != 16 and may_be_damaged_puzzle(row) for row in cells)
    if len(rows) <= damaged:
        return False
    large_rows = sum(map(has_value_above_four, rows))
    are_ambiguous = (
        is_whole_source and len(rows) == len(lines) and len(rows) % 16 == 0 and not large_rows
    )
    if are_ambiguous or len(rows) + damaged == 16:
        return large_rows > 0 or not {EVEN, ODD} <= set("".join(rows))
    return large_rows * 4 > len(rows)


def survey_fields(
    rows: Sequence[Sequence[str]], layout: FieldLayout, max_index: int = _MAX_FIELDS
) -> ScoredLayout:
    """Find the field up to `max_index` that is a puzzle in most records, and score the layout."""
    puzzles: Counter[int] = Counter()
    with_blanks: Counter[int] = Counter()
    maps = set[int]()
    for row in rows:
        for index, text in enumerate(row[:_MAX_FIELDS]):
            if is_region_map(text):
                maps.add(index)
            elif side_of(text):
                puzzles[index] += 1
                with_blanks[index] += has_blanks(text)
    highest = max(puzzles.values(), default=0)
    likely = [index for index in sorted(puzzles) if puzzles[index] * 2 > highest]
    eligible = [index for index in likely if index <= max_index]
    if not eligible:
        return ScoredLayout(layout, line_count=len(rows))
    unsolved = [index for index in eligible if with_blanks[index] * 2 > puzzles[index]]
    column = next((index for index in unsolved or eligible if with_blanks[index]), eligible[0])
    if not with_blanks[column]:
        column = _first_column_with_blanks(rows, column, max_index)
    solution = next(
        (index for index in likely if index != column and with_blanks[index] * 2 <= puzzles[index]),
        None,
    )
    fields = replace(
        layout,
        column=None if layout.column is None else column,
        solution=solution,
        maps=tuple((index, f"field {index + 1}") for index in sorted(maps - {column})),
    )
    return score_layout(fields, [row[column] for row in rows if column < len(row)], len(rows))


def _first_column_with_blanks(
    rows: Sequence[Sequence[str]], full_column: int, max_index: int
) -> int:
    """The first column up to `max_index` that has a puzzle with blanks, even a damaged one.

    The full grids in `full_column` are then solutions. Returns `full_column` if there is no such
    column.
    """
    for index in range(min(max_index + 1, max(map(len, rows)))):
        texts = [row[index] for row in rows if index < len(row) and index != full_column]
        if any(
            (side_of(text) or may_be_damaged_puzzle(text)) and has_blanks(text) for text in texts
        ):
            return index
    return full_column


def entries_of_field_lines(chunk: TextChunk, fields: FieldLayout, reader: Reader) -> list[Entry]:
    """Read the lines of a chunk. One regular expression reads all plain lines at once."""
    text = decoded_text(chunk.data, chunk.first_line)
    has_text = bool(fields.maps) or fields.may_have_rules or chunk_may_name_rule(chunk.data)
    if has_text or not reader.takes_plain or not _is_valid_text(text, chunk.data):
        rows = [("", "", line) for line in NEWLINE.split(text)]
    else:
        rows = _line_pattern(fields).findall(text)
        if (
            fields.column is not None
            and fields.solution is not None
            and fields.solution < fields.column
        ):
            rows = [(plain, claimed, line) for claimed, plain, line in rows]
    entries = [
        plain_entry(number, plain, claimed or None)
        if plain
        else _entry(line, number, fields, reader)
        if line
        else None
        for number, (plain, claimed, line) in enumerate(rows, chunk.first_line)
    ]
    return [entry for entry in entries if entry]


def _is_valid_text(text: str, data: bytes) -> bool:
    """Whether a chunk is valid text and has no line that is too long."""
    short = len(data) <= MAX_RECORD_BYTES or max(map(len, data.splitlines())) <= MAX_RECORD_BYTES
    return short and is_text(text)


@lru_cache(maxsize=16)
def _line_pattern(fields: FieldLayout) -> re.Pattern[str]:
    """A pattern for one line, with three groups.

    - Groups 1 and 2: a plain puzzle and its solution, in the order of their columns.
    - Group 3: the whole line, if the puzzle or the solution is not plain.
    """
    if fields.column is None:
        plain = f"({PLAIN})()"
    elif fields.delimiter is None:
        plain = _fields_pattern(fields, r"[^ \t,;|\r\n]+", r"[ \t,;|]+") + r"(?:[ \t,;|][^\r\n]*)?"
    else:
        delimiter = re.escape(fields.delimiter)
        any_field = rf'[^"\r\n{delimiter}]*'
        plain = _fields_pattern(fields, any_field, delimiter) + rf'(?:{delimiter}[^"\r\n]*)?'
    not_comment = "" if fields.column == 0 else f"(?!{'|'.join(COMMENTS)})"
    return re.compile(rf"(?:{not_comment}{plain}|([^\r\n]*))(?:\r\n?|\n|\Z)")


def _fields_pattern(fields: FieldLayout, any_field: str, delimiter: str) -> str:
    """A regular expression for the fields of a plain line up to the puzzle and the solution."""
    column, solution = fields.column or 0, fields.solution
    patterns = [any_field] * (max(column, solution or 0) + 1)
    patterns[column] = f"({PLAIN})" if solution is not None else f"({PLAIN})({FULL})?"
    if solution is not None:
        patterns[solution] = f"({FULL})"
    return delimiter.join(patterns)


def _entry(line: str, number: int, fields: FieldLayout, reader: Reader) -> Entry | None:
    """The entry of a line; None for headers, empty lines, comments and borders."""
    is_header = number == fields.header or (number == 1 and names_delimiter(line))
    if is_header or not is_significant(line) or is_border(line):
        return None
    if is_too_long(line):
        return reader.too_long(number, line)
    if not is_text(line):
        return reader.read(line, (number,))
    try:
        located_fields = split_fields(line, fields)
    except NotCsv as error:
        return reader.refuse(number, 1, "a CSV record", str(error), line, "damaged")
    entry = _record(line, number, located_fields, fields, reader)
    unread = _unread_in(located_fields, fields, entry)
    return entry._replace(unread=add_unread_texts(entry.unread, unread)) if unread else entry


def _unread_in(
    located_fields: Sequence[tuple[int, str]], fields: FieldLayout, entry: Entry
) -> list[str]:
    """The unread texts in fields that are neither puzzle, solution nor region map.

    Without a delimiter, these fields are joined into one text.
    """
    if fields.column is None or entry.error is not None:
        return []
    side = entry.puzzle.geometry.side if entry.puzzle else 9
    names, read = dict(enumerate(fields.names)), {fields.column, fields.solution}
    if entry.parsed:  # the text of a jigsaw ends with its map
        endings = (i for i, (_, text) in enumerate(located_fields) if entry.text.endswith(text))
        read |= {*endings} & dict(fields.maps).keys()
    texts = [
        (names.get(index, ""), text)
        for index, (_, text) in enumerate(located_fields)
        if index not in read
    ]
    if fields.delimiter is None:
        texts = [("", " ".join(text for _, text in texts).lstrip("#/ "))]
    remarks = (unread_field(name, text, entry.line, side) for name, text in texts)
    return [remark for remark in remarks if remark]


def _record(
    line: str,
    number: int,
    located_fields: Sequence[tuple[int, str]],
    fields: FieldLayout,
    reader: Reader,
) -> Entry:
    """Read a line that was split into fields. Raises InvalidPuzzle only if `reader.raises`."""
    column, expected = fields.column or 0, f"a puzzle in field {(fields.column or 0) + 1}"
    if column >= len(located_fields):
        return reader.refuse(
            number, len(line) + 1, expected, counted(len(located_fields), "field"), line
        )
    offset, text = located_fields[column]
    if not text:
        return reader.refuse(number, offset + 1, expected, quote(text), line)
    cells, joined = split_solution(cells_of(text))
    claimed = joined
    if fields.solution is not None and fields.solution < len(located_fields):
        claimed = cells_of(located_fields[fields.solution][1]) or None
    if maps := _maps_in(located_fields, fields, len(cells)):
        if fault := _map_fault(located_fields, maps, fields):
            fault_offset, expected, found = fault
            return reader.refuse(number, fault_offset + 1, expected, found, line)
        return reader.read(cells + located_fields[maps[0][0]][1], (number,), offset, claimed)
    plain = with_plain_blanks(cells) if reader.takes_plain else None
    if plain and draws_usual_boxes(text, 9) and (not claimed or is_full(claimed)):
        return plain_entry(number, plain, claimed)
    return reader.read(cells if joined else text, (number,), offset, claimed)


def _maps_in(
    located_fields: Sequence[tuple[int, str]], fields: FieldLayout, size: int
) -> list[tuple[int, str]]:
    """The items of `fields.maps` whose field has `size` characters, not all of them equal."""
    texts = [text for _, text in located_fields]
    return [
        (index, name)
        for index, name in fields.maps
        if index < len(texts) and len(texts[index]) == size and len({*texts[index]}) > 1
    ]


def _map_fault(
    located_fields: Sequence[tuple[int, str]], maps: Sequence[tuple[int, str]], fields: FieldLayout
) -> tuple[int, str, str] | None:
    """Check that `maps` are a single region map. A column of cages is a fault, too.

    Returns None, or the offset of a fault in the line with the expected and the found text.
    """
    (index, name), *further_maps = maps
    offset, regions = located_fields[index]
    if not _CAGE_NAMES.isdisjoint(fields.names[index : index + 1]):
        return offset, f"no region map in {name} ({JIGSAW_HINT})", quote(regions)
    if further_maps:
        offset, regions = located_fields[further_maps[0][0]]
        return offset, f"only one region map, the one in {name} ({JIGSAW_HINT})", quote(regions)
    if misfit := misfit_of(regions, isqrt(len(regions))):
        cell, expected, found = misfit
        return offset + cell, expected, found
    return None


def recognise_lines(head: SourceHead) -> tuple[FieldLayout, str] | None:
    if head.is_single:
        return None
    scored = find_fields(head)
    fields = scored.fields
    if head.is_declared:
        return (
            fields if scored.puzzle_count and not fields.delimiter else FieldLayout()
        ), "the format was specified"
    if not scored.is_collection(head.minimum) or fields.delimiter is not None:
        return None
    where = f"in field {fields.column + 1} of each line" if fields.column else "per line"
    return fields, f"one whole puzzle {where}"


def _takes_plain_lines(fields: FieldLayout) -> bool:
    return not fields.column and fields.delimiter is None


LINES = ManyFormat("lines", recognise_lines, cut_lines, entries_of_field_lines, _takes_plain_lines)
LINE = Format(
    "line", recognise_line, parser(_frame, digits), render_line, many=LINES, has_solutions=True
)


_PUZZLE_NAMES = frozenset(("puzzle", "puzzles", "quiz", "quizzes", "question", "questions"))
_SOLUTION_NAMES = frozenset(("solution", "solutions", "answer", "answers"))
_CAGE_NAMES = frozenset(("cage", "cages"))
_MAP_NAMES = _CAGE_NAMES | {"region", "regions", "jigsaw", "layout", "box", "boxes"}
_COLUMN_NAME = re.compile(r"(?=.{1,40}\Z)[^\W\d]\w*(?:[ .-]\w+)*")


def recognise_csv(head: SourceHead) -> tuple[FieldLayout, str] | None:
    text = head.sample.decode("utf-8-sig", errors="replace")
    lines = enumerate(iterate_lines(text), 1)  # a header may begin with `#`, like a comment
    headers = (line for line in lines if line[1].strip() and not names_delimiter(line[1]))
    number, header = next(headers, (1, ""))
    for delimiter in DELIMITERS:
        named = _layout_of_header(head, header, FieldLayout(delimiter, header=number))
        if named:
            return named
    if head.is_single:
        return None
    scored = find_fields(head)
    fields = scored.fields
    if fields.delimiter is not None and (scored.is_collection(head.minimum) or head.is_declared):
        return fields, f"field {(fields.column or 0) + 1} of its records is a puzzle"
    return (FieldLayout(","), "the format was specified") if head.is_declared else None


def _layout_of_header(
    head: SourceHead, header: str, layout: FieldLayout
) -> tuple[FieldLayout, str] | None:
    """Complete a layout with the names in the header.

    Returns the layout and the reason; None if the line is not a header of puzzles.
    """
    names = [name.lower() for name in _texts_without_number_sign(header, layout)]
    column = next((index for index, name in enumerate(names) if name in _PUZZLE_NAMES), None)
    if column is None and (len(names) < 2 or not all(map(_COLUMN_NAME.fullmatch, names))):
        return None
    rows = [
        _texts_without_number_sign(line, layout)
        for line in head.lines
        if line.strip() != header.strip()
    ]
    if column is None:
        # No header name identifies the puzzles, so most records must have as many fields as the
        # header.
        scored = survey_fields(rows, layout)
        complete_rows = sum(len(row) == len(names) for row in rows)
        reason = f"it has a header, and field {(scored.fields.column or 0) + 1} is a puzzle"
        return (
            (_with_names(scored.fields, names), reason)
            if scored.is_collection(head.minimum) and complete_rows * 2 > len(rows)
            else None
        )
    known = survey_fields(rows, layout).fields
    solution_columns = (index for index, name in enumerate(names) if name in _SOLUTION_NAMES)
    # in our own tables, a column `solutions` with a number precedes `solution`
    solution = min(solution_columns, key=lambda index: names[index].endswith("s"), default=None)
    if solution is None and known.column == column:
        solution = known.solution
    layout = replace(layout, column=column, solution=solution, maps=known.maps)
    texts = [row[column] for row in rows if column < len(row)]
    may_be_grid = len(rows) == 16 and max(map(len, rows)) == 1
    may_be_grid = may_be_grid and may_be_rows_of_16(texts, is_whole_source=head.has_all_lines)
    scored = score_layout(layout, texts, len(rows))
    variants = sum(head.is_variant(text) for text in texts if not side_of(text))
    scored = replace(scored, puzzle_count=scored.puzzle_count + variants)
    if head.is_declared or (scored.is_collection(head.minimum) and not may_be_grid):
        return _with_names(scored.fields, names), f"its header names the column {names[column]!r}"
    return None


def _with_names(fields: FieldLayout, names: Sequence[str]) -> FieldLayout:
    """The layout with the names in the header; columns named like region maps become `maps`."""
    columns = {index for index, name in enumerate(names) if name in _MAP_NAMES}
    columns |= {index for index, _ in fields.maps if index < len(names)}
    maps = tuple(
        (index, f"column {quote(names[index])}") for index in sorted(columns - {fields.column})
    )
    solution = None if fields.solution in columns else fields.solution
    return replace(fields, solution=solution, maps=maps, names=tuple(names))


def _texts_without_number_sign(line: str, layout: FieldLayout) -> list[str]:
    return [text.lstrip("#").strip() for text in texts_in(line, layout)]


CSV = ManyFormat("csv", recognise_csv, cut_lines, entries_of_field_lines)
