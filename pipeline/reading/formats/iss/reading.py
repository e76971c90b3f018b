"""A constraint text → a puzzle with its rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pipeline.puzzle.puzzle import Geometry, Puzzle, Rule
from pipeline.puzzle.rules.cages import Arrow, Quadruple
from pipeline.puzzle.rules.outside import LittleKiller, Sandwich, Skyscraper, XSum
from pipeline.puzzle.rules.regions import Region
from pipeline.reading.formats.base import Found
from pipeline.reading.formats.iss.grammar import Item, Source
from pipeline.reading.formats.iss.types import TYPES, Reader, strict_rules
from pipeline.reading.formats.ruled import (
    LEAST_SIDE,
    MOST_SIDE,
    given_masks,
    usual_boxes,
    variant_of,
)
from pipeline.reading.formats.text import Text

_SHAPE = re.compile(r"([1-9]\d?)x([1-9]\d?)", re.ASCII)
_STRICT = ("StrictKropki", "StrictXV")
_GIVEN = ("", "Given")
_OTHERS = frozenset((*_GIVEN, "Shape", "NoBoxes", "Jigsaw", *_STRICT))
"""Types that are not rules by themselves."""

_LAST_COUNTS = (LittleKiller, Quadruple, Sandwich, Skyscraper, XSum)
"""Clues that stand at a place: of several at one place the last counts."""

_USUAL_SIDE = 9
_DIGITS = (1 << 9) - 1
"""The values of the cells behind the first in the circle of a pill."""


def read(text: Text) -> Found:
    """The puzzle of a text. Raises InvalidPuzzle."""
    source = Source(text)
    items = [*source.items()]
    for item in items:
        if item.type.text not in TYPES and item.type.text not in _OTHERS:
            raise source.wrong(item, item.type, "rules that are known")
    boxes = usual_boxes(_side(source, items))
    no_boxes = [item for item in items if item.type.text == "NoBoxes"]
    for item in (each for each in no_boxes if each.words):
        raise source.wrong(item, item.words[0], "the end of the constraint")
    geometry = Geometry(1, boxes.side) if no_boxes else boxes
    given = list(_given(source, items, geometry))
    own = _jigsaw(source, items, geometry)
    rules = [*map(Region, own), *_rules(source, items, geometry, own)]
    pills = {cell for rule in rules if isinstance(rule, Arrow) for cell in rule.circle[1:]}
    given += [(cell, _DIGITS & geometry.all_values) for cell in sorted(pills)]
    cells, contradicting = given_masks(geometry, given)
    rules += contradicting
    if not items:
        raise text.at_end("a constraint, such as '.~R1C1_5'", "none")
    try:
        puzzle = Puzzle(geometry, cells, tuple(rules))
    except ValueError as error:
        raise text.error(None, None, "rules that fit the grid", str(error)) from None
    return Found(puzzle, variant_of(puzzle))


def _side(source: Source, items: Sequence[Item]) -> int:
    shapes = [item for item in items if item.type.text == "Shape"]
    if not shapes:
        return _USUAL_SIDE
    shape, *others = shapes
    for another in others:
        raise source.wrong(another, another.type, "a single '.Shape'")
    expected = f"a square, '4x4' to '{MOST_SIDE}x{MOST_SIDE}', with its usual values"
    if not shape.words:
        raise source.short(shape, expected)
    match = _SHAPE.fullmatch(shape.words[0].text)
    if match is None or match[1] != match[2] or not LEAST_SIDE <= int(match[1]) <= MOST_SIDE:
        raise source.wrong(shape, shape.words[0], expected)
    for word in shape.words[1:]:
        raise source.wrong(shape, word, expected)
    return int(match[1])


def _given(source: Source, items: Sequence[Item], geometry: Geometry) -> Iterator[tuple[int, int]]:
    """The cells of which something is said, with the mask of their values."""
    n = geometry.side
    for item in (each for each in items if each.type.text in _GIVEN):
        for word in item.words:
            name, *values = word.text.split("_")
            if not values:
                raise source.wrong(item, word, "a cell and its values, such as 'R1C1_5'")
            at = source.cell(item, word._replace(text=name), geometry)
            parts = [word._replace(text=value) for value in values]
            yield at, sum({1 << source.number(item, each, 1, n) - 1 for each in parts})


def _jigsaw(source: Source, items: Sequence[Item], geometry: Geometry) -> list[tuple[int, ...]]:
    """The regions of all jigsaws, of n cells each."""
    n, regions = geometry.side, []
    for item in (each for each in items if each.type.text == "Jigsaw"):
        expected = f"{n * n} signs, {n} for each region"
        if len(item.words) != 1:
            raise source.short(item, expected)
        signs = item.words[0].text
        if len(signs) != n * n or {*Counter(signs).values()} != {n}:
            raise source.wrong(item, item.words[0], expected)
        regions += [_all(signs, sign) for sign in dict.fromkeys(signs)]
    return regions


def _all(signs: str, sign: str) -> tuple[int, ...]:
    """Where a sign stands."""
    return tuple(at for at, other in enumerate(signs) if other == sign)


def _rules(
    source: Source, items: Sequence[Item], geometry: Geometry, jigsaw: list[tuple[int, ...]]
) -> list[Rule]:
    """The rules of all types, in their order; last those that look at the others' marks."""
    has_boxes = geometry.height > 1
    regions = tuple(geometry.boxes()) if has_boxes else tuple(jigsaw)
    reader = Reader(source, geometry, () if has_boxes and jigsaw else regions)
    rules: list[Rule] = []
    for item in (each for each in items if each.type.text in TYPES):
        try:
            rules += TYPES[item.type.text](reader, item)
        except ValueError as error:
            raise source.wrong(item, item.type, f"rules that can be kept ({error})") from None
    for item in (each for each in items if each.type.text in _STRICT):
        reader.only(item, 0)
        rules.append(strict_rules(item.type.text, rules))
    placed = (rule for rule in rules if isinstance(rule, _LAST_COUNTS))
    last: dict[tuple[type[Rule], tuple[int, ...]], Rule] = {
        (type(rule), rule.cells(geometry)): rule for rule in placed
    }
    return [rule for rule in rules if last.get((type(rule), rule.cells(geometry)), rule) is rule]
