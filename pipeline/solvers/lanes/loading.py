"""The compiled search: where its machine code is kept, and when it is worth having.

numba takes half a second to load, and ten to compile `kernel.py` and what it uses. So a process
begins with numpy: once that has worked LOAD_AFTER seconds on 9×9 puzzles, the compiled search takes
over if it has been compiled before; else it is compiled in another process, for all that come
later, while numpy goes on.
"""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from errno import EACCES
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.limits import NEVER, Deadline
from pipeline.puzzle import Geometry
from pipeline.solvers.child import start_detached
from pipeline.solvers.lanes.search import Found, Masks

LOAD_AFTER = 0.5
COMPILE_AFTER = 2.0
"""Seconds of work in numpy, in one process, after which the compiled search is worth its price."""

COMPILING_SECONDS = 300
"""Of processor time, for a compiler that does not end."""

STEPS = 64
"""Of the compiled search between looks at the clock: some milliseconds."""

NINE = Geometry(3, 3)
_SOURCES = [Path(__file__).with_name(name) for name in ("kernel.py", "deduction.py", "vectors.py")]
_DONE = "compiled"
_CPU = Path("/proc/cpuinfo")

CompiledSearch = Callable[[Masks, int, Deadline], Found]


class Compiled:
    """The compiled search as far as this process has it, and how much it was missed."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._search: CompiledSearch | None = None
        self._is_compiling = False
        self._is_missing = False

    def search_for(self, geometry: Geometry) -> CompiledSearch | None:
        """The compiled search, if it takes such puzzles and is there or worth loading."""
        if geometry != NINE:
            return None
        if self._search is None and self._seconds >= LOAD_AFTER and not self._is_missing:
            try:
                self._get()
            except Exception:  # noqa: BLE001 - whatever numba raises, numpy goes on; see `doctor`
                self._is_missing = True
        return self._search

    def count(self, geometry: Geometry, seconds: float) -> None:
        """Count the seconds that numpy took for what the compiled search would have done."""
        self._seconds += seconds if geometry == NINE else 0.0

    def _get(self) -> None:
        folder = code_folder()
        if (folder / _DONE).exists():
            self._search = tried_from(folder)
        elif self._seconds >= COMPILE_AFTER and not self._is_compiling:
            self._is_compiling = True
            code = f"from {__name__} import compile_into; compile_into({str(folder)!r})"
            start_detached(code, COMPILING_SECONDS)


compiled = Compiled()


def code_folder() -> Path:
    """The folder for the machine code of this version, for this machine; made if need be.

    Raises ImportError without numba, and OSError where nobody can write, or others can.
    """
    import platformdirs  # noqa: PLC0415 - an extra

    key = [platform.python_version(), platform.machine(), metadata.version("numba")]
    key += [f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in _SOURCES]
    with suppress(OSError):
        key += [line for line in _CPU.read_text().splitlines() if line.startswith("flags")][:1]
    name = sha256("\n".join(key).encode()).hexdigest()[:16]
    folder = platformdirs.user_cache_path("sudoku-pipeline") / f"lanes-{name}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022 or not os.access(folder, os.W_OK):
        raise PermissionError(EACCES, "is not writable for its owner alone", str(folder))
    return folder


def compile_into(folder: str) -> None:
    """Compile the search, for all processes that come later; wait for one that does so already."""
    done = Path(folder) / _DONE
    with open(Path(folder) / "lock", "wb") as lock:  # noqa: PTH123
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            tried_from(Path(folder))
            os.sync()  # the code lasts before it is called done
            done.touch()


def tried_from(folder: Path) -> CompiledSearch:
    """Load the search and try it. What cannot be loaded is to be compiled again.

    Raises whatever numba raises.
    """
    try:
        search = load_from(folder)
        search(np.full((1, NINE.side**2), NINE.all_values, np.uint64), 2, NEVER)
    except Exception:
        (folder / _DONE).unlink(missing_ok=True)
        raise
    return search


def load_from(folder: Path) -> CompiledSearch:
    """Import the search, with its machine code from a folder. Raises ImportError."""
    import numba  # noqa: PLC0415 - slow to load, and an extra

    numba.config.CACHE_DIR = str(folder)
    from pipeline.solvers.lanes import kernel  # noqa: PLC0415 - as above

    def search(masks: Masks, most: int, deadline: Deadline) -> Found:
        narrow = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
        shared = np.zeros(len(masks), np.bool_)
        counts, decided, grids = searched(narrow, most, shared, deadline)
        again = np.flatnonzero(shared & (counts == most))
        if len(again):
            alone = np.zeros(0, np.bool_)
            ordered = searched(narrow[again], most, alone, deadline)
            counts[again], decided[again], grids[:, again] = ordered
        return Found.in_order(counts, decided, grids)

    def searched(
        masks: NDArray[np.uint16], most: int, shared: NDArray[np.bool_], deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.uint8]]:
        counts = np.zeros(len(masks), np.int64)
        grids = np.zeros((most, *masks.shape), np.uint8)
        lanes = kernel.new_lanes()
        while deadline.left():
            if kernel.search(lanes, masks, most, counts, grids, shared, STEPS):
                break
        return counts, kernel.decided(lanes, counts, most), grids

    return search
