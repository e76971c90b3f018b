"""Fixtures of the tests of the folder protocol."""

from __future__ import annotations

import pytest
from support.dropping import DropFolder


@pytest.fixture
def box(tmp_path):
    """An inbox and an outbox with all folders made."""
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box
