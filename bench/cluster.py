"""A cluster against local processes: throughput, overhead of a chunk, bytes over the wire.

    python bench/cluster.py [COUNT] [MOST] [FILE]

COUNT puzzles are made from those in FILE, as `collection.py` does, and cut into the chunks of a
collection. They are computed by 1, 2, … MOST local processes, and by as many workers of a
scheduler that is a process of its own. Nothing is written: what `run` adds is the same for both.
The two kinds take turns, so that the ratios mean something on a machine that others use too.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from collection import shuffled
from puzzles import puzzles

from pipeline.reading.archives.streams import PeekableStream
from pipeline.reading.formats import Layout, read_text
from pipeline.service.cluster import Cluster
from pipeline.service.jobs import CHUNK_SIZES, ChunkRequest, CollectionEnd
from pipeline.service.replies import pack_request
from pipeline.service.signals import Stop
from pipeline.service.workers import Pool, Workers
from pipeline.settings import Settings

COUNT, MOST = 60_000, 2
ROUNDS = 3
SETTINGS = Settings()


def chunks(count: int, files: list[str]) -> list[ChunkRequest]:
    """A collection's chunks."""
    generator = random.Random(1)
    known = [data.decode().split()[0] for data in puzzles(files, 5000)]
    text = "".join(shuffled(known[i % len(known)], generator) + "\n" for i in range(count))
    stream = PeekableStream(io.BytesIO(text.encode()))
    layout = read_text(text.encode(), True, "bench", SETTINGS.reading)
    assert isinstance(layout, Layout)
    return [
        step
        for step in CHUNK_SIZES.chunks(layout, stream, SETTINGS)
        if isinstance(step, ChunkRequest)
    ]


@contextmanager
def cluster(workers: int) -> Iterator[tuple[str, int]]:
    """The address of a scheduler with so many workers, and its process id."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "scheduler.json")
        port = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told))
        scheduler = started(folder, "scheduler", *port)
        each = ("--scheduler-file", str(told), "--nthreads", "1", "--nworkers", str(workers))
        nanny = started(folder, "worker", *each)
        try:
            while not told.exists() or b"address" not in told.read_bytes():
                time.sleep(0.05)
            yield json.loads(told.read_text())["address"], scheduler.pid
        finally:
            for process in (nanny, scheduler):
                process.kill()
                process.wait()


def started(folder: str, what: str, *argv: str) -> subprocess.Popen[bytes]:
    """A scheduler or workers; they import what this process may import."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *argv]
    path = os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))
    quiet = subprocess.DEVNULL
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)


def cpu(pid: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds(workers: Workers, requests: list[Any]) -> float:
    """How long they take for all of them."""
    begun = time.perf_counter()
    given = sum(reply is not None for reply in workers.replies(iter(requests)))
    assert given == len(requests)
    return time.perf_counter() - begun


def warm(workers: Workers, address: str | None, count: int, sample: Any) -> None:
    """Have all workers there, with all that they load."""
    if address is not None:
        from distributed import Client  # noqa: PLC0415

        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(count)
    seconds(workers, [sample] * 4 * count)


def compare(count: int, chunks: list[ChunkRequest], total: int) -> None:
    """Local processes and cluster workers in turn; prints both rates."""
    padding = "x" * len(chunks[0].chunk.data)
    nothing = [CollectionEnd(padding, chunks[0].layout, 1, "", 0)] * 200
    with (
        cluster(count) as (address, scheduler),
        closing(Pool(count, SETTINGS, Stop(0.0))) as pool,
        closing(Cluster(address, SETTINGS, Stop(0.0))) as remote,
    ):
        warm(pool, None, count, chunks[0])
        warm(remote, address, count, chunks[0])
        here, there, used = [], [], []
        for _ in range(ROUNDS):
            here.append(seconds(pool, chunks))
            before, own = cpu(scheduler), time.process_time()
            there.append(seconds(remote, chunks))
            used.append((cpu(scheduler) - before, time.process_time() - own))
        hop = [seconds(workers, nothing) / len(nothing) for workers in (pool, remote)]
    rates = total / min(here), total / min(there)
    print(
        f"{count} workers: {rates[0]:8.0f} a second here, {rates[1]:8.0f} on the cluster, "
        f"ratio {rates[1] / rates[0]:.2f}"
    )
    per = [1000 * min(each) / len(chunks) for each in zip(*used, strict=True)]
    print(f"  of a chunk: {per[0]:.1f} ms of the scheduler's processor, {per[1]:.1f} ms of ours")
    print(f"  with nothing to compute: {1000 * hop[0]:.1f} ms here, {1000 * hop[1]:.1f} ms there")


def wire(chunks: list[ChunkRequest], total: int) -> None:
    """Print what goes over the wire for a puzzle."""
    from pipeline.solving.solvers import Solvers  # noqa: PLC0415

    there = sum(len(pack_request(chunk, SETTINGS)) for chunk in chunks)
    with Solvers() as solvers:
        begun = time.perf_counter()
        back = len(pickle.dumps(chunks[0].compute(solvers, SETTINGS)))
        spent = time.perf_counter() - begun
    puzzles_in_one = chunks[0].chunk.data.count(b"\n")
    print(f"{total} puzzles in {len(chunks)} chunks of {puzzles_in_one}, {spent:.2f} s each")
    print(f"  {there / total:.0f} bytes a puzzle there, {back / puzzles_in_one:.0f} back")


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:3]]
    count, most = [*numbers, *(COUNT, MOST)[len(numbers) :]]
    cut = chunks(count, sys.argv[3:])
    wire(cut, count)
    for workers in range(1, most + 1):
        compare(workers, cut, count)


if __name__ == "__main__":
    main()
