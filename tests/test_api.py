"""The library: the functions that do what the commands do."""

from __future__ import annotations

import base64
import doctest
import os
import subprocess
import sys
from contextlib import closing
from dataclasses import fields
from importlib import import_module
from itertools import count, islice, repeat
from pathlib import Path
from typing import get_type_hints

import pytest
from support.archives import zip_of
from support.needs import needs_linux, needs_minisat
from support.puzzles import NONE, SIX, TWO, UNIQUE, children, pattern, program
from support.rules.predicates import MEANS
from support.solvers import solve_at_hand

import pipeline
from pipeline import (
    Geometry,
    InvalidPuzzle,
    LimitReached,
    Mistake,
    Puzzle,
    Settings,
    UsageError,
    all_steps_of,
    certify_grid,
    convert,
    dedupe,
    generate,
    mistakes_of,
    parse_puzzle,
    rate,
    read,
    rules,
    solutions,
    solve,
    solve_many,
    steps_of,
    to_frame,
)
from pipeline import count as count_solutions
from pipeline.catalogue.generating import Wish
from pipeline.certify.exhaustive import SearchResult
from pipeline.errors import InputError, MultipleSolutions, SolverError
from pipeline.keywords import SolvingOptions, SourceOptions, WishOptions
from pipeline.solving.complete import CompletenessCheck
from pipeline.solving.result import Certificate, Stopwatch
from pipeline.solving.solvers.pysat import ProofLimitReached

LINE, PAIR = UNIQUE.replace("\n", ""), TWO.replace("\n", "")
FORMULA = "p cnf 2 2\n1 2 0\n-1 0\n"
EMPTY = Puzzle.empty(Geometry(3, 3))


@pytest.mark.parametrize(
    "module",
    [
        "pipeline",
        *(f"pipeline.{name}" for name in ("api", "certify.grids", "errors", "rules", "steps.step")),
        *(f"pipeline.puzzle.{name}" for name in ("geometry", "puzzle")),
        *(f"pipeline.solving.{name}" for name in ("cnf", "encode", "items", "result")),
        *(f"pipeline.reading.formats.{name}" for name in ("detect", "grid_text")),
    ],
)
def test_the_examples_in_the_docstrings_run(module):
    failed, attempted = doctest.testmod(import_module(module))
    assert (failed, attempted > 0) == (0, True)


def test_every_public_name_has_an_example():
    assert dir(pipeline) == sorted(pipeline.__all__)
    assert len(pipeline.__all__) <= 25
    listed = {name: getattr(pipeline, name) for name in pipeline.__all__ if name != "__version__"}
    assert [name for name, thing in listed.items() if ">>> " not in (thing.__doc__ or "")] == []


def test_former_names_can_still_be_imported():
    former = ("Settings", "Wish", "Tally", "solve_puzzle", "encode_puzzle", "InputError", "overlap")
    assert not {*former} & {*dir(pipeline)}
    assert pipeline.Settings is Settings
    assert all(getattr(pipeline, name).__doc__ for name in former)
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        pipeline.sovle  # noqa: B018


def test_every_rule_is_public():
    assert {*rules.__all__} == {kind.__name__ for kind in MEANS}
    assert all(getattr(rules, kind.__name__) is kind for kind in MEANS)


def test_importing_the_package_loads_nothing_else():
    code = "import sys, pipeline; print([name for name in sys.modules if 'pipeline' in name])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(Path(pipeline.__file__).parents[1])},
    )
    assert done.stdout == "['pipeline.version', 'pipeline']\n"


def test_rules_are_loaded_by_who_asks_for_them_alone():
    code = "import sys, pipeline; pipeline.Puzzle; print('pipeline.puzzle.rules' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("options", [SourceOptions, SolvingOptions])
def test_the_keywords_of_the_library_have_the_types_of_the_settings(options):
    known = get_type_hints(Settings)
    assert {name: known[name] for name in options.__annotations__} == get_type_hints(options)


@pytest.mark.parametrize("puzzle", [SIX, SIX.encode(), parse_puzzle(SIX)], ids=type)
def test_solve_takes_a_puzzle_and_texts(puzzle):
    result = solve(puzzle, solver="pysat", max_solutions=3)
    assert (result.status, len(result.solutions), result.complete) == ("multiple", 3, False)


def test_solve_takes_a_formula_and_says_what_is_no_puzzle():
    assert solve(FORMULA, solver="pysat").solutions == ((-1, 2),)
    result = solve("1...\n..x.\n....\n....\n")
    assert (result.status, result.message.split(": ")[0]) == ("invalid", "puzzle:2:3")


WRONG = {
    "timeout": ("5m", "timeout: expected a number from 0.001 to 1,000,000, found '5m'"),
    "memory_limit": (64.5, "memory_limit: expected a whole number from 64 to .*, found 64.5"),
    "max_solutions": (True, "max_solutions: expected a whole number from 1 to .*, found True"),
    "max_bytes": (None, "max_bytes: expected a whole number from 1 to .*, found None"),
    "trust_solver": ("no", "trust_solver: expected true or false, found 'no'"),
    "traits": (["minimal"], "traits: expected a string, found \\['minimal'\\]"),
    "format": (3, "format: expected one of auto, .*, found 3"),
    "minisat": (3, "minisat: expected a string, found 3"),
    "solver": (3, "solver: expected one of auto, "),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_setting_of_the_wrong_kind_is_a_usage_error_with_the_name_of_the_argument(name):
    value, said = WRONG[name]
    for call in (solve, solve_many):
        with pytest.raises(UsageError, match=f"^{said}"):
            call(UNIQUE, **{name: value})


@pytest.mark.parametrize("name", ["timout", "inbox", "cluster", "metrics"])
def test_a_keyword_that_is_no_setting_of_a_call_is_an_error(name):
    for call in (
        *(solve, solve_many, lambda text, **more: next(solutions(text, **more))),
        *(lambda text, f=f, **more: next(f(text, **more)) for f in (read, dedupe)),
    ):
        with pytest.raises(TypeError, match=f"^{name}: unexpected .*; expected .*timeout"):
            call(UNIQUE, **{name: "x"})


@pytest.mark.parametrize("one", ["a.txt", UNIQUE.encode(), Path("a.txt")])
def test_solve_many_takes_neither_a_text_nor_a_path_for_many(one):
    said = f"^expected an iterable of puzzles, found {type(one).__name__}: .*`read`"
    with pytest.raises(TypeError, match=said):
        solve_many(one)


@pytest.mark.parametrize("workers", [0, -1, 1025, 1.5, "2", None, True])
def test_solve_many_takes_one_worker_or_more(workers):
    with pytest.raises(UsageError, match=r"^workers: expected .*1 to 1,024"):
        solve_many([UNIQUE], workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_solve_many_gives_in_order_what_solve_gives(workers):
    kinds = [LINE, "x", parse_puzzle(PAIR), NONE, FORMULA, SIX.encode()]
    found = list(solve_many(kinds + kinds[:3] * 20, workers=workers, solver="pysat"))
    alone = [solve_at_hand(kind, solver="pysat") for kind in kinds]
    alone += alone[:3] * 20
    assert [(each.status, each.solutions) for each in found] == [
        (each.status, each.solutions) for each in alone
    ]
    assert found[1].message.startswith("puzzle 2:1:1: ")


def test_solve_many_reads_no_more_than_it_needs():
    asked = []
    puzzles = (asked.append(None) or LINE for _ in repeat(None))
    with closing(solve_many(puzzles)) as results:
        assert next(results).status == "unique"
        assert len(asked) < 100


@pytest.mark.parametrize("solver", ["pysat", pytest.param("minisat", marks=needs_minisat)])
def test_solutions_are_all_there_are_each_once(solver):
    found = list(solutions(SIX, solver=solver))
    assert sorted(found) == list(solve(SIX, solver="pysat").solutions)
    assert len(list(solutions("p cnf 3 1\n1 2 3 0\n", solver=solver))) == 7


def test_what_a_solver_leaves_out_is_found_in_the_end(tmp_path):
    liar = program(tmp_path / "minisat", "echo UNSAT > $out; exit 20")
    found = list(solutions(SIX, minisat=liar))
    assert sorted(found) == list(solve_at_hand(SIX, solver="pysat").solutions)
    assert len(set(found)) == len(found)
    assert list(solutions(SIX, minisat=liar, trust_solver=True)) == []


@pytest.mark.parametrize("is_provable", [True, False])
def test_a_check_that_found_what_a_solver_left_out_wants_a_proof_that_these_are_all(
    is_provable, monkeypatch, tmp_path
):
    """The check finds one of six solutions, and says wrongly that there is no other."""
    six = solve_at_hand(SIX, solver="pysat").solutions

    def see_one(_, listed, **__):
        return SearchResult(() if listed else six[:1], 1)

    monkeypatch.setattr("pipeline.solving.problem.find_missing", see_one)
    if not is_provable:
        monkeypatch.setattr("pipeline.solving.solvers.pysat.Pysat.prove", prove_nothing)
    liar = program(tmp_path / "minisat", "echo UNSAT > $out; exit 20")
    error = SolverError if is_provable else LimitReached
    with pytest.raises(error, match="missed solutions" if is_provable else "not verified"):
        list(solutions(SIX, minisat=liar))


def prove_nothing(*_):
    raise ProofLimitReached("no room")


def test_what_a_faulty_check_finds_is_no_solution(monkeypatch):
    result = SearchResult((pattern(Geometry(2, 2)),), 1)
    monkeypatch.setattr("pipeline.solving.problem.find_missing", lambda *_, **__: result)
    found = list(solutions(SIX, solver="pysat"))
    assert sorted(found) == list(solve_at_hand(SIX, solver="pysat", prove="always").solutions)


def test_each_look_for_what_is_missing_takes_of_the_same_time(monkeypatch):
    ticks, spent = count(), []
    six = solve_at_hand(SIX, solver="pysat").solutions
    again = [CompletenessCheck(Certificate("no"), missing=six[:1])] * 3
    again += [CompletenessCheck(Certificate("unverified", reason="a reason"))]

    def check(problem, known, solvers, limits, **_):
        spent.append(limits.spent)
        return again[len(spent) - 1]

    monkeypatch.setattr("pipeline.api.check_complete", check)
    monkeypatch.setattr("pipeline.api.Stopwatch", lambda: Stopwatch(lambda: float(next(ticks))))
    with pytest.raises(LimitReached, match="completeness not verified: a reason"):
        list(solutions(SIX, solver="pysat"))
    assert spent == sorted({*spent})
    assert len(spent) == 4


@needs_minisat
@needs_linux
def test_closing_the_generator_ends_the_solver(started_engines):
    before = children()
    found = solutions(EMPTY)
    assert len({*islice(found, 5)}) == 5
    assert children() != before
    found.close()
    assert children() == before


def test_solutions_raises_an_error_where_it_cannot_go_on():
    with pytest.raises(InvalidPuzzle):
        next(solutions("x"))
    with pytest.raises(LimitReached):
        list(solutions(EMPTY, timeout=0.05))


def items_of(source, **settings):
    return [
        (item.name, item.line, item.problem.format if item.problem else item.reason)
        for item in read(source, **settings)
    ]


def test_read_gives_the_problems_of_whatever_can_be_dropped(tmp_path):
    many = f"{LINE}\n{PAIR}\nx\n"
    bad = "many.txt:3:1: expected a row of 4, 6, 8 or 9 cells, found 1 cell"
    for name, text in (("one.txt", UNIQUE), ("many.txt", many), ("f.cnf", FORMULA)):
        (tmp_path / name).write_text(text)
    (tmp_path / "set.zip").write_bytes(zip_of(("a/one.txt", UNIQUE), ("many.txt", many)))
    rows = [("many.txt", 1, "grid"), ("many.txt", 2, "grid"), ("many.txt", 3, bad)]
    assert items_of(tmp_path / "one.txt") == [("one.txt", None, "grid")]
    assert items_of(tmp_path / "f.cnf") == [("f.cnf", None, "cnf")]
    assert items_of(tmp_path / "many.txt") == items_of(str(tmp_path / "many.txt")) == rows
    members = [("a/one.txt", None, "grid"), *rows]
    assert items_of(tmp_path / "set.zip") == members
    assert items_of((tmp_path / "set.zip").read_bytes()) == members
    names = [name for name, _, _ in items_of(tmp_path)]
    packed = [f"set.zip/{name}" for name, _, _ in members]
    assert names == ["f.cnf", *["many.txt"] * 3, "one.txt", *packed]


@pytest.mark.parametrize("workers", [1, 2])
def test_items_are_solved_and_those_without_a_problem_are_invalid(workers):
    items = [*read(f"{LINE}\n{PAIR}\nx\n".encode())]
    results = [*solve_many(items, workers=workers)]
    assert [result.status for result in results] == ["unique", "multiple", "invalid"]
    assert results[0].solution == solve(items[0]).solution == solve(LINE).solution
    assert (results[2].message, results[2].code) == (items[2].reason, items[2].code)
    assert repr(items[2]) == f"<Item data:3: {items[2].reason}>"
    with pytest.raises(InputError, match="data:3:1: expected a row"):
        next(solutions(items[2]))


def test_what_read_cannot_read_is_an_item_with_a_reason(tmp_path):
    (tmp_path / "half.zip").write_bytes(zip_of(("a.txt", UNIQUE))[:-30])
    ((_, _, reason),) = items_of(tmp_path / "half.zip")
    assert "half.zip" in reason
    os.mkfifo(tmp_path / "pipe")
    assert "a named pipe" in items_of(tmp_path / "pipe")[0][2]
    assert items_of(b"")[0][2] == "data: expected a puzzle, found an empty file"
    with pytest.raises(FileNotFoundError):
        items_of(tmp_path / "nothing")


ROWS = [[int(sign.replace(".", "0")) for sign in line] for line in UNIQUE.split()]


def test_a_puzzle_may_be_rows_or_a_file_too(tmp_path):
    (tmp_path / "a.sudoku").write_text(UNIQUE)
    asked = (UNIQUE, ROWS, tuple(ROWS), tmp_path / "a.sudoku")
    found = [result.solutions for result in solve_many(asked, solver="pysat")]
    assert found == [found[0]] * 4
    assert Puzzle.from_file(tmp_path / "a.sudoku") == Puzzle.from_rows(ROWS)


def test_a_file_is_refused_by_its_name(tmp_path):
    (tmp_path / "bad.txt").write_text("1...\n..2.\n.3q.\n...4\n")
    told = "bad.txt:3:3: "
    assert told in (solve(tmp_path / "bad.txt").message or "")
    with pytest.raises(InvalidPuzzle, match=told):
        Puzzle.from_file(tmp_path / "bad.txt")
    with pytest.raises(FileNotFoundError):
        solve(tmp_path / "none.txt")
    (tmp_path / "large.txt").write_text(UNIQUE)
    assert "at most 8 bytes" in (solve(tmp_path / "large.txt", max_bytes=8).message or "")


def test_rows_that_are_no_grid_are_an_error_of_the_argument():
    with pytest.raises(ValueError, match="expected 2 rows of 2 values"):
        solve([[1, 2], [1]])


def test_rows_may_be_an_array():
    numpy = pytest.importorskip("numpy")
    assert solve(numpy.array(ROWS)).solution == solve(ROWS).solution


WRONG_TEXTS = [
    "",
    "53..7",
    "53..7...",
    "1...\n..2.\n.3q.\n...4\n",
    b"\xff\xfe\x00",
    "killer.txt",
    "[1,2",
]


@pytest.mark.parametrize("text", WRONG_TEXTS)
def test_solve_and_parse_puzzle_agree_about_a_wrong_text(text):
    with pytest.raises(InvalidPuzzle) as by_parsing:
        parse_puzzle(text)
    result = solve(text)
    assert (result.status, result.message) == ("invalid", str(by_parsing.value))
    with pytest.raises(InvalidPuzzle) as by_solving:
        result.raise_for_status()
    with pytest.raises(InvalidPuzzle) as by_enumerating:
        next(solutions(text))
    for raised in (by_solving, by_enumerating):
        assert type(raised.value) is type(by_parsing.value)
        assert vars(raised.value) == vars(by_parsing.value)


@pytest.mark.parametrize("text", ["killer.txt", "examples/no such.sudoku", r"C:\puzzles\a.txt"])
def test_a_file_name_is_recognised_as_one(text):
    with pytest.raises(InvalidPuzzle, match=r"to read a file, use `Path` or `Puzzle\.from_file`$"):
        parse_puzzle(text)


@pytest.mark.parametrize("text", ["53..7", "1.....2..3.....9", "hello world", ".a.b"])
def test_other_texts_are_not(text):
    with pytest.raises(InvalidPuzzle) as raised:
        parse_puzzle(text)
    assert "Path" not in str(raised.value)


def test_parse_puzzle_names_functions_for_formulas_and_rows():
    with pytest.raises(InvalidPuzzle, match=r"found a formula; `solve` and `read` take formulas$"):
        parse_puzzle(FORMULA)
    with pytest.raises(TypeError, match=r"found list; Puzzle\.from_rows takes rows"):
        parse_puzzle(ROWS)


def test_a_similar_keyword_is_suggested():
    with pytest.raises(TypeError, match=r"; did you mean max_solutions\?$"):
        solve(UNIQUE, max_solution=3)


def test_the_repr_of_a_converted_item_is_one_line():
    drawn, refused = convert(Puzzle.from_rows(ROWS), EMPTY.with_rules(rules.AntiKnight()), to="ss")
    assert repr(drawn) == f"<Converted puzzle: {len(drawn.data)} bytes>"
    assert repr(refused) == f"<Converted puzzle: {refused.reason}>"


def test_solutions_are_counted_up_to_a_limit():
    assert [count_solutions(text) for text in (SIX, NONE, FORMULA)] == [6, 0, 1]
    assert count_solutions("................", max_solutions=2) == 2
    with pytest.raises(InvalidPuzzle):
        count_solutions("53..7")
    with pytest.raises(LimitReached):
        count_solutions(EMPTY, timeout=0.001)


def test_a_rating_is_that_of_the_trait():
    assert rate(EASY) == solve(EASY, traits="rating").traits.rating
    with pytest.raises(MultipleSolutions):
        rate(EMPTY)
    with pytest.raises(ValueError, match="only classic 9×9 puzzles"):
        rate(UNIQUE)


def test_generate_takes_the_fields_of_a_wish():
    assert [*WishOptions.__annotations__] == [field.name for field in fields(Wish)]
    (first,) = islice(generate(seed=7, givens=(24, 25)), 1)
    (same,) = islice(generate(Wish(givens=(24, 25)), 7), 1)
    assert first.puzzle == same.puzzle


@pytest.mark.parametrize(
    ("properties", "error", "message"),
    [
        ({"givens": (30, 20)}, UsageError, "givens: expected a range within 0 to 81"),
        ({"givens": 25}, UsageError, r"givens: expected \(minimum, maximum\), found 25"),
        ({"depth": "1-2"}, UsageError, r"depth: expected \(minimum, maximum\), found '1-2'"),
        ({"level": "x"}, UsageError, "level: expected one of easy, .*, found 'x'"),
        ({"levels": "easy"}, TypeError, "levels: unexpected .*; did you mean level"),
    ],
)
def test_a_wrong_property_of_a_puzzle_to_generate_is_named(properties, error, message):
    with pytest.raises(error, match=f"^{message}"):
        next(generate(**properties))


def test_a_wrong_kind_of_argument_is_named():
    with pytest.raises(TypeError, match=r"^expected a side or a Geometry, found '9'$"):
        Puzzle.empty("9")
    with pytest.raises(TypeError, match=r"^expected a Puzzle and a Grid, found str and Grid$"):
        certify_grid(UNIQUE, solve(UNIQUE).solution)
    pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"found a single one: use \[result\]$"):
        to_frame(solve(UNIQUE))


EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def test_steps_start_from_a_game_without_mistakes():
    placed = f":0000:x:{EASY.replace('.', '+4', 1)}:214::\n"
    result = solve(placed)
    first = next(steps_of(result))
    assert mistakes_of(result) == ()
    assert (first.before.values[2], 2 in first.before.givens) == (4, False)
    assert first.before.values_in(3) == (6,)
    assert next(all_steps_of(result)).before == first.before


def test_steps_are_those_of_a_text_or_of_its_result():
    assert [*steps_of(EASY)] == [*steps_of(solve(EASY))]
    assert next(all_steps_of(EASY)) == next(all_steps_of(solve(EASY)))
    assert mistakes_of(EASY) == ()
    for function in (steps_of, all_steps_of, mistakes_of):
        with pytest.raises(InvalidPuzzle):
            function("53..7")
    with pytest.raises(InvalidPuzzle):
        steps_of(solve("53..7"))
    with pytest.raises(ValueError, match="steps are only available"):
        steps_of(NONE)


def test_a_step_is_a_hint_too():
    first = next(steps_of(EASY))
    assert repr(first) == f"<Step {first}>"
    assert (first.technique.name, first.where) == ("naked single", "r5c5")


def test_mistakes_are_digits_and_eliminated_candidates():
    wrong = f":0000:x:{EASY.replace('.', '+2', 1)}:614 214::\n"
    result = solve(wrong)
    assert mistakes_of(result) == (Mistake(2, 2, True), Mistake(3, 6, False))
    assert next(steps_of(result)).before.values[2] == 0  # steps start from the givens


def test_notebooks_draw_puzzles_grids_and_results():
    result = solve(UNIQUE, solver="pysat")
    for drawn in (Puzzle.from_rows(ROWS), result.solutions[0], result):
        html = drawn._repr_html_()
        picture = base64.b64decode(html.partition("base64,")[2].partition('"')[0])
        assert picture.startswith(b"<svg ")
    assert html.startswith("<p>unique, 1 solution, exhaustive-search</p><img alt=")


def test_notebooks_show_as_text_what_has_no_board():
    assert Puzzle.empty(36)._repr_html_() is None
    assert solve(FORMULA)._repr_html_() is None
    assert solve("1.....q")._repr_html_() is None
