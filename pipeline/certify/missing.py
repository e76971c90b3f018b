"""Search any puzzle exhaustively, by the search for plain puzzles or the search for variants."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from pipeline.certify.exhaustive import SearchResult, search_all
from pipeline.puzzle.puzzle import Grid, Puzzle


def find_missing(
    puzzle: Puzzle, solutions: Sequence[Grid], *, max_solutions: int = 1, seconds: float = inf
) -> SearchResult:
    """Search a puzzle for up to `max_solutions` solutions that are not in `solutions`.

    The result is undecided after `seconds`. Raises NotSolutions if the listed grids are not
    distinct solutions of the puzzle, and ValueError for `max_solutions` below 1.
    """
    if puzzle.is_plain:
        return search_all(puzzle, solutions, max_solutions=max_solutions, seconds=seconds)
    from pipeline.certify.variants import search_all_of_variant  # noqa: PLC0415 - loads numpy

    return search_all_of_variant(puzzle, solutions, max_solutions=max_solutions, seconds=seconds)
