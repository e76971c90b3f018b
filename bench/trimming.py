"""How much faster proofs are checked once they are trimmed, on one core, in turns.

    python bench/trimming.py [--list] FILE…

Each FILE is as in `variants.py`. The baseline is the check of the whole proof, as its engine has
found it, from all clauses of the core. `--list` prints each puzzle. Proofs that are long take the
baseline minutes: those of more than MOST characters are left out.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from variants import givens

from pipeline import Settings
from pipeline.certify.formula import Core, core_of
from pipeline.certify.proof import check_core, check_refutation, check_trimmed
from pipeline.certify.trimming import PROGRAM, loaded
from pipeline.errors import PipelineError
from pipeline.limits import Limits
from pipeline.service.requests import solve_one
from pipeline.solving.problem import PuzzleProblem, read_problem
from pipeline.solving.result import Stopwatch
from pipeline.solving.solvers import Solvers
from pipeline.solving.solvers.pysat import Prover

HOUR = 3600.0
MOST = 1_000_000


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    listed = "--list" in sys.argv
    PROGRAM.compile_into(PROGRAM.folder())
    loaded.count(HOUR)  # so that it is loaded at once
    times: list[tuple[float, float, float]] = []
    sizes: list[tuple[int, int]] = []
    for name, core, text in cases([Path(each) for each in sys.argv[1:] if each != "--list"]):
        start = time.perf_counter()
        check_core(core, text, HOUR)
        whole = time.perf_counter()
        checked, shorter = check_trimmed(core, text, HOUR)
        trimmed = time.perf_counter()
        check_refutation(core.formula, shorter, HOUR)
        times.append((whole - start, trimmed - whole, time.perf_counter() - trimmed))
        sizes.append((text.count("\n"), checked.steps))
        if listed:
            whole_ms, ms, again = (1000 * spent for spent in times[-1])
            told = f"{sizes[-1][0]:6} steps, {sizes[-1][1]:6} kept"
            spent = f"whole {whole_ms:6.0f} ms, trimmed {ms:6.0f} ms, audited {again:6.0f} ms"
            print(f"{name[:40]:40} {told}, {spent}")
    totals = [sum(spent) for spent in zip(*times, strict=True)]
    steps = [sum(number) for number in zip(*sizes, strict=True)]
    p50 = [1000 * statistics.median(spent) for spent in zip(*times, strict=True)]
    print(f"{len(times)} proofs; {steps[1] / steps[0]:.0%} of the steps are kept")
    print(f"p50 whole {p50[0]:.0f} ms, trimmed {p50[1]:.0f} ms, audited {p50[2]:.0f} ms")
    print(f"all: {totals[0] / totals[1]:.1f} × as fast, audited {totals[0] / totals[2]:.1f} ×")


def cases(files: list[Path]) -> Iterator[tuple[str, Core, str]]:
    """Each puzzle's name, and the core and the proof that there are no other solutions."""
    settings = Settings(trust_solver=True)
    with Solvers("auto", "minisat") as solvers, Prover() as prover:
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
