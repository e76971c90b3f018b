"""Many claims of single problems: computed in batches, published side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.publish import finish, publish
from pipeline.run.job import NO_FAULT, Job, Jobs, Outcome
from pipeline.run.requests import Item, Items
from pipeline.run.sinks import SetSink
from pipeline.run.workers import Replies

BATCH = 128
"""Files that are computed together: what comes of some depends on that, so it never varies."""

_LARGEST = 64 * 1024
"""Bytes: larger puzzles are not held in memory beside others."""

Sinks = dict[Claim, SetSink]


class Together:
    """The jobs of a run, many at a time."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def process(self, claims: Sequence[Claim]) -> list[Outcome]:
        """Process claims side by side, as `Jobs.process` does each of them.

        Their puzzles are computed in batches, which no attempt is counted for: whatever ends the
        process meanwhile, they are taken up again one by one.
        """
        outcomes: dict[Claim, Outcome] = {}
        try:
            batches = [
                self._opened(claims[start : start + BATCH], outcomes)
                for start in range(0, len(claims), BATCH)
            ]
            with closing(self._solved(batches)) as solved:
                for sinks in filter(None, batches):
                    outcomes |= self._process_batch(sinks, solved)
        except BaseException:
            for outcome in outcomes.values():
                if isinstance(outcome, Job):
                    outcome.close()
            for claim in claims:
                if claim.is_held:  # neither finished nor given back before
                    self._jobs.give_back(claim)
                    claim.close()
            raise
        return [outcomes[claim] for claim in claims]

    def _opened(self, claims: Sequence[Claim], outcomes: dict[Claim, Outcome]) -> Sinks:
        """The small puzzles among these claims; what becomes of the others is told in `outcomes`.

        A job of many begins; what is large, or cannot be read, is processed alone.
        """
        small: Sinks = {}
        for claim in claims:
            try:
                sink = self._jobs.sink_of(claim)
            except Exception:  # noqa: BLE001 - `process` will see what to do about it
                sink = None
            match sink:
                case SetSink(item=Item(data=bytes(data))) if len(data) <= _LARGEST:
                    small[claim] = sink
                case None | SetSink():
                    outcomes[claim] = self._jobs.process(claim)
                case many:
                    outcomes[claim] = self._jobs.job_of(claim, many)
        return small

    def _solved(self, batches: list[Sinks]) -> Replies:
        """What the puzzles of each batch come to."""
        requests = (
            Items(tuple(sink.item for sink in sinks.values() if sink.item))
            for sinks in batches
            if sinks
        )
        return self._jobs.batches.replies(requests)

    def _process_batch(self, sinks: Sinks, solved: Replies) -> dict[Claim, Outcome]:
        jobs = self._jobs
        try:
            request, results = next(filter(None, solved))
            for sink, result in zip(sinks.values(), results, strict=True):
                sink.write(request, [result])
            publish([sink.publication(0.0) for sink in sinks.values()], jobs.folders)
            finish([(claim, sink.is_refused) for claim, sink in sinks.items()], jobs.folders)
        except NO_FAULT as error:
            if not isinstance(error, OSError) or jobs.folders.blames(error):
                raise
            return self._one_by_one(sinks)
        except Exception as error:  # noqa: BLE001 - a crash of ours: whose fault is it?
            jobs.log.error("batch.crashed", reason=f"{type(error).__name__}: {error}")
            return self._one_by_one(sinks)
        for claim in sinks:
            claim.close()
        return {claim: sink.finish(jobs.log, 0.0) for claim, sink in sinks.items()}

    def _one_by_one(self, claims: Sinks) -> dict[Claim, Outcome]:
        return {claim: self._jobs.process(claim) for claim in claims}
