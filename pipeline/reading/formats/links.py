"""Links whose address contains a puzzle: a line of digits and blanks, or an id of Solo.

    https://www.sudokuwiki.org/sudoku.htm?bd=705060000000500937…
    https://sudoku.coach/en/play/530070000600195000…
    https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/solo.html#3x3:a8b2c6c4b5b1_4_7…

Exactly one segment of the path, value of the query or fragment must be a whole puzzle with side 4,
6, 8 or 9. The site does not matter, and nothing is fetched. A link that names a variant is refused,
because the digits do not contain its rules.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.reading.formats.alphabets import digits
from pipeline.reading.formats.around import is_rule_column, names_rule
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import BLANKS, DIGITS, GEOMETRIES, SIDES
from pipeline.reading.formats.fpuzzles import FPUZZLES, HINT_OPEN_LINK
from pipeline.reading.formats.frames import frame_of_line, puzzle_of_frame
from pipeline.reading.formats.iss import ISS
from pipeline.reading.formats.jigsaws import SOLO
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.records import side_of
from pipeline.reading.formats.text import Text, TextLine, join_with_or
from pipeline.settings import Reading

_SITE = r"(?:https?://|www\.|(?:[a-z\d-]++\.)++[a-z]{2,}/)"
_LINK = re.compile(rf"\s*{_SITE}\S+\s*", re.IGNORECASE)
_SCHEME = re.compile(r"\s*(?:https?://|www\.)", re.IGNORECASE)
_SOLO_ID = re.compile(r"#(?=[0-9]{1,2}(?:x[0-9]{1,2}|j)[a-z0-9]*(?::|%3a))", re.IGNORECASE)
_SOLO_SEED = re.compile(r"#[0-9]{1,2}(?:x[0-9]{1,2}|j)[a-z0-9]*#[0-9]+\s*\Z")
_SEPARATOR = re.compile(r"[/?&#=;]")
_WORD, _KEY = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*+"), re.compile(r"[?&]([A-Za-z]+)=")
_CELLS = re.compile(r"[0-9.*_-]{12,}")
_BEGINS = re.compile(
    rf"\s*{_SITE}\S*(?:[0-9._*-]{{16}}|{_SOLO_ID.pattern}|\?sudoku/)", re.IGNORECASE
)

_VARIANT_NAMES = re.compile(
    r"killer|jigsaw|irregular|samurai|windoku|str8t|kendoku|kenken|kakuro|futoshiki|thermo|arrow"
    r"|sudoku[-_]?x\b|\bx[-_]?sudoku|diagonal|colou?r[-_]?sudoku|skyscraper",
    re.IGNORECASE,
)
"""Names of variants and of other puzzles in addresses; they may be part of a word."""

_PUZZ_LINK = re.compile(
    r"[/.](?:puzz\.link|pzv\.jp|pzplus\.\w+|pzprxs\.\w+)/|/p(?:\.html)?\?sudoku/"
)
_SHORTENERS = re.compile(
    r"//(?:www\.)?(?:tinyurl\.com|bit\.ly|t\.co|goo\.gl|is\.gd|cutt\.ly|rb\.gy|ow\.ly|shorturl\.at"
    r"|v\.gd|t\.ly|tiny\.cc|rebrand\.ly|sudoku\.link)/",
    re.IGNORECASE,
)
_EXPECTED = "a link that contains the cells of a puzzle"


class _Segment(NamedTuple):
    """An unescaped part of a link, and the column at which it begins in the line."""

    column: int
    text: str


def _segments(line: TextLine) -> list[_Segment]:
    """The segments of the path, the values of the query, and the fragment."""
    from urllib.parse import unquote  # noqa: PLC0415 - slow to load, and few puzzles are links

    segments, start = [], 0
    for text in _SEPARATOR.split(line.text.rstrip()):
        segments.append(_Segment(start + 1, unquote(text)))
        start += len(text) + 1
    return segments


def _puzzle_segments(line: TextLine) -> list[_Segment]:
    """The segments that are whole puzzles, each only once."""
    by_cells = {
        segment.text: segment
        for segment in _segments(line)
        if (side_of(segment.text) or 10) <= 9 and not {*DIGITS}.isdisjoint(segment.text)
    }
    return [*by_cells.values()]


def _is_link(text: Text) -> bool:
    return len(text.lines) == 1 and _LINK.fullmatch(text.lines[0].text) is not None


def recognise_link(text: Text) -> str | None:
    if not _is_link(text):
        return None
    line = text.lines[0]
    if _SOLO_ID.search(line.text):
        return "it is a link to a puzzle of Solo"
    if _puzzle_segments(line):
        return "it is a link that contains the cells of a puzzle"
    if not _SCHEME.match(line.text) or FPUZZLES.recognise(text) or ISS.recognise(text):
        return None
    return "it is a link"


def parse_link(text: Text, reading: Reading) -> Parsed:
    line = text.single_line()
    if _LINK.fullmatch(line.text) is None:
        raise text.at_line(line, _EXPECTED)
    if solo := _SOLO_ID.search(line.text):
        return _parse_solo(text, line, solo.end(), reading)
    puzzles = _puzzle_segments(line)
    if len(puzzles) != 1:
        raise _refusal(text, line, len(puzzles))
    column, cells = puzzles[0]
    similar = [x for x in _segments(line) if len(x.text) == len(cells) and x.text != cells]
    if similar:
        expected = f"{_EXPECTED}, and only one part of {len(cells)} characters"
        found = "a second such part"
        raise text.error(line.number, similar[0].column, expected, found, code="link")
    if variant := _variant_in(line.text.replace(cells, "")):
        expected = "a link to a puzzle with the usual rules"
        hint = "the link does not contain the rules: use a notation that does"
        raise text.at_line(line, expected, f"'{variant}' in it", code="link", hint=hint)
    row = TextLine.of_text(line.number, cells)
    expected = f"{join_with_or(side * side for side in GEOMETRIES)} cells"
    try:
        frame = frame_of_line(text, row, tuple(GEOMETRIES), expected)
        return puzzle_of_frame(text, frame, digits, reading)
    except InvalidPuzzle as error:
        error.column = (error.column or 1) + column - 1
        raise


def _variant_in(address: str) -> str | None:
    """The name of a variant in an address from which the cells were removed, or None."""
    if match := _VARIANT_NAMES.search(address):
        return match[0]
    words = (word for word in _WORD.findall(address) if names_rule(word))
    keys = (key for key in _KEY.findall(address) if is_rule_column(key.lower()))
    return next(chain(words, keys), None)


def _parse_solo(text: Text, line: TextLine, start: int, reading: Reading) -> Parsed:
    """Parse the Solo id that begins at index `start` of the line."""
    from urllib.parse import unquote  # noqa: PLC0415 - slow to load, and few puzzles are links

    game = TextLine.of_text(line.number, unquote(line.text[start:].rstrip()))
    try:
        return SOLO.parse(Text(text.source, (game,), text.data), reading)
    except InvalidPuzzle as error:
        error.column = (error.column or 1) + start
        raise


def _refusal(text: Text, line: TextLine, puzzle_count: int) -> InvalidPuzzle:
    """The error for a link that contains `puzzle_count` puzzles, not 1."""
    hint = HINT_OPEN_LINK
    if puzzle_count:
        found, hint = counted(puzzle_count, "puzzle"), "give the cells of one of them"
    elif _PUZZ_LINK.search(line.text):
        found = "a link of puzz.link, whose notation is not supported"
    elif _SOLO_SEED.search(line.text):
        found = "a random seed of Solo"
        hint = "in Solo, choose 'Link to this puzzle by game ID' instead"
    elif _SHORTENERS.search(line.text):
        found = "a short link, which only its server can resolve"
    elif cells := _longest_run_of_cells(line):
        sizes = join_with_or(side * side for side in GEOMETRIES)
        expected = f"{_EXPECTED}, {sizes} digits and blanks"
        column = cells.start() + 1
        found = counted(len(cells[0]), "cell")
        if side := SIDES.get(len(cells[0])):
            found += f", but not only digits up to {side} and one character for blanks"
        return text.error(line.number, column, expected, found, code="link", hint=hint)
    else:
        found = "a link without cells"
    return text.at_line(line, _EXPECTED, found, code="link", hint=hint)


def _longest_run_of_cells(line: TextLine) -> re.Match[str] | None:
    """The longest run of digits and blanks with at least one of each; None without such a run."""
    runs = [
        run
        for run in _CELLS.finditer(line.text)
        if not {*DIGITS}.isdisjoint(run[0]) and not {*BLANKS}.isdisjoint(run[0])
    ]
    return max(runs, key=lambda run: len(run[0]), default=None)


LINK = Format("link", recognise_link, parse_link, begins=_BEGINS)
