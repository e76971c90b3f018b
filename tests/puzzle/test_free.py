"""Free geometries: positions and names of cells, solutions as text, conflicts, proofs, boards."""

from __future__ import annotations

import pytest
from support.cases import for_each

from pipeline import encode_puzzle, parse_puzzle, solve
from pipeline.certify import certify_grid
from pipeline.certify.formula import core_of, proof_formula
from pipeline.errors import InvalidPuzzle, UsageError
from pipeline.outbox.report import Board, board_svg
from pipeline.puzzle.geometry import FreeGrid, Geometry, units_of
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules import neighbours
from pipeline.reading.formats import read_values
from pipeline.reading.formats.grid_text import write_values

GEOMETRY = Geometry(1, 3, free_grid=FreeGrid(2, 3, 0, (("VA", 4), ("VB", 1))))
VALUES = (0, 1, 2, 2, 0, 1, 0, 0, 1, 2, 2)


def test_extra_cells_are_numbered_after_the_grid_and_lie_below_it():
    assert (GEOMETRY.size, GEOMETRY.grid_size, GEOMETRY.extent) == (11, 6, (7, 3))
    places = [GEOMETRY.place(cell) for cell in range(GEOMETRY.size)]
    assert places[5:] == [(2, 3), (4, 1), (4, 2), (4, 3), (5, 1), (7, 1)]
    assert [GEOMETRY.cell_at(*place) for place in places] == [*range(11)]
    assert GEOMETRY.cell_at(3, 1) is None
    assert [GEOMETRY.name_of(cell) for cell in (0, 5, 6, 9, 10)] == [
        *("r1c1", "r2c3"),
        *("VA1", "VA4", "VB"),
    ]
    assert [*GEOMETRY.rows()] == [(0, 1, 2), (3, 4, 5)]
    assert [*GEOMETRY.columns()] == [(0, 3), (1, 4), (2, 5)]
    assert units_of(GEOMETRY) == ()
    assert {cell for pair in neighbours(GEOMETRY) for cell in pair} == {*range(6)}


def test_a_group_of_extra_cells_may_be_wider_than_the_grid_or_narrower():
    groups = (("VA", 5), ("VB", 2), ("VC", 3))
    geometry = Geometry(1, 3, free_grid=FreeGrid(2, 3, 1, groups, (("VA", 4), ("VB", 1))))
    places = [geometry.place(cell) for cell in range(6, geometry.size)]
    assert places[:5] == [(4, 1), (4, 2), (4, 3), (4, 4), (5, 1)]
    assert places[5:] == [(7, 1), (8, 1), (10, 1), (10, 2), (10, 3)]
    assert geometry.extent == (10, 4)
    assert geometry.free_grid
    assert [geometry.free_grid.width_of(name) for name, _ in groups] == [4, 1, 3]
    assert [*geometry.columns()] == [(0, 3), (1, 4), (2, 5)]


@for_each("widths", [(("VB", 2),), (("VA", 0),), (("VA", 257),), (("VA", 1), ("VA", 2))])
def test_invalid_widths_are_refused(widths):
    with pytest.raises(ValueError, match=r"width|columns"):
        FreeGrid(2, 2, 1, (("VA", 4),), widths)


@for_each(
    ("rows", "columns", "lowest", "groups"),
    [
        (0, 3, 1, ()),
        (3, 257, 1, ()),
        (2, 2, 2, ()),
        (2, 2, -1, ()),
        (2, 2, 1, (("VA", 0),)),
        (2, 2, 1, (("VA", 1025),)),
        (2, 2, 1, (("VA", 1), ("VA", 2))),
    ],
)
def test_an_invalid_shape_is_refused(rows, columns, lowest, groups):
    with pytest.raises(ValueError, match=r"cells|rows|lowest|groups"):
        FreeGrid(rows, columns, lowest, groups)


def test_a_free_geometry_has_one_grid_and_no_boxes():
    for parts in ((2, 2, ()), (1, 4, ((0, 0), (2, 2)))):
        with pytest.raises(ValueError, match="a single grid and no boxes"):
            Geometry(*parts, FreeGrid(4, 4))


def test_values_outside_the_range_of_the_geometry_are_refused():
    assert Grid(GEOMETRY, VALUES).values == VALUES
    with pytest.raises(ValueError, match="are 0 to 2"):
        Grid(GEOMETRY, (3, *VALUES[1:]))
    puzzle = Puzzle.of_values(GEOMETRY, (-1, *VALUES[1:]))
    assert puzzle.cells[0] == 0b111
    assert [*puzzle.givens()] == [*enumerate(VALUES)][1:]
    assert (GEOMETRY.even_values, GEOMETRY.odd_values) == (0b101, 0b010)


def test_a_solution_is_written_as_rows_and_a_line_for_each_group():
    grid = Grid(GEOMETRY, VALUES)
    text = "012\n201\n0012\n2\n"
    assert write_values(grid) == text
    assert read_values(text.encode(), "s", GEOMETRY) == grid
    assert [*grid.rows()] == [(0, 1, 2), (2, 0, 1), (0, 0, 1, 2), (2,)]
    with pytest.raises(InvalidPuzzle, match=r"s:4:1: expected a value from 0 to 2, found '3'"):
        read_values(b"012\n201\n0012\n3\n", "s", GEOMETRY)
    wide = Geometry(1, 11, free_grid=FreeGrid(1, 2, 0))
    assert write_values(Grid(wide, (10, 0))) == "10 0\n"


@pytest.mark.usefixtures("unhurried")
def test_conflicts_name_extra_cells_as_the_text_does():
    puzzle = Puzzle(GEOMETRY, (1, *[7] * 5, 0b011, *[7] * 4))
    (given, mark) = certify_grid(puzzle, Grid(GEOMETRY, (1, *VALUES[1:6], 2, *VALUES[7:])))
    assert given.message == "row 1, column 1 holds 1, given as 0"
    assert mark.message == "VA1 holds 2, marked as 0 or 1"
    result = solve(parse_puzzle(".Shape~2x2~0-1.Var~A.~VA_0.Thermo~R1C1~VA"))
    assert result.conflict
    assert result.conflict.message == "0 in VA and thermometer from r1c1 leave no solution"


def test_the_proof_formula_excludes_exactly_the_solutions():
    puzzle = parse_puzzle(".Shape~2x3~0-2.Var~A~~2.Thermo~VA1~VA2.~R1C1_0~R1C2_1")
    result = solve(puzzle)
    assert (len(result.solutions), result.complete) == (6, True)
    formula = proof_formula(puzzle, result.solutions[1:])
    excluded = result.solutions[0]
    literals = {cell * 3 + value + 1 for cell, value in enumerate(excluded.values)}
    assert not core_of(formula).is_refuted
    for clause in formula.own_clauses[-5:]:
        assert not literals.issuperset(-literal for literal in clause)


def test_decimal_numbering_needs_a_standard_grid():
    with pytest.raises(UsageError, match="decimal numbering"):
        encode_puzzle(Puzzle.empty(GEOMETRY), numbering="decimal")


def test_the_text_of_a_board_names_groups_and_the_shape():
    drawn = board_svg(Board(None, Grid(GEOMETRY, VALUES)), "a puzzle", "b")
    assert "2×3 cells, values 0 to 2, 5 cells outside" in drawn
    assert "Row 2: 2 0 1. VA: 0 0 1 2. VB: 2." in drawn
    assert all(f">{name}</tspan>" in drawn for name in ("VA", "VB"))
