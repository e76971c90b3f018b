"""A cluster's workers: the bytes are those of a local run, whoever dies half-way."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.breakers import NOTED, STOP, WAIT, Bench, told
from support.commands import run
from support.drop_folders import (
    ENDLESSLY,
    NO_SOLUTION,
    SMALL,
    TWO_SOLUTIONS,
    DropFolder,
    environment,
    wait_for,
)
from support.fake_requests import BAD, GOOD, MANY, Doubling, doubles, fated
from support.forks import Forked
from support.machines import Machines
from support.needs import needs_dask, needs_linux
from support.puzzles import NINE, PATIENCE, children, has_ended
from support.sources import answers, check_records, check_tidy, drop
from support.stopping import StoppedWhen

from pipeline.errors import EnvironmentFailure, UsageError
from pipeline.service import cluster as clustering
from pipeline.service.cluster import REQUESTS_PER_THREAD, Cluster
from pipeline.service.signals import Interrupted, Stop
from pipeline.settings import Settings
from pipeline.version import __version__

NOWHERE = "tcp://127.0.0.1:1"
"""An address at which no scheduler is."""

pytestmark = [needs_dask, needs_linux, pytest.mark.trial]


class Between:
    """Passes on what a scheduler and its clients say; `address` is for the clients."""

    def __init__(self, scheduler: str, door: socket.socket) -> None:
        self.address = f"tcp://127.0.0.1:{door.getsockname()[1]}"
        self._scheduler = ("127.0.0.1", int(scheduler.rpartition(":")[2]))
        self._door = door
        self._clients: list[socket.socket] = []

    @classmethod
    @contextmanager
    def us_and(cls, scheduler: str) -> Iterator[Between]:
        with socket.create_server(("127.0.0.1", 0)) as door:
            between = cls(scheduler, door)
            threading.Thread(target=between._let_in, daemon=True).start()
            yield between
            door.shutdown(socket.SHUT_RDWR)

    def _let_in(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                self._clients.append(client)
                ends = client, socket.create_connection(self._scheduler)
                for each in (ends, ends[::-1]):
                    threading.Thread(target=_pass_on, args=each, daemon=True).start()

    def talk_nonsense(self) -> None:
        """Send a message of one byte to whoever connected first: there Dask reads the news."""
        self._clients[0].sendall(struct.pack("<Q", 1) + b"!")


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
    source.close()


def asked(address: str, requests: Any, **options: Any) -> list[tuple[int, Any]]:
    """What all these requests for doubles came to, one after the other."""
    with closing(Cluster(address, Settings(), Stop(0.0), **options)) as cluster:
        return doubles(cluster.replies(iter(requests)))


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with Machines.started(tmp_path_factory.mktemp("machines")) as started:
        yield started


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes | None]]:
    """What runs without a cluster give."""
    found = {}
    for kind in ("collection", "zip"):
        bench = Bench.within(tmp_path_factory.mktemp(kind))
        drop(bench.box, kind, "set")
        assert bench.run()[0] == 1
        found[kind] = answers(bench.box)
    return found


def check(bench: Bench, expected: dict[str, bytes | None]) -> None:
    assert answers(bench.box) == expected
    check_records(bench.box)
    check_tidy(bench.box)


@pytest.mark.parametrize("kind", ["collection", "zip"])
def test_a_job_of_many_gives_the_bytes_of_a_local_run(
    kind: str, bench: Bench, machines: Machines, local: dict[str, dict[str, bytes | None]]
) -> None:
    drop(bench.box, kind, "set")
    code, events = bench.run("--cluster", machines.address)
    assert code == 1
    assert {event["event"] for event in events} - {"job.progress"} == {"told", "job.finished"}
    check(bench, local[kind])


TEXTS = (SMALL, TWO_SOLUTIONS, NO_SOLUTION, "hello\n", "." * 16 + "\n", "." * 81 + "\n")


@pytest.mark.parametrize("kind", ["backlog", "also"])
def test_single_files_and_columns_of_also_are_those_of_a_local_run(
    tmp_path: Path, machines: Machines, kind: str
) -> None:
    outcomes = []
    for name, where in (("here", ("--workers", "1")), ("there", ("--cluster", machines.address))):
        bench = Bench.within(tmp_path / name)
        if kind == "backlog":
            for i in range(30):
                bench.box.drop(f"{i:03}.txt", TEXTS[i % 10] if i % 10 < len(TEXTS) else SMALL)
            assert bench.run("--max-solutions", "3", *where)[0] == 1
        else:
            drop(bench.box, "zip", "set")
            bench.box.drop("nine.txt", f"{NINE}\n" * 8)
            assert bench.run("--traits", "canonical,minimal,effort", *where)[0] == 1
        outcomes.append(answers(bench.box))
        check_records(bench.box)
        check_tidy(bench.box)
    assert outcomes[0] == outcomes[1]
    assert kind == "backlog" or b"effort_depth" in (outcomes[0]["nine.csv"] or b"")


def test_a_single_file_alone_needs_no_cluster(bench: Bench) -> None:
    bench.box.drop("a.txt")
    assert bench.run("--cluster", NOWHERE)[0] == 0
    assert bench.box.record("a")["status"] == "unique"


def test_replies_come_in_order_and_requests_are_not_taken_far_ahead(machines: Machines) -> None:
    taken = 0

    def requests() -> Iterator[Doubling]:
        nonlocal taken
        for request in MANY:
            taken += 1
            yield request

    with closing(Cluster(machines.address, Settings(), Stop(0.0))) as cluster:
        pairs = []
        for given, pair in enumerate(filter(None, cluster.replies(requests()))):
            assert taken <= given + 2 * REQUESTS_PER_THREAD * 2 + 1
            pairs.append(pair)
        assert [request for request, _ in pairs] == list(MANY)
        assert doubles(pairs) == GOOD
        assert list(filter(None, cluster.replies(iter([])))) == []


def test_requests_and_replies_of_megabytes_pass_each_other(machines: Machines) -> None:
    large = [Doubling((number,), padding=os.urandom(2_000_000)) for number in range(8)]
    assert asked(machines.address, large) == GOOD[:8]


def test_a_worker_of_another_version_is_refused_with_the_remedy(tmp_path: Path) -> None:
    why = f"has sudoku-pipeline 0.0.1, expected {__version__}; install .* on the workers"
    with (
        Machines.started(tmp_path, workers=0) as other,
        other.other_version("0.0.1"),
        pytest.raises(EnvironmentFailure, match=why),
    ):
        asked(other.address, MANY)


def test_a_scheduler_without_workers_is_waited_for_and_then_given_up(tmp_path: Path) -> None:
    with (
        Machines.started(tmp_path, workers=0) as empty,
        pytest.raises(EnvironmentFailure, match="no workers"),
    ):
        asked(empty.address, MANY, patience=0.3)


def test_a_reply_that_is_a_pickle_runs_no_code_and_is_computed_here(
    machines: Machines, tmp_path: Path
) -> None:
    assert asked(machines.address, fated(forged=tmp_path / "ran")) == GOOD
    assert not (tmp_path / "ran").exists()


def test_a_scheduler_that_is_away_costs_nothing(
    box: DropFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clustering, "CONNECT_SECONDS", 0.2)
    box.drop("set.txt", SMALL.replace("\n", "") + "\n" + SMALL.replace("\n", "") + "\n")
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    code, printed, said = run("run", "--quiet", *folders, "--cluster", NOWHERE)
    assert (code, printed) == (75, "")
    assert len(said.splitlines()) == 1
    assert f"--cluster {NOWHERE}: OSError: Timed out trying to connect to {NOWHERE}" in said
    assert (box.waiting(), box.in_work()) == ({"set.txt"}, set())


def test_who_takes_a_connection_and_says_nothing_is_not_waited_for_without_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with closing(Cluster(address, Settings(), Stop(0.0), 0.3)) as asked_again:
            before = threading.active_count()
            for _ in range(3):
                with pytest.raises(EnvironmentFailure, match="does not respond"):
                    list(asked_again.replies(iter(MANY)))
            assert threading.active_count() <= before + 3, "one that connects, with Dask's own"


def test_a_scheduler_that_was_away_is_found_when_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with closing(Cluster(f"tcp://127.0.0.1:{port}", Settings(), Stop(0.0))) as cluster:
        with monkeypatch.context() as patch:
            patch.setattr(clustering, "CONNECT_SECONDS", 0.2)
            with pytest.raises(EnvironmentFailure, match="--cluster tcp:"):
                list(cluster.replies(iter(MANY)))
        with Machines.started(tmp_path, workers=1, port=port):
            assert doubles(cluster.replies(iter(MANY))) == GOOD


def test_workers_that_were_away_between_two_jobs_cost_nothing(tmp_path: Path) -> None:
    with (
        Machines.started(tmp_path, workers=1) as few,
        closing(Cluster(few.address, Settings(), Stop(0.0), 2.0)) as cluster,
    ):
        assert asked(few.address, MANY) == GOOD, "the worker is there"
        assert doubles(cluster.replies(iter(MANY))) == GOOD
        assert cluster._connecting is not None
        connection = cluster._connecting.result()
        few.end(*few.nannies)
        wait_for(connection.monitor.done)
        with few.other_version(__version__):
            assert asked(few.address, MANY) == GOOD
            assert doubles(cluster.replies(iter(MANY))) == GOOD


def test_news_that_make_no_sense_end_the_wait_for_replies(
    machines: Machines, tmp_path: Path
) -> None:
    held, late = tmp_path / "held", time.monotonic() + PATIENCE
    stop = StoppedWhen(lambda: time.monotonic() > late)
    with Between.us_and(machines.address) as between:
        with closing(Cluster(between.address, Settings(), stop)) as one:
            replies = one.replies(fated(held_once=held))
            wait_for(lambda: next(replies) is None and held.exists())
            between.talk_nonsense()
            held.unlink()
            with pytest.raises(EnvironmentFailure) as raised:
                list(replies)
        assert str(raised.value) == f"{between.address}: the connection to the scheduler was lost"


def test_tls_without_certificates_is_said_to_need_them() -> None:
    with pytest.raises(EnvironmentFailure, match=r"distributed\.comm\.tls"):
        asked("tls://127.0.0.1:1", MANY)


def test_without_the_extra_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.errors.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install distributed$"):
        Cluster(NOWHERE, Settings(), Stop(0.0))
    code, _, said = run("run", "--cluster", NOWHERE)
    assert code == 2
    assert "pip install" in said


def test_dask_is_loaded_when_something_is_sent_and_no_sooner() -> None:
    code = (
        "import sys; import pipeline.cli; from pipeline.service.cluster import Cluster;"
        "from pipeline.settings import Settings; Cluster('local:1', Settings(), None).close();"
        "print({'dask', 'distributed'} & set(sys.modules))"
    )
    command: list[Any] = [sys.executable, "-c", code]
    printed = subprocess.check_output(command, env=environment(), text=True)
    assert printed == "set()\n"


def test_a_worker_that_dies_while_it_computes_is_made_good(
    machines: Machines, tmp_path: Path
) -> None:
    assert asked(machines.address, fated(deadly_once=tmp_path / "died")) == GOOD
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize(
    ("fate", "why"),
    [
        ("deadly", "exit code -9"),
        ("crashing", "ZeroDivisionError"),
    ],
)
def test_what_ends_every_worker_is_given_up_alone(fate: str, why: str, machines: Machines) -> None:
    found = asked(machines.address, fated(**{fate: BAD}))
    assert [pair for pair in found if pair[0] not in BAD] == [
        pair for pair in GOOD if pair[0] not in BAD
    ]
    assert all(why in said for number, said in found if number in BAD)
    assert {number for number, _ in found} >= BAD


def test_surroundings_that_fail_a_worker_are_raised_at_its_turn(machines: Machines) -> None:
    with closing(Cluster(machines.address, Settings(), Stop(0.0))) as cluster:
        replies = cluster.replies(fated(lacking=BAD))
        assert len(list(islice(filter(None, replies), 3))) == 3
        with pytest.raises(EnvironmentFailure, match="there is no room"):
            list(replies)
        assert doubles(cluster.replies(fated())) == GOOD


def test_workers_killed_half_way_cost_a_job_nothing(
    bench: Bench, machines: Machines, local: dict[str, dict[str, bytes | None]]
) -> None:
    drop(bench.box, "zip", "set")
    process = bench.start("run", "--cluster", machines.address, step=NOTED, nth=2, what=WAIT)
    bench.wait_until_held()
    for worker in machines.workers():
        os.kill(worker, signal.SIGKILL)
    bench.go()
    assert process.wait() == 1
    check(bench, local["zip"])


def test_a_job_that_is_killed_or_stopped_goes_on_behind_what_was_noted_there_or_here(
    bench: Bench, machines: Machines, local: dict[str, dict[str, bytes | None]]
) -> None:
    drop(bench.box, "zip", "set")
    cluster, here = ("--cluster", machines.address), ("--workers", "1")
    for number, options in enumerate((cluster, here)):
        code, events = bench.run(*options, step=NOTED, nth=2)
        assert (code, told(events, "noted")) == (-signal.SIGKILL, [2 * number + 1, 2 * number + 2])
    code, events = bench.run(*cluster, step=NOTED, nth=1, what=STOP)
    assert (code, told(events, "noted")) == (75, [5])
    assert bench.run(*cluster)[0] == 1
    check(bench, local["zip"])


def test_watch_waits_for_a_scheduler_to_come_back(
    bench: Bench, tmp_path: Path, local: dict[str, dict[str, bytes | None]]
) -> None:
    with Machines.started(tmp_path, workers=1) as first:
        port = int(first.address.rpartition(":")[2])
        process = bench.start("watch", "--cluster", first.address, step=NOTED, nth=2, what=WAIT)
        drop(bench.box, "collection", "set")
        bench.wait_until_held()
        first.end(first.scheduler)
        bench.go()
        failed = "environment.failed"
        wait_for(lambda: any(e["event"] == failed for e in bench.events()))
    (said,) = (event["reason"] for event in bench.events() if event["event"] == failed)
    assert said == f"{first.address}: the connection to the scheduler was lost"
    done = max(told(bench.events(), "noted"))
    with Machines.started(tmp_path, workers=1, port=port):
        wait_for(lambda: bench.box.has_record("set"))
        wait_for(lambda: not bench.box.in_work())
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    noted = told(bench.events(), "noted")
    assert noted == sorted(set(noted))
    assert len(noted) > done
    check(bench, local["collection"])


def test_being_told_to_stop_ends_the_wait_and_what_workers_of_our_own_compute() -> None:
    given: list[object] = []
    stop = StoppedWhen(lambda: given[2:] == [None])
    with closing(Cluster("local:1", Settings(), stop)) as cluster:
        replies = (
            given.append(reply)
            for reply in cluster.replies(fated(endless=frozenset({4})))
            if reply is not None or len(given) == 2
        )
        with pytest.raises(Interrupted):
            list(replies)
        (worker,) = children(argv=b"spawn_main")
    assert len(given) == 3
    assert has_ended(worker)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_cluster_of_this_machine_ends_with_the_run_and_says_nothing(
    number: signal.Signals, box: DropFolder, tmp_path: Path
) -> None:
    box.drop("set", f"{'.' * 81}\n" * 2)
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    argv = ["run", *folders, "--cluster", "local:1", "--quiet", *ENDLESSLY]
    said = tmp_path / "said"
    process = Forked.command(argv, said, said, environment())
    wait_for(lambda: any(map(children, children(process.pid, b"spawn_main"))))
    started = children(process.pid)
    if number == signal.SIGKILL:
        process.kill()
    else:
        for pid in (process.pid, *started):  # as Ctrl-C, and systemd, do
            os.kill(pid, number)
    assert process.wait(100) == (75 if number != signal.SIGKILL else -signal.SIGKILL)
    assert all(has_ended(pid) for pid in started)
    if number != signal.SIGKILL:
        assert said.read_text() == ""


def test_a_cluster_of_this_machine_is_started_for_the_run_and_gives_the_bytes_of_a_local_run(
    box: DropFolder, local: dict[str, dict[str, bytes | None]]
) -> None:
    drop(box, "zip", "set")
    finished = box.run("--cluster", "local:1", "--quiet")
    assert finished.returncode == 1
    assert [line[:9] for line in finished.stderr.splitlines()] == ['{"job": "']
    assert box.record("set")["status"] == "archive"
    assert answers(box) == local["zip"]
