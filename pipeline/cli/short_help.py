"""The short help of `-h`: what a command does, two examples, and its everyday options."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from typer.core import TyperGroup

from pipeline.cli.commands import EVERYDAY_OPTIONS, FORMER_PANEL, PANELS
from pipeline.cli.config import CONFIG
from pipeline.settings import settings_declared

_MAX_EXAMPLES = 2
_MAX_NAME_WIDTH = 24
"""Maximum width of the column of options; longer names have their own line."""


def short_help(context: Any) -> str:
    """The short help of the command, or of the program, of a context of click."""
    command, path = context.command, context.command_path
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    lines = [f"Usage: {usage}", "", *_wrapped(command.help.partition("\n")[0])]
    if examples := command.examples[:_MAX_EXAMPLES]:
        lines += ["", *(f"  {example}" for example in examples)]
    if isinstance(command, TyperGroup):
        lines += ["", *_table(_command_groups().items()), ""]
        lines += [f"What each does: {path} --help. One of them: {path} COMMAND -h"]
    else:
        rows = [(_name(option), _first_sentence(option.help)) for option in _everyday(command)]
        lines += ["", *_table(rows)] if rows else []
        lines += ["", f"All options: {path} --help"]
    return "\n".join(lines)


def _command_groups() -> dict[str, str]:
    """Name of a panel → the names of its commands."""
    return {
        f"{panel}:": ", ".join(command.__name__ for command in commands)
        for panel, commands in PANELS.items()
        if panel != FORMER_PANEL
    }


def _everyday(command: Any) -> list[Any]:
    """The everyday options of a command, in the order of EVERYDAY_OPTIONS."""
    options = {
        option.opts[0]: option for option in command.params if option.param_type_name == "option"
    }
    names = EVERYDAY_OPTIONS.get(command.name)
    if names is None:
        shared = {setting.option for setting in settings_declared().values()} | {f"--{CONFIG}"}
        return [option for name, option in options.items() if name not in shared]
    return [options[name] for name in names.split()]


def _name(option: Any) -> str:
    """An option with its short form and the placeholder of its value."""
    *others, last = option.opts
    separator = "" if (option.metavar or "[").startswith("[") else " "
    return ", ".join((*others, f"{last}{separator}{option.metavar or ''}"))


def _first_sentence(text: str) -> str:
    """The first sentence of a help text, up to a semicolon and without the fields of --json."""
    return re.split(r"[;.](?=\s|$)|(?<=one object per line):", text, maxsplit=1)[0] + "."


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Lines of a table with two columns, the second of which is wrapped."""
    rows = [*rows]
    width = min(max(len(name) for name, _ in rows), _MAX_NAME_WIDTH)
    for name, text in rows:
        lines = _wrapped(text, indent=width + 4)
        if len(name) > width:
            yield from (f"  {name}", *lines)
        else:
            yield f"  {name:{width}}  {lines[0].lstrip()}"
            yield from lines[1:]


def _wrapped(text: str, indent: int = 0) -> list[str]:
    """The lines of a text as wide as the terminal, all indented by this many columns."""
    width = max(shutil.get_terminal_size().columns, indent + 20)
    margin = " " * indent
    return textwrap.wrap(
        text, width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )
