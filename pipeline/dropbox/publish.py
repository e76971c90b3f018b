"""Publish: a set of files appears in the outbox as a whole, its record last."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.folders import (
    Folders,
    digest_of,
    move_aside,
    sync_file,
    sync_folder,
    write_new,
)
from pipeline.dropbox.reserve import identity
from pipeline.dropbox.steps import reached
from pipeline.published import ENDING, Record, names_in, read_record

MakeRecord = Callable[[Mapping[str, str]], str]
"""From published name → SHA-256 to the record's text."""

File = tuple[str, Iterable[str | bytes] | Path]
"""A name of the set, with its text in pieces, or with where it lies already in the outbox."""

_TEMPORARY = re.compile(
    r"\.(?P<inbox>[0-9a-f]+[.][0-9a-f]+)-(?P<job>[0-9]{8}T[0-9]{6}-[0-9a-f]+)-[0-9]+[a-z]?\.tmp"
)


@dataclass(slots=True)
class Publication:
    """A set that a claim's job has made.

    `tree` is a folder of the outbox that shall get the stem for its name.
    """

    claim: Claim
    files: Callable[[], Iterable[File]]
    make: MakeRecord
    tree: Path | None = None
    staged: dict[Path, Path] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names in the outbox that the set takes, but the record's; a folder's with `/`."""
        *files, _ = self.staged.items()
        return [path.name + "/" * staged.is_dir() for staged, path in files]


def publish(publications: Sequence[Publication], folders: Folders) -> None:
    """Put each set in place of any earlier one of the same source.

    Everything is written under temporary names and made to last before an earlier set is
    touched; what the earlier record lists and the new set lacks is deleted; the record comes
    last. Done again after a crash at any point it ends the same. Several sets are made to last
    together.
    """
    outbox = folders.outbox
    try:
        for each in publications:
            _stage(each, folders)
        for each in publications:
            for path in each.staged:  # the first makes most of the others last as well
                _sync(path)
        reached("publish.staged")
        for each in publications:
            _withdraw_earlier(each, outbox)
        for each in publications:
            _exchange(each, outbox)
        sync_folder(outbox)
        reached("publish.cleared")
        for each in publications:
            *_, record = each.staged
            record.replace(each.staged[record])
        sync_folder(outbox)
        reached("publish.recorded")
    except Exception:
        for each in publications:
            _clear_away(each)
        raise


def _stage(publication: Publication, folders: Folders) -> None:
    """Write the set under temporary names, told in `staged` with where each belongs."""
    claim, staged = publication.claim, publication.staged
    names = _temporary_names(claim, folders)
    written: dict[str, str] = {}
    for name, content in publication.files():
        if isinstance(content, Path):
            staged[content] = folders.outbox / name
            written[name] = digest_of(content)
        else:
            path = next(names)
            staged[path] = folders.outbox / name
            written[name] = write_new(path, content)
        reached("publish.staging")
    if publication.tree:
        target = folders.outbox / claim.note.stem
        staged[publication.tree if publication.tree.exists() else target] = target
    record = next(names)
    staged[record] = folders.outbox / (claim.note.stem + ENDING)
    write_new(record, [publication.make(written)])


def _sync(path: Path) -> None:
    """Make a file last, or the names in a folder."""
    if path.is_dir():
        sync_folder(path)
    else:
        sync_file(path)


def _exchange(publication: Publication, outbox: Path) -> None:
    """Rename all but the record, and delete what only the earlier set had."""
    *paths, _ = publication.staged
    for path in paths:
        target = publication.staged[path]
        if path != target and _is_folder(target):
            _put_away(target, publication.claim)
        if path != target:
            path.replace(target)
        reached("publish.renaming")
    reached("publish.renamed")
    targets = {target.name for target in publication.staged.values()}
    for stale in publication.claim.note.files:
        path = outbox / stale.rstrip("/")
        if path.name in targets:
            continue
        if not stale.endswith("/"):
            path.unlink(missing_ok=True)
        elif _is_folder(path):
            _put_away(path, publication.claim)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _put_away(folder: Path, claim: Claim) -> None:
    """Remove a folder of an earlier set from sight at once, and then for good."""
    _refuse_foreign(folder, claim.note.files)
    aside = claim.folder / ".earlier"
    shutil.rmtree(aside, ignore_errors=True)
    try:
        folder.rename(aside)
    except OSError:  # the outbox is on another filesystem
        shutil.rmtree(folder)
    shutil.rmtree(aside, ignore_errors=True)


def _refuse_foreign(folder: Path, listed: Sequence[str]) -> None:
    """Raises OSError where a folder is not listed as one of an earlier set."""
    if f"{folder.name}/" not in listed:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), folder)


def _clear_away(publication: Publication) -> None:
    """Remove what was written for a set that is not published; what had grown stays."""
    for path, target in publication.staged.items():
        if path != target and _TEMPORARY_TEXT.fullmatch(path.name):
            with contextlib.suppress(OSError):
                path.unlink()
    publication.staged.clear()


_TEMPORARY_TEXT = re.compile(r".*-[0-9]+\.tmp")


def _withdraw_earlier(publication: Publication, outbox: Path) -> None:
    """Save in the claim what will have to be cleared away, then remove the earlier record.

    Raises OSError, before anything is changed, where somebody else's folder is in the way.
    """
    claim = publication.claim
    known: list[str] = []
    earlier = []
    for stem in (claim.note.stem, *claim.note.former):
        path = outbox / (stem + ENDING)
        record = read_record(path)
        if record is not None and record.source == claim.note.source:
            earlier.append(path)
            known += (name for name in names_in(record) if name.startswith(stem))
            known += [f"{stem}/"] if record.status == "archive" else []
    for path, target in publication.staged.items():
        if path == target:
            continue
        if _is_folder(target):
            _refuse_foreign(target, (*known, *claim.note.files))
        elif path.is_dir() and os.path.lexists(target):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), target)
    claim.save_files([*publication.names, *known])
    reached("publish.saved")
    for path in earlier:
        path.unlink()
    if earlier:
        sync_folder(outbox)
    reached("publish.withdrawn")


def temporary_name(claim: Claim, folders: Folders, ending: str) -> Path:
    """A name to write under until what is written is published."""
    return folders.outbox / f".{_inbox_mark(folders)}-{claim.note.job}-{ending}.tmp"


def _temporary_names(claim: Claim, folders: Folders) -> Iterator[Path]:
    """Names to write under, of which nothing is left from an attempt that was cut off."""
    for number in count(1):
        path = temporary_name(claim, folders, str(number))
        path.unlink(missing_ok=True)
        yield path


def _inbox_mark(folders: Folders) -> str:
    """Which inbox a temporary file comes from: an outbox may serve several."""
    return identity(folders.inbox.stat())


def is_published(claim: Claim, folders: Folders) -> Record | None:
    """The record of this very job, if it is there: then the set is complete."""
    record = read_record(folders.outbox / (claim.note.stem + ENDING))
    return record if record and record.job == claim.note.job else None


def finish(finished: Sequence[tuple[Claim, bool]], folders: Folders) -> None:
    """Move the originals of published jobs where they belong and remove the claims.

    With each claim stands whether its original belongs in `failed`.
    """
    shelves = set()
    for claim, is_failed in finished:
        folder = folders.failed if is_failed else folders.done
        shelves.add(move_aside(claim.original, folder, claim.note.source).parent)
    for shelf in shelves:
        sync_folder(shelf)
    reached("finish.moved")
    for claim, _ in finished:
        claim.remove()
        reached("finish.removed")


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
            path = folders.outbox / name
            if _is_folder(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
