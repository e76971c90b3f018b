"""`status`, `retry`, `prune` and `doctor`, the real commands."""

from __future__ import annotations

import json
import os

import pytest
from support.claiming import claimed
from support.dropping import NO_PATH, SMALL, DropFolder

WRONG = "1...\n..2.\n.x3.\n...4\n"
REASON = "bad.txt:3:2: expected "


@pytest.fixture
def box(tmp_path):
    return DropFolder.within(tmp_path)


@pytest.fixture
def worked(box):
    """A pair after a pass over a good file and a bad one."""
    box.drop("good.txt")
    box.drop("bad.txt", WRONG)
    assert box.run().returncode == 1
    return box


def rows(done):
    """The table of `status`: title → value, and what is listed below it."""
    table, title = {}, ""
    for line in done.stdout.splitlines():
        if line.startswith("    "):
            table[title].append(line.strip())
        else:
            title, _, value = line.rpartition("  ")
            title = title.strip()
            table[title] = [value.strip()]
    return table


def status(box):
    """What `status --json` says, and its exit code."""
    done = box.call("status", "--json")
    return json.loads(done.stdout), done.returncode


def test_status_shows_a_table_of_what_is_where(worked):
    worked.drop("empty.txt", "")
    worked.drop("c.part")
    done = worked.call("status")
    table = rows(done)
    assert list(table) == [
        "waiting", "settling", "ignored", "in work", "failed", "done", "last scan",
    ]  # fmt: skip
    assert (table["waiting"], table["in work"], table["done"]) == (["0"], ["0"], ["1"])
    assert table["settling"] == ["1", "empty.txt: it is still empty"]
    assert table["ignored"] == ["1", "c.part: a temporary name"]
    assert table["failed"][0] == "1"
    assert table["failed"][1].startswith(REASON), "with the name once"
    assert table["last scan"][0].endswith(" s ago")
    assert (done.returncode, done.stderr) == (0, "")


def test_status_as_json_says_the_same(worked):
    claimed(worked, "left.txt").close()
    told, code = status(worked)
    assert code == 0
    assert told.keys() == {
        "waiting", "settling", "ignored", "in_work", "failed", "done", "scan_age", "stuck",
    }  # fmt: skip
    assert [(entry["name"], entry["note"]) for entry in told["in_work"]] == [
        ("left.txt", "abandoned; the next scan takes it up")
    ]
    assert told["failed"][0]["note"].startswith(REASON)
    assert (told["done"], told["stuck"]) == (1, False)
    assert 0 <= told["scan_age"] < 100


def test_status_exits_with_1_when_files_wait_and_nobody_has_ever_scanned(box):
    box.drop("a.txt")
    told, code = status(box)
    assert (code, told["stuck"], told["scan_age"]) == (1, True, None)
    done = box.call("status")
    assert done.returncode == 1
    assert rows(done)["last scan"] == ["never"]
    assert "sudoku-pipeline watch" in done.stderr
    assert list(box.inbox.iterdir()) == [box.inbox / "a.txt"], "nothing is made"


def test_status_exits_with_1_when_the_last_scan_is_long_ago_and_with_0_after_the_next(worked):
    worked.drop("a.txt")
    assert status(worked)[1] == 0
    os.utime(worked.folders.work / ".last-scan", (0, 0))
    assert status(worked)[1] == 1
    worked.run()
    assert status(worked)[1] == 0


def test_status_shows_twenty_of_many_and_names_without_terminal_escapes(box):
    for number in range(30):
        box.drop(f"\x1b[31m{number:02}.txt")
    done = box.call("status")
    waiting = rows(done)["waiting"]
    assert (waiting[0], waiting[-1], len(waiting)) == ("30", "and 10 more", 22)
    assert "\x1b" not in done.stdout
    assert waiting[1] == "\\x1b[31m00.txt"
    assert len(json.loads(box.call("status", "--json").stdout)["waiting"]) == 30


@pytest.mark.parametrize("command", [["status"], ["retry", "--all"], ["prune", "--older-than=1d"]])
def test_a_missing_inbox_is_exit_code_75_and_is_not_made(tmp_path, command):
    box = DropFolder(tmp_path / "inbox", tmp_path / "outbox")
    done = box.call(*command)
    assert (done.returncode, done.stdout) == (75, "")
    assert "no such folder" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_retry_puts_a_failed_file_back_and_the_next_pass_replaces_its_record(worked):
    done = worked.call("retry", "bad.txt")
    assert (done.returncode, done.stdout) == (0, "bad.txt: back in the inbox\n")
    assert (worked.waiting(), worked.kept("failed")) == ({"bad.txt"}, set())
    (worked.inbox / "bad.txt").write_text(SMALL)
    assert worked.run().returncode == 0
    assert worked.record("bad")["status"] == "unique"


def test_retry_of_what_did_not_fail_is_exit_code_1_and_of_the_others_goes_on(worked):
    done = worked.call("retry", "good.txt", "bad.txt")
    assert done.returncode == 1
    assert done.stdout == "bad.txt: back in the inbox\n"
    assert done.stderr.startswith("good.txt: it is not in failed/")
    assert worked.kept("done") == {"good.txt"}


def test_retry_never_hides_a_newer_file(worked):
    worked.drop("bad.txt", "newer")
    done = worked.call("retry", "--all")
    assert (done.returncode, done.stdout) == (1, "")
    assert "another of its name is in the inbox" in done.stderr
    assert (worked.inbox / "bad.txt").read_text() == "newer"
    assert worked.kept("failed") == {"bad.txt"}


def test_retry_of_all_when_nothing_failed_is_well(box):
    box.drop("a.txt")
    box.run()
    done = box.call("retry", "--all")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("arguments", [[], ["bad.txt", "--all"]])
def test_retry_wants_either_names_or_all(box, arguments):
    (box.inbox / "failed").mkdir()
    (box.inbox / "failed/bad.txt").touch()
    done = box.call("retry", *arguments)
    assert done.returncode == 2
    assert "give either names or --all" in done.stderr
    assert box.kept("failed") == {"bad.txt"}


def test_prune_says_with_dry_run_what_it_would_delete_and_then_deletes_just_that(worked):
    before = worked.published()
    old = [worked.inbox / "done/good.txt", worked.outbox / "bad.log", worked.outbox / "good.log"]
    dry = worked.call("prune", "--older-than", "0s", "--dry-run")
    assert dry.stdout.splitlines() == [*map(str, old), "would delete 3 files"]
    assert all(path.exists() for path in old)
    done = worked.call("prune", "--older-than", "0s")
    assert (done.returncode, dry.returncode) == (0, 0)
    assert done.stdout == "deleted 3 files\n"
    assert worked.published() == before - {"bad.log", "good.log"}
    assert (worked.kept("done"), worked.kept("failed")) == (set(), {"bad.txt"})
    worked.drop("good.txt")
    assert worked.run().returncode == 0
    assert worked.published() == before - {"bad.log"}


def test_prune_deletes_dropped_folders_as_a_whole_and_the_logs_of_their_members(box):
    (box.inbox / "set").mkdir()
    for name in ("a.txt", "b.txt"):
        (box.inbox / "set" / name).write_text(SMALL)
        os.utime(box.inbox / "set" / name, (0, 0))
    assert box.run().returncode == 0
    assert box.call("prune", "--older-than", "1h").stdout == "deleted 0 files\n"
    old = [box.inbox / "done/set", box.outbox / "set.log"]
    old += [box.outbox / "set/a.log", box.outbox / "set/b.log"]
    dry = box.call("prune", "--older-than", "0s", "--dry-run")
    assert dry.stdout.splitlines() == [*map(str, old), "would delete 4 files"]
    assert all(path.exists() for path in old)
    assert box.call("prune", "--older-than", "0s").stdout == "deleted 4 files\n"
    assert not any(path.exists() for path in old)
    assert {path.name for path in (box.outbox / "set").iterdir()} == {
        "a.json", "a_1.solution", "b.json", "b_1.solution",
    }  # fmt: skip


@pytest.fixture
def finished(box):
    """A pair with an original in `done`."""
    (box.inbox / "done").mkdir()
    (box.inbox / "done/good.txt").touch()
    return box


@pytest.mark.parametrize("age", ["2w", "1d", "1h", "10m", "1000s"])
def test_prune_leaves_what_is_younger(finished, age):
    done = finished.call("prune", "--older-than", age)
    assert (done.returncode, done.stdout) == (0, "deleted 0 files\n")
    assert finished.kept("done") == {"good.txt"}


@pytest.mark.parametrize("age", ["", "30", "-1d", "1.5d", "1" * 9 + "d"])
def test_prune_refuses_an_age_that_is_none(finished, age):
    done = finished.call("prune", f"--older-than={age}")
    assert done.returncode == 2
    assert "30d" in done.stderr
    assert finished.kept("done") == {"good.txt"}


def test_prune_wants_an_age(finished):
    done = finished.call("prune")
    assert done.returncode == 2
    assert "--older-than" in done.stderr
    assert finished.kept("done") == {"good.txt"}


def test_doctor_shows_a_line_for_each_finding_and_the_same_as_json(box):
    box.outbox.mkdir()
    done = box.call("doctor", "--solver", "pysat")
    told = json.loads(box.call("doctor", "--solver", "pysat", "--json").stdout)
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [f["level"] for f in told]
    assert all(found.keys() == {"level", "about", "remedy"} for found in told)
    assert f"{box.inbox} may be written in" in done.stdout


def test_doctor_without_minisat_warns_and_exits_with_0(box):
    box.outbox.mkdir()
    done = box.call("doctor", **NO_PATH)
    assert done.returncode == 0
    assert done.stdout.startswith("warning  minisat is not installed: PySAT is used instead;")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_doctor_exits_with_1_when_something_will_not_work(tmp_path, options):
    box = DropFolder(tmp_path / "inbox", tmp_path / "outbox")
    done = box.call("doctor", "--solver", "minisat", *options, **NO_PATH)
    assert done.returncode == 1
    for words in ("minisat is not installed", "inbox is missing", "outbox is missing"):
        assert words in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_doctor_shows_names_without_terminal_escapes(tmp_path):
    box = DropFolder.within(tmp_path / "\x1b[31m")
    assert "\x1b" not in box.call("doctor", "--solver", "pysat").stdout
