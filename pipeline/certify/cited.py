"""Check that a solving step of a variant follows from the cells, units and rules that it cites.

This module knows no technique. It makes a puzzle of the cited cells with their candidates, the
cited units and the cited rules. One more rule says that at least one conclusion of the step is
wrong. The exhaustive search must find that this puzzle has no solution.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.certify.variants import search_all_of_variant
from pipeline.puzzle.constraints import Allowed, AnyOf, Constraint
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Puzzle, Rule

_MAX_NODES = 2000
"""Number of branches of the search after which a step is not certified."""


class CitedConstraint(Rule):
    """A constraint that a step cites."""

    name = "cited constraint"

    constraint: Constraint

    def constraints(self, geometry: Geometry) -> Constraint:  # noqa: ARG002 - of the base class
        return self.constraint


def follows_from(
    geometry: Geometry,
    masks: Sequence[int],
    constraints: Sequence[Constraint],
    placed: Sequence[tuple[int, int]],
    eliminated: Sequence[tuple[int, int]],
) -> bool:
    """Whether all conclusions of a step follow from the masks and constraints that it cites.

    - `masks`: for each cell, its candidates, or all values if the step does not cite the cell.
    - `constraints`: the cited units and the constraints of the cited rules.
    - `placed`, `eliminated`: the candidates (cell, value) that are true and that are false.

    A step without conclusions does not follow. Nor does a step that needs more than _MAX_NODES
    branches.
    """
    wrong = [_excludes_value(geometry, cell, value) for cell, value in placed]
    wrong += [Allowed(cell, (value,)) for cell, value in eliminated]
    if not wrong:
        return False
    cited = [*constraints, AnyOf(tuple(wrong))]
    scope = {cell for constraint in cited for cell in constraint.scope()}
    # cells outside all constraints get one value, so that the search does not branch on them
    cells = tuple(mask if cell in scope else 1 for cell, mask in enumerate(masks))
    try:
        puzzle = Puzzle(_without_units(geometry), cells, tuple(map(CitedConstraint, cited)))
    except ValueError:  # a cited cell has no candidate left
        return False
    result = search_all_of_variant(puzzle, (), max_nodes=_MAX_NODES)
    return result.is_complete


def _excludes_value(geometry: Geometry, cell: int, value: int) -> Constraint:
    """The constraint that a cell does not hold a value."""
    return Allowed(cell, tuple(other for other in geometry.values if other != value))


def _without_units(geometry: Geometry) -> Geometry:
    """A geometry with the same cells and values, but without units."""
    if geometry.free_grid:
        return geometry
    others = geometry.size - 1
    free = FreeGrid(1, 1, geometry.lowest, (("others", others),))
    return Geometry(1, geometry.side, free_grid=free)
