"""How long a proof takes to get hints and have them checked, compiled and in plain Python.

    python bench/trimming.py [--list] FILE…

Each FILE is as in `variants.py`. Both forms run on one core, in turns; `audited` is the check of
the hints alone. `--list` prints each puzzle. Proofs of more than MOST characters are left out:
they take plain Python minutes.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from variants import givens

from pipeline.certify.formula import Core, core_of
from pipeline.certify.lrat import check_lrat
from pipeline.certify.proof import PROGRAM, trim_to_lrat
from pipeline.errors import PipelineError
from pipeline.limits import Limits
from pipeline.service.solving import solve_one
from pipeline.settings import Settings
from pipeline.solving.problem import PuzzleProblem, read_problem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.pysat import Pysat

MOST = 1_000_000


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    listed = "--list" in sys.argv
    folder = PROGRAM.create_folder()
    PROGRAM.compile_into(folder)
    step = PROGRAM.load_from(folder)
    times: list[tuple[float, float, float]] = []
    sizes: list[tuple[int, int]] = []
    for name, core, text in cases([Path(each) for each in sys.argv[1:] if each != "--list"]):
        lemmas = [tuple(map(int, line.split()[:-1])) for line in text.splitlines()]
        start = time.perf_counter()
        check_lrat(core.formula, trim_to_lrat(None, core, lemmas))
        plain = time.perf_counter()
        lrat = trim_to_lrat(step, core, lemmas)
        trimmed = time.perf_counter()
        steps = check_lrat(core.formula, lrat)
        audited = time.perf_counter() - trimmed
        times.append((plain - start, trimmed - plain + audited, audited))
        sizes.append((len(lemmas), steps))
        if listed:
            plain_ms, ms, again = (1000 * spent for spent in times[-1])
            told = f"{sizes[-1][0]:6} steps, {sizes[-1][1]:6} with hints"
            spent = f"plain {plain_ms:6.0f} ms, compiled {ms:6.0f} ms, audited {again:6.0f} ms"
            print(f"{name[:40]:40} {told}, {spent}")
    totals = [sum(spent) for spent in zip(*times, strict=True)]
    counts = [sum(number) for number in zip(*sizes, strict=True)]
    p50 = [1000 * statistics.median(spent) for spent in zip(*times, strict=True)]
    print(f"{len(times)} proofs of {counts[0]} steps, {counts[1]} with hints")
    print(f"p50 plain {p50[0]:.0f} ms, compiled {p50[1]:.0f} ms, audited {p50[2]:.0f} ms")
    print(f"all: {totals[0] / totals[1]:.1f} × as fast, audited {totals[0] / totals[2]:.1f} ×")


def cases(files: list[Path]) -> Iterator[tuple[str, Core, str]]:
    """Each puzzle's name, and the core and the proof that there are no other solutions."""
    settings = Settings(trust_solver=True)
    with Solvers("auto", "minisat") as solvers, Pysat() as prover:
        for given in (each for file in files for each in givens(file)):
            try:
                problem = read_problem(given.text.encode(), "", settings)
                assert isinstance(problem, PuzzleProblem)
                found = solve_one(problem, solvers, settings, Stopwatch()).solutions
                core = core_of(problem.refutation(found))
                text = "" if core.is_refuted else prover.prove(core.remaining, Limits())
            except PipelineError as error:
                print(f"{given.name[:40]:40} left out: {error}")
                continue
            if 0 < len(text) <= MOST:
                yield given.name, core, text


if __name__ == "__main__":
    main()
