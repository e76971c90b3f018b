"""Which puzzles of collections are equivalent: to an earlier one, or to one of another collection.

Both stream, in memory that does not grow with the collections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pipeline.catalogue.asking import solutions_of
from pipeline.catalogue.canonical import canonical_forms
from pipeline.catalogue.classes import LIMIT_BYTES, NOWHERE, Classes, Keys, keys_of
from pipeline.catalogue.lots import Left, Lot, Places, lots_of
from pipeline.catalogue.symmetries import Cells
from pipeline.catalogue.values import Flags, lines_of, masks_of_values
from pipeline.puzzle.puzzle import NINE
from pipeline.settings import Settings

_UNDECIDED = "the number of its solutions is not known"


@dataclass(frozen=True, slots=True)
class Copy:
    """A puzzle that is equivalent to another, the first of its class.

    A line is None if the source is one puzzle.
    """

    source: str
    line: int | None
    first_source: str
    first_line: int | None


@dataclass(slots=True)
class Tally:
    """What was compared: puzzles, classes among them, copies; and what was left out.

    `on_lot` is called when some thousands more were compared.
    """

    puzzles: int = 0
    classes: int = 0
    copies: int = 0
    left: int = 0
    on_lot: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)


def dedupe(
    paths: Sequence[Path],
    settings: Settings,
    kept: BinaryIO | None = None,
    tally: Tally | None = None,
    limit: int = LIMIT_BYTES,
) -> Iterator[Copy | Left]:
    """Tell which puzzles are equivalent to an earlier one, in the order in which they stand.

    The first of each class is written to `kept`, one a line. What is not a classic puzzle of 9×9
    is told, before the copies among the thousands around it, and not written. Raises OSError if
    the environment fails.
    """
    places, counted = Places(), tally or Tally()
    with Classes(limit) as classes:
        for lot in lots_of(paths, places, settings):
            known, keys, lot_left = _keyed(lot, places)
            yield from lot_left
            firsts = classes.meet(keys, known.places)
            is_first = firsts == known.places
            if kept:
                kept.write(lines_of(known.puzzles[is_first]))
            counted.puzzles += len(known.puzzles)
            counted.classes += int(is_first.sum())
            counted.copies += int((~is_first).sum())
            counted.left += len(lot_left)
            counted.on_lot()
            for place, first in zip(known.places[~is_first], firsts[~is_first], strict=True):
                yield Copy(*places.told(int(place)), *places.told(int(first)))


def overlap(
    known: Sequence[Path],
    asked: Sequence[Path],
    settings: Settings,
    tallies: tuple[Tally, Tally] | None = None,
    limit: int = LIMIT_BYTES,
) -> Iterator[Copy | Left]:
    """Tell which puzzles of the sources asked about are equivalent to one of those known.

    Each is told with the first of its class among those known. The tallies count what is known,
    and what is asked about, in which `copies` are what both have. Raises OSError if the
    environment fails.
    """
    places, (theirs, ours) = Places(), tallies or (Tally(), Tally())
    with Classes(limit) as classes:
        for lot in lots_of(known, places, settings):
            compared, keys, left = _keyed(lot, places)
            yield from left
            classes.meet(keys, compared.places)
            theirs.puzzles += len(compared.puzzles)
            theirs.left += len(left)
            theirs.classes = len(classes)
            theirs.on_lot()
        theirs.copies = theirs.puzzles - theirs.classes
        for lot in lots_of(asked, places, settings):
            compared, keys, left = _keyed(lot, places)
            yield from left
            firsts = classes.find(keys)
            ours.puzzles += len(compared.puzzles)
            ours.left += len(left)
            ours.copies += int((firsts != NOWHERE).sum())
            ours.on_lot()
            for place, first in zip(compared.places.tolist(), firsts.tolist(), strict=True):
                if first != NOWHERE:
                    yield Copy(*places.told(place), *places.told(first))


def _keyed(lot: Lot, places: Places) -> tuple[Lot, Keys, list[Left]]:
    """The puzzles of a lot that can be compared, their keys, and what is left out."""
    forms, certain = forms_of(lot.puzzles)
    undecided = [Left(*places.told(place), _UNDECIDED) for place in lot.places[~certain].tolist()]
    compared = Lot(lot.puzzles[certain], lot.places[certain], [])
    return compared, keys_of(forms[certain]), [*lot.left, *undecided]


def forms_of(puzzles: Cells) -> tuple[Cells, Flags]:
    """The canonical forms (P, 81) of 9×9 puzzles (P, 81), and which are certain; see `Known`."""
    known = solutions_of(NINE, masks_of_values(NINE, puzzles), 2)
    return canonical_forms(puzzles, known.unique, known.grids[0]), known.certain
