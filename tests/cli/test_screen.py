"""The lines of `run` and `watch` for a person at a terminal."""

from __future__ import annotations

import io
import re

import pytest
from support.cases import for_each
from support.claims import claimed

from pipeline.cli.screen import Screen
from pipeline.outbox.names import claim_key
from pipeline.service.protocol.checkpointed import PROGRESS
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


def finished(screen, source="a.txt", status="unique", **values):
    """Tell of a job of one puzzle."""
    told = {"solutions": 1, "complete": True, "certificate": "exhaustive-search", "message": None}
    is_bad = status in ("invalid", "unknown", "failed")
    say = screen.error if is_bad else screen.info
    say("job.finished", source=source, status=status, **told | {"seconds": SECONDS} | values)


def many(screen, totals, claimed=0):
    """Tell of a collection, `top.txt`."""
    told = {"status": "collection", "totals": totals, "proved": 0, "unverified": claimed}
    screen.info("job.finished", source="top.txt", seconds=SECONDS, **told)


def test_jobs_stand_in_columns_and_a_reason_behind_or_below(terminal):
    told = screen(terminal)
    finished(told, "classic.sudoku")
    finished(told, "six.txt", "multiple", solutions=6)
    finished(told, "x.txt", "invalid", message="x.txt:3:5: bad")
    finished(told, "none.txt", "unsolvable", message="row 1 holds 3 twice: row 1, column 1 and …")
    many(told, {"unique": 4916, "invalid": 0, "disagreements": 3})
    finished(told, seconds={"parse": 0.001, "batch": 7.0, "total": 7.001})
    assert terminal.lines == [
        "✓ classic.sudoku                      unique        9 ms",
        "✓ six.txt                             multiple      9 ms  6 solutions",
        "✗ x.txt                               invalid       9 ms  x.txt:3:5: bad",
        "✓ none.txt                            unsolvable    9 ms",
        "    row 1 holds 3 twice: row 1, column 1 and …",
        "✓ top.txt                             collection    9 ms  4,916 unique",
        "✓ a.txt                               unique",
    ]


@pytest.mark.parametrize("columns", [20, 40, 80, 120, 400])
def test_columns_line_up_whatever_the_names_and_the_width(columns, terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    told = screen(terminal)
    for name in ("a", "b" * 300, "数独" * 50, "é.txt", "\x1b[31m.txt"):
        finished(told, name)
    assert len(terminal.lines) == 5
    assert all(line.isprintable() for line in terminal.lines)
    narrow = [line for line in terminal.lines if "数" not in line]
    assert len({line.index("unique") for line in narrow}) == 1


NOTHING = "· nothing to do: drop files in inbox"
HELD = "! a.txt: the file is still being written: cp writes to it"
TABLE = "· puzzles of collections: outbox/NAME.csv"
DONE = "· results are in outbox; for a report: sudoku-pipeline report"


def work(told):
    many(told, {"unique": 40, "invalid": 2}, claimed=4)
    finished(told, certificate="unverified")
    told.sum_up()


def wait(told):
    finished(told)
    told.info("run.waited", seconds=1.5)
    told.sum_up()


def warn(told):
    told.warning("file.held", source="a.txt", reason="cp writes to it")
    told.sum_up()


def watch(told):
    told.info("watch.started", inbox="inbox")
    finished(told)
    told.info("watch.stopped")


def stop(told):
    told.info("watch.started", inbox="inbox")
    told.info("watch.stopped")


def pause(*sources):
    def tell(told):
        told.info("watch.started", inbox="inbox")
        for source in sources:
            told.info("job.paused", source=source)
        told.info("watch.stopped")

    return tell


def go_on(told):
    told.info("job.continued", source="top.txt", puzzles=30)
    told.info("job.continued", source="other.txt", puzzles=1000)
    told.info("job.paused", source="top.txt")
    told.info("job.continued", source="top.txt", puzzles=40)
    many(told, {"unique": 50})
    told.sum_up()


def unpack(told):
    told.info("job.finished", source="a.zip", status="archive", totals={}, seconds=SECONDS)
    told.sum_up()


def refuse(told):
    finished(told, "x.txt", "invalid")
    finished(told, "y.txt", "failed")
    finished(told, "z.txt", "unknown")
    told.sum_up()


@for_each(
    ("tell", "options", "last"),
    [
        (
            *(work, {}),
            [
                "    not verified as complete",
                "",
                "· 43 puzzles in 2 files, 2 s, 22/s",
                "    41 unique, 2 invalid, 5 not verified as complete",
                TABLE,
                DONE,
            ],
        ),
        (wait, {}, ["· 1 puzzle, 500 ms plus 1.5 s waiting for files, 2.0/s  1 unique", DONE]),
        (
            *(wait, {"outbox": "two words"}),
            ["· results are in two words; for a report: sudoku-pipeline report 'two words'"],
        ),
        (wait, {"report": True}, ["· results are in outbox; report: outbox/report.html"]),
        (warn, {}, [HELD]),
        (lambda told: told.sum_up(), {}, [NOTHING]),
        (lambda t: t.sum_up(was_stopped=True), {}, ["", "· stopped; no file was finished"]),
        (watch, {}, ["· 1 puzzle  1 unique", DONE]),
        (stop, {}, ["", "· stopped; no file was finished"]),
        (pause("a.txt"), {}, ["· stopped with 1 unfinished file; the next run continues it"]),
        (pause("a", "a"), {}, ["· stopped with 1 unfinished file; the next run continues it"]),
        (pause("a", "b"), {}, ["· stopped with 2 unfinished files; the next run continues them"]),
        (
            *(go_on, {}),
            [
                "· 50 puzzles in 1 file, 30 of them solved by earlier runs, 2 s, 10/s  50 unique",
                TABLE,
                DONE,
            ],
        ),
        (
            unpack,
            {},
            ["· puzzles of archives: outbox/NAME.csv", DONE],
        ),
        (
            *(refuse, {"inbox": "my in"}),
            [
                "· 2 failed files in my in/failed; fix them and run: sudoku-pipeline retry",
                "    --all --inbox 'my in'",
                DONE,
            ],
        ),
    ],
)
def test_the_end_says_how_many_how_fast_where_and_what_to_do_next(tell, options, last, terminal):
    tell(screen(terminal, **options))
    assert terminal.lines[-len(last) :] == last


def test_a_stopped_run_names_the_work_left(terminal, box):
    box.folders.prepare()
    for number in range(6):
        claimed(box, f"{number}.txt").close()
    box.drop("waiting.txt")
    folder = box.folders.work / claim_key("0.txt")
    (folder / PROGRESS).write_text('{"puzzles": 1200, "share": 0.41}\n')
    told = screen(terminal, inbox=box.inbox, outbox=box.outbox)
    finished(told)
    told.sum_up(was_stopped=True)
    text = " ".join("".join(terminal.lines).split())
    kept = text.partition("kept for the next run: ")[2].partition("·")[0]
    assert "1 file in " in kept
    assert "0.txt (1,200 puzzles done, 41%)" in kept
    assert kept.endswith("1 other unfinished file")


def test_a_run_with_nothing_to_do_names_files_that_are_ignored(terminal, box):
    for name in ("a.part", "b.tmp"):
        box.drop(name)
    screen(terminal, inbox=box.inbox).sum_up()
    text = " ".join("".join(terminal.lines).split())
    assert "nothing to do" in text
    assert "its name marks it as temporary), and 1 other" in text


def test_watch_says_what_it_watches(terminal):
    screen(terminal, inbox="in", outbox="out").info("watch.started", inbox="in")
    assert terminal.lines == ["· watching in; results go to out; press Ctrl-C to stop"]


@pytest.mark.parametrize(
    ("event", "values", "said"),
    [
        (
            *("solver.fallback", {"reason": "minisat is not installed", "solver": "pysat"}),
            "! pysat is used: minisat is not",
        ),
        (
            *("solver.fallback", {"source": "a.txt", "solver": "pysat", "reason": "it lied"}),
            "! a.txt: solved by pysat: it",
        ),
        (
            *("solver.fallback", {"source": "a.txt", "puzzles": 3}),
            "! a.txt: solved by another solver for 3 puzzles",
        ),
        ("environment.failed", {"reason": "inbox: no such folder"}, "! inbox: no such folder"),
        (
            *("command.failed", {"source": "a.txt", "reason": "exit code 3: " + "oops " * 20}),
            "! a.txt: exit code 3: oops",
        ),
    ],
)
def test_an_event_is_a_sentence_and_a_long_one_is_wrapped(event, values, said, terminal):
    screen(terminal).warning(event, **values)
    first, *below = terminal.lines
    assert first.startswith(said)
    assert all(len(line) < 80 and line.startswith("    oops") for line in below)


def test_quiet_leaves_problems(terminal):
    told = screen(terminal, quiet=True)
    finished(told)
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
    finished(told)
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
    finished(told, "b" * 100, seconds={"total": 0.0004})
    finished(told, "x.txt", "invalid", message="bad")
    told.sum_up()
    assert terminal.getvalue().isascii()
    assert [line[:1] for line in terminal.lines] == ["+", "x", "", "-", "-", "-"]


def test_a_terminal_that_is_closed_stops_nothing(terminal):
    told = screen(terminal)
    terminal.close()
    finished(told)


def test_a_file_that_was_given_up_has_no_time(terminal):
    finished(screen(terminal), status="failed", seconds={}, message="given up", certificate=None)
    assert re.fullmatch(r"✗ a\.txt +failed +given up", terminal.lines[0])


def test_an_event_without_its_values_is_shown_and_ends_no_job(terminal):
    screen(terminal).error("job.finished", source="a.txt", status="failed")
    assert terminal.lines == ["✗ job.finished {'source': 'a.txt', 'status': 'failed'}"]
