"""Killed anywhere, nothing is lost, doubled, torn or left lying about."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from breaking import Breaker
from dropping import (
    NO_SOLUTION,
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    environment,
    wait_for,
)
from forking import Forked

from pipeline.dropbox import STEPS


@dataclass(frozen=True)
class Case:
    """What is dropped, over what was published before, and how it must end."""

    content: str
    status: str
    before: str | None = None


CASES = {
    "unique": Case(SMALL, "unique"),
    "multiple": Case(TWO_SOLUTIONS, "multiple"),
    "invalid": Case("hello\n", "invalid"),
    "dropped again": Case(SMALL, "unique", before=TWO_SOLUTIONS),
}


@pytest.fixture(scope="module")
def breaker() -> Iterator[Breaker]:
    with Breaker.started() as started:
        yield started


@pytest.fixture
def box(tmp_path: Path) -> DropFolder:
    return DropFolder.within(tmp_path)


def folders(box: DropFolder) -> list[str]:
    return ["--inbox", str(box.inbox), "--outbox", str(box.outbox), "--settle", "0.01"]


def run(breaker: Breaker, box: DropFolder, step: str = "", nth: int = 1) -> int:
    log = box.inbox.parent / "log"
    return breaker.wait(breaker.start(["run", *folders(box)], log, step, nth=nth))


def starts(log: Path) -> int:
    """How often a watch has begun to watch."""
    return log.read_text().count("watch.started") if log.exists() else 0


def check(box: DropFolder, case: Case, originals: int = 1) -> None:
    """One complete set, the original where it belongs, and nothing else anywhere."""
    record = box.record("a")
    assert record["status"] == case.status
    names = {entry["name"] for entry in record["files"]}
    assert box.published() == names | {"a.json"}
    for entry in record["files"]:
        assert sha256((box.outbox / entry["name"]).read_bytes()).hexdigest() == entry["sha256"]
    if case.status == "unique":
        assert box.text("a_1.solution") == SMALL_SOLVED
    assert box.waiting() == set()
    assert not box.in_work()
    kept = box.kept("failed" if case.status == "invalid" else "done")
    assert kept == ({"a.txt", "2/a.txt"} if originals == 2 else {"a.txt"})


@pytest.mark.parametrize("name", ["multiple", "invalid", "dropped again"])
@pytest.mark.parametrize("step", STEPS)
def test_a_run_killed_at_any_step_is_made_good_by_the_next(
    step: str, name: str, breaker: Breaker, box: DropFolder
) -> None:
    case = CASES[name]
    if case.before:
        box.drop("a.txt", case.before)
        assert run(breaker, box) == 0
    box.drop("a.txt", case.content)
    assert run(breaker, box, step) == -signal.SIGKILL
    assert run(breaker, box) in (0, 1)
    check(box, case, originals=2 if case.before else 1)


@pytest.mark.parametrize("step", STEPS)
def test_a_watch_killed_at_any_step_is_made_good_by_the_next(
    step: str, breaker: Breaker, box: DropFolder
) -> None:
    case = CASES["dropped again"]
    box.drop("a.txt", case.before)
    assert run(breaker, box) == 0
    log = box.inbox.parent / "log"
    pid = breaker.start(["watch", *folders(box)], log, step)
    wait_for(lambda: starts(log) == 1)
    box.drop("a.txt", case.content)
    assert breaker.wait(pid) == -signal.SIGKILL
    pid = breaker.start(["watch", *folders(box)], log)
    wait_for(
        lambda: starts(log) == 2 and box.has_record("a") and not box.waiting() and not box.in_work()
    )
    os.kill(pid, signal.SIGTERM)
    assert breaker.wait(pid) == 0
    check(box, case, originals=2)


@pytest.mark.parametrize("step", [step for step in STEPS if step != "attempt.counted"])
def test_being_killed_elsewhere_than_in_its_computation_costs_a_puzzle_nothing(
    step: str, breaker: Breaker, box: DropFolder
) -> None:
    box.drop("a.txt")
    for _ in range(4):
        run(breaker, box, step)
    assert run(breaker, box) == 0
    check(box, CASES["unique"])


def test_a_puzzle_that_kills_its_process_three_times_is_failed_and_says_so(
    breaker: Breaker, box: DropFolder
) -> None:
    box.drop("a.txt")
    for _ in range(3):
        assert run(breaker, box, "attempt.counted") == -signal.SIGKILL
    assert run(breaker, box) == 1
    assert box.kept("failed") == {"a.txt"}
    assert "3 attempts" in box.record("a")["message"]


def test_a_puzzle_that_kills_its_process_costs_the_others_nothing(
    breaker: Breaker, box: DropFolder
) -> None:
    box.drop("a.txt", NO_SOLUTION)
    box.drop("b.txt")
    for _ in range(3):
        assert run(breaker, box, "attempt.counted") == -signal.SIGKILL
    assert run(breaker, box) == 1
    assert box.record("b")["status"] == "unique"


def test_killed_at_random_again_and_again_all_files_come_out_once(box: DropFolder) -> None:
    names = [f"{number}.txt" for number in range(300)]
    for number, name in enumerate(names):
        box.drop(name, (SMALL, TWO_SOLUTIONS, NO_SOLUTION)[number % 3])
    generator = random.Random(7)
    codes, nowhere = [], Path(os.devnull)
    while box.waiting() or box.in_work():
        enough = len(box.kept("done")) + generator.randint(1, 60)
        process = Forked(["run", *map(str, folders(box))], nowhere, nowhere, environment())
        wait_for(lambda p=process, n=enough: p.poll() is not None or len(box.kept("done")) >= n)
        process.kill()
        codes.append(process.wait())
    assert {*codes[:-1]} == {-signal.SIGKILL}
    assert box.kept("done") == set(names)
    assert box.kept("failed") == set()
    records = {box.record(str(number))["status"] for number in range(300)}
    assert records == {"unique", "multiple", "unsolvable"}
    listed = {entry["name"] for number in range(300) for entry in box.record(str(number))["files"]}
    assert box.published() == listed | {f"{number}.json" for number in range(300)}
    assert not [path for path in box.outbox.iterdir() if path.name.endswith(".tmp")]
