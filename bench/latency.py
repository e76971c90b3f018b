"""From the rename into the inbox to the record's appearance, under `watch`.

    python bench/latency.py [FILE…]

FILE holds one puzzle a line; without one the benchmark makes its own. Files are dropped one at
a time, each when the one before is done; in turn with each, `minisat` runs alone on the same
CNFs. Printed are p50 and p99 of both, also as ratios to the p50 of the bare processes; everything
that is made to last (fsync) is included. Between them stands what the bare processes and as many
durable files cost together.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bare import bare_seconds
from folders import fresh_folder
from puzzles import puzzles

from pipeline import Geometry, Grid, parse_puzzle
from pipeline.solving.encode import encode_puzzle

COUNT = 300
PATIENCE = 30.0


def wait_for(path: Path) -> None:
    """Until the path is there; looks every 50 µs."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(5e-5)


def drop(folder: Path, name: str, data: bytes) -> float:
    """Drop a file and wait for its record; the seconds between."""
    fresh = folder / "fresh"
    fresh.write_bytes(data)
    record = folder / "outbox" / f"{name}.json"
    start = time.perf_counter()
    fresh.rename(folder / "inbox" / f"{name}.txt")
    wait_for(record)
    return time.perf_counter() - start


def solutions_of(folder: Path, name: str) -> tuple[Grid, ...]:
    """What was published for a name."""
    record = json.loads((folder / "outbox" / f"{name}.json").read_bytes())
    assert record["solver"]["name"] == "minisat", record["solver"]
    texts = [
        (folder / "outbox" / entry["name"]).read_text().strip()
        for entry in record["files"]
        if entry["name"].endswith(".solution")
    ]
    return tuple(Grid(Geometry(3, 3), tuple(map(int, text))) for text in texts)


def durable_seconds(folder: Path) -> float:
    """Seconds for what has to last before a record may be seen, and nothing else.

    It makes durable a note in its folder, three files, and their names in the outbox.
    """
    note, outbox = folder / "note", folder / "bare"
    note.mkdir(exist_ok=True)
    outbox.mkdir(exist_ok=True)
    names = [note / "note", *(outbox / part for part in ("solution", "log", "record"))]
    start = time.perf_counter()
    descriptors = [os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND) for name in names]
    for descriptor in descriptors:
        os.write(descriptor, b"1" * 300)
    descriptors += [os.open(each, os.O_RDONLY) for each in (note, outbox)]
    for descriptor in descriptors:
        os.fsync(descriptor)
    seconds = time.perf_counter() - start
    for descriptor in descriptors:
        os.close(descriptor)
    for name in names:
        name.rename(name.with_name("last"))
    return seconds


def main() -> None:
    ours, theirs, durable = list[float](), list[float](), list[float]()
    with fresh_folder() as folder:
        (folder / "inbox").mkdir()
        argv = [sys.executable, "-m", "pipeline", "watch", "--solver", "minisat"]
        argv += ["--max-solutions", "2", "--quiet", "--inbox", str(folder / "inbox")]
        with subprocess.Popen([*argv, "--outbox", str(folder / "outbox")]) as watch:
            wait_for(folder / "inbox" / ".work" / ".last-scan")
            for number, data in enumerate(puzzles(sys.argv[1:], COUNT)):
                ours.append(drop(folder, str(number), data))
                cnf = encode_puzzle(parse_puzzle(data))
                theirs.append(bare_seconds(cnf, solutions_of(folder, str(number)), folder))
                durable.append(durable_seconds(folder))
            watch.send_signal(signal.SIGTERM)
    bare = statistics.median(theirs)
    p50, p99 = statistics.median(ours), statistics.quantiles(ours, n=100)[98]
    floor = statistics.median(map(sum, zip(theirs, durable, strict=True)))
    print(f"{len(ours)} files, milliseconds:")
    print(f"  bare minisat processes, p50  {1e3 * bare:7.2f}")
    worst = statistics.quantiles(theirs, n=100)[98]
    print(f"  bare minisat processes, p99  {1e3 * worst:7.2f}   ratio {worst / bare:5.2f}")
    print(f"  and a durable set, p50       {1e3 * floor:7.2f}   ratio {floor / bare:5.2f}")
    print(f"  rename to record, p50        {1e3 * p50:7.2f}   ratio {p50 / bare:5.2f}")
    print(f"  rename to record, p99        {1e3 * p99:7.2f}   ratio {p99 / bare:5.2f}")


if __name__ == "__main__":
    main()
