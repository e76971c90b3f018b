"""The outbox of jobs of every kind, made once for all workers."""

from __future__ import annotations

import pytest
from support.drop_folders import DropFolder
from support.outboxes import made_once
from support.reports import make_outbox


@pytest.fixture(scope="session")
def box(tmp_path_factory):
    """What `run --report` made of the FILES; to be read only."""
    folder = made_once(
        tmp_path_factory, "every-kind", lambda folder: make_outbox(DropFolder.within(folder))
    )
    return DropFolder(folder / "inbox", folder / "outbox")
