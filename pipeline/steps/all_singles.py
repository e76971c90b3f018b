"""All singles of a position, for puzzles of every size."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.steps.step import Cited, Position, Step
from pipeline.steps.techniques import Technique

FULL_HOUSE, NAKED_SINGLE, HIDDEN_SINGLE = "full house", "naked single", "hidden single"
"""The names of the techniques."""


def is_single(technique: Technique) -> bool:
    """Whether a technique finds singles."""
    return technique.name in (FULL_HOUSE, NAKED_SINGLE, HIDDEN_SINGLE)


def singles(position: Position, technique: Technique) -> Iterator[Step]:
    """Yield all singles of a technique in a position.

    - `full house`: the last open cell of a unit.
    - `naked single`: a cell with one candidate.
    - `hidden single`: a value with one place in a unit, in boxes first.
    """
    if technique.name == NAKED_SINGLE:
        for cell, mask in enumerate(position.candidates):
            if mask.bit_count() == 1:
                yield _single(position, technique, Cited((cell,)))
        return
    units = sorted(
        enumerate(position.units),
        key=lambda unit: not position.unit_names[unit[0]].startswith("box"),
    )
    for unit, cells in units:
        open_cells = [cell for cell in cells if position.candidates[cell]]
        values = range(1, position.geometry.side + 1)
        for value in values:
            is_only = len(position.places(unit, value)) == 1
            if is_only and (technique.name == HIDDEN_SINGLE or len(open_cells) == 1):
                yield _single(position, technique, Cited(cells, value, unit))


def _single(position: Position, technique: Technique, cited: Cited) -> Step:
    """The single of a constraint with one candidate."""
    units = () if cited.unit is None else (cited.unit,)
    placed = cited.candidates(position)
    rating = technique.se / 10
    return Step(technique, placed, (), (), (), units, (), (), position, (), (cited,), rating)
