"""What an audit goes by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pipeline.settings import Reading
from pipeline.unpack import Room


@dataclass(frozen=True, slots=True)
class Terms:
    """How originals are read, how much they may unpack to, and the seconds for each proof."""

    reading: Reading = field(default_factory=Reading)
    limits: Room = field(default_factory=Room)
    seconds: float = 60.0

    def with_declared(self, declared: Mapping[str, str]) -> Self:
        """The same where something was declared of the notation."""
        return replace(self, reading=self.reading._replace(**declared))  # type: ignore[arg-type]
