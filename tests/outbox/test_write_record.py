"""The record, the log and the CNFs of a job."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from hashlib import sha256

import pytest
from pysat.solvers import Minisat22
from support.cases import default_cases, for_each
from support.needs import needs_minisat
from support.puzzles import (
    EVEN_ODD,
    EVEN_ODD_SIX,
    NONE,
    SIX,
    TWO,
    UNIQUE,
    digits,
    holed,
    pattern,
    program,
)
from support.solvers import at_hand

from pipeline import Geometry, Settings, __version__, parse_puzzle, render_puzzle
from pipeline.outbox import load_record, record_of
from pipeline.outbox.schema import Fallback
from pipeline.outbox.write_record import (
    CollectionSet,
    Origin,
    PuzzleSet,
    limit_solutions,
    record_text,
    timestamp,
)
from pipeline.service.solving import solve_source
from pipeline.solving.cnf import cnf_texts
from pipeline.solving.explain import explain_difference
from pipeline.version import build

pytestmark = pytest.mark.usefixtures("unhurried")
CLAIMED = "2026-11-20T09:30:00.100Z"
FINISHED = datetime(2026, 11, 20, 9, 30, 0, 123_456, UTC)
BOXES = "c easy\n2 2\n1 0 0 0  0 0 2 0  0 3 0 0  0 0 0 4\n"
SIX_BY_SIX = pattern(Geometry(2, 3))
FALLBACKS = (
    Fallback(solver="exhaustive-search", reason="minisat missed a solution", puzzles=4),
    Fallback(solver="pysat", reason="minisat ended with exit code 3", puzzles=1),
)
STAGES = ["parse", "encode", "solve", "decode", "certify", "prove"]


@cache
def solved(text: str, **options):
    settings = Settings(**{"solver": "pysat"} | options)
    solvers = at_hand(settings.solver, settings.minisat)
    return solve_source(text.encode(), "a.sudoku", solvers, settings)


def origin_of(text: str) -> Origin:
    data = text.encode()
    return Origin("job-1", "a.sudoku", sha256(data).hexdigest(), len(data))


def recorded(text: str, files=None, **options):
    """The record as it is read back from its text."""
    published = PuzzleSet(origin_of(text), solved(text, **options))
    return json.loads(record_text(published.record(files or {}, FINISHED)))


def files_of(published):
    return published.files("a", published.record({}, FINISHED), CLAIMED)


def logged(text: str, **options):
    published = PuzzleSet(origin_of(text), solved(text, **options))
    ((lines,),) = (log for name, log in files_of(published) if name == "a.log")
    assert lines.endswith("\n")
    return [json.loads(line) for line in lines.splitlines()]


def many_of(totals):
    return CollectionSet(
        origin_of(TWO), "collection", "lines", "so it looks", totals, FALLBACKS, 1.5
    )


def solution_texts(result):
    return ["".join(result.problem.text(solution)) for solution in result.solutions]


def clauses_of(dimacs: str) -> tuple[str, list[list[int]]]:
    """The header, and the clauses, one a line."""
    lines = [line for line in dimacs.splitlines() if not line.startswith("c")]
    clauses = [[int(word) for word in line.split()] for line in lines[1:]]
    assert all(clause[-1] == 0 for clause in clauses)
    return lines[0], [clause[:-1] for clause in clauses]


@needs_minisat
def test_the_record_has_the_fields_of_the_design_in_their_order():
    files = {"a_1.solution": "12ab", "a.log": "34cd"}
    record = recorded(EVEN_ODD_SIX, files, solver="minisat", encoding="extended")
    seconds, certificate, difference = (
        record.pop(name) for name in ("seconds", "certificate", "difference")
    )
    odd, even = EVEN_ODD_SIX.count("."), EVEN_ODD_SIX.count("*")
    clauses = 11_988 + (81 - odd - even) + 4 * odd + 5 * even
    assert list(record.items()) == [
        ("schema", 2),
        ("version", __version__),
        ("build", build()),
        ("job", "job-1"),
        ("source", "a.sudoku"),
        ("sha256", sha256(EVEN_ODD_SIX.encode()).hexdigest()),
        ("bytes", 90),
        ("format", "grid"),
        ("variant", "even-odd"),
        ("box", [3, 3]),
        ("status", "multiple"),
        ("solutions", 6),
        ("complete", True),
        ("message", None),
        ("files", [{"name": name, "sha256": digest} for name, digest in files.items()]),
        ("solver", {"name": "minisat", "version": None, "fallback": None}),
        ("encoding", {"name": "extended", "variables": 729, "clauses": clauses}),
        ("finished", "2026-11-20T09:30:00.123Z"),
    ]
    assert certificate.pop("nodes") >= 0
    proved = {"solutions": "checked", "complete": "proved", "by": "exhaustive-search"}
    unset = dict.fromkeys(("solver", "checker", "steps", "reason"))
    assert list(certificate.items()) == list((proved | unset).items())
    assert len(difference["cells"]) > 0
    assert difference["decisive"][0].keys() == {"row", "column", "value"}
    assert set(seconds) == {*STAGES, "explain", "total"}
    assert all(0 <= value <= seconds["total"] for value in seconds.values())


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (UNIQUE, {}, ("unique", 1, True, "grid", "classic", [2, 2])),
        (TWO, {"max_solutions": 1}, ("multiple", 1, False, "grid", "classic", [2, 2])),
        (NONE, {}, ("unsolvable", 0, True, "grid", "classic", [2, 2])),
        (EVEN_ODD.replace("\n", "") + "\n", {}, ("unique", 1, True, "line", "even-odd", [3, 3])),
        (BOXES, {}, ("unique", 1, True, "boxes", "classic", [2, 2])),
        ("1x..\n", {}, ("invalid", 0, None, None, None, None)),
    ],
)
def test_the_record_tells_what_was_read_and_found(text, options, expected):
    record = recorded(text, **options)
    names = ("status", "solutions", "complete", "format", "variant", "box")
    assert tuple(record[name] for name in names) == expected


def test_the_record_and_the_log_of_an_invalid_file_say_what_is_wrong():
    text = "1...\n..2.\n.3q.\n...4\n"
    record, lines = recorded(text), logged(text)
    assert record["message"].startswith("a.sudoku:3:3: expected ")
    assert record["message"].endswith("found 'q'")
    assert record["solver"] is record["encoding"] is None
    assert list(record["seconds"]) == ["parse", "total"]
    assert record["files"] == []
    assert [line["event"] for line in lines] == ["job.claimed", "stage.parse", "job.finished"]
    assert (lines[-1]["status"], lines[-1]["message"]) == ("invalid", record["message"])


def test_what_is_written_is_what_is_read_again():
    files = {"a.log": "34cd"}
    for text in (UNIQUE, TWO, NONE, EVEN_ODD_SIX, "1x"):
        record = PuzzleSet(origin_of(text), solved(text)).record(files, FINISHED)
        assert record_of(json.loads(record_text(record))) == record
    refused = Origin("job-1", "a.sudoku", None, None, {"format": "grid"}, 7)
    record = PuzzleSet(refused, solved("1x")).record({}, FINISHED)
    assert record_of(json.loads(record_text(record))) == record
    assert record.sha256 is record.bytes is None
    totals = {"unique": 2, "failed": 1, "proved": 1, "unverified": 1}
    many = many_of(totals).record(files, FINISHED)
    assert record_of(json.loads(record_text(many))) == many
    assert (many.totals, many.certificate.proved) == ({"failed": 1, "unique": 2}, 1)
    assert many.fallbacks == FALLBACKS


def test_record_and_log_tell_why_another_solver_answered(tmp_path):
    fake = program(tmp_path / "minisat", "exit 3")
    record, why = recorded(TWO, solver="auto", minisat=fake), "minisat ended with exit code 3"
    assert record["solver"].pop("version")
    assert record["solver"] == {"name": "pysat", "fallback": why}
    lines = logged(TWO, solver="auto", minisat=fake)
    assert [line for line in lines if line["event"] == "solver.fallback"] == [
        {"job": "job-1", "event": "solver.fallback", "reason": why, "solver": "pysat"}
    ]


def test_record_and_log_of_many_tell_for_how_many_puzzles_another_solver_answered():
    many = many_of({"unique": 5})
    record = json.loads(record_text(many.record({}, FINISHED)))
    ((_, (log,)),) = files_of(many)
    events = [json.loads(line) for line in log.splitlines()]
    told = [
        {"solver": "exhaustive-search", "reason": "minisat missed a solution", "puzzles": 4},
        {"solver": "pysat", "reason": "minisat ended with exit code 3", "puzzles": 1},
    ]
    assert record["fallbacks"] == told
    assert [each for each in events if each["event"] == "solver.fallback"] == [
        {"job": "job-1", "event": "solver.fallback"} | each for each in told
    ]


def test_the_record_names_the_givens_that_clash_if_they_were_found_in_time():
    record = recorded("....\n.3..\n....\n.3..\n")
    assert record["status"] == "unsolvable"
    assert record["message"] == "column 2 holds 3 twice: row 2, column 2 and row 4, column 2"
    assert record["conflict"] == [
        {"row": 2, "column": 2, "value": 3},
        {"row": 4, "column": 2, "value": 3},
    ]
    assert len(recorded(NONE)["conflict"]) == 3
    assert record["conflict_minimal"] is True
    assert not {"conflict", "conflict_minimal"} & recorded(UNIQUE).keys()
    unexplained = PuzzleSet(origin_of(NONE), replace(solved(NONE), conflict=None))
    late = unexplained.record({}, FINISHED)
    assert (late.conflict, late.conflict_minimal) == (None, None)


def test_the_record_is_ascii_whatever_the_file_is_called():
    """A file that was refused unread has neither hash nor size."""
    source = "rätsel \udcff 数独.txt"
    origin = Origin("job-1", source, None, None)
    text = record_text(PuzzleSet(origin, solved("1x")).record({source: "00"}, FINISHED))
    assert text.isascii()
    record = json.loads(text)
    assert (record["source"], record["sha256"], record["bytes"]) == (source, None, None)


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (FINISHED, "2026-11-20T09:30:00.123Z"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00.000Z"),
        (datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=2))), "2026-01-01T23:00:00.000Z"),
    ],
)
def test_times_are_utc_with_milliseconds(moment, written):
    assert timestamp(moment) == written


def test_the_log_has_a_line_for_each_stage_and_ends_with_the_finished_job():
    claimed, *stages, finished = logged(TWO)
    assert claimed == {
        "job": "job-1",
        "timestamp": "2026-11-20T09:30:00.100Z",
        "event": "job.claimed",
        "source": "a.sudoku",
    }
    assert [line["event"] for line in stages] == [
        f"stage.{stage}" for stage in (*STAGES, "explain")
    ]
    assert all(line["job"] == "job-1" and line["seconds"] >= 0 for line in stages)
    assert set(finished.pop("seconds")) == {*STAGES, "explain", "total"}
    assert finished == {
        "job": "job-1",
        "timestamp": "2026-11-20T09:30:00.123Z",
        "event": "job.finished",
        "source": "a.sudoku",
        "status": "multiple",
        "solutions": 2,
        "complete": True,
        "certificate": "exhaustive-search",
        "message": None,
    }


@pytest.mark.parametrize(
    ("text", "variant"),
    [(SIX, "grid"), (SIX.replace("\n", "") + "\n", "line"), (BOXES, "boxes"), (EVEN_ODD, "grid")],
)
def test_solutions_are_in_the_notation_of_the_input_and_puzzles_themselves(text, variant):
    result = solved(text)
    texts = solution_texts(result)
    assert result.format == variant
    assert len(texts) == len(result.solutions) > 0
    for written, grid in zip(texts, result.solutions, strict=True):
        again = solved(written)
        assert (again.status, again.solutions) == ("unique", (grid,))
        assert solution_texts(again) == [written]
        if variant == "grid":
            rows = ["".join(map(str, row)) for row in grid.rows()]
            assert written == "".join(f"{row}\n" for row in rows)


@for_each("encoding", ["textbook", "reduced"])
@for_each(
    ("text", "most"),
    [
        (SIX, 9),
        (SIX, 5),
        (UNIQUE, 9),
        (EVEN_ODD, 9),
        (digits(pattern(Geometry(2, 3))), 9),
        (NONE, 9),
    ],
)
def test_the_blocked_cnf_is_the_cnf_and_a_clause_for_each_solution(text, most, encoding):
    """The blocked CNF has a model only where there are more solutions."""
    result = solved(text, encoding=encoding, max_solutions=most)
    plain, blocked = ("".join(chunks) for chunks in cnf_texts(result.cnf, result.solutions))
    header, clauses = clauses_of(plain)
    blocked_header, blocked_clauses = clauses_of(blocked)
    number, variables = len(result.solutions), result.cnf.variables
    assert header == f"p cnf {variables} {len(clauses)}"
    assert blocked_header == f"p cnf {variables} {len(clauses) + number}"
    assert blocked_clauses[: len(clauses)] == clauses
    assert len(blocked_clauses) == len(clauses) + number
    for blocked in range(number + 1):
        left = Minisat22(bootstrap_with=blocked_clauses[: len(clauses) + blocked]).solve()
        assert left == (blocked < number or not result.complete)


def test_large_grids_have_their_cnfs_too():
    puzzle = holed(pattern(Geometry(4, 4)), every=3)
    result = solved(render_puzzle(puzzle, "boxes"), max_solutions=2)
    _, clauses = clauses_of("".join(cnf_texts(result.cnf, result.solutions)[1]))
    assert len(clauses) == result.cnf.size + len(result.solutions)
    assert parse_puzzle(render_puzzle(puzzle, "boxes")) == puzzle


@pytest.mark.parametrize(
    "stem",
    default_cases(["a", "\u00e4" * 111, "\udcff" * 200], "\udcff" * 200),
    ids=["short", "letters", "bytes"],
)
def test_a_record_lists_no_more_solutions_than_can_be_read_again(stem, tmp_path):
    """The name is written in ASCII, which can take six times as much room."""
    two = solved(TWO)
    many = replace(two, solutions=two.solutions * 150_000, difference=None)
    result = limit_solutions(many, stem)
    names = [f"{stem}_{number}.solution" for number in range(1, len(result.solutions) + 1)]
    record = PuzzleSet(origin_of(TWO), result).record(dict.fromkeys(names, "0" * 64), FINISHED)
    (tmp_path / "a.json").write_text(record_text(record))
    found = load_record(tmp_path / "a.json")
    assert found.solutions == len(found.files) == len(names) < 300_000
    assert (found.status, found.complete, found.certificate.complete) == ("multiple", False, "no")
    assert found.message == f"there are more solutions than the {len(names)} that a record can list"


def test_the_solutions_that_a_record_can_list_are_those_that_are_published():
    every = solved("....\n" * 4, max_solutions=1000)
    assert (len(every.solutions), every.complete) == (288, True)
    assert limit_solutions(every, "a", 50_000) == every
    cut = limit_solutions(every, "a", 20_000)
    assert cut.difference == explain_difference(cut.solutions) != every.difference
    published = PuzzleSet(origin_of("....\n" * 4), cut)
    names = [name for name, _ in files_of(published)]
    assert len(names) == len(cut.solutions) + 1 < 200
    text = record_text(published.record(dict.fromkeys(names, "0" * 64), FINISHED))
    assert 15_000 < len(text) < 20_000
