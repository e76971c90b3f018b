"""Variants: a file of puzzles with rules, one a line, each in a notation of one line.

    3x3::k:1280:1280:6914:…
    SumoCueV1=0J0=8J0+1J0…
    .Thermo~R9C4~R8C3~R7C2.~R1C2_4

The notations may differ from line to line.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from pipeline.reading.formats.base import Entry, Format, Head, ManyFormat, Piece
from pipeline.reading.formats.fpuzzles import FPUZZLES
from pipeline.reading.formats.iss import ISS, texts_in
from pipeline.reading.formats.jigsaw import JIGSAW
from pipeline.reading.formats.killers import ARROWS, KILLER, SUMOCUE
from pipeline.reading.formats.records import Reader, cut_lines, is_too_long, text_of
from pipeline.reading.formats.solo import SOLO
from pipeline.reading.formats.text import NEWLINE, Line, Text, says_something

ONE_LINE: Final[tuple[Format, ...]] = (
    KILLER,
    ARROWS,
    JIGSAW,
    SUMOCUE,
    SOLO,
    FPUZZLES,
    ISS,
)
"""The notations of puzzles with rules that take one line, in the order in which they are tried."""

_MOST_LOOKED_AT = 100


def recognise_variants(head: Head) -> tuple[None, str] | None:
    if head.is_single:
        return None
    if head.declared:
        return None, "it is declared"
    lines = [*islice(head.lines, _MOST_LOOKED_AT)]
    begins = lines and ISS.begins and ISS.begins.match(lines[0])
    if begins and not any(map(_is_no_constraint, lines)):
        found = texts_in(head.lines) == "many"
        return (None, "every line is a text of constraints") if found else None
    known = sum(map(_is_variant, lines))
    if known * 2 > len(lines) >= head.least:
        return None, "most lines are puzzles with rules"
    return None


def _is_variant(line: str) -> bool:
    """Whether a line is in one of the notations, and begins with the words that it may have."""
    text = Text("", (Line.of_text(1, line),), line.encode(errors="replace"))
    return any(
        known.recognise(text) is not None and (not known.begins or known.begins.match(line))
        for known in ONE_LINE
    )


def count_variants(texts: Iterable[str]) -> int:
    """How many of these are puzzles with rules in a line."""
    return sum(map(_is_variant, texts))


def _is_no_constraint(line: str) -> bool:
    """Whether a line is a puzzle, but not a text of constraints."""
    return not (ISS.begins and ISS.begins.match(line)) and _is_variant(line)


def entries_of_variants(piece: Piece, _layout: None, reader: Reader) -> list[Entry]:
    lines = NEWLINE.split(text_of(piece.data, piece.first_line))
    return [
        reader.too_long(number, line) if is_too_long(line) else reader.read(line, (number,))
        for number, line in enumerate(lines, piece.first_line)
        if says_something(line)
    ]


VARIANTS = ManyFormat("variants", recognise_variants, cut_lines, entries_of_variants, is_ruled=True)
