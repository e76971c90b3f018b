"""Logical steps through a puzzle of any geometry and any rules, each certified.

`state` tracks the candidates of cells. `patterns`, `chains`, `nets` and `sums` find deductions.
`certify.cited` checks that each follows from the cells, units and rules that it cites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from pipeline.certify.cited import follows_from
from pipeline.puzzle.geometry import values_of
from pipeline.puzzle.puzzle import Puzzle
from pipeline.solving import MAX_STEPS_SIDE
from pipeline.steps.step import Candidate, Cited, Node, Position, Step
from pipeline.steps.techniques import VARIANT, Technique
from pipeline.steps.variants import chains, nets, patterns, sums
from pipeline.steps.variants.patterns import Deduction
from pipeline.steps.variants.state import State

__all__ = ["VARIANT_TECHNIQUES", "all_variant_steps", "has_variant_steps", "variant_steps"]

_FINDERS: dict[Technique, Callable[[State], Iterator[Deduction]]] = {
    Technique("full house", 0, 4, 0, VARIANT): patterns.find_full_houses,
    Technique("naked single", 0, 4, 0, VARIANT): patterns.find_naked_singles,
    Technique("hidden single", 0, 14, 0, VARIANT): patterns.find_hidden_singles,
    Technique("combinations of a sum", 1, 50, 0, VARIANT): sums.find_sum_combinations,
    Technique("rule", 1, 50, 0, VARIANT): sums.find_rule_exclusions,
    Technique("locked candidates", 1, 50, 0, VARIANT): patterns.find_locked_candidates,
    Technique("value of a cage", 1, 50, 0, VARIANT): sums.find_cage_values,
    Technique("innies and outies", 1, 60, 0, VARIANT): sums.find_innies_and_outies,
    Technique("naked pair", 1, 60, 0, VARIANT): partial(patterns.find_naked_subsets, size=2),
    Technique("hidden pair", 1, 70, 0, VARIANT): partial(patterns.find_hidden_subsets, size=2),
    Technique("naked triple", 1, 80, 0, VARIANT): partial(patterns.find_naked_subsets, size=3),
    Technique("hidden triple", 1, 100, 0, VARIANT): partial(patterns.find_hidden_subsets, size=3),
    Technique("naked quadruple", 2, 120, 0, VARIANT): partial(patterns.find_naked_subsets, size=4),
    Technique("hidden quadruple", 2, 150, 0, VARIANT): partial(
        patterns.find_hidden_subsets, size=4
    ),
    Technique("X-wing", 2, 140, 0, VARIANT): partial(patterns.find_basic_fish, size=2),
    Technique("swordfish", 2, 150, 0, VARIANT): partial(patterns.find_basic_fish, size=3),
    Technique("jellyfish", 2, 160, 0, VARIANT): partial(patterns.find_basic_fish, size=4),
    Technique("X-chain", 3, 260, 0, VARIANT): partial(
        chains.find_shortest_chain, links=chains.ChainLinks.ONE_VALUE
    ),
    Technique("XY-chain", 3, 260, 0, VARIANT): partial(
        chains.find_shortest_chain, links=chains.ChainLinks.BIVALUE
    ),
    Technique("alternating inference chain", 3, 280, 0, VARIANT): partial(
        chains.find_shortest_chain, links=chains.ChainLinks.ALL
    ),
    Technique("forcing net", 4, 700, 0, VARIANT): nets.find_shortest_net,
}
"""The techniques, simplest first, and the functions that find them.

A technique has the same level and score as the technique of this name for 9×9 puzzles.
"""

VARIANT_TECHNIQUES = tuple(_FINDERS)


def has_variant_steps(puzzle: Puzzle) -> bool:
    """Whether steps are available: the values are 1 to n, where n is at most MAX_STEPS_SIDE."""
    return puzzle.geometry.side <= MAX_STEPS_SIDE and puzzle.geometry.lowest == 1


def variant_steps(puzzle: Puzzle, *, eliminated: Iterable[Candidate] = ()) -> Iterator[Step]:
    """Yield steps through a puzzle until it is filled or no technique applies.

    Each step uses the first technique of VARIANT_TECHNIQUES that applies. Steps that are not
    certified within the limit of `certify.cited` are skipped.

    `eliminated`: candidates (cell, value) that are eliminated before the first step.

    Raises ValueError if `has_variant_steps` is false.
    """
    state = _state_of(puzzle, eliminated)
    while not state.is_filled and (step := next(_steps_of(state, VARIANT_TECHNIQUES), None)):
        yield step
        for cell, value in step.eliminated:
            state.eliminate(cell, value - 1)
        for cell, value in step.placed:
            state.place(cell, value - 1)


def all_variant_steps(
    puzzle: Puzzle,
    *,
    order: Sequence[Technique] = VARIANT_TECHNIQUES,
    eliminated: Iterable[Candidate] = (),
) -> Iterator[Step]:
    """Yield all steps that are possible in a puzzle, technique by technique.

    `order`: the techniques to try. `eliminated`, and the error, as in `variant_steps`.
    """
    yield from _steps_of(_state_of(puzzle, eliminated), order)


def _state_of(puzzle: Puzzle, eliminated: Iterable[Candidate]) -> State:
    """The state of a puzzle after some eliminations; raises ValueError as `variant_steps` does."""
    if not has_variant_steps(puzzle):
        raise ValueError(
            f"steps are only available for puzzles with the values 1 to {MAX_STEPS_SIDE}"
        )
    state = State(puzzle)
    for cell, value in eliminated:
        state.eliminate(cell, value - 1)
    return state


def _steps_of(state: State, order: Sequence[Technique]) -> Iterator[Step]:
    """The certified steps of a state."""
    for technique in order:
        for deduction in _FINDERS[technique](state):
            step = _step_of(state, technique, deduction)
            if follows_from(
                state.geometry,
                state.masks_of(deduction.cited),
                state.constraints_of(deduction.cited),
                step.placed,
                step.eliminated,
            ):
                yield step


def _step_of(state: State, technique: Technique, deduction: Deduction) -> Step:
    """Convert a deduction to a step, whose values count from 1."""
    rules, citations = state.puzzle.rules, deduction.cited
    cited = [Cited((cell,)) for cell in citations.cells]
    cited += [Cited(state.units[unit].cells, bit + 1, unit) for unit, bit in citations.places]
    cited += [
        Cited(rules[index].scope(state.geometry), rule=rules[index].describe(state.geometry))
        for index in citations.rules
    ]
    is_open = [cell in state.open_cells for cell in range(state.size)]
    position = Position(
        tuple(0 if is_open[c] else mask.bit_length() for c, mask in enumerate(state.masks)),
        tuple(mask if is_open[c] else 0 for c, mask in enumerate(state.masks)),
        state.givens,
        state.geometry,
        tuple(unit.cells for unit in state.units),
        tuple(unit.name for unit in state.units),
        tuple(state.puzzle.cells),
    )
    return Step(
        technique,
        tuple((cell, bit + 1) for cell, bit in deduction.placed),
        tuple((cell, bit + 1) for cell, bit in deduction.eliminated),
        tuple(values_of(deduction.values)),
        deduction.cells,
        deduction.units,
        deduction.cover,
        tuple(Node(bit + 1, (cell,), holds) for cell, bit, holds in deduction.chain),
        position,
        cited=tuple(cited),
        total=deduction.total,
    )
