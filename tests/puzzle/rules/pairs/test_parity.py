"""Even and odd cells, and those that hold one of some values."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs import Among, Parity
from pipeline.puzzle.shapes import Outline, Tint

NINE = Geometry(3, 3)


@pytest.mark.parametrize(("odd", "values"), [(True, [1, 3, 5, 7, 9]), (False, [2, 4, 6, 8])])
def test_a_cell_holds_odd_values_or_even_ones(odd, values):
    rule = Parity(0, odd)
    assert [value for value in range(1, 10) if rule.holds(NINE, [value] * 81)] == values


@pytest.mark.parametrize(("odd", "kind"), [(True, "odd"), (False, "even")])
def test_it_is_shaded_and_told_by_its_kind_and_cell(odd, kind):
    assert list(Parity(10, odd).draw(NINE)) == [Tint(((2, 2),), kind)]
    assert Parity(10, odd).describe(NINE) == f"{kind} at r2c2"


def test_values_are_drawn_and_told_at_their_cell():
    rule = Among(10, (2, 5))
    assert [value for value in range(1, 10) if rule.holds(NINE, [value] * 81)] == [2, 5]
    assert list(rule.draw(NINE)) == [Outline(((2, 2),), "sum", "2 5")]
    assert rule.describe(NINE) == "2 or 5 at r2c2"
    with pytest.raises(ValueError, match="values: at least one value"):
        Among(0, ())
