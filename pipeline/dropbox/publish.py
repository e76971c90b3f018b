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
from pipeline.dropbox.folders import Folders, move_aside, sync_file, sync_folder, write_new
from pipeline.dropbox.reserve import RECORD, files_of, identity, read_record
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
    staged: dict[Path, Path] = {}
    try:
        written = _stage(claim, folders, files, staged)
        record = next(_temporary_names(claim, folders, first=len(staged) + 1))
        staged[record] = outbox / (claim.note.stem + RECORD)
        write_new(record, [make(written)])
        for path in staged:  # the first makes most of the others last as well
            sync_file(path)
        reached("publish.staged")
        _withdraw_earlier(claim, outbox, written)
        reached("publish.withdrawn")
        _exchange(claim, outbox, staged)
        record.replace(staged[record])
        sync_folder(outbox)
        reached("publish.recorded")
    except Exception:
        for path in staged:
            with contextlib.suppress(OSError):
                path.unlink()
        raise


def _stage(
    claim: Claim,
    folders: Folders,
    files: Iterable[tuple[str, Iterable[str]]],
    staged: dict[Path, Path],
) -> dict[str, str]:
    """Write the files under temporary names, told in `staged` with where they belong.

    Returns the SHA-256 of each, by its name.
    """
    written: dict[str, str] = {}
    for path, (name, pieces) in zip(_temporary_names(claim, folders), files, strict=False):
        staged[path] = folders.outbox / name
        written[name] = write_new(path, pieces)
        reached("publish.staging")
    return written


def _exchange(claim: Claim, outbox: Path, staged: dict[Path, Path]) -> None:
    """Rename all but the record, and delete what only the earlier set had."""
    *paths, _ = staged
    for path in paths:
        path.replace(staged[path])
        reached("publish.renaming")
    reached("publish.renamed")
    for stale in set(claim.note.files) - {target.name for target in staged.values()}:
        (outbox / stale).unlink(missing_ok=True)
    sync_folder(outbox)
    reached("publish.cleared")


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


def _temporary_names(claim: Claim, folders: Folders, first: int = 1) -> Iterator[Path]:
    """Names to write under, of which nothing is left from an attempt that was cut off."""
    prefix = f".{_inbox_mark(folders)}-{claim.note.job}"
    for number in count(first):
        path = folders.outbox / f"{prefix}-{number}.tmp"
        path.unlink(missing_ok=True)
        yield path


def _inbox_mark(folders: Folders) -> str:
    """Which inbox a temporary file comes from: an outbox may serve several."""
    return identity(folders.inbox.stat())


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
