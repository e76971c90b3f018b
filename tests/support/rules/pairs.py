"""Small examples of the rules about single cells and pairs of cells."""

from __future__ import annotations

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.pairs import (
    XV,
    Among,
    AntiKing,
    AntiKnight,
    BlackDot,
    Extreme,
    Greater,
    Indexer,
    NegativeKropki,
    NegativeXV,
    Nonconsecutive,
    Parity,
    WhiteDot,
)

TWO, THREE, FOUR, SIX = Geometry(1, 2), Geometry(1, 3), Geometry(2, 2), Geometry(2, 3)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))

EXAMPLES: dict[type[Rule], list[tuple[Geometry, Rule]]] = {
    AntiKnight: [(THREE, AntiKnight()), (FOUR, AntiKnight()), (TWO_GRIDS, AntiKnight())],
    AntiKing: [
        (TWO, AntiKing()),
        (THREE, AntiKing()),
        (FOUR, AntiKing()),
        (TWO_GRIDS, AntiKing()),
    ],
    Nonconsecutive: [
        (TWO, Nonconsecutive()),
        (TWO, Nonconsecutive(((0, 1), (1, 3)))),
        (THREE, Nonconsecutive()),
        (THREE, Nonconsecutive(((0, 1), (4, 7)))),
        (FOUR, Nonconsecutive(((0, 1),))),
        (TWO_GRIDS, Nonconsecutive()),
    ],
    WhiteDot: [
        (FOUR, WhiteDot(0, 1)),
        (FOUR, WhiteDot(5, 1, 2)),
        (SIX, WhiteDot(0, 6, 0)),
        (SIX, WhiteDot(0, 6, 6)),  # cannot be filled
    ],
    BlackDot: [
        (FOUR, BlackDot(0, 1)),
        (SIX, BlackDot(7, 1, 3)),
        (SIX, BlackDot(0, 6, 1)),
        (SIX, BlackDot(0, 6, 7)),  # cannot be filled
    ],
    NegativeKropki: [
        (TWO, NegativeKropki((1,), (), ((0, 1),))),
        (THREE, NegativeKropki((), (2,), ())),
        (THREE, NegativeKropki((2,), (1, 3), ((1, 4),))),
        (THREE, NegativeKropki((), (), ())),
        (FOUR, NegativeKropki((1, 3), (2,), ((0, 1), (5, 9)))),
    ],
    XV: [
        (FOUR, XV(0, 4, 5)),
        (SIX, XV(1, 0, 10)),
        (SIX, XV(0, 1, 7)),
        (FOUR, XV(0, 1, 10)),  # cannot be filled
    ],
    NegativeXV: [
        (TWO, NegativeXV((3,), ((0, 2),))),
        (THREE, NegativeXV((5, 10), ())),
        (THREE, NegativeXV((2, 4), ((3, 4), (3, 6)))),
        (FOUR, NegativeXV((5,), ((0, 1),))),
    ],
    Greater: [(FOUR, Greater(0, 1)), (FOUR, Greater(5, 1)), (SIX, Greater(0, 6))],
    Among: [
        (FOUR, Among(5, (1, 3))),
        (SIX, Among(0, (6,))),
        (TWO, Among(3, (7,))),  # cannot be filled
    ],
    Parity: [
        (FOUR, Parity(0, odd=True)),
        (FOUR, Parity(15, odd=False)),
        (Geometry(1, 5), Parity(7, odd=False)),
    ],
    Extreme: [
        (FOUR, Extreme(5, (1, 4, 6, 9), maximum=True)),
        (FOUR, Extreme(0, (1, 4), maximum=False)),
        (SIX, Extreme(7, (1, 8), maximum=True)),
        (FOUR, Extreme(0, (), maximum=False)),  # all of its neighbours are marked too
    ],
    Indexer: [
        (FOUR, Indexer(5, row=False)),
        (FOUR, Indexer(5, row=True)),
        (FOUR, Indexer(12, row=True)),
        (Geometry(1, 5), Indexer(9, row=False)),
    ],
}
