"""The version, of the package and in every record."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

__version__ = "0.1.0"

_DECIDING = ("catalogue", "certify", "outbox", "puzzle", "reading", "solving", "steps")
"""The folders whose code decides what is published, and how it is written."""


@cache
def build() -> str:
    """Twelve hexadecimal digits of a SHA-256 of the source that decides what is published.

    A version has many builds between two releases. A number raised by hand would be forgotten.
    """
    top, hashed = Path(__file__).parent, sha256()
    for path in sorted(path for name in _DECIDING for path in (top / name).rglob("*.py")):
        data = path.read_bytes()
        hashed.update(f"{path.relative_to(top).as_posix()} {len(data)}\n".encode() + data)
    return hashed.hexdigest()[:12]
