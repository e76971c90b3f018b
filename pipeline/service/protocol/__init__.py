"""The folder protocol: settle, reserve, claim, publish, recover. Only this touches the folders.

`reached` marks the points between its steps and does nothing else: the fault tests add functions to
`on_step` that die or fail at one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

Step = Literal[
    "claim.prepared",
    "claim.placed",
    "claim.taken",
    "attempt.counted",
    "attempt.ended",
    "publish.staging",
    "publish.staged",
    "publish.saved",
    "publish.withdrawn",
    "publish.renaming",
    "publish.renamed",
    "publish.cleared",
    "publish.recorded",
    "finish.moved",
    "finish.removed",
]
STEPS: tuple[Step, ...] = get_args(Step)

on_step: list[Callable[[Step], None]] = []


def reached(step: Step) -> None:
    """Tell `on_step` that this point is reached."""
    for tell in on_step:
        tell(step)
