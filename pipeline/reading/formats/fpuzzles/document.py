"""Untrusted JSON documents: their values, and objects that describe rules.

Every error names the path to its location.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats.text import quote
from pipeline.reading.formats.variants import RowColumn, cells_along

MAX_CHARACTERS = 1 << 20
"""Maximum number of characters in a document."""

_LONGEST_NUMBER = 9
_LONGEST_SHOWN = 40

Way = tuple[str | int, ...]
"""A path into the document: keys, and indices of lists from 0."""


@dataclass(eq=False)
class Misread(Exception):
    """Something unexpected in a document, at the path `way`.

    Invalid JSON has an `offset` instead of a path.
    """

    expected: str
    found: str
    way: Way = ()
    offset: int | None = None

    @property
    def where(self) -> str:
        """The path in words: `killercage 2, cells 1`, `R1C4, value`."""
        way = self.way
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
class Placed:
    """A value in a document, and the path to it."""

    value: object
    way: Way = ()

    def wrong(self, expected: str, found: str = "") -> Misread:
        return Misread(expected, found or _shown(self.value), self.way)

    def list(self) -> list[Placed]:
        """The members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return [Placed(value, (*self.way, index)) for index, value in enumerate(self.value)]

    def fields(self) -> dict[str, Placed]:
        """The members of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object, {…}")
        return {key: Placed(value, (*self.way, key)) for key, value in self.value.items()}

    def check_keys(self, known: Collection[str], expected: str = "a key that is known") -> None:
        """Raise Misread for an unknown key: nothing is ignored silently."""
        for key in self.fields():
            if key not in known:
                raise self.wrong(expected, quote(key))

    def number(self, minimum: int, maximum: int | None = None) -> int:
        """An integer, written as a number or a string."""
        number = whole_number(self.value)
        if number is None or number < minimum or (maximum is not None and number > maximum):
            span = (
                f"a number from {minimum} to {maximum}"
                if maximum is not None
                else f"{minimum} or more"
            )
            raise self.wrong(span)
        return number

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    @property
    def text(self) -> str:
        """A number or a string, as a string."""
        return str(self.value).strip()

    @property
    def is_nothing(self) -> bool:
        """Whether it is null or an empty string, which programs write for no value."""
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


def _shown(value: object) -> str:
    """A value in a message."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    written = json.dumps(value)
    return written if len(written) <= _LONGEST_SHOWN else f"{written[:_LONGEST_SHOWN]}…"


@lru_cache(maxsize=1)
def parse_json(text: str) -> object:
    """Parse a JSON text. Raises Misread, also for a repeated key.

    It is cached because a text is parsed once to recognise it, and once to read it.
    """
    if len(text) > MAX_CHARACTERS:
        raise Misread(f"at most {MAX_CHARACTERS} characters", "more")
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].rstrip()
        raise Misread("JSON", quote(rest) if rest else "the end", offset=error.pos) from None
    except RecursionError:
        raise Misread("lists and objects nested less deeply", "more") from None
    except ValueError:  # a number of thousands of digits
        raise Misread("numbers of a few digits", "a longer one") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise Misread("each key once in an object", f"{quote(twice)} twice")
    return made


COSMETIC = frozenset(
    ("angle", "baseC", "c", "cArray", "fontC", "height", "highlight", "outlineC", "size", "width")
)
"""Keys of styles."""

REPEATING = frozenset(("fromConstraint", "fromRangskSolver", "isLLConstraint", "isNewConstraint"))
"""Members that mark a drawing as the repetition of a rule."""

_SYMBOLS = {"xsum": "◯", "skyscraper": "▯"}
"""The drawings that programs add around the clues under a key."""

_CELL = re.compile(r"R(\d{1,2})C(\d{1,2})", re.ASCII | re.IGNORECASE)
DIRECTIONS = {"UL": (-1, -1), "UR": (-1, 1), "DL": (1, -1), "DR": (1, 1)}


@dataclass(frozen=True)
class DocumentContext:
    """The grid of a document, its regions, and the positions that rules have named.

    `named` has the positions of every cell, line or group by key. Drawings may repeat them, with
    the `values` that the rules have there.
    """

    geometry: Geometry
    regions: tuple[tuple[int, ...], ...]
    named: dict[str, list[frozenset[RowColumn]]] = field(default_factory=dict)
    values: set[tuple[frozenset[RowColumn], str]] = field(default_factory=set)

    def place(self, node: Placed) -> RowColumn:
        """A place in the grid, or beside it for clues."""
        match = _CELL.fullmatch(node.value) if isinstance(node.value, str) else None
        if match is None:
            raise node.wrong("a cell, such as 'R1C1'")
        row, column = int(match[1]), int(match[2])
        if max(row, column) > self.geometry.side + 1:
            raise node.wrong(f"a cell of {self.geometry.side} rows and columns, or one beside them")
        return row, column

    def cell(self, node: Placed) -> int:
        n = self.geometry.side
        cell = self.geometry.cell_at(*self.place(node))
        if cell is None:
            raise node.wrong(f"a cell of the grid, 'R1C1' to 'R{n}C{n}'")
        return cell

    @property
    def everything_named(self) -> set[frozenset[RowColumn]]:
        """The groups of places named by rules, and the union of each key's groups."""
        together = (frozenset(chain.from_iterable(groups)) for groups in self.named.values())
        return {*chain.from_iterable(self.named.values()), *together}


class RuleObject:
    """An object under `key`, such as a cage: its cells, lines and numbers.

    A member that no rule has read is refused by name, so rules need not list their members.
    """

    def __init__(self, context: DocumentContext, key: str, node: Placed) -> None:
        self.context = context
        self._key, self._node, self._fields = key, node, node.fields()
        self._asked = COSMETIC | REPEATING

    def check_all_asked(self) -> None:
        """Raise Misread for a member that is set, but that no rule has read."""
        if "value" not in self._asked and self.has("value"):
            raise self._fields["value"].wrong("no value", quote(self._fields["value"].text))
        self._node.check_keys(self._asked | {"value"})

    def has(self, name: str) -> bool:
        """Whether a member exists and is set."""
        self._asked |= {name}
        return name in self._fields and not self._fields[name].is_nothing

    def member(self, name: str) -> Placed:
        """A required member. Raises Misread if it is missing."""
        self._asked |= {name}
        if name not in self._fields:
            raise Misread(f"'{name}'", "none", self._node.way)
        return self._fields[name]

    def list(self, name: str) -> list[Placed]:
        """The items of a list; empty if it is missing."""
        self._asked |= {name}
        return self._fields[name].list() if name in self._fields else []

    def number(self, minimum: int = 0, default: int | None = None) -> int:
        """The value, which may be missing if there is a default."""
        if not self.has("value") and default is not None:
            return default
        return self.member("value").number(minimum)

    def matched(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of the value, if there is one and it matches."""
        return pattern.fullmatch(self._fields["value"].text) if self.has("value") else None

    def cell(self) -> int:
        node = self.member("cell")
        return self._name([node], [self.context.cell(node)])[0]

    def cells(
        self, minimum: int = 1, maximum: int | None = None, name: str = "cells"
    ) -> tuple[int, ...]:
        """Distinct cells, in order."""
        node = self.member(name)
        cells = self.path(node, minimum, maximum)
        if len({*cells}) < len(cells):
            raise node.wrong("different cells", "one of them twice")
        return cells

    def lines(self) -> Iterator[tuple[int, ...]]:
        """The cells of each line, in order; at least one line. A line may cross itself."""
        node = self.member("lines")
        if not node.list():
            raise node.wrong("one line or more", "none")
        return (self.path(line, 2) for line in node.list())

    def clue(self) -> tuple[int, ...]:
        """The row or column of a clue outside the grid, starting at the clue."""
        row, column = self.context.place(self.member("cell"))
        end = self.context.geometry.side + 1
        steps = {(0, column): (1, 0), (end, column): (-1, 0), (row, 0): (0, 1), (row, end): (0, -1)}
        return self._seen(steps.get((row, column)), "a place beside a row or column")

    def diagonal(self) -> tuple[int, ...]:
        """The diagonal of a clue outside the grid."""
        direction = self.member("direction")
        step = DIRECTIONS.get(str(direction.value))
        if step is None:
            raise direction.wrong("'UL', 'UR', 'DL' or 'DR'")
        return self._seen(step, f"a place beside the grid from which {direction.value} leads in")

    def _seen(self, step: RowColumn | None, expected: str) -> tuple[int, ...]:
        """The cells seen from a position outside the grid; at least one."""
        node = self.member("cell")
        place = self.context.place(node)
        outside = self.context.geometry.cell_at(*place) is None
        line = cells_along(self.context.geometry, place, step) if step and outside else ()
        if not line:
            raise node.wrong(expected)
        return self._name([node], line)

    def path(self, node: Placed, minimum: int, maximum: int | None = None) -> tuple[int, ...]:
        """Cells in order; they may repeat."""
        nodes = node.list()
        if len(nodes) < minimum or (maximum is not None and len(nodes) > maximum):
            span = (
                f"{minimum} to {maximum} cells"
                if maximum and maximum > minimum
                else f"{minimum} cells"
            )
            raise node.wrong(span if maximum else f"{minimum} cells or more", str(len(nodes)))
        return self._name(nodes, [self.context.cell(child) for child in nodes])

    def _name(self, nodes: Sequence[Placed], cells: Sequence[int]) -> tuple[int, ...]:
        """Record these positions, and the positions at the ends, as named by a rule."""
        places = [self.context.place(node) for node in nodes]
        groups = [frozenset(places), frozenset(places[:1]), frozenset(places[-1:])]
        self.context.named.setdefault(self._key, []).extend(groups)
        value = self._fields.get("value", Placed(None))
        texts = [] if value.is_nothing else [value.text]
        texts += [_SYMBOLS[self._key]] if self._key in _SYMBOLS else []
        self.context.values.update((group, text) for group in groups for text in texts)
        return tuple(cells)
