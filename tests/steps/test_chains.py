"""Turbot fish, X-chains, XY-chains and remote pairs."""

from __future__ import annotations

import pytest
from support.positions import candidates_of, eliminated_by, first_step

CASES = {
    "a turbot fish with a strong link in a box": (
        "turbot fish",
        {},
        {"7 b1": "r1c1 r2c2", "7 c8": "r2c8 r7c8"},
        "r7c1<>7",
    ),
    "no turbot fish with a third place": (
        "turbot fish",
        {},
        {"7 b1": "r1c1 r2c2", "7 c8": "r2c8 r5c8 r7c8"},
        "",
    ),
    "no strong link between two places of a box in a line that has more": (
        "turbot fish",
        {},
        {"7 b1": "r1c1 r1c2", "7 r5": "r5c2 r5c8"},
        "",
    ),
    "an X-chain neither": (
        "X-chain",
        {},
        {"7 b1": "r1c1 r1c2", "7 r5": "r5c2 r5c8"},
        "",
    ),
    "of X-chains that eliminate one candidate, the one in the lowest cell": (
        "X-chain",
        {},
        {"7 r2": "r2c1 r2c5", "7 r5": "r5c5 r5c7", "7 c8": "r4c8 r9c8"},
        "r9c1<>7",
    ),
    "the X-chain that eliminates more": (
        "X-chain",
        {},
        {"7 r2": "r2c1 r2c5", "7 r5": "r5c5 r5c7", "7 c8": "r4c8 r9c8", "7 c1": "r2c1 r6c1 r7c1"},
        "r9c5<>7",
    ),
    "an XY-chain": (
        "XY-chain",
        {"r1c1": "12", "r1c5": "23", "r5c5": "34", "r5c9": "14"},
        {},
        "r1c9<>1 r5c1<>1",
    ),
    "no XY-chain with a third candidate": (
        "XY-chain",
        {"r1c1": "12", "r1c5": "23", "r5c5": "345", "r5c9": "14"},
        {},
        "",
    ),
    "no XY-chain whose ends differ": (
        "XY-chain",
        {"r1c1": "12", "r1c5": "23", "r5c5": "34", "r5c9": "45"},
        {},
        "",
    ),
    "an XY-chain does not return to its first cell": (
        "XY-chain",
        {"r1c1": "12", "r1c5": "23", "r5c5": "34", "r5c1": "24"},
        {},
        "r1c1<>2",
    ),
    "a remote pair of four cells": (
        "remote pair",
        {"r1c1": "12", "r1c5": "12", "r5c5": "12", "r5c9": "12"},
        {},
        "r1c9<>12 r5c1<>12",
    ),
    "a remote pair of six cells eliminates between all that differ": (
        "remote pair",
        {"r1c1": "12", "r1c5": "12", "r5c5": "12", "r5c9": "12", "r9c9": "12", "r9c2": "12"},
        {},
        "r1c9<>12 r5c1<>12 r9c5<>12 r5c2<>12 r1c2<>12 r2c2<>12 r3c2<>12 r7c1<>12 r8c1<>12 r9c1<>12",
    ),
    "no remote pair of three cells": (
        "remote pair",
        {"r1c1": "12", "r1c5": "12", "r5c5": "12"},
        {},
        "",
    ),
    "no remote pair of different cells": (
        "remote pair",
        {"r1c1": "12", "r1c5": "12", "r5c5": "12", "r5c9": "13"},
        {},
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_chain_eliminates_candidates(case):
    technique, cells, places, expected = CASES[case]
    assert eliminated_by(technique, cells, places) == candidates_of(expected)


def test_the_shortest_chain_is_shown():
    cells = {"r1c1": "12", "r1c5": "23", "r5c5": "34", "r5c9": "14"}
    step = first_step("XY-chain", cells)
    assert step
    assert [(node.value, *node.cells, node.holds) for node in step.chain] == [
        (1, 0, False), (2, 0, True), (2, 4, False), (3, 4, True),
        (3, 40, False), (4, 40, True), (4, 44, False), (1, 44, True),
    ]  # fmt: skip


def test_a_remote_pair_shows_its_cells_in_the_order_of_the_chain():
    step = first_step("remote pair", {"r1c1": "12", "r5c5": "12", "r1c5": "12", "r5c9": "12"})
    assert step
    assert (step.values, step.cells) == ((1, 2), (0, 4, 40, 44))
