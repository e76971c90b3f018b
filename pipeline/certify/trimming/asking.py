"""How the compiled trimmer is asked. numpy is slow to load: this is imported when it is there."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pipeline.certify.formula import Clause, Core, Formula
from pipeline.certify.trimming import Part, Trimmed
from pipeline.certify.trimming.state import (
    FAILED,
    PART,
    PICKED,
    PLACE,
    TRIMMED,
    State,
    new_state,
)

STEPS = 32
"""Of a part: with fewer, more time goes into setting up parts, with more into their steps."""

VISITS = 1_000_000
"""Clauses to look at between two looks at the clock: some hundredths of a second at the most."""

MOST_VARIABLES = 4_000_000
"""Their arrays take 150 MB; what has more is not trimmed."""

MOST_PICKED = 100_000_000
"""Clauses in all parts together, of four bytes each."""


class Steps:
    """The clauses that a proof adds, one after another, in four bytes for each literal."""

    def __init__(self) -> None:
        self.literals = array("i")
        self.sizes = array("i")

    def add(self, clause: Clause) -> None:
        self.literals.extend(clause)
        self.sizes.append(len(clause))


def trim(
    step: Callable[..., int],
    core: Core,
    steps: Steps,
    look: Callable[[], None],
    *,
    keep: bool = False,
    most: int = STEPS,
) -> Trimmed | None:
    """What is needed of a refutation of a core, or None if that is not found.

    `keep` keeps all steps; `most` are those of a part. `look` is called now and then, and raises
    something if there is no time. Raises ValueError for literals beyond the variables.
    """
    clauses, variables = core.clauses, core.formula.variables
    if variables > MOST_VARIABLES or not steps.sizes:
        return None
    sizes = np.fromiter(map(len, clauses), np.int64, len(clauses))
    literals = np.fromiter(chain.from_iterable(clauses), np.int32, int(sizes.sum()))
    state = new_state(
        np.concatenate((literals, np.frombuffer(steps.literals, np.int32))),
        np.concatenate((sizes, np.frombuffer(steps.sizes, np.int32))),
        variables,
    )
    first = len(clauses)
    state.marked[first:] = keep
    found = _searched(step, state, first, most, look)
    if found is None:
        return None
    kept = state.marked[first:].astype(np.bool_)
    kept[-1] = True  # the empty clause
    return Trimmed(tuple(np.flatnonzero(kept).tolist()), _parts(found, kept, first))


def _searched(
    step: Callable[..., int],
    state: State,
    first: int,
    most: int,
    look: Callable[[], None],
) -> list[tuple[int, NDArray[np.int32]]] | None:
    """Where each part begins, and the clauses that are picked for it; the last part first."""
    found: list[tuple[int, NDArray[np.int32]]] = []
    picked = 0
    while picked <= MOST_PICKED:
        said = step(state, first, most, VISITS)
        if said in {PART, TRIMMED}:
            start = int(state.numbers[PLACE]) if said == PART else first
            mine = state.picked[: state.numbers[PICKED]]
            found.append((start, np.sort(mine[mine < start])))
            picked += len(mine)
        if said == TRIMMED:
            return found
        if said == FAILED:
            return None
        look()
    return None


def _parts(
    found: list[tuple[int, NDArray[np.int32]]], kept: NDArray[np.bool_], first: int
) -> tuple[Part, ...]:
    """The parts in order, with clauses numbered as they are once only some steps are kept."""
    numbers = np.concatenate((np.arange(first), first + np.cumsum(kept) - 1))
    parts, end = [], first + len(kept)
    for start, picked in found:
        steps = int(np.count_nonzero(kept[start - first : end - first]))
        if steps:
            parts.append(Part(steps, tuple(numbers[picked].tolist())))
        end = start
    return tuple(reversed(parts))


def try_trim(step: Callable[..., int]) -> None:
    """Trim a refutation that takes two of three lemmas and six of seven clauses, in two parts.

    Raises RuntimeError if that is not what is said to be needed.
    """
    clauses = (1, 2), (1, -2), (-1, 3, 2), (-1, 3, -2), (2, 3, 4), (-3, 4), (-3, -4)
    core = Core(Formula(4, clauses), clauses, ())
    steps = Steps()
    for lemma in ((1, 4), (1,), (3,), ()):
        steps.add(lemma)
    needed = Part(1, (0, 1)), Part(2, (2, 3, 5, 6, 7))
    if trim(step, core, steps, lambda: None, most=1) != Trimmed((1, 2, 3), needed):
        raise RuntimeError("what was compiled does not trim")
