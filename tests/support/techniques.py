"""Steps and ratings of Sudoku Explainer."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple


def _rows(name: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(name).open() as file:
        return [*csv.DictReader(file)]


class RatedStep(NamedTuple):
    """A step of Sudoku Explainer.

    - `rating`: its rating in tenths.
    - `masks`: the candidates before the step, as for `steps`.
    - `placed`, `eliminated`: the conclusions, as in `Step`.
    """

    rating: int
    masks: list[int]
    placed: tuple[tuple[int, int], ...]
    eliminated: tuple[tuple[int, int], ...]


def _conclusions(text: str, sign: str) -> tuple[tuple[int, int], ...]:
    """The (cell, value) of `r1c2=3` or `r1c2<>3`."""
    found = [word.partition(sign) for word in text.split() if word[4:].startswith(sign)]
    return tuple(sorted((9 * int(cell[1]) + int(cell[3]) - 10, int(v)) for cell, _, v in found))


def _mask(cell: str) -> int:
    """The candidates of a cell: its digits, or `.` for all."""
    return 511 if cell == "." else sum(1 << int(digit) - 1 for digit in cell)


def _rated_steps(name: str) -> dict[str, RatedStep]:
    return {
        row["technique"]: RatedStep(
            round(10 * float(row["rating"])),
            [_mask(cell) for cell in row["candidates"].split()],
            _conclusions(row["conclusions"], "="),
            _conclusions(row["conclusions"], "<>"),
        )
        for row in _rows(name)
    }


RATED_EXAMPLES = _rated_steps("explainer_steps.csv")
"""For each technique a state in which it is the first that applies."""

NESTED_EXAMPLES = _rated_steps("nested_steps.csv")
"""The same for dynamic chains that use other steps, which take long in plain Python."""

HARDEST_RATINGS = {
    row["puzzle"]: tuple(float(row[name]) for name in ("er", "ep", "ed"))
    for row in _rows("explainer_hardest.csv")
}
"""ER, EP and ED of some of the hardest known puzzles."""

EXPLAINER_RATINGS = [
    (row["puzzle"], float(row["rating"])) for row in _rows("explainer_ratings.csv")
]
"""Puzzles and their ratings by Sudoku Explainer 1.2.1, lowest first."""


def masks_of(line: str) -> list[int]:
    """The masks of a puzzle in a line, as `steps` takes them."""
    return [511 if sign == "." else 1 << int(sign) - 1 for sign in line]
