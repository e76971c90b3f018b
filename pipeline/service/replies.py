"""Encode requests and replies for workers on other machines. Replies are never unpickled.

A reply contains the parts of a result that are published. It contains no problem and no clauses,
because the caller can create them from the source.
"""

from __future__ import annotations

import pickle
import socket
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from msgspec import Struct

from pipeline.errors import PipelineError, RefusalCode
from pipeline.limits import Limits
from pipeline.outbox.rows import Rows
from pipeline.puzzle.puzzle import Grid
from pipeline.reading import OneProblem, Unreadable
from pipeline.service.workers import Crashed, Done, EnvironmentFailed, Reply, Request, reply_to
from pipeline.settings import Settings, settings_declared
from pipeline.solving import Encoding, Traits
from pipeline.solving.explain import Conflict, Difference
from pipeline.solving.problem import PuzzleProblem, problem_in
from pipeline.solving.result import Certificate, Proof, Result, SolverUsed, Status
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.child import keep_freed_memory
from pipeline.version import __version__

_thread_state = threading.local()
"""The solvers of this thread, and the settings from which they were created."""


class SentResult(Struct, frozen=True, array_like=True):
    """A Result without its problem and clauses.

    `is_read`: whether the result has a problem. `proof`: the text of the LRAT proof.
    """

    status: Status
    solutions: tuple[tuple[int, ...], ...]
    complete: bool | None
    message: str | None
    is_read: bool
    solver: SolverUsed | None
    certificate: Certificate | None
    proof: str | None
    conflict: Conflict | None
    difference: Difference | None
    disagreement: str | None
    is_doubted: bool
    traits: Traits | None
    encoding: Encoding | None
    seconds: dict[str, float]
    code: RefusalCode | None


def unpack_rows(data: bytes) -> Rows:
    """Decode rows. Raises msgspec.DecodeError."""

    def counter(_: type, value: object) -> Counter[str]:
        return Counter(msgspec.convert(value, dict[str, int]))

    return msgspec.msgpack.decode(data, type=Rows, dec_hook=counter)


def pack_results(results: Sequence[Result]) -> bytes:
    """Encode results as MessagePack."""
    return msgspec.msgpack.encode([_sent_result(result) for result in results])


def unpack_results(data: bytes, items: Sequence[OneProblem], settings: Settings) -> list[Result]:
    """Decode the results of items. Raises ValueError, msgspec.DecodeError, PipelineError."""
    sent = msgspec.msgpack.decode(data, type=list[SentResult])
    return [
        _restored_result(result, item, settings) for result, item in zip(sent, items, strict=True)
    ]


def _sent_result(result: Result) -> SentResult:
    """Convert a Result to a SentResult."""
    is_puzzle = isinstance(result.problem, PuzzleProblem)
    own: dict[str, Any] = {
        "solutions": tuple(s.values if is_puzzle else s for s in result.solutions),
        "is_read": result.problem is not None,
        "proof": result.proof and result.proof.lrat,
    }
    names = [name for name in SentResult.__struct_fields__ if name not in own]
    return SentResult(**own, **{name: getattr(result, name) for name in names})


def _restored_result(sent: SentResult, item: OneProblem, settings: Settings) -> Result:
    """Restore a Result: read its problem from `item`, and encode its clauses with `keep_cnf`.

    Raises ValueError for an impossible result, and PipelineError.
    """
    fields = {name: getattr(sent, name) for name in sent.__struct_fields__ if name != "is_read"}
    if not sent.is_read:
        if sent.solutions or sent.encoding or sent.proof is not None:
            raise ValueError("results of an unread problem")
        return Result(**fields)
    if isinstance(item, Unreadable):
        raise ValueError("results of an unread problem")  # noqa: TRY004 - a bad reply
    max_timeout = settings_declared()["timeout"].maximum  # the worker read and encoded it in time
    unlimited = replace(settings, timeout=max_timeout)
    problem = problem_in(item, unlimited)
    if isinstance(problem, PuzzleProblem):
        geometry = problem.puzzle.geometry
        fields["solutions"] = tuple(Grid(geometry, values) for values in sent.solutions)
        if sent.encoding and settings.keep_cnf:
            limits = Limits(unlimited.timeout, settings.memory_limit)
            fields["cnf"] = problem.encode(settings.encoding, limits)
    if sent.proof is not None:
        fields["proof"] = Proof(problem, fields["solutions"], sent.proof)
    return Result(**fields, problem=problem)


def error_text(error: BaseException) -> str:
    """The message of an exception in one line, with its type unless it is a PipelineError."""
    if isinstance(error, PipelineError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def read_reply(data: bytes, request: Request, settings: Settings) -> Reply:
    """Decode a worker's reply. An unreadable reply counts as a crash."""
    try:
        reply: Reply = msgspec.msgpack.decode(data, type=Reply)
        if isinstance(reply, Done):
            return Done(request.unpack(reply.value, settings))
    except (ValueError, TypeError, PipelineError, msgspec.MsgspecError) as error:
        return Crashed(f"unreadable reply: {error_text(error)}")
    return reply


def pack_request(request: Request, settings: Settings) -> bytes:
    """Pickle a request so that unpickling computes it and returns the encoded reply.

    This adds no risk: a Dask worker runs any code that its scheduler sends.
    """
    return pickle.dumps(_Call(__version__, pickle.dumps((request, settings))))


@dataclass(frozen=True, slots=True)
class _Call:
    """An object that is pickled as a call of `compute`."""

    version: str
    content: bytes

    def __reduce__(self) -> tuple[Callable[[str, bytes], bytes], tuple[str, bytes]]:
        return compute, (self.version, self.content)


def compute(version: str, content: bytes) -> bytes:
    """Compute a request from `pack_request`. Returns the encoded reply.

    Raises RuntimeError if the caller has another version: every version can decode an exception,
    but perhaps not the reply.
    """
    if version != __version__:
        host = socket.gethostname()
        raise RuntimeError(f"{host} has sudoku-pipeline {__version__}, expected {version}")
    request, settings = pickle.loads(content)  # noqa: S301 - the sender can run any code
    try:
        solvers = _solvers(settings)
    except (PipelineError, OSError) as error:
        reply: Reply = EnvironmentFailed(f"on {socket.gethostname()}: {error}")
    else:
        reply = reply_to(request, solvers, settings, pack=True)
    return msgspec.msgpack.encode(reply)


def _solvers(settings: Settings) -> Solvers:
    """The solvers of this thread. They are reused until the settings name other solvers."""
    names = settings.solver, settings.minisat
    if getattr(_thread_state, "names", None) != names:
        keep_freed_memory()
        new_solvers = Solvers(*names)
        if hasattr(_thread_state, "solvers"):
            _thread_state.solvers.close()
        _thread_state.solvers, _thread_state.names = new_solvers, names
    solvers: Solvers = _thread_state.solvers
    return solvers
