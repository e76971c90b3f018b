"""Bordered: decimal numbers between borders, under the size of a box."""

from __future__ import annotations

import pytest

from pipeline.errors import InvalidPuzzle
from pipeline.parse import Parsed, parse_puzzle, parse_source, render_puzzle
from pipeline.puzzle import Geometry, Puzzle

TEXT = """\
experiment: by hand (Time: 9.614612 s)
number of tasks: 2
task: 1
puzzle size: 2x3
+----------+----------+
| __  1 __ | __ __  6 |
| __ __ __ | __ __ __ |
+----------+----------+
| __ __  2 | __ __ __ |
| __ __ __ | __ 03 __ |
+----------+----------+
|  5 __ __ | __ __ __ |
| __ __ __ |  4 __ __ |
+----------+----------+

"""
VALUES = {1: 1, 5: 6, 14: 2, 22: 3, 24: 5, 33: 4}
PUZZLE = Puzzle.of_values(Geometry(2, 3), [VALUES.get(cell, 0) for cell in range(36)])
NUMBER = "a number from 1 to 6, or __ for a blank"
SIZE = "'puzzle size: HxW', the size of a box, H · W being 2 to 256"
RULE = "+----------+----------+\n"


def read(text: str) -> Parsed:
    return parse_source(text.encode(), "a.txt")


def refusal(text: str) -> InvalidPuzzle:
    with pytest.raises(InvalidPuzzle) as caught:
        read(text)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT[TEXT.index("puzzle") :],
        TEXT.replace("__", "_"),
        TEXT.replace("__", "______"),
        TEXT.replace("puzzle size: 2x3", "Puzzle Size : 2 x 3"),
        TEXT.replace(" |", "|").replace("| ", "|"),
        TEXT.replace("--", "="),
        "# a comment\n" + TEXT.replace("task: 1\n", "task: 1\n// another\n\n"),
    ],
)
def test_numbers_between_borders_are_read_however_wide_they_are(text):
    parsed = read(text)
    assert (parsed.puzzle, parsed.format, parsed.variant) == (PUZZLE, "bordered", "classic")


@pytest.mark.parametrize("size", [(1, 2), (2, 1), (3, 4), (15, 15), (16, 16), (1, 256), (256, 1)])
def test_any_box_of_a_side_up_to_256_can_be_written_and_read(size):
    geometry = Geometry(*size)
    n = geometry.side
    puzzle = Puzzle.of_values(geometry, [n] + [0] * (n * n - 2) + [1])
    assert parse_puzzle(render_puzzle(puzzle, "bordered")) == puzzle


def test_a_zero_is_a_blank_only_where_the_largest_value_shows_that_values_count_from_one():
    assert read(TEXT.replace("| __  1", "|  0  1")).puzzle == PUZZLE
    error = refusal(TEXT.replace("| __  1", "|  0  1").replace("6", "_"))
    assert str(error) == f"a.txt:6:4: expected {NUMBER}, as 6 does not occur, found '0'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("2x3", "2x0"), f"4:1: expected {SIZE}, found 'puzzle size: 2x0'"),
        (TEXT.replace("2x3", "16x17"), f"4:1: expected {SIZE}, found 'puzzle size: 16x17'"),
        (TEXT.replace("2x3", "6"), f"4:1: expected {SIZE}, found 'puzzle size: 6'"),
        (TEXT.replace("2x3", "9" * 5000), f"4:1: expected {SIZE}, found 'puzzle size: 9999999'…"),
        (TEXT.replace("puzzle size: 2x3\n", ""), f"4:1: expected {SIZE}, found '{RULE[:20]}'…"),
        (TEXT.replace("  1", "  7"), f"6:7: expected {NUMBER}, found '7'"),
        (TEXT.replace("  1", " -1"), f"6:6: expected {NUMBER}, found '-1'"),
        (TEXT.replace("  1", " _1"), f"6:6: expected {NUMBER}, found '_1'"),
        (TEXT.replace("  1", " 1²"), f"6:6: expected {NUMBER}, found '1\\xb2'"),
        (TEXT.replace("  1", " \u0661"), f"6:6: expected {NUMBER}, found '\\u0661'"),
        (TEXT.replace("__  1", "9" * 5000), f"6:3: expected {NUMBER}, found '{'9' * 20}'…"),
        (TEXT.replace("  1", " 1 1"), "6:10: expected '|' around every 3 cells, found '__'"),
        (TEXT.replace("  1 __", "  1"), f"6:9: expected {NUMBER}, found '|'"),
        (TEXT.replace("| __  1", " __  1"), "6:2: expected '|' around every 3 cells, found '__'"),
        (
            TEXT.replace(" 6 |", " 6"),
            "6:22: expected a row of 6 cells with '|' around every 3, found the end of the line",
        ),
        (TEXT.replace(" 6 |", " 6 | 7"), "6:25: expected the end of a row of 6 cells, found '7'"),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(text, message):
    error = refusal(text)
    assert str(error) == f"a.txt:{message}"
    assert not error.truncated


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ("", "5:1: expected a border with 3 '+', found '| __  1 __ | __ __  '…"),
        ("+----+----+----+\n", "5:1: expected a border with 3 '+', found '+----+----+----+'"),
        ("|--+--|\n", "5:1: expected a border with 3 '+', found '|--+--|'"),
        (RULE + "+--+--+\n", "6:1: expected '|' around every 3 cells, found '+--+--+'"),
    ],
)
def test_a_border_that_is_wrong_or_not_there_is_refused(drawn, message):
    assert str(refusal(TEXT.replace(RULE, drawn, 1))) == f"a.txt:{message}"


@pytest.mark.parametrize("more", ["+--+--+", "task: 2"])
def test_what_comes_behind_the_last_border_is_refused(more):
    error = refusal(TEXT + more)
    expected = "expected the end after 6 rows and their borders"
    assert str(error) == f"a.txt:16:1: {expected}, found '{more}'"
    assert not error.truncated


def test_a_file_that_is_cut_off_anywhere_says_so():
    for length in range(len(TEXT.rstrip())):
        assert refusal(TEXT[:length]).truncated, TEXT[:length]


def test_a_single_name_is_told_from_the_beginning_of_a_word():
    assert str(refusal("exp")) == f"a.txt:1:1: expected {SIZE}, found 'exp'"
    assert "expected a digit or a blank" in str(refusal("expert"))
