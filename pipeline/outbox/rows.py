"""The rows of consecutive puzzles of a collection, as CSV and as lines of solution files."""

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

MAX_FALLBACKS = 20
"""Listed fallbacks; there may be many, as a reason may concern a single puzzle."""

OTHER_REASONS = "other reasons"

_DOTS = bytes(value if value == ord("\n") else ord(".") for value in range(256))
_BLOCK = 1024 * 1024


@dataclass(slots=True)
class Rows:
    """The rows of consecutive puzzles.

    first: the first value of the index column.
    count: the number of puzzles.
    table: the rows as CSV, without a header.
    solutions: for each solution file, a line per puzzle; at least one file if there are puzzles.
    totals: numbers of puzzles by status, and further counts.
    fallbacks: which solvers answered instead of the first choice.
    unread: unread parts of the source, without line numbers, with their numbers of puzzles.
    seconds: how long solving took.
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
        """Append the rows of the next puzzles."""
        if not self.count:
            self.first = more.first
        both = zip_longest(self.solutions, more.solutions)
        self.solutions = [
            (self.empty_lines() if mine is None else mine)
            + (more.empty_lines() if theirs is None else theirs)
            for mine, theirs in both
        ]
        self.table += more.table_from(self.first + self.count)
        self.count += more.count
        self.totals += more.totals
        self.fallbacks = merge_fallbacks((*self.fallbacks, *more.fallbacks))
        self.unread += more.unread
        self.seconds += more.seconds

    def empty_lines(self) -> bytes:
        """Lines of a solution file in which no puzzle has a solution."""
        return _blank_out(self.solutions[0]) if self.solutions else b""

    def table_from(self, first: int) -> bytes:
        """The table, with an index column that begins with `first`."""
        if first == self.first:
            return self.table
        rows = (row.partition(b",")[2] for row in self.table.split(b"\n")[:-1])
        return b"".join([b"%d,%b\n" % (index, row) for index, row in enumerate(rows, first)])


def count_extras(result: Result, totals: Counter[str]) -> tuple[Fallback, ...]:
    """Add a result to the EXTRA_COUNTS. Returns its fallback, if it has an unplanned one."""
    if result.complete and result.certificate:
        totals[result.certificate.complete] += 1
    if result.disagreement:
        totals[DISAGREEMENTS] += 1
    if (used := result.solver) and used.warning:
        totals[FALLBACKS] += 1
        return (Fallback(solver=used.name, reason=used.warning, puzzles=1),)
    return ()


def merge_fallbacks(fallbacks: Iterable[Fallback]) -> tuple[Fallback, ...]:
    """Combine fallbacks by solver and reason; beyond MAX_FALLBACKS, the reason is OTHER_REASONS."""
    puzzles: Counter[tuple[str, str]] = Counter()
    for fallback in fallbacks:
        key = fallback.solver, fallback.reason
        if key not in puzzles and len(puzzles) >= MAX_FALLBACKS:
            key = fallback.solver, OTHER_REASONS
        puzzles[key] += fallback.puzzles
    return tuple(
        Fallback(solver=solver, reason=reason, puzzles=count)
        for (solver, reason), count in puzzles.items()
    )


def _blank_out(lines: bytes) -> bytes:
    """Replace each solution by one dot per cell."""
    if b" " not in lines:
        return lines.translate(_DOTS)
    cells = (len(line.split() if b" " in line else line) for line in lines.splitlines())
    return b"".join([b"." * count + b"\n" for count in cells])


def blank_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a solution file, in blocks, with all solutions blanked out."""
    with path.open("rb") as file:
        while lines := file.readlines(_BLOCK):
            yield _blank_out(b"".join(lines))
