"""Worker processes that compute requests side by side, their replies in order.

A worker that dies is replaced and its request computed again; one that kills its worker twice
is taken apart, and what kills its worker alone is given up.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol

from pipeline.errors import EnvironmentFailure
from pipeline.run.stop import Interrupted
from pipeline.run.worker import Crashed, Done, Start, Surroundings
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.solve.peer import Peer

MOST_DEATHS = 2
"""After which a request is computed part by part."""

_LOOK_UP = 0.2
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


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(slots=True)
class _Job:
    request: Request
    deaths: int = 0
    why: str = ""
    reply: Done | Surroundings | None = None


class Pool:
    """At most `count` workers, started when there is something for them to do."""

    def __init__(self, count: int, settings: Settings, stopping: Callable[[], bool]) -> None:
        self.count = count
        self._settings = settings
        self._stopping = stopping
        self._idle: list[Peer] = []
        self._busy: dict[Peer, _Job] = {}

    def replies(self, requests: Iterator[Request]) -> Generator[tuple[Request, Any], None, None]:
        """Each request with its reply, in order; as many are begun as there are workers.

        Raises EnvironmentFailure, and Interrupted when told to stop.
        """
        jobs: deque[_Job] = deque()
        try:
            while self._fill(jobs, requests):
                while jobs[0].reply is None:
                    self._hear()
                job = jobs.popleft()
                reply = job.reply
                if isinstance(reply, Surroundings):
                    raise EnvironmentFailure(reply.reason)
                self._fill(jobs, requests)  # they compute while the reply is being written
                assert reply  # noqa: S101
                yield job.request, reply.value
        finally:
            self._drop_busy()

    def _fill(self, jobs: deque[_Job], requests: Iterator[Request]) -> bool:
        """Begin what there are workers for; whether anything is to be waited for."""
        while len(jobs) < self.count:
            request = next(requests, None)
            if request is None:
                break
            jobs.append(_Job(request))
            self._begin(jobs[-1])
        return bool(jobs)

    def _begin(self, job: _Job) -> None:
        while self._idle and self._idle[-1].has_ended():
            self._idle.pop().close()
        peer = self._idle.pop() if self._idle else self._started()
        peer.send(job.request)
        self._busy[peer] = job

    def _started(self) -> Peer:
        try:
            peer = Peer(_MODULE)
        except OSError as error:
            raise EnvironmentFailure(f"no worker can be started: {error.strerror}") from error
        peer.send(Start(self._settings))
        return peer

    def _hear(self) -> None:
        """Wait for any worker; take its reply, or see to what it has left."""
        pipes = {peer.pipe: peer for peer in self._busy}
        for pipe in wait(list(pipes), _LOOK_UP):
            peer = pipes[pipe]  # type: ignore[index]
            job = self._busy.pop(peer)
            try:
                reply = peer.hear(0)
            except EOFError:
                code = peer.exit_code()
                reply = Crashed(f"the process that computed it died with exit code {code}")
            if isinstance(reply, Crashed):
                peer.close()
                self._again(job, reply.reason)
            else:
                self._idle.append(peer)
                job.reply = reply
        if self._stopping():
            raise Interrupted

    def _again(self, job: _Job, why: str) -> None:
        job.deaths += 1
        job.why = why
        if job.deaths < MOST_DEATHS:
            self._begin(job)
            return
        parts = job.request.parts()
        if len(parts) < 2:
            job.reply = Done(job.request.given_up(why, self._settings))
            return
        aside = Pool(1, self._settings, self._stopping)
        try:
            replies = [reply for _, reply in aside.replies(iter(parts))]
        finally:
            aside.close()
        job.reply = Done(job.request.joined(replies))

    def _drop_busy(self) -> None:
        for peer in self._busy:
            peer.close()
        self._busy.clear()

    def close(self) -> None:
        """End all workers."""
        self._drop_busy()
        for peer in self._idle:
            peer.close()
        self._idle.clear()
