"""All commands as one program: its own options, and one line for each mistake in a command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from pipeline.cli.commands import COMMANDS, PANELS
from pipeline.cli.options import CONFIG, CONFIG_FILE, Command, Converting, accounted, say
from pipeline.errors import UsageError, in_words, printable
from pipeline.service.exits import TRY_AGAIN, USAGE
from pipeline.settings import ENVIRONMENT_PREFIX, environment_name, settings_declared
from pipeline.version import __version__

_ELSEWHERE = (
    "Settings can also stand in the environment, such as SUDOKU_PIPELINE_MAX_SOLUTIONS=2, and in "
    f"{CONFIG_FILE}, as max-solutions = 2."
)
_HELP = {"help_option_names": ["-h", "--help"]}
_MarkedError: Any = typer.BadParameter.__bases__[0]
"""click's UsageError, which typer has in a module of its own in some versions."""


def application(only: str = "") -> typer.Typer:
    """All commands, or `only` one of them, which starts sooner."""
    is_one = only in COMMANDS
    app = typer.Typer(
        name="sudoku-pipeline",
        cls=Group,
        help="Solve Sudoku files that are dropped in a folder, by SAT, and certify every answer.",
        context_settings=_HELP,
        add_completion=not is_one,  # typer would load pydantic for its options
        pretty_exceptions_enable=False,
    )
    app.callback()(_own_options)
    for panel, commands in PANELS.items():
        for command in commands:
            if command.__name__ == only or not is_one:
                app.command(
                    cls=Command, context_settings=_HELP, epilog=_ELSEWHERE, rich_help_panel=panel
                )(accounted(command))
    return app


def _say_version(is_asked: bool) -> None:
    if is_asked:
        print(f"sudoku-pipeline {__version__}")
        raise typer.Exit


def _own_options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, help="Show the version.", callback=_say_version),
    ] = False,
) -> None:
    """Have the options that stand before the command."""


class Group(Converting, TyperGroup):
    """All commands. A mistake in a command line is told in one line."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        _warn_of_unknown_variables()
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except UsageError as error:
            say(f"sudoku-pipeline: {error}")
            code = USAGE
        except _MarkedError as error:
            say(f"sudoku-pipeline: {printable(error.format_message())}")
            code = USAGE
        except OSError as error:  # of the help, to a full disk
            say(f"sudoku-pipeline: {in_words(error)}")
            code = TRY_AGAIN
        for stream in (sys.stdout, sys.stderr):
            _let_go(stream)
        return sys.exit(code) if standalone_mode else code

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help(), end="")
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)


def _warn_of_unknown_variables() -> None:
    """Say which variables of the environment look like settings and are not."""
    known: Sequence[str] = [environment_name(name) for name in (*settings_declared(), CONFIG)]
    for variable in sorted(os.environ):
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in known:
            from pipeline.cli.config import did_you_mean  # noqa: PLC0415 - only for mistakes

            hint = did_you_mean(variable, known, ENVIRONMENT_PREFIX)
            say(f"sudoku-pipeline: {printable(variable)}: there is no such setting{hint}")


def _let_go(stream: TextIO) -> None:
    """Write what is buffered; what cannot be written is dropped, else Python ends with code 120."""
    with suppress(OSError, ValueError):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
