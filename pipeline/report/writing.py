"""The page as a file, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from secrets import token_hex

from pipeline.dropbox.folders import write_new
from pipeline.files import read_regular
from pipeline.published.names import REPORT
from pipeline.report.page import RENEWING, page_pieces

__all__ = ["REPORT", "retire_report", "write_report", "write_whole"]

_BEGINNING = 100
_LARGEST_PAGE = 64 * 1024 * 1024
_ABANDONED = 3600.0
"""Seconds after which nobody writes any more what is not yet in its place."""


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a text beside its place, then put it there. Raises OSError, and leaves nothing."""
    fresh = path.with_name(f".{path.name}-{token_hex(4)}.tmp")
    try:
        write_new(fresh, (piece.encode(errors="backslashreplace") for piece in pieces))
        os.replace(fresh, path)  # noqa: PTH105 - as the dropbox does
    except OSError as error:
        _remove(fresh)
        if error.filename in (None, str(fresh)) and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    except BaseException:
        _remove(fresh)
        raise


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def write_report(outbox: Path, inbox: Path, target: Path, *, is_kept: bool = False) -> None:
    """Write the page about an outbox; one that is kept renews itself. Raises OSError."""
    _clear_away(target)
    write_whole(target, page_pieces(outbox, inbox, target.parent, is_kept=is_kept))


def retire_report(target: Path) -> None:
    """Have a page renew itself no longer: nobody keeps it any more. Raises OSError.

    What we would not have written, as it is too large or no regular file, is left alone.
    """
    if RENEWING.encode() not in read_regular(target, _BEGINNING):
        return
    data = read_regular(target, _LARGEST_PAGE)
    if len(data) <= _LARGEST_PAGE:
        write_whole(target, [data.decode(errors="replace").replace(RENEWING, "", 1)])


def _clear_away(target: Path) -> None:
    """Remove what those left who were killed while they wrote; who is still writing is younger."""
    ours = re.compile(re.escape(f".{target.name}-") + r"[0-9a-f]{8}\.tmp")
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED:
                        _remove(Path(entry.path))
