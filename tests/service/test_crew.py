"""What is made of looks at the workers of a scheduler, by a clock that only the tests turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from support.doubling import Doubling

from pipeline.errors import EnvironmentFailure
from pipeline.service.cluster import _UnderWay
from pipeline.service.crew import Crew, Timeouts
from pipeline.service.scheduler import Seen, Worker
from pipeline.service.workers import Crashed, Done, Reply, Request
from pipeline.settings import Settings
from pipeline.version import __version__

TIMEOUTS = Timeouts()
FITTING = Worker(threads=1, heartbeat=0.0, version=__version__)
DOUBLED = Done([(1, 2, b"")])


@dataclass(frozen=True)
class Sent:
    """What was submitted, and to whom."""

    key: str
    workers: frozenset[str]
    reply: Future[Reply] = field(default_factory=Future)


@dataclass
class Scheduler:
    """A connection whose scheduler answers at once, and the clock of all that is tested here."""

    now: float = 1000.0
    workers: dict[str, Worker] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    held: dict[str, str] = field(default_factory=dict)
    failing: Exception | None = None
    sent: list[Sent] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)
    address: str = "tcp://there:1"

    def look(self, holders: Sequence[str]) -> Future[Seen]:
        asked: Future[Seen] = Future()
        if self.failing is not None:
            asked.set_exception(self.failing)
            return asked
        for name in self.workers.keys() - self.silent:
            self.workers[name] = replace(self.workers[name], heartbeat=self.now)
        held = {key: worker for key, worker in self.held.items() if worker in holders}
        asked.set_result(Seen(self.now, dict(self.workers), held))
        return asked

    def submit(self, _: Any, __: Settings, workers: Collection[str], *, ahead: bool) -> Sent:
        self.sent.append(Sent(f"{len(self.sent)}, {ahead=}", frozenset(workers)))
        return self.sent[-1]

    def fetch(self, sent: Sent) -> Future[Reply]:
        return sent.reply

    def reply(self, fetched: Future[Reply], request: Request, settings: Settings) -> Reply:
        return fetched.result()

    def release(self, sent: Sent) -> None:
        """Nothing is kept."""

    def crew(self) -> Crew:
        """Whoever has looked for two seconds."""
        made: Any = self
        crew = Crew(
            made, TIMEOUTS, lambda name, why: self.told.append((name, why)), lambda: self.now
        )
        self.pass_by(crew, 2.0)
        return crew

    def pass_by(self, crew: Crew, seconds: float) -> None:
        """Let time pass in which somebody waits."""
        end = self.now + seconds
        while self.now < end:
            self.now += 0.5
            crew.look()
        crew.look()  # what was asked for last is taken in

    def under_way(self) -> _UnderWay:
        """One chunk, sent out."""
        made = _UnderWay(self.crew(), Settings())
        made.filled(iter([Doubling((1,))]))
        return made

    def wait_in(self, under_way: _UnderWay, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now += 0.5
            assert under_way.filled(iter([]))


@pytest.fixture
def scheduler() -> Scheduler:
    return Scheduler()


def test_a_worker_is_waited_for_since_the_first_look_that_found_none(scheduler: Scheduler) -> None:
    scheduler.workers["a"] = FITTING
    crew = scheduler.crew()
    scheduler.now += 3600.0
    scheduler.workers.clear()
    scheduler.pass_by(crew, TIMEOUTS.no_worker - 1.0)
    scheduler.workers["b"] = FITTING
    scheduler.pass_by(crew, 2 * TIMEOUTS.no_worker)
    assert crew.threads == {"b": 1}
    scheduler.workers.clear()
    with pytest.raises(EnvironmentFailure, match="there is no worker"):
        scheduler.pass_by(crew, TIMEOUTS.no_worker + 2.0)


def test_time_in_which_nobody_waits_for_a_worker_does_not_count(scheduler: Scheduler) -> None:
    crew = scheduler.crew()
    scheduler.now += 3600.0
    scheduler.pass_by(crew, TIMEOUTS.no_worker - 1.0)
    with pytest.raises(EnvironmentFailure, match="there is no worker"):
        scheduler.pass_by(crew, 3.0)


def test_workers_that_are_paused_are_there_and_take_nothing(scheduler: Scheduler) -> None:
    scheduler.workers["a"] = replace(FITTING, paused=True)
    crew = scheduler.crew()
    scheduler.pass_by(crew, 2 * TIMEOUTS.no_worker)
    assert (crew.there, crew.threads) == ({"a"}, {})
    assert set(scheduler.told) == {("a", "it has no memory left")}
    scheduler.workers["a"] = FITTING
    scheduler.pass_by(crew, 2.0)
    assert crew.threads == {"a": 1}


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("0.0.1", rf"a: it has sudoku-pipeline 0\.0\.1, not {__version__}; install"),
        (ModuleNotFoundError("no pipeline"), "a: ModuleNotFoundError: no pipeline; install"),
    ],
)
def test_workers_that_do_not_fit_alone_are_refused_with_the_remedy(
    scheduler: Scheduler, version: str | Exception, why: str
) -> None:
    scheduler.workers["a"] = replace(FITTING, version=version)
    with pytest.raises(EnvironmentFailure, match=f"a worker cannot compute: {why}"):
        scheduler.pass_by(scheduler.crew(), TIMEOUTS.no_worker)


def test_workers_that_are_all_silent_are_as_none(scheduler: Scheduler) -> None:
    scheduler.workers["a"] = FITTING
    crew = scheduler.crew()
    scheduler.silent.add("a")
    with pytest.raises(EnvironmentFailure, match="no worker answers"):
        scheduler.pass_by(crew, TIMEOUTS.silence + TIMEOUTS.no_worker + 5.0)


def test_looks_that_fail_are_told_where_no_worker_is_found(scheduler: Scheduler) -> None:
    scheduler.failing = KeyError("nthreads")
    with pytest.raises(EnvironmentFailure, match="cannot be listed: KeyError: 'nthreads'"):
        scheduler.pass_by(scheduler.crew(), TIMEOUTS.no_worker)


def test_what_a_silent_worker_holds_is_computed_by_another_and_the_first_answer_counts(
    scheduler: Scheduler,
) -> None:
    scheduler.workers = dict.fromkeys("abc", FITTING)
    under_way = scheduler.under_way()
    scheduler.held[scheduler.sent[0].key] = "a"
    scheduler.silent.add("a")
    scheduler.wait_in(under_way, 2 * TIMEOUTS.silence)
    first, second = scheduler.sent
    assert second.workers == {"b", "c"}
    assert ("a", "it does not answer") in scheduler.told
    assert under_way.next() is None
    second.reply.set_result(DOUBLED)
    assert under_way.next() == (Doubling((1,)), DOUBLED)
    assert first.reply.cancelled(), "a late answer is nobody's"


def test_what_is_lost_again_is_given_up(scheduler: Scheduler) -> None:
    scheduler.workers = dict.fromkeys("abc", FITTING)
    under_way = scheduler.under_way()
    for number, name in enumerate("ab"):
        scheduler.held[scheduler.sent[number].key] = name
        scheduler.silent.add(name)
        scheduler.wait_in(under_way, 2 * TIMEOUTS.silence)
    assert len(scheduler.sent) == 2
    assert under_way.next() == (Doubling((1,)), Crashed("its workers do not answer"))


def test_what_only_a_worker_that_is_gone_may_compute_is_sent_to_one_that_joins(
    scheduler: Scheduler,
) -> None:
    scheduler.workers["a"] = FITTING
    under_way = scheduler.under_way()
    scheduler.workers = {"b": FITTING}
    scheduler.wait_in(under_way, 3.0)
    assert [sent.workers for sent in scheduler.sent] == [{"a"}, {"b"}]
