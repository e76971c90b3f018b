"""More files than the kernel tells of, and several processes on one inbox."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from dropping import (
    NO_SOLUTION,
    SMALL,
    TWO_SOLUTIONS,
    DropFolder,
    environment,
    events_in,
    finished,
    wait_for,
)

QUEUED = Path("/proc/sys/fs/inotify/max_queued_events")


@pytest.fixture
def box(tmp_path: Path) -> DropFolder:
    return DropFolder.within(tmp_path)


@pytest.mark.skipif(not QUEUED.exists(), reason="there is no inotify here")
def test_files_whose_events_were_lost_are_seen_all_the_same(box: DropFolder) -> None:
    more = int(QUEUED.read_text()) + 1000
    log = box.inbox.parent / "log"
    argv = [sys.executable, str(Path(__file__).with_name("standing_in.py"))]
    argv += ["watch", "--inbox", str(box.inbox), "--outbox", str(box.outbox)]
    with log.open("wb") as sink:
        process = subprocess.Popen(argv, stdout=sink, stderr=sink, env=environment())
    try:
        wait_for(lambda: "watch.started" in log.read_text())
        process.send_signal(signal.SIGSTOP)
        for number in range(more):
            box.drop(f"{number}.txt")
        process.send_signal(signal.SIGCONT)
        done = box.inbox / "done"
        wait_for(lambda: not box.waiting() and sum(1 for _ in done.iterdir()) == more, seconds=200)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


def test_two_watches_and_a_run_process_each_of_1000_files_exactly_once(box: DropFolder) -> None:
    names = {f"{number}.txt" for number in range(1000)}
    others = {0: TWO_SOLUTIONS, 1: NO_SOLUTION, 2: "hello\n"}
    for name in names:
        box.drop(name, others.get(int(name[:-4]) % 100, SMALL))
    options = ("--settle", "0.01", "--prove", "never")
    with ExitStack() as stack:
        watches = [stack.enter_context(box.watching(*options)) for _ in range(2)]
        folders = ("--inbox", box.inbox, "--outbox", box.outbox)
        run = finished("run", *folders, *options)
        assert run.returncode in (0, 1)
        wait_for(lambda: not box.waiting() and not box.in_work(), seconds=200)
        for watch in watches:
            watch.signal(signal.SIGTERM)
            assert watch.end() == 0
        logs = [watch.events() for watch in watches] + [events_in(run.stderr)]
    ended = [event["source"] for log in logs for event in log if event["event"] == "job.finished"]
    assert sorted(ended) == sorted(names)
    assert sum(any(event["event"] == "job.finished" for event in log) for log in logs) > 1
    assert len(box.kept("done")) == 990
    assert len(box.kept("failed")) == 10
