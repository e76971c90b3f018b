"""One option: its type, range, spellings and messages. `Settings` declares every option."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pipeline.errors import UsageError, printable
from pipeline.quantities import Quantity

ENVIRONMENT_PREFIX = "SUDOKU_PIPELINE_"
"""Prefix of the environment variables that set options."""

_FLAGS = {"1": True, "true": True, "yes": True, "on": True}
_FLAGS |= {"0": False, "false": False, "no": False, "off": False}
"""Spelling of a flag's value → the value."""
_KIND_WORDS = {bool: "true or false", int: "a whole number", float: "a number"}
"""Type of a setting → description of valid values, for messages."""
_TYPES: Mapping[Any, Any] = {int: Integral, float: Real, Path: (str, Path)}
"""Type of a setting → accepted Python types, if they differ."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An option: its place in the help, and its valid values.

    - `panel`, `metavar`: the section of the help that lists it, and the placeholder of its value.
    - `minimum`, `maximum`: range of a number.
    - `is_risky`: whether the setting names a program or file, lifts a limit, or trusts a solver. A
      settings file found in the current folder must not contain it: a stranger may have written it.
    - `quantity`: the quantity of a number, which may then have a suffix, as in `90s`.
    - `short`: one-letter form of the option.
    - `pattern`, `valid_text`: a regular expression for valid strings, and their description in
      messages.
    - `kind`: type of the value, without None; `is_optional`: None is valid as well.
    """

    panel: str = ""
    metavar: str | None = None
    minimum: float = -math.inf
    maximum: float = math.inf
    _: KW_ONLY
    is_risky: bool = False
    quantity: Quantity | None = None
    short: str | None = None
    pattern: str = ""
    valid_text: str = ""
    name: str = ""
    help: str = ""
    kind: Any = str
    is_optional: bool = False
    default: Any = None

    @property
    def annotation(self) -> Any:
        """The type annotation of the value."""
        return self.kind | None if self.is_optional else self.kind

    def with_type(self, annotation: Any) -> Setting:
        """A copy with `kind` and `is_optional` from an annotation such as `int | None`."""
        if type(None) not in get_args(annotation):
            return replace(self, kind=annotation)
        return replace(self, kind=get_args(annotation)[0], is_optional=True)

    @property
    def key(self) -> str:
        """The option's name in a settings file."""
        return self.name.replace("_", "-")

    @property
    def option(self) -> str:
        """The option on the command line."""
        return f"--{self.key}"

    @property
    def spellings(self) -> tuple[str, ...]:
        """The option, and its short form if it has one."""
        return (self.option, self.short) if self.short else (self.option,)

    @property
    def variable(self) -> str:
        """The option's environment variable."""
        return environment_name(self.name)

    @property
    def choices(self) -> tuple[str, ...]:
        """The valid strings of a setting with a fixed choice, else empty."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def expected(self) -> str:
        """A description of valid values, for messages."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.quantity and not self.quantity.default_unit:
            return f"a number with its unit, as in {self.quantity.example}"
        span = f" from {self.minimum:,} to {self.maximum:,}" if math.isfinite(self.maximum) else ""
        kind = self.valid_text or _KIND_WORDS.get(self.kind, "a string")
        if not self.quantity:
            return kind + span
        unit, example = self.quantity.default_unit, self.quantity.example
        return f"{kind} of {unit}{span}, or a value with a unit such as {example}"

    def display_value(self, value: Any) -> Any:
        """The value, as text with a suffix if the setting has a quantity."""
        return self.quantity.text_of(value) if self.quantity and value is not None else value

    def read(self, text: str, subject: str) -> Any:
        """Parse a value. Raises UsageError, whose message begins with `subject`."""
        value: Any = text
        if self.kind is bool:
            value = _FLAGS.get(text.lower(), text)
        elif self.quantity and (number := self.quantity.number_in(text)) is not None:
            value = number
        elif self.kind is Path and not text:  # Path("") is the current folder
            raise UsageError(f"{subject}: expected a path, found ''")
        elif self.kind in {int, float, Path} and (
            self.quantity is None or self.quantity.default_unit
        ):
            with suppress(ValueError):  # `check` reports the error
                value = self.kind(text)
        return self.check(value, subject, text)

    def check(self, value: Any, subject: str, text: str = "") -> Any:
        """Return the value. Raises UsageError if its type is wrong or it is out of range.

        `text` is the value as the user wrote it, for the message, which begins with `subject`.
        """
        if value is None and self.is_optional:
            return value
        shown = printable(repr(text or value))[:100]
        if not self._is_of_kind(value):
            raise UsageError(f"{subject}: expected {self.expected}, found {shown}")
        if self.kind in {int, float} and not self.minimum <= value <= self.maximum:
            raise UsageError(f"{subject}: expected {self.expected}, found {shown}")
        return value

    def _is_of_kind(self, value: Any) -> bool:
        """Whether a value has the type of this setting, and matches its pattern."""
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if isinstance(value, bool):
            return self.kind is bool
        if isinstance(value, str | Path) and "\0" in str(value):
            return False
        if self.pattern and not (isinstance(value, str) and re.fullmatch(self.pattern, value)):
            return False
        return isinstance(value, _TYPES.get(self.kind, self.kind))


def environment_name(option: str) -> str:
    """The environment variable of an option, which is named without `--`."""
    return ENVIRONMENT_PREFIX + option.upper().replace("-", "_")
