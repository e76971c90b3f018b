"""Killers in one line, in three formats: killer, killer-arrows and sumocue.

    3x3::k:1280:1280:6914:…
    G<<L<K<L<^G>^>^E…
    SumoCueV1=0J0=8J0+1J0…

killer: each number is 256 · the sum of the cage + the number of the cage. A sum of 0 means that the
cell is in no cage. In `3x3:d:k:`, the diagonals are units.

killer-arrows: each cell is a sum or a step to a sum. Sums are 0-9, A-Z = 10-35 and a-j = 36-45; 0
means that the cage has no sum. Steps are the arrows `<>^v`. Four other characters are diagonal
steps: ` up and to the left, ' up and to the right, a comma down and to the left, a full stop down
and to the right.

sumocue: `=8` opens a cage of sum 8, and `+1` joins the cage that cell 1 opens; cells are numbered
from 0. A cage with the sum 0 has no sum, and a cage of one cell is a given. `J0` is the number of
the cell's region; a puzzle with regions has no boxes. In `SumoCueV1D`, the diagonals are units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

from pipeline.errors import InvalidPuzzle, counted
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.borders import boxes_of
from pipeline.reading.formats.cells import ALL_GEOMETRIES
from pipeline.reading.formats.jigsaws import JIGSAW_SIDES
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine, Word, quote
from pipeline.reading.formats.variants import (
    cages_of,
    diagonal_rules,
    first_misfit,
    groups_of,
    region_rules,
    variant_of,
    words_of,
)
from pipeline.settings import Reading

_CELL_COUNT = NINE_BY_NINE.size
_CHARACTER = re.compile(r".")


def _beginning_in_words(text: Text, *patterns: re.Pattern[str]) -> str | None:
    """The reason to choose a format whose texts begin with one of the patterns; else None."""
    first = text.lines[0].text
    match = next(filter(None, (pattern.match(first) for pattern in patterns)), None)
    return f"it begins with {quote(match[0].strip())}" if match else None


def _puzzle_of_cages(text: Text, line: TextLine, cages: Sequence[Rule], expected: str) -> Parsed:
    """A puzzle without givens that has these cages.

    Raises InvalidPuzzle, with the text `expected`, if `cages` is empty.
    """
    if not cages:
        raise text.at_line(line, expected, "no cage")
    return Parsed(Puzzle.empty(NINE_BY_NINE, tuple(cages)), variant="rules")


_HEADER = re.compile(r"\s*3x3:(d?):k:")
_CUT_OFF = re.compile(r"\s*3x3:d?(?::k?)?\s*\Z")
_TOKEN = re.compile(r"[^:]+:?|:")
_NUMBER = re.compile(r"[0-9]{1,5}:")


def recognise_killer(text: Text) -> str | None:
    return _beginning_in_words(text, _HEADER, _CUT_OFF)


def parse_killer(text: Text, _reading: Reading) -> Parsed:
    line = text.single_line()
    header = _HEADER.match(line.text)
    if not header:
        raise text.at_line(line, "'3x3::k:' or '3x3:d:k:' and 81 numbers")
    members: dict[int, list[int]] = {}
    sums: dict[int, int] = {}
    start = header.end()

    # only errors need words with their columns
    def error_at(cell: int, expected: str) -> InvalidPuzzle:
        return text.at_word(words_of(line, _TOKEN, start)[cell], expected)

    tokens = _TOKEN.findall(line.text.rstrip(), start)
    for cell, token in enumerate(tokens):
        if cell == _CELL_COUNT:
            raise error_at(cell, "the end after 81 numbers")
        if not _NUMBER.fullmatch(token):
            raise error_at(cell, "a number and a colon")
        total, cage = divmod(int(token[:-1]), 256)
        if total:
            if sums.setdefault(cage, total) != total:
                raise error_at(cell, f"the sum {sums[cage]} of the other cells of cage {cage}")
            members.setdefault(cage, []).append(cell)
    if len(tokens) < _CELL_COUNT:
        raise text.at_end("81 numbers, each with a colon", counted(len(tokens), "number"))
    cages = cages_of(members, sums)
    rules = [*diagonal_rules(), *cages] if header[1] and cages else cages
    return _puzzle_of_cages(text, line, rules, "a cage: a number of 256 or more")


KILLER = Format("killer", recognise_killer, parse_killer, begins=_HEADER)


STEPS = {
    "<": (0, -1),
    ">": (0, 1),
    "^": (-1, 0),
    "v": (1, 0),
    "`": (-1, -1),
    "'": (-1, 1),
    ",": (1, -1),
    ".": (1, 1),
}
_SUMS_BY_CHARACTER = {
    character: value
    for value, character in enumerate(digits + ascii_uppercase + ascii_lowercase[:10])
}
_ARROW_CHARACTERS = frozenset(STEPS) | frozenset(_SUMS_BY_CHARACTER)
_ARROWS_BEGIN = re.compile(r"\s*(?=(?:[^\s<>^v]*[<>^v]){10})[0-9A-Za-jv<>^`',.]{40}")
_MIN_STEPS = 27
"""Minimum number of steps in a killer: with fewer, it would have more than 54 cages."""


def recognise_arrows(text: Text) -> str | None:
    characters = text.lines[0].text.strip()
    if len(text.lines) > 1 or len(characters) > 2 * _CELL_COUNT:
        return None
    if not (steps := sum(map(characters.count, "<>^v"))):
        return None
    known = sum(character in _ARROW_CHARACTERS for character in characters)
    may_be_cut_off = known == len(characters) <= _CELL_COUNT
    if may_be_cut_off or (steps >= _MIN_STEPS and known * 8 >= len(characters) * 7):
        return f"one line of {counted(len(characters), 'character')}, many of them arrows"
    return None


def parse_arrows(text: Text, _reading: Reading) -> Parsed:
    line = text.single_line()
    words = words_of(line, _CHARACTER, len(line.text) - len(line.text.lstrip()))
    for word in words:
        if word.text not in _ARROW_CHARACTERS:
            expected = "a step, one of <>^v`',. or a sum, one of 0-9, A-Z, a-j"
            raise text.at_word(word, expected)
    if len(words) != _CELL_COUNT:
        raise text.at_end("81 characters", counted(len(words), "character"))
    ends = [end_of_steps(cell, text, words, NINE_BY_NINE) for cell in range(_CELL_COUNT)]
    members = {ends[cells[0]]: cells for cells in groups_of(ends)}
    sums = {end: _SUMS_BY_CHARACTER[words[end].text] for end in members}
    return _puzzle_of_cages(text, line, cages_of(members, sums), "a cage: a step or a sum")


def end_of_steps(start: int, text: Text, words: Sequence[Word], geometry: Geometry) -> int:
    """The cell of the sum to which the steps from cell `start` lead. Raises InvalidPuzzle."""
    cell = start
    for _ in words:
        step = STEPS.get(words[cell].text)
        if step is None:
            return cell
        row, column = geometry.place(cell)
        following = geometry.cell_at(row + step[0], column + step[1])
        if following is None:
            raise text.at_word(words[cell], "a step to another cell")
        cell = following
    raise text.at_word(words[start], "steps that lead to a sum, not in a circle")


ARROWS = Format("killer-arrows", recognise_arrows, parse_arrows, begins=_ARROWS_BEGIN)


_SUMOCUE_HEADER = re.compile(r"\s*SumoCueV1(D?)")
_SUMOCUE_BEGINS = re.compile(r"\s*SumoCue")
_SUMOCUE_TOKEN = re.compile(r"[=+][^=+]*|[^=+]+")
_SUMOCUE_PART = re.compile(r"([=+])([0-9]{1,4})(?:J([0-9]{1,3}))?")
_BOXES_BY_SIZE = {geometry.size: geometry for geometry in ALL_GEOMETRIES.values()}
_REGIONS_BY_SIZE = {side * side: Geometry(1, side) for side in JIGSAW_SIDES}


class _SumoCuePart(NamedTuple):
    """The part of a SumoCue text that describes one cell.

    - `number`: the sum of the cage if the part `opens_cage`, else a cell of the cage that it joins.
    - `region`: the number of the cell's region, or None.
    """

    word: Word
    opens_cage: bool
    number: int
    region: str | None


def recognise_sumocue(text: Text) -> str | None:
    return _beginning_in_words(text, _SUMOCUE_BEGINS)


def parse_sumocue(text: Text, reading: Reading) -> Parsed:
    line = text.single_line()
    header = _SUMOCUE_HEADER.match(line.text)
    if not header:
        raise text.at_line(line, "'SumoCueV1' or 'SumoCueV1D' and a part for each cell")
    parts = _sumocue_parts(text, words_of(line, _SUMOCUE_TOKEN, header.end()))
    regions = [part.region for part in parts if part.region is not None]
    geometry = (_REGIONS_BY_SIZE if regions else _BOXES_BY_SIZE).get(len(parts))
    if geometry is None:
        raise text.at_end("a part for each of 81 cells", counted(len(parts), "part"))
    if regions and (misfit := first_misfit(regions)):
        raise text.at_word(parts[misfit[0]].word, misfit[1])
    if not regions:
        geometry = boxes_of(text, (), geometry.side, reading)
    members: dict[int, list[int]] = {}
    for cell, part in enumerate(parts):
        opener = cell if part.opens_cage else part.number
        if opener >= len(parts) or not parts[opener].opens_cage:
            raise text.at_word(part.word, "the number of a cell that opens a cage, from 0")
        members.setdefault(opener, []).append(cell)
    sums = {cell: parts[cell].number for cell in members}
    values = [0] * len(parts)
    for cell in [first for first, cells in members.items() if len(cells) == 1]:
        if sums[cell] <= geometry.side:
            values[cell] = sums[cell]
            del members[cell]
    rules = [*region_rules(regions), *(diagonal_rules() if header[1] else ())]
    puzzle = Puzzle.of_values(geometry, values, (*rules, *cages_of(members, sums)))
    return Parsed(puzzle, variant=variant_of(puzzle))


def _sumocue_parts(text: Text, words: Sequence[Word]) -> list[_SumoCuePart]:
    """Read the parts. Raises InvalidPuzzle for an invalid part, and if only some have a region."""
    parts: list[_SumoCuePart] = []
    for word in words:
        match = _SUMOCUE_PART.fullmatch(word.text)
        has_regions = parts[0].region is not None if parts else None
        if match is None or has_regions not in (None, match[3] is not None):
            region = ", then 'J' and the number of its region" if has_regions else ""
            raise text.at_word(word, f"'=' and a sum or '+' and the number of a cell{region}")
        parts.append(_SumoCuePart(word, match[1] == "=", int(match[2]), match[3]))
    return parts


SUMOCUE = Format("sumocue", recognise_sumocue, parse_sumocue, begins=_SUMOCUE_BEGINS)
