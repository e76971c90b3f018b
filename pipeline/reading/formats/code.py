r"""Grids as programs write them: lists, facts, and the environment of the LaTeX package sudoku.

    board = [[5, 3, 0, …],        problem(1, [[5,3,_,…],        array2d(1..9, 1..9, [5, 3, …]);
    int b[9][9] = {{5, 3, 0, …},  [| 5, 3, _, … | 6, … |];      \begin{sudoku} |5|3| | …|. …

    initial(1,1,5). initial(1,2,3). …          1 1 5
                                               1 2 3

The text has one grid and nothing else but comments. Facts of one name, or lines, are row, column
and value of each given, each cell once. Rows and columns count from 0 if a 0 is among them, and
from 1 if the largest is the side. The side is 9, 16 or 25 if that is the largest number of all, or
that of `--boxes`.
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
from pipeline.reading.formats.borders import choices
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, GEOMETRIES, SIDES_WITH_BOXES
from pipeline.reading.formats.frames import Frame, Row, frame_of_rows, puzzle_of_frame
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.spaces import is_in_spaces
from pipeline.reading.formats.tables import folded
from pipeline.reading.formats.text import DECODED_BYTES, Text, TextLine, Word, quote
from pipeline.settings import Reading

_BEFORE = re.compile(
    r"(?:[A-Za-z_][\w.:<>*&, \[\]]{0,120}= ?)?"
    r"(?:new [\w.\[\]<> ]{1,40}"
    r"|array2d ?\( ?1 ?\.\. ?(\d{1,2}) ?, ?1 ?\.\. ?(\d{1,2}) ?,"
    r"|[A-Za-z_][\w.]{0,60} ?\( ?(?:[\w\"']{1,40} ?, ?)?)? ?"
)
"""What may stand before the first bracket: a declaration, a call, or the head of a fact."""

_LONGEST_BEFORE = 300
_GRID = re.compile(r"""\[\||[\[{(]\s*[\[{(]\s*["'\w.-]|\[\s*["']|array2d[^\[]{0,40}\[""")
_AFTER = re.compile(r"""(?: ?,)?(?: ?dtype ?= ?[\w."']{1,20})? ?\)? ?[.;]? ?""")
_TOKEN = re.compile(r"""\[\||\|\]|"[^"\n]*+"|'[^'\n]*+'|[\[\]{}(),;|"']|[^\s\[\]{}(),;|"']++""")
_NO_JSON = re.compile(r"None|nan|nil|[_']|,\s*[\])]")
_PRINTED = re.compile(r"\s*\[\[\s*[\w.'-]{1,8}\s+[\w.'-]{1,8}\s")
"""An array as NumPy prints it."""

_CLOSES = {"[": "]", "{": "}", "(": ")"}
_PUNCTUATION = frozenset("[]{}(),;|\"'") | {"[|", "|]"}
_NO_VALUE = ("0", "_", "none", "null", "nil", "nan", "np.nan", "-1", "")
_SIGNS = frozenset(BLANKS) - {"0", "_", "X"}  # X is a variable in Prolog: equal cells
_NUMBERS = numbers(_NO_VALUE, ", or one symbol for all blanks", folded)
_COMMENT = re.compile(r"\s*%")

_BEGIN = re.compile(r"\s*\\begin\{sudoku(?:-block)?\}\s*")
_END = re.compile(r"\s*\\end\{sudoku(?:-block)?\}\s*")
_COMMAND = re.compile(
    r"\s*(?:\\(?:documentclass|usepackage|setlength|renewcommand)\b.*"
    r"|\\(?:begin|end)\{(?:document|center|figure)\}.*|\\(?:centering|bigskip|newpage))\s*"
)

_FACT = re.compile(
    r"\s*([a-z_]\w{0,60})\s*\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)\s*[.;]"
)
_CONSTANT = re.compile(r"^[ \t]*#(?:const|include)\b", re.MULTILINE)
_TRIPLE = re.compile(r"\s*(\d{1,3})(?:\s*[,;]\s*|\s+)(\d{1,3})(?:\s*[,;]\s*|\s+)(\d{1,3})\s*")
_NAMES = re.compile(r"\s*([A-Za-z]+)(?:\s*[,;]\s*|\s+)([A-Za-z]+)(?:\s*[,;]\s*|\s+)([A-Za-z]+)\s*")
_PLACES = {
    name: place
    for place, names in enumerate(("row r i", "column col c j", "value val v digit number"))
    for name in names.split()
}
_FEWEST_TRIPLES, _LARGEST = 4, 25


class _Given(NamedTuple):
    """A row, a column and a value, and where they stand."""

    word: Word
    row: int
    column: int
    value: int


def recognise_code(text: Text) -> str | None:
    first = text.lines[0].text
    if "(" in first or "[" in first or "{" in first or first.lstrip()[:1] == "%":
        lines = _lines_of(text)
        if not lines:
            return None
        if _FACT.match(lines[0].text):
            return "it begins with a fact of three numbers"
        if any(_BEGIN.fullmatch(line.text) for line in lines):
            return "it has an environment of the LaTeX package sudoku"
        return "it is a list in a program" if _Code(lines).is_list else None
    if len(text.lines) >= _FEWEST_TRIPLES and _are_triples(text):
        return "its lines are row, column and value"
    return None


def parse_code(text: Text, reading: Reading) -> Parsed:
    lines = _lines_of(text)
    if lines and _FACT.match(lines[0].text):
        return _of_givens(text, [*_facts(text, lines)], reading)
    if any(_BEGIN.fullmatch(line.text) for line in lines):
        return _of_package(text, lines, reading)
    if _are_triples(text):
        return _of_givens(text, [*_triples(text)], reading)
    code = _Code(lines)
    if not code.is_list:
        expected = "a list of rows, such as board = [[5, 3, 0, …], or facts of three numbers"
        raise text.at_line(text.lines[0], expected)
    return puzzle_of_frame(text, _frame(text, code), _values, reading)


def _lines_of(text: Text) -> list[TextLine]:
    """The lines without comments that begin with `%`; none if the text is too long."""
    if len(text.data) > DECODED_BYTES:
        return []
    return [line for line in text.lines if not _COMMENT.match(line.text)]


_Words = Iterator[tuple[Word, int]]
"""Tokens, each with its end in the text."""


class _Code:
    """A text with a list, and the place where the list begins."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = lines
        self.text = "\n".join(line.text for line in lines)
        self._starts = [0, *accumulate(len(line.text) + 1 for line in lines)]
        found = _GRID.search(self.text)
        self.begin = found.start() if found else 0
        self.is_flat = bool(found and found[0].startswith("array2d"))
        if found and self.is_flat:
            self.begin = found.end() - 1
        before = self.text[: self.begin]
        self.before = None
        if found and len(before) <= _LONGEST_BEFORE:
            self.before = _BEFORE.fullmatch(" ".join(before.split()))

    @property
    def is_list(self) -> bool:
        """Whether a list is all that begins here; lists in JSON are not meant."""
        if self.before is None:
            return False
        is_bare = not self.before[0] and self.text.lstrip()[:2] != "[|"
        if not is_bare or self.text.lstrip()[0] != "[":
            return True
        own = _NO_JSON.search(self.text) if "," in self.text else _PRINTED.match(self.text)
        return own is not None and '"' not in self.text

    def words(self) -> Iterator[tuple[Word, int]]:
        """The tokens of the list, each with its end in the text."""
        for match in _TOKEN.finditer(self.text, self.begin):
            yield self.word(match.start(), match[0]), match.end()

    def word(self, position: int, text: str) -> Word:
        index = min(bisect_right(self._starts, position), len(self.lines)) - 1
        return Word(self.lines[index].number, position - self._starts[index] + 1, text)


def _frame(text: Text, code: _Code) -> Frame:
    """The frame of a list of rows, a MiniZinc matrix, or a list of n² cells for `array2d`."""
    words = code.words()
    first, _ = next(words)
    if code.is_flat:
        rows, end = _flat_rows(text, code, words, first)
    elif first.text == "[|":
        rows, end = _matrix_rows(text, code, words)
    else:
        rows, end = _nested_rows(text, code, words, _CLOSES[first.text])
    rest = code.text[end:]
    if not _AFTER.fullmatch(" ".join(rest.split())):
        word = code.word(end + len(rest) - len(rest.lstrip()), rest.strip())
        raise text.at_word(word, "nothing behind the grid, as one grid alone is read")
    return frame_of_rows(text, [row.tokens for row in rows], lambda: rows, SIDES_WITH_BOXES)


def _flat_rows(text: Text, code: _Code, words: _Words, first: Word) -> tuple[list[Row], int]:
    cells, end = _cells(text, code, words, "]")
    height, width = map(int, code.before.groups()) if code.before else (0, 0)
    if (height, height * width) != (width, len(cells)):
        expected = f"{counted(height * width, 'cell')} in a square, as array2d says"
        raise text.at_word(first, expected, counted(len(cells), "cell"))
    return [_row(cells[start : start + width]) for start in range(0, len(cells), width)], end


def _matrix_rows(text: Text, code: _Code, words: _Words) -> tuple[list[Row], int]:
    rows: list[Row] = []
    while True:
        cells, end = _cells(text, code, words, "|", "|]")
        rows += [_row(cells)] if cells else []
        if code.text.endswith("|]", 0, end):
            return rows, end


def _nested_rows(text: Text, code: _Code, words: _Words, close: str) -> tuple[list[Row], int]:
    rows: list[Row] = []
    for word, end in words:
        if word.text in _CLOSES:
            cells, _ = _cells(text, code, words, _CLOSES[word.text])
            rows.append(_row(cells, word))
        elif word.text[0] in "\"'" and len(word.text) > 1:
            line = TextLine.of_text(word.line, word.text[1:-1])
            cells = [
                cell._replace(column=word.column + cell.column) for cell in line.placed_cells()
            ]
            rows.append(_row(cells, word))
        elif word.text == close:
            return rows, end
        elif word.text != ",":
            raise text.at_word(word, "a row of cells")
    raise text.at_end("the end of the list", "the end of the file")


def _row(cells: Sequence[Word], place: Word | None = None) -> Row:
    last = cells[-1] if cells else place or Word(1, 1, "")
    return Row(cells, last.line, last.column + len(last.text), len(cells))


def _cells(text: Text, code: _Code, words: _Words, *closing: str) -> tuple[list[Word], int]:
    """The cells up to a closing bracket, and where it ends. Raises InvalidPuzzle."""
    cells: list[Word] = []
    has_commas, is_cell_next = "," in code.text, True
    for word, end in words:
        if word.text in closing:
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


def _values(tokens: Sequence[str], side: int, reading: Reading) -> Sequence[Alphabet]:
    if not _SIGNS.isdisjoint(tokens):
        return digits(tokens, side, reading)
    return _NUMBERS(tokens, side, reading)


def _of_package(text: Text, lines: Sequence[TextLine], reading: Reading) -> Parsed:
    """The puzzle of the only environment; other lines, except commands, are reported as unread."""
    rows: list[Row] = []
    unread: list[tuple[int, str]] = []
    count, is_inside = 0, False
    for line in lines:
        if _BEGIN.fullmatch(line.text) and not is_inside:
            is_inside, count = True, count + 1
            if count > 1:
                raise text.at_line(line, "one puzzle", "another")
        elif _END.fullmatch(line.text) and is_inside:
            is_inside = False
        elif is_inside:
            rows.append(_package_row(text, line))
        elif not _COMMAND.fullmatch(line.text):
            unread.append((line.number, line.text))
    if is_inside:
        raise text.at_end(r"\end{sudoku}", "the end of the file")
    frame = frame_of_rows(text, [row.tokens for row in rows], lambda: rows, (9,))
    parsed = puzzle_of_frame(text, frame, numbers({""}, ", or a space"), reading)
    others = [line for line in unread if not names_rule(line[1])]  # which is reported anyway
    return replace(parsed, unread=unread_lines(others))


def _package_row(text: Text, line: TextLine) -> Row:
    body = line.text.rstrip()
    if not body.lstrip().startswith("|") or not body.endswith("|."):
        raise text.at_line(line, "a row such as |5|3| | |7| | | | |.")
    words, column = [], body.index("|") + 2
    for cell in body.split("|")[1:-1]:
        words.append(Word(line.number, column, cell.strip()))
        column += len(cell) + 1
    return Row.of_words(words, line)


def _facts(text: Text, lines: Sequence[TextLine]) -> Iterator[_Given]:
    """The givens of facts of one name. Raises InvalidPuzzle."""
    if constant := _CONSTANT.search(text.data.decode()):
        number = constant.string.count("\n", 0, constant.start()) + 1
        raise text.error(number, 1, "facts of three numbers alone", quote(constant[0].strip()))
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
                expected = f"facts of one name, {quote(name)} as before"
                raise text.at_word(word, expected, quote(fact[1]))
            row, column, value = map(int, fact.groups()[1:])
            yield _Given(word, row, column, value)
            position = fact.end()


def _order(line: TextLine) -> list[int] | None:
    """The places of row, column and value, if a header names them."""
    names = _NAMES.fullmatch(line.text)
    places = [_PLACES.get(name.lower(), -1) for name in names.groups()] if names else []
    return [places.index(place) for place in range(3)] if sorted(places) == [0, 1, 2] else None


def _are_triples(text: Text) -> bool:
    """Whether most lines are row, column and value; clauses of a formula end in 0."""
    lines = text.lines
    if not (_TRIPLE.fullmatch(lines[0].text) or _order(lines[0])) or len(lines) > _LARGEST**2 + 1:
        return False
    found = [match.groups() for line in lines if (match := _TRIPLE.fullmatch(line.text))]
    small = [triple for triple in found if all(int(number) <= _LARGEST for number in triple)]
    if len(small) * 4 < len(lines) * 3 or all(int(triple[-1]) == 0 for triple in small):
        return False
    if len({triple[:2] for triple in small}) * 4 < len(small) * 3 and not _order(lines[0]):
        return False
    return len(lines) > max(GEOMETRIES) or not is_in_spaces(text.data)


def _triples(text: Text) -> Iterator[_Given]:
    order = _order(text.lines[0])
    for line in text.lines[1 if order else 0 :]:
        match = _TRIPLE.fullmatch(line.text)
        if match is None:
            raise text.at_line(line, "row, column and value")
        row, column, value = (int(match[place + 1]) for place in order or range(3))
        yield _Given(Word(line.number, 1, line.text.strip()), row, column, value)


def _of_givens(text: Text, givens: Sequence[_Given], reading: Reading) -> Parsed:
    """The puzzle of these givens. Raises InvalidPuzzle."""
    geometry, first = _size(text, givens, reading)
    values: dict[int, int] = {}
    for given in givens:
        row, column = given.row - first, given.column - first
        if max(row + 1, column + 1, given.value) > geometry.side:
            largest = geometry.side - 1 + first
            expected = f"rows and columns from {first} to {largest}, values to {geometry.side}"
            raise text.at_word(given.word, expected)
        cell = row * geometry.side + column
        if cell in values:
            raise text.at_word(given.word, "each cell once")
        values[cell] = given.value
    cells = [values.get(cell, 0) for cell in range(geometry.side**2)]
    return Parsed(Puzzle.of_values(geometry, cells))


def _size(text: Text, givens: Sequence[_Given], reading: Reading) -> tuple[Geometry, int]:
    """The boxes, and from where rows and columns count. Raises InvalidPuzzle if it is not clear."""
    places = [place for given in givens for place in (given.row, given.column)]
    values = [given.value for given in givens]
    first = 0 if 0 in places else 1
    largest = max(max(places) + 1 - first, *values)
    if reading.box is None and largest not in (9, 16, 25):
        found = f"rows and columns from {min(places)} to {max(places)}, values to {max(values)}"
        boxes = "--boxes such as 3x3"
        if first and largest in SIDES_WITH_BOXES:
            boxes = choices(largest)
        expected = f"the number 9, 16 or 25, which shows the side, or {boxes}"
        raise text.error(None, None, expected, found)
    geometry = Geometry(*reading.box) if reading.box else ALL_GEOMETRIES[largest]
    side = geometry.side
    if first and side not in places and max(places) < side:
        expected = f"a 0 or {side} as a row or column, to show from where they count"
        expected += f" (add '{side} {side} 0' if from 1, for an empty cell)"
        raise text.error(None, None, expected, f"{min(places)} to {max(places)}")
    if not first and 0 in values and side not in values:
        expected = f"values from 1 to {side}, or 0 for a blank beside {side}"
        raise text.error(None, None, expected, f"values from 0 to {max(values)}")
    return geometry, first


CODE = Format("code", recognise_code, parse_code, has_other_text=True)
