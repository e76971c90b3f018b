"""ISS: the constraint strings of the Interactive Sudoku Solver.

    .Thermo~R9C4~R8C3~R7C2.~R1C2_4~R2C5_1_2
    https://sigh.github.io/Interactive-Sudoku-Solver/?q=.Thermo~R9C4~R8C3

A constraint is a dot, its type and its arguments; without a type, it lists the values of cells.
Rows and columns are single characters, 1-9 and a-g. White space is ignored. Unknown types are
errors. Grids have at most 16 rows, columns and values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from operator import and_
from typing import TYPE_CHECKING, Literal

from pipeline.errors import InvalidPuzzle, LimitReached, SlowPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.around import unread_lines
from pipeline.reading.formats.base import MAX_LINES_EXAMINED, Format
from pipeline.reading.formats.parsed import Parsed
from pipeline.reading.formats.text import Text, TextLine
from pipeline.reading.formats.variants import given_masks, variant_of
from pipeline.settings import Reading

if TYPE_CHECKING:
    from pipeline.reading.formats.iss.grid_layout import GridLayout
    from pipeline.reading.formats.iss.groups import GroupItem
    from pipeline.reading.formats.iss.phrases import Phrase

_TYPES = r"(?:[XV]|NFA)\s*~|[A-Z][A-Za-z]*[a-z]"
_QUERY = r"\s*https?://[^\s?#]*\?(?:[^\s&#]*&)*q="
_BEGINS = re.compile(rf"(?:{_QUERY}(?:\+|%20|%0[AD])*)?\s*\.(?:\s*\.)*\s*(?:~|{_TYPES})", re.ASCII)
_LINK = re.compile(_QUERY)
_ESCAPE = re.compile(r"%([\da-f]{2})", re.ASCII | re.IGNORECASE)
_SHAPE = re.compile(r"\.\s*Shape\s*~")
_GROUP_MARK = re.compile(r"\.\s*(Or|And|Replicate|End)\s*(?=[.~]|$)")
"""The beginning or the end of a group of constraints."""

_VALUES = re.compile(r"\s*\.\s*(?:Given\s*)?~")
_FEWEST_GIVENS = 17
"""Minimum number of givens of a unique classic puzzle (McGuire, Tugemann and Civario, 2012)."""

_MAX_HEAD = 400
"""Maximum number of lines that recognition inspects, and of characters of each line."""


def recognise_iss(text: Text) -> str | None:
    """Return the reason to read a text as ISS, or None.

    A dot, followed by a type or a tilde, does not occur in grids, even in grids of letters.
    """
    head = "\n".join(line.text[:_MAX_HEAD] for line in text.lines[:_MAX_HEAD])
    return "it begins with a constraint, '.Type~'" if _BEGINS.match(head) else None


def one_or_many(lines: Sequence[str]) -> Literal["one", "many", "either"]:
    """Whether lines are one constraint string, one per line, or ambiguous.

    A line may be a whole constraint string if it has several constraints, or the values of 17
    cells. Such lines are read separately if they cannot be joined: two of them have a shape, their
    values conflict, or each line can be read alone, but not all of them together. Links are always
    separate. Lines are joined if a group of constraints begins in one line and ends in another,
    unless two lines have a shape.
    """
    if len(lines) > 1 and any(map(_LINK.match, lines)):
        return "many"
    several_shapes = sum(bool(_SHAPE.search(line)) for line in lines) > 1
    if len(lines) < 2 or (not several_shapes and _have_common_group(lines)):
        return "one"
    given = [*map(_given_in, lines)]
    apart = several_shapes or _values_conflict(given)
    if not all(map(_may_be_whole, lines)):
        return "either" if apart else "one"
    if apart:
        return "many"
    is_one, are_many = _given_in(" ".join(lines)) is not None, None not in given
    if is_one == are_many:
        return "either"
    return "one" if is_one else "many"


def _have_common_group(lines: Sequence[str]) -> bool:
    """Whether a group of constraints begins in one line and ends in another, and all groups end."""
    depth, is_common = 0, False
    for line in lines:
        is_common |= depth > 0
        for match in _GROUP_MARK.finditer(line):
            depth += -1 if match[1] == "End" else 1
            if depth < 0:
                return False
    return is_common and depth == 0


def _may_be_whole(line: str) -> bool:
    """Whether a line may be a whole constraint string instead of a part of one."""
    if _BEGINS.match(line) is None:
        return False
    only_values = _VALUES.match(line) is not None and line.count("~") >= _FEWEST_GIVENS
    return line.count(".") > 1 or only_values


def _given_in(line: str) -> tuple[Geometry, tuple[int, ...]] | None:
    """The geometry of a line and the masks of its cells; None if it is invalid.

    Arguments of rules are only checked for cells outside the grid.
    """
    from pipeline.reading.formats.iss.parsing import ENCODED, GIVEN, given_in  # noqa: PLC0415
    from pipeline.reading.formats.iss.phrases import Arguments, Context  # noqa: PLC0415 - as below

    try:
        every, _, layout = _phrases_in(Text("", (TextLine.of_text(1, line),), b""))
        context = Context(layout.geometry)
        names = (word.text for phrase in every for word in phrase.words[phrase.name in ENCODED :])
        if any(map(context.lacks, names)):
            return None
        args = (Arguments(phrase, context) for phrase in layout.phrases if phrase.name in GIVEN)
        masks, _ = given_masks(context.geometry, chain.from_iterable(map(given_in, args)))
    except (InvalidPuzzle, LimitReached):
        return None
    return context.geometry, masks


def _values_conflict(given: Sequence[tuple[Geometry, tuple[int, ...]] | None]) -> bool:
    """Whether the masks of lines with the same geometry leave a cell without a candidate."""
    grids = [grid for grid in given if grid]
    return any(
        not reduce(and_, masks)
        for geometry in {geometry for geometry, _ in grids}
        for masks in zip(*(masks for other, masks in grids if other == geometry), strict=True)
    )


def parse_iss(text: Text, reading: Reading) -> Parsed:
    lines = [line.text for line in text.rows[:MAX_LINES_EXAMINED]]
    texts = "one" if reading.format == "iss" else one_or_many(lines)
    if texts == "either":
        expected = (
            "--format iss for one puzzle in several lines, or --format variants for one per line"
        )
        found = f"{len(text.lines)} ambiguous lines"
        raise text.error(None, None, expected, found, code="ambiguous")
    if texts == "many":
        text.single_line()
    return _puzzle_in(_without_link(text), reading.steps)


def _without_link(text: Text) -> Text:
    """Replace a link by its constraint string, padded with spaces so that columns are preserved."""
    link = _LINK.match(text.lines[0].text)
    if link is None:
        return text
    line = text.single_line()
    query = re.split(r"[&#]", line.text[link.end() :])[0].replace("+", " ")
    decoded = _ESCAPE.sub(lambda escape: f"{chr(int(escape[1], 16))}  ", query)
    return replace(text, lines=(TextLine.of_text(line.number, " " * link.end() + decoded),))


def _phrases_in(text: Text) -> tuple[Sequence[Phrase], Sequence[GroupItem], GridLayout]:
    """All phrases of a text, its items (phrases and groups of phrases), and its layout."""
    # imported here, because the modules of rules take long to load
    from pipeline.reading.formats.iss.grid_layout import layout_of  # noqa: PLC0415
    from pipeline.reading.formats.iss.groups import group_phrases  # noqa: PLC0415
    from pipeline.reading.formats.iss.parsing import KNOWN_TYPES  # noqa: PLC0415
    from pipeline.reading.formats.iss.phrases import Phrase, phrases_of  # noqa: PLC0415

    every = phrases_of(text)
    for phrase in every:
        if phrase.name not in KNOWN_TYPES:
            raise phrase.text.at_word(phrase.type, "a known constraint", code="unknown-rule")
    if not every:
        raise text.at_end("a constraint, such as '.~R1C1_5'", "none")
    items = group_phrases(every)
    return every, items, layout_of([item for item in items if isinstance(item, Phrase)])


def _puzzle_in(text: Text, steps: int) -> Parsed:
    """Parse a constraint string. Raises InvalidPuzzle."""
    from pipeline.reading.formats.iss.groups import expand_replicas  # noqa: PLC0415 - as above
    from pipeline.reading.formats.iss.machines import MachineReader  # noqa: PLC0415
    from pipeline.reading.formats.iss.parsing import ParsedConstraints, check_groups  # noqa: PLC0415

    _, items, layout = _phrases_in(text)
    context, inner = layout.contexts(MachineReader(steps))
    check_groups(items)
    try:
        parsed = ParsedConstraints.of(expand_replicas(items, context), context, inner)
    except LimitReached:
        expected = f"constraints that take at most {steps:,} steps to read; raise --timeout"
        raise SlowPuzzle(text.source, None, None, expected, "more", code="too-large") from None
    rules = [*layout.rules, *parsed.with_strict(layout.phrases, layout.geometry)]
    cells, contradicting = given_masks(layout.geometry, parsed.given)
    puzzle = Puzzle(layout.geometry, cells, (*rules, *contradicting))
    return Parsed(puzzle, variant=variant_of(puzzle), unread=unread_lines(context.unread))


def render_iss(puzzle: Puzzle, _notation: str) -> str:
    """Write a puzzle as a constraint string in one line, which begins with its shape.

    Such lines are read as separate puzzles. Raises ValueError with a noun phrase for
    the first property that ISS cannot express.
    """
    from pipeline.reading.formats.iss.writing import constraint_string  # noqa: PLC0415 - as above

    return f"{constraint_string(puzzle)}\n"


ISS = Format("iss", recognise_iss, parse_iss, render_iss, begins=_BEGINS)
