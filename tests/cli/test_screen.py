"""What `run` and `watch` tell a person at a terminal."""

from __future__ import annotations

import io
import re

import pytest

from pipeline.cli.screen import Screen
from pipeline.settings import Settings

SECONDS = {"total": 0.009}


class Terminal(io.StringIO):
    encoding = "utf-8"

    def __init__(self, *, is_terminal: bool = True) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self):
        return self._is_terminal

    @property
    def lines(self):
        return self.getvalue().splitlines()


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    for name, value in {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("locale.getencoding", lambda: "utf-8")


@pytest.fixture
def terminal():
    return Terminal()


def screen(terminal, **options):
    return Screen(Settings(**options), terminal, clock=iter(range(0, 1000, 2)).__next__)


def finished(screen, source, status, **values):
    """Tell of a job of one puzzle."""
    told = {"solutions": 1, "complete": True, "certificate": "exhaustion", "message": None}
    told |= {"seconds": SECONDS}
    is_bad = status in ("invalid", "unknown", "failed")
    say = screen.error if is_bad else screen.info
    say("job.finished", source=source, status=status, **told | values)


def many(screen, source, totals, claimed=0, **values):
    """Tell of a collection."""
    told = {"status": "collection", "totals": totals, "proved": 0, "claimed": claimed}
    screen.info("job.finished", source=source, seconds=SECONDS, **told | values)


def test_jobs_stand_in_columns_and_a_reason_behind_or_below(terminal):
    told = screen(terminal)
    finished(told, "classic.sudoku", "unique")
    finished(told, "six.txt", "multiple", solutions=6)
    finished(told, "x.txt", "invalid", message="x.txt:3:5: bad")
    finished(told, "none.txt", "unsolvable", message="row 1 holds 3 twice: row 1, column 1 and …")
    many(told, "top.txt", {"unique": 4916, "invalid": 0, "disagreements": 3})
    assert terminal.lines == [
        "✓ classic.sudoku                      unique        9 ms",
        "✓ six.txt                             multiple      9 ms  6 solutions",
        "✗ x.txt                               invalid       9 ms  x.txt:3:5: bad",
        "✓ none.txt                            unsolvable    9 ms",
        "    row 1 holds 3 twice: row 1, column 1 and …",
        "✓ top.txt                             collection    9 ms  4,916 unique",
    ]


@pytest.mark.parametrize("columns", [20, 40, 80, 120, 400])
def test_columns_line_up_whatever_the_names_and_the_width(columns, terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    told = screen(terminal)
    for name in ("a", "b" * 300, "数独" * 50, "é.txt", "\x1b[31m.txt"):
        finished(told, name, "unique")
    assert len(terminal.lines) == 5
    assert all(line.isprintable() for line in terminal.lines)
    narrow = [line for line in terminal.lines if "数" not in line]
    assert len({line.index("unique") for line in narrow}) == 1


def test_a_job_that_was_solved_together_with_others_has_no_time(terminal):
    told = screen(terminal)
    finished(told, "a.txt", "unique", seconds={"parse": 0.001, "batch": 7.0, "total": 7.001})
    assert terminal.lines == ["✓ a.txt                               unique"]


def test_waiting_for_files_is_not_in_the_rate(terminal):
    told = screen(terminal)
    finished(told, "a.txt", "unique")
    told.info("run.waited", seconds=1.5)
    told.sum_up()
    assert terminal.lines[-2] == "· 1 puzzle, 500 ms, 2.0/s  1 unique, besides 1.5 s of waiting"


def test_what_is_only_claimed_is_told_of_each_and_of_all(terminal):
    told = screen(terminal)
    finished(told, "a.txt", "unique", certificate="claimed")
    many(told, "top.txt", {"unique": 5}, claimed=4)
    told.sum_up()
    assert terminal.lines[1] == "    it was not proved that no solution is missing"
    assert terminal.lines[3] == "    5 unique, 4 only claimed"
    assert terminal.lines[5] == "· 6 puzzles in 2 files, 2 s, 3.0/s  6 unique, 5 only claimed"


def test_the_end_says_what_came_of_all_where_it_is_and_what_to_do_next(terminal):
    told = screen(terminal)
    many(told, "top.txt", {"unique": 40, "invalid": 2})
    finished(told, "a.txt", "unique")
    told.sum_up()
    assert terminal.lines[-3:] == [
        "",
        "· 43 puzzles in 2 files, 2 s, 22/s  41 unique, 2 invalid",
        "· results are in outbox; for a page: sudoku-pipeline report",
    ]


def test_the_next_step_is_for_the_outbox_that_was_used(terminal):
    told = screen(terminal, outbox="two words")
    finished(told, "a.txt", "unique")
    told.sum_up()
    assert terminal.lines[-1].endswith("for a page: sudoku-pipeline report 'two words'")


def test_a_page_that_is_there_is_named(terminal):
    told = screen(terminal, report=True)
    finished(told, "a.txt", "unique")
    told.sum_up()
    assert terminal.lines[-1] == "· results are in outbox, with a page of them: report.html"


def test_nothing_to_do_is_said_unless_something_else_was(terminal):
    screen(terminal).sum_up()
    assert terminal.lines == ["· nothing to do: drop files in inbox"]
    other = Terminal()
    told = screen(other)
    told.warning("file.held", source="a.txt", reason="cp writes to it")
    told.sum_up()
    assert other.lines == [
        "! a.txt: a file is not taken while somebody writes to it: cp writes to it"
    ]


def test_watch_says_what_it_watches_and_sums_up_when_it_stops(terminal):
    told = screen(terminal, inbox="in", outbox="out")
    told.info("watch.started", inbox="in")
    finished(told, "a.txt", "unique")
    told.info("watch.stopped")
    assert terminal.lines[0] == "· watching in; results go to out; Ctrl-C stops"
    assert terminal.lines[-2] == "· 1 puzzle, 2 s  1 unique", "there is no rate while it waits"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"reason": "minisat is not installed", "solver": "pysat"},
            "pysat answers: minisat is not",
        ),
        ({"source": "a.txt", "solver": "pysat", "reason": "it lied"}, "a.txt: pysat answered: it"),
        ({"source": "a.txt", "puzzles": 3}, "a.txt: another solver answered for 3 puzzles"),
    ],
)
def test_a_solver_that_takes_over_is_named(values, said, terminal):
    screen(terminal).warning("solver.fallback", **values)
    assert terminal.lines[0].startswith(f"! {said}")


def test_quiet_leaves_what_went_wrong(terminal):
    told = screen(terminal, quiet=True)
    finished(told, "a.txt", "unique")
    finished(told, "x.txt", "invalid", message="bad")
    told.warning("report.failed", reason="disk full")
    told.sum_up()
    assert [line[0] for line in terminal.lines] == ["✗", "!"]


@pytest.mark.parametrize("refusal", ["NO_COLOR", "dumb", "no terminal", None])
def test_failures_are_red_unless_colours_are_not_wanted(refusal, monkeypatch):
    terminal = Terminal(is_terminal=refusal != "no terminal")
    if refusal != "NO_COLOR":
        monkeypatch.delenv("NO_COLOR")
    if refusal == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    told = screen(terminal)
    finished(told, "x.txt", "invalid", message="bad")
    finished(told, "a.txt", "unique")
    bad, well = terminal.lines
    if refusal:
        assert "\x1b" not in terminal.getvalue()
    else:
        assert re.fullmatch(r"\x1b\[31m✗ x.txt .* bad\x1b\[0m", bad)
        assert re.fullmatch(r"\x1b\[32m✓\x1b\[0m a.txt .*", well)


@pytest.mark.parametrize("asked_by", ["locale", "stream"])
def test_ascii_alone_is_written_where_there_is_no_more(asked_by, terminal, monkeypatch):
    if asked_by == "locale":
        monkeypatch.setattr("locale.getencoding", lambda: "ANSI_X3.4-1968")
    else:
        terminal.encoding = "ascii"
    told = screen(terminal)
    finished(told, "b" * 100, "unique", seconds={"total": 0.0004})
    finished(told, "x.txt", "invalid", message="bad")
    told.sum_up()
    assert terminal.getvalue().isascii()
    assert [line[:1] for line in terminal.lines] == ["+", "x", "", "-", "-"]


def test_a_terminal_that_is_closed_stops_nothing(terminal):
    told = screen(terminal)
    terminal.close()
    finished(told, "a.txt", "unique")


def test_a_stop_is_said_and_not_taken_for_an_empty_inbox(terminal):
    screen(terminal).sum_up(was_stopped=True)
    assert terminal.lines == ["", "· stopped before anything was done"]
    other = Terminal()
    told = screen(other)
    told.info("watch.started", inbox="inbox")
    told.info("watch.stopped")
    assert other.lines[1:] == ["", "· stopped; nothing was dropped"]


def test_a_reason_that_says_all_stands_alone_and_long_ones_are_wrapped(terminal):
    told = screen(terminal)
    told.error("environment.failed", reason="inbox: no such folder; make it")
    told.warning("command.failed", source="a.txt", reason="--on-done: exit code 3: " + "oops " * 20)
    assert terminal.lines[0] == "✗ inbox: no such folder; make it"
    assert terminal.lines[1].startswith("! a.txt: --on-done: exit code 3: oops")
    assert terminal.lines[2].startswith("    oops")
    assert all(len(line) < 80 for line in terminal.lines)
