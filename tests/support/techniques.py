"""Puzzles, made by `generate`, and where in each a technique is the simplest that goes on."""

from __future__ import annotations

import csv
from pathlib import Path

with Path(__file__).with_name("techniques.csv").open() as _file:
    EXAMPLES = {
        row["technique"]: (int(row["step"]), row["puzzle"]) for row in csv.DictReader(_file)
    }
"""The number of the step, from 0, and the puzzle."""


def masks_of(line: str) -> list[int]:
    """The masks of a puzzle in a line, as `steps` takes them."""
    return [511 if sign == "." else 1 << int(sign) - 1 for sign in line]
