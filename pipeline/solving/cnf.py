"""The input of a SAT solver (`Cnf`), its DIMACS text, and its `Answer`.

A literal is a non-zero int as in DIMACS, a clause is a tuple of literals. Each variable of a
puzzle's CNF means one candidate, or is an auxiliary variable of a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeGuard

from pipeline.errors import InvalidResult, SolverError
from pipeline.limits import NEVER, Deadline
from pipeline.puzzle.clauses import Clause, PackedClauses
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Candidate, Grid
from pipeline.solving import Encoding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_VARIABLE = 2**31 - 1
"""Higher variables overflow minisat's literals, and its verdicts are wrong."""


@dataclass(frozen=True, slots=True)
class LazyClauses(Iterable[Clause]):
    """Clauses that each iteration generates again, so that a large family takes no memory."""

    make: Callable[[], Iterator[Clause]]

    def __iter__(self) -> Iterator[Clause]:
        return self.make()


_NUMPY_BYTES = 1 << 16
"""Size in bytes from which numpy processes packed clauses."""

_TEXT_CHUNK = 1 << 18
"""Literals of a chunk of text."""

_MAX_TABLE_BITS = 16
"""Bits of the largest variable for which there is a table of texts."""


@lru_cache(maxsize=8)
def _literal_texts(bits: int) -> NDArray[np.bytes_]:
    """The texts of 0 and of all literals below 2^`bits`, with negative ones at the end."""
    import numpy as np  # noqa: PLC0415 - as above

    variables = range(1, 1 << bits)
    literals = *variables, *(-variable for variable in reversed(variables))
    return np.array([b"0\n", *(b"%d " % literal for literal in literals)])


@dataclass(frozen=True, slots=True)
class Family:
    """Clauses with one meaning: a title, the number of clauses, and the clauses."""

    title: str
    size: int
    clauses: Iterable[Clause]


@dataclass(frozen=True, slots=True)
class Cnf:
    """Clauses in families, and the map from variable to candidate.

    variables: the count in the DIMACS header, which is the highest variable.
    fixed: candidates that hold in every model and have no variable; only `reduced` has them.
    auxiliary: the number of auxiliary variables of rules.

    If the formula does not encode a puzzle, `geometry` is None and `candidates` is empty.
    """

    geometry: Geometry | None
    encoding: str
    variables: int
    families: tuple[Family, ...]
    candidates: Mapping[int, Candidate]
    fixed: tuple[Candidate, ...] = ()
    auxiliary: int = 0

    def __post_init__(self) -> None:
        if self.variables > MAX_VARIABLE:
            raise ValueError(f"{self.variables} variables: solvers take at most {MAX_VARIABLE}")

    @property
    def size(self) -> int:
        return sum(family.size for family in self.families)

    @property
    def stats(self) -> Encoding:
        """The encoding and its size, as records have them. `variables` counts those in use."""
        variables = len(self.candidates) + self.auxiliary
        return Encoding(name=self.encoding, variables=variables, clauses=self.size)

    def clauses(self) -> Iterator[Clause]:
        """All clauses, family by family."""
        return chain.from_iterable(family.clauses for family in self.families)

    def satisfied_by(self, model: AbstractSet[int], deadline: Deadline = NEVER) -> bool:
        """Whether the set of literals is consistent and satisfies every clause.

        Raises LimitReached when the deadline has passed.
        """
        if any(-literal in model for literal in model):
            return False
        all_clauses = [family.clauses for family in self.families]
        packed = [clauses for clauses in all_clauses if is_numpy_worth_it(clauses)]
        other_families = [clauses for clauses in all_clauses if not is_numpy_worth_it(clauses)]
        if any(map(model.isdisjoint, deadline.watch(chain.from_iterable(other_families)))):
            return False
        if packed:
            deadline.check()
            is_true = self._true_literals_table(model)
            return all(clauses.hold_for(is_true) for clauses in packed)
        return True

    def _true_literals_table(self, model: AbstractSet[int]) -> NDArray[np.bool_]:
        """The truth value of each literal, as `PackedClauses.hold_for` takes it."""
        import numpy as np  # noqa: PLC0415 - as above

        is_true = np.zeros(2 * self.variables + 1, np.bool_)
        literals = [literal for literal in model if abs(literal) <= self.variables]
        is_true[literals] = True
        return is_true

    def blocking(self, model: AbstractSet[int]) -> Clause:
        """The clause that blocks the solution of this model, and no other.

        The true candidates of a puzzle suffice, because every other grid differs in some cell.
        """
        if self.geometry is None:
            return tuple(-literal for literal in whole_model(model, self.variables))
        return tuple(-literal for literal in sorted(model) if literal in self.candidates)


@dataclass(frozen=True, slots=True)
class Sat:
    """Satisfiable. `model` is the set of true literals, negative ones included."""

    model: frozenset[int]


@dataclass(frozen=True, slots=True)
class Unsat:
    """Unsatisfiable."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No verdict. `reason` names the limit that was hit."""

    reason: str


Answer = Sat | Unsat | Unknown


def decode_model(model: AbstractSet[int], cnf: Cnf) -> Grid:
    """Decode a model of `cnf`, a set of true literals, into its grid.

    Candidates that propagation decided have no literal:

        >>> from pipeline import encode_puzzle, parse_puzzle
        >>> decode_model(set(), encode_puzzle(parse_puzzle("1.....2..3.....4"))).values[:4]
        (1, 2, 4, 3)

    Raises SolverError unless every cell gets exactly one value.
    """
    geometry = cnf.geometry
    assert geometry  # noqa: S101
    blank = geometry.lowest - 1
    values = [blank] * geometry.size
    chosen = [*cnf.fixed]
    chosen += (
        cnf.candidates[literal] for literal in model if literal > 0 and literal in cnf.candidates
    )
    cells = geometry.cells_at(*((row, column) for row, column, _ in chosen))
    for cell, (row, column, value) in zip(cells, chosen, strict=True):
        if values[cell] != blank:
            raise SolverError(
                f"the model gives row {row}, column {column} two values, {values[cell]} and {value}"
            )
        values[cell] = value
    if blank in values:
        row, column = geometry.place(values.index(blank))
        raise SolverError(f"the model leaves row {row}, column {column} without a value")
    return Grid(geometry, tuple(values))


def whole_model(model: AbstractSet[int], variables: int) -> tuple[int, ...]:
    """The model with a literal for each of 1 … `variables`, negative if the solver left it out."""
    return tuple([v if v in model else -v for v in range(1, variables + 1)])


def blocking_clause(grid: Grid, cnf: Cnf) -> Clause:
    """The clause over the variables of `cnf` that blocks this grid and no other."""
    chosen = {(*grid.geometry.place(cell), value) for cell, value in enumerate(grid.values)}
    return tuple(-x for x, candidate in cnf.candidates.items() if candidate in chosen)


_LINES_CHUNK = 4096
"""Clauses of a chunk of text."""

_LITERAL = re.compile(r"[-+]?[0-9]{1,10}")
_STATUS = {
    **dict.fromkeys(("SAT", "SATISFIABLE"), "sat"),
    **dict.fromkeys(("UNSAT", "UNSATISFIABLE"), "unsat"),
    **dict.fromkeys(("INDET", "INDETERMINATE", "UNKNOWN"), "unknown"),
}


def _packed_lines(clauses: PackedClauses) -> Iterator[str]:
    """The text of packed clauses, one line each, in chunks of many lines."""
    numbers = clauses.array
    bits = int(abs(numbers).max(initial=0)).bit_length()
    if bits > _MAX_TABLE_BITS:
        yield from clause_lines(iter(clauses))
        return
    words = _literal_texts(bits)
    for start in range(0, len(numbers), _TEXT_CHUNK):
        chunk = words[numbers[start : start + _TEXT_CHUNK]]
        yield chunk.tobytes().translate(None, b"\0").decode("ascii")


def clause_lines(clauses: Iterable[Clause]) -> Iterator[str]:
    """The text of clauses, one line each, in chunks of many lines."""
    if is_numpy_worth_it(clauses):
        yield from _packed_lines(clauses)
        return
    remaining = iter(clauses)
    while chunk := list(islice(remaining, _LINES_CHUNK)):
        if max(map(len, chunk)) == min(map(len, chunk)) == 2:
            yield "".join(["%d %d 0\n" % clause for clause in chunk])
        else:
            yield "".join([" ".join(map(str, (*clause, "0\n"))) for clause in chunk])


def is_numpy_worth_it(clauses: Iterable[Clause]) -> TypeGuard[PackedClauses]:
    """Whether these are packed clauses large enough that loading numpy pays."""
    return isinstance(clauses, PackedClauses) and len(clauses.data) > _NUMPY_BYTES


def dimacs_header(variables: int, clauses: int) -> str:
    return f"p cnf {variables} {clauses}\n"


def cnf_texts(cnf: Cnf, solutions: Iterable[Grid]) -> tuple[Iterable[str], Iterable[str]]:
    """The DIMACS text of a puzzle, and the text with each solution blocked, both in chunks."""
    blocking = [blocking_clause(grid, cnf) for grid in solutions]
    return dimacs_lines(cnf), dimacs_lines(cnf, blocking)


def dimacs_lines(cnf: Cnf, extra: Iterable[Clause] = ()) -> Iterator[str]:
    """The DIMACS text in chunks: a comment, the header, then each family with its title.

    The `extra` clauses, which block solutions, come last.
    """
    families = list(cnf.families)
    blocking = list(extra)
    if blocking:
        families.append(Family("solutions found, each blocked", len(blocking), blocking))
    if cnf.geometry:
        yield f"c Sudoku {_size_text(cnf.geometry)}, encoding {cnf.encoding}\n"
        yield f"c {len(cnf.candidates)} candidates have a variable, {len(cnf.fixed)} are decided\n"
    yield dimacs_header(cnf.variables, sum(family.size for family in families))
    for family in families:
        yield f"c {family.title}: {family.size}\n"
        yield from clause_lines(family.clauses)


def _size_text(geometry: Geometry) -> str:
    if free := geometry.free_grid:
        lowest, highest = geometry.lowest, geometry.values[-1]
        return f"{free.rows}x{free.columns}, values {lowest} to {highest}"
    n = geometry.side
    return f"{n}x{n}, boxes {geometry.height}x{geometry.width}"


def parse_result(text: str) -> Answer:
    r"""Parse the result file of a solver.

        >>> parse_result("SAT\n1 -2 0\n").model == {1, -2}
        True

    The format is minisat's (`SAT` and a line of literals, `UNSAT`, `INDET`) or that of the SAT
    competitions (`s …` and `v …` lines, `c` comments). Raises InvalidResult for anything else, and
    for a model that does not end with 0 or has a literal and its negation.
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
        raise InvalidResult("the model does not end with 0")
    wrong_word = next((word for word in words if not _LITERAL.fullmatch(word)), None)
    if wrong_word is not None:
        raise InvalidResult(f"expected a literal, found {wrong_word[:20]!r}")
    model = frozenset(map(int, words[:-1]))
    if any(literal == 0 or abs(literal) > MAX_VARIABLE or -literal in model for literal in model):
        raise InvalidResult("the model has a 0 inside, a literal out of range or a contradiction")
    return model
