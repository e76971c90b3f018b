"""What is known of a claim that some grids are all solutions of a puzzle."""

from __future__ import annotations

from enum import IntEnum


class Verdict(IntEnum):
    """WRONG: they are not different solutions. INCOMPLETE: there is another one."""

    UNDECIDED = 0
    COMPLETE = 1
    INCOMPLETE = 2
    WRONG = 3
