"""Bits that flip in the compiled search, in whole jobs: all that is published is right.

Slow, because between two steps of the search Python flips bits.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice

import pytest
from false_claims import MARKS, Maker
from support.bit_flips import PLACES, flip_all, serve
from support.drop_folders import DropFolder, command, environment, events_in
from support.logs import Silent
from support.needs import needs_dask, needs_linux, needs_numba

from pipeline.native import ProgramLoader
from pipeline.outbox.tables import one_line
from pipeline.puzzle.geometry import NINE_BY_NINE, values_of
from pipeline.service.loop import run_once
from pipeline.service.runtime import Tuning
from pipeline.settings import Settings
from pipeline.solving.solvers.child import Peer

pytestmark = [needs_numba, pytest.mark.trial]
STATUSES = ("unsolvable", "unique", "multiple")
MOST = 9
NAMES = [f"lines-{number}" for number in range(len(PLACES))]
"""As many collections as there are places, so that bits flip in each place."""


@dataclass(frozen=True)
class Known:
    """A puzzle in a line, and all its solutions."""

    line: str
    solutions: list[str]

    @property
    def told(self) -> tuple[str, str, str]:
        """Status, count and completeness."""
        return STATUSES[min(len(self.solutions), 2)], str(len(self.solutions)), "true"


@pytest.fixture(scope="module")
def known() -> list[Known]:
    """Puzzles without marks."""
    found = []
    for each in Maker(seed=4, geometries={NINE_BY_NINE: 1}, marks=MARKS[:1]).puzzles():
        cells = [[*values_of(mask)] for mask in each.puzzle.cells]
        if all(len(values) in (1, 9) for values in cells):
            line = "".join(str(values[0]) if len(values) == 1 else "." for values in cells)
            found.append(Known(line, [one_line(values) for values in each.solutions]))
        if len(found) == 25:
            break
    return found


@pytest.fixture(autouse=True)
def _is_compiled(lanes):
    """Before there are workers."""


def drop_collections(box: DropFolder, known: list[Known]) -> None:
    for name in NAMES:
        box.drop(f"{name}.sdm", "".join(f"{each.line}\n" for each in known * 80))


def settings_for(box: DropFolder) -> Settings:
    folders = {"inbox": box.inbox, "outbox": box.outbox, "settle": 0.0}
    return Settings(**folders, solver="batch", max_solutions=MOST, workers=1)


def check_collections(box: DropFolder, known: list[Known]) -> None:
    """All rows and solutions are right, and records and logs say what lanes did."""
    liars, most = 0, max(len(each.solutions) for each in known)
    for name in NAMES:
        ranks = [box.text(f"{name}_{rank}.solution").splitlines() for rank in range(1, most + 1)]
        rows = csv.DictReader(io.StringIO(box.text(f"{name}.csv")))
        for place, row in enumerate(rows):
            each = known[place % len(known)]
            assert (row["status"], row["solutions"], row["complete"]) == each.told
            assert row["certificate"] in ("exhaustive-search", "lrat")
            lines = [rank[place] for rank in ranks]
            assert lines == each.solutions + ["." * 81] * (most - len(each.solutions))
        record = box.record(name)
        assert record["certificate"]["unverified"] == 0
        told = record.get("fallbacks", [])
        assert record["totals"].get("fallbacks", 0) == sum(each["puzzles"] for each in told)
        logged = events_in(box.text(f"{name}.log"))
        said = [event["reason"] for event in logged if event["event"] == "solver.fallback"]
        assert said == [each["reason"] for each in told]
        liars += any("batch" in why for why in said)
    assert liars >= len(NAMES) // 2  # others have found all nonetheless


def test_a_pool_of_workers_publishes_nothing_wrong(box, known):
    drop_collections(box, known)
    tuning = Tuning(start_worker=lambda _: Peer(serve.__module__))
    assert run_once(settings_for(box), Silent(), tuning=tuning) == 0
    check_collections(box, known)


@needs_dask
@needs_linux
def test_nor_does_a_cluster(box, known):
    drop_collections(box, known)
    folders = ("--inbox", box.inbox, "--outbox", box.outbox)
    options = ("--settle", "0", "--solver", "batch", "--max-solutions", str(MOST))
    argv = command("run", *folders, "--cluster", "local:1", *options)
    # not forked: Dask reads this variable when it is loaded
    variables = environment(DASK_DISTRIBUTED__WORKER__PRELOAD=serve.__module__)
    path = os.pathsep.join([*sys.path, variables["PYTHONPATH"]])
    subprocess.run(argv, env=variables | {"PYTHONPATH": path}, check=True)
    check_collections(box, known)


def test_nor_do_single_files(box, known, monkeypatch):
    monkeypatch.setattr(ProgramLoader, "get", ProgramLoader.get)  # `flip_all` is undone
    flip_all()
    some = dict(islice(enumerate(known * 11), 256))
    for place, each in some.items():
        box.drop(f"{place}.txt", each.line)
    assert run_once(settings_for(box), Silent()) == 0
    for place, each in some.items():
        record = box.record(str(place))
        status, count, _ = each.told
        assert (record["status"], record["solutions"]) == (status, int(count))
        assert record["complete"]
        assert record["certificate"]["by"] in ("exhaustive-search", "lrat")
        texts = [box.text(f"{place}_{rank + 1}.solution") for rank in range(int(count))]
        assert [text.replace("\n", "") for text in texts] == each.solutions
    liars = {(box.record(str(place))["solver"]["fallback"] or "") for place in some}
    assert any("batch" in why for why in liars)
