"""The outbox of jobs of every kind, made once for all workers."""

from __future__ import annotations

import fcntl
import os

import pytest
from dropping import DropFolder
from support.reporting import make_outbox


@pytest.fixture(scope="session")
def box(tmp_path_factory):
    """What `run --report` made of the FILES; to be read only."""
    top = tmp_path_factory.getbasetemp()
    shared = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / "every-kind"
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (shared / "made").exists():
            return DropFolder(shared / "inbox", shared / "outbox")
        box = DropFolder.within(shared)
        make_outbox(box)
        (shared / "made").touch()
        return box
