"""What `run` and `watch` say about this machine when they first need it."""

from __future__ import annotations

import pytest
from support.breaking import ForkedPeer
from support.dropping import DropFolder
from support.many import collection
from support.telling import KeptLog

from pipeline.native import Program
from pipeline.service.job import Tuning
from pipeline.service.loop import _telling_what_is_slow, run_once
from pipeline.service.sinks.set import Portions
from pipeline.settings import Settings

NAMES = ("lanes", "check", "trim")
FINE = dict.fromkeys(NAMES)
NO_PLACE = dict.fromkeys(NAMES, "no place")
TRUSTING = {"solver": "minisat", "trust_solver": True}


@pytest.mark.parametrize(
    ("options", "lacking", "told"),
    [
        ({"solver": "auto"}, NO_PLACE, [("lanes, check and trim", "no place")]),
        ({"solver": "lanes"}, NO_PLACE, [("lanes, check and trim", "no place")]),
        ({"solver": "auto"}, FINE, []),
        ({"solver": "auto"}, FINE | {"check": "broken"}, [("check", "broken")]),
        (
            {"solver": "auto"},
            FINE | {"lanes": "no place", "check": "broken"},
            [("lanes", "no place"), ("check", "broken")],
        ),
        ({"solver": "minisat"}, NO_PLACE, [("check and trim", "no place")]),
        (TRUSTING, NO_PLACE, []),
        (TRUSTING | {"solver": "lanes"}, NO_PLACE, [("lanes", "no place")]),
    ],
)
def test_what_is_slow_is_told_once_when_the_first_worker_starts(
    options, lacking, told, monkeypatch
):
    monkeypatch.setattr(Program, "lacking", lambda program: lacking[program.name])
    log = KeptLog()
    start = _telling_what_is_slow(lambda module: module, Settings(**options), log)
    assert [start("first"), start("second")] == ["first", "second"]
    assert log.told == [("lanes.slow", {"programs": names, "reason": why}) for names, why in told]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_run_tells_what_is_slow_if_it_needs_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(Program, "lacking", lambda _program: "no place")
    box = DropFolder.within(tmp_path)
    settings = Settings(inbox=box.inbox, outbox=box.outbox, workers=1)
    told = []
    for piece in (10, 1000):
        box.drop("a.txt", collection(3).decode())
        log = KeptLog()
        run_once(settings, log, tuning=Tuning(Portions(piece=piece), start_worker=ForkedPeer))
        told.append("lanes.slow" in [event for event, _ in log.told])
    assert told == [True, False]
