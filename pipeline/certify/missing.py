"""Search any puzzle exhaustively, by the search for plain puzzles or the search for variants."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from pipeline.certify.exhaustive import OUT_OF_TIME, SearchResult, search_all
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Grid, Puzzle

if TYPE_CHECKING:
    from pipeline.certify.variants import VariantSearch

SECONDS_BEFORE_LOADING = 0.5
"""Seconds of the search of a plain 9×9 puzzle in plain Python before machine code checks it. Some
puzzles with a set of candidates in each cell take minutes in plain Python.
"""


def find_missing(
    puzzle: Puzzle,
    solutions: Sequence[Grid],
    *,
    max_solutions: int = 1,
    seconds: float = inf,
    search: VariantSearch | None = None,
) -> SearchResult:
    """Search a puzzle for up to `max_solutions` solutions that are not in `solutions`.

    `search`: a search of this puzzle, a variant, to continue; by default a new one. The result is
    undecided after `seconds`. Raises NotSolutions if the listed grids are not distinct solutions of
    the puzzle, and ValueError for `max_solutions` below 1.
    """
    if puzzle.is_plain:
        return _search_plain(puzzle, solutions, max_solutions, seconds)
    from pipeline.certify.variants import search_all_of_variant  # noqa: PLC0415 - loads numpy

    return search_all_of_variant(
        puzzle, solutions, max_solutions=max_solutions, seconds=seconds, search=search
    )


def _search_plain(
    puzzle: Puzzle, solutions: Sequence[Grid], max_solutions: int, seconds: float
) -> SearchResult:
    """Search a plain puzzle in plain Python, or check by machine code that no solution is missing.

    Machine code does not return the missing solution; plain Python searches for it again.
    """
    end, is_small = time.monotonic() + seconds, puzzle.geometry == NINE_BY_NINE
    first_seconds = min(seconds, SECONDS_BEFORE_LOADING) if is_small else seconds
    result = search_all(puzzle, solutions, max_solutions=max_solutions, seconds=first_seconds)
    left = end - time.monotonic()
    if not is_small or result.undecided != OUT_OF_TIME or left <= 0:
        return result
    from pipeline.certify.many import Verdict, check_puzzle  # noqa: PLC0415 - loads numpy

    verdict, nodes = check_puzzle(puzzle, solutions, left)
    if verdict == Verdict.COMPLETE:
        return SearchResult((), nodes)
    left = max(0.0, end - time.monotonic())
    return search_all(puzzle, solutions, max_solutions=max_solutions, seconds=left)
