"""Clues outside the grid: what keeps them, how they are drawn and told, and what is refused."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.outside import LittleKiller, Sandwich, Skyscraper, XSum
from pipeline.puzzle.shapes import Label, Line

NINE = Geometry(3, 3)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))
FIRST = tuple(range(9))
ROW, COLUMN = tuple(range(18, 27)), tuple(range(3, 81, 9))


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        (LittleKiller((0, 1, 2), 12), "444 192 921", "443 999"),
        (Sandwich(FIRST, 0), "234567819 912345678", "123456789 111111119"),
        (Sandwich(FIRST, 5), "315924678 412395678 932145678", "145923678 159159159"),
        (Sandwich(FIRST, 35), "123456789 987654321", "213456789"),
        (Skyscraper(FIRST, 1), "912345678 999999999", "123456789 891234567"),
        (Skyscraper(FIRST, 9), "123456789", "912345678 213456789"),
        (Skyscraper(FIRST, 3), "231945678 182394567", "123456789 912345678"),
        (XSum(FIRST, 1), "123456789", "213456789"),
        (XSum(FIRST, 10), "316245789 281345679 412356789", "351246789 281345671"),
        (XSum(FIRST, 45), "912345678", "812345679"),
    ],
    ids=str,
)
def test_what_keeps_and_what_breaks_a_clue_of_the_first_cells(rule, kept, broken):
    for texts, holds in ((kept, True), (broken, False)):
        for text in texts.split():
            values = [*map(int, text), *[9] * (81 - len(text))]
            assert rule.holds(NINE, values) == holds, text


@pytest.mark.parametrize(
    ("line", "point", "sum_of", "seen_from"),
    [
        (ROW, (3, 0), "of row 3", "of row 3 from the left"),
        (ROW[::-1], (3, 10), "of row 3", "of row 3 from the right"),
        (COLUMN, (0, 4), "of column 4", "of column 4 from the top"),
        (COLUMN[::-1], (10, 4), "of column 4", "of column 4 from the bottom"),
    ],
)
def test_a_clue_stands_before_its_first_cell_and_is_told_by_its_line(
    line, point, sum_of, seen_from
):
    assert list(Sandwich(line, 7).draw(NINE)) == [Label(point, "7", "sandwich")]
    assert list(Skyscraper(line, 7).draw(NINE)) == [Label(point, "7", "skyscraper")]
    assert list(XSum(line, 7).draw(NINE)) == [Label(point, "7", "x-sum")]
    assert Sandwich(line, 7).describe(NINE) == f"sandwich 7 {sum_of}"
    assert Skyscraper(line, 7).describe(NINE) == f"skyscraper 7 {seen_from}"
    assert XSum(line, 7).describe(NINE) == f"X-sum 7 {seen_from}"


def test_a_clue_of_a_later_grid_stands_before_the_row_of_that_grid():
    row = tuple(TWO_GRIDS.cell_at(4, column) for column in range(3, 7))
    clue = Sandwich(row, 2)
    assert list(clue.draw(TWO_GRIDS)) == [Label((4, 2), "2", "sandwich")]
    assert clue.describe(TWO_GRIDS) == "sandwich 2 of row 4"


def test_a_line_that_is_neither_row_nor_column_is_told_by_its_first_cell():
    assert Skyscraper((0, 10, 20), 2).describe(NINE) == "skyscraper 2 from r1c1"


@pytest.mark.parametrize(
    ("diagonal", "point", "step"),
    [
        ((2, 10, 18), (0, 4), (1, -1)),
        ((9, 19, 29), (1, 0), (1, 1)),
        ((73, 65, 57), (10, 1), (-1, 1)),
        ((0,), (0, 2), (1, -1)),
        ((8,), (0, 8), (1, 1)),
        ((72,), (10, 2), (-1, -1)),
        ((80,), (10, 8), (-1, 1)),
    ],
)
def test_a_little_killer_stands_before_its_diagonal_and_points_along_it(diagonal, point, step):
    label, line = LittleKiller(diagonal, 12).draw(NINE)
    assert label == Label(point, "12", "little-killer")
    assert isinstance(line, Line)
    assert line.head
    starts, ends = line.points
    for at, from_here, to_there, first in zip(point, starts, ends, step, strict=True):
        assert 0 < (from_here - at) * first < (to_there - at) * first < 1


def test_a_little_killer_is_told_by_its_first_cell():
    assert LittleKiller((2, 10, 18), 12).describe(NINE) == "little killer 12 from r1c3"


@pytest.mark.parametrize("make", [Sandwich, XSum, Skyscraper])
def test_lines_of_one_cell_or_with_a_cell_twice_are_refused(make):
    with pytest.raises(ValueError, match="at least 2 cells, not 1"):
        make((0,), 1)
    with pytest.raises(ValueError, match="a cell is named twice"):
        make((0, 1, 2, 1), 1)


def test_diagonals_without_cells_or_with_a_cell_twice_are_refused():
    with pytest.raises(ValueError, match="little killer: at least 1 cell, not 0"):
        LittleKiller((), 3)
    with pytest.raises(ValueError, match="little killer: a cell is named twice"):
        LittleKiller((1, 9, 1), 3)
