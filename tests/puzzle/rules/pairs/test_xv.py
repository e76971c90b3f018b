"""X and V, and what their absence means."""

from __future__ import annotations

import pytest
from support.rules.stating import forbidden, orthogonal, unlike

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs import XV, NegativeXV
from pipeline.puzzle.shapes import Label

TWO, NINE = Geometry(1, 2), Geometry(3, 3)
V = {(1, 4), (2, 3), (3, 2), (4, 1)}
X = {(v, 10 - v) for v in range(1, 10)}
ALL = {(u, v) for u in range(1, 10) for v in range(1, 10)}


def kept(rule):
    """The values 1-9 of the first two cells with which a rule holds."""
    return {(u, v) for u, v in ALL if rule.holds(TWO, [u, v, 9, 9])}


@pytest.mark.parametrize(("total", "pairs"), [(5, V), (10, X), (18, {(9, 9)}), (19, set())])
def test_two_cells_sum_to_the_total(total, pairs):
    assert kept(XV(0, 1, total)) == pairs


def test_neighbours_without_a_sign_sum_to_none_of_the_totals():
    others = ((0, 2), (1, 3), (2, 3))
    assert kept(NegativeXV((5, 10), others)) == ALL - V - X
    assert kept(NegativeXV((5, 10), ((0, 1), *others))) == ALL

    spared = ((0, 1), (40, 49))
    expected = unlike(NINE, orthogonal, lambda u, v: (u, v) not in V | X, spared)
    assert forbidden(NINE, NegativeXV((5, 10), spared)) == expected


@pytest.mark.parametrize(
    ("total", "sign", "told"), [(10, "X", "X"), (5, "V", "V"), (7, "7", "sum 7")]
)
def test_ten_is_drawn_as_x_five_as_v_and_any_other_total_as_a_number(total, sign, told):
    rule = XV(0, 9, total)
    assert list(rule.draw(NINE)) == [Label((1.5, 1), sign, "xv")]
    assert rule.describe(NINE) == f"{told} between r1c1 and r2c1"


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="XV: a cell is named twice"):
        XV(7, 7, 10)
    with pytest.raises(ValueError, match="no other XV: the pairs spared are not ascending"):
        NegativeXV((5,), ((2, 1),))
