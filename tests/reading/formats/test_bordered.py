"""Bordered: decimal numbers between borders, under the size of a box."""

from __future__ import annotations

import pytest
from support.cases import for_each
from support.parsing import read, said_of

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle

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
BAR = "'|' around every 3 cells"
BORDER = "a border with 3 '+'"


@for_each(
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


def test_a_zero_is_a_blank_only_where_the_largest_value_shows_that_values_count_from_one():
    assert read(TEXT.replace("| __  1", "|  0  1")).puzzle == PUZZLE
    without = TEXT.replace("| __  1", "|  0  1").replace("6", "_")
    assert said_of(without) == f"6:4: expected {NUMBER}, as 6 does not occur, found '0'"


@for_each(
    ("old", "new", "message"),
    [
        ("2x3", "2x0", f"4:1: expected {SIZE}, found 'puzzle size: 2x0'"),
        ("2x3", "16x17", f"4:1: expected {SIZE}, found 'puzzle size: 16x17'"),
        ("2x3", "6", f"4:1: expected {SIZE}, found 'puzzle size: 6'"),
        ("2x3", "9" * 5000, f"4:1: expected {SIZE}, found 'puzzle size: 9999999'…"),
        ("puzzle size: 2x3\n", "", f"4:1: expected {SIZE}, found '{RULE[:20]}'…"),
        ("  1", "  7", f"6:7: expected {NUMBER}, found '7'"),
        ("  1", " -1", f"6:6: expected {NUMBER}, found '-1'"),
        ("  1", " _1", f"6:6: expected {NUMBER}, found '_1'"),
        ("  1", " 1²", f"6:6: expected {NUMBER}, found '1\\xb2'"),
        ("  1", " \u0661", f"6:6: expected {NUMBER}, found '\\u0661'"),
        ("__  1", "9" * 5000, f"6:3: expected {NUMBER}, found '{'9' * 20}'…"),
        ("  1", " 1 1", f"6:10: expected {BAR}, found '__'"),
        ("  1 __", "  1", f"6:9: expected {NUMBER}, found '|'"),
        ("| __  1", " __  1", f"6:2: expected {BAR}, found '__'"),
        (
            " 6 |",
            " 6",
            "6:22: expected a row of 6 cells with '|' around every 3, found the end of the line",
        ),
        (" 6 |", " 6 | 7", "6:25: expected the end of a row of 6 cells, found '7'"),
        (f"{RULE}| __  1", "| __  1", f"5:1: expected {BORDER}, found '| __  1 __ | __ __  '…"),
        (f"{RULE}| __  1", "|--+--|\n| __  1", f"5:1: expected {BORDER}, found '|--+--|'"),
        (f"{RULE}| __  1", f"{RULE}+--+--+\n", f"6:1: expected {BAR}, found '+--+--+'"),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(old, new, message):
    assert said_of(TEXT.replace(old, new, 1)) == message


@pytest.mark.parametrize("more", ["+--+--+", "task: 2"])
def test_what_comes_behind_the_last_border_is_refused(more):
    expected = "the end after 6 rows and their borders"
    assert said_of(TEXT + more) == f"16:1: expected {expected}, found '{more}'"


def test_a_single_name_is_told_from_the_beginning_of_a_word():
    assert said_of("exp") == f"1:1: expected {SIZE}, found 'exp'"
    assert "expected a digit or a blank" in said_of("expert")
