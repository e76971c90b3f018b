"""`watch`, when signals tell it to stop."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from dropping import ENDLESS, ENDLESSLY, SMALL, DropFolder, wait_for
from needs import needs_linux, needs_minisat
from solving import children, has_ended

from pipeline.log import LazyLog
from pipeline.run.loop import watch
from pipeline.settings import Settings


@pytest.fixture
def box(tmp_path):
    return DropFolder.within(tmp_path)


def test_what_is_in_work_is_finished_at_the_first_signal_and_nothing_else_begun(box):
    box.drop("a.txt", ENDLESS)
    box.drop("b.txt")
    with box.watching("--grace", "100000") as watch:
        wait_for(box.computing)
        watch.signal(signal.SIGINT)
        assert watch.end() == 0
        assert watch.finished() == ["a.txt"]
    assert box.record("a")["solutions"] == 100
    assert (box.waiting(), box.kept("done"), box.in_work()) == ({"b.txt"}, {"a.txt"}, set())


def children_of(pid: int) -> list[Path]:
    """The processes that a process has started, as folders of /proc."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [Path(f"/proc/{child}") for child in listed.split()]


@needs_linux
@pytest.mark.parametrize(
    ("grace", "signals"),
    [
        ("100000", (signal.SIGTERM, signal.SIGINT)),
        ("0.2", (signal.SIGTERM,)),
    ],
    ids=["second signal", "end of the grace"],
)
def test_what_is_in_work_goes_back_when_time_is_up_and_no_child_is_left(box, grace, signals):
    box.drop("a.txt", ENDLESS)
    with box.watching("--grace", grace, "--solver", "pysat", *ENDLESSLY) as watch:
        wait_for(box.computing)
        children = wait_for(lambda: children_of(watch.process.pid))
        watch.signal(*signals)
        assert watch.end() == 0
        wait_for(lambda: not any(child.exists() for child in children))
    assert (box.waiting(), box.in_work(), box.published()) == ({"a.txt"}, set(), set())
    assert (box.inbox / "a.txt").read_text() == ENDLESS


def test_two_signals_end_a_watch_at_once_while_a_file_is_looked_at(box, monkeypatch):
    box.drop("a.txt")
    box.drop("b.txt")
    looked = []

    def interrupted(data, *_):
        looked.append(data)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the second signal ends this")

    monkeypatch.setattr("pipeline.run.contents.parse_once", interrupted)
    watch(Settings(inbox=box.inbox, outbox=box.outbox, grace=60), LazyLog("json", quiet=True))
    assert looked == [SMALL.encode()]
    assert (box.waiting(), box.in_work(), box.published()) == ({"a.txt", "b.txt"}, set(), set())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_quiet_watch_that_has_no_problem_prints_nothing(box, number):
    box.drop("a.txt")
    with box.watching("--quiet") as watch:
        wait_for(lambda: box.kept("done") == {"a.txt"})
        watch.signal(number)
        assert watch.end() == 0
    assert watch.log.read_bytes() == b""


@needs_linux
@needs_minisat
def test_a_killed_watch_leaves_no_solver_waiting(box):
    with box.watching() as watch:
        box.drop("a.txt")
        wait_for(lambda: box.has_record("a"))
        waiting = wait_for(lambda: children(watch.process.pid))
        watch.process.kill()
        assert all(has_ended(pid) for pid in waiting)
