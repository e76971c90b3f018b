"""Check refutations in LRAT, a proof format whose steps name the clauses from which they follow.

A line `NUMBER LITERALS 0 HINTS 0` adds a clause, and a line `NUMBER d NUMBERS 0` deletes clauses
(L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, Efficient certified RAT
verification, 2017). The clauses of the formula have the numbers 1, 2, ….

To check an added clause (RUP), assume its negation. Each hint in turn must then be a unit clause,
whose literal becomes true. The last hint must be falsified instead. RAT steps are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipeline.certify.formula import Formula
from pipeline.errors import PipelineError
from pipeline.limits import NEVER, Deadline

MAX_LRAT_CHARACTERS = 256 * 1024 * 1024
"""Maximum length of an LRAT proof."""

# The syntax of LRAT, without optional spaces. `_CLAUSE` matches a line for `drat_of`.
_NUMBERS = r"((?:[1-9][0-9]{0,11} )*+)0"
_LITERALS = r"((?:-?[1-9][0-9]{0,9} )*+)0"
_LINE = re.compile(rf"([1-9][0-9]{{0,11}}) (?:d {_NUMBERS}|{_LITERALS} {_NUMBERS})")
_CLAUSE = re.compile(r"^[0-9]+ (?:d .*\n|((?:-?[1-9][0-9]*+ )*+0).*(\n))", re.MULTILINE)
_CHECK_INTERVAL = 256
"""Number of lines between two checks of the deadline."""


class ProofRejected(PipelineError):
    """A text is not a valid proof. The message contains the line and the reason."""


def check_lrat(
    formula: Formula,
    text: str,
    deadline: Deadline = NEVER,
    max_characters: int = MAX_LRAT_CHARACTERS,
) -> int:
    """Check that an untrusted text refutes a formula. Returns the number of clauses that it adds.

    Raises ProofRejected unless each step follows and the last one is the empty clause, and
    LimitReached when the deadline has passed.
    """
    clauses = _ClausesByNumber(formula)
    added, is_refuted = 0, False
    for line_number, line in proof_lines(text, max_characters, deadline):
        matched = _LINE.fullmatch(line)
        if matched is None or is_refuted:
            expected = "nothing after the empty clause" if is_refuted else "a step of a proof"
            raise ProofRejected(f"line {line_number}: expected {expected}, found {line[:40]!r}")
        number_text, deleted, *parts = matched.groups()
        try:
            if deleted is not None:
                clauses.delete(map(int, deleted.split()))
                continue
            clause, hints = ([*map(int, part.split())] for part in parts)
            _check_follows(clauses, clause, hints)
            clauses.add(int(number_text), clause)
        except ProofRejected as error:
            raise ProofRejected(f"line {line_number}: {error}") from error
        added, is_refuted = added + 1, not clause
    if not is_refuted:
        raise ProofRejected("the proof ends without the empty clause")
    return added


def _check_follows(clauses: _ClausesByNumber, clause: Sequence[int], hints: Sequence[int]) -> None:
    """Raise ProofRejected unless the clause follows from its hints."""
    false = {*clause}
    for position, hint in enumerate(hints, 1):
        open_literals = clauses[hint] - false
        if not open_literals and position == len(hints):
            return
        if len(open_literals) != 1:
            raise ProofRejected(
                f"hint {hint} has {len(open_literals)} literals left, where 1 is expected"
            )
        (unit,) = open_literals
        if -unit in false:
            raise ProofRejected(f"hint {hint} is satisfied already")
        false.add(-unit)
    raise ProofRejected("the clause does not follow from its hints")


class _ClausesByNumber(dict[int, frozenset[int]]):
    """Maps numbers to clauses. A clause of the formula is added when it is first looked up."""

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
        """Add a clause. Raises ProofRejected if its number is too low or a literal is invalid."""
        if number <= self._last:
            raise ProofRejected(f"clause number {number} is not above {self._last}, the last one")
        variables = {*map(abs, clause)}
        if len(variables) < len(clause):
            raise ProofRejected("a variable is named twice")
        if max(variables, default=0) > self._formula.variables:
            raise ProofRejected(
                f"variable {max(variables)}, but there are only {self._formula.variables}"
            )
        self[number] = frozenset(clause)
        self._last = number

    def delete(self, numbers: Iterable[int]) -> None:
        """Delete clauses. Raises ProofRejected for a number that has no clause."""
        for number in numbers:
            _ = self[number]
            del self[number]
            self._deleted.add(number)


def proof_lines(text: str, max_characters: int, deadline: Deadline) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the content of each line of a proof.

    Raises ProofRejected if `text` is longer than `max_characters` or does not end with a newline,
    and LimitReached when the deadline has passed.
    """
    if len(text) > max_characters:
        raise ProofRejected(f"the proof is longer than {max_characters:,} characters")
    start, line_number = 0, 1
    while start < len(text):
        if line_number % _CHECK_INTERVAL == 1:
            deadline.check()
        end = text.find("\n", start)
        if end < 0:
            raise ProofRejected(
                f"the last line does not end with a newline: {text[start : start + 40]!r}"
            )
        yield line_number, text[start:end]
        start, line_number = end + 1, line_number + 1


def drat_of(text: str) -> str:
    """Convert an LRAT proof to DRAT: keep the clauses, without numbers and hints."""
    return _CLAUSE.sub(r"\1\2", text)
