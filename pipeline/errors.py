"""Everything that can go wrong, as one tree.

PipelineError
├── InputError                 the input is at fault
│   ├── InvalidPuzzle          not a puzzle: says where, what was expected, what was found
│   │   └── SlowPuzzle         takes too long to read; a LimitReached, too
│   └── InvalidResult          not a solver's result file
├── UsageError                 options that cannot be served (exit 2)
│   └── SolverMissing          the solver asked for is not installed
├── LimitReached               the time or memory for a puzzle does not suffice
├── SolverError                a solver crashed, lost its answer or lied
└── EnvironmentFailure         disk full, no descriptors: nobody's fault here (exit 75)
    └── MissingFolder          a folder that has to be there is not (exit 1)
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from importlib.util import find_spec


class PipelineError(Exception):
    """Base of all errors that this package raises on purpose."""


class InputError(PipelineError):
    """The input is at fault."""


@dataclass(eq=False)
class InvalidPuzzle(InputError):
    """A file that is not a puzzle.

    `line` and `column` count from 1, in characters; both are None if the fault is in the file as a
    whole. `truncated` says that the file may merely be cut off: more of it might be valid.
    """

    source: str
    line: int | None
    column: int | None
    expected: str
    found: str
    truncated: bool = False

    def __str__(self) -> str:
        where = [printable(self.source)]
        where += [str(number) for number in (self.line, self.column) if number is not None]
        return f"{':'.join(where)}: expected {self.expected}, found {self.found}"


class InvalidResult(InputError):
    """A text that is not a solver's result, or one that answers another question."""


class UsageError(PipelineError):
    """Options that cannot be combined or met; the message names the remedy."""


class SolverMissing(UsageError):
    """The solver asked for is not installed."""


class LimitReached(PipelineError):
    """The time or the memory for a puzzle ran out: nothing is known."""


class SlowPuzzle(InvalidPuzzle, LimitReached):
    """A puzzle that takes more work to read than there is time for: more time may do."""


class SolverError(PipelineError):
    """A solver crashed, lost its answer or lied."""


class EnvironmentFailure(PipelineError):
    """The environment failed: nothing is lost, and running again may work."""


class MissingFolder(EnvironmentFailure):
    """A folder that has to be there is not: only making or naming it helps."""


def check_extra(what: str, extra: str, *packages: str) -> None:
    """Raise UsageError if a package is missing of the extra that this needs."""
    if not all(map(find_spec, packages)):
        raise UsageError(f"{what} needs the extra [{extra}]: pip install {' '.join(packages)}")


_ENVIRONMENTAL = frozenset(
    (
        errno.EAGAIN,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.EROFS,
        errno.ESTALE,
    )
)


def is_environmental(error: OSError) -> bool:
    """Whether the machine is at fault: no room, no memory, no descriptors."""
    return error.errno in _ENVIRONMENTAL


def in_words(error: Exception) -> str:
    """The message of an OSError, with the file name it concerns; of others, with their type."""
    if not isinstance(error, OSError):
        return f"{type(error).__name__}: {error}"
    name = error.filename2 if error.filename2 is not None else error.filename
    if name is None or isinstance(name, int):  # a descriptor
        return error.strerror or str(error)
    return f"{printable(os.fsdecode(name))}: {error.strerror}"


def counted(number: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_SHORT_TIMES = ((1.0, "s", 1.0), (1e-3, "ms", 1e3), (1e-6, "µs", 1e6))


def duration(seconds: float) -> str:
    """`2 ms`, `1.5 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    if seconds < 60:
        for least, unit, factor in _SHORT_TIMES:
            if seconds >= least * 0.9995 or unit == "µs":
                return f"{float(f'{seconds * factor:.2g}'):g} {unit}"
    rounded = round(seconds)
    parts = ((rounded // 86_400, "d"), (rounded // 3600 % 24, "h"), (rounded // 60 % 60, "min"))
    known = [f"{n} {unit}" for n, unit in (*parts, (rounded % 60, "s")) if n]
    return " ".join(known[:2])


def printable(name: str) -> str:
    """The name as it may be shown: unprintable characters and lone surrogates are escaped."""
    if name.isprintable():
        return name
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in name
    )
