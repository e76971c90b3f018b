"""A piece of a collection → its rows: read, solved in batches, certified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pipeline.batches import LARGEST_SIDE, Answers, masks_of, solve_alone, solve_batch
from pipeline.beside import disagreement, grid_of
from pipeline.evidence import Proof, doubt, prove_complete
from pipeline.parse import Entry, Piece, parsed_from
from pipeline.puzzle import Geometry, Puzzle
from pipeline.result import Result, Stopwatch, limits_left
from pipeline.rows import Row, Rows, Source, joined
from pipeline.settings import Settings
from pipeline.solve import Solvers, surprise
from pipeline.stages import solve_parsed

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NINE = Geometry(3, 3)


def solve_piece(piece: Piece, source: Source, solvers: Solvers, settings: Settings) -> Rows:
    """Read the puzzles of a piece, solve and certify them. Raises EnvironmentFailure."""
    entries = _entries(piece, source, settings)
    rows: list[Row | None] = [None] * len(entries)
    for geometry, places, masks in _batches(entries):
        answers = solve_batch(geometry, masks, solvers, settings)
        texts = _texts(answers, geometry, [entries[place].signs for place in places])
        for at, place in enumerate(places):
            if at in answers.others:
                row = rows[place] = _row(entries[place], answers.others[at])
                row.message, row.spent = answers.messages.get(at), float(answers.spent[at])
                continue
            found = [rank[at] for rank in texts[: int(answers.counts[at])]]
            complete = bool(answers.complete[at])
            message = answers.messages.get(at)
            entry, status = entries[place], answers.status[at]
            row = rows[place] = Row(entry, status, found, complete, message, geometry.side**2)
            row.spent = float(answers.spent[at])
    for place, entry in enumerate(entries):
        if rows[place] is None:
            rows[place] = _alone(entry, solvers, settings)
    whole = [row for row in rows if row]
    if settings.prove == "always":
        whole = [_proved(row, solvers, settings) if row.complete else row for row in whole]
    for row in whole:
        if row.entry.claimed is not None:
            row.disagreement = _disagreement(row)
    return joined(whole, source)


def failed_piece(piece: Piece, source: Source, settings: Settings, why: str) -> Rows:
    """The rows of puzzles that could not be computed, without computing them."""
    entries = _entries(piece, source, settings)
    return joined([Row(entry, "failed", message=why) for entry in entries], source)


def _entries(piece: Piece, source: Source, settings: Settings) -> list[Entry]:
    return source.detected.entries(piece, source.name, settings.reading)


def _batches(
    entries: Sequence[Entry],
) -> Iterable[tuple[Geometry, list[int], NDArray[np.uint64]]]:
    """The puzzles by geometry: their places and masks."""
    plain = [place for place, entry in enumerate(entries) if entry.plain]
    if plain:
        yield _NINE, plain, _plain_masks([entries[place].text for place in plain])
    others: dict[Geometry, list[int]] = {}
    for place, entry in enumerate(entries):
        if entry.puzzle is not None and entry.puzzle.geometry.side <= LARGEST_SIDE:
            others.setdefault(entry.puzzle.geometry, []).append(place)
    for geometry, places in others.items():
        puzzles = [puzzle for place in places if (puzzle := entries[place].puzzle)]
        yield geometry, places, masks_of(puzzles)


def _plain_masks(texts: Sequence[str]) -> NDArray[np.uint64]:
    """The masks of 9×9 puzzles of 81 digits and blanks."""
    masks = np.full(256, _NINE.all_values, np.uint64)
    for value in range(1, 10):
        masks[ord(str(value))] = 1 << (value - 1)
    return masks[np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, 81)]


def _texts(answers: Answers, geometry: Geometry, signs: Sequence[str]) -> list[list[str]]:
    """For each rank that is needed, the grids as lines without their ends."""
    ranks = int(answers.counts.max(initial=0))
    if geometry.side > 9:
        return [
            [one_line(values, own) for values, own in zip(grids.tolist(), signs, strict=True)]
            for grids in answers.grids[:ranks]
        ]
    cells = geometry.side**2
    texts = [(grids + ord("0")).tobytes().decode("ascii") for grids in answers.grids[:ranks]]
    return [[text[at : at + cells] for at in range(0, len(text), cells)] for text in texts]


def one_line(values: Sequence[int], signs: str = "") -> str:
    """A grid of any size in one line: digits, the signs of an alphabet, or numbers.

    Numbers have blanks between. Zeros, where there is no grid, are blanks too.
    """
    if signs:
        return "".join(["." if value == 0 else signs[value - 1] for value in values])
    return (" " if len(values) > 81 else "").join(map(str, values))


def _alone(entry: Entry, solvers: Solvers, settings: Settings) -> Row:
    if entry.puzzle is None:
        return Row(entry, "invalid", message=entry.error)
    watch = Stopwatch()
    row = _row(
        entry, solve_parsed(parsed_from(entry.puzzle), solvers, settings, watch, explain=False)
    )
    row.spent = watch.spent()
    return row


def _row(entry: Entry, result: Result) -> Row:
    """The row of a puzzle that went through the chain by itself."""
    lines = [one_line(grid.values, entry.signs) for grid in result.solutions]
    cells = len(entry.puzzle.cells) if entry.puzzle else 81
    row = Row(entry, result.status, lines, result.complete, result.message, cells)
    row.fallback = surprise(result.solver.fallback) if result.solver else None
    return row


def _proved(row: Row, solvers: Solvers, settings: Settings) -> Row:
    """The row with the proof that its solutions are all; another one where that is not true."""
    entry = row.entry
    puzzle = entry.puzzle or _puzzle_of(entry.text)
    grids = [grid_of(line, puzzle.geometry, entry.signs) for line in row.solutions]
    watch = Stopwatch(before=row.spent)
    with watch.timing("prove"):
        limits = limits_left(settings, watch)
        row.certificate, row.proof = prove_complete(puzzle, grids, solvers, limits)
    if row.certificate.complete == "claimed":
        row.message = "; ".join(filter(None, (row.message, f"claimed: {row.certificate.reason}")))
    if row.certificate.complete != "no":
        return row
    why = doubt(row.certificate)
    result = solve_alone(parsed_from(puzzle), why, solvers, settings, watch)
    again = _row(entry, result)
    again.certificate, again.fallback = result.certificate, why
    if isinstance(result.proof, Proof):
        again.proof = result.proof
    return again


def _disagreement(row: Row) -> str | None:
    """What is wrong with the solution that stands beside a puzzle."""
    claimed, entry = row.entry.claimed or "", row.entry
    if row.status in ("invalid", "failed") or claimed in row.solutions:
        return None
    puzzle = entry.puzzle or _puzzle_of(entry.text)
    return disagreement(claimed, puzzle, entry.signs, (), complete=row.complete)


def _puzzle_of(text: str) -> Puzzle:
    return Puzzle.of_values(_NINE, [int(sign) if sign.isdigit() else 0 for sign in text])
