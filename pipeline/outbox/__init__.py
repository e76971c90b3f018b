"""Read and write the contents of an outbox.

`schema` defines records and statuses, `tables` defines tables, `names` the names of sets and files,
and `events` the lines of logs. `originals` finds the original of a record, and `assertions` reads
the problems whose completeness an outbox asserts.

This module reads records safely. Other programs can write to an outbox: a file with the name of a
record may be a pipe, a link to a device, huge, deeply nested, or of another schema. No such file
may block or crash the reader.
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
from pipeline.outbox.schema1 import upgrade_record

__all__ = [
    "RECORD_SUFFIX",
    "CollectionRecord",
    "NoRecord",
    "PuzzleRecord",
    "Record",
    "RecordForbidden",
    "file_hashes",
    "file_names",
    "is_listed",
    "json_schema",
    "load_fields",
    "load_record",
    "read_record",
    "record_of",
    "unknown_fields",
]

RECORD_SUFFIX: Final = ".json"
"""The suffix of the names of records."""

MAX_RECORD_BYTES: Final = 32 * 1024 * 1024
"""Maximum size of a record that is read. A record of this size can list 100,000 solution files with
names of 200 characters."""

MAX_SEPARATORS: Final = 1_000_000
"""Maximum number of commas and opening brackets in a record; each listed file needs three. This
limits the number of JSON values, because parsing takes far more time and memory than reading."""

_MAX_REASON_CHARACTERS = 200
"""Maximum number of characters that a message quotes of the reason why a file is not JSON."""


class NoRecord(InputError):
    """A file has the name of a record, but contains no record."""


class RecordForbidden(NoRecord):
    """A file has the name of a record, but this user may not read it."""


def read_record(path: Path) -> Record | None:
    """Read the record in a file. Returns None if the file is missing or contains no record."""
    try:
        return load_record(path)
    except (NoRecord, FileNotFoundError):
        return None


def load_record(path: Path) -> Record:
    """Read the record in a file. Raises NoRecord and FileNotFoundError."""
    return record_of(load_fields(path))


def record_of(fields: dict[str, Any]) -> Record:
    """Convert a JSON object to a record. Raises NoRecord if it does not match the schema."""
    if fields.get("schema") not in (FORMER_SCHEMA, SCHEMA):
        raise NoRecord(f"it is not a record of schema {SCHEMA}")
    kind: type[Record] = CollectionRecord if fields.get("status") in WITH_TOTALS else PuzzleRecord
    try:
        record = msgspec.convert(fields, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # a surrogate cannot be encoded
        raise NoRecord(f"it does not match the schema: {error}") from error
    if len(file_hashes(record)) < len(record.files):
        raise NoRecord("it lists a file twice")
    return record


def unknown_fields(fields: Any, known: Any, prefix: str = "") -> Iterator[str]:
    """Yield the paths of the fields of a JSON value that are missing from `known`.

    `known`: the record that was read from the JSON value, converted back to JSON.
    """
    if isinstance(fields, dict):
        for name, value in fields.items():
            if name in known:
                yield from unknown_fields(value, known[name], f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}"
    elif isinstance(fields, list):
        for value, known_value in zip(fields, known, strict=True):
            yield from unknown_fields(value, known_value, prefix)


def file_hashes(record: Record) -> dict[str, str]:
    """Map the name of each file that a record lists to its SHA-256."""
    return {file.name: file.sha256 for file in record.files}


def file_names(record: Record) -> tuple[str, ...]:
    """The names of the files that a record lists, except names that are paths to other folders."""
    return tuple(file.name for file in record.files if is_file_name(file.name))


def is_listed(path: Path) -> bool:
    """Whether a file is a record, or a record in the same folder lists it."""
    name = path.name
    for end in range(1, len(name) + 1):
        record_path = path.with_name(name[:end] + RECORD_SUFFIX)
        record = read_record(record_path)
        if record and name in (record_path.name, *file_names(record)):
            return True
    return False


def load_fields(path: Path) -> dict[str, Any]:
    """Read the JSON object in a record's file, without checking its fields.

    Schema 1 is converted to schema 2. This function does not follow links, and does not block.
    Raises NoRecord (RecordForbidden if access is denied) and FileNotFoundError.
    """
    try:
        with os.fdopen(descriptor_of(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_RECORD_BYTES:
                raise NoRecord(f"it is larger than {MAX_RECORD_BYTES // 2**20} MiB")
            data = file.read(size)
        if sum(map(data.count, (b",", b"[", b"{"))) > MAX_SEPARATORS:
            raise NoRecord(f"it has more than {MAX_SEPARATORS:,} commas and brackets")
        fields = json.loads(
            data.decode(), object_pairs_hook=_distinct_fields, parse_constant=_reject_constant
        )
    except FileNotFoundError:
        raise
    except OSError as error:
        kind = RecordForbidden if isinstance(error, PermissionError) else NoRecord
        raise kind(f"it cannot be read: {in_words(error)}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise NoRecord(f"it is not JSON: {str(error)[:_MAX_REASON_CHARACTERS]}") from error
    if not isinstance(fields, dict):
        raise NoRecord(f"it is not a record of schema {SCHEMA}")
    return upgrade_record(fields) if fields.get("schema") == FORMER_SCHEMA else fields


def _distinct_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object of these fields. Raises ValueError if a name occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("an object has two fields of the same name")
    return fields


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
