"""The page as a file, and what keeps it up to date while jobs are finished."""

from __future__ import annotations

import contextlib
import os
import signal
from itertools import product

import pytest
from support.auditing import packed
from support.commands import run
from support.dropping import SMALL, DropFolder, wait_for
from support.reporting import record

from pipeline.outbox.names import stems_for
from pipeline.outbox.report import REPORT, Keeper, write_report, write_whole
from pipeline.outbox.report.page import RENEWING, stop_renewing
from pipeline.service.log import LazyLog
from pipeline.service.loop import run_once, watch
from pipeline.service.sweep import Sweeper
from pipeline.settings import Settings


class Clock:
    """A clock that goes on by itself when it is read, if it has a pace."""

    now = 100.0
    pace = 0.0

    def __call__(self) -> float:
        self.now += self.pace
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def warnings():
    return []


@pytest.fixture
def keeper(tmp_path, warnings, clock):
    return Keeper(tmp_path, tmp_path, warnings.append, clock)


@pytest.fixture
def page(tmp_path):
    return tmp_path / REPORT


def test_a_report_is_kept_at_most_every_few_seconds(keeper, clock, page, warnings):
    assert keeper.after(0) is None, "the first time it is written, whatever is there"
    first = page.stat().st_ino
    assert keeper.after(0) is None
    assert keeper.after(1) == 5.0
    assert page.stat().st_ino == first
    clock.now += 4
    assert keeper.after(0) == 1.0, "it is still to be written"
    clock.now += 1
    assert keeper.after(0) is None
    assert page.stat().st_ino != first
    assert warnings == []


def test_a_report_takes_a_tenth_of_the_time_in_slices_that_delay_no_job(
    keeper, clock, page, tmp_path
):
    for number in range(99):
        record(tmp_path, f"job{number}")
    clock.pace = 0.01
    begun, worked, slices = clock.now, 0.0, 0
    while True:
        before = clock.now
        due = keeper.after(int(slices == 9))
        worked, slices = worked + clock.now - before, slices + 1
        assert clock.now - before < 0.1
        if page.exists():
            break
        clock.now += due
    assert slices > 20
    assert worked <= 0.12 * (clock.now - begun)
    assert due > 4, "a job has ended meanwhile, which it does not show"


def test_a_page_renews_itself_until_its_keeper_ends(page, clock, tmp_path):
    for end, ended in product((Keeper.close, Keeper.finish), (0, 1)):
        keeper = Keeper(tmp_path, tmp_path, [].append, clock)
        keeper.after(0)
        kept = page.read_text()
        assert RENEWING in kept
        keeper.after(ended)
        record(tmp_path, f"{end.__name__}{ended}")
        end(keeper)
        left = page.read_text()
        assert RENEWING not in left
        if ended:
            assert f"{end.__name__}{ended}.txt" in left
        else:
            assert left == kept.replace(RENEWING, ""), "nothing has ended, nothing is read again"
        end(keeper)
        assert page.read_text() == left
    write_report(tmp_path, tmp_path, page)
    assert RENEWING not in page.read_text()


def test_a_report_that_takes_long_does_not_delay_the_end_and_leaves_nothing(
    keeper, clock, page, tmp_path, warnings
):
    record(tmp_path, "a")
    left = {*tmp_path.iterdir()}
    clock.pace = 0.5
    keeper.after(0)
    before = clock.now
    keeper.close()
    assert clock.now - before < 3
    assert {*tmp_path.iterdir()} == left
    keeper.finish()
    assert "a.txt" in page.read_text(), "at the end of a pass it is written all the same"
    assert RENEWING not in page.read_text()
    assert warnings == []


def test_a_page_that_is_gone_when_its_keeper_ends_is_not_missed(keeper, page, warnings):
    keeper.after(0)
    page.unlink()
    keeper.close()
    assert (warnings, [*page.parent.iterdir()]) == ([], [])


def test_a_report_that_fails_is_tried_again_and_is_one_warning(keeper, clock, page, warnings):
    page.mkdir()
    for _ in range(3):
        assert keeper.after(0) == 5.0
        assert [path.name for path in page.parent.iterdir()] == [REPORT]
        clock.now += 5
    page.rmdir()
    assert keeper.after(0) is None
    assert page.is_file()
    assert len(warnings) == 1
    assert REPORT in warnings[0]


def link(page):
    page.symlink_to("other.html")


def huge(page):
    page.write_text(f"<html{RENEWING}>")
    os.truncate(page, 2**40)


@pytest.mark.parametrize("plant", [os.mkfifo, link, huge])
def test_what_lies_in_a_pages_place_is_left_alone_when_its_keeper_ends(plant, page):
    other = page.with_name("other.html")
    other.write_text(f"<html{RENEWING}>")
    plant(page)
    before = page.lstat().st_ino, page.lstat().st_size
    with contextlib.suppress(OSError):
        stop_renewing(page)
    assert (page.lstat().st_ino, page.lstat().st_size) == before
    assert other.read_text() == f"<html{RENEWING}>"


def test_what_a_killed_writer_left_is_removed_in_time(tmp_path, page):
    old, new, other = (
        tmp_path / f".{name}.tmp"
        for name in (f"{REPORT}-00c0ffee", f"{REPORT}-00c0ffe1", "page.html-00c0ffee")
    )
    for path in (old, new, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (0, 0))
    write_report(tmp_path, tmp_path, page)
    assert {*tmp_path.iterdir()} == {new, other, page}


def test_nothing_of_the_report_is_left_when_it_is_killed_by_a_full_disk(page):
    def pieces():
        yield "a"
        raise OSError(28, "No space left on device")

    page.write_text("before")
    with pytest.raises(OSError, match="No space"):
        write_whole(page, pieces())
    assert page.read_text() == "before"
    assert [path.name for path in page.parent.iterdir()] == [REPORT]


@pytest.fixture
def dropped(tmp_path):
    return DropFolder.within(tmp_path)


def options(box):
    return ("--inbox", str(box.inbox), "--outbox", str(box.outbox), "--settle", "0", "--report")


def test_who_keeps_the_report_is_told_of_each_job_as_it_ends(dropped):
    told = []
    for name in ("a.txt", "b.txt", "c.txt"):
        dropped.drop(name)
    settings = Settings(inbox=dropped.inbox, outbox=dropped.outbox, settle=0)
    run_once(settings, LazyLog(quiet=True), told.append)
    assert told == [1, 1, 1, 0, 0]


def test_who_keeps_the_report_is_asked_while_nothing_happens_without_another_sweep(
    dropped, monkeypatch
):
    sweep, sweeps, asked = Sweeper.sweep, [], []

    def counted(*arguments, **options):
        sweeps.append(options)
        return sweep(*arguments, **options)

    def after(ended):
        asked.append(ended)
        if len(asked) == 50:
            signal.raise_signal(signal.SIGTERM)
        return 0.001

    monkeypatch.setattr(Sweeper, "sweep", counted)
    watch(Settings(inbox=dropped.inbox, outbox=dropped.outbox), LazyLog(quiet=True), after)
    assert len(sweeps) < 5


def test_a_run_whose_report_fails_does_its_work(dropped):
    dropped.drop("a.txt")
    (dropped.outbox / REPORT).mkdir(parents=True)
    code, _, said = run("run", *options(dropped))
    assert (code, "report.failed" in said) == (0, True)
    assert dropped.has_record("a")


def test_watch_keeps_the_report_up_to_date(dropped):
    dropped.drop("a.txt")
    report = dropped.outbox / REPORT
    with dropped.watching("--settle", "0", "--report") as watching:
        wait_for(lambda: report.exists() and "a.txt" in report.read_text())
        watching.signal(signal.SIGTERM)
        assert watching.end() == 0
    left = report.read_text()
    assert "a.txt" in left
    assert RENEWING not in left


def test_watch_leaves_a_report_of_the_last(page, monkeypatch):
    monkeypatch.setattr("pipeline.service.loop.watch", lambda *_: None)
    assert run("watch", "--report", "--outbox", str(page.parent))[0] == 0
    assert page.exists()


def test_no_archive_or_folder_takes_the_reports_name(dropped):
    assert next(stems_for(f"{REPORT}.zip")) == f"{REPORT}.zip"
    assert next(stems_for(REPORT, is_folder=True)) == f"{REPORT}~2"
    dropped.inbox.joinpath(f"{REPORT}.zip").write_bytes(packed(("a.txt", SMALL)))
    assert run("run", *options(dropped), "--workers", "1")[0] == 0
    assert (dropped.outbox / f"{REPORT}.zip" / "a_1.solution").exists()
    assert (dropped.outbox / REPORT).is_file()
