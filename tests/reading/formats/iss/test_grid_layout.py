"""Grids of texts: shapes, values, boxes, pieces, and cells outside of them."""

from __future__ import annotations

import re
from itertools import product

import pytest
from support.cases import for_each
from support.rules.examples import CHAOS

from pipeline import parse_puzzle, solve
from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules import cages, lines, outside
from pipeline.puzzle.rules.cages import CountOfDifferent
from pipeline.puzzle.rules.custom import OneOf
from pipeline.puzzle.rules.free import (
    ChaosArrow,
    ChaosConstruction,
    ChaosCount,
    ConnectedValues,
    Doppelganger,
    SameRegions,
    Unit,
)
from pipeline.puzzle.rules.lines import Palindrome
from pipeline.puzzle.rules.pairs import BlackDot, Greater, WhiteDot
from pipeline.puzzle.rules.regions import DisjointGroups, ExtraRegion, Region, Windoku

JIGSAW = "0010011122323233"
BOXES = ((0, 1, 4, 5), (2, 3, 6, 7), (8, 9, 12, 13), (10, 11, 14, 15))
PIECES = ((0, 1, 3, 4), (2, 5, 6, 7), (8, 9, 11, 13), (10, 12, 14, 15))
LINE_OF_CHAOS = ".Shape~2x2.ChaosConstruction.NoBoxes"


def read(text: str) -> Puzzle:
    return parse_puzzle(text)


def units(puzzle: Puzzle) -> list[str]:
    return [rule.describe(puzzle.geometry) for rule in puzzle.rules if isinstance(rule, Unit)]


@for_each(
    ("text", "geometry", "kinds"),
    [
        (".Shape~6x9", Geometry(1, 9, free_grid=FreeGrid(6, 9)), (6, 9, 6)),
        (".Shape~5x2", Geometry(1, 5, free_grid=FreeGrid(5, 2)), (5, 2, 0)),
        (".Shape~1x4", Geometry(1, 4, free_grid=FreeGrid(1, 4)), (1, 0, 0)),
        (".Shape~9x9~0-8", Geometry(1, 9, free_grid=FreeGrid(9, 9, 0)), (9, 9, 9)),
        (".Shape~9x9~0-9.NoBoxes", Geometry(1, 10, free_grid=FreeGrid(9, 9, 0)), (9, 9, 0)),
        (".Shape~9x9~10", Geometry(1, 10, free_grid=FreeGrid(9, 9)), (9, 9, 9)),
        (".Shape~9x9~1-10", Geometry(1, 10, free_grid=FreeGrid(9, 9)), (9, 9, 9)),
        (".Shape~9x9~~Raw", Geometry(1, 9, free_grid=FreeGrid(9, 9)), (0, 0, 0)),
        (".Shape~9x9~10~Raw", Geometry(1, 10, free_grid=FreeGrid(9, 9)), (0, 0, 0)),
        (".Shape~6x6.RegionSize~4", Geometry(1, 6, free_grid=FreeGrid(6, 6)), (6, 6, 9)),
        (".Shape~6x8.RegionSize~6", Geometry(1, 8, free_grid=FreeGrid(6, 8)), (6, 8, 8)),
        (".Var~A", Geometry(1, 9, free_grid=FreeGrid(9, 9, 1, (("VA", 1),))), (9, 9, 9)),
        (
            ".Shape~7x7.Var~A~x~2",
            Geometry(1, 7, free_grid=FreeGrid(7, 7, 1, (("VA", 2),))),
            (7, 7, 0),
        ),
        (".Var~A~x~9x9", Geometry(1, 9, free_grid=FreeGrid(9, 9, 1, (("VA", 81),))), (9, 9, 9)),
        (".Shape~3x3~2~Raw", Geometry(1, 2, free_grid=FreeGrid(3, 3)), (0, 0, 0)),
        (".Shape~11x11~0-9~Raw", Geometry(1, 10, free_grid=FreeGrid(11, 11, 0)), (0, 0, 0)),
    ],
)
def test_a_shape_is_rows_columns_values_and_rules_that_are_their_units(text, geometry, kinds):
    puzzle = read(text)
    assert puzzle.geometry == geometry
    told = units(puzzle)
    assert len({*told}) == len(told) == len(puzzle.rules)
    assert kinds == tuple(
        sum(each.startswith(kind) for each in told) for kind in ("row", "column", "box")
    )


@for_each(
    ("text", "geometry"),
    [
        ("", Geometry(3, 3)),
        (".Shape~9x9~9", Geometry(3, 3)),
        (".Shape~9x9~1-9.RegionSize~9", Geometry(3, 3)),
        (".Shape~3x3", Geometry(1, 3)),
        (".Shape~2x2~.NoBoxes", Geometry(1, 2)),
    ],
)
def test_what_is_usual_is_no_free_grid(text, geometry):
    assert read(f"{text}.~R1C1_1").geometry == geometry


def test_boxes_are_wide_unless_only_high_ones_fit():
    assert "box at r1c4" in units(read(".Shape~6x9.RegionSize~6"))
    assert "box at r1c3" in units(read(".Shape~9x6.RegionSize~6"))
    high = read(".Shape~9x4.RegionSize~6")
    assert next(rule.cells for rule in high.rules if rule.kind == "box") == (0, 1, 4, 5, 8, 9)


def test_values_from_zero_are_themselves():
    puzzle = read(".Shape~4x4~0-3.~R1C1_0.~R1C2_0_3.Cage~1~R2C1~R2C2")
    assert [*puzzle.givens()] == [(0, 0)]
    assert puzzle.cells[1] == 0b1001
    result = solve(puzzle)
    assert result.complete
    assert all(grid.values[:2] == (0, 3) for grid in result.solutions)
    assert all(sum(grid.values[4:6]) == 1 for grid in result.solutions)


def test_cells_outside_are_called_as_the_text_does_and_are_part_of_a_solution():
    text = ".Shape~2x2~~Raw.Var~A~some~3.Var~B.~VA1_1.~VB_2.GreaterThan~R1C1~R1C2"
    puzzle = read(f"{text}.Thermo~VA1~VA2.AllDifferent~VA3~VB.~R2C1_1~R2C2_1")
    assert puzzle.geometry.free_grid == FreeGrid(2, 2, 1, (("VA", 3), ("VB", 1)))
    assert [puzzle.geometry.name_of(cell) for cell in (3, 4, 6, 7)] == ["r2c2", "VA1", "VA3", "VB"]
    assert Greater(0, 1) in puzzle.rules
    assert lines.Thermometer((4, 5)) in puzzle.rules
    (solution,) = solve(puzzle).solutions
    assert solution.values == (2, 1, 1, 1, 1, 2, 1, 2)


def test_cells_outside_may_have_rows_and_columns():
    puzzle = read(".Shape~2x2~~Raw.Var~A~~2x3.Var~B~~1x2.Quad~VA2~1~2.ConnectedValues~VA~1~5")
    assert puzzle.geometry.free_grid == FreeGrid(2, 2, 1, (("VA", 6), ("VB", 2)), (("VA", 3),))
    assert puzzle.rules[0] == cages.Quadruple((5, 6, 8, 9), (1, 2))
    solutions = {grid.values for grid in solve(puzzle, max_solutions=300).solutions}
    twos = {values[4:10].index(2) for values in solutions}
    assert (len(solutions), twos) == (2**6 * 4, {1, 2, 4, 5})
    puzzle = read(".Shape~2x2~~Raw.Var~A~~2x3.Replicate~J~VA1.Cage~3~VA1~VA2.End")
    assert puzzle.rules == (cages.Cage((4, 5), 3), cages.Cage((7, 8), 3))


@for_each(
    ("text", "expected"),
    [
        (".Var~A~~0x3", "a number, 1 to 1024 in '.Var'"),
        (".Var~A~~3x", "a number, 1 to 1024 in '.Var'"),
        (".Var~A~~33x32", "at most 256 columns and 1024 cells in '.Var'"),
        (".Var~A~~1x257", "at most 256 columns and 1024 cells in '.Var'"),
        (".Var~A~~20x30.Var~B~~20x30", "at most 1024 cells outside the grid in total"),
        (".Shape~3x3~1~Raw", "a number of values, 2 to 16"),
        (".Shape~3x3~2", "a number of values, 3 to 16"),
        (".Shape~4x4~2~Raw.Jigsaw~0010011122323233", "'.RegionSize' with at most 2 cells"),
        (".Shape~4x4~2~Raw.ChaosConstruction", "'.RegionSize' with at most 2 cells"),
    ],
)
def test_a_group_that_is_too_large_and_regions_without_values_are_refused(text, expected):
    with pytest.raises(InvalidPuzzle, match=re.escape(expected)):
        read(text)


def test_neighbours_in_the_grid_are_not_those_below_it():
    puzzle = read(".Shape~1x2.Var~A~~2.AntiKnight.AntiKing.~R1C1_1~R1C2_2")
    assert len(solve(puzzle).solutions) == 4


def test_clues_outside_look_along_short_lines():
    puzzle = read(".Shape~3x4.LittleKiller~6~R3C3.Skyscraper~C4~1~2.Sandwich~3~R1.XSum~C1~4~")
    assert outside.LittleKiller((10, 7), 6) in puzzle.rules
    assert outside.Skyscraper((3, 7, 11), 1) in puzzle.rules
    assert outside.Skyscraper((11, 7, 3), 2) in puzzle.rules
    assert outside.Sandwich((0, 1, 2, 3), 3) in puzzle.rules
    assert outside.XSum((0, 4, 8), 4) in puzzle.rules


def test_a_jigsaw_may_leave_cells_of_one_sign():
    chunks = (Region((0, 1, 4, 5)), Region((10, 11, 14, 15)))
    layout = ".Jigsaw~AAxxAAxxxxBBxxBB"
    assert read(f".Shape~4x4{layout}").rules == chunks
    assert read(".Shape~4x4.Jigsaw~" + "A" * 16).rules == ()
    free = read(f".Shape~4x4~6.NoBoxes{layout}")
    assert tuple(rule for rule in free.rules if not isinstance(rule, Unit)) == chunks
    three = read(".Shape~2x3~4.NoBoxes.RegionSize~3.Jigsaw~AABABB")
    assert three.rules[-2:] == (Region((0, 1, 3)), Region((2, 4, 5)))


@for_each(
    ("text", "corners", "box"),
    [
        (".Shape~6x6~0-5.Windoku", [7], (2, 3)),
        (".Shape~8x8~0-7.Windoku", [9, 33], (2, 4)),
        (".Shape~6x6.RegionSize~4.Windoku", [7], (2, 2)),
        (".Shape~6x6~9.RegionSize~9.Windoku", [7], (3, 3)),
        (".Shape~5x5~0-4.Windoku", [], (1, 1)),
    ],
)
def test_the_windows_of_a_windoku_are_as_large_as_boxes_for_all_values(text, corners, box):
    puzzle = read(text)
    columns = puzzle.geometry.free_grid.columns
    steps = [down * columns + right for down in range(box[0]) for right in range(box[1])]
    expected = [tuple(corner + step for step in steps) for corner in corners]
    windows = [rule.cells for rule in puzzle.rules if not isinstance(rule, Unit)]
    assert sorted(windows) == expected


def test_a_windoku_of_values_from_zero_is_solved():
    puzzle = read(".Shape~9x9~0-8.Windoku")
    assert puzzle.rules[-1] == Windoku()
    solutions = solve(puzzle, max_solutions=2).solutions
    assert len(solutions) == 2
    for grid in solutions:
        for corner in (10, 14, 46, 50):
            window = {grid.values[corner + 9 * down + k] for down in range(3) for k in range(3)}
            assert window == {*range(9)}


@for_each(
    ("text", "height", "width"),
    [
        (".Shape~9x9~0-8", 3, 3),
        (".Shape~6x6~9", 2, 3),
        (".Shape~6x6~9.RegionSize~4", 2, 2),
        (".Shape~4x4~5.Jigsaw~0010011122323233", 2, 2),
    ],
)
def test_disjoint_sets_compare_the_boxes_of_any_grid(text, height, width):
    puzzle = read(f"{text}.DisjointSets")
    (groups,) = [rule for rule in puzzle.rules if isinstance(rule, DisjointGroups)]
    assert groups.boxes
    results = solve(puzzle, max_solutions=2).solutions
    assert len(results) == 2
    for grid in results:
        rows = [*grid.rows()]
        for down, right in product(range(height), range(width)):
            values = [value for row in rows[down::height] for value in row[right::width]]
            assert len({*values}) == len(values)


@for_each(
    ("layout", "regions"),
    [
        (f".Jigsaw~{JIGSAW}", BOXES),
        (f".NoBoxes.Jigsaw~{JIGSAW}", PIECES),
        (f".Jigsaw~{JIGSAW}.Or", BOXES),
    ],
)
def test_a_region_sum_line_compares_boxes_unless_there_are_only_pieces(layout, regions):
    end = ".End" if layout.endswith(".Or") else ""
    puzzle = read(f".Shape~4x4{layout}.RegionSumLine~R1C1~R1C2~R1C3{end}")
    choices = [rule.choices[0][0] for rule in puzzle.rules if isinstance(rule, OneOf)]
    assert (choices or puzzle.rules)[-1] == lines.RegionSum((0, 1, 2), regions)


@for_each(
    "text",
    [
        ".FullRank~R1~3~",
        ".FullRank~C2~~16.FullRank~R3~7~",
        ".FullRankTies~none.FullRank~R4~1~",
        ".Or.FullRank~R1~16~.End",
    ],
)
def test_full_ranks_of_values_from_zero_are_those_of_values_from_one(text):
    usual = solve(f".Shape~4x4{text}", max_solutions=300)
    shifted = solve(f".Shape~4x4~0-3{text}", max_solutions=300)
    assert usual.complete
    assert shifted.complete
    values = sorted(tuple(value - 1 for value in grid.values) for grid in usual.solutions)
    assert values == sorted(grid.values for grid in shifted.solutions)
    assert values


@for_each(
    ("text", "cell", "line", "index"),
    [
        (".Shape~4x4~0-3.Indexing~C~R1C2", 1, (0, 1, 2, 3), 2),
        (".Shape~4x4~0-3.Indexing~R~R3C1", 8, (0, 4, 8, 12), 3),
        (".Shape~4x4~6.NoBoxes.Indexing~C~R1C4", 3, (0, 1, 2, 3), 4),
    ],
)
def test_indexers_count_cells_from_one_whatever_the_values(text, cell, line, index):
    values = {grid.values for grid in solve(text, max_solutions=20).solutions}
    assert len(values) == 20
    for grid in values:
        assert 1 <= grid[cell] <= 4
        found = [k for k, place in enumerate(line, 1) if grid[place] == index]
        assert found == [grid[cell]]


def test_an_indexer_in_a_column_whose_number_is_no_value_has_no_solution():
    assert solve(".Shape~4x4~0-3.Indexing~C~R1C4").status == "unsolvable"


def test_the_largest_regions_may_have_the_same_values():
    puzzle = read(".Shape~2x3~4.RegionSameValues")
    assert puzzle.rules[-1] == SameRegions(((0, 1, 2), (3, 4, 5)))
    assert read(".Shape~4x4.RegionSameValues").rules == ()
    assert (
        len(solve(read(".Shape~2x2~3.RegionSameValues.NoBoxes"), max_solutions=20).solutions) == 6
    )


def test_connected_values_are_of_the_grid_or_of_a_group():
    assert read(".ConnectedValues~~1_2").rules == (ConnectedValues(tuple(range(81)), (1, 2)),)
    puzzle = read(".Shape~2x2.Var~S~~4.ConnectedValues~VS~1~3")
    assert puzzle.rules[-1] == ConnectedValues((4, 5, 6, 7), (1,), 3)


def test_regions_are_found_once_whatever_their_names():
    puzzle = read(LINE_OF_CHAOS)
    assert puzzle.geometry == CHAOS
    assert puzzle.rules[-1] == ChaosConstruction((4, 5, 6, 7), 2)
    found = {grid.values for grid in solve(puzzle).solutions}
    ways = {(1, 1, 2, 2), (1, 2, 1, 2)}
    assert found == {(*grid, *way) for grid in ((1, 2, 2, 1), (2, 1, 1, 2)) for way in ways}


def test_chaos_arrows_count_along_arms_or_in_all_directions():
    rules = read(f"{LINE_OF_CHAOS}.ChaosArrow~R1C1~1~CC1~CC2~-~CC1~CC3").rules
    assert rules[-1] == ChaosArrow(0, ((4, 5), (4, 6)), 1)
    everywhere = ChaosArrow(0, ((4, 5), (4, 6), (4,), (4,)))
    for text in ("R1C1", "R1C1~", "r1c1~0"):
        assert read(f"{LINE_OF_CHAOS}.ChaosArrow~{text}").rules[-1] == everywhere


def test_chaos_counts_count_cells_of_one_region():
    rules = read(f"{LINE_OF_CHAOS}.ChaosCount~R1C2~~CC2~CC1").rules
    assert rules[-1] == ChaosCount(1, (5, 4))


def test_a_chaos_count_without_cells_counts_those_around_the_control():
    text = ".Shape~4x4.NoBoxes.ChaosConstruction.ChaosCount"
    assert read(f"{text}~R1C2").rules[-1] == ChaosCount(1, (17, 16, 18, 20, 21, 22))
    around = (21, 16, 17, 18, 20, 22, 24, 25, 26)
    assert read(f"{text}~R2C2~1").rules[-1] == ChaosCount(5, around, 1)
    with pytest.raises(InvalidPuzzle, match="a cell of the grid"):
        read(f"{text}~CC1")


def test_marks_are_between_neighbours_outside_the_grid_too():
    rows = read(".Shape~2x2.Var~A~~2x3.WhiteDot~VA1~VA2~VA5~R2C1")
    assert rows.rules[-2:] == (WhiteDot(4, 5), WhiteDot(5, 8))
    line = read(".Shape~4x4.Var~X~~5.BlackDot~VX1~VX2.GreaterThan~VX5~VX1")
    assert line.rules[-2:] == (BlackDot(16, 17), Greater(20, 16))
    missing = read(".Shape~4x4~0-4.Doppelganger.GreaterThan~DGB1~DGB2~DGB3~DGC1")
    assert missing.rules[-2:] == (Greater(24, 25), Greater(24, 26))


def test_regions_to_be_found_are_compared_whatever_their_labels():
    text = f"{LINE_OF_CHAOS}.AllDifferent~CC1~CC4.Palindrome~CC1~CC2.CountDistinct~R1C1~CC1~CC2"
    assert {type(rule) for rule in read(text).rules} >= {ExtraRegion, Palindrome, CountOfDifferent}
    assert [grid.values for grid in solve(text).solutions] == [(1, 2, 2, 1, 1, 1, 2, 2)]


def test_a_doppelganger_tells_what_rows_columns_and_boxes_miss():
    puzzle = read(".Shape~4x4~0-4.Doppelganger.~DGC1_1~DGR4_2~DGB2_3")
    groups = (("DGC", 4), ("DGR", 4), ("DGB", 4))
    assert puzzle.geometry.free_grid == FreeGrid(4, 4, 0, groups, (("DGB", 2),))
    rule = puzzle.rules[-1]
    assert isinstance(rule, Doppelganger)
    assert (rule.missing, rule.kinds) == (tuple(range(16, 28)), (4, 4, 4))
    for grid in solve(puzzle, max_solutions=3).solutions:
        assert {*grid.values[:4], 1} == {*range(5)}
        assert {*grid.values[3:16:4], 2} == {*range(5)}
    without = read(".Shape~4x4~0-4.NoBoxes.Doppelganger").geometry.free_grid
    assert without == FreeGrid(4, 4, 0, (("DGC", 4), ("DGR", 4)))


def test_copies_stay_in_their_group():
    puzzle = read(".Shape~2x3~~Raw.Var~A~~6.Replicate~D.Cage~3~R1C1~R1C2.End")
    assert puzzle.rules == (cages.Cage((0, 1), 3), cages.Cage((1, 2), 3))
    puzzle = read(".Shape~2x3~~Raw.Var~A~~6.Replicate~J~VA1.Cage~3~VA1~VA2.End")
    assert puzzle.rules == (cages.Cage((6, 7), 3), cages.Cage((9, 10), 3))


@for_each("encoding", ["textbook", "minimal", "extended", "reduced"])
def test_every_encoding_finds_the_same_solutions(encoding):
    text = ".Shape~3x4~0-4.Var~A~~2.GreaterThan~R1C1~R1C2.Sum~0~VA1~R1C2.NoBoxes.~R2C1_1~R2C2_2"
    puzzle = read(f"{text}~R2C3_3~R2C4_4~R3C1_2~R3C2_1~R3C3_4~R3C4_0.Thermo~VA1~VA2")
    result = solve(puzzle, encoding=encoding)
    assert result.complete
    expected = solve(puzzle)
    assert sorted(grid.values for grid in result.solutions) == sorted(
        grid.values for grid in expected.solutions
    )
    assert result.solutions
