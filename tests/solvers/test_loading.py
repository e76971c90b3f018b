"""When the compiled search is worth having, where its code is kept, and what is in its way."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from support.dropping import wait_for
from support.needs import needs_numba
from support.solving import pattern

from pipeline.limits import NEVER
from pipeline.puzzle import Geometry
from pipeline.solvers.child import start_detached
from pipeline.solvers.lanes import loading
from pipeline.solvers.lanes.loading import Compiled, code_folder, compile_into, lacking

NINE, SIX = Geometry(3, 3), Geometry(2, 3)
LONG = 100.0


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder for the machine code."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def started(monkeypatch):
    """The code of processes that would have been started."""
    codes: list[str] = []
    monkeypatch.setattr(loading, "start_detached", lambda code, _seconds: codes.append(code))
    return codes


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_it_takes_over_once_numpy_has_worked_for_a_while():
    mine = Compiled()
    assert mine.search_for(NINE, 100) is None
    mine.count(SIX, LONG)
    assert mine.search_for(NINE, 100) is None
    mine.count(NINE, loading.LOAD_AFTER)
    search = mine.search_for(NINE, 100)
    assert search is not None
    assert mine.search_for(SIX, 100) is None
    masks = 1 << (np.array([pattern(NINE).values], np.uint64) - np.uint64(1))
    assert search(masks, 2, NEVER).counts.tolist() == [1]


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_it_is_loaded_at_once_for_many_puzzles():
    mine = Compiled()
    assert mine.search_for(SIX, loading.MANY) is None
    assert mine.search_for(NINE, loading.MANY - 1) is None
    assert mine.search_for(NINE, loading.MANY) is not None
    assert mine.search_for(NINE, 1) is not None


@needs_numba
@pytest.mark.usefixtures("cache")
def test_it_is_compiled_elsewhere_once_and_numpy_goes_on(started):
    mine = Compiled()
    mine.count(NINE, loading.LOAD_AFTER)
    assert mine.search_for(NINE, 100) is None
    assert not started
    mine.count(NINE, loading.COMPILE_AFTER)
    assert mine.search_for(NINE, 100) is mine.search_for(NINE, 100) is None
    (code,) = started
    assert str(code_folder()) in code
    assert not (code_folder() / "search.o").exists()


@pytest.mark.usefixtures("cache")
def test_without_numba_numpy_goes_on(started, monkeypatch):
    def missing(name: str) -> None:
        return None

    monkeypatch.setattr(loading, "find_spec", missing)
    mine = Compiled()
    mine.count(NINE, LONG)
    assert mine.search_for(NINE, 100) is None
    assert not started


@needs_numba
def test_code_that_others_may_have_written_is_not_loaded(cache, started):
    code_folder().chmod(0o777)
    with pytest.raises(PermissionError):
        code_folder()
    mine = Compiled()
    mine.count(NINE, LONG)
    assert mine.search_for(NINE, 100) is None
    assert not started


@needs_numba
def test_where_nothing_can_be_written_numpy_goes_on(cache, started):
    cache.write_text("a file, not a folder")
    mine = Compiled()
    mine.count(NINE, LONG)
    assert mine.search_for(NINE, 100) is None
    assert not started


@needs_numba
@pytest.mark.parametrize("damage", [b"", b"x" * 1000])
def test_damaged_code_is_not_loaded_but_compiled_again(cache, started, damage):
    code = code_folder() / "search.o"
    code.write_bytes(damage)
    mine = Compiled()
    mine.count(NINE, LONG)
    assert mine.search_for(NINE, 100) is None
    assert not code.exists()
    other = Compiled()
    other.count(NINE, LONG)
    assert other.search_for(NINE, 100) is None
    assert len(started) == 1


@needs_numba
@pytest.mark.usefixtures("cache")
def test_what_is_compiled_is_not_compiled_again():
    folder = code_folder()
    (folder / "search.o").write_bytes(b"as if")
    compile_into(str(folder))
    assert (folder / "search.o").read_bytes() == b"as if"
    assert {path.name for path in folder.iterdir()} == {"search.o", "lock"}


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_what_is_compiled_runs_without_numba():
    code = """
import sys
import numpy as np
from pipeline.limits import NEVER
from pipeline.solvers.lanes.loading import code_folder, load_from
folder = code_folder()
sys.modules["numba"] = None
blank = np.full((3, 81), 511, np.uint16)
print(load_from(folder)(blank, 2, NEVER).counts.tolist())
"""
    argv = [sys.executable, "-c", code]
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == "[2, 2, 2]\n"


def test_a_detached_process_is_in_a_group_of_its_own_at_the_lowest_priority(tmp_path):
    told = tmp_path / "told"
    code = f"open({str(told)!r}, 'w').write(f'{{os.getpgrp() == os.getpid()}} {{os.nice(0)}}')"
    start_detached(code, 10)
    wait_for(lambda: told.exists() and told.read_text() != "")
    assert told.read_text() == "True 19"
    os.waitpid(-1, os.WNOHANG)


@pytest.fixture
def folder(cache):
    """The empty folder for the machine code of this version."""
    return code_folder()


def with_compiler(monkeypatch, compiler):
    monkeypatch.setattr("pipeline.solvers.lanes.building.object_code", compiler)
    monkeypatch.setattr(loading, "_try", lambda _code: None)


@needs_numba
def test_a_compiler_that_failed_is_not_started_again_for_an_hour(folder, started, monkeypatch):
    def failing(_name):
        raise RuntimeError("no such instruction")

    with_compiler(monkeypatch, failing)
    assert lacking() is None
    with pytest.raises(RuntimeError):
        compile_into(str(folder))
    assert "RuntimeError: no such instruction" in lacking()
    for hours, times in ((0.9, 0), (1.1, 1)):
        then = time.time() - hours * 3600
        os.utime(folder / "tried", (then, then))
        mine = Compiled()
        mine.count(NINE, LONG)
        assert mine.search_for(NINE, 100) is None
        assert len(started) == times
        assert (lacking() is None) == (times == 1), "it is tried again"
    with_compiler(monkeypatch, lambda _name: b"code")
    compile_into(str(folder))
    assert lacking() is None


@needs_numba
def test_a_compiler_that_died_is_told_once_it_cannot_be_at_work_any_more(folder):
    (folder / "tried").touch()
    assert lacking() is None
    then = time.time() - loading.COMPILING_SECONDS - 1
    os.utime(folder / "tried", (then, then))
    assert "without a word" in lacking()


@needs_numba
@pytest.mark.usefixtures("compiled")
def test_code_that_is_loaded_counts_as_used():
    folder = code_folder()
    os.utime(folder, (0, 0))
    assert Compiled().search_for(NINE, loading.MANY) is not None
    assert folder.stat().st_mtime > 0


@needs_numba
def test_code_that_finds_nothing_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr("pipeline.solvers.lanes.building.object_code", lambda _name: b"code")
    monkeypatch.setattr(loading, "_linked", lambda _code: lambda *_: True)
    with pytest.raises(RuntimeError, match="finds no solutions"):
        compile_into(str(folder))
    assert {path.name for path in folder.iterdir()} == {"tried", "lock"}


@needs_numba
def test_what_other_versions_left_is_removed_when_nobody_has_used_it_for_long(folder, monkeypatch):
    with_compiler(monkeypatch, lambda _name: b"code")
    for name, days in (("lanes-old", 31), ("lanes-new", 29), ("other", 31)):
        kept = folder.with_name(name)
        kept.mkdir()
        (kept / "search.o").touch()
        then = time.time() - days * 24 * 3600
        os.utime(kept, (then, then))
    compile_into(str(folder))
    assert {path.name for path in folder.parent.iterdir()} == {folder.name, "lanes-new", "other"}


@needs_numba
def test_what_is_lacking_where_nothing_can_be_written(cache):
    cache.write_text("a file, not a folder")
    assert "has no place" in lacking()


@pytest.mark.usefixtures("cache")
def test_what_is_lacking_without_numba(monkeypatch):
    def missing(name: str) -> None:
        return None

    monkeypatch.setattr(loading, "find_spec", missing)
    assert "[fast]" in lacking()
