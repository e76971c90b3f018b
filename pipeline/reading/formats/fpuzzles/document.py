"""Read the values of untrusted JSON documents, and the objects that describe rules.

Every error names the path to the value at fault.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from pipeline.errors import RefusalCode, counted
from pipeline.puzzle.geometry import Geometry
from pipeline.reading.formats.text import quote
from pipeline.reading.formats.variants import RowColumn, cells_along

MAX_CHARACTERS = 1 << 20
"""Maximum number of characters in a document."""

_MAX_NUMBER_DIGITS = 9
_MAX_SHOWN_CHARACTERS = 40
"""Maximum number of characters of a value that messages show."""

JsonPath = tuple[str | int, ...]
"""The path to a value in a document: keys of objects, and indices of lists from 0."""


@dataclass(eq=False)
class Misread(Exception):
    """The error for a value that is not as expected.

    - `path`: the path to the value.
    - `offset`: for invalid JSON, the position of the error in the text.
    - `code`: as in `InvalidPuzzle`.
    """

    expected: str
    found: str
    path: JsonPath = ()
    offset: int | None = None
    code: RefusalCode = "damaged"

    @property
    def where(self) -> str:
        """The path in words, such as `killercage 2, cells 1` or `R1C4, value`."""
        path = self.path
        if path[:1] == ("grid",) and len(path) > 2:
            row, column = (int(position) + 1 for position in path[1:3])
            path = (f"R{row}C{column}", *path[3:])
        words: list[str] = []
        for step in path:
            if isinstance(step, int) and words:
                words[-1] += f" {step + 1}"
            else:
                words.append(str(step))
        return ", ".join(words)

    @property
    def expected_at_path(self) -> str:
        """`expected`, followed by the path in words unless the path is empty."""
        return f"{self.expected} in {self.where}" if self.where else self.expected


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value in a document, and the path to it."""

    value: object
    path: JsonPath = ()

    def wrong(self, expected: str, found: str = "", code: RefusalCode = "damaged") -> Misread:
        return Misread(expected, found or describe_value(self.value), self.path, code=code)

    def list(self) -> list[JsonNode]:
        """The members of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return [JsonNode(value, (*self.path, index)) for index, value in enumerate(self.value)]

    def fields(self) -> dict[str, JsonNode]:
        """The members of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object, {…}")
        return {key: JsonNode(value, (*self.path, key)) for key, value in self.value.items()}

    def check_keys(
        self, known: Collection[str], expected: str = "a known key", code: RefusalCode = "damaged"
    ) -> None:
        """Raise Misread for an unknown key, so that nothing is ignored silently."""
        for key in self.fields():
            if key not in known:
                raise self.wrong(expected, quote(key), code)

    def number(self, minimum: int, maximum: int | None = None) -> int:
        """An integer, written as a number or a string."""
        number = whole_number(self.value)
        if number is None or number < minimum or (maximum is not None and number > maximum):
            span = (
                f"a number from {minimum} to {maximum}"
                if maximum is not None
                else f"a number, at least {minimum}"
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
    def is_unset(self) -> bool:
        """Whether the value is null or an empty string, which mean that it is not set."""
        return self.value is None or (isinstance(self.value, str) and not self.value.strip())


def whole_number(value: object) -> int | None:
    """A whole number of 0 or more, from a number or a string; None for anything else."""
    if isinstance(value, str):
        word = value.strip()
        is_number = word.isascii() and word.isdigit() and len(word) <= _MAX_NUMBER_DIGITS
        return int(word) if is_number else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 10**_MAX_NUMBER_DIGITS else None


def describe_value(value: object) -> str:
    """A value as messages show it, such as `null`, `'text'` or `a list`."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…"


@lru_cache(maxsize=1)
def parse_json(text: str) -> object:
    """Parse a JSON text. Raises Misread, also for a repeated key.

    The result is cached, because a text is parsed to recognise it and again to read it.
    """
    if len(text) > MAX_CHARACTERS:
        raise Misread(f"at most {MAX_CHARACTERS} characters", "more")
    try:
        return json.loads(text, object_pairs_hook=_unique_members)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].rstrip()
        raise Misread("JSON", quote(rest) if rest else "the end", offset=error.pos) from None
    except RecursionError:
        raise Misread("lists and objects nested less deeply", "too many levels") from None
    except ValueError:  # a number of thousands of digits
        raise Misread("numbers of a few digits", "a number of thousands of digits") from None


def _unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise Misread("each key once in an object", f"{quote(repeated)} twice")
    return members


STYLE_MEMBERS = frozenset(
    ("angle", "baseC", "c", "cArray", "fontC", "height", "highlight", "outlineC", "size", "width")
)
"""Members that only describe the style of a drawing."""

RULE_COPY_MEMBERS = frozenset(
    ("fromConstraint", "fromRangskSolver", "isLLConstraint", "isNewConstraint")
)
"""Members that mark a drawing as the copy of a rule."""

_SYMBOLS = {"xsum": "◯", "skyscraper": "▯"}
"""Key of a clue → the character that programs draw around the clue."""

_CELL = re.compile(r"R(\d{1,2})C(\d{1,2})", re.ASCII | re.IGNORECASE)
DIRECTIONS = {"UL": (-1, -1), "UR": (-1, 1), "DL": (1, -1), "DR": (1, 1)}
"""Name of a diagonal direction → the step: rows down, columns right."""


@dataclass(frozen=True)
class DocumentContext:
    """The geometry and regions of a document, and the positions that its rules contain so far.

    - `positions`: key → the positions of each cell, line and list of cells in rules of that key.
    - `values`: pairs of such positions and the text in the member `value` of their rule.

    A drawing that is the copy of a rule repeats its positions and text.
    """

    geometry: Geometry
    regions: tuple[tuple[int, ...], ...]
    positions: dict[str, list[frozenset[RowColumn]]] = field(default_factory=dict)
    values: set[tuple[frozenset[RowColumn], str]] = field(default_factory=set)

    def position(self, node: JsonNode) -> RowColumn:
        """The position of a cell in the grid, or of a clue just outside it."""
        match = _CELL.fullmatch(node.value) if isinstance(node.value, str) else None
        if match is None:
            raise node.wrong("a cell, such as 'R1C1'")
        n, row, column = self.geometry.side, int(match[1]), int(match[2])
        if max(row, column) > n + 1:
            raise node.wrong(f"a cell of the {n}×{n} grid, or one just outside it")
        return row, column

    def cell(self, node: JsonNode) -> int:
        n = self.geometry.side
        cell = self.geometry.cell_at(*self.position(node))
        if cell is None:
            raise node.wrong(f"a cell of the grid, 'R1C1' to 'R{n}C{n}'")
        return cell

    @property
    def all_positions(self) -> set[frozenset[RowColumn]]:
        """All sets of positions in rules, and for each key the union of its sets."""
        unions = (frozenset(chain.from_iterable(groups)) for groups in self.positions.values())
        return {*chain.from_iterable(self.positions.values()), *unions}


class RuleObject:
    """An object under `key` that describes a rule: its cells, lines and numbers.

    It records which members have been read, so that `check_all_read` can report the others.
    """

    def __init__(self, context: DocumentContext, key: str, node: JsonNode) -> None:
        self.context = context
        self._key, self._node, self._fields = key, node, node.fields()
        self._members_read = STYLE_MEMBERS | RULE_COPY_MEMBERS

    def check_all_read(self) -> None:
        """Raise Misread for a member that is set but was not read by any codec."""
        if "value" not in self._members_read and self.has("value"):
            raise self._fields["value"].wrong("no value", quote(self._fields["value"].text))
        self._node.check_keys(self._members_read | {"value"})

    def has(self, name: str) -> bool:
        """Whether a member exists and is set."""
        self._members_read |= {name}
        return name in self._fields and not self._fields[name].is_unset

    def member(self, name: str) -> JsonNode:
        """A required member. Raises Misread if it is missing."""
        self._members_read |= {name}
        if name not in self._fields:
            raise Misread(f"'{name}'", "none", self._node.path)
        return self._fields[name]

    def list(self, name: str) -> list[JsonNode]:
        """The items of a member that is a list; empty if the member is missing."""
        self._members_read |= {name}
        return self._fields[name].list() if name in self._fields else []

    def number(self, minimum: int = 0, default: int | None = None) -> int:
        """The number in the member `value`, or `default` if the member is missing."""
        if not self.has("value") and default is not None:
            return default
        return self.member("value").number(minimum)

    def match_value(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of the member `value`; None if the member is missing or does not match."""
        return pattern.fullmatch(self._fields["value"].text) if self.has("value") else None

    def cell(self) -> int:
        node = self.member("cell")
        return self._record_position([node], [self.context.cell(node)])[0]

    def cells(
        self, minimum: int = 1, maximum: int | None = None, name: str = "cells"
    ) -> tuple[int, ...]:
        """The cells of a member, in order. Raises Misread for a repeated cell."""
        node = self.member(name)
        cells = self.path(node, minimum, maximum)
        if len({*cells}) < len(cells):
            raise node.wrong("different cells", "a cell twice")
        return cells

    def lines(self) -> Iterator[tuple[int, ...]]:
        """The cells of each line, in order; cells may repeat. Raises Misread for no lines."""
        node = self.member("lines")
        if not node.list():
            raise node.wrong("at least one line", "none")
        return (self.path(line, 2) for line in node.list())

    def clue(self) -> tuple[int, ...]:
        """The cells of the row or column of a clue outside the grid, from the clue on."""
        row, column = self.context.position(self.member("cell"))
        end = self.context.geometry.side + 1
        steps = {(0, column): (1, 0), (end, column): (-1, 0), (row, 0): (0, 1), (row, end): (0, -1)}
        return self._line_from_outside(
            steps.get((row, column)), "a position next to a row or column"
        )

    def diagonal(self) -> tuple[int, ...]:
        """The cells of the diagonal of a clue outside the grid, from the clue on."""
        direction = self.member("direction")
        step = DIRECTIONS.get(str(direction.value))
        if step is None:
            raise direction.wrong("'UL', 'UR', 'DL' or 'DR'")
        return self._line_from_outside(
            step, f"a position just outside the grid from which {direction.value} leads in"
        )

    def _line_from_outside(self, step: RowColumn | None, expected: str) -> tuple[int, ...]:
        """The cells in one direction from a clue outside the grid.

        Raises Misread, with the text `expected`, if no cell is in this direction.
        """
        node = self.member("cell")
        position = self.context.position(node)
        outside = self.context.geometry.cell_at(*position) is None
        line = cells_along(self.context.geometry, position, step) if step and outside else ()
        if not line:
            raise node.wrong(expected)
        return self._record_position([node], line)

    def path(self, node: JsonNode, minimum: int, maximum: int | None = None) -> tuple[int, ...]:
        """The cells of a list, in order; cells may repeat."""
        nodes = node.list()
        if len(nodes) < minimum or (maximum is not None and len(nodes) > maximum):
            span = (
                f"{minimum} to {maximum} cells"
                if maximum and maximum > minimum
                else counted(minimum, "cell")
            )
            span = span if maximum else f"at least {counted(minimum, 'cell')}"
            raise node.wrong(span, str(len(nodes)))
        return self._record_position(nodes, [self.context.cell(child) for child in nodes])

    def _record_position(self, nodes: Sequence[JsonNode], cells: Sequence[int]) -> tuple[int, ...]:
        """Record the positions of all cells, of the first and of the last. Returns the cells."""
        places = [self.context.position(node) for node in nodes]
        groups = [frozenset(places), frozenset(places[:1]), frozenset(places[-1:])]
        self.context.positions.setdefault(self._key, []).extend(groups)
        value = self._fields.get("value", JsonNode(None))
        texts = [] if value.is_unset else [value.text]
        texts += [_SYMBOLS[self._key]] if self._key in _SYMBOLS else []
        self.context.values.update((group, text) for group in groups for text in texts)
        return tuple(cells)
