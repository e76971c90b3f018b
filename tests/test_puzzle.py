"""What a Sudoku is."""

from __future__ import annotations

import pytest
from hypothesis import given
from support.oracle import peers
from support.strategies import examples, geometries

from pipeline.puzzle import Geometry, Grid, Puzzle, units_of, values_of

NINE = Geometry(3, 3)


@pytest.mark.parametrize(("height", "width"), [(1, 2), (2, 1), (3, 3), (16, 16), (1, 256)])
def test_a_side_of_2_to_256_is_a_geometry(height, width):
    assert Geometry(height, width).side == height * width


@pytest.mark.parametrize(("height", "width"), [(1, 1), (0, 4), (-2, -2), (16, 17), (257, 1)])
def test_any_other_side_is_refused(height, width):
    with pytest.raises(ValueError, match=rf"a box of {height}×{width} cells: .* 2 to 256"):
        Geometry(height, width)


@examples(10)
@given(geometries)
def test_rows_columns_and_boxes_each_part_the_cells_into_n_times_n(geometry):
    n = geometry.side
    for kind in (geometry.rows(), geometry.columns(), geometry.boxes()):
        units = [tuple(unit) for unit in kind]
        assert [len(unit) for unit in units] == [n] * n
        assert sorted(cell for unit in units for cell in unit) == list(range(n * n))


@examples(10)
@given(geometries)
def test_two_cells_share_a_unit_exactly_if_the_rules_say_that_they_see_each_other(geometry):
    for cell, seen in enumerate(peers(geometry)):
        shared = {other for unit in units_of(geometry) if cell in unit for other in unit}
        assert shared - {cell} == seen


@examples(10)
@given(geometries)
def test_a_box_is_found_again_from_each_of_its_cells(geometry):
    for index, box in enumerate(geometry.boxes()):
        assert {geometry.box_of(cell) for cell in box} == {index}


def test_boxes_are_counted_along_the_rows_and_are_as_high_and_wide_as_said():
    boxes = list(Geometry(2, 3).boxes())
    assert boxes[0] == (0, 1, 2, 6, 7, 8)
    assert boxes[1] == (3, 4, 5, 9, 10, 11)
    assert boxes[2] == (12, 13, 14, 18, 19, 20)


def test_a_cell_has_its_place_counted_from_1():
    assert [NINE.place(cell) for cell in (0, 8, 9, 80)] == [(1, 1), (1, 9), (2, 1), (9, 9)]


@pytest.mark.parametrize(
    ("mask", "values"),
    [
        (NINE.all_values, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (NINE.odd_values, [1, 3, 5, 7, 9]),
        (NINE.even_values, [2, 4, 6, 8]),
        (Geometry(2, 2).even_values, [2, 4]),
        (1 << 255, [256]),
        (0, []),
    ],
)
def test_a_mask_lists_its_values_in_ascending_order(mask, values):
    assert list(values_of(mask)) == values


def test_a_puzzle_of_values_has_givens_where_they_are_not_0():
    puzzle = Puzzle.of_values(Geometry(1, 2), [0, 2, 1, 0])
    assert puzzle.cells == (0b11, 0b10, 0b01, 0b11)
    assert list(puzzle.givens()) == [(1, 2), (2, 1)]


def test_the_empty_puzzle_has_no_givens():
    assert list(Puzzle.empty(NINE).givens()) == []


@pytest.mark.parametrize("cells", [(1,) * 3, (1,) * 5, (1, 1, 1, 0), (1, 1, 1, 0b100)])
def test_a_puzzle_refuses_missing_cells_empty_ones_and_values_above_its_side(cells):
    with pytest.raises(ValueError, match=r"cells|cell must allow"):
        Puzzle(Geometry(1, 2), cells)


@pytest.mark.parametrize("values", [(1,) * 3, (1,) * 5, (1, 2, 2, 0), (1, 2, 2, 3)])
def test_a_grid_refuses_missing_values_and_those_outside_1_to_its_side(values):
    with pytest.raises(ValueError, match="values"):
        Grid(Geometry(1, 2), values)


def test_a_grid_gives_its_rows_and_orders_by_them():
    small, large = (Grid(Geometry(1, 2), values) for values in [(1, 2, 2, 1), (2, 1, 1, 2)])
    assert list(large.rows()) == [(2, 1), (1, 2)]
    assert sorted([large, small]) == [small, large]
