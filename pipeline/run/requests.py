"""What workers are asked for: pieces of collections, and members of archives."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.parse import Piece
from pipeline.result import Result, Stopwatch
from pipeline.rows import Rows, Source
from pipeline.settings import Settings
from pipeline.solve import Solvers


@dataclass(frozen=True, slots=True)
class PieceOf:
    """A piece of a collection; `member` names the collection within an archive."""

    piece: Piece
    source: Source
    member: str | None = None

    def compute(self, solvers: Solvers, settings: Settings) -> Rows:
        from pipeline.pieces import solve_piece  # noqa: PLC0415 - numpy, which only workers need

        watch = Stopwatch()
        rows = solve_piece(self.piece, self.source, solvers, settings.of_many())
        return replace(rows, seconds=watch.seconds()["total"])

    def parts(self) -> Sequence[PieceOf]:
        first = self.piece.first_line - 1
        pieces = self.source.detected.pieces(io.BytesIO(self.piece.data), 1)
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
        from pipeline.pieces import failed_piece  # noqa: PLC0415

        return failed_piece(self.piece, self.source, settings, why)


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an archive: its bytes, or why it is not read."""

    name: str
    data: bytes | None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """Members of an archive, each a puzzle of its own."""

    items: tuple[Item, ...]

    def compute(self, solvers: Solvers, settings: Settings) -> list[Result]:
        from pipeline.solving import solve_sources  # noqa: PLC0415

        readable = [(item.name, item.data) for item in self.items if item.data is not None]
        solved = iter(solve_sources(readable, solvers, settings))
        return [
            Result("invalid", message=item.refusal) if item.data is None else next(solved)
            for item in self.items
        ]

    def parts(self) -> Sequence[Items]:
        return [Items((item,)) for item in self.items]

    def joined(self, replies: list[list[Result]]) -> list[Result]:
        return [result for results in replies for result in results]

    def given_up(self, why: str, settings: Settings) -> list[Result]:  # noqa: ARG002
        return [Result("failed", message=why) for _ in self.items]


@dataclass(frozen=True, slots=True)
class End:
    """The end of a collection: nothing is to be computed.

    `digest` and `size` are of all its bytes; `error` says why it broke off.
    """

    member: str
    source: Source
    digest: str
    size: int
    error: str | None = None

    def compute(self, solvers: Solvers, settings: Settings) -> None:  # noqa: ARG002
        return None

    def parts(self) -> Sequence[End]:
        return []

    def joined(self, replies: list[None]) -> None:  # noqa: ARG002
        return None

    def given_up(self, why: str, settings: Settings) -> None:  # noqa: ARG002
        return None
