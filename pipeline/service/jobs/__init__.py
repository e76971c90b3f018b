"""Jobs: each one turns a claimed source into a published set of files.

    PuzzleJob       one puzzle or formula: its solutions and its record
    CollectionJob   one collection: a table, and files of solutions with a line for each puzzle
    ArchiveJob      one archive or folder: a folder with the files of each member, and a table

A job creates the requests that workers compute, writes the replies, and creates the published set.
Results of collections and archives are written to the outbox as they are computed, with
checkpoints. If this run is killed, the next run continues from the last checkpoint.
"""

from __future__ import annotations

import io
import stat
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from pipeline.errors import printable
from pipeline.files import digest_of
from pipeline.outbox.events import finished_fields
from pipeline.outbox.rows import Rows
from pipeline.outbox.schema import REFUSED, SCHEMA, Fallback
from pipeline.outbox.tables import PuzzleRow, columns
from pipeline.outbox.traits import has_slow_traits
from pipeline.outbox.write_record import (
    CollectionSet,
    Origin,
    PuzzleSet,
    timestamp,
)
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.service.log import Log, Progress
from pipeline.service.protocol.checkpointed import CheckpointedFiles
from pipeline.service.protocol.claim import Claim, Manifest
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.publish import OutputSet
from pipeline.service.protocol.settle import walk_folder
from pipeline.service.workers import Request
from pipeline.settings import Settings
from pipeline.solving import ERROR_STATUSES
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.reading.archives.streams import PeekableStream
    from pipeline.reading.formats import Layout, TextChunk, TextPosition


CHECKPOINT_FORMAT = 5
"""Increment this when the state or the published files of a job change.

A job whose checkpoint has another number starts again.
"""


@dataclass(frozen=True, slots=True)
class ChunkRequest(Request):
    """A request to solve a chunk of a collection.

    `member`: path of the collection in an archive, or empty. `first`: expected index of the first
    puzzle; if it is wrong, the rows are renumbered later.
    """

    chunk: TextChunk
    layout: Layout
    member: str = ""
    first: int = 1

    def compute(self, solvers: Solvers, settings: Settings) -> Rows:
        from pipeline.service.solving import solve_chunk  # noqa: PLC0415 - only workers need it

        watch = Stopwatch()
        rows = solve_chunk(self.chunk, self.layout, solvers, settings.for_collection(), self.first)
        return replace(rows, seconds=watch.seconds()["total"])

    def split(self) -> Sequence[ChunkRequest]:
        line_offset = self.chunk.first_line - 1
        chunks = self.layout.chunks(io.BytesIO(self.chunk.data), 1)
        return [
            replace(
                self, chunk=replace(chunk, first_line=chunk.first_line + line_offset), first=index
            )
            for index, chunk in enumerate(chunks, self.first)
        ]

    def join_replies(self, replies: list[Rows]) -> Rows:
        all_rows = Rows()
        for rows in replies:
            all_rows.add(rows)
        return all_rows

    def failed_reply(self, why: str, settings: Settings) -> Rows:
        from pipeline.service.solving import failed_rows  # noqa: PLC0415 - slow to load

        return failed_rows(self.chunk, self.layout, settings, why, self.first)

    def unpack(self, data: bytes, settings: Settings) -> Rows:  # noqa: ARG002 - signature of Request
        from pipeline.service.replies import unpack_rows  # noqa: PLC0415 - only clusters need it

        return unpack_rows(data)


@dataclass(frozen=True, slots=True)
class CollectionEnd(Request):
    """A step without computation at the end of a collection.

    - `line`: the first line that was not read.
    - `digest`, `size`: SHA-256 and bytes of the whole collection.
    - `error`: why reading stopped early; None if the whole collection was read.
    """

    member: str
    layout: Layout
    line: int
    digest: str
    size: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Sizes of the steps of collections and archives. All fields but `items` are in bytes.

    chunk        chunk of 9×9 puzzles: about 6,000 puzzles, which compiled code solves in 0.01 s;
                 without numba about 800, which take some seconds
    other_sides  chunk of puzzles of other sizes, which take some seconds
    proved       chunk of puzzles to be proved unique, or with a slow trait: about 200
    variants     chunk of variants: about 5
    items        maximum number of single puzzles of an archive in a batch
    item_bytes   maximum size of a batch of single puzzles of an archive
    """

    chunk: int = field(
        default_factory=lambda: 512 * 1024 if find_spec("numba") is not None else 64 * 1024
    )
    other_sides: int = 64 * 1024
    proved: int = 16 * 1024
    variants: int = 2 * 1024
    items: int = 256
    item_bytes: int = 1024 * 1024

    def size(self, layout: Layout, settings: Settings) -> int:
        """The size of a collection's chunks in bytes."""
        if layout.format.has_variants:
            return self.variants
        if settings.prove == "always" or has_slow_traits(settings.trait_names):
            return self.proved
        is_nine = layout.cells == NINE_BY_NINE.size
        return self.chunk if is_nine else min(self.chunk, self.other_sides)

    def chunks(
        self,
        layout: Layout,
        stream: PeekableStream,
        settings: Settings,
        member: str = "",
        start: TextPosition | None = None,
        index_offset: Callable[[], int] = lambda: 0,
    ) -> Iterator[ChunkRequest | CollectionEnd]:
        """Yield the requests for the chunks from `start` on, and finally a CollectionEnd.

        `index_offset` estimates the index of the next puzzle minus the number of its line.
        """
        from pipeline.reading.formats import START  # noqa: PLC0415 - loaded already

        start = end = start or START
        stream.skip(start.byte)
        for chunk in layout.chunks(stream, self.size(layout, settings)):
            located = chunk.shifted_by(start)
            yield ChunkRequest(located, layout, member, max(1, located.first_line + index_offset()))
            end = located.end
        error = str(stream.error) if stream.error else None
        yield CollectionEnd(member, layout, end.line, stream.digest, stream.size, error)


CHUNK_SIZES = ChunkSizes()
"""The sizes in every run outside tests."""


@dataclass(frozen=True, slots=True)
class EndedJob:
    """The outcome of a published job; `totals` counts its puzzles by status."""

    manifest: Manifest
    status: str
    totals: Mapping[str, int]
    message: str | None = None

    @property
    def is_bad(self) -> bool:
        """Whether any puzzle of the job is invalid, unknown, failed or refused."""
        return any(self.totals.get(name) for name in (*ERROR_STATUSES, REFUSED))


class Job(ABC):
    """The processing of a claimed source: its requests, their replies, and its published set."""

    def __init__(self, claim: Claim, settings: Settings) -> None:
        self.claim = claim
        self._settings = settings

    @property
    def is_refused(self) -> bool:
        """Whether the original is to be moved to `failed`, not to `done`."""
        return False

    @abstractmethod
    def steps(self) -> Iterator[Request]:
        """Yield the remaining requests. They depend only on the source and the checkpoint."""

    @abstractmethod
    def write(self, step: Any, reply: Any) -> None:
        """Write or store the reply to a step."""

    @abstractmethod
    def _contents(self) -> PuzzleSet | CollectionSet:
        """The contents of the set to publish. Called after all steps."""

    def output_set(self) -> OutputSet:
        """The set of files to publish. Called after all steps."""
        now, manifest = datetime.now(UTC), self.claim.manifest
        return OutputSet(manifest.stem, self._contents(), manifest.claimed or timestamp(now), now)

    def log_end(self, published: OutputSet, log: Log) -> EndedJob:
        """Log the outcome of a published job, and return it."""
        contents, record = published.contents, published.record
        event = finished_fields(record) | {"source": printable(record.source)}
        for fields in contents.warnings():
            log.warning("solver.fallback", source=event["source"], **fields)
        if contents.caveat:
            log.warning("source.unread", source=event["source"], reason=contents.caveat)
        ended = EndedJob(self.claim.manifest, record.status, record.totals, event.get("message"))
        (log.error if ended.is_bad else log.info)("job.finished", job=record.job, **event)
        return ended

    def _origin(self, sha256: str | None, size: int | None) -> Origin:
        manifest, declared = self.claim.manifest, self._settings.declared
        return Origin(manifest.job, manifest.source, sha256, size, declared)


class LongJob(Job):
    """The job of a collection or archive, written to the outbox with checkpoints.

    `steps_before` and `seconds_before` are the steps and time of earlier runs; `seconds` is the
    time of all runs. The result of `_state` is saved with each checkpoint; the next run reads it as
    `_saved_state`. A subclass that knows the SHA-256 of the original sets `_digest`.
    """

    status: str
    format: str
    reason: str
    """Why the source was read in this format."""
    row_class: type[Struct] = PuzzleRow
    """The columns of the table."""
    is_quick = False
    """Whether computing all steps in this process is faster than starting a worker."""

    def __init__(
        self, claim: Claim, folders: Folders, settings: Settings, chunk_sizes: ChunkSizes
    ) -> None:
        super().__init__(claim, settings)
        self.totals: Counter[str] = Counter()
        self.fallbacks: tuple[Fallback, ...] = ()
        self.unread: Counter[str] = Counter()
        self._chunk_sizes = chunk_sizes
        self._digest = ""
        key = f"{CHECKPOINT_FORMAT} {SCHEMA} {columns(PuzzleRow)} {settings.output_key}"
        self._checkpointed = CheckpointedFiles(claim, folders, key)
        state = self._checkpointed.state
        self.steps_before = int(state.get("steps", 0))
        self.seconds = self.seconds_before = float(state.get("seconds", 0.0))
        self._saved_state: dict[str, Any] = state.get("bulk", {})

    @abstractmethod
    def progress(self) -> Progress: ...

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """The state of the subclass for a checkpoint, as JSON values."""

    def checkpoint(self, steps: int) -> None:
        """Make the files durable, and record that `steps` steps are done."""
        progress = self.progress()
        self._checkpointed.checkpoint(
            {
                "steps": steps,
                "bulk": self._state(),
                "seconds": self.seconds,
                "puzzles": progress.puzzles,
                "share": progress.fraction,
            }
        )

    @cached_property
    def _source_origin(self) -> Origin:
        """The description of the original in the record. The original must be in its claim."""
        original = self.claim.original
        sha256 = self._digest or (digest_of(original) if original.is_file() else None)
        return self._origin(sha256, size_of(original))

    @cached_property
    def _size(self) -> int | None:
        return size_for_progress(self.claim.original)

    def _contents(self) -> CollectionSet:
        source = self._source_origin, self.status, self.format, self.reason
        return CollectionSet(*source, self.totals, self.fallbacks, self.seconds, self.unread)

    def output_set(self) -> OutputSet:
        if self._settings.table_format == "parquet":
            self._write_parquet()
        return replace(super().output_set(), checkpointed=self._checkpointed.staged_files())

    def _write_parquet(self) -> None:
        """Write the complete table as Parquet, with typed columns."""
        from pipeline.outbox.arrow import write_parquet  # noqa: PLC0415 - needs an extra

        stem = self.claim.manifest.stem
        with (
            self._checkpointed.path(f"{stem}.csv").open("rb") as lines,
            self._checkpointed.new_file(f"{stem}.parquet") as file,
        ):
            write_parquet(lines, file, self.row_class, self._settings.trait_names)

    def discard(self) -> None:
        """Remove all files written so far. The job must start again."""
        self._checkpointed.discard()


def size_of(path: Path) -> int | None:
    """The size of a regular file in bytes; None for other files, such as folders and links."""
    status = path.lstat()
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def size_for_progress(path: Path) -> int | None:
    """The size of a file, or of all files in a folder, for the display of progress.

    None if it cannot be determined: progress is optional, so errors are ignored.
    """
    with suppress(OSError):
        if not path.is_dir():
            return size_of(path)
        statuses = (status for *_, status in walk_folder(path))
        return sum(status.st_size for status in statuses if stat.S_ISREG(status.st_mode))
    return None
