"""`status`, `retry`, `prune` and `doctor`."""

from __future__ import annotations

import json
import os
import re
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from support.claims import claimed
from support.commands import run
from support.drop_folders import SMALL, DropFolder

WRONG = "1...\n..2.\n.x3.\n...4\n"
REASON = "bad.txt:3:2: expected "
GONE = "bad.txt: failed/ contains no file with this name\n"


def call(box, command, *options):
    """Exit code, standard output and standard error of a command on a pair of folders."""
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    return run(*command.split(), *folders, *options)


def table_of(printed):
    """The table of `status`: title → value, and the lines below it."""
    table, title = {}, ""
    for line in printed.splitlines():
        if line.startswith("    "):
            table[title].append(line.strip())
        else:
            title, _, value = (part.strip() for part in line.rpartition("  "))
            table[title] = [value]
    return table


def status(box):
    """The JSON of `status`, and its exit code."""
    code, printed, _ = call(box, "status --json")
    return json.loads(printed), code


@pytest.fixture
def worked(box):
    """A pair after a pass over a good file and a bad one."""
    box.drop("good.txt")
    box.drop("bad.txt", WRONG)
    code, _, said = call(box, "run --log-format json")
    told = {e["source"]: e["status"] for e in map(json.loads, said.splitlines()) if "source" in e}
    assert (code, told) == (1, {"good.txt": "unique", "bad.txt": "invalid"})
    return box


def test_status_shows_a_table_and_the_same_as_json(worked):
    worked.drop("empty.txt", "")
    worked.drop("c.part")
    claimed(worked, "left.txt").close()
    code, printed, said = call(worked, "status")
    table = table_of(printed)
    assert (code, said) == (0, "")
    assert [*table] == [
        "waiting", "settling", "ignored", "in progress", "failed", "done", "last scan",
    ]  # fmt: skip
    assert (table["waiting"], table["done"]) == (["0"], ["1"])
    assert table["settling"] == ["1", "empty.txt: it is still empty"]
    assert table["ignored"] == ["1", "c.part: its name marks it as temporary"]
    assert table["failed"][0] == "1"
    assert table["failed"][1].startswith(REASON), "with the name once"
    assert table["last scan"][0].endswith(" s ago")
    told, code = status(worked)
    assert code == 0
    assert [*told] == [
        "waiting", "settling", "ignored", "in_work", "failed", "done", "scan_age", "stuck",
    ]  # fmt: skip
    (left,) = told["in_work"]
    assert (left["name"], "no process" in left["note"]) == ("left.txt", True)
    assert told["failed"][0]["note"].startswith(REASON)
    assert (told["done"], told["stuck"], 0 <= told["scan_age"] < 100) == (1, False, True)


def test_status_exits_with_1_while_files_wait_and_nobody_scans(box):
    box.drop("a.txt")
    told, code = status(box)
    assert (code, told["stuck"], told["scan_age"]) == (1, True, None)
    code, printed, said = call(box, "status")
    assert (code, table_of(printed)["last scan"]) == (1, ["never"])
    assert "sudoku-pipeline watch" in said
    assert list(box.inbox.iterdir()) == [box.inbox / "a.txt"], "nothing is made"
    call(box, "run --quiet")
    box.drop("a.txt")
    assert status(box)[1] == 0
    os.utime(box.folders.work / ".last-scan", (0, 0))
    assert status(box)[1] == 1
    call(box, "run --quiet")
    assert status(box)[1] == 0


def test_status_shows_twenty_of_many_and_names_without_terminal_escapes(box):
    for number in range(30):
        box.drop(f"\x1b[31m{number:02}.txt")
    printed = call(box, "status")[1]
    waiting = table_of(printed)["waiting"]
    assert (waiting[0], waiting[-1], len(waiting)) == ("30", "and 10 more", 22)
    assert waiting[1] == "\\x1b[31m00.txt"
    assert "\x1b" not in printed
    assert len(status(box)[0]["waiting"]) == 30


@pytest.mark.parametrize(
    "command", ["run", "watch", "status", "retry --all", "prune --older-than=1d"]
)
def test_a_missing_inbox_is_exit_code_1_and_is_not_made(tmp_path, command):
    box = DropFolder(tmp_path / "inbox", tmp_path / "outbox")
    code, printed, _ = call(box, command)
    assert (code, printed, box.inbox.exists()) == (1, "", False)


def test_retry_puts_a_failed_file_back_and_the_next_pass_replaces_its_record(worked):
    assert call(worked, "retry bad.txt") == (0, "bad.txt: moved to the inbox\n", "")
    assert (worked.waiting(), worked.kept("failed")) == ({"bad.txt"}, set())
    assert call(worked, "retry bad.txt") == (1, "", GONE)
    assert call(worked, "retry --all") == (0, "", "")
    (worked.inbox / "bad.txt").write_text(SMALL)
    assert call(worked, "run --quiet")[0] == 0
    assert worked.record("bad")["status"] == "unique"


def test_status_since_names_files_that_finished(worked):
    worked.drop("many.txt", "1...............\n1.....2..3.....4\n1.....2..3....x\n")
    worked.drop("two.txt", "1...\n....\n....\n...2\n")
    assert call(worked, "run --quiet --trust-solver --max-solutions 2")[0] == 1
    code, printed, said = call(worked, "status --since 12h")
    assert (code, said) == (0, "")
    before, _, recent = printed.partition("\n\n")
    assert before.splitlines()[-1].startswith("last scan")
    title, table = recent.split("\n", 1)
    assert re.match(r"since \d{4}-\d\d-\d\d \d\d:\d\d: 6 puzzles: ", title)
    shown = table_of(table)
    assert [*shown] == ["failed", "invalid", "unknown", "unverified", "done"]
    assert shown["done"][0] == "3"
    assert {*shown["done"][1:]} >= {"good.txt: unique", "two.txt: multiple: at least 2 solutions"}
    assert shown["invalid"][0] == "2"
    assert shown["invalid"][1] == "many.txt: 1 puzzle"
    assert shown["invalid"][2].startswith(REASON)
    told = json.loads(call(worked, "status --since 12h --json")[1])["recent"]
    assert [each["name"] for each in told["invalid"]] == ["many.txt", "bad.txt"]
    assert sum(told["totals"].values()) == 6
    assert datetime.fromisoformat(told["since"]) < datetime.now(UTC) - timedelta(hours=11)


def test_status_since_leaves_out_older_jobs_and_needs_no_outbox(worked):
    record = worked.outbox / "bad.json"
    os.utime(record, (0, 0))
    recent = json.loads(call(worked, "status --since 1h --json")[1])["recent"]
    assert (recent["invalid"], [each["name"] for each in recent["done"]]) == ([], ["good.txt"])
    written = record.read_text()
    finished = re.search(r'"finished": ?"([^"]+)"', written)[1]
    record.write_text(written.replace(finished, "2020-01-01T00:00:00.000Z"))
    recent = json.loads(call(worked, "status --since 1h --json")[1])["recent"]
    assert recent["invalid"] == []
    shutil.rmtree(worked.outbox)
    recent = json.loads(call(worked, "status --since 1h --json")[1])["recent"]
    assert (recent["totals"], recent["done"]) == ({}, [])
    code, printed, said = call(worked, "status --since yesterday")
    assert (code, printed) == (2, "")
    assert "--since: expected a number with its unit, as in 30d" in said


def test_status_since_escapes_what_a_foreign_record_says(worked):
    record = worked.outbox / "good.json"
    record.write_text(record.read_text().replace('"unique"', r'"\u001b[2J\n"'))
    code, printed, _ = call(worked, "status --since 1h")
    assert code == 0
    assert r"1 \x1b[2J\n" in printed
    assert "\x1b" not in printed


def test_retry_with_dry_run_moves_nothing(worked):
    assert call(worked, "retry --all --dry-run") == (
        0,
        "bad.txt: would be moved to the inbox\n",
        "",
    )
    assert worked.kept("failed") == {"bad.txt"}
    code, printed, said = call(worked, "retry bad.txt good.txt --dry-run --json")
    told = [json.loads(line) for line in printed.splitlines()]
    assert (code, said, [each["retried"] for each in told]) == (1, "", [False, False])
    assert [each["reason"] for each in told] == [None, "failed/ contains no file with this name"]
    worked.drop("bad.txt", "newer")
    code, printed, said = call(worked, "retry --all --dry-run")
    assert (code, printed) == (1, "")
    assert "the inbox already contains a file with this name" in said
    assert (worked.inbox / "bad.txt").read_text() == "newer"


def test_retry_with_dry_run_would_move_one_of_several_files_with_a_name(worked):
    worked.drop("bad.txt", WRONG)
    assert call(worked, "run --quiet")[0] == 1
    code, printed, said = call(worked, "retry bad.txt --dry-run")
    assert (code, printed, said.count("already contains")) == (
        1, "bad.txt: would be moved to the inbox\n", 1,
    )  # fmt: skip
    assert call(worked, "retry bad.txt")[:2] == (1, "bad.txt: moved to the inbox\n")


def test_the_error_for_a_missing_inbox_suggests_init(tmp_path):
    box = DropFolder(tmp_path / "inbox", tmp_path / "outbox")
    for command in ("run", "status", "retry --all"):
        assert "`sudoku-pipeline init` creates an inbox" in call(box, command)[2]


def test_retry_goes_on_after_a_file_that_did_not_fail(worked):
    printed, said = "bad.txt: moved to the inbox\n", GONE.replace("bad", "good")
    assert call(worked, "retry good.txt bad.txt") == (1, printed, said)
    assert worked.kept("done") == {"good.txt"}


def test_retry_never_hides_a_newer_file(worked):
    worked.drop("bad.txt", "newer")
    code, printed, said = call(worked, "retry --all")
    assert (code, printed) == (1, "")
    assert "the inbox already contains a file with this name" in said
    assert (worked.inbox / "bad.txt").read_text() == "newer"
    assert worked.kept("failed") == {"bad.txt"}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("retry", "sudoku-pipeline: give either names of failed files or --all\n"),
        ("retry bad.txt --all", "give either names of failed files or --all"),
        ("prune", "--older-than"),
        *((f"prune --older-than={age}", "30d") for age in ("", "30", "-1d", "1.5y", f"{10**12}d")),
    ],
)
def test_a_wrong_use_is_exit_code_2_and_changes_nothing(worked, command, said):
    code, printed, told = call(worked, command)
    assert (code, printed, said in told) == (2, "", True)
    assert (worked.kept("done"), worked.kept("failed")) == ({"good.txt"}, {"bad.txt"})


def test_prune_says_with_dry_run_what_it_would_delete_and_then_deletes_just_that(worked):
    before = worked.published()
    old = [worked.inbox / "done/good.txt", worked.outbox / "bad.log", worked.outbox / "good.log"]
    code, printed, _ = call(worked, "prune --older-than 0s --dry-run")
    assert (code, printed.splitlines()) == (0, [*map(str, old), "would delete 3 files"])
    assert all(path.exists() for path in old)
    assert call(worked, "prune --older-than 0s")[:2] == (0, "deleted 3 files\n")
    assert worked.published() == before - {"bad.log", "good.log"}
    assert (worked.kept("done"), worked.kept("failed")) == (set(), {"bad.txt"})
    worked.drop("good.txt")
    assert call(worked, "run --quiet")[0] == 0
    assert worked.published() == before - {"bad.log"}


def test_prune_deletes_dropped_folders_as_a_whole_and_the_logs_of_their_members(box, monkeypatch):
    monkeypatch.setattr("pipeline.service.protocol.settle.FOLDER_SECONDS", 0.01)
    (box.inbox / "set").mkdir()
    for name in ("a.txt", "b.txt"):
        (box.inbox / "set" / name).write_text(SMALL)
        os.utime(box.inbox / "set" / name, (0, 0))
    assert call(box, "run --quiet")[0] == 0
    assert call(box, "prune --older-than 1h")[1] == "deleted 0 files\n"
    old = [box.inbox / "done/set", box.outbox / "set.log"]
    old += [box.outbox / "set/a.log", box.outbox / "set/b.log"]
    dry = call(box, "prune --older-than 0s --dry-run")[1]
    assert dry.splitlines() == [*map(str, old), "would delete 4 files"]
    assert call(box, "prune --older-than 0s")[1] == "deleted 4 files\n"
    assert not any(path.exists() for path in old)
    assert {path.name for path in (box.outbox / "set").iterdir()} == {
        "a.json", "a_1.solution", "b.json", "b_1.solution",
    }  # fmt: skip


def test_prune_leaves_younger_files(worked):
    for age in ("2w", "1d", "1h", "10m", "1000s"):
        assert call(worked, f"prune --older-than {age}")[:2] == (0, "deleted 0 files\n")
    assert worked.kept("done") == {"good.txt"}


def test_doctor_shows_a_line_for_each_finding_and_the_same_as_json(box):
    box.outbox.mkdir()
    code, printed, _ = call(box, "doctor --solver pysat")
    told = [*map(json.loads, call(box, "doctor --solver pysat --json")[1].splitlines())]
    assert code == 0
    assert [line.split()[0] for line in printed.splitlines()] == [f["level"] for f in told]
    assert all(found.keys() == {"level", "about", "remedy"} for found in told)
    assert f"{box.inbox} is writable" in printed


def test_doctor_says_only_what_is_wrong_if_it_is_to_be_quiet(box):
    box.outbox.mkdir()
    loud = call(box, "doctor --solver pysat")[1].splitlines()
    code, printed, _ = call(box, "doctor --quiet --solver pysat")
    told = [line for line in loud if not line.startswith("ok ")]
    assert (code, printed.splitlines()) == (0, told)
    assert len(told) < len(loud)
    box.outbox.rmdir()
    code, printed, _ = call(box, "doctor --quiet --solver pysat")
    assert (code, "outbox: no such folder" in printed) == (1, True)


def test_doctor_warns_of_a_missing_minisat_and_exits_with_1_for_what_will_not_work(
    box, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    box.outbox.mkdir()
    code, printed, _ = call(box, "doctor")
    assert code == 0
    assert printed.startswith("warning  minisat is not installed: PySAT is used instead;")
    away = DropFolder(tmp_path / "no inbox", tmp_path / "no \x1b[31m outbox")
    for options in ([], ["--json"]):
        code, printed, _ = call(away, "doctor --solver minisat", *options)
        assert (code, "\x1b" in printed) == (1, False)
        for words in (
            "minisat is not installed",
            "inbox: no such folder",
            "outbox: no such folder",
        ):
            assert words in printed
    assert not away.inbox.exists()
