"""Killed at random for a long time: nothing lost, nothing doubled.

    python bench/soak.py [FILES [KILLED [SEED]]]

FILES files (default 5000) are dropped while two `watch` run and are killed with SIGKILL again
and again, KILLED times (default 200) in all. At the end every file must have come out once,
with a record whose files are all there, and none may have failed.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from puzzles import made

KINDS = 50


def watch(folder: Path) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "pipeline", "watch", "--quiet", "--solver", "pysat"]
    argv += ["--inbox", str(folder / "inbox"), "--outbox", str(folder / "outbox")]
    return subprocess.Popen(argv)


def left(inbox: Path) -> int:
    """Files in the inbox and in work."""
    waiting = sum(1 for path in inbox.iterdir() if path.is_file())
    return waiting + sum(1 for _ in inbox.glob(".work/[!.]*"))


def check(folder: Path, count: int) -> None:
    """Every file in done, its set complete, nothing else anywhere."""
    outbox = folder / "outbox"
    assert {p.name for p in (folder / "inbox" / "done").iterdir()} == {
        f"{number}.txt" for number in range(count)
    }
    assert not list((folder / "inbox" / "failed").iterdir())
    listed = {".lock"}
    for number in range(count):
        record = json.loads((outbox / f"{number}.json").read_bytes())
        listed.add(f"{number}.json")
        for entry in record["files"]:
            listed.add(entry["name"])
            data = (outbox / entry["name"]).read_bytes()
            assert sha256(data).hexdigest() == entry["sha256"]
    assert {path.name for path in outbox.iterdir()} == listed


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    files, kills, seed = (numbers + [5000, 200, 1][len(numbers) :])[:3]
    generator = random.Random(seed)
    kinds = [made(number) for number in range(KINDS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "inbox").mkdir()
        watches = [watch(folder) for _ in range(2)]
        start = time.monotonic()
        for number in range(files):
            (folder / "fresh").write_bytes(kinds[number % KINDS])
            (folder / "fresh").rename(folder / "inbox" / f"{number}.txt")
        for _ in range(kills):
            time.sleep(generator.random())
            victim = generator.randrange(2)
            watches[victim].kill()
            watches[victim].wait()
            watches[victim] = watch(folder)
        while left(folder / "inbox"):
            time.sleep(0.2)
        for process in watches:
            process.send_signal(signal.SIGTERM)
            process.wait()
        check(folder, files)
        print(f"{files} files, {kills} kills, {time.monotonic() - start:.0f} s: all came out once")


if __name__ == "__main__":
    main()
