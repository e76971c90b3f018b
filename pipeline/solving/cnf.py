"""Cnf and Answer: the question put to a SAT solver, its DIMACS text, and the answer as a grid.

A literal is a non-zero int as in DIMACS, a clause a tuple of literals. A variable of a Cnf stands
for one candidate, or is auxiliary to a rule.
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
from pipeline.puzzle.puzzle import Candidate, Geometry, Grid
from pipeline.solving import Encoding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_VARIABLE = 2**31 - 1
"""Beyond it minisat's literals overflow and its verdicts are false."""


@dataclass(frozen=True, slots=True)
class LazyClauses(Iterable[Clause]):
    """Clauses generated anew at each iteration, so that a large family takes no memory."""

    make: Callable[[], Iterator[Clause]]

    def __iter__(self) -> Iterator[Clause]:
        return self.make()


_NUMPY_BYTES = 1 << 16
"""Packed clauses of more bytes are worked on by numpy."""

_NUMBERS = 1 << 18
"""Literals whose text is made at once."""

_MOST_BITS = 16
"""Of variables whose text is kept."""


@lru_cache(maxsize=8)
def _words(bits: int) -> NDArray[np.bytes_]:
    """The text of 0, and of all literals of variables with so many bits; see `_packed_lines`."""
    import numpy as np  # noqa: PLC0415 - as above

    variables = range(1, 1 << bits)
    literals = *variables, *(-variable for variable in reversed(variables))
    return np.array([b"0\n", *(b"%d " % literal for literal in literals)])


@dataclass(frozen=True, slots=True)
class Family:
    """Clauses of one meaning: a title for people, their number, and the clauses."""

    title: str
    size: int
    clauses: Iterable[Clause]


@dataclass(frozen=True, slots=True)
class Cnf:
    """Clauses in families, and the map from variable to candidate.

    `geometry` is None, and `candidates` is empty, if the clauses are not a puzzle's. `variables` is
    the header's count: the highest number a variable may have. `fixed` are
    the candidates that hold in every model and have no variable (`reduced` drops them).
    `auxiliary` is how many variables rules have of their own.
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
    def told(self) -> Encoding:
        """Its encoding and size, as records have them; decided candidates have no variable."""
        variables = len(self.candidates) + self.auxiliary
        return Encoding(name=self.encoding, variables=variables, clauses=self.size)

    def clauses(self) -> Iterator[Clause]:
        """All clauses in order."""
        return chain.from_iterable(family.clauses for family in self.families)

    def satisfied_by(self, model: AbstractSet[int], deadline: Deadline = NEVER) -> bool:
        """Whether the set of literals satisfies every clause and contradicts itself nowhere.

        Raises LimitReached.
        """
        if any(-literal in model for literal in model):
            return False
        is_true = None
        for clauses in (family.clauses for family in self.families):
            if not is_numpy_worth_it(clauses):
                if any(map(model.isdisjoint, deadline.watch(clauses))):
                    return False
                continue
            deadline.check()
            is_true = self._truths(model) if is_true is None else is_true
            if not clauses.hold_in(is_true):
                return False
        return True

    def _truths(self, model: AbstractSet[int]) -> NDArray[np.bool_]:
        """Whether each literal is in the model, as `PackedClauses.hold_in` takes it."""
        import numpy as np  # noqa: PLC0415 - as above

        is_true = np.zeros(2 * self.variables + 1, np.bool_)
        known = [literal for literal in model if abs(literal) <= self.variables]
        is_true[known] = True
        return is_true

    def blocking(self, model: AbstractSet[int]) -> Clause:
        """The clause that forbids the solution that the model stands for, and no other.

        A puzzle's true candidates suffice: any other grid has another value in some cell.
        """
        if self.geometry is None:
            return tuple(-literal for literal in whole_model(model, self.variables))
        return tuple(-literal for literal in sorted(model) if literal in self.candidates)


@dataclass(frozen=True, slots=True)
class Sat:
    """Satisfiable: the model is the set of its literals, negative ones included."""

    model: frozenset[int]


@dataclass(frozen=True, slots=True)
class Unsat:
    """Unsatisfiable."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No verdict, and why: which limit was hit."""

    reason: str


Answer = Sat | Unsat | Unknown


def decode_model(model: AbstractSet[int], cnf: Cnf) -> Grid:
    """Decode the grid that a model of `cnf` describes.

    `model` is the set of true literals. Candidates that propagation has decided need no literal:

        >>> from pipeline import encode_puzzle, parse_puzzle
        >>> decode_model(set(), encode_puzzle(parse_puzzle("1.....2..3.....4"))).values[:4]
        (1, 2, 4, 3)

    Raises SolverError unless every cell gets exactly one value.
    """
    geometry = cnf.geometry
    assert geometry  # noqa: S101
    nothing = geometry.lowest - 1
    values = [nothing] * geometry.size
    chosen = (
        cnf.candidates[literal] for literal in model if literal > 0 and literal in cnf.candidates
    )
    for row, column, value in chain(cnf.fixed, chosen):
        cell = geometry.cell_at(row, column)
        assert cell is not None  # noqa: S101 - it is a candidate
        if values[cell] != nothing:
            raise SolverError(
                f"the model gives row {row}, column {column} two values, {values[cell]} and {value}"
            )
        values[cell] = value
    if nothing in values:
        row, column = geometry.place(values.index(nothing))
        raise SolverError(f"the model leaves row {row}, column {column} without a value")
    return Grid(geometry, tuple(values))


def whole_model(model: AbstractSet[int], variables: int) -> tuple[int, ...]:
    """The model with a literal for each variable: negative if the solver gives none."""
    return tuple([v if v in model else -v for v in range(1, variables + 1)])


def blocking_clause(grid: Grid, cnf: Cnf) -> Clause:
    """The clause that forbids this grid and no other, over the variables of `cnf`."""
    chosen = {(*grid.geometry.place(cell), value) for cell, value in enumerate(grid.values)}
    return tuple(-variable for variable, at in cnf.candidates.items() if at in chosen)


_CHUNK = 4096
_LITERAL = re.compile(r"[-+]?[0-9]{1,10}")
_STATUS = {
    **dict.fromkeys(("SAT", "SATISFIABLE"), "sat"),
    **dict.fromkeys(("UNSAT", "UNSATISFIABLE"), "unsat"),
    **dict.fromkeys(("INDET", "INDETERMINATE", "UNKNOWN"), "unknown"),
}


def _packed_lines(clauses: PackedClauses) -> Iterator[str]:
    """The text of the clauses, a line for each, many lines at a time."""
    numbers = clauses.array
    bits = int(abs(numbers).max(initial=0)).bit_length()
    if bits > _MOST_BITS:
        yield from clause_lines(iter(clauses))
        return
    words = _words(bits)
    for start in range(0, len(numbers), _NUMBERS):
        chunk = words[numbers[start : start + _NUMBERS]]
        yield chunk.tobytes().translate(None, b"\0").decode("ascii")


def clause_lines(clauses: Iterable[Clause]) -> Iterator[str]:
    """The clauses as text, many lines at a time."""
    if is_numpy_worth_it(clauses):
        yield from _packed_lines(clauses)
        return
    remaining = iter(clauses)
    while chunk := list(islice(remaining, _CHUNK)):
        if max(map(len, chunk)) == min(map(len, chunk)) == 2:
            yield "".join(["%d %d 0\n" % clause for clause in chunk])
        else:
            yield "".join([" ".join(map(str, (*clause, "0\n"))) for clause in chunk])


def is_numpy_worth_it(clauses: Iterable[Clause]) -> TypeGuard[PackedClauses]:
    """Whether these are packed clauses, and so many that numpy saves more than it takes to load."""
    return isinstance(clauses, PackedClauses) and len(clauses.data) > _NUMPY_BYTES


def header(variables: int, clauses: int) -> str:
    return f"p cnf {variables} {clauses}\n"


def cnf_texts(cnf: Cnf, solutions: Iterable[Grid]) -> tuple[Iterable[str], Iterable[str]]:
    """The DIMACS text of a puzzle, and the same with each solution blocked; in pieces."""
    blocking = [blocking_clause(grid, cnf) for grid in solutions]
    return dimacs_lines(cnf), dimacs_lines(cnf, blocking)


def dimacs_lines(cnf: Cnf, extra: Iterable[Clause] = ()) -> Iterator[str]:
    """The whole DIMACS text in pieces: a comment, the header, then each family with its title.

    `extra` clauses (they block solutions) come last.
    """
    families = list(cnf.families)
    blocking = list(extra)
    if blocking:
        families.append(Family("solutions found, each blocked", len(blocking), blocking))
    if cnf.geometry:
        yield f"c Sudoku {_in_words(cnf.geometry)}, encoding {cnf.encoding}\n"
        yield f"c {len(cnf.candidates)} candidates have a variable, {len(cnf.fixed)} are decided\n"
    yield header(cnf.variables, sum(family.size for family in families))
    for family in families:
        yield f"c {family.title}: {family.size}\n"
        yield from clause_lines(family.clauses)


def _in_words(geometry: Geometry) -> str:
    if free := geometry.free:
        lowest, highest = geometry.lowest, geometry.values[-1]
        return f"{free.rows}x{free.columns}, values {lowest} to {highest}"
    n = geometry.side
    return f"{n}x{n}, boxes {geometry.height}x{geometry.width}"


def parse_result(text: str) -> Answer:
    r"""Parse a solver's result file.

        >>> parse_result("SAT\n1 -2 0\n").model == {1, -2}
        True

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
