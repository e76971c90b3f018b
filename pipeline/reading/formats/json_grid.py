"""JSON: a list of n lists of n cells, or of n texts of n characters.

    [[5, 3, 0, 0, 7, 0, 0, 0, 0],
     [6, null, "", "1", …

A cell is a number, or a text with one in it; blanks are 0, null or "", but 0 not together with the
others. If the cells are signs, as in "53..7....", they are read as a grid. The text is read word
by word, so that deep or large JSON costs no memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format, Found
from pipeline.reading.formats.cells import (
    ALL_GEOMETRIES,
    BLANKS,
    in_rows,
    number_of,
    render_cells,
    written_numbers,
)
from pipeline.reading.formats.grid import parse_grid
from pipeline.reading.formats.text import Line, Text, Word, either
from pipeline.settings import Reading

_BEGIN = re.compile(r'\[\s*(?:$|[\["\d]|null\b)')
_BEGINS = re.compile(r'\s*\[\s*(?:\[\s*(?:"?\d{1,2}"?|""|null)\s*[,\]]|"[0-9.*_x?]{4})')
_WORD = re.compile(r'[\[\],]|"[^"\\]*"|[^\s\[\],"]+|"[^,\]]*')
_LARGEST = max(ALL_GEOMETRIES)
_SIGNS = frozenset(BLANKS) - {"0"}
_ROWS, _STRINGS = "rows", "strings"
_List = list[Word]


def _is_string(word: Word) -> bool:
    return len(word.text) > 1 and word.text[0] == word.text[-1] == '"'


def _signs(word: Word) -> str:
    """A text without its quotes; other words as they are."""
    return word.text[1:-1] if _is_string(word) else word.text


def _said(word: Word) -> str:
    """The content of a cell: "" for null and for an empty text."""
    return _signs(word).strip() if _is_string(word) else word.text.replace("null", "")


def recognise_json(text: Text) -> str | None:
    return "it begins as a list in JSON" if _BEGIN.match(text.lines[0].text.lstrip()) else None


def parse_json(text: Text, reading: Reading) -> Found:
    rows = _rows(text)
    texts = [row for row in rows if isinstance(row, Word)]
    lists = [row for row in rows if not isinstance(row, Word)]
    if not lists:
        return _grid(text, [[row] for row in texts], reading, _ROWS)
    if texts:
        raise _wrong(text, texts[0], "a list of cells, as the other rows are")
    cells = [cell for row in lists for cell in row]
    if any(_said(cell) in _SIGNS for cell in cells):
        return _grid(text, lists, reading, _STRINGS)
    return _numbers(text, lists, _STRINGS if all(map(_is_string, cells)) else "")


def _wrong(text: Text, word: Word, expected: str) -> InvalidPuzzle:
    last = text.lines[-1]
    ends = (last.number, len(last.text.rstrip()) + 1) == (word.line, word.column + len(word.text))
    return text.at_word(word, expected, truncated=ends and word.text not in "[],")


def _rows(text: Text) -> list[_List | Word]:
    """The rows: lists of cells, or texts."""
    words = (word for line in text.lines for word in line.words(_WORD))
    if next(words).text != "[":
        raise text.at_line(text.lines[0], "a list in JSON, '[[5, 3, 0, …'")
    rows: list[_List | Word] = []
    while not rows or _goes_on(text, words, "the list of rows"):
        row = next(words, None)
        expected = "a row: a list of cells, or a text"
        if row is None:
            raise text.at_end(expected, "the end of the file")
        if row.text != "[" and not _is_string(row):
            raise _wrong(text, row, expected)
        if len(rows) == _LARGEST:
            raise _wrong(text, row, f"at most {_LARGEST} rows")
        rows.append(row if _is_string(row) else _cells(text, words))
    extra = next(words, None)
    if extra is not None:
        raise text.at_word(extra, "the end after the list of rows")
    return rows


def _cells(text: Text, words: Iterator[Word]) -> _List:
    """Read the cells of a row whose bracket has been read."""
    cells: _List = []
    while not cells or _goes_on(text, words, "the row"):
        cell = next(words, None)
        if cell is None:
            raise text.at_end("a cell", "the end of the file")
        if cell.text == "[":
            raise _wrong(text, cell, "a cell: a file holds a single grid")
        if cell.text in "]," or not (
            _is_string(cell) or cell.text == "null" or cell.text.isdigit()
        ):
            raise _wrong(text, cell, "a cell: a number, a text, or null for a blank")
        if len(cells) == _LARGEST:
            raise _wrong(text, cell, f"at most {_LARGEST} cells in a row")
        cells.append(cell)
    return cells


def _goes_on(text: Text, words: Iterator[Word], what: str) -> bool:
    """Whether a comma follows, rather than the end of a list."""
    word = next(words, None)
    expected = f"',' or the ']' that ends {what}"
    if word is None:
        raise text.at_end(expected, "the end of the file")
    if word.text not in ",]":
        raise _wrong(text, word, expected)
    return word.text == ","


def _grid(text: Text, rows: Sequence[_List], reading: Reading, notation: str) -> Found:
    """Read the puzzle whose cells are signs as a grid."""
    lines = []
    for number, row in enumerate(rows, 1):
        for word in row:
            if notation == _STRINGS and len(_said(word)) != 1:
                raise _wrong(text, word, "a digit or a sign for a blank")
        line = Line.of_text(number, "".join(map(_signs, row)))
        lines.append(replace(line, is_border=False))
    try:
        found = parse_grid(replace(text, lines=tuple(lines)), reading)
    except InvalidPuzzle as error:  # the list has come to its end, so nothing is cut off
        line_number, column = error.line, error.column
        if line_number is not None and column is not None:
            line_number, column = _place(rows[line_number - 1], column)
        raise replace(error, line=line_number, column=column, truncated=False) from None
    return found._replace(notation=notation)


def _place(row: _List, column: int) -> tuple[int, int]:
    """Line and column in the source of a row's sign; `column` counts its signs from 1."""
    *others, word = row
    for other in others:
        if column <= len(_signs(other)):
            word = other
            break
        column -= len(_signs(other))
    return word.line, word.column + _is_string(word) + column - 1


def _numbers(text: Text, rows: Sequence[_List], notation: str) -> Found:
    side = len(rows)
    if side not in ALL_GEOMETRIES:
        raise text.error(None, None, f"{either(ALL_GEOMETRIES)} rows", counted(side, "row"))
    blank, values = None, []
    for row in rows:
        if len(row) != side:
            word = row[side] if len(row) > side else row[-1]
            found = counted(len(row), "cell")
            raise text.error(word.line, word.column, f"a row of {side} cells", found)
        for word in row:
            value = number_of(_said(word), side) if _said(word) else 0
            if value is None:
                raise _wrong(text, word, f"a number from 1 to {side}, or 0 or null for a blank")
            if not value:
                blank = blank or word
                if bool(_said(word)) != bool(_said(blank)):
                    raise _wrong(text, word, f"one kind of blank, {blank.text} as before")
            values.append(value)
    return Found(Puzzle.of_values(ALL_GEOMETRIES[side], values), notation=notation)


def render_json(puzzle: Puzzle, notation: str) -> str:
    """Write a list with a row in each line: of numbers, of texts for the cells, or a text itself.

    Raises ValueError for boxes other than the usual ones of that side, and for cells that allow
    neither one value nor all; in a text for the row, the even or odd ones are allowed too.
    """
    if notation == _ROWS:
        rows = [f'"{row}"' for row in in_rows(render_cells(puzzle), puzzle.geometry.side)]
    else:
        mark = '"' if notation == _STRINGS else ""
        written = written_numbers(puzzle, "" if mark else "0")
        rows = [f"[{', '.join(f'{mark}{cell}{mark}' for cell in row)}]" for row in written]
    return "[" + ",\n ".join(rows) + "]\n"


JSON = Format("json", recognise_json, parse_json, render_json, _BEGINS)
