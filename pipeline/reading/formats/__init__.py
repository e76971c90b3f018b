"""The formats: parsers of puzzles, collections and formulas, and writers of puzzles."""

from __future__ import annotations

from pipeline.reading.formats.base import Format
from pipeline.reading.formats.cells import ALPHABET_NAMES, symbols_of
from pipeline.reading.formats.detect import (
    COLLECTIONS,
    FORMAT_NAMES,
    FORMATS,
    HEAD_BYTES,
    Layout,
    is_formula,
    is_written_as_values,
    parse_puzzle,
    parse_source,
    read_text,
)
from pipeline.reading.formats.grid_text import (
    filled_grid,
    parsed_from,
    read_values,
    render_puzzle,
    solution_text,
)
from pipeline.reading.formats.parsed import START, Entry, Parsed, TextChunk, TextPosition, Variant
from pipeline.reading.formats.text import count_lines, oversize_error

__all__ = [
    "ALPHABET_NAMES",
    "COLLECTIONS",
    "FORMATS",
    "FORMAT_NAMES",
    "HEAD_BYTES",
    "START",
    "Entry",
    "Format",
    "Layout",
    "Parsed",
    "TextChunk",
    "TextPosition",
    "Variant",
    "count_lines",
    "filled_grid",
    "is_formula",
    "is_written_as_values",
    "oversize_error",
    "parse_puzzle",
    "parse_source",
    "parsed_from",
    "read_text",
    "read_values",
    "render_puzzle",
    "solution_text",
    "symbols_of",
]
