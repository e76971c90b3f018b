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
_INDEX_OF_CHARACTER = {character: index for index, character in enumerate(_ALPHABET)}
_PLAIN, _PACKED = 0, 1
"""Forms of machines in base64.

In the plain form, the moves of a state are pairs of a value and the next state; in the packed form,
a mask of values and the next state for each of them.
"""

_MAX_STEPS = 2_000_000
"""Maximum number of moves to examine in order to make one machine deterministic."""

_STEPS_PER_CHARACTER, _STEPS_PER_MOVE = 2, 4
"""Steps of work per character of an NFA in base64, and per value of each state."""


class TooManyStates(ValueError):
    """A machine is too large to be made deterministic."""


class Machine(NamedTuple):
    """An NFA (nondeterministic finite automaton).

    - `moves`: for each state and each index of a value, the next states.
    - `breaks`: for each state, the states to which it moves between two segments of a line; empty
      if it cannot read several segments.
    """

    moves: list[list[Sequence[int]]]
    accepted: frozenset[int]
    starts: tuple[int, ...] = (0,)
    breaks: tuple[Sequence[int], ...] = ()


def six_bit_numbers(text: str) -> list[int]:
    """The six-bit numbers of a base64 text."""
    unknown = next((character for character in text if character not in _INDEX_OF_CHARACTER), None)
    if unknown is not None:
        raise ValueError(f"{unknown!r} in it")
    return [_INDEX_OF_CHARACTER[character] for character in text]


def bytes_of(text: str) -> bytes:
    """The bytes of a base64 text, whose padding may be missing."""
    bits = _bits_in(text)
    return int(bits or "0", 2).to_bytes(len(bits) // 8)


def _bits_in(text: str) -> str:
    """The bits of a base64 text as characters 0 and 1, up to the end of the last byte."""
    numbers = six_bit_numbers(text.rstrip("="))
    if len(numbers) % 4 == 1:
        raise ValueError("it is cut off")
    bits = "".join(f"{number:06b}" for number in numbers)
    whole = len(bits) // 8 * 8
    if "1" in bits[whole:]:
        raise ValueError("extra bits at its end")
    return bits[:whole]


def set_bits_of(text: str) -> list[int]:
    """The indices of the set bits of a base64 text.

    Each character encodes six bits, the lowest first.
    """
    return [
        6 * index + bit
        for index, six in enumerate(six_bit_numbers(text))
        for bit in range(6)
        if six >> bit & 1
    ]


def parse_relation(key: str, values: Sequence[int], *, is_old: bool = False) -> tuple[int, ...]:
    """Decode the key of a relation, a matrix of bits, to `Relation.related`.

    The matrix has a row for each first value, and a column for each second value. `is_old`: the key
    is in an old form, in which `-` and `_` are swapped.
    """
    if is_old:
        key = key.translate({ord("-"): "_", ord("_"): "-"})
    count = len(values)
    related = [0] * (values[-1] + 1)
    for bit in set_bits_of(key):
        first, second = divmod(bit, count)
        if first >= count:
            raise ValueError(f"it is for more than {count} values")
        related[values[first]] |= 1 << values[second]
    return tuple(related)


def relation_key(related: Sequence[int], values: Sequence[int]) -> str:
    """Encode a relation as a key that `parse_relation` can decode."""
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


class _BitReader:
    """Reads numbers from a string of the characters 0 and 1, highest bit first."""

    def __init__(self, bits: str) -> None:
        self._bits, self._position = bits, 0

    @property
    def remaining(self) -> int:
        return len(self._bits) - self._position

    def number(self, bits: int) -> int:
        if bits > self.remaining:
            raise ValueError("it is cut off")
        self._position += bits
        return int(self._bits[self._position - bits : self._position] or "0", 2)


def parse_machine(text: str, values: Sequence[int], machine_reader: MachineReader) -> Machine:
    """Decode an NFA for cells with these values.

    An empty text is a machine that accepts nothing. The symbols of the text are the indices of
    values; the symbol after the last one is read between two segments of a line.
    """
    count = len(values)
    machine_reader.take(_STEPS_PER_CHARACTER * len(text))
    if not text:
        return Machine([[()] * count], frozenset())
    reader = _BitReader(_bits_in(text))
    form, width, symbols = reader.number(2), reader.number(4) + 1, reader.number(4) + 1
    if form not in (_PLAIN, _PACKED):
        raise ValueError("an unknown kind of machine")
    start_count, accepting_count = reader.number(width), reader.number(width)
    starts_accepted = reader.number(start_count)
    accepted = [state for state in range(start_count) if starts_accepted >> state & 1]
    head_bits = reader.number(4) if form == _PLAIN else symbols
    moves = list[list[Sequence[int]]]()
    breaks = list[Sequence[int]]()
    while head_bits and reader.remaining >= head_bits:
        row: list[list[int]] = [[] for _ in range(max(symbols, count + 1))]
        machine_reader.take(_STEPS_PER_MOVE * len(row))
        head = reader.number(head_bits)
        read_moves = _packed_moves if form == _PACKED else _plain_moves
        for symbol, state in read_moves(reader, head, symbols, width):
            row[symbol].append(state)
        if any(row[count + 1 :]):
            raise ValueError(f"it is for more than {count} values")
        moves.append([*row[:count]])
        breaks.append(row[count])
    if reader.number(reader.remaining):
        raise ValueError("extra bits at its end")
    reached = (state for row in (*moves, breaks) for states in row for state in states)
    highest = max(start_count + accepting_count - 1, *reached, 0)
    if not start_count or highest >= len(moves):
        raise ValueError(f"{len(moves)} states, but a reference to state {highest}")
    if any(any(row) for row in moves[highest + 1 :]):
        raise ValueError("unreachable states: the text is damaged")
    accepted += range(start_count, start_count + accepting_count)
    moves, breaks = moves[: highest + 1], breaks[: highest + 1]  # the rest is padding
    between = tuple(breaks) if any(breaks) else ()
    machine = Machine(moves, frozenset(accepted), tuple(range(start_count)), between)
    unreached = {*range(len(moves))} - _reached(machine)
    if any(state in machine.accepted or any([*moves[state], breaks[state]]) for state in unreached):
        raise ValueError("unreachable states: the text is damaged")
    return machine


def _reached(machine: Machine) -> set[int]:
    """The states that can be reached from the start."""
    reached = {*machine.starts}
    waiting = [*reached]
    while waiting:
        state = waiting.pop()
        between = machine.breaks[state] if machine.breaks else ()
        after = {*chain(between, *machine.moves[state])} - reached
        reached |= after
        waiting += after
    return reached


def _packed_moves(
    reader: _BitReader, mask: int, symbols: int, width: int
) -> Iterator[tuple[int, int]]:
    """Read the next state for each symbol in the mask. Yields pairs of symbol and next state."""
    for symbol in range(symbols):
        if mask >> symbol & 1:
            yield symbol, reader.number(width)


def _plain_moves(
    reader: _BitReader, move_count: int, symbols: int, width: int
) -> Iterator[tuple[int, int]]:
    """Read `move_count` pairs of symbol and next state."""
    symbol_bits = (symbols - 1).bit_length()
    for _ in range(move_count):
        symbol = reader.number(symbol_bits)
        if symbol >= symbols:
            raise ValueError("a value out of range")
        yield symbol, reader.number(width)


def machine_text(moves: Sequence[bytes], accepted: Collection[int], values: Sequence[int]) -> str:
    """Encode a deterministic machine as a text that `parse_machine` can decode.

    In the text, the start state is first, then come the other accepting states, then all others.
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
    """Encode a machine as a text that `parse_machine` can decode.

    In the text, the start states are first, then come the other accepting states, then all others.
    Moves between segments and unreachable states are left out.
    """
    if not machine.starts:
        return ""
    starts, reached = {*machine.starts}, _reached(machine._replace(breaks=()))
    accepted = machine.accepted & reached
    starts_or_accepted = starts | accepted
    states = sorted(
        reached, key=lambda state: (state not in starts, state not in starts_or_accepted, state)
    )
    index = {state: position for position, state in enumerate(states)}
    moves = [
        [(bit, index[after]) for bit, targets in enumerate(row) for after in dict.fromkeys(targets)]
        for row in (machine.moves[state] for state in states)
    ]
    accepting = len(accepted - starts)
    width = max(len(states) - 1, accepting, len(starts), 1).bit_length()
    head_bits = max(1, *map(len, moves)).bit_length()
    symbol_bits = (len(values) - 1).bit_length()
    accepted_starts = sum(1 << index[state] for state in starts & accepted)
    bits = f"{_PLAIN:02b}{width - 1:04b}{len(values) - 1:04b}{len(starts):0{width}b}"
    bits += f"{accepting:0{width}b}{accepted_starts:0{len(starts)}b}{head_bits:04b}"
    for row in moves:
        bits += f"{len(row):0{head_bits}b}"
        bits += "".join(f"{bit:0{symbol_bits}b}{after:0{width}b}" for bit, after in row)
    return _base64(bits)


def _base64(bits: str) -> str:
    """Encode bits, given as characters 0 and 1, after padding them to whole bytes."""
    bits += "0" * (-len(bits) % 8)
    bits += "0" * (-len(bits) % 6)
    return "".join(_ALPHABET[int(bits[start : start + 6], 2)] for start in range(0, len(bits), 6))


class StateMachineFields(NamedTuple):
    """The fields of a `StateMachine` that describe its machine."""

    moves: tuple[bytes, ...]
    accepted: frozenset[int]


class NondeterministicMachineFields(NamedTuple):
    """The fields of a `NondeterministicMachine` that describe its machine."""

    moves: tuple[tuple[tuple[int, ...], ...], ...]
    starts: tuple[int, ...]
    accepted: frozenset[int]


class MachineReader:
    """Reads the machines of one constraint string, caches them, and limits the work of reading it.

    Work is counted in steps of about 0.3 µs.
    """

    def __init__(self, steps: int = READING_STEPS) -> None:
        self.remaining = steps
        self._nfas: dict[object, Machine] = {}
        self._machines: dict[object, StateMachineFields | TooManyStates] = {}
        self._nondeterministic: dict[object, NondeterministicMachineFields] = {}

    def take(self, steps: int) -> None:
        """Subtract steps from the remaining ones. Raises LimitReached if too few remain."""
        self.remaining -= steps
        if self.remaining < 0:
            raise LimitReached("the constraints take too long to read")

    def machine(
        self, parse: MachineParser, text: str, values: range, *lengths: int
    ) -> StateMachineFields:
        """The deterministic machine that a text encodes; `lengths` as for `determinize`.

        Raises TooManyStates, and ValueError for an invalid text.
        """
        key = parse, text, values, lengths
        if key not in self._machines:
            parsed = self.nfa(parse, text, values)
            try:
                self._machines[key] = determinize(parsed, values, lengths, self)
            except TooManyStates as error:
                self._machines[key] = error
        machine = self._machines[key]
        if isinstance(machine, TooManyStates):
            raise machine
        return machine

    def nondeterministic_machine(
        self, parse: MachineParser, text: str, values: range
    ) -> NondeterministicMachineFields:
        """The machine that a text encodes, not made deterministic. Raises ValueError."""
        key = parse, text, values
        if key not in self._nondeterministic:
            machine = self.nfa(parse, text, values)
            none: list[Sequence[int]] = [()] * values[0]
            moves = tuple(tuple(map(tuple, (*none, *row))) for row in machine.moves)
            self._nondeterministic[key] = NondeterministicMachineFields(
                moves, machine.starts, machine.accepted
            )
        return self._nondeterministic[key]

    def nfa(self, parse: MachineParser, text: str, values: range) -> Machine:
        """The NFA that a text encodes. Raises ValueError."""
        key = parse, text, values
        if key not in self._nfas:
            self._nfas[key] = parse(text, values, self)
        return self._nfas[key]


MachineParser = Callable[[str, Sequence[int], MachineReader], Machine]
"""Decodes the text of a machine for cells with these values. Raises ValueError."""


def renumber_states(
    moves: Sequence[bytes], accepted: Collection[int], values: Sequence[int], length: int
) -> StateMachineFields:
    """Number the states of a deterministic machine as `determinize` does.

    For lines of this length, machines that differ only in the order of states become equal.
    """
    rows = [[_next_state(row, value) for value in values] for row in moves]
    machine = Machine(
        [[() if state == NO_STATE else (state,) for state in row] for row in rows],
        frozenset(accepted),
    )
    return determinize(machine, values, (length,), MachineReader())


def _next_state(row: bytes, value: int) -> int:
    """The next state for a value, or NO_STATE. `row`: a state's bytes in `StateMachine.moves`."""
    after = row[2 * value : 2 * value + 2]
    return int.from_bytes(after, "little") if after else NO_STATE


def determinize(
    machine: Machine, values: Sequence[int], lengths: Sequence[int], machine_reader: MachineReader
) -> StateMachineFields:
    """Make a machine deterministic by subset construction.

    `lengths`: one number, the maximum length of lines; or several, the exact lengths of the
    segments of each line. With several lengths, a state also determines the number of cells read
    before it.
    """
    if len(lengths) > 1 and not machine.breaks:
        raise ValueError("the pattern is for one segment, but the line has several")
    segment_ends = {*accumulate(lengths[:-1])}
    begin = frozenset(machine.starts), 0
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
                machine_reader.take(examined)
                steps += examined
                if steps > _MAX_STEPS:
                    raise TooManyStates("making it deterministic takes too many steps")
                after = frozenset(chain.from_iterable(targets))
                if read in segment_ends:
                    after = frozenset(chain.from_iterable(machine.breaks[s] for s in after))
                key = after, read if segment_ends else 0
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
    return StateMachineFields(tuple(rows), frozenset(accepted))
