"""A collection that was killed half-way is continued where numba has been installed since."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.dropping import DropFolder, environment, wait_for
from support.needs import needs_numba
from support.packing import zip_of
from support.solving import PATIENCE

import pipeline

SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
PUZZLES = 4000
"""Several pieces where there is no machine code, and one where there is."""

HIDING = """
from importlib.machinery import PathFinder

find = PathFinder.find_spec


def find_others(name, path=None, target=None):
    return None if name.partition(".")[0] in ("numba", "llvmlite") else find(name, path, target)


PathFinder.find_spec = find_others
"""
"""A sitecustomize in whose process numba is not installed."""


def puzzle(number: int) -> str:
    """The solved grid without those of its first twelve cells that are bits of a number."""
    blanks = (number >> at & 1 if at < 12 else 0 for at in range(81))
    return "".join("." if blank else digit for blank, digit in zip(blanks, SOLVED, strict=True))


LINES = [puzzle(number) for number in range(PUZZLES)]


def started(box: DropFolder, *paths: Path) -> subprocess.Popen[bytes]:
    """A pass in a process that has loaded nothing yet."""
    root = Path(pipeline.__file__).parents[1]
    variables = {"PYTHONPATH": os.pathsep.join(map(str, (*paths, root)))}
    argv = [sys.executable, "-m", "pipeline", "run", "--quiet", "--workers", "1"]
    argv += ["--inbox", str(box.inbox), "--outbox", str(box.outbox)]
    return subprocess.Popen(argv, env=environment(**variables))


@needs_numba
@pytest.mark.parametrize(
    ("name", "table"), [("a.txt", "a.csv"), ("a.zip", "a/in.csv")], ids=["collection", "archive"]
)
def test_a_collection_begun_without_machine_code_is_continued_with_it(tmp_path, name, table):
    box = DropFolder.within(tmp_path)
    text = "\n".join(LINES).encode()
    box.drop(name, text if name == "a.txt" else zip_of(("in.txt", text)))
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    with started(box, tmp_path) as first:
        wait_for(lambda: [*box.inbox.glob(".work/[!.]*/.progress")])
        first.kill()
    assert not (box.outbox / table).exists(), "it was killed before its end"
    with started(box) as second:
        assert second.wait(PATIENCE) == 0
    with (box.outbox / table).open(newline="") as rows:
        assert [row["puzzle"] for row in csv.DictReader(rows)] == LINES
