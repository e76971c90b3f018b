"""Pencil marks: the values that each cell may hold."""

from __future__ import annotations

import pytest
from support.parsers import layout_of, read, refusal

from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle

DIGITS = "123456789"
ANY = [DIGITS] * 81


@pytest.mark.parametrize("without", [".", "0"])
def test_a_cell_holds_one_of_its_marks(without):
    marks = [f"1{without * 8}", DIGITS.replace("5", without), *ANY[2:]]
    parsed = read(f"# marks\n {''.join(marks)} \n")
    assert parsed.puzzle == Puzzle(NINE_BY_NINE, (1, 0b111101111, *[0b111111111] * 79))
    assert (parsed.format, parsed.variant) == ("pencil-marks", "classic")


def test_odd_and_even_marks_are_the_variant():
    odd, even = "1.3.5.7.9", ".2.4.6.8."
    assert read("".join([odd, even, *ANY[2:]])).variant == "even-odd"


@pytest.mark.parametrize(("side", "geometry"), [(6, Geometry(2, 3)), (8, Geometry(2, 4))])
def test_sides_below_nine_have_as_many_marks(side, geometry):
    puzzle = read(DIGITS[:side] * side**2).puzzle
    assert puzzle == Puzzle.empty(geometry)


def test_a_sign_at_another_place_is_wrong():
    error = refusal("".join([*ANY[:3], "2" + "." * 8, *ANY[4:]]))
    assert (error.line, error.column) == (1, 28)
    assert str(error).endswith("expected '1' or '.' as character 28, found '2'")


def test_a_cell_without_a_mark_is_wrong():
    error = refusal("".join([*ANY[:3], "." * 9, *ANY[4:]]))
    assert (error.column, error.expected, error.found) == (
        28,
        "a cell with at least one value",
        "a cell without values",
    )


def test_other_lengths_are_refused_if_it_is_declared():
    error = refusal("".join(ANY)[1:], format="pencil-marks")
    assert error.expected == "216, 512 or 729 characters in one line, n for each of n² cells"
    assert error.found == "728 characters"


def test_nine_lines_of_81_are_nine_puzzles():
    lines = "".join(f"{'.' * 80}{value}\n" for value in range(1, 10))
    found = layout_of(lines.encode(), complete=True)
    assert found is not None
    assert found.format.name == "lines"
