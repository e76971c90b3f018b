"""Who calls the chain, and when: one pass, or a watch that lasts."""

from __future__ import annotations
