"""Bytes → Puzzle.

Content decides which format a source is in, not its name. A new format is one module and one
entry in FORMATS.
"""

from __future__ import annotations

from pipeline.errors import InvalidPuzzle
from pipeline.parse.base import Format, Parsed, Variant, WantedVariant
from pipeline.parse.boxes import BOXES
from pipeline.parse.grid import GRID
from pipeline.parse.line import LINE
from pipeline.parse.text import Text, decode_text
from pipeline.puzzle import Puzzle

FORMATS = (BOXES, LINE, GRID)
"""In the order in which they are asked; the last one explains what is wrong with the rest."""

MAX_BYTES = 64 * 1024 * 1024

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "Format",
    "Parsed",
    "Variant",
    "WantedVariant",
    "detect_format",
    "format_named",
    "parse_puzzle",
    "parse_source",
    "render_puzzle",
]


def parse_puzzle(data: bytes | str, variant: WantedVariant = "auto") -> Puzzle:
    """The puzzle that a text of any known format describes.

    Raises InvalidPuzzle with line, column, what was expected and what was found.
    """
    raw = data.encode() if isinstance(data, str) else data
    return parse_source(raw, "puzzle", variant).puzzle


def parse_source(
    data: bytes, source: str, variant: WantedVariant = "auto", max_bytes: int = MAX_BYTES
) -> Parsed:
    """The puzzle in `data` and how it was read; `source` names it in messages.

    Raises InvalidPuzzle; a source of more than `max_bytes` bytes is not looked at.
    """
    if len(data) > max_bytes:
        raise InvalidPuzzle(source, None, None, f"at most {max_bytes} bytes", f"{len(data)} bytes")
    text = decode_text(data, source)
    chosen, reason = detect_format(text)
    puzzle, found_variant = chosen.parse(text, variant)
    return Parsed(puzzle, chosen.name, reason, found_variant)


def detect_format(text: Text) -> tuple[Format, str]:
    """The format of a text, and why it is taken for that."""
    for candidate in FORMATS:
        reason = candidate.recognise(text)
        if reason is not None:
            return candidate, reason
    return FORMATS[-1], "no other format fits"


def format_named(name: str) -> Format:
    """The format of that name; raises KeyError for none."""
    return {known.name: known for known in FORMATS}[name]


def render_puzzle(puzzle: Puzzle, format_name: str) -> str:
    """The text of a puzzle in a format.

    Raises ValueError where the format has no signs for the puzzle.
    """
    return format_named(format_name).render(puzzle)
