"""One puzzle's or formula's set: the original read again, each answer and the proof checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

from pipeline.certify import certify_grid, certify_model
from pipeline.certify.formula import Formula, proof_formula
from pipeline.errors import InputError, InvalidPuzzle, UsageError, counted, in_words
from pipeline.files import read_regular
from pipeline.outbox.audit.claims import (
    audit_conflict,
    audit_difference,
    audit_presence,
    fault_in_status,
    is_denied,
)
from pipeline.outbox.audit.collection import Content, audit_collection, collection_in
from pipeline.outbox.audit.complete import audit_another, audit_complete, audit_models
from pipeline.outbox.audit.proofs import audit_certificate, audit_proof
from pipeline.outbox.audit.provenance import (
    audit_encoding,
    audit_formula_size,
    audit_log,
    audit_solver,
)
from pipeline.outbox.audit.sets import Many, One, Report, Terms
from pipeline.outbox.audit.traits import audit_record
from pipeline.outbox.schema import RecordedFree, or_none
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats import (
    ALPHABET_NAMES,
    Parsed,
    is_written_as_values,
    parse_source,
    read_values,
    signs_of,
)
from pipeline.reading.formats.formula import (
    CNF_FORMAT,
    Model,
    ParsedFormula,
    looks_like_cnf,
    parse_formula,
    proof_clauses,
    read_model,
)
from pipeline.reading.read import looks_like_no_puzzle
from pipeline.settings import Reading

_ONLY_CLAIMED = "that there is a second solution is only claimed: no more than one was asked for"
_SHOWN = 3
_BYTES_EACH, _SLACK = 16, 64 * 1024
"""Bytes of a model's file: for each variable, and in addition."""


def audit_single(published: One, data: bytes | None, terms: Terms, report: Report) -> str:
    """Audit a result against the bytes of its original, if they are known; return its claim."""
    record = published.record
    if fault := fault_in_status(record.status, record.solutions or 0, record.complete):
        report.bad(fault)
    if record.status == "solved" and record.format != CNF_FORMAT:
        report.bad("the status 'solved' is that of a formula")
    if record.solutions is None:
        report.bad("the record tells no number of solutions")
    audit_presence(published, report)
    audit_solver(record, report)
    audit_log(published, report)
    if record.status in ("invalid", "other") and data is not None:
        _audit_invalid(published, data, terms, report)
    word = audit_certificate(record, report)
    is_unread = record.status == "unknown" and record.format is None  # there was no time
    if is_unread and record.solutions:
        report.bad("there are solutions of what was not read")
    if is_unread or record.status in ("invalid", "other", "failed"):
        audit_proof(published, None, terms, report)
        return record.status
    audited = _audit_formula if record.format == CNF_FORMAT else _audit_puzzle
    audited(published, data, terms, report)
    return f"{record.status}, {word}" if record.complete else record.status


def audit_content(published: One | Many, content: Content, terms: Terms, report: Report) -> str:
    """Audit the set of a file that is no archive; return its claim. Raises UnpackError."""
    if isinstance(published, Many):
        return audit_collection(published, content, terms, report)
    status = published.record.status
    if status in ("invalid", "other") and collection_in(content, terms.reading):
        report.bad(f"the status is {status!r}, but the original is a collection")
    return audit_single(published, content.whole(terms.reading.max_bytes + 1), terms, report)


def _audit_invalid(published: One, data: bytes, terms: Terms, report: Report) -> None:
    """Check that the original is really not a puzzle, and does not look like one if `other`."""
    record, form = published.record, terms.reading.format
    try:
        if form == CNF_FORMAT or (form == "auto" and looks_like_cnf(data)):
            parse_formula(data, record.source, terms.reading.max_bytes)
            what = "a formula"
        else:
            what = parse_source(data, record.source, terms.reading).format
    except UsageError:  # the declared format has no single puzzles
        return
    except InvalidPuzzle:
        is_member = or_none(record.member) is not None
        status = "other" if is_member and looks_like_no_puzzle(data) else "invalid"
        if record.status != status:
            report.bad(f"the status should be {status!r}")
        return
    report.bad(f"the status is {record.status!r}, but the original reads as {what}")


def _audit_puzzle(published: One, data: bytes | None, terms: Terms, report: Report) -> None:
    """Check every grid, what is explained, and that there are no others if that is claimed."""
    record, names = published.record, published.numbered
    parsed = None if data is None else _parsed(published, data, terms, report)
    puzzle = parsed.puzzle if parsed else None
    rules = puzzle or _rules_alone(published, report)
    grids, sound = _grids(published, rules, terms, report) if rules else ([], 0)
    if parsed:
        _audit_beside(published, parsed, grids, report)
    if rules:
        audit_conflict(record, puzzle, rules.geometry, terms, report)
    if puzzle:
        audit_record(record, puzzle, grids, terms, report)
        audit_encoding(published, puzzle, grids, terms, report)
    difference = or_none(record.difference)
    if difference and len({*grids}) == len(names) > 1:
        audit_difference(difference, grids, terms, report)

    def formula() -> Formula:
        if puzzle is None or len(grids) != len(names):
            raise InputError(f"{counted(len(names) - len(grids), 'solution')} cannot be read")
        return proof_formula(puzzle, grids)

    proved = audit_proof(published, formula if puzzle else None, terms, report)
    if record.complete and puzzle and not proved and sound == len(names):
        audit_complete(puzzle, grids, terms, report)
    if record.status == "multiple" and puzzle and sound == len(names) == 1:
        audit_another(puzzle, grids, terms, report)


def _grids(published: One, rules: Puzzle, terms: Terms, report: Report) -> tuple[list[Grid], int]:
    """The grids in the solution files, and how many are different solutions."""
    first: dict[Grid, str] = {}
    grids, sound = [], 0
    for name in published.numbered:
        grid = grid_of(published, name, rules, terms, report)
        if grid is None:
            continue
        violations = certify_grid(rules, grid)
        for violation in violations[:_SHOWN]:
            report.bad(f"{name}: {violation}")
        if first.setdefault(grid, name) != name:
            report.bad(f"{name} holds the same grid as {first[grid]}")
        sound += first[grid] == name and not violations
        grids.append(grid)
    return grids, sound


def _parsed(published: One, data: bytes, terms: Terms, report: Report) -> Parsed | None:
    """Parse the original; None if it is not a puzzle."""
    record = published.record
    try:
        parsed = parse_source(data, record.source, terms.reading)
    except (InvalidPuzzle, UsageError) as error:
        report.bad(f"the original is no puzzle: {error}")
        return None
    geometry = parsed.puzzle.geometry
    box = geometry.height, geometry.width
    ours = _in_words(parsed.format, parsed.variant, box)
    theirs = _in_words(record.format, record.variant, record.box)
    if ours != theirs:
        tell = report.rewritten if record.box == box else report.bad
        tell(f"the record says {theirs}, the original is {ours}")
    told = Counter(rule.name for rule in parsed.puzzle.rules)
    for what, found, expected, tell in (
        ("grids", or_none(record.grids) or (), geometry.grids, report.bad),
        ("free", or_none(record.free), RecordedFree.of(geometry), report.bad),
        ("rules", or_none(record.rules) or {}, told, report.rewritten),
        ("unread", or_none(record.unread) or (), parsed.unread, report.rewritten),
        ("title", or_none(record.title) or "", parsed.title, report.rewritten),
    ):
        if found != expected:
            tell(f"{what}: the record says {found}, the original has {expected}")
    if not report.is_ours:
        for each in sorted({*parsed.unread}.difference(or_none(record.unread) or ())):
            report.gap(f"unread: the record does not tell of {each!r}")
    return parsed


def _in_words(form: str | None, variant: str | None, box: tuple[int, int] | None) -> str:
    boxes = "no boxes" if box is None else f"boxes of {box[0]}×{box[1]}"
    return f"{form}, {variant}, {boxes}"


def _audit_beside(published: One, parsed: Parsed, grids: list[Grid], report: Report) -> None:
    """Check that the record mentions a wrong solution beside the puzzle if, and only if, it is."""
    record, signs = published.record, signs_of(parsed.format)
    complete = record.complete is True
    denied = is_denied(parsed.claimed, signs, parsed.puzzle, grids, complete=complete)
    if (or_none(record.disagreement) is not None) != denied:
        said = "does not say" if denied else "says"
        report.bad(f"the record {said} that the solution beside the puzzle is wrong")


def _rules_alone(published: One, report: Report) -> Puzzle | None:
    try:
        record = published.record
        told = or_none(record.free)
        grids, free = or_none(record.grids) or (), told.free() if told else None
        return Puzzle.empty(Geometry(*record.box or (0, 0), grids, free))
    except ValueError as error:
        report.bad(f"box: {error}")
        return None


def grid_of(published: One, name: str, rules: Puzzle, terms: Terms, report: Report) -> Grid | None:
    """The grid in a solution file: rows of values, or a filled puzzle in the same notation.

    Another version may have chosen the other one of these, and another name for the notation.
    None if it is invalid.
    """
    record, most = published.record, terms.reading.max_bytes
    told = record.format or ""
    data = _bytes_of(published, name, most, report)
    if data is None:
        return None
    as_values = record.variant == "rules" or is_written_as_values(told, rules)
    readings: list[Callable[[], Grid]] = [
        lambda: read_values(data, name, rules.geometry),
        lambda: _filled(data, name, _reading_of(told, most)),
        lambda: _filled(data, name, Reading("classic", most)),
        lambda: _in_document(data, rules.geometry),
    ]
    try:
        return readings[not as_values]()
    except (InputError, UsageError) as error:
        fault = str(error)
    for reading in () if report.is_ours else readings:
        with suppress(InputError, UsageError, ValueError):
            return Grid(rules.geometry, reading().values)
    report.bad(fault)
    return None


def _filled(data: bytes, name: str, reading: Reading) -> Grid:
    """The grid that is written as a filled puzzle. Raises InputError, UsageError."""
    puzzle = parse_source(data, name, reading).puzzle
    values, size = dict(puzzle.givens()), len(puzzle.cells)
    for cell in range(size):
        if cell not in values:
            row, column = puzzle.geometry.place(cell)
            raise InputError(f"{name}: row {row}, column {column} is not filled")
    return Grid(puzzle.geometry, tuple(values[cell] for cell in range(size)))


def _in_document(data: bytes, geometry: Geometry) -> Grid:
    """The grid in a document of f-puzzles, whose values were not given. Raises ValueError."""
    try:
        rows = json.loads(data)["grid"]
        return Grid(geometry, tuple(cell["value"] for row in rows for cell in row))
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError from error


def _reading_of(notation: str, most: int) -> Reading:
    """How a filled puzzle in the notation that a record names is read."""
    form, _, rest = notation.partition(" ")
    reading = Reading("classic", most, form)
    alphabet = rest.partition(" ")[0].upper()
    if alphabet in ALPHABET_NAMES:
        return reading._replace(alphabet=alphabet)  # type: ignore[arg-type] # one of the names
    return reading


def _bytes_of(published: One, name: str, most: int, report: Report) -> bytes | None:
    """The bytes of a solution file, at most `most` + 1."""
    try:
        return read_regular(published.beside(name), most)
    except FileNotFoundError:  # reported already
        return None
    except OSError as error:
        report.bad(f"{name}: cannot be read: {in_words(error)}")
        return None


def _audit_formula(published: One, data: bytes | None, terms: Terms, report: Report) -> None:
    """Check every model, and that there are no others if that is claimed."""
    record, parsed = published.record, None
    if data is not None:
        try:
            parsed = parse_formula(data, record.source, terms.reading.max_bytes)
        except InvalidPuzzle as error:
            report.bad(f"the original is no formula: {error}")
    models = [*models_of(published, parsed, report)] if parsed else []
    if parsed:
        audit_formula_size(record, parsed, report)

    def formula() -> Formula:
        if parsed is None or len(models) != len(published.numbered):
            raise InputError("its models cannot be read")
        return Formula(*proof_clauses(parsed, models))

    proved = audit_proof(published, formula if parsed else None, terms, report)
    if record.complete and parsed and not proved and len(models) == len(published.numbered):
        audit_models(parsed, models, terms, report)
    if record.status == "multiple" and record.solutions == 1:
        report.gap(_ONLY_CLAIMED)


def models_of(published: One, parsed: ParsedFormula, report: Report) -> Iterator[Model]:
    """The models in the solution files; wrong ones are reported."""
    first: dict[Model, str] = {}
    most = _BYTES_EACH * parsed.variables + _SLACK
    for name in published.numbered:
        data = _bytes_of(published, name, most, report)
        if data is None:
            continue
        if len(data) > most:
            report.bad(f"{name}: has more than {most} bytes")
            continue
        try:
            model = read_model(data, parsed.variables)
        except InputError as error:
            report.bad(f"{name}: {error}")
            continue
        if (index := certify_model(parsed.written, model)) is not None:
            report.bad(f"{name}: clause {index + 1} of the original is not satisfied")
        if first.setdefault(model, name) != name:
            report.bad(f"{name} holds the same model as {first[model]}")
        yield model
