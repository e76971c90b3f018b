"""The rules that each type of constraint stands for: a row of `TYPES` for each type.

A row names a rule, how its arguments are read, one after the other, and how they are written.
Further arguments are refused, and so are cells and numbers that the rule itself does not take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import (
    OnBorder,
    cages,
    custom,
    free,
    lines,
    neighbours,
    outside,
    pairs,
    regions,
    whole,
)
from pipeline.reading.formats.iss import arguments, readers, writers
from pipeline.reading.formats.iss.arguments import Argument
from pipeline.reading.formats.iss.groups import GROUPS, OR
from pipeline.reading.formats.iss.phrases import Phrase
from pipeline.reading.formats.ruled import RuleType


class TypeOf(NamedTuple):
    """A type of constraint: the rules of a kind that its phrases are, and the words of a rule.

    There are none for a rule that it does not stand for; a type without `words` is only read.
    """

    kind: RuleType
    rules: Callable[[Phrase], Iterable[Rule]]
    words: Callable[[Any, Geometry], writers.Words] = lambda *_: None


def _one(kind: RuleType, *parts: Argument) -> TypeOf:
    """A rule made of these arguments; texts tell numbers first, rules take cells first."""
    order = sorted(range(len(parts)), key=lambda at: not parts[at].is_tuple)

    def rules(phrase: Phrase) -> Iterator[Rule]:
        values = [each.read(phrase) for each in parts]
        if None not in values:
            yield kind(*(values[at] for at in order))

    def words(rule: Rule, geometry: Geometry) -> writers.Words:
        values = [getattr(rule, each.name) for each in fields(rule)]  # type: ignore[arg-type]
        told = dict(zip(order, values, strict=False))
        return [word for at, each in enumerate(parts) for word in each.words(told[at], geometry)]

    return TypeOf(kind, rules, words)


def _pairs(kind: RuleType, *numbers: int) -> TypeOf:
    """Every two cells listed that are neighbours; each of them has to be in such a pair."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        cells = phrase.cells(2, once=True)
        beside = {*neighbours(phrase.geometry)}
        bound = [pair for pair in combinations(cells, 2) if (min(pair), max(pair)) in beside]
        paired = {cell for pair in bound for cell in pair}
        for cell, word in zip(cells, phrase.words, strict=True):
            if cell not in paired:
                raise phrase.wrong(word, "a neighbour of another of these cells")
        return (kind(*pair, *numbers) for pair in bound)

    def words(rule: OnBorder, geometry: Geometry) -> writers.Words:
        pair = (rule.a, rule.b)
        return arguments.cell_words(pair, geometry) if rule == kind(*pair, *numbers) else None

    return TypeOf(kind, rules, words)


def _from_both_ends(kind: RuleType, most: Callable[[Phrase], int | None] | None = None) -> TypeOf:
    """A row or column, a clue at its beginning and one at its end; either may be missing."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        line, clues = phrase.row_or_column(), phrase.words[1:3]
        if not any(clue.text for clue in clues):
            raise phrase.short("a number")
        for clue, cells in zip(clues, (line, line[::-1]), strict=False):
            phrase.next("a number")
            if clue.text:
                yield kind(cells, phrase.number_in(clue, 1, most(phrase) if most else None))

    return TypeOf(kind, rules, writers.from_both_ends)


def _full_rank(phrase: Phrase) -> Iterator[Rule]:
    if phrase.ties is None:
        raise phrase.wrong(phrase.type, "no '.FullRankTies' beside it in a group")
    kind = partial(outside.FullRank, tied=phrase.ties == "any")
    return iter(_from_both_ends(kind, lambda phrase: 4 * phrase.geometry.side).rules(phrase))


def _whole_of_nine(kind: Callable[[], Rule]) -> TypeOf:
    """A rule of the whole grid, for values 1 to 9."""

    def rules(phrase: Phrase) -> Iterator[Rule]:
        arguments.check_nine(phrase)
        yield kind()

    return TypeOf(kind, rules, writers.nothing)


TYPES: dict[str, TypeOf] = {
    "AntiKnight": _one(pairs.AntiKnight),
    "AntiKing": _one(pairs.AntiKing),
    "AntiConsecutive": _one(pairs.Nonconsecutive),
    "AntiTaxicab": TypeOf(whole.AntiTaxicab, readers.anti_taxicab, writers.nothing),
    "GlobalEntropy": _whole_of_nine(whole.GlobalEntropy),
    "GlobalMod": _whole_of_nine(whole.GlobalModular),
    "DutchFlatmates": _whole_of_nine(whole.Flatmates),
    "Windoku": TypeOf(regions.Windoku, readers.windoku, writers.nothing),
    "DisjointSets": TypeOf(regions.DisjointGroups, readers.disjoint_groups, writers.nothing),
    "Diagonal": _one(
        regions.Diagonal,
        arguments.word("'1' or '-1', the direction of the diagonal", **{"1": True, "-1": False}),
    ),
    "AllDifferent": _one(regions.ExtraRegion, arguments.cells(once=True)),
    "Thermo": _one(lines.Thermometer, arguments.line()),
    "Palindrome": _one(lines.Palindrome, arguments.line()),
    "Renban": _one(lines.Renban, arguments.line()),
    "Between": _one(lines.Between, arguments.line(3)),
    "Zipper": _one(lines.Zipper, arguments.line(3)),
    "DoubleArrow": _one(lines.DoubleArrow, arguments.cells()),
    "Entropic": _one(lines.Entropic, arguments.line_of_nine),
    "Modular": _one(lines.Modular, arguments.number(2), arguments.line()),
    "Lockout": _one(lines.Lockout, arguments.number(1), arguments.cells(2)),
    "Whisper": _one(lines.Whispers, arguments.number(1, usual=5), arguments.line()),
    "SumLine": TypeOf(lines.SumLine, readers.sum_line, writers.sum_line),
    "ValueIndexing": _one(lines.ValueIndexer, arguments.cells(3, once=True)),
    "Lunchbox": _one(lines.Lunchbox, arguments.number(), arguments.cells(2, once=True)),
    "RegionSumLine": _one(lines.RegionSum, arguments.line(), arguments.regions_of),
    "WhiteDot": _pairs(pairs.WhiteDot),
    "BlackDot": _pairs(pairs.BlackDot),
    "X": _pairs(pairs.XV, 10),
    "V": _pairs(pairs.XV, 5),
    "GreaterThan": _pairs(pairs.Greater),
    "Cage": TypeOf(cages.Cage, readers.cage, writers.cage),
    "Sum": TypeOf(cages.Sum, readers.weighted_sum, writers.weighted_sum),
    "RellikCage": _one(cages.RellikCage, arguments.number(1), arguments.cells(once=True)),
    "EqualityCage": _one(cages.EqualityCage, arguments.cells(once=True)),
    "ContainAtLeast": TypeOf(
        cages.Contains, partial(readers.contains, exactly=False), writers.contains_at_least
    ),
    "ContainExact": TypeOf(
        cages.Contains, partial(readers.contains, exactly=True), writers.contains_exactly
    ),
    "LookAndSay": TypeOf(cages.Contains, readers.look_and_say),
    "CountingCircles": _one(cages.CountingCircles, arguments.cells(once=True)),
    "CountDistinct": TypeOf(cages.CountOfDifferent, readers.count_distinct, writers.count_distinct),
    "EqualSum": _one(cages.EqualSums, arguments.groups_apart),
    "SameValues": _one(cages.SameMultiset, arguments.groups_of_one_size),
    "Arrow": TypeOf(cages.Arrow, readers.arrow, writers.arrow),
    "PillArrow": TypeOf(cages.Arrow, readers.pill_arrow, writers.pill_arrow),
    "Quad": _one(cages.Quadruple, arguments.around, arguments.values),
    "LittleKiller": _one(outside.LittleKiller, arguments.number(), arguments.diagonal),
    "Sandwich": _one(outside.Sandwich, arguments.number(), arguments.row_or_column),
    "Skyscraper": _from_both_ends(outside.Skyscraper),
    "XSum": _from_both_ends(outside.XSum),
    "HiddenSkyscraper": _from_both_ends(outside.HiddenSkyscraper, arguments.largest),
    "NumberedRoom": _from_both_ends(outside.NumberedRoom, arguments.largest),
    "FullRank": TypeOf(outside.FullRank, _full_rank, writers.from_both_ends),
    "FullRankTies": TypeOf(whole.NoTiedLines, readers.ties, lambda *_: ("none",)),
    "Indexing": TypeOf(pairs.Indexer, readers.indexing, writers.indexing),
    "Pair": TypeOf(custom.Relation, partial(readers.relation, every=False), writers.relation),
    "PairX": TypeOf(
        custom.Relation, partial(readers.relation, every=True), writers.relation_of_all
    ),
    "Binary": TypeOf(custom.Relation, partial(readers.relation, every=False, is_old=True)),
    "BinaryX": TypeOf(custom.Relation, partial(readers.relation, every=True, is_old=True)),
    "NFA": TypeOf(custom.StateMachine, readers.nfa, writers.nfa),
    "Regex": TypeOf(custom.StateMachine, readers.regex),
    "ConnectedValues": TypeOf(free.ConnectedValues, readers.connected, writers.connected),
    "ChaosArrow": TypeOf(free.ChaosArrow, readers.chaos_arrow, writers.chaos_arrow),
    "ChaosCount": TypeOf(free.ChaosCount, readers.chaos_count, writers.chaos_count),
}
"""Types whose rules need no other phrases."""

NOT_IN_GROUPS = {
    *("AntiKnight", "AntiKing", "AntiConsecutive", "AntiTaxicab", "GlobalEntropy", "GlobalMod"),
    *("DutchFlatmates", "Windoku", "DisjointSets", "Diagonal", "FullRankTies"),
    *("Shape", "NoBoxes", "Jigsaw", "StrictKropki", "StrictXV", "Priority", "SearchPriority"),
    *("Var", "RegionSize", "RegionSameValues", "Doppelganger"),
    *("ChaosConstruction", "ChaosArrow", "ChaosCount"),
}
"""Types that groups do not hold."""

NOT_REPLICATED = {
    *("LittleKiller", "Sandwich", "Skyscraper", "XSum", "HiddenSkyscraper", "NumberedRoom"),
    *("FullRank", "ConnectedValues"),
}
"""Types whose arguments are not cells."""


def _strict_kropki(phrase: Phrase, rules: Sequence[Rule]) -> Rule:
    dots = pairs.marked_pairs(phrase.geometry, rules, pairs.WhiteDot, pairs.BlackDot)
    return pairs.NegativeKropki((1,), (2,), dots)


def _strict_xv(phrase: Phrase, rules: Sequence[Rule]) -> Rule:
    signs = pairs.marked_pairs(phrase.geometry, rules, pairs.XV)
    return pairs.NegativeXV(tuple(pairs.SIGNS), signs)


STRICT: dict[str, tuple[RuleType, Callable[[Phrase, Sequence[Rule]], Rule]]] = {
    "StrictKropki": (pairs.NegativeKropki, _strict_kropki),
    "StrictXV": (pairs.NegativeXV, _strict_xv),
}
"""Types about neighbours without a mark, whose rules depend on those of all other types."""

MARKS = {"StrictKropki": ("WhiteDot", "BlackDot"), "StrictXV": ("X", "V")}
"""The marks that each of them is about, which groups may not hold then."""

HINTS = ("Priority", "SearchPriority")
"""Types that help a search, and mean nothing."""

LAYOUT: dict[str, RuleType] = {
    "Jigsaw": regions.Region,
    "RegionSameValues": free.SameRegions,
    "ChaosConstruction": free.ChaosConstruction,
    "Doppelganger": free.Doppelganger,
}
"""Types that stand for rules about the rows, columns, boxes and regions of the grid."""

KNOWN = {*TYPES, *STRICT, *GROUPS, *HINTS, *LAYOUT, "", "Given"}
KNOWN |= {"Shape", "NoBoxes", "RegionSize", "Var"}
"""All types that are read."""

RULES_OF_TYPES: list[tuple[str, RuleType]] = [
    *((name, each.kind) for name, each in TYPES.items()),
    *((name, kind) for name, (kind, _) in STRICT.items()),
    (OR, custom.OneOf),
    *((name, kind) for name, kind in LAYOUT.items() if name != "Jigsaw"),
    *(("Shape", free.Unit), ("RegionSize", free.Unit)),
]
"""Every type that stands for rules, and their kind."""
