"""One job: a claim, through the chain, to its published set."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.publish import finish, is_published, publish
from pipeline.dropbox.scan import kind_of
from pipeline.errors import EnvironmentFailure, InvalidPuzzle, in_words, printable
from pipeline.files import read_regular
from pipeline.log import Log
from pipeline.parse import oversize
from pipeline.record import (
    Origin,
    cnf_texts,
    digest,
    finished_event,
    log_text,
    make_record,
    record_text,
    solution_texts,
)
from pipeline.run.stop import Interrupted
from pipeline.settings import Settings
from pipeline.solve import Limits, Solvers
from pipeline.stages import NOT_WELL, Result, Stopwatch, solve_source

MOST_ATTEMPTS = 3
KEPT = "kept"
_NO_FAULT = (OSError, EnvironmentFailure, Interrupted)
"""What may end a computation through no fault of the puzzle's."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """What all jobs of a run share.

    `computing` is entered around what may be interrupted.
    """

    folders: Folders
    settings: Settings
    solvers: Solvers
    log: Log
    computing: Callable[[], AbstractContextManager[None]]

    def process(self, claim: Claim) -> str:
        """Process a claim to its end; its status, or KEPT.

        KEPT: something in the way of this job alone keeps it from being published; it stays
        claimed. Raises EnvironmentFailure or Interrupted; the file is back in the inbox then, or
        stays claimed for a later run, if a newer one has taken its place or its publishing has
        begun.
        """
        try:
            return self._process(claim)
        except OSError as error:
            if not self.folders.blames(error):
                self._say_kept(claim, in_words(error))
                return KEPT
            self._give_back(claim)
            raise EnvironmentFailure(in_words(error)) from error
        except (EnvironmentFailure, Interrupted):
            self._give_back(claim)
            raise
        finally:
            claim.close()

    def warm(self) -> None:
        """Have the solver start what it can before there is a job."""
        self.solvers.warm(Limits(self.settings.timeout, self.settings.memory_limit))

    def _process(self, claim: Claim) -> str:
        record = is_published(claim, self.folders)
        if record is None:
            return self._compute_and_publish(claim)
        status = str(record["status"])
        finish(claim, self.folders, status)
        self.log.info("job.recovered", source=printable(claim.note.source), status=status)
        return status

    def _compute_and_publish(self, claim: Claim) -> str:
        origin, result = self._compute(claim)
        if result.solver and result.solver.fallback != self.solvers.lacking:
            self.log.warning(
                "solver.fallback",
                source=printable(origin.source),
                solver=result.solver.name,
                reason=result.solver.fallback,
            )
        now = datetime.now(UTC)
        try:
            publish(
                claim,
                self.folders,
                self._files(claim, origin, result, now),
                lambda files: record_text(make_record(origin, result, files, now)),
            )
        except Exception as error:  # a crash of ours is an attempt
            if isinstance(error, OSError):
                raise
            claim.count_attempt()
            self._say_crashed(claim, error)
            return KEPT
        finish(claim, self.folders, result.status)
        event = finished_event(origin, result) | {"source": printable(origin.source)}
        log = self.log.error if result.status in NOT_WELL else self.log.info
        log("job.finished", job=origin.job, **event)
        return result.status

    def _compute(self, claim: Claim) -> tuple[Origin, Result]:
        """The result for a claimed file; an attempt is counted while it is computed."""
        note, watch = claim.note, Stopwatch()
        status = claim.original.lstat()
        size, data, refusal = None, None, None
        if not stat.S_ISREG(status.st_mode):
            refusal = InvalidPuzzle(note.source, None, None, "a file", kind_of(status.st_mode))
        elif (size := status.st_size) > self.settings.max_bytes:
            refusal = oversize(note.source, self.settings.max_bytes, f"{size} bytes")
        else:
            try:
                data = read_regular(claim.original, self.settings.max_bytes)
            except PermissionError:
                expected, found = "a file that may be read", "no permission to read it"
                refusal = InvalidPuzzle(note.source, None, None, expected, found)
        if data is None:
            result = Result("invalid", message=str(refusal), seconds=watch.seconds())
            return Origin(note.job, note.source, None, size), result
        return Origin(note.job, note.source, digest(data), len(data)), self._solve(claim, data)

    def _solve(self, claim: Claim, data: bytes) -> Result:
        """The chain's result; `failed` once every attempt has crashed."""
        source, watch = claim.note.source, Stopwatch()
        why = "the process was killed"
        while (attempts := claim.attempts()) < MOST_ATTEMPTS:
            try:
                with self.computing(), claim.attempt(free=_NO_FAULT):
                    return solve_source(data, source, self.solvers, self.settings)
            except _NO_FAULT:
                raise
            except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
                why = self._say_crashed(claim, error)
        message = f"given up after {attempts} attempts: {why}"
        return Result("failed", message=message, seconds=watch.seconds())

    def _say_crashed(self, claim: Claim, error: Exception) -> str:
        why = f"{type(error).__name__}: {error}"
        self.log.error("job.crashed", source=printable(claim.note.source), reason=why)
        return why

    def _files(
        self, claim: Claim, origin: Origin, result: Result, now: datetime
    ) -> Iterator[tuple[str, Iterable[str]]]:
        """The set but its record: each name and its text in pieces."""
        stem = claim.note.stem
        for number, text in enumerate(solution_texts(result) if result.solutions else (), 1):
            yield f"{stem}_{number}.solution", [text]
        if claim.note.keep_cnf and result.cnf:
            puzzle, counted = cnf_texts(result)
            yield f"{stem}.cnf", puzzle
            yield f"{stem}_count.cnf", counted
        claimed = datetime.fromisoformat(claim.note.claimed) if claim.note.claimed else now
        yield f"{stem}.log", [log_text(origin, result, claimed, now)]

    def _give_back(self, claim: Claim) -> None:
        """Return the file to the inbox, unless its earlier set is half replaced already."""
        if claim.note.files:
            self._say_kept(claim, "its publishing has begun")
            return
        try:
            if not claim.put_back(self.folders.inbox):
                self._say_kept(claim, "another of its name is in the inbox")
        except OSError as error:
            self._say_kept(claim, in_words(error))

    def _say_kept(self, claim: Claim, reason: str) -> None:
        self.log.error("job.kept", source=printable(claim.note.source), reason=reason)
