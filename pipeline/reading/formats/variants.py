"""Functions that several notations of variants share: lines of cells, cages, regions, givens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import isqrt

from pipeline.puzzle.geometry import Geometry, values_of
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.reading.formats.parsed import Variant
from pipeline.reading.formats.text import TextLine, Word

# Modules of rules are slow to load, so functions import them.

MIN_RULES_SIDE, MAX_RULES_SIDE = 4, 16
"""The smallest and the largest side of f-puzzles documents."""

RowColumn = tuple[int, int]
RuleType = Callable[..., Rule]
"""A rule class, called with the values of its fields."""


def cells_along(geometry: Geometry, start: RowColumn, step: RowColumn) -> tuple[int, ...]:
    """The cells from `start` to the edge of the grid, in steps of `step`.

    `start` may also be the place just before the first cell, outside the grid.
    """
    (row, column), cells = start, list[int]()
    if geometry.cell_at(row, column) is None:
        row, column = row + step[0], column + step[1]
    while (cell := geometry.cell_at(row, column)) is not None:
        cells.append(cell)
        row, column = row + step[0], column + step[1]
    return tuple(cells)


def variant_of(puzzle: Puzzle) -> Variant:
    """The variant of a puzzle, `rules`, `even-odd` or `classic`, from its cells and rules alone.

    A puzzle without rules is `even-odd` if some cells are marked even or odd, and all others are
    given or blank.
    """
    if not puzzle.is_plain:
        return "rules"
    geometry = puzzle.geometry
    marks = {geometry.even_values, geometry.odd_values}
    limited = {mask for mask in puzzle.cells if mask & (mask - 1)} - {geometry.all_values}
    return "even-odd" if limited and limited <= marks else "classic"


def given_masks(
    geometry: Geometry, given_pairs: Iterable[tuple[int, int]]
) -> tuple[tuple[int, ...], list[Rule]]:
    """Combine pairs of cell and mask.

    Returns the intersection of the masks of each cell. A mask that contradicts earlier masks of its
    cell is returned as a rule instead, so that the puzzle has no solution.
    """
    masks, rules = [geometry.all_values] * geometry.size, list[Rule]()
    for cell, mask in given_pairs:
        if masks[cell] & mask:
            masks[cell] &= mask
        else:
            from pipeline.puzzle.rules.pairs import Among  # noqa: PLC0415

            rules.append(Among(cell, tuple(values_of(mask, geometry.lowest))))
    return tuple(masks), rules


def words_of(line: TextLine, pattern: re.Pattern[str], start: int) -> list[Word]:
    """The matches of a pattern from index `start` to the end of a line."""
    matches = pattern.finditer(line.text.rstrip(), start)
    return [Word(line.number, match.start() + 1, match[0]) for match in matches]


def diagonal_rules() -> list[Rule]:
    """The rules of both diagonals."""
    from pipeline.puzzle.rules.regions import Diagonal  # noqa: PLC0415

    return [Diagonal(rising=False), Diagonal(rising=True)]


def cages_of(members: Mapping[int, Sequence[int]], sums: Mapping[int, int]) -> list[Rule]:
    """Make cages. `members` and `sums` map the key of a cage to its cells and its sum.

    A sum of 0 means that the cage has no sum. A single cell without a sum is left out.
    """
    from pipeline.puzzle.rules.cages import Cage  # noqa: PLC0415

    return [
        Cage(tuple(cells), sums[key] or None)
        for key, cells in members.items()
        if sums[key] or len(cells) > 1
    ]


def first_misfit(regions: Sequence[Hashable]) -> tuple[int, str] | None:
    """Check that the region names of all cells are n regions of n cells.

    Returns None if so, else the first cell at fault and the expected regions, for a message.
    """
    n = isqrt(len(regions))
    sizes: Counter[Hashable] = Counter()
    for cell, region in enumerate(regions):
        sizes[region] += 1
        if len(sizes) > n:
            return cell, f"{n} regions"
        if sizes[region] > n:
            return cell, f"{n} regions of {n} cells"
    return None


def groups_of(names: Iterable[Hashable]) -> list[tuple[int, ...]]:
    """Group cells by name. `names`: the name of the group of each cell."""
    members: dict[Hashable, list[int]] = {}
    for cell, name in enumerate(names):
        members.setdefault(name, []).append(cell)
    return [*map(tuple, members.values())]


def region_rules(regions: Iterable[Hashable]) -> list[Rule]:
    """Make a rule for each region. `regions`: the region name of each cell."""
    from pipeline.puzzle.rules.regions import Region  # noqa: PLC0415

    return [Region(cells) for cells in groups_of(regions)]
