"""The private folder: cleared away when its process ends, at the latest by the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from solving import PATIENCE

from pipeline.solve.scratch import scratch_folder

HOLDING = """
import sys
from pipeline.solve.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "1").touch()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Where the folders are made, by this process and by others."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def holder():
    """Another process that holds a folder until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        process.folder = Path(process.stdout.readline().strip())
        yield process


def test_a_folder_is_our_own_and_goes_with_all_that_is_in_it(temporary):
    with scratch_folder() as one, scratch_folder() as other:
        assert one != other
        assert one.stat().st_mode & 0o777 == 0o700
        (one / "1").touch()
        (one / "2").mkdir()
    assert list(temporary.iterdir()) == []


def test_a_folder_that_is_gone_already_is_no_error(temporary):
    with scratch_folder() as folder:
        folder.rmdir()
    assert list(temporary.iterdir()) == []


def test_the_folder_of_a_process_that_lives_is_left_alone(holder):
    with scratch_folder():
        assert [path.name for path in holder.folder.iterdir()] == ["1"]
    holder.communicate(timeout=PATIENCE)
    assert not holder.folder.exists()


@pytest.mark.parametrize("empty", [False, True])
def test_the_folder_of_a_killed_process_is_removed_when_it_is_not_new(holder, temporary, empty):
    holder.send_signal(signal.SIGKILL)
    holder.wait(PATIENCE)
    if empty:
        (holder.folder / "1").unlink()
    with scratch_folder():
        assert holder.folder.exists()
    os.utime(holder.folder, (0, 0))
    with scratch_folder() as folder:
        assert list(temporary.iterdir()) == [folder]


def test_nothing_is_removed_but_folders_of_our_name(temporary):
    kept = temporary / "others"
    kept.mkdir()
    (kept / "file").touch()
    (temporary / "sudoku-pipeline-link").symlink_to(kept)
    (temporary / "sudoku-pipeline-file").touch()
    with scratch_folder():
        assert (kept / "file").exists()
    assert {path.name for path in temporary.iterdir()} == {
        "others",
        "sudoku-pipeline-link",
        "sudoku-pipeline-file",
    }
