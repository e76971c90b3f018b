"""What is no text, too much or garbage is refused, in memory that does not grow with it."""

from __future__ import annotations

import pickle
import random
import tracemalloc

import pytest
from support.cases import for_each
from support.parsers import read, refusal, said_of

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle, text
from pipeline.reading.formats.dimacs import parse_formula
from pipeline.reading.formats.text import MAX_LINES, MAX_TEXT_BYTES

ROWS = "1...\n..3.\n.4..\n...2\n"


@for_each(
    ("raw", "message"),
    [
        (b"", "a.txt: expected a puzzle, found an empty file"),
        (b"\xef\xbb\xbf\r\n \t\n", "a.txt: expected a puzzle, found an empty file"),
        (b"# a\n// b\n", "a.txt: expected a puzzle, found only comments and empty lines"),
        (b"1...\n\xc3\xa4\xff..", "a.txt:2:2: expected UTF-8 text, found the byte 0xff"),
        (b"\xef\xbb\xbf1.\n\xc3\xa4\xff.", "a.txt:2:2: expected UTF-8 text, found the byte 0xff"),
        (b"\xef\xbb\xbf\xff", "a.txt:1:1: expected UTF-8 text, found the byte 0xff"),
        (b"\xef\xbb\xbf" * 2 + b"\xff", "a.txt:1:2: expected UTF-8 text, found the byte 0xff"),
        (b"1...\r..x\xff", "a.txt:2:4: expected UTF-8 text, found the byte 0xff"),
        (b"# a\r\r\n1...\r\0", "a.txt:4:1: expected UTF-8 text, found a NUL character"),
    ],
)
def test_what_is_empty_or_no_text_is_refused(raw, message):
    assert str(refusal(raw)) == message


def test_a_file_above_the_largest_size_is_refused_unread():
    assert read(ROWS, max_bytes=20).format == "grid"
    said = str(refusal(b"\xff" * 21, max_bytes=20))
    assert said == "a.txt: expected at most 20 bytes (--max-bytes), found more"


@pytest.mark.parametrize("line", ["c easy\r\n", "0\r"])
def test_lines_are_not_read_without_end(line):
    expected = f"{MAX_LINES + 1}:1: expected a puzzle of at most {MAX_LINES} lines, found more"
    assert said_of(line * (MAX_LINES + 9)) == expected


def test_comments_and_empty_lines_are_not_counted_as_lines_of_a_puzzle():
    assert read("# more\n\n" * MAX_LINES + ROWS).format == "grid"


def test_the_largest_puzzle_with_a_number_a_line_is_read():
    assert read("c\n16\n16\n" + "0\n" * 65_536).puzzle == Puzzle.empty(Geometry(16, 16))


@pytest.mark.trial
def test_more_text_than_a_puzzle_can_have_is_refused_where_it_is_too_much():
    line = "." * (MAX_TEXT_BYTES // 2) + "\n"
    assert said_of("# c\n" * 10**4 + line * 2).startswith("10001:1: expected a row")
    assert (
        said_of(line * 3) == f"3:1: expected a puzzle of at most {MAX_TEXT_BYTES} bytes, found more"
    )


def test_a_refusal_survives_the_way_between_processes():
    error = refusal("2 2\n1 0 0")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.truncated) == (str(error), error.truncated)


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


SIZE_OF_GARBAGE = 2**20
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


@for_each("data", GARBAGE.values())
def test_garbage_takes_no_more_memory_to_refuse_than_it_has_itself(data, monkeypatch):
    monkeypatch.setattr(text, "MAX_TEXT_BYTES", SIZE_OF_GARBAGE // 2)
    assert taken(read, data) < 1.1


@pytest.mark.parametrize("body", [b"1 ", b"x"])
def test_formulas_take_memory_in_proportion_however_long_their_lines_are(body):
    data = b"p cnf 2 9999999\n" + body * (2**20 // len(body))
    assert taken(lambda formula: parse_formula(formula, "a.cnf"), data) < 6


@for_each("sign", [",", ";", "\t", " ", "1,", '"', "[1,"])
@for_each("name", ["auto", "spreadsheet", "json", "spaces"])
def test_fields_without_end_are_not_all_looked_at(name, sign):
    data = sign.encode() * (2**18 // len(sign)) + b"."
    assert taken(lambda text: read(text, format=name), data) < 8
