"""The compiled search: where its machine code is kept, and when it is worth having.

numba takes some ten seconds to compile `kernel.py`; to link the object file that `building.py`
makes of it takes some hundredths of one. If that file is there, the compiled search is loaded for
MANY puzzles of 9×9, or once numpy has worked LOAD_AFTER seconds on such. If not, another process
compiles it once numpy has worked COMPILE_AFTER seconds; until then numpy goes on.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from errno import EACCES
from hashlib import sha256
from importlib.util import find_spec
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import in_words
from pipeline.limits import NEVER, Deadline
from pipeline.puzzle import NINE, Geometry
from pipeline.solvers.child import start_detached
from pipeline.solvers.lanes.search import Found, Masks
from pipeline.solvers.lanes.state import SPLITS, Lanes, decided_in, new_lanes

LOAD_AFTER = 0.05
COMPILE_AFTER = 2.0
"""Seconds of work in numpy, in one process, after which that is worth its price."""

MANY = 2000
"""Puzzles for which it is worth loading at once: even easy ones take numpy longer."""

COMPILING_SECONDS = 300
"""Of processor time, for a compiler that does not end."""

TRIED_SECONDS = 3600.0
"""A compiler that failed is not started again for so long."""

UNUSED_SECONDS = 30 * 24 * 3600.0
"""The code of another version is removed when nobody has used it for so long."""

STEPS = 64
"""Of the compiled search between two looks at the clock: some milliseconds."""

_SOURCES = [
    Path(__file__).with_name(f"{name}.py")
    for name in ("building", "kernel", "deduction", "state", "vectors")
]
_CODE = "search.o"
_NAME = "search"
_TRIED = "tried"
_DIGEST = 32
_CPU = Path("/proc/cpuinfo")
_ABILITIES = (b"flags", b"Features", b"CPU part")
"""How lines begin that say what a processor can do: of Intel and AMD, and of ARM."""


class CompiledSearch:
    """As `search_planes`, for 9×9 puzzles, by steps of machine code; `splits` counts branchings."""

    def __init__(self, step: Callable[..., bool]) -> None:
        self._step = step
        self.splits = 0

    def __call__(self, masks: Masks, most: int, deadline: Deadline) -> Found:
        narrow = np.array(masks & np.uint16(NINE.all_values), np.uint16, order="C")
        shared = np.zeros(len(masks), np.bool_)
        counts, decided, grids = self._searched(narrow, most, shared, deadline)
        again = np.flatnonzero(shared & (counts == most))
        if len(again):
            alone = np.zeros(0, np.bool_)
            ordered = self._searched(narrow[again], most, alone, deadline)
            counts[again], decided[again], grids[:, again] = ordered
        return Found.in_order(counts, decided, grids)

    def _searched(
        self, masks: NDArray[np.uint16], most: int, shared: NDArray[np.bool_], deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.uint8]]:
        counts = np.zeros(len(masks), np.int64)
        grids = np.zeros((most, *masks.shape), np.uint8)
        lanes = new_lanes()
        at = [array.ctypes.data for array in (*lanes, masks, counts, grids, shared)]
        answers = *at[-3:], len(shared), STEPS
        while deadline.left():
            if self._step(*at[:-3], len(masks), most, *answers):
                break
        self.splits += int(lanes.numbers[SPLITS])
        return counts, decided_in(lanes, counts, most), grids


class Compiled:
    """The compiled search, if this process has it, and how long numpy has worked in its place."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._search: CompiledSearch | None = None
        self._is_requested = False
        self._is_missing = False

    def search_for(self, geometry: Geometry, puzzles: int) -> CompiledSearch | None:
        """The compiled search, if it takes such puzzles and is there or worth loading now."""
        if geometry != NINE:
            return None
        is_worth_it = puzzles >= MANY or self._seconds >= LOAD_AFTER
        if self._search is None and is_worth_it and not self._is_missing:
            try:
                self._get()
            except Exception:  # noqa: BLE001 - whatever is wrong, numpy goes on; see `doctor`
                self._is_missing = True
        return self._search

    def count(self, geometry: Geometry, seconds: float) -> None:
        """Count the seconds that numpy took for what the compiled search would have done."""
        self._seconds += seconds if geometry == NINE else 0.0

    def _get(self) -> None:
        folder = code_folder()
        if (folder / _CODE).exists():
            self._search = load_from(folder)
            os.utime(folder)  # it is in use
        elif self._seconds >= COMPILE_AFTER and not self._is_requested:
            self._is_requested = True
            if _age(folder / _TRIED) < TRIED_SECONDS:
                return
            code = f"from {__name__} import compile_into; compile_into({str(folder)!r})"
            start_detached(code, COMPILING_SECONDS)


compiled = Compiled()


def code_folder() -> Path:
    """The folder for the machine code, named after all it depends on; made if need be.

    An upgrade that changes none of that leaves it as it is. Raises ImportError without numba, and
    OSError where nobody can write, or others can.
    """
    import platformdirs  # noqa: PLC0415 - an extra

    key = [platform.python_version().encode(), platform.machine().encode()]
    key += [path.read_bytes() for path in (*map(_version_of, ("numba", "llvmlite")), *_SOURCES)]
    with suppress(OSError):
        key += sorted(
            {line for line in _CPU.read_bytes().splitlines() if line.startswith(_ABILITIES)}
        )
    name = sha256(b"\n".join(key)).hexdigest()[:16]
    folder = platformdirs.user_cache_path("sudoku-pipeline") / f"lanes-{name}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022 or not os.access(folder, os.W_OK):
        raise PermissionError(EACCES, "is not writable for its owner alone", str(folder))
    return folder


def _version_of(package: str) -> Path:
    """The file that has its version; nothing is imported. Raises ImportError."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed")
    return Path(spec.origin).with_name("_version.py")


def lacking() -> str | None:
    """Why there is no compiled search here, and will be none soon; None if there is or will be."""
    try:
        tried = code_folder() / _TRIED
    except ImportError:
        return "it is not installed; the extra [fast] has it"
    except OSError as error:
        return f"its code has no place: {in_words(error)}; set XDG_CACHE_HOME"
    try:
        why, age = tried.read_text(), _age(tried)
    except OSError:
        return None
    if not why and age > COMPILING_SECONDS:
        why = "the compiler ended without a word"
    return f"it cannot be compiled: {why}; see doctor" if why and age < TRIED_SECONDS else None


def compile_into(folder: str) -> None:
    """Compile the search, for all processes that come later; wait for one that does so already.

    The file has a digest before the code, because damaged code might do anything. The code of
    other versions that nobody uses is removed. Raises what numba raises, and RuntimeError for code
    that finds nothing.
    """
    path, tried = Path(folder) / _CODE, Path(folder) / _TRIED
    with open(Path(folder) / "lock", "wb") as lock:  # noqa: PTH123
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            from pipeline.solvers.lanes.building import object_code  # noqa: PLC0415 - an extra

            tried.write_text("")
            try:
                code, fresh = object_code(_NAME), path.with_suffix(".tmp")
                _try(code)
            except Exception as error:
                tried.write_text(f"{type(error).__name__}: {error}")
                raise
            with fresh.open("wb") as file:
                file.write(sha256(code).digest() + code)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
            tried.unlink()
            _remove_unused(beside=path.parent)


def _try(code: bytes) -> None:
    """Search with it once, in this process, which wrong code may kill. Raises RuntimeError."""
    blank = np.full((1, NINE.side**2), NINE.all_values, np.uint16)
    if CompiledSearch(_linked(code))(blank, 2, NEVER).counts.tolist() != [2]:
        raise RuntimeError("what was compiled finds no solutions")


def _remove_unused(beside: Path) -> None:
    for other in beside.parent.glob("lanes-*"):
        if other != beside and not other.is_symlink() and _age(other) > UNUSED_SECONDS:
            shutil.rmtree(other, ignore_errors=True)


def _age(path: Path) -> float:
    """The seconds since it was changed; infinite if it is not there."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return inf


def load_from(folder: Path) -> CompiledSearch:
    """Link the search; a damaged file is removed.

    Raises OSError, ImportError without llvmlite, and ValueError for a damaged file.
    """
    data = (folder / _CODE).read_bytes()
    code = data[_DIGEST:]
    if sha256(code).digest() != data[:_DIGEST]:
        (folder / _CODE).unlink(missing_ok=True)
        raise ValueError(f"{folder / _CODE} is damaged")
    return CompiledSearch(_linked(code))


def _linked(code: bytes) -> Callable[..., bool]:
    """The function in an object file; it runs without the interpreter's lock."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an extra

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    kind = ctypes.CFUNCTYPE(
        ctypes.c_bool,
        *[pointer] * (len(Lanes._fields) + 1),
        *(number, number, pointer, pointer, pointer, number, number),
    )
    step: Callable[..., bool] = kind(engine.get_function_address(_NAME))
    _engines.append(engine)  # the code lives as long as this
    return step


_engines: list[object] = []
