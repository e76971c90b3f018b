"""Board: a printed grid of numbers, letters or candidates, with borders, labels or empty fields.

    ╔═══════╤═══════╤═══════╗     |   | A | B |     .-------------.-------------.
    ║ 5 3 . │ . 7 . │ . . . ║     |---|---|---|     | 5  3   124  | 26  7  2468 |
    …                             | 1 | 5 |   |     …

A board has n rows of n cells, for n from 4 to 36. Sides without usual boxes, such as 12, need
`--boxes`. Rows are split at bars, at spaces, or into characters, so that there are as many cells as
rows. A blank is one of `. 0 _ - x X ? *`, perhaps repeated as in `__`, or nothing between two bars.
Up to side 9, digits are values, and numbers such as `247` are the candidates of a cell in ascending
order, as HoDoKu and Sudoku Explainer print them. In a grid of candidates, a single digit is a
given.

Lines without cells are borders; `=` may replace `-`. Labels 1, 2, … or A, B, … may be left of the
rows and above the columns. The first line may state the side. A line of n dashes is a row if the
grid then has n rows, or if other rows have dashes as blanks; otherwise it is a border.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from string import ascii_lowercase, ascii_uppercase
from string import digits as string_digits
from typing import NamedTuple

from pipeline.puzzle.geometry import default_geometry
from pipeline.reading.formats.alphabets import Alphabet, digits, numbers
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, DIGITS
from pipeline.reading.formats.frames import Frame, TokenRow, frame_of_rows, puzzle_of_frame
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, Word, is_border, join_with_or
from pipeline.settings import Reading

_MAX_SIDE = 36
BOARD_SIDES = [n for n in range(4, _MAX_SIDE + 1) if default_geometry(n).has_boxes]
"""The supported sides of boards."""

_MAX_LINES = 2 * _MAX_SIDE + 4
"""Maximum number of lines of a board."""

_MAX_LINE_LENGTH = 16 * _MAX_SIDE
"""Maximum number of characters in a line of a board."""

_HEAVY_BAR = "‖"
"""The character that replaces heavy and double vertical lines."""

_BARS = "|" + _HEAVY_BAR
_BORDER_CHARACTERS = frozenset("-=+:'.*_~" + _BARS)

_DOTTED_BORDER = re.compile(r"[.*|‖]?+(?:[-_]++[.*|‖]?+)++")
"""A border of dashes, with dots, stars or bars between them."""

_WORD, _CHARACTER, _BAR = re.compile(r"[^\s|‖]+"), re.compile(r"[^\s|‖]"), re.compile(r"[|‖]")
_BARS_IN_A_ROW = re.compile(r"[|‖]+")

_LABEL = re.compile(r"[\s|‖]*([A-Za-z]?[0-9]{0,2})(?:[:).]?\s|[:)]?\s*[|‖])")
"""A label at the beginning of a row, and the space or bar after it."""

_ASCENDING_DIGITS = re.compile("1?2?3?4?5?6?7?8?9?")
"""The candidates of a cell."""

_BLANKS = frozenset(BLANKS)
_SIDES_OF_LINES = {100: 10, 144: 12}
"""Number of cells in a line → side, for sides whose lines no other format reads."""

_VALUE_CHARACTERS = string_digits + ascii_uppercase
"""Characters of values, in ascending order."""


def _ascii_replacements() -> dict[int, str]:
    """Map the code point of each box-drawing character to the character that replaces it."""
    table = {0xA0: " ", ord("·"): ".", ord("¦"): "|"}
    for code in range(0x2500, 0x2580):
        name = unicodedata.name(chr(code))
        words = {*name.replace("-", " ").split()}
        is_heavy = "HEAVY" in words or ("DOUBLE" in words and "DASH" not in words)
        is_horizontal = bool(words & {"HORIZONTAL", "LEFT", "RIGHT"})
        is_vertical = bool(words & {"VERTICAL", "UP", "DOWN"})
        if "DIAGONAL" not in words:
            horizontal, vertical = ("=", _HEAVY_BAR) if is_heavy else ("-", "|")
            table[code] = horizontal if is_horizontal else vertical
        if is_horizontal and is_vertical:
            table[code] = "+"
    return table


_ASCII_REPLACEMENTS = _ascii_replacements()
_BORDER_TRANSLATION = str.maketrans(".'|‖:_~", "++++---")
"""Translates the inside of a border into the characters that `is_border` accepts."""

_LABEL_SEQUENCES = [
    sequence
    for letters in (ascii_uppercase, ascii_lowercase)
    for sequence in (
        [*letters],
        *([f"{letter}{n}" for n in range(1, _MAX_SIDE + 1)] for letter in letters[2::15]),
    )
] + [[str(n) for n in range(1, _MAX_SIDE + 1)]]
"""Sequences of labels: A, B, …; C1, C2, …; R1, R2, …; the same in lower case; 1, 2, …"""


class _Line(NamedTuple):
    """A line with its box-drawing characters replaced; `line_kind` describes `kind`."""

    number: int
    text: str
    kind: str

    @classmethod
    def of(cls, line: TextLine) -> _Line:
        text = to_ascii(line.text).rstrip()
        return cls(line.number, text, line_kind(text))


class _Board(NamedTuple):
    """A board, perhaps a damaged one.

    - `lines`: the rows and borders; they may draw boxes.
    - `has_drawing`: the text has borders or box-drawing characters that only boards have.
    - `is_whole`: there are n rows of n cells.
    """

    rows: Sequence[TokenRow]
    lines: Sequence[TextLine]
    has_drawing: bool
    is_whole: bool


def to_ascii(text: str) -> str:
    """Replace box-drawing characters by the characters that `line_kind` knows."""
    return text if text.isascii() else text.translate(_ASCII_REPLACEMENTS)


def line_kind(text: str) -> str:
    """Return `row`, `border`, or `either` for dashes, which may be a row of blanks or a border."""
    if not _BORDER_CHARACTERS.issuperset(bare := "".join(text.split())):
        return "row"
    characters = {*bare} - {*_BARS}
    if len(characters) == 1 and characters <= {"-", "_"}:
        return "either"
    if characters & {*"=+:'~"} and characters & {*"-=+_~"}:
        return "border"
    is_dotted = characters & {*"-_"} and characters & {*".*"} and _DOTTED_BORDER.fullmatch(bare)
    return "border" if is_dotted else "row"


def _find_board(text: Text) -> _Board | None:
    """The board in a text; None if the text has too many lines or a line is too long."""
    if len(text.lines) > _MAX_LINES or any(len(x.text) > _MAX_LINE_LENGTH for x in text.lines):
        return None
    lines = [*map(_Line.of, text.lines)]
    has_drawing = any(
        (line.kind != "row" and not is_border(line.text)) or not source_line.text.isascii()
        for line, source_line in zip(lines, text.lines, strict=True)
    )
    for body in _interpret_dashes(lines):
        rows = [line for line in body if line.kind == "row"]
        if (cells := _split_whole_grid(rows, body)) is not None:
            return _Board(cells, _box_lines(body, cells), has_drawing, True)
    body = next(_interpret_dashes(lines))
    rows = [line for line in body if line.kind == "row"]
    splitters = (_split_at_bars, _split_words, _split_characters)
    candidates = [_split_rows(rows, splitter) for splitter in splitters]
    likely = max(candidates, key=lambda rows: _count_likely_rows([row.width for row in rows]))
    has_drawing = has_drawing and _have_few_letters(rows)
    return _Board(likely, _box_lines(body, likely), has_drawing, False)


def _interpret_dashes(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield the lines with each `either` replaced by `row` or `border`, likely versions first.

    Lines of n dashes are rows in the first version if that gives n rows, or if other rows have
    dashes as blanks. All lines of dashes are borders in the last version.
    """
    counts = [len(_CHARACTER.findall(x.text)) if x.kind == "either" else 0 for x in lines]
    certain_rows = sum(line.kind == "row" for line in lines)
    rows = "".join(line.text for line in lines if line.kind == "row")
    for count, occurrences in Counter(filter(None, counts)).items():
        dashes = {line.text.strip(" \t|")[:1] for line in lines if line.kind == "either"}
        if certain_rows + occurrences == count or any(dash in rows for dash in dashes):
            yield [_as_row_or_border(x, n == count) for x, n in zip(lines, counts, strict=True)]
            if certain_rows + occurrences != count:
                return
    yield [_as_row_or_border(x, False) for x in lines]


def _as_row_or_border(line: _Line, is_row: bool) -> _Line:
    """Replace the kind `either` by `row` or `border`; any other line is unchanged."""
    return line._replace(kind="row" if is_row else "border") if line.kind == "either" else line


def _count_likely_rows(widths: Sequence[int]) -> int:
    """Count the rows of the most frequent width that is the side of a board."""
    return max((widths.count(width) for width in {*widths} & {*BOARD_SIDES}), default=0)


def _have_few_letters(rows: Sequence[_Line]) -> bool:
    """Whether there are at least three rows, and most of them have few letters."""
    has_few_letters = [sum(map(str.isalpha, row.text)) * 4 <= len(row.text) for row in rows]
    return len(rows) > 2 and sum(has_few_letters) * 4 >= len(rows) * 3


def _split_whole_grid(rows: Sequence[_Line], lines: Sequence[_Line]) -> Sequence[TokenRow] | None:
    """Split rows into n rows of n cells, omitting labels and a first line that states the side.

    Returns None if that is not possible.
    """
    side, unlabelled = len(rows), _replace_labels(rows)
    options = [(rows, side), (unlabelled, side)]
    if len(rows) > 1:
        rows_below = _replace_labels(rows[1:])
        is_separate = bool(rows_below) or _is_above_border(lines, rows[0])
        if _CHARACTER.findall(rows[0].text) == [*str(side - 1)] or _is_header(rows[0], is_separate):
            options += [(rows[1:], side - 1), (rows_below, side - 1)]
    for body, count in options:
        if count in BOARD_SIDES and body:
            for splitter in _SPLITTERS:
                cells = _split_rows(body, splitter)
                if all(row.width == count for row in cells):
                    return cells
    return None


def _is_above_border(lines: Sequence[_Line], row: _Line) -> bool:
    return any(line == row and below.kind == "border" for line, below in pairwise(lines))


def _is_header(row: _Line, is_separate: bool) -> bool:
    """Whether a line consists of column labels.

    `is_separate`: there is a border below the line, or the other rows have labels. Otherwise digits
    are cells, and the labels must be separated by spaces.
    """
    words, characters = _WORD.findall(row.text), _CHARACTER.findall(row.text)
    if words and words[0].isdigit() and not is_separate:
        return False
    return any(
        len(labels) > 3 and labels == [*names[: len(labels)]]
        for names in _LABEL_SEQUENCES
        for labels in (words, *([characters] if is_separate else ()))
    )


def _replace_labels(rows: Sequence[_Line]) -> Sequence[_Line]:
    """Replace the labels of rows by spaces. Returns no rows unless all rows have labels."""
    matches = [_LABEL.match(row.text) for row in rows]
    labels = [match[1] for match in matches if match]
    if len(labels) < len(rows) or not any(
        labels == [*names[: len(rows)]] for names in _LABEL_SEQUENCES
    ):
        return []
    ends = (match.end() for match in matches if match)
    return [
        row._replace(text=" " * end + row.text[end:]) for row, end in zip(rows, ends, strict=True)
    ]


_Splitter = Callable[[str], list[tuple[int, str]] | None]
"""Splits a row into cells, each with its column from 0. Returns None if it cannot."""


def _split_rows(rows: Sequence[_Line], splitter: _Splitter) -> list[TokenRow]:
    cells = [(row, splitter(row.text) or ()) for row in rows]
    shortened = _shorten_blanks({word for _, words in cells for _, word in words})
    return [
        TokenRow(
            [Word(row.number, column + 1, shortened.get(word, word)) for column, word in words],
            row.number,
            len(row.text) + 1,
            len(words),
        )
        for row, words in cells
    ]


def _shorten_blanks(words: set[str]) -> dict[str, str]:
    """Map each repeated blank, such as `__`, to its character if it is the only blank or `00`."""
    blanks = {
        word for word in words if word and {*word} <= _BLANKS and word == word[:1] * len(word)
    }
    return {word: word[0] for word in blanks if len(blanks) == 1 or word == "00"}


def _split_words(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _WORD.finditer(text)]


def _split_characters(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _CHARACTER.finditer(text)]


def _split_at_bars(text: str, bar: re.Pattern[str] = _BAR) -> list[tuple[int, str]] | None:
    """The fields between bars as cells; None if there are no bars, or several words in a field."""
    fields = _fields_between_bars(text, bar)
    if len(fields) < 2 or any(len(field.split()) > 1 for _, field in fields):
        return None
    return [(start + len(field) - len(field.lstrip()), field.strip()) for start, field in fields]


def _split_at_bar_runs(text: str) -> list[tuple[int, str]] | None:
    """Like `_split_at_bars`, but successive bars, as around boxes, count as one."""
    return _split_at_bars(text, _BARS_IN_A_ROW)


_SPLITTERS: tuple[_Splitter, ...] = (
    _split_at_bars, _split_at_bar_runs, _split_words, _split_characters,
)  # fmt: skip
"""The ways to split a row, in the order in which they are tried."""


def _fields_between_bars(text: str, bar: re.Pattern[str]) -> list[tuple[int, str]]:
    """The fields between bars, each with its column.

    If the row begins and ends with a bar, the empty fields outside these bars are omitted.
    """
    ends = [match.span() for match in bar.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    fields = [(start, text[start:stop]) for start, stop in zip(starts, stops, strict=True)]
    if len(fields) > 2 and not fields[0][1].strip() and not fields[-1][1].strip():
        return fields[1:-1]
    return fields


def _box_lines(lines: Sequence[_Line], rows: Sequence[TokenRow]) -> list[TextLine]:
    """The rows, with a dot for each cell, and the borders, in the form that `boxes_of` reads."""
    by_number = {row.line: row for row in rows}
    box_lines = []
    for line in lines:
        if line.kind == "border":
            inner = line.text.strip(" \t.:'|+*" + _HEAVY_BAR).translate(_BORDER_TRANSLATION)
            text = f"+{inner}+"
            box_lines.append(TextLine(line.number, text, "", True))
        elif line.number in by_number:
            starts = [word.column - 1 for word in by_number[line.number].words]
            parts = [line.text[start:stop] for start, stop in pairwise([*starts, len(line.text)])]
            bars = ("." + "".join(_BAR.findall(part)) for part in parts)
            text = "".join(bars).replace(_HEAVY_BAR, "||")
            box_lines.append(TextLine.of_text(line.number, text))
    return box_lines


def _side_of(board: _Board) -> int:
    """The number of rows of a whole board; 0 if its cells do not fit any alphabet."""
    side = len(board.rows)
    tokens = [*chain.from_iterable(row.tokens for row in board.rows)]
    fits = any(alphabet.fits({*tokens}) for alphabet in _alphabets(tokens, side, Reading()))
    return side if fits else 0


def side_of_board(text: Text) -> int:
    """The side of the whole board in a text; 0 if there is no board, or a damaged one."""
    board = _find_board(text)
    return _side_of(board) if board and board.is_whole else 0


def widths_of(row: str) -> set[int]:
    """The numbers of cells into which a row may be split, if they are sides of boards."""
    text = to_ascii(row)
    return {len(splitter(text) or ()) for splitter in _SPLITTERS} & {*BOARD_SIDES}


def _side_of_line(rows: Sequence[TextLine]) -> int:
    """The side of a puzzle with letters whose cells are all in one line; 0 for any other text."""
    side = _SIDES_OF_LINES.get(len(rows[0].cells), 0) if len(rows) == 1 else 0
    if not side or all(not cell.isalpha() or cell in _BLANKS for cell in rows[0].cells):
        return 0
    tokens = {*rows[0].cells}
    return (
        side
        if any(alphabet.fits(tokens) for alphabet in _character_alphabets([*tokens], side))
        else 0
    )


def recognise_board(text: Text) -> str | None:
    rows = text.rows
    if _side_of_line(rows):
        return f"one line of {len(rows[0].cells)} characters"
    side = len(rows)
    is_grid = side in ALL_GEOMETRIES and all(
        len(row.cells) == side and to_ascii(row.text) == row.text for row in rows
    )
    if len(text.lines) < BOARD_SIDES[0] or is_grid:
        return None
    board = _find_board(text)
    if board is None:
        return None
    if board.is_whole and (side := _side_of(board)):
        return f"a printed board of {side} rows of {side} cells"
    return "it has the borders of a printed board" if board.has_drawing else None


def _frame(text: Text) -> Frame:
    if side := _side_of_line(text.rows):
        line = text.rows[0]
        return Frame(line.cells, line.placed_cells, side, (line,))
    board = _find_board(text)
    if board is None:
        expected = f"a board of at most {_MAX_SIDE} rows"
        raise text.at_line(text.lines[0], expected, "more rows or longer lines")
    tokens = [row.tokens for row in board.rows]
    return frame_of_rows(text, tokens, lambda: board.rows, BOARD_SIDES, board.lines)


def _alphabets(tokens: Sequence[str], side: int, reading: Reading) -> Sequence[Alphabet]:
    """Digits or candidates up to side 9; characters or numbers for larger sides."""
    if side > len(DIGITS):
        return _character_alphabets(tokens, side) or numbers(("", *BLANKS), " or a blank")(
            tokens, side, reading
        )
    if sum(len(token) > 1 for token in tokens) > 1:
        return [_candidates_alphabet(tokens, side)]
    return [
        alphabet._replace(blanks=alphabet.blanks | {""}) if alphabet.blanks else alphabet
        for alphabet in digits(tokens, side, reading)
    ]


def _character_alphabets(tokens: Sequence[str], side: int) -> Sequence[Alphabet]:
    """The alphabets of single characters; none if the cells may be numbers.

    If a cell is a letter, the first character may be 1, 0 or A. If no cell is a letter, but one is
    0 and another one is a different blank, the first character is 0.
    """
    if side > len(ascii_uppercase) or any(len(token) > 1 for token in tokens):
        return []
    used = {token.upper() for token in tokens}
    starts: tuple[str, ...] = "1", "0", "A"
    if used.isdisjoint({*ascii_uppercase} - _BLANKS):
        starts = ("0",) if "0" in used and used & ({"", *BLANKS.upper()} - {"0"}) else ()
    alphabets = []
    for start in starts:
        first = _VALUE_CHARACTERS.index(start)
        characters = _VALUE_CHARACTERS[first : first + side]
        masks = {character: 1 << index for index, character in enumerate(characters)}
        blanks = frozenset({"", *BLANKS.upper()}.difference(characters))
        name = f"{characters[0]}-{characters[-1]}"
        expected = f"one of {characters[0]} to {characters[-1]}, or one symbol for all blanks"
        alphabets.append(Alphabet(masks, blanks, expected, fold=str.upper, name=name))
    return alphabets


def _candidates_alphabet(tokens: Sequence[str], side: int) -> Alphabet:
    """The alphabet whose tokens are the candidates of a cell, in ascending order."""
    masks = {
        token: sum(1 << int(digit) - 1 for digit in token)
        for token in {*tokens}
        if token and _ASCENDING_DIGITS.fullmatch(token) and int(token[-1]) <= side
    }
    expected = f"the candidates of a cell, ascending digits from 1 to {side}"
    return Alphabet(masks, frozenset(), expected, name="candidates")


def parse_board(text: Text, reading: Reading) -> Parsed:
    def only_alphabet(alphabets: Sequence[Alphabet]) -> Alphabet:
        if len(alphabets) > 1:
            found = f"characters of {join_with_or(alphabet.name for alphabet in alphabets)}"
            raise text.error(None, None, "numbers separated by spaces", found, code="ambiguous")
        return alphabets[0]

    return puzzle_of_frame(text, _frame(text), _alphabets, reading, only_alphabet)


BOARD = Format("board", recognise_board, parse_board)
