"""Simple colouring and multi-colouring."""

from __future__ import annotations

import pytest
from support.positions import candidates_of, eliminated_by, first_step

TRAP = {"7 r1": "r1c1 r1c5", "7 c5": "r1c5 r6c5", "7 b5": "r4c6 r6c5"}
WRAP = {
    "7 r1": "r1c1 r1c9",
    "7 c9": "r1c9 r7c9",
    "7 b9": "r7c9 r8c7",
    "7 r8": "r8c1 r8c7",
}
CASES = {
    "a place that sees both colours": ("simple colours", TRAP, "r4c1<>7"),
    "no colours without a chain of strong links": (
        "simple colours",
        {**TRAP, "7 c5": "r1c5 r3c5 r6c5"},
        "",
    ),
    "a colour that sees itself": ("simple colours", WRAP, "r1c1<>7 r7c9<>7 r8c1<>7"),
    "a colour that sees both colours of another component": (
        "multi-colours",
        {"7 r1": "r1c1 r1c9", "7 c9": "r1c9 r7c9", "7 b7": "r8c1 r7c2"},
        "r1c1<>7 r7c9<>7",
    ),
    "places that see the opposites of colours that see each other": (
        "multi-colours",
        {"7 r1": "r1c1 r1c9", "7 r5": "r5c1 r5c8"},
        "r2c8<>7 r3c8<>7 r4c9<>7 r6c9<>7",
    ),
    "no multi-colours if no colours see each other": (
        "multi-colours",
        {"7 r1": "r1c1 r1c9", "7 r5": "r5c2 r5c8"},
        "",
    ),
    "no multi-colours in one component": ("multi-colours", TRAP, ""),
}


@pytest.mark.parametrize("case", CASES)
def test_colours_eliminate_candidates(case):
    technique, places, expected = CASES[case]
    assert eliminated_by(technique, {}, places) == candidates_of(expected)


def test_the_nodes_of_a_chain_are_the_places_of_two_colours():
    step = first_step("simple colours", {}, TRAP)
    assert step
    colours = {(node.cells, node.holds) for node in step.chain}
    assert colours in (
        {((0,), True), ((49,), True), ((4,), False), ((32,), False)},
        {((0,), False), ((49,), False), ((4,), True), ((32,), True)},
    )
