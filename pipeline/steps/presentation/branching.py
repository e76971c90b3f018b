"""Derive the branches of a chain or net from the constraints that a step cites.

Branches are derived by unit propagation, independent of the code that found the step. So no
inference is missing, and each follows from the ones before by construction.
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
    Step,
)

MAX_SHORTENED = 400
"""Longer branches are not shortened."""

MAX_NESTING = 3
"""Maximum depth of nested branches."""

MAX_TRIALS = 4000
"""Maximum number of branches to try for one assumption."""


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


def conclusions_of(step: Step) -> list[Node]:
    """The conclusions of a step as nodes, without eliminations that its placements imply."""
    placed = [node_of(candidate, holds=True) for candidate in step.placed]
    return placed + [
        node_of(candidate, holds=False)
        for candidate in step.eliminated
        if not any(excludes(step.before, other, candidate) for other in step.placed)
    ]


class Network:
    """The constraints of a step with their candidates, some of which exclude each other.

    - `more`: further candidates, such as conclusions that no constraint contains.

    `clauses` has pairs of a constraint and its candidates, of which at least one holds.
    """

    def __init__(
        self, position: Position, cited: Iterable[Cited], more: Iterable[Candidate] = ()
    ) -> None:
        self.position, self.more = position, tuple(more)
        self.clauses = [
            (constraint, candidates)
            for constraint in cited
            if (candidates := constraint.candidates(position))
        ]
        self.candidates = sorted({*self.more}.union(*(clause[1] for clause in self.clauses)))
        self.trials = MAX_TRIALS
        """The number of branches that may still be tried."""
        self._excluded: dict[Candidate, frozenset[Candidate]] = {}
        self._clauses_with: dict[Candidate, list[tuple[Cited, tuple[Candidate, ...]]]] = {}
        for clause in self.clauses:
            for candidate in clause[1]:
                self._clauses_with.setdefault(candidate, []).append(clause)

    def excluded_by(self, candidates: Sequence[Candidate]) -> frozenset[Candidate]:
        """The candidates that each of `candidates` excludes."""
        for candidate in candidates:
            if candidate not in self._excluded:
                self._excluded[candidate] = frozenset(
                    other for other in self.candidates if excludes(self.position, candidate, other)
                )
        return frozenset.intersection(*(self._excluded[candidate] for candidate in candidates))

    def clauses_with(
        self, candidates: Iterable[Candidate]
    ) -> list[tuple[Cited, tuple[Candidate, ...]]]:
        """The clauses that contain one of `candidates`, repeated if they contain several."""
        return [clause for c in candidates for clause in self._clauses_with.get(c, ())]

    def with_fewer(self, cited: Iterable[Cited]) -> Network:
        """A network of only these constraints, with the same further candidates."""
        return Network(self.position, cited, self.more)


class Propagation:
    """Unit propagation from an assumption in a network.

    - `known`: nodes of an outer branch, repeated after the assumption.

    `inferences` grows breadth first. Groups of candidates come last, so that branches are short and
    use groups only where they are needed.
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
        """Append an inference, unless its node is known; record a contradiction."""
        node, number = inference.node, len(self.inferences)
        candidates = candidates_of(node)
        if len(candidates) > 1 and node.holds:
            if candidates in self._groups or self.contradiction is not None:
                return
            self._groups.add(candidates)
            self.inferences.append(inference)
            return
        if self.contradiction is not None or all(
            (candidate, node.holds) in self.index for candidate in candidates
        ):
            return
        self.inferences.append(inference)
        for candidate in candidates:
            self.index.setdefault((candidate, node.holds), number)
            if (candidate, not node.holds) in self.index:
                self.contradiction = number

    def run(self, goals: Iterable[Node] = ()) -> tuple[int, ...] | None:
        """Propagate until a contradiction, or until all of `goals` follow.

        Returns the index of the contradiction, or the indices of the goals. Returns None if there
        is no contradiction and a goal does not follow.
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
        """Add the direct consequences of an inference."""
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
        left = [c for c in candidates if (c, False) not in self.index]
        if len(left) > 1:
            return False
        # if none is left, the last one eliminated follows from the others: a contradiction
        last = left[0] if left else max(candidates, key=lambda c: self.index[c, False])
        premises = sorted({self.index[c, False] for c in candidates if c != last})
        count = len(self.inferences)
        self._add(Inference(node_of(last, holds=True), tuple(premises), cited))
        return len(self.inferences) > count

    def _unit_clauses(self) -> bool:
        """Propagate all clauses. Returns whether an inference is new."""
        return any(self._propagate(clause) for clause in self.network.clauses)

    def _exclude_by_groups(self) -> bool:
        """Add a group that excludes a candidate. Returns whether there is one.

        A group consists of the candidates that are left of a clause, if these have the same value.
        """
        for cited, candidates in self.network.clauses:
            left = tuple(c for c in candidates if (c, False) not in self.index)
            if len({value for _, value in left}) != 1 or left in self._groups:
                continue
            if any((candidate, True) in self.index for candidate in left):
                continue
            excluded = self.network.excluded_by(left)
            if any((other, False) not in self.index for other in excluded):
                premises = sorted({self.index[c, False] for c in candidates if c not in left})
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
                    numbers[inference.node]
                    for inference in branch.inferences[1:]
                    if not (inference.premises or inference.because or inference.branches)
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
    """Derive the branch from an assumption to a contradiction or to all `goals`, or return None.

    - `known`: nodes that hold besides the assumption.
    - `nesting`: the maximum depth of nested branches, which are used if propagation does not
      suffice.
    """
    for depth in range(nesting + 1):
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
    """Leave out each constraint without which the branch can be derived and is not longer."""
    nesting = _nesting(branch)
    if nesting > 1 or _length(branch) > MAX_SHORTENED:
        return branch
    for cited in _constraints_of(branch):
        fewer = [constraint for constraint in _constraints_of(branch) if constraint != cited]
        other = derive(network.with_fewer(fewer), branch.assumption, goals=goals, nesting=nesting)
        if other and _length(other) <= _length(branch):
            branch = other
    return branch


def _nesting(branch: Branch) -> int:
    """The depth of nested branches in a branch."""
    nested = [inner for inference in branch.inferences for inner in inference.branches]
    return 1 + max(map(_nesting, nested)) if nested else 0


def _length(branch: Branch) -> int:
    """The number of inferences, nested ones included."""
    return sum(1 + sum(map(_length, inference.branches)) for inference in branch.inferences)


def _constraints_of(branch: Branch) -> list[Cited]:
    """The constraints of a branch and its nested branches, each once."""
    constraints: dict[Cited, None] = {}
    for inference in branch.inferences:
        if inference.because:
            constraints[inference.because] = None
        for nested in inference.branches:
            constraints |= dict.fromkeys(_constraints_of(nested))
    return [*constraints]


def _pruned(propagation: Propagation, ends: Sequence[int]) -> Branch:
    """The branch to the inferences `ends`, without inferences that these do not need."""
    inferences = propagation.inferences
    needed, waiting = {0}, [*ends]
    is_contradiction = (propagation.contradiction,) == ends
    if is_contradiction:
        node = inferences[ends[0]].node
        waiting += [
            propagation.index[candidate, not node.holds]
            for candidate in candidates_of(node)
            if (candidate, not node.holds) in propagation.index
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
    """Derive a branch from each assumption to all goals; returns none if one does not reach them.

    The assumptions are the candidates of a constraint.
    """
    branches = []
    for assumption in assumptions:
        branch = derive(network, assumption, goals=goals)
        if branch is None or branch.ends != CONCLUSION:
            return ()
        branches.append(shortened(network, branch, goals))
    return tuple(branches)
