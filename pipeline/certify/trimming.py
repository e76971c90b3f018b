"""Backward checking of a refutation: which lemmas are needed, and with which hints.

Lemmas are clauses of the proof. The forward pass adds the clauses of the formula and then the
lemmas one by one, with unit propagation, until a clause is falsified. The backward pass removes the
lemmas, the last one first, with the literals that they implied. Each marked lemma is checked, and
the clauses that it follows from are marked (E. Goldberg, Y. Novikov, Verification of proofs of
unsatisfiability for CNF formulas, 2003). Marked clauses propagate first, so that few more are
marked (M. Heule, W. Hunt, N. Wetzler, Trimming while checking clausal proofs, 2013: drat-trim).

Unlike in drat-trim, a literal that follows from the clauses before a lemma, without the negated
lemma, becomes a step of its own when it is needed. Its reasons are then written once, instead of in
the hints of each lemma.

These functions work on arrays in machine code and on lists in plain Python. Nothing relies on them:
`check_lrat` checks the hints.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pipeline.native import compiled

NOTHING = -1
"""In place of a clause, or at the end of a list: there is none."""

UNMARKED, MARKED = 0, 1
"""The two watch lists of a literal; the second is propagated first."""

# `numbers`
NEXT_CLAUSE = 0  # the clause that is added or checked next
CONFLICT = 1  # the clause after which propagation failed, or NOTHING
TRAIL = 2  # length of the trail
OUTPUT_LENGTH = 3  # length of the output
VISITS = 4  # watches that were visited in this call

UNFINISHED, HAS_OUTPUT, TRIMMED, REJECTED = range(4)
"""Results of `trim`. HAS_OUTPUT: read `output`, empty it, and call again. TRIMMED: read `output`,
which is now complete. FAILED: there is no refutation, or the lemma at NEXT_CLAUSE does not
follow."""


class State(NamedTuple):
    """The state of one trimming, in arrays or lists, with C clauses, L literals and V variables.

    The literals of variable v are 2·v and, negated, 2·v + 1. Watch 2·c + k is the watch on literal
    k of clause c, where k is 0 or 1. A list of watches is linked: `first_watch`, then `next_watch`.
    """

    literals: Any
    """(L,): the literals of all clauses; the first two of each clause are watched."""
    starts: Any
    """(C + 1,): where the literals of each clause start."""
    trail_before: Any
    """(C,): length of the trail before each clause was added."""
    marked: Any
    """(C,): 1 if the clause is needed."""
    is_needed: Any
    """(C,): 1 if the literal that this clause implied is needed at the root."""
    output: Any
    """(C + 2,): steps, the last one first: a clause, its hints, then C. A hint ~x is the unit
    clause of literal x, which has a step of its own."""
    next_watch: Any
    """(2·C,): the next watch on the same literal, or NOTHING."""
    blockers: Any
    """(2·C,): another literal of the clause: if it is true, the clause need not be visited."""
    first_watch: Any
    """(4·V,): at 2·x and 2·x + 1, the first unmarked and the first marked watch on literal x."""
    values: Any
    """(2·V,): for each literal, 1 if true, -1 if false, 0 if unassigned."""
    trail: Any
    """(V,): literals in the order in which they became true."""
    positions: Any
    """(V,): where each variable is on the trail."""
    reasons: Any
    """(V,): the clause that implied each variable, or NOTHING for an assumption."""
    seen: Any
    """(V,): marks of conflict analysis."""
    queue: Any
    """(V,): the queue of conflict analysis, as variables."""
    numbers: Any
    """(5,): NEXT_CLAUSE, CONFLICT, TRAIL, OUTPUT_LENGTH and VISITS."""


_TRUE, _FALSE = 1, -1
_SEEN, _NEWLY_NEEDED, _ASSUMED = 1, 2, 3


@compiled(inline=True)
def _assign(state, literal, reason):
    """Make a literal true, because of a clause or, with NOTHING, as an assumption."""
    size, variable = state.numbers[TRAIL], literal >> 1
    state.values[literal], state.values[literal ^ 1] = _TRUE, _FALSE
    state.trail[size] = literal
    state.positions[variable] = size
    state.reasons[variable] = reason
    state.numbers[TRAIL] = size + 1


@compiled(inline=True)
def _backtrack(state, size):
    """Unassign literals until the trail has this length."""
    for position in range(size, state.numbers[TRAIL]):
        literal = state.trail[position]
        state.values[literal] = state.values[literal ^ 1] = 0
    state.numbers[TRAIL] = min(size, state.numbers[TRAIL])


@compiled(inline=True)
def _link(state, kind, literal, watch):
    """Put a watch at the start of a list."""
    state.next_watch[watch] = state.first_watch[2 * literal + kind]
    state.first_watch[2 * literal + kind] = watch


@compiled(inline=True)
def _watch_another(state, watch, other):
    """Watch another literal of a clause that is not false. Returns whether there is one."""
    clause = watch >> 1
    start = state.starts[clause]
    watched = start + (watch & 1)
    for i in range(start + 2, state.starts[clause + 1]):
        literal = state.literals[i]
        if state.values[literal] != _FALSE:
            state.literals[i], state.literals[watched] = state.literals[watched], literal
            state.blockers[watch] = other
            _link(state, state.marked[clause], literal, watch)
            return True
    return False


# Two watched literals (M. Moskewicz et al., Chaff, 2001), with blockers as in MiniSat 2.1. A clause
# can become unit or false only when one of its two watched literals becomes false, so only these
# clauses are visited, and backtracking repairs nothing. Each literal has two lists. A clause that
# was marked after it was linked moves to the other list when it is visited, and a removed one is
# unlinked then.
@compiled(inline=True)
def _visit_watchers(state, kind, literal, end):
    """Visit the clauses in a watch list of a false literal. Returns a falsified one, or NOTHING.

    Clauses from `end` on are removed.
    """
    previous, watch = NOTHING, state.first_watch[2 * literal + kind]
    while watch != NOTHING:
        state.numbers[VISITS] += 1
        next_watch, clause = state.next_watch[watch], watch >> 1
        stays = clause < end
        if stays and state.values[state.blockers[watch]] != _TRUE:
            other = state.literals[state.starts[clause] + 1 - (watch & 1)]
            if state.values[other] == _TRUE:
                state.blockers[watch] = other
            elif _watch_another(state, watch, other):
                stays = False
            elif state.values[other] == _FALSE:
                return clause
            else:
                _assign(state, other, clause)
        if stays and state.marked[clause] == kind:
            previous = watch
        else:
            if previous == NOTHING:
                state.first_watch[2 * literal + kind] = next_watch
            else:
                state.next_watch[previous] = next_watch
            if stays:
                _link(state, MARKED, literal, watch)
        watch = next_watch
    return NOTHING


# Core-first propagation (drat-trim). An unmarked clause is visited only when no marked one can
# propagate any more, so that a conflict uses marked clauses where it can.
@compiled(inline=True)
def _propagate(state, start, end):
    """Propagate the trail from `start`. Returns a falsified clause, or NOTHING."""
    marked_head = unmarked_head = start
    while unmarked_head < state.numbers[TRAIL]:
        if marked_head < state.numbers[TRAIL]:
            falsified = _visit_watchers(state, MARKED, state.trail[marked_head] ^ 1, end)
            marked_head += 1
        else:
            falsified = _visit_watchers(state, UNMARKED, state.trail[unmarked_head] ^ 1, end)
            unmarked_head += 1
        if falsified != NOTHING:
            return falsified
    return NOTHING


@compiled(inline=True)
def _add(state, clause):
    """Add a clause, and propagate it if all but one of its literals are false.

    Returns a falsified clause, or NOTHING.
    """
    state.trail_before[clause] = state.numbers[TRAIL]
    start, end = state.starts[clause], state.starts[clause + 1]
    kept = start
    for i in range(start, end):
        literal = state.literals[i]
        if state.values[literal] != _FALSE:
            state.literals[i], state.literals[kept] = state.literals[kept], literal
            kept += 1
            if kept == start + 2:
                break
    if end > start + 1:
        for k in range(2):
            state.blockers[2 * clause + k] = state.literals[start + 1 - k]
            _link(state, state.marked[clause], state.literals[start + k], 2 * clause + k)
    if kept == start:
        return clause
    if kept == start + 1 and state.values[state.literals[start]] != _TRUE:
        _assign(state, state.literals[start], clause)
        return _propagate(state, state.trail_before[clause], clause + 1)
    return NOTHING


@compiled(inline=True)
def _emit(state, number):
    """Append a number to the output."""
    state.output[state.numbers[OUTPUT_LENGTH]] = number
    state.numbers[OUTPUT_LENGTH] += 1


@compiled(inline=True)
def _has_own_step(state, reason):
    """Whether the literal implied by a clause has a step of its own: not if the clause is unit."""
    return state.starts[reason + 1] - state.starts[reason] > 1


@compiled(inline=True)
def _emit_literal(state, variable):
    """Append a reference to the step that fixes a variable at the root.

    This is its unit clause, or `~literal` if the literal has a step of its own.
    """
    reason = state.reasons[variable]
    if _has_own_step(state, reason):
        _emit(state, ~state.trail[state.positions[variable]])
    else:
        _emit(state, reason)


@compiled(inline=True)
def _queue_clause(state, clause, count, root):
    """Mark a clause and queue its variables, each once. Returns the length of the queue.

    Appends hints for the variables among the first `root` literals of the trail.
    """
    state.marked[clause] = 1
    for i in range(state.starts[clause], state.starts[clause + 1]):
        variable = state.literals[i] >> 1
        if state.seen[variable]:
            continue
        state.seen[variable] = _SEEN
        state.queue[count] = variable
        count += 1
        if state.positions[variable] < root:
            _emit_literal(state, variable)
            reason = state.reasons[variable]
            if not state.is_needed[reason]:
                state.is_needed[reason] = 1
                state.seen[variable] = _NEWLY_NEEDED
    return count


# The hints of a RUP step in LRAT are clauses: once the lemma is negated, each in turn is unit, and
# the last one is falsified. Only clauses that the conflict depends on are hints: they are collected
# from the conflict back through the reasons, as in conflict analysis. Values at the root come
# first, then reasons in the order of the trail, then the falsified clause. That order is valid,
# because a clause became a reason only after all its other literals were false.
@compiled(inline=True)
def _analyse_conflict(state, falsified, root):
    """Append the hints of a conflict and mark all clauses that it needs."""
    count, done = _queue_clause(state, falsified, 0, root), 0
    while done < count:
        variable = state.queue[done]
        done += 1
        if state.positions[variable] >= root and state.reasons[variable] != NOTHING:
            count = _queue_clause(state, state.reasons[variable], count, root)
    for position in range(root, state.numbers[TRAIL]):
        variable = state.trail[position] >> 1
        if state.seen[variable] == _SEEN and state.reasons[variable] != NOTHING:
            _emit(state, state.reasons[variable])
    _emit(state, falsified)
    newly_needed = 0
    for i in range(count):
        variable = state.queue[i]
        if state.seen[variable] == _NEWLY_NEEDED:
            state.queue[newly_needed] = variable
            newly_needed += 1
        state.seen[variable] = 0
    _mark_reasons(state, newly_needed)


@compiled(inline=True)
def _mark_reasons(state, count):
    """Mark the reasons of the queued variables, then the reasons of their literals, and so on."""
    done = 0
    while done < count:
        reason = state.reasons[state.queue[done]]
        done += 1
        state.marked[reason] = 1
        for i in range(state.starts[reason], state.starts[reason + 1]):
            variable = state.literals[i] >> 1
            if not state.is_needed[state.reasons[variable]]:
                state.is_needed[state.reasons[variable]] = 1
                state.queue[count] = variable
                count += 1


# RUP (reverse unit propagation, Goldberg and Novikov 2003). A lemma follows if its negation, with
# the clauses before it, is refuted by unit propagation alone. If one of its literals is true at the
# root already, that literal implies the lemma.
@compiled(inline=True)
def _check_lemma(state, lemma):
    """Append the step of a lemma. Returns whether the lemma follows from the clauses before it."""
    root = state.numbers[TRAIL]
    _emit(state, lemma)
    for i in range(state.starts[lemma], state.starts[lemma + 1]):
        literal = state.literals[i]
        variable = literal >> 1
        if state.values[literal] == _TRUE:
            _backtrack(state, root)
            return _check_satisfied_lemma(state, variable)
        if state.values[literal] != _FALSE:
            _assign(state, literal ^ 1, NOTHING)
    falsified = _propagate(state, root, lemma)
    if falsified != NOTHING:
        for i in range(state.starts[lemma], state.starts[lemma + 1]):
            state.seen[state.literals[i] >> 1] = _ASSUMED
        _analyse_conflict(state, falsified, root)
        for i in range(state.starts[lemma], state.starts[lemma + 1]):
            state.seen[state.literals[i] >> 1] = 0
        _emit(state, len(state.marked))
    _backtrack(state, root)
    return falsified != NOTHING


@compiled(inline=True)
def _check_satisfied_lemma(state, variable):
    """Append the step of a lemma with a literal that is true at the root.

    Returns False if that literal was only assumed: then the lemma is a tautology.
    """
    if state.values[2 * variable] == 0:
        return False
    _emit_literal(state, variable)
    _emit(state, len(state.marked))
    if not state.is_needed[state.reasons[variable]]:
        state.is_needed[state.reasons[variable]] = 1
        state.queue[0] = variable
        _mark_reasons(state, 1)
    return True


@compiled(inline=True)
def _unassign_last(state):
    """Remove the last literal from the trail, and append its step if it is needed."""
    literal = state.trail[state.numbers[TRAIL] - 1]
    reason = state.reasons[literal >> 1]
    if state.is_needed[reason]:
        state.is_needed[reason] = 0
        if _has_own_step(state, reason):
            _emit(state, ~literal)
            for i in range(state.starts[reason], state.starts[reason + 1]):
                if state.literals[i] != literal:
                    _emit_literal(state, state.literals[i] >> 1)
            _emit(state, reason)
            _emit(state, len(state.marked))
    _backtrack(state, state.numbers[TRAIL] - 1)


@compiled(inline=True)
def _start_backward(state, clause, falsified, lemmas):
    """Start the backward pass: append the step of the empty clause.

    No other step is needed if the clauses of the formula alone propagate to the conflict.
    """
    state.numbers[CONFLICT] = clause
    _emit(state, clause)
    _analyse_conflict(state, falsified, state.numbers[TRAIL] if clause >= lemmas else 0)
    _emit(state, len(state.marked))


# Forward pass: add clauses until one is falsified. Backward pass: remove literals until the trail
# is as it was before the last lemma, then remove the lemma, and check it if it is marked.
@compiled(inline=True)
def trim(state, lemmas, max_output, max_visits):
    """Continue for about `max_visits` visits. Returns UNFINISHED, HAS_OUTPUT, TRIMMED or FAILED.

    Clauses from `lemmas` on are lemmas. HAS_OUTPUT means that `output` has at least
    `max_output` numbers.
    """
    state.numbers[VISITS] = 0
    while state.numbers[VISITS] < max_visits:
        state.numbers[VISITS] += 1
        clause = state.numbers[NEXT_CLAUSE]
        if state.numbers[CONFLICT] == NOTHING:
            if clause == len(state.marked):
                return REJECTED
            falsified = _add(state, clause)
            state.numbers[NEXT_CLAUSE] += 1
            if falsified != NOTHING:
                _start_backward(state, clause, falsified, lemmas)
        elif state.numbers[TRAIL] > (state.trail_before[clause - 1] if clause > lemmas else 0):
            _unassign_last(state)
        elif clause <= lemmas:
            return TRIMMED
        else:
            state.numbers[NEXT_CLAUSE] -= 1
            if state.marked[clause - 1] and not _check_lemma(state, clause - 1):
                return REJECTED
        if state.numbers[OUTPUT_LENGTH] >= max_output:
            return HAS_OUTPUT
    return UNFINISHED
