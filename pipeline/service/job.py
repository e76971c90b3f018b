"""Jobs: a claim, its sink and its workers, on the way to a published set.

    claim ─ contents ─▶ sink ─ steps ─▶ workers ─ replies ─▶ sink ─ publication ─▶ outbox

The loop is the same whatever a job holds. A job of one problem is done at once, in this process
or together with others; one of many does a step at a time, so that others can overtake it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox import PuzzleRecord, Record
from pipeline.reading.source import Archive, Collection, Single
from pipeline.service.log import Log
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.growing import has_progress
from pipeline.service.protocol.publish import finish, is_published, publish
from pipeline.service.sinks.set import PORTIONS, Ended, Portions, SetSink, Singles, Sink
from pipeline.service.workers import Inline, Interrupted, Nearby, Replies, Request, Workers
from pipeline.settings import Settings
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers.child import Peer

MOST_ATTEMPTS = 3

BATCH = 128
"""Files computed together. It never varies, because some results depend on it."""

_LARGEST = 64 * 1024
"""Bytes: larger puzzles are not held in memory beside others."""

NO_FAULT = (OSError, EnvironmentFailure, Interrupted)
"""What may end a job without a fault in its source."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Not published, because of an obstacle to this job alone: it stays claimed."""


class Job:
    """A job in work. Each `step` computes and writes one more step.

    If there are workers `nearby`, they compute the whole job as one step, of which nothing is
    noted. If an earlier attempt did not end, it may have killed its process: then `workers`
    compute the job, step by step.
    """

    def __init__(
        self,
        claim: Claim,
        sink: Sink,
        workers: Workers,
        nearby: Workers | None = None,
        checkpoint_seconds: float = 0.0,
    ) -> None:
        self.claim = claim
        self.sink = sink
        self._workers = workers
        self._nearby = nearby
        self._checkpoint_seconds = checkpoint_seconds
        self._noted_at: float | None = None
        self._is_noted = True
        self._is_torn = False
        self._done = sink.steps_before
        self._watch: Stopwatch | None = None
        self._seconds = sink.seconds_before
        self._replies: Replies | None = None
        self._steps = self._each()

    @property
    def at(self) -> int:
        """The number of the first step that is not done, which counts the attempts at it.

        It is 0 if reading and computing are one step.
        """
        return self._done + 1 if self.sink.lasts else 0

    @property
    def seconds(self) -> float:
        """How long it has been in work, in all runs; pauses do not count."""
        return self._seconds + (self._watch.seconds()["total"] if self._watch else 0.0)

    def step(self) -> bool:
        """Do one step, or wait a moment for one; whether there is more to do.

        Raises EnvironmentFailure, Interrupted, OSError.
        """
        if next(self._steps, None) is not None:
            return True
        self.checkpoint()
        self._seconds, self._watch = self.seconds, None  # only publishing is left
        return False

    def _each(self) -> Generator[bool, None, None]:
        """Yield for every step whether it was done, or is only waited for.

        Attempts are counted until a step is done, which resets the count. After an attempt that
        did not end, the next step runs alone, so that further attempts count for it.
        """
        self._watch = Stopwatch()
        steps = self._cut()
        if self.claim.attempts():
            self._nearby = None
            yield from self._computed(iter(list(islice(steps, 1))))
        if self._nearby:
            yield self._compute_nearby(self._nearby)
        else:
            yield from self._computed(steps)

    def _compute_nearby(self, nearby: Workers) -> bool:
        """Compute and write all steps as one, which may be interrupted. Returns True."""
        self._replies = nearby.replies(self.sink.steps())
        with self._attempt(free=(Interrupted,)):
            for reply in filter(None, self._replies):
                self.sink.write(*reply)
        return True

    def _computed(self, steps: Iterator[Request]) -> Generator[bool, None, None]:
        """Compute and write these steps; yield whether one was done, or is only waited for."""
        self._replies = self._workers.replies(steps)
        for reply in self._replies:
            if reply is None:
                self.checkpoint()
            else:
                with self._attempt():
                    self._is_noted, self._is_torn = False, True
                    self.sink.write(*reply)
                    self._done, self._is_torn = self._done + 1, False
                    if self._is_due():
                        self.checkpoint()
                if self._is_noted:
                    self.claim.reset_attempts()
            yield reply is not None

    def _is_due(self) -> bool:
        """Whether to make durable what was written: the first step of a run, then now and then."""
        since = self._noted_at
        return since is None or time.monotonic() >= since + self._checkpoint_seconds

    def checkpoint(self) -> None:
        """Make durable what was written since the last time, unless it is torn. Raises OSError."""
        if not self._is_noted and not self._is_torn:
            self.sink.checkpoint(self._done, self.seconds)
            self._is_noted, self._noted_at = True, time.monotonic()

    def _cut(self) -> Iterator[Request]:
        """The steps that are not done; skipping the others is safe, as they were cut before."""
        steps = self.sink.steps()
        for _ in islice(steps, self._done):
            pass
        while True:
            with self._attempt():
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _attempt(self, free: tuple[type[BaseException], ...] = ()) -> AbstractContextManager[None]:
        """Count an attempt while something is done here that may kill this process.

        Workers compute in their own processes, so a kill while we wait for them comes from
        outside. Once a step is done, counting is left to the next run, because it writes to the
        disk.
        """
        counted = self.sink.lasts and self._done == self.sink.steps_before
        return self.claim.attempt(self.at, free) if counted else nullcontext()

    def close(self) -> None:
        """Stop computing; what is durable stays."""
        self._steps.close()
        if self._replies is not None:
            self._replies.close()
        self.sink.close()


@dataclass(frozen=True, slots=True)
class Tuning:
    """Sizes and times that are not settings, and how a worker is started; tests vary them.

    `walk_seconds` is how long a folder is left alone after it was walked. `checkpoint_seconds` is
    how long a job of many may leave what it has written before it makes it durable.
    """

    portions: Portions = PORTIONS
    walk_seconds: float = 1.0
    checkpoint_seconds: float = 0.5
    start_worker: Callable[[str], Peer] = Peer


USUAL = Tuning()

Sets = dict[Claim, SetSink]
Outcome = Ended | Kept | Job
"""The state of a claim after work on it: a Job goes on."""

Settle = Callable[[Claim, Outcome], None]


@dataclass(frozen=True, slots=True)
class Jobs:
    """What all jobs of a run share.

    `inline` computes single problems, `batches` many of them, `workers` sources of many.
    `computing` is entered around code that may be interrupted.
    """

    folders: Folders
    settings: Settings
    log: Log
    computing: Callable[[], AbstractContextManager[None]]
    inline: Inline
    batches: Workers
    workers: Workers
    tuning: Tuning = USUAL

    def process(self, claim: Claim) -> Outcome:
        """Process a claim to its end, unless it holds many: then call `advance` with its job.

        Raises EnvironmentFailure or Interrupted; then the file is back in the inbox, or stays
        claimed for a later run if a newer one has taken its place or its publication has begun.
        """
        return self._settled(claim, lambda: self._process(claim))

    def advance(self, job: Job) -> Outcome:
        """Do one step of a job of many puzzles, or publish it. Raises as `process` does."""
        outcome: Outcome = Kept()
        try:
            outcome = self._settled(job.claim, lambda: self._advance(job), lambda: job.at)
        finally:
            if outcome is not job:
                job.close()
        return outcome

    def pause(self, job: Job) -> None:
        """Stop a job of many puzzles; the next run continues it."""
        with suppress(OSError):  # what is not noted is done again
            job.checkpoint()
        job.close()
        self.give_back(job.claim)
        job.claim.close()

    def _settled(
        self, claim: Claim, work: Callable[[], Outcome], step: Callable[[], int] = lambda: 0
    ) -> Outcome:
        """Do work on a claim, and close the claim unless its job goes on.

        If it cannot be processed now, the file is put back; if that is because of the file alone,
        it stays claimed. A crash of ours is an attempt at the `step` in work.
        """
        outcome: Outcome = Kept()
        try:
            outcome = work()
        except OSError as error:
            if self.folders.blames(error):
                self.give_back(claim)
                raise EnvironmentFailure(in_words(error)) from error
            self._say_kept(claim, in_words(error))
        except (EnvironmentFailure, Interrupted):
            self.give_back(claim)
            raise
        except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
            if claim.is_held:
                claim.count_attempt(step())
            self._say_crashed(claim, error)
        finally:
            if not isinstance(outcome, Job):
                claim.close()
        return outcome

    def _process(self, claim: Claim) -> Outcome:
        record = is_published(claim, self.folders)
        if record is not None:
            return self._finish_recovered(claim, record)
        # loaded before an attempt is counted, because it is slow
        from pipeline.service.sinks import table, tree  # noqa: F401, PLC0415

        why = "none was completed"
        while claim.attempts() < MOST_ATTEMPTS:
            try:
                with self.computing(), self._attempt(claim):
                    job = self.job_of(claim, self.sink_of(claim))
                    while not job.sink.lasts and job.step():
                        pass
            except NO_FAULT:
                raise
            except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
                claim.count_attempt()
                why = self._say_crashed(claim, error)
                continue
            return job if job.sink.lasts else self._publish(job)
        return self._publish_failed(claim, why)

    def _attempt(self, claim: Claim) -> AbstractContextManager[None]:
        """Count an attempt to read a file, and to solve it if it is one puzzle.

        If steps of it are done it was read before, which did not kill the process.
        """
        return nullcontext() if has_progress(claim) else claim.attempt(free=(Interrupted,))

    def sink_of(self, claim: Claim) -> Sink:
        """The sink for what has been claimed, chosen by its content. Raises OSError."""
        from pipeline.reading import read as reading  # noqa: PLC0415 - slow to load
        from pipeline.service.sinks import table, tree  # noqa: PLC0415 - as above

        portions = self.tuning.portions
        match reading.contents_of(claim.original, claim.note.source, self.settings):
            case Collection() as found:
                return table.TableSink(claim, self.folders, self.settings, found, portions)
            case Archive() as found:
                return tree.TreeSink(claim, self.folders, self.settings, found, portions)
            case item:
                return SetSink.of(claim, item, self.settings)

    def job_of(self, claim: Claim, sink: Sink) -> Job:
        workers = self.workers if sink.lasts else self.inline
        nearby = Nearby(self.inline, workers) if sink.is_small else None
        return Job(claim, sink, workers, nearby, self.tuning.checkpoint_seconds)

    def _publish(self, job: Job) -> Outcome:
        publish([job.sink.publication(job.seconds)], self.folders)
        finish([(job.claim, job.sink.is_refused)], self.folders)
        return job.sink.finish(self.log, job.seconds)

    def _publish_failed(self, claim: Claim, why: str) -> Outcome:
        message = f"given up after {claim.attempts()} attempts: {why}"
        return self._publish(self.job_of(claim, SetSink.failed(claim, message, self.settings)))

    def _finish_recovered(self, claim: Claim, record: Record) -> Ended:
        status = record.status
        finish([(claim, status in ("invalid", "failed"))], self.folders)
        self.log.info("job.recovered", source=printable(claim.note.source), status=status)
        message = record.message if isinstance(record, PuzzleRecord) else None
        return Ended(claim.note, status, record.totals, message)

    def _advance(self, job: Job) -> Outcome:
        return job if job.step() else self._publish(job)

    def _say_crashed(self, claim: Claim, error: Exception) -> str:
        why = in_words(error)
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

    def process_all(self, claims: Sequence[Claim], settle: Settle) -> None:
        """Process claims together, with the results that `process` gives for each.

        `settle` is told each outcome at once, so that those of earlier claims count though a later
        one raises. Their puzzles are computed in batches, for which no attempt is counted: if the
        process is killed meanwhile, they are processed one by one later.
        """
        settled: set[Claim] = set()

        def told(claim: Claim, outcome: Outcome) -> None:
            settled.add(claim)
            settle(claim, outcome)

        try:
            batches = [
                self._opened(claims[start : start + BATCH], told)
                for start in range(0, len(claims), BATCH)
            ]
            with closing(self._solved(batches)) as solved:
                for sinks in filter(None, batches):
                    self._process_batch(sinks, solved, told)
        except BaseException:
            for claim in claims:
                if claim.is_held and claim not in settled:  # nor given back before
                    self.give_back(claim)
                    claim.close()
            raise

    def _opened(self, claims: Sequence[Claim], settle: Settle) -> Sets:
        """The small puzzles among these claims; the outcomes of the others are settled.

        A job of many begins; what is large, or cannot be read, is processed alone.
        """
        small: Sets = {}
        for claim in claims:
            try:
                sink = self.sink_of(claim)
            except Exception:  # noqa: BLE001 - `process` will see what to do about it
                sink = None
            match sink:
                case SetSink(item=Single(data=bytes(data))) if 0 < len(data) <= _LARGEST:
                    small[claim] = sink
                case None | SetSink():
                    settle(claim, self.process(claim))
                case many:
                    settle(claim, self._settled(claim, partial(self.job_of, claim, many)))
        return small

    def _solved(self, batches: list[Sets]) -> Replies:
        requests = (
            Singles(tuple(sink.item for sink in sinks.values() if sink.item))
            for sinks in batches
            if sinks
        )
        return self.batches.replies(requests)

    def _process_batch(self, sinks: Sets, solved: Replies, settle: Settle) -> None:
        try:
            request, results = next(filter(None, solved))
            for sink, result in zip(sinks.values(), results, strict=True):
                sink.write(request, [result])
            publish([sink.publication(0.0) for sink in sinks.values()], self.folders)
            finish([(claim, sink.is_refused) for claim, sink in sinks.items()], self.folders)
        except NO_FAULT as error:
            if not isinstance(error, OSError) or self.folders.blames(error):
                raise
            self._one_by_one(sinks, settle)
            return
        except Exception as error:  # noqa: BLE001 - a crash of ours: whose fault is it?
            self.log.error("batch.crashed", reason=in_words(error))
            self._one_by_one(sinks, settle)
            return
        for claim in sinks:
            claim.close()
        for claim, sink in sinks.items():
            settle(claim, sink.finish(self.log, 0.0))

    def _one_by_one(self, claims: Sets, settle: Settle) -> None:
        for claim in claims:
            settle(claim, self.process(claim))
