"""When compiled code is worth having, where it is kept, and what is in its way."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from support.drop_folders import wait_for
from support.needs import needs_numba
from support.tiny import TINY, VECTORS, combined, sum_by, summed

from pipeline import native
from pipeline.native import ProgramLoader, start_detached

LONG = 100.0


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder for the machine code."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(cache):
    """The empty folder for the machine code of this version."""
    return TINY.create_folder()


@pytest.fixture(scope="module")
def ready():
    """The folder with the machine code in it."""
    folder = TINY.create_folder()
    TINY.compile_into(folder)
    return folder


@pytest.fixture
def started(monkeypatch):
    """The code of processes that would have been started."""
    codes: list[str] = []
    monkeypatch.setattr(native, "start_detached", lambda code, _seconds: codes.append(code))
    return codes


def working(seconds: float) -> ProgramLoader:
    """What has no function yet, and in whose place the slow way has worked so long."""
    loaded = ProgramLoader(TINY)
    loaded.add_seconds(seconds)
    return loaded


def with_compiler(monkeypatch, compiler):
    monkeypatch.setattr(native.Program, "_compile", lambda _program: compiler("tiny"))
    monkeypatch.setattr(native.Program, "_link", lambda _program, _code: lambda *_: 42)


@needs_numba
@pytest.mark.usefixtures("ready")
def test_it_takes_over_once_the_slow_way_has_worked_for_a_while():
    mine = ProgramLoader(TINY)
    assert mine.get(at_once=False) is None
    mine.add_seconds(native.LOAD_AFTER_SECONDS / 2)
    assert mine.get(at_once=False) is None
    mine.add_seconds(native.LOAD_AFTER_SECONDS / 2)
    function = mine.get(at_once=False)
    assert sum_by(function, 1, 2, 3) == sum_by(summed, 1, 2, 3) == 6
    assert type(function) is type(sum_by) is type(summed), "compiling has left it as it was"
    assert mine.get(at_once=True) is function
    assert sum_by(ProgramLoader(TINY).get(at_once=True), 1, 2, 3) == 6


@needs_numba
def test_it_is_compiled_elsewhere_once_and_the_slow_way_goes_on(folder, started):
    mine = working(native.LOAD_AFTER_SECONDS)
    assert mine.get(at_once=True) is None
    assert not started
    mine.add_seconds(native.COMPILE_AFTER_SECONDS)
    assert mine.get(at_once=False) is mine.get(at_once=True) is None
    assert len(started) == 1
    assert list(folder.iterdir()) == []


@needs_numba
def test_the_process_that_is_started_compiles_it(folder, started):
    TINY.start_compiling()
    (code,) = started
    exec(code)
    assert {path.name for path in folder.iterdir()} == {"code.o", "lock"}
    assert sum_by(TINY.load_from(folder), 1, 2, 3) == 6


@pytest.mark.usefixtures("cache")
def test_without_numba_the_slow_way_goes_on(started, monkeypatch):
    monkeypatch.setattr(native, "find_spec", lambda _name: None)
    assert "[fast]" in TINY.unavailable_reason()
    assert working(LONG).get(at_once=True) is None
    assert not started


@needs_numba
def test_code_that_others_may_have_written_is_not_loaded(folder, started):
    folder.chmod(0o777)
    with pytest.raises(PermissionError):
        TINY.create_folder()
    assert working(LONG).get(at_once=True) is None
    assert not started


@needs_numba
def test_where_nothing_can_be_written_the_slow_way_goes_on(cache, started):
    cache.write_text("a file, not a folder")
    assert "cannot be stored" in TINY.unavailable_reason()
    assert working(LONG).get(at_once=True) is None
    assert not started


@needs_numba
@pytest.mark.parametrize("damage", [b"", b"x" * 1000])
def test_damaged_code_is_not_loaded_but_compiled_again(folder, started, damage):
    code = folder / "code.o"
    code.write_bytes(damage)
    assert working(LONG).get(at_once=True) is None
    assert not code.exists()
    assert working(LONG).get(at_once=True) is None
    assert len(started) == 1


@needs_numba
def test_what_is_compiled_is_not_compiled_again(folder):
    (folder / "code.o").write_bytes(b"as if")
    TINY.compile_into(folder)
    assert (folder / "code.o").read_bytes() == b"as if"
    assert {path.name for path in folder.iterdir()} == {"code.o", "lock"}


@needs_numba
@pytest.mark.usefixtures("ready")
def test_what_is_compiled_runs_without_numba():
    code = f"""
import sys
sys.path[:] = {sys.path!r}
from support.tiny import TINY, VECTORS, combined, sum_by, summed
folder = TINY.create_folder()
sys.modules["numba"] = None
print(sum_by(TINY.load_from(folder), 1, 2, 3))
"""
    argv = [sys.executable, "-c", code]
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == "6\n"


def test_a_detached_process_is_in_a_group_of_its_own_at_the_priority_of_its_parent(tmp_path):
    told = tmp_path / "told"
    said = "f'{os.getpgrp() == os.getpid()} {os.nice(0)}'"
    code = f"import os; open({str(told)!r}, 'w').write({said})"
    start_detached(code, 10)
    wait_for(lambda: told.exists() and told.read_text() != "")
    assert told.read_text() == f"True {os.nice(0)}"
    os.waitpid(-1, os.WNOHANG)


@needs_numba
def test_a_compiler_that_failed_is_not_started_again_for_an_hour(folder, started, monkeypatch):
    def failing(_name):
        raise RuntimeError("no such instruction")

    with_compiler(monkeypatch, failing)
    assert "not compiled yet" in TINY.unavailable_reason()
    with pytest.raises(RuntimeError):
        TINY.compile_into(folder)
    assert "RuntimeError: no such instruction" in TINY.unavailable_reason()
    for hours, times in ((0.9, 0), (1.1, 1)):
        then = time.time() - hours * 3600
        os.utime(folder / "tried", (then, then))
        assert working(LONG).get(at_once=True) is None
        assert len(started) == times
        assert ("not compiled yet" in TINY.unavailable_reason()) == (times == 1), (
            "it is tried again"
        )
    with_compiler(monkeypatch, lambda _name: b"code")
    TINY.compile_into(folder)
    assert TINY.unavailable_reason() is None


@needs_numba
def test_a_compiler_at_work_is_told(folder):
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert TINY.unavailable_reason() == native.BEING_COMPILED_REASON
    assert "not compiled yet" in TINY.unavailable_reason()


@needs_numba
def test_a_compiler_that_died_is_told_once_it_cannot_be_at_work_any_more(folder):
    (folder / "tried").touch()
    assert "not compiled yet" in TINY.unavailable_reason()
    then = time.time() - native.MAX_COMPILE_SECONDS - 1
    os.utime(folder / "tried", (then, then))
    assert "without output" in TINY.unavailable_reason()


@needs_numba
def test_code_that_is_loaded_counts_as_used(ready):
    os.utime(ready, (0, 0))
    assert ProgramLoader(TINY).get(at_once=True) is not None
    assert ready.stat().st_mtime > 0


@needs_numba
def test_code_that_cannot_be_loaded_is_not_there(folder):
    (folder / "code.o").write_bytes(b"torn")
    mine = ProgramLoader(TINY)
    assert mine.is_available
    assert mine.get(at_once=True) is None
    assert not mine.is_available


@needs_numba
def test_code_that_fails_its_trial_is_not_kept(folder, monkeypatch):
    with_compiler(monkeypatch, lambda _name: b"code")
    monkeypatch.setattr(native.Program, "_link", lambda _program, _code: lambda *_: 41)
    with pytest.raises(RuntimeError, match="cannot add"):
        TINY.compile_into(folder)
    assert {path.name for path in folder.iterdir()} == {"tried", "lock"}
    assert "cannot add" in TINY.unavailable_reason()


@needs_numba
def test_what_other_versions_left_is_removed_when_nobody_has_used_it_for_long(folder, monkeypatch):
    with_compiler(monkeypatch, lambda _name: b"code")
    for name, days in (("tiny-old", 31), ("tiny-new", 29), ("other-old", 31)):
        kept = folder.with_name(name)
        kept.mkdir()
        (kept / "code.o").touch()
        then = time.time() - days * 24 * 3600
        os.utime(kept, (then, then))
    TINY.compile_into(folder)
    left = {path.name for path in folder.parent.iterdir()}
    assert left == {folder.name, "tiny-new", "other-old"}


@needs_numba
@pytest.mark.usefixtures("cache")
def test_other_modules_and_other_programs_have_other_folders():
    checkpointed = replace(
        TINY, modules=(*TINY.modules, "pipeline.native.vectors", "support.needs")
    )
    other = replace(TINY, name="other")
    folders = [program.create_folder() for program in (TINY, checkpointed, other, TINY)]
    assert len(set(folders)) == 3
    assert folders[0] == folders[3]
    assert all(folder.stat().st_mode & 0o777 == 0o700 for folder in folders)
    assert other.create_folder().name.startswith("other-")


@needs_numba
def test_arguments_of_other_kinds_are_not_given_to_machine_code(ready):
    function, numbers = TINY.load_from(ready), np.arange(6, dtype=np.int64)
    assert function(numbers) == 15
    for wrong in (numbers.astype(np.int32), numbers.reshape(2, 3), (numbers,), 3):
        with pytest.raises(ValueError, match="tiny takes"):
            function(wrong)
    with pytest.raises(ValueError, match="tiny takes"):
        function(numbers, 1)
    with pytest.raises(ValueError, match="not contiguous"):
        function(numbers[::2])


def test_an_array_is_passed_as_its_address_even_if_it_is_empty_or_read_only():
    numbers = np.arange(6, dtype=np.int64)
    read_only = numbers[2:].view()
    read_only.flags.writeable = False
    for array in (numbers, numbers.reshape(2, 3)[1:], numbers[:0], read_only):
        _, passed = native.flatten((array,))
        assert passed == [array.ctypes.data, *array.shape]


@needs_numba
@pytest.mark.parametrize("kind", [np.uint16, np.uint64])
def test_vectors_are_in_registers_what_they_are_in_numpy(kind):
    program = VECTORS[kind]
    folder = program.create_folder()
    program.compile_into(folder)
    generator, width = np.random.default_rng(3), 64 // kind(0).itemsize
    given = generator.integers(0, 2**16, (4, width)).astype(kind)
    given[2, ::3] = 0
    ours, theirs = np.zeros((12, width), kind), np.zeros((12, width), kind)
    combined(given, ours)
    program.load_from(folder)(given, theirs)
    assert ours.tolist() == theirs.tolist()
