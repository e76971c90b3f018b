"""Put files into the inbox, and track them until their results are published."""

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
from typing import BinaryIO, NamedTuple

from pipeline.errors import InputError
from pipeline.files import is_left, numbered, remove_abandoned, temporary_beside
from pipeline.outbox.names import DONE, FAILED, claim_key, fold
from pipeline.outbox.report import job_fragment
from pipeline.quantities import SIZE
from pipeline.service.protocol.claiming import is_in_work
from pipeline.service.protocol.durable import sync, sync_open
from pipeline.service.protocol.folders import Folders, return_to
from pipeline.service.protocol.overview import progress_text, published

_INCOMING = "incoming"
_MAX_REMEMBERED, _MAX_NAME_BYTES = 20, 100
_MAX_NUMBERED, _MAX_NAMES = 9, 20
"""How many names to try: with a number, and in total."""
_CARD = '<article class="card"><h3><bdi>{}</bdi></h3><p class="undrawn">{} …</p></article>'


class Dropped(NamedTuple):
    """A dropped file and a card that shows it. `state`: where it is, or its status if `is_done`."""

    name: str
    state: str
    html: str
    is_done: bool = False


class Client:
    """Puts files of up to `max_bytes` into the inbox, and remembers the last ones."""

    def __init__(self, folders: Folders, max_bytes: int) -> None:
        self._folders = folders
        self._max_bytes = max_bytes
        self._ids = count(10**6, 10**6)  # boards in the report have lower ids
        self._names = deque[str](maxlen=_MAX_REMEMBERED)
        self._done = dict[str, Dropped]()
        remove_abandoned(folders.inbox / _INCOMING)

    @contextmanager
    def receiving(self) -> Iterator[BinaryIO]:
        """Open a new file with a name that the inbox ignores; removed unless `place` is called."""
        path = temporary_beside(self._folders.inbox / _INCOMING)
        with path.open("xb") as file:
            try:
                yield file
            finally:
                path.unlink(missing_ok=True)

    def add(self, file: BinaryIO, data: bytes) -> None:
        """Append to a file. Raises InputError if it becomes too large."""
        if file.tell() + len(data) > self._max_bytes:
            message = f"larger than {SIZE.text_of(self._max_bytes)}, the limit of --max-bytes"
            raise InputError(f"{message}; copy large files to the inbox yourself")
        file.write(data)

    def place(self, file: BinaryIO, wanted: str) -> str:
        """Move a received file into the inbox, durably; returns its new name. Raises InputError.

        If `wanted` is empty, the file was pasted, and its name will contain the time.
        """
        if not file.tell():
            raise InputError("the file is empty")
        file.flush()
        sync_open(file.fileno())
        file.close()
        inbox = self._folders.inbox
        for name in islice(_candidate_names(wanted), _MAX_NAMES):
            if not self._is_used(name) and return_to(Path(file.name), inbox / name):
                sync(inbox)
                self._names.appendleft(name)
                return name
        raise InputError("no unused name was found for this file; rename it and try again")

    def _is_used(self, name: str) -> bool:
        folders = self._folders
        places = (folder / name for folder in (folders.inbox, folders.done, folders.failed))
        is_there = any(map(os.path.lexists, places)) or is_in_work(folders, name)
        return is_there or published(folders, name) is not None

    def recent_files(self) -> list[Dropped]:
        """The states of the most recent files, latest first."""
        files = [self._done.get(name) or self._find(name) for name in [*self._names]]
        self._done = {file.name: file for file in files if file.is_done}
        return files

    def _find(self, name: str) -> Dropped:
        """Find a file. The folders are checked in the order in which it moves through them."""
        folders = self._folders
        if (folders.inbox / name).exists():
            state = "waiting in the inbox"
        elif is_in_work(folders, name):
            state = f"in work{progress_text(folders.work / claim_key(name))}"
        elif latest := published(folders, name):
            html = job_fragment(latest[0], folders.inbox, next(self._ids))
            html = html or _CARD.format(name, "…")
            return Dropped(name, latest[1].status, html, is_done=True)
        else:
            state = "removed from the inbox"
        return Dropped(name, state, _CARD.format(escape(name), escape(state)))


def _candidate_names(wanted: str) -> Iterator[str]:
    """Yield names to try: the file's own, then with a number, then with the time in microseconds.

    If there were only numbers, every further file would try all the used ones again.
    """
    path = Path(safe_name(wanted or "pasted.txt"))
    if wanted:
        yield from (numbered_path.name for numbered_path in islice(numbered(path), _MAX_NUMBERED))
    while True:
        yield f"{path.stem}-{datetime.now():%Y%m%d-%H%M%S-%f}{path.suffix}"  # noqa: DTZ005 - a name for people


def safe_name(wanted: str) -> str:
    """A safe name like the wanted one: without a path or unusual characters, and not ignored."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", wanted))[-1]
    kept = re.sub(r"[^\w .,()+=@~-]", "_", last).encode()[-_MAX_NAME_BYTES:]
    name = kept.decode(errors="ignore").strip(" .~")
    return f"{name or 'puzzle'}.txt" if is_left(name) or fold(name) in ("", DONE, FAILED) else name
