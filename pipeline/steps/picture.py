"""What to draw of a step: the roles of candidates, links, and shaded cells and units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from pipeline.steps.branching import candidates_of
from pipeline.steps.step import Candidate, Node, Position, Step


class Role(Enum):
    """The role of a candidate in a step.

    - PATTERN: of the pattern; in a chain, it holds if the first node does not.
    - SECOND: of the second colour of a chain; the places in the cover of a pattern.
    - FIN: a fin of a fish.
    - ELIMINATED, PLACED: a conclusion.
    """

    PATTERN = "pattern"
    SECOND = "second"
    FIN = "fin"
    ELIMINATED = "eliminated"
    PLACED = "placed"


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
        for candidate in cited.candidates(step.before):
            roles[candidate] = Role.PATTERN
    for value in step.values:
        roles |= {
            (cell, value): Role.PATTERN for cell in step.cells if step.before.has(cell, value)
        }
    links = tuple(dict.fromkeys(_links(step)))
    if links or step.chain:
        roles = dict.fromkeys(roles, Role.SECOND)
        nodes = [node for link in links for node in (link.start, link.end)]
        for node in (*step.chain, *nodes):
            for candidate in candidates_of(node):
                roles[candidate] = Role.PATTERN if node.holds else Role.SECOND
    roles |= {(cell, value): Role.FIN for cell in step.fins for value in step.values}
    roles |= dict.fromkeys(step.struck, Role.ELIMINATED)
    roles |= dict.fromkeys(step.placed, Role.PLACED)
    return Picture(step.before, roles, links, frozenset(step.cells), (*step.units, *step.cover))


def _links(step: Step) -> Iterator[Link]:
    """The links of the chain or of the branches of a step."""
    for branch in step.branches:
        for inference in branch.inferences:
            for premise in inference.premises:
                yield Link(
                    branch.inferences[premise].node, inference.node, inference.because is not None
                )
