"""One puzzle's set: the puzzle read again, each grid against it, and the proof."""

from __future__ import annotations

from pipeline.audit.cnf import audit_cnf
from pipeline.audit.encodings import audit_encoding
from pipeline.audit.explanations import audit_conflict, audit_difference, audit_presence
from pipeline.audit.files import ONLY_CLAIMED, audit_text, fault_in_status
from pipeline.audit.findings import Report
from pipeline.audit.lines import is_denied
from pipeline.audit.proofs import audit_proof
from pipeline.audit.records import Record
from pipeline.audit.terms import Terms
from pipeline.certify import certify_grid
from pipeline.certify.formula import Formula, proof_formula
from pipeline.errors import InputError, InvalidPuzzle, UsageError, counted, in_words
from pipeline.files import read_regular
from pipeline.parse import ALPHABET_NAMES, Parsed, parse_source, render_puzzle, signs_of
from pipeline.parse.formula import CNF_FORMAT, looks_like_cnf, parse_formula
from pipeline.parse.looks import NO_PUZZLE, looks_like_no_puzzle
from pipeline.puzzle import Geometry, Grid, Puzzle
from pipeline.settings import Reading

_SHOWN = 3


def audit_single(record: Record, data: bytes | None, terms: Terms, report: Report) -> str:
    """Audit a result against the bytes of its original, if they are known; what it claims."""
    fault = fault_in_status(record.status, record.solutions or 0, record.complete)
    if fault:
        report.bad(fault)
    if record.status == "solved" and record.format != CNF_FORMAT:
        report.bad("the status 'solved' is that of a formula")
    if record.status == "multiple" and record.solutions == 1:
        report.gap(ONLY_CLAIMED)
    if record.solutions is None:
        report.bad("the record tells no number of solutions")
    audit_presence(record, report)
    if record.status in ("invalid", "other") and data is not None:
        _audit_invalid(record, data, terms, report)
    is_unread = record.status == "unknown" and record.format is None  # there was no time
    if is_unread or record.status in ("invalid", "other", "failed"):
        audit_encoding(record, None, report)
        audit_proof(record, None, None, terms, report)
        return record.status
    if record.format == CNF_FORMAT:
        return audit_cnf(record, data, terms, report)
    parsed = None if data is None else _parsed(record, data, terms, report)
    audit_encoding(record, parsed.puzzle if parsed else None, report)
    proved = _audit_solutions(record, parsed, terms, report)
    return f"{record.status}, {proved}" if record.complete else record.status


def _audit_invalid(record: Record, data: bytes, terms: Terms, report: Report) -> None:
    """Whether the original is no puzzle indeed, and in an archive does not look like one."""
    form = terms.reading.format
    try:
        if form == CNF_FORMAT or (form == "auto" and looks_like_cnf(data)):
            parse_formula(data, record.source, terms.reading.max_bytes)
            what = "a formula"
        else:
            what = parse_source(data, record.source, *terms.reading).format
    except UsageError:  # it was declared to be what it is not
        return
    except InvalidPuzzle as error:
        _compare_refusal(record, data, str(error), report)
        return
    report.bad(f"the status is {record.status!r}, but the original reads as {what}")


def _compare_refusal(record: Record, data: bytes, said: str, report: Report) -> None:
    """Whether what cannot be read, for the reason said, has the status and message it should."""
    is_other = record.member is not None and looks_like_no_puzzle(data)
    status, message = ("other", f"{said}; {NO_PUZZLE}") if is_other else ("invalid", said)
    if record.status != status:
        report.bad(f"the status should be {status!r}")
    if record.is_ours and record.message != message:
        report.bad(f"the message should be {message!r}")


def _parsed(record: Record, data: bytes, terms: Terms, report: Report) -> Parsed | None:
    """What the original reads as; None if it is no puzzle."""
    try:
        parsed = parse_source(data, record.source, *terms.reading)
    except (InvalidPuzzle, UsageError) as error:
        report.bad(f"the original is no puzzle: {error}")
        return None
    if _told(parsed) != (record.format, record.variant, record.box):
        ours, theirs = _told(parsed), (record.format, record.variant, record.box)
        report.bad(f"the record says {_in_words(*theirs)}, the original is {_in_words(*ours)}")
    return parsed


def _told(parsed: Parsed) -> tuple[str, str, tuple[int, int]]:
    geometry = parsed.puzzle.geometry
    return parsed.format, parsed.variant, (geometry.height, geometry.width)


def _in_words(form: str | None, variant: str | None, box: tuple[int, int] | None) -> str:
    boxes = "no boxes" if box is None else f"boxes of {box[0]}×{box[1]}"
    return f"{form}, {variant}, {boxes}"


def _audit_solutions(record: Record, parsed: Parsed | None, terms: Terms, report: Report) -> str:
    """Check every grid, what is explained, and the proof; what the certificate says."""
    puzzle = parsed.puzzle if parsed else None
    rules = puzzle or _rules_alone(record, report)
    grids: list[Grid] = []
    first: dict[Grid, str] = {}
    names = record.numbered()
    for name in names if rules else ():
        grid = _grid(record, name, terms, report)
        if grid is None or rules is None:
            continue
        for violation in certify_grid(rules, grid)[:_SHOWN]:
            report.bad(f"{name}: {violation}")
        if first.setdefault(grid, name) != name:
            report.bad(f"{name} holds the same grid as {first[grid]}")
        grids.append(grid)
    if parsed:
        _audit_beside(record, parsed, grids, report)

    if rules and record.conflict:
        audit_conflict(record.conflict, puzzle, rules.geometry, terms, report)
    if record.difference and len(first) == len(names) > 1:
        audit_difference(record.difference, grids, terms, report)

    def formula() -> Formula:
        if puzzle is None or len(grids) != len(names):
            raise InputError(f"{counted(len(names) - len(grids), 'solution')} cannot be read")
        return proof_formula(puzzle, grids)

    geometry = rules.geometry if rules else None
    return audit_proof(record, formula if puzzle else None, geometry, terms, report)


def _audit_beside(record: Record, parsed: Parsed, grids: list[Grid], report: Report) -> None:
    """Whether the record tells of the solution beside the puzzle that it is wrong, if it is."""
    signs, complete = signs_of(parsed.format), record.complete is True
    denied = is_denied(parsed.claimed, signs, parsed.puzzle, grids, complete=complete)
    told = record.disagreement
    if (told is not None) != denied or (told or "") not in (record.message or ""):
        said = "does not say" if denied else "says"
        report.bad(f"the record {said} that the solution beside the puzzle is wrong")


def _rules_alone(record: Record, report: Report) -> Puzzle | None:
    """A puzzle without givens, of the size that the record tells."""
    try:
        return Puzzle.empty(Geometry(*record.box or (0, 0)))
    except ValueError as error:
        report.bad(f"box: {error}")
        return None


def _grid(record: Record, name: str, terms: Terms, report: Report) -> Grid | None:
    """The grid in a solution file; None where that is not one."""
    form, _, notation = (record.format or "").partition(" ")
    alphabet = notation.partition(" ")[0].upper()
    reading = Reading("classic", terms.reading.max_bytes, form)
    if alphabet in ALPHABET_NAMES:
        reading = reading._replace(alphabet=alphabet)  # type: ignore[arg-type]
    try:
        data = read_regular(record.path.with_name(name), reading.max_bytes)
        puzzle = parse_source(data, name, *reading).puzzle
    except FileNotFoundError:  # that was said
        return None
    except OSError as error:
        report.bad(f"{name}: cannot be read: {in_words(error)}")
        return None
    except (InvalidPuzzle, UsageError) as error:
        report.bad(str(error))
        return None
    values = dict(puzzle.givens())
    for cell in range(len(puzzle.cells)):
        if cell not in values:
            row, column = puzzle.geometry.place(cell)
            report.bad(f"{name}: row {row}, column {column} is not filled")
            return None
    try:
        audit_text(name, data, render_puzzle(puzzle, record.format or ""), report)
    except (KeyError, ValueError):
        report.bad(f"{name}: there are no signs for it in the format {record.format!r}")
    return Grid(puzzle.geometry, tuple(value for _, value in sorted(values.items())))
