"""Joint sums: several sums of a puzzle are added up, because a joint sum may have tighter bounds.

The bounds are tighter if cells of different sums must differ. For example, two sums of four cells
can each be 30, but eight cells of one box sum to at most 44.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from pipeline.puzzle.constraints import AllDifferent, AllOf, Constraint
from pipeline.puzzle.sums import Total

_MAX_SUMS = 12
"""Maximum number of sums that are considered for joining. The sums with the least slack are
chosen."""


class _BoundedSum(NamedTuple):
    """A sum: its cells as bits, its total, and the distances of its total from its bounds.

    The bounds assume only that the cells of each unit differ.
    """

    cells: int
    total: int
    over_minimum: int
    under_maximum: int


def joint_sums(
    constraints: Iterable[Constraint], units: Sequence[Sequence[int]], values: range
) -> Iterator[Total]:
    """Yield joint sums that have no more slack than any of the sums that they join.

    All `constraints` must hold, and the cells of each unit must differ.
    """
    parts, totals = [*_parts_of(constraints)], dict[int, int]()
    for part in parts:
        if isinstance(part, Total) and part.terms and all(weight == 1 for _, weight in part.terms):
            cells = _set_of(part.scope())
            if cells.bit_count() == len(part.terms):
                totals[cells] = part.total
    if len(totals) < 2:
        return
    different = [part.cells for part in parts if isinstance(part, AllDifferent)]
    groups = [_set_of(unit) for unit in (*units, *different) if len(unit) <= len(values)]
    smallest, greatest = ([0, *accumulate(v)] for v in (values, reversed(values)))

    @cache
    def bounded_sum(cells: int, total: int) -> _BoundedSum:
        """Return a sum with bounds. A greedy search divides its cells into groups that differ."""
        remaining, low, high = cells, 0, 0
        while remaining:
            group = max((group & remaining for group in groups), key=int.bit_count, default=0)
            group = group or remaining & -remaining
            remaining ^= group
            low += smallest[group.bit_count()]
            high += greatest[group.bit_count()]
        return _BoundedSum(cells, total, total - low, high - total)

    sums = sorted((bounded_sum(*cage) for cage in totals.items()), key=_slack)[:_MAX_SUMS]
    joints = {
        joint.cells: joint for start in sums for joint in _join_greedily(start, sums, bounded_sum)
    }
    for joint in joints.values():
        bits = range(joint.cells.bit_length())
        yield Total(tuple((cell, 1) for cell in bits if joint.cells >> cell & 1), joint.total)


# A greedy search. A joint sum is sound, because it adds up sums that all hold. A sum is joined only
# if the `over_minimum` of the result is less than the `over_minimum` of both sums together. This
# shows that some cells of one sum must differ from cells of the other.
def _join_greedily(
    joint: _BoundedSum, sums: Sequence[_BoundedSum], bounded_sum: Callable[[int, int], _BoundedSum]
) -> Iterator[_BoundedSum]:
    """Join a sum with other sums one by one; each time, choose the sum that gives the least slack.

    Yields each joint sum that has no more slack than any sum that it joins.
    """
    least_slack = _slack(joint)
    while True:
        joined = (
            (bounded_sum(other.cells | joint.cells, other.total + joint.total), other)
            for other in sums
            if not other.cells & joint.cells
        )
        tighter = [
            pair
            for pair in joined
            if pair[0].over_minimum < joint.over_minimum + pair[1].over_minimum
        ]
        if not tighter:
            return
        joint, last = min(tighter, key=lambda pair: _slack(pair[0]))
        least_slack = min(least_slack, _slack(last))
        if _slack(joint) <= least_slack:
            yield joint


def _slack(joint: _BoundedSum) -> int:
    """Return the distance of a total from the nearer of its bounds."""
    return min(joint.over_minimum, joint.under_maximum)


def _parts_of(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """Yield the constraints. Each AllOf is replaced by its parts."""
    for constraint in constraints:
        if isinstance(constraint, AllOf):
            yield from _parts_of(constraint.parts)
        else:
            yield constraint


def _set_of(cells: Iterable[int]) -> int:
    """Return the set of these cells, as bits."""
    return sum({1 << cell for cell in cells})
