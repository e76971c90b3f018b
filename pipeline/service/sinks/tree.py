"""The tree of an archive or a folder: the set that each member would have alone, and a table."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from pipeline.errors import printable
from pipeline.files import digest_of, write_new
from pipeline.outbox import ENDING, read_record
from pipeline.outbox.names import COUNT, is_output, stems_for
from pipeline.outbox.rows import Rows, fallbacks_of, summed
from pipeline.outbox.schema import (
    ASIDE,
    DISAGREEMENTS,
    FALLBACKS,
    REFUSED,
    Fallback,
    PuzzleRecord,
)
from pipeline.outbox.tables import (
    MemberRow,
    added_fields,
    columns,
    csv_line,
    header,
    unproved,
    with_columns,
    yes_or_no,
)
from pipeline.outbox.write_record import (
    Origin,
    Summary,
    digest,
    job_files,
    make_record,
    many_log_text,
    many_record,
    record_text,
    timestamp,
)
from pipeline.reading.archives.limits import UnpackLimits
from pipeline.reading.archives.streams import Meter
from pipeline.reading.archives.walk import walk
from pipeline.reading.formats.looks import NO_PUZZLE, looks_like_no_puzzle
from pipeline.reading.read import contents_of_member
from pipeline.reading.source import Archive, Single
from pipeline.service.log import Progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders, sync
from pipeline.service.protocol.growing import State
from pipeline.service.protocol.publish import Publication
from pipeline.service.sinks.set import End, GrowingSink, PieceOf, Portions, Singles, shown_size
from pipeline.service.sinks.table import Table
from pipeline.settings import Settings
from pipeline.solving.facts import NOT_WELL
from pipeline.solving.result import Result

_LONGEST = "_1234567.solution"
"""The longest ending of a collection's files."""


class TreeSink(GrowingSink):
    """A dropped archive or folder; its results grow in a hidden tree."""

    status = "archive"

    def __init__(
        self,
        claim: Claim,
        folders: Folders,
        settings: Settings,
        found: Archive,
        portions: Portions,
    ) -> None:
        super().__init__(claim, folders, settings, portions)
        self.format = self.reason = found.kind
        self._portions = portions
        self._tree = Tree(self._growing.tree, claim.note.job, self._declared)
        self._table = f"{claim.note.stem}.csv"
        self._also = settings.traits
        self._members = 0
        self._inner: tuple[str, Table | str] | None = None  # or why it has none
        self._meter = Meter()
        if self._growing.state:
            self._resume(self._growing.state["bulk"])

    def steps(self) -> Iterator[Singles | PieceOf | End]:
        """Single puzzles in groups, collections in pieces, in the order of the archive."""
        group: list[Single] = []
        room = UnpackLimits(self._settings.max_total_bytes)
        for member in walk(self._claim.original, room, self._meter):
            found = contents_of_member(member, self._settings)
            if isinstance(found, Single):
                group.append(found)
                if not self._is_full(group):
                    continue
            if group:
                yield Singles(tuple(group))
                group = []
            if not isinstance(found, Single):
                yield from self._portions.pieces(*found, self._settings, member.name)
        if group:
            yield Singles(tuple(group))

    def _is_full(self, group: list[Single]) -> bool:
        held = sum(len(item.data or b"") for item in group)
        return len(group) >= self._portions.items or held >= self._portions.item_bytes

    def write(self, step: Any, reply: Any) -> None:
        match step, reply:
            case Singles(items), list(results):
                for item, result in zip(items, results, strict=True):
                    self._write_item(item, result)
                self._tree.sync()
            case PieceOf(piece, _, member), Rows() as rows:
                table = self._table_of(member)
                if isinstance(table, Table):
                    table.add(rows, piece)
            case End() as end, _:
                self._end(end)

    def _write_item(self, item: Single, result: Result) -> None:
        if item.data is None:
            self._row(item.name, None, REFUSED, 0, (None, ""), [item.refusal or ""])
            return
        added: list[str] = []
        if result.solver and result.solver.warning:
            self.totals[FALLBACKS] += 1
            self.fallbacks = summed((*self.fallbacks, *fallbacks_of([result])))
        result, keep_cnf = _judged(item.data, result), self._settings.keep_cnf
        try:
            told = item.name, self._members, item.data
            record = self._tree.write(*told, result, keep_cnf=keep_cnf)
            added = added_fields(record, self._also)
        except OSError as error:
            why = _fault_of_name(error)
            result = replace(result, status="failed", solutions=(), complete=None, message=why)
        if result.complete and result.certificate:
            self.totals[result.certificate.complete] += 1
        if result.disagreement:
            self.totals[DISAGREEMENTS] += 1
        status, found = result.status, len(result.solutions)
        known, certificate = (result.complete, result.told_certificate), result.certificate
        reason = unproved(certificate.complete, certificate.reason) if certificate else None
        message = "; ".join(filter(None, (result.said, reason)))
        self._row(item.name, result.format, status, found, known, [message, *added])

    def _row(
        self,
        member: str,
        form: str | None,
        status: str,
        solutions: int,
        known: tuple[bool | None, str],
        said: Sequence[str],
    ) -> None:
        """Write a row; `known` is whether the solutions are all, and by what.

        `said` is the message, and the fields of the columns that are asked for, if any is known.
        """
        if status != "collection":  # its puzzles count instead
            self.totals[status] += 1
        self._members += 1
        complete = yes_or_no(known[0]), known[1]
        fields = printable(member), form or "", status, str(solutions), *complete, *said
        row = with_columns(MemberRow, self._also)
        if self._members == 1:
            self._growing.append(self._table, header(row))
        empty = [""] * (len(columns(row)) - len(fields))
        self._growing.append(self._table, csv_line(row(*map(printable, fields), *empty)))

    def _table_of(self, member: str) -> Table | str:
        """The table of a collection, or why it has none. Raises OSError."""
        if self._inner is None or self._inner[0] != member:
            try:
                stem = self._tree.usable_stem_for(member, self._members)
                self._inner = member, Table(self._growing, f"/{stem}", self._settings)
            except OSError as error:
                self._inner = member, _fault_of_name(error)
        return self._inner[1]

    def _end(self, end: End) -> None:
        member, found = end.member, end.source.detected
        table = self._table_of(member)
        if isinstance(table, str):
            self._row(member, found.format.name, "failed", 0, (None, ""), [table])
            self._inner = None
            return
        table.finish(end)
        names = table.names()
        for name in names:
            self._growing.release(name)
        origin = self._tree.origin(member, self._members, end.digest, end.size)
        form = found.format.name
        counted = table.totals, table.fallbacks
        summary = Summary("collection", form, found.reason, *counted, table.seconds)
        self._tree.write_many(table.stem.lstrip("/"), origin, summary, names)
        bad = sum(table.totals[status] for status in NOT_WELL)
        message = f"{bad} of {table.count} are invalid, unknown or failed" if bad else ""
        solved = table.totals["unique"] + table.totals["multiple"]
        self._row(member, form, "collection", solved, (None, ""), [end.error or message])
        self.totals += table.totals
        self.fallbacks = summed((*self.fallbacks, *table.fallbacks))
        self._inner = None

    def _state(self) -> State:
        state: State = {"totals": dict(self.totals), "members": self._members}
        state["fallbacks"] = msgspec.to_builtins(self.fallbacks)
        if self._inner:
            member, table = self._inner
            told = (table, None) if isinstance(table, str) else (table.stem, table.state())
            state["inner"] = [member, *told]
        return state

    def _resume(self, state: State) -> None:
        self.totals = Counter(state["totals"])
        self.fallbacks = msgspec.convert(state.get("fallbacks", ()), tuple[Fallback, ...])
        self._members = state["members"]
        if "inner" in state:
            member, stem, noted = state["inner"]
            self._inner = member, stem
            if noted is not None:
                table = Table(self._growing, stem, self._settings)
                table.resume(noted)
                self._inner = member, table

    def progress(self) -> Progress:
        inner = self._inner[1] if self._inner else ""
        counts = self.totals + (inner.totals if isinstance(inner, Table) else Counter())
        puzzles = sum(count for name, count in counts.items() if name not in ASIDE)
        return Progress(puzzles, self._meter.read, self._size)

    @cached_property
    def _size(self) -> int | None:
        return shown_size(self._claim.original)

    def publication(self, seconds: float) -> Publication:
        if not self._members:
            self._growing.append(self._table, header(with_columns(MemberRow, self._also)))
        if not self._claim.note.files:  # else it may have been renamed already
            self._growing.tree.mkdir(exist_ok=True)
        return replace(super().publication(seconds), tree=self._growing.tree)


def _fault_of_name(error: OSError) -> str:
    """Why a member's results cannot be written, if its name is at fault; else the error is raised.

    Any other is the disk's or the folder's, and would be another member's next.
    """
    if error.errno not in (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL):
        raise error
    return f"it cannot be written: {error.strerror}"


def _judged(data: bytes, result: Result) -> Result:
    """The result of a member; one that does not even look like a puzzle is not an error."""
    if result.status != "invalid" or not looks_like_no_puzzle(data):
        return result
    return replace(result, status="other", message=f"{result.message}; {NO_PUZZLE}")


class Tree:
    """A hidden folder in which the results for a job's members are written."""

    def __init__(self, top: Path, job: str, declared: Mapping[str, str]) -> None:
        self._top = top
        self._job = job
        self._declared = declared
        self._fresh: list[Path] = []

    def stem_for(self, member: str, number: int) -> str:
        """The path, without an ending, for a member's files; its folder is made.

        The path is the member's own, or has its whole name if another member took that.
        `number` is the member's place in the archive. Raises OSError.
        """
        parts = PurePosixPath(member)
        folder = self._folder(parts.parent)
        for stem in stems_for(parts.name):
            if self._is_free(folder, stem, number):
                return str(folder / stem)
        raise AssertionError("there is always another stem")

    def usable_stem_for(self, member: str, number: int) -> str:
        """As `stem_for`; raises OSError too if not all names with that stem can be made."""
        with self._undone():
            stem = self.stem_for(member, number)
            longest = self._top / f"{stem}{_LONGEST}"
            longest.touch()
            longest.unlink()
        return stem

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """If what is done inside raises OSError, remove what it has made."""
        before = len(self._fresh)
        try:
            yield
        except OSError:
            for path in reversed(self._fresh[before:]):
                with suppress(OSError):  # other members' files are in it
                    path.rmdir() if path.is_dir() else path.unlink()
            del self._fresh[before:]
            raise

    def _is_free(self, folder: PurePosixPath, stem: str, number: int) -> bool:
        """Whether no other member, and no folder, has a name that this stem would use."""
        own = read_record(self._top / folder / f"{stem}{ENDING}")
        if own is not None and own.member == number:  # from an interrupted step
            return True
        for form in (stem, stem.removesuffix(COUNT), stem + COUNT):
            known = read_record(self._top / folder / f"{form}{ENDING}")
            if known is not None and known.member != number:
                return False
        return True

    def _folder(self, path: PurePosixPath) -> PurePosixPath:
        """Make a folder of the tree, renamed if a file has, or may get, its name."""
        made = PurePosixPath()
        for part in path.parts:
            made = made / part
            while (self._top / made).is_file() or is_output(made.name):
                made = made.with_name(made.name + "~")
        if not (self._top / made).is_dir():
            (self._top / made).mkdir(parents=True)
            self._fresh += [self._top / made, (self._top / made).parent]
        return made

    def write(
        self, name: str, number: int, data: bytes, result: Result, *, keep_cnf: bool
    ) -> PuzzleRecord:
        """Write one puzzle's set; return its record. Raises OSError, and then nothing is left."""
        now = datetime.now(UTC)
        origin = self.origin(name, number, digest(data), len(data))
        with self._undone():
            stem = self.stem_for(name, number)
            base = PurePosixPath(stem).name
            files = job_files(base, origin, result, (now, now), keep_cnf=keep_cnf)
            hashes = {own: self._put(stem, own, pieces) for own, pieces in files}
            record = make_record(origin, result, hashes, now)
            self._put(stem, base + ENDING, [record_text(record)])
        return record

    def _put(self, stem: str, name: str, pieces: Iterable[str | bytes]) -> str:
        path = (self._top / stem).with_name(name)
        path.unlink(missing_ok=True)  # from an interrupted step
        self._fresh += [path, path.parent]
        return write_new(path, pieces)

    def origin(self, member: str, number: int, sha256: str | None, size: int | None) -> Origin:
        return Origin(self._job, member, sha256, size, self._declared, number)

    def write_many(self, stem: str, origin: Origin, summary: Summary, names: Iterable[str]) -> None:
        """Write record and log of a collection, whose other files have grown under a stem."""
        now = datetime.now(UTC)
        base = PurePosixPath(stem).name
        paths = [self._top / name.lstrip("/") for name in names]
        hashes = {path.name: digest_of(path) for path in paths}
        log = many_log_text(origin, summary, timestamp(now), now)
        hashes[f"{base}.log"] = self._put(stem, f"{base}.log", [log])
        record = many_record(origin, summary, hashes, now)
        self._put(stem, base + ENDING, [record_text(record)])
        self.sync()

    def sync(self) -> None:
        """Make everything written since the last call durable."""
        for path in dict.fromkeys(self._fresh):
            sync(path)
        self._fresh.clear()
