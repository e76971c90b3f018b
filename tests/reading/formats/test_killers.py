"""Killers as numbers, as arrows and as SumoCue's, and what is said of those that are none."""

from __future__ import annotations

from support.cases import for_each
from support.notations import ARROWS, KILLER, SUMOCUE
from support.parsers import read, said_of

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.regions import Diagonal, Region

NINE = Geometry(3, 3)
HEADER = "3x3::k:"
NUMBER = "a number and a colon"
STEP = "a step, one of <>^v`',. or a sum, one of 0-9, A-Z, a-j"
PART = "'=' and a sum or '+' and the number of a cell"


def killer(*cages: int) -> str:
    """The text with these first numbers, the rest without a cage."""
    numbers = [*cages, *[0] * (81 - len(cages))]
    return HEADER + "".join(f"{number}:" for number in numbers)


def arrows(signs: str) -> str:
    """The text with these first signs, the rest without a cage."""
    return signs.ljust(81, "0")


def sumocue(*parts: str, side: int = 4, more: str = "") -> str:
    return "SumoCueV1" + "".join([*parts, *[f"=0{more}"] * (side**2 - len(parts))])


def test_equal_numbers_are_a_cage_and_small_ones_are_none():
    rules = read(killer(5 * 256, 7 * 256 + 3, 5 * 256, 12)).puzzle.rules
    assert rules == (Cage((0, 2), 5), Cage((1,), 7))


def test_the_letter_d_is_for_both_diagonals():
    parsed = read(KILLER)
    assert (parsed.puzzle.geometry, parsed.variant) == (NINE, "rules")
    assert parsed.puzzle.rules[:2] == (Diagonal(rising=False), Diagonal(rising=True))
    assert {type(rule) for rule in parsed.puzzle.rules[2:]} == {Cage}
    assert {*read(KILLER.replace(":d:", "::")).puzzle.rules} < {*parsed.puzzle.rules}


def test_steps_lead_to_the_sum_of_their_cage_in_all_eight_directions():
    around = ("." + "v" + ",000000") + (">a<000000") + ("'^`000000")
    assert read(arrows(around)).puzzle.rules == (Cage((0, 1, 2, 9, 10, 11, 18, 19, 20), 36),)


def test_a_sum_of_nought_is_none_and_its_cage_is_one_all_the_same():
    assert read(arrows("0<8")).puzzle.rules == (Cage((0, 1)), Cage((2,), 8))
    assert len(read(ARROWS).puzzle.rules) == sum(sign not in "<>^v" for sign in ARROWS)


def test_a_cage_of_one_cell_is_a_given_in_sumocue():
    parsed = read(sumocue("=3", "=7", "+1", "=4"))
    assert dict(parsed.puzzle.givens()) == {0: 3, 3: 4}
    assert parsed.puzzle.rules == (Cage((1, 2), 7),)
    assert parsed.puzzle.geometry == Geometry(2, 2)


def test_a_cage_of_one_cell_with_a_sum_above_the_side_leaves_no_solution():
    assert read(sumocue("=5")).puzzle.rules == (Cage((0,), 5),)


def test_without_cages_it_is_a_plain_puzzle():
    parsed = read(sumocue("=3"))
    assert (parsed.puzzle.is_plain, parsed.variant) == (True, "classic")


def test_regions_take_the_place_of_boxes_in_sumocue():
    parsed = read(SUMOCUE)
    assert parsed.puzzle.geometry == Geometry(1, 6)
    assert [type(rule) for rule in parsed.puzzle.rules[:7]] == [Region] * 6 + [Cage]
    diagonals = read(SUMOCUE.replace("V1", "V1D")).puzzle.rules
    assert {*diagonals} - {*parsed.puzzle.rules} == {Diagonal(rising=True), Diagonal(rising=False)}


@for_each(
    ("text", "message"),
    [
        (HEADER, "1:8: expected 81 numbers, each with a colon, found 0 numbers"),
        (HEADER + "12:13", f"1:11: expected {NUMBER}, found '13'"),
        (HEADER + "12:a:13:", f"1:11: expected {NUMBER}, found 'a:'"),
        (HEADER + "123456:", f"1:8: expected {NUMBER}, found '123456:'"),
        (killer(0), "1:1: expected a cage: a number of 256 or more, found no cage"),
        (killer(256) + "0:", "1:172: expected the end after 81 numbers, found '0:'"),
        (
            killer(256, 512),
            "1:12: expected the sum 1 of the other cells of cage 0, found '512:'",
        ),
        (f"{KILLER}\nx", "2:1: expected a single puzzle, found 2 lines"),
    ],
)
def test_a_killer_that_is_none_is_refused(text, message):
    assert said_of(text).startswith(message)


@for_each(
    ("text", "message"),
    [
        ("S<J", "1:4: expected 81 characters, found 3 characters"),
        (ARROWS + "<", "1:83: expected 81 characters, found 82 characters"),
        (ARROWS[:9] + "k" + ARROWS[10:], f"1:10: expected {STEP}, found 'k'"),
        (arrows("0^"), "1:2: expected a step to another cell, found '^'"),
        (
            arrows("0><"),
            "1:2: expected steps that lead to a sum, not in a circle, found '>'",
        ),
    ],
)
def test_arrows_that_lead_nowhere_are_refused(text, message):
    assert said_of(text).startswith(message)


@for_each(
    ("text", "message"),
    [
        ("SumoCueV2=0", "1:1: expected 'SumoCueV1' or 'SumoCueV1D' and a part for each cell"),
        ("SumoCueV1", "1:10: expected a part for each of 81 cells, found 0 parts"),
        ("SumoCueV1=1=2=", f"1:14: expected {PART}, found '='"),
        ("SumoCueV1=1=x=2", f"1:12: expected {PART}, found '=x'"),
        (sumocue("=1J0", "=1"), f"1:14: expected {PART}, then 'J' and the number"),
        (sumocue("+0"), "1:10: expected the number of a cell that opens a cage, from 0"),
        (sumocue("=0", "+16"), "1:12: expected the number of a cell that opens a cage"),
        (sumocue(more="J0"), "1:26: expected 4 regions of 4 cells, found '=0J0'"),
        (sumocue("=0") * 2, "1:40: expected '=' and a sum"),
    ],
)
def test_what_sumocue_does_not_write_is_refused(text, message):
    assert said_of(text).startswith(message)
