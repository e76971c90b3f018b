"""The cells of a search: what they may hold, and what is woken when that changes.

These functions, and those of `sums`, `regions`, `propagation` and `search`, work on arrays as
machine code, and on lists as plain Python. `layout` says what `w` and `d` are.
"""

from __future__ import annotations

from pipeline.certify.ruled import layout as L
from pipeline.native import compiled

_CHUNK = (1 << L.CHUNK) - 1


@compiled(inline=True)
def lowest(d, mask):
    """The index of the lowest bit."""
    return d[L.LOWEST + (mask & -mask) % L.MODULUS]


@compiled(inline=True)
def highest(d, mask):
    """The index of the highest bit."""
    above = 0
    while mask > _CHUNK:
        mask >>= L.CHUNK
        above += L.CHUNK
    return above + d[L.HIGHEST + mask]


@compiled(inline=True)
def number(d, mask):
    """The number of bits."""
    found = d[L.NUMBER + (mask & _CHUNK)]
    while mask > _CHUNK:
        mask >>= L.CHUNK
        found += d[L.NUMBER + (mask & _CHUNK)]
    return found


@compiled(inline=True)
def wake(w, d, constraint):
    """Put a constraint into its queue."""
    if not w[d[L.QUEUED] + constraint]:
        w[d[L.QUEUED] + constraint] = 1
        queue, room = d[d[L.PRIORITIES] + constraint], d[L.CONSTRAINTS]
        place = w[L.FIRST + queue] + w[L.WAITING + queue]
        if place >= room:
            place -= room
        w[d[L.RINGS] + queue * room + place] = constraint
        w[L.WAITING + queue] += 1


@compiled()
def keep(w, d, cell, mask):
    """Leave a cell only values in the mask; whether it may still hold one."""
    before = w[L.CELLS + cell]
    left = before & mask
    if left == before:
        return True
    w[L.CELLS + cell] = left
    if left == 0:
        return False
    w[L.CHANGED] = 1
    if w[L.QUIET]:
        return True
    woken = d[L.WOKEN] + 2 * cell
    end = d[woken + 1]
    if left & (left - 1) == 0:
        w[d[L.STACK] + w[L.FIXED]] = cell
        w[L.FIXED] += 1
        end = d[woken + 2]
    for place in range(d[woken], end):
        wake(w, d, d[place])
    return True


@compiled()
def place(w, d, first, length, values):
    """Give values to the only cells that may hold them."""
    if values:
        for at in range(first, first + length):
            held = w[L.CELLS + d[at]] & values
            if held and (held & (held - 1) or not keep(w, d, d[at], held)):
                return False
    return True


@compiled()
def strike_outside(w, d, first, length, values):
    """Strike values that some of the cells must hold from all that differ from these cells."""
    while values:
        bit = values & -values
        values ^= bit
        for word in range(d[L.WORDS]):
            others = L.NOTHING
            for at in range(first, first + length):
                if w[L.CELLS + d[at]] & bit:
                    others &= d[d[L.APART] + d[at] * d[L.WORDS] + word]
            while others > 0:
                other = word * L.CELLS_IN_WORD + lowest(d, others)
                others &= others - 1
                if w[L.CELLS + other] & bit and not keep(w, d, other, ~bit):
                    return False
    return True
