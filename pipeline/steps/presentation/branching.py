"""The branches of a chain or net: what follows from an assumption by the constraints of a step.

A branch is derived by unit propagation over the constraints that a step cites, independent of the
code that found the step. So it shows every step, and each inference follows by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.steps.step import (
    CONCLUSION,
    CONTRADICTION,
    Branch,
    Candidate,
    Cited,
    Inference,
    Node,
    Position,
)

MAX_SHORTENED = 400
"""Longer branches are not shortened."""

MAX_NESTING = 3
"""Maximum number of nested branches."""

MAX_TRIALS = 4000
"""Maximum number of branches that are tried to refute one assumption."""


def node_of(candidate: Candidate, *, holds: bool) -> Node:
    """The node of a single candidate."""
    cell, value = candidate
    return Node(value, (cell,), holds)


def candidates_of(node: Node) -> tuple[Candidate, ...]:
    """The candidates of a node."""
    return tuple((cell, node.value) for cell in node.cells)


def excludes(position: Position, first: Candidate, second: Candidate) -> bool:
    """Whether two different candidates cannot both hold: they share a cell or a unit."""
    if first[0] == second[0]:
        return first[1] != second[1]
    return first[1] == second[1] and position.sees(first[0], second[0])


def are_exclusive(position: Position, first: Node, second: Node) -> bool:
    """Whether each candidate of a node excludes each of another node."""
    return all(
        excludes(position, one, other)
        for one in candidates_of(first)
        for other in candidates_of(second)
    )


class Network:
    """The constraints of a step, and which of their candidates exclude each other.

    - `more`: further candidates, such as conclusions that no constraint contains.

    `clauses` has each constraint with its candidates, of which at least one holds.
    """

    def __init__(
        self, position: Position, cited: Iterable[Cited], more: Iterable[Candidate] = ()
    ) -> None:
        self.position, self.more = position, tuple(more)
        self.clauses = [
            (each, candidates) for each in cited if (candidates := each.candidates(position))
        ]
        in_clauses = {each for _, candidates in self.clauses for each in candidates}
        self.candidates = sorted(in_clauses.union(self.more))
        self.trials = MAX_TRIALS
        """How many branches may still be tried."""
        self._excluded: dict[Candidate, frozenset[Candidate]] = {}
        self._clauses_with: dict[Candidate, list[tuple[Cited, tuple[Candidate, ...]]]] = {}
        for clause in self.clauses:
            for candidate in clause[1]:
                self._clauses_with.setdefault(candidate, []).append(clause)

    def excluded_by(self, candidates: Sequence[Candidate]) -> frozenset[Candidate]:
        """The candidates that do not hold if one of some candidates holds, whichever it is."""
        for candidate in candidates:
            if candidate not in self._excluded:
                others = self.candidates
                self._excluded[candidate] = frozenset(
                    other for other in others if excludes(self.position, candidate, other)
                )
        return frozenset.intersection(*(self._excluded[candidate] for candidate in candidates))

    def clauses_with(
        self, candidates: Iterable[Candidate]
    ) -> list[tuple[Cited, tuple[Candidate, ...]]]:
        """The constraints that contain some of the candidates."""
        return [clause for each in candidates for clause in self._clauses_with.get(each, ())]

    def with_fewer(self, cited: Iterable[Cited]) -> Network:
        """A network of other constraints, with the same further candidates."""
        return Network(self.position, cited, self.more)


class Propagation:
    """Unit propagation from an assumption in a network.

    - `known`: nodes of an outer branch, repeated after the assumption.

    `inferences` grows in the order of a breadth-first search: what needs groups of candidates comes
    last, so that branches are short and use groups only where they are needed.
    """

    def __init__(self, network: Network, assumption: Node, known: Iterable[Node] = ()) -> None:
        self.network = network
        self.inferences: list[Inference] = []
        self.index: dict[tuple[Candidate, bool], int] = {}
        """The inference of each candidate that is known to hold, or not to hold."""
        self.contradiction: int | None = None
        """The index of the inference that contradicts an earlier one."""
        self._groups: set[tuple[Candidate, ...]] = set()
        self._done = 0
        for node in (assumption, *known):
            self._add(Inference(node))

    def _add(self, inference: Inference) -> None:
        """Append an inference, unless its node is known; note a contradiction."""
        node, number = inference.node, len(self.inferences)
        candidates = candidates_of(node)
        if len(candidates) > 1 and node.holds:
            if candidates in self._groups or self.contradiction is not None:
                return
            self._groups.add(candidates)
            self.inferences.append(inference)
            return
        if self.contradiction is not None or all(
            (each, node.holds) in self.index for each in candidates
        ):
            return
        self.inferences.append(inference)
        for each in candidates:
            self.index.setdefault((each, node.holds), number)
            if (each, not node.holds) in self.index:
                self.contradiction = number

    def run(self, goals: Iterable[Node] = ()) -> tuple[int, ...] | None:
        """Propagate until a contradiction, or until all of `goals` follow.

        Returns the indices of the inferences in which the branch ends: the one that contradicts an
        earlier one, or those of the goals. Returns None if neither follows.
        """
        wanted = [(candidate, goal.holds) for goal in goals for candidate in candidates_of(goal)]
        while True:
            if wanted and all(goal in self.index for goal in wanted):
                return tuple(self.index[goal] for goal in wanted)
            if self.contradiction is not None:
                return (self.contradiction,)
            if self._done < len(self.inferences):
                self._follow(self._done)
                self._done += 1
            elif not (self._unit_clauses() or self._exclude_by_groups()):
                return None

    def _follow(self, number: int) -> None:
        """Add what an inference implies."""
        node = self.inferences[number].node
        candidates = candidates_of(node)
        if node.holds:
            for other in sorted(self.network.excluded_by(candidates)):
                self._add(Inference(node_of(other, holds=False), (number,)))
            return
        for clause in self.network.clauses_with(candidates):
            self._propagate(clause)

    def _propagate(self, clause: tuple[Cited, tuple[Candidate, ...]]) -> bool:
        """Add the only candidate of a clause that may hold. Returns whether an inference is new."""
        cited, candidates = clause
        left = [each for each in candidates if (each, False) not in self.index]
        if len(left) > 1:
            return False
        # if none is left, the last one eliminated holds by the others: a contradiction
        last = left[0] if left else max(candidates, key=lambda each: self.index[each, False])
        premises = sorted({self.index[each, False] for each in candidates if each != last})
        count = len(self.inferences)
        self._add(Inference(node_of(last, holds=True), tuple(premises), cited))
        return len(self.inferences) > count

    def _unit_clauses(self) -> bool:
        """Propagate all clauses. Returns whether an inference is new."""
        return any(self._propagate(clause) for clause in self.network.clauses)

    def _exclude_by_groups(self) -> bool:
        """Add a group that excludes a candidate: the candidates left of a clause, of one value."""
        for cited, candidates in self.network.clauses:
            left = tuple(each for each in candidates if (each, False) not in self.index)
            if len({value for _, value in left}) != 1 or left in self._groups:
                continue
            if any((each, True) in self.index for each in left):
                continue
            excluded = self.network.excluded_by(left)
            if any((other, False) not in self.index for other in excluded):
                premises = sorted(
                    {self.index[each, False] for each in candidates if each not in left}
                )
                group = Node(left[0][1], tuple(cell for cell, _ in left), True)
                self._add(Inference(group, tuple(premises), cited))
                return True
        return False

    def refute_by_nesting(self, nesting: int) -> bool:
        """Add a candidate that a nested branch refutes. Returns whether there is one."""
        known = [inference.node for inference in self.inferences]
        numbers = {node: number for number, node in reversed([*enumerate(known)])}
        for candidate in self.network.candidates:
            if (candidate, False) in self.index or (candidate, True) in self.index:
                continue
            assumption = node_of(candidate, holds=True)
            branch = derive(self.network, assumption, known=known, nesting=nesting - 1)
            if branch:
                premises = sorted(
                    numbers[each.node]
                    for each in branch.inferences[1:]
                    if not each.premises and each.because is None and not each.branches
                )
                node = node_of(candidate, holds=False)
                self._add(Inference(node, tuple(premises), None, (branch,)))
                return True
        return False


def derive(
    network: Network,
    assumption: Node,
    *,
    goals: Sequence[Node] = (),
    known: Sequence[Node] = (),
    nesting: int = 0,
) -> Branch | None:
    """The branch of an assumption, up to a contradiction or all `goals`; None if none was found.

    - `known`: nodes that hold besides the assumption.
    - `nesting`: how many branches may be nested in each other where propagation does not suffice.
    """
    for depth in range(nesting + 1):  # nested as little as possible
        if network.trials <= 0:
            return None
        network.trials -= 1
        propagation = Propagation(network, assumption, known)
        ends = propagation.run(goals)
        while ends is None and depth and propagation.refute_by_nesting(depth):
            ends = propagation.run(goals)
        if ends is not None:
            return _pruned(propagation, ends)
    return None


def shortened(network: Network, branch: Branch, goals: Sequence[Node] = ()) -> Branch:
    """A branch from the same assumption that uses fewer constraints, or the same branch.

    Constraints are left out one after another, as long as the branch still ends, and is not longer.
    """
    nesting = _nesting(branch)
    if nesting > 1 or _length(branch) > MAX_SHORTENED:
        return branch
    for cited in _constraints_of(branch):
        fewer = [each for each in _constraints_of(branch) if each != cited]
        other = derive(network.with_fewer(fewer), branch.assumption, goals=goals, nesting=nesting)
        if other and _length(other) <= _length(branch):
            branch = other
    return branch


def _nesting(branch: Branch) -> int:
    """How deep branches are nested in a branch."""
    nested = [each for inference in branch.inferences for each in inference.branches]
    return 1 + max(map(_nesting, nested)) if nested else 0


def _length(branch: Branch) -> int:
    """The number of inferences, with those of nested branches."""
    return sum(1 + sum(map(_length, inference.branches)) for inference in branch.inferences)


def _constraints_of(branch: Branch) -> list[Cited]:
    """The constraints of a branch and its nested branches, each once."""
    found: dict[Cited, None] = {}
    for inference in branch.inferences:
        if inference.because:
            found[inference.because] = None
        for nested in inference.branches:
            found |= dict.fromkeys(_constraints_of(nested))
    return [*found]


def _pruned(propagation: Propagation, ends: Sequence[int]) -> Branch:
    """The branch that ends with some inferences: these, and the inferences that they need."""
    inferences = propagation.inferences
    needed, waiting = {0}, [*ends]
    is_contradiction = (propagation.contradiction,) == ends
    if is_contradiction:
        node = inferences[ends[0]].node
        waiting += [
            propagation.index[each, not node.holds]
            for each in candidates_of(node)
            if (each, not node.holds) in propagation.index
        ]
    while waiting:
        number = waiting.pop()
        if number not in needed:
            needed.add(number)
            waiting += inferences[number].premises
    order = sorted(needed)
    numbers = {number: index for index, number in enumerate(order)}
    kept = [
        Inference(
            inferences[number].node,
            tuple(numbers[premise] for premise in inferences[number].premises),
            inferences[number].because,
            inferences[number].branches,
        )
        for number in order
    ]
    return Branch(
        inferences[0].node, tuple(kept), CONTRADICTION if is_contradiction else CONCLUSION
    )


def split(
    network: Network, assumptions: Sequence[Node], goals: Sequence[Node]
) -> tuple[Branch, ...]:
    """A branch from each assumption to all goals; empty if one of them does not reach these.

    The assumptions are the candidates of a constraint, or a candidate that holds and that does not.
    """
    branches = []
    for assumption in assumptions:
        branch = derive(network, assumption, goals=goals)
        if branch is None or branch.ends != CONCLUSION:
            return ()
        branches.append(shortened(network, branch, goals))
    return tuple(branches)
