"""Make the pages of docs/reference/ that say what the package says of itself.

    python docs/reference.py

`commands.md` is made from the commands and their help, `settings.md` from the options that they
share, `published.md` from the description of what is published.
"""

from __future__ import annotations

import builtins
import re
import textwrap
import typing
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec
import typer.main
from msgspec import UNSET, UnsetType
from msgspec.structs import fields

from pipeline.cli import application
from pipeline.cli.options import CONFIG
from pipeline.outbox import events, schema, tables, traits
from pipeline.settings import Setting, settings_declared

FOLDER = Path(__file__).with_name("reference")
GROUP: Any = typer.main.get_command(application())
SETTINGS = {CONFIG: Setting(name=CONFIG, kind=Path), **settings_declared()}
RECORDS = (schema.PuzzleRecord, schema.ManyRecord)
PARTS = (
    schema.PublishedFile,
    schema.RecordedSolver,
    schema.Encoding,
    schema.CertificateOfOne,
    schema.CertificateOfMany,
    schema.Fallback,
    schema.RecordedClue,
    schema.RecordedFree,
    schema.RuleTold,
    schema.RecordedDifference,
    schema.Effort,
    schema.Rating,
    schema.Cell,
    schema.Value,
)
TYPES = {str: "text", int: "number", float: "number", bool: "true or false", type(None): "null"}
IN_HELP = re.compile(r"(?<!\S)(?:--[\w-]+|[\w/-]+(?:\.\w+)+)(?![\w/])")
"""Options and names of files in help texts."""
COMMANDS_BEGIN = """\
# Commands

This page is made by `docs/reference.py` from what `sudoku-pipeline COMMAND --help` says. Options
that several commands share are [settings](settings.md); the [exit codes](exit-codes.md) are those
of all commands. Each command takes `--help`, or `-h`.

Every command that prints takes `--json`: one object a line on standard output, about a puzzle or
a file that it wrote; messages go to standard error. `run`, `watch` and `serve` log instead, with
[`--log-format json`](settings.md#log-format), and `schema` prints JSON anyway.
Commands on an outbox take `--outbox`; those that take it as an argument too use that first. A file
of a puzzle may be the puzzle itself, of 16 cells or more, if no file has that name.
"""
SETTINGS_BEGIN = """\
# Settings

The options that several commands share. Each can be given as an option, `--max-solutions 2`, in
the environment, `SUDOKU_PIPELINE_MAX_SOLUTIONS=2`, or in a [settings
file](../how-to/settings.md), `max-solutions = 2`; an option beats the environment, which beats
the file. In the environment `1` turns a switch on, `0` off. This page is made by
`docs/reference.py`.

The ones you may want first: [inbox](#inbox) and [outbox](#outbox) name the folders,
[solver](#solver) and [minisat](#minisat) the solver; [max-solutions](#max-solutions),
[timeout](#timeout), [memory-limit](#memory-limit) and [max-bytes](#max-bytes) limit one puzzle;
[log-format](#log-format) chooses between lines for people and a log for programs.
"""
PUBLISHED_BEGIN = """\
# Records, tables and logs

What is published, field by field. This page is made by `docs/reference.py` from the description
that the program itself writes and reads by; `sudoku-pipeline schema` prints that of the record as
a JSON Schema. Fields stand in the order in which they are written.
"""


def commands() -> Iterator[str]:
    """All commands, with their usage, help, examples, arguments and own options."""
    yield COMMANDS_BEGIN
    shown = {name: command for name, command in GROUP.commands.items() if not command.hidden}
    first = {name: command.help.partition("\n")[0] for name, command in shown.items()}
    yield _table(
        ("command", "what it does"), ((_linked(each), _marked(first[each])) for each in first)
    )
    yield from _parameters("option before the command", GROUP.params)
    for name, command in shown.items():
        own = [each for each in command.params if each.name not in SETTINGS or not _is_option(each)]
        shared = [_name(each) for each in command.params if each not in own]
        usage = " ".join(command.collect_usage_pieces(typer.Context(command)))
        yield f"## {name}\n\n```text\nsudoku-pipeline {name} {usage}\n```\n"
        yield from _help(command.help)
        yield from _parameters("argument or option", own)
        if shared:
            links = (f"[{each}](settings.md#{each})" for each in shared)
            yield f"Settings: {', '.join(links)}.\n"


def _parameters(head: str, parameters: list[Any]) -> Iterator[str]:
    parameters = [each for each in parameters if not getattr(each, "hidden", False)]
    if parameters:
        rows = ((_spelt(each), _marked(each.help) + _default_of(each)) for each in parameters)
        yield _table((head, "meaning"), rows)


def _help(text: str) -> Iterator[str]:
    """The paragraphs of a help text; examples that follow each other stand in one block."""
    for examples, some in groupby(text.split("\n\n"), _is_example):
        if examples:
            yield "\n".join(["```sh", *some, "```\n"])
        else:
            yield from (textwrap.fill(_marked(each), 100) + "\n" for each in some)


def _marked(text: str) -> str:
    """A help text, with options and names of files marked as code."""
    return IN_HELP.sub(r"`\g<0>`", text).replace("|", "\\|")


def _is_example(paragraph: str) -> bool:
    return re.match(r"(cat \S+ \| )?sudoku-pipeline ", paragraph) is not None


def _is_option(parameter: Any) -> bool:
    return parameter.opts[0].startswith("-")


def _name(parameter: Any) -> str:
    return parameter.opts[0].lstrip("-")


def _linked(name: str) -> str:
    return f"[{name}](#{name})"


def _spelt(parameter: Any) -> str:
    """An argument, or the spellings of an option and what it takes."""
    if not _is_option(parameter):
        return f"`{parameter.metavar or parameter.name.upper()}`".replace("|", "\\|")
    value = f" {parameter.metavar}" if parameter.metavar else ""
    return ", ".join(f"`{each}{value}`" for each in parameter.opts)


def _default_of(parameter: Any) -> str:
    """The default of an option, unless its help says so."""
    default = parameter.default
    return f" Default: `{default}`." if default not in (None, False) else ""


def settings() -> Iterator[str]:
    """All settings, with their environment variables, values and defaults."""
    yield SETTINGS_BEGIN
    for name, setting in SETTINGS.items():
        default = setting.shown(setting.default)
        taken = {
            command: parameter
            for command, each in GROUP.commands.items()
            for parameter in each.params
            if parameter.name == name
        }
        option = next(each for each in taken.values() if _is_option(each))
        others = [f"`{each}` with {c}" for c, o in taken.items() if (each := o.default) != default]
        defaults = ", ".join([_in_words(default), *others])
        yield f"## {_name(option)}\n\n{setting.help or option.help}\n"
        yield f"- `{'`, `'.join(option.opts)}`, in the environment `{option.envvar}`"
        yield f"- {_values(setting)}; default: {defaults}"
        yield f"- for {', '.join(f'[{each}](commands.md#{each})' for each in taken)}\n"


def _values(setting: Setting) -> str:
    """What a setting may be."""
    if setting.choices:
        return "one of " + ", ".join(map("`{}`".format, setting.choices))
    return {bool: "a switch", Path: "a path"}.get(setting.kind, setting.expected)


def _in_words(default: Any) -> str:
    """A default."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return "none" if default in (None, "") else f"`{default}`"


def published() -> Iterator[str]:
    """The record, the statuses, the tables and the log events."""
    yield PUBLISHED_BEGIN
    yield from (*_records(), *_statuses(), *_tables(), *_events())


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands.md": commands,
    "settings.md": settings,
    "published.md": published,
}


def page(name: str) -> str:
    """The whole page."""
    return "\n".join(PAGES[name]()).rstrip("\n") + "\n"


def _records() -> Iterator[str]:
    yield "## Records\n\n`name.json`; in an archive's folder there is one for each member.\n"
    for kind in (*RECORDS, *PARTS):
        heading = "###" if kind in RECORDS else "####"
        yield f"{heading} {kind.__name__}\n\n{kind.__doc__}\n"
        rows = ((field.encode_name, _type(field.type), *_told(field)) for field in fields(kind))
        yield _table(("field", "type", "present", "meaning"), _coded(rows))


def _statuses() -> Iterator[str]:
    yield "## Statuses\n"
    yield _table(("status", "meaning"), _coded(schema.STATUSES.items()))
    yield "`totals` may count beside these:\n"
    aside = {name: schema.ASIDE[name] for name in (schema.DISAGREEMENTS, schema.FALLBACKS)}
    yield _table(("name", "meaning"), _coded(aside.items()))


def _tables() -> Iterator[str]:
    yield "## Tables\n\nCSV with a header, UTF-8, a row a line. A field that begins with `=`, `+`,"
    yield "`-` or `@`, perhaps after apostrophes, has one more `'` before it, so that no"
    yield "spreadsheet takes it for a formula. The types are those of Parquet and of frames, see"
    yield "[Use pandas, polars and duckdb](../how-to/data.md); there an empty field is null.\n"
    for kind in (*tables.TABLES, *traits.ALSO.values()):
        yield f"### {kind.__name__}\n\n{kind.__doc__}\n"
        types = tables.column_types(kind)
        rows = (
            (field.encode_name, types[field.encode_name], _description(field.type))
            for field in fields(kind)
        )
        yield _table(("column", "type", "meaning"), _coded(rows))


def _events() -> Iterator[str]:
    yield "## Log events\n\n`job`: in `name.log`; `stderr`: logged by `run` and `watch`.\n"
    rows = (
        (name, ", ".join(event.where), " ".join(map("`{}`".format, event.fields)), event.meaning)
        for name, event in events.EVENTS.items()
    )
    yield _table(("event", "where", "fields", "meaning"), _coded(rows))
    yield "Their fields, and those that every event may have:\n"
    yield _table(("field", "meaning"), _coded(events.FIELDS.items()))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*head], *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _coded(rows: Iterable[Iterable[str]]) -> Iterator[list[str]]:
    """These rows with a name from a program as their first cell."""
    return ([f"`{first}`", *rest] for first, *rest in rows)


def _told(field: msgspec.structs.FieldInfo) -> tuple[str, str]:
    return "not always" if field.default is UNSET else "always", _description(field.type)


def _description(annotation: Any) -> str:
    return next(each.description for each in annotation.__metadata__ if each.description)


def _type(annotation: Any) -> str:
    """A type in words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    match origin, inner:
        case typing.Annotated, (first, *_):
            said = _type(first)
        case builtins.tuple, (first, second):
            many = re.sub(r"s?$", "s", _type(first), count=1)
            said = f"list of {many}" if second is ... else f"list of 2 {many}"
        case builtins.dict, (_, second):
            said = f"object of {_type(second)}s"
        case typing.Literal, words:
            said = " or ".join(map("`{}`".format, words))
        case None, _:
            name = getattr(annotation, "__name__", "")
            said = TYPES.get(annotation) or f"[{name}](#{name.lower()})"
        case _:
            said = " or ".join(_type(each) for each in inner if each is not UnsetType)
    return said


if __name__ == "__main__":
    for name in PAGES:
        (FOLDER / name).write_text(page(name))
