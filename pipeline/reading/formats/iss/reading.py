"""A constraint text → a puzzle with its rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.puzzle.puzzle import Geometry, Puzzle, Rule
from pipeline.puzzle.rules.cages import Arrow, Quadruple
from pipeline.puzzle.rules.outside import Outside
from pipeline.puzzle.rules.regions import Region
from pipeline.reading.formats.base import Parsed
from pipeline.reading.formats.iss.grammar import Cells, Phrase, phrases_of
from pipeline.reading.formats.iss.types import STRICT, TYPES
from pipeline.reading.formats.ruled import (
    LEAST_SIDE,
    MOST_SIDE,
    given_masks,
    usual_boxes,
    variant_of,
)
from pipeline.reading.formats.text import Text

_SHAPE = re.compile(r"([1-9]\d?)x([1-9]\d?)", re.ASCII)
_GIVEN = ("", "Given")
_KNOWN = {*TYPES, *STRICT, *_GIVEN, "Shape", "NoBoxes", "Jigsaw"}

_CLUES = (Outside, Quadruple)
"""Clues that stand at a place: of several at one place the last counts."""

_USUAL_SIDE = 9
_DIGITS = (1 << 9) - 1
"""The values of the cells behind the first in the circle of a pill."""


def read(text: Text) -> Parsed:
    """The puzzle of a text. Raises InvalidPuzzle."""
    phrases = phrases_of(text)
    for phrase in phrases:
        if phrase.type.text not in _KNOWN:
            raise phrase.wrong(phrase.type, "rules that are known")
    boxes = usual_boxes(_side(phrases))
    no_boxes = [*_of(phrases, "NoBoxes")]
    for phrase in no_boxes:
        phrase.only(0)
    geometry = Geometry(1, boxes.side) if no_boxes else boxes
    phrases = [replace(phrase, geometry=geometry) for phrase in phrases]
    given = [*_given(phrases)]
    pieces = _jigsaw(phrases, geometry.side)
    parts = tuple(geometry.boxes()) if geometry.height > 1 else ()
    regions = () if pieces and parts else pieces or parts
    phrases = [replace(phrase, regions=regions) for phrase in phrases]
    rules = [*map(Region, pieces), *_rules(phrases)]
    pills = {cell for rule in rules if isinstance(rule, Arrow) for cell in rule.circle[1:]}
    given += [(cell, _DIGITS & geometry.all_values) for cell in sorted(pills)]
    cells, contradicting = given_masks(geometry, given)
    if not phrases:
        raise text.at_end("a constraint, such as '.~R1C1_5'", "none")
    try:
        puzzle = Puzzle(geometry, cells, (*rules, *contradicting))
    except ValueError as error:
        raise text.error(None, None, "rules that fit the grid", str(error)) from None
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
    if not shape.words:
        raise shape.short(expected)
    match = _SHAPE.fullmatch(shape.words[0].text)
    if match is None or match[1] != match[2] or not LEAST_SIDE <= int(match[1]) <= MOST_SIDE:
        raise shape.wrong(shape.words[0], expected)
    for word in shape.words[1:]:
        raise shape.wrong(word, expected)
    return int(match[1])


def _given(phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """Cells with the mask of the values that a phrase gives them."""
    for phrase in _of(phrases, *_GIVEN):
        for word in phrase.words:
            name, *values = word.text.split("_")
            if not values:
                raise phrase.wrong(word, "a cell and its values, such as 'R1C1_5'")
            cell = phrase.cell(word._replace(text=name))
            parts = [word._replace(text=value) for value in values]
            n = phrase.geometry.side
            yield cell, sum({1 << phrase.number_of(each, 1, n) - 1 for each in parts})


def _jigsaw(phrases: Sequence[Phrase], n: int) -> tuple[Cells, ...]:
    """The regions of all jigsaws, of n cells each."""
    regions: list[Cells] = []
    for phrase in _of(phrases, "Jigsaw"):
        expected = f"{n * n} signs, {n} for each region"
        if len(phrase.words) != 1:
            raise phrase.short(expected)
        signs = phrase.words[0].text
        if len(signs) != n * n or {*Counter(signs).values()} != {n}:
            raise phrase.wrong(phrase.words[0], expected)
        places: dict[str, list[int]] = {}
        for cell, sign in enumerate(signs):
            places.setdefault(sign, []).append(cell)
        regions += map(tuple, places.values())
    return tuple(regions)


def _rules(phrases: Sequence[Phrase]) -> list[Rule]:
    """The rules of all types, in their order; last those that look at the others' marks."""
    rules: list[Rule] = []
    for phrase in _of(phrases, *TYPES):
        try:
            rules += TYPES[phrase.type.text].rules(phrase)
        except ValueError as error:
            raise phrase.wrong(phrase.type, f"rules that can be kept ({error})") from None
    for phrase in _of(phrases, *STRICT):
        phrase.only(0)
        rules.append(STRICT[phrase.type.text][1](phrase, rules))
    clues = [(rule, rule.cells(phrases[0].geometry)) for rule in rules if isinstance(rule, _CLUES)]
    last = {(type(rule), cells): rule for rule, cells in clues}
    superseded = {id(rule) for rule, cells in clues if last[type(rule), cells] is not rule}
    return [rule for rule in rules if id(rule) not in superseded]
