"""Convert constraints and groups to rules and given values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.puzzle.geometry import Geometry, values_of
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import GridRule
from pipeline.puzzle.rules.cages import Arrow, CountOfDifferent, Quadruple, SameMultiset
from pipeline.puzzle.rules.custom import OneOf
from pipeline.puzzle.rules.free import REGIONS, ChaosArrow, ChaosCount
from pipeline.puzzle.rules.lines import Palindrome
from pipeline.puzzle.rules.outside import OutsideClue
from pipeline.puzzle.rules.pairs import Among
from pipeline.puzzle.rules.regions import ExtraRegion
from pipeline.reading.formats.iss.groups import (
    AND,
    GROUPS,
    REPLICATE,
    ConstraintGroup,
    GroupItem,
    phrases_in_groups,
)
from pipeline.reading.formats.iss.phrases import STEPS_PER_RULE, Arguments, Context, Phrase
from pipeline.reading.formats.notations import RULES_OF_TYPES, STRICT, TYPES, negative_rules

GIVEN = ("", "Given")
"""Types that list the values of cells."""

SEARCH_HINTS = ("Priority", "SearchPriority")
"""Types that only help ISS to search, and do not change the puzzle."""

KNOWN_TYPES = {
    *(name for name, _ in RULES_OF_TYPES),
    *GIVEN,
    *SEARCH_HINTS,
    *GROUPS,
    "NoBoxes",
    "Var",
}
"""All supported types."""

ENCODED = ("Pair", "PairX", "Binary", "BinaryX", "NFA", "Regex", "Replicate", "Jigsaw")
"""Types whose first argument is encoded, in base64 for example."""

_NOT_IN_GROUPS = {
    *(name for name, kind in RULES_OF_TYPES if issubclass(kind, GridRule)),
    *("GlobalEntropy", "GlobalMod", "DutchFlatmates", "FullRankTies"),
    *("Windoku", "DisjointSets", "Diagonal", "Jigsaw"),
    *("Shape", "NoBoxes", "Priority", "SearchPriority"),
    *("Var", "RegionSize", "RegionSameValues", "Doppelganger"),
    *("ChaosConstruction", "ChaosArrow", "ChaosCount"),
}
"""Types that no group of constraints may contain."""

_NOT_REPLICATED = {
    *("LittleKiller", "Sandwich", "Skyscraper", "XSum", "HiddenSkyscraper", "NumberedRoom"),
    *("FullRank", "ConnectedValues"),
}
"""Types that a `.Replicate` must not contain, because their arguments are not cells."""

_MARKS = {"StrictKropki": ("WhiteDot", "BlackDot"), "StrictXV": ("X", "V")}
"""Type → the types of the marks that it refers to.

If a puzzle has a constraint of such a type, groups must not contain its marks.
"""

_DIGITS = range(1, 10)
_CLUES = OutsideClue, Quadruple
"""Rules that replace an earlier rule of the same kind at the same cells."""


def check_groups(items: Sequence[GroupItem]) -> None:
    """Raise InvalidPuzzle for a constraint that is not allowed in its group."""
    strict = {phrase.name for phrase in items if isinstance(phrase, Phrase)} & {*_MARKS}
    marks = {mark: name for name in strict for mark in _MARKS[name]}
    for phrase, groups in phrases_in_groups(items):
        name = phrase.name
        for group in groups:
            if name in _NOT_IN_GROUPS or (group == REPLICATE and name in _NOT_REPLICATED):
                raise phrase.wrong(phrase.type, f"a constraint that '.{group}' may contain")
        if name in marks:
            raise phrase.wrong(
                phrase.type, f"no '.{name}' inside a group, because '.{marks[name]}' is given"
            )


_LABELS_ARE_ARBITRARY = "(region labels of '.ChaosConstruction' are arbitrary)"
"""The end of messages about constraints that refer to region labels."""


def _label_cells(geometry: Geometry) -> range:
    """The extra cells that hold the region labels of a chaos construction, if there is one."""
    free = geometry.free_grid
    return free.cells_of_group(REGIONS) if free and REGIONS in dict(free.groups) else range(0)


def _depends_on_labels(rule: Rule, geometry: Geometry) -> bool:
    """Whether a rule would mean something else if regions of a chaos construction swapped labels.

    We number regions in a fixed order, so that each division into regions is counted once. ISS uses
    another order, so no rule may refer to a region by its label.
    """
    labels = {*_label_cells(geometry)}
    cells = {*rule.scope(geometry)} if labels else labels
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
class ParsedConstraints:
    """The rules of some constraints, and the given values: pairs of a cell and a mask of values."""

    rules: dict[object, Rule] = field(default_factory=dict)
    given: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, items: Sequence[GroupItem], context: Context, inner: Context) -> ParsedConstraints:
        """Read constraints in `context`, and those inside groups in `inner`.

        Raises InvalidPuzzle.
        """
        result = cls()
        for item in items:
            if isinstance(item, ConstraintGroup):
                result._add_group(item, inner)
                continue
            args = Arguments(item, context)
            if item.name in GIVEN:
                result.given += given_in(args)
            elif item.name in TYPES:
                result._add(args)
            elif item.name in SEARCH_HINTS:
                args.integer()
                args.cells()
        return result

    def _add(self, args: Arguments) -> None:
        phrase, geometry = args.phrase, args.geometry
        try:
            for rule in TYPES[phrase.name].read(args):
                args.context.machine_reader.take(STEPS_PER_RULE)
                if _depends_on_labels(rule, geometry):
                    expected = f"a constraint that only compares regions {_LABELS_ARE_ARBITRARY}"
                    raise phrase.wrong(phrase.type, expected)
                place = rule.scope(geometry)
                key = (type(rule), place) if isinstance(rule, _CLUES) else object()
                self.rules.pop(key, None)
                self.rules[key] = rule
                if isinstance(rule, Arrow) and geometry.side > len(_DIGITS):
                    # after the first cell of a pill, the values are digits other than 0
                    mask = sum(1 << digit - geometry.lowest for digit in _DIGITS)
                    self.given += [(cell, mask) for cell in rule.circle[1:]]
        except ValueError as error:
            raise phrase.wrong(phrase.type, f"a rule that can be satisfied ({error})") from None
        args.check_ended()

    def _add_group(self, group: ConstraintGroup, context: Context) -> None:
        if group.phrase.name == AND:
            nested = ParsedConstraints.of(group.items, context, context)
            self.rules |= {object(): rule for rule in nested.rules.values()}
            self.given += nested.given
            return
        choices = [ParsedConstraints.of([item], context, context) for item in group.items]
        rules = tuple(tuple(choice.all_rules(context.geometry)) for choice in choices)
        if all(rules):  # a choice without rules would always hold
            self.rules[object()] = OneOf(rules)

    def all_rules(self, geometry: Geometry) -> Iterator[Rule]:
        """Yield the rules, and the given values as `Among` rules."""
        yield from self.rules.values()
        for cell, mask in self.given:
            if mask != geometry.all_values:
                yield Among(cell, tuple(values_of(mask, geometry.lowest)))

    def with_strict(self, phrases: Sequence[Phrase], geometry: Geometry) -> list[Rule]:
        """The rules, and then the negative rules of phrases such as `.StrictXV`.

        Negative rules apply to pairs of cells that have no mark among the rules.
        """
        rules = [*self.rules.values()]
        for phrase in phrases:
            if phrase.name in STRICT:
                rules += negative_rules(geometry, rules, STRICT[phrase.name])
        return rules


def given_in(args: Arguments) -> Iterator[tuple[int, int]]:
    """Yield each cell that a phrase lists, and the mask of its values."""
    for word in args.rest():
        name, *values = word.text.split("_")
        if not values:
            raise args.wrong(word, "a cell and its values, such as 'R1C1_5'")
        cell = args.cell_in(word._replace(text=name))
        if cell in _label_cells(args.geometry):
            raise args.wrong(word, f"a cell of the grid {_LABELS_ARE_ARBITRARY}")
        parts = [word._replace(text=value) for value in values]
        yield cell, sum({1 << args.value_in(part) - args.geometry.lowest for part in parts})
