"""The few clauses of a formula that its proof turns on, found by unit propagation.

Most clauses of a puzzle's formula are satisfied as soon as its unit clauses are propagated. The
rest is quicker to refute, and a refutation of it quicker to check.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress

from pipeline.certify.formula import Clause, Formula, Rules
from pipeline.limits import NEVER, Deadline

_OFTEN = 1000


@dataclass(frozen=True, slots=True)
class Core:
    """Some clauses of a formula, and what is left of them once unit clauses are propagated.

    `clauses` are picked from the formula, never made: that they cannot all be satisfied shows
    that the formula cannot, whatever the choice. `remaining` are for a solver: the clauses that
    propagation leaves open, without the literals that it finds false.
    """

    formula: Formula
    clauses: tuple[Clause, ...]
    remaining: tuple[Clause, ...]

    @property
    def is_refuted(self) -> bool:
        """Whether propagation alone refutes the formula: `REFUTED` is its proof."""
        return () in self.remaining


def core_of(formula: Formula, deadline: Deadline = NEVER) -> Core:
    """Pick the clauses that propagation makes use of, and those that it leaves open.

    Nothing is lost. A clause that is left out holds a literal that the picked ones make true, so
    it propagates nothing: what unit propagation shows (RUP) from the formula, it shows from the
    core. Takes time and memory in proportion to the formula. Raises LimitReached when the deadline
    has passed.
    """
    places = _Places(formula, deadline)
    true, reasons, is_refuted = _propagate(formula.clauses, places, deadline)
    used = [formula.clauses[index] for index in reasons]
    if is_refuted:
        return Core(formula, tuple(used), ((),))
    is_open = bytearray(b"\1") * len(formula.clauses)
    for index in chain.from_iterable(map(places.of, true)):
        is_open[index] = 0
    left = [*compress(formula.clauses, is_open)]
    watched = deadline.watch(left)
    remaining = [tuple([x for x in clause if -x not in true]) for clause in watched]
    return Core(formula, (*used, *left), tuple(remaining))


def _propagate(
    clauses: Sequence[Clause], places: _Places, deadline: Deadline
) -> tuple[set[int], list[int], bool]:
    """The literals that become true, the clauses that make them so, and whether one fails.

    Clauses are meant by their index; one of which every literal is false comes last.
    """
    true: set[int] = set()
    reasons: list[int] = []
    not_false = places.sizes()
    waiting = [index for index in places.own if not_false[index] <= 1]
    for index in waiting:
        for literal in clauses[index]:
            if -literal not in true:
                break
        else:
            return true, [*reasons, index], True
        if literal in true:
            continue
        if len(true) % _OFTEN == 0:
            deadline.check()
        true.add(literal)
        reasons.append(index)
        for shorter in places.of(-literal):
            size = not_false[shorter] = not_false[shorter] - 1
            if size == 1:
                waiting.append(shorter)
    return true, reasons, False


class _Places:
    """In which clauses of a formula a literal stands; what its rules hold is known already."""

    def __init__(self, formula: Formula, deadline: Deadline) -> None:
        first = len(formula.rules.clauses)
        self.own = range(first, len(formula.clauses))
        self._sizes, self._shared = _indexed(formula.rules)
        self._own_sizes = [*map(len, formula.own)]
        self._own = _index(deadline.watch(formula.own), first)

    def of(self, literal: int) -> Iterable[int]:
        return chain(self._shared.get(literal, ()), self._own.get(literal, ()))

    def sizes(self) -> list[int]:
        return [*self._sizes, *self._own_sizes]


def _index(clauses: Iterable[Clause], first: int) -> Mapping[int, Sequence[int]]:
    index = defaultdict(list)
    for number, clause in enumerate(clauses, first):
        for literal in clause:
            index[literal].append(number)
    return index


@lru_cache(maxsize=4)
def _indexed(rules: Rules) -> tuple[list[int], Mapping[int, Sequence[int]]]:
    return [*map(len, rules.clauses)], _index(rules.clauses, 0)
