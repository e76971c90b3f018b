"""What everything that is written must say: the same as the puzzle, or nothing.

A new target is tested by being registered, a new rule by its examples in `support/rules/`.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.cases import for_each
from support.documents import document, text_of, whole
from support.rules.examples import EXAMPLES
from support.solvers import solve_at_hand
from support.strategies import SMALL_GEOMETRIES, examples, puzzles, solved_grids

from pipeline import Geometry, Grid, Puzzle, UsageError, parse_puzzle
from pipeline.certify.variants import search_all_of_variant
from pipeline.errors import InvalidPuzzle
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import cages, free, lines, pairs
from pipeline.reading.formats import targets
from pipeline.reading.formats.cells import shape_in_words
from pipeline.reading.formats.notations import RULES_OF_KEYS, RULES_OF_TYPES
from pipeline.reading.formats.targets import TARGETS, Target

FOLDER = Path(__file__).parents[2] / "examples"
every_target = pytest.mark.parametrize("to", TARGETS)
every_with_rules = pytest.mark.parametrize("to", ["f-puzzles", "iss"])
every_rule = for_each("kind", EXAMPLES)


def example_puzzles() -> dict[str, Puzzle]:
    found = {}
    for path in sorted(FOLDER.iterdir()):
        try:
            found[path.name] = parse_puzzle(path.read_bytes())
        except InvalidPuzzle:  # a formula, or many
            continue
    return found


PUZZLES = example_puzzles()


def written(puzzle: Puzzle, to: str) -> str | None:
    """The text, None if it is refused with what it cannot say."""
    try:
        return puzzle.to(to)
    except ValueError as error:
        if not str(error).startswith(f"{to} cannot express "):
            raise
    return None


def keeps(puzzle: Puzzle, values: tuple[int, ...]) -> bool:
    """Whether values are allowed in all cells, and keep all rules."""
    low = puzzle.geometry.lowest
    allowed = all(mask >> (v - low) & 1 for mask, v in zip(puzzle.cells, values, strict=True))
    return allowed and all(rule.holds(puzzle.geometry, values) for rule in puzzle.rules)


MOST = 300
"""Solutions that are compared: all of a classic grid of 4×4, which has 288."""


def solutions(puzzle: Puzzle) -> set[tuple[int, ...]]:
    """MOST solutions at most: the search needs neither a process nor an answer for each."""
    found = search_all_of_variant(puzzle, (), max_solutions=MOST)
    if found.undecided:
        return {grid.values for grid in solve_at_hand(puzzle, max_solutions=MOST).grids}
    return {grid.values for grid in found.missing}


def check_same(puzzle: Puzzle, found: Puzzle) -> None:
    """The same grid, cells and rules; or what is stated otherwise has the same solutions."""
    assert found.geometry == puzzle.geometry
    if found.cells == puzzle.cells and sorted(map(repr, found.rules)) == sorted(
        map(repr, puzzle.rules)
    ):
        return
    ours, theirs = solutions(puzzle), solutions(found)
    assert len(ours) == len(theirs)
    assert ours == theirs or len(ours) == MOST
    chance, values = random.Random(1), puzzle.geometry.values
    others = {tuple(chance.choices(values, k=puzzle.geometry.size)) for _ in range(200)}
    verdicts = {grid: keeps(puzzle, grid) for grid in ours | theirs | others}
    assert verdicts == {grid: keeps(found, grid) for grid in verdicts}
    assert {*verdicts.values()} >= {False, bool(ours)}
    assert len(found.rules) <= len(puzzle.rules)


@every_target
def test_examples_read_back_as_themselves_or_are_refused_by_what_has_no_sign(to):
    texts = {name: written(puzzle, to) for name, puzzle in PUZZLES.items()}
    told = {name for name, text in texts.items() if text}
    for name in told:
        check_same(PUZZLES[name], parse_puzzle(texts[name]))
    assert {"classic.sudoku", "hodoku.txt"} <= told
    assert "samurai.txt" not in told
    has_rules = to.startswith(("f-puzzles", "sudokupad")) or to == "iss"
    assert ("killer.txt" in told) == has_rules
    assert ("pencil-marks.txt" in told) == (has_rules or to == "pencil-marks")


@every_target
@examples(12)
@given(data=st.data())
def test_a_puzzle_reads_back_as_itself_or_is_refused_by_name(to, data):
    geometry = data.draw(st.sampled_from([*SMALL_GEOMETRIES, NINE_BY_NINE, NINE_BY_NINE]))
    variant = data.draw(st.sampled_from(["classic", "classic", "even-odd"]))
    puzzle = data.draw(puzzles(geometry, variant))
    text = written(puzzle, to)
    if text is not None:
        assert parse_puzzle(text) == puzzle
    elif geometry == NINE_BY_NINE:
        assert variant == "even-odd"


@every_target
@examples(6)
@given(data=st.data())
def test_a_solution_is_a_filled_grid_or_stands_beside_its_puzzle(to, data):
    grid = data.draw(solved_grids(NINE_BY_NINE))
    puzzle = Puzzle.of_values(NINE_BY_NINE, [value if value < 4 else 0 for value in grid.values])
    text = puzzle.to(to, grid)
    if not (TARGETS[to].pair or TARGETS[to].annotated):
        assert parse_puzzle(text) == Puzzle.of_values(NINE_BY_NINE, grid.values)
    else:
        assert parse_puzzle(text) == puzzle
        assert parse_puzzle(puzzle.to(to)) == puzzle


@every_with_rules
@every_rule
def test_a_rule_reads_back_as_itself_or_is_refused_by_name(to, kind):
    for geometry, rule in EXAMPLES[kind]:
        puzzle = Puzzle.empty(geometry, (rule,))
        what = ""
        try:
            check_same(puzzle, parse_puzzle(puzzle.to(to)))
        except ValueError as error:
            what = str(error).removeprefix(f"{to} cannot express ")
        named = {"", rule.describe(geometry), shape_in_words(geometry)}
        assert what in named or re.fullmatch(MORE_SAID, what)


ALL_RULES = [example for each in EXAMPLES.values() for example in each]
GRIDS = (Geometry(2, 2), Geometry(2, 3), NINE_BY_NINE, Geometry(1, 4))


@st.composite
def ruled(draw: st.DrawFn, to: str) -> Puzzle:
    """A puzzle with a solution, several rules, and cells that allow some values."""
    geometry = draw(st.sampled_from([grid for grid in GRIDS if grid in said_by(to)]))
    solution = draw(solved_grids(geometry)).values
    kept = [rule for rule in said_by(to)[geometry] if rule.holds(geometry, solution)]
    assume(kept)
    rules = draw(st.lists(st.sampled_from(kept), min_size=1, max_size=6))
    masks = st.just(geometry.all_values) | st.integers(0, geometry.all_values)
    cells = draw(st.lists(masks, min_size=geometry.size, max_size=geometry.size))
    cells = [mask | 1 << value - 1 for mask, value in zip(cells, solution, strict=True)]
    return Puzzle(geometry, tuple(cells), tuple(rules))


@cache
def said_by(to: str) -> dict[Geometry, list[Rule]]:
    """The examples of rules that a target can say alone."""
    found = defaultdict(list)
    for geometry, rule in ALL_RULES:
        if written(Puzzle.empty(geometry, (rule,)), to):
            found[geometry].append(rule)
    return found


@every_with_rules
@examples(40)
@given(data=st.data())
def test_rules_beside_each_other_read_back_as_themselves_or_are_refused_by_name(to, data):
    puzzle = data.draw(ruled(to))
    text = written(puzzle, to)
    if text is not None:
        check_same(puzzle, parse_puzzle(text))


def kinds_said(to: str, more: list[Puzzle]) -> set[type[Rule]]:
    """The kinds of rules that are written at least once."""
    alone = [Puzzle.empty(at, (rule,)) for each in EXAMPLES.values() for at, rule in each]
    told = [puzzle for puzzle in [*alone, *more] if written(puzzle, to)]
    return {type(rule) for puzzle in told for rule in puzzle.rules}


MORE_SAID = r"the values [\d ]+ of r\d+c\d+|that there is no row \d"
"""What a text would say of other cells: the tail of a pill is digits, and a row is not alone."""

ISS_TEXTS = (
    ".Entropic~R1C1~R1C2~R1C3.GlobalEntropy.GlobalMod.DutchFlatmates",
    ".Shape~6x9",
    ".Shape~9x9~0-8.~R1C1_0.Modular~3~R1C1~R1C2",
    ".Shape~4x4~~Raw.X~R1C1~R1C2",
    ".Shape~6x6.RegionSize~4.RegionSameValues",
    ".Shape~4x4.NoBoxes.Jigsaw~0011001122332233.RegionSameValues",
    ".Shape~4x4.ChaosConstruction.ChaosArrow~R1C1.ChaosCount~R2C2~0~CC6~CC7",
    ".Shape~3x3~0-3.Doppelganger",
    ".Shape~4x4.Var~A~~3.Sum~7~VA1~VA2~R1C1.Var~B.~VB_2",
    ".StrictKropki.StrictXV.WhiteDot~R1C1~R1C2.BlackDot~R5C5~R5C6.V~R7C7~R7C8",
    ".FullRankTies~any.FullRank~R1~~7",
    ".Shape~4x4.~R1C1_1.~R1C1_2.~R1C1_3_4.Thermo~R1C1~R1C2",
    ".Or.And.~R1C1_5.Thermo~R1C1~R1C2.End.Cage~7~R3C3~R3C4.End",
)


def test_every_kind_of_rule_that_is_read_from_f_puzzles_is_written():
    marked = document(9, nonconsecutive=True)
    negative = document(9, negative=["xv", "ratio", "difference"])
    more = [parse_puzzle(text_of(each)) for each in (whole(), marked, negative)]
    assert {kind for _, kind in RULES_OF_KEYS} <= kinds_said("f-puzzles", more)


def test_every_kind_of_rule_that_is_read_from_iss_is_written():
    more = [parse_puzzle(text, format_name="iss") for text in ISS_TEXTS]
    assert {kind for _, kind in RULES_OF_TYPES} - {free.SameRegions} <= kinds_said("iss", more)


@for_each("text", ISS_TEXTS)
def test_a_text_about_any_grid_reads_back_as_itself(text):
    puzzle = parse_puzzle(text, format_name="iss")
    check_same(puzzle, parse_puzzle(puzzle.to("iss")))


def test_a_document_with_every_key_says_the_same_when_it_is_written_again():
    puzzle = parse_puzzle(text_of(whole()))
    again = puzzle.to("f-puzzles")
    check_same(puzzle, parse_puzzle(again))
    keys = {key for key, _ in RULES_OF_KEYS}
    assert whole().keys() & keys == json.loads(again).keys() & keys


def test_what_says_something_else_when_it_is_read_is_never_handed_out(monkeypatch):
    """The difference is named, whether a rule, a value or the shape is lost, or nothing is read."""
    puzzle, iss = PUZZLES["killer.txt"].with_rules(pairs.AntiKnight()), TARGETS["iss"].item

    def wrong(item: Callable[[Puzzle], str]) -> str:
        monkeypatch.setattr(targets, "TARGETS", {"iss": Target(item, ())})
        with pytest.raises(ValueError, match=r"^iss cannot express ") as caught:
            puzzle.to("iss")
        return str(caught.value).removeprefix("iss cannot express ")

    assert wrong(lambda p: iss(p).replace(".AntiKnight", "")) == "anti-knight"
    assert wrong(lambda p: f"{iss(p).strip()}.AntiKing") == "that there is no anti-king"
    assert wrong(lambda p: f"{iss(p).strip()}.~R1C1_1_2") == "the values 1 2 3 4 5 6 7 8 9 of r1c1"
    assert wrong(lambda p: iss(p).replace("9x9", "9x9.NoBoxes")) == "boxes of 3×3 cells"
    assert wrong(lambda p: iss(p).replace("AntiKnight", "AntiKnigh")) == "anti-knight"


def test_what_is_the_same_in_another_form_is_written():
    """Marks as rules of one cell, a sandwich from its end, values of quadruples in any order."""
    nine = Puzzle.empty(NINE_BY_NINE)
    odd = nine.with_rules(pairs.Parity(0, odd=True), lines.Thermometer((1, 2)))
    assert "~R1C1_1_3_5_7_9" in odd.to("iss")
    around = nine.with_rules(cages.Quadruple((10, 0, 1, 9), (3, 4)))
    assert ".Quad~R1C1~3~4" in around.to("iss")


def test_a_target_that_there_is_not_is_named_with_those_that_there_are():
    with pytest.raises(UsageError, match="lines, csv, grid"):
        Puzzle.empty(NINE_BY_NINE).to("crossword")


def test_what_holds_a_larger_side_in_letters_says_so():
    puzzle = Puzzle.of_values(Geometry(4, 4), [at % 16 + 1 for at in range(256)])
    for to in ("lines", "grid", "csv"):
        assert parse_puzzle(puzzle.to(to)) == puzzle
    assert written(puzzle, "ss") is None


def test_a_solution_of_a_puzzle_with_rules_is_its_grid_alone():
    grid = Grid(Geometry(2, 2), (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1))
    puzzle = Puzzle.empty(grid.geometry, (cages.Cage((0, 1), 3),))
    assert puzzle.to("lines", grid) == "1234341221434321\n"
    assert json.loads(puzzle.to("f-puzzles", grid))["solution"] == [*grid.values]
