"""Geometries, puzzles and grids."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from support.cases import for_each
from support.oracle import peers
from support.strategies import examples, geometries

from pipeline.puzzle.geometry import FreeGrid, Geometry, unit_name, units_of, values_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.lines import Thermometer
from pipeline.puzzle.rules.pairs import AntiKnight
from pipeline.puzzle.rules.regions import Windoku

NINE = Geometry(3, 3)
SAMURAI = Geometry(3, 3, grids=((0, 0), (0, 12), (6, 6), (12, 0), (12, 12)))


@for_each(("height", "width"), [(1, 2), (2, 1), (3, 3), (16, 16), (1, 256)])
def test_a_side_of_2_to_256_is_a_geometry(height, width):
    assert Geometry(height, width).side == height * width


@for_each(("height", "width"), [(1, 1), (0, 4), (-2, -2), (16, 17), (257, 1)])
def test_other_sides_are_refused(height, width):
    with pytest.raises(ValueError, match=rf"a box of {height}×{width} cells: .* 2 to 256"):
        Geometry(height, width)


@examples(10)
@given(geometries)
def test_rows_columns_and_boxes_each_partition_the_cells(geometry):
    n = geometry.side
    for kind in (geometry.rows(), geometry.columns(), geometry.boxes()):
        units = [tuple(unit) for unit in kind]
        assert [len(unit) for unit in units] == [n] * n
        assert sorted(cell for unit in units for cell in unit) == list(range(n * n))


@examples(10)
@given(geometries)
def test_peers_are_the_cells_that_share_a_unit(geometry):
    for cell, seen in enumerate(peers(geometry)):
        shared = {other for unit in units_of(geometry) if cell in unit for other in unit}
        assert shared - {cell} == seen


@examples(10)
@given(geometries)
def test_box_of_is_the_inverse_of_boxes(geometry):
    for index, box in enumerate(geometry.boxes()):
        assert {geometry.box_of(cell) for cell in box} == {index}


def test_boxes_are_numbered_row_by_row():
    boxes = list(Geometry(2, 3).boxes())
    assert boxes[0] == (0, 1, 2, 6, 7, 8)
    assert boxes[1] == (3, 4, 5, 9, 10, 11)
    assert boxes[2] == (12, 13, 14, 18, 19, 20)


@for_each(
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


def test_values_other_than_0_are_givens():
    puzzle = Puzzle.of_values(Geometry(1, 2), [0, 2, 1, 0])
    assert puzzle.cells == (0b11, 0b10, 0b01, 0b11)
    assert list(puzzle.givens()) == [(1, 2), (2, 1)]
    assert list(Puzzle.empty(NINE).givens()) == []


@for_each("cells", [(1,) * 3, (1,) * 5, (1, 1, 1, 0), (1, 1, 1, 0b100)])
def test_a_puzzle_refuses_wrong_numbers_of_cells_and_invalid_masks(cells):
    with pytest.raises(ValueError, match=r"cells|cell must allow"):
        Puzzle(Geometry(1, 2), cells)


@for_each("values", [(1,) * 3, (1,) * 5, (1, 2, 2, 0), (1, 2, 2, 3)])
def test_a_grid_refuses_wrong_numbers_of_values_and_values_out_of_range(values):
    with pytest.raises(ValueError, match="values"):
        Grid(Geometry(1, 2), values)


def test_grids_have_rows_and_are_ordered_by_them():
    small, large = (Grid(Geometry(1, 2), values) for values in [(1, 2, 2, 1), (2, 1, 1, 2)])
    assert list(large.rows()) == [(2, 1), (1, 2)]
    assert sorted([large, small]) == [small, large]


def test_a_samurai_has_369_cells_in_21_rows_and_columns_numbered_row_by_row():
    assert (SAMURAI.size, SAMURAI.side, SAMURAI.extent) == (369, 9, (21, 21))
    places = [SAMURAI.place(cell) for cell in range(SAMURAI.size)]
    assert places == sorted(set(places))
    assert Counter(row for row, _ in places) == Counter(
        {**dict.fromkeys(range(1, 22), 18), **dict.fromkeys((7, 8, 9, 13, 14, 15), 21)}
        | dict.fromkeys((10, 11, 12), 9)
    )


@for_each("geometry", [SAMURAI, NINE, Geometry(2, 3), Geometry(2, 3, ((4, 0), (0, 3)))])
def test_cell_at_is_the_inverse_of_place(geometry):
    rows, columns = geometry.extent
    around = [(r, c) for r in range(-1, rows + 3) for c in range(-1, columns + 3)]
    cells = {place: geometry.cell_at(*place) for place in around}
    found = {place: cell for place, cell in cells.items() if cell is not None}
    assert found == {geometry.place(cell): cell for cell in range(geometry.size)}


def test_a_samurai_has_the_units_of_five_grids_with_four_shared_boxes():
    units = units_of(SAMURAI)
    assert len(units) == 5 * 9 + 5 * 9 + 41
    assert {len(set(unit)) for unit in units} == {9}
    assert len(set(units)) == len(units)
    seen = Counter(cell for unit in units for cell in unit)
    assert Counter(seen.values()) == {3: 369 - 36, 5: 36}
    assert [SAMURAI.unit_count(kind) for kind in ("row", "column", "box")] == [45, 45, 41]


@for_each(("top", "left"), SAMURAI.grids)
def test_each_grid_of_a_samurai_has_the_units_of_a_single_grid(top, left):
    moved = [
        tuple(SAMURAI.cell_at(row + top, column + left) for row, column in map(NINE.place, unit))
        for unit in units_of(NINE)
    ]
    assert set(moved) <= set(units_of(SAMURAI))


@for_each(
    ("geometry", "index", "name"),
    [
        (NINE, 0, "row 1"),
        (NINE, 17, "column 9"),
        (NINE, 18, "box 1"),
        (NINE, 26, "box 9"),
        (SAMURAI, 0, "row 1 of grid 1"),
        (SAMURAI, 44, "row 9 of grid 5"),
        (SAMURAI, 45, "column 1 of grid 1"),
        (SAMURAI, 45 + 9 * 2 + 3, "column 4 of grid 3"),
        (SAMURAI, 90, "box 1"),
        (SAMURAI, 130, "box 41"),
    ],
)
def test_a_unit_is_named_by_its_number_and_if_needed_its_grid(geometry, index, name):
    assert unit_name(geometry, index) == name


def test_grids_at_other_positions_make_another_geometry():
    assert Geometry(3, 3) != SAMURAI
    assert len({SAMURAI, Geometry(3, 3, SAMURAI.grids), NINE}) == 2


def test_a_puzzle_of_overlapping_grids_has_one_mask_for_each_cell():
    assert len(Puzzle.empty(SAMURAI).cells) == 369
    with pytest.raises(ValueError, match="a puzzle of side 9 has 369 cells, not 405"):
        Puzzle(SAMURAI, (1,) * 405)
    with pytest.raises(ValueError, match="a grid of side 9 has 369 values, not 405"):
        Grid(SAMURAI, (1,) * 405)


def test_a_puzzle_is_plain_if_it_is_one_grid_without_rules():
    assert Puzzle.empty(NINE).is_plain
    assert not Puzzle.empty(NINE, (AntiKnight(),)).is_plain
    assert not Puzzle.empty(SAMURAI).is_plain


def test_rules_keep_their_order_and_distinguish_puzzles():
    rules = (AntiKnight(), Cage((0, 1), 3))
    puzzle = Puzzle.empty(NINE, rules)
    assert puzzle.rules == rules
    assert hash(Puzzle.empty(NINE, [*rules])) == hash(puzzle)
    assert puzzle == Puzzle.of_values(NINE, [0] * 81, (AntiKnight(), Cage((0, 1), 3)))
    assert len({puzzle, Puzzle.empty(NINE), Puzzle.empty(NINE, rules[:1])}) == 3


@pytest.mark.parametrize(("geometry", "cell"), [(NINE, 81), (SAMURAI, 369)])
def test_a_puzzle_refuses_a_rule_about_cells_outside_the_grid(geometry, cell):
    with pytest.raises(ValueError, match=f"cage: there is no cell {cell}; the last is {cell - 1}"):
        Puzzle.empty(geometry, (AntiKnight(), Cage((0, cell), 3)))


def test_the_clauses_of_a_puzzle_are_the_clauses_of_its_rules():
    alone = [Puzzle.empty(NINE, (rule,)) for rule in (AntiKnight(), Cage((0, 1)))]
    together = Puzzle.empty(NINE, tuple(rule for puzzle in alone for rule in puzzle.rules))
    made = [clause for puzzle in alone for clause in puzzle.clauses_of_rules()]
    assert [*together.clauses_of_rules()] == made
    assert [*Puzzle.empty(NINE).clauses_of_rules()] == []


def test_clauses_of_rules_are_immutable():
    stated = Puzzle.empty(NINE, (Cage((0, 1), 3),)).clauses_of_rules()
    with pytest.raises(ValueError, match="read-only"):
        np.frombuffer(stated.data, np.int32)[0] = 1
    with pytest.raises(AttributeError):
        stated.facts = ()


@for_each(
    ("side", "box"), [(2, (1, 2)), (4, (2, 2)), (6, (2, 3)), (7, (1, 7)), (9, (3, 3)), (16, (4, 4))]
)
def test_an_empty_puzzle_of_a_side_has_the_default_boxes(side, box):
    assert Puzzle.empty(side) == Puzzle.empty(Geometry(*box))


@for_each("side", [-4, 0, 1, 257])
def test_an_empty_puzzle_of_an_invalid_side_is_refused(side):
    with pytest.raises(ValueError, match="must be 2 to 256"):
        Puzzle.empty(side)


def test_with_rules_adds_rules_to_a_copy():
    puzzle = Puzzle.of_values(Geometry(2, 2), [1, *[0] * 15], (AntiKnight(),))
    at = puzzle.geometry.cells_at
    more = puzzle.with_rules(Cage(at((1, 1), (1, 2)), 3), Cage(at((4, 4)), 2))
    assert more.rules == (AntiKnight(), Cage((0, 1), 3), Cage((15,), 2))
    assert (more.geometry, more.cells) == (puzzle.geometry, puzzle.cells)
    assert puzzle.rules == (AntiKnight(),)
    assert puzzle.with_rules() == puzzle


def test_a_rule_that_does_not_fit_the_grid_cannot_be_added():
    with pytest.raises(ValueError, match="cage: there is no cell 16; the last is 15"):
        Puzzle.empty(4).with_rules(Cage((16,)))
    with pytest.raises(ValueError, match="windoku: the side of the grid must be 9, not 4"):
        Puzzle.empty(4).with_rules(Windoku())
    with pytest.raises(TypeError, match=r"expected a rule, found \[AntiKnight\(\)\]"):
        Puzzle.empty(4).with_rules([AntiKnight()])


def test_a_grid_is_iterated_by_rows():
    grid = Grid(Geometry(1, 2), (1, 2, 2, 1))
    assert [*grid] == [*grid.rows()] == [(1, 2), (2, 1)]
    assert [*zip(*grid, strict=True)] == [(1, 2), (2, 1)]


@for_each(
    ("geometry", "shown"),
    [
        (Geometry(1, 2), "<Grid of 2×2 cells: 11 11>"),
        (NINE, f"<Grid of 9×9 cells: {' '.join(['1' * 9] * 9)}>"),
        (Geometry(4, 4), "<Grid of 16×16 cells>"),
        (SAMURAI, "<Grid of 21×21 cells>"),
        (Geometry(1, 3, free_grid=FreeGrid(1, 2, groups=(("A", 1),))), "<Grid of 3×2 cells: 11 1>"),
    ],
)
def test_a_small_grid_is_shown_with_its_values(geometry, shown):
    assert repr(Grid(geometry, (1,) * geometry.size)) == shown


def test_a_puzzle_is_shown_with_its_numbers():
    assert repr(Puzzle.of_values(NINE, [1, *[0] * 80])) == "<Puzzle of 9×9 cells, 1 given>"
    assert repr(Puzzle.empty(4, (AntiKnight(),))) == "<Puzzle of 4×4 cells, 0 givens, 1 rule>"


def test_overlapping_grids_have_no_rows_of_values():
    grid = Grid(SAMURAI, (1,) * SAMURAI.size)
    with pytest.raises(ValueError, match="5 overlapping grids have no rows"):
        grid.rows()


def test_cells_at_finds_cells_by_row_and_column():
    assert Geometry(2, 2).cells_at() == ()
    assert Geometry(2, 2).cells_at((1, 1), (4, 4), (1, 1)) == (0, 15, 0)
    assert SAMURAI.place(*SAMURAI.cells_at((21, 21))) == (21, 21)
    for geometry, place in ((Geometry(2, 2), (0, 1)), (Geometry(2, 2), (1, 5)), (SAMURAI, (1, 11))):
        with pytest.raises(ValueError, match=f"no cell at row {place[0]}, column {place[1]}"):
            geometry.cells_at((1, 1), place)


def test_rows_may_be_lists_or_strings():
    rows = ["1...", ".. 2", [None, 3, 0, ""], "---4"]
    puzzle = Puzzle.from_rows(rows)
    assert puzzle == Puzzle.of_values(Geometry(2, 2), [1, *[0] * 6, 2, 0, 3, *[0] * 5, 4])
    seven = Puzzle.from_rows([[7] + [0] * 6] * 7)
    assert seven.geometry == Geometry(1, 7)
    assert Puzzle.from_rows(["......"] * 6, Geometry(3, 2)).geometry == Geometry(3, 2)


@for_each(
    ("rows", "said"),
    [
        (["1...", "...", "....", "...."], "of 4 values, found 3 values in row 2"),
        (["1...", "...."] * 3, "expected 6 rows of 6 values, found 4 values in row 1"),
        ([], "expected rows of values, found no row"),
        (
            ["1..x", "....", "....", "...."],
            "row 1, column 4: expected a value or a blank, found 'x'",
        ),
        ([[-1, 0, 0, 0], *["...."] * 3], "found -1"),
        (["1..5", "....", "....", "...."], "row 1, column 4: expected a value up to 4, found 5"),
    ],
)
def test_rows_that_are_not_a_puzzle_are_refused(rows, said):
    with pytest.raises(ValueError, match=said):
        Puzzle.from_rows(rows)


def test_a_puzzle_and_a_grid_are_printed_as_boards():
    rules = (Thermometer((0, 1)), Cage((2, 3), 5))
    puzzle = Puzzle(Geometry(2, 2), (1, 0b1010, *[0b1111] * 13, 0b1000), rules)
    shown = " 1 24  .  .\n .  .  .  .\n .  .  .  .\n .  .  .  4"
    assert str(puzzle) == f"{shown}\nthermometer from r1c1\ncage 5 at r1c3"
    assert repr(puzzle) == "<Puzzle of 4×4 cells, 2 givens, 2 rules>"
    grid = Grid(Geometry(1, 2, grids=((0, 0), (1, 1))), (1, 2, 2, 1, 2, 2, 1))
    assert str(grid) == "1 2\n2 1 2\n  2 1"
    assert (grid[1, 2], grid[3, 3]) == (2, 1)
    with pytest.raises(IndexError, match="row 1, column 3"):
        grid[1, 3]
    match = r"expected a row and a column, as in grid\[1, 2\], found 5"
    with pytest.raises(TypeError, match=match):
        grid[5]  # type: ignore[index]
