"""The rows of a chunk of a collection: the result of each puzzle, as CSV and as solutions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.outbox.schema import DISAGREEMENTS, FALLBACKS, Fallback

if TYPE_CHECKING:
    from pipeline.solving.result import Result

MOST_FALLBACKS = 20
"""Maximum number of different fallbacks listed, because their reasons may name single puzzles."""

OTHER_REASONS = "other reasons"

_DOTS = bytes(value if value == ord("\n") else ord(".") for value in range(256))
_BLOCK = 1024 * 1024


@dataclass(slots=True)
class Rows:
    """The rows of consecutive puzzles.

    - `first`: the first number in the index column.
    - `table`: the rows as CSV.
    - `solutions`: by rank, a line for each puzzle. The first rank exists if there are puzzles.
    - `unread`: number of puzzles by unread text, which has no line numbers.
    - `seconds`: the time that the rows took.
    """

    first: int = 1
    count: int = 0
    table: bytes = b""
    solutions: list[bytes] = field(default_factory=list)
    totals: Counter[str] = field(default_factory=Counter)
    fallbacks: tuple[Fallback, ...] = ()
    unread: Counter[str] = field(default_factory=Counter)
    seconds: float = field(default=0.0, compare=False)

    def add(self, more: Rows) -> None:
        """Append the rows of the puzzles that follow."""
        if not self.count:
            self.first = more.first
        both = zip_longest(self.solutions, more.solutions)
        self.solutions = [
            (self.unsolved() if mine is None else mine)
            + (more.unsolved() if theirs is None else theirs)
            for mine, theirs in both
        ]
        self.table += more.table_from(self.first + self.count)
        self.count += more.count
        self.totals += more.totals
        self.fallbacks = summed((*self.fallbacks, *more.fallbacks))
        self.unread += more.unread
        self.seconds += more.seconds

    def unsolved(self) -> bytes:
        """A line without a solution for each puzzle."""
        return _without_solutions(self.solutions[0]) if self.solutions else b""

    def table_from(self, first: int) -> bytes:
        """The table with an index column that begins with `first`."""
        if first == self.first:
            return self.table
        rows = (row.partition(b",")[2] for row in self.table.split(b"\n")[:-1])
        return b"".join([b"%d,%b\n" % (index, row) for index, row in enumerate(rows, first)])


def count_further(result: Result, totals: Counter[str]) -> tuple[Fallback, ...]:
    """Count a result in FURTHER_COUNTS, and return its fallback, unless it was planned."""
    if result.complete and result.certificate:
        totals[result.certificate.complete] += 1
    if result.disagreement:
        totals[DISAGREEMENTS] += 1
    if (used := result.solver) and used.warning:
        totals[FALLBACKS] += 1
        return (Fallback(solver=used.name, reason=used.warning, puzzles=1),)
    return ()


def summed(fallbacks: Iterable[Fallback]) -> tuple[Fallback, ...]:
    """Sum up fallbacks by solver and reason; those beyond MOST_FALLBACKS get OTHER_REASONS."""
    puzzles: Counter[tuple[str, str]] = Counter()
    for fallback in fallbacks:
        key = fallback.solver, fallback.reason
        if key not in puzzles and len(puzzles) >= MOST_FALLBACKS:
            key = fallback.solver, OTHER_REASONS
        puzzles[key] += fallback.puzzles
    return tuple(
        Fallback(solver=solver, reason=reason, puzzles=count)
        for (solver, reason), count in puzzles.items()
    )


def _without_solutions(lines: bytes) -> bytes:
    """Replace each solution by dots, one for each cell."""
    if b" " not in lines:
        return lines.translate(_DOTS)
    cells = (len(line.split() if b" " in line else line) for line in lines.splitlines())
    return b"".join([b"." * count + b"\n" for count in cells])


def blank_lines(path: Path) -> Iterator[bytes]:
    """The lines of a solution file with each solution blanked, in blocks."""
    with path.open("rb") as file:
        while lines := file.readlines(_BLOCK):
            yield _without_solutions(b"".join(lines))
