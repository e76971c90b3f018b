"""Jobs: a claimed file on its way to a published set.

    claim ─ contents ─▶ sink ─ steps ─▶ workers ─ replies ─▶ sink ─ publication ─▶ outbox

A single puzzle is solved at once in this process, alone or in a batch. A source of many
puzzles is a `Job`, which does a step at a time, so that single files can overtake it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox import PuzzleRecord, Record
from pipeline.reading.source import Archive, Collection, Contents, Single
from pipeline.service.exits import Interrupted
from pipeline.service.log import Log
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.growing import has_progress
from pipeline.service.protocol.publish import finish, is_published, publish
from pipeline.service.sinks.set import PORTIONS, Ended, GrowingSink, Portions, SetSink, Singles
from pipeline.service.workers import Inline, Replies, Request, Workers
from pipeline.settings import Settings
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers.child import Peer

MOST_ATTEMPTS = 3

BATCH = 128
"""Files computed together. Constant, because some results depend on it."""

NO_FAULT = (OSError, EnvironmentFailure, Interrupted)
"""What may end a job without a fault in its source."""


class Taken(NamedTuple):
    """A claim, and what the look at its file found; None if only the claimed file can tell."""

    claim: Claim
    contents: Contents | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """Not published, because of an obstacle to this job alone: it stays claimed."""


class Job:
    """A source of many puzzles in work. Each `step` computes and writes one more step.

    A small one is computed `here`, as one step without checkpoints. If an earlier attempt did not
    end, it may have killed its process: then `workers` compute the job, step by step.
    """

    def __init__(
        self,
        claim: Claim,
        sink: GrowingSink,
        workers: Workers,
        here: Workers | None = None,
        checkpoint_seconds: float = 0.0,
    ) -> None:
        self.claim = claim
        self.sink = sink
        self._workers = workers
        self._here = here
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
        """The number of the first step that is not done, from 1: attempts at it are counted."""
        return self._done + 1

    @property
    def seconds(self) -> float:
        """How long it has been in work, in all runs; pauses do not count."""
        return self._seconds + (self._watch.seconds()["total"] if self._watch else 0.0)

    def step(self) -> bool:
        """Do one step, or wait a moment for one; whether there is more to do.

        Raises EnvironmentFailure, Interrupted, OSError.
        """
        if next(self._steps, False):
            return True
        self.checkpoint()
        self._seconds, self._watch = self.seconds, None  # only publishing is left
        return False

    def _each(self) -> Generator[bool, None, None]:
        """Yield True after every step, and while the next one is waited for.

        Attempts are counted until a step is done, which resets the count. After an attempt that
        did not end, the next step runs alone, so that further attempts count for it.
        """
        self._watch = Stopwatch()
        steps = self._cut()
        if self.claim.attempts():
            yield from self._computed(iter(list(islice(steps, 1))))
        elif self._here:
            self._compute_here(self._here)
            yield True
            return
        yield from self._computed(steps)

    def _compute_here(self, here: Workers) -> None:
        """Compute and write all steps as one, which may be interrupted."""
        self._replies = here.replies(self.sink.steps())
        with self._attempt(free=(Interrupted,)):
            for reply in filter(None, self._replies):
                self.sink.write(*reply)

    def _computed(self, steps: Iterator[Request]) -> Generator[bool, None, None]:
        """Compute and write these steps, noting now and then that they are durable."""
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
            yield True

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
        is_first = self._done == self.sink.steps_before
        return self.claim.attempt(self.at, free) if is_first else nullcontext()

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

Outcome = Ended | Kept | Job
"""The state of a claim after work on it: a Job goes on."""

Tell = Callable[[Claim, Outcome], None]


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

    def process(self, taken: Sequence[Taken], tell: Tell) -> None:
        """Process claims to their end, or to a job of many puzzles: then call `advance` with it.

        `tell` gets each outcome at once. Several small puzzles are solved in batches, for which no
        attempt is counted: if the process is killed meanwhile, each is processed alone later.
        Raises EnvironmentFailure or Interrupted; then the files are back in the inbox, or stay
        claimed for a later run if a newer one has taken their place or publication has begun.
        """
        left = [each.claim for each in taken]

        def told(claim: Claim, outcome: Outcome) -> None:
            left.remove(claim)
            if not isinstance(outcome, Job):
                claim.close()
            tell(claim, outcome)

        with self._holding(left):
            if len(taken) == 1:
                told(taken[0].claim, self._alone(taken[0]))
                return
            starts = range(0, len(taken), BATCH)
            batches = [self._batch(taken[start : start + BATCH], told) for start in starts]
            with closing(self._solved(batches)) as solved:
                for sinks in filter(None, batches):
                    self._publish_batch(sinks, solved, told)

    def advance(self, job: Job) -> Outcome:
        """Do one step of a job of many puzzles, or publish it. Raises as `process` does."""

        def step() -> Outcome:
            return job if job.step() else self._publish(job.claim, job.sink, job.seconds)

        left, outcome = [job.claim], None
        with self._holding(left):
            try:
                outcome = self._guarded(job.claim, step, lambda: job.at)
            finally:
                if outcome is not job:
                    job.close()
            if outcome is job:
                left.clear()
        return outcome

    def pause(self, job: Job) -> None:
        """Stop a job of many puzzles; the next run continues it."""
        with suppress(OSError):  # what is not noted is done again
            job.checkpoint()
        job.close()
        self._give_back(job.claim)
        job.claim.close()

    @contextmanager
    def _holding(self, left: list[Claim]) -> Iterator[None]:
        """Close what is left of these claims; if they cannot be processed now, give it back."""
        try:
            yield
        except (EnvironmentFailure, Interrupted):
            for claim in left:
                self._give_back(claim)
            raise
        finally:
            for claim in left:
                claim.close()

    def _guarded(
        self, claim: Claim, work: Callable[[], Outcome], step: Callable[[], int] = lambda: 0
    ) -> Outcome:
        """Do work on a claim; keep it if that fails because of its file alone.

        A crash of ours is an attempt at the `step` in work.
        """
        try:
            return work()
        except OSError as error:
            self._blame(error)
            self._say_kept(claim, in_words(error))
        except NO_FAULT:
            raise
        except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
            if claim.is_held:
                claim.count_attempt(step())
            self._say_crashed(claim, error)
        return Kept()

    def _blame(self, error: OSError) -> None:
        """Raise EnvironmentFailure if every job would fail like this."""
        if self.folders.blames(error):
            raise EnvironmentFailure(in_words(error)) from error

    def _alone(self, taken: Taken) -> Outcome:
        return self._guarded(taken.claim, lambda: self._processed(taken))

    def _processed(self, taken: Taken) -> Outcome:
        claim = taken.claim
        record = is_published(claim, self.folders)
        if record is not None:
            return self._recovered(claim, record)
        # loaded before an attempt is counted, because it is slow
        from pipeline.service.sinks import table, tree  # noqa: F401, PLC0415

        why = "none was completed"
        while claim.attempts() < MOST_ATTEMPTS:
            try:
                with self.computing(), self._attempt(claim):
                    sink = self.sink_of(taken)
                    if isinstance(sink, GrowingSink):
                        return self.job_of(claim, sink)
                    for reply in filter(None, self.inline.replies(sink.steps())):
                        sink.write(*reply)
            except NO_FAULT:
                raise
            except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
                claim.count_attempt()
                why = self._say_crashed(claim, error)
            else:
                return self._publish(claim, sink)
        message = f"given up after {claim.attempts()} attempts: {why}"
        return self._publish(claim, SetSink.failed(claim, message, self.settings))

    def _attempt(self, claim: Claim) -> AbstractContextManager[None]:
        """Count an attempt to read a file, and to solve it if it is one puzzle.

        If steps of it are done it was read before, which did not kill the process.
        """
        return nullcontext() if has_progress(claim) else claim.attempt(free=(Interrupted,))

    def sink_of(self, taken: Taken) -> SetSink | GrowingSink:
        """The sink for what has been claimed, chosen by its content. Raises OSError."""
        from pipeline.reading.read import contents_of  # noqa: PLC0415 - slow to load
        from pipeline.service.sinks import table, tree  # noqa: PLC0415 - as above

        claim, contents = taken
        terms = claim, self.folders, self.settings
        match contents or contents_of(claim.original, claim.note.source, self.settings):
            case Collection() as found:
                return table.TableSink(*terms, found, self.tuning.portions)
            case Archive() as found:
                return tree.TreeSink(*terms, found, self.tuning.portions)
            case item:
                return SetSink(claim, item, self.settings)

    def job_of(self, claim: Claim, sink: GrowingSink) -> Job:
        here = self.inline if sink.is_small else None
        return Job(claim, sink, self.workers, here, self.tuning.checkpoint_seconds)

    def _publish(self, claim: Claim, sink: SetSink | GrowingSink, seconds: float = 0.0) -> Ended:
        publish([sink.publication(seconds)], self.folders)
        finish([(claim, sink.is_refused)], self.folders)
        return sink.finish(self.log, seconds)

    def _recovered(self, claim: Claim, record: Record) -> Ended:
        status = record.status
        finish([(claim, status in ("invalid", "failed"))], self.folders)
        self.log.info("job.recovered", source=printable(claim.note.source), status=status)
        message = record.message if isinstance(record, PuzzleRecord) else None
        return Ended(claim.note, status, record.totals, message)

    def _batch(self, taken: Sequence[Taken], told: Tell) -> dict[Claim, SetSink]:
        """The small puzzles among these claims; the others are processed alone."""
        sinks = {}
        for each in taken:
            if isinstance(each.contents, Single):
                sinks[each.claim] = SetSink(each.claim, each.contents, self.settings)
            else:
                told(each.claim, self._alone(each))
        return sinks

    def _solved(self, batches: list[dict[Claim, SetSink]]) -> Replies:
        items = (tuple(sink.item for sink in each.values() if sink.item) for each in batches)
        return self.batches.replies(Singles(some) for some in items if some)

    def _publish_batch(self, sinks: dict[Claim, SetSink], solved: Replies, told: Tell) -> None:
        """Write the next results into these sinks, and publish them together."""
        try:
            if asked := [sink for sink in sinks.values() if sink.item]:
                request, results = next(filter(None, solved))
                for sink, result in zip(asked, results, strict=True):
                    sink.write(request, [result])
            publish([sink.publication(0.0) for sink in sinks.values()], self.folders)
            finish([(claim, sink.is_refused) for claim, sink in sinks.items()], self.folders)
        except (EnvironmentFailure, Interrupted):
            raise
        except Exception as error:  # noqa: BLE001 - each is processed alone instead
            if isinstance(error, OSError):
                self._blame(error)
            else:  # a crash of ours: whose fault is it?
                self.log.error("batch.crashed", reason=in_words(error))
            for claim in sinks:
                told(claim, self._alone(Taken(claim)))
            return
        for claim, sink in sinks.items():
            told(claim, sink.finish(self.log, 0.0))

    def _give_back(self, claim: Claim) -> None:
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

    def _say_crashed(self, claim: Claim, error: Exception) -> str:
        why = in_words(error)
        self.log.error("job.crashed", source=printable(claim.note.source), reason=why)
        return why

    def _say_kept(self, claim: Claim, reason: str) -> None:
        self.log.error("job.kept", source=printable(claim.note.source), reason=reason)
