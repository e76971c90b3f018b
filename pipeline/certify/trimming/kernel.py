"""Which clauses and lemmas a refutation needs, compiled.

First the clauses of the formula are added and then the lemmas, one by one, and what follows from
them by unit propagation, until a clause fails. Then, from the last lemma to the first, each one is
taken away with all that had followed from it; and if it was needed, it is checked, and what it
follows from is needed too (E. Goldberg, Y. Novikov, 2003). Clauses that are known to be needed are
propagated before others, so that few more are (M. Heule, W. Hunt, N. Wetzler, drat-trim, 2013).
"""

from __future__ import annotations

from pipeline.certify.trimming.state import (
    CHECKED,
    CONFLICT,
    FAILED,
    MARKED,
    NOTHING,
    OTHERS,
    PART,
    PICKED,
    PLACE,
    TRAIL,
    TRIMMED,
    UNFINISHED,
    VISITS,
)
from pipeline.native import compiled

_TRUE, _FALSE = 1, -1


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
        t.seen[literal >> 1] = 0
    t.numbers[TRAIL] = min(size, t.numbers[TRAIL])


@compiled(inline=True)
def _link(t, kind, literal, place):
    t.following[place] = t.heads[kind, literal]
    t.heads[kind, literal] = place


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
    last, place = NOTHING, t.heads[kind, literal]
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
                t.heads[kind, literal] = following
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
def _need(t, clause, count):
    """Mark and pick a clause, and touch its variables; how many are touched now."""
    t.marked[clause] = 1
    if not t.is_picked[clause]:
        t.is_picked[clause] = 1
        t.picked[t.numbers[PICKED]] = clause
        t.numbers[PICKED] += 1
    for at in range(t.starts[clause], t.starts[clause + 1]):
        variable = t.literals[at] >> 1
        if not t.seen[variable]:
            t.seen[variable] = 1
            t.touched[count] = variable
            count += 1
    return count


@compiled(inline=True)
def _mark(t, failing, variable, root):
    """Mark a clause that fails, or the reason of a variable, and all that made them so.

    For the first `root` literals of the trail that is done once in a part.
    """
    count = 0
    if failing != NOTHING:
        count = _need(t, failing, count)
    elif not t.seen[variable]:
        t.seen[variable] = 1
        t.touched[0] = variable
        count = 1
    done = 0
    while done < count:
        reason = t.reasons[t.touched[done]]
        done += 1
        if reason != NOTHING:
            count = _need(t, reason, count)
    for each in range(count):
        if t.positions[t.touched[each]] >= root:
            t.seen[t.touched[each]] = 0


@compiled(inline=True)
def _follows(t, lemma):
    """Whether a lemma follows from those before it; if so, what it follows from is marked."""
    root = t.numbers[TRAIL]
    failing = variable = NOTHING
    for at in range(t.starts[lemma], t.starts[lemma + 1]):
        literal = t.literals[at]
        if t.values[literal] == _TRUE:
            variable = literal >> 1
            break
        if t.values[literal] != _FALSE:
            _assign(t, literal ^ 1, NOTHING)
    if variable == NOTHING:
        failing = _propagate(t, root, lemma)
    follows = failing != NOTHING or variable != NOTHING
    if follows:
        _mark(t, failing, variable, root)
    _undo(t, root)
    return follows


@compiled(inline=True)
def _begin(t):
    """Begin a part, for which nothing is picked."""
    for each in range(t.numbers[PICKED]):
        t.is_picked[t.picked[each]] = 0
    for position in range(t.numbers[TRAIL]):
        t.seen[t.trail[position] >> 1] = 0
    t.numbers[PICKED] = t.numbers[CHECKED] = 0


@compiled(inline=True)
def _check(t, clause):
    """Take a lemma away, and check it if it is needed; whether it follows then."""
    _undo(t, t.before[clause])
    t.numbers[PLACE] = clause
    if t.marked[clause]:
        t.numbers[CHECKED] += 1
        return _follows(t, clause)
    return True


@compiled(inline=True)
def trim(t, lemmas, most, visits):
    """Go on until so many clauses were looked at, or a bit more; what is found: see `PART`.

    Clauses from `lemmas` on are lemmas; of these `most` make a part. Those that are marked before
    are needed anyway.
    """
    t.numbers[VISITS] = 0
    if t.numbers[CHECKED] >= most:
        _begin(t)
    while t.numbers[VISITS] < visits:
        t.numbers[VISITS] += 1
        if t.numbers[CONFLICT] == NOTHING:
            clause = t.numbers[PLACE]
            if clause == len(t.marked):
                return FAILED
            failing = _add(t, clause)
            t.numbers[PLACE] += 1
            if failing != NOTHING:
                _mark(t, failing, NOTHING, t.numbers[TRAIL])
                t.numbers[CONFLICT] = clause
        else:
            if t.numbers[PLACE] <= lemmas:
                return TRIMMED
            if not _check(t, t.numbers[PLACE] - 1):
                return FAILED
            if t.numbers[CHECKED] >= most:
                return PART
    return UNFINISHED
