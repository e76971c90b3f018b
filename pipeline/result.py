"""What the chain comes to: the result for one puzzle, and what is known of how it was found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pipeline.limits import Limits
from pipeline.parse.formula import CNF_FORMAT

if TYPE_CHECKING:
    from pipeline.cnf import Cnf
    from pipeline.evidence import Certificate, FormulaProof, Proof
    from pipeline.explain import Conflict, Difference
    from pipeline.parse import Parsed
    from pipeline.parse.formula import Model, ParsedFormula
    from pipeline.puzzle import Grid
    from pipeline.settings import Settings

Status = Literal[
    "unique", "multiple", "unsolvable", "solved", "invalid", "other", "unknown", "failed"
]
NOT_WELL: frozenset[str] = frozenset(("invalid", "unknown", "failed"))
"""The statuses for which a command exits with 1."""


def unproved(status: Status) -> Status:
    """The status of what claimed to be complete and is not known to be."""
    return "multiple" if status == "multiple" else "unknown"


Stage = Literal["parse", "encode", "solve", "decode", "certify", "explain", "prove"]


class Stopwatch:
    """Seconds spent in each stage, summed up; and in all, since it was made.

    `before` are seconds that had been spent until then: they are in `spent` only.
    """

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, *, before: float = 0.0
    ) -> None:
        self._clock = clock
        self._before = before
        self._start = clock()
        self._stages: dict[str, float] = {}

    @contextmanager
    def timing(self, stage: Stage) -> Iterator[None]:
        """Count what is done inside as that stage's."""
        start = self._clock()
        try:
            yield
        finally:
            self._stages[stage] = self._stages.get(stage, 0.0) + self._clock() - start

    def seconds(self) -> dict[str, float]:
        """Stage → seconds so far, and `total`."""
        return self._stages | {"total": self._clock() - self._start}

    def spent(self) -> float:
        """Seconds in all stages that are over, and before."""
        return self._before + sum(self._stages.values())


def limits_left(settings: Settings, watch: Stopwatch) -> Limits:
    """What a puzzle may still use after the stages that were timed."""
    return Limits(settings.timeout, settings.memory_limit, watch.spent())


@dataclass(frozen=True, slots=True)
class SolverUsed:
    """Who answered, and why it was not the first choice (None if it was)."""

    name: str
    version: str | None
    fallback: str | None


@dataclass(frozen=True, slots=True)
class Result:
    """Everything known of one puzzle, or of one formula, which has `models` instead of solutions.

    `solutions` were all certified; they are in lexicographic order if `complete`, which is
    true when there is shown to be no other, and None where that was never asked. `proof` is
    that of a certificate that says `proved`. `disagreement`: what is wrong with the solution that
    stands beside the puzzle. `seconds` has those of each stage, and `total`; where the puzzle was
    solved together with others, `batch` has what all of them took.
    """

    status: Status
    solutions: tuple[Grid, ...] = ()
    complete: bool | None = None
    message: str | None = None
    parsed: Parsed | None = None
    cnf: Cnf | None = None
    solver: SolverUsed | None = None
    certificate: Certificate | None = None
    proof: Proof | FormulaProof | None = None
    conflict: Conflict | None = None
    difference: Difference | None = None
    disagreement: str | None = None
    formula: ParsedFormula | None = None
    models: tuple[Model, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def format(self) -> str | None:
        """The format of what was read, if it was."""
        if self.formula:
            return CNF_FORMAT
        return self.parsed.format if self.parsed else None

    @property
    def found(self) -> int:
        """How many solutions, or models, there are."""
        return len(self.solutions) or len(self.models)
