"""Jobs that another version left in work are taken up, and two versions share an inbox."""

from __future__ import annotations

import csv
import functools
import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest
from support import old_jobs
from support.breakers import Bench
from support.drop_folders import SMALL, SMALL_SOLVED, environment, events_in, wait_for
from support.puzzles import PATIENCE
from support.sources import answers, check_records, check_tidy, collection

import pipeline
from pipeline.service.jobs import CHECKPOINT_FORMAT
from pipeline.service.protocol.checkpointed import last_checkpoint
from pipeline.version import __version__

PACKAGE = Path(pipeline.__file__).parent
OTHER = "0.0.9"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
QUICK = ("puzzle claimed", "puzzle half published", "collection half published")
STORED = {path.stem: json.loads(path.read_text()) for path in old_jobs.FOLDER.iterdir()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What becomes of a source, and the exit code, where nothing is killed."""

    @functools.cache
    def published(what):
        bench = Bench.within(tmp_path_factory.mktemp(what))
        old_jobs.drop(bench.box, what)
        code, _ = bench.run()
        return code, bench.box.record("set"), answers(bench.box)

    return published


@pytest.mark.parametrize(
    ("version", "state"),
    [
        pytest.param(version, state, marks=() if state in QUICK else pytest.mark.trial)
        for version in STORED
        for state in STORED[version]
    ],
)
def test_a_job_that_another_version_left_on_another_machine_is_taken_up(
    version, state, bench, undisturbed
):
    code, record, expected = undisturbed(old_jobs.KILLED[state][0])
    old_jobs.restore(bench.box, STORED[version][state])
    assert bench.run()[0] == (0 if state == "puzzle published" else code)
    assert answers(bench.box) == expected
    names = ("status", "totals", "solutions", "complete", "sha256")
    found = bench.box.record("set")
    assert {name: found.get(name) for name in names} == {name: record.get(name) for name in names}
    check_records(bench.box)
    check_tidy(bench.box)
    assert {Path(name).parts[0] for name in bench.box.kept("done")} == {"set"}


def other_version(top: Path, checkpoints: int) -> Path:
    """A folder with a copy of the package that differs in these two numbers."""
    shutil.copytree(PACKAGE, top / "pipeline", ignore=shutil.ignore_patterns("__pycache__"))
    changes = {
        "version.py": (f'"{__version__}"', f'"{OTHER}"'),
        "service/jobs/__init__.py": (
            f"CHECKPOINT_FORMAT = {CHECKPOINT_FORMAT}\n",
            f"CHECKPOINT_FORMAT = {checkpoints}\n",
        ),
    }
    for name, (ours, others) in changes.items():
        text = (top / "pipeline" / name).read_text()
        assert text.count(ours) == 1
        (top / "pipeline" / name).write_text(text.replace(ours, others))
    return top


@contextmanager
def started(box, log, root, name, *options):
    """A command of the package in that folder, killed on leaving if it has not ended."""
    argv = [sys.executable, "-m", "pipeline", name, "--inbox", box.inbox, "--outbox", box.outbox]
    argv += ["--log-format", "json", "--workers", "1", *options]
    with log.open("a") as stream:
        process = subprocess.Popen(
            argv, cwd=root, env=environment(PYTHONPATH=str(root)), stderr=stream
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def events(*logs):
    return [event for log in logs for event in events_in(log.read_text().rpartition("\n")[0])]


@pytest.mark.trial
def test_two_versions_that_watch_one_inbox_process_each_file_once(box, tmp_path):
    """Files are dropped until both have processed some, and then many at once."""
    roots = [PACKAGE.parent, other_version(tmp_path / "other", CHECKPOINT_FORMAT)]
    logs, names, versions = [tmp_path / "ours", tmp_path / "others"], list[str](), set[str]()

    def drop(number: int) -> str:
        names.append(f"{number}.txt")
        box.drop(names[-1], collection(5) if number % 5 == 0 else SMALL)
        return str(number)

    with ExitStack() as stack:
        watches = [
            stack.enter_context(started(box, log, root, "watch"))
            for log, root in zip(logs, roots, strict=True)
        ]
        wait_for(lambda: sum(each["event"] == "watch.started" for each in events(*logs)) == 2)
        numbers = count()
        while len(versions) < 2:
            stem = drop(next(numbers))
            wait_for(lambda stem=stem: box.has_record(stem))
            versions.add(box.record(stem)["version"])
        for _ in range(40):
            drop(next(numbers))
        wait_for(lambda: box.kept("done") == {*names} and not box.in_work())
        for each in watches:
            each.send_signal(signal.SIGTERM)
        assert [each.wait(PATIENCE) for each in watches] == [0, 0]
    assert versions == {__version__, OTHER}
    ended = [each["source"] for each in events(*logs) if each["event"] == "job.finished"]
    assert Counter(ended) == dict.fromkeys(names, 1)
    for name in names:
        solved = box.text(f"{name[:-4]}_1.solution")
        assert solved == SMALL_SOLVED or solved.split() == [SMALL_SOLVED.replace("\n", "")] * 5
    check_records(box)
    check_tidy(box)


@pytest.mark.trial
@pytest.mark.parametrize(
    "others", [CHECKPOINT_FORMAT, CHECKPOINT_FORMAT - 1], ids=["same", "different"]
)
def test_a_collection_that_another_version_began_has_each_puzzle_once(box, tmp_path, others):
    """It is continued if both versions write the same checkpoints, and else starts again."""
    lines = [SOLVED[:at] + "." + SOLVED[at + 1 :] for at in range(81)] * 25
    box.drop("set.txt", "\n".join(lines))
    root, logs = other_version(tmp_path / "other", others), [tmp_path / "others", tmp_path / "ours"]
    with started(box, logs[0], root, "run", "--traits", "effort") as first:
        wait_for(lambda: any(map(last_checkpoint, box.inbox.glob(".work/[!.]*"))))
        first.kill()
        assert first.wait(PATIENCE) == -signal.SIGKILL
    with started(box, logs[1], PACKAGE.parent, "run", "--traits", "effort") as second:
        assert second.wait(PATIENCE) == 0
    told = Counter(each["event"] for each in events(*logs))
    assert (told["job.finished"], told["job.continued"]) == (1, int(others == CHECKPOINT_FORMAT))
    with (box.outbox / "set.csv").open(newline="") as rows:
        assert [row["puzzle"] for row in csv.DictReader(rows)] == lines
    check_records(box)
    check_tidy(box)
