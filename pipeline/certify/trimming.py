"""Which lemmas a refutation needs, and which clauses each of them follows from, in which order.

First the clauses of the formula are added and then the lemmas, one by one, with unit propagation,
until a clause fails. Then, from the last lemma to the first, each one is taken away with all that
had followed from it. A needed lemma is checked; the clauses it follows from are needed too
(E. Goldberg, Y. Novikov, 2003). Clauses that are known to be needed are propagated before others,
so that few more become needed (M. Heule, W. Hunt, N. Wetzler, drat-trim, 2013).

A literal that follows from all clauses before a lemma, not from its negation alone, becomes a
step of its own if it is needed. So its own reasons are named once, not by each lemma.

These functions work on arrays as machine code, and on lists as plain Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pipeline.native import compiled

NOTHING = -1
"""No clause, no variable, the end of a list."""

OTHERS, MARKED = 0, 1
"""The two lists of clauses that watch a literal; those in the second are propagated first."""

PLACE, CONFLICT, TRAIL, PICKED, VISITS = range(5)
"""Places in `numbers`: the clause to add or check next; the last one added when propagation failed,
or NOTHING; the literals on the trail; the numbers in `picked`; the clauses visited in this step."""

UNFINISHED, WRITTEN, TRIMMED, FAILED = range(4)
"""What a step returns. WRITTEN: `picked` has to be read and emptied. TRIMMED: the same, and there
is no more. FAILED: there is no refutation, or the lemma at `PLACE` does not follow."""


class State(NamedTuple):
    """The state of one trimming, in arrays or lists.

    Literals are numbers: 2·v is the variable v, from 0, and 2·v + 1 its negation.

    literals: (L,) of all clauses, one clause after another; those watched come first in each.
    starts: (C + 1,) where they begin. before: (C,) literals on the trail before each was added.
    marked: (C,) whether each is needed. is_picked: (C,) whether the literal that each makes true
    is needed. picked: (C + 2,) steps of the refutation, the last one first: a clause, then its
    hints, then C. A negative number stands for the unit clause of the literal that is its
    complement in bits. following, blockers: (2·C,) for the place 2·c + k, the literal k of clause
    c: the next place that watches the same literal, and another literal of the clause. heads:
    (4·V,) where the two lists of a literal begin. values: (2·V,) 1 for true, -1 for false. trail:
    (V,). positions: (V,) of variables on it. reasons: (V,) the clause that made a variable's
    literal true, or NOTHING. seen, touched: (V,) for marking.
    """

    literals: Any
    starts: Any
    before: Any
    marked: Any
    is_picked: Any
    picked: Any
    following: Any
    blockers: Any
    heads: Any
    values: Any
    trail: Any
    positions: Any
    reasons: Any
    seen: Any
    touched: Any
    numbers: Any


_TRUE, _FALSE = 1, -1
_TOUCHED, _FIRST_NEEDED, _ASSUMED = 1, 2, 3


@compiled(inline=True)
def _assign(t, literal, reason):
    """Make a literal true."""
    size, variable = t.numbers[TRAIL], literal >> 1
    t.values[literal], t.values[literal ^ 1] = _TRUE, _FALSE
    t.trail[size] = literal
    t.positions[variable] = size
    t.reasons[variable] = reason
    t.numbers[TRAIL] = size + 1


@compiled(inline=True)
def _undo(t, size):
    """Leave so many literals on the trail."""
    for position in range(size, t.numbers[TRAIL]):
        literal = t.trail[position]
        t.values[literal] = t.values[literal ^ 1] = 0
    t.numbers[TRAIL] = min(size, t.numbers[TRAIL])


@compiled(inline=True)
def _link(t, kind, literal, place):
    t.following[place] = t.heads[2 * literal + kind]
    t.heads[2 * literal + kind] = place


@compiled(inline=True)
def _moved(t, place, other):
    """Watch another literal of a clause, which is not false; whether there is one."""
    clause = place >> 1
    start = t.starts[clause]
    watched = start + (place & 1)
    for at in range(start + 2, t.starts[clause + 1]):
        literal = t.literals[at]
        if t.values[literal] != _FALSE:
            t.literals[at], t.literals[watched] = t.literals[watched], literal
            t.blockers[place] = other
            _link(t, t.marked[clause], literal, place)
            return True
    return False


@compiled(inline=True)
def _visit(t, kind, literal, end):
    """Look at a list of those that watch a literal that is false; give one that fails, or NOTHING.

    Clauses from `end` on are gone.
    """
    last, place = NOTHING, t.heads[2 * literal + kind]
    while place != NOTHING:
        t.numbers[VISITS] += 1
        following, clause = t.following[place], place >> 1
        stays = clause < end
        if stays and t.values[t.blockers[place]] != _TRUE:
            other = t.literals[t.starts[clause] + 1 - (place & 1)]
            if t.values[other] == _TRUE:
                t.blockers[place] = other
            elif _moved(t, place, other):
                stays = False
            elif t.values[other] == _FALSE:
                return clause
            else:
                _assign(t, other, clause)
        if stays and t.marked[clause] == kind:
            last = place
        else:
            if last == NOTHING:
                t.heads[2 * literal + kind] = following
            else:
                t.following[last] = following
            if stays:
                _link(t, MARKED, literal, place)
        place = following
    return NOTHING


@compiled(inline=True)
def _propagate(t, start, end):
    """Propagate the literals of the trail from `start` on; give a clause that fails, or NOTHING."""
    first = then = start
    while then < t.numbers[TRAIL]:
        if first < t.numbers[TRAIL]:
            failing = _visit(t, MARKED, t.trail[first] ^ 1, end)
            first += 1
        else:
            failing = _visit(t, OTHERS, t.trail[then] ^ 1, end)
            then += 1
        if failing != NOTHING:
            return failing
    return NOTHING


@compiled(inline=True)
def _add(t, clause):
    """Add a clause and propagate it, if it has at most one literal left.

    Gives a clause that fails, or NOTHING.
    """
    t.before[clause] = t.numbers[TRAIL]
    start, end = t.starts[clause], t.starts[clause + 1]
    kept = start
    for at in range(start, end):
        literal = t.literals[at]
        if t.values[literal] != _FALSE:
            t.literals[at], t.literals[kept] = t.literals[kept], literal
            kept += 1
            if kept == start + 2:
                break
    if end > start + 1:
        for k in range(2):
            t.blockers[2 * clause + k] = t.literals[start + 1 - k]
            _link(t, t.marked[clause], t.literals[start + k], 2 * clause + k)
    if kept == start:
        return clause
    if kept == start + 1 and t.values[t.literals[start]] != _TRUE:
        _assign(t, t.literals[start], clause)
        return _propagate(t, t.before[clause], clause + 1)
    return NOTHING


@compiled(inline=True)
def _write(t, number):
    """Write a number behind the others: see `State`."""
    t.picked[t.numbers[PICKED]] = number
    t.numbers[PICKED] += 1


@compiled(inline=True)
def _has_step(t, reason):
    """Whether the literal that a clause makes true has a step of its own, if it is needed."""
    return t.starts[reason + 1] - t.starts[reason] > 1


@compiled(inline=True)
def _write_literal(t, variable):
    """Write the step that says which value a variable has at the root: a clause, or its own."""
    reason = t.reasons[variable]
    _write(t, ~t.trail[t.positions[variable]] if _has_step(t, reason) else reason)


@compiled(inline=True)
def _touch(t, clause, count, root):
    """Touch the variables of a clause, each once, and need the clause; how many are touched now.

    The value of a variable that is among the first `root` of the trail is written.
    """
    t.marked[clause] = 1
    for at in range(t.starts[clause], t.starts[clause + 1]):
        variable = t.literals[at] >> 1
        if t.seen[variable]:
            continue
        t.seen[variable] = _TOUCHED
        t.touched[count] = variable
        count += 1
        if t.positions[variable] < root:
            _write_literal(t, variable)
            reason = t.reasons[variable]
            if not t.is_picked[reason]:
                t.is_picked[reason] = 1
                t.seen[variable] = _FIRST_NEEDED
    return count


@compiled(inline=True)
def _mark(t, failing, root):
    """Write what makes a clause fail: values at the root, then reasons in their order, then it."""
    count, done = _touch(t, failing, 0, root), 0
    while done < count:
        variable = t.touched[done]
        done += 1
        if t.positions[variable] >= root and t.reasons[variable] != NOTHING:
            count = _touch(t, t.reasons[variable], count, root)
    for position in range(root, t.numbers[TRAIL]):
        variable = t.trail[position] >> 1
        if t.seen[variable] == _TOUCHED and t.reasons[variable] != NOTHING:
            _write(t, t.reasons[variable])
    _write(t, failing)
    first = 0
    for each in range(count):
        variable = t.touched[each]
        if t.seen[variable] == _FIRST_NEEDED:
            t.touched[first] = variable
            first += 1
        t.seen[variable] = 0
    _need(t, first)


@compiled(inline=True)
def _need(t, count):
    """Need the reasons of the variables that are touched, and the reasons of what these name."""
    done = 0
    while done < count:
        reason = t.reasons[t.touched[done]]
        done += 1
        t.marked[reason] = 1
        for at in range(t.starts[reason], t.starts[reason + 1]):
            variable = t.literals[at] >> 1
            if not t.is_picked[t.reasons[variable]]:
                t.is_picked[t.reasons[variable]] = 1
                t.touched[count] = variable
                count += 1


@compiled(inline=True)
def _follows(t, lemma):
    """Whether a lemma follows from those before it; if so, its step is written."""
    root = t.numbers[TRAIL]
    _write(t, lemma)
    for at in range(t.starts[lemma], t.starts[lemma + 1]):
        literal = t.literals[at]
        variable = literal >> 1
        if t.values[literal] == _TRUE:
            _undo(t, root)
            return _repeats(t, variable)
        if t.values[literal] != _FALSE:
            _assign(t, literal ^ 1, NOTHING)
    failing = _propagate(t, root, lemma)
    if failing != NOTHING:
        for at in range(t.starts[lemma], t.starts[lemma + 1]):
            t.seen[t.literals[at] >> 1] = _ASSUMED
        _mark(t, failing, root)
        for at in range(t.starts[lemma], t.starts[lemma + 1]):
            t.seen[t.literals[at] >> 1] = 0
        _write(t, len(t.marked))
    _undo(t, root)
    return failing != NOTHING


@compiled(inline=True)
def _repeats(t, variable):
    """Write that a lemma holds a literal that is true at the root; whether it is."""
    if t.values[2 * variable] == 0:  # else it is in the lemma, and its negation too
        return False
    _write_literal(t, variable)
    _write(t, len(t.marked))
    if not t.is_picked[t.reasons[variable]]:
        t.is_picked[t.reasons[variable]] = 1
        t.touched[0] = variable
        _need(t, 1)
    return True


@compiled(inline=True)
def _take_back(t):
    """Take the last literal from the trail, and write its step if it needs one."""
    literal = t.trail[t.numbers[TRAIL] - 1]
    reason = t.reasons[literal >> 1]
    if t.is_picked[reason]:
        t.is_picked[reason] = 0
        if _has_step(t, reason):
            _write(t, ~literal)
            for at in range(t.starts[reason], t.starts[reason + 1]):
                if t.literals[at] != literal:
                    _write_literal(t, t.literals[at] >> 1)
            _write(t, reason)
            _write(t, len(t.marked))
    _undo(t, t.numbers[TRAIL] - 1)


@compiled(inline=True)
def _conflict(t, clause, failing, lemmas):
    """Write the step of the empty clause. If there are no lemmas, nothing else is written."""
    t.numbers[CONFLICT] = clause
    _write(t, clause)
    _mark(t, failing, t.numbers[TRAIL] if clause >= lemmas else 0)
    _write(t, len(t.marked))


@compiled(inline=True)
def trim(t, lemmas, most, visits):
    """Go on until so many clauses were looked at, or a bit more; what is found: see `WRITTEN`.

    Clauses from `lemmas` on are lemmas. It returns once `most` numbers are written, or more.
    """
    t.numbers[VISITS] = 0
    while t.numbers[VISITS] < visits:
        t.numbers[VISITS] += 1
        place = t.numbers[PLACE]
        if t.numbers[CONFLICT] == NOTHING:
            if place == len(t.marked):
                return FAILED
            failing = _add(t, place)
            t.numbers[PLACE] += 1
            if failing != NOTHING:
                _conflict(t, place, failing, lemmas)
        elif t.numbers[TRAIL] > (t.before[place - 1] if place > lemmas else 0):
            _take_back(t)
        elif place <= lemmas:
            return TRIMMED
        else:
            t.numbers[PLACE] -= 1
            if t.marked[place - 1] and not _follows(t, place - 1):
                return FAILED
        if t.numbers[PICKED] >= most:
            return WRITTEN
    return UNFINISHED
