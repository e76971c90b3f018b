"""iss: the constraint texts of the Interactive Sudoku Solver.

    .Thermo~R9C4~R8C3~R7C2.~R1C2_4~R2C5_1_2
    https://sigh.github.io/Interactive-Sudoku-Solver/?q=.Thermo~R9C4~R8C3

Each constraint is a dot, its type and its arguments; one without a type tells values of cells.
Rows and columns are single signs, 1-9 and a-g. White space means nothing. A type that is not
known is refused by its name. Sides are 4 to 16.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Literal

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.base import MOST_LOOKED_AT, Format
from pipeline.reading.formats.iss.phrases import Phrase, phrases_of
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.ruled import given_masks, variant_of
from pipeline.reading.formats.text import Text, TextLine
from pipeline.settings import Reading

_TYPES = r"(?:[XV]|NFA)\s*~|[A-Z][A-Za-z]*[a-z]"
_QUERY = r"\s*https?://[^\s?#]*\?(?:[^\s&#]*&)*q="
_BEGINS = re.compile(rf"(?:{_QUERY}(?:\+|%20|%0[AD])*)?\s*\.(?:\s*\.)*\s*(?:~|{_TYPES})", re.ASCII)
_LINK = re.compile(_QUERY)
_ESCAPE = re.compile(r"%([\da-f]{2})", re.ASCII | re.IGNORECASE)
_SHAPE = re.compile(r"\.\s*Shape\s*~")
_VALUES = re.compile(r"\s*\.\s*(?:Given\s*)?~")
_SIZE = re.compile(r"([1-9]\d?)x([1-9]\d?)", re.ASCII)
_FEWEST_GIVENS = 17
"""No classic with fewer has a single solution (McGuire, Tugemann and Civario, 2012)."""

_ENOUGH = 400
"""Characters that are looked at: no type is so long."""

USUAL_TIES = "only-unclued"


def recognise_iss(text: Text) -> str | None:
    """Recognise a type or a tilde after a dot: no grid has either, even one with letters."""
    begun = "\n".join(line.text[:_ENOUGH] for line in text.lines[:_ENOUGH])
    return "it begins as a constraint, '.Type~'" if _BEGINS.match(begun) else None


def texts_in(lines: Sequence[str]) -> Literal["one", "many", "either"]:
    """Whether lines are one text, or many, one a line, or may be either.

    A line may be a text of its own if it has several constraints, or the values of 17 cells.
    Such lines are many if they cannot be one text: two have a shape, they contradict each other
    in a value, or they can be read one by one, but not together. Links are always many.
    """
    if len(lines) < 2:
        return "one"
    if any(map(_LINK.match, lines)):
        return "many"
    puzzles = [_read_alone(line) for line in lines]
    apart = sum(bool(_SHAPE.search(line)) for line in lines) > 1 or _differ(puzzles)
    if not all(map(_may_be_whole, lines)):
        return "either" if apart else "one"
    if apart:
        return "many"
    if _read_alone(" ".join(lines)) is None:
        return "either" if None in puzzles else "many"
    return "one" if None in puzzles else "either"


def _may_be_whole(line: str) -> bool:
    """Whether a line is more than a part of a text, which is often written line by line."""
    if _BEGINS.match(line) is None:
        return False
    only_values = _VALUES.match(line) is not None and line.count("~") >= _FEWEST_GIVENS
    return line.count(".") > 1 or only_values


def _read_alone(line: str) -> Puzzle | None:
    """The puzzle of a line, if it can be read by itself."""
    try:
        return _puzzle_in(Text("", (TextLine.of_text(1, line),), b"")).puzzle
    except InvalidPuzzle:
        return None


def _differ(puzzles: Sequence[Puzzle | None]) -> bool:
    """Whether puzzles of one geometry leave a cell no value that all of them allow."""
    found = [puzzle for puzzle in puzzles if puzzle]
    return any(
        not reduce(and_, masks)
        for geometry in {puzzle.geometry for puzzle in found}
        for masks in zip(*(each.cells for each in found if each.geometry == geometry), strict=True)
        if all(masks)
    )


def parse_iss(text: Text, reading: Reading) -> Parsed:
    lines = [line.text for line in text.rows[:MOST_LOOKED_AT]]
    texts = "one" if reading.format == "iss" else texts_in(lines)
    if texts == "either":
        expected = (
            "--format iss for one puzzle in several lines, or --format variants for one a line"
        )
        raise text.error(None, None, expected, f"{len(text.lines)} ambiguous lines")
    if texts == "many":
        text.single_line()
    return _puzzle_in(_without_link(text))


def _without_link(text: Text) -> Text:
    """The text in a link, each sign at its place: what stands for nothing becomes a space."""
    link = _LINK.match(text.lines[0].text)
    if link is None:
        return text
    line = text.single_line()
    query = re.split(r"[&#]", line.text[link.end() :])[0].replace("+", " ")
    said = _ESCAPE.sub(lambda escape: f"{chr(int(escape[1], 16))}  ", query)
    return replace(text, lines=(TextLine.of_text(line.number, " " * link.end() + said),))


def _puzzle_in(text: Text) -> Parsed:
    """The puzzle of a text, with its rules. Raises InvalidPuzzle."""
    # rules take a while to load
    from pipeline.reading.formats.iss.groups import grouped, replicated  # noqa: PLC0415
    from pipeline.reading.formats.iss.layout import layout_of  # noqa: PLC0415
    from pipeline.reading.formats.iss.rules import RulesRead, check_groups  # noqa: PLC0415
    from pipeline.reading.formats.iss.types import KNOWN  # noqa: PLC0415

    every = phrases_of(text)
    for phrase in every:
        if phrase.type.text not in KNOWN:
            raise phrase.wrong(phrase.type, "rules that are known")
    if not every:
        raise text.at_end("a constraint, such as '.~R1C1_5'", "none")
    items = grouped(every)
    phrases = [item for item in items if isinstance(item, Phrase)]
    layout = layout_of(phrases)
    geometry, pieces = layout.geometry, layout.pieces
    for phrase in every:
        phrase.geometry = geometry
    ties, sized = _ties(phrases), any(_of(phrases, "RegionSize"))
    others = {*range(geometry.inner)}.difference(*pieces)
    around = (*pieces, tuple(others)) if pieces and others else pieces
    for phrase in every:
        phrase.regions = () if pieces or sized else layout.boxes
        phrase.ties = ties if ties == USUAL_TIES else None
    for phrase in phrases:
        phrase.regions = () if pieces and layout.boxes else layout.boxes or around
        phrase.ties = ties
    check_groups(items)
    read = RulesRead.of(replicated(items))
    rules = [*layout.rules, *read.with_strict(phrases)]
    for phrase in phrases:
        phrase.check_ended()
    cells, contradicting = given_masks(geometry, read.given)
    puzzle = Puzzle(geometry, cells, (*rules, *contradicting))
    return Parsed(puzzle, variant=variant_of(puzzle))


def _of(phrases: Sequence[Phrase], *types: str) -> Iterator[Phrase]:
    """The phrases of some types."""
    return (phrase for phrase in phrases if phrase.type.text in types)


def _ties(phrases: Sequence[Phrase]) -> str:
    """Which ties the last `.FullRankTies` allows."""
    from pipeline.reading.formats.iss.readers import ties_of  # noqa: PLC0415 - as above

    said = USUAL_TIES
    for phrase in _of(phrases, "FullRankTies"):
        said = ties_of(replace(phrase))
    return said


def render_iss(puzzle: Puzzle, _notation: str) -> str:
    """Write all constraints in one line, the shape first: so many lines are many texts.

    Raises ValueError with a noun for what they cannot say.
    """
    from pipeline.reading.formats.iss.writing import constraints  # noqa: PLC0415 - as above

    return f"{constraints(puzzle)}\n"


ISS = Format("iss", recognise_iss, parse_iss, render_iss, begins=_BEGINS)
