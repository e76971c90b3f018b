"""The layers of automata contain the accepted lines, and no state without one."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import examples

from pipeline.puzzle.automata import Layers, layers_of_steps, layers_of_sums

VALUES = range(1, 4)
states = st.integers(0, 3)


def accepted_lines(layers: Layers, length: int) -> set[tuple[int, ...]]:
    """The lines that the layers accept; also checks that each state is on such a line."""
    if layers.moves is None:
        return set()
    paths = {(): [0]}
    for moves in layers.moves:
        assert (moves >= 0).any(axis=1).all()
        paths = {
            (*line, value): [*path, int(moves[path[-1], index])]
            for line, path in paths.items()
            for index, value in enumerate(VALUES)
            if moves[path[-1], index] >= 0
        }
    for index, moves in enumerate(layers.moves):
        assert {path[index] for path in paths.values()} == {*range(len(moves))}
    assert {path[length] for path in paths.values()} == {*range(layers.final)}
    return {*paths}


@examples(60)
@given(
    length=st.integers(0, 4),
    table=st.dictionaries(st.tuples(states, st.sampled_from(VALUES)), states),
    accepted=st.frozensets(states),
)
def test_layers_accept_the_lines_of_an_automaton(length, table, accepted):
    def final_state(line: tuple[int, ...]) -> int | None:
        state: int | None = 0
        for value in line:
            state = None if state is None else table.get((state, value))
        return state

    steps: list[int] = []

    def step(state: object, value: int) -> int | None:
        return table.get((state, value))

    layers = layers_of_steps(length, VALUES, 0, step, accepted, steps.append)
    assert layers.final <= 1
    for moves in layers.moves or ():
        assert len({*map(tuple, moves.tolist())}) == len(moves), "not merged"
    lines = product(VALUES, repeat=length)
    assert accepted_lines(layers, length) == {x for x in lines if final_state(x) in accepted}
    assert all(count <= 4 * len(VALUES) for count in steps)


@examples(60)
@given(
    summands=st.lists(st.tuples(*[st.integers(-3, 3)] * len(VALUES)), min_size=1, max_size=4),
    totals=st.lists(st.integers(-6, 6), unique=True),
    scale=st.sampled_from([1, 10**30]),
    keep_final=st.booleans(),
)
def test_layers_accept_the_lines_with_a_total(summands, totals, scale, keep_final):
    rows = [[scale * number for number in row] for row in summands]
    accepted = [scale * total for total in totals]
    bounds = [(-100 * scale, 100 * scale)] * len(rows)
    layers, sums = layers_of_sums(rows, bounds, accepted, lambda _: None, keep_final=keep_final)
    lines = {
        line: sum(row[value - 1] for row, value in zip(rows, line, strict=True))
        for line in product(VALUES, repeat=len(rows))
    }
    meant = {line for line, total in lines.items() if total in accepted}
    assert accepted_lines(layers, len(rows)) == meant
    assert sums == sorted({lines[line] for line in meant})
    assert layers.final == (len(sums) if keep_final else min(len(sums), 1))


@pytest.mark.parametrize("bounds", [(7, 9), (-9, -7)])
def test_sums_beyond_the_bounds_are_rejected(bounds):
    layers, sums = layers_of_sums([[1, 2, 3]] * 2, [bounds] * 2, [4], lambda _: None)
    assert layers.moves is None
    assert sums == []
