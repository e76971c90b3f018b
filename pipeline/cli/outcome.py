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
    in_words,
    is_environmental,
)
from pipeline.exits import (
    ALL_WELL,
    SOME_BAD,
    TRY_AGAIN,
    USAGE,
    Stopped,
    interruptible,
    when_stopped,
)


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def accounted(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: errors and stopping signals become messages and exit codes."""
    stopped = when_stopped(command.__name__)

    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            with interruptible():
                command(*args, **kwargs)
        except BrokenPipeError:  # the reader of our output has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ALL_WELL) from None
        except Stopped:
            if stopped != ALL_WELL:
                say("interrupted")
            raise typer.Exit(stopped) from None
        except (PipelineError, OSError) as error:
            say(f"sudoku-pipeline: {in_words(error) if isinstance(error, OSError) else error}")
            raise typer.Exit(_code(error)) from None

    return wrapper


def _code(error: Exception) -> int:
    match error:
        case UsageError():
            return USAGE
        case EnvironmentFailure():
            return TRY_AGAIN
        case OSError() if is_environmental(error):
            return TRY_AGAIN
    return SOME_BAD
