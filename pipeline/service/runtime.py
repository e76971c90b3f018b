"""Runtime: the folders, workers and limits that all jobs of a run share."""

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
    """Sizes and times that are not settings, and how a worker is started. Tests change them.

    rescan_seconds      interval between scans of the whole inbox
    stamp_seconds       minimum interval between notes in the inbox of when it was scanned
    walk_seconds        minimum interval between walks of a dropped folder
    checkpoint_seconds  interval between checkpoints of a long job
    ready_seconds       how long solved small collections wait to be published together
    alone_seconds       time limit of a puzzle in `watch` if no other file waits; then a worker
                        solves it
    batch_seconds       time limit of a batch; then its puzzles are solved one by one
    puzzle_seconds      time limit of one of these puzzles; then a worker solves it
    singly_seconds      time limit of all these puzzles; then workers solve the others
    turn_seconds        length of a turn of a long job
    filling_puzzles     if the disk is full, an archive with this many puzzles done fails alone
    first_names         number of files that are examined before names are shared with claimers
    min_shared          minimum number of names per claimer if collections are among these files
    min_shared_puzzles  the same if they are all single puzzles
    """

    chunk_sizes: ChunkSizes = CHUNK_SIZES
    rescan_seconds: float = 30.0
    stamp_seconds: float = 1.0
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


DEFAULT_TUNING = Tuning()


@dataclass(frozen=True, slots=True)
class Runtime:
    """The folders, workers and limits that all jobs of a run share.

    `local` computes in this process, `pool` in other processes; `batches` is the one of these two
    that solves batches. `claimers`: processes that claim files of their own. `is_shared`: slow
    puzzles are left to other processes. `is_watching`: new files may arrive at any time.
    """

    folders: Folders
    settings: Settings
    log: Log
    stop: Stop
    local: LocalWorker
    batches: Workers
    pool: Workers
    claimers: Claimers
    tuning: Tuning = DEFAULT_TUNING
    is_shared: bool = False
    is_watching: bool = False
    spare_claims: list[Claim] = field(default_factory=list)
    """Finished claims to be reused, which is faster than making new claims."""

    @property
    def batch_seconds(self) -> float | None:
        """The time limit for a batch in this process."""
        return self.tuning.batch_seconds if self.is_shared else None

    def puzzle_seconds(self, *, is_alone: bool) -> float | None:
        """The time limit for a puzzle in this process; `is_alone`: no other file is waiting."""
        if not self.is_shared or (is_alone and not self.is_watching):
            return None
        return self.tuning.alone_seconds if is_alone else self.tuning.puzzle_seconds

    def raise_if_environment(self, error: Exception) -> None:
        """Raise EnvironmentFailure if every job would fail in this way."""
        if isinstance(error, EnvironmentFailure):
            raise error
        if isinstance(error, OSError) and self.folders.is_environment_fault(error):
            raise EnvironmentFailure(in_words(error)) from error

    def log_error(self, event: str, claim: Claim, reason: str) -> None:
        """Log an error event about the file of a claim."""
        self.log.error(event, source=printable(claim.manifest.source), reason=reason)
