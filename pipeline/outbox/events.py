"""Define the events of logs: their names, fields and meanings.

The log of a job, `name.log`, has one JSON object per line. `run` and `watch` also log to standard
error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from msgspec import to_builtins

from pipeline.outbox.schema import (
    PROVED,
    UNVERIFIED,
    CollectionRecord,
    PuzzleRecord,
    Record,
    or_none,
)

JOB, STDERR = "job", "stderr"
"""The places where an event may be logged: the log of its job, and standard error."""

FIELDS: Final = {
    "certificate": "`exhaustive-search`, `lrat` or `unverified`; null if solutions may be missing",
    "complete": "whether all solutions are published; null if that was not determined",
    "event": "the name of the event",
    "format": "the input format",
    "inbox": "the watched folder",
    "job": "the id of the job",
    "level": "`info`, `warning` or `error`; not in a job's log",
    "message": "a message for people",
    "per_second": "puzzles per second",
    "percent": "percentage of the source that was read; null if unknown",
    "programs": "one or more of `batch`, `check`, `variants`, `cdcl` and `trim`",
    "proved": "number of puzzles that are proved to have no other solutions",
    "puzzles": "number of puzzles",
    "reason": "the reason, for people",
    "seconds": "the time taken; for a job, the time of each stage and `total`; for a job solved in "
    "a batch, only `batch`, the time for the whole batch",
    "solutions": "number of published solutions",
    "solver": "the solver that was used",
    "source": "the name of the dropped file or folder",
    "status": "the result, see *Statuses*",
    "timestamp": "the time, in UTC; in a job's log only in the first and the last line",
    "totals": "number of puzzles by status",
    "unread": "parts of a collection or archive that were not read, with the number of puzzles, as "
    "in its record; omitted if there are none",
    "unverified": "number of puzzles for which completeness was not verified",
    "variant": "`classic`, `even-odd` or `rules`",
}
"""The fields of events and their meanings."""

COMMON_FIELDS: Final = ("timestamp", "level", "job", "event")
"""Fields that every event may have in addition to its own fields."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event.

    - `places`: where it is logged: JOB, STDERR or both.
    - `fields`: the names of its fields, without COMMON_FIELDS.
    """

    places: tuple[str, ...]
    meaning: str
    fields: tuple[str, ...] = ()


def _stderr_event(meaning: str, *fields: str) -> Event:
    """An event that `run` and `watch` log to standard error only."""
    return Event((STDERR,), meaning, fields)


_STAGE_MEANINGS = {
    "parse": "the source was read",
    "encode": "the puzzle was encoded as CNF",
    "solve": "the solver answered",
    "decode": "models were decoded to grids",
    "certify": "grids were checked against the rules",
    "explain": "a conflict or a difference was searched for",
    "prove": "completeness was checked",
    "batch": "the puzzle was solved in a batch; `seconds` is the time for the whole batch",
}
_JOB_FINISHED_FIELDS = (
    *("source", "status", "solutions", "complete", "certificate", "message"),
    *("totals", "proved", "unverified", "unread", "seconds"),
)

EVENTS: Final = {
    "job.claimed": Event((JOB,), "the file was claimed", ("source",)),
    **{
        f"stage.{stage}": Event((JOB,), meaning, ("seconds",))
        for stage, meaning in _STAGE_MEANINGS.items()
    },
    "stage.parse": Event((JOB,), "the source was read", ("seconds", "format", "variant", "reason")),
    "solver.fallback": Event(
        (JOB, STDERR),
        "a solver other than the first choice was used; for a collection or archive, one event "
        "for each solver and reason, with the number of `puzzles`",
        ("source", "solver", "reason", "puzzles"),
    ),
    "source.unread": _stderr_event(
        "text in the file that may be a rule was not read; for a collection or archive, logged "
        "once with the number of puzzles",
        "source",
        "reason",
    ),
    "job.finished": Event(
        (JOB, STDERR),
        "results were published; collections and archives have `totals`, `proved`, `unverified` "
        "and, if not empty, `unread`; other jobs have `solutions`, `complete`, `certificate` and "
        "`message`",
        _JOB_FINISHED_FIELDS,
    ),
    "job.progress": _stderr_event(
        "progress of a collection or archive", "source", "puzzles", "per_second", "percent"
    ),
    "job.recovered": _stderr_event(
        "results were already published by an earlier process; the original was moved",
        "source",
        "status",
    ),
    "job.crashed": _stderr_event("an attempt to process the file crashed", "source", "reason"),
    "job.continued": _stderr_event(
        "the job continues where an earlier run stopped", "source", "puzzles"
    ),
    "job.paused": _stderr_event("the job was stopped; the next run continues it", "source"),
    "job.kept": _stderr_event(
        "the file stays claimed until the problem is fixed", "source", "reason"
    ),
    "file.held": _stderr_event("the file is still being written", "source", "reason"),
    "file.waits": _stderr_event("waiting until nothing in the folder changes", "source", "reason"),
    "file.left": _stderr_event("not complete in time; left for the next `run`", "source", "reason"),
    "file.stuck": _stderr_event("the file cannot be moved out of the inbox", "source", "reason"),
    "marker.unchangeable": _stderr_event(
        "cannot update a marker file in `.work` (of a file being read, or of the last scan); "
        "files are still processed",
        "reason",
    ),
    "compiled.missing": _stderr_event(
        "code is not compiled; until it is, collections are solved (`batch`) or checked (`check`) "
        "hundreds of times slower; logged again when the reason changes",
        "programs",
        "reason",
    ),
    "compiled.ready": _stderr_event("the code is compiled, and is used from now on", "programs"),
    "batch.crashed": _stderr_event(
        "solving files as a batch crashed; they are solved one at a time", "reason"
    ),
    "environment.failed": _stderr_event(
        "a disk, a folder or a cluster failed; nothing was lost", "reason"
    ),
    "environment.recovered": _stderr_event(
        "the disk, folder or cluster works again; `watch` continues"
    ),
    "run.waited": _stderr_event(
        "the time that `run` spent only waiting for files to be complete", "seconds"
    ),
    "watch.started": _stderr_event("`watch` started", "inbox"),
    "watch.stopped": _stderr_event("`watch` stopped"),
    "watcher.replaced": _stderr_event("the file watcher died and was restarted", "inbox"),
    "watcher.missing": _stderr_event(
        "there is no file watcher; the inbox is scanned periodically", "reason"
    ),
    "command.failed": _stderr_event(
        "a command of `--on-done` or `--on-bad` could not be started, failed or took too long",
        "source",
        "reason",
    ),
    "metrics.failed": _stderr_event("the file for `--metrics` cannot be written", "reason"),
    "report.failed": _stderr_event("the report cannot be written", "reason"),
}
"""The events by name. Each stage `x` has an event `stage.x`."""


def log_lines(record: Record, claim_time: object, reason: object) -> list[dict[str, Any]]:
    """Make the lines of a job's log.

    `claim_time`: when the source was claimed. `reason`: why the source was read in its format. The
    record contains neither.
    """
    if isinstance(record, CollectionRecord):
        stage_lines = _collection_stage_lines(record, reason)
    else:
        stage_lines = _puzzle_stage_lines(record, reason)
    lines = (
        {"timestamp": claim_time, "event": "job.claimed", "source": record.source},
        *stage_lines,
        {"timestamp": record.finished, "event": "job.finished", **finished_fields(record)},
    )
    return [{"job": record.job, **line} for line in lines]


def finished_fields(record: Record) -> dict[str, Any]:
    """Make the fields of the event `job.finished`."""
    fields: dict[str, Any] = {"source": record.source, "status": record.status}
    seconds = dict(record.seconds or {})
    if isinstance(record, CollectionRecord):
        fields |= {"totals": record.totals, PROVED: 0, UNVERIFIED: 0, **record.completeness_counts}
        fields |= {"unread": record.unread} if or_none(record.unread) else {}
        return {**fields, "seconds": seconds}
    if "batch" in seconds:
        seconds.pop("total", None)  # it is the same as `batch`
    return {
        **fields,
        "solutions": record.solutions,
        "complete": record.complete,
        "certificate": record.certificate_label or (UNVERIFIED if record.complete else None),
        "message": record.message,
        "seconds": seconds,
    }


def _puzzle_stage_lines(record: PuzzleRecord, reason: object) -> Iterator[dict[str, Any]]:
    """Yield the log lines for the stages of a puzzle or formula, and for its fallback."""
    for stage, seconds in (record.seconds or {}).items():
        if stage == "total":
            continue
        line = {"event": f"stage.{stage}", "seconds": seconds}
        if stage == "parse" and record.variant is not None:
            line |= {"format": record.format, "variant": record.variant, "reason": reason}
        yield line
    if (used := record.solver) and used.fallback:
        yield {"event": "solver.fallback", "reason": used.fallback, "solver": used.name}


def _collection_stage_lines(record: CollectionRecord, reason: object) -> Iterator[dict[str, Any]]:
    """Yield the log lines for the reading of a collection or archive, and for its fallbacks."""
    yield {"event": "stage.parse", "format": record.format, "reason": reason}
    for fallback in or_none(record.fallbacks) or ():
        yield {"event": "solver.fallback", **to_builtins(fallback)}
