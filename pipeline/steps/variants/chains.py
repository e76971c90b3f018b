"""Alternating inference chains in a puzzle of any geometry.

A node is a candidate. A strong link joins two candidates of which at least one is true: the two
candidates of a cell, or the two places of a value in a full unit. A weak link joins two candidates
of which at most one is true: two candidates of a cell, or a value in two cells that see each other.
The links of a chain alternate, and its first and last links are strong. So one of its two ends is
true, and a candidate that both ends exclude is false.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pipeline.steps.variants.patterns import Found
from pipeline.steps.variants.state import Citations, State, cells_of

MAX_LINKS = 19
"""Number of links of the longest chain that is looked for."""

X_CHAIN, XY_CHAIN, ANY_CHAIN = range(3)
"""Kinds of chains: of one value; of cells with two candidates; of any links."""


class _Links(NamedTuple):
    """The links of a state. A node is cell · side + value; sets of nodes are bits.

    - `strong`: for each node, the nodes with a strong link to it, and the unit of the link, or None
      for a link in a cell.
    - `excluded`: for each node, the nodes with a weak link to it.
    """

    strong: dict[int, dict[int, int | None]]
    excluded: dict[int, int]


def find_chain(state: State, kind: int) -> Iterator[Found]:
    """Yield the shortest chain of a kind, if there is one."""
    links = _links_of(state, kind)
    best: tuple[int, list[int], int] | None = None
    for start in sorted(links.strong):
        limit = len(best[1]) - 1 if best else MAX_LINKS + 1
        chain = _shortest_from(links, start, limit)
        if chain:
            nodes, struck = chain
            best = len(nodes), nodes, struck
    if best:
        yield _found(state, links, best[1], best[2])


def _links_of(state: State, kind: int) -> _Links:
    side = state.side
    strong: dict[int, dict[int, int | None]] = {}
    present = {bit: cells for bit in range(side) if (cells := state.cells_with(bit))}
    if kind != XY_CHAIN:
        for index in state.full_units:
            for bit in present:
                places = state.places(index, bit)
                if len(places) == 2 and not state.has_placed(index, bit):
                    a, b = (cell * side + bit for cell in places)
                    strong.setdefault(a, {}).setdefault(b, index)
                    strong.setdefault(b, {}).setdefault(a, index)
    if kind != X_CHAIN:
        for cell in state.open_cells:
            if state.masks[cell].bit_count() == 2:
                a, b = (cell * side + bit for bit in cells_of(state.masks[cell]))
                strong.setdefault(a, {})[b] = None
                strong.setdefault(b, {})[a] = None
    excluded = {}
    for bit, cells in present.items():
        for cell in cells_of(cells):
            seen = cells_of(cells & state.sees[cell])
            in_cell = state.masks[cell] & ~(1 << bit) if kind == ANY_CHAIN else 0
            excluded[cell * side + bit] = sum(1 << c * side + bit for c in seen) | (
                in_cell << cell * side
            )
    return _Links(strong, excluded)


def _shortest_from(links: _Links, start: int, limit: int) -> tuple[list[int], int] | None:
    """The shortest chain from a node, of fewer than `limit` nodes, that eliminates something.

    Returns its nodes, and the candidates that it eliminates, as bits. The search is breadth-first:
    each round follows a strong link to nodes that are then true, and weak links to nodes that are
    then false.
    """
    parents: dict[int, tuple[int, int]] = {}
    false_nodes, reached_false, length = {start: -1}, 1 << start, 2
    while false_nodes and length < limit:
        next_false: dict[int, int] = {}
        for node, via in false_nodes.items():
            for other in links.strong.get(node, ()):
                if other in parents:
                    continue
                parents[other] = node, via
                # if `other` is the start, the start is true, and all that it excludes is false
                struck = links.excluded[start] & links.excluded[other]
                if struck:
                    return _path(parents, other), struck
                new = links.excluded[other] & ~reached_false
                reached_false |= new
                for each in cells_of(new):
                    if each in links.strong:
                        next_false[each] = other
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


def _found(state: State, links: _Links, nodes: list[int], struck: int) -> Found:
    side = state.side
    cited = Citations()
    for index, (a, b) in enumerate(pairwise(nodes)):
        if index % 2 == 0:
            unit = links.strong[a][b]
            if unit is None:
                cited.cells[a // side] = None
            else:
                cited.places[unit, a % side] = None
        elif a // side != b // side:
            state.cite_sight(cited, a // side, b // side)
    eliminated = [divmod(node, side) for node in cells_of(struck)]
    for cell, bit in eliminated:
        for end in (nodes[0], nodes[-1]):
            if end // side != cell and end % side == bit:
                state.cite_sight(cited, cell, end // side)
            else:
                cited.cells[cell] = None
    values = 0
    for node in nodes:
        values |= 1 << node % side
    chain = tuple((node // side, node % side, bool(index % 2)) for index, node in enumerate(nodes))
    cells = tuple(dict.fromkeys(node // side for node in nodes))
    return Found(struck=eliminated, values=values, cells=cells, chain=chain, cited=cited)
