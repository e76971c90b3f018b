"""Compile Python functions to machine code in the background, cache it, and run it.

A program is a function and all functions that it calls. Each of them is marked `compiled`, and also
runs as plain Python without numba. `Program` names the function and a trial, which calls the
function once: the call shows the types of the arguments, and its result tests the code. Machine
code takes the same arguments as the function: arrays, named tuples of arrays, and integers.

numba takes a few seconds to compile a program to an object file (see `compiling.py`), and about a
minute for the program of logical steps. Linking that file takes some hundredths of a second, and
does not need numba. If the file exists, it is loaded for a large batch, or after LOAD_AFTER_SECONDS
of work in plain Python. If the file is missing, another process compiles the program after
COMPILE_AFTER_SECONDS of such work. Plain Python runs meanwhile.
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
from errno import EACCES, ENOENT
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pipeline.errors import in_words

__all__ = ["Program", "ProgramLoader", "compiled"]

LOAD_AFTER_SECONDS = 0.05
COMPILE_AFTER_SECONDS = 2.0
"""Seconds of work in plain Python, in one process, after which a program is loaded, and after which
it is compiled."""

MAX_COMPILE_SECONDS = 300
"""Limit on the processor time of a process that compiles a program."""

BEING_COMPILED_REASON = (
    "it is being compiled; until it is ready, SAT solvers and plain Python are used instead"
)
"""The reason why a program is unavailable while another process compiles it."""

RETRY_SECONDS = 3600.0
"""Seconds until a failed compilation is tried again."""

UNUSED_SECONDS = 30 * 24 * 3600.0
"""Seconds without use after which the code of another version is removed."""

_CODE_FILE = "code.o"
"""Name of the file that contains a digest and then the machine code."""

_ATTEMPT_FILE = "tried"
"""Name of a file that exists during an attempt to compile, and after a failed attempt. It contains
the error, if that is known."""

_LOCK_FILE = "lock"
"""Name of the file that a compiling process locks while it works on its folder."""

_DIGEST_BYTES = 32
"""Length of the digest at the start of _CODE_FILE."""

_CPU_INFO = Path("/proc/cpuinfo")
_CPU_FIELDS = (b"flags", b"Features", b"CPU part")
"""Starts of the lines of /proc/cpuinfo that list the features of a processor. Intel and AMD have
`flags`, and ARM has `Features` and `CPU part`."""

F = TypeVar("F", bound=Callable[..., Any])
"""The type of a function that `compiled` marks and returns unchanged."""


def compiled(*, inline: bool = False) -> Callable[[F], F]:
    """Mark a function as part of a program. If `inline`, it is inlined into its callers.

    numba must support all code of the function. The function must not raise exceptions or create
    arrays.
    """

    def mark(function: F) -> F:
        vars(function)["compile_with"] = {"forceinline": inline}
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Program:
    """A function to compile, and its trial.

    - `name`: one word, for the folder of the machine code and for messages.
    - `function`: a function in the first of `modules`, which contain all functions of the program.
    - `trial`: the dotted name of a function that takes the compiled function, calls it, and raises
      an exception if the result is wrong.
    """

    name: str
    function: str
    modules: tuple[str, ...]
    trial: str

    def create_folder(self) -> Path:
        """Return the folder for the machine code; create it if it is missing.

        The name of the folder contains a hash of everything that the code depends on, so the
        program is compiled again only if one of these things changes. Raises ImportError if numba
        is not installed, and OSError if there is no home folder, or if the folder is not writable,
        or is writable by others.
        """
        versions = map(_version_file, ("numba", "llvmlite"))
        own_sources = sorted(Path(__file__).parent.glob("*.py"))
        sources = [Path(str(module.__file__)) for module in self._modules()]
        key = [platform.python_version().encode(), platform.machine().encode()]
        key += [path.read_bytes() for path in (*versions, *own_sources, *sources)]
        with suppress(OSError):
            lines = _CPU_INFO.read_bytes().splitlines()
            key += sorted({line for line in lines if line.startswith(_CPU_FIELDS)})
        digest = sha256(b"\n".join(key)).hexdigest()[:16]
        folder = _cache_folder() / f"{self.name}-{digest}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        is_shared = status.st_uid != os.geteuid() or status.st_mode & 0o022
        if is_shared or not os.access(folder, os.W_OK):
            raise PermissionError(
                EACCES, "must belong to you and be writable only by you", str(folder)
            )
        return folder

    def unavailable_reason(self) -> str | None:
        """Return the reason why there is no machine code now, or None."""
        try:
            folder = self.create_folder()
        except ImportError:
            return "numba is not installed; install the extra [fast]"
        except OSError as error:
            return f"its compiled code cannot be stored: {in_words(error)}; set XDG_CACHE_HOME"
        if (folder / _CODE_FILE).exists():
            return None
        if _is_compiling_into(folder):
            return BEING_COMPILED_REASON
        attempt = folder / _ATTEMPT_FILE
        try:
            reason, age = attempt.read_text(), _seconds_since_change(attempt)
        except OSError:
            reason, age = "", inf
        if not reason and MAX_COMPILE_SECONDS < age < inf:
            reason = "the compiler exited without output"
        if reason and age < RETRY_SECONDS:
            return f"it cannot be compiled: {reason}; run `sudoku-pipeline doctor`"
        return "it is not compiled yet; `sudoku-pipeline doctor` compiles it now"

    def compile_into(self, folder: Path) -> None:
        """Compile the program to a file. If another process compiles it, wait for that process.

        The file starts with a digest of the code, because damaged code could do anything. Unused
        code of other versions is removed. Raises any exception of numba or of the trial.
        """
        path, attempt = folder / _CODE_FILE, folder / _ATTEMPT_FILE
        with (folder / _LOCK_FILE).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                attempt.write_text("")
                try:
                    content, temporary = self._compile(), path.with_suffix(".tmp")
                    self._run_trial(self._link(content))  # wrong code may kill this process
                except Exception as error:
                    attempt.write_text(f"{type(error).__name__}: {error}")
                    raise
                with temporary.open("wb") as file:
                    file.write(sha256(content).digest() + content)
                    file.flush()
                    os.fsync(file.fileno())
                temporary.replace(path)
                attempt.unlink()
                self._remove_unused(current=folder)

    def _remove_unused(self, current: Path) -> None:
        """Remove the folders of other versions that were not used for UNUSED_SECONDS."""
        for folder in current.parent.glob(f"{self.name}-*"):
            if (
                folder != current
                and not folder.is_symlink()
                and _seconds_since_change(folder) > UNUSED_SECONDS
            ):
                shutil.rmtree(folder, ignore_errors=True)

    def start_compiling(self) -> None:
        """Compile in another process, unless an attempt was made in the last RETRY_SECONDS.

        Raises the exceptions of `create_folder`.
        """
        folder = self.create_folder()
        if _seconds_since_change(folder / _ATTEMPT_FILE) >= RETRY_SECONDS:
            imports = "from pathlib import PosixPath; from pipeline.native import Program"
            start_detached(f"{imports}; {self!r}.compile_into({folder!r})", MAX_COMPILE_SECONDS)

    def load_from(self, folder: Path) -> Callable[..., int]:
        """Load the machine code in `folder`, and return the function.

        Raises OSError, and ImportError if llvmlite is not installed. If the file is damaged,
        removes it and raises ValueError.
        """
        data = (folder / _CODE_FILE).read_bytes()
        content = data[_DIGEST_BYTES:]
        if sha256(content).digest() != data[:_DIGEST_BYTES]:
            (folder / _CODE_FILE).unlink(missing_ok=True)
            raise ValueError(f"{folder / _CODE_FILE} is damaged")
        return self._link(content)

    def _modules(self) -> list[ModuleType]:
        return [import_module(name) for name in self.modules]

    def _run_trial(self, function: Callable[..., int]) -> None:
        module, _, name = self.trial.rpartition(".")
        getattr(import_module(module), name)(function)

    def _compile(self) -> bytes:
        """Return a line with the types of the arguments, followed by the object code."""
        from pipeline.native.compiling import compile_object  # noqa: PLC0415 - loads numba

        try:
            self._run_trial(_capture)
        except _CapturedCall as call:
            kinds, _ = flatten(call.arguments)
            code = compile_object(self.function, self._modules(), call.arguments, self.name)
            return kinds.encode() + b"\n" + code
        raise RuntimeError(f"{self.trial} did not call the function that it was given")

    def _link(self, content: bytes) -> Callable[..., int]:
        """Return the function in `content`, which `_compile` has returned.

        The function runs without the GIL. It raises ValueError for arguments of other types and for
        arrays that are not contiguous.
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
        _engines.append(engine)

        def call(*arguments: Any) -> int:
            kinds, numbers = flatten(arguments)
            if kinds != expected:
                raise ValueError(f"{self.name} takes {expected}, not {kinds}")
            result: int = function((ctypes.c_int64 * len(numbers))(*numbers))
            return result

        return call


_engines: list[object] = []
"""The engines of linked code. Engines are kept, because code is freed together with its engine."""


class _CapturedCall(Exception):
    """Raised by `_capture`, with the arguments of the call."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.arguments = arguments


def _capture(*arguments: Any) -> int:
    raise _CapturedCall(arguments)


def flatten(arguments: Sequence[Any]) -> tuple[str, list[int]]:
    """Return the types of arguments, and the numbers that machine code takes instead of them.

    An array is passed as its address and its shape, also inside a named tuple. Raises ValueError
    for an array that is not contiguous.
    """
    kinds = ""
    numbers: list[int] = []
    for argument in arguments:
        if isinstance(argument, tuple):
            inner_kinds, inner_numbers = flatten(argument)
            kinds, numbers = f"{kinds}({inner_kinds})", numbers + inner_numbers
        elif isinstance(argument, int):
            kinds += "i"
            numbers.append(int(argument))
        elif argument.flags.c_contiguous:
            kinds += _kind(argument.dtype, argument.ndim)
            numbers += _address(argument), *argument.shape
        else:
            raise ValueError(f"an array of shape {argument.shape} is not contiguous")
    return kinds, numbers


@cache
def _kind(dtype: Any, dimensions: int) -> str:
    """The type of an array; cached, because numpy is slow to name its types."""
    return f"{dtype.str}{dimensions}"


def _address(array: Any) -> int:
    """Return the address of an array's data. `array.ctypes.data` takes five times as long."""
    try:
        return ctypes.addressof(ctypes.c_byte.from_buffer(array))
    except (TypeError, ValueError):  # read-only, or empty
        address: int = array.ctypes.data
        return address


class ProgramLoader:
    """Loads a program into this process, or starts compiling it, after enough work."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seconds = 0.0
        self._function: Callable[..., int] | None = None
        self._folder: Path | None = None
        self._is_requested = False
        self._is_unavailable = False

    @property
    def is_available(self) -> bool:
        """Whether the program is loaded, or can be loaded now."""
        if self._function is None:
            return not self._is_unavailable and self._program.unavailable_reason() is None
        return True

    def get(self, seconds: float = 0.0, *, at_once: bool = False) -> Callable[..., int] | None:
        """Return the function if it can be loaded and saves time, else None.

        `seconds`: the time that plain Python would take for the work at hand. `at_once`: load the
        function even after little work.
        """
        self._seconds += seconds
        saves_time = at_once or self._seconds >= LOAD_AFTER_SECONDS
        if self._function is None and saves_time and not self._is_unavailable:
            try:
                self._load()
            except Exception:  # noqa: BLE001 - plain Python does the work; `doctor` reports the error
                self._is_unavailable = True
        return self._function

    def add_seconds(self, seconds: float) -> None:
        """Record seconds of work in plain Python."""
        self._seconds += seconds

    def _load(self) -> None:
        """Load the function if its code exists; if not, start to compile it after enough work."""
        # its name is a hash of dozens of files, too many to read for each piece of plain work
        folder = self._folder = self._folder or self._program.create_folder()
        if (folder / _CODE_FILE).exists():
            self._function = self._program.load_from(folder)
            os.utime(folder)  # a folder that is not touched is removed as unused
        elif self._seconds >= COMPILE_AFTER_SECONDS and not self._is_requested:
            self._is_requested = True
            self._program.start_compiling()


def start_detached(code: str, processor_seconds: int) -> None:
    """Run Python code in a separate process that may outlive this one.

    The process may take `processor_seconds` of processor time, and has the same priority as this
    process. With a lower priority, a compiler would wait for the workers, although its code makes
    them hundreds of times faster. Raises OSError if the process cannot be started.
    """
    path = f"import resource, sys; sys.path[:] = {sys.path!r}"
    limit = f"resource.setrlimit(resource.RLIMIT_CPU, ({processor_seconds},) * 2)"
    argv = [sys.executable, "-c", f"{path}; {limit}; {code}"]
    file_actions = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(sys.executable, argv, os.environ, file_actions=file_actions, setpgroup=0)


def _cache_folder() -> Path:
    """Return the user's folder for machine code. Raises OSError if there is no home folder."""
    stated = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if stated.is_absolute():  # the XDG base directory specification ignores others
        return stated / "sudoku-pipeline"
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    try:
        return Path.home() / caches / "sudoku-pipeline"
    except RuntimeError as error:
        raise FileNotFoundError(ENOENT, "no home folder; set XDG_CACHE_HOME", "~") from error


def _version_file(package: str) -> Path:
    """Return the path of the file that contains the version of a package.

    The package is not imported. Raises ImportError if the package is not installed.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed")
    return Path(spec.origin).with_name("_version.py")


def _is_compiling_into(folder: Path) -> bool:
    """Whether a process is compiling into this folder."""
    try:
        with (folder / _LOCK_FILE).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


def _seconds_since_change(path: Path) -> float:
    """Return the seconds since a file or folder was changed; infinite if it does not exist."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return inf
