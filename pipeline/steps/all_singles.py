"""All singles of a position, for puzzles of every size."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.steps.step import Cited, Position, Step
from pipeline.steps.techniques import Technique

_FULL_HOUSE, _NAKED_SINGLE, _HIDDEN_SINGLE = "full house", "naked single", "hidden single"
_IN_BOX, _IN_LINE = "hidden single in a box", "hidden single in a line"
_NAMES = _FULL_HOUSE, _NAKED_SINGLE, _HIDDEN_SINGLE, _IN_BOX, _IN_LINE
"""The names of the techniques."""


def is_single(technique: Technique) -> bool:
    """Whether a technique finds singles."""
    return technique.name in _NAMES


def singles(position: Position, technique: Technique) -> Iterator[Step]:
    """Yield all singles of a technique in a position.

    - `full house`: the last open cell of a unit.
    - `naked single`: a cell with one candidate.
    - `hidden single`: a value with one place in a unit, in boxes first. `hidden single in a box`
      and `hidden single in a line` limit the units.
    """
    if technique.name == _NAKED_SINGLE:
        for cell, mask in enumerate(position.candidates):
            if mask.bit_count() == 1:
                yield _single(position, technique, Cited((cell,)))
        return
    units = sorted(
        enumerate(position.units),
        key=lambda unit: not position.unit_names[unit[0]].startswith("box"),
    )
    for unit, cells in units:
        is_box = position.unit_names[unit].startswith("box")
        if technique.name == (_IN_LINE if is_box else _IN_BOX):
            continue
        open_cells = [cell for cell in cells if position.candidates[cell]]
        values = range(1, position.geometry.side + 1)
        for value in values:
            is_only = len(position.places(unit, value)) == 1
            if is_only and (technique.name != _FULL_HOUSE or len(open_cells) == 1):
                yield _single(position, technique, Cited(cells, value, unit))


def _single(position: Position, technique: Technique, cited: Cited) -> Step:
    """The single of a constraint with one candidate."""
    units = () if cited.unit is None else (cited.unit,)
    placed = cited.candidates(position)
    rating = technique.se / 10
    return Step(technique, placed, (), (), (), units, (), (), position, (), (cited,), rating)
