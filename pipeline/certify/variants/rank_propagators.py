"""The propagator for Full Rank.

The rank of a line is its position among the lines with the same first value.

Like the propagators in `propagation`, it is exact when every cell of its scope has one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import highest_index, lowest_index, restrict
from pipeline.native import compiled


# Lexicographic comparison of domains, up to the first pair of cells that cannot be equal. Cells are
# treated as independent, so the result may include impossible outcomes, but never omits a
# possible one.
@compiled()
def _compare_lines(state, problem, line, other_line, length):
    """Return the possible outcomes of a comparison of two lines, as bits.

    Bit 1: `other_line` can be less than `line`. Bit 2: the lines can be equal. Bit 4: `other_line`
    can be greater. Both lines start with the same value, so their first cells are skipped.
    """
    outcomes = 0
    for index in range(1, length):
        a, b = problem[line + index], problem[other_line + index]
        if a == b:
            continue
        mask_a, mask_b = state[L.DOMAINS + a], state[L.DOMAINS + b]
        if lowest_index(problem, mask_b) < highest_index(problem, mask_a):
            outcomes |= 1
        if highest_index(problem, mask_b) > lowest_index(problem, mask_a):
            outcomes |= 4
        if not mask_a & mask_b:
            return outcomes
    return outcomes | 2


# All earlier cells are equal, so the first pair that may differ must be in order. Later pairs are
# not restricted, because that pair may already decide the order.
@compiled()
def _order_lines(state, problem, small, large, length):
    """Enforce small ≤ large: restrict the first pair of cells that are not known to be equal."""
    for index in range(1, length):
        a, b = problem[small + index], problem[large + index]
        mask_small, mask_large = state[L.DOMAINS + a], state[L.DOMAINS + b]
        if a == b or (mask_small == mask_large and mask_small & (mask_small - 1) == 0):
            continue
        return restrict(
            state, problem, a, (2 << highest_index(problem, mask_large)) - 1
        ) and restrict(state, problem, b, -(mask_small & -mask_small))
    return True


# `max_less` lines can be less than the first line, and `min_less` lines must be: these numbers
# bound the rank. If the rank equals `max_less`, all undecided lines are less; if it equals
# `min_less`, none of them is. Unless `may_tie`, a line that begins with the value and equals the
# first line is a contradiction. So a line that equals the first line in all other cells cannot
# begin with the value.
@compiled()
def propagate_ranked(state, problem, first, length):
    """Enforce the rank of the first line.

    The first line begins with the value `bit`, and exactly `rank` of the other lines beginning with
    it are less than the first line. Returns False after a contradiction.
    """
    data = first + length
    bit, rank, may_tie, width = (
        problem[data],
        problem[data + 1],
        problem[data + 2],
        problem[data + 3],
    )
    if not restrict(state, problem, problem[first], bit):
        return False
    max_less = min_less = 0
    for other in range(first + width, data, width):
        start = state[L.DOMAINS + problem[other]]
        if start & bit:
            outcomes = _compare_lines(state, problem, first, other, width)
            max_less += outcomes & 1
            min_less += start == bit and outcomes == 1
            if start == bit and outcomes == 2 and not may_tie:
                return False
    if not min_less <= rank <= max_less:
        return False
    if max_less > rank > min_less:
        return True
    for other in range(first + width, data, width):
        start = state[L.DOMAINS + problem[other]]
        if not start & bit:
            continue
        outcomes = _compare_lines(state, problem, first, other, width)
        if max_less == rank and outcomes & 1:
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
