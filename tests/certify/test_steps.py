"""What certifies a step: it follows from what is cited, and from no less."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Minisat22
from support.step_walks import walk_of
from support.strategies import examples
from support.techniques import EXPLAINER_RATINGS, masks_of

from pipeline.certify.steps import (
    ALLOWED,
    CITED,
    DEADLY,
    DEADLY_RECTANGLE,
    ELIMINATED,
    PATTERN_CELLS,
    PATTERN_DIGITS,
    STACK_SIZE,
    STEP_SIZE,
    VALUES,
    follows,
)
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.steps.layout import STATE_SIZE
from pipeline.steps.step_arrays import make_tables, set_up

BOXES = [
    [27 * (box // 3) + 3 * (box % 3) + 9 * (k // 3) + k % 3 for k in range(9)] for box in range(9)
]
RECTANGLES = [
    [9 * row + column, 9 * row + other, 9 * below + other, 9 * below + column]
    for row, below in combinations(range(9), 2)
    for column, other in combinations(range(9), 2)
    if (row // 3 == below // 3) != (column // 3 == other // 3)
]
"""The cells of all unique rectangles, in the order of the loop."""
UNITS = [*NINE_BY_NINE.rows(), *NINE_BY_NINE.columns(), *BOXES]


def step_of(name):
    """The state before the first step of a technique, and the step."""
    walk = walk_of("hodoku", name)
    return walk.state, walk.step


def holds(s, o, *, unique=True):
    return bool(follows(s, o, [0] * STACK_SIZE, int(unique)))


def test_a_rectangle_that_is_none_is_no_reason():
    s, o = step_of("unique rectangle 1")
    o[PATTERN_CELLS + 1] = (o[PATTERN_CELLS + 1] + 40) % 81
    assert not holds(s, o)


def test_a_filled_cell_of_a_rectangle_holds_one_of_its_digits_and_is_no_given():
    s, o = step_of("avoidable rectangle 1")
    assert holds(s, o)
    cells = o[PATTERN_CELLS + 1 : PATTERN_CELLS + 5]
    filled = next(cell for cell in cells if s[VALUES + cell])
    value = s[VALUES + filled]
    s[VALUES + filled] = next(v for v in range(1, 10) if not o[PATTERN_DIGITS] >> v - 1 & 1)
    assert not holds(s, o)
    s[VALUES + filled], s[ALLOWED + filled] = value, 1 << value - 1
    assert not holds(s, o)


def test_a_subset_with_two_corners_of_a_rectangle_needs_several_assumptions():
    """r5c2 or r5c3 holds 1, 7 or 8; four other cells hold four of 1, 2, 5, 7, 8: r5c1 is not 7."""
    s = [0b111111111] * 81 + [0] * (STATE_SIZE - 81)
    set_up(s, make_tables())
    row = "67", "137", "368", "4", "12578", "1258", "9", "1258", "1258"
    for cell, digits in zip((*range(36, 45), 19, 20), (*row, "36", "36"), strict=True):
        s[cell] = sum(1 << int(digit) - 1 for digit in digits)
    o = [0] * STEP_SIZE
    o[DEADLY], o[PATTERN_DIGITS] = DEADLY_RECTANGLE, 0b100100
    o[PATTERN_CELLS : PATTERN_CELLS + 5] = 4, 19, 20, 38, 37
    o[CITED : CITED + 5] = 4, 40, 41, 43, 44
    o[ELIMINATED : ELIMINATED + 2] = 1, 9 * 36 + 6
    assert holds(s, o)
    assert not holds(s, o, unique=False)


def test_what_is_not_a_candidate_is_not_concluded():
    s, o = step_of("naked pair")
    cell, digit = o[ELIMINATED + 1] // 9, o[ELIMINATED + 1] % 9
    s[cell] &= ~(1 << digit)
    assert not holds(s, o)


def test_what_is_filled_already_is_no_reason():
    s, o = step_of("naked pair")
    filled = next(cell for cell in range(81) if s[VALUES + cell])
    o[CITED], o[CITED + 1] = 1, filled
    assert not holds(s, o)
    o[CITED + 1] = 81 + 9 * (filled // 9) + s[VALUES + filled] - 1
    assert not holds(s, o)


@examples(100)
@given(data=st.data())
def test_it_agrees_with_a_solver_on_any_claim(data):
    """Cited cells and units of any state, with any conclusion: refuted by SAT, or not."""
    s = [*masks_of(data.draw(st.sampled_from([line for line, _ in EXPLAINER_RATINGS])))]
    s += [0] * (STATE_SIZE - 81)
    set_up(s, make_tables())
    candidates = [(c, d) for c in range(81) for d in range(9) if s[c] >> d & 1]
    o = [0] * STEP_SIZE
    for cell, digit in data.draw(st.sets(st.sampled_from(candidates), max_size=25)):
        if data.draw(st.booleans()):
            cited = cell
        else:
            unit = data.draw(st.sampled_from([u for u in range(27) if cell in UNITS[u]]))
            cited = 81 + 9 * unit + digit
        o[CITED] += 1
        o[CITED + o[CITED]] = cited
    cell, digit = data.draw(st.sampled_from(candidates))
    o[ELIMINATED], o[ELIMINATED + 1] = 1, 9 * cell + digit
    open_rectangles = [r for r in RECTANGLES if not any(s[VALUES + corner] for corner in r)]
    if open_rectangles and data.draw(st.booleans()):
        o[DEADLY], o[PATTERN_CELLS] = DEADLY_RECTANGLE, 4
        o[PATTERN_CELLS + 1 : PATTERN_CELLS + 5] = data.draw(st.sampled_from(open_rectangles))
        digits = data.draw(st.sets(st.integers(0, 8), min_size=2, max_size=2))
        o[PATTERN_DIGITS] = sum(1 << digit for digit in digits)
    assert holds(s, o) == (not _is_possible(s, o, candidates, (cell, digit)))


def _is_possible(s, o, candidates, held):
    number = {candidate: at for at, candidate in enumerate(candidates, 1)}
    with Minisat22() as solver:
        for cell in range(81):
            some = [number[cell, d] for d in range(9) if s[cell] >> d & 1]
            _exclude(solver, some)
        for unit in UNITS:
            for digit in range(9):
                _exclude(solver, [number[c, digit] for c in unit if s[c] >> digit & 1])
        for cited in o[CITED + 1 : CITED + 1 + o[CITED]]:
            unit, digit = divmod(cited - 81, 9)
            one_of = [(cited, d) for d in range(9)]
            if cited >= 81:
                one_of = [(cell, digit) for cell in UNITS[unit]]
            solver.add_clause([number[each] for each in one_of if each in number])
        if o[DEADLY]:
            corners = o[PATTERN_CELLS + 1 : PATTERN_CELLS + 5]
            others = [(cell, d) for cell in corners for d in range(9) if s[cell] >> d & 1]
            solver.add_clause([number[c, d] for c, d in others if not o[PATTERN_DIGITS] >> d & 1])
        return solver.solve([number[held]])


def _exclude(solver, literals):
    for at, one in enumerate(literals):
        for other in literals[at + 1 :]:
            solver.add_clause([-one, -other])
