"""The baseline of `single.py`: minisat processes on the CNFs that the pipeline gives to minisat."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from pipeline.puzzle.puzzle import Grid
from pipeline.solving.cnf import Cnf, blocking_clause, dimacs_lines

ARGUMENTS = ("-verb=0", "-no-pre")


def bare_seconds(cnf: Cnf, solutions: tuple[Grid, ...], folder: Path) -> float:
    """Seconds of minisat processes in sequence: the puzzle, then with each solution blocked."""
    blocking = [blocking_clause(grid, cnf) for grid in solutions]
    paths = []
    for count in range(len(blocking) + 1):
        path = folder / f"{count}.cnf"
        path.write_text("".join(dimacs_lines(cnf, blocking[:count])))
        paths.append(path)
    start = time.perf_counter()
    for path in paths:
        argv = ["minisat", *ARGUMENTS, str(path), str(folder / "result")]
        assert subprocess.run(argv, stdout=subprocess.DEVNULL, check=False).returncode in (10, 20)
    return time.perf_counter() - start
