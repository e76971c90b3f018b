"""Killers as maps, lists and steps between bars, and what is said of those that are none."""

from __future__ import annotations

import io

import pytest
from support.cases import default_cases, for_each
from support.parsers import layout_of, read, said_of

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.rules.cages import Cage
from pipeline.reading.formats import parse_puzzle
from pipeline.settings import DETECTED
from pipeline.solving.items import read as items

GRID = "1...\n.4..\n..4.\n...1\n"
MAP = "aabb\nccdd\neeff\nggh.\n"
SUMS = "a=3 b=7 c=7 d=3 e=3 f=7 g=7 h=2\n"
LIST = (
    "3 = R1C1 R1C2\n7 = R1C3 R1C4\n7 = R2C1 R2C2\n3 = R2C3 R2C4\n"
    "3 = R3C1 R3C2\n7 = R3C3 R3C4\n7 = R4C1 R4C2\n2 = R4C3\n"
)
STEPS = "| 3|< | 7|< |\n| 7|< |> | 3|\n| 3|< | 7|< |\n| 7|< | 2| 0|\n"
CAGES = (
    *(Cage((0, 1), 3), Cage((2, 3), 7), Cage((4, 5), 7), Cage((6, 7), 3)),
    *(Cage((8, 9), 3), Cage((10, 11), 7), Cage((12, 13), 7), Cage((14,), 2)),
)


def beside(left: str, right: str, between: str = " ") -> str:
    rows = zip(left.split(), right.split(), strict=True)
    return "".join(f"{row}{between}{other}\n" for row, other in rows)


WITH_GRID = {
    "a map beside": beside(GRID, MAP) + SUMS,
    "a map on the left": beside(MAP, GRID, " | ") + SUMS,
    "a map below": f"{GRID}\n{MAP}\n{SUMS}",
    "a map above": MAP + GRID + SUMS,
    "sums in lines": GRID + MAP + SUMS.replace(" ", "\n").replace("=", ": "),
    "sums with commas, above": SUMS.replace(" ", ", ").replace("=", " = ") + beside(GRID, MAP),
    "zeros": beside(GRID.replace(".", "0"), MAP.replace(".", "0")) + SUMS,
    "drawn boxes": f"1.|..\n.4|..\n--+--\n..|4.\n..|.1\n{MAP}{SUMS}",
    "other letters": beside(GRID, MAP.upper()) + SUMS.upper(),
    "a list": f"{GRID}\n{LIST}",
    "a list above": LIST.lower().replace(" = ", ": ") + GRID,
    "commas": GRID + LIST.replace(" R", ",r").replace("=,", "= "),
    "cells first": GRID + "\n".join(" = ".join(x.split(" = ")[::-1]) for x in LIST.split("\n")),
}
WITHOUT_GRID = {
    "a map": MAP + SUMS,
    "steps": STEPS,
    "steps in borders": "+---+\n" + STEPS.replace("|\n", "|\n+---+---+---+---+\n"),
    "wide steps": STEPS.replace("|", " | "),
    "a list of all cells": LIST + "1: r4c4\n",
}


@for_each("text", [*WITH_GRID.values(), *WITHOUT_GRID.values()])
def test_a_killer_is_its_cages_and_perhaps_a_grid(text):
    parsed = read(text)
    assert (parsed.format, parsed.variant, parsed.unread) == ("killer-grid", "rules", ())
    puzzle = parsed.puzzle
    assert puzzle.geometry == Geometry(2, 2)
    assert {*puzzle.rules} - {Cage((15,), 1)} == {*CAGES}
    givens = {0: 1, 5: 4, 10: 4, 15: 1} if text in WITH_GRID.values() else {}
    assert dict(puzzle.givens()) == givens
    (item,) = items(text.encode())
    assert item.problem.puzzle == puzzle


def test_a_list_has_nine_rows_if_it_has_a_ninth():
    puzzle = parse_puzzle("8 = R1C1 R1C2\n10: r9c8+r9c9\n")
    assert puzzle.geometry == Geometry(3, 3)
    assert puzzle.rules == (Cage((0, 1), 8), Cage((79, 80), 10))


def test_steps_lead_down_and_up_and_diagonally():
    puzzle = parse_puzzle("|v|v|0|0|\n|9|<|0|0|\n|0|0|5|0|\n|0|0|0|`|\n")
    assert {*puzzle.rules} == {Cage((0, 1, 4, 5), 9), Cage((10, 15), 5)}


def test_boxes_are_as_drawn_or_declared():
    rows = [f"{row[:2]}|{row[2:4]}|{row[4:]}" for row in ["aabbcc"] * 6]
    drawn = "\n".join([*rows[:3], "--+--+--", *rows[3:]]) + "\na=6 b=15 c=7 a=6\n"
    assert read(drawn).puzzle.geometry == Geometry(3, 2)
    plain = "aabbcc\n" * 6 + "a=6 b=15 c=7 a=6\n"
    assert read(plain).puzzle.geometry == Geometry(2, 3)
    assert read(plain, boxes="3x2").puzzle.geometry == Geometry(3, 2)


def test_a_killer_may_have_a_title_and_what_else_is_there_is_named():
    parsed = read(f"Killer No. 17\n{beside(GRID, MAP)}{SUMS}Both diagonals too\n")
    assert (parsed.title, parsed.unread) == ("Killer No. 17", ("line 7: 'Both diagonals too'",))


GOOD = beside(GRID, MAP) + SUMS


@for_each(
    ("text", "message"),
    [
        (GOOD.replace("h=2", "h=2 q=3"), "5:33: expected the name of a cage in the map, found 'q'"),
        (GOOD.replace(" h=2", ""), "4:8: expected a sum for each cage, such as h=12, found 'h'"),
        (GOOD.replace("h=2", "a=2"), "5:29: expected one sum of cage 'a', found a second sum, 2"),
        (GOOD.replace("c=7", "c7"), "5:9: expected only names and sums of cages in this line"),
        (GOOD.replace("a=3", "=3"), "5:1: expected only names and sums of cages in this line"),
        (GOOD.replace("ccdd", "ccda"), "2:9: expected connected cages, each with its own name"),
        (GOOD.replace("ccdd", "ccd"), "1:1: expected n rows that name a cage for each cell"),
        (GOOD.replace("4", "k", 1), "1:1: expected one map of cages, in letters, and one grid"),
        (GOOD.replace("4", "5", 1), "2:2: expected one of 1 to 4 or a blank, found '5'"),
        (f"{GOOD}12..\n", "6:1: expected 4 rows, and no other line of cells, found '12..'"),
        (
            GRID + LIST.replace("R1C2", "R1C5"),
            "5:10: expected a cell of a grid of 4 rows and columns",
        ),
        (GRID + LIST.replace("R1C2", "R1C3"), "6:5: expected each cell in at most one cage"),
        (GRID + LIST.replace("R1C2", "R0C2"), "5:1: expected the sum and the cells of a cage"),
        (GRID[5:] + LIST, "11:9: expected a grid above the cages, or cages for all cells"),
        ("5........\n" * 8 + "8 = R9C9\n", "1:1: expected 9 rows, and no other line of cells"),
        (LIST, "8:9: expected a grid above the cages, or cages for all cells"),
        (STEPS.replace("| 2|", "| a|"), "4:9: expected a sum, 0 for none, or a step"),
        (STEPS.replace("| 2|", "|  |"), "4:14: expected a row of 4 cells, found 3 cells"),
        (STEPS.replace("|> | 3|", "|> |< |"), "2:8: expected steps that lead"),
        (STEPS.replace("| 2|", "|v |"), "4:8: expected a step to another cell"),
        (STEPS + "| 1|< |< | 3|\n", "5:3: expected 4 rows, found 5 rows"),
    ],
)
def test_a_killer_that_is_none_is_refused_and_never_read_as_its_grid(text, message):
    assert said_of(text).startswith(message)
    assert layout_of(text.encode(), complete=True) is None


@pytest.mark.parametrize("count", [2, 60])
def test_several_killers_in_a_file_are_refused_however_many(count):
    (item,) = items(f"{GRID}{LIST}\n".encode() * count)
    assert "expected 4 rows" in item.reason


@for_each(
    "text",
    [
        "| 5 | 3 | . | . |\n" * 4,
        f"a=1\nb=2\n{GRID}",
        f"Nr: 8\n{GRID}",
    ],
)
def test_other_texts_are_no_killers(text):
    assert all(
        "killer" not in (item.problem.format if item.problem else "")
        for item in items(text.encode())
    )


@pytest.mark.parametrize("first", default_cases(range(4), 0))
@for_each("text", [*WITH_GRID.values(), *WITHOUT_GRID.values()])
def test_a_killer_that_lost_a_sign_is_refused_or_the_same(text, first):
    puzzle = read(text).puzzle
    for at in range(first, len(text), 4):
        for item in items((text[:at] + text[at + 1 :]).encode()):
            assert item.reason or item.problem.puzzle == puzzle, (at, text[at])


@pytest.mark.parametrize("text", [GRID + MAP + SUMS, beside(GRID, MAP) + SUMS, GRID + LIST])
def test_cages_below_hundreds_of_lines_are_not_ignored(text):
    rows, cages = text[: len(GRID)], text[len(GRID) :]
    assert read(rows + "# a comment\n" * 1000 + cages).puzzle == read(text).puzzle
    remarks = rows + "some remarks here\n" * 300 + cages
    if text.endswith(LIST):
        assert read(remarks).puzzle == read(text).puzzle
    else:
        said_of(remarks)


@pytest.mark.parametrize("cages", ["3 = R1C1 R1C2\n", "r1c1,r1c2: 3\n", "a=3 b=7 c=7\n"])
def test_cages_far_down_in_a_collection_are_reported(cages):
    nine = "".join(f"{row}\n" for row in ("1........", ".2.......", *["........."] * 7))
    text = f"{nine}\n" * 70
    for data in (f"{text}{cages}{text}", text + cages):
        layout = layout_of(data.encode())
        assert layout is not None
        chunks = layout.chunks(io.BytesIO(data.encode()), 1000)
        entries = [entry for chunk in chunks for entry in layout.entries(chunk, DETECTED)]
        assert [entry.unread for entry in entries if entry.unread] == [
            (f"line 701: '{cages.strip()}'",)
        ]


def test_a_file_of_several_killers_is_refused():
    for killer in (beside(GRID, MAP) + SUMS, GRID + MAP + SUMS):
        for between in ("", "\n", "Second one\n"):
            assert "one killer in a file, found a second map of cages" in said_of(
                killer + between + killer
            )


def test_cages_beside_a_map_of_regions_are_refused():
    regions = "AABB\nAABB\nCCDD\nCCDD\n"
    grid = GRID.replace("4", ".")
    for text in (grid + regions + LIST, regions + grid + LIST, LIST + beside(grid, regions)):
        assert "cages without a map of regions" in said_of(text)
