"""Killed anywhere, nothing is lost, doubled, torn or left lying about."""

from __future__ import annotations

import os
import random
import shutil
import signal
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pytest
from support.breakers import Bench
from support.cases import default_cases
from support.drop_folders import (
    NO_SOLUTION,
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    environment,
    wait_for,
)
from support.forks import Forked
from support.sources import collection

from pipeline.service.jobs.puzzle import BATCH_SIZE
from pipeline.service.protocol import AUDIT_STEPS
from pipeline.service.protocol.claim import MANIFEST, read_manifest
from pipeline.service.protocol.settle import Fingerprint


@dataclass(frozen=True)
class Case:
    """The dropped puzzle, the set published before, and how the job must end."""

    content: str
    status: str
    before: str | None = None


AGAIN = Case(SMALL, "unique", before=TWO_SOLUTIONS)
OTHERS = (Case(TWO_SOLUTIONS, "multiple"), Case("hello\n", "invalid"))
CASES = [(AGAIN, step) for step in AUDIT_STEPS] + [
    (case, step)
    for case in OTHERS
    for step in ("attempt.ended", "publish.staging", "publish.renaming", "finish.moved")
]
UNSAVED = ("claim.prepared", "claim.placed", "claim.taken", "attempt.counted", "publish.saved")
"""Steps up to the last at which the claim's note need not be durable."""

IN_BATCHES = [
    *(
        (step, BATCH_SIZE + 10)
        for step in AUDIT_STEPS
        if step.startswith(("claim.", "finish.removed"))
    ),
    *((step, 2 * BATCH_SIZE) for step in ("publish.staging", "publish.renaming")),
    *(
        (step, BATCH_SIZE + 10)
        for step in ("publish.saved", "publish.withdrawn", "publish.renamed")
    ),
    *((step, 2) for step in ("publish.staged", "publish.cleared", "publish.recorded")),
    ("finish.moved", 2),
]
"""Steps in the second batch of a run, whose claims were used before."""

OF_COLLECTIONS = [
    *((step, 10) for step in ("claim.taken", "attempt.counted", "attempt.ended")),
    *((step, 10) for step in ("publish.staging", "publish.saved", "publish.renaming")),
    *((step, 1) for step in ("publish.staged", "publish.cleared", "publish.recorded")),
    *(("finish.moved", 1), ("finish.removed", 10)),
]
"""Steps in a batch of small collections."""

WATCHED = ("claim.placed", "attempt.counted", "publish.withdrawn", "finish.moved")
HARMLESS = ("claim.taken", "attempt.ended", "publish.staged", "publish.renamed", "finish.moved")


def check(box: DropFolder, case: Case) -> None:
    """One complete set, the originals where they belong, and nothing else anywhere."""
    record = box.record("a")
    assert record["status"] == case.status
    names = {entry["name"] for entry in record["files"]}
    assert box.published() == names | {"a.json"}
    for entry in record["files"]:
        assert sha256((box.outbox / entry["name"]).read_bytes()).hexdigest() == entry["sha256"]
    if case.status == "unique":
        assert box.text("a_1.solution") == SMALL_SOLVED
    assert (box.waiting(), box.in_work()) == (set(), set())
    kept = box.kept("failed" if case.status == "invalid" else "done")
    assert kept == ({"a.txt", "2/a.txt"} if case.before else {"a.txt"})


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> DropFolder:
    """Folders with the set that was published before; to be read only."""
    bench = Bench.within(tmp_path_factory.mktemp("before"))
    bench.box.drop("a.txt", AGAIN.before)
    assert bench.run()[0] == 0
    return bench.box


@pytest.mark.parametrize(
    ("case", "step"),
    default_cases(CASES, *(each for each in CASES if each[0] is AGAIN)),
    ids=lambda each: getattr(each, "status", each),
)
def test_a_run_killed_at_any_step_is_made_good_by_the_next(
    case: Case, step: str, bench: Bench, before: DropFolder
) -> None:
    if case.before:
        shutil.copytree(before.inbox, bench.box.inbox, dirs_exist_ok=True)
        shutil.copytree(before.outbox, bench.box.outbox)
    bench.box.drop("a.txt", case.content)
    assert bench.run(step=step)[0] == -signal.SIGKILL
    assert bench.run()[0] in (0, 1)
    check(bench.box, case)


@pytest.mark.trial
@pytest.mark.parametrize(
    ("content", "count", "step", "nth"),
    [(SMALL, BATCH_SIZE + 22, *each) for each in IN_BATCHES]
    + [(collection(3), 20, *each) for each in OF_COLLECTIONS],
    ids=lambda each: "collection" if isinstance(each, bytes) else str(each).strip(),
)
def test_a_run_of_many_files_killed_at_any_step_is_made_good_by_the_next(
    content: str | bytes, count: int, step: str, nth: int, bench: Bench
) -> None:
    box, names = bench.box, {f"{number}.txt" for number in range(count)}
    for name in names:
        box.drop(name, content)
    assert bench.run(step=step, nth=nth)[0] == -signal.SIGKILL
    for path in box.inbox.glob(f".work/[!.]*/{MANIFEST}") if step in UNSAVED else ():
        manifest = read_manifest(path.parent)  # a power failure may leave that of the job before
        former = replace(manifest, job="former", fingerprint=Fingerprint(1, 1, 1), files=("0.log",))
        path.write_text(former.text())
    assert bench.run()[0] == 0
    listed = {entry["name"] for name in names for entry in box.record(name[:-4])["files"]}
    assert box.published() == listed | {f"{name[:-4]}.json" for name in names}
    assert (box.kept("done"), box.waiting(), box.in_work()) == (names, set(), set())


@pytest.mark.parametrize("step", default_cases(UNSAVED, "claim.taken", "publish.saved"))
def test_a_power_failure_costs_no_more_than_a_note_that_nothing_depended_on_yet(
    step: str, bench: Bench
) -> None:
    box = bench.box
    box.drop("a.txt", TWO_SOLUTIONS)
    box.drop("b.txt")
    assert bench.run(step=step, nth=2)[0] == -signal.SIGKILL
    for manifest in box.inbox.glob(f".work/*/{MANIFEST}"):
        os.truncate(manifest, 1)
    assert bench.run()[0] == 0
    assert [box.record(stem)["status"] for stem in "ab"] == ["multiple", "unique"]
    listed = {entry["name"] for stem in "ab" for entry in box.record(stem)["files"]}
    assert box.published() == listed | {"a.json", "b.json"}
    assert (box.kept("done"), box.waiting(), box.in_work()) == ({"a.txt", "b.txt"}, set(), set())


@pytest.mark.parametrize("nth", [1, pytest.param(2, marks=pytest.mark.trial)])
@pytest.mark.parametrize("step", default_cases(WATCHED, "publish.withdrawn"))
def test_a_watch_killed_at_a_step_is_made_good_by_the_next(
    step: str, nth: int, bench: Bench
) -> None:
    def starts() -> int:
        return sum(event["event"] == "watch.started" for event in bench.events())

    box = bench.box
    box.drop("a.txt", AGAIN.before)
    if nth == 1:
        assert bench.run()[0] == 0
    process = bench.start("watch", step=step, nth=nth)
    wait_for(lambda: starts() == 1)
    wait_for(lambda: box.has_record("a") and not box.waiting() and not box.in_work())
    box.drop("a.txt", AGAIN.content)
    assert process.wait() == -signal.SIGKILL
    process = bench.start("watch")
    wait_for(lambda: starts() == 2)
    wait_for(lambda: box.has_record("a") and not box.waiting() and not box.in_work())
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    check(box, AGAIN)


@pytest.mark.parametrize("step", default_cases(HARMLESS, "claim.taken", "publish.staged"))
def test_being_killed_elsewhere_than_in_its_computation_costs_a_puzzle_nothing(
    step: str, bench: Bench
) -> None:
    bench.box.drop("a.txt")
    for _ in range(4):
        bench.run(step=step)
    assert bench.run()[0] == 0
    check(bench.box, Case(SMALL, "unique"))


def test_a_puzzle_that_kills_its_process_three_times_is_failed_and_costs_others_nothing(
    bench: Bench,
) -> None:
    bench.box.drop("a.txt", NO_SOLUTION)
    bench.box.drop("b.txt")
    for _ in range(3):
        assert bench.run(step="attempt.counted")[0] == -signal.SIGKILL
    assert bench.run()[0] == 1
    failed = [stem for stem in "ab" if bench.box.record(stem)["status"] == "failed"]
    assert bench.box.kept("failed") == {f"{stem}.txt" for stem in failed}
    assert "3 attempts" in bench.box.record(failed[0])["message"]
    assert len(failed) == 1


@pytest.mark.trial
def test_killed_at_random_again_and_again_all_files_come_out_once(box: DropFolder) -> None:
    names = [f"{number}.txt" for number in range(90)]
    for number, name in enumerate(names):
        box.drop(name, (SMALL, TWO_SOLUTIONS, NO_SOLUTION)[number % 3])
    options = ["--inbox", str(box.inbox), "--outbox", str(box.outbox), "--settle", "0.01"]
    generator = random.Random(7)
    codes, nowhere = [], Path(os.devnull)
    while box.waiting() or box.in_work():
        enough = len(box.kept("done")) + generator.randint(1, 40)
        process = Forked.command(["run", *options], nowhere, nowhere, environment())
        wait_for(lambda p=process, n=enough: p.poll() is not None or len(box.kept("done")) >= n)
        process.kill()
        codes.append(process.wait())
    assert {*codes[:-1]} == {-signal.SIGKILL}
    assert (box.kept("done"), box.kept("failed")) == (set(names), set())
    records = [box.record(str(number)) for number in range(90)]
    assert {record["status"] for record in records} == {"unique", "multiple", "unsolvable"}
    listed = {entry["name"] for record in records for entry in record["files"]}
    assert box.published() == listed | {f"{number}.json" for number in range(90)}
