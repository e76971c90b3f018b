"""A constraint text → a puzzle with its rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline.puzzle.puzzle import Geometry, Puzzle, Rule
from pipeline.puzzle.rules.cages import Arrow, Quadruple
from pipeline.puzzle.rules.outside import Outside
from pipeline.puzzle.rules.regions import Region
from pipeline.reading.formats.base import Parsed
from pipeline.reading.formats.iss.phrases import Phrase, phrases_of
from pipeline.reading.formats.iss.types import STRICT, TYPES
from pipeline.reading.formats.ruled import (
    LEAST_SIDE,
    MOST_SIDE,
    given_masks,
    groups_of,
    usual_boxes,
    variant_of,
)
from pipeline.reading.formats.text import Text

_SHAPE = re.compile(r"([1-9]\d?)x([1-9]\d?)", re.ASCII)
_GIVEN = ("", "Given")
KNOWN = {*TYPES, *STRICT, *_GIVEN, "Shape", "NoBoxes", "Jigsaw"}
"""All types that are read."""

_CLUES = (Outside, Quadruple)
"""Clues that stand at a place: of several at one place the last counts."""

_USUAL_SIDE = 9
_DIGITS = (1 << 9) - 1
"""The values of the cells behind the first in the circle of a pill."""


def read(text: Text) -> Parsed:
    """The puzzle of a text. Raises InvalidPuzzle."""
    phrases = phrases_of(text)
    for phrase in phrases:
        if phrase.type.text not in KNOWN:
            raise phrase.wrong(phrase.type, "rules that are known")
    if not phrases:
        raise text.at_end("a constraint, such as '.~R1C1_5'", "none")
    boxes = usual_boxes(_side(phrases))
    no_boxes = [*_of(phrases, "NoBoxes")]
    geometry = Geometry(1, boxes.side) if no_boxes else boxes
    for phrase in phrases:
        phrase.geometry = geometry
    given = [*_given(phrases)]
    pieces = _jigsaw(phrases, geometry.side)
    parts = tuple(geometry.boxes()) if geometry.height > 1 else ()
    for phrase in phrases:
        phrase.regions = () if pieces and parts else pieces or parts
    rules = [*map(Region, pieces), *_rules(phrases)]
    for phrase in phrases:
        phrase.check_ended()
    pills = {cell for rule in rules if isinstance(rule, Arrow) for cell in rule.circle[1:]}
    given += [(cell, _DIGITS & geometry.all_values) for cell in sorted(pills)]
    cells, contradicting = given_masks(geometry, given)
    puzzle = Puzzle(geometry, cells, (*rules, *contradicting))
    return Parsed(puzzle, variant=variant_of(puzzle))


def _of(phrases: Sequence[Phrase], *types: str) -> Iterator[Phrase]:
    """The phrases of some types."""
    return (phrase for phrase in phrases if phrase.type.text in types)


def _side(phrases: Sequence[Phrase]) -> int:
    shapes = [*_of(phrases, "Shape")]
    if not shapes:
        return _USUAL_SIDE
    shape, *others = shapes
    for another in others:
        raise another.wrong(another.type, "a single '.Shape'")
    expected = f"a square, '4x4' to '{MOST_SIDE}x{MOST_SIDE}', with its usual values"
    size = shape.next(expected)
    match = _SHAPE.fullmatch(size.text)
    if match is None or match[1] != match[2] or not LEAST_SIDE <= int(match[1]) <= MOST_SIDE:
        raise shape.wrong(size, expected)
    return int(match[1])


def _given(phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """Cells with the mask of the values that a phrase gives them."""
    for phrase in _of(phrases, *_GIVEN):
        for word in phrase.rest():
            name, *values = word.text.split("_")
            if not values:
                raise phrase.wrong(word, "a cell and its values, such as 'R1C1_5'")
            cell = phrase.cell_in(word._replace(text=name))
            parts = [word._replace(text=value) for value in values]
            n = phrase.geometry.side
            yield cell, sum({1 << phrase.number_in(each, 1, n) - 1 for each in parts})


def _jigsaw(phrases: Sequence[Phrase], n: int) -> tuple[tuple[int, ...], ...]:
    """The regions of all jigsaws, of n cells each."""
    regions: list[tuple[int, ...]] = []
    for phrase in _of(phrases, "Jigsaw"):
        expected = f"{n * n} signs, {n} for each region"
        signs = phrase.next(expected)
        groups = groups_of(signs.text)
        if len(signs.text) != n * n or {*map(len, groups)} != {n}:
            raise phrase.wrong(signs, expected)
        regions += groups
    return tuple(regions)


def _rules(phrases: Sequence[Phrase]) -> list[Rule]:
    """The rules of all types, in their order; last those that look at the others' marks."""
    rules: dict[object, Rule] = {}
    for phrase in _of(phrases, *TYPES):
        try:
            for rule in TYPES[phrase.type.text].rules(phrase):
                place = rule.cells(phrase.geometry)
                key = (type(rule), place) if isinstance(rule, _CLUES) else object()
                rules.pop(key, None)
                rules[key] = rule
        except ValueError as error:
            raise phrase.wrong(phrase.type, f"rules that can be kept ({error})") from None
    for phrase in _of(phrases, *STRICT):
        rules[object()] = STRICT[phrase.type.text][1](phrase, [*rules.values()])
    return [*rules.values()]
