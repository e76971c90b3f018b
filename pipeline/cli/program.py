"""All commands as one program: its own options, and the messages and exit codes of errors."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from pipeline.cli.commands import COMMANDS, FORMER, PANELS
from pipeline.cli.options import (
    CONFIG,
    CONFIG_FILE,
    Command,
    converted,
    did_you_mean,
    say,
    say_renamed,
)
from pipeline.errors import (
    EnvironmentFailure,
    InputError,
    MissingFolder,
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
from pipeline.settings import (
    ENVIRONMENT_PREFIX,
    FORMER_NAMES,
    environment_name,
    settings_declared,
)
from pipeline.version import __version__

_ELSEWHERE = (
    "Settings may also be SUDOKU_PIPELINE_TIMEOUT=2m in the environment, or timeout='2m' in "
    f"{CONFIG_FILE}."
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
    how: Any = {"cls": Command, "context_settings": _HELP, "epilog": _ELSEWHERE}
    for panel, commands in PANELS.items():
        for command in commands:
            if command.__name__ == only or not is_one:
                app.command(rich_help_panel=panel, hidden=panel == FORMER, **how)(command)
    return app


def _say_version(is_asked: bool) -> None:
    if is_asked:
        print(f"sudoku-pipeline {__version__}", flush=True)
        raise typer.Exit


def _own_options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", is_eager=True, help="Show the version.", callback=_say_version
        ),
    ] = False,
) -> None:
    """Have the options that stand before the command."""


class Group(TyperGroup):
    """All commands. Errors and stopping signals become one line and an exit code."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        _check_variables()
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except _MarkedError as error:
            say(f"sudoku-pipeline: {printable(_told(error))}")
            code = USAGE
        except OSError as error:  # of the help, to a full disk
            say(f"sudoku-pipeline: {_in_words(error)}")
            code = TRY_AGAIN
        for stream in (sys.stdout, sys.stderr):
            _let_go(stream)
        return sys.exit(code) if standalone_mode else code

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        option = f"--{args[0]}"
        if args[0] not in self.commands and (command := _having(option, self)):
            ctx.fail(f"No such command {args[0]!r}; there is `{command} {option}`")
        return super().resolve_command(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return converted(super().get_params(ctx), {})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help(), end="")
            ctx.exit(USAGE)
        if args[:1] == ["help"]:  # `help solve` is `solve --help`
            args = [*args[1:2], "--help"]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> None:
        try:
            with interruptible():
                try:
                    super().invoke(ctx)
                finally:
                    sys.stdout.flush()  # a full disk is an error here, not when Python ends
        except BrokenPipeError:  # the reader of our output has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ALL_WELL) from None
        except Stopped:
            code = when_stopped(ctx.invoked_subcommand or "")
            if code != ALL_WELL:
                say("\ninterrupted" if sys.stderr.isatty() else "interrupted")
            raise typer.Exit(code) from None
        except (PipelineError, OSError) as error:
            said = _in_words(error) if isinstance(error, OSError) else str(error)
            # A message about an input begins with its name.
            say(said if isinstance(error, InputError) else f"sudoku-pipeline: {said}")
            raise typer.Exit(_code(error)) from None


def _told(error: Any) -> str:
    """A mistake in a command line, and what to do about it."""
    if type(error).__name__ != "NoSuchOption" or error.ctx is None:  # as above
        return str(error.format_message())
    command, option = error.ctx.command, error.option_name
    if isinstance(command, Group):
        is_elsewhere = _having(option, command)
        return f"{option}: put it after the command" if is_elsewhere else error.format_message()
    if option == "--json" and any(each.name == "log_format" for each in command.params):
        return f"{error.message}; take --log-format json, or `status --json`"
    hint = "" if error.possibilities else f"; see `{command.name} --help`"
    return f"{error.format_message()}{hint}"


def _having(option: str, group: Any) -> str | None:
    """The first command that has an option."""
    commands = group.commands.values()
    return next((c.name for c in commands if any(option in p.opts for p in c.params)), None)


def _in_words(error: OSError) -> str:
    return "standard output is closed" if error.errno == errno.EBADF else in_words(error)


def _code(error: Exception) -> int:
    match error:
        case UsageError():
            return USAGE
        case MissingFolder():
            return SOME_BAD
        case EnvironmentFailure():
            return TRY_AGAIN
        case OSError() if is_environmental(error) or error.errno == errno.EBADF:
            return TRY_AGAIN
    return SOME_BAD


def _check_variables() -> None:
    """Say which variables of the environment look like settings and are not.

    Those of settings that were renamed count for the new name, unless that is set.
    """
    for name, current in FORMER_NAMES.items():
        former, variable = environment_name(name), environment_name(current)
        if former in os.environ:
            os.environ.setdefault(variable, os.environ.pop(former))
            say_renamed(former, variable)
    known = [environment_name(name) for name in (*settings_declared(), CONFIG)]
    for variable in sorted(os.environ):
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in known:
            hint = did_you_mean(variable, known, ENVIRONMENT_PREFIX)
            say(f"sudoku-pipeline: {printable(variable)}: there is no such setting{hint}")


def _let_go(stream: TextIO) -> None:
    """Write what is buffered; what cannot be written is dropped, else Python ends with code 120."""
    with suppress(OSError, ValueError):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
