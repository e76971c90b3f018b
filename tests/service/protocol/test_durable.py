"""F_FULLFSYNC of macOS, which other systems lack: another call of theirs stands in for it.

What a drive does cannot be tested here, only that it is asked.
"""

from __future__ import annotations

import fcntl

import pytest

from pipeline.service.protocol.durable import sync

_NO_SUCH_CALL = 9999


@pytest.mark.parametrize(
    ("full", "is_refused"), [(fcntl.F_GETFD, False), (_NO_SUCH_CALL, True), (None, True)]
)
@pytest.mark.parametrize("name", ["file", "."])
def test_fsync_is_for_systems_and_filesystems_without_a_full_one(
    name, full, is_refused, tmp_path, monkeypatch, synced
):
    (tmp_path / "file").touch()
    if full is not None:
        monkeypatch.setattr(fcntl, "F_FULLFSYNC", full, raising=False)
    sync(tmp_path / name)
    assert ((tmp_path / name).stat().st_ino in synced) == is_refused
