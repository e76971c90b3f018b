"""Puzzles with rules: an audit passes what was published, and finds what is done to it."""

from __future__ import annotations

import pytest
from support.notations import FPUZZLES, ISS, SAMURAI, SOLO
from support.outboxes import Tamper, change, edit, exchange, made, write
from support.solvers import at_hand

from pipeline.solving.complete import make_refuter

ONE = (
    '{"size": 4, "grid": [[{"value": 1, "given": true}, {}, {}, {}], [{}, {}, {}, {}],'
    ' [{}, {}, {}, {}], [{}, {}, {}, {"value": 2}]], "killercage":'
    ' [{"cells": ["R1C2", "R2C2"], "value": "7"}, {"cells": ["R3C1", "R3C2"], "value": "5"}],'
    ' "thermometer": [{"lines": [["R4C3", "R4C4", "R3C4"]]}], "ruleset": "As usual."}'
)
FREE = ".Shape~2x3~0-2.Var~A~~2x1.Thermo~VA1~VA2.~R1C1_0~R1C2_1\n"
SHAPE = {"rows": 2, "columns": 3, "lowest": 0, "groups": [["VA", 2]], "widths": [["VA", 1]]}
LARGE = ".Shape~14x14.NoBoxes.ChaosConstruction.~R1C1_1~R1C2_1\n"
"""More clauses than a memory of 64 MB has room for."""

FILES = {
    "one.json": ONE,
    "six.txt": f"{ISS}\n",
    "none.json": FPUZZLES,
    "solo.txt": f"{SOLO}\n",
    "samurai.txt": SAMURAI,
    "free.txt": FREE,
}
TERMS = {"refuter": make_refuter(at_hand("pysat"), 4096)}
CLAIMS = {
    "six": "multiple, proved",
    "free": "multiple, proved",
    "none": "unsolvable, proved",
    "one": "multiple, proved",
}


def test_what_was_published_passes(original):
    findings = original.findings(**TERMS)
    assert {each.name: each.problems + each.gaps for each in findings.values()} == {
        name.partition(".")[0]: () for name in FILES
    }
    claims = {each.name: each.claim for each in findings.values()}
    assert claims == dict.fromkeys(claims, "unique, proved") | CLAIMS


def test_what_the_search_alone_answered_passes_without_a_formula(tmp_path):
    outbox = made(tmp_path, {"large.iss": LARGE}, "--memory-limit", "64M")
    record = outbox.record("large")
    assert (record["encoding"], record["solver"]["name"]) == (None, "exhaustive-search")
    (finding,) = outbox.findings(**TERMS).values()
    assert (finding.claim, finding.problems) == ("unsolvable, unverified", ())


def test_the_record_names_rules_grids_and_what_was_not_read(original):
    assert original.record("one")["rules"] == {"cage": 2, "thermometer": 1}
    assert original.record("one")["unread"] == ["ruleset"]
    assert original.record("one")["variant"] == "rules"
    assert original.record("samurai")["grids"] == [[0, 0], [0, 12], [6, 6], [12, 0], [12, 12]]
    assert "rules" not in original.record("samurai")
    assert (original.record("free")["box"], original.record("free")["free"]) == ([1, 3], SHAPE)
    assert original.record("none")["conflict"] == []
    assert original.record("none")["conflict_rules"] == [
        {"number": 2, "text": "cage 5 at r3c1"},
        {"number": 3, "text": "cage 3 at r4c3"},
    ]


def test_a_solution_of_a_document_is_rows_of_values(original):
    rows = original.path("one_1.solution").read_text().splitlines()
    assert [{*row} for row in rows] == [{*"1234"}] * 4


TAMPERS: dict[str, tuple[str, Tamper, str]] = {
    "a rule more": ("one", edit("one", rules={"cage": 3, "thermometer": 1}), "rules: the record"),
    "no rules": ("one", edit("one", rules={}), "rules: the record says {}"),
    "another shape": ("free", edit("free", free={**SHAPE, "lowest": 1}), "free: the record says"),
    "no shape": ("free", edit("free", free=None), "free"),
    "no width": ("free", edit("free", free={**SHAPE, "widths": []}), "free: the record says"),
    "no grids": ("samurai", edit("samurai", grids=[]), "grids: the record says ()"),
    "nothing unread": ("one", edit("one", unread=[]), "unread: the record says ()"),
    "a cage that another has": (
        "one",
        exchange("one.json", ONE.replace('"value": "7"', '"value": "6"')),
        "cage 6 at r1c2 is broken",
    ),
    "another solution": (
        "solo",
        change("solo_1.solution", "412356\n356241", "356241\n412356"),
        "solo_1.solution: ",
    ),
    "no cell of the samurai": (
        "samurai",
        write("samurai_1.solution", "123456789\n"),
        "samurai_1.solution",
    ),
    "a rule of the conflict that there is not": (
        "none",
        edit("none", conflict_rules=[{"number": 9, "text": "cage 5 at r3c1"}]),
        "the original does not have rule 9",
    ),
    "a rule of the conflict by another name": (
        "none",
        edit("none", conflict_rules=[{"number": 2, "text": "cage 6 at r3c1"}]),
        "the original does not have rule 2",
    ),
    "half of the conflict": (
        "none",
        edit("none", conflict_rules=[{"number": 2, "text": "cage 5 at r3c1"}]),
        "its clues do not contradict each other: they have a solution",
    ),
    "more than the conflict": (
        "none",
        edit(
            "none",
            conflict_rules=[
                {"number": 1, "text": "cage 6 at r1c2"},
                {"number": 2, "text": "cage 5 at r3c1"},
                {"number": 3, "text": "cage 3 at r4c3"},
            ],
        ),
        "not minimal: without cage 6 at r1c2",
    ),
    "a formula without its last clause": (
        "solo",
        lambda outbox: outbox.change(
            "solo.proof.cnf", "solo", lambda text: text.rsplit("\n", 2)[0] + "\n"
        ),
        "solo.proof.cnf",
    ),
}


@pytest.mark.parametrize(("stem", "tamper", "said"), TAMPERS.values(), ids=TAMPERS)
def test_what_is_done_to_it_is_found(outbox, stem, tamper, said):
    tamper(outbox)
    problems = outbox.problems(stem, **TERMS)
    assert any(said in each for each in problems), problems


def test_a_formula_of_another_version_is_not_compared_but_its_claim_is_checked_anew(outbox):
    outbox.change("solo.proof.cnf", "solo", lambda text: text.rsplit("\n", 2)[0] + "\n")
    outbox.edit("solo", build="0")
    assert outbox.problems("solo", **TERMS) == ()
    outbox.leave_out("six")
    outbox.change("six.proof.cnf", "six", lambda text: text.rsplit("\n", 2)[0] + "\n")
    outbox.edit("six", build="0")
    assert any("there is another solution" in each for each in outbox.problems("six", **TERMS))
