"""The program: its commands, its own options, and the messages and exit codes for errors."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

from pipeline.cli.commands import COMMANDS, FORMER_PANEL, PANELS
from pipeline.cli.completion import VARIABLE, prepare_words
from pipeline.cli.config import CONFIG, CONFIG_FILE
from pipeline.cli.guesses import has_usage, unknown_command, unknown_option
from pipeline.cli.messages import say, say_renamed
from pipeline.cli.options import Command, complete_parameters
from pipeline.errors import (
    EnvironmentFailure,
    InputError,
    MissingFolder,
    PipelineError,
    UsageError,
    did_you_mean,
    in_words,
    is_environmental,
    printable,
)
from pipeline.option import ENVIRONMENT_PREFIX, environment_name
from pipeline.service.signals import (
    EXIT_BAD_INPUT,
    EXIT_OK,
    EXIT_TEMPFAIL,
    EXIT_USAGE,
    Stopped,
    code_when_stopped,
    raising_stopped,
)
from pipeline.settings import (
    FORMER_NAMES,
    settings_declared,
)
from pipeline.version import __version__

_EPILOG = (
    "Settings can also be given in the environment, as SUDOKU_PIPELINE_TIMEOUT=2m, or in "
    f"{CONFIG_FILE}, as timeout='2m'."
)
"""The last paragraph of the help of every command."""
_CONTEXT_SETTINGS = {"help_option_names": ["--help"]}
"""The settings of click for the program and every command."""
_ClickUsageError: Any = typer.BadParameter.__bases__[0]
"""The class UsageError of click, which some versions of typer define in a module of their own."""


def application(only_command: str = "") -> typer.Typer:
    """Create the program with all commands, or only with `only_command`, which starts faster."""
    is_single = only_command in COMMANDS
    app = typer.Typer(
        name="sudoku-pipeline",
        cls=CommandGroup,
        help="Drop folder that solves Sudoku puzzles with SAT solvers and certifies every answer.",
        context_settings=_CONTEXT_SETTINGS,
        add_completion=not is_single,  # typer would load pydantic for its options
        pretty_exceptions_enable=False,
    )
    app.callback()(_declare_options)
    how: Any = {"cls": Command, "context_settings": _CONTEXT_SETTINGS, "epilog": _EPILOG}
    for panel, commands in PANELS.items():
        for command in commands:
            if command.__name__ == only_command or not is_single:
                app.command(rich_help_panel=panel, hidden=panel == FORMER_PANEL, **how)(command)
    return app


def _say_version(is_asked: bool) -> None:
    """Print the version and exit, if the option --version is given."""
    if is_asked:
        print(f"sudoku-pipeline {__version__}", flush=True)
        raise typer.Exit


def _declare_options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", is_eager=True, help="Show the version.", callback=_say_version
        ),
    ] = False,
) -> None:
    """Declare the options that precede the command. Typer calls their callbacks."""


class CommandGroup(TyperGroup):
    """All commands. Converts errors and stop signals to messages and exit codes."""

    examples = (
        "sudoku-pipeline solve examples/classic.sudoku",
        "sudoku-pipeline init srv/sudoku",
    )
    """Examples for the short help."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        if VARIABLE in os.environ:
            return self._complete(**extra)
        _check_variables()
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except _ClickUsageError as error:
            say(f"sudoku-pipeline: {printable(_usage_message(error))}")
            code = EXIT_USAGE
        except OSError as error:  # for example, the help is printed to a full disk
            say(f"sudoku-pipeline: {_os_error_text(error)}")
            code = EXIT_TEMPFAIL
        for stream in (sys.stdout, sys.stderr):
            _flush_or_discard(stream)
        return sys.exit(code) if standalone_mode else code

    def _complete(self, **extra: Any) -> Any:
        """Print completions and exit. Messages would appear in the line that the user types."""
        optional: dict[str, tuple[str, ...]] = {}
        for command in self.commands.values():
            optional |= command.optional_values() if isinstance(command, Command) else {}
        prepare_words(os.environ, optional)
        with Path(os.devnull).open("w") as sys.stderr, suppress(Exception):
            super().main([], standalone_mode=False, **extra)
        sys.exit(1)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word, option = args[0], f"--{args[0]}"
        if word not in self.commands and not (word.startswith("-") or ctx.resilient_parsing):
            if not has_usage(word) and (command := _command_with(option, self)):
                ctx.fail(f"No such command {word!r}; did you mean `{command} {option}`?")
            visible = [name for name, command in self.commands.items() if not command.hidden]
            ctx.fail(unknown_command(word, visible))
        return super().resolve_command(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return complete_parameters(super().get_params(ctx), {})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help(), end="")
            ctx.exit(EXIT_USAGE)
        if args[:1] == ["help"]:  # `help solve` is `solve --help`
            args = [*args[1:2], "--help"]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> None:
        try:
            with raising_stopped():
                try:
                    super().invoke(ctx)
                finally:
                    sys.stdout.flush()  # so that a full disk is reported here, not at exit
        except BrokenPipeError:  # the reader has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(EXIT_OK) from None
        except Stopped:
            code = code_when_stopped(ctx.invoked_subcommand or "")
            if code != EXIT_OK:
                say("\ninterrupted" if sys.stderr.isatty() else "interrupted")
            raise typer.Exit(code) from None
        except (PipelineError, OSError) as error:
            message = _os_error_text(error) if isinstance(error, OSError) else str(error)
            # Messages about an input begin with its name.
            say(message if isinstance(error, InputError) else f"sudoku-pipeline: {message}")
            raise typer.Exit(_exit_code(error)) from None


def _usage_message(error: Any) -> str:
    """The message of a usage error, with a hint."""
    # The class is compared by name, because typer may define it in its own module.
    if type(error).__name__ != "NoSuchOption" or error.ctx is None:
        return str(error.format_message())
    command, option = error.ctx.command, error.option_name
    if isinstance(command, CommandGroup):
        is_of_command = _command_with(option, command)
        return f"{option}: put it after the command" if is_of_command else error.format_message()
    if option == "--json" and any(parameter.name == "log_format" for parameter in command.params):
        return f"{error.message}; use --log-format json, or `status --json`"
    return unknown_option(command.name, option, [name for p in command.params for name in p.opts])


def _command_with(option: str, group: Any) -> str | None:
    """The name of the first command with this option."""
    commands = group.commands.values()
    return next((c.name for c in commands if any(option in p.opts for p in c.params)), None)


def _os_error_text(error: OSError) -> str:
    return "standard output is closed" if error.errno == errno.EBADF else in_words(error)


def _exit_code(error: Exception) -> int:
    """The exit code for an error."""
    match error:
        case UsageError():
            return EXIT_USAGE
        case MissingFolder():
            return EXIT_BAD_INPUT
        case EnvironmentFailure():
            return EXIT_TEMPFAIL
        case OSError() if is_environmental(error) or error.errno == errno.EBADF:
            return EXIT_TEMPFAIL
    return EXIT_BAD_INPUT


def _check_variables() -> None:
    """Warn about environment variables that begin with the prefix of settings but name none.

    A variable with an earlier name of a setting is renamed, unless the current name is set.
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
            say(f"sudoku-pipeline: {printable(variable)}: unknown setting, ignored{hint}")


def _flush_or_discard(stream: TextIO) -> None:
    """Flush a stream. On failure, discard its content, so that Python does not exit with 120."""
    with suppress(OSError, ValueError):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
