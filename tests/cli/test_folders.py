"""The commands on the folders, in this process: what they print and exit with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import run
from support.dropping import SMALL, DropFolder


@pytest.fixture
def box(tmp_path: Path) -> DropFolder:
    return DropFolder.within(tmp_path)


def folders(box: DropFolder) -> tuple[str, ...]:
    return ("--inbox", str(box.inbox), "--outbox", str(box.outbox))


def test_a_day_in_the_life_of_an_inbox(box: DropFolder) -> None:
    box.drop("good.txt", SMALL)
    box.drop("bad.txt", "hello\n")
    code, printed, said = run("status", *folders(box))
    assert (code, "waiting          2" in printed, "nothing scans" in said) == (1, True, True)
    code, _, said = run("run", "--log-format", "json", *folders(box))
    assert code == 1
    statuses = {
        e["source"]: e["status"] for e in map(json.loads, said.splitlines()) if "source" in e
    }
    assert statuses == {"good.txt": "unique", "bad.txt": "invalid"}
    code, printed, _ = run("status", "--json", *folders(box))
    told = json.loads(printed)
    assert (code, told["done"], told["stuck"]) == (0, 1, False)
    assert told["failed"][0]["note"].startswith("bad.txt:1:1: expected")
    assert run("retry", "bad.txt", *folders(box)) == (0, "bad.txt: back in the inbox\n", "")
    code, _, said = run("retry", "bad.txt", *folders(box))
    assert (code, said) == (1, "bad.txt: it is not in failed/\n")
    code, printed, _ = run("prune", "--older-than", "0s", "--dry-run", *folders(box))
    assert (code, printed.splitlines()[-1]) == (0, "would delete 3 files")
    assert run("prune", "--older-than", "0s", *folders(box))[1] == "deleted 3 files\n"
    assert box.kept("done") == set()


def test_many_files_are_told_by_number(box: DropFolder) -> None:
    for number in range(30):
        box.drop(f"{number:02}.txt")
    _, printed, _ = run("status", *folders(box))
    assert "    19.txt\n    and 10 more\n" in printed


def test_doctor_tells_what_it_found(box: DropFolder) -> None:
    box.outbox.mkdir()
    code, printed, _ = run("doctor", *folders(box))
    assert code == 0
    assert "pysat" in printed
    findings = json.loads(run("doctor", "--json", *folders(box))[1])
    assert {finding["level"] for finding in findings} <= {"ok", "warning"}
    assert run("doctor", "--inbox", str(box.inbox / "none"), "--outbox", str(box.outbox))[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [("retry",), ("retry", "a", "--all"), ("prune", "--older-than", "soon"), ("prune",)],
)
def test_wrong_usage_is_exit_code_2(arguments: tuple[str, ...], box: DropFolder) -> None:
    assert run(*arguments, *folders(box))[0] == 2
    assert run("run", "--timeout", "-1", *folders(box))[0] == 2


@pytest.mark.parametrize("command", ["run", "watch", "status", "retry --all"])
def test_a_missing_inbox_is_exit_code_75(command: str, box: DropFolder) -> None:
    nowhere = ("--inbox", str(box.inbox / "none"), "--outbox", str(box.outbox))
    assert run(*command.split(), *nowhere)[0] == 75
