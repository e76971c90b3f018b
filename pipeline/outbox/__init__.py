"""The files of an outbox, as they are written, audited and reported.

`schema` defines records and statuses, `tables` the tables, `names` the names of sets and files, and
`events` the lines of logs. `originals` finds the original of a record, and `assertions` reads
assertions of completeness back.

This module reads records that are not trusted. Others can write to an outbox: a file named like a
record may be a pipe, a link to a device, huge, deeply nested, or of wrong types. None of these may
block or crash the reader.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec

from pipeline.errors import InputError, in_words
from pipeline.files import descriptor_of, is_file_name
from pipeline.outbox.schema import (
    FORMER_SCHEMA,
    SCHEMA,
    WITH_TOTALS,
    CollectionRecord,
    PuzzleRecord,
    Record,
    json_schema,
)
from pipeline.outbox.schema1 import record_as_now

__all__ = [
    "ENDING",
    "CollectionRecord",
    "NoRecord",
    "PuzzleRecord",
    "Record",
    "RecordForbidden",
    "file_names",
    "hashes_in",
    "is_listed",
    "json_schema",
    "load_record",
    "load_told",
    "read_record",
    "record_of",
    "strange_in",
]

ENDING: Final = ".json"
LARGEST: Final = 32 * 1024 * 1024
"""Maximum size of a record in bytes: room for 100,000 solution files with names of 200 letters."""

MOST_SIGNS: Final = 1_000_000
"""Maximum number of commas and opening brackets in a record, three for each file. They bound the
number of values, which take far more time and memory than bytes."""

_LONGEST_REASON = 200


class NoRecord(InputError):
    """A file is named like a record, but is not one."""


class RecordForbidden(NoRecord):
    """A file that may be a record is not readable for this user."""


def read_record(path: Path) -> Record | None:
    """The record in a file; None if it is missing or not a valid record."""
    try:
        return load_record(path)
    except (NoRecord, FileNotFoundError):
        return None


def load_record(path: Path) -> Record:
    return record_of(load_told(path))


def record_of(fields: dict[str, Any]) -> Record:
    """Convert a JSON object to a record. Raises NoRecord if it does not match the schema."""
    if fields.get("schema") not in (FORMER_SCHEMA, SCHEMA):
        raise NoRecord(f"it is not a record of schema {SCHEMA}")
    kind: type[Record] = CollectionRecord if fields.get("status") in WITH_TOTALS else PuzzleRecord
    try:
        record = msgspec.convert(fields, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # a surrogate cannot be encoded
        raise NoRecord(f"it does not match the schema: {error}") from error
    if len(hashes_in(record)) < len(record.files):
        raise NoRecord("it lists a file twice")
    return record


def strange_in(fields: Any, known: Any, where: str = "") -> Iterator[str]:
    """The names in a JSON object and its nested objects that the record does not have."""
    if isinstance(fields, dict):
        for name, value in fields.items():
            if name in known:
                yield from strange_in(value, known[name], f"{where}{name}.")
            else:
                yield f"{where}{name}"
    elif isinstance(fields, list):
        for value, here in zip(fields, known, strict=True):
            yield from strange_in(value, here, where)


def hashes_in(record: Record) -> dict[str, str]:
    """The names that a record lists, each with its SHA-256."""
    return {file.name: file.sha256 for file in record.files}


def file_names(record: Record) -> tuple[str, ...]:
    """The names that a record lists, if they are plain file names."""
    return tuple(file.name for file in record.files if is_file_name(file.name))


def is_listed(path: Path) -> bool:
    """Whether a file is a record, or is listed in a record beside it."""
    name = path.name
    for end in range(1, len(name) + 1):
        beside = path.with_name(name[:end] + ENDING)
        record = read_record(beside)
        if record and name in (beside.name, *file_names(record)):
            return True
    return False


def load_told(path: Path) -> dict[str, Any]:
    """The JSON object in a file, converted to schema 2; its fields are not checked yet.

    Does not follow links, and does not block. Raises NoRecord, also as RecordForbidden, and
    FileNotFoundError.
    """
    try:
        with os.fdopen(descriptor_of(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST:
                raise NoRecord(f"it is larger than {LARGEST // 2**20} MiB")
            data = file.read(size)
        if sum(map(data.count, (b",", b"[", b"{"))) > MOST_SIGNS:
            raise NoRecord(f"it has more than {MOST_SIGNS:,} commas and brackets")
        fields = json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except FileNotFoundError:
        raise
    except OSError as error:
        kind = RecordForbidden if isinstance(error, PermissionError) else NoRecord
        raise kind(f"it cannot be read: {in_words(error)}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise NoRecord(f"it is not JSON: {str(error)[:_LONGEST_REASON]}") from error
    if not isinstance(fields, dict):
        raise NoRecord(f"it is not a record of schema {SCHEMA}")
    return record_as_now(fields) if fields.get("schema") == FORMER_SCHEMA else fields


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. Raises ValueError for a repeated name."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name is repeated in an object")
    return fields


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
