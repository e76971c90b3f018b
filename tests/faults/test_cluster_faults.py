"""Workers, schedulers and coordinators that die half-way: the bytes are those of a local run."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from breaking import Breaker
from bulk import (
    NOTED,
    STOP,
    WAIT,
    Bench,
    BulkBreaker,
    Doubling,
    answers,
    check_records,
    check_tidy,
    collection,
    drop,
    told,
)
from clustering import Machines, PassedOver, asked, doubles, stopped, workers_of
from dropping import DropFolder, environment, wait_for
from needs import needs_dask, needs_linux
from solving import children, has_ended

from pipeline.dropbox.growing import last_noted
from pipeline.errors import EnvironmentFailure
from pipeline.run.cluster import Cluster
from pipeline.run.crew import Timeouts
from pipeline.run.stop import Interrupted
from pipeline.settings import Settings

pytestmark = [needs_dask, needs_linux]

NUMBERS = tuple(range(24))
GOOD = [(i, 2 * i) for i in NUMBERS]
BAD = frozenset({7})


def fated(**fates: object) -> Iterator[Doubling]:
    """Requests for the doubles of NUMBERS, two in each, with something wrong at some."""
    return (Doubling((i, i + 1), **fates) for i in NUMBERS[::2])


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with Machines.started(tmp_path_factory.mktemp("machines")) as started:
        yield started


@pytest.fixture(scope="module")
def breaker() -> Iterator[Breaker]:
    with BulkBreaker.started() as started:
        yield started


@pytest.fixture
def bench(tmp_path: Path, breaker: Breaker) -> Bench:
    return Bench.within(tmp_path, breaker)


@pytest.fixture(scope="module")
def local(
    tmp_path_factory: pytest.TempPathFactory, breaker: Breaker
) -> dict[str, dict[str, bytes | None]]:
    """What runs without a cluster give."""
    found = {}
    for kind in ("collection", "zip"):
        bench = Bench.within(tmp_path_factory.mktemp(kind), breaker)
        drop(bench.box, kind, "set")
        bench.run("--workers", "1")
        found[kind] = answers(bench.box)
    return found


def check(bench: Bench, expected: dict[str, bytes | None]) -> None:
    assert answers(bench.box) == expected
    check_records(bench.box)
    check_tidy(bench.box)


def test_a_worker_that_dies_while_it_computes_is_made_good(
    machines: Machines, tmp_path: Path
) -> None:
    assert asked(machines.address, fated(deadly_once=tmp_path / "died")) == GOOD
    assert (tmp_path / "died").exists()


def test_a_worker_that_is_stopped_holds_up_nothing_and_its_late_answer_counts_for_nothing(
    machines: Machines, tmp_path: Path
) -> None:
    held, log, given = tmp_path / "held", PassedOver(), []
    timeouts = Timeouts(silence=1.0)
    with closing(Cluster(machines.address, Settings(), lambda: False, log, timeouts)) as workers:
        replies = workers.replies(fated(held_once=held))
        while not held.exists():
            given.append(next(replies))
        pid = int(wait_for(held.read_text))
        with stopped(pid):
            held.unlink()
            given += replies
        assert doubles(given) == GOOD
        assert "it does not answer" in log
        assert doubles(workers.replies(fated())) == GOOD


def test_workers_that_are_all_stopped_are_as_none(machines: Machines) -> None:
    with (
        stopped(*machines.workers()),
        pytest.raises(EnvironmentFailure, match="no worker answers"),
    ):
        asked(machines.address, fated(), timeouts=Timeouts(no_worker=0.3))
    assert asked(machines.address, fated()) == GOOD


@pytest.mark.parametrize("fate", ["deadly", "crashing"])
def test_what_ends_every_worker_is_given_up_alone(fate: str, machines: Machines) -> None:
    why = {
        "deadly": "the process that computed it died with exit code -9",
        "crashing": "ZeroDivisionError: no reason",
    }[fate]
    assert asked(machines.address, fated(**{fate: BAD})) == [
        (number, why if number in BAD else double) for number, double in GOOD
    ]


def test_surroundings_that_fail_a_worker_are_raised_at_its_turn(machines: Machines) -> None:
    with closing(Cluster(machines.address, Settings(), lambda: False)) as workers:
        replies = workers.replies(fated(lacking=BAD))
        assert len(list(islice(filter(None, replies), 3))) == 3
        with pytest.raises(EnvironmentFailure, match="there is no room"):
            list(replies)
        assert len(list(filter(None, workers.replies(fated())))) == 12


@pytest.mark.parametrize("kind", ["collection", "zip"])
def test_workers_killed_half_way_cost_a_job_nothing(
    kind: str, bench: Bench, machines: Machines, local: dict[str, dict[str, bytes | None]]
) -> None:
    drop(bench.box, kind, "set")
    argv = ("run", "--cluster", machines.address)
    pid = bench.start(*argv, step=NOTED, nth=2, what=WAIT)
    bench.wait_until_held()
    for worker in machines.workers():
        os.kill(worker, signal.SIGKILL)
    bench.go()
    assert bench.breaker.wait(pid) == 1
    check(bench, local[kind])


def test_a_run_whose_scheduler_is_killed_half_way_is_gone_on_with_on_another(
    bench: Bench,
    machines: Machines,
    tmp_path: Path,
    local: dict[str, dict[str, bytes | None]],
) -> None:
    drop(bench.box, "collection", "set")
    with Machines.started(tmp_path, workers=1) as passing:
        pid = bench.start("run", "--cluster", passing.address, step=NOTED, nth=2, what=WAIT)
        bench.wait_until_held()
        passing.scheduler.kill()
        passing.scheduler.wait()
        bench.go()
        assert bench.breaker.wait(pid) == 75
    (said,) = (event for event in bench.events() if event["event"] == "environment.failed")
    assert said["reason"] == f"{passing.address}: the connection to the scheduler was lost"
    done = max(told(bench.events(), "noted"))
    code, events = bench.run("--cluster", machines.address)
    assert code == 1
    assert min(told(events, "noted")) == done + 1
    check(bench, local["collection"])


@pytest.mark.parametrize("kind", ["collection", "zip"])
def test_a_coordinator_killed_half_way_goes_on_behind_what_it_noted(
    kind: str, bench: Bench, machines: Machines, local: dict[str, dict[str, bytes | None]]
) -> None:
    drop(bench.box, kind, "set")
    cluster = ("--cluster", machines.address)
    assert bench.run(*cluster, step=NOTED, nth=2)[0] == -signal.SIGKILL
    code, events = bench.run(*cluster, step=NOTED, nth=2, what=STOP)
    assert (code, told(events, "noted")) == (75, [3, 4])
    code, events = bench.run(*cluster)
    assert (code, min(told(events, "noted"))) == (1, 5)
    check(bench, local[kind])


def test_a_job_may_go_from_a_cluster_to_this_machine_and_back(
    bench: Bench, machines: Machines, local: dict[str, dict[str, bytes | None]]
) -> None:
    drop(bench.box, "zip", "set")
    cluster, here = ("--cluster", machines.address), ("--workers", "1")
    for number, options in enumerate((cluster, here)):
        code, events = bench.run(*options, step=NOTED, nth=2)
        assert (code, told(events, "noted")) == (-signal.SIGKILL, [2 * number + 1, 2 * number + 2])
    assert bench.run(*cluster)[0] == 1
    check(bench, local["zip"])


def test_watch_waits_for_a_scheduler_to_come_back(
    bench: Bench, tmp_path: Path, local: dict[str, dict[str, bytes | None]]
) -> None:
    with Machines.started(tmp_path, workers=1) as first:
        port = first.address.rpartition(":")[2]
        pid = bench.start("watch", "--cluster", first.address, step=NOTED, nth=2, what=WAIT)
        drop(bench.box, "collection", "set")
        bench.wait_until_held()
        first.scheduler.kill()
        first.scheduler.wait()
        bench.go()
        wait_for(lambda: any(e["event"] == "environment.failed" for e in bench.events()))
    with Machines.started(tmp_path, workers=1, port=port):
        wait_for(lambda: bench.box.has_record("set"))
        wait_for(lambda: not bench.box.in_work())
        os.kill(pid, signal.SIGTERM)
        assert bench.breaker.wait(pid) == 0
    check(bench, local["collection"])


def test_being_told_to_stop_ends_the_wait_and_what_workers_of_our_own_compute() -> None:
    told: list[object] = []
    with closing(Cluster("local:1", Settings(), lambda: told[2:] == [None])) as remote:
        replies = (
            told.append(reply)
            for reply in remote.replies(fated(endless=frozenset({4})))
            if reply is not None or len(told) == 2
        )
        with pytest.raises(Interrupted):
            list(replies)
        (worker,) = workers_of(os.getpid())
    assert len(told) == 3
    assert has_ended(worker)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_cluster_of_this_machine_ends_with_the_run_and_says_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    box = DropFolder.within(tmp_path)
    box.drop("set", collection(100_000))
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipeline", "run", "--cluster", "local:2", "--quiet"],
            env=environment(),
            cwd=tmp_path,
            stderr=said,
            process_group=0,
        )
    wait_for(lambda: any(map(last_noted, box.inbox.glob(".work/[!.]*"))))
    started = children(process.pid)
    assert len(workers_of(process.pid)) == 2
    if number == signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, number)  # as Ctrl-C, and systemd, do
    assert process.wait(30) == (75 if number != signal.SIGKILL else -signal.SIGKILL)
    assert all(has_ended(pid) for pid in started)
    if number != signal.SIGKILL:
        assert (tmp_path / "said").read_text() == ""


DEADLY = """\
import os, signal
from pipeline.run.requests import PieceOf
compute = PieceOf.compute
def compute_or_die(self, *rest):
    if b"4......32......1" in self.piece.data:
        os.kill(os.getpid(), signal.SIGKILL)
    return compute(self, *rest)
PieceOf.compute = compute_or_die
"""
"""A module that every Python loads at its start: a puzzle of a collection becomes deadly."""


def test_a_puzzle_that_kills_every_worker_is_a_failed_row_and_the_rest_is_solved(
    tmp_path: Path,
) -> None:
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    lines = ["1.....2..3.....4"] * 60
    lines[20] = "4......32......1"
    box = DropFolder.within(tmp_path)
    box.drop("set", "\n".join(lines))
    finished = subprocess.run(
        [sys.executable, "-m", "pipeline", "run", "--cluster", "local:2", "--quiet"],
        env=environment(PYTHONPATH=f"{tmp_path}:{environment()['PYTHONPATH']}"),
        cwd=tmp_path,
        check=False,
    )
    assert finished.returncode == 1
    rows = list(csv.DictReader(box.text("set.csv").splitlines()))
    failed = rows.pop(20)
    assert failed["status"] == "failed"
    assert "died with exit code -9" in failed["message"]
    assert {(row["status"], row["solution"]) for row in rows} == {("unique", "1243342143122134")}
    assert len(rows) == 59
    assert box.kept("done") == {"set"}
