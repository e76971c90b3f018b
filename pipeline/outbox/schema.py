"""The record of a job and its parts: every field with its type and meaning.

Fields are written in the order in which they stand here. `UNSET` ones are not written.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pipeline.puzzle.puzzle import Free, Geometry
from pipeline.solving import MOST, Count, Effort, Encoding, Rating, about

SCHEMA: Final = 1

STATUSES: Final = {
    "unique": "one solution; that there is no other is proved or claimed, as `certificate` says",
    "multiple": "two or more solutions; `complete` says whether these are all",
    "solved": "of a formula: satisfiable; further models were not asked for",
    "unsolvable": "no solution; `message` and `conflict` say why",
    "unknown": "a limit (`--timeout`, `--memory-limit`) was reached before that was clear",
    "invalid": "not a puzzle; `message` says where it fails and what was expected",
    "failed": "every attempt to solve it crashed, or its results could not be written",
    "refused": "a member of an archive that may not or cannot be read, such as a link",
    "other": "a member of an archive in which nothing looks like a puzzle; that is no error",
    "collection": "a file of many puzzles; `totals` counts them by status",
    "archive": "an archive or folder; `totals` counts the puzzles of all its members",
}
"""Each status and what it means, in the order in which they are shown."""

COLLECTION, ARCHIVE, REFUSED = "collection", "archive", "refused"
OF_MANY: Final = (COLLECTION, ARCHIVE)
"""The statuses of jobs that hold many puzzles."""

PROVED, CLAIMED = "proved", "claimed"
DISAGREEMENTS, FALLBACKS = "disagreements", "fallbacks"
ASIDE: Final = {
    DISAGREEMENTS: "puzzles whose file gives a wrong solution; `disagreement` says why it is wrong",
    FALLBACKS: (
        "puzzles for which the first solver failed and another answered, or of which it missed a "
        "solution that the check found; `fallbacks` says why"
    ),
    PROVED: "puzzles that are proved to have no other solutions",
    CLAIMED: "puzzles that are only claimed to have no other solutions",
}
"""Counted besides the statuses: puzzles that are counted under a status too."""

_Checked = Annotated[Literal["checked"], about("every solution was checked against the rules")]
Seconds = Annotated[float, Meta(ge=0, lt=MOST)]
T = TypeVar("T")


def or_none(value: T | UnsetType | None) -> T | None:
    """The value of a field, None if it is not set."""
    return None if value is UNSET else value


class PublishedFile(Struct, frozen=True, kw_only=True):
    """A file of the set."""

    name: Annotated[str, about("its name, in the folder of the record")]
    sha256: Annotated[str, about("the SHA-256 of its bytes, in hexadecimal")]


class RecordedSolver(Struct, frozen=True, kw_only=True):
    """The solver that answered."""

    name: Annotated[
        str,
        about(
            "`minisat`, `pysat` or `lanes`; `exhaustion` if a search found what these had missed, "
            "or was asked in place of them (`--trust-solver`)"
        ),
    ]
    version: Annotated[str | None, about("its version, if known")] = None
    fallback: Annotated[str | None, about("why it was not the first choice; null if it was")] = None


class CertificateOfOne(Struct, frozen=True, kw_only=True):
    """How it is known that there are no other solutions."""

    solutions: _Checked
    complete: Annotated[
        str | None,
        about(
            "`proved`: checked by something that shares no code of any search with the solvers; "
            "`claimed`: one program says so; `no`: there may be others"
        ),
    ] = None
    by: Annotated[
        str | None,
        about(
            "`exhaustion`: a search through everything; `lrat`: a proof that was checked by its "
            "hints; `drat`: a proof that was checked without, by an earlier version"
        ),
    ] = None
    nodes: Annotated[
        Count | None, about("how often that search branched; each form of the search has its own")
    ] = None
    solver: Annotated[str | None, about("what found the proof")] = None
    checker: Annotated[str | None, about("what checked the proof")] = None
    steps: Annotated[Count | None, about("the steps of the proof: how many clauses it adds")] = None
    reason: Annotated[
        str | None, about("why it is not proved, or why no proof file is published")
    ] = None


class CertificateOfMany(Struct, frozen=True, kw_only=True):
    """How many puzzles are known to have no other solutions, and how."""

    solutions: _Checked
    proved: Annotated[Count, about(ASIDE[PROVED])] = 0
    claimed: Annotated[Count, about(ASIDE[CLAIMED])] = 0


class Fallback(Struct, frozen=True, kw_only=True):
    """Puzzles that another solver than the first choice answered."""

    solver: Annotated[str, about("the solver that answered, as in `RecordedSolver`")]
    reason: Annotated[str, about("why it was asked, for people")]
    puzzles: Annotated[Count, about("of how many puzzles")]


class Cell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell of a puzzle."""

    row: Annotated[int, about("its row, from 1")]
    column: Annotated[int, about("its column, from 1")]

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.column

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}"


class Value(Cell, frozen=True, forbid_unknown_fields=True):
    """A cell with a value."""

    value: Annotated[int, about("its value")]


class RecordedClue(Cell, frozen=True, forbid_unknown_fields=True):
    """A cell with what the puzzle says about it: a value or a mark."""

    value: Annotated[int | UnsetType, about("the value that is given")] = UNSET
    mark: Annotated[
        Literal["even", "odd"] | tuple[int, ...] | UnsetType,
        about("`even`, `odd`, or the values that it allows"),
    ] = UNSET

    def __post_init__(self) -> None:
        if (self.value is UNSET) == (self.mark is UNSET):
            raise ValueError("a clue has a value or a mark")

    @property
    def holds(self) -> int | Literal["even", "odd"] | tuple[int, ...]:
        return self.mark if self.value is UNSET else self.value  # type: ignore[return-value] # one is set

    def __str__(self) -> str:
        holds = " or ".join(map(str, self.holds)) if isinstance(self.holds, tuple) else self.holds
        return f"{holds} in row {self.row}, column {self.column}"


class RecordedFree(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A grid whose rows, columns and boxes are rules, as its values or its shape are others."""

    rows: Annotated[int, Meta(ge=1, le=256), about("how many rows it has")]
    columns: Annotated[int, Meta(ge=1, le=256), about("how many columns it has")]
    lowest: Annotated[int, Meta(ge=0, le=1), about("its lowest value")]
    groups: Annotated[
        tuple[tuple[str, Annotated[int, Meta(ge=1)]], ...],
        about("groups of cells outside the grid: what they are called, and how many cells"),
    ] = ()

    @classmethod
    def of(cls, geometry: Geometry) -> RecordedFree | None:
        """The shape of a geometry that is free; None for others."""
        if (free := geometry.free) is None:
            return None
        return cls(rows=free.rows, columns=free.columns, lowest=free.lowest, groups=free.groups)

    def free(self) -> Free:
        """The same for a geometry. Raises ValueError."""
        return Free(self.rows, self.columns, self.lowest, self.groups)


class RuleTold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule of a puzzle."""

    number: Annotated[int, Meta(ge=1), about("its place among the puzzle's rules, from 1")]
    told: Annotated[str, about("what people call it, with its place")]


class RecordedDifference(Struct, frozen=True, kw_only=True):
    """Where the solutions of a puzzle differ."""

    cells: Annotated[tuple[Cell, ...], about("the cells in which they differ")]
    decisive: Annotated[
        tuple[Value, ...], about("values, as few as were found, that leave only one solution")
    ]
    exact: Annotated[bool, about("whether no fewer values leave one solution")]


_Files = Annotated[
    tuple[PublishedFile, ...], about("every file of the set but the record, with its hash")
]
Declared = Annotated[
    dict[str, str] | UnsetType,
    about("what was declared of the notation (`--format`, `--variant`, `--alphabet`, `--boxes`)"),
]
StagesTimed = Annotated[
    dict[str, Seconds] | None,
    about(
        "the seconds of each stage, and `total`; `batch` is for all puzzles that were "
        "solved together. A collection or archive has `total` only"
    ),
]
Schema = Annotated[Literal[1], about("the version of this description: 1")]
Version = Annotated[str | None, about("the version of sudoku-pipeline that wrote it")]
Build = Annotated[
    str | None,
    about("a digest of the source that wrote it, which tells states of a version apart"),
]
JobId = Annotated[str, about("the id of the job; it begins with the time of its claim")]
_Source = Annotated[str, about("the name of what was dropped; of a member its path in the archive")]
Hash = Annotated[
    str | None,
    about(
        "the SHA-256 of what was dropped, or of its content if it is one compressed "
        "puzzle; null for a folder or if unread"
    ),
]
Size = Annotated[
    Count | None, about("the bytes of what was dropped; null for a folder or if unread")
]
_Member = Annotated[Count | UnsetType, about("of a member of an archive: its place there, from 0")]
_Format = Annotated[
    str | None, about("the format that it was read as; null if it could not be read")
]
Finished = Annotated[str | None, about("when it was finished, in UTC")]


class PuzzleRecord(Struct, frozen=True, kw_only=True):
    """The record of one puzzle or formula, or of an invalid source."""

    schema: Schema = SCHEMA
    version: Version = None
    build: Build = None
    job: JobId
    source: _Source
    sha256: Hash = None
    bytes: Size = None
    declared: Declared = UNSET
    format: _Format = None
    variant: Annotated[
        str | None,
        about("`classic`, `even-odd`, or `rules` if there are others; null if it is not a puzzle"),
    ] = None
    box: Annotated[
        tuple[Annotated[int, Meta(ge=1)], Annotated[int, Meta(ge=1)]] | None,
        about("height and width of a box, 1 and n without boxes; null if it is not a puzzle"),
    ] = None
    grids: Annotated[
        tuple[tuple[Count, Count], ...] | UnsetType,
        about("of several grids that share boxes: row and column, from 0, where each begins"),
    ] = UNSET
    free: Annotated[
        RecordedFree | UnsetType,
        about("of a grid that has no boxes: its shape; `box` is 1 and the number of its values"),
    ] = UNSET
    rules: Annotated[
        dict[str, Count] | UnsetType,
        about("the rules beyond rows, columns and boxes, and how many of each"),
    ] = UNSET
    unread: Annotated[
        tuple[str, ...] | UnsetType,
        about(
            "parts of the source that were not read, as `message` says: `ruleset`, the rules in "
            "prose, which may demand more; `solution`, one that is not whole; else a text that may "
            "be a rule, with its line or column, `line 11: 'Both diagonals …'`"
        ),
    ] = UNSET
    title: Annotated[
        str | UnsetType,
        about("the title that the source gives the puzzle, of at most 200 characters"),
    ] = UNSET
    status: Annotated[str, about("its result, see *Statuses*")]
    solutions: Annotated[Count | None, about("how many solutions, or models, are published")] = None
    complete: Annotated[
        bool | None, about("whether these are all there are; null if that was not asked")
    ] = None
    message: Annotated[str | None, about("a message for people")] = None
    files: _Files
    solver: Annotated[RecordedSolver | None, about("who answered; null if no solver was asked")] = (
        None
    )
    encoding: Annotated[
        Encoding | None,
        about("the formula that the solver got; null if none did, or for many puzzles at once"),
    ] = None
    seconds: StagesTimed = None
    finished: Finished = None
    certificate: Annotated[
        CertificateOfOne | UnsetType,
        about("if a solver was asked: how it is known that these are all"),
    ] = UNSET
    conflict: Annotated[
        tuple[RecordedClue, ...] | UnsetType | None,
        about(
            "of an unsolvable puzzle: clues that have no solution together, with the rules in "
            "`conflict_rules`; null if none were found in time"
        ),
    ] = UNSET
    conflict_rules: Annotated[
        tuple[RuleTold, ...] | UnsetType,
        about("rules beyond rows, columns and boxes that are part of the conflict"),
    ] = UNSET
    conflict_minimal: Annotated[
        bool | UnsetType | None,
        about("whether any fewer of these clues have a solution; null without a conflict"),
    ] = UNSET
    difference: Annotated[
        RecordedDifference | UnsetType,
        about("of a puzzle with several solutions: where they differ"),
    ] = UNSET
    disagreement: Annotated[
        str | UnsetType,
        about("what is wrong with the solution that the file gives beside the puzzle"),
    ] = UNSET
    canonical: Annotated[
        str | UnsetType | None,
        about(
            "with `--traits canonical`: its canonical form, the same for all puzzles that are "
            "equivalent; null if it is not a classic puzzle of 9×9, or was left undecided"
        ),
    ] = UNSET
    redundant: Annotated[
        tuple[Value, ...] | UnsetType | None,
        about(
            "with `--traits minimal`: the givens that can be left out, each alone; null if it does "
            "not have one solution, is larger than 25×25, or time was too short"
        ),
    ] = UNSET
    redundant_rules: Annotated[
        tuple[RuleTold, ...] | UnsetType | None,
        about(
            "of a puzzle with rules, with `--traits minimal`: the rules that can be left out, each "
            "alone; null as `redundant` is"
        ),
    ] = UNSET
    effort: Annotated[
        Effort | UnsetType | None,
        about(
            "with `--traits effort`: numbers that say how hard it is; null if it is not a classic "
            "puzzle of 9×9 with one solution"
        ),
    ] = UNSET
    rating: Annotated[
        Rating | UnsetType | None,
        about(
            "with `--traits rating`: how hard it is for a person; null if it is not a 9×9 puzzle "
            "without other rules that has one solution"
        ),
    ] = UNSET
    member: _Member = UNSET

    @property
    def totals(self) -> dict[str, int]:
        return {self.status: 1}

    @property
    def told_certificate(self) -> str:
        """How it is known that the solutions are all, in a word; empty if that is not said."""
        told = or_none(self.certificate)
        return (told.by or told.complete or "") if told and self.complete else ""

    @property
    def known(self) -> dict[str, int]:
        """One under PROVED or CLAIMED, as it is known that the solutions are all."""
        told = or_none(self.certificate)
        how = told.complete if told and self.complete else None
        return {how: 1} if how and how in {PROVED, CLAIMED} else {}


class ManyRecord(Struct, frozen=True, kw_only=True):
    """The record of a collection or archive."""

    schema: Schema = SCHEMA
    version: Version = None
    build: Build = None
    job: JobId
    source: _Source
    member: _Member = UNSET
    sha256: Hash = None
    bytes: Size = None
    format: _Format = None
    status: Annotated[str, about("`collection` or `archive`")]
    seconds: StagesTimed = None
    declared: Declared = UNSET
    totals: Annotated[
        dict[str, Count],
        about("how many puzzles have which status, see *Statuses*"),
    ] = {}
    certificate: Annotated[
        CertificateOfMany | UnsetType,
        about("how many of those that claim to be complete are proved"),
    ] = UNSET
    fallbacks: Annotated[
        tuple[Fallback, ...] | UnsetType,
        about(
            "why solvers other than the first choice answered; after some 20 different reasons, "
            "further ones are put together"
        ),
    ] = UNSET
    unread: Annotated[
        dict[str, Count] | UnsetType,
        about(
            "parts of the source that were not read, as in the record of a puzzle but without "
            "lines, and for how many puzzles; after 20 different ones, further ones are put "
            "together"
        ),
    ] = UNSET
    files: _Files
    finished: Finished = None

    @property
    def known(self) -> dict[str, int]:
        """The counts of PROVED and CLAIMED puzzles."""
        told = or_none(self.certificate)
        return {PROVED: told.proved, CLAIMED: told.claimed} if told else {}


Record = PuzzleRecord | ManyRecord


def json_schema() -> dict[str, Any]:
    """The JSON Schema of all records."""
    (one, many), parts = msgspec.json.schema_components((PuzzleRecord, ManyRecord))
    _say_statuses(parts["PuzzleRecord"], [name for name in STATUSES if name not in OF_MANY])
    _say_statuses(parts["ManyRecord"], [*OF_MANY])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The record of a job of sudoku-pipeline",
        "oneOf": [one, many],
        "$defs": parts,
    }


def _say_statuses(part: dict[str, Any], statuses: list[str]) -> None:
    part["properties"]["status"]["enum"] = statuses
