"""Encodings of constraints and of their parts. The builder records each as a template.

Each is a function of a builder, cells, literals and parameters; see `ClauseBuilder.encode_cached`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import accumulate, chain, product
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pipeline.puzzle.automata import Layers
    from pipeline.puzzle.builder import ClauseBuilder


def encode_at_most_one(
    clauses: ClauseBuilder, _cells: Sequence[int], literals: Sequence[int]
) -> None:
    any_before = 0
    for literal in literals:
        any_true = clauses.new_variable()
        clauses.add(-literal, any_true)
        if any_before:
            clauses.add(-any_before, any_true)
            clauses.add(-any_before, -literal)
        any_before = any_true


def encode_disjunction(
    clauses: ClauseBuilder, _cells: Sequence[int], literals: Sequence[int]
) -> Sequence[int]:
    disjunction = clauses.new_variable()
    for literal in literals:
        clauses.define(-literal, disjunction)
    clauses.define(-disjunction, *literals)
    return (disjunction,)


def encode_equal(
    clauses: ClauseBuilder, cells: Sequence[int], _literals: Sequence[int]
) -> Sequence[int]:
    equal = clauses.new_variable()
    a, b = cells
    for value in clauses.values:
        a_holds, b_holds = clauses.literal(a, value), clauses.literal(b, value)
        clauses.define(-a_holds, -b_holds, equal)
        clauses.define(-equal, -a_holds, b_holds)
        clauses.define(-equal, a_holds, -b_holds)
    return (equal,)


def encode_counter(
    clauses: ClauseBuilder, _cells: Sequence[int], literals: Sequence[int], maximum: int
) -> Sequence[int]:
    counts: list[int] = []
    for literal in literals:
        new_counts = [clauses.new_variable() for _ in range(min(maximum, len(counts) + 1))]
        for index, reached in enumerate(new_counts):
            earlier = counts[index] if index < len(counts) else 0
            fewer = counts[index - 1] if index else 0
            step = (literal, fewer) if fewer else (literal,)
            clauses.define(-reached, literal, *filter(None, (earlier,)))
            if fewer:
                clauses.define(-reached, fewer)
            if earlier:
                clauses.define(-earlier, reached)
            clauses.define(*(-condition for condition in step), reached)
        counts = new_counts
    return counts


def encode_one_of_sets(
    clauses: ClauseBuilder,
    _cells: Sequence[int],
    literals: Sequence[int],
    sets: tuple[tuple[bool, ...], ...],
) -> None:
    """`sets`: for each set, whether it has the value of each literal."""
    if not sets:
        clauses.add()
        return
    selectors = clauses.new_selectors(len(sets))
    for selector, members in zip(selectors, sets, strict=True):
        for literal, is_member in zip(literals, members, strict=True):
            clauses.add(-selector, literal if is_member else -literal)
    for index, literal in enumerate(literals):
        choices = (s for s, members in zip(selectors, sets, strict=True) if members[index])
        clauses.add(-literal, *choices)


def encode_pair(
    clauses: ClauseBuilder,
    cells: Sequence[int],
    _literals: Sequence[int],
    relation: Callable[..., bool],
    numbers: tuple[Any, ...],
) -> None:
    """Encode that the relation is true of the values of the first cell and the last one."""
    values, literal, add = clauses.values, clauses.literal, clauses.add
    related = {(u, v) for u in values for v in values if relation(u, v, *numbers)}
    if len(cells) == 1:
        for value in values:
            if (value, value) not in related:
                add(-literal(cells[0], value))
        return
    partners_of_first = {u: [v for v in values if (u, v) in related] for u in values}
    partners_of_second = {v: [u for u in values if (u, v) in related] for v in values}
    forbidden = [(u, v) for u in values for v in values if (u, v) not in related]
    is_bijection = all(
        len(vs) == 1 for vs in (*partners_of_first.values(), *partners_of_second.values())
    )
    a, b = cells
    if len(forbidden) <= (2 if is_bijection else 3) * clauses.side:
        for u, v in forbidden:
            add(-literal(a, u), -literal(b, v))
        return
    for value in values:  # support clauses are fewer, and propagate more
        add(-literal(a, value), *(literal(b, v) for v in partners_of_first[value]))
        add(-literal(b, value), *(literal(a, u) for u in partners_of_second[value]))


def encode_less(
    clauses: ClauseBuilder,
    cells: Sequence[int],
    literals: Sequence[int],
    may_tie: bool,
) -> Sequence[int]:
    """Define a variable for "the other line exists, and is less than the line".

    - `cells`: the cells of the line.
    - `literals`: for each of these cells, the literal of each value in the other line; then the
      literal for "the other line exists", unless that is certain.
    """
    add, n = clauses.add, clauses.side
    less, equal = clauses.new_variable(), clauses.new_variable()
    exists = literals[n * len(cells) :]
    add(equal, *(-literal for literal in exists))
    for literal in exists:
        add(-equal, literal)
        add(-less, literal)
    for index, cell in enumerate(cells):
        clauses.count_steps(n)
        other = literals[n * index : n * (index + 1)]
        still = clauses.new_variable()  # the lines are equal up to this cell
        add(equal, -still)
        for position, value in enumerate(clauses.values):
            own, other_holds = -clauses.literal(cell, value), other[position]
            add(-equal, own, less, *other[position:])
            add(-equal, own, -less, *other[: position + 1])
            add(-equal, own, -other_holds, still)
            add(-still, own, other_holds)
        equal = still
    add(-equal, -less)
    if not may_tie:
        add(-equal)
    return (less,)


def encode_chosen_line(
    clauses: ClauseBuilder,
    cells: Sequence[int],
    _literals: Sequence[int],
    first: int,
    length: int,
) -> Sequence[int]:
    """Define the values of the only one of some lines that begins with `first`.

    `cells`: the cells of the lines, each `length` cells. Returns a variable for each value of each
    cell after the first one.
    """
    lines = [cells[start : start + length] for start in range(0, len(cells), length)]
    chosen = list[int]()
    for index, value in product(range(1, length), clauses.values):
        holds = clauses.new_variable()
        chosen.append(holds)
        for line in lines:
            begins, held = clauses.literal(line[0], first), clauses.literal(line[index], value)
            clauses.define(-begins, -held, holds)
            clauses.define(-begins, held, -holds)
    return chosen


def encode_paths(
    clauses: ClauseBuilder,
    cells: Sequence[int],
    _literals: Sequence[int],
    moves: tuple[tuple[tuple[int, ...], ...], ...],
    starts: tuple[int, ...],
    accepted: frozenset[int],
) -> None:
    layers = _layers_of_paths(clauses, len(cells), moves, starts, accepted)
    variables = [{state: clauses.new_variable() for state in layer} for layer in layers]
    clauses.add(*variables[0].values())
    for cell, before, after in zip(cells, variables, variables[1:], strict=False):
        sources: dict[int, dict[int, None]] = {state: {} for state in after}
        readers: dict[int, list[int]] = {value: [] for value in clauses.values}
        for state, here in before.items():
            for value in clauses.values:
                reached = dict.fromkeys(moves[state][value])
                targets = [target for target in reached if target in after]
                there = (after[target] for target in targets)
                clauses.add(-here, -clauses.literal(cell, value), *there)
                if targets:
                    readers[value].append(here)
                for target in targets:
                    sources[target][here] = None
        for value, states in readers.items():
            clauses.add(-clauses.literal(cell, value), *states)
        for state, earlier in sources.items():
            clauses.add(-after[state], *earlier)


def _layers_of_paths(
    clauses: ClauseBuilder,
    length: int,
    moves: tuple[tuple[tuple[int, ...], ...], ...],
    starts: tuple[int, ...],
    accepted: frozenset[int],
) -> list[list[int]]:
    """The states before the first cell and after each cell that are on an accepted path."""
    layers = [[*dict.fromkeys(starts)]]
    for _ in range(length):
        targets = [moves[state][value] for state in layers[-1] for value in clauses.values]
        clauses.count_steps(2 * sum(map(len, targets), len(targets)))
        layers.append([*dict.fromkeys(chain.from_iterable(targets))])
    useful = accepted
    for index in range(len(layers) - 1, -1, -1):
        layers[index] = [state for state in layers[index] if state in useful]
        useful = frozenset(layers[index])
        if index:
            useful = frozenset(
                state
                for state in layers[index - 1]
                for value in clauses.values
                if not useful.isdisjoint(moves[state][value])
            )
    return layers


class StepAutomaton(NamedTuple):
    """The fields of `constraints.Automaton` besides its cells."""

    start: Hashable
    step: Callable[..., Hashable | None]
    accepted: frozenset[Hashable]
    numbers: tuple[Hashable, ...]


def encode_automaton(
    clauses: ClauseBuilder,
    cells: Sequence[int],
    _literals: Sequence[int],
    automaton: StepAutomaton,
    is_distinct: bool,
) -> None:
    """`is_distinct`: whether the cells are distinct."""
    from pipeline.puzzle.automata import layers_of_steps  # noqa: PLC0415 - slow to load

    start, step, accepted, numbers = automaton

    def step_with_numbers(state: Hashable, value: int) -> Hashable | None:
        return step(state, value, *numbers)

    layers = layers_of_steps(
        len(cells), clauses.values, start, step_with_numbers, accepted, clauses.count_steps
    )
    _add_transitions(clauses, cells, layers, is_distinct=is_distinct)


class RunningSum(NamedTuple):
    """The parameters of `ClauseBuilder.require_sum` besides cells and literals."""

    summands: tuple[tuple[int, ...], ...]
    bounds: tuple[tuple[int, int], ...]
    totals: tuple[int, ...]


def encode_sum(
    clauses: ClauseBuilder,
    cells: Sequence[int],
    literals: Sequence[int],
    running_sum: RunningSum,
    is_distinct: bool,
) -> None:
    """`is_distinct`: whether the cells are distinct."""
    from pipeline.puzzle.automata import layers_of_sums  # noqa: PLC0415 - slow to load

    layers, sums = layers_of_sums(*running_sum, clauses.count_steps, keep_final=bool(literals))
    literal_of = dict(zip(running_sum.totals, literals, strict=False))
    final_literals = [literal_of[total] for total in sums] if literals else None
    _add_transitions(clauses, cells, layers, final_literals, is_distinct=is_distinct)


def encode_segment_loop(
    clauses: ClauseBuilder, cells: Sequence[int], _literals: Sequence[int], total: int
) -> None:
    """Encode that the cells, as a loop, can be divided into segments that each sum to `total`.

    The states are the sums of the open segment before each cell. The state before the first cell is
    the state after the last one: a tenth of the clauses of an automaton for each cell with which a
    segment may begin.
    """
    import numpy as np  # noqa: PLC0415 - slow to load

    from pipeline.puzzle.automata import transition_clauses  # noqa: PLC0415 - slow to load

    if total > len(cells) * clauses.values[-1]:
        clauses.add()
        return
    clauses.check_room(len(cells) * total * clauses.side)
    reached = np.arange(total)[:, None] + np.array(clauses.values)
    moves = np.where(reached > total, -1, reached % total)
    layers = [[clauses.new_variable() for _ in range(total)] for _ in cells]
    clauses.add(*layers[0])
    clauses.require_at_most_one(layers[0])
    if 0 in clauses.values:  # there is at least one segment
        positive = range(1, clauses.values[-1] + 1)
        clauses.add(*(clauses.literal(cell, value) for cell in cells for value in positive))
    numbers = transition_clauses(
        [moves] * len(cells),
        [cell * clauses.side + 1 for cell in cells],
        [*chain.from_iterable(layers[1:]), *layers[0]],
        clauses.conditions,
        layers[0],
    )
    clauses.add_array(numbers)


def _add_transitions(
    clauses: ClauseBuilder,
    cells: Sequence[int],
    layers: Layers,
    final_literals: Sequence[int] | None = None,
    *,
    is_distinct: bool,
) -> None:
    """Add the clauses of an automaton.

    - `final_literals`: the literals of the states of the last layer; by default it has one state,
      which needs none.
    - `is_distinct`: whether the cells are distinct, so that their candidates can be states.
    """
    from pipeline.puzzle.automata import (  # noqa: PLC0415 - slow to load
        TRUE,
        candidate_states,
        transition_clauses,
    )

    moves = layers.moves
    if moves is None:
        clauses.add()
        return
    if not moves:
        return
    # each move is at least a clause: stop before large arrays are made
    clauses.check_room(sum(move.size for move in moves))
    first_candidates = [cell * clauses.side + 1 for cell in cells]
    for cell, move in zip(cells, moves, strict=True):
        for value, targets in zip(clauses.values, move.T, strict=True):
            if targets.max() < 0:
                clauses.add(-clauses.literal(cell, value))
    first_literals, last_literals = list[int](), list[int]()
    if is_distinct and final_literals is None:
        first_literals, last_literals = candidate_states(moves, first_candidates)
    # cells whose candidates are states need no further clauses
    start, end = int(bool(first_literals)), len(moves) - bool(last_literals)
    state_literals = list[int]()
    for move in moves[start + 1 : end]:
        is_certain = len(move) == 1
        state_literals += [TRUE] if is_certain else (clauses.new_variable() for _ in move)
    state_literals += last_literals or final_literals or [TRUE]
    numbers = transition_clauses(
        moves[start:end],
        first_candidates[start:end],
        state_literals,
        clauses.conditions,
        first_literals,
    )
    clauses.add_array(numbers)


_MAX_SET_STEPS = 1_000_000
"""Maximum number of steps of a search for sets with a total. Grids of up to 16 values need fewer.
"""


@lru_cache(maxsize=4096)
def sets_with_total(
    values: tuple[int, ...], size: int, total: int, max_sets: int
) -> tuple[tuple[tuple[int, ...], ...] | None, int]:
    """The sets of `size` values that sum to `total`, and the number of steps that it took.

    The sets are None if there are more than `max_sets`, or if it takes too many steps.
    """
    ascending = sorted(values)
    sums = [0, *accumulate(ascending)]
    complete: list[tuple[int, ...]] = []
    steps = 0
    # (the chosen values in descending order, the number of smaller values, the missing sum)
    waiting: list[tuple[tuple[int, ...], int, int]] = [((), len(ascending), total)]
    while waiting:
        chosen, below, missing = waiting.pop()
        steps += 1
        if steps > _MAX_SET_STEPS:
            return None, steps
        missing_values = size - len(chosen)
        if not missing_values:
            complete += [chosen] if not missing else []
            if len(complete) > max_sets:
                return None, steps
            continue
        for index in range(missing_values - 1, below):
            value = ascending[index]
            minimum = value + sums[missing_values - 1]
            maximum = sums[index + 1] - sums[index + 1 - missing_values]
            if minimum <= missing <= maximum:
                waiting.append(((*chosen, value), index, missing - value))
    return tuple(complete), steps
