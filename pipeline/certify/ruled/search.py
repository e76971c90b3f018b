"""A depth-first search for all solutions, by propagation and branches on a value of a cell.

It prefers cells with few values that were often in constraints that failed, because the trouble is
there (F. Boussemart et al., Boosting systematic search by weighting constraints, 2004), and values
with two places left in a unit. Until it has found a solution it begins anew now and then, because
the first branches were chosen when little was known of the trouble. `layout` says what `w` and `d`
are.
"""

from __future__ import annotations

from pipeline.certify.ruled.cells import keep, number, wake
from pipeline.certify.ruled.layout import (
    BACK,
    BEGIN,
    BLAMED,
    CELLS,
    CHOSEN,
    COMPLETE,
    CONSTRAINTS,
    DEPTH,
    FAILURES,
    FIXED,
    FORWARD,
    FOUND,
    LENGTH,
    NODES,
    NOTHING,
    PHASE,
    PLACES,
    RESTART,
    SAVED,
    SCOPE,
    SIZE,
    STACK,
    UNFINISHED,
    UNITS,
)
from pipeline.certify.ruled.propagation import forget, propagate
from pipeline.native import compiled

_BLAME, _HALVED = 8.0, 1024
"""What a failure adds to the cells of its constraint together; failures after which all is halved:
older ones count less."""


@compiled()
def _begin(w, d):
    for constraint in range(d[CONSTRAINTS]):
        wake(w, d, constraint)
    for cell in range(d[SIZE]):
        mask = w[CELLS + cell]
        if mask & (mask - 1) == 0:
            w[d[STACK] + w[FIXED]] = cell
            w[FIXED] += 1


@compiled()
def _weigh(w, d, weights):
    """Note a failure: at the cells to blame, and at the cell of the last branch."""
    if w[BLAMED] < 0:
        weights[~w[BLAMED]] += 1.0
    else:
        place = d[d[PLACES] + w[BLAMED]]
        length = d[place + LENGTH]
        for at in range(place + SCOPE, place + SCOPE + length):
            weights[d[at]] += _BLAME / length
    if w[DEPTH]:
        weights[w[d[CHOSEN] + 2 * w[DEPTH] - 2]] += 1.0
    w[FAILURES] += 1
    if w[FAILURES] % _HALVED == 0:
        for cell in range(d[SIZE]):
            weights[cell] = max(1.0, weights[cell] / 2)


@compiled()
def _choice(w, d, weights):
    """The cell and the bit to branch on; NOTHING if each cell has one value."""
    chosen, bit, least = NOTHING, 0, 1e300
    for cell in range(d[SIZE]):
        mask = w[CELLS + cell]
        if mask & (mask - 1):
            score = number(d, mask) / weights[cell]
            if score < least:
                chosen, bit, least = cell, mask & -mask, score
    if chosen == NOTHING or number(d, w[CELLS + chosen]) == 2:
        return chosen, bit
    for unit in range(d[UNITS]):
        place = d[d[PLACES] + unit]
        once = twice = thrice = 0
        first, end = place + SCOPE, place + SCOPE + d[place + LENGTH]
        for at in range(first, end):
            mask = w[CELLS + d[at]]
            thrice |= twice & mask
            twice |= once & mask
            once |= mask
        in_two = twice & ~thrice
        if in_two:
            for at in range(first, end):
                mask = w[CELLS + d[at]] & in_two
                if mask and 2 / weights[d[at]] < least:
                    chosen, bit, least = d[at], mask & -mask, 2 / weights[d[at]]
    return chosen, bit


@compiled()
def _branch(w, d, cell, bit):
    depth = w[DEPTH]
    w[DEPTH] = depth + 1
    saved = d[SAVED] + depth * d[SIZE]
    for each in range(d[SIZE]):
        w[saved + each] = w[CELLS + each]
    w[d[CHOSEN] + 2 * depth] = cell
    w[d[CHOSEN] + 2 * depth + 1] = bit
    keep(w, d, cell, bit)


@compiled()
def _go_back(w, d):
    """Undo the last branch, and strike what it had tried."""
    depth = w[DEPTH] - 1
    w[DEPTH] = depth
    forget(w, d)
    saved = d[SAVED] + depth * d[SIZE]
    for each in range(d[SIZE]):
        w[CELLS + each] = w[saved + each]
    keep(w, d, w[d[CHOSEN] + 2 * depth], ~w[d[CHOSEN] + 2 * depth + 1])


@compiled()
def _begin_anew(w, d):
    """Undo all branches; what is struck for good, and the weights, stay.

    The next time is after twice as many failures, so that all of the search is done at last.
    """
    w[RESTART] = 2 * w[RESTART]
    w[DEPTH] = 0
    forget(w, d)
    for each in range(d[SIZE]):
        w[CELLS + each] = w[d[SAVED] + each]


@compiled()
def search(w, d, weights, nodes):
    """Go on to the next solution, for so many branches at most; see `layout` for what it returns.

    weights: (cells,) of float, at least 1: how much each cell is preferred.
    """
    last = w[NODES] + nodes
    if w[PHASE] == BEGIN:
        _begin(w, d)
        w[PHASE] = FORWARD
    while True:
        if w[PHASE] == BACK:
            if not w[DEPTH]:
                return COMPLETE
            _go_back(w, d)
            w[PHASE] = FORWARD
        if not propagate(w, d):
            _weigh(w, d, weights)
            if w[FAILURES] == w[RESTART] and w[DEPTH]:
                _begin_anew(w, d)
            else:
                w[PHASE] = BACK
            continue
        cell, bit = _choice(w, d, weights)
        if cell == NOTHING:
            w[PHASE] = BACK
            w[RESTART] = NOTHING
            return FOUND
        if w[NODES] >= last:
            return UNFINISHED
        w[NODES] += 1
        _branch(w, d, cell, bit)
