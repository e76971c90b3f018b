"""Characters: 16 rows of 16, or 25 rows of 25, a character for each cell; or all in one line.

    .2..5..89.B..E..     as 0-F, where 0 is the least value
    .3..6..9A.C..F..     as 1-G
    .C..F..IJ.L..O..     as A-P

The same puzzle can be written in several alphabets, and nothing in a file says which. So the
characters that occur have to decide: of these three G excludes the first, a digit the last, and 0
beside another blank all but the first. If they fit several alphabets the user has to declare one;
it is never guessed. Capitals and small letters do not mix. Spaces, commas, bars and border lines
may stand between, as in grids.
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
    IN_LINE,
    LARGER_GEOMETRIES,
    ODD,
    SIDES,
    in_lines,
    in_rows,
    shape_in_words,
    written_cells,
)
from pipeline.reading.formats.frames import (
    Frame,
    frame_of_cells,
    frame_of_line,
    puzzle_of_frame,
)
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, decode_text, either
from pipeline.settings import Reading

_BLANKS = frozenset(BLANKS)
_LETTERS = frozenset(ascii_letters) - _BLANKS
_MARKDOWN = re.compile(r"\s*+\|(?:\s*+:?-++:?\s*+\|)++\s*+")
"""The line below the header of a Markdown table."""

_SMALL = frozenset("1234") | _BLANKS


def recognise_characters(text: Text) -> str | None:
    rows = text.rows
    lengths = [len(row.cells) for row in rows]
    if len(rows) == 1 and SIDES.get(lengths[0]) in LARGER_GEOMETRIES:
        return f"one line of {lengths[0]} characters"
    side = lengths[0] if lengths else 0
    if side not in LARGER_GEOMETRIES or 2 * lengths.count(side) < len(rows):
        return None
    whole = len(rows) == side == lengths.count(side)
    if whole or _may_be_either(rows):
        return None if _is_small_even_odd(rows) else f"{len(rows)} rows of {side} characters"
    begins = 1 < len(rows) <= 2 * side and not rows[0].text.lstrip().startswith("c")
    if begins and _MARKDOWN.fullmatch(rows[1].text):
        return None
    if begins and (side == 25 or not _LETTERS.isdisjoint(_cells(rows))):
        return f"rows of {side} characters"
    return None


def parse_characters(text: Text, reading: Reading) -> Parsed:
    names = [name for name in ALPHABETS if reading.alphabet in ("auto", name.upper())]
    sides = sorted({len(ALPHABETS[name]) for name in names})
    rows = text.rows
    if reading.format == "auto" and _may_be_either(rows):
        expected = (
            f"--format lines for {len(rows)} puzzles of 4×4, or --format stacked for "
            f"{len(rows) // 16} of 16×16"
        )
        raise text.error(
            None, None, expected, f"{len(rows)} ambiguous lines of 16 characters", code="ambiguous"
        )
    if in_line := len(rows) == 1 and len(rows[0].cells) > max(sides):
        expected = f"a line of {either(side * side for side in sides)} characters"
        frame = frame_of_line(text, rows[0], sides, expected, "character")
    else:
        frame = frame_of_cells(text, rows, sides, text.lines)
    if reading.variant == "even-odd":
        for word in frame.words():
            if word.text in (EVEN, ODD):
                raise text.at_word(word, "no even or odd cells beside letters", code="wrong-cell")
    alphabets = [
        letters(name) for name in names if frame.fault or len(ALPHABETS[name]) == frame.side
    ]
    choose = partial(_decided, text, frame, reading)
    parsed = puzzle_of_frame(text, frame, lambda *_: alphabets, reading, choose)
    return replace(parsed, format=parsed.format + IN_LINE * in_line)


def _cells(rows: Sequence[TextLine]) -> str:
    return "".join(row.cells for row in rows)


def _may_be_either(rows: Sequence[TextLine]) -> bool:
    """Whether these may be either several puzzles of 16×16, or puzzles of 4×4, one a line."""
    several = len(rows) > 16 and len(rows) % 16 == 0 and all(len(row.cells) == 16 for row in rows)
    return several and _SMALL.issuperset(_cells(rows)) and not _is_small_even_odd(rows)


def _is_small_even_odd(rows: Sequence[TextLine]) -> bool:
    """Whether these are even/odd puzzles of 4×4, one a line."""
    occurring = set(_cells(rows))
    return len(rows[0].cells) == 16 and {EVEN, ODD} <= occurring <= _SMALL


def _decided(text: Text, frame: Frame, reading: Reading, fitting: Sequence[Alphabet]) -> Alphabet:
    """Choose between the alphabets that fit. Raises InvalidPuzzle if several remain."""
    names = {alphabet.name for alphabet in fitting}
    fitting = [
        alphabet
        for alphabet in fitting
        if alphabet.name.isupper() or alphabet.name.upper() not in names
    ]
    filled = [alphabet for alphabet in fitting if _is_filled(frame, alphabet)]
    for decided in (fitting, filled):
        if len(decided) == 1:
            return decided[0]
    choice = f"--alphabet {either(alphabet.name.upper() for alphabet in fitting)}"
    is_sixteen = len(text.rows) == 16 and _SMALL.issuperset(frame.tokens)
    if is_sixteen and reading.format == "auto":
        expected = f"--format lines for 16 puzzles of 4×4, or {choice} for one of 16×16"
        raise text.error(
            None, None, expected, "16 ambiguous lines of 16 characters", code="ambiguous"
        )
    expected = f"{choice} to say what the characters mean"
    found = "ambiguous characters: they fit each of these"
    raise text.error(None, None, expected, found, code="ambiguous")


def _is_filled(frame: Frame, alphabet: Alphabet) -> bool:
    """Whether every row holds every value, as in a solution: then 0 is a sign, not a blank."""
    return all({*row} == alphabet.masks.keys() for row in in_rows([*frame.tokens], frame.side))


def render_characters(puzzle: Puzzle, notation: str) -> str:
    """Write n lines of n characters, or one line, in the alphabet that the notation names.

    By default that is the first one that the characters identify, also for the notation `line`.
    Raises ValueError without one, for a side other than the alphabet's, and for cells that allow
    neither one value nor all.
    """
    in_line = notation == IN_LINE.strip()
    if notation and not in_line:
        return _written(puzzle, notation.removesuffix(IN_LINE), in_line=IN_LINE in notation)
    for name in ALPHABET_NAMES:
        if puzzle.geometry == LARGER_GEOMETRIES[len(ALPHABETS[name])]:
            written = _written(puzzle, name, in_line=in_line)
            try:
                parse_characters(decode_text(written.encode(), "puzzle"), Reading())
            except InvalidPuzzle:
                continue
            return written
    if puzzle.geometry not in LARGER_GEOMETRIES.values():
        raise ValueError(shape_in_words(puzzle.geometry))
    raise ValueError("letters: no alphabet in which its characters would decide which it is")


def _written(puzzle: Puzzle, name: str, *, in_line: bool = False) -> str:
    signs = ALPHABETS[name]
    n = len(signs)
    if puzzle.geometry != LARGER_GEOMETRIES[n]:
        raise ValueError(f"other than {n}×{n} cells in square boxes in the alphabet {name}")
    return in_lines("".join(written_cells(puzzle, signs, ".")), n * n if in_line else n)


CHARACTERS = Format(
    "characters", recognise_characters, parse_characters, render_characters, has_solutions=True
)
