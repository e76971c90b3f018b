"""Hypothesis strategies: geometries, solved grids, and puzzles that may have no solution."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from support.puzzles import pattern

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import Variant

SMALL_GEOMETRIES = tuple(
    Geometry(height, width)
    for height in range(1, 13)
    for width in range(1, 13)
    if 2 <= height * width <= 12
)


def examples(number: int) -> settings:
    """So many examples, or as many times that as $SOAK says; no clock stops them."""
    return settings(
        max_examples=number * int(os.environ.get("SOAK", "1")),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


geometries: SearchStrategy[Geometry] = st.sampled_from(SMALL_GEOMETRIES)


@st.composite
def solved_grids(draw: DrawFn, geometry: Geometry) -> Grid:
    """A pattern with values, rows, bands, columns and stacks shuffled."""

    def lines(groups: int, size: int) -> list[int]:
        return [
            group * size + line
            for group in draw(st.permutations(range(groups)))
            for line in draw(st.permutations(range(size)))
        ]

    known = [*pattern(geometry).rows()]
    rows = lines(geometry.width, geometry.height)
    columns = lines(geometry.height, geometry.width)
    digits = draw(st.permutations(range(1, geometry.side + 1)))
    values = (digits[known[row][column] - 1] for row in rows for column in columns)
    return Grid(geometry, tuple(values))


def blank_for(geometry: Geometry, variant: Variant, value: int) -> int:
    """The mask of a cell that hides a value: all values, or those of its parity."""
    if variant == "classic":
        return geometry.all_values
    return geometry.odd_values if value % 2 else geometry.even_values


@st.composite
def opened(draw: DrawFn, geometry: Geometry, variant: Variant = "classic") -> Puzzle:
    """A solved grid with cells taken out: it has at least one solution."""
    values = draw(solved_grids(geometry)).values
    one_in_three = st.sampled_from([False, False, True])
    kept = draw(st.lists(one_in_three, min_size=len(values), max_size=len(values)))
    return Puzzle(
        geometry,
        tuple(
            1 << value - 1 if keep else blank_for(geometry, variant, value)
            for value, keep in zip(values, kept, strict=True)
        ),
    )


@st.composite
def spoiled(draw: DrawFn, geometry: Geometry, variant: Variant = "classic") -> Puzzle:
    """An opened grid with one cell overwritten: it may contradict itself, and rarely at once."""
    cells = list(draw(opened(geometry, variant)).cells)
    cell = draw(st.integers(0, len(cells) - 1))
    cells[cell] = 1 << draw(st.integers(0, geometry.side - 1))
    return Puzzle(geometry, tuple(cells))


def arbitrary(geometry: Geometry, variant: Variant = "classic") -> SearchStrategy[Puzzle]:
    """Any givens and blanks at all: it mostly has no solution."""
    n = geometry.side
    blanks = st.sampled_from([blank_for(geometry, variant, value) for value in (1, 2)])
    givens = st.integers(0, n - 1).map(lambda shift: 1 << shift)
    cells = st.lists(blanks | blanks | givens, min_size=n * n, max_size=n * n)
    return cells.map(lambda masks: Puzzle(geometry, tuple(masks)))


def puzzles(geometry: Geometry, variant: Variant = "classic") -> SearchStrategy[Puzzle]:
    """Puzzles with and without solutions; most have numerous blanks."""
    return st.one_of(kind(geometry, variant) for kind in (opened, spoiled, arbitrary))
