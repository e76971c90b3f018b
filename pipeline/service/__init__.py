"""When the chain is run: in one pass, or in a watch that lasts."""

from __future__ import annotations
