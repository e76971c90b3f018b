"""Conflict-driven clause learning on arrays, in machine code or in plain Python.

The techniques are from MiniSat and Glucose: two watched literals with blockers, first unique
implication points, minimised clauses (N. Eén, N. Sörensson, An Extensible SAT-solver, 2003),
restarts and removal of learned clauses by their number of levels, LBD (G. Audemard, L. Simon,
Predicting Learnt Clauses Quality in Modern SAT Solvers, 2009). Binary clauses of the formula, most
clauses of a Sudoku, are lists of implied literals of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pipeline.native import compiled

NULL = -1
"""The index that means "no clause", "no variable" or "end of the list"."""

# Indices in `State.numbers`.
IS_NEW_QUERY = 0  # whether the clauses in `input` are still to be added
CLAUSES = 1  # number of clauses of three or more literals, and of learned clauses
ORIGINAL_CLAUSES = 2  # number of those of the formula, which come first and are never removed
TRAIL_LENGTH = 3
HEAD = 4  # position on the trail of the first literal that is not yet propagated
LEVEL = 5  # number of decisions
CONFLICTS = 6
CONFLICT_CLAUSE = 7  # the reason of the last conflict, written as in `reasons`
CONFLICT_LITERAL = 8  # the other literal of CONFLICT_CLAUSE, if it is binary
LEARNED_LENGTH = 9  # length of `learned`
HEAP_LENGTH = 10
STAMP = 11  # the last number written to `stamps`
LAST_RESTART = 12  # CONFLICTS at the last restart
NEXT_REDUCTION = 13  # CONFLICTS at which learned clauses are removed
REDUCTIONS = 14
SUM_LBD = 15  # sum of the LBD of all learned clauses
VISITS = 16  # number of clauses that propagation has visited
IS_LOADED = 17
NUMBERS = 18

# Indices in `State.reals`.
INCREMENT = 0  # added to a variable's activity
RECENT_LBD = 1  # moving average of LBD
REALS = 2

INTERRUPTED, SATISFIABLE, UNSATISFIABLE, FAILED, FULL = range(5)
"""Results of `search`. INTERRUPTED: call it again. FAILED: the assumptions in `learned` cannot all
hold. FULL: call it again with larger arrays."""

FIRST_REDUCTION, REDUCTION_STEP = 2000, 300
"""Conflicts before the first removal of learned clauses, and the increase per removal."""

KEPT_LBD, MAX_LBD = 2, 63
"""Learned clauses of LBD up to KEPT_LBD are never removed. Larger LBDs are stored as MAX_LBD."""

RESTART_CONFLICTS = 50
"""Minimum number of conflicts between restarts."""

RESTART_FACTOR = 1.25
"""A restart follows when the recent LBD is this factor above the mean."""

RECENT = 1 / 16
"""Weight of the last LBD in RECENT_LBD."""

DECAY = 1 / 0.95
"""Factor by which INCREMENT grows with each conflict."""

RESCALE = 1e100
"""Activities above this are scaled down."""


class State(NamedTuple):
    """A formula and the state of its search, with V variables, and room for C clauses.

    The literals of variable v are 2·v and, negated, 2·v + 1. Watch 2·c + k is the watch on literal
    k of clause c, where k is 0 or 1.
    """

    input: Any
    """Clauses to be added, as DIMACS literals with a 0 after each clause."""
    assumptions: Any
    """Literals that are decided first."""
    literals: Any
    """The literals of all clauses; the first two of each clause are watched."""
    starts: Any
    """(C + 1,): the index in `literals` of the first literal of each clause."""
    lbds: Any
    """(C,): the LBD of each learned clause when it was learned or last improved; 0 for others."""
    has_improved: Any
    """(C,): 1 if the LBD of a learned clause improved since the last removal."""
    next_watch: Any
    """(2·C,): the next watch on the same literal, or NULL."""
    blockers: Any
    """(2·C,): another literal of the clause. If it is true, the clause is not visited."""
    first_watch: Any
    """(2·V,): the first watch on each literal, or NULL."""
    implied_starts: Any
    """(2·V + 2,): the index in `implied` of the first literal that each literal implies."""
    implied: Any
    """The literals that each literal implies by binary clauses of the formula."""
    values: Any
    """(2·V,): for each literal, 1 if true, -1 if false, 0 if unassigned."""
    levels: Any
    """(V,): the number of decisions up to the assignment of each variable."""
    reasons: Any
    """(V,): the clause that implied each variable; NULL for a decision; -2 - x for a binary clause
    with the false literal x."""
    trail: Any
    """(V,): literals in the order in which they became true."""
    level_starts: Any
    """(2·V + 1,): the length of the trail before each decision. Assumptions that are true already
    count as decisions."""
    phases: Any
    """(V,): the last value of each variable, 1 or 0 for its negation."""
    activities: Any
    """(V,): how often, and how recently, each variable occurred in a conflict."""
    heap: Any
    """(V,): a binary heap of variables, the most active first."""
    heap_positions: Any
    """(V,): the position of each variable in the heap, or NULL."""
    roles: Any
    """(V,): 1 while a variable is part of the analysis of a conflict, else 0."""
    marked: Any
    """(V,): the variables whose role is to be reset."""
    learned: Any
    """(V + 1,): the learned clause; after FAILED, assumptions that cannot all hold."""
    stack: Any
    """(V,): literals whose reasons are still to be visited."""
    stamps: Any
    """(2·V + 1,): for each level, the last STAMP for which it was counted."""
    numbers: Any
    """(NUMBERS,)"""
    reals: Any
    """(REALS,)"""


@compiled(inline=True)
def _literal(number):
    """The literal of a DIMACS number."""
    return 2 * (number - 1) if number > 0 else -2 * number - 1


@compiled(inline=True)
def _assign(state, literal, reason):
    """Make a literal true."""
    variable, numbers = literal >> 1, state.numbers
    state.values[literal], state.values[literal ^ 1] = 1, -1
    state.levels[variable] = numbers[LEVEL]
    state.reasons[variable] = reason
    state.trail[numbers[TRAIL_LENGTH]] = literal
    numbers[TRAIL_LENGTH] += 1


@compiled()
def _load(state):
    """Load the formula in `input`. Returns False if it is unsatisfiable by its unit clauses."""
    numbers, text, starts = state.numbers, state.input, state.implied_starts
    length = 0
    for i in range(len(text)):
        if text[i] != 0:
            length += 1
            continue
        if length == 2:
            for j in (i - 1, i - 2):
                starts[(_literal(text[j]) ^ 1) + 2] += 1
        length = 0
    for i in range(2, len(starts)):
        starts[i] += starts[i - 1]
    begin, is_open = 0, True
    for i in range(len(text)):
        if text[i] != 0:
            continue
        if i - begin == 2:
            first, second = _literal(text[begin]), _literal(text[begin + 1])
            for literal, other in ((first, second), (second, first)):
                position = starts[(literal ^ 1) + 1]
                state.implied[position] = other
                starts[(literal ^ 1) + 1] = position + 1
        elif not _add(state, begin, i):
            is_open = False
        begin = i + 1
    for variable in range(len(state.levels)):
        state.heap[variable] = state.heap_positions[variable] = variable
    numbers[HEAP_LENGTH] = len(state.levels)
    numbers[NEXT_REDUCTION] = FIRST_REDUCTION
    state.reals[INCREMENT] = 1.0
    numbers[IS_LOADED] = 1
    return is_open


@compiled()
def _add(state, begin, end):
    """Add the clause in a range of `input`, before any decision. Returns False if it is false."""
    numbers = state.numbers
    clause = numbers[CLAUSES]
    start = state.starts[clause]
    size = 0
    for i in range(begin, end):
        literal = _literal(state.input[i])
        if state.values[literal] == 1:
            return True
        if state.values[literal] == 0:
            state.literals[start + size] = literal
            size += 1
    if size == 0:
        return False
    if size == 1:
        _assign(state, state.literals[start], NULL)
        return True
    _watch(state, clause, size)
    numbers[ORIGINAL_CLAUSES] = clause + 1
    return True


@compiled(inline=True)
def _watch(state, clause, size):
    """Complete a new clause, whose literals are already at the end of `literals`."""
    start = state.starts[clause]
    for k in range(2):
        literal, watch = state.literals[start + k], 2 * clause + k
        state.next_watch[watch] = state.first_watch[literal]
        state.first_watch[literal] = watch
        state.blockers[watch] = state.literals[start + 1 - k]
    state.starts[clause + 1] = start + size
    state.numbers[CLAUSES] = clause + 1


@compiled()
def _propagate(state):
    """Propagate until there is nothing to propagate. Returns whether a clause is false.

    Then CONFLICT_CLAUSE and CONFLICT_LITERAL say which one.
    """
    numbers, values, literals = state.numbers, state.values, state.literals
    next_watch, blockers, first_watch = state.next_watch, state.blockers, state.first_watch
    implied, implied_starts, starts = state.implied, state.implied_starts, state.starts
    visits = 0
    while numbers[HEAD] < numbers[TRAIL_LENGTH]:
        literal = state.trail[numbers[HEAD]]
        numbers[HEAD] += 1
        visits += 1
        for i in range(implied_starts[literal], implied_starts[literal + 1]):
            other = implied[i]
            if values[other] == 0:
                _assign(state, other, -2 - (literal ^ 1))
            elif values[other] < 0:
                numbers[CONFLICT_CLAUSE] = -2 - (literal ^ 1)
                numbers[CONFLICT_LITERAL] = other
                numbers[VISITS] += visits
                return True
        literal ^= 1
        before, watch = NULL, first_watch[literal]
        while watch != NULL:
            after = next_watch[watch]
            if values[blockers[watch]] > 0:
                before, watch = watch, after
                continue
            visits += 1
            clause, k = watch >> 1, watch & 1
            start, end = starts[clause], starts[clause + 1]
            other = literals[start + 1 - k]
            position = start + 2
            if values[other] <= 0:
                while position < end and values[literals[position]] < 0:
                    position += 1
            else:
                position = end
            blockers[watch] = other
            if position < end:
                moved = literals[position]
                literals[position], literals[start + k] = literal, moved
                next_watch[watch] = first_watch[moved]
                first_watch[moved] = watch
                if before == NULL:
                    first_watch[literal] = after
                else:
                    next_watch[before] = after
            else:
                before = watch
                if values[other] == 0:
                    _assign(state, other, clause)
                elif values[other] < 0:
                    numbers[CONFLICT_CLAUSE] = clause
                    numbers[VISITS] += visits
                    return True
            watch = after
    numbers[VISITS] += visits
    return False


@compiled()
def _sift_up(state, position):
    """Move a variable towards the start of the heap."""
    heap, positions, activities = state.heap, state.heap_positions, state.activities
    variable = heap[position]
    while position > 0:
        parent = (position - 1) >> 1
        if activities[heap[parent]] >= activities[variable]:
            break
        heap[position] = heap[parent]
        positions[heap[position]] = position
        position = parent
    heap[position] = variable
    positions[variable] = position


@compiled()
def _pop(state):
    """Remove the most active variable from the heap, and return it."""
    heap, positions, activities = state.heap, state.heap_positions, state.activities
    top = heap[0]
    positions[top] = NULL
    size = state.numbers[HEAP_LENGTH] - 1
    state.numbers[HEAP_LENGTH] = size
    if size > 0:
        variable, position = heap[size], 0
        while 2 * position + 1 < size:
            child = 2 * position + 1
            if child + 1 < size and activities[heap[child + 1]] > activities[heap[child]]:
                child += 1
            if activities[variable] >= activities[heap[child]]:
                break
            heap[position] = heap[child]
            positions[heap[position]] = position
            position = child
        heap[position] = variable
        positions[variable] = position
    return top


@compiled(inline=True)
def _bump(state, variable):
    """Make a variable more active."""
    activities, reals = state.activities, state.reals
    activities[variable] += reals[INCREMENT]
    if activities[variable] > RESCALE:
        for other in range(len(activities)):
            activities[other] /= RESCALE
        reals[INCREMENT] /= RESCALE
    if state.heap_positions[variable] != NULL:
        _sift_up(state, state.heap_positions[variable])


@compiled()
def _backtrack(state, level):
    """Undo all decisions after this level."""
    numbers = state.numbers
    if numbers[LEVEL] <= level:
        return
    start = state.level_starts[level]
    for position in range(numbers[TRAIL_LENGTH] - 1, start - 1, -1):
        literal = state.trail[position]
        variable = literal >> 1
        state.values[literal] = state.values[literal ^ 1] = 0
        state.phases[variable] = 1 - (literal & 1)
        if state.heap_positions[variable] == NULL:
            size = numbers[HEAP_LENGTH]
            state.heap[size] = variable
            numbers[HEAP_LENGTH] = size + 1
            _sift_up(state, size)
    numbers[TRAIL_LENGTH] = numbers[HEAD] = start
    numbers[LEVEL] = level


@compiled(inline=True)
def _lbd(state, literals, start, end):
    """The number of levels of these literals, except level 0."""
    numbers = state.numbers
    numbers[STAMP] += 1
    count = 0
    for i in range(start, end):
        level = state.levels[literals[i] >> 1]
        if level > 0 and state.stamps[level] != numbers[STAMP]:
            state.stamps[level] = numbers[STAMP]
            count += 1
    return count


@compiled(inline=True)
def _mark(state, variable, marked):
    """Give a variable its role in the analysis. Returns the new number of marked variables."""
    state.roles[variable] = 1
    state.marked[marked] = variable
    return marked + 1


@compiled()
def _analyze(state):
    """Learn a clause from a conflict. Returns the level to go back to.

    The first literal of `learned` is the one that the clause will imply; the second, if any, is of
    the level that is returned.
    """
    numbers, levels, roles, learned = state.numbers, state.levels, state.roles, state.learned
    current, open_literals, size, marked = numbers[LEVEL], 0, 1, 0
    position, implied, reason = numbers[TRAIL_LENGTH] - 1, NULL, numbers[CONFLICT_CLAUSE]
    while True:
        if reason >= 0:
            start, end = state.starts[reason], state.starts[reason + 1]
            if reason >= numbers[ORIGINAL_CLAUSES] and state.lbds[reason] > KEPT_LBD:
                lbd = _lbd(state, state.literals, start, end)
                if lbd < state.lbds[reason]:
                    state.lbds[reason] = lbd
                    state.has_improved[reason] = 1
        else:
            start, end = 0, 1 if implied != NULL else 2
        for i in range(start, end):
            if reason >= 0:
                literal = state.literals[i]
            else:
                literal = -2 - reason if i == 0 else numbers[CONFLICT_LITERAL]
            variable = literal >> 1
            if literal == implied or roles[variable] or levels[variable] == 0:
                continue
            marked = _mark(state, variable, marked)
            _bump(state, variable)
            if levels[variable] == current:
                open_literals += 1
            else:
                learned[size] = literal
                size += 1
        while not roles[state.trail[position] >> 1]:
            position -= 1
        implied = state.trail[position]
        position -= 1
        open_literals -= 1
        if open_literals == 0:
            break
        reason = state.reasons[implied >> 1]
    learned[0] = implied ^ 1
    size = _minimize(state, size, marked)
    numbers[LEARNED_LENGTH] = size
    if size == 1:
        return 0
    highest = 1
    for i in range(2, size):
        if levels[learned[i] >> 1] > levels[learned[highest] >> 1]:
            highest = i
    learned[1], learned[highest] = learned[highest], learned[1]
    return levels[learned[1] >> 1]


@compiled(inline=True)
def _minimize(state, size, marked):
    """Remove literals that the others imply, then reset all roles. Returns the new size."""
    numbers, learned, roles, values = state.numbers, state.learned, state.roles, state.values
    numbers[STAMP] += 1
    for i in range(1, size):
        state.stamps[state.levels[learned[i] >> 1]] = numbers[STAMP]
    kept = 1
    for i in range(1, size):
        before = marked
        marked = _mark_if_implied(state, learned[i], marked)
        if marked < before:  # the literal is not implied
            marked = ~marked
            learned[kept] = learned[i]
            kept += 1
    for i in range(marked):
        roles[state.marked[i]] = 0
    if 2 < kept <= 30:
        # literals that the negated first one excludes by a binary clause, as in Glucose
        first = learned[0] ^ 1
        for i in range(1, kept):
            roles[learned[i] >> 1] = 1
        for i in range(state.implied_starts[first], state.implied_starts[first + 1]):
            other = state.implied[i]
            if roles[other >> 1] and values[other] > 0:
                roles[other >> 1] = 0
        size = 1
        for i in range(1, kept):
            if roles[learned[i] >> 1]:
                roles[learned[i] >> 1] = 0
                learned[size] = learned[i]
                size += 1
        kept = size
    return kept


@compiled()
def _mark_if_implied(state, literal, marked):
    """Mark everything from which the marked literals imply a literal of the learned clause.

    Returns the new number of marked variables; or ~marked, unchanged, if they do not imply it.
    """
    if state.reasons[literal >> 1] == NULL:
        return ~marked
    stack, first_marked = state.stack, marked
    stack[0], size = literal, 1
    while size > 0:
        size -= 1
        literal = stack[size]
        reason = state.reasons[literal >> 1]
        start, end = 0, 1
        if reason >= 0:
            start, end = state.starts[reason], state.starts[reason + 1]
        for i in range(start, end):
            other = state.literals[i] if reason >= 0 else -2 - reason
            variable = other >> 1
            if variable == literal >> 1 or state.roles[variable] or state.levels[variable] == 0:
                continue
            if (
                state.reasons[variable] == NULL
                or state.stamps[state.levels[variable]] != state.numbers[STAMP]
            ):
                for j in range(first_marked, marked):
                    state.roles[state.marked[j]] = 0
                return ~first_marked
            marked = _mark(state, variable, marked)
            stack[size] = other
            size += 1
    return marked


@compiled()
def _learn(state, level):
    """Go back to a level, and add the learned clause."""
    numbers, reals, size = state.numbers, state.reals, state.numbers[LEARNED_LENGTH]
    lbd = _lbd(state, state.learned, 0, size)
    numbers[CONFLICTS] += 1
    numbers[SUM_LBD] += lbd
    reals[RECENT_LBD] += (lbd - reals[RECENT_LBD]) * RECENT
    reals[INCREMENT] *= DECAY
    _backtrack(state, level)
    if size == 1:
        _assign(state, state.learned[0], NULL)
        return
    clause = numbers[CLAUSES]
    start = state.starts[clause]
    for i in range(size):
        state.literals[start + i] = state.learned[i]
    state.lbds[clause] = min(lbd, MAX_LBD)
    state.has_improved[clause] = 0
    _watch(state, clause, size)
    _assign(state, state.learned[0], clause)


@compiled()
def _reduce(state):
    """Remove half of the learned clauses, those with high LBD first. Only before any decision."""
    numbers, lbds = state.numbers, state.lbds
    original, clauses = numbers[ORIGINAL_CLAUSES], numbers[CLAUSES]
    numbers[REDUCTIONS] += 1
    numbers[NEXT_REDUCTION] = (
        numbers[CONFLICTS] + FIRST_REDUCTION + REDUCTION_STEP * numbers[REDUCTIONS]
    )
    removable = 0
    for clause in range(original, clauses):
        removable += lbds[clause] > KEPT_LBD and not state.has_improved[clause]
    surplus, threshold = min(removable, (clauses - original) // 2), MAX_LBD + 1
    above = 0
    while above < surplus:
        threshold -= 1
        for clause in range(original, clauses):
            above += lbds[clause] == threshold and not state.has_improved[clause]
    kept_at_threshold = above - surplus
    for literal in range(len(state.first_watch)):
        state.first_watch[literal] = NULL
    numbers[CLAUSES] = 0
    end, ties = state.starts[0], 0
    for clause in range(clauses):
        start, size = end, state.starts[clause + 1] - end
        end += size
        if clause >= original and not state.has_improved[clause] and lbds[clause] >= threshold:
            ties += lbds[clause] == threshold
            if lbds[clause] > threshold or ties > kept_at_threshold:
                continue
        new = numbers[CLAUSES]
        new_start = state.starts[new]
        for i in range(size):
            state.literals[new_start + i] = state.literals[start + i]
        lbds[new], state.has_improved[new] = lbds[clause], 0
        _watch(state, new, size)


@compiled(inline=True)
def _is_full(state):
    """Whether the arrays may lack room for another learned clause."""
    clauses = state.numbers[CLAUSES]
    return clauses == len(state.lbds) or state.starts[clauses] + len(state.levels) > len(
        state.literals
    )


@compiled(inline=True)
def _is_restart_due(state):
    """Whether recent learned clauses are worse than the average."""
    numbers = state.numbers
    return (
        numbers[CONFLICTS] >= numbers[LAST_RESTART] + RESTART_CONFLICTS
        and state.reals[RECENT_LBD] * numbers[CONFLICTS] > RESTART_FACTOR * numbers[SUM_LBD]
    )


@compiled()
def _begin_query(state):
    """Add the clauses in `input`. Returns False if the formula is unsatisfiable by unit clauses."""
    if not state.numbers[IS_LOADED]:
        return _load(state)
    _backtrack(state, 0)
    for variable in range(len(state.phases)):
        state.phases[variable] = 0  # else it would search near the assumed solution
    begin = 0
    for i in range(len(state.input)):
        if state.input[i] == 0:
            if not _add(state, begin, i):
                return False
            begin = i + 1
    return True


@compiled()
def _collect_failed(state, literal):
    """Write assumptions that cannot all hold to `learned`. `literal`: an assumption that is false.

    The assumptions are found on the trail, from the reasons of the negation of `literal` (MiniSat's
    `analyzeFinal`).
    """
    numbers, roles, levels, reasons = state.numbers, state.roles, state.levels, state.reasons
    state.learned[0], size = literal, 1
    if levels[literal >> 1] > 0:
        roles[literal >> 1] = 1
        for position in range(numbers[TRAIL_LENGTH] - 1, state.level_starts[0] - 1, -1):
            implied = state.trail[position]
            variable = implied >> 1
            if not roles[variable]:
                continue
            roles[variable] = 0
            reason = reasons[variable]
            if reason == NULL:
                state.learned[size] = implied
                size += 1
            elif reason < 0:
                roles[(-2 - reason) >> 1] = levels[(-2 - reason) >> 1] > 0
            else:
                for i in range(state.starts[reason], state.starts[reason + 1]):
                    other = state.literals[i] >> 1
                    if other != variable:
                        roles[other] = levels[other] > 0
    numbers[LEARNED_LENGTH] = size


@compiled()
def search(state, max_conflicts, max_visits):
    """Search for a model in which all assumptions hold. Returns a result as listed above.

    - `max_conflicts`: CONFLICTS at which it is interrupted.
    - `max_visits`: VISITS at which it is interrupted.
    """
    numbers, values = state.numbers, state.values
    is_new = not numbers[IS_LOADED] or numbers[IS_NEW_QUERY]
    if is_new and not _begin_query(state):
        return UNSATISFIABLE
    numbers[IS_NEW_QUERY] = 0
    while True:
        is_conflict = _propagate(state)
        if is_conflict and numbers[LEVEL] == 0:
            return UNSATISFIABLE
        is_full = _is_full(state)
        if is_conflict and not is_full:
            _learn(state, _analyze(state))
            continue
        if is_full or _is_restart_due(state):
            _backtrack(state, 0)
            numbers[LAST_RESTART] = numbers[CONFLICTS]
            if numbers[CONFLICTS] >= numbers[NEXT_REDUCTION]:
                _reduce(state)
            elif is_full:
                return FULL
            continue
        if numbers[CONFLICTS] >= max_conflicts or numbers[VISITS] >= max_visits:
            return INTERRUPTED
        literal = NULL
        while numbers[LEVEL] < len(state.assumptions) and literal == NULL:
            literal = state.assumptions[numbers[LEVEL]]
            if values[literal] < 0:
                _collect_failed(state, literal)
                return FAILED
            if values[literal] > 0:
                state.level_starts[numbers[LEVEL]] = numbers[TRAIL_LENGTH]
                numbers[LEVEL] += 1
                literal = NULL
        while literal == NULL:
            if numbers[HEAP_LENGTH] == 0:
                return SATISFIABLE
            variable = _pop(state)
            if values[2 * variable] == 0:
                literal = 2 * variable + 1 - state.phases[variable]
        state.level_starts[numbers[LEVEL]] = numbers[TRAIL_LENGTH]
        numbers[LEVEL] += 1
        _assign(state, literal, NULL)
