"""Greater than."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs import Greater
from pipeline.puzzle.shapes import Label

NINE = Geometry(3, 3)
MIDDLE, ABOVE, LEFT, RIGHT, BELOW = 40, 31, 39, 41, 49


@pytest.mark.parametrize(
    ("less", "sign", "point"),
    [(RIGHT, ">", (5, 5.5)), (LEFT, "<", (5, 4.5)), (BELOW, "∨", (5.5, 5)), (ABOVE, "∧", (4.5, 5))],
)
def test_the_sign_opens_towards_the_greater_cell(less, sign, point):
    assert list(Greater(MIDDLE, less).draw(NINE)) == [Label(point, sign, "greater")]


def test_the_greater_cell_is_told_first():
    assert Greater(MIDDLE, ABOVE).describe(NINE) == "r5c5 greater than r4c5"


def test_only_a_greater_value_keeps_it():
    kept = {(u, v) for u in range(1, 10) for v in range(1, 10) if Greater(0, 1).holds(NINE, [u, v])}
    assert kept == {(u, v) for v in range(1, 10) for u in range(v + 1, 10)}


def test_a_cell_named_twice_is_refused():
    with pytest.raises(ValueError, match="greater than: a cell is named twice"):
        Greater(3, 3)
