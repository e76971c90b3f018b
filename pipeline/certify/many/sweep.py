"""One round of propagation for 9×9 puzzles in parallel, one in each lane.

A triad consists of the three cells of a row or column in one box. A chute (a band or a stack) has
nine triads: three lines by three boxes. Each value is in one triad of each line and of each box of
a chute. The triads of a value thus form one of six permutation matrices (T. Dillon, tdoku, 2019).

`board` has BOARD_VECTORS vectors, each with one word of 16 bits for each lane:

| index of the first vector | number of vectors | meaning of the words |
|---|---|---|
| 0 | GRID_CELLS | candidates of a cell, bit v for the value v + 1 |
| MAY_HAVE | TRIADS | values that a triad can have |
| MUST_HAVE | TRIADS | values that a triad must have |
| CHUTE_COUNTS | CHUTES | the number of values that each triad can have, summed over a chute |
| DEAD_LANES | 1 | nonzero after a contradiction |
| OPEN_LANES | 1 | nonzero while some cell has several candidates |
| CHANGED_LANES | 1 | nonzero if the last round eliminated candidates |

Triads are numbered 9 · chute + 3 · line + box; chutes 0 to 2 are the bands, 3 to 5 the stacks.
"""

from __future__ import annotations

import numpy as np

from pipeline.native import compiled
from pipeline.native.vectors import broadcast, clear_lowest_bit, load, nonzero_mask, popcount, store

GRID_CELLS, TRIADS, CHUTES = 81, 54, 6
"""The numbers of cells, triads and chutes of a grid."""

MAY_HAVE = GRID_CELLS
MUST_HAVE = MAY_HAVE + TRIADS
CHUTE_COUNTS = MUST_HAVE + TRIADS
DEAD_LANES, OPEN_LANES, CHANGED_LANES, BOARD_VECTORS = range(
    CHUTE_COUNTS + CHUTES, CHUTE_COUNTS + CHUTES + 4
)

_NO_VALUES, _ALL_VALUES = np.uint16(0), np.uint16(0b111_111_111)


@compiled(inline=True)
def _load_triad(board, cell, gap):
    """Return the vectors of the three cells of a triad."""
    return load(board, cell), load(board, cell + gap), load(board, cell + 2 * gap)


@compiled(inline=True)
def _union(triad):
    """Return the union of the candidates of a triad's cells."""
    return triad[0] | triad[1] | triad[2]


@compiled(inline=True)
def _fixed_values(triad):
    """Return the values of the fixed cells of a triad, which have one candidate."""
    several_0 = nonzero_mask(clear_lowest_bit(triad[0]))
    several_1 = nonzero_mask(clear_lowest_bit(triad[1]))
    several_2 = nonzero_mask(clear_lowest_bit(triad[2]))
    return triad[0] & ~several_0 | triad[1] & ~several_1 | triad[2] & ~several_2


# The triads of a value in a chute form a permutation of three. All six permutations are tried, and
# a triad keeps a value only if one of the possible permutations contains it. This makes the chute
# arc-consistent for each value (T. Dillon, tdoku, 2019). All values are processed together, as the
# bits of a word.
@compiled(inline=True)
def _possible_triad_values(m00, m01, m02, m10, m11, m12, m20, m21, m22):
    """Return the values that each triad can have, by line and box, and the values without a triad.

    `m01` are the values that the triad of line 0 in box 1 could have before, and so on. A value for
    which no permutation is possible is a contradiction.
    """
    p012, p021 = m00 & m11 & m22, m00 & m12 & m21
    p102, p120 = m01 & m10 & m22, m01 & m12 & m20
    p201, p210 = m02 & m10 & m21, m02 & m11 & m20
    without_triad = (p012 | p021 | p102 | p120 | p201 | p210) ^ broadcast(_ALL_VALUES)
    may = (
        p012 | p021, p102 | p120, p201 | p210,
        p102 | p201, p012 | p210, p021 | p120,
        p120 | p210, p021 | p201, p012 | p102,
    )  # fmt: skip
    return may, without_triad


# A triad has three cells. If it must have three values, it cannot have any other value (a naked
# triple of its line and its box). A triad that must have more than three values is a contradiction.
@compiled(inline=True)
def _update_triad(board, cell, gap, triad, may, must, index):
    """Restrict the cells of a triad to the values that it may have.

    Returns contradictions, the eliminated values, and the number of remaining values.
    """
    from_third = clear_lowest_bit(clear_lowest_bit(must))
    may = may & (must | ~nonzero_mask(from_third))
    store(board, cell, triad[0] & may)
    store(board, cell + gap, triad[1] & may)
    store(board, cell + 2 * gap, triad[2] & may)
    store(board, MAY_HAVE + index, may)
    store(board, MUST_HAVE + index, must)
    return clear_lowest_bit(from_third), _union(triad) & ~may, popcount(may)


# Locked candidates, in both directions. A triad must have a value if one of its cells is fixed to
# the value, or if no other triad of its line can have it. The other triads of the line and of the
# box then lose the value. Each unit has each value exactly once, so no solution is lost.
@compiled(inline=True)
def _update_chute(board, chute, first, line, box, gap):
    """Restrict the nine triads of a chute. Returns contradictions and the eliminated values.

    `first` is the first cell of the chute. `line`, `box` and `gap` are the distances between
    adjacent lines, boxes, and cells of a triad.
    """
    second, third = first + line, first + 2 * line
    t00 = _load_triad(board, first, gap)
    t01 = _load_triad(board, first + box, gap)
    t02 = _load_triad(board, first + 2 * box, gap)
    t10 = _load_triad(board, second, gap)
    t11 = _load_triad(board, second + box, gap)
    t12 = _load_triad(board, second + 2 * box, gap)
    t20 = _load_triad(board, third, gap)
    t21 = _load_triad(board, third + box, gap)
    t22 = _load_triad(board, third + 2 * box, gap)
    f00, f01, f02 = _fixed_values(t00), _fixed_values(t01), _fixed_values(t02)
    f10, f11, f12 = _fixed_values(t10), _fixed_values(t11), _fixed_values(t12)
    f20, f21, f22 = _fixed_values(t20), _fixed_values(t21), _fixed_values(t22)
    free_0, free_1, free_2 = ~(f00 | f01 | f02), ~(f10 | f11 | f12), ~(f20 | f21 | f22)
    may, dead = _possible_triad_values(
        _union(t00) & (f00 | free_0), _union(t01) & (f01 | free_0), _union(t02) & (f02 | free_0),
        _union(t10) & (f10 | free_1), _union(t11) & (f11 | free_1), _union(t12) & (f12 | free_1),
        _union(t20) & (f20 | free_2), _union(t21) & (f21 | free_2), _union(t22) & (f22 | free_2),
    )  # fmt: skip
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = may
    t = 9 * chute
    x0, y0, n0 = _update_triad(board, first, gap, t00, m00, m00 & ~(m01 | m02), t)
    x1, y1, n1 = _update_triad(board, first + box, gap, t01, m01, m01 & ~(m00 | m02), t + 1)
    x2, y2, n2 = _update_triad(board, first + 2 * box, gap, t02, m02, m02 & ~(m00 | m01), t + 2)
    x3, y3, n3 = _update_triad(board, second, gap, t10, m10, m10 & ~(m11 | m12), t + 3)
    x4, y4, n4 = _update_triad(board, second + box, gap, t11, m11, m11 & ~(m10 | m12), t + 4)
    x5, y5, n5 = _update_triad(board, second + 2 * box, gap, t12, m12, m12 & ~(m10 | m11), t + 5)
    x6, y6, n6 = _update_triad(board, third, gap, t20, m20, m20 & ~(m21 | m22), t + 6)
    x7, y7, n7 = _update_triad(board, third + box, gap, t21, m21, m21 & ~(m20 | m22), t + 7)
    x8, y8, n8 = _update_triad(board, third + 2 * box, gap, t22, m22, m22 & ~(m20 | m21), t + 8)
    store(board, CHUTE_COUNTS + chute, n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8)
    dead = dead | x0 | x1 | x2 | x3 | x4 | x5 | x6 | x7 | x8
    return dead, y0 | y1 | y2 | y3 | y4 | y5 | y6 | y7 | y8


# Hidden single. If both the row triad and the column triad of a cell must have a value, the value
# is in their common cell: their common box has it only once.
@compiled(inline=True)
def _update_cell(board, cell, row_triad, column_triad):
    """Restrict a cell to the value that both its triads must have.

    `row_triad` and `column_triad` are the indices of their vectors. Returns three vectors: nonzero
    words for contradictions, nonzero words for open cells, and the eliminated values.
    """
    before, required = load(board, cell), load(board, row_triad) & load(board, column_triad)
    after = before & (required | ~nonzero_mask(required))
    store(board, cell, after)
    return (
        clear_lowest_bit(required) | ~nonzero_mask(after),
        clear_lowest_bit(after),
        before & ~after,
    )


@compiled(inline=True)
def sweep(board):
    """Propagate once in all bands, then in all stacks, and then in all cells.

    If the word of a lane in CHANGED_LANES is 0 afterwards, the lane has reached its fixpoint.
    """
    dead, is_open, changed = broadcast(_NO_VALUES), broadcast(_NO_VALUES), broadcast(_NO_VALUES)
    for chute in range(3):
        conflict, eliminated = _update_chute(board, chute, 27 * chute, 9, 3, 1)
        dead, changed = dead | conflict, changed | eliminated
    for chute in range(3):
        conflict, eliminated = _update_chute(board, 3 + chute, 3 * chute, 1, 27, 9)
        dead, changed = dead | conflict, changed | eliminated
    for row in range(9):
        for column in range(9):
            row_triad = MUST_HAVE + 3 * row + column // 3
            column_triad = MUST_HAVE + 27 + 9 * (column // 3) + 3 * (column % 3) + row // 3
            conflict, several, eliminated = _update_cell(
                board, 9 * row + column, row_triad, column_triad
            )
            dead, is_open, changed = dead | conflict, is_open | several, changed | eliminated
    store(board, DEAD_LANES, dead)
    store(board, OPEN_LANES, is_open)
    store(board, CHANGED_LANES, changed)
