"""The places in an inbox and an outbox."""

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
WORK = ".work"


@dataclass(frozen=True)
class Folders:
    """The two folders that users see, and the three within the inbox."""

    inbox: Path
    outbox: Path

    @cached_property
    def work(self) -> Path:
        return self.inbox / WORK

    @cached_property
    def done(self) -> Path:
        return self.inbox / DONE

    @cached_property
    def failed(self) -> Path:
        return self.inbox / FAILED

    def is_environment_fault(self, error: Exception) -> bool:
        """Whether all jobs would fail so: no room, or a folder that is not writable."""
        if not isinstance(error, OSError):
            return isinstance(error, EnvironmentFailure)
        usable = all(
            folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
            for folder in (self.inbox, self.work, self.outbox)
        )
        return is_environmental(error) or not usable

    def prepare(self) -> None:
        """Create what is missing below the inbox, and the outbox; never the inbox itself.

        Raises MissingFolder without an inbox or the folder above the outbox, EnvironmentFailure if
        a folder is not writable, UsageError if the outbox is in the inbox. An inbox in the outbox
        does no harm.
        """
        self.check_inbox()
        self._refuse_outbox_in_inbox()
        for folder in (self.work, self.done, self.failed, self.outbox):
            try:
                folder.mkdir(exist_ok=True)
            except FileNotFoundError as error:
                above = printable(str(folder.parent))
                why = f"cannot be created: no such folder: {above}"
                raise MissingFolder(f"{printable(str(folder))}: {why}") from error
            except OSError as error:
                raise _failure(folder, f"cannot be created: {error.strerror}") from error
        device = self.inbox.stat().st_dev
        for folder in (self.work, self.done, self.failed):
            if folder.stat().st_dev != device:
                why = "not on the filesystem of the inbox; files are renamed"
                raise _failure(folder, f"{why} from one to the other")
        for folder in (self.inbox, self.work, self.done, self.failed, self.outbox):
            if not os.access(folder, os.W_OK | os.X_OK):
                raise _failure(folder, "is not writable")

    def check_inbox(self) -> None:
        """Raise MissingFolder if there is no inbox."""
        if not self.inbox.is_dir():
            why = "no such folder; create it, or choose another with --inbox"
            raise MissingFolder(f"{printable(str(self.inbox))}: {why}")

    def _refuse_outbox_in_inbox(self) -> None:
        """Raise UsageError if the outbox is, or lies in, the inbox or a folder of its own.

        No folder on its path may lie there either: it would be taken for a dropped one.
        """
        ours = set(_identities((self.inbox, self.work, self.done, self.failed)))
        given = self.outbox.absolute()
        way = (each for each in (given, *given.parents) if each.name not in ("", ".."))
        places = {_real(given), *(_real(each.parent) for each in way)}
        if not ours.isdisjoint(_identities(p for each in places for p in (each, *each.parents))):
            raise UsageError(
                f"--outbox {printable(str(self.outbox))}: the inbox, and what lies in it, cannot "
                "be the outbox"
            )


def _failure(folder: Path, why: str) -> EnvironmentFailure:
    return EnvironmentFailure(f"{printable(str(folder))}: {why}")


def _real(path: Path) -> Path:
    """The path with all links resolved; as far as possible if they form a circle."""
    return Path(os.path.realpath(path))


def _identities(folders: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Device and inode of each existing folder, however it is mounted or named."""
    for folder in folders:
        with contextlib.suppress(OSError):
            status = folder.stat()
            yield status.st_dev, status.st_ino


def move_to_shelf(path: Path, folder: Path, name: str) -> Path:
    """Move a finished original to `folder/name`, or `folder/2/name`, `folder/3/name` and so on.

    A folder named by a number would be taken for one of these shelves: it never goes to
    `folder/name`. Nothing is overwritten. Returns where it went.
    """
    first = () if name.isdigit() and is_folder(path) else (folder,)
    targets = (place / name for place in chain(first, _shelves(folder)))
    target = next(target for target in targets if not os.path.lexists(target))
    path.rename(target)
    return target


def _shelves(folder: Path) -> Iterator[Path]:
    """The folders `2`, `3` and so on, each created on demand."""
    for number in count(2):
        shelf = folder / str(number)
        with contextlib.suppress(FileExistsError):
            shelf.mkdir()
        if is_folder(shelf):
            yield shelf


def is_folder(path: Path) -> bool:
    """Whether a folder is there, not a link to one."""
    return path.is_dir() and not path.is_symlink()


def return_to(path: Path, target: Path) -> bool:
    """Move a file back to `target` unless something is there; whether it was moved."""
    try:
        os.link(path, target, follow_symlinks=False)
    except FileExistsError:
        if path.lstat() != target.lstat():
            return False
    except OSError:  # no hard links here, or not to another user's file
        return _rename_to_nothing(path, target)
    path.unlink()
    return True


def _rename_to_nothing(path: Path, target: Path) -> bool:
    """Rename unless something is there, atomically; False also if that is not supported."""
    import ctypes  # noqa: PLC0415 - hardly ever needed

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    paths = (os.fsencode(path), os.fsencode(target))
    code: int = renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_NOREPLACE)
    return code == 0
