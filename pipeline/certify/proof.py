"""Refutations in DRAT, as solvers write them: made LRAT, and checked.

DRAT is a text with one step a line: clauses that follow from earlier ones, the empty clause last,
and among them deletions (`d …`), which are ignored. Only its RUP part is accepted: each clause must
follow by unit propagation alone. Our solvers write nothing else, and RUP is monotone: what follows
from some clauses also follows from more. The trimmer finds out which steps are needed, and writes
hints. It is not trusted: `check_lrat` checks the hints.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress

from pipeline.certify.formula import Core
from pipeline.certify.lrat import MAX_CHARACTERS as MAX_LRAT
from pipeline.certify.lrat import ProofRejected, check_lrat, lines_of
from pipeline.certify.trimming import LONG, NotTrimmed, hinted, loaded
from pipeline.errors import LimitReached
from pipeline.limits import NEVER, Deadline
from pipeline.puzzle.clauses import Clause

REFUTED = "0\n"
"""The proof of a formula that unit propagation refutes."""

MAX_CHARACTERS = 64 * 1024 * 1024

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
