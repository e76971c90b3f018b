"""Records in an outbox that anybody may have put there: read whole, or no records at all."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import run
from support.drop_folders import OTHER, SMALL, SMALL_SOLVED, DropFolder, record_text

from pipeline.outbox import NoRecord, file_names, load_record, read_record
from pipeline.service.log import LazyLog
from pipeline.service.loop import watch
from pipeline.settings import Settings

Plant = Callable[[Path], object]


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 2**20)


def saying(**fields: object) -> Plant:
    return lambda path: path.write_text(record_text(f"{path.stem}.txt", **fields))


def holding(value: str, times: int) -> Plant:
    head = f'{{"more": [{f"{value}," * times}0], '
    return lambda path: path.write_text(record_text(f"{path.stem}.txt").replace("{", head, 1))


def bytes_of(data: bytes) -> Plant:
    return lambda path: path.write_bytes(data)


HOSTILE: dict[str, Plant] = {
    "deep": bytes_of(b"[" * 200_000),
    "deeper": bytes_of(b'{"a":' * 200_000),
    "torn": bytes_of(b"{"),
    "bytes": bytes_of(b"\xff\xfe"),
    "empty": bytes_of(b""),
    "list": bytes_of(b"[]"),
    "bare": bytes_of(b"{}"),
    "digits": bytes_of(b'{"schema": ' + b"1" * 10_000 + b"}"),
    "sparse": sparse,
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "link": lambda path: path.symlink_to(path.with_name("link.other")),
    "nowhere": lambda path: path.symlink_to("nowhere"),
    "schema": saying(schema=3),
    "job": saying(job=["x"]),
    "source": saying(source=["x"]),
    "status": saying(status={}),
    "no-status": saying(status=None),
    "surrogate": saying(certificate="\ud800"),
    "message": saying(message=[1]),
    "member": saying(member=True),
    "files": saying(files=3),
    "entries": saying(files=[{"name": ["x"], "sha256": ""}]),
    "hashes": saying(files=[{"name": "x"}]),
    "totals": saying(status="archive", totals={"unique": "1"}),
    "objects": holding("{}", 600_000),
    "lists": holding("[]", 600_000),
    "numbers": holding("0", 1_200_000),
    "number": saying(seconds=float("nan")),
    "twice": lambda path: path.write_text(
        record_text("a.txt").replace("{", '{"source": "twice.txt",', 1)
    ),
}


@pytest.fixture
def box(tmp_path):
    """Folders with all that is hostile in the outbox, under the name of each."""
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    (box.outbox / "link.other").write_text(record_text("link.txt"))
    for name, plant in HOSTILE.items():
        plant(box.outbox / f"{name}.json")
    return box


def folders(box):
    return ("--inbox", str(box.inbox), "--outbox", str(box.outbox))


@pytest.mark.parametrize("plant", HOSTILE.values(), ids=HOSTILE)
def test_what_we_would_not_write_is_no_record(plant, tmp_path):
    (tmp_path / "link.other").write_text(record_text("link.txt"))
    plant(tmp_path / "a.json")
    assert read_record(tmp_path / "a.json") is None


def test_a_folder_and_nothing_are_no_records_and_what_is_one_is_read(tmp_path):
    (tmp_path / "a.json").mkdir()
    names = ["a.log", "a_1.solution"]
    (tmp_path / "b.json").write_text(record_text("b.txt", *names, job="j", member=7, message="m"))
    none, found, gone = (read_record(tmp_path / f"{name}.json") for name in "abc")
    assert none is gone is None
    assert (found.job, found.source, found.status) == ("j", "b.txt", "unique")
    assert (found.message, found.member, file_names(found)) == ("m", 7, tuple(names))


@pytest.mark.parametrize("inner", ['"a:b": 1, "a:b": 2', '"a": "x:y", "a": 1', '"a" : 1,"a":1'])
def test_a_name_that_stands_in_an_object_twice_is_refused_however_deep(inner, tmp_path):
    told = record_text("a.txt", message="12:00")
    (tmp_path / "a.json").write_text(told.replace("{", '{"more": [{' + inner + "}], ", 1))
    assert read_record(tmp_path / "a.json") is None
    (tmp_path / "a.json").write_text(told.replace("{", '{"more": [{"a": "x:y:", "b": 1}], ', 1))
    assert read_record(tmp_path / "a.json").message == "12:00"


def test_a_record_lists_plain_names_only_and_as_many_as_there_are(tmp_path):
    strange = ["../a", "/a", "", "..", "a/b", "a\0b", "a\ud800", "a" * 300]
    names = [f"{'a, b' * 15}_{number}.solution" for number in range(1, 25_001)]
    (tmp_path / "a.json").write_text(record_text("a.txt", *strange, *names))
    assert file_names(read_record(tmp_path / "a.json")) == tuple(names)


def test_why_it_is_no_record_is_told(box):
    for name, said in {
        "deep": "it is not JSON",
        "sparse": "it is larger than 32 MiB",
        "pipe": "it cannot be read: pipe.json is not a regular file",
        "number": "NaN is not a number",
        "objects": "it has more than 1,000,000 commas and brackets",
        "twice": "an object has two fields of the same name",
        "schema": "it is not a record of schema 2",
    }.items():
        with pytest.raises(NoRecord, match=said):
            load_record(box.outbox / f"{name}.json")
    with pytest.raises(FileNotFoundError):
        load_record(box.outbox / "gone.json")


def test_a_pass_replaces_whatever_has_the_name_of_a_record_and_goes_round_the_rest(box):
    box.drop("b.txt", OTHER)
    assert run("run", *folders(box))[0] == 0
    assert (box.has_record("b"), (box.outbox / "pipe.json").is_fifo()) == (True, True)
    for name in HOSTILE:
        box.drop(f"{name}.txt")
    assert run("run", *folders(box))[0] == 0
    assert (box.waiting(), box.in_work()) == (set(), set())
    for name in HOSTILE:
        assert box.text(f"{name}_1.solution") == SMALL_SOLVED
        assert json.loads(box.text(f"{name}.json"))["source"] == f"{name}.txt"
    assert (box.outbox / "link.other").read_text() == record_text("link.txt")


def test_watching_goes_on_whatever_is_in_the_outbox(box):
    names = ["deep", "pipe", "files"]
    for name in names:
        box.drop(f"{name}.txt")
    left = len(names)

    def after(ended):
        nonlocal left
        left -= ended
        if left <= 0:
            os.kill(os.getpid(), signal.SIGTERM)

    settings = Settings(inbox=box.inbox, outbox=box.outbox)
    watch(settings, LazyLog(quiet=True), after)
    assert box.kept("done") == {f"{name}.txt" for name in names}


def test_who_looks_after_the_folders_is_not_held_up_and_checks_tell_of_each(box):
    code, printed, _ = run("audit", str(box.outbox), "--inbox", str(box.inbox), "--json")
    verdicts = [json.loads(line)["verdict"] for line in printed.splitlines()]
    assert (code, len(verdicts)) == (1, len(HOSTILE))
    assert run("report", str(box.outbox), "--inbox", str(box.inbox))[0] == 0
    for name in HOSTILE:
        (box.folders.failed / f"{name}.txt").write_text(SMALL)
    code, printed, _ = run("status", "--json", *folders(box))
    assert code == 0
    notes = {entry["name"]: entry["note"] for entry in json.loads(printed)["failed"]}
    assert set(notes.values()) == {"its record is missing, so the reason is unknown"}
    assert run("retry", "--all", *folders(box))[0] == 0
    assert run("prune", "--older-than", "0s", *folders(box))[0] == 0


def test_what_a_record_says_does_nothing_to_the_terminal(tmp_path):
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    (box.folders.failed / "a.txt").write_text(SMALL)
    (box.outbox / "a.json").write_text(record_text("a.txt", status="failed", message="\x1b[2J"))
    assert "a.txt: \\x1b[2J" in run("status", *folders(box))[1]
