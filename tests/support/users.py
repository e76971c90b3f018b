"""Being somebody to whom something can be forbidden: tests often run as root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Be an ordinary user in this folder, whose paths are relative: those above it may be closed.

    All that is in the folder becomes this user's first.
    """
    if os.geteuid():
        pytest.skip("only root can become another user")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, -1, follow_symlinks=False)
    with chdir(folder):
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield
        finally:
            os.setresuid(0, 0, 0)
