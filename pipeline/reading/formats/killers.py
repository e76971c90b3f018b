"""Killers in one line: numbers that name sum and cage, or arrows towards the sum.

    3x3::k:1280:1280:6914:…    sum · 256 + number of the cage; a sum of 0: no cage
    G<<L<K<L<^G>^>^E…          steps to the sum: 0-9, A-Z = 10-35, a-j = 36-45; 0 is no sum

`3x3:d:k:` has diagonals. The arrows are `<>^v`, and of the steps aslant ` leads up and to the left,
' up and to the right, a comma down and to the left, a full stop down and to the right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase, digits

from pipeline.errors import counted
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import Format, Found
from pipeline.reading.formats.cells import NINE
from pipeline.reading.formats.ruled import cages_of, diagonals, single_line, words_of
from pipeline.reading.formats.text import Text, Word, quote
from pipeline.settings import Reading

_CELLS = NINE.size


_HEADER = re.compile(r"\s*3x3:(d?):k:")
_CUT_OFF = re.compile(r"\s*3x3:d?(?::k?)?\s*")
_NUMBERS = re.compile(r"[^:]+:?|:")
_NUMBER = re.compile(r"[0-9]{1,5}:")


def recognise_killer(text: Text) -> str | None:
    first = text.lines[0].text
    begins = _HEADER.match(first) or _CUT_OFF.fullmatch(first)
    return f"it begins with {quote(begins[0].strip())}" if begins else None


def parse_killer(text: Text, _reading: Reading) -> Found:
    line = single_line(text)
    header = _HEADER.match(line.text)
    if not header:
        raise text.at_line(line, "'3x3::k:' or '3x3:d:k:' and 81 numbers")
    members: dict[int, list[int]] = {}
    sums: dict[int, int] = {}
    words = words_of(line, _NUMBERS, header.end())
    for cell, word in enumerate(words):
        if cell == _CELLS:
            raise text.at_word(word, "the end after 81 numbers")
        if not _NUMBER.fullmatch(word.text):
            cut_off = word is words[-1] and word.text.isdigit()
            raise text.at_word(word, "a number and a colon", truncated=cut_off)
        total, cage = divmod(int(word.text[:-1]), 256)
        if total and sums.setdefault(cage, total) != total:
            raise text.at_word(word, f"the sum {sums[cage]} of the other cells of cage {cage}")
        if total:
            members.setdefault(cage, []).append(cell)
    if len(words) < _CELLS:
        raise text.at_end("81 numbers, each with a colon", counted(len(words), "number"))
    cages = cages_of(members, sums)
    if not cages:
        raise text.at_line(line, "a cage: a number of 256 or more", "none", may_go_on=False)
    return Found(Puzzle.empty(NINE, (*(diagonals() if header[1] else ()), *cages)), "rules")


KILLER = Format("killer", recognise_killer, parse_killer, begins=_HEADER)


_STEPS = {
    "<": (0, -1),
    ">": (0, 1),
    "^": (-1, 0),
    "v": (1, 0),
    "`": (-1, -1),
    "'": (-1, 1),
    ",": (1, -1),
    ".": (1, 1),
}
_SUMS = {sign: value for value, sign in enumerate(digits + ascii_uppercase + ascii_lowercase[:10])}
_ARROW_SIGNS = frozenset(_STEPS) | frozenset(_SUMS)
_ARROWS_BEGIN = re.compile(r"\s*(?=(?:[^\s<>^v]*[<>^v]){10})[0-9A-Za-jv<>^`',.]{40}")
_FEWEST_STEPS = 27
"""No killer has more cages than that has fewer steps, by far."""


def recognise_arrows(text: Text) -> str | None:
    signs = text.lines[0].text.strip()
    if len(text.lines) > 1 or len(signs) > 2 * _CELLS:
        return None
    steps = sum(sign in "<>^v" for sign in signs)
    known = sum(sign in _ARROW_SIGNS for sign in signs)
    begun = steps > 0 and known == len(signs) <= _CELLS
    if begun or (steps >= _FEWEST_STEPS and known * 8 >= len(signs) * 7):
        return f"one line of {counted(len(signs), 'sign')}, many of them arrows"
    return None


def parse_arrows(text: Text, _reading: Reading) -> Found:
    line = single_line(text)
    words = words_of(line, _SIGN, len(line.text) - len(line.text.lstrip()))
    for word in words:
        if word.text not in _ARROW_SIGNS:
            expected = "a step, one of <>^v`',. or a sum, one of 0-9, A-Z, a-j"
            raise text.at_word(word, expected)
    if len(words) != _CELLS:
        may_go_on, found = len(words) < _CELLS, counted(len(words), "sign")
        at = len(line.text.rstrip()) + 1
        raise text.error(line.number, at, "81 signs", found, truncated=may_go_on)
    members: dict[int, list[int]] = {}
    for cell in range(_CELLS):
        members.setdefault(_end_of(cell, text, words), []).append(cell)
    sums = {end: _SUMS[words[end].text] for end in members}
    cages = cages_of(members, sums)
    if not cages:
        raise text.at_line(line, "a cage: a step or a sum", "none", may_go_on=False)
    return Found(Puzzle.empty(NINE, tuple(cages)), "rules")


def _end_of(start: int, text: Text, words: Sequence[Word]) -> int:
    """The cell of the sum to which the steps from a cell lead."""
    cell = start
    for _ in words:
        step = _STEPS.get(words[cell].text)
        if step is None:
            return cell
        row, column = NINE.place(cell)
        following = NINE.cell_at(row + step[0], column + step[1])
        if following is None:
            raise text.at_word(words[cell], "a step to another cell")
        cell = following
    raise text.at_word(words[start], "steps that lead to a sum, not in a circle")


_SIGN = re.compile(r".")
ARROWS = Format("killer-arrows", recognise_arrows, parse_arrows, begins=_ARROWS_BEGIN)
