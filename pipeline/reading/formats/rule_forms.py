"""Codecs, which read and write the arguments of rules, and forms, which combine codecs.

The codecs of each notation are in `fpuzzles/codecs.py` and `iss/codecs.py`. The table of all rules
is in `notations.py`.
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
"""Name of a field of a rule → its value."""

WriteFunction = Callable[[Any, Geometry], Iterable[Any] | None]
"""Writes a rule, given its geometry, as members of an object or as words; None if impossible."""


class Codec(NamedTuple):
    """Reads and writes one argument of a form.

    - `read`: takes the source of the form. Returns a dict for each rule that the form expresses,
      which may be none or several: the fields of the rule that the argument sets.
    - `write`: returns the argument for a rule; None if the form cannot express the rule.
    """

    read: Callable[[Any], Iterable[RuleFields]]
    write: WriteFunction


def cannot_write(*_: object) -> None:
    """The `write` of a codec that can only read."""
    return


def write_nothing(*_: object) -> tuple[()]:
    """The `write` of a codec whose fields need not be written."""
    return ()


def codec(write: WriteFunction) -> Callable[[Callable[[Any], Iterable[RuleFields]]], Codec]:
    """Decorator: make a codec from its `read` function."""
    return lambda read: Codec(read, write)


def field(
    name: str, write: WriteFunction = write_nothing
) -> Callable[[Callable[[Any], object]], Codec]:
    """Decorator: make a codec of one field from a function that reads the value of the field.

    `write` takes the value instead of the rule.
    """
    return lambda read: Codec(
        lambda source: [{name: read(source)}],
        lambda rule, geometry: write(getattr(rule, name), geometry),
    )


def fixed_fields(**fields: object) -> Codec:
    """A codec for fields that have the same values in all rules of a form, and are not written."""

    def write(rule: Rule, _geometry: Geometry) -> tuple[()] | None:
        has_values = all(getattr(rule, name) == value for name, value in fields.items())
        return () if has_values else None

    return Codec(lambda _: [fields], write)


class Form(NamedTuple):
    """A notation for the rules of a class.

    `write` returns None for a rule that the notation cannot express.
    """

    kind: RuleType
    read: Callable[[Any], Iterable[Rule]]
    write: WriteFunction


def form(kind: RuleType, *codecs: Codec) -> Form:
    """Make a form whose arguments are read and written by these codecs, in this order.

    If codecs return several dicts of fields, every combination becomes a rule.
    """
    *first, last = codecs or (fixed_fields(),)

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
