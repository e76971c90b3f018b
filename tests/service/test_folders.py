"""`run`, the real command: what it takes, refuses and leaves, and what it says of it."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest
from support.commands import run as here
from support.drop_folders import (
    ENDLESS,
    ENDLESSLY,
    NO_SOLUTION,
    SMALL,
    SMALL_SOLVED,
    DropFolder,
    command,
    environment,
    events_in,
    finished,
    wait_for,
)
from support.puzzles import PATIENCE

from pipeline.service.protocol.settle import has_writer

QUICKLY = ("--settle", "0.1")
INVALID = {
    "character.txt": ("1...\n..2.\n.x3.\n...4\n", "character.txt:3:2: expected "),
    "value.txt": ("1...\n..2.\n.5..\n...4\n", "value.txt:3:2: expected "),
    "long.txt": ("1...\n..2..\n.3..\n...4\n", "long.txt:2:5: expected "),
    "short.txt": ("# a\n1...\n..2.\n.3..\n", "short.txt:4:5: expected 4 rows, found 3 rows"),
    "binary.txt": (
        b"\x89PNG\r\n\x1a\n\0",
        "binary.txt: expected a puzzle as text, found a picture",
    ),
    "comments.txt": ("# nothing\n", "comments.txt: expected a puzzle"),
    "boxes.txt": ("c\n2 2\n1 2 3 4 5\n", "boxes.txt:3:9: expected a number from 1 to 4"),
    "large.txt": (" " * 5001, "large.txt: expected at most 5000 bytes"),
}
ODD_NAMES = [
    "two words.txt",
    "\u6570\u72ec \u00e9\u00c9.txt",
    "e\u0301.txt",
    "-rf.txt",
    "--help",
    "a.b.c.txt",
    "no extension",
    "x" * 200,
    "y" * 251 + ".txt",
    "line\nbreak.txt",
    "\x1b[31mred\x07.txt",
    "\u202eright to left.txt",
    "$(touch here);`touch here`|&.txt",
    "'quote\"s\\.txt",
    "%s{0}[bold].txt",
    " .txt",
    "2",
    "CON",
    os.fsdecode(b"\xff\xfe.txt"),
]


@pytest.fixture(scope="module")
def invalid(tmp_path_factory):
    """One pass over files that are no puzzles, and one that is."""
    box = DropFolder.within(tmp_path_factory.mktemp("invalid"))
    for name, (content, _) in INVALID.items():
        box.drop(name, content)
    os.utime(box.drop("empty.txt", ""), (0, 0))
    box.drop("good.txt")
    return box, box.run("--max-bytes", "5000", *QUICKLY)


@pytest.mark.parametrize("name", INVALID)
def test_what_is_no_puzzle_goes_to_failed_with_a_message_that_says_where(invalid, name):
    box, done = invalid
    record = box.record(name.removesuffix(".txt"))
    assert record["status"] == "invalid"
    assert record["message"].startswith(INVALID[name][1])
    assert name in box.kept("failed")
    assert [file["name"] for file in record["files"]] == [name.removesuffix("txt") + "log"]
    said = {e.get("source"): e.get("message") for e in events_in(done.stderr)}
    assert said[name] == record["message"]


def test_what_is_invalid_makes_exit_code_1_and_does_not_keep_the_rest_from_being_solved(invalid):
    box, done = invalid
    assert done.returncode == 1
    assert box.text("good_1.solution") == SMALL_SOLVED
    assert box.kept("done") == {"good.txt"}
    found = box.record("empty")["message"]
    assert found.startswith("empty.txt: expected a puzzle, found an empty"), "it is old enough"


def test_files_with_odd_names_are_solved_under_them_and_do_nothing_to_log_or_folders(box):
    for name in ODD_NAMES:
        box.drop(name)
    done = box.run("--log-format", "console")
    assert done.returncode == 0
    assert box.kept("done") == set(ODD_NAMES)
    records = [box.record(path.stem) for path in box.outbox.glob("*.json")]
    assert {record["source"] for record in records} == set(ODD_NAMES)
    for record in records:
        (solution,) = (f["name"] for f in record["files"] if f["name"].endswith(".solution"))
        assert box.text(solution) == SMALL_SOLVED
        if len(os.fsencode(record["source"])) <= 200:
            assert solution.startswith(record["source"].removesuffix(".txt"))
    assert {path.name for path in box.inbox.parent.iterdir()} == {"inbox", "outbox"}
    lines = done.stderr.splitlines()
    assert len([line for line in lines if line[0] in "✓+"]) == len(ODD_NAMES)
    assert all(line.isprintable() for line in lines)


def test_links_and_pipes_go_to_failed_unread(box, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text(SMALL)
    (box.inbox / "link.txt").symlink_to(secret)
    (box.inbox / "folder").symlink_to(tmp_path)
    (box.inbox / "broken").symlink_to("nowhere")
    os.mkfifo(box.inbox / "pipe")
    assert box.run().returncode == 1
    assert (box.waiting(), box.kept("done")) == (set(), set())
    assert (box.inbox / "failed/link.txt").is_symlink()
    assert (box.inbox / "failed/folder").is_symlink()
    assert (box.inbox / "failed/pipe").is_fifo()
    assert box.record("link")["message"] == "link.txt: expected a file or a folder, found a link"
    assert box.record("pipe")["message"] == "pipe: expected a file or a folder, found a named pipe"
    assert box.record("link")["sha256"] is None
    assert not (box.outbox / "link_1.solution").exists()
    assert secret.read_text() == SMALL


def test_temporary_names_stay(box):
    temporary = {".a", "a~", "~a", "a.tmp", "a.part", "a.partial", "a.crdownload", "a.swp"}
    temporary |= {"a.opdownload", "a.aria2", "a.!ut", "a.temp", "a.lock", "4913", "#a.txt#"}
    (box.inbox / ".set").mkdir()
    (box.inbox / "set.part").mkdir()
    for name in (*temporary, "a.filepart", "b.txt"):
        box.drop(name)
    assert box.run().returncode == 0
    assert box.waiting() == {*temporary, "a.filepart", ".set", "set.part"}


def test_a_file_of_nuls_waits_for_its_content_for_a_minute(box):
    path = box.drop("a.txt", b"\0" * 90)
    waiting = box.run("--settle", "0.01")
    (left,) = (e["reason"] for e in events_in(waiting.stderr) if e["event"] == "file.left")
    assert (waiting.returncode, left) == (0, "it begins with NULs")
    os.utime(path, (1, 1))
    assert box.run().returncode == 1
    assert "NUL" in box.record("a")["message"]


def test_a_large_sparse_file_is_refused_unread(box):
    with (box.inbox / "sparse.txt").open("wb") as file:
        file.truncate(8 * 2**40)  # to read these zeros takes longer than any test may
    os.utime(box.inbox / "sparse.txt", (1, 1))  # it is not about to be written
    assert box.run().returncode == 1
    assert "8796093022208" in box.record("sparse")["message"]
    assert "sparse.txt" in box.kept("failed")


def test_the_empty_inbox_needs_no_words_and_the_folders_are_made(box):
    done = box.run("--solver", "pysat")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {path.name for path in box.inbox.iterdir()} == {".work", "done", "failed"}
    assert (box.inbox / ".work/.last-scan").exists()
    assert box.published() == set()


def test_quiet_says_nothing_of_what_went_well_and_all_of_what_did_not(box):
    for name, text in {"a": SMALL, "none": NO_SOLUTION, "wrong": INVALID["value.txt"][0]}.items():
        box.drop(f"{name}.txt", text)
    done = box.run("--quiet", "--solver", "pysat")
    assert (done.returncode, done.stdout) == (1, "")
    assert [e["source"] for e in events_in(done.stderr)] == ["wrong.txt"]


@pytest.mark.parametrize("command", ["run", "watch"])
def test_a_missing_inbox_is_exit_code_1_and_is_not_made(tmp_path, command):
    folders = ("--inbox", str(tmp_path / "inbox"), "--outbox", str(tmp_path / "outbox"))
    code, _, said = here(command, "--quiet", *folders)
    assert (code, "no such folder" in said) == (1, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["run", "watch"])
@pytest.mark.parametrize(
    "other",
    [
        *("inbox", "link", "inbox/out", "inbox/sub/out", "link/out", "inbox/elsewhere"),
        *("inbox/done", "inbox/sub/elsewhere", "inbox/sub/elsewhere/out", "inbox/sub/../../out"),
    ],
)
def test_an_outbox_that_is_or_lies_in_the_inbox_is_refused_with_exit_code_2(box, command, other):
    (box.inbox.parent / "link").symlink_to(box.inbox)
    (box.inbox.parent / "other").mkdir()
    (box.inbox / "elsewhere").symlink_to(box.inbox.parent / "other")
    (box.inbox / "sub").mkdir()
    (box.inbox / "sub/elsewhere").symlink_to(box.inbox.parent / "other")
    box.drop("a.txt")
    before = set(box.inbox.rglob("*"))
    outbox = box.inbox.parent / other
    code, _, said = here(command, "--inbox", str(box.inbox), "--outbox", str(outbox))
    assert (code, "the outbox cannot be the inbox" in said) == (2, True)
    assert set(box.inbox.rglob("*")) == before


def test_an_outbox_that_is_the_inbox_by_another_mount_is_refused(box):
    other = box.inbox.parent / "mount"
    other.mkdir()
    mounted = subprocess.run(
        ["mount", "--bind", box.inbox, other], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("it takes the right to mount")
    try:
        code, _, said = here("run", "--inbox", str(box.inbox), "--outbox", str(other))
    finally:
        subprocess.run(["umount", "-l", other], check=True)
    assert (code, "the outbox cannot be the inbox" in said) == (2, True)


@pytest.mark.parametrize("outbox", [".", "inbox/../outbox", "link/../outbox"])
def test_an_inbox_may_lie_in_the_outbox_or_on_the_way_to_it(box, outbox, monkeypatch):
    monkeypatch.chdir(box.inbox.parent)
    (box.inbox.parent / "link").symlink_to(box.inbox)
    box.drop("a.txt")
    for _ in range(2):
        assert here("run", "--inbox", "inbox", "--outbox", outbox)[0] == 0
    assert (box.inbox.parent / outbox / "a_1.solution").read_text() == SMALL_SOLVED
    assert box.kept("done") == {"a.txt"}


@pytest.mark.parametrize(("above", "code"), [("file", 75), ("missing", 1)])
def test_where_an_outbox_cannot_be_the_file_stays(box, tmp_path, above, code):
    """Running again does not help where the folder above it is missing."""
    box.drop("a.txt")
    (tmp_path / "file").touch()
    assert DropFolder(box.inbox, tmp_path / above / "outbox").run().returncode == code
    assert box.waiting() == {"a.txt"}
    assert box.run().returncode == 0


def test_a_puzzle_that_takes_too_long_is_unknown_with_exit_code_1_and_goes_to_done(box):
    box.drop("a.txt", ENDLESS)
    assert box.run("--timeout", "0.001").returncode == 1
    record = box.record("a")
    assert (record["status"], record["solutions"], record["complete"]) == ("unknown", 0, False)
    assert box.kept("done") == {"a.txt"}


def test_folders_come_from_the_environment_and_are_inbox_and_outbox_by_default(box, tmp_path):
    box.drop("a.txt")
    assert finished("run", cwd=tmp_path).returncode == 0
    assert box.has_record("a")
    other = DropFolder.within(tmp_path / "other")
    other.drop("b.txt")
    variables = {
        f"SUDOKU_PIPELINE_{n.upper()}": str(getattr(other, n)) for n in ("inbox", "outbox")
    }
    assert finished("run", cwd=tmp_path, **variables).returncode == 0
    assert other.has_record("b")


def test_run_waits_for_an_empty_file_until_it_is_a_minute_old(box):
    now = time.time()
    os.utime(box.drop("a.txt", ""), (now - 59.5, now - 59.5))
    assert box.run().returncode == 1
    assert box.record("a")["status"] == "invalid"


def empties(box):
    """What may be about to be written, and a puzzle; the names of the first."""
    box.drop("a.txt", "")
    (box.inbox / "folder").mkdir()
    box.drop("good.txt")
    return {"a.txt", "folder"}


@pytest.mark.parametrize("quiet", [False, True])
def test_what_is_not_complete_in_time_is_left_for_the_next_pass_and_told(box, quiet, monkeypatch):
    monkeypatch.setattr("pipeline.service.protocol.settle.FOLDER_SECONDS", 0.05)
    left = empties(box)
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox), *QUICKLY)
    code, _, said = here(
        "run", "--log-format", "json", *folders, *["--quiet"] * quiet, "--solver", "pysat"
    )
    assert (code, box.waiting(), box.kept("done")) == (0, left, {"good.txt"})
    events = [e for e in events_in(said) if e["event"] != "job.finished"]
    told = {(e["event"], e["level"], e["source"], e["reason"]) for e in events}
    assert told == {("file.left", "info", n, "it is still empty") for n in left if not quiet}
    assert len(events) == len(told)
    for name in left:  # a minute later
        os.utime(box.inbox / name, (0, 0))
    assert here("run", *folders)[0] == 1
    assert (box.record("a")["status"], box.record("folder")["status"]) == ("invalid", "archive")
    assert box.waiting() == set()


def test_a_folder_says_that_it_waits_and_how_long_the_pass_waited_is_told(box, monkeypatch):
    monkeypatch.setattr("pipeline.service.protocol.settle.FOLDER_SECONDS", 1.2)
    (box.inbox / "folder").mkdir()
    (box.inbox / "folder/a.txt").write_text(SMALL)
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox), *QUICKLY)
    code, _, said = here("run", "--log-format", "json", *folders, "--solver", "pysat")
    waits, finished, waited = events_in(said)
    assert (code, finished["event"], waited["event"]) == (0, "job.finished", "run.waited")
    assert (waits["event"], waits["source"], waits["level"]) == ("file.waits", "folder", "info")
    assert waits["reason"] == "at least 1 s"
    assert 1 <= waited["seconds"] < 60


def test_a_file_that_a_writer_holds_is_left_for_a_later_pass(box):
    path = box.drop("a.txt", SMALL)
    with path.open("a") as writer:
        if has_writer(writer.fileno()) is None:
            pytest.skip("this filesystem has no leases")
        done = box.run(*QUICKLY)
        assert box.waiting() == {"a.txt"}
        assert [e["source"] for e in events_in(done.stderr) if e["event"] == "file.held"] == [
            "a.txt"
        ]
    assert box.run().returncode == 0
    assert box.waiting() == set()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_pass_that_is_interrupted_puts_the_file_back_with_exit_code_75(box, number):
    box.drop("a.txt", ENDLESS)
    options = ("--inbox", box.inbox, "--outbox", box.outbox, "--grace", "0.1", *ENDLESSLY)
    with subprocess.Popen(
        command("run", *options), stderr=subprocess.DEVNULL, env=environment()
    ) as process:
        wait_for(box.computing)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 75
    assert (box.waiting(), box.in_work(), box.published()) == ({"a.txt"}, set(), set())
    assert box.run("--max-solutions", "1").returncode == 0
