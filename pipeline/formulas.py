"""The chain for a formula that need not be a puzzle's: clauses → Answer → model → Result.

Every model is certified against the clauses as they were written. A solver that fails, or whose
model does, is followed by the next one. Only the surroundings raise.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import assert_never

from pipeline.certify import certify_model
from pipeline.cnf import Answer, Clause, Cnf, Family, Sat, Unknown, Unsat
from pipeline.errors import EnvironmentFailure, InvalidPuzzle, LimitReached, SolverError
from pipeline.evidence import Certificate, doubt, prove_no_model
from pipeline.limits import Deadline
from pipeline.parse.formula import (
    CNF_FORMAT,
    Model,
    ParsedFormula,
    looks_like_cnf,
    parse_formula,
)
from pipeline.puzzle import Geometry
from pipeline.result import Result, SolverUsed, Status, Stopwatch, limits_left, unproved
from pipeline.settings import Settings
from pipeline.solve import ONLY_PUZZLES, Solver, Solvers, answers

MAX_MODELS = 1
"""What `max_solutions` is where it is not given."""

_WIDTH = 78
_NO_PUZZLE = Geometry(1, 2)


def is_formula(data: bytes, settings: Settings) -> bool:
    """Whether a source that begins so is a formula in DIMACS CNF, by its content."""
    if settings.format != "auto":
        return settings.format == CNF_FORMAT
    return looks_like_cnf(data)


def solve_clauses(data: bytes, source: str, solvers: Solvers, settings: Settings) -> Result:
    """The chain for a formula that need not be a puzzle's. Raises EnvironmentFailure."""
    watch = Stopwatch()
    try:
        with watch.timing("parse"):
            deadline = Deadline.of(limits_left(settings, watch))
            parsed = parse_formula(data, source, settings.max_bytes, deadline)
    except InvalidPuzzle as error:
        return Result("invalid", message=str(error), seconds=watch.seconds())
    except LimitReached as error:
        seconds = watch.seconds()
        return Result("unknown", complete=False, message=str(error), seconds=seconds)
    return solve_parsed_formula(parsed, solvers, settings, watch)


def solve_parsed_formula(
    parsed: ParsedFormula, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Result:
    """The chain behind the parser: who is shown to be wrong is followed by the next solver."""
    result, why = Result("failed"), None
    for found in solve_formula(parsed, solvers, settings, watch):
        used = found.solver and replace(found.solver, fallback=why or found.solver.fallback)
        result = _with_proof(replace(found, solver=used), solvers, settings, watch)
        if result.complete or not found.complete:
            break
        why = result.message
    return result


def _with_proof(result: Result, solvers: Solvers, settings: Settings, watch: Stopwatch) -> Result:
    """The result with its certificate, and its proof; not complete where none holds."""
    assert result.formula  # noqa: S101
    certificate, proof = Certificate("claimed" if result.complete else "no"), None
    if result.complete and settings.is_to_prove(result.status):
        with watch.timing("prove"):
            limits = limits_left(settings, watch)
            certificate, proof = prove_no_model(result.formula, result.models, solvers, limits)
    result = replace(result, certificate=certificate, proof=proof, seconds=watch.seconds())
    if not result.complete or certificate.complete != "no":
        return result
    why, used = doubt(certificate), result.solver
    return replace(
        result,
        status=unproved(result.status),
        complete=False,
        message=why,
        solver=used and replace(used, fallback=why),
    )


def solve_formula(
    parsed: ParsedFormula, solvers: Solvers, settings: Settings, watch: Stopwatch
) -> Iterator[Result]:
    """Whether the formula is satisfiable, and by which model; by which ones if asked for several.

    One result, and another one from the next solver for whoever asks on because the first is
    not true. Each solver is the fallback of the one before; `lanes` takes no part. Raises
    EnvironmentFailure where the last one cannot work.
    """
    question = _Question(parsed, settings, watch)
    fallback = ONLY_PUZZLES if settings.solver == "lanes" else solvers.lacking
    answered = False
    for solver in solvers.chain:
        try:
            search = question.ask(solver)
        except (SolverError, EnvironmentFailure) as error:
            if isinstance(error, EnvironmentFailure) and solver is solvers.chain[-1]:
                raise
            fallback = str(error)
            continue
        answered = True
        used = SolverUsed(solver.name, solver.version, fallback)
        result = _result(parsed, search, question.limit, used)
        yield replace(result, seconds=watch.seconds())
    if not answered:
        yield Result("failed", message=fallback, formula=parsed, seconds=watch.seconds())


def solution_text(model: Model) -> Iterator[str]:
    """The lines of a model in the SAT competitions' notation, 78 characters long at most."""
    yield "s SATISFIABLE\n"
    line = "v"
    for word in chain(map(str, model), ["0"]):
        if len(line) + 1 + len(word) > _WIDTH:
            yield line + "\n"
            line = "v"
        line += " " + word
    yield line + "\n"


class _Formula(Cnf):
    """A Cnf whose variables are no candidates; the solvers asked look at its clauses alone."""

    __slots__ = ()

    def blocking(self, model: AbstractSet[int]) -> Clause:
        """The clause that forbids this model of all variables, and nothing else."""
        return tuple(-literal for literal in _whole(model, self.variables))


def _whole(model: AbstractSet[int], variables: int) -> Model:
    """The model with a literal for each variable: negative where the solver tells none."""
    return tuple([v if v in model else -v for v in range(1, variables + 1)])


@dataclass(frozen=True, slots=True)
class _Search:
    """The certified models found, and what ended the search; None if there were enough."""

    models: list[Model]
    ended: Unsat | Unknown | None


class _Question:
    """A formula and how many models are wanted; all who are asked share its time."""

    def __init__(self, parsed: ParsedFormula, settings: Settings, watch: Stopwatch) -> None:
        family = Family("clauses", len(parsed.clauses), parsed.clauses)
        self.limit = settings.max_solutions or MAX_MODELS
        self._cnf = _Formula(_NO_PUZZLE, "none", parsed.variables, (family,), {})
        self._written = parsed.written
        self._settings = settings
        self._watch = watch

    def ask(self, solver: Solver) -> _Search:
        """One solver's search.

        It goes on to one model more than the limit, to tell whether there are more; but not
        where one is all that is wanted. Raises SolverError for a model that is none.
        """
        models: list[Model] = []
        enough = self.limit + 1 if self.limit > 1 else 1
        limits = limits_left(self._settings, self._watch)
        with closing(answers(self._cnf, solver, limits)) as stream:
            while len(models) < enough:
                with self._watch.timing("solve"):
                    answer: Answer = next(stream)
                if not isinstance(answer, Sat):
                    return _Search(models, answer)
                models.append(self._certified(answer, solver))
        return _Search(models, None)

    def _certified(self, answer: Sat, solver: Solver) -> Model:
        with self._watch.timing("decode"):
            model = _whole(answer.model, self._cnf.variables)
        with self._watch.timing("certify"):
            broken = certify_model(self._written, model)
        if broken is not None:
            raise SolverError(f"the model of {solver.name} does not satisfy clause {broken + 1}")
        return model


def _result(parsed: ParsedFormula, search: _Search, limit: int, used: SolverUsed) -> Result:
    """Status, order and message from how a search ended."""
    found = search.models[:limit]
    status: Status = "multiple"
    complete: bool | None = False
    message: str | None = None
    match search.ended:
        case None if limit == 1:
            status, complete = "solved", None
        case None:
            message = f"there are more models than the {limit} asked for"
        case Unsat():
            found, complete = sorted(found), True
            status = "unsolvable" if not found else "unique" if len(found) == 1 else "multiple"
        case Unknown(message):
            status = "multiple" if len(found) > 1 else "unknown"
        case _:
            assert_never(search.ended)
    return Result(
        status,
        complete=complete,
        message=message,
        solver=used,
        formula=parsed,
        models=tuple(found),
    )
