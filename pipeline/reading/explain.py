"""Explain how a source is read: its format, the reason, its size, and the parts that were ignored.

For a refused source, the facts include the formats that recognise it, with their errors, and the
formats that could read it if they were declared.
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
from pipeline.reading.formats.cells import LINE_SUFFIX, shape_in_words, symbols_of
from pipeline.reading.formats.detect import format_of
from pipeline.reading.formats.dimacs import CNF_FORMAT
from pipeline.reading.formats.line import FieldLayout
from pipeline.reading.formats.text import DECODED_BYTES, Text, decode_text, quote
from pipeline.reading.read import COLLECTION_CHUNK_BYTES, parse_now, source_at
from pipeline.settings import Reading, Settings

Facts = dict[str, Any]
"""Name of a fact → its value. `kind` is puzzle, formula, collection, archive or refused."""

_TRIAL_SECONDS = 0.5
"""Time limit for reading a refused source in another format."""

_MAX_LISTED = 4
"""Maximum number of formats or unread texts that a fact lists."""


def explain(path: Path, name: str, settings: Settings) -> Facts:
    """Collect the facts about a file or folder. Raises OSError and LimitReached."""
    source = source_at(path, name, settings)
    match source:
        case Archive(kind=kind):
            description = "a folder" if kind == "folder" else f"an archive ({kind})"
            members = "each is read separately"
            return {"kind": "archive", "format": description, "members": members}
        case Collection(layout=layout, kind=kind):
            packed = {} if kind == "plain" else {"packed": kind}
            return {"kind": "collection"} | packed | _collection_facts(layout, path, settings)
    return _problem_facts(parse_now(source, settings), settings)


def _problem_facts(source: OneProblem, settings: Settings) -> Facts:
    if isinstance(source, Unreadable):
        facts: Facts = {"kind": "refused", "code": source.code, "message": source.reason}
        facts |= {"read_as": source.read_as} if source.read_as else {}
        return facts | _alternatives(source, settings.reading)
    parsed = source.parsed
    if isinstance(parsed, Parsed):
        return {"kind": "puzzle"} | _puzzle_facts(parsed, source.data)
    facts = {"kind": "formula", "format": CNF_FORMAT}
    if parsed is None:
        return facts
    variables = counted(parsed.variables, "variable", ",")
    clauses = counted(len(parsed.clauses), "clause", ",")
    facts |= {"reason": parsed.reason, "size": f"{variables}, {clauses}"}
    return facts | ({"not read": ", ".join(parsed.unread)} if parsed.unread else {})


def _puzzle_facts(parsed: Parsed, data: bytes) -> Facts:
    puzzle, geometry = parsed.puzzle, parsed.puzzle.geometry
    name, _, notation = parsed.format.partition(" ")
    facts: Facts = {"format": name, "reason": parsed.reason}
    if symbols_of(parsed.format):
        facts["alphabet"] = notation.removesuffix(LINE_SUFFIX)
    elif notation:
        facts["notation"] = notation
    if not geometry.free_grid and not geometry.grids:
        facts["side"] = geometry.side
    facts["boxes"] = shape_in_words(geometry)
    facts["variant"] = parsed.variant
    if puzzle.rules:
        counts = Counter(rule.name for rule in puzzle.rules)
        facts["rules"] = ", ".join(f"{number} {rule}" for rule, number in counts.items())
    facts["givens"] = f"{sum(1 for _ in puzzle.givens())} of {len(puzzle.cells)} cells"
    if blanks := _blank_characters(parsed, data):
        facts["blanks"] = " ".join(map(quote, sorted(blanks)))
    if parsed.title:
        facts["title"] = parsed.title
    if parsed.claimed:
        facts["solution"] = "in the file; it is compared with the result"
    if parsed.unread:
        facts["not read"] = ", ".join(parsed.unread)
    return facts


def _blank_characters(parsed: Parsed, data: bytes) -> set[str]:
    """The characters of the blanks; empty unless each cell is one character of the text."""
    text = _short_text(data, "")
    characters = "".join(row.cells for row in text.rows) if text else ""
    puzzle = parsed.puzzle
    if len(characters) != len(puzzle.cells):
        return set()
    blank = puzzle.geometry.all_values
    pairs = zip(characters, puzzle.cells, strict=True)
    return {character for character, mask in pairs if mask == blank}


def _short_text(data: bytes, name: str) -> Text | None:
    """The text of a small source; None if it is large or not a text."""
    if len(data) > DECODED_BYTES:
        return None
    try:
        return decode_text(data, name)
    except InvalidPuzzle:
        return None


def _collection_facts(layout: Layout, path: Path, settings: Settings) -> Facts:
    facts: Facts = {"format": layout.format.name, "reason": layout.reason}
    if isinstance(fields := layout.details, FieldLayout):
        if fields.delimiter:
            facts["delimiter"] = quote(fields.delimiter)
        if fields.header:
            facts["header"] = f"line {fields.header}"
        if fields.column is not None:
            facts["puzzle"] = _field_in_words(fields, fields.column)
        if fields.solution is not None:
            field = _field_in_words(fields, fields.solution)
            facts["solution"] = f"{field}; it is compared with the result"
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
        facts["not read"] = ", ".join([*unread][:_MAX_LISTED])
    return facts


def _field_in_words(fields: FieldLayout, index: int) -> str:
    name = f" ({fields.names[index]})" if index < len(fields.names) else ""
    return f"field {index + 1}{name}"


def _alternatives(source: Unreadable, reading: Reading) -> Facts:
    """Collect the facts about other formats for a refused source.

    - `nearly`: the formats that recognise it, with their errors.
    - `would read it`: the options that declare formats that can read it.
    """
    text = _short_text(source.data or b"", source.name)
    if text is None or source.code == "foreign-format":
        return {}
    facts = Facts()
    chosen = format_of(text)[0] if reading.format == "auto" else None
    nearly, options = list[str](), list[str]()
    for candidate in FORMATS:
        if candidate is chosen or candidate.name == reading.format:
            continue
        reason = candidate.recognise(text)
        refusal = _refusal_by(candidate, text, reading)
        if refusal is None:
            options.append(f"--format {candidate.name}")
        elif reason is not None:
            nearly.append(f"{candidate.name}: {reason}; {refusal}")
    if nearly:
        facts["nearly"] = nearly[:_MAX_LISTED]
    if options:
        facts["would read it"] = ", ".join(options)
    return facts


def _refusal_by(candidate: Format, text: Text, reading: Reading) -> str | None:
    """The error of a format for a text; None if the format can read it."""
    trial = reading._replace(format=candidate.name).at_most(_TRIAL_SECONDS)
    try:
        parse_source(text.data, text.source, trial)
    except InvalidPuzzle as error:
        location = f"line {error.line}: " if error.line else ""
        return f"{location}expected {error.expected}, found {error.found}"
    except LimitReached as error:
        return str(error)
    return None
