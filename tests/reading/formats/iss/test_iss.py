"""Constraint texts: what each type means, and that none is left out in silence."""

from __future__ import annotations

import base64
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import parsers
from support.cases import for_each
from support.pages import PAGES
from support.parsers import check_read_or_refused, layout_of, read
from support.strategies import examples

from pipeline import solve
from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import NINE_BY_NINE, Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules import cages, custom, lines, outside, pairs, regions, whole
from pipeline.reading.formats.iss.parsing import KNOWN_TYPES, SEARCH_HINTS
from pipeline.reading.formats.notations import RULES_OF_TYPES, TYPES

FOUR = Geometry(2, 2)
SHAPE = ".Shape~4x4"
JIGSAW = "0010011122323233"
REGIONS = ((0, 1, 3, 4), (2, 5, 6, 7), (8, 9, 11, 13), (10, 12, 14, 15))


def refusal(text: str) -> InvalidPuzzle:
    return parsers.refusal(text, format="iss")


LINE, CELLS = "R1C1~R1C2~R2C3", (0, 1, 6)
SOME_PAIRS = (0, 1 << 1, 1 << 2 | 1 << 3 | 1 << 4, 0, 0)
"""1 and 1; 2 and 2, 3 or 4."""


def moves(*states: dict[int, int]) -> tuple[bytes, ...]:
    """The moves of each state, for values up to 4."""
    return tuple(
        b"".join(state.get(value, 65535).to_bytes(2, "little") for value in range(5))
        for state in states
    )


ODD_EVEN = moves({1: 1, 3: 1}, {2: 0, 4: 0}), frozenset((0, 1))
TWO_STARTS = moves({1: 1, 2: 2}, {2: 2, 4: 3}, {4: 3}, {}), frozenset((0, 1, 2))
"""{0, 1}, {1, 2}, {2} and {0}, the first state of which is not accepted."""

ONES_AND_TWO = moves({1: 1, 2: 2, 3: 3}, {1: 1, 2: 2}, {}, {}), frozenset((2, 3))
RULES_ON_4X4: dict[str, list[object]] = {
    ".AntiKnight": [pairs.AntiKnight()],
    ".AntiKing": [pairs.AntiKing()],
    ".AntiConsecutive": [pairs.Nonconsecutive()],
    ".DisjointSets": [regions.DisjointGroups()],
    ".Diagonal~1": [regions.Diagonal(rising=True)],
    ".Diagonal~-1": [regions.Diagonal(rising=False)],
    ".AllDifferent~R1C1~R2C2": [regions.ExtraRegion((0, 5))],
    f".Thermo~{LINE}": [lines.Thermometer(CELLS)],
    f".Palindrome~{LINE}": [lines.Palindrome(CELLS)],
    f".Renban~{LINE}": [lines.Renban(CELLS)],
    f".Between~{LINE}": [lines.Between(CELLS)],
    f".Zipper~{LINE}": [lines.Zipper(CELLS)],
    f".DoubleArrow~{LINE}": [lines.DoubleArrow(CELLS)],
    ".Zipper~R1C1~R1C2~R2C2~R1C1": [lines.Zipper((0, 1, 5, 0))],
    ".DoubleArrow~R1C1~R1C2~R2C2~R1C1": [lines.DoubleArrow((0, 1, 5, 0))],
    ".RegionSumLine~R1C1~R1C2~R1C3~R1C1": [
        lines.RegionSum((0, 1, 2, 0), tuple(FOUR.boxes())),
    ],
    f".Modular~2~{LINE}": [lines.Modular(CELLS, 2)],
    f".Lockout~3~{LINE}": [lines.Lockout(CELLS, 3)],
    f".Whisper~{LINE}": [lines.Whispers(CELLS, 5)],
    f".Whisper~3~{LINE}": [lines.Whispers(CELLS, 3)],
    f".RegionSumLine~{LINE}": [lines.RegionSum(CELLS, tuple(FOUR.boxes()))],
    ".WhiteDot~R1C1~R1C2~R2C2~R4C4~R4C3": [
        pairs.WhiteDot(0, 1),
        pairs.WhiteDot(1, 5),
        pairs.WhiteDot(15, 14),
    ],
    ".BlackDot~R1C1~R1C2": [pairs.BlackDot(0, 1)],
    ".X~R1C1~R1C2": [pairs.XV(0, 1, 10)],
    ".V~R1C1~R1C2": [pairs.XV(0, 1, 5)],
    ".GreaterThan~R2C2~R1C2~R2C1": [pairs.Greater(5, 1), pairs.Greater(5, 4)],
    ".Cage~5~R1C1~R2C1": [cages.Cage((0, 4), 5)],
    ".Cage~0~R1C1~R2C1": [cages.Cage((0, 4))],
    ".Cage~~R1C1~R2C2": [cages.Cage((0, 5))],
    ".Cage~5~R1C1~R1C1~R2C1": [cages.Cage((0, 4)), cages.Sum(((0, 2), (4, 1)), 5)],
    ".Sum~6~R1C1~R2C1~R1C1": [cages.Sum(((0, 2), (4, 1)), 6)],
    ".EqualSum~R1C1~R1C2~-~R2C3": [cages.EqualSums(((0, 1), (6,)))],
    ".SameValues~2~R1C1~R1C2~R3C3~R3C4": [cages.SameMultiset(((0, 1), (10, 11)))],
    ".Arrow~R1C1~R1C2~R1C3": [cages.Arrow((0,), (1, 2))],
    ".PillArrow~2~R1C2~R1C1~R2C2~R3C3": [cages.Arrow((0, 1), (5, 10))],
    ".Quad~R2C2~3~3": [cages.Quadruple((5, 6, 9, 10), (3, 3))],
    ".LittleKiller~9~R1C1": [outside.LittleKiller((0, 5, 10, 15), 9)],
    ".LittleKiller~9~R2C1": [outside.LittleKiller((4, 9, 14), 9)],
    ".LittleKiller~9~R1C4": [outside.LittleKiller((3, 6, 9, 12), 9)],
    ".LittleKiller~9~R1C3": [outside.LittleKiller((2, 5, 8), 9)],
    ".LittleKiller~9~R3C4": [outside.LittleKiller((11, 6, 1), 9)],
    ".LittleKiller~9~R4C2": [outside.LittleKiller((13, 10, 7), 9)],
    ".Sandwich~0~C1": [outside.Sandwich((0, 4, 8, 12), 0)],
    ".Sandwich~2~R3": [outside.Sandwich((8, 9, 10, 11), 2)],
    ".Skyscraper~C1~2": [outside.Skyscraper((0, 4, 8, 12), 2)],
    ".XSum~R1~3~4": [outside.XSum((0, 1, 2, 3), 3), outside.XSum((3, 2, 1, 0), 4)],
    ".XSum~R2~~4": [outside.XSum((7, 6, 5, 4), 4)],
    ".XSum~R3~3~": [outside.XSum((8, 9, 10, 11), 3)],
    ".Indexing~C~R1C1~R2C2": [pairs.Indexer(0, row=False), pairs.Indexer(5, row=False)],
    ".Indexing~R~R1C1": [pairs.Indexer(0, row=True)],
    ".AntiTaxicab": [whole.AntiTaxicab()],
    f".SumLine~5~{LINE}": [lines.SumLine(CELLS, 5)],
    f".SumLine~5~{LINE}~LOOP": [lines.SumLine(CELLS, 5, loop=True)],
    f".ValueIndexing~{LINE}": [lines.ValueIndexer(CELLS)],
    ".ValueIndexing~R1C1~R1C2~R1C1": [lines.ValueIndexer((0, 1, 0))],
    f".Lunchbox~3~{LINE}": [lines.Lunchbox(CELLS, 3)],
    ".Sum~-6_=_1_-2_3~R1C1~R2C1~R1C1": [cages.Sum(((0, 4), (4, -2)), -6)],
    ".RellikCage~5~R1C1~R2C1": [cages.RellikCage((0, 4), 5)],
    ".EqualityCage~R1C1~R2C1": [cages.EqualityCage((0, 4))],
    ".ContainAtLeast~1_2_2~R1C1~R2C1~R1C3": [cages.Contains((0, 4, 2), (1, 2, 2))],
    ".ContainExact~3~R1C1~R2C1": [cages.Contains((0, 4), (3,), exactly=True)],
    ".LookAndSay~1224~R1C1~R2C1": [cages.Contains((0, 4), (2, 4, 4), exactly=True)],
    ".LookAndSay~02~R1C1~R2C1": [pairs.Among(0, (1, 3, 4)), pairs.Among(4, (1, 3, 4))],
    ".LookAndSay~120104~R1C1": [
        cages.Contains((0,), (2,), exactly=True),
        pairs.Among(0, (2, 3)),
    ],
    ".CountingCircles~R1C1~R2C1": [cages.CountingCircles((0, 4))],
    ".CountDistinct~R1C1~R2C1~R2C2": [cages.CountOfDifferent(0, (4, 5))],
    ".CountDistinct~R1C1~R1C1~R2C2": [cages.CountOfDifferent(0, (0, 5))],
    ".HiddenSkyscraper~R1~3~4": [
        outside.HiddenSkyscraper((0, 1, 2, 3), 3),
        outside.HiddenSkyscraper((3, 2, 1, 0), 4),
    ],
    ".NumberedRoom~R2~~4": [outside.NumberedRoom((7, 6, 5, 4), 4)],
    ".FullRank~C1~3~": [outside.FullRank((0, 4, 8, 12), 3)],
    ".FullRankTies~any.FullRank~C1~3": [outside.FullRank((0, 4, 8, 12), 3, tied=True)],
    ".FullRankTies~none.FullRank~C1~3": [
        whole.NoTiedLines(),
        outside.FullRank((0, 4, 8, 12), 3),
    ],
    ".FullRankTies~only-unclued": [],
    ".Priority~-3~R1C1~R1C2": [],
    ".SearchPriority~3~R1C1~R1C2": [],
    ".Pair~hD~R1C1~R1C2~~R2C1~R2C2~_Close%20%20pair~R3C1~R3C2~R4C2": [
        custom.Relation((0, 1), SOME_PAIRS),
        custom.Relation((4, 5), SOME_PAIRS),
        custom.Relation((8, 9, 13), SOME_PAIRS, label="Close pair"),
    ],
    f".PairX~hD~{LINE}": [custom.Relation(CELLS, SOME_PAIRS, every=True)],
    ".Pair~-_~R1C1~R1C2": [custom.Relation((0, 1), (0, 28, 30, 30, 0))],
    ".Binary~_-~R1C1~R1C2": [custom.Relation((0, 1), (0, 28, 30, 30, 0))],
    f".BinaryX~hD~{LINE}": [custom.Relation(CELLS, SOME_PAIRS, every=True)],
    ".NFA~QPr0AA~_Up~R1C1~R1C2~~R2C2": [
        custom.StateMachine((0, 1), *ODD_EVEN, "Up"),
        custom.StateMachine((5,), *ODD_EVEN, "Up"),
    ],
    ".NFA~BOYoSWcA~R1C1~R1C2": [custom.StateMachine((0, 1), *TWO_STARTS)],
    ".NFA~~R1C1": [custom.StateMachine((0,), moves({}), frozenset())],
    ".Regex~MSoyfDM~R1C1~R1C2~~R2C2": [
        custom.StateMachine((0, 1), *ONES_AND_TWO, "1*2|3"),
        custom.StateMachine((5,), *ONES_AND_TWO, "1*2|3"),
    ],
    ".Or.~R1C1_1.~R1C2_2_3.End": [
        custom.OneOf(((pairs.Among(0, (1,)),), (pairs.Among(1, (2, 3)),)))
    ],
    ".Or.Thermo~R1C1~R1C2.And.X~R2C1~R2C2.~R3C3_4.End.End": [
        custom.OneOf(
            (
                (lines.Thermometer((0, 1)),),
                (pairs.XV(4, 5, 10), pairs.Among(10, (4,))),
            )
        )
    ],
    ".And.X~R2C1~R2C2.And.V~R1C1~R1C2.End.End": [pairs.XV(4, 5, 10), pairs.XV(0, 1, 5)],
    ".Replicate~lE.Thermo~R1C1~R1C2.End": [
        lines.Thermometer((0, 1)),
        lines.Thermometer((2, 3)),
        lines.Thermometer((5, 6)),
        lines.Thermometer((8, 9)),
    ],
    ".Replicate~D.Quad~R1C1~1.Quad~R1C2~2.End": [  # a clue replaces none of another copy
        cages.Quadruple((0, 1, 4, 5), (1,)),
        cages.Quadruple((1, 2, 5, 6), (2,)),
        cages.Quadruple((1, 2, 5, 6), (1,)),
        cages.Quadruple((2, 3, 6, 7), (2,)),
    ],
    ".Replicate~D.Quad~R1C1~1.Quad~R1C1~2.End": [
        cages.Quadruple((0, 1, 4, 5), (2,)),
        cages.Quadruple((1, 2, 5, 6), (2,)),
    ],
    ".Replicate~D~R2C2.Replicate~R.Quad~R1C1~3.End.End": [
        *(cages.Quadruple((at, at + 1, at + 4, at + 5), (3,)) for at in (0, 4, 1, 5)),
    ],
    ".StrictKropki.WhiteDot~R1C2~R1C1": [
        pairs.WhiteDot(1, 0),
        pairs.NegativeKropki((1,), (2,), ((0, 1),)),
    ],
    ".StrictXV.V~R1C2~R1C1": [pairs.XV(1, 0, 5), pairs.NegativeXV((5, 10), ((0, 1),))],
}


@for_each("text", RULES_ON_4X4)
def test_a_type_is_its_rules(text):
    parsed = read(SHAPE + text)
    assert parsed.puzzle == Puzzle.empty(FOUR, tuple(RULES_ON_4X4[text]))
    assert (parsed.format, parsed.variant) == ("iss", "rules" if RULES_ON_4X4[text] else "classic")


def test_every_type_that_is_known_is_tested():
    tested = {re.match(r"\.(\w+)", text)[1] for text in RULES_ON_4X4}
    of_nine = {"Windoku", "Entropic", "GlobalEntropy", "GlobalMod", "DutchFlatmates"}
    of_free = {
        "ConnectedValues",
        "ChaosArrow",
        "ChaosCount",
    }  # in test_grid_layout.py
    groups = {"Or", "And", "Replicate"}
    of_layout = {"RegionSameValues", "ChaosConstruction", "Doppelganger"}
    assert tested | of_nine | of_free | of_layout == {*TYPES, *SEARCH_HINTS, *groups}


@for_each(
    ("text", "keeps"),
    [
        (".Zipper~R1C1~R1C2~R2C2~R1C1", lambda v: 2 * v[0] == v[1] + v[5]),
        (".DoubleArrow~R1C1~R1C2~R2C2~R1C1", lambda v: 2 * v[0] == v[1] + v[5]),
        (".DoubleArrow~R1C2~R1C1~R1C3~R2C3~R1C2", lambda v: 2 * v[1] == v[0] + v[2] + v[6]),
        (".RegionSumLine~R1C1~R1C2~R1C3~R1C4", lambda v: v[0] + v[1] == v[2] + v[3]),
        (".RegionSumLine~R1C1~R1C3~R3C3~R1C1", lambda v: v[0] == v[2] == v[10]),
    ],
)
def test_a_cell_that_a_line_visits_twice_counts_twice(text, keeps):
    every = solve(SHAPE, max_solutions=300)
    found = solve(SHAPE + text, max_solutions=300)
    assert every.complete
    assert found.complete
    assert sorted(grid.values for grid in found.solutions) == sorted(
        grid.values for grid in every.solutions if keeps(grid.values)
    )


def test_a_renban_that_names_a_cell_twice_has_no_solution():
    text = f"{SHAPE}.Renban~R1C1~R1C2~R1C1"
    assert read(text).puzzle.rules == (lines.Renban((0, 1, 0)),)
    assert solve(text, solver="pysat").status == "unsolvable"


@for_each(
    ("line", "most"),
    [
        *((f".{name}", 1) for name in ("Thermo", "Palindrome", "Renban", "RegionSumLine")),
        *((f".{name}~hD", 1) for name in ("Pair", "PairX", "Binary", "BinaryX")),
        *((f".{name}", 1) for name in ("Whisper", "Whisper~3", "Modular~3", "Entropic")),
        *((f".{name}", 2) for name in ("Between", "Zipper")),
    ],
)
def test_a_line_that_compares_no_cells_is_no_rule(line, most):
    cells = ("~R1C1", "~R1C2", "~R2C3")
    for count in range(1, 4):
        rules = read(line + "".join(cells[:count])).puzzle.rules
        assert len(rules) == (count > most), (line, count)


def test_a_repeated_cell_of_different_ones_counts_once():
    once = read(f"{SHAPE}.AllDifferent~R1C1~R2C2").puzzle
    assert read(f"{SHAPE}.AllDifferent~R1C1~R2C2~R1C1").puzzle == once


@for_each("name", ["Modular~1", "Whisper~0"])
def test_a_number_that_allows_all_pairs_is_no_rule(name):
    assert read(f"{SHAPE}.{name}~{LINE}").puzzle == Puzzle.empty(FOUR)
    assert "'R1C5'" in str(refusal(f"{SHAPE}.{name}~{LINE}~R1C5"))


def test_a_lockout_line_of_two_cells_with_any_difference_is_no_rule():
    assert read(f"{SHAPE}.Lockout~0~R1C1~R2C2").puzzle == Puzzle.empty(FOUR)


@for_each("name", ["HiddenSkyscraper", "NumberedRoom"])
def test_a_clue_may_be_any_value_of_the_grid(name):
    *_, rule = read(f".Shape~4x4~0-3.{name}~R1~0~").puzzle.rules
    assert (rule.line, rule.number) == ((0, 1, 2, 3), 0)
    assert "a number, 0 to 3" in str(refusal(f".Shape~4x4~0-3.{name}~R1~4~"))


@for_each("text", [".Shape~5x5", ".Shape~5x5~0-4", ".RegionSize~6"])
def test_a_windoku_without_windows_is_unread(text):
    assert read(f"{text}\n.Windoku").unread == ("line 2: '.Windoku'",)
    assert read(f"{SHAPE}.Windoku").unread == ()


def test_a_marked_cell_without_a_neighbour_is_unread():
    parsed = read(f"{SHAPE}.V~R1C1~R1C2~R4C4\n.Or\n.WhiteDot~R1C1~R2C2\n.Cage~3~R1C1~R1C2\n.End")
    assert parsed.puzzle.rules == (pairs.XV(0, 1, 5),)
    unread = (
        "line 1: 'R4C4 in .V'",
        *(f"line 3: '{cell} in .WhiteDot'" for cell in ("R1C1", "R2C2")),
    )
    assert parsed.unread == unread
    copies = read(f"{SHAPE}.Replicate~D.X~R1C1~R2C1~R4C3.End")
    assert copies.puzzle.rules == (pairs.XV(0, 4, 10), pairs.XV(1, 5, 10))
    assert copies.unread == ("line 1: 'R4C3 in .X'",)


def test_of_clues_at_one_place_the_last_counts():
    twice = {
        ".Sandwich~3~R1.Sandwich~5~C1.Sandwich~7~R1": ".Sandwich~5~C1.Sandwich~7~R1",
        ".Skyscraper~C1~2~3.Skyscraper~C1~4~": ".Skyscraper~C1~~3.Skyscraper~C1~4~",
        ".XSum~R1~5.XSum~R1~~6.XSum~R1~7": ".XSum~R1~~6.XSum~R1~7",
        ".Quad~R1C1~1.Quad~R1C2~1.Quad~R1C1~2~3": ".Quad~R1C2~1.Quad~R1C1~2~3",
        ".LittleKiller~9~R2C1.LittleKiller~8~R2C1": ".LittleKiller~8~R2C1",
        ".Cage~9~R1C1~R1C2.Cage~8~R1C1~R1C2": ".Cage~9~R1C1~R1C2.Cage~8~R1C1~R1C2",
    }
    for text, counted in twice.items():
        assert read(text).puzzle == read(counted).puzzle, text
    assert len(read(".Cage~9~R1C1~R1C2.Cage~8~R1C1~R1C2").puzzle.rules) == 2


def test_rows_and_columns_of_clues_are_decimal_and_cells_are_not():
    shape = ".Shape~12x12"
    row = tuple(range(9 * 12, 10 * 12))
    assert read(f"{shape}.Sandwich~5~R10").puzzle.rules == (outside.Sandwich(row, 5),)
    assert "'Ra'" in str(refusal(f"{shape}.Sandwich~5~Ra"))
    assert "'R13'" in str(refusal(f"{shape}.Sandwich~5~R13"))
    assert "'R10C1'" in str(refusal(f"{shape}.Thermo~R10C1~RaC2"))


def test_only_the_first_cell_of_a_pill_may_have_two_digits():
    puzzle = read(".Shape~12x12.PillArrow~3~R1C3~R1C1~R1C2~R2C2~R2C3").puzzle
    assert puzzle.rules == (cages.Arrow((0, 1, 2), (13, 14)),)
    nine, full = (1 << 9) - 1, (1 << 12) - 1
    assert puzzle.cells == (full, nine, nine, *[full] * 141)


def test_only_the_first_cell_of_a_pill_may_be_0_where_there_are_more_than_nine_values():
    for most, others in ((8, (1 << 9) - 1), (9, (1 << 10) - 2)):
        puzzle = read(f".Shape~9x9~0-{most}.PillArrow~2~R1C1~R1C2~R2C2~R2C3").puzzle
        assert puzzle.cells[:3] == ((2 << most) - 1, others, (2 << most) - 1)


def test_the_first_cell_of_a_numbered_room_tells_a_cell_of_its_line():
    rooms = ".Shape~1x2~3~Raw.NumberedRoom~R1~3~", ".Shape~1x3~0-2~Raw.NumberedRoom~R1~1~"
    short, long = ({grid.values for grid in solve(text).solutions} for text in rooms)
    assert short == {(2, 3)}  # not 3 and anything
    assert long == {*((1, *others) for others in product((0, 2), (0, 2))), (2, 1, 0), (2, 1, 2)}


def test_a_loop_has_a_piece_but_a_line_of_zeros_need_not():
    line = ".Shape~2x2~0-2~Raw.SumLine~2~R1C1~R1C2~R2C2"
    zeros = (0, 0, 0, 0)
    for text, some in ((line, True), (f"{line}~LOOP", False)):
        puzzle = read(text).puzzle
        assert puzzle.rules[-1].holds(puzzle.geometry, zeros) is some
        assert solve(puzzle, max_solutions=100).certificate.complete == "proved"


@for_each(
    ("side", "box", "corners"),
    [
        (4, (2, 2), ["22"]),
        (6, (2, 3), ["22"]),
        (8, (2, 4), ["22", "52"]),
        (12, (3, 4), ["22", "62", "27", "67"]),
        (7, (1, 7), []),
    ],
)
def test_a_windoku_of_another_side_has_windows_of_its_boxes_a_cell_apart(side, box, corners):
    height, width = box
    windows = read(f".Shape~{side}x{side}.Windoku").puzzle.rules
    assert windows == tuple(
        regions.ExtraRegion(
            tuple(
                (int(top) - 1 + down) * side + int(left) - 1 + right
                for down in range(height)
                for right in range(width)
            )
        )
        for top, left in corners
    )


def test_values_may_be_named_givens():
    assert read(".Given~R1C1_5~R1C2_1_2").puzzle == read(".~R1C1_5~R1C2_1_2").puzzle


LINK = "https://sigh.github.io/Interactive-Sudoku-Solver/?q="


def test_a_link_is_the_text_in_it():
    plain = read(".Cage~3~R1C1~R1C2.~R1C3_5")
    for link in (
        f"{LINK}.Cage~3~R1C1~R1C2.~R1C3_5\n",
        f"{LINK}%0A.Cage%7e3+~R1C1~R1C2%20.~R1C3_5&mode=step-by-step#x",
        "http://localhost:8080/?mode=x&q=.Cage~3~R1C1~R1C2.~R1C3_5",
    ):
        parsed = read(link)
        assert (parsed.puzzle, parsed.format) == (plain.puzzle, "iss")


def test_what_is_wrong_in_a_link_is_told_where_it_stands():
    link = f"{LINK}.Cage%7E3~R1C1~R1C2.Lunchboxes~3~R1C1"
    error = refusal(link)
    assert (error.line, error.column) == (1, link.index("Lunchboxes") + 1)
    assert "2 lines" in str(refusal(f"{link}\n.AntiKing\n"))


@pytest.mark.parametrize(
    "text",
    [
        ".Whisper~5~R1C1~R2C1~R3C1~R4C2~R5C3~R6C4~R7C5~R8C6",
        ".~R1C1_5_6_7_8"
        + "".join(f"~R{row}C{column}_5" for row in (2, 3) for column in range(1, 7)),
    ],
)
def test_a_text_as_long_as_a_jigsaw_is_none(text):
    assert len(text) in {2 * side * side for side in range(4, 26)}
    assert read(text).format == "iss"


def test_without_a_shape_it_is_of_nine():
    assert read(".Windoku").puzzle == Puzzle.empty(NINE_BY_NINE, (regions.Windoku(),))
    line = read(".Entropic~R1C1~R1C2~R2C3").puzzle
    assert line == Puzzle.empty(NINE_BY_NINE, (lines.Entropic((0, 1, 11)),))


def test_values_of_cells_hold_together():
    parsed = read(".~r1c1_5~R1C2_1_2_9.~R1C2_9_8")
    full = NINE_BY_NINE.all_values
    assert parsed.puzzle == Puzzle(NINE_BY_NINE, (16, 256, *[full] * 79))
    assert parsed.variant == "classic"
    marks = "R1C1_2_4~R2C2_1_3~R3C3_1"
    assert read(f"{SHAPE}.~{marks}").variant == "even-odd"


def test_values_of_a_cell_that_contradict_each_other_leave_no_solution():
    puzzle = read(f"{SHAPE}.~R1C1_1_2~R1C1_3_4~R1C1_2.").puzzle
    assert puzzle == Puzzle(FOUR, (2, *[15] * 15), (pairs.Among(0, (3, 4)),))


def test_lines_that_close_are_read():
    for name in ("Thermo", "Between", "Lockout~4"):
        kind, *_ = read(f"{SHAPE}.{name}~R1C1~R1C2~R2C2~R1C1.").puzzle.rules
        assert kind.line == (0, 1, 5, 0)


def test_an_old_jigsaw_tells_its_shape_too():
    assert read(f"{SHAPE}.Jigsaw~4x4~{JIGSAW}").puzzle == read(f"{SHAPE}.Jigsaw~{JIGSAW}").puzzle


def test_a_choice_that_always_holds_is_no_rule():
    assert read(".Or.Thermo~R1C1.~R1C1_1.End").puzzle.rules == ()


def test_given_values_in_groups_hold_together_with_others():
    text = f"{SHAPE}.~R1C1_1_2.And.~R1C1_2_3.End.Replicate~D.~R1C2_3.End"
    assert dict(read(text).puzzle.givens()) == {0: 2, 1: 3, 2: 3}


def test_a_pill_in_a_choice_has_one_digit_behind_its_first_in_that_choice():
    puzzle = read(".Shape~12x12.Or.PillArrow~2~R1C1~R1C2~R2C2.~R1C1_1.End").puzzle
    arrow, _ = puzzle.rules[0].choices
    assert arrow == (cages.Arrow((0, 1), (13,)), pairs.Among(1, tuple(range(1, 10))))
    assert {*puzzle.cells} == {(1 << 12) - 1}


def test_of_clues_at_one_place_the_last_counts_in_each_group():
    text = ".Sandwich~3~R1.And.Sandwich~4~R1.Sandwich~5~R1.End.Or.Sandwich~6~R1.Sandwich~7~R1.End"
    three, five, choice = read(text).puzzle.rules
    assert (three.number, five.number) == (3, 5)
    assert [rule.number for (rule,) in choice.choices] == [6, 7]


def test_a_name_is_shown_in_one_short_line():
    name = "%0Aa%20%00" + "long%20" * 20
    (rule,) = read(f".Pair~hD~_{name}~R1C1~R1C2").puzzle.rules
    assert rule.label == "a long long long long long long long lo…"
    assert len(rule.label) == custom.MAX_LABEL


def test_machines_with_too_many_states_if_deterministic_are_not_made_deterministic():
    hard = "(1|2)*1" + "(1|2)" * 17  # the state must tell the last 18 values
    text = base64.urlsafe_b64encode(hard.encode()).decode().rstrip("=")
    cells = [f"~R{row}C{column}" for row in range(1, 10) for column in range(1, 10)]
    (rule,) = read(f".Regex~{text}{''.join(cells)}").puzzle.rules
    assert isinstance(rule, custom.NondeterministicMachine)


def test_white_space_and_empty_items_mean_nothing():
    spread = " . Sha\tpe ~4 x4\n.. .Whis per~ 3~R1 C1~\n\nR1C2\n# words\n.~R1C1 _ 1.\n"
    assert read(spread).puzzle == read(f"{SHAPE}.Whisper~3~R1C1~R1C2.~R1C1_1").puzzle


def test_coordinates_above_nine_are_letters():
    parsed = read(".Shape~16x16.~R1Cg_16~RaCC_10")
    assert dict(parsed.puzzle.givens()) == {15: 16, 9 * 16 + 11: 10}


@for_each(("side", "box"), [(6, (2, 3)), (7, (1, 7)), (8, (2, 4)), (12, (3, 4))])
def test_a_shape_has_its_usual_boxes(side, box):
    assert read(f".Shape~{side}x{side}").puzzle.geometry == Geometry(*box)


def test_a_jigsaw_adds_regions_and_boxes_may_be_dropped():
    rules = tuple(map(regions.Region, REGIONS))
    assert read(f"{SHAPE}.Jigsaw~{JIGSAW}").puzzle == Puzzle.empty(FOUR, rules)
    without = f"{SHAPE}.NoBoxes.Jigsaw~{JIGSAW}"
    assert read(without).puzzle == Puzzle.empty(Geometry(1, 4), rules)
    line = read(f"{without}.RegionSumLine~{LINE}").puzzle.rules[-1]
    assert line == lines.RegionSum(CELLS, REGIONS)


def test_cells_outside_all_pieces_have_sums_of_their_own():
    text = f"{SHAPE}.NoBoxes.Jigsaw~0011001122222222.RegionSumLine~{LINE}~R3C3~R4C3"
    (*_, line) = read(text).puzzle.rules
    chunks = (0, 1, 4, 5), (2, 3, 6, 7)
    assert line == lines.RegionSum((*CELLS, 10, 14), (*chunks, tuple(range(8, 16))))


@for_each(
    ("layout", "areas"),
    [
        ("", (*FOUR.boxes(), (16, 17))),
        (f".NoBoxes.Jigsaw~{JIGSAW}", (*REGIONS, (16, 17))),
        (".NoBoxes.Jigsaw~0011001122222222", ((0, 1, 4, 5), (2, 3, 6, 7), tuple(range(8, 18)))),
    ],
)
def test_cells_outside_the_grid_have_sums_of_their_own(layout, areas):
    line = ".Var~A~~2x1.RegionSumLine~R1C1~R1C2~VA2~R1C3"
    assert read(f"{SHAPE}{layout}{line}").puzzle.rules[-1] == lines.RegionSum((0, 1, 17, 2), areas)


def test_cells_outside_the_grid_have_sums_of_their_own_in_a_group():
    text = f"{SHAPE}.Var~A.Or.RegionSumLine~R1C1~R1C2~VA.~R1C1_1.End"
    (*_, choice) = read(text).puzzle.rules
    line = lines.RegionSum((0, 1, 16), (*FOUR.boxes(), (16,)))
    assert choice.choices[0] == (line,)
    result = solve(text, format="iss", max_solutions=1000)
    assert len(result.solutions) == 72 * 4 + 24 + 24  # r1c1 is 1; 2 and 1, VA 3; 3 and 1, VA 4


@for_each("name", ["Lunchboxes", "Count", "Doppelgangers", "regionSize", "thermo", "Sumline"])
def test_a_type_that_is_not_known_is_refused_by_its_name(name):
    error = refusal(f".Thermo~{LINE}.{name}~R1C1~R2C1.AntiKing")
    assert (error.line, error.column) == (1, 24)
    assert str(error).endswith(f"expected a known constraint, found '{name}'")


def test_the_reference_names_the_types_that_are_read_and_some_that_are_refused():
    page = PAGES["docs/reference/formats.md"]
    (reads,) = re.findall(r"The following types are supported: ([^:]*) and the ones listed", page)
    (others,) = re.findall(r"- all other types, such as (.*);", page)
    read_too, refused = (re.findall(r"`\.(\w+)`", names) for names in (reads, others))
    assert {"", *read_too, *(name for name, _ in RULES_OF_TYPES)} == KNOWN_TYPES
    assert refused
    for name in refused:
        assert f"'{name}'" in str(refusal(f".{name}~R1C1~R1C2"))


REFUSED = {
    ".Shape~1x1": "'1x1'",
    ".Shape~6x17": "'6x17'",
    ".Shape~17x17": "'17x17'",
    ".Shape~9": "'9'",
    ".Shape": "rows and columns",
    ".Shape~6x9~8": "a number of values, 9 to 16",
    ".Shape~9x9~0-7": "a number of values",
    ".Shape~9x9~2-10": "'2-10'",
    ".Shape~9x9~17": "'17'",
    ".Shape~9x9~~raw": "'Raw' or the end",
    ".Shape~9x9~~Raw~1": "the end",
    ".RegionSize": "a number",
    ".RegionSize~10": "a number, 1 to 9",
    ".RegionSize~3.RegionSize~3": "a single '.RegionSize'",
    ".Var": "a name of 1 to 8 letters",
    ".Var~a": "a name of 1 to 8 letters",
    ".Var~A.Var~A": "that no other '.Var' has",
    ".Var~A~~0": "a number, 1",
    ".Var~A~~1000.Var~B~~1000": "at most 1024 cells outside",
    ".Var~A~~2.~VA_1": "or one of 'VA'",
    ".Var~A~~2.~VA3_1": "or one of 'VA'",
    ".Var~A.~VA1_1": "or one of 'VA'",
    ".~VA_1": "'R1C1' to 'R9C9', found",
    ".Shape~6x9.~R7C1_1": "'R1C1' to 'R6C9'",
    ".Shape~2x3.Var~A~~3.~R4C1_1": "'R1C1' to 'R2C3'",
    ".Shape~6x9.Skyscraper~R7~1~": "a row or column of the grid",
    ".Shape~9x9~0-8.~R1C1_9": "a number, 0 to 8",
    ".Shape~9x9~0-8.Entropic~R1C1~R1C2~R1C3": "values 1 to 9",
    ".Shape~9x9~0-8.AntiTaxicab": "a grid whose values start at 1",
    ".Shape~9x9~0-8.SumLine~1~R1C1~R1C2~LOOP": "a number, 2 to 30",
    ".Shape~3x3~~Raw.AntiKing": "a grid whose '.Shape' is not 'Raw'",
    ".Shape~3x3~~Raw.AntiConsecutive": "a grid whose '.Shape' is not 'Raw'",
    ".Shape~4x4~5.FullRank~C1~5~": "full rank: the grid must have as many values as rows",
    ".Shape~4x6.FullRank~C1~5~": "full rank: the grid must be square",
    ".Shape~4x6.FullRankTies~none": "no tied lines: the grid must be square",
    ".Shape~4x4~~Raw.FullRankTies~none": "a grid whose '.Shape' is not 'Raw'",
    ".Shape~4x4~~Raw.Or.FullRank~C1~5~.End": "a grid whose '.Shape' is not 'Raw'",
    ".Var~A.Indexing~C~VA": "indexer: a cell outside the grid",
    ".Shape~6x9.Windoku": "a square grid that is not 'Raw'",
    ".Shape~9x9~~Raw.Windoku": "a square grid that is not 'Raw'",
    ".Shape~6x6~9.Windoku": "as many values as rows",
    ".Windoku~1": "the end of the constraint",
    ".Shape~6x9.Diagonal~1": "must be square",
    ".Doppelganger": "the values 0 to n",
    ".Shape~9x9~0-9.RegionSize~3.Doppelganger": "the values 0 to n",
    ".Shape~9x9~0-8.Doppelganger": "the values 0 to n",
    ".Shape~5x7.RegionSize~6.ChaosConstruction": "regions of 6",
    ".RegionSize~1.ChaosConstruction": "regions of 1",
    ".RegionSize~3.ChaosConstruction": "at most 9 regions",
    ".ChaosArrow~R1C1": "'.ChaosConstruction' in the same constraint string",
    ".ChaosCount~R1C1~0~R1C1~R1C2": "'.ChaosConstruction' in the same constraint string",
    ".ChaosConstruction.ChaosArrow~R1C1~2~CC1~CC2": "a number, 0 to 1",
    ".ChaosConstruction.ChaosArrow~CC1": "a cell of the grid",
    ".ChaosConstruction.ChaosArrow~R1C1~0~CC1~CC2~-~CC2~CC3": "the same cell",
    ".ChaosConstruction.ChaosArrow~R1C1~0~CC1~R1C2": "a region label",
    ".ChaosConstruction.ChaosCount~R1C1~0~CC1": "at least 2 cells",
    ".ChaosConstruction.~CC2_4": "are arbitrary), found 'CC2_4'",
    ".ChaosConstruction.Or.~CC2_4.~R1C1_1.End": "are arbitrary), found 'CC2_4'",
    ".ChaosConstruction.Thermo~CC1~CC2": "are arbitrary), found 'Thermo'",
    ".ChaosConstruction.ConnectedValues~CC~1": "are arbitrary",
    ".ChaosConstruction.ChaosCount~CC3~0~CC1~CC2": "are arbitrary",
    ".ChaosConstruction.CountDistinct~CC3~CC1~CC2": "are arbitrary",
    ".ChaosConstruction.CountDistinct~R1C1~CC1~R1C2": "are arbitrary",
    ".ChaosConstruction.AllDifferent~CC1~R1C2": "are arbitrary",
    ".ConnectedValues~VA~1": "a group of cells",
    ".ConnectedValues~~": "a number, 1 to 9",
    ".ConnectedValues~~1~82": "a number, 1 to 81",
    ".Or.Var~A.~R1C1_1.End": "a constraint that '.Or' may contain",
    ".Shape~4x4.Shape~4x4": "a single '.Shape'",
    ".NoBoxes~1": "the end of the constraint",
    ".Jigsaw~0011": "81 characters, 9 for each region",
    ".Jigsaw~6x6~0011": "'9x9', or 81 characters",
    f"{SHAPE}.Jigsaw~0000111122222334": "all other cells share one character",
    f"{SHAPE}.NoBoxes.DisjointSets": "a square grid with boxes",
    ".Shape~6x9.DisjointSets": "a square grid with boxes",
    f"{SHAPE}.NoBoxes.RegionSumLine~R1C1~R1C2": "a grid with boxes or a jigsaw",
    f"{SHAPE}.Entropic~{LINE}": "a grid of side 9 with the values 1 to 9, found",
    f"{SHAPE}.ChaosConstruction.RegionSumLine~{LINE}": "a jigsaw and without",
    f"{SHAPE}.ChaosConstruction.Or.RegionSumLine~{LINE}.End": "a jigsaw and without",
    ".AntiKing~R1C1": "the end of the constraint",
    ".~R1C1": "a cell and its values",
    ".~": "a cell and its values",
    ".~R1C1_0": "a number, 1 to 9",
    f"{SHAPE}.~R5C1_1": "'R1C1' to 'R4C4'",
    ".Lockout~3~R1C1": "at least 2 cells in '.Lockout', found 1",
    ".DoubleArrow~R1C1~R1C2": "at least 3 cells",
    ".Thermo~R1C1~LOOP": "'LOOP'",
    ".WhiteDot~R1C1~R1C2~R1C1": "different cells",
    ".Cage~x~R1C1": "a number, 0 or more",
    ".Cage~5": "at least 1 cell",
    ".Cage": "a number",
    ".EqualSum~R1C1~R1C2": "two groups",
    ".EqualSum~R1C1~-": "two groups",
    ".SameValues~2~R1C1~R1C2~R1C3": "2 groups of equal size",
    ".PillArrow~4~R1C1~R1C2~R1C3~R1C4~R2C4": "2 to 3",
    ".Quad~R9C9~1": "top left",
    ".Quad~R1C1": "a cell, and values",
    ".Quad~R1C1~10": "1 to 9",
    ".Diagonal": "'1' or '-1'",
    ".Diagonal~2": "'1' or '-1'",
    ".LittleKiller~9~R2C2": "at the edge",
    ".LittleKiller~9~R9C1": "except its lower corners",
    ".LittleKiller~9~R9C9": "except its lower corners",
    ".Skyscraper~C1~0": "1 or more",
    ".LittleKiller~9": "at least 1 cell",
    ".Sandwich~3~R1C1": "'R1' or 'C1'",
    ".Sandwich~3": "a row or column",
    f"{SHAPE}.XSum~C5~1~2": "'R1' or 'C1'",
    ".XSum~C5~~": "a number",
    ".XSum~C5": "a number",
    ".Indexing~B~R1C1": "'R' or 'C'",
    ".SumLine~31~R1C1": "1 to 30",
    ".SumLine~5~LOOP": "at least 1 cell",
    ".SumLine~5~R1C1~LOOP~R1C2": "'LOOP'",
    ".Thermo~R1C1~R1C2~LOOP": "'LOOP'",
    ".ValueIndexing~R1C1~R1C2": "at least 3 cells",
    ".Lunchbox~5~R1C1": "at least 2 cells",
    ".Lunchbox~5~R1C1~R1C2~R1C1": "different cells",
    ".Sum~x~R1C1": "a number",
    ".Sum~5_1_2~R1C1~R1C2": "'='",
    ".Sum~5_=_1~R1C1~R1C2": "2 factors",
    ".Sum~5_=_1_101~R1C1~R1C2": "-100 to 100",
    ".Sum~5_=_1_~R1C1~R1C2": "a number",
    ".RellikCage~0~R1C1": "1 or more",
    ".EqualityCage~R1C1~R1C2~R1C3": "an even number of cells",
    ".ContainExact~1_10~R1C1": "1 to 9",
    ".ContainAtLeast~1_~R1C1": "1 to 9",
    ".ContainAtLeast~1": "at least 1 cell",
    ".LookAndSay~122~R1C1": "pairs of a count and a value",
    ".LookAndSay~1222~R1C1": "each value once",
    ".Modular~0~R1C1~R1C2": "1 or more",
    ".LookAndSay~x2~R1C1": "0 or more",
    f"{SHAPE}.LookAndSay~01020304~R1C1": "a rule that can be satisfied",
    ".CountDistinct~R1C1": "at least 1 cell",
    ".CountDistinct~R1C1~R1C2~R1C2": "different cells",
    ".Lockout~0~R1C1~R1C2~R1C3": "a difference of at least 1",
    ".CountingCircles~R1C1~R1C1": "different cells",
    ".HiddenSkyscraper~C1~10": "1 to 9",
    ".NumberedRoom~C1~0": "1 to 9",
    ".FullRank~C1~37": "1 to 36",
    ".FullRankTies~all": "'none'",
    ".FullRankTies~none.FullRankTies~any": "a single '.FullRankTies'",
    f"{SHAPE}.GlobalEntropy": "a grid of side 9",
    f"{SHAPE}.GlobalMod": "a grid of side 9",
    f"{SHAPE}.DutchFlatmates": "a grid of side 9",
    f"{SHAPE}.Pair~hDAE~R1C1~R1C2": "more than 4 values",
    ".Pair~h+D~R1C1~R1C2": "'+' in it",
    ".PairX~hD~R1C1~R1C2~R1C1": "different cells",
    ".Pair~hD~R1C1~x": "'x'",
    ".Pair": "a relation in base64",
    f"{SHAPE}.NFA~gAAA~R1C1": "an unknown kind of machine",
    f"{SHAPE}.NFA~QPr0~R1C1": "cut off",
    f"{SHAPE}.NFA~QPr0AAAB~R1C1": "extra bits at its end",
    f"{SHAPE}.NFA~RNI4~R1C1": "a reference to state 3",
    ".Shape~6x6.NFA~QiwA~R1C1": "more than 6 values",
    ".NFA~QPr0AA": "at least 1 cell",
    ".Regex~KDE~R1C1": "expected ')' as character 3, found the end",
    ".Regex~MSk~R1C1": "found ')'",
    ".Regex~WzItMV0~R1C1": "a range that ends before it begins",
    ".Regex~MXsyLDF9~R1C1": "2 to 1 times",
    ".Regex~MXs5OTk5fQ~R1C1": "more than 1024 characters",
    f"{SHAPE}.Regex~NQ~R1C1": "a value, 1 to 4,",
    ".Regex~4~R1C1": "cut off",
    ".Regex~gICA~R1C1": "a pattern in base64",
    ".Or.End": "at least one constraint",
    ".Or.~R1C1_1": "'.End' for '.Or'",
    ".End": "no group is open",
    ".Or~x.~R1C1_1.End": "the end of the constraint",
    ".And~x.~R1C1_1.End": "the end of the constraint",
    ".And.~R1C1_1.End~x": "the end of the constraint",
    ".Or.AntiKing.End": "a constraint that '.Or' may contain",
    ".And.Shape~9x9.End": "a constraint that '.And' may contain",
    ".Or.StrictXV.End": "a constraint that '.Or' may contain",
    ".Replicate~D.Sandwich~5~C1.End": "a constraint that '.Replicate' may contain",
    ".StrictKropki.And.WhiteDot~R1C1~R1C2.End": "no '.WhiteDot' inside a group",
    ".NoBoxes.Or.RegionSumLine~R1C1~R1C2.End": "a grid with boxes",
    ".Shape~6x6.RegionSize~4.Or.RegionSumLine~R1C1~R1C3.End": "a grid with boxes",
    ".FullRankTies~any.Or.FullRank~C1~3.End": "no '.FullRankTies', because a group contains",
    ".Replicate~.Thermo~R1C1~R1C2.End": "at least one copy",
    ".Replicate.Thermo~R1C1~R1C2.End": "the cells of copies",
    ".Replicate~x+.Thermo~R1C1~R1C2.End": "'+' in it",
    f".Replicate~D~{LINE}.Thermo~R1C1~R1C2.End": "the end of the constraint",
    ".Replicate~B~R5C5.Thermo~R9C9~R9C8.Replicate~D.X~R9C8~R9C9.End.End": "0 rows down and 1",
    ".Replicate~AB~R9C9.Thermo~R1C1~R1C2.End": "copies inside the grid",
    ".Or" * 21: "groups nested at most 20 deep",
    ".Replicate~DY" * 8 + ".~R1C1_1_2" + ".End" * 8: "at most 20000 constraints",
    ".": "a constraint",
    "R1C1.": "'.' and the type",
}


@for_each("text", REFUSED)
def test_what_is_wrong_is_refused_with_what_was_expected(text):
    assert REFUSED[text] in str(refusal(text))


WHOLE = (
    "Shape~4x4",
    "NoBoxes",
    f"Jigsaw~{JIGSAW}",
    "~R1C1_1~R1C2_2_3",
    *(
        text[1:]
        for text in RULES_ON_4X4
        if text.count(".") == 1 and not re.search("DisjointSets|Priority|FullRankTies", text)
    ),
    "StrictKropki",
    "StrictXV",
)
"""Constraints of all types but those that need boxes, nine or others, and hints."""


def told(items: list[str]) -> tuple[Puzzle, tuple[str, ...]] | None:
    try:
        parsed = read("." + ".".join(items))
    except InvalidPuzzle:
        return None
    return parsed.puzzle, parsed.unread


def test_no_constraint_can_change_and_the_puzzle_stay():
    assert told([*WHOLE])
    for item in WHOLE:
        around = [other for other in WHOLE[:4] if other != item]
        before = told([*around, item])
        assert before is not None
        name, *words = item.split("~")
        changes = ["", f"{name}2" + item.removeprefix(name), f"{item}~R4C4"]
        for place, word in enumerate(words):
            others = [[f"{word}x"], [_next(word)], *([[]] if word else [])]
            changes += [
                "~".join([name, *words[:place], *other, *words[place + 1 :]]) for other in others
            ]
        for change in changes:
            assert told([*around, *filter(None, [change])]) != before, (item, change)


def _next(word: str) -> str:
    """Another cell, number or sign."""
    return f"{word[:-1]}{int(word[-1]) % 4 + 1}" if word and word[-1].isdigit() else f"{word}-"


@pytest.mark.parametrize("text", [f"{SHAPE}.~R1C1_1", f".Thermo~{LINE}", ".X~R1C1~R1C2"])
def test_a_text_that_is_cut_off_says_so_unless_it_is_one_all_the_same(text):
    for end in range(1, len(text)):
        if told([text[1:end]]) is None:
            assert refusal(text[:end]).truncated, text[:end]


def test_a_grid_that_begins_with_a_dot_is_a_grid():
    assert read("." * 16).format == "line"
    assert read("...1\n.2..\n..3.\n4...").format == "grid"
    rows = "\n".join("." + "NFADBCEGHIJKLOP" for _ in range(16))
    assert read(rows).format == "characters A-P"


def test_constraints_one_a_line_are_one_text_even_if_it_is_refused():
    text = ".Thermo~R1C1~R1C2\n.Cage~3~R1C1~R1C2\n.Lunchboxes~3~R1C1~R2C1\n"
    assert layout_of(text.encode(), complete=True) is None
    assert "'Lunchboxes'" in str(refusal(text))


signs = st.sampled_from([*".~~~_- \n", *"RC19agxé", "R1C1", "R2C1", "~R1C2", "3", "4x4", "-1"])


@examples(120)
@given(st.lists(st.sampled_from([*TYPES, "Shape", "Jigsaw", "NoBoxes", ""]) | signs, max_size=25))
def test_anything_is_read_or_refused_at_a_place_that_exists(words):
    text = "." + "".join(words)
    check_read_or_refused(text, "iss")
