"""A collection of one puzzle: no collection, but that puzzle."""

from __future__ import annotations

from dataclasses import replace

from pipeline.errors import InvalidPuzzle
from pipeline.parse import FORMATS, Parsed, parse_single
from pipeline.parse.collections import COLLECTIONS, detect_collection
from pipeline.parse.collections.base import Piece
from pipeline.parse.collections.cutting import LONGEST
from pipeline.settings import Reading

COLLECTION_NAMES = {known.name for known in COLLECTIONS} - {known.name for known in FORMATS}
"""What `--format` may name that is no format of single puzzles."""


def lone_puzzle(data: bytes, source: str, reading: Reading) -> Parsed | None:
    """The puzzle in `data` if that, twice over, is a collection of two; else None."""
    declarable = reading.format == "auto" or reading.format in COLLECTION_NAMES
    if len(data) > min(LONGEST, reading.max_bytes) or not declarable:
        return None
    end = b"" if data.endswith((b"\n", b"\r")) else b"\n"
    found = detect_collection(data + end + data, complete=True, declared=reading.format)
    if found is None or found.format.name not in COLLECTION_NAMES:
        return None
    entries = found.format.entries(Piece(1, data), found.layout, source, reading)
    if len(entries) != 1 or entries[0].error is not None:
        return None
    try:
        text = entries[0].text.encode(errors="surrogateescape")
        parsed = parse_single(text, source, reading._replace(format="auto"))
    except InvalidPuzzle:
        return None
    reason = f"{found.reason}, and there is but one"
    return replace(parsed, reason=reason, claimed=entries[0].claimed)
