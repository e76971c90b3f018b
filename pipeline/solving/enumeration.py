"""Enumerate the models of a CNF with one solver. Each model is checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from collections.abc import Set as AbstractSet
from operator import neg

from pipeline.errors import LimitReached, SolverError
from pipeline.limits import Deadline, Limits
from pipeline.puzzle.clauses import Clause
from pipeline.solving.cnf import Answer, Cnf, Sat, Unknown
from pipeline.solving.solvers import Solver

MIN_CLAUSE_BYTES = 16
"""Bytes of memory that a solver needs for a clause of two literals."""

VARIABLE_BYTES = 200
"""Bytes of memory of a variable in this process while a model is read and checked."""

MODELS_BEFORE_INDEX = 4
"""Number of models after which a `ModelIndex` saves time."""

MAX_INDEXED_CLAUSES, MAX_INDEX_BITS = 100_000, 1 << 28
"""Maximum number of clauses of a `ModelIndex`, and maximum product of its clauses and variables,
which bounds the bits of its sets: some tens of megabytes.
"""


def enumerate_models(
    cnf: Cnf,
    solver: Solver,
    limits: Limits,
    blocked: list[Clause] | None = None,
    max_models: int | None = None,
) -> Generator[Answer, None, None]:
    """Yield Sat for each model, then Unsat or Unknown. No two models have the same grid.

    - `limits`: the limits for all models together.
    - `blocked`: clauses that block earlier models. The clause of each new model is appended.
    - `max_models`: stop without a verdict when `blocked` has this number of clauses.

    Raises SolverError if the solver fails, and for a model that does not satisfy the clauses or
    repeats a grid.
    """
    deadline, blocked = Deadline.of(limits), [] if blocked is None else blocked
    index = None
    is_small = cnf.size <= MAX_INDEXED_CLAUSES and cnf.size * cnf.variables <= MAX_INDEX_BITS
    try:
        check_memory(cnf, limits)
        with solver.open(cnf, limits) as session:
            for clause in blocked:
                session.add(clause)
            while isinstance(answer := session.solve(), Sat):
                if index is None and is_small and len(blocked) >= MODELS_BEFORE_INDEX:
                    index = ModelIndex(cnf)
                # the index also rejects models that leave out variables: then the clauses decide
                is_valid = index is not None and index.satisfied_by(answer.model)
                if not (is_valid or cnf.satisfied_by(answer.model, deadline)):
                    raise SolverError(f"the model of {solver.name} does not satisfy the clauses")
                if any(map(answer.model.isdisjoint, deadline.watch(blocked))):
                    raise SolverError(f"{solver.name} repeated a model that was blocked")
                yield answer
                blocked.append(cnf.blocking(answer.model))
                session.add(blocked[-1])
                if len(blocked) == max_models:
                    return
            yield answer
    except LimitReached as error:
        yield Unknown(str(error))


def check_memory(cnf: Cnf, limits: Limits) -> None:
    """Raise LimitReached if a solver could not hold the clauses in the memory limit."""
    limits.check_memory(max(cnf.size * MIN_CLAUSE_BYTES, cnf.variables * VARIABLE_BYTES))


class ModelIndex:
    """The clauses of a CNF, indexed to check many models.

    Most clauses of a puzzle forbid two candidates together. For each variable, the index has a bit
    set of the variables that must not be true with it.
    """

    def __init__(self, cnf: Cnf) -> None:
        self._variables = cnf.variables
        self._excluded: defaultdict[int, int] = defaultdict(int)
        self._other_clauses = list[Clause]()
        for clause in cnf.clauses():
            if len(clause) == 2 and max(clause) < 0:
                self._excluded[-clause[0]] |= 1 << -clause[1]
            else:
                self._other_clauses.append(clause)

    def satisfied_by(self, model: AbstractSet[int]) -> bool:
        """Whether the model has one literal for each variable, and satisfies every clause."""
        is_total = len(model) == self._variables >= max(map(abs, model), default=0)
        if not (is_total and model.isdisjoint(map(neg, model))):
            return False
        true = [literal for literal in model if literal > 0]
        bits = sum(1 << variable for variable in true)
        if any(self._excluded[variable] & bits for variable in true):
            return False
        return not any(map(model.isdisjoint, self._other_clauses))
