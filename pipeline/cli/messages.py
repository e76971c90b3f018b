"""Messages on standard error: suggestions for mistyped names, and the new names of former ones."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any

from pipeline.errors import printable
from pipeline.settings import FORMER_NAMES, FORMER_VALUES


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def did_you_mean(name: str, known: Any, prefix: str = "") -> str:
    """A suggestion for a mistyped name, or "". `prefix` is common to all names and ignored."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    bare = [key.removeprefix(prefix) for key in known]
    nearest = get_close_matches(name.removeprefix(prefix), bare, 1, 0.65)
    return f"; did you mean {prefix}{nearest[0]}?" if nearest else ""


def current_options(args: list[str], options: Collection[str]) -> list[str]:
    """The arguments, with former names of these options replaced, each with a line."""
    end = args.index("--") if "--" in args else len(args)
    return [*(_current_option(argument, options) for argument in args[:end]), *args[end:]]


def _current_option(argument: str, options: Collection[str]) -> str:
    option, *value = argument.split("=", 1)
    current = f"--{FORMER_NAMES.get(option.removeprefix('--'), '')}"
    if current not in options or not option.startswith("--"):
        return argument
    say_renamed(option, current)
    return "=".join((current, *value))


def current_value(name: str, value: Any, about: str) -> Any:
    """The value of a setting, with a line if it was renamed."""
    if not isinstance(value, str) or (name, value) not in FORMER_VALUES:
        return value
    current = FORMER_VALUES[name, value]
    say_renamed(f"{printable(about)} {value}", current)
    return current


def say_renamed(former: str, current: str) -> None:
    """Say that a former name was used; all of them go with version 1.1."""
    say(f"sudoku-pipeline: {former} is now {current}; the old name works until 1.1")
