"""Killed anywhere in a job of many puzzles, nothing is lost, doubled, torn or done twice."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import shutil
import signal
import zipfile
from pathlib import Path

import pytest
from support.breakers import BEGUN, BEREAVE, NOTED, NOTING, STOP, WAIT, Bench, told
from support.drop_folders import (
    NO_SOLUTION,
    SMALL,
    SMALL_SOLVED,
    TWO_SOLUTIONS,
    DropFolder,
    wait_for,
)
from support.needs import needs_arrow
from support.puzzles import has_ended, program
from support.sources import (
    BLANK,
    SOLVED,
    answers,
    check_records,
    check_tidy,
    collection,
    drop,
    lines,
)

from pipeline.outbox.archive_rows import archive_table
from pipeline.outbox.arrow import difference_from_csv
from pipeline.outbox.tables import ArchiveRow
from pipeline.service.protocol import AUDIT_STEPS
from pipeline.service.protocol.checkpointed import last_checkpoint
from pipeline.service.protocol.overview import read_overview

pytestmark = pytest.mark.trial

NAME = "set"
PUBLISHING = [("publish.staging", 2), ("publish.renaming", 2), ("publish.renaming", 3)]
POINTS = [
    *(("zip", step, 1) for step in AUDIT_STEPS),
    *(("zip", *point) for point in [(NOTING, 1), (NOTING, 5), (NOTED, 2), *PUBLISHING]),
    *(("collection", *point) for point in [(NOTED, 2), PUBLISHING[1]]),
    *(("folder", *point) for point in [("claim.taken", 1), ("finish.moved", 1)]),
]
"""Every point for one kind, and those at which the others differ."""

EXCHANGING = [
    ("publish.withdrawn", 1),
    ("publish.renaming", 1),
    ("publish.renaming", 3),
    ("publish.renamed", 1),
    ("publish.cleared", 1),
]
REPLACED = [
    *(("other zip", "zip", *point) for point in EXCHANGING),
    *(
        (earlier, later, *point)
        for earlier, later in (("zip", "single"), ("single", "zip"), ("collection", "folder"))
        for point in EXCHANGING[2:3]
    ),
]


class Undisturbed:
    """For each kind what a run gives that nothing disturbs, made when asked for."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._benches: dict[str, tuple[Bench, list[object]]] = {}

    def _of(self, kind: str) -> tuple[Bench, list[object]]:
        if kind not in self._benches:
            bench = Bench.within(self._top / kind)
            drop(bench.box, kind, NAME)
            code, events = bench.run()
            assert code == (0 if kind in ("single", "small", "other zip") else 1)
            self._benches[kind] = bench, told(events, "begun")
        return self._benches[kind]

    def box(self, kind: str) -> DropFolder:
        return self._of(kind)[0].box

    def requests(self, kind: str) -> list[object]:
        """What was computed, in order."""
        return self._of(kind)[1]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed(tmp_path_factory.mktemp("undisturbed"))


def check(bench: Bench, expected: DropFolder) -> None:
    """The same answers, records that fit them, and nothing else anywhere."""
    assert answers(bench.box) == answers(expected)
    record, other = bench.box.record("set"), expected.record("set")
    assert record["status"] == other["status"]
    assert record.get("totals") == other.get("totals")
    assert record.get("fallbacks") == other.get("fallbacks")
    check_records(bench.box)
    check_tidy(bench.box)


def noted(events: list[dict[str, object]]) -> int:
    """How many steps were noted in the end."""
    return int(max(told(events, "noted"), default=0))


def steps_done(box: DropFolder) -> int:
    """How many steps of the one job in work are noted."""
    claims = box.folders.work.glob("[!.]*")
    return max((last_checkpoint(claim).get("steps", 0) for claim in claims), default=0)


def test_a_collection_comes_out_line_by_line(undisturbed: Undisturbed) -> None:
    box, expected = undisturbed.box("collection"), lines(55)
    firsts = box.text("set_1.solution").splitlines()
    seconds = box.text("set_2.solution").splitlines()
    rows = list(csv.DictReader(box.text("set.csv").splitlines()))
    assert [row["status"] for row in rows] == [line.status for line in expected]
    assert [row["index"] for row in rows] == [str(i) for i in range(1, 56)]
    for line, first, second in zip(expected, firsts, seconds, strict=True):
        assert first == (line.first or first)
        assert (second != BLANK) == (line.status == "multiple")
    assert len(undisturbed.requests("collection")) == 7


def test_an_archive_and_a_folder_come_out_member_by_member(undisturbed: Undisturbed) -> None:
    for kind in ("zip", "folder"):
        found = answers(undisturbed.box(kind))
        assert found["set/one_1.solution"] == SMALL_SOLVED.encode()
        assert found["set/inner.zip/deep/some_1.solution"] == f"{SOLVED}\n".encode() * 5
        rows = list(csv.DictReader((found["set.csv"] or b"").decode().splitlines()))
        statuses = {row["member"]: row["status"] for row in rows}
        assert statuses["link.txt"] == "refused"
        assert statuses["bad.txt"] == "invalid"
        many = list(csv.DictReader((found["set/many/lines.csv"] or b"").decode().splitlines()))
        assert [row for row in rows if row["member"] == "many/lines.txt"] == [
            {"member": "many/lines.txt"} | row for row in many
        ]
        assert statuses["inner.zip/deep.txt"] == "unique"


@pytest.mark.parametrize(("kind", "step", "nth"), POINTS)
def test_a_run_killed_at_any_point_is_gone_on_with_behind_what_was_noted(
    step: str, nth: int, kind: str, bench: Bench, undisturbed: Undisturbed
) -> None:
    requests = undisturbed.requests(kind)
    drop(bench.box, kind, NAME)
    code, before = bench.run(step=step, nth=nth)
    assert code == -signal.SIGKILL
    code, after = bench.run()
    assert code == (0 if step.startswith("finish.") else 1)
    check(bench, undisturbed.box(kind))
    files = {path.split("/")[0] for path in bench.box.kept("done")}
    assert files == {NAME}
    assert told(after, "begun") == requests[noted(before) :]


@needs_arrow
@pytest.mark.parametrize(("step", "nth"), [("publish.staged", 1), ("publish.renaming", 3)])
def test_a_parquet_table_equals_its_csv_after_a_kill(step: str, nth: int, bench: Bench) -> None:
    drop(bench.box, "zip", NAME)
    assert bench.run("--table-format", "parquet", step=step, nth=nth)[0] == -signal.SIGKILL
    assert bench.run("--table-format", "parquet")[0] == 1
    check_records(bench.box)
    check_tidy(bench.box)
    names = [file["name"] for file in bench.box.record("set")["files"]]
    assert names == ["set.csv", "set.parquet", "set.log"]
    table = archive_table(bench.box.outbox / "set.csv")
    path = bench.box.outbox / "set.parquet"
    assert difference_from_csv(path, table, ArchiveRow) is None


@pytest.mark.parametrize(
    ("step", "nth"),
    [("claim.taken", 1), ("attempt.counted", 1), ("attempt.counted", 2), PUBLISHING[1]],
)
def test_a_small_collection_killed_at_any_point_is_computed_again(
    step: str, nth: int, bench: Bench, undisturbed: Undisturbed
) -> None:
    """In this process, unless an attempt was killed."""
    drop(bench.box, "small", NAME)
    code, before = bench.run(step=step, nth=nth)
    assert (code, told(before, "begun")) == (-signal.SIGKILL, [])
    code, after = bench.run()
    assert code == 0
    check(bench, undisturbed.box("small"))
    assert bool(told(after, "begun")) == (step == "attempt.counted")


def test_a_small_collection_that_was_begun_by_workers_is_ended_by_them(
    bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, "small", NAME)
    bench.run(step="attempt.counted", nth=2)
    _, events = bench.run(step="publish.staging")
    assert noted(events) == 2
    _, events = bench.run()
    check(bench, undisturbed.box("small"))
    assert not told(events, "begun")


@pytest.mark.parametrize("kind", ["zip", "collection"])
@pytest.mark.parametrize(("step", "nth"), [(NOTING, 2), ("publish.staging", 1)])
def test_what_was_written_and_not_noted_is_done_again(
    kind: str, step: str, nth: int, bench: Bench, undisturbed: Undisturbed
) -> None:
    """Only the first step and the last are noted where all others come sooner than that."""
    requests = undisturbed.requests(kind)
    drop(bench.box, kind, NAME)
    code, before = bench.run(step=step, nth=nth, checkpoint_seconds=1000.0)
    assert code == -signal.SIGKILL
    done = noted(before)
    assert done == (1 if step == NOTING else len(requests))
    code, after = bench.run(checkpoint_seconds=1000.0)
    assert code == 1
    check(bench, undisturbed.box(kind))
    assert told(after, "begun") == requests[done:]


@pytest.mark.parametrize(("earlier", "later", "step", "nth"), REPLACED)
def test_what_is_dropped_again_replaces_the_earlier_set_as_a_whole_wherever_it_is_killed(
    step: str, nth: int, earlier: str, later: str, bench: Bench, undisturbed: Undisturbed
) -> None:
    shutil.copytree(undisturbed.box(earlier).outbox, bench.box.outbox)
    drop(bench.box, later, NAME)
    bench.run(step=step, nth=nth)
    bench.run()
    check(bench, undisturbed.box(later))


@pytest.mark.parametrize("earlier", [None, "collection"])
def test_a_folder_in_the_outbox_that_is_not_ours_is_never_touched(
    earlier: str | None, bench: Bench, undisturbed: Undisturbed
) -> None:
    if earlier:
        shutil.copytree(undisturbed.box(earlier).outbox, bench.box.outbox)
    theirs = bench.box.outbox / "set"
    theirs.mkdir(parents=True)
    (theirs / "one.txt").write_text("mine")
    drop(bench.box, "zip", NAME)
    for _ in range(2):
        code, events = bench.run()
        assert code == 75
        (kept,) = (event for event in events if event["event"] == "job.kept")
        assert kept["source"] == NAME
        assert str(theirs) in kept["reason"]
        assert {path.name: path.read_text() for path in theirs.iterdir()} == {"one.txt": "mine"}
    theirs.rename(bench.box.inbox.parent / "theirs")
    code, events = bench.run()
    assert code == 1
    assert not told(events, "begun")
    check(bench, undisturbed.box("zip"))


def test_a_single_puzzle_never_touches_a_folder_of_its_name_that_is_not_ours(
    bench: Bench, undisturbed: Undisturbed
) -> None:
    shutil.copytree(undisturbed.box("collection").outbox, bench.box.outbox)
    (bench.box.outbox / "set").mkdir()
    (bench.box.outbox / "set/one.txt").write_text("mine")
    drop(bench.box, "single", NAME)
    assert bench.run()[0] == 0
    assert (bench.box.outbox / "set/one.txt").read_text() == "mine"


def test_notes_that_are_torn_or_do_not_fit_the_files_cost_work_but_nothing_else(
    bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, "zip", NAME)
    bench.run(step=NOTED, nth=2)
    (notes,) = bench.box.inbox.glob(".work/*/.progress")
    with notes.open("ab") as file:
        file.write(b'{"steps": 3, "bul')
    _, events = bench.run(step=NOTED, nth=2)
    assert told(events, "begun")[0] == undisturbed.requests("zip")[2]
    _, events = bench.run(step=NOTED, nth=1)
    assert told(events, "begun")[0] == undisturbed.requests("zip")[4]
    for path in bench.box.outbox.glob(".*g.tmp"):
        os.truncate(path, path.stat().st_size // 2)
    assert bench.run()[0] == 1
    check(bench, undisturbed.box("zip"))


def test_the_time_of_all_who_worked_at_a_job_is_added_up(bench: Bench) -> None:
    drop(bench.box, "zip", NAME)
    bench.run(step=NOTED, nth=4)
    (notes,) = bench.box.inbox.glob(".work/*/.progress")
    state = last_checkpoint(notes.parent)
    inside = state["bulk"]["inner"][2]
    assert 0 < inside["seconds"] < state["seconds"]
    state["seconds"], inside["seconds"] = 5000.0, 3000.0
    with notes.open("ab") as file:
        file.write(json.dumps(state).encode() + b"\n")
    assert bench.run()[0] == 1
    (member,) = bench.box.outbox.glob("set/many/*.json")
    for record, before in ((bench.box.record("set"), 5000), (json.loads(member.read_text()), 3000)):
        assert before < record["seconds"]["total"] < before + 1000


@pytest.mark.parametrize("kind", ["zip", "collection"])
def test_what_other_solvers_had_to_answer_is_counted_over_all_runs(
    kind: str, bench: Bench, tmp_path: Path
) -> None:
    drop(bench.box, kind, NAME)
    liar = program(tmp_path / "minisat", 'echo UNSAT > "$out"; exit 20')
    options = ("--workers", "1", "--solver", "auto", "--minisat", liar)
    _, events = bench.run(*options, step=NOTED, nth=4)
    assert noted(events) == 4
    bench.run(*options)
    record = bench.box.record(NAME)
    missed = [each for each in record["fallbacks"] if "missed" in each["reason"]]
    assert [each["solver"] for each in missed] == ["exhaustive-search"]
    assert sum(each["puzzles"] for each in record["fallbacks"]) == record["totals"]["fallbacks"]


@pytest.mark.parametrize(
    ("kind", "terms", "step", "nth"),
    [
        ("collection", ("--max-solutions", "1"), NOTED, 2),
        ("zip", ("--format", "lines"), NOTED, 2),
        ("zip", ("--max-solutions", "3"), "publish.renamed", 1),
    ],
)
def test_what_was_done_under_other_terms_is_done_again(
    kind: str, terms: tuple[str, str], step: str, nth: int, bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, kind, NAME)
    bench.run("--workers", "1", *terms, step=step, nth=nth)
    _, events = bench.run()
    assert told(events, "begun") == undisturbed.requests(kind)
    check(bench, undisturbed.box(kind))


ALTERNATING = [(NOTING, 1), (NOTING, 1), ("attempt.counted", 1)] * 2


@pytest.mark.parametrize(
    ("kind", "deaths"),
    [
        ("collection", [("attempt.ended", 1)] * 4),
        ("collection", [("publish.renamed", 1)] * 4),
        ("zip", [(BEGUN, 1)] * 4 + [(NOTED, 2)] + [(BEGUN, 1)] * 4),
        ("zip", ALTERNATING),
    ],
    ids=["attempts end", "it publishes", "workers compute", "in another step each time"],
)
def test_dying_again_and_again_costs_a_job_nothing_where(
    kind: str, deaths: list[tuple[str, int]], bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, kind, NAME)
    requests, done = undisturbed.requests(kind), 0
    for step, nth in deaths:
        code, events = bench.run(step=step, nth=nth)
        assert code == -signal.SIGKILL
        assert told(events, "begun")[:1] in ([], requests[done : done + 1])
        done = max(done, noted(events))
    assert bench.run()[0] == 1
    check(bench, undisturbed.box(kind))


@pytest.mark.parametrize(
    "deaths",
    [[("attempt.counted", 1)] * 3, [(NOTING, 1)] * 3, [(NOTED, 2)] + [(NOTING, 1)] * 3],
    ids=["before it computes", "before anything is noted", "in one later step"],
)
def test_a_job_whose_process_dies_three_times_is_failed(
    deaths: list[tuple[str, int]], bench: Bench
) -> None:
    drop(bench.box, "zip", NAME)
    for step, nth in deaths:
        assert bench.run(step=step, nth=nth)[0] == -signal.SIGKILL
    assert bench.run()[0] == 1
    record = bench.box.record("set")
    assert record["status"] == "failed"
    assert "3 attempts" in record["message"]
    assert bench.box.kept("failed") == {NAME}
    check_records(bench.box)
    check_tidy(bench.box)


def test_killed_at_random_again_and_again_a_collection_comes_out_as_if_nothing_had_been(
    bench: Bench, tmp_path: Path
) -> None:
    other = Bench.within(tmp_path / "other")
    for box in (bench.box, other.box):
        box.drop(NAME, collection(200))
    assert other.run("--workers", "1")[0] == 1
    chunks = len(told(other.events(), "begun"))
    generator, kills, due = random.Random(11), 0, 0
    while not bench.box.has_record("set"):
        process = bench.start("run", "--workers", "2", real=True)
        due += generator.randrange(3, 7)
        wait_for(lambda due=due: steps_done(bench.box) >= due or bench.box.has_record("set"))
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        due = steps_done(bench.box)
    bench.run("--workers", "2")
    assert kills > 2
    check(bench, other.box)
    assert len(told(bench.events(), "begun")) <= chunks + kills * (2 + 1)
    assert all(has_ended(pid) for pid in told(bench.events(), "worker"))


@pytest.mark.parametrize("kind", ["collection", "zip"])
def test_told_to_stop_a_run_keeps_what_it_has_and_the_next_goes_on(
    kind: str, bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, kind, NAME)
    code, before = bench.run("--workers", "2", step=NOTED, nth=3, what=STOP)
    assert code == 75
    assert noted(before) == 3
    assert bench.box.waiting() == set()
    (entry,) = read_overview(bench.box.folders, 2.0).in_work
    assert "puzzles done" in entry.note
    assert all(has_ended(pid) for pid in told(before, "worker"))
    code, after = bench.run("--workers", "2")
    assert code == 1
    (goes_on,) = (each for each in after if each["event"] == "job.continued")
    assert f"{goes_on['puzzles']:,} puzzles done" in entry.note
    assert sorted(told(after, "begun"), key=str) == sorted(undisturbed.requests(kind)[3:], key=str)
    check(bench, undisturbed.box(kind))


@pytest.mark.parametrize("kind", ["collection", "folder"])
def test_told_to_stop_before_anything_is_noted_a_run_puts_its_source_back(
    kind: str, bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, kind, NAME)
    code, events = bench.run("--workers", "2", step=BEGUN, what=STOP)
    assert code == 75
    assert bench.box.waiting() == {NAME}
    assert bench.box.in_work() == set()
    assert all(has_ended(pid) for pid in told(events, "worker"))
    assert bench.run()[0] == 1
    check(bench, undisturbed.box(kind))


def test_when_a_run_is_killed_its_workers_end(bench: Bench) -> None:
    drop(bench.box, "collection", NAME)
    process = bench.start("run", "--workers", "2", step=NOTED, nth=2, what=WAIT)
    bench.wait_until_held()
    workers = told(bench.events(), "worker")
    assert len(workers) == 2
    process.kill()
    process.wait()
    assert all(has_ended(worker) for worker in workers)


@pytest.mark.parametrize(("kind", "nth"), [("zip", 1), ("collection", 4)])
def test_when_all_its_workers_are_killed_a_run_replaces_them(
    nth: int, kind: str, bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, kind, NAME)
    code, events = bench.run(step=BEGUN, nth=nth, what=BEREAVE)
    assert (code, len(told(events, "worker"))) == (1, 2)
    check(bench, undisturbed.box(kind))


def test_what_comes_out_does_not_depend_on_the_number_of_workers(
    bench: Bench, undisturbed: Undisturbed
) -> None:
    drop(bench.box, "zip", NAME)
    code, events = bench.run("--workers", "3")
    assert (code, len(told(events, "worker"))) == (1, 3)
    check(bench, undisturbed.box("zip"))


def test_a_single_puzzle_overtakes_a_job_of_many_and_the_status_tells_how_far_that_is(
    bench: Bench, undisturbed: Undisturbed
) -> None:
    process = bench.start("watch", "--workers", "2", step=NOTED, nth=3, what=WAIT)
    wait_for(lambda: any(e["event"] == "watch.started" for e in bench.events()))
    drop(bench.box, "collection", NAME)
    bench.wait_until_held()
    status = json.loads(bench.box.call("status", "--json").stdout)
    (entry,) = status["in_work"]
    assert entry["name"] == NAME
    assert f"process {process.pid} " in entry["note"]
    assert "; 31 puzzles done, 57%" in entry["note"]
    assert bench.box.published() <= {path.name for path in bench.box.outbox.glob(".*.tmp")}
    bench.box.drop("quick.txt")
    bench.go()
    wait_for(lambda: bench.box.has_record("quick"))
    wait_for(lambda: not bench.box.waiting() and not bench.box.in_work())
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    finished = [e["source"] for e in bench.events() if e["event"] == "job.finished"]
    assert finished == ["quick.txt", NAME]
    assert bench.box.record("quick")["status"] == "unique"


def test_many_single_puzzles_overtake_a_job_of_many(bench: Bench) -> None:
    puzzles = {f"{i}.txt": (SMALL, TWO_SOLUTIONS, NO_SOLUTION)[i % 3] for i in range(40)}
    process = bench.start("run", "--workers", "1", step=NOTED, nth=2, what=WAIT)
    drop(bench.box, "collection", NAME)
    bench.wait_until_held()
    for name, puzzle in puzzles.items():
        bench.box.drop(name, puzzle)
    bench.go()
    assert process.wait() == 1
    finished = [e["source"] for e in bench.events() if e["event"] == "job.finished"]
    assert finished[-1] == NAME
    assert set(finished[:-1]) == set(puzzles)


def test_a_puzzle_claimed_after_a_job_of_many_inherits_nothing_from_it(bench: Bench) -> None:
    drop(bench.box, "collection", "many.txt")
    process = bench.start("watch", "--workers", "1", step="attempt.counted", nth=5, what=WAIT)
    wait_for(lambda: bench.box.outbox.exists() and bench.box.has_record("many"))
    bench.box.drop("single.txt")
    bench.wait_until_held()
    (entry,) = read_overview(bench.box.folders, 2.0).in_work
    assert entry.name == "single.txt"
    assert "puzzles done" not in entry.note
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    bench.go()
    assert process.wait() == 0
    assert bench.box.waiting() == {"single.txt"}
    assert bench.box.in_work() == set()


@pytest.mark.parametrize(
    ("first", "content"),
    [(True, collection(19)), (True, SMALL.encode()), (False, SMALL.encode())],
    ids=["many", "one", "one, the other way round"],
)
def test_members_that_would_take_each_others_names_get_the_same_ones_after_a_kill(
    first: bool, content: bytes, bench: Bench, tmp_path: Path
) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as members:
        for number, ending in enumerate((".json", ".csv", ".log", "_1.solution", "_2.solution")):
            names = [f"c{number}.txt", f"c{number}{ending}/c.txt"]
            for name in names if first else reversed(names):
                members.writestr(name, content)
    other = Bench.within(tmp_path / "other")
    for each in (bench, other):
        each.box.drop("set.zip", whole.getvalue())
    code, _ = other.run()
    assert other.box.record("set")["totals"]["unique"] == 10 * (1 if code == 0 else 19 - 1)
    for step in (NOTING, NOTED):
        assert bench.run(step=step)[0] == -signal.SIGKILL
    assert bench.run()[0] == code
    check(bench, other.box)
