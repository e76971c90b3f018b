"""Codecs read and write the arguments of rules; forms combine them.

Each notation has its own codecs: `fpuzzles/codecs.py`, `iss/codecs.py`. `notations.py` has the
table of all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.reading.formats.variants import RuleType

RuleFields = dict[str, Any]
"""The values of a rule's fields, by name."""

Write = Callable[[Any, Geometry], Iterable[Any] | None]
"""Takes a rule and its geometry. Returns members of an object, or words; None if impossible."""


class Codec(NamedTuple):
    """Reads and writes one argument of a form.

    `read` returns the fields that it sets, one dict per rule: none if the form has no effect,
    several if it expresses several rules. `write` returns the output for a rule, or None if the
    form cannot express it.
    """

    read: Callable[[Any], Iterable[RuleFields]]
    write: Write


def read_only(*_: object) -> None:
    """The `write` of a codec that only reads."""
    return


def nothing(*_: object) -> tuple[()]:
    """The `write` of a codec whose fields need not be written."""
    return ()


def codec(write: Write) -> Callable[[Callable[[Any], Iterable[RuleFields]]], Codec]:
    """Decorator: makes a codec from the function that reads."""
    return lambda read: Codec(read, write)


def field(name: str, write: Write = nothing) -> Callable[[Callable[[Any], object]], Codec]:
    """Decorator: makes a codec of one field from the function that reads its value.

    `write` takes the value instead of the rule.
    """
    return lambda read: Codec(
        lambda source: [{name: read(source)}],
        lambda rule, geometry: write(getattr(rule, name), geometry),
    )


def fixed(**fields: object) -> Codec:
    """Fields that have the same values in all rules of a form; they are not written."""

    def write(rule: Rule, _geometry: Geometry) -> tuple[()] | None:
        same = all(getattr(rule, name) == value for name, value in fields.items())
        return () if same else None

    return Codec(lambda _: [fields], write)


class Form(NamedTuple):
    """One notation for rules of a class; `write` returns None for a rule that it cannot express."""

    kind: RuleType
    read: Callable[[Any], Iterable[Rule]]
    write: Write


def form(kind: RuleType, *codecs: Codec) -> Form:
    """The form whose arguments these codecs read, in this order.

    Every combination of what they return becomes a rule.
    """
    *first, last = codecs or (fixed(),)

    def read(source: object) -> Iterator[Rule]:
        combinations = [*product(*[[*codec.read(source)] for codec in first])]
        for fields in last.read(source):
            for combination in combinations:
                yield kind(**reduce(or_, combination, fields))

    def write(rule: Rule, geometry: Geometry) -> list[Any] | None:
        written = list[Any]()
        for codec in codecs:
            output = codec.write(rule, geometry)
            if output is None:
                return None
            written += output
        return written

    return Form(kind, read, write)
