"""What all commands share: their options, and how errors become messages and exit codes.

Each option is declared once, with its environment variable. A command names the settings it takes
and gets them as one `Settings`:

    @takes("solver", "timeout")
    def count(file: File, settings: Settings) -> None: …
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from pipeline.errors import (
    EnvironmentFailure,
    InputError,
    PipelineError,
    UsageError,
    in_words,
    is_environmental,
    printable,
)
from pipeline.service.exits import (
    ALL_WELL,
    SOME_BAD,
    TRY_AGAIN,
    USAGE,
    Stopped,
    interruptible,
    when_stopped,
)
from pipeline.settings import FormatChoice, Settings, environment_name

_, *_FORMATS = get_args(FormatChoice)
_HELP: dict[str, str] = {
    "inbox": "The folder into which files are dropped.",
    "outbox": "The folder for solutions and records.",
    "solver": "auto: lanes for many puzzles at once, else minisat, or PySAT if that is missing.",
    "minisat": "The minisat program, if it is not on the PATH.",
    "encoding": "How a puzzle becomes clauses.",
    "max_solutions": "Stop after that many solutions; by default 100, or 2 each in files of many.",
    "timeout": "For all the work on one puzzle.",
    "memory_limit": "For each step of that work, such as solving; 64 or more.",
    "max_bytes": "The largest file of one puzzle.",
    "max_total_bytes": "The most that an archive, or a file of many puzzles, may unpack to.",
    "workers": "Processes for the puzzles of archives and collections; 0: one per core.",
    "cluster": "The Dask scheduler whose workers replace these processes: its address, or local:N.",
    "variant": "Read '*' and '.' as even and odd, or as blanks; auto: even and odd if both occur.",
    "format": f"The format of the input; auto: decided by its content; {', '.join(_FORMATS)}.",
    "alphabet": "The signs of 16 by 16 or 25 by 25 characters; auto: decided by the characters.",
    "trust_solver": "Do not check that no solution is missing; that is only claimed then.",
    "prove": "For which results to publish a checked proof that there are no other solutions.",
    "keep_cnf": "Also publish the CNF, with and without the solutions blocked.",
    "also": "Find out more about puzzles: canonical, minimal, effort, with commas between.",
    "settle": "Without change for so long a file is complete, if leases cannot tell.",
    "grace": "For a puzzle in work to finish when told to stop.",
    "poll": "Scan every 5 s: for network and container mounts, which give no events.",
    "on_done": "Run this command for each job that has ended; the record is its last argument.",
    "on_bad": "Run this command only for jobs with something invalid, unknown or failed.",
    "metrics": "Replace this OpenMetrics file after every scan, or at the end of `run`.",
    "report": "Keep report.html, a page to look at, up to date in the outbox.",
    "log_format": "auto is console on a terminal, json elsewhere.",
    "quiet": "Print nothing but problems.",
}


SOLVING = (
    "solver",
    "minisat",
    "encoding",
    "max_solutions",
    "timeout",
    "memory_limit",
    "trust_solver",
    "prove",
)
READING = ("variant", "max_bytes", "format", "alphabet")


@functools.cache
def kinds() -> dict[str, Any]:
    """The types of the settings."""
    return inspect.get_annotations(Settings, eval_str=True) | {"format": FormatChoice}


_METAVARS = {
    **dict.fromkeys(("inbox", "outbox"), "FOLDER"),
    **dict.fromkeys(("timeout", "settle", "grace"), "SECONDS"),
    **dict.fromkeys(("max_bytes", "max_total_bytes"), "BYTES"),
    **dict.fromkeys(("max_solutions", "workers"), "N"),
    "minisat": "PROGRAM",
    "also": "NAMES",
    "memory_limit": "MB",
    "cluster": "ADDRESS",
    "format": "NAME",
    "metrics": "FILE",
    **dict.fromkeys(("on_done", "on_bad"), "COMMAND"),
}
"""What stands for the value in the help, if that is no choice."""


@functools.cache
def _option(name: str) -> Any:
    """The annotated type of the option for a field of Settings."""
    declared = typer.Option(
        f"--{name.replace('_', '-')}",
        envvar=environment_name(name),
        show_envvar=False,
        metavar=_METAVARS.get(name),
        help=_HELP[name],
    )
    return Annotated[kinds()[name], declared]


CONFIG, CONFIG_FILE = "config", "sudoku-pipeline.toml"
"""The option that names the settings file, and its usual name."""

_Config = Annotated[
    Path | None,
    typer.Option(
        f"--{CONFIG}",
        envvar=environment_name(CONFIG),
        show_envvar=False,
        metavar="FILE",
        help="A settings file, by default sudoku-pipeline.toml in this folder if it is there.",
    ),
]


def takes(*names: str, **defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these settings, with other defaults where named, and --config.

    A setting is taken from the command line, else the environment, else the settings file.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        known = {field.name: field for field in fields(Settings)}
        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != "settings"]
        shared = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(name, known[name].default),
                annotation=_option(name),
            )
            for name in names
        ]
        shared.append(
            inspect.Parameter(
                CONFIG, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_Config
            )
        )

        @functools.wraps(command)
        def wrapper(**given: Any) -> None:
            del given[CONFIG]  # `Command` has read it
            chosen = {name: given.pop(name) for name in names}
            command(settings=Settings(**chosen), **given)

        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + shared
        vars(wrapper)["__signature__"] = signature.replace(parameters=parameters)
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
        del vars(wrapper)["__wrapped__"]
        return wrapper

    return decorate


def whence(context: typer.Context) -> dict[str, str]:
    """Where each setting that is not a default comes from, for a person."""
    file = context.params[CONFIG] or CONFIG_FILE
    places = {"COMMANDLINE": "an option", "DEFAULT_MAP": printable(str(file))}
    found = {}
    for name in context.params:
        source = context.get_parameter_source(name)
        if name in _HELP and source and source.name != "DEFAULT":
            found[name] = places.get(source.name, environment_name(name))
    return found


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def accounted(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: errors and stopping signals become messages and exit codes."""
    stopped = when_stopped(command.__name__)

    @functools.wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            with interruptible():
                try:
                    command(*args, **kwargs)
                finally:
                    sys.stdout.flush()  # what cannot be written fails here, not as Python ends
        except BrokenPipeError:  # the reader of our output has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ALL_WELL) from None
        except Stopped:
            if stopped != ALL_WELL:
                say("\ninterrupted" if sys.stderr.isatty() else "interrupted")
            raise typer.Exit(stopped) from None
        except (PipelineError, OSError) as error:
            said = in_words(error) if isinstance(error, OSError) else str(error)
            # What is wrong with an input begins with its name.
            say(said if isinstance(error, InputError) else f"sudoku-pipeline: {said}")
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
