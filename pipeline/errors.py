"""The exceptions of this package.

PipelineError
├── InputError                 the input is invalid
│   ├── InvalidPuzzle          not a puzzle; names the position, and what was expected and found
│   │   └── SlowPuzzle         takes too long to read; also a LimitReached
│   └── InvalidResult          not a solver's result file
├── UsageError                 invalid options (exit 2)
│   └── SolverMissing          the requested solver is not installed
├── NotUnique                  a result does not have exactly one solution
│   ├── NoSolution             it has none
│   └── MultipleSolutions      it has several
├── LimitReached               a puzzle exceeded its time or memory limit
├── SolverError                a solver crashed, lost its answer or gave a wrong one
└── EnvironmentFailure         disk full, out of file descriptors, … (exit 75)
    └── MissingFolder          a required folder does not exist (exit 1)
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal


class PipelineError(Exception):
    """Base class of all exceptions that this package defines.

    >>> from pipeline import PipelineError, solve
    >>> try:
    ...     solve("11..............").solution
    ... except PipelineError as error:
    ...     type(error).__name__, str(error)
    ('NoSolution', 'row 1 holds 1 twice: row 1, column 1 and row 1, column 2')
    """


RefusalCode = Literal[
    "not-a-puzzle",
    "empty",
    "not-text",
    "wrong-cell",
    "wrong-shape",
    "region-map",
    "several-puzzles",
    "unknown-rule",
    "ambiguous",
    "damaged",
    "foreign-format",
    "link",
    "too-large",
    "unreadable",
]
"""Reasons for refusing a source, for programs; docs/reference/published.md explains each code."""


class InputError(PipelineError):
    """The input is invalid; `code` classifies the error."""

    code: RefusalCode = "unreadable"


@dataclass(eq=False)
class InvalidPuzzle(InputError):
    """A file that is not a puzzle.

        >>> from pipeline import parse_puzzle
        >>> try:
        ...     parse_puzzle("1.....2..3.....9")
        ... except InvalidPuzzle as error:
        ...     error.line, error.column, error.expected, error.found, error.code
        (1, 16, 'a value from 1 to 4 or a blank', "'9'", 'wrong-cell')

    - `line`, `column`: position of the error, from 1, in characters; None if the file as a whole is
      invalid.
    - `truncated`: the file may be cut off, and might be valid with more data.
    - `code`: the kind of the error, for programs.
    - `hint`: what the user can do.
    - `read_as`: the format that was tried, and why; empty if no parser was tried.
    """

    source: str
    line: int | None
    column: int | None
    expected: str
    found: str
    truncated: bool = False
    code: RefusalCode = "not-a-puzzle"
    hint: str = ""
    read_as: str = ""

    def __post_init__(self) -> None:
        # unpickling passes these to __init__, and then restores all attributes
        self.args = (self.source, self.line, self.column, self.expected, self.found)

    def __str__(self) -> str:
        where = [printable(self.source)]
        where += [str(number) for number in (self.line, self.column) if number is not None]
        hint = f"; {self.hint}" if self.hint else ""
        return f"{':'.join(where)}: expected {self.expected}, found {self.found}{hint}"


class InvalidResult(InputError):
    """A text that is not a solver's result, or the result of another problem."""


class UsageError(PipelineError):
    """Invalid options; the message says what to do."""


class SolverMissing(UsageError):
    """The requested solver is not installed."""


class NotUnique(PipelineError):
    """A result does not have exactly one solution. `Result.solution` raises a subclass."""


class NoSolution(NotUnique):
    """A puzzle or formula has no solution."""


class MultipleSolutions(NotUnique):
    """A puzzle or formula has several solutions."""


class LimitReached(PipelineError):
    """A puzzle exceeded its time or memory limit before there was an answer."""


class SlowPuzzle(InvalidPuzzle, LimitReached):
    """A puzzle that takes too long to read; a longer timeout may help."""


class SolverError(PipelineError):
    """A solver crashed, lost its answer or gave a wrong one."""


class EnvironmentFailure(PipelineError):
    """The environment failed, for example a disk is full. Running again later may work."""


class MissingFolder(EnvironmentFailure):
    """A required folder does not exist. Running again does not help until it is created."""


def check_extra(feature: str, extra: str, *packages: str) -> None:
    """Raise UsageError if a package of this extra is missing."""
    if not all(map(find_spec, packages)):
        raise UsageError(f"{feature} needs the extra [{extra}]: pip install {' '.join(packages)}")


_ENVIRONMENT_ERRNOS = frozenset(
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
"""Errors that the machine causes, not a file."""


def is_environmental(error: OSError) -> bool:
    """Whether the machine caused an error, for example for lack of space, memory or descriptors."""
    return error.errno in _ENVIRONMENT_ERRNOS


def in_words(error: Exception) -> str:
    """The message of an exception: an OSError with its file name, others with their type."""
    if not isinstance(error, OSError):
        return f"{type(error).__name__}: {error}"
    name = error.filename2 if error.filename2 is not None else error.filename
    if name is None or isinstance(name, int):  # a file descriptor instead of a name
        return error.strerror or str(error)
    return f"{printable(os.fsdecode(name))}: {error.strerror}"


def counted(number: int, noun: str, spec: str = "") -> str:
    """Format a number with its noun: `1 row`, `2 rows`; with the format spec `,`: `1,000 rows`."""
    return f"{number:{spec}} {noun}{'s' * (number != 1)}"


def listed(words: Iterable[object], conjunction: str = "and") -> str:
    """Join words in a sentence: `4`, `4 and 7`, `3, 4 and 9`."""
    *rest, last = [*map(str, words)] or [""]
    return f"{', '.join(rest)} {conjunction} {last}" if rest else last


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """A suggestion for a mistyped name; empty if no known name is similar.

    All names begin with `prefix`, which the comparison ignores.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - rarely needed

    bare = [key.removeprefix(prefix) for key in known]
    nearest = get_close_matches(name.removeprefix(prefix), bare, 1, 0.65)
    return f"; did you mean {prefix}{nearest[0]}?" if nearest else ""


MAX_REPR = 160
"""Maximum length of the text in a `repr`."""


def shortened(text: str, length: int = MAX_REPR) -> str:
    """The text, cut off with an ellipsis if it is longer than `length` characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


_SHORT_TIMES = ((1.0, "s", 1.0), (1e-3, "ms", 1e3), (1e-6, "µs", 1e6))
"""(minimum in seconds, unit, units per second) for times below a minute."""


def duration(seconds: float) -> str:
    """Format a duration: `2 ms`, `1.5 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    if seconds < 60:
        for minimum, unit, factor in _SHORT_TIMES:
            if seconds >= minimum * 0.9995 or unit == "µs":
                return f"{float(f'{seconds * factor:.2g}'):g} {unit}"
    rounded = round(seconds)
    parts = ((rounded // 86_400, "d"), (rounded // 3600 % 24, "h"), (rounded // 60 % 60, "min"))
    nonzero = [f"{n} {unit}" for n, unit in (*parts, (rounded % 60, "s")) if n]
    return " ".join(nonzero[:2])


def printable(name: str) -> str:
    """Escape unprintable characters and lone surrogates."""
    if name.isprintable():
        return name
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in name
    )
