"""Small examples of all rules, and the clauses of a rule alone."""

from __future__ import annotations

from pipeline import rules
from pipeline.puzzle.builder import ClauseBuilder, ClauseLimits
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.puzzle.puzzle import Rule

TWO, THREE, FOUR = Geometry(1, 2), Geometry(1, 3), Geometry(2, 2)
FIVE, SIX, SEVEN = Geometry(1, 5), Geometry(2, 3), Geometry(1, 7)
NINE, TWELVE, NO_BOXES = Geometry(3, 3), Geometry(3, 4), Geometry(1, 4)
TWO_GRIDS = Geometry(2, 2, grids=((0, 0), (2, 2)))
FOUR_BOXES, SIX_BOXES = tuple(FOUR.boxes()), tuple(SIX.boxes())

ZERO = Geometry(1, 3, free_grid=FreeGrid(2, 2, 0))
ZERO_ONE = Geometry(1, 2, free_grid=FreeGrid(2, 2, 0))
ZERO_TO_THREE = Geometry(1, 4, free_grid=FreeGrid(4, 4, 0))
WIDE = Geometry(1, 4, free_grid=FreeGrid(2, 3))
HIGH = Geometry(1, 3, free_grid=FreeGrid(3, 2))
WITH_OTHERS = Geometry(1, 2, free_grid=FreeGrid(2, 2, 1, (("VA", 5), ("VB", 1))))
WITH_WIDER = Geometry(1, 2, free_grid=FreeGrid(1, 2, 1, (("VA", 6),), (("VA", 3),)))
CHAOS = Geometry(1, 2, free_grid=FreeGrid(2, 2, 1, (("CC", 4),)))
CHAOS_OF_THREE = Geometry(1, 3, free_grid=FreeGrid(2, 3, 0, (("CC", 6),)))
TWO_MISS = Geometry(1, 3, free_grid=FreeGrid(2, 2, 0, (("DGC", 2), ("DGR", 2))))
FOUR_MISS = Geometry(1, 5, free_grid=FreeGrid(4, 4, 0, (("DGC", 4), ("DGR", 4), ("DGB", 4))))

_TWO_UNITS = ((0, 1), (2, 3), (0, 2), (1, 3))
_FOUR_UNITS = (
    *(tuple(range(at, at + 4)) for at in range(0, 16, 4)),
    *(tuple(range(at, 16, 4)) for at in range(4)),
    *((at, at + 1, at + 4, at + 5) for at in (0, 2, 8, 10)),
)

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

REPEATING = (
    tuple((0, value) for value in range(7)),
    *(
        tuple((state, 7) if value == state else (state,) for value in range(7))
        for state in range(1, 7)
    ),
    ((),) * 7,
)
"""The last value is on the line before: state v remembers it."""

_ALL: list[tuple[Geometry, Rule]] = [
    # lines
    (FOUR, rules.Thermometer((0, 5, 10))),
    (FOUR, rules.Thermometer((0, 1, 2, 3, 7))),  # cannot be filled
    (FOUR, rules.Thermometer((0, 1, 5, 0))),  # closes, so that it cannot be filled
    (SIX, rules.Thermometer((0, 1, 6, 0), slow=True)),  # a ring
    (TWO_GRIDS, rules.Thermometer((15, 11, 16))),
    (FOUR, rules.Palindrome((0, 1, 2, 7, 6))),
    (SIX, rules.Palindrome((0, 1, 7, 6))),
    (FOUR, rules.Palindrome((0, 1, 5, 4, 0))),
    (FOUR, rules.Renban((0, 1, 6))),
    (SIX, rules.Renban((0, 6, 7, 1, 0))),  # cannot be filled
    (FOUR, rules.Renban((0, 1, 2, 3, 7))),  # cannot be filled
    (FOUR, rules.Whispers((0, 1, 5), 2)),
    (FOUR, rules.Whispers((0, 1), 4)),  # cannot be filled
    (FOUR, rules.Between((0, 1, 2, 7))),
    (SIX, rules.Between((3, 2, 1, 0))),
    (SIX, rules.Between((0, 1, 2, 1, 3))),  # crosses itself
    (SIX, rules.Between((0, 1, 2, 0))),  # closes, so that it cannot be filled
    (FOUR, rules.RegionSum((0, 1, 2, 3), FOUR_BOXES)),
    (FOUR, rules.RegionSum((5, 6, 2, 1, 0), FOUR_BOXES)),  # in one of them twice
    (FOUR, rules.RegionSum((0, 1, 4), FOUR_BOXES)),
    (FOUR, rules.RegionSum((0, 1, 2, 3, 7), ((0, 4), (2, 1), (7, 11)))),  # one cell in none
    (FOUR, rules.RegionSum((0, 1, 2, 3), ((0, 2), (3, 7)))),  # goes on after a cell in none
    (FOUR, rules.RegionSum((0, 1, 2, 6, 5, 0), FOUR_BOXES)),  # a loop: the start counts twice
    (SIX, rules.RegionSum((0, 1, 0, 3, 4), SIX_BOXES)),
    (SIX, rules.Entropic((0, 1, 2, 8))),
    (FOUR, rules.Entropic((0, 1, 2, 3, 7))),
    (SIX, rules.Modular((0, 1, 2, 8))),
    (FOUR, rules.Modular((0, 1, 2, 3, 7))),
    (FOUR, rules.Nabner((0, 1))),
    (SIX, rules.Nabner((0, 7, 14))),
    (SEVEN, rules.Nabner((0, 8, 9, 1, 0))),  # a ring
    (FOUR, rules.Nabner((0, 1, 2))),  # cannot be filled
    (FOUR, rules.Zipper((0, 1, 2, 3, 7))),
    (FOUR, rules.Zipper((0, 1, 2, 3, 7, 6))),
    (FOUR, rules.Zipper((0, 1, 5, 0))),  # loops
    (SIX, rules.Zipper((0, 1, 7, 6, 0))),
    (FOUR, rules.Zipper((0, 1, 0, 5))),  # crosses itself
    (FOUR, rules.DoubleArrow((0, 1, 5, 0))),
    (SIX, rules.DoubleArrow((0, 1, 7, 1, 2))),
    (FOUR, rules.DoubleArrow((0, 1, 2, 3, 7))),
    (SIX, rules.DoubleArrow((0, 6, 7, 1))),
    (SIX, rules.Lockout((0, 1, 2, 8))),
    (SIX, rules.Lockout((8, 9, 10), 2)),
    (FOUR, rules.Lockout((0, 1, 2))),  # cannot be filled
    (SIX, rules.Lockout((0, 1, 7, 1, 2))),  # crosses itself
    (SIX, rules.Lockout((0, 1, 7, 0), 1)),  # closes, so that it cannot be filled
    (SIX, rules.Lockout((0, 1, 0, 7), 1)),
    (FOUR, rules.SumLine((0, 1, 2, 3), 5)),
    (SIX, rules.SumLine((0, 7, 14, 9, 3), 7)),
    (FOUR, rules.SumLine((0, 1, 5, 4), 5, loop=True)),
    (SIX, rules.SumLine((0, 1, 7), 4, loop=True)),
    (FOUR, rules.SumLine((0, 1, 0), 5)),  # crosses itself
    (FOUR, rules.SumLine((2,), 5)),  # cannot be filled
    (FOUR, rules.ValueIndexer((0, 1, 2, 3, 7))),
    (SIX, rules.ValueIndexer((0, 6, 7, 8))),
    (FOUR, rules.ValueIndexer((0, 1, 2, 3, 7, 6, 5))),  # the last cell is never told
    (FOUR, rules.ValueIndexer((0, 1, 0))),
    (FOUR, rules.ValueIndexer((0, 1, 1, 4, 4))),
    (FOUR, rules.ValueIndexer((0, 0, 5, 6))),
    (FIVE, rules.Lunchbox((0, 1, 2, 3), 0)),
    (FOUR, rules.Lunchbox((0, 1, 2, 3), 5)),
    (SIX, rules.Lunchbox((0, 1), 3)),  # cannot be filled, as the next
    (FOUR, rules.Lunchbox((0, 1, 2, 3, 7), 3)),
    (FOUR, rules.Relation((0, 1, 2, 7), NEXT)),
    (SIX, rules.Relation((0, 6, 7), NEXT)),
    (FOUR, rules.Relation((0, 1, 6), NEXT, every=True, label="close")),
    (FOUR, rules.Relation((3,), NEXT)),
    (FOUR, rules.Relation((0, 1), (0,) * 5)),  # cannot be filled
    (FOUR, rules.StateMachine((0, 1, 2, 7), ALTERNATING, frozenset((0, 1)))),
    (SIX, rules.StateMachine((0, 1, 7), ALTERNATING, frozenset((1,)), "odd at both ends")),
    (SEVEN, rules.StateMachine((0, 8), ALTERNATING, frozenset((0, 7)))),
    (FOUR, rules.StateMachine((0, 1, 0), ALTERNATING, frozenset((1,)))),  # comes back
    (FOUR, rules.StateMachine((0, 1), ALTERNATING, frozenset((1,)))),  # cannot be filled
    (FOUR, rules.NondeterministicMachine((0, 1, 5, 6, 10), REPEATING, (0,), frozenset((7,)))),
    (FOUR, rules.NondeterministicMachine((0, 1, 6), REPEATING, (1, 2), frozenset((0, 7)), "1, 2")),
    (FOUR, rules.NondeterministicMachine((0, 1, 0, 10), REPEATING, (0,), frozenset((7,)))),
    (SEVEN, rules.NondeterministicMachine((0, 8, 10), REPEATING, (0,), frozenset((7,)))),
    (ZERO, rules.NondeterministicMachine((0, 3), REPEATING, (0, 2), frozenset((7,)))),
    # cannot be filled
    (FOUR, rules.NondeterministicMachine((0, 1), REPEATING, (0,), frozenset((7,)))),
    (FOUR, rules.NondeterministicMachine((0, 1), REPEATING, (), frozenset((7,)))),
    (FOUR, rules.OneOf(((rules.Thermometer((0, 1, 2)),), (rules.Cage((4, 5), 5),)))),
    (
        FOUR,
        rules.OneOf(
            ((rules.Among(0, (2,)), rules.Palindrome((1, 2, 7))), (rules.Renban((0, 4, 5)),))
        ),
    ),
    (
        FOUR,
        rules.OneOf(
            (
                (rules.OneOf(((rules.Among(0, (1,)),), (rules.Sum(((1, 1), (2, 1)), 7),))),),
                (rules.XV(4, 5, 5),),
            )
        ),
    ),
    (SIX, rules.OneOf(((rules.Skyscraper((0, 1, 2, 3), 2),), (rules.Arrow((6,), (7, 8)),)))),
    (
        FOUR,
        rules.OneOf(
            (
                (rules.Contains((0, 1, 2), (3, 3), exactly=True),),
                (rules.CountingCircles((4, 5, 6)),),
            )
        ),
    ),
    (FOUR, rules.OneOf(((rules.CountOfDifferent(0, (1, 2, 3)),), (rules.Lunchbox((4, 5, 6), 2),)))),
    (FOUR, rules.OneOf(((rules.NumberedRoom((0, 1, 2, 3), 2),), (rules.Among(5, (1,)),)))),
    (FOUR, rules.OneOf(((rules.Among(0, (7,)),), (rules.XV(0, 1, 10),)))),  # cannot be filled
    # cages
    (FOUR, rules.RellikCage((0, 1, 5), 4)),
    (SIX, rules.RellikCage((0, 6, 7, 8), 8)),
    (SIX, rules.RellikCage((0, 6), 30)),
    (FOUR, rules.RellikCage((0, 1, 2, 3), 5)),  # cannot be filled
    (FOUR, rules.EqualityCage((0, 5))),
    (THREE, rules.EqualityCage((0, 1))),  # cannot be filled
    (FOUR, rules.Contains((0, 1, 2, 4, 5, 6), (3, 3, 3))),
    (FOUR, rules.Contains((0, 1, 2, 5), (3, 3, 1), exactly=True)),
    (FOUR, rules.Contains((0, 5, 10), (1, 2, 2))),
    (FOUR, rules.Contains((0, 1), (1, 2, 2))),  # cannot be filled, as all below
    (FOUR, rules.Contains((0, 1, 2), (5,))),
    (FOUR, rules.CountingCircles((0, 1, 2, 5))),
    (FOUR, rules.CountingCircles((0,))),
    (TWELVE, rules.CountingCircles((0, 13, 26))),
    (TWO, rules.CountingCircles((0, 1, 2, 3))),  # cannot be filled
    (FOUR, rules.CountOfDifferent(0, (1, 2, 5))),
    (FIVE, rules.CountOfDifferent(0, (0, 1, 2, 3, 4, 5))),
    (FOUR, rules.Cage((0, 1, 5), 7)),
    (SIX, rules.Cage((0, 6, 7, 8), 13)),
    (SIX, rules.Cage((0, 1, 2))),
    (FOUR, rules.Cage((0, 1, 2), 3)),  # cannot be filled, as all below
    (FOUR, rules.Cage((0, 1), -3)),
    (FOUR, rules.DigitalRoot((0, 1, 5), 7)),
    (SIX, rules.DigitalRoot((0, 6, 7, 8), 9)),
    (Geometry(4, 4), rules.DigitalRoot((0, 1, 16, 17, 18, 34), 5)),  # of many sets
    (FOUR, rules.DigitalRoot((0, 1, 5, 4, 8), 3, repeating=True)),
    (SIX, rules.DigitalRoot((0, 6, 7), 1, repeating=True)),
    (TWO_GRIDS, rules.DigitalRoot((14, 15, 16), 6)),
    (FOUR, rules.DigitalRoot((0, 1, 2, 3), 2)),  # cannot be filled
    (SEVEN, rules.Arrow((0,), (8,))),
    (FOUR, rules.Arrow((1, 0), (4, 5, 6, 7))),
    (FOUR, rules.Arrow((0,), (1, 2, 1))),  # crosses itself
    (FOUR, rules.Arrow((0,), (1, 0))),  # comes back to its circle, so that it cannot be filled
    (FOUR, rules.Arrow((0, 1, 2), (3, 7) * 19)),
    (FOUR, rules.Arrow((0,), (1, 2, 3, 7, 6))),  # cannot be filled
    (FOUR, rules.Arrow((0, 1, 2), tuple(range(4, 16)) * 3)),
    (TWELVE, rules.Arrow((0, 1), (12, 13))),
    (FOUR, rules.Quadruple((0, 1, 4, 5), (3, 1))),
    (SIX, rules.Quadruple((0, 1, 6, 7), (2, 5, 2))),
    (SIX, rules.Quadruple((7, 8, 13, 14), (4, 4, 4, 4))),
    (SIX, rules.Quadruple((0, 1), (6,))),
    (FOUR, rules.Quadruple((0, 1, 4, 5), (1, 2, 3, 4, 4))),  # cannot be filled, as all below
    (FOUR, rules.Quadruple((0, 1, 4, 5), (5,))),
    (SIX, rules.Clone((0, 6), (6, 12))),  # they overlap
    (SIX, rules.SameMultiset(((0, 1), (7, 1)))),  # they overlap
    (FOUR, rules.SameMultiset(((0, 0, 1), (4, 5, 6)))),  # one cell counts twice
    (SIX, rules.Sum(((0, 1), (1, 1), (0, 1)), 8)),  # one cell counts twice
    (FOUR, rules.Sum(((0, 1), (1, 1)), 9)),  # cannot be filled, as all below
    (FOUR, rules.Sum(((0, 10**30), (1, -1)), 0)),
    (SIX, rules.EqualSums(((0, 1), (0, 7)))),  # they overlap
    (FOUR, rules.EqualSums(((0, 1, 1), (4, 5)))),  # one cell counts twice
    (FOUR, rules.EqualSums(((0,), (1, 2, 3, 4, 5)))),  # cannot be filled
    # outside
    *((FOUR, rules.LittleKiller((corner,), 3)) for corner in (0, 3, 12, 15)),
    (FOUR, rules.LittleKiller((1, 4), 9)),  # cannot be filled
    (TWO, rules.Sandwich((0, 1), 0)),
    (FOUR, rules.Sandwich((0, 1, 2, 3), 0)),
    (FIVE, rules.Sandwich((10, 11, 12, 13, 14), 4)),
    (SIX, rules.Sandwich((0, 1, 2, 3, 4, 5), 5)),
    (NINE, rules.Sandwich(tuple(range(9)), 14)),
    (FOUR, rules.Sandwich((0, 1, 2, 3), 1)),  # cannot be filled, as all below
    (FOUR, rules.Sandwich((0, 1, 2), 0)),
    (FOUR, rules.Skyscraper((0, 1, 2, 3), 2)),
    (SIX, rules.Skyscraper((0, 1, 2, 3), 1)),
    (FOUR, rules.Skyscraper((0, 1, 2, 3), 0)),  # cannot be filled
    (TWO_GRIDS, rules.Skyscraper((10, 11, 16, 17), 2)),
    (FOUR, rules.XSum((0, 1, 2, 3), 6)),
    (FOUR, rules.XSum((15, 11, 7, 3), 10)),
    (FOUR, rules.XSum((0, 1, 2, 3), 2)),  # cannot be filled, as all below
    (FOUR, rules.XSum((0, 1, 2), 6)),
    (FOUR, rules.HiddenSkyscraper((0, 1, 2, 3), 2)),
    (SIX, rules.HiddenSkyscraper((0, 1, 2, 3), 5)),
    (FOUR, rules.HiddenSkyscraper((0, 1, 2, 3), 5)),  # cannot be filled
    (FOUR, rules.NumberedRoom((0, 1, 2, 3), 2)),
    (FOUR, rules.NumberedRoom((0, 1, 2, 3), 5)),  # cannot be filled
    (TWO, rules.FullRank((0, 1), 1)),
    (TWO, rules.FullRank((1, 0), 3, tied=True)),
    (THREE, rules.FullRank((0, 1, 2), 6)),
    (FOUR, rules.FullRank((0, 4, 8, 12), 3, tied=True)),
    (FOUR, rules.FullRank((3, 2, 1, 0), 16)),
    (FOUR, rules.FullRank((0, 1, 2, 3), 17)),  # cannot be filled
    # the whole grid
    (TWO, rules.AntiTaxicab()),
    (THREE, rules.AntiTaxicab()),
    (FOUR, rules.AntiTaxicab()),
    (TWO_GRIDS, rules.AntiTaxicab()),
    (THREE, rules.GlobalEntropy()),
    (SIX, rules.GlobalEntropy()),
    (THREE, rules.GlobalModular()),
    (SIX, rules.GlobalModular()),
    (THREE, rules.Flatmates()),
    (FIVE, rules.Flatmates()),
    (THREE, rules.NoTiedLines()),
    (FOUR, rules.NoTiedLines()),
    # pairs
    (THREE, rules.AntiKnight()),
    (FOUR, rules.AntiKnight()),
    (TWO_GRIDS, rules.AntiKnight()),
    (TWO, rules.AntiKing()),
    (THREE, rules.AntiKing()),
    (FOUR, rules.AntiKing()),
    (TWO_GRIDS, rules.AntiKing()),
    (TWO, rules.Nonconsecutive()),
    (TWO, rules.Nonconsecutive(((0, 1), (1, 3)))),
    (FOUR, rules.Nonconsecutive(((0, 1),))),
    (FOUR, rules.WhiteDot(0, 1)),
    (FOUR, rules.WhiteDot(5, 1, 2)),
    (SIX, rules.WhiteDot(0, 6, 6)),  # cannot be filled
    (FOUR, rules.BlackDot(0, 1)),
    (SIX, rules.BlackDot(7, 1, 3)),
    (SIX, rules.BlackDot(0, 6, 7)),  # cannot be filled
    (THREE, rules.NegativeKropki((), (), ())),
    (FOUR, rules.NegativeKropki((1, 3), (2,), ((0, 1), (5, 9)))),
    (FOUR, rules.XV(0, 4, 5)),
    (SIX, rules.XV(0, 1, 7)),
    (FOUR, rules.XV(0, 1, 10)),  # cannot be filled
    (TWO, rules.NegativeXV((3,), ((0, 2),))),
    (THREE, rules.NegativeXV((5, 10), ())),
    (FOUR, rules.NegativeXV((5,), ((0, 1),))),
    (FOUR, rules.Greater(0, 1)),
    (FOUR, rules.Among(5, (1, 3))),
    (SIX, rules.Among(0, (6,))),
    (TWO, rules.Among(3, (7,))),  # cannot be filled
    (FOUR, rules.Parity(0, odd=True)),
    (FOUR, rules.Parity(15, odd=False)),
    (Geometry(1, 5), rules.Parity(7, odd=False)),
    (FOUR, rules.Extreme(5, (1, 4, 6, 9), maximum=True)),
    (FOUR, rules.Extreme(0, (1, 4), maximum=False)),
    (FOUR, rules.Extreme(0, (), maximum=False)),  # all of its neighbours are marked too
    (FOUR, rules.Indexer(5, row=False)),
    (FOUR, rules.Indexer(12, row=True)),
    (Geometry(1, 5), rules.Indexer(9, row=False)),
    *((FOUR, rules.BoxIndexer(cell, FOUR_BOXES[1])) for cell in FOUR_BOXES[1]),
    (NO_BOXES, rules.BoxIndexer(5, (0, 1, 2, 5))),
    # regions
    (NO_BOXES, rules.Region((0, 1, 2, 5))),
    (NO_BOXES, rules.Region((8, 9, 12, 13, 14))),  # cannot be filled
    (FOUR, rules.ExtraRegion((5, 6, 9, 10))),
    (FOUR, rules.ExtraRegion((0, 3, 6, 9, 12))),  # cannot be filled
    (FOUR, rules.Diagonal(rising=True)),
    (NINE, rules.Windoku()),
    (Geometry(1, 9), rules.Windoku()),
    (Geometry(1, 9, free_grid=FreeGrid(9, 9, 0)), rules.Windoku()),
    (Geometry(1, 10, free_grid=FreeGrid(9, 9)), rules.Windoku()),
    (FOUR, rules.DisjointGroups()),
    (SIX, rules.DisjointGroups()),
    (Geometry(3, 2), rules.DisjointGroups()),
    (WIDE, rules.DisjointGroups(((0, 1), (2, 3), (4, 5)))),
    # unsolvable
    (Geometry(1, 2, free_grid=FreeGrid(2, 3)), rules.DisjointGroups(((0,), (2,), (4,)))),
    # free grids
    (ZERO, rules.Unit((0, 1), "row")),
    (Geometry(1, 4, free_grid=FreeGrid(2, 2)), rules.Unit((0, 1, 2, 3), "box")),
    (WIDE, rules.Unit((0, 1, 2, 3, 4), "box")),  # cannot be filled
    (WIDE, rules.SameRegions(((0, 1, 2), (3, 4, 5)))),
    (WIDE, rules.ConnectedValues((0, 1, 2, 3, 4, 5), (1, 4), 3)),
    (WIDE, rules.ConnectedValues((0, 1, 2, 3, 4, 5), (2,), 6)),
    (WITH_OTHERS, rules.ConnectedValues((4, 5, 6, 7, 8), (2,))),
    (WITH_WIDER, rules.ConnectedValues((2, 3, 4, 5, 6, 7), (2,))),
    (ZERO, rules.ConnectedValues((0, 1, 2, 3), (7,))),  # cannot be filled
    (CHAOS, rules.ChaosConstruction((4, 5, 6, 7), 2)),
    (CHAOS_OF_THREE, rules.ChaosConstruction(tuple(range(6, 12)), 2)),
    (CHAOS, rules.ChaosArrow(0, ((4, 5),))),
    (CHAOS, rules.ChaosArrow(3, ((7,), (7, 6)), 1)),
    (CHAOS_OF_THREE, rules.ChaosArrow(1, ((7, 6), (7, 8), (7, 10)), 1)),
    (CHAOS_OF_THREE, rules.ChaosArrow(0, ((6, 7, 8),), 0)),
    (CHAOS, rules.ChaosCount(0, (4, 5, 6))),
    (CHAOS_OF_THREE, rules.ChaosCount(1, (7, 6, 8, 10), 1)),
    (TWO_MISS, rules.Doppelganger(_TWO_UNITS, (4, 5, 6, 7), (2, 2))),
    (FOUR_MISS, rules.Doppelganger(_FOUR_UNITS, tuple(range(16, 28)), (4, 4, 4))),
    # others, where values begin with 0 or lines are short
    (ZERO, rules.Renban((0, 1, 2, 3))),  # cannot be filled
    (ZERO, rules.Skyscraper((0, 1), 1)),
    (ZERO, rules.HiddenSkyscraper((0, 1), 0)),
    (ZERO, rules.NumberedRoom((0, 1), 0)),
    (ZERO, rules.CountOfDifferent(0, (0, 1, 3))),
    (ZERO, rules.XSum((0, 1), 2)),
    (WIDE, rules.XSum((0, 1, 2), 4)),
    (WIDE, rules.Sandwich((0, 1, 2), 3)),
    (ZERO, rules.Parity(0, odd=False)),
    (WITH_OTHERS, rules.AntiKing()),
    (ZERO, rules.NegativeKropki((1,), (2,), ())),
    (WITH_OTHERS, rules.Diagonal(rising=True)),
    (HIGH, rules.Indexer(2, row=True)),
    (HIGH, rules.Indexer(2, row=False)),
    (ZERO, rules.Indexer(0, row=False)),
    (ZERO, rules.Indexer(2, row=True)),
    (ZERO_ONE, rules.Indexer(1, row=False)),  # cannot be filled: it is in column 2
    (ZERO, rules.NumberedRoom((0, 1), 0)),
    (ZERO_ONE, rules.NumberedRoom((0, 1), 1)),
    (ZERO_TO_THREE, rules.FullRank((0, 1, 2, 3), 3)),
    (ZERO_TO_THREE, rules.FullRank((12, 8, 4, 0), 5, tied=True)),
    (ZERO_ONE, rules.FullRank((1, 0), 4)),
    (Geometry(1, 4, free_grid=FreeGrid(2, 2, 0)), rules.NoTiedLines()),
]
EXAMPLES: dict[type[Rule], list[tuple[Geometry, Rule]]] = {}
for _geometry, _rule in _ALL:
    EXAMPLES.setdefault(type(_rule), []).append((_geometry, _rule))


def stated(geometry: Geometry, rule: Rule, most: ClauseLimits | None = None) -> ClauseBuilder:
    """The clauses of a rule, which may take so much."""
    clauses = ClauseBuilder(
        geometry.side, geometry.size, most or ClauseLimits(), lowest=geometry.lowest
    )
    rule.encode(geometry, clauses)
    return clauses
