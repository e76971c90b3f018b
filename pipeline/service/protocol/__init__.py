"""The folder protocol: settle, reserve, claim, publish, recover.

No other code of a run changes the folders. Between its steps, the protocol raises audit events
(`sys.audit`), which do nothing unless a hook is installed. The fault tests install a hook that
kills the process, or raises an exception, at a given step.
"""

from __future__ import annotations

AUDIT_PREFIX = "sudoku_pipeline."
"""Prefix of the names of audit events; one of AUDIT_STEPS follows."""

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
"""The steps after which an audit event is raised, in the order of a job."""
