"""The problems that can be solved: puzzles and formulas.

A problem encodes itself as a CNF, decodes and certifies models, and makes the formula that a proof
of completeness refutes. To add a kind of problem, add a subclass of `Problem`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from typing_extensions import TypeVar

from pipeline.certify import certify_grid, certify_model
from pipeline.certify.exhaustive import SearchResult
from pipeline.certify.formula import (
    MAX_CLAUSES,
    MAX_OTHER_CLAUSES,
    Formula,
    formula_size,
    proof_formula,
)
from pipeline.certify.missing import find_missing
from pipeline.errors import LimitReached
from pipeline.limits import Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.reading import Readable
from pipeline.reading.formats import Parsed, solution_text
from pipeline.reading.formats.dimacs import CNF_FORMAT, Model, ParsedFormula, proof_clauses
from pipeline.reading.read import parse_problem, unparsed_source
from pipeline.settings import EncodingChoice, Settings
from pipeline.solving.cnf import Cnf, Family, decode_model, whole_model
from pipeline.solving.encode import encode_puzzle

if TYPE_CHECKING:
    from pipeline.certify.variants import VariantSearch

SEARCH_BYTES = 20
"""Bytes of memory of an exhaustive search for each pair of cells of the grid."""

DEFAULT_MODELS = 1
"""Number of models of a formula to publish if `max_solutions` is not set."""

_MAX_LINE_WIDTH = 78
"""Maximum width of the lines that list a model."""

S = TypeVar("S", bound=Grid | Model, default=Any)
"""The type of a solution: Grid or Model."""


class Problem(ABC, Generic[S]):
    """A puzzle, whose solutions are grids, or a formula, whose solutions are models.

    - `noun`: the word for one of its solutions in messages.
    - `is_encoded`: true if an encoding makes the CNF, false if the source is a CNF.
    - `format`: the notation of the source.
    """

    noun: ClassVar[str]
    is_encoded: ClassVar[bool]

    @property
    def plain_geometry(self) -> Geometry | None:
        """The geometry of a plain puzzle (see `Puzzle.is_plain`); None for any other problem.

        Only plain puzzles are solved in batches, because a batch has masks of cells and no rules.
        """
        return None

    @property
    @abstractmethod
    def format(self) -> str: ...

    @property
    def unread(self) -> tuple[str, ...]:
        """The parts of the source that were not read, as in `Parsed`."""
        return ()

    @property
    def may_lack_clauses(self) -> bool:
        """Whether the source may be cut off. The missing clauses could exclude some solutions."""
        return False

    @abstractmethod
    def limit(self, settings: Settings) -> int:
        """The maximum number of solutions to publish."""

    def solutions_to_find(self, settings: Settings) -> int:
        """The number of solutions to find: `limit` + 1, to know whether `limit` is exceeded."""
        return self.limit(settings) + 1

    @abstractmethod
    def encode(self, encoding: EncodingChoice, limits: Limits) -> Cnf:
        """The CNF whose models are the solutions. Raises LimitReached."""

    @abstractmethod
    def decode(self, model: AbstractSet[int], cnf: Cnf) -> S:
        """Decode a model of `cnf` into a solution. Raises SolverError if that is impossible."""

    @abstractmethod
    def fault(self, solution: S, solver: str) -> str | None:
        """Why this is not a solution, in a message that names `solver`; None if it is one."""

    def open_search(self, seconds: float) -> VariantSearch | None:  # noqa: ARG002
        """A search that can stop and continue; None unless the problem is a variant.

        `seconds`: the time limit of its preparation.
        """
        return None

    def search_all(
        self,
        solutions: Sequence[S],  # noqa: ARG002
        max_solutions: int,  # noqa: ARG002
        limits: Limits,  # noqa: ARG002
        search: VariantSearch | None = None,  # noqa: ARG002
    ) -> SearchResult | None:
        """Search for up to `max_solutions` solutions that are not in `solutions`.

        `solutions` must be distinct. `search`: the search to continue; by default a new one.
        Returns None if the problem cannot be searched. Raises LimitReached if there is too little
        memory.
        """
        return None

    @abstractmethod
    def refutation_size(self, solutions: Sequence[S]) -> tuple[int, int]:
        """Upper bounds of the numbers of clauses and of literals of `refutation`.

        Raises LimitReached if there are too many clauses for a proof.
        """

    @abstractmethod
    def refutation(self, solutions: Sequence[S]) -> Formula:
        """A formula that is unsatisfiable if and only if there are no other solutions.

        Raises LimitReached if it is too large.
        """

    @abstractmethod
    def text(self, solution: S) -> Iterable[str]:
        """The text of a solution file, in chunks."""


@dataclass(frozen=True, slots=True)
class PuzzleProblem(Problem[Grid]):
    """A puzzle with its notation, as a problem."""

    noun = "solution"
    is_encoded = True

    parsed: Parsed

    @property
    def puzzle(self) -> Puzzle:
        return self.parsed.puzzle

    @property
    def plain_geometry(self) -> Geometry | None:
        return self.puzzle.geometry if self.puzzle.is_plain else None

    @property
    def format(self) -> str:
        return self.parsed.format

    @property
    def unread(self) -> tuple[str, ...]:
        return self.parsed.unread

    def limit(self, settings: Settings) -> int:
        return settings.solution_limit

    def encode(self, encoding: EncodingChoice, limits: Limits) -> Cnf:
        return encode_puzzle(self.puzzle, encoding, limits=limits)

    def decode(self, model: AbstractSet[int], cnf: Cnf) -> Grid:
        return decode_model(model, cnf)

    def fault(self, solution: Grid, solver: str) -> str | None:
        violations = certify_grid(self.puzzle, solution)
        return f"the grid of {solver} is not a solution: {violations[0]}" if violations else None

    def open_search(self, seconds: float) -> VariantSearch | None:
        if self.puzzle.is_plain:
            return None
        from pipeline.certify.variants import VariantSearch  # noqa: PLC0415 - loads numpy

        return VariantSearch(self.puzzle, time.monotonic() + seconds)

    def search_all(
        self,
        solutions: Sequence[Grid],
        max_solutions: int,
        limits: Limits,
        search: VariantSearch | None = None,
    ) -> SearchResult:
        if self.puzzle.is_plain:
            limits.check_memory(SEARCH_BYTES * self.puzzle.geometry.side**4)
        seconds = limits.seconds - limits.spent
        return find_missing(
            self.puzzle, solutions, max_solutions=max_solutions, seconds=seconds, search=search
        )

    def refutation_size(self, solutions: Sequence[Grid]) -> tuple[int, int]:  # noqa: ARG002
        # Above MAX_CLAUSES, `refutation` raises LimitReached.
        clauses = min(formula_size(self.puzzle.geometry), MAX_CLAUSES)
        if not self.puzzle.rules:
            return clauses, 2 * clauses
        rule_clauses = self.puzzle.clauses_of_rules()
        return clauses + len(rule_clauses), 2 * clauses + rule_clauses.size

    def refutation(self, solutions: Sequence[Grid]) -> Formula:
        return proof_formula(self.puzzle, solutions)

    def text(self, solution: Grid) -> Iterable[str]:
        return [solution_text(self.parsed, solution)]


@dataclass(frozen=True, slots=True)
class FormulaProblem(Problem[Model]):
    """A formula in DIMACS CNF, as a problem."""

    noun = "model"
    is_encoded = False
    format = CNF_FORMAT

    parsed: ParsedFormula

    @property
    def unread(self) -> tuple[str, ...]:
        return self.parsed.unread

    @property
    def may_lack_clauses(self) -> bool:
        return self.parsed.is_short

    def limit(self, settings: Settings) -> int:
        return settings.max_solutions or DEFAULT_MODELS

    def solutions_to_find(self, settings: Settings) -> int:
        """`limit` + 1, as for a puzzle, but only 1 if `limit` is 1."""
        limit = self.limit(settings)
        return limit + 1 if limit > 1 else 1

    def encode(self, encoding: EncodingChoice, limits: Limits) -> Cnf:  # noqa: ARG002
        clauses = self.parsed.clauses
        family = Family("clauses", len(clauses), clauses)
        return Cnf(None, "none", self.parsed.variables, (family,), {})

    def decode(self, model: AbstractSet[int], cnf: Cnf) -> Model:
        return whole_model(model, cnf.variables)

    def fault(self, solution: Model, solver: str) -> str | None:
        broken = certify_model(self.parsed.written, solution)
        if broken is None:
            return None
        return f"the model of {solver} does not satisfy clause {broken + 1}"

    def refutation_size(self, solutions: Sequence[Model]) -> tuple[int, int]:
        clauses = len(self.parsed.clauses)
        if clauses > MAX_OTHER_CLAUSES:
            raise LimitReached(
                f"{clauses:,} clauses; the limit for a proof is {MAX_OTHER_CLAUSES:,}"
            )
        literals = self.parsed.clauses.size + clauses  # each clause ends with a 0
        return clauses, literals + len(solutions) * self.parsed.variables

    def refutation(self, solutions: Sequence[Model]) -> Formula:
        return Formula(*proof_clauses(self.parsed, solutions))

    def text(self, solution: Model) -> Iterable[str]:
        return model_lines(solution)


def model_lines(model: Model) -> Iterator[str]:
    """Yield the lines of a model in the notation of the SAT competitions."""
    yield "s SATISFIABLE\n"
    line = "v"
    for word in chain(map(str, model), ["0"]):
        if len(line) + 1 + len(word) > _MAX_LINE_WIDTH:
            yield line + "\n"
            line = "v"
        line += " " + word
    yield line + "\n"


def problem_in(source: Readable, settings: Settings) -> PuzzleProblem | FormulaProblem:
    """Make the problem of a source, parsed or not. Raises InvalidPuzzle, LimitReached."""
    parsed = parse_problem(source, settings)
    return PuzzleProblem(parsed) if isinstance(parsed, Parsed) else FormulaProblem(parsed)


def read_problem(data: bytes, name: str, settings: Settings) -> PuzzleProblem | FormulaProblem:
    """Read the problem in the bytes of a file called `name`. Raises the errors of `problem_in`."""
    return problem_in(unparsed_source(data, name, settings), settings)
