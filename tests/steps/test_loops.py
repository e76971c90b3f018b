"""Nice loops and alternating inference chains, also with groups."""

from __future__ import annotations

import pytest
from support.positions import candidates_of, eliminated_by, first_step

AIC, GROUPED, SETS = "alternating inference chain", "grouped chain", "grouped chain with ALS"
OPEN_LOOP = {"1 r1": "r1c1 r1c5", "3 c5": "r1c5 r6c5", "2 r6": "r6c1 r6c5"}
CASES = {
    "a candidate that implies its contrary": (
        AIC,
        {},
        {"7 b1": "r1c1 r2c2", "7 c8": "r2c8 r7c8"},
        "r7c1<>7",
    ),
    "ends with the same digit that eliminate two candidates": (
        AIC,
        {"r1c1": "12", "r1c5": "23", "r5c5": "34", "r5c9": "14"},
        {},
        "r1c9<>1 r5c1<>1",
    ),
    "ends with different digits in cells that see each other": (
        AIC,
        {},
        OPEN_LOOP,
        "r1c1<>2 r6c1<>1",
    ),
    "a continuous loop": (
        AIC,
        {},
        {**OPEN_LOOP, "4 c1": "r1c1 r6c1"},
        "r1c1<>2356789 r1c5<>2456789 r6c5<>1456789 r6c1<>1356789",
    ),
    "no loop without strong links": (AIC, {}, {"7 r1": "r1c1 r1c5 r1c9"}, ""),
    "no loop that needs a group": (AIC, {}, {"7 b1": "r1c1 r2c2 r2c3", "7 c8": "r2c8 r6c8"}, ""),
    "a loop with a group": (
        GROUPED,
        {},
        {"7 b1": "r1c1 r2c2 r2c3", "7 c8": "r2c8 r6c8"},
        "r6c1<>7",
    ),
    "two groups of a box without their common cell": (
        GROUPED,
        {},
        {"7 b1": "r1c2 r1c3 r2c1 r3c1", "7 c6": "r1c6 r7c6"},
        "r7c1<>7",
    ),
    "a chain through an almost locked set": (
        SETS,
        {"r1c1": "15", "r1c4": "123", "r1c5": "23", "r1c8": "25"},
        {},
        "r1c2<>5 r1c3<>5 r1c6<>5 r1c7<>5 r1c9<>5",
    ),
    "a continuous loop through an almost locked set": (
        SETS,
        {"r7c4": "123", "r7c5": "13"},
        {"5 r1": "r1c1 r1c8", "2 c8": "r1c8 r7c8", "3 c1": "r7c1 r1c1"},
        "r1c1<>1246789 r1c8<>1346789 r7c2<>23 r7c3<>23 r7c6<>23 r7c7<>23 r7c9<>23",
    ),
    "no chain if a place in the set is not excluded": (
        SETS,
        {"r1c1": "15", "r1c4": "123", "r2c5": "123", "r1c8": "25"},
        {},
        "",
    ),
    "no chain with sets if the set is a single cell": (SETS, {}, OPEN_LOOP, ""),
    "no grouped chain without a group": (GROUPED, {}, OPEN_LOOP, ""),
}


@pytest.mark.parametrize("case", CASES)
def test_a_loop_eliminates_candidates(case):
    technique, cells, places, expected = CASES[case]
    assert eliminated_by(technique, cells, places) == candidates_of(expected)


def test_a_chain_shows_its_nodes():
    step = first_step(GROUPED, {}, {"7 b1": "r1c1 r2c2 r2c3", "7 c8": "r2c8 r6c8"})
    assert step
    assert [(node.value, node.cells, node.holds) for node in step.chain] == [
        (7, (45,), True),
        (7, (52,), False),
        (7, (16,), True),
        (7, (10, 11), False),
        (7, (0,), True),
        (7, (45,), False),
    ]
