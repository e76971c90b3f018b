"""Redundant givens are those that can be left out by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
from support.oracle import solutions
from support.solving import EVEN_ODD, HARD, NINE, NINE_SOLVED, pattern

from pipeline.catalogue import solutions as solving
from pipeline.catalogue.solutions import redundant_givens
from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.reading.formats import parse_puzzle


def by_hand(puzzle):
    """Whether each cell can be opened, one at a time, and leave one solution."""
    full, found = puzzle.geometry.all_values, []
    givens = dict(puzzle.givens())
    for cell in range(len(puzzle.cells)):
        cells = tuple(full if c == cell else mask for c, mask in enumerate(puzzle.cells))
        open_ = Puzzle(puzzle.geometry, cells)
        found.append(cell in givens and len(solutions(open_, 2)) == 1)
    return found


def opened(geometry):
    """A grid, with ever fewer redundant givens, and with none."""
    generator, masks, some = random.Random(1), [1 << v - 1 for v in pattern(geometry).values], []
    while (found := redundant_givens(geometry, np.array([masks], np.uint32)).cells[0]).any():
        some.append(Puzzle(geometry, tuple(masks)))
        masks[generator.choice(np.flatnonzero(found).tolist())] = geometry.all_values
    return [*some[::3], Puzzle(geometry, tuple(masks))]


def found_in(*puzzles):
    masks = np.array([puzzle.cells for puzzle in puzzles], np.uint64)
    found = redundant_givens(puzzles[0].geometry, masks)
    assert found.certain.all()
    return found.cells.tolist()


def test_redundant_givens_of_nine_can_be_left_out_by_hand(monkeypatch):
    texts = [NINE, HARD, NINE_SOLVED, NINE_SOLVED[:40] + NINE[40:], EVEN_ODD]
    puzzles = [parse_puzzle(text) for text in texts]
    found = found_in(*puzzles)
    monkeypatch.setattr(solving, "QUESTIONS", 5 * 81)
    assert found_in(*puzzles) == found
    assert found == [by_hand(puzzle) for puzzle in puzzles]
    assert not any(found[1])
    assert all(found[2])


@pytest.mark.parametrize("geometry", [Geometry(2, 2), Geometry(2, 3)])
def test_redundant_givens_of_other_sides_can_be_left_out_by_hand(geometry):
    puzzles = opened(geometry)
    found = found_in(*puzzles)
    assert found == [by_hand(puzzle) for puzzle in puzzles]
    assert not any(found[-1])


def test_without_time_nothing_is_certain():
    found = redundant_givens(Geometry(3, 3), np.array([parse_puzzle(HARD).cells], np.uint64), 0.0)
    assert not found.certain.any()


def test_no_puzzles_have_no_givens():
    assert redundant_givens(Geometry(3, 3), np.zeros((0, 81), np.uint16)).cells.shape == (0, 81)
