"""Messages on standard error: suggestions for mistyped names, and warnings of former names."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any

from pipeline.errors import printable
from pipeline.settings import FORMER_NAMES, FORMER_VALUES


def say(message: str) -> None:
    """Print a message on standard error."""
    print(message, file=sys.stderr, flush=True)


def did_you_mean(name: str, known: Any, prefix: str = "") -> str:
    """A suggestion for a mistyped name; empty if no known name is similar.

    All names begin with `prefix`, which the comparison ignores.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - rarely needed

    bare = [key.removeprefix(prefix) for key in known]
    nearest = get_close_matches(name.removeprefix(prefix), bare, 1, 0.65)
    return f"; did you mean {prefix}{nearest[0]}?" if nearest else ""


def current_options(args: list[str], options: Collection[str]) -> list[str]:
    """Replace former names of options in arguments; prints a message for each."""
    end = args.index("--") if "--" in args else len(args)
    return [*(_current_option(argument, options) for argument in args[:end]), *args[end:]]


def _current_option(argument: str, options: Collection[str]) -> str:
    option, *value = argument.split("=", 1)
    current = f"--{FORMER_NAMES.get(option.removeprefix('--'), '')}"
    if current not in options or not option.startswith("--"):
        return argument
    say_renamed(option, current)
    return "=".join((current, *value))


def current_value(name: str, value: Any, subject: str) -> Any:
    """The current value for a setting. If a former value was given, prints a message."""
    if not isinstance(value, str) or (name, value) not in FORMER_VALUES:
        return value
    current = FORMER_VALUES[name, value]
    say_renamed(f"{printable(subject)} {value}", current)
    return current


def say_renamed(former: str, current: str) -> None:
    """Print a message that a former name, which works until version 1.1, was used."""
    say(f"sudoku-pipeline: {former} is now {current}; the old name works until 1.1")
