"""Audit the set of one puzzle or formula: read the original again, check solutions and proof."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

from pipeline.certify import certify_grid, certify_model
from pipeline.certify.formula import Formula, proof_formula
from pipeline.errors import (
    InputError,
    InvalidPuzzle,
    LimitReached,
    UsageError,
    counted,
    in_words,
)
from pipeline.files import read_regular
from pipeline.outbox.audit.collection import audit_collection, format_mismatch
from pipeline.outbox.audit.completeness import audit_other_models, audit_other_solutions
from pipeline.outbox.audit.conflicts import (
    audit_conflict,
    audit_difference,
    audit_presence,
    is_wrong_solution,
)
from pipeline.outbox.audit.findings import Findings
from pipeline.outbox.audit.proofs import audit_certificate, audit_proof
from pipeline.outbox.audit.provenance import (
    audit_encoding,
    audit_formula_size,
    audit_log,
    audit_solver,
)
from pipeline.outbox.audit.traits import audit_record_traits
from pipeline.outbox.consistency import contradiction
from pipeline.outbox.published import PublishedCollection, PublishedPuzzle
from pipeline.outbox.schema import PuzzleRecord, RecordedFree, or_none
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading import OneProblem, Unreadable
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import (
    ALPHABET_NAMES,
    Layout,
    Parsed,
    filled_grid,
    is_written_as_values,
    parse_source,
    read_values,
    symbols_of,
)
from pipeline.reading.formats.dimacs import (
    CNF_FORMAT,
    Model,
    ParsedFormula,
    proof_clauses,
    read_model,
)
from pipeline.reading.read import looks_like_no_puzzle, parse_problem, unparsed_source
from pipeline.settings import Reading

_ONE_MODEL_GAP = "not checked whether there are other models: only one was searched for"
"""The message about a record with the status `multiple` that lists only one model."""

_MAX_VIOLATIONS = 3
"""Maximum number of violations that are reported for one grid."""

_MAX_VARIABLE_BYTES, _MAX_EXTRA_BYTES = 16, 64 * 1024
"""Maximum size of a model's file: bytes for each variable, and further bytes."""

Content = Parsed | ParsedFormula | InputError | UsageError | None
"""The puzzle or formula in an original, or the error if reading failed; None if it was not read."""


def audit_single(published: PublishedPuzzle, source: OneProblem | None, report: Findings) -> str:
    """Audit the set of a puzzle or formula against its original.

    `source` is None if the original is unknown. Returns the assertion of the record in words, such
    as `unique, proved`.
    """
    record, content = published.record, _read_content(source, report)
    if fault := contradiction(record.status, record.solutions or 0, record.complete):
        report.add_problem(fault)
    if record.status == "solved" and record.format != CNF_FORMAT:
        report.add_problem("status 'solved' is only for formulas")
    if record.solutions is None:
        report.add_problem("has no number of solutions")
    audit_presence(published, report)
    audit_solver(record, report)
    audit_log(published, report)
    if record.status in ("invalid", "other") and content is not None:
        _audit_invalid(published, content, source.data if source else None, report)
    word = audit_certificate(record, report)
    is_unread = record.status == "unknown" and record.format is None  # the time ran out
    if is_unread and record.solutions:
        report.add_problem("solutions are counted, although the input was not read")
    if is_unread or record.status in ("invalid", "other", "failed"):
        audit_proof(published, None, report)
        return record.status
    audited = _audit_formula if record.format == CNF_FORMAT else _audit_puzzle
    audited(published, content, report)
    return f"{record.status}, {word}" if record.complete else record.status


def audit_content(
    published: PublishedPuzzle | PublishedCollection,
    source: OneProblem | tuple[Layout, PeekableStream],
    report: Findings,
) -> str:
    """Audit the set of a puzzle, formula or collection. Returns its assertion in words.

    Raises UnpackError if the original cannot be unpacked.
    """
    record = published.record
    if isinstance(published, PublishedCollection):
        if isinstance(source, tuple):
            return audit_collection(published, *source, report)
        report.add_problem(format_mismatch(published))
        return record.status
    if isinstance(source, tuple):
        if record.status in ("invalid", "other"):
            report.add_problem(f"the status is {record.status!r}, but the original is a collection")
        data = source[1].read_rest(report.settings.max_bytes + 1)
        source = unparsed_source(data, record.source, report.settings)
    has_content = not isinstance(source, Unreadable) or source.data is not None
    return audit_single(published, source if has_content else None, report)


def _read_content(source: OneProblem | None, report: Findings) -> Content:
    """Read the puzzle or formula in a source.

    Returns the error if reading fails; None if there is no source, or if the time runs out.
    """
    if source is None:
        return None
    try:
        if isinstance(source, Unreadable):
            error = InputError(source.reason)
            error.code = source.code
            return error
        return parse_problem(source, report.settings)
    except LimitReached as error:
        report.add_gap(f"the original was not read: {error}")
        return None
    except (InvalidPuzzle, UsageError) as error:
        return error


def _audit_invalid(
    published: PublishedPuzzle, content: Content, data: bytes | None, report: Findings
) -> None:
    """Check that the original is not a puzzle, and whether `invalid` or `other` is correct."""
    record = published.record
    if isinstance(content, Parsed | ParsedFormula):
        notation = content.format if isinstance(content, Parsed) else "a formula"
        report.add_problem(f"the status is {record.status!r}, but the original reads as {notation}")
        return
    is_member = or_none(record.member) is not None
    is_other = is_member and data is not None and looks_like_no_puzzle(data)
    if record.status != (status := "other" if is_other else "invalid"):
        report.add_problem(f"the status should be {status!r}")
    code, recorded = getattr(content, "code", None), or_none(record.code)
    if code and recorded != code and (recorded or report.is_current_build):
        report.add_difference(
            f"the record has code {recorded!r}, but the original is refused with code {code!r}"
        )


def _audit_puzzle(published: PublishedPuzzle, content: Content, report: Findings) -> None:
    """Check a puzzle's solutions, conflict or difference, traits, encoding and completeness."""
    record, names = published.record, published.solution_files
    parsed = _compare_puzzle(published, content, report)
    puzzle = parsed.puzzle if parsed else None
    rules = puzzle or _empty_puzzle(published, report)
    grids, valid_count = _read_grids(published, rules, report) if rules else ([], 0)
    if parsed:
        _audit_disagreement(published, parsed, grids, report)
    if rules:
        audit_conflict(record, puzzle, rules.geometry, report)
    if puzzle:
        audit_record_traits(record, puzzle, grids, report)
        audit_encoding(published, puzzle, grids, report)
    difference = or_none(record.difference)
    if difference and len({*grids}) == len(names) > 1:
        audit_difference(difference, grids, report)

    def formula() -> Formula:
        if puzzle is None or len(grids) != len(names):
            raise InputError(f"{counted(len(names) - len(grids), 'solution')} cannot be read")
        return proof_formula(puzzle, grids)

    proved = audit_proof(published, formula if puzzle else None, report)
    if record.complete and puzzle and not proved and valid_count == len(names):
        audit_other_solutions(puzzle, grids, report)
    if record.status == "multiple" and puzzle and valid_count == len(names) == 1:
        audit_other_solutions(puzzle, grids, report, expects_other=True)


def _read_grids(
    published: PublishedPuzzle, rules: Puzzle, report: Findings
) -> tuple[list[Grid], int]:
    """Read the grids in the solution files, and report wrong grids and repeated ones.

    Returns the grids, and the number of distinct correct solutions among them.
    """
    first: dict[Grid, str] = {}
    grids, valid_count = [], 0
    for name in published.solution_files:
        grid = read_grid(published, name, rules, report)
        if grid is None:
            continue
        violations = certify_grid(rules, grid)
        for violation in violations[:_MAX_VIOLATIONS]:
            report.add_problem(f"{name}: {violation}")
        if first.setdefault(grid, name) != name:
            report.add_problem(f"{name} has the same grid as {first[grid]}")
        valid_count += first[grid] == name and not violations
        grids.append(grid)
    return grids, valid_count


def _compare_puzzle(
    published: PublishedPuzzle, content: Content, report: Findings
) -> Parsed | None:
    """Compare the record with the puzzle in the original.

    Returns the parsed original; None if the original is unknown or is not a puzzle.
    """
    record = published.record
    if not isinstance(content, Parsed):
        if content is not None:
            why = "it reads as a formula" if isinstance(content, ParsedFormula) else content
            report.add_problem(f"the original is not a puzzle: {why}")
        return None
    parsed, geometry = content, content.puzzle.geometry
    box = geometry.height, geometry.width
    computed = _notation_text(parsed.format, parsed.variant, box)
    recorded = _notation_text(record.format, record.variant, record.box)
    if recorded != computed:
        add_finding = report.add_difference if record.box == box else report.add_problem
        add_finding(f"the record says {recorded}, the original is {computed}")
    rules = Counter(rule.name for rule in parsed.puzzle.rules)
    for field, recorded_value, expected, add_finding in (
        ("grids", or_none(record.grids) or (), geometry.grids, report.add_problem),
        ("free", or_none(record.free), RecordedFree.of(geometry), report.add_problem),
        ("rules", or_none(record.rules) or {}, rules, report.add_difference),
        ("title", or_none(record.title) or "", parsed.title, report.add_difference),
    ):
        if recorded_value != expected:
            add_finding(f"{field}: the record says {recorded_value}, the original has {expected}")
    _audit_unread(record, parsed.unread, report)
    return parsed


def _audit_unread(record: PuzzleRecord, unread: tuple[str, ...], report: Findings) -> None:
    """Compare the unread parts in the record with the unread parts of the original."""
    if (recorded := or_none(record.unread) or ()) != unread:
        report.add_difference(f"unread: the record says {recorded}, the original has {unread}")
    if not report.is_current_build:
        for remark in sorted({*unread}.difference(recorded)):
            report.add_gap(f"unread: the record does not mention {remark!r}")


def _notation_text(form: str | None, variant: str | None, box: tuple[int, int] | None) -> str:
    boxes = "no boxes" if box is None else f"boxes of {box[0]}×{box[1]}"
    return f"{form}, {variant}, {boxes}"


def _audit_disagreement(
    published: PublishedPuzzle, parsed: Parsed, grids: list[Grid], report: Findings
) -> None:
    """Check that `disagreement` is recorded exactly if the solution in the original is wrong."""
    record, symbols = published.record, symbols_of(parsed.format)
    complete = record.complete is True
    is_wrong = is_wrong_solution(parsed.claimed, symbols, parsed.puzzle, grids, complete=complete)
    if (or_none(record.disagreement) is not None) != is_wrong:
        verb = "does not say" if is_wrong else "says"
        report.add_problem(f"the record {verb} that the solution in the original is wrong")


def _empty_puzzle(published: PublishedPuzzle, report: Findings) -> Puzzle | None:
    """Make an empty puzzle of the recorded geometry, without rules.

    Reports an invalid geometry, and returns None.
    """
    try:
        record = published.record
        recorded = or_none(record.free)
        grids, free_grid = or_none(record.grids) or (), recorded.free_grid() if recorded else None
        return Puzzle.empty(Geometry(*record.box or (0, 0), grids, free_grid))
    except ValueError as error:
        report.add_problem(f"box: {error}")
        return None


def read_grid(
    published: PublishedPuzzle, name: str, rules: Puzzle, report: Findings
) -> Grid | None:
    """Read the grid in a solution file. Reports an invalid file, and returns None.

    A solution is written as rows of values, or as a filled puzzle in the notation of the original.
    If another version wrote it, the other form and other notations are tried too.
    """
    record, max_bytes = published.record, report.settings.max_bytes
    notation = record.format or ""
    data = _read_solution_file(published, name, max_bytes, report)
    if data is None:
        return None
    as_values = record.variant == "rules" or is_written_as_values(notation, rules)
    readings: list[Callable[[], Grid]] = [
        lambda: read_values(data, name, rules.geometry),
        lambda: _read_filled(data, name, _reading_for(notation, max_bytes)),
        lambda: _read_filled(data, name, Reading("classic", max_bytes)),
        lambda: _read_document(data, rules.geometry),
    ]
    try:
        return readings[not as_values]()
    except (InputError, UsageError) as error:
        fault = str(error)
    for reading in () if report.is_current_build else readings:
        with suppress(InputError, UsageError, ValueError):
            return Grid(rules.geometry, reading().values)
    report.add_problem(fault)
    return None


def _read_filled(data: bytes, name: str, reading: Reading) -> Grid:
    """Read the grid of a filled puzzle. Raises InputError and UsageError."""
    return filled_grid(parse_source(data, name, reading).puzzle, name)


def _read_document(data: bytes, geometry: Geometry) -> Grid:
    """Read the grid in an f-puzzles document, even if values are not givens. Raises ValueError."""
    try:
        rows = json.loads(data)["grid"]
        return Grid(geometry, tuple(cell["value"] for row in rows for cell in row))
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError from error


def _reading_for(notation: str, max_bytes: int) -> Reading:
    """The options for reading a filled puzzle in the notation named by the `format` of a record."""
    form, _, rest = notation.partition(" ")
    reading = Reading("classic", max_bytes, form)
    alphabet = rest.partition(" ")[0].upper()
    if alphabet in ALPHABET_NAMES:
        return reading._replace(alphabet=alphabet)  # type: ignore[arg-type] # one of the names
    return reading


def _read_solution_file(
    published: PublishedPuzzle, name: str, max_bytes: int, report: Findings
) -> bytes | None:
    """Read at most `max_bytes` + 1 bytes of a solution file; None if this fails."""
    try:
        return read_regular(published.sibling(name), max_bytes)
    except FileNotFoundError:  # `audit_files` reports it
        return None
    except OSError as error:
        report.add_problem(f"{name}: cannot be read: {in_words(error)}")
        return None


def _audit_formula(published: PublishedPuzzle, content: Content, report: Findings) -> None:
    """Check the models of a formula, its recorded size, and its completeness."""
    record, parsed = published.record, content if isinstance(content, ParsedFormula) else None
    if parsed is None and content is not None:
        why = f"it reads as {content.format}" if isinstance(content, Parsed) else content
        report.add_problem(f"the original is not a formula: {why}")
    models = [*read_models(published, parsed, report)] if parsed else []
    if parsed:
        audit_formula_size(record, parsed, report)
        _audit_unread(record, parsed.unread, report)
        if parsed.is_short and record.complete and record.solutions:
            report.add_problem(
                "complete is true, but the formula has fewer clauses than its header declares, so "
                "some models may not be models of the full formula"
            )

    def formula() -> Formula:
        if parsed is None or len(models) != len(published.solution_files):
            raise InputError("its models cannot be read")
        return Formula(*proof_clauses(parsed, models))

    proved = audit_proof(published, formula if parsed else None, report)
    if record.complete and parsed and not proved and len(models) == len(published.solution_files):
        audit_other_models(parsed, models, report)
    if record.status == "multiple" and record.solutions == 1:
        report.add_gap(_ONE_MODEL_GAP)


def read_models(
    published: PublishedPuzzle, parsed: ParsedFormula, report: Findings
) -> Iterator[Model]:
    """Yield the models in the solution files. Reports wrong models, and omits unreadable ones."""
    first: dict[Model, str] = {}
    max_bytes = _MAX_VARIABLE_BYTES * parsed.variables + _MAX_EXTRA_BYTES
    for name in published.solution_files:
        data = _read_solution_file(published, name, max_bytes, report)
        if data is None:
            continue
        if len(data) > max_bytes:
            report.add_problem(f"{name}: has more than {max_bytes} bytes")
            continue
        try:
            model = read_model(data, parsed.variables)
        except InputError as error:
            report.add_problem(f"{name}: {error}")
            continue
        if (index := certify_model(parsed.written, model)) is not None:
            report.add_problem(f"{name}: clause {index + 1} of the original is not satisfied")
        if first.setdefault(model, name) != name:
            report.add_problem(f"{name} has the same model as {first[model]}")
        yield model
