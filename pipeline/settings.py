"""Settings: all options of the product, as one frozen value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict, get_args

from pipeline.errors import UsageError

ENVIRONMENT_PREFIX = "SUDOKU_PIPELINE_"
LogFormat = Literal["auto", "console", "json"]
ProveChoice = Literal["never", "unsolvable", "always"]
SolverChoice = Literal["auto", "minisat", "pysat", "lanes"]
VariantChoice = Literal["auto", "classic", "even-odd"]
AlsoChoice = Literal["canonical", "minimal", "effort"]
EncodingChoice = Literal["textbook", "minimal", "extended", "reduced"]
AlphabetChoice = Literal["auto", "0-F", "1-G", "A-P", "0-O", "1-P", "A-Y"]
FormatChoice = Literal[
    "auto",
    "opensudoku",
    "hodoku",
    "killer",
    "killer-arrows",
    "jigsaw",
    "sumocue",
    "solo",
    "f-puzzles",
    "iss",
    "samurai",
    "json",
    "sadman",
    "bordered",
    "spreadsheet",
    "spaces",
    "characters",
    "boxes",
    "line",
    "grid",
    "variants",
    "csv",
    "lines",
    "stacked",
    "cnf",
]
"""The formats known to the parsers, which take a while to load; the settings take any name."""
NumberingChoice = Literal["dense", "decimal"]
ENCODING: EncodingChoice = "reduced"
MAX_SOLUTIONS, MAX_SOLUTIONS_OF_MANY = 100, 2
MAX_BYTES = 64 * 1024 * 1024
MAX_TOTAL_BYTES = 16 * 1024**3

RANGES: dict[str, tuple[float, float]] = {
    "max_solutions": (1, 10**9),
    "timeout": (0.001, 10**6),
    "memory_limit": (64, 10**7),
    "max_bytes": (1, 2**40),
    "max_total_bytes": (1, 2**50),
    "workers": (0, 1024),
    "settle": (0, 10**6),
    "grace": (0, 10**6),
}
CHOICES: dict[str, tuple[str, ...]] = {
    "solver": get_args(SolverChoice),
    "variant": get_args(VariantChoice),
    "alphabet": get_args(AlphabetChoice),
    "encoding": get_args(EncodingChoice),
    "prove": get_args(ProveChoice),
    "log_format": get_args(LogFormat),
}
_WHOLE = ("max_solutions", "memory_limit", "max_bytes", "max_total_bytes", "workers")
_SWITCHES = ("trust_solver", "keep_cnf", "poll", "report", "quiet")
_TEXTS, _TEXTS_OR_NONE = ("also", "format"), ("minisat", "cluster", "on_done", "on_bad")
_KINDS: dict[str, Any] = {
    **dict.fromkeys(_TEXTS, str),
    **dict.fromkeys(_TEXTS_OR_NONE, str | None),
}
_CLUSTER = re.compile(
    r"(?:tcp|tls)://(?:[^\s/:]+|\[[0-9a-fA-F:]+\]):([0-9]{1,5})|local:([0-9]{1,4})"
)
_MOST_PORTS, _MOST_WORKERS = 65535, 1024


class ReadingOptions(TypedDict, total=False):
    """The settings of `Settings` that say how sources are read."""

    variant: VariantChoice
    format: str
    alphabet: AlphabetChoice
    max_bytes: int
    max_total_bytes: int
    timeout: float


class Solving(TypedDict, total=False):
    """The settings of `Settings` that say how a puzzle is read and solved."""

    solver: SolverChoice
    minisat: str | None
    encoding: EncodingChoice
    max_solutions: int | None
    timeout: float
    memory_limit: int
    max_bytes: int
    variant: VariantChoice
    format: str
    alphabet: AlphabetChoice
    trust_solver: bool
    prove: ProveChoice
    keep_cnf: bool
    also: str


class Reading(NamedTuple):
    """How to read sources, in the order of `parse_source`'s arguments.

    `max_bytes` is the largest file of one puzzle, `format` a name in `parse.FORMATS`, `alphabet`
    that of 16×16 and 25×25 characters; `auto` leaves it to the source.
    """

    variant: VariantChoice = "auto"
    max_bytes: int = MAX_BYTES
    format: str = "auto"
    alphabet: AlphabetChoice = "auto"

    def declared(self) -> dict[str, str]:
        """What was declared of the notation, rather than left to the source."""
        told = {"format": self.format, "variant": self.variant, "alphabet": self.alphabet}
        return {name: value for name, value in told.items() if value != "auto"}


def environment_name(option: str) -> str:
    return ENVIRONMENT_PREFIX + option.upper().replace("-", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options, with their defaults.

    `timeout` is seconds of wall clock for all the work on a puzzle, `memory_limit` the MB (64 or
    more) that a step of it, such as encoding or solving, may take,
    `max_bytes` the largest file of one puzzle, `max_solutions` at least 1
    (None: 100 of a single puzzle, 2 of each in a collection), `workers` processes (0: one a
    core), `cluster` the scheduler of a cluster that takes their place, or local:N,
    `trust_solver` leaves out the check that no solution is missing. `also` names what else to find
    out about puzzles, with commas between. `minisat` is a program's name
    or path, None for the one on the PATH. `on_done` and `on_bad` are command lines, `metrics` is
    the file for a monitor. Raises UsageError for a value out of its range.
    """

    inbox: Path = Path("inbox")
    outbox: Path = Path("outbox")
    solver: SolverChoice = "auto"
    minisat: str | None = None
    encoding: EncodingChoice = ENCODING
    max_solutions: int | None = None
    timeout: float = 60.0
    memory_limit: int = 4096
    max_bytes: int = MAX_BYTES
    max_total_bytes: int = MAX_TOTAL_BYTES
    workers: int = 0
    cluster: str | None = None
    variant: VariantChoice = "auto"
    format: str = "auto"
    alphabet: AlphabetChoice = "auto"
    trust_solver: bool = False
    prove: ProveChoice = "unsolvable"
    keep_cnf: bool = False
    also: str = ""
    settle: float = 2.0
    grace: float = 10.0
    poll: bool = False
    on_done: str | None = None
    on_bad: str | None = None
    metrics: Path | None = None
    report: bool = False
    log_format: LogFormat = "auto"
    quiet: bool = False

    @property
    def reading(self) -> Reading:
        return Reading(self.variant, self.max_bytes, self.format, self.alphabet)

    @property
    def limit(self) -> int:
        return self.max_solutions or MAX_SOLUTIONS

    @property
    def traits(self) -> tuple[AlsoChoice, ...]:
        """What else to find out about puzzles, in the order of the columns."""
        return tuple(name for name in get_args(AlsoChoice) if name in self._asked)

    @property
    def _asked(self) -> set[str]:
        return {name.strip() for name in self.also.split(",")} if self.also else set()

    @property
    def output_key(self) -> str:
        """A text of the settings, but for solvers, that affect the results of many puzzles."""
        limits = self.max_solutions, self.max_total_bytes
        checks = self.prove, self.trust_solver
        return repr((tuple(self.reading), limits, self.keep_cnf, *checks, *self.traits))

    def is_to_prove(self, status: str) -> bool:
        """Whether a proof is to be published with a result that claims to be complete."""
        return self.prove == "always" or (self.prove == "unsolvable" and status == "unsolvable")

    def of_many(self) -> Settings:
        """These settings for the puzzles of a collection: up to 2 solutions of each by default.

        Proofs of all are published if they are asked for; else only of those that cannot be
        checked otherwise.
        """
        prove: ProveChoice = "always" if self.prove == "always" else "never"
        most = self.max_solutions or MAX_SOLUTIONS_OF_MANY
        return replace(self, max_solutions=most, prove=prove)

    def __post_init__(self) -> None:
        self._check_kinds()
        names = get_args(AlsoChoice)
        if not self._asked <= {*names}:
            raise UsageError(f"--also: expected some of {', '.join(names)}, with commas between")
        if self.trust_solver and self.prove == "always":
            raise UsageError("--trust-solver: leaves out the proofs that --prove always asks for")
        if self.cluster is not None and not _is_cluster(self.cluster):
            raise UsageError("--cluster: expected tcp://HOST:PORT, tls://HOST:PORT or local:N")

    def _check_kinds(self) -> None:
        for name, ends in RANGES.items():
            if name != "max_solutions" or self.max_solutions is not None:
                check_number(_option(name), getattr(self, name), *ends, whole=name in _WHOLE)
        for name, kind in _KINDS.items():
            if not isinstance(value := getattr(self, name), kind):
                raise UsageError(f"{_option(name)}: expected a text, found {value!r}")
        for name in _SWITCHES:
            if (value := getattr(self, name)) not in (False, True):
                raise UsageError(f"{_option(name)}: expected true or false, found {value!r}")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(f"{_option(name)}: expected one of {', '.join(choices)}")


def check_number(about: str, value: Any, least: float, most: float, *, whole: bool) -> None:
    """Raise UsageError unless a value is a number from `least` to `most`."""
    span = f"{least:,.15g} to {most:,.15g}"
    kind: Any = Integral if whole else Real
    if not isinstance(value, kind) or isinstance(value, bool):
        noun = "a whole number" if whole else "a number"
        raise UsageError(f"{about}: expected {noun} from {span}, found {value!r}")
    if not least <= value <= most:
        raise UsageError(f"{about}: expected {span}")


def settings_given(given: Mapping[str, Any], taken: type) -> Settings:
    """The settings that a program gives as keyword arguments, of those that are taken.

    Raises TypeError for any other, UsageError for a wrong value.
    """
    known = taken.__annotations__
    for name in given:
        if name not in known:
            raise TypeError(f"{name}: unexpected keyword argument; expected {', '.join(known)}")
    return Settings(**given)


def _is_cluster(address: str) -> bool:
    match = _CLUSTER.fullmatch(address)
    if match is None:
        return False
    port, workers = match.groups()
    return 1 <= int(port) <= _MOST_PORTS if port else 1 <= int(workers) <= _MOST_WORKERS


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
