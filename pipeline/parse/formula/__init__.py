"""Formula: any SAT problem in DIMACS CNF, as SATLIB and the SAT competitions write it.

    c a comment
    p cnf 3 2
    1 -3 0 2 3
    -1 0

Lines that begin with `c` are comments, wherever they stand, and may hold any bytes. The header
tells how many variables and clauses there are, exactly. Literals are separated by white space,
a clause ends with 0 and not with its line. A line `%`, and a 0 behind it, end the formula: so do
SATLIB's files of random formulas (uf20, uuf50).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.limits import NEVER, Deadline
from pipeline.parse import oversize
from pipeline.parse.formula.body import Body
from pipeline.parse.formula.model import Model, read_model
from pipeline.parse.formula.words import MOST_VARIABLES, read_header, universal
from pipeline.settings import MAX_BYTES

__all__ = [
    "CNF_FORMAT",
    "MOST_VARIABLES",
    "Clauses",
    "Model",
    "ParsedFormula",
    "looks_like_cnf",
    "parse_formula",
    "proof_clauses",
    "read_model",
]

CNF_FORMAT = "cnf"

_BEFORE_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?+(?:[ \t]*+(?:c[^\r\n]*+)?+[\r\n]++)*+[ \t]*+")
_LONGEST_HEADER = 200
_HEADER = re.compile(rb"p[ \t]+(?:[A-Za-z]{2}|c?\Z)")


@dataclass(frozen=True, slots=True)
class Clauses(Iterable[tuple[int, ...]]):
    """Clauses in four bytes a literal and twelve a clause; each is made a tuple when asked for.

    `literals` are those of all clauses, each followed by a 0; `ends` the places of the zeros.
    """

    literals: array[int]
    ends: array[int]

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        literals, start = self.literals, 0
        for end in self.ends:
            yield tuple(literals[start:end])
            start = end + 1


@dataclass(frozen=True, slots=True)
class ParsedFormula:
    """A formula as it is `written`, and in the `clauses` that say the same.

    `variables` is the header's count; no literal is beyond it. `clauses` are those written, in
    that order, without the `tautologies`, which hold a literal and its negation, and without
    the `duplicates`, literals that stand in their clause already. Where there are neither, the
    two are one object. `reason` says why the source was taken for a formula.
    """

    variables: int
    written: Clauses
    clauses: Clauses
    tautologies: int
    duplicates: int
    reason: str = "it has a header 'p cnf'"

    @property
    def written_clauses(self) -> int:
        return len(self.written)


def looks_like_cnf(head: bytes) -> bool:
    """Whether the first line that is neither empty nor a comment is a DIMACS header.

    Any `p KIND …` is one, `p wcnf` too, so that it can be said what is wrong with it; but not a
    row of cells, `p . . a`. `head` is the source, or so much of it that it holds that line.
    """
    before = _BEFORE_HEADER.match(head)
    line = head[before.end() if before else 0 :][:_LONGEST_HEADER]
    return _HEADER.match(re.split(rb"[\r\n]", line, maxsplit=1)[0]) is not None


def parse_formula(
    data: bytes, source: str, max_bytes: int = MAX_BYTES, deadline: Deadline = NEVER
) -> ParsedFormula:
    """The formula that a DIMACS text holds; `source` names it in messages.

    Raises InvalidPuzzle with line and column; a source of more than `max_bytes` bytes is not
    looked at. Takes about a second for a million literals; raises LimitReached where the deadline
    is earlier.
    """
    if len(data) > max_bytes:
        raise oversize(source, max_bytes, "more")
    text = universal(data)
    header = read_header(text, source)
    body = Body(text, source, header)
    body.read(deadline)
    places = deadline.watch(enumerate(body.literals))
    zeros = array("q", (place for place, literal in places if literal == 0))
    return _normalised(header.variables, Clauses(body.literals, zeros), deadline)


def proof_clauses(
    parsed: ParsedFormula, models: Iterable[Sequence[int]] = ()
) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """(number of variables, clauses) for a DRAT proof that there is no model but these.

    The clauses are those written, in that order: tautologies left out, and of equal literals in
    a clause the first one kept. Then comes, for each model, the clause of its negated literals.
    """
    blocking = (tuple(-literal for literal in model) for model in models)
    return parsed.variables, (*parsed.clauses, *blocking)


def _normalised(variables: int, written: Clauses, deadline: Deadline) -> ParsedFormula:
    """What a checker of proofs takes: no tautologies, no literal twice in a clause."""
    if all(len({*map(abs, clause)}) == len(clause) for clause in deadline.watch(written)):
        return ParsedFormula(variables, written, written, 0, 0)
    kept = Clauses(array("i"), array("q"))
    duplicates = 0
    for clause in deadline.watch(written):
        literals = dict.fromkeys(clause)
        if any(-literal in literals for literal in literals):
            continue
        duplicates += len(clause) - len(literals)
        kept.literals.extend((*literals, 0))
        kept.ends.append(len(kept.literals) - 1)
    return ParsedFormula(variables, written, kept, len(written) - len(kept), duplicates)
