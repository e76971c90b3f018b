"""The options that commands share, and the settings file: TOML with the names of the options.

A setting is declared in `Settings`, any other option beside its command. A command names the
settings it takes and gets them as one `Settings`:

    @takes("solver", "timeout")
    def count(files: FilesArgument, settings: Settings) -> None: …

Typer parses the command line, fills in the environment and the settings file, and prints the help.
The values are converted here: typer would load pydantic for that, which doubles the time of a
start.
"""

from __future__ import annotations

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
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.core import TyperCommand

from pipeline.errors import MissingFolder, UsageError, printable
from pipeline.settings import FORMER_NAMES, OUTPUT, Setting, Settings, settings_declared

SOLVING = (
    *("solver", "minisat", "encoding", "max_solutions"),
    *("timeout", "memory_limit", "trust_solver", "prove"),
)
READING = ("variant", "max_bytes", "format", "alphabet", "boxes")
PIPED = "standard input, if it is a pipe or a file and nothing is named"


def _check_quoted(files: list[Path]) -> list[Path]:
    """Raise UsageError for the rows, or the cells, of a puzzle that was not quoted."""
    rows = [str(file) for file in files]
    are_rows = all(len(row) < 16 and re.fullmatch(r"[0-9.*_]+", row) for row in rows)
    if are_rows and len("".join(rows)) >= 16 and not any(file.is_file() for file in files):
        raise UsageError(f"quote the puzzle: it came as {len(rows)} arguments")
    return files


FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        help="Puzzles, collections, archives, or a puzzle itself; - or nothing is standard input.",
        callback=_check_quoted,
    ),
    PIPED,
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace a file that exists, but never an input.")
]
CONFIG, CONFIG_FILE = "config", "sudoku-pipeline.toml"
"""The option that names the settings file, and its usual name."""

MAX_CONFIG_BYTES = 1024 * 1024

_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
"""How an error of TOML ends with its place."""

_EXAMPLE = re.compile(r"(cat \S+ \| )?sudoku-pipeline ")
_MOST_EXAMPLES = 3
"""Examples that a message shows."""


def output_option(text: str, metavar: str = "FILE") -> Any:
    """The option -o with this help."""
    return typer.Option("--output", "-o", metavar=metavar, help=text)


def json_option(names: str) -> Any:
    """The option --json of a command whose objects have these names."""
    return typer.Option("--json", help=f"Print JSON, one object a line: {names}.")


def check_json(output: Path | str | None, *, as_json: bool, option: str = "-o") -> None:
    """Raise UsageError if standard output would hold both JSON and what is written."""
    if as_json and str(output) == "-":
        raise UsageError(f"--json is for standard output; name a file with {option}")


@dataclass(frozen=True, slots=True)
class Output:
    """`as_json`: objects, one a line, in place of text. `quiet`: no notes."""

    as_json: bool = False
    quiet: bool = False

    def row(self, told: dict[str, Any], text: str | None = None) -> None:
        """Print an object, or its text if there is one."""
        if self.as_json:
            print(json.dumps(told), flush=True)
        elif text is not None:
            print(text)

    def note(self, text: str, *, aside: bool = False) -> None:
        """Print a summary; on standard error beside JSON, or if it stands `aside` of data."""
        if not self.quiet:
            (say if self.as_json or aside else print)(text)

    def wrote(self, target: Path | str, text: str, told: dict[str, Any] | None = None) -> None:
        """Print what was written to a file, or its object; nothing for data on standard output."""
        if self.as_json:
            self.row(told) if told else None
        elif str(target) != "-" and (Path(target).is_file() or Path(target).is_dir()):
            self.note(f"{printable(str(target))}{text}")


class Command(TyperCommand):
    """A command that converts its values by `Setting`.

    Its help has the first sentence, all examples as one list, then the other paragraphs.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        paragraphs = inspect.cleandoc(named.pop("help")).split("\n\n")
        first, *others = (each.replace("\n", " ") for each in paragraphs)
        self.examples = [each for each in others if _EXAMPLE.match(each)]
        rest = [each for each in others if each not in self.examples]
        named["help"] = "\n\n".join((first, *filter(None, ["\n".join(self.examples)]), *rest))
        super().__init__(*args, **named)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, current_options(args))

    def get_params(self, ctx: Any) -> list[Any]:
        callback: Any = self.callback
        known = inspect.signature(callback, eval_str=True).parameters
        found = converted(
            super().get_params(ctx), {name: p.annotation for name, p in known.items()}
        )
        for each in found:
            if each.name == "help":
                each.rich_help_panel = OUTPUT  # with the shared options
            if each.param_type_name == "argument":
                each.metavar = each.metavar or each.name.upper()
                each.display_type_rich = lambda **_: None  # files need no word for their type
                each.required &= PIPED not in get_args(known[each.name].annotation)
        return found

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = map(_in_usage, self.get_params(ctx))
        return ["[OPTIONS]", *filter(None, pieces)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from typer import rich_utils  # noqa: PLC0415 - slow to load

        rich_utils.STYLE_HELPTEXT = ""  # else all but the first sentence is dim
        super().format_help(ctx, formatter)


def _in_usage(parameter: Any) -> str:
    """A parameter as it stands in the usage; nothing for options that may be left out."""
    if parameter.param_type_name == "option":
        return f"{parameter.opts[0]} {parameter.metavar}" if parameter.required else ""
    word = str(parameter.metavar)
    word += "…" * (parameter.nargs == -1 and "[" not in word)
    return word if parameter.required else f"[{word}]"


def converted(parameters: list[Any], annotations: Mapping[str, Any]) -> list[Any]:
    """The parameters of a command, whose values `Setting` converts; by default flags."""
    for each in parameters:
        if getattr(each, "is_flag", False):
            each.metavar = ""  # true and false need no word
        kind = annotations.get(each.name, bool)
        each.process_value = functools.partial(_processed, each, kind)
    return parameters


def _processed(parameter: Any, annotation: Any, context: Any, value: Any) -> Any:
    """The value of an option or argument, which is a text unless it is a default.

    Raises UsageError.
    """
    is_option = parameter.param_type_name == "option"
    shown = str(parameter.opts[0] if is_option else parameter.metavar or parameter.name.upper())
    is_annotated = get_origin(annotation) is Annotated
    kind, *more = get_args(annotation) if is_annotated else (annotation,)
    if parameter.value_is_missing(value):
        if PIPED in more and is_piped():
            value = ["-"]
        elif parameter.required or (PIPED in more and type(None) not in get_args(kind)):
            raise UsageError(f"{shown} is missing" + in_examples(context.command))
    source = context.get_parameter_source(parameter.name)
    about = parameter.envvar if source and source.name == "ENVIRONMENT" else shown
    own = next((each for each in more if isinstance(each, Setting)), Setting())
    setting = settings_declared().get(parameter.name) or own.typed(kind)
    if is_option and about == shown and isinstance(value, str):
        _check_is_no_option(shown, value, context.command)
    if get_origin(setting.kind) is list:
        each = Setting().typed(get_args(setting.kind)[0])
        value = [each.read(text, about) for text in value or ()]
    elif isinstance(value, str):
        value = setting.read(value, about)
    return parameter.callback(context, parameter, value) if parameter.callback else value


def _check_is_no_option(option: str, value: str, command: Any) -> None:
    """Raise UsageError for a value that is an option: the value itself was left out."""
    if any(value in each.opts for each in command.params):
        raise UsageError(f"{option}: expected a value, found the option {value}")


def is_piped() -> bool:
    """Whether standard input is a pipe or a file: no terminal, not closed, not /dev/null."""
    with suppress(AttributeError, OSError, ValueError):
        mode = os.fstat(sys.stdin.fileno()).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
    return False


def in_examples(command: Any) -> str:
    """For a person at a terminal: how a command is used."""
    if not sys.stderr.isatty():
        return ""
    shown = "".join(f"    {each}\n" for each in command.examples[:_MOST_EXAMPLES])
    return f"; for example\n\n{shown}\nAll of it: {program()} {command.name} --help"


def _read_settings(context: typer.Context, path: Path | None) -> Path | None:
    """Take the settings in the named file, or in the usual one if it is there, as defaults."""
    if not context.resilient_parsing and (path or Path(CONFIG_FILE).exists()):
        context.default_map = read_config(path or Path(CONFIG_FILE), is_named=path is not None)
    return path


def read_config(path: Path, *, is_named: bool = True) -> dict[str, Any]:
    """The settings in a file, by field of Settings.

    Relative paths in it, except of programs, are relative to its folder. Raises UsageError for a
    file that cannot be read, an unknown setting, a wrong value, and a risky setting in a file that
    was found rather than named.
    """
    try:
        chosen = _chosen(_parsed_toml(path), path, is_named=is_named)
        Settings(**chosen)
    except UsageError as error:
        message = str(error).removeprefix("--")
        raise UsageError(f"{printable(str(path))}: {message}") from error
    return chosen


def _chosen(found: Mapping[str, Any], path: Path, *, is_named: bool) -> dict[str, Any]:
    known = {setting.key: setting for setting in settings_declared().values()}
    chosen = {}
    for written, value in found.items():
        key = written
        if key in FORMER_NAMES and FORMER_NAMES[key] not in found:
            key = FORMER_NAMES[key]
            say_renamed(f"{printable(str(path))}: {written}", key)
        setting = known.get(key)
        if setting is None:
            raise UsageError(f"{printable(key)}: no such setting{did_you_mean(key, known)}")
        if setting.risky and not is_named:
            why = f"not taken from a file that was only found; name it: --{CONFIG} {path}"
            raise UsageError(f"{key}: {why}")
        taken = setting.read if setting.unit and isinstance(value, str) else setting.check
        known_value = taken(value, key)
        if setting.kind is Path:
            known_value = path.parent / Path(known_value).expanduser()
        chosen[setting.name] = known_value
    return chosen


def _parsed_toml(path: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - few have a settings file

    try:
        data = _config_bytes(path)
        if len(data) > MAX_CONFIG_BYTES:
            raise UsageError(f"a settings file has at most {MAX_CONFIG_BYTES:,} bytes")
        return tomllib.loads(data.decode())
    except OSError as error:
        raise UsageError(str(error.strerror)) from error
    except UnicodeDecodeError as error:
        found = f"found something else at byte {error.start + 1}"
        raise UsageError(f"expected UTF-8, {found}") from error
    except (ValueError, RecursionError) as error:  # of TOML; also numbers and nests too large
        match = _PLACE.fullmatch(str(error))
        where = f"line {match[2]}, column {match[3]}: {match[1]}" if match else str(error)
        raise UsageError(where) from error


def _config_bytes(path: Path) -> bytes:
    """Read a settings file. Raises UsageError for a pipe, whose writer might never come."""
    from pipeline.files import kind_in_words  # noqa: PLC0415 - as tomllib

    if str(path) == os.devnull:
        return b""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise UsageError(f"expected a regular file, found {kind_in_words(mode)}")
        return file.read(MAX_CONFIG_BYTES + 1)


def did_you_mean(name: str, known: Any, prefix: str = "") -> str:
    """A hint at the known name that is nearest to a mistyped one, if one is near.

    The prefix, which all of them have, is not compared.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    bare = [each.removeprefix(prefix) for each in known]
    nearest = get_close_matches(name.removeprefix(prefix), bare, 1, 0.65)
    return f"; did you mean {prefix}{nearest[0]}?" if nearest else ""


def _option(setting: Setting, default: Any, **more: Any) -> inspect.Parameter:
    """The option for a setting, as a parameter of a command."""
    word, text = setting.unit.word if setting.unit else setting.metavar, setting.help
    if setting.choices and not word:
        word, text = "NAME", f"{text} One of {', '.join(setting.choices)}."
    shown = setting.shown(default)
    if shown not in (None, False, ""):
        text = f"{text} Default: {shown}."  # typer would often give it a line of its own
    declared = typer.Option(
        *setting.spellings,
        envvar=setting.variable,
        show_envvar=False,
        show_default=False,
        metavar=word,
        rich_help_panel=setting.panel,
        help=text,
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
    help="A settings file, else sudoku-pipeline.toml here.",
).typed(Path | None)


def takes(*names: str, **defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of these settings, with other defaults where named, and --config.

    A setting is taken from the command line, else the environment, else the settings file.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def wrapper(**given: Any) -> None:
            del given[CONFIG]  # it was read
            chosen = {name: given.pop(name) for name in names}
            command(settings=Settings(**chosen), **given)

        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != "settings"]
        named = inspect.Parameter.KEYWORD_ONLY
        taken = [each for name, each in settings_declared().items() if name in names]
        parameters = [
            *(p.replace(kind=named) for p in own),
            *(_option(each, defaults.get(each.name, each.default)) for each in taken),
            _option(_CONFIG, None, is_eager=True, callback=_read_settings),
        ]
        vars(wrapper)["__signature__"] = signature.replace(parameters=parameters)
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
        del vars(wrapper)["__wrapped__"]
        return wrapper

    return decorate


def origins_of_settings(context: typer.Context) -> dict[str, str]:
    """Where each changed setting comes from, for a person."""
    file = context.params[CONFIG] or CONFIG_FILE
    places = {"COMMANDLINE": "an option", "DEFAULT_MAP": printable(str(file))}
    found = {}
    for name, setting in settings_declared().items():
        source = context.get_parameter_source(name)
        if source and source.name != "DEFAULT":
            found[name] = places.get(source.name, setting.variable)
    return found


def program() -> str:
    """How to call it again: by its name if that is on the PATH, else as it was called."""
    name, called = "sudoku-pipeline", Path(sys.argv[0])
    found = shutil.which(name)
    if called.name != name or (found and called.exists() and called.samefile(found)):
        return name
    return shlex.quote(str(called))


def current_options(args: list[str]) -> list[str]:
    """The arguments, with options by their former names replaced, each with a line."""
    end = args.index("--") if "--" in args else len(args)
    return [*map(_current_option, args[:end]), *args[end:]]


def _current_option(argument: str) -> str:
    option, *value = argument.split("=", 1)
    name = FORMER_NAMES.get(option.removeprefix("--"))
    if name is None or not option.startswith("--"):
        return argument
    say_renamed(option, f"--{name}")
    return "=".join((f"--{name}", *value))


def say_renamed(former: str, current: str) -> None:
    """Say that a former name was used; all of them go with version 1.1."""
    say(f"sudoku-pipeline: {former} is now {current}; the old name works until 1.1")


def outbox_of(folder: Path | None, settings: Settings, more: str = "") -> Path:
    """The outbox that is named, or that of the settings.

    Raises MissingFolder, whose message ends with `more`.
    """
    outbox = folder or settings.outbox
    if not outbox.is_dir():
        remedy = "" if folder else "; name another by --outbox"
        raise MissingFolder(f"{printable(str(outbox))}: no such folder{remedy}{more}")
    return outbox


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
