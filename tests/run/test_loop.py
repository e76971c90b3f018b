"""What `run` and `watch` say about this machine when they first need it."""

from __future__ import annotations

import pytest
from support.breaking import ForkedPeer
from support.dropping import DropFolder
from support.many import collection

from pipeline.native import Program
from pipeline.run.job import Tuning
from pipeline.run.loop import _telling_of_slow_lanes, run_once
from pipeline.run.sinks import Portions
from pipeline.settings import Settings


class Log:
    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, object]]] = []

    def info(self, event, **values):
        self.told.append((event, values))

    warning = error = info


@pytest.mark.parametrize(
    ("solver", "lacking", "told"),
    [
        ("auto", "no place", [("lanes.slow", {"reason": "no place"})]),
        ("lanes", "no place", [("lanes.slow", {"reason": "no place"})]),
        ("auto", None, []),
        ("minisat", "no place", []),
    ],
)
def test_slow_lanes_are_told_once_when_the_first_worker_starts(solver, lacking, told, monkeypatch):
    monkeypatch.setattr(Program, "lacking", lambda _program: lacking)
    log = Log()
    start = _telling_of_slow_lanes(lambda module: module, Settings(solver=solver), log)
    assert [start("first"), start("second")] == ["first", "second"]
    assert log.told == told


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_run_tells_of_slow_lanes_if_it_needs_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(Program, "lacking", lambda _program: "no place")
    box = DropFolder.within(tmp_path)
    settings = Settings(inbox=box.inbox, outbox=box.outbox, workers=1)
    told = []
    for piece in (10, 1000):
        box.drop("a.txt", collection(3).decode())
        log = Log()
        run_once(settings, log, tuning=Tuning(Portions(piece=piece), start_worker=ForkedPeer))
        told.append("lanes.slow" in [event for event, _ in log.told])
    assert told == [True, False]
