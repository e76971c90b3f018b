"""`run`, the real command, when something is in its way."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import default_cases
from support.drop_folders import NO_SOLUTION, OTHER, SMALL, SMALL_SOLVED, environment, events_in
from support.needs import needs_linux

from pipeline.outbox.names import claim_key

NO_PATH = {"PATH": "/nonexistent"}
"""Environment in which no minisat is found."""

KILLER = Path(__file__).parents[2] / "examples/killer.txt"
BOUNDED = {"RLIMIT_AS": 2**30, "RLIMIT_CPU": 20}
"""1 GiB of address space and 20 s of processor time."""


def limited_run(box, limits, *options):
    """`run` within bounds that a kernel enforces."""
    code = [
        f"resource.setrlimit(resource.{name}, ({most}, {most}))" for name, most in limits.items()
    ]
    code = ["import resource, runpy", *code, "runpy.run_module('pipeline', run_name='__main__')"]
    argv = [sys.executable, "-c", "\n".join(code), "run", "--settle", "0.1", *options]
    return subprocess.run(
        [*argv, "--inbox", box.inbox, "--outbox", box.outbox],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["a_1.solution", "a.json"])
def test_a_job_with_a_folder_in_its_way_is_kept_and_said_and_others_are_processed(box, name):
    box.drop("a.txt")
    box.drop("b.txt", OTHER)
    (box.outbox / name).mkdir(parents=True)
    done = box.run()
    assert done.returncode == 75
    said = [(e["event"], e["source"]) for e in events_in(done.stderr) if "source" in e]
    assert said == [("job.kept", "a.txt"), ("job.finished", "b.txt")]
    assert "Is a directory" in done.stderr
    for _ in range(3):
        assert box.run().returncode == 75, "that costs no attempt"
    assert (box.kept("done"), len(box.in_work())) == ({"b.txt"}, 1)
    (box.outbox / name).rmdir()
    assert box.run().returncode == 0
    assert box.text("a_1.solution") == SMALL_SOLVED
    assert (box.kept("done"), box.in_work()) == ({"a.txt", "b.txt"}, set())
    assert box.published() == {
        f"{stem}{end}" for stem in "ab" for end in (".json", ".log", "_1.solution")
    }


def test_a_kept_job_takes_nothing_from_whoever_gets_its_former_stem(box):
    box.drop("a.txt")
    box.run()
    box.drop("a_count.txt")
    box.run("--keep-cnf")
    (box.outbox / "a.txt_1.solution").mkdir()
    box.drop("a.txt")
    assert box.run("--keep-cnf").returncode == 75
    box.drop("a.sdk")
    assert box.run().returncode == 75
    (box.outbox / "a.txt_1.solution").rmdir()
    assert box.run().returncode == 0
    records = [json.loads(path.read_bytes()) for path in box.outbox.glob("*.json")]
    assert {record["source"] for record in records} == {"a.txt", "a.sdk", "a_count.txt"}
    listed = {file["name"] for record in records for file in record["files"]}
    assert {path.name for path in box.outbox.iterdir()} >= listed


def test_a_folder_or_link_in_place_of_a_mark_stops_nothing_and_is_said_once_if_it_stays(
    box, tmp_path
):
    secret = tmp_path / "secret"
    secret.touch()
    work = box.inbox / ".work"
    folders = [work / f".reading-{claim_key(name)}" for name in ("a.txt", "gone.txt")]
    links = [work / f".reading-{claim_key(name)}" for name in ("b.txt", "another.txt")]
    for folder, link in zip(folders, links, strict=True):
        folder.mkdir(parents=True)
        link.symlink_to(secret)
    box.drop("a.txt")
    box.drop("b.txt", OTHER)
    done = box.run("--settle", "0.1")
    assert done.returncode == 0, done.stderr
    assert box.kept("done") == {"a.txt", "b.txt"}
    stuck = [e["reason"] for e in events_in(done.stderr) if e["event"] == "marker.unchangeable"]
    assert sorted(stuck) == sorted(f"{folder}: Is a directory" for folder in folders)
    assert {*work.glob(".reading-*")} == {*folders}
    assert secret.exists()


def test_done_and_failed_may_be_links_to_folders_elsewhere(box, tmp_path):
    for name in ("done", "failed"):
        (tmp_path / f"other-{name}").mkdir()
        (box.inbox / name).symlink_to(tmp_path / f"other-{name}")
    box.drop("a.txt")
    box.drop("b.txt", "1...\n..2.\n.x3.\n...4\n")
    assert box.run().returncode == 1
    assert (box.inbox / "done").is_symlink()
    assert (tmp_path / "other-done/a.txt").read_text() == SMALL
    assert [path.name for path in (tmp_path / "other-failed").iterdir()] == ["b.txt"]
    assert {path.name for path in box.outbox.glob("*.json")} == {"a.json", "b.json"}


def test_bad_utf_8_behind_a_byte_order_mark_does_not_stop_the_pass(box):
    box.drop("a.txt", b"\xef\xbb\xbf" + "\u00e9".encode() * 3 + b"\xff\n")
    box.drop("b.txt")
    assert box.run().returncode == 1
    assert box.record("a")["message"] == "a.txt:1:4: expected UTF-8 text, found the byte 0xff"
    assert (box.kept("failed"), box.kept("done")) == ({"a.txt"}, {"b.txt"})


MILLIONS = {
    "rows": "1 2\n" * 1_000_000,
    "cells": ".\n" * 1_000_000,
    "digits": "1" * 1_000_000,
    "blanks": "." * 1_000_000 + "\n",
    "comments": "# comment\n" * 1_000_000,
    "empty-lines": "\n" * 1_000_000,
    "boxes": "16 16\n" + "0 " * 1_000_000,
}


@pytest.mark.trial
@needs_linux
def test_files_of_a_million_things_are_refused_in_bounded_memory_and_time(box):
    for name, content in MILLIONS.items():
        box.drop(f"{name}.txt", content)
    done = limited_run(box, BOUNDED)
    assert done.returncode == 1, done.stderr
    assert {box.record(name)["status"] for name in MILLIONS} == {"invalid"}
    assert max(len(box.record(name)["message"]) for name in MILLIONS) < 200
    assert box.kept("failed") == {f"{name}.txt" for name in MILLIONS}


def test_that_there_is_no_minisat_is_said_once_and_is_no_problem(box):
    for name in ("a.txt", "b.txt"):
        box.drop(name)
    events = events_in(box.run(**NO_PATH).stderr)
    assert [e["event"] for e in events] == ["solver.fallback", "job.finished", "job.finished"]
    said = {name: events[0][name] for name in ("level", "reason", "solver")}
    assert said == {"level": "info", "reason": "minisat is not installed", "solver": "pysat"}
    assert box.record("a")["solver"]["fallback"] == "minisat is not installed"
    box.drop("a.txt")
    done = box.run("--quiet", **NO_PATH)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_minisat_that_is_asked_for_and_not_there_is_exit_code_2_and_nothing_is_claimed(box):
    box.drop("a.txt")
    done = box.run("--solver", "minisat", **NO_PATH)
    assert done.returncode == 2
    assert "install" in done.stderr
    assert box.waiting() == {"a.txt"}


@pytest.mark.trial  # a Python with workers and solvers, for a hundred files
def test_more_files_than_descriptors_are_solved_in_one_pass(box):
    for number in range(100):
        box.drop(f"{number}.txt")
    done = limited_run(box, {"RLIMIT_NOFILE": 64})
    assert done.returncode == 0, done.stderr
    assert len(box.kept("done")) == 100


@pytest.mark.parametrize("most", default_cases([13, 16], 16))
def test_a_killer_for_whose_prover_there_is_no_descriptor_waits_and_is_not_unknown(box, most):
    box.drop("killer.txt", KILLER.read_bytes())
    box.drop("none.txt", NO_SOLUTION)
    done = limited_run(box, {"RLIMIT_NOFILE": most})
    statuses = {path.stem: box.record(path.stem)["status"] for path in box.outbox.glob("*.json")}
    expected = {"killer": "unique", "none": "unsolvable"}
    assert statuses.items() <= expected.items()
    assert (done.returncode == 0) == (statuses == expected)
    assert done.returncode in (0, 75)
    assert box.run().returncode == 0
    assert {stem: box.record(stem)["status"] for stem in expected} == expected
