"""Consistency of status, number of solutions, completeness and certificate."""

from __future__ import annotations

from math import inf
from typing import Final

from pipeline.errors import counted

_FITTING: Final[dict[str, tuple[int, float, tuple[bool | None, ...]]]] = {
    **dict.fromkeys(("invalid", "other", "failed"), (0, 0, (None,))),
    "unsolvable": (0, 0, (True,)),
    "unique": (1, 1, (True,)),
    "multiple": (1, inf, (True, False)),
    "unknown": (0, 1, (False,)),
    "solved": (1, inf, (False, None)),
}
"""For each status the minimum and maximum number of solutions, and the possible completeness."""

_CERTIFICATES: Final = ("exhaustive-search", "lrat", "unverified")
"""The labels of certificates for complete solutions."""

COMPLETE: Final = {"true": True, "false": False, "": None}
"""Completeness by its text in a table."""


def misfit(
    status: str, solutions: int, complete: bool | None, certificate: str | None = None
) -> str | None:
    """Why the known values contradict each other; None if they do not."""
    if status not in _FITTING:
        return f"the status {status!r} is unknown"
    minimum, maximum, allowed = _FITTING[status]
    is_unique = status == "multiple" and complete and solutions == 1
    shown = "null" if complete is None else str(complete).lower()
    if not minimum <= solutions <= maximum or complete not in allowed or is_unique:
        problem = f"the status {status!r} does not go with {counted(solutions, 'solution')}"
        return f"{problem} and complete: {shown}"
    if certificate is not None and certificate not in (_CERTIFICATES if complete else ("",)):
        return f"the certificate {certificate[:20]!r} does not go with complete: {shown}"
    return None
