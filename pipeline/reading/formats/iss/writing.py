"""Write a puzzle with its rules as an ISS constraint string in one line.

`formats/targets.py` reads each constraint string back, and compares it with the puzzle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase, digits

from pipeline.puzzle.geometry import Geometry, default_geometry, values_of
from pipeline.puzzle.puzzle import Puzzle, Rule
from pipeline.puzzle.rules.custom import OneOf
from pipeline.puzzle.rules.free import ChaosConstruction, Unit
from pipeline.puzzle.rules.outside import FullRank
from pipeline.puzzle.rules.pairs import Among, Parity
from pipeline.puzzle.rules.regions import Region
from pipeline.reading.formats.cells import shape_in_words
from pipeline.reading.formats.iss.grid_layout import MAX_SIZE
from pipeline.reading.formats.iss.groups import AND, END, OR
from pipeline.reading.formats.iss.phrases import cell_word
from pipeline.reading.formats.notations import write_rule

_LABELS = digits + ascii_lowercase
"""The characters that label the regions of a jigsaw; the last one labels all other cells."""


def constraint_string(puzzle: Puzzle) -> str:
    """Write a puzzle as a constraint string.

    Raises ValueError with a noun phrase for the first property that ISS cannot express.
    """
    geometry = puzzle.geometry
    units = [rule for rule in puzzle.rules if isinstance(rule, Unit)]
    regions = [rule for rule in puzzle.rules if isinstance(rule, Region)]
    other_rules = [rule for rule in puzzle.rules if not isinstance(rule, Unit | Region)]
    phrases = [*_shape_phrases(puzzle, units, regions), *_jigsaws(geometry, regions)]
    masks = enumerate(puzzle.cells)
    given = [
        _values_phrase(cell, mask, geometry) for cell, mask in masks if mask != geometry.all_values
    ]
    # The values come first: when the string is read back, a later `~` phrase that contradicts them
    # becomes an `Among` rule.
    phrases += ["".join(given)] if given else []
    if any(isinstance(rule, FullRank) and rule.tied for rule in other_rules):
        phrases.append("FullRankTies~any")
    phrases += [phrase for rule in other_rules for phrase in _phrases(rule, geometry)]
    return "".join(f".{phrase}" for phrase in phrases)


def _values_phrase(cell: int, mask: int, geometry: Geometry) -> str:
    values = "_".join(map(str, values_of(mask, geometry.lowest)))
    return f"~{cell_word(geometry, cell)}_{values}"


def _shape_phrases(
    puzzle: Puzzle, units: Sequence[Unit], regions: Sequence[Region]
) -> Iterator[str]:
    """Yield the phrases of the shape of the grid, its boxes, and the cells outside the grid."""
    geometry, free = puzzle.geometry, puzzle.geometry.free_grid
    n = geometry.side
    rows, columns = (free.rows, free.columns) if free else (n, n)
    is_known = free or geometry in (Geometry(1, n), default_geometry(n))
    if not is_known or max(rows, columns, n) > MAX_SIZE:
        raise ValueError(shape_in_words(geometry))
    if free is None:
        yield f"Shape~{n}x{n}"
        if geometry != default_geometry(n):
            yield "NoBoxes"
        return
    is_raw = not units
    values = f"~{geometry.lowest}-{geometry.values[-1]}"
    yield f"Shape~{rows}x{columns}{values}{'~Raw' if is_raw else ''}"
    boxes = [unit for unit in units if unit.kind == "box"]
    sizes = [len(area.cells) for area in (*boxes, *regions)]
    sizes += [rule.size for rule in puzzle.rules if isinstance(rule, ChaosConstruction)]
    if not boxes and not is_raw:
        yield "NoBoxes"
    if sizes and sizes[0] != max(rows, columns):
        yield f"RegionSize~{sizes[0]}"
    for name, size in free.groups:
        width = free.width_of(name)
        dimensions = size if width == columns else f"{size // width}x{width}"
        if name.startswith("V"):
            yield f"Var~{name[1:]}~~{dimensions}"


def _jigsaws(geometry: Geometry, regions: Iterable[Region]) -> Iterator[str]:
    """Yield `.Jigsaw` phrases.

    The regions of one phrase do not overlap, and all its other cells share one character.
    """
    layers: list[dict[int, str]] = []
    counts: list[int] = []
    for region in regions:
        index = next(
            (index for index, layer in enumerate(layers) if not layer.keys() & {*region.cells}), -1
        )
        if index < 0:
            layers.append({})
            counts.append(0)
        if max(region.cells) >= geometry.grid_size or counts[index] == len(_LABELS) - 1:
            raise ValueError(region.describe(geometry))
        layers[index] |= dict.fromkeys(region.cells, _LABELS[counts[index]])
        counts[index] += 1
    for layer in layers:
        labels = (layer.get(cell, _LABELS[-1]) for cell in range(geometry.grid_size))
        yield f"Jigsaw~{''.join(labels)}"


def _phrases(rule: Rule, geometry: Geometry) -> Iterator[str]:
    """Yield the phrases of a rule, without their dots.

    Raises ValueError with a noun phrase for the first property that ISS cannot express.
    """
    if isinstance(rule, OneOf):
        yield OR
        for choice in rule.choices:
            nested = [phrase for part in choice for phrase in _phrases(part, geometry)]
            yield from nested if len(choice) == 1 else (AND, *nested, END)
        yield END
    elif isinstance(rule, Among | Parity):
        values = rule.allowed if isinstance(rule, Among) else geometry.values
        allowed = (value for value in values if isinstance(rule, Among) or value % 2 == rule.odd)
        yield f"~{cell_word(geometry, rule.cell)}_{'_'.join(map(str, allowed))}"
    else:
        yield _phrase(rule, geometry)


def _phrase(rule: Rule, geometry: Geometry) -> str:
    output = write_rule(rule, geometry, by_keys=False)
    if output is None:
        raise ValueError(rule.describe(geometry))
    name, words = output
    return "~".join((name, *words))
