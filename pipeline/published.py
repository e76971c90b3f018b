"""What lies in an outbox: its records, read safely, whoever wrote them.

An outbox is open to others. What is named like a record may be a pipe, a link to a device, huge,
nested without end, or lie about its types: none of that may hold up or end whoever reads it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from pipeline.errors import InputError, in_words
from pipeline.files import descriptor_of, is_file_name

SCHEMA: Final = 1
ENDING: Final = ".json"
LARGEST: Final = 32 * 1024 * 1024
"""Bytes of a record: room for 100,000 solution files with names of 200 letters."""

MOST_SIGNS: Final = 1_000_000
"""The commas and opening brackets of a record, three for each file: they bound its values, which
take far more time and memory than their bytes."""

_LONGEST_REASON = 200
_KINDS: dict[type, str] = {str: "a text", int: "a number", bool: "true or false"}


class NoRecord(InputError):
    """A file that is named like a record, and is none."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a record says of its job, as far as the folders ask; `files` are the names it lists.

    `member` tells which one of an archive it is about.
    """

    job: str
    source: str
    status: str
    message: str | None
    member: int | None
    files: tuple[str, ...]
    totals: Mapping[str, int]


def read_record(path: Path) -> Record | None:
    """The record in a file; None where there is none, or something that we would not write."""
    try:
        told = read_told(path)
        job, source, status = (typed(told, name, str) for name in ("job", "source", "status"))
        if job is None or source is None or status is None:
            return None
        message, member = typed(told, "message", str), typed(told, "member", int)
        files = tuple(name for name in hashes_of(told) if is_file_name(name))
        return Record(job, source, status, message, member, files, totals_of(told))
    except (NoRecord, FileNotFoundError):
        return None


def read_told(path: Path) -> dict[str, Any]:
    """What a record tells, its fields not looked at yet.

    No link is followed, and nothing is waited for. Raises NoRecord, and FileNotFoundError.
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
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise NoRecord(f"it is no record of schema {SCHEMA}")
    return told


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose names differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in an object twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def typed(told: Mapping[str, Any], name: str, kind: type) -> Any:
    """The field of that name, None where there is none. Raises NoRecord for another type."""
    value = told.get(name)
    if value is not None and type(value) is not kind:
        raise NoRecord(f"{name}: expected {_KINDS[kind]}")
    return value


def hashes_of(told: Mapping[str, Any]) -> dict[str, str]:
    """The names that a record lists, each with its SHA-256. Raises NoRecord."""
    files: dict[str, str] = {}
    listed = told.get("files")
    for each in listed if isinstance(listed, list) else [None]:
        match each:
            case {"name": str(name), "sha256": str(hashed)} if name not in files:
                files[name] = hashed
            case _:
                raise NoRecord("files: expected different names, each with its sha256")
    return files


def totals_of(told: Mapping[str, Any]) -> dict[str, int]:
    """How many puzzles have which status; empty where it is one. Raises NoRecord."""
    totals = told.get("totals")
    totals = {} if totals is None else totals
    if not isinstance(totals, dict) or any(type(count) is not int for count in totals.values()):
        raise NoRecord("totals: expected a number for each status")
    return totals
