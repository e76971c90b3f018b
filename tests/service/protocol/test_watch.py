"""Hints that something was dropped: what rings, and when a watcher has to be replaced."""

from __future__ import annotations

import pytest

from pipeline.service.protocol.watch import Alarm, Watcher


def test_an_alarm_that_has_rung_wakes_one_wait_however_often_it_rang():
    alarm = Alarm()
    for _ in range(100_000):
        alarm.ring()
    assert alarm.wait(60)
    assert not alarm.wait(0)
    alarm.close()


def test_a_watcher_tells_when_its_folder_has_been_replaced(tmp_path):
    folder = tmp_path / "inbox"
    with pytest.raises(OSError, match="inbox"):
        Watcher(folder, lambda: None).start()
    folder.mkdir()
    watcher = Watcher(folder, lambda: None)
    assert not watcher.is_alive()
    watcher.start()
    try:
        assert watcher.is_alive()
        folder.rename(tmp_path / "moved")
        assert not watcher.is_alive()
        folder.mkdir()
        assert not watcher.is_alive()
    finally:
        watcher.stop()
    assert not watcher.is_alive()


def test_only_what_may_be_a_complete_file_rings(tmp_path):
    alarm = Alarm()
    (tmp_path / "old.txt").touch()
    watcher = Watcher(tmp_path, alarm.ring)
    watcher.start()
    try:
        (tmp_path / "old.txt").read_bytes()
        assert not alarm.wait(0.2)
        (tmp_path / "new.txt").touch()
        assert alarm.wait(60)
    finally:
        watcher.stop()
        alarm.close()
