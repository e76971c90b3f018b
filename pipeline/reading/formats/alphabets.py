"""Alphabets: the value, or the set of values, of each token of a cell, and the tokens for blanks.

Each alphabet is for puzzles of one side length. A format has a function that returns its alphabets,
given the tokens, the side and the settings. If it returns several, the first that all tokens fit is
used, unless the format chooses another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import NamedTuple

from pipeline.puzzle.geometry import default_geometry
from pipeline.reading.formats.cells import ALPHABETS, BLANKS, DIGITS, EVEN, ODD, numbers_up_to
from pipeline.reading.formats.parsed import Variant
from pipeline.settings import Reading

_BLANKS = frozenset(BLANKS)


class Alphabet(NamedTuple):
    """The tokens that a puzzle may contain.

    - `masks`: token → mask of values.
    - `blanks`: the tokens for blanks; a puzzle must use the same one for all its blanks.
    - `expected`: completes "expected …"; `{}` is replaced by the names of the remaining alphabets.
    - `expected_in_range`: used instead of `expected` for a digit that is too large; not used if
      empty.
    - `fold`: maps all spellings of a token to one.
    """

    masks: Mapping[str, int]
    blanks: frozenset[str]
    expected: str
    expected_in_range: str = ""
    fold: Callable[[str], str] = str
    name: str = ""
    variant: Variant = "classic"

    def fits(self, tokens: Collection[str]) -> bool:
        """Whether all tokens are values or the same blank."""
        blanks = {*map(self.fold, tokens)}.difference(self.masks)
        return len(blanks) < 2 and blanks <= self.blanks

    def count_fitting(self, tokens: Collection[str], *, is_strict: bool) -> int:
        """Count the tokens before the first that does not fit.

        Unless `is_strict`, digits that are too large fit too, and blanks need not all be the same.
        """
        blank = None
        for index, token in enumerate(map(self.fold, tokens)):
            if token in self.masks or (not is_strict and self._is_digit_or_blank(token)):
                continue
            if token not in self.blanks or blank not in (None, token):
                return index
            blank = token
        return len(tokens)

    def _is_digit_or_blank(self, token: str) -> bool:
        return token in self.blanks or (bool(self.expected_in_range) and token in {*DIGITS})

    def masks_of(self, tokens: Sequence[str], blank_mask: int) -> tuple[int, ...]:
        """The mask of each token; all tokens must fit, and blanks have the `blank_mask`."""
        masks = {token: self.masks.get(self.fold(token), blank_mask) for token in {*tokens}}
        return tuple(map(masks.__getitem__, tokens))


AlphabetsFor = Callable[[Sequence[str], int, Reading], Sequence[Alphabet]]
"""A function (tokens, side, settings) → the alphabets of a format."""


@lru_cache
def _masks(value_tokens: Sequence[str]) -> Mapping[str, int]:
    """Map each token to its mask; the tokens are in the order of their values, from 1."""
    return {token: 1 << index for index, token in enumerate(value_tokens)}


def digits(tokens: Sequence[str], side: int, reading: Reading) -> Sequence[Alphabet]:
    """Digits and one kind of blank; if both `*` and `.` occur, they mark even and odd cells."""
    has_marks = reading.variant == "even-odd"
    if reading.variant == "auto":
        has_marks = EVEN in tokens and ODD in tokens
    masks, expected_in_range = _masks(DIGITS[:side]), f"a value from 1 to {side} or a blank"
    if has_marks:
        default = default_geometry(side)
        masks = {**masks, EVEN: default.even_values, ODD: default.odd_values}
        expected = f"a digit, '{EVEN}' or '{ODD}'"
        return [Alphabet(masks, frozenset(), expected, expected_in_range, variant="even-odd")]
    fold = str if reading.variant == "auto" else _star_to_dot
    return [Alphabet(masks, _BLANKS, "a digit or a blank", expected_in_range, fold)]


def _star_to_dot(token: str) -> str:
    """Replace `*` by `.`; in a puzzle declared as classic, both are the same blank."""
    return ODD if token == EVEN else token


def digits_or_letters(_tokens: Sequence[str], side: int, _reading: Reading) -> Sequence[Alphabet]:
    """Digits up to side 9, letters from A for larger sides, and one kind of blank; no marks."""
    value_characters = DIGITS[:side] if side <= len(DIGITS) else ascii_uppercase[:side]
    expected = f"one of {value_characters[0]} to {value_characters[-1]} or a blank"
    return [Alphabet(_masks(value_characters), frozenset(BLANKS.upper()), expected, fold=str.upper)]


def letters(name: str) -> Alphabet:
    """The alphabet with this name, for puzzles of 16×16 or 25×25 cells."""
    return Alphabet(
        _masks(ALPHABETS[name]),
        _BLANKS,
        "a character of {}, or one symbol for all blanks",
        name=name,
    )


def without_leading_zeros(token: str) -> str:
    """A number without leading zeros."""
    return token.lstrip("0") or token[:1]


def numbers(
    blanks: Collection[str], blank_wording: str, fold: Callable[[str], str] = without_leading_zeros
) -> AlphabetsFor:
    """Return a function for the alphabet of decimal numbers and `blanks`.

    Messages say "expected a number from 1 to n", followed by `blank_wording`.
    """

    def alphabets(_tokens: Sequence[str], side: int, _reading: Reading) -> Sequence[Alphabet]:
        masks, expected = (
            _masks(tuple(numbers_up_to(side))),
            f"a number from 1 to {side}{blank_wording}",
        )
        return [Alphabet(masks, frozenset(blanks), expected, fold=fold)]

    return alphabets
