"""Boards, and lines of files with a caret, as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.puzzles import EVEN_ODD, UNIQUE, holed, pattern
from support.strategies import examples

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import parse_puzzle, parse_source
from pipeline.solving.drawing import (
    BoardStyle,
    different_cells,
    grid_board,
    join_boards,
    line_at,
    puzzle_board,
    with_caret,
)

CLASSIC = """\
┌──────┬──────┐
│[1] . │ .  . │
│ .  . │[2] . │
├──────┼──────┤
│ .  3 │ .  . │
│ .  . │ . [.]│
└──────┴──────┘"""


MARKS = """\
┌───────┬───────┬───────┐
│ 2 . * │ . * . │ 4 7 . │
│ 7 * * │ . . * │ * . . │
│ . 9 . │ 2 4 . │ . * 6 │
├───────┼───────┼───────┤
│ . . * │ 1 8 . │ 9 * * │
│ 3 * . │ * * * │ 5 . . │
│ * . * │ . . 9 │ * 2 3 │
├───────┼───────┼───────┤
│ 9 4 1 │ . . * │ * . 8 │
│ * . . │ * . * │ . 3 * │
│ * * . │ 6 5 . │ . 4 . │
└───────┴───────┴───────┘"""


def rows_of(board: str) -> list[str]:
    """The lines of a board that have cells."""
    return [line for line in board.splitlines() if line.lstrip()[0] not in "┌├└"]


def test_a_classic_grid():
    puzzle = parse_puzzle(UNIQUE.replace("4", "."))
    assert puzzle_board(puzzle, marked=[0, 6, 15]) == CLASSIC
    in_ascii = puzzle_board(puzzle, style=BoardStyle(is_ascii=True), marked=[0, 6, 15])
    assert in_ascii.splitlines()[:2] == ["+------+------+", "|[1] . | .  . |"]


def test_marks_are_drawn_as_in_files():
    assert puzzle_board(parse_puzzle(EVEN_ODD)) == MARKS


def test_blanks_among_marks_and_other_masks_have_their_own_signs():
    four = Geometry(2, 2)
    puzzle = Puzzle(four, (0b0101, 0b1010, 0b1111, 0b0011, 0b1000, *[0b1111] * 11))
    assert rows_of(puzzle_board(puzzle))[:2] == ["│ . * │ _ ? │", "│ 4 _ │ _ _ │"]


def test_large_grids_have_wider_cells():
    puzzle = holed(pattern(Geometry(5, 5)), 2)
    lines = puzzle_board(puzzle, marked=[0, 9, 601]).splitlines()
    assert len(lines) == 25 + 6
    assert {*map(len, lines)} == {25 * 4 + 6}
    assert lines[1][:47] == "│[ .]  2   .   4   . │  6   .   8   . [10]│  . "
    assert lines[6].strip("├┤").split("┼") == ["─" * 20] * 5
    assert lines[-2].startswith(f"│  . [{pattern(Geometry(5, 5)).values[601]:>2}]")
    assert len(puzzle_board(puzzle).splitlines()[1]) == 5 * (5 * 3 + 1) + 6, "without brackets"


def test_cells_in_which_grids_differ_are_marked():
    grid = pattern(Geometry(2, 2))
    other = Grid(grid.geometry, (*grid.values[:3], 1, *grid.values[4:]))
    marked = different_cells([grid, other])
    assert marked == {3}
    boards = [grid_board(each, marked=marked) for each in (grid, other)]
    lines = join_boards(boards, 80).splitlines()
    assert lines[1] == "│ 1  2 │ 3 [4]│  │ 1  2 │ 3 [1]│"
    assert lines[3] == "├──────┼──────┤  ├──────┼──────┤"
    assert join_boards(boards, 31).splitlines()[7] == "", "one below the other"


def test_colours_replace_brackets():
    grid = pattern(Geometry(2, 2))
    board = grid_board(grid, style=BoardStyle(has_colours=True), givens=[0, 1], marked=[1, 2])
    first = rows_of(board)[0]
    assert first == "│ \x1b[1m1\x1b[0m \x1b[1;7m2\x1b[0m │ \x1b[7m3\x1b[0m 4 │"
    assert join_boards([board, board], 28).count("┌") == 2
    assert len(join_boards([board, board], 28).splitlines()) == 7, "side by side"


SEVERAL = """\
┌──────┬──────┐
│[1] 2 │ 3  4 │
│ 3  4 │ 1  2 │
├──────┼──────┼──────┐
│ 2  1 │ 4  3 │ 1 [2]│
│ 4  3 │ 2  1 │ 3  4 │
└──────┼──────┼──────┤
       │ 1 [.]│ .  . │
       │ .  . │ .  . │
       └──────┴──────┘"""


def test_several_grids_have_room_between_them():
    geometry = Geometry(2, 2, grids=((0, 0), (2, 2)))
    values = map(int, "12343412214312432134" + "10000000")
    puzzle = Puzzle.of_values(geometry, values)
    marked = geometry.cells_at((1, 1), (3, 6), (5, 4))
    assert puzzle_board(puzzle, marked=marked) == SEVERAL


def test_borders_are_only_where_boxes_end():
    without = Puzzle.empty(Geometry(1, 3))
    assert rows_of(puzzle_board(without, marked=[4])) == [
        "│ .  .  . │",
        "│ . [.] . │",
        "│ .  .  . │",
    ]
    aside = Puzzle.empty(Geometry(2, 2, grids=((0, 0), (1, 2))))
    assert len(puzzle_board(aside).splitlines()) == 7, "their boxes do not meet"


ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@for_each(
    ("line", "column", "shown"),
    [
        ("1.x.4", 3, "1.x.4\n  ^"),
        ("1.x.4\r\n", 1, "1.x.4\n^"),
        ("123", 4, "123\n   ^"),
        ("", 1, "\n^"),
        ("123", 99, "123\n   ^"),
        ("123", 0, "123\n^"),
        ("1\t2\tx", 5, "1 2 x\n    ^"),
        ("1\t2", 2, "1 2\n ^"),
        ("a\x1b[31mb", 2, "a\\x1b[31mb\n ^"),
        ("a\x1b[31mb", 7, "a\\x1b[31mb\n         ^"),
        ("1\u202e2", 3, "1\\u202e2\n       ^"),
        ("\ud800x", 2, "\\ud800x\n      ^"),
        ("│1│", 2, "│1│\n ^"),
    ],
)
def test_the_caret_stands_below_its_character(line, column, shown):
    assert with_caret(line, column) == shown


@for_each(
    ("line", "column", "shown"),
    [
        (ALPHABET, 1, "abcdefghijklmnopqr…\n^"),
        (ALPHABET, 13, "…defghijklmnopqrstu…\n          ^"),
        (ALPHABET, 26, "…ijklmnopqrstuvwxyz\n                  ^"),
        ("a" * 10**6 + "!" + "b" * 10**6, 10**6 + 1, f"…{'a' * 9}!{'b' * 8}…\n          ^"),
        (ALPHABET, 27, "…jklmnopqrstuvwxyz\n                  ^"),
        ("x" * 20, 20, f"{'x' * 20}\n{' ' * 19}^"),
        ("x" * 21, 20, f"…{'x' * 18}\n{' ' * 17}^"),
    ],
)
def test_a_long_line_is_cut_around_the_caret(line, column, shown):
    assert with_caret(line, column, 20) == shown


signs = st.sampled_from("12.x\t \x1b\0一\u0301\u05d0…│") | st.characters(exclude_characters="\r\n")


@examples(38)
@given(line=st.text(signs, max_size=80), column=st.integers(-1, 90), width=st.integers(20, 60))
def test_whatever_the_line_two_narrow_and_harmless_lines_come(line, column, width):
    text, below = with_caret(line, column, width).split("\n")
    assert (text + below).isprintable()
    assert below == " " * (len(below) - 1) + "^"
    assert max(len(text), len(below)) <= width
    if 1 <= column <= len(line) and line[column - 1].isprintable():
        assert text[len(below) - 1] == line[column - 1]


GRID = "\ufeff// a comment\n\n1...\n..2.\n.3q.\n...4\n"


@for_each(
    ("data", "shown"),
    [(GRID.replace("\n", ending).encode(), ".3q.\n  ^") for ending in ("\n", "\r\n", "\r")]
    + [("1.é.\n..".encode() + b"\xff2\n", "..\ufffd2\n  ^")],
)
def test_a_line_is_found_by_the_number_that_an_error_gives(data, shown):
    with pytest.raises(InvalidPuzzle) as caught:
        parse_source(data, "a.txt")
    assert with_caret(line_at(data, caught.value.line), caught.value.column) == shown
