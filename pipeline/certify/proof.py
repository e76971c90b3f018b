"""Proofs that a formula is unsatisfiable, checked step by step by dratify.

A proof is DRAT text, one step a line: clauses that follow from earlier ones, the empty clause
last, and among them deletions (`d …`), which are ignored. Only the RUP part of DRAT is accepted:
each clause must follow by unit propagation alone. Our solvers write nothing else, and RUP is
monotone: what follows from some clauses also follows from more. So it is sound to check against a
few of the formula's clauses, picked by `core_of`, and to keep what a proof deletes.

RAT is not monotone, and dratify 0.1.10 gets it wrong if a clause is deleted that has made a
literal true: it accepts `d -1 2 0`, `1 0`, `0` as a refutation of the clauses `-1 2 0` and
`-2 0`, which are satisfiable; so does its native engine. Neither is ever asked about RAT.
"""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from itertools import islice

import dratify

from pipeline.certify.formula import Clause, Core, Formula, core_of
from pipeline.certify.trimming import LONG, Part, loaded
from pipeline.errors import PipelineError, counted

REFUTED = "0\n"
"""The proof of a formula that unit propagation refutes."""

MAX_CHARACTERS = 64 * 1024 * 1024
_CHECKER = f"dratify {dratify.__version__}"
_NATIVE = "cdclkit-native"
_NATIVE_MOST = 100_000_000
"""Clauses times characters that the native engine handles in a second or two."""

_STEP = re.compile(r"(?:d )?(?:-?[1-9][0-9]{0,9} )*+0")
_OFTEN = 1000


class ProofRejected(PipelineError):
    """A text that does not prove what it should; the message names the line at fault and why."""


class ProofTimeout(PipelineError):
    """A proof that was not checked in time: nothing is known about it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A valid proof: the number of clauses it adds, with the empty one, and who checked it."""

    steps: int
    checker: str


def check_refutation(formula: Formula, proof: str, seconds: float) -> Checked:
    """Check that a proof shows a formula to be unsatisfiable. Raises as `check_core` does."""
    return _check(core_of(formula), proof, _Clock(seconds), keep=True)[0]


def check_trimmed(core: Core, proof: str, seconds: float) -> tuple[Checked, str]:
    """Check what is needed of a proof that a core is unsatisfiable, and give that: a proof.

    It is the whole where nobody knows what is needed. Raises as `check_core` does.
    """
    return _check(core, proof, _Clock(seconds), keep=False)


def check_core(core: Core, proof: str, seconds: float) -> Checked:
    """Check that a proof shows a core, and so its formula, to be unsatisfiable.

    The proof may be untrusted: its size is bounded, and so are memory and, except for a single
    step, time. Raises ProofRejected unless every step holds and the last is the empty clause, and
    ProofTimeout if the seconds do not suffice.
    """
    return _check_whole(core, proof, _Clock(seconds))


def _check(core: Core, proof: str, clock: _Clock, *, keep: bool) -> tuple[Checked, str]:
    """Check a proof, in parts if these are known; `keep` says that all of it is to be checked."""
    step = None
    is_easy = core.is_refuted or _native_for(core, proof)
    if not is_easy and len(proof) <= MAX_CHARACTERS:
        step = loaded.get(at_once=len(proof) >= LONG)
    if step:
        with suppress(ProofRejected):
            text, parts = _trimmed(step, core, proof, clock, keep=keep)
            return _check_parts(core, text, parts, clock), text
    start = time.monotonic()
    checked = _check_whole(core, proof, clock)
    if not step and not is_easy:
        loaded.count(time.monotonic() - start)
    return checked, proof


def _trimmed(
    step: Callable[..., int], core: Core, proof: str, clock: _Clock, *, keep: bool
) -> tuple[str, Sequence[Part]]:
    """What is needed of a proof, and in which parts it is to be checked.

    Raises ProofRejected if nobody knows, and ProofTimeout.
    """
    from pipeline.certify.trimming.asking import Steps, trim  # noqa: PLC0415 - loads numpy

    steps, numbers = Steps(), array("q")
    for number, clause in _clauses(proof, core.formula.variables, clock):
        clock.look()
        steps.add(clause)
        numbers.append(number)
    try:
        found = trim(step, core, steps, clock.look, keep=keep)
        if not found or keep:
            return proof, found.parts if found else ()
        lines = proof.split("\n")
        return "".join([f"{lines[numbers[at] - 1]}\n" for at in found.kept]), found.parts
    except (ValueError, IndexError, MemoryError) as error:
        raise ProofRejected(f"it cannot be trimmed: {error}") from error


def _check_parts(core: Core, proof: str, parts: Sequence[Part], clock: _Clock) -> Checked:
    """Check a proof part by part, each from the clauses picked for it.

    Picked are clauses of the core and steps of earlier parts, so that each step follows from the
    core. Raises as `check_core` does, and ProofRejected too if the parts are wrong.
    """
    known = [*core.clauses]
    steps = _clauses(proof, core.formula.variables, clock)
    is_refuted = False
    for part in parts:
        if part.clauses and not 0 <= min(part.clauses) <= max(part.clauses) < len(known):
            raise ProofRejected("a part needs a clause that is not known")
        codes, formula = _Codes(), dratify.CNF()
        formula.clauses = _Watched((codes.of(known[at]) for at in part.clauses), clock)
        checker = dratify.DRATChecker(formula, check_rat=False, apply_deletions=False)
        for line, clause in islice(steps, part.steps):
            clock.look()
            if not checker.check_step("a", codes.of(clause)):
                raise ProofRejected(f"line {line} does not follow from its part")
            known.append(clause)
        is_refuted = checker.result.reached_empty
    if not is_refuted or next(steps, None):
        raise ProofRejected("the parts are not the whole")
    return Checked(len(known) - len(core.clauses), _CHECKER)


def _check_whole(core: Core, proof: str, clock: _Clock) -> Checked:
    """As `check_core`."""
    if len(proof) > MAX_CHARACTERS:
        raise ProofRejected(f"the proof is longer than {MAX_CHARACTERS:,} characters")
    codes = _Codes()
    formula = dratify.CNF()
    formula.clauses = _Watched(map(codes.of, core.clauses), clock)
    variables = core.formula.variables
    if native := _native_for(core, proof):
        steps = [("a", codes.of(clause)) for _, clause in _clauses(proof, variables, clock)]
        if _natively(formula, steps):
            return Checked(len(steps), f"{_CHECKER} with {native}")
    checker = dratify.DRATChecker(formula, check_rat=False, apply_deletions=False)
    for line, clause in _clauses(proof, variables, clock):
        clock.look()
        if not checker.check_step("a", codes.of(clause)):
            shown = " ".join(map(str, (*clause[:10], "…" if clause[10:] else 0)))
            raise ProofRejected(f"line {line}: {shown} does not follow by unit propagation")
    result = checker.result
    if not result.reached_empty:
        ended = counted(result.steps, "step")
        raise ProofRejected(f"the proof ends after {ended} without the empty clause")
    return Checked(result.steps, _CHECKER)


def _native_for(core: Core, proof: str) -> str | None:
    """The native engine's name and version, if there is one, and it can handle so much."""
    return _native() if len(proof) * len(core.clauses) <= _NATIVE_MOST else None


@lru_cache(maxsize=1)
def _native() -> str | None:
    """Register the native engine with dratify; its name and version, or None if not installed."""
    try:
        dratify.register_native(import_module(_NATIVE.replace("-", "_")))
        return f"{_NATIVE} {version(_NATIVE)}"
    except ImportError:
        return None


def _natively(formula: dratify.CNF, steps: list[tuple[str, Clause]]) -> bool:
    """Whether the native engine accepts; if not, the other engine says why."""
    formula.nvars = 1 + max((code for clause in formula.clauses for code in clause), default=0) // 2
    try:
        result = dratify.check_proof(
            formula, steps, check_rat=False, apply_deletions=False, engine="native"
        )
    except (TypeError, ValueError):  # its version does not fit dratify's
        return False
    return result.ok and result.reached_empty and steps[-1:] == [("a", ())]


def _clauses(proof: str, variables: int, clock: _Clock) -> Iterator[tuple[int, Clause]]:
    """The clauses that a proof adds, each with its line number, read one by one."""
    is_over = False
    for number, line in enumerate(_lines(proof), 1):
        if not _STEP.fullmatch(line):
            raise ProofRejected(f"line {number}: expected a step of a proof, found {line[:40]!r}")
        if is_over:
            raise ProofRejected(f"line {number}: a step after the empty clause")
        if line.startswith("d"):
            if number % _OFTEN == 0:
                clock.look()
            continue
        clause = tuple(map(int, line[:-1].split()))
        named = set(map(abs, clause))
        if len(named) < len(clause):
            raise ProofRejected(f"line {number}: a variable is named twice")
        if named and max(named) > variables:
            raise ProofRejected(
                f"line {number}: variable {max(named)}, where the formula has {variables}"
            )
        is_over = not clause
        yield number, clause


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        if end < 0:
            raise ProofRejected(f"the last line has no end: {text[start : start + 40]!r}")
        yield text[start:end]
        start = end + 1


class _Clock:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def look(self) -> None:
        if time.monotonic() > self._end:
            raise ProofTimeout(f"the proof was not checked within {self._seconds:g} s")


class _Codes(dict[int, int]):
    """dratify's numbers of literals, assigned in the order in which variables occur.

    So its tables grow with the variables that occur, not with their numbers.
    """

    def __missing__(self, literal: int) -> int:
        self[literal], self[-literal] = len(self), len(self) + 1
        return self[literal]

    def of(self, clause: Clause) -> Clause:
        return tuple(map(self.__getitem__, clause))


class _Watched(list[Clause]):
    """Clauses that cannot be iterated once time is up."""

    def __init__(self, clauses: Iterable[Clause], clock: _Clock) -> None:
        super().__init__(clauses)
        self._clock = clock

    def __iter__(self) -> Iterator[Clause]:
        clauses = super().__iter__()
        while some := [*islice(clauses, _OFTEN)]:
            self._clock.look()
            yield from some
