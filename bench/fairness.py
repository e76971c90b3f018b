"""How long a small file waits for files that take long, under `watch`.

    python bench/fairness.py

Drops six formulas that no solver decides within `--timeout` (pigeons in one hole too few), and then
a 4×4 puzzle; with one worker and with two. Printed is the time from the puzzle's rename to its
record, also as a ratio to `--timeout`: with one worker it waits for each formula.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

from folders import fresh_folder

TIMEOUT = 10.0
FORMULAS = 6
HOLES = 12
PUZZLE = "1...\n..2.\n.3..\n...4\n"


def pigeons(holes: int) -> str:
    """DIMACS of a formula without a model, on which resolution takes exponential time."""
    sits = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    clauses = [*map(tuple, sits)]
    for hole in range(holes):
        clauses += [(-sits[p][hole], -sits[q][hole]) for p, q in combinations(range(holes + 1), 2)]
    lines = [f"p cnf {holes * (holes + 1)} {len(clauses)}"]
    return "\n".join(lines + [" ".join(map(str, (*clause, 0))) for clause in clauses]) + "\n"


def seconds_of(workers: int, folder: Path) -> float:
    """Seconds until the puzzle is solved that comes last."""
    inbox, outbox = folder / "inbox", folder / "outbox"
    inbox.mkdir(parents=True)
    for number in range(FORMULAS):
        (inbox / f"{number}.cnf").write_text(pigeons(HOLES))
    argv = [sys.executable, "-m", "pipeline", "watch", "--quiet", "--timeout", f"{TIMEOUT}"]
    argv += ["--workers", str(workers), "--inbox", str(inbox), "--outbox", str(outbox)]
    with subprocess.Popen([*argv, "--grace", "0.1", "--settle", "0.01"]) as watch:
        while not any((inbox / ".work").glob("[!.]*")):
            time.sleep(0.01)
        (folder / "fresh").write_text(PUZZLE)
        (folder / "fresh").rename(inbox / "small.txt")
        begun = time.monotonic()
        while not (outbox / "small.json").exists():
            time.sleep(0.01)
        spent = time.monotonic() - begun
        watch.send_signal(signal.SIGTERM)
    return spent


def main() -> None:
    for workers in (1, 2):
        with fresh_folder() as folder:
            spent = seconds_of(workers, folder)
        ratio = spent / TIMEOUT
        print(f"{workers} workers: {spent:6.2f} s, {ratio:.2f} of --timeout", flush=True)


if __name__ == "__main__":
    main()
