"""What `run` and `watch` say about this machine when they first need it."""

from __future__ import annotations

import pytest

from pipeline.run.loop import _telling_of_slow_lanes
from pipeline.settings import Settings
from pipeline.solvers.lanes import loading


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
def test_slow_lanes_are_told_once_before_the_first_worker_starts(
    solver, lacking, told, monkeypatch
):
    monkeypatch.setattr(loading, "lacking", lambda: lacking)
    log = Log()
    start = _telling_of_slow_lanes(
        lambda module: (module, [*log.told]), Settings(solver=solver), log
    )
    assert [start("first"), start("second")] == [("first", told), ("second", told)]
