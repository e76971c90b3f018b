"""Arrivals: find out which files in the inbox are complete, and read the small ones.

name ─ observe ─▶ Observation with its Source ─ judge ─▶ complete, or Deferral
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import printable
from pipeline.reading import Collection, OneProblem, Unreadable
from pipeline.service.processing import NOT_SOURCE_ERRORS
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.marks import Marks
from pipeline.service.protocol.settle import (
    History,
    Observation,
    SettlingVerdict,
    names_in,
    observe,
)
from pipeline.service.runs import LongJobs
from pipeline.service.runtime import Runtime

if TYPE_CHECKING:
    from pipeline.reading import Source


@dataclass(frozen=True, slots=True)
class Deferral:
    """The decision not to claim a file now.

    `seconds`: the time after which to observe the file again; None for the next sweep.
    """

    seconds: float | None = None


MAX_READ_BYTES = 1024 * 1024
"""Maximum size of a file that is read before it is claimed."""

_WARNINGS = ("file.stuck", "file.held")
"""Events that are logged as warnings."""


@dataclass(slots=True)
class _NameState:
    """The state of a file that is not claimed yet.

    - `logged_events`: events about the file that were logged.
    - `observe_at`: monotonic time before which it is not observed again.
    - `is_slow`: whether the file may be slow to process.
    - `is_refused`: whether a slow file will be refused as invalid; None if that is unknown.
    """

    history: History = field(default_factory=History)
    logged_events: set[str] = field(default_factory=set)
    observe_at: float = 0.0
    is_slow: bool = False
    is_refused: bool | None = None


class Arrivals:
    """Observes the files in an inbox until they are complete.

    Slow files have to wait while the maximum number of long jobs is running. In a single pass
    (`once`), a file that does not settle within the settling time is left for the next pass.
    `saw_collections` is set when an observed small file is not a single problem; callers reset it.
    """

    def __init__(self, runtime: Runtime, long_jobs: LongJobs, *, once: bool) -> None:
        self._runtime = runtime
        self._inbox = runtime.folders.inbox
        self._long_jobs = long_jobs
        self._once = once
        self._states: defaultdict[str, _NameState] = defaultdict(_NameState)
        self._marks = Marks(runtime.folders.work, self.log_stuck)
        self._stuck_marks: set[Path] = set()
        self.saw_collections = False

    def close(self) -> None:
        """Remove the mark file that was kept to be reused."""
        self._marks.close()

    def names(self, *, thorough: bool) -> tuple[list[str], list[str]]:
        """The names in the inbox: a list of quick or unknown files, and a list of slow files.

        Forgets files that are gone. If `thorough`, first takes over the marks of processes that
        died while reading a file.
        """
        names, _ = names_in(self._inbox)
        if thorough:
            self._marks.take_over(names)
        for gone in self._states.keys() - names:
            del self._states[gone]
        slow = {*filter(self.is_slow, names)}
        return [name for name in names if name not in slow], sorted(slow)

    def forget_claimed(self, name: str, claim: Claim) -> None:
        """Forget a claimed file.

        If reading the file has crashed or killed a process, that counts as an attempt.
        """
        self._states.pop(name, None)
        if self._marks.unmark(name):
            with suppress(OSError):  # if the disk is full, the job reports it
                claim.count_attempt()

    def observe(self, name: str) -> Observation | Deferral:
        """Observe a file. Returns a Deferral unless it is complete and may be claimed now.

        Raises OSError.
        """
        state = self._states[name]
        if state.is_slow and state.is_refused is False and self._long_jobs.is_full:
            return Deferral()
        if (left := state.observe_at - time.monotonic()) > 0:
            return Deferral(left)
        observation = observe(
            self._inbox / name, lambda data: self._read(name, data), MAX_READ_BYTES
        )
        if observation is None:
            return Deferral()
        if observation.refusal:
            return observation
        state.is_slow = state.is_slow or self._may_be_slow(observation)
        if observation.is_folder:  # walking a folder is slow
            state.observe_at = time.monotonic() + self._runtime.tuning.walk_seconds
        settle = self._runtime.settings.settle
        verdict = state.history.judge(observation, settle, time.monotonic(), time.time())
        if isinstance(verdict, SettlingVerdict):
            return self._defer(observation, verdict)
        return observation if self._may_be_claimed(name, state) else Deferral()

    def _may_be_claimed(self, name: str, state: _NameState) -> bool:
        """Whether a complete file may be claimed now.

        A slow file may be claimed only if another long job may start, or if it will be refused.
        """
        if not state.is_slow or not self._long_jobs.is_full:
            return True
        if state.is_refused is None:
            state.is_refused = self._is_refused(name)
        return state.is_refused

    def _is_refused(self, name: str) -> bool:
        """Whether a slow file will be refused, so that it does not need a long job."""
        from pipeline.reading.read import source_at  # noqa: PLC0415 - slow to load

        source = source_at(self._inbox / name, name, self._runtime.settings, counts_members=True)
        return isinstance(source, Unreadable)

    def is_slow(self, name: str) -> bool:
        """Whether a file is known to be slow to process."""
        return name in self._states and self._states[name].is_slow

    def is_quick(self, observation: Observation) -> bool:
        """Whether a file was read, and is one problem or a small collection."""
        return observation.data is not None and not self.is_slow(observation.name)

    def _may_be_slow(self, observation: Observation) -> bool:
        """Whether a file may be slow to process. Sets `saw_collections`."""
        if observation.data is None:
            return observation.is_folder or observation.fingerprint.size > MAX_READ_BYTES
        if isinstance(observation.source, OneProblem):
            return False
        self.saw_collections = True
        if not isinstance(observation.source, Collection):
            return True
        from pipeline.service.jobs.collection import is_quick  # noqa: PLC0415 - loads numpy

        chunk_sizes, size = self._runtime.tuning.chunk_sizes, observation.fingerprint.size
        return not is_quick(observation.source, size, self._runtime.settings, chunk_sizes)

    def _read(self, name: str, data: bytes) -> tuple[Source | None, bool]:
        """Parse the bytes of a file. Returns its source, and whether it looks truncated.

        If parsing crashes now or killed a process earlier, the source is None, and the file is
        claimed after the settling time. Its job then reads it again and counts the attempts.
        """
        from pipeline.reading.read import source_in  # noqa: PLC0415 - slow to load

        if self._marks.has_crashed(name):
            return None, True
        try:
            with self._marks.reading(name):
                return source_in(data, name, self._runtime.settings)
        except NOT_SOURCE_ERRORS:
            raise
        except Exception:  # noqa: BLE001 - a bug in a parser
            self._marks.add_crash(name)
            return None, True

    def _defer(self, observation: Observation, verdict: SettlingVerdict) -> Deferral:
        """Decide when to observe an incomplete file again, and log why it is not processed yet."""
        seconds, name = verdict.seconds, observation.name
        if verdict.is_held_open:
            self.log_once("file.held", name, verdict.reason)
            return Deferral()
        if self._once:
            if verdict.patience <= 0:
                self.log_once("file.left", name, verdict.reason)
                return Deferral()
            seconds = min(seconds, verdict.patience)
        if observation.is_folder and seconds >= 1:
            self.log_once("file.waits", name, f"at least {seconds:.0f} s")
        return Deferral(seconds)

    def log_once(self, event: str, name: str, reason: str) -> None:
        """Log an event about a file, unless it was logged before."""
        if event not in self._states[name].logged_events:
            self._states[name].logged_events.add(event)
            log = self._runtime.log
            write_line = log.warning if event in _WARNINGS else log.info
            write_line(event, source=printable(name), reason=reason)

    def log_stuck(self, mark: Path, error: OSError) -> None:
        """Log once per mark that it cannot be removed, for example if it is a folder."""
        if mark not in self._stuck_marks:
            self._stuck_marks.add(mark)
            reason = f"{printable(str(mark))}: {error.strerror}"
            self._runtime.log.warning("marker.unchangeable", reason=reason)
