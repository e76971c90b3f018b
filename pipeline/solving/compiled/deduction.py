"""Deduction for `kernel.py`: bit-planes of LANES puzzles of 9×9, propagated side by side.

The order of deductions does not matter: once nothing more follows, each puzzle has the same
candidates left, and `choose` chooses the same cell. (Bit-slicing by permutations of triads:
T. Dillon's tdoku, 2019.)
"""

from __future__ import annotations

import numpy as np

from pipeline.native import compiled
from pipeline.native.vectors import load, spread, store

WORD = 64
WORDS = 8
"""Machine words in a vector, one bit of which belongs to each lane."""

LANES = WORDS * WORD
"""Puzzles side by side."""

ROW_WORDS = 12
"""Words for the candidates of one puzzle: nine bits a cell, row by row."""

ROUNDS = 5
"""Rounds in a step. More are wasted on lanes that no longer change, fewer cost more steps."""

ONE, ALL, NONE = np.uint64(1), np.uint64(2**WORD - 1), np.uint64(0)

# One array holds all vectors; each kind begins here:
SPARE = 729
"""Planes that carry what `choose` has chosen, through the transposition, to the rows."""
BRANCH_BITS = 7
IN_LAST_WORD = SPARE % WORD
CANDIDATES = np.uint64((1 << IN_LAST_WORD) - 1)
"""The bits of candidates in the last word of a row."""
_ROW_MAY, _ROW_MUST = 768, 1011  # [band, row in it, stack, value]: a triad may, and must, have it
_COLUMN_MAY, _COLUMN_MUST = 1254, 1497  # [stack, column in it, band, value]
DEAD, OPEN, MOVED = 1740, 1741, 1742
_HIDDEN, _SEVERAL = 1743, 1752  # of the nine cells of a box
_COUNT, _CELL, _BAD = 1761, 2085, 2166
_ROW_ONE, _COLUMN_ONE = 2247, 2328
_ROW_HAS, _COLUMN_HAS = 2409, 2652
VECTORS = 2896


@compiled()
def _exactly_odd(a, b, c):
    return a ^ b ^ c


@compiled()
def _two_of(a, b, c):
    return (a & b) | (c & (a | b))


@compiled()
def _keep_three(s, may, must, x, y, z):
    store(s, may, x)
    store(s, may + 9, y)
    store(s, may + 18, z)
    store(s, must, x & ~(y | z))
    store(s, must + 9, y & ~(x | z))
    store(s, must + 18, z & ~(x | y))


@compiled()
def _permute(s, may, must):
    """Tighten which triads of a band or stack may and must have a value: a permutation matrix.

    Its rows are 27 vectors apart, its columns 9. Gives the lanes that have a permutation left.
    """
    s00, s01, s02 = load(s, must), load(s, must + 9), load(s, must + 18)
    s10, s11, s12 = load(s, must + 27), load(s, must + 36), load(s, must + 45)
    s20, s21, s22 = load(s, must + 54), load(s, must + 63), load(s, must + 72)
    a00 = load(s, may) & ~(s01 | s02)
    a01 = load(s, may + 9) & ~(s02 | s00)
    a02 = load(s, may + 18) & ~(s00 | s01)
    a10 = load(s, may + 27) & ~(s11 | s12)
    a11 = load(s, may + 36) & ~(s12 | s10)
    a12 = load(s, may + 45) & ~(s10 | s11)
    a20 = load(s, may + 54) & ~(s21 | s22)
    a21 = load(s, may + 63) & ~(s22 | s20)
    a22 = load(s, may + 72) & ~(s20 | s21)
    p0, p1, p2 = a00 & a11 & a22, a01 & a12 & a20, a02 & a10 & a21
    n0, n1, n2 = a00 & a12 & a21, a01 & a10 & a22, a02 & a11 & a20
    _keep_three(s, may, must, p0 | n0, p1 | n1, p2 | n2)
    _keep_three(s, may + 27, must + 27, p2 | n1, p0 | n2, p1 | n0)
    _keep_three(s, may + 54, must + 54, p1 | n2, p2 | n0, p0 | n1)
    return p0 | p1 | p2 | n0 | n1 | n2


@compiled()
def _strike_full(s, may, must):
    """A triad that must have three values has no other."""
    once, twice = load(s, must), spread(NONE)
    full = twice
    for v in range(1, 9):
        one = load(s, must + v)
        full = full | (twice & one)
        twice = twice | (once & one)
        once = once | one
    for v in range(9):
        store(s, may + v, load(s, may + v) & (load(s, must + v) | ~full))


@compiled()
def _look(s, x, u, m, q, hidden, once, twice):
    """Count a candidate in its cell: whether its triads need it there, and how many are left."""
    left = load(s, x) & m & load(s, _COLUMN_MAY + u)
    return hidden | (q & load(s, _COLUMN_MUST + u)), once | left, twice | (once & left)


@compiled()
def _strike(s, x, u, m, q, cell):
    """Strike a candidate by its triads and its cell. Gives it, if it is sure, and if it changed."""
    hidden, several = load(s, _HIDDEN + cell), load(s, _SEVERAL + cell)
    old = load(s, x)
    needed = q & load(s, _COLUMN_MUST + u)
    new = old & m & load(s, _COLUMN_MAY + u) & (needed | ~hidden)
    store(s, x, new)
    return new, new & (hidden | ~several), old ^ new


@compiled()
def _look_at_box(s, x, u, h):
    """Find the hidden and the single values of the nine cells of a box.

    Gives in which lanes each cell has a value, and in which one has several.
    """
    none = spread(NONE)
    alive, several = ~none, none
    for r in range(3):
        a0, a1, a2 = none, none, none
        o0, o1, o2 = none, none, none
        t0, t1, t2 = none, none, none
        for v in range(9):
            m, q = load(s, _ROW_MAY + h + r * 27 + v), load(s, _ROW_MUST + h + r * 27 + v)
            y = x + r * 81 + v
            a0, o0, t0 = _look(s, y, u + v, m, q, a0, o0, t0)
            a1, o1, t1 = _look(s, y + 9, u + 27 + v, m, q, a1, o1, t1)
            a2, o2, t2 = _look(s, y + 18, u + 54 + v, m, q, a2, o2, t2)
        alive = alive & (o0 & o1 & o2)
        several = several | (t0 | t1 | t2)
        c = r * 3
        store(s, _HIDDEN + c, a0)
        store(s, _HIDDEN + c + 1, a1)
        store(s, _HIDDEN + c + 2, a2)
        store(s, _SEVERAL + c, t0)
        store(s, _SEVERAL + c + 1, t1)
        store(s, _SEVERAL + c + 2, t2)
    return alive, several


@compiled(inline=True)
def _strike_row(s, x, u, g, cell):
    """Strike a value from three cells of a row, and sum up their triad: see `_strike_box`."""
    m, q = load(s, _ROW_MAY + g), load(s, _ROW_MUST + g)
    a, fa, da = _strike(s, x, u, m, q, cell)
    b, fb, db = _strike(s, x + 9, u + 27, m, q, cell + 1)
    c, fc, dc = _strike(s, x + 18, u + 54, m, q, cell + 2)
    store(s, _ROW_MAY + g, a | b | c)
    store(s, _ROW_MUST + g, fa | fb | fc)
    return a, b, c, fa, fb, fc, da | db | dc


@compiled()
def _strike_box(s, x, u, h):
    """Strike what a box can no longer have, and sum up its triads; gives the lanes that moved."""
    moved = spread(NONE)
    for v in range(9):
        y, w, g = x + v, u + v, h + v
        a, b, c, fa, fb, fc, one = _strike_row(s, y, w, g, 0)
        d, e, f, fd, fe, ff, two = _strike_row(s, y + 81, w, g + 27, 3)
        k, i, n, fk, fi, fn, three = _strike_row(s, y + 162, w, g + 54, 6)
        moved = moved | (one | two | three)
        store(s, _COLUMN_MAY + w, a | d | k)
        store(s, _COLUMN_MAY + w + 27, b | e | i)
        store(s, _COLUMN_MAY + w + 54, c | f | n)
        store(s, _COLUMN_MUST + w, fa | fd | fk)
        store(s, _COLUMN_MUST + w + 27, fb | fe | fi)
        store(s, _COLUMN_MUST + w + 54, fc | ff | fn)
    return moved


@compiled()
def _one_round(s):
    """Deduce once in all boxes, and then in all bands and stacks."""
    alive, several, moved = ~spread(NONE), spread(NONE), spread(NONE)
    for band in range(3):
        for stack in range(3):
            x, u, h = band * 243 + stack * 27, stack * 81 + band * 9, band * 81 + stack * 9
            living, many = _look_at_box(s, x, u, h)
            moved = moved | _strike_box(s, x, u, h)
            alive = alive & living
            several = several | many
        for v in range(9):
            alive = alive & _permute(s, _ROW_MAY + band * 81 + v, _ROW_MUST + band * 81 + v)
    for stack in range(3):
        for v in range(9):
            alive = alive & _permute(s, _COLUMN_MAY + stack * 81 + v, _COLUMN_MUST + stack * 81 + v)
    for t in range(27):
        _strike_full(s, _ROW_MAY + t * 9, _ROW_MUST + t * 9)
        _strike_full(s, _COLUMN_MAY + t * 9, _COLUMN_MUST + t * 9)
    store(s, DEAD, load(s, DEAD) | ~alive)
    store(s, OPEN, several)
    store(s, MOVED, moved)


@compiled()
def propagate(s):
    for i in range(243):
        store(s, _ROW_MAY + i, spread(ALL))
        store(s, _COLUMN_MAY + i, spread(ALL))
        store(s, _ROW_MUST + i, spread(NONE))
        store(s, _COLUMN_MUST + i, spread(NONE))
    store(s, DEAD, spread(NONE))
    for _ in range(ROUNDS):
        _one_round(s)


@compiled()
def _sum_of_nine(s, i):
    """The binary digits of how many of nine planes are set, lowest first."""
    a, b, c = load(s, i), load(s, i + 1), load(s, i + 2)
    d, e, f = load(s, i + 3), load(s, i + 4), load(s, i + 5)
    g, h, j = load(s, i + 6), load(s, i + 7), load(s, i + 8)
    s0, c0 = _exactly_odd(a, b, c), _two_of(a, b, c)
    s1, c1 = _exactly_odd(d, e, f), _two_of(d, e, f)
    s2, c2 = _exactly_odd(g, h, j), _two_of(g, h, j)
    c3, x, y = _two_of(s0, s1, s2), _exactly_odd(c0, c1, c2), _two_of(c0, c1, c2)
    z = x & c3
    return _exactly_odd(s0, s1, s2), x ^ c3, y ^ z, y & z


@compiled()
def _fewest(s):
    """In _CELL the cells with the fewest candidates, of those with several."""
    for c in range(81):
        d0, d1, d2, d3 = _sum_of_nine(s, c * 9)
        store(s, _COUNT + c, d0)
        store(s, _COUNT + 81 + c, d1)
        store(s, _COUNT + 162 + c, d2)
        store(s, _COUNT + 243 + c, d3)
        store(s, _CELL + c, d1 | d2 | d3)
    for k in range(3, -1, -1):
        some = spread(NONE)
        for c in range(81):
            some = some | (load(s, _CELL + c) & ~load(s, _COUNT + k * 81 + c))
        for c in range(81):
            few = ~(load(s, _COUNT + k * 81 + c) & some)
            store(s, _CELL + c, load(s, _CELL + c) & few)


@compiled()
def _alone(s, has, one):
    """For each line and value, whether at most one of its triads has it."""
    for line in range(9):
        for v in range(9):
            i = has + line * 27 + v
            several = _two_of(load(s, i), load(s, i + 9), load(s, i + 18))
            store(s, one + line * 9 + v, ~several)


@compiled()
def _avoid(s):
    """Of the cells in _CELL keep those not in _BAD, if there is one."""
    some = spread(NONE)
    for c in range(81):
        some = some | (load(s, _CELL + c) & ~load(s, _BAD + c))
    for c in range(81):
        store(s, _CELL + c, load(s, _CELL + c) & ~(load(s, _BAD + c) & some))


@compiled(inline=True)
def _mark_locked(s):
    """Mark in _BAD the cells with a value that has no other place in their row or column of a box.

    In _ROW_HAS and _COLUMN_HAS note the triads with a value of a cell in _CELL.
    """
    none = spread(NONE)
    for i in range(243):
        store(s, _ROW_HAS + i, none)
        store(s, _COLUMN_HAS + i, none)
    for r in range(9):
        for c in range(9):
            row, column, locked = r * 27 + c // 3 * 9, c * 27 + r // 3 * 9, none
            cell = load(s, _CELL + r * 9 + c)
            for v in range(9):
                x = load(s, (r * 9 + c) * 9 + v) & cell
                locked = locked | (
                    x & (load(s, _ROW_ONE + r * 9 + v) | load(s, _COLUMN_ONE + c * 9 + v))
                )
                store(s, _ROW_HAS + row + v, load(s, _ROW_HAS + row + v) | x)
                store(s, _COLUMN_HAS + column + v, load(s, _COLUMN_HAS + column + v) | x)
            store(s, _BAD + r * 9 + c, locked)


@compiled(inline=True)
def _mark_lonely(s):
    """Mark in _BAD the cells with a value that no cell in _CELL of another box of the line has."""
    for r in range(9):
        for c in range(9):
            lonely = spread(NONE)
            for v in range(9):
                x = load(s, (r * 9 + c) * 9 + v)
                lonely = lonely | (
                    x & load(s, _ROW_ONE + r * 9 + v) & load(s, _COLUMN_ONE + c * 9 + v)
                )
            store(s, _BAD + r * 9 + c, lonely)


@compiled()
def choose(s):
    """Choose the cell to branch on, and write its number into the spare planes.

    No cell has fewer candidates. Among such cells, one with a value that can go nowhere else in its
    row or column of the box, or of the cells with fewest candidates, comes last.
    """
    _fewest(s)
    _alone(s, _ROW_MAY, _ROW_ONE)
    _alone(s, _COLUMN_MAY, _COLUMN_ONE)
    _mark_locked(s)
    _alone(s, _ROW_HAS, _ROW_ONE)
    _alone(s, _COLUMN_HAS, _COLUMN_ONE)
    _avoid(s)
    _mark_lonely(s)
    _avoid(s)
    none = spread(NONE)
    for k in range(BRANCH_BITS):
        store(s, SPARE + k, none)
    taken = none
    for i in range(81):  # by column in the box, row in it, stack, band
        c = (i % 3 * 3 + i // 9 % 3) * 9 + (i // 3 % 3 * 3 + i // 27)
        mine = load(s, _CELL + c) & ~taken
        taken = taken | mine
        for k in range(BRANCH_BITS):
            if c >> k & 1:
                store(s, SPARE + k, load(s, SPARE + k) | mine)


@compiled()
def _exchange(low, high, by, mask):
    """Exchange the upper bits of `low` with the lower ones of `high`, `by` apart."""
    return (
        (low & mask) | (high << by & ~mask),
        (low >> by & mask) | (high & ~mask),
    )


@compiled()
def _three_steps(s, p, gap, by, m0, m1, m2):
    """Three of the six steps of a transposition, on eight vectors."""
    a, b, c, d = load(s, p), load(s, p + gap), load(s, p + 2 * gap), load(s, p + 3 * gap)
    e, f = load(s, p + 4 * gap), load(s, p + 5 * gap)
    g, h = load(s, p + 6 * gap), load(s, p + 7 * gap)
    a, e = _exchange(a, e, by, m0)
    b, f = _exchange(b, f, by, m0)
    c, g = _exchange(c, g, by, m0)
    d, h = _exchange(d, h, by, m0)
    by = by >> ONE
    a, c = _exchange(a, c, by, m1)
    b, d = _exchange(b, d, by, m1)
    e, g = _exchange(e, g, by, m1)
    f, h = _exchange(f, h, by, m1)
    by = by >> ONE
    a, b = _exchange(a, b, by, m2)
    c, d = _exchange(c, d, by, m2)
    e, f = _exchange(e, f, by, m2)
    g, h = _exchange(g, h, by, m2)
    store(s, p, a)
    store(s, p + gap, b)
    store(s, p + 2 * gap, c)
    store(s, p + 3 * gap, d)
    store(s, p + 4 * gap, e)
    store(s, p + 5 * gap, f)
    store(s, p + 6 * gap, g)
    store(s, p + 7 * gap, h)


@compiled()
def transpose(s):
    """Planes to rows or back: transpose all blocks of 64×64 bits (Hacker's Delight, 7-3)."""
    m0, m1 = spread(np.uint64(0x00000000FFFFFFFF)), spread(np.uint64(0x0000FFFF0000FFFF))
    m2, m3 = spread(np.uint64(0x00FF00FF00FF00FF)), spread(np.uint64(0x0F0F0F0F0F0F0F0F))
    m4, m5 = spread(np.uint64(0x3333333333333333)), spread(np.uint64(0x5555555555555555))
    for k in range(ROW_WORDS):
        for i in range(8):
            _three_steps(s, k * WORD + i, 8, np.uint64(32), m0, m1, m2)
        for i in range(8):
            _three_steps(s, k * WORD + i * 8, 1, np.uint64(4), m3, m4, m5)
