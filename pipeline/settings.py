"""Settings: every option, declared once.

Each field of `Settings` declares an option's type, default, range and help text. The command line,
the environment, the settings file and docs/reference/settings.md are all derived from it.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pipeline.errors import UsageError, printable
from pipeline.option import Setting, environment_name
from pipeline.quantities import DURATION, MEMORY, SIZE

FORMER_NAMES = {"also": "traits"}
"""Former name → current name of settings. The former names, from before 1.0, work until 1.1."""

FORMER_VALUES = {("solver", "lanes"): "batch"}
"""(setting, former value) → current value. The former values work until 1.1 as well."""

LogFormat = Literal["auto", "console", "json"]
TableFormat = Literal["csv", "parquet"]
ProveChoice = Literal["never", "unsolvable", "always"]
SolverChoice = Literal["auto", "minisat", "pysat", "batch"]
VariantChoice = Literal["auto", "classic", "even-odd"]
Level = Literal["easy", "medium", "hard", "unfair", "extreme"]
TraitName = Literal["canonical", "minimal", "effort", "rating"]
EncodingChoice = Literal["textbook", "minimal", "extended", "reduced"]
AlphabetChoice = Literal["auto", "0-F", "1-G", "A-P", "0-O", "1-P", "A-Y"]
FormatChoice = Literal[
    "auto",
    "opensudoku",
    "hodoku",
    "code",
    "killer",
    "killer-arrows",
    "jigsaw",
    "sumocue",
    "solo",
    "link",
    "f-puzzles",
    "iss",
    "samurai",
    "pencil-marks",
    "json",
    "sadman",
    "killer-grid",
    "jigsaw-grid",
    "wordoku",
    "bordered",
    "spreadsheet",
    "spaces",
    "characters",
    "boxes",
    "board",
    "line",
    "grid",
    "variants",
    "jigsaws",
    "csv",
    "lines",
    "stacked",
    "boards",
    "cnf",
]
"""Names of the input formats, repeated here because importing the parsers takes long.

A test compares this list with the parsers.
"""
NotationChoice = Literal[
    "lines",
    "csv",
    "grid",
    "ss",
    "sdk",
    "opensudoku",
    "hodoku",
    "boxes",
    "bordered",
    "spreadsheet",
    "json",
    "pencil-marks",
    "f-puzzles",
    "f-puzzles-link",
    "sudokupad-link",
    "iss",
    "svg",
]
"""Notations that `Puzzle.to` writes as text, repeated here and tested like the input formats."""
TargetChoice = Literal[NotationChoice, "png", "pdf"]
"""Values of `convert --to`."""
NumberingChoice = Literal["dense", "decimal"]
ENCODING: EncodingChoice = "reduced"
"""Default of `encoding`."""
MAX_SOLUTIONS, MAX_SOLUTIONS_IN_COLLECTION = 100, 2
"""Defaults of `max_solutions`: for a single puzzle, and for each puzzle of a collection."""
MAX_BYTES = 64 * 1024 * 1024
"""Default of `max_bytes`."""
MAX_TOTAL_BYTES = 16 * 1024**3
"""Default of `max_total_bytes`."""
RATING_TIMEOUT = 10.0
"""Default of `rating_timeout`."""
READING_STEPS = 3_000_000
"""Number of parser steps that take about a second."""

_BOXES = r"auto|(?:[2-9]|[1-9][0-9]{1,2})x(?:[2-9]|[1-9][0-9]{1,2})"
"""Regular expression for values of `boxes`."""
_MAX_PORT, _MAX_WORKERS = 65535, 1024
"""Maximum values in addresses of clusters, and of `workers`."""

DECLARABLE = ("format", "variant", "alphabet", "boxes")
"""Settings that declare the notation of a source. Records contain their values, except `auto`."""


class Reading(NamedTuple):
    """How to read sources.

    The fields are the settings of the same names; `auto` means to detect the value from the source.
    `steps` is the maximum number of parser steps for one puzzle; beyond it, parsers raise
    SlowPuzzle.
    """

    variant: VariantChoice = "auto"
    max_bytes: int = MAX_BYTES
    format: str = "auto"
    alphabet: AlphabetChoice = "auto"
    boxes: str = "auto"
    steps: int = READING_STEPS

    def at_most(self, seconds: float) -> Reading:
        """A copy that allows at most the parser steps of `seconds` seconds per puzzle."""
        return self._replace(steps=min(self.steps, int(seconds * READING_STEPS)))

    @property
    def box(self) -> tuple[int, int] | None:
        """Declared height and width of a box; None for `auto`. Raises UsageError if invalid."""
        if self.boxes == "auto":
            return None
        height, width = settings_declared()["boxes"].check(self.boxes, "boxes").split("x")
        return int(height), int(width)

    @property
    def takes_plain(self) -> bool:
        """Whether 81 digits, dots and zeros are read as a classic 9×9 puzzle."""
        return self.variant != "even-odd" and self.boxes in ("auto", "3x3")

    def declared(self) -> dict[str, str]:
        """The notation settings that are not `auto`."""
        values = {name: getattr(self, name) for name in DECLARABLE}
        return {name: value for name, value in values.items() if value != "auto"}


DETECTED = Reading()
"""The notation is not declared, but detected from the source."""

FOLDERS, READING, SOLVING = "Folders", "Reading", "Solving"
PROCESSES, MONITORING, OUTPUT = "Processes", "Monitoring", "Output"
"""Sections of options in the help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All options with their defaults. Raises UsageError for an invalid value.

    `max_solutions` defaults to 100 for a single puzzle, and to 2 for each puzzle of a collection.
    """

    inbox: Annotated[
        Path, Setting(FOLDERS, "FOLDER", is_risky=True), "The folder that files are dropped into."
    ] = Path("inbox")
    outbox: Annotated[
        Path, Setting(FOLDERS, "FOLDER", is_risky=True), "The folder for solutions and records."
    ] = Path("outbox")
    solver: Annotated[
        SolverChoice,
        Setting(SOLVING),
        "Solver; auto uses batch for collections, a search and cdcl for variants, else minisat, or "
        "PySAT if minisat is missing.",
    ] = "auto"
    minisat: Annotated[
        str | None,
        Setting(SOLVING, "PROGRAM", is_risky=True),
        "Path of the minisat program, if it is not on PATH.",
    ] = None
    encoding: Annotated[EncodingChoice, Setting(SOLVING), "How puzzles are encoded as clauses."] = (
        ENCODING
    )
    max_solutions: Annotated[
        int | None,
        Setting(SOLVING, "N", 1, 10**9),
        "Stop after this many solutions. Default: 100, or 2 for each puzzle of a collection.",
    ] = None
    timeout: Annotated[
        float,
        Setting(SOLVING, None, 0.001, 10**6, quantity=DURATION),
        "Time limit for one puzzle, covering all steps.",
    ] = 60.0
    memory_limit: Annotated[
        int,
        Setting(SOLVING, None, 64, 10**7, is_risky=True, quantity=MEMORY),
        "Memory limit for each step, such as encoding or solving; at least 64M.",
    ] = 4096
    max_bytes: Annotated[
        int,
        Setting(READING, None, 1, 2**40, is_risky=True, quantity=SIZE),
        "Maximum size of a file with one puzzle.",
    ] = MAX_BYTES
    max_total_bytes: Annotated[
        int,
        Setting(READING, None, 1, 2**50, is_risky=True, quantity=SIZE),
        "Maximum unpacked size of an archive or a collection.",
    ] = MAX_TOTAL_BYTES
    max_members: Annotated[
        int,
        Setting(READING, "N", 1, 10**7, is_risky=True),
        "Maximum number of members in an archive or folder; each member gets its own result files.",
    ] = 100_000
    workers: Annotated[
        int,
        Setting(PROCESSES, "N", 0, _MAX_WORKERS, short="-j"),
        "Worker processes for archives, collections and hundreds of files; 0: one per core.",
    ] = 0
    cluster: Annotated[
        str | None,
        Setting(PROCESSES, "ADDRESS", is_risky=True),
        "Address of a Dask scheduler, or local:N; its workers replace those of --workers.",
    ] = None
    variant: Annotated[
        VariantChoice,
        Setting(READING),
        "Read '*' and '.' as even and odd marks, or as blanks; auto: as marks if both occur.",
    ] = "auto"
    format: Annotated[
        FormatChoice,
        Setting(READING, "NAME"),
        "Input format; auto: detected from the content. `doctor --formats` lists all.",
    ] = "auto"
    alphabet: Annotated[
        AlphabetChoice,
        Setting(READING),
        "Symbols of 16×16 and 25×25 grids; auto: inferred from the input.",
    ] = "auto"
    boxes: Annotated[
        str,
        Setting(
            READING, "RxC", pattern=_BOXES, valid_text="auto, or RxC with R and C above 1, as 2x3"
        ),
        "Box size as ROWSxCOLUMNS, such as 2x3, for input that does not state it; auto: take it "
        "from the input.",
    ] = "auto"
    strict: Annotated[
        bool,
        Setting(READING),
        "Refuse formulas whose header is missing, or has wrong numbers of clauses or variables.",
    ] = False
    trust_solver: Annotated[
        bool,
        Setting(SOLVING, is_risky=True),
        "Do not check for missing solutions; such results are marked as unverified.",
    ] = False
    prove: Annotated[
        ProveChoice,
        Setting(SOLVING),
        "When to publish a checked proof that there are no other solutions.",
    ] = "unsolvable"
    keep_cnf: Annotated[
        bool,
        Setting(SOLVING),
        "Also publish the CNF, with and without clauses that block the solutions.",
    ] = False
    traits: Annotated[
        str,
        Setting(SOLVING, "NAMES"),
        f"Compute traits of puzzles: {', '.join(get_args(TraitName))}, separated by commas.",
    ] = ""
    rating_timeout: Annotated[
        float,
        Setting(SOLVING, None, 0.001, 10**6, quantity=DURATION),
        "Time limit for the rating of one puzzle, with --traits rating.",
    ] = RATING_TIMEOUT
    settle: Annotated[
        float,
        Setting(FOLDERS, None, 0, 10**6, quantity=DURATION),
        "How long a file must be unchanged to count as complete, where leases are unavailable.",
    ] = 2.0
    grace: Annotated[
        float,
        Setting(PROCESSES, None, 0, 10**6, quantity=DURATION),
        "Time for the current puzzle to finish after a stop signal.",
    ] = 10.0
    poll: Annotated[
        bool,
        Setting(FOLDERS),
        "Scan every 5 s, for network and container mounts that deliver no file events.",
    ] = False
    on_done: Annotated[
        str | None,
        Setting(MONITORING, "COMMAND", is_risky=True),
        "Run this command after each job, with the path of its record as the last argument.",
    ] = None
    on_bad: Annotated[
        str | None,
        Setting(MONITORING, "COMMAND", is_risky=True),
        "Run this command after each job with an invalid, unknown or failed result.",
    ] = None
    metrics: Annotated[
        Path | None,
        Setting(MONITORING, "FILE", is_risky=True),
        "Write OpenMetrics to this file after every scan, or at the end of `run`.",
    ] = None
    report: Annotated[
        bool, Setting(MONITORING), "Keep an HTML report up to date: report.html in the outbox."
    ] = False
    table_format: Annotated[
        TableFormat,
        Setting(OUTPUT),
        "Format of the tables of collections and archives; parquet: also NAME.parquet, with typed "
        "columns, which needs pyarrow.",
    ] = "csv"
    log_format: Annotated[
        LogFormat,
        Setting(OUTPUT),
        "Format of the log; console: text; json: one event per line; auto: json in the "
        "systemd journal, else text.",
    ] = "auto"
    quiet: Annotated[bool, Setting(OUTPUT, short="-q"), "Print only problems."] = False

    @property
    def reading(self) -> Reading:
        """The settings that determine how sources are read."""
        steps = int(self.timeout * READING_STEPS)
        return Reading(self.variant, self.max_bytes, self.format, self.alphabet, self.boxes, steps)

    @property
    def declared(self) -> dict[str, str]:
        """The settings that declare the notation of sources, for their records."""
        return self.reading.declared() | ({"strict": "true"} if self.strict else {})

    @property
    def solution_limit(self) -> int:
        """The maximum number of solutions, by default of a single puzzle."""
        return self.max_solutions or MAX_SOLUTIONS

    @property
    def trait_names(self) -> tuple[TraitName, ...]:
        """The requested traits, in the order of the columns in tables."""
        return tuple(name for name in get_args(TraitName) if name in self._listed_traits)

    @property
    def _listed_traits(self) -> set[str]:
        return {name.strip() for name in self.traits.split(",")} if self.traits else set()

    @property
    def output_key(self) -> str:
        """A string of the settings that affect a collection's results, except the solver.

        Equal keys mean that the results of an interrupted run can be continued.
        """
        *notation, _ = self.reading
        limits = self.max_solutions, self.max_total_bytes, self.max_members
        checks = self.prove, self.trust_solver, self.strict
        return repr((tuple(notation), limits, self.keep_cnf, *checks, *self.trait_names))

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that pass these settings to a child process.

        They also prevent the child from reading a settings file.
        """
        values = {
            setting.variable: getattr(self, name) for name, setting in settings_declared().items()
        }
        texts = {name: "" if value is None else str(value) for name, value in values.items()}
        return texts | {environment_name("config"): os.devnull}

    def needs_proof(self, status: str) -> bool:
        """Whether to publish a proof for a complete result with this status."""
        return self.prove == "always" or (self.prove == "unsolvable" and status == "unsolvable")

    def for_collection(self) -> Settings:
        """These settings for the puzzles of a collection.

        `max_solutions` defaults to 2. `prove` becomes `never` unless it is `always`; a puzzle then
        gets a proof only if its completeness cannot be verified otherwise.
        """
        prove: ProveChoice = "always" if self.prove == "always" else "never"
        max_solutions = self.max_solutions or MAX_SOLUTIONS_IN_COLLECTION
        return replace(self, max_solutions=max_solutions, prove=prove)

    def __post_init__(self) -> None:
        for name, setting in settings_declared().items():
            setting.check(getattr(self, name), setting.option)
        names = get_args(TraitName)
        if unknown := sorted(self._listed_traits - {*names}):
            shown = printable(repr(unknown[0]))[:100]
            expected = f"{', '.join(names)}, separated by commas"
            raise UsageError(f"--traits: expected {expected}; found {shown}")
        if self.trust_solver and self.prove == "always":
            raise UsageError("--trust-solver cannot be combined with --prove always")
        if self.trust_solver and "rating" in self.trait_names:
            raise UsageError(
                "--traits rating cannot be combined with --trust-solver: a rating may rely on the "
                "solution being unique"
            )
        if self.cluster is not None and not _is_cluster(self.cluster):
            raise UsageError("--cluster: expected tcp://HOST:PORT, tls://HOST:PORT or local:N")


@functools.cache
def settings_declared() -> dict[str, Setting]:
    """All settings by name, in the order of the fields of `Settings`."""
    annotations = inspect.get_annotations(Settings, eval_str=True)
    declared = {}
    for field in fields(Settings):
        kind, setting, text = get_args(annotations[field.name])
        typed = setting.with_type(kind)
        declared[field.name] = replace(typed, name=field.name, help=text, default=field.default)
    return declared


def is_declaration(name: str, word: str) -> bool:
    """Whether a record may contain this name and value as a notation setting."""
    if name == "strict":
        return word == "true"
    with suppress(UsageError):
        return name in DECLARABLE and settings_declared()[name].check(word, name) == word
    return False


def with_declared(settings: Settings, declared: Mapping[str, str]) -> Settings:
    """A copy with the notation settings of a record, for which `is_declaration` is true."""
    values: dict[str, Any] = {
        name: word == "true" if name == "strict" else word for name, word in declared.items()
    }
    return replace(settings, **values)


def _is_cluster(address: str) -> bool:
    """Whether this is the address of a Dask scheduler, or `local:N`."""
    if match := re.fullmatch(r"local:(\d{1,4})", address, re.ASCII):
        return 1 <= int(match[1]) <= _MAX_WORKERS
    host = r"[^\s/:]+|\[[0-9a-fA-F:]+\]"
    match = re.fullmatch(rf"(?:tcp|tls)://(?:{host}):(\d{{1,5}})", address, re.ASCII)
    return match is not None and 1 <= int(match[1]) <= _MAX_PORT
