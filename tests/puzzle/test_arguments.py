"""The arguments of rules are checked and converted when a rule is made."""

from __future__ import annotations

import pickle
import re

import pytest

from pipeline import rules
from pipeline.puzzle.puzzle import Puzzle

FOUR = Puzzle.empty(4)
CAGE = rules.Cage([(1, 1), (1, 2)], total=3)


@pytest.mark.parametrize(
    ("by_position", "by_number"),
    [
        (CAGE, rules.Cage((0, 1), 3)),
        (rules.Cage([[1, 1], 1]), rules.Cage((0, 1))),
        (rules.Thermometer([(1, 1), (2, 2), (3, 3)]), rules.Thermometer((0, 5, 10))),
        (rules.WhiteDot((1, 1), (1, 2)), rules.WhiteDot(0, 1)),
        (rules.Extreme((1, 1), [(1, 2)], maximum=True), rules.Extreme(0, (1,), maximum=True)),
        (rules.EqualSums([[(1, 1)], [(4, 4)]]), rules.EqualSums(((0,), (15,)))),
        (rules.Sum([((1, 1), 2), ((1, 2), 1)], 4), rules.Sum(((0, 2), (1, 1)), 4)),
        (rules.Nonconsecutive([((1, 2), (1, 1))]), rules.Nonconsecutive(((0, 1),))),
        (rules.BoxIndexer((1, 1), [0, 1, 4, 5]), rules.BoxIndexer(0, (0, 1, 4, 5))),
        (rules.OneOf([CAGE, [rules.AntiKing(), CAGE]]), None),
    ],
)
def test_a_puzzle_replaces_positions_by_numbers(by_position, by_number):
    if by_number is None:
        placed = rules.Cage((0, 1), 3)
        by_number = rules.OneOf(((placed,), (rules.AntiKing(), placed)))
    assert (by_position.has_positions, by_number.has_positions) == (True, False)
    [rule] = FOUR.with_rules(by_position).rules
    assert rule == by_number
    assert not rule.has_positions
    assert FOUR.with_rules(by_number).rules[0] is by_number
    assert hash(by_position) == hash(pickle.loads(pickle.dumps(by_position)))


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("Cage", ("r1c1", 3), "cage: cells: expected a list of cells, found 'r1c1'"),
        ("Cage", (["r1c1"], 3), "cage: cells: expected a cell, as (row, column) from 1 or as a"),
        ("Cage", ([(0, 1)], 3), "number from 0, found (0, 1)"),
        ("Cage", ([(1, 1, 1)], 3), "number from 0, found (1, 1, 1)"),
        ("Cage", ([-1], 3), "number from 0, found -1"),
        ("Cage", ([0.5], 3), "number from 0, found 0.5"),
        ("Cage", ([(1, 1)], "3"), "cage: total: expected a whole number, found '3'"),
        ("Diagonal", (1,), "diagonal: rising: expected True or False, found 1"),
        ("EqualSums", ([1, 2],), "equal sums: parts: expected a list of cells, found 1"),
        ("Nonconsecutive", ([(1, 2, 3)],), "exempt: expected pairs of cells, found 3 cells"),
        ("Sum", ([(1, 2, 3)], 4), "sum: terms: expected (cell, weight), found (1, 2, 3)"),
        ("Quadruple", ([0, 1], 5), "quadruple: values: expected a list of numbers, found 5"),
        ("Relation", ([0, 1], [1], False, 7), "relation: label: expected text, found 7"),
        ("StateMachine", ([0], 7, {0}), "moves: expected a list of byte strings, found 7"),
        ("StateMachine", ([0], ["ab"], {0}), "expected a list of byte strings, found 'ab'"),
        ("StateMachine", ([0], [b"ab"], 0), "accepted: expected a set of numbers, found 0"),
        ("OneOf", (3,), "one of several: choices: expected rules, found 3"),
        ("OneOf", ([3],), "one of several: choices: expected rules, found [3]"),
        ("OneOf", ([[3]],), "one of several: choices: expected rules, found 3"),
    ],
)
def test_a_wrong_argument_is_named(kind, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        getattr(rules, kind)(*arguments)


def test_a_position_outside_the_grid_is_named():
    outside = rules.Cage([(1, 1), (1, 5)])
    message = "cage: cells: there is no cell at row 1, column 5 in a grid of 4×4 cells"
    for rule in (outside, rules.OneOf([outside])):
        with pytest.raises(ValueError, match=f"^{message}$"):
            FOUR.with_rules(rule)


def test_the_repr_of_a_long_rule_is_one_short_line():
    shown = repr(rules.RegionSum([0, 1], Puzzle.empty(16).geometry.boxes()))
    assert shown.startswith("RegionSum(line=(0, 1), regions=((0, 1, 2, ")
    assert len(shown) < 200
    assert repr(CAGE) == "Cage(cells=((1, 1), (1, 2)), total=3)"
