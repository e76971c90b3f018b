"""Bordered: decimal numbers between borders, under the size of a box."""

from __future__ import annotations

from support.cases import for_each
from support.parsers import read, said_of

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
SIZE = "'puzzle size: HxW', the size of a box, H · W from 2 to 256"
RULE = "+----------+----------+\n"
BELOW = "a border like the one above the first row"
LINES, SAID = "lines around boxes of", ", the stated size"
TWOFOLD = "lines after columns 2 and 3 of some rows"


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
    expected = f"{NUMBER}, but not 0, because 6 does not occur"
    assert said_of(without) == f"6:4: expected {expected}, found '0'"


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
        ("  1", " 1 1", "6:22: expected a row of 6 cells, found 7 cells"),
        ("  1 __", "  1", "6:21: expected a row of 6 cells, found 5 cells"),
        (f"{RULE}\n", "", f"13:24: expected {BELOW}, found the end of the file"),
        (" 6 |", " 6 | 7", f"6:25: expected {NUMBER}, found '7'"),
        (TEXT[TEXT.index("|  5") :], "", "11:24: expected 6 rows, found 4 rows"),
        (
            "2x3",
            "3x2",
            f"expected {LINES} 3×2 cells{SAID}, found lines after column 3, rows 2 and 4",
        ),
        (
            "|  5 __ __ |",
            "|  5 __ | __",
            f"12: expected {LINES} 2×3 cells{SAID}, found {TWOFOLD}, rows 2 and 4",
        ),
    ],
)
def test_what_is_wrong_is_refused_at_its_place(old, new, message):
    assert said_of(TEXT.replace(old, new, 1)) == message


@for_each(
    ("old", "new"),
    [
        ("| __  1", " __  1"),
        (" 6 |", " 6"),
        (f"{RULE}| __  1", "| __  1"),
        (f"{RULE}| __  1", "|--+--|\n| __  1"),
        (f"{RULE}\n", f"{RULE}+--+--+"),
    ],
)
def test_lines_that_are_missing_or_say_nothing_change_no_puzzle(old, new):
    assert read(TEXT.replace(old, new, 1)).puzzle == PUZZLE


def test_what_comes_behind_the_last_border_is_refused():
    assert said_of(TEXT + "task: 2") == f"16:1: expected {NUMBER}, found 'task:'"


def test_a_single_name_is_told_from_the_beginning_of_a_word():
    assert said_of("exp") == f"1:1: expected {SIZE}, found 'exp'"
    assert "expected a digit or a blank" in said_of("expert")
