"""What a record says that the solver was asked: against the rules, and the CNF that was kept."""

from __future__ import annotations

import re

from pipeline.audit.findings import Report
from pipeline.audit.sets import One
from pipeline.errors import in_words
from pipeline.files import read_regular
from pipeline.published.schema import Encoding
from pipeline.puzzle import Puzzle
from pipeline.settings import CHOICES

_HEAD_BYTES = 4096
_HEAD = re.compile(
    rb"c [^\n]*, encoding ([a-z]{1,20})\n(?:c[^\n]*\n)*p cnf ([0-9]{1,18}) ([0-9]{1,18})\n"
)
_BOUNDS = {"textbook": (3, 1), "minimal": (1, 3), "extended": (4, 4)}
"""For how many of cells, rows, columns and boxes an encoding says at least and at most one."""


def audit_encoding(published: One, puzzle: Puzzle | None, report: Report) -> None:
    """Whether the encoding of a puzzle, None where it is not known, exists and has that size.

    Puzzles that were solved together have none of their own. How many variables and clauses
    `reduced` leaves is known where the CNF was kept.
    """
    record, stem, report = published.record, published.stem, report.within("encoding")
    told = record.encoding
    blocked = {f"{stem}.cnf": 0, f"{stem}_count.cnf": record.solutions or 0}
    kept = blocked.keys() & published.files.keys()
    if told is None:
        if kept or ("encode" in (record.seconds or ()) and record.status != "unknown"):
            report.bad("none is told, though the puzzle was encoded")
        return
    if told.name not in CHOICES["encoding"]:
        report.bad(f"there is none called {str(told.name)[:40]!r}")
        return
    if puzzle and told.name in _BOUNDS:
        compare_size(told, _size(puzzle, *_BOUNDS[told.name]), report)
    for name in sorted(kept):
        try:
            head = _HEAD.match(read_regular(published.beside(name), _HEAD_BYTES))
        except FileNotFoundError:  # that was said
            continue
        except OSError as error:
            report.bad(f"{name} cannot be read: {in_words(error)}")
            continue
        if head is None or head[1].decode() != told.name:
            report.bad(f"{name} is not in the encoding {told.name!r}")
        else:
            size = int(head[2]), int(head[3]) - blocked[name]
            compare_size(told, size, report.within(name))


def compare_size(told: Encoding | None, size: tuple[int, int], report: Report) -> None:
    """Whether an encoding, if one is told, has so many variables and clauses."""
    if told and (told.variables, told.clauses) != size:
        report.bad(
            f"{told.variables} variables and {told.clauses} clauses in the record, "
            f"where it has {size[0]} and {size[1]}"
        )


def _size(puzzle: Puzzle, at_least: int, at_most: int) -> tuple[int, int]:
    """The variables and clauses of an encoding of all candidates with those bounds."""
    n, full = puzzle.geometry.side, puzzle.geometry.all_values
    pairs = n * (n - 1) // 2
    units = sum(1 if mask & mask - 1 == 0 else (full & ~mask).bit_count() for mask in puzzle.cells)
    return n**3, n * n * (at_least + at_most * pairs) + units
