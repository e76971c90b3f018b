"""Recover: the claims whose owner has died, and who owns the others."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from pipeline.dropbox.claim import LARGEST_LOCK, LOCK, NEW, PREPARING, Claim, locked
from pipeline.dropbox.folders import Folders
from pipeline.dropbox.growing import last_noted
from pipeline.dropbox.note import Note, note_in
from pipeline.errors import in_words, is_environmental
from pipeline.files import read_regular


def abandoned(folders: Folders) -> Iterator[Claim]:
    """Take over, one by one, the claims whose owner has died; what holds no file is removed."""
    for folder in sorted(_claim_folders(folders)):
        try:
            lock = locked(folder / LOCK, os.O_CREAT)
        except OSError as error:
            if is_environmental(error):
                raise
            continue  # finished meanwhile, another user's, or what is no lock: `status` says so
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
    with os.scandir(folders.work) as found:
        names = [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
    fresh = [folders.work / name for name in names if name.startswith(NEW)]
    made = [folders.work / name for name in names if not name.startswith(".")]
    if fresh and (lock := locked(folders.work / PREPARING, os.O_CREAT)) is not None:
        os.close(lock)  # whoever comes now prepares another folder
        return made + fresh
    return made


def claims_seen(folders: Folders) -> Iterator[tuple[Note, str]]:
    """Each claim's note, and in words who has it in work."""
    for path in sorted(folders.work.glob(f"[!.]*/{LOCK}")):
        try:
            told = read_regular(path, LARGEST_LOCK).decode("ascii", errors="replace")
            owner, lock = told.strip().rpartition("\n")[2], locked(path)
        except FileNotFoundError:  # finished meanwhile
            continue
        except PermissionError:  # another user's
            owner, lock = "another user's process", None
        except OSError as error:
            owner, lock = f"nobody can take it up: {in_words(error)}", None
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
