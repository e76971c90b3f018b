"""Aligned exclusion of pairs (6.2) and triplets (7.5), as Sudoku Explainer 1.2.1 finds it."""

from __future__ import annotations

from pipeline.native import compiled
from pipeline.steps import layout as L
from pipeline.steps.step_arrays import add_eliminations, append_new, bit_count, reset_step, sees


# The digits of two or three cells cannot be the same where these see each other, nor be all
# candidates of another cell that they all see, an excluder. A candidate that is in no combination
# left is eliminated.
@compiled()
def find_aligned(state, tables, step, scratch, size):
    """Find aligned pair (6.2) or triplet exclusion (7.5).

    `scratch` gets two masks for each cell: its excluders among cells 0 to 40, and among the others.
    """
    for cell in range(81):
        scratch[cell] = scratch[81 + cell] = 0
        is_base = bit_count(tables, state[cell]) > 1
        for other in range(81 if is_base else 0):
            if sees(tables, cell, other):
                count = bit_count(tables, state[other])
                is_base = is_base and count != 1
                if 1 < count <= size:
                    scratch[cell + 81 * (other > 40)] |= 1 << (other - 41 * (other > 40))
        if not is_base:
            scratch[cell] = scratch[81 + cell] = 0
    for second in range(81):
        for first in range(second):
            if not _has_two(
                scratch[first] & scratch[second], scratch[81 + first] & scratch[81 + second]
            ):
                continue
            if size == 2:
                if _conclude_aligned(state, tables, step, scratch, first, second, second):
                    return 62
                continue
            for k in range(162):
                third = k % 81
                near = first if k < 81 else second
                high = third > 40
                if (
                    scratch[near + 81 * high] >> (third - 41 * high) & 1
                    and third not in (first, second)
                    and _has_two(
                        scratch[first] & scratch[second] & scratch[third],
                        scratch[81 + first] & scratch[81 + second] & scratch[81 + third],
                    )
                    and _conclude_aligned(state, tables, step, scratch, first, second, third)
                ):
                    return 75
    return 0


@compiled(inline=True)
def _has_two(low, high):
    """Whether two masks have at least two bits together."""
    return low & (low - 1) != 0 or high & (high - 1) != 0 or (low != 0 and high != 0)


@compiled()
def _conclude_aligned(state, tables, step, scratch, a, b, c):
    """Eliminate what is in no allowed combination of three cells, or of two if `c` is `b`.

    Returns whether there is anything to eliminate.
    """
    allowed_a = allowed_b = allowed_c = 0
    rest_a = state[a]
    while rest_a:
        in_a = rest_a & -rest_a
        rest_a &= rest_a - 1
        rest_b = state[b]
        if sees(tables, a, b):
            rest_b &= ~in_a
        while rest_b:
            in_b = rest_b & -rest_b
            rest_b &= rest_b - 1
            rest_c = state[c] if c != b else in_b
            if c != b and sees(tables, a, c):
                rest_c &= ~in_a
            if c != b and sees(tables, b, c):
                rest_c &= ~in_b
            while rest_c:
                in_c = rest_c & -rest_c
                rest_c &= rest_c - 1
                is_new = (in_a & ~allowed_a) | (in_b & ~allowed_b) | (in_c & ~allowed_c)
                if is_new and _is_allowed(state, scratch, a, b, c, in_a | in_b | in_c):
                    allowed_a |= in_a
                    allowed_b |= in_b
                    allowed_c |= in_c
    if allowed_a == state[a] and allowed_b == state[b] and allowed_c == state[c]:
        return False
    reset_step(step)
    add_eliminations(state, tables, step, a, 511 & ~allowed_a)
    add_eliminations(state, tables, step, b, 511 & ~allowed_b)
    add_eliminations(state, tables, step, c, 511 & ~allowed_c)
    for other in range(81):
        part, bit = 81 * (other > 40), 1 << (other - 41 * (other > 40))
        if scratch[a + part] & scratch[b + part] & scratch[c + part] & bit:
            append_new(step, L.CITED, other)
    for cell in (a, b, c):
        append_new(step, L.CITED, cell)
        append_new(step, L.PATTERN_CELLS, cell)
    return True


@compiled()
def _is_allowed(state, scratch, a, b, c, digits):
    """Whether these digits leave each common excluder a candidate."""
    for part in range(2):
        rest = scratch[a + 81 * part] & scratch[b + 81 * part] & scratch[c + 81 * part]
        other = 41 * part
        while rest:
            if rest & 1 and state[other] & ~digits == 0:
                return False
            rest >>= 1
            other += 1
    return True
