"""Where originals go when their job is done: `done` and `failed`, with shelves for namesakes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

DONE, FAILED = "done", "failed"


@dataclass(frozen=True, slots=True)
class Originals:
    """Folders of originals, each with its shelves."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Iterable[Path]) -> Self:
        """These folders with their shelves; a `done` also brings the `failed` beside it.

        Raises OSError.
        """
        found: list[Path] = []
        for folder in folders:
            beside = [folder.with_name(FAILED)] if folder.name == DONE else []
            for each in (folder, *beside):
                found += (each, *shelves_in(each)) if each.is_dir() else ()
        return cls(tuple(dict.fromkeys(found)))

    def names(self) -> set[str]:
        """The names of all originals. Raises OSError."""
        paths = (path for folder in self.folders for path in folder.iterdir())
        shelves = {*self.folders}
        return {path.name for path in paths if path not in shelves and path.name[0] != "."}

    def named(self, source: str) -> list[Path]:
        """All originals with the name of a source, a file name; the latest first."""
        found = []
        for folder in self.folders:
            with suppress(OSError, ValueError):
                found.append(((folder / source).lstat().st_ctime_ns, folder / source))
        return [path for _, path in sorted(found, reverse=True)]


def shelves_in(folder: Path) -> list[Path]:
    """The folders `2`, `3`, … for further originals of one name. Raises OSError."""
    with os.scandir(folder) as entries:
        names = [e.name for e in entries if e.name.isdecimal() and e.is_dir(follow_symlinks=False)]
    return [folder / name for name in sorted(names, key=int)]


def files_in(folder: Path) -> Iterator[Path]:
    """Everything in `done` or `failed`, with the content of the shelves."""
    if not folder.is_dir():
        return
    shelves = {*shelves_in(folder)}
    for path in sorted(folder.iterdir()):
        if path in shelves:
            yield from sorted(path.iterdir())
        else:
            yield path
