"""Errors → messages on standard error and exit codes."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from pipeline.errors import (
    EnvironmentFailure,
    PipelineError,
    UsageError,
    is_environmental,
    printable,
)

ALL_WELL, SOME_BAD, USAGE, TRY_AGAIN = 0, 1, 2, 75
BAD_INPUT = frozenset(("invalid", "unknown", "failed"))
"""The statuses for which a command exits with 1."""


def report(message: str) -> None:
    """One line on standard error."""
    print(message, file=sys.stderr, flush=True)


def accounted(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with its errors as messages and exit codes."""

    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ALL_WELL) from None
        except KeyboardInterrupt:
            report("interrupted")
            raise typer.Exit(TRY_AGAIN) from None
        except (PipelineError, OSError) as error:
            report(f"sudoku-pipeline: {_words(error)}")
            raise typer.Exit(_code(error)) from None

    return wrapper


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{printable(os.fsdecode(error.filename))}: {error.strerror}"
    return str(error)


def _code(error: Exception) -> int:
    match error:
        case UsageError():
            return USAGE
        case EnvironmentFailure():
            return TRY_AGAIN
        case OSError() if is_environmental(error):
            return TRY_AGAIN
    return SOME_BAD
