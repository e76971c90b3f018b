"""The table of a collection, and its solutions, one a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from pipeline.outbox.rows import Rows, blank_lines, summed
from pipeline.outbox.schema import Fallback
from pipeline.outbox.tables import PuzzleRow, header, with_columns
from pipeline.puzzle.puzzle import NINE
from pipeline.reading.archives.limits import UnpackLimits
from pipeline.reading.archives.streams import Meter, PeekableStream
from pipeline.reading.archives.walk import opened
from pipeline.reading.formats import Piece
from pipeline.reading.source import Collection
from pipeline.service.log import Progress
from pipeline.service.protocol.claim import Claim
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.growing import Growing, State
from pipeline.service.sinks.set import End, GrowingSink, PieceOf, Portions, shown_size, size_of
from pipeline.settings import MAX_SOLUTIONS_OF_MANY, Settings


class Table:
    """The table and the solutions of one collection, growing under a stem.

    `seconds` is how long it took to compute in all, added up over the workers. `ahead` is by how
    much the indices of the last piece were ahead of its lines.
    """

    def __init__(self, growing: Growing, stem: str, settings: Settings) -> None:
        self._growing = growing
        self.stem = stem
        self._also = settings.traits
        self.count = 0
        self._ranks = 0
        self.ahead = 0
        self.totals: Counter[str] = Counter()
        self.fallbacks: tuple[Fallback, ...] = ()
        self.seconds = 0.0

    def state(self) -> State:
        return {
            "count": self.count,
            "ranks": self._ranks,
            "totals": dict(self.totals),
            "fallbacks": msgspec.to_builtins(self.fallbacks),
            "seconds": self.seconds,
        }

    def resume(self, state: State) -> None:
        self.count, self._ranks = state["count"], state["ranks"]
        self.totals = Counter(state["totals"])
        self.seconds = state.get("seconds", 0.0)  # earlier versions noted neither this nor these
        self.fallbacks = msgspec.convert(state.get("fallbacks", ()), tuple[Fallback, ...])

    def _table(self) -> str:
        return f"{self.stem}.csv"

    def _solution(self, rank: int) -> str:
        return f"{self.stem}_{rank}.solution"

    def names(self) -> list[str]:
        solutions = (self._solution(rank) for rank in range(1, self._ranks + 1))
        return [self._table(), *solutions]

    def add(self, rows: Rows, piece: Piece) -> None:
        self.ahead = self.count + 1 - piece.first_line
        self._append(rows)

    def finish(self, end: End) -> None:
        """Append a row that says why the collection broke off, if it did."""
        if end.error is None:
            self._append(Rows())
            return
        from pipeline.outbox.write_rows import broken  # noqa: PLC0415 - loads numpy

        self._append(broken(end.source, end.line, end.error, self._also))

    def _append(self, rows: Rows) -> None:
        if not self._ranks:
            self._growing.append(self._table(), header(with_columns(PuzzleRow, self._also)))
        while self._ranks < max(1, len(rows.solutions)):
            self._add_rank()
        self._growing.append(self._table(), rows.table_from(self.count + 1))
        for rank in range(self._ranks):
            here = rank < len(rows.solutions)
            lines = rows.solutions[rank] if here else rows.unsolved()
            self._growing.append(self._solution(rank + 1), lines)
        self.count += rows.count
        self.totals += rows.totals
        self.fallbacks = summed((*self.fallbacks, *rows.fallbacks))
        self.seconds += rows.seconds

    def _add_rank(self) -> None:
        """Begin another file of solutions, with a blank for each earlier puzzle."""
        self._ranks += 1
        self._growing.append(self._solution(self._ranks), b"")
        if self.count:
            for block in blank_lines(self._growing.path(self._solution(1))):
                self._growing.append(self._solution(self._ranks), block)


FEW = 64
"""Puzzles that are quickly solved one by one."""


def _has_machine_code() -> bool:
    from pipeline.solving import compiled as lanes  # noqa: PLC0415 - loads numpy

    return lanes.PROGRAM.lacking() is None


class TableSink(GrowingSink):
    """A dropped collection; its table grows under the stem of its claim."""

    status = "collection"

    def __init__(
        self,
        claim: Claim,
        folders: Folders,
        settings: Settings,
        found: Collection,
        portions: Portions,
    ) -> None:
        super().__init__(claim, folders, settings, portions)
        self.format = found.source.detected.format.name
        self.reason = found.source.detected.reason
        self._source = found.source
        self._is_packed = found.kind != "plain"
        self._portions = portions
        self._meter = Meter()
        self._table = Table(self._growing, claim.note.stem, settings)
        self._bytes = 0
        if self._growing.state:
            noted = self._growing.state["bulk"]
            self._bytes = noted["bytes"]
            self._table.resume(noted)
        self.totals, self.fallbacks = self._table.totals, self._table.fallbacks

    @property
    def is_small(self) -> bool:
        """Whether it is solved in one piece: few puzzles, or as many as lanes take at once."""
        size, settings, cells = size_of(self._claim.original), self._settings, self._source.cells
        return (
            not self.steps_before
            and settings.cluster is None
            and not self._is_packed
            and cells <= NINE.size
            and (size or 0) <= self._portions.size(self._source, settings)
            and settings.solver in {"auto", "lanes"}
            and (settings.max_solutions or 0) <= MAX_SOLUTIONS_OF_MANY
            and not self._proves
            and "effort" not in settings.traits
            and ((size or 0) <= FEW * (cells + 1) or (cells == NINE.size and _has_machine_code()))
        )

    def steps(self) -> Iterator[PieceOf | End]:
        room = UnpackLimits(self._settings.max_total_bytes)
        with PeekableStream(opened(self._claim.original, room, self._meter)) as stream:
            yield from self._portions.pieces(
                self._source, stream, self._settings, ahead=lambda: self._table.ahead
            )

    def write(self, step: Any, reply: Any) -> None:
        match step, reply:
            case PieceOf(piece), Rows() as rows:
                self._bytes += len(piece.data)
                self._table.add(rows, piece)
            case End() as end, _:
                self._table.finish(end)
                if not (self._is_packed or end.error):
                    self._digest = end.digest
        self.fallbacks = self._table.fallbacks

    def _state(self) -> State:
        return self._table.state() | {"bytes": self._bytes}

    def progress(self) -> Progress:
        done = self._meter.read if self._is_packed else self._bytes
        return Progress(self._table.count, done, shown_size(self._claim.original))
