"""Jobs: a claimed file on its way to a published set.

    claim ─ contents ─▶ sink ─ steps ─▶ workers ─ replies ─▶ sink ─ publication ─▶ outbox

A single puzzle, or a small collection, is solved at once in this process, alone or with others. A
larger source of many puzzles advances by a step at a time, so that the others can overtake it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.outbox import PuzzleRecord, Record
from pipeline.reading import Archive, Collection, OneProblem, Source
from pipeline.service.claimers import Claimers
from pipeline.service.exits import Interrupted
from pipeline.service.log import Log
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.growing import has_progress
from pipeline.service.protocol.publish import finish, is_published, publish
from pipeline.service.sinks import BATCH, PORTIONS, Ended, GrowingSink, Portions, SetSink, Singles
from pipeline.service.workers import Inline, Request, Workers
from pipeline.settings import Settings
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers.child import Peer

MOST_ATTEMPTS = 3

NO_FAULT = (OSError, EnvironmentFailure, Interrupted)
"""What may end a job without a fault in its source."""

Outcome = Ended | Literal["kept", "going"]
"""The state of a job after work on it: it has ended, an obstacle keeps it, or it goes on."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Sizes and times that are not settings, and how a worker is started; tests vary them.

    `walk_seconds` is how long a folder is left alone after it was walked. `checkpoint_seconds` is
    how long a job of many may leave what it has written before it makes it durable. `ready_seconds`
    is how long small collections that are solved may wait for others, to be published together.
    """

    portions: Portions = PORTIONS
    walk_seconds: float = 1.0
    checkpoint_seconds: float = 0.5
    ready_seconds: float = 3.0
    start_worker: Callable[[str], Peer] = Peer


USUAL = Tuning()


@dataclass(frozen=True, slots=True)
class Shared:
    """What all jobs of a run share.

    `inline` computes a single problem, `together` many of them, `workers` sources of many;
    `claimers` take single files if there are many.
    `computing` is entered around code that may be interrupted.
    """

    folders: Folders
    settings: Settings
    log: Log
    computing: Callable[[], AbstractContextManager[None]]
    inline: Inline
    together: Workers
    workers: Workers
    claimers: Claimers
    tuning: Tuning = USUAL
    spares: list[Claim] = field(default_factory=list)
    """Claims that were put aside: using one again is quicker than making one."""

    def blame(self, error: OSError) -> None:
        """Raise EnvironmentFailure if every job would fail like this."""
        if self.folders.blames(error):
            raise EnvironmentFailure(in_words(error)) from error


class Job:
    """One claim. `contents` are what the look at its file found; None if only the file can tell.

    `sink` is that of a source of many puzzles in work. The job `is_ready` once all of a quick one
    is written: the next step publishes it, unless others do that together with their own.
    """

    def __init__(self, shared: Shared, claim: Claim, contents: Source | None = None) -> None:
        self.claim = claim
        self.contents = contents
        self.sink: GrowingSink | None = None
        self._shared = shared
        self.restart()
        self._step = 0
        """The step in work, for which attempts are counted; see `Claim.count_attempt`."""
        self._watch = Stopwatch()
        self._is_noted = True
        self._note_at = 0.0

    def restart(self) -> None:
        """Begin anew at the next step, as after a crash."""
        self._life = self._processed()
        self.is_ready = False

    def advance(self) -> Outcome:
        """Process the claim to its end, or do one more step of a source of many puzzles.

        Call it again while the job is `going`. Raises EnvironmentFailure or Interrupted; then the
        file is back in the inbox, or stays claimed for a later run if a newer one has taken its
        place or publication has begun.
        """
        outcome: Outcome = "kept"
        try:
            next(self._life)
            outcome = "going"
        except StopIteration as end:
            outcome = end.value
        except (EnvironmentFailure, Interrupted):
            self.give_back()
            raise
        except Exception as error:  # noqa: BLE001 - a crash of ours ends one job
            self._say_why_kept(error)
        finally:
            if outcome != "going":
                self.claim.close()
        return outcome

    def _say_why_kept(self, error: Exception) -> None:
        """An obstacle, or a crash of ours, which is an attempt at the step in work."""
        if isinstance(error, OSError):
            self._say("job.kept", in_words(error))
            return
        if self.claim.is_held:
            self.claim.count_attempt(self._step)
        self._say("job.crashed", in_words(error))

    def _processed(self) -> Generator[None, None, Ended]:
        """All that happens to a claim, from the first look to the end.

        A source of many puzzles yields before its first step, after each, and while it waits; a
        quick one when it is ready.
        """
        try:
            if (record := is_published(self.claim, self._shared.folders)) is not None:
                return self._recovered(record)
            sink = self._made_sink()
            if isinstance(sink, SetSink):
                return self._published(sink)
            self.sink = sink
            if not self._is_quick(sink):
                yield
            yield from self._grown(sink)
            return self._published(sink)
        except OSError as error:
            self._shared.blame(error)
            raise

    def _recovered(self, record: Record) -> Ended:
        """Finish a job that was published before its process died."""
        status, note = record.status, self.claim.note
        finish([(self.claim, status in ("invalid", "failed"))], self._shared.folders)
        self._shared.log.info("job.recovered", source=printable(note.source), status=status)
        message = record.message if isinstance(record, PuzzleRecord) else None
        return Ended(note, status, record.totals, message)

    def _made_sink(self) -> SetSink | GrowingSink:
        """Read what was claimed, and solve it if it is one puzzle; give up after some attempts."""
        # loaded before an attempt is counted, because it is slow
        from pipeline.service.sinks import table, tree  # noqa: F401, PLC0415

        shared, claim, why = self._shared, self.claim, "none was completed"
        while claim.attempts() < MOST_ATTEMPTS:
            # If steps of it are done it was read before, which did not kill the process.
            counted = not has_progress(claim)
            attempt = claim.attempt(free=(Interrupted,)) if counted else nullcontext()
            try:
                with shared.computing(), attempt:
                    sink = self._sink()
                    if isinstance(sink, SetSink):
                        for reply in filter(None, shared.inline.replies(sink.steps())):
                            sink.write(*reply)
                    return sink
            except NO_FAULT:
                raise
            except Exception as error:  # noqa: BLE001 - a crash of ours is an attempt
                claim.count_attempt()
                why = in_words(error)
                self._say("job.crashed", why)
        message = f"given up after {claim.attempts()} attempts: {why}"
        return SetSink.failed(claim, message, shared.settings)

    def _sink(self) -> SetSink | GrowingSink:
        """The sink for what has been claimed, chosen by its content. Raises OSError."""
        from pipeline.reading.read import source_at  # noqa: PLC0415 - slow to load
        from pipeline.service.sinks import table, tree  # noqa: PLC0415 - as above

        claim, shared = self.claim, self._shared
        terms = claim, shared.folders, shared.settings
        match self.contents or source_at(claim.original, claim.note.source, shared.settings):
            case Collection() as found:
                return table.TableSink(*terms, found, shared.tuning.portions)
            case Archive() as found:
                return tree.TreeSink(*terms, found, shared.tuning.portions)
            case item:
                return SetSink(claim, item, shared.settings)

    def _grown(self, sink: GrowingSink) -> Generator[None, None, None]:
        """Compute and write the steps that are not done.

        A quick source is computed in this process, as one step without checkpoints. If an earlier
        attempt did not end, it may have killed its process: then workers compute it, and the next
        step runs alone, so that further attempts count for it.
        """
        shared, self._watch = self._shared, Stopwatch()
        self._step = sink.steps_before + 1
        if sink.steps_before:
            source, puzzles = printable(self.claim.note.source), sink.progress().puzzles
            shared.log.info("job.continued", source=source, puzzles=puzzles)
        if self._is_quick(sink):
            with self._attempt(sink, free=(Interrupted,)):
                for reply in filter(None, shared.inline.replies(sink.steps())):
                    sink.write(*reply)
            self._count_seconds(sink)
            self.is_ready = True
            yield
            return
        steps = self._cut(sink)
        try:
            if self.claim.attempts():
                yield from self._computed(sink, islice(steps, 1))
            yield from self._computed(sink, steps)
        except GeneratorExit:
            with suppress(OSError):  # what is not noted is done again
                self._note(sink)
            raise
        self._note(sink)
        self._count_seconds(sink)

    def _is_quick(self, sink: GrowingSink) -> bool:
        return sink.is_quick and not self.claim.attempts()

    def _computed(self, sink: GrowingSink, steps: Iterator[Request]) -> Generator[None, None, None]:
        """Compute and write these steps, noting now and then that they are durable."""
        with closing(self._shared.workers.replies(steps)) as replies:
            for reply in replies:
                if reply is None:
                    self._note(sink)
                else:
                    with self._attempt(sink):
                        sink.write(*reply)
                        self._step, self._is_noted = self._step + 1, False
                        if time.monotonic() >= self._note_at:
                            self._note(sink)
                    if self._is_noted:
                        self.claim.reset_attempts()
                yield

    def _note(self, sink: GrowingSink) -> None:
        """Make durable what was written since the last time. Raises OSError."""
        if not self._is_noted:
            self._count_seconds(sink)
            sink.checkpoint(self._step - 1)
            self._is_noted = True
            self._note_at = time.monotonic() + self._shared.tuning.checkpoint_seconds

    def _count_seconds(self, sink: GrowingSink) -> None:
        """Tell how long it has been in work, in all runs; the time between them does not count."""
        sink.seconds = sink.seconds_before + self._watch.seconds()["total"]

    def _cut(self, sink: GrowingSink) -> Iterator[Request]:
        """The steps that are not done; skipping the others is safe, as they were cut before."""
        steps = islice(sink.steps(), sink.steps_before, None)
        while True:
            with self._attempt(sink):
                step = next(steps, None)
            if step is None:
                return
            yield step

    def _attempt(
        self, sink: GrowingSink, free: tuple[type[BaseException], ...] = ()
    ) -> AbstractContextManager[None]:
        """Count an attempt while something is done here that may kill this process.

        Workers compute in their own processes, so a kill while we wait for them comes from
        outside. Once a step is done, counting is left to the next run, because it writes to the
        disk.
        """
        is_first = self._step == sink.steps_before + 1
        return self.claim.attempt(self._step, free) if is_first else nullcontext()

    def _published(self, sink: SetSink | GrowingSink) -> Ended:
        publish([sink.publication()], self._shared.folders)
        spares = self._shared.spares if isinstance(self.contents, OneProblem) else None
        finish([(self.claim, sink.is_refused)], self._shared.folders, spares)
        return sink.finish(self._shared.log)

    def pause(self) -> None:
        """Stop a job of many puzzles; the next run continues it."""
        self._life.close()
        self.give_back()

    def give_back(self) -> None:
        """Return the file to the inbox, unless its earlier set is half replaced already."""
        if self.claim.note.files:
            self._say("job.kept", "its publishing has begun")
        elif has_progress(self.claim):
            self._shared.log.info("job.paused", source=printable(self.claim.note.source))
        else:
            try:
                if not self.claim.put_back(self._shared.folders.inbox):
                    self._say("job.kept", "another of its name is in the inbox")
                elif self.sink:
                    self.sink.discard()
            except OSError as error:
                self._say("job.kept", in_words(error))
        self.claim.close()

    def _say(self, event: str, reason: str) -> None:
        self._shared.log.error(event, source=printable(self.claim.note.source), reason=reason)


_Batch = list[tuple[Job, SetSink | GrowingSink]]
_Solved = Iterator[tuple[Request, Any] | None]


def process(jobs: Sequence[Job], shared: Shared) -> Iterator[tuple[Job, Outcome]]:
    """Advance jobs that have just begun; yield each with its outcome at once.

    Several small puzzles are solved in batches, for which no attempt is counted: if the process is
    killed meanwhile, each is processed alone later. Quick collections are published together.
    Raises as `Job.advance` does.
    """
    left, longest = list(jobs), shared.tuning.ready_seconds
    try:
        singles, ready, due = _Batch(), _Batch(), time.monotonic() + longest
        for job in jobs:
            if len(jobs) > 1 and isinstance(job.contents, OneProblem):
                singles.append((job, SetSink(job.claim, job.contents, shared.settings)))
                continue
            left.remove(job)
            outcome = job.advance()  # if this raises, it has returned the file itself
            if job.is_ready and job.sink:
                left.append(job)
                ready.append((job, job.sink))
            else:
                yield job, outcome
            if time.monotonic() >= due:
                yield from _ended(ready, iter(()), left, shared)
                ready, due = _Batch(), time.monotonic() + longest
        yield from _ended(ready, iter(()), left, shared)
        batches = [singles[start : start + BATCH] for start in range(0, len(singles), BATCH)]
        asked = (tuple(item for _, item in _asked(batch)) for batch in batches)
        with closing(shared.together.replies(Singles(some) for some in asked if some)) as solved:
            for batch in batches:
                yield from _ended(batch, solved, left, shared)
    except (EnvironmentFailure, Interrupted):
        for job in left:
            job.give_back()
        raise
    finally:
        for job in left:
            job.claim.close()


def _ended(
    batch: _Batch, solved: _Solved, left: list[Job], shared: Shared
) -> Iterator[tuple[Job, Outcome]]:
    """Publish these together, or else one by one; none of them is `left` then."""
    are_published = bool(batch) and _publish_together(batch, solved, shared)
    for job, sink in batch:
        left.remove(job)
        yield job, sink.finish(shared.log) if are_published else _alone(job)


def _alone(job: Job) -> Outcome:
    """Process a job to its end; some of its files may have got their names already."""
    job.restart()
    outcome = job.advance()
    return job.advance() if job.is_ready else outcome


def _asked(batch: _Batch) -> list[tuple[SetSink, OneProblem]]:
    """The problems of a batch that are to be solved, each behind its sink."""
    return [(sink, sink.item) for _, sink in batch if isinstance(sink, SetSink) and sink.item]


def _publish_together(batch: _Batch, solved: _Solved, shared: Shared) -> bool:
    """Write the next results into these sinks, and publish them; False if they must go alone."""
    try:
        if asked := _asked(batch):
            request, results = next(filter(None, solved))
            for (sink, _), result in zip(asked, results, strict=True):
                sink.write(request, [result])
        publish([sink.publication() for _, sink in batch], shared.folders)
        ended = [(job.claim, sink.is_refused) for job, sink in batch]
        spares = shared.spares if all(job.contents for job, _ in batch) else None
        finish(ended, shared.folders, spares)
    except (EnvironmentFailure, Interrupted):
        raise
    except OSError as error:
        shared.blame(error)
        return False
    except Exception as error:  # noqa: BLE001 - a crash of ours: whose fault is it?
        shared.log.error("batch.crashed", reason=in_words(error))
        return False
    return True
