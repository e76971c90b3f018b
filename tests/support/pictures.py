"""Pictures of steps in a small grid, with every role and every kind of link."""

from __future__ import annotations

from pipeline.outbox.report.board import Board
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.steps.presentation.picture import Link, Picture, Role
from pipeline.steps.step import Node, Position

FOUR = Geometry(2, 2)
GIVENS = {0: 1, 5: 2}
PUZZLE = Puzzle(FOUR, tuple(1 << GIVENS[cell] - 1 if cell in GIVENS else 15 for cell in range(16)))
FILLED = {15: 1}
"""A cell that an earlier step filled."""

_VALUES = tuple((GIVENS | FILLED).get(cell, 0) for cell in range(16))
BEFORE = Position.classic(
    _VALUES, tuple(0 if value else 0b1110 for value in _VALUES), frozenset(GIVENS), FOUR
)
"""Each open cell has the candidates 2, 3 and 4."""

ROLES = {
    (1, 3): Role.PATTERN,
    (2, 3): Role.PATTERN,
    (8, 4): Role.SECOND,
    (10, 4): Role.FIN,
    (11, 4): Role.ELIMINATED,
    (14, 2): Role.PLACED,
}
LINKS = (
    Link(Node(3, (1, 2), True), Node(4, (8,), False), is_strong=False),
    Link(Node(4, (8,), False), Node(2, (14,), True), is_strong=True),
)
PICTURE = Picture(BEFORE, ROLES, LINKS, frozenset({8, 10}), (0,))
BOARD = Board(PUZZLE, step=PICTURE)


def picture_with(role: Role) -> Picture:
    """A picture in which one candidate has a role."""
    return Picture(BEFORE, {(9, 3): role}, (), frozenset(), ())
