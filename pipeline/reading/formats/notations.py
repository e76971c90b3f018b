"""The rules of f-puzzles and of the Interactive Sudoku Solver (ISS): a row for each kind of rule.

A row has the keys of f-puzzles documents and the types of ISS that express the rule, each with
the arguments from which it is read and written. Arguments beyond these are refused, and so are
cells and numbers that the rule itself does not take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pipeline.puzzle.puzzle import Geometry, Rule
from pipeline.puzzle.rules import cages, custom, free, lines, outside, pairs, regions, whole
from pipeline.reading.formats.codecs import Codec, Form, fixed, form, nothing
from pipeline.reading.formats.fpuzzles import codecs as f
from pipeline.reading.formats.fpuzzles.document import Placed
from pipeline.reading.formats.iss import codecs as i
from pipeline.reading.formats.ruled import RuleType

_Way = tuple[Codec, ...] | Form | Rule | None


class Row(NamedTuple):
    """A kind of rule, and the keys and types that express it.

    A key with a rule is a flag. The names with None are read elsewhere: those of the layout, of
    groups, and those in LAST.
    """

    kind: type[Rule]
    keys: Mapping[str, Form | Rule | None] = {}
    types: Mapping[str, Form | None] = {}


def _row(
    kind: type[Rule],
    keys: Mapping[str, _Way] | None = None,
    types: Mapping[str, _Way] | None = None,
) -> Row:
    def made(ways: Mapping[str, _Way]) -> dict[str, Any]:
        alone = (Form, Rule, type(None))
        return {
            name: way if isinstance(way, alone) else form(kind, *way) for name, way in ways.items()
        }

    return Row(kind, made(keys or {}), made(types or {}))


_BARE = (Codec(lambda _: (), nothing),)
"""A type without arguments whose rule is read elsewhere."""

_ROWS: Final = (
    _row(regions.Region, {"region": None}, {"Jigsaw": None}),
    _row(
        regions.ExtraRegion,
        {"extraregion": (f.cells("group"),)},
        {"AllDifferent": (i.cells("group", once=True),)},
    ),
    _row(
        regions.Diagonal,
        {
            "diagonal+": regions.Diagonal(rising=True),
            "diagonal-": regions.Diagonal(rising=False),
        },
        {
            "Diagonal": (
                i.word(
                    "rising",
                    "'1' or '-1', the direction of the diagonal",
                    **{"1": True, "-1": False},
                ),
            )
        },
    ),
    _row(
        regions.DisjointGroups,
        {"disjointgroups": regions.DisjointGroups()},
        {"DisjointSets": (i.with_boxes,)},
    ),
    _row(
        regions.Windoku,
        {"windoku": regions.Windoku()},
        {"Windoku": Form(regions.Windoku, i.windoku, nothing)},
    ),
    _row(pairs.AntiKnight, {"antiknight": pairs.AntiKnight()}, {"AntiKnight": ()}),
    _row(pairs.AntiKing, {"antiking": pairs.AntiKing()}, {"AntiKing": ()}),
    _row(whole.AntiTaxicab, {}, {"AntiTaxicab": (i.without_zero,)}),
    _row(whole.GlobalEntropy, {}, {"GlobalEntropy": (i.of_nine,)}),
    _row(whole.GlobalModular, {}, {"GlobalMod": (i.of_nine,)}),
    _row(whole.Flatmates, {}, {"DutchFlatmates": (i.of_nine,)}),
    _row(whole.NoTiedLines, {}, {"FullRankTies": (i.no_ties,)}),
    _row(pairs.Nonconsecutive, {"nonconsecutive": None}, {"AntiConsecutive": ()}),
    _row(pairs.NegativeKropki, {"negative": None}, {"StrictKropki": _BARE}),
    _row(pairs.NegativeXV, {"negative": None}, {"StrictXV": _BARE}),
    _row(
        pairs.WhiteDot,
        {"difference": (f.pair, f.number("difference", default=1))},
        {"WhiteDot": (fixed(difference=1), i.pairs_of_neighbours)},
    ),
    _row(
        pairs.BlackDot,
        {"ratio": (f.pair, f.number("ratio", 1, default=2))},
        {"BlackDot": (fixed(ratio=2), i.pairs_of_neighbours)},
    ),
    _row(
        pairs.XV,
        {"xv": (f.pair, f.sign)},
        {
            "X": (fixed(total=10), i.pairs_of_neighbours),
            "V": (fixed(total=5), i.pairs_of_neighbours),
        },
    ),
    _row(pairs.Greater, {}, {"GreaterThan": (i.pairs_of_neighbours,)}),
    _row(
        pairs.Parity,
        {"even": (fixed(odd=False), f.cell), "odd": (fixed(odd=True), f.cell)},
    ),
    _row(
        pairs.Extreme,
        {
            "minimum": (fixed(maximum=False), f.extreme),
            "maximum": (fixed(maximum=True), f.extreme),
        },
    ),
    _row(
        pairs.Indexer,
        {
            "columnindexer": (fixed(row=False), f.each_cell),
            "rowindexer": (fixed(row=True), f.each_cell),
        },
        {"Indexing": (i.word("row", "'R' or 'C'", R=True, C=False), i.each_cell)},
    ),
    _row(pairs.BoxIndexer, {"boxindexer": (f.each_in_region,)}),
    _row(
        cages.Cage,
        {"killercage": (f.cells("group"), f.total)},
        {"Cage": Form(cages.Cage, i.read_cage, i.cage_words)},
    ),
    _row(
        cages.DigitalRoot,
        {
            "cage": (fixed(repeating=True), f.cells("group"), f.digital_root),
            "killercage": (fixed(repeating=False), f.cells("group"), f.digital_root),
        },
    ),
    _row(cages.Sum, {}, {"Sum": (i.weighted_sum,)}),
    _row(cages.RellikCage, {}, {"RellikCage": (i.number("total", 1), i.cells("group", once=True))}),
    _row(cages.EqualityCage, {}, {"EqualityCage": (i.cells("group", once=True),)}),
    _row(
        cages.Contains,
        {},
        {
            "ContainAtLeast": (
                fixed(exactly=False),
                i.joined_values,
                i.cells("group", once=True),
            ),
            "ContainExact": (fixed(exactly=True), i.joined_values, i.cells("group", once=True)),
            "LookAndSay": (fixed(exactly=True), i.look_and_say, i.cells("group", once=True)),
        },
    ),
    _row(cages.CountingCircles, {}, {"CountingCircles": (i.cells("circles", once=True),)}),
    _row(cages.CountOfDifferent, {}, {"CountDistinct": (i.counted,)}),
    _row(cages.EqualSums, {}, {"EqualSum": (i.groups_apart,)}),
    _row(cages.SameMultiset, {}, {"SameValues": (i.groups_of_one_size,)}),
    _row(cages.Arrow, {"arrow": (f.arrows,)}, {"Arrow": (i.arrow,), "PillArrow": (i.pill_arrow,)}),
    _row(
        cages.Quadruple,
        {"quadruple": (f.cells("around", 4, 4), f.values)},
        {"Quad": (i.around, i.values)},
    ),
    _row(cages.Clone, {"clone": (f.clone,)}),
    _row(
        outside.LittleKiller,
        {"littlekillersum": (f.diagonal, f.clue())},
        {"LittleKiller": (i.number("number"), i.diagonal)},
    ),
    _row(
        outside.Sandwich,
        {"sandwichsum": (f.row_or_column, f.clue(0))},
        {"Sandwich": (i.number("number"), i.row_or_column)},
    ),
    _row(outside.XSum, {"xsum": (f.row_or_column, f.clue())}, {"XSum": (i.from_both_ends(),)}),
    _row(
        outside.Skyscraper,
        {"skyscraper": (f.row_or_column, f.clue())},
        {"Skyscraper": (i.from_both_ends(),)},
    ),
    _row(outside.HiddenSkyscraper, {}, {"HiddenSkyscraper": (i.from_both_ends(i.largest_value),)}),
    _row(outside.NumberedRoom, {}, {"NumberedRoom": (i.from_both_ends(i.largest_value),)}),
    _row(outside.FullRank, {}, {"FullRank": (i.tied, i.from_both_ends(i.number_of_lines))}),
    _row(
        lines.Thermometer,
        {
            "thermometer": (fixed(slow=False), f.line()),
            "slowthermometer": (fixed(slow=True), f.line()),
        },
        {"Thermo": (i.line(),)},
    ),
    _row(lines.Palindrome, {"palindrome": (f.line(),)}, {"Palindrome": (i.line(),)}),
    _row(lines.Renban, {"renban": (f.line(once=True),)}, {"Renban": (i.line(),)}),
    _row(
        lines.Whispers,
        {"whispers": (f.half_of_side, f.line())},
        {"Whisper": (i.number("difference", 1, usual=5), i.line())},
    ),
    _row(lines.Between, {"betweenline": (f.line(3),)}, {"Between": (i.line(3),)}),
    _row(
        lines.RegionSum,
        {"regionsumline": (f.regions, f.line())},
        {"RegionSumLine": (i.line(), i.all_regions)},
    ),
    _row(lines.Entropic, {"entropicline": (f.line(),)}, {"Entropic": (i.of_nine, i.line())}),
    _row(
        lines.Modular,
        {"modularline": (f.number("modulus", 2, default=3), f.line())},
        {"Modular": (i.number("modulus", 2), i.line())},
    ),
    _row(lines.Nabner, {"nabner": (f.line(once=True),)}),
    _row(lines.Zipper, {"zipperline": (f.line(),)}, {"Zipper": (i.line(3),)}),
    _row(lines.DoubleArrow, {"doublearrow": (f.line(),)}, {"DoubleArrow": (i.cells("line"),)}),
    _row(
        lines.Lockout,
        {"lockout": (f.number("difference", 1, default=4), f.line())},
        {"Lockout": (i.number("difference", 1), i.cells("line", 2))},
    ),
    _row(lines.SumLine, {}, {"SumLine": (i.sum_line,)}),
    _row(lines.ValueIndexer, {}, {"ValueIndexing": (i.cells("line", 3, once=True),)}),
    _row(lines.Lunchbox, {}, {"Lunchbox": (i.number("total"), i.cells("line", 2, once=True))}),
    _row(
        custom.Relation,
        {},
        {
            "Pair": (fixed(every=False), i.related, i.related_lines()),
            "PairX": (fixed(every=True), i.related, i.related_lines(once=True)),
            "Binary": (fixed(every=False), i.old_related, i.related_lines()),
            "BinaryX": (fixed(every=True), i.old_related, i.related_lines(once=True)),
        },
    ),
    _row(custom.StateMachine, {}, {"NFA": (i.state_machine,), "Regex": (i.pattern,)}),
    _row(custom.OneOf, {}, {"Or": None}),
    _row(free.SameRegions, {}, {"RegionSameValues": _BARE}),
    _row(free.ChaosConstruction, {}, {"ChaosConstruction": _BARE}),
    _row(free.Doppelganger, {}, {"Doppelganger": _BARE}),
    _row(free.Unit, {}, {"Shape": None, "RegionSize": None}),
    _row(free.ConnectedValues, {}, {"ConnectedValues": (i.connected,)}),
    _row(free.ChaosArrow, {}, {"ChaosArrow": (i.arms,)}),
    _row(free.ChaosCount, {}, {"ChaosCount": (i.cell, i.offset, i.region_cells)}),
)

KEYS_OF: Final = {row.kind: row.keys for row in _ROWS}
TYPES_OF: Final = {row.kind: row.types for row in _ROWS}
"""The keys, and the types, that express a kind of rule."""

FLAGS: Final[Mapping[str, Rule]] = {
    key: way for row in _ROWS for key, way in row.keys.items() if isinstance(way, Rule)
}
"""Keys of true or false, which stand for a rule."""

RULES_OF_KEYS: Final = [(key, row.kind) for row in _ROWS for key in row.keys]
RULES_OF_TYPES: Final = [(name, row.kind) for row in _ROWS for name in row.types]
"""Every key, and every type, that stands for rules, and their kind."""

KEYS: Final[Mapping[str, Sequence[Form]]] = {
    key: [way for row in _ROWS if isinstance(way := row.keys.get(key), Form)]
    for row in _ROWS
    for key, form_or_flag in row.keys.items()
    if isinstance(form_or_flag, Form)
}
"""Keys of lists of objects: the ways to read each of these."""

TYPES: Final[Mapping[str, Form]] = {
    name: way for row in _ROWS for name, way in row.types.items() if way
}
"""Types whose rules need no other phrases."""

STRICT: Final = {"StrictKropki": ("difference", "ratio"), "StrictXV": ("xv",)}
"""Types about neighbours without marks, and these marks, as `negative` in documents names them."""


def without_marks(
    geometry: Geometry, rules: Sequence[Rule], marks: Sequence[str]
) -> Iterator[Rule]:
    """Pairs without a mark of a kind must not have the values that such a mark stands for."""
    differences = {rule.difference for rule in rules if isinstance(rule, pairs.WhiteDot)} or {1}
    ratios = {rule.ratio for rule in rules if isinstance(rule, pairs.BlackDot)} or {2}
    if {"difference", "ratio"}.intersection(marks):
        yield pairs.NegativeKropki(
            tuple(sorted(differences)) if "difference" in marks else (),
            tuple(sorted(ratios)) if "ratio" in marks else (),
            pairs.marked_pairs(geometry, rules, pairs.WhiteDot, pairs.BlackDot),
        )
    if "xv" in marks:
        yield pairs.NegativeXV(tuple(pairs.SIGNS), pairs.marked_pairs(geometry, rules, pairs.XV))


def _nonconsecutive(geometry: Geometry, node: Placed, rules: Sequence[Rule]) -> Iterator[Rule]:
    """Neighbours without a dot are not consecutive."""
    if node.flag():
        dots = pairs.marked_pairs(geometry, rules, pairs.WhiteDot, pairs.BlackDot)
        yield pairs.Nonconsecutive(dots)


def _negative(geometry: Geometry, node: Placed, rules: Sequence[Rule]) -> Iterator[Rule]:
    names = [each.value for each in node.list()]
    for at, each in enumerate(node.list()):
        if each.value not in ("ratio", "difference", "xv") or each.value in names[:at]:
            raise each.wrong("'ratio', 'difference' or 'xv', each once")
    yield from without_marks(geometry, rules, [*map(str, names)])


def _marks_of(rules: Sequence[Rule]) -> list[str]:
    """The marks that pairs without one are about."""
    marks = {"difference": False, "ratio": False, "xv": False}
    for rule in rules:
        if isinstance(rule, pairs.NegativeKropki):
            marks |= {"difference": bool(rule.differences), "ratio": bool(rule.ratios)}
        marks["xv"] |= isinstance(rule, pairs.NegativeXV)
    return [name for name, is_meant in marks.items() if is_meant]


class Last(NamedTuple):
    """A key whose rules, of these kinds, depend on those under other keys; its value for them."""

    kinds: tuple[RuleType, ...]
    read: Callable[[Geometry, Placed, Sequence[Rule]], Iterable[Rule]]
    write: Callable[[Sequence[Rule]], object]


LAST: Final[Mapping[str, Last]] = {
    "nonconsecutive": Last((pairs.Nonconsecutive,), _nonconsecutive, lambda _: True),
    "negative": Last((pairs.NegativeKropki, pairs.NegativeXV), _negative, _marks_of),
}
"""Keys that depend on the marks under all others, in this order."""
