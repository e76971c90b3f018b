"""iss: the constraint texts of the Interactive Sudoku Solver.

    .Thermo~R9C4~R8C3~R7C2.~R1C2_4~R2C5_1_2

Each constraint is a dot, its type and its arguments; one without a type tells values of cells.
Rows and columns are single signs, 1-9 and a-g. White space means nothing. A type that is not
known is refused by its name. Sides are 4 to 16.
"""

from __future__ import annotations

import re

from pipeline.parse.base import Format, Found
from pipeline.parse.text import Text
from pipeline.settings import Reading

_TYPES = r"(?:[XV]|NFA)\s*~|[A-Z][A-Za-z]*[a-z]"
_BEGINS = re.compile(rf"\s*\.(?:\s*\.)*\s*(?:~|{_TYPES})", re.ASCII)
_ENOUGH = 400
"""Characters that are looked at: no type is so long."""


def recognise_iss(text: Text) -> str | None:
    """Recognise a type or a tilde after a dot: no grid has either, even one with letters."""
    begun = "\n".join(line.text[:_ENOUGH] for line in text.lines[:_ENOUGH])
    return "it begins as a constraint, '.Type~'" if _BEGINS.match(begun) else None


def is_constraint(line: str) -> bool:
    """Whether a line is a single constraint: a text is often written so, line by line."""
    return _BEGINS.match(line) is not None and line.count(".") == 1


def parse_iss(text: Text, _reading: Reading) -> Found:
    from pipeline.parse.iss.reading import read  # noqa: PLC0415 - with all rules

    return read(text)


ISS = Format("iss", recognise_iss, parse_iss, render=None, begins=_BEGINS)
