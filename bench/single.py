"""Compare solving a single 9×9 puzzle with the minisat processes alone.

    python bench/single.py [FILE…]

FILE has one puzzle per line; without it, puzzles are generated. For each puzzle two times are
measured in turn: from bytes to the certified result with minisat, and `minisat` alone on the same
CNFs, which are written before. A ratio of 1 means that everything except minisat is free.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from bare import bare_seconds
from puzzles import puzzles

from pipeline.service.solving import solve_source
from pipeline.settings import Settings
from pipeline.solving.solvers import Solvers

COUNT = 200


def main() -> None:
    settings = Settings(solver="minisat", max_solutions=2)
    ours, theirs = [], []
    with Solvers("minisat") as solvers, tempfile.TemporaryDirectory() as folder:
        for data in puzzles(sys.argv[1:], COUNT):
            start = time.perf_counter()
            result = solve_source(data, "bench", solvers, settings)
            ours.append(time.perf_counter() - start)
            assert result.cnf
            theirs.append(bare_seconds(result.cnf, result.solutions, Path(folder)))
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    print(f"{len(ours)} puzzles, milliseconds, median:")
    print(f"  whole chain   {1e3 * statistics.median(ours):7.2f}")
    print(f"  bare minisat  {1e3 * statistics.median(theirs):7.2f}")
    print(f"  ratio         {statistics.median(ratios):7.2f}")


if __name__ == "__main__":
    main()
