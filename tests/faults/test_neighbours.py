"""What is wrong with one file, one log or one folder does not stop the others."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest
from support.breakers import Bench
from support.drop_folders import (
    TWO_SOLUTIONS,
    DropFolder,
    command,
    environment,
    events_in,
    wait_for,
)
from support.puzzles import pigeons

import pipeline.solving.problem
from pipeline.service.log import LazyLog
from pipeline.service.loop import run_once
from pipeline.settings import Settings
from pipeline.solving.cnf import dimacs_lines

NOBODY = 65534


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Be an ordinary user in this folder, as tests often run as root.

    Paths are relative: folders above it may be closed.

    All that is in the folder becomes this user's first.
    """
    if os.geteuid():
        pytest.skip("only root can become another user")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, -1, follow_symlinks=False)
    with chdir(folder):
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield
        finally:
            os.setresuid(0, 0, 0)


def passed(box: DropFolder) -> int:
    """A pass in this process."""
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0.0, solver="pysat")
    return run_once(settings, LazyLog(quiet=False))


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="there are no leases here")
def test_a_file_that_another_program_leases_for_writing_delays_only_itself(
    box: DropFolder,
) -> None:
    path = box.drop("a.txt")
    box.drop("b.txt")
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.fcntl(descriptor, 10, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        box.run("--settle", "0.2")
        assert box.record("b")["status"] == "unique"
        assert box.waiting() == {"a.txt"}
    finally:
        os.close(descriptor)
    assert box.run().returncode == 0
    assert box.record("a")["status"] == "unique"


def test_a_log_that_cannot_be_written_stops_no_work(box: DropFolder) -> None:
    box.drop("a.txt", "hello\n")
    box.drop("b.txt")
    argv = command("run", "--inbox", box.inbox, "--outbox", box.outbox, "--settle", "0")
    with Path("/dev/full").open("wb") as full:
        code = subprocess.run(argv, stderr=full, env=environment(), check=False).returncode
    assert code == 1
    assert box.record("b")["status"] == "unique"


def test_a_job_that_is_kept_does_not_keep_a_pass_waiting_for_its_name(box: DropFolder) -> None:
    box.drop("a.txt")
    (box.outbox / "a_1.solution").mkdir(parents=True)
    assert box.run().returncode == 75
    box.drop("a.txt", TWO_SOLUTIONS)
    box.drop("b.txt")
    assert box.run().returncode == 75
    assert box.has_record("b")
    (box.outbox / "a_1.solution").rmdir()
    assert box.run().returncode == 0
    assert box.record("a")["status"] == "multiple"
    assert box.kept("done") == {"a.txt", "2/a.txt", "b.txt"}


def test_a_crash_of_ours_in_publishing_three_times_is_failed(
    box: DropFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> str:
        raise KeyError("ours")

    box.drop("a.txt")
    box.drop("b.txt", "hello\n")
    with monkeypatch.context() as patch:
        patch.setattr(pipeline.solving.problem, "solution_text", crash)
        assert [passed(box) for _ in range(3)] == [75, 75, 75]
        assert passed(box) == 1
    assert box.record("a")["status"] == "failed"
    assert box.kept("failed") == {"a.txt", "b.txt"}


def test_a_drop_of_the_same_inode_is_a_drop_and_not_a_return(box: DropFolder, bench: Bench) -> None:
    keep = box.inbox.parent / "keep.txt"
    keep.write_text(TWO_SOLUTIONS)
    os.link(keep, box.inbox / "a.txt")
    assert box.run().returncode == 0
    os.link(keep, box.inbox / "a.txt")
    assert bench.run(step="publish.withdrawn")[0] == -signal.SIGKILL
    os.link(keep, box.inbox / "a.txt")
    assert box.run("--max-solutions", "1").returncode == 0
    assert box.published() == {"a_1.solution", "a.log", "a.json"}
    assert box.waiting() == set()


def test_a_claim_goes_on_in_another_outbox_under_names_that_are_free_there(
    box: DropFolder, bench: Bench, tmp_path: Path
) -> None:
    other = DropFolder(box.inbox, tmp_path / "other")
    box.drop("a.sdk", TWO_SOLUTIONS)
    assert other.run().returncode == 0
    box.drop("a.txt")
    assert bench.run(step="attempt.counted")[0] == -signal.SIGKILL
    assert other.run().returncode == 0
    assert other.record("a")["source"] == "a.sdk"
    assert other.record("a.txt")["source"] == "a.txt"


def test_a_set_half_published_in_another_outbox_waits_for_that_one(
    box: DropFolder, bench: Bench, tmp_path: Path
) -> None:
    box.drop("a.txt")
    assert bench.run(step="publish.renamed")[0] == -signal.SIGKILL
    other = DropFolder(box.inbox, tmp_path / "other")
    assert other.run().returncode == 75
    assert not other.has_record("a")
    assert box.run().returncode == 0
    assert box.record("a")["status"] == "unique"


def test_a_file_that_may_not_be_read_yet_is_waited_for(box: DropFolder) -> None:
    path = box.drop("a.txt")
    path.chmod(0)
    if not os.geteuid():
        pytest.skip("root reads everything")
    with box.watching("--settle", "1") as watching:
        wait_for(lambda: any(e["event"] == "watch.started" for e in watching.events()))
        path.chmod(0o600)
        wait_for(lambda: box.has_record("a"))
    assert box.record("a")["status"] == "unique"


def test_a_folder_that_may_not_be_read_is_not_taken_for_an_empty_one(
    box: DropFolder, capsys
) -> None:
    """An empty one would be waited for a minute, and left for the next pass without a fault."""
    (box.inbox / "closed").mkdir()
    with as_nobody(box.inbox.parent):
        Path("inbox/closed").chmod(0)
        assert passed(DropFolder(Path("inbox"), Path("outbox"))) == 75
    events = events_in(capsys.readouterr().err)
    assert ("file.stuck", "closed") in [(each["event"], each.get("source")) for each in events]


def test_a_set_whose_record_may_not_be_read_is_not_replaced(box: DropFolder) -> None:
    """What nobody does was done before: this user may not load modules or solvers everywhere."""
    invalid = "1...\n..x.\n.3..\n...4\n"
    box.drop("a.sdk")
    box.drop("b.txt", invalid)
    assert passed(box) == 1
    before = {name: box.text(name) for name in ("a.json", "a.log", "a_1.solution")}
    box.drop("a.txt", invalid)
    with as_nobody(box.inbox.parent):
        Path("outbox/a.json").chmod(0)
        assert passed(DropFolder(Path("inbox"), Path("outbox"))) == 1
    assert {name: box.text(name) for name in before} == before
    found = box.record("a.txt")
    assert (found["source"], found["status"]) == ("a.txt", "invalid")


def test_done_on_another_filesystem_is_refused_with_what_is_wrong(box: DropFolder) -> None:
    folders = (Path("/dev/shm"), Path(__file__).parent)  # nothing is written there
    own = box.inbox.stat().st_dev
    other = next((each for each in folders if each.exists() and each.stat().st_dev != own), None)
    if other is None:
        pytest.skip("there is one filesystem only")
    (box.inbox / "done").symlink_to(other)
    box.drop("a.txt")
    result = box.run()
    assert result.returncode == 75
    assert "not on the filesystem of the inbox" in result.stderr
    assert box.waiting() == {"a.txt"}


@pytest.mark.trial
def test_puzzles_that_take_long_keep_no_other_file_waiting(box: DropFolder) -> None:
    """Formulas that no solver here decides in time, and puzzles that come after them."""
    text = "".join(dimacs_lines(pigeons(13)))
    for number in range(3):
        box.drop(f"hard-{number}.cnf", text)
    options = ("--workers", "2", "--timeout", "10000", "--grace", "0.1", "--settle", "0.01")
    with box.watching(*options) as watching:
        for number in range(3):
            box.drop(f"small-{number}.txt")
            wait_for(lambda number=number: box.has_record(f"small-{number}"))
        assert not list(box.outbox.glob("hard*.json"))
        watching.signal(signal.SIGTERM)
        assert watching.end() == 0
    assert box.waiting() == {f"hard-{number}.cnf" for number in range(3)}
    assert box.in_work() == set()
