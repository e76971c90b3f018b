"""The boxes of grids: drawn by lines, declared, or refused where lines draw no boxes."""

from __future__ import annotations

import json

import pytest
from support.cases import for_each
from support.parsers import LINE, grid, read, said_of

import pipeline
from pipeline.errors import UsageError
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle, solution_text
from pipeline.settings import Settings
from pipeline.solving.items import read as items_in

DRAWN = """\
. .|2 .|. 4
. .|. 6|. .
. 2|5 .|6 .
---+---+---
. .|. .|. .
1 6|. 2|. .
. .|3 .|1 .
"""
CELLS = "..2..4...6...25.6.......16.2....3.1."
OTHER = """\
. 5|3 .|. 4
. .|. 6|. .
. .|2 .|. .
---+---+---
. .|. 2|. 6
6 4|. .|. .
. .|. .|5 .
"""
OTHER_CELLS = ".53..4...6....2......2.664........5."
FOUR = "1.....2..3.....4"
EIGHT = "52..1.78.....2...14.....6..72..3...27.5..8...4..4.....65.7.5...1"
CELLS_OF = {4: FOUR, 6: CELLS, 8: EIGHT, 9: LINE, 16: "1G" + "." * 254}
TWELVE = [[0, 0, 7, 10, 4, 12, 6, 2, 1, 8, 3, 5], *[[0] * 12] * 11]


def drawn(cells: str, height: int, width: int, bar="|", *, border="", light="", every="") -> str:
    """A grid with bars and borders around boxes; `light` and `every` are between all others."""
    lines = []
    for index, row in enumerate(grid(cells).split()):
        if index and index % height == 0 and border:
            lines.append(border)
        elif index and every:
            lines.append(every)
        boxes = (light.join(row[at : at + width]) for at in range(0, len(row), width))
        lines.append(bar.join(boxes))
    return "\n".join(lines) + "\n"


def framed(text: str, edge: str) -> str:
    lines = "".join(f"|{line}|\n" for line in text.split())
    return f"{edge}\n{lines}{edge}\n"


def puzzle(cells: str, height: int, width: int) -> Puzzle:
    values = [int(sign) if sign.isdigit() else 0 for sign in cells]
    return Puzzle.of_values(Geometry(height, width), values)


@for_each(
    ("text", "solution"),
    [
        (DRAWN, "612354451623325461536142164235243516"),
        (OTHER, "253164314625462531531246645312126453"),
    ],
)
def test_a_grid_is_solved_in_the_boxes_that_are_drawn(text, solution):
    result, parsed = pipeline.solve(text), read(text)
    assert (result.status, parsed.format) == ("unique", "grid")
    assert solution_text(parsed, result.solutions[0]) == grid(solution)


ROWS_OF_TEXT = [line for line in DRAWN.splitlines() if "+" not in line]
SIX_BY_TWO = {
    "bars and a border": DRAWN,
    "bars alone": drawn(CELLS, 3, 2),
    "a border alone": drawn(CELLS, 3, 2, bar="", border="--+--+--"),
    "a frame": framed(drawn(CELLS, 3, 2, border="--+--+--"), "+--+--+--+"),
    "Simple Sudoku's frame": framed(drawn(CELLS, 3, 2, border="--+--+--"), "*--------*"),
    "double bars among bars": drawn(CELLS, 3, 2, bar="||", light="|"),
    "double bars and = among lines": drawn(
        CELLS, 3, 2, bar="||", light="|", border="=+=++=+=++=+=", every="-+-++-+-++-+-"
    ),
    "= among borders": drawn(CELLS, 3, 2, bar="", border="==+==+==", every="--+--+--"),
    "bars everywhere": drawn(CELLS, 3, 2, light="|", border="===+===+==="),
    "a title": f"Sudoku no. 3\n{DRAWN}",
    "one line": "|".join(CELLS[at : at + 2] for at in range(0, 36, 2)),
    "rows in JSON": json.dumps(ROWS_OF_TEXT),
    "rows of digits in JSON": json.dumps([row.replace(".", "0") for row in ROWS_OF_TEXT]),
    "SadMan's file": f"[Puzzle]\n{DRAWN}",
}


@for_each("name", SIX_BY_TWO)
def test_lines_elsewhere_than_around_the_usual_boxes_draw_others(name):
    assert read(SIX_BY_TWO[name]).puzzle == puzzle(CELLS, 3, 2)


@for_each(
    ("text", "height", "width"),
    [
        (drawn(EIGHT, 4, 2), 4, 2),
        (drawn(EIGHT, 4, 2, border="--+--+--+--"), 4, 2),
        (drawn(EIGHT, 4, 8, bar="", border="--------+"), 2, 4),  # as two usual boxes end there
        (drawn(CELLS, 3, 6, bar="", border="+------+"), 3, 2),
        (drawn(CELLS_OF[16], 2, 8, border="--------+--------"), 2, 8),
        (drawn(CELLS_OF[16], 8, 2), 8, 2),
        ("12   3\n  41\n6    4\n------+\n 3 5 2\n2  4\n   6 1\n", 3, 2),
    ],
)
def test_a_direction_without_lines_follows_from_the_other(text, height, width):
    assert read(text).puzzle.geometry == Geometry(height, width)


HARMLESS = [
    (side, text)
    for side, (height, width) in {4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3), 16: (4, 4)}.items()
    for dashes in ["+".join(["-" * width] * (side // width))]
    for all_crossed, heavy in [("+".join("-" * side), "+".join("=" * side))]
    for cells in [CELLS_OF[side]]
    for text in (
        grid(cells),
        drawn(cells, height, width),
        drawn(cells, height, width, border=dashes),
        drawn(cells, height, width, border=dashes.replace("-", "=")),
        drawn(cells, 1, width, border=dashes),
        drawn(cells, height, 1, border=all_crossed),
        drawn(cells, 1, 1, border=all_crossed),
        drawn(cells, height, width, "||", border=heavy, light="|", every=all_crossed),
        framed(drawn(cells, height, width, border=dashes), f"+{dashes}+"),
        framed(drawn(cells, height, 1, light="|"), f"*{'-' * (2 * side - 1)}*"),
    )
]


@for_each(("side", "text"), HARMLESS)
def test_lines_nowhere_everywhere_or_around_the_usual_boxes_say_nothing(side, text):
    plain = read(grid(CELLS_OF[side]))
    assert read(text).puzzle == plain.puzzle


SIX_CHOICES = "--boxes 2x3 or 3x2 to declare others"
USUAL_SIX = (
    f"expected lines around the usual boxes of 2×3 cells, or {SIX_CHOICES}, found lines after"
)
USUAL_NINE = (
    "expected lines around the usual boxes of 3×3 cells, or --boxes 3x3 to declare others, "
    "found lines after"
)


@for_each(
    ("text", "said"),
    [
        (drawn(LINE, 9, 2, light=""), f"1: {USUAL_NINE} columns 2, 4, 6 and 8"),
        (
            "\n".join(f"{row[:2]}|{row[2:]}" for row in grid(LINE).split()),
            f"1: {USUAL_NINE} column 2",
        ),
        (drawn(LINE, 2, 9, border="---------+"), f"3: {USUAL_NINE} rows 2, 4, 6 and 8"),
        (drawn(CELLS, 2, 2, border="--+--+--"), f"1: {USUAL_SIX} columns 2 and 4, rows 2 and 4"),
        (drawn(CELLS, 3, 3, border="---+---"), f"4: {USUAL_SIX} column 3, row 3"),
        (DRAWN.replace("1 6|", "1 6 "), f"1: {USUAL_SIX} columns 2 and 4 of some rows, row 3"),
        (
            DRAWN.replace("6|. .\n", "6|. .\n---+---+---\n"),
            f"1: {USUAL_SIX} columns 2 and 4, rows 2 and 3",
        ),
        ("|".join((CELLS[:5], CELLS[5:])), f"1: {USUAL_SIX} column 5 of some rows"),
    ],
)
def test_lines_that_draw_no_boxes_are_refused_with_both_readings_and_the_option(text, said):
    assert said_of(text) == said


def test_each_grid_of_a_collection_has_the_boxes_that_its_own_lines_draw():
    usual, wrong = drawn(CELLS, 2, 3, border="---+---"), drawn(CELLS, 2, 2, border="--+--+--")
    text = f"{DRAWN}\n{usual}\n{wrong}\n{OTHER}"
    found = [*items_in(text.encode())]
    expected = [puzzle(CELLS, 3, 2), puzzle(CELLS, 2, 3), None, puzzle(OTHER_CELLS, 3, 2)]
    assert [item.problem and item.problem.puzzle for item in found] == expected
    assert found[2].reason.startswith(f"data:18: {USUAL_SIX} columns 2 and 4")


@for_each(
    "between",
    ["\n", "", "Grid 02\n"],
)
def test_wrong_lines_in_a_nine_by_nine_grid_of_a_collection_are_refused(between):
    wrong = drawn(LINE, 2, 9, border="---------+")
    text = f"{grid(LINE)}{between}{wrong}{between}{grid(LINE)}"
    assert [bool(item.reason) for item in items_in(text.encode())] == [False, True, False]


def test_a_line_of_nine_by_nine_with_bars_within_rows_is_refused_in_a_collection_too():
    rows = "|".join(grid(LINE).split())
    odd = "|".join(LINE[at : at + 2] for at in range(0, 81, 2))
    found = [item.reason for item in items_in(f"{rows}\n{odd}\n{rows}\n{rows}\n".encode())]
    assert [bool(reason) for reason in found] == [False, True, False, False]


NUMBERS = "\n".join(",".join(str(value or "") for value in row) for row in TWELVE) + "\n"


@for_each(
    ("text", "boxes"),
    [
        (grid(CELLS), "3x2"),
        (CELLS, "3x2"),
        (grid(CELLS), "2x3"),
        (drawn(CELLS, 2, 2), "3x2"),  # what is declared counts, whatever is drawn
        (DRAWN, "2x3"),
        (EIGHT, "4x2"),
        (grid(CELLS_OF[16]), "2x8"),
        (json.dumps([list(map(int, row)) for row in grid(CELLS.replace(".", "0")).split()]), "3x2"),
        ("1,,,,,\n" + ",,,,,\n" * 5, "3x2"),
        (NUMBERS, "3x4"),
        (NUMBERS, "6x2"),
        (json.dumps(TWELVE), "4x3"),
        ("123456" * 36, "3x2"),  # pencil marks
        ("3 2\n" + "0 " * 36, "3x2"),
        (LINE, "3x3"),
    ],
)
def test_declared_boxes_are_those_of_every_format_that_assumes_them(text, boxes):
    height, width = map(int, boxes.split("x"))
    assert read(text, boxes=boxes).puzzle.geometry == Geometry(height, width)
    assert parse_puzzle(text, boxes=boxes).geometry == Geometry(height, width)


@for_each(
    ("text", "boxes", "said"),
    [
        (LINE, "2x3", "expected 6 rows and columns, as --boxes 2x3 says, found 9"),
        (grid(CELLS), "3x3", "expected 9 rows and columns, as --boxes 3x3 says, found 6"),
        (
            "3 2\n" + "0 " * 36,
            "2x3",
            "expected boxes of 2x3, as --boxes says, found boxes of 3×2 cells",
        ),
        (".Shape~6x6.", "3x2", "expected boxes of 3x2, as --boxes says, found boxes of 2×3 cells"),
        (
            "1.........3..4..AABBAABBCCDDCCDD",
            "2x2",
            "expected boxes of 2x2, as --boxes says, found 4×4 cells without boxes",
        ),
        (
            NUMBERS,
            "auto",
            "expected --boxes 2x6, 3x4, 4x3 or 6x2 to say which boxes it has, found 12 rows",
        ),
        (
            json.dumps(TWELVE),
            "auto",
            "expected --boxes 2x6, 3x4, 4x3 or 6x2 to say which boxes it has, found 12 rows",
        ),
    ],
)
def test_declared_boxes_that_do_not_fit_are_refused_and_missing_ones_asked_for(text, boxes, said):
    assert said_of(text, boxes=boxes) == said


def test_declared_boxes_are_those_of_every_puzzle_of_a_collection():
    text = f"{CELLS}\n{OTHER_CELLS}\n{LINE}\n".encode()
    six, other, nine = items_in(text, boxes="3x2")
    assert six.problem.puzzle == puzzle(CELLS, 3, 2)
    assert other.problem.puzzle == puzzle(OTHER_CELLS, 3, 2)
    assert nine.reason == "data:3: expected 6 rows and columns, as --boxes 3x2 says, found 9"
    assert [item.reason for item in items_in(f"{LINE}\n{LINE}\n".encode(), boxes="3x3")] == [
        None
    ] * 2


@for_each("wrong", ["1x9", "9x1", "3", "3x", "x3", "0x3", "3x3x3", "3X2", "three", "", 3])
def test_boxes_are_declared_as_rows_x_columns(wrong):
    with pytest.raises(UsageError, match=r"--boxes: expected auto, or RxC .* as 2x3, found"):
        Settings(boxes=wrong)
    if wrong:
        with pytest.raises(UsageError, match="boxes: expected"):
            parse_puzzle(CELLS, boxes=wrong)
