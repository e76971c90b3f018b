"""Settings: every option of the product, declared once.

A field of `Settings` has the default, the type, the range and the help of an option. The command
line, the environment, the settings file and docs/reference/settings.md read that declaration.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
import re
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, get_args, get_origin

from pipeline.errors import UsageError, printable
from pipeline.units import DURATION, MEMORY, SIZE, Quantity

ENVIRONMENT_PREFIX = "SUDOKU_PIPELINE_"
FORMER_NAMES = {"also": "traits"}
"""Settings by the names that they had before 1.0, which work until 1.1."""

LogFormat = Literal["auto", "console", "json"]
ProveChoice = Literal["never", "unsolvable", "always"]
SolverChoice = Literal["auto", "minisat", "pysat", "lanes"]
VariantChoice = Literal["auto", "classic", "even-odd"]
Level = Literal["easy", "medium", "hard", "unfair", "extreme"]
TraitName = Literal["canonical", "minimal", "effort", "rating"]
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
    "pencil-marks",
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
"""What `Puzzle.to` writes as text. A test compares it, too."""
NumberingChoice = Literal["dense", "decimal"]
ENCODING: EncodingChoice = "reduced"
MAX_SOLUTIONS, MAX_SOLUTIONS_OF_MANY = 100, 2
MAX_BYTES = 64 * 1024 * 1024
MAX_TOTAL_BYTES = 16 * 1024**3
READING_STEPS = 3_000_000
"""Steps of reading constraints, about a second of work."""

_FLAGS = {"1": True, "true": True, "yes": True, "on": True}
_FLAGS |= {"0": False, "false": False, "no": False, "off": False}
_WORDS = {bool: "true or false", int: "a whole number", float: "a number"}
_TYPES: Mapping[Any, Any] = {int: Integral, float: Real, Path: (str, Path)}
_BOXES = r"auto|(?:[2-9]|[1-9][0-9]{1,2})x(?:[2-9]|[1-9][0-9]{1,2})"
_MOST_PORTS, _MOST_WORKERS = 65535, 1024


DECLARABLE = ("format", "variant", "alphabet", "boxes")
"""The settings that declare the notation of a source; they may stand in a record."""


class Reading(NamedTuple):
    """How to read sources.

    `max_bytes` is the largest file of one puzzle, `format` a name in `parse.FORMATS`, `alphabet`
    that of 16×16 and 25×25 characters, `boxes` rows x columns of a box, as 2x3; `auto` leaves it to
    the source. `steps` limits the work of reading one puzzle: SlowPuzzle is raised beyond it.
    """

    variant: VariantChoice = "auto"
    max_bytes: int = MAX_BYTES
    format: str = "auto"
    alphabet: AlphabetChoice = "auto"
    boxes: str = "auto"
    steps: int = READING_STEPS

    def at_most(self, seconds: float) -> Reading:
        """The same, with at most so many seconds' work for one puzzle."""
        return self._replace(steps=min(self.steps, int(seconds * READING_STEPS)))

    @property
    def box(self) -> tuple[int, int] | None:
        """Height and width of a box, if they were declared. Raises UsageError."""
        if self.boxes == "auto":
            return None
        height, width = settings_declared()["boxes"].check(self.boxes, "boxes").split("x")
        return int(height), int(width)

    @property
    def takes_plain(self) -> bool:
        """Whether 81 digits, `.` and `0` are a usual puzzle."""
        return self.variant != "even-odd" and self.boxes in ("auto", "3x3")

    def declared(self) -> dict[str, str]:
        """The parts of the notation that were declared rather than left to the source."""
        told = {name: getattr(self, name) for name in DECLARABLE}
        return {name: value for name, value in told.items() if value != "auto"}


USUAL = Reading()
"""Everything is left to the source."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An option: its panel in the help, and what its value may be.

    Numbers are from `least` to `most`. A setting is `risky` if it names a program, a file or a
    solver to trust, or lifts a limit. A settings file that was only found may not hold it, because
    a stranger may have written the file. `kind` is the type of the value, without None. A number
    of a `unit` may be written with a suffix. `short` is the option of one letter. A text matches
    `pattern`, if there is one, which messages describe by `words`.
    """

    panel: str = ""
    metavar: str | None = None
    least: float = -math.inf
    most: float = math.inf
    _: KW_ONLY
    risky: bool = False
    unit: Quantity | None = None
    short: str | None = None
    pattern: str = ""
    words: str = ""
    name: str = ""
    help: str = ""
    kind: Any = str
    is_optional: bool = False
    default: Any = None

    @property
    def annotation(self) -> Any:
        return self.kind | None if self.is_optional else self.kind

    def typed(self, annotation: Any) -> Setting:
        """The same setting, of the kind that an annotation such as `int | None` names."""
        if type(None) not in get_args(annotation):
            return replace(self, kind=annotation)
        return replace(self, kind=get_args(annotation)[0], is_optional=True)

    @property
    def key(self) -> str:
        """Its name in a settings file."""
        return self.name.replace("_", "-")

    @property
    def option(self) -> str:
        return f"--{self.key}"

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.option, self.short) if self.short else (self.option,)

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return environment_name(self.name)

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def expected(self) -> str:
        """A description of the values it takes, for messages."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.unit and not self.unit.bare:
            return f"a number with its unit, as in {self.unit.example}"
        span = f" from {self.least:,} to {self.most:,}" if math.isfinite(self.most) else ""
        written = f", in {self.unit.bare} or as in {self.unit.example}" if self.unit else ""
        return (self.words or _WORDS.get(self.kind, "a text")) + span + written

    def shown(self, value: Any) -> Any:
        """A value as one would write it, if it is a number of a unit; else the value itself."""
        return self.unit.text_of(value) if self.unit and value is not None else value

    def read(self, text: str, about: str) -> Any:
        """The value that a text stands for. Raises UsageError."""
        value: Any = text
        if self.kind is bool:
            value = _FLAGS.get(text.lower(), text)
        elif self.unit and (number := self.unit.number_in(text)) is not None:
            value = number
        elif self.kind is Path and not text:  # it would be this folder
            raise UsageError(f"{about}: expected a path, found ''")
        elif self.kind in {int, float, Path} and (self.unit is None or self.unit.bare):
            with suppress(ValueError):  # `check` says what was expected
                value = self.kind(text)
        return self.check(value, about)

    def check(self, value: Any, about: str) -> Any:
        """The value itself. Raises UsageError if it is of the wrong type or out of range."""
        if value is None and self.is_optional:
            return value
        if not self._is_of_kind(value):
            found = printable(repr(value))[:100]
            raise UsageError(f"{about}: expected {self.expected}, found {found}")
        if self.kind in {int, float} and not self.least <= value <= self.most:
            raise UsageError(f"{about}: expected {self.expected}")
        return value

    def _is_of_kind(self, value: Any) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if isinstance(value, bool):
            return self.kind is bool
        if isinstance(value, str | Path) and "\0" in str(value):
            return False
        if self.pattern and not (isinstance(value, str) and re.fullmatch(self.pattern, value)):
            return False
        return isinstance(value, _TYPES.get(self.kind, self.kind))


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
        Path, Setting(FOLDERS, "FOLDER", risky=True), "The folder into which files are dropped."
    ] = Path("inbox")
    outbox: Annotated[
        Path, Setting(FOLDERS, "FOLDER", risky=True), "The folder for solutions and records."
    ] = Path("outbox")
    solver: Annotated[
        SolverChoice,
        Setting(SOLVING),
        "auto: lanes for many puzzles at once, else minisat, or PySAT if that is missing.",
    ] = "auto"
    minisat: Annotated[
        str | None,
        Setting(SOLVING, "PROGRAM", risky=True),
        "The minisat program, if it is not on the PATH.",
    ] = None
    encoding: Annotated[EncodingChoice, Setting(SOLVING), "How a puzzle becomes clauses."] = (
        ENCODING
    )
    max_solutions: Annotated[
        int | None,
        Setting(SOLVING, "N", 1, 10**9),
        "Stop after this many solutions; by default 100, for each puzzle of a collection 2.",
    ] = None
    timeout: Annotated[
        float,
        Setting(SOLVING, None, 0.001, 10**6, unit=DURATION),
        "Time for all the work on one puzzle.",
    ] = 60.0
    memory_limit: Annotated[
        int,
        Setting(SOLVING, None, 64, 10**7, risky=True, unit=MEMORY),
        "Memory for each step of that work, such as solving; 64M or more.",
    ] = 4096
    max_bytes: Annotated[
        int,
        Setting(READING, None, 1, 2**40, risky=True, unit=SIZE),
        "The largest file of one puzzle.",
    ] = MAX_BYTES
    max_total_bytes: Annotated[
        int,
        Setting(READING, None, 1, 2**50, risky=True, unit=SIZE),
        "The most that an archive, or a file of many puzzles, may unpack to.",
    ] = MAX_TOTAL_BYTES
    max_members: Annotated[
        int,
        Setting(READING, "N", 1, 10**7, risky=True),
        "The most members that an archive or a folder may have; each becomes a set of files.",
    ] = 100_000
    workers: Annotated[
        int,
        Setting(PROCESSES, "N", 0, _MOST_WORKERS, short="-j"),
        "Processes for archives, collections and hundreds of single files; 0: one per core.",
    ] = 0
    cluster: Annotated[
        str | None,
        Setting(PROCESSES, "ADDRESS", risky=True),
        "The address of a Dask scheduler whose workers compute in place of --workers, or local:N.",
    ] = None
    variant: Annotated[
        VariantChoice,
        Setting(READING),
        "Read '*' and '.' as even and odd, or as blanks; auto: even and odd if both occur.",
    ] = "auto"
    format: Annotated[
        FormatChoice,
        Setting(READING, "NAME"),
        f"The format of the input: auto, which looks at its content, {', '.join(_FORMATS)}.",
    ] = "auto"
    alphabet: Annotated[
        AlphabetChoice,
        Setting(READING),
        "The signs of 16 by 16 or 25 by 25 characters; auto: decided by the characters.",
    ] = "auto"
    boxes: Annotated[
        str,
        Setting(READING, "RxC", pattern=_BOXES, words="auto, or RxC with R and C above 1, as 2x3"),
        "Rows x columns of a box, as 2x3, if the input does not state them; auto: as drawn.",
    ] = "auto"
    trust_solver: Annotated[
        bool,
        Setting(SOLVING, risky=True),
        "Do not check that no solution is missing; the result is then only claimed.",
    ] = False
    prove: Annotated[
        ProveChoice,
        Setting(SOLVING),
        "The results with which to publish a checked proof that there are no other solutions.",
    ] = "unsolvable"
    keep_cnf: Annotated[
        bool, Setting(SOLVING), "Also publish the CNF, with and without the solutions blocked."
    ] = False
    traits: Annotated[
        str,
        Setting(SOLVING, "NAMES"),
        "Find out more about puzzles: canonical, minimal, effort, rating, with commas between.",
    ] = ""
    settle: Annotated[
        float,
        Setting(FOLDERS, None, 0, 10**6, unit=DURATION),
        "A file unchanged for this long counts as complete, where leases cannot tell.",
    ] = 2.0
    grace: Annotated[
        float,
        Setting(PROCESSES, None, 0, 10**6, unit=DURATION),
        "Time that the current puzzle has to finish after a stop signal.",
    ] = 10.0
    poll: Annotated[
        bool,
        Setting(FOLDERS),
        "Scan every 5 s: for network and container mounts, which give no events.",
    ] = False
    on_done: Annotated[
        str | None,
        Setting(MONITORING, "COMMAND", risky=True),
        "Run this command for each finished job; the record is its last argument.",
    ] = None
    on_bad: Annotated[
        str | None,
        Setting(MONITORING, "COMMAND", risky=True),
        "Run this command only for jobs with something invalid, unknown or failed.",
    ] = None
    metrics: Annotated[
        Path | None,
        Setting(MONITORING, "FILE", risky=True),
        "Replace this OpenMetrics file after every scan, or at the end of `run`.",
    ] = None
    report: Annotated[
        bool, Setting(MONITORING), "Keep report.html, a page to look at, up to date in the outbox."
    ] = False
    log_format: Annotated[
        LogFormat,
        Setting(OUTPUT),
        "console: lines for people; json: events for programs; auto: json in a journal only.",
    ] = "auto"
    quiet: Annotated[bool, Setting(OUTPUT, short="-q"), "Print only problems."] = False

    @property
    def reading(self) -> Reading:
        steps = int(self.timeout * READING_STEPS)
        return Reading(self.variant, self.max_bytes, self.format, self.alphabet, self.boxes, steps)

    @property
    def limit(self) -> int:
        return self.max_solutions or MAX_SOLUTIONS

    @property
    def trait_names(self) -> tuple[TraitName, ...]:
        """The names in `traits`, in the order of the columns."""
        return tuple(name for name in get_args(TraitName) if name in self._asked)

    @property
    def _asked(self) -> set[str]:
        return {name.strip() for name in self.traits.split(",")} if self.traits else set()

    @property
    def output_key(self) -> str:
        """A text of the settings, except solvers, that affect the results of many puzzles."""
        *notation, _ = self.reading
        limits = self.max_solutions, self.max_total_bytes, self.max_members
        checks = self.prove, self.trust_solver
        return repr((tuple(notation), limits, self.keep_cnf, *checks, *self.trait_names))

    @property
    def variables(self) -> dict[str, str]:
        """The environment that gives another process these settings; no settings file counts."""
        values = {each.variable: getattr(self, name) for name, each in settings_declared().items()}
        found = {name: "" if value is None else str(value) for name, value in values.items()}
        return found | {environment_name("config"): os.devnull}

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
        names = get_args(TraitName)
        if not self._asked <= {*names}:
            raise UsageError(f"--traits: expected some of {', '.join(names)}, with commas between")
        if self.trust_solver and self.prove == "always":
            raise UsageError("--trust-solver: leaves out the proofs that --prove always asks for")
        if self.trust_solver and "rating" in self.trait_names:
            raise UsageError(
                "--traits rating: its steps may rely on a single solution, which --trust-solver "
                "leaves unproved"
            )
        if self.cluster is not None and not _is_cluster(self.cluster):
            raise UsageError("--cluster: expected tcp://HOST:PORT, tls://HOST:PORT or local:N")


@functools.cache
def settings_declared() -> dict[str, Setting]:
    """All settings by their names, in the order of the fields of `Settings`."""
    annotations = inspect.get_annotations(Settings, eval_str=True)
    declared = {}
    for each in fields(Settings):
        kind, setting, text = get_args(annotations[each.name])
        typed = setting.typed(kind)
        declared[each.name] = replace(typed, name=each.name, help=text, default=each.default)
    return declared


def is_declaration(name: str, word: str) -> bool:
    """Whether a record may say that this was declared of the notation."""
    with suppress(UsageError):
        return name in DECLARABLE and settings_declared()[name].check(word, name) == word
    return False


class ReadingOptions(TypedDict, total=False):
    """The settings that functions of the library take that read a puzzle."""

    variant: VariantChoice
    format: FormatChoice
    alphabet: AlphabetChoice
    boxes: str
    max_bytes: int
    timeout: float


class SourceOptions(ReadingOptions, total=False):
    """The settings that functions of the library take that read files, folders and archives."""

    max_total_bytes: int
    max_members: int


class SolvingOptions(ReadingOptions, total=False):
    """The settings that functions of the library take that solve."""

    memory_limit: int
    solver: SolverChoice
    minisat: str | None
    encoding: EncodingChoice
    max_solutions: int | None
    trust_solver: bool
    prove: ProveChoice
    keep_cnf: bool
    traits: str


class ConvertingOptions(SolvingOptions, total=False):
    """The settings that functions of the library take that convert."""

    inbox: Path
    max_total_bytes: int
    max_members: int


class BenchOptions(SourceOptions, total=False):
    """The settings that `bench` takes."""

    memory_limit: int
    minisat: str | None
    encoding: EncodingChoice


def settings_given(
    given: SourceOptions | SolvingOptions | ConvertingOptions | BenchOptions, known: type
) -> Settings:
    """The settings that a program gives as keyword arguments, all of which `known` must declare.

    Raises TypeError for any other, UsageError for a wrong value.
    """
    names, declared = known.__annotations__, settings_declared()
    chosen: dict[str, Any] = {_current_name(name): value for name, value in given.items()}
    for name, value in chosen.items():
        if name not in names:
            raise TypeError(f"{name}: unexpected keyword argument; expected {', '.join(names)}")
        replace(declared[name], unit=None).check(value, name)  # an argument has no suffix
    return Settings(**chosen)


def _current_name(name: str) -> str:
    """The name of a setting today, with a DeprecationWarning if it was renamed."""
    if name not in FORMER_NAMES:
        return name
    message = f"{name} is now {FORMER_NAMES[name]}; the old name works until 1.1"
    warnings.warn(message, DeprecationWarning, stacklevel=4)
    return FORMER_NAMES[name]


def _is_cluster(address: str) -> bool:
    """Whether an address names a Dask scheduler, or a number of processes here."""
    if match := re.fullmatch(r"local:(\d{1,4})", address, re.ASCII):
        return 1 <= int(match[1]) <= _MOST_WORKERS
    host = r"[^\s/:]+|\[[0-9a-fA-F:]+\]"
    match = re.fullmatch(rf"(?:tcp|tls)://(?:{host}):(\d{{1,5}})", address, re.ASCII)
    return match is not None and 1 <= int(match[1]) <= _MOST_PORTS
