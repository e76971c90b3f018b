"""Whether anything in a source looks like a puzzle: what does not is no fault of an archive.

Reading is another matter: a grid with a wrong sign looks like a puzzle. Where it is not clear a
source does look like one. What no format has signs for, such as `nan` for a blank, does not.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from pipeline.errors import InvalidPuzzle
from pipeline.parse import FORMATS
from pipeline.parse.cells import BLANKS, DIGITS
from pipeline.parse.formula import looks_like_cnf
from pipeline.parse.hidden import holds_a_puzzle
from pipeline.parse.spaces import SPACES
from pipeline.parse.text import COMMENTS, Line, decode_text

NO_PUZZLE = "nothing in it looks like a puzzle"
"""What is said of such a source in an archive, behind what kept it from being read."""

_SAMPLE = 64 * 1024
_KNOWN = frozenset(DIGITS + BLANKS)
_WORD = re.compile(r"[^\s,;|]+")
_FIELD = re.compile(r"[,;\t]")
_LETTERS = re.compile(r"[0-9A-Y.*_?-]+|[0-9a-y.*_?-]+")
_ROWS_IN_LETTERS = (range(15, 18), range(24, 27))
_PUZZLES_IN_LETTERS = (range(250, 262), range(620, 631))
"""How many characters they have that are written in letters, nearly."""

_SHORTEST_ROW, _LONGEST_ROW, _SHORTEST_PUZZLE = 4, 26, 15


def looks_like_no_puzzle(data: bytes) -> bool:
    """Whether nothing in a source looks like the beginning of a puzzle in any format.

    Its first 64 KiB decide. Something does where a format's own words are there, where a whole
    puzzle stands anywhere, or where a quarter of the lines, or the first two, may be rows or
    whole puzzles, or damaged ones.
    """
    lines = [line for line in re.split(r"\r\n?|\n", _text(data[:_SAMPLE])) if _is_said(line)]
    text = "\n".join(lines)
    begun = any(known.begins is not None and known.begins.match(text) for known in FORMATS)
    if begun or looks_like_cnf(data) or holds_a_puzzle(lines) or _is_in_spaces(data):
        return False
    told = [line for line in lines if any(sign.isalnum() or sign == "." for sign in line)]
    if not told:
        return not any(Line.of_text(1, line).is_border for line in lines)
    rows = [_is_row(line) or _is_puzzle(line) for line in told]
    return not all(rows[:2]) and sum(rows) * 4 < len(rows)


def _is_in_spaces(data: bytes) -> bool:
    """Whether it is a grid whose blanks are spaces: a row of these is no row by itself."""
    try:
        return SPACES.recognise(decode_text(data[:_SAMPLE], "")) is not None
    except InvalidPuzzle:
        return False


def _text(data: bytes) -> str:
    """What may be read of the bytes, whatever they are."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="replace")


def _is_said(line: str) -> bool:
    body = line.strip()
    return bool(body) and not body.startswith(COMMENTS)


def _is_row(line: str) -> bool:
    """Whether a line may be a row of cells."""
    if _FIELD.search(line):
        return _are_cells([field.strip().strip('"') for field in _FIELD.split(line)])
    words = line.replace("|", " ").split()
    if len(words) > 1:
        joined = "".join(words)
        in_groups = len({*map(len, words[:-1])}) == 1 or joined.isdigit()
        return _are_cells(words) or (in_groups and _may_be_row(joined))
    return bool(words) and _may_be_row(words[0])


def _are_cells(words: Sequence[str]) -> bool:
    """Whether most of the words are single signs, small numbers or nothing."""
    single = sum(len(word) <= 1 or (len(word) < 4 and word.isdigit()) for word in words)
    known = any(_KNOWN.issuperset(word) for word in words if word)
    return len(words) >= _SHORTEST_ROW and known and single * 4 >= len(words) * 3


def _may_be_row(cells: str) -> bool:
    """Whether so many signs may be a row, in digits or in letters."""
    if not _SHORTEST_ROW <= len(cells) <= _LONGEST_ROW:
        return False
    if any(len(cells) in lengths for lengths in _ROWS_IN_LETTERS) and _LETTERS.fullmatch(cells):
        return len({*cells}) == len(cells) or sum(map(str.isalpha, cells)) * 4 < len(cells) * 3
    return _is_known(cells, 3, 4)


def _is_puzzle(line: str) -> bool:
    """Whether one of the words in a line may be a whole puzzle."""
    words = [word.strip("\"'") for word in _WORD.findall(line)]
    long = [word for word in words if len(word) >= _SHORTEST_PUZZLE]
    return any(_is_known(word, 7, 8) or _is_whole_in_letters(word) for word in long)


def _is_whole_in_letters(cells: str) -> bool:
    fits = any(len(cells) in lengths for lengths in _PUZZLES_IN_LETTERS)
    return fits and _LETTERS.fullmatch(cells) is not None


def _is_known(cells: str, part: int, whole: int) -> bool:
    """Whether that part of the signs are digits and blanks, which are not only strokes."""
    known = sum(sign in _KNOWN for sign in cells)
    drawn = not any(sign.isdigit() or sign == "." for sign in cells)
    return known * whole >= len(cells) * part and not drawn
