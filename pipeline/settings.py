"""Settings: every option of the product, declared once.

A field of `Settings` says of its option what it is for, what it may be, and where it stands in the
help. The command line, the environment, the settings file, the keywords of the library and
docs/reference/settings.md all read that declaration.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pipeline.errors import UsageError, printable

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
"""The formats of the parsers, which take a while to load. A test compares them."""
NumberingChoice = Literal["dense", "decimal"]
ENCODING: EncodingChoice = "reduced"
MAX_SOLUTIONS, MAX_SOLUTIONS_OF_MANY = 100, 2
MAX_BYTES = 64 * 1024 * 1024
MAX_TOTAL_BYTES = 16 * 1024**3

_FLAGS = {"1": True, "true": True, "yes": True, "on": True}
_FLAGS |= {"0": False, "false": False, "no": False, "off": False}
_WORDS = {bool: "true or false", int: "a whole number", float: "a number"}
_CLUSTER = re.compile(
    r"(?:tcp|tls)://(?:[^\s/:]+|\[[0-9a-fA-F:]+\]):([0-9]{1,5})|local:([0-9]{1,4})"
)
_MOST_PORTS, _MOST_WORKERS = 65535, 1024


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
        """The parts of the notation that were declared rather than left to the source."""
        told = {"format": self.format, "variant": self.variant, "alphabet": self.alphabet}
        return {name: value for name, value in told.items() if value != "auto"}


@dataclass(frozen=True, slots=True)
class Setting:
    """An option: its help, its panel there, and what its value may be.

    Numbers are from `least` to `most`. A setting is `risky` if it says what is run, trusted or
    written where, or lifts a limit of memory or bytes: a settings file that was only found may be
    a stranger's, and may not hold it. `kind` is the type of the value, without None.
    """

    help: str
    panel: str = ""
    metavar: str | None = None
    least: float = -math.inf
    most: float = math.inf
    risky: bool = False
    name: str = field(default="", kw_only=True)
    kind: Any = field(default=str, kw_only=True)
    is_optional: bool = field(default=False, kw_only=True)
    default: Any = field(default=None, kw_only=True)

    @property
    def annotation(self) -> Any:
        return self.kind | None if self.is_optional else self.kind

    def typed(self, annotation: Any) -> Setting:
        """The same setting, of the kind that an annotation such as `int | None` says."""
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        if len(kinds) == len(get_args(annotation)):
            return replace(self, kind=annotation)
        return replace(self, kind=kinds[0], is_optional=True)

    @property
    def key(self) -> str:
        """Its name in a settings file."""
        return self.name.replace("_", "-")

    @property
    def option(self) -> str:
        return f"--{self.key}"

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return environment_name(self.name)

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def expected(self) -> str:
        """What a value has to be, for a message."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        span = f" from {self.least:,} to {self.most:,}" if math.isfinite(self.most) else ""
        return _WORDS.get(self.kind, "a text") + span

    def read(self, text: str, about: str) -> Any:
        """The value that a text stands for. Raises UsageError."""
        value: Any = text
        try:
            if self.kind is bool:
                value = _FLAGS.get(text.lower(), text)
            elif self.kind in {int, float, Path}:
                value = self.kind(text)
        except ValueError:
            pass  # `check` says what was expected
        if "\0" in text:
            raise UsageError(f"{about}: expected {self.expected}, found {printable(text)!r}")
        return self.check(value, about)

    def check(self, value: Any, about: str) -> Any:
        """The value itself. Raises UsageError if it is not what is expected."""
        if self._suits(value):
            return value
        found = "" if self._is_number(value) else f", found {printable(repr(value))[:100]}"
        raise UsageError(f"{about}: expected {self.expected}{found}")

    def _is_number(self, value: Any) -> bool:
        """Whether a value is a number of the kind expected, perhaps out of range."""
        kinds: Any = {int: Integral, float: Real}.get(self.kind, ())
        return isinstance(value, kinds) and not isinstance(value, bool)

    def _suits(self, value: Any) -> bool:
        if value is None:
            return self.is_optional
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.kind in {int, float}:
            return self._is_number(value) and bool(self.least <= value <= self.most)
        if self.kind is bool:
            return value is True or value is False
        return isinstance(value, (str, Path) if self.kind is Path else self.kind)


def environment_name(option: str) -> str:
    return ENVIRONMENT_PREFIX + option.upper().replace("-", "_")


FOLDERS, READING, SOLVING = "Folders", "Reading", "Solving"
PROCESSES, MONITORING, OUTPUT = "Processes", "Monitoring", "Output"
_, *_FORMATS = get_args(FormatChoice)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options, with their defaults. Raises UsageError for a value that is not expected.

    Without `max_solutions`, up to 100 solutions of a single puzzle are sought, and 2 of each in a
    collection.
    """

    inbox: Annotated[
        Path, Setting("The folder into which files are dropped.", FOLDERS, "FOLDER", risky=True)
    ] = Path("inbox")
    outbox: Annotated[
        Path, Setting("The folder for solutions and records.", FOLDERS, "FOLDER", risky=True)
    ] = Path("outbox")
    solver: Annotated[
        SolverChoice,
        Setting(
            "auto: lanes for many puzzles at once, else minisat, or PySAT if that is missing.",
            SOLVING,
        ),
    ] = "auto"
    minisat: Annotated[
        str | None,
        Setting("The minisat program, if it is not on the PATH.", SOLVING, "PROGRAM", risky=True),
    ] = None
    encoding: Annotated[EncodingChoice, Setting("How a puzzle becomes clauses.", SOLVING)] = (
        ENCODING
    )
    max_solutions: Annotated[
        int | None,
        Setting(
            "Stop after this many solutions; by default 100, or 2 each in files of many.",
            SOLVING,
            "N",
            1,
            10**9,
        ),
    ] = None
    timeout: Annotated[
        float, Setting("Time for all the work on one puzzle.", SOLVING, "SECONDS", 0.001, 10**6)
    ] = 60.0
    memory_limit: Annotated[
        int,
        Setting(
            "Memory for each step of that work, such as solving; 64 or more.",
            SOLVING,
            "MB",
            64,
            10**7,
            risky=True,
        ),
    ] = 4096
    max_bytes: Annotated[
        int,
        Setting("The largest file of one puzzle.", READING, "BYTES", 1, 2**40, risky=True),
    ] = MAX_BYTES
    max_total_bytes: Annotated[
        int,
        Setting(
            "The most that an archive, or a file of many puzzles, may unpack to.",
            READING,
            "BYTES",
            1,
            2**50,
            risky=True,
        ),
    ] = MAX_TOTAL_BYTES
    workers: Annotated[
        int,
        Setting(
            "Processes for the puzzles of archives and collections; 0: one per core.",
            PROCESSES,
            "N",
            0,
            _MOST_WORKERS,
        ),
    ] = 0
    cluster: Annotated[
        str | None,
        Setting(
            "The address of a Dask scheduler whose workers replace these processes, or local:N.",
            PROCESSES,
            "ADDRESS",
            risky=True,
        ),
    ] = None
    variant: Annotated[
        VariantChoice,
        Setting(
            "Read '*' and '.' as even and odd, or as blanks; auto: even and odd if both occur.",
            READING,
        ),
    ] = "auto"
    format: Annotated[
        FormatChoice,
        Setting(
            f"The format of the input; auto: decided by its content; {', '.join(_FORMATS)}.",
            READING,
            "NAME",
        ),
    ] = "auto"
    alphabet: Annotated[
        AlphabetChoice,
        Setting(
            "The signs of 16 by 16 or 25 by 25 characters; auto: decided by the characters.",
            READING,
        ),
    ] = "auto"
    trust_solver: Annotated[
        bool,
        Setting(
            "Do not check that no solution is missing; the result is then only claimed.",
            SOLVING,
            risky=True,
        ),
    ] = False
    prove: Annotated[
        ProveChoice,
        Setting(
            "The results with which to publish a checked proof that there are no other solutions.",
            SOLVING,
        ),
    ] = "unsolvable"
    keep_cnf: Annotated[
        bool, Setting("Also publish the CNF, with and without the solutions blocked.", SOLVING)
    ] = False
    also: Annotated[
        str,
        Setting(
            "Find out more about puzzles: canonical, minimal, effort, with commas between.",
            SOLVING,
            "NAMES",
        ),
    ] = ""
    settle: Annotated[
        float,
        Setting(
            "A file unchanged for this long counts as complete, where leases cannot tell.",
            FOLDERS,
            "SECONDS",
            0,
            10**6,
        ),
    ] = 2.0
    grace: Annotated[
        float,
        Setting(
            "Time the current puzzle gets to finish after a stop signal.",
            PROCESSES,
            "SECONDS",
            0,
            10**6,
        ),
    ] = 10.0
    poll: Annotated[
        bool,
        Setting("Scan every 5 s: for network and container mounts, which give no events.", FOLDERS),
    ] = False
    on_done: Annotated[
        str | None,
        Setting(
            "Run this command for each finished job; the record is its last argument.",
            MONITORING,
            "COMMAND",
            risky=True,
        ),
    ] = None
    on_bad: Annotated[
        str | None,
        Setting(
            "Run this command only for jobs with something invalid, unknown or failed.",
            MONITORING,
            "COMMAND",
            risky=True,
        ),
    ] = None
    metrics: Annotated[
        Path | None,
        Setting(
            "Replace this OpenMetrics file after every scan, or at the end of `run`.",
            MONITORING,
            "FILE",
            risky=True,
        ),
    ] = None
    report: Annotated[
        bool,
        Setting("Keep report.html, a page to look at, up to date in the outbox.", MONITORING),
    ] = False
    log_format: Annotated[
        LogFormat, Setting("auto is console on a terminal, json elsewhere.", OUTPUT)
    ] = "auto"
    quiet: Annotated[bool, Setting("Print nothing but problems.", OUTPUT)] = False

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
        """A text of the settings, except solvers, that affect the results of many puzzles."""
        limits = self.max_solutions, self.max_total_bytes
        checks = self.prove, self.trust_solver
        return repr((tuple(self.reading), limits, self.keep_cnf, *checks, *self.traits))

    def is_to_prove(self, status: str) -> bool:
        """Whether to publish a proof with a result that claims to be complete."""
        return self.prove == "always" or (self.prove == "unsolvable" and status == "unsolvable")

    def of_many(self) -> Settings:
        """These settings for the puzzles of a collection: by default up to 2 solutions of each.

        All proofs are published, or only those of puzzles that cannot be checked otherwise.
        """
        prove: ProveChoice = "always" if self.prove == "always" else "never"
        most = self.max_solutions or MAX_SOLUTIONS_OF_MANY
        return replace(self, max_solutions=most, prove=prove)

    def __post_init__(self) -> None:
        for name, setting in settings_declared().items():
            setting.check(getattr(self, name), setting.option)
        names = get_args(AlsoChoice)
        if not self._asked <= {*names}:
            raise UsageError(f"--also: expected some of {', '.join(names)}, with commas between")
        if self.trust_solver and self.prove == "always":
            raise UsageError("--trust-solver: leaves out the proofs that --prove always asks for")
        if self.cluster is not None and not _is_cluster(self.cluster):
            raise UsageError("--cluster: expected tcp://HOST:PORT, tls://HOST:PORT or local:N")


@functools.cache
def settings_declared() -> dict[str, Setting]:
    """All settings by their names, in the order of the fields of `Settings`."""
    declared = {}
    annotations = inspect.get_annotations(Settings, eval_str=True)
    for name, parameter in inspect.signature(Settings).parameters.items():
        kind, setting = get_args(annotations[name])
        declared[name] = replace(setting.typed(kind), name=name, default=parameter.default)
    return declared


READING_KEYS = ("variant", "format", "alphabet", "max_bytes", "max_total_bytes", "timeout")
"""The settings that functions of the library take that read sources."""

SOLVING_KEYS = (
    *("variant", "format", "alphabet", "max_bytes", "timeout", "memory_limit"),
    *("solver", "minisat", "encoding", "max_solutions", "trust_solver", "prove", "keep_cnf"),
    "also",
)
"""The settings that functions of the library take that solve."""


def settings_given(given: Mapping[str, Any], known: Iterable[str]) -> Settings:
    """The settings that a program gives as keyword arguments, which have to be known.

    Raises TypeError for any other, UsageError for a wrong value.
    """
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
