"""Assumptions that cannot all hold, made fewer until none of them can be left out.

Deletion with clause-set refinement: each assumption is left out in turn. Where the others have
a model, it is needed; where they have none, only the solver's core of them is kept.
J. Marques-Silva and I. Lynce, On improving MUS extraction algorithms, 2011.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from pipeline.cnf import Clause
from pipeline.limits import Deadline

ENGINE = "minisat22"
"""Keeps to a budget of conflicts, where glucose4 only looks at it when it restarts."""

ORDERS = 10
"""How many orders of deletion are tried. More than 20 hardly ever find a smaller core."""

_CONFLICTS = 200
"""After such a slice of its work the engine looks at the clock."""

_FIRST_SLICES = 2
"""What a question gets at first, and four times as much whenever it comes up again."""

_CHUNK = 20_000


@dataclass(frozen=True, slots=True)
class Core:
    """Assumptions that cannot all hold; `minimal` where they could without any one of them."""

    literals: tuple[int, ...]
    minimal: bool


def shrinking_cores(
    clauses: Iterable[Clause], assumptions: Sequence[int], deadline: Deadline, orders: int = ORDERS
) -> Iterator[Core]:
    """Ever better cores: smaller ones until one is minimal, then smaller minimal ones.

    There are none if time is up before the first; what time does not cut off is the same at
    every run. Raises ValueError where all assumptions can hold. For a process that may be
    killed: the deadline is not looked at while the engine propagates.
    """
    best: Core | None = None
    try:
        with closing(_Engine(clauses, deadline)) as engine:
            for order in range(orders):
                shuffled = list(assumptions)
                if order:
                    random.Random(order).shuffle(shuffled)  # noqa: S311 - no secret
                most = len(best.literals) - 1 if best else len(shuffled)
                for core in _shrink(engine, shuffled, most):
                    if core.minimal or not (best and best.minimal):
                        best = core
                        yield core
    except TimeoutError:
        return


_Verdict = set[int] | Literal["can hold", "undecided"]


class _Engine:
    """The clauses, loaded. Both methods raise TimeoutError when the deadline has passed."""

    def __init__(self, clauses: Iterable[Clause], deadline: Deadline) -> None:
        from pysat.solvers import Solver  # noqa: PLC0415 - only a child process needs it

        self._deadline = deadline
        self._solver = Solver(name=ENGINE)
        rest = iter(clauses)
        while chunk := list(islice(rest, _CHUNK)):
            self._check()
            self._solver.append_formula(chunk)

    def core(self, assumptions: Sequence[int], slices: int) -> _Verdict:
        """Those of the assumptions that suffice for a conflict, if not all of them can hold.

        Undecided after so many slices of conflicts.
        """
        for _ in range(slices):
            self._check()
            self._solver.conf_budget(_CONFLICTS)
            holds = self._solver.solve_limited(assumptions=assumptions)
            if holds is not None:
                return "can hold" if holds else set(self._solver.get_core() or ())
        return "undecided"

    def close(self) -> None:
        self._solver.delete()

    def _check(self) -> None:
        if not self._deadline.left():
            raise TimeoutError


def _shrink(engine: _Engine, order: Sequence[int], most: int) -> Iterator[Core]:
    """The cores on the way to a minimal one; given up where that has more than `most` literals.

    What is needed for one core is needed for each part of it that is a core too. A question that
    proves hard is put off: the smaller the core, the fewer of these are left.
    """
    core = engine.core(order, sys.maxsize)
    if not isinstance(core, set):
        raise ValueError("all assumptions can hold")  # noqa: TRY004
    needed: list[int] = []
    untried = [literal for literal in order if literal in core]
    postponed: list[int] = []
    yield Core(tuple(untried), minimal=False)
    slices = _FIRST_SLICES
    while (untried or postponed) and len(needed) < most:
        if not untried:
            untried, postponed, slices = postponed, [], slices * 4
        tried = untried.pop()
        core = engine.core([*needed, *postponed, *untried], slices)
        if core == "can hold":
            needed.append(tried)
        elif core == "undecided":
            postponed.append(tried)
        else:
            untried = [literal for literal in untried if literal in core]
            postponed = [literal for literal in postponed if literal in core]
            yield Core((*needed, *postponed, *untried), minimal=False)
    if not untried and not postponed and len(needed) <= most:
        yield Core(tuple(needed), minimal=True)
