"""Requests for the doubles of numbers, at some of which things go wrong."""

from __future__ import annotations

import errno
import os
import pickle
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from support.drop_folders import wait_for

from pipeline.errors import EnvironmentFailure
from pipeline.service.workers import Request


@dataclass(frozen=True)
class Doubling(Request):
    """A request for the doubles of some numbers; `padding` makes it large, and the reply."""

    numbers: tuple[int, ...]
    deadly: frozenset[int] = frozenset()
    crashing: frozenset[int] = frozenset()
    lacking: frozenset[int] = frozenset()
    cramped: frozenset[int] = frozenset()
    exiting: frozenset[int] = frozenset()
    endless: frozenset[int] = frozenset()
    deadly_once: Path | None = None
    held_once: Path | None = None
    """A file for the process id of the first that computes one; it waits until the file is gone."""
    padding: bytes = b""
    forged: Path | None = None
    """A worker of a cluster replies with a pickle that makes this file."""

    def compute(self, solvers: object, settings: object) -> list[tuple[int, Any, bytes]]:
        return [(number, self._double(number), self.padding) for number in self.numbers]

    def _double(self, number: int) -> int:
        if number in self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if number in self.exiting:
            os._exit(0)
        if number in self.crashing:
            raise ZeroDivisionError("no reason")
        if number in self.lacking:
            raise EnvironmentFailure("there is no room")
        if number in self.cramped:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        if number in self.endless:
            signal.pause()
        if self.deadly_once is not None and not self.deadly_once.exists():
            self.deadly_once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.held_once is not None:
            self._be_held(self.held_once)
        return 2 * number

    def _be_held(self, at: Path) -> None:
        with suppress(FileExistsError):
            at.with_suffix(".taken").touch(exist_ok=False)
            at.write_text(f"{os.getpid()}\n")
            wait_for(lambda: not at.exists())

    def split(self) -> Sequence[Request]:
        return [replace(self, numbers=(number,)) for number in self.numbers]

    def join_replies(self, replies: list[Any]) -> Any:
        return [each for reply in replies for each in reply]

    def pack(self, reply: Any, settings: object) -> bytes:
        if self.forged is not None:
            return pickle.dumps(Hostile(self.forged))
        return msgspec.msgpack.encode(reply)

    def unpack(self, data: bytes, settings: object) -> Any:
        return msgspec.msgpack.decode(data, type=list[tuple[int, Any, bytes]])

    def failed_reply(self, why: str, settings: object) -> Any:
        return [(number, why, self.padding) for number in self.numbers]


@dataclass
class Hostile:
    """Who unpickles it makes a file."""

    at: Path

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        return Path.touch, (self.at,)


MANY = tuple(Doubling((i, i + 1)) for i in range(0, 24, 2))
GOOD = [(i, 2 * i) for i in range(24)]
BAD = frozenset({7})


def fated(**fates: Any) -> Iterator[Doubling]:
    """MANY, with something wrong at some of their numbers."""
    return (replace(request, **fates) for request in MANY)


def doubles(replies: Iterable[tuple[Any, Any] | None]) -> list[tuple[int, Any]]:
    """Numbers and their doubles, from replies."""
    found = chain.from_iterable(reply for _, reply in filter(None, replies))
    return [(number, double) for number, double, _ in found]
