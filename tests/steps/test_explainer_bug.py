"""Bivalue universal graves of all types, in a grid that is one without some extra candidates."""

from __future__ import annotations

from support.cases import for_each

from pipeline.certify.steps import ELIMINATED, EXTRAS, STACK_SIZE, STEP_SIZE, follows
from pipeline.steps.explainer.bug import find_bivalue_grave
from pipeline.steps.layout import STATE_SIZE
from pipeline.steps.step_arrays import make_tables, set_up

BUG_TEXT = """
    3   12  12    8   7   9    5   6   4
    69  7   69    4   5   1    8   2   3
    8   4   5     2   6   3    1   79  79
    69  39  28    67  13  5    4   18  27
    5   38  7     13  29  4    6   18  29
    1   26  4     67  29  8    79  3   5
    4   69  3     5   8   67   2   79  1
    7   18  18    9   4   2    3   5   6
    2   5   69    13  13  67   79  4   8
"""
BUG = BUG_TEXT.split()

CASES = {
    # type 1: a cell with extra candidates holds one of them
    ("r4c2=2",): (56, "r4c2<>3 r4c2<>9"),
    ("r4c2=2", "r4c2=6"): (56, "r4c2<>3 r4c2<>9"),
    # type 2: one extra digit, in several cells
    ("r4c2=2", "r4c5=2"): (57, "r4c3<>2 r4c9<>2"),
    # type 4: both cells share a digit that has no other place in their unit
    ("r4c2=2", "r4c5=9"): (57, "r4c2<>9 r4c5<>1"),
    # type 3: the extra digits and one to three cells form a naked set
    ("r4c2=2", "r4c8=7"): (58, "r4c3<>2 r4c4<>7"),
    ("r4c2=2", "r4c4=1"): (59, "r4c5<>1 r4c9<>2"),
    ("r4c2=2", "r4c8=9"): (60, "r4c3<>2"),
    # no type
    ("r4c2=2", "r4c3=9"): (0, ""),
    ("r4c3=9", "r5c8=9"): (0, ""),
    # no extra candidate
    (): (0, ""),
}


def state_of(extras):
    """The state of BUG with extra candidates."""
    masks = [sum(1 << int(digit) - 1 for digit in cell) for cell in BUG]
    for extra in extras:
        cell, digit = named(extra)
        masks[cell] |= 1 << digit - 1
    state = [*masks, *[0] * (STATE_SIZE - 81)]
    set_up(state, make_tables())
    return state


def named(text):
    """The cell and the digit of `r1c2=3` or `r1c2<>3`."""
    return 9 * int(text[1]) + int(text[3]) - 10, int(text[-1])


def found_in(state):
    """The rating of the BUG in a state, what it eliminates, and the step."""
    step = [0] * STEP_SIZE
    rating = find_bivalue_grave(state, [0] * STATE_SIZE, make_tables(), step)
    listed = sorted(step[ELIMINATED + 1 : ELIMINATED + 1 + step[ELIMINATED]])
    texts = [f"r{c // 81 + 1}c{c // 9 % 9 + 1}<>{c % 9 + 1}" for c in listed]
    return rating, " ".join(texts), step


@for_each("extras", CASES)
def test_a_bug_is_found_with_its_rating_and_certified(extras):
    state = state_of(extras)
    rating, eliminated, step = found_in(state)
    assert (rating, eliminated) == CASES[extras]
    if rating:
        listed = {divmod(each, 9) for each in step[EXTRAS + 1 : EXTRAS + 1 + step[EXTRAS]]}
        assert listed == {(cell, digit - 1) for cell, digit in map(named, extras)}
        assert follows(state, step, [0] * STACK_SIZE, 1)


@for_each("extras", [extras for extras, (rating, _) in CASES.items() if rating])
def test_a_bug_is_not_certified_with_other_extra_candidates(extras):
    state = state_of(extras)
    step = found_in(state)[2]
    assert not follows(state, step, [0] * STACK_SIZE, 0)
    last = step[EXTRAS + step[EXTRAS]]
    step[EXTRAS + step[EXTRAS]] = 9 * (last // 9) + (last + 1) % 9
    assert not follows(state, step, [0] * STACK_SIZE, 1)
    step[EXTRAS] -= 1
    assert not follows(state, step, [0] * STACK_SIZE, 1)
