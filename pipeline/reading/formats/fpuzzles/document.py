"""A JSON text from strangers, read whole; an error names the way to its place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import isinf

from pipeline.reading.formats.text import quote

LONGEST = 1 << 20
"""Characters of a document."""

_LONGEST_NUMBER = 9
_LONGEST_TOLD = 40
_DEEPEST = 32
_NOT_DEEP = f"at most {_DEEPEST} lists and objects in each other"

Way = tuple[str | int, ...]
"""Keys, and places in lists from 0, that lead from the whole document to a part of it."""


@dataclass(eq=False)
class Misread(Exception):
    """Something in a document is not what was expected.

    The place is the end of `way`, or the key that ends it if `at_key`; `offset` is known for a text
    that is no JSON.
    """

    expected: str
    found: str
    way: Way = ()
    at_key: bool = False
    offset: int | None = None
    truncated: bool = False

    @property
    def where(self) -> str:
        """The way in words: `killercage 2, cells 1`, `R1C4, value`."""
        way = self.way[:-1] if self.at_key else self.way
        if way[:1] == ("grid",) and len(way) > 2:
            row, column = (int(place) + 1 for place in way[1:3])
            way = (f"R{row}C{column}", *way[3:])
        words: list[str] = []
        for step in way:
            if isinstance(step, int) and words:
                words[-1] += f" {step + 1}"
            else:
                words.append(str(step))
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a document, and the way to it."""

    value: object
    way: Way = ()

    def wrong(self, expected: str) -> Misread:
        return Misread(expected, _told(self.value), self.way)

    def list(self) -> list[Node]:
        """The members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return [Node(value, (*self.way, at)) for at, value in enumerate(self.value)]

    def fields(self) -> dict[str, Node]:
        """The members of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object, {…}")
        return {key: Node(value, (*self.way, key)) for key, value in self.value.items()}

    def known(self, wanted: Collection[str], ignored: Collection[str]) -> dict[str, Node]:
        """The members whose keys are wanted; those ignored mean nothing, and no other may be."""
        fields = self.fields()
        for key, node in fields.items():
            if key not in wanted and key not in ignored:
                raise Misread("a key that is known", quote(key), node.way, at_key=True)
        return {key: node for key, node in fields.items() if key in wanted}

    def number(self, least: int, most: int | None = None) -> int:
        """A whole number, written as one or as a text."""
        number = whole_number(self.value)
        if number is None or number < least or (most is not None and number > most):
            span = f"a number from {least} to {most}" if most is not None else f"{least} or more"
            raise self.wrong(span)
        return number

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    @property
    def text(self) -> str:
        """A number or a text, as one that is drawn."""
        return str(self.value).strip()

    @property
    def is_nothing(self) -> bool:
        """Whether it is null or an empty text, which is how programs write no value."""
        return self.value is None or (isinstance(self.value, str) and not self.value.strip())


def whole_number(value: object) -> int | None:
    """A number of 0 or more, from a number or a text; None for anything else."""
    if isinstance(value, str):
        word = value.strip()
        ok = word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER
        return int(word) if ok else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 10**_LONGEST_NUMBER else None


def _told(value: object) -> str:
    """A value in a message."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    written = json.dumps(value)
    return written if len(written) <= _LONGEST_TOLD else f"{written[:_LONGEST_TOLD]}…"


def load(text: str) -> object:
    """The value that a JSON text is. Raises Misread, for a key that stands twice too."""
    if len(text) > LONGEST:
        raise Misread(f"at most {LONGEST} characters", "more")
    try:
        value = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        end = len(text.rstrip())
        cut_off = error.pos >= end or not text[:end].endswith("}")
        found = "the end" if error.pos >= end else quote(text[error.pos : end])
        raise Misread("JSON", found, offset=error.pos, truncated=cut_off) from None
    except RecursionError:
        raise Misread(_NOT_DEEP, "more") from None
    except ValueError:  # a number of thousands of digits
        raise Misread("numbers of a few digits", "a longer one") from None
    layer = [value]
    for _ in range(_DEEPEST):
        layer = [member for each in layer for member in _members(each)]
    if layer:
        raise Misread(_NOT_DEEP, "more")
    return value


def _members(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise Misread("each key once in an object", f"{quote(twice)} twice")
    return made


def _finite(written: str) -> float:
    number = float(written)
    if isinf(number):
        raise Misread("JSON", written)
    return number


def _no_constant(name: str) -> object:
    raise Misread("JSON", name)
