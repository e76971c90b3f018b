"""Alphabets: which value each token has, or that it is a blank.

Each alphabet is for one side. A format has a function that returns its alphabets, given the tokens,
the side and the settings. If it returns several, the tokens must decide.
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
    - `expected_in_range`: replaces `expected` for digits that are too large, unless empty.
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

        Unless `is_strict`, digits that are too large and different blanks fit too.
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

    def masks_of(self, tokens: Sequence[str], blank: int) -> tuple[int, ...]:
        """The mask of each token, all of which must fit; `blank` is the mask of blanks."""
        masks = {token: self.masks.get(self.fold(token), blank) for token in {*tokens}}
        return tuple(map(masks.__getitem__, tokens))


Alphabets = Callable[[Sequence[str], int, Reading], Sequence[Alphabet]]
"""(tokens, side, settings) → the alphabets of a format."""


@lru_cache
def _masks(signs: Sequence[str]) -> Mapping[str, int]:
    return {sign: 1 << index for index, sign in enumerate(signs)}


def digits(tokens: Sequence[str], side: int, reading: Reading) -> Sequence[Alphabet]:
    """Digits and one kind of blank; if both `*` and `.` occur, they mark even and odd cells."""
    are_marks = reading.variant == "even-odd"
    if reading.variant == "auto":
        are_marks = EVEN in tokens and ODD in tokens
    masks, expected_in_range = _masks(DIGITS[:side]), f"a value from 1 to {side} or a blank"
    if are_marks:
        usual = default_geometry(side)
        masks = {**masks, EVEN: usual.even_values, ODD: usual.odd_values}
        expected = f"a digit, '{EVEN}' or '{ODD}'"
        return [Alphabet(masks, frozenset(), expected, expected_in_range, variant="even-odd")]
    fold = str if reading.variant == "auto" else _without_marks
    return [Alphabet(masks, _BLANKS, "a digit or a blank", expected_in_range, fold)]


def _without_marks(token: str) -> str:
    """The token, with `.` for `*`: in a puzzle declared as classic, both are the same blank."""
    return ODD if token == EVEN else token


def signs(_tokens: Sequence[str], side: int, _reading: Reading) -> Sequence[Alphabet]:
    """Digits up to side 9, letters from A for larger sides, and one kind of blank; no marks."""
    known = DIGITS[:side] if side <= len(DIGITS) else ascii_uppercase[:side]
    expected = f"one of {known[0]} to {known[-1]} or a blank"
    return [Alphabet(_masks(known), frozenset(BLANKS.upper()), expected, fold=str.upper)]


def letters(name: str) -> Alphabet:
    """The alphabet with this name, for 16×16 or 25×25."""
    return Alphabet(
        _masks(ALPHABETS[name]),
        _BLANKS,
        "a character of {}, or one symbol for all blanks",
        name=name,
    )


def unpadded(token: str) -> str:
    """A number without leading zeros."""
    return token.lstrip("0") or token[:1]


def numbers(
    blanks: Collection[str], or_blank: str, fold: Callable[[str], str] = unpadded
) -> Alphabets:
    """Return alphabets of decimal numbers and `blanks`, which messages call `or_blank`."""

    def alphabets(_tokens: Sequence[str], side: int, _reading: Reading) -> Sequence[Alphabet]:
        masks, expected = _masks(tuple(numbers_up_to(side))), f"a number from 1 to {side}{or_blank}"
        return [Alphabet(masks, frozenset(blanks), expected, fold=fold)]

    return alphabets
