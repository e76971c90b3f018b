"""What is taken from the inbox, by whom, and in what order."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack

from support.dropping import NO_SOLUTION, SMALL, TWO_SOLUTIONS, events_in, wait_for

from pipeline.reading.read import glance
from pipeline.reading.source import Glance
from pipeline.service import loop
from pipeline.service.log import LazyLog
from pipeline.service.protocol.watch import Watcher
from pipeline.settings import Settings


def test_a_glance_tells_what_holds_many_and_what_is_cut_off():
    line = SMALL.replace("\n", "")
    seen = {
        "one": SMALL,
        "cut": SMALL[:10],
        "many": f"{line}\n{line}\n",
        "many cut": f"{line}\n{line}\n{line[:5]}",
        "formula": "p cnf 2 1\n1 2 0\n",
        "formula cut": "p cnf 2 2\n1 2 0\n",
    }
    found = {name: glance(text.encode(), name, Settings()) for name, text in seen.items()}
    found["zip"] = glance(b"PK\x05\x06" + bytes(18), "zip", Settings())
    assert found == {
        "one": Glance(),
        "cut": Glance(cut_off=True),
        "many": Glance(holds_many=True),
        "many cut": Glance(holds_many=True, cut_off=True),
        "formula": Glance(),
        "formula cut": Glance(cut_off=True),
        "zip": Glance(holds_many=True),
    }


def test_files_whose_events_were_lost_are_seen_all_the_same(box, monkeypatch):
    class Deaf(Watcher):
        """Says that it lives, and tells of nothing."""

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
    monkeypatch.setattr(loop, "RESCAN_SECONDS", 0.05)
    box.drop("a.txt")
    settings = Settings(inbox=box.inbox, outbox=box.outbox, settle=0.01)
    loop.watch(settings, LazyLog(quiet=True), next_one)
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
