"""Note: what a claim says of its job, for whoever comes after a crash."""

from __future__ import annotations

import contextlib
import json
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from pipeline.dropbox.folders import Folders
from pipeline.dropbox.settle import UNSEEN, Fingerprint
from pipeline.files import is_file_name, read_end

NOTE = ".claim.json"
_LONGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Note:
    """The content of claim.json: what has to be known of a job after a crash.

    `former` are the stems of earlier sets of this source, if it now has another. `files` are
    those of the sets that this job's replaces and those it is about to publish; it is empty
    until then. `outbox` tells which folder the stem is reserved in.
    """

    job: str
    source: str
    stem: str
    keep_cnf: bool
    claimed: str
    fingerprint: Fingerprint
    former: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    outbox: str = ""

    def text(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def of_text(cls, text: str) -> Self:
        """The note in the last line that is whole: one may be torn.

        Raises ValueError, TypeError or KeyError where there is none, or one we would not write.
        """
        values: dict[str, Any] = {}
        for line in text.splitlines():
            with contextlib.suppress(ValueError, RecursionError):
                values = json.loads(line)
        values["fingerprint"] = Fingerprint(*values["fingerprint"])
        values["former"] = tuple(values["former"])
        values["files"] = tuple(values["files"])
        note = cls(**values)
        names = [note.source, *note.former, *(name.removesuffix("/") for name in note.files)]
        names += [name for name in (note.job, note.stem, note.outbox) if name != ""]
        if not all(map(is_file_name, names)):
            raise ValueError("it names what is no file of ours")
        if note.claimed:
            datetime.fromisoformat(note.claimed)
        return note


def new_job_id(now: datetime) -> str:
    """An id that no other job has; ids sort by time."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(5)}"


def note_in(folder: Path) -> Note:
    """The note of a claim; where it is lost, one that knows the name of the file."""
    try:
        return Note.of_text(read_end(folder / NOTE, _LONGEST).decode("ascii"))
    except (OSError, AttributeError, ValueError, TypeError, KeyError):
        names = []
        with contextlib.suppress(FileNotFoundError):  # finished meanwhile
            names = [entry.name for entry in folder.iterdir() if entry.name[0] != "."]
        source = names[0] if names else folder.name
        return Note("", source, "", keep_cnf=False, claimed="", fingerprint=UNSEEN)


def notes_in_work(folders: Folders) -> list[Note]:
    """The notes of all claims there are, whoever owns them."""
    return [note_in(path.parent) for path in folders.work.glob(f"[!.]*/{NOTE}")]
