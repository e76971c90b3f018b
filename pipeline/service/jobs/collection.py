"""The job of a collection: a table, and files of solutions, one per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

import msgspec

from pipeline.outbox.rows import Rows, blank_lines, merge_fallbacks
from pipeline.outbox.schema import Fallback
from pipeline.outbox.tables import PuzzleRow, header
from pipeline.outbox.traits import has_slow_traits
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading import Collection
from pipeline.reading.archives import UnpackLimits
from pipeline.reading.archives.streams import Meter, PeekableStream
from pipeline.reading.archives.walk import open_unpacked
from pipeline.reading.formats import START, TextChunk, TextPosition
from pipeline.reading.unread import add_unread
from pipeline.service.jobs import ChunkRequest, ChunkSizes, CollectionEnd, LongJob, size_of
from pipeline.service.log import Progress
from pipeline.service.protocol.checkpointed import CheckpointedFiles
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders
from pipeline.settings import MAX_SOLUTIONS_IN_COLLECTION, Settings


class CheckpointedTable:
    """The table and the solution files of one collection, written with checkpoints.

    - `position`: where the next chunk of the source begins; None if the source was read to its end.
    - `count`: number of puzzles written.
    - `seconds`: computing time of all workers.
    - `index_offset`: for the first puzzle of the last chunk, its index minus its line number.

    `on_rows` is called with the rows that were appended to the table.
    """

    def __init__(
        self,
        checkpointed: CheckpointedFiles,
        stem: str,
        settings: Settings,
        state: Mapping[str, Any] = MappingProxyType({}),
        on_rows: Callable[[bytes], object] = lambda _rows: None,
    ) -> None:
        self._checkpointed = checkpointed
        self._on_rows = on_rows
        self._trait_names = settings.trait_names
        self.stem = stem
        self.index_offset = 0
        position = state.get("position", START)
        self.position = None if position is None else TextPosition(*position)
        self.count: int = state.get("count", 0)
        self._ranks: int = state.get("ranks", 0)
        self.totals = Counter[str](state.get("totals", {}))
        self.seconds: float = state.get("seconds", 0.0)
        self.fallbacks = msgspec.convert(state.get("fallbacks", ()), tuple[Fallback, ...])
        self.unread = Counter[str](state.get("unread", {}))

    def state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return {
            "position": self.position,
            "count": self.count,
            "ranks": self._ranks,
            "totals": dict(self.totals),
            "fallbacks": msgspec.to_builtins(self.fallbacks),
            "unread": dict(self.unread),
            "seconds": self.seconds,
        }

    def names(self) -> list[str]:
        """The names of the table and the solution files."""
        solutions = (f"{self.stem}_{rank}.solution" for rank in range(1, self._ranks + 1))
        return [f"{self.stem}.csv", *solutions]

    def add(self, rows: Rows, chunk: TextChunk) -> None:
        """Append the rows of a chunk."""
        self.index_offset = self.count + 1 - chunk.first_line
        self._append(rows)
        self.position = chunk.end

    def finish(self, end: CollectionEnd) -> None:
        """Finish the files; if reading stopped early, append a row with the error."""
        self.position = None
        if end.error is None:
            self._append(Rows())
            return
        from pipeline.outbox.write_rows import error_rows  # noqa: PLC0415 - loads numpy

        self._append(error_rows(end.layout, end.line, end.error, self._trait_names))

    def _append(self, rows: Rows) -> None:
        """Append rows to all files; create missing files."""
        if not self._ranks:
            self._checkpointed.append(f"{self.stem}.csv", header(PuzzleRow, self._trait_names))
        for _ in range(self._ranks, max(1, len(rows.solutions))):
            self._add_rank()
        table, *files = self.names()
        lines = rows.table_from(self.count + 1)
        self._checkpointed.append(table, lines)
        self._on_rows(lines)
        for name, lines in zip_longest(files, rows.solutions):
            self._checkpointed.append(name, rows.empty_lines() if lines is None else lines)
        self.count += rows.count
        self.totals += rows.totals
        self.fallbacks = merge_fallbacks((*self.fallbacks, *rows.fallbacks))
        add_unread(self.unread, rows.unread)
        self.seconds += rows.seconds

    def _add_rank(self) -> None:
        """Create the solution file of the next rank, with a blank line for each earlier puzzle."""
        self._ranks += 1
        _, first, *further = self.names()
        name = further[-1] if further else first
        self._checkpointed.append(name, b"")
        if self.count:
            for block in blank_lines(self._checkpointed.path(first)):
                self._checkpointed.append(name, block)


MAX_QUICK_PUZZLES = 64
"""Maximum number of puzzles that plain Python solves before a new process would be ready."""

MAX_QUICK_CHUNKS = 2
"""Maximum number of chunks that compiled code solves before a new process would be ready."""


def _is_solver_compiled() -> bool:
    """Whether the batch solver is compiled."""
    from pipeline.solving import compiled  # noqa: PLC0415 - loads numpy

    return compiled.loader.is_available


def is_quick(
    collection: Collection, size: int, settings: Settings, chunk_sizes: ChunkSizes
) -> bool:
    """Whether this process solves a collection of `size` bytes faster than a worker starts."""
    cells = collection.layout.cells
    return (
        settings.cluster is None
        and collection.kind == "plain"
        and cells <= NINE_BY_NINE.size
        and size <= MAX_QUICK_CHUNKS * chunk_sizes.size(collection.layout, settings)
        and settings.solver in {"auto", "batch"}
        and (settings.max_solutions or 0) <= MAX_SOLUTIONS_IN_COLLECTION
        and settings.prove != "always"
        and not has_slow_traits(settings.trait_names)
        and (
            size <= MAX_QUICK_PUZZLES * (cells + 1)
            or (cells == NINE_BY_NINE.size and _is_solver_compiled())
        )
    )


class CollectionJob(LongJob):
    """The job of a dropped collection."""

    status = "collection"

    def __init__(
        self,
        claim: Claim,
        folders: Folders,
        settings: Settings,
        collection: Collection,
        chunk_sizes: ChunkSizes,
    ) -> None:
        super().__init__(claim, folders, settings, chunk_sizes)
        self.format = collection.layout.format.name
        self.reason = collection.layout.reason
        self._layout = collection.layout
        self._is_compressed = collection.kind != "plain"
        size = size_of(claim.original) or 0
        self.is_quick = not self.steps_before and is_quick(collection, size, settings, chunk_sizes)
        self._meter = Meter()
        self._table = CheckpointedTable(
            self._checkpointed, claim.manifest.stem, settings, self._saved_state
        )
        self._bytes_read = self._table.position.byte if self._table.position else size
        self.totals, self.fallbacks = self._table.totals, self._table.fallbacks
        self.unread = self._table.unread

    def steps(self) -> Iterator[ChunkRequest | CollectionEnd]:
        if self._table.position is None:
            return
        room = UnpackLimits.of(self._settings)
        with PeekableStream(open_unpacked(self.claim.original, room, self._meter)) as stream:
            yield from self._chunk_sizes.chunks(
                self._layout,
                stream,
                self._settings,
                start=self._table.position,
                index_offset=lambda: self._table.index_offset,
            )

    def write(self, step: Any, reply: Any) -> None:
        match step, reply:
            case ChunkRequest(chunk), Rows() as rows:
                self._table.add(rows, chunk)
                self._bytes_read = chunk.end.byte
            case CollectionEnd() as end, _:
                self._table.finish(end)
                if not (self._is_compressed or end.error):
                    self._digest = end.digest
        self.fallbacks = self._table.fallbacks

    def _state(self) -> dict[str, Any]:
        return self._table.state()

    def progress(self) -> Progress:
        done = self._meter.read if self._is_compressed else self._bytes_read
        return Progress(self._table.count, done, self._size)
