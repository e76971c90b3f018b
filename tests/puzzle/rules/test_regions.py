"""Regions and units of a whole grid: where they are, how they are drawn, and what is refused."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.puzzle.rules.regions import Diagonal, DisjointGroups, ExtraRegion, Region, Windoku
from pipeline.puzzle.shapes import Line, Outline, Tint

FOUR, NINE = Geometry(1, 4), Geometry(3, 3)
SEVERAL = Geometry(3, 3, grids=((0, 0), (6, 6)))
each_region = pytest.mark.parametrize("kind", [Region, ExtraRegion])


def places(geometry, cells):
    return [geometry.place(cell) for cell in cells]


@each_region
def test_the_values_of_a_region_differ(kind):
    for cells, kept, broken in (
        ((0, 1, 4, 5), [1, 2, 0, 0, 4, 3], [1, 2, 0, 0, 4, 2]),  # n cells
        ((5, 0), [1, 0, 0, 0, 0, 4], [4, 0, 0, 0, 0, 4]),  # fewer
    ):
        assert kind(cells).holds(FOUR, kept)
        assert not kind(cells).holds(FOUR, broken)


@each_region
def test_a_region_of_more_cells_than_values_is_a_puzzle_without_a_solution(kind):
    rule = kind(tuple(range(5)))
    assert Puzzle.empty(FOUR, (rule,)).rules == (rule,)
    assert not rule.holds(FOUR, [1, 2, 3, 4, 1, *[0] * 11])


def test_a_region_of_a_jigsaw_has_a_line_around_it_and_an_extra_one_is_shaded():
    cells = ((1, 2), (2, 2))
    assert [*Region((1, 5)).draw(FOUR)] == [Outline(cells, "region")]
    assert [*ExtraRegion((1, 5)).draw(FOUR)] == [Tint(cells, "extra-region")]
    assert Region((1, 5)).describe(FOUR) == "jigsaw region of r1c2"
    assert ExtraRegion((5, 1)).describe(FOUR) == "extra region at r2c2"


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 3), Geometry(1, 5)])
def test_a_diagonal_leads_from_corner_to_corner(geometry):
    n = geometry.side
    falling, rising = Diagonal(rising=False), Diagonal(rising=True)
    assert places(geometry, falling.cells(geometry)) == [(k, k) for k in range(1, n + 1)]
    assert places(geometry, rising.cells(geometry)) == [(n + 1 - k, k) for k in range(1, n + 1)]
    low, high = 0.5, n + 0.5
    assert [*falling.draw(geometry)] == [Line(((low, low), (high, high)), "diagonal")]
    assert [*rising.draw(geometry)] == [Line(((high, low), (low, high)), "diagonal")]
    assert falling.describe(geometry) == "diagonal from r1c1"
    assert rising.describe(geometry) == f"diagonal from r{n}c1"


@pytest.mark.parametrize("geometry", [NINE, Geometry(1, 9)], ids=["boxes", "none"])
def test_the_windows_of_windoku_are_four_boxes_with_a_cell_between_and_around_them(geometry):
    four = [
        [(row, column) for row in rows for column in columns]
        for rows in ((2, 3, 4), (6, 7, 8))
        for columns in ((2, 3, 4), (6, 7, 8))
    ]
    windows = [each.cells for each in Windoku().formula(geometry).parts]
    assert [places(geometry, window) for window in windows] == four
    assert [*Windoku().draw(geometry)] == [Tint(tuple(each), "windoku") for each in four]
    assert Windoku().describe(geometry) == "windoku"


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 3), Geometry(4, 2), Geometry(5, 1)])
def test_two_cells_share_a_disjoint_group_if_they_are_at_the_same_place_of_their_boxes(geometry):
    groups = [each.cells for each in DisjointGroups().formula(geometry).parts]
    assert sorted(cell for group in groups for cell in group) == list(range(geometry.size))
    for group in groups:
        within = {
            ((row - 1) % geometry.height, (column - 1) % geometry.width)
            for row, column in places(geometry, group)
        }
        assert len(within) == 1
    assert [*DisjointGroups().draw(geometry)] == []
    assert DisjointGroups().describe(geometry) == "disjoint groups"


@each_region
@pytest.mark.parametrize(
    ("cells", "fault"), [((), "at least 1 cell, not 0"), ((3, 4, 3), "a cell is named twice")]
)
def test_no_cells_and_a_cell_named_twice_are_refused(kind, cells, fault):
    with pytest.raises(ValueError, match=f"{kind.name}: {fault}"):
        kind(cells)


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
