"""Archives and folders that somebody's names, or their own, are in the way of."""

from __future__ import annotations

import csv
import resource
import subprocess

import pytest
from support.archives import deep_folder, zip_of
from support.cases import default_cases
from support.drop_folders import (
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    command,
    environment,
)

from pipeline.reading.archives import MAX_DEPTH
from pipeline.service.jobs import size_for_progress

LINE = SMALL.replace("\n", "")
TWO_LINES = f"{LINE}\n{LINE}\n"
QUICKLY = ("--settle", "0.01")


def table(box, stem):
    return list(csv.DictReader(box.text(f"{stem}.csv").splitlines()))


def test_an_archive_that_is_kept_keeps_nobody_else_waiting(box):
    box.outbox.mkdir(parents=True)
    (box.outbox / "a").write_text("mine")
    (box.outbox / "a.csv").write_text("mine")
    box.drop("a.zip", zip_of(("x", SMALL)))
    box.drop("b.txt", TWO_LINES)
    box.drop("c.zip", zip_of(("x", SMALL)))
    assert box.run(*QUICKLY).returncode == 75
    assert {box.record("b")["status"], box.record("c")["status"]} == {"collection", "archive"}
    assert box.text("a") == box.text("a.csv") == "mine"
    (box.outbox / "a").unlink()
    (box.outbox / "a.csv").unlink()
    assert box.run(*QUICKLY).returncode == 0
    assert box.record("a")["status"] == "archive"


@pytest.mark.trial  # a Python and its worker answer sixty archives one by one
def test_many_small_archives_need_few_descriptors(box):
    for number in range(60):
        box.drop(f"{number}.zip", zip_of(("a", SMALL)))
    folders = ("--inbox", box.inbox, "--outbox", box.outbox)
    done = subprocess.run(
        command("run", *folders, *QUICKLY, "--workers", "1"),
        env=environment(),
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (72, 72)),
    )
    assert done.returncode == 0
    assert len(box.kept("done")) == 60


def test_a_folder_that_is_named_like_an_answer_gets_another_name(box):
    folders = ["top_3.solution", "top.json", "b_7.solution", "top.csv"]
    files = [("top.txt", TWO_LINES), ("b.txt", TWO_SOLUTIONS)]
    box.drop("set.zip", zip_of(*((f"{folder}/x.txt", SMALL) for folder in folders), *files))
    assert box.run(*QUICKLY).returncode == 0
    for folder in folders:
        assert (box.outbox / "set" / f"{folder}~" / "x_1.solution").read_text() == SMALL_SOLVED
    statuses = [row["status"] for row in table(box, "set")]
    assert statuses == ["unique"] * (len(folders) + 2) + ["multiple"]
    (box.inbox / "exam.v2").mkdir()
    (box.inbox / "exam.v2" / "a.txt").write_text(SMALL)
    assert box.run(*QUICKLY).returncode == 0
    assert (box.outbox / "exam.v2" / "a_1.solution").read_text() == SMALL_SOLVED, "its whole name"


@pytest.mark.parametrize("length", default_cases([4080, 6000], 4080))
def test_a_folder_too_deep_for_a_name_is_taken_and_told_by_status(box, length):
    """A path has at most 4095 bytes; the shorter one has more once the folder is claimed."""
    top = deep_folder(box.inbox / "deep", length)
    (top / "a.txt").write_text(SMALL)
    assert "deep" in box.call("status").stdout
    assert box.run(*QUICKLY).returncode == 0
    assert (box.outbox / "deep" / "a_1.solution").read_text() == SMALL_SOLVED


@pytest.mark.parametrize(("length", "each"), default_cases([(2400, 1), (5000, 240)], (5000, 240)))
def test_a_folder_too_deep_to_be_read_whole_is_taken_and_what_is_too_deep_refused(
    deeply, length, each
):
    """The folder has 1,200 levels, or a path longer than the system takes."""
    box = DropFolder.within(deeply)
    deep_folder(box.inbox / "deep", length, each, SMALL)
    box.drop("b.txt")
    assert box.run(*QUICKLY).returncode == 1
    totals = box.record("deep")["totals"]
    assert set(totals) == {"unique", "refused"}
    assert box.text("b_1.solution") == SMALL_SOLVED
    assert (box.inbox / "done/deep").is_dir()


def test_the_size_of_a_folder_is_shown_as_far_as_it_is_read_and_never_fails(deeply):
    deep = deep_folder(deeply / "deep", 2400, 1, SMALL)
    assert size_for_progress(deep) == MAX_DEPTH * len(SMALL)
    assert size_for_progress(deeply / "gone") is None
