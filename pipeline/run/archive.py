"""An archive or a folder: a tree that mirrors it, and a table of its members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.growing import Growing, State
from pipeline.dropbox.publish import Publication
from pipeline.errors import is_environmental, printable
from pipeline.parse import oversize
from pipeline.parse.looks import NO_PUZZLE, looks_like_no_puzzle
from pipeline.published.schema import ASIDE, COLLECTION, DISAGREEMENTS, FALLBACKS, REFUSED
from pipeline.published.tables import MemberRow, csv_line, header, yes_or_no
from pipeline.record import Summary
from pipeline.result import NOT_WELL, Result
from pipeline.rows import Rows, Source
from pipeline.run.bulk import Progress, bytes_below
from pipeline.run.collection import pieces_of, publication_of
from pipeline.run.requests import End, Item, Items, PieceOf
from pipeline.run.rows_out import RowsOut
from pipeline.run.sources import source_in
from pipeline.run.tree import Tree
from pipeline.settings import Settings
from pipeline.unpack import (
    Kind,
    Member,
    Meter,
    PeekableStream,
    Room,
    UnpackError,
    walk,
)

_MOST_ITEMS, _MOST_BYTES = 256, 1024 * 1024
Step = Items | PieceOf | End


class Archive:
    """A dropped archive; its answers grow in a hidden tree."""

    status = "archive"

    def __init__(self, claim: Claim, growing: Growing, settings: Settings, kind: Kind) -> None:
        self.format = kind
        self.reason = kind
        self.declared = settings.reading.declared()
        self.totals: Counter[str] = Counter()
        self._claim = claim
        self._growing = growing
        self._settings = settings
        self._tree = Tree(growing.tree, claim.note.job, self.declared)
        self._table = f"{claim.note.stem}.csv"
        self._members = 0
        self._inner: tuple[str, RowsOut] | None = None
        self._meter = Meter()
        self._proves = settings.prove == "always"

    def steps(self) -> Iterator[Step]:
        """Single puzzles in groups, collections in pieces, as they follow in the archive."""
        group: list[Item] = []
        limits = Room(self._settings.max_total_bytes)
        for member in walk(self._claim.original, limits, self._meter):
            item = self._item(member)
            if isinstance(item, Item):
                group.append(item)
                if len(group) < _MOST_ITEMS and _bytes_in(group) < _MOST_BYTES:
                    continue
            if group:
                yield Items(tuple(group))
                group = []
            if not isinstance(item, Item):
                source, stream, name = item
                yield from pieces_of(source, stream, self._settings, name)
        if group:
            yield Items(tuple(group))

    def _item(self, member: Member) -> Item | tuple[Source, PeekableStream, str]:
        """A member as one puzzle, or what is to be known of a collection."""
        if member.stream is None:
            return Item(member.name, None, member.refusal)
        most = self._settings.max_bytes
        try:
            stream = PeekableStream(member.stream)
            source = source_in(stream, member.name, self._settings)
            if source is not None:
                return source, stream, member.name
            data = stream.whole(most + 1)
        except (UnpackError, OSError) as error:
            return _unreadable(member.name, error)
        if len(data) > most:
            return Item(member.name, None, str(oversize(member.name, most, "more")))
        return Item(member.name, data)

    def write(self, step: Any, reply: Any) -> None:
        match step, reply:
            case Items(items), list(results):
                for item, result in zip(items, results, strict=True):
                    self._write_item(item, result)
                self._tree.sync()
            case PieceOf(piece, _, str(member)), Rows() as rows:
                self._rows_of(member).add(rows, piece)
            case End() as end, _:
                self._end(end)

    def _write_item(self, item: Item, result: Result) -> None:
        if item.refusal is not None:
            self._row(item.name, None, REFUSED, 0, None, item.refusal)
            return
        keep = self._settings.keep_cnf
        if result.solver and result.solver.warning:
            self.totals[FALLBACKS] += 1
        result = self._tree.write(item, self._members, _judged(item, result), keep_cnf=keep)
        if result.complete and result.certificate:
            self.totals[result.certificate.complete] += 1
        if result.disagreement:
            self.totals[DISAGREEMENTS] += 1
        status, count = result.status, len(result.solutions)
        self._row(item.name, result.format, status, count, result.complete, result.said)

    def _row(
        self,
        member: str,
        form: str | None,
        status: str,
        solutions: int,
        complete: bool | None,
        message: str | None,
    ) -> None:
        if status != COLLECTION:  # whose puzzles count
            self.totals[status] += 1
        self._members += 1
        said = yes_or_no(complete), message or ""
        fields = (printable(member), form or "", status, str(solutions), *said)
        if self._members == 1:
            self._growing.append(self._table, header(MemberRow))
        self._growing.append(self._table, csv_line(MemberRow(*map(printable, fields))))

    def _rows_of(self, member: str) -> RowsOut:
        """The rows of the collection that is being written."""
        if self._inner is None or self._inner[0] != member:
            stem = self._tree.stem_for(member, self._members)
            self._inner = member, RowsOut(self._growing, f"/{stem}", proves=self._proves)
        return self._inner[1]

    def _end(self, end: End) -> None:
        member, found = end.member, end.source.detected
        rows = self._rows_of(member)
        rows.finish(end.source, end.error)
        names = rows.names()
        for name in names:
            self._growing.release(name)
        origin = self._tree.origin(member, self._members, end.digest, end.size)
        summary = Summary(COLLECTION, found.format.name, found.reason, rows.totals, rows.seconds)
        self._tree.write_many(rows.stem.lstrip("/"), origin, summary, names)
        bad = sum(rows.totals[status] for status in NOT_WELL)
        message = f"{bad} of {rows.count} are invalid, unknown or failed" if bad else None
        solved = rows.totals["unique"] + rows.totals["multiple"]
        self._row(member, found.format.name, COLLECTION, solved, None, end.error or message)
        self.totals += rows.totals
        self._inner = None

    def state(self) -> State:
        state: State = {
            "totals": dict(self.totals),
            "members": self._members,
        }
        if self._inner:
            state["inner"] = [self._inner[0], self._inner[1].stem, self._inner[1].state()]
        return state

    def resume(self, state: State) -> None:
        self.totals = Counter(state["totals"])
        self._members = state["members"]
        if "inner" in state:
            member, stem, rows_state = state["inner"]
            rows = RowsOut(self._growing, stem, proves=self._proves)
            rows.resume(rows_state)
            self._inner = member, rows

    def progress(self) -> Progress:
        counts = self.totals + (self._inner[1].totals if self._inner else Counter())
        puzzles = sum(count for name, count in counts.items() if name not in ASIDE)
        return Progress(puzzles, self._meter.read, self._size)

    @cached_property
    def _size(self) -> int:
        path = self._claim.original
        return bytes_below(path) if path.is_dir() else path.stat().st_size

    def publication(self, seconds: float) -> Publication:
        if not self._members:
            self._growing.append(self._table, header(MemberRow))
        if not self._claim.note.files:  # else it may be where it belongs
            self._tree.make()
        return publication_of(self._claim, self, self._growing, seconds, self._growing.tree)


def _judged(item: Item, result: Result) -> Result:
    """The result of a member: what does not even look like a puzzle is no fault of the archive."""
    if result.status != "invalid" or not looks_like_no_puzzle(item.data or b""):
        return result
    return replace(result, status="other", message=f"{result.message}; {NO_PUZZLE}")


def _unreadable(name: str, error: UnpackError | OSError) -> Item:
    """The row of what cannot be read; raises the error where it is the surroundings' fault."""
    if isinstance(error, OSError) and is_environmental(error):
        raise error
    return Item(name, None, str(error))


def _bytes_in(items: list[Item]) -> int:
    return sum(len(item.data or b"") for item in items)
