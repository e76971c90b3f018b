"""The candidates of a 9×9 grid, and a step of logic: what stands where in their arrays.

All functions that find steps work on arrays as machine code, and on lists as plain Python. `s` is a
state, `t` the tables that never change, `o` a step. Cells, digits, units and places in a unit count
from 0; units are the rows, the columns, then the boxes. A set of digits or of places is a mask.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from pipeline.certify.steps import (
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

PLACES, OPEN, STATE = 162, 405, 406
"""In `s`, behind the CELLS and VALUES: for unit u and digit d at 9 u + d the places of that digit;
the number of cells to fill; the length."""

ROWS, COLUMNS, BOXES, UNITS = 0, 9, 18, 27
"""The first of each kind of unit, and their number."""

(
    UNIT_CELLS, CELL_UNITS, CELL_PLACES, PEERS, SEES, NUMBER, LOWEST, SETS, GROUPS, RECTANGLES,
    TABLES,
) = (0, 243, 486, 729, 2349, 8910, 9422, 9934, 10456, 10618, 12562)  # fmt: skip
"""In `t`: the cells of each unit; the three units of each cell, and its place in each; its 20
peers; whether cells a and b see each other, at 81 a + b; the number of bits and the lowest bit of a
mask; at SETS + k where the masks of k bits begin; the three cells of each of the 54 places where a
box meets a line; the cells of the 486 rectangles in two rows, two columns and two boxes."""

MEETINGS, CORNERS = 54, 486

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
def sees(t, one, other):
    return t[SEES + 81 * one + other]


@compiled()
def strike(s, t, cell, digit):
    """Strike a candidate."""
    s[CELLS + cell] &= ~(1 << digit)
    for k in range(3 * cell, 3 * cell + 3):
        s[PLACES + 9 * t[CELL_UNITS + k] + digit] &= ~(1 << t[CELL_PLACES + k])


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
        if s[CELLS + cell] & (s[CELLS + cell] - 1) == 0:
            s[VALUES + cell] = lowest(t, s[CELLS + cell]) + 1
            s[CELLS + cell] = 511
        for k in range(3 * cell, 3 * cell + 3):
            for digit in range(9):
                if s[CELLS + cell] >> digit & 1:
                    s[PLACES + 9 * t[CELL_UNITS + k] + digit] |= 1 << t[CELL_PLACES + k]
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


@compiled()
def strikes(s, o, cell, digit):
    """The step strikes this candidate, if it is there and not struck yet."""
    if s[CELLS + cell] >> digit & 1:
        for k in range(STRUCK, STRUCK + o[STRUCK_COUNT]):
            if o[k] == 9 * cell + digit:
                return
        o[STRUCK + o[STRUCK_COUNT]] = 9 * cell + digit
        o[STRUCK_COUNT] += 1


@compiled()
def strikes_all(s, t, o, cell, digits):
    """The step strikes these digits in a cell."""
    while digits:
        strikes(s, o, cell, lowest(t, digits))
        digits &= digits - 1


@compiled()
def cites_cell(o, cell):
    for k in range(CITED_CELLS, CITED_CELLS + o[CELL_COUNT]):
        if o[k] == cell:
            return
    o[CITED_CELLS + o[CELL_COUNT]] = cell
    o[CELL_COUNT] += 1


@compiled()
def cites_unit(o, unit, digit):
    for k in range(CITED_UNITS, CITED_UNITS + o[UNIT_COUNT]):
        if o[k] == 9 * unit + digit:
            return
    o[CITED_UNITS + o[UNIT_COUNT]] = 9 * unit + digit
    o[UNIT_COUNT] += 1


@compiled(inline=True)
def fills(o, cell, digit):
    o[PLACED + o[PLACED_COUNT]] = 9 * cell + digit
    o[PLACED_COUNT] += 1


@compiled(inline=True)
def marks(o, cell):
    """A cell of the pattern."""
    if o[MARK_COUNT] < _MOST_MARKS:
        o[MARKS + o[MARK_COUNT]] = cell
        o[MARK_COUNT] += 1


@compiled(inline=True)
def links(o, node):
    """The next node of the chain."""
    if o[NODE_COUNT] < _MOST_NODES:
        o[NODES + o[NODE_COUNT]] = node
        o[NODE_COUNT] += 1


@lru_cache(maxsize=1)
def tables() -> tuple[int, ...]:
    """What `t` holds."""
    cells = range(81)
    units = [[9 * r + c for c in range(9)] for r in range(9)]
    units += [[9 * r + c for r in range(9)] for c in range(9)]
    units += [
        [9 * (3 * (b // 3) + k // 3) + 3 * (b % 3) + k % 3 for k in range(9)] for b in range(9)
    ]
    of_cell = [[u for u in range(UNITS) if cell in units[u]] for cell in cells]
    near = [{each for u in of_cell[cell] for each in units[u]} - {cell} for cell in cells]
    masks = sorted(range(512), key=lambda mask: (mask.bit_count(), mask))
    starts = [sum(mask.bit_count() < k for mask in masks) for k in range(10)]
    meetings = [
        [each for each in units[BOXES + b] if each in units[line]]
        for b in range(9)
        for line in range(BOXES)
        if {*units[BOXES + b]} & {*units[line]}
    ]
    rectangles = [
        (9 * a + c, 9 * a + d, 9 * b + c, 9 * b + d)
        for a, b in combinations(range(9), 2)
        for c, d in combinations(range(9), 2)
        if (a // 3 == b // 3) != (c // 3 == d // 3)
    ]
    parts = (
        (cell for unit in units for cell in unit),
        (u for each in of_cell for u in each),
        (units[u].index(cell) for cell in cells for u in of_cell[cell]),
        (each for peers in near for each in sorted(peers)),
        (int(b in near[a]) for a in cells for b in cells),
        (mask.bit_count() for mask in range(512)),
        (max((mask & -mask).bit_length() - 1, 0) for mask in range(512)),
        (*(SETS + 10 + start for start in starts), *masks),
        (cell for meeting in meetings for cell in meeting),
        (cell for rectangle in rectangles for cell in rectangle),
    )
    return tuple(number for part in parts for number in part)
