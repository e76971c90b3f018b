"""Options shared by several commands.

Settings are declared in `Settings`, other options next to their command. A command lists the
settings that it takes, and receives them as one `Settings`:

    @takes("solver", "timeout")
    def count(files: FilesArgument, settings: Settings) -> None: …

Typer parses the command line, applies the environment and the settings file, and prints the help.
Values are converted here, because typer would load pydantic, which doubles the start-up time.
"""

from __future__ import annotations

import copy
import functools
import inspect
import json
import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperCommand

from pipeline.cli.arguments import path_of_argument, with_dashed_puzzles
from pipeline.cli.completion import complete_traits
from pipeline.cli.config import CONFIG, CONFIG_FILE, read_config
from pipeline.cli.guesses import unexpected_argument
from pipeline.cli.messages import current_options, current_value, say
from pipeline.errors import MissingFolder, UsageError, did_you_mean, printable
from pipeline.option import Setting
from pipeline.settings import (
    OUTPUT,
    Settings,
    settings_declared,
)

SOLVING_FIELDS = (
    *("solver", "minisat", "encoding", "max_solutions"),
    *("timeout", "memory_limit", "trust_solver", "prove"),
)
READING_FIELDS = ("variant", "max_bytes", "format", "alphabet", "boxes", "strict")
"""The settings of all commands that solve, and of all commands that read puzzles."""
PIPED = "read standard input if it is a pipe or a file and no argument is given"
"""Marks an argument, as an annotation: if it is missing, piped standard input is read."""


@dataclass(frozen=True, slots=True)
class OptionalValue:
    """Marks an option, as an annotation: its value is given only with `=`, and may be omitted.

    So an argument may follow the option. `default`: the value if none is given.
    """

    default: str


def _check_quoted(files: list[Path]) -> list[Path]:
    """Return the arguments. Raises UsageError if they look like the rows of an unquoted puzzle."""
    rows = [str(file) for file in files]
    are_rows = all(len(row) < 16 and re.fullmatch(r"[0-9.*_]+", row) for row in rows)
    if are_rows and len("".join(rows)) >= 16 and not any(file.is_file() for file in files):
        raise UsageError(f"quote the puzzle: it was split into {len(rows)} arguments")
    return files


FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        help="Files, archives or folders, or a puzzle itself; - or nothing for standard input.",
        callback=_check_quoted,
    ),
    PIPED,
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite an existing file, but never an input.")
]
_COMPLETIONS = {"traits": complete_traits}
"""Setting → the function that completes its values, if it has no fixed choice."""
_EXAMPLE = re.compile(r"(cat \S+ \| )?sudoku-pipeline ")
"""The start of a paragraph of help that is an example."""
_MAX_EXAMPLES = 3
"""Maximum number of examples in a message."""


def output_option(text: str, metavar: str = "FILE") -> Any:
    """The option --output, -o, with this help text."""
    return typer.Option("--output", "-o", metavar=metavar, help=text)


def json_option(names: str) -> Any:
    """The option --json of a command; `names` lists the fields of the objects that it prints."""
    return typer.Option("--json", help=f"Print JSON, one object per line: {names}.")


def check_json(output: Path | str | None, *, as_json: bool, option: str = "-o") -> None:
    """Raise UsageError if both JSON and the output of `option` would go to standard output."""
    if as_json and str(output) == "-":
        raise UsageError(f"--json prints to standard output; name a file with {option}")


@dataclass(frozen=True, slots=True)
class Output:
    """Prints lines of text or, if `as_json`, one JSON object per line. `quiet` suppresses notes."""

    as_json: bool = False
    quiet: bool = False

    def row(self, fields: dict[str, Any], text: str | None = None) -> None:
        """Print the fields as a JSON object if `as_json`, else the text, if given."""
        if self.as_json:
            print(json.dumps(fields), flush=True)
        elif text is not None:
            print(text)

    def note(self, text: str, *, to_stderr: bool = False) -> None:
        """Print a summary unless `quiet`; if `as_json` or `to_stderr`, on standard error."""
        if not self.quiet:
            (say if self.as_json or to_stderr else print)(text)

    def report_file(
        self, target: Path | str, text: str, fields: dict[str, Any] | None = None
    ) -> None:
        """Report a target that was written: print `fields` as JSON, or its name followed by `text`.

        Text is printed only if the target is a file or folder, not for standard output.
        """
        if self.as_json:
            self.row(fields) if fields else None
        elif str(target) != "-" and (Path(target).is_file() or Path(target).is_dir()):
            self.note(f"{printable(str(target))}{text}")


class Command(TyperCommand):
    """A command of typer. `Setting` converts the values of its options and arguments.

    The help shows the first sentence, then all examples as one list, then the other paragraphs.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        paragraphs = inspect.cleandoc(named.pop("help")).split("\n\n")
        first, *following = (paragraph.replace("\n", " ") for paragraph in paragraphs)
        self.examples = [paragraph for paragraph in following if _EXAMPLE.match(paragraph)]
        rest = [paragraph for paragraph in following if paragraph not in self.examples]
        named["help"] = "\n\n".join((first, *filter(None, ["\n".join(self.examples)]), *rest))
        super().__init__(*args, **named)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = {option for parameter in self.params for option in parameter.opts}
        current = current_options(with_dashed_puzzles(args), options)
        args = add_optional_values(current, self.optional_values())
        ctx.allow_extra_args = True  # our message names the right option
        super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            raise UsageError(unexpected_argument(str(self.name), ctx.args[0], options))
        return ctx.args  # type: ignore[no-any-return]

    def optional_values(self) -> dict[str, tuple[str, ...]]:
        """The options whose values may be omitted, and their values; the default is first."""
        callback: Any = self.callback
        known = inspect.signature(callback, eval_str=True).parameters
        return {
            option: (marker.default, *_choices_of(known[parameter.name].annotation))
            for parameter in self.params
            for marker in get_args(
                known[parameter.name].annotation if parameter.name in known else None
            )
            if isinstance(marker, OptionalValue)
            for option in parameter.opts
        }

    def get_params(self, ctx: Any) -> list[Any]:
        callback: Any = self.callback
        known = inspect.signature(callback, eval_str=True).parameters
        arguments = complete_parameters(
            super().get_params(ctx), {name: p.annotation for name, p in known.items()}
        )
        for argument in arguments:
            if argument.name in ("help", "short_help"):
                argument.rich_help_panel = OUTPUT  # the panel of the shared options
            if argument.param_type_name == "argument":
                argument.metavar = argument.metavar or argument.name.upper()
                argument.display_type_rich = lambda **_: None  # the type, FILE, says nothing
                argument.required &= PIPED not in get_args(known[argument.name].annotation)
        return arguments

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        chunks = map(_usage_text, self.get_params(ctx))
        return ["[OPTIONS]", *filter(None, chunks)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from typer import rich_utils  # noqa: PLC0415 - slow to load

        rich_utils.STYLE_HELPTEXT = ""  # by default, typer dims all but the first sentence
        super().format_help(ctx, formatter)


def _choices_of(annotation: Any) -> list[str]:
    """The texts of the Literal in an annotation of the form `Annotated[Literal[…] | None, …]`."""
    return [text for kind in get_args(get_args(annotation)[0]) for text in get_args(kind)]


def add_optional_values(args: list[str], values: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Add the optional values that the arguments omit.

    `values`: option → its values; the first is the one it has if none is given. Raises UsageError
    if the next argument is one of them and not a file.
    """
    end = args.index("--") if "--" in args else len(args)
    for option, following in pairwise(args[:end]):
        if following in values.get(option, ()) and not os.path.lexists(following):
            raise UsageError(f"{option} {following}: write {option}={following}")
    given = (f"{word}={values[word][0]}" if word in values else word for word in args[:end])
    return [*given, *args[end:]]


def _usage_text(parameter: Any) -> str:
    """The text of a parameter for the usage line; empty for an option that may be omitted."""
    if parameter.param_type_name == "option":
        return f"{parameter.opts[0]} {parameter.metavar}" if parameter.required else ""
    word = str(parameter.metavar)
    word += "…" * (parameter.nargs == -1 and "[" not in word)
    return word if parameter.required else f"[{word}]"


def complete_parameters(parameters: list[Any], annotations: Mapping[str, Any]) -> list[Any]:
    """Add the option `-h` to these parameters, and make `Setting` convert their values.

    `annotations`: name → type. A parameter that is missing there is a flag.
    """
    full_helps = [parameter for parameter in parameters if parameter.name == "help"]
    parameters = [*parameters, *map(_short_help_option, full_helps)]
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""  # flags take no value
        kind = annotations.get(parameter.name, bool)
        parameter.process_value = functools.partial(_convert_value, parameter, kind)
    return parameters


@functools.cache
def _short_help_option(full_help: Any) -> Any:
    """Create the option `-h` from the option `--help` of a command."""
    option = copy.copy(full_help)
    option.name, option.opts = "short_help", ["-h"]
    option.help, option.callback = "Show a short help and exit.", _show_short_help
    full_help.help = "Show all options and exit."
    return option


def _show_short_help(context: Any, _: Any, is_asked: bool) -> None:
    """Print the short help and exit, if the option -h is given."""
    if is_asked and not context.resilient_parsing:
        from pipeline.cli.short_help import short_help  # noqa: PLC0415 - loads all commands

        print(short_help(context))
        raise typer.Exit


def _convert_value(parameter: Any, annotation: Any, context: Any, value: Any) -> Any:
    """Convert the value of an option or argument: a text or the default. Raises UsageError."""
    is_option = parameter.param_type_name == "option"
    shown = str(parameter.opts[0] if is_option else parameter.metavar or parameter.name.upper())
    is_annotated = get_origin(annotation) is Annotated
    kind, *more = get_args(annotation) if is_annotated else (annotation,)
    if parameter.value_is_missing(value):
        if PIPED in more and is_piped():
            value = ["-"]
        elif parameter.required or (PIPED in more and type(None) not in get_args(kind)):
            if PIPED in more:
                problem = f"give {shown}, or pipe a puzzle to standard input"
            else:
                problem = f"{'option' if is_option else 'argument'} {shown} is missing"
            raise UsageError(problem + example_hint(context.command))
    source = context.get_parameter_source(parameter.name)
    subject = parameter.envvar if source and source.name == "ENVIRONMENT" else shown
    own = next((extra for extra in more if isinstance(extra, Setting)), Setting())
    setting = settings_declared().get(parameter.name) or own.with_type(kind)
    if is_option and subject == shown and isinstance(value, str):
        _check_is_no_option(shown, value, context.command)
    if get_origin(setting.kind) is list:
        extra = Setting().with_type(get_args(setting.kind)[0])
        value = [_read(extra, text, subject, is_option) for text in value or ()]
    elif isinstance(value, str):
        value = _read(setting, current_value(parameter.name, value, subject), subject, is_option)
    return parameter.callback(context, parameter, value) if parameter.callback else value


def _read(setting: Setting, text: str, subject: str, is_option: bool) -> Any:
    """Parse a value. An argument, unlike an option, may be a web link. Raises UsageError."""
    try:
        value = setting.read(text, subject)
    except UsageError as error:
        raise UsageError(f"{error}{did_you_mean(text, setting.choices)}") from None
    return path_of_argument(text) if setting.kind is Path and not is_option else value


def _check_is_no_option(option: str, value: str, command: Any) -> None:
    """Raise UsageError if the value is itself an option, as when the value was forgotten."""
    if any(value.partition("=")[0] in parameter.opts for parameter in command.params):
        raise UsageError(f"{option}: expected a value, found the option {value}")


def is_piped() -> bool:
    """Whether standard input is a pipe, socket or file; not a terminal, closed or /dev/null."""
    with suppress(AttributeError, OSError, ValueError):
        mode = os.fstat(sys.stdin.fileno()).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
    return False


def example_hint(command: Any) -> str:
    """Examples of a command, to append to a message; empty unless stderr is a terminal."""
    if not sys.stderr.isatty():
        return ""
    shown = "".join(f"    {example}\n" for example in command.examples[:_MAX_EXAMPLES])
    return f"; for example\n\n{shown}\nMore: {program()} {command.name} --help"


def _read_settings(context: typer.Context, path: Path | None) -> Path | None:
    """Make the settings of a file the defaults of the command. Returns `path`.

    `path`: the file of --config; None for the default file, if it exists.
    """
    if path or Path(CONFIG_FILE).exists():
        context.default_map = read_config(path or Path(CONFIG_FILE), is_named=path is not None)
    return path


def _option(setting: Setting, default: Any, **more: Any) -> inspect.Parameter:
    """Create the parameter of a command for a setting.

    `more`: further arguments of `typer.Option`.
    """
    word, text = setting.quantity.placeholder if setting.quantity else setting.metavar, setting.help
    if setting.choices and not word:
        word, text = "NAME", f"{text} One of {', '.join(setting.choices)}."
    shown = setting.display_value(default)
    if shown not in (None, False, ""):
        text = f"{text} Default: {shown}."  # typer would often put it on a separate line
    declared = typer.Option(
        *setting.spellings,
        envvar=setting.variable,
        show_envvar=False,
        show_default=False,
        metavar=word,
        rich_help_panel=setting.panel,
        help=text,
        autocompletion=_COMPLETIONS.get(setting.name),
        **more,
    )
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=shown,
        annotation=Annotated[setting.annotation, declared],
    )


_CONFIG = Setting(
    *(OUTPUT, "FILE"),
    name=CONFIG,
    help="Settings file; by default sudoku-pipeline.toml in the current folder, if it exists.",
).with_type(Path | None)


def takes(*names: str, **defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a command: add the option --config and the options of these settings.

    `defaults`: setting → default of this command, which replaces the default of `Settings`. Options
    take precedence over the environment, and the environment over the settings file.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def wrapper(**given: Any) -> None:
            del given[CONFIG]  # it was read before
            chosen = {name: given.pop(name) for name in names}
            command(settings=Settings(**chosen), **given)

        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != "settings"]
        named = inspect.Parameter.KEYWORD_ONLY
        taken = [setting for name, setting in settings_declared().items() if name in names]
        parameters = [
            *(p.replace(kind=named) for p in own),
            *(_option(setting, defaults.get(setting.name, setting.default)) for setting in taken),
            _option(_CONFIG, None, is_eager=True, callback=_read_settings),
        ]
        vars(wrapper)["__signature__"] = signature.replace(parameters=parameters)
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
        del vars(wrapper)["__wrapped__"]
        return wrapper

    return decorate


def origins_of_settings(context: typer.Context) -> dict[str, str]:
    """The origin of each setting whose value is not the default: setting → origin."""
    file = context.params[CONFIG] or CONFIG_FILE
    words = {"COMMANDLINE": "the command line", "DEFAULT_MAP": printable(str(file))}
    origins = {}
    for name, setting in settings_declared().items():
        source = context.get_parameter_source(name)
        if source and source.name != "DEFAULT":
            origins[name] = words.get(source.name, setting.variable)
    return origins


def program() -> str:
    """The command that runs this program, for messages: its name if PATH has it, else its path."""
    name, called = "sudoku-pipeline", Path(sys.argv[0])
    on_path = shutil.which(name)
    if called.name != name or (on_path and called.exists() and called.samefile(on_path)):
        return name
    return shlex.quote(str(called))


def outbox_of(folder: Path | None, settings: Settings, message_end: str = "") -> Path:
    """The outbox: `folder`, or the outbox of the settings if `folder` is None.

    Raises MissingFolder if the outbox does not exist. `message_end`: the last words of the message.
    """
    outbox = folder or settings.outbox
    if not outbox.is_dir():
        remedy = "; name another folder" if folder else "; name the outbox with --outbox"
        raise MissingFolder(f"{printable(str(outbox))}: no such folder{remedy}{message_end}")
    return outbox
