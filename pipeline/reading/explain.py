"""How a source is read, as facts for people and programs: format and why, size, what was ignored.

A refused source has the formats that recognise it, with their errors, and those that would read it
if they were declared.
"""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

from pipeline.errors import InvalidPuzzle, LimitReached, counted
from pipeline.reading import Archive, Collection, OneProblem, Unreadable
from pipeline.reading.archives import UnpackLimits
from pipeline.reading.archives.walk import open_unpacked
from pipeline.reading.formats import FORMATS, Layout, Parsed, parse_source
from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import IN_LINE, shape_in_words, signs_of
from pipeline.reading.formats.detect import format_of
from pipeline.reading.formats.dimacs import CNF_FORMAT
from pipeline.reading.formats.line import Fields
from pipeline.reading.formats.text import DECODED_BYTES, Text, decode_text, quote
from pipeline.reading.read import COLLECTION_CHUNK_BYTES, read_now, source_at
from pipeline.settings import Reading, Settings

Facts = dict[str, Any]
"""Names and values; `kind` is puzzle, formula, collection, archive or refused."""

_TRIAL_SECONDS = 0.5
_MOST_NEAR = 4


def explain(path: Path, name: str, settings: Settings) -> Facts:
    """How the file or folder at a path is read. Raises OSError and LimitReached."""
    source = source_at(path, name, settings)
    match source:
        case Archive(kind=kind):
            what = "a folder" if kind == "folder" else f"an archive ({kind})"
            return {"kind": "archive", "format": what, "members": "each is read by itself"}
        case Collection(layout=layout, kind=kind):
            packed = {} if kind == "plain" else {"packed": kind}
            return {"kind": "collection"} | packed | _of_collection(layout, path, settings)
    return _of_one(read_now(source, settings), settings)


def _of_one(source: OneProblem, settings: Settings) -> Facts:
    if isinstance(source, Unreadable):
        facts: Facts = {"kind": "refused", "code": source.code, "message": source.reason}
        facts |= {"read_as": source.read_as} if source.read_as else {}
        return facts | _attempts(source, settings.reading)
    parsed = source.parsed
    if isinstance(parsed, Parsed):
        return {"kind": "puzzle"} | _of_puzzle(parsed, source.data)
    facts = {"kind": "formula", "format": CNF_FORMAT}
    if parsed is None:
        return facts
    variables = counted(parsed.variables, "variable", ",")
    clauses = counted(len(parsed.clauses), "clause", ",")
    facts |= {"reason": parsed.reason, "size": f"{variables}, {clauses}"}
    return facts | ({"not read": ", ".join(parsed.unread)} if parsed.unread else {})


def _of_puzzle(parsed: Parsed, data: bytes) -> Facts:
    puzzle, geometry = parsed.puzzle, parsed.puzzle.geometry
    name, _, notation = parsed.format.partition(" ")
    facts: Facts = {"format": name, "reason": parsed.reason}
    if signs_of(parsed.format):
        facts["alphabet"] = notation.removesuffix(IN_LINE)
    elif notation:
        facts["notation"] = notation
    if not geometry.free and not geometry.grids:
        facts["side"] = geometry.side
    facts["boxes"] = shape_in_words(geometry)
    facts["variant"] = parsed.variant
    if puzzle.rules:
        counts = Counter(rule.name for rule in puzzle.rules)
        facts["rules"] = ", ".join(f"{number} {rule}" for rule, number in counts.items())
    facts["givens"] = f"{sum(1 for _ in puzzle.givens())} of {len(puzzle.cells)} cells"
    if signs := _blanks(parsed, data):
        facts["blanks"] = " ".join(map(quote, sorted(signs)))
    if parsed.title:
        facts["title"] = parsed.title
    if parsed.claimed:
        facts["solution"] = "the file has one, which is compared"
    if parsed.unread:
        facts["not read"] = ", ".join(parsed.unread)
    return facts


def _blanks(parsed: Parsed, data: bytes) -> set[str]:
    """The signs of the blanks, if each cell of the text is one character."""
    text = _short_text(data, "")
    signs = "".join(row.cells for row in text.rows) if text else ""
    puzzle = parsed.puzzle
    if len(signs) != len(puzzle.cells):
        return set()
    blank = puzzle.geometry.all_values
    return {sign for sign, mask in zip(signs, puzzle.cells, strict=True) if mask == blank}


def _short_text(data: bytes, name: str) -> Text | None:
    """The text of a small source; None for anything else."""
    if len(data) > DECODED_BYTES:
        return None
    try:
        return decode_text(data, name)
    except InvalidPuzzle:
        return None


def _of_collection(layout: Layout, path: Path, settings: Settings) -> Facts:
    facts: Facts = {"format": layout.format.name, "reason": layout.reason}
    if isinstance(fields := layout.details, Fields):
        if fields.delimiter:
            facts["delimiter"] = quote(fields.delimiter)
        if fields.header:
            facts["header"] = f"line {fields.header}"
        if fields.column is not None:
            facts["puzzle"] = _field(fields, fields.column)
        if fields.solution is not None:
            facts["solution"] = f"{_field(fields, fields.solution)}, which is compared"
    with open_unpacked(path, UnpackLimits.of(settings)) as stream:
        head = io.BytesIO(stream.read(2 * COLLECTION_CHUNK_BYTES))
    chunk = next(layout.chunks(head, COLLECTION_CHUNK_BYTES), None)
    entries = layout.entries(chunk, settings.reading) if chunk else []
    refused = [entry for entry in entries if entry.error is not None]
    facts["puzzles"] = (
        f"{len(entries) - len(refused):,} in the first {COLLECTION_CHUNK_BYTES:,} bytes"
    )
    sides = Counter(entry.puzzle_read.geometry.side for entry in entries if entry.puzzle_read)
    facts["side"] = ", ".join(map(str, sides))
    if refused:
        facts["refused"] = f"{counted(len(refused), 'record')}; {refused[0].error}"
    if unread := dict.fromkeys(text for entry in entries for text in entry.unread):
        facts["not read"] = ", ".join([*unread][:_MOST_NEAR])
    return facts


def _field(fields: Fields, index: int) -> str:
    name = f" ({fields.names[index]})" if index < len(fields.names) else ""
    return f"field {index + 1}{name}"


def _attempts(source: Unreadable, reading: Reading) -> Facts:
    """The formats that nearly fit, with their errors, and those that would read the source."""
    text = _short_text(source.data or b"", source.name)
    if text is None or source.code == "foreign-format":
        return {}
    facts = Facts()
    chosen = format_of(text)[0] if reading.format == "auto" else None
    others = [known for known in FORMATS if known is not chosen and known.name != reading.format]
    near, fitting = list[str](), list[str]()
    for known in others:
        why = known.recognise(text)
        fault = _fault(known, text, reading)
        if fault is None:
            fitting.append(f"--format {known.name}")
        elif why is not None:
            near.append(f"{known.name}: {why}; {fault}")
    if near:
        facts["nearly"] = near[:_MOST_NEAR]
    if fitting:
        facts["would read it"] = ", ".join(fitting)
    return facts


def _fault(known: Format, text: Text, reading: Reading) -> str | None:
    """Why a format refuses a text; None if it reads it."""
    trial = reading._replace(format=known.name).at_most(_TRIAL_SECONDS)
    try:
        parse_source(text.data, text.source, trial)
    except InvalidPuzzle as error:
        place = f"line {error.line}: " if error.line else ""
        return f"{place}expected {error.expected}, found {error.found}"
    except LimitReached as error:
        return str(error)
    return None
