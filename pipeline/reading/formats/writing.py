"""Puzzles and their solutions, written in the notation of what was read, and read back."""

from __future__ import annotations

from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading.formats.base import Format, Parsed
from pipeline.reading.formats.detect import FORMATS

_BY_NAME = {known.name: known for known in FORMATS}


def render_puzzle(puzzle: Puzzle, format_name: str) -> str:
    r"""Write a puzzle in a format, or in the notation that `Parsed.format` names.

        >>> from pipeline import parse_puzzle
        >>> render_puzzle(parse_puzzle("1.....2..3.....4"), "grid")
        '1...\n..2.\n.3..\n...4\n'

    Raises ValueError if the format cannot express the puzzle, KeyError for an unknown format.
    """
    name, _, notation = format_name.partition(" ")
    render = _BY_NAME[name].render
    if render is None or not puzzle.is_plain:
        raise ValueError(f"{name}: puzzles are not written in it, or not this one")
    return render(puzzle, notation)


def solution_text(parsed: Parsed, grid: Grid) -> str:
    """Write a solution of a puzzle as its notation does, or plainly its values."""
    chosen = _format_of(parsed.format)
    if chosen and chosen.fill:
        return chosen.fill(parsed.document, grid)
    if is_written_otherwise(parsed.format, parsed.puzzle):
        from pipeline.reading.formats.values import write_values  # noqa: PLC0415 - for few

        return write_values(grid)
    return render_puzzle(Puzzle.of_values(grid.geometry, grid.values), parsed.format)


def read_solution(data: bytes, source: str, parsed: Parsed) -> Grid:
    """The grid that `solution_text` writes so. Raises InvalidPuzzle.

    Only of a puzzle whose solutions are values, or fill its document.
    """
    chosen = _format_of(parsed.format)
    if chosen and chosen.filled:
        return chosen.filled(data, source, parsed.puzzle.geometry)
    from pipeline.reading.formats.values import read_values  # noqa: PLC0415 - for few

    return read_values(data, source, parsed.puzzle.geometry)


def has_document(format_name: str) -> bool:
    """Whether a solution in that notation is the document of its puzzle, filled in."""
    chosen = _format_of(format_name)
    return chosen is not None and chosen.fill is not None


def is_written_otherwise(format_name: str, puzzle: Puzzle) -> bool:
    """Whether the solutions of a puzzle are not written as filled puzzles in its notation."""
    chosen = _format_of(format_name)
    return not puzzle.is_plain or chosen is None or chosen.render is None


def _format_of(format_name: str) -> Format | None:
    """The format that `Parsed.format` names; None for that of puzzles which were not read."""
    return _BY_NAME.get(format_name.partition(" ")[0])


def parsed_from(puzzle: Puzzle) -> Parsed:
    """A puzzle that was not read from a text, in the first notation that can express it."""
    if not puzzle.is_plain:
        return Parsed(puzzle, "values", "it was not read", "rules")
    geometry = puzzle.geometry
    marked = not {geometry.even_values, geometry.odd_values}.isdisjoint(puzzle.cells)
    for name in ("grid", "boxes"):
        try:
            render_puzzle(puzzle, name)
        except ValueError:
            continue
        return Parsed(puzzle, name, "it was not read", "even-odd" if marked else "classic")
    return Parsed(puzzle, "boxes", "it was not read", "classic")
