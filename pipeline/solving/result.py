"""Result: what the chain finds out about one problem, and how."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal

from typing_extensions import TypeVar

from pipeline.errors import counted
from pipeline.limits import Limits
from pipeline.reading.unread import caveat, unread_texts
from pipeline.settings import Settings
from pipeline.solving import Encoding, Traits

if TYPE_CHECKING:
    from pipeline.certify.formula import Formula
    from pipeline.puzzle.puzzle import Grid
    from pipeline.reading.formats.formula import Model
    from pipeline.solving.cnf import Cnf
    from pipeline.solving.explain import Conflict, Difference
    from pipeline.solving.problem import Problem

S_co = TypeVar("S_co", bound="Grid | Model", default=Any, covariant=True)

Status = Literal[
    "unique", "multiple", "unsolvable", "solved", "invalid", "other", "unknown", "failed"
]

Stage = Literal["parse", "encode", "solve", "decode", "certify", "explain", "prove"]


class Stopwatch:
    """Seconds spent in each stage, summed up, and in total since it was made.

    `parse`: seconds of reading, if that was over before. `together`: seconds of a batch that
    count for the puzzle. `batch`: seconds of the whole batch, if they are to be published.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        *,
        parse: float | None = None,
        together: float = 0.0,
        batch: float | None = None,
    ) -> None:
        self._clock = clock
        earlier = {"parse": parse, "batch": batch}
        self._earlier = {name: spent for name, spent in earlier.items() if spent is not None}
        self._spent = (parse or 0.0) + together
        self._start = clock()
        self._stages: dict[str, float] = {}

    @contextmanager
    def timing(self, stage: Stage) -> Iterator[None]:
        """Count the time inside as that stage's, without the time of stages within it."""
        stages = self._stages
        stages.setdefault(stage, 0.0)
        start, before = self._clock(), sum(stages.values())
        try:
            yield
        finally:
            stages[stage] += self._clock() - start - (sum(stages.values()) - before)

    def seconds(self) -> dict[str, float]:
        """Seconds by stage so far, and `total`."""
        total = sum(self._earlier.values()) + self._clock() - self._start
        return {**self._earlier, **self._stages, "total": total}

    def spent(self) -> float:
        """Seconds of the puzzle's time so far: its stages, and what it was solved together."""
        return self._spent + sum(self._stages.values())


def limits_left(settings: Settings, watch: Stopwatch) -> Limits:
    """What a puzzle may still use after the stages timed so far."""
    return Limits(settings.timeout, settings.memory_limit, watch.spent())


@dataclass(frozen=True, slots=True)
class SolverUsed:
    """The solver that answered, and why it was not the first choice (`fallback`; None if it was).

    `planned`: nothing failed, so that it deserves no warning.
    """

    name: str
    version: str | None
    fallback: str | None = None
    planned: bool = False

    @property
    def warning(self) -> str | None:
        """Why another solver than the first answered, unless that was planned."""
        return None if self.planned else self.fallback


@dataclass(frozen=True, slots=True)
class Certificate:
    """How it is known that there are no other solutions.

    `proved` by `exhaustive-search` from the rules alone, which branched `nodes` times; or by
    `lrat`: `checker` checked a proof of `steps` steps by `solver`. `unverified`: one program says
    so, and `reason` says why nothing else confirmed it. `no`: it is not known.
    """

    complete: Literal["proved", "unverified", "no"]
    by: Literal["exhaustive-search", "lrat"] | None = None
    nodes: int | None = None
    solver: str | None = None
    checker: str | None = None
    steps: int | None = None
    reason: str | None = None

    @property
    def told(self) -> str:
        """How the solutions are known to be all, else `unverified`; empty if there may be more."""
        return "" if self.complete == "no" else self.by or self.complete


@dataclass(frozen=True, slots=True)
class Proof(Generic[S_co]):
    """LRAT text that refutes the formula of a problem with its solutions blocked."""

    problem: Problem[S_co]
    solutions: tuple[S_co, ...]
    lrat: str

    @property
    def drat(self) -> str:
        """The same refutation in DRAT."""
        from pipeline.certify.lrat import drat_of  # noqa: PLC0415 - hardly ever needed

        return drat_of(self.lrat)

    def formula(self) -> Formula:
        """The formula that is refuted."""
        return self.problem.refutation(self.solutions)


@dataclass(frozen=True, slots=True)
class Result(Generic[S_co]):
    """Everything known about one problem: grids of a puzzle, or models of a formula.

    `solutions` are all certified; they are in lexicographic order if `complete`: true if there
    is no other, None if that was not asked. `problem` is None if the source could not be read, and
    for rows of a collection that did not need it. `cnf` is what the solver got; it is left out
    where only its size, `encoding`, is published. `proof` belongs to a certificate by `lrat`.
    `disagreement` says what is wrong with the solution beside the puzzle. `is_doubted`: the claim
    that there were no more failed its check, so that another solver may find more. `seconds` has
    each stage, `total`, and `batch` for puzzles that were solved together.
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

    @property
    def format(self) -> str | None:
        return self.problem.format if self.problem else None

    @property
    def grids(self) -> tuple[Grid, ...]:
        """The solutions that are grids: all of a puzzle, none of a formula."""
        from pipeline.puzzle.puzzle import Grid  # noqa: PLC0415 - few ask

        return tuple(each for each in self.solutions if isinstance(each, Grid))

    def _repr_html_(self) -> str | None:
        """What notebooks show: the status, and the puzzle with its first solution."""
        from html import escape  # noqa: PLC0415 - few results are drawn

        from pipeline.puzzle.puzzle import drawn  # noqa: PLC0415
        from pipeline.solving.problem import PuzzleProblem  # noqa: PLC0415

        puzzle = self.problem.puzzle if isinstance(self.problem, PuzzleProblem) else None
        grid = next(iter(self.grids), None)
        image = drawn(puzzle, grid) if puzzle or grid else None
        said = (self.status, counted(len(self.solutions), "solution"), self.told_certificate)
        words = ", ".join(filter(None, (*said, self.said)))
        return image and f"<p>{escape(words)}</p>{image}"

    def without_cnf(self) -> Result[S_co]:
        """The same, without the clauses, which take a hundred times as much room."""
        return replace(self, cnf=None)

    @property
    def said(self) -> str | None:
        """All messages about the result, in one line."""
        return "; ".join(filter(None, (self.message, self.disagreement, self.caveat))) or None

    @property
    def caveat(self) -> str | None:
        """What the answer does not take into account."""
        return caveat(self.status, self.problem.unread if self.problem else ())

    @property
    def unread_texts(self) -> list[str]:
        """The texts that it does not take into account, which are named once for a file of many."""
        return unread_texts(self.problem.unread) if self.caveat and self.problem else []

    @property
    def told_certificate(self) -> str:
        """How it is known that the solutions are all, in a word; empty if that is not said."""
        if not self.complete:
            return ""
        return self.certificate.told if self.certificate else "unverified"

    @property
    def why_doubted(self) -> str | None:
        """What is wrong with the answer, if it `is_doubted`."""
        return (self.solver.fallback if self.solver else None) or self.message

    def answered_after(self, why: str | None) -> Result[S_co]:
        """Note what went wrong before its solver was asked, if anything did."""
        if not why or not self.solver:
            return self
        return replace(self, solver=replace(self.solver, fallback=why, planned=False))

    def doubted(self, why: str) -> Result[S_co]:
        """The result without its claim to be complete, which is not known to be true."""
        status: Status = "multiple" if self.status == "multiple" else "unknown"
        doubted = replace(
            self, status=status, complete=False, message=why, conflict=None, is_doubted=True
        )
        return doubted.answered_after(why)
