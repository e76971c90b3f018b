"""A state for each technique, in which the technique finds a step."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from pipeline.reading.formats import parse_puzzle
from pipeline.steps import Step, steps
from pipeline.steps.orders import ORDERS

with Path(__file__).with_name("step_states.csv").open() as _file:
    STATES = {(row["order"], row["technique"]): row["state"] for row in csv.DictReader(_file)}
"""Order and technique → the state, as a line of HoDoKu's library."""


@cache
def example(order: str, name: str) -> Step:
    """The first step of a technique in its state."""
    parsed = parse_puzzle(STATES[order, name])
    technique = next(each for each in ORDERS[order] if each.name == name)
    placed, struck = parsed.progress
    cells = parsed.puzzle.cells
    return next(steps(cells, unique=True, techniques=[technique], placed=placed, struck=struck))
