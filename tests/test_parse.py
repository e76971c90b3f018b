"""Bytes become puzzles, or a message that says what is wrong and where."""

from __future__ import annotations

import pickle

import pytest

from pipeline.errors import InvalidPuzzle
from pipeline.parse import FORMATS, Parsed, format_named, parse_puzzle, parse_source, render_puzzle
from pipeline.puzzle import Geometry, Puzzle

FOUR = Geometry(2, 2)
VALUES = [1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2]
PUZZLE = Puzzle.of_values(FOUR, VALUES)
EVEN_ODD = """\
2.*.*.47.
7**..**..
.9.24..*6
..*18.9**
3*.***5..
*.*..9*23
941..**.8
*..*.*.3*
**.65..4.
"""


def read(text: str | bytes, **options) -> Parsed:
    return parse_source(text.encode() if isinstance(text, str) else text, "a.txt", **options)


def refusal(text: str | bytes, **options) -> InvalidPuzzle:
    with pytest.raises(InvalidPuzzle) as caught:
        read(text, **options)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "1...\n..3.\n.4..\n...2\n",
        "1...\n..3.\n.4..\n...2",
        "\ufeff1...\r\n..3.\r\n.4..\r\n...2\r\n",
        "1...\r..3.\r.4..\r...2\r",
        "\n\n1...\n..3.\n \t\n.4..\n...2\n\n",
        "# a puzzle\n1...\n// its middle\n..3.\n  # indented\n.4..\n...2\n#",
        "1 . . .\n. . 3 .\n. 4 . .\n. . . 2\n",
        "1,.,.,.\n.,.,3,.\n.,4,.,.\n.,.,.,2\n",
        "\t1.\t..\n  .. 3.  \n.4..\n...2\n",
        "1.|..\n..|3.\n--+--\n.4|..\n..|.2\n",
        "+---+---+\n|1 .|. .|\n|. .|3 .|\n+---+---+\n|. 4|. .|\n|. .|. 2|\n+---+---+\n",
        "*-----*\n|1.|..|\n|..|3.|\n|--+--|\n|.4|..|\n|..|.2|\n*-----*\n",
        "+==+==+\n|1.|..|\n|..|3.|\n+==+==+\n|.4|..|\n|..|.2|\n+==+==+\n",
        "1---\n--3-\n-4--\n---2\n",
        *["1...\n..3.\n.4..\n...2\n".replace(".", blank) for blank in "0_x?*"],
    ],
)
def test_a_grid_is_read_however_it_is_drawn(text):
    assert read(text) == Parsed(PUZZLE, "grid", "4 rows of 4 cells", "classic")


def test_a_line_of_n_dashes_is_a_row_of_blanks():
    assert read("----\n" * 4).puzzle == Puzzle.empty(FOUR)


@pytest.mark.parametrize(
    ("side", "geometry"), [(4, FOUR), (6, Geometry(2, 3)), (8, Geometry(2, 4)), (9, Geometry(3, 3))]
)
def test_the_number_of_cells_tells_the_boxes(side, geometry):
    cells = str(side) + "." * (side**2 - 1)
    puzzle = Puzzle.of_values(geometry, [side] + [0] * (side**2 - 1))
    grid = "\n".join(cells[start : start + side] for start in range(0, side**2, side))
    assert read(grid) == Parsed(puzzle, "grid", f"{side} rows of {side} cells", "classic")
    assert read(cells) == Parsed(puzzle, "line", f"one line of {side**2} cells", "classic")


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2 2\n1 0 0 0\n0 0 3 0\n0 4 0 0\n0 0 0 2\n", "its first line is the size of a box"),
        ("2 2\n1 0 0 0 0 0\n3 0 0\n\n4 0 0 0 0 0 2", "its first line is the size of a box"),
        ("# easy\n2\t2\r\n" + " ".join(map(str, VALUES)), "its first line is the size of a box"),
        ("2 2 1 0 0 0 0 0 3 0 0 4 0 0 0 0 0 2", "the size of a box and 16 numbers"),
        ("2\n2\n1 0 0 0 0 0 3 0\n0 4 0 0 0 0 0 2\n", "the size of a box and 16 numbers"),
        (
            "c easy\nc\ncells\n2 2\n" + " ".join(map(str, VALUES)),
            "it begins with a comment line 'c …'",
        ),
    ],
)
def test_box_sizes_and_numbers_are_read_in_any_white_space(text, reason):
    assert read(text) == Parsed(PUZZLE, "boxes", reason, "classic")


@pytest.mark.parametrize(
    ("height", "width"), [(1, 2), (2, 1), (2, 3), (3, 2), (3, 4), (5, 5), (12, 12), (1, 256)]
)
def test_any_box_of_a_side_up_to_256_can_be_written_and_read(height, width):
    geometry = Geometry(height, width)
    n = geometry.side
    puzzle = Puzzle.of_values(geometry, [n] + [0] * (n * n - 2) + [1])
    assert parse_puzzle(render_puzzle(puzzle, "boxes")) == puzzle


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


@pytest.mark.parametrize(
    ("text", "wanted", "found", "cells"),
    [
        ("*..." * 4, "auto", "even-odd", (FOUR.even_values, FOUR.odd_values)),
        ("*..." * 4, "classic", "classic", (FOUR.all_values, FOUR.all_values)),
        ("*..." * 4, "even-odd", "even-odd", (FOUR.even_values, FOUR.odd_values)),
        ("...." * 4, "auto", "classic", (FOUR.all_values, FOUR.all_values)),
        ("...." * 4, "even-odd", "even-odd", (FOUR.odd_values, FOUR.odd_values)),
        ("****" * 4, "even-odd", "even-odd", (FOUR.even_values, FOUR.even_values)),
        ("1234" * 4, "even-odd", "even-odd", (0b0001, 0b0010)),
        ("2 2" + " 0" * 16, "even-odd", "classic", (FOUR.all_values, FOUR.all_values)),
    ],
)
def test_the_variant_asked_for_overrides_what_the_cells_say(text, wanted, found, cells):
    parsed = read(text, variant=wanted)
    assert (parsed.variant, parsed.puzzle.cells[:2]) == (found, cells)


ROWS = "1...\n..3.\n.4..\n...2\n"
SIZE = "height and width of a box, their product 2 to 256"
NUMBER = "a number from 1 to 4, or 0 for a blank"
CELL = "a digit or a blank"
MARK = "a digit, '*' (even) or '.' (odd)"
SINGLE = "a single puzzle (a collection, one puzzle a line, is not read yet)"
LENGTHS = "a line of 16, 36, 64 or 81 cells"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS + "....\n", "5:1: expected 4 rows, found 5 rows"),
        (ROWS + "\n| .|..\n", "6:3: expected 4 rows, found 5 rows"),
        ("1...\n..3.\n.4..\n", "3:5: expected 4 rows, found 3 rows"),
        ("# cut\n\n" + "." * 9, "3:10: expected 9 rows, found 1 rows"),
        (ROWS.replace(".4..", ".4..."), "3:5: expected a row of 4 cells, found 5 cells"),
        (ROWS.replace(".4..", ".4|. . 1"), "3:8: expected a row of 4 cells, found 5 cells"),
        (ROWS.replace(".4..", "|.4."), "3:5: expected a row of 4 cells, found 3 cells"),
        ("123\n" * 3, "1:1: expected a row of 4, 6, 8 or 9 cells, found 3 cells"),
        ("---+---", "1:1: expected a row of 4, 6, 8 or 9 cells, found 0 cells"),
        (ROWS.replace("3", "a"), f"2:3: expected {CELL}, found 'a'"),
        ("# é\n" + ROWS.replace("3", "é"), f"3:3: expected {CELL}, found '\\xe9'"),
        ("1 2 | a 4\n" * 4, f"1:7: expected {CELL}, found 'a'"),
        (ROWS.replace("3", "5"), "2:3: expected a value from 1 to 4 or a blank, found '5'"),
        (
            ROWS.replace("3.", "3-"),
            "2:4: expected one symbol for all blanks, '.' as before, found '-'",
        ),
        ("*-1-\n" * 4, "1:2: expected one symbol for all blanks, '*' as before, found '-'"),
        ("0*..\n....\n....\n....", f"1:1: expected {MARK}, found '0'"),
        (".0.*\n....\n....\n....", f"1:2: expected {MARK}, found '0'"),
    ],
)
def test_a_grid_that_is_none_is_refused_with_line_column_and_what_was_expected(text, message):
    assert str(refusal(text)) == f"a.txt:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("." * 80, f"1:81: expected {LENGTHS}, found 80 cells"),
        ("\n" + ". " * 82, f"2:165: expected {LENGTHS}, found 82 cells"),
        ("." * 80 + "a", f"1:81: expected {CELL}, found 'a'"),
        ("." * 15 + "5", "1:16: expected a value from 1 to 4 or a blank, found '5'"),
        (("." * 81 + "\n") * 3, f"2:1: expected {SINGLE}, found 3 lines"),
    ],
)
def test_a_line_that_is_no_puzzle_is_refused_in_the_same_way(text, message):
    assert str(refusal(text)) == f"a.txt:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c easy\n", f"1:7: expected {SIZE}, found the end of the file"),
        ("c easy\n 53..7", f"2:2: expected {SIZE}, found '53..7'"),
        ("c\n0 4\n", f"2:1: expected {SIZE}, found '0'"),
        ("c\n3 -3\n", f"2:3: expected {SIZE}, found '-3'"),
        ("16 17\n0", f"1:1: expected {SIZE}, found 16 and 17"),
        ("1 1\n1", f"1:1: expected {SIZE}, found 1 and 1"),
        ("2 2\n1 0 0", "2:6: expected 16 numbers after the size of the boxes, found 3 numbers"),
        ("2 2\n" + "0 " * 16 + "\n 7 1", "3:2: expected the end after 16 numbers, found '7'"),
        ("2 2\n0 0\n0  5", f"3:4: expected {NUMBER}, found '5'"),
        ("2 2\n0 -1", f"2:3: expected {NUMBER}, found '-1'"),
        ("2 2\n0 .", f"2:3: expected {NUMBER}, found '.'"),
        ("2 2\n0 ²", f"2:3: expected {NUMBER}, found '\\xb2'"),
        ("2 2\n" + "9" * 5000, f"2:1: expected {NUMBER}, found '{'9' * 20}'…"),
    ],
)
def test_box_sizes_and_numbers_that_are_wrong_are_refused_in_the_same_way(text, message):
    assert str(refusal(text)) == f"a.txt:{message}"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", " expected a puzzle, found an empty file"),
        (b"\xef\xbb\xbf\r\n \t\n", " expected a puzzle, found an empty file"),
        (b"# a\n// b\n", " expected a puzzle, found only comments and empty lines"),
        (b"1...\n\xc3\xa4\xff..", "2:2: expected UTF-8 text, found the byte 0xff"),
        (b"\x89PNG", "1:1: expected UTF-8 text, found the byte 0x89"),
        (b"1...\n..\0.", "2:3: expected text, found a NUL character"),
    ],
)
def test_what_is_empty_or_no_text_is_refused(raw, message):
    assert str(refusal(raw)) == f"a.txt:{message}"


def test_a_file_above_the_largest_size_is_refused_unread():
    assert read(ROWS, max_bytes=20).puzzle == PUZZLE
    error = refusal(b"\xff" * 21, max_bytes=20)
    assert str(error) == "a.txt: expected at most 20 bytes, found 21 bytes"


@pytest.mark.parametrize(
    ("text", "variant", "message"),
    [
        ("-...\n" * 4, "even-odd", f"1:1: expected {MARK}, found '-'"),
        (
            "1...\n0000\n" * 2,
            "classic",
            "2:1: expected one symbol for all blanks, '.' as before, found '0'",
        ),
    ],
)
def test_blanks_that_a_wanted_variant_does_not_know_are_refused(text, variant, message):
    assert str(refusal(text, variant=variant)) == f"a.txt:{message}"


@pytest.mark.parametrize("whole", [ROWS, EVEN_ODD, "c easy\n2 3\n" + "0 0 0 0 0 6\n" * 6])
def test_a_file_that_is_cut_off_anywhere_says_so(whole):
    for length in range(len(whole.rstrip())):
        assert refusal(whole[:length]).truncated


def test_a_line_that_is_too_short_may_be_cut_off():
    assert all(refusal("." * length).truncated for length in (10, 35, 37, 80))


@pytest.mark.parametrize(
    "text",
    [ROWS + "....\n", ROWS.replace("3", ""), ROWS.replace("3", "a"), "." * 82, "2 2\n5", b"\0"],
)
def test_a_file_that_nothing_more_can_mend_is_not_said_to_be_cut_off(text):
    assert not refusal(text).truncated


def test_a_refusal_survives_the_way_between_processes():
    error = refusal("2 2\n1 0 0")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.truncated) == (str(error), True)


def test_a_text_without_a_name_is_called_a_puzzle():
    with pytest.raises(InvalidPuzzle, match=r"^puzzle:1:2: expected a digit or a blank"):
        parse_puzzle("1a..\n....\n....\n....\n")


def test_formats_are_known_by_their_names():
    assert [format_named(known.name) for known in FORMATS] == list(FORMATS)
    with pytest.raises(KeyError):
        format_named("crossword")
