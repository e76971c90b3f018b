"""A log that keeps its events."""

from __future__ import annotations


class KeptLog:
    """Events and their values, whatever their level."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, object]]] = []

    def info(self, event, **values):
        self.told.append((event, values))

    warning = error = info
