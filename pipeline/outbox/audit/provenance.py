"""Check what records and logs say about the origin of results: solver, encoding and fallbacks.

Most of these checks apply only to results of this build.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from pipeline.errors import LimitReached, PipelineError
from pipeline.files import read_regular
from pipeline.outbox import MAX_RECORD_BYTES
from pipeline.outbox.audit.conflicts import NOT_PUZZLE_STATUSES
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.events import log_lines
from pipeline.outbox.published import Published, PublishedPuzzle
from pipeline.outbox.schema import FALLBACKS, CollectionRecord, PuzzleRecord, or_none
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats.dimacs import CNF_FORMAT, ParsedFormula
from pipeline.solving import Encoding

SOLVERS = ("minisat", "pysat", "cdcl", "batch", "exhaustive-search")
"""The names that a solver may have in a record."""

_ANSWERED_STATUSES = ("unique", "multiple", "unsolvable", "solved")
"""The statuses of puzzles and formulas for which a solver gave an answer."""

_ANY_TEXT = object()
"""The expected value of a field of a log line whose text is not checked."""


def audit_solver(record: PuzzleRecord, report: Findings) -> None:
    """Check that solver, encoding and certificate are recorded exactly if there is an answer."""
    used, status = record.solver, record.status
    is_encoded = record.format == CNF_FORMAT or "encode" in (record.seconds or {})
    has_size = record.encoding is not None or (
        is_encoded and used is not None and used.name == "exhaustive-search"
    )
    is_answered = status in _ANSWERED_STATUSES
    for name, is_present, is_expected in (
        ("solver", used is not None, is_answered),
        ("encoding", has_size, is_encoded and is_answered),
        ("certificate", or_none(record.certificate) is not None, is_answered),
    ):
        if (
            is_present != is_expected
            and report.is_current_build
            and status in _ANSWERED_STATUSES + NOT_PUZZLE_STATUSES
        ):
            report.add_problem(f"{name}: {'not expected here' if is_present else 'missing'}")
    if used and used.name not in SOLVERS:
        report.add_difference(f"solver: unknown solver {used.name[:40]!r}")


def audit_formula_size(record: PuzzleRecord, parsed: ParsedFormula, report: Findings) -> None:
    """Compare the recorded size of a formula with the size of the original."""
    recorded = record.encoding
    size = Encoding(name=None, variables=parsed.variables, clauses=len(parsed.clauses))
    if recorded and recorded != size:
        report.add_difference(
            f"encoding: recorded {_size_text(recorded)}, computed {_size_text(size)}"
        )


def audit_encoding(
    published: PublishedPuzzle, puzzle: Puzzle, grids: Sequence[Grid], report: Findings
) -> None:
    """Encode a puzzle again, and compare the recorded size and the published formulas."""
    recorded, stem, options = published.record.encoding, published.stem, report.options
    if recorded is None or options.encoder is None or not report.is_current_build:
        return
    try:
        size, puzzle_cnf, counting_cnf = options.encoder(
            puzzle, recorded.name or "", grids, options.seconds
        )
        if recorded != size:
            report.add_problem(
                f"encoding: recorded {_size_text(recorded)}, computed {_size_text(size)}"
            )
        listed = [name for name in (f"{stem}.cnf", f"{stem}_count.cnf") if name in published.files]
        if len(listed) == 1:
            report.add_problem(f"{stem}.cnf and {stem}_count.cnf must be listed together")
        for name, text in ((f"{stem}.cnf", puzzle_cnf), (f"{stem}_count.cnf", counting_cnf)):
            if published.files.get(name) not in (None, _digest(text)):
                report.add_problem(f"{name} is not the formula of the puzzle")
    except LimitReached as error:
        report.add_gap(f"encoding: not checked: {error}")
    except PipelineError as error:
        report.add_problem(str(error))


def _digest(text: Iterable[str]) -> str:
    hashed = sha256()
    for line in text:
        hashed.update(line.encode("ascii"))
    return hashed.hexdigest()


def _size_text(size: Encoding) -> str:
    name = f"{size.name[:40]}, " if size.name else ""
    return f"{name}{size.variables} variables and {size.clauses} clauses"


def audit_fallbacks(record: CollectionRecord, report: Findings) -> None:
    """Check that the totals and the fallbacks of a record count the same number of puzzles."""
    recorded = or_none(record.fallbacks) or ()
    listed, counted = (
        sum(fallback.puzzles for fallback in recorded),
        record.totals.get(FALLBACKS, 0),
    )
    if listed != counted:
        report.add_problem(f"the fallbacks list {listed} puzzles, the totals count {counted}")
    for fallback in recorded:
        if fallback.solver not in SOLVERS:
            report.add_difference(f"fallbacks: unknown solver {fallback.solver[:40]!r}")


def audit_log(published: Published, report: Findings) -> None:
    """Check that a log matches the record. The log may be missing: users may delete old logs."""
    name = f"{published.stem}.log"
    if not report.is_current_build:
        return
    if name not in published.files:
        report.add_problem(f"{name} is not listed")
        return
    try:
        data = read_regular(published.sibling(name), MAX_RECORD_BYTES)
    except OSError:  # missing, or reported elsewhere
        return
    pairs = zip_longest(
        data.decode(errors="surrogateescape").splitlines(),
        log_lines(published.record, _ANY_TEXT, _ANY_TEXT),
    )
    for number, (line, expected) in enumerate(pairs, 1):
        if fault := _fault_in_line(line, expected):
            report.add_problem(f"{name}: line {number}{fault}")
            return


def _fault_in_line(line: str | None, expected: Mapping[str, Any] | None) -> str | None:
    """Check a line of a log. Returns the fault, to append to the line's number, or None."""
    if line is None:
        return " is missing"
    if expected is None:
        return " is not expected"
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        return " is not a JSON object"
    for key in (*expected, *event):
        logged, recorded = event.get(key, _ANY_TEXT), expected.get(key)
        is_any_text = recorded is _ANY_TEXT and isinstance(logged, str)
        if not is_any_text and (logged != recorded or key not in expected):
            return f": {key[:40]!r} differs from the record"
    return None
