"""Make docs/reference/rules.md and its pictures: what each rule means, is called, and looks like.

python docs/rules.py

If an example has no grid, it makes nothing and says one that fits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any

from pipeline import solve
from pipeline.outbox.report import Board, board_svg
from pipeline.puzzle.puzzle import Free, Geometry, Puzzle, Rule
from pipeline.puzzle.rules import cages, custom, free, lines, outside, pairs, regions, whole
from pipeline.puzzle.rules.meaning import meaning
from pipeline.reading.formats.iss.machines import Work
from pipeline.reading.formats.iss.patterns import pattern_machine
from pipeline.reading.formats.notations import RULES_OF_KEYS, RULES_OF_TYPES

FOLDER = Path(__file__).parent
PAGE = FOLDER / "reference" / "rules.md"
PICTURES = FOLDER / "assets" / "rules"
SIX, NINE, NO_BOXES = Geometry(2, 3), Geometry(3, 3), Geometry(1, 6)
CALLED = {"f-puzzles": RULES_OF_KEYS, "Interactive Sudoku Solver": RULES_OF_TYPES}
"""What formats call each kind of rule."""

BEGIN = """\
# Rules

What a puzzle may demand beyond its rows, columns and boxes, by the names that records use.
[Formats](formats.md) tells where rules can be written; what [f-puzzles](formats.md#f-puzzles) and
the [Interactive Sudoku Solver](formats.md#iss) call them stands with each. n is the side of the
grid; words such as `total` are what the puzzle tells of a rule. The pictures show values that keep
the rule, drawn as in the [report](../how-to/report.md) and by
[`convert -o NAME.svg`](commands.md#convert). Rules that only the Interactive Sudoku Solver has are
defined by [its source](https://github.com/sigh/Interactive-Sudoku-Solver).

A line of Python makes the first rule of each picture, see [Puzzles with
rules](../how-to/python.md#puzzles-with-rules). There `at` is `puzzle.geometry.cells_at`, which
takes rows and columns from 1, and `boxes` is `tuple(puzzle.geometry.boxes())`.

Each rule has one formula, which checks the values of a solution and gives the clauses for
solvers and proofs. Tests compare both with a plain predicate of each rule, written from its
definition: [What is trusted](../explanation/trust.md#rules). `docs/rules.py` makes this page.
"""


@dataclass(frozen=True, slots=True)
class Example:
    """Rules of one kind in a grid that keeps them; `values` are those of its cells, row by row."""

    rules: tuple[Rule, ...]
    values: str
    geometry: Geometry = SIX

    @property
    def name(self) -> str:
        return self.rules[0].name

    @property
    def file(self) -> str:
        return f"{self.name.lower().replace(',', '').replace(' ', '-')}.svg"


def at(places: str, side: int = 6) -> tuple[int, ...]:
    """`11 12` → the first two cells."""
    return tuple((int(row) - 1) * side + int(column) - 1 for row, column in places.split())


def cell(place: str) -> int:
    return at(place)[0]


SHORT, LINE, OTHER = at("11 22 23 14"), at("11 22 23 14 15"), at("51 41 42 43 53 63")
JIGSAW = "112222111233144233444533455566556666"
BOXES = tuple(SIX.boxes())
FEW_ROWS = Geometry(1, 6, free=Free(4, 6))
MORE_VALUES = Geometry(1, 6, free=Free(4, 4))
CHAOS = Geometry(1, 4, free=Free(4, 4, 1, (("CC", 16),)))
MISSING = Geometry(1, 5, free=Free(4, 4, 0, (("DGC", 4), ("DGR", 4), ("DGB", 4))))
ODD_EVEN = (0, *[0b1010100 if value % 2 else 0b101010 for value in range(1, 7)])
MACHINE = Work().machine(pattern_machine, "[135]+[246]+", range(1, 7), 6)
LINES_OF_CHAOS = (
    *(free.Unit(row, "row") for row in CHAOS.rows()),
    *(free.Unit(column, "column") for column in CHAOS.columns()),
)
EXAMPLES = (
    Example(
        tuple(
            regions.Region(tuple(i for i, region in enumerate(JIGSAW) if region == each))
            for each in "123456"
        ),
        "261534543216125643316452432165654321",
        NO_BOXES,
    ),
    Example(
        (regions.ExtraRegion(at("21 22 33 34 45 46")),),
        "512463463215235146146532321654654321",
    ),
    Example(
        (regions.Diagonal(True), regions.Diagonal(False)),
        "246135531642465213123456312564654321",
    ),
    Example(
        (regions.Windoku(),),
        "439178562512936478768542139273415896845269713196783245654321987321897654987654321",
        NINE,
    ),
    Example(
        (regions.DisjointGroups(),),
        "235146146235412563563412321654654321",
    ),
    Example(
        (pairs.AntiKnight(),),
        "546213879213879546879546213465132798132798465798465132654321987321987654987654321",
        NINE,
    ),
    Example((pairs.AntiKing(),), "415236236145142563563412321654654321"),
    Example(
        (pairs.Nonconsecutive(),),
        "864135972531792648297468315972684153315927486648351729483516297159273864726849531",
        NINE,
    ),
    Example((whole.AntiTaxicab(),), "321465645213456132132654213546564321"),
    Example((whole.GlobalEntropy(),), "462135153642314256526413231564645321"),
    Example((whole.GlobalModular(),), "465132213546321654546213132465654321"),
    Example(
        (whole.Flatmates(),),
        "865391247179245836423876195316427589254189673798563412641732958532918764987654321",
        NINE,
    ),
    Example((whole.NoTiedLines(),), "425163136542564321312456653214241635"),
    Example(
        (
            pairs.WhiteDot(*at("11 12")),
            pairs.WhiteDot(*at("33 43")),
            pairs.WhiteDot(*at("55 56"), 3),
        ),
        "562134134256216345345612421563653421",
    ),
    Example(
        (
            pairs.BlackDot(*at("11 12")),
            pairs.BlackDot(*at("33 43")),
            pairs.BlackDot(*at("55 56"), 3),
        ),
        "365214214536456123123645531462642351",
    ),
    Example(
        (
            pairs.NegativeKropki((), (2,), ((0, 1), (14, 20))),
            pairs.BlackDot(*at("11 12")),
            pairs.BlackDot(*at("33 43")),
        ),
        "245316613254162543354162431625526431",
    ),
    Example(
        (pairs.XV(*at("11 12"), 10), pairs.XV(*at("33 43"), 5)),
        "642153153624231465564312326541415236",
    ),
    Example(
        (
            pairs.NegativeXV((5, 10), ((0, 1), (14, 20))),
            pairs.XV(*at("11 12"), 10),
            pairs.XV(*at("33 43"), 5),
        ),
        "643512135426354261421653562134216345",
        NO_BOXES,
    ),
    Example(
        (
            pairs.Greater(*at("11 12")),
            pairs.Greater(*at("33 43")),
            pairs.Greater(*at("56 55")),
        ),
        "542136136254215463463512321645654321",
    ),
    Example(
        (
            *(pairs.Parity(each, odd=True) for each in at("11 25 44")),
            *(pairs.Parity(each, odd=False) for each in at("13 32 56")),
        ),
        "532146146235265413413562321654654321",
    ),
    Example(
        (pairs.Among(cell("11"), (2, 5)), pairs.Among(cell("44"), (1, 3, 5))),
        "532146146235265413413562321654654321",
    ),
    Example(
        (
            pairs.Extreme(cell("22"), at("12 21 23 32"), maximum=True),
            pairs.Extreme(cell("55"), at("45 54 56 65"), maximum=False),
        ),
        "526314143256214563365142431625652431",
    ),
    Example(
        (pairs.Indexer(cell("22"), row=False), pairs.Indexer(cell("55"), row=True)),
        "235146146235412563563412321654654321",
    ),
    Example(
        (pairs.BoxIndexer(cell("22"), BOXES[0]), pairs.BoxIndexer(cell("55"), BOXES[5])),
        "245136136245412563563412321654654321",
    ),
    Example(
        (lines.Thermometer(SHORT), lines.Thermometer(at("61 52 43 44 35"), slow=True)),
        "261534534621653142412365325416146253",
    ),
    Example(
        (lines.Palindrome(at("11 22 23 34 35")),),
        "536142142635213456465213321564654321",
    ),
    Example(
        (lines.Renban(SHORT), lines.Renban(OTHER)),
        "256143134562523614461235312456645321",
    ),
    Example(
        (lines.Whispers(LINE, 3), lines.Whispers(OTHER, 3)),
        "345612162435413256526143231564654321",
    ),
    Example(
        (lines.Between(LINE), lines.Between(OTHER)),
        "251463634152516234342516123645465321",
    ),
    Example(
        (lines.RegionSum(LINE, BOXES), lines.RegionSum(OTHER, BOXES)),
        "352641416235564123123564631452245316",
    ),
    Example(
        (lines.Entropic(LINE), lines.Entropic(OTHER)),
        "542613613254136542254136321465465321",
    ),
    Example(
        (lines.Modular(LINE), lines.Modular(OTHER)),
        "426135135462261543543216312654654321",
    ),
    Example(
        (lines.Nabner(at("11 22 23")), lines.Nabner(at("53 43 42"))),
        "235146146235412563563412321654654321",
    ),
    Example(
        (lines.Zipper(LINE), lines.Zipper(OTHER)),
        "542316136245365124214653423561651432",
    ),
    Example(
        (lines.DoubleArrow(at("11 22 23 14")), lines.DoubleArrow(at("53 43 42"))),
        "136542542163461235325416213654654321",
    ),
    Example(
        (lines.Lockout(at("11 22 33")), lines.Lockout(at("46 56 65"))),
        "263415415632156243324561541326632154",
    ),
    Example(
        (lines.SumLine(LINE, 8), lines.SumLine(at("51 52 62 61"), 7, loop=True)),
        "246351351624162543435162523416614235",
    ),
    Example(
        (lines.ValueIndexer(at("11 12 23 24 25")), lines.ValueIndexer(at("61 52 53 44 45 46"))),
        "423516165432316245542163231654654321",
    ),
    Example(
        (lines.Lunchbox(SHORT, 5), lines.Lunchbox(OTHER, 6)),
        "643215251364465123312456524631136542",
    ),
    Example(
        (custom.Relation(LINE, ODD_EVEN), custom.Relation(at("53 44 55"), ODD_EVEN, every=False)),
        "235146416235142563563412321654654321",
    ),
    Example(
        (custom.StateMachine(SHORT, *MACHINE), custom.StateMachine(OTHER, *MACHINE)),
        "146235235146462513513462321654654321",
    ),
    Example(
        (
            custom.OneOf(
                (
                    (lines.Thermometer(at("11 22 23 14")),),
                    (cages.Cage(at("44 45 55"), 7), pairs.Among(cell("52"), (5, 6))),
                )
            ),
        ),
        "216543534162421635653214365421142356",
    ),
    Example(
        (
            cages.Cage(at("11 12 21"), 11),
            cages.Cage(at("13 14 24 34"), 12),
            cages.Cage(at("22 23 32"), 9),
            cages.Cage(at("45 46 55"), None),
            cages.Cage(at("41 42 51 61 62"), 18),
        ),
        "324516651234435162162453213645546321",
    ),
    Example(
        (cages.RellikCage(at("11 12 21"), 7), cages.RellikCage(at("44 45 54 55"), 8)),
        "235146146235412563563412321654654321",
    ),
    Example(
        (cages.EqualityCage(at("11 12 21 22")), cages.EqualityCage(at("45 46"))),
        "543162126453412536365214231645654321",
    ),
    Example(
        (
            cages.Contains(at("11 12 22 23 33"), (1, 1, 6)),
            cages.Contains(at("44 45 55"), (3, 3), exactly=True),
        ),
        "315246426153231564564312142635653421",
    ),
    Example(
        (cages.CountingCircles(at("11 13 22 34 42 55")),), "243156516342654213132564421635365421"
    ),
    Example(
        (cages.CountOfDifferent(cell("11"), at("22 23 34 45 55")),),
        "241536365214513642426153132465654321",
    ),
    Example(
        (
            cages.DigitalRoot(at("11 12 21"), 5),
            cages.DigitalRoot(at("13 14 24 34"), 7),
            cages.DigitalRoot(at("44 45 55 65"), 8, repeating=True),
        ),
        "651432324561132654465123513246246315",
    ),
    Example(
        (
            cages.Arrow(at("11"), at("22 23 14")),
            cages.Arrow(at("42 43"), at("54 55 46")),
        ),
        "465123321546246315513462132654654231",
    ),
    Example(
        (
            cages.Quadruple(at("11 12 21 22"), (1, 2)),
            cages.Quadruple(at("44 45 54 55"), (2, 3, 4, 5)),
        ),
        "435162126543243615561234312456654321",
    ),
    Example(
        (cages.Clone(at("11 12 22"), at("43 44 54")),),
        "245136163245436512512463321654654321",
    ),
    Example(
        (cages.SameMultiset((at("11 12 22"), at("43 44 55"))),),
        "613245452613136452245136321564564321",
    ),
    Example(
        (cages.Sum(tuple((each, 1) for each in at("11 22 33")), 12),),
        "413265265134142653536412654321321546",
    ),
    Example(
        (cages.EqualSums((at("11 22 33"), at("45 46"))),),
        "246135513462321546465213132654654321",
    ),
    Example(
        (
            outside.LittleKiller(at("12 23 34 45 56"), 17),
            outside.LittleKiller(at("61 52 43 34 25 16"), 21),
        ),
        "416253325416142365653142261534534621",
    ),
    Example(
        (
            outside.Sandwich(at("11 21 31 41 51 61"), 8),
            outside.Sandwich(at("31 32 33 34 35 36"), 0),
        ),
        "235164164253342516516342653421421635",
    ),
    Example(
        (
            outside.Skyscraper(at("11 21 31 41 51 61"), 3),
            outside.Skyscraper(at("36 35 34 33 32 31"), 4),
        ),
        "163254245631651423324516516342432165",
    ),
    Example(
        (
            outside.XSum(at("11 21 31 41 51 61"), 10),
            outside.XSum(at("36 35 34 33 32 31"), 6),
        ),
        "425316136524351642264135612453543261",
    ),
    Example(
        (
            outside.HiddenSkyscraper(at("11 21 31 41 51 61"), 2),
            outside.HiddenSkyscraper(at("36 35 34 33 32 31"), 4),
        ),
        "513246264135645321132564421653356412",
    ),
    Example(
        (
            outside.NumberedRoom(at("11 21 31 41 51 61"), 5),
            outside.NumberedRoom(at("36 35 34 33 32 31"), 2),
        ),
        "465213132465213546546132321654654321",
    ),
    Example(
        (
            outside.FullRank(at("11 21 31 41 51 61"), 7),
            outside.FullRank(at("36 35 34 33 32 31"), 19),
        ),
        "241563563142124635635214456321312456",
    ),
    Example(
        (
            *(free.Unit(row, "row") for row in FEW_ROWS.rows()),
            *(free.Unit(column, "column") for column in FEW_ROWS.columns()),
            *(
                free.Unit(at(f"{row}{c} {row}{c + 1} {row + 1}{c} {row + 1}{c + 1}"), "box")
                for row in (1, 3)
                for c in (1, 3, 5)
            ),
        ),
        "321654563412216543654321",
        FEW_ROWS,
    ),
    Example(
        (
            free.SameRegions((*MORE_VALUES.rows(), *MORE_VALUES.columns())),
            *(free.Unit(row, "row") for row in MORE_VALUES.rows()),
            *(free.Unit(column, "column") for column in MORE_VALUES.columns()),
        ),
        "4312243112433124",
        MORE_VALUES,
    ),
    Example(
        (free.ConnectedValues(tuple(range(36)), (1, 2, 3, 4)),),
        "413265562134354612126543635421241356",
    ),
    Example(
        (free.ChaosConstruction(tuple(range(16, 32)), 4), *LINES_OF_CHAOS),
        "23414132142332141122314231423344",
        CHAOS,
    ),
    Example(
        (
            free.ChaosArrow(0, ((16, 17, 18, 19), (16, 20, 24, 28))),
            free.ChaosArrow(14, ((30, 26, 22, 18),)),
            free.ChaosConstruction(tuple(range(16, 32)), 4),
            *LINES_OF_CHAOS,
        ),
        "24314123134232141122312431243344",
        CHAOS,
    ),
    Example(
        (
            free.ChaosCount(5, (21, 16, 17, 18, 20, 22, 24, 25, 26)),
            free.ChaosConstruction(tuple(range(16, 32)), 4),
            *LINES_OF_CHAOS,
        ),
        "34124321214312341112331234223444",
        CHAOS,
    ),
    Example(
        (
            free.Doppelganger(
                (
                    *MISSING.rows(),
                    *MISSING.columns(),
                    *((a, a + 1, a + 4, a + 5) for a in (0, 2, 8, 10)),
                ),
                tuple(range(16, 28)),
                (4, 4, 4),
            ),
        ),
        "2310104231040423432142314321",
        MISSING,
    ),
)


def picture(example: Example) -> str:
    """The rules in a grid, with the values of their cells."""
    geometry = example.geometry
    shown = {cell for rule in example.rules for cell in rule.cells(geometry)}
    blank = geometry.lowest - 1
    values = (int(v) if cell in shown else blank for cell, v in enumerate(example.values))
    board = Board(Puzzle.of_values(geometry, values, example.rules))
    return board_svg(board, example.name, "b", alone=True) + "\n"


def page() -> str:
    """The whole page."""
    return "\n".join(_page()).rstrip("\n") + "\n"


def _page() -> Iterator[str]:
    yield BEGIN
    for example in EXAMPLES:
        yield f"## {example.name}\n\n{_meaning(type(example.rules[0]))}\n"
        kind = type(example.rules[0])
        said = [
            f"{who}: {', '.join(f'`{name}`' for name, each in names if each is kind)}"
            for who, names in CALLED.items()
            if any(each is kind for _, each in names)
        ]
        if said:
            yield "; ".join(said) + ".\n"
        yield f"Python: `{in_python(example.rules[0], example.geometry)}`.\n"
        if not any(True for rule in example.rules for _ in rule.draw(example.geometry)):
            yield "No mark shows it on a board.\n"
        yield f"![{example.name}](../assets/rules/{example.file})\n"


def _meaning(rule: type[Rule]) -> str:
    """Its docstring, and the numbers that may be left out."""
    usual = [
        f"`{each.name}` is usually {each.default}." for each in fields(rule) if _has_usual(each)
    ]
    return " ".join((meaning(rule), *usual))


def in_python(rule: Rule, geometry: Geometry) -> str:
    """The rule as it is written in Python, with `at` and `boxes` of that geometry."""
    cells, words = list[int](), list[str]()
    is_usual_before = False
    for each in fields(rule):
        value, kind = getattr(rule, each.name), str(each.type)
        if kind == "Cell":
            cells.append(value)
        elif value == each.default:
            is_usual_before = True
        else:
            written = _written(value, kind, geometry)
            is_named = is_usual_before or isinstance(value, bool)
            words.append(f"{each.name}={written}" if is_named else written)
    words = [f"*{_at(cells, geometry)}", *words] if cells else words
    return f"{type(rule).__name__}({', '.join(words)})"


def _written(value: Any, kind: str, geometry: Geometry) -> str:
    """The value of a field of that kind; cells by their places where the kind says so."""
    if kind == "Cells":
        return _at(value, geometry)
    if kind in ("tuple[Cells, ...]", "CellPairs"):
        groups = _tuple(_at(each, geometry) for each in value)
        return "boxes" if value == tuple(geometry.boxes()) else groups
    if kind == "tuple[tuple[Cell, int], ...]":
        cells, numbers = zip(*value, strict=True)
        return f"tuple(zip({_at(cells, geometry)}, {numbers}))"
    if isinstance(value, tuple):
        return _tuple(_written(each, "", geometry) for each in value)
    return in_python(value, geometry) if isinstance(value, Rule) else repr(value)


def _at(cells: Iterable[int], geometry: Geometry) -> str:
    return f"at({', '.join(map(str, map(geometry.place, cells)))})"


def _tuple(written: Iterable[str]) -> str:
    members = [*written]
    return f"({members[0]},)" if len(members) == 1 else f"({', '.join(members)})"


def _has_usual(field: Field[Any]) -> bool:
    return isinstance(field.default, int) and not isinstance(field.default, bool)


def _grid(example: Example) -> str:
    """The values of some grid that keeps the rules."""
    puzzle = Puzzle.empty(example.geometry, example.rules)
    solutions = solve(puzzle, max_solutions=1).solutions
    return "".join(map(str, solutions[0].values)) if solutions else "none"


if __name__ == "__main__":
    for each in EXAMPLES:
        if not each.values:
            sys.exit(f"{each.name}: a grid that keeps its rules: {_grid(each)}")
    PAGE.write_text(page())
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        old.unlink()
    for each in EXAMPLES:
        (PICTURES / each.file).write_text(picture(each))
