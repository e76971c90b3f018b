"""Diagonals, windoku and disjoint groups: units that a whole grid gets."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.puzzle.rules.regions import Diagonal, DisjointGroups, Windoku
from pipeline.puzzle.shapes import Line, Tint

NINE = Geometry(3, 3)
SEVERAL = Geometry(3, 3, grids=((0, 0), (6, 6)))


def places(geometry, cells):
    return [geometry.place(cell) for cell in cells]


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 3), Geometry(1, 5)])
def test_a_diagonal_leads_from_corner_to_corner(geometry):
    n = geometry.side
    falling, rising = Diagonal(rising=False), Diagonal(rising=True)
    assert places(geometry, falling.cells(geometry)) == [(k, k) for k in range(1, n + 1)]
    assert places(geometry, rising.cells(geometry)) == [(n + 1 - k, k) for k in range(1, n + 1)]


def test_a_value_that_repeats_on_the_diagonal_breaks_it():
    values = list(range(81))
    assert Diagonal(rising=True).holds(NINE, values)
    values[72] = values[8]
    assert not Diagonal(rising=True).holds(NINE, values)
    assert Diagonal(rising=False).holds(NINE, values)


@pytest.mark.parametrize(
    ("rising", "points", "corner"),
    [(True, ((9.5, 0.5), (0.5, 9.5)), "r9c1"), (False, ((0.5, 0.5), (9.5, 9.5)), "r1c1")],
)
def test_a_diagonal_is_drawn_from_corner_to_corner_and_told_by_its_first_cell(
    rising, points, corner
):
    rule = Diagonal(rising)
    assert list(rule.draw(NINE)) == [Line(points, "diagonal")]
    assert rule.describe(NINE) == f"diagonal from {corner}"


@pytest.mark.parametrize("geometry", [NINE, Geometry(1, 9)], ids=["boxes", "none"])
def test_the_windows_of_windoku_are_four_boxes_with_a_cell_between_and_around_them(geometry):
    four = [
        [(row, column) for row in rows for column in columns]
        for rows in ((2, 3, 4), (6, 7, 8))
        for columns in ((2, 3, 4), (6, 7, 8))
    ]
    assert [places(geometry, each.cells) for each in Windoku().formula(geometry).parts] == four
    assert list(Windoku().draw(geometry)) == [Tint(tuple(each), "windoku") for each in four]
    assert Windoku().describe(geometry) == "windoku"


def test_a_value_may_be_in_two_windows_but_not_twice_in_one():
    values = list(range(81))
    values[10] = values[14]  # r2c2 and r2c6
    assert Windoku().holds(NINE, values)
    values[10] = values[30]  # r4c4
    assert not Windoku().holds(NINE, values)


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 3), Geometry(4, 2), Geometry(5, 1)])
def test_two_cells_share_a_disjoint_group_if_they_are_at_the_same_place_of_their_boxes(geometry):
    groups = [each.cells for each in DisjointGroups().formula(geometry).parts]
    assert sorted(DisjointGroups().cells(geometry)) == list(range(geometry.size))
    assert [len(group) for group in groups] == [geometry.side] * geometry.side
    for group in groups:
        within = {
            ((row - 1) % geometry.height, (column - 1) % geometry.width)
            for row, column in places(geometry, group)
        }
        assert len(within) == 1


def test_nobody_draws_disjoint_groups_and_their_name_tells_them():
    assert list(DisjointGroups().draw(NINE)) == []
    assert DisjointGroups().describe(NINE) == "disjoint groups"


@pytest.mark.parametrize(
    ("rule", "geometry", "fault"),
    [
        (Diagonal(rising=True), SEVERAL, "diagonal: there are several grids"),
        (Windoku(), SEVERAL, "windoku: there are several grids"),
        (Windoku(), Geometry(4, 4), "windoku: the side is 16, not 9"),
        (DisjointGroups(), SEVERAL, "disjoint groups: there are several grids"),
        (DisjointGroups(), Geometry(1, 9), "disjoint groups: the grid has no boxes"),
    ],
)
def test_a_puzzle_refuses_them_in_a_grid_that_has_no_such_units(rule, geometry, fault):
    with pytest.raises(ValueError, match=fault):
        Puzzle.empty(geometry, (rule,))
