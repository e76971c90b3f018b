"""A record and its path, as the audit, the report and `proof` read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from pathlib import Path

import msgspec

from pipeline.outbox import (
    ENDING,
    CollectionRecord,
    NoRecord,
    PuzzleRecord,
    Record,
    hashes_in,
    load_told,
    record_of,
    strange_in,
)
from pipeline.outbox.names import solutions_among
from pipeline.outbox.schema import or_none
from pipeline.settings import is_declaration
from pipeline.version import __version__, build


@dataclass(frozen=True)
class Published:
    """A record and its path. `strange` are names of fields that the schema does not have."""

    path: Path
    record: Record
    strange: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        return self.path.name.removesuffix(ENDING)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The names that it lists, each with its SHA-256."""
        return hashes_in(self.record)

    @cached_property
    def numbered(self) -> list[str]:
        """The names of its solution files, by their numbers."""
        return solutions_among(self.files, self.stem)

    @property
    def declared(self) -> Mapping[str, str]:
        """The declared notation."""
        return or_none(self.record.declared) or {}

    @property
    def is_ours(self) -> bool:
        """Whether this build wrote it, according to its record."""
        return (self.record.version, self.record.build) == (__version__, build())

    def beside(self, name: str) -> Path:
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
    """The set of a record. Raises NoRecord, also for an unknown notation, and FileNotFoundError."""
    fields = load_told(path)
    record = record_of(fields)
    if not all(starmap(is_declaration, (or_none(record.declared) or {}).items())):
        raise NoRecord("declared: expected a known format, variant, alphabet and boxes")
    strange = tuple(strange_in(fields, msgspec.to_builtins(record)))
    if isinstance(record, PuzzleRecord):
        return PublishedPuzzle(path, record, strange)
    return PublishedCollection(path, record, strange)
