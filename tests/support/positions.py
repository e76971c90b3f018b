"""Positions in which some candidates are gone: of one cell, or of one digit in a unit."""

from __future__ import annotations

from collections.abc import Mapping

from support.techniques import masks_of

from pipeline.certify.steps import ELIMINATED
from pipeline.steps import Step, _Walker, steps
from pipeline.steps.techniques import TECHNIQUES

UNITS = {
    **{f"r{n + 1}": [9 * n + k for k in range(9)] for n in range(9)},
    **{f"c{n + 1}": [9 * k + n for k in range(9)] for n in range(9)},
    **{
        f"b{n + 1}": [27 * (n // 3) + 3 * (n % 3) + 9 * (k // 3) + k % 3 for k in range(9)]
        for n in range(9)
    },
}
"""The cells of each unit, from 0, by its name."""


def cell_of(name: str) -> int:
    """`r1c2` is cell 1."""
    return 9 * int(name[1]) + int(name[3]) - 10


def candidates_of(text: str) -> tuple[tuple[int, int], ...]:
    """`r1c2<>34` is the candidates 3 and 4 of cell 1: (1, 3), (1, 4)."""
    pairs = (word.split("<>") for word in text.split())
    return tuple(sorted((cell_of(cell), int(value)) for cell, values in pairs for value in values))


def eliminated(
    cells: Mapping[str, str] | None = None, places: Mapping[str, str] | None = None
) -> list[tuple[int, int]]:
    """The candidates to eliminate from an empty grid.

    - `cells`: `{"r1c1": "12"}` leaves the candidates 1 and 2 in that cell.
    - `places`: `{"7 r2": "r2c1 r2c4"}` leaves two places for 7 in row 2.
    """
    out = {
        (cell_of(name), value)
        for name, kept in (cells or {}).items()
        for value in range(1, 10)
        if str(value) not in kept
    }
    for name, kept in (places or {}).items():
        value, unit = name.split()
        stay = [*map(cell_of, kept.split())]
        out |= {(cell, int(value)) for cell in UNITS[unit] if cell not in stay}
    return sorted(out)


def first_step(
    technique: str,
    cells: Mapping[str, str] | None = None,
    places: Mapping[str, str] | None = None,
    grid: str = "." * 81,
) -> Step | None:
    """The first step of a technique in a grid without some candidates, as for `eliminated`.

    Naked singles are taken before.
    """
    techniques = [each for each in TECHNIQUES if each.name in ("naked single", technique)]
    found = steps(
        masks_of(grid), unique=True, techniques=techniques, eliminated=eliminated(cells, places)
    )
    return next((step for step in found if step.technique.name == technique), None)


def eliminated_by(
    technique: str,
    cells: Mapping[str, str] | None = None,
    places: Mapping[str, str] | None = None,
    grid: str = "." * 81,
) -> tuple[tuple[int, int], ...]:
    """What `first_step` eliminates; nothing if there is no step."""
    step = first_step(technique, cells, places, grid)
    return step.eliminated if step else ()


def order_of_eliminations(technique: str, cells: Mapping[str, str]) -> list[tuple[int, int]]:
    """The eliminations of the first step of a technique, in its order."""
    walker = _Walker(None, [each for each in TECHNIQUES if each.name == technique])
    walker.start_at(masks_of("." * 81), eliminated(cells), (), unique=True)
    walker.take(1)
    listed = walker.step[ELIMINATED + 1 : ELIMINATED + 1 + walker.step[ELIMINATED]]
    return [(candidate // 9, candidate % 9 + 1) for candidate in listed]
