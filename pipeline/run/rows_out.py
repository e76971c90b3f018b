"""The rows of a collection → its table and its files of solutions, as they grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pipeline.dropbox.growing import Growing, State
from pipeline.parse import Piece, count_lines
from pipeline.published.tables import ProofRow, PuzzleRow, csv_line, header
from pipeline.rows import Proofs, Rows, Source, blank_lines, broken, indexed


class RowsOut:
    """The table and the solutions of one collection, growing under a stem.

    `seconds` is how long all of it took to compute, added up over the workers.
    """

    def __init__(self, growing: Growing, stem: str, *, proves: bool) -> None:
        self._growing = growing
        self.stem = stem
        self._proves = proves
        self.count = 0
        self.ranks = 0
        self._line = 1
        self.totals: Counter[str] = Counter()
        self.seconds = 0.0

    def state(self) -> State:
        return {
            "count": self.count,
            "ranks": self.ranks,
            "line": self._line,
            "totals": dict(self.totals),
            "seconds": self.seconds,
        }

    def resume(self, state: State) -> None:
        self.count, self.ranks, self._line = state["count"], state["ranks"], state["line"]
        self.totals = Counter(state["totals"])
        self.seconds = state.get("seconds", 0.0)  # what an earlier version noted has none

    @property
    def table(self) -> str:
        return f"{self.stem}.csv"

    def solution(self, rank: int) -> str:
        """The name of the file of each puzzle's solution number `rank`, from 1."""
        return f"{self.stem}_{rank}.solution"

    @property
    def proofs(self) -> tuple[str, str]:
        """The names of the file of proofs, and of its index."""
        return f"{self.stem}.proofs.xz", f"{self.stem}.proofs.csv"

    def names(self) -> list[str]:
        solutions = (self.solution(rank) for rank in range(1, self.ranks + 1))
        return [self.table, *solutions, *(self.proofs if self._proves else ())]

    def finish(self, source: Source, error: str | None) -> None:
        """Append a row that says why the collection broke off, if it did."""
        self._append(broken(source, self._line, error) if error else Rows())

    def add(self, rows: Rows, piece: Piece) -> None:
        """Append the rows of a piece, which follows those before."""
        self._append(rows)
        self._line = piece.first_line + count_lines(piece.data)

    def _append(self, rows: Rows) -> None:
        if not self.ranks:
            self._growing.append(self.table, header(PuzzleRow))
        while self.ranks < max(1, len(rows.solutions)):
            self.ranks += 1
            self._growing.append(self.solution(self.ranks), b"")
            if self.count:
                for block in blank_lines(self._growing.path(self.solution(1))):
                    self._growing.append(self.solution(self.ranks), block)
        self._growing.append(self.table, indexed(rows.table, self.count + 1))
        for rank in range(self.ranks):
            here = rank < len(rows.solutions)
            lines = rows.solutions[rank] if here else rows.blank
            self._growing.append(self.solution(rank + 1), lines)
        if self._proves:
            self._append_proofs(rows.proofs)
        self.count += rows.count
        self.totals += rows.totals
        self.seconds += rows.seconds

    def _append_proofs(self, chunks: Sequence[Proofs]) -> None:
        packed, index = self.proofs
        if not self._growing.length(index):
            self._growing.append(packed, b"")
            self._growing.append(index, header(ProofRow))
        for chunk in chunks:
            offset = self._growing.length(packed)
            lines = [
                csv_line(ProofRow(self.count + place + 1, offset, start, length, solver, steps))
                for place, start, length, solver, steps in chunk.index
            ]
            self._growing.append(packed, chunk.packed)
            self._growing.append(index, b"".join(lines))
