"""The folder protocol: settle, claim, publish, recover, watch. Only this touches the folders."""

from __future__ import annotations
