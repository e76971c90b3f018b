"""Make docs/reference.md: what is published, in words, from its description in the package.

python docs/reference.py
"""

from __future__ import annotations

import builtins
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import fields

from pipeline.published import events, schema, tables

PAGE = Path(__file__).with_name("reference.md")
RECORDS = (schema.PuzzleRecord, schema.ManyRecord)
PARTS = (
    schema.File,
    schema.Solver,
    schema.Encoding,
    schema.Certificate,
    schema.CertificateOfMany,
    schema.Fallback,
    schema.Clue,
    schema.Difference,
    schema.Cell,
    schema.Value,
)
TYPES = {str: "text", int: "number", float: "number", bool: "true or false", type(None): "null"}
INTRODUCTION = """\
# Reference

What is published, field by field. This page is made by `docs/reference.py` from the description
that the program itself writes and reads by; `sudoku-pipeline schema` prints that of the record as
a JSON Schema. Fields stand in the order in which they are written.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_records(), *_statuses(), *_tables(), *_events()])


def _records() -> Iterator[str]:
    yield "## Records\n\n`name.json`; in an archive's folder there is one for each member.\n"
    for kind in (*RECORDS, *PARTS):
        heading = "###" if kind in RECORDS else "####"
        yield f"{heading} {kind.__name__}\n\n{kind.__doc__}\n"
        rows = ((field.encode_name, _type(field.type), *_told(field)) for field in fields(kind))
        yield _table(("field", "type", "present", "meaning"), rows)


def _statuses() -> Iterator[str]:
    yield "## Statuses\n"
    yield _table(("status", "meaning"), schema.STATUSES.items())
    yield "`totals` may count beside these:\n"
    aside = {name: schema.ASIDE[name] for name in (schema.DISAGREEMENTS, schema.FALLBACKS)}
    yield _table(("name", "meaning"), aside.items())


def _tables() -> Iterator[str]:
    yield "## Tables\n\nCSV with a header, UTF-8, a row a line.\n"
    for kind in tables.TABLES:
        yield f"### {kind.__name__}\n\n{kind.__doc__}\n"
        rows = ((field.encode_name, _description(field.type)) for field in fields(kind))
        yield _table(("column", "meaning"), rows)


def _events() -> Iterator[str]:
    yield "## Log events\n\n`job`: in `name.log`; `stderr`: logged by `run` and `watch`.\n"
    rows = (
        (name, ", ".join(event.where), " ".join(map("`{}`".format, event.fields)), event.meaning)
        for name, event in events.EVENTS.items()
    )
    yield _table(("event", "where", "fields", "meaning"), rows)
    yield "Their fields, and those that every event may have:\n"
    yield _table(("field", "meaning"), events.FIELDS.items())


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*head], *([f"`{first}`", *rest] for first, *rest in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


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
            said = f"list of {_type(first)}s" if second is ... else f"list of 2 {_type(first)}s"
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
    PAGE.write_text(page())
