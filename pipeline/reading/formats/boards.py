"""Board: a printed grid of numbers, signs or candidates, with borders, labels or empty fields.

    ╔═══════╤═══════╤═══════╗     |   | A | B |     .-------------.-------------.
    ║ 5 3 . │ . 7 . │ . . . ║     |---|---|---|     | 5  3   124  | 26  7  2468 |
    …                             | 1 | 5 |   |     …

n rows of n cells, n being 4 to 36; sides without usual boxes, such as 12, need `--boxes` or lines
between boxes. The number of rows decides how they are cut: at bars, at spaces, or into characters.
Above side 9, cells are numbers, or single characters of `1-C`, `0-B` or `A-L`. A blank is
`. 0 _ - x X ? *`, perhaps several times as in `__`, or nothing between two bars. Up to side 9,
digits are values, and numbers such as `247` are the candidates of a cell in ascending order, as
HoDoKu and Sudoku Explainer print them; then a single digit is a given.

Lines that are only drawn are borders; `=` may be used for `-`. Labels 1, 2, … or A, B, … may be
left of the rows and above the columns, and the side above all. A line of n dashes is a row if the
grid then has n rows, else a border; if dashes are blanks in other rows, such a grid is refused.
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

from pipeline.puzzle.geometry import usual_boxes
from pipeline.reading.formats.alphabets import Alphabet, digits, numbers
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, DIGITS
from pipeline.reading.formats.frames import Frame, Row, frame_of_rows, puzzle_of_frame
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, Word, either, is_border
from pipeline.settings import Reading

_LARGEST = 36
BOARD_SIDES = [n for n in range(4, _LARGEST + 1) if usual_boxes(n).has_boxes]
_MOST_LINES = 2 * _LARGEST + 4
_LONGEST_LINE = 16 * _LARGEST

_HEAVY = "‖"
"""What replaces heavy and double vertical lines."""

_BARS = "|" + _HEAVY
_SIGNS = frozenset("-=+:'.*_~" + _BARS)
_FRAME = re.compile(r"[.*|‖]?+(?:[-_]++[.*|‖]?+)++")
_WORD, _CHARACTER, _BAR = re.compile(r"[^\s|‖]+"), re.compile(r"[^\s|‖]"), re.compile(r"[|‖]")
_SEVERAL_BARS = re.compile(r"[|‖]+")
_LABEL = re.compile(r"[\s|‖]*([A-Za-z]?[0-9]{0,2})(?:[:).]?\s|[:)]?\s*[|‖])")
_ASCENDING = re.compile("1?2?3?4?5?6?7?8?9?")
_BLANKS = frozenset(BLANKS)
_IN_ORDER = string_digits + ascii_uppercase


def _drawing_signs() -> dict[int, str]:
    """For each box-drawing character the sign that replaces it."""
    table = {0xA0: " ", ord("·"): ".", ord("¦"): "|"}
    for code in range(0x2500, 0x2580):
        name = unicodedata.name(chr(code))
        words = {*name.replace("-", " ").split()}
        is_heavy = "HEAVY" in words or ("DOUBLE" in words and "DASH" not in words)
        lies, stands = words & {"HORIZONTAL", "LEFT", "RIGHT"}, words & {"VERTICAL", "UP", "DOWN"}
        if "DIAGONAL" not in words:
            table[code] = ("=" if is_heavy else "-") if lies else _HEAVY if is_heavy else "|"
        if lies and stands:
            table[code] = "+"
    return table


_DRAWING_SIGNS = _drawing_signs()
_AS_BORDER = str.maketrans(".'|‖:_~", "++++---")
"""Makes a border one that other formats know."""

_LABELS = [
    sequence
    for letters in (ascii_uppercase, ascii_lowercase)
    for sequence in (
        [*letters],
        *([f"{sign}{n}" for n in range(1, _LARGEST + 1)] for sign in letters[2::15]),
    )
] + [[str(n) for n in range(1, _LARGEST + 1)]]
"""A, B, …, or C1, C2, …, or R1, R2, …, in both cases, and 1, 2, …"""


class _Line(NamedTuple):
    """A line with its box-drawing characters replaced; `kind` is row, border or either."""

    number: int
    text: str
    kind: str

    @classmethod
    def of(cls, line: TextLine) -> _Line:
        text = drawn_in_ascii(line.text).rstrip()
        return cls(line.number, text, kind_of_line(text))


class _Board(NamedTuple):
    """The rows of a board, and the rows and borders as lines that may draw boxes.

    `is_drawn` says that there are lines or labels that no other text has. `is_whole` says that
    there are n rows of n cells.
    """

    rows: Sequence[Row]
    drawn: Sequence[TextLine]
    is_drawn: bool
    is_whole: bool


def drawn_in_ascii(text: str) -> str:
    return text if text.isascii() else text.translate(_DRAWING_SIGNS)


def kind_of_line(text: str) -> str:
    """Whether a line is a row, a border, or `either`: a row of blanks or a border."""
    if not _SIGNS.issuperset(bare := "".join(text.split())):
        return "row"
    signs = {*bare} - {*_BARS}
    if len(signs) == 1 and signs <= {"-", "_"}:
        return "either"
    if signs & {*"=+:'~"} and signs & {*"-=+_~"}:
        return "border"
    return "border" if signs & {*"-_"} and signs & {*".*"} and _FRAME.fullmatch(bare) else "row"


def _board(text: Text) -> _Board | None:
    """The board in a text; None if it has too many lines, or too long ones."""
    if len(text.lines) > _MOST_LINES or any(len(x.text) > _LONGEST_LINE for x in text.lines):
        return None
    lines = [*map(_Line.of, text.lines)]
    is_drawn = any(
        (line.kind != "row" and not is_border(line.text)) or not written.text.isascii()
        for line, written in zip(lines, text.lines, strict=True)
    )
    for body in _with_borders(lines):
        rows = [line for line in body if line.kind == "row"]
        if (cut := _cut(rows, body)) is not None:
            return _Board(cut, _drawn(body, cut), is_drawn, True)
    body = next(_with_borders(lines))
    rows = [line for line in body if line.kind == "row"]
    found = [_rows(rows, cut) for cut in (_in_fields, _in_words, _in_characters)]
    likely = max(found, key=lambda rows: _times_of_side([row.width for row in rows]))
    return _Board(likely, _drawn(body, likely), is_drawn and _are_rows(rows), False)


def _with_borders(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """The lines without `either`; first those in which n dashes are one of n rows."""
    counts = [len(_CHARACTER.findall(x.text)) if x.kind == "either" else 0 for x in lines]
    sure = sum(line.kind == "row" for line in lines)
    rows = "".join(line.text for line in lines if line.kind == "row")
    for count, times in Counter(filter(None, counts)).items():
        used = {line.text.strip(" \t|")[:1] for line in lines if line.kind == "either"}
        if sure + times == count or any(sign in rows for sign in used):
            yield [_decided(x, n == count) for x, n in zip(lines, counts, strict=True)]
            if sure + times != count:
                return
    yield [_decided(x, False) for x in lines]


def _decided(line: _Line, is_row: bool) -> _Line:
    return line._replace(kind="row" if is_row else "border") if line.kind == "either" else line


def _times_of_side(widths: Sequence[int]) -> int:
    return max((widths.count(width) for width in {*widths} & {*BOARD_SIDES}), default=0)


def _are_rows(rows: Sequence[_Line]) -> bool:
    """Whether most lines have hardly any letters."""
    few = [sum(map(str.isalpha, row.text)) * 4 <= len(row.text) for row in rows]
    return len(rows) > 2 and sum(few) * 4 >= len(rows) * 3


def _cut(rows: Sequence[_Line], lines: Sequence[_Line]) -> Sequence[Row] | None:
    """The n rows of n cells, without the labels and the side above them; None if there are none."""
    side, unlabelled = len(rows), _without_labels(rows)
    options = [(rows, side), (unlabelled, side)]
    if len(rows) > 1:
        below = _without_labels(rows[1:])
        is_apart = bool(below) or _is_above_border(lines, rows[0])
        if _CHARACTER.findall(rows[0].text) == [*str(side - 1)] or _is_header(rows[0], is_apart):
            options += [(rows[1:], side - 1), (below, side - 1)]
    for body, count in options:
        if count in BOARD_SIDES and body:
            for cut in _CUTS:
                cells = _rows(body, cut)
                if all(row.width == count for row in cells):
                    return cells
    return None


def _is_above_border(lines: Sequence[_Line], row: _Line) -> bool:
    return any(line == row and after.kind == "border" for line, after in pairwise(lines))


def _is_header(row: _Line, is_apart: bool) -> bool:
    """Whether a line is labels of columns; digits need a border or labels of rows as well."""
    words, signs = _WORD.findall(row.text), _CHARACTER.findall(row.text)
    if words and words[0].isdigit() and not is_apart:
        return False
    return any(
        len(found) > 3 and found == [*names[: len(found)]]
        for names in _LABELS
        for found in (words, *([signs] if is_apart else ()))
    )


def _without_labels(rows: Sequence[_Line]) -> Sequence[_Line]:
    """The rows with spaces in place of their labels; empty if they have none."""
    matches = [_LABEL.match(row.text) for row in rows]
    found = [match[1] for match in matches if match]
    if len(found) < len(rows) or not any(found == [*names[: len(rows)]] for names in _LABELS):
        return []
    ends = (match.end() for match in matches if match)
    return [
        row._replace(text=" " * end + row.text[end:]) for row, end in zip(rows, ends, strict=True)
    ]


_Cut = Callable[[str], list[tuple[int, str]] | None]
"""Cuts a row into cells with their columns, from 0; None if that is not possible."""


def _rows(rows: Sequence[_Line], cut: _Cut) -> list[Row]:
    cells = [(row, cut(row.text) or ()) for row in rows]
    single = _single_blanks({word for _, words in cells for _, word in words})
    return [
        Row(
            [Word(row.number, column + 1, single.get(word, word)) for column, word in words],
            row.number,
            len(row.text) + 1,
            len(words),
        )
        for row, words in cells
    ]


def _single_blanks(words: set[str]) -> dict[str, str]:
    """The sign of a blank that is always written several times, `__`, or as 00 or 0."""
    several = {
        word for word in words if word and {*word} <= _BLANKS and word == word[:1] * len(word)
    }
    return {word: word[0] for word in several if len(several) == 1 or word == "00"}


def _in_words(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _WORD.finditer(text)]


def _in_characters(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _CHARACTER.finditer(text)]


def _in_fields(text: str, bar: re.Pattern[str] = _BAR) -> list[tuple[int, str]] | None:
    """A cell, or none, between each two bars; bars at both ends belong to no cell."""
    found = _parts(text, bar)
    if len(found) < 2 or any(len(part.split()) > 1 for _, part in found):
        return None
    return [(start + len(part) - len(part.lstrip()), part.strip()) for start, part in found]


def _in_groups(text: str) -> list[tuple[int, str]] | None:
    """The same, with several bars around boxes."""
    return _in_fields(text, _SEVERAL_BARS)


_CUTS: tuple[_Cut, ...] = (_in_fields, _in_groups, _in_words, _in_characters)


def _parts(text: str, bar: re.Pattern[str]) -> list[tuple[int, str]]:
    """What stands between bars, with its column."""
    ends = [match.span() for match in bar.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    parts = [(start, text[start:stop]) for start, stop in zip(starts, stops, strict=True)]
    if len(parts) > 2 and not parts[0][1].strip() and not parts[-1][1].strip():
        return parts[1:-1]
    return parts


def _drawn(lines: Sequence[_Line], rows: Sequence[Row]) -> list[TextLine]:
    """The rows, with dots for cells, and the borders, as lines that draw boxes."""
    by_number = {row.line: row for row in rows}
    drawn = []
    for line in lines:
        if line.kind == "border":
            inner = line.text.strip(" \t.:'|+*" + _HEAVY).translate(_AS_BORDER)
            text = f"+{inner}+"
            drawn.append(TextLine(line.number, text, "", True))
        elif line.number in by_number:
            starts = [word.column - 1 for word in by_number[line.number].words]
            parts = [line.text[start:stop] for start, stop in pairwise([*starts, len(line.text)])]
            bars = ("." + "".join(_BAR.findall(part)) for part in parts)
            text = "".join(bars).replace(_HEAVY, "||")
            drawn.append(TextLine.of_text(line.number, text))
    return drawn


def _side_of(board: _Board) -> int:
    """The number of rows, if each has as many cells, and all are cells of one alphabet; else 0."""
    side = len(board.rows)
    tokens = [*chain.from_iterable(row.tokens for row in board.rows)]
    fit = any(alphabet.fits({*tokens}) for alphabet in _alphabets(tokens, side, Reading()))
    return side if fit else 0


def side_of_board(text: Text) -> int:
    """The side of the whole board in a text; 0 if there is none, or a damaged one."""
    board = _board(text)
    return _side_of(board) if board and board.is_whole else 0


def widths_of(row: str) -> set[int]:
    """The numbers of cells that a row may have."""
    text = drawn_in_ascii(row)
    return {len(cut(text) or ()) for cut in _CUTS} & {*BOARD_SIDES}


def recognise_board(text: Text) -> str | None:
    rows = text.rows
    side = len(rows)
    is_grid = side in ALL_GEOMETRIES and all(
        len(row.cells) == side and drawn_in_ascii(row.text) == row.text for row in rows
    )
    if len(text.lines) < BOARD_SIDES[0] or is_grid:
        return None
    board = _board(text)
    if board is None:
        return None
    if board.is_whole and (side := _side_of(board)):
        return f"a printed board of {side} rows of {side} cells"
    return "its lines are drawn as around a board" if board.is_drawn else None


def _frame(text: Text) -> Frame:
    board = _board(text)
    if board is None:
        expected = f"a board of at most {_LARGEST} rows"
        raise text.at_line(text.lines[0], expected, "more or longer lines")
    tokens = [row.tokens for row in board.rows]
    return frame_of_rows(text, tokens, lambda: board.rows, BOARD_SIDES, board.drawn)


def _alphabets(tokens: Sequence[str], side: int, reading: Reading) -> Sequence[Alphabet]:
    """Digits or candidates up to side 9, numbers above."""
    if side > len(DIGITS):
        return _letters(tokens, side) or numbers(("", *BLANKS), " or a blank")(
            tokens, side, reading
        )
    several = {token for token in tokens if len(token) > 1}
    if several and sum(map(several.__contains__, tokens)) > 1:
        return [_candidates(tokens, side)]
    return [
        known._replace(blanks=known.blanks | {""}) if known.blanks else known
        for known in digits(tokens, side, reading)
    ]


def _letters(tokens: Sequence[str], side: int) -> Sequence[Alphabet]:
    """The alphabets from 1, 0 and A, if there are letters, or 0 and another blank; else none."""
    if side > len(ascii_uppercase) or any(len(token) > 1 for token in tokens):
        return []
    used = {token.upper() for token in tokens}
    starts: tuple[str, ...] = "1", "0", "A"
    if used.isdisjoint({*ascii_uppercase} - _BLANKS):
        starts = ("0",) if "0" in used and used & ({"", *BLANKS.upper()} - {"0"}) else ()
    alphabets = []
    for start in starts:
        first = _IN_ORDER.index(start)
        signs = _IN_ORDER[first : first + side]
        masks = {sign: 1 << index for index, sign in enumerate(signs)}
        blanks = frozenset({"", *BLANKS.upper()}.difference(signs))
        name = f"{signs[0]}-{signs[-1]}"
        expected = f"one of {signs[0]} to {signs[-1]}, or one symbol for all blanks"
        alphabets.append(Alphabet(masks, blanks, expected, fold=str.upper, name=name))
    return alphabets


def _candidates(tokens: Sequence[str], side: int) -> Alphabet:
    """The candidates of each cell, ascending."""
    masks = {
        token: sum(1 << int(digit) - 1 for digit in token)
        for token in {*tokens}
        if token and _ASCENDING.fullmatch(token) and int(token[-1]) <= side
    }
    expected = f"the candidates of a cell, ascending digits from 1 to {side}"
    return Alphabet(masks, frozenset(), expected, name="candidates")


def parse_board(text: Text, reading: Reading) -> Parsed:
    def only(fitting: Sequence[Alphabet]) -> Alphabet:
        if len(fitting) > 1:
            found = f"characters of {either(alphabet.name for alphabet in fitting)}"
            raise text.error(None, None, "numbers with spaces between", found, code="ambiguous")
        return fitting[0]

    return puzzle_of_frame(text, _frame(text), _alphabets, reading, only)


BOARD = Format("board", recognise_board, parse_board)
