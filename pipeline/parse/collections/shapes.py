"""What looks like a puzzle in one line, and like a row of one: what detection goes by."""

from __future__ import annotations

import re
import string

from pipeline.parse.cells import BLANKS, DIGITS, EVEN, ODD
from pipeline.parse.text import Line

SIDES = {16: 4, 36: 6, 64: 8, 81: 9, 256: 16, 625: 25}
"""The sides of puzzles by the number of their cells."""

PLAIN = r"[1-9.]{81}|[0-9]{81}"
FULL = r"[1-9]{81}"
_PLAIN, _FULL = re.compile(PLAIN), re.compile(FULL)

_KNOWN = frozenset(DIGITS + BLANKS)
_LETTERS = frozenset(string.digits + string.ascii_letters + BLANKS)
_NO_TEXT = re.compile("[\ud800-\udfff]")
_SHORTEST_ATTEMPT = 12


def is_text(text: str) -> bool:
    """Whether there are neither NULs nor bytes that were no text in it."""
    return (text.isascii() or not _NO_TEXT.search(text)) and "\0" not in text


def is_plain(cells: str) -> bool:
    """81 characters of 1-9 and at most one kind of blank, `.` or `0`."""
    return len(cells) == 81 and _PLAIN.fullmatch(cells) is not None


def plain_of(cells: str) -> str | None:
    """The plain form of 81 digits and one kind of blank; None for anything else."""
    if is_plain(cells):
        return cells
    blanks = set(cells) - set(DIGITS) if len(cells) == 81 else set()
    sign = blanks.pop() if len(blanks) == 1 else ""
    return cells.replace(sign, ".") if sign and sign in BLANKS else None


def is_full(cells: str, side: int = 9) -> bool:
    """Whether the cells are n² digits from 1 to n, for n up to 9."""
    if side == 9:
        return len(cells) == 81 and _FULL.fullmatch(cells) is not None
    return len(cells) == side * side and set(DIGITS[:side]).issuperset(cells)


def halves(cells: str) -> tuple[str, str | None]:
    """The puzzle and the solution of a field that holds both; else the field and None."""
    middle, odd = divmod(len(cells), 2)
    side = SIDES.get(middle, 16)
    if not odd and side <= 9 and is_full(cells[middle:], side):
        return cells[:middle], cells[middle:]
    return cells, None


def without_separators(text: str) -> str:
    """The characters that are cells, as a grid or a line reads them."""
    return Line.of_text(1, text).cells


def side_of(field: str) -> int | None:
    """The side of the puzzle that a field holds, judged by the number and kind of its signs."""
    if is_plain(field):
        return 9
    if len(field) < min(SIDES):
        return None
    cells = halves(without_separators(field))[0]
    side = SIDES.get(len(cells))
    if side is None or side > 9:
        return side if _LETTERS.issuperset(cells) else None
    blanks = set(cells) - set(DIGITS[:side])
    one_sign = len(blanks) <= 1 and blanks <= set(BLANKS)
    return side if one_sign or blanks == {EVEN, ODD} else None


def has_blanks(field: str) -> bool:
    """Whether a field that holds a puzzle leaves cells open."""
    return not set(BLANKS).isdisjoint(halves(without_separators(field))[0])


def is_attempt(field: str) -> bool:
    """Whether a field may be a puzzle that has been damaged."""
    known = sum(sign in _KNOWN for sign in field)
    return len(field) >= _SHORTEST_ATTEMPT and known * 4 >= len(field) * 3


def is_row(line: str, side: int) -> bool:
    """Whether a line is a row of so many cells."""
    known = _KNOWN if side <= 9 else _LETTERS
    if len(line) == side and known.issuperset(line):
        return True
    cells = without_separators(line)
    return len(cells) == side and known.issuperset(cells)


def is_damaged_row(line: str, side: int) -> bool:
    """Whether a line may have been a row of so many cells: it has half of them, and few letters."""
    cells = without_separators(line.strip())
    known = sum(sign in _KNOWN for sign in cells)
    return len(cells) * 2 >= side and known * 4 >= len(cells) * 3


def is_above_four(cells: str) -> bool:
    """Whether a value above 4 is among the cells: in a puzzle of 4×4 there is none."""
    return any(sign.isalnum() and sign not in "01234xX" for sign in cells)
