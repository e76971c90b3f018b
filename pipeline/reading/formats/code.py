r"""Grids as programs write them: lists, facts, and the environment of the LaTeX package sudoku.

    board = [[5, 3, 0, …],        problem(1, [[5,3,_,…],        array2d(1..9, 1..9, [5, 3, …]);
    int b[9][9] = {{5, 3, 0, …},  [| 5, 3, _, … | 6, … |];      \begin{sudoku} |5|3| | …|. …

    initial(1,1,5). initial(1,2,3). …          1 1 5
                                               1 2 3

The text has one grid, and otherwise only comments. Each fact, or line of numbers, states the row,
the column and the value of a given. All facts must have the same name, and no cell may occur twice.
Rows and columns count from 0 if one of them is 0, and from 1 if one of them is the side. `--boxes`
sets the side. Without this option, the side is the largest number, which must be 9, 16 or 25.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

from pipeline.errors import counted
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import Alphabet, digits, numbers
from pipeline.reading.formats.around import names_rule, unread_lines
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.borders import boxes_options
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, GEOMETRIES, SIDES_WITH_BOXES
from pipeline.reading.formats.frames import Frame, TokenRow, frame_of_rows, puzzle_of_frame
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.spaces import is_in_spaces
from pipeline.reading.formats.tables import normalise_token
from pipeline.reading.formats.text import DECODED_BYTES, Text, TextLine, Word, quote
from pipeline.settings import Reading

_DECLARATION = re.compile(
    r"(?:[A-Za-z_][\w.:<>*&, \[\]]{0,120}= ?)?"
    r"(?:new [\w.\[\]<> ]{1,40}"
    r"|array2d ?\( ?1 ?\.\. ?(\d{1,2}) ?, ?1 ?\.\. ?(\d{1,2}) ?,"
    r"|[A-Za-z_][\w.]{0,60} ?\( ?(?:[\w\"']{1,40} ?, ?)?)? ?"
)
"""The text before the first bracket: a declaration, a call, or the head of a fact."""

_MAX_DECLARATION_LENGTH = 300
"""Maximum number of characters before the first bracket."""

_LIST_BEGINS = re.compile(r"""\[\||[\[{(]\s*[\[{(]\s*["'\w.-]|\[\s*["']|array2d[^\[]{0,40}\[""")
"""The beginning of a list of rows, or of an `array2d`."""

_LIST_ENDS = re.compile(r"""(?: ?,)?(?: ?dtype ?= ?[\w."']{1,20})? ?\)? ?[.;]? ?""")
"""The text that may follow the list."""

_TOKEN = re.compile(r"""\[\||\|\]|"[^"\n]*+"|'[^'\n]*+'|[\[\]{}(),;|"']|[^\s\[\]{}(),;|"']++""")
"""A bracket, a string, a punctuation character or another word."""

_NOT_JSON = re.compile(r"None|nan|nil|[_']|,\s*[\])]")
"""Words and punctuation that JSON does not have."""

_PRINTED_ARRAY = re.compile(r"\s*\[\[\s*[\w.'-]{1,8}\s+[\w.'-]{1,8}\s")
"""An array as NumPy prints it."""

_CLOSING_BRACKETS = {"[": "]", "{": "}", "(": ")"}
_PUNCTUATION = frozenset("[]{}(),;|\"'") | {"[|", "|]"}

_BLANK_WORDS = ("0", "_", "none", "null", "nil", "nan", "np.nan", "-1", "")
"""The words for blanks, in lower case."""

_BLANK_CHARACTERS = frozenset(BLANKS) - {"0", "_", "X"}  # X is a variable in Prolog: equal cells
_number_alphabets = numbers(_BLANK_WORDS, ", or one symbol for all blanks", normalise_token)
_COMMENT = re.compile(r"\s*%")

_BEGIN_SUDOKU = re.compile(r"\s*\\begin\{sudoku(?:-block)?\}\s*")
_END_SUDOKU = re.compile(r"\s*\\end\{sudoku(?:-block)?\}\s*")

_OTHER_COMMAND = re.compile(
    r"\s*(?:\\(?:documentclass|usepackage|setlength|renewcommand)\b.*"
    r"|\\(?:begin|end)\{(?:document|center|figure)\}.*|\\(?:centering|bigskip|newpage))\s*"
)
"""LaTeX commands that may be outside the environment."""

_FACT = re.compile(
    r"\s*([a-z_]\w{0,60})\s*\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)\s*[.;]"
)
"""A fact of three numbers, such as `given(1,2,3).`"""

_CONSTANT = re.compile(r"^[ \t]*#(?:const|include)\b", re.MULTILINE)
"""A line of a logic program that is not a comment although it begins with `#`."""

_TRIPLE = re.compile(r"\s*(\d{1,3})(?:\s*[,;]\s*|\s+)(\d{1,3})(?:\s*[,;]\s*|\s+)(\d{1,3})\s*")
"""A line of row, column and value."""

_TRIPLE_HEADER = re.compile(
    r"\s*([A-Za-z]+)(?:\s*[,;]\s*|\s+)([A-Za-z]+)(?:\s*[,;]\s*|\s+)([A-Za-z]+)\s*"
)
"""A line of three names."""

_COLUMN_MEANINGS = {
    name: kind
    for kind, names in enumerate(("row r i", "column col c j", "value val v digit number"))
    for name in names.split()
}
"""Name in a header → the meaning of the column: 0 is the row, 1 the column, 2 the value."""

_MIN_TRIPLES = 4
"""Minimum number of lines of row, column and value."""

_MAX_NUMBER = 25
"""Maximum of a row, column or value."""


class _Given(NamedTuple):
    """The row, the column and the value of a given; `word` is the text that states them."""

    word: Word
    row: int
    column: int
    value: int


def recognise_code(text: Text) -> str | None:
    first = text.lines[0].text
    if "(" in first or "[" in first or "{" in first or first.lstrip()[:1] == "%":
        lines = _lines_without_comments(text)
        if not lines:
            return None
        if _FACT.match(lines[0].text):
            return "it begins with a fact of three numbers"
        if any(_BEGIN_SUDOKU.fullmatch(line.text) for line in lines):
            return "it has an environment of the LaTeX package sudoku"
        return "it is a list in a program" if _Code(lines).is_list else None
    if len(text.lines) >= _MIN_TRIPLES and _are_triples(text):
        return "its lines are row, column and value"
    return None


def parse_code(text: Text, reading: Reading) -> Parsed:
    lines = _lines_without_comments(text)
    if lines and _FACT.match(lines[0].text):
        return _puzzle_of_givens(text, [*_facts(text, lines)], reading)
    if any(_BEGIN_SUDOKU.fullmatch(line.text) for line in lines):
        return _puzzle_of_package(text, lines, reading)
    if _are_triples(text):
        return _puzzle_of_givens(text, [*_triples(text)], reading)
    code = _Code(lines)
    if not code.is_list:
        expected = "a list of rows, such as board = [[5, 3, 0, …], or facts of three numbers"
        raise text.at_line(text.lines[0], expected)
    return puzzle_of_frame(text, _frame(text, code), _alphabets, reading)


def _lines_without_comments(text: Text) -> list[TextLine]:
    """The lines except comments that begin with `%`; none if the text is too long."""
    if len(text.data) > DECODED_BYTES:
        return []
    return [line for line in text.lines if not _COMMENT.match(line.text)]


_Tokens = Iterator[tuple[Word, int]]
"""Tokens, each with the offset of its end in the text."""


class _Code:
    """A text that may contain a list.

    - `list_start`: the offset of the first bracket of the list; 0 if there is no list.
    - `is_flat`: the list is an `array2d` of n² cells, not a list of rows.
    - `declaration`: the match of the text before the list; None if there is no list, or if that
      text is not a declaration.
    """

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = lines
        self.text = "\n".join(line.text for line in lines)
        self._starts = [0, *accumulate(len(line.text) + 1 for line in lines)]
        beginning = _LIST_BEGINS.search(self.text)
        self.list_start = beginning.start() if beginning else 0
        self.is_flat = bool(beginning and beginning[0].startswith("array2d"))
        if beginning and self.is_flat:
            self.list_start = beginning.end() - 1
        text_before = self.text[: self.list_start]
        self.declaration = None
        if beginning and len(text_before) <= _MAX_DECLARATION_LENGTH:
            self.declaration = _DECLARATION.fullmatch(" ".join(text_before.split()))

    @property
    def is_list(self) -> bool:
        """Whether the text begins with a list, perhaps after a declaration, that is not JSON."""
        if self.declaration is None:
            return False
        is_bare = not self.declaration[0] and self.text.lstrip()[:2] != "[|"
        if not is_bare or self.text.lstrip()[0] != "[":
            return True
        match = _NOT_JSON.search(self.text) if "," in self.text else _PRINTED_ARRAY.match(self.text)
        return match is not None and '"' not in self.text

    def words(self) -> _Tokens:
        """The tokens of the list, each with the offset of its end in the text."""
        for match in _TOKEN.finditer(self.text, self.list_start):
            yield self.word(match.start(), match[0]), match.end()

    def word(self, offset: int, text: str) -> Word:
        """The word `text` at an offset, with its line and column."""
        index = min(bisect_right(self._starts, offset), len(self.lines)) - 1
        return Word(self.lines[index].number, offset - self._starts[index] + 1, text)


def _frame(text: Text, code: _Code) -> Frame:
    """The frame of a list of rows, of a MiniZinc matrix, or of the n² cells of an `array2d`."""
    words = code.words()
    first, _ = next(words)
    if code.is_flat:
        rows, end = _flat_rows(text, code, words, first)
    elif first.text == "[|":
        rows, end = _matrix_rows(text, code, words)
    else:
        rows, end = _nested_rows(text, code, words, _CLOSING_BRACKETS[first.text])
    rest = code.text[end:]
    if not _LIST_ENDS.fullmatch(" ".join(rest.split())):
        word = code.word(end + len(rest) - len(rest.lstrip()), rest.strip())
        raise text.at_word(word, "nothing after the grid, because only one grid is read")
    return frame_of_rows(text, [row.tokens for row in rows], lambda: rows, SIDES_WITH_BOXES)


def _flat_rows(
    text: Text, code: _Code, words: _Tokens, first_word: Word
) -> tuple[list[TokenRow], int]:
    """The rows of the n² cells of an `array2d`, and the end of the list."""
    cells, end = _parse_cells(text, code, words, "]")
    height, width = map(int, code.declaration.groups()) if code.declaration else (0, 0)
    if (height, height * width) != (width, len(cells)):
        expected = f"{counted(height * width, 'cell')} in a square, as array2d says"
        raise text.at_word(first_word, expected, counted(len(cells), "cell"))
    return [
        _row_of_cells(cells[start : start + width]) for start in range(0, len(cells), width)
    ], end


def _matrix_rows(text: Text, code: _Code, words: _Tokens) -> tuple[list[TokenRow], int]:
    """The rows of a MiniZinc matrix, `[| 5, 3, … | 6, … |]`, and the end of the matrix."""
    rows: list[TokenRow] = []
    while True:
        cells, end = _parse_cells(text, code, words, "|", "|]")
        rows += [_row_of_cells(cells)] if cells else []
        if code.text.endswith("|]", 0, end):
            return rows, end


def _nested_rows(
    text: Text, code: _Code, words: _Tokens, closing_bracket: str
) -> tuple[list[TokenRow], int]:
    """The rows of a list of lists or strings, and the end of its `closing_bracket`."""
    rows: list[TokenRow] = []
    for word, end in words:
        if word.text in _CLOSING_BRACKETS:
            cells, _ = _parse_cells(text, code, words, _CLOSING_BRACKETS[word.text])
            rows.append(_row_of_cells(cells, word))
        elif word.text[0] in "\"'" and len(word.text) > 1:
            line = TextLine.of_text(word.line, word.text[1:-1])
            cells = [
                cell._replace(column=word.column + cell.column) for cell in line.placed_cells()
            ]
            rows.append(_row_of_cells(cells, word))
        elif word.text == closing_bracket:
            return rows, end
        elif word.text != ",":
            raise text.at_word(word, "a row of cells")
    raise text.at_end("the end of the list", "the end of the file")


def _row_of_cells(cells: Sequence[Word], bracket: Word | None = None) -> TokenRow:
    """A row of cells; an empty row is located by its opening bracket."""
    last = cells[-1] if cells else bracket or Word(1, 1, "")
    return TokenRow(cells, last.line, last.column + len(last.text), len(cells))


def _parse_cells(
    text: Text, code: _Code, words: _Tokens, *closing_brackets: str
) -> tuple[list[Word], int]:
    """The cells up to a closing bracket, and the end of that bracket. Raises InvalidPuzzle."""
    cells: list[Word] = []
    has_commas, is_cell_next = "," in code.text, True
    for word, end in words:
        if word.text in closing_brackets:
            return cells, end
        if word.text == "," and not is_cell_next:
            is_cell_next = True
        elif word.text in _PUNCTUATION or not (is_cell_next or not has_commas):
            raise text.at_word(word, "a cell" if is_cell_next else "a comma, or the end of the row")
        else:
            is_quoted = word.text[0] in "\"'"
            cells.append(word._replace(text=word.text[1:-1].strip()) if is_quoted else word)
            is_cell_next = False
    raise text.at_end("the end of the row", "the end of the file")


def _alphabets(tokens: Sequence[str], side: int, reading: Reading) -> Sequence[Alphabet]:
    """Digits if a blank is a character such as `.`; otherwise numbers, with words for blanks."""
    if not _BLANK_CHARACTERS.isdisjoint(tokens):
        return digits(tokens, side, reading)
    return _number_alphabets(tokens, side, reading)


def _puzzle_of_package(text: Text, lines: Sequence[TextLine], reading: Reading) -> Parsed:
    """Parse the only `sudoku` environment.

    Lines outside the environment, except LaTeX commands, are reported as unread.
    """
    rows: list[TokenRow] = []
    unread: list[tuple[int, str]] = []
    count, is_inside = 0, False
    for line in lines:
        if _BEGIN_SUDOKU.fullmatch(line.text) and not is_inside:
            is_inside, count = True, count + 1
            if count > 1:
                raise text.at_line(line, "one puzzle", "a second puzzle")
        elif _END_SUDOKU.fullmatch(line.text) and is_inside:
            is_inside = False
        elif is_inside:
            rows.append(_package_row(text, line))
        elif not _OTHER_COMMAND.fullmatch(line.text):
            unread.append((line.number, line.text))
    if is_inside:
        raise text.at_end(r"\end{sudoku}", "the end of the file")
    frame = frame_of_rows(text, [row.tokens for row in rows], lambda: rows, (9,))
    parsed = puzzle_of_frame(text, frame, numbers({""}, ", or a space"), reading)
    # the caller reports lines that name a rule
    remaining = [(number, line) for number, line in unread if not names_rule(line)]
    return replace(parsed, unread=unread_lines(remaining))


def _package_row(text: Text, line: TextLine) -> TokenRow:
    body = line.text.rstrip()
    if not body.lstrip().startswith("|") or not body.endswith("|."):
        raise text.at_line(line, "a row such as |5|3| | |7| | | | |.")
    words, column = [], body.index("|") + 2
    for cell in body.split("|")[1:-1]:
        words.append(Word(line.number, column, cell.strip()))
        column += len(cell) + 1
    return TokenRow.of_words(words, line)


def _facts(text: Text, lines: Sequence[TextLine]) -> Iterator[_Given]:
    """The givens that the facts state. Raises InvalidPuzzle, also for facts of different names."""
    if constant := _CONSTANT.search(text.data.decode()):
        number = constant.string.count("\n", 0, constant.start()) + 1
        raise text.error(number, 1, "only facts of three numbers", quote(constant[0].strip()))
    name = ""
    for line in lines:
        body, position = line.text.rstrip(), 0
        while position < len(body):
            fact = _FACT.match(body, position)
            if fact is None:
                if _COMMENT.match(body, position):
                    break
                rest = body[position:].lstrip()
                word = Word(line.number, len(body) - len(rest) + 1, rest)
                raise text.at_word(word, "a fact of three numbers, such as given(1,2,3).")
            word = Word(line.number, fact.start(1) + 1, fact[0].strip())
            name = name or fact[1]
            if fact[1] != name:
                expected = f"only facts of the same name, {quote(name)}"
                raise text.at_word(word, expected, quote(fact[1]))
            row, column, value = map(int, fact.groups()[1:])
            yield _Given(word, row, column, value)
            position = fact.end()


def _column_order(line: TextLine) -> list[int] | None:
    """The indices of the columns of row, column and value, if the line is a header; else None."""
    header = _TRIPLE_HEADER.fullmatch(line.text)
    kinds = [_COLUMN_MEANINGS.get(name.lower(), -1) for name in header.groups()] if header else []
    return [kinds.index(kind) for kind in range(3)] if sorted(kinds) == [0, 1, 2] else None


def _are_triples(text: Text) -> bool:
    """Whether most lines are row, column and value, and not clauses, which end with 0."""
    lines = text.lines
    if (
        not (_TRIPLE.fullmatch(lines[0].text) or _column_order(lines[0]))
        or len(lines) > _MAX_NUMBER**2 + 1
    ):
        return False
    triples = [match.groups() for line in lines if (match := _TRIPLE.fullmatch(line.text))]
    small = [triple for triple in triples if all(int(number) <= _MAX_NUMBER for number in triple)]
    if len(small) * 4 < len(lines) * 3 or all(int(triple[-1]) == 0 for triple in small):
        return False
    if len({triple[:2] for triple in small}) * 4 < len(small) * 3 and not _column_order(lines[0]):
        return False
    return len(lines) > max(GEOMETRIES) or not is_in_spaces(text.data)


def _triples(text: Text) -> Iterator[_Given]:
    """The givens in lines of row, column and value. Raises InvalidPuzzle."""
    order = _column_order(text.lines[0])
    for line in text.lines[1 if order else 0 :]:
        match = _TRIPLE.fullmatch(line.text)
        if match is None:
            raise text.at_line(line, "row, column and value")
        row, column, value = (int(match[index + 1]) for index in order or range(3))
        yield _Given(Word(line.number, 1, line.text.strip()), row, column, value)


def _puzzle_of_givens(text: Text, givens: Sequence[_Given], reading: Reading) -> Parsed:
    """The puzzle that has these givens. Raises InvalidPuzzle."""
    geometry, origin = _geometry_and_origin(text, givens, reading)
    values: dict[int, int] = {}
    for given in givens:
        row, column = given.row - origin, given.column - origin
        if max(row + 1, column + 1, given.value) > geometry.side:
            largest = geometry.side - 1 + origin
            expected = f"rows and columns from {origin} to {largest}, values to {geometry.side}"
            raise text.at_word(given.word, expected)
        cell = row * geometry.side + column
        if cell in values:
            raise text.at_word(given.word, "each cell at most once")
        values[cell] = given.value
    cells = [values.get(cell, 0) for cell in range(geometry.side**2)]
    return Parsed(Puzzle.of_values(geometry, cells))


def _geometry_and_origin(
    text: Text, givens: Sequence[_Given], reading: Reading
) -> tuple[Geometry, int]:
    """The geometry, and the number of the first row and column, 0 or 1. Raises InvalidPuzzle."""
    coordinates = [number for given in givens for number in (given.row, given.column)]
    values = [given.value for given in givens]
    origin = 0 if 0 in coordinates else 1
    largest = max(max(coordinates) + 1 - origin, *values)
    span = f"{min(coordinates)} to {max(coordinates)}"
    if reading.box is None and largest not in (9, 16, 25):
        found = f"rows and columns from {span}, values to {max(values)}"
        boxes = "--boxes such as 3x3"
        if origin and largest in SIDES_WITH_BOXES:
            boxes = boxes_options(largest)
        expected = f"a largest number of 9, 16 or 25 (the side), or {boxes}"
        raise text.error(None, None, expected, found)
    geometry = Geometry(*reading.box) if reading.box else ALL_GEOMETRIES[largest]
    side = geometry.side
    if origin and side not in coordinates and max(coordinates) < side:
        expected = f"a cell in row or column 0 or {side}, which shows whether numbering starts at "
        expected += f"0 or 1 (if at 1, add the line '{side} {side} 0', an empty cell)"
        raise text.error(None, None, expected, span)
    if not origin and 0 in values and side not in values:
        expected = f"a value {side}, which shows that 0 is a blank, or no value 0"
        raise text.error(None, None, expected, f"values from 0 to {max(values)}")
    return geometry, origin


CODE = Format("code", recognise_code, parse_code, has_other_text=True)
