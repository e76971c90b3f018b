"""Command lines → values, and what is said where they are wrong."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TextIO, Union, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from pipeline.cli.options import CONFIG, CONFIG_FILE, kinds, say
from pipeline.errors import UsageError, in_words, printable
from pipeline.service.exits import TRY_AGAIN, USAGE
from pipeline.settings import ENVIRONMENT_PREFIX, environment_name
from pipeline.version import __version__

ELSEWHERE = (
    "Options may stand in the environment as well, such as SUDOKU_PIPELINE_MAX_SOLUTIONS=2, and in "
    f"{CONFIG_FILE} as max-solutions = 2."
)
HELP = {"help_option_names": ["-h", "--help"]}


def no_options() -> None:
    """No options before the command."""


def _say_version(is_asked: bool) -> None:
    if is_asked:
        print(f"sudoku-pipeline {__version__}")
        raise typer.Exit


_Version = Annotated[
    bool,
    typer.Option("--version", is_eager=True, help="Show the version.", callback=_say_version),
]


def own_options(*, version: _Version = False) -> None:
    """The options before the command."""


class Command(TyperCommand):
    """A command that converts its values itself: texts, numbers, paths, choices, flags.

    From 0.29 on, typer loads pydantic even for defaults, which takes longer than all else that a
    command loads at its start, and has its words in the messages.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # for completion in a shell
            return super().parse_args(ctx, args)
        try:
            given, rest, _ = self.make_parser(ctx).parse_args(args=list(args))
        except _ClicksError as error:
            error.ctx = ctx
            raise
        signature = inspect.signature(self.callback) if self.callback else inspect.Signature()
        types = {each.name: each.annotation for each in signature.parameters.values()}
        own = [each for each in self.get_params(ctx) if each.name in types]
        for parameter in self.get_params(ctx):
            if parameter not in own and given.get(parameter.name):
                parameter.handle_parse_result(ctx, given, [])  # --help
        for parameter in sorted(own, key=lambda each: each.name != CONFIG):
            name, value, source = parameter.name, *parameter.consume_value(ctx, given)
            if parameter.required and parameter.value_is_missing(value):
                raise UsageError(f"{_named(parameter)} is missing")
            try:
                ctx.params[name] = plain(value, types[name])
            except ValueError:
                found = printable(value if isinstance(value, str) else " ".join(value))
                expected = expectation(types[name])
                about = parameter.envvar if source.name == "ENVIRONMENT" else _named(parameter)
                wrong = f"{about}: expected {expected}, found {found!r}"
                raise UsageError(wrong) from None
            ctx.set_parameter_source(name, source)
            if name == CONFIG:
                ctx.default_map = _from_file(ctx.params[name])
        if rest:
            raise UsageError(f"{printable(rest[0])}: no such argument is expected")
        return rest


def _named(parameter: Any) -> str:
    """An option as it is written, or the name of an argument."""
    is_option = parameter.param_type_name == "option"
    return str(parameter.opts[0] if is_option else parameter.metavar or parameter.name.upper())


HARMLESS = frozenset(
    (
        *("solver", "encoding", "max_solutions", "timeout", "workers", "prove", "keep_cnf", "also"),
        *("format", "variant", "alphabet"),
        *("settle", "grace", "poll", "report", "log_format", "quiet"),
    )
)
"""Settings that a file may hold which was only found. It may be a stranger's: dropped there, or
unpacked. So it says nothing of what is run, asked, trusted or written where, and lifts no limit of
memory or bytes."""


def _from_file(path: Path | None) -> dict[str, Any]:
    """The settings in the file of that path, or in the usual one if it is there."""
    usual = Path(CONFIG_FILE)
    if path is None and not usual.exists():
        return {}
    from pipeline.cli.config import read_config  # noqa: PLC0415 - few have one

    found = read_config(path or usual)
    if path is None and (refused := sorted(found.keys() - HARMLESS)):
        why = f"not taken from a file that was only found; name it: --{CONFIG} {usual}"
        raise UsageError(f"{usual}: {refused[0].replace('_', '-')}: {why}")
    return found


class Group(TyperGroup):
    """All commands. What is wrong with a command line is said in one form."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        for variable in _strangers(os.environ):
            hint = did_you_mean(variable, _variables(), ENVIRONMENT_PREFIX)
            say(f"sudoku-pipeline: {printable(variable)}: there is no such setting{hint}")
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except UsageError as error:
            say(f"sudoku-pipeline: {error}")
            code = USAGE
        except _ClicksError as error:
            say(f"sudoku-pipeline: {_in_our_words(error)}")
            code = USAGE
        except OSError as error:  # of the help, to a full disk
            say(f"sudoku-pipeline: {in_words(error)}")
            code = TRY_AGAIN
        for stream in (sys.stdout, sys.stderr):
            _let_go(stream)
        return sys.exit(code) if standalone_mode else code

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help())
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            hint = "; try --help" if args[0] == "help" else did_you_mean(args[0], known)
            raise UsageError(f"{printable(args[0])}: no such command{hint}")
        return super().resolve_command(ctx, args)


_ClicksError: Any = typer.BadParameter.__bases__[0]
"""click's UsageError, which typer has in a module of its own in some versions."""


def _let_go(stream: TextIO) -> None:
    """Write what is buffered; what cannot be written is dropped, else Python ends with code 120."""
    with suppress(OSError, ValueError):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _in_our_words(error: Any) -> str:
    option = getattr(error, "option_name", None)
    if option is None:
        return str(error.message)
    if hasattr(error, "possibilities"):  # as if there is no such option
        hint = did_you_mean(option, error.possibilities or ())
        return f"{printable(option)}: no such option{hint}"
    options = error.ctx.command.params if error.ctx else ()
    is_flag = any(option in each.opts and each.is_flag for each in options)
    return f"{option}: {'takes no value' if is_flag else 'its value is missing'}"


def _strangers(environment: Mapping[str, str]) -> list[str]:
    """Variables that look like settings and are none."""
    known = {*_variables()}
    return sorted(
        name for name in environment if name.startswith(ENVIRONMENT_PREFIX) and name not in known
    )


def _variables() -> Iterator[str]:
    return map(environment_name, (*kinds(), CONFIG))


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """A hint at the known name that is nearest to a mistyped one, if one is near.

    The prefix, which all of them have, makes none of them nearer.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    bare = [each.removeprefix(prefix) for each in known]
    nearest = get_close_matches(name.removeprefix(prefix), bare, 1, 0.65)
    return f"; did you mean {prefix}{nearest[0]}?" if nearest else ""


_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True)
_FLAGS |= dict.fromkeys(("0", "false", "no", "off"), False)


def plain(value: Any, kind: Any) -> Any:
    """Convert a text, or a list of texts, to this kind; a default that has it is left as it is.

    Raises ValueError for what is none.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return plain(value, inner[0])
    if origin in (Union, UnionType):
        return None if value is None else plain(value, inner[0])
    if isinstance(value, str) and "\0" in value:
        raise ValueError
    if origin is list and isinstance(value, (list, tuple)):
        return [plain(each, inner[0]) for each in value]
    if kind is bool and isinstance(value, str):
        value = _FLAGS.get(value.lower())
    if kind in (int, float, Path) and isinstance(value, (str, kind)):
        return kind(value)
    if value in inner if origin is Literal else isinstance(value, kind):
        return value
    raise ValueError


def expectation(kind: Any) -> str:
    """What a value of this kind is, for a message."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(inner)}"
    if origin is not None:
        return expectation(inner[0])
    words = {bool: "true or false", int: "a whole number", float: "a number"}
    return words.get(kind, "a text")
