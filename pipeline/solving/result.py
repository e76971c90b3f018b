"""The result of one problem, with its certificate, proof and times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Self

from typing_extensions import TypeVar

from pipeline.errors import (
    InputError,
    InvalidPuzzle,
    LimitReached,
    MultipleSolutions,
    NoSolution,
    RefusalCode,
    SolverError,
    counted,
    shortened,
)
from pipeline.limits import Limits
from pipeline.reading.unread import caveat, unread_texts
from pipeline.settings import Settings
from pipeline.solving import Encoding, Traits

if TYPE_CHECKING:
    from pipeline.certify.formula import Formula
    from pipeline.puzzle.puzzle import Grid, Puzzle
    from pipeline.reading.formats.dimacs import Model
    from pipeline.solving.cnf import Cnf
    from pipeline.solving.explain import Conflict, Difference
    from pipeline.solving.problem import Problem

S_co = TypeVar("S_co", bound="Grid | Model", default=Any, covariant=True)

Status = Literal[
    "unique", "multiple", "unsolvable", "solved", "invalid", "other", "unknown", "failed"
]

Stage = Literal["parse", "encode", "solve", "decode", "certify", "explain", "prove"]


class Stopwatch:
    """Measures the seconds spent in each stage of a puzzle, and in total since its creation.

    - `parse`: the seconds that reading the puzzle took, before the stopwatch was created.
    - `batch_share`: the seconds of a batch that count against the time limit of this puzzle.
    - `batch`: the seconds of the whole batch, for `seconds`; None to leave them out.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        *,
        parse: float | None = None,
        batch_share: float = 0.0,
        batch: float | None = None,
    ) -> None:
        self._clock = clock
        earlier = {"parse": parse, "batch": batch}
        self._earlier = {name: spent for name, spent in earlier.items() if spent is not None}
        self._spent = (parse or 0.0) + batch_share
        self._start = clock()
        self._stages: dict[str, float] = {}

    @contextmanager
    def timing(self, stage: Stage) -> Iterator[None]:
        """Context manager: add the time of the block, without nested stages, to a stage."""
        stages = self._stages
        stages.setdefault(stage, 0.0)
        start, stages_at_start = self._clock(), sum(stages.values())
        try:
            yield
        finally:
            nested = sum(stages.values()) - stages_at_start
            stages[stage] += self._clock() - start - nested

    def seconds(self) -> dict[str, float]:
        """Seconds so far of each stage, and `total`."""
        total = sum(self._earlier.values()) + self._clock() - self._start
        return {**self._earlier, **self._stages, "total": total}

    def spent(self) -> float:
        """Seconds that count against the puzzle's time limit, including `batch_share`."""
        return self._spent + sum(self._stages.values())


def limits_left(settings: Settings, watch: Stopwatch) -> Limits:
    """The limits of a puzzle, of which it has spent the seconds of `watch`."""
    return Limits(settings.timeout, settings.memory_limit, watch.spent())


@dataclass(frozen=True, slots=True)
class SolverUsed:
    """The solver that answered.

    - `fallback`: why this solver was not the first choice; None if it was.
    - `planned`: true if no other solver failed, so that `fallback` needs no warning.
    """

    name: str
    version: str | None
    fallback: str | None = None
    planned: bool = False

    @property
    def warning(self) -> str | None:
        """The text of `fallback`, or None if the fallback was planned."""
        return None if self.planned else self.fallback


@dataclass(frozen=True, slots=True)
class Certificate:
    """How it is known that there are no other solutions.

    - `proved` by `exhaustive-search`, which uses only the rules, and branched `nodes` times;
    - `proved` by `lrat`: `checker` checked a proof with `steps` steps, which `solver` wrote;
    - `unverified`: only one program reports that there are no other solutions; `reason` is why no
      second program confirmed this;
    - `no`: there may be other solutions.
    """

    complete: Literal["proved", "unverified", "no"]
    by: Literal["exhaustive-search", "lrat"] | None = None
    nodes: int | None = None
    solver: str | None = None
    checker: str | None = None
    steps: int | None = None
    reason: str | None = None

    @property
    def label(self) -> str:
        """How completeness was verified, or `unverified`; empty if solutions may be missing."""
        return "" if self.complete == "no" else self.by or self.complete


@dataclass(frozen=True, slots=True)
class Proof(Generic[S_co]):
    """A proof in LRAT that a problem has no solutions except `solutions`.

    It refutes the formula of the problem with the solutions blocked.
    """

    problem: Problem[S_co]
    solutions: tuple[S_co, ...]
    lrat: str = field(repr=False)

    @property
    def drat(self) -> str:
        """The same refutation in DRAT."""
        from pipeline.certify.lrat import drat_of  # noqa: PLC0415 - hardly ever needed

        return drat_of(self.lrat)

    def formula(self) -> Formula:
        """The formula that the proof refutes."""
        return self.problem.refutation(self.solutions)


@dataclass(frozen=True, slots=True)
class Result(Generic[S_co]):
    """The result of one problem: grids of a puzzle, or models of a formula.

        >>> from pipeline import solve
        >>> result = solve("1...............")
        >>> result
        <Result multiple, 72 solutions, exhaustive-search>
        >>> result.status, len(result.solutions), result.complete, result.certificate.by
        ('multiple', 72, True, 'exhaustive-search')

    - `status`: `unique`, `multiple` or `unsolvable` for a puzzle; `solved` for a formula of which
      one model was searched for; `invalid` for a source that cannot be read; `unknown` if a limit
      was reached first; `failed`, only in drop folders, if solving crashed repeatedly.
    - `solutions`: certified solutions, in lexicographic order if `complete`.
    - `complete`: whether there are no other solutions; None if others were not searched for.
    - `problem`: None if the source could not be read, and for most puzzles of a collection.
    - `cnf`: the input of the solver; None if only its size, `encoding`, is kept.
    - `proof`: the proof of a certificate by `lrat`.
    - `disagreement`: what is wrong with the solution that the source contains for the puzzle.
    - `is_doubted`: true if the check for completeness failed, so that another solver may find more
      solutions.
    - `seconds`: seconds of each stage, `total`, and `batch` for puzzles that were solved together.
    - `code`: the kind of the error, for an invalid source.
    - `error`: the exception that `parse_puzzle` raises for the same invalid text; None if unknown.
    """

    status: Status
    solutions: tuple[S_co, ...] = ()
    complete: bool | None = None
    message: str | None = None
    problem: Problem[S_co] | None = field(default=None, repr=False)
    cnf: Cnf | None = field(default=None, repr=False)
    solver: SolverUsed | None = None
    certificate: Certificate | None = None
    proof: Proof[S_co] | None = field(default=None, repr=False)
    conflict: Conflict | None = None
    difference: Difference | None = None
    disagreement: str | None = None
    is_doubted: bool = False
    traits: Traits | None = None
    encoding: Encoding | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    code: RefusalCode | None = None
    error: InvalidPuzzle | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """One line of less than 200 characters: status, solutions, certificate and message."""
        bound = "at least " if self.complete is False else ""
        number = f"{bound}{counted(len(self.solutions), 'solution')}" if self.solutions else ""
        facts = self.status, number, self.certificate_label, self.full_message
        return f"<Result {shortened(', '.join(filter(None, facts)))}>"

    def raise_for_status(self) -> Self:
        """Raise an exception if there is no answer, else return the result.

        `unsolvable` and `multiple` are answers; `solution` raises for them.

            >>> from pipeline import solve
            >>> solve("1.....2..3.....4").raise_for_status()
            <Result unique, 1 solution, exhaustive-search>
            >>> solve("").raise_for_status()
            Traceback (most recent call last):
            ...
            pipeline.errors.InvalidPuzzle: puzzle: expected a puzzle, found an empty file

        Raises InvalidPuzzle or another InputError if the source is invalid, LimitReached if a limit
        was reached first, and SolverError if solving failed.
        """
        message = self.full_message or self.status
        match self.status:
            case "invalid" | "other":
                error = self.error or InputError(message)
                error.code = self.code or error.code
                raise error.with_traceback(None)  # else each call would add to it
            case "unknown":
                raise LimitReached(message)
            case "failed":
                raise SolverError(message)
        return self

    @property
    def solution(self) -> S_co:
        """The only solution.

            >>> from pipeline import solve
            >>> print(solve("1.....2..3.....4").solution)
            1 2 4 3
            3 4 2 1
            4 3 1 2
            2 1 3 4

        For a formula of which only one model was searched for, this model. Raises NoSolution,
        MultipleSolutions, and the errors of `raise_for_status`.
        """
        self.raise_for_status()
        if not self.solutions:
            raise NoSolution(self.full_message or "there is no solution")
        if len(self.solutions) > 1 or self.status == "multiple":
            bound = "" if self.complete else "at least "
            number = max(len(self.solutions), 2)  # `max_solutions=1` keeps one of several
            raise MultipleSolutions(f"there are {bound}{number:,} solutions")
        return self.solutions[0]

    @property
    def format(self) -> str | None:
        """The notation of the source, such as `killer`; None if `problem` is None."""
        return self.problem.format if self.problem else None

    @property
    def puzzle(self) -> Puzzle | None:
        """The puzzle; None for a formula, or if `problem` is None."""
        from pipeline.solving.problem import PuzzleProblem  # noqa: PLC0415 - imports this module

        return self.problem.puzzle if isinstance(self.problem, PuzzleProblem) else None

    @property
    def solver_name(self) -> str:
        """The name of the solver that answered, for messages."""
        return self.solver.name if self.solver else "a solver"

    @property
    def grids(self) -> tuple[Grid, ...]:
        """The solutions of a puzzle; empty for a formula."""
        from pipeline.puzzle.puzzle import Grid  # noqa: PLC0415 - few ask

        return tuple(grid for grid in self.solutions if isinstance(grid, Grid))

    def _repr_html_(self) -> str | None:
        """HTML for a notebook: the status, and the puzzle with its first solution."""
        from html import escape  # noqa: PLC0415 - few results are drawn

        from pipeline.puzzle.puzzle import picture_html  # noqa: PLC0415

        puzzle, grid = self.puzzle, next(iter(self.grids), None)
        image = picture_html(puzzle, grid) if puzzle or grid else None
        facts = (self.status, counted(len(self.solutions), "solution"), self.certificate_label)
        words = ", ".join(filter(None, (*facts, self.full_message)))
        return image and f"<p>{escape(words)}</p>{image}"

    def without_cnf(self) -> Result[S_co]:
        """The result without its clauses, which take a hundred times as much memory."""
        return replace(self, cnf=None)

    @property
    def full_message(self) -> str | None:
        """All messages about the result in one line, or None."""
        return "; ".join(filter(None, (self.message, self.disagreement, self.caveat))) or None

    @property
    def caveat(self) -> str | None:
        """A message about parts of the source that the answer ignores, or None."""
        return caveat(self.status, self.problem.unread if self.problem else ())

    @property
    def unread_texts(self) -> list[str]:
        """The texts of the source that the answer ignores, for the list of a collection."""
        return unread_texts(self.problem.unread) if self.caveat and self.problem else []

    @property
    def certificate_label(self) -> str:
        """`Certificate.label` for tables; empty if solutions may be missing."""
        if not self.complete:
            return ""
        return self.certificate.label if self.certificate else "unverified"

    @property
    def doubt(self) -> str | None:
        """Why the result `is_doubted`."""
        return (self.solver.fallback if self.solver else None) or self.message

    def with_fallback(self, reason: str | None) -> Result[S_co]:
        """The result with `reason` as `SolverUsed.fallback`; unchanged if there is no reason."""
        if not reason or not self.solver:
            return self
        return replace(self, solver=replace(self.solver, fallback=reason, planned=False))

    def as_doubted(self, reason: str) -> Result[S_co]:
        """The result as doubted and incomplete. `reason` becomes its message and its fallback."""
        status: Status = "multiple" if self.status == "multiple" else "unknown"
        result = replace(
            self, status=status, complete=False, message=reason, conflict=None, is_doubted=True
        )
        return result.with_fallback(reason)
