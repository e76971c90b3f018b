"""Branches: each inference follows from its premises by the constraint that it names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from support.step_states import STATES, example

from pipeline.reading.formats import parse_source
from pipeline.steps import steps
from pipeline.steps.orders import ORDERS
from pipeline.steps.presentation.branching import Network, derive, node_of
from pipeline.steps.step import CONCLUSION, CONTRADICTION, Branch, Cited, Inference, Node, Step

NAMED = [
    key
    for key in STATES
    if any(word in key[1] for word in ("chain", "net", "Nishio")) and "ALS" not in key[1]
]
"""The techniques that have branches."""


def cannot_both(step: Step, first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two candidates share a cell, or have the same value in a unit."""
    if first == second:
        return False
    shared = any({first[0], second[0]} <= {*unit} for unit in step.before.units)
    return first[0] == second[0] or (first[1] == second[1] and shared)


def alternatives(step: Step, cited: Cited) -> set[tuple[int, int]]:
    """The candidates of a cited cell, or the places of a cited value."""
    masks = step.before.candidates
    if cited.rule:
        return {*cited.alternatives}
    if cited.unit is None:
        (cell,) = cited.cells
        return {(cell, bit + 1) for bit in range(9) if masks[cell] >> bit & 1}
    assert cited.cells == step.before.units[cited.unit]
    return {(cell, cited.value) for cell in cited.cells if masks[cell] >> cited.value - 1 & 1}


def candidates(node: Node) -> set[tuple[int, int]]:
    return {(cell, node.value) for cell in node.cells}


def check_inference(
    step: Step, inference: Inference, before: Sequence[Node], outer: Collection[Node]
) -> None:
    """Check one inference; `before` are the nodes of the earlier ones."""
    node, premises = inference.node, [before[number] for number in inference.premises]
    if inference.branches:
        (nested,) = inference.branches
        assert nested.assumption == node._replace(holds=not node.holds)
        assert nested.ends == CONTRADICTION
        check_branch(step, nested, before)
    elif inference.because:
        refuted = {each for premise in premises for each in candidates(premise)}
        assert inference.because in step.cited
        assert not any(premise.holds for premise in premises)
        assert node.holds
        assert alternatives(step, inference.because) - refuted <= candidates(node)
    elif premises:
        (premise,) = premises
        assert premise.holds
        assert not node.holds
        assert all(
            cannot_both(step, first, second)
            for first in candidates(premise)
            for second in candidates(node)
        )
    else:
        assert node in outer


def check_branch(step: Step, branch: Branch, outer: Collection[Node] = ()) -> None:
    """Check a branch, and that it ends as it says."""
    nodes = [inference.node for inference in branch.inferences]
    assert nodes[0] == branch.assumption
    for number, inference in enumerate(branch.inferences[1:], 1):
        check_inference(step, inference, nodes[:number], outer)
    if branch.ends == CONTRADICTION:
        last = candidates(nodes[-1])
        others = [node for node in nodes[:-1] if node.holds != nodes[-1].holds]
        assert any(last & candidates(node) for node in others)


def conclusions(step: Step) -> set[Node]:
    placed = {Node(value, (cell,), True) for cell, value in step.placed}
    return placed | {Node(value, (cell,), False) for cell, value in step.eliminated}


@pytest.mark.parametrize(("order", "name"), NAMED)
def test_each_inference_of_a_branch_follows(order, name):
    step = example(order, name)
    assert step.branches
    for branch in step.branches:
        check_branch(step, branch)


@pytest.mark.parametrize(("order", "name"), NAMED)
def test_branches_prove_the_conclusions(order, name):
    step = example(order, name)
    ends = {branch.ends for branch in step.branches}
    assumed = {branch.assumption for branch in step.branches}
    wanted = {
        node
        for node in conclusions(step)
        if node.holds
        or not any(cannot_both(step, each, (node.cells[0], node.value)) for each in step.placed)
    }
    nodes = [inference.node for inference in step.branches[0].inferences]
    if step.chain and nodes[: len(step.chain)] == [*step.chain]:
        assert len(step.branches) == 1
        assert ends == {CONCLUSION} or {nodes[-1]} == wanted
    elif ends == {CONTRADICTION}:
        assert {node._replace(holds=not node.holds) for node in assumed} == wanted
    else:
        assert ends == {CONCLUSION}
        cases = {each for node in assumed for each in candidates(node)}
        assert any(alternatives(step, cited) == cases for cited in step.cited)
        for branch in step.branches:
            assert wanted <= {inference.node for inference in branch.inferences}


def test_constraints_that_prove_nothing_have_no_branch():
    step = example("hodoku", "forcing net")
    (branch,) = step.branches
    used = {inference.because for inference in branch.inferences if inference.because}
    cell, value = step.eliminated[0]
    assumption = node_of((cell, value), holds=True)
    assert derive(Network(step.before, used), assumption)
    for missing in used:  # the branch is as short as possible
        assert not derive(Network(step.before, used - {missing}), assumption)
    assert derive(Network(step.before, []), assumption) is None


def test_what_units_alone_do_not_show_is_nested():
    step = example("hodoku", "naked pair")
    ((cell, value), *_) = step.eliminated
    assumption = node_of((cell, value), holds=True)
    branch = derive(Network(step.before, step.cited), assumption)
    assert branch is not None  # two cells that both lose a value
    check_branch(step, branch)
    triple = example("hodoku", "hidden triple")
    ((cell, value), *_) = triple.eliminated
    assumption = node_of((cell, value), holds=True)
    nested = derive(Network(triple.before, triple.cited), assumption, nesting=2)
    assert nested is not None
    check_branch(triple, nested)


@pytest.mark.trial
def test_branches_of_a_chain_with_patterns_are_nested():
    state = (
        ":0000:x:98.7..6..75..6......6..8...5......4...9.8.7.....3....24....1.....7.9.5.3..587.4..:"
        "424 927 928 929 934 235 554::"
    )
    parsed = parse_source(state.encode(), "state.txt")
    name = "dynamic forcing chain plus"
    techniques = [each for each in ORDERS["explainer"] if each.name == name]
    step = next(
        steps(
            parsed.puzzle.cells,
            unique=True,
            techniques=techniques,
            eliminated=parsed.progress.eliminated,
        )
    )
    (branch,) = step.branches
    assert any(inference.branches for inference in branch.inferences)
    check_branch(step, branch)
