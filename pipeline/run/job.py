"""One job: a claim, through the chain, to its published set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.folders import Folders, digest_of
from pipeline.dropbox.growing import has_progress
from pipeline.dropbox.publish import Publication, finish, is_published, publish
from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.limits import Limits
from pipeline.log import Log
from pipeline.published import Record
from pipeline.published.schema import FALLBACKS
from pipeline.record import (
    Origin,
    digest,
    finished_event,
    job_files,
    make_record,
    record_text,
    told_seconds,
    told_totals,
)
from pipeline.result import NOT_WELL, Result
from pipeline.run.bulk import NO_FAULT, Bulk, Single, size_of
from pipeline.run.pool import Workers
from pipeline.run.stop import Interrupted
from pipeline.settings import Settings
from pipeline.solve import Solvers
from pipeline.solving import solve_source

MOST_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended: its status, and whether some of it was invalid, unknown or failed."""

    status: str
    bad: bool


@dataclass(frozen=True, slots=True)
class Jobs:
    """What all jobs of a run share.

    `computing` is entered around what may be interrupted.
    """

    folders: Folders
    settings: Settings
    solvers: Solvers
    workers: Workers
    log: Log
    computing: Callable[[], AbstractContextManager[None]]

    def warm(self) -> None:
        """Have the solver start what it can before there is a job."""
        self.solvers.warm(Limits(self.settings.timeout, self.settings.memory_limit))

    def process(self, claim: Claim) -> Ended | Bulk | None:
        """Process a claim to its end, unless it is Bulk: then `go_on` with it.

        None: something in the way of this job alone keeps it from being published; it stays
        claimed. Raises EnvironmentFailure or Interrupted; the file is back in the inbox then, or
        stays claimed for a later run, if a newer one has taken its place or its publishing has
        begun.
        """
        outcome: Ended | Bulk | None = None
        try:
            with self._returning(claim):
                outcome = self._process(claim)
        finally:
            if not isinstance(outcome, Bulk):
                claim.close()
        return outcome

    @contextmanager
    def _returning(self, claim: Claim) -> Iterator[None]:
        """Put the file back where it cannot be processed now.

        Where that is because of itself alone it stays claimed.
        """
        try:
            yield
        except OSError as error:
            if not self.folders.blames(error):
                self._say_kept(claim, in_words(error))
                return
            self.give_back(claim)
            raise EnvironmentFailure(in_words(error)) from error
        except (EnvironmentFailure, Interrupted):
            self.give_back(claim)
            raise

    def _process(self, claim: Claim) -> Ended | Bulk | None:
        record = is_published(claim, self.folders)
        if record is not None:
            return self._finish_recovered(claim, record)
        from pipeline.run import contents  # noqa: F401, PLC0415 - before attempts count: it is slow

        why = "none was completed"
        while claim.attempts() < MOST_ATTEMPTS:
            try:
                with self.computing(), self._attempt(claim):
                    content = self.content(claim)
                    if isinstance(content, Bulk):
                        return content
                    result = self._result(claim, content)
            except NO_FAULT:
                raise
            except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
                claim.count_attempt()
                why = self._say_crashed(claim, error)
                continue
            return self._publish(claim, self.origin(claim, content), result)
        return self._give_up(claim, why)

    def _attempt(self, claim: Claim) -> AbstractContextManager[None]:
        """What counts an attempt to read a file, and to solve it if it is one puzzle.

        Where steps of it are done it was read before, and that did not kill.
        """
        return nullcontext() if has_progress(claim) else claim.attempt(free=(Interrupted,))

    def _give_up(self, claim: Claim, why: str) -> Ended | None:
        """Publish that every attempt has crashed, or ended with the process."""
        path, note = claim.original, claim.note
        size = size_of(path)
        hashed = None if size is None else digest_of(path)
        declared = self.settings.reading.declared()
        origin = Origin(note.job, note.source, hashed, size, declared)
        message = f"given up after {claim.attempts()} attempts: {why}"
        return self._publish(claim, origin, Result("failed", message=message))

    def _finish_recovered(self, claim: Claim, record: Record) -> Ended:
        status = record.status
        finish([(claim, status in ("invalid", "failed"))], self.folders)
        self.log.info("job.recovered", source=printable(claim.note.source), status=status)
        return ended(status, record.totals)

    def content(self, claim: Claim) -> Single | Bulk:
        from pipeline.run.contents import content_of  # noqa: PLC0415 - archives are slow to load

        return content_of(claim, self.folders, self.settings, self.workers)

    def origin(self, claim: Claim, content: Single) -> Origin:
        hashed = None if content.data is None else digest(content.data)
        note, declared = claim.note, self.settings.reading.declared()
        return Origin(note.job, note.source, hashed, content.size, declared)

    def _result(self, claim: Claim, content: Single) -> Result:
        if content.data is None:
            return Result("invalid", message=content.refusal, seconds={"total": 0.0})
        return solve_source(content.data, claim.note.source, self.solvers, self.settings)

    def _publish(self, claim: Claim, origin: Origin, result: Result) -> Ended | None:
        if not self._published(self.publication(claim, origin, result)):
            return None
        finish([(claim, result.status in ("invalid", "failed"))], self.folders)
        return self.say_finished(origin, result)

    def _published(self, publication: Publication) -> bool:
        """Publish; whether it could be. Raises OSError."""
        try:
            publish([publication], self.folders)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
            publication.claim.count_attempt()
            self._say_crashed(publication.claim, error)
            return False
        return True

    def publication(self, claim: Claim, origin: Origin, result: Result) -> Publication:
        note, now = claim.note, datetime.now(UTC)
        claimed = datetime.fromisoformat(note.claimed) if note.claimed else now
        return Publication(
            claim,
            lambda: job_files(note.stem, origin, result, (claimed, now), keep_cnf=note.keep_cnf),
            lambda files: record_text(make_record(origin, result, files, now)),
        )

    def say_finished(self, origin: Origin, result: Result) -> Ended:
        used = result.solver
        if used and (why := used.warning):
            source = printable(origin.source)
            self.log.warning("solver.fallback", source=source, solver=used.name, reason=why)
        event = finished_event(origin, result) | {"source": printable(origin.source)}
        log = self.log.error if result.status in NOT_WELL else self.log.info
        log("job.finished", job=origin.job, **event)
        return Ended(result.status, result.status in NOT_WELL)

    def give_up(self, bulk: Bulk) -> None:
        """Stop a job of many puzzles; the next run continues it."""
        bulk.close()
        self.give_back(bulk.claim)
        bulk.claim.close()

    def go_on(self, bulk: Bulk) -> Ended | bool | None:
        """Do one step of a bulk job: True if there was one, else how it ended.

        None: it stays claimed. Raises as `process` does.
        """
        claim = bulk.claim
        outcome: Ended | bool | None = None
        try:
            with self._returning(claim):
                outcome = self._advance(bulk)
        finally:
            if outcome is not True:
                claim.close()
                bulk.close()
        return outcome

    def _advance(self, bulk: Bulk) -> Ended | bool | None:
        try:
            if bulk.step():
                return True
            if self._published(bulk.publication()):
                return self._finish_bulk(bulk)
        except NO_FAULT:
            raise
        except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
            bulk.claim.count_attempt(bulk.at)
            self._say_crashed(bulk.claim, error)
        return None

    def _finish_bulk(self, bulk: Bulk) -> Ended:
        claim, content = bulk.claim, bulk.content
        finish([(claim, False)], self.folders)
        source = printable(claim.note.source)
        totals = told_totals(content.totals)
        outcome = ended(content.status, totals)
        if totals.get(FALLBACKS):
            self.log.warning("solver.fallback", source=source, puzzles=totals[FALLBACKS])
        log = self.log.error if outcome.bad else self.log.info
        event = {"source": source, "status": content.status, "totals": totals}
        seconds = told_seconds({"total": bulk.seconds})
        log("job.finished", job=claim.note.job, **event, seconds=seconds)
        return outcome

    def _say_crashed(self, claim: Claim, error: Exception) -> str:
        why = f"{type(error).__name__}: {error}"
        self.log.error("job.crashed", source=printable(claim.note.source), reason=why)
        return why

    def give_back(self, claim: Claim) -> None:
        """Return the file to the inbox, unless its earlier set is half replaced already."""
        if claim.note.files:
            self._say_kept(claim, "its publishing has begun")
            return
        if has_progress(claim):
            self.log.info("job.paused", source=printable(claim.note.source))
            return
        try:
            if not claim.put_back(self.folders.inbox):
                self._say_kept(claim, "another of its name is in the inbox")
        except OSError as error:
            self._say_kept(claim, in_words(error))

    def _say_kept(self, claim: Claim, reason: str) -> None:
        self.log.error("job.kept", source=printable(claim.note.source), reason=reason)


def ended(status: str, totals: Mapping[str, int]) -> Ended:
    """How a job ended that may hold many puzzles."""
    bad = status in NOT_WELL or any(totals.get(name) for name in (*NOT_WELL, "refused"))
    return Ended(status, bad)
