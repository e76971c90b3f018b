"""Overflow the queue of inotify while `watch` is stopped, and check that all files are processed.

    python bench/overflow.py [FILES]

FILES puzzles (default 20000) are dropped between SIGSTOP and SIGCONT. Prints the time until all
are done, and the rate.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from puzzles import made

KINDS = 50


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    kinds = [made(number) for number in range(KINDS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inbox, outbox = folder / "inbox", folder / "outbox"
        inbox.mkdir()
        argv = [sys.executable, "-m", "pipeline", "watch", "--quiet", "--max-solutions", "2"]
        with subprocess.Popen([*argv, "--inbox", str(inbox), "--outbox", str(outbox)]) as watch:
            while not (inbox / ".work" / ".last-scan").exists():
                time.sleep(0.01)
            watch.send_signal(signal.SIGSTOP)
            for number in range(files):
                (folder / "fresh").write_bytes(kinds[number % KINDS])
                (folder / "fresh").rename(inbox / f"{number}.txt")
            start = time.monotonic()
            watch.send_signal(signal.SIGCONT)
            while sum(1 for _ in (inbox / "done").iterdir()) < files:
                time.sleep(0.5)
            seconds = time.monotonic() - start
            watch.send_signal(signal.SIGTERM)
        assert sum(path.suffix == ".json" for path in outbox.iterdir()) == files
        print(f"{files} files in {seconds:.1f} s: {files / seconds:.0f} a second, none missed")


if __name__ == "__main__":
    main()
