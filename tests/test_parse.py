"""Bytes become puzzles, or a message that says what is wrong and where."""

from __future__ import annotations

import pytest
from commands import run

from pipeline.errors import InvalidPuzzle
from pipeline.parse import FORMATS, Parsed, format_named, parse_puzzle, parse_source, render_puzzle
from pipeline.puzzle import Geometry, Puzzle
from pipeline.settings import Reading, Settings

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


def test_formats_are_known_by_their_names():
    assert [format_named(known.name) for known in FORMATS] == list(FORMATS)
    with pytest.raises(KeyError):
        format_named("crossword")


def test_what_the_settings_say_of_reading_is_what_is_read_by():
    assert Settings().reading == Reading()
    settings = Settings(variant="classic", max_bytes=300, format="characters", alphabet="A-P")
    row = ("C" + "." * 15 + "\n").encode()
    parsed = parse_source(row * 16, "a.txt", *settings.reading)
    assert (parsed.format, parsed.reason) == ("characters A-P", "--format says so")
    with pytest.raises(InvalidPuzzle, match="at most 300 bytes"):
        parse_source(row * 20, "a.txt", *settings.reading)


def test_a_puzzle_can_be_parsed_with_its_format_and_alphabet_declared():
    text = ("C" + "." * 15 + "\n") * 16
    assert parse_puzzle(text, alphabet="A-P").cells[0] == 1 << 2
    assert parse_puzzle(text, "auto", "characters", "1-G").cells[0] == 1 << 11


def test_the_commands_take_a_format_and_an_alphabet(puzzle_folder):
    (puzzle_folder / "sixteen.txt").write_text(("." * 16 + "\n") * 15 + "A" + "." * 15)
    code, _, said = run("solve", "--max-solutions", "1", "sixteen.txt")
    assert code == 1
    assert "--alphabet 0-F, 1-G or A-P" in said
    code, printed, _ = run("solve", "--alphabet", "1-G", "--max-solutions", "1", "sixteen.txt")
    assert (code, {*printed.splitlines()[1]}) == (0, {*"123456789ABCDEFG"})
    assert run("solve", "--format", "hodoku", "unique.txt")[0] == 1
    assert run("solve", "--format", "crossword", "unique.txt")[0] == 2
    assert run("solve", "--alphabet", "A-Z", "unique.txt")[0] == 2
