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

    Ext4 does not use inodes that were deleted less than a minute ago, and looks at each of them
    whenever a file is made near them: what is measured soon after many files were deleted takes
    several times as long. Where `chattr` or its attribute is missing, nothing is done about that.
    """
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as name:
        with suppress(OSError):
            subprocess.run(["chattr", "+T", name], check=False, stderr=subprocess.DEVNULL)
        folder = Path(name, "fresh")
        folder.mkdir()
        yield folder
