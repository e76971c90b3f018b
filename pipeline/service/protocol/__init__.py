"""The folder protocol: settle, reserve, claim, publish, recover. Only this touches the folders.

Between its steps it raises audit events (`sys.audit`), which do nothing unless somebody has added a
hook: the fault tests add one that dies or fails at a step.
"""

from __future__ import annotations

AUDITED = "sudoku_pipeline."
"""How the names of these audit events begin; the name of the step follows."""

STEPS = (
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
)
