"""What strangers drop: refused with a reason, in bounded memory and time, and nothing leaks."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.drop_folders import SMALL, DropFolder, command, environment, events_in
from support.outboxes import made_once

SECRET = "4...\n..3.\n.2..\n...1\n"
MEMORY = 512 * 1024 * 1024
ENDLESS = {
    "a line of a million columns": b"1" * 1_000_000,
    "a million lines": b"hello\n" * 1_000_000,
    "a million comments": b"#\n" * 1_000_000 + SMALL.encode() + b"5\n",
    "one long row": b"1234\n" + b"." * 10_000_000 + b"\n....\n....\n",
    "a number too many": b"256 256\n" + b"0 " * 65_537,
    "zeros": b"\x00" * 1_000_000,
    "noise": os.urandom(1_000_000),
    "a huge number": b"9" * 100_000 + b" 3\n",
}
STRANGE = [
    "--outbox=elsewhere",
    "-rf",
    "$(touch owned)",
    "; touch owned;",
    "%2e%2e%2fowned",
    "a\nb.txt",
    "\x1b[2J\x1b[31mred.txt",
    "\u202etxt.exe",
    "con",
    "a" * 250 + ".txt",
    os.fsdecode(b"\xff\xfe.txt"),
]
SPARSE = 10 * 2**30
Passed = tuple[DropFolder, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Passed:
    """One pass over all of it, for all workers."""
    folder = made_once(tmp_path_factory, "hostile", make)
    done = json.loads((folder / "done.json").read_text())
    box = DropFolder(folder / "box" / "inbox", folder / "box" / "outbox")
    return box, subprocess.CompletedProcess((), **done)


def make(folder: Path) -> None:
    """Make a pass, which would not get through with more than half a GiB of memory."""
    box = DropFolder.within(folder / "box")
    for name, content in {**ENDLESS, **dict.fromkeys(STRANGE, SMALL.encode())}.items():
        box.drop(name, content)
    with (box.inbox.parent / "sparse").open("wb") as file:
        file.truncate(SPARSE)
    (box.inbox.parent / "sparse").rename(box.inbox / "sparse")
    for name in ("sparse", "zeros"):  # a fresh one would wait for its content
        os.utime(box.inbox / name, (0, 0))
    (box.inbox.parent / "secret.txt").write_text(SECRET)
    links = {"link": box.inbox.parent / "secret.txt", "folder": box.inbox.parent}
    links |= {"nothing": Path("nowhere"), "itself": box.inbox / "itself"}
    for name, target in links.items():
        (box.inbox / name).symlink_to(target)
    os.mkfifo(box.inbox / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(box.inbox)  # the whole path might be too long for a socket
        server.bind("socket")
        done = subprocess.run(
            command("run", "--inbox", box.inbox, "--outbox", box.outbox, "--log-format", "json"),
            capture_output=True,
            text=True,
            env=environment(),
            timeout=200,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
    (box.inbox / "failed" / "sparse").unlink()
    told = {"returncode": done.returncode, "stderr": done.stderr}
    (folder / "done.json").write_text(json.dumps(told))


def records(box: DropFolder) -> dict[str, dict[str, Any]]:
    """All records by their sources."""
    found = (box.record(path.stem) for path in box.outbox.glob("*.json"))
    return {record["source"]: record for record in found}


def test_all_of_it_is_dealt_with_and_nothing_else_is_touched(passed: Passed) -> None:
    box, done = passed
    assert done.returncode == 1, done.stderr
    assert box.waiting() == set()
    assert box.kept("done") == set(STRANGE)
    around = {"inbox", "outbox", "secret.txt"}
    assert {path.name for path in box.inbox.parent.iterdir()} == around
    assert (box.inbox.parent / "secret.txt").read_text() == SECRET
    outputs = b"--".join(path.read_bytes() for path in box.outbox.glob("*"))
    assert b"4312\n2134\n1243" not in outputs, "the solution of the secret"


def test_links_pipes_and_sockets_are_refused_unread(passed: Passed) -> None:
    box, _ = passed
    found = "expected a file or a folder, found"
    told = {name: record["message"] for name, record in records(box).items()}
    for name in ("link", "folder", "nothing", "itself"):
        assert told[name] == f"{name}: {found} a link"
        assert (box.inbox / "failed" / name).is_symlink()
    assert told["pipe.txt"] == f"pipe.txt: {found} a named pipe"
    assert told["socket"] == f"socket: {found} a special file"


def test_endless_text_is_refused_in_bounded_memory_and_a_sparse_file_unread(
    passed: Passed,
) -> None:
    told = records(passed[0])
    for name in ENDLESS:
        assert told[name]["status"] == "invalid"
        assert told[name]["message"].startswith(name)
        assert len(told[name]["message"]) < 200
    record = told["sparse"]
    assert record["message"].endswith(f"found {SPARSE} bytes")
    assert record["sha256"] is None


def test_a_strange_name_is_only_a_name(passed: Passed) -> None:
    box, done = passed
    told = records(box)
    for name in STRANGE:
        assert told[name]["status"] == "unique"
    assert sum(path.suffix == ".solution" for path in box.outbox.iterdir()) == len(STRANGE)
    assert "\x1b" not in done.stderr
    events = [each["event"] for each in events_in(done.stderr)]
    assert events.count("job.finished") == len(told)
    assert {*events} <= {"job.finished", "run.waited", "solver.fallback"}
