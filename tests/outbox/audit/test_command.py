"""The command `audit`: what it prints, and what it exits with."""

from __future__ import annotations

import json

from support.commands import run
from support.outboxes import ONE, call
from support.puzzles import TWO

FILES = {"one.txt": ONE, "two.txt": TWO}


def test_every_job_has_a_line(outbox):
    assert call(outbox) == (
        0,
        (
            "ok         one  unique, proved\n"
            "ok         two  multiple, proved\n"
            "2 jobs: 2 ok, 0 unchecked, 0 bad\n"
        ),
        "",
    )
    assert call(outbox, "--quiet") == (0, "", "")


def test_all_that_is_wrong_is_told(outbox):
    (outbox.folder / "one_1.solution").unlink()
    outbox.edit("one", bytes=7)
    assert call(outbox) == (
        1,
        (
            "BAD        one  one_1.solution is listed, but missing\n"
            "    7 bytes in the record, the original has 20\n"
            "    one.proof.cnf: cannot be recomputed: 1 solution cannot be read\n"
            "ok         two  multiple, proved\n"
            "2 jobs: 1 ok, 0 unchecked, 1 bad\n"
        ),
        "",
    )
    assert "one" in call(outbox, "--quiet")[1]


def test_json_has_an_object_a_line(outbox):
    outbox.original("two.txt").unlink()
    code, printed, said = call(outbox, "--json")
    assert (code, said) == (1, "2 jobs: 1 ok, 1 unchecked, 0 bad\n")
    one, two = map(json.loads, printed.splitlines())
    assert one == {
        "name": "one",
        "claim": "unique, proved",
        "problems": [],
        "gaps": [],
        "notes": [],
        "verdict": "ok",
    }
    assert two["verdict"] == "unchecked"
    missing = "its original 'two.txt' was not found, so nothing was compared"
    assert two["gaps"] == [
        f"{missing}; give its folder with --originals, or the inbox with --inbox"
    ]


def test_originals_are_found_beside_the_outbox_or_it_is_said_how_to_name_them(
    outbox, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert run("audit", str(outbox.folder))[::2] == (0, "")
    (tmp_path / "other/inbox/done").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "other")
    assert run("audit", str(outbox.folder))[::2] == (0, ""), "the inbox here is another one"
    monkeypatch.chdir(tmp_path)
    outbox.box.inbox.rename(tmp_path / "away")
    code, _, said = run("audit", str(outbox.folder))
    remedy = (
        "no such folder of originals; name the inbox with --inbox, or the folder with --originals"
    )
    assert (code, said) == (1, f"inbox/done: {remedy}\n")
    assert run("audit", str(outbox.folder), "--inbox", "away")[::2] == (0, "")


def test_an_inbox_beside_the_outbox_has_its_originals_rather_than_another_one_here(
    outbox, tmp_path, monkeypatch
):
    (tmp_path / "here" / "inbox" / "done").mkdir(parents=True)
    (tmp_path / "here" / "inbox" / "done" / "other.txt").write_text(TWO)
    monkeypatch.chdir(tmp_path / "here")
    assert run("audit", str(outbox.folder))[::2] == (0, "")
    outbox.box.inbox.rename(tmp_path / "in")
    code, printed, _ = run("audit", str(outbox.folder))
    assert (code, "one.txt' was not found" in printed) == (1, True)
    assert run("audit", str(outbox.folder), "--inbox", "../in")[::2] == (0, "")


def test_originals_may_lie_elsewhere(outbox, tmp_path):
    elsewhere = (outbox.box.inbox / "done").rename(tmp_path / "kept")
    assert call(outbox)[0] == 1
    assert call(outbox, "--originals", str(elsewhere))[0] == 0
    (tmp_path / "empty").mkdir()
    assert (
        call(outbox, "--originals", str(tmp_path / "empty"), "--originals", str(elsewhere))[0] == 0
    )
    code, _, said = call(outbox, "--originals", str(tmp_path / "none"))
    assert (code, said.endswith("none: no such folder; name an existing folder\n")) == (2, True)


def test_an_empty_outbox_is_well_and_a_missing_one_is_not(outbox):
    for path in (*outbox.folder.iterdir(), *(outbox.box.inbox / "done").iterdir()):
        path.unlink()
    for path in (outbox.box.inbox / "failed").iterdir():
        path.unlink()
    assert call(outbox) == (0, "0 jobs: 0 ok, 0 unchecked, 0 bad\n", "")
    (outbox.folder).rmdir()
    code, _, said = call(outbox)
    assert (code, said.endswith("/outbox: no such folder; name another folder\n")) == (1, True)
    outbox.folder.write_text("a file")
    assert call(outbox)[0] == 1


def test_nothing_is_printed_that_a_terminal_would_obey(outbox):
    outbox.edit("one", source="\x1b[31m.txt", message="\x1b[31m")
    assert "\x1b" not in call(outbox)[1]
    (outbox.folder / "\x1b[1m_1.solution").write_text("1")
    assert "\x1b" not in call(outbox)[1]
    (outbox.folder / "line\nbreak_1.solution").write_text("1")
    assert "BAD        line\\nbreak_1.solution  line\\nbreak_1.solution is not" in call(outbox)[1]
    (outbox.folder / "\udcff.json").write_text("1")
    assert "\\udcff.json: it is not a record" in call(outbox)[1]


def test_the_timeout_is_for_one_proof(outbox):
    outbox.write("one.txt", "x", "one")
    code, printed, _ = call(outbox, "--timeout", "0.001")
    assert (code, "BAD        one  one.txt is listed, but is not" in printed) == (1, True)
