"""The folder protocol: settle, reserve, claim, publish, recover. Only this touches the folders.

`reached` names the points between its steps and does nothing else: the fault tests put a
function in `on_step`, to die or to fail at one of them.
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
    """Say that this point is reached."""
    for tell in on_step:
        tell(step)
