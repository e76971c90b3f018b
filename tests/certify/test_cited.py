"""Steps of variants are certified by what they cite, and by nothing else."""

from __future__ import annotations

import pytest

from pipeline.certify.cited import follows_from
from pipeline.puzzle.constraints import AllDifferent
from pipeline.puzzle.geometry import Geometry
from pipeline.rules import Cage, Thermometer

FOUR = Geometry(2, 2)
ROW = AllDifferent((0, 1, 2, 3))
COLUMN = AllDifferent((0, 4, 8, 12))


def masks(**candidates: list[int]) -> list[int]:
    """The masks of a 4×4 grid: `c3=[1, 2]` for cell 3; other cells hold any value."""
    of = {int(name[1:]): sum(1 << v - 1 for v in values) for name, values in candidates.items()}
    return [of.get(cell, 15) for cell in range(16)]


def test_a_placement_follows_from_a_unit():
    three = masks(c0=[1, 2], c1=[1, 2], c2=[1, 2, 3])
    assert follows_from(FOUR, three, [ROW], [(2, 3)], [])
    assert follows_from(FOUR, three, [ROW], [(2, 3), (3, 4)], [(2, 1), (3, 3)])


def test_nothing_follows_from_a_unit_that_is_not_cited():
    three = masks(c0=[1, 2], c1=[1, 2], c2=[1, 2, 3])
    assert not follows_from(FOUR, three, [], [(2, 3)], [])
    assert not follows_from(FOUR, three, [COLUMN], [(2, 3)], [])


@pytest.mark.parametrize("conclusion", [((2, 1),), ((3, 1),), ((2, 3), (3, 3))])
def test_one_wrong_conclusion_of_several_is_enough(conclusion):
    three = masks(c0=[1, 2], c1=[1, 2], c2=[1, 2, 3])
    assert not follows_from(FOUR, three, [ROW], [(2, 3), *conclusion], [])


def test_a_step_without_conclusions_is_not_certified():
    assert not follows_from(FOUR, masks(), [ROW], [], [])


def test_a_cell_with_one_candidate_needs_no_constraint():
    assert follows_from(FOUR, masks(c5=[4]), [], [(5, 4)], [(5, 1)])
    assert not follows_from(FOUR, masks(c5=[3, 4]), [], [(5, 4)], [])


def test_rules_are_cited_as_constraints():
    cage = Cage((0, 1), 3).constraints(FOUR)
    thermometer = Thermometer((0, 1)).constraints(FOUR)
    assert follows_from(FOUR, masks(), [cage], [], [(0, 3), (1, 4)])
    assert not follows_from(FOUR, masks(), [cage], [(0, 1)], [])
    assert follows_from(FOUR, masks(), [cage, thermometer], [(0, 1), (1, 2)], [])


def test_a_cell_without_candidates_proves_nothing():
    none = masks()
    none[0] = 0
    assert not follows_from(FOUR, none, [ROW], [(1, 1)], [])


def test_overlapping_grids_have_cells_but_no_units_of_their_own():
    two = Geometry(2, 2, ((0, 0), (2, 2)))
    every = [15] * two.size
    corner = AllDifferent(next(two.boxes()))
    every[0], every[1], every[4] = 1, 2, 4
    assert not follows_from(two, every, [], [(5, 4)], [])
    assert follows_from(two, every, [corner], [(5, 4)], [])
