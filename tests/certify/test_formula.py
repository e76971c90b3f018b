"""The models of a proof's formula are the solutions, and its text is exact DIMACS."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Solver
from support.cases import for_each
from support.oracle import solutions
from support.puzzles import EVEN_ODD, EVEN_ODD_SIX, SIX, TWO
from support.strategies import SMALL_GEOMETRIES, examples, puzzles

from pipeline.certify import certify_model
from pipeline.certify.formula import (
    Formula,
    FormulaTooLarge,
    core_of,
    formula_size,
    proof_formula,
    read_formula,
)
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Grid, Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.regions import Region
from pipeline.reading.formats import parse_puzzle

FOUR, SIX_BY_SIX = Geometry(2, 2), Geometry(2, 3)


def models(clauses, geometry):
    """Every grid that satisfies the clauses, found by PySAT. A cell with two values is an error."""
    n = geometry.side
    found = []
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        while solver.solve():
            chosen = [literal for literal in solver.get_model() if literal > 0]
            assert [(literal - 1) // n for literal in chosen] == [*range(n * n)]
            found.append(Grid(geometry, tuple((literal - 1) % n + 1 for literal in chosen)))
            solver.add_clause([-literal for literal in chosen])
    return sorted(found)


def text_of(formula):
    return "".join(formula.text())


@for_each("geometry", SMALL_GEOMETRIES)
def test_the_rules_are_exact(geometry):
    formula = proof_formula(Puzzle.empty(geometry), ())
    assert formula.variables == geometry.side**3
    assert len(formula.clauses) == formula_size(geometry) == len(set(formula.clauses))
    for clause in formula.clauses:
        assert all(1 <= abs(literal) <= formula.variables for literal in clause)
        assert len({abs(literal) for literal in clause}) == len(clause) >= 2


@for_each(
    ("geometry", "at_least_one", "pairs"),
    [
        (Geometry(1, 2), 3 * 4, 3 * 4),
        (FOUR, 4 * 16, 4 * 16 * 6 - 16 * 4),
        (SIX_BY_SIX, 4 * 36, 4 * 36 * 15 - 36 * (2 * 3 + 3 * 1)),
        (Geometry(3, 3), 4 * 81, 4 * 81 * 36 - 81 * 2 * 3 * 3),
    ],
)
def test_each_group_holds_one_and_what_lines_say_boxes_do_not_repeat(geometry, at_least_one, pairs):
    clauses = proof_formula(Puzzle.empty(geometry), ()).clauses
    positive = [clause for clause in clauses if clause[0] > 0]
    assert len(positive) == at_least_one
    assert {len(clause) for clause in positive} == {geometry.side}
    assert len(clauses) == at_least_one + pairs


def test_the_smallest_formula_reads_as_it_should():
    puzzle = Puzzle(Geometry(1, 2), (0b01, 0b11, 0b11, 0b11))
    grid = Grid(Geometry(1, 2), (1, 2, 2, 1))
    cells = "1 2 0\n-1 -2 0\n3 4 0\n-3 -4 0\n5 6 0\n-5 -6 0\n7 8 0\n-7 -8 0\n"
    rows = "1 3 0\n-1 -3 0\n2 4 0\n-2 -4 0\n5 7 0\n-5 -7 0\n6 8 0\n-6 -8 0\n"
    columns = "1 5 0\n-1 -5 0\n2 6 0\n-2 -6 0\n3 7 0\n-3 -7 0\n4 8 0\n-4 -8 0\n"
    formula = proof_formula(puzzle, [grid])
    assert text_of(formula) == f"p cnf 8 26\n{cells}{rows}{columns}1 0\n-1 -4 -6 -7 0\n"


def test_a_given_is_a_unit_and_a_mark_a_unit_for_each_value_it_forbids():
    marks = (0b0101, 0b1010, 0b0001, 0b1111)
    formula = proof_formula(Puzzle(FOUR, (*marks, *([0b1111] * 12))), ())
    assert formula.own_clauses == ((-2,), (-4,), (-5,), (-7,), (9,))


@given(st.data())
@examples(10)
def test_the_models_are_the_solutions_that_were_not_published(data):
    geometry = data.draw(st.sampled_from([Geometry(1, 3), FOUR, SIX_BY_SIX]))
    puzzle = data.draw(puzzles(geometry, data.draw(st.sampled_from(["classic", "even-odd"]))))
    found = solutions(puzzle, 20)
    if len(found) == 20:
        return
    published = data.draw(st.lists(st.sampled_from(found), unique=True)) if found else []
    formula = proof_formula(puzzle, published)
    others = sorted(set(found) - set(published))
    assert models(formula.clauses, geometry) == others
    assert len(set(formula.clauses)) == len(formula.clauses)
    assert bool(others) <= (not core_of(formula).is_refuted)


@for_each("text", [TWO, SIX, EVEN_ODD, EVEN_ODD_SIX])
def test_the_core_is_part_of_the_formula_and_satisfied_by_the_same_grids(text):
    puzzle = parse_puzzle(text)
    found = solutions(puzzle, 10)
    for published in (found[1:], found):
        formula = proof_formula(puzzle, published)
        core = core_of(formula)
        assert set(core.clauses) <= set(formula.clauses)
        with Solver("minisat22", bootstrap_with=core.clauses) as solver:
            assert solver.solve() == (published != found)
        with Solver("minisat22", bootstrap_with=core.remaining) as solver:
            assert solver.solve() == (published != found)


@given(st.lists(st.lists(st.integers(-6, 6).filter(bool), max_size=3, unique_by=abs), max_size=30))
@examples(25)
def test_the_core_of_any_formula_is_as_satisfiable_as_the_formula(clauses):
    formula = Formula(6, tuple(map(tuple, clauses)))
    core = core_of(formula)
    assert set(core.clauses) <= set(formula.clauses)
    for some in (formula.clauses, core.clauses, core.remaining):
        with Solver("minisat22", bootstrap_with=formula.clauses) as all_of_it:
            with Solver("minisat22", bootstrap_with=some) as solver:
                assert solver.solve() == all_of_it.solve()
            if core.is_refuted:
                assert not all_of_it.propagate()[0]
    with Solver("minisat22", bootstrap_with=core.remaining) as solver:
        if solver.solve():
            model = core.model({*solver.get_model()})
            assert [abs(literal) for literal in model] == [*range(1, 7)]
            assert certify_model(formula.clauses, model) is None


def test_grids_of_another_geometry_and_grids_named_twice_are_refused():
    puzzle = parse_puzzle(TWO)
    grid = solutions(puzzle, 1)[0]
    for grids in ([grid, grid], [Grid(Geometry(1, 4), grid.values)]):
        with pytest.raises(ValueError, match="distinct grids"):
            proof_formula(puzzle, grids)


def test_a_geometry_whose_rules_are_out_of_reach_is_refused_before_they_are_made():
    with pytest.raises(FormulaTooLarge, match="256×256 need 8,"):
        proof_formula(Puzzle.empty(Geometry(16, 16)), ())


def test_what_is_written_is_read_again():
    puzzle = parse_puzzle(EVEN_ODD_SIX)
    formula = proof_formula(puzzle, solutions(puzzle, 6))
    text = text_of(formula)
    assert read_formula(text) == formula
    assert text_of(read_formula(text)) == text
    assert text.startswith(f"p cnf 729 {len(formula.clauses)}\n")
    assert text.count("\n") == len(formula.clauses) + 1
    assert read_formula("p cnf 0 1\n0\n") == Formula(0, ((),))


@for_each(
    ("text", "fault"),
    [
        ("", "line 1: expected 'p cnf"),
        ("p cnf 2 1", "line 1: expected 'p cnf"),
        ("p  cnf 2 1\n1 0\n", "line 1: expected 'p cnf"),
        ("p cnf 02 1\n1 0\n", "line 1: expected 'p cnf"),
        ("p cnf 99999999999 1\n1 0\n", "line 1: expected 'p cnf"),
        ("c\np cnf 2 1\n1 0\n", "line 1: expected 'p cnf"),
        ("p cnf 2 2\n1 0\n", "line 1: 2 clauses are announced, 1 follow"),
        ("p cnf 2 1\n1 0\n2 0\n", "line 1: 1 clauses are announced, 2 follow"),
        ("p cnf 2 2\n1 0\n2 0", "line 3: .* found '2 0'"),
        ("p cnf 2 2\n1 0\n2 0 \n", "line 3: .* found '2 0 '"),
        ("p cnf 2 2\n1 0\n\n", "line 3: .* found ''"),
        ("p cnf 2 2\n1 0 2 0\n", "line 2: .* found '1 0 2 0'"),
        ("p cnf 2 2\n1 0\r\n2 0\n", "line 2:"),
        ("p cnf 2 2\n1 0\nc x\n", "line 3: .* found 'c x'"),
        ("p cnf 2 2\n1 0\n+2 0\n", "line 3:"),
        ("p cnf 2 2\n1 0\n01 0\n", "line 3:"),
        ("p cnf 2 2\n1 0\n٣ 0\n", "line 3:"),
        ("p cnf 2 2\n1 0\n99999999999 0\n", "line 3:"),
        ("p cnf 2 2\n1 0\n1 -2 3 0\n", "line 3: variable 3, but there are only 2"),
        ("p cnf 2 2\n1 0\n1 -1 0\n", "line 3: a variable is named twice"),
        ("p cnf 2 2\n1 0\n1 2 1 0\n", "line 3: a variable is named twice"),
    ],
)
def test_what_is_not_exact_is_refused_with_its_line(text, fault):
    with pytest.raises(ValueError, match=fault):
        read_formula(text)


def test_a_changed_character_is_refused_or_read_as_another_formula():
    text = text_of(proof_formula(parse_puzzle(TWO), ()))
    generator = random.Random(5)
    for _ in range(300):
        place = generator.randrange(len(text))
        other = text[:place] + generator.choice("\n 0123456789-dpx") + text[place + 1 :]
        try:
            read = read_formula(other)
        except ValueError:
            continue
        assert text_of(read) == other


WITH_RULES = {
    "cages": Puzzle.empty(FOUR, (Cage((0, 1, 4), 6), Cage((10, 11), 5), Cage((15, 14)))),
    "jigsaw": Puzzle.empty(
        Geometry(1, 4),
        tuple(map(Region, ((0, 1, 2, 5), (3, 6, 7, 11), (4, 8, 9, 12), (10, 13, 14, 15)))),
    ),
    "two grids": Puzzle.of_values(Geometry(2, 2, ((0, 0), (2, 2))), [1, 2, 3, 4] + [0] * 24),
}


@pytest.mark.parametrize("puzzle", WITH_RULES.values(), ids=WITH_RULES)
def test_the_models_are_the_grids_that_keep_the_rules(puzzle):
    expected = solutions(puzzle, 1000)
    formula = proof_formula(puzzle, expected[1:])
    candidates = puzzle.geometry.side * puzzle.geometry.size
    assert formula.variables >= candidates
    with Solver("minisat22", bootstrap_with=formula.clauses) as solver:
        assert solver.solve() == bool(expected)
        chosen = [literal for literal in solver.get_model() if 0 < literal <= candidates]
        assert [(literal - 1) % puzzle.geometry.side + 1 for literal in chosen] == [
            *expected[0].values
        ]
        solver.add_clause([-literal for literal in chosen])
        assert not solver.solve()
    assert read_formula(text_of(formula)) == formula
