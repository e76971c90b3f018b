"""A round of propagation for LANES puzzles of 9×9 side by side.

A triad is three cells of a row or column in one box; a chute is the nine triads of three rows, or
columns, that share three boxes. Each value is in one triad of each line and of each box: so in one
of six ways (T. Dillon, tdoku, 2019). A vector of `fields` is one cell, or triad, in all lanes; the
bits of its words are values.
"""

from __future__ import annotations

import numpy as np

from pipeline.native import compiled
from pipeline.native.vectors import bits_set, filled, load, spread, store, without_lowest

CELLS, TRIADS, CHUTES = 81, 54, 6

MAY = CELLS
MUST = MAY + TRIADS
LEFT = MUST + TRIADS
DEAD, OPEN, MOVED, ROWS = range(LEFT + CHUTES, LEFT + CHUTES + 4)
"""The vectors of `fields` after the cells: values that triads may and must have, and how many the
triads of a chute may have. The last three are not 0 in a lane with a contradiction, with a cell of
several values, and with a change in the last round."""

_NONE, _NINE = np.uint16(0), np.uint16(0b111_111_111)


@compiled(inline=True)
def _load(f, at, step):
    """The three cells of a triad."""
    return load(f, at), load(f, at + step), load(f, at + 2 * step)


@compiled(inline=True)
def _may(x):
    return x[0] | x[1] | x[2]


@compiled(inline=True)
def _sole(x):
    """The values that a cell of a triad has alone."""
    a, b, c = (
        filled(without_lowest(x[0])),
        filled(without_lowest(x[1])),
        filled(without_lowest(x[2])),
    )
    return x[0] & ~a | x[1] & ~b | x[2] & ~c


@compiled(inline=True)
def _permuted(a, b, c, d, e, f, g, h, i):
    """The triads of a chute that may have each value, if each line has it in another box.

    And the values that can be nowhere.
    """
    p, q, r, s, t, u = a & e & i, a & f & h, b & d & i, b & f & g, c & d & h, c & e & g
    nowhere = (p | q | r | s | t | u) ^ spread(_NINE)
    return (p | q, r | s, t | u, r | t, p | u, q | s, s | u, q | t, p | r), nowhere


@compiled(inline=True)
def _strike(f, at, step, x, may, must, triad):
    """Leave to a triad what it may have; note that, and what it must have.

    If that is three values, it has no other. Gives contradictions, what was struck, and how many
    values it may have.
    """
    three = without_lowest(without_lowest(must))
    may = may & (must | ~filled(three))
    store(f, at, x[0] & may)
    store(f, at + step, x[1] & may)
    store(f, at + 2 * step, x[2] & may)
    store(f, MAY + triad, may)
    store(f, MUST + triad, must)
    return without_lowest(three), _may(x) & ~may, bits_set(may)


@compiled(inline=True)
def _chute(f, chute, first, line, box, cell):
    """Strike in a chute what its triads exclude; give contradictions, and what was struck.

    Its cells begin with `first`; its lines, boxes and the cells of a triad are so far apart.
    """
    second, third = first + line, first + 2 * line
    a, b, c = _load(f, first, cell), _load(f, first + box, cell), _load(f, first + 2 * box, cell)
    d, e, g = _load(f, second, cell), _load(f, second + box, cell), _load(f, second + 2 * box, cell)
    h, i, j = _load(f, third, cell), _load(f, third + box, cell), _load(f, third + 2 * box, cell)
    # what one triad of a line must have, the two others have not
    qa, qb, qc, qd, qe = _sole(a), _sole(b), _sole(c), _sole(d), _sole(e)
    qg, qh, qi, qj = _sole(g), _sole(h), _sole(i), _sole(j)
    r, s, t = ~(qa | qb | qc), ~(qd | qe | qg), ~(qh | qi | qj)
    may, bad = _permuted(
        _may(a) & (qa | r), _may(b) & (qb | r), _may(c) & (qc | r),
        _may(d) & (qd | s), _may(e) & (qe | s), _may(g) & (qg | s),
        _may(h) & (qh | t), _may(i) & (qi | t), _may(j) & (qj | t),
    )  # fmt: skip
    ma, mb, mc, md, me, mg, mh, mi, mj = may
    t = 9 * chute
    x0, y0, n0 = _strike(f, first, cell, a, ma, ma & ~(mb | mc), t)
    x1, y1, n1 = _strike(f, first + box, cell, b, mb, mb & ~(ma | mc), t + 1)
    x2, y2, n2 = _strike(f, first + 2 * box, cell, c, mc, mc & ~(ma | mb), t + 2)
    x3, y3, n3 = _strike(f, second, cell, d, md, md & ~(me | mg), t + 3)
    x4, y4, n4 = _strike(f, second + box, cell, e, me, me & ~(md | mg), t + 4)
    x5, y5, n5 = _strike(f, second + 2 * box, cell, g, mg, mg & ~(md | me), t + 5)
    x6, y6, n6 = _strike(f, third, cell, h, mh, mh & ~(mi | mj), t + 6)
    x7, y7, n7 = _strike(f, third + box, cell, i, mi, mi & ~(mh | mj), t + 7)
    x8, y8, n8 = _strike(f, third + 2 * box, cell, j, mj, mj & ~(mh | mi), t + 8)
    store(f, LEFT + chute, n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8)
    bad = bad | x0 | x1 | x2 | x3 | x4 | x5 | x6 | x7 | x8
    return bad, y0 | y1 | y2 | y3 | y4 | y5 | y6 | y7 | y8


@compiled(inline=True)
def _settle(f, cell, row, column):
    """Leave a cell only what both its triads must have; give errors, open values, and changes."""
    x, held = load(f, cell), load(f, row) & load(f, column)
    y = x & (held | ~filled(held))
    store(f, cell, y)
    return without_lowest(held) | ~filled(y), without_lowest(y), x & ~y


@compiled(inline=True)
def sweep(f):
    """Propagate once through all chutes, bands first.

    A lane that has not moved has nothing more to strike.
    """
    dead, is_open, moved = spread(_NONE), spread(_NONE), spread(_NONE)
    for chute in range(3):
        bad, struck = _chute(f, chute, 27 * chute, 9, 3, 1)
        dead, moved = dead | bad, moved | struck
    for chute in range(3):
        bad, struck = _chute(f, 3 + chute, 3 * chute, 1, 27, 9)
        dead, moved = dead | bad, moved | struck
    for row in range(9):
        for column in range(9):
            across = MUST + 3 * row + column // 3
            down = MUST + 27 + 9 * (column // 3) + 3 * (column % 3) + row // 3
            bad, more, struck = _settle(f, 9 * row + column, across, down)
            dead, is_open, moved = dead | bad, is_open | more, moved | struck
    store(f, DEAD, dead)
    store(f, OPEN, is_open)
    store(f, MOVED, moved)
