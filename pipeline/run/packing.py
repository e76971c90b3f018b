"""What a worker of a cluster does: it computes a request from bytes, and replies in bytes.

The scheduler between us needs nothing of this package: it hands on bytes, and the name of
`pickle.loads`, which computes when it unpickles them.
"""

from __future__ import annotations

import ctypes
import pickle
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pipeline.errors import PipelineError
from pipeline.run.worker import Crashed, Done, Surroundings, reply_to
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.version import __version__

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _MIB = -1, -3, 1024 * 1024
_ours = threading.local()


def packed(request: Any, settings: Settings) -> bytes:
    """Bytes that are unpickled, by a worker, as the packed reply to a request."""
    return pickle.dumps(_Call(__version__, pickle.dumps((request, settings))))


def unpacked(reply: bytes) -> Done | Surroundings | Crashed:
    """The reply that a worker has packed."""
    found: Done | Surroundings | Crashed = pickle.loads(reply)  # noqa: S301 - by our own workers
    return found


@dataclass(frozen=True, slots=True)
class _Call:
    version: str
    content: bytes

    def __reduce__(self) -> tuple[Any, tuple[str, bytes]]:
        return compute, (self.version, self.content)


def compute(version: str, content: bytes) -> bytes:
    """Compute what `packed` has packed. Raises RuntimeError for that of another version.

    Such an error, unlike a reply, is understood by every version.
    """
    if version != __version__:
        raise RuntimeError(f"it has sudoku-pipeline {__version__}, not {version}")
    request, settings = pickle.loads(content)  # noqa: S301 - whoever sends it may run anything
    try:
        solvers = _solvers(settings)
    except (PipelineError, OSError) as error:
        return pickle.dumps(Surroundings(f"on {socket.gethostname()}: {error}"))
    return pickle.dumps(reply_to(request, solvers, settings))


def _solvers(settings: Settings) -> Solvers:
    """The solvers of this thread, kept as long as the same ones are wanted."""
    wanted = settings.solver, settings.minisat
    if getattr(_ours, "wanted", None) != wanted:
        _keep_memory()
        solvers = Solvers(*wanted)
        if hasattr(_ours, "solvers"):
            _ours.solvers.close()
        _ours.solvers, _ours.wanted = solvers, wanted
    found: Solvers = _ours.solvers
    return found


def _keep_memory() -> None:
    """Let glibc keep memory that is freed.

    Dask's nannies have it given back at once (MALLOC_TRIM_THRESHOLD_), and fetching it again
    takes lanes a third of their time.
    """
    with suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_TRIM_THRESHOLD, 32 * _MIB)
        libc.mallopt(_M_MMAP_THRESHOLD, 4 * _MIB)
