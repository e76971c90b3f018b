from __future__ import annotations

import os
import signal
from itertools import combinations, pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pysat.solvers import Minisat22
from support.cases import for_each
from support.needs import needs_linux, needs_numba
from support.oracle import solutions
from support.parsers import read
from support.puzzles import NONE, TWO, children, has_ended, holed, pattern
from support.strategies import blank_for, examples, puzzles, solved_grids

from pipeline.certify import clashing_givens
from pipeline.errors import SolverError
from pipeline.limits import NEVER, Deadline, Limits
from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Puzzle
from pipeline.puzzle.rules.cages import Cage
from pipeline.puzzle.rules.lines import Thermometer
from pipeline.puzzle.rules.pairs import Greater
from pipeline.reading.formats import parse_puzzle
from pipeline.solving.cdcl import Cdcl, CdclSession, kernel
from pipeline.solving.cores import UNLIMITED, shrinking_cores
from pipeline.solving.encode import encode_puzzle
from pipeline.solving.explain import Clue, Conflict, explain_conflict
from pipeline.solving.solvers import Satisfiable
from pipeline.solving.solvers.pysat import Pysat, core_query

FOUR, SIX, NINE, SIXTEEN = Geometry(2, 2), Geometry(2, 3), Geometry(3, 3), Geometry(4, 4)
LONG = Limits(60.0)
HARD = "98.7..6..75..6......6..8...5......4...9.8.7.....3....24....1.....7.9.5.3..587.4.."
EVEN, ODD = NINE.even_values, NINE.odd_values
EVENS = ["even", "even", "even", 2, 4]
ODD_CELLS = [(4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (6, 5)]


@pytest.fixture(scope="module", params=["pysat", pytest.param("cdcl", marks=needs_numba)])
def explainer(request):
    """One engine for all tests, which must leave it usable."""
    if request.param == "cdcl":
        yield Cdcl(request.getfixturevalue("learning"))
        return
    with Pysat() as made:
        yield made


class OutOfTime(Pysat):
    """An engine that finds no core, so the exhaustive search must."""

    def find_core(self, clauses, assumptions, limits):
        return None


@pytest.fixture(params=["solver", pytest.param("search", marks=needs_numba)])
def explainer_of_rules(request, explainer, monkeypatch):
    if request.param == "solver":
        return explainer
    ruling = request.getfixturevalue("ruling")
    monkeypatch.setattr("pipeline.certify.variants.loader.get", lambda *_, **__: ruling)
    return OutOfTime()


def marked(geometry: Geometry, masks: dict[int, int]) -> Puzzle:
    cells = [masks.get(cell, geometry.all_values) for cell in range(geometry.side**2)]
    return Puzzle(geometry, tuple(cells))


def only(puzzle: Puzzle, clues) -> Puzzle:
    """The puzzle reduced to these clues."""
    n, cells = puzzle.geometry.side, [puzzle.geometry.all_values] * len(puzzle.cells)
    for clue in clues:
        cell = (clue.row - 1) * n + clue.column - 1
        cells[cell] = puzzle.cells[cell]
        values = {"even": range(2, n + 1, 2), "odd": range(1, n + 1, 2)}
        said = [clue.value] if clue.value else values[clue.holds]
        assert cells[cell] == sum(1 << value - 1 for value in said)
    return Puzzle(puzzle.geometry, tuple(cells))


def by_brute_force(puzzle: Puzzle) -> bool:
    return bool(solutions(puzzle, 1))


def by_sat(puzzle: Puzzle) -> bool:
    with Minisat22(bootstrap_with=encode_puzzle(puzzle, "reduced").clauses()) as engine:
        return engine.solve()


def check(puzzle: Puzzle, conflict: Conflict, solvable=by_brute_force) -> None:
    """Check that the clues have no solution, and that each is needed if the conflict is minimal."""
    assert list(conflict.clues) == sorted(conflict.clues, key=lambda clue: clue.place)
    assert not solvable(only(puzzle, conflict.clues))
    if conflict.minimal:
        for left_out in conflict.clues:
            rest = [clue for clue in conflict.clues if clue != left_out]
            assert solvable(only(puzzle, rest))


@examples(15)
@given(data=st.data(), variant=st.sampled_from(["classic", "even-odd"]))
def test_each_clue_is_needed_and_all_have_no_solution(explainer, data, variant):
    puzzle = data.draw(st.sampled_from([FOUR, SIX]).flatmap(lambda g: puzzles(g, variant)))
    assume(not by_brute_force(puzzle))
    conflict = explain_conflict(puzzle, explainer, LONG)
    check(puzzle, conflict)
    assert conflict.minimal


@examples(5)
@given(grid=solved_grids(NINE), data=st.data(), variant=st.sampled_from(["classic", "even-odd"]))
def test_a_wrong_given_is_explained_and_again_in_the_same_way(explainer, grid, data, variant):
    shown = data.draw(st.permutations(range(81)))[:37]
    cells = [
        1 << value - 1 if cell in shown else blank_for(NINE, variant, value)
        for cell, value in enumerate(grid.values)
    ]
    cells[shown[0]] = 1 << (grid.values[shown[0]] - 1 + data.draw(st.integers(1, 8))) % 9
    puzzle = Puzzle(NINE, tuple(cells))
    assume(not by_sat(puzzle))
    conflict = explain_conflict(puzzle, explainer, LONG)
    check(puzzle, conflict, by_sat)
    assert explain_conflict(puzzle, explainer, LONG) == conflict


def test_two_clashing_givens_come_first():
    conflict = explain_conflict(parse_puzzle("11..\n....\n....\n2..2\n"))
    message = "row 1 holds 1 twice: row 1, column 1 and row 1, column 2"
    assert conflict == Conflict((Clue(1, 1, 1), Clue(1, 2, 1)), message, minimal=True)
    assert conflict.places() == ((1, 1), (1, 2))


@pytest.mark.parametrize(
    ("puzzle", "said", "clues"),
    [
        (
            parse_puzzle(NONE),
            "3 givens have no solution together, although any 2 of them have one",
            "2 in row 1, column 2; 1 in row 2, column 3; 2 in row 3, column 4",
        ),
        (
            marked(FOUR, {8: FOUR.even_values, 10: 0b1000, 13: 0b0010}),
            "2 givens and 1 mark have no solution together, although any 2 of them have one",
            "even in row 3, column 1; 4 in row 3, column 3; 2 in row 4, column 2",
        ),
        (
            marked(NINE, {0: EVEN, 1: EVEN, 2: EVEN, 3: 1 << 1, 4: 1 << 3}),
            "2 givens and 3 marks have no solution together, although any 4 of them have one",
            "; ".join(f"{v} in row 1, column {c}" for c, v in enumerate(EVENS, 1)),
        ),
        (
            marked(NINE, dict.fromkeys((30, 31, 32, 39, 49), ODD) | {40: ODD}),
            "6 marks have no solution together, although any 5 of them have one",
            "; ".join(f"odd in row {r}, column {c}" for r, c in ODD_CELLS),
        ),
        (
            marked(Geometry(1, 2), {0: 0b01, 3: 0b10}),
            "2 givens have no solution together, although either of them has one",
            "1 in row 1, column 1; 2 in row 2, column 2",
        ),
        (
            marked(FOUR, {0: 0b1001, 1: 0b1001, 2: 0b1001}),
            "3 marks have no solution together, although any 2 of them have one",
            "1 or 4 in row 1, column 1; 1 or 4 in row 1, column 2; 1 or 4 in row 1, column 3",
        ),
    ],
)
def test_the_sentence_counts_and_names_givens_and_marks(puzzle, said, clues, explainer):
    conflict = explain_conflict(puzzle, explainer, LONG)
    assert conflict.message == f"{said}: {clues}"
    assert conflict.minimal


def test_the_sentence_names_eight_at_most(explainer):
    puzzle = parse_puzzle(HARD.replace(".", "1", 1))
    assert clashing_givens(puzzle) is None
    conflict = explain_conflict(puzzle, explainer, LONG)
    check(puzzle, conflict, by_sat)
    assert conflict.message.count(";") == 8
    assert conflict.message.endswith(f"; and {len(conflict.clues) - 8} more")


def test_one_that_has_a_solution_is_an_error(explainer):
    with pytest.raises(SolverError, match="has a solution"):
        explain_conflict(parse_puzzle(TWO), explainer, LONG)
    assert explain_conflict(parse_puzzle(NONE), explainer, LONG)


def test_a_conflict_is_found_in_a_16x16_and_without_an_engine_at_hand(explainer):
    cells = list(holed(pattern(SIXTEEN), 3).cells)
    cells[0] = 1 << 3
    puzzle = Puzzle(SIXTEEN, tuple(cells))
    assert clashing_givens(puzzle) is None
    conflict = explain_conflict(puzzle, explainer, LONG)
    assert conflict.minimal
    check(puzzle, conflict, by_sat)
    others = children()
    assert explain_conflict(parse_puzzle(NONE), limits=LONG)
    assert children() == others


def test_without_time_or_for_a_vast_grid_there_is_none_and_the_next_is_explained(explainer):
    large = list(holed(pattern(Geometry(5, 5)), 2).cells)
    large[0] = 1 << 24
    assert explain_conflict(Puzzle(Geometry(5, 5), tuple(large)), explainer, Limits(0.001)) is None
    assert explain_conflict(Puzzle.empty(Geometry(7, 7)), explainer) is None
    assert explain_conflict(parse_puzzle(NONE), explainer, LONG)


@needs_linux
def test_a_child_that_died_hangs_or_lacks_memory_is_replaced(started_engines):
    others = children()
    with Pysat() as fresh:
        fresh.warm(LONG)
        (child,) = children() - others
        os.kill(child, signal.SIGKILL)
        assert has_ended(child)
        assert explain_conflict(parse_puzzle(NONE), fresh, LONG)
        (child,) = children() - others
        os.kill(child, signal.SIGSTOP)
        assert explain_conflict(parse_puzzle(NONE), fresh, Limits(0.1)) is None
        assert children() == others
        assert explain_conflict(parse_puzzle(NONE), fresh, Limits(60.0, megabytes=1)) is None
        assert explain_conflict(parse_puzzle(NONE), fresh, LONG)
    assert children() == others


class Answering(Pysat):
    """A fake engine with scripted replies. It raises those that are exceptions."""

    def __init__(self, *replies) -> None:
        super().__init__()
        self.replies = list(replies)

    def send(self, *request) -> None:
        pass

    def receive(self, seconds):
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


FIRST, SECOND = ("core", ([1, 6, 25, 46], False)), ("core", ([6, 25, 46], False))


@pytest.mark.parametrize("last", [None, MemoryError(), "no more"], ids=str)
def test_the_last_core_stands_and_says_whether_time_was_short(last):
    conflict = explain_conflict(parse_puzzle(NONE), Answering(FIRST, SECOND, last), LONG)
    assert not conflict.minimal
    assert conflict.message.endswith("have no solution together; there was no time to find fewer")
    minimal = "core", (SECOND[1][0], True)
    assert explain_conflict(parse_puzzle(NONE), Answering(FIRST, minimal, last), LONG).minimal
    assert explain_conflict(parse_puzzle(NONE), Answering(last), LONG) is None


def test_where_no_child_can_be_had_nothing_is_explained(monkeypatch):
    def refuse(module):
        raise OSError("no more processes")

    monkeypatch.setattr("pipeline.solving.solvers.pysat.Peer", refuse)
    assert explain_conflict(parse_puzzle(NONE), limits=Limits(1.0)) is None
    assert explain_conflict(parse_puzzle("11..\n....\n....\n....\n"))


VARIABLES = range(1, 7)
literals = st.sampled_from([sign * variable for variable in VARIABLES for sign in (1, -1)])
formulas = st.lists(st.lists(literals, min_size=1, max_size=3).map(tuple), max_size=14)


class Looks(Deadline):
    """A deadline that passes at the n-th look."""

    def left(self) -> float:
        object.__setattr__(self, "end", self.end - 1)
        return max(0.0, self.end)


def cores_of(clauses, assumptions, deadline=NEVER):
    with Minisat22(bootstrap_with=clauses) as engine:
        return [*shrinking_cores(core_query(engine, deadline), assumptions)]


def can_hold(clauses, assumptions) -> bool:
    """Decided by truth table."""
    return any(
        all(any(signs[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
        and all(signs[abs(x) - 1] == (x > 0) for x in assumptions)
        for signs in product((True, False), repeat=len(VARIABLES))
    )


def crowd(birds: int, holes: int):
    """Pigeonhole clauses, with an assumption for each pigeon that it sits in a hole."""
    sits = [[bird * holes + hole for hole in range(1, holes + 1)] for bird in range(birds)]
    assumptions = [birds * holes + bird for bird in range(1, birds + 1)]
    at_least = [(-assumed, *places) for assumed, places in zip(assumptions, sits, strict=True)]
    at_most = [(-a, -b) for hole in zip(*sits, strict=True) for a, b in combinations(hole, 2)]
    return [*at_least, *at_most], assumptions


@examples(15)
@given(clauses=formulas, assumptions=st.lists(literals, unique=True, max_size=8))
def test_cores_shrink_and_the_last_one_is_minimal(clauses, assumptions):
    if can_hold(clauses, assumptions):
        with pytest.raises(Satisfiable):
            cores_of(clauses, assumptions)
        return
    found = cores_of(clauses, assumptions)
    assert found == cores_of(clauses, assumptions)
    for core, _ in found:
        assert set(core) <= set(assumptions)
        assert not can_hold(clauses, core)
    assert all(len(b) < len(a) or last for (a, _), (b, last) in pairwise(found))
    assert [minimal for _, minimal in found] == [False] * (len(found) - 1) + [True]
    assert all(can_hold(clauses, set(core) - {literal}) for literal in core)


@examples(30)
@given(clauses=formulas, assumptions=st.lists(literals, unique=True, max_size=8))
def test_the_failed_assumptions_of_cdcl_cannot_all_hold(clauses, assumptions):
    session = CdclSession(kernel.search, [clauses], len(VARIABLES))
    for count in range(len(assumptions) + 1):
        assumed = assumptions[:count]
        if session.solve(NEVER, assumptions=assumed):
            assert can_hold(clauses, assumed)
        else:
            assert {*session.core()} <= {*assumed}
            assert not can_hold(clauses, session.core())


def test_hard_queries_are_given_up_after_a_number_of_slices():
    clauses, assumptions = crowd(9, 8)
    with Minisat22(bootstrap_with=clauses) as engine:
        ask, asked = core_query(engine, NEVER), list[int]()

        def counting(literals, slices):
            asked.append(slices)
            return ask(literals, slices) if slices == UNLIMITED else "hard"

        assert [*shrinking_cores(counting, assumptions, max_first_slices=1)] == []
        assert [*shrinking_cores(counting, assumptions, max_slices=8)] == [(assumptions, False)]
    assert asked == [1, UNLIMITED, *[2] * 9, *[8] * 9]


@needs_numba
def test_the_search_reports_a_puzzle_that_has_a_solution(ruling, monkeypatch):
    monkeypatch.setattr("pipeline.certify.variants.loader.get", lambda *_, **__: ruling)
    with pytest.raises(SolverError, match="has a solution"):
        explain_conflict(Puzzle.empty(FOUR, (Cage((0, 1), 5),)), OutOfTime(), LONG)
    assert explain_conflict(parse_puzzle(NONE), OutOfTime(), LONG) is None
    monkeypatch.setattr("pipeline.certify.variants.loader.get", lambda *_, **__: None)
    assert explain_conflict(Puzzle.empty(FOUR, (Cage((0, 1), 9),)), OutOfTime(), LONG) is None


def test_clauses_alone_may_contradict_and_hard_questions_come_up_again_or_are_cut_off():
    assert cores_of([(1,), (-1,)], [2, 3])[-1] == ([], True)
    core, minimal = cores_of(*crowd(9, 7))[-1]
    assert (len(core), minimal) == (8, True)
    assert cores_of(*crowd(14, 13), Deadline.of(Limits(0.3))) == []


@for_each("looks", range(8))
def test_what_was_found_when_time_is_up_stands(looks):
    question = [(-1, -2, -3), (-4, -5), (-6, 1)], [1, 2, 3, 4, 5, 6]
    whole, cut = cores_of(*question), cores_of(*question, Looks(looks))
    assert cut == whole[: len(cut)]
    assert (len(cut) == 0) == (looks <= 1)


@pytest.mark.parametrize(
    ("puzzle", "rules", "said"),
    [
        (
            Puzzle.of_values(
                FOUR, [1, 3] + [0] * 14, (Cage((14, 15), 6), Cage((0, 1), 5), Thermometer((10, 11)))
            ),
            (1,),
            "1 in row 1, column 1, 3 in row 1, column 2 and cage 5 at r1c1 leave no solution",
        ),
        (
            Puzzle.empty(FOUR, (Cage((14, 15), 6), Thermometer((4, 5, 6, 7)), Cage((4, 5), 7))),
            (1, 2),
            "thermometer from r2c1 and cage 7 at r2c1 leave no solution",
        ),
        (Puzzle.empty(FOUR, (Cage((0, 1), 9),)), (0,), "cage 9 at r1c1 leaves no solution"),
        *[
            (read(f".Shape~4x4{text}.").puzzle, (0,), said)
            for text, said in [
                (".~R1C1_1~R1C1_2_3", "1 in row 1, column 1 and 2 or 3 at r1c1 leave no solution"),
                (".Thermo~R1C1~R1C2~R2C1~R1C1", "thermometer from r1c1 leaves no solution"),
                (".Lockout~1~R1C1~R1C2~R2C1~R1C1", "lockout line 1 from r1c1 leaves no solution"),
                (".Arrow~R1C1~R1C2~R1C1", "arrow at r1c1 leaves no solution"),
            ]
        ],
    ],
)
def test_rules_in_conflict_are_named_as_clues_are(puzzle, rules, said, explainer_of_rules):
    conflict = explain_conflict(puzzle, explainer_of_rules, LONG)
    assert (conflict.message, conflict.minimal, conflict.rules) == (said, True, rules)


def test_many_rules_in_conflict_are_counted(explainer_of_rules):
    rules = (*(Greater(cell + 1, cell) for cell in range(8)), Greater(0, 8))
    conflict = explain_conflict(Puzzle.empty(NINE, rules), explainer_of_rules, LONG)
    assert conflict.rules == tuple(range(9))
    assert conflict.message.startswith(
        "9 rules have no solution together, although any 8 of them have one"
    )
    assert conflict.message.endswith("; and 1 more")
