"""Jobs of many puzzles, computed by a cluster: the bytes are those of a local run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from breaking import Breaker
from bulk import Bench, BulkBreaker, Doubling, answers, check_records, check_tidy, drop
from clustering import NOWHERE, Machines, PassedOver, asked, without_memory
from commands import run
from dropping import NO_SOLUTION, SMALL, TWO_SOLUTIONS, DropFolder, environment, wait_for
from needs import needs_dask

from pipeline.errors import EnvironmentFailure, UsageError
from pipeline.run import crew, scheduler
from pipeline.run.cluster import AHEAD, Cluster
from pipeline.run.crew import Timeouts
from pipeline.run.scheduler import Connection
from pipeline.run.workers import Done
from pipeline.settings import Settings
from pipeline.version import __version__

pytestmark = needs_dask

MANY = [Doubling((i, i + 1)) for i in range(0, 40, 2)]
GOOD = [(i, 2 * i) for i in range(40)]


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with Machines.started(tmp_path_factory.mktemp("machines")) as started:
        yield started


@pytest.fixture(scope="module")
def breaker() -> Iterator[Breaker]:
    with BulkBreaker.started() as started:
        yield started


@pytest.mark.parametrize("kind", ["collection", "zip", "folder"])
def test_a_job_of_many_gives_the_bytes_of_a_local_run(
    kind: str, tmp_path: Path, breaker: Breaker, machines: Machines
) -> None:
    here, there = (Bench.within(tmp_path / name, breaker) for name in ("here", "there"))
    drop(here.box, kind, "set")
    drop(there.box, kind, "set")
    assert here.run("--workers", "1")[0] == 1
    code, events = there.run("--cluster", machines.address)
    assert code == 1
    assert {event["event"] for event in events} == {"told", "job.finished"}
    assert answers(there.box) == answers(here.box)
    check_records(there.box)
    check_tidy(there.box)


def test_a_backlog_of_single_files_gives_the_bytes_of_a_local_run(
    tmp_path: Path, breaker: Breaker, machines: Machines
) -> None:
    texts = (SMALL, TWO_SOLUTIONS, NO_SOLUTION, "hello\n", "." * 16 + "\n", "." * 81 + "\n")
    outcomes = []
    for name, options in (("here", ()), ("there", ("--cluster", machines.address))):
        bench = Bench.within(tmp_path / name, breaker)
        for i in range(150):
            bench.box.drop(f"{i:03}.txt", texts[i % 40] if i % 40 < len(texts) else SMALL)
        assert bench.run("--max-solutions", "3", *options)[0] == 1
        outcomes.append(answers(bench.box))
        check_records(bench.box)
        check_tidy(bench.box)
    assert outcomes[0] == outcomes[1]


def test_a_single_file_alone_needs_no_cluster(tmp_path: Path, breaker: Breaker) -> None:
    bench = Bench.within(tmp_path, breaker)
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

    with closing(Cluster(machines.address, Settings(), lambda: False)) as workers:
        pairs = []
        for given, pair in enumerate(filter(None, workers.replies(requests()))):
            assert taken <= given + 2 * AHEAD * 2 + 1
            pairs.append(pair)
        assert [request for request, _ in pairs] == MANY
        assert [each[:2] for _, reply in pairs for each in reply] == GOOD
        assert list(filter(None, workers.replies(iter([])))) == []


def test_requests_and_replies_of_megabytes_pass_each_other(machines: Machines) -> None:
    large = [Doubling((number,), padding=os.urandom(2_000_000)) for number in range(8)]
    assert asked(machines.address, large) == GOOD[:8]


def test_workers_of_another_version_are_passed_over_while_others_fit(
    machines: Machines, tmp_path: Path
) -> None:
    log = PassedOver()
    with machines.other_version(tmp_path, "0.0.1"):
        wait_for(lambda: asked(machines.address, MANY, log=log) == GOOD and log)
    assert log == [f"it has sudoku-pipeline 0.0.1, not {__version__}"]


def test_workers_of_another_version_alone_are_refused(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "__version__", "9.9.9")
    why = r"a worker cannot compute: .*: it has sudoku-pipeline .*, not 9\.9\.9; install"
    with pytest.raises(EnvironmentFailure, match=why):
        asked(machines.address, MANY, timeouts=Timeouts(no_worker=0.3))


def test_workers_without_the_package_are_refused(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_PICKLED_VERSION", b"cnowhere_to_be_found\nx\n.")
    why = r"No module named 'nowhere_to_be_found'; install sudoku-pipeline .* there"
    with pytest.raises(EnvironmentFailure, match=why):
        asked(machines.address, MANY, timeouts=Timeouts(no_worker=0.3))


def test_what_a_worker_holds_is_known_whether_it_is_computed_or_not(machines: Machines) -> None:
    with closing(Connection(machines.address)) as connection:
        first, *_ = connection.look([]).result().workers
        future = connection.submit(MANY[0], Settings(), [first])
        assert connection.reply(connection.fetch(future)) == Done([(0, 0, b""), (1, 2, b"")])
        assert connection.look([first]).result().held == {future.key: first}


def test_workers_that_are_paused_are_told_from_those_that_take_more(
    machines: Machines,
) -> None:
    def paused(connection: Connection) -> list[bool]:
        seen = connection.look([]).result().workers.values()
        return [worker.paused for worker in seen if worker.version == __version__]

    with closing(Connection(machines.address)) as connection:
        with without_memory(machines.address):
            wait_for(lambda: paused(connection) == [True, True])
        wait_for(lambda: paused(connection) == [False, False])


def test_a_scheduler_that_is_away_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "CONNECT_SECONDS", 0.2)
    box = DropFolder.within(tmp_path)
    box.drop("set.txt", SMALL.replace("\n", "") + "\n" + SMALL.replace("\n", "") + "\n")
    folders = ("--inbox", str(box.inbox), "--outbox", str(box.outbox))
    code, printed, said = run("run", "--quiet", *folders, "--cluster", NOWHERE)
    assert (code, printed) == (75, "")
    assert len(said.splitlines()) == 1
    assert f"no cluster: OSError: Timed out trying to connect to {NOWHERE}" in said
    assert box.waiting() == {"set.txt"}
    assert box.in_work() == set()


def test_a_cluster_without_workers_is_not_waited_for_without_end_and_one_that_joins_is_used(
    tmp_path: Path,
) -> None:
    with Machines.started(tmp_path, workers=0) as lonely:
        with pytest.raises(EnvironmentFailure, match="there is no worker"):
            asked(lonely.address, MANY, timeouts=Timeouts(no_worker=0.2))
        lonely.add_worker()
        assert asked(lonely.address, MANY) == GOOD


def test_who_takes_a_connection_and_says_nothing_is_not_waited_for_without_end() -> None:
    timeouts = Timeouts(connect=0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with closing(Cluster(address, Settings(), lambda: False, None, timeouts)) as asked_again:
            before = threading.active_count()
            for _ in range(3):
                with pytest.raises(EnvironmentFailure, match="does not answer"):
                    list(asked_again.replies(iter(MANY)))
            assert threading.active_count() <= before + 3, "one that connects, with Dask's own"


@pytest.mark.parametrize("address", ["tls://127.0.0.1:1"])
def test_tls_without_certificates_is_said_to_need_them(address: str) -> None:
    with pytest.raises(EnvironmentFailure, match=r"distributed\.comm\.tls"):
        asked(address, MANY)


def test_without_the_extra_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install distributed$"):
        Cluster(NOWHERE, Settings(), lambda: False)
    code, _, said = run("run", "--cluster", NOWHERE)
    assert code == 2
    assert "pip install" in said


def test_dask_is_loaded_when_something_is_sent_and_no_sooner() -> None:
    code = (
        "import sys; import pipeline.cli; from pipeline.run.cluster import Cluster;"
        "from pipeline.settings import Settings; Cluster('local:1', Settings(), bool).close();"
        "print({'dask', 'distributed'} & set(sys.modules))"
    )
    command: list[Any] = [sys.executable, "-c", code]
    printed = subprocess.check_output(command, env=environment(), text=True)
    assert printed == "set()\n"


def test_a_cluster_of_this_machine_is_started_for_the_run(tmp_path: Path) -> None:
    box = DropFolder.within(tmp_path)
    drop(box, "zip", "set")
    finished = subprocess.run(
        [sys.executable, "-m", "pipeline", "run", "--cluster", "local:2", "--quiet"],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert [line[:9] for line in finished.stderr.splitlines()] == ['{"job": "']
    assert box.record("set")["status"] == "archive"
    wait_for(lambda: not box.in_work())
