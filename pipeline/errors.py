"""Everything that can go wrong, as one tree.

PipelineError
├── InputError                 what was handed in is at fault
│   ├── InvalidPuzzle          not a puzzle: says where, what was expected, what was found
│   └── InvalidResult          not a solver's result file
├── UsageError                 options that cannot be served (exit 2)
│   └── SolverMissing          the solver asked for is not installed
├── SolverError                a solver crashed, lost its answer or lied
└── EnvironmentFailure         disk full, folder missing: nobody's fault here (exit 75)
"""

from __future__ import annotations

from dataclasses import dataclass


class PipelineError(Exception):
    """Base of all errors that this package raises on purpose."""


class InputError(PipelineError):
    """What was handed in is at fault."""


@dataclass(eq=False)
class InvalidPuzzle(InputError):
    """A file that is not a puzzle.

    `line` and `column` count from 1, in characters; both are None where the file as a whole is
    at fault. `truncated` tells that the file may only be cut off: more of it might mend it.
    """

    source: str
    line: int | None
    column: int | None
    expected: str
    found: str
    truncated: bool = False

    def __str__(self) -> str:
        where = [self.source]
        where += [str(number) for number in (self.line, self.column) if number is not None]
        return f"{':'.join(where)}: expected {self.expected}, found {self.found}"


class InvalidResult(InputError):
    """A text that is not a solver's result, or one that answers another question."""


class UsageError(PipelineError):
    """Options that cannot be served as given; the message names the remedy."""


class SolverMissing(UsageError):
    """The solver asked for is not installed."""


class SolverError(PipelineError):
    """A solver crashed, lost its answer or lied."""


class EnvironmentFailure(PipelineError):
    """The surroundings failed: nothing is lost, and running again may work."""
