"""Text around grids: its title is published, and every answer says which text was not read."""

from __future__ import annotations

import csv
import io
import json
from types import SimpleNamespace

import pytest
from msgspec.structs import astuple
from support.drop_folders import SMALL, DropFolder, events_in, finished
from support.outboxes import Outbox, copied
from support.sheets import SheetText

from pipeline.outbox.tables import PuzzleRow, read_rows

RULE = "The two diagonals hold each value once."
TEXT = f"line 6: '{RULE}'"
SAID = f"unique by the rules that were read; not read: {TEXT}"
ONE = f"{SMALL}\n{RULE}\n"
OTHER = "1...\n....\n....\n...4\n"
STACKED = f"Grid 1\n{SMALL}Cages, see below\n{SMALL}Grid 3, last\n{SMALL}\n{RULE}\n"
COLUMN = "column 'rules': 'diagonal'"
LINE = SMALL.replace("\n", "")
TABLE = f"puzzle,rules\n{LINE},diagonal\n{LINE},classic\n{LINE},diagonal\n"
COUNTED = {"'Cages, see below'": 1, f"'{RULE}'": 1}


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    box = DropFolder.within(tmp_path_factory.mktemp("around"))
    box.drop("one.txt", ONE)
    box.drop("titled.txt", f"Killer Sudoku no. 4\n\n{SMALL}\nAuthor: Ann\n")
    box.drop("stacked.txt", STACKED)
    box.drop("table.csv", TABLE)
    (box.inbox / "folder").mkdir()
    (box.inbox / "folder" / "one.txt").write_text(ONE)
    (box.inbox / "folder" / "table.csv").write_text(TABLE)
    run = box.run("--report")
    assert run.returncode == 0, run.stderr
    return SimpleNamespace(box=box, out=box.outbox, done=box.inbox / "done", run=run)


def test_the_record_of_a_puzzle_has_its_title_and_what_was_not_read(solved):
    one, titled = solved.box.record("one"), solved.box.record("titled")
    assert (one["status"], one["unread"], one["message"]) == ("unique", [TEXT], SAID)
    assert "title" not in one
    assert titled["title"] == "Killer Sudoku no. 4; Author: Ann"
    assert (titled["message"], "unread" in titled) == (None, False)


def test_the_record_of_many_puzzles_counts_what_was_not_read(solved):
    assert solved.box.record("stacked")["unread"] == COUNTED
    assert solved.box.record("table")["unread"] == {COLUMN: 2}
    assert solved.box.record("folder")["unread"] == {f"'{RULE}'": 1, COLUMN: 2}
    assert json.loads((solved.out / "folder" / "table.json").read_text())["unread"] == {COLUMN: 2}


def test_the_log_says_it_once_for_a_file(solved):
    told = [e for e in events_in(solved.run.stderr) if e["event"] == "source.unread"]
    column = f"{COLUMN} (2 puzzles)"
    assert {each["source"]: each["reason"] for each in told} == {
        "one.txt": SAID,
        "stacked.txt": f"not read: 'Cages, see below' (1 puzzle), '{RULE}' (1 puzzle)",
        "table.csv": f"not read: {column}",
        "folder": f"not read: '{RULE}' (1 puzzle), {column}",
    }
    assert len(told) == 4
    ended = {e["source"]: e for e in events_in(solved.run.stderr) if e["event"] == "job.finished"}
    assert ended["stacked.txt"]["unread"] == COUNTED
    assert "unread" not in ended["titled.txt"]


def test_the_rows_of_a_table_have_titles_and_say_what_was_not_read(solved):
    rows = [*csv.DictReader(io.StringIO(solved.box.text("stacked.csv")))]
    assert [row["title"] for row in rows] == ["Grid 1", "Cages, see below", "Grid 3, last"]
    unread = "unique by the rules that were read; not read: {}".format
    texts = ["", unread("line 6: 'Cages, see below'"), unread(f"line 17: '{RULE}'")]
    assert [row["message"] for row in rows] == texts
    rows = csv.DictReader(io.StringIO(solved.box.text("table.csv")))
    assert [row["message"] for row in rows] == [unread(COLUMN), "", unread(COLUMN)]


def test_the_report_says_it(solved):
    page = solved.box.text("report.html").replace("&#39;", "'")
    for said in (SAID, f"not read: {COLUMN} (2 puzzles)", f"'{RULE}' (1 puzzle)"):
        assert said in page


def test_an_audit_finds_what_is_not_told(solved, tmp_path):
    outbox = copied(Outbox(solved.box), tmp_path)
    assert {each.verdict for each in outbox.findings().values()} == {"ok"}
    outbox.forget("one", "unread")
    outbox.edit("titled", title="Another")
    outbox.edit("table", unread={COLUMN: 1})
    outbox.set_row("stacked.csv", "stacked", 2, message="")
    outbox.set_row("stacked.csv", "stacked", 1, title="")
    found = outbox.findings()
    for stem, said in (
        ("one", "unread: the record says ()"),
        ("titled", "title: the record says Another"),
        ("table", "unread: the record says {"),
        ("stacked", "row 2: the message lacks: unique by the rules"),
        ("stacked", "row 1: the title is '' in the table, 'Grid 1' in the original"),
    ):
        assert any(said in each for each in found[stem].problems), (stem, found[stem])


def test_a_table_of_an_earlier_version_has_no_titles(solved, tmp_path):
    outbox = copied(Outbox(solved.box), tmp_path)
    rows = [row[:-1] for row in outbox.rows("stacked.csv")]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    outbox.write("stacked.csv", text.getvalue(), "stacked")
    assert "the first line is not" in outbox.problems("stacked")[0]
    outbox.edit("stacked", version="0.0.1")
    assert outbox.finding("stacked").verdict == "ok"
    read = [*read_rows(outbox.path("stacked.csv"), PuzzleRow)]
    assert [[*astuple(row)] for row in read] == [[*row, ""] for row in rows[1:]]


def test_solve_and_count_say_it(solved):
    one, table = solved.done / "one.txt", solved.done / "table.csv"
    for command in ("solve", "count"):
        assert f"one.txt: {SAID}\n" in finished(command, "--quiet", one).stderr
        many = finished(command, "--quiet", table)
        assert many.returncode == 0
        assert many.stderr == f"{table}: not read: {COLUMN} (2 puzzles)\n"
    record = json.loads(finished("solve", "--json", one).stdout)
    assert (record["unread"], record["message"]) == ([TEXT], SAID)


def test_solve_says_it_once_for_the_files_of_a_table(solved, tmp_path):
    target = tmp_path / "t.csv"
    one, table, titled = (solved.done / name for name in ("one.txt", "table.csv", "titled.txt"))
    made = finished("solve", "--quiet", "--table", target, one, table, titled)
    assert made.stderr.splitlines() == [
        f"{one}: not read: '{RULE}' (1 puzzle)",
        f"{table}: not read: {COLUMN} (2 puzzles)",
    ]
    rows = [*csv.DictReader(io.StringIO(target.read_text()))]
    assert [row["title"] for row in rows] == [*[""] * 4, "Killer Sudoku no. 4; Author: Ann"]
    assert rows[0]["message"] == SAID


def test_convert_says_it_once_and_keeps_the_title(solved, tmp_path):
    titled, one, table = (solved.done / name for name in ("titled.txt", "one.txt", "table.csv"))
    made = finished("convert", "--to", "lines", one, table)
    assert made.stdout.splitlines() == [LINE] * 4
    assert made.stderr.splitlines() == [
        f"{one}: not converted: '{RULE}' (1 puzzle)",
        f"{table}: not converted: {COLUMN} (2 puzzles)",
    ]
    document = json.loads(finished("convert", "--to", "f-puzzles", titled).stdout)
    assert document["title"] == "Killer Sudoku no. 4; Author: Ann"


@pytest.mark.parametrize("published", [True, False])
def test_a_sheet_has_the_title_and_what_was_not_read(solved, published):
    names = ("one.json", "titled.json") if published else ("one.txt", "titled.txt")
    where = solved.out if published else solved.done
    inbox = ("--inbox", solved.box.inbox)
    found = SheetText(
        finished("sheet", "-o", "-", *inbox, *[where / name for name in names]).stdout
    )
    assert [each.name for each in found.puzzles][1] == "Killer Sudoku no. 4; Author: Ann"
    assert [each.note for each in found.puzzles] == [f"Not read: {TEXT}.", ""]
    assert [each.note for each in found.solutions] == [f"{SAID[0].upper()}{SAID[1:]}.", ""]
