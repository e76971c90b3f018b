"""Fixtures of the tests of the folder protocol."""

from __future__ import annotations

import fcntl
import os

import pytest
from support.drop_folders import DropFolder


@pytest.fixture
def box(tmp_path):
    """An inbox and an outbox with all folders made."""
    box = DropFolder.within(tmp_path)
    box.folders.prepare()
    return box


@pytest.fixture
def synced(monkeypatch):
    """What was made durable, in order: inodes, with the size of each at the last time."""
    told = {}
    fsync = os.fsync

    def tell(descriptor):
        fsync(descriptor)
        status = os.fstat(descriptor)
        told.pop(status.st_ino, None)
        told[status.st_ino] = status.st_size

    monkeypatch.delattr(fcntl, "F_FULLFSYNC", raising=False)  # of macOS, used in place of fsync
    monkeypatch.setattr(os, "fsync", tell)
    return told
