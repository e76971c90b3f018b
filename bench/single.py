"""One 9×9 puzzle through the whole chain, as a ratio to the bare minisat processes.

    python bench/single.py [FILE]

FILE holds one puzzle a line (81 characters); without one the benchmark makes 200 of its own.
For every puzzle, in turn: (a) bytes → certified result with minisat; (b) `minisat` on the same
two CNFs (the puzzle, and the puzzle with its solution blocked), started without this package.
The ratio a/b is 1 if everything but minisat were free.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pipeline import Settings, dimacs_lines
from pipeline.decode import blocking_clause
from pipeline.parse import render_puzzle
from pipeline.puzzle import Geometry, Puzzle
from pipeline.solve import Solvers
from pipeline.stages import Result, solve_source

COUNT = 200
ARGUMENTS = ("-verb=0", "-no-pre")


def made(count: int) -> list[bytes]:
    """Puzzles with about 26 givens: a shuffled pattern grid, most cells taken out."""
    generator = random.Random(1)
    puzzles = []
    for _ in range(count):
        bands = [generator.sample(range(3), 3) for _ in range(8)]
        rows = [band * 3 + row for band in bands[0] for row in bands[1 + band]]
        columns = [stack * 3 + column for stack in bands[4] for column in bands[5 + stack]]
        digits = generator.sample(range(1, 10), 9)
        kept = set(generator.sample(range(81), 26))
        values = [
            digits[(3 * (r % 3) + r // 3 + c) % 9] if 9 * i + j in kept else 0
            for i, r in enumerate(rows)
            for j, c in enumerate(columns)
        ]
        puzzles.append(render_puzzle(Puzzle.of_values(Geometry(3, 3), values), "line").encode())
    return puzzles


def bare(program: str, result: Result, folder: Path) -> float:
    """Seconds that minisat takes for the puzzle and for the puzzle with its solutions blocked."""
    assert result.cnf
    blocking = [blocking_clause(grid, result.cnf) for grid in result.solutions]
    paths = []
    for count in range(len(blocking) + 1):
        path = folder / f"{count}.cnf"
        path.write_text("".join(dimacs_lines(result.cnf, blocking[:count])))
        paths.append(path)
    start = time.perf_counter()
    for path in paths:
        argv = [program, *ARGUMENTS, str(path), str(folder / "result")]
        assert subprocess.run(argv, stdout=subprocess.DEVNULL, check=False).returncode in (10, 20)
    return time.perf_counter() - start


def main() -> None:
    given = [line.encode() for path in sys.argv[1:] for line in Path(path).read_text().splitlines()]
    puzzles = given[:COUNT] or made(COUNT)
    settings = Settings(solver="minisat", max_solutions=2)
    ours, theirs = [], []
    with Solvers("minisat") as solvers, tempfile.TemporaryDirectory() as folder:
        program = "minisat"
        for data in puzzles:
            start = time.perf_counter()
            result = solve_source(data, "bench", solvers, settings)
            ours.append(time.perf_counter() - start)
            theirs.append(bare(program, result, Path(folder)))
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    print(f"{len(puzzles)} puzzles, milliseconds, median:")
    print(f"  whole chain   {1e3 * statistics.median(ours):7.2f}")
    print(f"  bare minisat  {1e3 * statistics.median(theirs):7.2f}")
    print(f"  ratio         {statistics.median(ratios):7.2f}")


if __name__ == "__main__":
    main()
