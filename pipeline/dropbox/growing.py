"""Growing: the files of a set that is made over hours, so that nothing of it is made twice.

They grow in the outbox under temporary names. What is done is noted in the claim, after it was
made to last: how long each file is, and whatever else the job must know to go on.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.folders import Folders, sync_folder
from pipeline.dropbox.publish import temporary_name

PROGRESS = ".progress"
_LONGEST_NOTE = 64 * 1024
State = dict[str, Any]


class Growing:
    """The files of one claim's set, by their names; `state` is what was noted last, or empty.

    A name with a slash is one in the claim's tree. What a crash has left behind of a file
    beyond its noted length is cut off.
    """

    def __init__(self, claim: Claim, folders: Folders) -> None:
        self._claim = claim
        self._folders = folders
        self.tree = temporary_name(claim, folders, "0t")
        self._made = 0
        self._files: dict[str, tuple[Path, int, int]] = {}
        self.state: State = {}
        noted = last_noted(claim.folder)
        try:
            self._resume(noted)
        except (OSError, KeyError, TypeError, ValueError):
            self.close()
            self._files, self.state = {}, {}
        self._progress = (claim.folder / PROGRESS).open("ab" if self.state else "wb")
        self._progress.write(b"\n")  # ends a line that was torn

    def _resume(self, noted: State) -> None:
        for name, (number, length) in noted.get("files", {}).items():
            path = self._path(name, number)
            if not path.exists() and self._claim.note.files:  # its publishing has begun
                path = self._folders.outbox / name
            descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            self._files[name] = (path, descriptor, number)
            if os.fstat(descriptor).st_size < length:
                raise ValueError("a file is shorter than was noted")
            os.ftruncate(descriptor, length)
            os.lseek(descriptor, length, os.SEEK_SET)
            self._made = max(self._made, number)
        self.state = noted

    def _path(self, name: str, number: int) -> Path:
        if "/" in name:
            return self.tree / name.lstrip("/")
        return temporary_name(self._claim, self._folders, f"{number}g")

    def append(self, name: str, data: bytes) -> None:
        """Append to a file of the set, which is made if there is none of that name."""
        if name not in self._files:
            self._made += 1
            path = self._path(name, self._made)
            path.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            self._files[name] = (path, os.open(path, flags, 0o666), self._made)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._files[name][1], rest) :]

    def release(self, name: str) -> None:
        """Make a file last that has grown enough, and forget it."""
        _, descriptor, _ = self._files.pop(name)
        os.fsync(descriptor)
        os.close(descriptor)

    def path(self, name: str) -> Path:
        """Where a file of the set is while it grows."""
        return self._files[name][0]

    def note(self, state: State) -> None:
        """Make everything so far last, then note it together with that state."""
        lengths = {}
        for name, (_, descriptor, number) in self._files.items():
            os.fsync(descriptor)
            lengths[name] = (number, os.lseek(descriptor, 0, os.SEEK_CUR))
        if not self.state:
            sync_folder(self._folders.outbox)
            sync_folder(self._claim.folder)
        self.state = state | {"files": lengths}
        self._progress.write(json.dumps(self.state).encode("ascii") + b"\n")
        self._progress.flush()
        os.fsync(self._progress.fileno())

    def staged(self) -> dict[str, Path]:
        """Where the grown files are, by the names that they shall get."""
        return {name: path for name, (path, _, _) in self._files.items()}

    def close(self) -> None:
        for _, descriptor, _ in self._files.values():
            os.close(descriptor)
        self._files.clear()
        with contextlib.suppress(AttributeError):
            self._progress.close()


def last_noted(folder: Path) -> State:
    """What a claim's progress note says last; empty if nothing was noted."""
    try:
        with (folder / PROGRESS).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LONGEST_NOTE))
            lines = file.read().split(b"\n")
    except OSError:
        return {}
    for line in reversed(lines[:-1]):  # what is behind the last line end is torn
        with contextlib.suppress(ValueError):
            state = json.loads(line)
            return state if isinstance(state, dict) else {}
    return {}


def has_progress(claim: Claim) -> bool:
    """Whether something of a job is done that need not be done again."""
    return bool(last_noted(claim.folder))
