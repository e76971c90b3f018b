"""Patterns of values, as regular expressions: `1[3-5]*(2|.){2,3}`.

Values are single characters: 1-9, then letters of either case from 10 on. A pattern becomes a
machine without empty moves: a start state, and a state per character (V. M. Glushkov, 1961). All
functions raise ValueError for an invalid pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.reading.formats.iss.machines import Machine, MachineReader

_MAX_CHARACTERS = 1024
"""Maximum number of characters of a pattern, counting repetitions."""

_MAX_DEPTH = 100
_STEPS_PER_PART = 20
"""Steps of work per part of a pattern."""

_VALUES = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The characters of the values, from 0 on."""

_REPETITIONS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
"""Repetition mark → the minimum and maximum number of times; None if there is no maximum."""


def pattern_machine(pattern: str, values: Sequence[int], machine_reader: MachineReader) -> Machine:
    """Compile a pattern to an NFA."""
    return _Positions(len(values), machine_reader).machine(_PatternReader(pattern, values).parse())


@dataclass(frozen=True, slots=True)
class _ValueClass:
    """A class of values, as a mask of their indices."""

    mask: int


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeated:
    """A part that is repeated; `maximum` is None if there is no maximum."""

    part: _Node
    minimum: int
    maximum: int | None


_Node = _ValueClass | _Sequence | _Choice | _Repeated


class _PatternReader:
    """Parses a pattern from left to right."""

    def __init__(self, pattern: str, values: Sequence[int]) -> None:
        self._pattern, self._values = pattern, values
        self._all = (1 << len(values)) - 1
        self._position = self._depth = 0

    def parse(self) -> _Node:
        node = self._choice()
        if self._next():
            raise self._wrong("the end")
        return node

    def _next(self) -> str:
        """The next character; empty at the end."""
        return self._pattern[self._position : self._position + 1]

    def _take(self, character: str) -> bool:
        """Skip a character if it is next. Returns whether it was."""
        is_next = self._next() == character
        self._position += is_next
        return is_next

    def _wrong(self, expected: str) -> ValueError:
        found = f"'{self._next()}'" if self._next() else "the end"
        return ValueError(f"expected {expected} as character {self._position + 1}, found {found}")

    def _choice(self) -> _Node:
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else _Choice(tuple(parts))

    def _sequence(self) -> _Node:
        parts = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._repeated())
        return _Sequence(tuple(parts))

    def _repeated(self) -> _Node:
        node = self._single()
        for _ in range(_MAX_DEPTH):
            character = self._next()
            if not character or character not in "*+?{":
                return node
            self._position += 1
            minimum, maximum = _REPETITIONS.get(character) or self._repetition_range()
            node = _Repeated(node, minimum, maximum)
        raise self._wrong("no further repetition mark")

    def _repetition_range(self) -> tuple[int, int | None]:
        """Parse the minimum and the maximum in braces, after the opening brace."""
        minimum = self._number()
        maximum: int | None = minimum
        if self._take(","):
            maximum = None if self._next() == "}" else self._number()
        if not self._take("}"):
            raise self._wrong("'}'")
        if maximum is not None and maximum < minimum:
            raise ValueError(f"{minimum} to {maximum} times")
        return minimum, maximum

    def _number(self) -> int:
        begin = self._position
        while self._next().isascii() and self._next().isdigit():
            self._position += 1
        if not 0 < self._position - begin <= len(str(_MAX_CHARACTERS)):
            raise self._wrong("a number")
        return int(self._pattern[begin : self._position])

    def _single(self) -> _Node:
        if self._take("("):
            self._depth += 1
            if self._depth > _MAX_DEPTH:
                raise ValueError(f"groups nested more than {_MAX_DEPTH} deep")
            node = self._choice()
            self._depth -= 1
            if not self._take(")"):
                raise self._wrong("')'")
            return node
        if self._take("["):
            return _ValueClass(self._class())
        if self._take("."):
            return _ValueClass(self._all)
        return _ValueClass(1 << self._value())

    def _class(self) -> int:
        """Parse a class, after its opening bracket. Returns the mask of its values."""
        is_negated, mask = self._take("^"), 0
        while not mask or not self._take("]"):
            first = last = self._value()
            if (
                self._next() == "-"
                and self._pattern[self._position + 1 : self._position + 2] != "]"
            ):
                self._position += 1
                last = self._value()
            if last < first:
                raise ValueError(
                    f"a range that ends before it begins, up to character {self._position}"
                )
            mask |= (2 << last) - (1 << first)
        return self._all & ~mask if is_negated else mask

    def _value(self) -> int:
        """Parse a value. Returns its index."""
        self._take("\\")
        character = self._next()
        value = _VALUES.find(character.lower()) if character and character.isascii() else -1
        if value not in self._values:
            raise self._wrong(
                f"a value, {_VALUES[self._values[0]]} to {_VALUES[self._values[-1]]},"
            )
        self._position += 1
        return self._values.index(value)


class _Part(NamedTuple):
    """Whether a part may be empty, and at which positions it may begin and end, as masks."""

    may_be_empty: bool
    first: int
    last: int


class _Positions:
    """The positions of a pattern: 0 is the start, and each character has a position from 1 on.

    For each position, `_follow` is the mask of the positions that may follow, and `_masks` the mask
    of the values there.
    """

    def __init__(self, values: int, machine_reader: MachineReader) -> None:
        self._values, self._reader = range(values), machine_reader
        self._follow, self._masks = [0], [0]

    def machine(self, node: _Node) -> Machine:
        whole = self._part(node)
        self._follow[0] = whole.first
        with_value = [
            sum(1 << place for place, mask in enumerate(self._masks) if mask >> value & 1)
            for value in self._values
        ]
        moves: list[list[Sequence[int]]] = []
        for follow in self._follow:
            moves.append([_members(follow & places) for places in with_value])
            self._reader.take(sum(map(len, moves[-1]), len(with_value)))
        return Machine(moves, frozenset(_members(whole.last | int(whole.may_be_empty))))

    def _part(self, node: _Node) -> _Part:
        self._reader.take(_STEPS_PER_PART)
        match node:
            case _ValueClass(mask):
                return self._add_position(mask)
            case _Choice(parts):
                choices = [self._part(part) for part in parts]
                empty, first, last = zip(*choices, strict=True)
                return _Part(any(empty), _union(first), _union(last))
            case _Sequence(parts):
                return self._sequence_part(parts)
            case _Repeated(part, minimum, maximum):
                return self._repeated(part, minimum, maximum)

    def _sequence_part(self, parts: Sequence[_Node]) -> _Part:
        whole = _Part(may_be_empty=True, first=0, last=0)
        for part in parts:
            whole = self._concatenate(whole, self._part(part))
        return whole

    def _repeated(self, node: _Node, minimum: int, maximum: int | None) -> _Part:
        whole = _Part(may_be_empty=True, first=0, last=0)
        for index in range(max(minimum, 1) if maximum is None else maximum):
            part = self._part(node)
            if maximum is None and index >= minimum - 1:
                self._connect(part.last, part.first)
            whole = self._concatenate(
                whole, part._replace(may_be_empty=part.may_be_empty or index >= minimum)
            )
        return whole

    def _concatenate(self, part: _Part, other: _Part) -> _Part:
        self._connect(part.last, other.first)
        return _Part(
            part.may_be_empty and other.may_be_empty,
            part.first | (other.first if part.may_be_empty else 0),
            other.last | (part.last if other.may_be_empty else 0),
        )

    def _connect(self, last: int, first: int) -> None:
        """Record that each position in `last` may be followed by each one in `first`."""
        self._reader.take(last.bit_count())
        for place in _members(last):
            self._follow[place] |= first

    def _add_position(self, mask: int) -> _Part:
        """Add a position for a character that accepts the values of `mask`."""
        if len(self._follow) > _MAX_CHARACTERS:
            raise ValueError(f"more than {_MAX_CHARACTERS} characters, counting repetitions")
        self._follow.append(0)
        self._masks.append(mask)
        place = 1 << len(self._follow) - 1
        return _Part(may_be_empty=False, first=place, last=place)


def _members(mask: int) -> list[int]:
    """The positions in a mask."""
    members = []
    while mask:
        lowest = mask & -mask
        members.append(lowest.bit_length() - 1)
        mask ^= lowest
    return members


def _union(masks: Sequence[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union
