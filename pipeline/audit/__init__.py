"""An outbox from its files alone: whether every claim in it holds.

Nothing that was published is believed. The originals are read again, every grid is checked
against the rules, the formula of every proof is made anew, and every step of it is checked.

    outbox ─ records ─▶ Record ─┬─ single, formula ─┐
    done/  ─ originals ─────────┼─ collection ──────┼─▶ Finding: ok, unchecked, bad
                                └─ archive ─────────┘
"""

from pipeline.audit.findings import Finding
from pipeline.audit.jobs import audit
from pipeline.audit.terms import Terms

__all__ = ["Finding", "Terms", "audit"]
