"""Reasons of steps: a sentence for each technique."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

import pytest
from support.outboxes import EXAMPLES
from support.step_states import REASONS, STATES, WITHOUT_STATE, example, reasons

from pipeline.puzzle.puzzle import Puzzle
from pipeline.reading.formats import parse_puzzle
from pipeline.rules import Sum
from pipeline.steps import steps
from pipeline.steps.orders import order_with
from pipeline.steps.presentation.wording import WORDINGS, wording_of
from pipeline.steps.presentation.words import branch_lines, eliminations
from pipeline.steps.step import CONTRADICTION, Cited
from pipeline.steps.techniques import TECHNIQUES
from pipeline.steps.variants import VARIANT_TECHNIQUES, variant_steps

ONE_CANDIDATE = "000704005020010070000080002090006250600070008053200010400090000030060090200407000"
"""A puzzle in which 4 is the only candidate of r6c5, and 3 and 4 are those of r4c5."""


def test_every_technique_has_a_wording_and_a_state():
    named = {(order, each.name) for order in ("hodoku", "explainer") for each in order_with(order)}
    assert named - STATES.keys() == WITHOUT_STATE
    worded = {name for names in WORDINGS for name in names}
    techniques = (*TECHNIQUES, *order_with("explainer"), *VARIANT_TECHNIQUES)
    assert worded == {each.name for each in techniques}


def test_reasons_are_those_of_the_golden_file():
    assert reasons() == REASONS.read_text()


@pytest.mark.parametrize(("order", "name"), STATES)
def test_a_reason_names_the_conclusions(order, name):
    step = example(order, name)
    for cell, value in step.placed:
        assert step.before.name_of(cell) in step.reason
        assert str(value) in step.reason
    if (
        not step.placed
        and "other cell" not in step.reason
        and "these cells hold no" not in step.reason
    ):
        for cell, _ in step.eliminated:
            assert step.before.name_of(cell) in step.reason
    assert step.reason.endswith(".")
    assert "leave no other possibility" not in step.reason
    assert str(step).startswith(
        tuple(step.before.name_of(cell) for cell, _ in step.placed)
        or wording_of(step).name
        or step.technique.name
    )


def test_a_technique_without_a_wording_has_a_general_reason():
    step = example("hodoku", "X-wing")
    unknown = step.technique._replace(name="unheard of")
    other = replace(step, technique=unknown)
    assert other.reason.startswith("The places of 5 in row 2 and the places of 5 in row 5 leave no")
    assert str(other).startswith("unheard of 5 in rows 2,5 removes 5 from")


@pytest.mark.parametrize(("order", "name"), STATES)
def test_values_are_written_with_the_symbols_of_the_puzzle(order, name):
    step = example(order, name).with_symbols("ABCDEFGHI")
    lines = [line for branch in step.branches for line in branch_lines(step.before, branch)]
    text = "\n".join([str(step).replace(name, ""), step.reason, *lines])
    without_names = re.sub(
        r"r\d+c\d+|(row|column|box)(e?s)? \d+((,| and|, \d+ and) ?\d+)*", "", text
    )
    assert re.findall(r"\d", without_names) == []


def test_eliminations_are_grouped_by_cells():
    position = example("hodoku", "X-wing").before
    assert eliminations(position, [(0, 3), (0, 5), (1, 3), (1, 5)]) == "3,5 from r1c1,r1c2"
    assert eliminations(position, [(8, 5), (0, 3), (0, 5)]) == "3,5 from r1c1; 5 from r1c9"


def test_branches_of_a_contradiction_end_with_its_sentence():
    step = example("hodoku", "forcing net")
    (branch,) = step.branches
    assert branch.ends == CONTRADICTION
    assert f"If r1c2={branch.assumption.value}, " in step.reason


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        (
            "killer.txt",
            "combinations of cage 7 at r1c7 removes 3,5,6,7,8,9 from r1c7,r2c7,r2c8",
            (
                "The three values of cage 7 at r1c7 must be 1, 2 and 4, so r1c7, r2c7 and r2c8 are "
                "not 3, 5, 6, 7, 8 or 9."
            ),
        ),
        (
            "killer.txt",
            "combinations of cage 9 at r6c2 removes 9 from r6c2,r7c2",
            "No two candidates that fill cage 9 at r6c2 include 9, so r6c2 and r7c2 are not 9.",
        ),
        (
            "killer.txt",
            "combinations of cage 13 at r6c1 removes 6 from r6c1",
            "No two candidates that fill cage 13 at r6c1 include 6 in r6c1.",
        ),
        (
            "killer.txt",
            "combinations of cage 7 at r9c2 removes 1,2,3,4,5,6,8,9 from r9c2",
            "r9c2 is the only cell of cage 7 at r9c2, so it is 7.",
        ),
        (
            "f-puzzles-link.txt",
            "combinations of cage 3 at r1c1 removes 3,4 from r1c2",
            "No two candidates that fill cage 3 at r1c1 include 3 or 4, so r1c2 is not 3 or 4.",
        ),
        (
            "killer-arrows.txt",
            "value 8 of cage 17 at r9c1 removes 8 from r7c1,r7c2,r7c3,r8c1,r8c2,r9c4,r9c6",
            (
                "Every combination for cage 17 at r9c1 contains 8, so one of r9c1 and r9c2 is 8; "
                "r7c1, r7c2, r7c3, r8c1, r8c2, r9c4 and r9c6 see both, so they are not 8."
            ),
        ),
        (
            "constraints.iss.txt",
            "rule whispers 3 from r3c5 removes 4 from r4c5",
            (
                "r4c5 is not 4: otherwise whispers 3 from r3c5 would be broken, whatever its other "
                "cells hold."
            ),
        ),
    ],
)
def test_steps_of_variants_are_explained_by_their_rules(name, line, reason):
    found = variant_steps(Puzzle.from_file(EXAMPLES / name))
    assert next(step.reason for step in found if str(step) == line) == reason


def test_values_of_a_sum_that_may_repeat_are_not_each_needed():
    puzzle = Puzzle.empty(9, (Sum(((0, 1), (13, 1), (26, 1)), 5),))
    reason = next(variant_steps(puzzle)).reason
    assert reason.startswith("The three values of sum 5 at r1c1 are among 1, 2 and 3, so ")


def test_a_forcing_chain_from_the_only_candidate_of_a_cell():
    cells = parse_puzzle(ONE_CANDIDATE).cells
    before = next(steps(cells, unique=True)).before
    chain = replace(
        example("hodoku", "forcing chain"),
        placed=((31, 3),),
        eliminated=(),
        cells=(49,),
        values=(4,),
        cited=(Cited((49,)), Cited((31,))),
        before=before,
    )
    assert chain.reason == "r6c5 is 4, and it follows that r4c5 is 3."


def test_a_net_without_branches_has_a_sentence():
    net = replace(example("hodoku", "forcing net"), cited=())
    assert net.reason == (
        "If r1c2=8, the cells and units that the step cites lead to a contradiction, so r1c2 is "
        "not 8."
    )


def test_a_sentence_keeps_a_symbol_at_its_beginning():
    step = example("hodoku", "hidden single").with_symbols("abcdefghi")
    assert step.reason.startswith("f must be in box 6, and r4c9 is its only place there")


def test_marks_of_the_puzzle_are_a_reason():
    puzzle = parse_puzzle((EXAMPLES / "even-odd.sudoku").read_text())
    found = [*islice(steps(puzzle.cells, unique=True, techniques=order_with("hodoku")[:3]), 8)]
    text = "r3c1 is marked as even and sees 2, 4 and 8, so only 6 is left for it."
    reasons_found = {step.reason for step in found}
    assert text in reasons_found
    assert any("or are marked as odd." in reason for reason in reasons_found)
