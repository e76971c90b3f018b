"""A job begins: its names in the outbox are reserved, and its file in the inbox is claimed.

No two sources may hold names of the outbox that are the same file on some filesystem. The records
in the outbox and the claims in work tell who holds which; a decision is made under a lock of the
outbox.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from secrets import token_bytes

from pipeline.files import opened, write_new
from pipeline.limits import MIB
from pipeline.outbox import ENDING, NoRecord, RecordForbidden, file_names, load_record
from pipeline.outbox.names import (
    COUNT,
    PROOF,
    forms_of,
    key_of,
    likely_stems,
    outputs,
    stems_for,
)
from pipeline.outbox.write_record import timestamp
from pipeline.service.protocol.claim import (
    LOCK,
    MANIFEST,
    NEW,
    PREPARING,
    Claim,
    Manifest,
    manifests_in_work,
    new_job_id,
    try_lock,
)
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.settle import Fingerprint, unchanged

_OUTBOX_LOCK = ".lock"
_EPOCH_BYTES = 8
_LONGEST_EPOCH = MIB
_PAUSE = 0.000_1


def identity(status: os.stat_result) -> str:
    """What distinguishes a file or folder from all others, whatever its name."""
    return f"{status.st_dev:x}.{status.st_ino:x}"


def _lock_patiently(descriptor: int, patience: float) -> None:
    """Take the lock, which others hold for milliseconds. Raises BlockingIOError on timeout."""
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return


class Reservations:
    """The stems of an outbox, which is listed once; then others tell us which they reserve.

    The file of the lock begins with the number of an epoch. After it stands each stem that was
    reserved in that epoch, as a line of JSON.
    """

    def __init__(self, folders: Folders, patience: float = 30.0) -> None:
        self._folders = folders
        self._patience = patience
        self._stems: dict[str, tuple[str, ...]] = {}
        self._lock = -1
        self._in_work: list[Manifest] | None = None
        """The notes of claims, read when first asked for while the lock is held."""
        self._epoch: tuple[str, bytes] | None = None
        self._heard = _EPOCH_BYTES
        """Up to where the file of the lock was read."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the outbox's lock, for `reserve`. Claims of what it gives are made meanwhile.

        Raises BlockingIOError if another process holds the lock for longer than our patience.
        """
        flags = os.O_RDWR | os.O_CREAT
        with opened(self._folders.outbox / _OUTBOX_LOCK, flags) as descriptor:
            _lock_patiently(descriptor, self._patience)
            self._hear(descriptor)
            self._lock, self._in_work = descriptor, None
            try:
                yield
            finally:
                self._lock, self._in_work = -1, None

    def reserve(
        self, source: str, seen: Fingerprint, *, keep_cnf: bool, is_folder: bool = False
    ) -> Manifest:
        """A note for a new job on a source, with names that are its own; the lock must be held."""
        stem, former = self._choose(source, keep_cnf=keep_cnf, is_folder=is_folder)
        self._tell((stem, *former))
        for held in (stem, *former):
            self._remember(held)
        now = datetime.now(UTC)
        manifest = Manifest(
            job=new_job_id(now),
            source=source,
            stem=stem,
            keep_cnf=keep_cnf,
            claimed=timestamp(now),
            fingerprint=seen,
            outbox=identity(self._folders.outbox.stat()),
            former=former,
        )
        if self._in_work is not None:
            self._in_work.append(manifest)
        return manifest

    def _hear(self, descriptor: int) -> None:
        """Remember what others have reserved since; list all if that is not known."""
        status = os.fstat(descriptor)
        epoch, size = (identity(status), os.pread(descriptor, _EPOCH_BYTES, 0)), status.st_size
        if epoch != self._epoch or self._heard > size:
            self._epoch = epoch
            self._list()
        elif size > self._heard:
            told = os.pread(descriptor, size - self._heard, self._heard)
            try:
                for line in told.splitlines():
                    self._remember(json.loads(line))
            except (ValueError, TypeError):
                self._list()
        self._heard = max(size, _EPOCH_BYTES)

    def _tell(self, stems: Iterable[str]) -> None:
        """Tell others that these are reserved; begin a new epoch if there is no room for it."""
        told = "".join(json.dumps(stem) + "\n" for stem in stems).encode("ascii")
        with suppress(OSError):
            if self._heard + len(told) <= _LONGEST_EPOCH:
                os.pwrite(self._lock, told, self._heard)
                self._heard += len(told)
                return
        fresh = token_bytes(_EPOCH_BYTES)
        os.pwrite(self._lock, fresh, 0)
        os.ftruncate(self._lock, _EPOCH_BYTES)
        if self._epoch:
            self._epoch, self._heard = (self._epoch[0], fresh), _EPOCH_BYTES

    def _list(self) -> None:
        self._stems = {}
        with os.scandir(self._folders.outbox) as entries:
            for entry in entries:
                if entry.name.endswith(ENDING) and not entry.name.startswith("."):
                    self._remember(entry.name.removesuffix(ENDING))
        for manifest in manifests_in_work(self._folders):
            for stem in (manifest.stem, *manifest.former):
                self._remember(stem)

    def _remember(self, stem: str) -> None:
        for form in {*forms_of(stem)}:
            known = self._stems.get(form, ())
            if stem not in known:
                self._stems[form] = (*known, stem)

    def _choose(
        self, source: str, *, keep_cnf: bool, is_folder: bool
    ) -> tuple[str, tuple[str, ...]]:
        likely = likely_stems(source)
        used = [
            stem
            for stem, folded in likely.items()
            if stem in self._stems.get(folded, ())
            and any(holder == source for holder, _ in self._holders(stem))
        ]
        first = () if is_folder else likely
        choices = chain(used, first, stems_for(source, is_folder=is_folder))
        chosen = next(stem for stem in choices if self._is_free(stem, source, keep_cnf=keep_cnf))
        return chosen, tuple(stem for stem in used if stem != chosen)

    def _is_free(self, stem: str, source: str, *, keep_cnf: bool) -> bool:
        """Whether no other source holds a name that the stem would use."""
        others = [
            names
            for other in self._related(stem)
            for holder, names in self._holders(other)
            if holder != source
        ]
        return not others or outputs(stem, keep_cnf=keep_cnf).isdisjoint(chain(*others))

    def _related(self, stem: str) -> Iterator[str]:
        """The known stems whose names may coincide with this one's."""
        folded, base = forms_of(stem)
        forms = {folded, base}
        for ending in (COUNT, PROOF):
            forms |= {folded + ending, folded.removesuffix(ending)}
        yield from {stem for form in forms for stem in self._stems.get(form, ())}

    def _holders(self, stem: str) -> Iterator[tuple[str, frozenset[str]]]:
        """The sources that hold the names of a known stem, in work or published; and those names.

        If its record may not be read, the names are held by a source that is not known.
        """
        if self._in_work is None:
            self._in_work = manifests_in_work(self._folders)
        for manifest in self._in_work:
            if manifest.stem == stem:
                yield manifest.source, outputs(stem, keep_cnf=manifest.keep_cnf)
            elif stem in manifest.former:
                yield manifest.source, outputs(stem, keep_cnf=True)
        try:
            record = load_record(self._folders.outbox / (stem + ENDING))
        except RecordForbidden:
            yield "", outputs(stem, keep_cnf=True)
        except (NoRecord, FileNotFoundError):
            pass
        else:
            yield record.source, outputs(stem, keep_cnf=f"{stem}.cnf" in file_names(record))


def make_claim(
    folders: Folders,
    manifest: Manifest,
    data: bytes | None = None,
    spares: list[Claim] | None = None,
) -> Claim | None:
    """Claim `inbox/source`; None if another was faster, or the file is gone or changed.

    `data` are the bytes that were seen in it, if it was read. One of `spares` is used if there is
    any: claims that were put aside. That saves a third of the time of thousands of small files.
    """
    folder = folders.work / key_of(manifest.source)
    if folder.exists():
        return None
    claim = _reused(spares, manifest) if spares else None
    if claim is None:
        with opened(folders.work / PREPARING, os.O_RDWR | os.O_CREAT) as preparing:
            fcntl.flock(preparing, fcntl.LOCK_SH)  # unlocked it would look abandoned
            claim = _prepare(folders, manifest)
    sys.audit("sudoku_pipeline.claim.prepared")
    try:
        claim.move(folder)
    except OSError:
        claim.remove()
        if folder.exists():
            return None
        raise
    sys.audit("sudoku_pipeline.claim.placed")
    return _fill(claim, folders.inbox / manifest.source, data)


def _prepare(folders: Folders, manifest: Manifest) -> Claim:
    """Make a claim under a temporary name, locked."""
    folder = folders.work / f"{NEW}{manifest.job}"
    folder.mkdir()
    try:
        lock = try_lock(folder / LOCK, os.O_CREAT | os.O_EXCL)
        assert lock is not None, "nobody knows this lock yet"  # noqa: S101 - for mypy
        claim = Claim(folder, lock, manifest)
    except OSError:
        folder.rmdir()
        raise
    try:
        claim.sign()
        write_new(folder / MANIFEST, [manifest.text()])
    except OSError:
        claim.remove()
        raise
    return claim


def _reused(spares: list[Claim], manifest: Manifest) -> Claim | None:
    """A claim that was put aside, for another job; None if its folder is no longer there.

    It is removed if it cannot be written.
    """
    spare = spares.pop()
    try:
        spare.reuse(manifest)
    except OSError as error:
        spare.remove()
        if isinstance(error, FileNotFoundError):
            return None
        raise
    return spare


def _fill(claim: Claim, source: Path, data: bytes | None) -> Claim | None:
    """Rename the file into its claim, and back if it is not what was seen."""
    try:
        source.rename(claim.original)
    except OSError as error:
        claim.remove()
        if isinstance(error, FileNotFoundError):
            return None
        raise
    sys.audit("sudoku_pipeline.claim.taken")
    try:
        if unchanged(claim.original, claim.manifest.fingerprint, data):
            return claim
        if not claim.put_back(source.parent):
            claim.close()  # a newer one is there: this one is finished first, once complete
    except BaseException:
        claim.close()
        raise
    return None


def is_in_work(folders: Folders, source: str) -> bool:
    return (folders.work / key_of(source)).exists()
