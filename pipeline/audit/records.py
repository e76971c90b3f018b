"""Records, as far as an audit asks them; and which sets lie in a folder."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.parse.declarable import DECLARABLE
from pipeline.published import ENDING, NoRecord
from pipeline.published import load_told as read_told
from pipeline.version import __version__

_ANSWER = re.compile(
    r"(.+)(?:_[0-9]+\.solution|\.proof\.(?:cnf|drat|drat\.xz)|\.proofs\.(?:xz|csv))", re.DOTALL
)
_NUMBERED = re.compile(r"_([1-9][0-9]{0,8})\.solution")


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a record says of the evidence: of one puzzle, or how many of many are proved."""

    complete: str | None
    steps: int | None = None
    proved: int | None = None
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Clue:
    """A cell, its row and column from 1, and what it is said to hold: a value or a mark, if any."""

    row: int
    column: int
    holds: int | str | None

    def __str__(self) -> str:
        said = "" if self.holds is None else f"{self.holds} in "
        return f"{said}row {self.row}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Clues that are said to have no solution together, though any fewer of them if `minimal`.

    There are no clues where none were found in time.
    """

    clues: tuple[Clue, ...]
    minimal: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """The cells in which solutions are said to differ, and those that leave one of them.

    `exact`: no fewer do.
    """

    cells: tuple[Clue, ...]
    decisive: tuple[Clue, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class Encoding:
    """What the solver is said to have been asked; a formula's has no name."""

    name: str | None
    variables: int
    clauses: int


@dataclass(frozen=True, slots=True)
class Record:
    """What a record says; `files` maps the names it lists to their SHA-256.

    `solutions` is None in the record of a job of many puzzles, `totals` empty in that of one.
    `stages` are those that it tells the seconds of.
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
    encoding: Encoding | None
    stages: frozenset[str]
    conflict: Conflict | None
    difference: Difference | None

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


_KINDS: dict[type, str] = {str: "a text", int: "a number", bool: "true or false"}


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


def read_record(path: Path) -> Record:
    """The record in a file. Raises NoRecord, and FileNotFoundError."""
    told = read_told(path)
    if told.get("schema") != 1:
        raise NoRecord("it is no record of schema 1")
    source, status = typed(told, "source", str), typed(told, "status", str)
    if source is None or status is None:
        raise NoRecord("a record has a source and a status")
    return Record(
        path,
        typed(told, "version", str),
        source,
        typed(told, "sha256", str),
        typed(told, "bytes", int),
        typed(told, "format", str),
        typed(told, "variant", str),
        _box(told.get("box")),
        status,
        typed(told, "solutions", int),
        typed(told, "complete", bool),
        typed(told, "message", str),
        typed(told, "member", int),
        hashes_of(told),
        totals_of(told),
        _certificate(told.get("certificate")),
        typed(told, "disagreement", str),
        _declared(told.get("declared")),
        _encoding(told.get("encoding")),
        frozenset(_object(told, "seconds")),
        _conflict(told),
        _difference(_object(told, "difference")),
    )


def _object(told: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The object of that name, an empty one where there is none."""
    value = told.get(name)
    if value is not None and not isinstance(value, dict):
        raise NoRecord(f"{name}: expected an object")
    return value or {}


def _box(value: Any) -> tuple[int, int] | None:
    match value:
        case None:
            return None
        case [int(height), int(width)]:
            return height, width
    raise NoRecord("box: expected two numbers")


def _certificate(value: Any) -> Certificate | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise NoRecord("certificate: expected an object")
    if typed(value, "solutions", str) != "checked":
        raise NoRecord("certificate: solutions: expected 'checked'")
    for name in ("solver", "checker", "reason"):
        typed(value, name, str)
    counts = (typed(value, name, int) for name in ("steps", "proved", "claimed"))
    return Certificate(typed(value, "complete", str), *counts)


def _declared(value: Any) -> dict[str, str]:
    declared = {} if value is None else value
    known = isinstance(declared, dict) and declared.keys() <= DECLARABLE.keys()
    if not known or any(word not in DECLARABLE[name] for name, word in declared.items()):
        raise NoRecord("declared: expected a known format, variant and alphabet")
    return dict(declared)


def _encoding(value: Any) -> Encoding | None:
    match value:
        case None:
            return None
        case {"name": str() | None as name, "variables": int(variables), "clauses": int(clauses)}:
            return Encoding(name, variables, clauses)
    raise NoRecord("encoding: expected a name, and numbers of variables and clauses")


def _conflict(told: Mapping[str, Any]) -> Conflict | None:
    value, minimal = told.get("conflict"), told.get("conflict_minimal", True)
    if value is None:
        return Conflict((), minimal=False) if minimal is None else None
    clues = _clues(value, "conflict", ("value", "mark"))
    if not clues or type(minimal) is not bool:
        raise NoRecord("conflict: expected clues, and conflict_minimal to be true or false")
    return Conflict(clues, minimal)


def _difference(value: Mapping[str, Any]) -> Difference | None:
    if not value:
        return None
    cells = _clues(value.get("cells"), "difference: cells", ())
    decisive = _clues(value.get("decisive"), "difference: decisive", ("value",))
    exact = value.get("exact")
    if type(exact) is not bool:
        raise NoRecord("difference: exact: expected true or false")
    return Difference(cells, decisive, exact)


def _clues(value: Any, name: str, kinds: Collection[str]) -> tuple[Clue, ...]:
    """Cells, each with what it holds, which is of one of these kinds; nothing if there are none."""
    return tuple(_clue(each, name, kinds) for each in (value if isinstance(value, list) else [0]))


def _clue(value: Any, name: str, kinds: Collection[str]) -> Clue:
    match value:
        case {"row": int(row), "column": int(column), **rest} if len(rest) == bool(kinds):
            holds = next(iter(rest.items()), None)
            if holds is None:
                return Clue(row, column, None)
            if holds[0] in kinds and type(holds[1]) is (int if holds[0] == "value" else str):
                return Clue(row, column, holds[1])
    holding = f" and {' or '.join(kinds)}" if kinds else ""
    raise NoRecord(f"{name}: expected cells, each with row, column{holding}")


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
