"""Operations on the folders: show their state, retry failed files, delete old files."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, starmap
from pathlib import Path
from typing import NamedTuple, TypeGuard

from pipeline.errors import counted, in_words
from pipeline.files import read_regular
from pipeline.outbox import RECORD_SUFFIX, PuzzleRecord, Record, file_names, read_record
from pipeline.outbox.names import LIKELY_STEMS, files_in, paths_in, stems_for
from pipeline.outbox.schema import ARCHIVE
from pipeline.service.protocol.checkpointed import last_checkpoint
from pipeline.service.protocol.claim import LOCK, MAX_LOCK_BYTES, Manifest, read_manifest, try_lock
from pipeline.service.protocol.claiming import is_in_work
from pipeline.service.protocol.durable import sync
from pipeline.service.protocol.folders import Folders, move_back
from pipeline.service.protocol.settle import History, names_in, observe

NOT_FAILED = "failed/ contains no file with this name"
NAME_IN_INBOX = "the inbox already contains a file with this name; move that file away first"
NEWER_FILE = (
    "a newer file with this name was solved or is being processed; to retry the failed file "
    "anyway, give its name instead of --all"
)
"""Reasons why a failed file is not moved back to the inbox."""

LAST_SCAN = ".last-scan"
"""The file in `.work/` whose mtime is the time of the last scan."""
_LOG = ".log"
"""Ending of the names of logs in the outbox."""
MAX_SCAN_AGE = 120.0
"""Maximum age of the last scan in seconds: four rescan intervals.

If the last scan is older, no process scans the inbox.
"""


@dataclass(frozen=True, slots=True)
class FileState:
    """The name of a file, and a note on its state."""

    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The files in the inbox by state, and the number of done files.

    `scan_age`: seconds since the last scan; None if unknown.
    """

    waiting: list[FileState] = field(default_factory=list)
    settling: list[FileState] = field(default_factory=list)
    ignored: list[FileState] = field(default_factory=list)
    in_work: list[FileState] = field(default_factory=list)
    failed: list[FileState] = field(default_factory=list)
    done: int = 0
    scan_age: float | None = None

    @property
    def is_stuck(self) -> bool:
        """Whether files are waiting although no process scans the inbox."""
        is_scanned = self.scan_age is not None and self.scan_age <= MAX_SCAN_AGE
        return bool(self.waiting) and not is_scanned


def stamp_scan(folders: Folders) -> None:
    """Record the current time as the time of the last scan."""
    stamp = folders.work / LAST_SCAN
    try:
        os.utime(stamp, follow_symlinks=False)
    except FileNotFoundError:
        stamp.touch()


def read_overview(folders: Folders, settle: float) -> Overview:
    """The state of both folders. Raises FileNotFoundError if there is no inbox."""
    names, ignored = names_in(folders.inbox)
    overview = Overview(
        ignored=list(starmap(FileState, ignored.items())),
        in_work=[
            FileState(manifest.source, words) for manifest, words in claim_descriptions(folders)
        ],
        failed=[
            FileState(path.name, _failure_reason(folders, path.name))
            for path in files_in(folders.failed)
        ],
        done=sum(1 for _ in paths_in(folders.done)),
        scan_age=scan_age(folders),
    )
    for name in names:
        seen = observe(folders.inbox / name)
        if seen and seen.refusal:
            overview.waiting.append(FileState(name, seen.refusal))
        elif seen:
            settling = History().judge(seen, settle, time.monotonic(), time.time())
            is_young = time.time() - seen.modified < settle
            if settling and (seen.has_writer is not None or is_young):
                overview.settling.append(FileState(name, settling.reason))
            else:
                overview.waiting.append(FileState(name))
    return overview


def scan_age(folders: Folders) -> float | None:
    """Seconds since the last scan; None if unknown."""
    try:
        age = time.time() - (folders.work / LAST_SCAN).lstat().st_mtime
    except FileNotFoundError:
        return None
    return age if age >= -MAX_SCAN_AGE else None  # the age is negative if the clock was set back


def _failure_reason(folders: Folders, source: str) -> str:
    """The reason why a file failed."""
    latest = latest_record(folders, source)
    if latest is None:
        return "its record is missing, so the reason is unknown"
    _, record = latest
    if _moved_to_failed(record):
        return record.message or record.status
    return f"a newer file with this name has the result {record.status}"


def latest_record(folders: Folders, source: str) -> tuple[Path, Record] | None:
    """The path of the record of a source's latest job, and the record; None without a record."""
    for stem in islice(stems_for(source), LIKELY_STEMS):
        path = folders.outbox / (stem + RECORD_SUFFIX)
        record = read_record(path)
        if record is not None and record.source == source:
            return path, record
    return None


def _moved_to_failed(record: Record) -> TypeGuard[PuzzleRecord]:
    """Whether the job of a record moved its original to `failed`."""
    return isinstance(record, PuzzleRecord) and record.status in ("invalid", "failed")


def claim_descriptions(folders: Folders) -> Iterator[tuple[Manifest, str]]:
    """Yield the manifest of each claim, and a description of its owner and progress."""
    for path in sorted(folders.work.glob(f"[!.]*/{LOCK}")):
        try:
            text = read_regular(path, MAX_LOCK_BYTES).decode("ascii", errors="replace")
            owner, lock = text.strip().rpartition("\n")[2], try_lock(path)
        except FileNotFoundError:  # the claim was finished meanwhile
            continue
        except PermissionError:
            owner, lock = "a process of another user", None
        except OSError as error:
            owner, lock = f"cannot be resumed: {in_words(error)}", None
        if lock is not None:
            os.close(lock)
            owner = "no process is working on it; the next scan resumes it"
        yield read_manifest(path.parent), owner + progress_text(path.parent)


def progress_text(folder: Path) -> str:
    """The progress of a collection or archive for messages; empty for other jobs."""
    state = last_checkpoint(folder)
    if not state:
        return ""
    done = f"; {counted(state['puzzles'], 'puzzle', ',')} done" if "puzzles" in state else ""
    share = state.get("share")
    return done + (f", {share:.0%}" if isinstance(share, float) else "")


def kept_work(folders: Folders) -> tuple[int, list[FileState]]:
    """The work left for the next process: files in the inbox, and unfinished files.

    Returns the number of files waiting in the inbox, and each claimed file on which no process is
    working, with its progress; those with progress come first.
    """
    waiting = len(names_in(folders.inbox)[0])
    unfinished = []
    for path in sorted(folders.work.glob(f"[!.]*/{LOCK}")):
        with contextlib.suppress(OSError):  # claims of other users, or finished meanwhile
            if (lock := try_lock(path)) is not None:
                os.close(lock)
                note = progress_text(path.parent).removeprefix("; ")
                unfinished.append(FileState(read_manifest(path.parent).source, note))
    return waiting, sorted(unfinished, key=lambda state: (not state.note, state.name))


def retry_failed(
    folders: Folders, names: Collection[str] | None, *, dry_run: bool = False
) -> Iterator[tuple[str, str | None]]:
    """Move failed originals back to the inbox.

    Yields (name, None) for each moved file, and (name, reason) for each file that is not moved. If
    several files have the same name, the latest is moved. If `names` is None, moves all files
    except files that a newer job with the same name has superseded. With `dry_run`, yields the
    same, but moves nothing.
    """
    found_names: set[str] = set()
    latest_first = sorted(files_in(folders.failed), key=lambda path: -path.lstat().st_ctime_ns)
    for path in sorted(latest_first, key=lambda path: path.name):
        if names is None and _is_overtaken(folders, path.name):
            yield path.name, NEWER_FILE
        elif names is None or path.name in names:
            target = folders.inbox / path.name
            if dry_run:
                is_free = path.name not in found_names and not os.path.lexists(target)
            else:
                is_free = move_back(path, target)
            found_names.add(path.name)
            yield path.name, None if is_free else NAME_IN_INBOX
    for name in sorted(set(names or ()) - found_names):
        yield name, NOT_FAILED
    if not dry_run:
        sync(folders.inbox)


def _is_overtaken(folders: Folders, source: str) -> bool:
    """Whether a newer job for a file with this name is in work or has succeeded."""
    latest = latest_record(folders, source)
    return is_in_work(folders, source) or not (latest is None or _moved_to_failed(latest[1]))


class ExpiredFile(NamedTuple):
    """A file or folder that is old enough to delete.

    If its inode changes, it was replaced by another file, which must not be deleted.
    """

    path: Path
    inode: int


def expired_files(folders: Folders, seconds: float) -> Iterator[ExpiredFile]:
    """Yield the originals in `done` and the logs in the outbox that are at least `seconds` old.

    The age of an original is the time since it was moved to `done`. Failed originals are kept,
    because they may still be needed.
    """
    limit = time.time() - seconds
    for path in paths_in(folders.done):
        with contextlib.suppress(FileNotFoundError):
            status = os.lstat(path)
            if status.st_ctime <= limit:
                yield ExpiredFile(Path(path), status.st_ino)
    if folders.outbox.is_dir():
        yield from _expired_logs(folders.outbox, limit)


def _expired_logs(folder: Path, limit: float, *, is_in_tree: bool = False) -> Iterator[ExpiredFile]:
    """Yield the logs that were last written before `limit` and that a record lists.

    Includes logs in the trees of archives. A record is read only if it may list an old log, or may
    be the record of an archive.
    """
    with os.scandir(folder) as entries:
        visible = [entry for entry in entries if not entry.name.startswith(".")]
    logs = (entry for entry in visible if entry.name.endswith(_LOG))
    old = {entry.name.removesuffix(_LOG): entry.inode() for entry in logs if _is_old(entry, limit)}
    trees = set()
    if not is_in_tree:
        trees = {entry.name for entry in visible if entry.is_dir(follow_symlinks=False)}
    for stem in sorted(old.keys() | trees):
        record = read_record(folder / (stem + RECORD_SUFFIX))
        if record is None:
            continue
        if stem in old and stem + _LOG in file_names(record):
            yield ExpiredFile(folder / (stem + _LOG), old[stem])
        if stem in trees and record.status == ARCHIVE:
            for inner, folders, _ in os.walk(folder / stem):
                folders.sort()
                yield from _expired_logs(Path(inner), limit, is_in_tree=True)


def _is_old(entry: os.DirEntry[str], limit: float) -> bool:
    """Whether an entry is a regular file that was last written before `limit`."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return status.st_mtime <= limit and stat.S_ISREG(status.st_mode)


def delete_expired(files: Iterable[ExpiredFile]) -> int:
    """Delete files, unless they were replaced meanwhile. Returns the number of deleted files.

    If some files cannot be deleted, raises the first OSError after deleting all others.
    """
    count = 0
    failure: OSError | None = None
    for path, inode in files:
        try:
            status = path.lstat()
            if status.st_ino != inode:
                continue
            if stat.S_ISDIR(status.st_mode):
                shutil.rmtree(path)
            else:
                path.unlink()
            count += 1
        except FileNotFoundError:
            continue
        except RecursionError:
            failure = failure or _too_deep_error(path)
        except OSError as error:  # EMFILE: rmtree opens a descriptor for each level
            failure = failure or (_too_deep_error(path) if error.errno == errno.EMFILE else error)
    if failure:
        raise failure
    return count


def _too_deep_error(path: Path) -> OSError:
    """The error for a folder that is nested too deeply."""
    return OSError(
        errno.ENAMETOOLONG, "nested too deeply to be deleted by this program; use rm -r", path
    )
