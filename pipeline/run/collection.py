"""A collection: a table of all its puzzles, and their solutions, one a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipeline.dropbox.claim import Claim
from pipeline.dropbox.folders import digest_of
from pipeline.dropbox.growing import Growing, State
from pipeline.dropbox.publish import Publication
from pipeline.record import Origin, Summary, many_log_text, many_record, record_text
from pipeline.rows import Rows, Source
from pipeline.run.bulk import Content, Progress, size_of
from pipeline.run.requests import End, PieceOf
from pipeline.run.rows_out import RowsOut
from pipeline.settings import Settings
from pipeline.unpack import Kind, Meter, PeekableStream, Room, opened

PIECE_BYTES = 256 * 1024
"""Of a collection's text; some 3,000 puzzles of 9×9, a tenth of a second's work."""


PIECE_TO_PROVE = PIECE_BYTES // 16
"""Where every puzzle is to be proved: some 200, a few seconds' work."""


def pieces_of(
    source: Source, stream: PeekableStream, settings: Settings, member: str | None = None
) -> Iterator[PieceOf | End]:
    """The steps of one collection, the last of which tells why it ended if it broke off."""
    size = PIECE_TO_PROVE if settings.prove == "always" else PIECE_BYTES
    for piece in source.detected.pieces(stream, size):
        yield PieceOf(piece, source, member)
    error = str(stream.error) if stream.error else None
    yield End(member or "", source, stream.digest, stream.size, error)


class Collection:
    """A dropped collection; its answers grow under the stem of its claim."""

    status = "collection"

    def __init__(
        self,
        claim: Claim,
        growing: Growing,
        source: Source,
        settings: Settings,
        kind: Kind,
    ) -> None:
        self._claim = claim
        self._growing = growing
        self.format = source.detected.format.name
        self.reason = source.detected.reason
        self.declared = settings.reading.declared()
        self._source = source
        self._settings = settings
        self._limits = Room(settings.max_total_bytes)
        self._is_packed = kind != "plain"
        self._meter = Meter()
        self._rows = RowsOut(growing, claim.note.stem, proves=settings.prove == "always")
        self._bytes = 0

    @property
    def totals(self) -> Counter[str]:
        return self._rows.totals

    def steps(self) -> Iterator[PieceOf | End]:
        with PeekableStream(opened(self._claim.original, self._limits, self._meter)) as stream:
            yield from pieces_of(self._source, stream, self._settings)

    def write(self, step: Any, reply: Any) -> None:
        match step, reply:
            case PieceOf(piece), Rows() as rows:
                self._bytes += len(piece.data)
                self._rows.add(rows, piece)
            case End() as end, _:
                self._rows.finish(end.source, end.error)

    def state(self) -> State:
        return self._rows.state() | {"bytes": self._bytes}

    def resume(self, state: State) -> None:
        self._bytes = state["bytes"]
        self._rows.resume(state)

    def progress(self) -> Progress:
        done = self._meter.read if self._is_packed else self._bytes
        return Progress(self._rows.count, done, size_of(self._claim.original))

    def publication(self, seconds: float) -> Publication:
        return publication_of(self._claim, self, self._growing, seconds)


def publication_of(
    claim: Claim, content: Content, growing: Growing, seconds: float, tree: Path | None = None
) -> Publication:
    """The grown files of a job, with its record and its log."""
    now, note = datetime.now(UTC), claim.note
    hashed = digest_of(claim.original) if claim.original.is_file() else None
    origin = Origin(note.job, note.source, hashed, size_of(claim.original), content.declared)
    summary = Summary(content.status, content.format, content.reason, content.totals, seconds)

    def files() -> Iterator[Any]:
        yield from growing.staged().items()
        log = many_log_text(origin, summary, note.claimed, now)
        yield f"{note.stem}.log", [log]

    def record(hashes: Mapping[str, str]) -> str:
        return record_text(many_record(origin, summary, hashes, now))

    return Publication(claim, files, record, tree)
