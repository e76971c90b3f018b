"""Bytes → Puzzle, or many of them, or a formula."""

from __future__ import annotations

from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import ALPHABET_NAMES, signs_of
from pipeline.reading.formats.detect import (
    COLLECTIONS,
    FORMAT_NAMES,
    FORMATS,
    HEAD_BYTES,
    Detected,
    FormulaBegun,
    NotMany,
    What,
    detect,
    detect_collection,
    is_written_as_values,
    parse_puzzle,
    parse_source,
)
from pipeline.reading.formats.parsed import START, Entry, Parsed, Piece, Position, Variant
from pipeline.reading.formats.text import count_lines, oversize
from pipeline.reading.formats.writing import (
    parsed_from,
    read_values,
    render_puzzle,
    solution_text,
)

__all__ = [
    "ALPHABET_NAMES",
    "COLLECTIONS",
    "FORMATS",
    "FORMAT_NAMES",
    "HEAD_BYTES",
    "START",
    "Detected",
    "Entry",
    "Format",
    "FormulaBegun",
    "NotMany",
    "Parsed",
    "Piece",
    "Position",
    "Variant",
    "What",
    "count_lines",
    "detect",
    "detect_collection",
    "is_written_as_values",
    "oversize",
    "parse_puzzle",
    "parse_source",
    "parsed_from",
    "read_values",
    "render_puzzle",
    "signs_of",
    "solution_text",
]
