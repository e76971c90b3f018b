"""Redundant givens and rules agree with removing each of them alone."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from support.cases import for_each
from support.oracle import solutions
from support.puzzles import EVEN_ODD, HARD, NINE, NINE_SOLVED, UNIQUE, pattern

from pipeline import solve
from pipeline.catalogue import solutions as solving
from pipeline.catalogue.redundant import redundant_parts
from pipeline.catalogue.solutions import redundant_givens
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.lines import Thermometer
from pipeline.puzzle.rules.pairs import AntiKing
from pipeline.reading.formats import parse_puzzle

FOUR = Geometry(2, 2)


def by_hand(puzzle):
    """For each cell: is it a given without which the puzzle still has one solution?"""
    full, found = puzzle.geometry.all_values, []
    givens = dict(puzzle.givens())
    for cell in range(len(puzzle.cells)):
        cells = tuple(full if c == cell else mask for c, mask in enumerate(puzzle.cells))
        open_ = Puzzle(puzzle.geometry, cells)
        found.append(cell in givens and len(solutions(open_, 2)) == 1)
    return found


def opened(geometry):
    """Puzzles with fewer and fewer redundant givens, the last one with none."""
    masks, some = [1 << v - 1 for v in pattern(geometry).values], []
    for cell in random.Random(1).sample(range(geometry.size), geometry.size):
        fewer = [*masks[:cell], geometry.all_values, *masks[cell + 1 :]]
        if len(solutions(Puzzle(geometry, tuple(fewer)), 2)) == 1:
            some.append(Puzzle(geometry, tuple(masks)))
            masks = fewer
    return [*some[::6], Puzzle(geometry, tuple(masks))]


def found_in(*puzzles):
    masks = np.array([puzzle.cells for puzzle in puzzles], np.uint64)
    found = redundant_givens(puzzles[0].geometry, masks)
    assert found.certified.all()
    return found.cells.tolist()


def test_redundant_givens_of_9x9_agree_with_removal_one_by_one(monkeypatch):
    texts = [NINE, HARD, NINE_SOLVED, NINE_SOLVED[:40] + NINE[40:], EVEN_ODD]
    puzzles = [parse_puzzle(text) for text in texts]
    found = found_in(*puzzles)
    monkeypatch.setattr(solving, "BATCH_CELLS", 5 * 81)
    assert found_in(*puzzles) == found
    assert found == [by_hand(puzzle) for puzzle in puzzles]
    assert not any(found[1])
    assert all(found[2])


@pytest.mark.parametrize("geometry", [Geometry(2, 2), Geometry(2, 3)])
def test_redundant_givens_of_other_sides_agree_with_removal_one_by_one(geometry):
    puzzles = opened(geometry)
    found = found_in(*puzzles)
    assert found == [by_hand(puzzle) for puzzle in puzzles]
    assert not any(found[-1])


CAGES = (Cage((0, 1), 3), Cage((10, 11), 3), AntiKing(), Thermometer((0, 1)))


def is_unique(puzzle) -> bool:
    return len(solutions(puzzle, 2)) == 1


@for_each("text", [UNIQUE, "1.......3......4"])
@for_each("count", range(1, 5))
def test_redundant_parts_of_variants_agree_with_removal_one_by_one(text, count):
    puzzle = Puzzle(FOUR, parse_puzzle(text).cells, CAGES[:count])
    cells, rules = puzzle.cells, puzzle.rules
    found = solve(puzzle, traits="minimal").traits
    if not is_unique(puzzle):
        assert found.redundant is None is found.redundant_rules
        return
    opened = {at: (*cells[:at], FOUR.all_values, *cells[at + 1 :]) for at, _ in puzzle.givens()}
    fewer = {at: (*rules[:at], *rules[at + 1 :]) for at in range(count)}
    givens = [at for at, each in opened.items() if is_unique(replace(puzzle, cells=each))]
    can_go = [at for at, each in fewer.items() if is_unique(replace(puzzle, rules=each))]
    assert (found.redundant, found.redundant_rules) == (tuple(givens), tuple(can_go))


def test_redundant_parts_are_unknown_without_time_or_answers():
    puzzle = Puzzle(FOUR, parse_puzzle(UNIQUE).cells, CAGES[:1])
    asked = list[Puzzle]()
    assert redundant_parts(puzzle, lambda each, _: asked.append(each), 1.0) is None
    assert len(asked) == 1
    assert redundant_parts(puzzle, lambda each, _: True, 0.0) is None
    assert redundant_parts(puzzle, lambda each, _: True, 1.0).rules == (0,)


def test_redundant_givens_are_uncertain_without_time():
    found = redundant_givens(Geometry(3, 3), np.array([parse_puzzle(HARD).cells], np.uint64), 0.0)
    assert not found.certified.any()


def test_an_empty_batch_has_no_redundant_givens():
    assert redundant_givens(Geometry(3, 3), np.zeros((0, 81), np.uint16)).cells.shape == (0, 81)
