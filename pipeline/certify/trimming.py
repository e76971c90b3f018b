"""Backward checking of a refutation, which finds the necessary lemmas and their hints.

Lemmas are the clauses of the proof. The forward pass adds the clauses of the formula and then the
lemmas one by one, with unit propagation, until a clause is falsified. The backward pass removes the
lemmas from the last to the first, and the literals that they implied. It checks each marked lemma
and marks the clauses from which the lemma follows (E. Goldberg, Y. Novikov, Verification of proofs
of unsatisfiability for CNF formulas, 2003). Marked clauses propagate first, so that few other
clauses are marked (M. Heule, W. Hunt, N. Wetzler, Trimming while checking clausal proofs, 2013:
drat-trim).

The root is the part of the trail before the negated lemma is assumed. Unlike in drat-trim, a root
literal that a hint needs becomes a step of its own. Its reasons are then written once, and not in
the hints of each lemma.

These functions work on arrays in machine code and on lists in plain Python. Their result is not
trusted: `check_lrat` checks it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pipeline.native import compiled

NULL = -1
"""The index that means "no clause" or "end of the list"."""

UNMARKED, MARKED = 0, 1
"""The watch lists of a literal: one list of unmarked clauses, and one of marked clauses."""

# Indices in `TrimmerState.numbers`.
NEXT_CLAUSE = 0  # the clause to add next; in the backward pass, one more than the clause to check
CONFLICT_CLAUSE = 1  # the clause that led to the conflict when it was added, or NULL
TRAIL_LENGTH = 2  # length of the trail
OUTPUT_LENGTH = 3  # length of the output
VISITS = 4  # number of watches that were visited in this call

INTERRUPTED, HAS_OUTPUT, TRIMMED, REJECTED = range(4)
"""Results of `trim`. INTERRUPTED: call it again. HAS_OUTPUT: read `output`, empty it, and call
again. TRIMMED: read `output`, which is now complete. REJECTED: there is no refutation, or the lemma
at NEXT_CLAUSE does not follow."""


class TrimmerState(NamedTuple):
    """The state of a trimmer, in arrays or lists, with C clauses, L literals and V variables.

    The literals of variable v are 2·v and, negated, 2·v + 1. Watch 2·c + k is the watch on literal
    k of clause c, where k is 0 or 1. Each list of watches is a linked list, which starts in
    `first_watch` and continues in `next_watch`.
    """

    literals: Any
    """(L,): the literals of all clauses; the first two of each clause are watched."""
    starts: Any
    """(C + 1,): the index in `literals` of the first literal of each clause, and L."""
    trail_before: Any
    """(C,): length of the trail before each clause was added."""
    is_marked: Any
    """(C,): 1 if a step needs the clause."""
    is_needed: Any
    """(C,): 1 if a step needs the root literal that this clause implied."""
    output: Any
    """(C + 2,): steps, the last one first. A step is the number of its clause, its hints, then C.
    The number ~x stands for the unit clause of literal x."""
    next_watch: Any
    """(2·C,): the next watch on the same literal, or NULL."""
    blockers: Any
    """(2·C,): another literal of the clause. If it is true, the clause is not visited."""
    first_watch: Any
    """(4·V,): at 2·x and 2·x + 1, the first unmarked and the first marked watch on literal x."""
    values: Any
    """(2·V,): for each literal, 1 if true, -1 if false, 0 if unassigned."""
    trail: Any
    """(V,): literals in the order in which they became true."""
    positions: Any
    """(V,): the position of each variable on the trail."""
    reasons: Any
    """(V,): the clause that implied each variable, or NULL for an assumption."""
    roles: Any
    """(V,): the role of each variable in conflict analysis; 0 if it has none."""
    queue: Any
    """(V,): the variables to be analysed."""
    numbers: Any
    """(5,): NEXT_CLAUSE, CONFLICT_CLAUSE, TRAIL_LENGTH, OUTPUT_LENGTH and VISITS."""


_TRUE, _FALSE = 1, -1
"""Elements of `TrimmerState.values`."""

_QUEUED, _NEWLY_NEEDED, _ASSUMED = 1, 2, 3
"""Elements of `TrimmerState.roles`. _QUEUED: the variable is in the queue. _NEWLY_NEEDED: it is in
the queue, and no earlier step needed its root literal. _ASSUMED: it occurs in the negated lemma."""


@compiled(inline=True)
def _assign(state, literal, reason):
    """Make a literal true. `reason` is the clause that implies it; NULL for an assumption."""
    size, variable = state.numbers[TRAIL_LENGTH], literal >> 1
    state.values[literal], state.values[literal ^ 1] = _TRUE, _FALSE
    state.trail[size] = literal
    state.positions[variable] = size
    state.reasons[variable] = reason
    state.numbers[TRAIL_LENGTH] = size + 1


@compiled(inline=True)
def _backtrack(state, size):
    """Unassign literals until the trail has this length."""
    for position in range(size, state.numbers[TRAIL_LENGTH]):
        literal = state.trail[position]
        state.values[literal] = state.values[literal ^ 1] = 0
    state.numbers[TRAIL_LENGTH] = min(size, state.numbers[TRAIL_LENGTH])


@compiled(inline=True)
def _insert_watch(state, kind, literal, watch):
    """Insert a watch at the start of the list of `kind` (MARKED or UNMARKED) of a literal."""
    state.next_watch[watch] = state.first_watch[2 * literal + kind]
    state.first_watch[2 * literal + kind] = watch


@compiled(inline=True)
def _move_watch(state, watch, other):
    """Move a watch to a literal of its clause that is neither false nor watched.

    `other` is the other watched literal. Returns False if there is no such literal.
    """
    clause = watch >> 1
    start = state.starts[clause]
    watched = start + (watch & 1)
    for i in range(start + 2, state.starts[clause + 1]):
        literal = state.literals[i]
        if state.values[literal] != _FALSE:
            state.literals[i], state.literals[watched] = state.literals[watched], literal
            state.blockers[watch] = other
            _insert_watch(state, state.is_marked[clause], literal, watch)
            return True
    return False


# Two watched literals (M. Moskewicz et al., Chaff, 2001), with blockers as in MiniSat 2.1. A clause
# can become unit or false only when one of its two watched literals becomes false. So only the
# clauses that watch this literal are visited, and backtracking leaves the watches unchanged. Each
# literal has a list of unmarked and a list of marked clauses. A visit moves a newly marked clause
# to the list of marked clauses, and unlinks a removed clause.
@compiled(inline=True)
def _visit_watchers(state, kind, literal, end):
    """Visit the clauses in a watch list of a false literal. Returns a falsified clause, or NULL.

    Clauses from `end` on have been removed.
    """
    previous, watch = NULL, state.first_watch[2 * literal + kind]
    while watch != NULL:
        state.numbers[VISITS] += 1
        next_watch, clause = state.next_watch[watch], watch >> 1
        is_kept = clause < end
        if is_kept and state.values[state.blockers[watch]] != _TRUE:
            other = state.literals[state.starts[clause] + 1 - (watch & 1)]
            if state.values[other] == _TRUE:
                state.blockers[watch] = other
            elif _move_watch(state, watch, other):
                is_kept = False
            elif state.values[other] == _FALSE:
                return clause
            else:
                _assign(state, other, clause)
        if is_kept and state.is_marked[clause] == kind:
            previous = watch
        else:
            if previous == NULL:
                state.first_watch[2 * literal + kind] = next_watch
            else:
                state.next_watch[previous] = next_watch
            if is_kept:
                _insert_watch(state, MARKED, literal, watch)
        watch = next_watch
    return NULL


# Core-first propagation (drat-trim). An unmarked clause is visited only when marked clauses
# propagate nothing more, so that conflicts depend on few unmarked clauses. The order of visits does
# not affect soundness.
@compiled(inline=True)
def _propagate(state, start, end):
    """Propagate the literals on the trail from `start` on. Returns a falsified clause, or NULL.

    Clauses from `end` on have been removed.
    """
    marked_head = unmarked_head = start
    while unmarked_head < state.numbers[TRAIL_LENGTH]:
        if marked_head < state.numbers[TRAIL_LENGTH]:
            falsified = _visit_watchers(state, MARKED, state.trail[marked_head] ^ 1, end)
            marked_head += 1
        else:
            falsified = _visit_watchers(state, UNMARKED, state.trail[unmarked_head] ^ 1, end)
            unmarked_head += 1
        if falsified != NULL:
            return falsified
    return NULL


@compiled(inline=True)
def _add_clause(state, clause):
    """Add a clause, and propagate it if all but one of its literals are false.

    Returns a falsified clause, or NULL.
    """
    state.trail_before[clause] = state.numbers[TRAIL_LENGTH]
    start, end = state.starts[clause], state.starts[clause + 1]
    not_false_end = start  # the literals before this index are not false
    for i in range(start, end):
        literal = state.literals[i]
        if state.values[literal] != _FALSE:
            state.literals[i], state.literals[not_false_end] = (
                state.literals[not_false_end],
                literal,
            )
            not_false_end += 1
            if not_false_end == start + 2:
                break
    if end > start + 1:
        for k in range(2):
            state.blockers[2 * clause + k] = state.literals[start + 1 - k]
            _insert_watch(state, state.is_marked[clause], state.literals[start + k], 2 * clause + k)
    if not_false_end == start:
        return clause
    if not_false_end == start + 1 and state.values[state.literals[start]] != _TRUE:
        _assign(state, state.literals[start], clause)
        return _propagate(state, state.trail_before[clause], clause + 1)
    return NULL


@compiled(inline=True)
def _emit(state, number):
    """Append a number to the output."""
    state.output[state.numbers[OUTPUT_LENGTH]] = number
    state.numbers[OUTPUT_LENGTH] += 1


@compiled(inline=True)
def _has_own_step(state, reason):
    """Whether the literal that a clause implies gets a step of its own.

    If the clause is a unit clause, it serves as that step.
    """
    return state.starts[reason + 1] - state.starts[reason] > 1


@compiled(inline=True)
def _emit_unit_clause(state, variable):
    """Append the number of the unit clause that assigns a variable at the root.

    The number is `~literal` if that unit clause is a step of its own.
    """
    reason = state.reasons[variable]
    if _has_own_step(state, reason):
        _emit(state, ~state.trail[state.positions[variable]])
    else:
        _emit(state, reason)


@compiled(inline=True)
def _queue_clause(state, clause, count, root):
    """Mark a clause, and queue its variables that are not queued yet.

    `count` is the length of the queue; returns its new length. Appends a hint for each newly queued
    variable among the first `root` literals of the trail.
    """
    state.is_marked[clause] = 1
    for i in range(state.starts[clause], state.starts[clause + 1]):
        variable = state.literals[i] >> 1
        if state.roles[variable]:
            continue
        state.roles[variable] = _QUEUED
        state.queue[count] = variable
        count += 1
        if state.positions[variable] < root:
            _emit_unit_clause(state, variable)
            reason = state.reasons[variable]
            if not state.is_needed[reason]:
                state.is_needed[reason] = 1
                state.roles[variable] = _NEWLY_NEEDED
    return count


# The hints of a RUP step in LRAT are clauses. When the lemma is negated, each hint in turn is unit,
# and the last hint is falsified. The hints are the clauses on which the conflict depends. They are
# found from the falsified clause through the reasons of its literals, as in conflict analysis of
# CDCL solvers. Unit clauses of root literals come first, then reasons in the order of the trail,
# then the falsified clause. This order is valid because a clause became the reason of a literal
# only after all its other literals were false.
@compiled(inline=True)
def _analyse_conflict(state, falsified, root):
    """Append the hints of a conflict, and mark all clauses on which it depends."""
    count, head = _queue_clause(state, falsified, 0, root), 0
    while head < count:
        variable = state.queue[head]
        head += 1
        if state.positions[variable] >= root and state.reasons[variable] != NULL:
            count = _queue_clause(state, state.reasons[variable], count, root)
    for position in range(root, state.numbers[TRAIL_LENGTH]):
        variable = state.trail[position] >> 1
        if state.roles[variable] == _QUEUED and state.reasons[variable] != NULL:
            _emit(state, state.reasons[variable])
    _emit(state, falsified)
    newly_needed = 0
    for i in range(count):
        variable = state.queue[i]
        if state.roles[variable] == _NEWLY_NEEDED:
            state.queue[newly_needed] = variable
            newly_needed += 1
        state.roles[variable] = 0
    _mark_reasons(state, newly_needed)


# A root literal follows from its reason and from the root literals that falsify the other literals
# of this reason. So the steps of these root literals are needed too, recursively.
@compiled(inline=True)
def _mark_reasons(state, count):
    """Mark the reasons of the queued variables, and recursively of all variables in these reasons.

    `count` is the length of the queue.
    """
    head = 0
    while head < count:
        reason = state.reasons[state.queue[head]]
        head += 1
        state.is_marked[reason] = 1
        for i in range(state.starts[reason], state.starts[reason + 1]):
            variable = state.literals[i] >> 1
            if not state.is_needed[state.reasons[variable]]:
                state.is_needed[state.reasons[variable]] = 1
                state.queue[count] = variable
                count += 1


# RUP (reverse unit propagation, Goldberg and Novikov 2003). A lemma follows if unit propagation of
# its negation and of the clauses before it leads to a conflict. If one of its literals is already
# true at the root, this literal implies the lemma.
@compiled(inline=True)
def _check_lemma(state, lemma):
    """Append the step of a lemma. Returns whether the lemma follows from the clauses before it."""
    root = state.numbers[TRAIL_LENGTH]
    _emit(state, lemma)
    for i in range(state.starts[lemma], state.starts[lemma + 1]):
        literal = state.literals[i]
        variable = literal >> 1
        if state.values[literal] == _TRUE:
            _backtrack(state, root)
            return _check_satisfied_lemma(state, variable)
        if state.values[literal] != _FALSE:
            _assign(state, literal ^ 1, NULL)
    falsified = _propagate(state, root, lemma)
    if falsified != NULL:
        for i in range(state.starts[lemma], state.starts[lemma + 1]):
            state.roles[state.literals[i] >> 1] = _ASSUMED
        _analyse_conflict(state, falsified, root)
        for i in range(state.starts[lemma], state.starts[lemma + 1]):
            state.roles[state.literals[i] >> 1] = 0
        _emit(state, len(state.is_marked))
    _backtrack(state, root)
    return falsified != NULL


# The unit clause of a literal that is true at the root has a step of its own or is in the formula.
# With this clause as its only hint, the lemma follows: its negation falsifies the hint.
@compiled(inline=True)
def _check_satisfied_lemma(state, variable):
    """Append the step of a lemma that contains the true literal of `variable`.

    Returns False if this literal is not true at the root. The negation of the lemma has then
    assumed the literal, so the lemma is a tautology.
    """
    if state.values[2 * variable] == 0:
        return False
    _emit_unit_clause(state, variable)
    _emit(state, len(state.is_marked))
    if not state.is_needed[state.reasons[variable]]:
        state.is_needed[state.reasons[variable]] = 1
        state.queue[0] = variable
        _mark_reasons(state, 1)
    return True


# The step of a needed root literal. Its hints are the unit clauses that falsify the other literals
# of its reason, then the reason itself. Steps are output from the last to the first, so this step
# will come before all steps that need the literal.
@compiled(inline=True)
def _unassign_last(state):
    """Remove the last literal from the trail, and append its step if it is needed."""
    literal = state.trail[state.numbers[TRAIL_LENGTH] - 1]
    reason = state.reasons[literal >> 1]
    if state.is_needed[reason]:
        state.is_needed[reason] = 0
        if _has_own_step(state, reason):
            _emit(state, ~literal)
            for i in range(state.starts[reason], state.starts[reason + 1]):
                if state.literals[i] != literal:
                    _emit_unit_clause(state, state.literals[i] >> 1)
            _emit(state, reason)
            _emit(state, len(state.is_marked))
    _backtrack(state, state.numbers[TRAIL_LENGTH] - 1)


@compiled(inline=True)
def _start_backward_pass(state, clause, falsified, first_lemma):
    """Start the backward pass: append the step of the empty clause.

    This is the only step if the conflict follows from the clauses before `first_lemma` alone.
    """
    state.numbers[CONFLICT_CLAUSE] = clause
    _emit(state, clause)
    _analyse_conflict(state, falsified, state.numbers[TRAIL_LENGTH] if clause >= first_lemma else 0)
    _emit(state, len(state.is_marked))


# The forward pass adds clauses until one is falsified. The backward pass removes literals until the
# trail is as short as before the last lemma was added, removes the lemma, and checks it if it is
# marked. All checked lemmas together are a refutation (backward checking, Goldberg and Novikov
# 2003).
@compiled(inline=True)
def trim(state, first_lemma, max_output, max_visits):
    """Continue trimming, for about `max_visits` visits of clauses.

    Returns INTERRUPTED, TRIMMED, REJECTED, or HAS_OUTPUT if `output` has at least `max_output`
    numbers. The clauses from index `first_lemma` on are the lemmas.
    """
    state.numbers[VISITS] = 0
    while state.numbers[VISITS] < max_visits:
        state.numbers[VISITS] += 1
        clause = state.numbers[NEXT_CLAUSE]
        if state.numbers[CONFLICT_CLAUSE] == NULL:
            if clause == len(state.is_marked):
                return REJECTED
            falsified = _add_clause(state, clause)
            state.numbers[NEXT_CLAUSE] += 1
            if falsified != NULL:
                _start_backward_pass(state, clause, falsified, first_lemma)
        elif state.numbers[TRAIL_LENGTH] > (
            state.trail_before[clause - 1] if clause > first_lemma else 0
        ):
            _unassign_last(state)
        elif clause <= first_lemma:
            return TRIMMED
        else:
            state.numbers[NEXT_CLAUSE] -= 1
            if state.is_marked[clause - 1] and not _check_lemma(state, clause - 1):
                return REJECTED
        if state.numbers[OUTPUT_LENGTH] >= max_output:
            return HAS_OUTPUT
    return INTERRUPTED
