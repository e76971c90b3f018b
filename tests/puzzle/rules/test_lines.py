"""Lines: what keeps them, how they are drawn and told, and which data are refused."""

from __future__ import annotations

from itertools import product

import pytest

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.lines import (
    Between,
    DoubleArrow,
    Entropic,
    Lockout,
    Modular,
    Nabner,
    Palindrome,
    RegionSum,
    Renban,
    Thermometer,
    Whispers,
    Zipper,
)
from pipeline.puzzle.shapes import Line, Ring

SIX, NINE = Geometry(2, 3), Geometry(3, 3)
BOXES = tuple(NINE.boxes())
KINDS = {
    "thermometer": Thermometer,
    "slow thermometer": lambda line: Thermometer(line, slow=True),
    "palindrome": Palindrome,
    "renban": Renban,
    "whispers": lambda line: Whispers(line, 5),
    "between line": Between,
    "region sum line": lambda line: RegionSum(line, BOXES),
    "entropic line": Entropic,
    "modular line": Modular,
    "parity line": lambda line: Modular(line, 2),
    "nabner": Nabner,
    "zipper line": Zipper,
    "double arrow": DoubleArrow,
    "lockout line": Lockout,
    "short lockout line": lambda line: Lockout(line, 1),
}


@pytest.mark.parametrize(
    ("kind", "kept", "broken"),
    [
        ("thermometer", "1359 1234 89", "1335 9531 1358531"),
        ("slow thermometer", "1359 1335 111", "1353 21"),
        ("palindrome", "13531 1331 99", "13532 1312 12"),
        ("renban", "4635 12 98", "4535 4637 13 11"),
        ("whispers", "1616 9494 61", "1627 51 11"),
        ("between line", "2349 9342 2335", "2249 9349 2319 2995"),
        ("region sum line", "123 1236 123411 123321141", "1233 123412 123321142"),
        ("entropic line", "147147 1472583 471 58", "145 141 1474 12"),
        ("modular line", "123123 456 918 12", "1232 123213 14 141"),
        ("parity line", "1212 98", "1213 13"),
        ("nabner", "13 1369 1479", "12 11 1364 3164"),
        ("zipper line", "2413 24513 253", "2414 24613 254"),
        ("double arrow", "4725 121", "4735 9981"),
        ("lockout line", "15 1695 5961 3127", "14 1515 1155 1335 9128"),
        ("short lockout line", "21 3124", "11 3323"),
    ],
)
def test_what_keeps_and_what_breaks_a_line_in_the_first_row(kind, kept, broken):
    for texts, holds in ((kept, True), (broken, False)):
        for text in texts.split():
            values = [*map(int, text), *[9] * (81 - len(text))]
            assert KINDS[kind](tuple(range(len(text)))).holds(NINE, values) == holds, text


@pytest.mark.parametrize(
    ("side", "thirds"),
    [
        (4, [1, 2, 1]),
        (5, [2, 1, 2]),
        (6, [2, 2, 2]),
        (7, [2, 3, 2]),
        (8, [3, 2, 3]),
        (10, [3, 4, 3]),
        (16, [5, 6, 5]),
    ],
)
def test_there_are_as_many_low_values_as_high_ones(side, thirds):
    kinds = [kind for kind, number in enumerate(thirds) for _ in range(number)]
    geometry, line = Geometry(1, side), Entropic((0, 1))
    for u, one in enumerate(kinds, 1):
        for v, other in enumerate(kinds, 1):
            assert line.holds(geometry, [u, v]) == (one != other), (u, v)


def test_a_ring_of_a_nabner_line_has_its_first_cell_once():
    ring, open_line = Nabner((0, 1, 10, 9, 0)), Nabner((0, 1, 10, 9))
    for values in ([4, 6], [4, 8], [4, 4]):
        grid = [*values, *[9] * 7, 5, 7, *[9] * 70]
        assert ring.holds(NINE, grid) == open_line.holds(NINE, grid)


def test_a_renban_line_that_names_a_cell_twice_cannot_be_filled():
    grid = [4, 6, *[9] * 7, 5, 7, *[9] * 70]
    assert Renban((0, 1, 10, 9)).holds(NINE, grid)
    assert not Renban((0, 1, 10, 9, 0)).holds(NINE, grid)


def test_a_line_that_comes_back_to_a_region_has_another_run_there():
    line = RegionSum((2, 3, 12, 11, 10, 9), BOXES)

    def keeps(*values: int) -> bool:
        grid = [1] * 81
        for cell, value in zip(line.line, values, strict=True):
            grid[cell] = value
        return line.holds(NINE, grid)

    assert keeps(6, 2, 4, 1, 2, 3)
    assert not keeps(3, 2, 4, 1, 1, 1)


def test_a_run_goes_on_after_cells_outside_all_regions_which_count_nowhere():
    line = RegionSum((0, 1, 2, 3), ((0, 2, 5), (3, 4)))
    assert line.holds(NINE, [4, 9, 2, 6, *[1] * 77])
    assert not line.holds(NINE, [4, 9, 4, 4, *[1] * 77])


def test_a_line_outside_all_regions_says_nothing():
    assert RegionSum((0, 1), ()).holds(NINE, [4, 9, *[1] * 79])


@pytest.mark.parametrize("kind", ["thermometer", "between line", "lockout line"])
def test_a_line_that_closes_is_kept_by_no_values(kind):
    rule = KINDS[kind]((0, 1, 2, 0))
    assert not any(rule.holds(SIX, [*three, *[1] * 33]) for three in product(range(1, 7), repeat=3))


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_is_told_by_its_first_cell(kind):
    told = {"parity line": "modular line", "short lockout line": "lockout line"}
    assert KINDS[kind]((11, 12, 13)).describe(NINE) == f"{told.get(kind, kind)} from r2c3"


def test_a_line_is_drawn_through_its_cells():
    points = ((2, 3), (2, 4), (3, 5))
    for kind, look in [
        ("palindrome", "palindrome"),
        ("renban", "renban"),
        ("whispers", "whispers"),
        ("region sum line", "region-sum"),
        ("entropic line", "entropic"),
        ("modular line", "modular"),
        ("nabner", "nabner"),
        ("zipper line", "zipper"),
    ]:
        assert list(KINDS[kind]((11, 12, 22)).draw(NINE)) == [Line(points, look)]


def test_a_thermometer_has_a_bulb():
    for kind, look in (("thermometer", "thermometer"), ("slow thermometer", "slow-thermometer")):
        line = Line(((1, 1), (2, 2)), look, bulb=True)
        assert list(KINDS[kind]((0, 10)).draw(NINE)) == [line]


@pytest.mark.parametrize(
    ("kind", "look"), [(Between, "between"), (Lockout, "lockout"), (DoubleArrow, "double-arrow")]
)
def test_the_ends_that_mean_something_have_rings(kind, look):
    rings = [Ring(((1, 1),), look), Ring(((2, 3),), look)]
    assert list(kind((0, 10, 11)).draw(NINE)) == [Line(((1, 1), (2, 2), (2, 3)), look), *rings]


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_of_one_cell_is_refused(kind):
    with pytest.raises(ValueError, match=r"line|thermometer|\w+: at least [23] cells, not 1"):
        KINDS[kind]((4,))


@pytest.mark.parametrize("kind", ["between line", "zipper line", "double arrow"])
def test_ends_with_nothing_between_are_refused(kind):
    with pytest.raises(ValueError, match=f"{kind}: at least 3 cells, not 2"):
        KINDS[kind]((4, 5))


@pytest.mark.parametrize(
    "kind",
    ["region sum line", "zipper line", "double arrow"],
)
def test_a_line_whose_cells_differ_in_their_part_may_not_pass_a_cell_twice(kind):
    with pytest.raises(ValueError, match=f"{kind}: a cell is named twice"):
        KINDS[kind]((0, 1, 2, 0))


def test_numbers_that_mean_nothing_are_refused():
    with pytest.raises(ValueError, match="whispers: the difference must be at least 1, not 0"):
        Whispers((0, 1), 0)
    with pytest.raises(ValueError, match="lockout line: the difference must be at least 1, not -4"):
        Lockout((0, 1), -4)
    with pytest.raises(ValueError, match="modular line: the modulus must be at least 2, not 1"):
        Modular((0, 1), 1)


def test_regions_that_overlap_are_refused():
    with pytest.raises(ValueError, match="region sum line: its regions: a cell is named twice"):
        RegionSum((0, 1), ((0, 1), (1, 2)))
