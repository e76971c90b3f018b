"""Cnf → DIMACS text, and a solver's result text → Answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from pipeline.cnf import MAX_VARIABLE, Answer, Clause, Cnf, Family, Sat, Unknown, Unsat, Written
from pipeline.errors import InvalidResult

_CHUNK = 4096
_LITERAL = re.compile(r"[-+]?[0-9]{1,10}")
_STATUS: dict[str, str] = {
    "SAT": "sat",
    "SATISFIABLE": "sat",
    "UNSAT": "unsat",
    "UNSATISFIABLE": "unsat",
    "INDET": "unknown",
    "INDETERMINATE": "unknown",
    "UNKNOWN": "unknown",
}


def clause_lines(clauses: Iterable[Clause]) -> Iterator[str]:
    """The clauses as text, many lines at a time."""
    if isinstance(clauses, Written):
        yield clauses.text
        return
    remaining = iter(clauses)
    while chunk := list(islice(remaining, _CHUNK)):
        if max(map(len, chunk)) == min(map(len, chunk)) == 2:
            yield "".join(["%d %d 0\n" % clause for clause in chunk])
        else:
            yield "".join([" ".join(map(str, (*clause, "0\n"))) for clause in chunk])


def header(variables: int, clauses: int) -> str:
    return f"p cnf {variables} {clauses}\n"


def dimacs_lines(cnf: Cnf, extra: Iterable[Clause] = ()) -> Iterator[str]:
    """The whole DIMACS text in pieces: a comment, the header, then each family with its title.

    `extra` clauses (they block solutions) come last.
    """
    geometry = cnf.geometry
    families = list(cnf.families)
    blocking = list(extra)
    if blocking:
        families.append(Family("solutions found, each blocked", len(blocking), blocking))
    n = geometry.side
    yield (f"c Sudoku {n}x{n}, boxes {geometry.height}x{geometry.width}, encoding {cnf.encoding}\n")
    yield f"c {len(cnf.candidates)} candidates have a variable, {len(cnf.fixed)} are decided\n"
    yield header(cnf.variables, sum(family.size for family in families))
    for family in families:
        yield f"c {family.title}: {family.size}\n"
        yield from clause_lines(family.clauses)


def parse_result(text: str) -> Answer:
    """Parse a solver's result file.

    Minisat's (`SAT` and a line of literals, `UNSAT`, `INDET`) or the SAT competition's (`s …`
    and `v …` lines, `c` comments). Raises InvalidResult for anything else, and for a model
    that does not end with 0 or has a literal and its negation.
    """
    status: str | None = None
    words: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content or content == "c" or content.startswith("c "):
            continue
        if content[0] in "sv" and (content[1:2].isspace() or len(content) == 1):
            content = content[1:].strip()
        if content in _STATUS:
            if status is not None:
                raise InvalidResult(f"line {number}: a second verdict, {content!r}")
            status = _STATUS[content]
        elif status == "sat":
            words += content.split()
        else:
            raise InvalidResult(
                f"line {number}: expected SAT, UNSAT, INDET or an 's' line, found {content[:20]!r}"
            )
    match status:
        case "sat":
            return Sat(_model(words))
        case "unsat":
            return Unsat()
        case "unknown":
            return Unknown("the solver gave up")
    raise InvalidResult("expected SAT, UNSAT, INDET or an 's' line, found an empty result")


def _model(words: list[str]) -> frozenset[int]:
    if not words or words[-1] != "0":
        raise InvalidResult("the model is not ended by 0")
    odd = next((word for word in words if not _LITERAL.fullmatch(word)), None)
    if odd is not None:
        raise InvalidResult(f"expected a literal, found {odd[:20]!r}")
    model = frozenset(map(int, words[:-1]))
    if any(literal == 0 or abs(literal) > MAX_VARIABLE or -literal in model for literal in model):
        raise InvalidResult("the model has a 0 inside, a literal out of range or a contradiction")
    return model
