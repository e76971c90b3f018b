"""The outbox of jobs of every kind, made once for all workers."""

from __future__ import annotations

import pytest
from support.drop_folders import DropFolder
from support.outboxes import dropped, made_once
from support.reports import FILES


@pytest.fixture(scope="session")
def box(tmp_path_factory):
    """What `run --report` made of the FILES; to be read only."""

    def make(folder):
        options = ("--report", "--max-solutions", "2", "--workers", "1")
        dropped(folder, FILES, *options)

    folder = made_once(tmp_path_factory, "every-kind", make)
    return DropFolder(folder / "inbox", folder / "outbox")
