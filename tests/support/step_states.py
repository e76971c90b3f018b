"""A state for each technique, in which the technique finds a step.

    PYTHONPATH=tests python -m support.step_states

writes the reasons of these steps to the golden file again.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from pipeline.reading.formats import parse_source
from pipeline.steps import Step, loader, steps
from pipeline.steps.orders import order_with
from pipeline.steps.presentation.words import branch_lines

REASONS = Path(__file__).parents[1] / "golden" / "step-reasons.txt"

with Path(__file__).with_name("step_states.csv").open() as _file:
    STATES = {(row["order"], row["technique"]): row["state"] for row in csv.DictReader(_file)}
"""Order and technique → the state, as a line of HoDoKu's library."""


WITHOUT_STATE = {
    ("hodoku", "avoidable rectangle 2"),
    ("explainer", "dynamic forcing chain plus"),
    ("explainer", "nested forcing chain"),
    ("explainer", "nested multiple forcing chain"),
    ("explainer", "nested dynamic forcing chain"),
}
"""Techniques that no puzzle at hand needs, and those that take minutes in plain Python."""


@cache
def example(order: str, name: str) -> Step:
    """The first step of a technique in its state."""
    parsed = parse_source(STATES[order, name].encode(), "state.txt")
    technique = next(each for each in order_with(order) if each.name == name)
    placed, eliminated = parsed.progress
    cells = parsed.puzzle.cells
    return next(
        steps(cells, unique=True, techniques=[technique], placed=placed, eliminated=eliminated)
    )


def reasons() -> str:
    """The line, the reason and the branches of each step, with an empty line between steps."""
    texts = []
    for order, name in STATES:
        step = example(order, name)
        branches = [line for each in step.branches for line in branch_lines(step.before, each)]
        texts.append("\n".join([f"{order}: {step}", step.reason, *branches]))
    return "\n\n".join(texts) + "\n"


if __name__ == "__main__":
    loader.get = lambda *_, **__: None  # type: ignore[method-assign]
    REASONS.write_text(reasons())
