"""Nonconsecutive neighbours."""

from __future__ import annotations

import pytest
from support.rules.stating import forbidden, orthogonal, unlike

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs import Nonconsecutive

NINE = Geometry(3, 3)
SPARED = ((0, 1), (40, 49))


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 3), Geometry(2, 2, ((0, 0), (2, 2)))])
@pytest.mark.parametrize("spared", [(), ((0, 1), (8, 12))])
def test_all_neighbours_but_those_spared_are_forbidden_all_consecutive_values(geometry, spared):
    expected = unlike(geometry, orthogonal, lambda u, v: abs(u - v) != 1, spared)
    assert forbidden(geometry, Nonconsecutive(spared)) == expected


def with_consecutive(a, b):
    """Nine rows in which only these two cells are consecutive."""
    values = [1] * 81
    values[a], values[b] = 5, 6
    return values


@pytest.mark.parametrize(("a", "b"), [(0, 9), (2, 1), (40, 41), (80, 71)])
def test_one_consecutive_pair_of_neighbours_breaks_it(a, b):
    assert not Nonconsecutive(SPARED).holds(NINE, with_consecutive(a, b))


@pytest.mark.parametrize(("a", "b"), [(0, 1), (49, 40), (0, 10), (8, 9), (0, 80)])
def test_pairs_spared_and_cells_that_share_no_border_may_be_consecutive(a, b):
    assert Nonconsecutive(SPARED).holds(NINE, with_consecutive(a, b))


@pytest.mark.parametrize(
    "spared", [((1, 0),), ((3, 3),), ((1, 2), (0, 1)), ((0, 1), (0, 1))], ids=str
)
def test_pairs_spared_that_are_not_ascending_sorted_and_each_once_are_refused(spared):
    with pytest.raises(ValueError, match="nonconsecutive: the pairs spared are not ascending"):
        Nonconsecutive(spared)


def test_nobody_draws_it_and_its_name_tells_it():
    assert list(Nonconsecutive().draw(NINE)) == []
    assert Nonconsecutive().describe(NINE) == "nonconsecutive"
