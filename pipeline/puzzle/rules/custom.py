"""Rules that puzzles define themselves: relations, state machines, and alternatives."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, pairwise

from pipeline.puzzle.constraints import AllOf, AnyOf, Automaton, Cells, Constraint, Pairs
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import Along, places
from pipeline.puzzle.shapes import Line, Shape

MAX_STATES = (1 << 16) - 1
NO_STATE = MAX_STATES
"""No transition: the line is rejected."""

MAX_LABEL = 40
"""Maximum number of characters of a label."""

_MAX_DESCRIPTION = 80
"""Maximum number of characters of a description that names all choices."""


class Relation(Along):
    """Neighbours on the line are related as the puzzle defines.

    With `every`, the relation holds between each cell and all later ones. `related` has a bit mask
    for each value u, in which bit v is set if v may follow u. `label` is a name for people.
    """

    name = style = "relation"
    min_cells = 1

    related: tuple[int, ...]
    every: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        Along.__post_init__(self)
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


class StateMachine(Along):
    """A state machine that reads the values along the line ends in an accepted state.

    `moves` has for each state two bytes for each value from 0 on, the lower byte first: the next
    state, or 65535 if the value is rejected. The first state is 0. `label` is a name for people.
    """

    name, style, min_cells = "state machine", "state-machine", 1

    moves: tuple[bytes, ...]
    accepted: frozenset[int]
    label: str = ""

    def __post_init__(self) -> None:
        Along.__post_init__(self)
        _check_label(self.name, self.label)
        states = len(self.moves)
        if not 0 < states <= MAX_STATES:
            raise ValueError(f"{self.name}: must have 1 to {MAX_STATES} states, not {states}")
        ends = {end for row in self.moves for end in zip(row[::2], row[1::2], strict=True)}
        if any(states <= low + 256 * high < NO_STATE for low, high in ends):
            raise ValueError(f"{self.name}: a move leads to an unknown state")

    def constraints(self, geometry: Geometry) -> Constraint:
        return Automaton(self.line, 0, _move, self.accepted, (self.moves,))

    def title(self) -> str:
        return self.label or self.name


class OneOf(Rule):
    """At least one choice holds; a choice is one rule, or several rules that hold together."""

    name, preposition, is_faint = "one of several", "at", True

    choices: tuple[tuple[Rule, ...], ...]

    def __post_init__(self) -> None:
        if not self.choices:
            raise ValueError(f"{self.name}: must have at least one choice")

    def constraints(self, geometry: Geometry) -> Constraint:
        return AnyOf(tuple(_all_of(rules, geometry) for rules in self.choices))

    def cells(self, geometry: Geometry) -> Cells:
        return tuple(
            dict.fromkeys(chain.from_iterable(rule.cells(geometry) for rule in self._rules()))
        )

    def draw(self, geometry: Geometry) -> Iterable[Shape]:
        return list(chain.from_iterable(rule.draw(geometry) for rule in self._rules()))

    def describe(self, geometry: Geometry) -> str:
        choices = (" and ".join(r.describe(geometry) for r in rules) for rules in self.choices)
        whole = " or ".join(choices)
        if 0 < len(whole) <= _MAX_DESCRIPTION and all(self.choices):
            return whole
        cells = self.cells(geometry)
        location = f" {self.preposition} {geometry.name_of(cells[0])}" if cells else ""
        return f"one of {len(self.choices)} rules{location}"

    def caption(self) -> str:
        captions = ", ".join(dict.fromkeys(rule.caption() for rule in self._rules()))
        return f"{self.name} ({captions})" if len(captions) <= _MAX_DESCRIPTION else self.name

    def _rules(self) -> list[Rule]:
        return [*chain.from_iterable(self.choices)]


def _all_of(rules: tuple[Rule, ...], geometry: Geometry) -> Constraint:
    formulas = tuple(rule.constraints(geometry) for rule in rules)
    return formulas[0] if len(formulas) == 1 else AllOf(formulas)


def _may_follow(u: int, v: int, related: tuple[int, ...]) -> bool:
    return u < len(related) and bool(related[u] >> v & 1)


def _move(state: int, value: int, moves: tuple[bytes, ...]) -> int | None:
    after = moves[state][2 * value : 2 * value + 2]
    return int.from_bytes(after, "little") if len(after) == 2 and after != b"\xff\xff" else None


def _check_label(name: str, label: str) -> None:
    is_line = label == " ".join(label.split()) and label.isprintable()
    if not is_line or len(label) > MAX_LABEL:
        raise ValueError(f"{name}: the label must be one line of at most {MAX_LABEL} characters")
