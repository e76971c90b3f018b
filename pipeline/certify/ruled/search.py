"""A depth-first search for all solutions, by propagation and branches on a value of a cell.

It prefers cells with few values that were often in constraints that failed, because the trouble is
there (F. Boussemart et al., Boosting systematic search by weighting constraints, 2004), and values
with two places left in a unit. Until it has found a solution it begins anew now and then, because
the first branches were chosen when little was known of the trouble. `layout` says what `w` and `d`
are.
"""

from __future__ import annotations

from pipeline.certify.ruled import layout as L
from pipeline.certify.ruled.cells import keep, number, wake
from pipeline.certify.ruled.propagation import forget, propagate
from pipeline.native import compiled

_BLAME, _HALVED = 8.0, 1024
"""What a failure adds to the cells of its constraint together; failures after which all is halved:
older ones count less."""


@compiled()
def _begin(w, d):
    for constraint in range(d[L.CONSTRAINTS]):
        wake(w, d, constraint)
    for cell in range(d[L.SIZE]):
        mask = w[L.CELLS + cell]
        if mask & (mask - 1) == 0:
            w[d[L.STACK] + w[L.FIXED]] = cell
            w[L.FIXED] += 1


@compiled()
def _weigh(w, d, weights):
    """Note a failure: at the cells to blame, and at the cell of the last branch."""
    if w[L.BLAMED] < 0:
        weights[~w[L.BLAMED]] += 1.0
    else:
        place = d[d[L.PLACES] + w[L.BLAMED]]
        length = d[place + L.LENGTH]
        for at in range(place + L.SCOPE, place + L.SCOPE + length):
            weights[d[at]] += _BLAME / length
    if w[L.DEPTH]:
        weights[w[d[L.CHOSEN] + 2 * w[L.DEPTH] - 2]] += 1.0
    w[L.FAILURES] += 1
    if w[L.FAILURES] % _HALVED == 0:
        for cell in range(d[L.SIZE]):
            weights[cell] = max(1.0, weights[cell] / 2)


@compiled()
def _choice(w, d, weights):
    """The cell and the bit to branch on; NOTHING if each cell has one value."""
    chosen, bit, least = L.NOTHING, 0, 1e300
    for cell in range(d[L.SIZE]):
        mask = w[L.CELLS + cell]
        if mask & (mask - 1):
            score = number(d, mask) / weights[cell]
            if score < least:
                chosen, bit, least = cell, mask & -mask, score
    if chosen == L.NOTHING or number(d, w[L.CELLS + chosen]) == 2:
        return chosen, bit
    for unit in range(d[L.UNITS]):
        place = d[d[L.PLACES] + unit]
        once = twice = thrice = 0
        first, end = place + L.SCOPE, place + L.SCOPE + d[place + L.LENGTH]
        for at in range(first, end):
            mask = w[L.CELLS + d[at]]
            thrice |= twice & mask
            twice |= once & mask
            once |= mask
        in_two = twice & ~thrice
        if in_two:
            for at in range(first, end):
                mask = w[L.CELLS + d[at]] & in_two
                if mask and 2 / weights[d[at]] < least:
                    chosen, bit, least = d[at], mask & -mask, 2 / weights[d[at]]
    return chosen, bit


@compiled()
def _branch(w, d, cell, bit):
    depth = w[L.DEPTH]
    w[L.DEPTH] = depth + 1
    saved = d[L.SAVED] + depth * d[L.SIZE]
    for each in range(d[L.SIZE]):
        w[saved + each] = w[L.CELLS + each]
    w[d[L.CHOSEN] + 2 * depth] = cell
    w[d[L.CHOSEN] + 2 * depth + 1] = bit
    keep(w, d, cell, bit)


@compiled()
def _go_back(w, d):
    """Undo the last branch, and strike what it had tried."""
    depth = w[L.DEPTH] - 1
    w[L.DEPTH] = depth
    forget(w, d)
    saved = d[L.SAVED] + depth * d[L.SIZE]
    for each in range(d[L.SIZE]):
        w[L.CELLS + each] = w[saved + each]
    keep(w, d, w[d[L.CHOSEN] + 2 * depth], ~w[d[L.CHOSEN] + 2 * depth + 1])


@compiled()
def _begin_anew(w, d):
    """Undo all branches; what is struck for good, and the weights, stay.

    The next time is after twice as many failures, so that all of the search is done at last.
    """
    w[L.RESTART] = 2 * w[L.RESTART]
    w[L.DEPTH] = 0
    forget(w, d)
    for each in range(d[L.SIZE]):
        w[L.CELLS + each] = w[d[L.SAVED] + each]


@compiled()
def search(w, d, weights, nodes):
    """Go on to the next solution, for so many branches at most; see `layout` for what it returns.

    weights: (cells,) of float, at least 1: how much each cell is preferred.
    """
    last = w[L.NODES] + nodes
    if w[L.PHASE] == L.BEGIN:
        _begin(w, d)
        w[L.PHASE] = L.FORWARD
    while True:
        if w[L.PHASE] == L.BACK:
            if not w[L.DEPTH]:
                return L.COMPLETE
            _go_back(w, d)
            w[L.PHASE] = L.FORWARD
        if not propagate(w, d):
            _weigh(w, d, weights)
            if w[L.FAILURES] == w[L.RESTART] and w[L.DEPTH]:
                _begin_anew(w, d)
            else:
                w[L.PHASE] = L.BACK
            continue
        cell, bit = _choice(w, d, weights)
        if cell == L.NOTHING:
            w[L.PHASE] = L.BACK
            w[L.RESTART] = L.NOTHING
            return L.FOUND
        if w[L.NODES] >= last:
            return L.UNFINISHED
        w[L.NODES] += 1
        _branch(w, d, cell, bit)
