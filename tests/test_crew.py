"""What is made of looks at the workers of a scheduler, by a clock that only the tests turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from bulk import Doubling

from pipeline.errors import EnvironmentFailure
from pipeline.run import crew as crews
from pipeline.run import remote
from pipeline.run.cluster import Seen, Told, Worker
from pipeline.run.crew import Crew, Patience
from pipeline.run.remote import _UnderWay
from pipeline.run.worker import Done
from pipeline.settings import Settings
from pipeline.version import __version__

PATIENCE = Patience()
FITTING = Worker(threads=1, heartbeat=0.0, version=__version__)
OVERDUE = 5.0


@dataclass(frozen=True)
class Sent:
    """What was submitted, and to whom."""

    key: str
    workers: frozenset[str]
    reply: Future[Told] = field(default_factory=Future)


@dataclass
class Scheduler:
    """A connection whose scheduler answers at once, and the clock of all that is tested here."""

    now: float = 1000.0
    workers: dict[str, Worker] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    held: dict[str, str] = field(default_factory=dict)
    failing: Exception | None = None
    sent: list[Sent] = field(default_factory=list)
    address: str = "tcp://there:1"

    def monotonic(self) -> float:
        return self.now

    def look(self, traced: Sequence[str]) -> Future[Seen]:
        asked: Future[Seen] = Future()
        if self.failing is not None:
            asked.set_exception(self.failing)
            return asked
        for name in self.workers.keys() - self.silent:
            self.workers[name] = replace(self.workers[name], heartbeat=self.now)
        held = {key: worker for key, worker in self.held.items() if worker in traced}
        asked.set_result(Seen(self.now, dict(self.workers), held))
        return asked

    def submit(self, _: Any, __: Settings, workers: Collection[str], *, ahead: bool) -> Sent:
        self.sent.append(Sent(f"{len(self.sent)}, {ahead=}", frozenset(workers)))
        return self.sent[-1]

    def fetch(self, sent: Sent) -> Future[Told]:
        return sent.reply

    def told(self, reply: Future[Told]) -> Told:
        return reply.result()

    def release(self, sent: Sent) -> None:
        """Nothing is kept."""

    def pass_by(self, crew: Crew, seconds: float) -> None:
        """Let time pass in which somebody waits."""
        end = self.now + seconds
        while self.now < end:
            self.now += 0.5
            crew.look()
        crew.look()  # what was asked for last is taken in


@pytest.fixture
def scheduler(monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    made = Scheduler()
    monkeypatch.setattr(crews, "time", made)
    monkeypatch.setattr(remote, "time", made)
    return made


def crew_of(scheduler: Scheduler, told: list[tuple[str, str]] | None = None) -> Crew:
    def tell(worker: str, why: str) -> None:
        if told is not None:
            told.append((worker, why))

    made: Any = scheduler
    crew = Crew(made, PATIENCE, tell)
    scheduler.pass_by(crew, 2.0)
    return crew


def test_a_worker_is_waited_for_since_the_first_look_that_found_none(scheduler: Scheduler) -> None:
    scheduler.workers["a"] = FITTING
    crew = crew_of(scheduler)
    scheduler.now += 3600.0
    scheduler.workers.clear()
    scheduler.pass_by(crew, PATIENCE.lonely - 1.0)
    scheduler.workers["b"] = FITTING
    scheduler.pass_by(crew, 2 * PATIENCE.lonely)
    assert crew.threads == {"b": 1}
    scheduler.workers.clear()
    with pytest.raises(EnvironmentFailure, match="there is no worker"):
        scheduler.pass_by(crew, PATIENCE.lonely + 2.0)


def test_time_in_which_nobody_waits_for_a_worker_does_not_count(scheduler: Scheduler) -> None:
    crew = crew_of(scheduler)
    scheduler.now += 3600.0
    scheduler.pass_by(crew, PATIENCE.lonely - 1.0)
    with pytest.raises(EnvironmentFailure, match="there is no worker"):
        scheduler.pass_by(crew, 3.0)


def test_workers_that_are_paused_are_there_and_take_nothing(scheduler: Scheduler) -> None:
    scheduler.workers["a"] = replace(FITTING, paused=True)
    told: list[tuple[str, str]] = []
    crew = crew_of(scheduler, told)
    scheduler.pass_by(crew, 2 * PATIENCE.lonely)
    assert (crew.there, crew.threads) == ({"a"}, {})
    assert set(told) == {("a", "it has no memory left")}
    scheduler.workers["a"] = FITTING
    scheduler.pass_by(crew, 2.0)
    assert crew.threads == {"a": 1}


def test_looks_that_fail_are_told_where_no_worker_is_found(scheduler: Scheduler) -> None:
    scheduler.failing = KeyError("nthreads")
    with pytest.raises(EnvironmentFailure, match="cannot be listed: KeyError: 'nthreads'"):
        scheduler.pass_by(crew_of(scheduler), PATIENCE.lonely)


def test_a_look_traces_what_anybody_has_asked_for(scheduler: Scheduler) -> None:
    scheduler.workers = dict.fromkeys("abc", FITTING)
    scheduler.held = {"x": "a", "y": "b", "z": "c"}
    crew = crew_of(scheduler)
    assert crew.held == {}
    crew.look({"a"})
    crew.look({"b"})
    scheduler.now += 2.0
    crew.look()
    crew.look()
    assert crew.held == {"x": "a", "y": "b"}
    scheduler.pass_by(crew, 3.0)
    assert crew.held == {}


@pytest.fixture
def under_way(scheduler: Scheduler) -> Iterator[_UnderWay]:
    """One chunk, sent to three workers, of whom one holds it until it is overdue."""
    scheduler.workers = dict.fromkeys("abc", FITTING)
    made = _UnderWay(crew_of(scheduler), Settings(), OVERDUE)
    requests: Iterator[Any] = iter([Doubling((1,))])
    made.filled(requests)
    scheduler.held[scheduler.sent[0].key] = "a"
    wait_in(made, scheduler, 2 * OVERDUE)
    yield made
    made.close()


def wait_in(under_way: _UnderWay, scheduler: Scheduler, seconds: float) -> None:
    end = scheduler.now + seconds
    while scheduler.now < end:
        scheduler.now += 0.5
        assert under_way.filled(iter([]))


def test_a_first_copy_that_is_computed_still_is_waited_for_where_the_second_is_lost(
    scheduler: Scheduler, under_way: _UnderWay
) -> None:
    first, second = scheduler.sent
    assert second.workers == {"b", "c"}
    scheduler.held[second.key] = "b"
    scheduler.silent.add("b")
    wait_in(under_way, scheduler, 2 * PATIENCE.silence)
    assert under_way.next() is None
    first.reply.set_result(Done([(1, 2, b"")]))
    assert under_way.next() == (Doubling((1,)), Done([(1, 2, b"")]))


def test_copies_that_are_all_lost_are_given_up(scheduler: Scheduler, under_way: _UnderWay) -> None:
    scheduler.held[scheduler.sent[1].key] = "b"
    scheduler.silent |= {"a", "b"}
    wait_in(under_way, scheduler, 2 * PATIENCE.silence)
    found = under_way.next()
    assert found is not None
    assert "do not answer" in str(found[1])


def test_what_only_a_paused_worker_may_begin_is_sent_to_one_that_joins(
    scheduler: Scheduler,
) -> None:
    scheduler.workers["a"] = FITTING
    under_way = _UnderWay(crew_of(scheduler), Settings(), OVERDUE)
    requests: Iterator[Any] = iter([Doubling((1,))])
    under_way.filled(requests)
    scheduler.workers = {"a": replace(FITTING, paused=True), "b": FITTING}
    wait_in(under_way, scheduler, 2 * OVERDUE)
    assert [sent.workers for sent in scheduler.sent] == [{"a"}, {"b"}]
