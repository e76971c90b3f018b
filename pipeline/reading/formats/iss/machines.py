"""State machines and relations as texts write them: NFAs in base64, patterns, keys, sets of cells.

Machines may be nondeterministic; `determined` makes them deterministic, as far as a line needs it.
Everything raises ValueError for what cannot be read, or is too large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_letters, digits
from typing import NamedTuple

from pipeline.puzzle.rules.custom import DEAD, MOST_STATES

_ALPHABET = ascii_letters[26:] + ascii_letters[:26] + digits + "-_"
_INDEX = {sign: index for index, sign in enumerate(_ALPHABET)}
_PLAIN, _PACKED = 0, 1
_MOST_STEPS = 2_000_000
"""Moves of states in sets that are looked at, for one machine."""


class Machine(NamedTuple):
    """States from 0 on: for each the sets, as masks, that it moves to by each value.

    A value is an index from 0 on into the values of a cell; `accepted` and `start` are masks too.
    """

    moves: list[list[int]]
    accepted: int
    start: int = 1


def sixes(text: str) -> list[int]:
    """The numbers of six bits that the signs of a text in base64 are."""
    unknown = next((sign for sign in text if sign not in _INDEX), None)
    if unknown is not None:
        raise ValueError(f"{unknown!r} in it")
    return [_INDEX[sign] for sign in text]


def bytes_of(text: str) -> bytes:
    """The bytes of a text in base64, without padding."""
    numbers = sixes(text.rstrip("="))
    if len(numbers) % 4 == 1:
        raise ValueError("it is cut off")
    bits = "".join(f"{number:06b}" for number in numbers)
    whole = len(bits) // 8 * 8
    if "1" in bits[whole:]:
        raise ValueError("bits behind its end")
    return bytes(int(bits[at : at + 8], 2) for at in range(0, whole, 8))


def bits_of(text: str) -> list[int]:
    """The indices of the bits that are set; each sign has six of them, the lowest first."""
    return [
        6 * at + bit for at, six in enumerate(sixes(text)) for bit in range(6) if six >> bit & 1
    ]


def related_in(key: str, values: Sequence[int], *, is_old: bool = False) -> tuple[int, ...]:
    """The relation of a key, as `Relation` has it: bits row by row, a row for each first value.

    In keys of old texts (`is_old`), `-` and `_` stand for each other.
    """
    if is_old:
        key = key.translate({ord("-"): "_", ord("_"): "-"})
    count = len(values)
    related = [0] * (values[-1] + 1)
    for bit in bits_of(key):
        first, second = divmod(bit, count)
        if first >= count:
            raise ValueError(f"it is for more than {count} values")
        related[values[first]] |= 1 << values[second]
    return tuple(related)


class _Bits:
    """Reads numbers from bytes, the highest bit first."""

    def __init__(self, data: bytes) -> None:
        self._number = int.from_bytes(data)
        self.left = 8 * len(data)

    def number(self, bits: int) -> int:
        if bits > self.left:
            raise ValueError("it is cut off")
        self.left -= bits
        return self._number >> self.left & (1 << bits) - 1


def machine_in(text: str, values: Sequence[int]) -> Machine:
    """The NFA of a text, about these values. An empty text accepts nothing."""
    count = len(values)
    if not text:
        return Machine([[0] * count], 0)
    bits = _Bits(bytes_of(text))
    form, width, symbols = bits.number(2), bits.number(4) + 1, bits.number(4) + 1
    if form not in (_PLAIN, _PACKED):
        raise ValueError("another kind of machine than the two that are known")
    starts, others = bits.number(width), bits.number(width)
    accepted = bits.number(starts) | (1 << starts + others) - (1 << starts)
    by_count = bits.number(4) if form == _PLAIN else symbols
    moves = list[list[int]]()
    while by_count and bits.left >= by_count:
        row = [0] * max(symbols, count)
        head = bits.number(by_count)
        read = _packed if form == _PACKED else _plain
        for symbol, state in read(bits, head, symbols, width):
            row[symbol] |= 1 << state
        if any(row[count:]):
            raise ValueError(f"it is for more than {count} values")
        moves.append(row[:count])
    if bits.number(bits.left):
        raise ValueError("bits behind its end")
    highest = max([starts + others - 1, *(mask.bit_length() - 1 for row in moves for mask in row)])
    if not starts or highest >= len(moves):
        raise ValueError(f"{len(moves)} states, but also one of the number {highest}")
    return Machine(moves, accepted, (1 << starts) - 1)


def _packed(bits: _Bits, mask: int, symbols: int, width: int) -> Iterator[tuple[int, int]]:
    """The moves of a state, at most one for each of the values in the mask: the next states."""
    for symbol in range(symbols):
        if mask >> symbol & 1:
            yield symbol, bits.number(width)


def _plain(bits: _Bits, moves: int, symbols: int, width: int) -> Iterator[tuple[int, int]]:
    """So many moves of a state: pairs of a value and the next state."""
    by_symbol = (symbols - 1).bit_length()
    for _ in range(moves):
        symbol = bits.number(by_symbol)
        if symbol >= symbols:
            raise ValueError("a value beyond its values")
        yield symbol, bits.number(width)


class Determined(NamedTuple):
    """A deterministic machine, as `StateMachine` has it."""

    moves: tuple[bytes, ...]
    accepted: frozenset[int]


def determined(machine: Machine, values: Sequence[int], length: int) -> Determined:
    """The same machine for lines of up to that many cells, deterministic; its states are sets."""
    found = {machine.start: 0}
    rows: list[bytes] = []
    layer, steps = [machine.start], 0
    dead = DEAD.to_bytes(2, "little")
    for left in range(length, -1, -1):
        reached: list[int] = []
        for states in layer:
            row = [dead] * (values[-1] + 1)
            each = _members(states)
            steps += len(each) * len(values)
            if steps > _MOST_STEPS:
                raise ValueError("it takes too many steps to make it deterministic")
            for index, value in enumerate(values if left else ()):
                after = 0
                for state in each:
                    after |= machine.moves[state][index]
                if after and after not in found:
                    if len(found) >= MOST_STATES:
                        raise ValueError(f"more than {MOST_STATES} states if it is deterministic")
                    found[after] = len(found)
                    reached.append(after)
                if after:
                    row[value] = found[after].to_bytes(2, "little")
            rows.append(b"".join(row))
        layer = reached
    accepted = frozenset(state for mask, state in found.items() if mask & machine.accepted)
    return Determined(tuple(rows), accepted)


def _members(mask: int) -> list[int]:
    """The states in a mask."""
    members = []
    while mask:
        lowest = mask & -mask
        members.append(lowest.bit_length() - 1)
        mask ^= lowest
    return members
