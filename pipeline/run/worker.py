"""What a worker process does: it computes the requests that come through a pipe, in order."""

from __future__ import annotations

from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from pipeline.errors import EnvironmentFailure
from pipeline.settings import Settings
from pipeline.solve import Solvers


@dataclass(frozen=True, slots=True)
class Start:
    """The first request: the settings for all that follow."""

    settings: Settings


@dataclass(frozen=True, slots=True)
class Done:
    """A reply: what the request came to."""

    value: Any


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A reply: the surroundings failed, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Crashed:
    """A reply: the request made us crash, and how."""

    reason: str


def serve(descriptor: int) -> None:
    """Serve until the other end of the pipe is closed."""
    with Connection(descriptor) as pipe:
        try:
            start = pipe.recv()
            with Solvers(start.settings.solver, start.settings.minisat) as solvers:
                while True:
                    pipe.send(reply_to(pipe.recv(), solvers, start.settings))
        except EOFError:
            return


def reply_to(request: Any, solvers: Solvers, settings: Settings) -> Done | Surroundings | Crashed:
    """What a request comes to, whatever goes wrong."""
    try:
        return Done(request.compute(solvers, settings))
    except EnvironmentFailure as error:
        return Surroundings(str(error))
    except Exception as error:  # noqa: BLE001 - a crash of ours costs only what was asked
        return Crashed(f"{type(error).__name__}: {error}")
