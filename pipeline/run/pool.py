"""Worker processes that compute requests side by side, their replies in order.

A worker that dies is replaced and its request computed again; one that kills its worker twice
is taken apart, and what kills its worker alone is given up.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, Protocol

from pipeline.errors import EnvironmentFailure
from pipeline.run.stop import Interrupted
from pipeline.run.worker import Crashed, Done, Start, Surroundings
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.solve.child import Peer

MOST_DEATHS = 2
"""After which a request is computed part by part."""

AHEAD = 2
"""Requests under way for each worker, so that none waits while replies are written."""

PATIENCE = 0.1
"""Seconds to wait for a reply until there may be something else to do."""

_MODULE = "pipeline.run.worker"


class Request(Protocol):
    """Something to compute in a worker; it is pickled."""

    def compute(self, solvers: Solvers, settings: Settings) -> Any: ...

    def parts(self) -> Sequence[Request]:
        """Requests for the single things in this one; fewer than two if it is one itself."""
        ...

    def joined(self, replies: list[Any]) -> Any:
        """The reply to this request from those to its parts."""
        ...

    def given_up(self, why: str, settings: Settings) -> Any:
        """The reply that stands for one that cannot be had."""
        ...


Replies = Generator[tuple[Request, Any] | None, None, None]


class Workers(Protocol):
    """Who computes requests: the processes of a Pool, or those of a cluster."""

    batches: int
    """Batches of single files that they take at a time; 0 if whoever has these computes them."""

    def replies(self, requests: Iterator[Request]) -> Replies:
        """Each request with its reply, in order; None now and then while there is none yet.

        Raises EnvironmentFailure, and Interrupted when told to stop.
        """
        ...

    def close(self) -> None:
        """End what was started."""
        ...


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """At most `count` workers, each with a thread here that talks to it.

    They are started when there is something for them to do, and kept.
    """

    batches = 0

    def __init__(self, count: int, settings: Settings, stopping: Callable[[], bool]) -> None:
        self.count = count
        self._settings = settings
        self._stopping = stopping
        self._idle: list[Peer] = []

    def replies(self, requests: Iterator[Request]) -> Replies:
        """Each request with its reply, in order; None now and then while there is none yet.

        AHEAD requests for each worker are under way. Raises EnvironmentFailure, and Interrupted
        when told to stop.
        """
        under_way: deque[tuple[Request, Future[Any]]] = deque()
        with ExitStack() as stack:
            threads = stack.enter_context(ThreadPoolExecutor(self.count, "worker"))
            bell = _Bell()
            stack.callback(bell.close)
            stack.callback(threads.shutdown, cancel_futures=True)
            stack.callback(bell.ring)
            while True:
                for request in islice(requests, AHEAD * self.count - len(under_way)):
                    under_way.append((request, threads.submit(self._computed, request, bell)))
                if not under_way:
                    return
                is_there = futures.wait([under_way[0][1]], PATIENCE).done
                if self._stopping():
                    raise Interrupted
                if not is_there:
                    yield None
                    continue
                request, future = under_way.popleft()
                yield request, future.result()

    def _computed(self, request: Request, bell: _Bell) -> Any:
        """The reply to a request, part by part if its workers die of it."""
        why = ""
        for _ in range(MOST_DEATHS):
            match self._asked(request, bell):
                case Done(value):
                    return value
                case Surroundings(reason):
                    raise EnvironmentFailure(reason)
                case Crashed(why):
                    pass
        parts = request.parts()
        if len(parts) < 2:
            return request.given_up(why, self._settings)
        return request.joined([self._computed(part, bell) for part in parts])

    def _asked(self, request: Request, bell: _Bell) -> Done | Surroundings | Crashed:
        """What a worker says; it is kept for others if it will hear them."""
        with ExitStack() as stack:
            peer = self._worker()
            stack.callback(peer.close)
            peer.send(request)
            if bell.hearing in wait([peer.pipe, bell.hearing]):
                raise Interrupted
            try:
                reply: Done | Surroundings | Crashed = peer.hear(0)
            except EOFError:
                code = peer.exit_code()
                return Crashed(f"the process that computed it died with exit code {code}")
            if not isinstance(reply, Crashed):
                stack.pop_all()
                self._idle.append(peer)
        return reply

    def _worker(self) -> Peer:
        with suppress(IndexError):
            while (peer := self._idle.pop()).has_ended():
                peer.close()
            return peer
        try:
            peer = Peer(_MODULE)
        except OSError as error:
            raise EnvironmentFailure(f"no worker can be started: {error.strerror}") from error
        peer.send(Start(self._settings))
        return peer

    def close(self) -> None:
        """End all workers."""
        for peer in self._idle:
            peer.close()
        self._idle.clear()


class _Bell:
    """What many threads wait for beside their pipes: `hearing` is a descriptor to read from."""

    def __init__(self) -> None:
        self.hearing, self._ringing = os.pipe()

    def ring(self) -> None:
        """Wake all who wait, now and later."""
        os.write(self._ringing, b"!")

    def close(self) -> None:
        os.close(self.hearing)
        os.close(self._ringing)
