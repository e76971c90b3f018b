"""Start a job: reserve its names in the outbox, and claim its file in the inbox.

No two sources may have output names that could be the same file on some filesystem. Records in the
outbox and claims in work show which names are used. A process holds a lock of the outbox while it
chooses names.
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
from pipeline.outbox import RECORD_SUFFIX, NoRecord, RecordForbidden, file_names, load_record
from pipeline.outbox.names import (
    COUNT_SUFFIX,
    PROOF_SUFFIX,
    claim_key,
    folded_stems,
    likely_stems,
    output_names,
    stems_for,
)
from pipeline.outbox.write_record import timestamp
from pipeline.service.protocol.claim import (
    LOCK,
    MANIFEST,
    NEW_PREFIX,
    PREPARING,
    Claim,
    Manifest,
    manifests_in_work,
    new_job_id,
    try_lock,
)
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.settle import Fingerprint, is_unchanged

_OUTBOX_LOCK = ".lock"
"""Name of the lock file in the outbox."""
_ID_BYTES = 8
"""Length of the random id at the start of the lock file."""
_MAX_LOCK_FILE_BYTES = MIB
"""Maximum size of the lock file. When it is reached, the file is emptied."""
_LOCK_RETRY_SECONDS = 0.000_1
"""Seconds between attempts to get the outbox lock."""


def identity(status: os.stat_result) -> str:
    """The device and inode of a file or folder, which identify it independently of its name."""
    return f"{status.st_dev:x}.{status.st_ino:x}"


def _wait_for_lock(descriptor: int, patience: float) -> None:
    """Lock a file; waits up to `patience` seconds. Processes hold the lock for milliseconds.

    Raises BlockingIOError on timeout.
    """
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(_LOCK_RETRY_SECONDS)
        else:
            return


class Reservations:
    """Reserves stems in an outbox. All file names of a job begin with its stem.

    The outbox is listed once; later reservations are read from its lock file. That file contains a
    random id, followed by the stems that processes have reserved since the id was written, one JSON
    string per line. When the file is full, it is emptied and gets a new id, and each process lists
    the outbox again.
    """

    def __init__(self, folders: Folders, patience: float = 30.0) -> None:
        self._folders = folders
        self._patience = patience
        self._stems: dict[str, tuple[str, ...]] = {}
        """Folded stem → the reserved stems that fold to it."""
        self._lock = -1
        self._in_work: list[Manifest] | None = None
        """The manifests of all claims, read on demand while the lock is held."""
        self._file_id: tuple[str, bytes] | None = None
        """The identity of the lock file that was read, and its random id."""
        self._read_to = _ID_BYTES
        """The number of bytes of the lock file that were read."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the outbox lock inside the `with` block, which must also make the claims.

        Raises BlockingIOError if the lock is not available within `patience` seconds.
        """
        flags = os.O_RDWR | os.O_CREAT
        with opened(self._folders.outbox / _OUTBOX_LOCK, flags) as descriptor:
            _wait_for_lock(descriptor, self._patience)
            self._read_new(descriptor)
            self._lock, self._in_work = descriptor, None
            try:
                yield
            finally:
                self._lock, self._in_work = -1, None

    def reserve(
        self, source: str, fingerprint: Fingerprint, *, keep_cnf: bool, is_folder: bool = False
    ) -> Manifest:
        """Reserve a stem for a new job. Returns its manifest. The caller must hold the lock."""
        stem, former = self._choose_stem(source, keep_cnf=keep_cnf, is_folder=is_folder)
        self._append_stems((stem, *former))
        for held in (stem, *former):
            self._add_stem(held)
        now = datetime.now(UTC)
        manifest = Manifest(
            job=new_job_id(now),
            source=source,
            stem=stem,
            keep_cnf=keep_cnf,
            claimed=timestamp(now),
            fingerprint=fingerprint,
            outbox=identity(self._folders.outbox.stat()),
            former=former,
        )
        if self._in_work is not None:
            self._in_work.append(manifest)
        return manifest

    def _read_new(self, descriptor: int) -> None:
        """Read new reservations from the lock file; if its id has changed, list the outbox."""
        status = os.fstat(descriptor)
        file_id, size = (identity(status), os.pread(descriptor, _ID_BYTES, 0)), status.st_size
        if file_id != self._file_id or self._read_to > size:
            self._file_id = file_id
            self._list_stems()
        elif size > self._read_to:
            data = os.pread(descriptor, size - self._read_to, self._read_to)
            try:
                for line in data.splitlines():
                    self._add_stem(json.loads(line))
            except (ValueError, TypeError):
                self._list_stems()
        self._read_to = max(size, _ID_BYTES)

    def _append_stems(self, stems: Iterable[str]) -> None:
        """Append reserved stems to the lock file; if it is full, empty it and write a new id."""
        data = "".join(json.dumps(stem) + "\n" for stem in stems).encode("ascii")
        with suppress(OSError):
            if self._read_to + len(data) <= _MAX_LOCK_FILE_BYTES:
                os.pwrite(self._lock, data, self._read_to)
                self._read_to += len(data)
                return
        new_id = token_bytes(_ID_BYTES)
        os.pwrite(self._lock, new_id, 0)
        os.ftruncate(self._lock, _ID_BYTES)
        if self._file_id:
            self._file_id, self._read_to = (self._file_id[0], new_id), _ID_BYTES

    def _list_stems(self) -> None:
        """Find all reserved stems in the outbox and in the claims."""
        self._stems = {}
        with os.scandir(self._folders.outbox) as entries:
            for entry in entries:
                if entry.name.endswith(RECORD_SUFFIX) and not entry.name.startswith("."):
                    self._add_stem(entry.name.removesuffix(RECORD_SUFFIX))
        for manifest in manifests_in_work(self._folders):
            for stem in (manifest.stem, *manifest.former):
                self._add_stem(stem)

    def _add_stem(self, stem: str) -> None:
        """Add a reserved stem under its folded forms."""
        for form in {*folded_stems(stem)}:
            known = self._stems.get(form, ())
            if stem not in known:
                self._stems[form] = (*known, stem)

    def _choose_stem(
        self, source: str, *, keep_cnf: bool, is_folder: bool
    ) -> tuple[str, tuple[str, ...]]:
        """Choose the stem of a source. Returns the stem, and other stems with sets of it."""
        likely = likely_stems(source)
        used = [
            stem
            for stem, folded in likely.items()
            if stem in self._stems.get(folded, ())
            and any(holder == source for holder, _ in self._uses_of(stem))
        ]
        first = () if is_folder else likely
        choices = chain(used, first, stems_for(source, is_folder=is_folder))
        chosen = next(
            stem for stem in choices if self._is_available(stem, source, keep_cnf=keep_cnf)
        )
        return chosen, tuple(stem for stem in used if stem != chosen)

    def _is_available(self, stem: str, source: str, *, keep_cnf: bool) -> bool:
        """Whether no other source uses a file name that this stem needs."""
        used_names = [
            names
            for related in self._related_stems(stem)
            for holder, names in self._uses_of(related)
            if holder != source
        ]
        return not used_names or output_names(stem, keep_cnf=keep_cnf).isdisjoint(
            chain(*used_names)
        )

    def _related_stems(self, stem: str) -> Iterator[str]:
        """Yield the reserved stems whose file names may collide with names of this stem."""
        folded, base = folded_stems(stem)
        forms = {folded, base}
        for ending in (COUNT_SUFFIX, PROOF_SUFFIX):
            forms |= {folded + ending, folded.removesuffix(ending)}
        yield from {stem for form in forms for stem in self._stems.get(form, ())}

    def _uses_of(self, stem: str) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield (source, file names) of each job, in work or published, that uses a stem.

        If this process has no permission to read a record, the source is "".
        """
        if self._in_work is None:
            self._in_work = manifests_in_work(self._folders)
        for manifest in self._in_work:
            if manifest.stem == stem:
                yield manifest.source, output_names(stem, keep_cnf=manifest.keep_cnf)
            elif stem in manifest.former:
                yield manifest.source, output_names(stem, keep_cnf=True)
        try:
            record = load_record(self._folders.outbox / (stem + RECORD_SUFFIX))
        except RecordForbidden:
            yield "", output_names(stem, keep_cnf=True)
        except (NoRecord, FileNotFoundError):
            pass
        else:
            yield record.source, output_names(stem, keep_cnf=f"{stem}.cnf" in file_names(record))


def make_claim(
    folders: Folders,
    manifest: Manifest,
    data: bytes | None = None,
    spare_claims: list[Claim] | None = None,
) -> Claim | None:
    """Claim a file in the inbox.

    Returns None if another process was faster, or if the file is gone or has changed. `data`: the
    bytes of the file, if it was read. Reuses one of the `spare_claims` if possible, which saves a
    third of the time for thousands of small files.
    """
    folder = folders.work / claim_key(manifest.source)
    if folder.exists():
        return None
    claim = _reuse_spare(spare_claims, manifest) if spare_claims else None
    if claim is None:
        with opened(folders.work / PREPARING, os.O_RDWR | os.O_CREAT) as preparing:
            # Without this lock, the claim would look abandoned.
            fcntl.flock(preparing, fcntl.LOCK_SH)
            claim = _prepare_claim(folders, manifest)
    sys.audit("sudoku_pipeline.claim.prepared")
    try:
        claim.move(folder)
    except OSError:
        claim.remove()
        if folder.exists():
            return None
        raise
    sys.audit("sudoku_pipeline.claim.placed")
    return _move_into_claim(claim, folders.inbox / manifest.source, data)


def _prepare_claim(folders: Folders, manifest: Manifest) -> Claim:
    """Create a locked claim under a temporary name."""
    folder = folders.work / f"{NEW_PREFIX}{manifest.job}"
    folder.mkdir()
    try:
        lock = try_lock(folder / LOCK, os.O_CREAT | os.O_EXCL)
        assert lock is not None, "no other process knows this file"  # noqa: S101 - for mypy
        claim = Claim(folder, lock, manifest)
    except OSError:
        folder.rmdir()
        raise
    try:
        claim.write_owner()
        write_new(folder / MANIFEST, [manifest.text()])
    except OSError:
        claim.remove()
        raise
    return claim


def _reuse_spare(spare_claims: list[Claim], manifest: Manifest) -> Claim | None:
    """Reuse the last spare claim for another job; None if its folder is gone.

    If it cannot be written, the spare claim is removed. Raises OSError.
    """
    spare = spare_claims.pop()
    try:
        spare.reuse(manifest)
    except OSError as error:
        spare.remove()
        if isinstance(error, FileNotFoundError):
            return None
        raise
    return spare


def _move_into_claim(claim: Claim, source: Path, data: bytes | None) -> Claim | None:
    """Move the file into its claim; if it has changed meanwhile, put it back and return None."""
    try:
        source.rename(claim.original)
    except OSError as error:
        claim.remove()
        if isinstance(error, FileNotFoundError):
            return None
        raise
    sys.audit("sudoku_pipeline.claim.taken")
    try:
        if is_unchanged(claim.original, claim.manifest.fingerprint, data):
            return claim
        if not claim.put_back(source.parent):
            claim.close()  # the inbox has a newer file; the next sweep resumes this claim first
    except BaseException:
        claim.close()
        raise
    return None


def is_in_work(folders: Folders, source: str) -> bool:
    """Whether there is a claim of a file with this name."""
    return (folders.work / claim_key(source)).exists()
