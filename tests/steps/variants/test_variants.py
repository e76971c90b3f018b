"""Steps of variants: of every size and rule, certified, and true of the solution."""

from __future__ import annotations

from itertools import islice

import pytest

from pipeline import parse_puzzle, solve
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.rules import AntiKnight, Cage, Diagonal, Thermometer
from pipeline.steps.variants import (
    VARIANT_TECHNIQUES,
    all_variant_steps,
    has_variant_steps,
    variant_steps,
)

TECHNIQUE = {technique.name: technique for technique in VARIANT_TECHNIQUES}

EXAMPLES = {
    "six.txt": 100,
    "jigsaw-grid.txt": 100,
    "killer.txt": 60,
    "killer-arrows.txt": 60,
    "solo.txt": 100,
    "constraints.iss.txt": 100,
    "even-odd.sudoku": 100,
    "boxes-3x4.txt": 22,
    "hexadecimal.txt": 40,
    "samurai.txt": 400,
}
"""Files in `examples`, and the number of steps to check of each."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_step_is_true_of_the_solution_and_new(name):
    puzzle = Puzzle.from_file(f"examples/{name}")
    solution = solve(puzzle).solutions[0].values
    seen = set()
    for step in islice(variant_steps(puzzle), EXAMPLES[name]):
        conclusions = {(*each, True) for each in step.placed}
        conclusions |= {(*each, False) for each in step.eliminated}
        assert conclusions
        assert not conclusions & seen
        assert all((solution[cell] == value) == is_true for cell, value, is_true in conclusions)
        assert all(step.before.has(cell, value) for cell, value, _ in conclusions)
        seen |= conclusions


@pytest.mark.parametrize(
    "name",
    ["six.txt", "jigsaw-grid.txt", "killer.txt", "solo.txt", "constraints.iss.txt", "samurai.txt"],
)
def test_steps_fill_the_puzzle(name):
    puzzle = Puzzle.from_file(f"examples/{name}")
    placed = {cell for step in variant_steps(puzzle) for cell, _ in step.placed}
    assert len(placed) == puzzle.geometry.size - len([*puzzle.givens()])


def state_of(side: int, candidates: dict[int, list[int]], *rules) -> Puzzle:
    """A puzzle without givens in which some cells hold only some values."""
    puzzle = Puzzle.empty(side, rules)
    cells = [*puzzle.cells]
    for cell, values in candidates.items():
        cells[cell] = sum(1 << value - 1 for value in values)
    return Puzzle(puzzle.geometry, tuple(cells), rules)


def first(name: str, puzzle: Puzzle):
    """The placed and the eliminated candidates of the first step of a technique, or None."""
    step = next(all_variant_steps(puzzle, order=[TECHNIQUE[name]]), None)
    return step and (step.placed, step.eliminated)


CASES = {
    "full house": (state_of(4, {0: [1], 1: [2], 2: [3]}), (((3, 4),), ())),
    "naked single": (state_of(4, {0: [1], 1: [2], 4: [3]}), (((5, 4),), ())),
    "hidden single": (
        state_of(6, {cell: [1, 2, 3, 4, 5] for cell in (0, 1, 2, 3, 4)}),
        (((5, 6),), ()),
    ),
    "combinations of a sum": (
        state_of(4, {}, Cage((0, 1), 3)),
        ((), ((0, 3), (0, 4), (1, 3), (1, 4))),
    ),
    "rule": (
        state_of(4, {}, Thermometer((0, 1, 2))),
        ((), ((0, 3), (0, 4), (1, 1), (1, 4), (2, 1), (2, 2))),
    ),
    "value of a cage": (
        state_of(4, {}, Cage((0, 1), 3)),
        ((), ((2, 1), (3, 1), (4, 1), (5, 1))),
    ),
    "locked candidates": (
        state_of(6, {cell: [1, 2, 3, 4, 5] for cell in (6, 7, 8)}),
        ((), ((3, 6), (4, 6), (5, 6))),
    ),
    "innies and outies": (
        state_of(4, {}, Cage((0, 1), 3), Cage((2, 6), 4)),
        ((), ((2, 1), (2, 2), (3, 1), (3, 2))),
    ),
    "naked pair": (
        state_of(6, {6: [1, 2], 7: [1, 2]}),
        ((), tuple((cell, 1) for cell in (0, 1, 2, 8, 9, 10, 11))
         + tuple((cell, 2) for cell in (0, 1, 2, 8, 9, 10, 11))),
    ),
    "hidden pair": (
        state_of(6, {cell: [1, 2, 3, 4] for cell in (0, 1, 2, 3)}),
        ((), tuple((cell, value) for cell in (4, 5) for value in (1, 2, 3, 4))),
    ),
    "X-wing": (
        state_of(6, {c: [1, 2, 3, 4, 5] for c in (0, 1, 3, 4, 18, 19, 21, 22)}),
        ((), tuple((cell, 6) for cell in (8, 11, 14, 17, 26, 29, 32, 35))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_technique_concludes_exactly_this(name):
    puzzle, expected = CASES[name]
    assert first(name, puzzle) == expected


@pytest.mark.parametrize("name", [name for name in TECHNIQUE if name != "rule"])
def test_a_technique_is_silent_in_an_empty_grid(name):
    assert first(name, Puzzle.empty(6)) is None
    assert first(name, Puzzle.empty(Geometry(2, 2), (Diagonal(rising=True),))) is None


def test_a_knight_sees_and_is_cited():
    puzzle = state_of(6, {0: [1, 2], 13: [1, 2]}, AntiKnight())
    step = next(all_variant_steps(puzzle, order=[TECHNIQUE["naked pair"]]))
    assert "anti-knight" in {step.before.unit_names[unit] for unit in step.units}
    seen_by_both = {cell for cell, _ in step.eliminated}
    assert seen_by_both
    assert all({0, 13} <= {*step.before.peers[cell]} for cell in seen_by_both)


def test_chains_and_nets_name_their_nodes():
    puzzle = Puzzle.from_file("examples/boxes-3x4.txt")
    taken = [*islice(variant_steps(puzzle), 22)]
    chain = next(step for step in taken if step.technique.name == "X-chain")
    assert [node.holds for node in chain.chain] == [False, True] * (len(chain.chain) // 2)
    assert {node.value for node in chain.chain} == {*chain.values}


def test_candidates_that_were_eliminated_before_are_left_out():
    puzzle = state_of(4, {0: [1, 2]})
    step = next(variant_steps(puzzle, eliminated=[(0, 1)]))
    assert step.placed == ((0, 2),)


@pytest.mark.parametrize("geometry", [Geometry(5, 5), Geometry(1, 4, free_grid=FreeGrid(4, 4, 0))])
def test_there_are_no_steps_for_more_than_16_values_and_for_zero(geometry):
    puzzle = Puzzle.empty(geometry)
    assert not has_variant_steps(puzzle)
    with pytest.raises(ValueError, match="values 1 to 16"):
        next(variant_steps(puzzle))


def test_a_puzzle_that_contradicts_itself_has_no_endless_steps():
    puzzle = parse_puzzle("11..............")
    candidates = sum(mask.bit_count() for mask in puzzle.cells)
    assert len([*islice(variant_steps(puzzle), candidates + 1)]) <= candidates
