"""Many puzzles in one formula: their disjoint union.

One question finds a solution of each. Another proves that none has a second: each solution is
blocked under a selector, and one clause says that some selector holds. If that does not settle
the puzzles, they are halved, down to single ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pipeline.certify import certify_many
from pipeline.cnf import Sat, Unsat
from pipeline.encode.together import Together, encode_together, propagate_many
from pipeline.errors import EnvironmentFailure, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.result import Stopwatch
from pipeline.solvers import Solver

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipeline.puzzle import Geometry

TOGETHER = 64
"""Puzzles in one formula."""

_WORTH_GOING_ON = 4
"""One formula is asked again while less than a quarter of its puzzles have several solutions."""


def solve_union(
    geometry: Geometry, masks: NDArray[np.uint64], solver: Solver, limits: Limits
) -> tuple[NDArray[np.bool_], NDArray[np.uint8], NDArray[np.float64]]:
    """Which of P puzzles are shown to have exactly one solution, their grids, and their seconds.

    The grids are certified and have the shape (P, n²), zeros where nothing is shown. The limits
    hold for each TOGETHER puzzles and the halves of them; the seconds (P,) are what those took.
    Where the solver fails, nothing is shown.
    """
    cells, consistent = propagate_many(geometry, masks)
    union = _Union(geometry, masks, cells, solver, limits)
    sound = np.flatnonzero(consistent)
    seconds = np.zeros(len(masks))
    for start in range(0, len(sound), TOGETHER):
        part, watch = sound[start : start + TOGETHER], Stopwatch()
        union.solve(part, Deadline.of(limits))
        seconds[part] = watch.seconds()["total"]
    return union.unique, union.grids, seconds


class _Union:
    """Puzzles, their candidates at the fixpoint of propagation, and what is shown of them."""

    def __init__(
        self,
        geometry: Geometry,
        masks: NDArray[np.uint64],
        cells: NDArray[np.uint64],
        solver: Solver,
        limits: Limits,
    ) -> None:
        self.unique = np.zeros(len(masks), np.bool_)
        self.grids = np.zeros(masks.shape, np.uint8)
        self._geometry = geometry
        self._masks = masks
        self._cells = cells
        self._solver = solver
        self._limits = limits

    def solve(self, part: NDArray[np.int64], deadline: Deadline) -> None:
        """Find which of these puzzles are unique, as far as the time allows."""
        if len(part) < 2 or not deadline.left():
            return
        try:
            settled = self._ask(part, self._limits.until(deadline))
        except EnvironmentFailure:
            return
        except SolverError:
            settled = False
        if not settled:
            middle = len(part) // 2
            self.solve(part[:middle], deadline)
            self.solve(part[middle:], deadline)

    def _ask(self, part: NDArray[np.int64], limits: Limits) -> bool:
        """Whether asking about fewer would gain nothing: False if some may have no solution."""
        together = encode_together(self._geometry, self._cells[part])
        with self._solver.open(together.cnf, limits) as session:
            answer = session.solve()
            if not isinstance(answer, Sat):
                return False
            chosen = together.chosen(answer.model)
            grids = together.grids(chosen)
            if not certify_many(self._geometry, self._masks[part], grids).all():
                raise SolverError(f"a grid of {self._solver.name} is no solution")
            for clause in _under_selectors(together, chosen, len(part)):
                session.add(clause)
            session.add(tuple(together.spare(place) for place in range(len(part))))
            multiple = np.zeros(len(part), np.bool_)
            while isinstance(answer := session.solve(), Sat):
                others = together.grids(together.chosen(answer.model))
                found = (others != grids).any(axis=1) & ~multiple
                multiple |= found
                if not found.any():
                    return False
                if multiple.sum() > len(part) // _WORTH_GOING_ON:
                    return True
                for place in np.flatnonzero(found).tolist():
                    session.add((-together.spare(place),))
            if not isinstance(answer, Unsat):
                return False
        self.unique[part] = ~multiple
        self.grids[part[~multiple]] = grids[~multiple]
        return True


def _under_selectors(
    together: Together, chosen: NDArray[np.int64], count: int
) -> Iterator[tuple[int, ...]]:
    """For each puzzle: its selector implies that one of its chosen candidates is false."""
    owners = together.owners[0][chosen]
    bounds = np.searchsorted(owners, np.arange(count + 1))
    literals = (-(chosen + 1)).tolist()
    for place in range(count):
        clause = literals[bounds[place] : bounds[place + 1]]
        yield (*clause, -together.spare(place))
