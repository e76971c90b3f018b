"""Checks a refutation in LRAT, in which each step names the clauses that it follows from.

A line is `NUMBER LITERALS 0 HINTS 0`, which adds a clause, or `NUMBER d NUMBERS 0`, which deletes
some (L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, 2017). The clauses of the
formula are 1, 2, … in its order. A clause follows if its negation makes each hint in turn a unit,
whose literal is true from then on, and falsifies the last one: unit propagation (RUP) without a
search. The other kind of step in LRAT (RAT) is never accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipeline.certify.formula import Formula
from pipeline.errors import PipelineError
from pipeline.limits import NEVER, Deadline

MAX_CHARACTERS = 256 * 1024 * 1024

_NUMBERS = r"((?:[1-9][0-9]{0,11} )*+)0"
_LITERALS = r"((?:-?[1-9][0-9]{0,9} )*+)0"
_LINE = re.compile(rf"([1-9][0-9]{{0,11}}) (?:d {_NUMBERS}|{_LITERALS} {_NUMBERS})")
_CLAUSE = re.compile(r"^[0-9]+ (?:d .*\n|((?:-?[1-9][0-9]*+ )*+0).*(\n))", re.MULTILINE)
_OFTEN = 256


class ProofRejected(PipelineError):
    """A text that does not prove what it should; the message names the place and why."""


def check_lrat(formula: Formula, text: str, deadline: Deadline = NEVER) -> int:
    """Check that a text refutes a formula; return the number of clauses that it adds.

    The text may be untrusted. Raises ProofRejected unless each step follows and the last one is
    the empty clause, and LimitReached when the deadline has passed.
    """
    known = _ClausesByNumber(formula)
    added, is_refuted = 0, False
    for place, line in lines_of(text, MAX_CHARACTERS, deadline):
        matched = _LINE.fullmatch(line)
        if matched is None or is_refuted:
            expected = "nothing after the empty clause" if is_refuted else "a step of a proof"
            raise ProofRejected(f"line {place}: expected {expected}, found {line[:40]!r}")
        name, deleted, *parts = matched.groups()
        try:
            if deleted is not None:
                known.delete(map(int, deleted.split()))
                continue
            number, (clause, hints) = int(name), ([*map(int, part.split())] for part in parts)
            _check_follows(known, clause, hints)
            known.add(number, clause)
        except ProofRejected as error:
            raise ProofRejected(f"line {place}: {error}") from error
        added, is_refuted = added + 1, not clause
    if not is_refuted:
        raise ProofRejected("the proof ends without the empty clause")
    return added


def _check_follows(known: _ClausesByNumber, clause: Sequence[int], hints: Sequence[int]) -> None:
    """Raise ProofRejected unless the clause follows from its hints."""
    false = {*clause}
    for place, hint in enumerate(hints, 1):
        left = known[hint] - false
        if not left and place == len(hints):
            return
        if len(left) != 1:
            raise ProofRejected(f"hint {hint} has {len(left)} literals left, where 1 is expected")
        (unit,) = left
        if -unit in false:
            raise ProofRejected(f"hint {hint} is satisfied already")
        false.add(-unit)
    raise ProofRejected("the clause does not follow from its hints")


class _ClausesByNumber(dict[int, frozenset[int]]):
    """Clauses by their numbers; those of the formula are added when they are needed."""

    def __init__(self, formula: Formula) -> None:
        super().__init__()
        self._formula = formula
        self._last = len(formula.clauses)
        self._deleted: set[int] = set()

    def __missing__(self, number: int) -> frozenset[int]:
        if number in self._deleted or not 1 <= number <= len(self._formula.clauses):
            raise ProofRejected(f"there is no clause {number}")
        self[number] = frozenset(self._formula.clauses[number - 1])
        return self[number]

    def add(self, number: int, clause: Sequence[int]) -> None:
        """Add a clause. Raises ProofRejected if its number or literals do not fit the formula."""
        if number <= self._last:
            raise ProofRejected(f"the number {number} does not come after {self._last}")
        variables = {*map(abs, clause)}
        if len(variables) < len(clause):
            raise ProofRejected("a variable is named twice")
        if max(variables, default=0) > self._formula.variables:
            raise ProofRejected(f"variable {max(variables)} of {self._formula.variables}")
        self[number] = frozenset(clause)
        self._last = number

    def delete(self, numbers: Iterable[int]) -> None:
        """Forget clauses. Raises ProofRejected if one is not there."""
        for number in numbers:
            _ = self[number]
            del self[number]
            self._deleted.add(number)


def lines_of(text: str, most: int, deadline: Deadline) -> Iterator[tuple[int, str]]:
    """The lines of a proof of at most so many characters, numbered from 1, one by one.

    Raises ProofRejected if it is longer or cut off, and LimitReached.
    """
    if len(text) > most:
        raise ProofRejected(f"the proof is longer than {most:,} characters")
    start, place = 0, 1
    while start < len(text):
        if place % _OFTEN == 1:
            deadline.check()
        end = text.find("\n", start)
        if end < 0:
            raise ProofRejected(f"the last line has no end: {text[start : start + 40]!r}")
        yield place, text[start:end]
        start, place = end + 1, place + 1


def drat_of(text: str) -> str:
    """The same proof in DRAT: its clauses, without their numbers and hints."""
    return _CLAUSE.sub(r"\1\2", text)
