"""The needed steps of a refutation, each with hints why it follows; nobody trusts these.

`kernel.py` finds them, as machine code or, where there is none, in plain Python. Here it is asked,
and its answer becomes a proof in LRAT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any

from pipeline.certify.formula import Core, Formula
from pipeline.certify.trimming.kernel import (
    CONFLICT,
    FAILED,
    NOTHING,
    PICKED,
    PLACE,
    TRIMMED,
    State,
    trim,
)
from pipeline.limits import NEVER, Deadline
from pipeline.native import Loaded, Program
from pipeline.puzzle.clauses import Clause

LONG = 5_000
"""Characters of a proof for which loading machine code at once pays."""

PROGRAM = Program(
    "trim",
    "trim",
    ("pipeline.certify.trimming.kernel",),
    "pipeline.certify.trimming.try_trim",
)
loaded = Loaded(PROGRAM)

VISITS, PLAIN_VISITS = 1_000_000, 20_000
"""Clauses to look at between two looks at the clock: some hundredths of a second."""


class NotTrimmed(Exception):
    """No refutation was found. `lemma` is the place of one that does not follow, if any."""

    def __init__(self, lemma: int | None) -> None:
        super().__init__(lemma)
        self.lemma = lemma


def hinted(
    step: Callable[..., int] | None,
    core: Core,
    lemmas: Sequence[Clause],
    deadline: Deadline = NEVER,
) -> str:
    """What is needed of a refutation of a core, in LRAT: a text that refutes the formula.

    `step` is the compiled trimmer; without it, plain Python does the same. Raises NotTrimmed,
    LimitReached, and ValueError for literals beyond the variables.
    """
    clauses = [*core.clauses, *lemmas]
    literals = [*chain.from_iterable(clauses)]
    named: Sequence[int] = range(1, core.formula.variables + 1)
    if len(named) > len(literals):  # their numbers may be high: only those that occur take memory
        named = sorted({*map(abs, literals)})
        dense = {variable: number for number, variable in enumerate(named, 1)}
        literals = [dense[x] if x > 0 else -dense[-x] for x in literals]
    starts = [0, *accumulate(map(len, clauses))]
    state = (_listed if step is None else _arrayed)(literals, starts, len(named))
    numbers = _written(step, state, len(core.places), len(named), deadline)
    return "".join(_lines(numbers, core, lemmas, named))


def _lines(
    numbers: list[int], core: Core, lemmas: Sequence[Clause], named: Sequence[int]
) -> Iterator[str]:
    """The steps as lines, each with the number of its clause and of those it follows from."""
    first, number = len(core.places), len(core.formula.clauses)
    end, found, start = first + len(lemmas), list[list[int]](), 0
    while start < len(numbers):
        stop = numbers.index(end, start)
        found.append(numbers[start:stop])
        start = stop + 1
    names: dict[int, int] = {}
    for step, *hints in reversed(found):
        number += 1
        literals: Clause = ()
        if number < len(core.formula.clauses) + len(found):
            literals = lemmas[step - first] if step >= 0 else (_literal(~step, named),)
        yield " ".join(
            [
                str(number),
                *map(str, literals),
                "0",
                *[str(core.places[x] + 1 if 0 <= x < first else names[x]) for x in hints],
                "0\n",
            ]
        )
        names[step] = number


def _literal(code: int, named: Sequence[int]) -> int:
    return -named[code >> 1] if code & 1 else named[code >> 1]


def _written(
    step: Callable[..., int] | None, state: State, first: int, variables: int, deadline: Deadline
) -> list[int]:
    """All that the trimmer writes."""
    clauses = len(state.marked)
    room = first, max(1, clauses - variables)
    if step is None:
        run = partial(trim, state, *room, PLAIN_VISITS)
    else:
        run = partial(step, state, *room, VISITS)
    written: list[int] = []
    while (said := run()) != FAILED:
        some = state.picked[: state.numbers[PICKED]]
        written += some if step is None else some.tolist()
        state.numbers[PICKED] = 0
        if said == TRIMMED:
            return written
        deadline.check()
    place = int(state.numbers[PLACE])
    raise NotTrimmed(place - first if first <= place < clauses else None)


def _listed(literals: Sequence[int], starts: Sequence[int], variables: int) -> State:
    """A state of lists."""
    codes = [2 * x - 2 if x > 0 else -2 * x - 1 for x in literals]
    return _new_state(codes, starts, variables, lambda size, value, _: [value] * size)


def _arrayed(literals: Sequence[int], starts: Sequence[int], variables: int) -> State:
    """A state of arrays. Raises ValueError for literals that machine code must not see."""
    import numpy as np  # noqa: PLC0415 - slow to load

    given = np.array(literals, np.int32)
    named = np.abs(given)
    if len(named) and not 1 <= named.min() <= named.max() <= variables:
        raise ValueError(f"literals beyond {variables} variables")
    codes = 2 * (named - 1) + (given < 0)
    return _new_state(codes, np.array(starts, np.int64), variables, np.full)


def _new_state(
    literals: Any, starts: Any, variables: int, filled: Callable[[int, int, str], Any]
) -> State:
    """A state in which nothing is done; `filled` makes an array or a list of one number."""
    clauses, numbers = len(starts) - 1, filled(5, 0, "q")
    numbers[CONFLICT] = NOTHING
    return State(
        literals,
        starts,
        before=filled(clauses, 0, "i"),
        marked=filled(clauses, 0, "B"),
        is_picked=filled(clauses, 0, "B"),
        picked=filled(clauses + 2, 0, "i"),
        following=filled(2 * clauses, 0, "i"),
        blockers=filled(2 * clauses, 0, "i"),
        heads=filled(4 * variables, NOTHING, "i"),
        values=filled(2 * variables, 0, "b"),
        trail=filled(variables, 0, "i"),
        positions=filled(variables, 0, "i"),
        reasons=filled(variables, 0, "i"),
        seen=filled(variables, 0, "B"),
        touched=filled(variables, 0, "i"),
        numbers=numbers,
    )


def try_trim(step: Callable[..., int]) -> None:
    """Trim a refutation that takes two of three lemmas and six of seven clauses.

    Raises RuntimeError if what is found is something else.
    """
    clauses = (1, 2), (1, -2), (-1, 3, 2), (-1, 3, -2), (2, 3, 4), (-3, 4), (-3, -4)
    core = Core(Formula(4, clauses), tuple(range(7)), ())
    lemmas = (1, 4), (1,), (3,), ()
    expected = "8 1 0 2 1 0\n9 3 0 8 4 3 0\n10 -4 0 9 7 0\n11 0 9 10 6 0\n"
    if hinted(step, core, lemmas) != expected:
        raise RuntimeError("what was compiled does not trim")
