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
from pipeline.dropbox.scan import kind_of, read_file
from pipeline.errors import EnvironmentFailure, printable
from pipeline.log import Log
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
from pipeline.solve import Solvers
from pipeline.stages import Result, solve_source

MOST_ATTEMPTS = 3


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
        """Process a claim to its end; its status.

        Raises EnvironmentFailure or Interrupted; the file is back in the inbox then, or stays
        claimed for a later run where something else has taken its place.
        """
        try:
            return self._process(claim)
        except (OSError, EnvironmentFailure, Interrupted) as error:
            self._give_back(claim)
            if isinstance(error, OSError):
                raise EnvironmentFailure(_words(error)) from error
            raise
        finally:
            claim.close()

    def _process(self, claim: Claim) -> str:
        if not claim.note.job:  # its note was lost with the power; it is claimed anew
            claim.put_back(self.folders.inbox)
            return "returned"
        record = is_published(claim, self.folders)
        if record is None:
            return self._compute_and_publish(claim)
        status = str(record["status"])
        finish(claim, self.folders, status)
        self.log.info("job.recovered", source=printable(claim.note.source), status=status)
        return status

    def _compute_and_publish(self, claim: Claim) -> str:
        origin, result = self._compute(claim)
        if result.solver and result.solver.fallback and not self.solvers.lacking:
            self.log.warning(
                "solver.fallback",
                source=printable(origin.source),
                solver=result.solver.name,
                reason=result.solver.fallback,
            )
        now = datetime.now(UTC)
        publish(
            claim,
            self.folders,
            self._files(claim, origin, result, now),
            lambda files: record_text(make_record(origin, result, files, now)),
        )
        finish(claim, self.folders, result.status)
        event = finished_event(origin, result) | {"source": printable(origin.source)}
        log = self.log.error if result.status in ("invalid", "failed", "unknown") else self.log.info
        log("job.finished", job=origin.job, **event)
        return result.status

    def _compute(self, claim: Claim) -> tuple[Origin, Result]:
        """The result for a claimed file; an attempt is counted while it is computed."""
        note = claim.note
        status = claim.original.lstat()
        if not stat.S_ISREG(status.st_mode):
            message = f"{printable(note.source)}: expected a file, found {kind_of(status.st_mode)}"
            return Origin(note.job, note.source, None, None), Result("invalid", message=message)
        most = self.settings.max_bytes
        if status.st_size > most:
            message = (
                f"{printable(note.source)}: expected at most {most} bytes (--max-bytes), "
                f"found {status.st_size}"
            )
            origin = Origin(note.job, note.source, None, status.st_size)
            return origin, Result("invalid", message=message)
        try:
            data = read_file(claim.original, most)
        except PermissionError:
            message = f"{printable(note.source)}: expected a file that may be read, found another's"
            return Origin(note.job, note.source, None, None), Result("invalid", message=message)
        origin = Origin(note.job, note.source, digest(data), len(data))
        why = "the process was killed"
        while (attempts := claim.attempts()) < MOST_ATTEMPTS:
            try:
                with self.computing(), claim.attempt():
                    return origin, solve_source(data, note.source, self.solvers, self.settings)
            except (OSError, EnvironmentFailure, Interrupted):
                claim.reset_attempts()
                raise
            except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
                why = f"{type(error).__name__}: {error}"
                self.log.error("job.crashed", source=printable(note.source), reason=why)
        message = f"given up after {attempts} attempts: {why}"
        return origin, Result("failed", message=message)

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
        try:
            if not claim.note.files and claim.put_back(self.folders.inbox):
                return
        except OSError:
            pass
        self.log.warning("job.kept", source=printable(claim.note.source), where=claim.folder.name)


def _words(error: OSError) -> str:
    where = f"{printable(str(error.filename))}: " if error.filename else ""
    return f"{where}{error.strerror or error}"
