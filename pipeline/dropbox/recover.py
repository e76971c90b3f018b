"""Recover: the claims whose owner has died, and who owns the others."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from pipeline.dropbox.claim import LOCK, NEW, PREPARING, Claim, locked
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.growing import last_noted
from pipeline.dropbox.note import Note, note_in


def abandoned(folders: Folders) -> Iterator[Claim]:
    """Take over, one by one, the claims whose owner has died; what holds no file is removed."""
    for folder in sorted(_claim_folders(folders)):
        try:
            lock = locked(folder / LOCK, os.O_CREAT)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            # finished meanwhile, or another user's
            continue
        if lock is None:
            continue
        claim = Claim(folder, lock, note_in(folder))
        if os.path.lexists(claim.original) and not claim.is_put_back(folders.inbox):
            with contextlib.suppress(OSError):  # a full disk keeps nobody from going on
                claim.sign()
            yield claim
        else:
            claim.discard()


def _claim_folders(folders: Folders) -> list[Path]:
    """The folders of claims; also of those in preparation, if nobody is preparing any."""
    entries = [entry for entry in folders.work.iterdir() if entry.is_dir()]
    fresh = [entry for entry in entries if entry.name.startswith(NEW)]
    made = [entry for entry in entries if not entry.name.startswith(".")]
    if fresh and (lock := locked(folders.work / PREPARING, os.O_CREAT)) is not None:
        os.close(lock)  # whoever comes now prepares another folder
        return made + fresh
    return made


def claims_seen(folders: Folders) -> Iterator[tuple[Note, str]]:
    """Each claim's note, and in words who has it in work."""
    for path in sorted(folders.work.glob(f"[!.]*/{LOCK}")):
        try:
            owner = path.read_text(encoding="ascii", errors="replace").strip().rpartition("\n")[2]
            lock = locked(path)
        except FileNotFoundError:  # finished meanwhile
            continue
        except PermissionError:  # another user's
            owner, lock = "another user's process", None
        if lock is not None:
            os.close(lock)
            owner = "abandoned; the next scan takes it up"
        yield note_in(path.parent), owner + _progress_of(path.parent)


def _progress_of(folder: Path) -> str:
    """How far a job of many puzzles is, in words; empty for others."""
    state = last_noted(folder)
    if not state:
        return ""
    done = f"; {state['puzzles']} puzzles done" if "puzzles" in state else ""
    share = state.get("share")
    return done + (f", {share:.0%}" if isinstance(share, float) else "")
