"""Clauses of automata that read the values of cells in order, made with numpy.

The states before a cell and after it are two layers. A layer has only useful states: those that can
be reached, and from which an accepted state can be reached. Each state of a layer has a literal.

Three things save clauses. States with the same moves are merged. If each state after the first cell
is reached by one value, its literal is the candidate; so is the literal of a state before the last
cell that accepts one value, if it alone accepts it. And a layer with a single state needs no
literal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.puzzle.clauses import clause_bounds

Moves = NDArray[np.intp]
"""For each state before a cell and each value: the index of the state after it, or -1."""

TRUE = 2**31
"""The literal of a state that is certain: clauses with it are omitted, and its negation is left
out of its clauses.
"""

_OMITTED = -TRUE


@dataclass(frozen=True, slots=True)
class Layers:
    """The useful states of an automaton.

    - `moves`: for each cell, the moves between the layers before and after it; None if the
      automaton accepts no line.
    - `final`: the number of states of the last layer.

    States from which the same lines are accepted are merged, unless each final state is kept.
    """

    moves: list[Moves] | None
    final: int = 0

    @classmethod
    def useful(
        cls, moves: list[Moves], is_accepted: NDArray[np.bool_], *, keep_final: bool = False
    ) -> Layers:
        """The layers without useless states, merged unless `keep_final`.

        `is_accepted`: of each state of the last layer.
        """
        final = int(np.count_nonzero(is_accepted))
        numbers = np.cumsum(is_accepted) - 1 if keep_final else np.zeros(len(is_accepted), np.intp)
        new_indices = np.append(np.where(is_accepted, numbers, -1), -1)
        useful: list[Moves] = []
        for all_moves in reversed(moves):
            moved = new_indices[all_moves]
            kept: NDArray[np.bool_] = np.logical_or.reduce(moved >= 0, axis=1)
            moved = moved[kept]
            if keep_final:
                indices = np.arange(len(moved))
            else:
                moved, indices = _merged(moved)
            new_indices = np.full(len(kept) + 1, -1)
            new_indices[:-1][kept] = indices
            useful.append(moved)
        if new_indices[0] < 0:
            return cls(None)
        return cls(useful[::-1], final if keep_final else 1)


def _merged(moves: Moves) -> tuple[Moves, NDArray[np.intp]]:
    """The different rows, in order of their first occurrence, and the new index of each row."""
    numbers, firsts = dict[bytes, int](), list[int]()
    data, size = moves.tobytes(), moves[:1].nbytes
    indices = np.empty(len(moves), np.intp)
    for index in range(len(moves)):
        row = data[index * size : (index + 1) * size]
        if row not in numbers:
            numbers[row] = len(firsts)
            firsts.append(index)
        indices[index] = numbers[row]
    return moves[firsts], indices


def layers_of_steps(
    length: int,
    values: range,
    start: Hashable,
    step: Callable[[Hashable, int], Hashable | None],
    accepted: Collection[Hashable],
    count_steps: Callable[[int], None],
) -> Layers:
    """The layers of an automaton with any states.

    `step` returns the next state, or None to reject the value. It is called once for each state
    and value.
    """
    following: dict[Hashable, list[Hashable | None]] = {}
    layer, moves = [start], list[Moves]()
    for _ in range(length):
        count_steps(len(values) * len(layer))
        for state in layer:
            if state not in following:
                following[state] = [step(state, value) for value in values]
        indices: dict[Hashable | None, int] = {None: -1}
        rows = [
            [indices.setdefault(state, len(indices) - 1) for state in following[before]]
            for before in layer
        ]
        moves.append(np.array(rows, np.intp))
        del indices[None]
        layer = [*indices]
        if not layer:
            return Layers(None)
    return Layers.useful(moves, np.array([state in accepted for state in layer]))


def layers_of_sums(
    summands: Sequence[Sequence[int]],
    bounds: Sequence[tuple[int, int]],
    accepted: Sequence[int],
    count_steps: Callable[[int], None],
    *,
    keep_final: bool = False,
) -> tuple[Layers, list[int]]:
    """The layers of an automaton that adds summands, and the accepted sums that are possible.

    - `summands`: for each cell, what each value adds.
    - `bounds`: the lowest and the highest sum to keep after each cell.
    - `accepted`: the accepted sums.
    - `keep_final`: whether each accepted sum has a state of its own.
    """
    largest = sum(max(map(abs, row)) for row in summands)
    kind = np.int64 if largest < 2**62 else object  # weights have any size
    sums, moves = np.zeros(1, kind), list[Moves]()
    for row, (low, high) in zip(summands, bounds, strict=True):
        count_steps(len(row) * len(sums))
        reached = sums[:, None] + np.array(row, kind)
        is_high_enough, is_low_enough = reached >= max(low, -largest), reached <= min(high, largest)
        fits = (is_high_enough & is_low_enough).astype(np.bool_)
        if not fits.any():
            return Layers(None), []
        fitting = reached[fits]
        sums = np.array(sorted({*fitting.tolist()}), kind)  # np.unique takes four times as long
        next_moves = np.full(reached.shape, -1, np.intp)
        next_moves[fits] = sums.searchsorted(fitting)
        moves.append(next_moves)
    final_sums, wanted = sums.tolist(), {*accepted}
    is_accepted = np.array([total in wanted for total in final_sums])
    layers = Layers.useful(moves, is_accepted, keep_final=keep_final)
    return layers, [total for total in final_sums if total in wanted]


def candidate_states(
    moves: Sequence[Moves], first_candidates: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The candidates that can be literals of the states after the first cell and before the last.

    The cells must be distinct, and the last layer must have a single state. Each list is empty if
    its states need literals of their own. `first_candidates`: see `transition_clauses`.
    """
    if len(moves) < 2:
        return [], []
    after_first, before_last = list[int](), list[int]()
    (targets,) = moves[0]
    values = np.flatnonzero(targets >= 0)
    if len(moves[1]) == len(values):
        order = np.argsort(targets[values])
        after_first = (values[order] + first_candidates[0]).tolist()
    is_move = moves[-1] >= 0
    if (is_move.sum(axis=1) == 1).all() and (is_move.sum(axis=0) <= 1).all():
        before_last = (np.nonzero(is_move)[1] + first_candidates[-1]).tolist()
    if len(moves) == 2:
        return (after_first, []) if after_first else ([], before_last)
    return after_first, before_last


def transition_clauses(
    moves: Sequence[Moves],
    first_candidates: Sequence[int],
    state_literals: Sequence[int],
    conditions: Sequence[int],
    first_literals: Sequence[int] = (),
) -> NDArray[np.int32]:
    """The clauses of an automaton, with a 0 after each.

    - `first_candidates`: for each cell, the variable of its first value.
    - `state_literals`: the literals of the states of all layers but the first.
    - `conditions`: literals that begin each clause.
    - `first_literals`: the literals of the states of the first layer. By default, it is a single
      state, which needs no literal.

    Clauses that derive the next state from state and value would suffice; the clauses in the other
    direction make proofs of hard puzzles several times shorter.
    """
    n = moves[0].shape[1]
    sizes = np.array([len(layer) for layer in moves])
    first_after = np.cumsum(sizes)  # the layer after a cell begins at this state
    targets = np.concatenate(
        [
            np.where(layer < 0, -1, layer + first)
            for layer, first in zip(moves, first_after, strict=True)
        ]
    ).ravel()
    offsets = np.repeat(np.array(first_candidates, np.int64), sizes)
    candidates = (offsets[:, None] + np.arange(n)).ravel()
    sources = np.repeat(np.arange(len(targets) // n), n)
    literals = np.array([*(first_literals or [TRUE]), *state_literals], np.int64)
    is_move = targets >= 0

    begins = [np.int64(literal) for literal in conditions]

    # state and value → next state; a state that accepts one value implies that value anyway
    accepts_several = is_move.reshape(-1, n).sum(axis=1) > 1
    chosen = is_move | np.repeat(accepts_several, n)
    following = np.where(is_move, literals[targets], _OMITTED)[chosen]
    clauses = [_rows([*begins, -literals[sources[chosen]], -candidates[chosen], following])]

    sources, targets, candidates = sources[is_move], targets[is_move], candidates[is_move]
    order = np.argsort(sources * len(literals) + targets, kind="stable")
    counts = _run_lengths(sources[order], targets[order])
    firsts = order[np.cumsum(counts) - counts]
    pair_sources, pair_targets = sources[firsts], targets[firsts]
    # state → some next state
    states = _run_lengths(pair_sources)
    heads = literals[pair_sources[np.cumsum(states) - states]]
    clauses.append(_ragged([*begins, -heads], states, literals[pair_targets]))
    # state and next state → some value
    heads_of_pairs = [-literals[pair_sources], -literals[pair_targets]]
    clauses.append(_ragged([*begins, *heads_of_pairs], counts, candidates[order]))

    if not first_literals:  # all states but the first one have a state before them
        sources, targets, candidates = (x[sources > 0] for x in (sources, targets, candidates))
        pair_sources, pair_targets = (x[pair_sources > 0] for x in (pair_sources, pair_targets))
    if len(sources):
        # next state and value → some state
        order = np.lexsort((candidates, targets))
        counts = _run_lengths(targets[order], candidates[order])
        firsts = order[np.cumsum(counts) - counts]
        heads_of_moves = [-literals[targets[firsts]], -candidates[firsts]]
        clauses.append(_ragged([*begins, *heads_of_moves], counts, literals[sources[order]]))
        # next state → some state
        order = np.argsort(pair_targets, kind="stable")
        counts = _run_lengths(pair_targets[order])
        heads = literals[pair_targets[order][np.cumsum(counts) - counts]]
        clauses.append(_ragged([*begins, -heads], counts, literals[pair_sources[order]]))
    return _without_true(np.concatenate(clauses))


def _without_true(numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    """The clauses without those that have the literal TRUE, and without its negation."""
    starts, ends = clause_bounds(numbers)
    if len(ends):
        satisfied = np.logical_or.reduceat(numbers == TRUE, starts)
        numbers = numbers[np.repeat(~satisfied, ends - starts + 1)]
    kept: NDArray[np.int32] = numbers[numbers != _OMITTED].astype(np.int32)
    return kept


def _run_lengths(*keys: NDArray[np.integer]) -> NDArray[np.intp]:
    """The lengths of the runs of equal entries in sorted arrays."""
    begins = np.ones(len(keys[0]), np.bool_)
    begins[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    starts = np.flatnonzero(begins)
    ends = np.full_like(starts, len(begins))
    ends[:-1] = starts[1:]
    lengths: NDArray[np.intp] = ends - starts
    return lengths


def _rows(columns: Sequence[NDArray[np.int64] | np.int64]) -> NDArray[np.int64]:
    """Clauses of equal lengths, each with a 0 after it. A scalar is in all clauses."""
    rows = np.zeros((len(np.atleast_1d(columns[-1])), len(columns) + 1), np.int64)
    for index, column in enumerate(columns):
        rows[:, index] = column
    return rows.ravel()


def _ragged(
    heads: Sequence[NDArray[np.int64] | np.int64],
    counts: NDArray[np.intp],
    members: NDArray[np.int64] | NDArray[np.int32],
) -> NDArray[np.int64]:
    """Clauses that begin with their heads and go on with `counts` of the members, then a 0."""
    lengths = counts + len(heads) + 1
    starts = np.cumsum(lengths) - lengths
    numbers = np.zeros(int(lengths.sum()), np.int64)
    for index, head in enumerate(heads):
        numbers[starts + index] = head
    before = starts + len(heads) - (np.cumsum(counts) - counts)
    numbers[np.arange(len(members)) + np.repeat(before, counts)] = members
    return numbers
