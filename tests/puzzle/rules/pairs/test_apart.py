"""Anti-knight and anti-king."""

from __future__ import annotations

import pytest
from support.rules.stating import forbidden, unlike

from pipeline.puzzle.puzzle import Geometry
from pipeline.puzzle.rules.pairs import AntiKing, AntiKnight

NINE = Geometry(3, 3)
SAMURAI = Geometry(3, 3, grids=((0, 0), (0, 12), (6, 6), (12, 0), (12, 12)))


@pytest.mark.parametrize("geometry", [NINE, Geometry(2, 3), Geometry(1, 2), SAMURAI])
@pytest.mark.parametrize(
    ("rule", "near"),
    [
        (AntiKnight(), lambda rows, columns: {rows, columns} == {1, 2}),
        (AntiKing(), lambda rows, columns: max(rows, columns) == 1),
    ],
    ids=["knight", "king"],
)
def test_every_two_cells_that_the_move_joins_are_forbidden_every_value_once(geometry, rule, near):
    assert forbidden(geometry, rule) == unlike(geometry, near, lambda u, v: u != v)


@pytest.mark.parametrize(("rule", "pairs"), [(AntiKnight(), 224), (AntiKing(), 272)])
def test_in_nine_rows_there_are_as_many_pairs_as_a_chess_player_counts(rule, pairs):
    """4·(n-1)·(n-2) moves of a knight, 2·n·(n-1) + 2·(n-1)² of a king."""
    assert forbidden(NINE, rule).total() == pairs * 9


def breaking(rule):
    """The places that must not repeat the value in the middle of nine rows."""
    middle = NINE.cell_at(5, 5)
    for there in range(81):
        values = list(range(81))  # none repeats
        values[there] = values[middle]
        if not rule.holds(NINE, values):
            row, column = NINE.place(there)
            yield row - 5, column - 5


def test_a_knight_in_the_middle_sees_eight_cells():
    seen = {(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)}
    assert {*breaking(AntiKnight())} == seen


def test_a_king_in_the_middle_sees_the_eight_cells_around_it():
    around = {(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)}
    assert {*breaking(AntiKing())} == around


@pytest.mark.parametrize("rule", [AntiKnight(), AntiKing()])
def test_nobody_draws_it_and_its_name_tells_it(rule):
    assert list(rule.draw(NINE)) == []
    assert rule.describe(NINE) == rule.name
