"""The board of a variant's solution on a terminal: its regions and cages have borders."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules.cages import Cage, DigitalRoot
from pipeline.puzzle.rules.free import ChaosConstruction
from pipeline.puzzle.rules.pairs import AntiKnight
from pipeline.puzzle.rules.regions import Region
from pipeline.solving.drawing import BoardStyle
from pipeline.steps.presentation.cell_borders import (
    Border,
    CellBorders,
    box_drawing_junction,
    outlines_of,
)
from pipeline.steps.presentation.solution_board import has_areas, solution_board

ASCII = BoardStyle(is_ascii=True)
FOUR = Geometry(2, 2)
VALUES = (1, 3, 4, 2, 4, 2, 1, 3, 2, 1, 3, 4, 3, 4, 2, 1)
CAGES = Cage((0, 1), 4), Cage((4, 8), 6), Cage((5, 6, 10), 6), Cage((3, 7)), Cage((14, 15), 12)
WITH_CAGES = """\
┏4━━━━━━┳━━━┯━━━┓
┃ 1   3 ┃ 4 ┆ 2 ┃
┠6┄┄┬6┄┄╂┄┄┄┤   ┃
┃ 4 ┆ 2 ┃ 1 ┆ 3 ┃
┣━━━┿━━━╋━━━┿━━━┫
┃ 2 ┆ 1 ┃ 3 ┆ 4 ┃
┠┄┄┄┘   ┠12┄┴┄┄┄┨
┃ 3   4 ┃ 2   1 ┃
┗━━━━━━━┻━━━━━━━┛"""
WITH_CAGES_IN_ASCII = """\
+4------+-------+
| 1   3 | 4 : 2 |
|6...6..|....   |
| 4 : 2 | 1 : 3 |
+-------+-------+
| 2 : 1 | 3 : 4 |
|....   |12.....|
| 3   4 | 2   1 |
+-------+-------+"""
REGIONS = (0, 1, 4, 5), (2, 3, 6, 10), (8, 9, 12, 13), (7, 11, 14, 15)
WITH_REGIONS = """\
┌──────┬───────┐
│ 1  3 │ 4   2 │
│      │   ┌───┤
│ 4  2 │ 1 │ 3 │
├──────┤   │   │
│ 2  1 │ 3 │ 4 │
│      ├───┘   │
│ 3  4 │ 2   1 │
└──────┴───────┘"""


def test_cages_are_dashed_and_boxes_heavy():
    puzzle, grid = Puzzle.empty(FOUR, CAGES), Grid(FOUR, VALUES)
    assert solution_board(puzzle, grid) == WITH_CAGES
    assert solution_board(puzzle, grid, style=ASCII) == WITH_CAGES_IN_ASCII


def test_regions_are_solid():
    geometry = Geometry(1, 4)
    puzzle = Puzzle.empty(geometry, tuple(map(Region, REGIONS)))
    assert solution_board(puzzle, Grid(geometry, VALUES)) == WITH_REGIONS


def test_the_regions_of_a_chaos_construction_are_drawn_instead_of_their_numbers():
    labels = [next(n for n, cells in enumerate(REGIONS, 1) if cell in cells) for cell in range(16)]
    geometry = Geometry(1, 4, free_grid=FreeGrid(4, 4, 1, (("CC", 16),)))
    puzzle = Puzzle.empty(geometry, (ChaosConstruction(tuple(range(16, 32)), 4),))
    grid = Grid(geometry, (*VALUES, *labels))
    assert solution_board(puzzle, grid) == WITH_REGIONS


def test_a_column_is_as_wide_as_its_texts():
    puzzle = Puzzle.empty(FOUR, (DigitalRoot((0, 1), 4), Cage((0, 4), 5)))
    lines = solution_board(puzzle, Grid(FOUR, VALUES)).splitlines()
    assert lines[:2] == ["┏DR4/5┯━━━┳━━━━━━┓", "┃ 1   ┆ 3 ┃ 4  2 ┃"]


def test_givens_are_bold_and_values_have_symbols():
    puzzle = Puzzle.of_values(FOUR, [1, *[0] * 15], CAGES)
    lines = solution_board(
        puzzle, Grid(FOUR, VALUES), "ABCD", replace(ASCII, has_colours=True)
    ).splitlines()
    assert lines[1] == "| \x1b[1mA\x1b[0m   C | D : B |"


def test_marked_cells_have_brackets_or_reverse_video():
    puzzle, grid = Puzzle.of_values(FOUR, [1, *[0] * 15], CAGES), Grid(FOUR, VALUES)
    assert (
        solution_board(puzzle, grid, style=ASCII, marked=[0, 1]).splitlines()[1]
        == "|[1] [3]| 4 : 2 |"
    )
    coloured = solution_board(puzzle, grid, style=replace(ASCII, has_colours=True), marked=[0, 1])
    assert coloured.splitlines()[1] == "| \x1b[1;7m1\x1b[0m   \x1b[7m3\x1b[0m | 4 : 2 |"


def test_rules_without_areas_leave_a_plain_board():
    assert not has_areas(Puzzle.empty(FOUR, (AntiKnight(),)))
    assert has_areas(Puzzle.empty(FOUR, CAGES))


def test_every_meeting_of_borders_has_its_own_character():
    for cages in ((), CAGES):
        meet = box_drawing_junction(CellBorders(FOUR, outlines_of(FOUR, cages)))
        kinds = (Border.NONE, Border.BOX, *[Border.CAGE] * bool(cages))
        signs = [meet(*borders) for borders in product(kinds, repeat=4)]
        assert len({*signs}) == len(signs) == len(kinds) ** 4
