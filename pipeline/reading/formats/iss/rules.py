"""The rules and the given values of constraints, and of those in groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.puzzle.puzzle import Geometry, Rule, values_of
from pipeline.puzzle.rules.cages import Arrow, CountOfDifferent, Quadruple, SameMultiset
from pipeline.puzzle.rules.custom import OneOf
from pipeline.puzzle.rules.free import REGIONS, ChaosArrow, ChaosCount
from pipeline.puzzle.rules.lines import Palindrome
from pipeline.puzzle.rules.outside import Outside
from pipeline.puzzle.rules.pairs import Among
from pipeline.puzzle.rules.regions import ExtraRegion
from pipeline.reading.formats.iss.groups import AND, REPLICATE, Composite, Item, inside
from pipeline.reading.formats.iss.phrases import Phrase
from pipeline.reading.formats.iss.types import (
    HINTS,
    MARKS,
    NOT_IN_GROUPS,
    NOT_REPLICATED,
    STRICT,
    TYPES,
)

_GIVEN = ("", "Given")
_DIGITS = range(1, 10)
_CLUES = Outside, Quadruple
"""Of several at one place the last counts."""


def check_groups(items: Sequence[Item]) -> None:
    """Raise InvalidPuzzle for types that groups do not hold."""
    strict = {phrase.type.text for phrase in items if isinstance(phrase, Phrase)} & {*MARKS}
    marks = {mark: name for name in strict for mark in MARKS[name]}
    for phrase, around in inside(items):
        name = phrase.type.text
        for group in around:
            if name in NOT_IN_GROUPS or (group == REPLICATE and name in NOT_REPLICATED):
                raise phrase.wrong(phrase.type, f"a constraint that '.{group}' may hold")
        if name in marks:
            raise phrase.wrong(phrase.type, f"no such mark in a group beside '.{marks[name]}'")


_NO_LABELS = "(region labels of '.ChaosConstruction' are arbitrary)"


def _label_cells(geometry: Geometry) -> range:
    """The cells of a chaos construction that hold region labels; none in other puzzles."""
    free = geometry.free
    return free.group(REGIONS) if free and REGIONS in dict(free.groups) else range(0)


def _depends_on_labels(rule: Rule, geometry: Geometry) -> bool:
    """Whether a rule changes its meaning if the regions to be found swap labels.

    An order of the regions fixes their labels, so that a division is counted once. The Interactive
    Sudoku Solver uses another order, so a text cannot refer to a region by its label.
    """
    labels = {*_label_cells(geometry)}
    cells = {*rule.cells(geometry)} if labels else labels
    if labels.isdisjoint(cells):
        return False
    match rule:
        case ChaosArrow(control) | ChaosCount(control):
            return control in labels
        case CountOfDifferent(counter, counted):
            return counter in labels or not labels.issuperset(counted)
        case ExtraRegion() | Palindrome() | SameMultiset():
            return not labels.issuperset(cells)
    return True


@dataclass(slots=True)
class RulesRead:
    """The meaning of some constraints: rules, and cells with masks of the values given to them."""

    rules: dict[object, Rule] = field(default_factory=dict)
    given: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, items: Sequence[Item]) -> RulesRead:
        """Raises InvalidPuzzle."""
        found = cls()
        for item in items:
            if isinstance(item, Composite):
                found._add_group(item)
            elif item.type.text in _GIVEN:
                found.given += _given(item)
            elif item.type.text in TYPES:
                found._add(item)
            elif item.type.text in HINTS:
                item.integer()
                item.cells()
        return found

    def _add(self, phrase: Phrase) -> None:
        try:
            for rule in TYPES[phrase.type.text].rules(phrase):
                if _depends_on_labels(rule, phrase.geometry):
                    expected = f"a constraint that only compares regions {_NO_LABELS}"
                    raise phrase.wrong(phrase.type, expected)
                place = rule.cells(phrase.geometry)
                key = (type(rule), place) if isinstance(rule, _CLUES) else object()
                self.rules.pop(key, None)
                self.rules[key] = rule
                if isinstance(rule, Arrow) and phrase.geometry.side > len(_DIGITS):
                    # those behind the first in the circle of a pill are digits, without 0
                    mask = sum(1 << digit - phrase.geometry.lowest for digit in _DIGITS)
                    self.given += [(cell, mask) for cell in rule.circle[1:]]
        except ValueError as error:
            raise phrase.wrong(phrase.type, f"rules that can be kept ({error})") from None
        phrase.check_ended()

    def _add_group(self, group: Composite) -> None:
        if group.phrase.type.text == AND:
            inner = RulesRead.of(group.items)
            self.rules |= {object(): rule for rule in inner.rules.values()}
            self.given += inner.given
            return
        choices = [RulesRead.of([item]) for item in group.items]
        geometry = group.phrase.geometry
        rules = tuple(tuple(choice.all(geometry)) for choice in choices)
        if all(rules):  # else one always holds
            self.rules[object()] = OneOf(rules)

    def all(self, geometry: Geometry) -> Iterator[Rule]:
        """The rules, and the given values as rules."""
        yield from self.rules.values()
        for cell, mask in self.given:
            if mask != geometry.all_values:
                yield Among(cell, tuple(values_of(mask, geometry.lowest)))

    def with_strict(self, phrases: Sequence[Phrase]) -> list[Rule]:
        """The rules, last those of these phrases that look at the marks of others."""
        rules = [*self.rules.values()]
        strict = (phrase for phrase in phrases if phrase.type.text in STRICT)
        for phrase in strict:
            rules.append(STRICT[phrase.type.text][1](phrase, rules))
        return rules


def _given(phrase: Phrase) -> Iterator[tuple[int, int]]:
    """Cells with the mask of the values that a phrase gives them."""
    for word in phrase.rest():
        name, *values = word.text.split("_")
        if not values:
            raise phrase.wrong(word, "a cell and its values, such as 'R1C1_5'")
        cell = phrase.cell_in(word._replace(text=name))
        if cell in _label_cells(phrase.geometry):
            raise phrase.wrong(word, f"a cell of the grid {_NO_LABELS}")
        parts = [word._replace(text=value) for value in values]
        yield cell, sum({1 << phrase.value_in(each) - phrase.geometry.lowest for each in parts})
