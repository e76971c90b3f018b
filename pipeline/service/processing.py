"""Process claims: read their files, solve them, and publish the results.

    claims ─ read ─▶ PuzzleJob ─ solved in batches ───┐
                     small collection ─ computed here ─┼─▶ publish ─▶ move originals ─▶ EndedJob
                     other LongJob ─▶ LongRun ─────────┘
                                      advanced step by step

If processing several claims together fails, each claim is processed separately. Only failures of
separate processing count as attempts at a claim.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox import PuzzleRecord
from pipeline.reading import Archive, Collection, OneProblem, Source
from pipeline.service.ending import KeptClaim, keep_claim, publish_and_finish, release_claim
from pipeline.service.jobs import EndedJob, Job, LongJob
from pipeline.service.jobs.puzzle import BATCH_SIZE, PuzzleBatch, PuzzleJob
from pipeline.service.protocol.checkpointed import has_progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.publish import move_originals, published_record
from pipeline.service.runs import LongRun
from pipeline.service.runtime import Runtime
from pipeline.service.signals import Interrupted, TimeLimitExceeded
from pipeline.service.workers import Replies

MAX_ATTEMPTS = 3
"""Unfinished attempts at one step after which a job fails."""

NOT_SOURCE_ERRORS = (OSError, EnvironmentFailure, Interrupted, TimeLimitExceeded)
"""Exceptions for which the source is not at fault."""


@dataclass(frozen=True, slots=True)
class SlowJob:
    """The outcome of a claim with a slow puzzle, which a worker has to solve."""

    job: PuzzleJob


ClaimedFile = tuple[Claim, Source | None]
"""A claim, and its source; None instead of the source if the file was not read yet."""

_Outcomes = Iterator[tuple[Claim, EndedJob | KeptClaim | SlowJob | LongRun]]
"""An iterator over claims with their outcomes."""


class ClaimProcessor:
    """Processes claims that were just made or taken over.

    Puzzles are solved in batches, and small collections are published together. Batches do not
    count as attempts: if the process is killed, the next process takes each claim separately.
    `seconds` is the time limit of a puzzle that is solved separately.
    """

    def __init__(
        self, claimed: Sequence[ClaimedFile], runtime: Runtime, seconds: float | None = None
    ) -> None:
        self._claimed = claimed
        self._runtime = runtime
        self._seconds = seconds
        self._unfinished: dict[Claim, Job | None] = dict.fromkeys(claim for claim, _ in claimed)
        """Claim without an outcome → its job if that has written files, else None."""

    def process(self) -> _Outcomes:
        """Process the claims, and yield each with its outcome.

        Raises EnvironmentFailure or Interrupted, after returning the files without an outcome to
        the inbox. A file stays claimed for a later run if a newer file in the inbox has its name,
        or if its results are partly published.
        """
        try:
            for claim, outcome in self._outcomes():
                del self._unfinished[claim]
                if isinstance(outcome, EndedJob | KeptClaim):
                    claim.close()
                yield claim, outcome
        except (EnvironmentFailure, Interrupted):
            for claim, job in self._unfinished.items():
                release_claim(claim, job, self._runtime)
            raise
        finally:
            for claim in self._unfinished:
                claim.close()

    def _outcomes(self) -> _Outcomes:
        """Process the claims, and yield each with its outcome."""
        puzzles, computed = list[PuzzleJob](), list[Job]()
        ready_seconds = self._runtime.tuning.ready_seconds
        due = time.monotonic() + ready_seconds
        for claim, source in self._claimed:
            if len(self._claimed) > 1 and isinstance(source, OneProblem):
                puzzles.append(PuzzleJob(claim, source, self._runtime.settings))
                continue
            outcome = _prepare(claim, source, self._runtime, self._seconds)
            match outcome:
                case LongJob():  # a small collection, computed in this process
                    self._unfinished[claim] = outcome
                    computed.append(outcome)
                case Job():
                    yield from self._publish([outcome])
                case _:
                    yield claim, outcome
            if time.monotonic() >= due:
                yield from self._publish(computed)
                computed, due = [], time.monotonic() + ready_seconds
        yield from self._publish(computed)
        if not puzzles:
            return
        batches = [
            puzzles[start : start + BATCH_SIZE] for start in range(0, len(puzzles), BATCH_SIZE)
        ]
        solvable = (tuple(job.item for job in batch if job.item) for batch in batches)
        requests = (PuzzleBatch(items) for items in solvable if items)
        with closing(self._runtime.batch_workers.replies(requests)) as replies:
            for batch in batches:
                yield from self._publish_batch(batch, replies)

    def _publish_batch(self, batch: Sequence[PuzzleJob], replies: Replies) -> _Outcomes:
        """Publish a batch of computed puzzles; if computing failed, process each separately."""
        runtime = self._runtime
        try:
            if solvable := [job for job in batch if job.item]:
                with runtime.stop.computing(runtime.batch_seconds):
                    _, results = next(filter(None, replies))
                for job, result in zip(solvable, results, strict=True):
                    job.set_result(result)
        except Exception as error:  # noqa: BLE001 - any puzzle may be at fault
            runtime.raise_if_environment_fault(error)
            runtime.log.error("batch.crashed", reason=in_words(error))
            yield from self._process_separately(batch)
        except TimeLimitExceeded:
            runtime.local.reset()
            yield from self._process_separately(batch)
        else:
            yield from self._publish(batch)

    def _process_separately(self, jobs: Sequence[Job]) -> _Outcomes:
        """Start each job again, and process it separately, even if it is partly published."""
        runtime = self._runtime
        end = time.monotonic() + runtime.tuning.slow_batch_seconds
        for job in jobs:
            item = job.item if isinstance(job, PuzzleJob) else None
            if item and runtime.leaves_slow_puzzles and time.monotonic() > end:
                yield job.claim, SlowJob(PuzzleJob(job.claim, item, runtime.settings))
                continue
            outcome = _prepare(job.claim, item, runtime, runtime.puzzle_seconds(is_alone=False))
            if isinstance(outcome, Job):
                yield from self._publish([outcome])
            else:
                yield job.claim, outcome

    def _publish(self, jobs: Sequence[Job]) -> _Outcomes:
        """Publish jobs together; if that fails, process each separately."""
        if not jobs:
            return
        runtime = self._runtime
        try:
            ended = publish_and_finish(jobs, runtime)
        except Exception as error:  # noqa: BLE001 - a bug must end only one job
            runtime.raise_if_environment_fault(error)
            if len(jobs) == 1:
                yield jobs[0].claim, keep_claim(jobs[0].claim, error, runtime)
                return
            if not isinstance(error, OSError):
                runtime.log.error("batch.crashed", reason=in_words(error))
            yield from self._process_separately(jobs)
        else:
            yield from zip((job.claim for job in jobs), ended, strict=True)


def _prepare(
    claim: Claim, source: Source | None, runtime: Runtime, seconds: float | None
) -> Job | EndedJob | KeptClaim | SlowJob | LongRun:
    """Read a claimed file, and compute its job unless that is slow.

    A returned Job is ready to be published. `seconds` is the time limit of a puzzle; None for no
    limit.
    """
    run: LongRun | None = None
    try:
        is_fresh = source is not None and not claim.manifest.files
        if not is_fresh and (ended := _finish_published(claim, runtime)):
            return ended
        job = _read_and_solve(claim, source, runtime, seconds)
        if not isinstance(job, LongJob):
            return job
        run = LongRun(job, runtime)
        if job.is_quick and not claim.attempts():
            run.compute_here()
            return job
    except Exception as error:  # noqa: BLE001 - a bug must end only one job
        return keep_claim(claim, error, runtime, run.step if run else 0)
    return run


def _finish_published(claim: Claim, runtime: Runtime) -> EndedJob | None:
    """Finish a job whose process died after publishing it: move the original.

    Returns the outcome; None if the job was not published.
    """
    if (record := published_record(claim, runtime.folders)) is None:
        return None
    status, manifest = record.status, claim.manifest
    move_originals(
        [(claim, status in ("invalid", "failed"))], runtime.folders, runtime.spare_claims
    )
    runtime.log.info("job.recovered", source=printable(manifest.source), status=status)
    message = record.message if isinstance(record, PuzzleRecord) else None
    return EndedJob(manifest, status, record.totals, message)


def _read_and_solve(
    claim: Claim, source: Source | None, runtime: Runtime, seconds: float | None
) -> Job | SlowJob:
    """Read a claimed file, and solve it if it is one puzzle. Gives up after MAX_ATTEMPTS."""
    # Loading these modules takes long: load them before an attempt is counted.
    from pipeline.service.jobs import archive, collection  # noqa: F401, PLC0415

    why = "each attempt crashed or killed its process"
    while claim.attempts() < MAX_ATTEMPTS:
        # If there is a checkpoint, an earlier process read the file without being killed.
        is_counted = source is not None or not has_progress(claim)
        attempt = (
            claim.attempt(uncounted=(Interrupted, TimeLimitExceeded))
            if is_counted
            else nullcontext()
        )
        job: Job | None = None
        try:
            with attempt:
                job = _job_of(claim, source, runtime)
                if isinstance(job, PuzzleJob) and job.item:
                    (result,) = runtime.local.reply(PuzzleBatch((job.item,)), seconds)
                    job.set_result(result)
                return job
        except TimeLimitExceeded:
            runtime.local.reset()
            assert isinstance(job, PuzzleJob), "only puzzles have a time limit"  # noqa: S101 - for mypy
            return SlowJob(job)
        except NOT_SOURCE_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001 - a bug counts as an attempt
            claim.count_attempt()
            why = in_words(error)
            runtime.log_error("job.crashed", claim, why)
    message = f"given up after {claim.attempts()} attempts: {why}"
    return PuzzleJob.failed(claim, message, runtime.settings)


def _job_of(claim: Claim, source: Source | None, runtime: Runtime) -> Job:
    """The job for a claimed file; reads the file if `source` is None. Raises OSError."""
    from pipeline.reading.read import source_at  # noqa: PLC0415 - slow to load
    from pipeline.service.jobs.archive import ArchiveJob  # noqa: PLC0415 - slow to load
    from pipeline.service.jobs.collection import CollectionJob  # noqa: PLC0415 - slow to load

    settings, chunk_sizes = runtime.settings, runtime.tuning.chunk_sizes
    if source is None:
        with runtime.stop.computing():
            source = source_at(claim.original, claim.manifest.source, settings, counts_members=True)
    match source:
        case Collection() as collection:
            return CollectionJob(claim, runtime.folders, settings, collection, chunk_sizes)
        case Archive() as archive:
            return ArchiveJob(claim, runtime.folders, settings, archive, chunk_sizes)
        case item:
            return PuzzleJob(claim, item, settings)
