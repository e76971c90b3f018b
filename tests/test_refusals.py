"""What is no puzzle is refused with the place, what was expected and what was found."""

from __future__ import annotations

import pickle
import random
import tracemalloc

import pytest
from solving import EVEN_ODD

from pipeline.errors import InvalidPuzzle
from pipeline.parse import Parsed, parse_puzzle, parse_source
from pipeline.parse.formula import parse_formula
from pipeline.parse.text import MOST_LINES, MOST_TEXT
from pipeline.puzzle import Geometry, Puzzle


def read(text: str | bytes, **options) -> Parsed:
    return parse_source(text.encode() if isinstance(text, str) else text, "a.txt", **options)


def refusal(text: str | bytes, **options) -> InvalidPuzzle:
    with pytest.raises(InvalidPuzzle) as caught:
        read(text, **options)
    return caught.value


ROWS = "1...\n..3.\n.4..\n...2\n"
SIZE = "height and width of a box, their product 2 to 256"
NUMBER = "a number from 1 to 4, or 0 for a blank"
CELL = "a digit or a blank"
MARK = "a digit, '*' or '.'"
SINGLE = "a single puzzle (`run` and `watch` read files of many)"
LENGTHS = "a line of 16, 36, 64 or 81 cells"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS + "....\n", "5:1: expected 4 rows, found 5 rows"),
        (ROWS + "\n| .|..\n", "6:3: expected 4 rows, found 5 rows"),
        ("1...\n..3.\n.4..\n", "3:5: expected 4 rows, found 3 rows"),
        ("# cut\n\n" + "." * 9, "3:10: expected 9 rows, found 1 row"),
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
        (".*.0\n....\n....\n....", f"1:4: expected {MARK}, found '0'"),
        (".*.a\n....\n....\n....", f"1:4: expected {MARK}, found 'a'"),
        (".*..\n....\n...5\n....", "3:4: expected a value from 1 to 4 or a blank, found '5'"),
        ("1...\r..a.\r....\r....\r", f"2:3: expected {CELL}, found 'a'"),
        ("# a\r\n\r1...\r\n..a.\n....\r....", f"4:3: expected {CELL}, found 'a'"),
        ("# \x85\u2028\x0c\n1...\n..a.\n....\n....", f"3:3: expected {CELL}, found 'a'"),
        ("+\n" * 4, "1:1: expected a row of 4, 6, 8 or 9 cells, found 0 cells"),
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
        (("." * 81 + "\n") * 2 + "." * 40, f"2:1: expected {SINGLE}, found 3 lines"),
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
        ("2 2\n1", "2:2: expected 16 numbers after the size of the boxes, found 1 number"),
        ("2 2\n1_0", f"2:1: expected {NUMBER}, found '1_0'"),
        ("2 2\n\u0661", f"2:1: expected {NUMBER}, found '\\u0661'"),
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
        (b"\xef\xbb\xbf1...\n\xc3\xa4\xff..", "2:2: expected UTF-8 text, found the byte 0xff"),
        (b"\xef\xbb\xbf\xff", "1:1: expected UTF-8 text, found the byte 0xff"),
        (b"\xef\xbb\xbf" * 2 + b"\xff", "1:2: expected UTF-8 text, found the byte 0xff"),
        (b"1...\r..x\xff", "2:4: expected UTF-8 text, found the byte 0xff"),
        (b"# a\r\r\n1...\r\0", "4:1: expected UTF-8 text, found a NUL character"),
        (b"\x89PNG", "1:1: expected UTF-8 text, found the byte 0x89"),
        (b"1...\n..\0.", "2:3: expected UTF-8 text, found a NUL character"),
    ],
)
def test_what_is_empty_or_no_text_is_refused(raw, message):
    assert str(refusal(raw)) == f"a.txt:{message}"


def test_a_file_above_the_largest_size_is_refused_unread():
    assert read(ROWS, max_bytes=20).format == "grid"
    error = refusal(b"\xff" * 21, max_bytes=20)
    assert str(error) == "a.txt: expected at most 20 bytes (--max-bytes), found more"


@pytest.mark.parametrize("line", ["c\n", ".\n", "c easy\r\n", "0\r"])
def test_lines_are_not_read_without_end(line):
    message = f"a.txt:{MOST_LINES + 1}:1: expected at most {MOST_LINES} lines of a puzzle"
    assert str(refusal(line * (MOST_LINES + 9))) == f"{message}, found another"


def test_comments_and_empty_lines_are_not_counted_as_lines_of_a_puzzle():
    assert read("# more\n\n" * MOST_LINES + ROWS).format == "grid"


def test_the_largest_puzzle_with_a_number_a_line_is_read():
    text = "c\n16\n16\n" + "0\n" * 65_536
    assert read(text).puzzle == Puzzle.empty(Geometry(16, 16))


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


@pytest.mark.parametrize(
    "whole",
    [ROWS, EVEN_ODD, EVEN_ODD.replace("\n", ""), "c easy\n2 3\n" + "0 0 0 0 0 6\n" * 6],
    ids=["grid", "even-odd", "line of 81", "boxes"],
)
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


def taken(read, data: bytes) -> float:
    """The most memory that a refusal took, as a multiple of what was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(InvalidPuzzle):
            read(data)
        return tracemalloc.get_traced_memory()[1] / len(data)
    finally:
        tracemalloc.stop()


SIZE_OF_GARBAGE = 2 * MOST_TEXT
GARBAGE = {
    **{sign: sign.encode() * SIZE_OF_GARBAGE for sign in 'x1 ,;["<:c|\n\r\t\0'},
    "numbers": b"1 " * (SIZE_OF_GARBAGE // 2),
    "emoji": "\U0001f600".encode() + b"x" * SIZE_OF_GARBAGE,
    "only emoji": "\U0001f600".encode() * (SIZE_OF_GARBAGE // 4),
    "no-break spaces": "\u00a0".encode() * (SIZE_OF_GARBAGE // 2),
    "a long comment": b"#" * SIZE_OF_GARBAGE,
    "comments": b"#\n" * (SIZE_OF_GARBAGE // 2),
    "a bad end": b"\n" * SIZE_OF_GARBAGE + b"\xff",
    "noise": random.Random(1).randbytes(SIZE_OF_GARBAGE),
    "lists": b"[1," * (SIZE_OF_GARBAGE // 3),
    "XML": b"<opensudoku>" + b"<a></a>" * (SIZE_OF_GARBAGE // 7),
    "boxes": b"16 16\n" + b"0 " * (SIZE_OF_GARBAGE // 2),
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=map(repr, GARBAGE))
def test_garbage_takes_no_more_memory_to_refuse_than_it_has_itself(data):
    assert taken(read, data) < 1.1


@pytest.mark.parametrize("body", [b"1 ", b"x"])
def test_formulas_take_memory_in_proportion_however_long_their_lines_are(body):
    data = b"p cnf 2 9999999\n" + body * (2**20 // len(body))
    assert taken(lambda formula: parse_formula(formula, "a.cnf"), data) < 6


@pytest.mark.parametrize("sign", [",", ";", "\t", " ", "1,", '"', "[1,"])
@pytest.mark.parametrize("name", ["auto", "spreadsheet", "json", "spaces"])
def test_fields_without_end_are_not_all_looked_at(name, sign):
    data = sign.encode() * (2**20 // len(sign)) + b"."
    assert taken(lambda text: read(text, format_name=name), data) < 8


def test_more_text_than_a_puzzle_can_have_is_refused_where_it_is_too_much():
    line = "." * (MOST_TEXT // 2) + "\n"
    assert str(refusal("# c\n" * 10**5 + line * 2)).startswith("a.txt:100001:1: expected a row")
    message = f"expected at most {MOST_TEXT} bytes of a puzzle, found more"
    assert str(refusal(line * 3)) == f"a.txt:3:1: {message}"
