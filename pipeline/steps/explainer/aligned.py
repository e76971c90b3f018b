"""Aligned exclusion of pairs (6.2) and triplets (7.5), as Sudoku Explainer 1.2.1 finds it.

The *base* is two or three cells. Their digits cannot be the same where the cells see each other,
nor be all candidates of another cell that all of them see, an *excluder*. A candidate of the base
that is in no combination left is eliminated.

`scratch` holds the excluders of each cell as two masks: cells 0 to 40 at the number of the cell,
cells 41 to 80 at 81 + that number. Both masks are 0 for a cell that is in no base.
"""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import (
    add_eliminations,
    append_new,
    bit_count,
    lowest_bit,
    reset_step,
    sees,
)

_HALF = 41
"""The number of cells in the first mask of excluders."""

_COMMON = 162
"""Where in `scratch` the candidates of the common excluders of a base begin."""


@compiled()
def find_aligned(state, tables, step, scratch, size):
    """Find an aligned exclusion of `size` cells. Returns 1, or 0 if there is none."""
    _find_excluders(state, tables, scratch, size)
    for second in range(81):
        for first in range(second if scratch[second] | scratch[81 + second] else 0):
            if not _has_two(
                scratch[first] & scratch[second], scratch[81 + first] & scratch[81 + second]
            ):
                continue
            if size == 2:
                if _conclude(state, tables, step, scratch, first, second, second):
                    return 1
            elif _find_third(state, tables, step, scratch, first, second):
                return 1
    return 0


@compiled()
def _find_excluders(state, tables, scratch, size):
    """Write the excluders of each cell: the cells with 2 to `size` candidates that it sees."""
    for cell in range(81):
        low = high = 0
        is_base = bit_count(tables, state[cell]) > 1
        for other in range(81 if is_base else 0):
            if state[other] and sees(tables, cell, other):
                count = bit_count(tables, state[other])
                is_base = is_base and count != 1
                if 1 < count <= size and other < _HALF:
                    low |= 1 << other
                elif 1 < count <= size:
                    high |= 1 << other - _HALF
        scratch[cell], scratch[81 + cell] = (low, high) if is_base else (0, 0)


@compiled()
def _find_third(state, tables, step, scratch, first, second):
    """Find a triplet: the third cell is an excluder of the first one, or else of the second."""
    for k in range(4):
        near, part = second if k > 1 else first, 81 * (k & 1)
        rest, cell = scratch[near + part], _HALF * (k & 1)
        while rest:
            while not rest & 511:
                rest >>= 9
                cell += 9
            third = cell + lowest_bit(tables, rest & 511)
            rest &= rest - 1
            if (
                third not in (first, second)
                and _has_two(
                    scratch[first] & scratch[second] & scratch[third],
                    scratch[81 + first] & scratch[81 + second] & scratch[81 + third],
                )
                and not (k > 1 and _excludes(scratch, first, third))
                and not _was_tried(scratch, first, second, third)
                and _conclude(state, tables, step, scratch, first, second, third)
            ):
                return True
    return False


@compiled(inline=True)
def _excludes(scratch, cell, other):
    """Whether another cell is an excluder of a cell."""
    if other < _HALF:
        return scratch[cell] >> other & 1
    return scratch[81 + cell] >> (other - _HALF) & 1


@compiled(inline=True)
def _was_tried(scratch, first, second, third):
    """Whether the same three cells came in another order before, with `first` < `second`."""
    if third > second:
        return False
    low, middle = min(first, third), max(first, third)
    if _excludes(scratch, low, second) or _excludes(scratch, middle, second):
        return True
    return third < first and (_excludes(scratch, third, first) or _excludes(scratch, second, first))


@compiled(inline=True)
def _has_two(low, high):
    """Whether two masks have at least two bits together."""
    return low & (low - 1) != 0 or high & (high - 1) != 0 or (low != 0 and high != 0)


@compiled()
def _conclude(state, tables, step, scratch, a, b, c):
    """Eliminate candidates that are in no allowed combination of three cells, or two if `c` is `b`.

    Returns whether there is anything to eliminate.
    """
    excluder_count = _collect_excluders(state, tables, scratch, a, b, c)
    if excluder_count == 0:  # the cells see each other: hidden singles and naked sets are enough
        return False
    sees_ab, sees_ac = sees(tables, a, b), c != b and sees(tables, a, c)
    sees_bc = c != b and sees(tables, b, c)
    allowed_a = allowed_b = allowed_c = 0
    rest_a = state[a]
    while rest_a:
        in_a = rest_a & -rest_a
        rest_a &= rest_a - 1
        rest_b = state[b] & ~in_a if sees_ab else state[b]
        while rest_b:
            in_b = rest_b & -rest_b
            rest_b &= rest_b - 1
            rest_c = in_b if c == b else state[c]
            if sees_ac:
                rest_c &= ~in_a
            if sees_bc:
                rest_c &= ~in_b
            while rest_c:
                in_c = rest_c & -rest_c
                rest_c &= rest_c - 1
                is_new = (in_a & ~allowed_a) | (in_b & ~allowed_b) | (in_c & ~allowed_c)
                if is_new and _is_allowed(scratch, excluder_count, in_a | in_b | in_c):
                    allowed_a |= in_a
                    allowed_b |= in_b
                    allowed_c |= in_c
    if allowed_a == state[a] and allowed_b == state[b] and allowed_c == state[c]:
        return False
    reset_step(step)
    add_eliminations(state, tables, step, a, 511 & ~allowed_a)
    add_eliminations(state, tables, step, b, 511 & ~allowed_b)
    add_eliminations(state, tables, step, c, 511 & ~allowed_c)
    for cell in range(81):
        if _excludes(scratch, a, cell) & _excludes(scratch, b, cell) & _excludes(scratch, c, cell):
            append_new(step, L.CITED, cell)
    for cell in (a, b, c):
        append_new(step, L.CITED, cell)
        append_new(step, L.PATTERN_CELLS, cell)
    return True


@compiled()
def _collect_excluders(state, tables, scratch, a, b, c):
    """Write the candidates of all common excluders that the base may hold; returns their number."""
    digits, count = state[a] | state[b] | state[c], 0
    for part in range(2):
        rest = scratch[a + 81 * part] & scratch[b + 81 * part] & scratch[c + 81 * part]
        cell = _HALF * part
        while rest:
            while not rest & 511:
                rest >>= 9
                cell += 9
            mask = state[cell + lowest_bit(tables, rest & 511)]
            rest &= rest - 1
            if mask & ~digits == 0:
                scratch[_COMMON + count] = mask
                count += 1
    return count


@compiled()
def _is_allowed(scratch, excluder_count, digits):
    """Whether digits of the base leave each common excluder a candidate."""
    for k in range(_COMMON, _COMMON + excluder_count):
        if scratch[k] & ~digits == 0:
            return False
    return True
