"""What strangers drop: refused with a reason, in bounded memory and time, and nothing leaks."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
from pathlib import Path

import pytest
from dropping import SMALL, DropFolder, command, environment, events_in, record_text

SECRET = "4...\n..3.\n.2..\n...1\n"
MEMORY = 512 * 1024 * 1024


@pytest.fixture
def box(tmp_path: Path) -> DropFolder:
    return DropFolder.within(tmp_path)


def bounded_run(box: DropFolder) -> subprocess.CompletedProcess[str]:
    """A pass that would not get through with more than half a GiB of memory."""
    return subprocess.run(
        command("run", "--inbox", box.inbox, "--outbox", box.outbox),
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )


def outputs(box: DropFolder) -> str:
    return "".join(path.read_text() for path in box.outbox.glob("*"))


def test_a_link_is_refused_and_what_it_points_to_is_neither_read_nor_moved(
    box: DropFolder, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    (box.inbox / "a.txt").symlink_to(secret)
    assert box.run().returncode == 1
    assert box.record("a")["message"] == "a.txt: expected a file or a folder, found a link"
    assert (box.inbox / "failed" / "a.txt").is_symlink()
    assert secret.read_text() == SECRET
    assert "4312" not in outputs(box)


def test_a_link_to_a_folder_or_to_nothing_is_refused(box: DropFolder, tmp_path: Path) -> None:
    (box.inbox / "folder").symlink_to(tmp_path)
    (box.inbox / "nothing").symlink_to(tmp_path / "nowhere")
    (box.inbox / "itself").symlink_to(box.inbox / "itself")
    assert box.run().returncode == 1
    assert box.kept("failed") == {"nothing", "itself"}
    assert (box.inbox / "failed" / "folder").is_symlink()


def test_pipes_and_sockets_are_refused_without_waiting_for_their_other_end(
    box: DropFolder,
) -> None:
    os.mkfifo(box.inbox / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(box.inbox / "socket"))
        assert box.run().returncode == 1
    assert box.kept("failed") == {"pipe.txt", "socket"}
    assert "a named pipe" in box.record("pipe")["message"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"1" * 1_000_000, id="a line of a million columns"),
        pytest.param(b"hello\n" * 1_000_000, id="a million lines"),
        pytest.param(b"#\n" * 1_000_000 + SMALL.encode() + b"5\n", id="a million comments"),
        pytest.param(b"1234\n" + b"." * 10_000_000 + b"\n....\n....\n", id="one long row"),
        pytest.param(b"256 256\n" + b"0 " * 65_537, id="a number too many"),
        pytest.param(b"\x00" * 1_000_000, id="zeros"),
        pytest.param(os.urandom(1_000_000), id="noise"),
        pytest.param(b"9" * 100_000 + b" 3\n", id="a huge number"),
    ],
)
def test_endless_text_is_refused_in_bounded_memory(content: bytes, box: DropFolder) -> None:
    box.drop("a.txt", content)
    result = bounded_run(box)
    assert result.returncode == 1, result.stderr
    assert box.kept("failed") == {"a.txt"}
    message = box.record("a")["message"]
    assert message.startswith("a.txt")
    assert len(message) < 200


def test_a_sparse_file_of_10_gb_is_refused_unread(box: DropFolder) -> None:
    with (box.inbox.parent / "sparse").open("wb") as file:
        file.truncate(10 * 2**30)
    (box.inbox.parent / "sparse").rename(box.inbox / "a.txt")
    assert bounded_run(box).returncode == 1
    record = box.record("a")
    assert record["message"].endswith(f"found {10 * 2**30} bytes")
    assert record["sha256"] is None
    (box.inbox / "failed" / "a.txt").unlink()


@pytest.mark.parametrize(
    "name",
    [
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
    ],
)
def test_a_strange_name_is_only_a_name(name: str, box: DropFolder, tmp_path: Path) -> None:
    box.drop(name)
    before = {path.name for path in tmp_path.iterdir()} - {"outbox"}
    result = box.run()
    assert result.returncode == 0, result.stderr
    assert box.kept("done") == {name}
    assert {path.name for path in tmp_path.iterdir()} - {"outbox"} == before
    assert sum(path.suffix == ".solution" for path in box.outbox.iterdir()) == 1
    assert "\x1b" not in result.stderr
    assert [event["event"] for event in events_in(result.stderr)] == ["job.finished"]


def test_names_are_escaped_on_a_console_too(box: DropFolder) -> None:
    box.drop("\x1b[2J.txt", "hello\n")
    result = box.run("--log-format", "console")
    assert "\x1b[2J" not in result.stderr
    assert "\\x1b[2J" in result.stderr


def test_a_record_that_a_stranger_put_in_the_outbox_deletes_nothing_of_others(
    box: DropFolder,
) -> None:
    box.drop("b.txt")
    assert box.run().returncode == 0
    planted = box.inbox.parent / "planted"
    planted.write_text("precious")
    names = ["b_1.solution", "b.json", "../planted", "/etc/hostname", "a/../../planted", ".."]
    (box.outbox / "a.json").write_text(record_text("a.txt", *names))
    box.drop("a.txt")
    assert box.run().returncode == 0
    assert planted.read_text() == "precious"
    assert box.published() >= {"b_1.solution", "b.json", "b.log", "a_1.solution"}
