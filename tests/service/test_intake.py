"""Files taken from the inbox: by whom, and in what order; and the words about slow programs."""

from __future__ import annotations

import base64
import errno
import os
import signal
from contextlib import ExitStack
from importlib import import_module

import pytest
from support.drop_folders import NO_SOLUTION, OTHER, SMALL, TWO_SOLUTIONS, events_in, wait_for
from support.forks import ForkedPeer
from support.logs import KeptLog
from support.sources import collection

from pipeline.native import Program
from pipeline.reading import Collection, SingleFormula, SinglePuzzle, Unreadable
from pipeline.reading.read import source_in
from pipeline.service import intake, loop
from pipeline.service.doctor import UncompiledPrograms
from pipeline.service.jobs import ChunkSizes
from pipeline.service.log import LazyLog
from pipeline.service.protocol.overview import LAST_SCAN
from pipeline.service.protocol.watch import Watcher
from pipeline.service.runtime import Tuning
from pipeline.settings import Settings

detecting = import_module("pipeline.reading.formats.detect")
reading = import_module("pipeline.reading.read")
LINE = SMALL.replace("\n", "")
NAMES = ("batch", "check", "variants", "cdcl", "trim")
FINE = dict.fromkeys(NAMES)
NO_PLACE = dict.fromkeys(NAMES, "no place")
TRUSTING = {"solver": "minisat", "trust_solver": True}


@pytest.mark.parametrize(
    ("text", "kind", "is_cut_off"),
    [
        (SMALL, SinglePuzzle, False),
        (SMALL[:10], Unreadable, True),
        (f"{LINE}\n{LINE}\n", Collection, False),
        (f"{LINE}\n{LINE}\n{LINE[:5]}", Collection, True),
        ("p cnf 2 1\n1 2 0\n", SingleFormula, False),
        ("p cnf 2 2\n1 2 0\n", SingleFormula, True),
        ("PK\x05\x06" + "\0" * 18, type(None), False),
    ],
    ids=["one", "cut", "many", "many cut", "formula", "formula cut", "zip"],
)
def test_a_look_tells_what_a_file_holds_and_whether_it_is_cut_off(text, kind, is_cut_off):
    found, cut_off = source_in(text.encode(), "a.txt", Settings())
    assert (type(found), cut_off) == (kind, is_cut_off)
    if isinstance(found, SinglePuzzle | SingleFormula):
        assert found.parsed is not None


def test_a_dropped_file_is_parsed_once(box, monkeypatch):
    parsed = []
    parse = detecting.parse_single
    monkeypatch.setattr(
        detecting, "parse_single", lambda *given: parsed.append(given[1]) or parse(*given)
    )
    names = ["once.txt", "other.txt", "too.txt"]
    for name in names:
        box.drop(name, OTHER if name == "other.txt" else SMALL)
    settings = Settings(inbox=box.inbox, outbox=box.outbox)
    assert loop.run_once(settings, LazyLog(quiet=True)) == 0
    assert sorted(parsed) == names


def test_a_text_that_is_slow_to_read_is_read_in_its_claim_until_the_time_is_up(box):
    pattern = base64.urlsafe_b64encode(b".*[19].{9}").decode().rstrip("=")
    box.drop("a.txt", f".Regex~{pattern}~R1C1~R1C2~R1C3~R1C4~R1C5~R1C6~R1C7~R1C8~R1C9")
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0.01, timeout=0.001)
    assert source_in((box.inbox / "a.txt").read_bytes(), "a.txt", settings) == (None, False)
    assert loop.run_once(settings, LazyLog(quiet=True)) == 1
    assert box.record("a")["status"] == "invalid"
    assert box.record("a")["message"].endswith("raise --timeout, found more")


def forked_run(settings):
    """A run in another process; its exit code."""
    pid = os.fork()
    if not pid:
        try:
            os._exit(loop.run_once(settings, LazyLog(quiet=True)))
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.usefixtures("started_engines")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("deadly", [True, False])
def test_a_file_whose_reading_always_crashes_is_failed_after_three_attempts(
    box, monkeypatch, deadly
):
    def crashing(read):
        def wrapped(source, name, settings, **options):
            if name == "a.txt" and deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            if name == "a.txt":
                raise RecursionError("too deep")
            return read(source, name, settings, **options)

        return wrapped

    for name in ("source_in", "source_at"):
        monkeypatch.setattr(reading, name, crashing(getattr(reading, name)))
    box.drop("a.txt")
    box.drop("b.txt")
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0.01)
    kills = [-signal.SIGKILL] * (3 * deadly)
    assert [forked_run(settings) for _ in range(len(kills) + 1)] == [*kills, 1]
    assert (box.kept("failed"), box.kept("done"), box.in_work()) == ({"a.txt"}, {"b.txt"}, set())
    killed = "each attempt crashed or killed its process"
    why = killed if deadly else "RecursionError: too deep"
    assert box.record("a")["message"] == f"given up after 3 attempts: {why}"


def test_the_mark_of_the_last_scan_may_be_another_users(box, monkeypatch, capsys):
    stamp = box.folders.work / LAST_SCAN

    def refuse(_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(intake, "stamp_scan", refuse)
    for name in ("a.txt", "b.txt", "c.txt"):
        box.drop(name)
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0.01)
    assert loop.run_once(settings, LazyLog(quiet=True), tuning=Tuning(stamp_seconds=0.0)) == 0
    assert box.kept("done") == {"a.txt", "b.txt", "c.txt"}
    (stuck,) = events_in(capsys.readouterr().err)
    assert (stuck["event"], stuck["reason"]) == (
        "marker.unchangeable",
        f"{stamp}: Permission denied",
    )


def test_a_file_whose_first_look_crashes_is_read_in_its_claim(box, monkeypatch):
    def crash(*_):
        raise RecursionError("too deep")

    monkeypatch.setattr(reading, "source_in", crash)
    box.drop("a.txt")
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0.01)
    assert loop.run_once(settings, LazyLog(quiet=True)) == 0
    assert box.record("a")["status"] == "unique"


def test_files_whose_events_were_lost_are_seen_all_the_same(box, monkeypatch):
    class Deaf(Watcher):
        """Pretends to live, and never rings."""

        def start(self):
            """Nothing is watched."""

        def is_alive(self):
            return True

    def next_one(_ended):
        if not box.has_record("a"):
            return 0.05  # as a rescan is due
        if not box.waiting() and not box.has_record("b"):
            box.drop("b.txt")
        if box.has_record("b"):
            os.kill(os.getpid(), signal.SIGTERM)
        return None

    monkeypatch.setattr(loop, "Watcher", Deaf)
    box.drop("a.txt")
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0.01)
    loop.watch(settings, LazyLog(quiet=True), next_one, Tuning(rescan_seconds=0.05))
    assert box.kept("done") == {"a.txt", "b.txt"}


def test_two_watches_and_a_run_process_each_file_exactly_once(box):
    names = {f"{number}.txt" for number in range(60)}
    others = {0: TWO_SOLUTIONS, 1: NO_SOLUTION, 2: "hello\n"}
    for name in names:
        box.drop(name, others.get(int(name[:-4]) % 25, SMALL))
    options = ("--settle", "0.01", "--prove", "never")
    with ExitStack() as stack:
        watches = [stack.enter_context(box.watching(*options)) for _ in range(2)]
        run = box.run(*options)
        assert run.returncode in (0, 1)
        wait_for(lambda: not box.waiting() and not box.in_work())
        for watch in watches:
            watch.signal(signal.SIGTERM)
            assert watch.end() == 0
        logs = [watch.events() for watch in watches] + [events_in(run.stderr)]
    ended = [event["source"] for log in logs for event in log if event["event"] == "job.finished"]
    assert sorted(ended) == sorted(names)
    assert (len(box.kept("done")), len(box.kept("failed"))) == (57, 3)


@pytest.mark.parametrize(
    ("options", "lacking", "told"),
    [
        ({"solver": "auto"}, NO_PLACE, [("batch, check, variants, cdcl and trim", "no place")]),
        ({"solver": "batch"}, NO_PLACE, [("batch, check, variants and trim", "no place")]),
        ({"solver": "auto"}, FINE, []),
        ({"solver": "auto"}, FINE | {"check": "broken"}, [("check", "broken")]),
        (
            {"solver": "auto"},
            FINE | {"batch": "no place", "check": "broken"},
            [("batch", "no place"), ("check", "broken")],
        ),
        ({"solver": "minisat"}, NO_PLACE, [("check, variants and trim", "no place")]),
        (TRUSTING, NO_PLACE, []),
        (TRUSTING | {"solver": "batch"}, NO_PLACE, [("batch", "no place")]),
    ],
)
def test_programs_that_are_not_compiled_are_named_with_the_reason(
    options, lacking, told, monkeypatch
):
    monkeypatch.setattr(Program, "unavailable_reason", lambda program: lacking[program.name])
    log = KeptLog()
    UncompiledPrograms(Settings(**options), log).check()
    assert log.told == [("compiled.missing", {"programs": who, "reason": why}) for who, why in told]


def test_what_is_compiled_meanwhile_is_told(monkeypatch):
    lacking = dict(NO_PLACE)
    monkeypatch.setattr(Program, "unavailable_reason", lambda program: lacking[program.name])
    log = KeptLog()
    slow = UncompiledPrograms(Settings(solver="auto"), log, check_seconds=0.0)
    slow.check()
    lacking |= {"batch": "it is being compiled", "check": "it is being compiled"}
    slow.check()
    lacking |= {"batch": None, "check": None}
    slow.check()
    assert log.told[1:] == [
        ("compiled.missing", {"programs": "batch and check", "reason": "it is being compiled"}),
        ("compiled.ready", {"programs": "batch and check"}),
    ]


@pytest.mark.usefixtures("started_engines")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_run_says_once_what_is_slow_if_it_needs_workers(box, monkeypatch):
    monkeypatch.setattr(Program, "unavailable_reason", lambda _program: "no place")
    settings = Settings(inbox=box.inbox, outbox=box.outbox, workers=2)
    told = []
    for chunk in (10, 1000):
        box.drop("a.txt", collection(3).decode())
        log = KeptLog()
        loop.run_once(
            settings, log, tuning=Tuning(ChunkSizes(chunk=chunk), start_worker=ForkedPeer)
        )
        told.append([event for event, _ in log.told].count("compiled.missing"))
    assert told == [1, 0]
