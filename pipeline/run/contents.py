"""What a claimed thing holds: one puzzle, or a job of many."""

from __future__ import annotations

import stat

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.growing import Growing
from pipeline.dropbox.settle import kind_in_words
from pipeline.errors import InvalidPuzzle, printable
from pipeline.parse import oversize
from pipeline.run.archive import Archive
from pipeline.run.bulk import Bulk, Single
from pipeline.run.collection import Collection
from pipeline.run.pool import Workers
from pipeline.run.sources import source_in
from pipeline.settings import Settings
from pipeline.unpack import PeekableStream, Room, UnpackError, check_readable, kind_of, opened


def content_of(
    claim: Claim, folders: Folders, settings: Settings, workers: Workers
) -> Single | Bulk:
    """What has been claimed, by its content alone. Raises OSError."""
    status = claim.original.lstat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return _refused(claim, "a file or a folder", kind_in_words(status.st_mode), None)
    try:
        many = _many(claim, folders, settings)
        if isinstance(many, Single):
            return many
        growing, content = many
        return Bulk(content, growing, workers, claim)
    except UnpackError as error:
        return Single(None, status.st_size, f"{printable(claim.note.source)}: {error}")
    except PermissionError:
        expected, found = "a file that may be read", "no permission to read it"
        return _refused(claim, expected, found, status.st_size)


def _many(
    claim: Claim, folders: Folders, settings: Settings
) -> Single | tuple[Growing, Archive | Collection]:
    limits = Room(settings.max_total_bytes)
    kind = kind_of(claim.original)
    if kind in ("zip", "tar", "folder"):
        if kind != "folder":
            check_readable(claim.original, limits)
        growing = Growing(claim, folders, settings.terms)
        return growing, Archive(claim, growing, settings, kind)
    size, most = claim.original.stat().st_size, settings.max_bytes
    with PeekableStream(opened(claim.original, limits)) as stream:
        source = source_in(stream, printable(claim.note.source), settings)
        if source is not None:
            growing = Growing(claim, folders, settings.terms)
            return growing, Collection(claim, growing, source, settings, kind)
        too_large = kind == "plain" and size > most
        data = b"" if too_large else stream.whole(most + 1)
    if too_large or len(data) > most:
        found = f"{size} bytes" if too_large else "more"
        return Single(None, size, str(oversize(claim.note.source, most, found)))
    return Single(data, size)


def _refused(claim: Claim, expected: str, found: str, size: int | None) -> Single:
    error = InvalidPuzzle(claim.note.source, None, None, expected, found)
    return Single(None, size, str(error))
