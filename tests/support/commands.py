"""The commands, run in this process or in one of their own, among some puzzle files."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import typer.testing
from pysat.solvers import Minisat22
from support.drop_folders import SMALL_SOLVED as SOLVED
from support.forks import Here
from support.puzzles import EVEN_ODD, EVEN_ODD_SIX, NONE, SIX, TWO, UNIQUE

from pipeline.cli import application

BOXES = "c easy\nc by hand\n2 2\n1 0 0 0  0 0 2 0\n0 3 0 0\n0 0 0 4\n"
FIRST, SECOND = "1234\n3412\n4123\n2341\n", "1243\n4312\n3124\n2431\n"
FILES = {
    "unique.txt": UNIQUE,
    "two.txt": TWO,
    "six.txt": SIX,
    "none.txt": NONE,
    "clash.txt": "11..\n....\n....\n....\n",
    "bad.txt": "1...\n..2.\n.3q.\n...4\n",
    "boxes.txt": BOXES,
    "line.txt": UNIQUE.replace("\n", "") + "\n",
    "even-odd.txt": EVEN_ODD,
    "even-odd-six.txt": EVEN_ODD_SIX,
    "solved.txt": SOLVED,
    "wrong.txt": "1243\n3421\n4321\n2134\n",
    "other.txt": FIRST,
}


typer.testing._get_command = functools.cache(typer.testing._get_command)
"""To build the commands takes as long as to run one."""

APP = application()


def run(*arguments: str, given: str | None = None):
    """Exit code, standard output and standard error of a command, which starts no workers."""
    with patch("pipeline.service.loop.Pool", Here):
        result = typer.testing.CliRunner().invoke(APP, list(arguments), input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.exit_code, result.stdout, result.stderr


def start(*arguments: str, **options) -> subprocess.Popen[str]:
    """A command as a process of its own."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pipeline", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen(command, env=environment, text=True, **pipes)


def solve_dimacs(cnf: str, result: str) -> None:
    """Solve as minisat does, where it is not installed."""
    lines = [line for line in Path(cnf).read_text().splitlines() if line[0] not in "cp"]
    with Minisat22(bootstrap_with=[[*map(int, line.split())][:-1] for line in lines]) as engine:
        found = engine.solve()
        model = " ".join(map(str, engine.get_model() or []))
    Path(result).write_text(f"SAT\n{model} 0\n" if found else "UNSAT\n")
