"""The outbox of jobs of every kind, made once for all workers."""

from __future__ import annotations

import pytest
from support.auditing import made_once
from support.dropping import DropFolder
from support.reporting import make_outbox


@pytest.fixture(scope="session")
def box(tmp_path_factory):
    """What `run --report` made of the FILES; to be read only."""
    folder = made_once(
        tmp_path_factory, "every-kind", lambda folder: make_outbox(DropFolder.within(folder))
    )
    return DropFolder(folder / "inbox", folder / "outbox")
