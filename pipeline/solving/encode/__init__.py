"""Puzzle → Cnf.

A new encoding is a selection in `full.SELECTIONS`, or a module and an entry in ENCODINGS.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pipeline.errors import UsageError
from pipeline.limits import UNHURRIED, Limits
from pipeline.puzzle.puzzle import Puzzle
from pipeline.settings import EncodingChoice, NumberingChoice
from pipeline.solving.cnf import Cnf
from pipeline.solving.encode.full import SELECTIONS, Numbering, encode_full
from pipeline.solving.encode.reduced import encode_reduced

ENCODINGS: dict[EncodingChoice, Callable[[Puzzle, NumberingChoice, Limits], Cnf]] = {
    **{name: partial(encode_full, name) for name in SELECTIONS},
    "reduced": encode_reduced,
}

__all__ = ["ENCODINGS", "Numbering", "encode_puzzle"]


def encode_puzzle(
    puzzle: Puzzle,
    encoding: EncodingChoice = "reduced",
    numbering: NumberingChoice = "dense",
    limits: Limits = UNHURRIED,
) -> Cnf:
    """Encode a puzzle: the models of the clauses are exactly its solutions.

        >>> from pipeline import parse_puzzle
        >>> cnf = encode_puzzle(parse_puzzle("1.....2..3.....4"), "extended")
        >>> cnf.variables, cnf.size
        (64, 452)

    `encoding` is a key of ENCODINGS. Raises UsageError for another, and for decimal numbering of a
    side above 9, LimitReached if the limits do not suffice.
    """
    if encoding not in ENCODINGS:
        raise UsageError(f"encoding: expected one of {', '.join(ENCODINGS)}, found {encoding!r}")
    return ENCODINGS[encoding](puzzle, numbering, limits)
