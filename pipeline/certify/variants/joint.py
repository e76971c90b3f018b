"""Joint sums: several sums of a puzzle added up, which gives tighter bounds.

In a joint sum more cells must differ. For example, two sums of four cells can each be 30, but eight
cells of one box sum to 44 at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from pipeline.puzzle.constraints import AllDifferent, AllOf, Constraint
from pipeline.puzzle.sums import Total

_MAX_SUMS = 12
"""Number of sums that are joined: those with the least slack."""


class _BoundedSum(NamedTuple):
    """Cells, as bits, their total, and its distances from its minimum and its maximum.

    The bounds only assume that the cells of a unit differ.
    """

    cells: int
    total: int
    above: int
    below: int


def joint_sums(
    constraints: Iterable[Constraint], units: Sequence[Sequence[int]], values: range
) -> Iterator[Total]:
    """Joint sums, unless one of their sums alone has less slack.

    All `constraints` must hold, and the cells of each unit differ.
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
    def bounded(cells: int, total: int) -> _BoundedSum:
        left, low, high = cells, 0, 0
        while left:
            group = max((group & left for group in groups), key=int.bit_count, default=0)
            group = group or left & -left
            left ^= group
            low += smallest[group.bit_count()]
            high += greatest[group.bit_count()]
        return _BoundedSum(cells, total, total - low, high - total)

    sums = sorted((bounded(*cage) for cage in totals.items()), key=_slack)[:_MAX_SUMS]
    joints = {joint.cells: joint for start in sums for joint in _chain(start, sums, bounded)}
    for joint in joints.values():
        bits = range(joint.cells.bit_length())
        yield Total(tuple((cell, 1) for cell in bits if joint.cells >> cell & 1), joint.total)


# Greedy. A joint sum is sound, because it adds up sums that all hold. A sum is joined only if
# `above` shrinks, which shows that more cells must differ.
def _chain(
    joint: _BoundedSum, sums: Sequence[_BoundedSum], bounded: Callable[[int, int], _BoundedSum]
) -> Iterator[_BoundedSum]:
    """Join a sum with others one by one, each time with the one that leaves the least slack."""
    least_slack = _slack(joint)
    while True:
        longer = (
            (bounded(other.cells | joint.cells, other.total + joint.total), other)
            for other in sums
            if not other.cells & joint.cells
        )
        narrower = [pair for pair in longer if pair[0].above < joint.above + pair[1].above]
        if not narrower:
            return
        joint, last = min(narrower, key=lambda pair: _slack(pair[0]))
        least_slack = min(least_slack, _slack(last))
        if _slack(joint) <= least_slack:
            yield joint


def _slack(joint: _BoundedSum) -> int:
    return min(joint.above, joint.below)


def _parts_of(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """The constraints that all have to hold."""
    for constraint in constraints:
        if isinstance(constraint, AllOf):
            yield from _parts_of(constraint.parts)
        else:
            yield constraint


def _set_of(cells: Iterable[int]) -> int:
    return sum({1 << cell for cell in cells})
