"""Unique, hidden and avoidable rectangles."""

from __future__ import annotations

import pytest
from support.positions import UNITS, candidates_of, eliminated_by

FLOOR = {"r1c1": "12", "r1c4": "12"}


def _rest(unit: str, but: str, values: str) -> str:
    cells = [f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in UNITS[unit]]
    return " ".join(f"{cell}<>{values}" for cell in cells if cell not in but.split())


CASES = {
    "type 1": (
        "unique rectangle 1",
        {**FLOOR, "r2c1": "12", "r2c4": "123"},
        {},
        "r2c4<>12",
    ),
    "no type 1 in four boxes": (
        "unique rectangle 1",
        {"r1c1": "12", "r1c4": "12", "r5c1": "12", "r5c4": "123"},
        {},
        "",
    ),
    "type 2": (
        "unique rectangle 2",
        {"r1c1": "12", "r2c1": "12", "r1c4": "123", "r2c4": "123"},
        {},
        _rest("c4", "r1c4 r2c4", "3") + " r1c5<>3 r1c6<>3 r2c5<>3 r2c6<>3 r3c5<>3 r3c6<>3",
    ),
    "type 5 with three cells": (
        "unique rectangle 5",
        {"r1c1": "12", "r2c1": "123", "r1c4": "123", "r2c4": "123"},
        {},
        "r2c5<>3 r2c6<>3",
    ),
    "type 5 with two corners": (
        "unique rectangle 5",
        {"r1c1": "12", "r2c1": "123", "r1c4": "123", "r2c4": "12"},
        {},
        "r1c2<>3 r1c3<>3 r2c5<>3 r2c6<>3",
    ),
    "no type 5 with two further digits": (
        "unique rectangle 5",
        {"r1c1": "12", "r2c1": "123", "r1c4": "124", "r2c4": "12"},
        {},
        "",
    ),
    "type 3 in a row": (
        "unique rectangle 3",
        {**FLOOR, "r2c1": "123", "r2c4": "124", "r2c7": "34"},
        {},
        _rest("r2", "r2c1 r2c4 r2c7", "34"),
    ),
    "type 3 in a column and a box is one step": (
        "unique rectangle 3",
        {"r1c1": "12", "r2c1": "12", "r1c4": "123", "r2c4": "124", "r3c4": "34"},
        {},
        _rest("c4", "r1c4 r2c4 r3c4", "34")
        + " r1c5<>34 r1c6<>34 r2c5<>34 r2c6<>34 r3c5<>34 r3c6<>34",
    ),
    "no type 3 without a subset": (
        "unique rectangle 3",
        {**FLOOR, "r2c1": "123", "r2c4": "124", "r2c7": "35"},
        {},
        "",
    ),
    "type 4": (
        "unique rectangle 4",
        {**FLOOR, "r2c1": "123", "r2c4": "124"},
        {"2 r2": "r2c1 r2c4"},
        "r2c1<>1 r2c4<>1",
    ),
    "no type 4 with a place in the common box": (
        "unique rectangle 4",
        {"r1c1": "12", "r2c1": "12", "r1c4": "123", "r2c4": "124"},
        {"2 c4": "r1c4 r2c4"},
        "",
    ),
    "type 6": (
        "unique rectangle 6",
        {"r1c1": "12", "r2c4": "12", "r1c4": "123", "r2c1": "124"},
        {"1 r1": "r1c1 r1c4", "1 r2": "r2c1 r2c4", "1 c1": "r1c1 r2c1", "1 c4": "r1c4 r2c4"},
        "r1c4<>1 r2c1<>1",
    ),
    "no type 6 with a place in a column": (
        "unique rectangle 6",
        {"r1c1": "12", "r2c4": "12", "r1c4": "123", "r2c1": "124"},
        {"1 r1": "r1c1 r1c4", "1 r2": "r2c1 r2c4", "1 c1": "r1c1 r2c1"},
        "",
    ),
    "a hidden rectangle": (
        "hidden rectangle",
        {"r1c1": "12"},
        {"1 r2": "r2c1 r2c4", "1 c4": "r1c4 r2c4"},
        "r2c4<>2",
    ),
    "a hidden rectangle with two corners": (
        "hidden rectangle",
        {"r1c1": "12", "r2c4": "12"},
        {"2 r2": "r2c1 r2c4", "2 c4": "r1c4 r2c4"},
        "r2c4<>1",
    ),
    "no hidden rectangle with a place in the column": (
        "hidden rectangle",
        {"r1c1": "12"},
        {"1 r2": "r2c1 r2c4"},
        "",
    ),
    "a candidate that was eliminated counts": (
        "unique rectangle 1",
        {**FLOOR, "r2c1": "12", "r2c4": "134"},
        {},
        "r2c4<>1",
    ),
    "avoidable rectangle 1": (
        "avoidable rectangle 1",
        {"r1c1": "1", "r2c1": "2", "r1c4": "2", "r2c4": "13"},
        {},
        "r2c4<>1",
    ),
    "no avoidable rectangle 1 with three candidates": (
        "avoidable rectangle 1",
        {"r1c1": "1", "r2c1": "2", "r1c4": "2", "r2c4": "134"},
        {},
        "",
    ),
    "avoidable rectangle 2": (
        "avoidable rectangle 2",
        {"r1c1": "1", "r2c1": "2", "r1c4": "23", "r2c4": "13"},
        {},
        _rest("c4", "r1c4 r2c4", "3") + " r1c5<>3 r1c6<>3 r2c5<>3 r2c6<>3 r3c5<>3 r3c6<>3",
    ),
    "no avoidable rectangle 2 with different digits": (
        "avoidable rectangle 2",
        {"r1c1": "1", "r2c1": "2", "r1c4": "23", "r2c4": "14"},
        {},
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rectangle_eliminates_candidates(case):
    technique, cells, places, expected = CASES[case]
    assert eliminated_by(technique, cells, places) == candidates_of(expected)


def test_a_given_is_in_no_avoidable_rectangle():
    cells = {"r2c1": "2", "r1c4": "2", "r2c4": "13"}
    assert not eliminated_by("avoidable rectangle 1", cells, {}, "1" + "." * 80)


def test_a_filled_peer_excludes_a_rectangle():
    cells = {**FLOOR, "r2c1": "12", "r2c4": "123"}
    assert eliminated_by("unique rectangle 1", cells, {}, "." * 80 + "2")
    cells = {**FLOOR, "r2c1": "12", "r2c4": "13"}
    assert not eliminated_by("unique rectangle 1", cells, {}, "." * 75 + "2" + "." * 5)
