"""Publish: a set of files appears in the outbox as a whole, its record last."""

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
from pipeline.outbox import ENDING, Record, file_names, read_record
from pipeline.outbox.schema import ARCHIVE
from pipeline.outbox.write_record import CollectionSet, PuzzleSet, listed, record_text
from pipeline.service.protocol.claim import Claim, manifests_in_work
from pipeline.service.protocol.claiming import identity
from pipeline.service.protocol.durable import Disks, sync
from pipeline.service.protocol.folders import Folders, is_folder, move_to_shelf
from pipeline.service.protocol.settle import UNSEEN, fingerprint_of


class CheckpointedFile(NamedTuple):
    """A file that lies in the outbox already, and its SHA-256."""

    path: Path
    sha256: str


MANY = 16
"""With so many sets the whole filesystem is made durable at once, if it can be."""

_TEMPORARY = re.compile(
    r"\.(?P<inbox>[0-9a-f]+[.][0-9a-f]+)-(?P<job>[0-9]{8}T[0-9]{6}-[0-9a-f]+)-[0-9]+[a-z]?\.tmp"
)


@dataclass(frozen=True)
class PublishedSet:
    """All that is published of one source, under a stem.

    `checkpointed` are its files that are written already. `tree` is a folder of the outbox that
    will be renamed to the stem. `claimed` is when the source was claimed, in ISO 8601.
    """

    stem: str
    made: PuzzleSet | CollectionSet
    claimed: str
    finished: datetime
    checkpointed: Mapping[str, CheckpointedFile] = field(default_factory=dict)
    tree: Path | None = None

    @cached_property
    def record(self) -> Record:
        """The record, which does not list its files yet."""
        return self.made.record({}, self.finished)

    def write(self, path_of: Callable[[str], Path], *, begin: bool = True) -> Record:
        """Write the files that are not written yet, each where `path_of` says; the record last.

        `begin` says to write them to disk soon. Returns the record. Raises OSError.
        """
        hashes = {name: checkpointed.sha256 for name, checkpointed in self.checkpointed.items()}
        for name, chunks in self.made.files(self.stem, self.record, self.claimed):
            hashes[name] = _write_new(path_of(name), chunks, begin=begin)
        record = with_fields(self.record, files=listed(hashes))
        _write_new(path_of(self.stem + ENDING), [record_text(record)], begin=begin)
        return record


def publish(sets: Sequence[tuple[Claim, PublishedSet]], folders: Folders) -> None:
    """Replace any earlier set of each claim's source by the new one.

    Everything is written under temporary names and made durable before an earlier set is touched.
    Files of the earlier record that the new set lacks are deleted. The record comes last. After a
    crash at any point the call may be repeated, with the same outcome. Several sets are made
    durable together. Raises OSError.
    """
    at_once = Disks.of((folders.outbox, folders.work)) if len(sets) >= MANY else nullcontext()
    with at_once as disks:
        _publish([_StagedSet(claim, made, folders) for claim, made in sets], folders, disks)


def _publish(sets: Sequence[_StagedSet], folders: Folders, disks: Disks | None) -> None:
    """Publish, syncing the disks instead of each file if they are given."""
    try:
        for each in sets:
            each.stage(begin=disks is None)
        sys.audit("sudoku_pipeline.publish.staged")
        for each in sets:
            each.announce(begin=disks is None)
        _make_durable(sets, disks)
        for each in sets:
            each.withdraw_earlier()
        if any(each.earlier for each in sets):
            sync(folders.outbox)
        for each in sets:
            each.exchange()
        sync(folders.outbox)
        sys.audit("sudoku_pipeline.publish.cleared")
        for each in sets:
            each.record.path.replace(each.record.target)
        sync(folders.outbox)
        sys.audit("sudoku_pipeline.publish.recorded")
    except Exception:
        for each in sets:
            each.clear_away()
        raise


def _make_durable(sets: Sequence[_StagedSet], disks: Disks | None) -> None:
    if disks:
        disks.sync()
        return
    for each in sets:
        each.sync()


@dataclass(frozen=True, slots=True)
class _Staged:
    """A file of a set, or its folder: its path until it gets its name in the outbox.

    `is_temporary`: it is written for this attempt alone.
    """

    path: Path
    target: Path
    is_temporary: bool = False
    is_folder: bool = False

    @property
    def is_in_place(self) -> bool:
        """Whether an earlier attempt was interrupted after renaming it."""
        return self.path == self.target


class _StagedSet:
    """A set on its way into the outbox."""

    def __init__(self, claim: Claim, published: PublishedSet, folders: Folders) -> None:
        self._claim = claim
        self._set = published
        self._outbox = folders.outbox
        self._marked = _marked(claim, folders)
        self._all: list[_Staged] = []
        self.earlier: list[Path] = []

    @property
    def record(self) -> _Staged:
        return self._all[-1]

    @property
    def _files(self) -> list[_Staged]:
        return self._all[:-1]

    def stage(self, *, begin: bool) -> None:
        """Write the files under temporary names; `begin` says to write them to disk soon."""
        for name, checkpointed in self._set.checkpointed.items():
            self._all.append(_Staged(checkpointed.path, self._outbox / name))
        if tree := self._set.tree:
            target = self._outbox / self._claim.manifest.stem
            path = tree if tree.exists() else target
            self._all.append(_Staged(path, target, is_folder=True))
        self._set.write(self._temporary, begin=begin)

    def _temporary(self, name: str) -> Path:
        """A temporary name for the file that will get this one."""
        sys.audit("sudoku_pipeline.publish.staging")
        path = self._outbox / f"{self._marked}{len(self._all)}.tmp"
        self._all.append(_Staged(path, self._outbox / name, is_temporary=True))
        return path

    def announce(self, *, begin: bool) -> None:
        """Note in the claim what may have to be deleted, should this be interrupted.

        Raises OSError, before anything is changed, if a foreign folder is in the way.
        """
        manifest = self._claim.manifest
        known: list[str] = []
        for stem in (manifest.stem, *manifest.former):
            path = self._outbox / (stem + ENDING)
            record = read_record(path)
            if record is not None and record.source == manifest.source:
                self.earlier.append(path)
                known += (name for name in file_names(record) if name.startswith(stem))
                known += [f"{stem}/"] if record.status == ARCHIVE else []
        for staged in self._all:
            if staged.is_in_place or not os.path.lexists(staged.target):
                continue
            if is_folder(staged.target):
                _refuse_foreign(staged.target, (*known, *manifest.files))
            elif staged.is_folder:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), staged.target)
        fresh = (each.target.name + "/" * each.is_folder for each in self._files)
        self._claim.save_files([*fresh, *known], begin=begin)
        sys.audit("sudoku_pipeline.publish.saved")

    def sync(self) -> None:
        """Make durable the claim's note, and what is staged.

        The note was written last: waiting for it first makes most of the others durable too.
        """
        self._claim.sync()
        sync(*(staged.path for staged in self._all))

    def withdraw_earlier(self) -> None:
        """Remove the earlier records."""
        for path in self.earlier:
            path.unlink()
        sys.audit("sudoku_pipeline.publish.withdrawn")

    def exchange(self) -> None:
        """Rename everything but the record, and delete what only the earlier set had."""
        for staged in self._files:
            if not staged.is_in_place:
                if is_folder(staged.target):
                    self._put_away(staged.target)
                staged.path.replace(staged.target)
            sys.audit("sudoku_pipeline.publish.renaming")
        sys.audit("sudoku_pipeline.publish.renamed")
        fresh = {staged.target.name for staged in self._all}
        for stale in self._claim.manifest.files:
            path = self._outbox / stale
            if path.name in fresh:
                continue
            if not stale.endswith("/"):
                path.unlink(missing_ok=True)
            elif is_folder(path):
                self._put_away(path)

    def _put_away(self, folder: Path) -> None:
        """Remove a folder of an earlier set from view at once, and then delete it."""
        _refuse_foreign(folder, self._claim.manifest.files)
        aside = self._claim.folder / ".earlier"
        shutil.rmtree(aside, ignore_errors=True)
        try:
            folder.rename(aside)
        except OSError:  # the outbox is on another filesystem
            shutil.rmtree(folder)
        shutil.rmtree(aside, ignore_errors=True)

    def clear_away(self) -> None:
        """Remove the temporary files of an unpublished set; growing files stay."""
        for staged in self._all:
            if staged.is_temporary:
                with contextlib.suppress(OSError):
                    staged.path.unlink()


def _refuse_foreign(folder: Path, listed: Sequence[str]) -> None:
    """Raise OSError if a folder is not listed as one of an earlier set."""
    if f"{folder.name}/" not in listed:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), folder)


def _write_new(path: Path, content: Iterable[str | bytes], *, begin: bool) -> str:
    """Write a file in place of what an interrupted attempt may have left of it."""
    try:
        return write_new(path, content, begin=begin)
    except FileExistsError:
        path.unlink()
        return write_new(path, content, begin=begin)


def temporary_name(claim: Claim, folders: Folders, ending: str) -> Path:
    """A temporary name, which says which inbox it is from: an outbox may serve several."""
    return folders.outbox / f"{_marked(claim, folders)}{ending}.tmp"


def _marked(claim: Claim, folders: Folders) -> str:
    """How the temporary names of a claim's job begin."""
    return f".{identity(folders.inbox.stat())}-{claim.manifest.job}-"


def is_published(claim: Claim, folders: Folders) -> Record | None:
    """The record of this very job, if it is there: then the set is complete.

    None if the file in the claim has changed, or is not the one that its note describes.
    """
    manifest = claim.manifest
    record = read_record(folders.outbox / (manifest.stem + ENDING))
    if record is None or record.job != manifest.job:
        return None
    status = claim.original.lstat()
    is_same = manifest.fingerprint in (UNSEEN, fingerprint_of(status))
    return record if is_same or stat.S_ISDIR(status.st_mode) else None


def finish(
    finished: Sequence[tuple[Claim, bool]], folders: Folders, spares: list[Claim] | None = None
) -> None:
    """Move the originals of published jobs where they belong and remove the claims.

    Each claim comes with whether its original belongs in `failed`. The inbox is made durable
    first: a filesystem that only logs the shelf might have the original in both after a power
    failure. `spares` gets the claims that can be used again, if it is given.
    """
    shelves = set()
    for claim, is_failed in finished:
        folder = folders.failed if is_failed else folders.done
        shelves.add(move_to_shelf(claim.original, folder, claim.manifest.source).parent)
    sync(folders.inbox, *shelves)
    sys.audit("sudoku_pipeline.finish.moved")
    for claim, _ in finished:
        if spares is not None and (spare := claim.spare()):
            spares.append(spare)
        else:
            claim.remove()
        sys.audit("sudoku_pipeline.finish.removed")


def remove_orphans(folders: Folders) -> None:
    """Remove temporary files of this inbox's jobs that are no longer in work."""
    names = os.listdir(folders.outbox)  # noqa: PTH208 - there may be a million
    found = [match for name in names if (match := _TEMPORARY.fullmatch(name))]
    if not found:
        return
    mark, alive = (
        identity(folders.inbox.stat()),
        {manifest.job for manifest in manifests_in_work(folders)},
    )
    for match in found:
        if match["inbox"] == mark and match["job"] not in alive:
            path = folders.outbox / match[0]
            if is_folder(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
