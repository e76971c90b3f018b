"""Stand-ins for machine code: for a program that may be loaded, and for the batch solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipeline.solving.compiled import PROGRAM, BatchSolutions, BatchSolver


def replace_lanes(
    monkeypatch: Any, change: Callable[[BatchSolutions], BatchSolutions | None]
) -> list[float]:
    """Have lanes say what `change` makes of what they find; the seconds that they have, in turn."""
    search, seconds = BatchSolver(PROGRAM.load_from(PROGRAM.create_folder())), []

    def changed(masks, most, deadline):
        seconds.append(deadline.left())
        found = search(masks, most, deadline)
        return change(found) or found

    put_in_place(monkeypatch, changed)
    return seconds


def put_in_place(monkeypatch: Any, search: Callable[..., BatchSolutions] | None) -> None:
    """Replace the machine code with this search; None: the machine code is missing."""
    monkeypatch.setattr("pipeline.solving.compiled.machine_code", lambda *_, **__: search)


class Asked:
    """In place of a `ProgramLoader`: what it is asked, and how often seconds are counted."""

    def __init__(self, step: Callable[..., Any] | None = None) -> None:
        self.step = step
        self.seconds: list[float] = []
        self.at_once: list[bool] = []
        self.counted = 0

    def get(self, seconds: float = 0.0, *, at_once: bool = False) -> Callable[..., Any] | None:
        self.seconds.append(seconds)
        self.at_once.append(at_once)
        return self.step

    def add_seconds(self, seconds: float) -> None:
        assert seconds > 0
        self.counted += 1
