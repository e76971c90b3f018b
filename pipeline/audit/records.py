"""Records, as far as an audit asks them; and which sets lie in a folder."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pipeline.errors import InputError, in_words
from pipeline.files import read_regular
from pipeline.parse.declarable import DECLARABLE
from pipeline.version import __version__

ENDING: Final = ".json"
LARGEST = 64 * 1024 * 1024
_ANSWER = re.compile(
    r"(.+)(?:_[0-9]+\.solution|\.proof\.(?:cnf|drat|drat\.xz)|\.proofs\.(?:xz|csv))", re.DOTALL
)
_NUMBERED = re.compile(r"_([1-9][0-9]{0,8})\.solution")
_KINDS: dict[type, str] = {str: "a text", int: "a number", bool: "true or false"}


class NoRecord(InputError):
    """A file that is named like a record, and is none."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a record says of the evidence: of one puzzle, or how many of many are proved."""

    complete: str | None
    steps: int | None = None
    proved: int | None = None
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """What a record says; `files` maps the names it lists to their SHA-256.

    `solutions` is None in the record of a job of many puzzles, `totals` empty in that of one.
    """

    path: Path
    version: str | None
    source: str
    sha256: str | None
    bytes: int | None
    format: str | None
    variant: str | None
    box: tuple[int, int] | None
    status: str
    solutions: int | None
    complete: bool | None
    message: str | None
    member: int | None
    files: Mapping[str, str]
    totals: Mapping[str, int]
    certificate: Certificate | None
    disagreement: str | None
    declared: Mapping[str, str]

    @property
    def stem(self) -> str:
        return self.path.name.removesuffix(ENDING)

    @property
    def is_ours(self) -> bool:
        """Whether this very version wrote it: then its messages are those that we would give."""
        return self.version == __version__

    def numbered(self) -> list[str]:
        """The solution files it lists, by their number."""
        found = {}
        for name in self.files:
            match = _NUMBERED.fullmatch(name.removeprefix(self.stem))
            if match and name.startswith(self.stem):
                found[int(match[1])] = name
        return [found[number] for number in sorted(found)]


def read_record(path: Path) -> Record:
    """The record in a file. Raises NoRecord, and FileNotFoundError."""
    try:
        data = read_regular(path, LARGEST)
        if len(data) > LARGEST:
            raise NoRecord("it is too large for a record")
        told = json.loads(data, object_pairs_hook=_once)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise NoRecord(f"it cannot be read: {in_words(error)}") from error
    except (ValueError, RecursionError) as error:
        raise NoRecord(f"it is no JSON: {str(error)[:200]}") from error
    if not isinstance(told, dict) or told.get("schema") != 1:
        raise NoRecord("it is no record of schema 1")
    return _record(path, told)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, whose names differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in an object twice")
    return found


def _record(path: Path, told: Mapping[str, Any]) -> Record:
    source, status = _typed(told, "source", str), _typed(told, "status", str)
    if source is None or status is None:
        raise NoRecord("a record has a source and a status")
    return Record(
        path,
        _typed(told, "version", str),
        source,
        _typed(told, "sha256", str),
        _typed(told, "bytes", int),
        _typed(told, "format", str),
        _typed(told, "variant", str),
        _box(told.get("box")),
        status,
        _typed(told, "solutions", int),
        _typed(told, "complete", bool),
        _typed(told, "message", str),
        _typed(told, "member", int),
        _files(told.get("files")),
        _totals(told.get("totals")),
        _certificate(told.get("certificate")),
        _typed(told, "disagreement", str),
        _declared(told.get("declared")),
    )


def _typed(told: Mapping[str, Any], name: str, kind: type) -> Any:
    """The field of that name, None where there is none. Raises NoRecord for another type."""
    value = told.get(name)
    if value is not None and type(value) is not kind:
        raise NoRecord(f"{name}: expected {_KINDS[kind]}")
    return value


def _box(value: Any) -> tuple[int, int] | None:
    match value:
        case None:
            return None
        case [int(height), int(width)]:
            return height, width
    raise NoRecord("box: expected two numbers")


def _files(value: Any) -> dict[str, str]:
    files: dict[str, str] = {}
    for each in value if isinstance(value, list) else [None]:
        match each:
            case {"name": str(name), "sha256": str(hashed)} if name not in files:
                files[name] = hashed
            case _:
                raise NoRecord("files: expected different names, each with its sha256")
    return files


def _totals(value: Any) -> dict[str, int]:
    totals = {} if value is None else value
    if not isinstance(totals, dict) or any(type(count) is not int for count in totals.values()):
        raise NoRecord("totals: expected a number for each status")
    return totals


def _certificate(value: Any) -> Certificate | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise NoRecord("certificate: expected an object")
    if _typed(value, "solutions", str) != "checked":
        raise NoRecord("certificate: solutions: expected 'checked'")
    for name in ("solver", "checker", "reason"):
        _typed(value, name, str)
    counts = (_typed(value, name, int) for name in ("steps", "proved", "claimed"))
    return Certificate(_typed(value, "complete", str), *counts)


def _declared(value: Any) -> dict[str, str]:
    declared = {} if value is None else value
    known = isinstance(declared, dict) and declared.keys() <= DECLARABLE.keys()
    if not known or any(word not in DECLARABLE[name] for name, word in declared.items()):
        raise NoRecord("declared: expected a known format, variant and alphabet")
    return dict(declared)


@dataclass(frozen=True, slots=True)
class Sets:
    """The sets in a folder: the stems of its records, and the answers that bear each stem.

    `names` are those of all its files, `folders` those of what lies in it besides.
    """

    folder: Path
    records: set[str] = field(default_factory=set)
    answers: dict[str, list[str]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    folders: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        """Take note of a file's name."""
        if name.startswith("."):
            return
        self.names.add(name)
        if name.endswith(ENDING):
            self.records.add(name.removesuffix(ENDING))
        elif match := _ANSWER.fullmatch(name):
            self.answers.setdefault(match[1], []).append(name)

    def path(self, stem: str) -> Path:
        return self.folder / (stem + ENDING)

    def beside(self, stem: str) -> list[str]:
        """The names of the answers that bear a stem and are still there, in order.

        `a.proof.cnf` may be the CNF of `a.proof`, `a.proofs.csv` the table of `a.proofs`.
        """
        names = sorted(self.answers.get(stem, ()))
        own = [name for name in names if name.rpartition(".")[0] not in self.records]
        own += [name for name in self._tables_and_formulas(stem) if name in self.names]
        return [name for name in own if os.path.lexists(self.folder / name)]

    def _tables_and_formulas(self, stem: str) -> Iterator[str]:
        """The names that a record's table and formulas would have, but for those of others."""
        if stem in self.records:
            for name in (f"{stem}.csv", f"{stem}.cnf"):
                match = _ANSWER.fullmatch(name)
                if match is None or match[1] not in self.records:
                    yield name
            if f"{stem}_count" not in self.records:
                yield f"{stem}_count.cnf"

    def strays(self) -> list[str]:
        """The answers for which there is no record."""
        stems = sorted(self.answers.keys() - self.records)
        return [
            name for stem in stems if not self.path(stem).exists() for name in self.beside(stem)
        ]


def sets_in(folder: Path) -> Sets:
    """The sets in a folder itself. Raises OSError."""
    sets = Sets(folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                sets.folders.append(entry.name)
            else:
                sets.add(entry.name)
    return sets


def sets_below(top: Path) -> list[Sets]:
    """The sets in a folder and in all below it; no link is followed. Raises OSError."""
    if not stat.S_ISDIR(top.lstat().st_mode):
        raise NotADirectoryError(f"{top.name} is no folder")
    found = []
    for folder, inner, names in os.walk(top, onerror=_fail):
        inner.sort()
        sets = Sets(Path(folder))
        for name in (*names, *(each for each in inner if (Path(folder) / each).is_symlink())):
            sets.add(name)
        found.append(sets)
    return found


def _fail(error: OSError) -> None:
    raise error
