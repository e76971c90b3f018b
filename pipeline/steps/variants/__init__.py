"""Logical steps through a puzzle of any geometry and any rules, each certified.

`state` has candidates, units and sight, `patterns`, `chains` and `sums` find steps, and
`certify.cited` checks that each follows from the cells, units and rules that it cites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pipeline.certify.cited import follows_from
from pipeline.puzzle.puzzle import Puzzle
from pipeline.steps.variants import chains, nets, patterns, sums
from pipeline.steps.variants.patterns import Found
from pipeline.steps.variants.state import State

FINDERS: tuple[tuple[str, Callable[[State], Iterator[Found]]], ...] = (
    ("full house", patterns.find_full_house),
    ("naked single", patterns.find_naked_single),
    ("hidden single", patterns.find_hidden_single),
    ("cage", sums.find_cage),
    ("rule", sums.find_by_rule),
    ("locked", patterns.find_locked),
    ("innies", sums.find_innies),
    ("naked pair", partial(patterns.find_naked_subset, size=2)),
    ("hidden pair", partial(patterns.find_hidden_subset, size=2)),
    ("naked triple", partial(patterns.find_naked_subset, size=3)),
    ("hidden triple", partial(patterns.find_hidden_subset, size=3)),
    ("naked quadruple", partial(patterns.find_naked_subset, size=4)),
    ("hidden quadruple", partial(patterns.find_hidden_subset, size=4)),
    ("X-wing", partial(patterns.find_fish, size=2)),
    ("swordfish", partial(patterns.find_fish, size=3)),
    ("X-chain", partial(chains.find_chain, kind=chains.X_CHAIN)),
    ("XY-chain", partial(chains.find_chain, kind=chains.XY_CHAIN)),
    ("AIC", partial(chains.find_chain, kind=chains.ANY_CHAIN)),
    ("jellyfish", partial(patterns.find_fish, size=4)),
    ("net", nets.find_net),
)


def walk(puzzle: Puzzle, struck: Iterable[tuple[int, int]] = ()) -> Iterator[tuple[str, Found]]:
    state = State(puzzle)
    while not state.is_filled:
        for name, find in FINDERS:
            found = next((each for each in find(state) if certified(state, each)), None)
            if found:
                break
        else:
            return
        yield name, found
        for cell, bit in found.struck:
            state.eliminate(cell, bit)
        for cell, bit in found.placed:
            state.place(cell, bit)


def certified(state: State, found: Found) -> bool:
    def with_values(candidates):
        return [(cell, state.value(bit)) for cell, bit in candidates]

    return follows_from(
        state.geometry,
        state.masks_of(found.cited),
        state.constraints_of(found.cited),
        with_values(found.placed),
        with_values(found.struck),
    )
