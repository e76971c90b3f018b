"""Shrink a set of assumptions that cannot all hold, by any engine that can ask subsets."""

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
"""The answer to a query whether assumptions can all hold: some that cannot; "holds" if all can;
"hard" if the query needs more slices."""

CoreQuery = Callable[[Sequence[int], int], CoreAnswer]
"""Answers a query within a number of slices, which are units of work of the engine. Raises
LimitReached."""

MANY = sys.maxsize
"""A number of slices that is no limit."""

_SLICES = 2
"""Maximum number of slices of the first attempt to leave out an assumption. Each further attempt
may take four times as many.
"""


def shrinking_cores(
    ask: CoreQuery, assumptions: Sequence[int], first_slices: int = MANY, max_slices: int = MANY
) -> Iterator[UnsatCore]:
    """Yield smaller and smaller cores, which are sets of assumptions that cannot all hold.

    - `first_slices`: yield nothing if the query for the first core needs more slices.
    - `max_slices`: stop when only queries that need more slices are left.

    If `ask` is deterministic, the cores are, but a limit may end the sequence early. Raises
    Satisfiable if all assumptions can hold.

    The algorithm is deletion with clause-set refinement (J. Marques-Silva and I. Lynce, On
    improving MUS extraction algorithms, 2011). Each assumption is left out in turn. If all others
    can hold, the assumption is needed. Otherwise only the core of the others is kept. An assumption
    whose query is hard is tried again later if it is still in the core.
    """
    with suppress(LimitReached):
        core = ask(assumptions, first_slices)
        if core == "holds":
            raise Satisfiable("the engine", ())
        if core == "hard":
            return
        needed: list[int] = []
        untried = [literal for literal in assumptions if literal in core]
        hard: list[int] = []
        yield [*untried], False
        slices = _SLICES
        while untried or hard:
            if not untried:
                untried, hard, slices = hard, [], slices * 4
                if slices > max_slices:
                    return
            candidate = untried.pop()
            core = ask([*needed, *hard, *untried], slices)
            if core == "holds":
                needed.append(candidate)
            elif core == "hard":
                hard.append(candidate)
            else:
                untried = [literal for literal in untried if literal in core]
                hard = [literal for literal in hard if literal in core]
                yield [*needed, *hard, *untried], False
        yield needed, True


def smallest_core(
    ask: CoreQuery, assumptions: Sequence[int], first_slices: int = MANY, max_slices: int = MANY
) -> UnsatCore | None:
    """The last core of `shrinking_cores`; None if there is none."""
    last = deque(shrinking_cores(ask, assumptions, first_slices, max_slices), maxlen=1)
    return last[0] if last else None
