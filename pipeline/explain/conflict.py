"""Why a puzzle has no solution: the clues that contradict each other, and a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.certify import clashing_givens
from pipeline.errors import counted
from pipeline.explain.clue import Clue, clue_at
from pipeline.explain.explainer import Explainer
from pipeline.limits import Limits
from pipeline.puzzle import Geometry, Puzzle, units_of

LIMITS = Limits(2.0)
"""What an explanation may take, if nothing else is said."""

_MOST_TOLD = 8
"""Clues that a sentence names; beyond that a drawing tells more."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues that no grid has all of, in the order of their cells, and a sentence about them.

    `minimal`: without any one of them there is such a grid. It is False where time was too
    short to leave out what is not needed, and for a unit with two or more marks too many.
    """

    clues: tuple[Clue, ...]
    message: str
    minimal: bool

    def as_record(self) -> list[dict[str, int | str]]:
        """The record's `conflict`."""
        return [clue.as_record() for clue in self.clues]

    def places(self) -> tuple[tuple[int, int], ...]:
        """Row and column of each clue, from 1."""
        return tuple(clue.place for clue in self.clues)


def explain_conflict(
    puzzle: Puzzle, explainer: Explainer | None = None, limits: Limits = LIMITS
) -> Conflict | None:
    """Why the puzzle, which was found to have no solution, has none; None if that takes longer.

    Two equal givens in a unit come first, then a unit with too many even or odd cells, then a
    small set of givens and marks, for which the explainer's process is asked (without one, a
    new process, which takes 0.1 s to start). Raises SolverError where the puzzle has a solution
    after all.
    """
    if clash := clashing_givens(puzzle):
        cells = [_cell(puzzle.geometry, place) for place in clash.cells]
        return Conflict(_clues(puzzle, cells), clash.message, minimal=True)
    if crowd := min(_crowds(puzzle), key=lambda crowd: crowd.excess, default=None):
        return Conflict(_clues(puzzle, crowd.cells), crowd.message, minimal=crowd.excess == 1)
    if explainer is None:
        with Explainer() as started:
            return _explain_set(puzzle, started, limits)
    return _explain_set(puzzle, explainer, limits)


def _explain_set(puzzle: Puzzle, explainer: Explainer, limits: Limits) -> Conflict | None:
    found = explainer.contradiction(puzzle, limits)
    if found is None:
        return None
    clues = _clues(puzzle, found.cells)
    return Conflict(clues, _sentence(clues, minimal=found.minimal), found.minimal)


@dataclass(frozen=True, slots=True)
class _Crowd:
    """The cells of a unit that must hold an even, or odd, value, `excess` more than there are."""

    cells: tuple[int, ...]
    excess: int
    message: str


def _crowds(puzzle: Puzzle) -> Iterator[_Crowd]:
    """Each unit, rows first, with more cells for even or for odd values than it can have."""
    geometry = puzzle.geometry
    n = geometry.side
    for index, unit in enumerate(units_of(geometry)):
        for parity, values in (("even", geometry.even_values), ("odd", geometry.odd_values)):
            cells = tuple(cell for cell in unit if not puzzle.cells[cell] & ~values)
            most = values.bit_count()
            if len(cells) > most:
                name = f"{('row', 'column', 'box')[index // n]} {index % n + 1}"
                message = f"{name} has {len(cells)} cells for {parity} values, and there are {most}"
                yield _Crowd(cells, len(cells) - most, message)


def _sentence(clues: Sequence[Clue], *, minimal: bool) -> str:
    givens = sum(clue.value is not None for clue in clues)
    kinds = {"given": givens, "mark": len(clues) - givens}
    said = " and ".join(counted(number, noun) for noun, number in kinds.items() if number)
    if not minimal:
        return f"{said} have no solution together; there was no time to find fewer"
    fewer = "either of them does" if len(clues) == 2 else f"any {len(clues) - 1} of them do"
    named = list(map(str, clues[:_MOST_TOLD]))
    if rest := clues[_MOST_TOLD:]:
        named.append(f"and {len(rest)} more")
    return f"{said} have no solution together, though {fewer}: {'; '.join(named)}"


def _clues(puzzle: Puzzle, cells: Sequence[int]) -> tuple[Clue, ...]:
    return tuple(clue_at(puzzle, cell) for cell in sorted(cells))


def _cell(geometry: Geometry, place: tuple[int, int]) -> int:
    return (place[0] - 1) * geometry.side + place[1] - 1
