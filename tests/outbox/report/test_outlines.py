"""Lines around cells and between them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples

from pipeline.outbox.report.outlines import borders, inner_lines, outline
from pipeline.puzzle.geometry import Geometry

PLACES = [(row, column) for row in range(1, 6) for column in range(1, 6)]
_STEP = re.compile(r"([MHVhvz])([^MHVhvz]*)")


def loops(path: str) -> list[list[tuple[float, float]]]:
    """The corners of each line in a path of straight lines across and down."""
    found: list[list[tuple[float, float]]] = []
    for step, said in _STEP.findall(path):
        numbers = [*map(float, said.split())]
        if step == "M":
            found.append([(numbers[0], numbers[1])])
            continue
        if step == "z":
            continue
        x, y = found[-1][-1]
        ends = {"H": (numbers[0], y), "V": (x, numbers[0])}
        ends |= {"h": (x + numbers[0], y), "v": (x, y + numbers[0])}
        found[-1].append(ends[step])
    return found


def encloses(path: str, x: float, y: float) -> bool:
    """Whether a point is inside of closed lines: a ray from it meets an odd number of sides."""
    met = 0
    for corners in loops(path):
        for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
            met += x1 == x2 and x1 > x and min(y1, y2) < y < max(y1, y2)
    return met % 2 == 1


@examples(60)
@given(st.sets(st.sampled_from(PLACES), min_size=1), st.sampled_from([0, 1.7, 4]))
def test_an_outline_encloses_its_cells_and_no_others(cells, inset):
    path = outline(cells, inset)
    middles = {place: (place[1] * 20 - 10, place[0] * 20 - 10) for place in PLACES}
    assert {place for place in PLACES if encloses(path, *middles[place])} == cells
    assert outline([(1, 1), (2, 2)], 1) == "M1 1H19V19H1zM21 21H39V39H21z", "they do not touch"


@examples(60)
@given(st.sets(st.sampled_from(PLACES), min_size=1))
def test_an_inset_outline_stays_within_its_cells(cells):
    for corners in loops(outline(cells, 2)):
        assert all((y // 20 + 1, x // 20 + 1) in cells for x, y in corners)
        assert all(x % 20 in (2, 18) and y % 20 in (2, 18) for x, y in corners)


@pytest.mark.parametrize("geometry", [Geometry(1, 4), Geometry(4, 1)])
def test_a_grid_without_boxes_has_only_its_border(geometry):
    assert borders(geometry) == "M0 0h80M0 80h80M0 0v80M80 0v80"


def test_regions_are_told_apart_where_they_meet():
    regions = (((1, 1), (1, 2), (2, 1)), ((2, 2),))
    lines = borders(Geometry(1, 2), regions)
    assert lines == "M0 0h40M20 20h20M0 40h40M0 0v40M20 20v20M40 0v40"


def test_cells_of_no_region_are_one():
    assert "M0 20h20" in borders(Geometry(1, 2), (((1, 1),),))
    assert borders(Geometry(1, 2), ((),)) == borders(Geometry(1, 2))


def test_several_grids_have_lines_only_where_they_have_cells():
    geometry = Geometry(2, 2, grids=((0, 0), (2, 2)))
    assert inner_lines(geometry).startswith("M0 20h80M0 40h80M0 60h120")
    edges = loops(borders(geometry))
    assert [(40.0, 120.0), (120.0, 120.0)] in edges
    assert [(0.0, 0.0), (80.0, 0.0)] in edges
    assert all(not (x > 80 and y < 40) for edge in edges for x, y in edge)
