"""Whether solutions of a puzzle are missing: the search for those without rules, or for others."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from pipeline.certify.exhaustive import SearchResult, search_all
from pipeline.puzzle.puzzle import Grid, Puzzle


def searched_through(
    puzzle: Puzzle, solutions: Sequence[Grid], *, most: int = 1, seconds: float = inf
) -> SearchResult:
    """Search for solutions of any puzzle that are not listed, until there are `most` of them.

    It ends undecided after so many seconds. Raises NotSolutions if those listed are not different
    solutions of the puzzle, and ValueError for a `most` below 1.
    """
    if puzzle.is_plain:
        return search_all(puzzle, solutions, max_solutions=most, seconds=seconds)
    from pipeline.certify.variants import search_all_of_variant  # noqa: PLC0415 - loads numpy

    return search_all_of_variant(puzzle, solutions, max_solutions=most, seconds=seconds)
