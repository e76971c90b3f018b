"""Search any puzzle exhaustively, by the search for plain puzzles or the search for variants."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from pipeline.certify.exhaustive import SearchResult, search_all
from pipeline.puzzle.puzzle import Grid, Puzzle

if TYPE_CHECKING:
    from pipeline.certify.variants import VariantSearch


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
        return search_all(puzzle, solutions, max_solutions=max_solutions, seconds=seconds)
    from pipeline.certify.variants import search_all_of_variant  # noqa: PLC0415 - loads numpy

    return search_all_of_variant(
        puzzle, solutions, max_solutions=max_solutions, seconds=seconds, search=search
    )
