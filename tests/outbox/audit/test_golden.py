"""Outboxes that earlier versions made, in `tests/outbox/golden`: what they say is judged, no more.

Another notation and other clauses are no fault, and no way to get a wrong answer accepted.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import run
from support.drop_folders import DropFolder
from support.outboxes import ONE, OTHER_GRID, Outbox, copied, made
from support.puzzles import TWO
from support.solvers import at_hand

from pipeline.solving.complete import make_refuter
from pipeline.version import __version__, build

GOLDEN = sorted((Path(__file__).parents[1] / "golden").iterdir())
FIRST = "0.1.0-96f39072"
FILES = {"one.txt": ONE, "two.txt": TWO}
OURS, THEIRS = (__version__, build()), ("0.0.9", "0123456789ab")
TERMS = {"refuter": make_refuter(at_hand("pysat"), 4096)}


def opened(version: str, folder: Path) -> Outbox:
    """A copy of an outbox that a version made."""
    path = next(each for each in GOLDEN if each.name == version)
    return copied(Outbox(DropFolder(path / "inbox", path / "outbox")), folder)


@pytest.mark.parametrize("version", [path.name for path in GOLDEN])
def test_what_an_earlier_version_published_passes(version, tmp_path):
    outbox = opened(version, tmp_path)
    findings = outbox.findings(**TERMS)
    assert {name: each.problems + each.gaps for name, each in findings.items()} == dict.fromkeys(
        findings, ()
    )
    assert len(findings) == len([*outbox.folder.glob("*.json")]) > 0


@pytest.mark.parametrize("version", [path.name for path in GOLDEN])
def test_commands_take_what_an_earlier_version_published(version, tmp_path):
    outbox = opened(version, tmp_path)
    inbox = "--inbox", str(outbox.box.inbox)
    assert run("report", str(outbox.folder), "-o", str(tmp_path / "report.html"))[0] == 0
    page = (tmp_path / "report.html").read_text()
    assert "cannot be read" not in page
    assert all(path.stem in page for path in outbox.folder.glob("*.json"))
    code, printed, said = run("convert", "--to", "iss", str(outbox.folder), *inbox)
    assert (code in (0, 1), printed.count("\n") > 5, "Traceback" in said) == (True, True, False)
    assert run("status", *inbox, "--outbox", str(outbox.folder))[0] == 0


def test_what_was_written_otherwise_is_noted(tmp_path):
    findings = opened(FIRST, tmp_path).findings(**TERMS)
    assert [name for name, each in findings.items() if each.notes] == [
        "caged",
        "f-puzzles-link",
        "simple-sudoku",
    ]
    notes = [note for each in findings.values() for note in each.notes]
    assert all("another version wrote it" in note for note in notes)


def test_the_same_of_this_version_is_a_fault(tmp_path):
    outbox = opened(FIRST, tmp_path)
    for stem in ("caged", "f-puzzles-link", "list", "simple-sudoku", "opensudoku"):
        outbox.edit(stem, version=OURS[0], build=OURS[1])
        assert outbox.finding(stem, **TERMS).verdict == "bad"


def swap(text: str) -> str:
    """The text with two values exchanged, so that a grid in it breaks no rule but the givens."""
    return text.translate(str.maketrans("12AB", "21BA"))


@pytest.mark.parametrize("version", [path.name for path in GOLDEN])
def test_a_wrong_answer_of_an_earlier_version_is_found(version, tmp_path):
    outbox = opened(version, tmp_path)
    for path in sorted(outbox.folder.glob("*.json")):
        stem = path.stem
        record, text = outbox.record(stem), path.read_text()
        for status in ("invalid", "unsolvable", "unique", "multiple", "solved"):
            if status != record["status"]:
                outbox.edit(stem, status=status)
                assert outbox.finding(stem, **TERMS).verdict == "bad", (stem, status)
                path.write_text(text)
        for name in (each["name"] for each in record["files"]):
            kept = outbox.path(name).read_bytes()
            if name.endswith(".solution"):
                outbox.change(name, stem, swap)
                assert outbox.finding(stem, **TERMS).verdict == "bad", name
                outbox.path(name).write_bytes(kept)
                path.write_text(text)
        if record.get("solutions"):
            last = outbox.path(f"{stem}_{record['solutions']}.solution")
            kept = last.read_bytes()
            outbox.leave_out(stem)
            assert outbox.finding(stem, **TERMS).verdict == "bad", stem
            last.write_bytes(kept)
            path.write_text(text)


def test_a_wrong_row_of_an_earlier_version_is_found(tmp_path):
    outbox = opened(FIRST, tmp_path)
    table = outbox.path("lines.csv").read_text()
    header, *rows = outbox.rows("lines.csv")
    for number, row in enumerate(rows, 1):
        lines = table.splitlines(keepends=True)
        outbox.write("lines.csv", "".join([*lines[:number], *lines[number + 1 :]]), "lines")
        assert outbox.finding("lines").verdict == "bad"
        outbox.write("lines.csv", table, "lines")
        for column in ("index", "line", "puzzle", "status", "solutions", "complete", "solution"):
            old = row[header.index(column)]
            for new in {"2", "unique", "false", "", swap(old)} - {old}:
                outbox.set_row("lines.csv", "lines", number, **{column: new})
                assert outbox.finding("lines").verdict == "bad", (number, column, new)
                outbox.write("lines.csv", table, "lines")
    outbox.leave_out_of_row("lines", 2)
    assert outbox.finding("lines").verdict == "bad"


def test_the_same_puzzle_may_be_written_otherwise_in_a_row(tmp_path):
    outbox = opened(FIRST, tmp_path)
    puzzle = outbox.rows("lines.csv")[1][2]
    outbox.set_row("lines.csv", "lines", 1, puzzle=puzzle.replace(".", "0"))
    finding = outbox.finding("lines")
    assert (finding.verdict, len(finding.notes)) == ("ok", 1)
    outbox.set_row("lines.csv", "lines", 1, puzzle=puzzle.replace("1", "2"))
    assert outbox.finding("lines").verdict == "bad"


def test_whoever_names_another_version_gets_no_wrong_answer_accepted(tmp_path):
    outbox = made(tmp_path, FILES)
    assert (outbox.record("one")["version"], outbox.record("one")["build"]) == OURS
    outbox.edit("one", version=THEIRS[0], build=THEIRS[1])
    outbox.certify("one", checker=f"sudoku-pipeline {THEIRS[0]}")
    assert outbox.problems("one") == ()
    outbox.write("one_1.solution", OTHER_GRID, "one")
    assert "one_1.solution: row 1, column 1 holds 4, given as 1" in outbox.problems("one")
    outbox.edit("two", build=THEIRS[1])
    outbox.leave_out("two")
    clauses = outbox.formula("two").clauses
    outbox.write_formula("two", *clauses)
    assert any("there is another solution" in each for each in outbox.problems("two"))


def test_what_the_answer_does_not_say_was_not_read_is_unchecked(tmp_path):
    prose = '{"size": 4, "grid": [[{"value": 1, "given": true}, {}, {}, {}], [{}, {}, {}, {}],\
 [{}, {}, {}, {}], [{}, {}, {}, {}]], "ruleset": "As usual, and more."}'
    outbox = made(tmp_path, {"prose.json": prose}, "--prove", "never")
    outbox.forget("prose", "unread")
    assert outbox.finding("prose").verdict == "bad"
    outbox.edit("prose", build=None)
    assert outbox.finding("prose").gaps == ("unread: the record does not mention 'ruleset'",)
