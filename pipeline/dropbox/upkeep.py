"""Upkeep: failed originals back into the inbox, old ones out of the way."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from pipeline.dropbox.folders import Folders, return_to, sync_folder
from pipeline.dropbox.overview import files_in
from pipeline.dropbox.reserve import RECORD, files_of, read_record


def retry(folders: Folders, names: Collection[str] | None) -> Iterator[tuple[str, bool]]:
    """Put failed originals back, all for None: each name and whether it was put back.

    One stays where it is while a file of its name is in the inbox. A name that is nowhere in
    `failed` is told with False.
    """
    found = set()
    for path in list(files_in(folders.failed)):
        if names is None or path.name in names:
            found.add(path.name)
            yield path.name, return_to(path, folders.inbox / path.name)
    for name in sorted(set(names or ()) - found):
        yield name, False
    sync_folder(folders.inbox)


def old_files(folders: Folders, seconds: float) -> Iterator[Path]:
    """The originals in `done`, and the logs in the outbox, that are at least that old.

    An original's age counts from when it was moved there. Failed originals are not for us to
    clear: nobody has seen to them yet.
    """
    limit = time.time() - seconds
    for path in files_in(folders.done):
        status = path.lstat()
        if status.st_ctime <= limit and not stat.S_ISDIR(status.st_mode):
            yield path
    for record in sorted(folders.outbox.glob(f"[!.]*{RECORD}")):
        if record.lstat().st_mtime <= limit and (content := read_record(record)):
            for name in files_of(content):
                log = folders.outbox / name
                if name.endswith(".log") and os.path.lexists(log):
                    yield log


def prune(paths: Collection[Path]) -> None:
    """Delete these files."""
    for path in paths:
        path.unlink(missing_ok=True)
