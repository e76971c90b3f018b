"""A piece of a collection → its rows: what every puzzle of it came to, in CSV and in solutions."""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from pipeline.errors import printable
from pipeline.evidence import Certificate, Proof
from pipeline.parse.collections import Detected, Entry
from pipeline.published.schema import CLAIMED, DISAGREEMENTS, FALLBACKS
from pipeline.published.tables import quoted, yes_or_no
from pipeline.result import Status

_LONGEST_TEXT = 500
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """What is to be known of a collection to read any piece of it; picklable.

    `cells` is how many dots stand for a puzzle whose size is not known.
    """

    name: str
    detected: Detected
    cells: int


@dataclass(frozen=True, slots=True)
class Proofs:
    """The proofs of some of the puzzles of consecutive rows, in one stream of xz.

    `index`: for each its place among the rows, from 0, where its text begins in the unpacked
    stream, how long it is, and who found it in how many steps.
    """

    packed: bytes
    index: tuple[tuple[int, int, int, str, int], ...]

    def later(self, rows: int) -> Proofs:
        """The same, so many rows further down."""
        index = tuple((entry[0] + rows, *entry[1:]) for entry in self.index)
        return Proofs(self.packed, index)


@dataclass(slots=True)
class Rows:
    """The rows of consecutive puzzles.

    `table` are lines of CSV without their index. `solutions` holds for each rank a line for
    each puzzle; `blank` is such a text without any solution.
    `seconds` is how long it took to compute them.
    """

    count: int = 0
    table: bytes = b""
    solutions: list[bytes] = field(default_factory=list)
    blank: bytes = b""
    totals: Counter[str] = field(default_factory=Counter)
    proofs: list[Proofs] = field(default_factory=list)
    seconds: float = field(default=0.0, compare=False)

    def add(self, more: Rows) -> None:
        """Append the rows of the puzzles that follow."""
        for rank in range(max(len(self.solutions), len(more.solutions))):
            if rank == len(self.solutions):
                self.solutions.append(self.blank)
            self.solutions[rank] += (
                more.solutions[rank] if rank < len(more.solutions) else more.blank
            )
        self.proofs += [proofs.later(self.count) for proofs in more.proofs]
        self.count += more.count
        self.table += more.table
        self.blank += more.blank
        self.totals += more.totals
        self.seconds += more.seconds


@dataclass(slots=True)
class Row:
    """One puzzle's part: its solutions as lines, and what the table says.

    `disagreement`: what is wrong with the solution that stands beside it. `fallback`: why
    another solver than the first answered. `certificate` and `proof` are there if asked for.
    `spent` are the seconds that went into it so far.
    """

    entry: Entry
    status: Status
    solutions: Sequence[str] = ()
    complete: bool | None = None
    message: str | None = None
    cells: int = 0
    disagreement: str | None = None
    fallback: str | None = None
    certificate: Certificate | None = None
    proof: Proof | None = None
    spent: float = 0.0

    def said(self) -> str:
        """Everything that is to be said of it."""
        return "; ".join(filter(None, (self.message, self.fallback, self.disagreement)))


def joined(rows: Sequence[Row], source: Source) -> Rows:
    """The rows of single puzzles, put together."""
    whole = Rows(len(rows))
    table, blank = [], []
    ranks = max((len(row.solutions) for row in rows), default=0)
    lines: list[list[str]] = [[] for _ in range(ranks)]
    for row in rows:
        if row.disagreement:
            whole.totals[DISAGREEMENTS] += 1
        if row.fallback:
            whole.totals[FALLBACKS] += 1
        if row.complete:
            whole.totals[row.certificate.complete if row.certificate else CLAIMED] += 1
        whole.totals[row.status] += 1
        table.append(_csv(row))
        blank.append("." * (row.cells or source.cells))
        for rank in range(ranks):
            here = rank < len(row.solutions)
            lines[rank].append(row.solutions[rank] if here else blank[-1])
    whole.table = "".join(table).encode(errors="surrogateescape")
    whole.blank = _block(blank)
    whole.solutions = [_block(line) for line in lines]
    whole.proofs = _packed(rows)
    return whole


def _packed(rows: Sequence[Row]) -> list[Proofs]:
    index, texts, start = [], [], 0
    for place, row in enumerate(rows):
        if row.proof and row.certificate:
            text, found = row.proof.text, row.certificate
            index.append((place, start, len(text), found.solver or "", found.steps or 0))
            texts.append(text)
            start += len(text)
    if not index:
        return []
    packed = lzma.compress("".join(texts).encode("ascii"), preset=1)
    return [Proofs(packed, tuple(index))]


def _block(lines: list[str]) -> bytes:
    return "".join([line + "\n" for line in lines]).encode("ascii")


def _csv(row: Row) -> str:
    entry = row.entry
    most = _LONGEST_TEXT if entry.puzzle is None else None
    text = entry.text if entry.plain else quoted(printable(entry.text[:most]))
    complete = yes_or_no(row.complete)
    solution = row.solutions[0] if row.solutions else ""
    said = quoted(printable(row.said()))
    wrong = quoted(printable(row.disagreement or ""))
    head = f"{entry.line},{text},{row.status},{len(row.solutions)}"
    return f"{head},{complete},{solution},{said},{wrong}\n"


def indexed(table: bytes, first: int) -> bytes:
    """The rows of a table with their index, counted from `first`."""
    rows = table.splitlines(keepends=True)
    return b"".join(chain.from_iterable((b"%d," % at, row) for at, row in enumerate(rows, first)))


def blank_lines(path: Path) -> Iterator[bytes]:
    """For each line of a file of solutions one without any, in blocks."""
    with path.open("rb") as file:
        while lines := file.readlines(_BLOCK):
            yield b"".join([b"." * _cells_in(line) + b"\n" for line in lines])


def _cells_in(line: bytes) -> int:
    return len(line.split() if b" " in line else line.rstrip())


def broken(source: Source, line: int, message: str) -> Rows:
    """The row that says why nothing more could be read."""
    entry = Entry(line, "", None, message, None, plain=False)
    return joined([Row(entry, "invalid", message=message)], source)
