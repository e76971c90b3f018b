"""Many claims of single puzzles: computed in batches, published side by side."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.publish import finish, publish
from pipeline.result import Result
from pipeline.run.bulk import NO_FAULT, Bulk, Single
from pipeline.run.job import Ended, Jobs

BATCH = 128
"""Files that are computed together: what comes of some depends on that, so it never varies."""

_LARGEST = 64 * 1024
"""Bytes: larger puzzles are not held in memory beside others."""


class Together:
    """The jobs of a run, many at a time."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def process(self, claims: Sequence[Claim]) -> list[Ended | Bulk | None]:
        """Process claims side by side, as `Jobs.process` does each of them.

        Their puzzles are computed in batches, which no attempt is counted for: whatever ends the
        process meanwhile, they are taken up again one by one.
        """
        outcomes: dict[Claim, Ended | Bulk | None] = {}
        batches: list[dict[Claim, Single]] = []
        try:
            for number, claim in enumerate(claims):
                if number % BATCH == 0:
                    batches.append({})
                if single := self._small_single(claim):
                    batches[-1][claim] = single
                else:
                    outcomes[claim] = self._jobs.process(claim)
            with closing(self._solved(batches)) as solved:
                for singles in filter(None, batches):
                    outcomes |= self._process_singles(singles, solved)
        except BaseException:
            for outcome in outcomes.values():
                if isinstance(outcome, Bulk):
                    outcome.close()
            for claim in claims:
                if claim.is_held:  # neither finished nor given back before
                    self._jobs.give_back(claim)
                    claim.close()
            raise
        return [outcomes[claim] for claim in claims]

    def _small_single(self, claim: Claim) -> Single | None:
        """A claimed puzzle that may wait in memory for others; None for what goes alone."""
        try:
            content = self._jobs.content(claim)
        except Exception:  # noqa: BLE001 - `process` will see what to do about it
            return None
        if isinstance(content, Bulk):
            content.close()
            return None
        return content if content.data and len(content.data) <= _LARGEST else None

    def _solved(self, batches: list[dict[Claim, Single]]) -> Generator[list[Result], None, None]:
        """What the puzzles of each batch come to: computed here, or by workers elsewhere."""
        from pipeline.run.requests import Item, Items  # noqa: PLC0415 - slow to load

        requests = (
            Items(tuple(Item(claim.note.source, single.data) for claim, single in batch.items()))
            for batch in filter(None, batches)
        )
        if self._jobs.workers.batches:
            for reply in self._jobs.workers.replies(requests):
                if reply is not None:
                    yield reply[1]
            return
        for request in requests:
            with self._jobs.computing():
                results = request.compute(self._jobs.solvers, self._jobs.settings)
            yield results

    def _process_singles(
        self, singles: dict[Claim, Single], solved: Iterator[list[Result]]
    ) -> dict[Claim, Ended | Bulk | None]:
        try:
            results = next(solved)
            origins = [self._jobs.origin(claim, single) for claim, single in singles.items()]
            whole = list(zip(singles, origins, results, strict=True))
            publish([self._jobs.publication(*each) for each in whole], self._jobs.folders)
            finish(
                [(c, r.status in ("invalid", "failed")) for c, _, r in whole], self._jobs.folders
            )
        except NO_FAULT as error:
            if not isinstance(error, OSError) or self._jobs.folders.blames(error):
                raise
            return self._one_by_one(singles)
        except Exception as error:  # noqa: BLE001 - a crash of ours: whose fault is it?
            self._jobs.log.error("batch.crashed", reason=f"{type(error).__name__}: {error}")
            return self._one_by_one(singles)
        for claim in singles:
            claim.close()
        return {claim: self._jobs.say_finished(origin, result) for claim, origin, result in whole}

    def _one_by_one(self, singles: dict[Claim, Single]) -> dict[Claim, Ended | Bulk | None]:
        return {claim: self._jobs.process(claim) for claim in singles}
