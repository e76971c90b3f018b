"""Minimum and maximum."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs import Extreme
from pipeline.puzzle.shapes import Label, Tint

NINE = Geometry(3, 3)
MIDDLE, ABOVE, LEFT, BELOW = 40, 31, 39, 49


@pytest.mark.parametrize("maximum", [True, False])
def test_one_neighbour_that_is_as_great_or_beyond_breaks_an_extreme(maximum):
    rule = Extreme(MIDDLE, (ABOVE, LEFT, BELOW), maximum)
    beyond, short = (6, 4) if maximum else (4, 6)
    values = [beyond] * 81
    for cell in rule.neighbours:
        values[cell] = short
    values[MIDDLE] = 5
    assert rule.holds(NINE, values)
    for cell in rule.neighbours:
        for value in (5, beyond):
            assert not rule.holds(NINE, [*values[:cell], value, *values[cell + 1 :]])


def test_a_cell_that_stands_beside_none_but_others_marked_holds_anything():
    assert Extreme(MIDDLE, (), maximum=True).holds(NINE, range(1, 82))


def test_an_extreme_is_shaded_with_a_sign_towards_each_neighbour():
    assert list(Extreme(MIDDLE, (LEFT, BELOW), maximum=False).draw(NINE)) == [
        Tint(((5, 5),), "minimum"),
        Label((5, 4.5), ">", "minimum"),
        Label((5.5, 5), "∧", "minimum"),
    ]
    assert list(Extreme(0, (1,), maximum=True).draw(NINE)) == [
        Tint(((1, 1),), "maximum"),
        Label((1, 1.5), ">", "maximum"),
    ]


@pytest.mark.parametrize(("maximum", "told"), [(True, "maximum"), (False, "minimum")])
def test_an_extreme_is_told_by_its_cell(maximum, told):
    assert Extreme(MIDDLE, (LEFT,), maximum).describe(NINE) == f"{told} at r5c5"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Extreme(3, (3,), maximum=True),
        lambda: Extreme(3, (4, 4), maximum=False),
    ],
)
def test_a_cell_named_twice_is_refused(make):
    with pytest.raises(ValueError, match="a cell is named twice"):
        make()
