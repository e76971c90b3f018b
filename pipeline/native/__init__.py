"""Python functions as machine code: where it is kept, and when it is worth having.

A program is one function, and all that it calls; these are marked `compiled`, know nothing of
numba, and run as plain Python too. `Program` says which function it is, and names a trial, which
calls it once: that shows what arguments it takes, and whether the code is right. The machine code
is called with the same arguments as the function: arrays, named tuples of arrays, whole numbers.

numba takes some ten seconds to compile a program; to link the object file that `compiling.py` makes
of it takes some hundredths of one, and no numba. If the file is there, it is loaded where there is
much to do, or once the slow way has worked for LOAD_AFTER seconds. If not, another process compiles
it once the slow way has worked for COMPILE_AFTER seconds; until then that goes on.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from errno import EACCES
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pipeline.errors import in_words

__all__ = ["Loaded", "Program", "compiled"]

LOAD_AFTER = 0.05
COMPILE_AFTER = 2.0
"""Seconds of work done the slow way, in one process, after which that is worth its price."""

COMPILING_SECONDS = 300
"""Processor time after which a compiler that does not end is stopped."""

BEING_COMPILED = "it is being compiled; until it is there, SAT and plain Python do its work"

TRIED_SECONDS = 3600.0
"""A compiler that failed is started again after so long."""

UNUSED_SECONDS = 30 * 24 * 3600.0
"""The code of another version is removed when nobody has used it for so long."""

_CODE = "code.o"
_TRIED = "tried"
_LOCK = "lock"
_DIGEST = 32
_CPU = Path("/proc/cpuinfo")
_ABILITIES = (b"flags", b"Features", b"CPU part")
"""How lines begin that say what a processor can do: Intel and AMD, and ARM."""

F = TypeVar("F", bound=Callable[..., Any])


def compiled(*, inline: bool = False) -> Callable[[F], F]:
    """Mark a function as part of a program; `inline`: within each function that calls it.

    numba has to understand it. It must not raise, nor make arrays.
    """

    def mark(function: F) -> F:
        vars(function)["compile_with"] = {"forceinline": inline}
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Program:
    """A function to be compiled, and how to try it.

    name: one word, for its folder and for messages. function: a function in the first of `modules`,
    which hold all functions of the program. trial: the dotted name of a function that calls a given
    program, and raises if the program does something wrong.
    """

    name: str
    function: str
    modules: tuple[str, ...]
    trial: str

    def folder(self) -> Path:
        """The folder for the machine code, named after all it depends on; made if need be.

        An upgrade that changes none of that leaves it as it is. Raises ImportError without numba,
        and OSError where nobody can write, or others can.
        """
        import platformdirs  # noqa: PLC0415 - an extra

        versions = map(_version_of, ("numba", "llvmlite"))
        ours = sorted(Path(__file__).parent.glob("*.py"))
        sources = [Path(str(module.__file__)) for module in self._modules()]
        key = [platform.python_version().encode(), platform.machine().encode()]
        key += [path.read_bytes() for path in (*versions, *ours, *sources)]
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
        """Why there is no machine code now; None if there is."""
        try:
            folder = self.folder()
        except ImportError:
            return "numba is not installed; the extra [fast] has it"
        except OSError as error:
            return f"its code has no place: {in_words(error)}; set XDG_CACHE_HOME"
        if (folder / _CODE).exists():
            return None
        if _is_locked(folder):
            return BEING_COMPILED
        tried = folder / _TRIED
        try:
            why, age = tried.read_text(), _age(tried)
        except OSError:
            why, age = "", inf
        if not why and COMPILING_SECONDS < age < inf:
            why = "the compiler exited without output"
        if why and age < TRIED_SECONDS:
            return f"it cannot be compiled: {why}; see doctor"
        return "it is not compiled yet; doctor does that at once"

    def compile_into(self, folder: Path) -> None:
        """Compile it, for all processes that come later; wait for one that does so already.

        The file has a digest before the code, because damaged code might do anything. The code of
        other versions that nobody uses is removed. Raises what numba and the trial raise.
        """
        path, tried = folder / _CODE, folder / _TRIED
        with (folder / _LOCK).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                tried.write_text("")
                try:
                    content, fresh = self._compiled(), path.with_suffix(".tmp")
                    self._trial(self._linked(content))  # here: wrong code may kill the process
                except Exception as error:
                    tried.write_text(f"{type(error).__name__}: {error}")
                    raise
                with fresh.open("wb") as file:
                    file.write(sha256(content).digest() + content)
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

    def load_from(self, folder: Path) -> Callable[..., int]:
        """Link the function; a damaged file is removed.

        Raises OSError, ImportError without llvmlite, and ValueError for a damaged file.
        """
        data = (folder / _CODE).read_bytes()
        content = data[_DIGEST:]
        if sha256(content).digest() != data[:_DIGEST]:
            (folder / _CODE).unlink(missing_ok=True)
            raise ValueError(f"{folder / _CODE} is damaged")
        return self._linked(content)

    def _modules(self) -> list[ModuleType]:
        return [import_module(name) for name in self.modules]

    def _trial(self, function: Callable[..., int]) -> None:
        module, _, name = self.trial.rpartition(".")
        getattr(import_module(module), name)(function)

    def _compiled(self) -> bytes:
        """The kinds of its arguments, as a line of text, and its object file."""
        from pipeline.native.compiling import object_code  # noqa: PLC0415 - loads numba

        try:
            self._trial(_show)
        except _Shown as shown:
            kinds, _ = flattened(shown.arguments)
            code = object_code(self.function, self._modules(), shown.arguments, self.name)
            return kinds.encode() + b"\n" + code
        raise RuntimeError(f"{self.trial} does not call what it tries")

    def _linked(self, content: bytes) -> Callable[..., int]:
        """The function in an object file; it runs without the interpreter's lock.

        It raises ValueError for arguments of other kinds, and for arrays that are not contiguous.
        """
        import llvmlite.binding as llvm  # noqa: PLC0415 - an extra

        line, _, code = content.partition(b"\n")
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(ctypes.c_int64))
        function, expected = kind(engine.get_function_address(self.name)), line.decode()
        _engines.append(engine)  # the code lives as long as this

        def call(*arguments: Any) -> int:
            kinds, numbers = flattened(arguments)
            if kinds != expected:
                raise ValueError(f"{self.name} takes {expected}, not {kinds}")
            result: int = function((ctypes.c_int64 * len(numbers))(*numbers))
            return result

        return call


_engines: list[object] = []


class _Shown(Exception):
    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.arguments = arguments


def _show(*arguments: Any) -> int:
    raise _Shown(arguments)


def flattened(arguments: Sequence[Any]) -> tuple[str, list[int]]:
    """The kinds of these arguments, and the numbers that machine code takes for them.

    For each array, also of named tuples, that is its address and its shape. Raises ValueError for
    an array that is not contiguous.
    """
    kinds = ""
    numbers: list[int] = []
    for each in arguments:
        if isinstance(each, tuple):
            inner, theirs = flattened(each)
            kinds, numbers = f"{kinds}({inner})", numbers + theirs
        elif isinstance(each, int):
            kinds += "i"
            numbers.append(int(each))
        elif each.flags.c_contiguous:
            kinds += f"{each.dtype.str}{each.ndim}"
            numbers += each.ctypes.data, *each.shape
        else:
            raise ValueError(f"an array of shape {each.shape} is not contiguous")
    return kinds, numbers


class Loaded:
    """A program in this process: its function, if there, and how long the slow way has worked."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seconds = 0.0
        self._function: Callable[..., int] | None = None
        self._is_requested = False
        self._is_missing = False

    @property
    def is_there(self) -> bool:
        """Whether it is loaded, or could be now."""
        if self._function is None:
            return not self._is_missing and self._program.lacking() is None
        return True

    def get(self, seconds: float = 0.0, *, at_once: bool = False) -> Callable[..., int] | None:
        """The linked function, if it is there and worth loading; `at_once` says that it is.

        `seconds` are those that the slow way takes for what is to be done now.
        """
        self._seconds += seconds
        is_worth_it = at_once or self._seconds >= LOAD_AFTER
        if self._function is None and is_worth_it and not self._is_missing:
            try:
                self._load()
            except Exception:  # noqa: BLE001 - whatever is wrong, the slow way goes on; see `doctor`
                self._is_missing = True
        return self._function

    def count(self, seconds: float) -> None:
        """Count seconds that the slow way took for what the function would have done."""
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
    """Run Python code in a process of its own that may outlive this one.

    Its priority is ours: a compiler at a lower one would wait for workers that would be hundreds of
    times as fast with its code. Raises OSError if it cannot be started.
    """
    path = f"import resource, sys; sys.path[:] = {sys.path!r}"
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


def _is_locked(folder: Path) -> bool:
    """Whether a compiler is at work on what lies there."""
    try:
        with (folder / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


def _age(path: Path) -> float:
    """The seconds since it was changed; infinite if it is not there."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return inf
