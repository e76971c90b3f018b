"""Put uploaded files into the inbox, and track them until their results are published."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from html import escape
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pipeline.errors import InputError, printable
from pipeline.files import is_ignored, numbered_paths, remove_abandoned, temporary_beside
from pipeline.outbox.names import DONE, FAILED, claim_key, fold
from pipeline.outbox.report import job_fragment
from pipeline.quantities import SIZE
from pipeline.reading import Unreadable
from pipeline.reading.read import source_in
from pipeline.service.protocol.claiming import is_in_work
from pipeline.service.protocol.durable import sync, sync_open
from pipeline.service.protocol.folders import Folders, move_back
from pipeline.service.protocol.overview import (
    FileState,
    latest_record,
    progress_text,
    read_overview,
)
from pipeline.settings import Settings
from pipeline.solving.drawing import line_at, with_caret

_UPLOAD_NAME = "incoming"
"""Part of the temporary name of a file that is being received."""
_MAX_TRACKED_FILES = 20
"""Maximum number of files whose states are shown."""
_MAX_NAME_BYTES = 100
"""Maximum length of a file's name before it is numbered."""
_MAX_CHECKED_BYTES, _EXCERPT_CHARACTERS = 64 * 1024, 60
"""Maximum size of a pasted text that is checked before it is placed, and maximum length of the line
that an error shows."""
_PASTED = "pasted text"
"""The name of a pasted text in the message of an error."""
_MAX_NAMED = 5
"""Maximum number of files in each state that the queue names."""
_MAX_NUMBERED_NAMES, _MAX_NAMES = 9, 20
"""Maximum number of numbered names, and of all names, that are tried for a file."""
_CARD = '<article class="card"><h3><bdi>{}</bdi></h3><p class="undrawn">{} …</p></article>'
"""HTML of the card of an unfinished file: its name and its state."""


class DroppedFile(NamedTuple):
    """A dropped file, and an HTML card that shows it.

    `state`: the status of its result if `is_done`, else where the file is.
    """

    name: str
    state: str
    html: str
    is_done: bool = False


class PasteError(NamedTuple):
    """Why a pasted text is not a puzzle.

    - `line`, `column`: the position of the error, from 1; None if it has none.
    - `excerpt`: this line, with a caret below the column; empty without a position.
    - `read_as`: the format that was tried, and why.
    """

    message: str
    line: int | None
    column: int | None
    excerpt: str
    read_as: str


class Client:
    """Puts files into the inbox, and tracks the latest of them."""

    def __init__(self, folders: Folders, settings: Settings) -> None:
        self._folders = folders
        self._settings = settings
        self._max_bytes = settings.max_bytes
        self._ids = count(10**6, 10**6)  # boards in the report have lower ids
        self._names = deque[str](maxlen=_MAX_TRACKED_FILES)
        self._done = dict[str, DroppedFile]()
        remove_abandoned(folders.inbox / _UPLOAD_NAME)

    @contextmanager
    def new_upload(self) -> Iterator[BinaryIO]:
        """Open a new file with a name that `watch` ignores; removed unless `place` moves it."""
        path = temporary_beside(self._folders.inbox / _UPLOAD_NAME)
        with path.open("x+b") as file:
            try:
                yield file
            finally:
                path.unlink(missing_ok=True)

    def add(self, file: BinaryIO, data: bytes) -> None:
        """Append to a file. Raises InputError if it becomes too large."""
        if file.tell() + len(data) > self._max_bytes:
            message = f"the file is larger than {SIZE.text_of(self._max_bytes)}, see --max-bytes"
            raise InputError(f"{message}; copy large files to the inbox folder instead")
        file.write(data)

    def paste_error(self, file: BinaryIO) -> PasteError | None:
        """Check a received text before it is placed; None if it may be a puzzle, or is large."""
        size = file.tell()
        if not 0 < size <= _MAX_CHECKED_BYTES:
            return None
        file.seek(0)
        data = file.read()
        source, _ = source_in(data, _PASTED, self._settings)
        if not isinstance(source, Unreadable):
            return None
        if source.place is None:
            message = source.reason.removeprefix(f"{_PASTED}: ")
            return PasteError(message, None, None, "", source.read_as)
        line, column = source.place
        text = line_at(data, line)
        return PasteError(
            source.reason.removeprefix(f"{_PASTED}:{line}:{column}: "),
            line,
            column,
            "" if text is None else with_caret(text, column, _EXCERPT_CHARACTERS),
            source.read_as,
        )

    def place(self, file: BinaryIO, requested_name: str) -> str:
        """Move a received file into the inbox, sync the inbox, and return the file's name there.

        `requested_name` is empty for pasted text, whose name will contain the time. Raises
        InputError if the file is empty, or if all candidate names are used.
        """
        if not file.tell():
            raise InputError("the file is empty")
        file.flush()
        sync_open(file.fileno())
        file.close()
        inbox = self._folders.inbox
        for name in islice(_candidate_names(requested_name), _MAX_NAMES):
            if not self._is_used(name) and move_back(Path(file.name), inbox / name):
                sync(inbox)
                self._names.appendleft(name)
                return name
        raise InputError(
            "this name and its numbered alternatives are all taken; rename the file and try again"
        )

    def _is_used(self, name: str) -> bool:
        """Whether a file or result with this name exists."""
        folders = self._folders
        places = (folder / name for folder in (folders.inbox, folders.done, folders.failed))
        is_there = any(map(os.path.lexists, places)) or is_in_work(folders, name)
        return is_there or latest_record(folders, name) is not None

    def recent_files(self) -> list[DroppedFile]:
        """The tracked files with their states, from the latest to the earliest."""
        files = [self._done.get(name) or self._find_state(name) for name in [*self._names]]
        self._done = {file.name: file for file in files if file.is_done}
        return files

    def _find_state(self, name: str) -> DroppedFile:
        """Find the state of a file.

        The folders are searched in the order in which files move through them, so that a file is
        found even if it moves meanwhile.
        """
        folders = self._folders
        if (folders.inbox / name).exists():
            state = "waiting in the inbox"
        elif is_in_work(folders, name):
            state = f"in progress{progress_text(folders.work / claim_key(name))}"
        elif latest := latest_record(folders, name):
            html = job_fragment(latest[0], folders.inbox, next(self._ids))
            html = html or _CARD.format(name, "…")
            return DroppedFile(name, latest[1].status, html, is_done=True)
        else:
            state = "removed from the inbox"
        return DroppedFile(name, state, _CARD.format(escape(name), escape(state)))


def queue(folders: Folders, settle: float) -> dict[str, Any]:
    """The number of files in each state, and the names and notes of the first of them, as JSON."""
    overview = read_overview(folders, settle)

    def listed(files: list[FileState]) -> dict[str, Any]:
        return {
            "count": len(files),
            "files": [{"name": printable(f.name), "note": f.note} for f in files[:_MAX_NAMED]],
        }

    return {
        "waiting": listed([*overview.waiting, *overview.settling]),
        "in_progress": listed(overview.in_work),
        "failed": listed(overview.failed),
        "done": overview.done,
    }


def _candidate_names(requested_name: str) -> Iterator[str]:
    """Yield names to try: the requested one, then numbered ones, then ones with the current time.

    Numbers alone would be slow if many files have the same name: each would try all used numbers.
    """
    path = Path(safe_name(requested_name or "pasted.txt"))
    if requested_name:
        yield from (
            numbered_path.name
            for numbered_path in islice(numbered_paths(path), _MAX_NUMBERED_NAMES)
        )
    while True:
        yield f"{path.stem}-{datetime.now():%Y%m%d-%H%M%S-%f}{path.suffix}"  # noqa: DTZ005 - local time, for people


def safe_name(requested_name: str) -> str:
    """The requested name without its path and unusual characters.

    If the inbox would ignore that name, `.txt` is appended.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", requested_name))[-1]
    kept = re.sub(r"[^\w .,()+=@~-]", "_", last).encode()[-_MAX_NAME_BYTES:]
    name = kept.decode(errors="ignore").strip(" .~")
    return (
        f"{name or 'puzzle'}.txt" if is_ignored(name) or fold(name) in ("", DONE, FAILED) else name
    )
