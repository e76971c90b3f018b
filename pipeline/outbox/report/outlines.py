"""Draw lines between and around cells. Each function returns the commands of an SVG path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Final

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.shapes import Place

CELL: Final = 20
"""The width and height of a cell, in SVG units."""

Edge = tuple[int, int]
"""A side of a cell: the number of its grid line, and its position on the line, both from 0."""

Vertex = tuple[int, int]
"""A corner of a cell: its x and y, from 0, in cells."""


@lru_cache(maxsize=16)
def inner_lines(geometry: Geometry) -> str:
    """Draw the lines between adjacent cells."""
    places = {*map(geometry.place, range(geometry.size))}
    across = [(row, column - 1) for row, column in places if (row + 1, column) in places]
    down = [(column, row - 1) for row, column in places if (row, column + 1) in places]
    return _straight_lines(across, down)


@lru_cache(maxsize=16)
def borders(geometry: Geometry, regions: tuple[tuple[Place, ...], ...] = ()) -> str:
    """Draw the borders of the grid, and of these regions or, if there are none, of its boxes."""
    areas_of_place: defaultdict[Place, list[int]] = defaultdict(list)
    areas: Iterable[Iterable[Place]] = regions
    if not regions and geometry.has_boxes:
        areas = (map(geometry.place, box) for box in geometry.boxes())
    for index, area in enumerate(areas):
        for place in area:
            areas_of_place[place].append(index)
    places = {
        place: areas_of_place.get(place, []) for place in map(geometry.place, range(geometry.size))
    }
    across, down = set[Edge](), set[Edge]()
    for (row, column), area_indices in places.items():
        for step in (0, 1):
            if places.get((row - 1 + 2 * step, column)) != area_indices:
                across.add((row - 1 + step, column - 1))
            if places.get((row, column - 1 + 2 * step)) != area_indices:
                down.add((column - 1 + step, row - 1))
    return _straight_lines(across, down)


def _straight_lines(across: Iterable[Edge], down: Iterable[Edge]) -> str:
    """Draw horizontal and vertical sides of cells. Adjacent sides become one line."""
    commands = [f"M{x} {y}h{length}" for y, x, length in _merge_edges(across)]
    commands += [f"M{x} {y}v{length}" for x, y, length in _merge_edges(down)]
    return "".join(commands)


def _merge_edges(edges: Iterable[Edge]) -> Iterator[tuple[int, int, int]]:
    """Merge adjacent edges. Yields the line, start and length of each result, in SVG units."""
    numbered = enumerate(sorted(edges))
    for _, run in groupby(
        numbered,
        lambda item: (item[1][0], item[1][1] - item[0]),
    ):
        (_, (line, start)), *rest = run
        yield line * CELL, start * CELL, (1 + len(rest)) * CELL


def outline(cells: Iterable[Place], inset: float) -> str:
    """Draw closed lines around areas of cells, inside the areas at a distance of `inset`.

    Cells that touch only at a corner belong to different areas.
    """
    successors = _outer_sides(cells)
    loops = []
    while successors:
        start = min(successors)
        loops.append(_loop_path(_take_loop(successors, start), inset))
    return "".join(loops)


def _outer_sides(cells: Iterable[Place]) -> dict[Vertex, list[Vertex]]:
    """Map each corner to the next corners along the outer sides of the cells, clockwise."""
    inside = {(column - 1, row - 1) for row, column in cells}
    successors: defaultdict[Vertex, list[Vertex]] = defaultdict(list)
    for x, y in inside:
        corners = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y))
        neighbours = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
        for (begin, end), neighbour in zip(pairwise(corners), neighbours, strict=True):
            if neighbour not in inside:
                successors[begin].append(end)
    return dict(successors)


def _take_loop(successors: dict[Vertex, list[Vertex]], start: Vertex) -> list[Vertex]:
    """Remove a closed line, and return its corners.

    Where two lines meet at a corner, the line turns right.
    """
    corners = [start]
    step = (1, 0)
    while True:
        corner = corners[-1]
        right = (corner[0] - step[1], corner[1] + step[0])
        ends = successors[corner]
        next_corner = right if right in ends else ends[0]
        ends.remove(next_corner)
        if not ends:
            del successors[corner]
        if next_corner == start:
            return corners
        step = (next_corner[0] - corner[0], next_corner[1] - corner[1])
        corners.append(next_corner)


def _loop_path(corners: Sequence[Vertex], inset: float) -> str:
    """Draw a closed line, shifted by `inset` to its right."""
    commands = list[str]()
    triples = zip((corners[-1], *corners[:-1]), corners, (*corners[1:], corners[0]), strict=True)
    for previous, corner, following in triples:
        step_in = (corner[0] - previous[0], corner[1] - previous[1])
        step_out = (following[0] - corner[0], following[1] - corner[1])
        if step_in == step_out:
            continue
        x = corner[0] * CELL + inset * -(step_in[1] + step_out[1])
        y = corner[1] * CELL + inset * (step_in[0] + step_out[0])
        if not commands:
            commands.append(f"M{x:g} {y:g}")
        else:
            commands.append(f"V{y:g}" if step_in[0] == 0 else f"H{x:g}")
    return "".join(commands) + "z"
