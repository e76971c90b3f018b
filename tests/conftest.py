"""Fixtures of several test modules."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.util import get_temp_dir
from pathlib import Path

import pytest
from support.breakers import Bench
from support.commands import FILES
from support.drop_folders import DropFolder
from support.forks import ForkedEngine, forked
from support.puzzles import PATIENCE
from support.solvers import put_away

from pipeline.solving.solvers.child import Peer

BUILD = Path(__file__).parents[1] / "build"
MEMORY, MIN_MEMORY = Path("/dev/shm"), 2 * 2**30
"""Where Linux has files in memory, and the bytes that must be free there."""


def pytest_configure():
    """Take signals as a program in the foreground does: what is ignored is inherited ignored.

    Bytecode is kept whatever the environment says: hundreds of processes load the package.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # what numba compiles is kept for the next time, but not among the user's files
    os.environ["XDG_CACHE_HOME"] = str(BUILD / "cache")
    if not os.environ.keys() & {"TMPDIR", "CI"} and _has_room():
        os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None


def _has_room():
    """Whether tests may have their files in memory: to create one takes far less than on a disk.

    CI has them on a disk, in all but one of its runs. Some of them are programs to run.
    """
    try:
        status = os.statvfs(MEMORY)
    except OSError:
        return False
    is_usable = os.access(MEMORY, os.W_OK) and not status.f_flag & os.ST_NOEXEC
    return is_usable and status.f_bavail * status.f_frsize >= MIN_MEMORY


def pytest_collection_finish():
    """Have no search for garbage look at what was collected: it stays to the end."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _solvers_put_away():
    yield
    put_away()


@pytest.fixture(scope="session", autouse=True)
def _forked_engines():
    """PySAT's processes are forked, which spare_claims a tenth of a second for each."""
    get_temp_dir()  # the socket of what forks is there, wherever tests have their temporary files
    forked(os.getpid).join()  # its start takes longer than an explanation may in the first test
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.solving.solvers.pysat.Peer", ForkedEngine)
        yield
    for process in multiprocessing.active_children():
        process.kill()


@pytest.fixture
def started_engines(monkeypatch):
    """PySAT's processes are started, as for users."""
    monkeypatch.setattr("pipeline.solving.solvers.pysat.Peer", Peer)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Let one worker write the bytecode of the tests while each of the others compiles a program.

    In a new clone, workers that collect at the same time would all rewrite the same assertions.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.option.collectonly:
        return (yield)
    gc.disable()  # until all is collected: hardly any of it is garbage
    number = int(worker["workerid"].removeprefix("gw"))
    if number and (programs := _programs()):
        _compile(programs[(number - 1) % len(programs)])
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "collecting").open("wb") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            flock(lock, LOCK_SH)  # the bytecode is there: the others collect at the same time
            flock(lock, LOCK_UN)
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def _machine_code():
    """Compile what a clone has not compiled yet.

    Without this, what a test measures or waits for would depend on who has compiled by then.
    """
    for program in _programs():
        _compile(program)


def _programs():
    """Return the programs that tests run as machine code; the first takes longest to compile."""
    if find_spec("numba") is None:
        return []
    from pipeline import steps
    from pipeline.catalogue import minlex, singles
    from pipeline.certify import many, proof, variants
    from pipeline.solving import cdcl
    from pipeline.solving import compiled as lanes

    # it takes longer than all others together: its own test compiles it
    (steps.PROGRAM.create_folder() / "tried").write_text("tests take steps in plain Python")
    return [each.PROGRAM for each in (variants, lanes, many, cdcl, proof, singles, minlex)]


def _compile(program):
    program.compile_into(program.create_folder())


@pytest.fixture
def puzzle_folder(tmp_path, monkeypatch):
    """The FILES as working directory, and no option set but the solver that is there."""
    for name in [name for name in os.environ if name.startswith("SUDOKU_PIPELINE_")]:
        monkeypatch.delenv(name)
    solver = "minisat" if shutil.which("minisat") else "pysat"
    monkeypatch.setenv("SUDOKU_PIPELINE_SOLVER", solver)
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def box(tmp_path):
    """An inbox and an outbox."""
    return DropFolder.within(tmp_path)


@pytest.fixture
def deeply(tmp_path):
    """A folder for ones so deep that Python cannot delete them."""
    folder = tmp_path / "deeply"
    folder.mkdir()
    yield folder
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture
def bench(box):
    """Runs on the box that break."""
    return Bench(box, box.inbox.parent / "log")


@pytest.fixture(scope="module")
def unhurried():
    """As much time as it takes to explain why there is no solution."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.solving.one.EXPLAIN_SECONDS", PATIENCE)
        yield


def _compiled(module):
    """The machine code of a module's program; one process compiles it, the others wait."""

    @pytest.fixture(scope="session")
    def linked():
        program = import_module(module).PROGRAM
        folder = program.create_folder()
        program.compile_into(folder)
        return program.load_from(folder)

    return linked


many_at_once = _compiled("pipeline.solving.compiled")
checking = _compiled("pipeline.certify.many")
trimmer = _compiled("pipeline.certify.proof")
ruling = _compiled("pipeline.certify.variants")
forming = _compiled("pipeline.catalogue.minlex")
singling = _compiled("pipeline.catalogue.singles")
learning = _compiled("pipeline.solving.cdcl")


@pytest.fixture(scope="session")
def lanes(many_at_once):
    """The batch solver as machine code."""
    from pipeline.solving.compiled import BatchSolver

    return BatchSolver(many_at_once)


@pytest.fixture
def searching(checking, monkeypatch):
    """Have `search_all_of_batch` use the machine code."""
    monkeypatch.setattr("pipeline.certify.many.loader.get", lambda *_, **__: checking)
