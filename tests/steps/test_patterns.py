"""Locked candidates, subsets, fish and BUG+1, in the order of HoDoKu."""

from __future__ import annotations

import pytest
from support.positions import UNITS, candidates_of, eliminated_by, order_of_eliminations
from support.step_walks import walk_of


def _cells(unit: str) -> list[str]:
    return [f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in UNITS[unit]]


def _rest(unit: str, but: str, values: str) -> str:
    return " ".join(f"{cell}<>{values}" for cell in _cells(unit) if cell not in but.split())


CASES = {
    "pointing": ("pointing", {}, {"7 b1": "r2c1 r2c3"}, _rest("r2", "r2c1 r2c2 r2c3", "7")),
    "no pointing from two rows": ("pointing", {}, {"7 b1": "r2c1 r3c3"}, ""),
    "claiming": (
        "claiming",
        {},
        {"7 r2": "r2c1 r2c3"},
        _rest("b1", "r2c1 r2c2 r2c3", "7"),
    ),
    "no claiming from two boxes": ("claiming", {}, {"7 r2": "r2c1 r2c4"}, ""),
    "a locked pair": (
        "locked pair",
        {"r1c1": "12", "r1c2": "12"},
        {},
        _rest("r1", "r1c1 r1c2", "12") + " " + _rest("b1", "r1c1 r1c2 r1c3", "12"),
    ),
    "no locked pair that eliminates in its box only": (
        "locked pair",
        {
            "r1c1": "12",
            "r1c2": "12",
            **dict.fromkeys(("r1c3", *_cells("r1")[3:]), "3456789"),
        },
        {},
        "",
    ),
    "a naked pair that eliminates in its box only": (
        "naked pair",
        {
            "r1c1": "12",
            "r1c2": "12",
            **dict.fromkeys(("r1c3", *_cells("r1")[3:]), "3456789"),
        },
        {},
        _rest("b1", "r1c1 r1c2 r1c3", "12"),
    ),
    "a naked triple": (
        "naked triple",
        {"r5c1": "12", "r5c5": "23", "r5c9": "13"},
        {},
        _rest("r5", "r5c1 r5c5 r5c9", "123"),
    ),
    "the naked pair with the lowest first cell": (
        "naked pair",
        {"r9c2": "34", "r9c4": "34", "r9c1": "12", "r9c8": "12"},
        {},
        _rest("r9", "r9c1 r9c2 r9c4 r9c8", "12") + " r9c2<> r9c4<>",
    ),
    "boxes come before rows": (
        "naked pair",
        {"r1c1": "12", "r1c5": "12", "r7c7": "34", "r8c8": "34"},
        {},
        _rest("b9", "r7c7 r8c8", "34"),
    ),
    "no naked pair of three digits": ("naked pair", {"r5c1": "12", "r5c5": "23"}, {}, ""),
    "a hidden pair": (
        "hidden pair",
        {},
        {"1 r5": "r5c1 r5c5", "2 r5": "r5c1 r5c5"},
        "r5c1<>3456789 r5c5<>3456789",
    ),
    "no hidden pair of three places": (
        "hidden pair",
        {},
        {"1 r5": "r5c1 r5c5", "2 r5": "r5c1 r5c6"},
        "",
    ),
    "an X-wing": (
        "X-wing",
        {},
        {"7 r2": "r2c1 r2c5", "7 r6": "r6c1 r6c5"},
        " ".join(f"r{row}c{column}<>7" for row in (1, 3, 4, 5, 7, 8, 9) for column in (1, 5)),
    ),
    "an X-wing of a lower digit comes first": (
        "X-wing",
        {},
        {"3 c2": "r1c2 r5c2", "3 c6": "r1c6 r5c6", "7 r2": "r2c1 r2c5", "7 r6": "r6c1 r6c5"},
        " ".join(f"r{row}c{column}<>3" for row in (1, 5) for column in (1, 3, 4, 5, 7, 8, 9)),
    ),
    "a swordfish": (
        "swordfish",
        {},
        {"7 r1": "r1c1 r1c4", "7 r5": "r5c4 r5c7", "7 r9": "r9c1 r9c7"},
        " ".join(f"r{row}c{column}<>7" for row in (2, 3, 4, 6, 7, 8) for column in (1, 4, 7)),
    ),
    "no X-wing with a third column": (
        "X-wing",
        {},
        {"7 r2": "r2c1 r2c5", "7 r6": "r6c1 r6c6"},
        "",
    ),
    "a finned X-wing": (
        "finned X-wing",
        {},
        {"7 r2": "r2c1 r2c5", "7 r5": "r5c1 r5c5 r5c6"},
        "r4c5<>7 r6c5<>7",
    ),
    "a sashimi X-wing": (
        "sashimi X-wing",
        {},
        {"7 r2": "r2c1 r2c5", "7 r5": "r5c1 r5c6"},
        "r4c5<>7 r6c5<>7",
    ),
    "a finned X-wing is no sashimi X-wing": (
        "sashimi X-wing",
        {},
        {"7 r2": "r2c1 r2c5", "7 r5": "r5c1 r5c5 r5c6"},
        "",
    ),
    "no finned X-wing with fins in two boxes": (
        "finned X-wing",
        {},
        {"7 r2": "r2c1 r2c5", "7 r5": "r5c1 r5c5 r5c7"},
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_pattern_eliminates_candidates(case):
    technique, cells, places, expected = CASES[case]
    assert eliminated_by(technique, cells, places) == candidates_of(expected)


def test_a_subset_in_a_line_and_a_box_eliminates_in_the_line_first():
    listed = order_of_eliminations("locked pair", {"r1c4": "12", "r1c5": "12"})
    row = [(cell, value) for cell in (0, 1, 2, 5, 6, 7, 8) for value in (1, 2)]
    box = [(cell, value) for cell in (12, 13, 14, 21, 22, 23) for value in (1, 2)]
    assert listed == row + box


def test_a_grave_eliminates_the_other_two_candidates_of_its_cell():
    walk = walk_of("hodoku", "BUG+1")
    (cell,) = {cell for cell, _ in walk.eliminated}
    assert not walk.placed
    assert walk.state[cell].bit_count() == 3
    assert len(walk.eliminated) == 2
