"""Kropki dots, and what their absence means."""

from __future__ import annotations

import pytest
from support.rules.stating import forbidden, orthogonal, unlike

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs import BlackDot, NegativeKropki, WhiteDot
from pipeline.puzzle.shapes import Dot

TWO, NINE = Geometry(1, 2), Geometry(3, 3)
OTHERS = ((0, 2), (1, 3), (2, 3))
"""All neighbours in two rows of two but the first pair."""


def both_ways(*pairs):
    return {*pairs, *((v, u) for u, v in pairs)}


ALL = {(u, v) for u in range(1, 10) for v in range(1, 10)}
CONSECUTIVE = both_ways(*((v, v + 1) for v in range(1, 9)))
DOUBLE = both_ways((1, 2), (2, 4), (3, 6), (4, 8))


def kept(rule):
    """The values 1-9 of the first two cells with which a rule holds."""
    return {(u, v) for u, v in ALL if rule.holds(TWO, [u, v, 1, 1])}


@pytest.mark.parametrize(
    ("rule", "pairs"),
    [
        (WhiteDot(0, 1), CONSECUTIVE),
        (WhiteDot(1, 0, 7), both_ways((1, 8), (2, 9))),
        (BlackDot(0, 1), DOUBLE),
        (BlackDot(1, 0, 3), both_ways((1, 3), (2, 6), (3, 9))),
    ],
    ids=str,
)
def test_a_dot_takes_the_pairs_of_its_difference_or_ratio_whichever_cell_is_greater(rule, pairs):
    assert kept(rule) == pairs


@pytest.mark.parametrize(
    ("differences", "ratios", "pairs"),
    [
        ((), (), set()),
        ((1,), (), CONSECUTIVE),
        ((), (2,), DOUBLE),
        ((1,), (2,), CONSECUTIVE | DOUBLE),
        ((7, 8), (4,), both_ways((1, 8), (2, 9), (1, 9), (1, 4), (2, 8))),
    ],
)
def test_neighbours_without_a_dot_have_none_of_the_differences_and_ratios(
    differences, ratios, pairs
):
    assert kept(NegativeKropki(differences, ratios, OTHERS)) == ALL - pairs
    assert kept(NegativeKropki(differences, ratios, ((0, 1), *OTHERS))) == ALL

    spared = ((0, 1), (40, 49))
    expected = unlike(NINE, orthogonal, lambda u, v: (u, v) not in pairs, spared)
    assert forbidden(NINE, NegativeKropki(differences, ratios, spared)) == expected


def test_a_dot_is_drawn_on_the_border_with_its_number_if_that_is_not_the_usual_one():
    assert list(WhiteDot(0, 1).draw(NINE)) == [Dot((1, 1.5), "white")]
    assert list(WhiteDot(0, 9, 2).draw(NINE)) == [Dot((1.5, 1), "white", "2")]
    assert list(BlackDot(80, 79).draw(NINE)) == [Dot((9, 8.5), "black")]
    assert list(BlackDot(80, 71, 3).draw(NINE)) == [Dot((8.5, 9), "black", "3")]


def test_a_dot_is_told_by_its_cells_and_by_its_number_if_that_is_not_the_usual_one():
    assert WhiteDot(0, 1).describe(NINE) == "white dot between r1c1 and r1c2"
    assert BlackDot(0, 9, 3).describe(NINE) == "black dot 3 between r1c1 and r2c1"
    assert NegativeKropki((1,), (2,), ()).describe(NINE) == "no other dots"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WhiteDot(3, 3), "white dot: a cell is named twice"),
        (lambda: BlackDot(3, 3), "black dot: a cell is named twice"),
        (lambda: WhiteDot(3, 4, -1), "white dot: the difference must be at least 0, not -1"),
        (lambda: BlackDot(3, 4, 0), "black dot: the ratio must be at least 1, not 0"),
        (lambda: NegativeKropki((1,), (), ((1, 0),)), "no other dots: the pairs spared are not"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
