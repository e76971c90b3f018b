"""Checks whether the inbox is processed, for probes and for the page."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pipeline.errors import duration, printable
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.overview import MAX_SCAN_AGE, scan_age

_FAILED_SCAN = b"\nsudoku_pipeline_healthy 0\n"
"""The line of the metrics of `watch` after a scan that failed."""


def faults(folders: Folders, timeout: float, metrics: bytes) -> Iterator[str]:
    """Yield the reasons why dropped files are not processed; none if they are.

    - `timeout`: time limit of a puzzle in seconds, during which `watch` may not scan the inbox.
    - `metrics`: the metrics of `watch`; empty if there are none yet.
    """
    missing = False
    for option, folder in (("--inbox", folders.inbox), ("--outbox", folders.outbox)):
        if not folder.is_dir():
            missing = True
            yield f"{option} {printable(str(folder))}: no such folder"
        elif not os.access(folder, os.W_OK | os.X_OK):
            yield f"{option} {printable(str(folder))}: not writable by this user"
    if missing:
        return
    if _FAILED_SCAN in metrics:
        yield "the last scan failed because of a disk, a folder or a cluster; the log says more"
    age = scan_age(folders)
    if age is None:
        yield "the inbox has not been scanned yet"
    elif age > MAX_SCAN_AGE + timeout:
        yield f"the inbox was last scanned {duration(age)} ago"
