"""Sums of groups of cells that hold different values, as literals of their possible sums.

A running sum over cells forgets which values it has added, so it does not know that the cells of a
row, column or box differ. Here the *set* of the values of such a group decides its sum: an
automaton reads for each value in turn whether the group holds it, and its states are the number
and the sum of the values held so far. That is a decision diagram of the sets, as N. Eén and N.
Sörensson (Translating pseudo-Boolean constraints into SAT, 2006) encode sums, with the number of
values in the state as well. The literals of a sum are defined unconditionally, so all
constraints on the same cells share them.

The diagram of k of n values has fewer than k·n·k(n - k) states, however many sets there are: for 31
values its clauses are about as many as those of a running sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from pipeline.puzzle.geometry import bits_of

if TYPE_CHECKING:
    from pipeline.puzzle.builder import ClauseBuilder

Cells = Sequence[int]

_State = tuple[int, int]
"""The number and the sum of the values held, of those read so far."""


def partition(clauses: ClauseBuilder, cells: Iterable[int]) -> list[list[int]]:
    """Partition distinct cells greedily into few parts: parts of groups, and single cells."""
    remaining, parts = dict.fromkeys(cells), list[list[int]]()
    while len(remaining) > 1:
        bits = bits_of(remaining)
        sizes = [(mask & bits).bit_count() for mask in clauses.group_masks]
        size = max(sizes, default=0)
        if size <= 1:
            break
        parts.append([cell for cell in clauses.groups[sizes.index(size)] if cell in remaining])
        for cell in parts[-1]:
            del remaining[cell]
    return parts + [[cell] for cell in remaining]


def define_counts(
    clauses: ClauseBuilder, cells: Iterable[int], value: int, maximum: int
) -> list[int]:
    """Create a unary counter of the distinct cells that hold a value, as `define_counter` does.

    Of the cells of a group at most one holds it, so the parts of a partition are counted.
    """
    parts = partition(clauses, cells)
    literals = [clauses.define_any_cell(part, value) for part in parts]
    return clauses.define_counter(literals, maximum)


def possible_sums(size: int, values: range) -> range:
    """The sums of `size` different values. Each sum in the range is possible."""
    return range(sum(values[:size]), sum(values[len(values) - size :]) + 1)


def define_sums(
    clauses: ClauseBuilder, cells: Sequence[int], _literals: Sequence[int] = ()
) -> list[int]:
    """Define a literal for each of the `possible_sums` of the cells, with unconditional clauses.

    The cells must be of one unit: the clauses imply that they hold different values. The clauses
    depend on the number of cells and the values only.
    """
    values, define = clauses.values, clauses.define
    layers = _layers(len(cells), values)
    clauses.count_steps(2 * sum(map(len, layers)))
    before: dict[_State, int] = {(0, 0): 0}
    for value, states in zip(values, layers, strict=True):
        held = clauses.define_any_cell(cells, value)
        after = {state: clauses.new_variable() for state in states}
        for (count, total), literal in before.items():
            begins = (-literal,) if literal else ()
            with_value = after.get((count + 1, total + value))
            without_value = after.get((count, total))
            for follows, reads in ((with_value, held), (without_value, -held)):
                if follows:
                    define(*begins, -reads, follows)
                    define(*begins, -follows, reads)
                else:
                    define(*begins, -reads)
            define(*begins, *filter(None, (with_value, without_value)))
        if 0 not in before.values():
            for (count, total), literal in after.items():
                with_value = before.get((count - 1, total - value))
                without_value = before.get((count, total))
                define(-literal, -held, *filter(None, (with_value,)))
                define(-literal, held, *filter(None, (without_value,)))
                define(-literal, *filter(None, (with_value, without_value)))
        before = after
    return [before[len(cells), total] for total in possible_sums(len(cells), values)]


@lru_cache(maxsize=256)
def _layers(size: int, values: range) -> list[list[_State]]:
    """The states after each value from which `size` values in all can be reached."""
    layers, states = list[list[_State]](), [(0, 0)]
    for index, value in enumerate(values, start=1):
        least = size - (len(values) - index)
        following = dict.fromkeys(
            (count + more, total + more * value) for count, total in states for more in (0, 1)
        )
        states = [state for state in following if least <= state[0] <= size]
        layers.append(states)
    return layers


def require_total(
    clauses: ClauseBuilder,
    _cells: Sequence[int],
    literals: Sequence[int],
    numbers: Sequence[Sequence[int]],
    totals: Sequence[int],
) -> None:
    """Require that the sum of numbers, one from each sequence, is one of the totals.

    `literals`: the literal of each number, in the order of the sequences, then that of each total.
    Exactly one number of each sequence has a true literal. At most one total has a true literal,
    that of the sum; a single total needs no literal.
    """
    remaining = iter(literals)
    addends = [{number: next(remaining) for number in each} for each in numbers]
    ends = {total: next(remaining, 0) for total in totals}
    layers = _partial_sums(clauses, numbers, totals)
    if not all(layers):
        clauses.add()
        return
    before = {0: 0}
    for index, (addend, sums) in enumerate(zip(addends, layers[1:], strict=True), start=1):
        is_last = index == len(addends)
        after = {each: ends[each] if is_last else clauses.new_variable() for each in sums}
        _add(clauses, before, addend, after)
        before = after
    if not addends:
        _imply(clauses, (), (ends[0],))


def _add(
    clauses: ClauseBuilder,
    before: Mapping[int, int],
    addend: Mapping[int, int],
    after: Mapping[int, int],
) -> None:
    """Encode that adding a number to the sum before yields the sum after.

    Each of the three is a mapping of the possible numbers to their literals; literal 0 is true. As
    in an automaton, clauses derive each of the three from the other two, and the sums before from
    the sum after.
    """
    for so_far, begins in before.items():
        following = [so_far + number for number in addend]
        for number, literal in addend.items():
            reached = so_far + number
            if reached in after:
                _imply(clauses, (begins, literal), (after[reached],))
                _imply(clauses, (begins, after[reached]), (literal,))
            else:
                _imply(clauses, (begins, literal), ())
        _imply(clauses, (begins,), [after[each] for each in following if each in after])
    for reached, literal in after.items():
        for number, added in addend.items():
            if reached - number in before:
                _imply(clauses, (literal, added), (before[reached - number],))
            elif not literal:
                _imply(clauses, (added,), ())
        sources = [before[reached - number] for number in addend if reached - number in before]
        _imply(clauses, (literal,), sources)


def _imply(clauses: ClauseBuilder, premises: Sequence[int], conclusions: Sequence[int]) -> None:
    """Require that one of the conclusions holds if all premises do. The literal 0 is true."""
    if 0 not in conclusions:
        clauses.add(*(-literal for literal in premises if literal), *conclusions)


def _partial_sums(
    clauses: ClauseBuilder, numbers: Sequence[Sequence[int]], totals: Sequence[int]
) -> list[list[int]]:
    """The sums of the first 0, 1, 2, … numbers from which one of the totals can be reached."""
    low, high = min(totals, default=0), max(totals, default=-1)
    bounds = [(low, high)]
    for each in reversed(numbers):
        low, high = low - max(each), high - min(each)
        bounds.append((low, high))
    layers = [[0]]
    for each, (low, high) in zip(numbers, bounds[-2::-1], strict=True):
        clauses.count_steps(len(layers[-1]) * len(each))
        reached = dict.fromkeys(so_far + number for so_far in layers[-1] for number in each)
        layers.append([total for total in reached if low <= total <= high])
    useful = {*totals}
    for index in range(len(numbers), -1, -1):
        layers[index] = [total for total in layers[index] if total in useful]
        if index:
            useful = {total - number for total in layers[index] for number in numbers[index - 1]}
    return layers
