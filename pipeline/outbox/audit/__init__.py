"""Check an outbox from its files alone: whether every claim in it holds.

Nothing published is trusted. The originals are read again, every grid is checked against the
rules, the formula of every proof is made anew, and every step of it is checked.

    outbox ─ sets ─▶ One ──▶ single ──────────────▶ Finding: ok, unchecked, bad
                     Many ─▶ collection, archive ─▶
"""

from pipeline.outbox.audit.jobs import audit
from pipeline.outbox.audit.sets import Finding, Terms

__all__ = ["Finding", "Terms", "audit"]
