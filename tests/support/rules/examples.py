"""Small examples of all rules, and the clauses of a rule alone."""

from __future__ import annotations

from support.rules.free import FREE

from pipeline.puzzle.clauses import ClauseBuilder, Most
from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules.cages import (
    Arrow,
    Cage,
    Clone,
    Contains,
    CountingCircles,
    CountOfDifferent,
    DigitalRoot,
    EqualityCage,
    EqualSums,
    Quadruple,
    RellikCage,
    SameMultiset,
    Sum,
)
from pipeline.puzzle.rules.custom import OneOf, Relation, StateMachine
from pipeline.puzzle.rules.lines import (
    Between,
    DoubleArrow,
    Entropic,
    Lockout,
    Lunchbox,
    Modular,
    Nabner,
    Palindrome,
    RegionSum,
    Renban,
    SumLine,
    Thermometer,
    ValueIndexer,
    Whispers,
    Zipper,
)
from pipeline.puzzle.rules.outside import (
    FullRank,
    HiddenSkyscraper,
    LittleKiller,
    NumberedRoom,
    Sandwich,
    Skyscraper,
    XSum,
)
from pipeline.puzzle.rules.pairs import (
    XV,
    Among,
    AntiKing,
    AntiKnight,
    BlackDot,
    BoxIndexer,
    Extreme,
    Greater,
    Indexer,
    NegativeKropki,
    NegativeXV,
    Nonconsecutive,
    Parity,
    WhiteDot,
)
from pipeline.puzzle.rules.regions import Diagonal, DisjointGroups, ExtraRegion, Region, Windoku
from pipeline.puzzle.rules.whole import (
    AntiTaxicab,
    Flatmates,
    GlobalEntropy,
    GlobalModular,
    NoTiedLines,
)

TWO, THREE, FOUR = Geometry(1, 2), Geometry(1, 3), Geometry(2, 2)
FIVE, SIX, SEVEN = Geometry(1, 5), Geometry(2, 3), Geometry(1, 7)
NINE, TWELVE, NO_BOXES = Geometry(3, 3), Geometry(3, 4), Geometry(1, 4)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))
FOUR_BOXES, SIX_BOXES = tuple(FOUR.boxes()), tuple(SIX.boxes())

NEXT = tuple((1 << min(value + 1, 4)) | 1 << value for value in range(5))
"""The same value or the next one, up to 4."""


def moves(*states: dict[int, int]) -> tuple[bytes, ...]:
    """The moves of each state, for values up to 6."""
    return tuple(
        b"".join(state.get(value, 65535).to_bytes(2, "little") for value in range(7))
        for state in states
    )


ALTERNATING = moves({1: 1, 3: 1, 5: 1}, {2: 0, 4: 0, 6: 0})
"""Odd, even, odd, …"""

_ALL: list[tuple[Geometry, Rule]] = [
    # lines
    (FOUR, Thermometer((0, 5, 10))),
    (SIX, Thermometer((9, 3, 4, 5))),
    (SEVEN, Thermometer((8, 0))),
    (FOUR, Thermometer((0, 1, 2, 3, 7))),  # cannot be filled
    (FOUR, Thermometer((0, 1, 5, 0))),  # closes, so that it cannot be filled
    (FOUR, Thermometer((8, 4, 0, 1), slow=True)),
    (SIX, Thermometer((0, 1, 6, 0), slow=True)),  # a ring
    (TWO_GRIDS, Thermometer((15, 11, 16))),
    (FOUR, Palindrome((0, 1, 2, 7, 6))),
    (SIX, Palindrome((0, 1, 7, 6))),
    (FOUR, Palindrome((0, 1, 5, 4, 0))),
    (FOUR, Renban((0, 1, 6))),
    (SIX, Renban((0, 6, 7, 8))),
    (SIX, Renban((0, 6, 7, 1, 0))),  # cannot be filled
    (FOUR, Renban((0, 1, 2, 3))),
    (FOUR, Renban((0, 1, 2, 3, 7))),  # cannot be filled
    (FOUR, Whispers((0, 1, 5), 2)),
    (SIX, Whispers((0, 7, 14, 9), 3)),
    (SEVEN, Whispers((3, 2, 9), 4)),
    (FOUR, Whispers((0, 1, 5, 4, 0), 1)),
    (FOUR, Whispers((0, 1), 4)),  # cannot be filled
    (FOUR, Between((0, 1, 2, 7))),
    (SIX, Between((3, 2, 1, 0))),
    (SEVEN, Between((3, 2, 10))),
    (FOUR, Between((0, 1, 5))),
    (SIX, Between((0, 1, 2, 1, 3))),  # crosses itself
    (SIX, Between((0, 1, 2, 0))),  # closes, so that it cannot be filled
    (FOUR, RegionSum((0, 1, 2, 3), FOUR_BOXES)),
    (FOUR, RegionSum((5, 6, 2, 1, 0), FOUR_BOXES)),  # in one of them twice
    (SIX, RegionSum((1, 2, 3, 9), SIX_BOXES)),
    (SIX, RegionSum((0, 1, 2, 3), SIX_BOXES)),
    (FOUR, RegionSum((0, 1, 4), FOUR_BOXES)),
    (FOUR, RegionSum((0, 1, 2, 3, 7), ((0, 4), (2, 1), (7, 11)))),  # one cell in none
    (FOUR, RegionSum((0, 1, 2, 3), ((0, 2), (3, 7)))),  # goes on after a cell in none
    (FOUR, RegionSum((0, 1, 2), ())),
    (SIX, Entropic((0, 1, 2, 8))),
    (SIX, Entropic((0, 1))),
    (FOUR, Entropic((0, 1, 2, 3, 7))),
    (SEVEN, Entropic((0, 1, 2))),
    (SIX, Modular((0, 1, 2, 8))),
    (FOUR, Modular((0, 1, 2, 3, 7))),
    (SIX, Modular((0, 1, 2, 8), 2)),
    (FOUR, Modular((0, 1, 6, 7), 7)),
    (SEVEN, Modular((0, 1, 2), 5)),
    (FOUR, Nabner((0, 1))),
    (SIX, Nabner((0, 7, 14))),
    (SEVEN, Nabner((0, 8, 9, 1, 0))),  # a ring
    (FOUR, Nabner((0, 1, 2))),  # cannot be filled
    (FOUR, Zipper((0, 1, 2, 3, 7))),
    (FOUR, Zipper((0, 1, 2, 3, 7, 6))),
    (SIX, Zipper((0, 6, 7))),
    (SIX, Zipper((0, 6, 7, 1))),
    (FOUR, DoubleArrow((0, 1, 2, 3, 7))),
    (SIX, DoubleArrow((0, 6, 7, 1))),
    (SEVEN, DoubleArrow((0, 8, 1))),
    (SIX, Lockout((0, 1, 2, 8))),
    (SIX, Lockout((8, 9, 10), 2)),
    (FOUR, Lockout((0, 1, 2, 3), 1)),
    (SEVEN, Lockout((0, 1), 4)),
    (FOUR, Lockout((0, 1, 2))),  # cannot be filled
    (SIX, Lockout((0, 1, 7, 1, 2))),  # crosses itself
    (SIX, Lockout((0, 1, 7, 0), 1)),  # closes, so that it cannot be filled
    (SIX, Lockout((0, 1, 0, 7), 1)),
    (FOUR, SumLine((0, 1, 2, 3), 5)),
    (SIX, SumLine((0, 7, 14, 9, 3), 7)),
    (FOUR, SumLine((0, 1, 5, 4), 5, loop=True)),
    (SIX, SumLine((0, 1, 7), 4, loop=True)),
    (FOUR, SumLine((0, 1), 3, loop=True)),
    (FOUR, SumLine((0, 1, 0), 5)),  # crosses itself
    (FOUR, SumLine((2,), 3)),
    (FOUR, SumLine((2,), 5)),  # cannot be filled
    (FOUR, ValueIndexer((0, 1, 2, 3, 7))),
    (SIX, ValueIndexer((0, 6, 7, 8))),
    (FOUR, ValueIndexer((0, 1, 2, 3, 7, 6, 5))),  # the last cell is never told
    (FOUR, Lunchbox((0, 1, 2), 2)),
    (SIX, Lunchbox((0, 7, 14, 15), 5)),
    (FIVE, Lunchbox((0, 1, 2, 3), 0)),
    (FOUR, Lunchbox((0, 1, 2, 3), 5)),
    (SIX, Lunchbox((0, 1), 0)),
    (SIX, Lunchbox((0, 1), 3)),  # cannot be filled, as the next
    (FOUR, Lunchbox((0, 1, 2, 3, 7), 3)),
    (FOUR, Relation((0, 1, 2, 7), NEXT)),
    (SIX, Relation((0, 6, 7), NEXT)),
    (FOUR, Relation((0, 1, 6), NEXT, every=True, label="close")),
    (FOUR, Relation((0, 1, 0), NEXT, label="crosses")),
    (FOUR, Relation((3,), NEXT)),
    (FOUR, Relation((0, 1), (0,) * 5)),  # cannot be filled
    (FOUR, StateMachine((0, 1, 2, 7), ALTERNATING, frozenset((0, 1)))),
    (SIX, StateMachine((0, 1, 7), ALTERNATING, frozenset((1,)), "odd at both ends")),
    (SEVEN, StateMachine((0, 8), ALTERNATING, frozenset((0, 7)))),
    (FOUR, StateMachine((0, 1, 0), ALTERNATING, frozenset((1,)))),  # comes back
    (FOUR, StateMachine((0, 1), ALTERNATING, frozenset((1,)))),  # cannot be filled
    (FOUR, OneOf(((Thermometer((0, 1, 2)),), (Cage((4, 5), 5),)))),
    (SIX, OneOf(((Among(0, (1,)),), (Among(7, (1, 2)),), (Among(7, (3,)),)))),
    (FOUR, OneOf(((Among(0, (2,)), Palindrome((1, 2, 7))), (Renban((0, 4, 5)),)))),
    (FOUR, OneOf(((OneOf(((Among(0, (1,)),), (Sum(((1, 1), (2, 1)), 7),))),), (XV(4, 5, 5),)))),
    (SIX, OneOf(((Skyscraper((0, 1, 2, 3), 2),), (Arrow((6,), (7, 8)),)))),
    (FOUR, OneOf(((Contains((0, 1, 2), (3, 3), exactly=True),), (CountingCircles((4, 5, 6)),)))),
    (FOUR, OneOf(((CountOfDifferent(0, (1, 2, 3)),), (Lunchbox((4, 5, 6), 2),)))),
    (FOUR, OneOf(((NumberedRoom((0, 1, 2, 3), 2),), (Among(5, (1,)),)))),
    (FOUR, OneOf(((Among(0, (7,)),), (XV(0, 1, 10),)))),  # cannot be filled
    # cages
    (FOUR, RellikCage((0, 1, 5), 4)),
    (SIX, RellikCage((0, 6, 7, 8), 8)),
    (SIX, RellikCage((0, 6), 30)),
    (FOUR, RellikCage((0, 1, 2, 3), 5)),  # cannot be filled, as the next
    (FOUR, RellikCage((0, 1, 2, 3, 4), 99)),
    (FOUR, EqualityCage((0, 5))),
    (FOUR, EqualityCage((0, 1, 2, 3))),
    (SIX, EqualityCage((0, 6, 7, 8))),
    (SEVEN, EqualityCage((0, 8, 9, 1))),
    (FIVE, EqualityCage((0, 1))),
    (THREE, EqualityCage((0, 1))),  # cannot be filled
    (FOUR, Contains((0, 1, 2, 5), (3, 1))),
    (SIX, Contains((0, 6, 7, 8), (2, 2, 5))),
    (FOUR, Contains((0, 1, 2, 4, 5, 6), (3, 3, 3))),
    (FOUR, Contains((0, 1, 2, 5), (3, 3, 1), exactly=True)),
    (SIX, Contains((0, 6, 7), (4,), exactly=True)),
    (FOUR, Contains((0, 5, 10), (1, 2, 2))),
    (FOUR, Contains((0, 5, 10), (1, 2, 2), exactly=True)),
    (FOUR, Contains((0, 1), (1, 2, 2))),  # cannot be filled, as all below
    (FOUR, Contains((0, 1, 2), (5,))),
    (FOUR, Contains((0, 1, 2, 3, 4), (5, 5, 5))),
    (FOUR, Contains((0, 1), (5,), exactly=True)),
    (FOUR, CountingCircles((0, 1, 2, 5))),
    (SIX, CountingCircles((0, 7, 14, 21, 28, 35))),
    (FOUR, CountingCircles((0,))),
    (TWELVE, CountingCircles((0, 13, 26))),
    (TWO, CountingCircles((0, 1, 2, 3))),  # cannot be filled
    (FOUR, CountOfDifferent(0, (1, 2, 5))),
    (SIX, CountOfDifferent(0, (7, 14))),
    (FIVE, CountOfDifferent(0, (0, 1, 2, 3, 4, 5))),
    (SEVEN, CountOfDifferent(8, (0,))),
    (FOUR, Cage((0, 1, 5), 7)),
    (SIX, Cage((0, 6, 7, 8), 13)),
    (SIX, Cage((35,), 5)),
    (SIX, Cage((0, 1, 2))),
    (FOUR, Cage((0, 1, 2, 3), 10)),
    (FOUR, Cage((0, 1, 2), 3)),  # cannot be filled, as all below
    (FOUR, Cage((0, 1, 2, 3, 4), 12)),
    (FOUR, Cage((0, 1), -3)),
    (TWO_GRIDS, Cage((14, 15, 16), 6)),
    (FOUR, DigitalRoot((0, 1, 5), 7)),
    (SIX, DigitalRoot((0, 6, 7, 8), 9)),
    (SEVEN, DigitalRoot((0, 8), 3)),
    (NINE, DigitalRoot((0,), 9)),
    (Geometry(4, 4), DigitalRoot((0, 1, 16, 17, 18, 34), 5)),  # of many sets
    (FOUR, DigitalRoot((0, 1, 5, 4, 8), 3, repeating=True)),
    (SIX, DigitalRoot((0, 6, 7), 1, repeating=True)),
    (TWO_GRIDS, DigitalRoot((14, 15, 16), 6)),
    (FOUR, DigitalRoot((0, 1, 2, 3), 2)),  # cannot be filled, as all below
    (FOUR, DigitalRoot((0, 1, 2, 3, 4), 6)),
    (FOUR, DigitalRoot((0,), 5, repeating=True)),
    (FOUR, Arrow((0,), (1, 2, 3))),
    (SIX, Arrow((14,), (7, 0))),
    (SEVEN, Arrow((0,), (8,))),
    (FOUR, Arrow((1, 0), (4, 5, 6, 7))),
    (SIX, Arrow((12, 6), (7, 8, 9))),
    (FOUR, Arrow((0,), (1, 2, 1))),  # crosses itself
    (FOUR, Arrow((0,), (1, 0))),  # comes back to its circle, so that it cannot be filled
    (FOUR, Arrow((1, 0), (4, 5, 1, 6, 7))),
    (FOUR, Arrow((0, 1, 2), (3, 7) * 19)),
    (FOUR, Arrow((0,), (1, 2, 3, 7, 6))),  # cannot be filled
    (FOUR, Arrow((0, 1, 2), tuple(range(4, 16)) * 3)),
    (TWELVE, Arrow((0, 1), (12, 13))),
    (FOUR, Quadruple((0, 1, 4, 5), (3, 1))),
    (SIX, Quadruple((0, 1, 6, 7), (2, 5, 2))),
    (SIX, Quadruple((7, 8, 13, 14), (4, 4, 4, 4))),
    (SIX, Quadruple((0, 1), (6,))),
    (FOUR, Quadruple((0, 1, 4, 5), (1, 2, 3, 4))),
    (FOUR, Quadruple((0, 1, 4, 5), (1, 2, 3, 4, 4))),  # cannot be filled, as all below
    (FOUR, Quadruple((0, 1, 4, 5), (5,))),
    (FOUR, Quadruple((0, 1, 4, 5), (0,))),
    (FOUR, Quadruple((0, 1, 4, 5), (1, 1, 1, 1, 1))),
    (FOUR, Clone((0, 1), (14, 11))),
    (SIX, Clone((0, 6), (6, 12))),  # they overlap
    (SIX, Clone((3,), (3,))),
    (FOUR, SameMultiset(((0, 1, 2), (4, 5, 6)))),
    (FOUR, SameMultiset(((0, 1), (7, 10), (4, 15)))),
    (SIX, SameMultiset(((0, 1), (7, 1)))),  # they overlap
    (FOUR, SameMultiset(((0, 0, 1), (4, 5, 6)))),  # one cell counts twice
    (SEVEN, SameMultiset(((0,), (8,), (16,)))),
    (FOUR, Sum(((0, 1), (4, 1), (5, 1)), 7)),
    (SIX, Sum(((0, 1), (7, -2), (8, 3)), 5)),
    (SIX, Sum(((0, 1), (1, 1), (0, 1)), 8)),  # one cell counts twice
    (FOUR, Sum(((0, 1), (1, 1), (0, -1)), 3)),
    (FOUR, Sum(((0, 0), (1, 2)), 4)),
    (FOUR, Sum(((0, 0),), 0)),
    (FOUR, Sum(((0, 1), (1, 1)), 9)),  # cannot be filled, as all below
    (FOUR, Sum(((0, 2), (1, 2)), 7)),
    (FOUR, Sum(((0, 10**30), (1, -1)), 0)),
    (FOUR, EqualSums(((0, 1, 2), (4, 5)))),
    (SIX, EqualSums(((0,), (7, 8)))),
    (FOUR, EqualSums(((0, 1), (4, 5), (6, 3)))),
    (SIX, EqualSums(((0, 1), (0, 7)))),  # they overlap
    (FOUR, EqualSums(((0, 1, 1), (4, 5)))),  # one cell counts twice
    (FOUR, EqualSums(((0,), (1, 2, 3, 4, 5)))),  # cannot be filled
    # outside
    (FOUR, LittleKiller((2, 5, 8), 7)),
    (SIX, LittleKiller((33, 26, 19, 12), 11)),
    (FOUR, LittleKiller((3, 6, 9, 12), 16)),
    *((FOUR, LittleKiller((corner,), 3)) for corner in (0, 3, 12, 15)),
    (FOUR, LittleKiller((1, 4), 9)),  # cannot be filled
    (TWO, Sandwich((0, 1), 0)),
    (THREE, Sandwich((0, 1, 2), 2)),
    (FOUR, Sandwich((0, 1, 2, 3), 0)),
    (FOUR, Sandwich((3, 7, 11, 15), 5)),
    (FIVE, Sandwich((10, 11, 12, 13, 14), 4)),
    (SIX, Sandwich((0, 1, 2, 3, 4, 5), 5)),
    (NINE, Sandwich(tuple(range(9)), 14)),
    (FOUR, Sandwich((0, 1, 2, 3), 1)),  # cannot be filled, as all below
    (FOUR, Sandwich((0, 1, 2, 3), -1)),
    (FOUR, Sandwich((0, 1, 2), 0)),
    (TWO, Skyscraper((0, 1), 2)),
    (FOUR, Skyscraper((0, 1, 2, 3), 2)),
    (FOUR, Skyscraper((12, 8, 4, 0), 4)),
    (FIVE, Skyscraper((14, 13, 12, 11, 10), 3)),
    (SIX, Skyscraper((0, 1, 2, 3), 1)),
    (FOUR, Skyscraper((0, 1, 2, 3), 0)),  # cannot be filled, as the next
    (FOUR, Skyscraper((0, 1, 2, 3), 5)),
    (TWO_GRIDS, Skyscraper((10, 11, 16, 17), 2)),
    (TWO, XSum((0, 1), 3)),
    (FOUR, XSum((0, 1, 2, 3), 6)),
    (FOUR, XSum((15, 11, 7, 3), 10)),
    (FIVE, XSum((0, 1, 2, 3, 4), 9)),
    (SIX, XSum((5, 4, 3, 2, 1, 0), 12)),
    (NINE, XSum(tuple(range(9)), 23)),
    (FOUR, XSum((0, 1, 2, 3), 2)),  # cannot be filled, as all below
    (FOUR, XSum((0, 1, 2, 3), 11)),
    (FOUR, XSum((0, 1, 2), 6)),
    (FOUR, HiddenSkyscraper((0, 1, 2, 3), 2)),
    (SIX, HiddenSkyscraper((0, 1, 2, 3), 5)),
    (FIVE, HiddenSkyscraper((14, 13, 12, 11, 10), 1)),
    (FOUR, HiddenSkyscraper((0, 1, 2, 3), 5)),  # cannot be filled
    (FOUR, NumberedRoom((0, 1, 2, 3), 2)),
    (FOUR, NumberedRoom((12, 8, 4, 0), 1)),
    (FIVE, NumberedRoom((14, 13, 12, 11, 10), 3)),
    (FOUR, NumberedRoom((0, 1), 3)),
    (FOUR, NumberedRoom((0, 1, 2, 3), 5)),  # cannot be filled
    (TWO, FullRank((0, 1), 1)),
    (TWO, FullRank((1, 0), 3, tied=True)),
    (THREE, FullRank((0, 1, 2), 6)),
    (FOUR, FullRank((0, 4, 8, 12), 3)),
    (FOUR, FullRank((0, 4, 8, 12), 3, tied=True)),
    (FOUR, FullRank((3, 2, 1, 0), 16)),
    (FOUR, FullRank((0, 1, 2, 3), 17)),  # cannot be filled, as the next
    (FOUR, FullRank((0, 1, 2, 3), 0)),
    # the whole grid
    (TWO, AntiTaxicab()),
    (THREE, AntiTaxicab()),
    (FOUR, AntiTaxicab()),
    (TWO_GRIDS, AntiTaxicab()),
    (THREE, GlobalEntropy()),
    (SIX, GlobalEntropy()),
    (THREE, GlobalModular()),
    (SIX, GlobalModular()),
    (THREE, Flatmates()),
    (FIVE, Flatmates()),
    (TWO, NoTiedLines()),
    (THREE, NoTiedLines()),
    (FOUR, NoTiedLines()),
    # pairs
    (THREE, AntiKnight()),
    (FOUR, AntiKnight()),
    (TWO_GRIDS, AntiKnight()),
    (TWO, AntiKing()),
    (THREE, AntiKing()),
    (FOUR, AntiKing()),
    (TWO_GRIDS, AntiKing()),
    (TWO, Nonconsecutive()),
    (TWO, Nonconsecutive(((0, 1), (1, 3)))),
    (THREE, Nonconsecutive()),
    (THREE, Nonconsecutive(((0, 1), (4, 7)))),
    (FOUR, Nonconsecutive(((0, 1),))),
    (TWO_GRIDS, Nonconsecutive()),
    (FOUR, WhiteDot(0, 1)),
    (FOUR, WhiteDot(5, 1, 2)),
    (SIX, WhiteDot(0, 6, 0)),
    (SIX, WhiteDot(0, 6, 6)),  # cannot be filled
    (FOUR, BlackDot(0, 1)),
    (SIX, BlackDot(7, 1, 3)),
    (SIX, BlackDot(0, 6, 1)),
    (SIX, BlackDot(0, 6, 7)),  # cannot be filled
    (TWO, NegativeKropki((1,), (), ((0, 1),))),
    (THREE, NegativeKropki((), (2,), ())),
    (THREE, NegativeKropki((2,), (1, 3), ((1, 4),))),
    (THREE, NegativeKropki((), (), ())),
    (FOUR, NegativeKropki((1, 3), (2,), ((0, 1), (5, 9)))),
    (FOUR, XV(0, 4, 5)),
    (SIX, XV(1, 0, 10)),
    (SIX, XV(0, 1, 7)),
    (FOUR, XV(0, 1, 10)),  # cannot be filled
    (TWO, NegativeXV((3,), ((0, 2),))),
    (THREE, NegativeXV((5, 10), ())),
    (THREE, NegativeXV((2, 4), ((3, 4), (3, 6)))),
    (FOUR, NegativeXV((5,), ((0, 1),))),
    (FOUR, Greater(0, 1)),
    (FOUR, Greater(5, 1)),
    (SIX, Greater(0, 6)),
    (FOUR, Among(5, (1, 3))),
    (SIX, Among(0, (6,))),
    (TWO, Among(3, (7,))),  # cannot be filled
    (FOUR, Parity(0, odd=True)),
    (FOUR, Parity(15, odd=False)),
    (Geometry(1, 5), Parity(7, odd=False)),
    (FOUR, Extreme(5, (1, 4, 6, 9), maximum=True)),
    (FOUR, Extreme(0, (1, 4), maximum=False)),
    (SIX, Extreme(7, (1, 8), maximum=True)),
    (FOUR, Extreme(0, (), maximum=False)),  # all of its neighbours are marked too
    (FOUR, Indexer(5, row=False)),
    (FOUR, Indexer(5, row=True)),
    (FOUR, Indexer(12, row=True)),
    (Geometry(1, 5), Indexer(9, row=False)),
    *((FOUR, BoxIndexer(cell, FOUR_BOXES[1])) for cell in FOUR_BOXES[1]),
    (SIX, BoxIndexer(8, SIX_BOXES[0])),
    (NO_BOXES, BoxIndexer(5, (0, 1, 2, 5))),
    (TWO_GRIDS, BoxIndexer(10, (10, 11, 14, 15))),
    # regions
    (NO_BOXES, Region((0, 1, 2, 5))),
    (NO_BOXES, Region((7, 3, 6))),
    (NO_BOXES, Region((8,))),
    (NO_BOXES, Region((8, 9, 12, 13, 14))),  # cannot be filled
    (FOUR, ExtraRegion((5, 6, 9, 10))),
    (FOUR, ExtraRegion((0, 15))),
    (FOUR, ExtraRegion((0, 3, 6, 9, 12))),  # cannot be filled
    (SIX, ExtraRegion((0, 7, 14, 21, 28))),
    (FOUR, Diagonal(rising=True)),
    (FOUR, Diagonal(rising=False)),
    (NO_BOXES, Diagonal(rising=True)),
    (Geometry(1, 5), Diagonal(rising=False)),
    (NINE, Windoku()),
    (Geometry(1, 9), Windoku()),
    (FOUR, DisjointGroups()),
    (SIX, DisjointGroups()),
    (Geometry(3, 2), DisjointGroups()),
]
EXAMPLES: dict[type[Rule], list[tuple[Geometry, Rule]]] = {}
for _geometry, _rule in _ALL + FREE:
    EXAMPLES.setdefault(type(_rule), []).append((_geometry, _rule))


def stated(geometry: Geometry, rule: Rule, most: Most | None = None) -> ClauseBuilder:
    """The clauses of a rule, which may take so much."""
    clauses = ClauseBuilder(geometry.side, geometry.size, most or Most(), lowest=geometry.lowest)
    rule.encode(geometry, clauses)
    return clauses
