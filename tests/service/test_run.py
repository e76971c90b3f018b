"""`run`, the real command, from what is dropped to what is published."""

from __future__ import annotations

import shutil
from hashlib import sha256

import pytest
from support.drop_folders import (
    ENDLESS,
    NO_SOLUTION,
    OTHER,
    OTHER_SOLVED,
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    events_in,
)
from support.logs import KeptLog
from support.oracle import solutions
from support.puzzles import EVEN_ODD

from pipeline import parse_puzzle
from pipeline.service.loop import run_once
from pipeline.settings import Settings

EVEN_ODD_SOLVED = """\
238965471
764318295
195247386
572183964
389426517
416579823
941732658
657894132
823651749
"""

TALL = """\
. .|2 .|. 4
. .|. 6|. .
. 2|5 .|6 .
---+---+---
. .|. .|. .
1 6|. 2|. .
. .|3 .|1 .
"""
TALL_SOLVED = "612354\n451623\n325461\n536142\n164235\n243516\n"

SIX_SOLUTIONS = """\
*.*.*.4..
7**..**..
.9.*4..*6
..*18.9**
3*.***5..
*.*..9*23
941..**.8
*..*.*.3*
**.*5..*.
"""


SIX_BY_SIX = "123456\n456123\n231564\n564231\n312645\n645312\n"
BOXES = "2 3\n" + "".join(" ".join(row) + "\n" for row in SIX_BY_SIX.split())
FORMATS = {
    "even-odd": (EVEN_ODD, EVEN_ODD_SOLVED),
    "even-odd-line": (EVEN_ODD.replace("\n", ""), EVEN_ODD_SOLVED.replace("\n", "") + "\n"),
    "grid-2x2": ("\ufeff# a\r\n" + SMALL.replace("\n", "\r\n"), SMALL_SOLVED),
    "grid-2x3": (SIX_BY_SIX.replace("123456", "......"), SIX_BY_SIX),
    "line-2x2": (SMALL.replace("\n", "") + "\n", SMALL_SOLVED.replace("\n", "") + "\n"),
    "boxes-2x3": ("c easy\nc one\n" + BOXES.replace("1 2 3 4 5 6\n", "0 0 0 0 0 0\n"), BOXES),
}
"""Name → the puzzle and its only solution, each in the notation of the puzzle."""


@pytest.fixture(scope="module")
def formats(tmp_path_factory):
    """One pass over a puzzle of each format, and one over the solutions of that."""
    first, second = (DropFolder.within(tmp_path_factory.mktemp(name)) for name in ("1", "2"))
    for name, (puzzle, _) in FORMATS.items():
        first.drop(f"{name}.txt", puzzle)
    assert first.run().returncode == 0
    for name in FORMATS:
        second.drop(f"{name}_1.solution", (first.outbox / f"{name}_1.solution").read_bytes())
    assert second.run().returncode == 0
    return first, second


@pytest.mark.parametrize("name", FORMATS)
def test_a_puzzle_of_any_format_gives_its_solution_in_its_own_notation(formats, name):
    box, _ = formats
    record = box.record(name)
    assert box.text(f"{name}_1.solution") == FORMATS[name][1]
    assert (record["status"], record["solutions"], record["complete"]) == ("unique", 1, True)
    kind, _, shape = name.partition("-")
    if shape and kind != "even":
        assert (record["format"], record["box"]) == (kind, [int(side) for side in shape.split("x")])
    else:
        assert record["variant"] == "even-odd"


@pytest.mark.parametrize("name", FORMATS)
def test_a_solution_that_is_dropped_in_turn_is_unique_and_itself(formats, name):
    _, box = formats
    assert box.record(f"{name}_1")["status"] == "unique"
    assert box.text(f"{name}_1_1.solution") == FORMATS[name][1]


def test_the_formats_pass_leaves_originals_in_done_and_nothing_else(formats):
    for box, end in zip(formats, (".txt", "_1.solution"), strict=True):
        assert box.kept("done") == {name + end for name in FORMATS}
        assert (box.waiting(), box.kept("failed"), box.in_work()) == (set(), set(), set())


@pytest.fixture(scope="module", params=["auto", "pysat"])
def answers(request, tmp_path_factory):
    """One pass over puzzles of each kind of answer, with the solver."""
    box = DropFolder.within(tmp_path_factory.mktemp(request.param))
    for name, puzzle in {"one": SMALL, "six": SIX_SOLUTIONS, "none": NO_SOLUTION}.items():
        box.drop(f"{name}.txt", puzzle)
    return box, box.run("--solver", request.param), request.param


def test_a_puzzle_of_six_solutions_gives_six_files_in_order(answers):
    box, done, _ = answers
    wanted = solutions(parse_puzzle(SIX_SOLUTIONS), 7)
    texts = [
        "".join("".join(map(str, grid.values[i : i + 9])) + "\n" for i in range(0, 81, 9))
        for grid in wanted
    ]
    assert len(texts) == 6
    assert [box.text(f"six_{number}.solution") for number in range(1, 7)] == texts
    record = box.record("six")
    assert (record["status"], record["solutions"], record["complete"]) == ("multiple", 6, True)
    assert done.returncode == 0


def test_an_unsolvable_puzzle_gives_no_solution_file_and_exit_code_0(answers):
    box, done, _ = answers
    record = box.record("none")
    assert (record["status"], record["solutions"], record["complete"]) == ("unsolvable", 0, True)
    assert {name for name in box.published() if name.startswith("none")} == {
        "none.json",
        "none.log",
        "none.proof.cnf",
        "none.proof.drat",
        "none.proof.lrat",
    }
    assert record["certificate"]["complete"] == "proved"
    assert [(clash["row"], clash["column"]) for clash in record["conflict"]] == [(1, 1), (1, 3)]
    assert "none.txt" in box.kept("done")
    assert done.returncode == 0


def test_the_record_says_everything_that_is_known(answers):
    box, _, solver = answers
    record = box.record("one")
    assert record["source"] == "one.txt"
    assert (record["schema"], record["bytes"]) == (2, len(SMALL))
    assert record["sha256"] == sha256(SMALL.encode()).hexdigest()
    assert (record["format"], record["variant"], record["message"]) == ("grid", "classic", None)
    assert {file["name"]: file["sha256"] for file in record["files"]} == {
        name: sha256((box.outbox / name).read_bytes()).hexdigest()
        for name in ("one_1.solution", "one.log")
    }
    stages = {"parse", "encode", "solve", "decode", "certify", "prove", "total"}
    assert record["seconds"].keys() == stages
    assert record["finished"].endswith("Z")
    assert record["encoding"]["name"] == "reduced"
    used = "minisat" if solver == "auto" and shutil.which("minisat") else "pysat"
    assert record["solver"]["name"] == used


def test_logs_are_json_lines_that_end_with_job_finished(answers):
    box, done, _ = answers
    assert done.stdout == ""
    shown = [e for e in events_in(done.stderr) if e["event"] == "job.finished"]
    assert [(e["source"], e["status"]) for e in shown] == [
        ("none.txt", "unsolvable"),
        ("one.txt", "unique"),
        ("six.txt", "multiple"),
    ]
    for name in ("none", "one", "six"):
        events = events_in(box.text(f"{name}.log"))
        assert events[0]["event"] == "job.claimed"
        assert events[-1]["event"] == "job.finished"
        assert events[-1]["status"] == box.record(name)["status"]
        assert events[-1]["seconds"] == box.record(name)["seconds"]
        assert {event["job"] for event in events} == {box.record(name)["job"]}


def test_kept_cnfs_are_the_puzzle_and_the_puzzle_with_each_solution_blocked(box):
    box.drop("a.txt", TWO_SOLUTIONS)
    assert box.run("--keep-cnf", "--encoding", "extended").returncode == 0
    plain, counted = box.text("a.cnf").splitlines(), box.text("a_count.cnf").splitlines()
    headers = [next(row for row in rows if row.startswith("p cnf")) for rows in (plain, counted)]
    sizes = [int(header.split()[3]) for header in headers]
    assert sizes[1] == sizes[0] + 2
    assert [len([r for r in rows if r[0] not in "cp"]) for rows in (plain, counted)] == sizes
    names = {"a_1.solution", "a_2.solution", "a.log", "a.cnf", "a_count.cnf"}
    assert {file["name"] for file in box.record("a")["files"]} == names
    assert box.published() == {*names, "a.json"}


def test_a_name_that_is_dropped_again_replaces_the_set_as_a_whole(box):
    box.drop("a_1.txt", OTHER)
    box.drop("a.txt", TWO_SOLUTIONS)
    box.run("--keep-cnf")
    first = box.record("a")
    box.drop("a.txt", SMALL)
    box.run()
    second = box.record("a")
    assert second["job"] != first["job"]
    assert {name for name in box.published() if not name.startswith("a_1")} == {"a.json", "a.log"}
    assert box.text("a_1.solution") == SMALL_SOLVED
    assert not (box.outbox / "a_2.solution").exists()
    assert box.text("a_1_1.solution") == OTHER_SOLVED
    assert box.kept("done") == {"a.txt", "a_1.txt", "2/a.txt"}
    assert (box.inbox / "done/a.txt").read_text() == TWO_SOLUTIONS
    assert (box.inbox / "done/2/a.txt").read_text() == SMALL
    box.drop("a.txt", "nonsense\n")
    assert box.run("--settle", "0").returncode == 1
    assert box.record("a")["status"] == "invalid"
    assert not (box.outbox / "a_1.solution").exists()


def test_a_name_that_is_dropped_again_under_another_stem_replaces_the_earlier_set_as_a_whole(box):
    box.drop("a.txt", TWO_SOLUTIONS)
    box.run()
    box.drop("a_count.txt", OTHER)
    box.run("--keep-cnf")
    others = {name for name in box.published() if name.startswith("a_count")}
    box.drop("a.txt", SMALL)
    assert box.run("--keep-cnf").returncode == 0
    listed = {file["name"] for file in box.record("a.txt")["files"]}
    assert listed >= {"a.txt_1.solution", "a.txt.cnf", "a.txt_count.cnf"}
    assert box.published() == {*others, *listed, "a.txt.json"}
    box.drop("a.txt", OTHER)
    assert box.run().returncode == 0
    assert box.published() == {*others, "a.txt.json", "a.txt.log", "a.txt_1.solution"}
    assert box.text("a.txt_1.solution") == OTHER_SOLVED


def test_the_library_runs_a_pass_too(box):
    box.drop("a.txt")
    box.drop("a.sdk", OTHER)
    box.drop("endless.txt", ENDLESS)
    log = KeptLog()
    settings = Settings(inbox=box.inbox, outbox=box.outbox, max_solutions=3)
    assert run_once(settings, log) == 0
    ended = {v["source"]: v["status"] for event, v in log.told if event == "job.finished"}
    assert ended == {"a.sdk": "unique", "a.txt": "unique", "endless.txt": "multiple"}
    assert (box.text("a_1.solution"), box.text("a.txt_1.solution")) == (OTHER_SOLVED, SMALL_SOLVED)
    assert [box.record(stem)["source"] for stem in ("a", "a.txt")] == ["a.sdk", "a.txt"]
    assert box.record("endless")["complete"] is False
    assert len([n for n in box.published() if n.startswith("endless_")]) == 3


def test_boxes_that_are_drawn_or_declared_are_published_and_audited(box):
    box.drop("drawn.txt", TALL)
    box.drop("stack.txt", f"{TALL}\n{TALL}")
    assert box.run().returncode == 0
    assert (box.record("drawn")["box"], box.text("drawn_1.solution")) == ([3, 2], TALL_SOLVED)
    assert "declared" not in box.record("drawn")
    one_line = TALL_SOLVED.replace("\n", "")
    assert box.text("stack_1.solution") == f"{one_line}\n" * 2
    box.drop("bare.txt", TALL.replace("|", " ").replace("---+---+---\n", ""))
    assert box.run("--boxes", "3x2").returncode == 0
    assert box.record("bare")["declared"] == {"boxes": "3x2"}
    assert box.text("bare_1.solution") == TALL_SOLVED
    audit = box.call("audit")
    told = "3 jobs: 3 ok, 0 unchecked, 0 bad"
    assert (audit.returncode, audit.stdout.splitlines()[-1]) == (0, told)
