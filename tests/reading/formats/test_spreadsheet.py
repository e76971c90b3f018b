"""What people type by hand: spreadsheets, lists in JSON, grids with spaces for blanks."""

from __future__ import annotations

import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.parsers import CLASSIC, LINE, read, said_of
from support.strategies import examples

from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats.cells import GEOMETRIES

ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
VALUES = [[int(sign) if sign != "." else 0 for sign in row] for row in ROWS]
TABLE = "".join(",".join(sign.strip(".") for sign in row) + "\n" for row in ROWS)
SPACED = "".join(row.replace(".", " ") + "\n" for row in ROWS)
WIDE = "".join(" ".join(row.replace(".", " ")) + "\n" for row in ROWS)


def quoted(table: str) -> str:
    return "".join(
        ",".join(f'"{field}"' for field in line.split(",")) + "\r\n" for line in table.splitlines()
    )


def lists(blank: object, of: type = int) -> list[list[object]]:
    return [[of(value) if value else blank for value in row] for row in VALUES]


@for_each(
    ("text", "form"),
    [
        (TABLE, "spreadsheet"),
        ("\ufeff" + TABLE.replace("\n", "\r\n").replace(",", ";"), "spreadsheet"),
        (TABLE.replace(",", "\t"), "spreadsheet"),
        (quoted(TABLE), "spreadsheet"),
        (TABLE.replace(",", " , ").replace("\n", " \n"), "spreadsheet"),
        ("\n".join(",".join(map(str, row)) for row in VALUES), "spreadsheet"),
        ("\n".join(",".join(row) for row in ROWS), "grid"),
        (json.dumps(VALUES), "json"),
        (json.dumps(lists(None), indent=1), "json"),
        (json.dumps(lists("")), "json"),
        (json.dumps(lists("", str)), "json"),
        (json.dumps([[*row] for row in ROWS]), "json"),
        (json.dumps(ROWS), "json"),
        (SPACED, "spaces"),
        ("# by hand\n" + "".join(row.rstrip() + "\r\n" for row in SPACED.splitlines()), "spaces"),
        (WIDE, "spaces"),
        ("".join(row.rstrip() + "\n" for row in WIDE.splitlines()), "spaces"),
    ],
)
def test_a_puzzle_is_read_as_it_is_written(text, form):
    parsed = read(text)
    assert (parsed.puzzle, parsed.format, parsed.variant) == (CLASSIC, form, "classic")
    if form != "grid":
        assert read(text, format=form.partition(" ")[0]).puzzle == CLASSIC


SIXTEEN_ROWS = [[*range(16)], *[[0] * 16] * 15]


@for_each(
    "text",
    [
        "\n".join(";".join(map(str, row)) for row in SIXTEEN_ROWS),
        "\n".join("\t".join(map(str, row)) for row in SIXTEEN_ROWS),
        json.dumps(SIXTEEN_ROWS),
        json.dumps([[*map(str, row)] for row in SIXTEEN_ROWS]),
    ],
)
def test_numbers_are_read_in_sixteen_rows_and_columns_too(text):
    values = [value for row in SIXTEEN_ROWS for value in row]
    assert read(text).puzzle == Puzzle.of_values(Geometry(4, 4), values)


def test_rows_that_are_empty_are_rows():
    puzzle = Puzzle.of_values(Geometry(2, 2), [1, 0, 0, 4, *[0] * 4, 0, 0, 3, 0, *[0] * 4])
    for text in ("1  4\n\n  3\n\n", "1  4\n    \n  3 \n    "):
        assert read(text).puzzle == puzzle, text
    assert read("1\t\t\t4\n\t\t\t\n\t\t3\t\n\t\t\t\n").puzzle == puzzle
    assert read("1,,,4\n,,,\n,,3,\n,,,\n").puzzle == puzzle
    first = Puzzle.of_values(Geometry(2, 2), [*[0] * 4, 1, 0, 0, 4, 0, 0, 3, 0, 0, 2, 0, 0])
    assert read("\n1  4\n  3\n 2\n").puzzle == first


def test_marks_in_json_are_even_and_odd_cells():
    rows = ["1*.2", ".2*1", "2.1*", "*1.2"]
    parsed = read(json.dumps(rows))
    assert (parsed.puzzle, parsed.variant) == (read("\n".join(rows)).puzzle, "even-odd")
    assert read(json.dumps([[*row] for row in rows])).puzzle == parsed.puzzle


FIELD = "a number from 1 to 9, or an empty field"
ZERO = "one symbol for all blanks, an empty cell as before"
DIGIT = "a number from 1 to 9, or a space"


@for_each(
    ("text", "message"),
    [
        (TABLE.replace("5", "k", 1), f"1:1: expected {FIELD}, found 'k'"),
        (TABLE.replace("1,9", "1,99"), f"2:7: expected {FIELD}, found '99'"),
        (TABLE.replace("6,,,1", "6,,1"), "2:12: expected a row of 9 fields, found 8 fields"),
        (TABLE + ",,,,,,,,\n", "10:1: expected 9 rows, found 10 rows"),
        (TABLE[:40], "4:4: expected a row of 9 fields, found 3 fields"),
        (TABLE[:24], "2:13: expected 9 rows, found 2 rows"),
        (TABLE.replace("6,,,1", "6,,0,1"), f"2:4: expected {ZERO}, found '0'"),
        ("1,2,3\n2,3,1\n3,1,2\n", "1:1: expected a row of 4, 6, 8 or 9 cells, found 3 cells"),
        (SPACED.replace("7", "k", 1), f"1:5: expected {DIGIT}, found 'k'"),
        (SPACED.replace("7    ", "7    4"), "1:10: expected a row of 9 cells, found 10"),
        (SPACED[:60], "6:10: expected 9 rows, found 6 rows"),
        (SPACED + "1  2\n", "10:1: expected 9 rows, found 10 rows"),
    ],
)
def test_what_is_wrong_is_said_of_the_likeliest_format(text, message):
    assert said_of(text).startswith(message)


CELL = "a cell: a number, a string, or null for a blank"
ROW = "a row: a list of cells or a string, like the first row"
JSON = "a list of rows in JSON, '[[5, 3, 0, …'"
MIXED = "[[0, 1, 2, 3],\n [4, null, 1, 2],\n [0, 0, 0, 0], [0, 0, 0, 0]]"
LARGE = json.dumps([[5, 0, 0, 0], *[[0] * 4] * 3])


@for_each(
    ("text", "message"),
    [
        ("[", f"1:2: expected {JSON}, found the end of the file"),
        ("[[1, 2", f"1:7: expected {JSON}, found the end of the file"),
        ("[[1, nul", f"1:6: expected {JSON}, found 'nul'"),
        ("[[1, 2.5]]", f"1:6: expected {CELL}, found '2.5'"),
        ("[[1, true]]", f"1:6: expected {CELL}, found 'true'"),
        ('[[{"a": 1}]]', f"1:3: expected {CELL}, found '{{"),
        ("[[[1]]]", f"1:4: expected {CELL}, found '[1]'"),
        ("[[1, 2],\n\n 3]", f"3:2: expected {ROW}, found '3'"),
        ('[[1],\n"1"]', f"2:1: expected {ROW}, found "),
        ("[[1, 2]] 3", f"1:10: expected {JSON}, found '3'"),
        ("[[1, 2]]", "1:1: expected a row of 4, 6, 8, 9, 16 or 25 cells, found 2 cells"),
        ("[[1],\n [2],\n [3],\n [4]]", "1:4: expected a row of 4 cells, found 1 cell"),
        (MIXED, "2:6: expected one symbol for all blanks, '0' as before, found an empty cell"),
        (LARGE, "1:3: expected a number from 1 to 4, or 0 or null for a blank, found '5'"),
        (json.dumps(ROWS).replace("53", "5k"), "1:4: expected a digit or a blank, found 'k'"),
        ('[["1", ".0", "."], [1, 2, 3]]', "1:8: expected a digit or a blank, found '.0'"),
        ('[["1", "*", ".", null]]', "1:18: expected a digit, '*' or '.', found an empty cell"),
        (json.dumps(["0" * 16] * 16), "1:1: expected a row of 4, 6, 8 or 9 cells, found 16"),
        ('["1..2",\n"1..", "1..2", "1..2"]', "2:6: expected a row of 4 cells, found 3"),
        ('[["1", "."],\n [".", "12"]]', "2:8: expected a digit or a blank, found '12'"),
        ("[[" + "9" * 5000 + "]]", f"1:1: expected {JSON}"),
        ("[" * 50_000 + "]", f"1:1: expected {JSON}"),
        ("[" * 100_000, "expected at most 65536 characters, found 100000"),
        (
            "[" + ",".join(["[1]"] * 99) + "]",
            "1:1: expected a row of 4, 6, 8, 9, 16 or 25 cells, found 1 cell",
        ),
    ],
)
def test_a_list_that_is_no_grid_is_refused_where_it_is_wrong(text, message):
    assert said_of(text).startswith(message)


def test_columns_that_can_be_read_in_two_ways_are_not_guessed():
    twofold = "1 2 3\n  1 4\n2\n  3 1\n    2\n1 2\n    4\n3\n1\n"
    assert "may be blanks, or separate cells" in said_of(twofold, format="spaces")
    assert "spaces" not in said_of(twofold)


@pytest.mark.parametrize("filled", ["1,1,1,1", "1,1,2,2"])
def test_empty_fields_are_cells_so_the_others_are_no_map_of_regions(filled):
    empty, half = ",,,,,,,\n", f",,,,{filled}\n"
    assert len([*read(empty * 4 + half * 4).puzzle.givens()]) == 16
    assert len([*read("1,1,1,1,1,1,1,1\n" + empty * 3 + half * 4).puzzle.givens()]) == 24


def test_a_gap_between_boxes_is_no_blank():
    rows = ["123 456 789", "456 789 123", "789 123 456"]
    for text in ("12 34\n34 12\n21 43\n43 2\n", "\n".join(rows * 3)[:-1]):
        assert "row of" in said_of(text)
        assert "at most" not in said_of(text)


@st.composite
def sketches(draw: st.DrawFn) -> tuple[Puzzle, str]:
    """A puzzle, and how somebody may have written it with spaces, gaps and empty lines."""
    geometry = GEOMETRIES[draw(st.sampled_from(sorted(GEOMETRIES)))]
    n, step = geometry.side, draw(st.sampled_from([1, 2]))
    value = st.sampled_from([0, 0, *range(n + 1)])
    values = draw(st.lists(value, min_size=n * n, max_size=n * n))
    rows = [values[start : start + n] for start in range(0, n * n, n)]
    wide = [[str(value or " ") for value in row] for row in rows]
    if draw(st.booleans()):  # a gap between boxes
        for row in wide:
            for at in range(n - geometry.width, 0, -geometry.width):
                row.insert(at, " ")
    lines = [(" " * (step - 1)).join(row) for row in wide]
    if draw(st.booleans()):
        lines = textwrap.dedent("\n".join(lines)).split("\n")
    if draw(st.booleans()):
        lines = [line.rstrip() for line in lines]
    if draw(st.booleans()):  # an empty line between bands
        for at in range(n - geometry.height, 0, -geometry.height):
            lines.insert(at, "")
    indent, before, behind = (draw(st.integers(0, 3)) for _ in range(3))
    lines = [" " * indent + line for line in lines]
    return Puzzle.of_values(geometry, values), "\n" * before + "\n".join(lines) + "\n" * behind


@examples(50)
@given(sketches())
def test_spaces_are_read_rightly_or_not_at_all(sketch):
    puzzle, text = sketch
    try:
        parsed = read(text)
    except InvalidPuzzle:
        return
    if parsed.format == "spaces":
        assert parsed.puzzle == puzzle


@for_each(
    "text",
    [
        "26 354\n4 31 2\n\n3 65 1\n145 23\n\n614 35\n53 4 6\n",
        "32 1\n  2 \n 1 4\n 3 2\n\n4 2 \n 3  \n    \n3 12\n",
        "\n3   21\n4    6\n 642  \n 1    \n64   5\n      \n\n",
        "    52   \n  3      \n  6      \n2  1  6  \n         \n         \n6      8 \n         \n",
    ],
)
def test_what_spaces_do_not_tell_is_not_guessed(text):
    with pytest.raises(InvalidPuzzle):
        read(text)
