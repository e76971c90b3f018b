"""Folders: a tree of files, walked in the order of the names' bytes, following no link."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from pathlib import Path

from pipeline.errors import is_environmental
from pipeline.files import SAFELY, is_junk
from pipeline.unpack.entries import Entry, refusal_of
from pipeline.unpack.limits import Budget
from pipeline.unpack.names import DEEPEST
from pipeline.unpack.streams import Meter, chunks_of, counted, opened_regular

_FOLDER = SAFELY | os.O_DIRECTORY


def folder_entries(path: Path, budget: Budget, meter: Meter | None) -> Generator[Entry]:
    """The files below a folder; what cannot be read is refused.

    Raises OSError if the folder itself cannot be read, or where the machine is at fault.
    """
    yield from _walk(os.open(path, _FOLDER), "", budget, meter)


def _walk(folder: int, prefix: str, budget: Budget, meter: Meter | None) -> Generator[Entry]:
    """The files below an open folder, which is closed; `prefix` is its name, with a `/`."""
    try:
        for name in _names(folder, budget):
            try:
                yield from _found(folder, name, prefix + name, budget, meter)
            except OSError as error:
                if is_environmental(error):
                    raise
                yield Entry(prefix + name, f"it cannot be read: {error.strerror or error}")
    finally:
        os.close(folder)


def _names(folder: int, budget: Budget) -> list[str]:
    """The names in a folder in order, but for those that hold nothing of interest."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not is_junk(entry.name):
                names.append(entry.name)
                budget.admit(len(names))
    return sorted(names, key=os.fsencode)


def _found(
    folder: int, name: str, path: str, budget: Budget, meter: Meter | None
) -> Generator[Entry]:
    """What lies under one name."""
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode):
        if path.count("/") < DEEPEST:
            yield from _walk(os.open(name, _FOLDER, dir_fd=folder), path + "/", budget, meter)
        else:
            yield Entry(path)
    elif refusal := refusal_of(mode):
        yield Entry(path, refusal)
    else:
        with opened_regular(name, folder, meter) as file:
            yield Entry(path, chunks=counted(chunks_of(file), budget), file=file)
