"""How far a job is: a bar on a terminal, a line in the log now and then elsewhere."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest
from support.logs import KeptLog

from pipeline.service.log import BAR_DELAY_SECONDS, HEARTBEAT_SECONDS, Display, LazyLog, Progress

TOTAL = 1000
"""The bytes of a source."""


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Clock:
    """Shows what it was set to."""

    now = 5000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def log():
    return KeptLog()


@pytest.fixture
def terminal(monkeypatch):
    for name, value in {"TERM": "xterm", "COLUMNS": "120", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("locale.getencoding", lambda: "utf-8")
    return Terminal()


@pytest.fixture
def bar(log, terminal, clock):
    display = Display(log, bar=True, stream=terminal, clock=clock)
    yield display
    display.end()


@pytest.fixture
def plain(log, clock):
    """A display without a bar."""
    return Display(log, bar=False, stream=Terminal(), clock=clock)


def at(puzzles, share=0.0, total=TOTAL):
    return Progress(puzzles, round(share * TOTAL), total)


def ticked(display, clock, source, progress):
    """Show the progress of a job that began long enough ago for a bar."""
    display.begin(source, progress)
    clock.now += BAR_DELAY_SECONDS
    display.tick(source, progress)


def shown(terminal):
    """The line that the bar shows now, without the signs that move the cursor."""
    last = re.split(r"[\r\n]", terminal.getvalue())[-1]
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", last)


def test_the_bar_tells_source_puzzles_rate_and_time_left(bar, terminal, clock):
    bar.begin("top.txt", at(0))
    clock.now += 10
    bar.tick("top.txt", at(20_000, share=0.25))
    line = shown(terminal)
    assert line.startswith("top.txt ")
    assert line.rstrip().endswith(" 20,000 puzzles, 2,000/s, 0:00:30 left")
    assert "━" in line
    clock.now += 2
    bar.tick("top.txt", at(48_000, share=0.5))
    assert "48,000 puzzles, 4,000/s, 0:00:12 left" in shown(terminal)


def test_the_rate_counts_from_when_a_job_first_began_or_else_from_its_first_tick(
    bar, terminal, clock
):
    bar.begin("top.txt", at(0))
    clock.now += BAR_DELAY_SECONDS / 2
    bar.begin("top.txt", at(500, share=0.5))
    bar.tick("top.txt", at(3000, share=0.1))
    assert terminal.getvalue() == "", "a job that is done soon shows no bar"
    clock.now += BAR_DELAY_SECONDS / 2
    bar.tick("top.txt", at(6000, share=0.2))
    assert "6,000 puzzles, 6,000/s, 0:00:04 left" in shown(terminal)
    bar.tick("other.txt", at(600_000, share=0.5))
    assert terminal.getvalue().endswith("\x1b[2K"), "it makes way for another"
    clock.now += 10
    bar.tick("other.txt", at(601_000, share=0.6))
    assert "601,000 puzzles, 100/s, 0:00:40 left" in shown(terminal), "what is new counts"


@pytest.mark.parametrize("progress", [at(1000, share=0.5, total=None), at(1000, share=1.5)])
def test_no_time_is_told_where_it_is_not_known(bar, terminal, clock, progress):
    bar.begin("set.zip", at(0, total=progress.bytes_total))
    clock.now += 10
    bar.tick("set.zip", progress)
    assert shown(terminal).rstrip().endswith("1,000 puzzles, 100/s")


def test_names_are_shown_as_they_are_but_for_what_a_terminal_would_obey(bar, terminal, clock):
    ticked(bar, clock, "[red]a\x1b[31m.txt", at(1))
    assert shown(terminal).startswith(r"[red]a\x1b[31m.txt ")


def screen(written):
    """The lines that a terminal shows after that was written to it, empty ones left out."""
    lines, row, column = [""], 0, 0
    for sign in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.|\n", written):
        match sign:
            case "\n":
                row, column = row + 1, 0
                lines += [""] * (row == len(lines))
            case "\r":
                column = 0
            case "\x1b[1A":
                row -= 1
            case "\x1b[2K":
                lines[row] = ""
            case _ if len(sign) == 1:
                lines[row] = lines[row][:column].ljust(column) + sign + lines[row][column + 1 :]
                column += 1
    return [line.rstrip() for line in lines if line.strip()]


@pytest.mark.parametrize("before", [[("a file that is no collection", None)], []])
def test_what_is_logged_stands_above_the_bar_which_is_erased_of_every_job(
    before, terminal, clock, monkeypatch
):
    monkeypatch.setattr(sys, "stderr", terminal)
    log = LazyLog(quiet=False)
    display = Display(log, bar=True, clock=clock)
    for event, _ in before:
        log.info(event)
    for source in ("a.txt", "b.txt", "c.txt"):
        ticked(display, clock, source, at(1))
        log.info("half of", source=source)
        display.tick(source, at(2))
        assert screen(terminal.getvalue())[-1].startswith(f"{source} ")
        log.info("all of", source=source)
        display.end()
    jobs = [(part, f"{name}.txt") for name in "abc" for part in ("half of", "all of")]
    said = [json.loads(line) for line in screen(terminal.getvalue())]
    assert [(each["event"], each.get("source")) for each in said] == before + jobs


def test_the_bar_is_taken_away_at_the_end_and_another_job_gets_its_own(bar, terminal, clock, log):
    before = sys.stderr
    ticked(bar, clock, "a.txt", at(1))
    bar.end()
    assert terminal.getvalue().endswith("\x1b[2K"), "the line is erased"
    assert sys.stderr is before
    ticked(bar, clock, "b.txt", at(5))
    assert shown(terminal).startswith("b.txt ")
    assert log.told == []


def test_without_a_bar_a_line_is_logged_every_half_minute(plain, clock, log):
    plain.begin("top.txt", at(0))
    for _ in range(12):
        clock.now += HEARTBEAT_SECONDS / 4
        plain.tick("top.txt", at(round(10 * (clock.now - Clock.now)), share=0.1234))
    values = {"source": "top.txt", "per_second": 10, "percent": 12.3}
    expected = [("job.progress", values | {"puzzles": count}) for count in (300, 600, 900)]
    assert log.told == expected


def test_a_job_that_is_done_sooner_is_not_logged_nor_a_share_that_is_not_known(plain, clock, log):
    for source in ("a.txt", "b.txt"):
        plain.begin(source, at(0))
        clock.now += HEARTBEAT_SECONDS - 1
        plain.tick(source, at(1000, share=0.9))
        plain.end()
    assert log.told == []
    plain.begin("set\x1b", at(0, total=None))
    clock.now += HEARTBEAT_SECONDS
    plain.tick("set\x1b", at(60, total=None))
    values = {"source": r"set\x1b", "puzzles": 60, "per_second": 2, "percent": None}
    assert log.told == [("job.progress", values)]


def test_where_there_is_no_terminal_nothing_but_the_log_is_written_to(clock, log):
    stream = io.StringIO()
    display = Display(log, bar=True, stream=stream, clock=clock)
    display.begin("a.txt", at(0))
    clock.now += HEARTBEAT_SECONDS
    display.tick("a.txt", at(1))
    display.end()
    assert (stream.getvalue(), len(log.told)) == ("", 1)


def test_items_pass_under_a_bar_that_counts_them(terminal, clock):
    display, seen = Display(None, bar=True, stream=terminal, clock=clock), []
    for item in display.with_progress(["a", "b", "c"], "report", "page", 3):
        seen.append(item)
        clock.now += BAR_DELAY_SECONDS
    assert seen == ["a", "b", "c"]
    assert "2 of 3 pages, 1/s, 0:00:01 left" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_of_slow_items_it_is_told_only_how_many_are_done(bar, terminal, clock):
    bar.begin("generating", Progress(0, 0, 10, is_count=True))
    for made, said in ((0, "0 of 10 puzzles"), (1, "1 of 10 puzzles")):
        clock.now += 10
        bar.tick("generating", Progress(made, made, 10, is_count=True))
        assert shown(terminal).rstrip().endswith(said)


def test_a_bar_shows_a_remark_after_the_number_of_items(bar, terminal, clock):
    bar.begin("generating", Progress(0, 0, 2, is_count=True))
    clock.now += 10
    bar.tick("generating", Progress(1, 1, 2, is_count=True, remark="5,120 tried"))
    assert shown(terminal).rstrip().endswith("1 of 2 puzzles, 5,120 tried")


def test_however_many_items_pass_the_bar_is_drawn_ten_times_a_second(terminal, clock):
    display = Display(None, bar=True, stream=terminal, clock=clock)
    for number in display.with_progress(range(10_000), "many"):
        clock.now += BAR_DELAY_SECONDS if not number else 0.0001
    assert terminal.getvalue().count("many") < 15


@pytest.mark.parametrize("lacks", ["locale", "stream", "dumb"])
def test_what_a_terminal_cannot_show_is_not_written(lacks, terminal, clock, monkeypatch):
    if lacks == "locale":
        monkeypatch.setattr("locale.getencoding", lambda: "ascii")
    elif lacks == "stream":
        monkeypatch.setattr(Terminal, "encoding", "ascii")
    else:
        monkeypatch.setenv("TERM", "dumb")
    display = Display(None, bar=True, stream=terminal, clock=clock)
    ticked(display, clock, "top.txt", at(20_000, share=0.25))
    assert terminal.getvalue().isascii()
    assert ("top.txt" in terminal.getvalue()) == (lacks != "dumb")
    display.end()
