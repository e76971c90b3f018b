"""A single puzzle with a solution beside it gets the message that a row of a table gets."""

from __future__ import annotations

import pytest
from support.commands import run
from support.outboxes import Outbox, copied, made, packed

from pipeline.api import solve, solve_many

PUZZLE, SOLVED = "1.....2..3.....4", "1243342143122134"
ANOTHER = "1234341221434321"
NONE = "the solution in the file is wrong"


def table(solution: str) -> str:
    return f"puzzle,solution\n{PUZZLE},{solution}\n"


def test_it_is_told_in_the_message_as_in_a_table_of_many():
    texts = [table(name) for name in (SOLVED, ANOTHER, "x", "")]
    together = list(solve_many(texts, solver="pysat"))
    for results in (together, [solve(text, solver="pysat") for text in texts]):
        assert {(result.status, result.message) for result in results} == {("unique", None)}
        assert [result.full_message for result in results] == [None, NONE, NONE, None]
        assert [result.disagreement for result in results] == [None, NONE, NONE, None]


def test_a_solution_behind_its_puzzle_in_a_line_is_compared_too():
    code, _, said = run("solve", "-q", "-", "--solver", "pysat", given=PUZZLE + ANOTHER + "\n")
    assert (code, said) == (0, f"<stdin>: {NONE}\n")


@pytest.fixture(scope="module")
def outbox(tmp_path_factory) -> Outbox:
    files = {"good.csv": table(SOLVED), "bad.csv": table(ANOTHER)}
    both = packed(*((f"in/{name}", text) for name, text in files.items()))
    return made(tmp_path_factory.mktemp("beside"), {**files, "set.zip": both})


def test_records_tell_it_and_an_archive_counts_it(outbox):
    bad, good = outbox.record("bad"), outbox.record("good")
    assert (bad["status"], bad["message"], bad["disagreement"]) == ("unique", NONE, NONE)
    assert (good["message"], "disagreement" in good) == (None, False)
    assert outbox.record("set")["totals"] == {"disagreements": 1, "unique": 2}
    assert {each.verdict for each in outbox.findings().values()} == {"ok"}


def test_an_audit_goes_by_the_field_and_not_by_words_in_the_message(outbox, tmp_path):
    tampered = copied(outbox, tmp_path)
    tampered.edit("good", message=f"pysat: {NONE}")
    assert not tampered.problems("good")


@pytest.mark.parametrize(
    ("stem", "fields", "said"),
    [
        ("good", {"disagreement": NONE}, "the record says that the solution"),
        ("set", {"totals": {"unique": 2}}, "totals: 0 disagreements in the record, 1 found"),
    ],
)
def test_an_audit_finds_out_who_tells_another(outbox, tmp_path, stem, fields, said):
    tampered = copied(outbox, tmp_path)
    tampered.edit(stem, **fields)
    assert tampered.problems(stem)[0].startswith(said)


def test_an_audit_finds_out_who_does_not_tell_it(outbox, tmp_path):
    tampered = copied(outbox, tmp_path)
    tampered.forget("bad", "disagreement")
    said = "the record does not say that the solution in the original is wrong"
    assert tampered.problems("bad") == (said,)
