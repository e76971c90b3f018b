"""TypedDicts of the settings that library functions accept as keyword arguments."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from pipeline.errors import did_you_mean
from pipeline.settings import (
    FORMER_NAMES,
    FORMER_VALUES,
    AlphabetChoice,
    EncodingChoice,
    FormatChoice,
    Level,
    ProveChoice,
    Settings,
    SolverChoice,
    VariantChoice,
    settings_declared,
)


class ReadingOptions(TypedDict, total=False):
    """Settings of library functions that read a puzzle."""

    variant: VariantChoice
    format: FormatChoice
    alphabet: AlphabetChoice
    boxes: str
    strict: bool
    max_bytes: int
    timeout: float


class SourceOptions(ReadingOptions, total=False):
    """Settings of library functions that read files, folders and archives."""

    max_total_bytes: int
    max_members: int


class SolvingOptions(ReadingOptions, total=False):
    """Settings of library functions that solve."""

    memory_limit: int
    solver: SolverChoice
    minisat: str | None
    encoding: EncodingChoice
    max_solutions: int | None
    trust_solver: bool
    prove: ProveChoice
    keep_cnf: bool
    traits: str
    rating_timeout: float


class ConvertingOptions(SolvingOptions, total=False):
    """Settings of `convert`."""

    inbox: Path
    max_total_bytes: int
    max_members: int


class BenchOptions(SourceOptions, total=False):
    """Settings of `bench`."""

    memory_limit: int
    minisat: str | None
    encoding: EncodingChoice


class WishOptions(TypedDict, total=False):
    """The fields of `Wish`: properties of puzzles to generate."""

    givens: tuple[int, int]
    minimal: bool
    symmetric: bool
    marks: bool
    depth: tuple[int, int] | None
    level: Level | None
    technique: str | None


def check_name(name: str, names: Collection[str]) -> None:
    """Raise TypeError for a keyword argument that is not one of `names`."""
    if name not in names:
        expected = ", ".join(names)
        raise TypeError(
            f"{name}: unexpected keyword argument; expected {expected}{did_you_mean(name, names)}"
        )


def settings_from(
    arguments: SourceOptions | SolvingOptions | ConvertingOptions | BenchOptions, options_type: type
) -> Settings:
    """Settings from the keyword arguments of a library function.

    `options_type` is the TypedDict of that function. Raises TypeError for an argument that it does
    not declare, UsageError for an invalid value.
    """
    names, declared = options_type.__annotations__, settings_declared()
    chosen: dict[str, Any] = dict(
        _current_setting(name, value) for name, value in arguments.items()
    )
    for name, value in chosen.items():
        check_name(name, names)
        # Without the unit, the message does not suggest a text such as '10 s' for a number.
        replace(declared[name], quantity=None).check(value, name)
    return Settings(**chosen)


def _current_setting(name: str, value: Any) -> tuple[str, Any]:
    """Return the current name and value of a setting. Warns if a former name or value was given."""
    former, current = name, FORMER_NAMES.get(name, name)
    if isinstance(value, str) and (current, value) in FORMER_VALUES:
        former, value = f"{name}={value!r}", FORMER_VALUES[current, value]
    if former != current:
        now = current if former == name else f"{current}={value!r}"
        message = f"{former} is now {now}; the old name works until 1.1"
        warnings.warn(message, DeprecationWarning, stacklevel=5)
    return current, value
