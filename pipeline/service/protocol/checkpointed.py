"""Checkpointed files: files to be published that may take hours to write.

The files are written to the outbox under temporary names. From time to time they are made durable,
and a checkpoint is written to the claim: the length of each file, and the state from which the job
continues after a crash.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from pipeline.files import digest_of, opened, write_all
from pipeline.service.protocol.claim import APPEND_FLAGS, Claim, last_json_object
from pipeline.service.protocol.durable import sync, sync_open
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.publish import CheckpointedFile, temporary_path

PROGRESS = ".progress"
"""The file in a claim that contains the checkpoints, one JSON object per line."""


@dataclass(slots=True)
class _PartialFile:
    """A partly written file.

    - `number`: its number in its claim.
    - `length`: bytes written so far.
    - `is_dirty`: whether it was written since the last checkpoint.
    - `sha256`: the hash of its content so far; None if an earlier run started the file.
    """

    path: Path
    number: int
    length: int = 0
    is_dirty: bool = False
    sha256: Any = None


class CheckpointedFiles:
    """The checkpointed files of a claim, by name.

    A name with a slash is a path in the claim's tree. `state` is the last checkpoint, or empty
    without a checkpoint. After a crash, files are truncated to their length in the checkpoint.
    `key` describes everything that determines the files, except the source; a checkpoint with
    another key is ignored.
    """

    def __init__(self, claim: Claim, folders: Folders, key: str = "") -> None:
        self._claim = claim
        self._folders = folders
        self._key = key
        self.tree = temporary_path(claim, folders, "0t")
        self._files: dict[str, _PartialFile] = {}
        self.state: dict[str, Any] = {}
        self._last_number = 0
        try:
            self._resume(last_checkpoint(claim.folder))
        except (OSError, AttributeError, KeyError, TypeError, ValueError):
            self._files.clear()
            self.state = {}
            shutil.rmtree(self.tree, ignore_errors=True)
        if not self.state:
            (claim.folder / PROGRESS).unlink(missing_ok=True)

    def _resume(self, checkpoint: dict[str, Any]) -> None:
        """Restore the files of a checkpoint. Raises an exception if that is impossible."""
        if checkpoint and checkpoint["terms"] != self._key:
            raise ValueError("the checkpoint has another key")
        for name, (number, length) in checkpoint.get("files", {}).items():
            path = self._path(name, number)
            if not path.exists() and self._claim.manifest.files:  # published already
                path = self._folders.outbox / name
            if path.lstat().st_size < length:
                raise ValueError("a file is shorter than in the checkpoint")
            with opened(path, os.O_WRONLY) as descriptor:
                os.ftruncate(descriptor, length)
            self._files[name] = _PartialFile(path, number, length)
            self._last_number = max(self._last_number, number)
        self.state = checkpoint

    def _path(self, name: str, number: int) -> Path:
        """The path of a file before publication."""
        if "/" in name:
            return self.tree / name.lstrip("/")
        return temporary_path(self._claim, self._folders, f"{number}g")

    def __contains__(self, name: str) -> bool:
        """Whether a file was begun."""
        return name in self._files

    def append(self, name: str, data: bytes) -> None:
        """Append to a file of the set; create it if necessary."""
        file, flags = self._files.get(name), os.O_APPEND
        if file is None:
            number = self._last_number = self._last_number + 1
            file = _PartialFile(self._path(name, number), number, sha256=sha256())
            self._files[name] = file
            file.path.unlink(missing_ok=True)
            flags = os.O_CREAT | os.O_EXCL
        with opened(file.path, os.O_WRONLY | flags) as descriptor:
            write_all(descriptor, data)
        if file.sha256:
            file.sha256.update(data)
        file.length += len(data)
        file.is_dirty = True

    @contextlib.contextmanager
    def new_file(self, name: str) -> Iterator[BinaryIO]:
        """Context manager: write a whole file of the set. It replaces an earlier one."""
        if earlier := self._files.pop(name, None):
            earlier.path.unlink(missing_ok=True)
        number = self._last_number = self._last_number + 1
        path = self._path(name, number)
        with path.open("wb") as file:
            yield file
        self._files[name] = _PartialFile(path, number, path.stat().st_size, is_dirty=True)

    def release(self, name: str) -> None:
        """Make a complete file durable, and stop tracking it."""
        sync(self._files.pop(name).path)

    def path(self, name: str) -> Path:
        """The current path of a file."""
        return self._files[name].path

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Make all files durable, then write a checkpoint with this state."""
        for file in self._files.values():
            if file.is_dirty:
                sync(file.path)
                file.is_dirty = False
        lengths = {name: (file.number, file.length) for name, file in self._files.items()}
        with opened(self._claim.folder / PROGRESS, APPEND_FLAGS) as descriptor:
            if not self.state:
                sync(self._folders.outbox)
                self._claim.sync()
            self.state = state | {"files": lengths, "terms": self._key}
            line = json.dumps(self.state).encode("ascii")
            write_all(descriptor, b"\n%b\n" % line)  # the last line may be incomplete
            sync_open(descriptor)

    def staged_files(self) -> dict[str, CheckpointedFile]:
        """Return {final name: path and SHA-256} of all files."""
        return {
            name: CheckpointedFile(
                file.path, file.sha256.hexdigest() if file.sha256 else digest_of(file.path)
            )
            for name, file in self._files.items()
        }

    def discard(self) -> None:
        """Remove all files, to start again or to free disk space."""
        for file in self._files.values():
            with contextlib.suppress(OSError):
                file.path.unlink()
        shutil.rmtree(self.tree, ignore_errors=True)


def last_checkpoint(folder: Path) -> dict[str, Any]:
    """The last checkpoint in the folder of a claim; empty without a checkpoint."""
    with contextlib.suppress(OSError):
        return last_json_object(folder / PROGRESS)
    return {}


def has_progress(claim: Claim) -> bool:
    """Whether there is a checkpoint from which the job of a claim can continue."""
    return bool(last_checkpoint(claim.folder))
