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

    rescan_seconds            interval between scans of the whole inbox
    stamp_seconds             minimum interval between updates of the last scan time in the inbox
    walk_seconds              minimum interval between walks of a dropped folder
    checkpoint_seconds        interval between checkpoints of a long job
    ready_seconds             how long solved small collections wait to be published together
    alone_seconds             time limit of a puzzle in `watch` if no other file waits; a slower
                              puzzle is left to a worker
    batch_seconds             time limit of a batch; a slower batch is solved puzzle by puzzle
    puzzle_seconds            time limit of each puzzle in a slow batch; a slower puzzle is left to
                              a worker
    slow_batch_seconds        time limit of all puzzles in a slow batch; the rest is left to workers
    turn_seconds              length of a turn of a long job
    names_before_sharing      number of files that are observed before claimers get names
    names_per_claimer         number of waiting names for each further claimer, if collections are
                              among the observed files
    puzzles_per_claimer       number of waiting names for each further claimer otherwise
    min_disk_filling_puzzles  if the disk is full, an archive with at least this many finished
                              puzzles is taken as the cause, and fails
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
    slow_batch_seconds: float = 30.0
    turn_seconds: float = 10.0
    names_before_sharing: int = 16
    names_per_claimer: int = 64
    puzzles_per_claimer: int = 512
    min_disk_filling_puzzles: int = 1000
    start_worker: Callable[[str], Peer] = Peer


DEFAULT_TUNING = Tuning()
"""The values of every run outside tests."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """The folders, workers and limits that all jobs of a run share.

    - `local`: computes in this process.
    - `pool`: computes in other processes.
    - `batch_workers`: the one of `local` and `pool` that solves batches of single puzzles.
    - `claimers`: processes that claim files themselves.
    - `leaves_slow_puzzles`: whether puzzles that exceed a time limit are left to other processes.
    - `is_watching`: whether new files may arrive at any time.
    """

    folders: Folders
    settings: Settings
    log: Log
    stop: Stop
    local: LocalWorker
    batch_workers: Workers
    pool: Workers
    claimers: Claimers
    tuning: Tuning = DEFAULT_TUNING
    leaves_slow_puzzles: bool = False
    is_watching: bool = False
    spare_claims: list[Claim] = field(default_factory=list)
    """Finished claims to be reused, which is faster than creating new claims."""

    @property
    def batch_seconds(self) -> float | None:
        """The time limit for a batch in this process; None for no limit."""
        return self.tuning.batch_seconds if self.leaves_slow_puzzles else None

    def puzzle_seconds(self, *, is_alone: bool) -> float | None:
        """The time limit for a puzzle in this process; None for no limit.

        `is_alone`: whether no other file is waiting.
        """
        if not self.leaves_slow_puzzles or (is_alone and not self.is_watching):
            return None
        return self.tuning.alone_seconds if is_alone else self.tuning.puzzle_seconds

    def raise_if_environment_fault(self, error: Exception) -> None:
        """Raise EnvironmentFailure if every job would fail with this error."""
        if isinstance(error, EnvironmentFailure):
            raise error
        if isinstance(error, OSError) and self.folders.is_environment_fault(error):
            raise EnvironmentFailure(in_words(error)) from error

    def log_error(self, event: str, claim: Claim, reason: str) -> None:
        """Log an error event about the source of a claim."""
        self.log.error(event, source=printable(claim.manifest.source), reason=reason)
