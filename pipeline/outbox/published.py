"""Read published sets: a record and the files that it lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from pathlib import Path

import msgspec

from pipeline.outbox import (
    RECORD_SUFFIX,
    CollectionRecord,
    NoRecord,
    PuzzleRecord,
    Record,
    file_hashes,
    load_fields,
    record_of,
    unknown_fields,
)
from pipeline.outbox.names import solution_names
from pipeline.outbox.schema import or_none
from pipeline.settings import is_declaration
from pipeline.version import __version__, build


@dataclass(frozen=True)
class Published:
    """A record, its path, and the paths of its fields that are not in the schema."""

    path: Path
    record: Record
    unknown_fields: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        return self.path.name.removesuffix(RECORD_SUFFIX)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Maps the name of each listed file to its SHA-256."""
        return file_hashes(self.record)

    @cached_property
    def solution_files(self) -> list[str]:
        """The names of the listed solution files, ordered by number."""
        return solution_names(self.files, self.stem)

    @property
    def declared(self) -> Mapping[str, str]:
        """Maps the options that declared the notation to their values."""
        return or_none(self.record.declared) or {}

    @property
    def is_current_build(self) -> bool:
        """Whether this build wrote the record, according to the record."""
        return (self.record.version, self.record.build) == (__version__, build())

    def sibling(self, name: str) -> Path:
        """The path of another file in the folder of the record."""
        return self.path.with_name(name)


@dataclass(frozen=True)
class PublishedPuzzle(Published):
    """The set of one puzzle or formula, or of an invalid source."""

    record: PuzzleRecord


@dataclass(frozen=True)
class PublishedCollection(Published):
    """The set of a collection or archive."""

    record: CollectionRecord


def load_published(path: Path) -> PublishedPuzzle | PublishedCollection:
    """Read the set whose record is at `path`. Raises NoRecord and FileNotFoundError."""
    fields = load_fields(path)
    record = record_of(fields)
    if not all(starmap(is_declaration, (or_none(record.declared) or {}).items())):
        raise NoRecord(
            "declared: expected valid values of format, variant, alphabet, boxes or strict"
        )
    unknown = tuple(unknown_fields(fields, msgspec.to_builtins(record)))
    if isinstance(record, PuzzleRecord):
        return PublishedPuzzle(path, record, unknown)
    return PublishedCollection(path, record, unknown)
