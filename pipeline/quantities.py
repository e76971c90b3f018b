"""Durations and sizes with unit suffixes: `90s`, `5m`, `30d`; `64M`, `1.5G`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Quantity:
    """A kind of quantity, such as a duration.

    - `placeholder`: placeholder of a value in the help.
    - `example`: a value, for messages.
    - `default_unit`: unit of a number without suffix; if empty, a suffix is required.
    - `factors`: suffix → its size in units of `default_unit`, or in the smallest suffix.
    """

    placeholder: str
    example: str
    default_unit: str
    factors: Mapping[str, float]

    def number_in(self, text: str) -> float | None:
        """Parse a number with a suffix; None if the suffix is missing or unknown."""
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([a-zA-Z]+)", text, re.ASCII)
        if not match or match[2] not in self.factors:
            return None
        number = float(match[1]) * self.factors[match[2]]
        return int(number) if number.is_integer() else number

    def text_of(self, number: float) -> str:
        """Format a number with the largest suffix that divides it: `1m`, `64M`, `1h`."""
        largest_first = sorted(self.factors.items(), key=lambda item: -item[1])
        for suffix, factor in largest_first if number else ():
            if number % factor == 0:
                return f"{number / factor:.0f}{suffix}"
        return str(number)


_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_BYTES = {"K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
"""Suffix of a duration → seconds, and suffix of a size → bytes."""
DURATION: Final = Quantity("TIME", "5m", "seconds", _SECONDS)
AGE: Final = Quantity("AGE", "30d", "", _SECONDS)
SIZE: Final = Quantity("SIZE", "64M", "bytes", _BYTES)
MEMORY: Final = Quantity("SIZE", "4G", "megabytes", {k: n / 2**20 for k, n in _BYTES.items()})
