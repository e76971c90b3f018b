"""The input of a SAT solver (`Cnf`) and its DIMACS text, and the solver's `Answer`.

A literal is a non-zero int as in DIMACS; a clause is a tuple of literals. Each variable of a
puzzle's CNF is a candidate or an auxiliary variable of a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from operator import neg
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
"""Maximum variable. A higher one overflows minisat's literals, and its verdicts are then wrong."""


@dataclass(frozen=True, slots=True)
class LazyClauses(Iterable[Clause]):
    """Clauses that are generated again by each iteration, so that they take no memory."""

    generate: Callable[[], Iterator[Clause]]

    def __iter__(self) -> Iterator[Clause]:
        return self.generate()


_MIN_NUMPY_BYTES = 1 << 16
"""Minimum size in bytes of packed clauses that are processed with numpy."""

_LITERALS_PER_CHUNK = 1 << 18
"""Number of literals in a chunk of text."""

_MAX_TABLE_BITS = 16
"""Maximum number of bits of a variable for which `_literal_texts` makes a table."""


@lru_cache(maxsize=8)
def _literal_texts(bits: int) -> NDArray[np.bytes_]:
    """The DIMACS texts of 0 and of all literals with up to `bits` bits, indexed by literal."""
    import numpy as np  # noqa: PLC0415 - slow to load

    variables = range(1, 1 << bits)
    literals = *variables, *(-variable for variable in reversed(variables))
    return np.array([b"0\n", *(b"%d " % literal for literal in literals)])


@dataclass(frozen=True, slots=True)
class Family:
    """Clauses that state one requirement. `size`: the number of clauses."""

    title: str
    size: int
    clauses: Iterable[Clause]


@dataclass(frozen=True, slots=True)
class Cnf:
    """Clauses in families, and the map from variable to candidate.

    - `variables`: the highest variable, as in the DIMACS header.
    - `candidates`: maps variables to candidates.
    - `fixed`: candidates that are true in every model and have no variable; only in `reduced`.
    - `auxiliary`: the number of auxiliary variables of rules.

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
        """The number of clauses."""
        return sum(family.size for family in self.families)

    @property
    def stats(self) -> Encoding:
        """The encoding and its size, for records. Unused variable numbers are not counted."""
        variables = len(self.candidates) + self.auxiliary
        return Encoding(name=self.encoding, variables=variables, clauses=self.size)

    def clauses(self) -> Iterator[Clause]:
        """Yield all clauses, family by family."""
        return chain.from_iterable(family.clauses for family in self.families)

    def satisfied_by(self, model: AbstractSet[int], deadline: Deadline = NEVER) -> bool:
        """Whether the set of literals is consistent and satisfies every clause.

        Raises LimitReached when the deadline has passed.
        """
        if not model.isdisjoint(map(neg, model)):
            return False
        all_clauses = [family.clauses for family in self.families]
        packed = [clauses for clauses in all_clauses if is_numpy_worth_it(clauses)]
        other_families = [clauses for clauses in all_clauses if not is_numpy_worth_it(clauses)]
        if any(map(model.isdisjoint, deadline.watch(chain.from_iterable(other_families)))):
            return False
        if packed:
            deadline.check()
            is_true = self._truth_table(model)
            return all(clauses.hold_for(is_true) for clauses in packed)
        return True

    def _truth_table(self, model: AbstractSet[int]) -> NDArray[np.bool_]:
        """Whether each literal is true, indexed by literal, for `PackedClauses.hold_for`."""
        import numpy as np  # noqa: PLC0415 - slow to load

        is_true = np.zeros(2 * self.variables + 1, np.bool_)
        literals = [literal for literal in model if abs(literal) <= self.variables]
        is_true[literals] = True
        return is_true

    def blocking(self, model: AbstractSet[int]) -> Clause:
        """The clause that blocks only the solution of this model.

        For a puzzle, the clause negates only the true candidates. Every other grid satisfies it,
        because it differs in some cell.
        """
        if self.geometry is None:
            return tuple(-literal for literal in whole_model(model, self.variables))
        return tuple(-literal for literal in sorted(model) if literal in self.candidates)


@dataclass(frozen=True, slots=True)
class Sat:
    """The clauses are satisfiable. `model`: the true literals, positive and negative."""

    model: frozenset[int]


@dataclass(frozen=True, slots=True)
class Unsat:
    """The clauses are unsatisfiable."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The solver gave no verdict. `reason`: the limit that was reached."""

    reason: str


Answer = Sat | Unsat | Unknown
"""The answer of a solver."""


def decode_model(model: AbstractSet[int], cnf: Cnf) -> Grid:
    """Decode a model of `cnf`, a set of true literals, into a grid.

    The grid includes the `fixed` candidates, which have no variable:

        >>> from pipeline import encode_puzzle, parse_puzzle
        >>> decode_model(set(), encode_puzzle(parse_puzzle("1.....2..3.....4"))).values[:4]
        (1, 2, 4, 3)

    Raises SolverError unless every cell gets exactly one value.
    """
    geometry = cnf.geometry
    assert geometry  # noqa: S101
    blank = geometry.lowest - 1
    values = [blank] * geometry.size
    true_candidates = [*cnf.fixed]
    true_candidates += (
        cnf.candidates[literal] for literal in model if literal > 0 and literal in cnf.candidates
    )
    cells = geometry.cells_at(*((row, column) for row, column, _ in true_candidates))
    for cell, (row, column, value) in zip(cells, true_candidates, strict=True):
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
    """The model as one literal for each variable 1 … `variables`; missing variables are false."""
    return tuple([v if v in model else -v for v in range(1, variables + 1)])


def blocking_clause(grid: Grid, cnf: Cnf) -> Clause:
    """The clause over the variables of `cnf` that blocks only this grid."""
    chosen = {(*grid.geometry.place(cell), value) for cell, value in enumerate(grid.values)}
    return tuple(-x for x, candidate in cnf.candidates.items() if candidate in chosen)


_CLAUSES_PER_CHUNK = 4096
"""Number of clauses in a chunk of text."""

_LITERAL = re.compile(r"[-+]?[0-9]{1,10}")
_VERDICTS = {
    **dict.fromkeys(("SAT", "SATISFIABLE"), "sat"),
    **dict.fromkeys(("UNSAT", "UNSATISFIABLE"), "unsat"),
    **dict.fromkeys(("INDET", "INDETERMINATE", "UNKNOWN"), "unknown"),
}
"""Words in result files → verdict."""


def _packed_lines(clauses: PackedClauses) -> Iterator[str]:
    """Yield the DIMACS lines of packed clauses, in chunks of many lines."""
    numbers = clauses.array
    bits = int(abs(numbers).max(initial=0)).bit_length()
    if bits > _MAX_TABLE_BITS:
        yield from clause_lines(iter(clauses))
        return
    words = _literal_texts(bits)
    for start in range(0, len(numbers), _LITERALS_PER_CHUNK):
        chunk = words[numbers[start : start + _LITERALS_PER_CHUNK]]
        yield chunk.tobytes().translate(None, b"\0").decode("ascii")


def clause_lines(clauses: Iterable[Clause]) -> Iterator[str]:
    """Yield the DIMACS lines of clauses, in chunks of many lines."""
    if is_numpy_worth_it(clauses):
        yield from _packed_lines(clauses)
        return
    remaining = iter(clauses)
    while chunk := list(islice(remaining, _CLAUSES_PER_CHUNK)):
        if max(map(len, chunk)) == min(map(len, chunk)) == 2:
            yield "".join(["%d %d 0\n" % clause for clause in chunk])
        else:
            yield "".join([" ".join(map(str, (*clause, "0\n"))) for clause in chunk])


def is_numpy_worth_it(clauses: Iterable[Clause]) -> TypeGuard[PackedClauses]:
    """Whether the clauses are packed, and numerous enough that loading numpy pays."""
    return isinstance(clauses, PackedClauses) and len(clauses.data) > _MIN_NUMPY_BYTES


def dimacs_header(variables: int, clauses: int) -> str:
    """The header line of a DIMACS text, with the numbers of variables and clauses."""
    return f"p cnf {variables} {clauses}\n"


def cnf_texts(cnf: Cnf, solutions: Iterable[Grid]) -> tuple[Iterable[str], Iterable[str]]:
    """The DIMACS text of a puzzle, and the same text with the solutions blocked, in chunks."""
    blocking = [blocking_clause(grid, cnf) for grid in solutions]
    return dimacs_lines(cnf), dimacs_lines(cnf, blocking)


def dimacs_lines(cnf: Cnf, extra: Iterable[Clause] = ()) -> Iterator[str]:
    """Yield the DIMACS text in chunks: comments, the header, then each family with its title.

    `extra`: clauses that block solutions. They become the last family.
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
    """The size of a grid for a comment: `9x9, boxes 3x3`."""
    if free := geometry.free_grid:
        lowest, highest = geometry.lowest, geometry.values[-1]
        return f"{free.rows}x{free.columns}, values {lowest} to {highest}"
    n = geometry.side
    return f"{n}x{n}, boxes {geometry.height}x{geometry.width}"


def parse_result(text: str) -> Answer:
    r"""Parse the result file of a solver.

        >>> parse_result("SAT\n1 -2 0\n").model == {1, -2}
        True

    The format is the one of minisat (`SAT` and a line of literals, `UNSAT`, `INDET`) or of the SAT
    competitions (`s …` and `v …` lines, `c` comments). Raises InvalidResult for any other
    text, and for a model that does not end with 0 or contains a literal and its negation.
    """
    status: str | None = None
    words: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content or content == "c" or content.startswith("c "):
            continue
        if content[0] in "sv" and (content[1:2].isspace() or len(content) == 1):
            content = content[1:].strip()
        if content in _VERDICTS:
            if status is not None:
                raise InvalidResult(f"line {number}: a second verdict, {content!r}")
            status = _VERDICTS[content]
        elif status == "sat":
            words += content.split()
        else:
            raise InvalidResult(
                f"line {number}: expected SAT, UNSAT, INDET or an 's' line, found {content[:20]!r}"
            )
    match status:
        case "sat":
            return Sat(_parse_model(words))
        case "unsat":
            return Unsat()
        case "unknown":
            return Unknown("the solver gave up")
    raise InvalidResult("expected SAT, UNSAT, INDET or an 's' line, found an empty result")


def _parse_model(words: list[str]) -> frozenset[int]:
    """Parse the literals of a model, which end with 0. Raises InvalidResult."""
    if not words or words[-1] != "0":
        raise InvalidResult("the model does not end with 0")
    wrong_word = next((word for word in words if not _LITERAL.fullmatch(word)), None)
    if wrong_word is not None:
        raise InvalidResult(f"expected a literal, found {wrong_word[:20]!r}")
    model = frozenset(map(int, words[:-1]))
    if any(literal == 0 or abs(literal) > MAX_VARIABLE or -literal in model for literal in model):
        raise InvalidResult("the model has a 0 inside, a literal out of range or a contradiction")
    return model
