"""What certifies a step: it follows from what is cited, and from no less."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Minisat22
from support.step_walks import walk_of
from support.strategies import examples
from support.techniques import EXPLAINER_RATINGS, masks_of

from pipeline.certify.steps import (
    ALLOWED,
    CITED,
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
        return solver.solve([number[held]])


def _exclude(solver, literals):
    for at, one in enumerate(literals):
        for other in literals[at + 1 :]:
            solver.add_clause([-one, -other])
