"""Publish: a set of files appears in the outbox as a whole, its record last."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.folders import Folders, move_aside, sync_folder, write_durably
from pipeline.dropbox.reserve import RECORD, files_of, read_record
from pipeline.dropbox.steps import reached

MakeRecord = Callable[[Mapping[str, str]], str]
"""From published name → SHA-256 to the record's text."""

_TEMPORARY = re.compile(
    r"\.(?P<inbox>[0-9a-f]+[.][0-9a-f]+)-(?P<job>[0-9]{8}T[0-9]{6}-[0-9a-f]+)-[0-9]+\.tmp"
)


def publish(
    claim: Claim, folders: Folders, files: Iterable[tuple[str, Iterable[str]]], make: MakeRecord
) -> None:
    """Put the set in place of any earlier one of the same source.

    `files` are the names of the set with their texts in pieces. Everything is written under
    temporary names and made to last before the earlier set is touched; what the earlier record
    lists and the new set lacks is deleted; the record comes last. Done again after a crash at
    any point it ends the same.
    """
    outbox = folders.outbox
    written: dict[str, str] = {}
    temporary = _temporary_names(claim, folders)
    staged: list[tuple[Path, Path]] = []
    try:
        for name, pieces in files:
            path = next(temporary)
            written[name] = write_durably(path, pieces)
            staged.append((path, outbox / name))
            reached("publish.staging")
        record = next(temporary)
        write_durably(record, [make(written)])
        staged.append((record, outbox / (claim.note.stem + RECORD)))
        reached("publish.staged")
        _withdraw_earlier(claim, outbox, written)
        reached("publish.withdrawn")
        for path, target in staged[:-1]:
            path.replace(target)
            reached("publish.renaming")
        reached("publish.renamed")
        for stale in set(claim.note.files) - written.keys():
            with contextlib.suppress(FileNotFoundError):
                (outbox / stale).unlink()
        sync_folder(outbox)
        reached("publish.cleared")
        record.replace(staged[-1][1])
        sync_folder(outbox)
        reached("publish.recorded")
    except OSError:
        for path, _ in staged:
            with contextlib.suppress(OSError):
                path.unlink()
        raise


def _withdraw_earlier(claim: Claim, outbox: Path, names: Iterable[str]) -> None:
    """Save in the claim what will have to be cleared away, then remove the earlier record."""
    listed = list(names)
    earlier = []
    for stem in (claim.note.stem, *claim.note.former):
        path = outbox / (stem + RECORD)
        record = read_record(path)
        if record is not None and record.get("source") == claim.note.source:
            earlier.append(path)
            listed += (name for name in files_of(record) if name.startswith(stem))
    claim.save_files(listed)
    reached("publish.saved")
    for path in earlier:
        path.unlink()
    if earlier:
        sync_folder(outbox)


def _temporary_names(claim: Claim, folders: Folders) -> Iterator[Path]:
    """Names to write under, of which nothing is left from an attempt that was cut off."""
    prefix = f".{_inbox_mark(folders)}-{claim.note.job}"
    for number in count(1):
        path = folders.outbox / f"{prefix}-{number}.tmp"
        path.unlink(missing_ok=True)
        yield path


def _inbox_mark(folders: Folders) -> str:
    """Which inbox a temporary file comes from: an outbox may serve several."""
    status = folders.inbox.stat()
    return f"{status.st_dev:x}.{status.st_ino:x}"


def is_published(claim: Claim, folders: Folders) -> dict[str, Any] | None:
    """The record of this very job, if it is there: then the set is complete."""
    record = read_record(folders.outbox / (claim.note.stem + RECORD))
    return record if record and record["job"] == claim.note.job else None


def finish(claim: Claim, folders: Folders, status: str) -> Path:
    """Move the original of a published job where it belongs and remove the claim."""
    folder = folders.failed if status in ("invalid", "failed") else folders.done
    target = move_aside(claim.original, folder, claim.note.source)
    reached("finish.moved")
    claim.remove()
    reached("finish.removed")
    return target


def remove_orphans(folders: Folders, jobs_in_work: Callable[[], set[str]]) -> None:
    """Remove the temporary files of this inbox's jobs that are no longer in work."""
    mark = _inbox_mark(folders)
    found = [
        (name, match["job"])
        for name in os.listdir(folders.outbox)  # noqa: PTH208 - there may be a million
        if (match := _TEMPORARY.fullmatch(name)) and match["inbox"] == mark
    ]
    alive = jobs_in_work() if found else set()
    for name, job in found:
        if job not in alive:
            with contextlib.suppress(FileNotFoundError):
                (folders.outbox / name).unlink()
