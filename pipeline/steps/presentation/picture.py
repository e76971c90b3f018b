"""What to draw of a step: the roles of candidates, links, and shaded cells and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from pipeline.steps.presentation.branching import candidates_of, node_of
from pipeline.steps.step import Candidate, Node, Position, Step


class Role(Enum):
    """The role of a candidate in a step.

    - PATTERN: of the pattern; in a chain, it holds if the first node does not.
    - SECOND: of the second colour of a chain; the places in the cover of a pattern.
    - FIN: a fin of a fish.
    - ELIMINATED, PLACED: a conclusion.
    - PLACE: of a cell or unit that a hint names.
    """

    PATTERN = "pattern"
    SECOND = "second"
    FIN = "fin"
    ELIMINATED = "eliminated"
    PLACED = "placed"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a chain.

    By a strong link, `end` holds if `start` does not. By a weak link, `end` does not hold if
    `start` does.
    """

    start: Node
    end: Node
    is_strong: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """What to draw of a step.

    - `before`: the position in which the step is taken.
    - `roles`: the role of each candidate that has one.
    - `links`: the links of a chain.
    - `cells`, `units`: the cells and the units of `before` to shade.
    """

    before: Position
    roles: Mapping[Candidate, Role]
    links: tuple[Link, ...]
    cells: frozenset[int]
    units: tuple[int, ...]


def picture_of(step: Step) -> Picture:
    """What to draw of a step."""
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
    roles |= dict.fromkeys(step.struck, Role.ELIMINATED)
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
                    start, is_strong = (
                        branch.inferences[premise].node,
                        inference.because is not None,
                    )
                    yield Link(start, inference.node, is_strong)
        return
    alternates = all(first.holds != second.holds for first, second in pairwise(step.chain))
    if step.chain and alternates and "colours" not in step.technique.name:
        for first, second in pairwise(step.chain):
            yield Link(first, second, second.holds)
    elif step.chain or step.technique.name in _PATTERNS_WITH_LINKS:
        colours = {each: node.holds for node in step.chain for each in candidates_of(node)}
        for cited in step.cited:
            pair = sorted(cited.candidates(step.before), key=lambda each: colours.get(each, True))
            if cited.value and len(pair) == 2:
                start, end = (node_of(each, holds=colours.get(each, True)) for each in pair)
                yield Link(start, end, True)
