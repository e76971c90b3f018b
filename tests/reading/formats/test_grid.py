"""Grids, lines, and box sizes with numbers: how they are read, and what refuses them."""

from __future__ import annotations

from support.cases import for_each
from support.parsers import read, said_of
from support.puzzles import EVEN_ODD

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import Parsed, parse_puzzle, render_puzzle

FOUR = Geometry(2, 2)
VALUES = [1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2]
NUMBERS = " ".join(map(str, VALUES))
PUZZLE = Puzzle.of_values(FOUR, VALUES)
ROWS = "1...\n..3.\n.4..\n...2\n"
CELL = "a digit or a blank"
MARK = "a digit, '*' or '.'"
ONE_BLANK = "one symbol for all blanks"
UP_TO_4 = "a value from 1 to 4 or a blank"
SINGLE = (
    "a single puzzle "
    "(for collections, use `solve`, `encode -o FOLDER/` or `run`; in Python, `read`)"
)
LENGTHS = "a line of 16, 36, 64 or 81 cells"
SIZE = "height and width of a box, with a product from 2 to 256"
NUMBER = "a number from 1 to 4, or 0 for a blank"


@for_each(
    "text",
    [
        ROWS,
        ROWS.removesuffix("\n"),
        "\ufeff" + ROWS.replace("\n", "\r\n"),
        ROWS.replace("\n", "\r"),
        "\n\n1...\n..3.\n \t\n.4..\n...2\n\n",
        "# a puzzle\n1...\n// its middle\n..3.\n  # indented\n.4..\n...2\n#",
        "1 . . .\n. . 3 .\n. 4 . .\n. . . 2\n",
        "1,.,.,.\n.,.,3,.\n.,4,.,.\n.,.,.,2\n",
        "\t1.\t..\n  .. 3.  \n.4..\n...2\n",
        "1.|..\n..|3.\n--+--\n.4|..\n..|.2\n",
        "+---+---+\n|1 .|. .|\n|. .|3 .|\n+---+---+\n|. 4|. .|\n|. .|. 2|\n+---+---+\n",
        "*-----*\n|1.|..|\n|..|3.|\n|--+--|\n|.4|..|\n|..|.2|\n* --- *\n",
        "+==+==+\n|1.|..|\n|..|3.|\n+==+==+\n|.4|..|\n|..|.2|\n+==+==+\n",
        "1---\n--3-\n-4--\n---2\n",
        *[ROWS.replace(".", blank) for blank in "0_x?*"],
    ],
)
def test_a_grid_is_read_however_it_is_drawn(text):
    assert read(text) == Parsed(PUZZLE, "grid", "4 rows of 4 cells", "classic")


def test_a_line_of_n_dashes_is_a_row_of_blanks():
    assert read("----\n" * 4).puzzle == Puzzle.empty(FOUR)


@for_each(
    ("side", "geometry"), [(4, FOUR), (6, Geometry(2, 3)), (8, Geometry(2, 4)), (9, Geometry(3, 3))]
)
def test_the_number_of_cells_tells_the_boxes(side, geometry):
    cells = str(side) + "." * (side**2 - 1)
    puzzle = Puzzle.of_values(geometry, [side] + [0] * (side**2 - 1))
    grid = "\n".join(cells[start : start + side] for start in range(0, side**2, side))
    assert read(grid) == Parsed(puzzle, "grid", f"{side} rows of {side} cells", "classic")
    assert read(cells) == Parsed(puzzle, "line", f"one line of {side**2} cells", "classic")


@for_each(
    "text",
    [
        "1.....3..4.....2",
        "\ufeff# from a list\r\n\r\n1.....3..4.....2\r\n",
        "1... ..3. .4.. ...2",
        "|1...|..3.|.4..|...2|",
        "1,0,0,0,0,0,3,0,0,4,0,0,0,0,0,2\n",
    ],
)
def test_a_line_alone_in_its_file_is_a_puzzle(text):
    assert read(text) == Parsed(PUZZLE, "line", "one line of 16 cells", "classic")


@for_each(
    ("text", "reason"),
    [
        ("2 2\n1 0 0 0\n0 0 3 0\n0 4 0 0\n0 0 0 2\n", "its first line is the size of a box"),
        ("2 2\n1 0 0 0 0 0\n3 0 0\n\n4 0 0 0 0 0 2", "its first line is the size of a box"),
        (f"# easy\n2\t2\r\n{NUMBERS}", "its first line is the size of a box"),
        (f"2 2 {NUMBERS}", "the size of a box and 16 numbers"),
        (f"2\n2\n{NUMBERS}\n", "the size of a box and 16 numbers"),
        (f"c easy\nc\ncells\n2 2\n{NUMBERS}", "it begins with a comment line 'c …'"),
    ],
)
def test_box_sizes_and_numbers_are_read_in_any_white_space(text, reason):
    assert read(text) == Parsed(PUZZLE, "boxes", reason, "classic")


SIZES = [(1, 2), (2, 1), (2, 3), (3, 4), (15, 15), (1, 256), (256, 1)]


@for_each("name", ["boxes", "bordered"])
@for_each("size", SIZES)
def test_any_box_of_a_side_up_to_256_can_be_written_and_read(name, size):
    n = size[0] * size[1]
    puzzle = Puzzle.of_values(Geometry(*size), [n] + [0] * (n * n - 2) + [1])
    assert parse_puzzle(render_puzzle(puzzle, name)) == puzzle


def test_two_numbers_that_are_as_long_as_the_rows_below_are_a_row():
    assert read("12 34\n34 12\n21 43\n43 21\n").format == "grid"
    assert read("123 456\n" * 6).format == "grid"


def test_stars_and_dots_together_mark_even_and_odd_cells():
    parsed = read(EVEN_ODD)
    nine = parsed.puzzle.geometry
    assert (parsed.format, parsed.variant) == ("grid", "even-odd")
    assert parsed.puzzle.cells[:4] == (1 << 1, nine.odd_values, nine.even_values, nine.odd_values)
    line = read(EVEN_ODD.replace("\n", ""))
    assert (line.format, line.variant, line.puzzle) == ("line", "even-odd", parsed.puzzle)


EVEN, ODD, ALL = FOUR.even_values, FOUR.odd_values, FOUR.all_values


@for_each(
    ("text", "wanted", "found", "cells"),
    [
        ("*..." * 4, "auto", "even-odd", (EVEN, ODD)),
        ("*..." * 4, "classic", "classic", (ALL, ALL)),
        ("*..." * 4, "even-odd", "even-odd", (EVEN, ODD)),
        ("...." * 4, "auto", "classic", (ALL, ALL)),
        ("...." * 4, "even-odd", "even-odd", (ODD, ODD)),
        ("****" * 4, "even-odd", "even-odd", (EVEN, EVEN)),
        ("1234" * 4, "even-odd", "even-odd", (0b0001, 0b0010)),
        ("2 2" + " 0" * 16, "even-odd", "classic", (ALL, ALL)),
    ],
)
def test_the_variant_asked_for_overrides_what_the_cells_say(text, wanted, found, cells):
    parsed = read(text, variant=wanted)
    assert (parsed.variant, parsed.puzzle.cells[:2]) == (found, cells)


def test_blanks_that_a_wanted_variant_does_not_know_are_refused():
    assert said_of("-...\n" * 4, variant="even-odd") == f"1:1: expected {MARK}, found '-'"
    said = said_of("1...\n0000\n" * 2, variant="classic")
    assert said == f"2:1: expected {ONE_BLANK}, '.' as before, found '0'"


@for_each(
    ("text", "message"),
    [
        (ROWS + "....\n", "5:1: expected 4 rows, found 5 rows"),
        (ROWS + "\n| .|..\n", "6:3: expected 4 rows, found 5 rows"),
        (ROWS[:15], "3:5: expected 4 rows, found 3 rows"),
        ("# cut\n\n" + "." * 9, "3:10: expected 9 rows, found 1 row"),
        (ROWS.replace(".4..", ".4..."), "3:5: expected a row of 4 cells, found 5 cells"),
        (ROWS.replace(".4..", ".4|. . 1"), "3:8: expected a row of 4 cells, found 5 cells"),
        (ROWS.replace(".4..", "|.4."), "3:5: expected a row of 4 cells, found 3 cells"),
        ("123\n" * 3, "1:1: expected a row of 4, 6, 8 or 9 cells, found 3 cells"),
        ("---+---", "1:1: expected a row of 4, 6, 8 or 9 cells, found 0 cells"),
        ("+\n" * 4, "1:1: expected a row of 4, 6, 8 or 9 cells, found 0 cells"),
        (ROWS.replace("3", "a"), f"2:3: expected {CELL}, found 'a'"),
        ("# é\n" + ROWS.replace("3", "é"), f"3:3: expected {CELL}, found '\\xe9'"),
        ("1 2 | a 4\n" * 4, f"1:7: expected {CELL}, found 'a'"),
        (ROWS.replace("3", "5"), f"2:3: expected {UP_TO_4}, found '5'"),
        (ROWS.replace("3.", "3-"), f"2:4: expected {ONE_BLANK}, '.' as before, found '-'"),
        ("*-1-\n" * 4, f"1:2: expected {ONE_BLANK}, '*' as before, found '-'"),
        ("0*..\n....\n....\n....", f"1:1: expected {MARK}, found '0'"),
        (".*.0\n....\n....\n....", f"1:4: expected {MARK}, found '0'"),
        (".*.a\n....\n....\n....", f"1:4: expected {MARK}, found 'a'"),
        (".*..\n....\n...5\n....", f"3:4: expected {UP_TO_4}, found '5'"),
        ("# a\r\n\r1...\r\n..a.\n....\r....", f"4:3: expected {CELL}, found 'a'"),
        ("# \x85\u2028\x0c\n1...\n..a.\n....\n....", f"3:3: expected {CELL}, found 'a'"),
        ("." * 80, f"1:81: expected {LENGTHS}, found 80 cells"),
        ("\n" + ". " * 82, f"2:165: expected {LENGTHS}, found 82 cells"),
        ("." * 80 + "a", f"1:81: expected {CELL}, found 'a'"),
        ("." * 15 + "5", f"1:16: expected {UP_TO_4}, found '5'"),
        (("." * 81 + "\n") * 3, f"2:1: expected {SINGLE}, found 3 lines"),
        (("." * 81 + "\n") * 2 + "." * 40, f"2:1: expected {SINGLE}, found 3 lines"),
        ("c easy\n", f"1:7: expected {SIZE}, found the end of the file"),
        ("c easy\n 53..7", f"2:2: expected {SIZE}, found '53..7'"),
        ("c\n0 4\n", f"2:1: expected {SIZE}, found '0'"),
        ("c\n3 -3\n", f"2:3: expected {SIZE}, found '-3'"),
        ("16 17\n0", f"1:1: expected {SIZE}, found 16 and 17"),
        ("1 1\n1", f"1:1: expected {SIZE}, found 1 and 1"),
        ("2 2\n1 0 0", "2:6: expected 16 numbers after the size of the boxes, found 3 numbers"),
        ("2 2\n1", "2:2: expected 16 numbers after the size of the boxes, found 1 number"),
        ("2 2\n1_0", f"2:1: expected {NUMBER}, found '1_0'"),
        ("2 2\n\u0661", f"2:1: expected {NUMBER}, found '\\u0661'"),
        ("2 2\n" + "0 " * 16 + "\n 7 1", "3:2: expected the end after 16 numbers, found '7'"),
        ("2 2\n0 0\n0  5", f"3:4: expected {NUMBER}, found '5'"),
        ("2 2\n0 ²", f"2:3: expected {NUMBER}, found '\\xb2'"),
        ("2 2\n" + "9" * 5000, f"2:1: expected {NUMBER}, found '{'9' * 20}'…"),
    ],
)
def test_what_is_no_puzzle_is_refused_with_line_column_and_what_was_expected(text, message):
    assert said_of(text) == message


def test_a_first_row_of_two_numbers_is_not_taken_for_the_size_of_a_box():
    rows = "5 3\n" + "6..195...\n" * 8
    assert said_of(rows) == "1:4: expected a row of 9 cells, found 2 cells"


def test_a_word_that_begins_with_c_is_no_comment():
    assert said_of("class A:\n") == f"1:1: expected {CELL}, found 'c'"
    assert "height and width" in said_of("c easy\n53..7....\n")
