"""Combine rows of consecutive puzzles: lines of the table and of the solution files."""

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
"""Maximum number of fallbacks with different reasons in a record. Each puzzle may have its own
reason."""

OTHER_REASONS = "other reasons"
"""The reason of all fallbacks beyond MAX_FALLBACKS."""

_TO_DOTS = bytes(value if value == ord("\n") else ord(".") for value in range(256))
"""A translation table from all bytes except newlines to dots."""

_BLOCK_BYTES = 1024 * 1024
"""Number of bytes of a solution file that are read at once."""


@dataclass(slots=True)
class Rows:
    """The rows of consecutive puzzles.

    - `first`: the value of the index column in the first row.
    - `count`: the number of puzzles.
    - `table`: the rows as CSV, without a header.
    - `solutions`: the contents of the solution files, each with a line for every puzzle. If there
      are puzzles, there is at least one file.
    - `totals`: numbers of puzzles by status, and the EXTRA_COUNTS.
    - `fallbacks`: the solvers that answered instead of the first choice.
    - `unread`: maps each part that was not read, without its line number, to the number of puzzles
      that have it.
    - `seconds`: the time that solving took.
    """

    first: int = 1
    count: int = 0
    table: bytes = b""
    solutions: list[bytes] = field(default_factory=list)
    totals: Counter[str] = field(default_factory=Counter)
    fallbacks: tuple[Fallback, ...] = ()
    unread: Counter[str] = field(default_factory=Counter)
    seconds: float = field(default=0.0, compare=False)

    def add(self, next_rows: Rows) -> None:
        """Append the rows of the next puzzles."""
        if not self.count:
            self.first = next_rows.first
        files = zip_longest(self.solutions, next_rows.solutions)
        self.solutions = [
            (self.empty_lines() if lines is None else lines)
            + (next_rows.empty_lines() if next_lines is None else next_lines)
            for lines, next_lines in files
        ]
        self.table += next_rows.table_from(self.first + self.count)
        self.count += next_rows.count
        self.totals += next_rows.totals
        self.fallbacks = merge_fallbacks((*self.fallbacks, *next_rows.fallbacks))
        self.unread += next_rows.unread
        self.seconds += next_rows.seconds

    def empty_lines(self) -> bytes:
        """The lines of a solution file in which no puzzle has a solution: one dot per cell."""
        return _blank_out(self.solutions[0]) if self.solutions else b""

    def table_from(self, first: int) -> bytes:
        """Renumber the rows of the table so that the index column begins with `first`."""
        if first == self.first:
            return self.table
        rows = (row.partition(b",")[2] for row in self.table.split(b"\n")[:-1])
        return b"".join([b"%d,%b\n" % (index, row) for index, row in enumerate(rows, first)])


def count_extras(result: Result, totals: Counter[str]) -> tuple[Fallback, ...]:
    """Add the EXTRA_COUNTS of a result to `totals`. Returns the fallback if it was unplanned."""
    if result.complete and result.certificate:
        totals[result.certificate.complete] += 1
    if result.disagreement:
        totals[DISAGREEMENTS] += 1
    if (used := result.solver) and used.warning:
        totals[FALLBACKS] += 1
        return (Fallback(solver=used.name, reason=used.warning, puzzles=1),)
    return ()


def merge_fallbacks(fallbacks: Iterable[Fallback]) -> tuple[Fallback, ...]:
    """Combine fallbacks that have the same solver and reason.

    Fallbacks beyond the first MAX_FALLBACKS get the reason OTHER_REASONS.
    """
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
    """Replace each line of solutions by one dot per cell."""
    if b" " not in lines:
        return lines.translate(_TO_DOTS)
    cells = (len(line.split() if b" " in line else line) for line in lines.splitlines())
    return b"".join([b"." * count + b"\n" for count in cells])


def blank_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a solution file in blocks, with each solution replaced by dots."""
    with path.open("rb") as file:
        while lines := file.readlines(_BLOCK_BYTES):
            yield _blank_out(b"".join(lines))
