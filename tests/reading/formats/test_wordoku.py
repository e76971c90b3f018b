"""Grids of letters instead of digits, and what is said of those that are none."""

from __future__ import annotations

from support.cases import for_each
from support.parsers import LINE, SOLVED, grid, read, said_of

from pipeline import Geometry, solve
from pipeline.puzzle.puzzle import Grid
from pipeline.reading.formats import Parsed, filled_grid, solution_text, symbols_of

SMALL = "1.....2..3.....4"
SIX = "..2..4...6...25.6.......16.2....3.1."
NINE = grid(LINE)


def in_letters(text: str, letters: str) -> str:
    return text.translate(str.maketrans("123456789"[: len(letters)], letters))


def solution(parsed: Parsed) -> str:
    found = solve(parsed.puzzle).solutions[0]
    assert isinstance(found, Grid)
    return solution_text(parsed, found)


@for_each(
    ("digits", "letters"),
    [
        (grid(SMALL), "ABCD"),
        (grid(SMALL), "EHOP"),
        (grid(SIX), "ABCDEF"),
        (grid(SIX), "qrstuv"),
        (NINE, "ABCDEFGHI"),
        (NINE, "BDEGIMNRX"),
        (NINE.replace(".", "0"), "ILOPQRSTU"),
        (NINE.replace(".", "-"), "abcdefghi"),
        (LINE + "\n", "ABCDEFGHI"),
        (LINE.replace(".", "_") + "\n", "EGIMNORST"),
        (SIX + "\n", "ABCDEF"),
    ],
)
def test_letters_are_values_and_solutions_are_written_in_them(digits, letters):
    text, plain = in_letters(digits, letters), read(digits)
    parsed = read(text)
    in_line = " line" if plain.format == "line" else ""
    assert parsed.format == f"wordoku {letters}{in_line}"
    assert symbols_of(parsed.format) == letters
    assert parsed.puzzle == plain.puzzle
    written = solution(parsed)
    assert written == in_letters(solution(plain), letters)
    for options in ({}, {"format": "wordoku", "variant": "classic"}):
        found = read(written, **options).puzzle
        assert filled_grid(found, "") == filled_grid(read(solution(plain)).puzzle, "")


def test_letters_that_do_not_occur_are_those_of_the_alphabet_or_digits():
    without = LINE.replace("9", ".")
    parsed = read(in_letters(without, "ABCDEFGHI"))
    assert parsed.format == "wordoku ABCDEFGHI line"
    parsed = read(in_letters(grid(without), "BDEGIMNRX"))
    assert parsed.format == "wordoku BDEGIMNR9"
    written = solution(parsed)
    assert {*written} == {*"BDEGIMNR9\n"}
    assert read(written).format == "wordoku BDEGIMNR9"
    assert len([*read(written).puzzle.givens()]) == 81


@for_each("blank", ["X", "x"])
def test_x_is_a_blank_if_there_is_no_other_and_the_grid_is_not_full(blank):
    text = in_letters(LINE.replace(".", blank), "ABCDEFGHI")
    assert read(text).puzzle == read(LINE).puzzle
    letters = "BDEGIMNRX"
    assert read(in_letters(SOLVED, letters)).format == f"wordoku {letters} line"


def test_a_wordoku_may_have_a_title_and_what_else_is_there_is_named():
    text = in_letters(NINE, "BDEGIMNRX")
    parsed = read(f"Puzzle 1 by Ann\n{text}A word is on the main diagonal\n")
    assert parsed.puzzle == read(NINE).puzzle
    assert (parsed.title, parsed.unread) == (
        "Puzzle 1 by Ann",
        ("line 11: 'A word is on the main diagonal'",),
    )


def test_boxes_may_be_drawn():
    rows = [f"{row[:2]}|{row[2:4]}|{row[4:]}" for row in grid(in_letters(SIX, "ABCDEF")).split()]
    drawn = "\n".join([*rows[:3], "--+--+--", *rows[3:]])
    parsed = read(drawn)
    assert parsed.puzzle.geometry == Geometry(3, 2)
    assert solution(parsed)[:6].isdigit()


@for_each(
    ("text", "message"),
    [
        (
            "ABCD\n..E.\n....\n....\n",
            "2:3: expected at most 4 letters and one blank, found a further letter, 'E'",
        ),
        ("ABc.\n....\n....\n....\n", "1:3: expected letters in either upper or lower"),
        ("AB-.\n....\n....\n....\n", "1:4: expected one symbol for all blanks, '-' as before"),
        ("AABB\nAABB\nCCDD\nCCDD\n", "1:1: expected a digit or a blank, found 'A'"),
        ("AB..\n....\n....\n...3\n", "1:1: expected a digit or a blank, found 'A'"),
    ],
)
def test_letters_that_are_no_wordoku_are_refused(text, message):
    assert said_of(text).startswith(message)


def test_even_and_odd_cells_have_no_letters():
    said = said_of("AB*.\n....\n....\n....\n", variant="even-odd")
    assert said == "1:3: expected a puzzle of letters without even or odd marks, found '*'"
