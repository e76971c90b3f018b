"""Shrink a set of assumptions that cannot all hold, by queries about subsets to any engine."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Literal

from pipeline.errors import LimitReached
from pipeline.solving.solvers import Satisfiable

UnsatCore = tuple[list[int], bool]
"""Assumptions that cannot all hold, and whether they are a minimal set."""

CoreAnswer = AbstractSet[int] | Literal["holds", "hard"]
"""The answer to the query whether assumptions can all hold: "holds", "hard" if the query needs more
slices, or a core, which is a set of assumptions that cannot all hold.
"""

CoreQuery = Callable[[Sequence[int], int], CoreAnswer]
"""Answers a query within a number of slices, which are units of work of the engine. Raises
LimitReached.
"""

UNLIMITED = sys.maxsize
"""No limit on slices."""

_FIRST_SLICES = 2
"""Maximum number of slices of the first attempt to leave out an assumption. Each further attempt
may take four times as many.
"""


def shrinking_cores(
    ask: CoreQuery,
    assumptions: Sequence[int],
    max_first_slices: int = UNLIMITED,
    max_slices: int = UNLIMITED,
) -> Iterator[UnsatCore]:
    """Yield smaller and smaller cores, which are sets of assumptions that cannot all hold.

    - `max_first_slices`: yield nothing if the first core needs more slices.
    - `max_slices`: stop before a query would get more slices.

    The cores are deterministic if `ask` is. LimitReached from `ask` ends the sequence. Raises
    Satisfiable if all assumptions can hold.

    The algorithm is deletion with clause-set refinement (J. Marques-Silva and I. Lynce, On
    improving MUS extraction algorithms, 2011). Each assumption is left out in turn. If all others
    can hold, the assumption is needed. Otherwise only the core of the others is kept. An assumption
    whose query is hard is tried again later if it is still in the core.
    """
    with suppress(LimitReached):
        answer = ask(assumptions, max_first_slices)
        if answer == "holds":
            raise Satisfiable("the engine", ())
        if answer == "hard":
            return
        needed: list[int] = []
        untried = [literal for literal in assumptions if literal in answer]
        hard: list[int] = []
        yield [*untried], False
        slices = _FIRST_SLICES
        while untried or hard:
            if not untried:
                untried, hard, slices = hard, [], slices * 4
                if slices > max_slices:
                    return
            candidate = untried.pop()
            answer = ask([*needed, *hard, *untried], slices)
            if answer == "holds":
                needed.append(candidate)
            elif answer == "hard":
                hard.append(candidate)
            else:
                untried = [literal for literal in untried if literal in answer]
                hard = [literal for literal in hard if literal in answer]
                yield [*needed, *hard, *untried], False
        yield needed, True


def shrink_core(
    ask: CoreQuery,
    assumptions: Sequence[int],
    max_first_slices: int = UNLIMITED,
    max_slices: int = UNLIMITED,
) -> UnsatCore | None:
    """The last core of `shrinking_cores`, or None. Raises Satisfiable."""
    last = deque(shrinking_cores(ask, assumptions, max_first_slices, max_slices), maxlen=1)
    return last[0] if last else None
