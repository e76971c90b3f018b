"""The picture of a step: the roles of candidates, links, and the cells and units to mark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from pipeline.steps.presentation.branching import candidates_of, node_of
from pipeline.steps.step import Candidate, Node, Position, Step


class Role(Enum):
    """The role of a candidate in a step.

    - PATTERN: in the pattern; in a chain, a node that holds.
    - SECOND: in a chain, a node that does not hold; the second of two colours.
    - FIN: a fin of a fish.
    - ELIMINATED, PLACED: a conclusion.
    - PLACE: a candidate of a cell or unit that a hint names.
    """

    PATTERN = "pattern"
    SECOND = "second"
    FIN = "fin"
    ELIMINATED = "eliminated"
    PLACED = "placed"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a chain: `end` follows from `start`.

    A strong link means that `end` holds because `start` does not; a weak link, that `end` does not
    hold because `start` does.
    """

    start: Node
    end: Node
    is_strong: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of a step.

    - `before`: the position in which the step is taken.
    - `roles`: the role of each candidate that has one.
    - `links`: the links of a chain.
    - `cells`, `units`: the cells to frame and the units of `before` to shade.
    """

    before: Position
    roles: Mapping[Candidate, Role]
    links: tuple[Link, ...]
    cells: frozenset[int]
    units: tuple[int, ...]


def picture_of(step: Step) -> Picture:
    """Make the picture of a step."""
    roles = dict[Candidate, Role]()
    for cited in step.cited:
        roles |= dict.fromkeys(cited.candidates(step.before), Role.PATTERN)
    for value in step.values:
        has_value = (cell for cell in step.cells if step.before.has(cell, value))
        roles |= {(cell, value): Role.PATTERN for cell in has_value}
    links = tuple(dict.fromkeys(_links(step)))
    nodes = [*step.chain, *(node for link in links for node in (link.start, link.end))]
    if nodes:
        roles = dict.fromkeys(roles, Role.SECOND)
        for node in nodes:
            role = Role.PATTERN if node.holds else Role.SECOND
            roles |= dict.fromkeys(candidates_of(node), role)
    roles |= {(cell, value): Role.FIN for cell in step.fins for value in step.values}
    roles |= dict.fromkeys(step.eliminated, Role.ELIMINATED)
    roles |= dict.fromkeys(step.placed, Role.PLACED)
    return Picture(step.before, roles, links, frozenset(step.cells), (*step.units, *step.cover))


_PATTERNS_WITH_LINKS = "skyscraper", "2-string kite", "turbot fish", "empty rectangle", "W-wing"
"""Techniques whose strong links are the cited units with two places."""


def _links(step: Step) -> Iterator[Link]:
    """The links of the branches of a step, or else of its chain or pattern."""
    if step.branches:
        for branch in step.branches:
            for inference in branch.inferences:
                for premise in inference.premises:
                    start = branch.inferences[premise].node
                    yield Link(start, inference.node, inference.because is not None)
        return
    alternates = all(first.holds != second.holds for first, second in pairwise(step.chain))
    if step.chain and alternates and "colours" not in step.technique.name:
        for first, second in pairwise(step.chain):
            yield Link(first, second, second.holds)
    elif step.chain or step.technique.name in _PATTERNS_WITH_LINKS:
        colours = {c: node.holds for node in step.chain for c in candidates_of(node)}
        for cited in step.cited:
            pair = sorted(cited.candidates(step.before), key=lambda c: colours.get(c, True))
            if cited.value and len(pair) == 2:
                start, end = (node_of(c, holds=colours.get(c, True)) for c in pair)
                yield Link(start, end, True)
