"""16×16 and 25×25 characters: they decide their alphabet, or it has to be declared."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.parsers import read, said_of
from support.strategies import examples

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import ALPHABET_NAMES, Parsed, render_puzzle
from pipeline.reading.formats.cells import ALPHABETS, LARGER_GEOMETRIES

SIXTEEN, TWENTY_FIVE = LARGER_GEOMETRIES[16], LARGER_GEOMETRIES[25]


def solution(geometry: Geometry) -> list[int]:
    """The values of the simplest grid."""
    n, height = geometry.side, geometry.height
    return [
        (height * (row % height) + row // height + column) % n + 1
        for row in range(n)
        for column in range(n)
    ]


def puzzle_of(geometry: Geometry, seed: int = 1, *without: int) -> Puzzle:
    """Half of the simplest grid, and of some values nothing."""
    chance = random.Random(seed)
    return Puzzle.of_values(
        geometry,
        [
            value if chance.random() < 0.5 and value not in without else 0
            for value in solution(geometry)
        ],
    )


def drawn(text: str) -> str:
    """The rows with bars between the boxes and borders between the bands."""
    rows = text.split()
    step = round(len(rows) ** 0.5)
    cut = ["|".join(row[i : i + step] for i in range(0, len(row), step)) for row in rows]
    border = "+".join(["-" * step] * step)
    bands = ["\n".join(cut[i : i + step]) for i in range(0, len(cut), step)]
    return f"\n{border}\n".join(bands)


def test_the_alphabets_have_the_signs_that_their_names_say():
    assert {name: ALPHABETS[name] for name in ALPHABET_NAMES} == {
        "0-F": "0123456789ABCDEF",
        "1-G": "123456789ABCDEFG",
        "A-P": "ABCDEFGHIJKLMNOP",
        "0-O": "0123456789ABCDEFGHIJKLMNO",
        "1-P": "123456789ABCDEFGHIJKLMNOP",
        "A-Y": "ABCDEFGHIJKLMNOPQRSTUVWXY",
    }
    assert len(ALPHABETS) == 2 * len(ALPHABET_NAMES)


@for_each("layout", ["", " line"])
@for_each("name", ALPHABETS)
def test_puzzle_and_solution_are_read_in_the_alphabet_they_are_written_in(name, layout):
    geometry = LARGER_GEOMETRIES[len(ALPHABETS[name])]
    notation = f"characters {name}{layout}"
    count = geometry.side**2
    shape = f"one line of {count}" if layout else f"{geometry.side} rows of {geometry.side}"
    for puzzle in (puzzle_of(geometry), Puzzle.of_values(geometry, solution(geometry))):
        expected = Parsed(puzzle, notation, f"{shape} characters", "classic")
        assert read(render_puzzle(puzzle, notation)) == expected


@examples(15)
@given(st.sampled_from(list(ALPHABETS)), st.sets(st.integers(1, 25)), st.integers(0, 99))
def test_whatever_values_are_missing_a_puzzle_is_read_right_or_has_to_be_declared(
    name, without, seed
):
    geometry = LARGER_GEOMETRIES[len(ALPHABETS[name])]
    puzzle = puzzle_of(geometry, seed, *without)
    notation = f"characters {name}"
    text = render_puzzle(puzzle, notation)
    try:
        guessed = read(text).puzzle
    except InvalidPuzzle as error:
        found = error.found
    else:
        found = "ambiguous" if guessed == puzzle else "wrong"
    assert "ambiguous" in found
    parsed = read(text, alphabet=name.upper())
    assert parsed.puzzle == puzzle
    assert parsed.format.upper() == notation.upper()


@for_each("name", ALPHABET_NAMES)
@for_each("blank", [*"._-*?x0"])
def test_blanks_are_any_one_symbol_that_is_no_value(name, blank):
    geometry = LARGER_GEOMETRIES[len(ALPHABETS[name])]
    puzzle = puzzle_of(geometry)
    text = render_puzzle(puzzle, f"characters {name}").replace(".", blank)
    if blank == "0" and name.startswith("0"):
        assert read(text, alphabet=name).puzzle != puzzle
    else:
        assert read(text, alphabet=name).puzzle == puzzle


@for_each("name", ["1-G", "A-P", "1-P", "A-Y"])
def test_zero_is_a_blank_where_the_other_characters_leave_no_other_reading(name):
    puzzle = puzzle_of(LARGER_GEOMETRIES[len(ALPHABETS[name])])
    text = render_puzzle(puzzle, f"characters {name}").replace(".", "0")
    assert (read(text).puzzle, read(text).format) == (puzzle, f"characters {name}")


def test_capital_x_is_a_value_and_small_x_a_blank_beside_capitals():
    puzzle = puzzle_of(TWENTY_FIVE)
    text = render_puzzle(puzzle, "characters A-Y").replace(".", "x")
    assert "X" in text
    assert read(text).puzzle == puzzle


def test_rows_may_be_drawn_as_those_of_a_grid():
    for name in ALPHABET_NAMES:
        puzzle = puzzle_of(LARGER_GEOMETRIES[len(ALPHABETS[name])])
        text = drawn(render_puzzle(puzzle, f"characters {name}"))
        assert "|" in text
        assert read("# drawn\n" + text).puzzle == puzzle


@for_each(
    ("row", "alphabets"),
    [
        ("1.......F.......", "0-F or 1-G"),
        ("........F.......", "0-F, 1-G or A-P"),
        ("................", "0-F, 1-G or A-P"),
        ("........G.......", "1-G or A-P"),
        ("........f.......", "0-F, 1-G or A-P"),
        ("9999999999999999", "0-F or 1-G"),
        ("0000000000000001", "0-F or 1-G"),
        ("000000000000000A", "0-F, 1-G or A-P"),
        ("........A.......5........", "0-O or 1-P"),
        ("........................O", "0-O, 1-P or A-Y"),
        ("........................P", "1-P or A-Y"),
        (".........................", "0-O, 1-P or A-Y"),
    ],
)
def test_characters_that_fit_several_alphabets_are_refused_and_the_remedy_named(row, alphabets):
    rows = (row + "\n") * len(row)
    expected = f"expected --alphabet {alphabets} to name the alphabet"
    message = f"{expected}, found ambiguous characters, which fit each of these alphabets"
    assert said_of(rows, format="characters") == message
    assert said_of(rows.replace("\n", "")) == message


@for_each(
    ("row", "alphabets"),
    [
        ("1..2......3....4", "0-F or 1-G"),
        ("1002000000300004", "0-F or 1-G"),
        ("1--2------3----4", "0-F or 1-G"),
        ("................", "0-F, 1-G or A-P"),
    ],
)
def test_16_lines_of_16_that_may_be_puzzles_of_4_by_4_are_refused_and_the_remedies_named(
    row, alphabets
):
    text = (row + "\n") * 16
    assert said_of(text) == (
        f"expected --format lines for 16 puzzles of 4×4, or --alphabet {alphabets} "
        "for one of 16×16, found 16 ambiguous lines of 16 characters"
    )
    assert read(text, alphabet="1-G").format == "characters 1-G"


def test_16_lines_of_4_by_4_with_marks_are_no_puzzle_of_16_by_16():
    assert "a single puzzle" in said_of("1..2.*....3..*.4\n" * 16)


@for_each(
    ("character", "wanted", "value"),
    [("0", "0-F", 1), ("1", "1-G", 1), ("1", "0-F", 2), ("A", "A-P", 1), ("a", "0-F", 11)],
)
def test_a_declared_alphabet_decides(character, wanted, value):
    text = (character + "." * 15 + "\n") + ("." * 16 + "\n") * 15
    parsed = read(text, alphabet=wanted)
    assert parsed.puzzle == Puzzle.of_values(SIXTEEN, [value] + [0] * 255)
    notation = wanted.lower() if character == "a" else wanted
    assert parsed.format == f"characters {notation}"
    assert render_puzzle(parsed.puzzle, parsed.format) == text


def test_a_declared_alphabet_leaves_other_formats_alone():
    assert read("1...\n..3.\n.4..\n...2\n", alphabet="0-F").format == "grid"


BLANK = "or one symbol for all blanks"
ANY = f"a character of 0-F, 1-G or A-P, {BLANK}"
WITH_G = f"a character of 1-G or A-P, {BLANK}"
SAME_BLANK = "one symbol for all blanks, '.' as before"
ROW = "F..............G\n"
DOTS = "." * 16 + "\n"
A_TO_Y = "ABCDEFGHIJKLMNOPQRSTUVWXY\n"


@for_each(
    ("text", "message"),
    [
        (DOTS * 8 + DOTS.replace(".", "$") + DOTS * 7, f"9:1: expected {ANY}, found '$'"),
        (DOTS * 3 + "..Z.............\n" + DOTS * 12, f"4:3: expected {ANY}, found 'Z'"),
        (ROW * 15 + "..-.............\n", f"16:3: expected {SAME_BLANK}, found '-'"),
        (ROW * 15 + "..f.............\n", f"16:3: expected {WITH_G}, found 'f'"),
        (ROW * 15 + "..0.............\n", f"16:3: expected {SAME_BLANK}, found '0'"),
        (
            "1..............H\n" * 16,
            f"1:16: expected a character of 0-F or 1-G, {BLANK}, found 'H'",
        ),
        (ROW * 15, "15:17: expected 16 rows, found 15 rows"),
        (ROW * 2 + "F..", "3:4: expected a row of 16 cells, found 3 cells"),
        (ROW * 17, "17:1: expected 16 rows, found 17 rows"),
        (A_TO_Y * 24, "24:26: expected 25 rows, found 24 rows"),
        (ROW[:-1] * 15, "1:1: expected a digit or a blank, found 'F'"),
        ("1.2F", "1:4: expected a digit or a blank, found 'F'"),
        ("1.2F" * 200, "1:4: expected a digit or a blank, found 'F'"),
    ],
)
def test_what_is_no_puzzle_of_characters_is_refused_at_its_place(text, message):
    assert said_of(text).startswith(message)


LINES = "a line of 625 characters"


@for_each(
    ("text", "name", "value", "message"),
    [
        (ROW * 16, "alphabet", "0-F", f"1:16: expected a character of 0-F, {BLANK}, found 'G'"),
        (ROW * 16, "alphabet", "A-Y", "1:17: expected a row of 25 cells, found 16 cells"),
        (ROW[:-1] * 16, "alphabet", "A-Y", f"1:257: expected {LINES}, found 256 characters"),
        (ROW[:-1] * 2, "format", "characters", "1:33: expected a line of 256 or 625 char"),
        ("1..\n", "format", "characters", "1:1: expected a row of 16 or 25 cells, found 3"),
        (
            ROW * 16,
            "variant",
            "even-odd",
            "1:2: expected a puzzle of letters without even or odd marks",
        ),
    ],
)
def test_what_does_not_fit_what_is_declared_is_refused(text, name, value, message):
    assert said_of(text, **{name: value}).startswith(message)


def test_box_sizes_under_a_comment_of_16_letters_are_no_characters():
    text = "c sixteenletters\n4 4\n" + "0 1 2 3 4 5 6 7 8 9 0 0 0 0 0 0\n" * 16
    assert read(text).format == "boxes"


def test_a_puzzle_that_no_alphabet_would_tell_is_not_written_without_naming_one():
    empty = Puzzle.empty(SIXTEEN)
    with pytest.raises(ValueError, match="more than one alphabet"):
        render_puzzle(empty, "characters")
    assert render_puzzle(empty, "characters A-P") == DOTS * 16
    with pytest.raises(ValueError, match="25×25"):
        render_puzzle(empty, "characters A-Y")
