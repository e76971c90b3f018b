"""The folders of a run: inbox, outbox, and the folders in the inbox."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path

from pipeline.errors import (
    EnvironmentFailure,
    MissingFolder,
    UsageError,
    is_environmental,
    printable,
)
from pipeline.outbox.names import DONE, FAILED

_AT_FDCWD, _RENAME_NOREPLACE = -100, 1  # from <fcntl.h> and <stdio.h> of Linux
WORK_FOLDER = ".work"
"""The folder in the inbox that contains claims."""


@dataclass(frozen=True)
class Folders:
    """The inbox, the outbox, and the three folders in the inbox."""

    inbox: Path
    outbox: Path

    @cached_property
    def work(self) -> Path:
        return self.inbox / WORK_FOLDER

    @cached_property
    def done(self) -> Path:
        return self.inbox / DONE

    @cached_property
    def failed(self) -> Path:
        return self.inbox / FAILED

    def is_environment_fault(self, error: Exception) -> bool:
        """Whether every job would fail with this error, for example because the disk is full."""
        if not isinstance(error, OSError):
            return isinstance(error, EnvironmentFailure)
        usable = all(
            folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
            for folder in (self.inbox, self.work, self.outbox)
        )
        return is_environmental(error) or not usable

    def prepare(self) -> None:
        """Create the outbox and the folders in the inbox if they are missing.

        The inbox itself is never created. Raises MissingFolder if the inbox or the parent of the
        outbox is missing, EnvironmentFailure if a folder is not writable, UsageError if the outbox
        is inside the inbox. An inbox inside the outbox is allowed.
        """
        self.check_inbox()
        self._refuse_outbox_in_inbox()
        for folder in (self.work, self.done, self.failed, self.outbox):
            try:
                folder.mkdir(exist_ok=True)
            except FileNotFoundError as error:
                parent = printable(str(folder.parent))
                why = f"cannot be created: no such folder: {parent}"
                raise MissingFolder(f"{printable(str(folder))}: {why}") from error
            except OSError as error:
                raise _folder_failure(folder, f"cannot be created: {error.strerror}") from error
        device = self.inbox.stat().st_dev
        for folder in (self.work, self.done, self.failed):
            if folder.stat().st_dev != device:
                why = "not on the filesystem of the inbox, so files cannot be moved into it"
                raise _folder_failure(folder, f"{why}; replace it by a folder on that filesystem")
        for folder in (self.inbox, self.work, self.done, self.failed, self.outbox):
            if not os.access(folder, os.W_OK | os.X_OK):
                raise _folder_failure(
                    folder, "is not writable by this user; change its permissions"
                )

    def check_inbox(self) -> None:
        """Raise MissingFolder if the inbox does not exist."""
        if not self.inbox.is_dir():
            why = (
                "no such folder; `sudoku-pipeline init` creates an inbox and an outbox here, "
                "--inbox names another"
            )
            raise MissingFolder(f"{printable(str(self.inbox))}: {why}")

    def _refuse_outbox_in_inbox(self) -> None:
        """Raise UsageError if the outbox is the inbox or inside it.

        Links on the path of the outbox must not be in the inbox either: they would be processed as
        dropped files.
        """
        ours = set(_identities((self.inbox, self.work, self.done, self.failed)))
        given = self.outbox.absolute()
        steps = (path for path in (given, *given.parents) if path.name not in ("", ".."))
        reals = {_resolved(given), *(_resolved(path.parent) for path in steps)}
        if not ours.isdisjoint(_identities(p for real in reals for p in (real, *real.parents))):
            raise UsageError(
                f"--outbox {printable(str(self.outbox))}: the outbox cannot be the inbox or "
                "inside it; choose another outbox"
            )


def _folder_failure(folder: Path, why: str) -> EnvironmentFailure:
    return EnvironmentFailure(f"{printable(str(folder))}: {why}")


def _resolved(path: Path) -> Path:
    """The path with links resolved, up to the first loop of links."""
    return Path(os.path.realpath(path))


def _identities(folders: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Yield (device, inode) of each folder that exists."""
    for folder in folders:
        with contextlib.suppress(OSError):
            status = folder.stat()
            yield status.st_dev, status.st_ino


def move_to_shelf(path: Path, folder: Path, name: str) -> Path:
    """Move a finished original to `folder/name`; if that exists, to `folder/2/name` and so on.

    `folder`, `folder/2` and so on are the shelves. An original folder whose name is a number never
    goes to `folder/name`, where it could be mistaken for a shelf. Nothing is overwritten. Returns
    the new path.
    """
    first = () if name.isdigit() and is_folder(path) else (folder,)
    targets = (shelf / name for shelf in chain(first, _shelves(folder)))
    target = next(target for target in targets if not os.path.lexists(target))
    path.rename(target)
    return target


def _shelves(folder: Path) -> Iterator[Path]:
    """Yield the shelves `2`, `3` and so on in a folder, creating each on demand."""
    for number in count(2):
        shelf = folder / str(number)
        with contextlib.suppress(FileExistsError):
            shelf.mkdir()
        if is_folder(shelf):
            yield shelf


def is_folder(path: Path) -> bool:
    """Whether the path is a folder and not a link."""
    return path.is_dir() and not path.is_symlink()


def move_back(path: Path, target: Path) -> bool:
    """Move a file back to `target`. Returns False if `target` exists."""
    try:
        os.link(path, target, follow_symlinks=False)
    except FileExistsError:
        if path.lstat() != target.lstat():
            return False
    except OSError:  # hard links are unsupported, or forbidden for another user's file
        return _rename_exclusively(path, target)
    path.unlink()
    return True


def _rename_exclusively(path: Path, target: Path) -> bool:
    """Rename a file atomically. Returns False if the target exists or this is unsupported."""
    import ctypes  # noqa: PLC0415 - rarely needed

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    paths = (os.fsencode(path), os.fsencode(target))
    code: int = renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_NOREPLACE)
    return code == 0
