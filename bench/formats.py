"""How fast each format is read, in comparison with another checkout of the program.

    python bench/formats.py OTHER [FILE…]

OTHER is the folder of the other checkout. Each FILE, by default each of `examples/`, is read there
and here by `pipeline.read`, in processes that take turns. A file of one line is also read as
a collection of 20,000 such lines. Printed are the microseconds per read in both, the least of
five rounds, and the ratio; below 1, this checkout is faster. A file that is refused counts as well.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pipeline import PipelineError, read

HERE = Path(__file__).parent.parent
ROUNDS = 5
SECONDS = 0.1
"""How long a file is read again and again in a round."""
LINES = 20_000


def read_all(source: bytes | Path) -> None:
    """Read all puzzles of a source."""
    try:
        for _ in read(source):
            pass
    except PipelineError:  # refused as a whole
        return


def microseconds(source: bytes | Path, reads: int) -> float:
    """The time per puzzle of a source of `reads` puzzles; short ones are read repeatedly."""
    read_all(source)  # imports and caches do not count
    start, rounds = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        read_all(source)
        rounds += 1
    return (time.perf_counter() - start) / rounds / reads * 1e6


def measure(paths: list[Path]) -> dict[str, float]:
    """The microseconds of each file by its name, and of the collections made of its line."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            data = path.read_bytes()
            found[path.name] = microseconds(data, 1)
            if data.count(b"\n") == 1:
                many = Path(folder, path.name)
                many.write_bytes(data * LINES)
                found[f"{path.name} × {LINES:,}"] = microseconds(many, LINES)
    return found


def measured_in(checkout: Path, paths: list[Path]) -> dict[str, float]:
    """What `measure` finds in another process, with the package of that checkout."""
    command = [sys.executable, __file__, "--measure", *map(str, paths)]
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    found: dict[str, float] = json.loads(
        subprocess.run(command, env=environment, check=True, capture_output=True).stdout
    )
    return found


def main(other: Path, paths: list[Path]) -> None:
    least: dict[Path, dict[str, float]] = {other: {}, HERE: {}}
    for _ in range(ROUNDS):
        for checkout, found in least.items():
            for name, value in measured_in(checkout, paths).items():
                found[name] = min(value, found.get(name, value))
    print(f"{'':40}{'other µs':>12}{'here µs':>12}{'ratio':>8}")
    for name, there in least[other].items():
        here = least[HERE][name]
        print(f"{name:40}{there:12,.1f}{here:12,.1f}{here / there:8.2f}")


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        print(json.dumps(measure([*map(Path, sys.argv[2:])])))
    else:
        main(
            Path(sys.argv[1]).resolve(),
            [*map(Path, sys.argv[2:])] or sorted((HERE / "examples").iterdir()),
        )
