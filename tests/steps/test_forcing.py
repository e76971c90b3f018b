"""Forcing chains, forcing nets and brute force."""

from __future__ import annotations

import pytest
from support.positions import candidates_of, eliminated_by, first_step
from support.techniques import masks_of

from pipeline import solve
from pipeline.steps import steps
from pipeline.steps.techniques import BY_SCORE, SCORED

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
RING = {"r1c1": "12", "r1c5": "23", "r5c5": "34", "r5c1": "24"}
CASES = {
    "what all candidates of a cell exclude": (
        {"r1c1": "123", "r1c5": "13", "r2c2": "23"},
        {},
        "r1c2<>3",
    ),
    "what all places of a digit exclude": (
        {"r2c1": "78", "r2c5": "78", "r2c9": "78"},
        {"7 r1": "r1c1 r1c5 r1c9"},
        "",
    ),
    "only the lowest candidate": ({"r1c1": "12", "r1c2": "12"}, {}, "r1c3<>1"),
    "a group at the end of a chain": (
        {},
        {"7 b1": "r1c1 r2c2 r2c3", "7 c8": "r2c8 r6c8"},
        "r6c1<>7",
    ),
    "nothing without strong links": ({"r1c1": "123"}, {"7 r1": "r1c1 r1c5 r1c9"}, ""),
}


@pytest.mark.parametrize("case", CASES)
def test_a_forcing_chain_eliminates_a_candidate(case):
    cells, places, expected = CASES[case]
    assert eliminated_by("forcing chain", cells, places) == candidates_of(expected)


def test_a_forcing_chain_places_a_candidate_that_its_contrary_implies():
    step = first_step("forcing chain", RING)
    assert step
    assert (step.placed, step.eliminated) == (((0, 1),), ())


def test_brute_force_places_the_middle_open_cell():
    (brute_force,) = [each for each in SCORED if each not in BY_SCORE]
    step = next(steps(masks_of(EASY), unique=True, techniques=[brute_force]))
    open_cells = [cell for cell, sign in enumerate(EASY) if sign == "."]
    cell = open_cells[len(open_cells) // 2]
    assert step.placed == ((cell, solve(EASY).solutions[0].values[cell]),)
