"""Upkeep: failed originals back into the inbox, old ones out of the way."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.dropbox.folders import Folders, return_to, sync_folder
from pipeline.published import ENDING, Record, names_in, read_record
from pipeline.published.originals import files_in

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
    """A file or folder that has had its day; the inode tells it from a newer one of its name."""

    path: Path
    inode: int


def old_files(folders: Folders, seconds: float) -> Iterator[Old]:
    """The originals in `done`, and the logs in the outbox, that are at least that old.

    An original's age counts from when it was moved there, whatever its own time is and those of
    the files in a folder. Failed originals are not for us to clear: nobody has seen to them yet.
    """
    limit = time.time() - seconds
    for path in files_in(folders.done):
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            if status.st_ctime <= limit:
                yield Old(path, status.st_ino)
    for log in _logs(folders.outbox):
        with contextlib.suppress(FileNotFoundError):
            status = log.lstat()
            if status.st_mtime <= limit and stat.S_ISREG(status.st_mode):
                yield Old(log, status.st_ino)


def _logs(outbox: Path) -> Iterator[Path]:
    """The logs that records list, those in the trees of archives included."""
    for path, record in _records(outbox):
        yield from _logs_of(outbox, record)
        tree = outbox / path.stem
        if record.status == "archive" and not tree.is_symlink():
            for folder, inner, _ in os.walk(tree):
                inner.sort()
                for _, member in _records(Path(folder)):
                    yield from _logs_of(Path(folder), member)


def _records(folder: Path) -> Iterator[tuple[Path, Record]]:
    for path in sorted(folder.glob(f"[!.]*{ENDING}")):
        record = read_record(path)
        if record is not None:
            yield path, record


def _logs_of(folder: Path, record: Record) -> Iterator[Path]:
    return (folder / name for name in names_in(record) if name.endswith(".log"))


def prune(files: Collection[Old]) -> int:
    """Delete these, but for those that were replaced meanwhile; how many went.

    Raises OSError where some could not be deleted, when all the others are.
    """
    count = 0
    hindrance: OSError | None = None
    for file in files:
        try:
            count += _delete(file)
        except FileNotFoundError:
            continue
        except OSError as error:
            hindrance = hindrance or error
    if hindrance:
        raise hindrance
    return count


def _delete(old: Old) -> bool:
    """Delete a file, or a folder with all that is in it; whether it was still there."""
    status = old.path.lstat()
    if status.st_ino != old.inode:
        return False
    if stat.S_ISDIR(status.st_mode):
        shutil.rmtree(old.path)
    else:
        old.path.unlink()
    return True
