"""Every rule: values that satisfy and break it, its drawing and description, and refused data.

`contracts/test_every_rule.py` compares formulas, clauses and predicates on all small assignments.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest
from support.cases import for_each

from pipeline import rules
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.shapes import Dot, Label, Line, Outline, Ring, Tint

TWO, SIX, NINE, TWELVE = Geometry(1, 2), Geometry(2, 3), Geometry(3, 3), Geometry(3, 4)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))
CORNER = (0, 1, 2, 9, 10, 11, 18, 19, 20)
SAMURAI = Geometry(3, 3, grids=((0, 0), (0, 12), (6, 6), (12, 0), (12, 12)))
BOXES = tuple(NINE.boxes())
FIRST = tuple(range(9))
ROW, COLUMN = tuple(range(18, 27)), tuple(range(3, 81, 9))
MIDDLE, ABOVE, LEFT, RIGHT, BELOW = 40, 31, 39, 41, 49


def grid_of(text):
    """The values of the first cells; the others hold 9."""
    return [*map(int, text), *[9] * (81 - len(text))]


LINES = {
    "thermometer": (rules.Thermometer, "1359 1234 89", "1335 9531 1358531"),
    "slow": (lambda line: rules.Thermometer(line, slow=True), "1359 1335 111", "1353 21"),
    "palindrome": (rules.Palindrome, "13531 1331 99", "13532 1312 12"),
    "renban": (rules.Renban, "4635 12 98", "4535 4637 13 11"),
    "whispers": (lambda line: rules.Whispers(line, 5), "1616 9494 61", "1627 51 11"),
    "between line": (rules.Between, "2349 9342 2335", "2249 9349 2319 2995"),
    "region sum line": (
        lambda line: rules.RegionSum(line, BOXES),
        "123 1236 123411 123321141",
        "1233 123412 123321142",
    ),
    "entropic line": (rules.Entropic, "147147 1472583 471 58", "145 141 1474 12"),
    "modular line": (rules.Modular, "123123 456 918 12", "1232 123213 14 141"),
    "parity line": (lambda line: rules.Modular(line, 2), "1212 98", "1213 13"),
    "nabner": (rules.Nabner, "13 1369 1479", "12 11 1364 3164"),
    "zipper line": (rules.Zipper, "2413 24513 253", "2414 24613 254"),
    "double arrow": (rules.DoubleArrow, "4725 121", "4735 9981"),
    "lockout line": (rules.Lockout, "15 1695 5961 3127", "14 1515 1155 1335 9128"),
    "short lockout line": (lambda line: rules.Lockout(line, 1), "21 3124", "11 3323"),
    "sandwich 0": (
        lambda line: rules.Sandwich(line, 0), "234567819 912345678", "123456789 111111119"
    ),
    "sandwich 5": (
        lambda line: rules.Sandwich(line, 5), "315924678 412395678 932145678", "145923678 159159159"
    ),
    "sandwich 35": (lambda line: rules.Sandwich(line, 35), "123456789 987654321", "213456789"),
    "skyscraper 1": (
        lambda line: rules.Skyscraper(line, 1), "912345678 999999999", "123456789 891234567"
    ),
    "skyscraper 9": (lambda line: rules.Skyscraper(line, 9), "123456789", "912345678 213456789"),
    "skyscraper 3": (
        lambda line: rules.Skyscraper(line, 3), "231945678 182394567", "123456789 912345678"
    ),
    "X-sum 1": (lambda line: rules.XSum(line, 1), "123456789", "213456789"),
    "X-sum 10": (
        lambda line: rules.XSum(line, 10), "316245789 281345679 412356789", "351246789 281345671"
    ),
    "X-sum 45": (lambda line: rules.XSum(line, 45), "912345678", "812345679"),
    "little killer": (lambda line: rules.LittleKiller(line, 12), "444 192 921", "443 999"),
    "region": (rules.Region, "123456789 15", "123456788 44"),
    "extra region": (rules.ExtraRegion, "123456789 15", "123456788 44"),
}  # fmt: skip
"""Rules of a line in the first row: values that satisfy each, and values that break it."""


@for_each("name", LINES)
def test_values_that_satisfy_and_values_that_break_a_line_in_the_first_row(name):
    kind, kept, broken = LINES[name]
    for texts, holds in ((kept, True), (broken, False)):
        for text in texts.split():
            assert kind(tuple(range(len(text)))).holds(NINE, grid_of(text)) == holds, text


@for_each(
    ("rule", "kept", "broken"),
    [
        (rules.WhiteDot(0, 1), "12 21 98", "11 13 97"),
        (rules.WhiteDot(1, 0, 7), "18 92", "19 12"),
        (rules.BlackDot(0, 1), "12 84 63", "11 28 23"),
        (rules.BlackDot(1, 0, 3), "13 62 39", "12 64"),
        (rules.XV(0, 1, 5), "14 32", "55 19"),
        (rules.XV(0, 1, 10), "19 55", "14 59"),
        (rules.XV(0, 1, 19), "", "99 19"),
        (rules.Greater(0, 1), "21 91", "11 12"),
        (rules.Among(0, (2, 5)), "21 59", "11 92"),
        (rules.Parity(0, odd=True), "1 3 5 7 9", "2 4 6 8"),
        (rules.Parity(0, odd=False), "2 4 6 8", "1 3 5 7 9"),
        (rules.Cage((0, 1, 2), 15), "159 456", "555 458"),
        (rules.Cage((0, 1, 2)), "159 123", "551 121"),
        (rules.Arrow((0,), (1, 2)), "312 211 945", "311 123"),
        (rules.Arrow((0, 1), (2, 3)), "1266 1899", "1265 2199"),
        (rules.Arrow((1, 0), (2, 3)), "1266 1899", "1265 2166"),
        (rules.Quadruple((0, 1, 2, 3), (2, 2, 5)), "2529 1225 5222", "2519 1123 2221"),
        (rules.Clone((0, 1), (2, 3)), "4747 1111", "4774 4746"),
        (rules.SameMultiset(((0, 1, 2), (3, 4, 5))), "122212 123312", "122112 123124"),
        (rules.SameMultiset(((0, 1), (2, 3), (4, 5))), "122112", "122113 121211"),
        (rules.Sum(((0, 1), (1, 2), (2, -1)), 6), "131 321", "133 111"),
        (rules.Sum(((0, 1), (0, 1), (1, 1)), 7), "31 23", "34 13"),
        (rules.EqualSums(((0, 1), (2,), (3, 4, 5))), "123111 246222", "124111 123112"),
        (rules.RegionSum((0, 1, 2, 3), ((0, 2, 5), (3, 4))), "4926", "4944"),  # 1 belongs to none
        (rules.RegionSum((0, 1), ()), "49", ""),
        (rules.RegionSum((2, 3, 12, 11, 10, 9), BOXES), "116299999321499", "113299999111499"),
        (
            rules.Nabner((0, 1, 10, 9, 0)),
            "4699999998299",
            "4699999995799",
        ),  # the first cell counts once
        (rules.Renban((0, 1, 10, 9)), "46999999957", "46999999958"),
        (rules.Renban((0, 1, 10, 9, 0)), "", "46999999957"),
    ],
)
def test_values_that_satisfy_and_values_that_break_a_rule_of_the_first_cells(rule, kept, broken):
    for texts, holds in ((kept, True), (broken, False)):
        for text in texts.split():
            assert rule.holds(NINE, grid_of(text)) == holds, text


OTHERS = ((0, 2), (1, 3), (2, 3))
"""All neighbours in two rows of two, without the first pair."""


@for_each(
    ("rule", "breaks"),
    [
        (rules.Nonconsecutive(OTHERS), lambda u, v: abs(u - v) == 1),
        (rules.Nonconsecutive(((0, 1), *OTHERS)), lambda u, v: False),
        (rules.NegativeKropki((), (), OTHERS), lambda u, v: False),
        (
            rules.NegativeKropki((1,), (2,), OTHERS),
            lambda u, v: abs(u - v) == 1 or u in (2 * v, v / 2),
        ),
        (rules.NegativeKropki((7, 8), (), OTHERS), lambda u, v: abs(u - v) >= 7),
        (rules.NegativeKropki((), (4,), OTHERS), lambda u, v: u in (4 * v, v / 4)),
        (rules.NegativeKropki((1,), (2,), ((0, 1), *OTHERS)), lambda u, v: False),
        (rules.NegativeXV((5, 10), OTHERS), lambda u, v: u + v in (5, 10)),
        (rules.NegativeXV((5, 10), ((0, 1), *OTHERS)), lambda u, v: False),
    ],
)
def test_negative_constraints_apply_to_pairs_without_a_mark(rule, breaks):
    for u, v in product(range(1, 10), repeat=2):
        assert rule.holds(TWO, [u, v, 1, 1]) == (not breaks(u, v))


NEAR = {
    rules.AntiKnight(): lambda rows, columns: {rows, columns} == {1, 2},
    rules.AntiKing(): lambda rows, columns: max(rows, columns) == 1,
    rules.Nonconsecutive(): lambda rows, columns: rows + columns == 1,
}


@for_each("geometry", [NINE, SIX, TWO, SAMURAI])
@for_each("rule", NEAR)
def test_a_rule_of_the_whole_grid_applies_once_to_each_pair_of_near_cells(rule, geometry):
    cells = [(cell, geometry.place(cell)) for cell in range(geometry.size)]
    pairs = [tuple(sorted(pair)) for pair in rule.constraints(geometry).pairs]
    assert sorted(pairs) == [
        (a, b)
        for a, (row, column) in cells
        for b, (down, right) in cells
        if a < b and NEAR[rule](abs(row - down), abs(column - right))
    ]


@for_each(
    ("side", "thirds"),
    [(4, "121"), (5, "212"), (6, "222"), (7, "232"), (8, "323"), (10, "343"), (16, "565")],
)
def test_low_and_high_thirds_have_equal_sizes(side, thirds):
    kinds = [kind for kind, number in enumerate(thirds) for _ in range(int(number))]
    geometry, line = Geometry(1, side), rules.Entropic((0, 1))
    for (u, one), (v, other) in product(enumerate(kinds, 1), repeat=2):
        assert line.holds(geometry, [u, v]) == (one != other), (u, v)


@pytest.mark.parametrize("name", ["thermometer", "between line", "lockout line"])
def test_a_strict_line_that_returns_to_its_start_has_no_solution(name):
    rule = LINES[name][0]((0, 1, 2, 0))
    assert not any(rule.holds(SIX, [*three, *[1] * 33]) for three in product(range(1, 7), repeat=3))


def test_digits_of_a_circle_have_place_values_and_values_above_nine_carry():
    arrow = rules.Arrow((0, 1, 2), tuple(range(9, 25)))
    assert arrow.holds(NINE, [1, 1, 2, *[7] * 78])
    assert not arrow.holds(NINE, [1, 2, 1, *[7] * 78])
    wide = rules.Arrow((0, 1), (12, 13))
    assert wide.holds(TWELVE, [1, 12, *[11] * 142])
    assert not wide.holds(TWELVE, [2, 12, *[11] * 142])


@pytest.mark.parametrize("maximum", [True, False])
def test_a_neighbour_that_is_equal_or_more_extreme_breaks_an_extreme(maximum):
    rule = rules.Extreme(MIDDLE, (ABOVE, LEFT, BELOW), maximum)
    beyond, short = (6, 4) if maximum else (4, 6)
    values = [short if cell in rule.neighbours else beyond for cell in range(81)]
    values[MIDDLE] = 5
    assert rule.holds(NINE, values)
    for cell, value in product(rule.neighbours, (5, beyond)):
        assert not rule.holds(NINE, [*values[:cell], value, *values[cell + 1 :]])
    assert rules.Extreme(MIDDLE, (), maximum).holds(NINE, range(1, 82))


def test_a_box_indexer_holds_the_index_of_the_cell_with_its_own_index():
    grid = [0] * 81
    for cell, value in zip(CORNER, (3, 2, 1, 5, 6, 4, 9, 8, 7), strict=True):
        grid[cell] = value
    right = [cell for cell in CORNER if rules.BoxIndexer(cell, CORNER).holds(NINE, grid)]
    assert right == [0, 1, 2, 18, 19, 20]


@for_each(("values", "root"), [("9", 9), ("19", 1), ("892", 1), ("98765", 8)])
def test_the_digital_root_is_the_repeated_digit_sum(values, root):
    grid = [*map(int, values.ljust(81, "1"))]
    cells = tuple(range(len(values)))
    assert [n for n in range(1, 10) if rules.DigitalRoot(cells, n).holds(NINE, grid)] == [root]


def test_values_with_a_digital_root_repeat_only_if_allowed():
    grid = [5, 5, *[1] * 79]
    assert not rules.DigitalRoot((0, 1), 1).holds(NINE, grid)
    assert rules.DigitalRoot((0, 1), 1, repeating=True).holds(NINE, grid)


def test_an_indexer_holds_the_position_of_its_own_column_or_row_number():
    line = (2, 1, 3, 5, 6, 4, 9, 8, 7)  # the first says that 1 stands second; the fourth is wrong
    rows, columns = [1] * 36 + [*line] + [1] * 36, [value for value in line for _ in range(9)]
    right = [1, 2, 3, 7, 8, 9]
    assert [k for k in range(1, 10) if rules.Indexer(35 + k, row=False).holds(NINE, rows)] == right
    assert [
        k for k in range(1, 10) if rules.Indexer(9 * k - 6, row=True).holds(NINE, columns)
    ] == right
    assert rules.Indexer(0, row=False).holds(NINE, [3, 9, 1, 9, 9, 9, 9, 9, 9] * 9)
    assert not rules.Indexer(0, row=False).holds(NINE, [3, 9, 1, 9, 9, 1, 9, 9, 9] * 9)


@pytest.mark.parametrize("geometry", [NINE, SIX, Geometry(1, 5)])
def test_a_diagonal_runs_from_corner_to_corner(geometry):
    n = geometry.side
    low, high = 0.5, n + 0.5
    for rising, places, ends, described in (
        (False, [(k, k) for k in range(1, n + 1)], (low, high), "diagonal from r1c1"),
        (True, [(n + 1 - k, k) for k in range(1, n + 1)], (high, low), f"diagonal from r{n}c1"),
    ):
        rule = rules.Diagonal(rising)
        assert [*map(geometry.place, rule.scope(geometry))] == places
        assert [*rule.draw(geometry)] == [Line(((ends[0], low), (ends[1], high)), "diagonal")]
        assert rule.describe(geometry) == described


@pytest.mark.parametrize("geometry", [NINE, Geometry(1, 9)], ids=["boxes", "none"])
def test_windoku_has_four_boxes_with_gaps_of_one_cell(geometry):
    four = [tuple(product(*each)) for each in product(((2, 3, 4), (6, 7, 8)), repeat=2)]
    windows = [each.cells for each in rules.Windoku().constraints(geometry).parts]
    assert [tuple(map(geometry.place, window)) for window in windows] == four
    assert [*rules.Windoku().draw(geometry)] == [Tint(each, "windoku") for each in four]


@for_each("geometry", [NINE, SIX, Geometry(4, 2), Geometry(5, 1)])
def test_two_cells_share_a_disjoint_group_if_they_are_at_the_same_place_of_their_boxes(geometry):
    groups = [each.cells for each in rules.DisjointGroups().constraints(geometry).parts]
    assert sorted(cell for group in groups for cell in group) == list(range(geometry.size))
    for group in groups:
        places = [geometry.place(cell) for cell in group]
        within = {((r - 1) % geometry.height, (c - 1) % geometry.width) for r, c in places}
        assert len(within) == 1


def sign(text, row, column, look="greater"):
    return Label((row, column), text, look)


@for_each(
    ("rule", "shapes", "described"),
    [
        (rules.AntiKnight(), [], "anti-knight"),
        (rules.DisjointGroups(), [], "disjoint groups"),
        (rules.WhiteDot(0, 1), [Dot((1, 1.5), "white")], "white dot between r1c1 and r1c2"),
        (
            rules.WhiteDot(0, 9, 2),
            [Dot((1.5, 1), "white", "2")],
            "white dot 2 between r1c1 and r2c1",
        ),
        (rules.BlackDot(80, 79), [Dot((9, 8.5), "black")], "black dot between r9c9 and r9c8"),
        (
            rules.BlackDot(80, 71, 3),
            [Dot((8.5, 9), "black", "3")],
            "black dot 3 between r9c9 and r8c9",
        ),
        (rules.XV(0, 9, 10), [sign("X", 1.5, 1, "xv")], "X between r1c1 and r2c1"),
        (rules.XV(0, 9, 5), [sign("V", 1.5, 1, "xv")], "V between r1c1 and r2c1"),
        (rules.XV(0, 9, 7), [sign("7", 1.5, 1, "xv")], "sum 7 between r1c1 and r2c1"),
        (rules.Greater(MIDDLE, RIGHT), [sign(">", 5, 5.5)], "r5c5 greater than r5c6"),
        (rules.Greater(MIDDLE, LEFT), [sign("<", 5, 4.5)], "r5c5 greater than r5c4"),
        (rules.Greater(MIDDLE, BELOW), [sign("∨", 5.5, 5)], "r5c5 greater than r6c5"),
        (rules.Greater(MIDDLE, ABOVE), [sign("∧", 4.5, 5)], "r5c5 greater than r4c5"),
        (rules.Parity(10, odd=True), [Tint(((2, 2),), "odd")], "odd at r2c2"),
        (rules.Parity(10, odd=False), [Tint(((2, 2),), "even")], "even at r2c2"),
        (rules.Among(10, (2, 5)), [Outline(((2, 2),), "sum", "2 5")], "2 or 5 at r2c2"),
        (
            rules.Extreme(MIDDLE, (LEFT, BELOW), maximum=False),
            [
                Tint(((5, 5),), "minimum"),
                sign(">", 5, 4.5, "minimum"),
                sign("∧", 5.5, 5, "minimum"),
            ],
            "minimum at r5c5",
        ),
        (
            rules.Extreme(0, (1,), maximum=True),
            [Tint(((1, 1),), "maximum"), sign(">", 1, 1.5, "maximum")],
            "maximum at r1c1",
        ),
        (
            rules.Indexer(40, row=False),
            [Tint(((5, 5),), "column-indexer")],
            "column indexer at r5c5",
        ),
        (rules.Indexer(40, row=True), [Tint(((5, 5),), "row-indexer")], "row indexer at r5c5"),
        (rules.BoxIndexer(10, CORNER), [Tint(((2, 2),), "box-indexer")], "box indexer at r2c2"),
        (rules.Region((1, 10)), [Outline(((1, 2), (2, 2)), "region")], "jigsaw region of r1c2"),
        (
            rules.ExtraRegion((10, 1)),
            [Tint(((2, 2), (1, 2)), "extra-region")],
            "extra region at r2c2",
        ),
        (rules.Cage((0, 10), 7), [Outline(((1, 1), (2, 2)), "cage", "7")], "cage 7 at r1c1"),
        (rules.Cage((0, 10)), [Outline(((1, 1), (2, 2)), "cage")], "cage at r1c1"),
        (
            rules.DigitalRoot((0, 10), 7),
            [Outline(((1, 1), (2, 2)), "cage", "DR7")],
            "digital root 7 at r1c1",
        ),
        (
            rules.Arrow((10,), (20, 21)),
            [Ring(((2, 2),), "arrow"), Line(((2, 2), (3, 3), (3, 4)), "arrow", has_arrowhead=True)],
            "arrow at r2c2",
        ),
        (
            rules.Arrow((1, 0), (2, 3)),  # the shaft starts at the nearest cell of its circle
            [
                Ring(((1, 1), (1, 2)), "arrow"),
                Line(((1, 2), (1, 3), (1, 4)), "arrow", has_arrowhead=True),
            ],
            "arrow at r1c1",
        ),
        (
            rules.Quadruple((9, 10, 0, 1), (2, 5)),
            [Dot((1.5, 1.5), "quadruple", "2 5")],
            "quadruple at r1c1",
        ),
        (
            rules.Clone((11, 12), (0, 1)),
            [Tint(((2, 3), (2, 4)), "clone"), Tint(((1, 1), (1, 2)), "clone")],
            "clone at r2c3",
        ),
        (
            rules.SameMultiset(((11,), (0,))),
            [Tint(((2, 3),), "same-values"), Tint(((1, 1),), "same-values")],
            "same values at r2c3",
        ),
        (
            rules.Sum(((10, 1), (0, 1), (10, 1)), 9),
            [Outline(((2, 2), (1, 1)), "sum", "9")],
            "sum 9 at r2c2",
        ),
        (
            rules.EqualSums(((11, 11), (0,))),
            [Tint(((2, 3),), "equal-sums"), Tint(((1, 1),), "equal-sums")],
            "equal sums at r2c3",
        ),
        (
            rules.Thermometer((0, 10)),
            [Line(((1, 1), (2, 2)), "thermometer", has_bulb=True)],
            "thermometer from r1c1",
        ),
        (
            rules.Thermometer((0, 10), slow=True),
            [Line(((1, 1), (2, 2)), "slow-thermometer", has_bulb=True)],
            "slow thermometer from r1c1",
        ),
        (
            rules.Skyscraper((0, 10, 20), 2),
            [sign("2", 0, 0, "skyscraper")],
            "skyscraper 2 from r1c1",
        ),
        (
            rules.SumLine((0, 1, 10), 7, loop=True),
            [Line(((1, 1), (1, 2), (2, 2), (1, 1)), "segments")],
            "sum line 7, a loop from r1c1",
        ),
        (
            rules.ValueIndexer((0, 1, 2)),
            [
                Line(((1, 1), (1, 2), (1, 3)), "value-indexer", has_arrowhead=True),
                Ring(((1, 1),), "value-indexer"),
            ],
            "value indexer from r1c1",
        ),
        (
            rules.Lunchbox((0, 1), 3),
            [
                Line(((1, 1), (1, 2)), "lunchbox"),
                Outline(((1, 1), (1, 2)), "lunchbox", "3"),
            ],
            "lunchbox 3 from r1c1",
        ),
        (
            rules.Relation((0, 1), (2, 1), label="close"),
            [Line(((1, 1), (1, 2)), "relation")],
            "close from r1c1",
        ),
        (
            rules.Relation((0, 1), (2, 1), every=True),
            [Line(((1, 1), (1, 2)), "relation-of-all")],
            "relation of all from r1c1",
        ),
        (
            rules.StateMachine((0, 1), (b"",), frozenset()),
            [Line(((1, 1), (1, 2)), "state-machine")],
            "state machine from r1c1",
        ),
        (
            rules.OneOf(
                ((rules.Among(0, (1,)),), (rules.WhiteDot(0, 1), rules.Parity(10, odd=True)))
            ),
            [
                Outline(((1, 1),), "sum", "1"),
                Dot((1, 1.5), "white"),
                Tint(((2, 2),), "odd"),
            ],
            "1 at r1c1 or white dot between r1c1 and r1c2 and odd at r2c2",
        ),
        (
            rules.OneOf(((rules.Among(9, (1,)),),) * 9),
            [Outline(((2, 1),), "sum", "1")] * 9,
            "one of 9 rules at r2c1",
        ),
        (
            rules.RellikCage((0, 1), 3),
            [Outline(((1, 1), (1, 2)), "rellik", "≠3")],
            "rellik cage 3 at r1c1",
        ),
        (
            rules.EqualityCage((0, 1)),
            [Outline(((1, 1), (1, 2)), "equality", "=")],
            "equality cage at r1c1",
        ),
        (
            rules.Contains((0, 1), (3, 1), exactly=True),
            [Outline(((1, 1), (1, 2)), "contains", "3 1")],
            "contains exactly 3 1 at r1c1",
        ),
        (
            rules.Contains((0,), (1,) * 9),
            [Outline(((1, 1),), "contains", "1 1 1 1 1 1 1 1 1")],
            "contains 1 1 1 1 1 1 … at r1c1",
        ),
        (
            rules.CountingCircles((0, 10)),
            [Ring(((1, 1),), "counting"), Ring(((2, 2),), "counting")],
            "counting circles from r1c1",
        ),
        (
            rules.CountOfDifferent(0, (1, 2)),
            [Ring(((1, 1),), "different"), Outline(((1, 2), (1, 3)), "different")],
            "number of different values at r1c1",
        ),
        (rules.AntiTaxicab(), [], "anti-taxicab"),
    ],
)
def test_shapes_and_description_of_each_rule(rule, shapes, described):
    assert [*rule.draw(NINE)] == shapes
    assert rule.describe(NINE) == described


@for_each(
    ("rule", "look", "has_rings"),
    [
        (rules.Palindrome, "palindrome", False),
        (rules.Renban, "renban", False),
        (lambda line: rules.Whispers(line, 5), "whispers", False),
        (lambda line: rules.RegionSum(line, BOXES), "region-sum", False),
        (rules.Entropic, "entropic", False),
        (rules.Modular, "modular", False),
        (rules.Nabner, "nabner", False),
        (rules.Zipper, "zipper", False),
        (rules.Between, "between", True),
        (rules.Lockout, "lockout", True),
        (rules.DoubleArrow, "double-arrow", True),
    ],
)
def test_a_line_is_drawn_through_its_cells_with_rings_if_its_ends_are_special(
    rule, look, has_rings
):
    line = rule((11, 12, 22))
    ends = [Ring(((2, 3),), look), Ring(((3, 5),), look)]
    assert [*line.draw(NINE)] == [
        Line(((2, 3), (2, 4), (3, 5)), look),
        *(ends if has_rings else []),
    ]
    assert line.describe(NINE) == f"{line.title()} from r2c3"


@for_each(
    ("line", "point", "sum_of", "seen_from"),
    [
        (ROW, (3, 0), "of row 3", "of row 3 from the left"),
        (ROW[::-1], (3, 10), "of row 3", "of row 3 from the right"),
        (COLUMN, (0, 4), "of column 4", "of column 4 from the top"),
        (COLUMN[::-1], (10, 4), "of column 4", "of column 4 from the bottom"),
    ],
)
def test_a_clue_is_drawn_before_its_first_cell_and_described_by_its_line(
    line, point, sum_of, seen_from
):
    kinds = rules.Skyscraper, rules.XSum, rules.HiddenSkyscraper, rules.NumberedRoom
    for kind, where in ((rules.Sandwich, sum_of), *((kind, seen_from) for kind in kinds)):
        clue = kind(line, 7)
        assert [*clue.draw(NINE)] == [Label(point, "7", kind.style)]
        assert clue.describe(NINE) == f"{kind.name} 7 {where}"


def test_a_rank_is_drawn_with_a_number_sign():
    clue = rules.FullRank(tuple(range(9)), 7)
    assert [*clue.draw(NINE)] == [Label((1, 0), "#7", "full-rank")]
    assert clue.describe(NINE) == "full rank 7 of row 1 from the left"
    assert (clue.caption(), replace(clue, tied=True).caption()) == (
        "full rank",
        "full rank, ties allowed",
    )


def test_the_caption_of_a_choice_lists_its_rules_if_they_are_few():
    few = rules.OneOf(((rules.Whispers((0, 1), 5),), (rules.Among(0, (1,)), rules.Renban((0, 1)))))
    assert few.caption() == "one of several (whispers 5, values, renban)"
    many = rules.OneOf(tuple((rules.Whispers((0, 1), 100 + number),) for number in range(9)))
    assert many.caption() == "one of several"


def test_a_clue_of_a_later_grid_is_drawn_before_the_row_of_that_grid():
    clue = rules.Sandwich(tuple(TWO_GRIDS.cell_at(4, column) for column in range(3, 7)), 2)
    assert [*clue.draw(TWO_GRIDS)] == [Label((4, 2), "2", "sandwich")]
    assert clue.describe(TWO_GRIDS) == "sandwich 2 of row 4"


@for_each(
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
def test_a_little_killer_is_drawn_before_its_diagonal_and_points_along_it(diagonal, point, step):
    clue = rules.LittleKiller(diagonal, 12)
    row, column = NINE.place(diagonal[0])
    assert clue.describe(NINE) == f"little killer 12 from r{row}c{column}"
    label, line = clue.draw(NINE)
    assert label == Label(point, "12", "little-killer")
    assert line.has_arrowhead
    for at, from_here, to_there, first in zip(point, *line.points, step, strict=True):
        assert 0 < (from_here - at) * first < (to_there - at) * first < 1


def test_exempt_pairs_are_sorted_and_listed_once():
    rule = rules.Nonconsecutive([(2, 1), (1, 0), (0, 1)])
    assert rule.exempt == ((0, 1), (1, 2))
    assert rule == rules.Nonconsecutive(((0, 1), (1, 2)))


TWICE = "a cell is listed twice"


@for_each(
    ("kind", "data", "message"),
    [
        (rules.WhiteDot, (3, 3), f"white dot: {TWICE}"),
        (rules.BlackDot, (3, 3), f"black dot: {TWICE}"),
        (rules.XV, (3, 3, 10), f"XV: {TWICE}"),
        (rules.Greater, (3, 3), f"greater than: {TWICE}"),
        (rules.Extreme, (3, (3,), True), TWICE),
        (rules.Extreme, (3, (4, 4), False), TWICE),
        (rules.WhiteDot, (3, 4, -1), "white dot: the difference must be at least 0, not -1"),
        (rules.BlackDot, (3, 4, 0), "black dot: the ratio must be at least 1, not 0"),
        (rules.Among, (0, ()), "values: must have at least one value"),
        (rules.NegativeXV, ((5,), ((3, 3),)), f"no other XV: an exempt pair: {TWICE}"),
        (rules.Region, ((),), "jigsaw region: must have at least 1 cell, not 0"),
        (rules.ExtraRegion, ((3, 4, 3),), f"extra region: {TWICE}"),
        (rules.DisjointGroups, (((0, 1), (1, 2)),), f"disjoint groups: its boxes: {TWICE}"),
        (rules.DisjointGroups, (((0, 1), (2,)),), "disjoint groups: boxes of different sizes"),
        (rules.Cage, ((),), "cage: must have at least 1 cell, not 0"),
        (rules.Cage, ((0, 1, 0), 6), f"cage: {TWICE}"),
        (rules.DigitalRoot, ((), 5), "digital root: must have at least 1 cell, not 0"),
        (rules.DigitalRoot, ((0, 0), 5), f"digital root: {TWICE}"),
        *((rules.DigitalRoot, ((0, 1), n), f"the root must be 1 to 9, not {n}") for n in (0, 10)),
        (rules.BoxIndexer, (3, (0, 1, 4, 5)), "box indexer: its cell must be in its region"),
        (rules.BoxIndexer, (0, (0, 1, 0, 4)), f"box indexer: {TWICE}"),
        (rules.Arrow, ((), (1,)), "arrow: its circle: must have at least 1 cell, not 0"),
        (rules.Arrow, ((0, 0), (1,)), f"arrow: its circle: {TWICE}"),
        (rules.Arrow, ((0, 1, 2, 3), (4,)), "arrow: its circle: must have at most 3 cells, not 4"),
        (rules.Arrow, ((0,), ()), "arrow: its shaft: must have at least 1 cell, not 0"),
        (rules.Quadruple, ((0,), (1,)), "quadruple: must have at least 2 cells, not 1"),
        (rules.Quadruple, ((0, 1, 0), (1,)), f"quadruple: {TWICE}"),
        (rules.Quadruple, ((0, 1, 2, 3, 4), (1,)), "quadruple: must have at most 4 cells, not 5"),
        (rules.Quadruple, ((0, 1), ()), "quadruple: must have at least one value"),
        (rules.Clone, ((), ()), "clone: must have at least 1 cell, not 0"),
        (rules.Clone, ((0, 1), (2,)), "clone: the parts have different numbers of cells"),
        (rules.SameMultiset, (((0, 1),),), "same values: must have at least 2 parts, not 1"),
        (
            rules.SameMultiset,
            (((0,), ()),),
            "same values: a part: must have at least 1 cell, not 0",
        ),
        (rules.SameMultiset, (((0,), (1, 2)),), "same values: the parts have different numbers"),
        (rules.Sum, ((), 3), "sum: must have at least 1 cell, not 0"),
        (rules.EqualSums, (((0,),),), "equal sums: must have at least 2 parts, not 1"),
        (rules.EqualSums, (((0,), ()),), "equal sums: a part: must have at least 1 cell, not 0"),
        (rules.Thermometer, ((4,),), "thermometer: must have at least 2 cells, not 1"),
        (rules.Between, ((4, 5),), "between line: must have at least 3 cells, not 2"),
        (rules.Zipper, ((4, 5),), "zipper line: must have at least 3 cells, not 2"),
        (rules.DoubleArrow, ((4, 5),), "double arrow: must have at least 3 cells, not 2"),
        (rules.RegionSum, ((0, 1), ((0, 1), (1, 2))), f"region sum line: its regions: {TWICE}"),
        (rules.Whispers, ((0, 1), 0), "whispers: the difference must be at least 1, not 0"),
        (rules.Lockout, ((0, 1), -4), "lockout line: the difference must be at least 1, not -4"),
        (rules.Modular, ((0, 1), 1), "modular line: the modulus must be at least 2, not 1"),
        (rules.SumLine, ((), 3), "sum line: must have at least 1 cell, not 0"),
        (rules.SumLine, ((0,), 0), "sum line: the total must be at least 1, not 0"),
        (rules.ValueIndexer, ((0, 1),), "value indexer: must have at least 3 cells, not 2"),
        (rules.Lunchbox, ((0,), 3), "lunchbox: must have at least 2 cells, not 1"),
        (rules.Lunchbox, ((0, 1, 0), 3), f"lunchbox: {TWICE}"),
        (
            rules.Relation,
            ((0, 1), (0,), False, "two\nlines"),
            "relation: the label must be one line",
        ),
        (
            rules.Relation,
            ((0, 1), (0,), False, "x" * 41),
            "the label must be one line of at most 40 characters",
        ),
        (
            *(rules.StateMachine, ((0,), (), frozenset())),
            "state machine: must have 1 to 65535 states, not 0",
        ),
        (
            rules.StateMachine,
            ((0,), (b"\1\0",), frozenset()),
            "a move leads to an unknown state",
        ),
        (rules.StateMachine, ((0,), (b"",), frozenset(), " x"), "the label must be one line"),
        (rules.OneOf, ((),), "one of several: must have at least one choice"),
        (rules.RellikCage, ((0, 0), 3), f"rellik cage: {TWICE}"),
        (
            rules.EqualityCage,
            ((0, 1, 2),),
            "equality cage: must have an even number of cells, not 3",
        ),
        (rules.Contains, ((0, 0), (1,)), f"contains: {TWICE}"),
        (rules.Contains, ((0,), ()), "contains: must have at least one value"),
        (rules.CountingCircles, ((0, 0),), f"counting circles: {TWICE}"),
        (
            rules.CountOfDifferent,
            (0, ()),
            "number of different values: must have at least 1 cell, not 0",
        ),
        (rules.LittleKiller, ((), 3), "little killer: must have at least 1 cell, not 0"),
        (rules.LittleKiller, ((1, 9, 1), 3), f"little killer: {TWICE}"),
        *(
            (kind, ((0,), 1), "must have at least 2 cells, not 1")
            for kind in (rules.Sandwich, rules.XSum, rules.Skyscraper)
        ),
        *(
            (kind, ((0, 1, 2, 1), 1), TWICE)
            for kind in (rules.Sandwich, rules.XSum, rules.Skyscraper)
        ),
    ],
)
def test_invalid_data_are_refused(kind, data, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kind(*data)


@for_each(
    ("rule", "geometry", "fault"),
    [
        (rules.Diagonal(rising=True), TWO_GRIDS, "diagonal: only a single grid"),
        (rules.Windoku(), TWO_GRIDS, "windoku: only a single grid"),
        (rules.Windoku(), Geometry(4, 4), "windoku: the side of the grid must be 9, not 16"),
        (rules.DisjointGroups(), TWO_GRIDS, "disjoint groups: only a single grid"),
        (rules.DisjointGroups(), Geometry(1, 9), "disjoint groups: the grid must have boxes"),
        (
            rules.BoxIndexer(0, CORNER[:8]),
            NINE,
            "box indexer: its region must have 9 cells, not 8",
        ),
        (
            rules.BoxIndexer(0, tuple(range(9))),
            Geometry(1, 9, free_grid=FreeGrid(3, 3, 0)),
            "box indexer: the values of the grid must begin with 1",
        ),
        (rules.Indexer(0, row=True), TWO_GRIDS, "indexer: only a single grid"),
        (rules.Indexer(0, row=False), TWO_GRIDS, "indexer: only a single grid"),
        (rules.NoTiedLines(), TWO_GRIDS, "no tied lines: only a single grid"),
        (
            rules.GlobalEntropy(),
            Geometry(2, 2),
            "global entropy: the side is 4, which is not divisible",
        ),
        (
            rules.GlobalModular(),
            Geometry(2, 2),
            "global modular: the side is 4, which is not divisible",
        ),
        (rules.Flatmates(), Geometry(2, 2), "Dutch flatmates: 4 values have no middle value"),
        (rules.FullRank((0, 1), 3), NINE, "full rank: its line must be a whole row or column"),
        (
            rules.RellikCage((0, 1), 3),
            Geometry(5, 5),
            "rellik cage: the grid must have at most 16 values, not 25",
        ),
        (
            rules.EqualityCage((0, 1)),
            Geometry(5, 5),
            "equality cage: the grid must have at most 16 values, not 25",
        ),
        *((rules.Indexer(cell, row=True), NINE, "indexer: there is no cell") for cell in (81, 99)),
    ],
)
def test_a_puzzle_refuses_a_rule_that_does_not_fit_its_geometry(rule, geometry, fault):
    with pytest.raises(ValueError, match=fault):
        Puzzle.empty(geometry, (rule,))


@pytest.mark.parametrize("kind", [rules.Region, rules.ExtraRegion])
def test_a_region_with_more_cells_than_values_has_no_solution(kind):
    rule = kind(tuple(range(5)))
    assert Puzzle.empty(Geometry(1, 4), (rule,)).rules == (rule,)
    assert not rule.holds(Geometry(1, 4), [1, 2, 3, 4, 1, *[0] * 11])
