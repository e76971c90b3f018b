"""What a record says that the solver was asked: against the rules, and the CNF that was kept."""

from __future__ import annotations

import re

from pipeline.audit.findings import Report
from pipeline.audit.records import Record
from pipeline.errors import in_words
from pipeline.files import read_regular
from pipeline.puzzle import Puzzle
from pipeline.settings import CHOICES

_HEAD_BYTES = 4096
_HEAD = re.compile(
    rb"c [^\n]*, encoding ([a-z]{1,20})\n(?:c[^\n]*\n)*p cnf ([0-9]{1,18}) ([0-9]{1,18})\n"
)
_BOUNDS = {"textbook": (3, 1), "minimal": (1, 3), "extended": (4, 4)}
"""For how many of cells, rows, columns and boxes an encoding says at least and at most one."""


def audit_encoding(record: Record, puzzle: Puzzle | None, report: Report) -> None:
    """Whether the encoding of a puzzle, None where it is not known, exists and has that size.

    Puzzles that were solved together have none of their own. How many variables and clauses
    `reduced` leaves is known where the CNF was kept.
    """
    told, report = record.encoding, report.within("encoding")
    blocked = {f"{record.stem}.cnf": 0, f"{record.stem}_count.cnf": record.solutions or 0}
    kept = blocked.keys() & record.files.keys()
    if told is None:
        if kept or ("encode" in record.stages and record.status != "unknown"):
            report.bad("none is told, though the puzzle was encoded")
        return
    if told.name not in CHOICES["encoding"]:
        report.bad(f"there is none called {str(told.name)[:40]!r}")
        return
    if puzzle and told.name in _BOUNDS:
        compare_size(record, *_size(puzzle, *_BOUNDS[told.name]), report)
    for name in sorted(kept):
        try:
            head = _HEAD.match(read_regular(record.path.with_name(name), _HEAD_BYTES))
        except FileNotFoundError:  # that was said
            continue
        except OSError as error:
            report.bad(f"{name} cannot be read: {in_words(error)}")
            continue
        if head is None or head[1].decode() != told.name:
            report.bad(f"{name} is not in the encoding {told.name!r}")
        else:
            within = report.within(name)
            compare_size(record, int(head[2]), int(head[3]) - blocked[name], within)


def compare_size(record: Record, variables: int, clauses: int, report: Report) -> None:
    """Whether a record's encoding, if it tells one, has so many variables and clauses."""
    told = record.encoding
    if told and (told.variables, told.clauses) != (variables, clauses):
        report.bad(
            f"{told.variables} variables and {told.clauses} clauses in the record, "
            f"where it has {variables} and {clauses}"
        )


def _size(puzzle: Puzzle, at_least: int, at_most: int) -> tuple[int, int]:
    """The variables and clauses of an encoding of all candidates with those bounds."""
    n, full = puzzle.geometry.side, puzzle.geometry.all_values
    pairs = n * (n - 1) // 2
    units = sum(1 if mask & mask - 1 == 0 else (full & ~mask).bit_count() for mask in puzzle.cells)
    return n**3, n * n * (at_least + at_most * pairs) + units
