"""What `--traits` adds is found anew: whatever is forged there is told."""

from __future__ import annotations

import pytest
from support.auditing import packed
from support.dropping import TWO_SOLUTIONS

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
HARD = "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4."
SMALL_LINE = "1.....2..3.....4"
TABLE = f"{EASY}\n{HARD}\n{SMALL_LINE}\n{'.' * 81}\nnothing\n"


CAGED = ".Shape~4x4.~R1C1_1.~R2C3_2.~R3C2_3.~R4C4_4.Cage~3~R1C1~R1C2"
RULED = f"{CAGED}\n{CAGED.replace('~R1C1_1', '~R1C2_2')}\n{CAGED.replace('.~R4C4_4', '')}\n"

FILES = {
    "many.txt": TABLE,
    "caged.txt": f"{CAGED}\n",
    "ruled.txt": RULED,
    "easy.txt": EASY,
    "two.txt": TWO_SOLUTIONS,
    "set.zip": packed(("easy.txt", EASY), ("many.txt", TABLE)),
}
OPTIONS = ("--traits", "canonical,minimal,effort")


def test_nothing_is_wrong_with_what_was_published(outbox):
    findings = outbox.findings()
    assert {name: each.problems for name, each in findings.items()} == dict.fromkeys(findings, ())
    assert len(findings) == 6


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (1, "canonical", "." * 81),
        (1, "canonical", "x"),
        (1, "canonical", ""),
        (4, "canonical", "1" + "." * 80),
        (2, "redundant", "1"),
        (1, "redundant", "0"),
        (1, "redundant_cells", "r1c1"),
        (2, "effort_depth", "0"),
        (2, "effort_depth", "9"),
        (2, "effort_backdoor", "3"),
        (2, "effort_splits", "1.00"),
        (2, "effort_spread", "-1"),
        (3, "canonical", "." * 81),
        (3, "effort_depth", "1"),
        (3, "redundant", "1"),
        (4, "redundant", "0"),
        (5, "canonical", "." * 81),
    ],
)
def test_a_forged_field_of_a_table_is_found(outbox, row, column, value):
    outbox.set_row("many.csv", "many", row, **{column: value})
    problems = outbox.finding("many").problems
    assert problems
    assert all("--traits" in each for each in problems)
    assert any(f"row {row}" in each for each in problems)


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (1, "redundant_cells", "#2"),
        (1, "redundant_cells", "r1c1"),
        (1, "redundant", "0"),
        (3, "redundant", "0"),
        (1, "canonical", "." * 81),
        (1, "effort_depth", "1"),
    ],
)
def test_a_forged_field_of_a_puzzle_with_rules_is_found(outbox, row, column, value):
    outbox.set_row("ruled.csv", "ruled", row, **{column: value})
    problems = outbox.finding("ruled").problems
    assert problems
    assert all("--traits" in each and f"row {row}" in each for each in problems)


@pytest.mark.parametrize(
    "forged",
    [
        {"redundant_rules": []},
        {"redundant_rules": [{"number": 1, "told": "cage 4 at r1c1"}]},
        {"redundant_rules": [{"number": 2, "told": "cage 3 at r1c1"}]},
        {"redundant": [{"row": 1, "column": 1, "value": 1}]},
        {"redundant": [{"row": 1, "column": 1, "value": 2}]},
    ],
)
def test_a_forged_rule_that_can_be_left_out_is_found(outbox, forged):
    outbox.edit("caged", **forged)
    problems = outbox.finding("caged").problems
    assert problems
    assert all("--traits minimal" in each for each in problems)


@pytest.mark.parametrize(
    "forged",
    [
        {"canonical": "." * 81},
        {"canonical": None},
        {"redundant": [{"row": 1, "column": 1, "value": 5}]},
        {"redundant": [{"row": 1, "column": 3, "value": 4}]},
        {"effort": {"depth": 2, "backdoor": 0, "splits": 0.0, "spread": 0.0}},
        {"effort": None},
    ],
)
def test_a_forged_field_of_a_record_is_found(outbox, forged):
    outbox.edit("easy", **forged)
    problems = outbox.finding("easy").problems
    assert problems
    assert all("--traits" in each for each in problems)


def test_a_table_and_the_records_of_members_tell_the_same(outbox):
    outbox.edit("set/easy", canonical="." * 81)
    problems = " ".join(outbox.findings()["set"].problems)
    assert "canonical" in problems
    assert "in the table" in problems


def test_a_table_with_other_columns_is_none(outbox):
    outbox.change("many.csv", "many", lambda text: text.replace("_depth", "_height", 1))
    assert any("the first line is not" in each for each in outbox.finding("many").problems)
