"""Rules about single cells and pairs: what they take, how they are drawn, and what is refused."""

from __future__ import annotations

import pytest

from pipeline.puzzle.puzzle import Geometry, Puzzle
from pipeline.puzzle.rules.pairs import (
    XV,
    Among,
    AntiKing,
    AntiKnight,
    BlackDot,
    Extreme,
    Greater,
    Indexer,
    NegativeKropki,
    NegativeXV,
    Nonconsecutive,
    Parity,
    WhiteDot,
)
from pipeline.puzzle.shapes import Dot, Label, Outline, Tint

TWO, NINE = Geometry(1, 2), Geometry(3, 3)
MIDDLE, ABOVE, LEFT, RIGHT, BELOW = 40, 31, 39, 41, 49
OTHERS = ((0, 2), (1, 3), (2, 3))
"""All neighbours in two rows of two but the first pair."""


def both_ways(*pairs):
    return {*pairs, *((v, u) for u, v in pairs)}


ALL = {(u, v) for u in range(1, 10) for v in range(1, 10)}
CONSECUTIVE = both_ways(*((v, v + 1) for v in range(1, 9)))
DOUBLE = both_ways((1, 2), (2, 4), (3, 6), (4, 8))
V, X = both_ways((1, 4), (2, 3)), {(v, 10 - v) for v in range(1, 10)}


@pytest.mark.parametrize(
    ("rule", "pairs"),
    [
        (WhiteDot(0, 1), CONSECUTIVE),
        (WhiteDot(1, 0, 7), both_ways((1, 8), (2, 9))),
        (BlackDot(0, 1), DOUBLE),
        (BlackDot(1, 0, 3), both_ways((1, 3), (2, 6), (3, 9))),
        (XV(0, 1, 5), V),
        (XV(0, 1, 10), X),
        (XV(0, 1, 19), set()),
        (Greater(0, 1), {(u, v) for u, v in ALL if u > v}),
        (Among(0, (2, 5)), {(u, v) for u, v in ALL if u in (2, 5)}),
        (Nonconsecutive(OTHERS), ALL - CONSECUTIVE),
        (Nonconsecutive(((0, 1), *OTHERS)), ALL),
        (NegativeKropki((), (), OTHERS), ALL),
        (NegativeKropki((1,), (), OTHERS), ALL - CONSECUTIVE),
        (NegativeKropki((1,), (2,), OTHERS), ALL - CONSECUTIVE - DOUBLE),
        (NegativeKropki((7, 8), (), OTHERS), ALL - both_ways((1, 8), (2, 9), (1, 9))),
        (NegativeKropki((), (4,), OTHERS), ALL - both_ways((1, 4), (2, 8))),
        (NegativeKropki((1,), (2,), ((0, 1), *OTHERS)), ALL),
        (NegativeXV((5, 10), OTHERS), ALL - V - X),
        (NegativeXV((5, 10), ((0, 1), *OTHERS)), ALL),
    ],
    ids=lambda each: str(each) if not isinstance(each, set) else "",
)
def test_what_the_first_two_cells_may_hold(rule, pairs):
    assert {(u, v) for u, v in ALL if rule.holds(TWO, [u, v, 1, 1])} == pairs


@pytest.mark.parametrize(("odd", "values"), [(True, [1, 3, 5, 7, 9]), (False, [2, 4, 6, 8])])
def test_a_cell_holds_odd_values_or_even_ones(odd, values):
    rule = Parity(0, odd)
    assert [value for value in range(1, 10) if rule.holds(NINE, [value] * 81)] == values


SAMURAI = Geometry(3, 3, grids=((0, 0), (0, 12), (6, 6), (12, 0), (12, 12)))
NEAR = {
    AntiKnight(): lambda rows, columns: {rows, columns} == {1, 2},
    AntiKing(): lambda rows, columns: max(rows, columns) == 1,
    Nonconsecutive(): lambda rows, columns: rows + columns == 1,
}


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 3), Geometry(1, 2), SAMURAI])
@pytest.mark.parametrize("rule", NEAR, ids=lambda rule: rule.name)
def test_a_rule_of_the_whole_grid_is_about_every_two_cells_that_are_near_once(rule, geometry):
    cells = [(cell, geometry.place(cell)) for cell in range(geometry.size)]
    pairs = [tuple(sorted(pair)) for pair in rule.formula(geometry).pairs]
    assert sorted(pairs) == [
        (a, b)
        for a, (row, column) in cells
        for b, (down, right) in cells
        if a < b and NEAR[rule](abs(row - down), abs(column - right))
    ]
    assert [*rule.draw(geometry)] == []
    assert rule.describe(geometry) == rule.name


def test_pairs_that_are_spared_may_be_consecutive():
    pairs = Nonconsecutive(((0, 1), (40, 49))).formula(NINE).pairs
    assert len(pairs) == 142
    assert {(0, 1), (40, 49)}.isdisjoint(pairs)


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
    assert Extreme(MIDDLE, (), maximum).holds(NINE, range(1, 82))


LINE = (2, 1, 3, 5, 6, 4, 9, 8, 7)
"""The first says that 1 stands second; it does. The fourth says that 4 stands fifth: 6 does."""


def test_an_indexer_tells_where_in_its_row_or_column_its_number_stands():
    rows, columns = [1] * 36 + [*LINE] + [1] * 36, [value for value in LINE for _ in range(9)]
    right = [1, 2, 3, 7, 8, 9]
    assert [k for k in range(1, 10) if Indexer(35 + k, row=False).holds(NINE, rows)] == right
    assert [k for k in range(1, 10) if Indexer(9 * k - 6, row=True).holds(NINE, columns)] == right


def test_a_number_that_stands_elsewhere_too_breaks_an_indexer():
    line = [3, 9, 1, 9, 9, 9, 9, 9, 9]
    assert Indexer(0, row=False).holds(NINE, line * 9)
    line[5] = 1
    assert not Indexer(0, row=False).holds(NINE, line * 9)


@pytest.mark.parametrize(
    ("rule", "shapes", "described"),
    [
        (WhiteDot(0, 1), [Dot((1, 1.5), "white")], "white dot between r1c1 and r1c2"),
        (WhiteDot(0, 9, 2), [Dot((1.5, 1), "white", "2")], "white dot 2 between r1c1 and r2c1"),
        (BlackDot(80, 79), [Dot((9, 8.5), "black")], "black dot between r9c9 and r9c8"),
        (BlackDot(80, 71, 3), [Dot((8.5, 9), "black", "3")], "black dot 3 between r9c9 and r8c9"),
        (XV(0, 9, 10), [Label((1.5, 1), "X", "xv")], "X between r1c1 and r2c1"),
        (XV(0, 9, 5), [Label((1.5, 1), "V", "xv")], "V between r1c1 and r2c1"),
        (XV(0, 9, 7), [Label((1.5, 1), "7", "xv")], "sum 7 between r1c1 and r2c1"),
        (Greater(MIDDLE, RIGHT), [Label((5, 5.5), ">", "greater")], "r5c5 greater than r5c6"),
        (Greater(MIDDLE, LEFT), [Label((5, 4.5), "<", "greater")], "r5c5 greater than r5c4"),
        (Greater(MIDDLE, BELOW), [Label((5.5, 5), "∨", "greater")], "r5c5 greater than r6c5"),
        (Greater(MIDDLE, ABOVE), [Label((4.5, 5), "∧", "greater")], "r5c5 greater than r4c5"),
        (Parity(10, odd=True), [Tint(((2, 2),), "odd")], "odd at r2c2"),
        (Parity(10, odd=False), [Tint(((2, 2),), "even")], "even at r2c2"),
        (Among(10, (2, 5)), [Outline(((2, 2),), "sum", "2 5")], "2 or 5 at r2c2"),
        (
            Extreme(MIDDLE, (LEFT, BELOW), maximum=False),
            [
                Tint(((5, 5),), "minimum"),
                Label((5, 4.5), ">", "minimum"),
                Label((5.5, 5), "∧", "minimum"),
            ],
            "minimum at r5c5",
        ),
        (
            Extreme(0, (1,), maximum=True),
            [Tint(((1, 1),), "maximum"), Label((1, 1.5), ">", "maximum")],
            "maximum at r1c1",
        ),
        (Indexer(40, row=False), [Tint(((5, 5),), "column-indexer")], "column indexer at r5c5"),
        (Indexer(40, row=True), [Tint(((5, 5),), "row-indexer")], "row indexer at r5c5"),
    ],
    ids=str,
)
def test_how_it_is_drawn_and_described(rule, shapes, described):
    assert [*rule.draw(NINE)] == shapes
    assert rule.describe(NINE) == described


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WhiteDot(3, 3), "white dot: a cell is named twice"),
        (lambda: BlackDot(3, 3), "black dot: a cell is named twice"),
        (lambda: XV(3, 3, 10), "XV: a cell is named twice"),
        (lambda: Greater(3, 3), "greater than: a cell is named twice"),
        (lambda: Extreme(3, (3,), maximum=True), "a cell is named twice"),
        (lambda: Extreme(3, (4, 4), maximum=False), "a cell is named twice"),
        (lambda: WhiteDot(3, 4, -1), "white dot: the difference must be at least 0, not -1"),
        (lambda: BlackDot(3, 4, 0), "black dot: the ratio must be at least 1, not 0"),
        (lambda: Among(0, ()), "values: at least one value"),
        (lambda: NegativeKropki((1,), (), ((1, 0),)), "no other dots: the pairs spared are not"),
        (lambda: NegativeXV((5,), ((3, 3),)), "no other XV: the pairs spared are not"),
        (lambda: Nonconsecutive(((1, 2), (0, 1))), "nonconsecutive: the pairs spared are not"),
        (lambda: Nonconsecutive(((0, 1), (0, 1))), "nonconsecutive: the pairs spared are not"),
    ],
)
def test_data_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("row", [True, False])
def test_a_puzzle_refuses_an_indexer_outside_the_grid_or_in_several_grids(row):
    for cell in (-1, 81, 900):
        with pytest.raises(ValueError, match="indexer: a cell that is not in the grid"):
            Puzzle.empty(NINE, (Indexer(cell, row),))
    with pytest.raises(ValueError, match="indexer: there are several grids"):
        Puzzle.empty(Geometry(2, 2, ((0, 0), (2, 2))), (Indexer(0, row),))
