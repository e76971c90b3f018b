"""Programs compiled by numba to machine code, where that is kept, and when it is worth having.

numba takes some ten seconds to compile a search; to link the object file that `building.py` makes
of it takes some hundredths of one, and no numba. A program has a slower form that finds the same.
If the object file is there, it is loaded at once where there is much to do, or once the slow form
has worked LOAD_AFTER seconds. If not, another process compiles it once the slow form has worked
COMPILE_AFTER seconds; until then that goes on.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from errno import EACCES
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

from pipeline.errors import in_words

__all__ = ["Loaded", "Program"]

LOAD_AFTER = 0.05
COMPILE_AFTER = 2.0
"""Seconds of work in the slow form, in one process, after which that is worth its price."""

COMPILING_SECONDS = 300
"""Of processor time, for a compiler that does not end."""

TRIED_SECONDS = 3600.0
"""A compiler that failed is not started again for so long."""

UNUSED_SECONDS = 30 * 24 * 3600.0
"""The code of another version is removed when nobody has used it for so long."""

_CODE = "code.o"
_TRIED = "tried"
_DIGEST = 32
_CPU = Path("/proc/cpuinfo")
_ABILITIES = (b"flags", b"Features", b"CPU part")
"""How lines begin that say what a processor can do: of Intel and AMD, and of ARM."""

_KINDS = {"P": ctypes.c_void_p, "q": ctypes.c_int64, "?": ctypes.c_bool}


@dataclass(frozen=True, slots=True)
class Program:
    """One function to be compiled, and how to make and try it.

    name: one word, for its folders, for messages, and for the function in the object file.
    sources: the files its code is made of. compiler: the dotted name of a function that takes the
    name and returns the object file, as `building.object_code` makes it. trial: that of a function
    that runs freshly linked code once, and raises if it is wrong. Both are imported only to
    compile. arguments, result: a letter for each, as in `struct`: P a pointer, q a number of 64
    bits, ? a truth value.
    """

    name: str
    sources: tuple[Path, ...]
    compiler: str
    trial: str
    arguments: str
    result: str = "?"

    def folder(self) -> Path:
        """The folder for the machine code, named after all it depends on; made if need be.

        An upgrade that changes none of that leaves it as it is. Raises ImportError without numba,
        and OSError where nobody can write, or others can.
        """
        import platformdirs  # noqa: PLC0415 - an extra

        versions = map(_version_of, ("numba", "llvmlite"))
        read = (*versions, Path(__file__).with_name("building.py"), *self.sources)
        key = [platform.python_version().encode(), platform.machine().encode()]
        key += [path.read_bytes() for path in read]
        with suppress(OSError):
            key += sorted(
                {line for line in _CPU.read_bytes().splitlines() if line.startswith(_ABILITIES)}
            )
        digest = sha256(b"\n".join(key)).hexdigest()[:16]
        folder = platformdirs.user_cache_path("sudoku-pipeline") / f"{self.name}-{digest}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        is_shared = status.st_uid != os.geteuid() or status.st_mode & 0o022
        if is_shared or not os.access(folder, os.W_OK):
            raise PermissionError(EACCES, "is not writable for its owner alone", str(folder))
        return folder

    def lacking(self) -> str | None:
        """Why no machine code is here, and none will be soon; None if it is or will be."""
        try:
            tried = self.folder() / _TRIED
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

    def compile_into(self, folder: Path) -> None:
        """Compile it, for all processes that come later; wait for one that does so already.

        The file has a digest before the code, because damaged code might do anything. The code of
        other versions that nobody uses is removed. Raises what numba and the trial raise.
        """
        path, tried = folder / _CODE, folder / _TRIED
        with (folder / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                compiler = _named(self.compiler)
                tried.write_text("")
                try:
                    code, fresh = compiler(self.name), path.with_suffix(".tmp")
                    _named(self.trial)(self._linked(code))  # here: wrong code may kill the process
                except Exception as error:
                    tried.write_text(f"{type(error).__name__}: {error}")
                    raise
                with fresh.open("wb") as file:
                    file.write(sha256(code).digest() + code)
                    file.flush()
                    os.fsync(file.fileno())
                fresh.replace(path)
                tried.unlink()
                self._remove_unused(beside=folder)

    def _remove_unused(self, beside: Path) -> None:
        for other in beside.parent.glob(f"{self.name}-*"):
            if other != beside and not other.is_symlink() and _age(other) > UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)

    def compile_elsewhere(self) -> None:
        """Have another process compile it, unless one tried lately. Raises as `folder` does."""
        folder = self.folder()
        if _age(folder / _TRIED) >= TRIED_SECONDS:
            names = "from pathlib import PosixPath; from pipeline.native import Program"
            start_detached(f"{names}; {self!r}.compile_into({folder!r})", COMPILING_SECONDS)

    def load_from(self, folder: Path) -> Callable[..., Any]:
        """Link the function; a damaged file is removed.

        Raises OSError, ImportError without llvmlite, and ValueError for a damaged file.
        """
        data = (folder / _CODE).read_bytes()
        code = data[_DIGEST:]
        if sha256(code).digest() != data[:_DIGEST]:
            (folder / _CODE).unlink(missing_ok=True)
            raise ValueError(f"{folder / _CODE} is damaged")
        return self._linked(code)

    def _linked(self, code: bytes) -> Callable[..., Any]:
        """The function in an object file; it runs without the interpreter's lock."""
        import llvmlite.binding as llvm  # noqa: PLC0415 - an extra

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        kind = ctypes.CFUNCTYPE(*(_KINDS[letter] for letter in self.result + self.arguments))
        function: Callable[..., Any] = kind(engine.get_function_address(self.name))
        _engines.append(engine)  # the code lives as long as this
        return function


_engines: list[object] = []


class Loaded:
    """A program in this process: its function, if there, and how long its slow form has worked."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seconds = 0.0
        self._function: Callable[..., Any] | None = None
        self._is_requested = False
        self._is_missing = False

    def get(self, *, at_once: bool) -> Callable[..., Any] | None:
        """The linked function, if it is there, or worth loading now; `at_once` says that it is."""
        is_worth_it = at_once or self._seconds >= LOAD_AFTER
        if self._function is None and is_worth_it and not self._is_missing:
            try:
                self._load()
            except Exception:  # noqa: BLE001 - whatever is wrong, the slow form goes on; see `doctor`
                self._is_missing = True
        return self._function

    def count(self, seconds: float) -> None:
        """Count the seconds that the slow form took for what the function would have done."""
        self._seconds += seconds

    def _load(self) -> None:
        folder = self._program.folder()
        if (folder / _CODE).exists():
            self._function = self._program.load_from(folder)
            os.utime(folder)  # it is in use
        elif self._seconds >= COMPILE_AFTER and not self._is_requested:
            self._is_requested = True
            self._program.compile_elsewhere()


def start_detached(code: str, processor_seconds: int) -> None:
    """Run Python code in a process of its own that may outlive this one, at the lowest priority.

    Raises OSError if it cannot be started.
    """
    path = f"import os, resource, sys; sys.path[:] = {sys.path!r}; os.nice(19)"
    limit = f"resource.setrlimit(resource.RLIMIT_CPU, ({processor_seconds},) * 2)"
    argv = [sys.executable, "-c", f"{path}; {limit}; {code}"]
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(sys.executable, argv, os.environ, file_actions=nothing, setpgroup=0)


def _version_of(package: str) -> Path:
    """The file that has its version; nothing is imported. Raises ImportError."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed")
    return Path(spec.origin).with_name("_version.py")


def _named(dotted: str) -> Callable[..., Any]:
    module, _, name = dotted.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def _age(path: Path) -> float:
    """The seconds since it was changed; infinite if it is not there."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return inf
