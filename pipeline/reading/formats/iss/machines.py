"""Decode state machines (NFAs), relations and sets of cells in base64, and encode them.

Machines may be nondeterministic; `determinize` converts them for lines of limited length.
All functions raise ValueError for input that cannot be read or is too large.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate, chain
from string import ascii_letters, digits
from typing import NamedTuple

from pipeline.errors import LimitReached
from pipeline.puzzle.rules.custom import MAX_STATES, NO_STATE
from pipeline.settings import READING_STEPS

_ALPHABET = ascii_letters[26:] + ascii_letters[:26] + digits + "-_"
_INDEX = {sign: index for index, sign in enumerate(_ALPHABET)}
_PLAIN, _PACKED = 0, 1
_MAX_STEPS = 2_000_000
"""Maximum number of moves that are examined to make one machine deterministic."""

_STEPS_PER_CHARACTER, _STEPS_PER_MOVE = 2, 4
"""Steps per character of an NFA in base64, and per value of each state."""


class TooManyStates(ValueError):
    """A machine is too large to be made deterministic."""


class Machine(NamedTuple):
    """An NFA: for each state and value, the next states.

    A value is an index into the values of a cell. `breaks` are the next states between two segments
    of a line, for each state; empty if the machine cannot read several segments.
    """

    moves: list[list[Sequence[int]]]
    accepted: frozenset[int]
    start: tuple[int, ...] = (0,)
    breaks: tuple[Sequence[int], ...] = ()


def six_bit_numbers(text: str) -> list[int]:
    """The six-bit numbers of a base64 text."""
    unknown = next((sign for sign in text if sign not in _INDEX), None)
    if unknown is not None:
        raise ValueError(f"{unknown!r} in it")
    return [_INDEX[sign] for sign in text]


def bytes_of(text: str) -> bytes:
    """The bytes of a text in base64, without padding."""
    bits = _bits_in(text)
    return int(bits or "0", 2).to_bytes(len(bits) // 8)


def _bits_in(text: str) -> str:
    """The bits of the whole bytes of a base64 text, as 0s and 1s."""
    numbers = six_bit_numbers(text.rstrip("="))
    if len(numbers) % 4 == 1:
        raise ValueError("it is cut off")
    bits = "".join(f"{number:06b}" for number in numbers)
    whole = len(bits) // 8 * 8
    if "1" in bits[whole:]:
        raise ValueError("extra bits at its end")
    return bits[:whole]


def bits_of(text: str) -> list[int]:
    """The indices of the set bits; each character has six bits, the lowest first."""
    return [
        6 * index + bit
        for index, six in enumerate(six_bit_numbers(text))
        for bit in range(6)
        if six >> bit & 1
    ]


def parse_relation(key: str, values: Sequence[int], *, is_old: bool = False) -> tuple[int, ...]:
    """Decode a key to `Relation.related`. It has a row of bits for each first value.

    In keys of old texts (`is_old`), `-` and `_` are swapped.
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


def relation_key(related: Sequence[int], values: Sequence[int]) -> str:
    """Encode a relation as a key, as `parse_relation` reads it."""
    count = len(values)
    bits = [
        count * index + other
        for index, value in enumerate(values)
        for other, after in enumerate(values)
        if value < len(related) and related[value] >> after & 1
    ]
    numbers = [0] * (max(bits, default=0) // 6 + 1)
    for bit in bits:
        numbers[bit // 6] |= 1 << bit % 6
    return "".join(_ALPHABET[number] for number in numbers)


class _Bits:
    """Reads numbers from a text of 0 and 1, the highest bit first."""

    def __init__(self, bits: str) -> None:
        self._bits, self._position = bits, 0

    @property
    def left(self) -> int:
        return len(self._bits) - self._position

    def number(self, bits: int) -> int:
        if bits > self.left:
            raise ValueError("it is cut off")
        self._position += bits
        return int(self._bits[self._position - bits : self._position] or "0", 2)


def parse_machine(text: str, values: Sequence[int], work: Work) -> Machine:
    """Decode an NFA over these values. An empty text accepts nothing.

    The symbol after those of the values is read between two segments of a line.
    """
    count = len(values)
    work.take(_STEPS_PER_CHARACTER * len(text))
    if not text:
        return Machine([[()] * count], frozenset())
    bits = _Bits(_bits_in(text))
    form, width, symbols = bits.number(2), bits.number(4) + 1, bits.number(4) + 1
    if form not in (_PLAIN, _PACKED):
        raise ValueError("an unknown kind of machine")
    starts, accepting = bits.number(width), bits.number(width)
    starts_accepted = bits.number(starts)
    accepted = [state for state in range(starts) if starts_accepted >> state & 1]
    by_count = bits.number(4) if form == _PLAIN else symbols
    moves = list[list[Sequence[int]]]()
    breaks = list[Sequence[int]]()
    while by_count and bits.left >= by_count:
        row: list[list[int]] = [[] for _ in range(max(symbols, count + 1))]
        work.take(_STEPS_PER_MOVE * len(row))
        head = bits.number(by_count)
        read = _packed_moves if form == _PACKED else _plain_moves
        for symbol, state in read(bits, head, symbols, width):
            row[symbol].append(state)
        if any(row[count + 1 :]):
            raise ValueError(f"it is for more than {count} values")
        moves.append([*row[:count]])
        breaks.append(row[count])
    if bits.number(bits.left):
        raise ValueError("extra bits at its end")
    reached = (state for row in (*moves, breaks) for states in row for state in states)
    highest = max(starts + accepting - 1, *reached, 0)
    if not starts or highest >= len(moves):
        raise ValueError(f"{len(moves)} states, but a reference to state {highest}")
    if any(any(row) for row in moves[highest + 1 :]):
        raise ValueError("unreachable states: the text is damaged")
    accepted += range(starts, starts + accepting)
    moves, breaks = moves[: highest + 1], breaks[: highest + 1]  # the rest is padding
    between = tuple(breaks) if any(breaks) else ()
    machine = Machine(moves, frozenset(accepted), tuple(range(starts)), between)
    unreached = {*range(len(moves))} - _reached(machine)
    if any(state in machine.accepted or any([*moves[state], breaks[state]]) for state in unreached):
        raise ValueError("unreachable states: the text is damaged")
    return machine


def _reached(machine: Machine) -> set[int]:
    """The states that can be reached from the start."""
    reached = {*machine.start}
    waiting = [*reached]
    while waiting:
        state = waiting.pop()
        between = machine.breaks[state] if machine.breaks else ()
        after = {*chain(between, *machine.moves[state])} - reached
        reached |= after
        waiting += after
    return reached


def _packed_moves(bits: _Bits, mask: int, symbols: int, width: int) -> Iterator[tuple[int, int]]:
    """Pairs of a value and the next state, one for each value in the mask."""
    for symbol in range(symbols):
        if mask >> symbol & 1:
            yield symbol, bits.number(width)


def _plain_moves(bits: _Bits, moves: int, symbols: int, width: int) -> Iterator[tuple[int, int]]:
    """Pairs of a value and the next state, `moves` of them."""
    by_symbol = (symbols - 1).bit_length()
    for _ in range(moves):
        symbol = bits.number(by_symbol)
        if symbol >= symbols:
            raise ValueError("a value out of range")
        yield symbol, bits.number(width)


def machine_text(moves: Sequence[bytes], accepted: Collection[int], values: Sequence[int]) -> str:
    """Encode a deterministic machine, as `parse_machine` reads it.

    The order of its states is: the first, the accepting ones, all others.
    """
    states = sorted(range(len(moves)), key=lambda state: (state > 0, state not in accepted))
    index = {state: position for position, state in enumerate(states)}
    accepting = len({*accepted} - {0})
    width = max(len(moves) - 1, accepting, 1).bit_length()
    bits = f"{_PACKED:02b}{width - 1:04b}{len(values) - 1:04b}{1:0{width}b}{accepting:0{width}b}"
    bits += str(int(0 in accepted))
    for state in states:
        after = [_next_state(moves[state], value) for value in values]
        mask = sum(1 << bit for bit, target in enumerate(after) if target in index)
        bits += f"{mask:0{len(values)}b}"
        bits += "".join(f"{index[target]:0{width}b}" for target in after if target in index)
    return _base64(bits)


def nondeterministic_text(machine: Machine, values: Sequence[int]) -> str:
    """Encode the states that can be reached, as `parse_machine` reads them.

    The order of the states is: the starts, the other accepting ones, all others. Moves between
    segments are left out.
    """
    if not machine.start:
        return ""
    starts, reached = {*machine.start}, _reached(machine._replace(breaks=()))
    accepted = machine.accepted & reached
    first = starts | accepted
    states = sorted(reached, key=lambda state: (state not in starts, state not in first, state))
    index = {state: position for position, state in enumerate(states)}
    moves = [
        [(bit, index[after]) for bit, targets in enumerate(row) for after in dict.fromkeys(targets)]
        for row in (machine.moves[state] for state in states)
    ]
    accepting = len(accepted - starts)
    width = max(len(states) - 1, accepting, len(starts), 1).bit_length()
    by_count = max(1, *map(len, moves)).bit_length()
    by_symbol = (len(values) - 1).bit_length()
    accepted_starts = sum(1 << index[state] for state in starts & accepted)
    bits = f"{_PLAIN:02b}{width - 1:04b}{len(values) - 1:04b}{len(starts):0{width}b}"
    bits += f"{accepting:0{width}b}{accepted_starts:0{len(starts)}b}{by_count:04b}"
    for row in moves:
        bits += f"{len(row):0{by_count}b}"
        bits += "".join(f"{bit:0{by_symbol}b}{after:0{width}b}" for bit, after in row)
    return _base64(bits)


def _base64(bits: str) -> str:
    """Encode bits, as 0s and 1s, that are padded to whole bytes."""
    bits += "0" * (-len(bits) % 8)
    bits += "0" * (-len(bits) % 6)
    return "".join(_ALPHABET[int(bits[start : start + 6], 2)] for start in range(0, len(bits), 6))


class Determined(NamedTuple):
    """A deterministic machine: the fields of the same names of `StateMachine`."""

    moves: tuple[bytes, ...]
    accepted: frozenset[int]


class Nondeterministic(NamedTuple):
    """A machine: the fields of the same names of `NondeterministicMachine`."""

    moves: tuple[tuple[tuple[int, ...], ...], ...]
    starts: tuple[int, ...]
    accepted: frozenset[int]


class Work:
    """Limits the work of reading one text, and keeps its machines: equal ones are built once.

    A step takes about 0.3 µs.
    """

    def __init__(self, steps: int = READING_STEPS) -> None:
        self.left = steps
        self._parsed: dict[object, Machine] = {}
        self._machines: dict[object, Determined | TooManyStates] = {}
        self._nondeterministic: dict[object, Nondeterministic] = {}

    def take(self, steps: int) -> None:
        """Count steps. Raises LimitReached if there are too many."""
        self.left -= steps
        if self.left < 0:
            raise LimitReached("the constraints take too long to read")

    def machine(self, make: Make, text: str, values: range, *lengths: int) -> Determined:
        """The deterministic machine of a text, for lines as `determinize` expects them.

        Raises TooManyStates, and ValueError for a wrong text.
        """
        key = make, text, values, lengths
        if key not in self._machines:
            parsed = self.parsed(make, text, values)
            try:
                self._machines[key] = determinize(parsed, values, lengths, self)
            except TooManyStates as error:
                self._machines[key] = error
        machine = self._machines[key]
        if isinstance(machine, TooManyStates):
            raise machine
        return machine

    def nondeterministic(self, make: Make, text: str, values: range) -> Nondeterministic:
        """The machine of a text as the fields of a `NondeterministicMachine`. Raises ValueError."""
        key = make, text, values
        if key not in self._nondeterministic:
            machine = self.parsed(make, text, values)
            none: list[Sequence[int]] = [()] * values[0]
            moves = tuple(tuple(map(tuple, (*none, *row))) for row in machine.moves)
            self._nondeterministic[key] = Nondeterministic(moves, machine.start, machine.accepted)
        return self._nondeterministic[key]

    def parsed(self, make: Make, text: str, values: range) -> Machine:
        """The machine of a text. Raises ValueError."""
        key = make, text, values
        if key not in self._parsed:
            self._parsed[key] = make(text, values, self)
        return self._parsed[key]


Make = Callable[[str, Sequence[int], Work], Machine]
"""Makes the machine of a text."""


def restate(
    moves: Sequence[bytes], accepted: Collection[int], values: Sequence[int], length: int
) -> Determined:
    """Rebuild a deterministic machine by `determinize`, so that equal machines become the same."""
    rows = [[_next_state(row, value) for value in values] for row in moves]
    machine = Machine(
        [[() if state == NO_STATE else (state,) for state in row] for row in rows],
        frozenset(accepted),
    )
    return determinize(machine, values, (length,), Work())


def _next_state(row: bytes, value: int) -> int:
    """The next state for a value, or NO_STATE."""
    after = row[2 * value : 2 * value + 2]
    return int.from_bytes(after, "little") if after else NO_STATE


def determinize(
    machine: Machine, values: Sequence[int], lengths: Sequence[int], work: Work
) -> Determined:
    """Make a machine deterministic by subset construction, for lines up to that length.

    With several lengths, it is for lines that have segments of exactly these lengths. Then a state
    depends on the number of cells read before.
    """
    if len(lengths) > 1 and not machine.breaks:
        raise ValueError("the pattern is for one segment, but the line has several")
    ends = {*accumulate(lengths[:-1])}
    begin = frozenset(machine.start), 0
    indices = {begin: 0}
    rows: list[bytes] = []
    layer, steps = [begin], 0
    dead = NO_STATE.to_bytes(2, "little")
    length = sum(lengths)
    for read in range(1, length + 2):
        reached: list[tuple[frozenset[int], int]] = []
        for states, _ in layer:
            row = [dead] * (values[-1] + 1)
            for index, value in enumerate(values if read <= length else ()):
                targets = [machine.moves[state][index] for state in states]
                examined = sum(map(len, targets), len(targets))
                work.take(examined)
                steps += examined
                if steps > _MAX_STEPS:
                    raise TooManyStates("making it deterministic takes too many steps")
                after = frozenset(chain.from_iterable(targets))
                if read in ends:
                    after = frozenset(chain.from_iterable(machine.breaks[s] for s in after))
                key = after, read if ends else 0
                if after and key not in indices:
                    if len(indices) >= MAX_STATES:
                        raise TooManyStates(f"more than {MAX_STATES} states if deterministic")
                    indices[key] = len(indices)
                    reached.append(key)
                if after:
                    row[value] = indices[key].to_bytes(2, "little")
            rows.append(b"".join(row))
        layer = reached
    accepted = (index for (states, _), index in indices.items() if states & machine.accepted)
    return Determined(tuple(rows), frozenset(accepted))
