"""Upkeep: failed originals back into the inbox, old ones out of the way."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.dropbox.folders import Folders, return_to, sync_folder
from pipeline.dropbox.overview import files_in
from pipeline.dropbox.reserve import RECORD, files_of, read_record

NOT_FAILED, IN_THE_WAY = "it is not in failed/", "another of its name is in the inbox"


def retry(folders: Folders, names: Collection[str] | None) -> Iterator[tuple[str, str | None]]:
    """Put failed originals back, all for None: each name, and why it was not put back if so."""
    found = set()
    for path in list(files_in(folders.failed)):
        if names is None or path.name in names:
            found.add(path.name)
            returned = return_to(path, folders.inbox / path.name)
            yield path.name, None if returned else IN_THE_WAY
    for name in sorted(set(names or ()) - found):
        yield name, NOT_FAILED
    sync_folder(folders.inbox)


@dataclass(frozen=True, slots=True)
class Old:
    """A file that has had its day; the inode tells it from a newer one of its name."""

    path: Path
    inode: int


def old_files(folders: Folders, seconds: float) -> Iterator[Old]:
    """The originals in `done`, and the logs in the outbox, that are at least that old.

    An original's age counts from when it was moved there. Failed originals are not for us to
    clear: nobody has seen to them yet.
    """
    limit = time.time() - seconds
    for path in files_in(folders.done):
        status = path.lstat()
        if status.st_ctime <= limit and not stat.S_ISDIR(status.st_mode):
            yield Old(path, status.st_ino)
    for record in sorted(folders.outbox.glob(f"[!.]*{RECORD}")):
        for name in files_of(read_record(record) or {}):
            log = folders.outbox / name
            if name.endswith(".log") and os.path.lexists(log):
                status = log.lstat()
                if status.st_mtime <= limit:
                    yield Old(log, status.st_ino)


def prune(files: Collection[Old]) -> int:
    """Delete these files, but for those that were replaced meanwhile; how many went."""
    count = 0
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            if file.path.lstat().st_ino == file.inode:
                file.path.unlink()
                count += 1
    return count
