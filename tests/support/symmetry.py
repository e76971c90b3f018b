"""Brute force: every image of a puzzle under the symmetries of Sudoku, and the lowest of them.

It shares nothing with the package: images are made one by one, from lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product


def line_orders(box: int) -> list[list[int]]:
    """All orders of rows that keep bands together."""
    within = list(permutations(range(box)))
    return [
        [box * band + row for band, order in zip(bands, orders, strict=True) for row in order]
        for bands in within
        for orders in product(within, repeat=box)
    ]


def images(cells: Sequence[int], box: int) -> Iterator[list[int]]:
    """Every image, before relabelling; always in the same order."""
    side = box * box
    grid = [list(cells[start : start + side]) for start in range(0, side * side, side)]
    for turned in (grid, [list(column) for column in zip(*grid, strict=True)]):
        for rows, columns in product(line_orders(box), repeat=2):
            yield [turned[row][column] for row in rows for column in columns]


def labels(cells: Sequence[int]) -> dict[int, int]:
    """The labels that make an image the lowest: values count up as they are met."""
    met = {0: 0}
    for value in cells:
        met.setdefault(value, len(met))
    return met


def lowest_image(cells: Sequence[int], box: int) -> list[int]:
    return min([labels(image)[value] for value in image] for image in images(cells, box))


def lowest_through(cells: Sequence[int], solution: Sequence[int], box: int) -> list[int]:
    """The lowest image by a symmetry that makes the solution the lowest."""
    found = []
    for image, solved in zip(images(cells, box), images(solution, box), strict=True):
        named = labels(solved)
        found.append(([named[value] for value in solved], [named[value] for value in image]))
    return min(found)[1]
