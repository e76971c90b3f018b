"""What probes and the page learn about a service that does not process files."""

from __future__ import annotations

import os
import time

import pytest

from pipeline.service.protocol.overview import LAST_SCAN, stamp_scan
from pipeline.web.health import faults

TIMEOUT = 60.0


@pytest.fixture
def folders(box):
    box.folders.prepare()
    stamp_scan(box.folders)
    return box.folders


def found(folders, metrics: bytes = b"") -> list[str]:
    return [*faults(folders, TIMEOUT, metrics)]


def test_a_scanned_inbox_is_healthy(folders):
    assert found(folders, b"\nsudoku_pipeline_healthy 1\n") == []


@pytest.mark.parametrize(("age", "is_old"), [(170, False), (190, True)])
def test_a_scan_may_be_as_old_as_a_puzzle_can_take(folders, age, is_old):
    then = time.time() - age
    os.utime(folders.work / LAST_SCAN, (then, then))
    assert [text[:26] for text in found(folders)] == ["the inbox was last scanned"] * is_old


def test_an_inbox_that_was_never_scanned_is_not_healthy(folders):
    (folders.work / LAST_SCAN).unlink()
    assert found(folders) == ["the inbox has not been scanned yet"]


def test_a_failed_scan_is_known_from_the_metrics(folders):
    (text,) = found(folders, b"# HELP\nsudoku_pipeline_healthy 0\n# EOF\n")
    assert text.startswith("the last scan failed")


def test_folders_that_are_missing_are_named(folders, box):
    box.outbox.rename(box.outbox.with_name("elsewhere"))
    assert found(folders) == [f"--outbox {box.outbox}: no such folder"]
