"""Settings: every option of the product, as one frozen value that is handed in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pipeline.errors import UsageError

ENVIRONMENT_PREFIX = "SUDOKU_PIPELINE_"
LogFormat = Literal["auto", "console", "json"]
SolverChoice = Literal["auto", "minisat", "pysat"]
VariantChoice = Literal["auto", "classic", "even-odd"]
EncodingChoice = Literal["textbook", "minimal", "extended", "reduced"]
MAX_BYTES = 64 * 1024 * 1024

_RANGES: dict[str, tuple[float, float]] = {
    "max_solutions": (1, 10**9),
    "timeout": (0.001, 10**6),
    "memory_limit": (64, 10**7),
    "max_bytes": (1, 2**40),
    "cross_check": (0, 1),
    "settle": (0, 10**6),
    "grace": (0, 10**6),
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "solver": get_args(SolverChoice),
    "variant": get_args(VariantChoice),
    "encoding": get_args(EncodingChoice),
    "log_format": get_args(LogFormat),
}


def environment_name(option: str) -> str:
    """The environment variable that is an option's twin."""
    return ENVIRONMENT_PREFIX + option.upper().replace("-", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options, with their defaults.

    `timeout` is seconds of wall clock per puzzle, `memory_limit` MB per solver (64 or more),
    `max_bytes` the size of one puzzle's file, `max_solutions` at least 1, `cross_check` the
    share of answers that another solver is asked for too. `minisat` is a program's name or
    path, None for the one on the PATH. Raises UsageError for a value out of its range.
    """

    inbox: Path = Path("inbox")
    outbox: Path = Path("outbox")
    solver: SolverChoice = "auto"
    minisat: str | None = None
    encoding: EncodingChoice = "reduced"
    max_solutions: int = 100
    timeout: float = 60.0
    memory_limit: int = 4096
    max_bytes: int = MAX_BYTES
    variant: VariantChoice = "auto"
    cross_check: float = 0.0
    keep_cnf: bool = False
    settle: float = 2.0
    grace: float = 10.0
    poll: bool = False
    health: Path | None = None
    log_format: LogFormat = "auto"
    quiet: bool = False

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise UsageError(f"{_option(name)}: expected {least:g} to {most:g}")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(f"{_option(name)}: expected one of {', '.join(choices)}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
