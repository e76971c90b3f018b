"""Basic operations on the arrays that `layout` describes: candidates, constraints and steps.

The functions work on arrays in machine code and on lists in plain Python.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, chain, product

from pipeline.native import compiled
from pipeline.puzzle.geometry import NINE_BY_NINE, units_of
from pipeline.steps import layout as L

BASE_RATINGS = (6.5, 6.6, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5)
"""The base ratings of the chains of Sudoku Explainer."""

COMPLEXITY_LIMITS = tuple(((2 + half) << k) // 2 + 2 for k in range(2, 18) for half in (0, 1))
"""Sudoku Explainer adds a tenth to the rating of a chain for each of these numbers of nodes that
the chain exceeds.
"""


def rating_ranks() -> list[int]:
    """The rank of each rating of a chain: Sudoku Explainer adds up doubles, and compares these."""
    # not `sum`, which rounds once only from Python 3.12 on
    tenths = list(accumulate([0.1] * 31, initial=0.0))
    ratings = [[base + added for added in tenths] for base in BASE_RATINGS]
    order = sorted({rating for row in ratings for rating in row})
    return [order.index(rating) for row in ratings for rating in row]


@compiled(inline=True)
def bit_count(tables, mask):
    return tables[L.BIT_COUNT + mask]


@compiled(inline=True)
def lowest_bit(tables, mask):
    return tables[L.LOWEST_BIT + mask]


@compiled(inline=True)
def candidate_at(tables, constraint, position):
    """The candidate at a position of a constraint."""
    return tables[L.CANDIDATES + 9 * constraint + position]


@compiled(inline=True)
def cell_at(tables, unit, position):
    """The cell at a position of a unit."""
    return tables[L.UNIT_CELLS + 9 * unit + position]


@compiled(inline=True)
def unit_of(tables, spot, k):
    """Unit `k` of a spot: the row, column or box of a cell, the line or box of a group."""
    return tables[L.NODE_CONSTRAINTS + 36 * spot + k] // 9 - 9


@compiled(inline=True)
def sees(tables, spot, cell):
    """Whether a cell is a peer of all cells of a spot."""
    return tables[L.SEES + 81 * spot + cell]


@compiled()
def eliminate(state, tables, candidate):
    """Eliminate a candidate from its four constraints."""
    for k in range(4 * candidate, 4 * candidate + 4):
        state[tables[L.NODE_CONSTRAINTS + k]] &= ~tables[L.NODE_MASKS + k]


@compiled()
def fill(state, tables, candidate):
    """Place a candidate, and eliminate all other candidates of its constraints."""
    state[L.OPEN] -= 1
    for k in range(4 * candidate, 4 * candidate + 4):
        constraint = tables[L.NODE_CONSTRAINTS + k]
        state[L.VALUES + constraint] = lowest_bit(tables, tables[L.NODE_MASKS + k]) + 1
        if constraint >= L.UNIT_DIGITS:
            state[L.OPEN_CELLS + constraint // 9 - 9] -= 1
        while state[constraint]:
            position = lowest_bit(tables, state[constraint])
            eliminate(state, tables, candidate_at(tables, constraint, position))


@compiled()
def set_up(state, tables):
    """Set up the state of a puzzle from CELLS. Fill each cell that has only one candidate."""
    for k in range(L.UNIT_DIGITS, L.STATE_SIZE):
        state[k] = 0
    state[L.OPEN] = 81
    for unit in range(L.UNITS):
        state[L.OPEN_CELLS + unit] = 9
    for candidate in range(L.SINGLES):
        cell, digit = candidate // 9, candidate % 9
        state[L.ALLOWED + cell] = state[L.CELLS + cell]
        for k in range(4 * candidate, 4 * candidate + 3):
            if state[L.CELLS + cell] >> digit & 1:
                state[tables[L.NODE_CONSTRAINTS + k]] |= tables[L.NODE_MASKS + k]
    for cell in range(81):
        if bit_count(tables, state[L.ALLOWED + cell]) == 1:
            fill(state, tables, 9 * cell + lowest_bit(tables, state[L.ALLOWED + cell]))


@compiled()
def apply_step(state, tables, step):
    """Apply the conclusions of a step."""
    for k in range(L.ELIMINATED + 1, L.ELIMINATED + 1 + step[L.ELIMINATED]):
        eliminate(state, tables, step[k])
    for k in range(L.PLACED + 1, L.PLACED + 1 + step[L.PLACED]):
        fill(state, tables, step[k])


@compiled(inline=True)
def reset_step(step):
    """Clear a step."""
    for k in range(L.TECHNIQUE, L.DEADLY + 1):
        step[k] = 0
    for first in (L.PLACED, L.ELIMINATED, L.CITED, L.CHAIN_NODES, L.PATTERN_CELLS, L.EXTRAS):
        step[first] = 0


@compiled()
def append_new(step, first, number):
    """Append a number to the list of a step that starts at `first`, unless the list has it."""
    for k in range(first + 1, first + 1 + step[first]):
        if step[k] == number:
            return
    step[first] += 1
    step[first + step[first]] = number


@compiled()
def add_pattern_cells(tables, step, unit, positions):
    """Add the cells at some positions of a unit to the pattern."""
    while positions:
        append_new(step, L.PATTERN_CELLS, cell_at(tables, unit, lowest_bit(tables, positions)))
        positions &= positions - 1


@compiled()
def add_eliminations(state, tables, step, cell, digits):
    """Eliminate digits from a cell; digits that are no candidates of it do not matter."""
    digits &= state[L.CELLS + cell]
    while digits:
        append_new(step, L.ELIMINATED, 9 * cell + lowest_bit(tables, digits))
        digits &= digits - 1


@compiled()
def add_seen_eliminations(state, tables, step, first, digits):
    """Eliminate the digits in all cells that see the pattern cells from index `first` on."""
    for cell in range(81):
        if state[L.CELLS + cell] & digits and sees_pattern(tables, step, first, cell):
            add_eliminations(state, tables, step, cell, digits)


@compiled()
def eliminate_rest(state, tables, step, unit, digits):
    """Eliminate digits from the cells of a unit that are not pattern cells."""
    for position in range(9):
        cell, is_rest = cell_at(tables, unit, position), True
        for k in range(L.PATTERN_CELLS + 1, L.PATTERN_CELLS + 1 + step[L.PATTERN_CELLS]):
            if step[k] == cell:
                is_rest = False
        if is_rest:
            add_eliminations(state, tables, step, cell, digits)


@compiled()
def sees_pattern(tables, step, first, cell):
    """Whether a cell sees all pattern cells from index `first` on."""
    while first < step[L.PATTERN_CELLS] and sees(tables, step[L.PATTERN_CELLS + 1 + first], cell):
        first += 1
    return first == step[L.PATTERN_CELLS]


@lru_cache(maxsize=1)
def make_tables() -> tuple[int, ...]:
    """Compute `tables`, as `layout` describes."""
    nine, cells, spots, units = range(9), range(81), range(L.SPOTS), units_of(NINE_BY_NINE)
    groups = [
        sorted({*box} & {*line}) for box in units[L.FIRST_BOX :] for line in units[: L.FIRST_BOX]
    ]
    cells_of = [*([cell] for cell in cells), *filter(None, groups)]
    units_with = [[u for u in range(L.UNITS) if {*cells_of[n]} <= {*units[u]}] for n in spots]
    masks_in = [
        [sum(1 << units[u].index(c) for c in cells_of[n]) for u in units_with[n]] for n in spots
    ]
    peers = [{c for u in units_with[cell] for c in units[u]} - {cell} for cell in cells]
    seen = [set.intersection(*(peers[cell] for cell in cells_of[n])) for n in spots]
    seen_spots = [[m for m in spots if {*cells_of[m]} <= seen[n]] for n in spots]
    node_constraints, node_masks, excluded = [], [], []
    for n, d in product(spots, nine):
        is_cell = n < 81
        node_constraints += [81 + 9 * u + d for u in units_with[n]]
        node_constraints += [n] if is_cell else [L.NOTHING] * 2
        node_masks += masks_in[n] + ([1 << d] if is_cell else [0] * 2)
        in_cell = [9 * n + other for other in nine if other != d and is_cell]
        excluded.append(in_cell + [9 * m + d for m in seen_spots[n]])
    spot_at = [L.NOTHING] * (L.UNITS * 512)
    for n, mask in product(spots, range(1, 512)):
        for u, whole in zip(units_with[n], masks_in[n], strict=True):
            if not mask & ~whole and (n < 81 or mask & mask - 1):
                spot_at[512 * u + mask] = n
    masks = sorted(range(512), key=lambda mask: (mask.bit_count(), mask))
    starts = [L.SETS + 10 + sum(mask.bit_count() < k for mask in masks) for k in range(10)]
    parts = (
        (*range(L.SINGLES), *(9 * c + d for unit in units for d in nine for c in unit)),
        chain.from_iterable(units),
        node_constraints,
        node_masks,
        (int(cell in seen[n]) for n in spots for cell in cells),
        (mask.bit_count() for mask in range(512)),
        (max((mask & -mask).bit_length() - 1, 0) for mask in range(512)),
        (*starts, *masks),
        spot_at,
        COMPLEXITY_LIMITS,
        (round(10 * base) for base in BASE_RATINGS),
        rating_ranks(),
        accumulate(map(len, excluded), initial=L.EXCLUDED),
        (sum(1 << c % 27 for c in seen[n] if c // 27 == b) for n in spots for b in range(L.BANDS)),
        chain.from_iterable(excluded),
    )
    return tuple(chain.from_iterable(parts))
