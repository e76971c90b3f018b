"""Puzzles whose completeness is to be proved: known ones, and some made for the purpose."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import partial

from support.oracle import solutions
from support.puzzles import EVEN_ODD, EVEN_ODD_SIX, NONE, SIX, TWO, UNIQUE, pattern
from support.strategies import blank_for

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle

HARD = parse_puzzle(
    "98.7..6..75..6......6..8...5......4...9.8.7.....3....24....1.....7.9.5.3..587.4.."
)


def thinned(geometry, variant, opened, count):
    """A pattern with so many cells opened that exactly `count` solutions are left."""
    values = pattern(geometry).values
    for seed in itertools.count():
        blank = set(random.Random(seed).sample(range(len(values)), opened))
        cells = (
            blank_for(geometry, variant, value) if cell in blank else 1 << value - 1
            for cell, value in enumerate(values)
        )
        puzzle = Puzzle(geometry, tuple(cells))
        if len(solutions(puzzle, count + 1)) == count:
            return puzzle
    raise AssertionError


def without_solution(made):
    """A puzzle with one more given, that its solutions do not have and no given forbids."""
    puzzle = made()
    found = solutions(puzzle, 10)
    for cell, mask in enumerate(puzzle.cells):
        for value in range(1, puzzle.geometry.side + 1):
            bit = 1 << value - 1
            cells = (*puzzle.cells[:cell], bit, *puzzle.cells[cell + 1 :])
            spoiled = Puzzle(puzzle.geometry, cells)
            if mask & bit and mask != bit and all(grid.values[cell] != value for grid in found):
                return spoiled
    raise AssertionError


def _named():
    for number, text in enumerate((UNIQUE, TWO, SIX, NONE)):
        yield f"4x4-{number}", partial(parse_puzzle, text)
    for number, text in enumerate((EVEN_ODD, EVEN_ODD_SIX)):
        yield f"even-odd-{number}", partial(parse_puzzle, text)
    yield "hard", lambda: HARD
    for height, width, variant, opened, counts in (
        (3, 3, "classic", 48, (1, 2, 6)),
        (3, 3, "even-odd", 61, (2,)),
        (2, 3, "classic", 22, (2, 6)),
        (2, 3, "even-odd", 29, (6,)),
        (4, 4, "classic", 100, (1,)),
        (4, 4, "even-odd", 112, (2,)),
    ):
        for count in counts:
            made = partial(thinned, Geometry(height, width), variant, opened, count)
            yield f"{height}x{width}-{variant}-{count}", made
        yield f"{height}x{width}-{variant}-0", partial(without_solution, made)


TO_PROVE: dict[str, Callable[[], Puzzle]] = dict(_named())
"""What makes each, by its name."""
