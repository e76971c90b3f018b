"""Collections of puzzles with rules: each row is solved, proved and audited by itself."""

from __future__ import annotations

import csv
import io

import pytest
from support.needs import needs_numba
from support.notations import SOLO, SUMOCUE
from support.outboxes import Outbox, in_a_line
from support.puzzles import TWO
from support.solvers import at_hand

from pipeline.outbox.audit import AuditOptions, audit
from pipeline.outbox.report.job_boards import board_of_row
from pipeline.outbox.tables import PuzzleRow
from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.read import source_at
from pipeline.service.jobs import ChunkSizes
from pipeline.settings import Reading, Settings
from pipeline.solving.complete import make_refuter
from pipeline.solving.items import group_items, items_of

JIGSAW = "4j:1j2a3b,b__cd__a___b_"
"""It has two solutions."""

NONE = "SumoCueV1=8+0" + "=0" * 14
PLAIN = in_a_line(TWO).strip()
LINES = "".join(f"{line}\n" for line in (SUMOCUE, JIGSAW, NONE, PLAIN, SOLO))
TERMS = {"refuter": make_refuter(at_hand("pysat"), 4096)}


@pytest.fixture
def outbox(box):
    box.drop("rules.txt", LINES)
    done = box.run("--settle", "0")
    assert done.returncode == 0, done.stderr
    return Outbox(box)


def rows(outbox: Outbox) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(outbox.path("rules.csv").read_text()))]


@needs_numba
def test_each_row_has_its_answer_and_its_certificate_and_an_audit_finds_nothing(outbox):
    told = [(row["status"], row["solutions"], row["certificate"]) for row in rows(outbox)]
    assert told == [
        ("unique", "1", "exhaustive-search"),
        ("multiple", "2", "exhaustive-search"),
        ("unsolvable", "0", "exhaustive-search"),
        ("multiple", "2", "exhaustive-search"),
        ("unique", "1", "exhaustive-search"),
    ]
    assert [row["puzzle"] for row in rows(outbox)] == [SUMOCUE, JIGSAW, NONE, PLAIN, SOLO]
    assert outbox.record("rules")["format"] == "variants"
    assert outbox.problems("rules", **TERMS) == ()


def test_a_grid_that_breaks_a_rule_is_found(outbox):
    wrong = rows(outbox)[0]["solution"]
    wrong = wrong[1] + wrong[0] + wrong[2:]
    outbox.change_line("rules_1.solution", "rules", 1, wrong)
    outbox.set_row("rules.csv", "rules", 1, solution=wrong)
    assert any("line 1" in problem for problem in outbox.problems("rules", **TERMS))


def test_a_solution_that_is_left_out_is_found(outbox):
    outbox.leave_out_of_row("rules", 2)
    assert any("row 2" in problem for problem in outbox.problems("rules", **TERMS))


def test_the_board_of_a_row_has_its_rules_and_its_solutions(outbox):
    others = outbox.path("rules_2.solution").read_text().splitlines()
    for row, other in zip(rows(outbox), others, strict=True):
        board = board_of_row(PuzzleRow(**row), other, Reading())
        assert board is not None
        assert board.puzzle.is_plain == (row["puzzle"] == PLAIN)
        assert (board.grid is None) == (row["status"] == "unsolvable")
        assert bool(board.difference) == (row["status"] == "multiple")


def test_the_audit_tells_of_each_row_with_rules_that_it_has_checked(outbox):
    told = []
    terms = AuditOptions(on_rows=lambda *progress: told.append(progress), **TERMS)
    (finding,) = audit(outbox.folder, [outbox.box.inbox / "done"], terms)
    assert finding.verdict == "ok"
    assert [("rules.txt", number, 5) for number in (1, 2, 3, 5)] == [*dict.fromkeys(told)][:4]


def test_collections_of_puzzles_with_rules_are_cut_into_steps_of_a_few(tmp_path):
    path = tmp_path / "many.txt"
    path.write_text(LINES * 30)
    found = source_at(path, "many.txt", Settings())
    with path.open("rb") as file, PeekableStream(file) as stream:
        steps = [*ChunkSizes().chunks(found.layout, stream, Settings())]
    assert len(steps) == 6, "five of 2 KiB, and the end"


def test_solve_prints_each_puzzle_with_rules_as_soon_as_it_is_solved(tmp_path):
    path = tmp_path / "many.txt"
    path.write_text(LINES)
    found = group_items(items_of(path, "many.txt", Settings()))
    assert [len(group) for group in found] == [1, 1, 1, 1, 1]
