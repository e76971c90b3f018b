"""Sums that follow from several sums of a puzzle, and leave their cells less room.

More of the cells of several sums have to differ: eight cells of a box sum to 44 at most, while two
sums of four of them can be 30 each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from pipeline.puzzle.formulas import AllDifferent, Constraint, Every
from pipeline.puzzle.sums import Total

_MOST_SUMS = 12
"""Sums that are joined: those that leave the least room."""


class _Bounded(NamedTuple):
    """Cells, as bits, and their total: how far it is above the least one, and below the greatest.

    Cells of one unit differ; nothing else is known of them.
    """

    cells: int
    total: int
    above: int
    below: int


def joint_sums(
    constraints: Iterable[Constraint], units: Sequence[Sequence[int]], values: range
) -> Iterator[Total]:
    """Totals of the cells of several sums that leave no more room than each of these does.

    The cells of a unit hold different values.
    """
    parts, totals = [*_parts_of(constraints)], dict[int, int]()
    for part in parts:
        if isinstance(part, Total) and part.terms and all(by == 1 for _, by in part.terms):
            cells = _set_of(part.scope())
            if cells.bit_count() == len(part.terms):
                totals[cells] = part.total
    if len(totals) < 2:
        return
    different = [part.cells for part in parts if isinstance(part, AllDifferent)]
    groups = [_set_of(unit) for unit in (*units, *different) if len(unit) <= len(values)]
    least, most = ([0, *accumulate(some)] for some in (values, reversed(values)))

    @cache
    def summed(cells: int, total: int) -> _Bounded:
        left, low, high = cells, 0, 0
        while left:
            alike = max((group & left for group in groups), key=int.bit_count, default=0)
            alike = alike or left & -left
            left ^= alike
            low += least[alike.bit_count()]
            high += most[alike.bit_count()]
        return _Bounded(cells, total, total - low, high - total)

    sums = sorted((summed(*each) for each in totals.items()), key=_room)[:_MOST_SUMS]
    found = {joint.cells: joint for each in sums for joint in _chain(each, sums, summed)}
    for joint in found.values():
        bits = range(joint.cells.bit_length())
        yield Total(tuple((cell, 1) for cell in bits if joint.cells >> cell & 1), joint.total)


def _chain(
    joint: _Bounded, sums: Sequence[_Bounded], summed: Callable[[int, int], _Bounded]
) -> Iterator[_Bounded]:
    """A sum joined with one after another, in the order that leaves the least room."""
    least = _room(joint)
    while True:
        longer = (
            (summed(other.cells | joint.cells, other.total + joint.total), other)
            for other in sums
            if not other.cells & joint.cells
        )
        narrower = [pair for pair in longer if pair[0].above < joint.above + pair[1].above]
        if not narrower:
            return
        joint, last = min(narrower, key=lambda pair: _room(pair[0]))
        least = min(least, _room(last))
        if _room(joint) <= least:
            yield joint


def _room(of: _Bounded) -> int:
    return min(of.above, of.below)


def _parts_of(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """The constraints that all have to hold."""
    for constraint in constraints:
        if isinstance(constraint, Every):
            yield from _parts_of(constraint.parts)
        else:
            yield constraint


def _set_of(cells: Iterable[int]) -> int:
    return sum({1 << cell for cell in cells})
