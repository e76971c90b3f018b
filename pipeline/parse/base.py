"""Format: what a module of this package offers for each notation it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pipeline.parse.text import Text
from pipeline.puzzle import Puzzle
from pipeline.settings import VariantChoice

Variant = Literal["classic", "even-odd"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A puzzle and how it was read: the format's name, why that format, the variant."""

    puzzle: Puzzle
    format: str
    reason: str
    variant: Variant


@dataclass(frozen=True, slots=True)
class Format:
    """One notation.

    `recognise` says why a text is of this format, or None. `parse` reads it, or raises
    InvalidPuzzle. `render` writes a puzzle, or a filled one, so that `parse` gives it back;
    it raises ValueError for a puzzle that the notation has no signs for.
    """

    name: str
    recognise: Callable[[Text], str | None]
    parse: Callable[[Text, VariantChoice], tuple[Puzzle, Variant]]
    render: Callable[[Puzzle], str]
