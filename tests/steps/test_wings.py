"""Skyscraper, 2-string kite, empty rectangle, W-wing, XY-wing and XYZ-wing."""

from __future__ import annotations

import pytest
from support.positions import candidates_of, eliminated_by, first_step

CASES = {
    "a skyscraper in rows": (
        "skyscraper",
        {},
        {"7 r2": "r2c1 r2c5", "7 r7": "r7c1 r7c6"},
        "r1c6<>7 r3c6<>7 r8c5<>7 r9c5<>7",
    ),
    "a skyscraper in columns": (
        "skyscraper",
        {},
        {"7 c2": "r1c2 r5c2", "7 c7": "r1c7 r6c7"},
        "r5c8<>7 r5c9<>7 r6c1<>7 r6c3<>7",
    ),
    "no skyscraper with a third place": (
        "skyscraper",
        {},
        {"7 r2": "r2c1 r2c5", "7 r7": "r7c1 r7c6 r7c9"},
        "",
    ),
    "no skyscraper that is an X-wing": (
        "skyscraper",
        {},
        {"7 r2": "r2c1 r2c5", "7 r7": "r7c1 r7c5"},
        "",
    ),
    "a 2-string kite": (
        "2-string kite",
        {},
        {"7 r2": "r2c2 r2c6", "7 c1": "r3c1 r8c1"},
        "r8c6<>7",
    ),
    "no kite without a box": (
        "2-string kite",
        {},
        {"7 r2": "r2c2 r2c6", "7 c1": "r4c1 r8c1"},
        "",
    ),
    "no kite with one cell at both strings": (
        "2-string kite",
        {},
        {"7 r2": "r2c1 r2c6", "7 c1": "r2c1 r8c1"},
        "",
    ),
    "an empty rectangle along a row": (
        "empty rectangle",
        {},
        {"7 b1": "r1c2 r1c3 r2c1 r3c1", "7 c6": "r1c6 r7c6"},
        "r7c1<>7",
    ),
    "an empty rectangle along a column": (
        "empty rectangle",
        {},
        {"7 b1": "r1c2 r1c3 r2c1 r3c1", "7 r7": "r7c1 r7c6"},
        "r1c6<>7",
    ),
    "no empty rectangle with a place elsewhere in the box": (
        "empty rectangle",
        {},
        {"7 b1": "r1c2 r1c3 r2c1 r2c2", "7 c6": "r1c6 r7c6"},
        "",
    ),
    "no empty rectangle of two places, which is a turbot fish": (
        "empty rectangle",
        {},
        {"7 b1": "r1c2 r2c1", "7 c6": "r1c6 r7c6"},
        "",
    ),
    "a W-wing": (
        "W-wing",
        {"r1c1": "12", "r5c5": "12"},
        {"2 r9": "r9c1 r9c5"},
        "r1c5<>1 r5c1<>1",
    ),
    "a W-wing eliminates the lower digit first": (
        "W-wing",
        {"r1c1": "12", "r5c5": "12"},
        {"2 r9": "r9c1 r9c5", "1 r8": "r8c1 r8c5"},
        "r1c5<>1 r5c1<>1",
    ),
    "no W-wing with a third place": (
        "W-wing",
        {"r1c1": "12", "r5c5": "12"},
        {"2 r9": "r9c1 r9c5 r9c9"},
        "",
    ),
    "no W-wing whose link ends in one of its cells": (
        "W-wing",
        {"r1c1": "12", "r5c5": "12"},
        {"2 r1": "r1c1 r1c5"},
        "",
    ),
    "an XY-wing": ("XY-wing", {"r1c1": "12", "r1c5": "13", "r5c1": "23"}, {}, "r5c5<>3"),
    "the first pivot that eliminates is taken": (
        "XY-wing",
        {"r1c1": "12", "r1c2": "13", "r2c1": "23", "r2c2": "12456789", "r2c3": "12456789"},
        {},
        "r1c3<>3 r3c1<>3 r3c2<>3 r3c3<>3",
    ),
    "no XY-wing of equal cells": ("XY-wing", {"r1c1": "12", "r1c5": "13", "r5c1": "13"}, {}, ""),
    "no XY-wing of four digits": ("XY-wing", {"r1c1": "12", "r1c5": "13", "r5c1": "24"}, {}, ""),
    "an XYZ-wing": (
        "XYZ-wing",
        {"r1c1": "123", "r1c5": "13", "r2c2": "23"},
        {},
        "r1c2<>3 r1c3<>3",
    ),
    "no XYZ-wing that its pivot does not see": (
        "XYZ-wing",
        {"r1c1": "123", "r1c5": "13", "r5c2": "23"},
        {},
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_pattern_eliminates_candidates(case):
    technique, cells, places, expected = CASES[case]
    assert eliminated_by(technique, cells, places) == candidates_of(expected)


def test_a_skyscraper_shows_its_cells_in_the_order_of_the_chain():
    step = first_step("skyscraper", {}, {"7 r2": "r2c1 r2c5", "7 r7": "r7c1 r7c6"})
    assert step
    assert (step.values, step.cells, step.units) == ((7,), (13, 9, 54, 59), (1, 6))
