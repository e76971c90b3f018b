"""A job of many puzzles that was killed half-way goes on where the machine is another one."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.archives import zip_of
from support.drop_folders import DropFolder, environment
from support.machines import Machines
from support.needs import needs_dask, needs_linux, needs_numba
from support.puzzles import PATIENCE

import pipeline
from pipeline.service.jobs import CHECKPOINT_FORMAT
from pipeline.service.protocol.checkpointed import PROGRESS

pytestmark = pytest.mark.trial

SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
PUZZLES = 120
COMMENT = b"# " + b"-" * 200 + b"\n"
BESIDE = 60
"""Comments before each puzzle: with them, few puzzles are several pieces of any size."""

HIDING = """
from importlib.machinery import PathFinder

find = PathFinder.find_spec


def find_others(name, path=None, target=None):
    return None if name.partition(".")[0] in ("numba", "llvmlite") else find(name, path, target)


PathFinder.find_spec = find_others
"""
"""A sitecustomize in whose process numba is not installed."""

DYING = f"""
import os, signal, sys

opened = 0


def watch(event, arguments):
    global opened
    if event == "open" and str(arguments[0]).endswith("{PROGRESS}") and arguments[2] & os.O_APPEND:
        opened += 1
        if opened == 2:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(watch)
"""
"""One whose process is killed when it is about to note that more than its first steps are done."""


def puzzle(number: int) -> str:
    """The solved grid without those of its first twelve cells that are bits of a number."""
    blanks = (number >> at & 1 if at < 12 else 0 for at in range(81))
    return "".join("." if blank else digit for blank, digit in zip(blanks, SOLVED, strict=True))


LINES = [puzzle(number) for number in range(PUZZLES)]
TEXT = b"".join(line.encode() + b"\n" + BESIDE * COMMENT for line in LINES)
OF_KIND = {"a.txt": (TEXT, "a.csv"), "a.zip": (zip_of(("in.txt", TEXT)), "a/in.csv")}
"""What is dropped by a name, and the table that it becomes."""

kinds = pytest.mark.parametrize("name", OF_KIND)
begun = pytest.mark.parametrize("begun", ["with", "without"])


def run(box: DropFolder, *options: str, customize: str = "") -> int:
    """The exit code of a pass by a process that begins with this sitecustomize."""
    folder = box.inbox.parent / "site"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(customize)
    root = Path(pipeline.__file__).parents[1]
    variables = {"PYTHONPATH": f"{folder}{os.pathsep}{root}", "PYTHONDONTWRITEBYTECODE": "1"}
    argv = [sys.executable, "-m", "pipeline", "run", "--quiet", *(options or ("--workers", "1"))]
    argv += ["--inbox", str(box.inbox), "--outbox", str(box.outbox)]
    return subprocess.run(
        argv, env=environment(**variables), timeout=PATIENCE, check=False
    ).returncode


def begin(box: DropFolder, name: str, *options: str, customize: str = "") -> Path:
    """Drop a file, and kill a pass over it half-way; the note of what was done."""
    data, table = OF_KIND[name]
    box.drop(name, data)
    assert run(box, *options, customize=customize + DYING) == -9
    assert not (box.outbox / table).exists()
    (noted,) = box.inbox.glob(f".work/[!.]*/{PROGRESS}")
    return noted


def check(box: DropFolder, name: str) -> None:
    """Each puzzle of the file has its row, once."""
    with (box.outbox / OF_KIND[name][1]).open(newline="") as rows:
        assert [row["puzzle"] for row in csv.DictReader(rows)] == LINES


@needs_numba
@begun
@kinds
def test_nothing_is_lost_or_doubled_where_numba_has_come_or_gone(
    box: DropFolder, name: str, begun: str
) -> None:
    hiding = ("", HIDING) if begun == "with" else (HIDING, "")
    begin(box, name, customize=hiding[0])
    assert run(box, customize=hiding[1]) == 0
    check(box, name)


@needs_dask
@needs_linux
@needs_numba
@begun
@kinds
def test_it_is_the_same_on_a_cluster(
    box: DropFolder, name: str, begun: str, tmp_path: Path
) -> None:
    hiding = ("", HIDING) if begun == "with" else (HIDING, "")
    with Machines.started(tmp_path, workers=1) as machines:
        begin(box, name, "--cluster", machines.address, customize=hiding[0])
        assert run(box, "--cluster", machines.address, customize=hiding[1]) == 0
    check(box, name)


@kinds
def test_what_a_version_with_other_checkpoints_began_starts_again(
    box: DropFolder, name: str
) -> None:
    noted = begin(box, name)
    key = f'"terms": "{CHECKPOINT_FORMAT} '
    text = noted.read_text()
    assert key in text
    # with another number of steps, so that rows would be lost if the note counted
    noted.write_text(
        text.replace(key, f'"terms": "{CHECKPOINT_FORMAT + 1} ').replace('"steps": ', '"steps": 1')
    )
    assert run(box) == 0
    check(box, name)
