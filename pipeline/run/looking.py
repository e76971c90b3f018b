"""Looking: which of the names in the inbox are complete now, and may be claimed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Literal

from pipeline.dropbox.folders import Folders
from pipeline.dropbox.settle import Fingerprint, Refused, Settler, Settling, Sight, look
from pipeline.errors import InvalidPuzzle
from pipeline.problem import is_formula, parse_once
from pipeline.settings import Settings

LARGEST_CUT_OFF = 1024 * 1024
"""Bytes: larger files are not looked into before they are claimed."""

Level = Literal["info", "warning"]
"""How bad is what there is to say: of `info` nothing went wrong."""

_WALK_SECONDS = 1.0


class Looks:
    """Remembers what was seen of each name.

    `say` is told a level, an event, a name and a reason. In one pass (`once`) what has not
    settled in the settling time is not waited for, but left.
    """

    def __init__(
        self,
        folders: Folders,
        settings: Settings,
        say: Callable[[Level, str, str, str], None],
        *,
        once: bool = False,
    ) -> None:
        self._folders = folders
        self._settings = settings
        self._say = say
        self._once = once
        self._settler = Settler(settings.settle)
        self._holds_many: set[str] = set()
        self._walked: dict[str, float] = {}

    def forget_all_but(self, names: Collection[str]) -> None:
        """Drop what is no longer there."""
        self._settler.forget_all_but(names)
        self._holds_many.intersection_update(names)
        self._walked = {name: when for name, when in self._walked.items() if name in names}

    def complete(
        self, name: str, wait: Callable[[float], None], *, busy: bool
    ) -> Fingerprint | None:
        """What was seen of a name that may be claimed; None if it may not, yet or at all.

        `wait` is told in how many seconds to look again. While `busy` with a source of many
        puzzles another one has to wait, and is overtaken by single ones. Raises OSError.
        """
        if busy and name in self._holds_many:
            return None
        left = self._walked.get(name, 0.0) - time.monotonic()
        if left > 0:
            wait(left)
            return None
        path = self._folders.inbox / name
        seen = look(path, partial(self._looks_cut_off, name), LARGEST_CUT_OFF)
        if seen is None or not self._has_settled(seen, wait):
            return None
        if self._may_hold_many(seen):
            self._holds_many.add(name)
            if busy:
                return None
        return seen.fingerprint

    def may_hold_many(self, name: str) -> bool:
        """Whether what was seen under a name may be a source of many puzzles."""
        return name in self._holds_many

    def _may_hold_many(self, seen: Sight | Refused) -> bool:
        if isinstance(seen, Refused):
            return False
        large = seen.is_folder or seen.fingerprint.size > LARGEST_CUT_OFF
        return large or seen.name in self._holds_many

    def _has_settled(self, seen: Sight | Refused, wait: Callable[[float], None]) -> bool:
        if isinstance(seen, Refused):
            return True
        if seen.is_folder:  # to walk through it takes a while
            self._walked[seen.name] = time.monotonic() + _WALK_SECONDS
        verdict = self._settler.judge(seen, time.monotonic(), time.time())
        if not isinstance(verdict, Settling):
            return True
        if verdict.held:
            self._say("warning", "file.held", seen.name, verdict.reason)
        elif not self._once:
            wait(verdict.seconds)
        elif verdict.patience > 0:
            wait(min(verdict.seconds, verdict.patience))
        else:
            self._say("info", "file.left", seen.name, verdict.reason)
        return False

    def _looks_cut_off(self, name: str, data: bytes) -> bool:
        from pipeline.run import sources  # noqa: PLC0415 - slow to load

        if not sources.is_plain(data):
            self._holds_many.add(name)
            return False
        if is_formula(data, self._settings):
            return sources.is_cut_off_formula(data, name)
        if sources.is_one_puzzle(data, name, self._settings):
            return False
        found = sources.collection_in(data, complete=True, declared=self._settings.format)
        if found is not None:
            self._holds_many.add(name)
            return not data.endswith(b"\n") and sources.ends_badly(data, found, self._settings)
        try:
            parse_once(data, name, *self._settings.reading)
        except InvalidPuzzle as error:
            return error.truncated
        return False
