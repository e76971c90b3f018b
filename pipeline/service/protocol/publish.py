"""Publish a set of files in the outbox as a whole: the record is renamed last."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace as with_fields

from pipeline.files import write_new
from pipeline.outbox import RECORD_SUFFIX, Record, file_names, read_record
from pipeline.outbox.schema import ARCHIVE
from pipeline.outbox.write_record import CollectionSet, PuzzleSet, published_files, record_text
from pipeline.service.protocol.claim import Claim, manifests_in_work
from pipeline.service.protocol.claiming import identity
from pipeline.service.protocol.durable import Disks, sync
from pipeline.service.protocol.folders import Folders, is_folder, move_to_shelf
from pipeline.service.protocol.settle import UNKNOWN_FINGERPRINT, fingerprint_of


class CheckpointedFile(NamedTuple):
    """A file of a set that is already in the outbox under a temporary name, and its SHA-256."""

    path: Path
    sha256: str


MIN_SETS_TO_SYNC_DISKS = 16
"""Minimum number of sets for which whole filesystems are synced, if possible, not each file."""

_TEMPORARY_NAME = re.compile(
    r"\.(?P<inbox>[0-9a-f]+[.][0-9a-f]+)-(?P<job>[0-9]{8}T[0-9]{6}-[0-9a-f]+)-[0-9]+[a-z]?\.tmp"
)
"""Matches the temporary names of files and folders in the outbox, see `_temporary_prefix`."""


@dataclass(frozen=True)
class OutputSet:
    """The files to be published for one source. Their names begin with the stem.

    - `claimed`: when the source was claimed, in ISO 8601.
    - `checkpointed`: files that are already written.
    - `tree`: a hidden folder in the outbox, to be renamed to the stem.
    """

    stem: str
    contents: PuzzleSet | CollectionSet
    claimed: str
    finished: datetime
    checkpointed: Mapping[str, CheckpointedFile] = field(default_factory=dict)
    tree: Path | None = None

    @cached_property
    def record(self) -> Record:
        """The record, without its list of files."""
        return self.contents.record({}, self.finished)

    def write(self, path_of: Callable[[str], Path], *, writeback: bool = True) -> Record:
        """Write the remaining files to the paths given by `path_of`, the record last.

        If `writeback`, the system starts writing them to disk. Returns the record. Raises OSError.
        """
        hashes = {name: checkpointed.sha256 for name, checkpointed in self.checkpointed.items()}
        for name, chunks in self.contents.files(self.stem, self.record, self.claimed):
            hashes[name] = _write_new(path_of(name), chunks, writeback=writeback)
        record = with_fields(self.record, files=published_files(hashes))
        _write_new(path_of(self.stem + RECORD_SUFFIX), [record_text(record)], writeback=writeback)
        return record


def publish(sets: Sequence[tuple[Claim, OutputSet]], folders: Folders) -> None:
    """Publish the set of each claim, replacing any earlier set of its source.

    The files of all sets are written under temporary names and made durable, before an earlier set
    is changed. Files of an earlier set that the new set lacks are deleted. The record is renamed
    last. After a crash at any point, the call can be repeated with the same result. Raises OSError.
    """
    syncing = (
        Disks.open((folders.outbox, folders.work))
        if len(sets) >= MIN_SETS_TO_SYNC_DISKS
        else nullcontext()
    )
    with syncing as disks:
        _publish(
            [_StagedSet(claim, published, folders) for claim, published in sets], folders, disks
        )


def _publish(sets: Sequence[_StagedSet], folders: Folders, disks: Disks | None) -> None:
    """Publish the sets. If `disks` is given, it is synced instead of each file."""
    try:
        for staged in sets:
            staged.stage(writeback=disks is None)
        sys.audit("sudoku_pipeline.publish.staged")
        for staged in sets:
            staged.save_names(writeback=disks is None)
        _make_durable(sets, disks)
        for staged in sets:
            staged.remove_earlier_records()
        if any(staged.earlier_records for staged in sets):
            sync(folders.outbox)
        for staged in sets:
            staged.rename_files()
        sync(folders.outbox)
        sys.audit("sudoku_pipeline.publish.cleared")
        for staged in sets:
            staged.record.path.replace(staged.record.target)
        sync(folders.outbox)
        sys.audit("sudoku_pipeline.publish.recorded")
    except Exception:
        for staged in sets:
            staged.remove_temporary_files()
        raise


def _make_durable(sets: Sequence[_StagedSet], disks: Disks | None) -> None:
    """Sync all files of the sets."""
    if disks:
        disks.sync()
        return
    for staged in sets:
        staged.sync()


@dataclass(frozen=True, slots=True)
class _StagedFile:
    """A file or folder of a set: its current path, and its final path in the outbox.

    `is_temporary`: this attempt has written it.
    """

    path: Path
    target: Path
    is_temporary: bool = False
    is_folder: bool = False

    @property
    def is_in_place(self) -> bool:
        """Whether an earlier attempt, which was interrupted, has renamed the file already."""
        return self.path == self.target


class _StagedSet:
    """A set that is being published.

    `earlier_records`: the paths of the records of earlier sets of the same source.
    """

    def __init__(self, claim: Claim, published: OutputSet, folders: Folders) -> None:
        self._claim = claim
        self._set = published
        self._outbox = folders.outbox
        self._temporary_prefix = _temporary_prefix(claim, folders)
        self._staged: list[_StagedFile] = []
        self.earlier_records: list[Path] = []

    @property
    def record(self) -> _StagedFile:
        return self._staged[-1]

    @property
    def _files(self) -> list[_StagedFile]:
        return self._staged[:-1]

    def stage(self, *, writeback: bool) -> None:
        """Write the files under temporary names; `writeback` as in `OutputSet.write`."""
        for name, checkpointed in self._set.checkpointed.items():
            self._staged.append(_StagedFile(checkpointed.path, self._outbox / name))
        if tree := self._set.tree:
            target = self._outbox / self._claim.manifest.stem
            path = tree if tree.exists() else target
            self._staged.append(_StagedFile(path, target, is_folder=True))
        self._set.write(self._temporary_path, writeback=writeback)

    def _temporary_path(self, name: str) -> Path:
        """Add a file with this final name, and return its temporary path."""
        sys.audit("sudoku_pipeline.publish.staging")
        path = self._outbox / f"{self._temporary_prefix}{len(self._staged)}.tmp"
        self._staged.append(_StagedFile(path, self._outbox / name, is_temporary=True))
        return path

    def save_names(self, *, writeback: bool) -> None:
        """Save the file names of this set and of earlier sets in the claim's manifest.

        If publication is interrupted, the names show which files belong to the source. Raises
        OSError, before any change, if a name of this set belongs to a folder that is not part of an
        earlier set.
        """
        manifest = self._claim.manifest
        earlier: list[str] = []
        for stem in (manifest.stem, *manifest.former):
            path = self._outbox / (stem + RECORD_SUFFIX)
            record = read_record(path)
            if record is not None and record.source == manifest.source:
                self.earlier_records.append(path)
                earlier += (name for name in file_names(record) if name.startswith(stem))
                earlier += [f"{stem}/"] if record.status == ARCHIVE else []
        for staged in self._staged:
            if staged.is_in_place or not os.path.lexists(staged.target):
                continue
            if is_folder(staged.target):
                _refuse_foreign_folder(staged.target, (*earlier, *manifest.files))
            elif staged.is_folder:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), staged.target)
        fresh = (staged.target.name + "/" * staged.is_folder for staged in self._files)
        self._claim.save_files([*fresh, *earlier], writeback=writeback)
        sys.audit("sudoku_pipeline.publish.saved")

    def sync(self) -> None:
        """Make the claim's manifest and the staged files durable.

        The manifest was written last, so syncing it first writes most of the files as well.
        """
        self._claim.sync()
        sync(*(staged.path for staged in self._staged))

    def remove_earlier_records(self) -> None:
        """Remove the earlier records."""
        for path in self.earlier_records:
            path.unlink()
        sys.audit("sudoku_pipeline.publish.withdrawn")

    def rename_files(self) -> None:
        """Rename all files except the record, and delete files that only earlier sets have."""
        for staged in self._files:
            if not staged.is_in_place:
                if is_folder(staged.target):
                    self._delete_earlier_folder(staged.target)
                staged.path.replace(staged.target)
            sys.audit("sudoku_pipeline.publish.renaming")
        sys.audit("sudoku_pipeline.publish.renamed")
        fresh = {staged.target.name for staged in self._staged}
        for stale in self._claim.manifest.files:
            path = self._outbox / stale
            if path.name in fresh:
                continue
            if not stale.endswith("/"):
                path.unlink(missing_ok=True)
            elif is_folder(path):
                self._delete_earlier_folder(path)

    def _delete_earlier_folder(self, folder: Path) -> None:
        """Delete a folder of an earlier set. It is renamed first, so that it disappears at once."""
        _refuse_foreign_folder(folder, self._claim.manifest.files)
        hidden = self._claim.folder / ".earlier"
        shutil.rmtree(hidden, ignore_errors=True)
        try:
            folder.rename(hidden)
        except OSError:  # the claim is on another filesystem
            shutil.rmtree(folder)
        shutil.rmtree(hidden, ignore_errors=True)

    def remove_temporary_files(self) -> None:
        """Remove the temporary files after a failure. Checkpointed files are kept."""
        for staged in self._staged:
            if staged.is_temporary:
                with contextlib.suppress(OSError):
                    staged.path.unlink()


def _refuse_foreign_folder(folder: Path, earlier_names: Sequence[str]) -> None:
    """Raise OSError unless a folder is one of `earlier_names`, the names of earlier sets."""
    if f"{folder.name}/" not in earlier_names:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), folder)


def _write_new(path: Path, content: Iterable[str | bytes], *, writeback: bool) -> str:
    """Write a file, and return its SHA-256. Replaces a file of an interrupted attempt."""
    try:
        return write_new(path, content, writeback=writeback)
    except FileExistsError:
        path.unlink()
        return write_new(path, content, writeback=writeback)


def temporary_path(claim: Claim, folders: Folders, ending: str) -> Path:
    """A temporary path in the outbox for a file of a claim's job."""
    return folders.outbox / f"{_temporary_prefix(claim, folders)}{ending}.tmp"


def _temporary_prefix(claim: Claim, folders: Folders) -> str:
    """The prefix of the temporary names of a claim's job.

    It identifies the inbox, because several inboxes may share an outbox.
    """
    return f".{identity(folders.inbox.stat())}-{claim.manifest.job}-"


def published_record(claim: Claim, folders: Folders) -> Record | None:
    """The record of a claim's job if its set is published, else None.

    The record is renamed last, so the published set is complete. Returns None also if the claim
    contains another file than the manifest states.
    """
    manifest = claim.manifest
    record = read_record(folders.outbox / (manifest.stem + RECORD_SUFFIX))
    if record is None or record.job != manifest.job:
        return None
    status = claim.original.lstat()
    is_same = manifest.fingerprint in (UNKNOWN_FINGERPRINT, fingerprint_of(status))
    return record if is_same or stat.S_ISDIR(status.st_mode) else None


def move_originals(
    finished: Sequence[tuple[Claim, bool]],
    folders: Folders,
    spare_claims: list[Claim] | None = None,
) -> None:
    """Move the originals of published jobs to `done` or `failed`, and remove the claims.

    `finished`: (claim, whether its original belongs in `failed`). The inbox is synced before the
    target folders: otherwise a power failure could leave an original in both. Claims that can be
    reused are added to `spare_claims`, if given.
    """
    shelves = set()
    for claim, is_failed in finished:
        folder = folders.failed if is_failed else folders.done
        shelves.add(move_to_shelf(claim.original, folder, claim.manifest.source).parent)
    sync(folders.inbox, *shelves)
    sys.audit("sudoku_pipeline.finish.moved")
    for claim, _ in finished:
        if spare_claims is not None and (spare := claim.make_spare()):
            spare_claims.append(spare)
        else:
            claim.remove()
        sys.audit("sudoku_pipeline.finish.removed")


def remove_orphans(folders: Folders) -> None:
    """Remove the temporary files of jobs of this inbox that are no longer in work."""
    names = os.listdir(folders.outbox)  # noqa: PTH208 - faster for a million names
    matches = [match for name in names if (match := _TEMPORARY_NAME.fullmatch(name))]
    if not matches:
        return
    inbox_id = identity(folders.inbox.stat())
    jobs_in_work = {manifest.job for manifest in manifests_in_work(folders)}
    for match in matches:
        if match["inbox"] == inbox_id and match["job"] not in jobs_in_work:
            path = folders.outbox / match[0]
            if is_folder(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
