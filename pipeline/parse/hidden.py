"""A whole puzzle among lines that are something else, such as the text around it.

Single lines of digits are common in any text, so more is asked for here than of what stands
alone: the cells of a whole puzzle in one line, or rows that could be those of one grid.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_letters, ascii_uppercase

from pipeline.parse.cells import ALL_GEOMETRIES, BLANKS, DIGITS, EVEN, ODD, number_of
from pipeline.parse.text import Line

_WORD = re.compile(r"[^\s,;:|\"'\[\]]+")
_FIELD = re.compile(r"[,;\t]")
_AROUND = " []\"'"
_FEWEST_CELLS = min(ALL_GEOMETRIES) ** 2
_ENOUGH_ROWS = 4
_Row = Sequence[str]


def holds_a_puzzle(lines: Sequence[str]) -> bool:
    """Whether there is a line that has a whole puzzle, or rows of one below each other.

    Either may be damaged: an eighth of the signs in a line; all but four rows of a grid, one row
    of a grid of 4×4.
    """
    if any(_is_whole(line) for line in lines):
        return True
    rows = [_rows_in(line) for line in lines if not Line.of_text(1, line).is_border]
    return any(_is_grid(rows, side) for side in ALL_GEOMETRIES)


def _is_whole(line: str) -> bool:
    """Whether a line, or a word in it, has the cells of a puzzle, give or take a few."""
    words = _WORD.findall(line)
    if len({*map(len, words)}) == 1 and (len(words[0]) == 1 or len(words) == len(words[0]) > 4):
        words = ["".join(words)]  # of cells, or of rows, but for years and the like
    return any(len(word) >= _FEWEST_CELLS and _has_cells(word) for word in words)


def _has_cells(word: str) -> bool:
    placed = word.replace("+", "")  # HoDoKu's mark for a digit that is not given
    for side in ALL_GEOMETRIES:
        if abs(len(placed) - side**2) <= (side - 1) // 4:  # none for 4×4: addresses have 15
            values = [sign for sign in placed if sign in _values(side)]
            others = Counter(sign for sign in placed if sign in BLANKS and sign not in values)
            blanks = max(others[EVEN] + others[ODD], *others.values(), 0)
            known = (len(values) + blanks) * 8 >= len(placed) * 7
            return known and blanks * 8 >= len(placed) and _is_varied(values, side)
    return False


def _values(side: int) -> str:
    """The signs for values; those of the large sides may be letters."""
    letters = ascii_uppercase[:side]
    return DIGITS[:side] if side <= len(DIGITS) else DIGITS + letters + letters.lower()


def _is_varied(values: Iterable[str], side: int) -> bool:
    """Whether more than half of the values are there; with two missing no solution is the only."""
    return len({*values}) * 2 > side


def _is_grid(lines: Sequence[Sequence[_Row]], side: int) -> bool:
    """Whether enough of as many lines as a grid has are rows of one."""
    rows = [next((row for row in found if _is_sound(row, side)), None) for found in lines]
    needed = min(_ENOUGH_ROWS, side - 1)
    return any(
        row is not None and _fitting(rows[at : at + side], side) >= needed
        for at, row in enumerate(rows)
    )


def _rows_in(line: str) -> list[_Row]:
    """The cells that a line may have, by each way to separate them."""
    return [cells for cells in _ways(line) if len(cells) in ALL_GEOMETRIES]


def _ways(line: str) -> Iterator[_Row]:
    body = line.strip().rstrip(",").strip(_AROUND)
    if _FIELD.search(body):  # a comma at the end is before an empty field, or between rows
        yield [field.strip(_AROUND) for field in _FIELD.split(line.strip("[] \r\n"))]
        yield [field.strip(_AROUND) for field in _FIELD.split(body)]
        return
    words = body.replace("|", " ").split()
    yield words
    if len({*map(len, words)}) == 1:
        yield "".join(words)


def _is_sound(row: _Row, side: int) -> bool:
    """Whether the cells are values and one kind of blank, and no value is there twice.

    It is this that tells rows from years and dates, and from other numbers.
    """
    if len(row) != side:
        return False
    values = [cell for cell in row if _is_value(cell, side)]
    blanks = {cell[:1] for cell in row if not _is_value(cell, side)}
    alike = all(cell == cell[:1] * len(cell) for cell in row if not _is_value(cell, side))
    one_kind = len(blanks) <= 1 or blanks == {EVEN, ODD}
    return alike and one_kind and blanks <= {"", *BLANKS} and len({*values}) == len(values)


def _is_value(cell: str, side: int) -> bool:
    if cell.isdigit():
        return bool(number_of(cell, side))
    return side > len(DIGITS) and len(cell) == 1 and cell in ascii_letters


def _fitting(rows: Sequence[_Row | None], side: int) -> int:
    """How many of these rows have no value twice in a column; 0 if they have too few values."""
    seen: set[tuple[int, str]] = set()
    count = 0
    for row in rows:
        if row is None:
            continue
        given = {(column, cell) for column, cell in enumerate(row) if _is_value(cell, side)}
        if seen.isdisjoint(given):
            seen |= given
            count += 1
    return count if _is_varied((value for _, value in seen), side) else 0
