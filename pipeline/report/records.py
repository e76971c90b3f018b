"""The records of an outbox as a report reads them: whatever is in them, each is one row."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeGuard, cast

from pipeline.errors import in_words, printable
from pipeline.files import is_file_name
from pipeline.parse import DECLARABLE
from pipeline.published import ENDING, NoRecord, read_told
from pipeline.puzzle import MAX_SIDE, MIN_SIDE
from pipeline.settings import Reading

UNREADABLE: Final = "unreadable"
"""The status of what is named like a record, and is none."""

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
"""Of puzzles, in the order in which they are shown."""

NOT_WELL: Final = frozenset(("unknown", "invalid", "failed", "refused", UNREADABLE))
MANY: Final = ("collection", "archive")
_UNRECOGNISED: Final = "unrecognised"
_ASIDE: Final = frozenset(("disagreements", "fallbacks", "proved", "claimed"))
_LONGEST_NAME, _LONGEST_TEXT = 255, 600
_MOST_PLACES, _MOST_FILES = MAX_SIDE * MAX_SIDE, 100_000
_MOST = 10**15
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()
_CLAIMED = re.compile(r"(\d{8}T\d{6})-", re.ASCII)


@dataclass(frozen=True, slots=True)
class Job:
    """What a record says of one job, as far as it can be made out.

    `stem` is the name of the record without its ending. `started` and `finished` are seconds
    since 1970. `totals` counts the puzzles per status, `seconds` are those of the stages.
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
        return self.status in MANY

    @property
    def puzzles(self) -> int:
        return sum(self.totals.values())

    @property
    def is_well(self) -> bool:
        """Whether nothing of it is invalid, unknown, failed or cannot be read."""
        return self.status not in NOT_WELL and not NOT_WELL & self.totals.keys()

    @property
    def reading(self) -> Reading:
        """How its original is to be read."""
        return Reading()._replace(**cast("dict[str, Any]", self.declared))


def read_job(path: Path) -> Job | None:
    """The job that a record is about; None where it is gone, or is of something else.

    What cannot be read is a job too, which says so.
    """
    stem = path.name.removesuffix(ENDING)
    try:
        told = read_told(path)
    except FileNotFoundError:
        return None
    except NoRecord as error:
        cause = error.__cause__
        return _unreadable(stem, in_words(cause) if isinstance(cause, OSError) else str(error))
    return _job(stem, told)


def _unreadable(stem: str, why: str) -> Job:
    message = f"the record cannot be read: {_shown(why)}"
    return Job(stem, stem, UNREADABLE, message=message, totals={UNREADABLE: 1})


def _job(stem: str, told: Mapping[str, Any]) -> Job:
    text = _reader(told)
    status = known_status(text("status"))
    solver, certificate = _object(told, "solver"), _object(told, "certificate")
    seconds = {name: s for name, s in _object(told, "seconds").items() if _is_duration(s)}
    finished = _moment(text("finished"))
    return Job(
        stem,
        text("source") or stem,
        status,
        format=_shown(text("format") or ""),
        message=_shown(text("message") or ""),
        box=_box(told.get("box")),
        solutions=_number(told.get("solutions")),
        complete=told.get("complete") is True,
        sha256=text("sha256"),
        member=_number(told.get("member")),
        solver=_shown(str(solver.get("name") or "")),
        evidence=_shown(str(certificate.get("complete") or "")),
        started=_started(text("job"), finished, seconds.get("total")),
        finished=finished,
        seconds=seconds,
        totals=_totals(told.get("totals")) if status in MANY else {status: 1},
        files=tuple(_files(told.get("files"))),
        declared=_declared(told),
        conflict=_places(told.get("conflict")),
        difference=_places(_object(told, "difference").get("cells")),
    )


def _reader(told: Mapping[str, Any]) -> Callable[[str], str | None]:
    """What gives a field that is a text; None for one that is not."""

    def read(name: str) -> str | None:
        value = told.get(name)
        return value if isinstance(value, str) else None

    return read


def _number(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST else None


def _object(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = told.get(name)
    return value if isinstance(value, dict) else {}


def _shown(text: str) -> str:
    """A text as it may be shown, not longer than it should be."""
    return shortened(text, _LONGEST_TEXT)


def shortened(text: str, most: int = _LONGEST_NAME) -> str:
    """A text as it may be shown, in so many characters."""
    shown = printable(text[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def known_status(status: str | None) -> str:
    """The status itself if there is such a one."""
    return status if status in STATUSES or status in MANY else _UNRECOGNISED


def _is_duration(value: object) -> bool:
    return type(value) in (int, float) and 0 <= cast("float", value) < _MOST


def _is_count(value: object) -> bool:
    return type(value) is int and 0 < value < _MOST


def _totals(value: object) -> dict[str, int]:
    """Puzzles per known status; what is counted in them twice is left out."""
    totals: dict[str, int] = {}
    for name, count in value.items() if isinstance(value, dict) else ():
        if name not in _ASIDE and _is_count(count):
            status = known_status(name)
            totals[status] = totals.get(status, 0) + count
    return totals


def _files(value: object) -> list[str]:
    """The names of the files that it lists, but for those that lead elsewhere."""
    listed = value[:_MOST_FILES] if isinstance(value, list) else ()
    names = [each.get("name") for each in listed if isinstance(each, dict)]
    return [name for name in names if _is_listed(name)]


def _is_listed(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and len(name) <= _LONGEST_NAME and is_file_name(name)


def is_within(folder: Path, top: Path) -> bool:
    """Whether a path below a folder leads there, and is not led elsewhere by a link."""
    try:
        return folder.resolve() == top.resolve() / folder.relative_to(top)
    except (OSError, RuntimeError, ValueError):
        return False


def _declared(told: Mapping[str, Any]) -> dict[str, str]:
    declared = _object(told, "declared")
    return {name: declared[name] for name in DECLARABLE if _is_declarable(name, declared)}


def _is_declarable(name: str, declared: Mapping[str, Any]) -> bool:
    return isinstance(declared.get(name), str) and declared[name] in DECLARABLE[name]


def _box(value: object) -> tuple[int, int] | None:
    match value:
        case [int(height), int(width)] if min(height, width) > 0:
            return (height, width) if MIN_SIDE <= height * width <= MAX_SIDE else None
    return None


def _places(value: object) -> tuple[tuple[int, int], ...]:
    found = []
    for each in value[:_MOST_PLACES] if isinstance(value, list) else ():
        match each:
            case {"row": int(row), "column": int(column)}:
                found.append((row, column))
    return tuple(found)


def _moment(text: str | None) -> float | None:
    """Seconds since 1970 of a time in ISO 8601 in this millennium."""
    try:
        moment = datetime.fromisoformat(text or "")
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds >= _EARLIEST else None


def _started(job: str | None, finished: float | None, total: float | None) -> float | None:
    """When a job was claimed: its id begins with that; else by the seconds that it took."""
    match = _CLAIMED.match(job or "")
    claimed = _moment(match[1]) if match else None
    if claimed is None and finished is not None and total is not None:
        claimed = finished - total
    if claimed is None or finished is None or not math.isfinite(claimed):
        return None
    return min(max(claimed, _EARLIEST), finished)
