"""Sinks: the requests of a job, and where the answers go: a set of files, a table, or a tree.

A SetSink makes one problem's set of files. The others, for a collection's tables and an archive's
tree, let their files grow in the outbox. Each step is made durable, so that a killed job continues
after the last one.
"""

from __future__ import annotations

import io
import stat
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import printable
from pipeline.files import digest_of
from pipeline.outbox.rows import Rows
from pipeline.outbox.schema import REFUSED, SCHEMA, Fallback
from pipeline.outbox.tables import PuzzleRow, columns
from pipeline.outbox.write_record import (
    Origin,
    SetOfMany,
    SetOfOne,
    digest,
    listable,
    record_text,
    timestamp,
)
from pipeline.puzzle.puzzle import NINE
from pipeline.reading import OneProblem, Unreadable
from pipeline.service.log import Log, Progress
from pipeline.service.protocol.claim import Claim, Note
from pipeline.service.protocol.folders import Folders
from pipeline.service.protocol.growing import Growing
from pipeline.service.protocol.publish import Publication
from pipeline.service.protocol.settle import within
from pipeline.service.workers import Request, Several
from pipeline.settings import Settings
from pipeline.solving import NOT_WELL
from pipeline.solving.result import Result, Stopwatch
from pipeline.solving.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.reading.archives.streams import PeekableStream
    from pipeline.reading.formats import Layout, Piece


CHECKPOINT_FORMAT = 3
"""Raise it when sources are cut into other steps, or a job's state or published files change. Jobs
that an earlier version began then start again."""

BATCH = 128
"""Files computed together. Constant, because some results depend on it."""


@dataclass(frozen=True, slots=True)
class PieceOf(Request):
    """A piece of a collection; `member` names the collection within an archive.

    `first` is the index that its first puzzle probably has: with another, its table is made anew.
    """

    piece: Piece
    layout: Layout
    member: str = ""
    first: int = 1

    def compute(self, solvers: Solvers, settings: Settings) -> Rows:
        from pipeline.service.solving import solve_piece  # noqa: PLC0415 - only workers need it

        watch = Stopwatch()
        rows = solve_piece(self.piece, self.layout, solvers, settings.of_many(), self.first)
        return replace(rows, seconds=watch.seconds()["total"])

    def parts(self) -> Sequence[PieceOf]:
        before = self.piece.first_line - 1
        pieces = self.layout.pieces(io.BytesIO(self.piece.data), 1)
        return [
            replace(self, piece=replace(piece, first_line=piece.first_line + before), first=index)
            for index, piece in enumerate(pieces, self.first)
        ]

    def joined(self, replies: list[Rows]) -> Rows:
        all_rows = Rows()
        for rows in replies:
            all_rows.add(rows)
        return all_rows

    def given_up(self, why: str, settings: Settings) -> Rows:
        from pipeline.service.solving import failed_piece  # noqa: PLC0415 - as above

        return failed_piece(self.piece, self.layout, settings, why, self.first)

    def unpacked(self, data: bytes, settings: Settings) -> Rows:  # noqa: ARG002 - as Request
        from pipeline.service.replies import rows_in  # noqa: PLC0415 - only clusters need it

        return rows_in(data)


@dataclass(frozen=True, slots=True)
class End(Request):
    """The end of a collection, for which nothing is computed.

    `line` is where it ends; `digest` and `size` are those of all its bytes; `error` says why it
    broke off.
    """

    member: str
    layout: Layout
    line: int
    digest: str
    size: int
    error: str | None = None


class Singles(Several[OneProblem]):
    """Sources of one problem each."""

    __slots__ = ()

    def compute(self, solvers: Solvers, settings: Settings) -> list[Result]:
        from pipeline.service.solving import solve_items  # noqa: PLC0415 - only workers need it

        results = solve_items(self.items, solvers, settings)
        return results if settings.keep_cnf else [each.without_cnf() for each in results]

    def packed(self, reply: list[Result], settings: Settings) -> bytes:  # noqa: ARG002 - as Request
        from pipeline.service.replies import pack_results  # noqa: PLC0415 - as above

        return pack_results(reply)

    def unpacked(self, data: bytes, settings: Settings) -> list[Result]:
        from pipeline.service.replies import unpack_results  # noqa: PLC0415 - as above

        return unpack_results(data, self.items, settings)


@dataclass(frozen=True, slots=True)
class Portions:
    """How a source of many puzzles is cut into steps; what is published may depend on it.

    A checkpoint counts steps, so it is valid only for the same sizes. The sizes are bytes of a
    collection's text; an archive's single puzzles are grouped up to `items` or `item_bytes`.

    piece            9×9: 6,000 puzzles, 0.01 s of machine code; 800 without numba, some seconds
    piece_of_others  other sides: some seconds
    piece_to_prove   200 puzzles to be proved, or whose effort or rating is asked
    piece_of_ruled   5 puzzles with rules
    """

    piece: int = field(
        default_factory=lambda: 512 * 1024 if find_spec("numba") is not None else 64 * 1024
    )
    piece_of_others: int = 64 * 1024
    piece_to_prove: int = 16 * 1024
    piece_of_ruled: int = 2 * 1024
    items: int = 256
    item_bytes: int = 1024 * 1024

    def size(self, layout: Layout, settings: Settings) -> int:
        """The bytes of a piece of that collection."""
        if layout.format.is_ruled:
            return self.piece_of_ruled
        if settings.prove == "always" or {"effort", "rating"} & {*settings.traits}:
            return self.piece_to_prove
        is_nine = layout.cells == NINE.size
        return self.piece if is_nine else min(self.piece, self.piece_of_others)

    def pieces(
        self,
        layout: Layout,
        stream: PeekableStream,
        settings: Settings,
        member: str = "",
        ahead: Callable[[], int] = lambda: 0,
    ) -> Iterator[PieceOf | End]:
        """The steps of one collection; the last one says why it broke off, if it did.

        `ahead` is by how much indices are ahead of lines, as far as is known.
        """
        from pipeline.reading.formats import Piece, count_lines  # noqa: PLC0415 - loaded by then

        piece = Piece(1, b"")
        for piece in layout.pieces(stream, self.size(layout, settings)):
            yield PieceOf(piece, layout, member, max(1, piece.first_line + ahead()))
        line = piece.first_line + count_lines(piece.data)
        error = str(stream.error) if stream.error else None
        yield End(member, layout, line, stream.digest, stream.size, error)


PORTIONS = Portions()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a published job ended; `totals` counts its puzzles by status."""

    note: Note
    status: str
    totals: Mapping[str, int]
    message: str | None = None

    @property
    def bad(self) -> bool:
        """Whether it was, or holds something, invalid, unknown, failed or refused."""
        return any(self.totals.get(name) for name in (*NOT_WELL, REFUSED))


class Sink(ABC):
    """The requests of a claimed job, its answers, and what is published of them.

    `seconds` is how long many problems were in work; a single one's result knows that.
    """

    seconds = 0.0

    def __init__(self, claim: Claim, settings: Settings) -> None:
        self._claim = claim
        self._settings = settings

    @property
    def is_refused(self) -> bool:
        """Whether the original belongs in `failed`."""
        return False

    @abstractmethod
    def steps(self) -> Iterator[Request]:
        """The requests, always the same for the same source."""

    @abstractmethod
    def write(self, step: Any, reply: Any) -> None:
        """Take the reply to a step."""

    @abstractmethod
    def _outcome(self) -> SetOfOne | SetOfMany:
        """What is published."""

    def _grown(self) -> Mapping[str, Any]:
        """The files that lie in the outbox already."""
        return {}

    def publication(self) -> Publication:
        """All files of the job, with its record and its log."""
        now, note, outcome = datetime.now(UTC), self._claim.note, self._outcome()

        def files() -> Iterator[Any]:
            yield from self._grown().items()
            yield from outcome.files(note.stem, note.claimed or timestamp(now), now)

        def record(hashes: Mapping[str, str]) -> str:
            return record_text(outcome.record(hashes, now))

        return Publication(self._claim, files, record)

    def finish(self, log: Log) -> Ended:
        """Log the outcome of the published job."""
        outcome = self._outcome()
        event = outcome.event() | {"source": printable(outcome.origin.source)}
        for each in outcome.warnings():
            log.warning("solver.fallback", source=event["source"], **each)
        if outcome.not_read:
            log.warning("source.unread", source=event["source"], reason=outcome.not_read)
        ended = Ended(self._claim.note, outcome.status, outcome.totals, event.get("message"))
        (log.error if ended.bad else log.info)("job.finished", job=outcome.origin.job, **event)
        return ended

    def _origin(self, sha256: str | None, size: int | None) -> Origin:
        note, declared = self._claim.note, self._settings.reading.declared()
        return Origin(note.job, note.source, sha256, size, declared)


class SetSink(Sink):
    """One problem: its solutions, record and log; `item` is None if nothing is to be computed."""

    def __init__(self, claim: Claim, item: OneProblem, settings: Settings) -> None:
        from pipeline.service.solving import refused  # noqa: PLC0415 - slow to load

        super().__init__(claim, settings)
        self._dropped = self._origin(None if item.data is None else digest(item.data), item.size)
        self.item = None if isinstance(item, Unreadable) else item
        self._result = refused(item) if isinstance(item, Unreadable) else Result("unknown")

    @classmethod
    def failed(cls, claim: Claim, why: str, settings: Settings) -> SetSink:
        """The set that says why a claim could not be processed."""
        size = size_of(claim.original)
        sink = cls(claim, Unreadable(claim.note.source, why), settings)
        sink._result = Result("failed", message=why)
        sink._dropped = sink._origin(None if size is None else digest_of(claim.original), size)
        return sink

    def steps(self) -> Iterator[Request]:
        if self.item is not None:
            yield Singles((self.item,))

    def write(self, _step: Any, reply: Any) -> None:
        (result,) = reply
        self._result = listable(result, self._claim.note.stem)

    @property
    def is_refused(self) -> bool:
        return self._result.status in ("invalid", "failed")

    def _outcome(self) -> SetOfOne:
        return SetOfOne(self._dropped, self._result, self._claim.note.keep_cnf)


class GrowingSink(Sink):
    """Many problems, whose files grow in the outbox.

    Each step is made durable, so that a killed job continues after it: `steps_before` were done
    by earlier runs, in `seconds_before`. A subclass's state is what `write` needs to continue; it
    is resumed in the constructor. A subclass that knows the SHA-256 of what was dropped sets
    `_digest`.
    """

    status: str
    format: str
    reason: str
    """Why it is read as that format."""
    is_quick = False
    """Whether starting another process would take longer than the steps themselves."""

    def __init__(
        self, claim: Claim, folders: Folders, settings: Settings, portions: Portions
    ) -> None:
        super().__init__(claim, settings)
        self.totals: Counter[str] = Counter()
        self.fallbacks: tuple[Fallback, ...] = ()
        self.unread: Counter[str] = Counter()
        self._portions = portions
        self._digest = ""
        key = f"{CHECKPOINT_FORMAT} {SCHEMA} {columns(PuzzleRow)} {settings.output_key} {portions}"
        self._growing = Growing(claim, folders, key)
        self.steps_before = int(self._growing.state.get("steps", 0))
        self.seconds_before = float(self._growing.state.get("seconds", 0.0))

    @abstractmethod
    def progress(self) -> Progress: ...

    @abstractmethod
    def _state(self) -> dict[str, Any]: ...

    def checkpoint(self, steps: int) -> None:
        """Make what was written durable: so many steps."""
        progress = self.progress()
        self._growing.note(
            {
                "steps": steps,
                "bulk": self._state(),
                "seconds": self.seconds,
                "puzzles": progress.puzzles,
                "share": progress.share,
            }
        )

    @cached_property
    def _dropped(self) -> Origin:
        """The original, which is still in its claim when this is first asked."""
        original = self._claim.original
        sha256 = self._digest or (digest_of(original) if original.is_file() else None)
        return self._origin(sha256, size_of(original))

    @cached_property
    def _size(self) -> int | None:
        return shown_size(self._claim.original)

    def _outcome(self) -> SetOfMany:
        terms = self._dropped, self.status, self.format, self.reason
        return SetOfMany(*terms, self.totals, self.fallbacks, self.seconds, self.unread)

    def _grown(self) -> Mapping[str, Any]:
        return self._growing.staged()

    def discard(self) -> None:
        """Remove what was written: the job begins anew."""
        self._growing.discard()


def size_of(path: Path) -> int | None:
    """The bytes of a file; None for anything else, such as a folder or a link."""
    status = path.lstat()
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def shown_size(path: Path) -> int | None:
    """The bytes of a file, or of the files in a folder that are read, for display.

    None if they cannot be counted: a display never ends a job.
    """
    with suppress(OSError):
        if not path.is_dir():
            return size_of(path)
        found = (status for *_, status in within(path))
        return sum(status.st_size for status in found if stat.S_ISREG(status.st_mode))
    return None
