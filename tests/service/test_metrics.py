"""The file of --metrics, as the reference parsers of both formats read it."""

from __future__ import annotations

import os
import re
import signal
import stat
from pathlib import Path

import pytest
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics_parser
from support.archives import zip_of
from support.drop_folders import NO_SOLUTION, SMALL, DropFolder, wait_for
from support.sources import collection

from pipeline.service.log import LazyLog
from pipeline.service.metrics import Metrics
from pipeline.version import __version__

BAD = "1...\n..2.\n.3q.\n...4\n"


def samples(text, of=openmetrics_parser):
    """Every sample: its name without the prefix, its labels' values, and its own."""
    found = {}
    for family in of.text_string_to_metric_families(text):
        for sample in family.samples:
            name = sample.name.removeprefix("sudoku_pipeline_")
            assert name != sample.name
            found[(name, *sample.labels.values())] = sample.value
    return found


def read(path):
    return samples(path.read_text()) if path.exists() else {}


def test_run_tells_what_it_did_in_a_text_that_both_parsers_take(box, tmp_path):
    dropped = {"a.txt": SMALL, "bad.txt": BAD, "none.txt": NO_SOLUTION, "many.txt": collection(3)}
    dropped["all.zip"] = zip_of(("a.txt", BAD), ("many.txt", collection(3)), ("readme", "no\n"))
    for name, content in dropped.items():
        box.drop(name, content)
    path = tmp_path / "told.prom"
    before = path.parent.stat().st_ctime
    assert box.run("--metrics", str(path)).returncode == 1
    told = read(path)
    assert samples(path.read_text(), parser) == told
    assert told["build_info", __version__] == 1
    assert (told["healthy",], told["queue_files",], told["queue_oldest_age_seconds",]) == (1, 0, 0)
    jobs = {key[1]: number for key, number in told.items() if key[0] == "jobs_total"}
    ended = ("unique", "invalid", "unsolvable", "collection", "archive")
    assert jobs == dict.fromkeys(jobs, 0) | dict.fromkeys(ended, 1)
    statuses = ("unique", "invalid", "other")
    assert [told["puzzles_total", status] for status in statuses] == [7, 2, 1]
    started, scanned = told["start_time_seconds",], told["last_scan_timestamp_seconds",]
    assert before - 1 <= started <= scanned <= path.stat().st_mtime + 1
    assert told["scan_seconds_total",] > 0
    families = [*openmetrics_parser.text_string_to_metric_families(path.read_text())]
    for family in families:
        assert family.documentation.endswith(".")
        assert (family.unit == "seconds") == family.name.endswith("_seconds")
    counters = {family.name for family in families if family.type == "counter"}
    assert counters == {f"sudoku_pipeline_{name}" for name in ("jobs", "puzzles", "scan_seconds")}


def test_watch_replaces_the_file_after_every_scan(box, tmp_path):
    path = tmp_path / "told.prom"
    with box.watching("--metrics", str(path)) as watch:
        for number in (1, 2):
            box.drop(f"{number}.txt")
            wait_for(lambda n=number: read(path).get(("jobs_total", "unique")) == n)
        watch.signal(signal.SIGTERM)
        assert watch.end() == 0
    told = read(path)
    assert (told["healthy",], told["queue_files",]) == (1, 0)
    assert [*tmp_path.glob(".told*")] == []


def test_everybody_may_read_the_file_whatever_the_umask(box, tmp_path):
    umask = os.umask(0o077)
    try:
        Metrics(tmp_path / "told", box.inbox, LazyLog(quiet=True)).write()
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "told").stat().st_mode) == 0o644


def test_what_waits_is_counted_with_the_age_of_the_oldest(box, tmp_path):
    box.drop("a.txt")
    box.drop("b.txt")
    os.utime(box.inbox / "a.txt", (0, 0))
    (box.inbox / "b.txt.part").touch()
    since = min((box.inbox / name).stat().st_ctime for name in ("a.txt", "b.txt"))
    metrics = Metrics(tmp_path / "told", box.inbox, LazyLog(quiet=True), lambda: since + 90)
    metrics.write()
    told = read(tmp_path / "told")
    assert (told["queue_files",], told["queue_oldest_age_seconds",]) == (2, 90)


def test_a_scan_that_fails_is_told_with_the_time_of_the_last_that_did_not(box, tmp_path):
    path = tmp_path / "told.prom"
    with box.watching("--metrics", str(path)):
        wait_for(lambda: read(path).get(("healthy",)) == 1)
        box.inbox.rename(tmp_path / "away")
        wait_for(lambda: read(path).get(("healthy",)) == 0)
        failed = read(path)
        (tmp_path / "away").rename(box.inbox)
        wait_for(lambda: read(path).get(("healthy",)) == 1)
        assert read(path)["last_scan_timestamp_seconds",] > failed["last_scan_timestamp_seconds",]


def test_a_run_that_fails_says_that_it_is_not_healthy(tmp_path):
    box = DropFolder(tmp_path / "no-inbox", tmp_path / "outbox")
    path = tmp_path / "told.prom"
    assert box.run("--metrics", str(path)).returncode == 1
    assert (read(path)["healthy",], read(path)["last_scan_timestamp_seconds",]) == (0, 0)


def test_that_the_file_cannot_be_written_is_said_once_and_hinders_nothing(box, tmp_path):
    folder = tmp_path / "monitored"
    folder.mkdir()
    path = folder / "told.prom"
    with box.watching("--metrics", str(path)) as watch:
        wait_for(path.exists)
        path.unlink()
        path.mkdir()
        for name in ("a.txt", "b.txt"):
            box.drop(name)
            wait_for(lambda name=name: name in watch.finished())
        wait_for(lambda: any(e["event"] == "metrics.failed" for e in watch.events()))
        watch.signal(signal.SIGTERM)
        assert watch.end() == 0
        told = [event["event"] for event in watch.events()]
    assert told.count("metrics.failed") == 1
    assert [each.name for each in folder.iterdir()] == ["told.prom"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("inbox/told.prom", "it would be processed as a dropped file; choose another folder"),
        ("no/told.prom", "its folder does not exist; create it first"),
        ("outbox", "not a regular file; choose another file"),
    ],
)
def test_a_file_that_cannot_be_there_is_refused_before_anything_is_taken(box, tmp_path, name, said):
    box.drop("a.txt")
    box.outbox.mkdir()
    path = tmp_path / name
    done = box.run("--metrics", str(path))
    assert (done.returncode, done.stderr) == (2, f"sudoku-pipeline: --metrics {path}: {said}\n")
    assert box.waiting() == {"a.txt"}


def test_alerts_name_metrics_and_statuses_that_are_written(box, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "monitor.md").read_text()
    box.drop("a.txt", SMALL)
    assert box.run("--settle", "0", "--metrics", str(tmp_path / "m.prom")).returncode == 0
    written = (tmp_path / "m.prom").read_text()
    names = set(re.findall(r"\bsudoku_pipeline_\w+", page.partition("alerts are")[2]))
    assert len(names) >= 3
    assert [name for name in names if f"\n{name}" not in written] == []
    alternatives = re.findall(r'puzzles_total\{status=~?"([a-z|]+)"\}', page)
    for status in {name for each in alternatives for name in each.split("|")}:
        assert f'sudoku_pipeline_puzzles_total{{status="{status}"}} 0\n' in written
