"""Define the record of a job: its fields, with their types and meanings.

Fields are written in the order of their definition; `UNSET` fields are omitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pipeline.errors import RefusalCode
from pipeline.puzzle.geometry import FreeGrid, Geometry
from pipeline.solving import COUNT_LIMIT, Count, Effort, Encoding, Rating, about

SCHEMA: Final = 2
"""The schema of the records that this version writes."""

FORMER_SCHEMA: Final = 1
"""The schema of earlier versions, whose records are still read."""

REFUSALS: Final[dict[RefusalCode, str]] = {
    "not-a-puzzle": "no format fits, or the reason has no other code",
    "empty": "no text, or only comments and empty lines",
    "not-text": "bytes that are not UTF-8, or a NUL character",
    "wrong-cell": "a character or number that cannot be a cell of this puzzle",
    "wrong-shape": "a wrong number of rows or cells, or boxes that do not fit",
    "region-map": "a grid with a region map, in a format that cannot have one",
    "several-puzzles": "several puzzles where one was expected",
    "unknown-rule": "an unknown rule",
    "ambiguous": "several possible readings; the message names the option that decides",
    "damaged": "a known format, but with an error in the text",
    "foreign-format": "a file of another program; the message names it",
    "link": "a link that contains no puzzle",
    "too-large": "more bytes, lines or parsing steps than allowed",
    "unreadable": "a file that cannot be opened or unpacked",
}
"""The codes of refusals and their meanings."""

STATUSES: Final = {
    "unique": "exactly one solution; `certificate` says whether uniqueness was verified",
    "multiple": "two or more solutions; `complete` says whether all are published",
    "solved": "for formulas: satisfiable; no further models were searched for",
    "unsolvable": "no solution; `message` and `conflict` say why",
    "unknown": "a limit (`--timeout`, `--memory-limit`) was reached before an answer was found",
    "invalid": "not a puzzle; `message` says where reading failed and what was expected",
    "failed": "every attempt to solve the puzzle crashed, or its results could not be written",
    "refused": "a member of an archive that cannot be read, or is not safe to read, such as a link",
    "other": "a member of an archive that does not look like a puzzle, which is not an error",
    "collection": "a file of several puzzles; `totals` counts them by status",
    "archive": "an archive or folder; `totals` counts the puzzles of all its members",
}
"""Statuses and their meanings, in display order."""

COLLECTION, ARCHIVE, REFUSED = "collection", "archive", "refused"
"""The statuses of collections, of archives, and of members of archives that cannot be read."""

WITH_TOTALS: Final = (COLLECTION, ARCHIVE)
"""The statuses of jobs with several puzzles."""

PROVED, UNVERIFIED = "proved", "unverified"
"""The values of `complete` in certificates of complete results."""

DISAGREEMENTS, FALLBACKS = "disagreements", "fallbacks"
"""Names of counts in `totals`; for their meanings, see EXTRA_COUNTS."""

EXTRA_COUNTS: Final = {
    DISAGREEMENTS: "puzzles with a wrong solution in their file; `disagreement` says what is wrong",
    FALLBACKS: (
        "puzzles that the solver of first choice did not solve, or for which it missed a solution "
        "that the check found; the field `fallbacks` gives the reasons"
    ),
    PROVED: "puzzles that are proved to have no other solutions",
    UNVERIFIED: "puzzles for which completeness was not verified",
}
"""Counts in addition to the counts by status. A puzzle may occur in several of them."""

_Checked = Annotated[Literal["checked"], about("all solutions were checked against the rules")]
Seconds = Annotated[float, Meta(ge=0, lt=COUNT_LIMIT)]
_T = TypeVar("_T")


def or_none(value: _T | UnsetType | None) -> _T | None:
    """The value of a field; None if it is unset."""
    return None if value is UNSET else value


def recorded_time(text: str | None) -> datetime | None:
    """Parse a time of a record, which is UTC unless it says otherwise; None if it is invalid."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def status_counts(totals: Mapping[str, int]) -> list[str]:
    """The numbers of puzzles by status as texts, such as `3 unique`; the largest first."""
    counts = Counter({name: n for name, n in totals.items() if name not in EXTRA_COUNTS})
    return [f"{n:,} {name}" for name, n in counts.most_common() if n]


class PublishedFile(Struct, frozen=True, kw_only=True):
    """A published file of the job."""

    name: Annotated[str, about("the name of the file, which is in the folder of the record")]
    sha256: Annotated[str, about("the SHA-256 of the file, in hexadecimal")]


class RecordedSolver(Struct, frozen=True, kw_only=True):
    """The solver that answered."""

    name: Annotated[
        str,
        about(
            "`minisat`, `pysat`, `cdcl` or `batch`; `exhaustive-search` if the search found "
            "solutions that these missed, or if it answered for a variant alone: a solver gave up "
            "or would need too many clauses, `--trust-solver` was given, or there are more "
            "solutions than requested"
        ),
    ]
    version: Annotated[str | None, about("the version of the solver; null if unknown")] = None
    fallback: Annotated[
        str | None, about("why the solver of first choice was not used; null if it was used")
    ] = None


class PuzzleCertificate(Struct, frozen=True, kw_only=True):
    """How the absence of other solutions was verified."""

    solutions: _Checked
    complete: Annotated[
        str | None,
        about(
            "`proved`: checked by code independent of the solvers; `unverified`: only one program "
            "reported that all solutions were found; `no`: solutions may be missing"
        ),
    ] = None
    by: Annotated[
        str | None,
        about(
            "`exhaustive-search`; `lrat`: a proof that was checked with its hints; `drat`: a proof "
            "that an earlier version checked without hints"
        ),
    ] = None
    nodes: Annotated[
        Count | None,
        about("branches of the exhaustive search; the number depends on the implementation"),
    ] = None
    solver: Annotated[str | None, about("the solver that found the proof")] = None
    checker: Annotated[str | None, about("the program that checked the proof")] = None
    steps: Annotated[
        Count | None, about("number of steps of the proof, each of which adds a clause")
    ] = None
    reason: Annotated[
        str | None, about("why completeness is not proved, or why no proof file is published")
    ] = None


class CollectionCertificate(Struct, frozen=True, kw_only=True):
    """The numbers of puzzles with and without a proof that there are no other solutions."""

    solutions: _Checked
    proved: Annotated[Count, about(EXTRA_COUNTS[PROVED])] = 0
    unverified: Annotated[Count, about(EXTRA_COUNTS[UNVERIFIED])] = 0


class Fallback(Struct, frozen=True, kw_only=True):
    """Puzzles that a solver other than the first choice answered."""

    solver: Annotated[str, about("the solver that answered, as in `RecordedSolver`")]
    reason: Annotated[str, about("why this solver was used, for people")]
    puzzles: Annotated[Count, about("number of puzzles")]


class RecordedCell(Struct, frozen=True, forbid_unknown_fields=True):
    """A cell of a puzzle."""

    row: Annotated[int, about("the row, from 1")]
    column: Annotated[int, about("the column, from 1")]

    @property
    def place(self) -> tuple[int, int]:
        return self.row, self.column

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}"


class Value(RecordedCell, frozen=True, forbid_unknown_fields=True):
    """A cell with a value."""

    value: Annotated[int, about("the value of the cell")]


class RecordedClue(RecordedCell, frozen=True, forbid_unknown_fields=True):
    """A cell with its clue: a value or a mark."""

    value: Annotated[int | UnsetType, about("the given value")] = UNSET
    mark: Annotated[
        Literal["even", "odd"] | tuple[int, ...] | UnsetType,
        about("`even`, `odd`, or a list of the allowed values"),
    ] = UNSET

    def __post_init__(self) -> None:
        if (self.value is UNSET) == (self.mark is UNSET):
            raise ValueError("a clue has a value or a mark")

    @property
    def content(self) -> int | Literal["even", "odd"] | tuple[int, ...]:
        return self.mark if self.value is UNSET else self.value  # type: ignore[return-value] # one is set

    def __str__(self) -> str:
        content = self.content
        shown = " or ".join(map(str, content)) if isinstance(content, tuple) else content
        return f"{shown} in row {self.row}, column {self.column}"


class RecordedFree(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A grid without implicit units: rows, columns and boxes mean nothing unless a rule says so.

    Its values or its shape differ from those of a classic grid.
    """

    rows: Annotated[int, Meta(ge=1, le=256), about("number of rows")]
    columns: Annotated[int, Meta(ge=1, le=256), about("number of columns")]
    lowest: Annotated[int, Meta(ge=0, le=1), about("the lowest value")]
    groups: Annotated[
        tuple[tuple[str, Annotated[int, Meta(ge=1)]], ...],
        about("groups of cells outside the grid: name and number of cells"),
    ] = ()
    widths: Annotated[
        tuple[tuple[str, Annotated[int, Meta(ge=1, le=256)]], ...] | UnsetType,
        about("groups that have fewer or more columns than the grid: name and number of columns"),
    ] = UNSET

    @classmethod
    def of(cls, geometry: Geometry) -> RecordedFree | None:
        """Describe the grid of a free geometry. Returns None for any other geometry."""
        if (free := geometry.free_grid) is None:
            return None
        return cls(
            rows=free.rows,
            columns=free.columns,
            lowest=free.lowest,
            groups=free.groups,
            widths=free.widths or UNSET,
        )

    def free_grid(self) -> FreeGrid:
        """Convert to the type that `Geometry` uses. Raises ValueError if the grid is invalid."""
        return FreeGrid(self.rows, self.columns, self.lowest, self.groups, self.widths or ())


class RecordedRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule of a puzzle."""

    number: Annotated[int, Meta(ge=1), about("the number of the rule in the puzzle, from 1")]
    text: Annotated[str, about("the name and the position of the rule, for people")]


class RecordedDifference(Struct, frozen=True, kw_only=True):
    """Where the solutions of a puzzle differ."""

    cells: Annotated[tuple[RecordedCell, ...], about("the cells in which the solutions differ")]
    decisive: Annotated[
        tuple[Value, ...],
        about("the smallest set found of values that, added as givens, leave one solution"),
    ]
    exact: Annotated[bool, about("whether `decisive` has the smallest possible number of values")]


_Files = Annotated[
    tuple[PublishedFile, ...],
    about("every published file of the job except the record, with its hash"),
]
Declared = Annotated[
    dict[str, str] | UnsetType,
    about("declared notation (`--format`, `--variant`, `--alphabet`, `--boxes`, `--strict`)"),
]
StagesTimed = Annotated[
    dict[str, Seconds] | None,
    about(
        "seconds of each stage, and `total`; puzzles solved in a batch have `batch`, the time for "
        "the whole batch, instead of the stages; a collection or archive has only `total`"
    ),
]
Schema = Annotated[Literal[1, 2], about("the version of this schema: 2; before 1.0 it was 1")]
Version = Annotated[str | None, about("the version of sudoku-pipeline that wrote the record")]
Build = Annotated[
    str | None,
    about("a digest of the program's source, which distinguishes builds of a version"),
]
JobId = Annotated[str, about("the id of the job, which begins with the time of its claim")]
_Source = Annotated[
    str, about("the name of the dropped file or folder; for a member, its path in the archive")
]
Hash = Annotated[
    str | None,
    about(
        "the SHA-256 of the dropped file, or of its content if it is one compressed puzzle; null "
        "for a folder, or if the file was not read"
    ),
]
Size = Annotated[
    Count | None, about("the number of bytes that `sha256` covers; null if `sha256` is null")
]
_Member = Annotated[
    Count | UnsetType, about("for a member of an archive: its number in the archive, from 0")
]
_Format = Annotated[str | None, about("the input format; null if the source could not be read")]
Finished = Annotated[str | None, about("when the job finished, in UTC")]


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
        about("`classic`, `even-odd`, or `rules` for other variants; null without a puzzle"),
    ] = None
    box: Annotated[
        tuple[Annotated[int, Meta(ge=1)], Annotated[int, Meta(ge=1)]] | None,
        about("height and width of a box; 1 and n without boxes; null without a puzzle"),
    ] = None
    grids: Annotated[
        tuple[tuple[Count, Count], ...] | UnsetType,
        about("for overlapping grids: the row and column, from 0, where each grid begins"),
    ] = UNSET
    free: Annotated[
        RecordedFree | UnsetType,
        about("the shape of a grid without boxes; `box` is 1 and the number of values"),
    ] = UNSET
    rules: Annotated[
        dict[str, Count] | UnsetType,
        about("rules beyond rows, columns and boxes: name and count"),
    ] = UNSET
    unread: Annotated[
        tuple[str, ...] | UnsetType,
        about(
            "parts of the source that were not read: `ruleset` (rules in prose), `drawings` "
            "(lines, circles and texts of f-puzzles), `solution` (an incomplete solution), or a "
            "text that may be a rule, after its line or column: `line 11: 'Both diagonals …'`"
        ),
    ] = UNSET
    title: Annotated[
        str | UnsetType,
        about("the title of the puzzle in the source, up to 200 characters"),
    ] = UNSET
    status: Annotated[str, about("the result, see *Statuses*")]
    solutions: Annotated[Count | None, about("number of published solutions or models")] = None
    complete: Annotated[
        bool | None, about("whether all solutions are published; null if that was not determined")
    ] = None
    message: Annotated[str | None, about("a message for people")] = None
    code: Annotated[
        str | UnsetType,
        about("for a source that is not a puzzle: the reason, see *Codes of refusals*"),
    ] = UNSET
    files: _Files
    solver: Annotated[
        RecordedSolver | None,
        about("the solver that solved the puzzle; null if no solver was used"),
    ] = None
    encoding: Annotated[
        Encoding | None,
        about("the formula for the solver; null without a formula, or for a batch"),
    ] = None
    seconds: StagesTimed = None
    finished: Finished = None
    certificate: Annotated[
        PuzzleCertificate | UnsetType,
        about("if a solver was used: how completeness was verified"),
    ] = UNSET
    conflict: Annotated[
        tuple[RecordedClue, ...] | UnsetType | None,
        about(
            "for an unsolvable puzzle: clues that contradict each other, with the rules in "
            "`conflict_rules`; null if no such clues were found in time, or the side is above 36"
        ),
    ] = UNSET
    conflict_rules: Annotated[
        tuple[RecordedRule, ...] | UnsetType,
        about("rules, beyond rows, columns and boxes, that are part of the conflict"),
    ] = UNSET
    conflict_minimal: Annotated[
        bool | UnsetType | None,
        about(
            "whether removing any one of these clues or rules leaves a solution; "
            "false if that is unknown, null without a conflict"
        ),
    ] = UNSET
    difference: Annotated[
        RecordedDifference | UnsetType,
        about("for a puzzle with several solutions: where the solutions differ"),
    ] = UNSET
    disagreement: Annotated[
        str | UnsetType,
        about("what is wrong with the solution in the file"),
    ] = UNSET
    canonical: Annotated[
        str | UnsetType | None,
        about(
            "with `--traits canonical`: the canonical form, which is the same for all equivalent "
            "puzzles; null if the puzzle is not a classic 9×9 puzzle, or time ran out"
        ),
    ] = UNSET
    redundant: Annotated[
        tuple[Value, ...] | UnsetType | None,
        about(
            "with `--traits minimal`: the redundant givens; null if the puzzle is not unique, is "
            "larger than 25×25, or time ran out"
        ),
    ] = UNSET
    redundant_rules: Annotated[
        tuple[RecordedRule, ...] | UnsetType | None,
        about(
            "for a variant, with `--traits minimal`: the redundant rules; null in "
            "the same cases as `redundant`"
        ),
    ] = UNSET
    effort: Annotated[
        Effort | UnsetType | None,
        about(
            "with `--traits effort`: how hard the puzzle is for a search; null if it is not a "
            "unique classic 9×9 puzzle"
        ),
    ] = UNSET
    rating: Annotated[
        Rating | UnsetType | None,
        about(
            "with `--traits rating`: how hard the puzzle is for people; null if it is not a unique "
            "9×9 puzzle without extra rules"
        ),
    ] = UNSET
    member: _Member = UNSET

    @property
    def totals(self) -> dict[str, int]:
        """The puzzle counted by its status, like the totals of a collection."""
        return {self.status: 1}

    @property
    def certificate_label(self) -> str:
        """How completeness was verified, as in tables; empty if the result is not complete."""
        recorded = or_none(self.certificate)
        return (recorded.by or recorded.complete or "") if recorded and self.complete else ""

    @property
    def completeness_counts(self) -> dict[str, int]:
        """The puzzle counted as PROVED or UNVERIFIED; empty if the result is not complete."""
        recorded = or_none(self.certificate)
        completeness = recorded.complete if recorded and self.complete else None
        return {completeness: 1} if completeness in (PROVED, UNVERIFIED) else {}


class CollectionRecord(Struct, frozen=True, kw_only=True):
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
        about("number of puzzles by status, see *Statuses*"),
    ] = {}
    certificate: Annotated[
        CollectionCertificate | UnsetType,
        about("the numbers of complete results that are proved, and that are unverified"),
    ] = UNSET
    fallbacks: Annotated[
        tuple[Fallback, ...] | UnsetType,
        about(
            "why solvers other than the first choice were used; after about 20 different reasons, "
            "further reasons are combined"
        ),
    ] = UNSET
    unread: Annotated[
        dict[str, Count] | UnsetType,
        about(
            "unread parts of the source, as in the record of a puzzle but without lines, with the "
            "number of puzzles; after 20 different parts, further parts are combined"
        ),
    ] = UNSET
    files: _Files
    finished: Finished = None

    @property
    def completeness_counts(self) -> dict[str, int]:
        """The counts of PROVED and UNVERIFIED puzzles."""
        recorded = or_none(self.certificate)
        return {PROVED: recorded.proved, UNVERIFIED: recorded.unverified} if recorded else {}


Record = PuzzleRecord | CollectionRecord


def json_schema() -> dict[str, Any]:
    """The JSON Schema of all records."""
    (puzzle, collection), definitions = msgspec.json.schema_components(
        (PuzzleRecord, CollectionRecord)
    )
    _set_statuses(
        definitions["PuzzleRecord"], [name for name in STATUSES if name not in WITH_TOTALS]
    )
    _set_statuses(definitions["CollectionRecord"], [*WITH_TOTALS])
    definitions["PuzzleRecord"]["properties"]["code"]["enum"] = [*REFUSALS]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The record of a job of sudoku-pipeline",
        "oneOf": [puzzle, collection],
        "$defs": definitions,
    }


def _set_statuses(definition: dict[str, Any], statuses: list[str]) -> None:
    definition["properties"]["status"]["enum"] = statuses
