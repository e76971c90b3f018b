"""Rules that puzzles define themselves: relations, state machines, and rules of which one holds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, pairwise

from pipeline.puzzle.formulas import Automaton, Cells, Constraint, Either, Every, Pairs
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import Along, place, places
from pipeline.puzzle.shapes import Line, Shape

MOST_STATES = (1 << 16) - 1
DEAD = MOST_STATES
"""In the place of a state: the values cannot be accepted."""

LONGEST_LABEL = 40
"""Characters of a label."""

_LONGEST = 80
"""Characters of a description that names all choices."""


class Relation(Along):
    """Neighbours on the line, or `every` two of its cells in order, are related as stated.

    `related` has a number for each value u, in which bit v is set if v may follow u. The `label` is
    for people.
    """

    name = look = "relation"
    least = 1

    related: tuple[int, ...]
    every: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        Along.__post_init__(self)
        _check_label(self.name, self.label)

    def formula(self, geometry: Geometry) -> Constraint:
        pairs = combinations(self.line, 2) if self.every else pairwise(self.line)
        return Pairs(tuple(pairs), _may_follow, (self.related,))

    def title(self) -> str:
        return self.label or (f"{self.name} of all" if self.every else self.name)

    def caption(self) -> str:
        return f"{self.title()}, all pairs" if self.every and self.label else self.title()

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        look = "relation-of-all" if self.every else self.look
        return (Line(places(geometry, self.line), look),)


class StateMachine(Along):
    """The values along the line, from its first cell on, lead the machine to an accepted state.

    `moves` has two bytes for each state and each value from 0 on, in little-endian order: the next
    state, or 65535 for no transition. The start state is 0. The `label` is for people.
    """

    name, look, least = "state machine", "state-machine", 1

    moves: tuple[bytes, ...]
    accepted: frozenset[int]
    label: str = ""

    def __post_init__(self) -> None:
        Along.__post_init__(self)
        _check_label(self.name, self.label)
        states = len(self.moves)
        if not 0 < states <= MOST_STATES:
            raise ValueError(f"{self.name}: 1 to {MOST_STATES} states, not {states}")
        ends = {end for each in self.moves for end in zip(each[::2], each[1::2], strict=True)}
        if any(states <= low + 256 * high < DEAD for low, high in ends):
            raise ValueError(f"{self.name}: a move to a state that there is not")

    def formula(self, geometry: Geometry) -> Constraint:
        return Automaton(self.line, 0, _move, self.accepted, (self.moves,))

    def title(self) -> str:
        return self.label or self.name


class OneOf(Rule):
    """At least one of the choices is satisfied; a choice is one or several rules."""

    name, where, is_faint = "one of several", "at", True

    choices: tuple[tuple[Rule, ...], ...]

    def __post_init__(self) -> None:
        if not self.choices:
            raise ValueError(f"{self.name}: no choices")

    def formula(self, geometry: Geometry) -> Constraint:
        return Either(tuple(_all_of(rules, geometry) for rules in self.choices))

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(
            dict.fromkeys(chain.from_iterable(rule.cells(geometry) for rule in self._rules()))
        )

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return list(chain.from_iterable(rule.draw(geometry) for rule in self._rules()))

    def describe(self, geometry: Geometry) -> str:
        choices = (" and ".join(r.describe(geometry) for r in rules) for rules in self.choices)
        whole = " or ".join(choices)
        if 0 < len(whole) <= _LONGEST and all(self.choices):
            return whole
        cells = self.cells(geometry)
        at = f" {self.where} {place(geometry, cells[0])}" if cells else ""
        return f"one of {len(self.choices)} rules{at}"

    def caption(self) -> str:
        captions = ", ".join(dict.fromkeys(rule.caption() for rule in self._rules()))
        return f"{self.name} ({captions})" if len(captions) <= _LONGEST else self.name

    def _rules(self) -> list[Rule]:
        return [*chain.from_iterable(self.choices)]


def _all_of(rules: tuple[Rule, ...], geometry: Geometry) -> Constraint:
    formulas = tuple(rule.formula(geometry) for rule in rules)
    return formulas[0] if len(formulas) == 1 else Every(formulas)


def _may_follow(u: int, v: int, related: tuple[int, ...]) -> bool:
    return u < len(related) and bool(related[u] >> v & 1)


def _move(state: int, value: int, moves: tuple[bytes, ...]) -> int | None:
    after = moves[state][2 * value : 2 * value + 2]
    return int.from_bytes(after, "little") if len(after) == 2 and after != b"\xff\xff" else None


def _check_label(name: str, label: str) -> None:
    is_line = label == " ".join(label.split()) and label.isprintable()
    if not is_line or len(label) > LONGEST_LABEL:
        raise ValueError(f"{name}: a label is one line of at most {LONGEST_LABEL} signs")
