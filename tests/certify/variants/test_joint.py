"""Sums that follow from several others hold wherever these hold, and refute what they refute."""

from __future__ import annotations

import random
from math import inf

from support.puzzles import pattern

from pipeline.certify.exhaustive import SearchResult
from pipeline.certify.variants import run_search
from pipeline.certify.variants.joint import joint_sums
from pipeline.puzzle.constraints import AllDifferent, AllOf
from pipeline.puzzle.geometry import Geometry, units_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules.cages import Sum
from pipeline.puzzle.sums import Total

NINE, VALUES = Geometry(3, 3), range(1, 10)
ROWS = ((0, 1, 2, 3), (4, 5, 6, 7))
OF_ONE_BOX = ((0, 1, 9, 10, 80), (2, 11, 18, 19, 30))


def total(cells, number, weight=1):
    return Total(tuple((cell, weight) for cell in cells), number)


def joint(*constraints, units=()):
    return [*joint_sums(constraints, units, VALUES)]


def of_one_box(number):
    """Two sums, each of four cells of the first box and one elsewhere."""
    return [Sum(tuple((cell, 1) for cell in cells), number) for cells in OF_ONE_BOX]


def test_joint_sums_hold_in_every_grid_in_which_the_sums_do():
    chance, found = random.Random(1), 0
    for _ in range(50):
        names = chance.sample(VALUES, 9)
        values = [names[value - 1] for value in pattern(NINE).values]
        boxes = [chance.sample(box, 9) for box in chance.sample([*NINE.boxes()], 5)]
        parts = [box[at : at + chance.randrange(3, 5)] for box in boxes for at in (0, 4)]
        sums = [total(cells, sum(values[cell] for cell in cells)) for cells in parts]
        made = joint(*sums, units=units_of(NINE))
        assert all(each.holds(values) for each in made)
        found += len(made)
    assert found > 100


def test_sums_are_joined_if_more_of_their_cells_differ():
    sums = [total(cells, 20) for cells in ROWS]
    eight = total(range(8), 40)
    assert joint(*sums) == []
    assert joint(*sums, units=[range(9)]) == [eight]
    assert joint(AllOf((*sums, AllDifferent(tuple(range(8)))))) == [eight]


def test_sums_with_weights_or_common_cells_are_not_joined():
    one, other = (total(cells, 20) for cells in ROWS)
    units = [range(9)]
    assert joint(one, total((3, 4, 5, 6), 20), units=units) == []
    assert joint(one, total(ROWS[1], 40, weight=2), units=units) == []
    assert joint(one, total((4, 4, 5), 20), units=units) == []
    assert joint(other, units=units) == []


def test_sums_that_cannot_all_hold_are_refuted_without_a_branch():
    puzzle = Puzzle.empty(NINE, tuple(of_one_box(32)))
    assert run_search(None, puzzle, (), 1, inf, inf) == SearchResult((), 0)
    assert run_search(None, Puzzle.empty(NINE, tuple(of_one_box(31))), (), 1, inf, inf).missing
