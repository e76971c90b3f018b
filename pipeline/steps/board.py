"""The candidates of a 9×9 grid, and a step of logic: what stands where in their arrays.

All functions that find steps work on arrays as machine code, and on lists as plain Python. `s` is a
state, `t` the tables that never change, `o` a step. Cells, digits, units and places in a unit count
from 0; units are the rows, the columns, then the boxes. A set of digits or of places is a mask.

A *spot* is a cell, or from 81 one of the 54 groups of three cells where a box meets a line.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, combinations

from pipeline.certify.steps import (
    ALLOWED,
    CELL_COUNT,
    CELLS,
    CITED_CELLS,
    CITED_UNITS,
    DEADLY,
    MARK_COUNT,
    MARKS,
    NODE_COUNT,
    NODES,
    PLACED,
    PLACED_COUNT,
    STEP,
    STRUCK,
    STRUCK_COUNT,
    TECHNIQUE,
    UNIT_COUNT,
    VALUES,
)
from pipeline.native import compiled

PLACES, OPEN, ROW_MASKS, STATE = 243, 486, 487, 496
"""In `s`, behind what certify.steps names: at 9 u + d the places of digit d in unit u; how many
cells are open; nine masks of which a subset is looked for; the length."""

ROWS, COLUMNS, BOXES, UNITS = 0, 9, 18, 27
"""The first of each kind of unit, and their number."""

SPOTS, CORNERS = 135, 486
(
    UNIT_CELLS, SPOT_UNITS, SPOT_MASKS, SEES, PEERS, NUMBER, LOWEST, SETS, SPOT_AT, RECTANGLES,
    NEAR_FIRST, NEAR,
) = accumulate(
    (0, 243, 3 * SPOTS, 3 * SPOTS, 81 * SPOTS, 20 * 81, 512, 512, 522, 27 * 512, 4 * CORNERS, 136)
)  # fmt: skip
"""In `t`: the cells of each unit; the units of each spot, a line and a box for a group, and its
places in each; at 81 a + b whether spot a sees cell b; the 20 peers of each cell; the number of
bits and the lowest bit of a mask; at SETS + k where the masks of k bits begin; at 512 u + mask
which spot these places of a unit are, or NOTHING; the cells of the rectangles in two rows, two
columns and two boxes; where the spots that each spot sees begin, and these."""

NOTHING = -1

_MOST_NODES, _MOST_MARKS = MARKS - NODES, STEP - MARKS


@compiled(inline=True)
def number(t, mask):
    return t[NUMBER + mask]


@compiled(inline=True)
def lowest(t, mask):
    return t[LOWEST + mask]


@compiled(inline=True)
def cell_at(t, unit, place):
    return t[UNIT_CELLS + 9 * unit + place]


@compiled(inline=True)
def sees(t, spot, cell):
    return t[SEES + 81 * spot + cell]


@compiled()
def strike(s, t, cell, digit):
    """Strike a candidate."""
    s[CELLS + cell] &= ~(1 << digit)
    for k in range(3 * cell, 3 * cell + 3):
        s[PLACES + 9 * t[SPOT_UNITS + k] + digit] &= ~t[SPOT_MASKS + k]


@compiled()
def fill(s, t, cell, digit):
    """Fill a cell, and strike what that excludes."""
    mask = s[CELLS + cell]
    while mask:
        strike(s, t, cell, lowest(t, mask))
        mask &= mask - 1
    s[VALUES + cell] = digit + 1
    s[OPEN] -= 1
    for k in range(PEERS + 20 * cell, PEERS + 20 * cell + 20):
        if s[CELLS + t[k]] >> digit & 1:
            strike(s, t, t[k], digit)


@compiled()
def set_up(s, t):
    """Make the state of a puzzle from its CELLS: those with one candidate are given, and filled."""
    for k in range(VALUES, STATE):
        s[k] = 0
    s[OPEN] = 81
    for cell in range(81):
        s[ALLOWED + cell] = s[CELLS + cell]
        if s[CELLS + cell] & (s[CELLS + cell] - 1) == 0:
            s[VALUES + cell] = lowest(t, s[CELLS + cell]) + 1
            s[CELLS + cell] = 511
        for k in range(3 * cell, 3 * cell + 3):
            for digit in range(9):
                if s[CELLS + cell] >> digit & 1:
                    s[PLACES + 9 * t[SPOT_UNITS + k] + digit] |= t[SPOT_MASKS + k]
    for cell in range(81):
        if s[VALUES + cell]:
            fill(s, t, cell, s[VALUES + cell] - 1)


@compiled()
def apply(s, t, o):
    """Do what a step concludes."""
    for k in range(STRUCK, STRUCK + o[STRUCK_COUNT]):
        strike(s, t, o[k] // 9, o[k] % 9)
    for k in range(PLACED, PLACED + o[PLACED_COUNT]):
        fill(s, t, o[k] // 9, o[k] % 9)


@compiled(inline=True)
def begin(o):
    """Begin a step anew."""
    for k in range(TECHNIQUE, DEADLY + 1):
        o[k] = 0


@compiled(inline=True)
def concludes(o):
    return o[PLACED_COUNT] + o[STRUCK_COUNT]


@compiled(inline=True)
def fills(o, cell, digit):
    o[PLACED + o[PLACED_COUNT]] = 9 * cell + digit
    o[PLACED_COUNT] += 1


@compiled()
def strikes(s, t, o, cell, digits):
    """The step strikes these candidates of a cell, if they are there and not struck yet."""
    digits &= s[CELLS + cell]
    while digits:
        _adds(o, STRUCK, STRUCK_COUNT, 9 * cell + lowest(t, digits))
        digits &= digits - 1


@compiled()
def strikes_seen(s, t, o, first, digits):
    """The step strikes digits in all cells that see all its marks from the first of these on."""
    for cell in range(81):
        if s[CELLS + cell] & digits and sees_marks(t, o, first, cell):
            strikes(s, t, o, cell, digits)


@compiled()
def sees_marks(t, o, first, cell):
    while first < o[MARK_COUNT] and sees(t, o[MARKS + first], cell):
        first += 1
    return first == o[MARK_COUNT]


@compiled()
def _adds(o, first, count, what):
    """Add to a list of the step what is not in it."""
    for k in range(first, first + o[count]):
        if o[k] == what:
            return
    o[first + o[count]] = what
    o[count] += 1


@compiled(inline=True)
def cites_cell(o, cell):
    _adds(o, CITED_CELLS, CELL_COUNT, cell)


@compiled(inline=True)
def cites_unit(o, unit, digit):
    _adds(o, CITED_UNITS, UNIT_COUNT, 9 * unit + digit)


@compiled(inline=True)
def marks(o, cell):
    """A cell of the pattern."""
    if o[MARK_COUNT] < _MOST_MARKS:
        o[MARKS + o[MARK_COUNT]] = cell
        o[MARK_COUNT] += 1


@compiled()
def marks_places(t, o, unit, places):
    """These cells of a unit are of the pattern."""
    while places:
        marks(o, cell_at(t, unit, lowest(t, places)))
        places &= places - 1


@compiled(inline=True)
def links(o, node):
    """The next node of the chain."""
    if o[NODE_COUNT] < _MOST_NODES:
        o[NODES + o[NODE_COUNT]] = node
        o[NODE_COUNT] += 1


@lru_cache(maxsize=1)
def tables() -> tuple[int, ...]:
    """What `t` holds."""
    nine, cells, spots = range(9), range(81), range(SPOTS)
    boxes = [9 * (3 * (b // 3) + k // 3) + 3 * (b % 3) + k % 3 for b in nine for k in nine]
    every = [*cells, *(9 * r + c for c in nine for r in nine), *boxes]
    units = [every[9 * u : 9 * u + 9] for u in range(UNITS)]
    lines = [(b, line) for b in range(BOXES, UNITS) for line in range(BOXES)]
    groups = [[c for c in units[b] if c in units[line]] for b, line in lines]
    held = [*([cell] for cell in cells), *filter(None, groups)]
    of_spot = [[u for u in range(UNITS) if {*held[n]} <= {*units[u]}] for n in spots]
    near = [{c for u in of_spot[cell] for c in units[u]} - {cell} for cell in cells]
    seen = [set.intersection(*(near[cell] for cell in held[n])) for n in spots]
    within = [[_mask(units[u], held[n]) for u in of_spot[n]] + [0] for n in spots]
    at = [NOTHING] * (UNITS * 512)
    for n, mask in ((n, mask) for n in spots for mask in range(1, 512)):
        for u, whole in zip(of_spot[n], within[n], strict=False):
            if not mask & ~whole and (n < 81 or mask & mask - 1):
                at[512 * u + mask] = n
    masks = sorted(range(512), key=lambda mask: (mask.bit_count(), mask))
    starts = [SETS + 10 + sum(mask.bit_count() < k for mask in masks) for k in range(10)]
    rectangles = [
        (9 * a + c, 9 * a + d, 9 * b + c, 9 * b + d)
        for a, b in combinations(nine, 2)
        for c, d in combinations(nine, 2)
        if (a // 3 == b // 3) != (c // 3 == d // 3)
    ]
    others = [_seen(n, held, of_spot, seen[n]) for n in spots]
    parts = (
        every,
        (u for n in spots for u in [*of_spot[n], NOTHING][:3]),
        (mask for n in spots for mask in within[n][:3]),
        (int(cell in seen[n]) for n in spots for cell in cells),
        (each for peers in near for each in sorted(peers)),
        (mask.bit_count() for mask in range(512)),
        (max((mask & -mask).bit_length() - 1, 0) for mask in range(512)),
        (*starts, *masks),
        at,
        (cell for rectangle in rectangles for cell in rectangle),
        accumulate(map(len, others), initial=NEAR),
        (n for some in others for n in some),
    )
    return tuple(number for part in parts for number in part)


def _seen(spot: int, held: list[list[int]], units: list[list[int]], seen: set[int]) -> list[int]:
    """The spots that a spot sees: first the cells, for a group those of its line; then groups."""
    box = units[spot][-1]
    groups = [n for n in range(81, SPOTS) if {*held[n]} <= seen]
    groups.sort(key=lambda n: (units[n][-1] != box, units[n][0], n))
    return sorted(seen, key=lambda c: (spot >= 81 and units[c][-1] == box, c)) + groups


def _mask(unit: list[int], cells: list[int]) -> int:
    return sum(1 << unit.index(cell) for cell in cells)
