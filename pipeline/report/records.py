"""The records of an outbox as a report reads them: whatever they hold, each is one row."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from pipeline.errors import in_words, printable
from pipeline.parse import DECLARABLE
from pipeline.published import ENDING, ManyRecord, NoRecord, Record, file_names, load_record
from pipeline.published.schema import ASIDE, OF_MANY, Cell, or_none
from pipeline.puzzle import MAX_SIDE, MIN_SIDE
from pipeline.settings import Reading

UNREADABLE: Final = "unreadable"
"""The status of a file that is named like a record but is not one."""

STATUSES: Final = (
    "unique",
    "multiple",
    "solved",
    "unsolvable",
    "unknown",
    "invalid",
    "failed",
    "refused",
    "other",
    UNREADABLE,
)
"""The statuses of puzzles, in the order in which they are shown."""

NOT_WELL: Final = frozenset(("unknown", "invalid", "failed", "refused", UNREADABLE))
_UNRECOGNISED: Final = "unrecognised"
_LONGEST_NAME, _LONGEST_TEXT = 255, 600
_MOST_PLACES, _MOST_FILES = MAX_SIDE * MAX_SIDE, 100_000
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
_CLAIMED = re.compile(r"(\d{8}T\d{6})-", re.ASCII)


@dataclass(frozen=True, slots=True)
class Job:
    """A job according to its record, as far as that is legible.

    `stem` is the name of the record without its ending. `started` and `finished` are seconds
    since 1970. `totals` counts the puzzles by status, `seconds` are those of the stages.
    """

    stem: str
    source: str
    status: str
    format: str = ""
    message: str = ""
    box: tuple[int, int] | None = None
    solutions: int | None = None
    complete: bool = False
    sha256: str | None = None
    member: int | None = None
    solver: str = ""
    evidence: str = ""
    started: float | None = None
    finished: float | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    declared: Mapping[str, str] = field(default_factory=dict)
    conflict: tuple[tuple[int, int], ...] = ()
    difference: tuple[tuple[int, int], ...] = ()

    @property
    def is_many(self) -> bool:
        return self.status in OF_MANY

    @property
    def puzzles(self) -> int:
        return sum(self.totals.values())

    @property
    def is_well(self) -> bool:
        """Whether nothing of it is invalid, unknown, failed or unreadable."""
        return self.status not in NOT_WELL and not NOT_WELL & self.totals.keys()

    @property
    def reading(self) -> Reading:
        return Reading()._replace(**cast("dict[str, Any]", self.declared))


def read_job(path: Path) -> Job | None:
    """The job that a record is about; None if the file is gone.

    One that cannot be read is a job that says so.
    """
    stem = path.name.removesuffix(ENDING)
    try:
        return _job(stem, load_record(path))
    except FileNotFoundError:
        return None
    except NoRecord as error:
        cause = error.__cause__
        return _unreadable(stem, in_words(cause) if isinstance(cause, OSError) else str(error))


def _unreadable(stem: str, why: str) -> Job:
    message = f"the record cannot be read: {_shown(why)}"
    return Job(stem, stem, UNREADABLE, message=message, totals={UNREADABLE: 1})


def _job(stem: str, record: Record) -> Job:
    seconds = record.seconds or {}
    finished = _moment(record.finished)
    common = Job(
        stem,
        record.source or stem,
        known_status(record.status),
        format=_shown(record.format or ""),
        sha256=record.sha256,
        member=or_none(record.member),
        started=_started(record.job, finished, seconds.get("total")),
        finished=finished,
        seconds=seconds,
        totals=_totals(record.totals),
        files=tuple(n for n in file_names(record)[:_MOST_FILES] if len(n) <= _LONGEST_NAME),
        declared=_declared(or_none(record.declared) or {}),
    )
    if isinstance(record, ManyRecord):
        return common
    certificate, difference = or_none(record.certificate), or_none(record.difference)
    return replace(
        common,
        message=_shown(record.message or ""),
        box=_box(record.box),
        solutions=record.solutions,
        complete=record.complete is True,
        solver=_shown(record.solver.name) if record.solver else "",
        evidence=_shown((certificate and certificate.complete) or ""),
        conflict=_places(or_none(record.conflict) or ()),
        difference=_places(difference.cells if difference else ()),
    )


def _shown(text: str) -> str:
    """A text made printable and short enough to show."""
    return shortened(text, _LONGEST_TEXT)


def shortened(text: str, most: int = _LONGEST_NAME) -> str:
    """A text made printable, in at most so many characters."""
    shown = printable(text[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def known_status(status: str | None) -> str:
    """The status if it is a known one."""
    return status if status in STATUSES or status in OF_MANY else _UNRECOGNISED


def _totals(told: Mapping[str, int]) -> dict[str, int]:
    """Puzzles by known status; counts of puzzles that are counted already are left out."""
    totals: dict[str, int] = {}
    for name, count in told.items():
        if name not in ASIDE and count:
            status = known_status(name)
            totals[status] = totals.get(status, 0) + count
    return totals


def is_within(folder: Path, top: Path) -> bool:
    """Whether a path below a folder really lies there, rather than behind a link."""
    try:
        return folder.resolve() == top.resolve() / folder.relative_to(top)
    except (OSError, RuntimeError, ValueError):
        return False


def _declared(declared: Mapping[str, str]) -> dict[str, str]:
    known = (name for name in DECLARABLE if declared.get(name) in DECLARABLE[name])
    return {name: declared[name] for name in known}


def _box(box: tuple[int, int] | None) -> tuple[int, int] | None:
    return box if box and MIN_SIDE <= box[0] * box[1] <= MAX_SIDE else None


def _places(cells: Sequence[Cell]) -> tuple[tuple[int, int], ...]:
    return tuple(cell.place for cell in cells[:_MOST_PLACES])


def _moment(text: str | None) -> float | None:
    """Seconds since 1970 of an ISO 8601 time in this millennium."""
    try:
        moment = datetime.fromisoformat(text or "")
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds >= _EARLIEST else None


def _started(job: str | None, finished: float | None, total: float | None) -> float | None:
    """When a job was claimed: according to its id, else by the seconds that it took."""
    match = _CLAIMED.match(job or "")
    claimed = _moment(match[1]) if match else None
    if claimed is None and finished is not None and total is not None:
        claimed = finished - total
    if claimed is None or finished is None or not math.isfinite(claimed):
        return None
    return min(max(claimed, _EARLIEST), finished)
