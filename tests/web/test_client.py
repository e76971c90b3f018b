"""The names that dropped files get, whatever they are called elsewhere."""

from __future__ import annotations

import os
import re

import pytest
from support.cases import for_each

from pipeline.errors import InputError
from pipeline.files import is_file_name, is_ignored
from pipeline.settings import Settings
from pipeline.web.client import Client, queue, safe_name

SMALL = b"1...\n..2.\n.3..\n...4\n"


@for_each(
    ("told", "name"),
    [
        ("a.txt", "a.txt"),
        ("Rätsel 数独 (1).txt", "Rätsel 数独 (1).txt"),
        ("../../etc/passwd", "passwd"),
        ("C:\\puzzles\\a.txt", "a.txt"),
        ("a/b/", "puzzle.txt"),
        ("..", "puzzle.txt"),
        ("", "puzzle.txt"),
        (".hidden", "hidden"),
        (".work", "work"),
        ("~$a.txt", "_a.txt"),
        ("done", "done.txt"),
        ("Failed", "Failed.txt"),
        ("a.tmp", "a.tmp.txt"),
        ("Thumbs.db", "Thumbs.db.txt"),
        ("4913", "4913.txt"),
        ("<b>&\"'.txt", "_b____.txt"),
        ("a\nb\0c\x1b[1m.txt", "a_b_c__1m.txt"),
        ("e\u0301.txt", "é.txt"),
    ],
)
def test_a_name_is_made_harmless(told, name):
    assert safe_name(told) == name


@pytest.mark.parametrize("told", ["x" * 5000 + ".txt", "数" * 300, "." * 300, "/" * 300])
def test_any_name_is_one_that_the_inbox_takes(told):
    name = safe_name(told)
    assert is_file_name(name)
    assert not is_ignored(name)
    assert len(name.encode()) <= 110


@pytest.fixture
def client(box):
    box.folders.prepare()
    return Client(box.folders, Settings(max_bytes=100))


def placed(client, name, data=SMALL):
    with client.new_upload() as file:
        client.add(file, data)
        return client.place(file, name)


def test_a_file_appears_in_the_inbox_whole_and_nothing_else_does(client, box):
    with client.new_upload() as file:
        client.add(file, SMALL[:7])
        assert all(name.startswith(".") for name in box.waiting())
        client.add(file, SMALL[7:])
        assert client.place(file, "a.txt") == "a.txt"
    assert box.waiting() == {"a.txt"}
    assert (box.inbox / "a.txt").read_bytes() == SMALL


@pytest.mark.parametrize("place", ["inbox", "inbox/done", "inbox/failed"])
def test_a_name_that_is_there_is_not_used_again(client, box, place):
    (box.inbox.parent / place / "a.txt").write_text("another")
    assert placed(client, "a.txt") == "a-2.txt"
    assert placed(client, "a.txt") == "a-3.txt"
    assert (box.inbox.parent / place / "a.txt").read_text() == "another"


def test_pastes_are_named_by_the_time_so_that_their_names_are_new_and_sorted(client, box):
    names = [placed(client, "") for _ in range(50)]
    assert names == sorted({*names})
    assert all(re.fullmatch(r"pasted-\d{8}-\d{6}-\d{6}\.txt", name) for name in names)
    assert box.waiting() == {*names}


def test_many_files_of_one_name_are_taken_without_trying_all_their_numbers(client, box):
    taken = ["a.txt", *(f"a-{number}.txt" for number in range(2, 31))]
    for name in taken:
        (box.inbox / name).touch()
    assert re.fullmatch(r"a-\d{8}-\d{6}-\d{6}\.txt", placed(client, "a.txt"))


def test_the_name_of_a_published_result_is_not_used_again(client, box):
    box.drop("a.txt")
    assert box.run("--settle", "0").returncode == 0
    assert box.call("prune", "--older-than", "0s").returncode == 0
    assert box.kept("done") == set()
    assert placed(client, "a.txt") == "a-2.txt"


def test_nothing_is_left_of_what_is_too_large_empty_or_broken_off(client, box):
    for data, why in ((SMALL * 10, "larger than 100"), (b"", "the file is empty")):
        with pytest.raises(InputError, match=why):
            placed(client, "a.txt", data)
    with client.new_upload() as file:
        client.add(file, SMALL)  # and is not placed
    assert box.waiting() == set()
    assert client.recent_files() == []


@for_each(
    ("text", "line"),
    [("1..x\n....\n....\n....\n", 1), ("  \n", None), ("", "fine"), (" " * 70_000, "fine")],
)
def test_a_small_pasted_text_is_checked_before_it_is_placed(box, text, line):
    box.folders.prepare()
    client = Client(box.folders, Settings())
    with client.new_upload() as file:
        client.add(file, text.encode())
        error = client.paste_error(file)
        assert (error.line if error else "fine") == line
        assert not text or (box.inbox / client.place(file, "")).read_text() == text


def test_the_queue_names_a_few_files_of_each_state(box):
    box.folders.prepare()
    for number in range(7):
        box.drop(f"{number}.txt")
    (box.folders.failed / "bad\n.txt").touch()
    found = queue(box.folders, 0.0)
    assert found["waiting"]["count"] == 7
    assert len(found["waiting"]["files"]) == 5
    reason = "its record is missing, so the reason is unknown"
    assert found["failed"]["files"] == [{"name": "bad\\n.txt", "note": reason}]
    assert found["done"] == 0


def test_what_a_killed_one_left_is_removed_when_it_is_old(box):
    box.folders.prepare()
    old, young, others = (
        box.inbox / f".{name}.tmp" for name in ("incoming-00000000", "incoming-11111111", "mine")
    )
    for path in (old, young, others):
        path.write_text("x")
    os.utime(old, (0, 0))
    os.utime(others, (0, 0))
    Client(box.folders, Settings())
    assert box.waiting() == {young.name, others.name}


def test_the_places_of_a_file_are_told_one_after_the_other(client, box):
    name = placed(client, "<i>.txt")
    assert name == "_i_.txt"
    (told,) = client.recent_files()
    assert (told.state, told.is_done) == ("waiting in the inbox", False)
    assert box.run("--settle", "0").returncode == 0
    (told,) = client.recent_files()
    assert (told.state, told.is_done) == ("unique", True)
    assert "<svg" in told.html
    assert client.recent_files() == [told]
    gone = placed(client, "gone.txt")
    (box.inbox / gone).unlink()
    assert client.recent_files()[0].state == "removed from the inbox"


def test_the_last_twenty_are_remembered(client):
    names = [placed(client, f"{number}.txt") for number in range(25)]
    assert [each.name for each in client.recent_files()] == names[:4:-1]
