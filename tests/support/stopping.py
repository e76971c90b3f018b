"""A run that is told to stop at some time."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.service.signals import Stop


class StoppedWhen(Stop):
    """Asked to stop as soon as a condition holds."""

    def __init__(self, condition: Callable[[], bool]) -> None:
        self._condition = condition
        super().__init__(0.0)

    @property
    def is_requested(self) -> bool:
        return self._condition()

    @is_requested.setter
    def is_requested(self, _: bool) -> None:
        """No signal comes."""
