"""New folders to measure in, below BENCH_FOLDER if that is set."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def fresh_folder() -> Iterator[Path]:
    """A folder whose folders lie far from each other and from others.

    Ext4 does not use an inode again in the minute after it was deleted. Whenever a file is made
    near such inodes, ext4 looks at each of them, so that benchmarks take several times as long soon
    after many files were deleted. Without `chattr` or its attribute folders stay near each other.
    """
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        with suppress(OSError):
            subprocess.run(["chattr", "+T", name], check=False, stderr=subprocess.DEVNULL)
        folder = Path(name, "fresh")
        folder.mkdir()
        yield folder
