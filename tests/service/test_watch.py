"""`watch`, the real command: files come in every way there is, and signals end it."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from support.drop_folders import (
    ENDLESS,
    ENDLESSLY,
    OTHER,
    OTHER_SOLVED,
    SMALL,
    SMALL_SOLVED,
    DropFolder,
    wait_for,
)
from support.needs import needs_linux, needs_minisat
from support.puzzles import children, has_ended

from pipeline.service.log import LazyLog
from pipeline.service.loop import watch as watch_here
from pipeline.service.protocol.settle import has_writer
from pipeline.settings import Settings

SOON = 25.0
"""Seconds in which an event must have been noticed: less than the time between two rescans."""


def solved(box, stem, seconds=SOON):
    """The solution of a file, when its record has come."""
    wait_for(lambda: box.has_record(stem), seconds)
    return box.text(f"{stem}_1.solution")


def idle(box, watch):
    """Wait until the first scan is done, so that later files are noticed by events alone."""
    box.drop("first.txt")
    wait_for(lambda: watch.finished() == ["first.txt"])


def names_of(watch):
    return [event["event"] for event in watch.events()]


@pytest.mark.parametrize(
    ("number", "quiet"),
    [(signal.SIGTERM, ()), (signal.SIGTERM, ("--quiet",)), (signal.SIGINT, ("--quiet",))],
)
def test_a_file_that_was_there_before_the_start_is_solved_and_a_signal_ends_it_well(
    box, number, quiet
):
    box.drop("a.txt")
    with box.watching(*quiet) as watch:
        wait_for(lambda: box.kept("done") == {"a.txt"})
        watch.signal(number)
        assert watch.end() == 0
    names = [name for name in names_of(watch) if name != "solver.fallback"]
    assert names == ([] if quiet else ["watch.started", "job.finished", "watch.stopped"])
    assert watch.log.read_text().endswith("" if quiet else "}\n"), "only JSON was printed"
    assert box.text("a_1.solution") == SMALL_SOLVED
    assert (box.in_work(), box.waiting()) == (set(), set())


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """Folders and their watcher, after its first scan: later files are noticed by events alone."""
    box = DropFolder.within(tmp_path_factory.mktemp("watched"))
    with box.watching("--settle", "60") as watch:
        idle(box, watch)
        yield box, watch


def copied(source, target):
    with suppress(FileNotFoundError):  # it may be claimed before its times are set
        shutil.copy2(source, target)


def renamed_into(source, target):
    source.rename(target)


def renamed_from_temporary(source, target):
    shutil.copy(source, f"{target}.part")
    Path(f"{target}.part").rename(target)


def linked(source, target):
    os.link(source, target)


def test_a_file_is_noticed_however_it_arrives(watched, tmp_path):
    box, watch = watched
    for arrive in (copied, renamed_from_temporary, linked, renamed_into):
        name = f"{arrive.__name__}.txt"
        source = tmp_path / "source"
        source.write_text(OTHER)
        os.utime(source, (1, 1))
        arrive(source, box.inbox / name)
        assert solved(box, arrive.__name__) == OTHER_SOLVED
        wait_for(lambda name=name: name in watch.finished())


def test_a_file_that_is_written_in_slow_pieces_is_never_read_half(watched):
    """The file is a whole puzzle before its last piece, but a writer still has it open."""
    box, watch = watched
    with (box.inbox / "slow.txt").open("w") as writer:
        if has_writer(writer.fileno()) is None:
            pytest.skip("this filesystem has no leases")
        for number, chunk in enumerate((SMALL[:7], SMALL[7:], "# comment\n")):
            writer.write(chunk)
            writer.flush()
            box.drop(f"meanwhile-{number}.txt")
            wait_for(lambda n=number: f"meanwhile-{n}.txt" in watch.finished(), SOON)
        assert "slow.txt" in box.waiting()
    assert solved(box, "slow") == SMALL_SOLVED
    wait_for(lambda: watch.finished().count("slow.txt") == 1)
    assert box.record("slow")["bytes"] == len(SMALL) + len("# comment\n")


def test_a_file_whose_writer_opens_it_for_every_piece_is_never_read_half(watched):
    box, watch = watched
    for number in range(0, len(SMALL), 5):
        with (box.inbox / "rows.txt").open("a") as writer:
            writer.write(SMALL[number : number + 5])
        box.drop(f"between-{number}.txt")
        wait_for(lambda n=number: f"between-{n}.txt" in watch.finished(), SOON)
    assert solved(box, "rows") == SMALL_SOLVED
    assert box.record("rows")["status"] == "unique"


def test_a_file_that_stays_cut_off_is_invalid_when_it_has_settled(box):
    with box.watching("--settle", "0.3", "--poll") as watch:
        idle(box, watch)
        box.drop("a.txt")
        assert solved(box, "a") == SMALL_SOLVED, "with --poll a file is noticed too"
        box.drop("b.txt", SMALL[:10])
        wait_for(lambda: box.kept("failed") == {"b.txt"}, SOON)
        assert box.record("b")["status"] == "invalid"


def test_folders_that_go_and_come_back_are_watched_on_and_it_is_said_once(box):
    with box.watching() as watch:
        idle(box, watch)
        shutil.rmtree(box.outbox)
        box.outbox.touch()
        box.drop("a.txt")
        wait_for(lambda: "environment.failed" in names_of(watch))
        box.outbox.unlink()
        assert solved(box, "a") == SMALL_SOLVED
        wait_for(lambda: "a.txt" in watch.finished() and "environment.recovered" in names_of(watch))
        told = names_of(watch)
        assert [told.count(f"environment.{what}") for what in ("failed", "recovered")] == [1, 1]
        shutil.rmtree(box.inbox)
        box.inbox.mkdir()
        for name in ("b.txt", "c.txt"):
            box.drop(name)
            wait_for(lambda name=name: name in watch.finished())
            wait_for(lambda: "watcher.replaced" in names_of(watch))
        watch.signal(signal.SIGTERM)
        assert watch.end() == 0


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


@needs_linux
@pytest.mark.parametrize(
    ("grace", "signals"),
    [("100000", (signal.SIGTERM, signal.SIGINT)), ("0.2", (signal.SIGTERM,))],
    ids=["second signal", "end of the grace"],
)
def test_what_is_in_work_goes_back_when_time_is_up_and_no_child_is_left(box, grace, signals):
    box.drop("a.txt", ENDLESS)
    with box.watching("--grace", grace, "--solver", "pysat", *ENDLESSLY) as watch:
        wait_for(box.computing)
        started = wait_for(lambda: children(watch.process.pid))
        watch.signal(*signals)
        assert watch.end() == 0
        wait_for(lambda: all(has_ended(pid) for pid in started))
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

    monkeypatch.setattr("pipeline.reading.read.read_text", interrupted)
    settings = Settings(inbox=box.inbox, outbox=box.outbox, grace=60)
    watch_here(settings, LazyLog(quiet=True))
    assert looked == [SMALL.encode()]
    assert (box.waiting(), box.in_work(), box.published()) == ({"a.txt", "b.txt"}, set(), set())


@needs_linux
@needs_minisat
def test_a_killed_watch_leaves_no_solver_waiting(box):
    with box.watching() as watch:
        box.drop("a.txt")
        wait_for(lambda: box.has_record("a"))
        waiting = wait_for(lambda: children(watch.process.pid))
        watch.process.kill()
        assert all(has_ended(pid) for pid in waiting)
