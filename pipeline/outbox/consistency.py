"""Check the status, number of solutions, completeness and certificate of a result."""

from __future__ import annotations

from math import inf
from typing import Final

from pipeline.errors import counted

_ALLOWED: Final[dict[str, tuple[int, float, tuple[bool | None, ...]]]] = {
    **dict.fromkeys(("invalid", "other", "failed"), (0, 0, (None,))),
    "unsolvable": (0, 0, (True,)),
    "unique": (1, 1, (True,)),
    "multiple": (1, inf, (True, False)),
    "unknown": (0, 1, (False,)),
    "solved": (1, inf, (False, None)),
}
"""Maps each status to the minimum and maximum number of solutions, and the allowed values of
`complete`."""

_CERTIFICATE_LABELS: Final = ("exhaustive-search", "lrat", "unverified")
"""The values of the column `certificate` for complete results."""

COMPLETE_VALUES: Final = {"true": True, "false": False, "": None}
"""Maps the text of `complete` in a table to its value in a record."""


def contradiction(
    status: str, solutions: int, complete: bool | None, certificate: str | None = None
) -> str | None:
    """Describe how the fields of a result contradict each other. Returns None if they do not.

    `certificate`: the value of the column `certificate`; None to skip its check.
    """
    if status not in _ALLOWED:
        return f"unknown status {status!r}"
    minimum, maximum, allowed = _ALLOWED[status]
    is_single = status == "multiple" and complete and solutions == 1
    shown = "null" if complete is None else str(complete).lower()
    if not minimum <= solutions <= maximum or complete not in allowed or is_single:
        count = counted(solutions, "solution")
        return f"status {status!r} contradicts {count} with complete: {shown}"
    if certificate is not None and certificate not in (_CERTIFICATE_LABELS if complete else ("",)):
        return f"certificate {certificate[:20]!r} contradicts complete: {shown}"
    return None
