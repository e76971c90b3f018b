"""What all jobs of a run share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pipeline.errors import EnvironmentFailure, in_words, printable
from pipeline.service.claimers import Claimers
from pipeline.service.jobs import CHUNK_SIZES, ChunkSizes
from pipeline.service.log import Log
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders
from pipeline.service.signals import Stop
from pipeline.service.workers import LocalWorker, Workers
from pipeline.settings import Settings
from pipeline.solving.solvers.child import Peer


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

    chunk_sizes: ChunkSizes = CHUNK_SIZES
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
    min_shared: int = 64
    min_shared_puzzles: int = 512
    start_worker: Callable[[str], Peer] = Peer


USUAL = Tuning()


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
    stop: Stop
    local: LocalWorker
    batches: Workers
    pool: Workers
    claimers: Claimers
    tuning: Tuning = USUAL
    is_shared: bool = False
    is_watching: bool = False
    spares: list[Claim] = field(default_factory=list)
    """Claims that were put aside: using one again is quicker than making one."""

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
        if isinstance(error, OSError) and self.folders.is_environment_fault(error):
            raise EnvironmentFailure(in_words(error)) from error

    def log_error(self, event: str, claim: Claim, reason: str) -> None:
        """Log an error of a claim."""
        self.log.error(event, source=printable(claim.manifest.source), reason=reason)
