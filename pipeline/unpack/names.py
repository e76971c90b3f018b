"""Names in archives: which lead somewhere else."""

from __future__ import annotations

import os
import re

from pipeline.files import LONGEST_NAME

LONGEST_PATH = 2048
"""In bytes, for the whole path: with the outbox before it, it has to stay below 4096."""

DEEPEST = 64
"""How many parts a path may have; deeper ones break what walks a tree by recursion."""

NO_NAME = "it has no name"
_SEPARATORS = re.compile(r"[/\\]")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:(?:[/\\]|$)")
_SHOWN = 200


def resolved(name: str) -> tuple[str, ...] | str:
    """The parts of a path that cannot lead out of the folder it begins in, else what is wrong.

    None of the parts is empty, `.` or `..`, or holds a `/` or a NUL. A backslash counts as a
    separator where that makes the name worse.
    """
    if "\0" in name:
        return "its name holds a NUL"
    if _ABSOLUTE.match(name):
        return "its name is absolute"
    if ".." in _SEPARATORS.split(name):
        return "its name leads out of the archive by '..'"
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    return _fault_in_size(parts) or parts


def _fault_in_size(parts: tuple[str, ...]) -> str | None:
    if not parts:
        return NO_NAME
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return "its name cannot be written here"
    if len(sizes) > DEEPEST:
        return f"it lies more than {DEEPEST} folders deep"
    if max(sizes) > LONGEST_NAME or sum(sizes) + len(sizes) > LONGEST_PATH:
        return "its name is too long"
    return None


def shortened(name: str) -> str:
    """The name, or the beginning of one that is far too long to be shown."""
    return name if len(name) <= LONGEST_PATH else name[:_SHOWN] + "…"
