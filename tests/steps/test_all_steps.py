"""All steps of a position."""

from __future__ import annotations

import pytest

from pipeline.steps import all_steps, steps
from pipeline.steps.all_singles import is_single, singles
from pipeline.steps.orders import ORDERS, technique_named

CLUES = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
MASKS = [1 << int(sign) - 1 if sign != "." else 511 for sign in CLUES]
HARD = "000704005020010070000080002090006250600070008053200010400090000030060090200407000"
"""A puzzle in which r6c5 has a single candidate."""

EASY = tuple(
    each
    for each in ORDERS["hodoku"]
    if is_single(each) or each.name in ("pointing", "claiming", "naked pair")
)
"""Techniques that are fast in plain Python."""


@pytest.fixture(scope="module")
def found():
    """The steps that easy techniques find in the puzzle."""
    return [*all_steps(MASKS, unique=True, techniques=EASY)]


def test_each_conclusion_is_true_and_found_once(found):
    placed = [each for step in found for each in step.placed]
    eliminated = [each for step in found for each in step.eliminated]
    assert placed
    assert eliminated
    assert len(placed + eliminated) == len({*placed}) + len({*eliminated})
    assert all(int(SOLVED[cell]) == value for cell, value in placed)
    assert all(int(SOLVED[cell]) != value for cell, value in eliminated)


def test_all_steps_are_of_the_same_position_and_sorted_by_technique(found):
    first = next(steps(MASKS, unique=True, techniques=EASY))
    assert {step.before for step in found} == {first.before}
    assert {*first.placed} <= {each for step in found for each in step.placed}
    order = [EASY.index(step.technique) for step in found]
    assert order == sorted(order)


def test_what_a_step_cites_has_its_candidates_in_the_position(found):
    for step in found:
        for cited in step.cited:
            assert cited.candidates(step.before)


def test_singles_of_all_units_and_cells_are_found():
    position = next(steps(MASKS, unique=True, techniques=EASY)).before
    by_name = {each.name: each for each in (*ORDERS["explainer"], *ORDERS["hodoku"])}
    found = {
        name: {step.placed[0] for step in singles(position, technique)}
        for name, technique in by_name.items()
        if is_single(technique)
    }
    cells = {cell for cell, mask in enumerate(position.candidates) if mask.bit_count() == 1}
    assert {cell for cell, _ in found["naked single"]} == cells
    hidden = {
        (cell, value)
        for unit in range(27)
        for value in range(1, 10)
        for cell in position.places(unit, value)
        if len(position.places(unit, value)) == 1
    }
    assert found["hidden single"] == hidden
    assert found["hidden single in a box"] | found["hidden single in a line"] == hidden
    assert found["full house"] <= hidden


def test_steps_start_from_a_state():
    placed = [(2, 4), (3, 6)]
    first = next(steps(MASKS, unique=True, techniques=EASY, placed=placed, eliminated=[(5, 2)]))
    assert (first.before.values[2], first.before.values[3]) == (4, 6)
    assert 2 not in first.before.values_in(5)
    assert not first.before.givens & {2, 3}


def test_a_single_has_no_cases_in_a_forcing_chain():
    masks = [1 << int(sign) - 1 if sign != "0" else 511 for sign in HARD]
    found = [*all_steps(masks, unique=True, techniques=[technique_named("forcing chain")])]
    assert [(str(step), step.reason) for step in found] == [
        (
            "r9c3=9 forcing chain from r9c3≠9 to a contradiction",
            "If r9c3≠9, 9 would have no place in column 3, so r9c3 is 9.",
        )
    ]


def test_a_technique_that_only_finds_steps_of_later_positions_is_given_up():
    masks = [1 << int(sign) - 1 if sign != "0" else 511 for sign in HARD]
    searches = []
    techniques = [technique_named("ALS-XZ"), technique_named("naked single")]
    found = [*all_steps(masks, unique=True, techniques=techniques, on_search=searches.append)]
    assert [step.technique.name for step in found] == ["ALS-XZ"] * 2 + ["naked single"]
    assert searches == sorted(searches)
    assert searches.count(1) == 1
    assert searches.count(0) < 40  # of 127 steps that it finds one after another
