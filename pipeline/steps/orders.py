"""Orders in which techniques are tried, and techniques by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Literal

from pipeline.errors import UsageError, printable
from pipeline.steps import hodoku
from pipeline.steps.techniques import BY_RATING, BY_SCORE, OPTIONAL, TECHNIQUES, Technique

Order = Literal["boxes", "hodoku", "explainer"]

DEFAULT_ORDER: Order = "hodoku"

_SINGLE_SCORES = {
    "full house": 4, "hidden single in a box": 14, "hidden single in a line": 14, "naked single": 4,
}  # fmt: skip
_SINGLES = tuple(
    technique._replace(score=score, se=0)
    for name, score in _SINGLE_SCORES.items()
    for technique in BY_RATING
    if technique.name == name
)
"""Singles as a beginner looks for them: the last of a unit, in boxes, in lines, then in cells."""

ORDERS: Mapping[Order, tuple[Technique, ...]] = {
    "boxes": (*_SINGLES, *(technique for technique in BY_SCORE if technique.kind != hodoku.SINGLE)),
    "hodoku": BY_SCORE,
    "explainer": BY_RATING,
}
"""The orders by name.

- `boxes`: that of a beginner, who looks for hidden singles in boxes first; then as in
  `hodoku`.
- `hodoku`: that of HoDoKu.
- `explainer`: that of Sudoku Explainer.
"""


def order_with(order: Order, optional: Iterable[str] = OPTIONAL) -> tuple[Technique, ...]:
    """The techniques of an order, with optional ones of HoDoKu at their places.

    - `optional`: names of techniques; names that are not in OPTIONAL are ignored. In the order of
      Sudoku Explainer, all are ignored.

    Raises UsageError for an unknown order.
    """
    if order not in ORDERS:
        raise UsageError(f"order: expected one of {', '.join(ORDERS)}, found {order!r}")
    names = {*optional} & {*OPTIONAL} if order != "explainer" else ()
    added = (technique for technique in TECHNIQUES if technique.name in names)
    return tuple(sorted((*ORDERS[order], *added), key=lambda technique: _PLACES.get(technique, -1)))


_PLACES = {technique: index for index, technique in enumerate(TECHNIQUES)}
"""The place of each technique of HoDoKu, also of optional ones."""


def technique_named(name: str, techniques: Iterable[Technique] = TECHNIQUES) -> Technique:
    """The first technique with this name; case, spaces and hyphens do not matter.

    Raises UsageError, with a suggestion, for an unknown name.
    """
    by_key = {_key(technique.name): technique for technique in reversed([*techniques])}
    technique = by_key.get(_key(name))
    if technique is None:
        nearest = get_close_matches(_key(name), by_key, 1, 0.6)
        hint = (
            f"did you mean {by_key[nearest[0]].name}?" if nearest else _similar_names(name, by_key)
        )
        raise UsageError(f"unknown technique {printable(name)!r}; {hint}")
    return technique


def _key(name: str) -> str:
    """A name without case, spaces and hyphens."""
    return re.sub(r"[\s_-]", "", name).casefold()


def _similar_names(name: str, by_key: Mapping[str, Technique]) -> str:
    """Names that share a word with an unknown one, or are the most similar; for a message."""
    words = {_key(word) for word in re.split(r"[\s_-]", name) if len(word) > 2}
    shared = [key for key in [*by_key][::-1] if any(word in key for word in words)]
    nearest = (shared or get_close_matches(_key(name), by_key, 3, 0))[:3]
    names = ", ".join(by_key[key].name for key in nearest)
    return f"similar are {names}; docs/reference/steps.md lists all"
