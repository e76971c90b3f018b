"""The propagators for Full Rank, and a branching heuristic for edges of the grid.

The rank of a line is its position among the lines with the same first value.

Like the propagators in `propagation`, they are exact when every cell of their scope has one value.
`layout` describes `state` and `problem`.
"""

from __future__ import annotations

from pipeline.certify.variants import layout as L
from pipeline.certify.variants.domains import highest_index, lowest_index, restrict
from pipeline.native import compiled

_LESS, _EQUAL, _GREATER = 1, 2, 4
"""Outcomes of a comparison of another line with a line, as bits."""

_EDGE_FACTOR = 2.0
"""Factor of the weights of cells at an edge. With 1, one puzzle takes 2,600 branches instead of 42,
and an easy one 25 instead of 52. With 4, the numbers are the same as with 2."""


# Lexicographic comparison of domains, up to the first pair of cells that cannot be equal. Cells are
# treated as independent, so the result may include impossible outcomes, but never omits a
# possible one. `used` refines this: if two lines of different cells are equal so far, and only one
# value could make a pair equal, then neither line holds this value again.
@compiled()
def _compare_lines(state, problem, line, other_line, begin, width, used):
    """Return the possible outcomes of a comparison of two lines that are equal before `begin`.

    `used` is a mask of values that neither line can hold from `begin` on. It is 0 if the cells of a
    line need not differ.
    """
    outcomes = 0
    for index in range(begin, width):
        a, b = problem[line + index], problem[other_line + index]
        if a == b:
            continue
        mask_a, mask_b = state[L.DOMAINS + a] & ~used, state[L.DOMAINS + b] & ~used
        if mask_a == 0 or mask_b == 0:
            return outcomes
        if lowest_index(problem, mask_b) < highest_index(problem, mask_a):
            outcomes |= _LESS
        if highest_index(problem, mask_b) > lowest_index(problem, mask_a):
            outcomes |= _GREATER
        common = mask_a & mask_b
        if common == 0:
            return outcomes
        if used and common & (common - 1) == 0:
            used |= common
    return outcomes | _EQUAL


# All earlier cells are equal, so the first pair that may differ must be in order; if the rest
# cannot be, the pair must differ. This makes the cells consistent with the lexicographic order
# (A. Frisch, B. Hnich, Z. Kiziltan, I. Miguel, T. Walsh, Global constraints for lexicographic
# orderings, 2002), because later pairs need not be in order if this pair differs. `used` makes the
# comparison of the rest stronger than theirs.
@compiled()
def _order_lines(state, problem, small, large, width, is_strict, used):
    """Enforce small < large, or small ≤ large unless `is_strict`. `used`: see `_compare_lines`."""
    for index in range(width):
        a, b = problem[small + index], problem[large + index]
        mask_small, mask_large = state[L.DOMAINS + a], state[L.DOMAINS + b]
        if a == b or (mask_small == mask_large and mask_small & (mask_small - 1) == 0):
            continue
        common = mask_small & mask_large
        rest_used = used | common if used and common & (common - 1) == 0 else used
        rest = _compare_lines(state, problem, small, large, index + 1, width, rest_used)
        below = 1 << highest_index(problem, mask_large)
        above = mask_small & -mask_small
        if rest & _GREATER or (rest & _EQUAL and not is_strict):
            below *= 2
        else:
            above *= 2
        return restrict(state, problem, a, below - 1) and restrict(state, problem, b, -above)
    return not is_strict


@compiled()
def propagate_increasing(state, problem, first, length):
    """Enforce that the first half of the cells is lexicographically less than the second half."""
    width = length // 2
    used = problem[first + length]
    return _order_lines(state, problem, first, first + width, width, 1, used)


# If no line may tie, a line that could only be equal does not begin with the value.
@compiled()
def _outcomes_of_line(state, problem, first, other_line, data):
    """Return how a line that begins with the value may compare with the first line."""
    may_tie, width, used = problem[data + 2], problem[data + 3], problem[data + 5]
    outcomes = _compare_lines(state, problem, first, other_line, 1, width, used)
    return outcomes if may_tie else outcomes & ~_EQUAL


@compiled()
def _outcomes_at_edge(state, problem, first, edge, data):
    """Return how the line of an edge that begins with the value may compare with the first line.

    `edge` is the position of the lines of the edge. If it is a single line that need not begin with
    the value, it may also compare as greater. Returns 0 after a contradiction.
    """
    bit, width, edge_length = problem[data], problem[data + 3], problem[data + 4]
    outcomes = 0
    for other in range(edge, edge + edge_length * width, width):
        start = state[L.DOMAINS + problem[other]]
        if start & bit:
            outcomes_of_line = _outcomes_of_line(state, problem, first, other, data)
            outcomes |= outcomes_of_line
            if outcomes_of_line == 0 and not restrict(state, problem, problem[other], ~bit):
                return 0
        if edge_length == 1 and start != bit:
            outcomes |= _GREATER
    return outcomes


@compiled()
def _restrict_edge(state, problem, first, edge, data, allowed):
    """Enforce that the line of an edge that begins with the value compares in an allowed way."""
    bit, may_tie, width = problem[data], problem[data + 2], problem[data + 3]
    edge_length, used = problem[data + 4], problem[data + 5]
    count, last = 0, L.NONE
    for other in range(edge, edge + edge_length * width, width):
        if state[L.DOMAINS + problem[other]] & bit:
            if _outcomes_of_line(state, problem, first, other, data) & allowed:
                count, last = count + 1, other
            elif not restrict(state, problem, problem[other], ~bit):
                return False
    must_begin = edge_length > 1 or allowed == _LESS
    if count != 1:
        return count > 1 or not must_begin
    if must_begin and not restrict(state, problem, problem[last], bit):
        return False
    if allowed == _LESS:
        return _order_lines(state, problem, last, first, width, 1, used)
    if state[L.DOMAINS + problem[last]] == bit:
        return _order_lines(state, problem, first, last, width, not may_tie, used)
    return True


# Each edge of the grid is a unit, so exactly one of its lines begins with the value: the first line
# is compared with one line of each of the other edges. The rank is at least the number of edges
# whose line must be less, and at most the number of edges whose line can be less. If it equals one
# of these bounds, all undecided comparisons are known. Then lines that would compare otherwise do
# not begin with the value, and if one line of an edge is left, it is ordered. If the first cells
# are not whole units, each line is an edge of its own: with such edges, a grid with six clues took
# more than 68,800 branches instead of 42.
@compiled()
def propagate_ranked(state, problem, first, length):
    """Enforce the rank of the first line.

    The first line begins with the value `bit`, and exactly `rank` of the other lines beginning with
    it are less than the first line. Returns False after a contradiction.
    """
    data = first + length
    rank, step = problem[data + 1], problem[data + 3] * problem[data + 4]
    if not restrict(state, problem, problem[first], problem[data]):
        return False
    max_less = min_less = 0
    for edge in range(first + problem[data + 3], data, step):
        outcomes = _outcomes_at_edge(state, problem, first, edge, data)
        if outcomes == 0:
            return False
        max_less += outcomes & _LESS
        min_less += outcomes == _LESS
    if not min_less <= rank <= max_less:
        return False
    if max_less > rank > min_less:
        return True
    for edge in range(first + problem[data + 3], data, step):
        outcomes = _outcomes_at_edge(state, problem, first, edge, data)
        must_be_less = outcomes & _LESS and (max_less == rank or outcomes == _LESS)
        allowed = _LESS if must_be_less else _EQUAL | _GREATER
        if not _restrict_edge(state, problem, first, edge, data, allowed):
            return False
    return True


# A rank compares the lines that begin with a value, so it helps to decide early which lines these
# are. How many places are left for them does not show in the candidates of a single cell. Any
# choice is sound.
@compiled()
def choose_at_edge(state, problem, weights, cell, bit, lowest_score):
    """Return a cell and a value to branch on: a place of a ranked value at an edge, or these.

    The score of an edge is the number of places of the value, divided by the greatest weight of
    their cells. `lowest_score` is the score of `cell` and `bit`.
    """
    edge = problem[L.EDGES] + 1
    for _ in range(problem[problem[L.EDGES]]):
        value, first = problem[edge], edge + 2
        edge = first + problem[edge + 1]
        count = 0
        best = L.NONE
        for i in range(first, edge):
            mask = state[L.DOMAINS + problem[i]]
            if mask & value:
                count += 1
                if best == L.NONE or weights[problem[i]] > weights[best]:
                    best = problem[i]
        if count > 1:
            score = count / (_EDGE_FACTOR * weights[best])
            if score < lowest_score:
                cell, bit, lowest_score = best, value, score
    return cell, bit
