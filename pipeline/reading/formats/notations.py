"""The notations of each rule class in f-puzzles and the Interactive Sudoku Solver (ISS).

The table `_NOTATIONS` has a row for each rule class: the keys of f-puzzles documents and the types
of ISS that express the rule, each with the codecs of its arguments. Reading fails for arguments
that no codec reads, and for cells and numbers that the rule class does not accept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pipeline.puzzle.geometry import Geometry
from pipeline.puzzle.puzzle import Rule
from pipeline.puzzle.rules import cages, custom, free, lines, outside, pairs, regions, whole
from pipeline.reading.formats.fpuzzles import codecs as fp
from pipeline.reading.formats.fpuzzles.document import JsonNode
from pipeline.reading.formats.iss import codecs as iss
from pipeline.reading.formats.iss import custom_codecs as own
from pipeline.reading.formats.rule_forms import (
    Codec,
    Form,
    cannot_write,
    fixed_fields,
    form,
    write_nothing,
)
from pipeline.reading.formats.variants import RuleType

_READ_ELSEWHERE = Codec(lambda _: (), write_nothing)
"""The notation of an ISS type without arguments whose rules the parser of ISS creates itself."""

_Notation = Codec | list[Codec] | Form | Rule | None

_NOTATIONS: Final[Mapping[type[Rule], Mapping[str, _Notation]]] = {
    regions.Region: {"region": None, "Jigsaw": None},
    regions.ExtraRegion: {
        "extraregion": fp.cells("cells"),
        "AllDifferent": iss.distinct_cells("cells"),
    },
    regions.Diagonal: {
        "diagonal+": regions.Diagonal(rising=True),
        "diagonal-": regions.Diagonal(rising=False),
        "Diagonal": iss.direction,
    },
    regions.DisjointGroups: {
        "disjointgroups": regions.DisjointGroups(),
        "DisjointSets": _READ_ELSEWHERE,
    },
    regions.Windoku: {"windoku": regions.Windoku(), "Windoku": _READ_ELSEWHERE},
    pairs.AntiKnight: {"antiknight": pairs.AntiKnight(), "AntiKnight": []},
    pairs.AntiKing: {"antiking": pairs.AntiKing(), "AntiKing": []},
    whole.AntiTaxicab: {"AntiTaxicab": iss.needs_no_zero},
    whole.GlobalEntropy: {"GlobalEntropy": iss.needs_values_1_to_9},
    whole.GlobalModular: {"GlobalMod": iss.needs_values_1_to_9},
    whole.Flatmates: {"DutchFlatmates": iss.needs_values_1_to_9},
    whole.NoTiedLines: {"FullRankTies": iss.no_ties},
    pairs.Nonconsecutive: {"nonconsecutive": None, "AntiConsecutive": []},
    pairs.NegativeKropki: {"negative": None, "StrictKropki": _READ_ELSEWHERE},
    pairs.NegativeXV: {"negative": None, "StrictXV": _READ_ELSEWHERE},
    pairs.WhiteDot: {
        "difference": [fp.pair, fp.number("difference", default=1)],
        "WhiteDot": [fixed_fields(difference=1), iss.pairs_of_neighbours],
    },
    pairs.BlackDot: {
        "ratio": [fp.pair, fp.number("ratio", 1, default=2)],
        "BlackDot": [fixed_fields(ratio=2), iss.pairs_of_neighbours],
    },
    pairs.XV: {
        "xv": [fp.pair, fp.letter],
        "X": [fixed_fields(total=10), iss.pairs_of_neighbours],
        "V": [fixed_fields(total=5), iss.pairs_of_neighbours],
    },
    pairs.Greater: {"GreaterThan": iss.pairs_of_neighbours},
    pairs.Parity: {
        "even": [fixed_fields(odd=False), fp.cell],
        "odd": [fixed_fields(odd=True), fp.cell],
    },
    pairs.Extreme: {
        "minimum": [fixed_fields(maximum=False), fp.extreme],
        "maximum": [fixed_fields(maximum=True), fp.extreme],
    },
    pairs.Indexer: {
        "columnindexer": [fixed_fields(row=False), fp.each_cell],
        "rowindexer": [fixed_fields(row=True), fp.each_cell],
        "Indexing": [iss.row_or_column_indexed, iss.each_cell],
    },
    pairs.BoxIndexer: {"boxindexer": fp.each_in_region},
    cages.Cage: {
        "killercage": [fp.cells("cells"), fp.total],
        "Cage": Form(cages.Cage, iss.read_cage, iss.write_cage),
    },
    cages.DigitalRoot: {
        "cage": [fixed_fields(repeating=True), fp.cells("cells"), fp.digital_root],
        "killercage": [fixed_fields(repeating=False), fp.cells("cells"), fp.digital_root],
    },
    cages.Sum: {"Sum": iss.sum_terms},
    cages.RellikCage: {"RellikCage": [iss.number("total", 1), iss.cells("cells", once=True)]},
    cages.EqualityCage: {"EqualityCage": iss.cells("cells", once=True)},
    cages.Contains: {
        "ContainAtLeast": [
            fixed_fields(exactly=False),
            iss.joined_values,
            iss.cells("cells", once=True),
        ],
        "ContainExact": [
            fixed_fields(exactly=True),
            iss.joined_values,
            iss.cells("cells", once=True),
        ],
        "LookAndSay": Form(cages.Contains, iss.read_look_and_say, cannot_write),
    },
    cages.CountingCircles: {"CountingCircles": iss.cells("circles", once=True)},
    cages.CountOfDifferent: {"CountDistinct": iss.count_of_values},
    cages.EqualSums: {"EqualSum": iss.separated_groups},
    cages.SameMultiset: {"SameValues": iss.equal_groups},
    cages.Arrow: {"arrow": fp.arrows, "Arrow": iss.arrow, "PillArrow": iss.pill_arrow},
    cages.Quadruple: {
        "quadruple": [fp.cells("cells", 4, 4), fp.values],
        "Quad": [iss.square, iss.values],
    },
    cages.Clone: {"clone": fp.clone},
    outside.LittleKiller: {
        "littlekillersum": [fp.diagonal, fp.clue()],
        "LittleKiller": [iss.number("number"), iss.diagonal],
    },
    outside.Sandwich: {
        "sandwichsum": [fp.row_or_column, fp.clue(0)],
        "Sandwich": [iss.number("number"), iss.row_or_column],
    },
    outside.XSum: {"xsum": [fp.row_or_column, fp.clue()], "XSum": iss.clues_at_ends()},
    outside.Skyscraper: {
        "skyscraper": [fp.row_or_column, fp.clue()],
        "Skyscraper": iss.clues_at_ends(),
    },
    outside.HiddenSkyscraper: {"HiddenSkyscraper": iss.clues_at_ends(iss.value_limits)},
    outside.NumberedRoom: {"NumberedRoom": iss.clues_at_ends(iss.value_limits)},
    outside.FullRank: {"FullRank": [iss.allows_ties, iss.clues_at_ends(iss.rank_limits)]},
    lines.Thermometer: {
        "thermometer": [fixed_fields(slow=False), fp.line()],
        "slowthermometer": [fixed_fields(slow=True), fp.line()],
        "Thermo": iss.line(),
    },
    lines.Palindrome: {"palindrome": fp.line(), "Palindrome": iss.line()},
    lines.Renban: {"renban": fp.line(once=True), "Renban": iss.line()},
    lines.Whispers: {
        "whispers": [fp.half_of_side, fp.line()],
        "Whisper": [iss.number("difference", default=5, no_effect=0), iss.line()],
    },
    lines.Between: {"betweenline": fp.line(3), "Between": iss.line(3)},
    lines.RegionSum: {
        "regionsumline": [fp.regions, fp.line_without_repeats],
        "RegionSumLine": [iss.line(), iss.regions],
    },
    lines.Entropic: {"entropicline": fp.line(), "Entropic": [iss.needs_values_1_to_9, iss.line()]},
    lines.Modular: {
        "modularline": [fp.number("modulus", 2, default=3), fp.line()],
        "Modular": [iss.number("modulus", 1, no_effect=1), iss.line()],
    },
    lines.Nabner: {"nabner": fp.line(once=True)},
    lines.Zipper: {"zipperline": fp.line_without_repeats, "Zipper": iss.line(3)},
    lines.DoubleArrow: {"doublearrow": fp.line_without_repeats, "DoubleArrow": iss.cells("line")},
    lines.Lockout: {
        "lockout": [fp.number("difference", 1, default=4), fp.line()],
        "Lockout": iss.lockout,
    },
    lines.SumLine: {"SumLine": iss.sum_line},
    lines.ValueIndexer: {"ValueIndexing": iss.cells("line", 3)},
    lines.Lunchbox: {"Lunchbox": [iss.number("total"), iss.cells("line", 2, once=True)]},
    custom.Relation: {
        "Pair": [fixed_fields(every=False), own.related(), own.related_lines()],
        "PairX": [fixed_fields(every=True), own.related(), own.related_lines(once=True)],
        "Binary": [fixed_fields(every=False), own.related(is_old=True), own.related_lines()],
        "BinaryX": [
            fixed_fields(every=True),
            own.related(is_old=True),
            own.related_lines(once=True),
        ],
    },
    custom.StateMachine: {"NFA": own.state_machine, "Regex": own.pattern},
    custom.NondeterministicMachine: {"NFA": own.nondeterministic},
    custom.OneOf: {"Or": None},
    free.SameRegions: {"RegionSameValues": _READ_ELSEWHERE},
    free.ChaosConstruction: {"ChaosConstruction": _READ_ELSEWHERE},
    free.Doppelganger: {"Doppelganger": _READ_ELSEWHERE},
    free.Unit: {"Shape": None, "RegionSize": None},
    free.ConnectedValues: {"ConnectedValues": own.connected_values},
    free.ChaosArrow: {"ChaosArrow": [own.control, own.offset, own.arms]},
    free.ChaosCount: {"ChaosCount": [own.control, own.offset, own.region_cells]},
}
"""Rule class → {name: notation}.

Names in lower case are keys of f-puzzles, others are types of ISS. A notation is the codecs of the
arguments, a form, or, for a boolean key, the rule that it sets. A notation is None if other code
reads the rule: as part of the layout, as a group of phrases, or by DEPENDENT_KEYS.
"""

_FormOrRule = Form | Rule | None
"""A notation in which codecs are already combined into a form."""


def _with_form(kind: type[Rule], notation: _Notation) -> _FormOrRule:
    codecs = [notation] if isinstance(notation, Codec) else notation
    return form(kind, *codecs) if isinstance(codecs, list) else codecs


_FORMS: Final[Mapping[type[Rule], Mapping[str, _FormOrRule]]] = {
    kind: {name: _with_form(kind, notation) for name, notation in notations.items()}
    for kind, notations in _NOTATIONS.items()
}
"""Rule class → {name: form, rule or None}: `_NOTATIONS` with combined codecs."""

_ALL = [(name, kind, item) for kind, items in _FORMS.items() for name, item in items.items()]
RULES_OF_KEYS: Final = [(name, kind) for name, kind, _ in _ALL if name.islower()]
RULES_OF_TYPES: Final = [(name, kind) for name, kind, _ in _ALL if not name.islower()]
"""Pairs of a key or type and a rule class that it expresses."""

FLAGS: Final = {key: item for key, _, item in _ALL if item and not isinstance(item, Form)}
"""Boolean key → the rule that it sets."""

KEYS: Final[Mapping[str, Sequence[Form]]] = {
    key: [item for name, _, item in _ALL if name == key and isinstance(item, Form)]
    for key, _, item in _ALL
    if key.islower() and isinstance(item, Form)
}
"""Key of a list of objects → the forms that can read such an object."""

TYPES: Final = {
    name: item for name, _, item in _ALL if isinstance(item, Form) and not name.islower()
}
"""Type of ISS → its form. Types for the layout and for groups of phrases are missing."""


def write_rule(rule: Rule, geometry: Geometry, *, by_keys: bool) -> tuple[str, list[Any]] | None:
    """Write a rule as an object of f-puzzles (`by_keys`) or as a constraint of ISS.

    Returns the first key or type that can express the rule, and its arguments; None if none can.
    """
    for name, notation in _FORMS.get(type(rule), {}).items():
        if isinstance(notation, Form) and name.islower() == by_keys:
            words = notation.write(rule, geometry)
            if words is not None:
                return name, [*words]
    return None


STRICT: Final = {"StrictKropki": ("difference", "ratio"), "StrictXV": ("xv",)}
"""Type of ISS for a negative rule → the marks to which it applies, as in the key `negative`."""


def negative_rules(
    geometry: Geometry, rules: Sequence[Rule], marks: Sequence[str]
) -> Iterator[Rule]:
    """Yield the negative rules: neighbours without one of these marks do not have its property."""
    differences = {rule.difference for rule in rules if isinstance(rule, pairs.WhiteDot)} or {1}
    ratios = {rule.ratio for rule in rules if isinstance(rule, pairs.BlackDot)} or {2}
    if {"difference", "ratio"}.intersection(marks):
        yield pairs.NegativeKropki(
            tuple(sorted(differences)) if "difference" in marks else (),
            tuple(sorted(ratios)) if "ratio" in marks else (),
            pairs.marked_pairs(geometry, rules, pairs.WhiteDot, pairs.BlackDot),
        )
    if "xv" in marks:
        yield pairs.NegativeXV(
            tuple(pairs.TOTAL_LETTERS), pairs.marked_pairs(geometry, rules, pairs.XV)
        )


def _nonconsecutive(geometry: Geometry, node: JsonNode, rules: Sequence[Rule]) -> Iterator[Rule]:
    """Read `nonconsecutive`: neighbours without a dot are not consecutive."""
    if node.flag():
        dots = pairs.marked_pairs(geometry, rules, pairs.WhiteDot, pairs.BlackDot)
        yield pairs.Nonconsecutive(dots)


def _negative(geometry: Geometry, node: JsonNode, rules: Sequence[Rule]) -> Iterator[Rule]:
    """Read `negative`, a list of marks."""
    names = [child.value for child in node.list()]
    for index, child in enumerate(node.list()):
        if child.value not in ("ratio", "difference", "xv") or child.value in names[:index]:
            raise child.wrong("'ratio', 'difference' or 'xv', each once")
    yield from negative_rules(geometry, rules, [*map(str, names)])


def _negated_marks(rules: Sequence[Rule]) -> list[str]:
    """The marks that the key `negative` must list for the negative rules of a puzzle."""
    marks = {"difference": False, "ratio": False, "xv": False}
    for rule in rules:
        if isinstance(rule, pairs.NegativeKropki):
            marks |= {"difference": bool(rule.differences), "ratio": bool(rule.ratios)}
        marks["xv"] |= isinstance(rule, pairs.NegativeXV)
    return [name for name, is_negative in marks.items() if is_negative]


class DependentKey(NamedTuple):
    """How to read and write a key of f-puzzles whose rules depend on the rules of other keys.

    - `kinds`: the classes of the rules of the key.
    - `read`: takes the geometry, the node of the key, and the rules of all other keys.
    - `write`: takes the rules of a puzzle, and returns the value of the key.
    """

    kinds: tuple[RuleType, ...]
    read: Callable[[Geometry, JsonNode, Sequence[Rule]], Iterable[Rule]]
    write: Callable[[Sequence[Rule]], object]


DEPENDENT_KEYS: Final[Mapping[str, DependentKey]] = {
    "nonconsecutive": DependentKey((pairs.Nonconsecutive,), _nonconsecutive, lambda _: True),
    "negative": DependentKey((pairs.NegativeKropki, pairs.NegativeXV), _negative, _negated_marks),
}
"""Keys of f-puzzles that are read after all others, in this order."""
