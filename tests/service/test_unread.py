"""Rules in prose, which nobody reads: every answer says so."""

from __future__ import annotations

import csv
import io
import json
from types import SimpleNamespace

import pytest
from support.documents import document, text_of
from support.drop_folders import SMALL, DropFolder, events_in, finished
from support.sheets import SheetText

from pipeline.reading.unread import caveat, unread_summary, unread_texts

UNREAD = "{} by the rules that were read; the text of the rules was not read"
UNIQUE = UNREAD.format("unique")
INCOMPLETE = "the solution in the file is incomplete and was not compared"


def doc(text: str, **members: object) -> str:
    """A document with these givens, in a line."""
    made = document(**members)
    for place, sign in enumerate(text.replace("\n", "")):
        if sign != ".":
            made["grid"][place // 4][place % 4] = {"value": int(sign), "given": True}
    return text_of(made) + "\n"


PROSE = doc(SMALL, ruleset="Prose.")
CAGE = [{"cells": ["R1C1", "R1C2"], "value": "3"}]
LINES = [
    PROSE,
    doc(SMALL, ruleset="Prose.", killercage=CAGE),
    doc(SMALL),
    doc("11" + "." * 14, ruleset="Prose.", antiking=True),
    doc("12..3421431221..", ruleset="Prose.", solution="." * 16),
]
SAID = [
    UNIQUE,
    UNIQUE,
    "",
    "row 1 holds 1 twice: row 1, column 1 and row 1, column 2; " + UNREAD.format("unsolvable"),
    UNREAD.format("multiple") + f"; {INCOMPLETE}",
]


@pytest.mark.parametrize(
    ("unread", "said"),
    [
        (["drawings"], "unique by the rules that were read; drawings were not read"),
        (
            ["ruleset", "drawings", "solution"],
            "unique by the rules that were read; "
            "drawings and the text of the rules were not read; " + INCOMPLETE,
        ),
    ],
)
def test_an_answer_says_that_drawings_were_not_read(unread, said):
    assert caveat("unique", unread) == said
    assert caveat("solved", unread) is None
    assert unread_texts(unread) == []
    assert "drawings (2 puzzles)" in unread_summary({"ruleset": 1, "drawings": 2})


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    box = DropFolder.within(tmp_path_factory.mktemp("unread"))
    box.drop("one.json", PROSE)
    box.drop("many.txt", "".join(LINES))
    run = box.run("--report")
    assert run.returncode == 0, run.stderr
    return SimpleNamespace(box=box, out=box.outbox, run=run)


def test_the_record_and_the_log_of_a_puzzle_say_it(solved):
    record = json.loads((solved.out / "one.json").read_text())
    assert (record["status"], record["message"], record["unread"]) == (
        "unique",
        UNIQUE,
        ["ruleset"],
    )
    ended = [e for e in events_in(solved.run.stderr) if e["event"] == "job.finished"]
    assert UNIQUE in [event.get("message") for event in ended]


def test_each_row_of_a_table_and_the_report_say_it(solved):
    rows = [*csv.DictReader(io.StringIO((solved.out / "many.csv").read_text()))]
    assert [row["message"] for row in rows] == SAID
    assert UNIQUE in (solved.out / "report.html").read_text()


def test_an_audit_finds_nothing_wrong_with_it(solved):
    assert finished("audit", solved.out, "--originals", solved.box.inbox / "done").returncode == 0


def test_solve_says_it(solved):
    one, many = solved.box.inbox / "done" / "one.json", solved.box.inbox / "done" / "many.txt"
    assert f"one.json: {UNIQUE}\n" in finished("solve", "--quiet", one).stderr
    lines = finished("solve", many).stdout.splitlines()
    assert [line.endswith(said) for line, said in zip(lines, SAID, strict=True)] == [True] * 5
    assert UNIQUE not in lines[2]
    assert f"one.json: {UNIQUE}\n" in finished("count", "--quiet", one).stderr
    counted = finished("count", many, "--solver", "pysat").stderr.splitlines()
    told = {line.rpartition("many.txt:")[2].partition(": ")[0] for line in counted}
    assert told == {"1", "2", "4", "5"}


@pytest.mark.parametrize("published", [True, False])
def test_a_sheet_says_it_beside_the_puzzle_and_its_solution(solved, published):
    where = solved.out if published else solved.box.inbox / "done"
    names = ("many.json", "one.json") if published else ("many.txt", "one.json")
    inbox = ("--inbox", solved.box.inbox)
    made = finished("sheet", "-o", "-", *inbox, *[where / name for name in names])
    found = SheetText(made.stdout)
    more = "The text of its rules was not read."
    assert [more in each.note for each in found.puzzles] == [True, True, False, True, True, True]
    notes = [each.note for each in found.solutions]
    assert notes[0] == notes[1] == notes[5] == f"{UNIQUE[0].upper()}{UNIQUE[1:]}."
    assert notes[2] == ""
    assert UNREAD.format("unsolvable") in notes[3]
    assert UNREAD.format("Multiple") in notes[4]


def test_a_sheet_of_puzzles_alone_says_it(solved):
    one = solved.box.inbox / "done" / "one.json"
    (drawn,) = SheetText(finished("sheet", "-o", "-", "--no-solutions", one).stdout).puzzles
    assert drawn.note == "The text of its rules was not read."
