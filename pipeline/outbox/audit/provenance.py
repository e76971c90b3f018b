"""Check how a result was made: the solver, the formula and the log.

Results of other versions are not compared, because they may have been made and logged differently.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from pipeline.errors import LimitReached, PipelineError
from pipeline.files import read_regular
from pipeline.outbox import LARGEST
from pipeline.outbox.audit.conflicts import UNASKED
from pipeline.outbox.audit.sets import Findings
from pipeline.outbox.events import log_lines
from pipeline.outbox.published import Published, PublishedPuzzle
from pipeline.outbox.schema import FALLBACKS, CollectionRecord, PuzzleRecord, or_none
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats.dimacs import CNF_FORMAT, ParsedFormula
from pipeline.solving import Encoding

SOLVERS = ("minisat", "pysat", "batch", "exhaustive-search")
"""The solvers that records name."""

_ANSWERED = ("unique", "multiple", "unsolvable", "solved")
_ANY = object()
"""In a line of a log: a text that is not in the record."""


def audit_solver(record: PuzzleRecord, report: Findings) -> None:
    """Check that solver, formula and certificate are recorded if a solver ran."""
    used, status = record.solver, record.status
    is_encoded = record.format == CNF_FORMAT or "encode" in (record.seconds or {})
    for name, is_told, is_wanted in (
        ("solver", used is not None, status in _ANSWERED),
        ("encoding", record.encoding is not None, is_encoded and status in _ANSWERED),
        ("certificate", or_none(record.certificate) is not None, status in _ANSWERED),
    ):
        if is_told != is_wanted and report.is_ours and status in _ANSWERED + UNASKED:
            report.bad(f"{name}: {'unexpected' if is_told else 'missing'}")
    if used and used.name not in SOLVERS:
        report.rewritten(f"solver: {used.name[:40]!r} is unknown")


def audit_formula_size(record: PuzzleRecord, parsed: ParsedFormula, report: Findings) -> None:
    """Compare the size of a formula with the original."""
    recorded = record.encoding
    size = Encoding(name=None, variables=parsed.variables, clauses=len(parsed.clauses))
    if recorded and recorded != size:
        report.rewritten(f"encoding: {_in_words(recorded)}, the original has {_in_words(size)}")


def audit_encoding(
    published: PublishedPuzzle, puzzle: Puzzle, grids: Sequence[Grid], report: Findings
) -> None:
    """Encode a puzzle again, and compare the size of the formula, and its files if it was kept."""
    recorded, stem, terms = published.record.encoding, published.stem, report.terms
    if recorded is None or terms.encoder is None or not report.is_ours:
        return
    try:
        size, plain, counting = terms.encoder(puzzle, recorded.name or "", grids, terms.seconds)
        if recorded != size:
            report.bad(f"encoding: {_in_words(recorded)}, there are {_in_words(size)}")
        kept = [name for name in (f"{stem}.cnf", f"{stem}_count.cnf") if name in published.files]
        if len(kept) == 1:
            report.bad(f"{kept[0]} is listed alone")
        for name, text in ((f"{stem}.cnf", plain), (f"{stem}_count.cnf", counting)):
            if published.files.get(name) not in (None, _digest(text)):
                report.bad(f"{name} is not the formula of the puzzle")
    except LimitReached as error:
        report.gap(f"encoding: it was not checked: {error}")
    except PipelineError as error:
        report.bad(str(error))


def _digest(text: Iterable[str]) -> str:
    hashed = sha256()
    for line in text:
        hashed.update(line.encode("ascii"))
    return hashed.hexdigest()


def _in_words(size: Encoding) -> str:
    name = f"{size.name[:40]}, " if size.name else ""
    return f"{name}{size.variables} variables and {size.clauses} clauses"


def audit_fallbacks(record: CollectionRecord, report: Findings) -> None:
    """Check that totals and fallbacks count the same puzzles."""
    recorded = or_none(record.fallbacks) or ()
    counted, here = sum(fallback.puzzles for fallback in recorded), record.totals.get(FALLBACKS, 0)
    if counted != here:
        report.bad(f"fallbacks: of {counted} puzzles, the totals count {here}")
    for fallback in recorded:
        if fallback.solver not in SOLVERS:
            report.rewritten(f"fallbacks: the solver {fallback.solver[:40]!r} is unknown")


def audit_log(published: Published, report: Findings) -> None:
    """Check that a log matches the record exactly; old logs may be deleted."""
    name = f"{published.stem}.log"
    if not report.is_ours:
        return
    if name not in published.files:
        report.bad(f"{name} is not listed")
        return
    try:
        data = read_regular(published.beside(name), LARGEST)
    except OSError:  # it is gone, or that is reported
        return
    pairs = zip_longest(
        data.decode(errors="surrogateescape").splitlines(),
        log_lines(published.record, _ANY, _ANY),
    )
    for number, (line, expected) in enumerate(pairs, 1):
        if fault := _fault_in_line(line, expected):
            report.bad(f"{name}: line {number}{fault}")
            return


def _fault_in_line(line: str | None, expected: Mapping[str, Any] | None) -> str | None:
    """What is wrong with a line, in words that follow its number."""
    if line is None:
        return " is missing"
    if expected is None:
        return " says more than the record"
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        return " is not a JSON object"
    for key in (*expected, *event):
        here, there = event.get(key, _ANY), expected.get(key)
        is_free = there is _ANY and isinstance(here, str)
        if not is_free and (here != there or key not in expected):
            return f": {key[:40]} differs from the record"
    return None
