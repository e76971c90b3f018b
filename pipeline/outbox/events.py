"""The lines of logs: every event with its name, fields and meaning.

A job's own log, `name.log`, has one JSON object a line. `run` and `watch` log to standard error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from msgspec import to_builtins

from pipeline.outbox.schema import PROVED, UNVERIFIED, ManyRecord, PuzzleRecord, Record, or_none

JOB, ERROR = "job", "stderr"
FIELDS: Final = {
    "certificate": "`exhaustive-search`, `lrat` or `unverified`; null if solutions may be missing",
    "unverified": "how many puzzles have solutions of which nothing verified that none is missing",
    "complete": "whether the solutions are all there are; null if that was not asked",
    "event": "the name of the event",
    "format": "the format that it is read as",
    "inbox": "the folder that is watched",
    "job": "the id of the job",
    "level": "`info`, `warning` or `error`; not in a job's log",
    "message": "a message for people",
    "per_second": "how many puzzles a second were computed",
    "percent": "how much of the source is done; null if that is not known",
    "programs": "what is meant: `batch`, `check`, `variants` and `trim`, or some of them",
    "proved": "how many puzzles have solutions of which it is proved that none is missing",
    "puzzles": "how many puzzles",
    "reason": "why, for people",
    "seconds": "how long it took; for a job the seconds of each stage, and `total`; "
    "`batch`, without a total, is for all jobs that were solved together",
    "solutions": "how many solutions are published",
    "solver": "the solver that answers",
    "source": "the name of what was dropped",
    "status": "its result, see *Statuses*",
    "timestamp": "the time, in UTC; in a job's log only in the first and the last line",
    "totals": "how many puzzles have which status",
    "unread": "what was not read of a collection or archive, and for how many puzzles, as in its "
    "record; left out if there is nothing",
    "variant": "`classic`, `even-odd` or `rules`",
}
"""The fields of all events."""

ALWAYS: Final = ("timestamp", "level", "job", "event")
"""Fields that give time, level and job; each event has those that apply to it."""


@dataclass(frozen=True, slots=True)
class Event:
    """A kind of line: where it is logged, what it means, and its fields besides ALWAYS."""

    where: tuple[str, ...]
    meaning: str
    fields: tuple[str, ...] = ()


def _shown(meaning: str, *fields: str) -> Event:
    """An event that only `run` and `watch` log."""
    return Event((ERROR,), meaning, fields)


_STAGES = {
    "parse": "it was read",
    "encode": "it was encoded as a CNF",
    "solve": "the solver answered",
    "decode": "models were decoded into grids",
    "certify": "the grids were checked against the rules",
    "explain": "the conflict or the difference was sought",
    "prove": "it was checked that there are no other solutions",
    "batch": "it was solved together with other puzzles; `seconds` is for all of them",
}
_FINISHED = (
    *("source", "status", "solutions", "complete", "certificate", "message"),
    *("totals", "proved", "unverified", "unread", "seconds"),
)

EVENTS: Final = {
    "job.claimed": Event((JOB,), "a file was taken out of the inbox", ("source",)),
    **{
        f"stage.{stage}": Event((JOB,), meaning, ("seconds",)) for stage, meaning in _STAGES.items()
    },
    "stage.parse": Event((JOB,), "it was read", ("seconds", "format", "variant", "reason")),
    "solver.fallback": Event(
        (JOB, ERROR),
        "a solver other than the first choice answered; of a collection or archive there is a line "
        "for each solver and reason, with how many `puzzles`",
        ("source", "solver", "reason", "puzzles"),
    ),
    "source.unread": _shown(
        "something in a file that may be a rule was not read; of a collection or archive it is "
        "said once, with the number of puzzles",
        "source",
        "reason",
    ),
    "job.finished": Event(
        (JOB, ERROR),
        "the results are published; collections and archives have `totals`, `proved`, "
        "`unverified` and perhaps `unread`, all others `solutions`, `complete`, `certificate` "
        "and `message`",
        _FINISHED,
    ),
    "job.progress": _shown(
        "how far a collection or archive is", "source", "puzzles", "per_second", "percent"
    ),
    "job.recovered": _shown(
        "an earlier process had published the results; the original was moved", "source", "status"
    ),
    "job.crashed": _shown("an attempt to process a file crashed", "source", "reason"),
    "job.continued": _shown("goes on where an earlier run stopped", "source", "puzzles"),
    "job.paused": _shown("stopped; a later run goes on with it", "source"),
    "job.kept": _shown("a file stays claimed until an obstacle is gone", "source", "reason"),
    "file.held": _shown("a file is not taken while somebody writes to it", "source", "reason"),
    "file.waits": _shown("a folder waits until nothing in it changes", "source", "reason"),
    "file.left": _shown(
        "a file that was not complete in time is left for the next `run`", "source", "reason"
    ),
    "file.stuck": _shown("a file cannot be taken out of the inbox", "source", "reason"),
    "mark.stuck": _shown(
        "a mark in `.work`, of a file that was read or of the last scan, cannot be changed, nor "
        "what is in its place; files are processed all the same",
        "reason",
    ),
    "compiled.missing": _shown(
        "collections are solved (`lanes`) or checked (`check`) without machine code, hundreds of "
        "times as slowly, until it is there; said again when the reason changes",
        "programs",
        "reason",
    ),
    "compiled.ready": _shown("machine code has been compiled, and is used from now on", "programs"),
    "batch.crashed": _shown(
        "solving many files together crashed; they are solved one by one", "reason"
    ),
    "environment.failed": _shown(
        "a disk, a folder or a cluster failed; nothing was lost", "reason"
    ),
    "environment.recovered": _shown("the failure is over; `watch` goes on"),
    "run.waited": _shown("how long `run` only waited for files to be complete", "seconds"),
    "watch.started": _shown("`watch` has begun", "inbox"),
    "watch.stopped": _shown("`watch` has ended"),
    "watcher.replaced": _shown("the watcher for new files had died, and was restarted", "inbox"),
    "watcher.missing": _shown(
        "there is no watcher for new files; the inbox is scanned now and then", "reason"
    ),
    "command.failed": _shown(
        "a command of `--on-done` or `--on-bad` could not be started, failed or took too long",
        "source",
        "reason",
    ),
    "metrics.failed": _shown("the file for `--metrics` cannot be written", "reason"),
    "report.failed": _shown("the report cannot be written", "reason"),
}


def log_lines(record: Record, claimed: object, reason: object) -> list[dict[str, Any]]:
    """The lines of a job's log, by its record.

    A record does not have when the source was `claimed`, nor the `reason` for its format.
    """
    if isinstance(record, ManyRecord):
        stages = _stages_of_many(record, reason)
    else:
        stages = _stages(record, reason)
    lines = (
        {"timestamp": claimed, "event": "job.claimed", "source": record.source},
        *stages,
        {"timestamp": record.finished, "event": "job.finished", **finished_fields(record)},
    )
    return [{"job": record.job, **line} for line in lines]


def finished_fields(record: Record) -> dict[str, Any]:
    """The fields of `job.finished`."""
    fields: dict[str, Any] = {"source": record.source, "status": record.status}
    seconds = dict(record.seconds or {})
    if isinstance(record, ManyRecord):
        fields |= {"totals": record.totals, PROVED: 0, UNVERIFIED: 0, **record.known}
        fields |= {"unread": record.unread} if or_none(record.unread) else {}
        return {**fields, "seconds": seconds}
    if "batch" in seconds:
        seconds.pop("total", None)  # it would be that of all the puzzles of the batch
    return {
        **fields,
        "solutions": record.solutions,
        "complete": record.complete,
        "certificate": record.told_certificate or (UNVERIFIED if record.complete else None),
        "message": record.message,
        "seconds": seconds,
    }


def _stages(record: PuzzleRecord, reason: object) -> Iterator[dict[str, Any]]:
    for stage, seconds in (record.seconds or {}).items():
        if stage == "total":
            continue
        line = {"event": f"stage.{stage}", "seconds": seconds}
        if stage == "parse" and record.variant is not None:
            line |= {"format": record.format, "variant": record.variant, "reason": reason}
        yield line
    if (used := record.solver) and used.fallback:
        yield {"event": "solver.fallback", "reason": used.fallback, "solver": used.name}


def _stages_of_many(record: ManyRecord, reason: object) -> Iterator[dict[str, Any]]:
    yield {"event": "stage.parse", "format": record.format, "reason": reason}
    for each in or_none(record.fallbacks) or ():
        yield {"event": "solver.fallback", **to_builtins(each)}
