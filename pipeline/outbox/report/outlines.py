"""Lines between and around cells, as data of SVG paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Final

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.shapes import Place

CELL: Final = 20
"""The side of a cell, in units of the drawing."""

Edge = tuple[int, int]
"""A side of a cell: the number of its grid line, and its position on it; both from 0, in cells."""

Vertex = tuple[int, int]
"""The corner of a cell: x and y, from 0, in cells."""


@lru_cache(maxsize=16)
def inner_lines(geometry: Geometry) -> str:
    """The lines between all cells."""
    places = {*map(geometry.place, range(geometry.size))}
    across = [(row, column - 1) for row, column in places if (row + 1, column) in places]
    down = [(column, row - 1) for row, column in places if (row, column + 1) in places]
    return _straight_lines(across, down)


@lru_cache(maxsize=16)
def borders(geometry: Geometry, regions: tuple[tuple[Place, ...], ...] = ()) -> str:
    """The borders of the grid, its boxes and these regions."""
    parts: defaultdict[Place, list[int]] = defaultdict(list)
    boxes = geometry.boxes() if geometry.has_boxes else ()
    areas = [*([geometry.place(cell) for cell in box] for box in boxes), *regions]
    for index, area in enumerate(areas):
        for place in area:
            parts[place].append(index)
    places = {place: parts.get(place, []) for place in map(geometry.place, range(geometry.size))}
    across, down = set[Edge](), set[Edge]()
    for (row, column), own in places.items():
        for step in (0, 1):
            if places.get((row - 1 + 2 * step, column)) != own:
                across.add((row - 1 + step, column - 1))
            if places.get((row, column - 1 + 2 * step)) != own:
                down.add((column - 1 + step, row - 1))
    return _straight_lines(across, down)


def _straight_lines(across: Iterable[Edge], down: Iterable[Edge]) -> str:
    """Draw horizontal and vertical sides of cells; adjacent ones become one line."""
    drawn = [f"M{x} {y}h{length}" for y, x, length in _runs(across)]
    drawn += [f"M{x} {y}v{length}" for x, y, length in _runs(down)]
    return "".join(drawn)


def _runs(edges: Iterable[Edge]) -> Iterator[tuple[int, int, int]]:
    """The line, start and length of each run of adjacent edges, in units."""
    numbered = enumerate(sorted(edges))
    for _, run in groupby(
        numbered,
        lambda item: (item[1][0], item[1][1] - item[0]),
    ):
        (_, (line, start)), *rest = run
        yield line * CELL, start * CELL, (1 + len(rest)) * CELL


def outline(cells: Iterable[Place], inset: float) -> str:
    """Closed lines around groups of cells, inset from their sides.

    Cells that touch only at a corner belong to different groups.
    """
    successors = _sides(cells)
    drawn = []
    while successors:
        start = min(successors)
        drawn.append(_loop_path(_take_loop(successors, start), inset))
    return "".join(drawn)


def _sides(cells: Iterable[Place]) -> dict[Vertex, list[Vertex]]:
    """Maps each corner to the next ones along the outer sides of the cells, clockwise."""
    inside = {(column - 1, row - 1) for row, column in cells}
    successors: defaultdict[Vertex, list[Vertex]] = defaultdict(list)
    for x, y in inside:
        corners = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y))
        beyond = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
        for (begin, end), other in zip(pairwise(corners), beyond, strict=True):
            if other not in inside:
                successors[begin].append(end)
    return dict(successors)


def _take_loop(successors: dict[Vertex, list[Vertex]], start: Vertex) -> list[Vertex]:
    """Remove a closed line and return its corners; turn right where there is a choice."""
    corners = [start]
    step = (1, 0)
    while True:
        here = corners[-1]
        right = (here[0] - step[1], here[1] + step[0])
        ends = successors[here]
        there = right if right in ends else ends[0]
        ends.remove(there)
        if not ends:
            del successors[here]
        if there == start:
            return corners
        step = (there[0] - here[0], there[1] - here[1])
        corners.append(there)


def _loop_path(corners: Sequence[Vertex], inset: float) -> str:
    """The path of a closed line, inset to its right."""
    drawn = list[str]()
    around = zip((corners[-1], *corners[:-1]), corners, (*corners[1:], corners[0]), strict=True)
    for before, here, after in around:
        came = (here[0] - before[0], here[1] - before[1])
        goes = (after[0] - here[0], after[1] - here[1])
        if came == goes:
            continue
        x = here[0] * CELL + inset * -(came[1] + goes[1])
        y = here[1] * CELL + inset * (came[0] + goes[0])
        if not drawn:
            drawn.append(f"M{x:g} {y:g}")
        else:
            drawn.append(f"V{y:g}" if came[0] == 0 else f"H{x:g}")
    return "".join(drawn) + "z"
