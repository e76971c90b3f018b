"""Whether every claim that no solution is missing is judged rightly, and how long that takes.

    python bench/certify.py claims [COUNT [SEED]]
    python bench/certify.py alone FILE…
    python bench/certify.py watch [FILE…]
    python bench/certify.py audit FILE [COUNT]

FILE holds one 9×9 puzzle a line.

claims: puzzles of 4×4 to 12×12 with no to eight solutions, with and without marks, are made until
there are COUNT (default 100,000) false claims about them: a solution left out, "none", one
changed, a foreign one, one repeated, those of another puzzle. PySAT has found all solutions of
each puzzle; so every honest claim tests the check against its enumeration. All forms of the check
judge every claim: none that is false may pass, every honest one must, and the forms must agree.
The exit code is 1 if anything is judged wrongly.
alone: the check of the puzzles in each FILE that have at most one solution, as machine code and
one by one in plain Python; processor time, the best of some rounds.
watch: from the rename into the inbox to the record, with the check and without (`--trust-solver`),
a file in turn.
audit: COUNT (default 1,000,000) lines made from FILE, solved, and audited, on one core.

`fastest.py` has the way from drop to record.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from fastest import cores, first_fields
from judging import judge_claims
from kernel import linked, seconds_of
from latency import drop, wait_for
from million import make
from puzzles import puzzles

from pipeline.certify.many import MAX_NODES, PROGRAM, Verdict, check_in_parallel, check_one_by_one
from pipeline.limits import NEVER
from pipeline.puzzle.geometry import NINE_BY_NINE
from pipeline.reading.formats.plain import masks_of_plain
from pipeline.solving import compiled as lanes
from pipeline.solving.compiled import BatchSolver

CLAIMS = 100_000
"""False ones."""

COUNT = 1_000_000
FILES = 300
LEAST = 20_000
"""Puzzles for the compiled check; a file is repeated until it has so many."""

SLOWER = {"machine code": 1, "one by one": 200}
"""What part of them each form gets."""


def claims(count: str = str(CLAIMS), seed: str = "1") -> None:
    if judge_claims(int(count), int(seed)):
        sys.exit(1)


def alone(*files: str) -> None:
    step = linked(PROGRAM)

    def check_compiled(_: object, *claim: Any) -> Any:
        return check_in_parallel(step, *claim)

    forms: dict[str, Callable[..., Any]]
    forms = {"machine code": check_compiled, "one by one": check_one_by_one}
    search = BatchSolver(linked(lanes.PROGRAM))
    print(f"{'puzzles a second':<24}" + "".join(f"{form:>14}" for form in forms) + "   nodes")
    for file in files:
        texts = [text[:81].replace("0", ".") for text in first_fields(Path(file))]
        cells = np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, 81)
        masks = masks_of_plain(cells)
        found = search(masks, 2, NEVER)
        few = np.resize(np.flatnonzero(found.counts < 2), max(LEAST, len(masks)))
        said, nodes = "", np.zeros(0)
        for form, check in forms.items():
            some = few[: len(few) // SLOWER[form]]
            claim = masks[some], found.counts[some], found.grids[:1, some], MAX_NODES, NEVER
            verdicts, nodes = check(NINE_BY_NINE, *claim)
            assert (verdicts == Verdict.COMPLETE).all()
            each = seconds_of(partial(check, NINE_BY_NINE, *claim)) / len(some)
            said += f"{1 / each:14,.0f}"
        print(f"{Path(file).name:<24}{said}{nodes.mean():8.1f}", flush=True)


def watch(*files: str) -> None:
    spent: dict[str, list[float]] = {"checked": [], "--trust-solver": []}
    with (
        tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name,
        ExitStack() as ends,
    ):
        for mode in spent:
            folder = Path(name, mode)
            (folder / "inbox").mkdir(parents=True)
            argv = [sys.executable, "-m", "pipeline", "watch", "--quiet", "--solver", "minisat"]
            argv += ["--max-solutions", "2", "--inbox", str(folder / "inbox")]
            argv += ["--outbox", str(folder / "outbox"), *[mode] * mode.startswith("--")]
            process = ends.enter_context(subprocess.Popen(argv))
            ends.callback(process.send_signal, signal.SIGTERM)
            wait_for(folder / "inbox" / ".work" / ".last-scan")
        for number, data in enumerate(puzzles([*files], FILES)):
            for mode, seconds in spent.items():
                seconds.append(drop(Path(name, mode), str(number), data))
    with_it, without = (statistics.median(seconds) * 1e3 for seconds in spent.values())
    print(f"rename to record, p50 of {FILES} files: {with_it:.2f} ms, without the check", end=" ")
    print(f"{without:.2f} ms: {with_it - without:+.2f} ms, ratio {with_it / without:.2f}")


def audit(file: str, count: str = str(COUNT)) -> None:
    for program in (lanes.PROGRAM, PROGRAM):
        program.compile_into(program.create_folder())
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name, cores(1):
        (Path(name) / "inbox").mkdir()
        make(Path(name, "inbox", "lines.txt"), int(count), [file])
        spent = []
        for command in (["run", "--quiet", "--workers", "1", "--outbox"], ["audit"]):
            argv = [sys.executable, "-m", "pipeline", *command, f"{name}/outbox"]
            start = time.perf_counter()
            subprocess.run([*argv, "--inbox", f"{name}/inbox"], check=True)
            spent.append(time.perf_counter() - start)
        solved, audited = (int(count) / seconds for seconds in spent)
    print(
        f"{int(count):,} rows: audited at {audited:,.0f} a second, solved at {solved:,.0f}", end=""
    )
    print(f", ratio {audited / solved:.2f}")


def main() -> None:
    commands: dict[str, Callable[..., None]]
    commands = {"claims": claims, "alone": alone, "watch": watch, "audit": audit}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        raise SystemExit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
