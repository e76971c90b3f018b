"""Workers that die, crash, hang or find no room; their replies come in order all the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pytest
from bulk import Doubling
from dropping import wait_for
from solving import children, has_ended

from pipeline.errors import EnvironmentFailure
from pipeline.run.stop import Interrupted
from pipeline.run.workers import AHEAD, MOST_DEATHS, Pool
from pipeline.settings import Settings
from pipeline.solve.peer import Peer

MANY = tuple(Doubling((i, i + 1)) for i in range(0, 24, 2))
GOOD = [(i, 2 * i) for i in range(24)]
BAD = frozenset({7})


@pytest.fixture
def before() -> set[int]:
    return children()


_pools: list[Pool] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while _pools:
        _pools.pop().close()


def pool_of(
    count: int,
    stopping: Callable[[], bool] = lambda: False,
    start: Callable[[str], Peer] = Peer,
) -> Pool:
    _pools.append(Pool(count, Settings(), stopping, start))
    return _pools[-1]


def asked(pool: Pool, requests: Any = MANY) -> list[tuple[int, Any]]:
    """What all requests came to, one after the other."""
    replies = [reply for _, reply in filter(None, pool.replies(iter(requests)))]
    return [(number, double) for number, double, _ in chain.from_iterable(replies)]


def fated(**fates: Any) -> Iterator[Doubling]:
    """MANY, with something wrong at some of their numbers."""
    return (Doubling(request.numbers, **fates) for request in MANY)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_replies_come_in_order_from_any_number_of_workers(count: int, before: set[int]) -> None:
    pool = pool_of(count)
    pairs = list(filter(None, pool.replies(iter(MANY))))
    assert [request for request, _ in pairs] == list(MANY)
    assert [each[:2] for _, reply in pairs for each in reply] == GOOD
    assert len(children() - before) == count
    pool.close()
    assert children() == before


def test_without_requests_no_worker_is_started(before: set[int]) -> None:
    assert asked(pool_of(2), []) == []
    assert children() == before


def test_workers_are_kept_for_the_next_requests(before: set[int]) -> None:
    pool = pool_of(2)
    asked(pool)
    workers = children() - before
    assert asked(pool) == GOOD
    assert children() - before == workers
    pool.close()


def test_requests_are_not_taken_far_ahead_of_their_replies() -> None:
    taken = 0

    def requests() -> Iterator[Doubling]:
        nonlocal taken
        for request in MANY:
            taken += 1
            yield request

    pool = pool_of(2)
    for given, _ in enumerate(filter(None, pool.replies(requests()))):
        assert taken <= given + AHEAD * pool.count
    pool.close()


@pytest.mark.parametrize("count", [1, 2])
def test_requests_and_replies_of_megabytes_pass_each_other(count: int) -> None:
    pool = pool_of(count)
    assert asked(pool, fated(padding=os.urandom(4_000_000))) == GOOD
    pool.close()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_worker_that_is_killed_is_replaced_and_its_request_computed_again(
    count: int, tmp_path: Path, before: set[int]
) -> None:
    pool = pool_of(count)
    assert asked(pool, fated(deadly_once=tmp_path / "died")) == GOOD
    assert (tmp_path / "died").exists()
    assert len(children() - before) == count
    pool.close()
    assert children() == before


def test_all_workers_may_be_killed_at_any_time(before: set[int]) -> None:
    pool = pool_of(2)
    replies: list[Any] = []
    for _, reply in filter(None, pool.replies(iter(MANY))):
        replies += [each[:2] for each in reply]
        if len(replies) == 10:
            for worker in children() - before:
                os.kill(worker, signal.SIGKILL)
    assert replies == GOOD
    pool.close()


def test_workers_that_were_killed_while_they_had_nothing_to_do_cost_nothing(
    before: set[int],
) -> None:
    pool = pool_of(3)
    asked(pool)
    workers = children() - before
    assert len(workers) == 3
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
        assert has_ended(worker)
    assert asked(pool, [Doubling((1,))]) == [(1, 2)]
    assert asked(pool) == GOOD
    pool.close()


@pytest.mark.parametrize(
    ("fate", "count"),
    [("deadly", 1), ("deadly", 2), ("deadly", 3), ("exiting", 1), ("crashing", 1), ("crashing", 2)],
)
def test_what_always_ends_its_worker_is_given_up_alone(
    fate: str, count: int, before: set[int]
) -> None:
    why = {
        "deadly": "the process that computed it died with exit code -9",
        "exiting": "the process that computed it died with exit code 0",
        "crashing": "ZeroDivisionError: no reason",
    }[fate]
    pool = pool_of(count)
    assert asked(pool, fated(**{fate: BAD})) == [
        (number, why if number in BAD else double) for number, double in GOOD
    ]
    pool.close()
    assert children() == before


def test_of_a_large_request_the_culprits_alone_are_given_up_and_few_workers_are_started() -> None:
    numbers, bad = tuple(range(300)), frozenset({0, 150, 299})
    started = []

    def counted(module: str) -> Peer:
        started.append(module)
        return Peer(module)

    pool = pool_of(1, start=counted)
    replies = asked(pool, [Doubling(numbers, deadly=bad)])
    assert {number for number, double in replies if double != 2 * number} == bad
    assert [number for number, _ in replies] == list(numbers)
    assert len(started) <= MOST_DEATHS + 2 * len(bad) + 1
    pool.close()


@pytest.mark.parametrize("count", [1, 2])
def test_surroundings_that_fail_a_worker_are_raised_at_its_turn(
    count: int, before: set[int]
) -> None:
    pool = pool_of(count)
    pairs = pool.replies(fated(lacking=BAD))
    replies = [reply for _, reply in islice(filter(None, pairs), 3)]
    assert [each[:2] for reply in replies for each in reply] == GOOD[:6]
    with pytest.raises(EnvironmentFailure, match="there is no room"):
        list(pairs)
    assert asked(pool) == GOOD
    pool.close()
    assert children() == before


def test_surroundings_that_fail_a_part_are_raised_too() -> None:
    pool = pool_of(1)
    with pytest.raises(EnvironmentFailure, match="there is no room"):
        asked(pool, [Doubling((1, 2, 3), deadly=frozenset({1}), lacking=frozenset({2}))])
    pool.close()


@pytest.mark.parametrize("count", [1, 2])
def test_being_told_to_stop_ends_the_wait_and_what_is_computed(
    count: int, before: set[int]
) -> None:
    def stopping() -> bool:
        return children() > before

    pool = pool_of(count, stopping)
    with pytest.raises(Interrupted):
        asked(pool, fated(endless=frozenset({0, 2})))
    assert children() == before
    pool.close()


def test_being_told_to_stop_also_ends_a_search_for_culprits(
    tmp_path: Path, before: set[int]
) -> None:
    seen: set[int] = set()

    def stopping() -> bool:
        seen.update(children() - before)
        return len(seen) > 3

    request = Doubling(tuple(range(50)), deadly=frozenset(range(50)))
    pool = pool_of(1, stopping)
    with pytest.raises(Interrupted):
        asked(pool, [request])
    pool.close()
    assert children() == before


def test_closing_in_the_middle_leaves_no_worker_behind(before: set[int]) -> None:
    pool = pool_of(2)
    pairs = pool.replies(fated(endless=frozenset({2, 4})))
    next(filter(None, pairs))
    wait_for(lambda: len(children() - before) == 2)
    pairs.close()
    assert asked(pool) == GOOD
    pool.close()
    assert children() == before


def test_a_worker_ends_with_whoever_started_it() -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        pairs = pool_of(1).replies(iter([Doubling((0,)), Doubling((1,), endless=frozenset({1}))]))
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


def test_where_no_process_can_be_started_the_surroundings_have_failed() -> None:
    def cannot(_: str) -> Peer:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with pytest.raises(EnvironmentFailure, match="no worker can be started"):
        asked(pool_of(1, start=cannot))
