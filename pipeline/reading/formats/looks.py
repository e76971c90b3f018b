"""Whether anything in a source looks like a puzzle; if not, that is no error in an archive.

A grid with a wrong sign looks like a puzzle: nothing is parsed here. In case of doubt a source
looks like one. Single lines of digits are common in any text. So a line among much other text
counts only if it has the cells of a whole puzzle.
"""

from __future__ import annotations

import codecs
import re
from string import ascii_uppercase

from pipeline.reading.formats.cells import ALL_GEOMETRIES, BLANKS, DIGITS, KNOWN, number_of
from pipeline.reading.formats.detect import FORMATS
from pipeline.reading.formats.formula import looks_like_cnf
from pipeline.reading.formats.spaces import is_in_spaces
from pipeline.reading.formats.text import is_border, said_lines

NO_PUZZLE = "nothing in it looks like a puzzle"
"""What a message adds for such a source in an archive, after the error from reading it."""

_SAMPLE = 64 * 1024
_WORD = re.compile(r"[^\s,;:|\"'\[\]]+")
_FIELD = re.compile(r"[,;\t]")
_LETTERS = re.compile(r"[0-9A-Y.*_?-]+|[0-9a-y.*_?-]+")
_IN_LETTERS = {*range(15, 18), *range(24, 27), *range(250, 262), *range(620, 631)}
"""Approximate numbers of signs in rows and puzzles that are written in letters."""

_SHORTEST_ROW, _LONGEST_ROW, _SHORTEST_PUZZLE, _FEWEST_CELLS = 4, 26, 15, 16


def looks_like_no_puzzle(data: bytes) -> bool:
    """Whether nothing in a source looks like the beginning of a puzzle in any format.

    Its first 64 KiB decide. A source looks like a puzzle if it begins with a format's own words,
    or if a whole puzzle or a border stands anywhere. A source whose first two lines, or a
    quarter of its lines, may be rows or whole puzzles, even damaged ones, looks like one too.
    """
    encoded = data[:_SAMPLE]
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoded = encoded.decode("utf-16" if utf_16 else "utf-8-sig", errors="replace")
    lines = said_lines(decoded)
    text = "\n".join(lines)
    begun = any(known.begins is not None and known.begins.match(text) for known in FORMATS)
    if begun or looks_like_cnf(data) or is_in_spaces(encoded):
        return False
    if any(map(_is_whole, lines)) or any(map(is_border, lines)):
        return False
    told = [line for line in lines if any(sign.isalnum() or sign == "." for sign in line)]
    likely = [_is_likely(line) for line in told]
    return not told or (not all(likely[:2]) and sum(likely) * 4 < len(likely))


def _is_likely(line: str) -> bool:
    """Whether a line may be a row of cells, or holds a word that may be a whole puzzle."""
    if _FIELD.search(line):
        words = [field.strip(" \"'[]") for field in _FIELD.split(line)]
    else:
        words = line.replace("|", " ").split()
    single = sum(len(word) < 2 or (len(word) < 4 and word.isdigit()) for word in words)
    known = any(word and KNOWN.issuperset(word) for word in words)
    if len(words) >= _SHORTEST_ROW and known and single * 4 >= len(words) * 3:
        return True
    alike = len({*map(len, words[:-1])}) < 2 and not _FIELD.search(line)
    row = "".join(words) if alike else ""
    if _SHORTEST_ROW <= len(row) <= _LONGEST_ROW and _are_known(row, 3 / 4):
        return True
    return any(len(word) >= _SHORTEST_PUZZLE and _are_known(word, 7 / 8) for word in words)


def _are_known(cells: str, part: float) -> bool:
    """Whether so many of the signs are digits and blanks, or may be a row or puzzle in letters."""
    if len(cells) in _IN_LETTERS and _LETTERS.fullmatch(cells):
        letters = sum(map(str.isalpha, cells))
        return len(cells) > _LONGEST_ROW or letters * 4 < len(cells) * 3
    drawn = not any(sign.isdigit() or sign == "." for sign in cells)
    return not drawn and sum(sign in KNOWN for sign in cells) >= len(cells) * part


def _is_whole(line: str) -> bool:
    """Whether a line, or a word in it, has the cells of a puzzle, give or take a few."""
    words = [word.replace("+", "") for word in _WORD.findall(line)]  # HoDoKu's mark
    if len({*map(len, words)}) == 1 and (len(words[0]) == 1 or len(words) == len(words[0]) > 4):
        words = ["".join(words)]  # single cells, or rows; but not years and the like
    return any(_has_cells(word) for word in words if len(word) >= _FEWEST_CELLS - 1)


def _has_cells(word: str) -> bool:
    for side in ALL_GEOMETRIES:
        if abs(len(word) - side**2) <= (side - 1) // 4:  # none for 4×4: addresses have 15
            values = [sign for sign in word if _is_value(sign, side)]
            blanks = sum(sign in BLANKS for sign in word)
            known = (len(values) + blanks) * 8 >= len(word) * 7
            return known and blanks * 8 >= len(word) and len({*values}) * 2 > side
    return False


def _is_value(cell: str, side: int) -> bool:
    if cell.isdigit():
        return bool(number_of(cell, side))
    return side > len(DIGITS) and len(cell) == 1 and cell.upper() in ascii_uppercase[:side]
