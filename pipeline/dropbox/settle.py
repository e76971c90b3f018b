"""Is a file complete? A decision without I/O: what was seen and the clock in, a verdict out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

EMPTY_SECONDS = 60.0
"""For that long after its mtime what is empty may be about to be written."""


CLOCK_SECONDS = 3600.0
"""No clock is wrong by more than that: a time further in the future was made up."""

FOLDER_SECONDS = 5.0
"""For that long nothing in a dropped folder may have changed."""


class Fingerprint(NamedTuple):
    """What changes when a file does; a rename leaves it as it is."""

    inode: int
    size: int
    modified_ns: int


UNSEEN = Fingerprint(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Sight:
    """A file as it was just seen.

    `writer`: somebody has it open for writing; None where that cannot be told. `cut_off`: its
    content looks like the beginning of something. A folder's fingerprint is that of its content,
    in place of the time; `newest_ns` is the latest mtime in it.
    """

    name: str
    fingerprint: Fingerprint
    writer: bool | None
    cut_off: bool = False
    is_folder: bool = False
    newest_ns: int = 0

    @property
    def modified(self) -> float:
        """When it was last written to by its own account, seconds since 1970."""
        return (self.newest_ns if self.is_folder else self.fingerprint.modified_ns) / 1e9


@dataclass(frozen=True, slots=True)
class Ready:
    """Complete."""


@dataclass(frozen=True, slots=True)
class Settling:
    """Not yet complete: look again in `seconds`.

    `patience` is what is left of the settling time since its name was first seen, changed since
    or not. `held`: a writer has had it open without a change for longer than the settling time,
    so that nobody knows when it will be done.
    """

    seconds: float
    reason: str
    patience: float
    held: bool = False


class Settler:
    """Remembers when each file was first seen as it is now, on a monotonic clock."""

    def __init__(self, settle: float) -> None:
        self._settle = settle
        self._first: dict[str, float] = {}
        self._since: dict[str, tuple[Fingerprint, float]] = {}
        self._written: dict[str, float] = {}

    def forget_all_but(self, names: Collection[str]) -> None:
        """Drop what is no longer there."""
        for gone in self._since.keys() - names:
            del self._since[gone], self._first[gone]
            self._written.pop(gone, None)

    def judge(self, sight: Sight, now: float, wall: float) -> Ready | Settling:
        """Whether the file is complete, at `now` on the monotonic and `wall` on the wall clock."""
        fingerprint, since = self._since.get(sight.name, (None, now))
        if fingerprint != sight.fingerprint:
            since = now
            self._since[sight.name] = (sight.fingerprint, now)
        unchanged = now - since
        settle = FOLDER_SECONDS if sight.is_folder else self._settle
        left = settle - unchanged
        patience = settle - (now - self._first.setdefault(sight.name, now))
        if sight.writer:
            self._written[sight.name] = now
            soon = max(left, settle / 4)
            return Settling(soon, "a writer has it open", patience, held=left <= 0)
        if sight.is_folder and sight.name in self._written:
            left = max(left, self._written[sight.name] + settle - now)
        if sight.fingerprint.size == 0:
            age = max(unchanged, wall - sight.modified)
            if age < EMPTY_SECONDS and sight.modified < wall + CLOCK_SECONDS:
                return Settling(EMPTY_SECONDS - age, "it is still empty", patience)
        if sight.writer is None and left > 0:
            return Settling(left, "it may still be written", patience)
        if sight.cut_off and left > 0:
            return Settling(left, "it looks cut off", patience)
        return Ready()
