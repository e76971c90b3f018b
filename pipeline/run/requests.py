"""Requests to workers: single puzzles, and the pieces into which collections are cut."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.parse import Piece
from pipeline.reading import Single, Source
from pipeline.result import Result, Stopwatch
from pipeline.rows import Rows
from pipeline.run.workers import Request
from pipeline.settings import Settings
from pipeline.solvers import Solvers

if TYPE_CHECKING:
    from pipeline.unpack import PeekableStream


@dataclass(frozen=True, slots=True)
class PieceOf(Request):
    """A piece of a collection; `member` names the collection within an archive."""

    piece: Piece
    source: Source
    member: str = ""

    def compute(self, solvers: Solvers, settings: Settings) -> Rows:
        from pipeline.solving import solve_piece  # noqa: PLC0415 - only workers need it

        watch = Stopwatch()
        rows = solve_piece(self.piece, self.source, solvers, settings.of_many())
        return replace(rows, seconds=watch.seconds()["total"])

    def parts(self) -> Sequence[PieceOf]:
        found, first = self.source.detected, self.piece.first_line - 1
        pieces = found.pieces(io.BytesIO(self.piece.data), 1)
        return [
            replace(self, piece=replace(piece, first_line=piece.first_line + first))
            for piece in pieces
        ]

    def joined(self, replies: list[Rows]) -> Rows:
        all_rows = Rows()
        for rows in replies:
            all_rows.add(rows)
        return all_rows

    def given_up(self, why: str, settings: Settings) -> Rows:
        from pipeline.solving import failed_piece  # noqa: PLC0415 - as above

        return failed_piece(self.piece, self.source, settings, why)


@dataclass(frozen=True, slots=True)
class End(Request):
    """The end of a collection, for which nothing is computed.

    `digest` and `size` are those of all its bytes; `error` says why it broke off.
    """

    member: str
    source: Source
    digest: str
    size: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Singles(Request):
    """Single puzzles, solved together if there are several."""

    items: tuple[Single, ...]

    def compute(self, solvers: Solvers, settings: Settings) -> list[Result]:
        from pipeline.solving import solve_sources  # noqa: PLC0415 - only workers need it

        readable = [(item.name, item.data) for item in self.items if item.data is not None]
        solved = iter(solve_sources(readable, solvers, settings))
        return [
            Result("invalid", message=item.refusal) if item.data is None else next(solved)
            for item in self.items
        ]

    def parts(self) -> Sequence[Singles]:
        return [Singles((item,)) for item in self.items]

    def joined(self, replies: list[list[Result]]) -> list[Result]:
        return [result for results in replies for result in results]

    def given_up(self, why: str, settings: Settings) -> list[Result]:  # noqa: ARG002 - as Request
        return [Result("failed", message=why) for _ in self.items]


@dataclass(frozen=True, slots=True)
class Portions:
    """How a source of many puzzles is cut into steps; what is published may depend on it.

    `piece` and `piece_to_prove` are bytes of a collection's text: some 3,000 puzzles of 9×9, a
    tenth of a second's work, and some 200, a few seconds' work if each is to be proved. An
    archive's single puzzles are grouped up to `items`, or until they have `item_bytes`.
    """

    piece: int = 256 * 1024
    piece_to_prove: int = 16 * 1024
    items: int = 256
    item_bytes: int = 1024 * 1024

    def pieces(
        self, source: Source, stream: PeekableStream, settings: Settings, member: str = ""
    ) -> Iterator[PieceOf | End]:
        """The steps of one collection; the last one says why it broke off, if it did."""
        found = source.detected
        size = self.piece_to_prove if settings.prove == "always" else self.piece
        for piece in found.pieces(stream, size):
            yield PieceOf(piece, source, member)
        error = str(stream.error) if stream.error else None
        yield End(member, source, stream.digest, stream.size, error)


PORTIONS = Portions()
