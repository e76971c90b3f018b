"""Clauses of automata that read the values of cells in order, made with numpy.

The states before a cell and after it are two layers. A layer has only useful states: those that can
be reached, and from which an accepted state can be reached. Each state of a layer has a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Moves = NDArray[np.intp]
"""For each state before a cell and each value: the index of the state after it, or -1."""

_OMITTED = -(2**31)
"""In place of a literal that is left out of its clause."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The useful states of an automaton.

    - `moves`: for each cell, the moves between the layers before and after it; None if the
      automaton accepts no line.
    - `final`: the number of states of the last layer.
    """

    moves: list[Moves] | None
    final: int = 0

    @classmethod
    def useful(cls, moves: list[Moves], is_accepted: NDArray[np.bool_]) -> Layers:
        """The layers without useless states. `is_accepted`: of each state of the last layer."""
        kept: NDArray[np.bool_] = is_accepted
        useful: list[Moves] = []
        for all_moves in reversed(moves):
            new_indices = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
            moves_to_kept = new_indices[all_moves]
            kept = np.logical_or.reduce(moves_to_kept >= 0, axis=1)
            useful.append(moves_to_kept[kept])
        return cls(useful[::-1] if kept.any() else None, int(np.count_nonzero(is_accepted)))


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
) -> tuple[Layers, list[int]]:
    """The layers of an automaton that adds summands, and the sums of the last layer.

    - `summands`: for each cell, what each value adds.
    - `bounds`: the lowest and the highest sum to keep after each cell.
    - `accepted`: the accepted sums.
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
        sums, indices = np.unique(reached[fits], return_inverse=True)
        next_moves = np.full(reached.shape, -1, np.intp)
        next_moves[fits] = indices
        moves.append(next_moves)
    final_sums, wanted = sums.tolist(), {*accepted}
    is_accepted = np.array([total in wanted for total in final_sums])
    return Layers.useful(moves, is_accepted), [total for total in final_sums if total in wanted]


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
    literals = np.array([*(first_literals or [-_OMITTED]), *state_literals], np.int64)

    begins = [np.int64(literal) for literal in conditions]
    is_move = targets >= 0
    following = np.where(is_move, literals[targets], _OMITTED)
    clauses = [_rows([*begins, -literals[sources], -candidates, following])]

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
    numbers = np.concatenate(clauses)
    kept: NDArray[np.int32] = numbers[numbers != _OMITTED].astype(np.int32)
    return kept


def _run_lengths(*keys: NDArray[np.integer]) -> NDArray[np.intp]:
    """The lengths of the runs of equal entries in sorted arrays."""
    begins = np.ones(len(keys[0]), np.bool_)
    begins[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    starts = np.flatnonzero(begins)
    lengths: NDArray[np.intp] = np.append(starts[1:], len(begins)) - starts
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
