"""Bytes → Puzzle.

Content decides which format a source is in, not its name. A new format is one module and one
entry in FORMATS.
"""

from __future__ import annotations

from pipeline.errors import InvalidPuzzle, UsageError
from pipeline.parse.base import Format, Found, Parsed, Variant
from pipeline.parse.bordered import BORDERED
from pipeline.parse.boxes import BOXES
from pipeline.parse.characters import CHARACTERS
from pipeline.parse.grid import GRID
from pipeline.parse.hodoku import HODOKU
from pipeline.parse.json_grid import JSON
from pipeline.parse.line import LINE
from pipeline.parse.opensudoku import OPENSUDOKU
from pipeline.parse.sadman import SADMAN
from pipeline.parse.simple import SIMPLE
from pipeline.parse.spaces import SPACES
from pipeline.parse.spreadsheet import SPREADSHEET
from pipeline.parse.text import Text, decode_text
from pipeline.puzzle import Puzzle
from pipeline.settings import MAX_BYTES, AlphabetChoice, Reading, VariantChoice

FORMATS = (
    OPENSUDOKU,
    HODOKU,
    JSON,
    SADMAN,
    BORDERED,
    SIMPLE,
    SPREADSHEET,
    SPACES,
    CHARACTERS,
    BOXES,
    LINE,
    GRID,
)
"""In the order in which they are asked; the last one explains what is wrong with the rest."""

__all__ = [
    "FORMATS",
    "Format",
    "Found",
    "Parsed",
    "Variant",
    "detect_format",
    "format_named",
    "made",
    "oversize",
    "parse_puzzle",
    "parse_single",
    "parse_source",
    "render_puzzle",
]


def parse_puzzle(
    data: bytes | str,
    variant: VariantChoice = "auto",
    format_name: str = "auto",
    alphabet: AlphabetChoice = "auto",
) -> Puzzle:
    """The puzzle that a text of any known format describes.

    Raises InvalidPuzzle with line, column, what was expected and what was found.
    """
    raw = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    reading = Reading(variant, format=format_name, alphabet=alphabet)
    return parse_source(raw, "puzzle", *reading).puzzle


def parse_source(
    data: bytes,
    source: str,
    variant: VariantChoice = "auto",
    max_bytes: int = MAX_BYTES,
    format_name: str = "auto",
    alphabet: AlphabetChoice = "auto",
) -> Parsed:
    """The puzzle in `data` and how it was read; `source` names it in messages.

    All behind `source` is what `Settings.reading` holds. A collection of only one puzzle is
    that puzzle. Raises InvalidPuzzle; a source of more than `max_bytes` bytes is not looked at.
    Raises UsageError for a format that there is not.
    """
    reading = Reading(variant, max_bytes, format_name, alphabet)
    fault: InvalidPuzzle | UsageError
    try:
        return parse_single(data, source, reading)
    except (InvalidPuzzle, UsageError) as error:
        fault = error
    from pipeline.parse.collections import lone  # noqa: PLC0415 - it builds on us

    found = lone.lone_puzzle(data, source, reading)
    if found is not None:
        return found
    if format_name in lone.COLLECTION_NAMES:
        raise InvalidPuzzle(source, None, None, "one puzzle", "none, or several")
    raise fault


def parse_single(data: bytes, source: str, reading: Reading) -> Parsed:
    """The puzzle in `data`, by the formats of single puzzles alone. Raises as `parse_source`."""
    if len(data) > reading.max_bytes:
        raise oversize(source, reading.max_bytes, "more")
    text = decode_text(data, source)
    if reading.format == "auto":
        chosen, reason = detect_format(text)
    else:
        chosen, reason = _format_wanted(reading.format), "--format says so"
    found = chosen.parse(text, reading)
    notation = f"{chosen.name} {found.notation}" if found.notation else chosen.name
    return Parsed(found.puzzle, notation, reason, found.variant)


def _format_wanted(name: str) -> Format:
    try:
        return format_named(name)
    except KeyError:
        names = ", ".join(known.name for known in FORMATS)
        raise UsageError(f"--format: expected one of auto, {names}") from None


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
    """The text of a puzzle in a format, or in the notation of one that `Parsed.format` names.

    Raises ValueError where the format has no signs for the puzzle, KeyError for no such format.
    """
    name, _, notation = format_name.partition(" ")
    known = format_named(name)
    if notation and known.render_as:
        return known.render_as(puzzle, notation)
    return known.render(puzzle)
