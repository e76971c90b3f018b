"""Process claims: read their files, solve them, and publish the results.

    claims ─ read ─▶ PuzzleJob ─ solved in batches ───┐
                     small collection ─ computed here ─┼─▶ publish ─▶ finish ─▶ Ended
                     other LongJob ─▶ LongRun ─────────┘
                                      advanced step by step

If processing several claims at once fails, each is processed alone, and a failure then counts as an
attempt at that claim.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox import PuzzleRecord
from pipeline.reading import Archive, Collection, OneProblem, Source
from pipeline.service.ending import Kept, finished, give_back, kept
from pipeline.service.jobs import Ended, Job, LongJob
from pipeline.service.jobs.puzzle import BATCH, PuzzleBatch, PuzzleJob
from pipeline.service.protocol.checkpointed import has_progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.publish import finish, published_record
from pipeline.service.runs import LongRun
from pipeline.service.runtime import Runtime
from pipeline.service.signals import Interrupted, TookLong
from pipeline.service.workers import Replies

MAX_ATTEMPTS = 3

NO_FAULT = (OSError, EnvironmentFailure, Interrupted, TookLong)
"""Exceptions that say nothing about the source."""


@dataclass(frozen=True, slots=True)
class Slow:
    """A slow puzzle: workers solve it, so that other files need not wait."""

    job: PuzzleJob


Taken = tuple[Claim, Source | None]
"""A claim, and the source in its file if it was read before."""

_Outcomes = Iterator[tuple[Claim, Ended | Kept | Slow | LongRun]]


class Claims:
    """Claims that were just made or taken over.

    Puzzles are solved in batches, and small collections are published together. Batches do not
    count as attempts: if the process is killed, each claim is processed alone later. `seconds`
    limits the time for a puzzle that is solved alone.
    """

    def __init__(
        self, taken: Sequence[Taken], runtime: Runtime, seconds: float | None = None
    ) -> None:
        self._taken = taken
        self._runtime = runtime
        self._seconds = seconds
        self._left: dict[Claim, Job | None] = dict.fromkeys(claim for claim, _ in taken)
        """Claims without an outcome, with their job if it has written files."""

    def process(self) -> _Outcomes:
        """Process the claims, and yield each with its outcome.

        Raises EnvironmentFailure or Interrupted. Files without an outcome are then returned to the
        inbox. They stay claimed for a later run if a newer file has the name or publication has
        begun.
        """
        try:
            for claim, outcome in self._outcomes():
                del self._left[claim]
                if isinstance(outcome, Ended | Kept):
                    claim.close()
                yield claim, outcome
        except (EnvironmentFailure, Interrupted):
            for claim, job in self._left.items():
                give_back(claim, job, self._runtime)
            raise
        finally:
            for claim in self._left:
                claim.close()

    def _outcomes(self) -> _Outcomes:
        puzzles, computed = list[PuzzleJob](), list[Job]()
        longest = self._runtime.tuning.ready_seconds
        due = time.monotonic() + longest
        for claim, source in self._taken:
            if len(self._taken) > 1 and isinstance(source, OneProblem):
                puzzles.append(PuzzleJob(claim, source, self._runtime.settings))
                continue
            outcome = _start(claim, source, self._runtime, self._seconds)
            match outcome:
                case LongJob():
                    self._left[claim] = outcome
                    computed.append(outcome)
                case Job():
                    yield from self._published([outcome])
                case _:
                    yield claim, outcome
            if time.monotonic() >= due:
                yield from self._published(computed)
                computed, due = [], time.monotonic() + longest
        yield from self._published(computed)
        if not puzzles:
            return
        batches = [puzzles[start : start + BATCH] for start in range(0, len(puzzles), BATCH)]
        solvable = (tuple(job.item for job in batch if job.item) for batch in batches)
        requests = (PuzzleBatch(items) for items in solvable if items)
        with closing(self._runtime.batches.replies(requests)) as replies:
            for batch in batches:
                yield from self._solved(batch, replies)

    def _solved(self, batch: Sequence[PuzzleJob], replies: Replies) -> _Outcomes:
        """Publish a batch with the next reply; if that fails, process each puzzle alone."""
        runtime = self._runtime
        try:
            if solvable := [job for job in batch if job.item]:
                with runtime.stop.computing(runtime.batch_seconds):
                    _, results = next(filter(None, replies))
                for job, result in zip(solvable, results, strict=True):
                    job.take(result)
        except Exception as error:  # noqa: BLE001 - find out which puzzle is at fault
            runtime.raise_if_environment(error)
            runtime.log.error("batch.crashed", reason=in_words(error))
            yield from self._each_alone(batch)
        except TookLong:
            runtime.local.reset()
            yield from self._each_alone(batch)
        else:
            yield from self._published(batch)

    def _each_alone(self, jobs: Sequence[Job]) -> _Outcomes:
        """Process jobs from the start; some of their files may be published already."""
        runtime = self._runtime
        end = time.monotonic() + runtime.tuning.singly_seconds
        for job in jobs:
            item = job.item if isinstance(job, PuzzleJob) else None
            if item and runtime.is_shared and time.monotonic() > end:
                yield job.claim, Slow(PuzzleJob(job.claim, item, runtime.settings))
                continue
            outcome = _start(job.claim, item, runtime, runtime.puzzle_seconds(is_alone=False))
            if isinstance(outcome, Job):
                yield from self._published([outcome])
            else:
                yield job.claim, outcome

    def _published(self, jobs: Sequence[Job]) -> _Outcomes:
        """Publish jobs together; if that fails, one by one."""
        if not jobs:
            return
        runtime = self._runtime
        try:
            ended = finished(jobs, runtime)
        except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
            runtime.raise_if_environment(error)
            if len(jobs) == 1:
                yield jobs[0].claim, kept(jobs[0].claim, error, runtime)
                return
            if not isinstance(error, OSError):
                runtime.log.error("batch.crashed", reason=in_words(error))
            yield from self._each_alone(jobs)
        else:
            yield from zip((job.claim for job in jobs), ended, strict=True)


def _start(
    claim: Claim, contents: Source | None, runtime: Runtime, seconds: float | None
) -> Job | Ended | Kept | Slow | LongRun:
    """Read a claim, and solve it unless it is slow; a returned Job is ready to be published.

    `seconds` limits the time for a puzzle.
    """
    run: LongRun | None = None
    try:
        is_fresh = contents is not None and not claim.manifest.files
        if not is_fresh and (ended := _recovered(claim, runtime)):
            return ended
        job = _read(claim, contents, runtime, seconds)
        if not isinstance(job, LongJob):
            return job
        run = LongRun(job, runtime)
        if job.is_quick and not claim.attempts():
            run.compute_here()
            return job
    except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
        return kept(claim, error, runtime, run.step if run else 0)
    return run


def _recovered(claim: Claim, runtime: Runtime) -> Ended | None:
    """Finish a job whose process died after publishing it; None if it was not published."""
    if (record := published_record(claim, runtime.folders)) is None:
        return None
    status, manifest = record.status, claim.manifest
    finish([(claim, status in ("invalid", "failed"))], runtime.folders, runtime.spares)
    runtime.log.info("job.recovered", source=printable(manifest.source), status=status)
    message = record.message if isinstance(record, PuzzleRecord) else None
    return Ended(manifest, status, record.totals, message)


def _read(
    claim: Claim, contents: Source | None, runtime: Runtime, seconds: float | None
) -> Job | Slow:
    """Read a claimed file, and solve a single puzzle. Gives up after MAX_ATTEMPTS."""
    # slow to load, so loaded before an attempt is counted
    from pipeline.service.jobs import archive, collection  # noqa: F401, PLC0415

    why = "no attempt finished"
    while claim.attempts() < MAX_ATTEMPTS:
        # A checkpoint shows that it was read before without killing the process.
        counted = contents is not None or not has_progress(claim)
        attempt = claim.attempt(uncounted=(Interrupted, TookLong)) if counted else nullcontext()
        job: Job | None = None
        try:
            with attempt:
                job = _job_of(claim, contents, runtime)
                if isinstance(job, PuzzleJob) and job.item:
                    (result,) = runtime.local.reply(PuzzleBatch((job.item,)), seconds)
                    job.take(result)
                return job
        except TookLong:
            runtime.local.reset()
            assert isinstance(job, PuzzleJob), "only puzzles have a limit"  # noqa: S101 - for mypy
            return Slow(job)
        except NO_FAULT:
            raise
        except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
            claim.count_attempt()
            why = in_words(error)
            runtime.log_error("job.crashed", claim, why)
    message = f"given up after {claim.attempts()} attempts: {why}"
    return PuzzleJob.failed(claim, message, runtime.settings)


def _job_of(claim: Claim, contents: Source | None, runtime: Runtime) -> Job:
    """The job for a claimed file, by its content. Raises OSError."""
    from pipeline.reading.read import source_at  # noqa: PLC0415 - slow to load
    from pipeline.service.jobs.archive import ArchiveJob  # noqa: PLC0415 - as above
    from pipeline.service.jobs.collection import CollectionJob  # noqa: PLC0415 - as above

    settings, chunk_sizes = runtime.settings, runtime.tuning.chunk_sizes
    if contents is None:
        with runtime.stop.computing():
            contents = source_at(claim.original, claim.manifest.source, settings, counts=True)
    match contents:
        case Collection() as collection:
            return CollectionJob(claim, runtime.folders, settings, collection, chunk_sizes)
        case Archive() as archive:
            return ArchiveJob(claim, runtime.folders, settings, archive, chunk_sizes)
        case item:
            return PuzzleJob(claim, item, settings)
