"""Growing: the files of a set that takes hours, so that no part of it is made twice.

They grow in the outbox under temporary names. Progress is noted in the claim once it is durable:
how long each file is, and whatever else the job must know to go on.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pipeline.files import digest_of, opened, write_all
from pipeline.service.protocol.claim import APPENDING, Claim, last_object
from pipeline.service.protocol.durable import sync, sync_open
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.publish import CheckpointedFile, temporary_name

PROGRESS = ".progress"


@dataclass(slots=True)
class _PartialFile:
    """A growing file: its path, its number among those of its claim, and its length.

    `hashed` is all of it, unless an earlier run began it.
    """

    path: Path
    number: int
    length: int = 0
    fresh: bool = False
    hashed: Any = None


class CheckpointedFiles:
    """The files of one claim's set, by name; `state` is what was noted last, or empty.

    A name with a slash is one in the claim's tree. After a crash a file is cut off at
    its noted length. Notes made under another `key` do not count: `key` describes
    everything besides the source on which the files depend.
    """

    def __init__(self, claim: Claim, folders: Folders, key: str = "") -> None:
        self._claim = claim
        self._folders = folders
        self._key = key
        self.tree = temporary_name(claim, folders, "0t")
        self._files: dict[str, _PartialFile] = {}
        self.state: dict[str, Any] = {}
        self._made = 0
        try:
            self._resume(last_checkpoint(claim.folder))
        except (OSError, AttributeError, KeyError, TypeError, ValueError):
            self._files.clear()
            self.state = {}
            shutil.rmtree(self.tree, ignore_errors=True)
        if not self.state:
            (claim.folder / PROGRESS).unlink(missing_ok=True)

    def _resume(self, checkpoint: dict[str, Any]) -> None:
        if checkpoint and checkpoint["terms"] != self._key:
            raise ValueError("it was written under another key")
        for name, (number, length) in checkpoint.get("files", {}).items():
            path = self._path(name, number)
            if not path.exists() and self._claim.manifest.files:  # its publishing has begun
                path = self._folders.outbox / name
            if path.lstat().st_size < length:
                raise ValueError("a file is shorter than in the checkpoint")
            with opened(path, os.O_WRONLY) as descriptor:
                os.ftruncate(descriptor, length)
            self._files[name] = _PartialFile(path, number, length)
            self._made = max(self._made, number)
        self.state = checkpoint

    def _path(self, name: str, number: int) -> Path:
        if "/" in name:
            return self.tree / name.lstrip("/")
        return temporary_name(self._claim, self._folders, f"{number}g")

    def append(self, name: str, data: bytes) -> None:
        """Append to a file of the set; it is created if it does not exist."""
        file, flags = self._files.get(name), os.O_APPEND
        if file is None:
            self._made += 1
            file = _PartialFile(self._path(name, self._made), self._made, hashed=sha256())
            self._files[name] = file
            file.path.unlink(missing_ok=True)
            flags = os.O_CREAT | os.O_EXCL
        with opened(file.path, os.O_WRONLY | flags) as descriptor:
            write_all(descriptor, data)
        if file.hashed:
            file.hashed.update(data)
        file.length += len(data)
        file.fresh = True

    def release(self, name: str) -> None:
        """Make a complete file durable, and forget it."""
        sync(self._files.pop(name).path)

    def path(self, name: str) -> Path:
        return self._files[name].path

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Make everything so far durable, then note it together with that state."""
        for file in self._files.values():
            if file.fresh:
                sync(file.path)
                file.fresh = False
        lengths = {name: (file.number, file.length) for name, file in self._files.items()}
        with opened(self._claim.folder / PROGRESS, APPENDING) as descriptor:
            if not self.state:
                sync(self._folders.outbox)
                self._claim.sync()
            self.state = state | {"files": lengths, "terms": self._key}
            line = json.dumps(self.state).encode("ascii")
            write_all(descriptor, b"\n%b\n" % line)  # the last line may be torn
            sync_open(descriptor)

    def staged(self) -> dict[str, CheckpointedFile]:
        """The grown files, by the names that they will get."""
        return {
            name: CheckpointedFile(
                file.path, file.hashed.hexdigest() if file.hashed else digest_of(file.path)
            )
            for name, file in self._files.items()
        }

    def discard(self) -> None:
        """Remove the growing files, of which nothing was noted: a full disk may need the room."""
        for file in self._files.values():
            with contextlib.suppress(OSError):
                file.path.unlink()
        shutil.rmtree(self.tree, ignore_errors=True)


def last_checkpoint(folder: Path) -> dict[str, Any]:
    """The last state in a claim's progress note; empty if nothing was noted."""
    with contextlib.suppress(OSError):
        return last_object(folder / PROGRESS)
    return {}


def has_progress(claim: Claim) -> bool:
    """Whether some of a job's work is done and need not be repeated."""
    return bool(last_checkpoint(claim.folder))
