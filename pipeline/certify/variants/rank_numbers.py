"""Relate the lines of Full Rank to the edges of the grid, and to each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from pipeline.certify.variants.value_tables import Numbers
from pipeline.puzzle.constraints import Cells, Constraint, Ranked

Edge = tuple[int, Cells]
"""The bit of a value, and the first cells of the lines of an edge: one of them holds the value."""


class RankedLines(NamedTuple):
    """Lines that are compared with each other.

    - `edges`: the lines, by the unit that contains their first cells. Empty if the first cells are
      not whole units.
    - `are_different`: whether the cells of each line are all different.
    """

    edges: tuple[tuple[Cells, ...], ...]
    are_different: bool


@lru_cache(maxsize=16)
def ranked_lines(lines: frozenset[Cells], units: tuple[Cells, ...]) -> RankedLines:
    """Divide lines by the edge of the grid at which they begin.

    An edge is a unit each of whose cells begins one line that leaves the unit. Lines along the edge
    belong to other edges.
    """
    unit_sets = {frozenset(unit) for unit in units}
    edges = []
    for unit in unit_sets:
        leaving = [line for line in lines if line[0] in unit and not unit.issuperset(line[:2])]
        if len(leaving) == len(unit) == len({line[0] for line in leaving}):
            edges.append(tuple(sorted(leaving)))
    if sorted(line for edge in edges for line in edge) != sorted(lines):
        edges = []
    return RankedLines(tuple(sorted(edges)), all(frozenset(line) in unit_sets for line in lines))


class RankNumbers(NamedTuple):
    """The scope and the numbers of a RANKED constraint, which `layout` describes.

    `edges`: the edges at which the other lines begin, if they are whole units.
    """

    scope: list[int]
    numbers: tuple[int, ...]
    edges: list[Edge]


# The other lines of the line's own edge are left out: their first cells must differ from its own.
def encode_rank(ranked: Ranked, bit: int, units: tuple[Cells, ...]) -> RankNumbers:
    """Encode a rank. `bit` is the value with which the line begins; `units` hold all values."""
    lines = ranked_lines(frozenset((ranked.line, *ranked.other_lines)), units)
    edges = [edge for edge in lines.edges if ranked.line not in edge]
    others = chain.from_iterable(edges) if edges else ranked.other_lines
    used = bit if lines.are_different else 0
    length, edge_length = len(ranked.line), len(edges[0]) if edges else 1
    return RankNumbers(
        [*ranked.line, *chain.from_iterable(others)],
        (bit, ranked.rank, ranked.may_tie, length, edge_length, used),
        [(bit, tuple([line[0] for line in edge])) for edge in edges],
    )


# Of two lines that begin with the same value, the greater one has the greater rank: it is greater
# than the other line and than every line that is less than the other one. So lines of equal rank
# are equal. (M. Carlsson and N. Beldiceanu, Arc-consistency for a chain of lexicographic
# ordering constraints, 2002, treat all lines of a chain together; here all pairs are ordered.)
def comparable_pairs(constraints: Iterable[Constraint]) -> Iterator[tuple[Ranked, Ranked]]:
    """Yield pairs of ranks of different lines with the same first value, the smaller rank first."""
    ranks = [constraint for constraint in constraints if isinstance(constraint, Ranked)]
    for a, b in combinations(sorted(ranks, key=lambda ranked: ranked.rank), 2):
        if a.first == b.first and {a.line, *a.other_lines} == {b.line, *b.other_lines}:
            yield a, b


def edge_numbers(edges: Collection[Edge]) -> Numbers:
    """Return the area EDGES, which `layout` describes."""
    numbers = [len(edges)]
    for bit, cells in edges:
        numbers += bit, len(cells), *cells
    return np.array(numbers, np.int64)
