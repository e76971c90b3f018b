"""The branches of a step: what follows from each assumption of a chain or net."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from pipeline.steps.presentation.branching import (
    MAX_NESTING,
    Network,
    are_exclusive,
    candidates_of,
    conclusions_of,
    derive,
    node_of,
    shortened,
    split,
)
from pipeline.steps.step import CONCLUSION, CONTRADICTION, Branch, Inference, Node, Step


@lru_cache(maxsize=64)
def branches_of(step: Step) -> tuple[Branch, ...]:
    """The branches of a chain, a forcing chain or a net.

    - A chain has a branch from its start to its end.
    - A forcing chain has a branch for each candidate of a cell or place of a value, which all end
      with the same conclusion.
    - Other chains and nets assume the opposite of each conclusion, and end in a contradiction.

    Other techniques have no branches.
    """
    if not _has_branches(step):
        return ()
    branches = _along_chain(step)
    if branches:
        return branches
    conclusions = conclusions_of(step)
    cases = () if _is_contradiction(step) else _cases(step, conclusions)
    if cases and not any(word in step.technique.name for word in ("dynamic", "nested")):
        return cases
    refutations = tuple(
        branch for node in conclusions if (branch := _refutation(step, node)) is not None
    )
    return cases if cases and _length(cases) <= _length(refutations) else refutations


def _is_contradiction(step: Step) -> bool:
    """Whether the technique looks for contradictions only."""
    name = step.technique.name.lower()
    return name in ("nishio forcing chain", "forcing net")


def _has_branches(step: Step) -> bool:
    name = step.technique.name.lower()
    return ("chain" in name or name == "forcing net") and "als" not in name


def _length(branches: tuple[Branch, ...]) -> int:
    return sum(len(branch.inferences) for branch in branches)


def _refutation(step: Step, conclusion: Node) -> Branch | None:
    """The branch from the opposite of a conclusion to a contradiction."""
    opposite = conclusion._replace(holds=not conclusion.holds)
    network = Network(step.before, step.cited, candidates_of(conclusion))
    branch = derive(network, opposite, nesting=MAX_NESTING)
    return branch and shortened(network, branch)


def _cases(step: Step, conclusions: list[Node]) -> tuple[Branch, ...]:
    """The branches from the candidates of the first cited constraint to the conclusions."""
    if not step.cited:
        return ()
    candidates = step.cited[0].candidates(step.before)
    assumptions = [node_of(candidate, holds=True) for candidate in candidates]
    more = [candidate for node in conclusions for candidate in candidates_of(node)]
    return split(Network(step.before, step.cited, more), assumptions, conclusions)


def _along_chain(step: Step) -> tuple[Branch, ...]:
    """The branch along the nodes of a chain; empty if they do not alternate.

    If the end of the chain excludes its start, the branch ends in a contradiction.
    """
    chain = step.chain
    if len(chain) < 2 or any(one.holds == other.holds for one, other in pairwise(chain)):
        return ()
    inferences = [Inference(chain[0])]
    for index, node in enumerate(chain[1:]):
        because = None
        if node.holds:
            pair = {*candidates_of(chain[index]), *candidates_of(node)}
            because = next((c for c in step.cited if {*c.candidates(step.before)} <= pair), None)
        is_weak = not node.holds and are_exclusive(step.before, chain[index], node)
        if because is None and not is_weak:
            return ()
        inferences.append(Inference(node, (index,), because))
    first, last = chain[0], chain[-1]
    opposite = first._replace(holds=not first.holds)
    if first.holds and last.holds and are_exclusive(step.before, first, last):
        inferences.append(Inference(opposite, (len(chain) - 1,)))
    ends = CONTRADICTION if inferences[-1].node == opposite else CONCLUSION
    return (Branch(first, tuple(inferences), ends),)
