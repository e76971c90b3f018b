"""The job of an archive or folder: a tree with the files of each member, and a table."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from msgspec.structs import astuple

from pipeline.files import digest_of
from pipeline.outbox import RECORD_SUFFIX, read_record
from pipeline.outbox.archive_rows import (
    puzzle_text,
    row_of_record,
    row_without_results,
    with_member,
)
from pipeline.outbox.names import COUNT_SUFFIX, is_output, shorten_stem, stems_for
from pipeline.outbox.rows import Rows, count_extras, merge_fallbacks
from pipeline.outbox.schema import EXTRA_COUNTS, REFUSED, Fallback, PuzzleRecord, Record, or_none
from pipeline.outbox.tables import (
    ArchiveRow,
    PuzzleRow,
    csv_line,
    header,
    one_line,
    trait_columns,
)
from pipeline.outbox.traits import record_fields
from pipeline.outbox.write_record import (
    CollectionSet,
    Origin,
    PuzzleSet,
    digest,
    limit_solutions,
    timestamp,
)
from pipeline.puzzle.puzzle import Grid
from pipeline.reading import Archive, OneProblem
from pipeline.reading.archives.streams import Meter
from pipeline.reading.formats import symbols_of
from pipeline.reading.read import NOTHING_LIKE_A_PUZZLE, looks_like_no_puzzle
from pipeline.reading.unread import add_unread, unread_counts
from pipeline.service.jobs import ChunkRequest, ChunkSizes, CollectionEnd, LongJob
from pipeline.service.jobs.collection import CheckpointedTable
from pipeline.service.jobs.puzzle import PuzzleBatch
from pipeline.service.log import Progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.durable import sync
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.publish import CheckpointedFile, OutputSet
from pipeline.settings import Settings
from pipeline.solving.items import members_of
from pipeline.solving.problem import PuzzleProblem
from pipeline.solving.result import Result

_LONGEST_ENDING = "_1234567.solution"
"""The longest ending that a file of a collection can have after its stem."""


class ArchiveJob(LongJob):
    """The job of a dropped archive or folder. Results are written to a hidden tree."""

    status = "archive"
    row_class = ArchiveRow

    def __init__(
        self,
        claim: Claim,
        folders: Folders,
        settings: Settings,
        archive: Archive,
        chunk_sizes: ChunkSizes,
    ) -> None:
        super().__init__(claim, folders, settings, chunk_sizes)
        self.format = self.reason = archive.kind
        self._tree = Tree(self._checkpointed.tree)
        self._table_name = f"{claim.manifest.stem}.csv"
        self._meter = Meter()
        state = self._saved_state
        self.totals = Counter(state.get("totals", {}))
        self.fallbacks = msgspec.convert(state.get("fallbacks", ()), tuple[Fallback, ...])
        self.unread = Counter(state.get("unread", {}))
        self._member_count: int = state.get("members", 0)
        self._open_collection: tuple[str, CheckpointedTable | str] | None = None
        """The name of the collection that is being written, and its table or why it has none."""
        if "inner" in state:
            member, stem, table_state = state["inner"]
            table = None if table_state is None else self._table(member, stem, table_state)
            self._open_collection = member, table or stem

    def _table(self, member: str, stem: str, state: dict[str, Any]) -> CheckpointedTable:
        on_rows = partial(self._append_rows, member)
        return CheckpointedTable(self._checkpointed, stem, self._settings, state, on_rows)

    def steps(self) -> Iterator[PuzzleBatch | ChunkRequest | CollectionEnd]:
        """Yield batches of single puzzles and chunks of collections, in the archive's order."""
        batch: list[OneProblem] = []
        original, skipped = self.claim.original, self._member_count
        table = self._open_collection and self._open_collection[1]
        members = members_of(original, self._settings, self._meter, skipped)
        for index, (name, member) in enumerate(members):
            if not isinstance(member, tuple):
                batch.append(member)
                if not self._is_full(batch):
                    continue
            if batch:
                yield PuzzleBatch(tuple(batch))
                batch = []
            if isinstance(member, tuple):
                # An earlier run may have written a part of the first remaining member.
                started = table if index == 0 else None
                start = started.position if isinstance(started, CheckpointedTable) else None
                yield from self._chunk_sizes.chunks(*member, self._settings, name, start)
        if batch:
            yield PuzzleBatch(tuple(batch))

    def _is_full(self, batch: list[OneProblem]) -> bool:
        """Whether a batch has the maximum number of items or bytes."""
        size = sum(len(item.data or b"") for item in batch)
        return len(batch) >= self._chunk_sizes.items or size >= self._chunk_sizes.item_bytes

    def write(self, step: Any, reply: Any) -> None:
        match step, reply:
            case PuzzleBatch(items), list(results):
                for item, result in zip(items, results, strict=True):
                    self._write_item(item, result)
                self._tree.sync()
            case ChunkRequest(chunk, _, member), Rows() as rows:
                table = self._table_of(member)
                if isinstance(table, CheckpointedTable):
                    table.add(rows, chunk)
            case CollectionEnd() as end, _:
                self._finish_collection(end)

    def _write_item(self, item: OneProblem, result: Result) -> None:
        """Write the files and the row of a member that is one puzzle or formula."""
        data = item.data
        if data is None:
            self._write_row(item.name, row_without_results(REFUSED, result.message or ""))
            return
        result, trait_names = _member_result(data, result), self._settings.trait_names
        origin = self._member_origin(item.name, digest(data), len(data))
        # the longest stem possible: members with similar names get stems with numbers
        numbered_stem = shorten_stem(PurePosixPath(item.name).name, "~1000000")
        result = limit_solutions(result, numbered_stem)
        contents = PuzzleSet(origin, result, self._settings.keep_cnf)
        trait_fields = None
        try:
            record = self._tree.write_puzzle_set(item.name, self._member_count, contents)
            add_unread(self.unread, unread_counts([or_none(record.unread) or ()]))
            row = row_of_record(record, *_puzzle_and_solution(result))
            trait_fields = record_fields(record, trait_names)
        except OSError as error:
            why = _why_name_is_unusable(error)
            result = replace(result, status="failed", solutions=(), complete=None, message=why)
            row = row_without_results("failed", why)
        self.fallbacks = merge_fallbacks((*self.fallbacks, *count_extras(result, self.totals)))
        self._write_row(item.name, row, trait_fields)

    def _member_origin(self, name: str, sha256: str | None, size: int | None) -> Origin:
        return replace(self._origin(sha256, size), source=name, member=self._member_count)

    def _write_row(
        self, member: str, row: PuzzleRow, trait_fields: Sequence[str] | None = None
    ) -> None:
        """Write the only row of a member. Without `trait_fields`, its trait columns are empty."""
        self.totals[row.status] += 1
        self._member_count += 1
        if trait_fields is None:
            trait_fields = [""] * len(trait_columns(self._settings.trait_names))
        self._append_rows(member, csv_line((*astuple(row), *trait_fields)))

    def _append_rows(self, member: str, rows: bytes) -> None:
        """Append rows of a member to the archive's table, which is created if necessary."""
        if self._table_name not in self._checkpointed:
            first_line = header(ArchiveRow, self._settings.trait_names)
            self._checkpointed.append(self._table_name, first_line)
        self._checkpointed.append(self._table_name, with_member(member, rows))

    def _table_of(self, member: str) -> CheckpointedTable | str:
        """The table of a collection, which is created if necessary.

        If the name of the collection does not allow a table, the reason is returned instead. Raises
        OSError.
        """
        if self._open_collection is None or self._open_collection[0] != member:
            try:
                stem = self._tree.checked_stem_for(member, self._member_count)
                self._open_collection = member, self._table(member, f"/{stem}", {})
            except OSError as error:
                self._open_collection = member, _why_name_is_unusable(error)
        return self._open_collection[1]

    def _finish_collection(self, end: CollectionEnd) -> None:
        """Write the files of a member that is a collection. Its rows are already in the table."""
        member, layout = end.member, end.layout
        table, self._open_collection = self._table_of(member), None
        if isinstance(table, str):
            self._write_row(member, row_without_results("failed", table))
            return
        table.finish(end)
        for name in table.names():
            self._checkpointed.release(name)
        origin, format_name = self._member_origin(member, end.digest, end.size), layout.format.name
        contents = CollectionSet(
            origin,
            "collection",
            format_name,
            layout.reason,
            table.totals,
            table.fallbacks,
            table.seconds,
            table.unread,
        )
        self._tree.write(table.stem.lstrip("/"), contents, table.names())
        self._tree.sync()
        self._member_count += 1
        self.totals += table.totals
        self.fallbacks = merge_fallbacks((*self.fallbacks, *table.fallbacks))
        add_unread(self.unread, table.unread)

    def _state(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        state: dict[str, Any] = {"totals": dict(self.totals), "members": self._member_count}
        state["fallbacks"] = msgspec.to_builtins(self.fallbacks)
        state["unread"] = dict(self.unread)
        if self._open_collection:
            member, table = self._open_collection
            inner = (table, None) if isinstance(table, str) else (table.stem, table.state())
            state["inner"] = [member, *inner]
        return state

    def progress(self) -> Progress:
        inner = self._open_collection[1] if self._open_collection else ""
        counts = self.totals + (inner.totals if isinstance(inner, CheckpointedTable) else Counter())
        puzzles = sum(count for name, count in counts.items() if name not in EXTRA_COUNTS)
        return Progress(puzzles, self._meter.read, self._size)

    def output_set(self) -> OutputSet:
        if self._table_name not in self._checkpointed:  # an empty archive has a table, too
            self._append_rows("", b"")
        if not self.claim.manifest.files:  # if publication has begun, the tree may be renamed
            self._checkpointed.tree.mkdir(exist_ok=True)
        return replace(super().output_set(), tree=self._checkpointed.tree)


def _why_name_is_unusable(error: OSError) -> str:
    """The reason why a member's name does not allow writing its results.

    Raises any other error, because it concerns the disk or the folder, and so all members.
    """
    if error.errno not in (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL):
        raise error
    return f"its results cannot be written under this name: {error.strerror}"


def _member_result(data: bytes, result: Result) -> Result:
    """A member's result, with status `other` if the file does not look like a puzzle."""
    if result.status != "invalid" or not looks_like_no_puzzle(data):
        return result
    return replace(result, status="other", message=f"{result.message}; {NOTHING_LIKE_A_PUZZLE}")


def _puzzle_and_solution(result: Result) -> tuple[str, str]:
    """The puzzle and the first solution of a result, in one line each; empty without one."""
    problem = result.problem
    if not isinstance(problem, PuzzleProblem):
        return "", ""
    symbols = symbols_of(problem.format)
    grids = [solution for solution in result.solutions[:1] if isinstance(solution, Grid)]
    solution = one_line(grids[0].values, symbols) if grids else ""
    return puzzle_text(problem.puzzle, symbols), solution


class Tree:
    """A hidden folder in which the files of an archive's members are written."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._unsynced: list[Path] = []

    def stem_for(self, member: str, number: int) -> str:
        """The path of a member's files without their endings. Creates their folder.

        If the stem is used by another member, the next possible stem is chosen. `number` is the
        position of the member in the archive. Raises OSError.
        """
        parts = PurePosixPath(member)
        folder = self._folder(parts.parent)
        for stem in stems_for(parts.name):
            if self._is_free(folder, stem, number):
                return str(folder / stem)
        raise AssertionError("stems_for never ends")

    def checked_stem_for(self, member: str, number: int) -> str:
        """As `stem_for`, but also raises OSError if file names with the stem could be too long."""
        with self._removing_on_error():
            stem = self.stem_for(member, number)
            probe = self._top / f"{stem}{_LONGEST_ENDING}"
            probe.touch()
            probe.unlink()
        return stem

    @contextmanager
    def _removing_on_error(self) -> Iterator[None]:
        """On OSError, remove the files and folders that were created inside the `with` block."""
        count_before = len(self._unsynced)
        try:
            yield
        except OSError:
            for path in reversed(self._unsynced[count_before:]):
                with suppress(OSError):  # a folder may contain files of other members
                    path.rmdir() if path.is_dir() else path.unlink()
            del self._unsynced[count_before:]
            raise

    def _is_free(self, folder: PurePosixPath, stem: str, number: int) -> bool:
        """Whether no other member uses this stem, or a stem whose files could get equal names."""
        own_record = read_record(self._top / folder / f"{stem}{RECORD_SUFFIX}")
        if own_record is not None and own_record.member == number:  # from an interrupted step
            return True
        for similar_stem in (stem, stem.removesuffix(COUNT_SUFFIX), stem + COUNT_SUFFIX):
            record = read_record(self._top / folder / f"{similar_stem}{RECORD_SUFFIX}")
            if record is not None and record.member != number:
                return False
        return True

    def _folder(self, path: PurePosixPath) -> PurePosixPath:
        """Create a folder. Appends `~` to a name that a result file has or could get."""
        folder = PurePosixPath()
        for part in path.parts:
            folder = folder / part
            while (self._top / folder).is_file() or is_output(folder.name):
                folder = folder.with_name(folder.name + "~")
        if not (self._top / folder).is_dir():
            (self._top / folder).mkdir(parents=True)
            self._unsynced += [self._top / folder, (self._top / folder).parent]
        return folder

    def write_puzzle_set(self, member: str, number: int, contents: PuzzleSet) -> PuzzleRecord:
        """Write a puzzle's files. Returns its record. On OSError, its files are removed."""
        with self._removing_on_error():
            record = self.write(self.stem_for(member, number), contents)
        assert isinstance(record, PuzzleRecord), "contents of a puzzle"  # noqa: S101 - for mypy
        return record

    def write(
        self, stem: str, contents: PuzzleSet | CollectionSet, checkpointed: Iterable[str] = ()
    ) -> Record:
        """Write the files of a member; its `checkpointed` files are already in the tree."""
        now, path_stem = datetime.now(UTC), self._top / stem

        def path_of(name: str) -> Path:
            path = path_stem.with_name(name)
            self._unsynced += [path, path.parent]
            return path

        paths = [self._top / name.lstrip("/") for name in checkpointed]
        checkpointed_files = {path.name: CheckpointedFile(path, digest_of(path)) for path in paths}
        return OutputSet(path_stem.name, contents, timestamp(now), now, checkpointed_files).write(
            path_of
        )

    def sync(self) -> None:
        """Make everything written since the last call durable."""
        sync(*dict.fromkeys(self._unsynced))
        self._unsynced.clear()
