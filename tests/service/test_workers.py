"""Workers that die, crash, hang or find no room; their replies come in order all the same.

Most are forked here, which takes no time; what starts a worker is tested with real ones.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.cases import default_cases
from support.drop_folders import wait_for
from support.fake_requests import BAD, GOOD, MANY, Doubling, doubles, fated
from support.forks import ForkedPeer
from support.puzzles import children, has_ended
from support.stopping import StoppedWhen

from pipeline.errors import EnvironmentFailure
from pipeline.service.signals import Interrupted, Stop
from pipeline.service.workers import MAX_CRASHES, PENDING_PER_PROCESS, LocalWorker, Pool
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import Peer

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
counts = pytest.mark.parametrize("count", [1, 3])


class Pools:
    """Makes pools, and knows their workers."""

    def __init__(self) -> None:
        self._before = children()
        self._made: list[Pool] = []

    def __call__(
        self,
        count: int = 2,
        stop: Stop | None = None,
        start: Callable[[str], Peer] = ForkedPeer,
    ) -> Pool:
        self._made.append(Pool(count, Settings(), stop or Stop(0.0), start))
        return self._made[-1]

    def workers(self) -> set[int]:
        return children() - self._before

    def close(self) -> None:
        for pool in self._made:
            pool.close()
        assert not self.workers()


@pytest.fixture
def pools() -> Iterator[Pools]:
    """What makes pools, none of whose workers may be left in the end."""
    made = Pools()
    yield made
    made.close()


def asked(pool: Pool, requests: Any = MANY) -> list[tuple[int, Any]]:
    """What all requests came to, one after the other."""
    return doubles(pool.replies(iter(requests)))


def of(reply: list[Any]) -> list[tuple[int, int]]:
    return [each[:2] for each in reply]


def test_what_is_computed_inline_may_be_interrupted_and_comes_in_order() -> None:
    computing: list[str] = []

    class Noted(Stop):
        @contextmanager
        def computing(self, seconds: float | None = None) -> Iterator[None]:
            computing.append("begun")
            yield
            computing.append("done")

    with Solvers() as solvers:
        inline = LocalWorker(solvers, Settings(), Noted(0.0))
        for number, pair in enumerate(inline.replies(iter(MANY)), 1):
            assert computing == ["begun", "done"] * number
            assert pair == (MANY[number - 1], [(n, 2 * n, b"") for n in MANY[number - 1].numbers])


def test_what_crashes_inline_is_given_up_alone_as_by_a_pool(pools: Pools) -> None:
    inline = LocalWorker(None, Settings(), Stop(0.0))  # type: ignore[arg-type]
    theirs = asked(pools(), fated(crashing=BAD))
    assert doubles(inline.replies(fated(crashing=BAD))) == theirs
    with pytest.raises(EnvironmentFailure, match="no room"):
        list(inline.replies(fated(lacking=BAD)))


@counts
def test_replies_come_in_order_from_any_number_of_workers(count: int, pools: Pools) -> None:
    pairs = list(filter(None, pools(count).replies(iter(MANY))))
    assert [request for request, _ in pairs] == list(MANY)
    assert [each for _, reply in pairs for each in of(reply)] == GOOD
    assert 1 <= len(pools.workers()) <= count, "those that were needed"
    large = list(fated(padding=os.urandom(4_000_000)))[:6]
    assert asked(pools(count), large) == GOOD[:12], "megabytes pass each other"


def test_without_requests_no_worker_is_started_and_those_there_are_are_kept(pools: Pools) -> None:
    pool = pools(start=Peer)
    assert asked(pool, []) == []
    assert pools.workers() == set()
    asked(pool)
    workers = pools.workers()
    assert asked(pool) == GOOD
    assert pools.workers() == workers


def test_requests_are_not_taken_far_ahead_of_their_replies(pools: Pools) -> None:
    taken = 0

    def requests() -> Iterator[Doubling]:
        nonlocal taken
        for request in MANY:
            taken += 1
            yield request

    pool = pools()
    for given, _ in enumerate(filter(None, pool.replies(requests()))):
        assert taken <= given + PENDING_PER_PROCESS * pool.count


@pytest.mark.parametrize(("count", "start"), [(1, Peer), (3, ForkedPeer)])
def test_a_worker_that_is_killed_is_replaced_and_its_request_computed_again(
    count: int, start: Callable[[str], Peer], tmp_path: Path, pools: Pools
) -> None:
    assert asked(pools(count, start=start), fated(deadly_once=tmp_path / "died")) == GOOD
    assert (tmp_path / "died").exists()
    assert 1 <= len(pools.workers()) <= count, "one that is not needed any more is not replaced"


def test_all_workers_may_be_killed_at_any_time(pools: Pools) -> None:
    replies: list[Any] = []
    for _, reply in filter(None, pools().replies(iter(MANY))):
        replies += of(reply)
        if len(replies) == 10:
            for worker in pools.workers():
                os.kill(worker, signal.SIGKILL)
    assert replies == GOOD


def test_workers_that_were_killed_while_they_had_nothing_to_do_cost_nothing(pools: Pools) -> None:
    pool = pools(3, start=Peer)
    asked(pool)
    for worker in pools.workers():
        os.kill(worker, signal.SIGKILL)
        assert has_ended(worker)
    assert asked(pool, [Doubling((1,))]) == [(1, 2)]
    assert asked(pool) == GOOD


@pytest.mark.parametrize(
    ("count", "fate", "why"),
    default_cases(
        (
            (count, fate, why)
            for count in (1, 3)
            for fate, why in (
                ("deadly", "the worker process died with exit code -9"),
                ("exiting", "the worker process died with exit code 0"),
                ("crashing", "ZeroDivisionError: no reason"),
            )
        ),
        (1, "crashing", "ZeroDivisionError: no reason"),
        (3, "deadly", "the worker process died with exit code -9"),
    ),
)
def test_what_always_ends_its_worker_is_given_up_alone(
    count: int, fate: str, why: str, pools: Pools
) -> None:
    assert asked(pools(count), fated(**{fate: BAD})) == [
        (number, why if number in BAD else double) for number, double in GOOD
    ]


def test_of_a_large_request_the_culprits_alone_are_given_up_and_few_workers_are_started(
    pools: Pools,
) -> None:
    numbers, bad = tuple(range(300)), frozenset({0, 150, 299})
    started = []

    def counted(module: str) -> Peer:
        started.append(module)
        return ForkedPeer(module)

    replies = asked(pools(1, start=counted), [Doubling(numbers, deadly=bad)])
    assert {number for number, double in replies if double != 2 * number} == bad
    assert [number for number, _ in replies] == list(numbers)
    assert len(started) <= MAX_CRASHES + 2 * len(bad) + 1


@counts
def test_surroundings_that_fail_a_worker_are_raised_at_its_turn(count: int, pools: Pools) -> None:
    pool = pools(count)
    pairs = pool.replies(fated(lacking=BAD))
    replies = [reply for _, reply in islice(filter(None, pairs), 3)]
    assert [each for reply in replies for each in of(reply)] == GOOD[:6]
    with pytest.raises(EnvironmentFailure, match="there is no room"):
        list(pairs)
    parts = Doubling((1, 2, 3), deadly=frozenset({1}), lacking=frozenset({2}))
    with pytest.raises(EnvironmentFailure, match="there is no room"):
        asked(pool, [parts])
    assert asked(pool) == GOOD


@counts
def test_being_told_to_stop_ends_the_wait_and_what_is_computed(count: int, pools: Pools) -> None:
    pool = pools(count, StoppedWhen(lambda: bool(pools.workers())))
    with pytest.raises(Interrupted):
        asked(pool, fated(endless=frozenset({0, 2, 4})))
    assert not pools.workers()


def test_being_told_to_stop_also_ends_a_search_for_culprits(pools: Pools) -> None:
    seen: set[int] = set()

    def stopping() -> bool:
        seen.update(pools.workers())
        return len(seen) > 3

    request = Doubling(tuple(range(300)), deadly=frozenset(range(300)))
    with pytest.raises(Interrupted):
        asked(pools(1, StoppedWhen(stopping)), [request])


def test_closing_in_the_middle_leaves_no_worker_behind(pools: Pools) -> None:
    pool = pools()
    pairs = pool.replies(fated(endless=frozenset({2, 4})))
    next(filter(None, pairs))
    wait_for(lambda: len(pools.workers()) == 2)
    pairs.close()
    assert asked(pool) == GOOD


def test_a_worker_ends_with_whoever_started_it() -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        pool = Pool(1, Settings(), Stop(0.0))
        pairs = pool.replies(iter([Doubling((0,)), Doubling((1,), endless=frozenset({1}))]))
        next(filter(None, pairs))
        os.write(writing, b"%d" % next(iter(children())))
        signal.pause()
    try:
        worker = int(os.read(reading, 20))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reading)
        os.close(writing)
    assert has_ended(worker)


def test_where_no_process_or_descriptor_is_left_nothing_is_given_up(pools: Pools) -> None:
    def cannot(_: str) -> Peer:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with pytest.raises(EnvironmentFailure, match="cannot start a worker process"):
        asked(pools(1, start=cannot))
    with pytest.raises(EnvironmentFailure, match="Too many open files"):
        asked(pools(1), fated(cramped=BAD))
