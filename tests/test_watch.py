"""`watch`, the real command: files come in every way there is, and signals."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from dropping import (
    OTHER,
    OTHER_SOLVED,
    SMALL,
    SMALL_SOLVED,
    DropFolder,
    wait_for,
)

from pipeline.dropbox.settle import has_writer
from pipeline.dropbox.watch import Alarm, Watcher

SOON = 25.0
"""Seconds in which an event must have been noticed: less than the time between two rescans."""


@pytest.fixture
def box(tmp_path):
    return DropFolder.within(tmp_path)


def idle(box, watch):
    """Wait until the first scan is done, so that only events tell of what comes."""
    box.drop("first.txt")
    wait_for(lambda: watch.finished() == ["first.txt"])


def solved(box, stem, seconds=SOON):
    """The solution of a file, when its record has come."""
    wait_for(lambda: box.has_record(stem), seconds)
    return box.text(f"{stem}_1.solution")


def test_a_file_that_was_there_before_the_start_is_solved_and_sigterm_ends_it_well(box):
    box.drop("a.txt")
    with box.watching() as watch:
        assert solved(box, "a") == SMALL_SOLVED
        wait_for(lambda: box.kept("done") == {"a.txt"})
        watch.signal(signal.SIGTERM)
        assert watch.end() == 0
        names = [e["event"] for e in watch.events() if e["event"] != "solver.fallback"]
        assert names == ["watch.started", "job.finished", "watch.stopped"]
        assert watch.log.read_text().endswith("}\n"), "nothing but JSON was printed"
    assert (box.in_work(), box.waiting()) == (set(), set())


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A pair that is watched, and by whom, when nothing but events tells of what comes."""
    box = DropFolder.within(tmp_path_factory.mktemp("watched"))
    with box.watching("--settle", "60") as watch:
        idle(box, watch)
        yield box, watch


def copied(source, target):
    shutil.copy2(source, target)


def renamed_into(source, target):
    source.rename(target)


def renamed_from_temporary(source, target):
    shutil.copy(source, f"{target}.part")
    Path(f"{target}.part").rename(target)


def linked(source, target):
    os.link(source, target)


@pytest.mark.parametrize("arrive", [copied, renamed_into, renamed_from_temporary, linked])
def test_a_file_is_noticed_however_it_arrives(watched, tmp_path, arrive):
    box, watch = watched
    name = f"{arrive.__name__}.txt"
    source = tmp_path / "source"
    source.write_text(OTHER)
    os.utime(source, (1, 1))
    arrive(source, box.inbox / name)
    assert solved(box, arrive.__name__) == OTHER_SOLVED
    wait_for(lambda: name in watch.finished())


def test_a_file_that_is_written_in_slow_pieces_is_never_read_half(watched):
    """It is a whole puzzle before the last piece, but its writer still has it."""
    box, watch = watched
    with (box.inbox / "slow.txt").open("w") as writer:
        if has_writer(writer.fileno()) is None:
            pytest.skip("this filesystem has no leases")
        for number, piece in enumerate((SMALL[:7], SMALL[7:], "# comment\n")):
            writer.write(piece)
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


def test_many_files_are_each_solved_once(watched):
    box, watch = watched
    names = {f"{number}.txt" for number in range(30)}
    for name in names:
        box.drop(name)
    wait_for(lambda: names <= set(watch.finished()))
    assert sorted(name for name in watch.finished() if name in names) == sorted(names)
    assert names <= box.kept("done")


def test_a_name_that_is_dropped_again_while_it_is_watched_replaces_its_set(watched):
    box, watch = watched
    for number, (puzzle, solution) in enumerate(((SMALL, SMALL_SOLVED), (OTHER, OTHER_SOLVED)), 1):
        box.drop("again.txt", puzzle)
        wait_for(lambda n=number: watch.finished().count("again.txt") == n, SOON)
        assert solved(box, "again") == solution
    assert {"again.txt", "2/again.txt"} <= box.kept("done")


def test_a_file_that_stays_cut_off_is_invalid_when_it_has_settled(box):
    with box.watching("--settle", "0.3") as watch:
        idle(box, watch)
        box.drop("a.txt", SMALL[:10])
        wait_for(lambda: box.kept("failed") == {"a.txt"}, SOON)
        assert box.record("a")["status"] == "invalid"


def test_two_watchers_share_an_inbox(box):
    with box.watching() as one, box.watching() as two:
        names = [f"{number}.txt" for number in range(40)]
        for name in names:
            box.drop(name)
        wait_for(lambda: len(one.finished() + two.finished()) >= 40)
        assert sorted(one.finished() + two.finished()) == sorted(names)
        noisy = {e["event"] for e in one.events() + two.events()}
        assert noisy <= {"watch.started", "job.finished", "solver.fallback"}
        assert box.kept("done") == set(names)
        wait_for(lambda: not box.in_work())


def test_with_poll_a_file_is_noticed_too(box):
    with box.watching("--poll") as watch:
        idle(box, watch)
        box.drop("a.txt")
        assert solved(box, "a") == SMALL_SOLVED


def test_an_inbox_that_is_removed_and_made_again_is_watched_on(box):
    with box.watching() as watch:
        idle(box, watch)
        shutil.rmtree(box.inbox)
        box.inbox.mkdir()
        box.drop("a.txt")
        assert solved(box, "a") == SMALL_SOLVED
        wait_for(lambda: "watcher.replaced" in [e["event"] for e in watch.events()])
        wait_for(lambda: "a.txt" in watch.finished())
        box.drop("b.txt")
        assert solved(box, "b") == SMALL_SOLVED
        watch.signal(signal.SIGTERM)
        assert watch.end() == 0


def test_an_outbox_that_cannot_be_is_said_once_and_work_goes_on_when_it_can(box):
    with box.watching() as watch:
        idle(box, watch)
        shutil.rmtree(box.outbox)
        box.outbox.touch()
        box.drop("a.txt")
        said = "environment.failed"
        wait_for(lambda: said in [e["event"] for e in watch.events()])
        box.outbox.unlink()
        assert solved(box, "a") == SMALL_SOLVED
        wait_for(lambda: "a.txt" in watch.finished())
        names = [e["event"] for e in watch.events()]
        assert (names.count(said), names.count("environment.recovered")) == (1, 1)


def test_a_missing_inbox_is_exit_code_75_and_is_not_made(tmp_path):
    box = DropFolder(tmp_path / "inbox", tmp_path / "outbox")
    with box.watching() as watch:
        assert watch.end() == 75
        assert "no such folder" in watch.log.read_text()
    assert not box.inbox.exists()


def test_an_alarm_that_has_rung_wakes_one_wait_however_often_it_rang():
    alarm = Alarm()
    for _ in range(100_000):
        alarm.ring()
    assert alarm.wait(60)
    assert not alarm.wait(0)
    alarm.close()


def test_a_watcher_tells_when_its_folder_has_been_replaced(tmp_path):
    folder = tmp_path / "inbox"
    with pytest.raises(OSError, match="inbox"):
        Watcher(folder, lambda: None).start()
    folder.mkdir()
    watcher = Watcher(folder, lambda: None)
    assert not watcher.is_alive()
    watcher.start()
    try:
        assert watcher.is_alive()
        folder.rename(tmp_path / "moved")
        assert not watcher.is_alive()
        folder.mkdir()
        assert not watcher.is_alive()
    finally:
        watcher.stop()
    assert not watcher.is_alive()


def test_only_what_may_be_a_complete_file_rings(tmp_path):
    alarm = Alarm()
    (tmp_path / "old.txt").touch()
    watcher = Watcher(tmp_path, alarm.ring)
    watcher.start()
    try:
        (tmp_path / "old.txt").read_bytes()
        assert not alarm.wait(0.2)
        (tmp_path / "new.txt").touch()
        assert alarm.wait(SOON)
    finally:
        watcher.stop()
        alarm.close()
