"""The format `characters`: 16 rows of 16 or 25 rows of 25 characters, or all cells in one line.

The same row in three alphabets:

    .2..5..89.B..E..     0-F, where 0 is the smallest value
    .3..6..9A.C..F..     1-G
    .C..F..IJ.L..O..     A-P

A file does not state its alphabet, so the characters in it decide. A `G` excludes 0-F, a digit
excludes A-P, and a 0 in a puzzle with another blank excludes all alphabets except 0-F. If several
alphabets fit, the user must declare one. Upper and lower case must not be mixed. Spaces, commas,
bars and border lines may separate the cells and rows, as in grids.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from string import ascii_letters

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.alphabets import Alphabet, letters
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import (
    ALPHABET_NAMES,
    ALPHABETS,
    BLANKS,
    EVEN,
    LARGER_GEOMETRIES,
    LINE_SUFFIX,
    ODD,
    SIDES,
    shape_in_words,
    split_into_rows,
    text_in_lines,
    written_cells,
)
from pipeline.reading.formats.frames import (
    Frame,
    frame_of_cells,
    frame_of_line,
    puzzle_of_frame,
)
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, decode_text, join_with_or
from pipeline.settings import Reading

_BLANKS = frozenset(BLANKS)

_LETTERS = frozenset(ascii_letters) - _BLANKS
"""The letters that are not blanks."""

_MARKDOWN = re.compile(r"\s*+\|(?:\s*+:?-++:?\s*+\|)++\s*+")
"""The line below the header of a Markdown table."""

_CHARACTERS_OF_4X4 = frozenset("1234") | _BLANKS
"""The characters of cells of 4×4 puzzles."""


def recognise_characters(text: Text) -> str | None:
    rows = text.rows
    lengths = [len(row.cells) for row in rows]
    if len(rows) == 1 and SIDES.get(lengths[0]) in LARGER_GEOMETRIES:
        return f"one line of {lengths[0]} characters"
    side = lengths[0] if lengths else 0
    if side not in LARGER_GEOMETRIES or 2 * lengths.count(side) < len(rows):
        return None
    is_whole = len(rows) == side == lengths.count(side)
    if is_whole or _may_have_side_4_or_16(rows):
        return None if _are_even_odd_of_side_4(rows) else f"{len(rows)} rows of {side} characters"
    may_be_damaged = 1 < len(rows) <= 2 * side and not rows[0].text.lstrip().startswith("c")
    if may_be_damaged and _MARKDOWN.fullmatch(rows[1].text):
        return None
    if may_be_damaged and (side == 25 or not _LETTERS.isdisjoint(_cells(rows))):
        return f"rows of {side} characters"
    return None


def parse_characters(text: Text, reading: Reading) -> Parsed:
    names = [name for name in ALPHABETS if reading.alphabet in ("auto", name.upper())]
    sides = sorted({len(ALPHABETS[name]) for name in names})
    rows = text.rows
    if reading.format == "auto" and _may_have_side_4_or_16(rows):
        expected = (
            f"--format lines for {len(rows)} puzzles of 4×4, or --format stacked for "
            f"{len(rows) // 16} of 16×16"
        )
        raise text.error(
            None, None, expected, f"{len(rows)} ambiguous lines of 16 characters", code="ambiguous"
        )
    if is_one_line := len(rows) == 1 and len(rows[0].cells) > max(sides):
        expected = f"a line of {join_with_or(side * side for side in sides)} characters"
        frame = frame_of_line(text, rows[0], sides, expected, "character")
    else:
        frame = frame_of_cells(text, rows, sides, text.lines)
    if reading.variant == "even-odd":
        for word in frame.words():
            if word.text in (EVEN, ODD):
                expected = "a puzzle of letters without even or odd marks"
                raise text.at_word(word, expected, code="wrong-cell")
    alphabets = [
        letters(name) for name in names if frame.fault or len(ALPHABETS[name]) == frame.side
    ]
    choose = partial(_choose_alphabet, text, frame, reading)
    parsed = puzzle_of_frame(text, frame, lambda *_: alphabets, reading, choose)
    return replace(parsed, format=parsed.format + LINE_SUFFIX * is_one_line)


def _cells(rows: Sequence[TextLine]) -> str:
    return "".join(row.cells for row in rows)


def _may_have_side_4_or_16(rows: Sequence[TextLine]) -> bool:
    """Whether rows may be several 16×16 puzzles, or a 4×4 puzzle in each line."""
    are_full = len(rows) > 16 and len(rows) % 16 == 0 and all(len(row.cells) == 16 for row in rows)
    if not are_full or not _CHARACTERS_OF_4X4.issuperset(_cells(rows)):
        return False
    return not _are_even_odd_of_side_4(rows)


def _are_even_odd_of_side_4(rows: Sequence[TextLine]) -> bool:
    """Whether each row is an even/odd puzzle of 4×4."""
    characters = set(_cells(rows))
    return len(rows[0].cells) == 16 and {EVEN, ODD} <= characters <= _CHARACTERS_OF_4X4


def _choose_alphabet(
    text: Text, frame: Frame, reading: Reading, fitting_alphabets: Sequence[Alphabet]
) -> Alphabet:
    """Choose between the alphabets that fit. Raises InvalidPuzzle if several remain."""
    names = {alphabet.name for alphabet in fitting_alphabets}
    fitting_alphabets = [
        alphabet
        for alphabet in fitting_alphabets
        if alphabet.name.isupper() or alphabet.name.upper() not in names
    ]
    filled = [alphabet for alphabet in fitting_alphabets if _is_filled(frame, alphabet)]
    for remaining in (fitting_alphabets, filled):
        if len(remaining) == 1:
            return remaining[0]
    choice = f"--alphabet {join_with_or(alphabet.name.upper() for alphabet in fitting_alphabets)}"
    may_be_lines = len(text.rows) == 16 and _CHARACTERS_OF_4X4.issuperset(frame.tokens)
    if may_be_lines and reading.format == "auto":
        expected = f"--format lines for 16 puzzles of 4×4, or {choice} for one of 16×16"
        raise text.error(
            None, None, expected, "16 ambiguous lines of 16 characters", code="ambiguous"
        )
    expected = f"{choice} to name the alphabet"
    found = "ambiguous characters, which fit each of these alphabets"
    raise text.error(None, None, expected, found, code="ambiguous")


def _is_filled(frame: Frame, alphabet: Alphabet) -> bool:
    """Whether every row contains every value, as in a solution; then 0 is a value, not a blank."""
    return all(
        {*row} == alphabet.masks.keys() for row in split_into_rows([*frame.tokens], frame.side)
    )


def render_characters(puzzle: Puzzle, notation: str) -> str:
    """Write n lines of n characters, or one line, in the alphabet that the notation names.

    If it names none, as in `line` and "", use the first alphabet that can be read back without
    being declared. Raises ValueError if there is none, if the alphabet has another side, and for
    cells that are neither given nor blank.
    """
    is_one_line = notation == LINE_SUFFIX.strip()
    if notation and not is_one_line:
        return _render_in_alphabet(
            puzzle, notation.removesuffix(LINE_SUFFIX), is_one_line=LINE_SUFFIX in notation
        )
    for name in ALPHABET_NAMES:
        if puzzle.geometry == LARGER_GEOMETRIES[len(ALPHABETS[name])]:
            rendered = _render_in_alphabet(puzzle, name, is_one_line=is_one_line)
            try:
                parse_characters(decode_text(rendered.encode(), "puzzle"), Reading())
            except InvalidPuzzle:
                continue
            return rendered
    if puzzle.geometry not in LARGER_GEOMETRIES.values():
        raise ValueError(shape_in_words(puzzle.geometry))
    raise ValueError("this grid in letters, because they fit more than one alphabet")


def _render_in_alphabet(puzzle: Puzzle, name: str, *, is_one_line: bool = False) -> str:
    value_characters = ALPHABETS[name]
    n = len(value_characters)
    if puzzle.geometry != LARGER_GEOMETRIES[n]:
        raise ValueError(f"a grid in the alphabet {name} other than {n}×{n} with square boxes")
    return text_in_lines(
        "".join(written_cells(puzzle, value_characters, ".")), n * n if is_one_line else n
    )


CHARACTERS = Format(
    "characters", recognise_characters, parse_characters, render_characters, has_solutions=True
)
