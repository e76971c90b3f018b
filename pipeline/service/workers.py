"""Workers: compute requests in this process or in a pool, and yield the replies in order.

A request that crashes or kills its worker twice is split into parts. A part that cannot be split
gets a failed reply. Dead workers are replaced.
"""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import msgspec

from pipeline.errors import EnvironmentFailure, in_words, is_environmental
from pipeline.limits import Limits
from pipeline.service.protocol.watch import Alarm
from pipeline.service.signals import Interrupted, Stop
from pipeline.settings import Settings
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import Peer, keep_freed_memory

if TYPE_CHECKING:
    from concurrent.futures import Future

_T = TypeVar("_T")

MAX_CRASHES = 2
"""Number of times that a request crashes or kills its worker before it is split into parts."""

PENDING_PER_PROCESS = 2
"""Pending requests per process, to keep it busy while replies are written."""

REPLY_SECONDS = 0.25
"""Seconds to wait for a reply before `replies` yields None."""


class Request:
    """A computation for a worker. Requests are pickled.

    Replies of processes on this machine are pickled as well. Replies from other machines are
    decoded as data of the expected types, which cannot run code.
    """

    __slots__ = ()

    def compute(self, solvers: Solvers, settings: Settings) -> Any:
        """Compute the reply. The base class computes nothing and returns None."""

    def split(self) -> Sequence[Request]:
        """Split the request into parts. Returns fewer than two if that is impossible."""
        return ()

    def join_replies(self, replies: list[Any]) -> Any:
        """Join the replies of all parts into the reply of the request."""
        raise NotImplementedError

    def failed_reply(self, why: str, settings: Settings) -> Any:
        """The reply for a request that cannot be computed; `why` is the reason."""

    def pack(self, reply: Any, settings: Settings) -> bytes:  # noqa: ARG002 - few subclasses need them
        """Encode a reply as MessagePack."""
        return msgspec.msgpack.encode(reply)

    def unpack(self, data: bytes, settings: Settings) -> Any:  # noqa: ARG002 - few subclasses need them
        """Decode a reply. Raises ValueError, msgspec.DecodeError, PipelineError."""
        return msgspec.msgpack.decode(data, type=None)


@dataclass(frozen=True, slots=True)
class BatchRequest(Request, Generic[_T]):
    """Problems to solve together. The reply is a list of results in the same order."""

    items: tuple[_T, ...]

    def split(self) -> Sequence[Self]:
        return [replace(self, items=(item,)) for item in self.items]

    def join_replies(self, replies: list[list[Result]]) -> list[Result]:
        return [result for results in replies for result in results]

    def failed_reply(self, why: str, settings: Settings) -> list[Result]:  # noqa: ARG002 - signature of Request
        return [Result("failed", message=why) for _ in self.items]


Replies = Generator[tuple[Request, Any] | None, None, None]
"""Yields each request with its reply, and None while waiting."""


class Workers(Protocol):
    """The common interface of LocalWorker, Pool and Cluster.

    `batch_count`: the number of batches of single puzzles to request at a time, so that all workers
    are busy.
    """

    batch_count: int

    def replies(self, requests: Iterator[Request]) -> Replies:
        """Yield each request with its reply, in order, and None while waiting for a reply.

        Raises EnvironmentFailure, and Interrupted after a stop was requested.
        """
        ...

    def close(self) -> None: ...


class Done(msgspec.Struct, frozen=True, tag=True):
    """The request was computed; `value` is its reply."""

    value: Any


class EnvironmentFailed(msgspec.Struct, frozen=True, tag=True):
    """The worker's environment failed."""

    reason: str


class Crashed(msgspec.Struct, frozen=True, tag=True):
    """The request crashed or killed the worker."""

    reason: str


Reply = Done | EnvironmentFailed | Crashed
"""The answer of a worker to a request."""


def reply_to(
    request: Request, solvers: Solvers, settings: Settings, *, pack: bool = False
) -> Reply:
    """Compute a request in a worker, and return exceptions as replies.

    If `pack`, the value of the reply is encoded.
    """
    try:
        value = request.compute(solvers, settings)
        return Done(request.pack(value, settings) if pack else value)
    except EnvironmentFailure as error:
        return EnvironmentFailed(str(error))
    except Exception as error:  # noqa: BLE001 - a bug must end only this request
        if isinstance(error, OSError) and is_environmental(error):
            return EnvironmentFailed(in_words(error))
        return Crashed(f"{type(error).__name__}: {error}")


def reply_with_retries(
    request: Request, ask: Callable[[Request], Reply], settings: Settings
) -> Any:
    """Compute the reply to a request.

    If the request crashes or kills its worker MAX_CRASHES times, each of its parts is computed
    separately. `ask` lets a worker compute a request. Raises EnvironmentFailure.
    """
    why = ""
    for _ in range(MAX_CRASHES):
        match ask(request):
            case Done(value):
                return value
            case EnvironmentFailed(reason):
                raise EnvironmentFailure(reason)
            case Crashed(why):
                pass
    parts = request.split()
    if len(parts) < 2:
        return request.failed_reply(why, settings)
    return request.join_replies([reply_with_retries(part, ask, settings) for part in parts])


def serve(descriptor: int) -> None:
    """Main function of a pool's worker: receives the settings, then requests, through a pipe."""
    from multiprocessing.connection import Connection  # noqa: PLC0415 - slow to load

    keep_freed_memory()
    with Connection(descriptor) as pipe, suppress(EOFError):
        settings = pipe.recv()
        with Solvers(settings.solver, settings.minisat) as solvers:
            pipe.send(reply_to(pipe.recv(), solvers, settings))
            gc.freeze()  # else each full garbage collection visits all that is loaded: 20 ms
            while True:
                pipe.send(reply_to(pipe.recv(), solvers, settings))


class LocalWorker:
    """Computes requests in this process."""

    batch_count = 1

    def __init__(
        self,
        solvers: Solvers,
        settings: Settings,
        stop: Stop,
    ) -> None:
        self._solvers = solvers
        self._settings = settings
        self._stop = stop

    def warm(self) -> None:
        """Let the solver prepare for the first request."""
        self._solvers.warm(Limits(self._settings.timeout, self._settings.memory_limit))

    def replies(self, requests: Iterator[Request]) -> Replies:
        """See Workers. A stop signal may interrupt computations."""
        for request in requests:
            yield request, self.reply(request)

    def reply(self, request: Request, seconds: float | None = None) -> Any:
        """Compute the reply to one request. Raises TimeLimitExceeded after `seconds`."""

        def ask(request: Request) -> Reply:
            with self._stop.computing(seconds):
                return reply_to(request, self._solvers, self._settings)

        return reply_with_retries(request, ask, self._settings)

    def reset(self) -> None:
        """Reset the solvers after an interrupted computation."""
        self._solvers.close()

    def close(self) -> None:
        """Do nothing, because this worker has no process."""


def core_count() -> int:
    """The number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Up to `count` worker processes, each served by a thread of this process.

    Processes are started on demand, and kept for later requests.
    """

    batch_count = 1

    def __init__(
        self,
        count: int,
        settings: Settings,
        stop: Stop,
        start: Callable[[str], Peer] = Peer,
    ) -> None:
        self.count = count
        self._settings = settings
        self._stop = stop
        self._start = start
        self._idle: list[Peer] = []

    def replies(self, requests: Iterator[Request]) -> Replies:
        """See Workers. Up to PENDING_PER_PROCESS requests per process are pending."""
        from concurrent import futures  # noqa: PLC0415 - slow to load

        pending: deque[tuple[Request, Future[Any]]] = deque()
        with ExitStack() as stack:
            threads = stack.enter_context(futures.ThreadPoolExecutor(self.count, "worker"))
            stop = Alarm()
            stack.callback(stop.close)
            stack.callback(threads.shutdown, cancel_futures=True)
            stack.callback(stop.ring)
            ask = partial(self._reply_of_worker, stop=stop)
            while True:
                for request in islice(requests, PENDING_PER_PROCESS * self.count - len(pending)):
                    arguments = request, ask, self._settings
                    pending.append((request, threads.submit(reply_with_retries, *arguments)))
                if not pending:
                    return
                is_ready = futures.wait([pending[0][1]], REPLY_SECONDS).done
                if self._stop.is_requested:
                    raise Interrupted
                if not is_ready:
                    yield None
                    continue
                request, future = pending.popleft()
                yield request, future.result()

    def _reply_of_worker(self, request: Request, stop: Alarm) -> Reply:
        """Let a worker process compute the reply; the process is kept unless it crashed."""
        from multiprocessing.connection import wait  # noqa: PLC0415 - slow to load

        with ExitStack() as stack:
            peer = self._worker()
            stack.callback(peer.close)
            peer.send(request)
            if stop.descriptor in wait([peer.pipe, stop.descriptor]):
                raise Interrupted
            try:
                reply: Reply = peer.receive(0)
            except EOFError:
                code = peer.exit_code()
                return Crashed(f"the worker process died with exit code {code}")
            if not isinstance(reply, Crashed):
                stack.pop_all()
                self._idle.append(peer)
        return reply

    def _worker(self) -> Peer:
        """An idle worker process, or a new one. Raises EnvironmentFailure."""
        with suppress(IndexError):
            while (peer := self._idle.pop()).has_ended():
                peer.close()
            return peer
        try:
            peer = self._start(__name__)
        except OSError as error:
            raise EnvironmentFailure(f"cannot start a worker process: {error.strerror}") from error
        peer.send(self._settings)
        return peer

    def close(self) -> None:
        for peer in self._idle:
            peer.close()
        self._idle.clear()
