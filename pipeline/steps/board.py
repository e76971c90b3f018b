"""The candidates of a 9×9 grid, and a step of logic: what stands where in their arrays.

All functions that find steps work on arrays as machine code, and on lists as plain Python. `s` is a
state, `t` the tables that never change, `o` a step. Cells, digits, units and places in a unit count
from 0; units are the rows, the columns, then the boxes. A set of digits or of places is a mask.

A *candidate* is a digit in a cell, 9 c + d. A *reason* is a cell, or a unit that needs a digit, at
81 + 9 u + d: one of its candidates holds. A *spot* is a cell, or from 81 one of the 54 groups of
three cells where a box meets a line. A *node* is a digit in a spot, 9 n + d: a candidate, or a
group of two or three.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, combinations, product

from pipeline.certify.steps import (
    ALLOWED,
    CELLS,
    CITED,
    DEADLY,
    MARKS,
    NODES,
    PLACED,
    STRUCK,
    TECHNIQUE,
    VALUES,
)
from pipeline.native import compiled
from pipeline.puzzle.geometry import NINE, units_of

PLACES, REASONS, OPEN, ROW_MASKS, STATE = 81, 324, 729, 730, 739
"""`s` begins with a mask for each reason, the candidates that it has left: for a cell digits, for
the others, from PLACES, places in the unit. The same again from VALUES, 0 until it has what it
needs, then which, from 1. The number of open cells; nine masks of which a subset is looked for; the
length."""

ROWS, COLUMNS, BOXES, UNITS = 0, 9, 18, 27
"""The first of each kind of unit, and their number."""

SPOTS, CORNERS = 135, 486
SINGLES, ALL_NODES = 729, 9 * SPOTS
"""How many spots and corners of rectangles there are; candidates, the first nodes; and nodes."""

(
    CANDIDATES, UNIT_CELLS, NODE_REASONS, NODE_MASKS, SEES, NUMBER, LOWEST, SETS, SPOT_AT,
    RECTANGLES, EXCLUDED_FIRST, EXCLUDED,
) = accumulate(
    (0, 9 * REASONS, 9 * UNITS, 36 * SPOTS, 36 * SPOTS, 81 * SPOTS, 512, 512, 522, 512 * UNITS,
     4 * CORNERS, ALL_NODES + 1)
)  # fmt: skip
"""In `t`: the candidates of each reason; the cells of each unit; the reasons of each node: row,
column, box and cell of a candidate, line and box of a group; its mask in each; at 81 a + b if spot
a sees cell b; the number of bits and the lowest bit of a mask; at SETS + k where the masks of k
bits begin; at 512 u + mask which spot these places of a unit are, or NOTHING; the cells of the
rectangles in two rows, two columns and two boxes; where the nodes that each node excludes begin,
and these, candidates first."""

NOTHING = -1


@compiled(inline=True)
def number(t, mask):
    return t[NUMBER + mask]


@compiled(inline=True)
def lowest(t, mask):
    return t[LOWEST + mask]


@compiled(inline=True)
def candidate_at(t, reason, place):
    return t[CANDIDATES + 9 * reason + place]


@compiled(inline=True)
def cell_at(t, unit, place):
    return t[UNIT_CELLS + 9 * unit + place]


@compiled(inline=True)
def unit_of(t, spot, k):
    """The row, the column or the box of a cell; the line or the box of a group."""
    return t[NODE_REASONS + 36 * spot + k] // 9 - 9


@compiled(inline=True)
def sees(t, spot, cell):
    return t[SEES + 81 * spot + cell]


@compiled()
def strike(s, t, candidate):
    for k in range(4 * candidate, 4 * candidate + 4):
        s[t[NODE_REASONS + k]] &= ~t[NODE_MASKS + k]


@compiled()
def fill(s, t, candidate):
    """Fill a cell, and strike what that excludes."""
    s[OPEN] -= 1
    for k in range(4 * candidate, 4 * candidate + 4):
        reason = t[NODE_REASONS + k]
        s[VALUES + reason] = lowest(t, t[NODE_MASKS + k]) + 1
        while s[reason]:
            strike(s, t, candidate_at(t, reason, lowest(t, s[reason])))


@compiled()
def set_up(s, t):
    """Make the state of a puzzle from its CELLS: those with one candidate are given, and filled."""
    for k in range(PLACES, STATE):
        s[k] = 0
    s[OPEN] = 81
    for candidate in range(SINGLES):
        cell, digit = candidate // 9, candidate % 9
        s[ALLOWED + cell] = s[CELLS + cell]
        for k in range(4 * candidate, 4 * candidate + 3):
            if s[CELLS + cell] >> digit & 1:
                s[t[NODE_REASONS + k]] |= t[NODE_MASKS + k]
    for cell in range(81):
        if number(t, s[ALLOWED + cell]) == 1:
            fill(s, t, 9 * cell + lowest(t, s[ALLOWED + cell]))


@compiled()
def apply(s, t, o):
    """Do what a step concludes."""
    for k in range(STRUCK + 1, STRUCK + 1 + o[STRUCK]):
        strike(s, t, o[k])
    for k in range(PLACED + 1, PLACED + 1 + o[PLACED]):
        fill(s, t, o[k])


@compiled(inline=True)
def begin(o):
    """Begin a step anew."""
    for k in range(TECHNIQUE, DEADLY + 1):
        o[k] = 0
    for first in (PLACED, STRUCK, CITED, NODES, MARKS):
        o[first] = 0


@compiled()
def adds(o, first, what):
    """Add to a list of the step what is not in it."""
    for k in range(first + 1, first + 1 + o[first]):
        if o[k] == what:
            return
    o[first] += 1
    o[first + o[first]] = what


@compiled()
def marks(t, o, unit, places):
    """These cells of a unit are of the pattern."""
    while places:
        adds(o, MARKS, cell_at(t, unit, lowest(t, places)))
        places &= places - 1


@compiled()
def strikes(s, t, o, cell, digits):
    """The step strikes these candidates of a cell, if they are there and not struck yet."""
    digits &= s[CELLS + cell]
    while digits:
        adds(o, STRUCK, 9 * cell + lowest(t, digits))
        digits &= digits - 1


@compiled()
def strikes_seen(s, t, o, first, digits):
    """The step strikes digits in all cells that see all its marks from the first of these on."""
    for cell in range(81):
        if s[CELLS + cell] & digits and sees_marks(t, o, first, cell):
            strikes(s, t, o, cell, digits)


@compiled()
def sees_marks(t, o, first, cell):
    while first < o[MARKS] and sees(t, o[MARKS + 1 + first], cell):
        first += 1
    return first == o[MARKS]


@lru_cache(maxsize=1)
def tables() -> tuple[int, ...]:
    """What `t` holds."""
    nine, cells, spots, units = range(9), range(81), range(SPOTS), units_of(NINE)
    groups = [sorted({*box} & {*line}) for box in units[BOXES:] for line in units[:BOXES]]
    held = [*([cell] for cell in cells), *filter(None, groups)]
    of_spot = [[u for u in range(UNITS) if {*held[n]} <= {*units[u]}] for n in spots]
    within = [[sum(1 << units[u].index(c) for c in held[n]) for u in of_spot[n]] for n in spots]
    near = [{c for u in of_spot[cell] for c in units[u]} - {cell} for cell in cells]
    seen = [set.intersection(*(near[cell] for cell in held[n])) for n in spots]
    near_spots = [[m for m in spots if {*held[m]} <= seen[n]] for n in spots]
    reasons, in_reasons, excluded = [], [], []
    for n, d in ((n, d) for n in spots for d in nine):
        reasons += [81 + 9 * u + d for u in of_spot[n]] + ([n] if n < 81 else [NOTHING] * 2)
        in_reasons += within[n] + ([1 << d] if n < 81 else [0] * 2)
        others = [9 * n + other for other in nine if other != d and n < 81]
        excluded.append(others + [9 * m + d for m in near_spots[n]])
    at = [NOTHING] * (UNITS * 512)
    for n, mask in ((n, mask) for n in spots for mask in range(1, 512)):
        for u, whole in zip(of_spot[n], within[n], strict=True):
            if not mask & ~whole and (n < 81 or mask & mask - 1):
                at[512 * u + mask] = n
    masks = sorted(range(512), key=lambda mask: (mask.bit_count(), mask))
    starts = [SETS + 10 + sum(mask.bit_count() < k for mask in masks) for k in range(10)]
    rectangles = [
        (a + c, a + d, b + c, b + d)
        for (a, b), (c, d) in product(combinations(range(0, 81, 9), 2), combinations(nine, 2))
        if (a // 27 == b // 27) != (c // 3 == d // 3)
    ]
    parts = (
        (*range(SINGLES), *(9 * c + d for unit in units for d in nine for c in unit)),
        (cell for unit in units for cell in unit),
        reasons,
        in_reasons,
        (int(cell in seen[n]) for n in spots for cell in cells),
        (mask.bit_count() for mask in range(512)),
        (max((mask & -mask).bit_length() - 1, 0) for mask in range(512)),
        (*starts, *masks),
        at,
        (cell for rectangle in rectangles for cell in rectangle),
        accumulate(map(len, excluded), initial=EXCLUDED),
        (node for nodes in excluded for node in nodes),
    )
    return tuple(number for part in parts for number in part)
