"""The life of a claim, from reading its file to its set in the outbox.

    claims ─ read ─▶ PuzzleJob ─ solved in batches ───┐
                     small collection ─ computed here ─┼─▶ publish ─▶ finish ─▶ Ended
                     other LongJob ─▶ LongRun ─────────┘
                                      advanced step by step

If something goes wrong with several claims at once, the same is done with each alone, and what
fails then is counted as an attempt at that claim.
"""

from __future__ import annotations

import errno
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass
from typing import Protocol

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox import PuzzleRecord
from pipeline.outbox.schema import ARCHIVE
from pipeline.reading import Archive, Collection, OneProblem, Source
from pipeline.service.claimers import Claimers
from pipeline.service.exits import Interrupted, TookLong
from pipeline.service.jobs import PORTIONS, Ended, Job, LongJob, Portions
from pipeline.service.jobs.puzzle import BATCH, PuzzleJob, Singles
from pipeline.service.log import Log, Progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.growing import has_progress
from pipeline.service.protocol.publish import finish, is_published, publish
from pipeline.service.workers import Inline, Replies, Request, Workers
from pipeline.settings import Settings
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers.child import Peer

MOST_ATTEMPTS = 3

NO_FAULT = (OSError, EnvironmentFailure, Interrupted, TookLong)
"""What may end a job without a fault in its source."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Sizes and times that are not settings, and how a worker is started; tests vary them.

    All times are in seconds.

    walk_seconds        a folder is not walked again for so long
    checkpoint_seconds  what a long job has written is made durable so often
    ready_seconds       small collections that are solved wait so long, to be published together
    alone_seconds       a puzzle that takes longer is solved by a worker, if this process watches,
    batch_seconds       a batch that takes longer is solved puzzle by puzzle,
    puzzle_seconds      and one of it that takes longer by a worker, so that others need not wait,
    singly_seconds      as are all that are left after so long
    turn_seconds        a long job gives way to another so often
    filling_puzzles     an archive of which so many are published fails alone if the disk is full
    first_names         files that show whether there are only single puzzles
    fewest_shared       with fewer names for each, starting a claimer takes longer than it saves,
    fewest_singles      and with fewer single puzzles
    """

    portions: Portions = PORTIONS
    walk_seconds: float = 1.0
    checkpoint_seconds: float = 0.5
    ready_seconds: float = 3.0
    alone_seconds: float = 15.0
    batch_seconds: float = 4.0
    puzzle_seconds: float = 2.0
    singly_seconds: float = 30.0
    turn_seconds: float = 10.0
    filling_puzzles: int = 1000
    first_names: int = 16
    fewest_shared: int = 64
    fewest_singles: int = 512
    start_worker: Callable[[str], Peer] = Peer


USUAL = Tuning()


class Computing(Protocol):
    """Entered around code that may be interrupted; raises TookLong after `seconds`."""

    def __call__(self, seconds: float | None = None) -> AbstractContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class Runtime:
    """What all jobs of a run share.

    `local` computes in this process, `pool` beside it; `batches` are solved by one of them.
    `claimers` process files of their own. `is_shared`: what takes long is left to the pool, so that
    other files need not wait for it; `is_watching`: others may come at any time.
    """

    folders: Folders
    settings: Settings
    log: Log
    computing: Computing
    local: Inline
    batches: Workers
    pool: Workers
    claimers: Claimers
    tuning: Tuning = USUAL
    is_shared: bool = False
    is_watching: bool = False

    @property
    def batch_seconds(self) -> float | None:
        """How long a batch of puzzles may take here."""
        return self.tuning.batch_seconds if self.is_shared else None

    def puzzle_seconds(self, *, is_alone: bool) -> float | None:
        """How long a puzzle may take here, which is alone or one of several."""
        if not self.is_shared or (is_alone and not self.is_watching):
            return None
        return self.tuning.alone_seconds if is_alone else self.tuning.puzzle_seconds

    def raise_if_environment(self, error: Exception) -> None:
        """Raise EnvironmentFailure if every job would fail like this."""
        if isinstance(error, EnvironmentFailure):
            raise error
        if isinstance(error, OSError) and self.folders.blames(error):
            raise EnvironmentFailure(in_words(error)) from error

    def say(self, event: str, claim: Claim, reason: str) -> None:
        """Log an error of a claim."""
        self.log.error(event, source=printable(claim.note.source), reason=reason)


@dataclass(frozen=True, slots=True)
class Kept:
    """A claim stays in work, because of an obstacle, for a later pass."""


@dataclass(frozen=True, slots=True)
class Slow:
    """A puzzle that is to be solved by a worker, so that others need not wait for it."""

    job: PuzzleJob


Taken = tuple[Claim, Source | None]
"""A claim, and what its file holds if it was read before it was claimed."""


def process(
    taken: Sequence[Taken], runtime: Runtime, seconds: float | None = None
) -> Iterator[tuple[Claim, Ended | Kept | Slow | LongRun]]:
    """Process claims that were just made or taken over; each has its outcome at once.

    A puzzle that is solved alone may take `seconds` here.

    Puzzles are solved in batches, for which no attempt is counted: if the process is killed
    meanwhile, each is processed alone later. Small collections are published together.

    Raises EnvironmentFailure or Interrupted; then the files without an outcome are back in the
    inbox, or stay claimed for a later run if a newer one has taken its place or publication has
    begun.
    """
    left: dict[Claim, Job | None] = dict.fromkeys(claim for claim, _ in taken)
    try:
        for claim, outcome in _outcomes(taken, left, runtime, seconds):
            del left[claim]
            if isinstance(outcome, Ended | Kept):
                claim.close()
            yield claim, outcome
    except (EnvironmentFailure, Interrupted):
        for claim, job in left.items():
            give_back(claim, job, runtime)
        raise
    finally:
        for claim in left:
            claim.close()


_Outcomes = Iterator[tuple[Claim, "Ended | Kept | Slow | LongRun"]]


def _outcomes(
    taken: Sequence[Taken], jobs: dict[Claim, Job | None], runtime: Runtime, seconds: float | None
) -> _Outcomes:
    """`jobs` gets the jobs that are published together with others."""
    puzzles, computed = list[PuzzleJob](), list[Job]()
    longest = runtime.tuning.ready_seconds
    due = time.monotonic() + longest
    for claim, contents in taken:
        if len(taken) > 1 and isinstance(contents, OneProblem):
            puzzles.append(PuzzleJob(claim, contents, runtime.settings))
            continue
        outcome = _begun(claim, contents, runtime, seconds)
        match outcome:
            case LongJob():
                jobs[claim] = outcome
                computed.append(outcome)
            case Job():
                yield from _published([outcome], runtime)
            case _:
                yield claim, outcome
        if time.monotonic() >= due:
            yield from _published(computed, runtime)
            computed, due = [], time.monotonic() + longest
    yield from _published(computed, runtime)
    batches = [puzzles[start : start + BATCH] for start in range(0, len(puzzles), BATCH)]
    asked = (tuple(job.item for job in batch if job.item) for batch in batches)
    with closing(runtime.batches.replies(Singles(items) for items in asked if items)) as replies:
        for batch in batches:
            yield from _solved(batch, replies, runtime)


def _solved(batch: Sequence[PuzzleJob], replies: Replies, runtime: Runtime) -> _Outcomes:
    """Solve a batch of puzzles with the next reply, and publish them; else each alone."""
    try:
        if asked := [job for job in batch if job.item]:
            with runtime.computing(runtime.batch_seconds):
                _, results = next(filter(None, replies))
            for job, result in zip(asked, results, strict=True):
                job.take(result)
    except Exception as error:  # noqa: BLE001 - a crash of ours: whose fault is it?
        runtime.raise_if_environment(error)
        runtime.log.error("batch.crashed", reason=in_words(error))
        yield from _each_alone(batch, runtime)
    except TookLong:
        runtime.local.reset()
        yield from _each_alone(batch, runtime)
    else:
        yield from _published(batch, runtime)


def _each_alone(jobs: Sequence[Job], runtime: Runtime) -> _Outcomes:
    """Process these from the start; some of their files may have got their names already."""
    end = time.monotonic() + runtime.tuning.singly_seconds
    for job in jobs:
        if runtime.is_shared and isinstance(job, PuzzleJob) and time.monotonic() > end:
            yield job.claim, Slow(job)
            continue
        item = job.item if isinstance(job, PuzzleJob) else None
        outcome = _begun(job.claim, item, runtime, runtime.puzzle_seconds(is_alone=False))
        if isinstance(outcome, Job):
            yield from _published([outcome], runtime)
        else:
            yield job.claim, outcome


def _published(jobs: Sequence[Job], runtime: Runtime) -> _Outcomes:
    """Publish these jobs together; if that fails, one by one."""
    if not jobs:
        return
    try:
        ended = _ended(jobs, runtime)
    except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
        runtime.raise_if_environment(error)
        if len(jobs) == 1:
            yield jobs[0].claim, kept(jobs[0].claim, error, runtime)
            return
        if not isinstance(error, OSError):
            runtime.log.error("batch.crashed", reason=in_words(error))
        yield from _each_alone(jobs, runtime)
    else:
        yield from zip((job.claim for job in jobs), ended, strict=True)


def _ended(jobs: Sequence[Job], runtime: Runtime) -> list[Ended]:
    """Publish jobs, all of whose steps are done, and put their originals away."""
    sets = [(job.claim, job.published_set()) for job in jobs]
    publish(sets, runtime.folders)
    finish([(job.claim, job.is_refused) for job in jobs], runtime.folders)
    return [job.ended(made, runtime.log) for job, (_, made) in zip(jobs, sets, strict=True)]


def kept(claim: Claim, error: Exception, runtime: Runtime, step: int = 0) -> Kept:
    """Log an obstacle, or a crash of ours, which is an attempt at a step of the claim.

    Raises EnvironmentFailure if that is at fault.
    """
    runtime.raise_if_environment(error)
    if isinstance(error, OSError):
        runtime.say("job.kept", claim, in_words(error))
    else:
        if claim.is_held:
            claim.count_attempt(step)
        runtime.say("job.crashed", claim, in_words(error))
    return Kept()


def give_back(claim: Claim, job: Job | None, runtime: Runtime) -> None:
    """Return a file to the inbox, unless its earlier set is half replaced already."""
    if claim.note.files:
        runtime.say("job.kept", claim, "its publishing has begun")
    elif has_progress(claim):
        runtime.log.info("job.paused", source=printable(claim.note.source))
    else:
        try:
            if not claim.put_back(runtime.folders.inbox):
                runtime.say("job.kept", claim, "another of its name is in the inbox")
            elif isinstance(job, LongJob):
                job.discard()
        except OSError as error:
            runtime.say("job.kept", claim, in_words(error))
    claim.close()


def _begun(
    claim: Claim, contents: Source | None, runtime: Runtime, seconds: float | None
) -> Job | Ended | Kept | Slow | LongRun:
    """Read a claim, and solve it unless that takes long; a Job is ready to be published.

    A puzzle may take `seconds` here.
    """
    run: LongRun | None = None
    try:
        is_fresh = contents is not None and not claim.note.files
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
    """Finish a job that was published before its process died; None if it was not."""
    if (record := is_published(claim, runtime.folders)) is None:
        return None
    status, note = record.status, claim.note
    finish([(claim, status in ("invalid", "failed"))], runtime.folders)
    runtime.log.info("job.recovered", source=printable(note.source), status=status)
    message = record.message if isinstance(record, PuzzleRecord) else None
    return Ended(note, status, record.totals, message)


def _read(
    claim: Claim, contents: Source | None, runtime: Runtime, seconds: float | None
) -> Job | Slow:
    """Read what was claimed, and solve it if it is one puzzle; give up after some attempts."""
    # loaded before an attempt is counted, because it is slow
    from pipeline.service.jobs import archive, collection  # noqa: F401, PLC0415

    why = "none was completed"
    while claim.attempts() < MOST_ATTEMPTS:
        # If steps of it are done it was read before, which did not kill the process.
        counted = not has_progress(claim)
        attempt = claim.attempt(free=(Interrupted, TookLong)) if counted else nullcontext()
        job: Job | None = None
        try:
            with attempt:
                with runtime.computing():
                    job = _job_of(claim, contents, runtime)
                if isinstance(job, PuzzleJob):
                    with runtime.computing(seconds):
                        for reply in filter(None, runtime.local.replies(job.steps())):
                            job.write(*reply)
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
            runtime.say("job.crashed", claim, why)
    message = f"given up after {claim.attempts()} attempts: {why}"
    return PuzzleJob.failed(claim, message, runtime.settings)


def _job_of(claim: Claim, contents: Source | None, runtime: Runtime) -> Job:
    """The job for what has been claimed, chosen by its content. Raises OSError."""
    from pipeline.reading.read import source_at  # noqa: PLC0415 - slow to load
    from pipeline.service.jobs.archive import ArchiveJob  # noqa: PLC0415 - as above
    from pipeline.service.jobs.collection import CollectionJob  # noqa: PLC0415 - as above

    settings, portions = runtime.settings, runtime.tuning.portions
    match contents or source_at(claim.original, claim.note.source, settings):
        case Collection() as found:
            return CollectionJob(claim, runtime.folders, settings, found, portions)
        case Archive() as found:
            return ArchiveJob(claim, runtime.folders, settings, found, portions)
        case item:
            return PuzzleJob(claim, item, settings)


class LongRun:
    """A collection or an archive in work: `advance` until it is over.

    It `is_resting` when its turn is over: it `gives_way` to others if there are any.
    """

    def __init__(self, job: LongJob, runtime: Runtime) -> None:
        self.job = job
        self.claim = job.claim
        self.gives_way = False
        self.is_resting = False
        self.is_over = False
        self._runtime = runtime
        self._written = job.steps_before
        self._is_noted = True
        self._note_at = self._turn_ends = 0.0
        self._watch = Stopwatch()
        self._steps = self._cut()
        self._are_cut = False
        self._is_wary = False
        """Whether to compute the next step by itself, so that further attempts count for it."""
        self._replies: Replies | None = None
        if job.steps_before:
            source, puzzles = printable(self.claim.note.source), job.progress().puzzles
            runtime.log.info("job.continued", source=source, puzzles=puzzles)

    @property
    def step(self) -> int:
        """The step in work, for which attempts are counted; see `Claim.count_attempt`."""
        return self._written + 1

    @property
    def name(self) -> str:
        return self.claim.note.source

    def progress(self) -> Progress:
        return self.job.progress()

    def compute_here(self) -> None:
        """Compute all of it in this process, as one step without checkpoints."""
        with self._attempt(Interrupted):
            for reply in filter(None, self._runtime.local.replies(self.job.steps())):
                self.job.write(*reply)
        self._count_seconds()

    def advance(self) -> list[tuple[Claim, Ended | Kept]]:
        """Write a reply of the workers, if there is one; the outcome once it is over.

        Raises EnvironmentFailure or Interrupted; then it is given back, and over.
        """
        try:
            outcome = self._advanced()
        except (EnvironmentFailure, Interrupted):
            self._end()
            give_back(self.claim, self.job, self._runtime)
            raise
        except BaseException:
            self.claim.close()
            raise
        if outcome is None:
            return []
        self._end()
        self.claim.close()
        return [(self.claim, outcome)]

    def _advanced(self) -> Ended | Kept | None:
        """The outcome once it is over. Raises EnvironmentFailure or Interrupted."""
        try:
            if self._has_advanced():
                return None
            self._checkpoint()
            self._count_seconds()
            return _ended([self.job], self._runtime)[0]
        except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
            if self._fills_disk(error):
                return self._without_room()
            return kept(self.claim, error, self._runtime, self.step)

    def pause(self) -> None:
        """Stop; the next run continues it."""
        self._end()
        with suppress(OSError):  # what is not noted is done again
            self._checkpoint()
        give_back(self.claim, self.job, self._runtime)

    def _fills_disk(self, error: Exception) -> bool:
        """Whether the disk is full of the sets of this archive: then it alone fails."""
        is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        many = self.job.progress().puzzles >= self._runtime.tuning.filling_puzzles
        return is_full and many and self.job.status == ARCHIVE

    def _without_room(self) -> Ended:
        """Remove what was written, and publish that there is no room for it."""
        puzzles = self.job.progress().puzzles
        self.job.discard()
        message = (
            f"the disk was full after the sets of {puzzles} members; make room and retry it, or "
            "drop its puzzles as one file with a puzzle a line"
        )
        job = PuzzleJob.failed(self.claim, message, self._runtime.settings)
        return _ended([job], self._runtime)[0]

    def _end(self) -> None:
        self.is_over = True
        if self._replies:
            self._replies.close()

    def _has_advanced(self) -> bool:
        """Take what is next of the workers; False if nothing is left to be computed."""
        if self._replies is None:
            self.is_resting = False
            self._turn_ends = time.monotonic() + self._runtime.tuning.turn_seconds
            self._is_wary = self._written == self.job.steps_before and bool(self.claim.attempts())
            self._replies = self._runtime.pool.replies(self._fed())
        try:
            reply = next(self._replies)
        except StopIteration:
            self._replies, self.is_resting = None, True
            return not self._are_cut
        if reply is None:
            self._checkpoint()
            return True
        with self._attempt():
            self.job.write(*reply)
            self._written, self._is_noted = self._written + 1, False
            if time.monotonic() >= self._note_at:
                self._checkpoint()
        if self._is_noted:
            self.claim.reset_attempts()
        return True

    def _fed(self) -> Iterator[Request]:
        """The steps of one turn."""
        for step in self._steps:
            yield step
            if self._is_wary or (self.gives_way and time.monotonic() >= self._turn_ends):
                return
        self._are_cut = True

    def _cut(self) -> Iterator[Request]:
        steps = self.job.steps()
        while True:
            with self._attempt():
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _checkpoint(self) -> None:
        """Make durable what was written since the last time. Raises OSError."""
        if not self._is_noted:
            self._count_seconds()
            self.job.checkpoint(self._written)
            self._is_noted = True
            self._note_at = time.monotonic() + self._runtime.tuning.checkpoint_seconds

    def _count_seconds(self) -> None:
        """Tell how long it has been in work, in all runs; the time between them does not count."""
        self.job.seconds = self.job.seconds_before + self._watch.seconds()["total"]

    def _attempt(self, *uncounted: type[BaseException]) -> AbstractContextManager[None]:
        """Count an attempt while something is done here that may kill this process.

        Workers compute in their own processes, so a kill while we wait for them comes from
        outside. Once a step is done, counting is left to the next run, because it writes to the
        disk.
        """
        is_first = self._written == self.job.steps_before
        return self.claim.attempt(self.step, uncounted) if is_first else nullcontext()


class SlowPuzzles:
    """Puzzles that workers solve, each of which is published when it is solved; as LongRun."""

    def __init__(self, runtime: Runtime) -> None:
        self.gives_way = False
        self.is_resting = False
        self._runtime = runtime
        self._waiting: deque[PuzzleJob] = deque()
        self._asked: deque[PuzzleJob] = deque()
        self._replies: Replies | None = None
        self._turn_ends = 0.0

    def add(self, job: PuzzleJob) -> None:
        self._waiting.append(job)

    @property
    def is_over(self) -> bool:
        return not (self._waiting or self._asked)

    @property
    def name(self) -> str:
        return next(iter((*self._asked, *self._waiting))).claim.note.source

    def progress(self) -> Progress:
        return Progress(0, 0, None)

    def advance(self) -> list[tuple[Claim, Ended | Kept]]:
        """Publish a puzzle that was solved, if there is one.

        Raises EnvironmentFailure or Interrupted; then all are given back.
        """
        try:
            return self._advanced()
        except (EnvironmentFailure, Interrupted):
            self.pause()
            raise

    def pause(self) -> None:
        """Stop, and give all back."""
        if self._replies:
            self._replies.close()
        for jobs in (self._asked, self._waiting):
            while jobs:
                give_back(jobs.popleft().claim, None, self._runtime)

    def _advanced(self) -> list[tuple[Claim, Ended | Kept]]:
        if self._replies is None:
            self.is_resting = False
            self._turn_ends = time.monotonic() + self._runtime.tuning.turn_seconds
            self._replies = self._runtime.pool.replies(self._fed())
        try:
            reply = next(self._replies)
        except StopIteration:
            self._replies, self.is_resting = None, True
            return []
        if reply is None:
            return []
        job = self._asked[0]
        job.write(*reply)
        try:
            outcome: Ended | Kept = _ended([job], self._runtime)[0]
        except Exception as error:  # noqa: BLE001 - as above
            outcome = kept(job.claim, error, self._runtime)
        self._asked.popleft().claim.close()
        return [(job.claim, outcome)]

    def _fed(self) -> Iterator[Request]:
        while self._waiting:
            self._asked.append(self._waiting.popleft())
            yield from self._asked[-1].steps()
            if self.gives_way and time.monotonic() >= self._turn_ends:
                return
