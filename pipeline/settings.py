"""Settings: every option of the product, as one frozen value that is handed in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ENVIRONMENT_PREFIX = "SUDOKU_PIPELINE_"
LogFormat = Literal["auto", "console", "json"]


def environment_name(option: str) -> str:
    """The environment variable that is an option's twin."""
    return ENVIRONMENT_PREFIX + option.upper().replace("-", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options, with their defaults.

    `timeout` is seconds of wall clock per puzzle, `memory_limit` MB per solver (64 or more),
    `max_bytes` the size of one puzzle's file, `max_solutions` at least 1. `minisat` is a
    program's name or path, None for the one on the PATH.
    """

    inbox: Path = Path("inbox")
    outbox: Path = Path("outbox")
    solver: Literal["auto", "minisat", "pysat"] = "auto"
    minisat: str | None = None
    encoding: str = "reduced"
    max_solutions: int = 100
    timeout: float = 60.0
    memory_limit: int = 4096
    max_bytes: int = 64 * 1024 * 1024
    variant: Literal["auto", "classic", "even-odd"] = "auto"
    keep_cnf: bool = False
    settle: float = 2.0
    grace: float = 10.0
    poll: bool = False
    log_format: LogFormat = "auto"
    quiet: bool = False
