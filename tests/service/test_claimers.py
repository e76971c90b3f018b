"""Further processes that claim files of the same inbox: nothing is lost, or done twice."""

from __future__ import annotations

import os
import resource
import signal
from collections import Counter

import pytest
from support.drop_folders import NO_SOLUTION, OTHER, SMALL, DropFolder
from support.logs import KeptLog
from support.sources import collection

from pipeline.service.claimers import Claimers
from pipeline.service.jobs import ChunkSizes
from pipeline.service.loop import run_once
from pipeline.service.runtime import Tuning
from pipeline.settings import Settings
from pipeline.solving.solvers.child import Peer

MODULE = "pipeline.service.claimers"


MAX_QUICK_PUZZLES = {"names_before_sharing": 4, "names_per_claimer": 4, "puzzles_per_claimer": 4}
"""Claimers get names though there are few."""


@pytest.fixture
def box(tmp_path):
    return DropFolder.within(tmp_path)


class Started:
    """Starts processes, and keeps those that claim. `then` is done with each."""

    def __init__(self, then=lambda _: None):
        self.peers = []
        self.modules = set()
        self._then = then

    def __call__(self, module):
        peer = Peer(module)
        self.modules.add(module)
        if module == MODULE:
            self.peers.append(peer)
            self._then(peer)
        return peer


def drop_singles(box, count=40):
    names = [f"{number:03}.txt" for number in range(count)]
    for place, name in enumerate(names):
        box.drop(name, SMALL if place % 2 else OTHER)
    return names


def run(box, start, log, **options):
    settings = Settings(inbox=box.inbox, outbox=box.outbox, workers=2, settle=0.05, **options)
    return run_once(settings, log, tuning=Tuning(start_worker=start, **MAX_QUICK_PUZZLES))


def finished(log):
    """How often each source was finished."""
    return Counter(fields["source"] for event, fields in log.told if event == "job.finished")


def test_each_file_is_processed_once_and_told_whoever_claims_it(box):
    names, log, start = drop_singles(box), KeptLog(), Started()
    assert run(box, start, log) == 0
    assert len(start.peers) == 2
    assert finished(log) == dict.fromkeys(names, 1)
    assert box.kept("done") == {*names}
    assert (box.waiting(), box.in_work()) == (set(), set())
    statuses = {box.record(name[:-4])["status"] for name in names}
    assert statuses == {"unique"}


@pytest.mark.trial
def test_small_collections_are_solved_by_those_who_claim_them(box):
    names, log, start = drop_singles(box), KeptLog(), Started()
    for name in names[::3]:
        box.drop(name, collection(5))
    assert run(box, start, log) == 0
    assert start.modules == {MODULE}
    assert finished(log) == dict.fromkeys(names, 1)
    assert (box.kept("done"), box.in_work()) == ({*names}, set())
    statuses = [box.record(name[:-4])["status"] for name in names[:3]]
    assert statuses == ["collection", "unique", "unique"]


@pytest.mark.trial
def test_a_collection_that_waits_for_others_is_given_to_another_process_once(box, monkeypatch):
    names, given, share = [f"{number:02}.txt" for number in range(24)], Counter(), Claimers.share
    for name in names:
        box.drop(name, collection(5))

    def counted(self, names, fewest):
        ours = share(self, names, fewest)
        given.update({*names}.difference(ours))
        return ours

    monkeypatch.setattr(Claimers, "share", counted)
    settings = Settings(inbox=box.inbox, outbox=box.outbox, workers=2, settle=0.05)
    log, tuning = KeptLog(), Tuning(ChunkSizes(chunk=20), **MAX_QUICK_PUZZLES)
    assert run_once(settings, log, tuning=tuning) == 0
    assert finished(log) == dict.fromkeys(names, 1)
    assert {*given.values()} == {1}


@pytest.mark.trial
def test_what_holds_no_single_puzzle_is_left_to_this_process(box):
    names, log = drop_singles(box), KeptLog()
    box.drop("many.txt", collection(30))
    box.drop("zz-bad.txt", "hello\n")
    box.drop("zz-none.txt", NO_SOLUTION)
    (box.inbox / "zz-folder").mkdir()
    (box.inbox / "zz-folder" / "a.txt").write_text(SMALL)
    os.mkfifo(box.inbox / "zz-pipe")
    assert run(box, Started(), log) == 1
    ours = {"many.txt", "zz-bad.txt", "zz-none.txt", "zz-pipe"}
    assert {*finished(log)} >= {*names, *ours}
    assert box.record("many")["status"] == "collection"
    assert box.kept("failed") == {"zz-bad.txt", "zz-pipe"}
    assert box.in_work() == set()


def test_a_claimer_that_dies_costs_nothing(box):
    def kill(peer):
        os.kill(peer._process.pid, signal.SIGKILL)

    names, log, start = drop_singles(box), KeptLog(), Started(kill)
    assert run(box, start, log) == 0
    assert start.peers
    assert finished(log) == dict.fromkeys(names, 1)
    assert (box.kept("done"), box.in_work()) == ({*names}, set())


@pytest.mark.trial
def test_one_that_cannot_be_started_is_done_without(box):
    def refuse(module):
        if module == MODULE:
            raise OSError("no more processes")
        return Peer(module)

    names = drop_singles(box)
    assert run(box, refuse, KeptLog()) == 0
    assert box.kept("done") == {*names}


@pytest.mark.trial
def test_told_to_stop_all_stop_and_the_next_run_does_the_rest(box):
    def stop(_):
        os.kill(os.getpid(), signal.SIGTERM)

    names, log = drop_singles(box, 200), KeptLog()
    assert run(box, Started(stop), log) == 75
    assert finished(log) == dict.fromkeys((name for name in names if name in box.kept("done")), 1)
    assert box.kept("done") < {*names}
    assert run(box, Started(), log) == 0
    assert finished(log) == dict.fromkeys(names, 1)
    assert (box.kept("done"), box.in_work()) == ({*names}, set())


@pytest.mark.trial
def test_one_whose_disk_is_full_says_so_and_the_others_finish_their_puzzle(box):
    """Nothing is lost, and nothing counts as an attempt."""
    names, log = drop_singles(box, 60), KeptLog()

    def fill(peer):
        limit_files(peer._process.pid)

    assert run(box, Started(fill), log) == 75
    reasons = [fields["reason"] for event, fields in log.told if event == "environment.failed"]
    assert len(reasons) == 1
    assert run(box, Started(), log) == 0
    assert box.kept("done") == {*names}
    assert box.in_work() == set()
    assert not box.kept("failed")
    crashes = [fields for event, fields in log.told if event in ("job.crashed", "batch.crashed")]
    assert crashes == []


def limit_files(pid):
    """Let a process write no file at all, as if its disk were full."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, 0))
