"""Alternating inference chains in a puzzle of any geometry.

A node is a candidate. A strong link joins two candidates of which at least one is true: the two
candidates of a cell, or the two places of a value in a full unit. A weak link joins two candidates
of which at most one is true: two candidates of a cell, or a value in two cells that see each other.
The links of a chain alternate, and its first and last links are strong. So one of its two ends is
true, and a candidate that both ends exclude is false.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from pipeline.puzzle.geometry import bits_of, indices_of
from pipeline.steps.variants.patterns import Deduction
from pipeline.steps.variants.state import Citations, State

_MAX_LINKS = 19
"""Maximum number of links of a chain."""


class ChainLinks(Enum):
    """The links that a kind of chain may have."""

    ONE_VALUE = auto()
    """Strong and weak links in units. The chain is an X-chain."""
    BIVALUE = auto()
    """Strong links in cells with two candidates, weak links in units. The chain is an XY-chain."""
    ALL = auto()


class _LinkedNodes(NamedTuple):
    """The links of a state. A node is cell · side + value; a set of nodes is given as bits.

    - `strong`: for each node, the nodes with a strong link to it, and the unit of the link, or None
      for a link in a cell.
    - `excluded`: for each node, the set of nodes with a weak link to it.
    """

    strong: dict[int, dict[int, int | None]]
    excluded: dict[int, int]


def find_shortest_chain(state: State, links: ChainLinks) -> Iterator[Deduction]:
    """Yield the shortest chain of these links, if there is one."""
    linked = _linked_nodes(state, links)
    best: tuple[list[int], int] | None = None
    for start in sorted(linked.strong):
        limit = len(best[0]) - 1 if best else _MAX_LINKS + 1
        best = _shortest_from(linked, start, limit) or best
    if best:
        yield _deduction(state, linked, *best)


def _linked_nodes(state: State, links: ChainLinks) -> _LinkedNodes:
    side = state.side
    strong: dict[int, dict[int, int | None]] = {}
    present = {bit: cells for bit in range(side) if (cells := state.cells_with(bit))}
    if links != ChainLinks.BIVALUE:
        for index in state.full_units:
            for bit in present:
                places = state.places(index, bit)
                if len(places) == 2 and not state.has_placed(index, bit):
                    a, b = (cell * side + bit for cell in places)
                    strong.setdefault(a, {}).setdefault(b, index)
                    strong.setdefault(b, {}).setdefault(a, index)
    if links != ChainLinks.ONE_VALUE:
        for cell in state.open_cells:
            if state.masks[cell].bit_count() == 2:
                a, b = (cell * side + bit for bit in indices_of(state.masks[cell]))
                strong.setdefault(a, {})[b] = None
                strong.setdefault(b, {})[a] = None
    excluded = {}
    for bit, cells in present.items():
        for cell in indices_of(cells):
            peers = bits_of(c * side + bit for c in indices_of(cells & state.peers[cell]))
            in_cell = state.masks[cell] & ~(1 << bit) if links == ChainLinks.ALL else 0
            excluded[cell * side + bit] = peers | in_cell << cell * side
    return _LinkedNodes(strong, excluded)


def _shortest_from(linked: _LinkedNodes, start: int, limit: int) -> tuple[list[int], int] | None:
    """The shortest chain from a node, of fewer than `limit` nodes, that eliminates something.

    Returns its nodes, and the set of candidates that it eliminates. The search is breadth-first:
    each round follows a strong link to nodes that are then true, and weak links to nodes that are
    then false.
    """
    parents: dict[int, tuple[int, int]] = {}
    false_nodes, reached_false, length = {start: -1}, 1 << start, 2
    while false_nodes and length < limit:
        next_false: dict[int, int] = {}
        for node, parent in false_nodes.items():
            for end in linked.strong.get(node, ()):
                if end in parents:
                    continue
                parents[end] = node, parent
                # `end` can be the start: the chain then proves that the start is true
                eliminated = linked.excluded[start] & linked.excluded[end]
                if eliminated:
                    return _path(parents, end), eliminated
                new = linked.excluded[end] & ~reached_false
                reached_false |= new
                next_false |= {false: end for false in indices_of(new) if false in linked.strong}
        false_nodes, length = next_false, length + 2
    return None


def _path(parents: dict[int, tuple[int, int]], end: int) -> list[int]:
    """The nodes of a chain, from its start."""
    nodes = []
    while end >= 0:
        before, end_before = parents[end]
        nodes += [end, before]
        end = end_before
    return nodes[::-1]


def _deduction(state: State, linked: _LinkedNodes, nodes: list[int], eliminated: int) -> Deduction:
    side = state.side
    cited = Citations()
    for index, (a, b) in enumerate(pairwise(nodes)):
        if index % 2 == 0:
            unit = linked.strong[a][b]
            if unit is None:
                cited.cells[a // side] = None
            else:
                cited.places[unit, a % side] = None
        elif a // side != b // side:
            state.cite_peers(cited, (a // side,), b // side)
    conclusions = [divmod(node, side) for node in indices_of(eliminated)]
    for cell, bit in conclusions:
        for end in (nodes[0], nodes[-1]):
            if end // side != cell and end % side == bit:
                state.cite_peers(cited, (cell,), end // side)
            else:
                cited.cells[cell] = None
    return Deduction(
        eliminated=conclusions,
        values=bits_of({node % side for node in nodes}),
        cells=tuple(dict.fromkeys(node // side for node in nodes)),
        chain=tuple((*divmod(node, side), bool(i % 2)) for i, node in enumerate(nodes)),
        cited=cited,
    )
