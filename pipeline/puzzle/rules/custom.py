"""Rules that puzzles define themselves: relations, state machines, and alternatives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise
from typing import Any, Self

from pipeline.puzzle.arguments import Field
from pipeline.puzzle.constraints import (
    AllOf,
    AnyOf,
    Automaton,
    Cells,
    Constraint,
    NondeterministicAutomaton,
    Pairs,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import LineRule, places
from pipeline.puzzle.shapes import Line, Shape

MAX_STATES = (1 << 16) - 1
"""Maximum number of states of a state machine."""

NO_STATE = MAX_STATES
"""The number that marks a rejected value in `StateMachine.moves`."""

MAX_LABEL = 40
"""Maximum number of characters of a label."""

_MAX_DESCRIPTION = 80
"""Maximum number of characters of a description that lists all choices."""


class Relation(LineRule):
    """Neighbours on the line are in a relation that the puzzle defines.

    With `every`, each cell is in this relation to all later cells. `related` has a bit mask for
    each value u, where bit v is set if v may follow u. `label` is the name shown to users.
    """

    name = style = "relation"
    min_cells = 1

    related: tuple[int, ...]
    every: bool = False
    label: str = ""

    def check(self) -> None:
        LineRule.check(self)
        _check_label(self.name, self.label)

    def constraints(self, geometry: Geometry) -> Constraint:
        pairs = combinations(self.line, 2) if self.every else pairwise(self.line)
        return Pairs(tuple(pairs), _may_follow, (self.related,))

    def title(self) -> str:
        return self.label or (f"{self.name} of all" if self.every else self.name)

    def caption(self) -> str:
        return f"{self.title()}, all pairs" if self.every and self.label else self.title()

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        style = "relation-of-all" if self.every else self.style
        return (Line(places(geometry, self.line), style),)


class StateMachine(LineRule):
    """A state machine that reads the values along the line ends in an accepted state.

    `moves` has a byte string for each state, with two bytes for each value from 0 on, the lower
    byte first: the next state, or 65535 if the value is rejected. The first state is 0. `label` is
    the name shown to users.
    """

    name, style, min_cells = "state machine", "state-machine", 1

    moves: tuple[bytes, ...]
    accepted: frozenset[int]
    label: str = ""

    def check(self) -> None:
        LineRule.check(self)
        _check_label(self.name, self.label)
        states = len(self.moves)
        if not 0 < states <= MAX_STATES:
            raise ValueError(f"{self.name}: must have 1 to {MAX_STATES} states, not {states}")
        targets = {pair for row in self.moves for pair in zip(row[::2], row[1::2], strict=True)}
        if any(states <= low + 256 * high < NO_STATE for low, high in targets):
            raise ValueError(f"{self.name}: a move leads to an unknown state")

    def constraints(self, geometry: Geometry) -> Constraint:
        return Automaton(self.line, 0, _next_state, self.accepted, (self.moves,))

    def title(self) -> str:
        return self.label or self.name


class NondeterministicMachine(LineRule):
    """A state machine with several possible next states can read the values along the line.

    The machine can begin in any of the states `starts`, and must end in an accepted state. `moves`
    has the next states for each state and each value from 0 on; further values are rejected.
    `label` is the name shown to users.
    """

    name, style, min_cells = "nondeterministic state machine", "state-machine", 1

    moves: tuple[tuple[tuple[int, ...], ...], ...]
    starts: tuple[int, ...]
    accepted: frozenset[int]
    label: str = ""

    def check(self) -> None:
        LineRule.check(self)
        _check_label(self.name, self.label)
        states = len(self.moves)
        if not 0 < states <= MAX_STATES:
            raise ValueError(f"{self.name}: must have 1 to {MAX_STATES} states, not {states}")
        after = (state for row in self.moves for states in row for state in states)
        if not all(0 <= state < states for state in chain(self.starts, after)):
            raise ValueError(f"{self.name}: a move leads to an unknown state")

    def constraints(self, geometry: Geometry) -> Constraint:
        moves, highest = self.moves, geometry.values[-1]
        if any(len(row) <= highest for row in moves):
            rows = self.moves_by(range(highest + 1))
            moves = tuple(tuple(map(tuple, row)) for row in rows)
        return NondeterministicAutomaton(self.line, moves, self.starts, self.accepted)

    def moves_by(self, values: range) -> list[list[Sequence[int]]]:
        """The next states for each state and each of these values."""
        return [[row[value] if value < len(row) else () for value in values] for row in self.moves]

    def title(self) -> str:
        return self.label or self.name


_Choices = Field[tuple[tuple[Rule, ...], ...], Iterable[Rule | Iterable[Rule]]]


class OneOf(Rule):
    """At least one of the `choices` holds. A choice is one rule, or several rules that all hold."""

    name, preposition, is_faint = "one of several", "at", True

    choices: _Choices

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", _rules_of(self.name, self.choices))
        if any(rule.has_positions for rule in self._rules()):
            object.__setattr__(self, "has_positions", True)
        if not self.choices:
            raise ValueError(f"{self.name}: must have at least one choice")

    def resolved(self, geometry: Geometry) -> Self:
        choices = (tuple(rule.resolved(geometry) for rule in rules) for rules in self.choices)
        return replace(self, choices=choices) if self.has_positions else self

    def constraints(self, geometry: Geometry) -> Constraint:
        return AnyOf(tuple(_all_of(rules, geometry) for rules in self.choices))

    def scope(self, geometry: Geometry) -> Cells:
        return tuple(
            dict.fromkeys(chain.from_iterable(rule.scope(geometry) for rule in self._rules()))
        )

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return list(chain.from_iterable(rule.draw(geometry) for rule in self._rules()))

    def describe(self, geometry: Geometry) -> str:
        choices = (" and ".join(r.describe(geometry) for r in rules) for rules in self.choices)
        text = " or ".join(choices)
        if 0 < len(text) <= _MAX_DESCRIPTION and all(self.choices):
            return text
        cells = self.scope(geometry)
        location = f" {self.preposition} {geometry.name_of(cells[0])}" if cells else ""
        return f"one of {len(self.choices)} rules{location}"

    def caption(self) -> str:
        captions = ", ".join(dict.fromkeys(rule.caption() for rule in self._rules()))
        return f"{self.name} ({captions})" if len(captions) <= _MAX_DESCRIPTION else self.name

    def _rules(self) -> list[Rule]:
        return [*chain.from_iterable(self.choices)]


def _rules_of(name: str, choices: Any) -> tuple[tuple[Rule, ...], ...]:
    """The rules of each choice. Raises ValueError for anything but rules and lists of rules."""
    try:
        rules = tuple(
            (choice,) if isinstance(choice, Rule) else tuple(choice) for choice in choices
        )
    except TypeError:  # not a list
        rules = ((choices,),)
    for rule in chain.from_iterable(rules):
        if not isinstance(rule, Rule):
            raise ValueError(f"{name}: choices: expected rules, found {rule!r}")  # noqa: TRY004
    return rules


def _all_of(rules: tuple[Rule, ...], geometry: Geometry) -> Constraint:
    """The constraint that all rules hold."""
    constraints = tuple(rule.constraints(geometry) for rule in rules)
    return constraints[0] if len(constraints) == 1 else AllOf(constraints)


def _may_follow(u: int, v: int, related: tuple[int, ...]) -> bool:
    return u < len(related) and bool(related[u] >> v & 1)


def _next_state(state: int, value: int, moves: tuple[bytes, ...]) -> int | None:
    """The next state of a state machine; None if the value is rejected."""
    data = moves[state][2 * value : 2 * value + 2]
    return int.from_bytes(data, "little") if len(data) == 2 and data != b"\xff\xff" else None


def _check_label(name: str, label: str) -> None:
    is_line = label == " ".join(label.split()) and label.isprintable()
    if not is_line or len(label) > MAX_LABEL:
        raise ValueError(f"{name}: the label must be one line of at most {MAX_LABEL} characters")
