"""The job of an archive or folder: a tree with the set of each member, and a table."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from pipeline.errors import printable
from pipeline.files import digest_of
from pipeline.outbox import ENDING, read_record
from pipeline.outbox.names import COUNT, is_output, shorten_stem, stems_for
from pipeline.outbox.rows import Rows, count_extras, merge_fallbacks
from pipeline.outbox.schema import EXTRA_COUNTS, REFUSED, Fallback, PuzzleRecord, Record, or_none
from pipeline.outbox.tables import (
    MemberRow,
    columns,
    csv_line,
    header,
    member_fields,
)
from pipeline.outbox.write_record import (
    CollectionSet,
    Origin,
    PuzzleSet,
    digest,
    limit_solutions,
    timestamp,
)
from pipeline.reading import Archive, OneProblem
from pipeline.reading.archives.streams import Meter
from pipeline.reading.read import NOTHING_LIKE_A_PUZZLE, looks_like_no_puzzle
from pipeline.reading.unread import add_unread, unread_counts
from pipeline.service.jobs import ChunkRequest, ChunkSizes, CollectionEnd, LongJob
from pipeline.service.jobs.collection import CheckpointedTable
from pipeline.service.jobs.puzzle import PuzzleBatch
from pipeline.service.log import Progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.durable import sync
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.publish import CheckpointedFile, PublishedSet
from pipeline.settings import Settings
from pipeline.solving import NOT_WELL
from pipeline.solving.items import members_of
from pipeline.solving.result import Result

_LONGEST = "_1234567.solution"
"""The longest file name ending of a collection's set."""


class ArchiveJob(LongJob):
    """The job of a dropped archive or folder; results are written to a hidden tree."""

    status = "archive"

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
        self._rows = f"{claim.manifest.stem}.csv"
        self._meter = Meter()
        state = self._resumed
        self.totals = Counter(state.get("totals", {}))
        self.fallbacks = msgspec.convert(state.get("fallbacks", ()), tuple[Fallback, ...])
        self.unread = Counter(state.get("unread", {}))
        self._members: int = state.get("members", 0)
        self._inner: tuple[str, CheckpointedTable | str] | None = None  # or why there is no table
        if "inner" in state:
            member, stem, inner = state["inner"]
            table = None if inner is None else self._table(stem, inner)
            self._inner = member, table or stem

    def _table(self, stem: str, state: dict[str, Any]) -> CheckpointedTable:
        return CheckpointedTable(self._checkpointed, stem, self._settings, state)

    def steps(self) -> Iterator[PuzzleBatch | ChunkRequest | CollectionEnd]:
        """Batches of single puzzles, and chunks of collections, in the order of the archive."""
        batch: list[OneProblem] = []
        original, done, inner = self.claim.original, self._members, self._inner
        for name, member in members_of(original, self._settings, self._meter, done):
            table, inner = inner and inner[1], None  # only the first may have been started
            if not isinstance(member, tuple):
                batch.append(member)
                if not self._is_full(batch):
                    continue
            if batch:
                yield PuzzleBatch(tuple(batch))
                batch = []
            if isinstance(member, tuple):
                start = table.position if isinstance(table, CheckpointedTable) else None
                yield from self._chunk_sizes.chunks(*member, self._settings, name, start)
        if batch:
            yield PuzzleBatch(tuple(batch))

    def _is_full(self, batch: list[OneProblem]) -> bool:
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
                self._end(end)

    def _write_item(self, item: OneProblem, result: Result) -> None:
        """Write the set and the row of a member with one puzzle."""
        data = item.data
        if data is None:
            self._row(item.name, None, REFUSED, 0, "", "", printable(result.message or ""))
            return
        result, trait_names = _judged(data, result), self._settings.trait_names
        origin = self._member(item.name, digest(data), len(data))
        longest_stem = shorten_stem(PurePosixPath(item.name).name, "~1000000")
        result = limit_solutions(result, longest_stem)
        made = PuzzleSet(origin, result, self._settings.keep_cnf)
        try:
            record = self._tree.write_one(item.name, self._members, made)
            add_unread(self.unread, unread_counts([or_none(record.unread) or ()]))
        except OSError as error:
            why = _fault_of_name(error)
            result = replace(result, status="failed", solutions=(), complete=None, message=why)
            record, trait_names = PuzzleSet(origin, result).record({}, datetime.now(UTC)), ()
        self.fallbacks = merge_fallbacks((*self.fallbacks, *count_extras(result, self.totals)))
        self._row(item.name, *member_fields(record, trait_names))

    def _member(self, name: str, sha256: str | None, size: int | None) -> Origin:
        return replace(self._origin(sha256, size), source=name, member=self._members)

    def _row(self, member: str, form: str | None, status: str, *rest: object) -> None:
        """Write a MemberRow; missing `--traits` columns are left empty."""
        if status != "collection":  # its puzzles are counted instead
            self.totals[status] += 1
        self._members += 1
        trait_names = self._settings.trait_names
        if self._members == 1:
            self._checkpointed.append(self._rows, header(MemberRow, trait_names))
        fields = [printable(member), form, status, *rest]
        fields += [""] * (len(columns(MemberRow, trait_names)) - len(fields))
        self._checkpointed.append(self._rows, csv_line(fields))

    def _table_of(self, member: str) -> CheckpointedTable | str:
        """The table of a collection, or why there is none. Raises OSError."""
        if self._inner is None or self._inner[0] != member:
            try:
                stem = self._tree.usable_stem_for(member, self._members)
                self._inner = member, self._table(f"/{stem}", {})
            except OSError as error:
                self._inner = member, _fault_of_name(error)
        return self._inner[1]

    def _end(self, end: CollectionEnd) -> None:
        """Write the set and the row of a member that is a collection."""
        member, layout = end.member, end.layout
        table, self._inner = self._table_of(member), None
        if isinstance(table, str):
            self._row(member, layout.format.name, "failed", 0, "", "", printable(table))
            return
        table.finish(end)
        for name in table.names():
            self._checkpointed.release(name)
        origin, form = self._member(member, end.digest, end.size), layout.format.name
        counted = table.totals, table.fallbacks
        made = CollectionSet(
            origin, "collection", form, layout.reason, *counted, table.seconds, table.unread
        )
        self._tree.write(table.stem.lstrip("/"), made, table.names())
        self._tree.sync()
        bad = sum(table.totals[status] for status in NOT_WELL)
        message = f"{bad} of {table.count} are invalid, unknown or failed" if bad else ""
        solved = table.totals["unique"] + table.totals["multiple"]
        message = printable(end.error or message)
        self._row(member, form, "collection", solved, "", "", message)
        self.totals += table.totals
        self.fallbacks = merge_fallbacks((*self.fallbacks, *table.fallbacks))
        add_unread(self.unread, table.unread)

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"totals": dict(self.totals), "members": self._members}
        state["fallbacks"] = msgspec.to_builtins(self.fallbacks)
        state["unread"] = dict(self.unread)
        if self._inner:
            member, table = self._inner
            inner = (table, None) if isinstance(table, str) else (table.stem, table.state())
            state["inner"] = [member, *inner]
        return state

    def progress(self) -> Progress:
        inner = self._inner[1] if self._inner else ""
        counts = self.totals + (inner.totals if isinstance(inner, CheckpointedTable) else Counter())
        puzzles = sum(count for name, count in counts.items() if name not in EXTRA_COUNTS)
        return Progress(puzzles, self._meter.read, self._size)

    def published_set(self) -> PublishedSet:
        if not self._members:
            self._checkpointed.append(self._rows, header(MemberRow, self._settings.trait_names))
        if not self.claim.manifest.files:  # otherwise it may be renamed already
            self._checkpointed.tree.mkdir(exist_ok=True)
        return replace(super().published_set(), tree=self._checkpointed.tree)


def _fault_of_name(error: OSError) -> str:
    """Why a member's results cannot be written, if its name is at fault.

    Raises any other error: it concerns the disk or the folder, and so all members.
    """
    if error.errno not in (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL):
        raise error
    return f"it cannot be written: {error.strerror}"


def _judged(data: bytes, result: Result) -> Result:
    """The result of a member; a file that does not look like a puzzle is not an error."""
    if result.status != "invalid" or not looks_like_no_puzzle(data):
        return result
    return replace(result, status="other", message=f"{result.message}; {NOTHING_LIKE_A_PUZZLE}")


class Tree:
    """A hidden folder for the results of a job's members."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._fresh: list[Path] = []

    def stem_for(self, member: str, number: int) -> str:
        """The path of a member's files without ending; creates its folder.

        If another member has the stem, the whole name is used as the stem. `number` is the
        position of the member in the archive. Raises OSError.
        """
        parts = PurePosixPath(member)
        folder = self._folder(parts.parent)
        for stem in stems_for(parts.name):
            if self._is_free(folder, stem, number):
                return str(folder / stem)
        raise AssertionError("there is always another stem")

    def usable_stem_for(self, member: str, number: int) -> str:
        """Like `stem_for`, but also raises OSError if some name with that stem is too long."""
        with self._undone():
            stem = self.stem_for(member, number)
            longest = self._top / f"{stem}{_LONGEST}"
            longest.touch()
            longest.unlink()
        return stem

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """Remove the files and folders created inside if it raises OSError."""
        before = len(self._fresh)
        try:
            yield
        except OSError:
            for path in reversed(self._fresh[before:]):
                with suppress(OSError):  # files of other members are in it
                    path.rmdir() if path.is_dir() else path.unlink()
            del self._fresh[before:]
            raise

    def _is_free(self, folder: PurePosixPath, stem: str, number: int) -> bool:
        """Whether the names of this stem are not used by another member."""
        own = read_record(self._top / folder / f"{stem}{ENDING}")
        if own is not None and own.member == number:  # from an interrupted step
            return True
        for form in (stem, stem.removesuffix(COUNT), stem + COUNT):
            record = read_record(self._top / folder / f"{form}{ENDING}")
            if record is not None and record.member != number:
                return False
        return True

    def _folder(self, path: PurePosixPath) -> PurePosixPath:
        """Create a folder in the tree, renamed if its name is, or may become, that of a file."""
        made = PurePosixPath()
        for part in path.parts:
            made = made / part
            while (self._top / made).is_file() or is_output(made.name):
                made = made.with_name(made.name + "~")
        if not (self._top / made).is_dir():
            (self._top / made).mkdir(parents=True)
            self._fresh += [self._top / made, (self._top / made).parent]
        return made

    def write_one(self, member: str, number: int, made: PuzzleSet) -> PuzzleRecord:
        """Write a puzzle's set; returns its record. Raises OSError, and then leaves nothing."""
        with self._undone():
            record = self.write(self.stem_for(member, number), made)
        assert isinstance(record, PuzzleRecord), "a puzzle has no other"  # noqa: S101 - for mypy
        return record

    def write(
        self, stem: str, made: PuzzleSet | CollectionSet, checkpointed: Iterable[str] = ()
    ) -> Record:
        """Write the set of a member; the `checkpointed` files are already here."""
        now, place = datetime.now(UTC), self._top / stem

        def path_of(name: str) -> Path:
            path = place.with_name(name)
            self._fresh += [path, path.parent]
            return path

        paths = [self._top / name.lstrip("/") for name in checkpointed]
        written = {path.name: CheckpointedFile(path, digest_of(path)) for path in paths}
        return PublishedSet(place.name, made, timestamp(now), now, written).write(path_of)

    def sync(self) -> None:
        """Make everything written since the last call durable."""
        sync(*dict.fromkeys(self._fresh))
        self._fresh.clear()
