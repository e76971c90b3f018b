"""The folder protocol: settle, reserve, claim, publish, recover. Nothing else changes the folders.

Between its steps it raises audit events (`sys.audit`), which do nothing without a hook; the fault
tests add one that kills the process or fails at a step.
"""

from __future__ import annotations

AUDITED = "sudoku_pipeline."
"""Prefix of the audit events; the name of a step follows."""

AUDIT_STEPS = (
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
