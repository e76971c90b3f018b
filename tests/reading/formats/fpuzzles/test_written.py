"""Documents and links that are written, as f-puzzles and SudokuPad take them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lzstring import LZString
from support.cases import for_each
from support.documents import document, read, text_of
from support.strategies import examples

from pipeline import Geometry, Grid, Puzzle, parse_puzzle
from pipeline.puzzle.rules import cages, lines, outside, pairs, regions
from pipeline.reading.formats.fpuzzles import lz_pack

SIX = Geometry(2, 3)
GRID = Grid(SIX, tuple((row * 3 + row // 2 + at) % 6 + 1 for row in range(6) for at in range(6)))
PUZZLE = Puzzle.of_values(SIX, (1, *[0] * 35), (cages.Cage((1, 2), 5),))
ascii_texts = st.text(st.characters(max_codepoint=126, min_codepoint=32), max_size=300)


@examples(60)
@given(ascii_texts | st.text('{"R1C2":[,]}', max_size=400) | st.sampled_from(["", "a" * 5000]))
def test_a_text_is_packed_as_lz_string_packs_it(text):
    assert lz_pack(text) == LZString.compressToBase64(text)


@pytest.mark.parametrize(
    ("to", "begin"),
    [
        ("f-puzzles-link", "https://www.f-puzzles.com/?load=N4Ig"),
        ("sudokupad-link", "https://sudokupad.app/fpuzzlesN4Ig"),
    ],
)
def test_a_link_holds_the_document_with_its_solution(to, begin):
    """SudokuPad takes the solution from its key, f-puzzles from cells that are not given."""
    link = PUZZLE.to(to, GRID)
    assert link.startswith(begin)
    held = json.loads(LZString.decompressFromBase64(link[len(begin) - 4 :]))
    assert held["solution"] == [*GRID.values]
    assert held["grid"][0][:2] == [{"value": 1, "given": True}, {"value": GRID.values[1]}]
    assert held["killercage"] == [{"cells": ["R1C2", "R1C3"], "value": "5"}]
    assert parse_puzzle(link) == PUZZLE
    assert read(text_of(held)).claimed == "".join(map(str, GRID.values))


def test_regions_are_numbers_of_cells_and_cells_of_none_say_so():
    rows = tuple(tuple(range(at, at + 4)) for at in range(0, 16, 4))
    puzzle = Puzzle.empty(Geometry(1, 4), tuple(regions.Region(row) for row in rows[:2]))
    grid = json.loads(puzzle.to("f-puzzles"))["grid"]
    assert [cell["region"] for row in grid for cell in row] == [0] * 4 + [1] * 4 + [None] * 8


def test_even_and_odd_cells_are_drawn_where_they_are_all():
    marked = Puzzle(Geometry(2, 2), (0b1010, 0b0101, *[0b1111] * 13, 0b0001))
    told = json.loads(marked.to("f-puzzles"))
    assert (told["even"], told["odd"]) == ([{"cell": "R1C1"}], [{"cell": "R1C2"}])
    beside = marked.with_rules(pairs.AntiKnight())
    assert json.loads(beside.to("f-puzzles"))["grid"][0][0] == {"givenPencilMarks": [2, 4]}


def test_clues_stand_outside_on_the_side_that_they_look_from():
    column = tuple(range(2, 36, 6))
    puzzle = Puzzle.empty(
        SIX,
        (
            outside.Sandwich(column, 4),
            outside.Skyscraper(column[::-1], 2),
            outside.XSum(tuple(range(11, 5, -1)), 9),
            outside.LittleKiller((2, 7, 12), 8),
        ),
    )
    told = json.loads(puzzle.to("f-puzzles"))
    assert told["sandwichsum"] == [{"cell": "R0C3", "value": "4"}]
    assert told["skyscraper"] == [{"cell": "R7C3", "value": "2"}]
    assert told["xsum"] == [{"cell": "R2C7", "value": "9"}]
    assert told["littlekillersum"] == [{"direction": "DL", "cell": "R0C4", "value": "8"}]


def test_a_number_that_is_usual_is_left_out():
    puzzle = Puzzle.empty(
        SIX,
        (pairs.WhiteDot(0, 1), pairs.WhiteDot(0, 6, 2), pairs.BlackDot(7, 8)),
    ).with_rules(lines.Modular((20, 21, 22)), lines.Modular((26, 27, 28), 2))
    told = json.loads(puzzle.to("f-puzzles"))
    assert told["difference"] == [
        {"cells": ["R1C1", "R1C2"]},
        {"cells": ["R1C1", "R2C1"], "value": "2"},
    ]
    assert told["ratio"] == [{"cells": ["R2C2", "R2C3"]}]
    assert [each.get("value") for each in told["modularline"]] == [None, "2"]


def test_rules_that_f_puzzles_does_not_draw_have_drawings_that_say_so():
    """As its extensions add them: other programs would show nothing of the rule."""
    column = tuple(range(2, 36, 6))
    some = (
        lines.Whispers((0, 1, 2), 3),
        lines.Thermometer((6, 7)),
        outside.XSum(column, 9),
        pairs.Indexer(7, row=True),
        cages.DigitalRoot((20, 21), 4, repeating=True),
    )
    told = json.loads(Puzzle.empty(SIX, some).to("f-puzzles"))
    (line,), (text,), (root, cage) = told["line"], told["text"], told["cage"]
    assert (line["lines"], line["isNewConstraint"]) == ([["R1C1", "R1C2", "R1C3"]], True)
    assert (text["cells"], text["value"], text["fromConstraint"]) == (["R0C3"], "9", "X-Sum")
    assert (root["value"], cage["cells"], cage["fromConstraint"]) == (
        "DR4",
        ["R2C2"],
        "Row Indexer",
    )


@for_each(
    ("puzzle", "what"),
    [
        (Puzzle.empty(SIX, (pairs.Greater(0, 1),)), "r1c1 greater than r1c2"),
        (Puzzle.empty(Geometry(3, 2)), "boxes of 3×2 cells"),
        (Puzzle.empty(Geometry(5, 5)), "boxes of 5×5 cells"),
        (Puzzle.empty(Geometry(1, 3)), "3×3 cells without boxes"),
        (Puzzle.empty(SIX, (pairs.XV(0, 1, 7),)), "sum 7 between r1c1 and r1c2"),
        (Puzzle.empty(SIX, (pairs.Nonconsecutive(((0, 1),)),)), "nonconsecutive"),
    ],
)
def test_what_no_key_says_is_named(puzzle, what):
    with pytest.raises(ValueError, match=f"^f-puzzles cannot express {what}$"):
        puzzle.to("f-puzzles")


def test_nonconsecutive_spares_dots_that_are_there():
    parsed = read(document(4, nonconsecutive=True, difference=[{"cells": ["R1C1", "R1C2"]}]))
    assert json.loads(parsed.puzzle.to("f-puzzles"))["nonconsecutive"] is True
