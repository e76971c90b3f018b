"""The search of `search.py` for 9×9 puzzles, compiled: LANES nodes of as many searches at once.

Each lane is a depth-first search of its own. A step propagates all of them for ROUNDS rounds; then
a lane that has failed, or found a solution, goes back to the last half that it has set aside, and
one that no longer moves sets one aside. A lane with nothing left begins the next puzzle, or takes
a half from another. Candidates lie in planes, as in `planes.py`, but in the order (row, column,
value): plane 81·r + 9·c + v. The propagation comes to the same end as that of `propagate.py`, and
`_choose` to the same cell as `branch.py`, so that both searches find the same solutions first.
(Bit-slicing by permutations of triads: T. Dillon's tdoku, 2019.)

numba takes some ten seconds to compile this, and loads what it has compiled before in less than
one: `loading.py` decides when to import it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

from pipeline.solvers.lanes.vectors import (
    LANES,
    WORD,
    WORDS,
    bits_set,
    load,
    lowest_bit,
    shift_left,
    shift_right,
    spread,
    store,
)

ROUNDS = 5
"""Rounds in a step. More are wasted on lanes that no longer change, fewer cost more steps."""

ROW_WORDS = 12
"""Words of the candidates of one lane: nine bits a cell, row by row."""

MOST_HALVES = 81
"""That one lane sets aside: the other half of each decides a cell."""

_ONE, _ALL, _NONE = np.uint64(1), np.uint64(2**WORD - 1), np.uint64(0)

# Vectors of one array, and where each kind of them begins.
_SPARE = 729
"""Planes that carry what `_choose` has chosen, through the transposition, to the rows."""
_BRANCH_BITS = 7
_IN_LAST_WORD = _SPARE % WORD
_CANDIDATES = np.uint64((1 << _IN_LAST_WORD) - 1)
"""The bits of candidates in the last word of a row."""
_ROW_MAY, _ROW_MUST = 768, 1011  # [band, row in it, stack, value]: a triad may, and must, have it
_COLUMN_MAY, _COLUMN_MUST = 1254, 1497  # [stack, column in it, band, value]
_DEAD, _OPEN, _MOVED = 1740, 1741, 1742
_HIDDEN, _SEVERAL = 1743, 1752  # of the nine cells of a box
_COUNT, _CELL, _BAD = 1761, 2085, 2166
_ROW_ONE, _COLUMN_ONE = 2247, 2328
_ROW_HAS, _COLUMN_HAS = 2409, 2652
VECTORS = 2896

_compiled = njit(nogil=True, error_model="numpy", boundscheck=False)


class Lanes(NamedTuple):
    """The state of LANES searches; `new_lanes` makes one, in which all are idle.

    planes: VECTORS vectors. idle: (WORDS,) a bit for each idle lane. puzzle: (LANES,) what each
    searches. last: (LANES,) the last half that it has set aside, or -1. Of each half: its
    `candidates` (·, ROW_WORDS), its `owner`, a puzzle, and the `one_before` it of the same lane;
    those not in use are a list as well. numbers: see below.
    """

    planes: NDArray[np.uint64]
    idle: NDArray[np.uint64]
    puzzle: NDArray[np.int64]
    last: NDArray[np.int64]
    candidates: NDArray[np.uint64]
    owner: NDArray[np.int64]
    one_before: NDArray[np.int64]
    numbers: NDArray[np.int64]


BEGUN, WAITING, UNUSED, ASKED, STEPS, SPLITS = range(6)
"""In `numbers`: puzzles begun, halves set aside, the first half not in use, the lane that was last
asked for one, steps, and splits."""


def new_lanes() -> Lanes:
    halves = LANES * MOST_HALVES
    one_before = np.arange(1, halves + 1)
    one_before[-1] = -1
    return Lanes(
        _aligned(VECTORS * WORDS),
        np.full(WORDS, _ALL),
        np.zeros(LANES, np.int64),
        np.full(LANES, -1, np.int64),
        np.empty((halves, ROW_WORDS), np.uint64),
        np.empty(halves, np.int64),
        one_before,
        np.zeros(6, np.int64),
    )


def _aligned(words: int) -> NDArray[np.uint64]:
    """Zeros that begin where a vector of the processor does."""
    space = np.zeros(words + WORDS, np.uint64)
    start = -space.ctypes.data // WORDS % WORDS
    return space[start : start + words]


@_compiled
def _exactly_odd(a, b, c):
    return a ^ b ^ c


@_compiled
def _two_of(a, b, c):
    return (a & b) | (c & (a | b))


@_compiled
def _keep_three(s, may, must, x, y, z):
    store(s, may, x)
    store(s, may + 9, y)
    store(s, may + 18, z)
    store(s, must, x & ~(y | z))
    store(s, must + 9, y & ~(x | z))
    store(s, must + 18, z & ~(x | y))


@_compiled
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


@_compiled
def _strike_full(s, may, must):
    """A triad that must have three values has no other."""
    once, twice = load(s, must), spread(_NONE)
    full = twice
    for v in range(1, 9):
        one = load(s, must + v)
        full |= twice & one
        twice |= once & one
        once |= one
    for v in range(9):
        store(s, may + v, load(s, may + v) & (load(s, must + v) | ~full))


@_compiled
def _look(s, x, u, m, q, hidden, once, twice):
    """Count a candidate in its cell: whether its triads need it there, and how many are left."""
    left = load(s, x) & m & load(s, _COLUMN_MAY + u)
    return hidden | (q & load(s, _COLUMN_MUST + u)), once | left, twice | (once & left)


@_compiled
def _strike(s, x, u, m, q, cell):
    """A candidate after what is known of its triads and its cell; if it is sure; if it changed."""
    hidden, several = load(s, _HIDDEN + cell), load(s, _SEVERAL + cell)
    old = load(s, x)
    needed = q & load(s, _COLUMN_MUST + u)
    new = old & m & load(s, _COLUMN_MAY + u) & (needed | ~hidden)
    store(s, x, new)
    return new, new & (hidden | ~several), old ^ new


@_compiled
def _look_at_box(s, x, u, h):
    """Find the hidden and the single values of the nine cells of a box.

    Gives in which lanes each cell has a value, and in which one has several.
    """
    none = spread(_NONE)
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
        alive &= o0 & o1 & o2
        several |= t0 | t1 | t2
        c = r * 3
        store(s, _HIDDEN + c, a0)
        store(s, _HIDDEN + c + 1, a1)
        store(s, _HIDDEN + c + 2, a2)
        store(s, _SEVERAL + c, t0)
        store(s, _SEVERAL + c + 1, t1)
        store(s, _SEVERAL + c + 2, t2)
    return alive, several


@_compiled
def _strike_box(s, x, u, h):
    """Strike what a box can no longer have, and sum up its triads; gives the lanes that moved."""
    moved = spread(_NONE)
    for v in range(9):
        y, w, g = x + v, u + v, h + v
        m, q = load(s, _ROW_MAY + g), load(s, _ROW_MUST + g)
        a, fa, da = _strike(s, y, w, m, q, 0)
        b, fb, db = _strike(s, y + 9, w + 27, m, q, 1)
        c, fc, dc = _strike(s, y + 18, w + 54, m, q, 2)
        store(s, _ROW_MAY + g, a | b | c)
        store(s, _ROW_MUST + g, fa | fb | fc)
        m, q = load(s, _ROW_MAY + g + 27), load(s, _ROW_MUST + g + 27)
        d, fd, dd = _strike(s, y + 81, w, m, q, 3)
        e, fe, de = _strike(s, y + 90, w + 27, m, q, 4)
        f, ff, df = _strike(s, y + 99, w + 54, m, q, 5)
        store(s, _ROW_MAY + g + 27, d | e | f)
        store(s, _ROW_MUST + g + 27, fd | fe | ff)
        moved |= da | db | dc | dd | de | df
        m, q = load(s, _ROW_MAY + g + 54), load(s, _ROW_MUST + g + 54)
        k, fk, dk = _strike(s, y + 162, w, m, q, 6)
        i, fi, di = _strike(s, y + 171, w + 27, m, q, 7)
        n, fn, dn = _strike(s, y + 180, w + 54, m, q, 8)
        store(s, _ROW_MAY + g + 54, k | i | n)
        store(s, _ROW_MUST + g + 54, fk | fi | fn)
        store(s, _COLUMN_MAY + w, a | d | k)
        store(s, _COLUMN_MAY + w + 27, b | e | i)
        store(s, _COLUMN_MAY + w + 54, c | f | n)
        store(s, _COLUMN_MUST + w, fa | fd | fk)
        store(s, _COLUMN_MUST + w + 27, fb | fe | fi)
        store(s, _COLUMN_MUST + w + 54, fc | ff | fn)
        moved |= dk | di | dn
    return moved


@_compiled
def _one_round(s):
    """Deduce once in all boxes, and then in all bands and stacks."""
    alive, several, moved = ~spread(_NONE), spread(_NONE), spread(_NONE)
    for band in range(3):
        for stack in range(3):
            x, u, h = band * 243 + stack * 27, stack * 81 + band * 9, band * 81 + stack * 9
            living, many = _look_at_box(s, x, u, h)
            moved |= _strike_box(s, x, u, h)
            alive &= living
            several |= many
        for v in range(9):
            alive &= _permute(s, _ROW_MAY + band * 81 + v, _ROW_MUST + band * 81 + v)
    for stack in range(3):
        for v in range(9):
            alive &= _permute(s, _COLUMN_MAY + stack * 81 + v, _COLUMN_MUST + stack * 81 + v)
    for t in range(27):
        _strike_full(s, _ROW_MAY + t * 9, _ROW_MUST + t * 9)
        _strike_full(s, _COLUMN_MAY + t * 9, _COLUMN_MUST + t * 9)
    store(s, _DEAD, load(s, _DEAD) | ~alive)
    store(s, _OPEN, several)
    store(s, _MOVED, moved)


@_compiled
def _propagate(s):
    for i in range(243):
        store(s, _ROW_MAY + i, spread(_ALL))
        store(s, _COLUMN_MAY + i, spread(_ALL))
        store(s, _ROW_MUST + i, spread(_NONE))
        store(s, _COLUMN_MUST + i, spread(_NONE))
    store(s, _DEAD, spread(_NONE))
    for _ in range(ROUNDS):
        _one_round(s)


@_compiled
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


@_compiled
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
        some = spread(_NONE)
        for c in range(81):
            some |= load(s, _CELL + c) & ~load(s, _COUNT + k * 81 + c)
        for c in range(81):
            few = ~(load(s, _COUNT + k * 81 + c) & some)
            store(s, _CELL + c, load(s, _CELL + c) & few)


@_compiled
def _alone(s, has, one):
    """For each line and value, whether at most one of its triads has it."""
    for line in range(9):
        for v in range(9):
            i = has + line * 27 + v
            several = _two_of(load(s, i), load(s, i + 9), load(s, i + 18))
            store(s, one + line * 9 + v, ~several)


@_compiled
def _avoid(s):
    """Of the cells in _CELL keep those not in _BAD, if there is one."""
    some = spread(_NONE)
    for c in range(81):
        some |= load(s, _CELL + c) & ~load(s, _BAD + c)
    for c in range(81):
        store(s, _CELL + c, load(s, _CELL + c) & ~(load(s, _BAD + c) & some))


@_compiled
def _choose(s):
    """Choose the cell to split, as `branch.py` does, and write its number into spare planes."""
    none = spread(_NONE)
    _fewest(s)
    for i in range(243):
        store(s, _ROW_HAS + i, none)
        store(s, _COLUMN_HAS + i, none)
    _alone(s, _ROW_MAY, _ROW_ONE)
    _alone(s, _COLUMN_MAY, _COLUMN_ONE)
    for r in range(9):
        for c in range(9):
            row, column, locked = r * 27 + c // 3 * 9, c * 27 + r // 3 * 9, none
            cell = load(s, _CELL + r * 9 + c)
            for v in range(9):
                x = load(s, (r * 9 + c) * 9 + v) & cell
                locked |= x & (load(s, _ROW_ONE + r * 9 + v) | load(s, _COLUMN_ONE + c * 9 + v))
                store(s, _ROW_HAS + row + v, load(s, _ROW_HAS + row + v) | x)
                store(s, _COLUMN_HAS + column + v, load(s, _COLUMN_HAS + column + v) | x)
            store(s, _BAD + r * 9 + c, locked)
    _alone(s, _ROW_HAS, _ROW_ONE)
    _alone(s, _COLUMN_HAS, _COLUMN_ONE)
    _avoid(s)
    for r in range(9):
        for c in range(9):
            lonely = none
            for v in range(9):
                x = load(s, (r * 9 + c) * 9 + v)
                lonely |= x & load(s, _ROW_ONE + r * 9 + v) & load(s, _COLUMN_ONE + c * 9 + v)
            store(s, _BAD + r * 9 + c, lonely)
    _avoid(s)
    for k in range(_BRANCH_BITS):
        store(s, _SPARE + k, none)
    taken = none
    for i in range(81):  # in the order of `planes.py`
        c = (i % 3 * 3 + i // 9 % 3) * 9 + (i // 3 % 3 * 3 + i // 27)
        mine = load(s, _CELL + c) & ~taken
        taken |= mine
        for k in range(_BRANCH_BITS):
            if c >> k & 1:
                store(s, _SPARE + k, load(s, _SPARE + k) | mine)


@_compiled
def _exchange(low, high, by, mask):
    """Exchange the upper bits of `low` with the lower ones of `high`, `by` apart."""
    return (
        (low & mask) | (shift_left(high, by) & ~mask),
        (shift_right(low, by) & mask) | (high & ~mask),
    )


@_compiled
def _three_steps(s, p, gap, by, m0, m1, m2):
    """Three of the six steps of a transposition, on eight vectors."""
    a, b, c, d = load(s, p), load(s, p + gap), load(s, p + 2 * gap), load(s, p + 3 * gap)
    e, f = load(s, p + 4 * gap), load(s, p + 5 * gap)
    g, h = load(s, p + 6 * gap), load(s, p + 7 * gap)
    a, e = _exchange(a, e, by, m0)
    b, f = _exchange(b, f, by, m0)
    c, g = _exchange(c, g, by, m0)
    d, h = _exchange(d, h, by, m0)
    by >>= _ONE
    a, c = _exchange(a, c, by, m1)
    b, d = _exchange(b, d, by, m1)
    e, g = _exchange(e, g, by, m1)
    f, h = _exchange(f, h, by, m1)
    by >>= _ONE
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


@_compiled
def _transpose(s):
    """Planes to rows or back: transpose all blocks of 64×64 bits (Hacker's Delight, 7-3)."""
    m0, m1 = spread(uint64(0x00000000FFFFFFFF)), spread(uint64(0x0000FFFF0000FFFF))
    m2, m3 = spread(uint64(0x00FF00FF00FF00FF)), spread(uint64(0x0F0F0F0F0F0F0F0F))
    m4, m5 = spread(uint64(0x3333333333333333)), spread(uint64(0x5555555555555555))
    for k in range(ROW_WORDS):
        for i in range(8):
            _three_steps(s, k * WORD + i, 8, uint64(32), m0, m1, m2)
        for i in range(8):
            _three_steps(s, k * WORD + i * 8, 1, uint64(4), m3, m4, m5)


_NEXT = WORD * WORDS
"""How far the words of a row are from one another."""


@_compiled
def _begin(s, place, masks, puzzle):
    """Write the candidates of a puzzle, nine bits a cell, into a row."""
    word, shift = _NONE, _NONE
    for c in range(81):
        field = uint64(masks[puzzle, c])
        word |= field << shift
        shift += uint64(9)
        if shift >= WORD:
            s[place] = word
            place += _NEXT
            shift -= uint64(WORD)
            word = field >> (uint64(9) - shift)
    s[place] = word


@_compiled
def _own_half(lane, last, one_before, owner, numbers, counts, most):
    """The last half that a lane has set aside and that is still wanted; -1 if there is none."""
    while last[lane] >= 0:
        half = last[lane]
        last[lane] = one_before[half]
        one_before[half] = numbers[UNUSED]
        numbers[UNUSED] = half
        numbers[WAITING] -= 1
        if counts[owner[half]] < most:
            return half
    return -1


@_compiled
def _half_of_others(last, one_before, owner, numbers, counts, most, shared):
    """A half that is still wanted, of any lane; notes that its puzzle is shared now."""
    for _ in range(LANES):
        if not numbers[WAITING]:
            break
        numbers[ASKED] = (numbers[ASKED] + 1) % LANES
        half = _own_half(numbers[ASKED], last, one_before, owner, numbers, counts, most)
        if half >= 0:
            shared[owner[half]] = True
            return half
    return -1


@_compiled
def _fill(lanes, masks, most, counts, shared):
    """Give idle lanes work: a half that was set aside, or the next puzzle. Gives how many work."""
    s, idle, puzzle, last, candidates, owner, one_before, numbers = lanes
    working, begun = 0, numbers[BEGUN]
    for w in range(WORDS):
        left, still = idle[w], _NONE
        while left:
            bit = lowest_bit(left)
            left &= left - _ONE
            lane, place = w * WORD + bit, bit * WORDS + w
            half = _own_half(lane, last, one_before, owner, numbers, counts, most)
            if half < 0 and begun == len(masks) and len(shared):
                half = _half_of_others(last, one_before, owner, numbers, counts, most, shared)
            if half >= 0:
                for k in range(ROW_WORDS):
                    s[place + k * _NEXT] = candidates[half, k]
                puzzle[lane] = owner[half]
            elif begun < len(masks):
                _begin(s, place, masks, begun)
                puzzle[lane] = begun
                begun += 1
            else:
                still |= _ONE << uint64(bit)
                for k in range(ROW_WORDS):
                    s[place + k * _NEXT] = _NONE
        idle[w] = still
        working += WORD - bits_set(still)
    numbers[BEGUN] = begun
    return working


@_compiled
def _note(s, place, grids, puzzle, rank):
    """Write the values of a solved row, 1 to 9."""
    word, filled = s[place], WORD
    for c in range(81):
        if filled < 9:
            place += _NEXT
            field = word | s[place] << uint64(filled)
            word = s[place] >> uint64(9 - filled)
            filled += WORD - 9
        else:
            field = word
            word >>= uint64(9)
            filled -= 9
        grids[rank, puzzle, c] = lowest_bit(field) + 1


@_compiled
def _split(s, place, candidates, half):
    """Assume the smallest candidate of the chosen cell; the half that denies it is set aside."""
    end = place + (ROW_WORDS - 1) * _NEXT
    c = np.int64(s[end] >> uint64(_IN_LAST_WORD)) & ((1 << _BRANCH_BITS) - 1)
    s[end] &= _CANDIDATES
    for k in range(ROW_WORDS):
        candidates[half, k] = s[place + k * _NEXT]
    first, shift = c * 9 >> 6, uint64(c * 9 & 63)
    at = place + first * _NEXT
    field, beyond = s[at] >> shift, shift > 55
    if beyond:
        field |= s[at + _NEXT] << (uint64(WORD) - shift)
    field &= uint64(511)
    smallest = field & (~field + _ONE)
    others = field ^ smallest
    s[at] &= ~(others << shift)
    candidates[half, first] &= ~(smallest << shift)
    if beyond:
        s[at + _NEXT] &= ~(others >> (uint64(WORD) - shift))
        candidates[half, first + 1] &= ~(smallest >> (uint64(WORD) - shift))


@_compiled
def _settle(lanes, most, counts, grids):
    """After propagation: note solutions, split what no longer moves, free what has ended."""
    s, idle, puzzle, last, candidates, owner, one_before, numbers = lanes
    for w in range(WORDS):
        working, dead = ~idle[w], s[_DEAD * WORDS + w]
        several, moved = s[_OPEN * WORDS + w], s[_MOVED * WORDS + w]
        ended, solved = working & (dead | ~several), working & ~dead & ~several
        stuck, moving = working & ~ended & ~moved, working & ~ended & moved
        while solved:
            bit = lowest_bit(solved)
            solved &= solved - _ONE
            mine = puzzle[w * WORD + bit]
            if counts[mine] < most:
                _note(s, bit * WORDS + w, grids, mine, counts[mine])
                counts[mine] += 1
        while stuck:
            bit = lowest_bit(stuck)
            stuck &= stuck - _ONE
            lane = w * WORD + bit
            if counts[puzzle[lane]] == most:
                ended |= _ONE << uint64(bit)
                continue
            half = numbers[UNUSED]
            numbers[UNUSED] = one_before[half]
            one_before[half] = last[lane]
            last[lane] = half
            owner[half] = puzzle[lane]
            numbers[WAITING] += 1
            numbers[SPLITS] += 1
            _split(s, bit * WORDS + w, candidates, half)
        while moving:
            bit = lowest_bit(moving)
            moving &= moving - _ONE
            s[((ROW_WORDS - 1) * WORD + bit) * WORDS + w] &= _CANDIDATES
        idle[w] |= ended


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def search(lanes, masks, most, counts, grids, shared, steps):
    """Go on with the search for `most` solutions of each puzzle, by so many steps at most.

    `masks` (P, 81) may have any bits 0 to 8. `counts` (P,) and `grids` (most, P, 81) are written.
    Where `shared` (P,) is not empty, idle lanes take over halves of others, and it tells of which
    puzzles: those solutions are not found in order. Gives whether the search has ended.
    """
    for _ in range(steps):
        if not _fill(lanes, masks, most, counts, shared):
            return True
        _transpose(lanes.planes)
        _propagate(lanes.planes)
        _choose(lanes.planes)
        _transpose(lanes.planes)
        lanes.numbers[STEPS] += 1
        _settle(lanes, most, counts, grids)
    return False


def decided(lanes: Lanes, counts: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """Whether each puzzle was searched to its end, or has as many solutions as are wanted."""
    ended: NDArray[np.bool_] = np.arange(len(counts)) < lanes.numbers[BEGUN]
    working = np.unpackbits(~lanes.idle.view(np.uint8), bitorder="little").astype(np.bool_)
    ended[lanes.puzzle[working]] = False
    halves = lanes.last[lanes.last >= 0]
    while len(halves):
        ended[lanes.owner[halves]] = False
        halves = lanes.one_before[halves]
        halves = halves[halves >= 0]
    ended |= counts == most
    return ended
