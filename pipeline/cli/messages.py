"""Messages on standard error: suggestions for mistyped names, and warnings of former names."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from typing import Any

from pipeline.errors import printable
from pipeline.settings import FORMER_NAMES, FORMER_VALUES


def say(message: str) -> None:
    """Print a message on standard error."""
    print(message, file=sys.stderr, flush=True)


def has_colours() -> bool:
    """Whether standard output is a terminal with colours, and NO_COLOR is not set."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not is_plain


def current_options(args: list[str], options: Collection[str]) -> list[str]:
    """Replace former names of options in arguments, and print a message for each.

    `options`: the current names of the options of the command.
    """
    end = args.index("--") if "--" in args else len(args)
    return [*(_current_option(argument, options) for argument in args[:end]), *args[end:]]


def _current_option(argument: str, options: Collection[str]) -> str:
    """The argument, with the current name of its option if it has a former one."""
    option, *value = argument.split("=", 1)
    current = f"--{FORMER_NAMES.get(option.removeprefix('--'), '')}"
    if current not in options or not option.startswith("--"):
        return argument
    say_renamed(option, current)
    return "=".join((current, *value))


def current_value(name: str, value: Any, subject: str) -> Any:
    """The current value of a setting for a former one, with a message; other values unchanged.

    `subject`: what the message names, such as the option.
    """
    if not isinstance(value, str) or (name, value) not in FORMER_VALUES:
        return value
    current = FORMER_VALUES[name, value]
    say_renamed(f"{printable(subject)} {value}", current)
    return current


def say_renamed(former: str, current: str) -> None:
    """Print a message that a former name was used. Former names work until version 1.1."""
    say(f"sudoku-pipeline: {former} is now {current}; the old name works until 1.1")
