"""The state of the trimmer: clauses that are watched, and a trail, in arrays.

`kernel.py` compiles what works on it; here is only what can be had without numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NOTHING = -1
"""No clause, no variable, the end of a list."""

OTHERS, MARKED = 0, 1
"""The two lists of clauses that watch a literal; those in the second are propagated first."""

PLACE, CONFLICT, TRAIL, PICKED, CHECKED, VISITS = range(6)
"""In `numbers`: the clause that is added or checked next, the last that was added when propagation
failed or NOTHING, literals on the trail, clauses that are picked for a part and lemmas that were
checked in it, and clauses that were looked at in this step."""

UNFINISHED, PART, TRIMMED, FAILED = range(4)
"""What a step returns. PART: what is picked suffices for the lemmas from `PLACE` on, up to the part
before. TRIMMED: the same, and there are no more. FAILED: there is no refutation, or something in
it does not follow."""


class State(NamedTuple):
    """The state of one trimming; `new_state` makes one, in which nothing is done.

    Literals are numbers: 2·v is the variable v, from 0, and 2·v + 1 its negation.

    literals: (L,) of all clauses, one clause after another; those watched come first in each.
    starts: (C + 1,) where they begin. before: (C,) literals on the trail before each was added.
    marked: (C,) whether each is needed. is_picked, picked: (C,) those needed for a part.
    following, blockers: (2·C,) of the place 2·c + k, which stands for the literal k of clause c:
    the next place that watches the same, and another literal of the clause. heads: (2, 2·V) where
    the two lists of a literal begin. values: (2·V,) 1 for true, -1 for false. trail (V,), with the
    positions (V,) of variables on it, and reasons (V,): the clause that made a variable's literal
    true, or NOTHING. seen, touched: (V,) are for marking. numbers: see above.
    """

    literals: NDArray[np.int32]
    starts: NDArray[np.int64]
    before: NDArray[np.int32]
    marked: NDArray[np.uint8]
    is_picked: NDArray[np.uint8]
    picked: NDArray[np.int32]
    following: NDArray[np.int32]
    blockers: NDArray[np.int32]
    heads: NDArray[np.int32]
    values: NDArray[np.int8]
    trail: NDArray[np.int32]
    positions: NDArray[np.int32]
    reasons: NDArray[np.int32]
    seen: NDArray[np.uint8]
    touched: NDArray[np.int32]
    numbers: NDArray[np.int64]


def new_state(literals: NDArray[np.int32], sizes: NDArray[np.int64], variables: int) -> State:
    """A state for clauses of such sizes, their literals as in DIMACS, up to so many variables.

    Raises ValueError for other literals, or sizes of which they are not the sum.
    """
    named = np.abs(literals)
    is_named = not len(named) or 1 <= named.min() <= named.max() <= variables
    if not is_named or sizes.sum() != len(literals) or (sizes < 0).any():
        raise ValueError(f"{len(literals)} literals of {variables} variables, {len(sizes)} clauses")
    clauses = len(sizes)
    starts = np.zeros(clauses + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    numbers = np.zeros(6, np.int64)
    numbers[CONFLICT] = NOTHING
    return State(
        2 * (named - 1) + (literals < 0),
        starts,
        np.zeros(clauses, np.int32),
        np.zeros(clauses, np.uint8),
        np.zeros(clauses, np.uint8),
        np.zeros(clauses, np.int32),
        np.zeros(2 * clauses, np.int32),
        np.zeros(2 * clauses, np.int32),
        np.full((2, 2 * variables), NOTHING, np.int32),
        np.zeros(2 * variables, np.int8),
        np.zeros(variables, np.int32),
        np.zeros(variables, np.int32),
        np.zeros(variables, np.int32),
        np.zeros(variables, np.uint8),
        np.zeros(variables, np.int32),
        numbers,
    )
