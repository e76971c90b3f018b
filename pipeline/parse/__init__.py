"""Bytes → Puzzle.

Content decides which format a source is in, not its name. A new format is one module and one
entry in FORMATS.
"""

from __future__ import annotations

from pipeline.errors import InvalidPuzzle
from pipeline.parse.base import Format, Parsed, Variant
from pipeline.parse.boxes import BOXES
from pipeline.parse.grid import GRID
from pipeline.parse.line import LINE
from pipeline.parse.text import Text, decode_text
from pipeline.puzzle import Puzzle
from pipeline.settings import MAX_BYTES, VariantChoice

FORMATS = (BOXES, LINE, GRID)
"""In the order in which they are asked; the last one explains what is wrong with the rest."""

__all__ = [
    "FORMATS",
    "Format",
    "Parsed",
    "Variant",
    "detect_format",
    "format_named",
    "made",
    "oversize",
    "parse_puzzle",
    "parse_source",
    "render_puzzle",
]


def parse_puzzle(data: bytes | str, variant: VariantChoice = "auto") -> Puzzle:
    """The puzzle that a text of any known format describes.

    Raises InvalidPuzzle with line, column, what was expected and what was found.
    """
    raw = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    return parse_source(raw, "puzzle", variant).puzzle


def parse_source(
    data: bytes, source: str, variant: VariantChoice = "auto", max_bytes: int = MAX_BYTES
) -> Parsed:
    """The puzzle in `data` and how it was read; `source` names it in messages.

    Raises InvalidPuzzle; a source of more than `max_bytes` bytes is not looked at.
    """
    if len(data) > max_bytes:
        raise oversize(source, max_bytes, "more")
    text = decode_text(data, source)
    chosen, reason = detect_format(text)
    puzzle, found_variant = chosen.parse(text, variant)
    return Parsed(puzzle, chosen.name, reason, found_variant)


def oversize(source: str, most: int, found: str) -> InvalidPuzzle:
    """The error for a source that is too large to be one puzzle."""
    return InvalidPuzzle(source, None, None, f"at most {most} bytes (--max-bytes)", found)


def made(puzzle: Puzzle) -> Parsed:
    """A puzzle that was not read from a text, in the first notation that has signs for it."""
    geometry = puzzle.geometry
    marked = not {geometry.even_values, geometry.odd_values}.isdisjoint(puzzle.cells)
    for name in ("grid", "boxes"):
        try:
            render_puzzle(puzzle, name)
        except ValueError:
            continue
        return Parsed(puzzle, name, "it was not read", "even-odd" if marked else "classic")
    return Parsed(puzzle, "boxes", "it was not read", "classic")


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
