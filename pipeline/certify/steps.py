"""Check that a logical step follows from the cells and units that it cites.

This module knows no technique. It assumes the opposite of each conclusion, and refutes the
assumption by an exhaustive search of the cited constraints. A cited cell holds one of its
candidates. If a unit is cited for a digit, one of the cells of the unit that have this candidate
holds the digit. No two cells of a unit hold the same digit. A step that assumes a unique solution
names a deadly pattern: exchanging the digits of the pattern would give another solution.

Arrays are int64 arrays when compiled, and lists when run as plain Python. Cells, digits and units
are numbered from 0; units are the rows, then the columns, then the boxes. A set of digits is a
mask.
"""

from __future__ import annotations

from pipeline.native import compiled

# Offsets in `state`.
CELLS = 0  # 81 masks: the candidates of each cell, 0 once it is filled
VALUES = 324  # 81 numbers: the digit in each cell, from 1; 0 while it is open
ALLOWED = 648  # 81 masks: the digits that the puzzle allows in each cell

# Indices in `step`, of numbers.
TECHNIQUE = 0  # index of the technique
PATTERN_DIGITS = 1  # mask of the digits of the pattern
BASE_UNITS = 2  # mask of the units of the pattern
COVER_UNITS = 3  # mask of the units in which it eliminates
DEADLY = 4  # the deadly pattern that must not remain, or 0
DEADLY_GRID = 2  # without the EXTRAS, all open cells have two candidates (BUG)
DEADLY_RECTANGLE = 4  # n from 4 on: the first n pattern cells, a unique loop, hold two digits

# Offsets in `step`, of lists that start with their length. A candidate is 9 · cell + digit.
PLACED = 5  # candidates that are true
ELIMINATED = 14  # candidates that are false
CITED = 744  # cells, and digits of units as 81 + 9 · unit + digit: each has one true candidate
CHAIN_NODES = 1070  # signed nodes of a chain, see `pipeline.steps.layout`
PATTERN_CELLS = 2580  # cells of the pattern
EXTRAS = 2700  # candidates without which the grid is a deadly pattern: one of them is true
STEP_SIZE = 3430  # length of the array `step`

# `stack` has a frame for each assumption: 81 masks of candidates, then 81 flags of assigned cells.
FRAME_SIZE = 162
MAX_ASSUMPTIONS = 40  # maximum number of nested assumptions
STACK_SIZE = MAX_ASSUMPTIONS * FRAME_SIZE  # length of `stack`


@compiled(inline=True)
def _cell_of(unit, position):
    """Return the cell at a position of a unit."""
    if unit < 9:
        return 9 * unit + position
    if unit < 18:
        return 9 * position + unit - 9
    box = unit - 18
    return 9 * (box // 3 * 3 + position // 3) + box % 3 * 3 + position % 3


@compiled()
def _bit_count(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


# Each conclusion is proved by contradiction, separately. To prove an elimination, the candidate is
# assigned; to prove a placement, the candidate is removed. The search must then refute the
# assumption. The search is exhaustive up to MAX_ASSUMPTIONS nested assumptions, and a step that
# needs more is rejected. So an accepted step is sound, independent of the technique that found it.
@compiled()
def follows(state, step, stack, is_unique):
    """Return 1 if all conclusions of a step follow, else 0.

    `stack` is working memory. `is_unique`: whether the puzzle was proved to have one solution.
    """
    if step[PLACED] + step[ELIMINATED] == 0 or (step[DEADLY] and not is_unique):
        return 0
    if _cites_filled(state, step):
        return 0
    if step[DEADLY] and not _is_deadly(state, step):
        return 0
    for k in range(step[PLACED] + step[ELIMINATED]):
        is_elimination = k >= step[PLACED]
        first = ELIMINATED + 1 - step[PLACED] if is_elimination else PLACED + 1
        candidate = step[first + k]
        cell, bit = candidate // 9, 1 << candidate % 9
        if not state[CELLS + cell] & bit:
            return 0
        for other in range(81):
            stack[other], stack[81 + other] = state[CELLS + other], 0
        stack[cell] = bit if is_elimination else stack[cell] & ~bit
        if is_elimination:
            _assign(stack, 0, cell)
        if not _is_refuted(step, stack):
            return 0
    return 1


@compiled()
def _is_deadly(state, step):
    """Whether the step's pattern is deadly: a puzzle with a unique solution cannot contain it."""
    if step[DEADLY] == DEADLY_GRID:
        return _is_bug(state, step)
    return step[DEADLY] >= DEADLY_RECTANGLE and _is_loop(state, step)


# A filled cell has no candidates in `state`. As a clause, it would be false and refute any
# assumption. So a step that cites a filled cell is rejected.
@compiled()
def _cites_filled(state, step):
    """Whether a cited cell is filled already, or a cited digit is already placed in its unit."""
    for k in range(CITED + 1, CITED + 1 + step[CITED]):
        if step[k] < 81 and state[VALUES + step[k]]:
            return True
        for position in range(9 if step[k] >= 81 else 0):
            if state[VALUES + _cell_of(step[k] // 9 - 9, position)] == step[k] % 9 + 1:
                return True
    return False


@compiled()
def _assign(stack, frame, cell):
    """Assign a cell its only candidate, and eliminate this digit from the cell's peers."""
    stack[frame + 81 + cell] = 1
    units = cell // 9, 9 + cell % 9, 18 + cell // 27 * 3 + cell % 9 // 3
    for unit in units:
        for position in range(9):
            other = _cell_of(unit, position)
            if other != cell:
                stack[frame + other] &= ~stack[frame + cell]


# DPLL (M. Davis, G. Logemann, D. Loveland, 1962) on the cited constraints alone: unit propagation,
# then a binary branch on a candidate of the smallest clause. Both branches are searched, so a
# refutation is sound.
@compiled()
def _is_refuted(step, stack):
    """Whether every branch of the search ends in a contradiction."""
    depth = 0
    while depth >= 0:
        frame = depth * FRAME_SIZE
        if not _propagate(step, stack, frame):
            depth -= 1
            continue
        clause = _smallest_clause(step, stack, frame)
        if clause < 0 or depth + 1 == MAX_ASSUMPTIONS:
            return False
        cell, bit = _first_candidate(step, stack, frame, clause)
        for k in range(FRAME_SIZE):
            stack[frame + FRAME_SIZE + k] = stack[frame + k]
        stack[frame + cell] &= ~bit  # the second branch: the candidate does not hold
        stack[frame + FRAME_SIZE + cell] = bit
        _assign(stack, frame + FRAME_SIZE, cell)
        depth += 1
    return True


# The clauses are the cited constraints. A deadly pattern adds a clause: at least one candidate that
# breaks the pattern is true. If a clause has a single candidate left, this candidate is assigned.
@compiled()
def _propagate(step, stack, frame):
    """Propagate unit clauses. Returns False if a clause has no candidate left."""
    while True:
        is_changed = False
        for clause in range(step[CITED] + 1):
            count = _candidates_left(step, stack, frame, clause)
            if count == 0:
                return False
            if count == 1:
                cell, bit = _first_candidate(step, stack, frame, clause)
                if stack[frame + cell] != bit or not stack[frame + 81 + cell]:
                    stack[frame + cell] = bit
                    _assign(stack, frame, cell)
                    is_changed = True
        if not is_changed:
            return True


@compiled()
def _candidates_left(step, stack, frame, clause):
    """Return the number of remaining candidates of a clause."""
    count = 0
    if clause < step[CITED]:
        cited = step[CITED + 1 + clause]
        if cited < 81:
            return _bit_count(stack[frame + cited])
        for position in range(9):
            count += stack[frame + _cell_of(cited // 9 - 9, position)] >> cited % 9 & 1
        return count
    if step[DEADLY] >= DEADLY_RECTANGLE:
        for k in range(PATTERN_CELLS + 1, PATTERN_CELLS + 1 + step[DEADLY]):
            count += _bit_count(stack[frame + step[k]] & ~step[PATTERN_DIGITS])
        return count
    if step[DEADLY] == DEADLY_GRID:
        for k in range(EXTRAS + 1, EXTRAS + 1 + step[EXTRAS]):
            count += stack[frame + step[k] // 9] >> step[k] % 9 & 1
        return count
    return 2


@compiled()
def _first_candidate(step, stack, frame, clause):
    """Return the cell and the bit of the first remaining candidate of a clause."""
    cited = step[CITED + 1 + clause] if clause < step[CITED] else 0
    if clause < step[CITED] and cited < 81:
        return cited, stack[frame + cited] & -stack[frame + cited]
    for position in range(9 if cited >= 81 else 0):
        cell = _cell_of(cited // 9 - 9, position)
        if stack[frame + cell] >> cited % 9 & 1:
            return cell, 1 << cited % 9
    if step[DEADLY] == DEADLY_GRID:
        for k in range(EXTRAS + 1, EXTRAS + 1 + step[EXTRAS]):
            if stack[frame + step[k] // 9] >> step[k] % 9 & 1:
                return step[k] // 9, 1 << step[k] % 9
        return 0, 0
    for k in range(PATTERN_CELLS + 1, PATTERN_CELLS + 1 + step[DEADLY]):
        mask = stack[frame + step[k]] & ~step[PATTERN_DIGITS]
        if mask:
            return step[k], mask & -mask
    return 0, 0


@compiled()
def _is_deadly_broken(step, stack, frame):
    """Whether a candidate that breaks the deadly pattern is assigned."""
    if step[DEADLY] == DEADLY_GRID:
        for k in range(EXTRAS + 1, EXTRAS + 1 + step[EXTRAS]):
            cell = step[k] // 9
            if stack[frame + 81 + cell] and stack[frame + cell] >> step[k] % 9 & 1:
                return True
        return False
    for k in range(PATTERN_CELLS + 1, PATTERN_CELLS + 1 + step[DEADLY]):
        if stack[frame + 81 + step[k]] and stack[frame + step[k]] & ~step[PATTERN_DIGITS]:
            return True
    return False


@compiled()
def _smallest_clause(step, stack, frame):
    """Return the clause with the fewest remaining candidates, of those with at least two, or -1."""
    best, fewest = -1, 100
    is_deadly_open = step[DEADLY] != 0 and not _is_deadly_broken(step, stack, frame)
    for clause in range(step[CITED] + is_deadly_open):
        count = _candidates_left(step, stack, frame, clause)
        if 1 < count < fewest:
            best, fewest = clause, count
    return best


# Unique loop; with four cells, a unique rectangle. Each unit has no cell of the loop, or one at an
# odd and one at an even position. If the cells held only these two digits, exchanging the digits
# would give another solution, because each unit keeps its digits. This requires that the puzzle
# allows both digits in each cell of the loop, so that none is a given. The digits need not be
# candidates any more. A cell that a step has filled may belong to the loop if it holds one of the
# two digits: exchanging changes this cell too.
@compiled()
def _is_loop(state, step):
    """Whether the first DEADLY pattern cells form a loop of cells that may hold both digits."""
    digits, odd, even = step[PATTERN_DIGITS], 0, 0
    for k in range(step[DEADLY]):
        cell = step[PATTERN_CELLS + 1 + k]
        value = state[VALUES + cell]
        if state[ALLOWED + cell] & digits != digits or (value and not digits >> value - 1 & 1):
            return False
        units = 1 << cell // 9 | 1 << 9 + cell % 9 | 1 << 18 + cell // 27 * 3 + cell % 9 // 3
        if units & (odd if k & 1 else even):
            return False
        if k & 1:
            odd |= units
        else:
            even |= units
    return _bit_count(digits) == 2 and odd == even


# Bivalue universal grave: each open cell has two candidates, and each digit has two places or none
# in each unit. Such a grid has no solution or at least two: if each open cell of a solution takes
# its other candidate, the result is another solution, because a digit that leaves one of its two
# places in a unit comes to the other one. So if the solution is unique, it is not in the grid
# without the EXTRAS, and one of the EXTRAS is true.
@compiled()
def _is_bug(state, step):
    """Whether the grid without the EXTRAS, which are candidates of it, is a BUG."""
    for k in range(EXTRAS + 1, EXTRAS + 1 + step[EXTRAS]):
        if not state[CELLS + step[k] // 9] >> step[k] % 9 & 1:
            return False
    for cell in range(81):
        count = 0
        for digit in range(9):
            count += _is_left(state, step, cell, digit)
        if count not in (0, 2) or (count == 0) != (state[CELLS + cell] == 0):
            return False
    for unit in range(27):
        for digit in range(9):
            count = 0
            for position in range(9):
                count += _is_left(state, step, _cell_of(unit, position), digit)
            if count not in (0, 2):
                return False
    return True


@compiled()
def _is_left(state, step, cell, digit):
    """Whether a candidate is left that is not one of the EXTRAS, as 1 or 0."""
    for k in range(EXTRAS + 1, EXTRAS + 1 + step[EXTRAS]):
        if step[k] == 9 * cell + digit:
            return 0
    return state[CELLS + cell] >> digit & 1
