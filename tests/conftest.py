"""Fixtures of several test modules."""

from __future__ import annotations

import os
import shutil
import signal

import pytest
from commands import FILES
from solving import PATIENCE


def pytest_configure():
    """Take signals as a program in the foreground does: what is ignored is inherited ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.fixture(scope="module")
def unhurried():
    """As much time as it takes to explain why there is no solution."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.chain.EXPLAIN_SECONDS", PATIENCE)
        yield


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
