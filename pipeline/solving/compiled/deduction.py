"""Unit propagation for LANES 9×9 puzzles in parallel, by bit-slicing: see `layout`.

The result for a puzzle does not depend on the other lanes: at the fixpoint it always has the same
candidates, and `choose_cells` chooses the same cell. (Bit-slicing with triads and their
permutations: T. Dillon, tdoku, 2019.)
"""

from __future__ import annotations

import numpy as np

from pipeline.native import compiled
from pipeline.native.vectors import broadcast, load, store
from pipeline.solving.compiled import layout as L


@compiled()
def _parity(a, b, c):
    """The sum bit of a full adder."""
    return a ^ b ^ c


@compiled()
def _majority(a, b, c):
    """The carry bit of a full adder: whether at least two of the three bits are set."""
    return (a & b) | (c & (a | b))


@compiled()
def _store_line(planes, may, must, x, y, z):
    """Store whether each of the three triads of a line can have the value, and must have it."""
    store(planes, may, x)
    store(planes, may + 9, y)
    store(planes, may + 18, z)
    store(planes, must, x & ~(y | z))
    store(planes, must + 9, y & ~(x | z))
    store(planes, must + 18, z & ~(x | y))


# A value is in one triad of each line and of each box of a band, so its triads form a permutation
# matrix. First, if a triad of a line must have the value, it is eliminated from the other two. Then
# all six permutations are tried, three even and three odd. A triad can have the value if it is in
# one of the possible permutations. It must have the value if the other triads of its line cannot.
# This finds locked candidates of both kinds.
@compiled()
def _restrict_chute(planes, may, must):
    """Restrict the nine triads of a chute for one value. Returns the lanes without contradiction.

    A chute is a band or a stack. Its lines are 27 vectors apart, its boxes 9.
    """
    s00, s01, s02 = load(planes, must), load(planes, must + 9), load(planes, must + 18)
    s10, s11, s12 = load(planes, must + 27), load(planes, must + 36), load(planes, must + 45)
    s20, s21, s22 = load(planes, must + 54), load(planes, must + 63), load(planes, must + 72)
    a00 = load(planes, may) & ~(s01 | s02)
    a01 = load(planes, may + 9) & ~(s02 | s00)
    a02 = load(planes, may + 18) & ~(s00 | s01)
    a10 = load(planes, may + 27) & ~(s11 | s12)
    a11 = load(planes, may + 36) & ~(s12 | s10)
    a12 = load(planes, may + 45) & ~(s10 | s11)
    a20 = load(planes, may + 54) & ~(s21 | s22)
    a21 = load(planes, may + 63) & ~(s22 | s20)
    a22 = load(planes, may + 72) & ~(s20 | s21)
    even_0, even_1, even_2 = a00 & a11 & a22, a01 & a12 & a20, a02 & a10 & a21
    odd_0, odd_1, odd_2 = a00 & a12 & a21, a01 & a10 & a22, a02 & a11 & a20
    _store_line(planes, may, must, even_0 | odd_0, even_1 | odd_1, even_2 | odd_2)
    _store_line(planes, may + 27, must + 27, even_2 | odd_1, even_0 | odd_2, even_1 | odd_0)
    _store_line(planes, may + 54, must + 54, even_1 | odd_2, even_2 | odd_0, even_0 | odd_1)
    return even_0 | even_1 | even_2 | odd_0 | odd_1 | odd_2


# A triad has three cells, so if it must have three values, it has no others. The values that a
# triad must have are counted in unary: `once`, `twice`, and `full` for three or more.
@compiled()
def _restrict_full_triads(planes, may, must):
    """For each triad that must have three values, eliminate all other values."""
    once, twice = load(planes, must), broadcast(L.NO_BITS)
    full = twice
    for v in range(1, 9):
        must_v = load(planes, must + v)
        full = full | (twice & must_v)
        twice = twice | (once & must_v)
        once = once | must_v
    for v in range(9):
        store(planes, may + v, load(planes, may + v) & (load(planes, must + v) | ~full))


@compiled()
def _update_flags(planes, plane, column_triad, row_may, row_must, hidden, once, twice):
    """Update three flags of a cell for one more candidate.

    Returns the lanes in which the cell has a hidden single, any candidate, and several candidates.
    """
    remaining = load(planes, plane) & row_may & load(planes, L.COLUMN_MAY + column_triad)
    return (
        hidden | (row_must & load(planes, L.COLUMN_MUST + column_triad)),
        once | remaining,
        twice | (once & remaining),
    )


# A candidate is possible only if both of its triads can have its value. If both must have the
# value, the value is in their common cell (a hidden single), which then has no other candidate. A
# candidate that is a hidden or naked single is certain.
@compiled()
def _restrict_candidate(planes, plane, column_triad, row_may, row_must, cell):
    """Eliminate a candidate unless its triads and its cell allow it.

    Returns the lanes in which it remains, in which it is certain, and in which it was eliminated.
    """
    hidden, several = load(planes, L.HIDDEN_SINGLES + cell), load(planes, L.SEVERAL + cell)
    before = load(planes, plane)
    is_hidden = row_must & load(planes, L.COLUMN_MUST + column_triad)
    after = before & row_may & load(planes, L.COLUMN_MAY + column_triad) & (is_hidden | ~hidden)
    store(planes, plane, after)
    return after, after & (hidden | ~several), before ^ after


@compiled()
def _scan_box(planes, plane, column_triad, row_triad):
    """Find the singles of the nine cells of a box.

    Returns the lanes in which each cell has a candidate, and the lanes in which some cell has
    several.
    """
    none = broadcast(L.NO_BITS)
    alive, several = ~none, none
    for r in range(3):
        hidden_0, hidden_1, hidden_2 = none, none, none
        once_0, once_1, once_2 = none, none, none
        twice_0, twice_1, twice_2 = none, none, none
        for v in range(9):
            triad, first = row_triad + r * 27 + v, plane + r * 81 + v
            may, must = load(planes, L.ROW_MAY + triad), load(planes, L.ROW_MUST + triad)
            hidden_0, once_0, twice_0 = _update_flags(
                planes, first, column_triad + v, may, must, hidden_0, once_0, twice_0
            )
            hidden_1, once_1, twice_1 = _update_flags(
                planes, first + 9, column_triad + 27 + v, may, must, hidden_1, once_1, twice_1
            )
            hidden_2, once_2, twice_2 = _update_flags(
                planes, first + 18, column_triad + 54 + v, may, must, hidden_2, once_2, twice_2
            )
        alive = alive & (once_0 & once_1 & once_2)
        several = several | (twice_0 | twice_1 | twice_2)
        store(planes, L.HIDDEN_SINGLES + r * 3, hidden_0)
        store(planes, L.HIDDEN_SINGLES + r * 3 + 1, hidden_1)
        store(planes, L.HIDDEN_SINGLES + r * 3 + 2, hidden_2)
        store(planes, L.SEVERAL + r * 3, twice_0)
        store(planes, L.SEVERAL + r * 3 + 1, twice_1)
        store(planes, L.SEVERAL + r * 3 + 2, twice_2)
    return alive, several


@compiled(inline=True)
def _restrict_row(planes, plane, column_triad, row_triad, cell):
    """Restrict the candidates of one value in the three cells of a row triad, and update the triad.

    Returns, for the three cells, the lanes in which the candidate remains and in which it is
    certain; then the lanes that changed.
    """
    row_may, row_must = load(planes, L.ROW_MAY + row_triad), load(planes, L.ROW_MUST + row_triad)
    a, fa, da = _restrict_candidate(planes, plane, column_triad, row_may, row_must, cell)
    b, fb, db = _restrict_candidate(
        planes, plane + 9, column_triad + 27, row_may, row_must, cell + 1
    )
    c, fc, dc = _restrict_candidate(
        planes, plane + 18, column_triad + 54, row_may, row_must, cell + 2
    )
    store(planes, L.ROW_MAY + row_triad, a | b | c)
    store(planes, L.ROW_MUST + row_triad, fa | fb | fc)
    return a, b, c, fa, fb, fc, da | db | dc


@compiled()
def _restrict_box(planes, plane, column_triad, row_triad):
    """Restrict the candidates of a box, and update its triads. Returns the lanes that changed."""
    changed = broadcast(L.NO_BITS)
    for v in range(9):
        first, column, row = plane + v, column_triad + v, row_triad + v
        a, b, c, fa, fb, fc, changed_0 = _restrict_row(planes, first, column, row, 0)
        d, e, f, fd, fe, ff, changed_1 = _restrict_row(planes, first + 81, column, row + 27, 3)
        k, i, n, fk, fi, fn, changed_2 = _restrict_row(planes, first + 162, column, row + 54, 6)
        changed = changed | (changed_0 | changed_1 | changed_2)
        store(planes, L.COLUMN_MAY + column, a | d | k)
        store(planes, L.COLUMN_MAY + column + 27, b | e | i)
        store(planes, L.COLUMN_MAY + column + 54, c | f | n)
        store(planes, L.COLUMN_MUST + column, fa | fd | fk)
        store(planes, L.COLUMN_MUST + column + 27, fb | fe | fi)
        store(planes, L.COLUMN_MUST + column + 54, fc | ff | fn)
    return changed


@compiled()
def _propagate_once(planes):
    """Propagate once through all boxes, then through all bands and stacks."""
    alive, several, changed = ~broadcast(L.NO_BITS), broadcast(L.NO_BITS), broadcast(L.NO_BITS)
    for band in range(3):
        for stack in range(3):
            plane = band * 243 + stack * 27
            column_triad, row_triad = stack * 81 + band * 9, band * 81 + stack * 9
            box_alive, box_several = _scan_box(planes, plane, column_triad, row_triad)
            changed = changed | _restrict_box(planes, plane, column_triad, row_triad)
            alive = alive & box_alive
            several = several | box_several
        for v in range(9):
            triad = band * 81 + v
            alive = alive & _restrict_chute(planes, L.ROW_MAY + triad, L.ROW_MUST + triad)
    for stack in range(3):
        for v in range(9):
            triad = stack * 81 + v
            alive = alive & _restrict_chute(planes, L.COLUMN_MAY + triad, L.COLUMN_MUST + triad)
    for t in range(27):
        _restrict_full_triads(planes, L.ROW_MAY + t * 9, L.ROW_MUST + t * 9)
        _restrict_full_triads(planes, L.COLUMN_MAY + t * 9, L.COLUMN_MUST + t * 9)
    store(planes, L.DEAD, load(planes, L.DEAD) | ~alive)
    store(planes, L.HAS_OPEN_CELLS, several)
    store(planes, L.CHANGED, changed)


@compiled()
def propagate_rounds(planes):
    """Reset the planes of triads, then propagate for ROUNDS_PER_STEP rounds."""
    for i in range(243):
        store(planes, L.ROW_MAY + i, broadcast(L.ALL_BITS))
        store(planes, L.COLUMN_MAY + i, broadcast(L.ALL_BITS))
        store(planes, L.ROW_MUST + i, broadcast(L.NO_BITS))
        store(planes, L.COLUMN_MUST + i, broadcast(L.NO_BITS))
    store(planes, L.DEAD, broadcast(L.NO_BITS))
    for _ in range(L.ROUNDS_PER_STEP):
        _propagate_once(planes)


@compiled()
def _sum_of_nine(planes, first):
    """Count the set bits of nine planes, by a tree of full adders.

    Returns the binary digits of the count, lowest first.
    """
    a, b, c = load(planes, first), load(planes, first + 1), load(planes, first + 2)
    d, e, f = load(planes, first + 3), load(planes, first + 4), load(planes, first + 5)
    g, h, j = load(planes, first + 6), load(planes, first + 7), load(planes, first + 8)
    s0, c0 = _parity(a, b, c), _majority(a, b, c)
    s1, c1 = _parity(d, e, f), _majority(d, e, f)
    s2, c2 = _parity(g, h, j), _majority(g, h, j)
    c3, x, y = _majority(s0, s1, s2), _parity(c0, c1, c2), _majority(c0, c1, c2)
    z = x & c3
    return _parity(s0, s1, s2), x ^ c3, y ^ z, y & z


# This finds the smallest of 81 binary numbers in all lanes at once: from the highest digit to the
# lowest, cells with a 1 are deselected if some selected cell has a 0.
@compiled()
def _select_fewest(planes):
    """Select the open cells with the fewest candidates."""
    for c in range(81):
        d0, d1, d2, d3 = _sum_of_nine(planes, c * 9)
        store(planes, L.COUNT + c, d0)
        store(planes, L.COUNT + 81 + c, d1)
        store(planes, L.COUNT + 162 + c, d2)
        store(planes, L.COUNT + 243 + c, d3)
        store(planes, L.SELECTED + c, d1 | d2 | d3)
    for k in range(3, -1, -1):
        some_zero = broadcast(L.NO_BITS)
        for c in range(81):
            has_zero = ~load(planes, L.COUNT + k * 81 + c)
            some_zero = some_zero | (load(planes, L.SELECTED + c) & has_zero)
        for c in range(81):
            stays = ~(load(planes, L.COUNT + k * 81 + c) & some_zero)
            store(planes, L.SELECTED + c, load(planes, L.SELECTED + c) & stays)


@compiled()
def _find_single_triads(planes, has, single):
    """Write to `single`, for each line and value, whether at most one triad can have the value."""
    for line in range(9):
        for v in range(9):
            triad = has + line * 27 + v
            a, b, c = load(planes, triad), load(planes, triad + 9), load(planes, triad + 18)
            store(planes, single + line * 9 + v, ~_majority(a, b, c))


@compiled()
def _avoid_marked(planes):
    """Deselect the AVOIDED cells of each lane, unless that would leave no cell."""
    some_unmarked = broadcast(L.NO_BITS)
    for c in range(81):
        is_unmarked = load(planes, L.SELECTED + c) & ~load(planes, L.AVOIDED + c)
        some_unmarked = some_unmarked | is_unmarked
    for c in range(81):
        stays = ~(load(planes, L.AVOIDED + c) & some_unmarked)
        store(planes, L.SELECTED + c, load(planes, L.SELECTED + c) & stays)


@compiled(inline=True)
def _mark_locked(planes):
    """Mark each selected cell with a value whose places in its row or column are all in its box.

    Also sets ROW_SELECTED_MAY and COLUMN_SELECTED_MAY.
    """
    none = broadcast(L.NO_BITS)
    for i in range(243):
        store(planes, L.ROW_SELECTED_MAY + i, none)
        store(planes, L.COLUMN_SELECTED_MAY + i, none)
    for r in range(9):
        for c in range(9):
            row, column, locked = r * 27 + c // 3 * 9, c * 27 + r // 3 * 9, none
            cell = load(planes, L.SELECTED + r * 9 + c)
            for v in range(9):
                candidate = load(planes, (r * 9 + c) * 9 + v) & cell
                in_row = load(planes, L.ROW_SINGLE + r * 9 + v)
                in_column = load(planes, L.COLUMN_SINGLE + c * 9 + v)
                locked = locked | (candidate & (in_row | in_column))
                has_row = load(planes, L.ROW_SELECTED_MAY + row + v)
                has_column = load(planes, L.COLUMN_SELECTED_MAY + column + v)
                store(planes, L.ROW_SELECTED_MAY + row + v, has_row | candidate)
                store(planes, L.COLUMN_SELECTED_MAY + column + v, has_column | candidate)
            store(planes, L.AVOIDED + r * 9 + c, locked)


@compiled(inline=True)
def _mark_unshared(planes):
    """Mark each cell with a value that no selected cell of its row or column has in another box."""
    for r in range(9):
        for c in range(9):
            unshared = broadcast(L.NO_BITS)
            for v in range(9):
                candidate = load(planes, (r * 9 + c) * 9 + v)
                in_row = load(planes, L.ROW_SINGLE + r * 9 + v)
                in_column = load(planes, L.COLUMN_SINGLE + c * 9 + v)
                unshared = unshared | (candidate & in_row & in_column)
            store(planes, L.AVOIDED + r * 9 + c, unshared)


# Fail first: choose a cell with the fewest candidates. If possible, avoid cells with a value that
# is locked in their box, then cells with a value that no selected cell of their row or column has
# in another box. This is a heuristic: any open cell would do. Ties are broken in a fixed order, so
# the branches of a puzzle do not depend on the other lanes.
@compiled()
def choose_cells(planes):
    """Choose a cell to branch on in each lane, and write its number to BRANCH_CELL."""
    _select_fewest(planes)
    _find_single_triads(planes, L.ROW_MAY, L.ROW_SINGLE)
    _find_single_triads(planes, L.COLUMN_MAY, L.COLUMN_SINGLE)
    _mark_locked(planes)
    _find_single_triads(planes, L.ROW_SELECTED_MAY, L.ROW_SINGLE)
    _find_single_triads(planes, L.COLUMN_SELECTED_MAY, L.COLUMN_SINGLE)
    _avoid_marked(planes)
    _mark_unshared(planes)
    _avoid_marked(planes)
    none = broadcast(L.NO_BITS)
    for k in range(L.BRANCH_BITS):
        store(planes, L.BRANCH_CELL + k, none)
    chosen = none
    for i in range(81):  # ordered by column in the box, row in the box, stack, band
        c = (i % 3 * 3 + i // 9 % 3) * 9 + (i // 3 % 3 * 3 + i // 27)
        is_chosen = load(planes, L.SELECTED + c) & ~chosen
        chosen = chosen | is_chosen
        for k in range(L.BRANCH_BITS):
            if c >> k & 1:
                store(planes, L.BRANCH_CELL + k, load(planes, L.BRANCH_CELL + k) | is_chosen)


@compiled()
def _exchange(low, high, distance, mask):
    """Exchange the bits of `low` outside `mask` with the bits of `high` in `mask`.

    The exchanged bits are `distance` apart. Returns the new `low` and `high`.
    """
    return (
        (low & mask) | (high << distance & ~mask),
        (low >> distance & mask) | (high & ~mask),
    )


@compiled()
def _transpose_part(planes, first, gap, distance, m0, m1, m2):
    """Do three of the six rounds of a transposition on eight vectors."""
    a, b, c, d = (
        load(planes, first),
        load(planes, first + gap),
        load(planes, first + 2 * gap),
        load(planes, first + 3 * gap),
    )
    e, f = load(planes, first + 4 * gap), load(planes, first + 5 * gap)
    g, h = load(planes, first + 6 * gap), load(planes, first + 7 * gap)
    a, e = _exchange(a, e, distance, m0)
    b, f = _exchange(b, f, distance, m0)
    c, g = _exchange(c, g, distance, m0)
    d, h = _exchange(d, h, distance, m0)
    distance = distance >> L.ONE_BIT
    a, c = _exchange(a, c, distance, m1)
    b, d = _exchange(b, d, distance, m1)
    e, g = _exchange(e, g, distance, m1)
    f, h = _exchange(f, h, distance, m1)
    distance = distance >> L.ONE_BIT
    a, b = _exchange(a, b, distance, m2)
    c, d = _exchange(c, d, distance, m2)
    e, f = _exchange(e, f, distance, m2)
    g, h = _exchange(g, h, distance, m2)
    store(planes, first, a)
    store(planes, first + gap, b)
    store(planes, first + 2 * gap, c)
    store(planes, first + 3 * gap, d)
    store(planes, first + 4 * gap, e)
    store(planes, first + 5 * gap, f)
    store(planes, first + 6 * gap, g)
    store(planes, first + 7 * gap, h)


# H. Warren, Hacker's Delight, 7-3: six rounds exchange blocks of 32, 16, …, 1 bits. Three
# consecutive rounds work on the same eight vectors, which stay in registers.
@compiled()
def transpose(planes):
    """Convert planes into records or back: transpose all blocks of 64×64 bits."""
    m0, m1 = broadcast(np.uint64(0x00000000FFFFFFFF)), broadcast(np.uint64(0x0000FFFF0000FFFF))
    m2, m3 = broadcast(np.uint64(0x00FF00FF00FF00FF)), broadcast(np.uint64(0x0F0F0F0F0F0F0F0F))
    m4, m5 = broadcast(np.uint64(0x3333333333333333)), broadcast(np.uint64(0x5555555555555555))
    for k in range(L.RECORD_WORDS):
        for i in range(8):
            _transpose_part(planes, k * L.WORD_BITS + i, 8, np.uint64(32), m0, m1, m2)
        for i in range(8):
            _transpose_part(planes, k * L.WORD_BITS + i * 8, 1, np.uint64(4), m3, m4, m5)
