"""A minisat that lies, in whole runs: what is published is right, and the record names the liar."""

from __future__ import annotations

import csv
import io
import json

import pytest
from support.drop_folders import DropFolder, events_in
from support.needs import needs_dask, needs_linux, needs_minisat
from support.oracle import solutions
from support.outboxes import packed
from support.puzzles import EVEN_ODD_SIX, NONE, SIX, TWO, UNIQUE, digits, program

from pipeline.reading.formats import parse_puzzle

pytestmark = needs_minisat
MISSED = "minisat missed a solution that the check found"
LIES = {
    "at once": "echo UNSAT > $out; exit 20",
    "in the second answer": (
        "if [ -e $0.asked ]; then rm $0.asked; echo UNSAT > $out; exit 20; fi;"
        " touch $0.asked; exec minisat -verb=0 $cnf $out"
    ),
}
SINGLES = {"unique": UNIQUE, "two": TWO, "six": SIX, "none": NONE, "marks": EVEN_ODD_SIX}
LINES = [text.replace("\n", "") for text in (UNIQUE, TWO, SIX, NONE, TWO, UNIQUE)]
STATUSES = ("unsolvable", "unique", "multiple")
LIMIT = 9


def known(text: str) -> list[str]:
    return [digits(grid) for grid in solutions(parse_puzzle(text), LIMIT)]


def dropped(box: DropFolder) -> None:
    """Single files, a collection, and an archive of both."""
    lines = "".join(line + "\n" for line in LINES)
    for name, text in SINGLES.items():
        box.drop(f"{name}.txt", text)
    box.drop("lines.sdm", lines)
    box.drop("both.zip", packed(("one.txt", TWO), ("in/lines.sdm", lines)))


def ran(box: DropFolder, lie: str, *options: str) -> list[dict[str, object]]:
    """A pass with a liar; what it logs."""
    fake = program(box.inbox.parent / "minisat", LIES[lie])
    most = ("--max-solutions", str(LIMIT))
    finished = box.run("--minisat", fake, "--settle", "0", "--workers", "1", *most, *options)
    assert finished.returncode == 0, finished.stderr
    assert not box.waiting()
    return events_in(finished.stderr)


def check_single(box: DropFolder, stem: str, text: str) -> None:
    record, wanted = box.record(stem), known(text)
    check_told(record, len(wanted))
    name = stem.rpartition("/")[2]
    found = [box.outbox / f"{stem}_{rank}.solution" for rank in range(1, len(wanted) + 1)]
    assert [path.read_text() for path in found] == wanted
    assert not (box.outbox / f"{stem}_{len(wanted) + 1}.solution").exists()
    log = (box.outbox / f"{stem}.log").read_text().splitlines()
    events = {event["event"]: event for event in map(json.loads, log)}
    assert events["job.finished"]["certificate"] == record["certificate"]["by"], name
    if record["solver"]["name"] == "exhaustive-search":
        assert record["solver"]["fallback"] == MISSED
        assert events["solver.fallback"]["reason"] == MISSED


def check_told(record, count: int) -> None:
    assert (record["status"], record["solutions"]) == (STATUSES[min(count, 2)], count)
    assert record["complete"]
    assert record["certificate"]["complete"] == "proved"


def check_table(path) -> None:
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    for line, row in zip(LINES, rows, strict=True):
        wanted = known(line)
        assert row["status"] == STATUSES[min(len(wanted), 2)]
        assert int(row["solutions"]) == len(wanted)
        assert (row["complete"], row["certificate"]) in (
            ("true", "exhaustive-search"),
            ("true", "lrat"),
        )
        assert row["solution"] == (wanted[0].replace("\n", "") if wanted else "")


def check_named(box: DropFolder, stem: str, source: str, logged: list[dict[str, object]]) -> None:
    """Record, log and standard error say who missed solutions, and of how many puzzles."""
    record = box.record(stem)
    liars = [each for each in record["fallbacks"] if each["reason"] == MISSED]
    assert [each["solver"] for each in liars] == ["exhaustive-search"]
    assert sum(each["puzzles"] for each in record["fallbacks"]) == record["totals"]["fallbacks"]
    own = events_in((box.outbox / f"{stem}.log").read_text())
    for events in (own, [each for each in logged if each.get("source") == source]):
        told = [each for each in events if each["event"] == "solver.fallback"]
        names = ("solver", "reason", "puzzles")
        assert [{name: each[name] for name in names} for each in told] == record["fallbacks"]


def check_all(box: DropFolder, logged: list[dict[str, object]]) -> None:
    for stem, text in SINGLES.items():
        check_single(box, stem, text)
    check_table(box.outbox / "lines.csv")
    check_single(box, "both/one", TWO)
    check_table(box.outbox / "both/in/lines.csv")
    for name in ("lines", "both"):
        record = box.record(name)
        assert record["certificate"]["unverified"] == 0
        assert record["certificate"]["proved"] == sum(record["totals"][each] for each in STATUSES)
    check_named(box, "lines", "lines.sdm", logged)
    check_named(box, "both", "both.zip", logged)


@pytest.mark.parametrize("lie", LIES)
def test_a_run_publishes_what_the_liar_missed(lie, box):
    dropped(box)
    check_all(box, ran(box, lie))
    assert box.record("two")["solver"]["fallback"] == MISSED
    assert MISSED in (box.outbox / "lines.csv").read_text()


@pytest.mark.trial
@needs_dask
@needs_linux
def test_so_does_a_cluster(box):
    dropped(box)
    check_all(box, ran(box, "at once", "--cluster", "local:1"))


def test_a_trusted_liar_is_believed_and_everything_says_so(box):
    box.drop("two.txt", TWO)
    ran(box, "in the second answer", "--trust-solver", "--prove", "never")
    record = box.record("two")
    assert (record["status"], record["solutions"], record["complete"]) == ("unique", 1, True)
    assert record["certificate"]["complete"] == "unverified"
    assert record["certificate"]["reason"] == "--trust-solver"
    box.drop("lines.sdm", "".join(line + "\n" for line in LINES))
    box.drop("set.zip", packed(("two.txt", TWO), ("marks.txt", EVEN_ODD_SIX)))
    ran(box, "in the second answer", "--trust-solver", "--prove", "never")
    for table in ("lines.csv", "set.csv"):
        rows = csv.DictReader(io.StringIO(box.text(table)))
        assert {row["certificate"] for row in rows if row["complete"] == "true"} == {"unverified"}
    certificate = box.record("lines")["certificate"]
    assert (certificate["proved"], certificate["unverified"]) == (0, len(LINES))
