"""Boxes as lines draw them, as --boxes declares them, and refused where lines draw none."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import for_each
from support.strategies import examples

from pipeline.errors import InvalidPuzzle, UsageError
from pipeline.puzzle.puzzle import Geometry
from pipeline.reading.formats import detect_collection, parse_puzzle
from pipeline.reading.formats.drawn import declared_boxes
from pipeline.settings import Reading, Settings

USUAL, TALL = Geometry(2, 3), Geometry(3, 2)
SIX = ["1....2", "......", "..3...", "...4..", "......", "5....6"]
LIGHT, HEAVY = "--+--+--", "==+==+=="
TALL_BARS = [
    ". .|2 .|. 4",
    ". .|. 6|. .",
    ". .|. 2|5 .",
    "6 .|. .|. .",
    ". 1|6 .|2 .",
    ". .|3 .|1 .",
]


def drawn(down=(), across=(), bar="|", border="-", size=6):
    """A grid with bars before these columns, counted from 0, and borders before these rows."""
    rows = ["1" + "." * (size - 1), *["." * size] * (size - 1)]
    lines = []
    for number, row in enumerate(rows):
        if number in across:
            lines.append("+".join([border * size, border]))
        lines.append("".join((bar if at in down else "") + sign for at, sign in enumerate(row)))
    return "\n".join(lines)


def boxes(text, **options):
    return parse_puzzle(text, **options).geometry


@for_each(
    ("text", "expected"),
    [
        (drawn(), USUAL),
        (drawn([3]), USUAL),
        (drawn([3], [2, 4]), USUAL),
        (drawn([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), USUAL),
        (drawn([2, 4]), TALL),
        (drawn((), [3]), TALL),
        (drawn([2, 4], [3]), TALL),
        (drawn([1, 2, 3, 4, 5], [3]), TALL),
        (drawn([4], [2, 4, 6], size=8), Geometry(2, 4)),
        (drawn([2, 4, 6], [4], size=8), Geometry(4, 2)),
        (drawn([2, 4, 6], size=8), Geometry(4, 2)),
        ("\n".join([*TALL_BARS[:3], "---+---+---", *TALL_BARS[3:]]), TALL),
        ("\n".join(row.replace("", " ").strip() for row in SIX), USUAL),
        ("\n".join(f"{row[:2]} {row[2:4]} {row[4:]}" for row in SIX), TALL),
        ("\n".join([*SIX[:3], "", *SIX[3:]]), TALL),
        ("\n".join([SIX[0], "", *SIX[1:]]), USUAL),
        ("\n".join(f"{row[:4]} {row[4:]}" for row in SIX), USUAL),
        (
            "\n".join("||".join("|".join(row[at : at + 2]) for at in (0, 2, 4)) for row in SIX),
            TALL,
        ),
        (f"\n{LIGHT}\n".join(SIX[:3]) + f"\n{HEAVY}\n" + f"\n{LIGHT}\n".join(SIX[3:]), TALL),
    ],
)
def test_lines_elsewhere_than_around_the_usual_boxes_draw_others(text, expected):
    assert boxes(text) == expected


@for_each(
    "text",
    [
        drawn([1]),
        drawn([2]),
        drawn([2, 4], [2, 4]),
        drawn([2, 4], [1]),
        drawn([1, 3]),
        drawn([2], size=9),
        drawn([3, 6], [3, 5], size=9),
        drawn([2, 4, 6], [2, 4, 6], size=8),
        drawn([2], size=8),
    ],
)
def test_lines_that_draw_no_boxes_are_refused_and_the_option_decides(text):
    side = len(text.split("\n")[0].replace("|", ""))
    with pytest.raises(
        InvalidPuzzle, match=r"lines around the boxes .* or --boxes .*, found lines after"
    ):
        parse_puzzle(text)
    declared = {6: "3x2", 8: "2x4", 9: "3x3"}[side]
    assert boxes(text, boxes=declared) == declared_boxes(declared)


def test_what_is_declared_wins_over_what_is_drawn():
    assert boxes(drawn([2, 4], [3]), boxes="2x3") == USUAL
    assert boxes(drawn([3], [2, 4]), boxes="3x2") == TALL
    assert boxes("." * 36, boxes="3x2") == TALL


@for_each(
    ("text", "declared", "why"),
    [
        (drawn(), "3x3", r"expected a grid of 9×9 cells, as --boxes 3x3 says, found 6×6 cells"),
        ("." * 81, "2x3", r"expected a grid of 6×6 cells, as --boxes 2x3 says, found 9×9 cells"),
        ("2 3\n" + "0 " * 36, "3x2", r"expected boxes of 3x2, as --boxes says, found boxes of 2x3"),
        (".Shape~6x6.", "3x2", r"expected boxes of 3x2, as --boxes says, found boxes of 2x3"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused(text, declared, why):
    with pytest.raises(InvalidPuzzle, match=why):
        parse_puzzle(text, boxes=declared)


@for_each("text", ["6", "1x6", "6x1", "2x", "x3", "2x3x4", "0x3", "16x17", "2 x 3", "２x3"])
def test_only_boxes_of_a_grid_can_be_declared(text):
    assert declared_boxes(text) is None
    with pytest.raises(UsageError, match="--boxes: expected auto, or rows x columns of one box"):
        Settings(boxes=text)


@for_each(("side", "options"), [(12, "2x6 3x4 4x3 6x2"), (10, "2x5 5x2")])
def test_a_spreadsheet_whose_boxes_nobody_knows_names_the_options(side, options):
    text = "\n".join(",".join(["1", *[""] * (side - 1)]) for _ in range(side))
    first, *_ = choices = [f"--boxes {each}" for each in options.split()]
    with pytest.raises(InvalidPuzzle) as refused:
        parse_puzzle(text)
    assert all(choice in str(refused.value) for choice in choices)
    height, width = map(int, first.removeprefix("--boxes ").split("x"))
    assert boxes(text, boxes=f"{height}x{width}") == Geometry(height, width)


@examples(60)
@given(
    st.sampled_from([(2, 3), (3, 2), (2, 4), (4, 2), (3, 3), (2, 2)]),
    st.sampled_from(["|", " | ", "||"]),
    st.sampled_from("-="),
)
def test_boxes_that_are_drawn_whole_are_those_that_are_read(box, bar, border):
    (height, width), side = box, box[0] * box[1]
    text = drawn(range(width, side, width), range(height, side, height), bar, border, side)
    assert boxes(text) == Geometry(height, width)


@examples(60)
@given(st.data())
def test_any_lines_are_read_as_boxes_or_refused(data):
    cuts = st.lists(st.integers(1, 5), unique=True)
    text = drawn(data.draw(cuts), data.draw(cuts))
    with suppress(InvalidPuzzle):
        assert boxes(text) in (USUAL, TALL)


def test_grids_in_a_stack_have_the_boxes_that_each_draws():
    text = "\n\n".join([drawn([2, 4], [3]), drawn([3], [2, 4]), drawn([1])]).encode()
    found = detect_collection(text, True)
    pieces = found.pieces(io.BytesIO(text), 1000)
    entries = [each for piece in pieces for each in found.entries(piece, "a", Reading())]
    tall, usual, bad = entries
    assert (tall.puzzle.geometry, tall.text[:8]) == (TALL, "3 2 1 0 ")
    assert (usual.puzzle.geometry, usual.text[:4]) == (USUAL, "1...")
    assert "found lines after column 1" in bad.error
