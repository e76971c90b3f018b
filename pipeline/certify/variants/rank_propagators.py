"""The propagator of ranks: how many lines are less than another.

As in `propagation`, it is exact once all cells of its scope have one value. `layout` describes
`state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import highest_bit, lowest_bit, restrict
from pipeline.native import compiled


# Lexicographic comparison on domains, cell by cell: it ends at the first two cells that cannot be
# equal. Cells count as independent, so that an impossible outcome may be among those returned.
@compiled()
def _compare(state, problem, line, other, length):
    """Possible outcomes for another line, as a sum: 1 if less, 2 if equal, 4 if greater.

    Both begin with the same value, so their first cells are skipped.
    """
    outcomes = 0
    for index in range(1, length):
        a, b = problem[line + index], problem[other + index]
        if a == b:
            continue
        mask_a, mask_b = state[L.CELLS + a], state[L.CELLS + b]
        if lowest_bit(problem, mask_b) < highest_bit(problem, mask_a):
            outcomes |= 1
        if highest_bit(problem, mask_b) > lowest_bit(problem, mask_a):
            outcomes |= 4
        if not mask_a & mask_b:
            return outcomes
    return outcomes | 2


@compiled()
def _order_lines(state, problem, small, large, length):
    """Make one line at most another: bound the first two cells that may differ."""
    for index in range(1, length):
        a, b = problem[small + index], problem[large + index]
        mask_small, mask_large = state[L.CELLS + a], state[L.CELLS + b]
        if a == b or (mask_small == mask_large and mask_small & (mask_small - 1) == 0):
            continue
        return restrict(
            state, problem, a, (2 << highest_bit(problem, mask_large)) - 1
        ) and restrict(state, problem, b, -(mask_small & -mask_small))
    return True


# The number of lines that can be less, and of lines that must be less, bound the rank. If it meets
# a bound, the lines in doubt are decided: all of them are less, or none is. Without ties, equal
# lines fail, and a line that could only be equal does not begin with the value.
@compiled()
def ranked(state, problem, first, length):
    """Of the other lines that begin with the value, `rank` are less than the first line."""
    own = first + length
    bit, rank, may_tie, width = problem[own], problem[own + 1], problem[own + 2], problem[own + 3]
    if not restrict(state, problem, problem[first], bit):
        return False
    can = must = 0
    for other in range(first + width, own, width):
        start = state[L.CELLS + problem[other]]
        if start & bit:
            outcomes = _compare(state, problem, first, other, width)
            can += outcomes & 1
            must += start == bit and outcomes == 1
            if start == bit and outcomes == 2 and not may_tie:
                return False
    if not must <= rank <= can:
        return False
    if can > rank > must:
        return True
    for other in range(first + width, own, width):
        start = state[L.CELLS + problem[other]]
        if not start & bit:
            continue
        outcomes = _compare(state, problem, first, other, width)
        if can == rank and outcomes & 1:
            if not (
                restrict(state, problem, problem[other], bit)
                and _order_lines(state, problem, other, first, width)
            ):
                return False
        elif start != bit:
            is_excluded = outcomes == 1 or (outcomes == 2 and not may_tie)
            if is_excluded and not restrict(state, problem, problem[other], ~bit):
                return False
        elif outcomes != 1 and not _order_lines(state, problem, first, other, width):
            return False
    return True
