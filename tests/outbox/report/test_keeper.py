"""The page as a file, and what keeps it up to date while jobs are finished."""

from __future__ import annotations

import os
import signal

import pytest
from support.commands import run
from support.drop_folders import SMALL, DropFolder, wait_for
from support.outboxes import packed

from pipeline.files import write_text_atomically
from pipeline.outbox.names import stems_for
from pipeline.outbox.report import REPORT, ReportUpdater, write_report
from pipeline.service.intake import Intake
from pipeline.service.log import LazyLog
from pipeline.service.loop import run_once, watch
from pipeline.settings import Settings


class Kept(ReportUpdater):
    """A keeper whose clock stands still, or goes on by `pace` whenever it is read."""

    def __init__(self, folder):
        self.now, self.pace, self.warnings = 100.0, 0.0, []
        super().__init__(folder, folder, self.warnings.append, self.clock)

    def clock(self):
        self.now += self.pace
        return self.now


@pytest.fixture
def keeper(tmp_path):
    return Kept(tmp_path)


@pytest.fixture
def page(tmp_path):
    return tmp_path / REPORT


def test_a_report_is_kept_at_most_every_few_seconds(keeper, page):
    assert keeper.jobs_finished(0) is None, "the first time it is written, whatever is there"
    first = page.stat().st_ino
    assert keeper.jobs_finished(0) is None
    assert keeper.jobs_finished(1) == 5.0
    assert page.stat().st_ino == first
    keeper.now += 4
    assert keeper.jobs_finished(0) == 1.0, "it is still to be written"
    keeper.now += 1
    assert keeper.jobs_finished(0) is None
    assert page.stat().st_ino != first
    page.unlink()
    keeper.update()
    keeper.close()
    assert (keeper.warnings, page.exists()) == ([], False), "no job has ended since"


def test_a_report_takes_a_tenth_of_the_time(keeper, page):
    keeper.pace = 1.0
    keeper.jobs_finished(0)
    assert page.exists()
    assert keeper.jobs_finished(1) > 5
    page.unlink()
    keeper.close()
    assert not page.exists(), "a last page that takes long is left to the next run"
    keeper.update()
    assert page.exists(), "at the end of a pass it is written all the same"
    assert [*page.parent.iterdir()] == [page]


def test_a_report_that_fails_is_tried_again_and_is_one_warning(keeper, page):
    page.mkdir()
    for _ in range(3):
        assert keeper.jobs_finished(0) == 5.0
        assert [path.name for path in page.parent.iterdir()] == [REPORT]
        keeper.now += 5
    page.rmdir()
    assert keeper.jobs_finished(0) is None
    assert page.is_file()
    (warning,) = keeper.warnings
    assert REPORT in warning


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
    def chunks():
        yield "a"
        raise OSError(28, "No space left on device")

    page.write_text("before")
    with pytest.raises(OSError, match="No space"):
        write_text_atomically(page, chunks())
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
    sweep, sweeps, asked = Intake.sweep, [], []

    def counted(*arguments, **options):
        sweeps.append(options)
        return sweep(*arguments, **options)

    def after(ended):
        asked.append(ended)
        if len(asked) == 50:
            signal.raise_signal(signal.SIGTERM)
        return 0.001

    monkeypatch.setattr(Intake, "sweep", counted)
    watch(Settings(inbox=dropped.inbox, outbox=dropped.outbox), LazyLog(quiet=True), after)
    assert len(sweeps) < 5


def test_a_run_whose_report_fails_does_its_work(dropped):
    dropped.drop("a.txt")
    (dropped.outbox / REPORT).mkdir(parents=True)
    code, _, said = run("run", *options(dropped), "--log-format", "json")
    assert (code, "report.failed" in said) == (0, True)
    assert dropped.has_record("a")


def test_watch_keeps_the_report_up_to_date(dropped):
    dropped.drop("a.txt")
    report = dropped.outbox / REPORT
    with dropped.watching("--settle", "0", "--report") as watching:
        wait_for(lambda: report.exists() and "a.txt" in report.read_text())
        watching.signal(signal.SIGTERM)
        assert watching.end() == 0
    assert "a.txt" in report.read_text()


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
