"""Cages, arrows and sums: what keeps them, how they are drawn and told, and what is refused."""

from __future__ import annotations

import re

import pytest

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.cages import Arrow, Cage, Clone, EqualSums, Quadruple, SameMultiset, Sum
from pipeline.puzzle.shapes import Dot, Line, Outline, Ring, Tint

NINE, TWELVE = Geometry(3, 3), Geometry(3, 4)


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        (Cage((0, 1, 2), 15), "159 456", "555 458"),
        (Cage((0, 1, 2)), "159 123", "551 121"),
        (Arrow((0,), (1, 2)), "312 211 945", "311 123"),
        (Arrow((0, 1), (2, 3)), "1266 1899", "1265 2199"),
        (Arrow((1, 0), (2, 3)), "1266 1899", "1265 2166"),
        (Quadruple((0, 1, 2, 3), (2, 2, 5)), "2529 1225 5222", "2519 1123 2221"),
        (Clone((0, 1), (2, 3)), "4747 1111", "4774 4746"),
        (SameMultiset(((0, 1, 2), (3, 4, 5))), "122212 123312", "122112 123124"),
        (SameMultiset(((0, 1), (2, 3), (4, 5))), "122112", "122113 121211"),
        (Sum(((0, 1), (1, 2), (2, -1)), 6), "131 321", "133 111"),
        (Sum(((0, 1), (0, 1), (1, 1)), 7), "31 23", "34 13"),
        (EqualSums(((0, 1), (2,), (3, 4, 5))), "123111 246222", "124111 123112"),
    ],
    ids=str,
)
def test_what_keeps_and_what_breaks_a_rule_about_the_first_cells(rule, kept, broken):
    for texts, holds in ((kept, True), (broken, False)):
        for text in texts.split():
            values = [*map(int, text), *[9] * (81 - len(text))]
            assert rule.holds(NINE, values) == holds, text


def test_a_circle_of_three_cells_is_a_number_of_hundreds():
    arrow = Arrow((0, 1, 2), tuple(range(9, 25)))
    grid = [1, 1, 2, *[7] * 78]
    assert arrow.holds(NINE, grid)
    assert not arrow.holds(NINE, [1, 2, 1, *grid[3:]])


def test_values_above_nine_in_a_circle_count_as_they_are():
    arrow = Arrow((0, 1), (12, 13))
    grid = [1, 12, *[11] * 142]
    assert arrow.holds(TWELVE, grid)
    assert not arrow.holds(TWELVE, [2, 12, *grid[2:]])


@pytest.mark.parametrize(
    ("rule", "shapes"),
    [
        (Cage((0, 10), 7), [Outline(((1, 1), (2, 2)), "cage", "7")]),
        (Cage((0, 10)), [Outline(((1, 1), (2, 2)), "cage")]),
        (
            Arrow((10,), (20, 21)),
            [Ring(((2, 2),), "arrow"), Line(((2, 2), (3, 3), (3, 4)), "arrow", head=True)],
        ),
        (Quadruple((0, 1, 9, 10), (2, 5)), [Dot((1.5, 1.5), "quadruple", "2 5")]),
        (
            Clone((0, 1), (9, 10)),
            [Tint(((1, 1), (1, 2)), "clone"), Tint(((2, 1), (2, 2)), "clone")],
        ),
        (
            SameMultiset(((0,), (80,))),
            [Tint(((1, 1),), "same-values"), Tint(((9, 9),), "same-values")],
        ),
        (Sum(((0, 1), (10, 1), (0, 1)), 9), [Outline(((1, 1), (2, 2)), "sum", "9")]),
        (
            EqualSums(((0, 0), (80,))),
            [Tint(((1, 1),), "equal-sums"), Tint(((9, 9),), "equal-sums")],
        ),
    ],
    ids=str,
)
def test_how_it_is_drawn(rule, shapes):
    assert list(rule.draw(NINE)) == shapes


def test_a_shaft_starts_at_the_nearest_cell_of_its_circle():
    for circle in ((0, 1), (1, 0)):
        ring, line = Arrow(circle, (2, 3)).draw(NINE)
        assert ring == Ring(((1, 1), (1, 2)), "arrow")
        assert line == Line(((1, 2), (1, 3), (1, 4)), "arrow", head=True)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Cage((11, 12), 15), "cage 15 at r2c3"),
        (Cage((11, 12)), "cage at r2c3"),
        (Arrow((12, 11), (20,)), "arrow at r2c3"),
        (Quadruple((20, 21, 11, 12), (1,)), "quadruple at r2c3"),
        (Clone((11,), (0,)), "clone at r2c3"),
        (SameMultiset(((11,), (0,))), "same values at r2c3"),
        (Sum(((11, 1), (12, 1)), 9), "sum 9 at r2c3"),
        (EqualSums(((11,), (0,))), "equal sums at r2c3"),
    ],
)
def test_it_is_told_by_its_number_and_first_cell(rule, told):
    assert rule.describe(NINE) == told


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Cage(()), "cage: at least 1 cell, not 0"),
        (lambda: Cage((0, 1, 0), 6), "cage: a cell is named twice"),
        (lambda: Arrow((), (1,)), "arrow: its circle: at least 1 cell, not 0"),
        (lambda: Arrow((0, 0), (1,)), "arrow: its circle: a cell is named twice"),
        (lambda: Arrow((0, 1, 2, 3), (4,)), "arrow: at most 3 cells in the circle, not 4"),
        (lambda: Arrow((0,), ()), "arrow: its shaft: at least 1 cell, not 0"),
        (lambda: Quadruple((0,), (1,)), "quadruple: at least 2 cells, not 1"),
        (lambda: Quadruple((0, 1, 0), (1,)), "quadruple: a cell is named twice"),
        (lambda: Quadruple((0, 1, 2, 3, 4), (1,)), "quadruple: at most 4 cells, not 5"),
        (lambda: Quadruple((0, 1), ()), "quadruple: no values"),
        (lambda: Clone((), ()), "clone: at least 1 cell, not 0"),
        (lambda: Clone((0, 1), (2,)), "clone: the parts have different numbers of cells"),
        (lambda: SameMultiset(((0, 1),)), "same values: at least 2 parts, not 1"),
        (lambda: SameMultiset(((0,), ())), "same values: a part: at least 1 cell, not 0"),
        (lambda: SameMultiset(((0,), (1, 2))), "same values: the parts have different numbers"),
        (lambda: Sum((), 3), "sum: at least 1 cell, not 0"),
        (lambda: EqualSums(((0,),)), "equal sums: at least 2 parts, not 1"),
        (lambda: EqualSums(((0,), ())), "equal sums: a part: at least 1 cell, not 0"),
    ],
)
def test_data_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()
