"""Boards as SVG: what print shows, said in words too, and valid by itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.drop_folders import NO_SOLUTION, SMALL, TWO_SOLUTIONS
from support.puzzles import EVEN_ODD
from support.solvers import solve_at_hand
from support.strategies import examples
from support.svg import SVG, drawn, of_class

from pipeline import parse_puzzle
from pipeline.outbox.report.board import Board, board_svg
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules.custom import OneOf
from pipeline.puzzle.rules.free import ChaosArrow, ChaosConstruction
from pipeline.puzzle.rules.lines import Renban

GOLDEN = Path(__file__).parents[2] / "golden"


@cache
def solved(text: str) -> Board:
    puzzle = parse_puzzle(text)
    result = solve_at_hand(puzzle)
    return Board(
        puzzle,
        result.solutions[0] if result.solutions else None,
        result.conflict.places() if result.conflict else (),
        result.difference.cells if result.difference else (),
    )


def cells_of(svg: ET.Element, name: str) -> list[tuple[int, int]]:
    """Row and column of each shape of a class."""
    (path,) = of_class(svg, name)
    starts = [each.split("m")[0].split("h")[0] for each in path.get("d").split("M")[1:]]
    return [(int(y) // 20 + 1, int(x) // 20 + 1) for x, y in map(str.split, starts)]


def test_a_small_board_is_drawn_as_it_always_was():
    svg = board_svg(solved(SMALL), "small.txt: unique", "b")
    golden = GOLDEN / "board-2x2.svg"
    assert svg + "\n" == golden.read_text()


def test_givens_and_found_digits_are_told_apart():
    svg = drawn(solved(SMALL))
    (given_text,), (found_text,) = of_class(svg, "given"), of_class(svg, "solved")
    assert given_text.text == "1234"
    assert len(found_text.text) == 12
    unknown = drawn(Board(None, solved(SMALL).grid))
    assert of_class(unknown, "given") == [], "nobody knows what was given"
    assert len(of_class(unknown, "solved")[0].text) == 16


def test_even_cells_are_grey_the_given_ones_too():
    rows = EVEN_ODD.split()
    even = {
        (row, column)
        for row, line in enumerate(rows, 1)
        for column, sign in enumerate(line, 1)
        if sign in "*2468"
    }
    assert set(cells_of(drawn(solved(EVEN_ODD)), "even")) == even
    assert of_class(drawn(solved(SMALL)), "even") == [], "nothing is said of a classic puzzle"


def candidates_in(svg: ET.Element, row: int, column: int) -> str:
    """The small digits in a cell, in the order in which they are drawn."""
    (text,) = of_class(svg, "candidates")
    left, top = (column - 1) * 20, (row - 1) * 20
    return "".join(
        span.text
        for span in text
        if left < float(span.get("x")) < left + 20 and top < float(span.get("y")) < top + 20
    )


def test_pencil_marks_are_small_digits_in_cells_that_are_blank():
    cells = [0b1111] * 16
    cells[0], cells[5], cells[15] = 0b0011, 0b1010, 0b0001
    puzzle = Puzzle(Geometry(2, 2), tuple(cells))
    svg = drawn(Board(puzzle))
    assert [candidates_in(svg, *at) for at in ((1, 1), (2, 2), (1, 2), (4, 4))] == [
        "12",
        "24",
        "",
        "",
    ]
    assert of_class(svg, "even") == [], "2 and 4 are drawn, so the cell is not grey too"
    assert "Candidates: r1c1 1 2, r2c2 2 4." in svg.find(f"{SVG}desc").text


def test_pencil_marks_give_way_to_a_solution():
    puzzle = Puzzle(Geometry(2, 2), (0b0011, *[0b1111] * 15))
    grid = Grid(Geometry(2, 2), tuple(map(int, "1234341221434321")))
    assert of_class(drawn(Board(puzzle, grid)), "candidates") == []


@pytest.mark.parametrize(
    ("text", "name", "cells", "said"),
    [
        (NO_SOLUTION, "conflict", [(1, 1), (1, 3)], "In conflict"),
        (TWO_SOLUTIONS, "difference", [(1, 3), (1, 4), (4, 3), (4, 4)], "Different"),
    ],
)
def test_conflicting_and_differing_cells_are_marked(text, name, cells, said):
    svg = drawn(solved(text))
    assert cells_of(svg, name) == cells
    named = ", ".join(f"row {row} column {column}" for row, column in cells)
    assert f"{said}: {named}." in svg.find(f"{SVG}desc").text


def test_places_outside_the_board_are_not_marked():
    board = Board(parse_puzzle(SMALL), conflict=[(0, 1), (5, 5), (10**9, -3)])
    assert of_class(drawn(board), "conflict") == []


def test_a_screen_reader_gets_title_and_rows():
    svg = drawn(solved(SMALL), "a & b <i>.txt")
    assert svg.get("role") == "img"
    assert svg.get("aria-labelledby") == "bt bd"
    assert svg.find(f"{SVG}title").text == "a & b <i>.txt"
    assert "Row 1: 1 2 4 3." in svg.find(f"{SVG}desc").text


def test_box_borders_follow_the_geometry():
    board = Board(Puzzle.empty(Geometry(2, 3)))
    (thick,) = of_class(drawn(board), "thick")
    down = "".join(f"M{x} 0v120" for x in (0, 60, 120))
    assert thick.get("d") == "M0 0h120M0 40h120M0 80h120M0 120h120" + down


CHAOS = Geometry(1, 2, free_grid=FreeGrid(2, 2, 1, (("CC", 4),)))
FOUND = Grid(CHAOS, (1, 2, 2, 1, 1, 2, 1, 2))


def test_the_regions_of_a_chaos_construction_are_borders_once_they_are_known():
    chaos = Puzzle.empty(CHAOS, (ChaosConstruction((4, 5, 6, 7), 2), ChaosArrow(0, ((4, 5),))))
    unsolved, solved = drawn(Board(chaos)), drawn(Board(chaos, FOUND))
    frame = "M0 0h40M0 40h40M0 0v40M40 0v40"
    assert [of_class(unsolved, "thick")[0].get("d"), unsolved.get("viewBox")] == [
        frame,
        "-2 -2 44 44",
    ]
    assert of_class(solved, "thick")[0].get("d") == frame.replace("M40", "M20 0v40M40")
    assert of_class(solved, "solved")[0].text == "1221"
    assert of_class(solved, "group") == []
    assert "CC: 1 2 1 2." in solved.find(f"{SVG}desc").text


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        ((0, 0, 0, 0, 1, 0, 0, 0), ()),
        ((0,) * 8, (Renban((0, 4)),)),
        ((0,) * 8, (OneOf(((ChaosArrow(0, ((4, 5),)),),)),)),
    ],
)
def test_region_numbers_with_a_clue_are_drawn(given, rules):
    chaos = Puzzle.of_values(CHAOS, given, (ChaosConstruction((4, 5, 6, 7), 2), *rules))
    svg = drawn(Board(chaos, FOUND))
    assert svg.get("viewBox") == "-2 -2 44 104"
    assert [text.text for text in of_class(svg, "group")[0]] == ["CC: regions"]


def test_cells_outside_the_grid_are_drawn_beside_a_chaos_construction():
    both = Geometry(1, 2, free_grid=FreeGrid(2, 2, 1, (("VA", 3), ("CC", 4)), (("VA", 3),)))
    rules = (ChaosConstruction((7, 8, 9, 10), 2), Renban((0, 4)))
    svg = drawn(Board(Puzzle.empty(both, rules)))
    assert svg.get("viewBox") == "-2 -2 64 84"


def test_letters_stand_for_values_where_the_notation_has_them():
    geometry = Geometry(4, 4)
    puzzle = Puzzle.of_values(geometry, [16] + [0] * 255)
    letters = drawn(Board(puzzle, symbols="0123456789ABCDEF"))
    assert of_class(letters, "given")[0].text == "F"
    numbers = drawn(Board(puzzle))
    assert [each.text for each in numbers.iter(f"{SVG}tspan")] == ["16"]


def test_an_svg_of_its_own_brings_its_style_and_no_attributes_of_style():
    text = board_svg(solved(SMALL), "a", "b", standalone=True)
    assert "<style>" in text
    assert "style=" not in text
    assert "style" not in board_svg(solved(SMALL), "a", "b")


def test_up_to_25_by_25_cells_are_drawn():
    drawn(Board(Puzzle.empty(Geometry(5, 5))))
    with pytest.raises(ValueError, match="not drawn"):
        drawn(Board(Puzzle.empty(Geometry(2, 13))))


def test_what_does_not_fit_is_no_board():
    grid = Grid(Geometry(1, 2), (1, 2, 2, 1))
    for puzzle, solution in ((None, None), (Puzzle.empty(Geometry(2, 2)), grid)):
        with pytest.raises(ValueError, match="a board needs"):
            Board(puzzle, solution)


@examples(6)
@given(st.text())
def test_any_title_makes_valid_xml(title):
    drawn(Board(parse_puzzle(SMALL)), title)
