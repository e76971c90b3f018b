"""Bytes → Puzzle, or many of them, or a formula."""

from __future__ import annotations

from pipeline.reading.formats.base import Entry, Format, Parsed, Piece, Variant
from pipeline.reading.formats.cells import ALPHABET_NAMES, signs_of
from pipeline.reading.formats.detect import (
    COLLECTIONS,
    DECLARABLE,
    FORMAT_NAMES,
    FORMATS,
    HEAD_BYTES,
    Detected,
    FormulaBegun,
    What,
    detect,
    detect_collection,
    parse_puzzle,
    parse_source,
)
from pipeline.reading.formats.text import count_lines, oversize
from pipeline.reading.formats.writing import (
    has_document,
    is_written_otherwise,
    parsed_from,
    read_solution,
    render_puzzle,
    solution_text,
)

__all__ = [
    "ALPHABET_NAMES",
    "COLLECTIONS",
    "DECLARABLE",
    "FORMATS",
    "FORMAT_NAMES",
    "HEAD_BYTES",
    "Detected",
    "Entry",
    "Format",
    "FormulaBegun",
    "Parsed",
    "Piece",
    "Variant",
    "What",
    "count_lines",
    "detect",
    "detect_collection",
    "has_document",
    "is_written_otherwise",
    "oversize",
    "parse_puzzle",
    "parse_source",
    "parsed_from",
    "read_solution",
    "render_puzzle",
    "signs_of",
    "solution_text",
]
