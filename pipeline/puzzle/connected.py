"""Constraints on regions that the solver has to find; their base class is in `constraints`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, product
from typing import TYPE_CHECKING

from pipeline.puzzle.constraints import Cell, CellPairs, Cells, Constraint
from pipeline.puzzle.group_sums import partition

if TYPE_CHECKING:
    from pipeline.puzzle.builder import ClauseBuilder


class Connected(Constraint):
    """The cells that hold one of `values` form one connected region, which is not empty.

    - `adjacent`: the pairs of adjacent cells.
    - `size`: the number of cells of the region; None for any number.
    """

    cells: Cells
    adjacent: CellPairs
    values: tuple[int, ...]
    size: int | None = None

    def holds(self, values: Sequence[int]) -> bool:
        members = {cell for cell in self.cells if values[cell] in self.values}
        if not members or self.size not in (None, len(members)):
            return False
        neighbours = self.neighbours()
        waiting = [next(iter(members))]
        reached = {*waiting}
        for cell in waiting:
            new = members.intersection(neighbours[cell]) - reached
            reached |= new
            waiting += new
        return reached == members

    def neighbours(self) -> dict[int, list[int]]:
        """Maps each cell to its adjacent cells."""
        return _neighbours(self.cells, self.adjacent)

    def encode(self, clauses: ClauseBuilder) -> None:
        """Encode that every member of the region can be reached from the first member.

        In round k, `reached[cell]` implies that the cell is a member, and can be reached from the
        first member in at most k steps.
        """
        held = [value for value in self.values if value in clauses.values]
        if not held or (self.size is not None and not 0 < self.size <= len(self.cells)):
            clauses.add()
            return
        member = {
            cell: clauses.define_disjunction([clauses.literal(cell, value) for value in held])
            for cell in self.cells
        }
        indices = {cell: index for index, cell in enumerate(self.cells)}
        adjacent = tuple((indices[a], indices[b]) for a, b in self.adjacent)
        parameters = adjacent, self.size
        clauses.encode_cached(_encode_connected, (), [*member.values()], parameters)
        if self.size is not None:
            reached = clauses.define_counter([*member.values()], self.size + 1)
            clauses.add(reached[self.size - 1])
            for count in reached[self.size :]:
                clauses.add(-count)


def _encode_connected(
    clauses: ClauseBuilder,
    _cells: Cells,
    member: Sequence[int],
    adjacent: CellPairs,
    size: int | None,
) -> None:
    """Encode that the cells whose literals are true form one connected region.

    - `member`: for each cell, the literal for "the cell is a member". Cells are numbered from 0.
    - `adjacent`, `size`: as in `Connected`.
    """
    clauses.add(*member)
    reached, earlier = list[int](), 0
    for inside in member:
        first = clauses.new_variable()
        clauses.define(-first, inside)
        so_far = clauses.new_variable()  # true if a cell up to this one is a member
        clauses.define(-inside, so_far)
        if earlier:
            clauses.define(-first, -earlier)
            clauses.define(-earlier, so_far)
        reached.append(first)
        earlier = so_far
    neighbours = _neighbours(range(len(member)), adjacent)
    for _ in range((size or len(member)) - 1):
        next_reached = [clauses.new_variable() for _ in member]
        for cell, in_next in enumerate(next_reached):
            clauses.define(-in_next, member[cell])
            clauses.define(-in_next, reached[cell], *(reached[other] for other in neighbours[cell]))
        reached = next_reached
    for inside, is_reached in zip(member, reached, strict=True):
        clauses.add(-inside, is_reached)
    if size is not None:
        _encode_distances(clauses, member, neighbours, size)


def _neighbours(cells: Iterable[Cell], adjacent: CellPairs) -> dict[int, list[int]]:
    """Maps each cell to its adjacent cells."""
    neighbours: dict[int, list[int]] = {cell: [] for cell in cells}
    for a, b in adjacent:
        neighbours[a].append(b)
        neighbours[b].append(a)
    return neighbours


class EqualToAny(Constraint):
    """A cell holds the same value as at least one of `other_cells`."""

    cell: int
    other_cells: Cells

    def scope(self) -> Iterable[int]:
        return (self.cell, *self.other_cells)

    def holds(self, values: Sequence[int]) -> bool:
        return values[self.cell] in {values[other] for other in self.other_cells}

    def encode(self, clauses: ClauseBuilder) -> None:
        clauses.add(*(clauses.define_equal(self.cell, other) for other in self.other_cells))


class DifferentPairs(Constraint):
    """No two pairs of cells hold the same pair of values; all cells are distinct."""

    pairs: CellPairs

    def scope(self) -> Iterable[int]:
        return chain.from_iterable(self.pairs)

    def holds(self, values: Sequence[int]) -> bool:
        return len({(values[a], values[b]) for a, b in self.pairs}) == len(self.pairs)

    def encode(self, clauses: ClauseBuilder) -> None:
        if len(self.pairs) > clauses.side**2:
            clauses.add()
            return
        second = dict(self.pairs)
        parts = partition(clauses, second)
        cells = [cell for part in parts for first in part for cell in (first, second[first])]
        parameters = (tuple(map(len, parts)),)
        clauses.encode_cached(_encode_different_pairs, cells, parameters=parameters)


def _encode_different_pairs(
    clauses: ClauseBuilder, cells: Cells, _literals: Sequence[int], sizes: tuple[int, ...]
) -> None:
    """Encode `DifferentPairs`.

    - `cells`: the cells of the pairs, one pair after the other, in parts.
    - `sizes`: the number of pairs of each part. The first cells of a part hold different values.
    """
    pairs = iter([*zip(cells[::2], cells[1::2], strict=True)])
    parts = [[*islice(pairs, size)] for size in sizes]
    for u, v in product(clauses.values, repeat=2):
        held = []  # for each part, a variable for "the cell with u has a second cell with v"
        for part in parts:
            holds = clauses.new_variable()
            held.append(holds)
            for a, b in part:
                clauses.define(-clauses.literal(a, u), -clauses.literal(b, v), holds)
                clauses.define(-clauses.literal(a, u), clauses.literal(b, v), -holds)
        clauses.require_at_most_one(held)
        if sum(sizes) == clauses.side**2:
            clauses.add(*held)


def _encode_distances(
    clauses: ClauseBuilder,
    member: Sequence[int],
    neighbours: Mapping[Cell, Sequence[Cell]],
    size: int,
) -> None:
    """Add redundant clauses: members have a neighbour in the region, and are not too far apart.

    These clauses make solvers far faster. `member` has for each cell the literal for "the cell is a
    member".
    """
    for cell, inside in enumerate(member):
        if size > 1:
            clauses.add(-inside, *(member[other] for other in neighbours[cell]))
        steps, waiting = {cell: 0}, [cell]
        for reached in waiting:
            if steps[reached] < size - 1:
                new = [other for other in neighbours[reached] if other not in steps]
                steps |= dict.fromkeys(new, steps[reached] + 1)
                waiting += dict.fromkeys(new)
        clauses.count_steps(len(member))
        for other in range(cell + 1, len(member)):
            if other not in steps:
                clauses.add(-inside, -member[other])
