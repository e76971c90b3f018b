"""SadMan: the `.sdk` files of SadMan Sudoku and SudoCue.

    #AWho made it
    [Puzzle]
    .234..8..
    …
    [State]
    …

Lines beginning with `#` are about the puzzle. The section [Puzzle] holds a grid; other sections
(the state of play, pencil marks, colours) are not part of the puzzle. A file without sections is a
plain grid. The format: sadmansoftware.com/sudoku/faq19.php.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pipeline.errors import InvalidPuzzle
from pipeline.parse.base import Format, Found
from pipeline.parse.grid import parse_grid, render_grid
from pipeline.parse.text import Line, Text
from pipeline.puzzle import Puzzle
from pipeline.settings import Reading

_BEGINS = re.compile(r"(?i)\s*\[\s*(?:puzzle|state)\s*\]")
_HEADING = re.compile(r"\[([A-Za-z ]+)\]")
_PUZZLE = "[Puzzle]"


def _is_heading(line: Line) -> bool:
    return line.text.lstrip().startswith("[")


def recognise_sadman(text: Text) -> str | None:
    first = next((line for line in text.lines if _is_heading(line)), None)
    return f"line {first.number} is the heading of a section" if first else None


def parse_sadman(text: Text, reading: Reading) -> Found:
    rows = _puzzle_rows(text)
    try:
        return parse_grid(replace(text, lines=rows), reading)
    except InvalidPuzzle as error:
        ended = rows[-1] is not text.lines[-1]
        raise replace(error, truncated=error.truncated and not ended) from None


def _puzzle_rows(text: Text) -> tuple[Line, ...]:
    """The lines of the section [Puzzle], or those before the first section if there is none."""
    sections: dict[str, list[Line]] = {"": []}
    lines = sections[""]
    heading = None
    for line in text.lines:
        if not _is_heading(line):
            lines.append(line)
            continue
        match = _HEADING.fullmatch(line.text.strip())
        if not match:
            raise text.at_line(line, f"the heading of a section, such as {_PUZZLE}")
        name = match[1].strip().lower()
        if name == "puzzle":
            if heading:
                again = f"a second {_PUZZLE}"
                raise text.at_line(line, "a single puzzle", again, may_go_on=False)
            heading = line
        lines = sections.setdefault(name, [])
    before, rows = sections[""], sections.get("puzzle", [])
    if heading is None and not before:
        raise text.at_end(f"a section {_PUZZLE}", "none")
    if heading is None:
        return tuple(before)
    if before:
        raise text.at_line(before[0], f"nothing but comments before the section {_PUZZLE}")
    if not rows:
        raise text.at_line(heading, f"the rows of the puzzle under {_PUZZLE}", "none")
    return tuple(rows)


def render_sadman(puzzle: Puzzle) -> str:
    return f"{_PUZZLE}\n{render_grid(puzzle)}"


SADMAN = Format("sadman", recognise_sadman, parse_sadman, render_sadman, begins=_BEGINS)
