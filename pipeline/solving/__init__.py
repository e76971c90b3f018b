"""Solving: from a problem to a certified result.

This module defines the parts of a result that records publish: formula size, effort, rating. It
imports no solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.settings import Level

COUNT_LIMIT = 2**53
"""Upper bound of counts and seconds in records. A double represents smaller integers exactly."""

ERROR_STATUSES: Final = frozenset(("invalid", "unknown", "failed"))
"""Statuses after which a command exits with code 1."""


def about(description: str) -> Meta:
    """Describe a field; the reference and the JSON schema quote the description."""
    return Meta(description=description)


Count = Annotated[int, Meta(ge=0, lt=COUNT_LIMIT)]


class Encoding(Struct, frozen=True, kw_only=True):
    """The encoding of a problem, and the size of its formula."""

    name: Annotated[
        str | None,
        about("the name of the encoding; null if the input was a formula instead of a puzzle"),
    ]
    variables: Annotated[Count, about("number of variables")]
    clauses: Annotated[Count, about("number of clauses")]


Encoder = Callable[
    [Puzzle, str, Sequence[Grid], float], tuple[Encoding, Iterable[str], Iterable[str]]
]
"""A function of a puzzle, the name of an encoding, grids, and a time limit in seconds.

It returns the encoding with the size of the formula, the DIMACS text of the formula, and the DIMACS
text with clauses added that exclude the grids. It raises LimitReached, and UsageError for an
unknown encoding.
"""


class Effort(Struct, frozen=True, kw_only=True):
    """How hard a puzzle is for a search, invariant under symmetries."""

    depth: Annotated[
        Count,
        about(
            "the depth of trial and error that solves it, with singles at each step; 0 means that "
            "singles suffice, 3 means more than 2"
        ),
    ]
    backdoor: Annotated[
        Count,
        about(
            "size of the smallest backdoor (a set of cells whose values let singles solve the "
            "rest); 4 means more than 3"
        ),
    ]
    splits: Annotated[
        float,
        about(
            "mean number of branches of a search that uses singles, over 64 equivalent forms "
            "of the puzzle"
        ),
    ]
    spread: Annotated[float, about("the standard deviation of `splits` over these forms")]


LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""The levels of ratings, easiest first."""

MAX_STEPS_SIDE = 16
"""Maximum number of values of a puzzle that is explained by steps."""


RATING_VERSION: Final = 2
"""The version of the ratings. It increases when the rating of any puzzle may change.

Records without `version` have version 1.
"""

TIME_LIMIT: Final = "time limit"
NO_TECHNIQUE: Final = "no technique applies"
"""Why steps end before a puzzle is solved."""


StopReason = Literal["", "time limit", "no technique applies"]
"""Why steps do not solve a puzzle; empty if they do."""


class Rating(Struct, frozen=True, kw_only=True):
    """How hard a puzzle is for human solvers, by the logical steps that solve it."""

    score: Annotated[Count, about("the sum of HoDoKu's scores of all steps")]
    level: Annotated[
        Level | None, about("the level that HoDoKu gives; null if a step failed its check")
    ]
    hardest: Annotated[str, about("the hardest technique; empty if there is no step")]
    steps: Annotated[Count, about("number of steps")]
    se: Annotated[
        float,
        about(
            "the highest rating of a step, when steps are chosen in Sudoku Explainer's order (ER)"
        ),
    ]
    solved: Annotated[
        bool,
        about(
            "whether the steps in HoDoKu's order solve the puzzle; if not, all numbers are lower "
            "bounds"
        ),
    ]
    failed: Annotated[
        str,
        about(
            "which step failed its check (a bug in this program), in which case there is no "
            "rating; empty if none failed"
        ),
    ] = ""
    ep: Annotated[
        float | None,
        about(
            "the highest rating of a step in Sudoku Explainer's order, up to the first step that "
            "places a value (EP); null if there is no such step"
        ),
    ] = None
    ed: Annotated[
        float | None,
        about("the rating of the first step in Sudoku Explainer's order (ED); null without steps"),
    ] = None
    stopped: Annotated[
        StopReason,
        about(
            "why the steps in Sudoku Explainer's order do not solve the puzzle, in which case `se` "
            "is a lower bound: `time limit` or `no technique applies`; empty if they solve it"
        ),
    ] = ""
    version: Annotated[
        Count,
        about(
            f"the version of the ratings, now {RATING_VERSION}; different versions cannot be "
            "compared; 1 if the field is missing"
        ),
    ] = 1


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of a puzzle. A trait that was not requested, does not apply or is unknown is None.

    - `requested`: the names of the requested traits, as columns of a table.
    - `canonical`: the canonical form, 81 characters.
    - `redundant`: the cells of redundant givens, numbered from 0. Removing any single one of
      these givens adds no solution.
    - `redundant_rules`: the indices in `Puzzle.rules` of redundant rules.
    """

    requested: tuple[str, ...]
    canonical: str | None = None
    redundant: tuple[int, ...] | None = None
    effort: Effort | None = None
    rating: Rating | None = None
    redundant_rules: tuple[int, ...] | None = None
