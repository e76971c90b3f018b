"""Convert the DRAT proofs of solvers to LRAT, and check them.

A line of a DRAT proof adds a clause or deletes one (`d …`); the last line adds the empty clause.
Only RUP steps are accepted: each added clause must follow by unit propagation. The solvers that we
use write no other steps. Deletions are ignored: a clause that follows without the deleted clauses
also follows with them.

`trimming.py` finds the necessary steps and the clauses from which they follow, in machine code or
in plain Python. This module calls it and writes the LRAT text. Trimming is not trusted:
`check_lrat` checks the result.
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
from pipeline.certify.lrat import MAX_LRAT_CHARACTERS, ProofRejected, check_lrat, proof_lines
from pipeline.certify.trimming import (
    CONFLICT_CLAUSE,
    NEXT_CLAUSE,
    NULL,
    OUTPUT_LENGTH,
    REJECTED,
    TRIMMED,
    TrimmerState,
    trim,
)
from pipeline.errors import LimitReached
from pipeline.limits import NEVER, Deadline
from pipeline.native import Program, ProgramLoader
from pipeline.puzzle.clauses import Clause

TRIVIAL_PROOF = "0\n"
"""The DRAT proof of a formula that unit propagation alone refutes."""

MAX_DRAT_CHARACTERS = 64 * 1024 * 1024
"""Maximum length of a solver's DRAT proof."""

LONG_PROOF_CHARACTERS = 5_000
"""Minimum length of a proof for which machine code is loaded at once, even for this proof alone."""

PROGRAM = Program("trim", "trim", ("pipeline.certify.trimming",), "pipeline.certify.proof.try_trim")
loader = ProgramLoader(PROGRAM)

COMPILED_VISITS, PLAIN_VISITS = 1_000_000, 20_000
"""Number of clauses visited between two checks of the deadline, in machine code and in plain
Python. Both numbers take about 0.02 s."""

_STEP = re.compile(r"(?:d )?(?:-?[1-9][0-9]{0,9} )*+0")


def lrat_of(core: Core, proof: str, deadline: Deadline = NEVER) -> tuple[str, int]:
    """Trim an untrusted DRAT proof of a core. Returns an LRAT proof and its number of steps.

    The LRAT proof refutes the formula of the core, and has been checked. Raises ProofRejected
    unless the DRAT proof ends with the empty clause and each necessary step follows. Raises
    LimitReached when the deadline has passed.
    """
    line_numbers, clauses = _added_clauses(proof, core.formula.variables, deadline)
    trimmer = loader.get(at_once=len(proof) >= LONG_PROOF_CHARACTERS)
    if trimmer:
        with suppress(ProofRejected):  # if the machine code is damaged, plain Python tries again
            return _trim_and_check(trimmer, core, line_numbers, clauses, deadline)
    start = time.monotonic()
    lrat = _trim_and_check(None, core, line_numbers, clauses, deadline)
    loader.add_seconds(time.monotonic() - start)
    return lrat


def _trim_and_check(
    trimmer: Callable[..., int] | None,
    core: Core,
    line_numbers: list[int],
    clauses: list[Clause],
    deadline: Deadline,
) -> tuple[str, int]:
    """Trim a proof with this trimmer, and check the result.

    The added `clauses` of the proof come from its lines `line_numbers`. Returns and raises what
    `lrat_of` does.
    """
    try:
        text = trim_to_lrat(trimmer, core, clauses, deadline)
    except NotTrimmed as error:
        if error.lemma is None:
            raise ProofRejected("the proof does not lead to the empty clause") from error
        clause = clauses[error.lemma]
        shown = " ".join(map(str, (*clause[:10], "…" if clause[10:] else 0)))
        where = f"line {line_numbers[error.lemma]}: {shown}"
        raise ProofRejected(f"{where} does not follow by unit propagation") from error
    except (ValueError, IndexError, KeyError, MemoryError) as error:
        raise ProofRejected(f"the hints could not be computed: {error}") from error
    if len(text) > MAX_LRAT_CHARACTERS:
        raise LimitReached(
            f"the proof with its hints has more than {MAX_LRAT_CHARACTERS:,} characters"
        )
    return text, check_lrat(core.formula, text, deadline)


def _added_clauses(
    proof: str, variables: int, deadline: Deadline
) -> tuple[list[int], list[Clause]]:
    """Return the line numbers of the steps that add a clause, and these clauses.

    Raises ProofRejected if a line is invalid or the last clause is not empty.
    """
    line_numbers, clauses = list[int](), list[Clause]()
    for number, line in proof_lines(proof, MAX_DRAT_CHARACTERS, deadline):
        if not _STEP.fullmatch(line):
            raise ProofRejected(f"line {number}: expected a step of a proof, found {line[:40]!r}")
        if clauses and not clauses[-1]:
            raise ProofRejected(f"line {number}: a step after the empty clause")
        if line.startswith("d"):
            continue
        clause = tuple(map(int, line[:-1].split()))
        named = {*map(abs, clause)}
        if len(named) < len(clause):
            raise ProofRejected(f"line {number}: a variable is named twice")
        if max(named, default=0) > variables:
            raise ProofRejected(
                f"line {number}: variable {max(named)}, but there are only {variables}"
            )
        line_numbers.append(number)
        clauses.append(clause)
    if not clauses or clauses[-1]:
        raise ProofRejected("the proof ends without the empty clause")
    return line_numbers, clauses


class NotTrimmed(Exception):
    """The lemmas are no refutation. `lemma`: index of a lemma that does not follow, or None."""

    def __init__(self, lemma: int | None) -> None:
        super().__init__(lemma)
        self.lemma = lemma


def trim_to_lrat(
    trimmer: Callable[..., int] | None,
    core: Core,
    lemmas: Sequence[Clause],
    deadline: Deadline = NEVER,
) -> str:
    """Trim a refutation of a core. Returns an LRAT proof of the formula.

    `trimmer` is machine code of `trim`; None runs `trim` in plain Python, with the same result.
    Raises NotTrimmed, LimitReached, and ValueError for a variable out of range.
    """
    clauses = [*core.clauses, *lemmas]
    literals = [*chain.from_iterable(clauses)]
    variables: Sequence[int] = range(1, core.formula.variables + 1)
    if len(variables) > len(literals):  # number only the variables that occur, to save memory
        variables = sorted({*map(abs, literals)})
        dense = {variable: number for number, variable in enumerate(variables, 1)}
        literals = [dense[x] if x > 0 else -dense[-x] for x in literals]
    starts = [0, *accumulate(map(len, clauses))]
    state = (_new_list_state if trimmer is None else _new_array_state)(
        literals, starts, len(variables)
    )
    numbers = _run_trimmer(trimmer, state, len(core.indices), len(variables), deadline)
    return "".join(_lrat_lines(numbers, core, lemmas, variables))


def _lrat_lines(
    numbers: list[int], core: Core, lemmas: Sequence[Clause], variables: Sequence[int]
) -> Iterator[str]:
    """Yield the lines of the LRAT proof. `numbers` is the output of the trimmer, last step first.

    `variables` are the formula's variables in the order of the trimmer's variables.
    """
    first, number = len(core.indices), len(core.formula.clauses)
    end, steps, start = first + len(lemmas), list[list[int]](), 0
    while start < len(numbers):
        stop = numbers.index(end, start)
        steps.append(numbers[start:stop])
        start = stop + 1
    names: dict[int, int] = {}
    for step, *hints in reversed(steps):
        number += 1
        literals: Clause = ()
        if number < len(core.formula.clauses) + len(steps):
            literals = lemmas[step - first] if step >= 0 else (_dimacs_literal(~step, variables),)
        yield " ".join(
            [
                str(number),
                *map(str, literals),
                "0",
                *[str(core.indices[x] + 1 if 0 <= x < first else names[x]) for x in hints],
                "0\n",
            ]
        )
        names[step] = number


def _dimacs_literal(code: int, variables: Sequence[int]) -> int:
    """Return the DIMACS literal that the trimmer encodes as `code`."""
    return -variables[code >> 1] if code & 1 else variables[code >> 1]


def _run_trimmer(
    trimmer: Callable[..., int] | None,
    state: TrimmerState,
    first_lemma: int,
    variables: int,
    deadline: Deadline,
) -> list[int]:
    """Run the trimmer to its end, and return its output.

    Raises NotTrimmed, and LimitReached when the deadline has passed.
    """
    clauses = len(state.is_marked)
    limits = first_lemma, max(1, clauses - variables)
    if trimmer is None:
        run = partial(trim, state, *limits, PLAIN_VISITS)
    else:
        run = partial(trimmer, state, *limits, COMPILED_VISITS)
    numbers: list[int] = []
    while (status := run()) != REJECTED:
        output = state.output[: state.numbers[OUTPUT_LENGTH]]
        numbers += output if trimmer is None else output.tolist()
        state.numbers[OUTPUT_LENGTH] = 0
        if status == TRIMMED:
            return numbers
        deadline.check()
    clause = int(state.numbers[NEXT_CLAUSE])
    raise NotTrimmed(clause - first_lemma if first_lemma <= clause < clauses else None)


def _new_list_state(literals: Sequence[int], starts: Sequence[int], variables: int) -> TrimmerState:
    """Return a new state of lists, for plain Python."""
    codes = [2 * x - 2 if x > 0 else -2 * x - 1 for x in literals]
    return _new_state(codes, starts, variables, lambda size, value, _: [value] * size)


def _new_array_state(
    literals: Sequence[int], starts: Sequence[int], variables: int
) -> TrimmerState:
    """Return a new state of arrays, for machine code.

    Raises ValueError for a variable out of range.
    """
    import numpy as np  # noqa: PLC0415 - slow to load

    given = np.array(literals, np.int32)
    named = np.abs(given)
    if len(named) and not 1 <= named.min() <= named.max() <= variables:
        raise ValueError(f"a literal is out of range: there are {variables} variables")
    codes = 2 * (named - 1) + (given < 0)
    return _new_state(codes, np.array(starts, np.int64), variables, np.full)


def _new_state(
    literals: Any, starts: Any, variables: int, new_array: Callable[[int, int, str], Any]
) -> TrimmerState:
    """Return the initial state. `new_array(size, value, type)` makes a list or an array."""
    clauses, numbers = len(starts) - 1, new_array(5, 0, "q")
    numbers[CONFLICT_CLAUSE] = NULL
    return TrimmerState(
        literals,
        starts,
        trail_before=new_array(clauses, 0, "i"),
        is_marked=new_array(clauses, 0, "B"),
        is_needed=new_array(clauses, 0, "B"),
        output=new_array(clauses + 2, 0, "i"),
        next_watch=new_array(2 * clauses, 0, "i"),
        blockers=new_array(2 * clauses, 0, "i"),
        first_watch=new_array(4 * variables, NULL, "i"),
        values=new_array(2 * variables, 0, "b"),
        trail=new_array(variables, 0, "i"),
        positions=new_array(variables, 0, "i"),
        reasons=new_array(variables, 0, "i"),
        roles=new_array(variables, 0, "B"),
        queue=new_array(variables, 0, "i"),
        numbers=numbers,
    )


def try_trim(trimmer: Callable[..., int]) -> None:
    """Test the compiled trimmer on a refutation that needs two of three lemmas.

    Raises RuntimeError if its result is wrong.
    """
    clauses = (1, 2), (1, -2), (-1, 3, 2), (-1, 3, -2), (2, 3, 4), (-3, 4), (-3, -4)
    core = Core(Formula(4, clauses), tuple(range(7)), ())
    lemmas = (1, 4), (1,), (3,), ()
    expected = "8 1 0 2 1 0\n9 3 0 8 4 3 0\n10 -4 0 9 7 0\n11 0 9 10 6 0\n"
    if trim_to_lrat(trimmer, core, lemmas) != expected:
        raise RuntimeError("self-test of the compiled code failed: the trimmed proof is wrong")
