"""Covers of cells by groups of peers, and what they imply for constraints that count values.

Units and groups are sets of cells, as bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice

import numpy as np

from pipeline.certify.variants.simplify import SimplifiedConstraints
from pipeline.certify.variants.value_tables import Numbers
from pipeline.puzzle.constraints import Automaton, Cells
from pipeline.puzzle.counts import Visible, count_visible
from pipeline.puzzle.geometry import bits_of, indices_of

Cover = tuple[int, ...]
"""Groups that contain each cell once. The cells of a group are peers of each other."""

_MAX_SETS = 2000
"""Maximum number of sets of values that are listed for a CountsItself constraint."""


# A cover bounds how many cells can hold a value: by the number of groups that can. Which cover
# gives the tightest bound depends on the remaining candidates, and to find the smallest cover, a
# minimum clique cover, is NP-hard (R. Karp, 1972). So there are several covers, each found
# greedily: one starts with rows, one with columns, one with boxes and other units, and one with the
# largest groups of any kind. Tried and dropped: to match the groups of two covers, as each cell is
# in one group of both. In six puzzles this refuted nothing more, and its eliminations saved no
# branch.
class Covers:
    """Covers of the cells of constraints, and their tables (see `layout`); both are cached.

    All constraints must have been added to `source`.
    """

    def __init__(self, source: SimplifiedConstraints) -> None:
        self._source = source
        self._known: dict[Cells, tuple[tuple[Cover, ...], Numbers]] = {}

    @cached_property
    def _kinds(self) -> list[list[int]]:
        """The rows, the columns, and all other units."""
        source = self._source
        rows, columns = {*source.geometry.rows()}, {*source.geometry.columns()}
        units = {*source.geometry_units.units, *source.units} - rows - columns
        return [[*map(bits_of, sorted(kind))] for kind in (rows, columns, units)]

    def of(self, cells: Cells) -> tuple[Cover, ...]:
        """Return different covers of distinct cells."""
        return self._known_of(cells)[0]

    def table_of(self, cells: Cells) -> Numbers:
        """Return the table of the covers of distinct cells."""
        return self._known_of(cells)[1]

    def _known_of(self, cells: Cells) -> tuple[tuple[Cover, ...], Numbers]:
        if cells not in self._known:
            covers = covers_of(bits_of(cells), self._kinds, self._source.peers)
            numbers = [len(covers)]
            for cover in covers:
                numbers.append(len(cover))
                for group in cover:
                    numbers += group.bit_count(), *indices_of(group)
            self._known[cells] = covers, np.array(numbers, np.int64)
        return self._known[cells]


def covers_of(
    cells: int, kinds: Sequence[Iterable[int]], peers: Sequence[int]
) -> tuple[Cover, ...]:
    """Return different covers of a set of cells: one for each kind of unit, and one for all units.

    `kinds`: the units of each kind. Units whose cells in the set are not all peers are ignored.
    """
    cliques = [[*_cliques(cells, units, peers)] for units in kinds]
    all_cliques = [clique for kind in cliques for clique in kind]
    starts = (*cliques, all_cliques)
    return tuple({_cover(cells, start, all_cliques, peers): None for start in starts})


def _cliques(cells: int, units: Iterable[int], peers: Sequence[int]) -> Iterator[int]:
    """Yield the cells of the set in each unit, if there are two or more and all are peers."""
    for unit in units:
        group = unit & cells
        if group & (group - 1) and are_peers(group, peers):
            yield group


def are_peers(group: int, peers: Sequence[int]) -> bool:
    """Whether each cell of the group is a peer of all others."""
    return not any(group & ~(peers[cell] | 1 << cell) for cell in indices_of(group))


def _common_peers(group: int, peers: Sequence[int]) -> int:
    """Return the cells that are peers of all cells of the group."""
    common = -1
    for cell in indices_of(group):
        common &= peers[cell]
    return common


def _cover(cells: int, start: Sequence[int], cliques: Sequence[int], peers: Sequence[int]) -> Cover:
    """Return a cover: groups from the cliques of `start`, then from `cliques`, then single cells.

    Groups whose cells are all peers of each other are merged.
    """
    groups: list[int] = []
    for candidates in (start, cliques):
        while candidates:
            group = max([clique & cells for clique in candidates], key=int.bit_count)
            if not group & (group - 1):
                break
            groups.append(group)
            cells ^= group
    groups += [1 << cell for cell in indices_of(cells)]
    merged: list[tuple[int, int]] = []  # groups and their common peers
    for group in groups:
        common = _common_peers(group, peers)
        for index, (other_group, other_common) in enumerate(merged):
            if not group & ~other_common:
                merged[index] = group | other_group, common & other_common
                break
        else:
            merged.append((group, common))
    return tuple(sorted([group for group, _ in merged]))


def self_counting_sets(
    values: range, cell_count: int, covers: Iterable[Cover]
) -> list[tuple[int, ...]] | None:
    """Return the sets of values that fill the cells with v copies of each v; None if too many.

    Sets whose values do not fit into the groups of some cover are left out.
    """
    sets = _sets_of_sum(values, cell_count)
    if sets is None:
        return None
    sizes = {tuple(sorted(map(int.bit_count, cover))) for cover in covers}
    return [subset for subset in sets if all(_fits(subset, groups) for groups in sizes)]


@lru_cache(maxsize=64)
def _sets_of_sum(values: range, total: int) -> tuple[tuple[int, ...], ...] | None:
    """Return the sets of positive values that sum to `total`, descending; None if too many."""
    lowest = max(values[0], 1)

    def subsets(highest: int, rest: int) -> Iterator[tuple[int, ...]]:
        """Yield the sets of values up to `highest` that sum to `rest`."""
        if not rest:
            yield ()
        for value in range(min(highest, rest), lowest - 1, -1):
            if (lowest + value) * (value - lowest + 1) // 2 < rest:
                return
            yield from ((value, *others) for others in subsets(value - 1, rest - value))

    sets = tuple(islice(subsets(values[-1], total), _MAX_SETS + 1))
    return sets if len(sets) <= _MAX_SETS else None


# D. Gale (1957) and H. Ryser (1957): a 0-1 matrix with given sums of rows and columns exists if and
# only if, for each k, the k largest column sums are at most the sum of min(row sum, k) over all
# rows. Here the rows are groups, whose cells differ, and a value v is a column with the sum v.
def _fits(values: Sequence[int], sizes: Sequence[int]) -> bool:
    """Whether groups of these sizes can hold v copies of each value v.

    The values are descending, and have the same sum as the sizes. A group holds a value once at
    most.
    """
    return all(
        total <= sum(min(size, count) for size in sizes)
        for count, total in enumerate(accumulate(values), start=1)
    )


def visible_automaton(constraint: Visible, lowest_value: int, peers: Sequence[int]) -> Automaton:
    """Return an automaton for the constraint; if all cells are peers, it has fewer states."""
    cells, number, highest = constraint.cells, constraint.number, constraint.highest
    if len({*cells}) < len(cells) or not are_peers(bits_of(cells), peers):
        return constraint.automaton()
    accepted = frozenset((value, number, len(cells)) for value in range(1, highest + 1))
    numbers = number, highest, lowest_value
    return Automaton(cells, (0, 0, 0), _count_visible_of_peers, accepted, numbers)


# Cells that differ hold i different values after i cells, so the highest of them is at least the
# value of index i - 1. With sets of values as states, the automaton would also reject repeated
# values: one puzzle took a quarter of the nodes, but three to ten times as long.
def _count_visible_of_peers(
    seen: tuple[int, int, int], value: int, number: int, top: int, lowest_value: int
) -> tuple[int, int, int] | None:
    """Return the next state of an automaton that counts visible values of cells that differ.

    A state is the highest value, the number of visible values, and the number of cells so far.
    """
    highest, count, cells = seen
    if cells and value == highest:
        return None
    after = count_visible((highest, count), value, number, top)
    return (*after, cells + 1) if after and after[0] >= lowest_value + cells else None
