"""Format: what a module of this package offers for each notation it reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pipeline.parse.text import Text
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

Variant = Literal["classic", "even-odd"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A puzzle and how it was read: the format's name, why that format, the variant.

    `format` is what `render_puzzle` takes to write in the same notation: where a format has
    several of them, that one's name follows the format's. `claimed` is the solution that stands
    beside the puzzle in one line, unchecked.
    """

    puzzle: Puzzle
    format: str
    reason: str
    variant: Variant
    claimed: str | None = None


class Found(NamedTuple):
    """What a format reads in a text; `notation` is "" where the format has but one."""

    puzzle: Puzzle
    variant: Variant = "classic"
    notation: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write puzzles down.

    `recognise` says why a text is of this format, or None. `parse` reads it, or raises
    InvalidPuzzle. `render` writes a puzzle, or a filled one, so that `parse` gives it back;
    it raises ValueError for a puzzle that the format has no signs for. `render_as` does so in
    one of several notations, which `parse` named; the filled ones always tell which they are in.
    `begins` matches the beginning of every text that has this format's own words or header, a
    damaged one too; there is none for formats that are nothing but rows.
    """

    name: str
    recognise: Callable[[Text], str | None]
    parse: Callable[[Text, Reading], Found]
    render: Callable[[Puzzle], str]
    render_as: Callable[[Puzzle, str], str] | None = None
    begins: re.Pattern[str] | None = None
