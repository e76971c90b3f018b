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
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from typer.core import TyperCommand

from pipeline.errors import (
    EnvironmentFailure,
    PipelineError,
    UsageError,
    in_words,
    is_environmental,
    printable,
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
from pipeline.settings import FormatChoice, Settings, environment_name

_HELP: dict[str, str] = {
    "inbox": "The folder into which files are dropped.",
    "outbox": "The folder for solutions and records.",
    "solver": "auto: lanes for many puzzles at once, else minisat, or PySAT if that is missing.",
    "minisat": "The minisat program, if it is not on the PATH.",
    "encoding": "How a puzzle becomes clauses.",
    "max_solutions": "Stop after that many solutions; by default 100, or 2 each in files of many.",
    "timeout": "Seconds for all the work on one puzzle.",
    "memory_limit": "MB for each step of that work, such as solving; 64 or more.",
    "max_bytes": "The largest file of one puzzle, in bytes.",
    "max_total_bytes": "The most bytes that an archive, or a file of many puzzles, may unpack to.",
    "workers": "Processes for the puzzles of archives and collections; 0: one per core.",
    "cluster": "The Dask scheduler whose workers replace these processes: its address, or local:N.",
    "variant": "Read '*' and '.' as even and odd, or as blanks; auto: even and odd if both occur.",
    "format": "The format of the input; auto: decided by its content.",
    "alphabet": "The signs of 16 by 16 or 25 by 25 characters; auto: decided by the characters.",
    "trust_solver": "Do not check that no solution is missing; that is only claimed then.",
    "prove": "For which results to publish a checked proof that there are no other solutions.",
    "keep_cnf": "Also publish the CNF, with and without the solutions blocked.",
    "settle": "Seconds without change after which a file is complete, if leases cannot tell.",
    "grace": "Seconds that a puzzle in work gets to finish when told to stop.",
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
def _types() -> dict[str, Any]:
    return inspect.get_annotations(Settings, eval_str=True) | {"format": FormatChoice}


@functools.cache
def _option(name: str) -> Any:
    """The annotated type of the option for a field of Settings."""
    declared = typer.Option(
        f"--{name.replace('_', '-')}", envvar=environment_name(name), help=_HELP[name]
    )
    return Annotated[_types()[name], declared]


def takes(*names: str, **defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these settings, with other defaults where named."""

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

        @functools.wraps(command)
        def wrapper(**given: Any) -> None:
            chosen = {name: given.pop(name) for name in names}
            command(settings=Settings(**chosen), **given)

        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + shared
        vars(wrapper)["__signature__"] = signature.replace(parameters=parameters)
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
        del vars(wrapper)["__wrapped__"]
        return wrapper

    return decorate


class Command(TyperCommand):
    """A command that converts plain values itself: texts, numbers, paths, choices, flags.

    From 0.29 on, typer loads pydantic even for defaults, which takes longer than all else that a
    command loads at its start. What is missing or wrong is still left to typer.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, rest, _ = self.make_parser(ctx).parse_args(args=list(args))
        kinds = self.callback.__annotations__ if self.callback else {}
        for parameter in sorted(self.get_params(ctx), key=lambda each: not each.is_eager):
            name = parameter.name or ""
            value, _ = parameter.consume_value(ctx, given)
            if name not in kinds and not value:
                continue  # --help, which was not asked for
            try:
                ctx.params[name] = plain(value, kinds.get(name))
            except ValueError:
                _, rest = parameter.handle_parse_result(ctx, given, rest)
        if rest:
            ctx.fail(f"Got unexpected extra argument(s) ({' '.join(map(printable, rest))})")
        return rest


def plain(value: Any, kind: Any) -> Any:
    """Convert a text, or a list of texts, to this kind; a default that has it is left as it is.

    Raises ValueError for all else, which typer converts or refuses.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return plain(value, inner[0])
    if origin in (Union, UnionType):
        return None if value is None else plain(value, inner[0])
    if origin is list and isinstance(value, (list, tuple)):
        return [plain(each, inner[0]) for each in value]
    if origin is Literal and value in inner:
        return value
    if kind in (int, float, Path) and isinstance(value, (str, kind)):
        return kind(value)
    if kind in (bool, str) and isinstance(value, kind):
        return value
    raise ValueError


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
