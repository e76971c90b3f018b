"""The state of the trimmer: clauses that are watched, and a trail, in arrays or lists.

`kernel.py` has what works on it; here is only what can be had without numba and numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

NOTHING = -1
"""No clause, no variable, the end of a list."""

OTHERS, MARKED = 0, 1
"""The two lists of clauses that watch a literal; those in the second are propagated first."""

PLACE, CONFLICT, TRAIL, PICKED, VISITS = range(5)
"""In `numbers`: the clause that is added or checked next, the last that was added when propagation
failed or NOTHING, literals on the trail, numbers in `picked`, and clauses that were looked at in
this step."""

UNFINISHED, WRITTEN, TRIMMED, FAILED = range(4)
"""What a step returns. WRITTEN: `picked` has to be read and emptied. TRIMMED: the same, and there
is no more. FAILED: there is no refutation, or the lemma at `PLACE` does not follow."""


class State(NamedTuple):
    """The state of one trimming; `new_state` makes one, in which nothing is done.

    Literals are numbers: 2·v is the variable v, from 0, and 2·v + 1 its negation.

    literals: (L,) of all clauses, one clause after another; those watched come first in each.
    starts: (C + 1,) where they begin. before: (C,) literals on the trail before each was added.
    marked: (C,) whether each is needed. is_picked: (C,) whether the literal that each makes true
    is needed. picked: (C + 2,) steps of the refutation, the last one first: a clause, then all that
    it follows from, then C. There a negative number stands for a clause that holds just one
    literal, its complement in bits. following, blockers: (2·C,) of the place 2·c + k, which stands
    for the literal k of clause c: the next place that watches the same, and another literal of the
    clause. heads: (4·V,) where the two lists of a literal begin. values: (2·V,) 1 for true, -1 for
    false. trail (V,), with the positions (V,) of variables on it, and reasons (V,): the clause
    that made a variable's literal true, or NOTHING. seen, touched: (V,) are for marking.
    numbers: see above.
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


def new_state(
    literals: Any, starts: Any, variables: int, filled: Callable[[int, int, str], Any]
) -> State:
    """A state for clauses of these literals, up to so many variables.

    `filled` makes an array or a list: of so many numbers, all the same, of a kind as in `struct`.
    """
    clauses = len(starts) - 1
    numbers = filled(5, 0, "q")
    numbers[CONFLICT] = NOTHING
    return State(
        literals,
        starts,
        filled(clauses, 0, "i"),
        filled(clauses, 0, "B"),
        filled(clauses, 0, "B"),
        filled(clauses + 2, 0, "i"),
        filled(2 * clauses, 0, "i"),
        filled(2 * clauses, 0, "i"),
        filled(4 * variables, NOTHING, "i"),
        filled(2 * variables, 0, "b"),
        filled(variables, 0, "i"),
        filled(variables, 0, "i"),
        filled(variables, 0, "i"),
        filled(variables, 0, "B"),
        filled(variables, 0, "i"),
        numbers,
    )
