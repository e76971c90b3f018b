"""The job of one puzzle or formula: its solutions and its record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.files import digest_of
from pipeline.outbox.write_record import PuzzleSet, digest, limit_solutions
from pipeline.reading import OneProblem, Unreadable
from pipeline.service.jobs import Job, size_of
from pipeline.service.protocol.claim import Claim
from pipeline.service.workers import BatchRequest, Request
from pipeline.settings import Settings
from pipeline.solving.result import Result
from pipeline.solving.solvers import Solvers

BATCH_SIZE = 128
"""Number of puzzles in a batch. Not a setting, because some results depend on it."""


class PuzzleBatch(BatchRequest[OneProblem]):
    """A request to solve sources with one problem each."""

    __slots__ = ()

    def compute(self, solvers: Solvers, settings: Settings) -> list[Result]:
        from pipeline.service.solving import solve_items  # noqa: PLC0415 - only workers need it

        results = solve_items(self.items, solvers, settings)
        return results if settings.keep_cnf else [result.without_cnf() for result in results]

    def pack(self, reply: list[Result], settings: Settings) -> bytes:  # noqa: ARG002 - signature of Request
        from pipeline.service.replies import pack_results  # noqa: PLC0415 - slow to load

        return pack_results(reply)

    def unpack(self, data: bytes, settings: Settings) -> list[Result]:
        from pipeline.service.replies import unpack_results  # noqa: PLC0415 - slow to load

        return unpack_results(data, self.items, settings)


class PuzzleJob(Job):
    """The job of a source with one problem; `item` is None if the source is unreadable."""

    def __init__(self, claim: Claim, item: OneProblem, settings: Settings) -> None:
        from pipeline.service.solving import refused_result  # noqa: PLC0415 - slow to load

        super().__init__(claim, settings)
        self._source_origin = self._origin(
            None if item.data is None else digest(item.data), item.size
        )
        self.item = None if isinstance(item, Unreadable) else item
        self._result = refused_result(item) if isinstance(item, Unreadable) else Result("unknown")

    @classmethod
    def failed(cls, claim: Claim, why: str, settings: Settings) -> PuzzleJob:
        """A job with status `failed`, for a claim that could not be processed."""
        size = size_of(claim.original)
        job = cls(claim, Unreadable(claim.manifest.source, why), settings)
        job._result = Result("failed", message=why)
        job._source_origin = job._origin(None if size is None else digest_of(claim.original), size)
        return job

    def steps(self) -> Iterator[Request]:
        if self.item is not None:
            yield PuzzleBatch((self.item,))

    def write(self, _step: Any, reply: Any) -> None:
        (result,) = reply
        self.set_result(result)

    def set_result(self, result: Result) -> None:
        """Set the result, limited to the solutions that can be published."""
        self._result = limit_solutions(result, self.claim.manifest.stem)

    @property
    def is_refused(self) -> bool:
        return self._result.status in ("invalid", "failed")

    def _contents(self) -> PuzzleSet:
        return PuzzleSet(self._source_origin, self._result, self.claim.manifest.keep_cnf)
