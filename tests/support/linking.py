"""What takes the place of a compiled program that may be loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Asked:
    """In place of a `Loaded`: what it is asked, and how often seconds are counted."""

    def __init__(self, step: Callable[..., Any] | None = None) -> None:
        self.step = step
        self.seconds: list[float] = []
        self.at_once: list[bool] = []
        self.counted = 0

    def get(self, seconds: float = 0.0, *, at_once: bool = False) -> Callable[..., Any] | None:
        self.seconds.append(seconds)
        self.at_once.append(at_once)
        return self.step

    def count(self, seconds: float) -> None:
        assert seconds > 0
        self.counted += 1
