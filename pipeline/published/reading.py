"""Records in an outbox, read safely, whoever wrote them.

An outbox is open to others. A file named like a record may be a pipe, a link to a device, huge,
endlessly nested, or of wrong types: nothing of that may block or crash the reader.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TypeVar, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import fields

from pipeline.errors import InputError, in_words
from pipeline.files import descriptor_of, is_file_name
from pipeline.published.schema import OF_MANY, SCHEMA, ManyRecord, PuzzleRecord, Record

ENDING: Final = ".json"
LARGEST: Final = 32 * 1024 * 1024
"""Bytes of a record: room for 100,000 solution files with names of 200 letters."""

MOST_SIGNS: Final = 1_000_000
"""Commas and opening brackets in a record, three for each file: they bound its values, which
take far more time and memory than its bytes."""

_LONGEST_REASON = 200
_EXPECTED: Final = {str: "a text", int: "a number", bool: "true or false", dict: "an object"}
S = TypeVar("S", bound=Struct)


class NoRecord(InputError):
    """A file that is named like a record, but is not one."""


def read_record(path: Path) -> Record | None:
    """The record in a file; None if there is none, or one that we would not write."""
    try:
        return load_record(path)
    except (NoRecord, FileNotFoundError):
        return None


def load_record(path: Path) -> Record:
    return record_of(load_told(path))


def record_of(told: dict[str, Any]) -> Record:
    """Convert a JSON object to a record, as described. Raises NoRecord."""
    if told.get("schema") != SCHEMA:
        raise NoRecord(f"it is no record of schema {SCHEMA}")
    kind: type[Record] = ManyRecord if told.get("status") in OF_MANY else PuzzleRecord
    left_out = _never_null(kind)
    told = {name: each for name, each in told.items() if each is not None or name not in left_out}
    try:
        record = msgspec.convert(told, kind)
    except msgspec.ValidationError as error:
        raise NoRecord(_fault(told, kind)) from error
    if len(hashes_in(record)) < len(record.files):
        raise NoRecord("files: expected different names, each with its sha256")
    return record


@cache
def _never_null(kind: type[Struct]) -> frozenset[str]:
    """The fields that are left out if there is nothing to say; null is read as left out."""
    absent = (field for field in fields(kind) if field.default is UNSET)
    return frozenset(each.encode_name for each in absent if type(None) not in _kinds(each.type))


def hashes_in(record: Record) -> dict[str, str]:
    """The names that a record lists, each with its SHA-256."""
    return {file.name: file.sha256 for file in record.files}


def file_names(record: Record) -> tuple[str, ...]:
    """The names that a record lists, except those that lead elsewhere."""
    return tuple(file.name for file in record.files if is_file_name(file.name))


def load_told(path: Path) -> dict[str, Any]:
    """The JSON object in a file, its fields not checked yet.

    Links are not followed, and nothing blocks. Raises NoRecord, and FileNotFoundError.
    """
    try:
        with os.fdopen(descriptor_of(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST:
                raise NoRecord(f"it is larger than {LARGEST // 2**20} MiB")
            data = file.read(size)
        if sum(map(data.count, (b",", b"[", b"{"))) > MOST_SIGNS:
            raise NoRecord(f"it has more than {MOST_SIGNS:,} commas and brackets")
        told = json.loads(data, object_pairs_hook=_once, parse_constant=_no_number)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise NoRecord(f"it cannot be read: {in_words(error)}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise NoRecord(f"it is no JSON: {str(error)[:_LONGEST_REASON]}") from error
    if not isinstance(told, dict):
        raise NoRecord(f"it is no record of schema {SCHEMA}")
    return told


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, whose names must differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in an object twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _fault(told: dict[str, Any], kind: type[Struct]) -> str:
    """Which field does not match its description, and what was expected."""
    for field in fields(kind):
        name = field.encode_name
        if name not in told and not field.required:
            continue
        value = told.get(name)
        try:
            msgspec.convert(value, field.type)
        except msgspec.ValidationError:
            expected = _expected(field.type)
            inner = [each for each in _kinds(field.type) if _is_struct(each)]
            if inner and isinstance(value, dict) and not expected:
                return f"{name}: {_fault(value, inner[0])}"
            plain = (_EXPECTED[each] for each in _kinds(field.type) if each in _EXPECTED)
            return f"{name}: expected {expected or next(plain, 'an object')}"
    raise AssertionError("one of the fields is at fault")


def _expected(annotation: Any) -> str:
    """What a field's description says is expected."""
    if get_origin(annotation) is Annotated:
        for each in annotation.__metadata__:
            if isinstance(each, msgspec.Meta) and each.extra:
                return str(each.extra["expected"])
    return ""


def _kinds(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if isinstance(annotation, type) or get_origin(annotation) in (tuple, dict):
        return [get_origin(annotation) or annotation]
    return [kind for each in get_args(annotation) for kind in _kinds(each)]


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)
