"""Regions of a jigsaw, and extra ones."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.puzzle.rules.regions import ExtraRegion, Region
from pipeline.puzzle.shapes import Outline, Tint

KINDS = pytest.mark.parametrize("kind", [Region, ExtraRegion])
FOUR = Geometry(1, 4)


@KINDS
def test_a_region_of_n_cells_holds_each_value_once(kind):
    rule = kind((0, 1, 4, 5))
    assert rule.holds(FOUR, [1, 2, 0, 0, 4, 3, *[0] * 10])
    assert not rule.holds(FOUR, [1, 2, 0, 0, 4, 2, *[0] * 10])


@KINDS
def test_one_of_fewer_cells_holds_different_values(kind):
    rule = kind((15, 0))
    assert rule.holds(FOUR, [1, *[0] * 14, 4])
    assert not rule.holds(FOUR, [4, *[0] * 14, 4])


@KINDS
def test_one_of_more_cells_than_values_is_a_puzzle_without_a_solution(kind):
    rule = kind(tuple(range(5)))
    assert Puzzle.empty(FOUR, (rule,)).rules == (rule,)
    assert not rule.holds(FOUR, [1, 2, 3, 4, 1, *[0] * 11])


def test_a_region_of_a_jigsaw_has_a_line_around_it_and_an_extra_one_is_shaded():
    cells = ((1, 2), (2, 2))
    assert list(Region((1, 5)).draw(FOUR)) == [Outline(cells, "region")]
    assert list(ExtraRegion((1, 5)).draw(FOUR)) == [Tint(cells, "extra-region")]


def test_a_region_is_told_by_its_first_cell():
    assert Region((1, 5)).describe(FOUR) == "jigsaw region of r1c2"
    assert ExtraRegion((5, 1)).describe(FOUR) == "extra region at r2c2"


@KINDS
@pytest.mark.parametrize(
    ("cells", "fault"), [((), "at least 1 cell, not 0"), ((3, 4, 3), "a cell is named twice")]
)
def test_no_cells_and_a_cell_named_twice_are_refused(kind, cells, fault):
    with pytest.raises(ValueError, match=f"{kind.name}: {fault}"):
        kind(cells)
