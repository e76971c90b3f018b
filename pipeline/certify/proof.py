"""Refutations in DRAT, as solvers write them: made LRAT, and checked.

DRAT is a text with one step a line: clauses that follow from earlier ones, the empty clause last,
and among them deletions (`d …`), which are ignored. Only its RUP part is accepted: each clause must
follow by unit propagation alone. Our solvers write nothing else, and RUP is monotone: what follows
from some clauses also follows from more. `trimming.py` finds out which steps are needed, as machine
code or, where there is none, in plain Python. Here it is asked, and its answer becomes a proof in
LRAT, each step with hints why it follows. Its answer is not trusted: `check_lrat` checks the hints.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, chain
from typing import Any

from pipeline.certify.formula import Core, Formula
from pipeline.certify.lrat import MAX_CHARACTERS as MAX_LRAT
from pipeline.certify.lrat import ProofRejected, check_lrat, lines_of
from pipeline.certify.trimming import (
    CONFLICT,
    FAILED,
    NEXT_CLAUSE,
    NOTHING,
    OUTPUT_LENGTH,
    TRIMMED,
    State,
    trim,
)
from pipeline.errors import LimitReached
from pipeline.limits import NEVER, Deadline
from pipeline.native import Loaded, Program
from pipeline.puzzle.clauses import Clause

REFUTED = "0\n"
"""The proof of a formula that unit propagation refutes."""

MAX_CHARACTERS = 64 * 1024 * 1024

LONG = 5_000
"""Characters of a proof for which loading machine code at once pays."""

PROGRAM = Program("trim", "trim", ("pipeline.certify.trimming",), "pipeline.certify.proof.try_trim")
loaded = Loaded(PROGRAM)

VISITS, PLAIN_VISITS = 1_000_000, 20_000
"""Clauses to look at between two looks at the clock: some hundredths of a second."""

_STEP = re.compile(r"(?:d )?(?:-?[1-9][0-9]{0,9} )*+0")


def lrat_of(core: Core, proof: str, deadline: Deadline = NEVER) -> tuple[str, int]:
    """The needed part of a DRAT proof that a core is unsatisfiable, in LRAT, and its steps.

    The text refutes the core's formula, and is checked. The proof may be untrusted. Raises
    ProofRejected unless it has the empty clause last and each step that is needed follows, and
    LimitReached when the deadline has passed.
    """
    places, clauses = _clauses(proof, core.formula.variables, deadline)
    step = loaded.get(at_once=len(proof) >= LONG)
    if step:
        with suppress(ProofRejected):  # the machine code may be damaged
            return _lrat_of(step, core, places, clauses, deadline)
    start = time.monotonic()
    found = _lrat_of(None, core, places, clauses, deadline)
    loaded.count(time.monotonic() - start)
    return found


def _lrat_of(
    step: Callable[..., int] | None,
    core: Core,
    places: list[int],
    clauses: list[Clause],
    deadline: Deadline,
) -> tuple[str, int]:
    try:
        text = hinted(step, core, clauses, deadline)
    except NotTrimmed as error:
        if error.lemma is None:
            raise ProofRejected("the proof does not lead to the empty clause") from error
        clause = clauses[error.lemma]
        shown = " ".join(map(str, (*clause[:10], "…" if clause[10:] else 0)))
        where = f"line {places[error.lemma]}: {shown}"
        raise ProofRejected(f"{where} does not follow by unit propagation") from error
    except (ValueError, IndexError, KeyError, MemoryError) as error:
        raise ProofRejected(f"no hints were found: {error}") from error
    if len(text) > MAX_LRAT:
        raise LimitReached(f"the proof with its hints has more than {MAX_LRAT:,} characters")
    return text, check_lrat(core.formula, text, deadline)


def _clauses(proof: str, variables: int, deadline: Deadline) -> tuple[list[int], list[Clause]]:
    """The clauses that a proof adds, and the line of each. Raises as `lrat_of` does."""
    places, clauses = list[int](), list[Clause]()
    for place, line in lines_of(proof, MAX_CHARACTERS, deadline):
        if not _STEP.fullmatch(line):
            raise ProofRejected(f"line {place}: expected a step of a proof, found {line[:40]!r}")
        if clauses and not clauses[-1]:
            raise ProofRejected(f"line {place}: a step after the empty clause")
        if line.startswith("d"):
            continue
        clause = tuple(map(int, line[:-1].split()))
        named = {*map(abs, clause)}
        if len(named) < len(clause):
            raise ProofRejected(f"line {place}: a variable is named twice")
        if max(named, default=0) > variables:
            raise ProofRejected(
                f"line {place}: variable {max(named)}, where the formula has {variables}"
            )
        places.append(place)
        clauses.append(clause)
    if not clauses or clauses[-1]:
        raise ProofRejected("the proof ends without the empty clause")
    return places, clauses


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
        some = state.output[: state.numbers[OUTPUT_LENGTH]]
        written += some if step is None else some.tolist()
        state.numbers[OUTPUT_LENGTH] = 0
        if said == TRIMMED:
            return written
        deadline.check()
    place = int(state.numbers[NEXT_CLAUSE])
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
        trail_before=filled(clauses, 0, "i"),
        marked=filled(clauses, 0, "B"),
        is_needed=filled(clauses, 0, "B"),
        output=filled(clauses + 2, 0, "i"),
        next_watch=filled(2 * clauses, 0, "i"),
        blockers=filled(2 * clauses, 0, "i"),
        first_watch=filled(4 * variables, NOTHING, "i"),
        values=filled(2 * variables, 0, "b"),
        trail=filled(variables, 0, "i"),
        positions=filled(variables, 0, "i"),
        reasons=filled(variables, 0, "i"),
        seen=filled(variables, 0, "B"),
        queue=filled(variables, 0, "i"),
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
