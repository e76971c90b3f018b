"""The commands that report, and what keeps a report up to date."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run as call
from dropping import SMALL, SMALL_SOLVED, DropFolder, finished, wait_for
from reporting import record
from support.auditing import packed

from pipeline.log import LazyLog
from pipeline.report import REPORT, Keeper, write_report, write_whole
from pipeline.report.page import RENEWING
from pipeline.report.writing import retire_report
from pipeline.run.loop import run_once
from pipeline.settings import Settings

HELD = """import pathlib, signal
class Environment:
    def __init__(self, *_, **__): pass
    def get_template(self, _): return self
    def generate(self, **_):
        yield "<html>"
        pathlib.Path("held").touch()
        try:
            while True: pass
        finally:
            signal.raise_signal(signal.SIGTERM)
FileSystemLoader = StrictUndefined = Environment
"""
"""A jinja2 that does not come to the end of a page."""


def link(page: Path) -> None:
    page.symlink_to("other.html")


def huge(page: Path) -> None:
    page.write_text(f"<html{RENEWING}>")
    os.truncate(page, 2**40)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_report_is_kept_at_most_every_few_seconds(tmp_path):
    clock, warnings = Clock(), []
    keeper = Keeper(tmp_path, tmp_path, warnings.append, clock)
    page = tmp_path / REPORT
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


def test_a_page_renews_itself_until_its_keeper_ends(tmp_path):
    clock, page = Clock(), tmp_path / REPORT
    for end, ended in (
        (Keeper.close, 0),
        (Keeper.close, 1),
        (Keeper.finish, 0),
        (Keeper.finish, 1),
    ):
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


def test_a_page_that_is_gone_when_its_keeper_ends_is_not_missed(tmp_path):
    warnings = []
    keeper = Keeper(tmp_path, tmp_path, warnings.append)
    keeper.after(0)
    (tmp_path / REPORT).unlink()
    keeper.close()
    assert (warnings, [*tmp_path.iterdir()]) == ([], [])


def test_a_report_that_fails_is_a_warning(tmp_path):
    warnings = []
    keeper = Keeper(tmp_path, tmp_path, warnings.append)
    (tmp_path / REPORT).mkdir()
    keeper.after(1)
    assert len(warnings) == 1
    assert REPORT in warnings[0]
    assert [path.name for path in tmp_path.iterdir()] == [REPORT]


def test_a_report_that_failed_is_tried_again_and_is_one_warning(tmp_path):
    clock, warnings = Clock(), []
    keeper = Keeper(tmp_path, tmp_path, warnings.append, clock)
    (tmp_path / REPORT).mkdir()
    for _ in range(3):
        assert keeper.after(0) == 5.0
        clock.now += 5
    (tmp_path / REPORT).rmdir()
    assert keeper.after(0) is None
    assert (tmp_path / REPORT).is_file()
    assert len(warnings) == 1


def test_a_slow_report_is_written_apart_and_does_not_delay_the_end(tmp_path, monkeypatch):
    clock, warnings, written = Clock(), [], []

    def write_slowly(_outbox, _inbox, target, *, is_kept):
        clock.now += 2
        written.append(target)

    monkeypatch.setattr("pipeline.report.keeper.write_report", write_slowly)
    keeper = Keeper(tmp_path, tmp_path, warnings.append, clock)
    assert keeper.after(0) is None
    assert keeper.after(1) == 40.0
    keeper.close()
    assert len(written) == 1
    clock.now += 40
    assert keeper.after(0) == 1.0, "to look at the process that writes it"
    wait_for((tmp_path / REPORT).exists)
    assert RENEWING in (tmp_path / REPORT).read_text()
    clock.now += 3
    wait_for(lambda: keeper.after(0) is None)
    assert keeper.after(1) == 60.0
    clock.now += 60
    keeper.after(0)
    keeper.close()
    assert [path.name for path in tmp_path.iterdir()] == [REPORT]
    assert RENEWING not in (tmp_path / REPORT).read_text()
    keeper.finish()
    assert (len(written), warnings) == (2, [])


def test_a_report_that_is_stopped_while_it_is_written_apart_leaves_nothing(tmp_path, monkeypatch):
    """Nor is it stopped anew while it clears up: Ctrl-C sends it a signal as well."""
    clock, warnings = Clock(), []
    outbox, work = tmp_path / "outbox", tmp_path / "work"

    def write_slowly(*_, **__):
        clock.now += 2

    monkeypatch.setattr("pipeline.report.keeper.write_report", write_slowly)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    for folder in (outbox, work):
        folder.mkdir()
    monkeypatch.chdir(work)
    Path("jinja2.py").write_text(HELD)
    keeper = Keeper(outbox, tmp_path, warnings.append, clock)
    keeper.after(0)
    clock.now += 40
    keeper.after(1)
    wait_for(Path("held").exists)
    assert [path.suffix for path in outbox.iterdir()] == [".tmp"]
    keeper.close()
    assert ([*outbox.iterdir()], warnings) == ([], [])


@pytest.mark.parametrize("plant", [os.mkfifo, link, huge])
def test_what_lies_in_a_pages_place_is_left_alone_when_its_keeper_ends(plant, tmp_path):
    page, other = tmp_path / REPORT, tmp_path / "other.html"
    other.write_text(f"<html{RENEWING}>")
    plant(page)
    before = page.lstat().st_ino, page.lstat().st_size
    with contextlib.suppress(OSError):
        retire_report(page)
    assert (page.lstat().st_ino, page.lstat().st_size) == before
    assert other.read_text() == f"<html{RENEWING}>"


def test_who_keeps_the_report_is_told_of_each_job_as_it_ends(tmp_path):
    box = DropFolder.within(tmp_path)
    told = []
    for name in ("a.txt", "b.txt", "c.txt"):
        box.drop(name)
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0)
    run_once(settings, LazyLog("json", quiet=True), told.append)
    assert told == [1, 1, 1, 0, 0]


def test_a_run_whose_report_fails_does_its_work(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("a.txt")
    box.outbox.mkdir()
    (box.outbox / REPORT).mkdir()
    result = box.run("--settle", "0", "--report")
    assert result.returncode == 0
    assert "report.failed" in result.stderr
    assert box.has_record("a")


def test_watch_keeps_the_report_up_to_date(tmp_path):
    box = DropFolder.within(tmp_path)
    box.drop("a.txt")
    report = box.outbox / REPORT
    with box.watching("--settle", "0", "--report") as watching:
        wait_for(lambda: report.exists() and "a.txt" in report.read_text())
        watching.signal(signal.SIGTERM)
        assert watching.end() == 0
    left = (box.outbox / REPORT).read_text()
    assert "a.txt" in left
    assert RENEWING not in left


def test_watch_leaves_a_report_of_the_last(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.cli.folders.watch_folders", lambda *_: None)
    assert call("watch", "--report", "--outbox", str(tmp_path))[0] == 0
    assert (tmp_path / REPORT).exists()


def test_solve_draws_the_puzzle_as_a_file(puzzle_folder):
    code, printed, _ = call("solve", "--svg", "a.svg", "two.txt")
    assert code == 0
    assert printed.startswith("solution exists\n")
    text = Path("a.svg").read_text()
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert 'class="difference"' in text
    assert call("solve", "--svg", "b.svg", "clash.txt")[0] == 0
    assert 'class="conflict"' in Path("b.svg").read_text()
    assert not list(Path.cwd().glob(".*.tmp"))


def test_solve_draws_one_puzzle_or_none(puzzle_folder):
    code, _, said = call("solve", "--svg", "a.svg", "two.txt", "six.txt")
    assert (code, said) == (2, "sudoku-pipeline: --svg: give one puzzle to draw\n")
    assert call("solve", "--svg", "a.svg", "bad.txt")[0] == 1
    Path("large.txt").write_text("c\n2 13\n" + "0 " * 26**2)
    code, _, said = call("solve", "--svg", "a.svg", "--max-solutions", "1", "large.txt")
    assert code == 1
    assert "more than 25×25" in said
    assert not Path("a.svg").exists()


def test_a_link_is_followed_and_what_is_no_file_is_written_to(puzzle_folder):
    Path("outbox").mkdir()
    Path("link").symlink_to("real")
    Path("real").write_text("before")
    os.mkfifo("pipe")
    for arguments in (["solve", "unique.txt", "--svg"], ["report", "outbox", "-o"]):
        reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
        for target in ("link", "pipe"):
            assert call(*arguments, target)[0] == 0
        assert os.read(reader, 9) == Path("real").read_bytes()[:9] != b"before"
        os.close(reader)
    assert Path("link").is_symlink()
    assert Path("pipe").is_fifo()


def test_a_drawing_goes_to_standard_output_in_place_of_the_solution(puzzle_folder):
    code, printed, _ = call("solve", "--svg", "-", "unique.txt")
    assert (code, printed[:5], printed[-7:]) == (0, "<svg ", "</svg>\n")
    assert not Path("-").exists()


def test_what_cannot_be_written_is_refused_by_its_name(puzzle_folder):
    Path("outbox").mkdir()
    for target, why in {"": ". is a folder", ".": ". is a folder", "no/a": "no/a: the fo"}.items():
        for option, *arguments in (("--svg", "solve", "unique.txt"), ("--output", "report")):
            code, _, said = call(*arguments, option, target)
            assert (code, said.startswith(f"sudoku-pipeline: {option}: {why}")) == (2, True)
    before = Path("unique.txt").read_text()
    Path("same.svg").symlink_to("unique.txt")
    for target in ("unique.txt", "same.svg"):
        code, _, said = call("solve", "--svg", target, "unique.txt")
        assert (code, "is the file that is read" in said) == (2, True)
    assert Path("unique.txt").read_text() == before


def test_what_a_killed_writer_left_is_removed_in_time(tmp_path):
    old, new, other = (
        tmp_path / f".{name}.tmp"
        for name in (f"{REPORT}-00c0ffee", f"{REPORT}-00c0ffe1", "page.html-00c0ffee")
    )
    for path in (old, new, other):
        path.touch()
    for path in (old, other):
        os.utime(path, (0, 0))
    write_report(tmp_path, tmp_path, tmp_path / REPORT)
    assert {*tmp_path.iterdir()} == {new, other, tmp_path / REPORT}


def test_solve_prints_box_lines_on_a_terminal_alone(puzzle_folder, monkeypatch):
    assert call("solve", "unique.txt")[1] == "solution exists\n" + SMALL_SOLVED
    primary, replica = pty.openpty()
    process = os.fork()
    if process == 0:
        os.dup2(replica, 1)
        os.execv(sys.executable, [sys.executable, "-m", "pipeline", "solve", "unique.txt"])
    os.close(replica)
    shown = b""
    while True:
        try:
            piece = os.read(primary, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    assert os.waitpid(process, 0)[1] == 0
    assert shown.decode().replace("\r\n", "\n") == (
        "solution exists\n 1  2 | 4  3\n 3  4 | 2  1\n------+------\n 4  3 | 1  2\n 2  1 | 3  4\n"
    )


def test_help_loads_neither_jinja_nor_the_report():
    code = "import sys; from pipeline.cli.commands import app; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ).stdout.split()
    assert "pipeline.cli.reporting" in loaded
    assert not {"jinja2", "pipeline.report"} & {*loaded}


def test_nothing_of_the_report_is_left_when_it_is_killed_by_a_full_disk(tmp_path, monkeypatch):
    def pieces():
        yield "a"
        raise OSError(28, "No space left on device")

    (tmp_path / "page.html").write_text("before")
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "page.html", pieces())
    assert (tmp_path / "page.html").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_report_without_its_outbox_named_is_of_the_usual_one(tmp_path):
    (tmp_path / "outbox").mkdir()
    done = finished("report", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "outbox/report.html\n")


def test_a_folder_that_is_not_there_is_the_surroundings_fault(tmp_path):
    code, _, said = call("report", str(tmp_path / "nowhere"))
    assert code == 75
    assert "no such folder" in said


@pytest.mark.parametrize("is_there", [False, True], ids=["before the report", "after it"])
def test_a_dropped_archive_does_not_take_the_reports_name(is_there, tmp_path):
    box = DropFolder.within(tmp_path)
    box.outbox.mkdir()
    if is_there:
        write_report(box.outbox, box.inbox, box.outbox / REPORT)
    box.inbox.joinpath("report.html.zip").write_bytes(packed(("a.txt", SMALL)))
    assert box.run("--settle", "0", "--report").returncode == 0
    assert (box.outbox / "report.html.zip" / "a_1.solution").exists()
    assert (box.outbox / REPORT).is_file()


def test_a_dropped_folder_does_not_take_the_reports_name(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.dropbox.settle.FOLDER_SECONDS", 0.1)
    box = DropFolder.within(tmp_path)
    (box.inbox / "report.html").mkdir()
    (box.inbox / "report.html" / "a.txt").write_text(SMALL)
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    assert call("run", *folders, "--settle", "0", "--report")[0] == 0
    assert (box.outbox / "report.html~2" / "a_1.solution").exists()
    assert (box.outbox / REPORT).is_file()
